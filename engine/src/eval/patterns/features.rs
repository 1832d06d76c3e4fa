//! Pattern indices of a position, updated from (square, flips) as moves are played.
//!
//! For every placement of the pattern table two base-3 sums are kept: one over the discs of the side
//! to move and one over those of the other side. A move only adds and subtracts powers of three in
//! both, a pass exchanges them, and the row of a placement is `player + 2 * opponent`: both points of
//! view are served without a second set of tables.
//!
//! A look-up by whole ranks of flips would need 128 bytes per mask; one vector per turned disc keeps
//! the table at 6 KiB, which stays in the first-level cache with the weights.

use crate::board::{Board, Square};

use super::{CLASSES, FIRST_ROWS, PLACEMENT_COUNT, PLACEMENTS};

/// Lanes per side: the placements, and zeros up to whole vectors.
pub const LANES: usize = PLACEMENT_COUNT.next_multiple_of(16);

/// One number per placement.
pub type Lanes = [u16; LANES];

/// The pattern indices of a position, for both sides: 192 bytes.
///
/// Two positions with the same discs and the same side to move have equal features, however they
/// were reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Features {
    /// Base-3 sums over the discs of the side to move.
    player: Lanes,
    /// Base-3 sums over the discs of the other side.
    opponent: Lanes,
}

/// The row of every placement within its class; lanes from `PLACEMENT_COUNT` on are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct ClassRows(pub Lanes);

/// The common part of the positions one move on: the rows after a pass.
#[derive(Clone, Copy, Debug)]
pub struct Children(ClassRows);

impl Children {
    /// The rows after the side to move placed a disc on `square` and turned `flipped`.
    #[inline(always)]
    pub fn rows(&self, square: Square, flipped: u64) -> ClassRows {
        let turned = sum(flipped);
        let placed = &POWERS.0[square.index()];
        // Seen by the other side, a turned disc changes from digit 1 to 2, an empty square from 0 to 2.
        ClassRows(std::array::from_fn(|lane| {
            self.0.0[lane]
                .wrapping_add(turned[lane])
                .wrapping_add(placed[lane] << 1)
        }))
    }
}

/// The power of three of a square in each placement, 0 if the placement does not contain it; square 64 is in no placement.
#[repr(align(64))]
struct Powers([Lanes; 65]);

static POWERS: Powers = powers();

const fn powers() -> Powers {
    let mut table = [[0; LANES]; 65];
    let mut lane = 0;
    while lane < PLACEMENT_COUNT {
        let squares = PLACEMENTS[lane].squares();
        let mut power = 1;
        let mut digit = squares.len();
        while digit > 0 {
            digit -= 1;
            table[squares[digit].index()][lane] = power;
            // Ten squares end at 3^9; one more multiplication of the loop would not overflow either.
            power *= 3;
        }
        lane += 1;
    }
    Powers(table)
}

impl Features {
    /// The features of the empty board, and of an evaluation without features.
    pub const EMPTY: Self = Self {
        player: [0; LANES],
        opponent: [0; LANES],
    };

    /// The features of a position, computed from nothing: the definition.
    pub fn of(board: Board) -> Self {
        Self {
            player: sum(board.player),
            opponent: sum(board.opponent),
        }
    }

    /// The features after the side to move placed a disc on `square` and turned `flipped`, seen from
    /// the other side.
    #[inline(always)]
    #[must_use]
    pub fn play(&self, square: Square, flipped: u64) -> Self {
        let turned = sum(flipped);
        let placed = &POWERS.0[square.index()];
        let mut next = Self::EMPTY;
        for lane in 0..LANES {
            next.player[lane] = self.opponent[lane].wrapping_sub(turned[lane]);
            next.opponent[lane] = self.player[lane]
                .wrapping_add(turned[lane])
                .wrapping_add(placed[lane]);
        }
        next
    }

    /// The features with the other side to move.
    #[inline(always)]
    #[must_use]
    pub fn pass(&self) -> Self {
        Self {
            player: self.opponent,
            opponent: self.player,
        }
    }

    /// The rows that the placements show.
    #[inline(always)]
    pub fn class_rows(&self) -> ClassRows {
        ClassRows(std::array::from_fn(|lane| {
            self.player[lane].wrapping_add(self.opponent[lane] << 1)
        }))
    }

    /// The way to the rows of the positions one move on, without their features.
    #[inline(always)]
    pub fn children(&self) -> Children {
        Children(self.pass().class_rows())
    }
}

/// The first row of each placement's class.
pub const OFFSETS: [u32; PLACEMENT_COUNT] = offsets();

const fn offsets() -> [u32; PLACEMENT_COUNT] {
    let mut offsets = [0; PLACEMENT_COUNT];
    let mut lane = 0;
    while lane < PLACEMENT_COUNT {
        offsets[lane] = FIRST_ROWS[PLACEMENTS[lane].class];
        lane += 1;
    }
    offsets
}

/// The base-3 sums over the squares of `bits`.
#[inline(always)]
fn sum(mut bits: u64) -> Lanes {
    let mut sum = [0u16; LANES];
    loop {
        // Most moves turn no more discs than this: a branch that is seldom wrong.
        for _ in 0..4 {
            let powers = &POWERS.0[bits.trailing_zeros() as usize];
            bits &= bits.wrapping_sub(1);
            for lane in 0..LANES {
                sum[lane] = sum[lane].wrapping_add(powers[lane]);
            }
        }
        if bits == 0 {
            return sum;
        }
    }
}

const _: () = assert!(CLASSES.len() < LANES && size_of::<Features>() == 192);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::nth;
    use crate::util::rng::Rng;

    #[test]
    fn features_follow_the_moves_of_games_and_show_the_defined_rows() {
        let mut rng = Rng::new(1);
        let mut board = Board::START;
        let mut features = Features::of(Board::START);
        for ply in 0..1_000_000 {
            match board.moves().0 {
                0 if board.is_over() => {
                    (board, features) = (Board::START, Features::of(Board::START))
                }
                0 => (board, features) = (board.pass(), features.pass()),
                moves => {
                    let square = nth(moves, rng.below(moves.count_ones()));
                    let flipped = board.flip(square);
                    let rows = features.children().rows(square, flipped);
                    (board, features) =
                        (board.after(square, flipped), features.play(square, flipped));
                    assert_eq!(rows, features.class_rows());
                }
            }
            assert_eq!(features, Features::of(board), "{board:?}");
            if ply % 10 == 0 {
                let rows = features.class_rows().0;
                let shown = std::array::from_fn(|lane| OFFSETS[lane] + u32::from(rows[lane]));
                assert_eq!(
                    shown,
                    PLACEMENTS.map(|placement| placement.row(board)),
                    "{board:?}"
                );
            }
        }
    }
}
