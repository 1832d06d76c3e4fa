//! The game that the properties of SGF give: its start, its moves, and setup behind them.

use super::properties::{Property, SUBJECT};
use crate::board::{Color, Game, Move, Position, Square};
use crate::notation::ParseError;
use crate::notation::text::moves::parse_move;
use crate::notation::text::token::play_for;

/// How two letters name a square.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// `a` is the top row of a Go board, which is row 8.
    FromBottom,
    FromTop,
}

/// The game that the properties describe.
pub(super) fn play(text: &str, properties: &[Property], rows: Rows) -> Result<Game, ParseError> {
    let mut game = Game::new(start(text, properties, rows)?);
    let mut played = 0;
    for property in inside(properties) {
        let Some(color) = color_of(property) else {
            check_setup(text, property, rows, &mut game, played)?;
            continue;
        };
        played += 1;
        let mv = property.single(text).and_then(|(offset, value)| read_move(text, offset, value, rows))?;
        play_for(&mut game, color, mv).map_err(|fault| ParseError::of_turn(SUBJECT, played, fault))?;
    }
    Ok(game)
}

/// The properties from the first move on.
pub(super) fn inside(properties: &[Property]) -> impl Iterator<Item = &Property> {
    properties.iter().skip_while(|property| color_of(property).is_none())
}

/// A property that changes the board or the side to move.
pub(super) fn is_setup(property: &Property) -> bool {
    matches!(property.name.as_str(), "AB" | "AW" | "AE" | "PL")
}

/// Refuses setup behind `played` moves that is not the board which the moves give: a game consists of moves.
fn check_setup(
    text: &str,
    property: &Property,
    rows: Rows,
    game: &mut Game,
    played: usize,
) -> Result<(), ParseError> {
    if !is_setup(property) {
        return Ok(());
    }
    let position = game.position();
    let is_so = match property.name.as_str() {
        "PL" => read_side(text, property)? == position.side || game.pass_if_forced(),
        name => {
            let now = match name {
                "AB" => position.discs(Color::Black),
                "AW" => position.discs(Color::White),
                _ => position.board.empties(),
            };
            setup_squares(text, property, rows)? & !now == 0
        }
    };
    if is_so {
        return Ok(());
    }
    let told = format!(
        "{}[{}] behind move {played} changes the position inside the game: write the rest as a game of its own",
        property.name,
        property.joined()
    );
    Err(ParseError::doubtful(SUBJECT, text, property.offset, told))
}

/// The side of a property that holds a move.
pub(super) fn color_of(property: &Property) -> Option<Color> {
    match property.name.as_str() {
        "B" => Some(Color::Black),
        "W" => Some(Color::White),
        _ => None,
    }
}

pub(super) fn start(text: &str, properties: &[Property], rows: Rows) -> Result<Position, ParseError> {
    let (mut black, mut white, mut side) = (0u64, 0u64, None);
    let mut set_up = false;
    for property in properties {
        let value = || property.single(text);
        match property.name.as_str() {
            "GM" if !matches!(value()?.1.trim(), "1" | "2") => {
                return Err(ParseError::at(SUBJECT, text, value()?.0, "game 2 (Othello)"));
            }
            "SZ" if !matches!(value()?.1.trim(), "8" | "8:8") => {
                return Err(ParseError::at(SUBJECT, text, value()?.0, "size 8"));
            }
            "PL" => side = Some(read_side(text, property)?),
            "AB" | "AW" | "AE" => {
                set_up = true;
                let squares = setup_squares(text, property, rows)?;
                (black, white) = (black & !squares, white & !squares);
                match property.name.as_str() {
                    "AB" => black |= squares,
                    "AW" => white |= squares,
                    _ => {}
                }
            }
            // Setup behind the first move is checked when the moves are played.
            "B" | "W" => break,
            _ => {}
        }
    }
    // Othello records that name only handicap or no discs mean the usual start.
    let start = if set_up { Position::from_discs(black, white, Color::Black) } else { Position::START };
    Ok(match side {
        Some(side) if side != start.side => start.pass(),
        _ => start,
    })
}

fn read_side(text: &str, property: &Property) -> Result<Color, ParseError> {
    let (offset, value) = property.single(text)?;
    match value.trim().to_ascii_lowercase().as_str() {
        "b" | "black" | "1" => Ok(Color::Black),
        "w" | "white" | "2" => Ok(Color::White),
        _ => Err(ParseError::at(SUBJECT, text, offset, "B or W")),
    }
}

/// The squares of `AB`, `AW` or `AE`.
fn setup_squares(text: &str, property: &Property, rows: Rows) -> Result<u64, ParseError> {
    let mut points = property.values.iter().map(|(offset, value)| read_points(text, *offset, value, rows));
    points.try_fold(0, |all, squares| Ok(all | squares?))
}

pub(super) fn read_move(text: &str, offset: usize, value: &str, rows: Rows) -> Result<Move, ParseError> {
    match value.trim() {
        // GoGui's and the standard's passes.
        "" | "tt" => Ok(Move::Pass),
        trimmed => match parse_move(trimmed) {
            Ok(mv) => Ok(mv),
            Err(_) => read_square(text, offset, value, rows).map(Move::Place),
        },
    }
}

/// A square, or the corners of a rectangle of squares: `a1:c2`.
fn read_points(text: &str, offset: usize, value: &str, rows: Rows) -> Result<u64, ParseError> {
    let (first, last) = value.split_once(':').unwrap_or((value, value));
    let [a, b] = [read_square(text, offset, first, rows)?, read_square(text, offset, last, rows)?];
    let within = |at: u8, one: u8, other: u8| (one.min(other)..=one.max(other)).contains(&at);
    let inside = |square: &Square| {
        within(square.file(), a.file(), b.file()) && within(square.rank(), a.rank(), b.rank())
    };
    Ok(Square::all().filter(inside).map(Square::bit).sum())
}

/// `f5`, or two letters such as `fd`.
fn read_square(text: &str, offset: usize, value: &str, rows: Rows) -> Result<Square, ParseError> {
    let value = value.trim();
    if let Ok(square) = value.parse() {
        return Ok(square);
    }
    match value.as_bytes() {
        [file @ b'a'..=b'h', row @ b'a'..=b'h'] => {
            let row = row - b'a';
            Ok(Square::at(file - b'a', if rows == Rows::FromTop { row } else { 7 - row }))
        }
        _ => Err(ParseError::at(SUBJECT, text, offset, "a square")),
    }
}
