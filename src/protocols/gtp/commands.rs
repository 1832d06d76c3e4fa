//! The table of commands: of each its name and what it does with its arguments. All else follows from it: what
//! `list_commands` and `known_command` say, and by which lines GTP is told from NBoard.

use std::path::Path;
use std::time::Duration;

use super::history::{History, Illegal};
use super::parse::{Arguments, SYNTAX_ERROR, parse, read_color, read_position};
use super::print::{self, Form};
use super::state::{GtpSession, Purpose, Reaction, Stream};
use crate::board::{Color, Game, Move, Position, Square};
use crate::engine::{Choice, Level};
use crate::notation::sgf;
use crate::protocols::session::Received;
use crate::search::{Clock, Limits, Task};
use crate::util::input_file;
use crate::util::os::usage::cpu_time;

/// What comes of a command: an answer, or what the standard calls an error.
pub type Reply = Result<Reaction, String>;

/// What a command does.
pub type Handler = fn(&mut GtpSession, &mut Arguments) -> Reply;

/// All commands, by name.
pub const COMMANDS: &[(&str, Handler)] = &[
    ("analyze", |session, arguments| live(session, arguments, Form::Kata)),
    ("boardsize", board_size),
    ("clear_board", |session, _| new_game(session)),
    ("cputime", |_, _| text(format!("{:.3}", cpu_time().as_secs_f64()))),
    ("emilia-analyze", analyze),
    ("emilia-best_moves", |session, arguments| {
        let count = if arguments.is_empty() { 64 } else { arguments.number::<usize>()?.max(1) };
        evaluate(session, Purpose::BestMoves, count)
    }),
    ("emilia-param", param),
    ("emilia-pv", |session, _| evaluate(session, Purpose::Variation, 1)),
    ("emilia-score", |session, _| evaluate(session, Purpose::Score, 1)),
    ("emilia-stable", |session, _| text(print::stable_discs(&position(session)))),
    ("final_score", |session, _| text(print::result(&position(session)))),
    ("genmove", |session, arguments| choose(session, arguments.color()?, true, None, u64::MAX)),
    ("genmove_analyze", |session, arguments| generate(session, arguments, Form::Kata)),
    ("gg-undo", |session, arguments| {
        let count = if arguments.is_empty() { 1 } else { arguments.number()? };
        undo(session, count)
    }),
    ("gogui-analyze_commands", |_, _| text(print::ANALYZE_COMMANDS)),
    // We understand `# interrupt`.
    ("gogui-interrupt", |_, _| done()),
    ("gogui-play_sequence", play_sequence),
    ("gogui-rules_board", |session, _| text(format!("\n{}", print::rows(&position(session))))),
    ("gogui-rules_board_size", |_, _| text("8")),
    ("gogui-rules_captured_count", |session, _| {
        let count = |color| position(session).discs(color).count_ones();
        text(format!("{} {}", count(Color::Black), count(Color::White)))
    }),
    ("gogui-rules_final_result", |session, _| text(print::result_in_words(&position(session)))),
    ("gogui-rules_game_id", |_, _| text("Othello")),
    ("gogui-rules_legal_moves", |session, _| text(print::legal_moves(&position(session)))),
    ("gogui-rules_side_to_move", |session, _| text(position(session).side.to_string())),
    ("kata-analyze", |session, arguments| live(session, arguments, Form::Kata)),
    ("kata-genmove_analyze", |session, arguments| generate(session, arguments, Form::Kata)),
    ("known_command", |_, arguments| text(handler(arguments.word()?).is_some().to_string())),
    ("komi", komi),
    ("list_commands", list_commands),
    ("list_games", |_, _| text("Othello")),
    ("loadsgf", load),
    ("lz-analyze", |session, arguments| live(session, arguments, Form::Lz)),
    ("lz-genmove_analyze", |session, arguments| generate(session, arguments, Form::Lz)),
    ("name", |_, _| text("Emilia")),
    ("play", |session, arguments| {
        let (color, mv) = (arguments.color()?, arguments.vertex()?);
        session.play(color, mv)?;
        done()
    }),
    ("protocol_version", |_, _| text("2")),
    ("quit", |session, _| {
        session.done = true;
        done()
    }),
    ("reg_genmove", |session, arguments| choose(session, arguments.color()?, false, None, u64::MAX)),
    ("set_game", |session, arguments| match arguments.word()?.to_ascii_lowercase().as_str() {
        "othello" | "reversi" => new_game(session),
        _ => Err("unsupported game".into()),
    }),
    ("set_level", |session, arguments| {
        let level = Level::new(arguments.number()?).map_err(|error| error.to_string())?;
        session.options.level = Some(level);
        done()
    }),
    ("set_position", set_position),
    ("setboard", set_position),
    ("showboard", |session, _| text(format!("\n{}", position(session)))),
    ("time_left", |session, arguments| {
        let (color, time, stones) = (arguments.color()?, arguments.seconds()?, arguments.number()?);
        session.state.clocks.set_left(color, time, stones);
        done()
    }),
    ("time_settings", |session, arguments| {
        let (main, period, stones) = (arguments.seconds()?, arguments.seconds()?, arguments.number()?);
        session.state.clocks.set(main, period, stones);
        done()
    }),
    ("undo", |session, _| undo(session, 1)),
    ("version", |_, _| text(env!("CARGO_PKG_VERSION"))),
];

