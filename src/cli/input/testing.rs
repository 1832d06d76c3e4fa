//! Input for the tests of subcommands.

use super::{Entry, InputArgs};

pub fn args(inputs: &[&str]) -> InputArgs {
    InputArgs {
        inputs: inputs.iter().map(Into::into).collect(),
        ..InputArgs::of("")
    }
}

/// The entries of a text without faults.
pub fn entries(text: &str) -> Vec<Entry> {
    args(&[text])
        .entries()
        .map(|entry| entry.unwrap_or_else(|error| panic!("{error}")))
        .collect()
}

/// The one entry of a text.
pub fn entry(text: &str) -> Entry {
    let mut entries = entries(text);
    assert_eq!(entries.len(), 1, "{text}");
    entries.remove(0)
}
