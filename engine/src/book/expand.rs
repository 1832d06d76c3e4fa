//! The positions to search next: drop-out expansion.
//!
//! Each ply and each lost disc on the way to a position has a cost, for both sides alike; the cheapest position comes
//! first. So the book follows best play deep, weaker lines less deep. A shallow look at all moves finds the weaker
//! lines.
//!
//! Source: Lincke, "Strategies for the automatic construction of opening books" (2000); here a ply costs a share of a
//! disc, and the cheapest path to a position counts.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::entry::{BookMove, MoveScore, Searched};
use super::graph::{Graph, Node};
use super::key::{BookKey, Canonical};
use super::level::SearchLevel;
use super::policy::loss;
use crate::board::{Board, Score, Square, SquareSet};

#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Cost of a ply: small values follow best play deep, large ones build wide.
    pub ply: Score,
    /// Positions that both sides together reach only by giving away more than this are ignored.
    pub loss: Score,
    pub empties: RangeInclusive<u32>,
    /// The least level: weaker searches are repeated at it.
    pub level: SearchLevel,
    pub grows: bool,
}

/// A question about a position. Looks precede searches of the same cost: they select the searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ask {
    /// A shallow comparison of all moves, at [`Plan::look_level`].
    Look,
    /// A search at the plan's level, without the moves `avoid`: for the next best move.
    Search { avoid: SquareSet },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub key: BookKey,
    pub ask: Ask,
    /// Cost of the way to it, in units of score.
    pub cost: Score,
}

/// Depth of a look, in plies, where searches are deeper than that.
const LOOK_DEPTH: u8 = 8;
/// Cost of a move that only games know, in units of score: people's moves lose about as much.
const UNKNOWN_LOSS: i32 = Score::DISC;

/// The least cost of a way to a position.
#[derive(Clone, Copy)]
struct Reached {
    cost: i32,
    /// The loss of both sides on that way.
    loss: i32,
}

const SEARCH: Ask = Ask::Search {
    avoid: SquareSet(0),
};

impl Default for Plan {
    /// A quarter of a disc a ply, four discs away from best play, down to 30 empties, at the usual level.
    fn default() -> Self {
        Self {
            ply: Score::from_units(Score::DISC / 4),
            loss: Score::from_discs(4),
            empties: 30..=60,
            level: super::USUAL_LEVEL,
            grows: true,
        }
    }
}

impl Plan {
    /// The level of looks, below that of the searches; `None` if there is no lower one.
    pub fn look_level(&self) -> Option<SearchLevel> {
        let depth = LOOK_DEPTH.min(self.level.depth / 2);
        (depth > 0).then_some(SearchLevel::own(depth, super::USUAL_LEVEL.percent))
    }

    /// The search for a question about `board`: its level, the excluded moves, and the number of moves to score.
    pub fn search(&self, ask: Ask, board: Board) -> (SearchLevel, SquareSet, usize) {
        match ask {
            Ask::Search { avoid } => (self.level, avoid, 1),
            Ask::Look => {
                let level = self
                    .look_level()
                    .expect("looks are asked for only where they have a level");
                (level, SquareSet(0), board.moves().len() as usize)
            }
        }
    }

    /// The `count` most urgent questions below `root`, in that order, without those that `skip` names.
    ///
    /// The graph's values must be up to date.
    pub fn wanted(
        &self,
        graph: &Graph,
        root: BookKey,
        count: usize,
        skip: &dyn Fn(BookKey, Ask) -> bool,
    ) -> Vec<Wanted> {
        let reached = self.reached(graph, root);
        let mut wanted: HashMap<(BookKey, Ask), i32> = HashMap::new();
        let mut want = |key: BookKey, ask: Ask, cost: i32| {
            if !skip(key, ask) {
                let least = wanted.entry((key, ask)).or_insert(cost);
                *least = cost.min(*least);
            }
        };
        let is_wanted = |board: Board| self.grows && self.empties.contains(&board.empty_count());
        if !graph.nodes.contains_key(&root) && root.board().is_some_and(is_wanted) {
            want(root, SEARCH, 0);
        }
        for (&key, &reached) in &reached {
            let node = graph.nodes.get(&key).expect("only nodes are reached");
            if self.empties.contains(&node.board.empty_count()) && self.is_below(node) {
                want(key, SEARCH, reached.cost);
            }
            if self.grows && self.empties.contains(&(node.board.empty_count() - 1)) {
                self.grow(node, key, reached, &mut want);
            }
        }
        let mut list: Vec<Wanted> = wanted
            .into_iter()
            .map(|((key, ask), cost)| Wanted {
                key,
                ask,
                cost: Score::from_units(cost),
            })
            .collect();
        list.sort_unstable_by_key(|wanted| (wanted.cost, wanted.ask, wanted.key));
        list.truncate(count);
        list
    }

