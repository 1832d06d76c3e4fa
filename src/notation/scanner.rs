//! Reads a text from left to right, in plain characters: those in place of full-width ones, Unicode's blanks and dashes.
//!
//! One character becomes one character, so columns in errors stay right.

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

/// `text` in plain characters.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(plain_char).collect())
}

/// The plain character for `c`; itself for most.
fn plain_char(c: char) -> char {
    match c {
        '\0'..='\x7f' => c,
        // Full-width forms are ASCII in the order of ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from((u32::from(c) - 0xff01 + 0x21) as u8),
        c if c.is_whitespace() => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => '-',
        c => c,
    }
}

/// A finite decimal number with point or comma, or `None`.
pub fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.is_empty() || text.len() > 64 {
        return None;
    }
    text.replace(',', ".")
        .parse()
        .ok()
        .filter(|x: &f64| x.is_finite())
}

/// The first word of a plain text.
pub fn first_word(text: &str) -> &str {
    text.split(char::is_whitespace).next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_becomes_one() {
        assert_eq!(plain("ｆ５ｄ６"), "f5d6");
        assert_eq!(plain("Ｘ Ｏ － ． –"), "X O - . -");
        assert_eq!(plain("f5\u{3000}d6\u{a0}c3"), "f5 d6 c3");
        assert_eq!(plain("Andr\u{e9}"), "Andr\u{e9}");
        let all: String = ('\0'..=char::MAX).collect();
        assert_eq!(plain(&all).chars().count(), all.chars().count());
        assert!(plain(&all).matches('\n').count() == 1);
    }
}
