//! How many lines of a book begin with a move: chosen by line and not by move, games repeat as rarely as can be.

use std::collections::HashMap;

use crate::board::{Board, Score};
use crate::book::policy::loss;
use crate::book::{Book, BookError, BookKey, BookMove, Canonical};

/// Positions that are looked at for one choice; what lies beyond counts as one line. Some 0.1 s, once in a game.
const BUDGET: usize = 20_000;

/// How many lines go on from positions of a book, counted once for each position and what the sides have left: only
/// counts that no budget cut short are kept.
#[derive(Debug, Default)]
pub struct Lines {
    counts: HashMap<(BookKey, [i32; 2]), f64>,
}

impl Lines {
    /// The book has changed.
    pub fn forget(&mut self) {
        self.counts.clear();
    }

    /// Lines that begin with a move of `board`, whose moves together lose no more than the side that plays it has
    /// `left` after it, and the other side: one where the book ends after it.
    ///
    /// # Errors
    /// When the part of the book that would tell is damaged.
    pub fn after(
        &mut self,
        book: &Book,
        board: Board,
        mv: &BookMove,
        left: [Score; 2],
    ) -> Result<f64, BookError> {
        let mut budget = BUDGET;
        self.count_after(book, board, mv, left.map(Score::units), &mut budget)
    }

