//! Replaces full-width letters, long dashes, arrows, curly quotes and drawn discs by plain characters.
//!
//! One character becomes one character, so columns in errors stay right.

use std::borrow::Cow;

/// Replaces characters of no width, such as byte order marks; readers ignore it.
pub const NOTHING: char = '\u{200b}';

/// `text` in plain characters.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(plain_char).collect())
}

/// Blanks, characters of no width and quotes around an entry.
pub fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == NOTHING || matches!(c, '"' | '\'' | '`')
}

/// The first word of a plain text.
pub fn first_word(text: &str) -> &str {
    text.split(is_blank).next().unwrap_or("")
}

/// The plain character for `c`; itself for most.
pub fn plain_char(c: char) -> char {
    match c {
        '\0'..='\x7f' => c,
        // Full-width forms are ASCII in the order of ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from((u32::from(c) - 0xff01 + 0x21) as u8),
        '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' | '\u{fe0e}' | '\u{fe0f}' => {
            NOTHING
        }
        c if c.is_whitespace() => ' ',
        '\u{2010}'..='\u{2015}' | '−' | '﹣' | 'ー' | '⁃' | '˗' => '-',
        '\u{2190}'..='\u{21ff}' | '\u{2794}'..='\u{27be}' | '›' => '>',
        '“' | '”' | '„' | '‟' | '«' | '»' | '″' | '「' | '」' | '『' | '』' => '"',
        '‘' | '’' | '‚' | '′' | '‹' | '´' => '\'',
        '【' | '〔' => '[',
        '】' | '〕' => ']',
        '、' => ',',
        '。' | '·' | '・' | '･' | '⋅' | '∙' | '…' | '🟩' | '🟢' => '.',
        '×' => 'X',
        '⚫' | '⬤' => '●',
        '⚪' | '◯' => '○',
        '⬛' | '◼' | '▪' => '■',
        '⬜' | '◻' | '▫' => '□',
        // Numbers in circles are move numbers.
        '①'..='⑳' => ' ',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_becomes_one() {
        assert_eq!(plain("ｆ５ｄ６"), "f5d6");
        assert_eq!(plain("“f5 → d6”"), "\"f5 > d6\"");
        assert_eq!(plain("Ｘ Ｏ － ．"), "X O - .");
        assert_eq!(plain("⚫ ⚪"), "● ○");
        assert_eq!(plain("f5\u{3000}d6\u{a0}c3"), "f5 d6 c3");
        assert_eq!(plain("Andr\u{e9}"), "Andr\u{e9}");
        let all: String = ('\0'..=char::MAX).collect();
        assert_eq!(plain(&all).chars().count(), all.chars().count());
        assert!(plain(&all).matches('\n').count() == 1);
    }
}
