//! Openings for games between engines.

use std::ffi::OsStr;
use std::ops::ControlFlow::Continue;

use anyhow::Result;

use super::input::InputArgs;
use crate::board::Game;
use crate::tournament::matches::openings::opening;

/// The openings of a file, each cut to `plies` moves; `-` is stdin.
pub fn read_openings(path: &OsStr, plies: Option<usize>) -> Result<Vec<Game>> {
    let mut openings = Vec::new();
    InputArgs::of(path).for_each(|entry| {
        openings.push(opening(entry.record().game.clone(), plies)?);
        Ok(Continue(()))
    })?;
    Ok(openings)
}
