//! Games that differ: random moves within one bound on the loss of a side in a game.
//!
//! In the book a move is drawn from those within the bound. After the end of the book the first moves are drawn from the
//! best ones of the search. The bound is one for all choices of a side: half a disc at each of twenty moves would be ten.

use std::collections::HashMap;

use crate::board::{Board, Game, Move, Score, Square};
use crate::book::policy::{Policy, loss};
use crate::book::{BookKey, BookMove, Canonical, Entry};
use crate::search::{Line, SearchResult};
use crate::util::rng::Rng;

/// The number of moves that a side draws after the end of the book.
const DRAWN: u32 = 6;
/// The number of best moves for each draw.
const LINES: usize = 3;
/// The least bound for a comparison of moves, in discs: few moves are as close.
const LEAST: f64 = 0.1;

/// Chooses among good moves at random.
#[derive(Debug)]
pub struct Variety {
    bound: Score,
    /// The losses of chosen moves.
    choices: HashMap<(BookKey, Square), Chosen>,
    /// The side to move of the current game, and the other.
    sides: [Side; 2],
}

#[derive(Clone, Copy, Debug)]
struct Chosen {
    lost: Score,
    /// Whether it was drawn from a search, not from the book.
    is_drawn: bool,
}

/// The loss of a side's choices in a game, and the number of drawn moves.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    lost: Score,
    drawn: u32,
}

impl Variety {
    /// Variety within `discs` for each side and game.
    pub fn new(discs: f64) -> Self {
        Self {
            bound: Score::nearest(discs),
            choices: HashMap::new(),
            sides: Default::default(),
        }
    }

    /// Updates the state from the current game.
    pub fn look(&mut self, game: &Game) {
        self.sides = Default::default();
        for (position, &mv) in game.positions().iter().zip(game.moves()) {
            let choice = place(position.board, mv).and_then(|place| self.choices.get(&place));
            if let Some(Chosen { lost, is_drawn }) = choice {
                let side = &mut self.sides[0];
                side.lost = side.lost + *lost;
                side.drawn += u32::from(*is_drawn);
            }
            self.sides.swap(0, 1);
        }
    }

    /// A random move of the book's `entry` of `board` within the bound; `None` if the book estimates that an unknown move
    /// is better.
    pub fn choose(&mut self, board: Board, entry: &Entry, rng: &mut Rng) -> Option<BookMove> {
        let choice = Policy::Within(self.left()).choose(entry, rng)?;
        let chosen = Chosen {
            lost: loss(entry, &choice).unwrap_or_default(),
            is_drawn: false,
        };
        self.remember(board, Move::Place(choice.square), chosen);
        Some(choice)
    }

    /// The number of best moves for a search of `board` to compare: more than one for the first moves after the book.
    pub fn search_lines(&self, board: Board) -> usize {
        if self.left() < LEAST || self.sides[0].drawn >= DRAWN {
            return 1;
        }
        LINES.min(board.moves().len() as usize).max(1)
    }

    /// Replaces the best move of such a search by a random one within the bound.
    pub fn draw(&mut self, board: Board, result: &mut SearchResult, rng: &mut Rng) {
        let left = self.left();
        let lines = &mut result.info.lines;
        let Some(best) = lines.first() else { return };
        // A stopped iteration may have lines of the one before it.
        let depth = best.depth;
        let highest = best.bound;
        let is_near = |line: &Line| line.depth == depth && (highest - line.bound).discs() <= left;
        let near: Vec<usize> = (0..lines.len()).filter(|&at| is_near(&lines[at])).collect();
        lines.swap(0, near[rng.below(near.len() as u32) as usize]);
        result.best = lines[0].pv.first().copied();
        let chosen = Chosen {
            lost: highest - lines[0].bound,
            is_drawn: true,
        };
        if let Some(mv) = result.best {
            self.remember(board, mv, chosen);
        }
    }

    /// The discs that the side to move may still lose.
    fn left(&self) -> f64 {
        (self.bound - self.sides[0].lost).discs().max(0.0)
    }

    fn remember(&mut self, board: Board, mv: Move, choice: Chosen) {
        self.choices
            .extend(place(board, mv).map(|place| (place, choice)));
    }
}

