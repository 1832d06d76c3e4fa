//! The book as a graph in memory: values from the leaves up, and which positions are how far from best play.
//!
//! A move leads to a position with one disc more, so the keys, which begin with the count of discs, are in
//! order of play: one pass from the last key to the first gives every value, one from the first to the last
//! every cost of getting there. Transpositions are one node; a side without a move is passed over and its value
//! keeps its sign.

use std::collections::HashMap;

use super::entry::{Entry, MoveScore, Value};
use super::key::{BookKey, Canonical, representative};
use super::level::{SearchLevel, commonest};
use crate::board::{Board, Score, Square, squares};

/// A position of the graph.
#[derive(Clone, Debug)]
pub struct Node {
    /// The canonical position.
    pub board: Board,
    /// What is known of it.
    pub entry: Entry,
    /// Its moves, one of each set that the position's own symmetry makes equal.
    children: Vec<(Square, Child)>,
}

/// Where a move leads.
#[derive(Clone, Copy, Debug)]
enum Child {
    /// To the end of the game, with this score for the side that moved.
    End(Score),
    /// To a position; `again` if the side that moved is to move again, the other having passed.
    Position { key: BookKey, again: bool },
}

/// The book in memory.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: HashMap<BookKey, Node>,
    /// All keys, rising; empty when nodes were added since they were sorted.
    order: Vec<BookKey>,
}

impl Node {
    /// The node of a position of which nothing is known yet.
    pub(super) fn new(board: Board) -> Self {
        let mut children: Vec<(Square, Child)> = Vec::new();
        for square in squares(board.moves()) {
            let lowest = representative(board, square);
            if children.iter().all(|(other, _)| *other != lowest) {
                children.push((lowest, Child::of(board, lowest)));
            }
        }
        Self { board, entry: Entry::default(), children }
    }

    /// The node's moves that lead to positions, with the positions' keys.
    pub fn positions(&self) -> impl Iterator<Item = (Square, BookKey)> + '_ {
        self.children.iter().filter_map(|&(square, child)| match child {
            Child::Position { key, .. } => Some((square, key)),
            Child::End(_) => None,
        })
    }

    /// The values of its moves by where they lead, for the side that moves; `None` outside the book.
    ///
    /// `value_at` tells the value of a position of the book.
    pub(crate) fn links(&self, value_at: impl Fn(BookKey) -> Option<Value>) -> Vec<(Square, Option<Value>)> {
        let value = |child| match child {
            Child::End(score) => Some(Value::around(score, Score::from_discs(0))),
            Child::Position { key, again } => {
                value_at(key).map(|value| if again { value } else { value.turned() })
            }
        };
        self.children.iter().map(|&(square, child)| (square, value(child))).collect()
    }

    /// Brings the scores of the moves and the value up to date; tells whether the value changed.
    pub(crate) fn settle(&mut self, links: &[(Square, Option<Value>)]) -> bool {
        let before = self.entry.value;
        link(&mut self.entry, links);
        self.entry.value = value(&self.entry, links);
        self.entry.value != before
    }

    /// Moves whose worth is known only as "no better than the rest".
    pub fn has_unscored(&self) -> bool {
        let scored = |square| self.entry.move_at(square).is_some_and(|mv| mv.score.is_some());
        self.children.iter().any(|(square, _)| !scored(*square))
    }
}

impl Child {
    fn of(board: Board, square: Square) -> Self {
        let after = board.play(square).expect("the move is legal");
        match Canonical::of(after) {
            None => Self::End(Score::from_discs(-after.final_score())),
            Some(canonical) => Self::Position { key: canonical.key(), again: canonical.passed },
        }
    }
}

impl Graph {
    /// The graph of these entries; values are those of the entries until [`Graph::negamax`].
    pub fn new(entries: impl IntoIterator<Item = (BookKey, Entry)>) -> Self {
        let mut graph = Self::default();
        for (key, entry) in entries {
            if let Some(node) = graph.node_mut(key) {
                node.entry = entry;
            }
        }
        graph
    }

    /// How many positions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Without any position.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of a key.
    pub fn node(&self, key: BookKey) -> Option<&Node> {
        self.nodes.get(&key)
    }

    /// The entry of a key, put in empty if it is not there; `None` if the key is of no position with a move.
    pub fn entry_mut(&mut self, key: BookKey) -> Option<&mut Entry> {
        self.node_mut(key).map(|node| &mut node.entry)
    }

