//! The position as a picture in a file.

use std::ops::ControlFlow::Continue;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use crate::cli::files::ForceArgs;
use crate::cli::input::{Entry, InputArgs, Repairing};
use crate::cli::output;
use crate::picture::{Mark, Picture};

/// Which pictures are wanted.
#[derive(clap::Args)]
pub struct PictureArgs {
    /// Draw the position into this file as SVG; - is stdout.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "table", "why", "language"])]
    svg: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

impl PictureArgs {
    /// Whether any of its options is given.
    pub fn is_wanted(&self) -> bool {
        self.svg.is_some()
    }

    /// Draws the one position of the input.
    pub fn draw(&self, input: &InputArgs, repairing: Repairing) -> Result<ExitCode> {
        let input = InputArgs { repairing: Some(repairing), ..input.clone() };
        let mut entries = Vec::new();
        let tally = input.for_each(|entry| {
            ensure!(entries.is_empty(), "a picture is of one position: choose it with --skip and --limit 1");
            entries.push(picture(&entry));
            Ok(Continue(()))
        })?;
        let picture = entries.first().context("no position to draw")?;
        if let Some(path) = &self.svg {
            output::write(path, self.force.existing(), picture.svg().as_bytes())?;
        }
        Ok(tally.code())
    }
}

fn picture(entry: &Entry) -> Picture {
    let last = entry.record().game.moves().last().and_then(|mv| mv.square());
    let marks = last.map(|last| (last, Mark::Last)).into_iter().collect();
    Picture { position: entry.position(), marks, has_border: true }
}
