//! Number of discs turned by the last move of a game: one file per instruction set, one selector.

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512cd",
    target_feature = "avx512vl"
))]
pub mod avx512;
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
pub mod bmi2;
pub mod scalar;

/// Discs turned when `player` fills `square`, the only empty square of the board.
///
/// The other 63 squares hold either a disc of `player` or one of the opponent, so one bitboard
/// tells all; its bit on `square` does not matter. 0 means that the move is illegal: then, after a
/// pass, the opponent turns `count(square, !player)`, and if that is 0 too the game is over.
///
/// ```
/// use emilia::board::last_flip::count;
/// let h1 = 7;
/// let player = 0x0000_0000_0000_0001; // a1 alone
/// assert_eq!(count(h1, player), 6);
/// assert_eq!(count(h1, !player), 0); // the opponent holds all but a1: nothing to turn
/// ```
#[inline(always)]
pub fn count(square: u8, player: u64) -> u32 {
    debug_assert!(square < 64);
    cfg_select! {
        all(target_arch = "x86_64", target_feature = "bmi2") => bmi2::count(square, player),
        _ => scalar::count(square, player),
    }
}

/// Result in discs for `player`, who is to move with only `square` empty: the last move, or the
/// opponent's after a pass, or none, when the empty square goes to the winner.
#[inline(always)]
pub fn score(square: u8, player: u64) -> i32 {
    debug_assert!(player >> square & 1 == 0);
    let discs = player.count_ones() as i32;
    // `discs` against 63 - `discs`; a move adds its square and moves each turned disc over.
    match count(square, player) as i32 {
        0 => match count(square, !player) as i32 {
            0 if 2 * discs > 63 => 2 * discs - 62,
            0 => 2 * discs - 64,
            turned => 2 * (discs - turned) - 64,
        },
        turned => 2 * (discs + turned) - 62,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::{arbitrary_boards, walk_flip};
    use crate::board::{Board, Square};

    #[test]
    fn every_backend_matches_the_walk() {
        // A million boards: arbitrary discs, each of the 64 squares in turn empty.
        let boards = arbitrary_boards(3, 1_000_000);
        for (board, square) in boards.zip(Square::all().cycle()) {
            let player = board.player & !square.bit();
            let last = Board { player, opponent: !player & !square.bit() };
            let expected = walk_flip(last, square).count_ones();
            let index = square.index() as u8;
            assert_eq!(count(index, player), expected, "{square}\n{last}");
            assert_eq!(count(index, board.player | square.bit()), expected, "{square}\n{last}");
            assert_eq!(scalar::count(index, player), expected, "{square}\n{last}");
            #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
            assert_eq!(bmi2::count(index, player), expected, "{square}\n{last}");
            #[cfg(all(
                target_arch = "x86_64",
                target_feature = "avx512f",
                target_feature = "avx512cd",
                target_feature = "avx512vl"
            ))]
            assert_eq!(avx512::count(index, player), expected, "{square}\n{last}");
        }
    }

    #[test]
    fn last_score_is_the_score_of_the_game_played_out() {
        for (board, square) in arbitrary_boards(4, 50_000).zip(Square::all().cycle()) {
            let player = board.player & !square.bit();
            let last = Board { player, opponent: !player & !square.bit() };
            let expected = match (last.play(square), last.pass().play(square)) {
                (Some(end), _) => -end.final_score(),
                (None, Some(end)) => end.final_score(),
                (None, None) => last.final_score(),
            };
            assert_eq!(score(square.index() as u8, player), expected, "{square}\n{last}");
        }
    }
}
