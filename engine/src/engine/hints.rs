//! The values of a position's moves by searches and by the book: the best-founded value of each move stays.

use std::cmp::Reverse;

use super::opening::BookLine;
use crate::board::Move;
use crate::search::{Info, Line, Proof, Selectivity};

/// The rank of a value: proven values before others, then by depth, then by selectivity. A book value, which includes
/// searches of later positions, ranks before a search of its level. A bound ranks last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Worth {
    proof: u8,
    depth: u8,
    selectivity: Selectivity,
    is_book: bool,
}

/// The value of a move, the first of its line.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// The line.
    pub line: Line,
    /// For a value of the book: the games in which the move was played.
    pub games: Option<u64>,
}

impl Worth {
    /// The rank of a search's line.
    pub fn of(line: &Line) -> Self {
        let Line {
            depth, selectivity, ..
        } = *line;
        // The depth of a proof does not matter.
        let (proof, depth, selectivity) = match line.proof {
            Proof::AtLeast | Proof::AtMost => (0, depth, selectivity),
            Proof::None => (1, depth, selectivity),
            Proof::WinLossDraw => (2, 0, Selectivity::Full),
            Proof::Exact => (3, 0, Selectivity::Full),
        };
        Self {
            proof,
            depth,
            selectivity,
            is_book: false,
        }
    }
}

impl Hint {
    /// The value of a book's line; `None` if the move has only games.
    pub fn of_book(book: &BookLine) -> Option<Self> {
        let score = book.score?;
        let level = book.level?;
        let line = Line {
            pv: book.pv.clone(),
            bound: score,
            depth: level.depth,
            selectivity: Selectivity::at_most(level.percent.into()),
            // Another program's proof is not verified.
            proof: if level.exact && level.origin.is_none() {
                Proof::Exact
            } else {
                Proof::None
            },
        };
        Some(Self {
            line,
            games: Some(book.games.count()),
        })
    }

    /// The rank of its value.
    pub fn worth(&self) -> Worth {
        Worth {
            is_book: self.is_book(),
            ..Worth::of(&self.line)
        }
    }

    /// Whether the value is the book's.
    pub fn is_book(&self) -> bool {
        self.games.is_some()
    }

    /// The move.
    pub fn mv(&self) -> Option<Move> {
        self.line.pv.first().copied()
    }
}

/// The best-founded value of each move of one position.
#[derive(Clone, Debug, Default)]
pub struct Hints(Vec<Hint>);

impl Hints {
    /// Adds a book's lines of the position.
    pub fn add_book(&mut self, lines: &[BookLine]) {
        for hint in lines.iter().filter_map(Hint::of_book) {
            self.offer(hint);
        }
    }

    /// Stores `hint` unless the move has a value of higher rank; returns whether it did.
    pub fn offer(&mut self, hint: Hint) -> bool {
        match self.0.iter_mut().find(|known| known.mv() == hint.mv()) {
            Some(known) if known.worth() > hint.worth() => false,
            Some(known) => {
                *known = hint;
                true
            }
            None => {
                self.0.push(hint);
                true
            }
        }
    }

    /// Adds an iteration and returns the best `count` moves, best first.
    ///
    /// Moves with a value of higher rank lead: that value was already compared with the others.
    pub fn improve(&mut self, info: &Info, count: usize) -> Vec<&Hint> {
        let mut worth = None;
        for line in &info.lines {
            let hint = Hint {
                line: line.clone(),
                games: None,
            };
            worth = worth.max(Some(hint.worth()));
            self.offer(hint);
        }
        let mut best: Vec<&Hint> = self
            .0
            .iter()
            .filter(|hint| Some(hint.worth()) > worth)
            .collect();
        let worthiest = |is_book| {
            best.iter()
                .filter(|hint| hint.is_book() == is_book)
                .map(|hint| hint.worth())
                .max()
        };
        let book_leads = worthiest(true) >= worthiest(false);
        best.sort_by_key(|hint| {
            // A book compares its moves with each other at any depth; searches of several depths do not.
            let depth = (!hint.is_book()).then(|| hint.worth());
            Reverse((hint.is_book() == book_leads, depth, hint.line.bound))
        });
        let found = info
            .lines
            .iter()
            .filter_map(|line| self.0.iter().find(|hint| hint.line == *line));
        best.extend(found.filter(|hint| !hint.is_book()));
        best.truncate(count);
        best
    }

