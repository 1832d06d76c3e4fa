//! `emilia-lab calibrate`: fits the chances to win to samples of scores and results.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::cli::{input, output};
use crate::engine::chances::{Evidence, MODEL};
use crate::training::chances::margins::{Margins, pairs};
use crate::training::chances::samples::Sample;
use crate::training::chances::{Reliability, fit, to_source};

#[derive(clap::Args)]
#[command(after_help = "\
Prints the constants of engine/src/engine/chances.rs (cargo fmt breaks the line), and
how reliable they are: each half of the games judges a fit to the other half.

Examples:
  emilia-lab calibrate samples.txt
  emilia-lab calibrate --in-use fresh.txt")]
pub struct Args {
    /// Samples, made by `emilia-lab sample`; `-` is stdin.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<OsString>,
    /// Fit nothing: judge the constants in use by the samples.
    #[arg(long)]
    in_use: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let samples = read(&args.files)?;
    let fit = |samples: &[Sample]| fit(samples).context("too few samples for a fit");
    let (odd, even): (Vec<Sample>, Vec<Sample>) =
        samples.iter().partition(|sample| sample.game % 2 == 1);
    let (model, judges) = match args.in_use {
        true => (MODEL, [MODEL, MODEL]),
        false => (fit(&samples)?, [fit(&even)?, fit(&odd)?]),
    };
    let judged = || {
        odd.iter()
            .map(|sample| (&judges[0], sample))
            .chain(even.iter().map(|s| (&judges[1], s)))
    };
    let mut text = format!("{} samples\n\n{}", samples.len(), to_source(&model));
    let mut section = |name: &str, takes: &dyn Fn(Evidence) -> bool| {
        if let Some(table) = Reliability::of(judged().filter(|(_, sample)| takes(sample.evidence)))
        {
            text.push_str(&format!("\n{name}\n\n{table}"));
        }
    };
    for depth in [1, 4, 8, 12, 16] {
        section(&format!("Depth {depth}"), &|evidence| {
            evidence.depth == depth && !evidence.is_to_the_end()
        });
    }
    section("To the end, selectively", &Evidence::is_to_the_end);
    let margins = Margins::of(&model, &pairs(&samples));
    output::print(&format!(
        "{text}\nWithin the margin for a certainty, percent\n\n{margins}"
    ))
}

fn read(sources: &[OsString]) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for source in sources {
        for line in input::lines(source)? {
            let (number, line) = line?;
            samples.push(Sample::parse(&line).with_context(|| {
                format!(
                    "{}, line {number}: expected six numbers: game empties depth percent score result",
                    source.display()
                )
            })?);
        }
    }
    Ok(samples)
}
