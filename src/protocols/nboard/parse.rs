//! Parses a line into an [`NBoardCommand`]. Total: every text gives a command, most of them `Ignored`.
//!
//! The parser accepts any case, leading blanks, the version 1 forms (a bare move, `depth N` and `game GGF` without `set`),
//! and decimal commas.

use crate::notation::moves::{self, MoveToken};

/// The fault of a line that is too long.
pub const TOO_LONG: &str = "a line takes at most 65536 bytes";

#[derive(Clone, Debug, PartialEq)]
pub enum NBoardCommand {
    /// `nboard N`, any version.
    Hello,
    /// `set depth N`, clamped to `1..=60`.
    Depth(u8),
    /// `set game GGF`, not yet parsed.
    Game(String),
    /// `set game` with more bytes than a line has.
    LongGame,
    /// `set contempt N`: positive when a draw is good for Black.
    Contempt(i32),
    /// `move MV[/EVAL[/TIME]]`.
    Move(MoveToken),
    /// `hint N`, at least 1.
    Hint(usize),
    Go,
    /// `ping N`: the number as written.
    Ping(String),
    Learn,
    Analyze,
    Clear,
    Quit,
    /// A known command with a bad argument: the message.
    Malformed(String),
    Ignored,
}

impl NBoardCommand {
    /// Whether this command ends a running `go`, or a running `hint` or `analyze`.
    ///
    /// Any new request makes a hint obsolete. A `go` owes its move: only a new position or a ping ends it.
    pub fn interrupts(&self, is_go: bool) -> bool {
        match self {
            Self::Ping(_) | Self::Quit | Self::Game(_) | Self::LongGame | Self::Move(_) => true,
            Self::Contempt(_)
            | Self::Depth(_)
            | Self::Go
            | Self::Hint(_)
            | Self::Analyze
            | Self::Learn => !is_go,
            Self::Hello | Self::Clear | Self::Malformed(_) | Self::Ignored => false,
        }
    }

    /// Whether it is about the position of the game.
    pub fn needs_game(&self) -> bool {
        matches!(
            self,
            Self::Move(_) | Self::Hint(_) | Self::Go | Self::Learn | Self::Analyze
        )
    }
}

/// Whether only NBoard sends `line`. Every protocol has `quit`.
pub fn is_nboard(line: &str) -> bool {
    !matches!(
        parse(line),
        NBoardCommand::Malformed(_) | NBoardCommand::Ignored | NBoardCommand::Quit
    )
}

/// Parses a line that is too long, by its begin.
pub fn parse_begin(begin: &str) -> NBoardCommand {
    match parse_words(begin) {
        NBoardCommand::Game(_) => NBoardCommand::LongGame,
        NBoardCommand::Ignored => NBoardCommand::Ignored,
        _ => NBoardCommand::Malformed(TOO_LONG.to_owned()),
    }
}

pub fn parse(line: &str) -> NBoardCommand {
    // No reply may echo line noise.
    if line
        .chars()
        .any(|c| c.is_control() && c != '\t' && c != '\r')
    {
        return NBoardCommand::Ignored;
    }
    match parse_words(line) {
        // Only the names in a game may have letters beyond ASCII.
        NBoardCommand::Game(game) => NBoardCommand::Game(game),
        command if line.is_ascii() => command,
        _ => NBoardCommand::Ignored,
    }
}

fn parse_words(line: &str) -> NBoardCommand {
    let (word, rest) = split_word(line);
    match word.to_ascii_lowercase().as_str() {
        "set" => parse_set(rest),
        "depth" | "game" | "contempt" => parse_set(line),
        "nboard" => NBoardCommand::Hello,
        "ping" => NBoardCommand::Ping(ping_number(rest)),
        "move" => parse_move(rest),
        "hint" => parse_hint(rest),
        "go" => NBoardCommand::Go,
        "learn" => NBoardCommand::Learn,
        "analyze" | "analyse" => NBoardCommand::Analyze,
        "clear" => NBoardCommand::Clear,
        "quit" => NBoardCommand::Quit,
        // A bare move, of version 1.
        _ if moves::parse_move(word.split('/').next().unwrap_or("")).is_ok() => parse_move(line),
        _ => NBoardCommand::Ignored,
    }
}

/// The first word and the rest, both without blanks around.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

fn parse_set(text: &str) -> NBoardCommand {
    let (name, value) = split_word(text);
    match name.to_ascii_lowercase().as_str() {
        "depth" => match integer(value) {
            Some(depth) => NBoardCommand::Depth(depth.clamp(1, 60) as u8),
            None => malformed("set depth", "a whole number from 1 to 60", value),
        },
        "contempt" => match integer(value) {
            Some(contempt) => NBoardCommand::Contempt(contempt),
            None => malformed("set contempt", "a whole number", value),
        },
        "game" => NBoardCommand::Game(value.to_owned()),
        _ => malformed("set", "depth, game or contempt", name),
    }
}

