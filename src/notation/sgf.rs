//! SGF game records of Othello: the main line of the first game.
//!
//! Source: the SGF `FF[4]` specification; `GM[2]` is Othello, with squares as `f5` (Quarry, Edax).
//! GoGui writes `GM[1]` and two letters, counted from the upper left corner of a board whose top row
//! is row 8: `fd` is f5. Both are read; if letters read so break the rules, they are taken from the top.

use super::moves::{self, play_as_written};
use super::{GameResult, NamedGame, ParseError};
use crate::board::{Color, Game, Move, Position, Square};

/// What this file reads, for its errors.
const SUBJECT: &str = "SGF game";
/// More properties than any game has.
const MAX_PROPERTIES: usize = 20_000;

/// How two letters name a square.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// `a` is the top row of a Go board, which is row 8.
    FromBottom,
    /// `a` is row 1.
    FromTop,
}

/// Reads the main line of the first game of `text`.
///
/// Without setup stones (`AB`, `AW`) the game begins at the usual start. Passes may be written or
/// left out.
///
/// # Errors
/// What is no SGF, not Othello on 8×8, or an illegal move.
pub fn read(text: &str) -> Result<Game, ParseError> {
    parse_sgf(text).map(|record| record.game)
}

/// Reads the main line of the first game of `text` with its names, as [`read`] does.
///
/// # Errors
/// As [`read`].
pub fn parse_sgf(text: &str) -> Result<NamedGame, ParseError> {
    let properties = main_line(text)?;
    let game = match play(text, &properties, Rows::FromBottom) {
        Ok(game) => game,
        Err(error) => play(text, &properties, Rows::FromTop).map_err(|_| error)?,
    };
    let value = |names: &[&str]| {
        let found = properties.iter().find(|property| names.contains(&property.name.as_str()));
        found.and_then(|property| property.values.first()).map_or("", |(_, value)| value.trim()).to_string()
    };
    let record = NamedGame {
        game,
        black: value(&["PB"]),
        white: value(&["PW"]),
        place: value(&["PC", "EV"]),
        date: value(&["DT"]),
        ..NamedGame::default()
    };
    Ok(record.with_stated(GameResult::of_sgf(&value(&["RE"])).unwrap_or_default()))
}

/// The properties of the main line, in their order.
fn main_line(text: &str) -> Result<Vec<Property>, ParseError> {
    let mut reader = Reader { text, at: 0 };
    let mut properties = vec![];
    reader.expect('(', "(;")?;
    reader.expect(';', "(;")?;
    while let Some(property) = reader.property()? {
        if properties.len() == MAX_PROPERTIES {
            return Err(ParseError::too_many(SUBJECT, text, reader.at, "properties", MAX_PROPERTIES));
        }
        properties.push(property);
    }
    Ok(properties)
}

/// The game that the properties describe.
fn play(text: &str, properties: &[Property], rows: Rows) -> Result<Game, ParseError> {
    let mut game = Game::new(start(text, properties, rows)?);
    let mut played = 0;
    for property in properties {
        let color = match property.name.as_str() {
            "B" => Color::Black,
            "W" => Color::White,
            _ => continue,
        };
        played += 1;
        let mv = property.single(text).and_then(|(offset, value)| read_move(text, offset, value, rows))?;
        let illegal = |error| ParseError::illegal(SUBJECT, played, &error);
        // The colour decides who moves when the other side cannot.
        if game.position().side != color && mv != Move::Pass {
            game.pass_if_forced();
        }
        play_as_written(&mut game, mv).map_err(illegal)?;
    }
    Ok(game)
}

/// A property and its values, each with its place in the text.
struct Property {
    name: String,
    offset: usize,
    values: Vec<(usize, String)>,
}