/// What the command of this name does.
pub fn handler(name: &str) -> Option<Handler> {
    COMMANDS.iter().find(|(known, _)| *known == name).map(|(_, handler)| *handler)
}

/// Whether `line` alone shows that a GTP client is speaking. `quit` belongs to every protocol.
pub fn is_gtp(line: &str) -> bool {
    let Received::Command(request) = parse(line) else { return false };
    request.words.first().is_none_or(|name| name != "quit" && handler(name).is_some())
}

fn text(text: impl Into<String>) -> Reply {
    Ok(Reaction::Answer(text.into()))
}

/// The empty answer.
fn done() -> Reply {
    text("")
}

fn position(session: &GtpSession) -> Position {
    session.state.history.position()
}

fn list_commands(_: &mut GtpSession, _: &mut Arguments) -> Reply {
    let names: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
    text(names.join("\n"))
}

fn board_size(session: &mut GtpSession, arguments: &mut Arguments) -> Reply {
    if arguments.number::<i64>()? == 8 { new_game(session) } else { Err("unacceptable size".into()) }
}

/// Taken and ignored.
fn komi(_: &mut GtpSession, arguments: &mut Arguments) -> Reply {
    if arguments.number::<f64>()?.is_finite() { done() } else { Err(SYNTAX_ERROR.into()) }
}

fn new_game(session: &mut GtpSession) -> Reply {
    session.set_up(History::default());
    session.clear();
    done()
}

fn undo(session: &mut GtpSession, count: usize) -> Reply {
    session.state.history.undo(count).map_err(|Illegal| "cannot undo")?;
    done()
}

fn play_sequence(session: &mut GtpSession, arguments: &mut Arguments) -> Reply {
    let mut history = session.state.history.clone();
    let mut moves = Vec::new();
    while !arguments.is_empty() {
        moves.push((arguments.color()?, arguments.vertex()?));
    }
    moves.into_iter().try_for_each(|(color, mv)| history.play(color, mv))?;
    session.state.history = history;
    session.library.moved(session.state.history.game());
    done()
}

/// The move to play, on a square of `allowed` if there is one, and with `genmove` it is played; with reports on the way to
/// it if they are asked for.
fn choose(
    session: &mut GtpSession,
    color: Color,
    plays: bool,
    stream: Option<Stream>,
    allowed: u64,
) -> Reply {
    let position = session.state.history.position_for(color)?;
    // After reports the move stands on a line of its own.
    let is_streamed = stream.is_some();
    let told = |name: String| Reaction::Answer(if is_streamed { format!("\nplay {name}") } else { name });
    if position.board.moves() == 0 {
        return session.answer_move(color, Move::Pass, plays).map(told);
    }
    let limits = Level::limits_for(session.options.level, session.state.clocks.clock(color));
    let handicap = session.state.params.handicap();
    let task = Task { handicap, allowed, ..Task::new(position.board, limits) };
    let choice = session.library.choose_or_search(session.state.history.game(), task);
    match choice {
        Choice::Book(line) => session.answer_move(color, line.pv[0], plays).map(told),
        Choice::Search(task) => Ok(Reaction::Search(Purpose::Move { color, plays, stream }, position, task)),
    }
}

