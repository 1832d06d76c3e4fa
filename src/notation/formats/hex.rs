//! Two bitboards in hexadecimal, a1 in bit 0, and the side to move.

use super::format::{Detected, Format, Notation};
use super::moves::is_move_list;
use crate::board::{Color, Position};
use crate::notation::ParseError;
use crate::notation::scanner::Scanner;
use crate::notation::text::diagram::disc;
use crate::notation::text::plain::first_word;
use crate::notation::text::side::{Said, said};

/// Two hexadecimal bitboards and a side.
pub const HEX: Format = Format(&Notation {
    name: "hex",
    about: "two bitboards and a side",
    begins: |text| is_hex_board(first_word(text)) || is_damaged(text),
    read: |text| Ok(Detected::of(HEX, parse_hex(text)?)),
    write: |entry| Ok(write_hex(&entry.position()) + "\n"),
    ..Notation::BASE
});

/// Reads two bitboards in hexadecimal and a side: `black white X`.
///
/// Each board has 16 digits; behind `0x` zeros in front may be missing.
pub fn parse_hex(text: &str) -> Result<Position, ParseError> {
    let mut scanner = Scanner::new("hexadecimal board", text);
    let mut board = |expected| {
        scanner.skip_blanks();
        let word = scanner
            .rest()
            .split(|c: char| c.is_whitespace() || c == ',')
            .next()
            .unwrap_or("");
        let digits = digits_of(word).filter(|digits| is_whole(digits, word));
        let bits = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let bits = bits.ok_or_else(|| scanner.error(expected))?;
        scanner.at += word.len();
        scanner.take(",");
        Ok(bits)
    };
    let black = board("Black's discs, 16 hexadecimal digits")?;
    let white = board("White's discs, 16 hexadecimal digits")?;
    if black & white != 0 {
        return Err(scanner.error_at(0, "two boards without a common square"));
    }
    scanner.skip_blanks();
    match said(scanner.rest(), None) {
        Said::Side(side) => Ok(Position::from_discs(black, white, side)),
        _ => Err(scanner.error("the side to move, X or O")),
    }
}

/// Writes two bitboards in hexadecimal and the side, as [`parse_hex`] reads them.
pub fn write_hex(position: &Position) -> String {
    let [black, white] = [Color::Black, Color::White].map(|color| position.discs(color));
    format!("{black:016x} {white:016x} {}", disc(position.side))
}

/// The digits of a word, with or without `0x`; `None` for other words.
fn digits_of(word: &str) -> Option<&str> {
    let digits = word
        .strip_prefix("0x")
        .or_else(|| word.strip_prefix("0X"))
        .unwrap_or(word);
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit())).then_some(digits)
}

/// Whether the digits of a word are a bitboard: sixteen, or fewer behind `0x`.
fn is_whole(digits: &str, word: &str) -> bool {
    digits.len() == 16 || digits.len() < 16 && digits.len() < word.len()
}

/// Whether a word has the digits of a bitboard, and is no list of moves.
fn is_hex_board(word: &str) -> bool {
    let word = word.trim_end_matches(',');
    let is_board = |digits: &str| digits.len() < word.len() || !is_move_list(digits);
    digits_of(word).is_some_and(|digits| is_whole(digits, word) && is_board(digits))
}

/// Whether a text is two numbers and a side, but not of sixteen digits: boards that lost digits.
fn is_damaged(text: &str) -> bool {
    /// Fewer digits are moves or counts.
    const FEWEST: usize = 7;
    let words: Vec<&str> = text
        .split([' ', '\t', ','])
        .filter(|word| !word.is_empty())
        .take(4)
        .collect();
    let [black, white, side] = words[..] else {
        return false;
    };
    let is_board = |digits: &str| digits.len() >= FEWEST && !is_move_list(digits);
    let is_number = |word: &str| digits_of(word).is_some_and(is_board);
    is_number(black) && is_number(white) && matches!(said(side, None), Said::Side(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bitboards_have_sixteen_digits_or_0x() {
        assert_eq!(
            write_hex(&Position::START),
            "0000000810000000 0000001008000000 X"
        );
        for text in [
            "0000000810000000 0000001008000000 X",
            "0x810000000 0x1008000000 X",
        ] {
            assert_eq!(parse_hex(text), Ok(Position::START), "{text}");
        }
        for (text, error) in [
            (
                "810000000 1008000000 X",
                "column 1: expected Black's discs, 16 hexadecimal digits",
            ),
            (
                "0x00000000810000000 0x1 X",
                "column 1: expected Black's discs, 16",
            ),
            (
                "0000000810000000 +000001008000000 X",
                "column 18: expected White's discs",
            ),
            (
                "0000000810000000 0000000810000000 X",
                "without a common square",
            ),
            (
                "0000000810000000 0000001008000000",
                "column 34: expected the side",
            ),
        ] {
            assert!(
                parse_hex(text).unwrap_err().to_string().contains(error),
                "{text}"
            );
        }
        for (text, begins) in [
            ("0x810000000 0x1008000000 X", true),
            ("810000000 1008000000 X", true),
            ("f5d6c3d3 c4f4e3f6 X", false),
            ("1 2 X", false),
        ] {
            assert_eq!((HEX.0.begins)(text), begins, "{text}");
        }
    }
}
