//! Which positions are worth a search next: drop-out expansion.
//!
//! A position matters the more, the likelier players get there: each ply and each disc given away on the way
//! costs, for both sides alike, and the cheapest position comes first. So best play is followed deep, and near
//! misses less deep; near the root the book is wide.
//!
//! Source: Lincke, "Strategies for the automatic construction of opening books" (2000); here the cost of a ply
//! is a share of a disc, and the path of least cost leads to a position.

use std::collections::HashMap;

use super::entry::{Entry, SearchLevel};
use super::graph::{Graph, Node};
use super::key::{BookKey, Canonical};
use crate::board::{Board, Score, Square};

/// How a book grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// What a ply costs, in units of score: small values follow best play deep, large ones build wide.
    pub ply: Score,
    /// Positions that both sides together reach only by giving away more than this are left alone.
    pub loss: Score,
    /// Positions with fewer empties are left alone.
    pub empties: u32,
    /// Searches worth less than this are done anew.
    pub level: SearchLevel,
    /// Positions are added; without, only those that the book has are searched.
    pub grows: bool,
}

/// A position to search, and what to leave out of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The position.
    pub key: BookKey,
    /// Moves that stay in the book: the next best is asked for.
    pub avoid: u64,
    /// Cost of getting there, in units of score.
    pub cost: Score,
}

/// What a move costs that only games know, in units of score: people's moves lose about as much.
const UNKNOWN_LOSS: i32 = Score::DISC;

/// The least cost of a way to a position.
#[derive(Clone, Copy)]
struct Reached {
    cost: i32,
    /// Given away by both sides on that way.
    loss: i32,
}

impl Default for Plan {
    /// A quarter of a disc a ply, four discs away from best play, down to 30 empties, at the usual level.
    fn default() -> Self {
        Self {
            ply: Score::from_units(Score::DISC / 4),
            loss: Score::from_discs(4),
            empties: 30,
            level: super::USUAL_LEVEL,
            grows: true,
        }
    }
}

impl Plan {
    /// The `count` positions most worth a search below `root`, the most urgent first; each once.
    ///
    /// The graph's values must be up to date. A position asked for twice with the same moves left out is the
    /// same request; `skip` tells which are under way elsewhere.
    pub fn wanted(
        &self,
        graph: &mut Graph,
        root: BookKey,
        count: usize,
        skip: &dyn Fn(BookKey, u64) -> bool,
    ) -> Vec<Wanted> {
        let reached = self.reached(graph, root);
        let mut wanted: HashMap<(BookKey, u64), i32> = HashMap::new();
        let mut want = |key: BookKey, avoid: u64, cost: i32| {
            if !skip(key, avoid) {
                let least = wanted.entry((key, avoid)).or_insert(cost);
                *least = cost.min(*least);
            }
        };
        if graph.node(root).is_none() && self.grows {
            want(root, 0, 0);
        }
        for (&key, &Reached { cost, loss }) in &reached {
            let node = graph.node(key).expect("only nodes are reached");
            if self.needs_search(node) {
                want(key, 0, cost);
            }
            if !self.grows || node.entry.searched.is_none() {
                continue;
            }
            // The best way out of the book becomes a position of its own.
            if let (Some((square, score)), Some(value)) = (node.entry.best_outside(), node.entry.value) {
                let loss_there = (value.value - score).units();
                if let Some(child) = child(node, square)
                    && loss + loss_there <= self.loss.units()
                    && self.is_early(child)
                {
                    want(child, 0, cost + self.ply.units() + loss_there);
                }
            } else if let Some((avoid, rest)) = next_best(node) {
                // Nothing scored leads out: the next best may be as good as the rest.
                let loss_there = node.entry.value.map_or(0, |value| (value.value - rest).units().max(0));
                if loss + loss_there <= self.loss.units() {
                    want(key, avoid, cost + self.ply.units() + loss_there);
                }
            }
        }
        let mut list: Vec<Wanted> = wanted
            .into_iter()
            .map(|((key, avoid), cost)| Wanted { key, avoid, cost: Score::from_units(cost) })
            .collect();
        list.sort_unstable_by_key(|wanted| (wanted.cost, wanted.key, wanted.avoid));
        list.truncate(count);
        list
    }

    /// The keys of the book that play within the plan's loss can reach from `root`.
    pub fn within(&self, graph: &mut Graph, root: BookKey) -> Vec<BookKey> {
        self.reached(graph, root).into_keys().collect()
    }

