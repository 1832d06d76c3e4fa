//! How many lines of a book begin with a move: chosen by line and not by move, games repeat as rarely as can be.

use std::collections::HashMap;

use crate::board::Board;
use crate::book::policy::is_near;
use crate::book::{Book, BookError, BookKey, BookMove, Canonical};

/// Positions that are looked at for one choice; what lies beyond counts as one line. Some 0.1 s, once in a game.
const BUDGET: usize = 20_000;

/// The lines of moves that each lose at most so many discs, counted once per position.
#[derive(Debug)]
pub struct Lines {
    reach: f64,
    counts: HashMap<BookKey, f64>,
}

impl Lines {
    /// Of moves that each lose at most so many discs.
    pub fn within(reach: f64) -> Self {
        Self { reach, counts: HashMap::new() }
    }

    /// The book has changed.
    pub fn forget(&mut self) {
        self.counts.clear();
    }

    /// Lines that begin with a move of `board`: one where the book ends after it.
    ///
    /// # Errors
    /// When the part of the book that would tell is damaged.
    pub fn after(&mut self, book: &Book, board: Board, mv: &BookMove) -> Result<f64, BookError> {
        let mut left = BUDGET;
        self.count_after(book, board, mv, &mut left)
    }

    fn count_after(
        &mut self,
        book: &Book,
        board: Board,
        mv: &BookMove,
        left: &mut usize,
    ) -> Result<f64, BookError> {
        let is_linked = mv.score.is_some_and(|score| score.linked);
        let after = board.play(mv.square).filter(|_| is_linked).and_then(Canonical::of);
        let Some(after) = after else { return Ok(1.0) };
        let key = after.key();
        if let Some(count) = self.counts.get(&key) {
            return Ok(*count);
        }
        if *left == 0 {
            return Ok(1.0);
        }
        *left -= 1;
        let mut count = 0.0;
        if let Some(entry) = book.entry(key)? {
            let reach = self.reach;
            for mv in entry.moves.iter().filter(|mv| is_near(&entry, mv, reach)) {
                count += self.count_after(book, after.board, mv, left)?;
            }
        }
        let count = f64::max(count, 1.0);
        self.counts.insert(key, count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Score, Square, squares};
    use crate::book::{Answer, Record, USUAL_LEVEL};
    use crate::engine::{BookOptions, Opening};

    /// All lines by plain recursion over the rules.
    fn counted(book: &Book, board: Board, reach: f64) -> f64 {
        let Some(found) = book.probe(board).unwrap() else { return 1.0 };
        let near = found.entry.moves.iter().filter(|mv| is_near(&found.entry, mv, reach));
        let lines: f64 = near
            .map(|mv| match mv.score {
                Some(score) if score.linked => counted(book, board.play(mv.square).unwrap(), reach),
                _ => 1.0,
            })
            .sum();
        lines.max(1.0)
    }

    /// All positions of four plies, with scores that do not lie far apart.
    fn wide_book(folder: &std::path::Path) -> Book {
        std::fs::create_dir_all(folder).unwrap();
        let mut book = Book::edit(&folder.join("wide.book")).unwrap();
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
        let folder = std::env::temp_dir().join(format!("emilia-lines-{}", std::process::id()));
        let book = wide_book(&folder);
        let mut lines = Lines::within(0.5);
        let first = book.probe(Board::START).unwrap().unwrap().entry.moves[0];
        let count = lines.after(&book, Board::START, &first).unwrap();
        assert_eq!(count, counted(&book, Board::START.play(first.square).unwrap(), 0.5));
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
        assert_eq!(seen.len() as f64, count, "every line comes up");
        assert!(seen.values().all(|&times| (10..=90).contains(&times)), "each about 40 times: {seen:?}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
