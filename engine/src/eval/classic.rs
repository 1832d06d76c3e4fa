//! The classic evaluation of the early programs: a weighted sum of a player's criteria.
//!
//! The terms are those of othelloAI, the SUSTech engine and the "speed tuning" applet; the weights
//! change with the stage of the game. They are least squares against the results of 99,825 games,
//! damped (ridge) and pooled with the neighboring stages; on every twentieth game, held out, the
//! error falls from 20.8 discs (knowing nothing) to 19.1 after 20 plies, 15.9 after 40 and 7.4 at
//! the end. Games are far noisier than exact scores: the trained patterns do much better.

use crate::board::bitboard::{C_SQUARES, CORNERS, X_SQUARES, neighbors};
use crate::board::{Board, Score};

const TERMS: usize = 13;

/// Terms of a position and not of a side, by their columns in [`WEIGHTS`].
const PARITY: usize = 10;
const ODD_QUADRANTS: usize = 11;
const TURN: usize = 12;

/// Stages of the game, five discs each.
const STAGES: usize = 12;

/// Weights in 1/128 disc per unit of difference; one row per stage, from the start to the last discs.
#[rustfmt::skip]
const WEIGHTS: [[i16; TERMS]; STAGES] = [
//  disc   mob   pot  inner outer  stab corner     X      C   edge parity  odd  turn
    [  4,   44,   11,    30,   -26,   82,    69,   -802,  -205,   -66,  -13,   -8,   -95],
    [  8,   52,   36,    19,   -12,  444,   356,  -1418,  -539,  -101,   27,  -15,  -198],
    [ -6,   67,   52,    18,   -24,  620,   644,  -1422,  -450,   -72,  123,    0,  -311],
    [-19,   71,   50,    38,   -57,  443,   861,  -1245,  -270,   -22,  145,   -6,  -327],
    [-35,   76,   38,    49,   -84,  261,  1045,  -1025,  -200,    17,  147,   -6,  -339],
    [-47,   89,   23,    48,   -95,  170,  1063,   -844,  -146,    34,  147,   -6,  -340],
    [-54,  107,    8,    47,  -101,  129,   934,   -696,  -105,    43,  149,   -9,  -324],
    [-55,  137,   -8,    47,  -102,  110,   759,   -568,   -79,    48,  144,   -3,  -312],
    [-52,  189,  -29,    47,   -98,  100,   584,   -468,   -54,    42,  143,   11,  -292],
    [-42,  257,  -52,    45,   -87,   98,   407,   -390,   -21,    14,  137,   42,  -268],
    [-32,  324,  -71,    41,   -73,  104,   247,   -316,    21,   -17,  146,   92,  -236],
    [-30,  341,  -67,    37,   -67,  114,   142,   -201,    52,   -27,  155,  124,  -147],
];

/// The A and B squares: edges without corners and C squares.
const EDGES: u64 = 0x3c00_8181_8181_003c;
const QUADRANTS: [u64; 4] = [
    0x0000_0000_0f0f_0f0f,
    0x0000_0000_f0f0_f0f0,
    0x0f0f_0f0f_0000_0000,
    0xf0f0_f0f0_0000_0000,
];

/// The static score of `board` for the side to move, which need not have a move.
///
/// Integer arithmetic throughout; always within `Score::MIN..=Score::MAX`.
#[inline]
pub fn evaluate(board: Board) -> Score {
    let [player, opponent] = counts(board);
    let weights = &WEIGHTS[stage(board)];
    let units: i32 = (0..TERMS)
        .map(|i| (player[i] - opponent[i]) * i32::from(weights[i]))
        .sum();
    Score::from_units(units.clamp(Score::MIN.units(), Score::MAX.units()))
}

/// Stage of the game by empty squares: 60 to 56, 55 to 51, … 5 to 0.
fn stage(board: Board) -> usize {
    ((60 - board.empty_count().min(60)) as usize / 5).min(STAGES - 1)
}

/// All terms counted for the side to move and for the other side.
#[inline(always)]
fn counts(board: Board) -> [[i32; TERMS]; 2] {
    let empties = board.empties();
    let mut player = side(board, empties);
    let mut opponent = side(board.pass(), empties);
    // The side with the last move if there is no pass, and the quadrants in which the side to move has it.
    let odd = (empties.count_ones() & 1) as i32;
    (player[PARITY], opponent[PARITY]) = (odd, 1 - odd);
    player[ODD_QUADRANTS] = QUADRANTS
        .iter()
        .map(|quadrant| ((empties & quadrant).count_ones() & 1) as i32)
        .sum();
    opponent[ODD_QUADRANTS] = 0;
    (player[TURN], opponent[TURN]) = (1, 0);
    [player, opponent]
}

/// Potential mobility of the side to move: liberties of the opponent's discs off the edge.
///
/// The applet leaves edge discs out "since this would overrate edge moves".
#[inline(always)]
pub fn potential_mobility(opponent: u64, empties: u64) -> u32 {
    const INNER: u64 = 0x007e_7e7e_7e7e_7e00;
    let discs = opponent & INNER;
    // Inner discs cannot wrap around, so plain shifts count every (disc, empty neighbor) pair once.
    [1, 7, 8, 9]
        .into_iter()
        .map(|step| (discs << step & empties).count_ones() + (discs >> step & empties).count_ones())
        .sum()
}

/// The terms that both sides have, counted for the side to move.
#[inline(always)]
fn side(board: Board, empties: u64) -> [i32; TERMS] {
    let own = board.player;
    let inner = own & !neighbors(empties);
    // X and C squares matter only while their corner is empty.
    let open = neighbors(empties & CORNERS);
    let count = |set: u64| set.count_ones() as i32;
    [
        count(own),
        count(board.moves().0),
        potential_mobility(board.opponent, empties) as i32,
        count(inner),
        count(own & !inner),
        count(board.stable_discs()),
        count(own & CORNERS),
        count(own & X_SQUARES & open),
        count(own & C_SQUARES & open),
        count(own & EDGES),
        0,
        0,
        0,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::game_boards;

    #[test]
    fn a_score_is_within_its_range_and_the_same_upside_down() {
        let edges = Board {
            player: CORNERS | EDGES,
            opponent: !(CORNERS | EDGES),
        };
        let odd = [(!0, 0), (0, !0), (0, 0)].map(|(player, opponent)| Board { player, opponent });
        for board in game_boards(1, 50).chain(odd).chain([edges]) {
            let score = evaluate(board);
            assert!((Score::MIN..=Score::MAX).contains(&score), "{board}");
            let turned = Board {
                player: board.player.swap_bytes(),
                opponent: board.opponent.swap_bytes(),
            };
            assert_eq!(evaluate(turned), score, "{board}");
        }
    }

    #[test]
    fn x_and_c_squares_are_dropped_when_the_corner_falls() {
        // b2, b1 and a2 are ours; a1 is empty, ours or the other side's.
        let own = 1 << 9 | 1 << 8 | 1 << 1;
        for (player, opponent, expected) in
            [(own, 0, (1, 2)), (own | 1, 0, (0, 0)), (own, 1, (0, 0))]
        {
            let [counted, _] = counts(Board {
                player,
                opponent: opponent | 1 << 36,
            });
            assert_eq!((counted[7], counted[8]), expected, "{player:#x} {opponent}");
        }
    }
}
