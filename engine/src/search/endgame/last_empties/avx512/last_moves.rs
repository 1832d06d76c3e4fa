//! The AVX-512 kernel's table for the square of the last move, built by the compiler.

use crate::search::endgame::last_empties::tables::line;

/// The operands that count the flips of the last move on a square, one word each.
///
/// A word holds eight bytes: row, column and both diagonals as read, then the same mirrored.
#[repr(C, align(64))]
pub(super) struct LastMove {
    /// Byte shuffle that copies the square's row to bytes 0 and 4 and clears the rest.
    pub(super) row: u64,
    /// Bit matrix operand that reads the square's column into bytes 1 and 5.
    pub(super) column: u64,
    /// The diagonal towards a8, and the one towards h8.
    pub(super) diagonals: [u64; 2],
    /// In each byte the places beyond the square that are on the board.
    pub(super) beyond: u64,
}

pub(super) static LAST_MOVES: [LastMove; 64] = last_moves();

const fn last_moves() -> [LastMove; 64] {
    let empty = [const {
        LastMove {
            row: 0,
            column: 0,
            diagonals: [0; 2],
            beyond: 0,
        }
    }; 64];
    let mut table = empty;
    let mut square = 0;
    while square < 64 {
        let file = square as u32 % 8;
        let rank = square as u32 / 8;
        let diagonals = [line(square, 2), line(square, 3)];
        // Columns and diagonals are read with rank 8 in the lowest bit.
        let places = [0xFF, 0xFF, ranks(diagonals[0]), ranks(diagonals[1])];
        let mut beyond = 0;
        let mut at = 0;
        while at < 4 {
            let place = if at == 0 { file } else { 7 - rank };
            let read: u8 = places[at] & (0xFE_u32 << place) as u8;
            let mirrored: u8 = places[at].reverse_bits() & (0xFE_u32 << (7 - place)) as u8;
            beyond |= (read as u64) << (8 * at) | (mirrored as u64) << (8 * at + 32);
            at += 1;
        }
        let row = 0x8080_8000_8080_8000 | (rank as u64) << 32 | rank as u64;
        let column = 1 << (8 + file) | 1 << (40 + file);
        table[square] = LastMove {
            row,
            column,
            diagonals,
            beyond,
        };
        square += 1;
    }
    table
}

/// The ranks of `squares`, rank 8 in the lowest bit.
const fn ranks(squares: u64) -> u8 {
    let mut bits = 0;
    let mut rank = 0;
    while rank < 8 {
        if squares >> (8 * rank) & 0xFF != 0 {
            bits |= 0x80 >> rank;
        }
        rank += 1;
    }
    bits
}
