//! Upkeep: `tidy`, `merge`.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::Result;

use super::arguments;
use crate::board::Board;
use crate::book::Book;
use crate::book::expand::Plan;
use crate::book::graph::Node;
use crate::cli::output;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia book tidy my.book
  emilia book tidy my.book --loss 3 --min-games 20")]
pub struct TidyArgs {
    /// The book
    book: PathBuf,
    /// Discs that both sides together may lose; drop positions that need more
    #[arg(long, value_name = "DISCS")]
    loss: Option<f64>,
    /// Least number of games of a position; keeps positions with at least N
    #[arg(long, value_name = "N", requires = "loss")]
    min_games: Option<u64>,
}

#[derive(clap::Args)]
#[command(after_help = "\
Example:
  emilia book merge my.book yours.book theirs.book

The deeper search of a position counts; equal searches are combined.")]
pub struct MergeArgs {
    /// The book that gets the others; created if necessary
    book: PathBuf,
    /// The others
    #[arg(required = true)]
    others: Vec<PathBuf>,
    /// Add the others' games too; games that several of the books have then count more than once
    #[arg(long)]
    with_games: bool,
}

pub fn tidy(args: &TidyArgs) -> Result<()> {
    let loss = args
        .loss
        .map(|loss| arguments::discs("--loss", loss))
        .transpose()?;
    let mut book = arguments::edit_existing(&args.book)?;
    let Some(loss) = loss else {
        let changed = book.fold()?;
        output::print(&format!(
            "{changed} of {} values changed\n",
            book.base().header().positions
        ))?;
        return Ok(());
    };
    let mut graph = arguments::graph_of(&book)?;
    let before = graph.nodes.len();
    let near: HashSet<_> = Plan {
        loss,
        ..Plan::default()
    }
    .within(&graph, arguments::key_of(Board::START)?)
    .into_iter()
    .collect();
    let is_popular = |node: &Node| {
        args.min_games
            .is_some_and(|least| node.entry.games().count() >= least)
    };
    graph
        .nodes
        .retain(|key, node| near.contains(key) || is_popular(node));
    graph.negamax();
    let after = graph.nodes.len();
    book.rewrite(book.games(), graph)?;
    output::print(&format!(
        "{} of {before} positions dropped, {after} left\n",
        before - after
    ))?;
    Ok(())
}

pub fn merge(args: &MergeArgs) -> Result<()> {
    let others = args
        .others
        .iter()
        .map(|path| Book::open(path))
        .collect::<Result<Vec<_>, _>>()?;
    let mut book = arguments::edit("merge", &args.book, &args.others)?;
    let theirs = others.iter().map(Book::games).filter(|_| args.with_games);
    let games = theirs.fold(book.games(), u64::saturating_add);
    book.unite(&Vec::from_iter(&others), args.with_games, games)?;
    arguments::saved("", &args.book, &book)
}
