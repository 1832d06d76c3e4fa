//! Labelled positions in memory: no position twice under symmetry, a fixed part held out.

use std::path::Path;

use anyhow::Result;

use crate::board::Board;
use crate::util::rng::Rng;

use super::records::{self, Record};

/// One canonical position in this many is held out, whichever files it comes from.
const HOLD_OUT: u64 = 64;

/// Training and held-out positions.
#[derive(Debug, Default)]
pub struct Dataset {
    /// To learn from.
    pub train: Vec<Record>,
    /// Never learned from: the same positions in every run, chosen by the position alone.
    pub held_out: Vec<Record>,
    /// Records dropped because the position stood there already with a label as good or better.
    pub duplicates: usize,
}

/// A number that depends on the position up to symmetry.
fn canonical_key(board: Board) -> u64 {
    let canonical = board.canonical().0;
    let mixed = Rng::new(canonical.player).next() ^ canonical.opponent;
    Rng::new(mixed).next()
}

/// Whether a position belongs to the held-out part of every dataset.
pub fn is_held_out(board: Board) -> bool {
    canonical_key(board).is_multiple_of(HOLD_OUT)
}

impl Dataset {
    /// Reads record files; keeps positions whose number of empties lies in `empties`.
    pub fn load(paths: &[impl AsRef<Path>], empties: std::ops::RangeInclusive<u32>) -> Result<Self> {
        let mut all = Vec::new();
        for path in paths {
            all.extend(records::read(path.as_ref())?);
        }
        all.retain(|record| empties.contains(&record.board.empty_count()));
        Ok(Self::from_records(all))
    }

    /// Sorts out duplicates (the best label of a position stays) and the held-out part.
    pub fn from_records(records: Vec<Record>) -> Self {
        let mut keyed: Vec<(u64, Record)> =
            records.into_iter().map(|record| (canonical_key(record.board), record)).collect();
        let total = keyed.len();
        // Stable: of equal labels the first one read stays.
        keyed.sort_by_key(|(key, record)| (*key, std::cmp::Reverse(record.source)));
        keyed.dedup_by_key(|(key, _)| *key);
        let mut dataset = Self { duplicates: total - keyed.len(), ..Self::default() };
        for (key, record) in keyed {
            let part = if key.is_multiple_of(HOLD_OUT) { &mut dataset.held_out } else { &mut dataset.train };
            part.push(record);
        }
        dataset
    }

    /// Puts the training positions in a random order that depends on `seed` alone.
    pub fn shuffle(&mut self, seed: u64) {
        let mut rng = Rng::new(seed);
        for last in (1..self.train.len()).rev() {
            self.train.swap(last, rng.below(last as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::records::Source;
    use super::*;
    use crate::board::{Score, Symmetry, squares};

    /// Positions of random games, labelled 0.
    pub fn random_records(count: usize) -> Vec<Record> {
        let mut rng = Rng::new(7);
        let mut records = Vec::new();
        while records.len() < count {
            let mut board = Board::START;
            while board.moves() != 0 && records.len() < count {
                let moves: Vec<_> = squares(board.moves()).collect();
                let square = moves[rng.below(moves.len() as u32) as usize];
                board = board.play(square).unwrap();
                records.push(Record { board, score: Score::ZERO, source: Source::Search(4) });
            }
        }
        records
    }

    #[test]
    fn symmetric_twins_are_one_and_the_better_label_stays() {
        let records = random_records(2000);
        let single = Dataset::from_records(records.clone());
        let mut doubled = records.clone();
        for record in &records {
            let board = Symmetry::new(5).unwrap().apply(record.board);
            doubled.push(Record { board, score: Score::from_discs(2), source: Source::Exact });
        }
        let both = Dataset::from_records(doubled);
        assert_eq!(both.train.len() + both.held_out.len(), single.train.len() + single.held_out.len());
        assert!(both.train.iter().chain(&both.held_out).all(|record| record.source == Source::Exact));
    }

    #[test]
    fn the_held_out_part_is_chosen_by_the_position() {
        let mut dataset = Dataset::from_records(random_records(5000));
        dataset.shuffle(1);
        assert!(dataset.held_out.len() > 20 && dataset.held_out.len() < 250);
        for record in &dataset.held_out {
            assert!(Symmetry::all().all(|symmetry| is_held_out(symmetry.apply(record.board))));
        }
        assert!(dataset.train.iter().all(|record| !is_held_out(record.board)));
    }
}
