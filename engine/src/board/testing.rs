//! Shared fixtures of tests: boards of every kind, and the rules by a plain walk.

use super::{Board, Game, Move, Square, SquareSet};
use crate::util::rng::Rng;

/// The number of samples of a test: `usual` times the variable `EMILIA_SAMPLES`, as in `EMILIA_SAMPLES=10 cargo test`;
/// under Miri, some thousand times slower, a thousandth.
pub fn samples(usual: u32) -> u32 {
    const MIRI_SHARE: u32 = 1000;
    let usual = if cfg!(miri) {
        usual.div_ceil(MIRI_SHARE)
    } else {
        usual
    };
    let factor = std::env::var("EMILIA_SAMPLES")
        .ok()
        .and_then(|text| text.parse().ok());
    usual * factor.unwrap_or(1).max(1)
}

/// Every position of `games` random games from the usual start, passes played.
pub fn game_boards(seed: u64, games: usize) -> impl Iterator<Item = Board> {
    let mut rng = Rng::new(seed);
    (0..games).flat_map(move |_| random_game(&mut rng))
}

/// Random positions from random games, every number of empties among them.
pub fn random_positions(seed: u64, count: usize) -> Vec<Board> {
    game_boards(seed, usize::MAX)
        .filter(|board| !board.is_over())
        .take(count)
        .collect()
}

/// A position after `plies` random moves, with a legal move for the side to move.
pub fn random_position(rng: &mut Rng, plies: u32) -> Board {
    let mut board = Board::START;
    for _ in 0..plies {
        if board.moves().is_empty() {
            board = board.pass();
        }
        match board.moves().0 {
            0 => return random_position(rng, plies),
            moves => {
                let square = nth(moves, rng.below(moves.count_ones()));
                board = board.after(square, board.flip(square));
            }
        }
    }
    if board.moves().is_empty() {
        random_position(rng, plies)
    } else {
        board
    }
}

/// A position of `empties` empties reached by random play, not over; the side to move may have to pass.
pub fn random_ending(rng: &mut Rng, empties: u32) -> Board {
    loop {
        let fits = |board: &Board| board.empty_count() == empties && !board.is_over();
        if let Some(board) = random_game(rng).into_iter().find(fits) {
            return board;
        }
    }
}

/// A random move or the forced pass; `None` when the game is over.
fn random_move(rng: &mut Rng, board: Board) -> Option<Move> {
    match board.moves().0 {
        0 => (!board.opponent_moves().is_empty()).then_some(Move::Pass),
        moves => Some(Move::Place(nth(moves, rng.below(moves.count_ones())))),
    }
}

/// The positions of one random game, in order, with the final one.
pub fn random_game(rng: &mut Rng) -> Vec<Board> {
    let next = |&board: &Board| board.play_move(random_move(rng, board)?);
    std::iter::successors(Some(Board::START), next).collect()
}

/// `game` after at most `plies` further random plies.
pub fn play_on(mut game: Game, plies: u32, rng: &mut Rng) -> Game {
    for _ in 0..plies {
        let Some(mv) = random_move(rng, game.position().board) else {
            break;
        };
        game.play(mv).expect("a random move is legal");
    }
    game
}

/// A board with half of its squares in arbitrary hands.
pub fn random_board(rng: &mut Rng) -> Board {
    let player = rng.next();
    let other = rng.next();
    Board {
        player,
        opponent: other & !player,
    }
}

/// Boards with arbitrary disjoint discs: full, thin and lopsided ones alike.
pub fn arbitrary_boards(seed: u64, count: usize) -> impl Iterator<Item = Board> {
    let mut rng = Rng::new(seed);
    (0..count).map(move |_| {
        let mut filled = rng.next();
        match rng.below(4) {
            0 => filled &= rng.next(),
            1 => filled |= rng.next(),
            2 => filled |= rng.next() | rng.next(),
            _ => {}
        }
        let mut player = rng.next();
        match rng.below(4) {
            0 => player &= rng.next(),
            1 => player |= rng.next(),
            _ => {}
        }
        Board {
            player: filled & player,
            opponent: filled & !player,
        }
    })
}

/// A hundred thousand boards, see [`samples`]: half from games, half arbitrary.
pub fn many_boards(seed: u64) -> impl Iterator<Item = Board> {
    let half = samples(50_000) as usize;
    game_boards(seed, usize::MAX)
        .take(half)
        .chain(arbitrary_boards(seed, half))
}

/// The `n`-th lowest square of `bits`.
pub fn nth(bits: u64, n: u32) -> Square {
    SquareSet(bits)
        .iter()
        .nth(n as usize)
        .expect("n is below the number of bits")
}

/// Discs turned by a move, square by square in each direction: the rules as a human reads them.
pub fn walk_flip(board: Board, square: Square) -> u64 {
    let mut flipped = 0;
    for (df, dr) in [
        (1, 0),
        (1, 1),
        (0, 1),
        (-1, 1),
        (-1, 0),
        (-1, -1),
        (0, -1),
        (1, -1),
    ] {
        let mut line = 0;
        let mut file = square.file() as i32 + df;
        let mut rank = square.rank() as i32 + dr;
        while (0..8).contains(&file) && (0..8).contains(&rank) {
            let bit = Square::at(file as u8, rank as u8).bit();
            if board.player & bit != 0 {
                flipped |= line;
            }
            if board.opponent & bit == 0 {
                break;
            }
            line |= bit;
            (file, rank) = (file + df, rank + dr);
        }
    }
    flipped
}

/// Legal moves by walking from every empty square.
pub fn walk_moves(board: Board) -> u64 {
    SquareSet(board.empties())
        .iter()
        .filter(|&square| walk_flip(board, square) != 0)
        .collect::<SquareSet>()
        .0
}
