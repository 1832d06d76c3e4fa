//! The table of commands: of each its names and what it does with the rest of its line. A move is a command of its own.

use std::time::{Duration, Instant};

use super::rows::{HEADER, RULE, book_row};
use super::state::{EdaxSession, Purpose, Reaction};
use crate::board::{Move, Position};
use crate::engine::{Choice, Level};
use crate::notation::moves::parse_moves;
use crate::protocols::console::printable;
use crate::protocols::session::Sides;
use crate::protocols::squares::read_squares;
use crate::search::{Clock, Selectivity, Task};
use crate::util::commands::Table;
use crate::util::seconds::parse_seconds;

/// What the end of input stands for.
pub const EOF: &str = "eof";

/// What a command does with the rest of its line.
type Action = fn(&mut EdaxSession, &str, Instant) -> Reaction;

const COMMANDS: Table<Action> = Table(&[
    ("init i", |session, _, _| set_up(session, Position::START)),
    ("new n", |session, _, _| set_up(session, session.state.game.start())),
    ("setboard", set_board),
    ("play", play_line),
    ("go", |session, _, now| session.go(now)),
    ("hint", hint),
    ("undo u", undo),
    ("mode m", |session, rest, _| {
        number(rest, "mode", 0, 3).map_or_else(Reaction::Warning, |mode| {
            session.state.console.plays = sides_of_mode(mode);
            silent()
        })
    }),
    ("stop", |session, _, _| {
        session.state.console.plays = Sides::default();
        silent()
    }),
    ("level l", |session, rest, _| {
        number(rest, "level", 0, 60).map_or_else(Reaction::Warning, |number| {
            session.state.level = Level::new(number).ok();
            session.state.console.depth = None;
            session.state.clock = Clock::Unlimited;
            silent()
        })
    }),
    ("depth d", |session, rest, _| {
        number(rest, "depth", 1, 60).map_or_else(Reaction::Warning, |depth| {
            session.state.console.depth = u8::try_from(depth).ok();
            silent()
        })
    }),
    ("selectivity", |session, rest, _| {
        number(rest, "selectivity", 0, 5).map_or_else(Reaction::Warning, |number| {
            session.state.console.selectivity = Some(selectivity_of(number));
            silent()
        })
    }),
    ("move-time", |session, rest, _| set_clock(session, rest, Clock::Move)),
    ("game-time t", |session, rest, _| {
        set_clock(session, rest, |remaining| Clock::Game { remaining, increment: Duration::ZERO })
    }),
    ("verbose", |session, rest, _| {
        number(rest, "verbose", 0, 4).map_or_else(Reaction::Warning, |verbosity| {
            session.state.console.verbosity = verbosity as u8;
            silent()
        })
    }),
    ("quiet", |session, _, _| {
        session.state.console.verbosity = 0;
        silent()
    }),
    ("ponder", |session, rest, _| {
        session.options.ponder = rest.eq_ignore_ascii_case("on");
        silent()
    }),
    // What holds for the whole of a session here, and the book's own commands.
    (
        "b book book-usage book-randomness n-tasks hash-table-size noise width name alpha beta all-best",
        |_, _, _| silent(),
    ),
    ("quit q exit eof", |_, _, _| Reaction::Quit),
]);

/// Whether `line` alone shows that a client of Edax's console is speaking, to whom no other protocol answers.
pub fn is_edax(line: &str) -> bool {
    let (word, rest) = split(line);
    match word.as_str() {
        "init" | "i" | "new" | "level" | "l" | "mode" | "verbose" => true,
        "set" => is_edax(rest),
        _ => false,
    }
}

/// The first word in lower case, and the rest without blanks around.
fn split(line: &str) -> (String, &str) {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (word.to_ascii_lowercase(), rest.trim())
}

/// Does what a line says.
pub fn run(session: &mut EdaxSession, line: &str, now: Instant) -> Reaction {
    let (mut word, mut rest) = split(line);
    if word.is_empty() || word.starts_with('#') {
        return silent();
    }
    if word == "set" {
        (word, rest) = split(rest);
    }
    rest = rest.strip_prefix('=').map_or(rest, str::trim);
    if let Some(action) = COMMANDS.find(&word) {
        return action(session, rest, now);
    }
    let mv = match word.parse() {
        Ok(square) => Some(Move::Place(square)),
        Err(_) => (word.starts_with("ps") || word.starts_with("pa")).then_some(Move::Pass),
    };
    if let Some(mv) = mv
        && session.state.play(mv, now).is_ok()
    {
        session.library.moved(&session.state.game);
        return Reaction::Text(format!("\nYou play {}\n", name(mv)));
    }
    let line: String = printable(line.trim()).collect();
    let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
    Reaction::Warning(format!("WARNING: Unknown command/Illegal move: \"{word} {rest}\""))
}

/// `F5`, or `PS`.
pub fn name(mv: Move) -> String {
    match mv {
        Move::Place(square) => format!("{square:#}"),
        Move::Pass => "PS".to_owned(),
    }
}

fn silent() -> Reaction {
    Reaction::Text(String::new())
}

/// A number in its range; one outside is brought into it and told.
fn number(text: &str, what: &str, low: u64, high: u64) -> Result<u64, String> {
    let number = text.split_whitespace().next().and_then(|word| word.parse::<u64>().ok());
    match number {
        Some(number) if (low..=high).contains(&number) => Ok(number),
        _ => Err(format!("WARNING: {what} = {text} is out of range: {low} to {high}; it stays as it was")),
    }
}

