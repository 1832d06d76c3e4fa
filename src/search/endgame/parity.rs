//! Isolated empties: whoever plays there has the last word in that region, so they are tried first.
//!
//! Tried on captured positions of 13 empties instead of these single squares (nodes): odd quarters
//! of the board +7 %, connected regions of odd size +6 %, single squares before odd regions +0.3 %.

use crate::board::bitboard::neighbours;

/// Those of `empties` without an empty neighbour.
#[inline(always)]
pub(super) fn singles(empties: u64) -> u64 {
    empties & !neighbours(empties)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singles_have_no_empty_neighbour() {
        assert_eq!(singles(0), 0);
        assert_eq!(singles(1 | 1 << 63), 1 | 1 << 63);
        // h1 and a2 follow each other in the word but not on the board.
        assert_eq!(singles(1 << 7 | 1 << 8), 1 << 7 | 1 << 8);
        for step in [1, 7, 8, 9] {
            assert_eq!(singles(1 << 27 | 1 << (27 + step) | 1 << 48), 1 << 48);
        }
    }
}
