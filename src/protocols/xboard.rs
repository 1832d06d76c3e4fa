//! XBoard's engine protocol (CECP), version 2, with its variant `reversi`.
//!
//! XBoard's White moves first: it is Othello's Black. Squares have the names of Othello's; in a FEN `P` is a disc of
//! the first mover, row 8 first. `README.md` has the table.

use std::io;
use std::time::{Duration, Instant};

use super::clock::Clocks;
use super::console::{InputLine, shown};
use super::session::{Protocol, ProtocolSession, Received, SessionOptions};
use super::squares::{read_position, variation};
use crate::board::{Color, Game, Move, Position};
use crate::engine::{Choice, Hint, Hints, Job, Level, Outcome};
use crate::notation::fen::{parse_fen, write_fen};
use crate::search::{Clock, Info, Limits, Line, Task};
use crate::util::seconds::parse_seconds;

/// A session with XBoard.
pub type XBoardSession = ProtocolSession<XBoard>;

/// What XBoard has told.
pub struct XBoard {
    game: Game,
    /// The side whose moves the engine makes; none in force mode.
    plays: Option<Color>,
    clocks: Clocks,
    /// `sd`
    depth: Option<Level>,
    posts: bool,
    analyzes: bool,
}

/// The search under way.
pub struct Waiting {
    purpose: Purpose,
    position: Position,
    task: Task,
    started: Instant,
    /// Depth of the last iteration.
    depth: u8,
}

#[derive(Clone, Copy, PartialEq)]
enum Purpose {
    Move,
    Hint,
    Analysis,
}

/// A line: its first word, and the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct XBoardCommand {
    word: String,
    rest: String,
}

impl XBoardCommand {
    fn of(line: &str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        Self { word: word.to_owned(), rest: rest.trim().to_owned() }
    }

    /// Whether it takes away what is searched.
    fn ends(&self) -> bool {
        ["quit", "force", "new", "result", "setboard", "undo", "remove"].contains(&self.word.as_str())
    }
}

type Handler = fn(&mut XBoardSession, &str, Instant) -> io::Result<()>;

/// All commands, by name; some names have nothing to do here.
const COMMANDS: &[(&str, Handler)] = &[
    (".", |_, _, _| Ok(())),
    ("?", |_, _, _| Ok(())),
    ("accepted", nothing),
    ("analyze", |session, _, _| {
        (session.state.analyzes, session.state.plays) = (true, None);
        Ok(())
    }),
    ("bk", |session, _, _| session.tell_book()),
    ("computer", nothing),
    ("cores", nothing),
    ("draw", nothing),
    ("easy", |session, _, _| {
        session.options.ponder = false;
        Ok(())
    }),
    ("exit", |session, _, _| {
        session.state.analyzes = false;
        Ok(())
    }),
    ("force", |session, _, _| {
        session.state.plays = None;
        Ok(())
    }),
    ("go", |session, _, now| {
        session.state.plays = Some(session.state.game.position().side);
        session.think(now)
    }),
    ("hard", |session, _, _| {
        session.options.ponder = true;
        Ok(())
    }),
    ("hint", |session, _, now| {
        let position = session.state.game.position();
        if position.board.moves() == 0 {
            return Ok(());
        }
        let task = Task::new(position.board, Limits::depth(HINT_DEPTH));
        session.search(Purpose::Hint, task, now);
        Ok(())
    }),
    ("level", |session, rest, _| {
        let words: Vec<&str> = rest.split_whitespace().collect();
        if let [_, base, increment, ..] = words[..] {
            // Minutes, or minutes and seconds.
            let base = if base.contains(':') { base.to_owned() } else { format!("{base}:00") };
            let increment = increment.parse::<f64>().ok().filter(|seconds| (0.001..1e6).contains(seconds));
            if let Ok(main) = parse_seconds(&base) {
                session.state.clocks.set(main, increment.map_or(Duration::ZERO, Duration::from_secs_f64), 0);
                session.state.depth = None;
            }
        }
        Ok(())
    }),
    ("memory", nothing),
    ("name", nothing),
    ("new", |session, _, _| {
        session.set_up(Game::default());
        session.clear();
        let state = &mut session.state;
        (state.plays, state.analyzes, state.depth) = (Some(Color::White), false, None);
        Ok(())
    }),
    ("nopost", |session, _, _| {
        session.state.posts = false;
        Ok(())
    }),
    ("nps", nothing),
    ("otim", |session, rest, _| session.set_left(rest, true)),
    ("ping", |session, rest, _| session.out.line(&format!("pong {}", shown(rest)))),
    ("playother", |session, _, now| {
        session.state.plays = Some(session.state.game.position().side.other());
        session.think(now)
    }),
    ("post", |session, _, _| {
        session.state.posts = true;
        Ok(())
    }),
    ("protover", |session, _, _| {
        session.out.line(concat!(
            "feature setboard=1 playother=1 ping=1 draw=0 sigint=0 sigterm=0 analyze=1 colors=0 nps=1 memory=1 smp=1 \
             variants=\"reversi\" myname=\"Emilia ",
            env!("CARGO_PKG_VERSION"),
            "\" done=1"
        ))
    }),
    ("quit", |session, _, _| {
        session.done = true;
        Ok(())
    }),
    ("random", nothing),
    ("rating", nothing),
    ("rejected", nothing),
    ("remove", |session, _, _| session.undo(2)),
    ("result", |session, _, _| {
        session.state.plays = None;
        Ok(())
    }),
    ("sd", |session, rest, _| {
        session.state.depth = rest.parse().ok().and_then(|number: u64| Level::new(number.min(60)).ok());
        Ok(())
    }),
    ("setboard", |session, rest, _| match read_board(rest) {
        Some(position) => {
            session.set_up(Game::new(position));
            Ok(())
        }
        None => session.out.line("tellusererror Illegal position"),
    }),
    ("st", |session, rest, _| {
        if let Ok(time) = parse_seconds(rest) {
            session.state.clocks.set(Duration::ZERO, time, 0);
        }
        Ok(())
    }),
    ("time", |session, rest, _| session.set_left(rest, false)),
    ("undo", |session, _, _| session.undo(1)),
    ("usermove", |session, rest, now| session.user_move(rest, now)),
    ("variant", |session, _, _| {
        let start = write_fen(&swapped(Position::START));
        session.out.line(&format!("setup (P.....p.....) {start}"))
    }),
    ("xboard", nothing),
];

