//! The engine protocol of Cassio: searches of positions, with a window, a depth and a precision.
//!
//! Each line begins with `ENGINE-PROTOCOL`. A search answers with its result and `ready.`. While it runs, an empty line
//! is answered with `ok.`, and `get-search-infos` with the nodes. `README.md` has the table.

use std::io;
use std::time::{Duration, Instant};

use super::console::{InputLine, shown};
use super::session::{ProtocolRules, ProtocolSession, Received, Running, SessionOptions};
use super::squares::{read_position, variation};
use crate::board::{Board, Color, Move, Position};
use crate::engine::{Job, Outcome};
use crate::notation::diagram::{disc, write_board};
use crate::search::{Info, Known, Limits, Line, Selectivity, Task};
use crate::util::commands::Table;

pub type CassioSession = ProtocolSession<Cassio>;

/// The word at the begin of each line.
const PREFIX: &str = "ENGINE-PROTOCOL";

/// The protocol has no state: a search names its position.
pub struct Cassio;

/// The running search.
pub struct Request {
    position: Position,
    /// A `stop` came: the result is not printed.
    is_dropped: bool,
}

/// Handles a command with its arguments.
type Action = fn(&mut CassioSession, &[String], Instant) -> io::Result<()>;

const COMMANDS: Table<Action> = Table(&[
    ("empty-hash", |session, _, _| {
        session.clear();
        session.ready()
    }),
    ("endgame-search", |session, words, now| {
        session.search("endgame-search", words, endgame, now)
    }),
    // Cassio's own table: Emilia searches these positions again.
    ("feed-hash", |_, _, _| Ok(())),
    ("get-version", |session, _, _| {
        session
            .out
            .line(concat!("version: Emilia ", env!("CARGO_PKG_VERSION")))?;
        session.ready()
    }),
    (
        "init new-position get-search-infos stop",
        |session, _, _| session.ready(),
    ),
    ("midgame-search", |session, words, now| {
        session.search("midgame-search", words, midgame, now)
    }),
    ("quit", |session, _, _| {
        session.done = true;
        session.out.line("bye bye.")
    }),
]);

impl ProtocolRules for Cassio {
    /// The words of a line.
    type Command = Vec<String>;
    type Request = Request;

    /// Enough for short scripts.
    const GRACE: Duration = Duration::from_secs(10);

    fn open(_: &SessionOptions) -> Self {
        Self
    }

    fn end() -> Option<Vec<String>> {
        Some([PREFIX, "quit"].map(str::to_owned).into())
    }

    fn read(line: InputLine) -> Received<Vec<String>> {
        let words: Vec<String> = match line {
            InputLine::Text(text) => text.split_whitespace().map(str::to_owned).collect(),
            InputLine::TooLong(_) => [PREFIX, "(too long)"].map(str::to_owned).into(),
        };
        let is_prefixed = words.first().is_none_or(|word| word == PREFIX);
        match words.get(1).map(String::as_str) {
            None | Some("get-search-infos" | "stop") if is_prefixed => Received::Aside(words),
            _ => Received::Command(words),
        }
    }

    fn interrupts(_: &SessionOptions, command: Option<&Vec<String>>, _: &Request) -> bool {
        command
            .and_then(|words| words.get(1))
            .is_some_and(|word| word == "quit")
    }

    fn execute(session: &mut CassioSession, words: Vec<String>, now: Instant) -> io::Result<()> {
        match words.as_slice() {
            [first, ..] if first != PREFIX => session
                .out
                .line(&format!("ERROR: Unknown protocol \"{}\"", shown(first))),
            [_, name, arguments @ ..] => match COMMANDS.find(name) {
                Some(action) => action(session, arguments, now),
                None => {
                    session
                        .out
                        .line(&format!("ERROR: unknown command {}", shown(name)))?;
                    session.ready()
                }
            },
            _ => session.ready(),
        }
    }

    fn aside(session: &mut CassioSession, words: Vec<String>, now: Instant) -> io::Result<()> {
        let nodes = session.engine.nodes();
        let Some(running) = &mut session.running else {
            return Ok(());
        };
        match words.get(1).map_or("", String::as_str) {
            "stop" => {
                running.request.is_dropped = true;
                session.stop();
                Ok(())
            }
            "get-search-infos" => {
                let time = now.saturating_duration_since(running.started);
                session
                    .out
                    .line(&format!("node {nodes}, time {:.3}", time.as_secs_f64()))
            }
            _ => session.out.line("ok."),
        }
    }

