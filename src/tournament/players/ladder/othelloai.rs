//! After othelloAI: deepening alpha-beta that tries the last search's path first, and a linear evaluation.
//!
//! Source: the program's readme. Its evaluation is a weighted sum of mobility, potential mobility, disc
//! share, pivotal, C and X squares while their corner is empty, corners, a lower bound of stable discs,
//! and parity; the weights are ours. Near the end it searches to the end of the game. Its book is used
//! for the first nine moves of each side; ours is a list of lines that our own engine found balanced.

use super::program::Choose;
use super::search::{CORNER_AREAS, INFINITE, Moves, after, edge_runs, final_score, lead};
use crate::board::bitboard::{CORNERS, neighbours};
use crate::board::{Board, Game, Move, Square};
use crate::util::rng::Rng;

/// From this many empties on it searches to the end.
const LAST_EMPTIES: u32 = 9;
/// Longest path kept.
const MAX_PATH: usize = 64;

pub(super) struct OthelloAi {
    depth: u32,
    /// The best line of the last search, tried first by the next.
    path: Vec<Square>,
    book: Vec<Vec<Move>>,
}

impl OthelloAi {
    pub(super) fn new(depth: u32) -> Self {
        Self { depth, path: Vec::new(), book: book() }
    }

    /// A book move: any line that begins like the game, whatever square the game began on.
    fn book_move(&self, game: &Game, rng: &mut Rng) -> Option<Square> {
        let played = game.moves();
        let fitting: Vec<Square> = self
            .book
            .iter()
            .filter(|line| line.len() > played.len() && line.starts_with(played))
            .filter_map(|line| line[played.len()].square())
            .collect();
        let pick = *fitting.get(rng.below(fitting.len().max(1) as u32) as usize)?;
        game.position().board.play(pick).map(|_| pick)
    }
}

/// Lines of 18 plies.
fn book() -> Vec<Vec<Move>> {
    include_str!("../../../../books/ladder.txt")
        .lines()
        .filter_map(|line| crate::notation::moves::parse_moves(line).ok())
        .filter(|line| !line.is_empty())
        .collect()
}

impl Choose for OthelloAi {
    fn choose(&mut self, game: &Game, rng: &mut Rng) -> Square {
        if let Some(square) = self.book_move(game, rng) {
            return square;
        }
        let board = game.position().board;
        let last = if board.empty_count() <= LAST_EMPTIES { board.empty_count() } else { self.depth };
        self.path.clear();
        for depth in 1..=last {
            let mut best = Vec::new();
            let path = std::mem::take(&mut self.path);
            alpha_beta(board, depth, -INFINITE, INFINITE, &path, &mut best);
            best.truncate(MAX_PATH);
            self.path = best;
        }
        self.path[0]
    }
}

/// Negamax with alpha-beta. `path` is tried first as far as it reaches; `best` gets the best line.
fn alpha_beta(
    board: Board,
    depth: u32,
    mut alpha: i32,
    beta: i32,
    path: &[Square],
    best: &mut Vec<Square>,
) -> i32 {
    best.clear();
    if board.moves() == 0 {
        if board.opponent_moves() == 0 {
            return final_score(board);
        }
        return -alpha_beta(board.pass(), depth, -beta, -alpha, path, best);
    }
    if depth == 0 {
        return evaluate(board);
    }
    let first = path.first().copied();
    let corners = |square: Square| i32::from(CORNERS & square.bit() != 0);
    let moves = Moves::sorted(board, |square| 2 * i32::from(first == Some(square)) + corners(square));
    let mut line = Vec::new();
    let mut value = -INFINITE;
    for square in moves.iter() {
        let rest = if first == Some(square) { &path[1..] } else { &[] };
        let score = -alpha_beta(after(board, square), depth - 1, -beta, -alpha, rest, &mut line);
        if score > value {
            value = score;
            best.clear();
            best.push(square);
            best.extend_from_slice(&line);
        }
        alpha = alpha.max(score);
        if alpha >= beta {
            break;
        }
    }
    value
}

/// The linear evaluation for the side to move.
fn evaluate(board: Board) -> i32 {
    let Board { player, opponent } = board;
    let frontier = |discs: u64| (discs & neighbours(board.empties())).count_ones();
    let more = |set: u64| (player & set).count_ones() as i32 - (opponent & set).count_ones() as i32;
    let mut sum = 10 * lead(board.moves().count_ones(), board.opponent_moves().count_ones())
        + 6 * lead(frontier(opponent), frontier(player))
        + lead(player.count_ones(), opponent.count_ones())
        + 10 * lead(edge_runs(player).count_ones(), edge_runs(opponent).count_ones());
    for [corner, x, c, pivots] in CORNER_AREAS {
        sum += 800 * more(corner);
        if (player | opponent) & corner == 0 {
            sum += 60 * more(pivots) - 120 * more(c) - 300 * more(x);
        }
    }
    // With an odd number of empties the side to move expects the last move.
    sum + if board.empty_count() % 2 == 1 { 100 } else { -100 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_holds_legal_lines_of_eighteen_plies() {
        let lines = book();
        assert!(lines.len() >= 40);
        for line in lines {
            assert_eq!(line.len(), 18);
            Game::from_moves(crate::board::Position::START, line).unwrap();
        }
    }

    #[test]
    fn the_saved_path_is_the_principal_line() {
        let mut best = Vec::new();
        let score = alpha_beta(Board::START, 4, -INFINITE, INFINITE, &[], &mut best);
        assert_eq!(best.len(), 4);
        let mut board = Board::START;
        for &square in &best {
            board = board.play(square).unwrap();
        }
        assert_eq!(score, evaluate(board));
        let mut again = Vec::new();
        assert_eq!(alpha_beta(Board::START, 4, -INFINITE, INFINITE, &best.clone(), &mut again), score);
        assert_eq!(again, best);
    }

    #[test]
    fn a_change_of_sides_changes_the_sign_but_for_parity() {
        let board = Board { player: 0x0000_0038_1c08_0000, opponent: 0x0000_1004_2000_0000 };
        assert_eq!(evaluate(board) + evaluate(board.pass()), 2 * parity(board));
    }

    fn parity(board: Board) -> i32 {
        if board.empty_count() % 2 == 1 { 100 } else { -100 }
    }
}
