//! A game at the keyboard: lines in, boards out, the engine in between.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::command::{Command, HELP, Paste, Who};
use super::table::{Table, Turn};
use super::words::{clock_text, known};
use crate::board::{Color, Game, Move, Score, squares};
use crate::book::names::name_of_line;
use crate::cli::draw::{self, Style};
use crate::engine::{Event, Hints, Job, JobId, Level, Opening, Outcome};
use crate::notation::moves::write_moves;
use crate::protocols::console::InputLine;
use crate::protocols::driver::{Backlog, Happening, Session, Thinker};
use crate::search::{Clock, Handicap, Info, Limits, Line, SearchResult, Task};

/// A hint is at least as deep as this level, however weakly the engine plays.
const HINT_LEVEL: u64 = 12;

/// How the game is set up.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The game to begin with.
    pub table: Table,
    /// Who moves for Black and for White.
    pub seats: [Who; 2],
    /// How strong the engine plays.
    pub level: Level,
    /// How weakly it plays besides, if it does; hints are as strong as ever.
    pub handicap: Option<Handicap>,
    /// What the terminal can show.
    pub style: Style,
    /// Someone sits at a keyboard: what is typed while the engine thinks interrupts it.
    pub is_interactive: bool,
    /// Whether the evaluation bar is shown.
    pub bar: bool,
    /// Where the game is kept after every move.
    pub keep: Option<PathBuf>,
}

/// A search that runs.
struct Thinking {
    job: JobId,
    /// Moves asked for by a hint; a move to be played without.
    hint: Option<usize>,
    began: Instant,
    /// Something else was asked for meanwhile: the result is not wanted.
    is_abandoned: bool,
}

/// The session.
pub struct Play<T, W> {
    engine: T,
    out: W,
    setup: Setup,
    opening: Option<Opening>,
    thinking: Option<Thinking>,
    backlog: Backlog<InputLine>,
    paste: Option<Paste>,
    /// The last score in discs for Black, and how it is known.
    score: Option<(f64, String)>,
    /// When the side to move began to think.
    since: Instant,
    /// The engine waits for `go`: after moves were taken back to its turn.
    waits: bool,
    /// The side to move was told that its time is up.
    flag_fell: bool,
    has_begun: bool,
    has_ended: bool,
    is_done: bool,
}

impl<T: Thinker, W: Write> Play<T, W> {
    /// A session that has shown nothing yet.
    pub fn new(setup: Setup, engine: T, out: W, now: Instant) -> Self {
        Self {
            engine,
            out,
            setup,
            opening: None,
            thinking: None,
            backlog: Backlog::default(),
            paste: None,
            score: None,
            since: now,
            waits: false,
            flag_fell: false,
            has_begun: false,
            has_ended: false,
            is_done: false,
        }
    }

    /// The session, its engine playing from this book as far as it goes.
    #[must_use]
    pub fn with_book(self, opening: Option<Opening>) -> Self {
        Self { opening, ..self }
    }

    /// Shows the board for the first time.
    fn begin(&mut self, now: Instant) -> io::Result<()> {
        self.has_begun = true;
        if self.setup.is_interactive {
            self.say("Othello: type a square such as f5 to play there, or ? for all that can be typed")?;
        }
        self.turn_begins(now)
    }

