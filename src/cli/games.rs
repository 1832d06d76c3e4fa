//! Many games at once: for training as little of each as is needed, and openings.

use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow::Continue;

use anyhow::{Result, ensure};

use super::input::InputArgs;
use crate::board::{Game, Position, Square};
use crate::tournament::matches::openings::opening;

/// These sources, in whose lists of moves notes may follow the moves on their line.
pub fn noted_games<'a>(sources: impl IntoIterator<Item = &'a OsString>) -> InputArgs {
    let inputs: Vec<OsString> = sources.into_iter().cloned().collect();
    InputArgs { inputs, notes_follow: true, ..InputArgs::of("") }
}

/// The games of all sources, each as the squares played; passes are left out.
///
/// # Errors
/// The first that is no game from the usual start, with its place; no game at all.
pub fn read_games(input: &InputArgs) -> Result<Vec<Box<[Square]>>> {
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

/// The openings of a file, each cut to so many moves if that is given; `-` is stdin.
///
/// # Errors
/// The first that is none, with its place; no opening at all.
pub fn read_openings(path: &OsStr, plies: Option<usize>) -> Result<Vec<Game>> {
    let mut openings = Vec::new();
    InputArgs::of(path).for_each(|entry| {
        openings.push(opening(entry.record().game.clone(), plies)?);
        Ok(Continue(()))
    })?;
    Ok(openings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::testing::file_in;
    use tempfile::TempDir;

    fn read(text: &str) -> Result<Vec<Box<[Square]>>> {
        let folder = TempDir::new().unwrap();
        read_games(&noted_games([&file_in(&folder, "games.txt", text).into_os_string()]))
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
