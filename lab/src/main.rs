//! The laboratory: labels positions, fits the weights and the constants that depend on them, measures both, and tunes the
//! search.
//!
//! ```text
//! commands   a file for each command
//! training   labels, fits, margins, chances
//! tuning     the numbers of the search, by games
//! coroutines the threads of a simulated search
//! ```

mod commands;
mod coroutines;
mod training;
mod tuning;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, FromArgMatches};

use emilia::internal::{analysis, cli, sentences, tournament};
use emilia::notation;
use emilia_engine::internal::{board, book, engine, eval, search};

use cli::{files, output, signals};

/// What both crates below have for all rooms.
mod util {
    pub use emilia::internal::util::*;
    pub use emilia_engine::internal::util::*;
}

fn main() -> ExitCode {
    let result = run(std::env::args_os().collect());
    // The programs of a match may still think about a move.
    util::end_all(signals::GRACE);
    match result {
        Ok(code) => code,
        Err(error) if output::reader_is_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::message(format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// The definition of the command line.
fn definition() -> clap::Command {
    files::with_rules(commands::Args::command(), "")
}

/// Parses the command line, checks its files and runs the command.
fn run(words: Vec<OsString>) -> Result<ExitCode> {
    let definition = definition();
    let matches = definition.clone().get_matches_from(words);
    let args = commands::Args::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    files::check(&definition, &matches)?;
    cli::start_log(None)?;
    signals::listen()?;
    commands::run(&args)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        definition().debug_assert();
    }
}