    fn node_mut(&mut self, key: BookKey) -> Option<&mut Node> {
        use std::collections::hash_map::Entry as Slot;
        match self.nodes.entry(key) {
            Slot::Occupied(held) => Some(held.into_mut()),
            Slot::Vacant(place) => {
                let board = key.board().filter(|board| board.moves() != 0)?;
                self.order.clear();
                Some(place.insert(Node::new(board)))
            }
        }
    }

    /// Takes a position out.
    pub fn remove(&mut self, key: BookKey) {
        if self.nodes.remove(&key).is_some() {
            self.order.clear();
        }
    }

    /// All keys in the order of play.
    pub fn keys(&mut self) -> &[BookKey] {
        if self.order.len() != self.nodes.len() {
            self.order = self.nodes.keys().copied().collect();
            self.order.sort_unstable();
        }
        &self.order
    }

    /// The level of most searches: a file says it once for all of them.
    pub fn usual_level(&self) -> Option<SearchLevel> {
        let mut counts: HashMap<SearchLevel, u64> = HashMap::new();
        let levels =
            self.nodes.values().filter_map(|node| node.entry.searched.map(|searched| searched.level));
        levels.for_each(|level| *counts.entry(level).or_default() += 1);
        commonest(counts)
    }

    /// The entries, by key, as a file takes them.
    pub fn into_entries(mut self) -> impl Iterator<Item = (BookKey, Entry)> {
        self.keys();
        let Self { mut nodes, order } = self;
        order.into_iter().filter_map(move |key| nodes.remove(&key).map(|node| (key, node.entry)))
    }

    /// Gives every move that stays in the book the value of the position it leads to, and every position the
    /// value of its best move with its bounds, from the last positions to the first.
    ///
    /// Returns how many values changed.
    pub fn negamax(&mut self) -> usize {
        self.keys();
        let order = std::mem::take(&mut self.order);
        let mut changed = 0;
        for key in order.iter().rev() {
            let links = self.nodes[key].links(|key| self.nodes.get(&key)?.entry.value);
            changed += usize::from(self.nodes.get_mut(key).expect("its key is listed").settle(&links));
        }
        self.order = order;
        changed
    }
}

/// Writes the values of the moves that stay in the book; a move that no longer does loses its score.
fn link(entry: &mut Entry, links: &[(Square, Option<Value>)]) {
    for &(square, value) in links {
        match value {
            Some(value) => {
                entry.move_mut(square).score = Some(MoveScore { score: value.value, linked: true })
            }
            None => {
                if let Some(mv) =
                    entry.move_at(square).filter(|mv| mv.score.is_some_and(|score| score.linked))
                {
                    let square = mv.square;
                    entry.move_mut(square).score = None;
                }
            }
        }
    }
    entry.drop_the_unknown();
    // What another program's book says of the other moves may be older than its values below: it is no bound on those.
    let best = entry.best().and_then(|mv| mv.score).map(|score| score.score);
    let leads_out = entry.outside().next().is_some();
    if let Some(searched) =
        entry.searched.as_mut().filter(|searched| searched.level.origin.is_some() && !leads_out)
    {
        searched.rest = best.map_or(searched.rest, |best| searched.rest.max(best));
    }
}

/// The value of a position from its moves: the best of the scores, between the best of the bounds.
///
/// When the best moves turned out worse than the search had thought, the next ones may be better: they are
/// reckoned as far below what the search found as a look says, or as is usual, until they are searched.
///
/// A score of the position's own search is wrong by up to the error of its level; so is its word that the moves
/// without a score are no better than the rest. Unsearched, those moves could be worth anything, and the
/// position has no value.
fn value(entry: &Entry, links: &[(Square, Option<Value>)]) -> Option<Value> {
    if let Some(searched) = entry.moveless() {
        return Some(Value::around(searched.rest, searched.level.error()));
    }
    let best = entry.best()?.score?.score;
    let unscored = |(square, _): &(Square, _)| entry.move_at(*square).is_none_or(|mv| mv.score.is_none());
    if entry.searched.is_none() && links.iter().any(unscored) {
        return None;
    }
    let is_look = |square| entry.move_at(square).is_some_and(|mv| entry.is_look(mv));
    let error = entry.searched.map(|searched| searched.level.error());
    let mut bounds = Value { value: best, lower: Score::MIN, upper: Score::MIN };
    let mut widen = |of: Value| {
        bounds.value = bounds.value.max(of.value);
        bounds.lower = bounds.lower.max(of.lower);
        bounds.upper = bounds.upper.max(of.upper);
    };
    for &(square, link) in links {
        let scored = entry.move_at(square).and_then(|mv| mv.score);
        match (link, scored, error) {
            (Some(link), _, _) => widen(link),
            (None, Some(score), Some(error)) if !is_look(square) => {
                widen(Value::around(score.score, error));
            }
            (None, look, _) => {
                let Some(searched) = entry.searched else { continue };
                let value = look.map_or(searched.unseen(), |look| look.score);
                let Value { upper, .. } = Value::around(searched.rest, searched.level.error());
                widen(Value { value, lower: Score::MIN, upper });
            }
        }
    }
    // The bounds of different moves may leave the best score on one side by rounding alone.
    bounds.lower = bounds.lower.min(bounds.value);
    bounds.upper = bounds.upper.max(bounds.value);
    Some(bounds)
}

