//! The reason to refuse a text.

use std::fmt::Display;
use std::ops::Deref;

/// The reason to refuse a text, in one line for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(String);

impl Refusal {
    /// The reason that another error states.
    pub fn of(error: impl Display) -> Self {
        Self(error.to_string())
    }
}

impl From<String> for Refusal {
    fn from(reason: String) -> Self {
        Self(reason)
    }
}

impl From<&str> for Refusal {
    fn from(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}

impl From<Refusal> for String {
    fn from(Refusal(reason): Refusal) -> Self {
        reason
    }
}

impl Deref for Refusal {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Refusal {
    fn as_ref(&self) -> &str {
        self
    }
}
