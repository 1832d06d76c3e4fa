//! The hand-made evaluation of the early programs: a weighted sum of what a player looks at.
//!
//! The terms are those of othelloAI, the SUSTech engine and the "speed tuning" applet; the weights
//! change with the stage of the game. They are least squares against the results of 99,825 games,
//! damped (ridge) and pooled with the neighbouring stages; on every twentieth game, held out, the
//! error falls from 20.8 discs (knowing nothing) to 19.1 after 20 plies, 15.9 after 40 and 7.9 at
//! the end. Games are far noisier than exact scores: the trained patterns do much better.

use crate::board::{Board, Score};

use super::liberties::{neighbours, potential_mobility};

/// Number of terms.
pub const TERMS: usize = 13;

/// Names of the terms, in the order of their weights.
const NAMES: [&str; TERMS] = [
    "discs",
    "mobility",
    "potential mobility",
    "inner discs",
    "outer discs",
    "stable discs",
    "corners",
    "X squares",
    "C squares",
    "edges",
    "parity",
    "odd quadrants",
    "turn",
];

/// Stages of the game, five discs each.
const STAGES: usize = 12;

/// Weights in 1/128 disc per unit of difference; one row per stage, from the start to the last discs.
#[rustfmt::skip]
const WEIGHTS: [[i16; TERMS]; STAGES] = [
//   disc  mob  pot inner outer stab corner  X      C   edge par  odd  turn
    [  4,  44,  11,  30,  -26,  82,   69,  -802, -205,  -66, -13,  -8,  -95],
    [  8,  52,  36,  19,  -12, 444,  357, -1418, -539, -101,  27, -15, -198],
    [ -6,  67,  52,  18,  -24, 633,  637, -1422, -450,  -72, 123,  -1, -311],
    [-19,  71,  50,  38,  -58, 483,  822, -1245, -271,  -22, 145,  -6, -327],
    [-35,  76,  38,  50,  -84, 303,  984, -1026, -200,   17, 147,  -6, -339],
    [-47,  88,  23,  49,  -97, 207,  993,  -846, -147,   34, 147,  -6, -340],
    [-53, 107,   8,  50, -103, 163,  857,  -700, -106,   42, 148,  -9, -324],
    [-54, 136,  -8,  52, -106, 142,  679,  -575,  -81,   46, 143,  -2, -313],
    [-49, 190, -29,  55, -104, 128,  507,  -479,  -59,   36, 141,  13, -292],
    [-35, 260, -51,  61,  -96, 124,  323,  -412,  -29,    2, 137,  47, -270],
    [-13, 325, -61,  69,  -81, 127,  135,  -369,    7,  -57, 145, 105, -248],
    [ 10, 344, -36,  76,  -67, 134,    1,  -290,   27, -113, 153, 141, -169],
];

const CORNERS: u64 = 0x8100_0000_0000_0081;
const X_SQUARES: u64 = 0x0042_0000_0000_4200;
const C_SQUARES: u64 = 0x4281_0000_0000_8142;
/// The A and B squares: edges without corners and C squares.
const EDGES: u64 = 0x3c00_8181_8181_003c;
const QUADRANTS: [u64; 4] =
    [0x0000_0000_0f0f_0f0f, 0x0000_0000_f0f0_f0f0, 0x0f0f_0f0f_0000_0000, 0xf0f0_f0f0_0000_0000];

/// One term of the evaluation of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// What is counted.
    pub name: &'static str,
    /// Count for the side to move.
    pub player: i32,
    /// Count for the other side.
    pub opponent: i32,
    /// Worth of one unit of difference at this stage, in 1/128 disc.
    pub weight: i32,
}

impl Term {
    /// What the term adds to the score, in 1/128 disc.
    pub fn worth(&self) -> i32 {
        (self.player - self.opponent) * self.weight
    }
}

/// The score of a position taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// All terms, in a fixed order.
    pub terms: [Term; TERMS],
    /// Their sum, kept within the range of scores: equals [`evaluate`].
    pub score: Score,
}

