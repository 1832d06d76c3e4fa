//! Upkeep: `negamax`, `prune`, `merge`.

use std::path::PathBuf;

use anyhow::Result;

use crate::book::Book;
use crate::book::expand::Plan;
use crate::book::graph::Graph;
use crate::cli::output;

/// Arguments of `emilia book negamax`.
#[derive(clap::Args)]
pub struct NegamaxArgs {
    /// The book
    book: PathBuf,
}

/// Arguments of `emilia book prune`.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  emilia book prune my.book --loss 3 --games 20")]
pub struct PruneArgs {
    /// The book
    book: PathBuf,
    /// Keep what lines reach in which both sides together give away at most so much
    #[arg(long, value_name = "DISCS", default_value_t = 4.0)]
    loss: f64,
    /// Keep as well what so many games reached
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    games: u64,
}

/// Arguments of `emilia book merge`.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  emilia book merge my.book yours.book theirs.book

Of two searches of a position the worthier stays, of equal ones both count. Games are added only with
--games: two books that counted the same games would count them twice.")]
pub struct MergeArgs {
    /// The book that takes in the others
    book: PathBuf,
    /// The others
    #[arg(required = true)]
    others: Vec<PathBuf>,
    /// Add the others' games too
    #[arg(long)]
    games: bool,
}

/// Brings values up to date.
pub fn negamax(args: &NegamaxArgs) -> Result<()> {
    let mut book = super::edit_existing(&args.book)?;
    let changed = book.fold()?;
    output::print(&format!("{changed} of {} values changed\n", book.base().header().positions))?;
    Ok(())
}

/// Drops positions far from best play.
pub fn prune(args: &PruneArgs) -> Result<()> {
    let loss = super::discs("--loss", args.loss)?;
    let mut book = super::edit_existing(&args.book)?;
    let mut graph = Graph::new(book.entries()?);
    graph.negamax();
    let before = graph.len();
    let root = super::key_of(crate::board::Board::START)?;
    let near: std::collections::HashSet<_> =
        Plan { loss, ..Plan::default() }.within(&mut graph, root).into_iter().collect();
    for key in graph.keys().to_vec() {
        let played = graph.node(key).map_or(0, |node| node.entry.games().count());
        if !near.contains(&key) && played < args.games {
            graph.remove(key);
        }
    }
    graph.negamax();
    let after = graph.len();
    book.rewrite(book.games(), graph)?;
    output::print(&format!("{} of {before} positions dropped, {after} left\n", before - after))?;
    Ok(())
}

/// Takes in other books.
pub fn merge(args: &MergeArgs) -> Result<()> {
    let mut book = Book::edit(&args.book)?;
    let mut graph = Graph::new(book.entries()?);
    let mut games = book.games();
    for path in &args.others {
        let other = Book::open(path)?;
        for (key, entry) in other.entries()? {
            if let Some((own, board)) = graph.entry_mut(key).zip(key.board()) {
                own.merge(board, &entry, args.games);
            }
        }
        games += if args.games { other.games() } else { 0 };
    }
    graph.negamax();
    let positions = graph.len();
    book.rewrite(games, graph)?;
    output::print(&format!("{positions} positions in {}\n", args.book.display()))?;
    Ok(())
}