/// Plies of the search for a hint.
const HINT_DEPTH: u8 = 10;

fn nothing(_: &mut XBoardSession, _: &str, _: Instant) -> io::Result<()> {
    Ok(())
}

impl Protocol for XBoard {
    type Command = XBoardCommand;
    type Waiting = Waiting;

    /// Short scripts get their answers.
    const GRACE: Duration = Duration::from_secs(10);
    const GRACE_FOR_EACH: bool = true;

    fn open(options: &SessionOptions) -> Self {
        let clocks = Clocks::of(options.time);
        let (game, plays) = (Game::default(), Some(Color::White));
        Self { game, plays, clocks, depth: None, posts: false, analyzes: false }
    }

    fn read(line: InputLine) -> Received<XBoardCommand> {
        let InputLine::Text(text) = line else { return Received::Nothing };
        let command = XBoardCommand::of(&text);
        match command.word.as_str() {
            "" => Received::Nothing,
            "?" => Received::Stop,
            "." => Received::Aside(command),
            _ => Received::Command(command),
        }
    }

    fn interrupts(_: &SessionOptions, command: Option<&XBoardCommand>, waiting: &Waiting) -> bool {
        match waiting.purpose {
            // It has no end of its own.
            Purpose::Analysis => true,
            Purpose::Move | Purpose::Hint => command.is_some_and(XBoardCommand::ends),
        }
    }

    fn execute(session: &mut XBoardSession, command: XBoardCommand, now: Instant) -> io::Result<()> {
        let XBoardCommand { word, rest } = command;
        match COMMANDS.iter().find(|(name, _)| *name == word) {
            Some((_, handler)) => handler(session, &rest, now)?,
            None if read_move(&word).is_some() => session.user_move(&word, now)?,
            None => session.out.line(&format!("Error (unknown command): {}", shown(&word)))?,
        }
        // Where it is asked how far an analysis is that has ended, nothing is new.
        if word != "." {
            session.resume(now);
        }
        Ok(())
    }

