//! A game at the keyboard: lines in, boards out, the engine in between.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::command::{HELP, Paste, PlayCommand, Who};
use super::table::{MoveNote, Table};
use super::words::{known, typed};
use crate::board::{Color, Game, Move, Position, Score, squares};
use crate::book::names::name_of_line;
use crate::cli::draw::Style;
use crate::engine::{Choice, Event, Job, JobId, Level, Outcome};
use crate::notation::moves::write_moves;
use crate::protocols::console::InputLine;
use crate::protocols::driver::{Backlog, Input, Searcher, Session};
use crate::protocols::library::Library;
use crate::search::{Clock, Handicap, Limits, Line, SearchResult, Task};

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
    /// Someone sits at a keyboard: what is typed while the engine thinks may hurry it.
    pub is_interactive: bool,
    /// Whether the evaluation bar is shown.
    pub bar: bool,
    /// Where the game is written after every move.
    pub output: Option<PathBuf>,
}

/// A search that runs.
pub(super) struct Thinking {
    job: JobId,
    task: Task,
    /// For a hint: whether the book has told moves before; `None` for a move to be played.
    hint: Option<bool>,
    began: Instant,
    /// When something was last told of it.
    pub told: Instant,
    /// It was said that lines wait.
    waiting_is_told: bool,
}

/// The session.
pub struct Play {
    engine: Box<dyn Searcher>,
    pub(super) out: Box<dyn Write>,
    pub(super) setup: Setup,
    pub(super) library: Library,
    pub(super) thinking: Option<Thinking>,
    backlog: Backlog<InputLine>,
    paste: Option<Paste>,
    /// The last score in discs for Black, and how it is known.
    pub(super) score: Option<(f64, String)>,
    /// When the side to move began to think.
    pub(super) since: Instant,
    /// The engine waits for `go`: after moves were taken back to its turn.
    waits: bool,
    /// The side to move was told that its time is up.
    flag_fell: bool,
    has_begun: bool,
    has_ended: bool,
    is_done: bool,
}

