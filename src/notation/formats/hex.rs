//! Two bitboards in hexadecimal and the side to move.

use super::format::{BitOrder, Detected, Format, Notation};
use super::moves::is_move_list;
use crate::board::{Color, Position};
use crate::notation::ParseError;
use crate::notation::text::diagram::disc;
use crate::notation::text::plain::first_word;
use crate::notation::text::side::{Said, said};

/// Two hexadecimal bitboards and a side.
pub const HEX: Format = Format(&Notation {
    name: "hex",
    about: "two bitboards and a side",
    begins: |text| is_hex_board(first_word(text)) || is_damaged(text),
    read: |text, bits| Ok(Detected::of(HEX, parse_hex(text, bits)?)),
    write: |entry, bits| Ok(write_hex(&entry.position(), bits) + "\n"),
    ..Notation::BASE
});

/// Reads two bitboards in hexadecimal and a side: `black white X`.
///
/// Each board has 16 digits; behind `0x` zeros in front may be missing.
pub fn parse_hex(text: &str, order: BitOrder) -> Result<Position, ParseError> {
    const SUBJECT: &str = "hexadecimal board";
    let mut boards = [0u64; 2];
    let mut offset = 0;
    for (board, expected) in boards
        .iter_mut()
        .zip(["Black's discs, 16 hexadecimal digits", "White's discs, 16 hexadecimal digits"])
    {
        offset += text[offset..].len() - text[offset..].trim_start().len();
        let word = text[offset..].split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or("");
        let digits = digits_of(word).filter(|digits| is_whole(digits, word));
        *board = digits
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .ok_or_else(|| ParseError::at(SUBJECT, text, offset, expected))?;
        offset += word.len();
        offset += usize::from(text[offset..].starts_with(','));
    }
    if boards[0] & boards[1] != 0 {
        return Err(ParseError::at(SUBJECT, text, 0, "two boards without a common square"));
    }
    offset += text[offset..].len() - text[offset..].trim_start().len();
    let Said::Side(side) = said(&text[offset..], None) else {
        return Err(ParseError::at(SUBJECT, text, offset, "the side to move, X or O"));
    };
    Ok(Position::from_discs(order.convert(boards[0]), order.convert(boards[1]), side))
}

/// Writes two bitboards in hexadecimal and the side, as [`parse_hex`] reads them.
pub fn write_hex(position: &Position, order: BitOrder) -> String {
    let board = |color| order.convert(position.discs(color));
    format!("{:016x} {:016x} {}", board(Color::Black), board(Color::White), disc(position.side))
}

/// The digits of a word, with or without `0x`; `None` for other words.
fn digits_of(word: &str) -> Option<&str> {
    let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit())).then_some(digits)
}

/// Whether the digits of a word are a bitboard: sixteen, or fewer behind `0x`.
fn is_whole(digits: &str, word: &str) -> bool {
    digits.len() == 16 || digits.len() < 16 && digits.len() < word.len()
}

/// Whether a word has the digits of a bitboard, and is no list of moves.
fn is_hex_board(word: &str) -> bool {
    let word = word.trim_end_matches(',');
    digits_of(word)
        .is_some_and(|digits| is_whole(digits, word) && (digits.len() < word.len() || !is_move_list(digits)))
}

/// Whether a text is two numbers and a side, but not of sixteen digits: boards that lost digits.
fn is_damaged(text: &str) -> bool {
    /// Fewer digits are moves or counts.
    const FEWEST: usize = 7;
    let words: Vec<&str> = text.split([' ', '\t', ',']).filter(|word| !word.is_empty()).take(4).collect();
    let [black, white, side] = words[..] else { return false };
    let is_number =
        |word: &str| digits_of(word).is_some_and(|digits| digits.len() >= FEWEST && !is_move_list(digits));
    is_number(black) && is_number(white) && matches!(said(side, None), Said::Side(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_orders_agree_with_their_pages() {
        // "Top left is 2^63, top right is 2^56" in a page that counts from the other end.
        assert_eq!(BitOrder::A1Msb.convert(1), 1 << 63);
        assert_eq!(BitOrder::A1Msb.convert(1 << 7), 1 << 56);
        for order in [BitOrder::A1Lsb, BitOrder::A1Msb] {
            assert_eq!(order.convert(order.convert(0x1234_5678_9ABC_DEF0)), 0x1234_5678_9ABC_DEF0);
            assert_eq!(parse_hex(&write_hex(&Position::START, order), order), Ok(Position::START));
        }
        assert_eq!(write_hex(&Position::START, BitOrder::A1Lsb), "0000000810000000 0000001008000000 X");
        let error = |text| parse_hex(text, BitOrder::A1Lsb).unwrap_err().to_string();
        assert_eq!(parse_hex("0x810000000 0x1008000000 X", BitOrder::A1Lsb), Ok(Position::START));
        assert!(
            error("810000000 1008000000 X")
                .contains("column 1: expected Black's discs, 16 hexadecimal digits")
        );
        assert!(error("0x00000000810000000 0x1 X").contains("column 1: expected Black's discs, 16"));
        for text in ["0x810000000 0x1008000000 X", "810000000 1008000000 X"] {
            assert!((HEX.0.begins)(text), "{text}");
        }
        assert!(!(HEX.0.begins)("f5d6c3d3 c4f4e3f6 X") && !(HEX.0.begins)("1 2 X"));
        assert!(error("0000000810000000 +000001008000000 X").contains("column 18: expected White's discs"));
        assert!(error("0000000810000000 0000000810000000 X").contains("without a common square"));
        assert!(error("0000000810000000 0000001008000000").contains("column 34: expected the side"));
    }
}
