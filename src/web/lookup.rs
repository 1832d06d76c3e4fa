//! Which games of a library reached a position.

use serde_json::{Value, json};

use super::calls::Call;
use crate::board::{Board, Game, Move, Position};
use crate::notation::moves::parse_game;

/// The games among the call's lines that reached `wanted`, or an image of it, in any order of moves.
///
/// Each with its index, the moves before the position, and the next move as it is on the wanted board.
pub fn games_with(call: &Call, wanted: Board) -> Value {
    let found: Vec<Value> = call
        .lines
        .iter()
        .enumerate()
        .filter_map(|(index, line)| {
            let game = parse_game(Position::START, line).ok()?;
            let (ply, next) = reached(&game, wanted)?;
            Some(json!([index, ply, next.map(|mv| mv.to_string())]))
        })
        .collect();
    json!({ "games": found })
}

/// The first ply at which a game has the board, and the next move.
fn reached(game: &Game, wanted: Board) -> Option<(usize, Option<Move>)> {
    let (canonical, to_canonical) = wanted.canonical();
    let empties = wanted.empty_count();
    let ply = game.positions().iter().position(|position| {
        position.board.empty_count() == empties && position.board.canonical().0 == canonical
    })?;
    let (_, symmetry) = game.positions()[ply].board.canonical();
    let next = game
        .moves()
        .get(ply)
        .map(|mv| mv.mapped(symmetry).mapped(to_canonical.inverse()));
    Some((ply, next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_is_found_over_transpositions_and_images() {
        let line = |moves| parse_game(Position::START, moves).unwrap();
        let wanted = line("f5d6c3d3c4").position().board;
        let call = Call {
            lines: ["f5d6c3d3c4f4", "c4e3f6e6f5c5", "f5d6c4d3c3", "f5f6e6", ""]
                .map(str::to_owned)
                .to_vec(),
            ..Call::default()
        };
        let found = games_with(&call, wanted);
        let games = found["games"].as_array().unwrap();
        let indexes: Vec<u64> = games.iter().map(|game| game[0].as_u64().unwrap()).collect();
        assert_eq!(indexes[..2], [0, 1], "{found}");
        assert!(games.iter().all(|game| game[1] == 5), "{found}");
        // The next move of the mirrored game is that of the first one, or legal on the wanted board.
        let legal = wanted.moves().names();
        for game in games.iter().filter(|game| !game[2].is_null()) {
            assert!(legal.iter().any(|name| game[2] == **name), "{found}");
        }
        assert_eq!(games[0][2], "f4");
    }
}