    fn count_after(
        &mut self,
        book: &Book,
        board: Board,
        mv: &BookMove,
        [own, other]: [i32; 2],
        budget: &mut usize,
    ) -> Result<f64, BookError> {
        let is_linked = mv.score.is_some_and(|score| score.linked);
        let after = board.play(mv.square).filter(|_| is_linked).and_then(Canonical::of);
        let Some(after) = after else { return Ok(1.0) };
        let key = (after.key(), [other, own]);
        if let Some(count) = self.counts.get(&key) {
            return Ok(*count);
        }
        if *budget == 0 {
            return Ok(1.0);
        }
        *budget -= 1;
        let mut count = 0.0;
        if let Some(entry) = book.entry(after.key())? {
            for mv in &entry.moves {
                let Some(lost) = loss(&entry, mv).map(|lost| lost.units().max(0)) else { continue };
                if lost <= other {
                    count += self.count_after(book, after.board, mv, [other - lost, own], budget)?;
                }
            }
        }
        let count = f64::max(count, 1.0);
        // With nothing left something beyond may have been left out.
        if *budget > 0 {
            self.counts.insert(key, count);
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::board::{Game, Square, squares};
    use crate::book::{Answer, Record, USUAL_LEVEL};
    use crate::engine::{BookOptions, Opening};
    use tempfile::TempDir;

    /// All lines by plain recursion over the rules, each as its moves.
    fn lines_of(book: &Book, board: Board, [own, other]: [i32; 2]) -> Vec<Vec<Square>> {
        let mut lines = Vec::new();
        let found = book.probe(board).unwrap();
        for (mv, entry) in
            found.iter().flat_map(|found| found.entry.moves.iter().map(|mv| (mv, &found.entry)))
        {
            let lost = loss(entry, mv).expect("all moves were searched").units();
            if lost <= own {
                let after = board.play(mv.square).unwrap();
                let rest = lines_of(book, after, [other, own - lost]);
                lines.extend(rest.into_iter().map(|rest| [vec![mv.square], rest].concat()));
            }
        }
        if lines.is_empty() { vec![Vec::new()] } else { lines }
    }

    /// All positions of four plies, with scores that do not lie far apart.
    fn wide_book(folder: &TempDir) -> Book {
        let mut book = Book::edit(&folder.path().join("wide.book")).unwrap();
        let mut layer = vec![Board::START];
        for ply in 0..4 {
            let mut next = Vec::new();
            for board in layer {
                let canonical = Canonical::of(board).unwrap();
                let moves: Vec<Square> = squares(canonical.board.moves()).collect();
                let score = |index: usize| Score::from_units((index as i32 * 37 + ply * 11) % 90);
                let scored = moves.iter().enumerate().map(|(index, square)| (*square, score(index)));
                let (key, moves_scored) = (canonical.key(), scored.collect());
                let answer = Answer { key, level: USUAL_LEVEL, avoid: 0, moves: moves_scored };
                book.learn(&[Record::Answer(answer)]).unwrap();
                next.extend(moves.iter().filter_map(|&square| canonical.board.play(square)));
            }
            layer = next;
        }
        book.fold().unwrap();
        book
    }

    #[test]
    fn lines_are_counted_and_each_is_as_likely() {
        let folder = TempDir::new().unwrap();
        let book = wide_book(&folder);
        let mut lines = Lines::default();
        let bound = Score::from_units(64);
        let expected: HashSet<Vec<Square>> = lines_of(&book, Board::START, [64, 64]).into_iter().collect();
        let first = book.probe(Board::START).unwrap().unwrap().entry.moves[0];
        let count = lines.after(&book, Board::START, &first, [bound; 2]).unwrap();
        assert_eq!(
            count,
            expected.len() as f64,
            "the first move is the only one in the book, and costs nothing"
        );
        assert!(count > 20.0, "{count}");
        let path = book.path().to_owned();
        drop(book);
        let policy = crate::book::policy::Policy::Within(0.5);
        let mut opening = Opening::open(&BookOptions { path, policy, seed: 3 }).unwrap();
        let rounds = 40 * count as usize;
        let mut seen: HashMap<Vec<Square>, usize> = HashMap::new();
        for _ in 0..rounds {
            let (mut board, mut line) = (Board::START, Vec::new());
            while let Some(found) = opening.choose(board).unwrap() {
                let crate::board::Move::Place(square) = found.pv[0] else { unreachable!() };
                line.push(square);
                board = board.play(square).unwrap();
            }
            *seen.entry(line).or_default() += 1;
        }
        assert_eq!(
            seen.keys().cloned().collect::<HashSet<_>>(),
            expected,
            "every line comes up, and no other"
        );
        assert!(seen.values().all(|&times| (10..=90).contains(&times)), "each about 40 times: {seen:?}");
    }

    #[test]
    fn a_count_that_was_cut_short_is_not_remembered() {
        let folder = TempDir::new().unwrap();
        let book = wide_book(&folder);
        let first = book.probe(Board::START).unwrap().unwrap().entry.moves[0];
        let count = |lines: &mut Lines, mut budget: usize| {
            lines.count_after(&book, Board::START, &first, [64; 2], &mut budget).unwrap()
        };
        let whole = count(&mut Lines::default(), BUDGET);
        for budget in 0..40 {
            let mut lines = Lines::default();
            count(&mut lines, budget);
            assert_eq!(count(&mut lines, BUDGET), whole, "after {budget} positions");
        }
        // What was counted stays: small budgets get there, too.
        let mut lines = Lines::default();
        assert!((0..100).any(|_| count(&mut lines, 20) == whole));
    }

    #[test]
    fn a_session_repeats_no_line_and_looks_further_once_all_were_played() {
        let folder = TempDir::new().unwrap();
        let book = wide_book(&folder);
        let [within, wider] = [64, 96].map(|left| lines_of(&book, Board::START, [left; 2]).len());
        assert!(wider > within + 4, "{within} {wider}");
        let path = book.path().to_owned();
        drop(book);
        let policy = crate::book::policy::Policy::Within(0.5);
        let mut opening = Opening::open(&BookOptions { path, policy, seed: 3 }).unwrap();
        let mut seen = HashSet::new();
        for number in 0..within + 4 {
            let mut game = Game::default();
            loop {
                opening.look(&game);
                let Some(found) = opening.choose(game.position().board).unwrap() else { break };
                let crate::board::Move::Place(square) = found.pv[0] else { unreachable!() };
                game.play_square(square).unwrap();
            }
            assert!(
                seen.insert(game.moves().to_vec()),
                "game {number} of {within} and some is an earlier one"
            );
        }
        // A game that begins outside the book has no lines to make room for: the bound is the policy's again.
        let outside = Board { player: 3 << 27, opponent: 3 << 35 };
        assert_eq!(opening.choose(outside).unwrap(), None, "no game of the book begins so");
        assert_eq!(opening.reach_of(outside), 0.5);
    }
}
