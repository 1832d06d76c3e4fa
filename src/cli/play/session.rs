//! A game at the keyboard: lines in, boards out, the engine in between.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::command::{HELP, HELP_END, PlayCommand};
use super::paste::Paste;
use super::seat::{LIMITS, Opponent, Seat};
use super::table::{MoveNote, Table};
use super::thinking::{Purpose, Thinking};
use super::words::{known, typed};
use crate::board::{Color, Game, Square, squares};
use crate::cli::draw::Style;
use crate::cli::files::refuse_named;
use crate::engine::{Event, Level, Outcome};
use crate::notation::moves::write_moves;
use crate::notation::parse_position;
use crate::protocols::console::InputLine;
use crate::protocols::driver::{Backlog, Input, Permit, Searcher, Session};
use crate::protocols::library::Library;
use crate::search::{Handicap, Line};
use crate::sentences::Language;

/// How the game is set up.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The game to begin with.
    pub table: Table,
    /// Who moves for Black and for White.
    pub seats: [Seat; 2],
    /// How strong the engine plays.
    pub level: Level,
    /// How weakly it plays besides, if it does; hints are as strong as ever.
    pub handicap: Option<Handicap>,
    /// What the terminal can show.
    pub style: Style,
    /// Someone sits at a keyboard: what is typed while the engine thinks may hurry it.
    pub is_interactive: bool,
    /// The session prompts for lines; a line editor does so itself.
    pub prompts: bool,
    /// Columns of the terminal, which may change; without one lines are as long as they are.
    pub columns: fn() -> Option<usize>,
    /// The language of sentences and of names of openings.
    pub language: Language,
    /// From so many discs on a mistake is taken back, with its reason.
    pub lesson: Option<f64>,
    /// What players of `match` draw by.
    pub seed: u64,
    /// Whether the evaluation bar is shown.
    pub bar: bool,
    /// Where the game is written after every move.
    pub output: Option<PathBuf>,
    /// Raised by Ctrl-C and its like: the session ends.
    pub interrupted: Arc<AtomicBool>,
}

/// The session.
pub struct Play {
    pub(super) engine: Box<dyn Searcher>,
    pub(super) out: Box<dyn Write>,
    pub(super) setup: Setup,
    pub(super) library: Library,
    pub(super) thinking: Option<Thinking>,
    /// Black's and White's, where players of `match` have been asked for a move.
    pub(super) opponents: [Option<Opponent>; 2],
    /// When one of them is looked at again.
    pub(super) look_at: Instant,
    backlog: Backlog<InputLine>,
    /// What would interrupt the engine, until it is said whether it shall.
    asked: Option<(InputLine, Permit)>,
    pub(super) paste: Option<Paste>,
    /// The last score in discs for Black, and how it is known.
    pub(super) score: Option<(f64, String)>,
    /// When the side to move began to think.
    pub(super) since: Instant,
    /// When its clock was stopped.
    pub(super) stopped_at: Option<Instant>,
    /// The engine waits for `go`: after moves were taken back to its turn.
    pub(super) waits: bool,
    /// The side to move was told that its time is up.
    pub(super) flag_fell: bool,
    /// The move that a lesson has just taken back.
    pub(super) refused: Option<Square>,
    /// The game on the table as the output file has it; empty without moves.
    pub(super) kept_game: String,
    /// The games before it, as the output file has them.
    pub(super) earlier_games: String,
    has_begun: bool,
    has_ended: bool,
    pub(super) is_done: bool,
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
            opponents: [None, None],
            look_at: now,
            backlog: Backlog::default(),
            asked: None,
            paste: None,
            score: None,
            since: now,
            stopped_at: None,
            waits: false,
            flag_fell: false,
            refused: None,
            kept_game: String::new(),
            earlier_games: String::new(),
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

    /// As Ctrl-C does it.
    #[cfg(test)]
    pub(super) fn interrupt_now(&self) {
        self.setup.interrupted.store(true, Ordering::SeqCst);
    }

    pub(super) fn is_over(&self) -> bool {
        self.setup.table.game().is_over()
    }

