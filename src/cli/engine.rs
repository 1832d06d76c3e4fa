//! Options that every command with an engine shares.

use std::path::PathBuf;

use super::logging;
use crate::engine::{Book, Level, Options};
use crate::eval::Weights;
use crate::eval::{EvalKind, Evaluator};
use anyhow::{Context, Result};
use clap::Args;

/// The engine as the command line describes it; flattened into a subcommand's arguments.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    /// Search threads.
    #[arg(short = 'n', short_alias = 't', long, value_name = "N", default_value = "1", value_parser = Options::parse_threads)]
    pub threads: usize,
    /// Size of the transposition table in MiB.
    #[arg(long, value_name = "MIB", default_value = "64", value_parser = Options::parse_hash_mib)]
    pub hash: usize,
    /// Strength from 0 to 60: about the midgame depth in plies. Without it 16, and under a GTP clock
    /// as deep as time allows.
    #[arg(short, long, value_name = "N")]
    pub level: Option<Level>,
    /// Evaluation: network, linear or classic. Without it the best there are weights for.
    #[arg(long, value_name = "NAME")]
    pub eval: Option<EvalKind>,
    /// Weights of a learned evaluation, instead of those built in.
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Play without an opening book.
    #[arg(long)]
    pub no_book: bool,
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
    /// Accepted for other engines' command lines: a protocol session is always quiet.
    #[arg(short, long, hide = true)]
    pub quiet: bool,
    /// Accepted for other engines' command lines: there is no pondering.
    #[arg(long, hide = true, value_name = "off", value_parser = ["off"])]
    pub ponder: Option<String>,
    /// Accepted for other engines' command lines: taken as weights if it is a file of ours.
    #[arg(long, hide = true, value_name = "FILE")]
    pub eval_file: Option<PathBuf>,
    /// `off` is `--no-book`, in other engines' words.
    #[arg(long, hide = true, value_name = "on|off", value_parser = ["on", "off"])]
    pub book_usage: Option<String>,
}

impl EngineArgs {
    /// The options of the engine.
    pub fn options(&self) -> Options {
        Options {
            threads: self.threads,
            hash_mib: self.hash,
            level: self.level.unwrap_or_default(),
            book: Book::Off,
            evaluation: self.eval,
            weights: self.weights.clone(),
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
        let mut options = self.engine.options();
        if options.weights.is_some() || options.evaluation.is_some() {
            // Told here in one line; the worker would fall back and only warn.
            let wanted = options
                .weights
                .as_ref()
                .map_or("the embedded weights".into(), |path| path.display().to_string());
            Evaluator::load(options.evaluation, options.weights.as_deref())
                .with_context(|| format!("loading the evaluation from {wanted}"))?;
        } else if let Some(path) = &self.eval_file {
            match Weights::load(path) {
                Ok(_) => options.weights = Some(path.clone()),
                Err(error) => log::warn!("another engine's evaluation is not used: {error}"),
            }
        }
        Ok(options)
    }
}