    fn finish(
        session: &mut CassioSession,
        Running { request, .. }: Running<Request>,
        outcome: Outcome,
        _: Instant,
    ) -> io::Result<()> {
        if let Outcome::Searched(result) = outcome
            && !request.is_dropped
        {
            session.out.line(&answer(&request.position, &result.info))?;
        }
        session.ready()
    }
}

impl CassioSession {
    fn ready(&self) -> io::Result<()> {
        self.out.line("ready.")
    }

    /// Starts the search of the position in the first word, or in the first two.
    fn search(
        &mut self,
        name: &str,
        words: &[String],
        limits: fn(Board, &[f64]) -> Option<Limits>,
        now: Instant,
    ) -> io::Result<()> {
        // A blank may separate the side.
        let squares = words.first().map_or(0, |word| word.chars().count());
        let (position, numbers) = words.split_at(if squares == 64 {
            words.len().min(2)
        } else {
            words.len().min(1)
        });
        let read: Option<Vec<f64>> = numbers.iter().map(|word| word.parse().ok()).collect();
        let Some(position) = read_position(&position.concat()) else {
            self.out
                .line(&format!("ERROR: {name} cannot parse position."))?;
            return self.ready();
        };
        let Some(limits) = read.and_then(|numbers| limits(position.board, &numbers)) else {
            self.out
                .line(&format!("ERROR: {name} cannot parse its numbers."))?;
            return self.ready();
        };
        let task = Task::new(position.board, limits);
        self.start(
            Request {
                position,
                is_dropped: false,
            },
            Job::Search(task),
            now,
        );
        Ok(())
    }
}

/// The most selective search with at least this precision.
fn precision(percent: f64) -> Selectivity {
    let found = Selectivity::ALL
        .into_iter()
        .skip(1)
        .find(|level| f64::from(level.percent()) >= percent);
    found.unwrap_or(Selectivity::Full)
}

/// `ALPHA BETA DEPTH PRECISION`; the window has no effect.
fn midgame(board: Board, numbers: &[f64]) -> Option<Limits> {
    let &[_, _, depth, percent, ..] = numbers else {
        return None;
    };
    let depth = depth.clamp(1.0, 60.0) as u8;
    let is_whole = u32::from(depth) >= board.empty_count();
    Some(if is_whole {
        to_the_end(board, percent)
    } else {
        Limits {
            selectivity: precision(percent),
            ..Limits::depth(depth)
        }
    })
}

/// `ALPHA BETA PRECISION`; a window from -1 to 1 asks only for the winner.
fn endgame(board: Board, numbers: &[f64]) -> Option<Limits> {
    let &[alpha, beta, ref rest @ ..] = numbers else {
        return None;
    };
    // Some clients send a depth before the precision.
    let percent = *rest.last()?;
    let is_wld = alpha >= -1.0 && beta <= 1.0 && percent >= 100.0;
    Some(if is_wld {
        Limits::win_loss_draw()
    } else {
        to_the_end(board, percent)
    })
}

fn to_the_end(board: Board, percent: f64) -> Limits {
    if percent >= 100.0 {
        return Limits::exact();
    }
    let depth = board.empty_count().clamp(1, 60) as u8;
    Limits {
        exact_empties: 0,
        selectivity: precision(percent),
        ..Limits::depth(depth)
    }
}

/// The lowest and the highest score that the line allows, in discs.
fn bounds(line: &Line) -> (f64, f64) {
    match line.known() {
        Known::Score(discs) => (discs, discs),
        Known::AtLeast(discs) => (discs, 64.0),
        Known::AtMost(discs) => (-64.0, discs),
        Known::Winner(0) => (0.0, 0.0),
        Known::Winner(1..) => (2.0, 64.0),
        Known::Winner(_) => (-64.0, -2.0),
    }
}