/// A search of the current position without a clock.
fn evaluate(session: &mut GtpSession, purpose: Purpose, lines: usize) -> Reply {
    let position = position(session);
    if position.is_over() {
        return text(if matches!(purpose, Purpose::Score) {
            print::result(&position)
        } else {
            String::new()
        });
    }
    let limits = Level::limits_for(session.options.level, Clock::Unlimited);
    Ok(search(purpose, position, limits, lines))
}

fn search(purpose: Purpose, position: Position, limits: Limits, multi_pv: usize) -> Reaction {
    Reaction::Search(purpose, position, Task { multi_pv, ..Task::new(position.board, limits) })
}

fn centiseconds(count: u32) -> Duration {
    Duration::from_millis(10 * u64::from(count))
}

/// `emilia-analyze [COLOR] [CENTISECONDS] [interval CENTISECONDS] [maxmoves N]`: the words may come in any order.
fn analyze(session: &mut GtpSession, arguments: &mut Arguments) -> Reply {
    let (mut color, mut stream) = (None, Stream::new(Form::Emilia));
    while let Ok(word) = arguments.word() {
        match (word, word.parse()) {
            ("interval", _) => stream.interval = centiseconds(arguments.number()?),
            ("maxmoves", _) => stream.max_moves = arguments.number::<u32>()?.max(1) as usize,
            (_, Ok(count)) => stream.interval = centiseconds(count),
            (_, Err(_)) => color = Some(read_color(word)?),
        }
    }
    begin(session, color, stream, 0)
}

/// `lz-analyze`, `kata-analyze` and `analyze`, as Go windows send them: `[COLOR] [CENTISECONDS]` and pairs of keys and
/// values, of which unknown ones are passed over.
fn live(session: &mut GtpSession, arguments: &mut Arguments, form: Form) -> Reply {
    let (color, stream, allowed) = read_live(session, arguments, form)?;
    begin(session, color, stream, allowed)
}

/// `genmove` with reports on the way.
fn generate(session: &mut GtpSession, arguments: &mut Arguments, form: Form) -> Reply {
    let (color, stream, allowed) = read_live(session, arguments, form)?;
    let color = color.unwrap_or(position(session).side);
    choose(session, color, true, Some(stream), allowed)
}

/// The words of a live analysis: the side, the pace, and the squares that are to be looked at.
fn read_live(
    session: &GtpSession,
    arguments: &mut Arguments,
    form: Form,
) -> Result<(Option<Color>, Stream, u64), String> {
    let (mut color, mut stream) = (None, Stream::new(form));
    let (mut allowed, mut avoided) = (0u64, 0u64);
    while let Ok(word) = arguments.word() {
        if let Ok(count) = word.parse() {
            stream.interval = centiseconds(count);
            continue;
        }
        if let Ok(side) = read_color(word) {
            color = Some(side);
            continue;
        }
        match word {
            "interval" => stream.interval = centiseconds(arguments.number()?),
            "maxmoves" => stream.max_moves = arguments.number::<u32>()?.max(1) as usize,
            "allow" | "avoid" => {
                let side = arguments.color()?;
                let squares = arguments.word()?.split(',').filter_map(|name| name.parse::<Square>().ok());
                let set = squares.fold(0, |set, square| set | square.bit());
                // How deep it holds: at the first move.
                let _ = arguments.word();
                if side == color.unwrap_or(position(session).side) {
                    if word == "allow" { allowed |= set } else { avoided |= set }
                }
            }
            _ => drop(arguments.word()),
        }
    }
    let all = if allowed == 0 { u64::MAX } else { allowed };
    Ok((color, stream, all & !avoided))
}

/// Starts an analysis of the moves on the squares of `allowed`.
fn begin(session: &mut GtpSession, color: Option<Color>, stream: Stream, allowed: u64) -> Reply {
    let position = match color {
        None => position(session),
        Some(color) => session.state.history.position_for(color)?,
    };
    if position.is_over() {
        return done();
    }
    let lines = stream.max_moves;
    let limits = Level::MAX.limits(Clock::Unlimited);
    let task = Task { multi_pv: lines, allowed, ..Task::new(position.board, limits) };
    Ok(Reaction::Search(Purpose::Analyze(stream), position, task))
}

