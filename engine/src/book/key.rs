//! The name of a position in a book: one number per class of equal positions, and back.
//!
//! The canonical position has a side to move that can move, and is the least of its eight images. Its number is, from
//! the high bits down: the count of discs, the rank of the occupied squares among all sets of that size, the colors of
//! the discs. The differences of sorted numbers take six or seven bytes, a third of two bitboards.
//!
//! The rank is the combinatorial number system (Lehmer 1964), with the center as the highest places: those
//! squares are always occupied and cost nothing. Bits 121 to 127 hold the count of discs n; below them is
//! `rank << n | colors`, a bit for each disc, set for the side to move. Each position
//! has its own number, so there are no false hits. Images are compared as (own discs, other discs), with a1 as bit 0.

use crate::board::{Board, Square, SquareSet, Symmetry};

/// The number of a canonical position.
///
/// ```
/// use emilia_engine::board::Board;
/// use emilia_engine::book::{BookKey, Canonical};
///
/// let canonical = Canonical::of(Board::START).expect("the game is not over");
/// assert_eq!(canonical.key().board(), Some(canonical.board));
/// assert_eq!(canonical.key().discs(), 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BookKey(pub u128);

/// The lowest bit of the count of discs; the rest takes less than 101 bits.
const COUNT_SHIFT: u32 = 121;

/// `CHOOSE[n][k]`: sets of `k` out of `n`.
static CHOOSE: [[u64; 65]; 65] = choose();
/// The square of each place: rings around the center, the innermost on the highest places.
const SQUARE: [u8; 64] = [
    63, 62, 61, 60, 59, 58, 57, 56, 55, 48, 47, 40, 39, 32, 31, 24, 23, 16, 15, 8, 7, 6, 5, 4, 3,
    2, 1, 0, 54, 53, 52, 51, 50, 49, 46, 41, 38, 33, 30, 25, 22, 17, 14, 13, 12, 11, 10, 9, 45, 44,
    43, 42, 37, 34, 29, 26, 21, 20, 19, 18, 36, 35, 28, 27,
];
static PLACE: [u8; 64] = inverse(SQUARE);

const fn choose() -> [[u64; 65]; 65] {
    let mut table = [[0; 65]; 65];
    let mut n = 0;
    while n <= 64 {
        table[n][0] = 1;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
}

const fn inverse(squares: [u8; 64]) -> [u8; 64] {
    let mut places = [0; 64];
    let mut place = 0;
    while place < 64 {
        places[squares[place] as usize] = place as u8;
        place += 1;
    }
    places
}

impl BookKey {
    /// The number of a canonical board; of any other board a number that no book holds.
    pub fn of(board: Board) -> Self {
        let occupied = !board.empties();
        let places = SquareSet(occupied)
            .iter()
            .fold(0, |bits, square| bits | 1u64 << PLACE[square.index()]);
        let mut rank = 0;
        let mut colors = 0u64;
        for (index, place) in SquareSet(places).iter().map(Square::index).enumerate() {
            rank += CHOOSE[place][index + 1];
            colors |= (board.player >> SQUARE[place] & 1) << index;
        }
        let count = occupied.count_ones();
        Self(u128::from(count) << COUNT_SHIFT | u128::from(rank) << count | u128::from(colors))
    }

    /// The board with this number, if one exists.
    pub fn board(self) -> Option<Board> {
        let count = (self.0 >> COUNT_SHIFT) as usize;
        if count > 64 {
            return None;
        }
        let below = self.0 & ((1 << COUNT_SHIFT) - 1);
        let colors = below & ((1 << count) - 1);
        let mut rank = u64::try_from(below >> count).ok()?;
        let mut board = Board {
            player: 0,
            opponent: 0,
        };
        let mut place = 64;
        for index in (1..=count).rev() {
            place = (0..place)
                .rev()
                .find(|&place| CHOOSE[place][index] <= rank)?;
            rank -= CHOOSE[place][index];
            let bit = 1u64 << SQUARE[place];
            if colors >> (index - 1) & 1 != 0 {
                board.player |= bit
            } else {
                board.opponent |= bit
            }
        }
        (rank == 0).then_some(board)
    }

    /// The board with this number if it is canonical: the least of its images, with a move for its side to move.
    pub fn canonical_board(self) -> Option<Board> {
        let board = self.board()?;
        (Canonical::of(board)?.board == board).then_some(board)
    }

    /// The least key of boards with this number of discs.
    pub(super) const fn least(discs: u32) -> Self {
        Self((discs as u128) << COUNT_SHIFT)
    }

    /// Discs on the board: a move leads to a key of more.
    pub const fn discs(self) -> u32 {
        (self.0 >> COUNT_SHIFT) as u32
    }
}

/// A position as a book looks at it.
///
/// ```
/// use emilia_engine::board::{Board, Square};
/// use emilia_engine::book::Canonical;
///
/// let canonical = Canonical::of(Board::START).expect("the game is not over");
/// let square = canonical.forth(Square::at(5, 4));
/// assert!(Board::START.moves().contains(canonical.back(square)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// The least image, with a move for its side to move.
    pub board: Board,
    /// Leads from the position asked about, after the pass if there was one, to `board`.
    pub symmetry: Symmetry,
    /// The side asked about had to pass: the value changes sides.
    pub passed: bool,
}

