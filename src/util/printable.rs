//! Replaces the characters that control a terminal. Every writer of the program uses it.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether the character controls a terminal: control characters but line feed and tab, and bidirectional embeddings,
/// overrides and isolates.
pub fn is_command(c: char) -> bool {
    let is_control = c.is_control() && c != '\n' && c != '\t';
    is_control || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with each of these characters as in JSON, `\u001b` for escape.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_command) {
        return text.into();
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_command(c) {
            true => drop(write!(safe, "\\u{:04x}", u32::from(c))),
            false => safe.push(c),
        }
    }
    safe.into()
}

/// The text with U+FFFD for each of these characters, for notations without escapes.
pub fn replaced(text: String) -> String {
    if text.contains(is_command) {
        text.replace(is_command, "\u{fffd}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_are_replaced() {
        for plain in [
            "",
            "f5d6\n\tc3",
            "caf\u{e9} \u{25cf} \u{4e2d} \u{5d0}",
            "\u{a0}\u{200b}",
        ] {
            assert_eq!(escaped(plain), plain);
            assert_eq!(replaced(plain.to_owned()), plain);
        }
        assert_eq!(
            escaped("a\x1b[2J\x07\r\x7f\u{9b}\u{202e}\u{2066}b"),
            "a\\u001b[2J\\u0007\\u000d\\u007f\\u009b\\u202e\\u2066b"
        );
        assert_eq!(
            replaced("a\x1b[2J\u{85}".to_owned()),
            "a\u{fffd}[2J\u{fffd}"
        );
    }

    #[test]
    fn json_keeps_its_meaning() {
        let all: String = (0..0x300)
            .chain(0x2000..0x2100)
            .filter_map(char::from_u32)
            .collect();
        let json = serde_json::to_string(&all).unwrap();
        let safe = escaped(&json).into_owned();
        assert!(!safe.contains(is_command));
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), all);
    }
}
