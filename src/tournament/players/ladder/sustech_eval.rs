//! The evaluation of the SUSTech student engine, with its nine-row stage table as printed.
//!
//! Source: J. Zhang, "Reversi AI Based on Alpha-Beta pruning" (algorithm 2 and table 2). What the
//! paper leaves open is closed here:
//! - The table's stages by discs on the board, `(40, 49]`, `(50, 60]`, `(61, 64]`, leave out 50 and
//!   61: they belong to the row above their gap's end, 50 to `(50, 60]` and 61 to `(61, 64]`.
//! - Equal counts make a ratio 0; the printed `else` branch would give the opponent 50.
//! - `outside` counts against its owner, as the paper's text says; the printed signs are lost.
//! - Corner and X weights are "very large" but not printed: [`CORNER`] and [`X_SQUARE`] are ours,
//!   and 0 in the last row, where "the AI will only think about quantity of pieces". The square
//!   weights, also not printed, are left out.

use crate::board::bitboard::{BORDER, C_SQUARES, CORNERS, X_SQUARES, neighbours};
use crate::board::stability::FullLines;
use crate::board::{Board, Score};

/// One row of the table: the weights up to and including this many discs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Last number of discs on the board to which the row applies.
    pub last: u32,
    /// Weight of the disc ratio.
    pub number: i32,
    /// Weight of the mobility ratio.
    pub mobility: i32,
    /// Weight of one stable disc more.
    pub stable: i32,
    /// Weight of the ratio of discs without an empty neighbour.
    pub inside: i32,
    /// Weight of the ratio of discs on the edge.
    pub edge: i32,
    /// Weight of the ratio of discs with an empty neighbour, against their owner.
    pub outside: i32,
}

const fn row(last: u32, weights: [i32; 6]) -> Row {
    let [number, mobility, stable, inside, edge, outside] = weights;
    Row { last, number, mobility, stable, inside, edge, outside }
}

/// The paper's table 2: number, mobility, stable, inside, edge, outside.
pub const STAGES: [Row; 9] = [
    row(15, [0, 86, 67, 0, 0, 78]),
    row(18, [0, 98, 100, 0, 22, 76]),
    row(21, [0, 108, 200, 4, 24, 76]),
    row(24, [5, 116, 300, 5, 22, 72]),
    row(37, [7, 124, 1000, 6, 22, 70]),
    row(40, [7, 124, 1500, 7, 16, 66]),
    row(49, [8, 124, 2000, 0, 0, 60]),
    row(60, [9, 120, 2250, 0, 0, 56]),
    row(64, [100, 0, 0, 0, 0, 0]),
];

/// Worth of one corner more, in the table's units.
pub const CORNER: i32 = 20_000;
/// Worth of one X square less beside an empty corner; a C square counts 0.29 of it.
pub const X_SQUARE: i32 = 5_000;
/// Units of the table in one 1/128 disc: keeps ordinary positions within the range of scores.
const SCALE: i32 = 16;

/// The row for a board with this many discs.
pub fn stage(discs: u32) -> &'static Row {
    STAGES.iter().find(|row| discs <= row.last).unwrap_or(&STAGES[8])
}

/// The static score of `board` for the side to move.
pub fn evaluate(board: Board) -> Score {
    let row = stage(64 - board.empty_count());
    let outer = neighbours(board.empties());
    let open = neighbours(board.empties() & CORNERS);
    let ratio_of = |set: u64| ratio(board.player & set, board.opponent & set);
    let more = |set: u64| count(board.player & set) - count(board.opponent & set);
    let mut sum = row.number * ratio_of(!0)
        + row.mobility * ratio(board.moves(), board.opponent_moves())
        + row.inside * ratio_of(!outer)
        + row.edge * ratio_of(BORDER)
        - row.outside * ratio_of(outer);
    // Ratios are in 1/256 of the paper's unit.
    sum /= 256;
    sum += row.stable * (stable(board) - stable(board.pass()));
    if row.last < 64 {
        sum += CORNER * more(CORNERS);
        sum -= X_SQUARE * more(X_SQUARES & open) + X_SQUARE * 29 / 100 * more(C_SQUARES & open);
    }
    Score::from_units((sum / SCALE).clamp(Score::MIN.units(), Score::MAX.units()))
}

fn count(set: u64) -> i32 {
    set.count_ones() as i32
}

/// 100·more / (mine + theirs + 0.1) with the sign of who has more, in 1/256.
pub fn ratio(mine: u64, theirs: u64) -> i32 {
    let (mine, theirs) = (count(mine), count(theirs));
    let sign = (mine - theirs).signum();
    // Ten times numerator and denominator keep the 0.1 an integer.
    sign * (256 * 1000 * mine.max(theirs) / (10 * (mine + theirs) + 1))
}

/// The paper's stable discs: on a full edge, or with no empty square on any of the four lines.
fn stable(board: Board) -> i32 {
    const EDGE_LINES: [u64; 4] = [0xff, 0xff00_0000_0000_0000, 0x0101_0101_0101_0101, 0x8080_8080_8080_8080];
    let occupied = !board.empties();
    let edges = EDGE_LINES.iter().filter(|&&line| occupied & line == line).fold(0, |set, line| set | line);
    count(board.player & (edges | FullLines::new(occupied).all()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_discs_has_its_row_and_the_gaps_are_closed() {
        let bounds = [(4, 0), (15, 0), (16, 1), (18, 1), (19, 2), (24, 3), (25, 4), (37, 4), (40, 5)];
        for (discs, row) in bounds {
            assert_eq!(stage(discs), &STAGES[row], "{discs} discs");
        }
        assert_eq!(stage(49).stable, 2000);
        assert_eq!(stage(50).stable, 2250);
        assert_eq!(stage(60).number, 9);
        assert_eq!(stage(61).number, 100);
        assert_eq!(stage(64).number, 100);
    }

    #[test]
    fn ratios_follow_the_papers_formula() {
        // 3 against 1: 100·3/4.1 = 73.17; the other way round its negative; equal is nothing.
        assert_eq!(ratio(0b111, 0b1), 73 * 256 + 43);
        assert_eq!(ratio(0b1, 0b111), -ratio(0b111, 0b1));
        assert_eq!(ratio(0b1, 0b1), 0);
        assert_eq!(ratio(0, 0), 0);
    }

    #[test]
    fn the_last_row_counts_discs_only() {
        // 63 discs, 32 ours among them all corners: 100 * 100·32/63.1 / 16 units.
        let ours = 0x8100_0000_3fff_ff81u64;
        let ours = ours & !(1 << 20);
        let board = Board { player: ours, opponent: !ours & !(1 << 20) };
        let expected = 100 * ratio(board.player, board.opponent) / 256 / 16;
        assert_eq!(evaluate(board).units(), expected);
    }

    #[test]
    fn a_pass_negates_the_score() {
        let board = Board::START.play("f5".parse().expect("a square")).expect("a legal move");
        let board = board.play("f6".parse().expect("a square")).expect("a legal move");
        assert_eq!(evaluate(board.pass()), -evaluate(board));
    }
}
