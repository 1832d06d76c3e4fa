//! Reads a text from left to right.

use std::borrow::Cow;

use super::ParseError;

/// A text and the byte up to which it is read.
pub struct Scanner<'a> {
    /// The notation, for errors.
    pub subject: &'static str,
    pub text: &'a str,
    pub at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(subject: &'static str, text: &'a str) -> Self {
        Self {
            subject,
            text,
            at: 0,
        }
    }

    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// The error for an unexpected text here.
    pub fn error(&self, expected: impl Into<Cow<'static, str>>) -> ParseError {
        self.error_at(self.at, expected)
    }

    /// The error for an unexpected text at byte `at`.
    pub fn error_at(&self, at: usize, expected: impl Into<Cow<'static, str>>) -> ParseError {
        ParseError::at(self.subject, self.text, at, expected)
    }

    /// Skips blanks and byte order marks.
    pub fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start_matches(is_blank).len();
    }

    /// Skips `token` if it comes next.
    pub fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    /// Reads the characters up to the first for which `is_part` is false.
    pub fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }
}

/// A blank or a byte order mark.
pub fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}
