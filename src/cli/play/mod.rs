//! `emilia play`: Othello in the terminal.

mod command;
mod hint;
mod screen;
mod session;
mod table;
#[cfg(test)]
mod tests;
mod words;

use std::io::{IsTerminal, stdin};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::draw::Style;
use super::people::PlayerArgs;
use super::search_args::{SearchArgs, parse_seconds};
use super::{logging, output};
use crate::engine::{Level, Options};
use crate::notation::ggf::Clock;
use crate::protocols::console::LineReader;
use crate::protocols::driver;
use crate::protocols::library::{Learn, Library};
use crate::util::seconds::parse_clock;

use command::Who;
use session::{Play, Setup};
use table::Table;

/// Arguments of `emilia play`.
#[derive(clap::Args)]
#[command(after_help = "\
Type a square to play there, ? for all commands. You can paste any position or
game at any time.
Input may come from a pipe: each line then waits until the engine has moved.

Examples:
  emilia play
  emilia play --white human --black engine --level 12 --bar
  emilia play --elo 900
  emilia play --clock 5:00+3 -o today.ggf
  emilia play --start exampleBoard
  emilia play --book-policy within:1 --seed 7
  printf 'f5\\nhint\\nquit\\n' | emilia play --level 2")]
pub struct Args {
    /// Who plays Black: human or engine.
    #[arg(long, value_name = "WHO", default_value = "human")]
    black: Who,
    /// Who plays White: human or engine.
    #[arg(long, value_name = "WHO", default_value = "engine")]
    white: Who,
    /// Begin with this game or position: a file of any notation, or the text itself.
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    start: Option<String>,
    /// Write the game to this file after every move, as GGF.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Time of each side for the game, and the increment per move: 300 or 5:00+3.
    #[arg(long, value_name = "TIME[+INC]", value_parser = parse_clock)]
    clock: Option<(Duration, Duration)>,
    /// Time of the engine per move: seconds or M:SS.
    #[arg(long, value_name = "TIME", value_parser = parse_seconds, conflicts_with = "clock")]
    move_time: Option<Duration>,
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
    /// Write all messages to this file.
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
            true => table.load(Path::new(game))?.map_or((), output::message),
            false => {
                table.set(game).with_context(|| format!("\"{game}\" is neither a file nor a position"))?
            }
        }
    }
    let is_interactive = stdin().is_terminal();
    let style = match args.ascii {
        true => Style::Ascii,
        false => Style::of_stdout(),
    };
    let setup = Setup {
        table,
        seats: [args.black, args.white],
        level: args.player.level().unwrap_or(args.level),
        handicap: args.player.handicap(),
        style,
        is_interactive,
        bar: args.bar,
        output: args.output.clone(),
    };
    let opening = args.player.opening().unwrap_or_else(|error| {
        output::message(format_args!("playing without the book: {error}"));
        None
    });
    // Told now in one line; the engine would only warn.
    let evaluator = Some(Arc::new(args.search.eval.evaluator()?));
    let (threads, hash_mib) = (args.search.threads, args.search.hash);
    let options = Options { threads, hash_mib, evaluator, ..Options::default() };
    driver::run(LineReader::stdin(), options, |engine| {
        Play::new(setup, engine, std::io::stdout(), Library::new(opening, Learn::Asked), Instant::now())
    })
    .context("playing")?;
    Ok(ExitCode::SUCCESS)
}
