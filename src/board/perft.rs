//! Perft: the number of move sequences of a given length, the test of move generation.
//!
//! The last two plies are done in bulk: positions with two plies left queue their moves, from
//! whichever parents they come; each full queue plays its moves and counts the replies lane by
//! lane, in a form that compilers turn into vectors of any width. No position is hashed.

use super::{Board, squares};

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
    let mut walk = Walk { passes, leaves: 0, queue: Queue::EMPTY };
    walk.descend(board, depth);
    walk.leaves + walk.queue.count(passes)
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
    queue: Queue,
}

impl Walk {
    /// Adds the sequences of `depth` plies, at least 2, now or with the queue.
    fn descend(&mut self, board: Board, depth: u32) {
        let moves = board.moves();
        if moves == 0 {
            self.pass(board, depth);
        } else if depth > 2 {
            for square in squares(moves) {
                self.descend(board.after(square, board.flip(square)), depth - 1);
            }
        } else {
            if self.queue.len + moves.count_ones() as usize > QUEUE {
                self.leaves += self.queue.count(self.passes);
                self.queue.len = 0;
            }
            self.queue.push(board, moves);
        }
    }

    #[cold]
    fn pass(&mut self, board: Board, depth: u32) {
        let left = if self.passes == Passes::Counted { depth - 1 } else { depth };
        match board.opponent_moves() {
            0 => self.leaves += 1,
            _ if left < 2 => self.leaves += replies(board.pass(), self.passes),
            _ => self.descend(board.pass(), left),
        }
    }
}

/// Capacity of the queue: a few times the moves of a position, and small beside the first cache.
const QUEUE: usize = 128;

/// Positions handled together: one AVX-512 register of 64-bit lanes, or some smaller ones.
const LANES: usize = 8;

type Lanes = [u64; LANES];

/// Moves waiting to be played, each to be followed by one more ply.
struct Queue {
    player: [u64; QUEUE],
    opponent: [u64; QUEUE],
    square: [u64; QUEUE],
    len: usize,
}

impl Queue {
    const EMPTY: Self = Self { player: [0; QUEUE], opponent: [0; QUEUE], square: [0; QUEUE], len: 0 };

    /// Queues `moves` of `board`, for which there must be room.
    #[inline(always)]
    fn push(&mut self, board: Board, mut moves: u64) {
        let end = self.len + moves.count_ones() as usize;
        let range = self.len..end;
        self.player[range.clone()].fill(board.player);
        self.opponent[range.clone()].fill(board.opponent);
        for slot in &mut self.square[range] {
            *slot = moves & moves.wrapping_neg();
            moves &= moves - 1;
        }
        self.len = end;
    }

    /// Number of sequences of two plies that begin with the queued moves.
    #[inline(never)]
    fn count(&self, passes: Passes) -> u64 {
        let (players, _) = self.player[..self.len.next_multiple_of(LANES)].as_chunks::<LANES>();
        let (opponents, _) = self.opponent.as_chunks::<LANES>();
        let (squares, _) = self.square.as_chunks::<LANES>();
        let mut sum = 0;
        for (chunk, ((player, opponent), square)) in players.iter().zip(opponents).zip(squares).enumerate() {
            let flips = flip_lanes(square, player, opponent);
            let mut mover = [0; LANES];
            let mut other = [0; LANES];
            for lane in 0..LANES {
                mover[lane] = opponent[lane] ^ flips[lane];
                other[lane] = player[lane] | flips[lane] | square[lane];
            }
            let moves = moves_lanes(&mover, &other);
            let filled = LANES.min(self.len - chunk * LANES);
            if filled == LANES && !moves.contains(&0) {
                sum += moves.iter().map(|moves| u64::from(moves.count_ones())).sum::<u64>();
            } else {
                sum += (0..filled)
                    .map(|lane| replies(Board { player: mover[lane], opponent: other[lane] }, passes))
                    .sum::<u64>();
            }
        }
        sum
    }
}

/// The opponent's discs that a line can pass, and the step of the line: no disc on a border is
/// turned across it.
const DIRECTIONS: [(u32, u64); 4] = [
    (1, 0x7E7E_7E7E_7E7E_7E7E),
    (8, 0x00FF_FFFF_FFFF_FF00),
    (7, 0x007E_7E7E_7E7E_7E00),
    (9, 0x007E_7E7E_7E7E_7E00),
];

/// Discs turned by the move on the one bit of `square`, lane by lane.
#[inline(always)]
fn flip_lanes(square: &Lanes, player: &Lanes, opponent: &Lanes) -> Lanes {
    std::array::from_fn(|lane| {
        let (square, player) = (square[lane], player[lane]);
        let mut flips = 0;
        for (step, mask) in DIRECTIONS {
            let (up, down) = lines(square, opponent[lane] & mask, step);
            // Selections, not branches, become masks.
            flips |= if up << step & player != 0 { up } else { 0 };
            flips |= if down >> step & player != 0 { down } else { 0 };
        }
        flips
    })
}

/// Legal moves, lane by lane.
#[inline(always)]
fn moves_lanes(player: &Lanes, opponent: &Lanes) -> Lanes {
    std::array::from_fn(|lane| {
        let mut ends = 0;
        for (step, mask) in DIRECTIONS {
            let (up, down) = lines(player[lane], opponent[lane] & mask, step);
            ends |= up << step | down >> step;
        }
        ends & !(player[lane] | opponent[lane])
    })
}

/// The discs of `inner` in unbroken lines up and down from the squares `from`, at most six.
#[inline(always)]
fn lines(from: u64, inner: u64, step: u32) -> (u64, u64) {
    let up = from << step & inner;
    let down = from >> step & inner;
    let up = up | up << step & inner;
    let down = down | down >> step & inner;
    let pairs_up = inner & inner << step;
    let pairs_down = pairs_up >> step;
    let up = up | up << (2 * step) & pairs_up;
    let down = down | down >> (2 * step) & pairs_down;
    (up | up << (2 * step) & pairs_up, down | down >> (2 * step) & pairs_down)
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

    #[test]
    fn lanes_match_the_kernels() {
        let boards: Vec<Board> = arbitrary_boards(14, 80_000).collect();
        for eight in boards.as_chunks::<LANES>().0 {
            let (player, opponent) = (eight.map(|b| b.player), eight.map(|b| b.opponent));
            assert_eq!(moves_lanes(&player, &opponent), eight.map(Board::moves));
            let square = eight.map(|b| b.empties() & b.empties().wrapping_neg());
            let expected = eight.map(|b| squares(b.empties()).next().map_or(0, |at| b.flip(at)));
            assert_eq!(flip_lanes(&square, &player, &opponent), expected);
        }
    }
}