impl Canonical {
    /// The canonical form of a position, or `None` when the game is over.
    pub fn of(board: Board) -> Option<Self> {
        let passed = board.moves().is_empty();
        let to_move = if passed { board.pass() } else { board };
        if passed && to_move.moves().is_empty() {
            return None;
        }
        let (board, symmetry) = to_move.canonical();
        Some(Self {
            board,
            symmetry,
            passed,
        })
    }

    /// Its number.
    pub fn key(self) -> BookKey {
        BookKey::of(self.board)
    }

    /// The square of the position for `square` of the canonical board.
    pub fn back(self, square: Square) -> Square {
        self.symmetry.inverse().apply_square(square)
    }

    /// The square of the canonical board for `square` of the position; of squares equal by symmetry the lowest.
    pub fn forth(self, square: Square) -> Square {
        representative(self.board, self.symmetry.apply_square(square))
    }
}

/// The lowest of the squares onto which the board's own symmetries map `square`.
pub fn representative(board: Board, square: Square) -> Square {
    let images = board
        .own_symmetries()
        .map(|symmetry| symmetry.apply_square(square));
    images.min().expect("the identity is among them")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::arbitrary_boards;

    #[test]
    fn numbers_lead_back_to_their_boards() {
        let extremes = [0, !0].map(|player| Board {
            player,
            opponent: 0,
        });
        for board in arbitrary_boards(11, 20_000).chain(extremes) {
            let key = BookKey::of(board);
            assert_eq!(key.board(), Some(board), "\n{board}");
            assert_eq!(key.discs(), 64 - board.empty_count());
        }
    }

    #[test]
    fn bits_of_no_board_are_refused() {
        assert_eq!(BookKey(!0).board(), None);
        assert_eq!(BookKey(65 << COUNT_SHIFT).board(), None);
        // One disc has 64 places of two colors each.
        assert!(BookKey(1 << COUNT_SHIFT | 127).board().is_some());
        assert_eq!(BookKey(1 << COUNT_SHIFT | 128).board(), None);
    }

    #[test]
    fn only_canonical_boards_with_a_move_are_held() {
        let turned = Board::START.play("f5".parse().unwrap()).unwrap();
        let canonical = Canonical::of(turned).unwrap();
        assert_eq!(canonical.key().canonical_board(), Some(canonical.board));
        let images = Symmetry::all().map(|symmetry| symmetry.apply(turned));
        assert_eq!(
            images
                .filter(|&image| BookKey::of(image).canonical_board().is_some())
                .count(),
            1
        );
        assert_eq!(
            BookKey(0).canonical_board(),
            None,
            "an empty board is no position"
        );
    }

    #[test]
    fn all_images_and_the_passed_position_share_a_key() {
        for board in arbitrary_boards(12, 2_000) {
            let Some(canonical) = Canonical::of(board) else {
                continue;
            };
            for symmetry in Symmetry::all() {
                let image = Canonical::of(symmetry.apply(board)).unwrap();
                assert_eq!(
                    (image.key(), image.passed),
                    (canonical.key(), canonical.passed)
                );
            }
            if canonical.passed {
                assert_eq!(Canonical::of(board.pass()).unwrap().key(), canonical.key());
            }
        }
    }

    #[test]
    fn the_four_first_moves_are_one() {
        let start = Canonical::of(Board::START).unwrap();
        let firsts: Vec<Square> = Board::START
            .moves()
            .iter()
            .map(|square| start.forth(square))
            .collect();
        assert!(firsts.iter().all(|&square| square == firsts[0]));
        assert!(
            Board::START
                .moves()
                .iter()
                .any(|square| square == start.back(firsts[0]))
        );
    }
}
