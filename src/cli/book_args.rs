//! Which opening book.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::book::policy::Policy;
use crate::engine::{BookOptions, Opening, shipped_book};

/// The variable that names the book to play from if no option does; `off` disables the book. The parser of the command
/// line does not read it: there it would conflict with `--no-book`.
const BOOK_VARIABLE: &str = "EMILIA_BOOK";

/// Which book; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Engine")]
pub struct BookFileArgs {
    /// Use no opening book.
    #[arg(long, conflicts_with = "book")]
    pub no_book: bool,
    /// The opening book [default: emilia.book in the program's folder, in its `books` or its parent's, in
    /// `../share/emilia` or in `emilia` in the system's data folders; else a small one inside the program]
    /// [env: EMILIA_BOOK].
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
}

impl BookFileArgs {
    pub fn opening(&self) -> Result<Option<Opening>> {
        Ok(self
            .options(Policy::Best, 1)
            .map(|options| Opening::open(&options))
            .transpose()?)
    }

    /// The book to use and its policy; `None` if the book is off.
    pub fn options(&self, policy: Policy, seed: u64) -> Option<BookOptions> {
        let asked = self.book.clone().or_else(named_book);
        if self.no_book || asked.as_deref() == Some(Path::new("off")) {
            return None;
        }
        Some(BookOptions {
            path: asked.or_else(shipped_book),
            policy,
            seed,
        })
    }
}

fn named_book() -> Option<PathBuf> {
    std::env::var_os(BOOK_VARIABLE).map(PathBuf::from)
}

/// The file of the book to play from, if no option names one.
pub fn default_book() -> Option<PathBuf> {
    named_book()
        .or_else(shipped_book)
        .filter(|path| path != Path::new("off"))
}
