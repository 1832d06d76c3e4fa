//! The eight symmetries of the board, and the canonical form of a position under them.
//!
//! A symmetry is a number `0..8` of three bits: 4 = transpose (a1-h8 diagonal stays), 2 = turn the
//! ranks upside down, 1 = mirror the files. They act in that order: transpose first, files last.

use super::{Board, Move, Square};

/// One of the eight turns and mirror images that map the board onto itself.
///
/// ```
/// use emilia_engine::board::{Square, Symmetry};
/// let square: Square = "f5".parse().unwrap();
/// for symmetry in Symmetry::all() {
///     let image = symmetry.apply_square(square);
///     assert_eq!(symmetry.apply_bits(square.bit()), image.bit());
///     assert_eq!(symmetry.inverse().apply_square(image), square);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Leaves every square where it is.
    pub const IDENTITY: Self = Self(0);
    /// Turns by 180 degrees: a1 goes to h8.
    pub const HALF_TURN: Self = Self(3);
    /// Number of symmetries.
    pub const COUNT: usize = 8;

    /// The symmetry with this number, or `None` from 8 on.
    pub const fn new(index: u8) -> Option<Self> {
        if index < 8 { Some(Self(index)) } else { None }
    }

    /// Number, `0..8`.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// All eight, by number; the identity comes first.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..8).map(Self)
    }

    /// The symmetry that acts like `first`, then `self`, as functions compose:
    /// `a.compose(b).apply_bits(x) == a.apply_bits(b.apply_bits(x))`.
    ///
    /// ```
    /// use emilia_engine::board::Symmetry;
    /// assert_eq!(Symmetry::HALF_TURN.compose(Symmetry::HALF_TURN), Symmetry::IDENTITY);
    /// ```
    #[must_use]
    pub const fn compose(self, first: Self) -> Self {
        // A transposition that acts after `first` trades its mirrorings.
        let moved = if self.0 & 4 == 0 {
            first.0 & 3
        } else {
            swap_mirrors(first.0)
        };
        Self((self.0 ^ first.0) & 4 | (self.0 & 3) ^ moved)
    }

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Self {
        if self.0 & 4 == 0 {
            self
        } else {
            Self(4 | swap_mirrors(self.0))
        }
    }

    /// Moves every bit of `bits` to the image of its square.
    #[inline(always)]
    pub const fn apply_bits(self, mut bits: u64) -> u64 {
        if self.0 & 4 != 0 {
            bits = transpose(bits);
        }
        if self.0 & 2 != 0 {
            bits = bits.swap_bytes();
        }
        if self.0 & 1 != 0 {
            bits = mirror_files(bits);
        }
        bits
    }

    /// The image of a position.
    #[inline(always)]
    pub const fn apply(self, board: Board) -> Board {
        Board {
            player: self.apply_bits(board.player),
            opponent: self.apply_bits(board.opponent),
        }
    }

    /// The image of a square.
    #[inline(always)]
    pub const fn apply_square(self, square: Square) -> Square {
        let mut file = square.file();
        let mut rank = square.rank();
        if self.0 & 4 != 0 {
            (file, rank) = (rank, file);
        }
        if self.0 & 2 != 0 {
            rank ^= 7;
        }
        if self.0 & 1 != 0 {
            file ^= 7;
        }
        Square::at(file, rank)
    }
}

impl Board {
    /// The least of the eight images of the position, and a symmetry that leads to it:
    /// `symmetry.apply(self) == canonical`.
    ///
    /// Equal for all eight images of a position. Returns the lowest symmetry if several lead there.
    ///
    /// ```
    /// use emilia_engine::board::Board;
    /// // The four first moves are one by symmetry.
    /// let replies = Board::START.moves().iter().filter_map(|square| Board::START.play(square));
    /// let mut kinds: Vec<Board> = replies.map(|board| board.canonical().0).collect();
    /// kinds.dedup();
    /// assert_eq!(kinds.len(), 1);
    /// ```
    #[inline]
    pub fn canonical(self) -> (Self, Symmetry) {
        let transposed = [self.player, self.opponent].map(transpose);
        let mut best = (self, Symmetry::IDENTITY);
        for index in 1..8 {
            // The transpositions are shared by four images each: the expensive part is paid once.
            let [player, opponent] = if index & 4 == 0 {
                [self.player, self.opponent]
            } else {
                transposed
            };
            let image = Symmetry(index & 3).apply(Self { player, opponent });
            if image < best.0 {
                best = (image, Symmetry(index));
            }
        }
        best
    }

    /// The symmetries that map the position onto itself; the identity comes first.
    ///
    /// ```
    /// use emilia_engine::board::Board;
    /// assert_eq!(Board::START.own_symmetries().count(), 4);
    /// ```
    pub fn own_symmetries(self) -> impl Iterator<Item = Symmetry> + Clone {
        Symmetry::all().filter(move |symmetry| symmetry.apply(self) == self)
    }
}