    /// At most `count` questions about these positions: a search at the plan's level if it is missing, else the next
    /// best move if the known ones score less than the position's value. The graph's values must be up to date.
    pub fn along(
        &self,
        graph: &Graph,
        keys: &[BookKey],
        count: usize,
        skip: &dyn Fn(BookKey, Ask) -> bool,
    ) -> Vec<Wanted> {
        let ask = |key: BookKey| match graph.nodes.get(&key) {
            Some(node) if !self.is_below(node) => next_best(node),
            _ => Some(SEARCH),
        };
        let asks = keys.iter().filter_map(|&key| Some((key, ask(key)?)));
        let asks = asks.filter(|&(key, ask)| !skip(key, ask)).take(count);
        asks.map(|(key, ask)| Wanted {
            key,
            ask,
            cost: Score::ZERO,
        })
        .collect()
    }

    /// Asks for the moves that become positions, and for the best of the other moves.
    fn grow(
        &self,
        node: &Node,
        key: BookKey,
        reached: Reached,
        want: &mut impl FnMut(BookKey, Ask, i32),
    ) {
        let Reached { cost, loss } = reached;
        let Some((value, searched)) = node.entry.value.zip(node.entry.searched) else {
            return;
        };
        let mut leads_out = false;
        for (square, child) in node.positions() {
            let Some(score) = node.entry.move_at(square).and_then(BookMove::outside) else {
                continue;
            };
            leads_out = true;
            let given = (value.value - score).units();
            if loss + given <= self.loss.units() {
                want(child, SEARCH, cost + self.ply.units() + given);
            }
        }
        let Some((rest, unscored)) = searched.rest.zip(searched.unscored()) else {
            return;
        };
        if searched.level.exact || !node.has_unscored() {
            return;
        }
        if !searched.is_looked && self.look_level().is_some() {
            want(key, Ask::Look, cost + self.ply.units());
        } else if !leads_out
            && (!searched.is_looked || value.value <= unscored)
            // A worthier search would override the answer.
            && searched.level.worth() <= self.level.worth()
        {
            // The known moves turned out no better than the others: ask for the next best.
            let given = (value.value - rest).units().max(0);
            if loss + given <= self.loss.units() {
                let is_known = |square| {
                    node.entry
                        .move_at(square)
                        .is_some_and(|mv| mv.score.is_some())
                };
                let avoid = images(node.board, is_known);
                want(key, Ask::Search { avoid }, cost + self.ply.units() + given);
            }
        }
    }

    /// The keys of the book that play within the plan's loss can reach from `root`.
    pub fn within(&self, graph: &Graph, root: BookKey) -> Vec<BookKey> {
        self.reached(graph, root).into_keys().collect()
    }

    fn reached(&self, graph: &Graph, root: BookKey) -> HashMap<BookKey, Reached> {
        let mut reached = HashMap::new();
        if graph.nodes.contains_key(&root) {
            reached.insert(root, Reached { cost: 0, loss: 0 });
        }
        // A move leads to a higher key, so every way to a position is known when its turn comes.
        for (key, node) in graph.nodes.range(root..) {
            let Some(&Reached { cost, loss }) = reached.get(key) else {
                continue;
            };
            let best = node.entry.value.map(|value| value.value);
            // A look omits moves beyond its reach.
            let behind = node
                .entry
                .searched
                .filter(|searched| searched.is_looked)
                .and_then(Searched::unscored);
            for (square, child) in node.positions() {
                let score = node
                    .entry
                    .move_at(square)
                    .and_then(|mv| mv.score)
                    .map(MoveScore::score);
                let known = best
                    .zip(score.or(behind))
                    .map(|(best, score)| (best - score).units().max(0));
                let there = Reached {
                    cost: cost + self.ply.units() + known.unwrap_or(UNKNOWN_LOSS),
                    loss: loss + known.unwrap_or(0),
                };
                if there.loss > self.loss.units() || !graph.nodes.contains_key(&child) {
                    continue;
                }
                let held = reached.entry(child).or_insert(there);
                if there.cost < held.cost {
                    *held = there;
                }
            }
        }
        reached
    }

    /// Whether the position has no search that is worth the plan's level.
    fn is_below(&self, node: &Node) -> bool {
        let is_below = |searched: Searched| searched.level.worth() < self.level.worth();
        node.entry.searched.is_none_or(is_below) || node.entry.score_without_move().is_some()
    }
}