fn param(session: &mut GtpSession, arguments: &mut Arguments) -> Reply {
    match arguments.rest() {
        [] => text(session.state.params.list(session.options.level.unwrap_or_default())),
        [name, value] => {
            if let Some(level) = session.state.params.set(name, value)? {
                session.options.level = Some(level);
            }
            done()
        }
        _ => Err(SYNTAX_ERROR.into()),
    }
}

fn set_position(session: &mut GtpSession, arguments: &mut Arguments) -> Reply {
    let game: Game = read_position(arguments.rest())?;
    session.set_up(History::of(game));
    done()
}

/// `loadsgf FILE [MOVE]`: the position before this move, counted from 1; without it, the last. A file name may hold
/// blanks; a last word that is a number is the move.
fn load(session: &mut GtpSession, arguments: &mut Arguments) -> Reply {
    /// Larger than any game record.
    const MAX_BYTES: u64 = 1 << 20;
    let (name, at) = match arguments.rest() {
        [] => return Err(SYNTAX_ERROR.into()),
        [name @ .., last] if !name.is_empty() && last.parse::<usize>().is_ok() => (name, last.parse().ok()),
        name => (name, None),
    };
    let name = name.join(" ");
    let cannot = |error: &dyn std::fmt::Display| {
        let text = format!("cannot load file: {error}");
        text.replace(|c: char| !c.is_ascii() || c.is_control(), "?")
    };
    let bytes = input_file::read(Path::new(&name), MAX_BYTES).map_err(|error| cannot(&error))?;
    let game = sgf::parse_sgf(&String::from_utf8_lossy(&bytes)).map_err(|error| cannot(&error))?.game;
    let mut history = History::of(game);
    if let Some(extra) = at.and_then(|at: usize| (history.moves().len() + 1).checked_sub(at.max(1))) {
        let undone = history.undo(extra);
        debug_assert!(undone.is_ok(), "every move of a loaded game is a step");
    }
    session.set_up(history);
    done()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::harness::{Harness, options};
    use crate::protocols::library::Library;
    use crate::util::testing::file_in;

    /// The answer to a line in a new session, without its signs; what needs a search has none.
    fn answer(line: &str) -> String {
        let mut harness = Harness::<GtpSession>::session(Library::default(), options());
        harness.send(line);
        harness.lines().first().cloned().unwrap_or_default()
    }

    #[test]
    fn commands_stand_in_order_and_on_the_page() {
        assert!(COMMANDS.is_sorted_by_key(|(name, _)| name));
        let page = include_str!("../README.md");
        for (name, _) in COMMANDS {
            assert!(["`", " "].iter().any(|end| page.contains(&format!("`{name}{end}"))), "{name}");
        }
    }

    #[test]
    fn arguments_have_their_ranges() {
        for (line, expected) in [
            ("boardsize 8", "= "),
            ("boardsize 10", "? unacceptable size"),
            ("boardsize -8", "? unacceptable size"),
            ("boardsize eight", "? syntax error"),
            ("boardsize", "? syntax error"),
            ("komi -6.5", "= "),
            ("komi nan", "? syntax error"),
            ("set_game Reversi", "= "),
            ("set_game Go", "? unsupported game"),
            ("gg-undo 0", "= "),
            ("gg-undo 3", "? cannot undo"),
            ("gg-undo -1", "? syntax error"),
            ("genmove x", "? syntax error"),
            ("play b", "? syntax error"),
            ("play w f5", "? illegal move"),
            ("set_level 61", "? level takes a whole number from 0 to 60, not 61"),
            ("time_settings 60 0", "? syntax error"),
            ("time_settings inf 0 0", "? syntax error"),
            ("time_settings 1e300 0 0", "= "),
            ("time_left b -3 0", "= "),
            ("setboard f5f5", "? invalid position"),
            ("emilia-param vision", "? syntax error"),
            ("emilia-analyze maxmoves", "? syntax error"),
            ("known_command play", "= true"),
            ("known_command plays", "= false"),
            ("frobnicate", "? unknown command"),
            ("\u{fffd}", "? unknown command"),
            ("7", "?7 syntax error"),
        ] {
            assert_eq!(answer(line), expected, "{line}");
        }
    }

    #[test]
    fn file_names_may_hold_blanks() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = file_in(&folder, "a game.sgf", "(;GM[2]B[f5]W[d6]B[c3])");
        let name = file.display();
        for (line, moves) in [(format!("loadsgf {name}"), "3"), (format!("loadsgf {name} 2"), "1")] {
            let mut harness = Harness::<GtpSession>::session(Library::default(), options());
            harness.send(&format!("{line}\ngg-undo {moves}\nundo"));
            let answers: Vec<String> = harness.lines().into_iter().filter(|line| !line.is_empty()).collect();
            assert_eq!(answers, ["= ", "= ", "? cannot undo"], "{line}");
        }
        assert_eq!(answer("loadsgf"), "? syntax error");
        assert!(answer("loadsgf 12").starts_with("? cannot load file"));
    }

    #[test]
    fn analysis_takes_its_words_in_any_order() {
        let read = |line: &str| {
            let mut session = Harness::<GtpSession>::session(Library::default(), options()).session;
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            match analyze(&mut session, &mut words.as_slice().into()) {
                Ok(Reaction::Search(Purpose::Analyze(Stream { interval, max_moves, .. }), ..)) => {
                    Ok((interval.as_millis(), max_moves))
                }
                Ok(_) => panic!("{line}: no analysis"),
                Err(text) => Err(text),
            }
        };
        assert_eq!(read(""), Ok((0, 64)));
        assert_eq!(read("b 50"), Ok((500, 64)));
        assert_eq!(read("interval 10 maxmoves 3 black"), Ok((100, 3)));
        assert_eq!(read("w"), Err("illegal move".into()));
        assert_eq!(read("x"), Err(SYNTAX_ERROR.into()));
    }

    #[test]
    fn live_analysis_takes_what_go_windows_send() {
        let read = |line: &str| {
            let mut session = Harness::<GtpSession>::session(Library::default(), options()).session;
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            match live(&mut session, &mut words.as_slice().into(), Form::Kata) {
                Ok(Reaction::Search(Purpose::Analyze(stream), _, task)) => {
                    (stream.interval.as_millis(), stream.max_moves, task.allowed)
                }
                _ => panic!("{line}: no analysis"),
            }
        };
        let all = Task::new(Position::START.board, Limits::depth(1)).allowed;
        let squares =
            |names: &[&str]| names.iter().fold(0, |set, name| set | name.parse::<Square>().unwrap().bit());
        for (line, expected) in [
            ("", (0, 64, all)),
            ("B 50", (500, 64, all)),
            ("100 ownership true rootInfo true maxmoves 3", (1000, 3, all)),
            ("black interval 10 minmoves 2", (100, 64, all)),
            ("b 1 allow b d3,c4 1", (10, 64, squares(&["d3", "c4"]))),
            ("allow b d3,c4 1 avoid b C4 1 avoid w d3 1", (0, 64, squares(&["d3"]))),
            ("avoid b d3 1", (0, 64, !squares(&["d3"]))),
        ] {
            assert_eq!(read(line), expected, "{line}");
        }
        let mut harness = Harness::<GtpSession>::session(Library::default(), options());
        let words: Vec<String> = "b avoid b d3 1".split(' ').map(str::to_owned).collect();
        let generated = generate(&mut harness.session, &mut words.as_slice().into(), Form::Lz);
        let Ok(Reaction::Search(Purpose::Move { .. }, _, task)) = generated else { panic!("no search") };
        assert_eq!(task.allowed, !squares(&["d3"]), "a move to be played is held to them, too");
    }

    #[test]
    fn gtp_is_told_from_nboard() {
        for line in ["protocol_version", "1 boardsize 8", "genmove"] {
            assert!(is_gtp(line), "{line}");
        }
        for line in
            ["quit", "nboard 2", "ping 1", "set game x", "hint 1", "go", "move f5", "f5", "", "# x", "stop"]
        {
            assert!(!is_gtp(line), "{line}");
        }
    }
}