fn answer(position: &Position, info: &Info) -> String {
    let side = position.side;
    let squares = write_board(position);
    let line = info.lines.first();
    let pv = line.map_or(&[][..], |line| &line.pv);
    let play = |pv: &[Move]| variation(pv, side, Color::Black, "pa").collect::<String>();
    let mv = play(&[pv.first().copied().unwrap_or(Move::Pass)]);
    let (depth, percent) = line.map_or((0, 100), |line| (line.depth, line.selectivity.percent()));
    let over = f64::from(position.board.final_score());
    let (low, high) = line.map_or((over, over), bounds);
    let letter = if side == Color::Black { 'B' } else { 'W' };
    let value = |discs: f64| {
        format!(
            "{letter}{:+.2}",
            if discs.abs() < 0.005 { 0.0 } else { discs }
        )
    };
    format!(
        "{}{}, move {mv}, depth {depth}, @{percent}%, {} <= v <= {}, {}, node {}, time {:.3}",
        squares.chars().take(64).collect::<String>(),
        disc(side),
        value(low),
        value(high),
        play(pv),
        info.nodes,
        info.time.as_secs_f64()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::harness_tests::Harness;
    use crate::protocols::library::Library;

    const START: &str = "---------------------------OX------XO---------------------------";

    fn cassio() -> Harness<CassioSession> {
        Harness::session(Library::default(), Default::default())
    }

    fn answers(cassio: &mut Harness<CassioSession>, line: &str) -> Vec<String> {
        cassio.send(&format!("ENGINE-PROTOCOL {line}"));
        cassio.lines()
    }

    #[test]
    fn bad_lines_are_errors() {
        let mut cassio = cassio();
        assert_eq!(
            answers(&mut cassio, &format!("endgame-search {START}X -1"))[1],
            "ready."
        );
        assert_eq!(answers(&mut cassio, "feed-hash x"), [""; 0]);
        cassio.send("hello world");
        assert_eq!(cassio.lines(), ["ERROR: Unknown protocol \"hello\""]);
    }

    #[test]
    fn a_running_search_answers() {
        let mut cassio = cassio();
        answers(&mut cassio, &format!("endgame-search {START}X -64 64 100"));
        assert_eq!(cassio.task().limits, Limits::exact());
        cassio.now += Duration::from_millis(1500);
        cassio.send(" ");
        assert_eq!(cassio.lines(), ["ok."]);
        assert_eq!(
            answers(&mut cassio, "get-search-infos"),
            ["node 7000, time 1.500"]
        );
        assert_eq!(answers(&mut cassio, "stop"), [""; 0]);
        assert_eq!(cassio.stops(), 1);
        cassio.finish(3);
        assert_eq!(cassio.lines(), ["ready."], "its result is not wanted");
        cassio.send(&format!(
            "ENGINE-PROTOCOL endgame-search {START}X -1 1 100\nENGINE-PROTOCOL quit"
        ));
        assert_eq!(
            (cassio.task().limits.goal, cassio.stops()),
            (crate::search::Goal::WinLossDraw, 2)
        );
    }

    #[test]
    fn results_show_bounds_and_colors() {
        let line = |pv: &[&str], units, proof| Line {
            pv: pv
                .iter()
                .map(|name| name.parse().map_or(Move::Pass, Move::Place))
                .collect(),
            bound: crate::board::Score::from_units(units),
            depth: 14,
            selectivity: Selectivity::Full,
            proof,
        };
        let answer = |position: &Position, line: Line| {
            let info = Info {
                lines: vec![line],
                nodes: 5515,
                time: Duration::ZERO,
            };
            super::answer(position, &info)
        };
        use crate::search::Proof;
        let won = answer(
            &Position::START,
            line(&["h1", "g2", "h7"], 900, Proof::WinLossDraw),
        );
        assert!(
            won.ends_with(
                ", depth 14, @100%, B+2.00 <= v <= B+64.00, H1g2H7, node 5515, time 0.000"
            ),
            "{won}"
        );
        let white = answer(
            &Position::START.pass(),
            line(&["pass", "g2"], -162, Proof::None),
        );
        assert!(
            white.contains("O, move pa, depth 14, @100%, W-1.27 <= v <= W-1.27, paG2,"),
            "{white}"
        );
        let over = super::answer(
            &Position::from_discs(1, 0, Color::White),
            &Info {
                lines: Vec::new(),
                nodes: 0,
                time: Duration::ZERO,
            },
        );
        assert!(
            over.contains("O, move pa, depth 0, @100%, W-64.00 <= v <= W-64.00, , node 0"),
            "{over}"
        );
    }

    #[test]
    fn precision_selects_the_most_selective_search() {
        for (percent, level) in [
            (0.0, 73),
            (73.0, 73),
            (74.0, 87),
            (99.0, 99),
            (99.5, 100),
            (100.0, 100),
        ] {
            assert_eq!(precision(percent).percent(), level);
        }
        let board = Position::START.board;
        assert_eq!(
            midgame(board, &[-64.0, 64.0, 60.0, 100.0]),
            Some(Limits::exact())
        );
        let whole = endgame(board, &[-64.0, 64.0, 87.0]).unwrap();
        assert_eq!(
            (whole.depth, whole.exact_empties, whole.selectivity),
            (60, 0, Selectivity::P87)
        );
        assert_eq!(endgame(board, &[-64.0, 64.0]), None);
    }
}
