//! The last four empties: does the mover end with more than `target` discs?
//!
//! Each function answers yes or no for a board full but for the squares it is given, in any order.
//! A yes or no, rather than a score, leaves a kernel free to compute more without changing the tree
//! above it. `target` is in `0..64`; the other side's question is `63 - target`, because both counts
//! sum to 64 (the empties go to the winner, half each in a draw).
#[cfg(with = "avx2")]
#[cfg_attr(kernel = "avx512", allow(dead_code, reason = "tests compare with it"))]
mod avx2;
#[cfg(with = "avx512")]
mod avx512;
#[cfg(not(kernel = "scalar"))]
mod last_move;
#[cfg(any(kernel = "neon", kernel = "simd128"))]
mod one_by_one;
#[allow(
    dead_code,
    reason = "the definition: used by portable builds and by tests"
)]
mod scalar;
#[cfg(not(kernel = "scalar"))]
mod tables;

use crate::board::Board;
use crate::board::level::Level;
pub(super) use scalar::final_count;

use scalar::Nodes;

/// One empty square.
#[inline(always)]
pub(super) fn solve_1<L: Level>(_: L, board: Board, target: i32, square: u8) -> bool {
    #[cfg(not(kernel = "scalar"))]
    if L::AVX2 || cfg!(any(kernel = "neon", kernel = "simd128")) {
        return last_move::last_exceeds(board.player, square, target);
    }
    scalar::solve_1(board.player, board.opponent, target, square)
}

macro_rules! select {
    ($name:ident, $count:literal, $words:literal) => {
        #[doc = $words]
        #[inline(always)]
        #[allow(unused_unsafe, reason = "`solve_2` is part of its caller")]
        pub(super) fn $name<L: Level>(
            _: L,
            board: Board,
            target: i32,
            squares: [u8; $count],
            nodes: &mut Nodes,
        ) -> bool {
            let Board { player, opponent } = board;
            #[cfg(with = "avx512")]
            if L::AVX512 {
                // SAFETY: the processor has the level.
                return unsafe { avx512::$name(player, opponent, target, squares, nodes) };
            }
            #[cfg(with = "avx2")]
            if L::AVX2 {
                // SAFETY: the processor has the level.
                return unsafe { avx2::$name(player, opponent, target, squares, nodes) };
            }
            cfg_select! {
                any(kernel = "neon", kernel = "simd128") => {
                    one_by_one::$name(player, opponent, target, squares, nodes)
                }
                _ => scalar::$name(player, opponent, target, squares, nodes),
            }
        }
    };
}

select!(solve_2, 2, "Two empty squares, the more promising first.");
select!(solve_3, 3, "Three empty squares, the most promising first.");
select!(solve_4, 4, "Four empty squares, the most promising first.");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::level::every_level;
    use crate::board::testing::{random_ending, samples};
    use crate::search::endgame::tests::naive;
    use crate::util::rng::Rng;

    /// The empty squares, lowest first.
    fn list<const N: usize>(board: Board) -> [u8; N] {
        let mut squares = crate::board::SquareSet(board.empties()).iter();
        std::array::from_fn(|_| {
            squares
                .next()
                .expect("as many empties as asked for")
                .index() as u8
        })
    }

    #[test]
    fn selected_kernels_answer_as_minimax_and_count_as_the_definition() {
        let mut rng = Rng::new(11);
        for _ in 0..samples(4000) {
            for empties in 1..=4 {
                let mut board = random_ending(&mut rng, empties);
                // Every second position lets the other side move, so that passes come first as well.
                if rng.below(2) == 0 {
                    board = board.pass();
                }
                let score = naive(board, -64, 64);
                // Mostly close to the score, where an error of one disc shows.
                let target = (score / 2 + 32 + rng.below(5) as i32 - 2).clamp(0, 63);
                let player = board.player;
                let opponent = board.opponent;
                every_level!(level => {
                    let mut selected = 0;
                    let mut defined = 0;
                    let (got, wanted) = match empties {
                        1 => {
                            let square = list::<1>(board)[0];
                            let wanted = scalar::solve_1(player, opponent, target, square);
                            (solve_1(level, board, target, square), wanted)
                        }
                        2 => (
                            solve_2(level, board, target, list(board), &mut selected),
                            scalar::solve_2(player, opponent, target, list(board), &mut defined),
                        ),
                        3 => (
                            solve_3(level, board, target, list(board), &mut selected),
                            scalar::solve_3(player, opponent, target, list(board), &mut defined),
                        ),
                        _ => (
                            solve_4(level, board, target, list(board), &mut selected),
                            scalar::solve_4(player, opponent, target, list(board), &mut defined),
                        ),
                    };
                    assert_eq!(got, score > 2 * target - 64, "target {target}\n{board}");
                    assert_eq!(wanted, got, "target {target}\n{board}");
                    assert_eq!(selected, defined, "target {target}\n{board}");
                });
            }
        }
    }
}