impl Terms {
    /// The evaluation of `board` term by term.
    pub fn of(board: Board) -> Self {
        let [player, opponent] = counts(board);
        let weights = &WEIGHTS[stage(board)];
        let terms = std::array::from_fn(|i| Term {
            name: NAMES[i],
            player: player[i],
            opponent: opponent[i],
            weight: i32::from(weights[i]),
        });
        Self { terms, score: bounded(terms.iter().map(Term::worth).sum()) }
    }
}

/// The static score of `board` for the side to move, which need not have a move.
///
/// Integer arithmetic throughout; always within `Score::MIN..=Score::MAX`.
#[inline]
pub fn evaluate(board: Board) -> Score {
    let [player, opponent] = counts(board);
    let weights = &WEIGHTS[stage(board)];
    bounded((0..TERMS).map(|i| (player[i] - opponent[i]) * i32::from(weights[i])).sum())
}

fn bounded(units: i32) -> Score {
    Score::from_units(units.clamp(Score::MIN.units(), Score::MAX.units()))
}

/// Stage of the game by empty squares: 60 to 56, 55 to 51, … 5 to 0.
fn stage(board: Board) -> usize {
    ((60 - board.empty_count().min(60)) as usize / 5).min(STAGES - 1)
}

/// All terms counted for the side to move and for the other side.
#[inline(always)]
pub fn counts(board: Board) -> [[i32; TERMS]; 2] {
    let empties = board.empties();
    let mut player = side(board, empties);
    let mut opponent = side(board.pass(), empties);
    // Who moves last if nobody passes, and the quadrants in which the side to move can do so.
    let odd = (empties.count_ones() & 1) as i32;
    (player[10], opponent[10]) = (odd, 1 - odd);
    player[11] = QUADRANTS.iter().map(|quadrant| ((empties & quadrant).count_ones() & 1) as i32).sum();
    opponent[11] = 0;
    (player[12], opponent[12]) = (1, 0);
    [player, opponent]
}

/// The terms that both sides have, counted for the side to move.
#[inline(always)]
fn side(board: Board, empties: u64) -> [i32; TERMS] {
    let own = board.player;
    let inner = own & !neighbours(empties);
    // X and C squares matter only while the corner beside them is empty.
    let open = neighbours(empties & CORNERS);
    let count = |set: u64| set.count_ones() as i32;
    [
        count(own),
        count(board.moves()),
        potential_mobility(board.opponent, empties) as i32,
        count(inner),
        count(own & !inner),
        count(stable(own, !empties)),
        count(own & CORNERS),
        count(own & X_SQUARES & open),
        count(own & C_SQUARES & open),
        count(own & EDGES),
        0,
        0,
        0,
    ]
}

/// For each row of eight squares, the discs joined to an end without a gap.
static RUNS: [u8; 256] = {
    let mut runs = [0; 256];
    let mut row = 0;
    while row < 256 {
        let discs = row as u8;
        let low = discs & !(discs.wrapping_add(1));
        let low = low & (1u16 << discs.trailing_ones()).wrapping_sub(1) as u8;
        let high = !(0xffu16 >> discs.leading_ones()) as u8;
        runs[row] = low | high & discs;
        row += 1;
    }
    runs
};

/// Edge discs that can never turn: joined to an own corner, or on a full edge.
pub fn stable(own: u64, occupied: u64) -> u64 {
    let edge = |own: u8, occupied: u8| match occupied {
        0xff => own,
        _ => RUNS[usize::from(own)],
    };
    let (top, bottom) = (edge(own as u8, occupied as u8), edge((own >> 56) as u8, (occupied >> 56) as u8));
    let left = edge(column_a(own), column_a(occupied));
    let right = edge(column_a(own >> 7), column_a(occupied >> 7));
    u64::from(top) | u64::from(bottom) << 56 | spread_a(left) | spread_a(right) << 7
}

