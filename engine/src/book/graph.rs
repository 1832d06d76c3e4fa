//! The book as a graph in memory.
//!
//! A move leads to a position with one disc more, so the keys, which begin with the count of discs, are in order of
//! play: a pass from the last key to the first computes all values, a pass from the first to the last all costs of
//! reaching a position. Transpositions are one node; after a forced pass a value keeps its sign.

use std::collections::{BTreeMap, btree_map};

use super::entry::{BookMove, Entry, MoveScore, Value};
use super::journal::LearnedGame;
use super::key::{BookKey, Canonical, representative};
use crate::board::{Board, Score, Square};

/// A position of the graph.
#[derive(Clone, Debug)]
pub struct Node {
    /// The canonical position.
    pub board: Board,
    /// Its entry.
    pub entry: Entry,
    /// Its moves, one of each set that the position's own symmetry makes equal.
    children: Vec<(Square, Child)>,
}

/// The result of a move.
#[derive(Clone, Copy, Debug)]
enum Child {
    /// To the end of the game, with this score for the side that moved.
    End(Score),
    /// To a position; `again` if the side that moved is to move again, the other having passed.
    Position { key: BookKey, again: bool },
}

/// The book in memory, in the order of play.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The positions, in the order of play.
    pub nodes: BTreeMap<BookKey, Node>,
}

impl Node {
    /// The node of an unknown position.
    pub(super) fn new(board: Board) -> Self {
        let mut children: Vec<(Square, Child)> = Vec::new();
        for square in board.moves() {
            let lowest = representative(board, square);
            if children.iter().all(|(other, _)| *other != lowest) {
                children.push((lowest, Child::of(board, lowest)));
            }
        }
        Self {
            board,
            entry: Entry::default(),
            children,
        }
    }

    /// The node's moves that lead to positions, with the positions' keys.
    pub fn positions(&self) -> impl Iterator<Item = (Square, BookKey)> + '_ {
        self.children
            .iter()
            .filter_map(|&(square, child)| match child {
                Child::Position { key, .. } => Some((square, key)),
                Child::End(_) => None,
            })
    }

    /// The values of its moves by `value_at` of their positions, for the side that moves; `None` outside the book.
    pub fn links(
        &self,
        value_at: impl Fn(BookKey) -> Option<Value>,
    ) -> Vec<(Square, Option<Value>)> {
        let value = |child| match child {
            Child::End(score) => Some(Value::around(score, Score::from_discs(0))),
            Child::Position { key, again } => {
                value_at(key).map(|value| if again { value } else { value.turned() })
            }
        };
        self.children
            .iter()
            .map(|&(square, child)| (square, value(child)))
            .collect()
    }

    /// Updates the scores of the moves and the value; returns whether the value changed.
    pub fn update(&mut self, links: &[(Square, Option<Value>)]) -> bool {
        let before = self.entry.value;
        link(&mut self.entry, links);
        self.entry.value = value(&self.entry, links);
        self.entry.value != before
    }

    /// Whether a move has no score, only the bound on the rest.
    pub fn has_unscored(&self) -> bool {
        let scored = |square| {
            self.entry
                .move_at(square)
                .is_some_and(|mv| mv.score.is_some())
        };
        self.children.iter().any(|(square, _)| !scored(*square))
    }
}

impl Child {
    fn of(board: Board, square: Square) -> Self {
        let after = board.play(square).expect("the move is legal");
        match Canonical::of(after) {
            None => Self::End(Score::from_discs(-after.final_score())),
            Some(canonical) => Self::Position {
                key: canonical.key(),
                again: canonical.passed,
            },
        }
    }
}

impl Graph {
    /// The graph of these entries; values are those of the entries until [`Graph::negamax`].
    pub fn new(entries: impl IntoIterator<Item = (BookKey, Entry)>) -> Self {
        let mut graph = Self::default();
        for (key, entry) in entries {
            if let Some(place) = graph.entry_mut(key) {
                *place = entry;
            }
        }
        graph
    }

    /// The entry of a key, put in empty if it is not there; `None` if the key is of no position with a move.
    pub fn entry_mut(&mut self, key: BookKey) -> Option<&mut Entry> {
        let node = match self.nodes.entry(key) {
            btree_map::Entry::Occupied(held) => held.into_mut(),
            btree_map::Entry::Vacant(place) => {
                let board = key.board().filter(|board| !board.moves().is_empty())?;
                place.insert(Node::new(board))
            }
        };
        Some(&mut node.entry)
    }

    /// Adds a game to the moves that it counts.
    pub fn count(&mut self, game: &LearnedGame) {
        for (key, square, result) in game.steps() {
            if let Some(entry) = self.entry_mut(key) {
                entry.move_mut(square).games.add(result);
            }
        }
    }

    /// Recomputes all values, from the last positions to the first. Returns the number of changed values.
    pub fn negamax(&mut self) -> usize {
        let keys: Vec<BookKey> = self.nodes.keys().rev().copied().collect();
        let mut changed = 0;
        for key in keys {
            let links = self.nodes[&key].links(|key| self.nodes.get(&key)?.entry.value);
            changed += usize::from(
                self.nodes
                    .get_mut(&key)
                    .expect("its key is listed")
                    .update(&links),
            );
        }
        changed
    }
}

