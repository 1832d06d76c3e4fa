//! Parsers of texts and files; the first byte says of which.

use super::{files, texts};
use crate::book::others::testing::survive;

/// Gives all bytes but the first to the parsers that the first stands for.
///
/// # Panics
/// Where a parser breaks a promise.
pub fn parsers(data: &[u8]) {
    let Some((&kind, rest)) = data.split_first() else { return };
    let text = || String::from_utf8_lossy(rest);
    match kind {
        b'b' => files::book(rest),
        b'j' => files::journal(rest),
        #[cfg(feature = "lab")]
        b'l' => files::labels(rest),
        b'n' => files::weights(rest),
        b'p' => survive(rest),
        b'r' => files::packed_rows(rest),
        b'v' => files::certificate(rest),
        b'w' => files::wthor(rest),
        b'a' => texts::answers(&text()),
        b'c' => texts::command_line(&text()),
        b'o' => texts::options(&text()),
        _ => texts::notations(&text()),
    }
}
