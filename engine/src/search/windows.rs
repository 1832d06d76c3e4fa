//! Questions about exact scores; each uses the table entries of the earlier ones.

use super::task::{Budget, Limits, Stop, Task};
use super::threads::Pool;
use super::tree::node::{DISC, Node, NonPv, Window};
use super::tree::worker::Worker;
use super::{Search, ample_mib};
use crate::board::{Board, Square};

/// Answers null windows at 100 %, on one thread.
pub struct Windows<'a>(Worker<'a>);

impl Search {
    /// Calls `ask`, which may put questions about exact scores of `board` and later boards. Answers after a request of
    /// `stop` are void.
    pub fn windows<T>(
        &mut self,
        board: Board,
        stop: &Stop,
        ask: impl FnOnce(&mut Windows) -> T,
    ) -> T {
        self.table
            .reserve(ample_mib(&Task::new(board, Limits::exact())));
        let shared = self.state(Budget::unlimited(stop), Pool::new(1, None));
        ask(&mut Windows(Worker::new(0, &shared, &mut self.memory)))
    }
}

impl Windows<'_> {
    /// Whether the side to move at `board` ends with at least `target` discs, an even number.
    pub fn reaches(&mut self, board: Board, target: i32) -> bool {
        debug_assert!(target % 2 == 0);
        let worker = &mut self.0;
        let node = Node::root(worker.evaluator, board);
        let window = Window {
            alpha: (target - 2) * DISC,
            beta: target * DISC,
        };
        worker.solve_to_the_end::<NonPv>(&node, window) >= window.beta
    }

    /// The best move at `board` in the table, if there is one.
    pub fn remembered(&mut self, board: Board) -> Option<Square> {
        self.0.probe(board.hash(), board)?.best[0]
    }

    /// Whether the questions have been stopped.
    pub fn are_stopped(&mut self) -> bool {
        self.0.has_ended()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::*;
    use crate::board::testing::random_position;
    use crate::util::rng::Rng;

    #[test]
    fn a_fresh_table_remembers_more_than_a_bucket() {
        let options = Options {
            threads: 1,
            hash_mib: 4,
        };
        let mut search = Search::new(&options, crate::eval::testing::evaluator());
        let board = random_position(&mut Rng::new(2), 60 - 17);
        let children = |board: Board| {
            board
                .moves()
                .iter()
                .filter_map(move |square| board.play(square))
        };
        let known = search.windows(board, &Stop::new(), |windows| {
            windows.reaches(board, 0);
            let boards = children(board).flat_map(children);
            boards
                .filter(|board| windows.0.probe(board.hash(), *board).is_some())
                .count()
        });
        assert!(known > 2, "{known} of the boards two plies on");
    }
}
