//! A line of input → what was [`Received`]. Pure and total: any text gives one.
//!
//! Framing as in the GTP 2 draft: control characters dropped, tabs are blanks, `#` starts a
//! comment, blank lines vanish. Two lines are no commands and get no answer: the comment
//! `# interrupt` (GoGui) and a bare `stop` (OthelloClient); both end a running search early.

use std::time::Duration;

use crate::board::{Color, Game, Move, Position};
use crate::notation::{moves, position};

/// What one line asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// Blank or a comment.
    Nothing,
    /// End the running search; nothing when idle.
    Interrupt,
    /// A command, which gets exactly one answer.
    Request(Request),
}

/// A command with its number.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The number in front, as it was written.
    pub id: Option<String>,
    /// The command, or the standard's text of what is wrong with it.
    pub command: Result<Command, &'static str>,
}

/// The commands.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `protocol_version`
    ProtocolVersion,
    /// `name`
    Name,
    /// `version`
    Version,
    /// `known_command WORD`
    IsKnown(String),
    /// `list_commands`
    ListCommands,
    /// `quit`
    Quit,
    /// `boardsize 8`
    BoardSize,
    /// `clear_board`
    ClearBoard,
    /// `komi N`: taken and ignored.
    Komi,
    /// `play COLOR VERTEX`
    Play(Color, Move),
    /// `gogui-play_sequence COLOR VERTEX …`
    PlaySequence(Vec<(Color, Move)>),
    /// `genmove COLOR`
    GenMove(Color),
    /// `reg_genmove COLOR`
    RegGenMove(Color),
    /// `undo`, `gg-undo N`
    Undo(usize),
    /// `time_settings MAIN BYO STONES`
    TimeSettings {
        /// Time at the start.
        main: Duration,
        /// Length of a period, or time per move.
        period: Duration,
        /// Moves in a period.
        stones: u32,
    },
    /// `time_left COLOR TIME STONES`
    TimeLeft {
        /// Whose clock.
        color: Color,
        /// What is left on it.
        time: Duration,
        /// Moves to be made in it; 0 in main time.
        stones: u32,
    },
    /// `set_level N`
    SetLevel(u64),
    /// `final_score`
    FinalScore,
    /// `showboard`
    ShowBoard,
    /// `set_game Othello`
    SetGame,
    /// `list_games`
    ListGames,
    /// `loadsgf FILE [MOVE]`: the position before this move, counted from 1; without it, the last.
    LoadSgf(String, Option<usize>),
    /// `set_position`, `setboard`: this game goes on, or one that starts from a position.
    SetPosition(Box<Game>),
    /// `cputime`
    CpuTime,
    /// `gogui-interrupt`: "we understand `# interrupt`".
    UnderstandsInterrupt,
    /// `gogui-analyze_commands`
    AnalyzeCommands,
    /// `gogui-rules_…`
    Rules(Rules),
    /// `emilia-score`
    Score,
    /// `emilia-best_moves [N]`
    BestMoves(usize),
    /// `emilia-pv`
    Variation,
    /// `emilia-stable`
    Stable,
    /// `emilia-param [NAME VALUE]`: without arguments the names and values.
    Param(Option<(String, String)>),
    /// `emilia-analyze [COLOR] [CENTISECONDS] [maxmoves N]`
    Analyze {
        /// The side that must be to move, if named.
        color: Option<Color>,
        /// Least time between two reports.
        interval: Duration,
        /// Moves per report.
        max_moves: usize,
    },
}

/// The questions that make GoGui an Othello board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// `gogui-rules_game_id`
    GameId,
    /// `gogui-rules_board`
    Board,
    /// `gogui-rules_board_size`
    BoardSize,
    /// `gogui-rules_legal_moves`
    LegalMoves,
    /// `gogui-rules_side_to_move`
    SideToMove,
    /// `gogui-rules_final_result`
    FinalResult,
    /// `gogui-rules_captured_count`
    CapturedCount,
}

