//! Options that analyze and report share.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::book_args::BookFileArgs;
use super::search_args::EvalArgs;
use super::store_args::StoreArgs;
use crate::analysis::{Defaults, Settings};
use crate::engine::people::Rating;
use crate::engine::{Level, Opening};
use crate::search::{Clock, Limits, Options};
use crate::util::refusal::Refusal;
use crate::util::seconds::parse_seconds;

/// The heading of the budget in the help.
const HEADING: &str = "Budget of each position [default: --level 16]";

/// Flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct AnalysisArgs {
    #[command(flatten, next_help_heading = HEADING)]
    budget: BudgetArgs,
    /// Time of the whole run, in equal shares for the positions that are left: seconds, M:SS or H:MM:SS. All input is read
    /// first; --resume continues with the time left.
    #[arg(id = "budget", long = "budget", value_name = "TIME", value_parser = parse_seconds, help_heading = "Budget of the run")]
    run: Option<Duration>,
    /// Number of searches or games side by side; each has one thread.
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = Options::parse_jobs, help_heading = "Engine")]
    jobs: usize,
    /// Size of the hash table of each search, in MiB.
    #[arg(long, value_name = "MIB", default_value = "16", value_parser = Options::parse_hash_mib, help_heading = "Engine")]
    hash: usize,
    #[command(flatten)]
    eval: EvalArgs,
    #[command(flatten)]
    book: BookFileArgs,
    #[command(flatten)]
    store: StoreArgs,
    /// Add the chances that a player of this rating finds the moves. With `--trap DISCS`, name the best trap, too
    /// [range: 1000 to 2000].
    #[arg(long, value_name = "RATING", help_heading = "People")]
    rating: Option<Rating>,
    /// Name the best trap for such a player that costs at most this number of discs.
    #[arg(long, value_name = "DISCS", requires = "rating", value_parser = parse_trap, help_heading = "People")]
    trap: Option<f64>,
}

/// Reads the most discs that a trap may cost.
pub fn parse_trap(text: &str) -> Result<f64, Refusal> {
    let discs = text
        .parse()
        .ok()
        .filter(|discs| (0.0..=64.0).contains(discs));
    discs.ok_or_else(|| format!("expected a number of discs from 0 to 64, found {text:?}").into())
}

/// The budget of each position; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct BudgetArgs {
    /// Search depth in plies. Positions with at most N empties are solved exactly (N + 4, at most 20, if N is 8 or more).
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=60), conflicts_with = "level")]
    depth: Option<u8>,
    /// Strength from 0 to 60: about the midgame depth in plies.
    #[arg(short, long, value_name = "N")]
    level: Option<Level>,
    /// Nodes to search at most.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Time per move or position: seconds or M:SS.
    #[arg(long, value_name = "TIME", value_parser = parse_seconds)]
    move_time: Option<Duration>,
    /// Search until the score is proven.
    #[arg(long, conflicts_with_all = ["depth", "level"])]
    exact: bool,
    /// Prove only win, draw or loss, not the score.
    #[arg(long, conflicts_with_all = ["depth", "level", "exact"])]
    wld: bool,
}

impl BudgetArgs {
    /// The goal or depth: the option, the same in words, and the bounds. No option if only nodes or time bound a
    /// search.
    fn goal(&self, default: Limits) -> (Option<(String, String)>, Limits) {
        let named = |option: &str, words: &str, limits| {
            (Some((option.to_owned(), words.to_owned())), limits)
        };
        let numbered = |words: String, limits| (Some((format!("--{words}"), words)), limits);
        match self {
            Self { exact: true, .. } => named("--exact", "solved", Limits::exact()),
            Self { wld: true, .. } => {
                let limits = Limits::win_loss_draw();
                named("--wld", "solved for win, draw or loss", limits)
            }
            Self {
                depth: Some(depth), ..
            } => numbered(format!("depth {depth}"), Limits::depth(*depth)),
            Self {
                level: Some(level), ..
            } => numbered(format!("level {level}"), level.limits(Clock::Unlimited)),
            Self {
                nodes: None,
                move_time: None,
                ..
            } => numbered(format!("level {}", Level::default()), default),
            Self { .. } => (None, Limits::depth(60)),
        }
    }

