//! Arguments and steps that several book commands share.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::board::{Board, Position, Score};
use crate::book::file::BookFile;
use crate::book::graph::Graph;
use crate::book::{Book, BookEditor, BookError, BookKey, Canonical};
use crate::cli::output;
use crate::notation::parse_position;

/// Opens the book of `emilia book COMMAND BOOK FILES` for writing, and makes it if it does not exist.
pub(super) fn edit(command: &str, book: &Path, files: &[impl AsRef<OsStr>]) -> Result<BookEditor> {
    if let (Err(error @ BookError::Foreign { .. }), Some(file)) =
        (BookFile::open(book), files.first())
    {
        let file = Path::new(file).display();
        let book = book.display();
        bail!("{error}; the book comes first: emilia book {command} {file} {book}");
    }
    Ok(BookEditor::open(book)?)
}

pub(super) fn edit_existing(path: &Path) -> Result<BookEditor> {
    // Opening for writing would make an empty book of a misspelt name.
    BookFile::open(path)?;
    Ok(BookEditor::open(path)?)
}

/// The book in memory, its values up to date.
pub(super) fn graph_of(book: &Book) -> Result<Graph> {
    let mut graph = Graph::new(book.entries()?);
    graph.negamax();
    Ok(graph)
}

/// Prints a summary and the size of the book after it was saved.
pub(super) fn saved(summary: &str, path: &Path, book: &BookEditor) -> Result<()> {
    let positions = book.base().header().positions;
    output::print(&format!(
        "{summary}{positions} positions in {}\n",
        path.display()
    ))?;
    Ok(())
}

pub(super) fn discs(option: &str, discs: f64) -> Result<Score> {
    ensure!(
        (0.0..=64.0).contains(&discs),
        "{option}: expected 0 to 64 discs, found {discs}"
    );
    Ok(Score::nearest(discs))
}

/// A position in any notation; of a game its last.
pub(super) fn position(text: &str) -> Result<Position> {
    if text.trim().is_empty() {
        return Ok(Position::START);
    }
    Ok(parse_position(text)
        .with_context(|| format!("the position {text:?}"))?
        .position())
}

pub(super) fn key_of(board: Board) -> Result<BookKey> {
    Ok(Canonical::of(board)
        .context("the game is over there, so it is no book position")?
        .key())
}