/// The names of all commands, as `list_commands` prints them.
pub const COMMANDS: &[&str] = &[
    "boardsize",
    "clear_board",
    "cputime",
    "emilia-analyze",
    "emilia-best_moves",
    "emilia-param",
    "emilia-pv",
    "emilia-score",
    "emilia-stable",
    "final_score",
    "genmove",
    "gg-undo",
    "gogui-analyze_commands",
    "gogui-interrupt",
    "gogui-play_sequence",
    "gogui-rules_board",
    "gogui-rules_board_size",
    "gogui-rules_captured_count",
    "gogui-rules_final_result",
    "gogui-rules_game_id",
    "gogui-rules_legal_moves",
    "gogui-rules_side_to_move",
    "known_command",
    "komi",
    "list_commands",
    "list_games",
    "loadsgf",
    "name",
    "play",
    "protocol_version",
    "quit",
    "reg_genmove",
    "set_game",
    "set_level",
    "set_position",
    "setboard",
    "showboard",
    "time_left",
    "time_settings",
    "undo",
    "version",
];

/// Error texts of the standard.
pub const UNKNOWN_COMMAND: &str = "unknown command";
/// Arguments that cannot be read.
pub const SYNTAX_ERROR: &str = "syntax error";
/// A board other than 8×8.
pub const UNACCEPTABLE_SIZE: &str = "unacceptable size";
/// A game other than Othello.
pub const UNKNOWN_GAME: &str = "unsupported game";
/// Neither discs nor a position in any notation.
pub const NO_POSITION: &str = "invalid position";

/// Whether `line` alone shows that a GTP client is speaking. `quit` belongs to every protocol.
pub fn is_gtp(line: &str) -> bool {
    match parse(line) {
        Received::Request(request) => {
            request.command != Err(UNKNOWN_COMMAND) && request.command != Ok(Command::Quit)
        }
        Received::Nothing | Received::Interrupt => false,
    }
}

/// Reads one line.
pub fn parse(line: &str) -> Received {
    let kept = |c: &char| *c == '\t' || !c.is_control();
    let line: String = line.chars().filter(kept).map(|c| if c == '\t' { ' ' } else { c }).collect();
    let (text, comment) = line.split_once('#').unwrap_or((&line, ""));
    let mut words = text.split(' ').filter(|word| !word.is_empty()).peekable();
    let id = words.next_if(|word| word.bytes().all(|byte| byte.is_ascii_digit())).map(str::to_owned);
    let rest: Vec<&str> = words.collect();
    match (&id, rest.as_slice()) {
        (None, []) if comment.trim() == "interrupt" => Received::Interrupt,
        (None, []) => Received::Nothing,
        (None, ["stop"]) => Received::Interrupt,
        (Some(_), []) => Received::Request(Request { id, command: Err(SYNTAX_ERROR) }),
        (_, [name, arguments @ ..]) => {
            let command = command(name, arguments);
            Received::Request(Request { id, command })
        }
    }
}

fn command(name: &str, arguments: &[&str]) -> Result<Command, &'static str> {
    let word = || arguments.first().copied().ok_or(SYNTAX_ERROR);
    Ok(match name {
        "protocol_version" => Command::ProtocolVersion,
        "name" => Command::Name,
        "version" => Command::Version,
        "known_command" => Command::IsKnown(word()?.to_owned()),
        "list_commands" => Command::ListCommands,
        "quit" => Command::Quit,
        "boardsize" => match word()?.parse() {
            Ok(8) => Command::BoardSize,
            Ok::<i64, _>(_) => return Err(UNACCEPTABLE_SIZE),
            Err(_) => return Err(SYNTAX_ERROR),
        },
        "clear_board" => Command::ClearBoard,
        "komi" => match word()?.parse::<f64>() {
            Ok(komi) if komi.is_finite() => Command::Komi,
            _ => return Err(SYNTAX_ERROR),
        },
        "play" => match arguments {
            [color, vertex, ..] => Command::Play(read_color(color)?, read_vertex(vertex)?),
            _ => return Err(SYNTAX_ERROR),
        },
        "gogui-play_sequence" => Command::PlaySequence(read_sequence(arguments)?),
        "genmove" => Command::GenMove(read_color(word()?)?),
        "reg_genmove" => Command::RegGenMove(read_color(word()?)?),
        "undo" => Command::Undo(1),
        "gg-undo" => Command::Undo(arguments.first().map_or(Ok(1), |count| number(count))?),
        "time_settings" | "time_left" => return time_command(name, arguments),
        "set_level" => Command::SetLevel(number(word()?)?),
        "final_score" => Command::FinalScore,
        "showboard" => Command::ShowBoard,
        "set_game" => match word()?.to_ascii_lowercase().as_str() {
            "othello" | "reversi" => Command::SetGame,
            _ => return Err(UNKNOWN_GAME),
        },
        "list_games" => Command::ListGames,
        "loadsgf" => load_command(arguments)?,
        "set_position" | "setboard" => Command::SetPosition(Box::new(read_position(arguments)?)),
        "cputime" => Command::CpuTime,
        "gogui-interrupt" => Command::UnderstandsInterrupt,
        "gogui-analyze_commands" => Command::AnalyzeCommands,
        "emilia-score" => Command::Score,
        "emilia-best_moves" => {
            Command::BestMoves(arguments.first().map_or(Ok(64), |count| number(count))?.max(1))
        }
        "emilia-pv" => Command::Variation,
        "emilia-stable" => Command::Stable,
        "emilia-param" => Command::Param(match arguments {
            [] => None,
            [name, value] => Some(((*name).to_owned(), (*value).to_owned())),
            _ => return Err(SYNTAX_ERROR),
        }),
        "emilia-analyze" => analyze_command(arguments)?,
        _ => Command::Rules(rules(name).ok_or(UNKNOWN_COMMAND)?),
    })
}

