//! Options that every command with an engine shares.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::book_args::BookArgs;
use super::logging;
use super::people::PeopleArgs;
use super::search_args::{SearchArgs, parse_seconds};
use crate::engine::{Level, Options};
use crate::eval::{Evaluator, WeightsError};
use crate::protocols::driver::{SessionOptions, TimeAllowed};
use crate::protocols::library::{Learn, Library};
use anyhow::{Context, Result, anyhow};
use clap::Args;

/// The engine as the command line describes it; flattened into a subcommand's arguments.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    /// Threads, table and evaluation.
    #[command(flatten)]
    pub search: SearchArgs,
    /// Strength from 0 to 60: about the midgame depth in plies. Without it 16, and under a GTP clock
    /// as deep as time allows.
    #[arg(short, long, value_name = "N")]
    pub level: Option<Level>,
    /// Weak play.
    #[command(flatten)]
    pub people: PeopleArgs,
    /// The opening book.
    #[command(flatten)]
    pub book: BookArgs,
    /// Write all traffic and messages to this file.
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

/// The engine options and what tools for other engines pass to a protocol session.
#[derive(Args, Clone, Debug)]
pub struct SessionArgs {
    /// The engine.
    #[command(flatten)]
    pub engine: EngineArgs,
    /// For scripts: finish every search, even after the end of input. Without it a search that runs
    /// then may go on for 0.2 seconds in NBoard and take 10 in GTP.
    #[arg(long, help_heading = "Session")]
    pub batch: bool,
    /// Time per move where the client sets no clock.
    #[arg(
        long,
        alias = "movetime",
        help_heading = "Session",
        value_name = "SECONDS",
        value_parser = parse_seconds,
        conflicts_with = "game_time"
    )]
    pub move_time: Option<Duration>,
    /// Time per side and game where the client sets no clock.
    #[arg(long, help_heading = "Session", value_name = "SECONDS", value_parser = parse_seconds)]
    pub game_time: Option<Duration>,
    /// Accepted for other engines' command lines: a protocol session is always quiet.
    #[arg(short, long, hide = true)]
    pub quiet: bool,
    /// Think on after a move, in the other side's time [default: off].
    #[arg(long, help_heading = "Session", value_name = "on|off", value_parser = ["on", "off"])]
    pub ponder: Option<String>,
    /// What the book learns: asked (NBoard's `learn`), games (GTP games that end too), or idle (and while nobody
    /// asks for anything, what they reached is searched). A `--book` that is not there is made then.
    #[arg(
        long,
        help_heading = "Session",
        value_name = "WHAT",
        default_value = "asked",
        conflicts_with = "no_book"
    )]
    pub learn: Learn,
    /// Accepted for other engines' command lines: taken as weights if it is a file of ours.
    #[arg(long, hide = true, value_name = "FILE")]
    pub eval_file: Option<PathBuf>,
    /// `off` is `--no-book`, in other engines' words.
    #[arg(long, hide = true, value_name = "on|off", value_parser = ["on", "off"])]
    pub book_usage: Option<String>,
    /// What the log should say of the command line.
    #[arg(long, hide = true, value_name = "TEXT", allow_hyphen_values = true)]
    pub note: Vec<String>,
}

impl EngineArgs {
    /// The options of the engine.
    pub fn options(&self) -> Options {
        Options {
            threads: self.search.threads,
            hash_mib: self.search.hash,
            evaluation: self.search.eval.eval,
            weights: self.search.eval.weights.clone(),
            ..Options::default()
        }
    }
}

impl SessionArgs {
    /// Starts logging and gives the options of the engine, or tells what is wrong with them.
    ///
    /// # Errors
    /// When the log cannot be made, or the evaluation asked for has no weights that can be read.
    pub fn prepare(&self) -> Result<Options> {
        logging::start(self.engine.log.as_deref())?;
        self.note.iter().for_each(|note| log::info!("command line: {note}"));
        let eval = &self.engine.search.eval;
        let evaluator = if eval.weights.is_some() || eval.eval.is_some() {
            // Told here in one line; the worker would fall back and only warn.
            Some(eval.evaluator()?)
        } else {
            self.eval_file.as_deref().map(foreign_evaluation).transpose()?.flatten()
        };
        Ok(Options { evaluator: evaluator.map(Arc::new), ..self.engine.options() })
    }

    /// The book of the session, found as for play. One that cannot be read ends nothing: the session says so.
    pub fn library(&self) -> Library {
        let is_off = self.book_usage.as_deref() == Some("off");
        let options = if is_off { None } else { self.engine.book.options() };
        Library::open(options, self.learn)
    }

    /// What the session is to be like.
    pub fn session_options(&self) -> SessionOptions {
        let time = match (self.move_time, self.game_time) {
            (Some(time), _) => Some(TimeAllowed::Move(time)),
            (None, time) => time.map(TimeAllowed::Game),
        };
        SessionOptions {
            level: self.engine.people.level().or(self.engine.level),
            batch: self.batch,
            time,
            ponder: self.ponder.as_deref() == Some("on"),
            handicap: self.engine.people.handicap(),
        }
    }
}

/// The evaluation in a file that was named in another engine's words; without one if it is not ours.
///
/// # Errors
/// When the file cannot be read, or is ours and damaged.
fn foreign_evaluation(path: &Path) -> Result<Option<Evaluator>> {
    match Evaluator::load(None, Some(path)) {
        Ok(evaluator) => Ok(Some(evaluator)),
        Err(WeightsError::Magic) => {
            log::warn!("{}: another engine's evaluation is not used", path.display());
            Ok(None)
        }
        Err(error @ WeightsError::Io(..)) => Err(anyhow!(error)).context("option --eval-file"),
        Err(error) => Err(anyhow!("option --eval-file: {}: {error}", path.display())),
    }
}