#[cfg(test)]
mod tests {
    use super::super::runs::Runs;
    use super::*;
    use crate::book::{Answer, BookEditor, LearnedGame, SearchLevel, USUAL_LEVEL};
    use crate::util::rng::Rng;

    /// A graph of random play around the start, with made-up searches.
    fn random_graph(rng: &mut Rng, games: usize) -> Graph {
        let mut graph = Graph::default();
        for _ in 0..games {
            let mut board = Board::START;
            for _ in 0..rng.below(12) + 1 {
                let Some(canonical) = Canonical::of(board) else { break };
                let board_moves: Vec<Square> = squares(canonical.board.moves()).collect();
                let pick = |rng: &mut Rng| board_moves[rng.below(board_moves.len() as u32) as usize];
                let answer = Answer {
                    key: canonical.key(),
                    level: USUAL_LEVEL,
                    avoid: 0,
                    moves: vec![(pick(rng), Score::from_units(rng.below(2000) as i32 - 1000))],
                };
                let entry = graph.entry_mut(answer.key).unwrap();
                if entry.searched.is_none() {
                    entry.absorb(canonical.board, &answer);
                    if rng.below(2) == 0 {
                        let score = |rng: &mut Rng| Score::from_units(rng.below(900) as i32);
                        let moves = board_moves.iter().map(|&square| (square, score(rng))).collect();
                        let level = SearchLevel { depth: 8, ..USUAL_LEVEL };
                        entry.absorb(canonical.board, &Answer { level, moves, ..answer });
                    }
                }
                board = canonical.board.play(pick(rng)).unwrap();
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
        let node = graph.node(canonical.key())?;
        let sign = |v: (i32, i32, i32)| if canonical.passed { (-v.0, -v.2, -v.1) } else { v };
        let error = node.entry.searched.unwrap().level.error().units();
        let searched = node.entry.searched.unwrap();
        let rest = searched.rest.units();
        let unseen = rest - 128 * if searched.looked { 3 } else { 1 };
        let mut best = (i32::MIN, i32::MIN, i32::MIN);
        for square in squares(node.board.moves()) {
            let after = node.board.play(square).unwrap();
            let own = node.entry.move_at(representative(node.board, square)).and_then(|mv| mv.score);
            let (value, low, high) = match (recomputed(graph, after), own) {
                (Some((value, low, high)), _) => (-value, -high, -low),
                (None, Some(score)) if score.score < searched.rest => {
                    (score.score.units(), i32::MIN, (rest + error).min(8192))
                }
                (None, Some(score)) => {
                    let units = score.score.units();
                    (units, (units - error).max(-8192), (units + error).min(8192))
                }
                (None, None) => (unseen, i32::MIN, (rest + error).min(8192)),
            };
            best = (best.0.max(value), best.1.max(low), best.2.max(high));
        }
        Some(sign((best.0, best.1.min(best.0), best.2.max(best.0))))
    }

    #[test]
    fn values_are_those_of_plain_recursion() {
        let mut rng = Rng::new(1);
        for round in 0..20 {
            let mut graph = random_graph(&mut rng, 5 + 10 * round);
            assert!(graph.negamax() > 0 || graph.len() == 1);
            assert_eq!(graph.negamax(), 0, "a second pass finds nothing to change");
            for key in graph.keys().to_vec() {
                let node = graph.node(key).unwrap();
                let Value { value, lower, upper } = node.entry.value.unwrap();
                let want = recomputed(&graph, node.board).unwrap();
                assert_eq!((value.units(), lower.units(), upper.units()), want, "\n{}", node.board);
                assert_eq!(node.entry.fault(node.board), None);
            }
        }
    }

    #[test]
    fn a_sweep_over_files_gives_the_same_values() {
        let mut rng = Rng::new(3);
        for round in 0..6 {
            let folder = tempfile::TempDir::new().unwrap();
            let mut whole = random_graph(&mut rng, 200);
            let mut runs = Runs::new(tempfile::TempDir::new().unwrap());
            let mut own = Graph::default();
            for key in whole.keys().to_vec() {
                let entry = whole.node(key).unwrap().entry.clone();
                if round % 2 == 0 || rng.below(3) > 0 {
                    runs.push(key, entry.clone()).unwrap();
                }
                if round % 2 == 1 {
                    *own.entry_mut(key).unwrap() = entry;
                }
            }
            let mut book = BookEditor::open(&folder.path().join("swept.book")).unwrap();
            book.rewrite(0, own).unwrap();
            let changed = book.unite(&runs.finish().unwrap(), true, 7).unwrap();
            let expected = whole.negamax();
            if round % 2 == 0 {
                assert_eq!(changed, expected);
            }
            let entries = book.entries().unwrap();
            assert!(entries == whole.into_entries().collect::<Vec<_>>(), "round {round}");
            assert_eq!((book.games(), book.base().header().positions), (7, entries.len() as u64));
            assert_eq!(book.fold().unwrap(), 0, "a second pass finds nothing to change");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "the book and its journal");
        }
    }

    #[test]
    fn a_position_taken_out_leaves_no_score_behind() {
        let mut graph = random_graph(&mut Rng::new(2), 50);
        graph.negamax();
        let last = *graph.keys().last().unwrap();
        graph.remove(last);
        graph.negamax();
        for key in graph.keys().to_vec() {
            let node = graph.node(key).unwrap();
            for (square, child) in node.positions() {
                let linked = node.entry.move_at(square).and_then(|mv| mv.score).is_some_and(|s| s.linked);
                assert_eq!(linked, graph.node(child).is_some());
            }
        }
    }

    /// A position of random play in which a move leaves the other side without one.
    fn before_a_pass(rng: &mut Rng) -> (Node, Square, BookKey) {
        loop {
            let mut board = Board::START;
            while let Some(canonical) = Canonical::of(board) {
                let node = Node::new(canonical.board);
                let again = |(square, child): &(Square, Child)| match child {
                    Child::Position { key, again: true } => Some((*square, *key)),
                    _ => None,
                };
                if let Some((square, key)) = node.children.iter().find_map(again)
                    && node.children.iter().all(|(_, child)| matches!(child, Child::Position { .. }))
                {
                    return (node, square, key);
                }
                let (square, _) = node.children[rng.below(node.children.len() as u32) as usize];
                board = canonical.board.play(square).unwrap();
            }
        }
    }

    #[test]
    fn a_pass_keeps_the_side() {
        let mut rng = Rng::new(7);
        for _ in 0..20 {
            let (node, square, key) = before_a_pass(&mut rng);
            let start = Canonical::of(node.board).unwrap();
            let mut graph = Graph::default();
            for (key, score) in [(start.key(), -640), (key, 640)] {
                let to = key.board().unwrap();
                let mv = representative(to, squares(to.moves()).next().unwrap());
                let moves = vec![(mv, Score::from_units(score))];
                let answer = Answer { key, level: USUAL_LEVEL, avoid: 0, moves };
                graph.entry_mut(key).unwrap().absorb(to, &answer);
            }
            graph.negamax();
            let score = graph.node(start.key()).unwrap().entry.move_at(square).unwrap().score.unwrap();
            let there = graph.node(key).unwrap().entry.value.unwrap().value;
            assert_eq!((score.score, score.linked), (there, true), "\n{}", node.board);
        }
    }

    #[test]
    fn games_alone_give_no_value() {
        let game = LearnedGame { start: Board::START, moves: vec!["f5".parse().unwrap()], result: 2 };
        let mut graph = Graph::default();
        for (key, square, result) in game.steps() {
            graph.entry_mut(key).unwrap().move_mut(square).games.add(result);
        }
        graph.negamax();
        let key = Canonical::of(Board::START).unwrap().key();
        let entry = &graph.node(key).unwrap().entry;
        assert_eq!((entry.value, entry.games().count()), (None, 1));
        // A searched position below does not change that: the other moves may be anything.
        let after = Canonical::of(Board::START.play("f5".parse().unwrap()).unwrap()).unwrap();
        let below = after.board;
        let moves = vec![(after.forth(squares(below.moves()).next().unwrap()), Score::from_units(64))];
        let answer = Answer { key: after.key(), level: USUAL_LEVEL, avoid: 0, moves };
        graph.entry_mut(after.key()).unwrap().absorb(below, &answer);
        graph.negamax();
        let start = &graph.node(key).unwrap().entry;
        // All four first moves are one, so here nothing is left unscored.
        assert_eq!(start.value.unwrap().value, Score::from_units(-64));
        let second = &graph.node(after.key()).unwrap().entry;
        assert!(second.value.is_some());
    }
}
