//! Discs that can never be turned again: a lower bound, cheap enough for search.
//!
//! A disc is safe along a line when the line is full, when the disc ends it, or when a neighbor on
//! it is a stable disc of the same color; a disc safe along all four lines is stable. On the
//! border only the border line matters, and a table knows its future exactly.
//!
//! Sources of the ideas: Rosenbloom, "A world-championship-level Othello program" (1982), the edge
//! table; R. Delorme, Edax, the full lines and the spreading contact.

use super::Board;
use super::bitboard::{BORDER, FILE_A, FILE_H};
use super::level::{Level, at_level};

#[cfg(with = "avx2")]
mod avx2;
mod edge;
#[cfg(kernel = "neon")]
mod neon;

use edge::ROUNDS;
pub use edge::{stable_border, stable_border_count};

/// The squares on lines without an empty square: ranks, files, then diagonals of step 7 (towards a8) and 9 (towards h8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FullLines(pub [u64; 4]);

impl FullLines {
    /// The full lines of a board whose discs are `occupied`.
    #[inline]
    pub fn new(occupied: u64) -> Self {
        let ranks = occupied & occupied >> 4;
        let ranks = ranks & ranks >> 2;
        let ranks = (ranks & ranks >> 1 & FILE_A) * 0xFF;
        let files = occupied & occupied.rotate_left(32);
        let files = files & files.rotate_left(16);
        let files = files & files.rotate_left(8);
        let diagonals_7 = filled_up::<7>(occupied) & filled_down::<7>(occupied);
        let diagonals_9 = filled_up::<9>(occupied) & filled_down::<9>(occupied);
        Self([ranks, files, diagonals_7, diagonals_9])
    }

    /// Squares each of whose lines is full or leads to a neighbor in `stable`, except on the border.
    #[inline(always)]
    fn safe_beside(self, stable: u64) -> u64 {
        let [ranks, files, diagonals_7, diagonals_9] = self.0;
        (stable << 1 | stable >> 1 | ranks)
            & (stable << 8 | stable >> 8 | files)
            & (stable << 7 | stable >> 7 | diagonals_7)
            & (stable << 9 | stable >> 9 | diagonals_9)
    }

    /// Squares all of whose lines are full: their discs are stable.
    #[inline(always)]
    pub fn all(self) -> u64 {
        let [ranks, files, diagonals_7, diagonals_9] = self.0;
        ranks & files & diagonals_7 & diagonals_9
    }
}

/// Squares from which `n` diagonal steps of `step` (7 or 9) upwards leave the board.
const fn leaves_upwards(step: u32, n: u32) -> u64 {
    let ranks = !0 << (64 - 8 * n);
    let mut files = 0;
    let mut i = 0;
    while i < n {
        files |= if step == 9 { FILE_H >> i } else { FILE_A << i };
        i += 1;
    }
    ranks | files
}

/// Squares from which the diagonal is filled as far as it goes upwards, the square included.
#[inline(always)]
fn filled_up<const STEP: u32>(occupied: u64) -> u64 {
    let run = occupied & (occupied >> STEP | const { leaves_upwards(STEP, 1) });
    let run = run & (run >> (2 * STEP) | const { leaves_upwards(STEP, 2) });
    run & (run >> (4 * STEP) | const { leaves_upwards(STEP, 4) })
}

/// As [`filled_up`], downwards: the board turned by 180 degrees, which is its bits reversed.
#[inline(always)]
fn filled_down<const STEP: u32>(occupied: u64) -> u64 {
    let run = occupied & (occupied << STEP | const { leaves_upwards(STEP, 1).reverse_bits() });
    let run = run & (run << (2 * STEP) | const { leaves_upwards(STEP, 2).reverse_bits() });
    run & (run << (4 * STEP) | const { leaves_upwards(STEP, 4).reverse_bits() })
}