/// Writes the values of linked moves; a move whose position left the book loses its score.
fn link(entry: &mut Entry, links: &[(Square, Option<Value>)]) {
    for &(square, value) in links {
        if let Some(value) = value {
            entry.move_mut(square).score = Some(MoveScore::Linked(value.value));
        } else if entry.move_at(square).is_some_and(BookMove::is_linked) {
            entry.move_mut(square).score = None;
        }
    }
    entry.drop_the_unknown();
    // Another program's bound on the other moves may be older than the values below: it is at least those.
    let leads_out = entry.outside().next().is_some();
    if let Some(searched) = entry
        .searched
        .filter(|searched| searched.level.origin.is_some() && !leads_out)
    {
        entry.set_rest(searched.rest.max(entry.best_score()), searched.is_looked);
    }
}

/// The value of a position: the best score of its moves, between the best bounds.
///
/// A move without a search counts as the estimate of a look, or of [`Searched::unscored`](super::Searched). Scores and
/// the bound of a search err by up to the error of its level. Without a search, unscored moves leave the position no
/// value.
fn value(entry: &Entry, links: &[(Square, Option<Value>)]) -> Option<Value> {
    let error = entry.searched.map(|searched| searched.level.error());
    if let Some((score, error)) = entry.score_without_move().zip(error) {
        return Some(Value::around(score, error));
    }
    let best = entry.best_score()?;
    let score_of = |square| entry.move_at(square).and_then(|mv| mv.score);
    if entry.searched.is_none() && links.iter().any(|&(square, _)| score_of(square).is_none()) {
        return None;
    }
    let mut bounds = Value {
        value: best,
        lower: Score::MIN,
        upper: Score::MIN,
    };
    for &(square, link) in links {
        let of = match (link, score_of(square), entry.searched) {
            (Some(link), ..) => link,
            (None, Some(MoveScore::Searched(score)), Some(searched)) => {
                Value::around(score, searched.level.error())
            }
            (None, look, Some(searched)) => {
                let Some((rest, unscored)) = searched.rest.zip(searched.unscored()) else {
                    continue;
                };
                let Value { upper, .. } = Value::around(rest, searched.level.error());
                Value {
                    value: look.map_or(unscored, MoveScore::score),
                    lower: Score::MIN,
                    upper,
                }
            }
            (None, _, None) => continue,
        };
        bounds.value = bounds.value.max(of.value);
        bounds.lower = bounds.lower.max(of.lower);
        bounds.upper = bounds.upper.max(of.upper);
    }
    // The bounds of different moves may exclude the best score through rounding.
    bounds.lower = bounds.lower.min(bounds.value);
    bounds.upper = bounds.upper.max(bounds.value);
    Some(bounds)
}

#[cfg(test)]
mod tests {
    use super::super::large::Runs;
    use super::super::testing::scored;
    use super::*;
    use crate::board::testing::{nth, random_game};
    use crate::book::{Answer, BookEditor, SearchLevel, USUAL_LEVEL};
    use crate::util::rng::Rng;

    fn first_move(board: Board) -> Square {
        nth(board.moves().0, 0)
    }

    /// A graph of random play from ply `from`, with made-up searches and looks.
    fn random_graph(rng: &mut Rng, games: usize, from: usize) -> Graph {
        let mut graph = Graph::default();
        for _ in 0..games {
            let plies = rng.below(12) as usize + 1;
            for canonical in random_game(rng)
                .into_iter()
                .skip(from)
                .take(plies)
                .filter_map(Canonical::of)
            {
                let board = canonical.board;
                let entry = graph.entry_mut(canonical.key()).unwrap();
                if entry.searched.is_some() {
                    continue;
                }
                let mv = nth(board.moves().0, rng.below(board.moves().len()));
                entry.absorb(board, &scored(board, [(mv, rng.below(2000) as i32 - 1000)]));
                if rng.below(2) == 0 {
                    let moves = board
                        .moves()
                        .iter()
                        .map(|square| (square, rng.below(900) as i32));
                    let level = SearchLevel {
                        depth: 8,
                        ..USUAL_LEVEL
                    };
                    entry.absorb(
                        board,
                        &Answer {
                            level,
                            ..scored(board, moves)
                        },
                    );
                }
            }
        }
        graph
    }

