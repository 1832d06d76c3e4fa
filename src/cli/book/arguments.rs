//! What the arguments of several book commands name: a book, a position, discs.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::board::{Board, Position, Score};
use crate::book::file::BookFile;
use crate::book::{BookEditor, BookError, BookKey, Canonical};
use crate::notation::{BitOrder, Format};

/// Opens the book of `emilia book COMMAND BOOK FILES` for writing, and makes it if it does not exist.
pub(super) fn edit(command: &str, book: &Path, files: &[impl AsRef<OsStr>]) -> Result<BookEditor> {
    if let (Err(error @ BookError::Foreign { .. }), Some(file)) = (BookFile::open(book), files.first()) {
        let (file, book) = (Path::new(file).display(), book.display());
        bail!("{error}; the book comes first: emilia book {command} {file} {book}");
    }
    Ok(BookEditor::open(book)?)
}

/// Opens a book that must exist, for writing.
pub(super) fn edit_existing(path: &Path) -> Result<BookEditor> {
    // Asked first: opening for writing would make an empty book of a misspelt name.
    BookFile::open(path)?;
    Ok(BookEditor::open(path)?)
}

/// The discs of an option as a score.
pub(super) fn discs(option: &str, discs: f64) -> Result<Score> {
    ensure!((0.0..=64.0).contains(&discs), "{option}: expected 0 to 64 discs, found {discs}");
    Ok(Score::nearest(discs))
}

/// A position in any notation; of a game its last.
pub(super) fn position(text: &str) -> Result<Position> {
    if text.trim().is_empty() {
        return Ok(Position::START);
    }
    let detected = Format::detect(text).parse(text, BitOrder::default());
    Ok(detected.with_context(|| format!("the position {text:?}"))?.position())
}

/// The key of a position that is not over.
pub(super) fn key_of(board: Board) -> Result<BookKey> {
    Ok(Canonical::of(board).context("the game is over there, so it is no book position")?.key())
}