/// Stable discs of `player`: a subset of the discs that can never be turned.
///
/// A disc once in the set stays in it to the end of the game.
///
/// ```
/// use emilia_engine::board::stability::stable_discs;
/// let (a1, b1, c1) = (1, 2, 4);
/// assert_eq!(stable_discs(a1 | b1, c1), a1 | b1);
/// assert_eq!(stable_discs(b1, c1), 0);
/// ```
#[inline]
pub fn stable_discs(player: u64, opponent: u64) -> u64 {
    let full = FullLines::new(player | opponent);
    let inner = player & !BORDER;
    let mut stable = stable_border(player, opponent) | inner & full.all();
    if stable == 0 {
        return 0;
    }
    // Safety spreads by contact. Inner squares have both neighbors on every line, so no shift of
    // a border disc wraps onto one that matters.
    loop {
        let grown = stable | inner & full.safe_beside(stable);
        if grown == stable {
            return stable;
        }
        stable = grown;
    }
}

/// Most of [`stable_discs`], quickly where few squares are empty: the work grows with their number.
#[inline(always)]
pub fn stable_discs_at_end(player: u64, opponent: u64) -> u64 {
    at_level!(level => stable_discs_at_end_at(level, player, opponent))
}

/// [`stable_discs_at_end`] at a level.
#[inline(always)]
pub(crate) fn stable_discs_at_end_at<L: Level>(_: L, player: u64, opponent: u64) -> u64 {
    #[cfg(with = "avx2")]
    if L::AVX2 {
        return avx2::stable_discs_at_end(player, opponent);
    }
    cfg_select! {
        kernel = "neon" => neon::stable_discs_at_end(player, opponent),
        _ => scalar_stable_discs_at_end(player, opponent),
    }
}

/// The definition of [`stable_discs_at_end`].
#[allow(dead_code, reason = "used by portable builds and by tests")]
fn scalar_stable_discs_at_end(player: u64, opponent: u64) -> u64 {
    let full = FullLines::new(player | opponent);
    let border = stable_border(player, opponent);
    (0..ROUNDS).fold(border, |stable, _| {
        stable | player & !BORDER & full.safe_beside(stable)
    })
}