    /// The value of a position by recursion over the rules, with nothing remembered but the searches.
    fn recomputed(graph: &Graph, board: Board) -> Option<(i32, i32, i32)> {
        let Some(canonical) = Canonical::of(board) else {
            let discs = board.final_score() * Score::DISC;
            return Some((discs, discs, discs));
        };
        let node = graph.nodes.get(&canonical.key())?;
        let sign = |v: (i32, i32, i32)| {
            if canonical.passed {
                (-v.0, -v.2, -v.1)
            } else {
                v
            }
        };
        let searched = node.entry.searched.unwrap();
        let error = searched.level.error().units();
        let rest = searched.rest.unwrap().units();
        let unscored = rest - 128 * if searched.is_looked { 3 } else { 1 };
        let mut best = (i32::MIN, i32::MIN, i32::MIN);
        for square in node.board.moves() {
            let after = node.board.play(square).unwrap();
            let own = node
                .entry
                .move_at(representative(node.board, square))
                .and_then(|mv| mv.score);
            let units = own.map_or(unscored, |own| own.score().units());
            let (value, low, high) = match recomputed(graph, after) {
                Some((value, low, high)) => (-value, -high, -low),
                None if own.is_none() || units < rest => {
                    (units, i32::MIN, (rest + error).min(8192))
                }
                None => (units, (units - error).max(-8192), (units + error).min(8192)),
            };
            best = (best.0.max(value), best.1.max(low), best.2.max(high));
        }
        Some(sign((best.0, best.1.min(best.0), best.2.max(best.0))))
    }

    #[test]
    fn values_are_those_of_plain_recursion() {
        let mut rng = Rng::new(1);
        let mut passes = 0;
        for round in 0..20 {
            let mut graph = random_graph(&mut rng, 5 + 10 * round, 24 * (round % 3));
            assert!(graph.negamax() > 0 || graph.nodes.len() == 1);
            assert_eq!(graph.negamax(), 0, "a second pass finds nothing to change");
            for node in graph.nodes.values() {
                let Value {
                    value,
                    lower,
                    upper,
                } = node.entry.value.unwrap();
                let want = recomputed(&graph, node.board).unwrap();
                assert_eq!(
                    (value.units(), lower.units(), upper.units()),
                    want,
                    "\n{}",
                    node.board
                );
                assert_eq!(node.entry.fault(node.board), None);
                let is_pass = |child| matches!(child, Child::Position { key, again: true } if graph.nodes.contains_key(&key));
                passes += node
                    .children
                    .iter()
                    .filter(|(_, child)| is_pass(*child))
                    .count();
            }
        }
        assert!(
            passes > 20,
            "{passes} moves after which the other side passes"
        );
    }

    #[test]
    fn a_pass_over_files_gives_the_same_values() {
        let mut rng = Rng::new(3);
        for round in 0..6 {
            let folder = tempfile::TempDir::new().unwrap();
            let mut whole = random_graph(&mut rng, 200, 0);
            let mut runs = Runs::new(tempfile::TempDir::new().unwrap());
            let mut own = Graph::default();
            for (key, node) in &whole.nodes {
                let entry = node.entry.clone();
                if round % 2 == 0 || rng.below(3) > 0 {
                    runs.push(*key, entry.clone()).unwrap();
                }
                if round % 2 == 1 {
                    *own.entry_mut(*key).unwrap() = entry;
                }
            }
            let mut book = BookEditor::open(&folder.path().join("swept.book")).unwrap();
            book.rewrite(0, own).unwrap();
            let changed = book.unite(&runs.finish().unwrap(), true, 7).unwrap();
            let expected = whole.negamax();
            assert!(round % 2 == 1 || changed == expected);
            let entries = book.entries().unwrap();
            let count = entries.len() as u64;
            assert!(
                entries
                    .into_iter()
                    .eq(whole.nodes.into_iter().map(|(key, node)| (key, node.entry))),
                "round {round}"
            );
            assert_eq!((book.games(), book.base().header().positions), (7, count));
            assert_eq!(
                book.fold().unwrap(),
                0,
                "a second pass finds nothing to change"
            );
            assert_eq!(
                std::fs::read_dir(folder.path()).unwrap().count(),
                2,
                "the book and its journal"
            );
        }
    }

    #[test]
    fn a_removed_position_leaves_no_score_behind() {
        let mut graph = random_graph(&mut Rng::new(2), 50, 0);
        graph.negamax();
        graph.nodes.pop_last();
        graph.negamax();
        for node in graph.nodes.values() {
            for (square, child) in node.positions() {
                let is_linked = node.entry.move_at(square).is_some_and(BookMove::is_linked);
                assert_eq!(is_linked, graph.nodes.contains_key(&child));
            }
        }
    }

    #[test]
    fn games_alone_give_no_value() {
        let game = LearnedGame {
            start: Board::START,
            moves: vec!["f5".parse().unwrap()],
            result: 2,
        };
        let mut graph = Graph::default();
        graph.count(&game);
        graph.negamax();
        let key = Canonical::of(Board::START).unwrap().key();
        let entry = &graph.nodes.get(&key).unwrap().entry;
        assert_eq!((entry.value, entry.games().count()), (None, 1));
        // All four first moves are one, so a searched position below leaves nothing unscored.
        let after = Canonical::of(Board::START.play("f5".parse().unwrap()).unwrap()).unwrap();
        let answer = scored(after.board, [(first_move(after.board), 64)]);
        graph
            .entry_mut(after.key())
            .unwrap()
            .absorb(after.board, &answer);
        graph.negamax();
        let start = &graph.nodes.get(&key).unwrap().entry;
        assert_eq!(start.value.unwrap().value, Score::from_units(-64));
        assert!(graph.nodes.get(&after.key()).unwrap().entry.value.is_some());
    }
}
