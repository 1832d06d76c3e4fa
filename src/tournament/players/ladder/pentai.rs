//! After PentAI: alpha-beta of fixed depth and width, weakened by *vision* and *judgement*.
//!
//! Source: its page: the width is 9 candidates for the top three plies and 5 below; a table of positions,
//! emptied before each move; *vision* skips a share of the candidates of every position; *judgement* shifts
//! every evaluation at random, the more the lower it is. Its evaluation is of Pente; here squares and
//! mobility serve, and candidates are ordered by them.

use std::collections::HashMap;

use super::program::{Choose, LadderOptions};
use super::search::{CORNER_AREAS, INFINITE, Moves, after, final_score};
use crate::board::bitboard::CORNERS;
use crate::board::{Board, Game, Square};
use crate::util::rng::Rng;

/// Candidates at the top plies, how many plies that is, and candidates below.
const TOP_WIDTH: usize = 9;
const TOP_PLIES: u32 = 3;
const WIDTH: usize = 5;
/// With no judgement at all a score is shifted by up to this much, about a corner.
const CONFUSION: i32 = 500;

pub(super) struct PentAi {
    depth: u32,
    vision: u32,
    judgement: i32,
    /// Scores of this move's search by position and depth.
    table: HashMap<(Board, u32), i32>,
}

impl PentAi {
    pub(super) fn new(options: &LadderOptions) -> Self {
        Self {
            depth: u32::from(options.depth),
            vision: u32::from(options.vision),
            judgement: i32::from(options.judgement),
            table: HashMap::new(),
        }
    }

    /// The candidates of a position: the best few by sight, less those overlooked; never none.
    fn candidates(&self, board: Board, ply: u32, rng: &mut Rng) -> Vec<Square> {
        let width = if ply < TOP_PLIES { TOP_WIDTH } else { WIDTH };
        let moves = Moves::sorted(board, |square| -sight(after(board, square)));
        let mut seen: Vec<Square> = moves.iter().take(width).collect();
        if self.vision < 100 {
            let best = seen[0];
            seen.retain(|_| rng.below(100) < self.vision);
            if seen.is_empty() {
                seen.push(best);
            }
        }
        seen
    }

    fn evaluate(&self, board: Board, rng: &mut Rng) -> i32 {
        let shift = CONFUSION * (100 - self.judgement) / 100;
        let noise = if shift > 0 { rng.below(2 * shift as u32 + 1) as i32 - shift } else { 0 };
        sight(board) + noise
    }

    fn search(&mut self, board: Board, ply: u32, (mut alpha, beta): (i32, i32), rng: &mut Rng) -> i32 {
        if board.moves() == 0 {
            if board.opponent_moves() == 0 {
                return final_score(board);
            }
            return -self.search(board.pass(), ply, (-beta, -alpha), rng);
        }
        if ply >= self.depth {
            return self.evaluate(board, rng);
        }
        if let Some(&score) = self.table.get(&(board, ply)) {
            return score;
        }
        let low = alpha;
        let mut value = -INFINITE;
        for square in self.candidates(board, ply, rng) {
            value = value.max(-self.search(after(board, square), ply + 1, (-beta, -alpha), rng));
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        // Only exact values are kept, so that the table cannot change a result.
        if value > low && value < beta {
            self.table.insert((board, ply), value);
        }
        value
    }
}

impl Choose for PentAi {
    fn choose(&mut self, game: &Game, rng: &mut Rng) -> Square {
        self.table.clear();
        let board = game.position().board;
        let candidates = self.candidates(board, 0, rng);
        let (mut alpha, mut best) = (-INFINITE, candidates[0]);
        for square in candidates {
            let score = -self.search(after(board, square), 1, (-INFINITE, -alpha), rng);
            if score > alpha {
                (alpha, best) = (score, square);
            }
        }
        best
    }
}

/// What a position looks like to the side to move without searching.
fn sight(board: Board) -> i32 {
    let Board { player, opponent } = board;
    let more = |set: u64| (player & set).count_ones() as i32 - (opponent & set).count_ones() as i32;
    let moves = board.moves().count_ones() as i32 - board.opponent_moves().count_ones() as i32;
    let mut sum = 500 * more(CORNERS) + 30 * moves;
    for [corner, x, c, pivots] in CORNER_AREAS {
        if board.empties() & corner != 0 {
            sum += 20 * more(pivots) - 60 * more(c) - 150 * more(x);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pentai(depth: u8, vision: u8) -> PentAi {
        let options = LadderOptions { depth, vision, ..LadderOptions::named("pentai").unwrap() };
        PentAi::new(&options)
    }

    #[test]
    fn width_and_vision_bound_the_candidates() {
        let mut rng = Rng::new(1);
        let mut game = Game::default();
        while game.position().board.moves().count_ones() as usize <= TOP_WIDTH {
            let square = super::super::simple::Random.choose(&game, &mut rng);
            game.play_square(square).unwrap();
        }
        let board = game.position().board;
        assert_eq!(pentai(4, 100).candidates(board, 0, &mut rng).len(), TOP_WIDTH);
        assert_eq!(pentai(4, 100).candidates(board, TOP_PLIES, &mut rng).len(), WIDTH);
        let blind = pentai(4, 1);
        for _ in 0..100 {
            let seen = blind.candidates(board, 0, &mut rng);
            assert!((1..=2).contains(&seen.len()), "{seen:?}");
        }
    }

    #[test]
    fn sight_changes_sign_with_the_side() {
        let board = Board { player: 0x8000_0038_1c08_0000, opponent: 0x0040_1004_2000_0000 };
        assert_eq!(sight(board), -sight(board.pass()));
    }
}
