//! Plain characters in place of full-width ones, Unicode's blanks and dashes; decimal numbers.
//!
//! One character becomes one character, so columns in errors stay right.

use std::borrow::Cow;

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