    fn aside(session: &mut XBoardSession, _: XBoardCommand, now: Instant) -> io::Result<()> {
        let nodes = session.engine.nodes();
        let Some(running) = &session.running else { return Ok(()) };
        let Waiting { started, depth, position, .. } = &running.waiting;
        let time = now.saturating_duration_since(*started).as_millis() / 10;
        let moves = position.board.moves().count_ones();
        session.out.line(&format!("stat01: {time} {nodes} {depth} 0 {moves}"))
    }

    fn iteration(session: &mut XBoardSession, info: Info, _: Instant) -> io::Result<()> {
        let Some(running) = &mut session.running else { return Ok(()) };
        let Waiting { purpose, position, depth, .. } = &mut running.waiting;
        let Some(line) = info.lines.first() else { return Ok(()) };
        *depth = line.depth;
        // A bound is no score, and the window has no sign for one.
        if (session.state.posts || *purpose == Purpose::Analysis) && line.discs().is_some() {
            session.out.line(&thinking(line, position.side, &info))?;
        }
        Ok(())
    }

    fn finish(
        session: &mut XBoardSession,
        waiting: Waiting,
        outcome: Outcome,
        now: Instant,
    ) -> io::Result<()> {
        let Outcome::Searched(mut result) = outcome else { return Ok(()) };
        let Waiting { purpose, task, position, started, .. } = waiting;
        match purpose {
            Purpose::Analysis if result.stopped => {
                session.resume(now);
                Ok(())
            }
            Purpose::Analysis => Ok(()),
            Purpose::Hint => match result.best {
                Some(mv) => session.out.line(&format!("Hint: {}", name(mv))),
                None => Ok(()),
            },
            // It was cut short by `force` or a new position: the move is not wanted.
            Purpose::Move if result.stopped && session.is_overtaken() => Ok(()),
            Purpose::Move => {
                session.library.settle(&task, &mut result);
                session.state.clocks.moved(position.side, now.saturating_duration_since(started));
                session.answer(result.best.unwrap_or(Move::Pass))?;
                session.ponder(session.state.game.position().board);
                Ok(())
            }
        }
    }

    fn warn(_: &XBoardSession, text: &str) -> io::Result<()> {
        log::warn!("{text}");
        Ok(())
    }
}

impl XBoardSession {
    fn set_up(&mut self, game: Game) {
        self.library.begin(&game);
        self.state.game = game;
        self.state.clocks.restart();
    }

    /// Whether what waits takes the move away that was searched.
    fn is_overtaken(&self) -> bool {
        self.waits(XBoardCommand::ends)
    }

    /// Goes on with an analysis that was interrupted, once nothing else waits.
    fn resume(&mut self, now: Instant) {
        let board = self.state.game.position().board;
        if self.state.analyzes && self.running.is_none() && self.is_quiet() && board.moves() != 0 {
            let task = Task::new(board, Level::MAX.limits(Clock::Unlimited));
            self.search(Purpose::Analysis, task, now);
        }
    }

    fn search(&mut self, purpose: Purpose, task: Task, now: Instant) {
        let position = self.state.game.position();
        self.start(Waiting { purpose, position, task, started: now, depth: 0 }, Job::Search(task), now);
    }

    /// Makes a move if it is the engine's turn.
    fn think(&mut self, now: Instant) -> io::Result<()> {
        let position = self.state.game.position();
        if self.state.plays != Some(position.side) || position.is_over() {
            return Ok(());
        }
        if position.board.moves() == 0 {
            return self.answer(Move::Pass);
        }
        let clock = self.state.clocks.clock(position.side);
        let limits = Level::limits_for(self.state.depth.or(self.options.level), clock);
        let task = Task { handicap: self.options.handicap, ..Task::new(position.board, limits) };
        let choice = self.library.choose_or_search(&self.state.game, task);
        match choice {
            Choice::Book(line) => self.answer(line.pv[0]),
            Choice::Search(task) => {
                self.search(Purpose::Move, task, now);
                Ok(())
            }
        }
    }

    /// Plays the engine's move and says it.
    fn answer(&mut self, mv: Move) -> io::Result<()> {
        let played = self.state.game.play(mv);
        debug_assert!(played.is_ok(), "the search found the illegal move {mv}");
        self.out.line(&format!("move {}", name(mv)))?;
        self.after_move()
    }