    /// Starts whatever can be done now: the engine's move first, then the lines that came in.
    fn go_on(&mut self, now: Instant) -> io::Result<()> {
        while self.thinking.is_none() && !self.is_done {
            let to_move = self.setup.table.position().side;
            if !self.is_human(to_move) && !self.waits && !self.is_over() && self.paste.is_none() {
                self.machine_turn(now)?;
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
        if self.setup.is_interactive && self.setup.prompts {
            let prompt = if self.paste.is_some() { "\u{2026} " } else { "> " };
            let prompt = if self.setup.style == Style::Ascii { "> " } else { prompt };
            self.out.write_all(prompt.as_bytes())?;
        }
        self.out.flush()
    }

    /// Takes a line that came in: obeys it at once, asks about it, or lets it wait.
    fn received(&mut self, line: InputLine, permit: Permit, now: Instant) -> io::Result<()> {
        let text = match line {
            InputLine::Text(text) if self.setup.is_interactive => text,
            line => {
                self.backlog.push(line, permit);
                return Ok(());
            }
        };
        let typed = typed(&text);
        if typed.trim().is_empty() && !text.trim().is_empty() {
            return self.say("Lines are not edited here: type it again");
        }
        if let Some((line, permit)) = self.asked.take() {
            match typed.trim().to_ascii_lowercase().as_str() {
                "y" | "yes" => {
                    self.hurry()?;
                    self.backlog.push(line, permit);
                    return Ok(());
                }
                "" | "n" | "no" => return Ok(()),
                _ => {}
            }
        }
        match self.thinking.is_some() && self.paste.is_none() {
            true => self.while_it_thinks(typed, permit, now),
            false => {
                self.backlog.push(InputLine::Text(typed), permit);
                Ok(())
            }
        }
    }

    /// A line at the keyboard while the engine thinks.
    ///
    /// An empty line, `stop` and `go` let it move now. What only looks is answered at once. What changes the game is
    /// asked about; all else waits. A hint ends with whatever is typed.
    fn while_it_thinks(&mut self, text: String, permit: Permit, now: Instant) -> io::Result<()> {
        let Some(thinking) = &mut self.thinking else { return Ok(()) };
        let is_hint = matches!(thinking.purpose, Purpose::Hint { .. });
        let line = InputLine::Text(text.clone());
        let is_part = Paste::begin(&text).is_some();
        match PlayCommand::parse(&text) {
            Ok(PlayCommand::Nothing | PlayCommand::Stop | PlayCommand::Go) => self.hurry()?,
            Ok(PlayCommand::Quit) => {
                self.hurry()?;
                self.backlog.push(line, permit);
            }
            Ok(command) if command.is_look() && !is_hint => {
                return match command {
                    PlayCommand::Hint(_) => self.hint_so_far(),
                    command => self.obey(command, &text, now),
                };
            }
            Ok(command) if command.is_urgent() && !is_hint && !is_part => {
                self.asked = Some((line, permit));
                let word = text.split_whitespace().next().unwrap_or_default();
                let word = if command == PlayCommand::Set { "what you pasted" } else { word };
                let (who, then) = match thinking.purpose {
                    Purpose::Opponent => ("The other player", "Leave its move"),
                    Purpose::Lesson(_) => ("The lesson", "End that"),
                    Purpose::Move | Purpose::Hint { .. } => ("The engine", "Let it move now"),
                };
                return self.say(format!(
                    "{who} is thinking. {then}, and {word} after that? y does, all else lets it think on"
                ));
            }
            _ => {
                if is_hint {
                    self.engine.stop();
                } else if !std::mem::replace(&mut thinking.waiting_is_told, true) {
                    self.say("This waits until the engine has moved; an empty line lets it move now")?;
                }
                self.backlog.push(line, permit);
            }
        }
        Ok(())
    }

    /// Lets whoever thinks end now. A program of others cannot be hurried: it is left, and asked again after `go`.
    fn hurry(&mut self) -> io::Result<()> {
        self.engine.stop();
        if self.thinking.take_if(|thinking| thinking.job.is_none()).is_some() {
            let side = self.setup.table.position().side;
            self.opponents[usize::from(side == Color::White)] = None;
            self.waits = true;
            self.tell_waiting()?;
        }
        Ok(())
    }

    fn event(&mut self, event: Event, now: Instant) -> io::Result<()> {
        match event {
            Event::Warning { text } => self.say(format!("Warning: {text}")),
            Event::Iteration { job, info } => {
                let Some(thinking) = self.thinking.as_mut().filter(|thinking| thinking.job == Some(job))
                else {
                    return Ok(());
                };
                match thinking.purpose {
                    Purpose::Hint { .. } => self.hint_progress(&info, now),
                    _ => {
                        thinking.so_far = Some(info);
                        Ok(())
                    }
                }
            }
            Event::Finished { job, outcome: Outcome::Searched(result) } => {
                let Some(thinking) = self.thinking.take_if(|thinking| thinking.job == Some(job)) else {
                    return Ok(());
                };
                match thinking.purpose {
                    Purpose::Hint { after_book } => self.end_hint(&result, after_book),
                    Purpose::Lesson(judged) => self.judge(judged, &result, now),
                    Purpose::Move | Purpose::Opponent => {
                        self.engine_moves(&thinking.task, result, thinking.began, now)
                    }
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

    fn line(&mut self, line: InputLine, now: Instant) -> io::Result<()> {
        let InputLine::Text(text) = line else {
            return self.say("That line is too long, or is not text");
        };
        let Some(mut paste) = self.paste.take() else { return self.fresh(&text, now) };
        if paste.is_ended_by(&text) {
            self.set_unended(paste, now)?;
            return if text.trim().is_empty() { Ok(()) } else { self.fresh(&text, now) };
        }
        let mut texts = paste.add(&text).into_iter();
        self.paste = Some(paste).filter(|paste| paste.goes_on().is_some());
        texts.next().map_or(Ok(()), |whole| self.set(&whole, now))?;
        texts.try_for_each(|other| self.fresh(&other, now))
    }

    /// A line that goes on with nothing above it.
    fn fresh(&mut self, text: &str, now: Instant) -> io::Result<()> {
        let command = PlayCommand::parse(text);
        if matches!(command, Ok(PlayCommand::Set) | Err(_))
            && let Some(paste) = Paste::begin(text)
        {
            let end = paste.goes_on().unwrap_or_default();
            self.paste = Some(paste);
            return self.say(format!("This goes on {end}; an empty line or a command ends it, too"));
        }
        match command {
            Ok(command) => self.obey(command, text, now),
            Err(answer) => self.say(answer),
        }
    }

    /// Goes on with a pasted text whose end did not come, if it holds anything.
    pub(super) fn set_unended(&mut self, paste: Paste, now: Instant) -> io::Result<()> {
        let text = paste.end();
        match parse_position(&text) {
            Ok(found) if found.record.game == Game::default() => {
                self.say("The pasted text holds no move and no board: the game stays")
            }
            _ => self.set(&text, now),
        }
    }

    fn obey(&mut self, command: PlayCommand, text: &str, now: Instant) -> io::Result<()> {
        match command {
            PlayCommand::Nothing => Ok(()),
            PlayCommand::Stop => self.say("The engine is not thinking"),
            PlayCommand::Play(mv) => {
                let seconds = self.measures_time().then(|| self.thought(now));
                let note = MoveNote { seconds, score: None };
                if self.is_judged(mv, note, now) { Ok(()) } else { self.play(mv, note, now) }
            }
            PlayCommand::Undo => self.undo(now),
            PlayCommand::Redo => self.redo(now),
            PlayCommand::Hint(_) | PlayCommand::Go if self.is_over() => self.say("The game is over"),
            PlayCommand::Hint(count) => self.begin_hint(count, now),
            PlayCommand::Go => {
                self.waits = false;
                self.clock_starts(now);
                self.machine_turn(now)
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
            PlayCommand::Seat(color, seat) => self.sit(color, seat),
            PlayCommand::Clock(runs) => self.set_clock(runs, now),
            PlayCommand::Lesson(discs) => {
                self.setup.lesson = discs;
                self.say(match discs {
                    Some(discs) => format!("Mistakes of {discs} discs or more are taken back"),
                    None => "Mistakes stand".to_owned(),
                })
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
                let path = Path::new(&path);
                let saved = refuse_named(path).and_then(|()| self.save(path, as_board, replace));
                let answer = match saved {
                    Ok(()) => format!("Saved as {}", path.display()),
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
            PlayCommand::Help => self.help(),
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

    /// Who moves for a side from now on.
    fn sit(&mut self, color: Color, seat: Seat) -> io::Result<()> {
        if let Seat::Player(spec) = &seat
            && let Err(error) = spec.check(self.setup.table.budget(), LIMITS)
        {
            return self.say(format!("{error:#}"));
        }
        let side = usize::from(color == Color::White);
        (self.setup.seats[side], self.opponents[side]) = (seat, None);
        self.waits = false;
        self.say(format!("{} is played by {}", color.title(), self.name(color)))
    }

    /// What can be typed.
    fn help(&mut self) -> io::Result<()> {
        let widest = HELP.iter().map(|(commands, _)| commands.len()).filter(|length| *length <= 28).max();
        let column = widest.unwrap_or_default() + 2;
        let is_narrow = (self.setup.columns)().is_some_and(|columns| columns < 2 * column);
        for (commands, meaning) in HELP {
            match is_narrow || commands.len() >= column {
                true => self.say(format!("{commands}\n    {meaning}"))?,
                false => self.say_behind(&format!("{commands:column$}"), meaning)?,
            }
        }
        self.say(HELP_END)
    }

    /// Another game is on the table; whose turn it is waits for a word.
    fn changed(&mut self, now: Instant) -> io::Result<()> {
        self.score = None;
        self.refused = None;
        self.waits = !self.setup.table.game().moves().is_empty();
        self.turn_begins(now)?;
        self.tell_waiting()?;
        self.keep_earlier();
        self.keep()
    }

    fn tell_waiting(&mut self) -> io::Result<()> {
        let side = self.setup.table.position().side;
        let waits = self.waits && !self.is_over() && !self.is_human(side);
        if waits { self.say(format!("It is {}'s turn: go lets it move", side.title())) } else { Ok(()) }
    }

    /// Takes back to the last turn of someone at the keyboard, or by one turn if there is none.
    fn undo(&mut self, now: Instant) -> io::Result<()> {
        if !self.setup.table.take_back() {
            return self.say("There is nothing to take back");
        }
        let is_human = |play: &Self| play.is_human(play.setup.table.position().side);
        let can_move = |play: &Self| play.setup.table.position().board.moves() != 0;
        let mut one_back = self.setup.table.clone();
        let has_humans = self.setup.seats.contains(&Seat::Human);
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
        let is_engine = |play: &Self| !play.is_human(play.setup.table.position().side);
        while self.setup.seats.contains(&Seat::Human) && is_engine(self) && self.setup.table.play_again() {}
        self.went(now)
    }

    /// Shows where undo and redo have led.
    fn went(&mut self, now: Instant) -> io::Result<()> {
        self.score = None;
        self.refused = None;
        self.waits = true;
        self.clock_starts(now);
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
}

impl Session for Play {
    fn handle(&mut self, input: Input, now: Instant) -> io::Result<()> {
        if !self.has_begun {
            self.begin(now)?;
        }
        if self.setup.interrupted.load(Ordering::SeqCst) {
            return if self.is_done { Ok(()) } else { self.interrupt(now) };
        }
        match input {
            Input::Line(line, permit) => self.received(line, permit, now)?,
            Input::End => {
                self.has_ended = true;
                if let Some(paste) = self.paste.take() {
                    self.set_unended(paste, now)?;
                }
                if self.setup.is_interactive {
                    self.say("")?;
                    self.is_done = true;
                }
            }
            Input::Event(event) => self.event(event, now)?,
            Input::Tick => {}
        }
        self.look(now)?;
        self.tick(now)?;
        self.go_on(now)
    }

    fn deadline(&self) -> Option<Instant> {
        if !self.has_begun {
            return Some(self.since);
        }
        let looks = matches!(self.thinking, Some(Thinking { purpose: Purpose::Opponent, .. }));
        looks.then_some(self.look_at).into_iter().chain(self.flag_falls()).min()
    }

    fn is_done(&self) -> bool {
        self.is_done
    }
}
