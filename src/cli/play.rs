//! `emilia play`: Othello in the terminal.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::{Args as _, FromArgMatches};

use super::analysis_args::parse_trap;
use super::files::{ForceArgs, refuse_named};
use super::input::{InputArgs, warn_of_both};
use super::people::PlayerArgs;
use super::search_args::{LanguageArgs, SearchArgs, parse_seconds};
use super::{logging, output, signals};
use crate::engine::{Level, Options};
use crate::notation::Detected;
use crate::notation::ggf::Clock;
use crate::picture::terminal::{Style, columns};
use crate::play::{Keyboard, Play, Seat, Setup, Table, Traps, check_output, parse_lesson};
use crate::protocols::driver;
use crate::protocols::library::{Learn, Library};
use crate::util::seconds::parse_clock;

#[derive(clap::Args)]
#[command(after_help = "\
Type a square to play there, ? for all commands. You can paste any position or
game at any time; its notation, an empty line or a command ends it. Ctrl-C
prints the moves so far and leaves.
Input may come from a pipe: each line then waits until the engine has moved.
At a terminal the arrow keys bring back what you typed, also in earlier
sessions. It is kept in `emilia/play_history` in the system's folder for such
state (~/.local/state); EMILIA_HISTORY names another file, `off` keeps nothing.

Examples:
  emilia play
  emilia play --white human --black engine --level 12
  emilia play --lesson 4
  emilia play --person 1450
  emilia play --elo 300
  emilia play --clock 5:00+3 -o today.ggf
  emilia play --start exampleBoard
  emilia play --book-policy within:1 --seed 7
  printf 'f5\\nhint\\nquit\\n' | emilia play --level 2")]
pub struct Args {
    /// Player of Black: human or engine.
    #[arg(long, value_name = "WHO", default_value = "human")]
    black: Seat,
    /// Player of White: human or engine.
    #[arg(long, value_name = "WHO", default_value = "engine")]
    white: Seat,
    /// Begin with this position or game: a file of any notation, or the text itself.
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    start: Option<String>,
    /// Write to this file: all games of the session, as GGF, after every move.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Time of each side for the game, and the increment per move: 300 or 5:00+3.
    #[arg(long, value_name = "TIME[+INC]", value_parser = parse_clock)]
    clock: Option<(Duration, Duration)>,
    /// Time per move or position: seconds or M:SS.
    #[arg(long, value_name = "TIME", value_parser = parse_seconds, conflicts_with = "clock")]
    move_time: Option<Duration>,
    /// Take back a mistake of at least DISCS discs, and explain it.
    #[arg(long, value_name = "DISCS", value_parser = parse_lesson)]
    lesson: Option<f64>,
    #[command(flatten)]
    language: LanguageArgs,
    /// Draw with plain letters: no colors, no round discs.
    #[arg(long)]
    ascii: bool,
    /// Strength from 0 to 60: about the midgame depth in plies.
    #[arg(short, long, value_name = "N", default_value_t = Level::PLAY, help_heading = "Engine")]
    level: Level,
    #[command(flatten)]
    player: PlayerArgs,
    /// Name the best trap for such a player that costs at most this number of discs; `hint` shows it.
    #[arg(long, value_name = "DISCS", requires = "person", value_parser = parse_trap, help_heading = "Weaker play")]
    trap: Option<f64>,
    /// Append messages to this file.
    #[arg(long, value_name = "FILE", help_heading = "Engine")]
    log: Option<PathBuf>,
    #[command(flatten)]
    search: SearchArgs,
}

/// Plays with the default options.
pub fn here() -> Result<ExitCode> {
    let command = Args::augment_args(clap::Command::new("play"));
    let matches = command.try_get_matches_from(["play"])?;
    run(&Args::from_arg_matches(&matches)?)
}

pub fn run(args: &Args) -> Result<ExitCode> {
    logging::start(args.log.as_deref())?;
    args.output.as_deref().map_or(Ok(()), check_output)?;
    let keyboard = Keyboard::open(signals::raise, refuse_named);
    keyboard.notice.iter().for_each(output::message);
    let is_interactive = keyboard.is_interactive;
    // The engine would only warn.
    let evaluator = args.search.eval.evaluator()?;
    args.player
        .check(args.search.eval.is_calibrated(&evaluator))?;
    let evaluator = Arc::new(evaluator);
    let setup = Setup {
        table: args.table()?,
        seats: [args.black, args.white],
        level: args.player.level().unwrap_or(args.level),
        handicap: args.player.handicap(),
        style: if args.ascii {
            Style::Ascii
        } else {
            Style::of_stdout()
        },
        is_interactive,
        prompts: keyboard.prompts,
        columns: if is_interactive { columns } else { || None },
        language: args.language.language,
        lesson: args.lesson,
        seed: args.player.person_seed(),
        traps: args.trap.map(|most| Traps {
            most,
            evaluator: Arc::clone(&evaluator),
        }),
        output: args.output.clone(),
        interrupted: Arc::default(),
        read_game,
        refuse_named,
    };
    let opening = args.player.opening().unwrap_or_else(|error| {
        output::message(format_args!("playing without the book: {error}"));
        None
    });
    let evaluator = Some(evaluator);
    let threads = args.search.threads;
    let hash_mib = args.search.hash;
    let options = Options {
        threads,
        hash_mib,
        evaluator,
        ..Options::default()
    };
    let interrupted = setup.interrupted.clone();
    let raised = interrupted.clone();
    let listen = |wake: driver::Wake| {
        signals::catch(move || {
            raised.store(true, Ordering::SeqCst);
            wake();
        })
    };
    driver::run(keyboard.lines, options, listen, |engine| {
        Play::new(
            setup,
            engine,
            keyboard.out,
            Library::new(opening, Learn::Asked),
            Instant::now(),
        )
    })
    .context("playing")?;
    if !interrupted.load(Ordering::SeqCst) {
        return Ok(ExitCode::SUCCESS);
    }
    if !keyboard.prompts && is_interactive {
        // The line editor prints from its own thread.
        thread::sleep(EDITOR_PATIENCE);
    }
    Ok(signals::exit_code())
}

/// The time that the line editor has to print the last lines.
const EDITOR_PATIENCE: Duration = Duration::from_millis(50);

impl Args {
    /// The first game, with its clocks.
    fn table(&self) -> Result<Table> {
        let mut table = Table::default();
        table.clock = self.clock.map(|(main, increment)| {
            let [main, increment] = [main, increment].map(|time| time.as_secs_f64());
            Clock {
                main,
                increment,
                overtime: None,
            }
        });
        table.move_time = self.move_time;
        match self.start.as_deref().map(Path::new) {
            Some(path) if path.is_file() => {
                warn_of_both(path.as_ref());
                table
                    .load(path, read_game)?
                    .into_iter()
                    .for_each(output::message);
            }
            Some(text) => table.set(&text.to_string_lossy()).with_context(|| {
                format!("\"{}\" is neither a file nor a position", text.display())
            })?,
            None => {}
        }
        Ok(table)
    }
}

/// The first game of a file, and whether more follow.
fn read_game(path: &Path) -> Result<(Detected, bool)> {
    let name = path
        .to_str()
        .with_context(|| format!("{}: its name is no text", path.display()))?;
    let mut entries = InputArgs::of(name).entries();
    let first = entries
        .next()
        .with_context(|| format!("{} holds no game", path.display()))??;
    let has_more = entries.next().is_some();
    Ok((first.found, has_more))
}