impl Board {
    /// Discs of the side to move that can never be turned: see [`stable_discs`].
    #[inline]
    pub fn stable_discs(self) -> u64 {
        stable_discs(self.player, self.opponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::SquareSet;
    use crate::board::level::every_level;
    use crate::board::rays::RAYS;
    use crate::board::testing::{arbitrary_boards, game_boards, random_game, samples};
    use crate::util::rng::Rng;

    /// Full lines, square by square.
    fn slow_full_lines(occupied: u64) -> FullLines {
        let full = |direction: usize| {
            SquareSet(occupied)
                .iter()
                .filter(|square| {
                    let rays = RAYS[square.index()].0;
                    (rays[direction] | rays[direction + 4]) & !occupied == 0
                })
                .fold(0, |all, square| all | square.bit())
        };
        FullLines([0, 1, 2, 3].map(full))
    }

    /// The definition at the head of this file, disc by disc and line by line.
    fn slow_stable(player: u64, opponent: u64) -> u64 {
        let FullLines(full) = slow_full_lines(player | opponent);
        let mut stable = SquareSet(player & BORDER)
            .iter()
            .filter(|square| stable_border_disc(player, opponent, square.bit()))
            .fold(0, |all, square| all | square.bit());
        loop {
            let before = stable;
            for square in SquareSet(player & !BORDER & !stable) {
                let rays = RAYS[square.index()].0;
                let safe = |direction: usize| {
                    let up = rays[direction] & rays[direction].wrapping_neg();
                    let down = 1 << rays[direction + 4].ilog2();
                    full[direction] & square.bit() != 0 || stable & (up | down) != 0
                };
                if (0..4).all(safe) {
                    stable |= square.bit();
                }
            }
            if stable == before {
                return stable;
            }
        }
    }

    /// A border disc is stable if some border line through it says so.
    fn stable_border_disc(player: u64, opponent: u64, disc: u64) -> bool {
        let lines = [
            (0..8).collect::<Vec<u32>>(),
            (56..64).collect(),
            (0..8).map(|i| 8 * i).collect(),
            (0..8).map(|i| 8 * i + 7).collect(),
        ];
        lines.iter().any(|line| {
            let gather = |bits: u64| {
                line.iter()
                    .enumerate()
                    .fold(0, |sum, (i, sq)| sum | ((bits >> sq & 1) as u8) << i)
            };
            edge::stable_on_line(gather(player), gather(opponent)) & gather(disc) != 0
        })
    }

    /// Arbitrary boards and boards of games, by number; see [`samples`].
    fn boards(seed: u64, arbitrary: u32, games: u32) -> impl Iterator<Item = Board> {
        let arbitrary = arbitrary_boards(seed, samples(arbitrary) as usize);
        arbitrary.chain(game_boards(seed, samples(games) as usize))
    }

    #[test]
    fn stable_discs_match_the_slow_definition() {
        for board in boards(10, 30_000, 1_000) {
            let player = board.player;
            let opponent = board.opponent;
            assert_eq!(
                FullLines::new(player | opponent),
                slow_full_lines(player | opponent),
                "\n{board}"
            );
            assert_eq!(
                stable_discs(player, opponent),
                slow_stable(player, opponent),
                "\n{board}"
            );
        }
    }

    #[test]
    fn quick_stable_discs_match_their_definition_and_are_stable() {
        let mut quick_sum = 0;
        let mut sum = 0;
        for board in boards(13, 30_000, 2_000) {
            let player = board.player;
            let opponent = board.opponent;
            let quick = scalar_stable_discs_at_end(player, opponent);
            let all = stable_discs(player, opponent);
            every_level!(level => assert_eq!(stable_discs_at_end_at(level, player, opponent), quick, "\n{board}"));
            assert_eq!(quick & !all, 0, "\n{board}");
            quick_sum += quick.count_ones();
            sum += all.count_ones();
        }
        assert!(quick_sum * 10 > sum * 8, "{quick_sum} of {sum}");
    }

    #[test]
    fn border_lines_count_corners_twice() {
        for board in arbitrary_boards(14, samples(30_000) as usize) {
            let stable = stable_border(board.player, board.opponent);
            let corners = stable & crate::board::bitboard::CORNERS;
            let count = stable_border_count(board.player, board.opponent);
            assert_eq!(
                count,
                stable.count_ones() + corners.count_ones(),
                "\n{board}"
            );
        }
    }

    #[test]
    fn stable_discs_stay_to_the_end_of_the_game() {
        let mut rng = Rng::new(11);
        for _ in 0..samples(1_500) {
            let mut before = [0, 0];
            for board in random_game(&mut rng) {
                let now = [board.stable_discs(), board.pass().stable_discs()];
                // The sides swap with every move and pass.
                assert_eq!(before[1] & !now[0], 0, "\n{board}");
                assert_eq!(before[0] & !now[1], 0, "\n{board}");
                before = now;
            }
        }
    }

    /// Asserts that no continuation turns `own` (of the side to move) or `other`.
    fn assert_never_turned(board: Board, own: u64, other: u64) {
        assert_eq!(
            own & !board.player | other & !board.opponent,
            0,
            "\n{board}"
        );
        let moves = board.moves().0;
        if moves == 0 {
            if !board.opponent_moves().is_empty() {
                assert_never_turned(board.pass(), other, own);
            }
            return;
        }
        for square in SquareSet(moves) {
            assert_never_turned(board.after(square, board.flip(square)), other, own);
        }
    }

    #[test]
    fn no_continuation_turns_a_stable_disc() {
        let late = |board: &Board| (1..=8).contains(&board.empty_count());
        let count = samples(300) as usize;
        let boards = game_boards(12, usize::MAX)
            .filter(late)
            .step_by(3)
            .take(count);
        let mut found = 0;
        for board in boards.chain(arbitrary_boards(12, usize::MAX).filter(late).take(count)) {
            let own = board.stable_discs();
            let other = board.pass().stable_discs();
            found += own.count_ones() + other.count_ones();
            assert_never_turned(board, own, other);
        }
        assert!(found > 10 * count as u32, "{found} in twice {count} boards");
    }
}
