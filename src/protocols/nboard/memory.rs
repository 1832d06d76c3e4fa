//! The hints of earlier requests: a repeated `hint`, even at a smaller depth, shows no less.

use std::collections::VecDeque;

use crate::board::Board;
use crate::engine::Hints;
use crate::search::Task;

/// Most positions kept.
const MOST: usize = 64;

/// The hints of the latest positions, by position and the value of its draws.
#[derive(Default)]
pub struct Memory(VecDeque<((Board, i8), Hints)>);

impl Memory {
    pub fn recall(&self, task: &Task) -> Hints {
        let key = (task.board, task.draw_value);
        let known = self.0.iter().find(|(known, _)| *known == key);
        known.map_or_else(Hints::default, |(_, hints)| hints.clone())
    }

    pub fn keep(&mut self, task: &Task, hints: Hints) {
        let key = (task.board, task.draw_value);
        self.0.retain(|(known, _)| *known != key);
        self.0.push_back((key, hints));
        if self.0.len() > MOST {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Hint;
    use crate::protocols::harness_tests::info;
    use crate::search::Limits;

    #[test]
    fn the_last_positions_are_remembered_each_for_itself() {
        let mut memory = Memory::default();
        let task = |index: u64| {
            Task::new(
                Board {
                    player: 1 << 60,
                    opponent: index,
                },
                Limits::depth(1),
            )
        };
        for index in 0..80 {
            let mut hints = Hints::default();
            let line = info(Board::START, index as u8).lines[0].clone();
            hints.offer(Hint { line, games: None });
            memory.keep(&task(index), hints);
        }
        let depth = |task: &Task| {
            let nothing = info(Board::START, 0);
            memory
                .recall(task)
                .improve(&nothing, 1)
                .first()
                .map(|hint| hint.line.depth)
        };
        assert_eq!(depth(&task(79)), Some(79));
        assert_eq!(depth(&task(16)), Some(16));
        assert_eq!(depth(&task(3)), Some(0), "forgotten");
        let contempt = Task {
            draw_value: 1,
            ..task(79)
        };
        assert_eq!(depth(&contempt), Some(0), "draws count otherwise");
    }
}
