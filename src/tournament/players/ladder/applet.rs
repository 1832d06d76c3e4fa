//! After the Java applet, version 2: NegaScout with an edge table, mobility and liberties.
//!
//! Source: its page "Speed Tuning the Applet": a table over the 3^8 states of an edge, exact mobility, and
//! potential mobility from the liberties of discs off the edge. How its table was filled is not told; ours
//! counts runs from a corner and squares beside an empty one.

use super::liberties::EdgeIndices;
use super::program::Choose;
use super::search::{INFINITE, Moves, after, final_score};
use crate::board::bitboard::CORNERS;
use crate::board::{Board, Game, Square};
use crate::eval::classic::potential_mobility;
use crate::util::rng::Rng;

/// States of an edge.
const EDGES: usize = 6561;
/// Worth of a corner, a disc in a run from it, a C square beside an empty corner, other edge discs.
const CORNER: i32 = 300;
const RUN: i32 = 60;
const C_SQUARE: i32 = -80;
const EDGE_DISC: i32 = 12;
/// Worth of an X square beside an empty corner, which no edge shows.
const X_SQUARE: i32 = -120;
/// Worth of a move more, and of a liberty more.
const MOBILITY: i32 = 20;
const LIBERTY: i32 = 5;

pub(super) struct Applet {
    depth: u32,
    edges: Vec<i32>,
}

impl Applet {
    pub(super) fn new(depth: u32) -> Self {
        Self { depth, edges: (0..EDGES).map(edge_value).collect() }
    }

    /// NegaScout: later moves are tried with a null window and searched again only if better.
    fn nega_scout(&self, board: Board, depth: u32, alpha: i32, beta: i32) -> i32 {
        if board.moves() == 0 {
            if board.opponent_moves() == 0 {
                return final_score(board);
            }
            return -self.nega_scout(board.pass(), depth, -beta, -alpha);
        }
        if depth == 0 {
            return self.evaluate(board);
        }
        let (mut value, mut low, mut high) = (-INFINITE, alpha, beta);
        for (i, square) in self.sorted(board, depth).iter().enumerate() {
            let child = after(board, square);
            let mut score = -self.nega_scout(child, depth - 1, -high, -low);
            if i > 0 && score > low && score < beta && high != beta {
                score = -self.nega_scout(child, depth - 1, -beta, -score);
            }
            value = value.max(score);
            low = low.max(score);
            if low >= beta {
                break;
            }
            high = low + 1;
        }
        value
    }

    /// Moves by the evaluation after them where that pays, by the square before leaves.
    fn sorted(&self, board: Board, depth: u32) -> Moves {
        Moves::sorted(board, |square| {
            if depth > 1 {
                -self.evaluate(after(board, square))
            } else {
                i32::from(CORNERS & square.bit() != 0)
            }
        })
    }

    fn evaluate(&self, board: Board) -> i32 {
        let Board { player, opponent } = board;
        let empties = board.empties();
        let indices = EdgeIndices::of(player, opponent);
        let edges: i32 = (0..4).map(|edge| self.edges[usize::from(indices.get(edge))]).sum();
        let moves = board.moves().count_ones() as i32 - board.opponent_moves().count_ones() as i32;
        let liberties =
            potential_mobility(opponent, empties) as i32 - potential_mobility(player, empties) as i32;
        let mut sum = edges + MOBILITY * moves + LIBERTY * liberties;
        for [corner, x, ..] in super::search::CORNER_AREAS {
            if empties & corner != 0 {
                sum += X_SQUARE * ((player & x != 0) as i32 - (opponent & x != 0) as i32);
            }
        }
        sum
    }
}

/// What an edge is worth to the side whose discs are the 2s; a corner counts half on each of its edges.
fn edge_value(index: usize) -> i32 {
    let mut rest = index;
    let mut squares = [0; 8];
    for square in squares.iter_mut().rev() {
        (*square, rest) = (rest % 3, rest / 3);
    }
    let side_value = |disc: usize| {
        let mut value = EDGE_DISC * squares.iter().filter(|&&square| square == disc).count() as i32;
        for end in [[0, 1, 2, 3, 4, 5, 6, 7], [7, 6, 5, 4, 3, 2, 1, 0]] {
            let run = end.iter().take_while(|&&i| squares[i] == disc).count() as i32;
            if run > 0 {
                value += CORNER / 2 + RUN * (run - 1);
            } else if squares[end[0]] == 0 && squares[end[1]] == disc {
                value += C_SQUARE;
            }
        }
        value
    };
    side_value(2) - side_value(1)
}

impl Choose for Applet {
    fn choose(&mut self, game: &Game, _rng: &mut Rng) -> Square {
        let board = game.position().board;
        let moves = self.sorted(board, 2);
        let mut alpha = -INFINITE;
        let mut best = moves.iter().next().expect("the side to move has a move");
        for square in moves.iter() {
            let score = -self.nega_scout(after(board, square), self.depth - 1, -INFINITE, -alpha);
            if score > alpha {
                (alpha, best) = (score, square);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::random_board;
    use super::*;

    fn minimax(applet: &Applet, board: Board, depth: u32) -> i32 {
        if board.moves() == 0 {
            let over = board.opponent_moves() == 0;
            return if over { final_score(board) } else { -minimax(applet, board.pass(), depth) };
        }
        if depth == 0 {
            return applet.evaluate(board);
        }
        crate::board::squares(board.moves())
            .map(|square| -minimax(applet, after(board, square), depth - 1))
            .max()
            .expect("there is a move")
    }

    #[test]
    fn nega_scout_is_minimax() {
        let applet = Applet::new(4);
        let mut rng = Rng::new(11);
        for _ in 0..20 {
            let board = random_board(&mut rng);
            for depth in 0..4 {
                let score = applet.nega_scout(board, depth, -INFINITE, INFINITE);
                assert_eq!(score, minimax(&applet, board, depth), "{board:?} at depth {depth}");
            }
        }
    }

    #[test]
    fn edges_are_worth_the_opposite_to_the_other_side() {
        for index in 0..EDGES {
            let mut swapped = 0;
            for place in 0..8 {
                let digit = index / 3usize.pow(place) % 3;
                swapped += (3 - digit) % 3 * 3usize.pow(place);
            }
            assert_eq!(edge_value(index), -edge_value(swapped));
        }
        assert_eq!(edge_value(0), 0);
    }
}
