//! Parses a line into a numbered command with its arguments. Total: every text has a meaning.
//!
//! As in the GTP 2 draft, control characters and blank lines vanish, tabs are blanks, and `#` starts a comment. Two lines
//! end a running search and get no answer: the comment `# interrupt` (GoGui) and a bare `stop` (OthelloClient).

use std::str::FromStr;
use std::time::Duration;

use crate::board::{Color, Game, Move, Position};
use crate::notation::{moves, parse_position};
use crate::protocols::session::Received;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GtpCommand {
    /// The number, as written.
    pub id: Option<String>,
    /// The command's name and arguments; empty for a line that cannot be parsed.
    pub words: Vec<String>,
}

/// Error texts of the standard.
pub const UNKNOWN_COMMAND: &str = "unknown command";
pub const SYNTAX_ERROR: &str = "syntax error";
const NO_POSITION: &str = "invalid position";

pub fn parse(line: &str) -> Received<GtpCommand> {
    let kept = |c: &char| *c == '\t' || !c.is_control();
    let line: String = line
        .chars()
        .filter(kept)
        .map(|c| if c == '\t' { ' ' } else { c })
        .collect();
    let (text, comment) = line.split_once('#').unwrap_or((&line, ""));
    let mut words = text
        .split(' ')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .peekable();
    let id = words.next_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let words: Vec<String> = words.collect();
    match (&id, words.as_slice()) {
        (None, []) if comment.trim() == "interrupt" => Received::Stop,
        (None, []) => Received::Nothing,
        (None, [word]) if word == "stop" => Received::Stop,
        _ => Received::Command(GtpCommand { id, words }),
    }
}

/// The arguments of a command, read one by one; the rest is ignored.
pub struct Arguments<'a>(pub &'a [String]);

impl<'a> Arguments<'a> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn rest(&self) -> &'a [String] {
        self.0
    }

    pub fn word(&mut self) -> Result<&'a str, &'static str> {
        let (word, rest) = self.0.split_first().ok_or(SYNTAX_ERROR)?;
        self.0 = rest;
        Ok(word)
    }

    pub fn number<T: FromStr>(&mut self) -> Result<T, &'static str> {
        self.word()?.parse().map_err(|_| SYNTAX_ERROR)
    }

    pub fn color(&mut self) -> Result<Color, &'static str> {
        read_color(self.word()?)
    }

    pub fn vertex(&mut self) -> Result<Move, &'static str> {
        read_vertex(self.word()?)
    }

    /// The next word as seconds; a negative number is 0.
    pub fn seconds(&mut self) -> Result<Duration, &'static str> {
        /// Longer than any game, and far from an overflow.
        const MAX_SECONDS: f64 = 1e7;
        let seconds = Some(self.number::<f64>()?)
            .filter(|seconds| seconds.is_finite())
            .ok_or(SYNTAX_ERROR)?;
        Ok(Duration::from_secs_f64(seconds.clamp(0.0, MAX_SECONDS)))
    }
}

/// Reads discs as KataGo's `set_position` (`b d5 w e5`, then the side to move, Black by default), or a position or game in
/// any notation as Edax's `setboard`.
pub fn read_position(arguments: &[String]) -> Result<Game, &'static str> {
    if arguments
        .first()
        .is_some_and(|word| read_color(word).is_ok())
    {
        return read_discs(arguments).map(Game::new);
    }
    let detected = parse_position(&arguments.join(" ")).map_err(|_| NO_POSITION)?;
    Ok(detected.record.game)
}

fn read_discs(words: &[String]) -> Result<Position, &'static str> {
    let (pairs, side) = words.as_chunks();
    let side = match side {
        _ if pairs.is_empty() => return Err(NO_POSITION),
        [] => Color::Black,
        [side, ..] => read_color(side)?,
    };
    let mut discs = [0; 2];
    for [color, vertex] in pairs {
        let Move::Place(square) = read_vertex(vertex)? else {
            return Err(NO_POSITION);
        };
        if (discs[0] | discs[1]) & square.bit() != 0 {
            return Err(NO_POSITION);
        }
        discs[read_color(color)? as usize] |= square.bit();
    }
    Ok(Position::from_discs(
        discs[Color::Black as usize],
        discs[Color::White as usize],
        side,
    ))
}

pub fn read_color(text: &str) -> Result<Color, &'static str> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Color::Black),
        "w" | "white" => Ok(Color::White),
        _ => Err(SYNTAX_ERROR),
    }
}

fn read_vertex(text: &str) -> Result<Move, &'static str> {
    // Only the spellings of a pass that begin with a letter are vertices.
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let vertex = match text.parse() {
        Ok(square) => Some(Move::Place(square)),
        Err(_) => moves::parse_move(text)
            .ok()
            .filter(|mv| *mv == Move::Pass && is_word),
    };
    vertex.ok_or(SYNTAX_ERROR)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn positions_are_discs_or_any_notation() {
        let read = |text: &str| read_position(&words(text)).map(|game| game.position());
        let start = "---------------------------OX------XO---------------------------";
        for text in [
            "b e4 b d5 w d4 w e5",
            "B E4 W D4 B D5 W E5 black",
            &format!("{start} X"),
        ] {
            assert_eq!(read(text), Ok(Position::START), "{text}");
        }
        assert_eq!(read("b e4 w d4 w").unwrap().side, Color::White);
        assert_eq!(read("f5d6").unwrap().side, Color::Black);
        for text in ["", "f5f5", "b", "b e4 w e4", "XO"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