impl Play {
    /// A session that has shown nothing yet, its engine playing from a book as far as it goes.
    pub fn new(
        setup: Setup,
        engine: impl Searcher + 'static,
        out: impl Write + 'static,
        library: Library,
        now: Instant,
    ) -> Self {
        Self {
            engine: Box::new(engine),
            out: Box::new(out),
            setup,
            library,
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

    /// Shows the board for the first time.
    fn begin(&mut self, now: Instant) -> io::Result<()> {
        self.has_begun = true;
        if self.setup.is_interactive {
            self.say("Othello: type a square such as f5 to play there, or ? for a list of commands")?;
        }
        self.turn_begins(now)
    }

    pub(super) fn say(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.out, "{}", text.as_ref())
    }

    fn seat(&self, color: Color) -> Who {
        self.setup.seats[usize::from(color == Color::White)]
    }

    pub(super) fn name(&self, color: Color) -> String {
        match self.seat(color) {
            Who::Human => "Human".into(),
            Who::Engine => format!("Emilia level {}", self.setup.level),
        }
    }

    pub(super) fn is_over(&self) -> bool {
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
        let Position { board, side } = table.position();
        let task = Task { handicap: self.setup.handicap, ..Task::new(board, self.limits()) };
        let choice = match self.library.choose(table.game(), task) {
            Ok(choice) => choice,
            Err(damage) => {
                self.say(damage)?;
                Choice::Search(task)
            }
        };
        let line = match choice {
            Choice::Book(line) => line,
            Choice::Search(task) => {
                self.start(task, None, now);
                return Ok(());
            }
        };
        let mv = line.pv[0];
        let score = line.score.map(Score::discs);
        if let Some(score) = score {
            self.note(score, "book".into());
        }
        let mut after = self.setup.table.game().clone();
        let name = after.play(mv).ok().and_then(|()| name_of_line(after.positions().iter().map(|p| p.board)));
        let known = name.map_or_else(|| "book".to_owned(), |name| format!("book: {name}"));
        let shown = self.setup.style.strong(&mv.in_words());
        self.say(format!("\n{} plays {shown} ({known})", self.colored(side)))?;
        let seconds = self.measures_time().then_some(0.0);
        self.play(mv, MoveNote { seconds, score }, now)
    }

    /// Starts a search; `hint` as in [`Thinking`].
    pub(super) fn start(&mut self, task: Task, hint: Option<bool>, now: Instant) {
        let job = self.engine.start(Job::Search(task));
        self.thinking = Some(Thinking { job, task, hint, began: now, told: now, waiting_is_told: false });
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

    /// A line that came in, as it is to be obeyed; `None` if nothing is left to do for it.
    fn received(&mut self, line: InputLine) -> io::Result<Option<InputLine>> {
        let InputLine::Text(text) = line else { return Ok(Some(line)) };
        if !self.setup.is_interactive {
            return Ok(Some(InputLine::Text(text)));
        }
        let typed = typed(&text);
        if typed.trim().is_empty() && !text.trim().is_empty() {
            self.say("Lines are not edited here: type it again")?;
            return Ok(None);
        }
        Ok(self.waits_for_its_turn(&typed)?.then_some(InputLine::Text(typed)))
    }

    /// A line at the keyboard; `false` if nothing is left to do for it.
    ///
    /// While the engine thinks about its move an empty line, `stop` and `go` let it move now, and so does what changes
    /// the game, which is then done after the move; all else waits. A hint ends with whatever is typed.
    fn waits_for_its_turn(&mut self, text: &str) -> io::Result<bool> {
        let Some(thinking) = &mut self.thinking else { return Ok(true) };
        let command = PlayCommand::parse(text);
        let is_spent = matches!(command, Ok(PlayCommand::Nothing | PlayCommand::Stop | PlayCommand::Go));
        if is_spent || thinking.hint.is_some() || command.is_ok_and(|command| command.is_urgent()) {
            self.engine.stop();
        } else if !std::mem::replace(&mut thinking.waiting_is_told, true) {
            self.say("This waits until the engine has moved; an empty line lets it move now")?;
        }
        Ok(!is_spent)
    }

    fn event(&mut self, event: Event, now: Instant) -> io::Result<()> {
        match event {
            Event::Warning { text } => self.say(format!("Warning: {text}")),
            Event::Iteration { job, info } => {
                let is_hint = |thinking: &Thinking| thinking.job == job && thinking.hint.is_some();
                if self.thinking.as_ref().is_some_and(is_hint) {
                    self.hint_progress(&info, now)
                } else {
                    Ok(())
                }
            }
            Event::Finished { job, outcome: Outcome::Searched(result) } => {
                match self.thinking.take_if(|thinking| thinking.job == job) {
                    None => Ok(()),
                    Some(Thinking { hint: Some(after_book), .. }) => self.end_hint(&result, after_book),
                    Some(Thinking { task, began, .. }) => self.engine_moves(&task, result, began, now),
                }
            }
            _ => Ok(()),
        }
    }

    /// Keeps a score of the position on the board, told for Black; a bound is none.
    pub(super) fn note_score(&mut self, line: &Line) {
        if let Some(score) = line.discs() {
            self.note(score, known(line));
        }
    }

    /// Keeps a score for the side to move, and how it is known.
    pub(super) fn note(&mut self, score: f64, known: String) {
        let is_black = self.setup.table.position().side == Color::Black;
        self.score = Some((if is_black { score } else { -score }, known));
    }

    fn engine_moves(
        &mut self,
        task: &Task,
        mut result: SearchResult,
        began: Instant,
        now: Instant,
    ) -> io::Result<()> {
        self.library.settle(task, &mut result);
        let Some(mv) = result.best else { return Ok(()) };
        let score = result.info.lines.first().and_then(Line::discs);
        if let Some(line) = result.info.lines.first() {
            self.note_score(line);
        }
        let side = self.setup.table.position().side;
        self.say(format!("\n{} plays {}", self.colored(side), self.setup.style.strong(&mv.in_words())))?;
        let time = now.saturating_duration_since(began).as_secs_f64();
        let seconds = self.measures_time().then_some(time);
        self.play(mv, MoveNote { seconds, score }, now)
    }

    /// Times are noise in a script without a clock, so that its files can be compared.
    fn measures_time(&self) -> bool {
        self.setup.is_interactive || self.setup.table.clock.is_some()
    }

    fn play(&mut self, mv: Move, turn: MoveNote, now: Instant) -> io::Result<()> {
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
            let passed = self.setup.table.play(Move::Pass, MoveNote::default());
            debug_assert!(passed.is_ok());
        }
        self.show(now)?;
        if self.is_over() { self.say(self.result()) } else { Ok(()) }
    }

    /// Writes the game to the file that it is kept in.
    fn keep(&mut self) -> io::Result<()> {
        let Some(path) = self.setup.output.clone() else { return Ok(()) };
        match self.save(&path, false, true) {
            Ok(()) => Ok(()),
            Err(error) => self.say(format!("The game was not saved: {error:#}")),
        }
    }

    fn save(&self, path: &Path, as_board: bool, replace: bool) -> anyhow::Result<()> {
        let names = [self.name(Color::Black), self.name(Color::White)];
        self.setup.table.save(path, as_board, replace, [&names[0], &names[1]])
    }

    fn line(&mut self, line: InputLine, now: Instant) -> io::Result<()> {
        let InputLine::Text(text) = line else {
            return self.say("That line is too long, or is not text");
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
        match PlayCommand::parse(&text) {
            Ok(command) => self.obey(command, &text, now),
            Err(answer) => self.say(answer),
        }
    }

    fn obey(&mut self, command: PlayCommand, text: &str, now: Instant) -> io::Result<()> {
        match command {
            PlayCommand::Nothing => Ok(()),
            PlayCommand::Stop => self.say("The engine is not thinking"),
            PlayCommand::Play(mv) => {
                let time = now.saturating_duration_since(self.since).as_secs_f64();
                let seconds = self.measures_time().then_some(time);
                self.play(mv, MoveNote { seconds, score: None }, now)
            }
            PlayCommand::Undo => self.undo(now),
            PlayCommand::Redo => self.redo(now),
            PlayCommand::Hint(_) | PlayCommand::Go if self.is_over() => self.say("The game is over"),
            PlayCommand::Hint(count) => self.begin_hint(count, now),
            PlayCommand::Go => {
                self.waits = false;
                self.engine_turn(now)
            }
            PlayCommand::Moves => self.moves(),
            PlayCommand::Board => self.show(now),
            PlayCommand::List => {
                let moves = write_moves(self.setup.table.game().moves());
                self.say(if moves.is_empty() { "No moves yet" } else { &moves })
            }
            PlayCommand::New => {
                self.setup.table.reset(Game::default());
                self.changed(now)
            }
            PlayCommand::Seat(color, who) => {
                self.setup.seats[usize::from(color == Color::White)] = who;
                self.waits = false;
                self.say(format!("{} is played by {}", color.title(), self.name(color)))
            }
            PlayCommand::Level(level) => {
                self.setup.level = level;
                self.say(format!("The engine plays at level {level}"))
            }
            PlayCommand::Bar(on) => {
                self.setup.bar = on;
                self.show(now)
            }
            PlayCommand::Save { path, as_board, replace } => {
                let answer = match self.save(Path::new(&path), as_board, replace) {
                    Ok(()) => format!("Saved as {path}"),
                    Err(error) => format!("Not saved: {error:#}"),
                };
                self.say(answer)
            }
            PlayCommand::Load(path) => match self.setup.table.load(Path::new(&path)) {
                Ok(note) => {
                    note.map_or(Ok(()), |note| self.say(note))?;
                    self.changed(now)
                }
                Err(error) => self.say(format!("Not loaded: {error:#}")),
            },
            PlayCommand::Set => self.set(text, now),
            PlayCommand::Help => self.say(HELP),
            PlayCommand::Quit => {
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
            return self.say("There is nothing to redo");
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
        self.show(now)?;
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
            self.show(now)?;
        }
        Ok(())
    }
}

impl Session for Play {
    fn handle(&mut self, input: Input, now: Instant) -> io::Result<()> {
        if !self.has_begun {
            self.begin(now)?;
        }
        match input {
            Input::Line(line, permit) => {
                if let Some(line) = self.received(line)? {
                    self.backlog.push(line, permit);
                }
            }
            Input::End => {
                self.has_ended = true;
                if let Some(paste) = self.paste.take() {
                    self.set(&paste.end(), now)?;
                }
                if self.setup.is_interactive {
                    self.say("")?;
                    self.is_done = true;
                }
            }
            Input::Event(event) => self.event(event, now)?,
            Input::Tick => self.tick(now)?,
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
