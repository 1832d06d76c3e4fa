//! What the early programs' searches have in common.

use crate::board::{Board, Square, squares};

/// Above every evaluation; a finished game scores this much plus its discs.
pub(super) const WON: i32 = 1_000_000;
/// Above every score.
pub(super) const INFINITE: i32 = 2 * WON;

/// The score of a finished game for the side to move.
pub(super) fn final_score(board: Board) -> i32 {
    let discs = board.final_score();
    discs.signum() * WON + discs
}

/// Moves of one position with the scores that order them.
pub(super) struct Moves {
    list: [(i32, Square); 64],
    len: usize,
}

impl Moves {
    /// The legal moves, highest `score` first, equal ones in board order.
    pub(super) fn sorted(board: Board, mut score: impl FnMut(Square) -> i32) -> Self {
        let mut moves = Self { list: [(0, Square::lowest(1)); 64], len: 0 };
        for square in squares(board.moves()) {
            moves.list[moves.len] = (score(square), square);
            moves.len += 1;
        }
        moves.list[..moves.len].sort_by_key(|&(score, _)| -score);
        moves
    }

    /// Best first.
    pub(super) fn iter(&self) -> impl Iterator<Item = Square> + '_ {
        self.list[..self.len].iter().map(|&(_, square)| square)
    }
}

/// The position after the legal move `square`, seen from the other side.
pub(super) fn after(board: Board, square: Square) -> Board {
    board.after(square, board.flip(square))
}

/// 100 times the share by which `mine` exceeds `theirs`: -100 to 100, 0 when there is neither.
pub(super) fn lead(mine: u32, theirs: u32) -> i32 {
    let (mine, theirs) = (mine as i32, theirs as i32);
    100 * (mine - theirs) / (mine + theirs).max(1)
}

/// Each corner with its X square, its two C squares and its two A squares (the pivots of the edges).
pub(super) const CORNER_AREAS: [[u64; 4]; 4] = {
    const fn bit(rank: u8, file: u8) -> u64 {
        1 << (rank * 8 + file)
    }
    [
        [bit(0, 0), bit(1, 1), bit(0, 1) | bit(1, 0), bit(0, 2) | bit(2, 0)],
        [bit(0, 7), bit(1, 6), bit(0, 6) | bit(1, 7), bit(0, 5) | bit(2, 7)],
        [bit(7, 0), bit(6, 1), bit(7, 1) | bit(6, 0), bit(7, 2) | bit(5, 0)],
        [bit(7, 7), bit(6, 6), bit(7, 6) | bit(6, 7), bit(7, 5) | bit(5, 7)],
    ]
};

/// Discs of `mine` in unbroken edge runs that begin at a corner: a lower bound of the stable ones.
pub(super) fn edge_runs(mine: u64) -> u64 {
    const WAYS: [(u32, i32); 8] = [(0, 1), (0, 8), (7, -1), (7, 8), (56, 1), (56, -8), (63, -1), (63, -8)];
    let mut stable = 0;
    for (corner, step) in WAYS {
        for i in 0..8 {
            let bit = 1u64 << (corner as i32 + i * step);
            if mine & bit == 0 {
                break;
            }
            stable |= bit;
        }
    }
    stable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edge_runs_start_at_corners() {
        assert_eq!(edge_runs(0), 0);
        assert_eq!(edge_runs(0xff), 0xff);
        assert_eq!(edge_runs(0b1011_0111), 0b1000_0111);
        assert_eq!(edge_runs(0x0101_0001), 1);
        assert_eq!(edge_runs(!0).count_ones(), 28);
        assert_eq!(edge_runs(0x8080_8000_0000_0000), 0x8080_8000_0000_0000);
    }

    #[test]
    fn moves_come_best_first() {
        let moves = Moves::sorted(Board::START, |square| square.index() as i32);
        let names: Vec<String> = moves.iter().map(|square| square.to_string()).collect();
        assert_eq!(names, ["e6", "f5", "c4", "d3"]);
    }

    #[test]
    fn corner_areas_do_not_overlap() {
        let all = CORNER_AREAS.iter().flatten().fold(0u64, |all, &set| {
            assert_eq!(all & set, 0);
            all | set
        });
        assert_eq!(all.count_ones(), 4 * 6);
        assert_eq!(CORNER_AREAS.iter().fold(0, |all, area| all | area[0]), crate::board::bitboard::CORNERS);
    }
}
