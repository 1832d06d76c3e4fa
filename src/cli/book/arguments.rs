//! What the arguments of several book commands name: a book, a position, discs.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::board::{Board, Position, Score};
use crate::book::{Book, BookKey, Canonical};
use crate::notation::{BitOrder, Format};

/// Opens a book that must exist, for writing.
pub(super) fn edit_existing(path: &Path) -> Result<Book> {
    // Asked first: opening for writing would make an empty book of a misspelt name.
    Book::open(path)?;
    Ok(Book::edit(path)?)
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
