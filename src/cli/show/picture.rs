//! The position as a picture in a file.

use std::ops::ControlFlow::Continue;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use crate::cli::input::{Entry, InputArgs};
use crate::cli::output;
use crate::picture::{Mark, Picture};
use crate::util::target::Existing;

/// Draws the one position of the input into a file.
pub fn draw(input: &InputArgs, path: &Path, existing: Existing) -> Result<ExitCode> {
    let mut found = None;
    let tally = input.for_each(|entry| {
        ensure!(found.is_none(), "a picture is of one position: choose it with --skip and --limit 1");
        found = Some(picture(&entry));
        Ok(Continue(()))
    })?;
    let picture = found.context("no position to draw")?;
    output::write(path, existing, picture.svg().as_bytes())?;
    Ok(tally.code())
}

fn picture(entry: &Entry) -> Picture {
    let last = entry.record().game.moves().last().and_then(|mv| mv.square());
    let marks = last.map(|last| (last, Mark::Last)).into_iter().collect();
    Picture { position: entry.position(), marks, has_border: true }
}
