//! Which opening book to play from, and how: the options of every command that plays.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::book::policy::Policy;
use crate::engine::{BookOptions, Opening, shipped_book};

/// Names the book to play from where no option does; `off` for none. Not by the parser of the command line: to that,
/// what stands in the environment conflicts with `--no-book` and with all that needs no book.
const BOOK_VARIABLE: &str = "EMILIA_BOOK";

/// Which book; flattened into the arguments of a subcommand that only looks into it.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct BookFileArgs {
    /// No opening book.
    #[arg(long, conflicts_with = "book")]
    pub no_book: bool,
    /// The opening book [default: emilia.book beside the program, in `books` beside it or above it, or in
    /// `../share/emilia`] [env: EMILIA_BOOK].
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
}

/// The book and how to play from it; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct BookArgs {
    #[command(flatten)]
    file: BookFileArgs,
    /// How book moves are chosen: best, within:DISCS, results, people or contempt:DISCS.
    #[arg(long, value_name = "POLICY", default_value = "best", conflicts_with = "no_book")]
    pub book_policy: Policy,
}

impl BookArgs {
    /// Which book to use, and how: `None` if it is turned off, or if there is none where one is looked for.
    pub fn options(&self, seed: u64) -> Option<BookOptions> {
        self.file.options(self.book_policy, seed)
    }

    /// The book, opened.
    ///
    /// # Errors
    /// When the book asked for, or the one that is there, cannot be read.
    pub fn opening(&self, seed: u64) -> Result<Option<Opening>> {
        opened(self.options(seed))
    }
}

impl BookFileArgs {
    /// The book to look into, found as one to play from is.
    ///
    /// # Errors
    /// When the book asked for, or the one that is there, cannot be read.
    pub fn opening(&self) -> Result<Option<Opening>> {
        opened(self.options(Policy::Best, 1))
    }

    fn options(&self, policy: Policy, seed: u64) -> Option<BookOptions> {
        let asked = self.book.clone().or_else(|| std::env::var_os(BOOK_VARIABLE).map(PathBuf::from));
        if self.no_book || asked.as_deref() == Some(Path::new("off")) {
            return None;
        }
        let path = asked.or_else(shipped_book)?;
        Some(BookOptions { path, policy, seed })
    }
}

fn opened(options: Option<BookOptions>) -> Result<Option<Opening>> {
    Ok(options.map(|options| Opening::open(&options)).transpose()?)
}