impl Move {
    /// The image of a move.
    ///
    /// ```
    /// use emilia_engine::board::{Move, Square, Symmetry};
    ///
    /// let f5 = Move::Place(Square::at(5, 4));
    /// assert_eq!(f5.mapped(Symmetry::HALF_TURN).to_string(), "c4");
    /// ```
    #[must_use]
    pub fn mapped(self, symmetry: Symmetry) -> Self {
        match self {
            Self::Place(square) => Self::Place(symmetry.apply_square(square)),
            Self::Pass => Self::Pass,
        }
    }
}

/// The two mirror bits of a symmetry number, exchanged.
const fn swap_mirrors(index: u8) -> u8 {
    (index & 1) << 1 | index >> 1 & 1
}

/// Exchanges two groups of bits: `mask` marks the low group, `shift` is their distance.
const fn delta_swap(bits: u64, mask: u64, shift: u32) -> u64 {
    let difference = (bits ^ bits >> shift) & mask;
    bits ^ difference ^ difference << shift
}

const fn transpose(bits: u64) -> u64 {
    let bits = delta_swap(bits, 0x00AA_00AA_00AA_00AA, 7);
    let bits = delta_swap(bits, 0x0000_CCCC_0000_CCCC, 14);
    delta_swap(bits, 0x0000_0000_F0F0_F0F0, 28)
}

const fn mirror_files(bits: u64) -> u64 {
    let bits = bits >> 1 & 0x5555_5555_5555_5555 | (bits & 0x5555_5555_5555_5555) << 1;
    let bits = bits >> 2 & 0x3333_3333_3333_3333 | (bits & 0x3333_3333_3333_3333) << 2;
    bits >> 4 & 0x0F0F_0F0F_0F0F_0F0F | (bits & 0x0F0F_0F0F_0F0F_0F0F) << 4
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::random_board;
    use crate::util::rng::Rng;

    fn random_boards(count: usize) -> impl Iterator<Item = Board> {
        let mut rng = Rng::new(8);
        (0..count).map(move |_| random_board(&mut rng))
    }

    #[test]
    fn bits_move_as_their_squares() {
        for symmetry in Symmetry::all() {
            for square in Square::all() {
                assert_eq!(
                    symmetry.apply_bits(square.bit()),
                    symmetry.apply_square(square).bit()
                );
            }
        }
        let name = |symmetry: Symmetry| symmetry.apply_square(Square::at(1, 0)).to_string();
        assert_eq!(
            Symmetry::all().map(name).collect::<Vec<_>>(),
            ["b1", "g1", "b8", "g8", "a2", "h2", "a7", "h7"]
        );
    }

    #[test]
    fn composition_applies_the_right_one_first() {
        for a in Symmetry::all() {
            assert_eq!(a.compose(a.inverse()), Symmetry::IDENTITY);
            assert_eq!(a.inverse().compose(a), Symmetry::IDENTITY);
            for b in Symmetry::all() {
                for board in random_boards(20) {
                    assert_eq!(
                        a.compose(b).apply(board),
                        a.apply(b.apply(board)),
                        "{a:?} {b:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn canonical_form_is_shared_by_all_images() {
        for board in random_boards(20_000) {
            let (canonical, symmetry) = board.canonical();
            assert_eq!(symmetry.apply(board), canonical);
            assert_eq!(symmetry.inverse().apply(canonical), board);
            assert_eq!(canonical.canonical(), (canonical, Symmetry::IDENTITY));
            let images = Symmetry::all().map(|s| s.apply(board));
            assert_eq!(images.clone().min(), Some(canonical));
            assert!(
                images
                    .into_iter()
                    .all(|image| image.canonical().0 == canonical)
            );
        }
    }

    #[test]
    fn symmetric_positions_take_the_lowest_symmetry() {
        let mut rng = Rng::new(9);
        // Symmetric players with any opponent, and positions symmetric as a whole.
        let half_turned = (0..1_000).map(|_| {
            let a = rng.next() & rng.next();
            let b = rng.next();
            let player = a | Symmetry::HALF_TURN.apply_bits(a);
            Board {
                player,
                opponent: b & !player,
            }
        });
        let whole = [
            Board::START,
            Board {
                player: 0,
                opponent: 0,
            },
            Board {
                player: !0,
                opponent: 0,
            },
        ];
        for board in half_turned.chain(whole) {
            let (canonical, symmetry) = board.canonical();
            assert_eq!(
                Symmetry::all().map(|s| s.apply(board)).min(),
                Some(canonical),
                "\n{board}"
            );
            let first = Symmetry::all().find(|s| s.apply(board) == canonical);
            assert_eq!(Some(symmetry), first);
        }
    }

    #[test]
    fn numbers_outside_the_group_are_refused() {
        assert_eq!(Symmetry::new(7).map(Symmetry::index), Some(7));
        assert_eq!(Symmetry::new(8), None);
    }
}
