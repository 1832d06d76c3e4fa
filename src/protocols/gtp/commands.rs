//! The table of commands: the name of each and its handler. `list_commands`, `known_command` and the detection of the
//! protocol read it.

use std::path::Path;
use std::time::Duration;

use super::history::History;
use super::parse::{Arguments, SYNTAX_ERROR, parse, read_color, read_position};
use super::print;
use super::state::{GtpSession, Purpose, Reaction, Stream};
use crate::board::{Color, Move, Position};
use crate::engine::{Choice, Level};
use crate::notation::sgf;
use crate::protocols::session::Received;
use crate::search::{Clock, Limits, Task};
use crate::util::commands::Table;
use crate::util::input_file;
use crate::util::os::usage::cpu_time;
use crate::util::refusal::Refusal;

/// The reply to a command; an error becomes a `?` answer.
type Reply = Result<Reaction, Refusal>;

type Action = fn(&mut GtpSession, &mut Arguments) -> Reply;

pub const COMMANDS: Table<Action> = Table(&[
    ("boardsize", |session, arguments| {
        if arguments.number::<i64>()? == 8 {
            new_game(session)
        } else {
            Err("unacceptable size".into())
        }
    }),
    ("clear_board", |session, _| new_game(session)),
    ("cputime", |_, _| {
        text(format!("{:.3}", cpu_time().as_secs_f64()))
    }),
    ("emilia-analyze", analyze),
    ("emilia-best_moves", |session, arguments| {
        let count = if arguments.is_empty() {
            64
        } else {
            arguments.number::<usize>()?.max(1)
        };
        evaluate(session, Purpose::BestMoves, count)
    }),
    ("emilia-live", |session, _| {
        let interval = Duration::from_millis(250);
        analyze_with(
            session,
            None,
            Stream {
                draws: true,
                interval,
                ..Stream::default()
            },
        )
    }),
    ("emilia-param", param),
    ("emilia-pv", |session, _| {
        evaluate(session, Purpose::Variation, 1)
    }),
    ("emilia-score", |session, _| {
        evaluate(session, Purpose::Score, 1)
    }),
    ("emilia-stable", |session, _| {
        text(print::stable_discs(&position(session)))
    }),
    ("final_score", |session, _| {
        text(print::result(&position(session)))
    }),
    ("genmove", |session, arguments| {
        choose(session, arguments.color()?, true)
    }),
    ("gg-undo", |session, arguments| {
        let count = if arguments.is_empty() {
            1
        } else {
            arguments.number()?
        };
        undo(session, count)
    }),
    ("gogui-analyze_commands", |_, _| {
        text(print::ANALYZE_COMMANDS)
    }),
    // We understand `# interrupt`.
    ("gogui-interrupt", |_, _| done()),
    ("gogui-play_sequence", play_sequence),
    ("gogui-rules_board", |session, _| {
        text(format!("\n{}", print::rows(&position(session))))
    }),
    ("gogui-rules_board_size", |_, _| text("8")),
    ("gogui-rules_captured_count", |session, _| {
        let count = |color| position(session).discs(color).count_ones();
        text(format!("{} {}", count(Color::Black), count(Color::White)))
    }),
    ("gogui-rules_final_result", |session, _| {
        text(print::result_in_words(&position(session)))
    }),
    ("gogui-rules_game_id", |_, _| text("Othello")),
    ("gogui-rules_legal_moves", |session, _| {
        text(print::legal_moves(&position(session)))
    }),
    ("gogui-rules_side_to_move", |session, _| {
        text(position(session).side.to_string())
    }),
    ("known_command", |_, arguments| {
        text(COMMANDS.find(arguments.word()?).is_some().to_string())
    }),
    // Ignored.
    ("komi", |_, arguments| {
        if arguments.number::<f64>()?.is_finite() {
            done()
        } else {
            Err(SYNTAX_ERROR.into())
        }
    }),
    ("list_commands", |_, _| {
        text(COMMANDS.names().collect::<Vec<_>>().join("\n"))
    }),
    ("list_games", |_, _| text("Othello")),
    ("loadsgf", load),
    ("name", |_, _| text("Emilia")),
    ("play", |session, arguments| {
        session
            .state
            .history
            .play(arguments.color()?, arguments.vertex()?)?;
        session.library.moved(session.state.history.game());
        done()
    }),
    ("protocol_version", |_, _| text("2")),
    ("quit", |session, _| {
        session.done = true;
        done()
    }),
    ("reg_genmove", |session, arguments| {
        choose(session, arguments.color()?, false)
    }),
    ("set_game", |session, arguments| {
        match arguments.word()?.to_ascii_lowercase().as_str() {
            "othello" | "reversi" => new_game(session),
            _ => Err("unsupported game".into()),
        }
    }),
    ("set_level", |session, arguments| {
        let level = Level::new(arguments.number()?).map_err(|error| error.to_string())?;
        session.options.level = Some(level);
        done()
    }),
    ("set_position", set_position),
    ("setboard", set_position),
    ("showboard", |session, _| {
        text(format!("\n{}", position(session)))
    }),
    ("time_left", |session, arguments| {
        let color = arguments.color()?;
        let time = arguments.seconds()?;
        let stones = arguments.number()?;
        session.state.clocks.set_left(color, time, stones);
        done()
    }),
    ("time_settings", |session, arguments| {
        let main = arguments.seconds()?;
        let period = arguments.seconds()?;
        let stones = arguments.number()?;
        session.state.clocks.set(main, period, stones);
        done()
    }),
    ("undo", |session, _| undo(session, 1)),
    ("version", |_, _| text(env!("CARGO_PKG_VERSION"))),
]);