    fn user_move(&mut self, text: &str, now: Instant) -> io::Result<()> {
        let played = read_move(text).is_some_and(|mv| self.state.game.play(mv).is_ok());
        if !played {
            return self.out.line(&format!("Illegal move: {}", shown(text)));
        }
        self.after_move()?;
        self.think(now)
    }

    /// Tells the result of a game that has ended.
    fn after_move(&mut self) -> io::Result<()> {
        self.library.moved(&self.state.game);
        let position = self.state.game.position();
        if !position.is_over() {
            return Ok(());
        }
        // By XBoard's names: its White is Othello's Black.
        let [white, black] = [Color::Black, Color::White].map(|color| position.discs(color).count_ones());
        self.out.line(&match white.cmp(&black) {
            std::cmp::Ordering::Greater => format!("1-0 {{White wins {white}-{black}}}"),
            std::cmp::Ordering::Less => format!("0-1 {{Black wins {black}-{white}}}"),
            std::cmp::Ordering::Equal => format!("1/2-1/2 {{Draw {white}-{black}}}"),
        })
    }

    fn undo(&mut self, plies: usize) -> io::Result<()> {
        for _ in 0..plies {
            self.state.game.undo();
        }
        Ok(())
    }

    /// `time`: the engine's clock in hundredths of a second; `otim`: the other side's.
    fn set_left(&mut self, text: &str, is_other: bool) -> io::Result<()> {
        if let Ok(hundredths) = text.parse::<u32>() {
            let own = self.state.plays.unwrap_or(self.state.game.position().side);
            let color = if is_other { own.other() } else { own };
            self.state.clocks.set_left(color, Duration::from_millis(10 * u64::from(hundredths)), 0);
        }
        Ok(())
    }

    /// The moves of the book with their values.
    fn tell_book(&mut self) -> io::Result<()> {
        let lines = self.library.moves(self.state.game.position().board).unwrap_or_default();
        let mut hints = Hints::default();
        hints.add_book(&lines);
        let nothing = Info { lines: Vec::new(), nodes: 0, time: Duration::ZERO };
        let told = |hint: &&Hint| Some(format!("{}:{:+.2}", name(hint.mv()?), hint.line.score.discs()));
        let moves: Vec<String> = hints.improve(&nothing, 64).iter().filter_map(told).collect();
        if moves.is_empty() { Ok(()) } else { self.out.line(&format!("\tBook: {}\n", moves.join(" "))) }
    }
}

/// The same discs by XBoard's names of the colours.
fn swapped(position: Position) -> Position {
    Position::from_discs(position.discs(Color::White), position.discs(Color::Black), position.side.other())
}

/// A FEN; some clients send 64 squares and a side instead.
fn read_board(text: &str) -> Option<Position> {
    if text.contains('/') { parse_fen(text).ok().map(swapped) } else { read_position(text) }
}

/// `P@f5`, `f5`, `@@@@`, `ps` or `pa`.
fn read_move(text: &str) -> Option<Move> {
    match text {
        "@@@@" => Some(Move::Pass),
        _ if ["ps", "pa", "pass"].iter().any(|pass| text.eq_ignore_ascii_case(pass)) => Some(Move::Pass),
        _ => {
            let square = text.strip_prefix("P@").or(text.strip_prefix("p@")).unwrap_or(text);
            square.parse().ok().map(Move::Place)
        }
    }
}

/// `P@f5`, or `@@@@` for a pass.
fn name(mv: Move) -> String {
    match mv {
        Move::Place(square) => format!("P@{square}"),
        Move::Pass => "@@@@".to_owned(),
    }
}