    fn say(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.out, "{}", text.as_ref())
    }

    fn seat(&self, color: Color) -> Who {
        self.setup.seats[usize::from(color == Color::White)]
    }

    fn name(&self, color: Color) -> String {
        match self.seat(color) {
            Who::Human => "Human".into(),
            Who::Engine => format!("Emilia level {}", self.setup.level),
        }
    }

    fn is_over(&self) -> bool {
        self.setup.table.game().is_over()
    }

    /// Starts whatever can be done now: the engine's move first, then the lines that came in.
    fn go_on(&mut self, now: Instant) -> io::Result<()> {
        while self.thinking.is_none() && !self.is_done {
            let to_move = self.setup.table.position().side;
            if self.seat(to_move) == Who::Engine && !self.waits && !self.is_over() && self.paste.is_none() {
                self.engine_turn(now)?;
            } else if let Some(line) = self.backlog.pop() {
                self.line(line, now)?;
            } else if self.has_ended {
                self.is_done = true;
            } else {
                return self.prompt();
            }
        }
        self.out.flush()
    }

    fn prompt(&mut self) -> io::Result<()> {
        if self.setup.is_interactive {
            let prompt = if self.paste.is_some() { "\u{2026} " } else { "> " };
            let prompt = if self.setup.style == Style::Ascii { "> " } else { prompt };
            self.out.write_all(prompt.as_bytes())?;
        }
        self.out.flush()
    }

    /// Plays the book's move, or starts a search for one.
    fn engine_turn(&mut self, now: Instant) -> io::Result<()> {
        let table = &self.setup.table;
        let side = table.position().side;
        let choose = |opening: &mut Opening| opening.choose_in(table.game(), table.position().board);
        let choice = self.opening.as_mut().map_or(Ok(None), choose);
        let Some(line) = choice.or_else(|error| {
            self.opening = None;
            self.say(format!("Playing without the book: {error}")).map(|()| None)
        })?
        else {
            self.think(None, now);
            return Ok(());
        };
        let mv = line.pv[0];
        let score = line.score.map(Score::discs);
        if let Some(score) = score {
            self.score = Some((if side == Color::Black { score } else { -score }, "book".into()));
        }
        let mut after = self.setup.table.game().clone();
        let name = after.play(mv).ok().and_then(|()| name_of_line(after.positions().iter().map(|p| p.board)));
        let known = name.map_or_else(|| "book".to_owned(), |name| format!("book: {name}"));
        let shown = self.setup.style.strong(&mv.in_words());
        self.say(format!("\n{} plays {shown} ({known})", self.colored(side)))?;
        let seconds = self.measures_time().then_some(0.0);
        self.play(mv, Turn { seconds, score }, now)
    }

    /// Starts a search: for a hint, or for the engine's move.
    fn think(&mut self, hint: Option<usize>, now: Instant) {
        let board = self.setup.table.position().board;
        let limits = match hint {
            Some(_) => {
                let level = u64::from(self.setup.level.number()).max(HINT_LEVEL);
                Level::new(level).expect("a level, or larger").limits(Clock::Unlimited)
            }
            None => self.limits(),
        };
        let handicap = self.setup.handicap.filter(|_| hint.is_none());
        let opening = self.opening.as_mut().filter(|_| hint.is_none() && handicap.is_none());
        let lines = opening.map_or(1, |opening| opening.search_lines(board));
        let task = Task { multi_pv: hint.unwrap_or(lines), handicap, ..Task::new(board, limits) };
        let job = self.engine.start(Job::Search(task));
        self.thinking = Some(Thinking { job, hint, began: now, is_abandoned: false });
    }

    fn limits(&self) -> Limits {
        let table = &self.setup.table;
        let clock = match (table.move_time, table.remaining(table.position().side), table.clock) {
            (Some(time), _, _) => Clock::Move(time),
            (None, Some(remaining), Some(clock)) => Clock::Game {
                remaining: Duration::from_secs_f64(remaining),
                increment: Duration::from_secs_f64(clock.increment),
            },
            _ => Clock::Unlimited,
        };
        self.setup.level.limits(clock)
    }

    /// A line at the keyboard while the engine thinks.
    fn interrupt(&mut self, line: &InputLine) {
        let Some(thinking) = &mut self.thinking else { return };
        // An empty line wants the move now; all else wants something other than the move.
        let wants_move = matches!(line, InputLine::Text(text) if text.trim().is_empty());
        if !wants_move {
            thinking.is_abandoned = true;
            self.waits |= thinking.hint.is_none();
        }
        self.engine.stop();
    }

    fn event(&mut self, event: Event, now: Instant) -> io::Result<()> {
        match event {
            Event::Warning { text } => self.say(format!("Warning: {text}")),
            Event::Finished { job, outcome: Outcome::Searched(result) } => {
                match self.thinking.take_if(|thinking| thinking.job == job) {
                    None => Ok(()),
                    Some(thinking) if thinking.is_abandoned => Ok(()),
                    Some(thinking) => match thinking.hint {
                        Some(count) => self.hint(&result.info, count),
                        None => self.engine_moves(result, now.saturating_duration_since(thinking.began), now),
                    },
                }
            }
            _ => Ok(()),
        }
    }

    fn hint(&mut self, info: &Info, count: usize) -> io::Result<()> {
        let mut hints = Hints::default();
        let board = self.setup.table.position().board;
        // What a damaged book would say is told with the engine's next move.
        let book = self.opening.as_ref().map(|opening| opening.moves(board));
        hints.add_book(&book.and_then(Result::ok).unwrap_or_default());
        let best = hints.improve(info, count);
        for hint in &best {
            let moves: Vec<String> = hint.line.pv.iter().take(10).map(|mv| mv.in_words()).collect();
            let book = if hint.is_book() { "book, " } else { "" };
            let known = known(&hint.line);
            self.say(format!("{:>6}  {}  ({book}{known})", hint.line.score.to_string(), moves.join(" ")))?;
        }
        if let Some(best) = best.first() {
            self.note_score(&best.line);
        }
        Ok(())
    }

    /// Keeps a score of the position on the board, told for Black.
    fn note_score(&mut self, line: &Line) {
        let score = line.score.discs();
        let is_black = self.setup.table.position().side == Color::Black;
        self.score = Some((if is_black { score } else { -score }, known(line)));
    }

    fn engine_moves(&mut self, mut result: SearchResult, time: Duration, now: Instant) -> io::Result<()> {
        if let Some(opening) = &mut self.opening {
            opening.draw(self.setup.table.position().board, &mut result);
        }
        let Some(mv) = result.best else { return Ok(()) };
        let score = result.info.lines.first().map(|line| line.score.discs());
        if let Some(line) = result.info.lines.first() {
            self.note_score(line);
        }
        let side = self.setup.table.position().side;
        self.say(format!("\n{} plays {}", self.colored(side), self.setup.style.strong(&mv.in_words())))?;
        let seconds = self.measures_time().then_some(time.as_secs_f64());
        self.play(mv, Turn { seconds, score }, now)
    }

    /// Times are noise in a script without a clock, so that its files can be compared.
    fn measures_time(&self) -> bool {
        self.setup.is_interactive || self.setup.table.clock.is_some()
    }

    fn play(&mut self, mv: Move, turn: Turn, now: Instant) -> io::Result<()> {
        if let Err(error) = self.setup.table.play(mv, turn) {
            return self.say(format!("{error}; moves lists the legal ones"));
        }
        self.waits = false;
        self.turn_begins(now)?;
        self.keep()
    }

    /// Shows the board, or plays a forced pass first.
    fn turn_begins(&mut self, now: Instant) -> io::Result<()> {
        let position = self.setup.table.position();
        self.since = now;
        self.flag_fell = false;
        if !position.is_over() && position.board.moves() == 0 {
            self.say(format!("\n{} has no move and passes", self.colored(position.side)))?;
            let passed = self.setup.table.play(Move::Pass, Turn::default());
            debug_assert!(passed.is_ok());
        }
        self.show()?;
        if self.is_over() { self.say(self.result()) } else { Ok(()) }
    }

    fn show(&mut self) -> io::Result<()> {
        let table = &self.setup.table;
        let beside = self.beside();
        let text = draw::board(&table.position(), table.last(), &beside, self.setup.style);
        write!(self.out, "\n{text}")
    }

    /// What stands on the right of the board.
    fn beside(&self) -> Vec<String> {
        let table = &self.setup.table;
        let position = table.position();
        let style = self.setup.style;
        let player = |color: Color| {
            let clock =
                table.remaining(color).map_or(String::new(), |left| format!("  {}", clock_text(left)));
            let count = position.discs(color).count_ones();
            format!("{} {:<5} {count:>2}  {}{clock}", style.disc(color), color.title(), self.name(color))
        };
        let mut lines = vec![player(Color::Black), player(Color::White), String::new()];
        if !position.is_over() {
            let number = table.game().moves().iter().filter(|mv| **mv != Move::Pass).count() + 1;
            lines.push(format!("Move {number}: {} to move", position.side.title()));
        }
        if let Some(last) = table.game().moves().last() {
            lines.push(style.quiet(&format!("Last: {}", last.in_words())));
        }
        if let Some((score, known)) = self.score.as_ref().filter(|_| self.setup.bar) {
            lines.push(draw::bar(*score, style));
            let leader = if *score < 0.0 { "White" } else { "Black" };
            lines.push(style.quiet(&format!("{:+.1} for {leader} ({known})", score.abs())));
        }
        lines
    }

    fn colored(&self, color: Color) -> String {
        format!("{} {}", self.setup.style.disc(color), color.title())
    }

    fn result(&self) -> String {
        let end = self.setup.table.position();
        let score = end.final_score(Color::Black);
        let (black, white) = (32 + score / 2, 32 - score / 2);
        match score {
            0 => format!("\nThe game is over: a draw, {black}-{white}"),
            1.. => format!("\nThe game is over: Black wins {black}-{white}"),
            _ => format!("\nThe game is over: White wins {white}-{black}"),
        }
    }

    /// Writes the game to the file that it is kept in.
    fn keep(&mut self) -> io::Result<()> {
        let Some(path) = self.setup.keep.clone() else { return Ok(()) };
        match self.save(&path, false, true) {
            Ok(()) => Ok(()),
            Err(error) => self.say(format!("The game is not kept: {error:#}")),
        }
    }

    fn save(&self, path: &Path, as_board: bool, replace: bool) -> anyhow::Result<()> {
        let names = [self.name(Color::Black), self.name(Color::White)];
        self.setup.table.save(path, as_board, replace, [&names[0], &names[1]])
    }

    fn line(&mut self, line: InputLine, now: Instant) -> io::Result<()> {
        let InputLine::Text(text) = line else {
            return self.say("That line is too long, or no text");
        };
        if let Some(mut paste) = self.paste.take() {
            return match paste.add(&text) {
                Some(whole) => self.set(&whole, now),
                None => {
                    self.paste = Some(paste);
                    Ok(())
                }
            };
        }
        self.paste = Paste::begin(&text);
        if self.paste.is_some() {
            return Ok(());
        }
        match Command::parse(&text) {
            Ok(command) => self.obey(command, &text, now),
            Err(answer) => self.say(answer),
        }
    }

    fn obey(&mut self, command: Command, text: &str, now: Instant) -> io::Result<()> {
        match command {
            Command::Nothing => Ok(()),
            Command::Play(mv) => {
                let time = now.saturating_duration_since(self.since).as_secs_f64();
                let seconds = self.measures_time().then_some(time);
                self.play(mv, Turn { seconds, score: None }, now)
            }
            Command::Undo => self.undo(now),
            Command::Redo => self.redo(now),
            Command::Hint(_) | Command::Go if self.is_over() => self.say("The game is over"),
            Command::Hint(count) => {
                self.think(Some(count), now);
                Ok(())
            }
            Command::Go => {
                self.waits = false;
                self.engine_turn(now)
            }
            Command::Moves => self.moves(),
            Command::Board => self.show(),
            Command::List => {
                let moves = write_moves(self.setup.table.game().moves());
                self.say(if moves.is_empty() { "No moves yet" } else { &moves })
            }
            Command::New => {
                self.setup.table.reset(Game::default());
                self.changed(now)
            }
            Command::Seat(color, who) => {
                self.setup.seats[usize::from(color == Color::White)] = who;
                self.waits = false;
                self.say(format!("{} is played by {}", color.title(), self.name(color)))
            }
            Command::Level(level) => {
                self.setup.level = level;
                self.say(format!("The engine plays at level {level}"))
            }
            Command::Bar(on) => {
                self.setup.bar = on;
                self.show()
            }
            Command::Save { path, as_board, replace } => {
                let answer = match self.save(Path::new(&path), as_board, replace) {
                    Ok(()) => format!("Saved as {path}"),
                    Err(error) => format!("Not saved: {error:#}"),
                };
                self.say(answer)
            }
            Command::Load(path) => match self.setup.table.load(Path::new(&path)) {
                Ok(()) => self.changed(now),
                Err(error) => self.say(format!("Not loaded: {error:#}")),
            },
            Command::Set => self.set(text, now),
            Command::Help => self.say(HELP),
            Command::Quit => {
                self.is_done = true;
                Ok(())
            }
        }
    }

    /// Goes on with a pasted text.
    fn set(&mut self, text: &str, now: Instant) -> io::Result<()> {
        match self.setup.table.set(text) {
            Ok(()) => self.changed(now),
            Err(error) => self.say(format!("{error:#}")),
        }
    }

    /// Another game is on the table; whose turn it is waits for a word.
    fn changed(&mut self, now: Instant) -> io::Result<()> {
        self.score = None;
        self.waits = !self.setup.table.game().moves().is_empty();
        self.turn_begins(now)?;
        self.tell_waiting()?;
        self.keep()
    }

    fn tell_waiting(&mut self) -> io::Result<()> {
        let side = self.setup.table.position().side;
        let waits = self.waits && !self.is_over() && self.seat(side) == Who::Engine;
        if waits { self.say("It is the engine's turn: go lets it move") } else { Ok(()) }
    }

    /// Takes back to the last turn of someone at the keyboard, or by one turn if there is none.
    fn undo(&mut self, now: Instant) -> io::Result<()> {
        if !self.setup.table.take_back() {
            return self.say("There is nothing to take back");
        }
        let is_human = |play: &Self| play.seat(play.setup.table.position().side) == Who::Human;
        let can_move = |play: &Self| play.setup.table.position().board.moves() != 0;
        let mut one_back = self.setup.table.clone();
        let has_humans = self.setup.seats.contains(&Who::Human);
        while has_humans && !(is_human(self) && can_move(self)) {
            if !self.setup.table.take_back() {
                // Nobody at the keyboard has moved yet: one turn it is.
                std::mem::swap(&mut self.setup.table, &mut one_back);
                break;
            }
        }
        self.went(now)
    }

    /// Plays again what was taken back, to the next turn of someone at the keyboard.
    fn redo(&mut self, now: Instant) -> io::Result<()> {
        if !self.setup.table.play_again() {
            return self.say("There is nothing to play again");
        }
        let is_engine = |play: &Self| play.seat(play.setup.table.position().side) == Who::Engine;
        while self.setup.seats.contains(&Who::Human) && is_engine(self) && self.setup.table.play_again() {}
        self.went(now)
    }

    /// Shows where undo and redo have led.
    fn went(&mut self, now: Instant) -> io::Result<()> {
        self.score = None;
        self.waits = true;
        self.since = now;
        self.show()?;
        self.tell_waiting()?;
        self.keep()
    }

    fn moves(&mut self) -> io::Result<()> {
        let board = self.setup.table.position().board;
        if board.moves() == 0 {
            return self.say("There is no legal move");
        }
        for square in squares(board.moves()) {
            let turned: Vec<String> = squares(board.flip(square)).map(|turned| turned.to_string()).collect();
            self.say(format!("{square} turns {}", turned.join(" ")))?;
        }
        Ok(())
    }

    /// Tells once when the side to move has used its clock up; the game goes on.
    fn tick(&mut self, now: Instant) -> io::Result<()> {
        let side = self.setup.table.position().side;
        if self.setup.table.clock.is_some() && self.deadline().is_some_and(|deadline| deadline <= now) {
            self.flag_fell = true;
            self.say(format!("\n{}'s time is up; the game goes on", side.title()))?;
        }
        Ok(())
    }
}

impl<T: Thinker, W: Write> Session for Play<T, W> {
    fn handle(&mut self, happening: Happening, now: Instant) -> io::Result<()> {
        if !self.has_begun {
            self.begin(now)?;
        }
        match happening {
            Happening::Line(line, permit) => {
                if self.setup.is_interactive {
                    self.interrupt(&line);
                }
                self.backlog.push(line, permit);
            }
            Happening::End => {
                self.has_ended = true;
                if let Some(paste) = self.paste.take() {
                    self.set(&paste.end(), now)?;
                }
                if self.setup.is_interactive {
                    self.say("")?;
                    self.is_done = true;
                }
            }
            Happening::Event(event) => self.event(event, now)?,
            Happening::Tick => self.tick(now)?,
        }
        self.go_on(now)
    }

    fn deadline(&self) -> Option<Instant> {
        if !self.has_begun {
            return Some(self.since);
        }
        let table = &self.setup.table;
        let left = table.remaining(table.position().side).filter(|_| !self.flag_fell && !self.is_over())?;
        self.since.checked_add(Duration::from_secs_f64(left))
    }

    fn is_done(&self) -> bool {
        self.is_done
    }
}
