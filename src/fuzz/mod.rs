//! Fuzz targets: readers of arbitrary bytes, and the rules that must hold for all inputs.
//!
//! ```text
//! parsers   texts and files by their first byte: texts · files
//! nboard    ┐
//! gtp       ┴ a session over desk, an engine that searches on command
//! analysis  a session with its queue and threads
//! ```
//!
//! They panic if a rule is broken. Built for tests, which replay the corpus, and by `cargo fuzz`, which
//! sets `cfg(fuzzing)`; see `protocol-tests/fuzz`.

mod analysis;
mod desk;
mod files;
#[cfg(test)]
mod replay;
#[cfg(test)]
mod robustness;
mod sessions;
mod texts;

pub use analysis::analysis;
pub use sessions::{gtp, nboard};

use std::sync::{Arc, LazyLock};

use crate::book_formats::check::survive;
use crate::eval::Evaluator;

/// The embedded evaluation, unpacked once.
fn evaluator() -> Arc<Evaluator> {
    static EVALUATOR: LazyLock<Arc<Evaluator>> = LazyLock::new(Arc::default);
    EVALUATOR.clone()
}

/// Whether a text is printable ASCII, as all output of protocols is.
fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

/// Passes all bytes but the first to the parsers that the first selects.
pub fn parsers(data: &[u8]) {
    let Some((&kind, rest)) = data.split_first() else {
        return;
    };
    let text = || String::from_utf8_lossy(rest);
    match kind {
        b'b' => files::book(rest),
        b'j' => files::journal(rest),
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