    fn reached(&self, graph: &mut Graph, root: BookKey) -> HashMap<BookKey, Reached> {
        let mut reached = HashMap::new();
        if graph.node(root).is_some() {
            reached.insert(root, Reached { cost: 0, loss: 0 });
        }
        // A move leads to a higher key, so every way to a position is known when its turn comes.
        for &key in graph.keys().to_vec().iter().skip_while(|&&key| key < root) {
            let Some(&Reached { cost, loss }) = reached.get(&key) else { continue };
            let node = graph.node(key).expect("its key is listed");
            let best = node.entry.value.map(|value| value.value);
            for (square, child) in node.positions() {
                let score = node.entry.move_at(square).and_then(|mv| mv.score).map(|score| score.score);
                let known = best.zip(score).map(|(best, score)| (best - score).units());
                let there = Reached {
                    cost: cost + self.ply.units() + known.unwrap_or(UNKNOWN_LOSS),
                    loss: loss + known.unwrap_or(0),
                };
                if there.loss > self.loss.units() || graph.node(child).is_none() {
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

    fn needs_search(&self, node: &Node) -> bool {
        node.board.empty_count() >= self.empties
            && node.entry.searched.is_none_or(|searched| searched.level.worth() < self.level.worth())
    }

    fn is_early(&self, key: BookKey) -> bool {
        64 - key.discs() >= self.empties
    }
}

fn child(node: &Node, square: Square) -> Option<BookKey> {
    node.positions().find(|(other, _)| *other == square).map(|(_, key)| key)
}

/// The moves to leave out when the next best is asked for, and what it is worth at most.
fn next_best(node: &Node) -> Option<(u64, Score)> {
    let rest = node.entry.searched.filter(|searched| !searched.level.exact)?.rest;
    node.has_unscored().then(|| (known_moves(node.board, &node.entry), rest))
}

/// The moves of a position that have scores, with all their images.
pub fn known_moves(board: Board, entry: &Entry) -> u64 {
    let Some(canonical) = Canonical::of(board) else { return 0 };
    let known = |square: Square| entry.move_at(canonical.forth(square)).is_some_and(|mv| mv.score.is_some());
    crate::board::squares(board.moves()).filter(|&square| known(square)).fold(0, |bits, s| bits | s.bit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::squares;
    use crate::book::{Answer, USUAL_LEVEL};
    use crate::util::rng::Rng;

    /// A search of one ply by discs, so that books build themselves in no time.
    fn searched(wanted: &Wanted) -> Answer {
        let board = wanted.key.board().unwrap();
        let score = |square: Square| {
            let after = board.play(square).unwrap();
            let discs = after.opponent.count_ones() as i32 - after.player.count_ones() as i32;
            Score::from_units(40 * discs + square.index() as i32 % 7)
        };
        let open = squares(board.moves() & !wanted.avoid);
        let best = open.max_by_key(|&square| score(square)).expect("there is a move left");
        Answer { key: wanted.key, level: USUAL_LEVEL, avoid: wanted.avoid, moves: vec![(best, score(best))] }
    }

    fn build(batch: usize, positions: usize) -> Graph {
        let root = Canonical::of(Board::START).unwrap().key();
        let mut graph = Graph::default();
        while graph.len() < positions {
            let wanted = Plan::default().wanted(&mut graph, root, batch, &|_, _| false);
            assert!(!wanted.is_empty());
            for answer in wanted.iter().map(searched) {
                let board = answer.key.board().unwrap();
                graph.entry_mut(answer.key).unwrap().absorb(board, &answer);
            }
            graph.negamax();
        }
        graph
    }

    #[test]
    fn books_grow_without_asking_twice() {
        let root = Canonical::of(Board::START).unwrap().key();
        let mut graph = Graph::default();
        let mut asked = std::collections::HashSet::new();
        for _ in 0..60 {
            for wanted in Plan::default().wanted(&mut graph, root, 16, &|_, _| false) {
                assert!(asked.insert((wanted.key, wanted.avoid)), "asked twice: {wanted:?}");
                let board = wanted.key.board().unwrap();
                graph.entry_mut(wanted.key).unwrap().absorb(board, &searched(&wanted));
            }
            graph.negamax();
        }
        assert!(graph.len() > 100, "{}", graph.len());
    }

    #[test]
    fn cheap_positions_come_first_and_the_loss_is_held() {
        let root = Canonical::of(Board::START).unwrap().key();
        let mut graph = build(16, 300);
        let plan = Plan { loss: Score::from_discs(1), ..Plan::default() };
        let wanted = plan.wanted(&mut graph, root, 1000, &|_, _| false);
        assert!(wanted.windows(2).all(|pair| pair[0].cost <= pair[1].cost));
        let wide = Plan { loss: Score::from_discs(9), ..plan };
        assert!(wide.wanted(&mut graph, root, 1000, &|_, _| false).len() > wanted.len());
        assert!(plan.within(&mut graph, root).len() < wide.within(&mut graph, root).len());
        let skipped = plan.wanted(&mut graph, root, 1000, &|key, _| key == wanted[0].key);
        assert!(skipped.iter().all(|other| other.key != wanted[0].key));
    }

    #[test]
    fn a_better_level_searches_anew() {
        let root = Canonical::of(Board::START).unwrap().key();
        let mut graph = build(4, 40);
        let level = SearchLevel { depth: 24, ..USUAL_LEVEL };
        let plan = Plan { level, loss: Score::from_discs(20), grows: false, ..Plan::default() };
        let wanted = plan.wanted(&mut graph, root, 1000, &|_, _| false);
        assert_eq!(wanted.len(), plan.within(&mut graph, root).len());
        assert!(wanted.iter().all(|wanted| wanted.avoid == 0));
    }

    #[test]
    fn known_moves_are_told_with_their_images() {
        let start = Canonical::of(Board::START).unwrap();
        let mut entry = Entry::default();
        let first = start.forth(squares(Board::START.moves()).next().unwrap());
        entry.absorb(
            start.board,
            &Answer {
                key: start.key(),
                level: USUAL_LEVEL,
                avoid: 0,
                moves: vec![(first, Score::from_units(Rng::new(1).below(9) as i32))],
            },
        );
        assert_eq!(known_moves(start.board, &entry), start.board.moves());
    }
}
