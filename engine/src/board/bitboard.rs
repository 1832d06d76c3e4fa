//! Sets of squares: steps that do not wrap round the board's borders, and the squares with names.

/// File a.
pub const FILE_A: u64 = 0x0101_0101_0101_0101;
/// File h.
pub const FILE_H: u64 = FILE_A << 7;
/// The four corners.
pub const CORNERS: u64 = 0x8100_0000_0000_0081;
/// The squares diagonally next to a corner.
pub const X_SQUARES: u64 = 0x0042_0000_0000_4200;
/// The squares next to a corner on the border.
pub const C_SQUARES: u64 = 0x4281_0000_0000_8142;
/// The 28 squares of the border.
pub const BORDER: u64 = 0xFF | 0xFF << 56 | FILE_A | FILE_H;

/// `set` one file towards h.
#[inline(always)]
pub const fn east(set: u64) -> u64 {
    set << 1 & !FILE_A
}

/// `set` one file towards a.
#[inline(always)]
pub const fn west(set: u64) -> u64 {
    set >> 1 & !FILE_H
}

/// `set` one rank towards 8.
#[inline(always)]
pub const fn north(set: u64) -> u64 {
    set << 8
}

/// `set` one rank towards 1.
#[inline(always)]
pub const fn south(set: u64) -> u64 {
    set >> 8
}

/// All squares a king's move away from a square of `set`; squares of `set` itself if others of it are.
///
/// # Examples
/// ```
/// use emilia_engine::board::bitboard::neighbors;
/// assert_eq!(neighbors(1), 0x0302);
/// ```
#[inline(always)]
pub const fn neighbors(set: u64) -> u64 {
    let sides = east(set) | west(set);
    let row = set | sides;
    sides | north(row) | south(row)
}

/// The squares of `area` that king's moves inside it connect to `seed`, a part of it.
///
/// # Examples
/// ```
/// use emilia_engine::board::bitboard::flood;
/// assert_eq!(flood(0b1, 0b1_0111), 0b111);
/// ```
#[inline(always)]
pub const fn flood(seed: u64, area: u64) -> u64 {
    let mut region = seed;
    loop {
        let grown = (region | neighbors(region)) & area;
        if grown == region {
            return region;
        }
        region = grown;
    }
}

/// The regions of `empties`: squares that touch by a side or a corner belong together. Lowest square first.
///
/// ```
/// use emilia_engine::board::bitboard::regions;
/// assert_eq!(regions(0b1011).collect::<Vec<_>>(), [0b11, 0b1000]);
/// ```
#[inline(always)]
pub fn regions(empties: u64) -> impl Iterator<Item = u64> {
    let mut left = empties;
    std::iter::from_fn(move || {
        let region = flood(left & left.wrapping_neg(), empties);
        left &= !region;
        (region != 0).then_some(region)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;

    #[test]
    fn neighbors_are_a_kings_move_away() {
        for square in Square::all() {
            let near = |other: &Square| {
                let files = square.file().abs_diff(other.file());
                let ranks = square.rank().abs_diff(other.rank());
                files.max(ranks) == 1
            };
            let expected = Square::all()
                .filter(near)
                .fold(0, |all, other| all | other.bit());
            assert_eq!(neighbors(square.bit()), expected, "{square}");
        }
        assert_eq!(neighbors(0b11), 0x0707);
    }

    #[test]
    fn named_squares_are_where_they_belong() {
        let border =
            |square: &Square| [0, 7].contains(&square.file()) || [0, 7].contains(&square.rank());
        assert_eq!(
            BORDER,
            Square::all()
                .filter(border)
                .fold(0, |all, square| all | square.bit())
        );
        assert_eq!(X_SQUARES | C_SQUARES, neighbors(CORNERS));
        assert_eq!(C_SQUARES, neighbors(CORNERS) & BORDER);
    }

    #[test]
    fn regions_are_the_squares_that_a_walk_reaches() {
        /// The region of `start`, square by square along the neighbors' coordinates.
        fn walk(empties: u64, start: Square, region: &mut u64) {
            *region |= start.bit();
            for next in Square::all() {
                let files = start.file().abs_diff(next.file());
                let ranks = start.rank().abs_diff(next.rank());
                if files.max(ranks) == 1 && empties & next.bit() & !*region != 0 {
                    walk(empties, next, region);
                }
            }
        }
        for board in crate::board::testing::game_boards(4, 11) {
            let mut left = board.empties();
            for region in regions(board.empties()) {
                let mut walked = 0;
                walk(
                    board.empties(),
                    crate::board::SquareSet(region).first().unwrap(),
                    &mut walked,
                );
                assert_eq!(walked, region, "{board}");
                left &= !region;
            }
            assert_eq!(left, 0, "{board}");
        }
    }
}