/// A line of thinking: depth, hundredths of a disc, hundredths of a second, nodes, the line. Upper case is the first
/// mover's.
fn thinking(line: &Line, side: Color, info: &Info) -> String {
    let percent = line.selectivity.percent();
    let sure = if percent < 100 { format!("@{percent}% ") } else { String::new() };
    let pv: Vec<String> = variation(&line.pv, side, Color::Black, "ps").collect();
    format!(
        "{:2} {:4} {:6} {:10} {sure}{}",
        line.depth,
        (line.score.discs() * 100.0).round() as i32,
        info.time.as_millis() / 10,
        info.nodes,
        pv.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::harness::{Harness, options};
    use crate::protocols::library::Library;

    fn xboard() -> Harness<XBoardSession> {
        Harness::session(Library::default(), options())
    }

    #[test]
    fn commands_stand_in_order_and_most_say_nothing() {
        assert!(COMMANDS.is_sorted_by_key(|(name, _)| name));
        let mut xboard = xboard();
        for (line, expected) in [
            ("xboard", ""),
            ("variant reversi", "setup (P.....p.....) 8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1\n"),
            ("ping 7", "pong 7\n"),
            ("force", ""),
            ("usermove P@a1", "Illegal move: P@a1\n"),
            ("@@@@", "Illegal move: @@@@\n"),
            ("foo", "Error (unknown command): foo\n"),
            ("setboard 9/8 w", "tellusererror Illegal position\n"),
            ("f5", ""),
            ("P@d6", ""),
            ("bk", ""),
            ("hint", ""),
        ] {
            xboard.clear();
            xboard.send(line);
            assert_eq!(xboard.seen(), expected, "{line}");
        }
        xboard.finish(4);
        assert_eq!(xboard.seen(), "Hint: P@c3\n");
        xboard.send("protover 2\nquit");
        assert!(xboard.seen().contains(" variants=\"reversi\" myname=\"Emilia ") && xboard.session.done);
    }

    #[test]
    fn it_plays_the_second_colour_until_told_otherwise() {
        let mut xboard = xboard();
        xboard.send("new\npost\nsd 4\nusermove P@f5");
        assert_eq!(xboard.task().limits, Level::new(4).unwrap().limits(Clock::Unlimited));
        xboard.iteration(4);
        xboard.finish(4);
        assert_eq!(xboard.seen(), " 4  100      0        400 @73% f4\nmove P@f4\n");
        xboard.clear();
        let jobs = xboard.jobs();
        xboard.send("force\ne3");
        assert_eq!(xboard.jobs(), jobs);
        xboard.send("playother");
        assert_eq!(xboard.jobs(), jobs, "it has the side that is not to move");
        xboard.send("go\nforce");
        assert_eq!(xboard.stops(), 1);
        xboard.finish(2);
        assert_eq!(xboard.seen(), "", "a move that nobody wants is not made");
        assert_eq!(xboard.session.state.game.moves().len(), 3);
        xboard.send("go\n?");
        assert_eq!(xboard.stops(), 2);
        xboard.finish(2);
        assert!(xboard.seen().starts_with("move P@"));
    }

    #[test]
    fn clocks_are_in_hundredths() {
        let mut xboard = xboard();
        xboard.send("level 0 5 0\ntime 1000\notim 3000\nf5");
        let Clock::Game { remaining, .. } = xboard.task().limits.clock else { panic!("no clock") };
        assert_eq!(remaining, Duration::from_secs(9), "a second is kept");
        xboard.finish(2);
        xboard.send("st 2\nforce\ngo");
        assert!(matches!(xboard.task().limits.clock, Clock::Move(_)));
    }

    #[test]
    fn passes_and_results_are_said() {
        let mut xboard = xboard();
        let full = "pPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPp1 b - - 0 1";
        xboard.send(&format!("force\nsetboard {full}\ngo"));
        xboard.finish(1);
        assert_eq!(xboard.seen(), "move P@h1\n1-0 {White wins 55-9}\n");
        xboard.clear();
        xboard.send("new\nforce\nf5\nf6\nd3\ng5\nh5\nh4\nf7\nh6\ngo");
        assert_eq!(xboard.seen(), "move @@@@\n");
        let squares = "---------------------------OX------XO---------------------------";
        xboard.send(&format!("setboard {squares} X"));
        assert_eq!(xboard.session.state.game.position(), Position::START);
    }

    #[test]
    fn analysis_goes_on_from_move_to_move() {
        let mut xboard = xboard();
        xboard.send("force\nanalyze");
        assert_eq!(xboard.task().limits, Level::MAX.limits(Clock::Unlimited));
        xboard.iteration(3);
        xboard.now += Duration::from_millis(50);
        xboard.send(".");
        assert_eq!(xboard.seen(), " 3  100      0        300 @73% D3\nstat01: 5 7000 3 0 4\n");
        xboard.send("f5");
        assert_eq!(xboard.stops(), 1);
        xboard.finish(3);
        assert_eq!(xboard.task().board, xboard.session.state.game.position().board);
        xboard.send("exit");
        xboard.finish(3);
        assert!(xboard.session.running.is_none());
    }
}
