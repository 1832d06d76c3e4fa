//! Exact labels that others have made: the theoretical scores of the WTHOR base.

use std::path::Path;

use anyhow::{Context, Result};

use crate::board::{Color, Position, Score};
use crate::notation::wthor::{GameFile, GameRecord};

use super::records::{Record, Source};

/// The positions of a `.wtb` file, or of all such files in a folder, at the number of empties from
/// which their games' theoretical scores were solved. Games without such a position are left out.
pub fn read(path: &Path) -> Result<Vec<Record>> {
    let mut files = vec![path.to_path_buf()];
    if path.is_dir() {
        let entries = std::fs::read_dir(path).with_context(|| format!("reading {}", path.display()))?;
        files = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wtb")));
        files.sort();
    }
    let mut records = Vec::new();
    for file in files {
        let bytes = std::fs::read(&file).with_context(|| format!("reading {}", file.display()))?;
        let games = GameFile::parse(&bytes).with_context(|| format!("reading {}", file.display()))?;
        let empties = games.header.solved_empties().into();
        records.extend(games.games.iter().filter_map(|game| solved_position(game, empties)));
    }
    Ok(records)
}

/// The position of a game with so many empties and its theoretical score.
fn solved_position(game: &GameRecord, empties: u32) -> Option<Record> {
    let replay = game.replay().ok().filter(|replay| replay.is_complete)?;
    // The last such position: where a pass follows, the one with the side that can move.
    let mut solved = replay.game.positions().iter().rev();
    let Position { board, side } = *solved.find(|position| position.board.empty_count() == empties)?;
    let black = 2 * i32::from(game.theoretical) - 64;
    let score = Score::from_discs(if side == Color::Black { black } else { -black });
    Some(Record { board, score, source: Source::Exact })
}