/// Whether only a GTP client sends `line`. Every protocol has `quit`.
pub fn is_gtp(line: &str) -> bool {
    let Received::Command(request) = parse(line) else {
        return false;
    };
    request
        .words
        .first()
        .is_none_or(|name| name != "quit" && COMMANDS.find(name).is_some())
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

fn new_game(session: &mut GtpSession) -> Reply {
    session.set_up(History::default());
    session.clear();
    done()
}

fn undo(session: &mut GtpSession, count: usize) -> Reply {
    session.state.history.undo(count)?;
    done()
}

fn play_sequence(session: &mut GtpSession, arguments: &mut Arguments) -> Reply {
    let mut history = session.state.history.clone();
    let mut moves = Vec::new();
    while !arguments.is_empty() {
        moves.push((arguments.color()?, arguments.vertex()?));
    }
    moves
        .into_iter()
        .try_for_each(|(color, mv)| history.play(color, mv))?;
    session.state.history = history;
    session.library.moved(session.state.history.game());
    done()
}

/// The move to play; `genmove` plays it.
fn choose(session: &mut GtpSession, color: Color, plays: bool) -> Reply {
    let position = session.state.history.position_for(color)?;
    if position.board.moves().is_empty() {
        return session
            .answer_move(color, Move::Pass, plays)
            .map(Reaction::Answer);
    }
    let limits = Level::limits_for(session.options.level, session.state.clocks.clock(color));
    let task = Task {
        handicap: session.state.params.handicap(),
        ..Task::new(position.board, limits)
    };
    match session
        .library
        .choose_or_search(session.state.history.game(), task)
    {
        Choice::Book(line) => session
            .answer_move(color, line.pv[0], plays)
            .map(Reaction::Answer),
        Choice::Search(task) => Ok(Reaction::Search(
            Purpose::Move { color, plays },
            color,
            task,
        )),
    }
}

/// A search of the current position without a clock.
fn evaluate(session: &mut GtpSession, purpose: Purpose, lines: usize) -> Reply {
    let position = position(session);
    if position.is_over() {
        return if matches!(purpose, Purpose::Score) {
            text(print::result(&position))
        } else {
            done()
        };
    }
    let limits = Level::limits_for(session.options.level, Clock::Unlimited);
    Ok(search(purpose, position, limits, lines))
}

fn search(purpose: Purpose, position: Position, limits: Limits, multi_pv: usize) -> Reaction {
    Reaction::Search(
        purpose,
        position.side,
        Task {
            multi_pv,
            ..Task::new(position.board, limits)
        },
    )
}

fn centiseconds(count: u32) -> Duration {
    Duration::from_millis(10 * u64::from(count))
}

/// `emilia-analyze [COLOR] [CENTISECONDS] [interval CENTISECONDS] [maxmoves N]`: the words may come in any order.
fn analyze(session: &mut GtpSession, arguments: &mut Arguments) -> Reply {
    let mut color = None;
    let mut stream = Stream::default();
    while let Ok(word) = arguments.word() {
        match (word, word.parse()) {
            ("interval", _) => stream.interval = centiseconds(arguments.number()?),
            ("maxmoves", _) => stream.max_moves = arguments.number::<u32>()?.max(1) as usize,
            (_, Ok(count)) => stream.interval = centiseconds(count),
            (_, Err(_)) => color = Some(read_color(word)?),
        }
    }
    analyze_with(session, color, stream)
}

/// A search of the current position, up to the end of the game or the next line of input.
fn analyze_with(session: &mut GtpSession, color: Option<Color>, stream: Stream) -> Reply {
    let position = match color {
        None => position(session),
        Some(color) => session.state.history.position_for(color)?,
    };
    if position.is_over() {
        return done();
    }
    let lines = stream.max_moves;
    Ok(search(
        Purpose::Analyze(stream),
        position,
        Level::MAX.limits(Clock::Unlimited),
        lines,
    ))
}

fn param(session: &mut GtpSession, arguments: &mut Arguments) -> Reply {
    match arguments.rest() {
        [] => text(
            session
                .state
                .params
                .list(session.options.level.unwrap_or_default()),
        ),
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
    session.set_up(History::of(read_position(arguments.rest())?));
    done()
}

/// `loadsgf FILE [MOVE]`: the position before this move, counted from 1; without it, the last. A file name may hold
/// blanks; a last word that is a number is the move.
fn load(session: &mut GtpSession, arguments: &mut Arguments) -> Reply {
    /// Larger than any game record.
    const MAX_BYTES: u64 = 1 << 20;
    let (name, at) = match arguments.rest() {
        [] => return Err(SYNTAX_ERROR.into()),
        [name @ .., last] if !name.is_empty() && last.parse::<usize>().is_ok() => {
            (name, last.parse().ok())
        }
        name => (name, None),
    };
    let name = name.join(" ");
    let cannot = |error: &dyn std::fmt::Display| {
        let text = format!("cannot load file: {error}");
        text.replace(|c: char| !c.is_ascii() || c.is_control(), "?")
    };
    let bytes = input_file::read(Path::new(&name), MAX_BYTES).map_err(|error| cannot(&error))?;
    let game = sgf::parse_sgf(&String::from_utf8_lossy(&bytes))
        .map_err(|error| cannot(&error))?
        .game;
    let mut history = History::of(game);
    if let Some(extra) =
        at.and_then(|at: usize| (history.game().moves().len() + 1).checked_sub(at.max(1)))
    {
        let undone = history.undo(extra);
        debug_assert!(undone.is_ok(), "every move of a loaded game is a step");
    }
    session.set_up(history);
    done()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::harness_tests::Harness;
    use crate::protocols::library::Library;

    /// The answer to a line in a new session; empty if it needs a search.
    fn answer(line: &str) -> String {
        let mut harness = Harness::<GtpSession>::session(Library::default(), Default::default());
        harness.send(line);
        harness.lines().first().cloned().unwrap_or_default()
    }

    #[test]
    fn commands_are_sorted_and_on_the_page() {
        assert!(COMMANDS.names().is_sorted());
        let page = include_str!("../README.md");
        for name in COMMANDS.names() {
            assert!(
                ["`", " "]
                    .iter()
                    .any(|end| page.contains(&format!("`{name}{end}"))),
                "{name}"
            );
        }
    }

    #[test]
    fn arguments_have_their_ranges() {
        for (line, expected) in [
            ("boardsize 8", "= "),
            ("boardsize -8", "? unacceptable size"),
            ("boardsize", "? syntax error"),
            ("komi nan", "? syntax error"),
            ("gg-undo 0", "= "),
            ("gg-undo 3", "? cannot undo"),
            ("gg-undo -1", "? syntax error"),
            ("genmove x", "? syntax error"),
            ("play b", "? syntax error"),
            (
                "set_level 61",
                "? level takes a whole number from 0 to 60, not 61",
            ),
            ("time_settings 60 0", "? syntax error"),
            ("time_settings inf 0 0", "? syntax error"),
            ("time_settings 1e300 0 0", "= "),
            ("time_left b -3 0", "= "),
            ("emilia-analyze maxmoves", "? syntax error"),
            ("\u{fffd}", "? unknown command"),
            ("7", "?7 syntax error"),
        ] {
            assert_eq!(answer(line), expected, "{line}");
        }
    }
}
