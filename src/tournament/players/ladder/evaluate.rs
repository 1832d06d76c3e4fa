//! The evaluations of the early programs for the side to move, each in its own unit.

use crate::board::Board;
use crate::board::bitboard::{BORDER, C_SQUARES, CORNERS, X_SQUARES, neighbors};
use crate::board::stability::FullLines;
use crate::eval::classic::potential_mobility;

/// othelloAI: a weighted sum of mobility, potential mobility, disc share, corners, pivotal, C and X squares of empty corners, a
/// lower bound of stable discs, and parity.
///
/// Source: its readme; the weights are new.
pub(super) fn othelloai(board: Board) -> i32 {
    let Board { player, opponent } = board;
    let frontier = |discs: u64| discs & neighbors(board.empties());
    let mut sum = 10 * lead(board.moves().0, board.opponent_moves().0)
        + 6 * lead(frontier(opponent), frontier(player))
        + lead(player, opponent)
        + 10 * lead(edge_runs(player), edge_runs(opponent))
        + 800 * more(board, CORNERS);
    for [corner, x, c, pivots] in CORNER_AREAS {
        if board.empties() & corner != 0 {
            sum += 60 * more(board, pivots) - 120 * more(board, c) - 300 * more(board, x);
        }
    }
    // The side to move expects the last move if the number of empties is odd.
    sum + if board.empty_count() % 2 == 1 {
        100
    } else {
        -100
    }
}

/// PentAI: squares and mobility instead of its evaluation of Pente.
pub(super) fn pentai(board: Board) -> i32 {
    let mut sum = 500 * more(board, CORNERS) + 30 * mobility(board);
    for [corner, x, c, pivots] in CORNER_AREAS {
        if board.empties() & corner != 0 {
            sum += 20 * more(board, pivots) - 60 * more(board, c) - 150 * more(board, x);
        }
    }
    sum
}

/// The Java applet, version 2: edges, exact mobility, and potential mobility from the liberties of discs off the edge.
///
/// Source: its page "Speed Tuning the Applet". The page has no values for the table of 3^8 edges; this one counts runs from a
/// corner and squares next to an empty one.
pub(super) fn applet(board: Board) -> i32 {
    let Board { player, opponent } = board;
    let empties = board.empties();
    let edges = [
        |b: u64| b as u8,
        |b| (b >> 56) as u8,
        file_a,
        |b| file_a(b >> 7),
    ];
    let liberties =
        potential_mobility(opponent, empties) as i32 - potential_mobility(player, empties) as i32;
    let mut sum = 20 * mobility(board) + 5 * liberties;
    sum += edges
        .iter()
        .map(|of| edge(of(player), of(opponent)) - edge(of(opponent), of(player)))
        .sum::<i32>();
    for [corner, x, ..] in CORNER_AREAS {
        if empties & corner != 0 {
            sum -= 120 * more(board, x);
        }
    }
    sum
}

