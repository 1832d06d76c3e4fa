//! Two bitboards in hexadecimal and the side to move.

use super::ParseError;
use super::diagram::disc;
use super::format::{BitOrder, Detected, Format, Notation, Shape};
use super::list::is_move_list;
use super::plain::first_word;
use super::side::{Said, said};
use crate::board::{Color, Position};

/// Two hexadecimal bitboards and a side.
pub const HEX: Format = Format(&Notation {
    name: "hex",
    about: "two bitboards and a side",
    is_of_games: false,
    shape: Shape::Line,
    is_marked: |text| is_hex_board(first_word(text)),
    read: |text, bits| Ok(Detected::of(HEX, parse_hex(text, bits)?)),
    read_all: None,
    sheet: None,
    write: |entry, bits| Ok(write_hex(&entry.position(), bits) + "\n"),
    losses: |_| Vec::new(),
});

/// Reads two bitboards in hexadecimal and a side: `black white X`.
///
/// Each board has 16 digits, with or without `0x`.
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
        let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
        // `from_str_radix` would take a sign.
        let plain = digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        *board = plain
            .then(|| u64::from_str_radix(digits, 16).ok())
            .flatten()
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

/// Whether a word has the sixteen digits of a bitboard, and is no list of moves.
pub(super) fn is_hex_board(word: &str) -> bool {
    let digits = word.trim_end_matches(',');
    let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")).unwrap_or(digits);
    digits.len() == 16
        && digits.bytes().all(|b| b.is_ascii_hexdigit())
        && (digits.len() < word.trim_end_matches(',').len() || !is_move_list(digits))
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
        assert!(error("0000000810000000 +000001008000000 X").contains("column 18: expected White's discs"));
        assert!(error("0000000810000000 0000000810000000 X").contains("without a common square"));
        assert!(error("0000000810000000 0000001008000000").contains("column 34: expected the side"));
    }
}
