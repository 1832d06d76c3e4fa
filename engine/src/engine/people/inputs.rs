//! The inputs of the model: numbers of each legal move and of the position, in 1/64.

use super::scores::{Losses, MOST_LOST, Scorer};
use super::table::LOG;
use crate::board::bitboard::{BORDER, C_SQUARES, CORNERS, X_SQUARES, neighbors, regions};
use crate::board::{Board, Score, Square, Symmetry};

/// 1 in an input.
pub const ONE: i32 = 64;
/// Inputs of a move.
pub const MOVE_INPUTS: usize = 46;
/// Inputs of the position without those of the rating.
pub const PLACE_INPUTS: usize = 7;
/// Kinds of squares that the symmetries of the board tell apart.
pub const KINDS: usize = 10;

/// A legal move as the model sees it.
#[derive(Clone)]
pub struct Sight {
    /// Its square.
    pub square: Square,
    /// Its inputs.
    pub inputs: [i16; MOVE_INPUTS],
    /// The kind of its square, below [`KINDS`].
    pub kind: u8,
    /// The position turned so that the square is the first of its kind.
    pub turned: Board,
}

/// A position as the model sees it.
#[derive(Clone)]
pub struct View {
    /// The legal moves, by square.
    pub moves: Vec<Sight>,
    /// Inputs of the position.
    pub place: [i16; PLACE_INPUTS],
    /// Squares without a disc.
    pub empties: u32,
    /// Best exact score, or else that of the deepest search, 1/128 disc.
    pub best: i32,
    /// Per move: the loss by these scores, 1/128 disc.
    pub lost: Vec<i32>,
    /// Positions visited.
    pub nodes: u64,
}

impl View {
    /// Sees `board` after the move `last` of the other side.
    pub fn new(scorer: &mut Scorer, board: Board, last: Option<Square>) -> Self {
        let moves: Vec<Square> = board.moves().iter().collect();
        let losses = scorer.losses(board, &moves);
        let place = place(board, &losses);
        let sights = moves
            .iter()
            .enumerate()
            .map(|(index, &square)| sight(board, last, square, &losses, index))
            .collect();
        let Losses {
            best,
            searched: [.., deepest],
            exact,
            nodes,
        } = losses;
        let (best, lost) = exact.unwrap_or((best, deepest));
        Self {
            moves: sights,
            place,
            empties: board.empty_count(),
            best,
            lost,
            nodes,
        }
    }
}

/// The inputs of the position.
fn place(board: Board, losses: &Losses) -> [i16; PLACE_INPUTS] {
    let deepest = &losses.searched[losses.searched.len() - 1];
    // The second smallest loss: how far the best move is ahead.
    let mut sorted = deepest.clone();
    sorted.sort_unstable();
    let margin = sorted.get(1).copied().unwrap_or(MOST_LOST);
    let count = board.moves().len() as usize;
    let score = losses.best.clamp(-32 * Score::DISC, 32 * Score::DISC);
    [
        board.empty_count() as i16,
        LOG[count] / 4,
        (score / 32) as i16,
        (score.abs() / 32) as i16,
        eighth(margin),
        flag(board.moves().0 & CORNERS != 0),
        LOG[board.opponent_moves().len() as usize] / 4,
    ]
}

/// A loss in units of 8 discs.
fn eighth(loss: i32) -> i16 {
    (loss * ONE / (8 * Score::DISC)) as i16
}

/// The square root of a loss in units of 8 discs.
fn root(loss: i32) -> i16 {
    ((loss * ONE * ONE / (8 * Score::DISC)) as u32).isqrt() as i16
}

fn flag(holds: bool) -> i16 {
    if holds { ONE as i16 } else { 0 }
}

fn count(set: u64) -> usize {
    set.count_ones() as usize
}

/// A move's inputs, in the order of the fit.
struct Inputs {
    values: [i16; MOVE_INPUTS],
    len: usize,
}

impl Inputs {
    fn add<const N: usize>(&mut self, values: [i16; N]) {
        self.values[self.len..self.len + N].copy_from_slice(&values);
        self.len += N;
    }
}

fn sight(
    board: Board,
    last: Option<Square>,
    square: Square,
    losses: &Losses,
    index: usize,
) -> Sight {
    let flipped = board.flip(square);
    let after = board.after(square, flipped);
    let mut inputs = Inputs {
        values: [0; MOVE_INPUTS],
        len: 0,
    };
    add_losses(&mut inputs, losses, index);
    add_mobility(&mut inputs, square, flipped, after);
    add_frontier(&mut inputs, square, flipped, after);
    add_squares(&mut inputs, board, square, after);
    add_last(&mut inputs, last, square, flipped);
    add_regions(&mut inputs, board, square, flipped);
    debug_assert_eq!(inputs.len, MOVE_INPUTS);
    let (kind, turned) = turned(board, square);
    Sight {
        square,
        inputs: inputs.values,
        kind,
        turned,
    }
}

