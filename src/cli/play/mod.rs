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

use super::book_args::BookArgs;
use super::draw::Style;
use super::people::PeopleArgs;
use super::search_args::{SearchArgs, parse_seconds};
use super::{logging, output};
use crate::engine::{Level, Options};
use crate::notation::ggf::Clock;
use crate::protocols::console::LineReader;
use crate::protocols::driver;

use command::Who;
use session::{Play, Setup};
use table::Table;

/// Arguments of `emilia play`.
#[derive(clap::Args)]
#[command(after_help = "\
Type a square to play there, ? for all commands. You can paste any position or game at any time.
Works through pipes too: what is typed then waits until the engine has moved.

Examples:
  emilia play
  emilia play --white human --black engine --level 12 --bar
  emilia play --elo 900
  emilia play --clock 5:00+3 --keep today.ggf
  emilia play --load exampleBoard
  emilia play --book-policy within:1 --book-seed 7
  printf 'f5\\nhint\\nquit\\n' | emilia play --level 2")]
pub struct Args {
    /// Who plays Black.
    #[arg(long, value_name = "WHO", default_value = "human")]
    black: Who,
    /// Who plays White.
    #[arg(long, value_name = "WHO", default_value = "engine")]
    white: Who,
    /// Begin with this game or position: a file of any notation, or the text itself.
    #[arg(long, value_name = "GAME", allow_hyphen_values = true)]
    load: Option<String>,
    /// Keep the game in this file after every move, as GGF.
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Time of each side for the game in minutes and seconds, and if you like the seconds it gains per move: 5:00 or
    /// 5:00+3.
    #[arg(long, value_name = "M:SS[+S]", value_parser = parse_clock)]
    clock: Option<Clock>,
    /// Time of the engine for each move.
    #[arg(long, value_name = "S", value_parser = parse_seconds, conflicts_with = "clock")]
    seconds: Option<Duration>,
    /// Show a bar with the engine's opinion beside the board.
    #[arg(long)]
    bar: bool,
    /// Only plain letters: no colours, no round discs.
    #[arg(long)]
    ascii: bool,
    /// Strength of the engine from 0 to 60: about the midgame depth in plies.
    #[arg(short, long, value_name = "N", default_value = "6", help_heading = "Engine")]
    level: Level,
    /// Weak play.
    #[command(flatten)]
    people: PeopleArgs,
    /// The opening book.
    #[command(flatten)]
    book: BookArgs,
    /// Write all messages to this file.
    #[arg(long, value_name = "FILE", help_heading = "Engine")]
    log: Option<PathBuf>,
    /// The engine.
    #[command(flatten)]
    search: SearchArgs,
}

fn parse_clock(text: &str) -> Result<Clock, String> {
    // GGF writes a slash, matches a plus.
    let (main, increment) = text.split_once(['+', '/']).unwrap_or((text, "0"));
    if !main.contains(':') {
        let unit = match main.parse::<f64>() {
            Ok(_) => format!("; {main} alone may be either: {main}:00 or 0:{main:0>2}"),
            Err(_) => String::new(),
        };
        return Err(format!("expected minutes and seconds, such as 5:00 or 5:00+3{unit}"));
    }
    let seconds = |text: &str| parse_seconds(text).map(|time| time.as_secs_f64());
    let increment = if increment.trim_start_matches('0').is_empty() { 0.0 } else { seconds(increment)? };
    Ok(Clock { main: seconds(main)?, increment, overtime: None })
}

/// Plays until the player leaves or the input ends.
pub fn run(args: &Args) -> Result<ExitCode> {
    logging::start(args.log.as_deref())?;
    let mut table = Table::default();
    table.clock = args.clock;
    table.move_time = args.seconds;
    if let Some(game) = &args.load {
        match Path::new(game).is_file() {
            true => table.load(Path::new(game))?.map_or((), output::message),
            false => table.set(game).with_context(|| format!("\"{game}\" is no file, and no position"))?,
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
        level: args.people.level().unwrap_or(args.level),
        handicap: args.people.handicap(),
        style,
        is_interactive,
        bar: args.bar,
        keep: args.keep.clone(),
    };
    let opening = args.book.opening().unwrap_or_else(|error| {
        output::message(format_args!("playing without the book: {error}"));
        None
    });
    // Told now in one line; the engine would only warn.
    let evaluator = Some(Arc::new(args.search.eval.evaluator()?));
    let (threads, hash_mib) = (args.search.threads, args.search.hash);
    let options = Options { threads, hash_mib, evaluator, ..Options::default() };
    driver::run(LineReader::stdin(), options, |engine| {
        Play::new(setup, engine, std::io::stdout(), Instant::now()).with_book(opening)
    })
    .context("playing")?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod clock_tests {
    use super::*;

    #[test]
    fn clocks_have_minutes_and_seconds() {
        let clock = |main, increment| Ok(Clock { main, increment, overtime: None });
        assert_eq!(parse_clock("5:00"), clock(300.0, 0.0));
        assert_eq!(parse_clock("5:00+3"), clock(300.0, 3.0));
        assert_eq!(parse_clock("0:30/0"), clock(30.0, 0.0));
        for text in ["5:75", "0:00", "5:00+x", "soon", "-1:00", ""] {
            assert!(parse_clock(text).is_err(), "{text}");
        }
        assert!(parse_clock("5").unwrap_err().contains("5:00 or 0:05"));
    }
}
