//! What a player types: one line, one command.

use super::seat::Seat;
use crate::board::{Color, Move};
use crate::engine::Level;
use crate::notation::formats::MOVES;
use crate::notation::moves::parse_move;
use crate::notation::parse_position;

/// What a line asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum PlayCommand {
    /// Plays.
    Play(Move),
    /// Takes back to the last own turn.
    Undo,
    /// Plays what was taken back.
    Redo,
    /// The best moves, so many.
    Hint(usize),
    /// Lets the engine move for the side to move.
    Go,
    /// The legal moves with what they turn.
    Moves,
    /// Draws the board again.
    Board,
    /// The moves so far.
    List,
    /// A new game from the usual start.
    New,
    /// Who moves for a side from now on.
    Seat(Color, Seat),
    /// Tells the clocks, stops the one that runs, or lets it go on.
    Clock(Option<bool>),
    /// Takes mistakes of so many discs back from now on, or none.
    Lesson(Option<f64>),
    /// How strong the engine plays.
    Level(Level),
    /// Shows the evaluation bar, or hides it.
    Bar(bool),
    /// Writes the game to a file.
    Save {
        /// Its path.
        path: String,
        /// As the board file of the early programs, not as GGF.
        as_board: bool,
        /// Whatever is there already.
        replace: bool,
    },
    /// Reads a game or position from a file.
    Load(String),
    /// Goes on from this game or position.
    Set,
    /// What can be typed.
    Help,
    /// Leaves.
    Quit,
    /// Lets an engine that thinks move now.
    Stop,
    /// An empty line.
    Nothing,
}

/// What can be typed, and what it does.
pub const HELP: &[(&str, &str)] = &[
    ("f5", "play on f5; a pass is played for you"),
    ("hint, hint 5", "the best moves with their scores; while the engine thinks, what it thinks so far"),
    ("undo, redo", "take moves back to your last turn; play them again"),
    ("go", "let the engine move for the side to move"),
    ("stop", "make the engine move now, as an empty line does"),
    ("moves", "the legal moves and the discs they turn"),
    ("board, list", "draw the board again; the moves so far"),
    (
        "black engine, white human, black nboard:COMMAND",
        "who plays a side: you, the engine, or a player as `match` names it",
    ),
    ("level 12", "strength of the engine, 0 to 60"),
    ("lesson 4, lesson off", "take your mistakes of 4 discs or more back, and say why"),
    ("clock, clock stop, clock go", "the time left; stop the clock that runs; let it go on"),
    ("bar on, bar off", "the evaluation bar"),
    ("save FILE, load FILE", "a game as GGF; save! replaces an existing FILE"),
    ("save-board FILE", "eight lines of 0 B W, the side to move and seconds"),
    ("new", "a new game"),
    ("quit", "leave; Ctrl-C prints the moves so far and leaves"),
];

/// What stands below the commands.
pub const HELP_END: &str = "Or paste any position or game: moves, GGF, SGF, PGN, FEN, a drawn board, or 64 characters \
                            and a side. While the engine thinks you can type on: what only looks is answered at once, \
                            what would interrupt it asks first, all else waits for its move.";

/// The first words of all commands, for completion.
pub const WORDS: &[&str] = &[
    "undo",
    "redo",
    "hint",
    "go",
    "stop",
    "moves",
    "board",
    "list",
    "new",
    "black",
    "white",
    "level",
    "lesson",
    "clock",
    "bar",
    "save",
    "save!",
    "save-board",
    "save-board!",
    "load",
    "help",
    "quit",
];

impl PlayCommand {
    /// Whether it changes the game, so that it shall not wait for long thoughts.
    pub fn is_urgent(&self) -> bool {
        use PlayCommand::{Level, Load, New, Redo, Seat, Set, Undo};
        matches!(self, Undo | Redo | New | Seat(..) | Level(_) | Load(_) | Set)
    }

    /// Whether it only looks, so that it need not wait for anything.
    pub fn is_look(&self) -> bool {
        use PlayCommand::{Bar, Board, Clock, Help, Hint, Lesson, List, Moves, Save};
        matches!(self, Bar(_) | Board | Clock(None) | Help | Hint(_) | Lesson(_) | List | Moves | Save { .. })
    }

    /// Reads a line.
    ///
    /// # Errors
    /// What was expected, in one line.
    pub fn parse(line: &str) -> Result<Self, String> {
        let line = line.trim();
        if let Ok(mv) = parse_move(line) {
            return Ok(Self::Play(mv));
        }
        let (word, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(w, r)| (w, r.trim()));
        let word = word.to_ascii_lowercase();
        let plain = |command: Self| match rest {
            "" => Ok(command),
            _ => Err(format!("{word} takes no argument")),
        };
        match word.as_str() {
            "" => Ok(Self::Nothing),
            "undo" | "u" | "back" => plain(Self::Undo),
            "redo" | "r" => plain(Self::Redo),
            "hint" | "h" => hint(rest),
            "go" => plain(Self::Go),
            "stop" => plain(Self::Stop),
            "moves" => plain(Self::Moves),
            "board" | "b" => plain(Self::Board),
            "list" => plain(Self::List),
            "new" => plain(Self::New),
            "black" => Ok(Self::Seat(Color::Black, rest.parse()?)),
            "white" => Ok(Self::Seat(Color::White, rest.parse()?)),
            "clock" => clock(rest).map(Self::Clock),
            "lesson" => lesson(rest).map(Self::Lesson),
            "level" => {
                rest.parse().map(Self::Level).map_err(|error| format!("{error}; an example is level 12"))
            }
            "bar" => switch(rest).map(Self::Bar),
            "save" | "save!" | "save-board" | "save-board!" => save(&word, rest),
            "load" if rest.is_empty() => Err("load takes the name of a file".into()),
            "load" => Ok(Self::Load(rest.into())),
            "help" | "?" => Ok(Self::Help),
            "quit" | "q" | "exit" => plain(Self::Quit),
            _ => pasted(line),
        }
    }
}

