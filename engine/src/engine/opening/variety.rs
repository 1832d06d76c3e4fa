//! Games that differ, within one bound on the loss of a side in a game.
//!
//! A session remembers the positions that its games reached. In the book, some lines of moves within the bound are
//! drawn, and one of the new positions at their ends is the aim. After the end of the book the first moves are drawn
//! from equally good moves of the search, and more of them until the game differs from earlier ones. The bound is one
//! for all choices of a side: half a disc at each of twenty moves would be ten.

use std::collections::{BTreeMap, HashMap, HashSet, hash_map};

use crate::board::{Board, Game, Move, Score, Square};
use crate::book::policy::loss;
use crate::book::{Book, BookError, BookKey, BookMove, Canonical, Entry};
use crate::search::{Line, SearchResult};
use crate::util::rng::Rng;

/// The number of book lines drawn for a choice.
const TRIES: u32 = 50;
/// The growth of the bound, in discs, when all lines within it were played, and the number of steps.
const WIDENED: f64 = 0.25;
const WIDENINGS: u32 = 8;
/// The number of moves that a side draws after the end of the book.
const DRAWN: u32 = 6;
/// The number of best moves for each draw.
const LINES: usize = 3;
/// The least bound for a comparison of moves, in discs: few moves are as close.
const LEAST: f64 = 0.1;
/// The growth of the bound, in discs, with each drawn move that repeats an earlier game.
const GROWTH: f64 = 0.5;

