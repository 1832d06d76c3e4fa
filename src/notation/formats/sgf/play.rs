//! The game that the properties of SGF give: its start, its moves, and setup behind them.

use super::properties::{Property, SUBJECT};
use crate::board::{Color, Game, Move, Position, Square};
use crate::notation::ParseError;
use crate::notation::error::Code;
use crate::notation::grammar::moves::parse_move;
use crate::notation::grammar::words::play_for;

/// How two letters name a square.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// `a` is the top row of a Go board, which is row 8.
    FromBottom,
    FromTop,
}

/// The side of a property that holds a move.
pub(super) fn color_of(property: &Property) -> Option<Color> {
    match property.name.as_str() {
        "B" => Some(Color::Black),
        "W" => Some(Color::White),
        _ => None,
    }
}

/// The properties of a text, and its way to name squares by two letters.
#[derive(Clone, Copy)]
pub(super) struct Player<'a> {
    pub text: &'a str,
    pub properties: &'a [Property],
    pub rows: Rows,
}

impl<'a> Player<'a> {
    /// The game that the properties describe.
    pub fn game(self) -> Result<Game, ParseError> {
        let mut game = Game::new(self.start()?);
        let mut played = 0;
        for property in self.moves_on() {
            let Some(color) = color_of(property) else {
                self.check_setup(property, &mut game, played)?;
                continue;
            };
            played += 1;
            play_for(&mut game, color, self.read_move(property)?)
                .map_err(|fault| ParseError::of_turn(SUBJECT, played, fault).behind(&game))?;
        }
        Ok(game)
    }

    fn moves_on(self) -> impl Iterator<Item = &'a Property> {
        self.properties
            .iter()
            .skip_while(|property| color_of(property).is_none())
    }

    /// Whether the board or the side to move changes behind the first move.
    pub fn has_setup_inside(self) -> bool {
        self.moves_on()
            .any(|property| matches!(property.name.as_str(), "AB" | "AW" | "AE" | "PL"))
    }

    /// Refuses setup behind `played` moves that differs from the board after these moves.
    fn check_setup(
        self,
        property: &Property,
        game: &mut Game,
        played: usize,
    ) -> Result<(), ParseError> {
        let position = game.position();
        let now = match property.name.as_str() {
            "PL" if self.side(property)? == position.side || game.pass_if_forced() => return Ok(()),
            "PL" => 0,
            "AB" => position.discs(Color::Black),
            "AW" => position.discs(Color::White),
            "AE" => position.board.empties(),
            _ => return Ok(()),
        };
        if property.name != "PL" && self.squares(property)? & !now == 0 {
            return Ok(());
        }
        let message = format!(
            "{}[{}] behind move {played} changes the position inside the game: write the rest as another game",
            property.name,
            property.joined()
        );
        Err(ParseError::doubtful(
            SUBJECT,
            self.text,
            property.offset,
            message,
        ))
    }

    /// The position before the first move.
    pub fn start(self) -> Result<Position, ParseError> {
        let (mut discs, mut side) = (None, None);
        for property in self
            .properties
            .iter()
            .take_while(|property| color_of(property).is_none())
        {
            let one_of = |values: [&str; 2], expected| {
                let (offset, value) = self.single(property)?;
                let is_right = values.contains(&value.trim());
                if is_right {
                    Ok(())
                } else {
                    Err(self.error(offset, expected).with(Code::OtherGame))
                }
            };
            match property.name.as_str() {
                "GM" => one_of(["1", "2"], "game 2 (Othello)")?,
                "SZ" => one_of(["8", "8:8"], "size 8")?,
                "PL" => side = Some(self.side(property)?),
                name @ ("AB" | "AW" | "AE") => {
                    let squares = self.squares(property)?;
                    let set = discs.map_or(0, |(black, white)| black | white);
                    if name != "AE" && set & squares != 0 {
                        let error = self.error(property.offset, "each square once in the setup");
                        return Err(error.with(Code::Twice));
                    }
                    let (black, white) = discs.unwrap_or((0, 0));
                    let (black, white) = (black & !squares, white & !squares);
                    discs = Some(match name {
                        "AB" => (black | squares, white),
                        "AW" => (black, white | squares),
                        _ => (black, white),
                    });
                }
                _ => {}
            }
        }
        // A game without setup stones begins at the usual start.
        let Some((black, white)) = discs else {
            return Ok(match side {
                Some(Color::White) => Position::START.pass(),
                _ => Position::START,
            });
        };
        let side = side.or_else(|| self.moves_on().find_map(color_of));
        let side = side.ok_or_else(|| {
            self.error(self.text.len(), "PL with the side to move")
                .with(Code::NoSide)
        })?;
        Ok(Position::from_discs(black, white, side))
    }

    fn error(self, offset: usize, expected: &'static str) -> ParseError {
        ParseError::at(SUBJECT, self.text, offset, expected)
    }

    fn single(self, property: &Property) -> Result<(usize, &str), ParseError> {
        match &property.values[..] {
            [(offset, value)] => Ok((*offset, value)),
            _ => Err(self.error(property.offset, "one value")),
        }
    }

    fn side(self, property: &Property) -> Result<Color, ParseError> {
        let (offset, value) = self.single(property)?;
        match value.trim().to_ascii_lowercase().as_str() {
            "b" | "black" | "1" => Ok(Color::Black),
            "w" | "white" | "2" => Ok(Color::White),
            _ => Err(self.error(offset, "B or W")),
        }
    }

    /// The move of `B` or `W`.
    pub fn read_move(self, property: &Property) -> Result<Move, ParseError> {
        let (offset, value) = self.single(property)?;
        match value.trim() {
            // GoGui's and the standard's passes.
            "" | "tt" => Ok(Move::Pass),
            value => parse_move(value).or_else(|_| Ok(Move::Place(self.square(offset, value)?))),
        }
    }

    /// The squares of `AB`, `AW` or `AE`: single ones, or the corners of rectangles such as `a1:c2`.
    fn squares(self, property: &Property) -> Result<u64, ParseError> {
        let mut all = 0;
        for (offset, value) in &property.values {
            let (first, last) = value.split_once(':').unwrap_or((value, value));
            let [a, b] = [self.square(*offset, first)?, self.square(*offset, last)?];
            let within =
                |at: u8, one: u8, other: u8| (one.min(other)..=one.max(other)).contains(&at);
            let inside = Square::all().filter(|square| {
                within(square.file(), a.file(), b.file())
                    && within(square.rank(), a.rank(), b.rank())
            });
            let inside = inside.map(Square::bit).sum::<u64>();
            if all & inside != 0 {
                return Err(self.error(*offset, "each square once").with(Code::Twice));
            }
            all |= inside;
        }
        Ok(all)
    }

    /// `f5`, or two letters such as `fd`.
    fn square(self, offset: usize, value: &str) -> Result<Square, ParseError> {
        let value = value.trim();
        match value.as_bytes() {
            [file @ b'a'..=b'h', row @ b'a'..=b'h'] => {
                let row = row - b'a';
                Ok(Square::at(
                    file - b'a',
                    if self.rows == Rows::FromTop {
                        row
                    } else {
                        7 - row
                    },
                ))
            }
            _ => value.parse().map_err(|_| self.error(offset, "a square")),
        }
    }
}
