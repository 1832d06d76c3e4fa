//! Boards and games in one spelling: 64 signs `X`, `O`, `-` with a side, and moves as `f5d6c3`.
//!
//! The crate `emilia` reads other notations.

use thiserror::Error;

use crate::board::{Color, Game, IllegalMove, ParseSquareError, Position, Square};

/// Why a text is no board or no game.
///
/// ```
/// use emilia_engine::text::parse_board;
///
/// let error = parse_board("XXX").expect_err("too short");
/// assert_eq!(error.to_string(), "expected 64 squares, a blank and the side to move, found 3 characters");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextError {
    /// The text does not have exactly 64 squares, a blank and a side; the number of its characters.
    #[error("expected 64 squares, a blank and the side to move, found {0} characters")]
    Length(usize),
    /// The character at this place from 0 is none of `X`, `O` and `-`; a side is `X` or `O`.
    #[error("character {at}: expected X, O or -, found {1:?}", at = .0 + 1)]
    Sign(usize, char),
    /// The text of the move with this number from 0 is no square.
    #[error("move {number}: {1}", number = .0 + 1)]
    Square(usize, ParseSquareError),
    /// The rules forbid a move.
    #[error(transparent)]
    Illegal(IllegalMove),
}

/// Reads 64 squares from a1 to h8, a blank and the side to move: `---…--- X`. `X` is Black, `O` White.
///
/// # Errors
/// Any other character, and any other number of them.
///
/// ```
/// use emilia_engine::text::{parse_board, write_board};
///
/// let text = "---------------------------OX------XO--------------------------- X";
/// let position = parse_board(text)?;
/// assert_eq!(write_board(&position), text);
/// # Ok::<(), emilia_engine::text::TextError>(())
/// ```
pub fn parse_board(text: &str) -> Result<Position, TextError> {
    let signs: Vec<char> = text.chars().collect();
    let [squares @ .., ' ', side] = &signs[..] else {
        return Err(TextError::Length(signs.len()));
    };
    if squares.len() != 64 {
        return Err(TextError::Length(signs.len()));
    }
    let mut black = 0;
    let mut white = 0;
    for (at, sign) in squares.iter().enumerate() {
        match sign {
            'X' => black |= 1 << at,
            'O' => white |= 1 << at,
            '-' => {}
            _ => return Err(TextError::Sign(at, *sign)),
        }
    }
    let side = match side {
        'X' => Color::Black,
        'O' => Color::White,
        _ => return Err(TextError::Sign(65, *side)),
    };
    Ok(Position::from_discs(black, white, side))
}

/// Writes a position as [`parse_board`] reads it.
///
/// ```
/// use emilia_engine::board::Position;
/// use emilia_engine::text::write_board;
/// assert!(write_board(&Position::START).ends_with(" X"));
/// ```
pub fn write_board(position: &Position) -> String {
    let sign = |color| match color {
        None => '-',
        Some(Color::Black) => 'X',
        Some(Color::White) => 'O',
    };
    let squares: String = Square::all()
        .map(|square| sign(position.disc_at(square)))
        .collect();
    format!("{squares} {}", sign(Some(position.side)))
}

/// Reads moves from `start` without blanks and without passes: `f5d6c3`, letters in either case.
///
/// # Errors
/// The first text that is no square, or the first illegal move.
///
/// ```
/// use emilia_engine::board::Position;
/// use emilia_engine::text::{parse_game, write_game};
///
/// let game = parse_game(Position::START, "f5d6C3")?;
/// assert_eq!(write_game(&game), "f5d6c3");
/// assert!(parse_game(Position::START, "f5f5").is_err());
/// # Ok::<(), emilia_engine::text::TextError>(())
/// ```
pub fn parse_game(start: Position, text: &str) -> Result<Game, TextError> {
    let mut game = Game::new(start);
    let signs: Vec<char> = text.chars().collect();
    for (number, signs) in signs.chunks(2).enumerate() {
        let square = String::from_iter(signs)
            .parse()
            .map_err(|error| TextError::Square(number, error))?;
        game.play_implying_pass(square)
            .map_err(TextError::Illegal)?;
    }
    Ok(game)
}

/// Writes the moves of a game as [`parse_game`] reads them; the rules imply its passes.
pub fn write_game(game: &Game) -> String {
    let squares = game.moves().iter().filter_map(|mv| mv.square());
    squares.map(|square| square.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::nth;
    use crate::util::rng::Rng;

    fn random_game(rng: &mut Rng) -> Game {
        let mut game = Game::default();
        while !game.is_over() {
            game.pass_if_forced();
            let moves = game.position().board.moves();
            let pick = rng.below(moves.len());
            game.play_square(nth(moves.0, pick)).unwrap();
        }
        game
    }

    #[test]
    fn written_games_and_boards_are_read_back() {
        let mut rng = Rng::new(7);
        for _ in 0..100 {
            let game = random_game(&mut rng);
            let read = parse_game(Position::START, &write_game(&game)).unwrap();
            assert_eq!(read.moves(), game.moves());
            for position in game.positions() {
                assert_eq!(parse_board(&write_board(position)), Ok(*position));
            }
        }
    }

    #[test]
    fn errors_name_the_place() {
        let start = write_board(&Position::START);
        let of_board = |text: &str| parse_board(text).unwrap_err().to_string();
        let of_game = |text: &str| {
            let error = parse_game(Position::START, text).unwrap_err();
            error.to_string()
        };
        assert_eq!(
            of_board(&start[1..]),
            "expected 64 squares, a blank and the side to move, found 65 characters"
        );
        assert_eq!(
            of_board(&start.replacen('-', "x", 1)),
            "character 1: expected X, O or -, found 'x'"
        );
        assert_eq!(
            of_board(&start.replace(" X", " -")),
            "character 66: expected X, O or -, found '-'"
        );
        assert_eq!(of_game("f5d9"), "move 2: expected a row 1-8, found '9'");
        assert_eq!(of_game("f5d"), "move 2: a square has 2 characters, not 1");
        assert_eq!(
            of_game("f5f5"),
            "illegal move f5 by white after 1 moves: the square is occupied"
        );
    }
}