/// Chooses among good moves so that the games of a session differ.
#[derive(Debug)]
pub struct Variety {
    bound: Score,
    /// The positions that games of the session reached.
    reached: HashSet<BookKey>,
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
        let bound = Score::nearest(discs);
        Self {
            bound,
            reached: HashSet::new(),
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
                *side = Side {
                    lost: side.lost + *lost,
                    drawn: side.drawn + u32::from(*is_drawn),
                };
            }
            self.sides.swap(0, 1);
        }
        let boards = game.positions().iter().map(|position| position.board);
        self.reached
            .extend(boards.filter_map(Canonical::of).map(Canonical::key));
    }

    /// A move of the book's `entry` of `board`: the first of a line to a new position. All drawn new positions are
    /// equally likely.
    pub fn choose(
        &mut self,
        book: &Book,
        board: Board,
        entry: &Entry,
        rng: &mut Rng,
    ) -> Result<Option<BookMove>, BookError> {
        // Most lines share their first moves.
        let mut known = HashMap::from([(board, Some(entry.clone()))]);
        let mut choice = None;
        for widening in 0..=WIDENINGS {
            let bound = self.bound + Score::nearest(WIDENED * f64::from(widening));
            let mut ends: BTreeMap<Board, BookMove> = BTreeMap::new();
            for _ in 0..TRIES {
                // The book estimates that an unknown move is better: the search decides.
                let Some((mv, end)) = self.line(book, board, &mut known, bound, rng)? else {
                    return Ok(None);
                };
                choice = choice.or(Some(mv));
                ends.entry(end.canonical().0).or_insert(mv);
            }
            let new: Vec<BookMove> = ends
                .into_iter()
                .filter(|(end, _)| self.is_new(*end))
                .map(|(_, mv)| mv)
                .collect();
            if !new.is_empty() {
                choice = Some(new[rng.below(new.len() as u32) as usize]);
                break;
            }
        }
        if let Some(mv) = choice {
            let lost = loss(entry, &mv).unwrap_or_default();
            self.remember(
                board,
                Move::Place(mv.square),
                Chosen {
                    lost,
                    is_drawn: false,
                },
            );
        }
        Ok(choice)
    }

    /// A random line of the book in which each side loses no more than its rest of `bound`: the first move and the last
    /// position. `known` gets the entries of its positions.
    fn line(
        &self,
        book: &Book,
        mut board: Board,
        known: &mut HashMap<Board, Option<Entry>>,
        bound: Score,
        rng: &mut Rng,
    ) -> Result<Option<(BookMove, Board)>, BookError> {
        let mut left = self.sides.map(|side| (bound - side.lost).max(Score::ZERO));
        let mut first = None;
        while let Some(Some(entry)) = known.get(&board) {
            let near = |mv: &&BookMove| loss(entry, mv).is_some_and(|lost| lost <= left[0]);
            let moves: Vec<&BookMove> = entry.moves.iter().filter(near).collect();
            if moves.is_empty() {
                break;
            }
            let mv = *moves[rng.below(moves.len() as u32) as usize];
            first = first.or(Some(mv));
            left = [left[1], left[0] - loss(entry, &mv).unwrap_or_default()];
            board = board
                .play(mv.square)
                .expect("the moves of a book are legal");
            if !mv.is_linked() {
                break;
            }
            if let hash_map::Entry::Vacant(place) = known.entry(board) {
                place.insert(
                    book.probe(board)?
                        .filter(|found| !found.passed)
                        .map(|found| found.entry),
                );
            }
        }
        Ok(first.map(|mv| (mv, board)))
    }

    /// The number of best moves for a search of `board` to compare: more than one for the first moves after the book,
    /// and for positions of earlier games.
    pub fn search_lines(&self, board: Board) -> usize {
        let tried = board
            .moves()
            .iter()
            .filter(|&square| !self.leads_on(board, square))
            .count();
        if self.reach(tried > 0) < LEAST || self.sides[0].drawn >= DRAWN && tried == 0 {
            return 1;
        }
        LINES
            .max(tried + 1)
            .min(board.moves().len() as usize)
            .max(1)
    }

    /// Replaces the best move of such a search by a random one within the bound, if possible to a new position. A game
    /// that repeats an earlier one gets the best such move within a wider bound.
    pub fn draw(&mut self, board: Board, result: &mut SearchResult, rng: &mut Rng) {
        let lines = &mut result.info.lines;
        let Some(best) = lines.first() else { return };
        // A stopped iteration may have lines of the one before it.
        let depth = best.depth;
        let highest = best.bound;
        let lost = |line: &Line| (highest - line.bound).discs();
        let is_new = |line: &Line| match line.pv.first() {
            Some(Move::Place(square)) => self.leads_on(board, *square),
            _ => false,
        };
        let reach = self.reach(
            board
                .moves()
                .iter()
                .any(|square| !self.leads_on(board, square)),
        );
        let wider = reach + GROWTH * f64::from(self.sides[0].drawn);
        let (new, old): (Vec<usize>, Vec<usize>) = (0..lines.len())
            .filter(|&at| lines[at].depth == depth && lost(&lines[at]) <= wider)
            .partition(|&at| is_new(&lines[at]));
        let near = |moves: &[usize]| -> Vec<usize> {
            moves
                .iter()
                .copied()
                .filter(|&at| lost(&lines[at]) <= reach)
                .collect()
        };
        let choice = match (near(&new), new.first()) {
            (near, Some(&first)) if near.is_empty() => vec![first],
            (near, Some(_)) => near,
            (_, None) => near(&old),
        };
        if choice.is_empty() {
            return;
        }
        lines.swap(0, choice[rng.below(choice.len() as u32) as usize]);
        result.best = lines[0].pv.first().copied();
        let lost = highest - lines[0].bound;
        if let Some(mv) = result.best {
            self.remember(
                board,
                mv,
                Chosen {
                    lost,
                    is_drawn: true,
                },
            );
        }
    }

    /// The largest loss of a drawn move, in discs. After a position of an earlier game a new move may lose the whole
    /// bound.
    fn reach(&self, is_tried: bool) -> f64 {
        let lost = if is_tried {
            Score::ZERO
        } else {
            self.sides[0].lost
        };
        (self.bound - lost).discs().max(0.0)
    }

    /// Whether a move leads to a new position.
    fn leads_on(&self, board: Board, square: Square) -> bool {
        board.play(square).is_none_or(|after| self.is_new(after))
    }

    fn is_new(&self, board: Board) -> bool {
        Canonical::of(board).is_none_or(|canonical| !self.reached.contains(&canonical.key()))
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
    use crate::book::{BookEditor, Record};
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
                .choose(book, board, &found.entry, rng)
                .unwrap()
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
        for _ in 0..20 * ends.len() {
            *counts
                .entry(play(&mut Variety::new(0.5), &book, &mut rng).0)
                .or_default() += 1;
        }
        assert!(ends.iter().all(|end| counts.contains_key(end)) && counts.len() == ends.len());
        assert!(
            counts.values().all(|&times| (2..=80).contains(&times)),
            "each about 20 times: {counts:?}"
        );
    }

    #[test]
    fn a_session_repeats_no_end_and_looks_further_once_all_were_played() {
        let folder = TempDir::new().unwrap();
        let book = wide_book(&folder);
        let [within, wider] = [64, 96].map(|left| ends_of(&book, Board::START, [left; 2]).len());
        assert!(wider > within + 3, "{within} {wider}");
        let mut variety = Variety::new(0.5);
        let mut rng = Rng::new(3);
        let mut seen = HashSet::new();
        for number in 0..within + 3 {
            let (end, lost) = play(&mut variety, &book, &mut rng);
            assert!(
                seen.insert(end),
                "game {number} of {within} and some is an earlier one"
            );
            assert!(
                number > within / 2 || lost.iter().all(|&lost| lost <= 64),
                "{lost:?}"
            );
        }
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
        // Images of positions are the same.
        assert!(!variety.leads_on(Board::START, "c4".parse().unwrap()));
        assert!(!variety.leads_on(game("d3").position().board, "c5".parse().unwrap()));
        assert!(variety.leads_on(game("d3").position().board, "c3".parse().unwrap()));
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
    fn a_new_move_comes_first_and_a_long_repetition_widens_the_bound() {
        let mut rng = Rng::new(1);
        let scores = [(1.0, 8), (0.6, 8), (0.0, 8), (-3.0, 8)];
        let board = game("f5f6").position().board;
        let tried = |variety: &mut Variety, indices: &[usize]| {
            let moves: Vec<Square> = board.moves().iter().collect();
            for &index in indices {
                variety.look(&game(&format!("f5f6{}", moves[index])));
            }
        };
        for _ in 0..50 {
            let mut variety = Variety::new(0.5);
            tried(&mut variety, &[0]);
            assert_eq!(
                drawn(&mut variety, &mut rng, &scores),
                1,
                "the only new one within the bound"
            );
            assert_eq!(variety.search_lines(board), 3);
            tried(&mut variety, &[1]);
            assert!(drawn(&mut variety, &mut rng, &scores) < 2, "none");
        }
        let mut variety = Variety::new(0.5);
        let first = Chosen {
            lost: Score::ZERO,
            is_drawn: true,
        };
        variety.remember(Board::START, Move::Place("f5".parse().unwrap()), first);
        tried(&mut variety, &[0, 1]);
        assert_eq!(
            drawn(&mut variety, &mut rng, &scores),
            2,
            "within half a disc more a move"
        );
        tried(&mut variety, &[2]);
        assert!(drawn(&mut variety, &mut rng, &scores) < 2);
    }

    #[test]
    fn it_ends_some_moves_after_the_book_unless_an_earlier_game_has_been_there() {
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
        variety.look(&game("f5f6e6"));
        assert_eq!(lines(&mut variety, 9), 3);
        assert_eq!(Variety::new(0.05).search_lines(board), 1);
        variety.sides[0].lost = Score::from_discs(1);
        assert_eq!(
            variety.search_lines(board),
            3,
            "where a game has been, the whole bound counts"
        );
    }
}
