//! A row for each position: what the evaluation says, without any search.

use crate::cli::input::Entry;
use crate::eval::EvalKind;
use crate::notation::diagram::write_board;

/// What stands above the rows.
pub fn heading(kind: EvalKind) -> String {
    format!("{:>5}  {:>7}  {:>7}  {:>5}  position ({kind})", "#", "empties", "score", "known")
}

/// A position with its score and the one that the input gives.
pub fn row(entry: &Entry, score: f64) -> String {
    let position = entry.position();
    let known = entry.found.known_score().map_or("-".to_owned(), |discs| format!("{discs:+}"));
    let (index, empties) = (entry.index, position.board.empty_count());
    format!("{index:>5}  {empties:>7}  {score:>+7.2}  {known:>5}  {}", write_board(&position))
}
