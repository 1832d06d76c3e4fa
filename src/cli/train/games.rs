//! Many games at once, of each as little as training needs.

use std::ffi::OsString;
use std::ops::ControlFlow::Continue;

use anyhow::{Result, ensure};

use crate::board::{Position, Square};
use crate::cli::input::InputArgs;

/// The games of all sources, each as the squares played, without passes. Notes may follow lists of moves.
///
/// # Errors
/// The first that is no game from the usual start, with its place; no game at all.
pub fn read_games(sources: &[OsString]) -> Result<Vec<Box<[Square]>>> {
    let input = InputArgs { inputs: sources.to_vec(), notes_follow: true, ..InputArgs::of("") };
    let mut games = Vec::new();
    input.for_each(|entry| {
        let game = &entry.record().game;
        ensure!(
            game.start() == Position::START && !game.moves().is_empty(),
            "expected a game from the usual start"
        );
        games.push(game.moves().iter().filter_map(|mv| mv.square()).collect());
        Ok(Continue(()))
    })?;
    Ok(games)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::testing::file_in;
    use tempfile::TempDir;

    fn read(text: &str) -> Result<Vec<Box<[Square]>>> {
        let folder = TempDir::new().unwrap();
        read_games(&[file_in(&folder, "games.txt", text).into_os_string()])
    }

    #[test]
    fn games_of_every_notation_are_read() {
        let games = read("f5d6c3 +4 wthor1977 1977\nf5d6\n# a comment\n(;GM[Othello]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5];)\n").unwrap();
        let lengths: Vec<usize> = games.iter().map(|game| game.len()).collect();
        assert_eq!(lengths, [3, 2, 1]);
    }

    #[test]
    fn what_is_no_game_is_named_with_its_place() {
        for (text, place, what) in [
            ("f5d6\nf5x9 +4\n", "entry 2, line 2", "x9"),
            ("f5d6\nf5a1\n", "entry 2, line 2", "a1"),
            ("8/8/8/3pP3/3Pp3/8/8/8 w\n", "entry 1, line 1", "expected a game"),
            ("# nothing\n", "", "no positions or games in"),
        ] {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(error.contains(place) && error.contains(what), "{text:?}: {error}");
        }
    }
}
