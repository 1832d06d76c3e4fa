//! Exact labels that others have made: the theoretical scores of the WTHOR base.

use std::path::Path;

use anyhow::{Context, Result};

use crate::board::{Board, Color, Position, Score};
use crate::notation::wthor::{GameFile, GameRecord};
use crate::util::input_file;

use super::records::{Record, Source};

/// The positions of a `.wtb` file, or of all such files in a folder, at the number of empties from
/// which their games' theoretical scores were solved. Games without such a position are skipped.
pub fn read(path: &Path) -> Result<Vec<Record>> {
    games(path, solved_position)
}

/// The different positions of these games with this number of empties, in a fixed order.
pub fn boards(path: &Path, empties: u32) -> Result<Vec<Board>> {
    let mut boards = games(path, |game, _| {
        position(game, empties).map(|position| position.board)
    })?;
    boards.sort_unstable();
    boards.dedup();
    Ok(boards)
}

/// Takes from each game; `take` also receives the number of empties from which it was solved.
fn games<T>(path: &Path, take: impl Fn(&GameRecord, u32) -> Option<T>) -> Result<Vec<T>> {
    let mut files = vec![path.to_path_buf()];
    if path.is_dir() {
        let entries =
            std::fs::read_dir(path).with_context(|| format!("reading {}", path.display()))?;
        files = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        files.retain(|file| {
            file.extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("wtb"))
        });
        files.sort();
    }
    let mut taken = Vec::new();
    for file in files {
        let games = read_file(&file).with_context(|| format!("reading {}", file.display()))?;
        let solved = games.header.solved_empties().into();
        taken.extend(games.games.iter().filter_map(|game| take(game, solved)));
    }
    Ok(taken)
}

fn read_file(file: &Path) -> Result<GameFile> {
    Ok(GameFile::parse(&input_file::read(
        file,
        GameFile::MAX_BYTES,
    )?)?)
}

/// The position of a complete game with this number of empties; before a pass, the one with the side that can move.
fn position(game: &GameRecord, empties: u32) -> Option<Position> {
    let replayed = game
        .replay()
        .ok()
        .filter(|replayed| game.is_complete(replayed))?;
    replayed
        .positions()
        .iter()
        .rev()
        .find(|position| position.board.empty_count() == empties)
        .copied()
}

/// The position of a game with this number of empties and its theoretical score.
fn solved_position(game: &GameRecord, empties: u32) -> Option<Record> {
    let Position { board, side } = position(game, empties)?;
    let black = 2 * i32::from(game.theoretical) - 64;
    let score = Score::from_discs(if side == Color::Black { black } else { -black });
    Some(Record {
        board,
        score,
        source: Source::Exact,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_is_for_the_side_to_move() {
        // The first game of the base's 1977 file in the format's own numbers, one disc count changed.
        let text = "f5d6c3f3f4d3c4g6f6e6c5c6d7d8e7g5e3d2g4h3f7b5h5g3b4b6c8b8c7e8f8g8h4h6e2d1c1a3a6a5e1f2\
                    g7c2a4h8a2b7f1b3b1b2h7a7a8a1g1g2h2h1";
        let mut moves = [0; 60];
        for (byte, pair) in moves.iter_mut().zip(text.as_bytes().chunks(2)) {
            *byte = 10 * (pair[1] - b'0') + pair[0] - b'a' + 1;
        }
        let game = GameRecord {
            tournament: 0,
            black: 0,
            white: 0,
            score: 34,
            theoretical: 40,
            moves,
        };
        for empties in [24, 23] {
            let record = solved_position(&game, empties).expect("the game is complete");
            assert_eq!(record.board.empty_count(), empties);
            let replayed = game.replay().unwrap();
            let side = replayed
                .positions()
                .iter()
                .rev()
                .find(|p| p.board == record.board)
                .unwrap()
                .side;
            assert_eq!(
                record.score,
                Score::from_discs(if side == Color::Black { 16 } else { -16 })
            );
        }
        let unfinished = GameRecord { score: 35, ..game };
        assert!(
            solved_position(&unfinished, 24).is_none(),
            "the recorded score is another"
        );
    }
}