    /// The lines of [`Hints::improve`], as those of a search.
    pub fn improved(&mut self, info: &Info, count: usize) -> Info {
        let lines = self
            .improve(info, count)
            .into_iter()
            .map(|hint| hint.line.clone())
            .collect();
        Info { lines, ..*info }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::time::Duration;

    use super::*;
    use crate::board::{Score, Square};
    use crate::util::rng::Rng;

    fn line(square: u8, units: i32, depth: u8, selectivity: Selectivity, proof: Proof) -> Line {
        let pv = vec![Move::Place(Square::new(square).unwrap())];
        Line {
            pv,
            bound: Score::from_units(units),
            depth,
            selectivity,
            proof,
        }
    }

    fn found(square: u8, units: i32, depth: u8) -> Line {
        line(square, units, depth, Selectivity::P73, Proof::None)
    }

    fn info(lines: Vec<Line>) -> Info {
        Info {
            lines,
            nodes: 1,
            time: Duration::ZERO,
        }
    }

    #[test]
    fn proven_then_deeper_then_surer_then_the_book() {
        let search = |depth, selectivity, proof| Worth::of(&line(0, 0, depth, selectivity, proof));
        let book = |depth| {
            Hint {
                line: found(0, 0, depth),
                games: Some(0),
            }
            .worth()
        };
        let order = [
            search(24, Selectivity::P73, Proof::AtLeast),
            search(1, Selectivity::P73, Proof::None),
            search(24, Selectivity::P52, Proof::None),
            search(24, Selectivity::P73, Proof::None),
            book(24),
            search(24, Selectivity::P87, Proof::None),
            search(25, Selectivity::P73, Proof::None),
            search(20, Selectivity::Full, Proof::WinLossDraw),
            search(20, Selectivity::Full, Proof::Exact),
        ];
        assert!(order.is_sorted_by(|a, b| a < b));
        let exact = |depth| search(depth, Selectivity::Full, Proof::Exact);
        assert_eq!(exact(8), exact(30));
    }

    #[test]
    fn what_is_told_of_a_move_never_gets_worse() {
        let mut rng = Rng::new(36);
        for _ in 0..2_000 {
            let mut hints = Hints::default();
            let mut best_known: HashMap<Move, Worth> = HashMap::new();
            for _ in 0..rng.below(30) {
                let count = 1 + rng.below(5) as u8;
                let depth = 1 + rng.below(30) as u8;
                let selectivity = Selectivity::ALL[rng.below(7) as usize];
                let proof = [Proof::None, Proof::None, Proof::WinLossDraw, Proof::Exact]
                    [rng.below(4) as usize];
                let lines: Vec<Line> = (0..count)
                    .map(|square| {
                        line(
                            square,
                            rng.below(500) as i32 - 250,
                            depth,
                            selectivity,
                            proof,
                        )
                    })
                    .collect();
                if rng.below(4) == 0 {
                    let book = Hint {
                        line: lines[0].clone(),
                        games: Some(3),
                    };
                    hints.offer(book);
                }
                let asked = 1 + rng.below(5) as usize;
                let best = hints.improve(&info(lines), asked);
                assert_eq!(best.len(), asked.min(best.len().max(count.into())));
                for hint in best {
                    let before = best_known.insert(hint.mv().unwrap(), hint.worth());
                    assert!(before <= Some(hint.worth()), "{hint:?} after {before:?}");
                }
            }
        }
    }

    #[test]
    fn a_book_leads_until_a_search_is_deeper() {
        let book = Hint {
            line: found(19, -120, 24),
            games: Some(7),
        };
        let mut hints = Hints::default();
        assert!(hints.offer(book.clone()));
        let shallow = [found(37, 340, 6), found(19, 220, 6)];
        let best = hints.improve(&info(shallow.to_vec()), 4);
        assert_eq!(
            best,
            [
                &book,
                &Hint {
                    line: shallow[0].clone(),
                    games: None
                }
            ]
        );
        assert_eq!(hints.improve(&info(shallow.to_vec()), 1), [&book]);
        let nothing = info(Vec::new());
        assert_eq!(hints.improve(&nothing, 1), [&book], "six plies do not lead");
        let deep = [found(37, 10, 25), found(19, 0, 25)];
        let best = hints.improve(&info(deep.to_vec()), 4);
        assert_eq!(
            best.iter().map(|hint| &hint.line).collect::<Vec<_>>(),
            deep.iter().collect::<Vec<_>>()
        );
        assert!(best.iter().all(|hint| !hint.is_book()));
    }
}
