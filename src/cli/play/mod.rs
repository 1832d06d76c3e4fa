//! `emilia play`: Othello in the terminal.

mod clock;
mod command;
mod editor;
mod hint;
mod leave;
mod lesson;
mod paste;
mod screen;
mod seat;
mod session;
mod table;
#[cfg(test)]
mod tests;
mod thinking;
mod turns;
mod words;

use std::io::{IsTerminal, Write, stdin};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::draw::Style;
use super::files::ForceArgs;
use super::input::warn_of_both;
use super::language::{LanguageArgs, columns};
use super::people::PlayerArgs;
use super::search_args::{SearchArgs, parse_seconds};
use super::{logging, output, signals};
use crate::engine::{Level, Options};
use crate::notation::BitOrder;
use crate::notation::ggf::Clock;
use crate::protocols::console::LineReader;
use crate::protocols::driver;
use crate::protocols::library::{Learn, Library};
use crate::util::seconds::parse_clock;

use command::parse_lesson;
use seat::LIMITS;
pub(super) use seat::Seat;
use session::{Play, Setup};
use table::Table;

/// Arguments of `emilia play`.
#[derive(clap::Args)]
#[command(after_help = "\
Type a square to play there, ? for all commands. You can paste any position or
game at any time: its notation ends it, or an empty line, or a command. Ctrl-C
prints the moves so far and leaves.
Input may come from a pipe: each line then waits until the engine has moved.
At a terminal the arrow keys bring back what you typed, also in earlier
sessions. It is kept in `emilia/play_history` in the system's folder for such
state (~/.local/state); EMILIA_HISTORY names another file, or `off` for none.

Examples:
  emilia play
  emilia play --white human --black engine --level 12 --bar
  emilia play --lesson 4
  emilia play --white 'nboard:./engine;level=8'
  emilia play --elo 900
  emilia play --clock 5:00+3 -o today.ggf
  emilia play --start exampleBoard
  emilia play --book-policy within:1 --seed 7
  printf 'f5\\nhint\\nquit\\n' | emilia play --level 2")]
pub struct Args {
    /// Who plays Black: human, engine, or any player that `match` knows, such as `nboard:COMMAND`.
    #[arg(long, value_name = "WHO", default_value = "human")]
    black: Seat,
    /// Who plays White, named in the same way.
    #[arg(long, value_name = "WHO", default_value = "engine")]
    white: Seat,
    /// Begin with this game or position: a file of any notation, or the text itself.
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    start: Option<String>,
    /// Write the games of the session to this file after every move, as GGF.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Time of each side for the game, and the increment per move: 300 or 5:00+3.
    #[arg(long, value_name = "TIME[+INC]", value_parser = parse_clock)]
    clock: Option<(Duration, Duration)>,
    /// Time of the engine per move: seconds or M:SS.
    #[arg(long, value_name = "TIME", value_parser = parse_seconds, conflicts_with = "clock")]
    move_time: Option<Duration>,
    /// Take back a mistake of at least DISCS discs, and say why it is one.
    #[arg(long, value_name = "DISCS", value_parser = parse_lesson)]
    lesson: Option<f64>,
    #[command(flatten)]
    language: LanguageArgs,
    /// Show a bar with the engine's opinion beside the board.
    #[arg(long)]
    bar: bool,
    /// Draw with plain letters: no colours, no round discs.
    #[arg(long)]
    ascii: bool,
    /// Strength from 0 to 60: about the midgame depth in plies.
    #[arg(short, long, value_name = "N", default_value_t = Level::PLAY, help_heading = "Engine")]
    level: Level,
    #[command(flatten)]
    player: PlayerArgs,
    /// Append all messages to this file.
    #[arg(long, value_name = "FILE", help_heading = "Engine")]
    log: Option<PathBuf>,
    /// The engine.
    #[command(flatten)]
    search: SearchArgs,
}

/// Plays until the player leaves or the input ends.
pub fn run(args: &Args) -> Result<ExitCode> {
    logging::start(args.log.as_deref())?;
    let mut table = Table::default();
    table.clock = args.clock.map(|(main, increment)| {
        let [main, increment] = [main, increment].map(|time| time.as_secs_f64());
        Clock { main, increment, overtime: None }
    });
    table.move_time = args.move_time;
    if let Some(game) = &args.start {
        match Path::new(game).is_file() {
            true => {
                warn_of_both(game.as_ref(), BitOrder::A1Lsb);
                table.load(Path::new(game))?.into_iter().for_each(output::message);
            }
            false => {
                table.set(game).with_context(|| format!("\"{game}\" is neither a file nor a position"))?
            }
        }
    }
    let keyboard = Keyboard::open(signals::came);
    let is_interactive = keyboard.is_interactive;
    let setup = Setup {
        table,
        seats: [args.black.clone(), args.white.clone()],
        level: args.player.level().unwrap_or(args.level),
        handicap: args.player.handicap(),
        style: args.style(),
        is_interactive,
        prompts: keyboard.prompts,
        columns: if is_interactive { columns } else { || None },
        language: args.language.language,
        lesson: args.lesson,
        seed: args.player.seed,
        bar: args.bar,
        output: args.output.clone(),
        interrupted: Arc::default(),
    };
    for seat in &setup.seats {
        if let Seat::Player(spec) = seat {
            spec.check(setup.table.budget(), LIMITS)?;
        }
    }
    let opening = args.player.opening().unwrap_or_else(|error| {
        output::message(format_args!("playing without the book: {error}"));
        None
    });
    // Told now in one line; the engine would only warn.
    let evaluator = Some(Arc::new(args.search.eval.evaluator()?));
    let (threads, hash_mib) = (args.search.threads, args.search.hash);
    let options = Options { threads, hash_mib, evaluator, ..Options::default() };
    let interrupted = setup.interrupted.clone();
    let raised = interrupted.clone();
    let listen = |wake: driver::Wake| {
        signals::catch(move || {
            raised.store(true, Ordering::SeqCst);
            wake();
        })
    };
    driver::run_listening(keyboard.lines, options, listen, |engine| {
        Play::new(setup, engine, keyboard.out, Library::new(opening, Learn::Asked), Instant::now())
    })
    .context("playing")?;
    if !interrupted.load(Ordering::SeqCst) {
        return Ok(ExitCode::SUCCESS);
    }
    if !keyboard.prompts && is_interactive {
        // The line editor shows what was printed last from its own thread.
        thread::sleep(EDITOR_PATIENCE);
    }
    Ok(signals::exit_code())
}

/// How long the line editor may take to show the last lines.
const EDITOR_PATIENCE: Duration = Duration::from_millis(50);

impl Args {
    fn style(&self) -> Style {
        if self.ascii { Style::Ascii } else { Style::of_stdout() }
    }
}

/// Where lines come from and where answers go: a line editor at a terminal that can have one.
struct Keyboard {
    lines: LineReader,
    out: Box<dyn Write>,
    /// Nobody else prompts for lines.
    prompts: bool,
    is_interactive: bool,
}

impl Keyboard {
    /// `interrupt` is called where a line editor reads Ctrl-C as a key.
    fn open(interrupt: fn()) -> Self {
        let is_interactive = stdin().is_terminal();
        match is_interactive.then(|| editor::open(interrupt)).flatten() {
            Some((lines, out)) => Self { lines, out, prompts: false, is_interactive },
            None => {
                let out = Box::new(std::io::stdout());
                Self { lines: LineReader::stdin(), out, prompts: is_interactive, is_interactive }
            }
        }
    }
}