    /// Whether no option bounds the searches.
    fn is_default(&self) -> bool {
        let numbers = self.depth.is_some() || self.level.is_some() || self.nodes.is_some();
        !(numbers || self.move_time.is_some() || self.exact || self.wld)
    }

    /// The bounds of each search; `default` without a budget.
    pub fn limits_or(&self, default: Limits) -> Limits {
        let (_, base) = self.goal(default);
        Limits {
            nodes: self.nodes,
            clock: self.move_time.map_or(base.clock, Clock::Move),
            ..base
        }
    }

    /// The options that bound each search, and the same in words: `--depth 14` and `depth 14`.
    fn named(&self) -> impl Iterator<Item = (String, String)> {
        let (goal, _) = self.goal(Limits::exact());
        let nodes = self.nodes.map(|nodes| {
            (
                format!("--nodes {nodes}"),
                format!("{nodes} nodes per position"),
            )
        });
        let time = self.move_time.map(|time| time.as_secs_f64());
        let time = time.map(|time| {
            (
                format!("--move-time {time}"),
                format!("{time} s per position"),
            )
        });
        [goal, nodes, time].into_iter().flatten()
    }
}

impl AnalysisArgs {
    /// The bounds of each search.
    pub fn limits(&self) -> Limits {
        self.budget.limits_or(match self.run {
            Some(_) => Limits::depth(60),
            None => Level::default().limits(Clock::Unlimited),
        })
    }

    /// The options that bound the searches, and the same in words.
    fn named(&self) -> impl Iterator<Item = (String, String)> {
        let run = self.run.map(|time| time.as_secs_f64());
        let run = run.map(|time| (format!("--budget {time}"), format!("{time} s in all")));
        // The time of the run replaces the default level.
        let replaced = usize::from(run.is_some() && self.budget.is_default());
        self.budget.named().skip(replaced).chain(run)
    }

    /// The number of best moves: `asked`, or else all for traps, which are among them.
    pub fn moves(&self, asked: Option<u8>) -> usize {
        let default = if self.trap.is_some() { 64 } else { 1 };
        asked.map_or(default, usize::from)
    }

    /// The budget in words: `level 16, 2 s per position`.
    pub fn effort(&self) -> String {
        self.named()
            .map(|(_, words)| words)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The facts that decide the answer to a position, the weights aside. `book` is the open book.
    ///
    /// # Errors
    /// When the book cannot be read.
    pub fn facts(&self, book: Option<&Opening>) -> Result<Vec<String>> {
        let mut facts: Vec<String> = self.named().map(|(option, _)| option).collect();
        facts.push(match book {
            None => "--book off".to_owned(),
            Some(book) => format!("--book with contents {:08x}", book.checksum()?),
        });
        facts.push(format!("--hash {}", self.hash));
        facts.extend(self.rating.map(|rating| format!("--rating {rating}")));
        facts.extend(self.trap.map(|trap| format!("--trap {trap}")));
        facts.extend(self.store.fact());
        Ok(facts)
    }

    /// The settings of the workers. `reproducible`: the same input must give the same bytes.
    pub fn settings(&self, reproducible: bool) -> Result<Settings> {
        Options::check_memory(self.jobs * self.hash)
            .context("option --hash, for each of --jobs")?;
        let evaluator = self.eval.evaluator()?;
        let weights = self.eval.name(&evaluator)?;
        let calibrated = self.eval.is_calibrated(&evaluator);
        ensure!(
            calibrated || self.rating.is_none(),
            "--rating is known only for the embedded network: leave --eval out"
        );
        Ok(Settings {
            jobs: self.jobs,
            hash_mib: self.hash,
            queue: usize::MAX,
            in_order: false,
            defaults: Defaults {
                limits: self.limits(),
                calibrated,
                rating: self.rating,
                trap: self.trap,
                reproducible,
                ..Defaults::default()
            },
            store: self.store.open(&weights, self.hash, 1, reproducible)?,
            weights,
            book: self.book.opening()?.map(Arc::new),
            evaluator: Arc::new(evaluator),
            fields: None,
            budget: self.run,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_the_default_level() {
        assert!(HEADING.ends_with(&format!("[default: --level {}]", Level::default())));
    }
}
