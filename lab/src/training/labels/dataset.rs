//! Labeled positions in memory: no position twice under symmetry, a part held out.
//!
//! The positions of one line of play are similar, so whole lines are held out, and of those only positions that no other
//! line has. In addition one position in [`HOLD_OUT`] is never learned from, in any line, so that positions of other
//! sources can be known as new.

use std::ops::RangeInclusive;
use std::path::Path;

use anyhow::Result;

use crate::board::{Board, Square};
use crate::util::rng::Rng;

use super::correction::correct;
use super::records::{self, Record};

/// One line in this many is held out, and one canonical position in this many is never learned from.
const HOLD_OUT: u64 = 64;

#[derive(Debug, Default)]
pub struct Dataset {
    pub train: Vec<Record>,
    /// Never learned from: positions of lines that were held out whole.
    pub held_out: Vec<Record>,
    /// Positions in neither part: in a line to learn from, but never to be learned from themselves.
    pub set_aside: usize,
    /// Records dropped because the position stood there already with a label as good or better.
    pub duplicates: usize,
}

/// A number that depends on the position up to symmetry.
fn canonical_key(board: Board) -> u64 {
    let canonical = board.canonical().0;
    let mixed = Rng::new(canonical.player).next() ^ canonical.opponent;
    Rng::new(mixed).next()
}

/// Whether no fit learns from a position, from any file.
pub fn is_held_out(board: Board) -> bool {
    canonical_key(board).is_multiple_of(HOLD_OUT)
}

/// Whether one move leads from a position to another: a record and the next one of its line.
fn follows(before: Board, board: Board) -> bool {
    let placed = before.empties() & !board.empties();
    match placed.count_ones() {
        0 => before.pass() == board,
        1 => before.play(Square::lowest(placed)) == Some(board),
        _ => false,
    }
}

/// For each record whether its line is held out. The last position decides for the line: first ones are
/// often shared.
fn held_out_lines(records: &[Record]) -> Vec<bool> {
    let mut held = Vec::with_capacity(records.len());
    for line in records.chunk_by(|before, after| follows(before.board, after.board)) {
        let is_held = line.last().is_some_and(|last| is_held_out(last.board));
        held.extend(line.iter().map(|_| is_held));
    }
    held
}

impl Dataset {
    /// Reads record files, adds `more` and keeps positions with `empties`. Labels of the
    /// files' searches are corrected by this share of their measured errors.
    pub fn load(
        paths: &[impl AsRef<Path>],
        empties: RangeInclusive<u32>,
        share: f64,
        more: Vec<Record>,
    ) -> Result<Self> {
        let mut all = more;
        for path in paths {
            let mut records = records::read(path.as_ref())?;
            records.iter_mut().for_each(|record| correct(record, share));
            all.extend(records);
        }
        Ok(Self::from_records(all, empties))
    }

    /// Sorts out other numbers of empties, duplicates (the best label of a position stays) and what is not
    /// to be learned from. The records of a line follow each other.
    pub fn from_records(records: Vec<Record>, empties: RangeInclusive<u32>) -> Self {
        let held = held_out_lines(&records);
        let mut keyed: Vec<(u64, bool, Record)> = records
            .into_iter()
            .zip(held)
            .filter(|(record, _)| empties.contains(&record.board.empty_count()))
            .map(|(record, held)| (canonical_key(record.board), held, record))
            .collect();
        // Stable: of equal labels the first one read stays.
        keyed.sort_by_key(|(key, _, record)| (*key, std::cmp::Reverse(record.source)));
        let mut dataset = Self::default();
        for same in keyed.chunk_by(|(one, ..), (other, ..)| one == other) {
            let (key, _, best) = same[0];
            dataset.duplicates += same.len() - 1;
            match (
                same.iter().all(|(_, held, _)| *held),
                key.is_multiple_of(HOLD_OUT),
            ) {
                (true, _) => dataset.held_out.push(best),
                (false, true) => dataset.set_aside += 1,
                (false, false) => dataset.train.push(best),
            }
        }
        dataset
    }
}

#[cfg(test)]
pub(in crate::training) mod tests {
    use std::collections::HashSet;

    use super::super::records::Source;
    use super::*;
    use crate::board::testing::game_boards;
    use crate::board::{Score, Symmetry};

    /// Positions of random games, labeled 0.
    pub fn random_records(count: usize) -> Vec<Record> {
        let record = |board| Record {
            board,
            score: Score::ZERO,
            source: Source::Search(4),
        };
        game_boards(7, usize::MAX).map(record).take(count).collect()
    }

    /// Lines of four positions each, from random games.
    fn random_lines(count: usize) -> Vec<Record> {
        random_records(count * 3 / 2)
            .chunks(6)
            .flat_map(|six| six.iter().take(4))
            .copied()
            .collect()
    }

    fn all(records: Vec<Record>) -> Dataset {
        Dataset::from_records(records, 0..=64)
    }

    #[test]
    fn symmetric_twins_are_one_and_the_better_label_stays() {
        let records = random_lines(2000);
        let single = all(records.clone());
        let mut doubled = records.clone();
        for record in &records {
            let board = Symmetry::new(5).unwrap().apply(record.board);
            doubled.push(Record {
                board,
                score: Score::from_discs(2),
                source: Source::Exact,
            });
        }
        let both = all(doubled);
        assert_eq!(
            (both.train.len(), both.held_out.len()),
            (single.train.len(), single.held_out.len())
        );
        assert!(
            both.train
                .iter()
                .chain(&both.held_out)
                .all(|record| record.source == Source::Exact)
        );
        let few = Dataset::from_records(records, 20..=30);
        assert!(
            few.train
                .iter()
                .all(|record| (20..=30).contains(&record.board.empty_count()))
        );
        assert!(few.train.len() > 100);
    }

    #[test]
    fn no_line_lies_on_both_sides() {
        let records = random_lines(60_000);
        let dataset = all(records.clone());
        assert!(
            (300..1500).contains(&dataset.held_out.len()),
            "{}",
            dataset.held_out.len()
        );
        assert!(dataset.set_aside > 300, "{}", dataset.set_aside);
        let keys = |part: &[Record]| {
            part.iter()
                .map(|r| canonical_key(r.board))
                .collect::<HashSet<u64>>()
        };
        let learned = keys(&dataset.train);
        let held = keys(&dataset.held_out);
        for line in records.chunk_by(|before, after| follows(before.board, after.board)) {
            let keys = || line.iter().map(|record| canonical_key(record.board));
            let own = |part: &HashSet<u64>| keys().filter(|key| part.contains(key)).count();
            let is_held = line.last().is_some_and(|last| is_held_out(last.board));
            assert!(
                is_held || own(&held) == 0,
                "a held-out position in a line that is learned from"
            );
        }
        assert!(learned.is_disjoint(&held));
        assert!(
            dataset
                .train
                .iter()
                .all(|record| !is_held_out(record.board))
        );
    }
}
