//! What the hints of a session found: asked again, at a lesser depth say, they tell no less.

use std::collections::VecDeque;

use crate::board::Board;
use crate::engine::Hints;
use crate::search::Task;

/// Positions that are remembered.
const MOST: usize = 64;

/// A position, and for whom its draws count.
type Key = (Board, i8);

/// The hints of the positions last asked about.
#[derive(Default)]
pub struct Memory {
    known: VecDeque<(Key, Hints)>,
}

impl Memory {
    /// What is known of the position of a task.
    pub fn recall(&self, task: &Task) -> Hints {
        let known = self.known.iter().find(|(key, _)| *key == key_of(task));
        known.map_or_else(Hints::default, |(_, hints)| hints.clone())
    }

    /// Keeps what is now known of it.
    pub fn keep(&mut self, task: &Task, hints: Hints) {
        self.known.retain(|(key, _)| *key != key_of(task));
        self.known.push_back((key_of(task), hints));
        if self.known.len() > MOST {
            self.known.pop_front();
        }
    }
}

fn key_of(task: &Task) -> Key {
    (task.board, task.draw_value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Hint;
    use crate::protocols::harness::info;
    use crate::search::Limits;

    #[test]
    fn the_last_positions_are_remembered_each_for_itself() {
        let mut memory = Memory::default();
        let task = |index: u64| Task::new(Board { player: 1 << 60, opponent: index }, Limits::depth(1));
        for index in 0..80 {
            let mut hints = Hints::default();
            let line = info(Board::START, index as u8).lines[0].clone();
            hints.offer(Hint { line, games: None });
            memory.keep(&task(index), hints);
        }
        let depth = |task: &Task| {
            let nothing = info(Board::START, 0);
            memory.recall(task).improve(&nothing, 1).first().map(|hint| hint.line.depth)
        };
        assert_eq!(depth(&task(79)), Some(79));
        assert_eq!(depth(&task(16)), Some(16));
        assert_eq!(depth(&task(3)), Some(0), "forgotten");
        let contempt = Task { draw_value: 1, ..task(79) };
        assert_eq!(depth(&contempt), Some(0), "draws count otherwise");
    }
}
