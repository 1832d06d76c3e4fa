//! The position as a picture in a file.

use std::ops::ControlFlow::Continue;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use crate::board::{Move, Square};
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
    /// Draw the position into this file as PNG; - is stdout.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "table", "why", "language"])]
    png: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Number the discs of the picture by the moves that placed them.
    #[arg(long)]
    numbers: bool,
}

impl PictureArgs {
    /// Whether any of its options is given.
    pub fn is_wanted(&self) -> bool {
        self.svg.is_some() || self.png.is_some() || self.numbers
    }

    /// Draws the one position of the input.
    pub fn draw(&self, input: &InputArgs, repairing: Repairing) -> Result<ExitCode> {
        ensure!(self.svg.is_some() || self.png.is_some(), "--numbers is for a picture: give --svg or --png");
        let input = InputArgs { repairing: Some(repairing), ..input.clone() };
        let mut entries = Vec::new();
        let tally = input.for_each(|entry| {
            ensure!(entries.is_empty(), "a picture is of one position: choose it with --skip and --limit 1");
            entries.push(self.picture(&entry)?);
            Ok(Continue(()))
        })?;
        let picture = entries.first().context("no position to draw")?;
        if let Some(path) = &self.svg {
            output::write(path, self.force.existing(), picture.svg().as_bytes())?;
        }
        if let Some(path) = &self.png {
            output::write(path, self.force.existing(), &picture.png())?;
        }
        Ok(tally.code())
    }

    fn picture(&self, entry: &Entry) -> Result<Picture> {
        let moves = entry.record().game.moves();
        let placed = || moves.iter().filter_map(|mv| mv.square());
        let marks: Vec<(Square, Mark)> = match self.numbers {
            true => (1..).zip(placed()).map(|(number, square)| (square, Mark::Number(number))).collect(),
            false => moves
                .last()
                .copied()
                .and_then(Move::square)
                .map(|last| (last, Mark::Last))
                .into_iter()
                .collect(),
        };
        ensure!(!self.numbers || !marks.is_empty(), "--numbers: no moves lead to this position");
        Ok(Picture { position: entry.position(), marks, has_border: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::input::testing::entry;

    fn marks(text: &str, numbers: bool) -> Result<Vec<(Square, Mark)>> {
        PictureArgs { svg: None, png: None, force: ForceArgs::default(), numbers }
            .picture(&entry(text))
            .map(|picture| picture.marks)
    }

    #[test]
    fn passes_have_no_number_and_places_without_moves_no_numbers() {
        let numbered = marks("f5f6d3g5h5h4f7h6pa", true).unwrap();
        assert_eq!(numbered.len(), 8);
        assert_eq!(numbered[7], ("h6".parse().unwrap(), Mark::Number(8)));
        assert_eq!(marks("f5d6", false).unwrap(), [("d6".parse().unwrap(), Mark::Last)]);
        let lone = "---------------------------OX------XO--------------------------- X";
        assert_eq!(marks(lone, false).unwrap(), []);
        assert!(marks(lone, true).unwrap_err().to_string().contains("no moves lead"));
    }
}