fn rules(name: &str) -> Option<Rules> {
    Some(match name.strip_prefix("gogui-rules_")? {
        "game_id" => Rules::GameId,
        "board" => Rules::Board,
        "board_size" => Rules::BoardSize,
        "legal_moves" => Rules::LegalMoves,
        "side_to_move" => Rules::SideToMove,
        "final_result" => Rules::FinalResult,
        "captured_count" => Rules::CapturedCount,
        _ => return None,
    })
}

/// Discs as KataGo's `set_position` lists them (`b d5 w e5`), then the side to move, Black if unsaid; or a
/// position or game in any notation, as Edax's `setboard` takes it.
fn read_position(arguments: &[&str]) -> Result<Game, &'static str> {
    if arguments.first().is_some_and(|word| read_color(word).is_ok()) {
        return read_discs(arguments).map(Game::new);
    }
    let detected = position::parse_position(&arguments.join(" ")).map_err(|_| NO_POSITION)?;
    Ok(detected.record.game)
}

fn read_discs(words: &[&str]) -> Result<Position, &'static str> {
    let (pairs, side) = words.as_chunks();
    let side = match side {
        _ if pairs.is_empty() => return Err(NO_POSITION),
        [] => Color::Black,
        [side, ..] => read_color(side)?,
    };
    let mut discs = [0; 2];
    for [color, vertex] in pairs {
        let Move::Place(square) = read_vertex(vertex)? else { return Err(NO_POSITION) };
        if (discs[0] | discs[1]) & square.bit() != 0 {
            return Err(NO_POSITION);
        }
        discs[read_color(color)? as usize] |= square.bit();
    }
    Ok(Position::from_discs(discs[Color::Black as usize], discs[Color::White as usize], side))
}

fn read_color(text: &str) -> Result<Color, &'static str> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Ok(Color::Black),
        "w" | "white" => Ok(Color::White),
        _ => Err(SYNTAX_ERROR),
    }
}

fn read_vertex(text: &str) -> Result<Move, &'static str> {
    match text.parse() {
        Ok(square) => Ok(Move::Place(square)),
        // Of all spellings of a pass only those that begin with a letter are vertices.
        Err(_) if !text.starts_with(|c: char| c.is_ascii_alphabetic()) => Err(SYNTAX_ERROR),
        Err(_) => match moves::parse_move(text) {
            Ok(Move::Pass) => Ok(Move::Pass),
            _ => Err(SYNTAX_ERROR),
        },
    }
}

fn read_sequence(arguments: &[&str]) -> Result<Vec<(Color, Move)>, &'static str> {
    let pairs = arguments.chunks(2).map(|pair| match pair {
        [color, vertex] => Ok((read_color(color)?, read_vertex(vertex)?)),
        _ => Err(SYNTAX_ERROR),
    });
    pairs.collect()
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| SYNTAX_ERROR)
}

/// Seconds as clients print them; a negative rest on a clock counts as none.
fn read_seconds(text: &str) -> Result<Duration, &'static str> {
    /// Longer than any game: keeps the arithmetic of clocks far from overflow.
    const MAX_SECONDS: f64 = 1e7;
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() => Ok(Duration::from_secs_f64(seconds.clamp(0.0, MAX_SECONDS))),
        _ => Err(SYNTAX_ERROR),
    }
}

fn time_command(name: &str, arguments: &[&str]) -> Result<Command, &'static str> {
    let [first, second, stones, ..] = arguments else { return Err(SYNTAX_ERROR) };
    let stones = number(stones)?;
    Ok(match name {
        "time_settings" => {
            Command::TimeSettings { main: read_seconds(first)?, period: read_seconds(second)?, stones }
        }
        _ => Command::TimeLeft { color: read_color(first)?, time: read_seconds(second)?, stones },
    })
}

