//! `emilia book`: make opening books, teach them, look into them.

mod answers;
mod arguments;
mod grow;
mod import;
mod show;
mod tidy;
mod tree;
mod verify;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

const EXAMPLES: &str = "\
Examples:
  Search ten thousand positions; a larger number continues:
    emilia book grow my.book --positions 10000 --jobs 4
  Look into the book:
    emilia book show my.book f5d6c3

A book is a file and its journal, FILE.journal. Every answer is written to the
journal at once: you can kill any command and run it again. The help of each
command has more examples.";

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Search positions and add new ones: along best play, games or a line
    Grow(grow::GrowArgs),
    /// Write requests for the next positions worth a search, as JSON lines
    Jobs(answers::JobsArgs),
    /// Add answers to requests, in any order
    Absorb(answers::AbsorbArgs),
    /// Add games, or books of Edax, Egaroucid, Zebra and NTest
    Import(import::ImportArgs),
    /// Update all values; drop positions far from best play
    Tidy(tidy::TidyArgs),
    /// Add other books
    Merge(tidy::MergeArgs),
    /// Show the book's entry of a position
    Show(show::ShowArgs),
    /// Show the lines of the book as a tree, with the games of each move
    Tree(tree::TreeArgs),
    /// Count positions, levels and games
    Stats(show::StatsArgs),
    /// Check every byte, move and value, of other programs' books too
    Verify(verify::VerifyArgs),
    /// Write the book as text, or as a book of Edax or Egaroucid
    Export(show::ExportArgs),
}

pub fn run(args: &Args) -> Result<ExitCode> {
    match &args.command {
        Command::Import(args) => return import::import(args),
        Command::Grow(args) => grow::grow(args),
        Command::Jobs(args) => answers::jobs(args),
        Command::Absorb(args) => answers::absorb(args),
        Command::Tidy(args) => tidy::tidy(args),
        Command::Merge(args) => tidy::merge(args),
        Command::Show(args) => show::show(args),
        Command::Tree(args) => tree::tree(args),
        Command::Stats(args) => show::stats(args),
        Command::Verify(args) => verify::verify(args),
        Command::Export(args) => show::export(args),
    }
    .map(|()| ExitCode::SUCCESS)
}
