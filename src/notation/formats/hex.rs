//! Two bitboards in hexadecimal, a1 in bit 0, and the side to move.

use super::board::{line_ends, read_line};
use super::format::{Format, Notation};
use crate::board::{Color, Position};
use crate::notation::ParseError;
use crate::notation::error::Code;
use crate::notation::grammar::board::{Digits, side, whole};
use crate::notation::grammar::diagram::disc;
use crate::notation::grammar::words::digits_of;
use crate::notation::scanner::Scanner;

/// Two hexadecimal bitboards and a side.
pub const HEX: Format = Format(&Notation {
    name: "hex",
    about: "two bitboards and a side",
    read: |text| read_line(HEX, text, position).map(|(entry, _)| entry),
    write: |entry| Ok(write_hex(&entry.position()) + "\n"),
    ..Notation::BASE
});

/// Reads two bitboards of 16 hexadecimal digits, with or without `0x`, and a side: `black white X`.
pub fn parse_hex(text: &str) -> Result<Position, ParseError> {
    whole(HEX.name(), text, position)
}

fn position(scanner: &mut Scanner) -> Result<Position, ParseError> {
    let begin = scanner.at;
    let mut board = |expected| {
        scanner.skip_blanks();
        let at = scanner.at;
        let word = scanner.take_while(|c| !c.is_whitespace());
        let bits = digits_of(word).and_then(|digits| u64::from_str_radix(digits, 16).ok());
        bits.ok_or_else(|| scanner.error_at(at, expected).with(Code::BoardSquares))
    };
    let black = board("Black's discs, 16 hexadecimal digits")?;
    let white = board("White's discs, 16 hexadecimal digits")?;
    if black & white != 0 {
        let error = scanner.error_at(begin, "two boards without a common square");
        return Err(error.with(Code::BoardSquares));
    }
    let side = side(scanner, Digits::No)?;
    line_ends(scanner)?;
    Ok(Position::from_discs(black, white, side))
}

/// Writes two bitboards in hexadecimal and the side, as [`parse_hex`] reads them.
pub fn write_hex(position: &Position) -> String {
    let [black, white] = [Color::Black, Color::White].map(|color| position.discs(color));
    format!("{black:016x} {white:016x} {}", disc(position.side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bitboards_have_sixteen_digits() {
        assert_eq!(
            write_hex(&Position::START),
            "0000000810000000 0000001008000000 X"
        );
        for text in [
            "0000000810000000 0000001008000000 X",
            "0x0000000810000000 0x0000001008000000 X",
        ] {
            assert_eq!(parse_hex(text), Ok(Position::START), "{text}");
        }
        for (text, error) in [
            (
                "810000000 1008000000 X",
                "column 1: expected Black's discs, 16 hexadecimal digits",
            ),
            (
                "0x810000000 0x1008000000 X",
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
    }
}
