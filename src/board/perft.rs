//! Perft: the number of move sequences of a given length, the test of move generation.
//!
//! The last three plies are done in bulk: moves queue, from whichever parents they come, and a full
//! queue plays eight at a time, one board a lane. No position is hashed, no symmetry used.

use super::{Board, LANES, Lanes, flip, mobility, squares};

/// How a forced pass counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// As a ply: of the published tables, the one with 3,005,288 at depth 9.
    Counted,
    /// Not at all: the table with 3,005,320 at depth 9.
    Free,
}

/// Number of sequences of `depth` plies from `board`; a game that ends earlier counts once.
///
/// ```
/// use emilia::board::{Board, perft::{Passes, perft}};
/// assert_eq!(perft(Board::START, 5, Passes::Counted), 1396);
/// ```
pub fn perft(board: Board, depth: u32, passes: Passes) -> u64 {
    if depth < 2 {
        return if depth == 0 { 1 } else { replies(board, passes) };
    }
    let mut walk = Walk { passes, leaves: 0, parents: Queue::EMPTY, children: Queue::EMPTY };
    walk.descend(board, depth);
    walk.play_parents();
    walk.count_children();
    walk.leaves
}

/// Sequences of one ply.
fn replies(board: Board, passes: Passes) -> u64 {
    match (board.moves(), board.opponent_moves(), passes) {
        (0, 0, _) | (0, _, Passes::Counted) => 1,
        (0, moves, Passes::Free) | (moves, ..) => moves.count_ones().into(),
    }
}

struct Walk {
    passes: Passes,
    leaves: u64,
    /// Moves that leave two plies, and moves that leave one.
    parents: Queue,
    children: Queue,
}

impl Walk {
    /// Adds the sequences of `depth` plies, at least 2, now or with the queues.
    fn descend(&mut self, board: Board, depth: u32) {
        let moves = board.moves();
        if moves == 0 {
            self.pass(board, depth);
        } else if depth > 3 {
            for square in squares(moves) {
                self.descend(board.after(square, board.flip(square)), depth - 1);
            }
        } else if depth == 3 {
            self.parents.push(board, moves);
            if self.parents.is_full() {
                self.play_parents();
            }
        } else {
            self.queue_children(board, moves);
        }
    }

    #[inline(always)]
    fn queue_children(&mut self, board: Board, moves: u64) {
        self.children.push(board, moves);
        if self.children.is_full() {
            self.count_children();
        }
    }

    /// Plays the queued parents and queues the moves after them.
    fn play_parents(&mut self) {
        for chunk in 0..self.parents.len.div_ceil(LANES) {
            let (lanes, boards, moves) = self.parents.play(chunk);
            for lane in 0..lanes {
                let board = Board { player: boards.0[lane], opponent: boards.1[lane] };
                match moves[lane] {
                    0 => self.pass(board, 2),
                    moves => self.queue_children(board, moves),
                }
            }
        }
        self.parents.len = 0;
    }

    /// Plays the queued children and counts the moves after them.
    fn count_children(&mut self) {
        for chunk in 0..self.children.len.div_ceil(LANES) {
            let (lanes, boards, moves) = self.children.play(chunk);
            if lanes == LANES && !moves.contains(&0) {
                self.leaves += moves.iter().map(|moves| u64::from(moves.count_ones())).sum::<u64>();
            } else {
                for lane in 0..lanes {
                    let board = Board { player: boards.0[lane], opponent: boards.1[lane] };
                    self.leaves += replies(board, self.passes);
                }
            }
        }
        self.children.len = 0;
    }

    #[cold]
    fn pass(&mut self, board: Board, depth: u32) {
        let left = if self.passes == Passes::Counted { depth - 1 } else { depth };
        match board.opponent_moves() {
            0 => self.leaves += 1,
            _ if left < 2 => self.leaves += replies(board.pass(), self.passes),
            moves if left == 2 => self.queue_children(board.pass(), moves),
            _ => self.descend(board.pass(), left),
        }
    }
}

/// Capacity of a queue: several positions' moves, and small beside the first cache.
const QUEUE: usize = 128;