/// The question for the next best move, if the known ones are worth less than the position.
fn next_best(node: &Node) -> Option<Ask> {
    let Node { board, entry, .. } = node;
    let known: Vec<&BookMove> = entry
        .moves
        .iter()
        .filter(|mv| mv.known().is_some())
        .collect();
    let best = known.iter().filter_map(|mv| loss(entry, mv)).min()?;
    let avoid = images(*board, |square| known.iter().any(|mv| mv.square == square));
    (best > Score::from_units(0) && !(board.moves() & !avoid).is_empty())
        .then_some(Ask::Search { avoid })
}

/// The moves of a position whose images on the canonical board are these.
fn images(board: Board, is_one: impl Fn(Square) -> bool) -> SquareSet {
    let Some(canonical) = Canonical::of(board) else {
        return SquareSet(0);
    };
    board
        .moves()
        .iter()
        .filter(|&square| is_one(canonical.forth(square)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::random_game;
    use crate::book::entry::tests::usual;
    use crate::book::testing::scored;
    use crate::book::{Answer, Entry, USUAL_LEVEL};
    use crate::util::bytes::Cursor;
    use crate::util::rng::Rng;

    fn root() -> BookKey {
        Canonical::of(Board::START).unwrap().key()
    }

    /// An answer by discs after one ply, so that books build themselves in no time; looks err by up to a disc.
    fn answered(wanted: &Wanted) -> Answer {
        let board = wanted.key.board().unwrap();
        let (level, avoid, count) = Plan::default().search(wanted.ask, board);
        let score = |square: Square| {
            let after = board.play(square).unwrap();
            let discs = after.opponent.count_ones() as i32 - after.player.count_ones() as i32;
            let off = if wanted.ask == Ask::Look {
                square.index() as i32 * 37 % 128
            } else {
                0
            };
            40 * discs + square.index() as i32 % 7 - off
        };
        let mut moves: Vec<_> = (board.moves() & !avoid)
            .iter()
            .map(|mv| (mv, score(mv)))
            .collect();
        moves.sort_by_key(|(_, score)| -score);
        moves.truncate(count);
        Answer {
            level,
            avoid,
            ..scored(board, moves)
        }
    }

    fn absorb(graph: &mut Graph, answer: &Answer) {
        graph
            .entry_mut(answer.key)
            .unwrap()
            .absorb(answer.key.board().unwrap(), answer);
    }

    fn build(batch: usize, positions: usize) -> Graph {
        let mut graph = Graph::default();
        while graph.nodes.len() < positions {
            let wanted = Plan::default().wanted(&graph, root(), batch, &|_, _| false);
            assert!(!wanted.is_empty());
            wanted
                .iter()
                .for_each(|wanted| absorb(&mut graph, &answered(wanted)));
            graph.negamax();
        }
        graph
    }

    /// The graph as it comes back from a book's bytes.
    fn reopened(graph: Graph) -> Graph {
        Graph::new(graph.nodes.into_iter().map(|(key, Node { entry, .. })| {
            let mut bytes = Vec::new();
            entry.encode(usual(), &mut bytes);
            (
                key,
                Entry::decode(&mut Cursor::new(&bytes), usual()).unwrap(),
            )
        }))
    }

    #[test]
    fn books_grow_without_asking_twice() {
        let mut graph = Graph::default();
        let mut asked = std::collections::HashSet::new();
        let mut looks = 0;
        let mut last = Vec::new();
        for round in 0..80 {
            let wanted = Plan::default().wanted(&graph, root(), 16, &|_, _| false);
            assert!(!wanted.is_empty());
            for wanted in wanted {
                assert!(
                    asked.insert((wanted.key, wanted.ask)),
                    "round {round}, asked twice: {wanted:?}"
                );
                looks += usize::from(wanted.ask == Ask::Look);
                last.push(answered(&wanted));
                absorb(&mut graph, &last[last.len() - 1]);
            }
            graph.negamax();
            if round % 10 == 9 {
                // A restart, and answers that come again, change nothing.
                graph = reopened(graph);
                last.drain(..)
                    .rev()
                    .for_each(|answer| absorb(&mut graph, &answer));
                graph.negamax();
            }
        }
        assert!(
            graph.nodes.len() > 300 && looks > 50,
            "{} positions, {looks} looks",
            graph.nodes.len()
        );
        // Looks spare most searches for a next best move.
        let is_next = |ask: &Ask| matches!(ask, Ask::Search { avoid } if !avoid.is_empty());
        let searches = asked.iter().filter(|(_, ask)| is_next(ask)).count();
        assert!(20 * searches < asked.len(), "{searches} of {}", asked.len());
    }

    #[test]
    fn a_look_and_a_search_come_in_any_order() {
        for (key, Node { board, .. }) in build(16, 60).nodes {
            let of = |ask| {
                answered(&Wanted {
                    key,
                    ask,
                    cost: Score::ZERO,
                })
            };
            let answers = [of(SEARCH), of(Ask::Look), of(SEARCH), of(Ask::Look)];
            let taken = |order: [usize; 4]| {
                let mut entry = Entry::default();
                order
                    .iter()
                    .for_each(|&index| entry.absorb(board, &answers[index]));
                entry
            };
            let entry = taken([0, 1, 2, 3]);
            assert_eq!(entry, taken([1, 0, 3, 2]));
            assert_eq!(entry, taken([1, 1, 0, 0]));
            let searched = entry.searched.unwrap();
            assert_eq!(searched.level, USUAL_LEVEL);
            let best = entry.best().unwrap();
            assert_eq!((best.square, best.known().unwrap()), answers[0].moves[0]);
            // A look's scores are below the search's own, within its reach.
            for mv in entry.moves.iter().filter(|mv| mv.square != best.square) {
                let Some(MoveScore::Look(score)) = mv.score else {
                    panic!("{mv:?}")
                };
                assert!(Some(score) < searched.rest && Some(score) >= searched.unscored());
            }
        }
    }

    #[test]
    fn cheap_positions_come_first_the_loss_is_held_and_a_better_level_searches_anew() {
        let graph = build(16, 300);
        let all = |plan: &Plan| plan.wanted(&graph, root(), 1000, &|_, _| false);
        let plan = Plan {
            loss: Score::from_discs(1),
            ..Plan::default()
        };
        let wanted = all(&plan);
        assert!(wanted.windows(2).all(|pair| pair[0].cost <= pair[1].cost));
        let wide = Plan {
            loss: Score::from_discs(9),
            ..plan.clone()
        };
        assert!(all(&wide).len() > wanted.len());
        assert!(plan.within(&graph, root()).len() < wide.within(&graph, root()).len());
        let skipped = plan.wanted(&graph, root(), 1000, &|key, _| key == wanted[0].key);
        assert!(skipped.iter().all(|other| other.key != wanted[0].key));

        let level = SearchLevel {
            depth: 24,
            ..USUAL_LEVEL
        };
        let plan = Plan {
            level,
            grows: false,
            ..wide
        };
        let wanted = all(&plan);
        assert_eq!(wanted.len(), plan.within(&graph, root()).len());
        assert!(wanted.iter().all(|wanted| wanted.ask == SEARCH));
    }

    #[test]
    fn games_are_followed_until_their_lines_are_worth_what_they_promise() {
        let mut rng = Rng::new(5);
        let boards = (0..6).flat_map(|_| random_game(&mut rng).into_iter().take(12));
        let mut keys: Vec<BookKey> = boards
            .filter_map(Canonical::of)
            .map(Canonical::key)
            .collect();
        keys.sort_unstable();
        keys.dedup();
        let mut graph = build(16, 60);
        let mut asked = std::collections::HashSet::new();
        let mut next_bests = 0;
        loop {
            let plan = Plan::default();
            let wanted = plan.along(&graph, &keys, 5, &|key, ask| asked.contains(&(key, ask)));
            if wanted.is_empty() {
                break;
            }
            for wanted in wanted {
                assert!(
                    asked.insert((wanted.key, wanted.ask)),
                    "asked twice: {wanted:?}"
                );
                next_bests += usize::from(wanted.ask != SEARCH);
                absorb(&mut graph, &answered(&wanted));
            }
            graph.negamax();
        }
        assert!(next_bests > 5, "{next_bests}");
        for node in keys
            .iter()
            .map(|key| graph.nodes.get(key).expect("every position is searched"))
        {
            let best = node.entry.best().and_then(|mv| loss(&node.entry, &mv));
            assert_eq!(best, Some(Score::ZERO), "the best move is known");
        }
    }

    #[test]
    fn known_moves_include_their_images() {
        let board = Canonical::of(Board::START).unwrap().board;
        let mut entry = Entry::default();
        entry.absorb(
            board,
            &scored(
                board,
                board.moves().iter().take(1).map(|square| (square, 5)),
            ),
        );
        assert_eq!(
            images(board, |square| entry.move_at(square).is_some()),
            board.moves()
        );
    }
}