/// Edax's numbers of selectivities.
pub fn selectivity_of(number: u64) -> Selectivity {
    let percent = [73, 87, 95, 98, 99, 100];
    Selectivity::at_most(percent[(number as usize).min(percent.len() - 1)])
}

/// 0: the engine has White, 1: Black, 2: both, 3: none.
pub fn sides_of_mode(mode: u64) -> Sides {
    Sides { black: mode == 1 || mode == 2, white: mode == 0 || mode == 2 }
}

fn set_clock(session: &mut EdaxSession, rest: &str, clock: impl Fn(Duration) -> Clock) -> Reaction {
    match parse_seconds(rest) {
        Ok(time) => {
            (session.state.clock, session.state.level) = (clock(time), None);
            silent()
        }
        Err(expected) => Reaction::Warning(format!("WARNING: {expected}")),
    }
}

fn set_up(session: &mut EdaxSession, start: Position) -> Reaction {
    session.state.set_up(start);
    session.library.begin(&session.state.game);
    session.clear();
    silent()
}

fn set_board(session: &mut EdaxSession, rest: &str, _: Instant) -> Reaction {
    let bad = || Reaction::Warning("WARNING: board_set: bad string input".to_owned());
    let Some(([black, white], side)) = read_squares(rest) else { return bad() };
    let empties = 64 - (black | white).count_ones();
    let guessed =
        if empties.is_multiple_of(2) { crate::board::Color::Black } else { crate::board::Color::White };
    let reaction = set_up(session, Position::from_discs(black, white, side.unwrap_or(guessed)));
    if side.is_none() { bad() } else { reaction }
}

/// The legal beginning of a list of moves, forced passes said.
fn legal_moves(start: Position, text: &str) -> Vec<Move> {
    let mut game = crate::board::Game::new(start);
    // Moves may be glued together; a pass has two letters, or is a word.
    let length = |word: &str| if word.eq_ignore_ascii_case("pass") { word.len() } else { 2 };
    for word in text.split_whitespace() {
        for part in word.as_bytes().chunks(length(word)) {
            let mv = parse_moves(&String::from_utf8_lossy(part)).ok();
            let played = match mv.as_deref() {
                Some([Move::Place(square)]) => game.play_implying_pass(*square).is_ok(),
                Some([Move::Pass]) => game.pass_if_forced(),
                _ => false,
            };
            if !played {
                return game.moves().to_vec();
            }
        }
    }
    game.moves().to_vec()
}

fn play_line(session: &mut EdaxSession, moves: &str, now: Instant) -> Reaction {
    for mv in legal_moves(session.state.position(), moves) {
        let played = session.state.play(mv, now);
        debug_assert!(played.is_ok(), "they were legal before");
    }
    session.library.moved(&session.state.game);
    silent()
}

fn undo(session: &mut EdaxSession, _: &str, _: Instant) -> Reaction {
    for _ in 0..session.state.plies_of_undo() {
        session.state.game.undo();
    }
    silent()
}

fn hint(session: &mut EdaxSession, rest: &str, _: Instant) -> Reaction {
    let count = if rest.is_empty() { Ok(1) } else { number(rest, "hint", 1, 60) };
    let count = match count {
        Ok(count) => count as usize,
        Err(warning) => return Reaction::Warning(warning),
    };
    let position = session.state.position();
    if position.is_over() {
        return silent();
    }
    let table = session.state.console.verbosity > 0;
    let mut head = if table { format!("\n{HEADER}\n{RULE}\n") } else { String::new() };
    if position.board.moves() == 0 {
        return Reaction::Text(head + &if table { format!("{RULE}\n") } else { String::new() });
    }
    if !table {
        head.push('\n');
    }
    let mut told = Vec::new();
    for line in session.library.moves(position.board).unwrap_or_default() {
        if let (Some(&mv), Some(score)) = (line.pv.first(), line.score)
            && told.len() < count
        {
            head += &book_row(mv, position.side, score.discs());
            head.push('\n');
            told.push(mv);
        }
    }
    if told.len() == count.min(position.board.moves().count_ones() as usize) {
        return Reaction::Text(head + &if table { format!("{RULE}\n") } else { String::new() });
    }
    let task = Task { multi_pv: count, ..Task::new(position.board, session.state.limits()) };
    Reaction::Search(Purpose::Hint(count, told), task, head)
}

impl EdaxSession {
    /// `go`: a move that is known at once, or the search for one.
    pub(super) fn go(&mut self, now: Instant) -> Reaction {
        let position = self.state.position();
        if position.is_over() {
            return Reaction::Text("\n*** Game Over ***\n".to_owned());
        }
        if position.board.moves() == 0 {
            return Reaction::Text(self.answer(Move::Pass, now));
        }
        let handicap = self.options.handicap;
        let task = Task { handicap, ..Task::new(position.board, self.state.limits()) };
        let choice = self.library.choose_or_search(&self.state.game, task);
        match choice {
            Choice::Book(line) => Reaction::Text(self.answer(line.pv[0], now)),
            Choice::Search(task) => {
                let table = self.state.console.verbosity > 0;
                let head = if table { format!("\n{HEADER}\n{RULE}\n") } else { String::new() };
                Reaction::Search(Purpose::Go, task, head)
            }
        }
    }

    /// Plays the engine's move; what it says.
    pub(super) fn answer(&mut self, mv: Move, now: Instant) -> String {
        let played = self.state.play(mv, now);
        debug_assert!(played.is_ok(), "the search found the illegal move {mv}");
        self.library.moved(&self.state.game);
        // The programs that read this look for these words.
        format!("\nEdax plays {}\n", name(mv))
    }
}