/// A move in any image of its position.
fn place(board: Board, mv: Move) -> Option<(BookKey, Square)> {
    let canonical = Canonical::of(board)?;
    Some((canonical.key(), canonical.forth(mv.square()?)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tempfile::TempDir;

    use super::*;
    use crate::book::testing::{played as game, scored};
    use crate::book::{Book, BookEditor, Record};
    use crate::search::{Info, Proof, Selectivity};

    /// The positions at the ends of all lines, by plain recursion over the rules.
    fn ends_of(book: &Book, board: Board, [own, other]: [i32; 2]) -> Vec<Board> {
        let mut ends = Vec::new();
        for entry in book.probe(board).unwrap().iter().map(|found| &found.entry) {
            for mv in &entry.moves {
                let lost = loss(entry, mv).expect("all moves were searched").units();
                if lost <= own {
                    ends.extend(ends_of(
                        book,
                        board.play(mv.square).unwrap(),
                        [other, own - lost],
                    ));
                }
            }
        }
        if ends.is_empty() {
            ends.push(board.canonical().0);
        }
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// All positions of four plies, with close scores.
    fn wide_book(folder: &TempDir) -> BookEditor {
        let mut book = BookEditor::open(&folder.path().join("wide.book")).unwrap();
        let mut layer = vec![Board::START];
        for ply in 0..4 {
            let mut next = Vec::new();
            for board in layer {
                let canonical = Canonical::of(board).unwrap();
                let moves: Vec<Square> = canonical.board.moves().iter().collect();
                let score = |index: usize| (index as i32 * 37 + ply * 11) % 90;
                let moves_scored = moves
                    .iter()
                    .enumerate()
                    .map(|(index, square)| (*square, score(index)));
                book.learn(&[Record::Answer(scored(canonical.board, moves_scored))])
                    .unwrap();
                next.extend(
                    moves
                        .iter()
                        .filter_map(|&square| canonical.board.play(square)),
                );
            }
            layer = next;
        }
        book.fold().unwrap();
        book
    }

    /// Continues in the book: the last position, and the loss of each side.
    fn play(variety: &mut Variety, book: &Book, rng: &mut Rng) -> (Board, [i32; 2]) {
        let mut game = Game::default();
        let mut lost = [0; 2];
        loop {
            variety.look(&game);
            let board = game.position().board;
            let Some(found) = book.probe(board).unwrap() else {
                return (board.canonical().0, lost);
            };
            let mv = variety
                .choose(board, &found.entry, rng)
                .expect("the best is always near");
            lost[game.moves().len() % 2] += loss(&found.entry, &mv).unwrap().units();
            game.play_square(mv.square).unwrap();
        }
    }

    #[test]
    fn every_end_within_the_bound_comes_up_and_no_other() {
        let folder = TempDir::new().unwrap();
        let book = wide_book(&folder);
        let ends = ends_of(&book, Board::START, [64; 2]);
        assert!(ends.len() > 15, "{}", ends.len());
        let mut counts: HashMap<Board, usize> = HashMap::new();
        let mut rng = Rng::new(3);
        for _ in 0..200 * ends.len() {
            *counts
                .entry(play(&mut Variety::new(0.5), &book, &mut rng).0)
                .or_default() += 1;
        }
        assert!(ends.iter().all(|end| counts.contains_key(end)) && counts.len() == ends.len());
    }

    #[test]
    fn each_side_pays_once_for_each_choice_and_a_new_game_is_free() {
        let mut variety = Variety::new(0.5);
        let mut choose = |before: &str, mv: &str, units: i32| {
            let choice = Chosen {
                lost: Score::from_units(units),
                is_drawn: true,
            };
            variety.remember(
                game(before).position().board,
                Move::Place(mv.parse().unwrap()),
                choice,
            );
            [before.to_owned(), [before, mv].concat()].map(|moves| {
                variety.look(&game(&moves));
                variety.sides.map(|side| side.lost.units())
            })
        };
        assert_eq!(choose("", "f5", 40), [[0, 0], [0, 40]]);
        assert_eq!(
            choose("", "f5", 30),
            [[0, 0], [0, 30]],
            "asked again: it counts once"
        );
        assert_eq!(choose("f5", "d6", 5), [[0, 30], [30, 5]]);
        assert_eq!(choose("f5d6", "c3", 50), [[30, 5], [5, 80]]);
        variety.look(&game(""));
        assert_eq!(
            variety.sides.map(|side| (side.lost.units(), side.drawn)),
            [(0, 0); 2],
            "another game"
        );
    }

    fn result(scores: &[(f64, u8)]) -> SearchResult {
        let moves = game("f5f6").position().board.moves().iter();
        let line = |(&(discs, depth), square): (&(f64, u8), Square)| Line {
            pv: vec![Move::Place(square)],
            bound: Score::from_units((discs * 128.0) as i32),
            depth,
            selectivity: Selectivity::P73,
            proof: Proof::None,
        };
        let lines: Vec<Line> = scores.iter().zip(moves).map(line).collect();
        let best = lines[0].pv.first().copied();
        SearchResult {
            best,
            info: Info {
                lines,
                nodes: 1,
                time: Duration::ZERO,
            },
            stopped: false,
        }
    }

    fn drawn(variety: &mut Variety, rng: &mut Rng, scores: &[(f64, u8)]) -> usize {
        let before = result(scores);
        let mut after = result(scores);
        variety.look(&game("f5f6"));
        variety.draw(game("f5f6").position().board, &mut after, rng);
        assert_eq!(after.info.lines[0].pv.first(), after.best.as_ref());
        before
            .info
            .lines
            .iter()
            .position(|line| line.pv.first() == after.best.as_ref())
            .unwrap()
    }

    #[test]
    fn moves_within_the_bound_are_equally_likely_and_others_never_come() {
        let mut rng = Rng::new(1);
        let mut counts = [0; 4];
        for _ in 0..2_000 {
            let scores = [(1.0, 8), (0.5, 8), (0.4, 8), (1.0, 7)];
            counts[drawn(&mut Variety::new(0.5), &mut rng, &scores)] += 1;
        }
        assert!(
            (900..1_100).contains(&counts[0]) && counts[0] + counts[1] == 2_000,
            "{counts:?}"
        );
    }

    #[test]
    fn it_ends_some_moves_after_the_book_and_with_the_bound() {
        let mut variety = Variety::new(0.5);
        let board = game("f5f6").position().board;
        let lines = |variety: &mut Variety, drawn: u32| {
            variety.sides[0] = Side {
                lost: Score::ZERO,
                drawn,
            };
            variety.search_lines(board)
        };
        assert_eq!(
            [0, 5, 6, 7].map(|drawn| lines(&mut variety, drawn)),
            [3, 3, 1, 1]
        );
        assert_eq!(Variety::new(0.05).search_lines(board), 1);
        variety.sides[0] = Side {
            lost: Score::from_discs(1),
            drawn: 0,
        };
        assert_eq!(variety.search_lines(board), 1);
    }
}