/// 14 inputs.
fn add_losses(inputs: &mut Inputs, losses: &Losses, index: usize) {
    let mut deepest = 0;
    for searched in &losses.searched {
        let loss = searched[index];
        inputs.add([eighth(loss), root(loss), flag(loss == 0)]);
        deepest = loss;
    }
    let decided = losses.best.abs().min(32 * Score::DISC) / 32;
    inputs.add([(i32::from(eighth(deepest)) * decided / 128) as i16]);
    match losses.exact.as_ref().map(|(_, exact)| exact[index]) {
        Some(loss) => inputs.add([
            eighth(loss),
            root(loss),
            flag(loss == 0),
            // Whether the mover sees a loss that the deepest search overlooks.
            eighth((loss - deepest).max(0)),
        ]),
        None => inputs.add([0; 4]),
    }
}

/// 6 inputs.
fn add_mobility(inputs: &mut Inputs, square: Square, flipped: u64, after: Board) {
    let turned = count(flipped);
    let answers = after.moves();
    let own = after.opponent_moves();
    let lines = neighbors(square.bit()) & flipped;
    inputs.add([
        LOG[turned] / 2,
        (turned * 8) as i16,
        LOG[answers.len() as usize] / 2,
        flag(answers.is_empty()),
        LOG[own.len() as usize] / 2,
        // Directions that turn discs.
        (count(lines) * 16) as i16,
    ]);
}

/// 4 inputs.
fn add_frontier(inputs: &mut Inputs, square: Square, flipped: u64, after: Board) {
    let beside = neighbors(after.empties());
    let open = (flipped | square.bit()) & beside;
    inputs.add([
        LOG[count(open)] / 2,
        (count(flipped & beside) * 16) as i16,
        flag(flipped & beside == 0),
        // New liberties for the other side.
        LOG[count(neighbors(flipped | square.bit()) & after.empties())] / 2,
    ]);
}

/// 13 inputs.
fn add_squares(inputs: &mut Inputs, board: Board, square: Square, after: Board) {
    let bit = square.bit();
    let corner = neighbors(bit) & CORNERS;
    let is_x = bit & X_SQUARES != 0;
    let is_c = bit & C_SQUARES != 0;
    let is_empty = corner & board.empties() != 0;
    let is_own = corner & board.player != 0;
    let is_theirs = corner & board.opponent != 0;
    let edge = bit & BORDER & !CORNERS & !C_SQUARES != 0;
    let from_corner = square
        .file()
        .min(7 - square.file())
        .max(square.rank().min(7 - square.rank()));
    let answers = count(after.moves().0 & CORNERS);
    let own = count(after.opponent_moves().0 & CORNERS);
    let had = count(board.opponent_moves().0 & CORNERS);
    inputs.add([
        flag(bit & CORNERS != 0),
        flag(is_x && is_empty),
        flag(is_c && is_empty),
        flag((is_x || is_c) && is_own),
        flag((is_x || is_c) && is_theirs),
        flag(edge && from_corner == 2),
        flag(edge && from_corner == 3),
        (answers * 32) as i16,
        flag(answers > had),
        (own * 32) as i16,
        // Distance from the center, in squares.
        distance_from_center(square) * 16,
        flag(answers > 0 && bit & CORNERS == 0),
        flag(had > answers),
    ]);
}

fn distance_from_center(square: Square) -> i16 {
    let off = |at: u8| if at < 4 { 3 - at } else { at - 4 };
    i16::from(off(square.file()).max(off(square.rank())))
}

/// 5 inputs.
fn add_last(inputs: &mut Inputs, last: Option<Square>, square: Square, flipped: u64) {
    let Some(last) = last else {
        return inputs.add([0; 5]);
    };
    let files = square.file().abs_diff(last.file());
    let ranks = square.rank().abs_diff(last.rank());
    let distance = i16::from(files.max(ranks));
    inputs.add([
        flag(distance == 1),
        distance * 16,
        flag(flipped & last.bit() != 0),
        flag(distance == 2),
        flag(files == 0 || ranks == 0 || files == ranks),
    ]);
}

/// 4 inputs.
fn add_regions(inputs: &mut Inputs, board: Board, square: Square, flipped: u64) {
    let region = regions(board.empties())
        .find(|region| region & square.bit() != 0)
        .unwrap_or(0);
    let is_odd = count(region) % 2 == 1;
    inputs.add([
        flag(is_odd),
        flag(is_odd && board.empty_count() <= 20),
        (count(flipped & BORDER) * 16) as i16,
        flag(count(region) == 1),
    ]);
}

/// The kind of a square, and the position turned so that it lies in the first octant. On a diagonal the smaller of two
/// images counts.
fn turned(board: Board, square: Square) -> (u8, Board) {
    let images = Symmetry::all().filter_map(|symmetry| {
        let image = symmetry.apply_square(square);
        let is_first = image.rank() <= image.file() && image.file() < 4;
        is_first.then(|| (image, symmetry.apply(board)))
    });
    let (image, board) = images
        .min_by_key(|&(_, board)| board)
        .expect("a symmetry leads to the first octant");
    let file = image.file();
    let rank = image.rank();
    // a1 b1 c1 d1, b2 c2 d2, c3 d3, d4: row by row.
    let first = [0, 4, 7, 9][usize::from(rank)];
    (first + file - rank, board)
}
