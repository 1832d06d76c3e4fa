//! `emilia book`: make opening books, teach them, look into them.

mod answers;
mod check;
mod games;
mod grow;
mod keep;
mod report;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Subcommand;

use crate::board::{Board, Position, Score};
use crate::book::{Book, BookKey, Canonical};
use crate::notation::{BitOrder, Format};

const EXAMPLES: &str = "\
Examples:
  A book of ten thousand positions; the same command with a larger number goes on:
    emilia book build my.book --positions 10000 --threads 4
  The same by other machines: requests out, answers in, in any order:
    emilia book jobs my.book 1000 > requests.jsonl
    emilia analyze < requests.jsonl > answers.jsonl
    emilia book absorb my.book answers.jsonl
  What people played, and how it ended:
    emilia book import my.book WTH_*.wtb --min-games 3
  Look into it:
    emilia book show my.book f5d6c3
    emilia book stats my.book
    emilia book verify my.book
    emilia book check my.book --sample 200 --deeper 6

A book is the file and its journal, FILE.journal: every answer is in the journal
when it is known, so any command may be killed at any time and given again.";

/// Arguments of `emilia book`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Grow a book from the usual start: best play deep, near misses less deep
    Build(grow::BuildArgs),
    /// Grow a book below a position or after a line of moves
    Extend(grow::ExtendArgs),
    /// Search the book's own positions again, deeper, and those only games know
    Deepen(grow::DeepenArgs),
    /// Search every position that so many games reached
    Fill(grow::FillArgs),
    /// Search the ways that games took, and the next best moves where they went wrong
    Follow(grow::FollowArgs),
    /// Write the next positions worth a search as requests, one JSON object a line
    Jobs(answers::JobsArgs),
    /// Take in answers to requests, in any order, twice or in part
    Absorb(answers::AbsorbArgs),
    /// Count the games of files, or take in scored positions
    Import(games::ImportArgs),
    /// Bring all values up to date and fold the journal in
    Negamax(keep::NegamaxArgs),
    /// Drop what lies too far from best play
    Prune(keep::PruneArgs),
    /// Take in what other books know
    Merge(keep::MergeArgs),
    /// Show what the book knows of a position
    Show(report::ShowArgs),
    /// Count positions, levels and games
    Stats(report::StatsArgs),
    /// Check every byte, move and value
    Verify(report::VerifyArgs),
    /// Search some positions deeper, and tell how far off the book's values are
    Check(check::CheckArgs),
    /// Write the book as text: answers, or OBF lines
    Export(report::ExportArgs),
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<ExitCode> {
    match &args.command {
        Command::Build(args) => grow::build(args),
        Command::Extend(args) => grow::extend(args),
        Command::Deepen(args) => grow::deepen(args),
        Command::Fill(args) => grow::fill(args),
        Command::Follow(args) => return grow::follow(args),
        Command::Jobs(args) => answers::jobs(args),
        Command::Absorb(args) => answers::absorb(args),
        Command::Import(args) => return games::import(args),
        Command::Negamax(args) => keep::negamax(args),
        Command::Prune(args) => keep::prune(args),
        Command::Merge(args) => keep::merge(args),
        Command::Show(args) => report::show(args),
        Command::Stats(args) => report::stats(args),
        Command::Verify(args) => report::verify(args),
        Command::Check(args) => check::check(args),
        Command::Export(args) => report::export(args),
    }
    .map(|()| ExitCode::SUCCESS)
}

/// Opens a book that must exist, for writing.
fn edit_existing(path: &Path) -> Result<Book> {
    // Asked first: opening for writing would make an empty book of a misspelt name.
    Book::open(path)?;
    Ok(Book::edit(path)?)
}

/// The discs of an option as a score.
fn discs(option: &str, discs: f64) -> Result<Score> {
    ensure!((0.0..=64.0).contains(&discs), "{option}: expected 0 to 64 discs, found {discs}");
    Ok(Score::nearest(discs))
}

/// A position in any notation; of a game its last.
fn position(text: &str) -> Result<Position> {
    if text.trim().is_empty() {
        return Ok(Position::START);
    }
    let detected = Format::detect(text).parse(text, BitOrder::default());
    Ok(detected.with_context(|| format!("the position {text:?}"))?.position())
}

/// The key of a position that is not over.
fn key_of(board: Board) -> Result<BookKey> {
    Ok(Canonical::of(board).context("the game is over there, so it is no book position")?.key())
}