impl Property {
    fn single(&self, text: &str) -> Result<(usize, &str), ParseError> {
        match self.values.as_slice() {
            [(offset, value)] => Ok((*offset, value)),
            _ => Err(ParseError::at(SUBJECT, text, self.offset, "one value")),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn error(&self, expected: &'static str) -> ParseError {
        ParseError::at(SUBJECT, self.text, self.at, expected)
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn expect(&mut self, sign: char, expected: &'static str) -> Result<(), ParseError> {
        // A byte order mark may lead.
        self.at += if self.rest().starts_with('\u{feff}') { 3 } else { 0 };
        self.skip_blanks();
        if !self.rest().starts_with(sign) {
            return Err(self.error(expected));
        }
        self.at += sign.len_utf8();
        Ok(())
    }

    /// The next property of the main line; `None` where it ends. Of variations the first is taken.
    fn property(&mut self) -> Result<Option<Property>, ParseError> {
        loop {
            self.skip_blanks();
            match self.rest().chars().next() {
                Some('(' | ';') => self.at += 1,
                Some(')') => return Ok(None),
                Some(c) if c.is_ascii_alphabetic() => break,
                _ => return Err(self.error("a property or )")),
            }
        }
        let offset = self.at;
        let end = self.rest().find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(self.rest().len());
        // Older files spell names out with small letters, which do not count.
        let name = self.rest()[..end].chars().filter(char::is_ascii_uppercase).collect();
        self.at += end;
        let mut values = vec![];
        loop {
            self.skip_blanks();
            if !self.rest().starts_with('[') {
                break;
            }
            self.at += 1;
            values.push((self.at, self.value()?));
        }
        if values.is_empty() {
            return Err(self.error("[ and a value"));
        }
        Ok(Some(Property { name, offset, values }))
    }

    /// The text up to the closing bracket; a backslash keeps the next character.
    fn value(&mut self) -> Result<String, ParseError> {
        let mut value = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((offset, c)) = chars.next() {
            match c {
                ']' => {
                    self.at += offset + 1;
                    return Ok(value);
                }
                '\\' => value.extend(chars.next().map(|(_, c)| c)),
                c => value.push(c),
            }
        }
        self.at = self.text.len();
        Err(self.error("]"))
    }
}

fn start(text: &str, properties: &[Property], rows: Rows) -> Result<Position, ParseError> {
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
            "PL" => {
                side = Some(match value()?.1.trim().to_ascii_lowercase().as_str() {
                    "b" | "black" | "1" => Color::Black,
                    "w" | "white" | "2" => Color::White,
                    _ => return Err(ParseError::at(SUBJECT, text, value()?.0, "B or W")),
                });
            }
            "AB" | "AW" | "AE" => {
                set_up = true;
                for (offset, value) in &property.values {
                    let bit = read_square(text, *offset, value, rows)?.bit();
                    (black, white) = (black & !bit, white & !bit);
                    match property.name.as_str() {
                        "AB" => black |= bit,
                        "AW" => white |= bit,
                        _ => {}
                    }
                }
            }
            // Setup belongs before the first move.
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

fn read_move(text: &str, offset: usize, value: &str, rows: Rows) -> Result<Move, ParseError> {
    match value.trim() {
        // GoGui's and the standard's passes.
        "" | "tt" => Ok(Move::Pass),
        trimmed => match moves::parse_move(trimmed) {
            Ok(mv) => Ok(mv),
            Err(_) => read_square(text, offset, value, rows).map(Move::Place),
        },
    }
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

/// Writes the game with Othello coordinates; a pass is an empty value, another start than the usual a setup.
pub fn write_sgf(record: &NamedGame) -> String {
    let mut text = String::from("(;FF[4]GM[2]SZ[8]");
    for (name, value) in
        [("PB", &record.black), ("PW", &record.white), ("PC", &record.place), ("DT", &record.date)]
    {
        if !value.is_empty() {
            text.push_str(&format!("{name}[{}]", value.replace('\\', "\\\\").replace(']', "\\]")));
        }
    }
    let result = record.result();
    if result != GameResult::default() {
        text.push_str(&format!("RE[{}]", result.to_sgf()));
    }
    let start = record.game.start();
    if start != Position::START {
        // A board without discs has no stones to set up: that the centre is empty says it.
        let centre = !Position::START.board.empties();
        let cleared = if start.board.empties() == u64::MAX { centre } else { 0 };
        let setup = [("AB", start.discs(Color::Black)), ("AW", start.discs(Color::White)), ("AE", cleared)];
        for (name, squares) in setup.into_iter().filter(|&(_, squares)| squares != 0) {
            text.push_str(name);
            text.extend(crate::board::squares(squares).map(|square| format!("[{square}]")));
        }
        text.push_str(if start.side == Color::Black { "PL[B]" } else { "PL[W]" });
    }
    for (position, mv) in record.game.steps() {
        let name = if position.side == Color::Black { 'B' } else { 'W' };
        match mv {
            Move::Place(square) => text.push_str(&format!(";{name}[{square}]")),
            Move::Pass => text.push_str(&format!(";{name}[]")),
        }
    }
    text + ")"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::moves::{parse_game, write_moves};
    use crate::util::rng::Rng;

    fn moves_of(text: &str) -> String {
        write_moves(read(text).unwrap().moves())
    }

    #[test]
    fn othello_and_gogui_coordinates_are_read() {
        assert_eq!(moves_of("(;FF[4]GM[2]SZ[8];B[f5];W[d6];B[c3])"), "f5d6c3");
        assert_eq!(moves_of("(;GM[1]SZ[8];B[fd];W[dc];B[cf])"), "f5d6c3");
        assert_eq!(moves_of("(;GM[1]SZ[8];B[fe];W[df];B[cc])"), "f5d6c3");
        assert_eq!(moves_of(" ( ; GM [2]\n;B[F5]\n;W[D6]C[a \\] comment (;)] )"), "f5d6");
    }

    #[test]
    fn the_first_variation_is_the_game() {
        assert_eq!(moves_of("(;GM[2];B[f5](;W[d6];B[c3])(;W[f6]))"), "f5d6c3");
    }

    #[test]
    fn setup_and_side_are_read() {
        let game = read("(;GM[2]AB[e4][d5]AW[d4][e5]PL[W];W[e3])").unwrap();
        assert_eq!(game.start(), Position::START.pass());
        assert_eq!(read("(;GM[2]AB[e4][d5]AW[d4][e5])").unwrap().start(), Position::START);
        let letters = read("(;GM[1]AB[ee][dd]AW[de][ed])").unwrap();
        assert_eq!(letters.start(), Position::START);
    }

    #[test]
    fn passes_may_be_written_or_left_out() {
        let before = ";B[f5];W[f6];B[d3];W[g5];B[h5];W[h4];B[f7];W[h6]";
        for pass in [";B[]", ";B[pass]", ";B[tt]", ";B[PA]", ";B[--]", ""] {
            let game = read(&format!("(;GM[2]{before}{pass};W[e7])")).unwrap();
            assert_eq!(game.moves().len(), 10, "{pass}");
            assert_eq!(game.moves()[8], Move::Pass);
        }
    }

    #[test]
    fn records_round_trip() {
        let wiped = parse_game(Position::START, "e6f4e3f6g5d6e7f5c5").unwrap();
        let start = Position::from_discs(0b10, 0b1, Color::Black);
        let mut other = Game::new(start);
        other.play_implying_pass("c1".parse().unwrap()).unwrap();
        let bare = [Color::Black, Color::White].map(|side| Game::new(Position::from_discs(0, 0, side)));
        let [black, white] = bare;
        for game in [wiped.clone(), Game::default(), other, Game::new(Position::START.pass()), black, white] {
            let record = NamedGame {
                game,
                black: "a]b\\c".into(),
                white: "w".into(),
                place: String::new(),
                date: "2026".into(),
                stated: GameResult::default(),
            };
            assert_eq!(parse_sgf(&write_sgf(&record)), Ok(record));
        }
        assert!(write_sgf(&wiped.into()).starts_with("(;FF[4]GM[2]SZ[8]RE[B+64];B[e6];W[f4]"));
    }

    #[test]
    fn faults_are_named() {
        for (text, message) in [
            ("", "SGF game, column 1: expected (;, found the end"),
            ("(;GM[3])", "SGF game, column 6: expected game 2 (Othello), found \"3])\""),
            ("(;SZ[10])", "SGF game, column 6: expected size 8, found \"10])\""),
            ("(;B[f5];W[f5])", "SGF game, move 2: f5 is illegal: the square is occupied"),
            ("(;B[z9])", "SGF game, column 5: expected a square, found \"z9])\""),
            ("(;B[f5", "SGF game, column 7: expected ], found the end"),
            ("(;B)", "SGF game, column 4: expected [ and a value, found \")\""),
            ("(;B[f5]", "SGF game, column 8: expected a property or ), found the end"),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), message, "{text}");
        }
    }

    #[test]
    fn no_text_panics() {
        let mut rng = Rng::new(5);
        let good = "(;FF[4]GM[2]SZ[8]AB[e4]AW[d4]PL[B]C[a\\]b];B[f5];W[d6](;B[c3])(;B[f4]))";
        for _ in 0..20_000 {
            let mut bytes = good.as_bytes().to_vec();
            for _ in 0..1 + rng.below(4) {
                let at = rng.below(bytes.len().max(1) as u32) as usize;
                match rng.below(3) {
                    0 if at < bytes.len() => bytes[at] = rng.next() as u8,
                    1 if at < bytes.len() => drop(bytes.remove(at)),
                    _ => bytes.truncate(at),
                }
            }
            let _ = read(&String::from_utf8_lossy(&bytes));
        }
    }
}
