//! Fuzz targets: what any bytes may be given to, and what must hold whatever they are.
//!
//! ```text
//! parsers   texts and files by their first byte: texts · files
//! nboard    ┐
//! gtp       ┴ a session over desk, an engine that searches when it is told to
//! analysis  a session with its queue and threads
//! ```
//!
//! They panic where a promise is broken. Built for tests, which replay the corpus, and by `cargo fuzz`, which
//! sets `cfg(fuzzing)`; see `protocol-tests/fuzz`.

mod analysis;
mod desk;
mod files;
mod parsers;
#[cfg(test)]
mod replay;
mod sessions;
mod texts;

pub use analysis::analysis;
pub use parsers::parsers;
pub use sessions::{gtp, nboard};

use std::sync::{Arc, LazyLock};

use crate::eval::Evaluator;

/// The embedded evaluation, unpacked once.
fn evaluator() -> Arc<Evaluator> {
    static EVALUATOR: LazyLock<Arc<Evaluator>> = LazyLock::new(Arc::default);
    EVALUATOR.clone()
}

/// What protocols print: printable ASCII, whatever came in.
fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}