/// The most moves a position can have is below this.
const ROOM: usize = 64;

/// Moves waiting to be played.
struct Queue {
    player: [u64; QUEUE + ROOM],
    opponent: [u64; QUEUE + ROOM],
    square: [u64; QUEUE + ROOM],
    len: usize,
}

impl Queue {
    const EMPTY: Self =
        Self { player: [0; QUEUE + ROOM], opponent: [0; QUEUE + ROOM], square: [0; QUEUE + ROOM], len: 0 };

    /// No room for the moves of one more position.
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.len > QUEUE
    }

    /// Queues `moves` of `board`; the queue must not be full.
    #[inline(always)]
    fn push(&mut self, board: Board, mut moves: u64) {
        let end = self.len + moves.count_ones() as usize;
        let mut at = self.len;
        // Whole registers, to have fewer steps to predict; what they write beyond the end is
        // written again by the next move, or ignored.
        while moves != 0 {
            let range = at..at + LANES;
            self.player[range.clone()].copy_from_slice(&[board.player; LANES]);
            self.opponent[range.clone()].copy_from_slice(&[board.opponent; LANES]);
            for slot in &mut self.square[range] {
                *slot = moves & moves.wrapping_neg();
                moves &= moves.wrapping_sub(1);
            }
            at += LANES;
        }
        self.len = end;
    }

    /// Plays eight queued moves: how many of the eight are moves, the positions after them (player
    /// and opponent) and the legal moves there.
    #[inline(always)]
    fn play(&self, chunk: usize) -> (usize, (Lanes, Lanes), Lanes) {
        let eight = |lanes: &[u64; QUEUE + ROOM]| lanes.as_chunks::<LANES>().0[chunk];
        let (player, opponent) = (eight(&self.player), eight(&self.opponent));
        let square = eight(&self.square);
        let flips = flip::flip_lanes(&square, &player, &opponent);
        let mover = std::array::from_fn(|lane| opponent[lane] ^ flips[lane]);
        let other = std::array::from_fn(|lane| player[lane] | flips[lane] | square[lane]);
        let moves = mobility::moves_lanes(&mover, &other);
        (LANES.min(self.len - chunk * LANES), (mover, other), moves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::{arbitrary_boards, game_boards};

    /// From the start, depth 0 on; both conventions agree up to depth 8.
    const COUNTED: [u64; 10] = [1, 4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288];
    const FREE_AT_9: u64 = 3_005_320;

    /// Move by move, no bulk count.
    fn plain(board: Board, depth: u32, passes: Passes) -> u64 {
        if depth == 0 || board.is_over() {
            return 1;
        }
        match (board.moves(), passes) {
            (0, Passes::Counted) => plain(board.pass(), depth - 1, passes),
            (0, Passes::Free) => plain(board.pass(), depth, passes),
            (moves, _) => squares(moves)
                .map(|square| plain(board.play(square).expect("a legal move"), depth - 1, passes))
                .sum(),
        }
    }

    #[test]
    fn the_start_gives_both_published_tables() {
        for (depth, expected) in COUNTED.into_iter().enumerate() {
            assert_eq!(perft(Board::START, depth as u32, Passes::Counted), expected, "depth {depth}");
        }
        for (depth, expected) in COUNTED.into_iter().enumerate().take(9) {
            assert_eq!(perft(Board::START, depth as u32, Passes::Free), expected, "depth {depth}");
        }
        assert_eq!(perft(Board::START, 9, Passes::Free), FREE_AT_9);
    }

    #[test]
    fn any_board_agrees_with_the_plain_count() {
        let late = game_boards(13, 300).filter(|board| board.empty_count() <= 12).step_by(5);
        for board in late.chain(arbitrary_boards(13, 300)) {
            for passes in [Passes::Counted, Passes::Free] {
                for depth in 0..5 {
                    assert_eq!(
                        perft(board, depth, passes),
                        plain(board, depth, passes),
                        "depth {depth}, {passes:?}\n{board}"
                    );
                }
            }
        }
    }
}