/// The squares of file a, a1 in the lowest bit.
fn file_a(board: u64) -> u8 {
    ((board & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The value of an edge for the owner of `own`; a corner counts half on each of its edges.
fn edge(own: u8, other: u8) -> i32 {
    let end = |own: u8, other: u8| match own.trailing_ones() as i32 {
        // A C square next to an empty corner.
        0 if own & 2 != 0 && other & 1 == 0 => -80,
        0 => 0,
        run => 150 + 60 * (run - 1),
    };
    12 * own.count_ones() as i32 + end(own, other) + end(own.reverse_bits(), other.reverse_bits())
}

/// Weights of the SUSTech engine. Each row: its largest number of discs; then the weights of the ratios of discs and of
/// mobility, of one stable disc more, and of the ratios of discs without an empty neighbor, on the edge, and with an empty
/// neighbor. The last weight is negative.
const STAGES: [(u32, [i32; 6]); 9] = [
    (15, [0, 86, 67, 0, 0, 78]),
    (18, [0, 98, 100, 0, 22, 76]),
    (21, [0, 108, 200, 4, 24, 76]),
    (24, [5, 116, 300, 5, 22, 72]),
    (37, [7, 124, 1000, 6, 22, 70]),
    (40, [7, 124, 1500, 7, 16, 66]),
    (49, [8, 124, 2000, 0, 0, 60]),
    (60, [9, 120, 2250, 0, 0, 56]),
    (64, [100, 0, 0, 0, 0, 0]),
];

/// The SUSTech student engine.
///
/// Source: J. Zhang, "Reversi AI Based on Alpha-Beta pruning" (algorithm 2 and table 2). Gaps of the paper:
/// - The stages by discs, `(40, 49]`, `(50, 60]`, `(61, 64]`, omit 50 and 61: here each belongs to the next row.
/// - Equal counts make a ratio 0; the printed `else` branch would give the opponent 50.
/// - The "very large" weights of corners and X squares are missing: here 20,000 and 5,000 (a C square counts 0.29 of an X
///   square), and 0 in the last row, where "the AI will only think about quantity of pieces". The missing square weights are
///   absent here.
pub(super) fn sustech(board: Board) -> i32 {
    let discs = 64 - board.empty_count();
    let (last, weights) = STAGES
        .iter()
        .find(|(last, _)| discs <= *last)
        .unwrap_or(&STAGES[8]);
    let [number, mobility, stable, inside, edge, outside] = weights;
    let outer = neighbors(board.empties());
    let ratio_of = |set: u64| ratio(board.player & set, board.opponent & set);
    let ratios = number * ratio_of(!0)
        + mobility * ratio(board.moves().0, board.opponent_moves().0)
        + inside * ratio_of(!outer)
        + edge * ratio_of(BORDER)
        - outside * ratio_of(outer);
    let mut sum = ratios / 256 + stable * more(board, stable_squares(!board.empties()));
    if *last < 64 {
        let open = neighbors(board.empties() & CORNERS);
        sum += 20_000 * more(board, CORNERS)
            - 5_000 * more(board, X_SQUARES & open)
            - 1_450 * more(board, C_SQUARES & open);
    }
    sum
}

/// 100·more / (mine + theirs + 0.1) with the sign of the larger side, in 1/256.
fn ratio(mine: u64, theirs: u64) -> i32 {
    let [mine, theirs] = [mine, theirs].map(|set| set.count_ones() as i32);
    // Ten times numerator and denominator keep the 0.1 an integer.
    (mine - theirs).signum() * (256 * 1000 * mine.max(theirs) / (10 * (mine + theirs) + 1))
}

/// The paper's stable discs: on a full edge, or with four full lines.
fn stable_squares(occupied: u64) -> u64 {
    const EDGES: [u64; 4] = [
        0xff,
        0xff00_0000_0000_0000,
        0x0101_0101_0101_0101,
        0x8080_8080_8080_8080,
    ];
    let full = EDGES.into_iter().filter(|edge| occupied & edge == *edge);
    full.fold(FullLines::new(occupied).all(), |set, edge| set | edge)
}

/// Discs of the side to move in `set` less the opponent's.
fn more(board: Board, set: u64) -> i32 {
    (board.player & set).count_ones() as i32 - (board.opponent & set).count_ones() as i32
}

/// Moves of the side to move less the opponent's.
fn mobility(board: Board) -> i32 {
    board.moves().len() as i32 - board.opponent_moves().len() as i32
}

/// 100 times the share by which `mine` exceeds `theirs`: -100 to 100, 0 when both are empty.
fn lead(mine: u64, theirs: u64) -> i32 {
    let [mine, theirs] = [mine, theirs].map(|set| set.count_ones() as i32);
    100 * (mine - theirs) / (mine + theirs).max(1)
}

/// Each corner with its X square, its C squares and its A squares (the pivots of the edges).
const CORNER_AREAS: [[u64; 4]; 4] = [
    [1 << 0, 1 << 9, 1 << 1 | 1 << 8, 1 << 2 | 1 << 16],
    [1 << 7, 1 << 14, 1 << 6 | 1 << 15, 1 << 5 | 1 << 23],
    [1 << 56, 1 << 49, 1 << 57 | 1 << 48, 1 << 58 | 1 << 40],
    [1 << 63, 1 << 54, 1 << 62 | 1 << 55, 1 << 61 | 1 << 47],
];

/// Discs of `mine` in unbroken edge runs that begin at a corner: a lower bound of the stable ones.
fn edge_runs(mine: u64) -> u64 {
    const WAYS: [(i32, i32); 8] = [
        (0, 1),
        (0, 8),
        (7, -1),
        (7, 8),
        (56, 1),
        (56, -8),
        (63, -1),
        (63, -8),
    ];
    let run = |(corner, step): (i32, i32)| {
        let way = (0..8).map(move |i| 1u64 << (corner + i * step));
        way.take_while(|bit| mine & bit != 0)
            .fold(0, |run, bit| run | bit)
    };
    WAYS.into_iter().map(run).fold(0, |all, run| all | run)
}

#[cfg(test)]
mod tests {
    use super::super::tests::random_board;
    use super::*;
    use crate::util::rng::Rng;

    #[test]
    fn a_change_of_sides_changes_the_sign() {
        let mut rng = Rng::new(5);
        for _ in 0..200 {
            let board = random_board(&mut rng);
            for evaluate in [pentai, applet, sustech] {
                assert_eq!(evaluate(board), -evaluate(board.pass()), "{board:?}");
            }
            let parity = if board.empty_count() % 2 == 1 {
                100
            } else {
                -100
            };
            assert_eq!(
                othelloai(board) + othelloai(board.pass()),
                2 * parity,
                "{board:?}"
            );
        }
    }

    #[test]
    fn sets_of_the_edge_are_right() {
        for (mine, runs) in [
            (0, 0),
            (0xff, 0xff),
            (0b1011_0111, 0b1000_0111),
            (0x0101_0001, 1),
            (!0, BORDER),
            (0x8080_8000_0000_0000, 0x8080_8000_0000_0000),
        ] {
            assert_eq!(edge_runs(mine), runs, "{mine:#x}");
        }
        let all = CORNER_AREAS
            .iter()
            .flatten()
            .fold(0u64, |all, set| all | set);
        assert_eq!(all.count_ones(), 4 * 6, "the areas do not overlap");
        let of = |part: usize| CORNER_AREAS.iter().fold(0, |all, area| all | area[part]);
        assert_eq!([of(0), of(1), of(2)], [CORNERS, X_SQUARES, C_SQUARES]);
        assert_eq!(
            file_a(0x0100_0101_0001_0001 | !0x0101_0101_0101_0101),
            0b1011_0101
        );
    }

    #[test]
    fn edges_count_corners_runs_and_c_squares() {
        for (own, other, worth) in [
            (0, 0, 0),
            (1, 0, 162),
            (0b111, 0, 306),
            (2, 0, -68),
            (2, 1, 12),
            (0x40, 0, -68),
            (0xff, 0, 1236),
        ] {
            assert_eq!(edge(own, other), worth, "{own:#b} {other:#b}");
        }
    }

    #[test]
    fn ratios_follow_the_papers_formula() {
        // 3 against 1: 100·3/4.1 = 73.17; the other way round its negative; equal is nothing.
        assert_eq!(ratio(0b111, 0b1), 73 * 256 + 43);
        assert_eq!(ratio(0b1, 0b111), -ratio(0b111, 0b1));
        assert_eq!((ratio(0b1, 0b1), ratio(0, 0)), (0, 0));
        // 63 discs, 32 ours among them all corners: only their number counts.
        let ours = 0x8100_0000_3fef_ff81u64;
        let board = Board {
            player: ours,
            opponent: !ours & !(1 << 20),
        };
        assert_eq!(
            sustech(board),
            100 * ratio(board.player, board.opponent) / 256
        );
    }
}