/// A missing number, or one below 1, becomes 1.
fn parse_hint(text: &str) -> NBoardCommand {
    match integer(text) {
        Some(count) => NBoardCommand::Hint(count.max(1) as usize),
        None if text.is_empty() => NBoardCommand::Hint(1),
        None => malformed("hint", "the number of moves wanted", text),
    }
}

fn parse_move(text: &str) -> NBoardCommand {
    match moves::parse_move_token(text) {
        Ok(token) => NBoardCommand::Move(token),
        Err(_) => malformed("move", "a square from A1 to H8, or PA", text),
    }
}

fn malformed(command: &str, takes: &str, found: &str) -> NBoardCommand {
    /// Most characters shown.
    const SHOWN: usize = 20;
    let mut shown: String = found.chars().take(SHOWN).collect();
    if shown.len() < found.len() {
        shown += "...";
    }
    NBoardCommand::Malformed(match found {
        "" => format!("{command} takes {takes}"),
        _ => format!("{command} takes {takes}, not {shown}"),
    })
}

/// The first word as an integer, clamped to the range.
fn integer(text: &str) -> Option<i32> {
    let (word, _) = split_word(text);
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let end = if word.starts_with('-') {
        i32::MIN
    } else {
        i32::MAX
    };
    Some(word.parse().unwrap_or(end))
}

/// The number as written if the GUI can read it, else 0: a `pong` without a number opens a dialog.
fn ping_number(text: &str) -> String {
    let (word, _) = split_word(text);
    if word.parse::<i32>().is_ok() {
        word.to_owned()
    } else {
        "0".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_read() {
        use NBoardCommand::*;
        for (line, command) in [
            ("nboard 2", Hello),
            ("set depth 12", Depth(12)),
            ("Set Depth 3", Depth(3)),
            ("set depth 0", Depth(1)),
            ("depth 99999999999", Depth(60)),
            ("set game (;GM[Othello];)", Game("(;GM[Othello];)".into())),
            ("set contempt -100", Contempt(-100)),
            ("hint 4", Hint(4)),
            ("hint -1", Hint(1)),
            ("hint", Hint(1)),
            ("GO", Go),
            ("ping 7", Ping("7".into())),
            ("learn", Learn),
            ("analyze", Analyze),
            ("quit", Quit),
            ("clear", Clear),
        ] {
            assert_eq!(parse(line), command, "{line}");
            assert_eq!(
                parse(&format!(" \t{line} \r")),
                command,
                "{line} with blanks"
            );
        }
    }

    #[test]
    fn moves_keep_their_time_in_every_locale() {
        for (text, seconds) in [
            ("F5", None),
            ("f5", None),
            ("F5/1.2", None),
            ("F5//0.5", Some(0.5)),
            ("F5/1,23/0.5", Some(0.5)),
            ("F5/1.0/1.0E-4", Some(1e-4)),
        ] {
            let NBoardCommand::Move(token) = parse(&format!("move {text}")) else {
                panic!("{text}")
            };
            assert_eq!(
                (token.mv.to_string().as_str(), token.seconds),
                ("f5", seconds),
                "{text}"
            );
        }
    }

    #[test]
    fn bad_arguments_name_the_expected_ones() {
        for (line, text) in [
            (
                "set depth 5.5",
                "set depth takes a whole number from 1 to 60, not 5.5",
            ),
            (
                "depth x",
                "set depth takes a whole number from 1 to 60, not x",
            ),
            ("hint 2.5", "hint takes the number of moves wanted, not 2.5"),
            ("set", "set takes depth, game or contempt"),
            (
                "move zzzzzzzzzzzzzzzzzzzzzzz",
                "move takes a square from A1 to H8, or PA, not zzzzzzzzzzzzzzzzzzzz...",
            ),
        ] {
            let command = parse(line);
            assert_eq!(command, NBoardCommand::Malformed(text.into()), "{line}");
            assert!(!command.interrupts(false) && !is_nboard(line), "{line}");
        }
    }

    #[test]
    fn everything_else_is_ignored() {
        let lines = "| |# go|foo|a9|i1|go\0|\u{1}ping 1|\u{fffd}|日本|ping 1\u{fffd}|move \u{fffd}|genmove b|please";
        for line in lines.split('|') {
            assert_eq!(parse(line), NBoardCommand::Ignored, "{line:?}");
            assert!(!is_nboard(line), "{line:?}");
        }
        assert!(!is_nboard("quit") && is_nboard("ping 1"));
    }

    #[test]
    fn only_a_new_position_or_a_ping_cuts_a_go() {
        for line in ["ping 1", "quit", "set game x", "move f5"] {
            assert!(parse(line).interrupts(true), "{line}");
            assert!(parse(line).interrupts(false), "{line}");
        }
        for line in [
            "go",
            "hint 1",
            "analyze",
            "learn",
            "set depth 1",
            "set contempt 1",
        ] {
            assert!(!parse(line).interrupts(true), "{line}");
            assert!(parse(line).interrupts(false), "{line}");
        }
        for line in ["", "foo", "nboard 2", "clear"] {
            assert!(!parse(line).interrupts(false), "{line}");
        }
    }
}