/// Column a as a byte, row 1 in bit 0.
fn column_a(bits: u64) -> u8 {
    ((bits & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// A byte laid along column a, bit 0 in row 1.
fn spread_a(byte: u8) -> u64 {
    // Multiples of 7 apart, bit i of the byte lands on bit 8·i.
    (u64::from(byte & 0x7f).wrapping_mul(0x0002_0408_1020_4081) & 0x0001_0101_0101_0101)
        | u64::from(byte >> 7) << 56
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::squares;
    use crate::util::rng::Rng;

    /// Positions of random games.
    fn positions(games: u32, seed: u64) -> Vec<Board> {
        let mut rng = Rng::new(seed);
        let mut all = vec![];
        for _ in 0..games {
            let mut board = Board::START;
            while !board.is_over() {
                all.push(board);
                let moves: Vec<_> = squares(board.moves()).collect();
                board = match moves.len() as u32 {
                    0 => board.pass(),
                    n => {
                        let square = moves[rng.below(n) as usize];
                        board.after(square, board.flip(square))
                    }
                };
            }
            all.push(board);
        }
        all
    }

    /// The board turned upside down.
    fn upside_down(board: Board) -> Board {
        Board { player: board.player.swap_bytes(), opponent: board.opponent.swap_bytes() }
    }

    /// Edge discs joined to a corner or on a full edge, square by square.
    fn plain_stable(own: u64, occupied: u64) -> u64 {
        let edges = [(0, 1), (56, 1), (0, 8), (7, 8)];
        let mut stable = 0;
        for (first, step) in edges {
            let line: Vec<u64> = (0..8).map(|i| 1 << (first + step * i)).collect();
            let full = line.iter().all(|bit| occupied & bit != 0);
            let run = |line: &mut dyn Iterator<Item = &u64>| {
                line.take_while(|&bit| full || own & bit != 0).fold(0, |set, bit| set | bit & own)
            };
            stable |= run(&mut line.iter()) | run(&mut line.iter().rev());
        }
        stable
    }

    #[test]
    fn the_breakdown_adds_up_to_the_score() {
        for board in positions(50, 1) {
            assert_eq!(Terms::of(board).score, evaluate(board));
        }
    }

    #[test]
    fn edge_stability_equals_the_plain_walk() {
        for board in positions(200, 2) {
            let plain = plain_stable(board.player, !board.empties());
            assert_eq!(stable(board.player, !board.empties()), plain, "{board:?}");
        }
    }

    #[test]
    fn mirrored_boards_score_alike() {
        for board in positions(50, 3) {
            assert_eq!(evaluate(upside_down(board)), evaluate(board));
        }
    }

    #[test]
    fn x_and_c_squares_are_dropped_when_the_corner_falls() {
        // b2, b1 and a2 are ours; then a1 falls to either side.
        let danger = Board { player: 0x0000_0000_0000_0302 | 1 << 9, opponent: 1 << 36 };
        let [open, _] = counts(Board { player: 1 << 9 | 1 << 8 | 1 << 1, ..danger });
        assert_eq!((open[7], open[8]), (1, 2));
        for corner_ours in [true, false] {
            let mut board = Board { player: 1 << 9 | 1 << 8 | 1 << 1, ..danger };
            if corner_ours {
                board.player |= 1
            } else {
                board.opponent |= 1
            }
            let [closed, _] = counts(board);
            assert_eq!((closed[7], closed[8]), (0, 0));
        }
    }

    #[test]
    fn every_board_has_a_score_within_range() {
        for board in [
            Board { player: !0, opponent: 0 },
            Board { player: 0, opponent: !0 },
            Board { player: 0, opponent: 0 },
            Board { player: CORNERS | EDGES, opponent: !(CORNERS | EDGES) },
        ] {
            let score = evaluate(board);
            assert!(score >= Score::MIN && score <= Score::MAX);
        }
    }
}
