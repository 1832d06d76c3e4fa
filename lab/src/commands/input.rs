//! Common input of the training commands: games, numbers, options of searches.

use std::ffi::OsString;
use std::ops::ControlFlow::Continue;
use std::ops::RangeInclusive;
use std::sync::Arc;

use anyhow::{Result, ensure};

use crate::board::{Position, Square};
use crate::cli::input::InputArgs;
use crate::cli::search_args::EvalArgs;
use crate::eval::Evaluator;
use crate::search::{Options, Search};
use crate::util::refusal::Refusal;

/// The games of all sources, each as the squares played, without passes. Notes may follow lists of moves.
///
/// # Errors
/// The first that is no game from the usual start, with its place; no game at all.
pub fn read_games(sources: &[OsString]) -> Result<Vec<Box<[Square]>>> {
    let input = InputArgs {
        inputs: sources.to_vec(),
        notes_follow: true,
        ..InputArgs::of("")
    };
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

/// Searches side by side, one thread each.
#[derive(clap::Args)]
pub struct SearchesArgs {
    /// Random seed: the same seed makes the same choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Number of searches or games side by side; each has one thread.
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = Options::parse_jobs)]
    pub jobs: usize,
    #[command(flatten)]
    pub eval: EvalArgs,
}

impl SearchesArgs {
    pub fn searches(&self, evaluator: &Arc<Evaluator>) -> impl Iterator<Item = Search> {
        (0..self.jobs).map(|_| {
            Search::new(
                &Options {
                    threads: 1,
                    hash_mib: 64,
                },
                Arc::clone(evaluator),
            )
        })
    }
}

/// A reader of numbers within `range`.
pub fn number(
    range: RangeInclusive<f64>,
) -> impl Fn(&str) -> Result<f64, Refusal> + Clone + Send + Sync {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            format!(
                "expected a number from {} to {}",
                range.start(),
                range.end()
            )
            .into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::testing::file_in;
    use tempfile::TempDir;

    #[test]
    fn a_position_is_named_with_its_place() {
        let folder = TempDir::new().unwrap();
        let file = file_in(
            &folder,
            "games.txt",
            "f5d6c3 +4 wthor1977 1977\n8/8/8/3pP3/3Pp3/8/8/8 w\n",
        );
        let error = format!("{:#}", read_games(&[file.into_os_string()]).unwrap_err());
        assert!(
            error.contains("entry 2, line 2: expected a game"),
            "{error}"
        );
    }
}
