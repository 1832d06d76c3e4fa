//! The one way to choose a move, for sessions, play in the terminal and matches: the book's as far as it goes, else
//! a search's, with a draw among nearly equal moves where the policy varies.

use super::{BookLine, Opening};
use crate::board::Game;
use crate::book::BookError;
use crate::search::{SearchResult, Task};

/// How the move to play is found.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// In the book.
    Book(BookLine),
    /// By this search; its result goes to [`settle_move`].
    Search(Task),
}

/// Chooses a move where `game` has led, on `task.board`; `task` bounds the search where the book ends. What was
/// played in earlier games of the session is chosen less often.
///
/// # Errors
/// When the part of the book that would tell is damaged.
pub fn choose_move(opening: Option<&mut Opening>, game: &Game, task: Task) -> Result<Choice, BookError> {
    let Some(opening) = opening else { return Ok(Choice::Search(task)) };
    let is_allowed =
        |line: &BookLine| line.pv[0].square().is_none_or(|square| task.allowed & square.bit() != 0);
    if let Some(line) = opening.choose(game, task.board)?.filter(is_allowed) {
        return Ok(Choice::Book(line));
    }
    // Weak play varies by what it overlooks.
    let multi_pv = if task.handicap.is_some() { 1 } else { opening.search_lines(task.board) };
    Ok(Choice::Search(Task { multi_pv, ..task }))
}

/// Puts the move to play in the place of the best, once the search of a [`Choice`] has ended.
pub fn settle_move(opening: Option<&mut Opening>, task: &Task, result: &mut SearchResult) {
    if let Some(opening) = opening.filter(|_| task.multi_pv > 1) {
        opening.draw(task.board, result);
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::super::BookOptions;
    use super::*;
    use crate::board::Board;
    use crate::book::policy::Policy;
    use crate::search::{Handicap, Limits};

    #[test]
    fn only_strong_play_with_a_book_compares_moves() {
        let folder = TempDir::new().unwrap();
        let (path, policy) = (folder.path().join("empty.book"), Policy::Within(0.5));
        let mut opening = Opening::make(&BookOptions { path: Some(path), policy, seed: 1 }).unwrap();
        let strong = Task::new(Board::START, Limits::depth(1));
        let handicap = Some(Handicap { depth: 1, vision: 50, judgement: 50, seed: 1 });
        let mut lines = |has_book: bool, task: Task| {
            let opening = Some(&mut opening).filter(|_| has_book);
            match choose_move(opening, &Game::default(), task) {
                Ok(Choice::Search(task)) => task.multi_pv,
                other => panic!("an empty book and {other:?}"),
            }
        };
        assert_eq!(lines(false, strong), 1);
        assert_eq!(lines(true, Task { handicap, ..strong }), 1);
        assert_eq!(lines(true, strong), 3);
    }
}
