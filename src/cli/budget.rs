//! How much to search each position where games are judged: the same options wherever that is done.

use std::time::Duration;

use crate::engine::Level;
use crate::search::{Clock, Limits};
use crate::util::seconds::parse_seconds;

/// What the options stand under in the help.
pub const HEADING: &str = "Budget of each position that does not bring its own";

/// The budget of each position; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = HEADING)]
pub struct BudgetArgs {
    /// Plies of midgame search; solved exactly from as many empties on, from 8 plies on from four more, up to 20.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=60), conflicts_with = "level")]
    depth: Option<u8>,
    /// Strength from 0 to 60, as of play; 16 without any budget.
    #[arg(short, long, value_name = "N")]
    level: Option<Level>,
    /// Most positions to visit.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Longest time.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    seconds: Option<Duration>,
    /// Until the score is proven.
    #[arg(long, conflicts_with_all = ["depth", "level"])]
    exact: bool,
}

impl BudgetArgs {
    /// The bounds of each search.
    pub fn limits(&self) -> Limits {
        let base = match self {
            Self { exact: true, .. } => Limits::exact(),
            Self { depth: Some(depth), .. } => Limits::depth(*depth),
            Self { level: Some(level), .. } => level.limits(Clock::Unlimited),
            Self { nodes: None, seconds: None, .. } => Level::default().limits(Clock::Unlimited),
            Self { .. } => Limits::depth(60),
        };
        let clock = self.seconds.map_or(base.clock, Clock::Move);
        Limits { nodes: self.nodes, clock, ..base }
    }

    /// In words: `depth 14`, `level 16, 2 s per position`.
    pub fn in_words(&self) -> String {
        let mut words = Vec::new();
        match self {
            Self { exact: true, .. } => words.push("solved".to_owned()),
            Self { depth: Some(depth), .. } => words.push(format!("depth {depth}")),
            Self { level: Some(level), .. } => words.push(format!("level {level}")),
            Self { nodes: None, seconds: None, .. } => words.push(format!("level {}", Level::default())),
            Self { .. } => {}
        }
        words.extend(self.nodes.map(|nodes| format!("{nodes} nodes per position")));
        words.extend(self.seconds.map(|time| format!("{} s per position", time.as_secs_f64())));
        words.join(", ")
    }
}