fn hint(rest: &str) -> Result<PlayCommand, String> {
    match (rest, rest.parse()) {
        ("", _) => Ok(PlayCommand::Hint(3)),
        (_, Ok(count @ 1..=64)) => Ok(PlayCommand::Hint(count)),
        _ => Err("hint takes the number of moves to show, such as hint 3".into()),
    }
}

fn clock(rest: &str) -> Result<Option<bool>, String> {
    match rest.to_ascii_lowercase().as_str() {
        "" => Ok(None),
        "stop" => Ok(Some(false)),
        "go" => Ok(Some(true)),
        _ => Err("clock takes stop or go, or nothing to tell the time".into()),
    }
}

/// What a mistake costs at least, in discs, unless a lesson says otherwise.
pub const MISTAKE: f64 = 4.0;

fn lesson(rest: &str) -> Result<Option<f64>, String> {
    match (rest.to_ascii_lowercase().as_str(), parse_lesson(rest)) {
        ("off", _) => Ok(None),
        ("" | "on", _) => Ok(Some(MISTAKE)),
        (_, discs) => discs.map(Some),
    }
}

/// Reads from how many discs on a mistake is taken back.
///
/// # Errors
/// What was expected.
pub fn parse_lesson(text: &str) -> Result<f64, String> {
    let discs = text.parse::<f64>().ok().filter(|discs| (1.0..=64.0).contains(discs));
    discs.ok_or_else(|| "a lesson takes back mistakes of 1 to 64 discs, such as lesson 4".into())
}

fn switch(rest: &str) -> Result<bool, String> {
    match rest.to_ascii_lowercase().as_str() {
        "on" | "" => Ok(true),
        "off" => Ok(false),
        _ => Err("bar takes on or off".into()),
    }
}

fn save(word: &str, rest: &str) -> Result<PlayCommand, String> {
    if rest.is_empty() {
        return Err(format!("{word} takes the name of a file"));
    }
    let as_board = word.starts_with("save-board");
    Ok(PlayCommand::Save { path: rest.into(), as_board, replace: word.ends_with('!') })
}

/// A position or game in one line.
fn pasted(line: &str) -> Result<PlayCommand, String> {
    // Short words are mistyped commands; nothing that is a position is so short but a move list.
    match parse_position(line) {
        // Moves with words behind them are rather a mistyped command.
        Ok(found) if found.format == MOVES && !found.comment.is_empty() => {
            Err(format!("\"{line}\" has words besides moves; ? lists the commands"))
        }
        Ok(_) => Ok(PlayCommand::Set),
        Err(error) if line.len() > 12 => Err(error.to_string()),
        Err(_) => {
            let shown: String = line.chars().filter(|c| !c.is_control()).collect();
            Err(format!("\"{shown}\" is not a move, a command or a position; ? lists the commands"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_tells_of_every_command() {
        for word in WORDS.iter().filter(|word| !word.ends_with('!') && **word != "help") {
            let is_told =
                HELP.iter().any(|(commands, _)| commands.split([' ', ',']).any(|told| told == *word));
            assert!(is_told, "{word}");
        }
    }

    #[test]
    fn commands_are_read() {
        let parse = |line: &str| PlayCommand::parse(line).unwrap();
        assert_eq!(parse(" F5 "), PlayCommand::Play(Move::Place("f5".parse().unwrap())));
        assert_eq!(parse("hint"), PlayCommand::Hint(3));
        assert_eq!(parse("WHITE engine"), PlayCommand::Seat(Color::White, Seat::Engine));
        assert_eq!(parse("clock stop"), PlayCommand::Clock(Some(false)));
        assert_eq!([parse("lesson"), parse("lesson off")], [Some(4.0), None].map(PlayCommand::Lesson));
        assert_eq!(parse("level 7"), PlayCommand::Level(Level::new(7).unwrap()));
        assert_eq!(parse("  "), PlayCommand::Nothing);
        let save = PlayCommand::Save { path: "a b.ggf".into(), as_board: false, replace: true };
        assert_eq!(parse("save! a b.ggf"), save);
        assert_eq!(parse("f5d6c3"), PlayCommand::Set);
        assert_eq!(parse("(;GM[Othello]B[f5];)"), PlayCommand::Set);
    }

    #[test]
    fn every_bad_line_is_answered() {
        for (line, answer) in [
            ("f9", "\"f9\" is not a move, a command or a position; ? lists the commands"),
            ("hint x", "hint takes the number of moves to show, such as hint 3"),
            ("hint 0", "hint takes the number of moves to show, such as hint 3"),
            ("level 61", "level takes a whole number from 0 to 60, not 61; an example is level 12"),
            ("black", "a side is played by human, engine or a player such as nboard:COMMAND"),
            ("clock 5", "clock takes stop or go, or nothing to tell the time"),
            ("lesson 0", "a lesson takes back mistakes of 1 to 64 discs, such as lesson 4"),
            ("undo 3", "undo takes no argument"),
            ("save", "save takes the name of a file"),
            ("\u{1b}[2J", "\"[2J\" is not a move, a command or a position; ? lists the commands"),
        ] {
            assert_eq!(PlayCommand::parse(line), Err(answer.to_string()), "{line}");
        }
        assert!(PlayCommand::parse("f5 d6 c3 d3 a1 a1").unwrap_err().contains("a1 is illegal"));
    }
}