/// A file name may hold blanks; a last word that is a number is the move.
fn load_command(arguments: &[&str]) -> Result<Command, &'static str> {
    let (name, at) = match arguments {
        [] => return Err(SYNTAX_ERROR),
        [name @ .., last] if !name.is_empty() && last.parse::<usize>().is_ok() => (name, last.parse().ok()),
        name => (name, None),
    };
    Ok(Command::LoadSgf(name.join(" "), at))
}

fn analyze_command(arguments: &[&str]) -> Result<Command, &'static str> {
    let (mut color, mut interval, mut max_moves) = (None, Duration::ZERO, 64);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match *word {
            "interval" | "maxmoves" => {
                let value: u32 = number(words.next().ok_or(SYNTAX_ERROR)?)?;
                match *word {
                    "interval" => interval = Duration::from_millis(10 * u64::from(value)),
                    _ => max_moves = value.max(1) as usize,
                }
            }
            _ => match word.parse::<u32>() {
                Ok(centiseconds) => interval = Duration::from_millis(10 * u64::from(centiseconds)),
                Err(_) => color = Some(read_color(word)?),
            },
        }
    }
    Ok(Command::Analyze { color, interval, max_moves })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> Request {
        match parse(line) {
            Received::Request(request) => request,
            other => panic!("{line:?} is {other:?}"),
        }
    }

    fn read(line: &str) -> Result<Command, &'static str> {
        request(line).command
    }

    #[test]
    fn every_listed_command_is_known_and_the_list_is_in_order() {
        for name in COMMANDS {
            assert_ne!(read(name), Err(UNKNOWN_COMMAND), "{name}");
        }
        assert!(COMMANDS.is_sorted());
    }

    /// All words of this file are tried: no command is kept from those who ask for the list.
    #[test]
    fn every_known_command_is_listed() {
        let words: Vec<&str> = include_str!("parse.rs").split('"').collect();
        let known: Vec<String> = ["", "gogui-rules_"]
            .iter()
            .flat_map(|front| words.iter().map(move |word| format!("{front}{word}")))
            .filter(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_".contains(&byte)))
            .filter(|name| match parse(name) {
                Received::Request(request) => request.command != Err(UNKNOWN_COMMAND),
                Received::Nothing | Received::Interrupt => false,
            })
            .collect();
        assert!(known.len() >= COMMANDS.len());
        for name in known {
            assert!(COMMANDS.contains(&name.as_str()), "{name}");
        }
    }

    #[test]
    fn framing_follows_the_standard() {
        assert_eq!(parse(""), Received::Nothing);
        assert_eq!(parse("  \t \r"), Received::Nothing);
        assert_eq!(parse("# name"), Received::Nothing);
        assert_eq!(request("42 name"), Request { id: Some("42".into()), command: Ok(Command::Name) });
        assert_eq!(request("\tname # comment\r").command, Ok(Command::Name));
        assert_eq!(request("007\tname"), Request { id: Some("007".into()), command: Ok(Command::Name) });
        assert_eq!(request("5"), Request { id: Some("5".into()), command: Err(SYNTAX_ERROR) });
        assert_eq!(request("5 #x"), Request { id: Some("5".into()), command: Err(SYNTAX_ERROR) });
        assert_eq!(read("na\0me"), Ok(Command::Name));
        assert_eq!(read("5x name"), Err(UNKNOWN_COMMAND));
        assert_eq!(read("\u{fffd}\u{fffd}"), Err(UNKNOWN_COMMAND));
    }

    #[test]
    fn interrupts_are_no_commands() {
        assert_eq!(parse("# interrupt"), Received::Interrupt);
        assert_eq!(parse("#interrupt"), Received::Interrupt);
        assert_eq!(parse("stop"), Received::Interrupt);
        assert_eq!(parse("# do not interrupt"), Received::Nothing);
        assert_eq!(read("3 stop"), Err(UNKNOWN_COMMAND));
    }

    #[test]
    fn colours_and_vertices_in_every_case() {
        for color in ["b", "B", "black", "Black", "BLACK"] {
            assert_eq!(read(&format!("genmove {color}")), Ok(Command::GenMove(Color::Black)));
        }
        assert_eq!(read("genmove W"), Ok(Command::GenMove(Color::White)));
        for color in ["x", "blac", "bb", ""] {
            assert_eq!(read(&format!("genmove {color}")), Err(SYNTAX_ERROR), "{color}");
        }
        assert_eq!(read("play b f5"), read("play BLACK F5"));
        for pass in ["pass", "PASS", "Pass", "pa"] {
            assert_eq!(read(&format!("play w {pass}")), Ok(Command::Play(Color::White, Move::Pass)));
        }
        for vertex in ["i1", "a9", "a0", "f55", "--", "5f", ""] {
            assert_eq!(read(&format!("play w {vertex}")), Err(SYNTAX_ERROR), "{vertex}");
        }
    }

    #[test]
    fn arguments_have_their_ranges() {
        assert_eq!(read("boardsize 8"), Ok(Command::BoardSize));
        assert_eq!(read("boardsize 10"), Err(UNACCEPTABLE_SIZE));
        assert_eq!(read("boardsize -8"), Err(UNACCEPTABLE_SIZE));
        assert_eq!(read("boardsize eight"), Err(SYNTAX_ERROR));
        assert_eq!(read("boardsize"), Err(SYNTAX_ERROR));
        assert_eq!(read("komi -6.5"), Ok(Command::Komi));
        assert_eq!(read("komi nan"), Err(SYNTAX_ERROR));
        assert_eq!(read("set_game Go"), Err(UNKNOWN_GAME));
        assert_eq!(read("gg-undo 3"), Ok(Command::Undo(3)));
        assert_eq!(read("gg-undo -1"), Err(SYNTAX_ERROR));
        assert_eq!(read("time_settings 60 0"), Err(SYNTAX_ERROR));
        let left = Command::TimeLeft { color: Color::White, time: Duration::from_secs(600), stones: 0 };
        assert_eq!(read("time_left white 600 0"), Ok(left));
        assert!(read("time_left b -3 0").is_ok());
        assert!(read("time_settings 1e300 0 0").is_ok());
        assert_eq!(read("time_settings inf 0 0"), Err(SYNTAX_ERROR));
    }

    #[test]
    fn file_names_may_hold_blanks() {
        assert_eq!(read("loadsgf a game.sgf"), Ok(Command::LoadSgf("a game.sgf".into(), None)));
        assert_eq!(read("loadsgf a game.sgf 12"), Ok(Command::LoadSgf("a game.sgf".into(), Some(12))));
        assert_eq!(read("loadsgf 12"), Ok(Command::LoadSgf("12".into(), None)));
        assert_eq!(read("loadsgf"), Err(SYNTAX_ERROR));
    }

    #[test]
    fn positions_are_discs_or_any_notation() {
        let position = |line: &str| match read(line) {
            Ok(Command::SetPosition(game)) => game.position(),
            other => panic!("{line}: {other:?}"),
        };
        let start = "---------------------------OX------XO---------------------------";
        for line in [
            "set_position b e4 b d5 w d4 w e5",
            "set_position B E4 W D4 B D5 W E5 black",
            &format!("setboard {start} X"),
            &format!("set_position {start}X"),
        ] {
            assert_eq!(position(line), Position::START, "{line}");
        }
        assert_eq!(position("set_position b e4 w d4 w").side, Color::White);
        assert_eq!(position("setboard f5d6").side, Color::Black);
        for line in ["setboard", "setboard f5f5", "set_position b", "set_position b e4 w e4", "setboard XO"] {
            assert!(read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn analysis_takes_its_words_in_any_order() {
        let all = |line: &str| match read(line) {
            Ok(Command::Analyze { color, interval, max_moves }) => (color, interval.as_millis(), max_moves),
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(all("emilia-analyze"), (None, 0, 64));
        assert_eq!(all("emilia-analyze b 50"), (Some(Color::Black), 500, 64));
        assert_eq!(all("emilia-analyze interval 10 maxmoves 3 w"), (Some(Color::White), 100, 3));
        assert_eq!(read("emilia-analyze maxmoves"), Err(SYNTAX_ERROR));
    }

    #[test]
    fn gtp_is_told_from_nboard() {
        assert!(is_gtp("protocol_version"));
        assert!(is_gtp("1 boardsize 8"));
        assert!(is_gtp("genmove"));
        for line in
            ["quit", "nboard 2", "ping 1", "set game x", "hint 1", "go", "move f5", "f5", "", "# x", "stop"]
        {
            assert!(!is_gtp(line), "{line}");
        }
    }
}
