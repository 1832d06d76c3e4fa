//! `emilia nboard`, `gtp` and `cassio`, and plain `emilia`, which detects the protocol by the first known line.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};

use super::people::PlayerArgs;
use super::search_args::{SearchArgs, parse_move_time};
use super::{logging, output, play};
use crate::engine::{Level, Options};
use crate::eval::{Evaluator, WeightsError};
use crate::peers::Protocol;
use crate::protocols::console::{InputLine, LineReader, LineWriter};
use crate::protocols::library::{Learn, Library};
use crate::protocols::session::{ConsoleOptions, SessionOptions};
use crate::protocols::{self, nboard};
use crate::search::Clock;
use crate::tournament::players::parse_game_clock;
use crate::util::refusal::Refusal;

pub const NBOARD_HELP: &str = "\
In NBoard: Engine > Select Opponent > Add engine. Name: Emilia. Working
directory: the folder that holds `emilia`. Command: ./emilia nboard, on Windows
emilia.exe nboard. Choose Emilia and a level, then Engine > User plays Black.
NBoard's level is the depth in plies. For hints: Engine > Select Analysis
Engine, then Analysis > Value all moves. To play without hints clear View >
Always show evals.

Examples:
  emilia nboard --threads 4 --hash 512
  printf 'set depth 10\\nhint 3\\n' | emilia nboard --batch";

pub const GTP_HELP: &str = "\
In Quarry: Preferences > GTP engines > Add, command `/path/to/emilia gtp`.
In GoGui: Program > New Program, the same command. GoGui takes the rules of
Othello from Emilia. In a session, `emilia-param elo 900` sets the strength.
Emilia accepts the command lines with which match tools start Edax and
Egaroucid.

Examples:
  emilia gtp --level 20
  emilia gtp --move-time 2
  emilia gtp --elo 900
  emilia -gtp -q -level 8 -n-tasks 2 -ponder off -book-usage off
  printf 'genmove b\\nshowboard\\n' | emilia gtp --batch";

pub const CASSIO_HELP: &str = "\
For Cassio, and for programs that start Edax with -cassio. Every line begins
with ENGINE-PROTOCOL.

Examples:
  emilia cassio --threads 4
  echo 'ENGINE-PROTOCOL init' | emilia cassio";

/// The options with an effect for Cassio; the others are accepted, because programs send them to Edax.
const OF_CASSIO: &[&str] = &["threads", "hash", "eval", "log", "help"];

/// The help of `cassio` shows only the options that it reads.
pub fn as_cassio(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| {
        let is_read = OF_CASSIO.contains(&arg.get_id().as_str());
        if is_read { arg } else { arg.hide(true) }
    })
}

/// Arguments of all sessions.
#[derive(clap::Args, Clone, Debug)]
// Programs add options to those of the user: the last one counts.
#[command(args_override_self = true)]
pub struct Args {
    /// Threads, table and evaluation.
    #[command(flatten)]
    pub search: SearchArgs,
    /// Strength from 0 to 60: about the midgame depth in plies [default: 16; with a GTP clock as deep as time
    /// allows].
    #[arg(short, long, value_name = "N", help_heading = "Engine")]
    level: Option<Level>,
    #[command(flatten)]
    player: PlayerArgs,
    /// Append messages to this file; also all traffic.
    #[arg(long, value_name = "FILE", help_heading = "Engine")]
    log: Option<PathBuf>,
    /// Finish every search, even after the end of input, for scripts. By default it ends after 0.2 seconds
    /// (NBoard) or 10 (GTP).
    #[arg(long, help_heading = "Session")]
    batch: bool,
    /// Time per move or position: seconds or M:SS. Holds until the client sets a clock.
    #[arg(
        long,
        help_heading = "Session",
        value_name = "TIME",
        value_parser = parse_move_time,
        conflicts_with = "clock"
    )]
    move_time: Option<Clock>,
    /// Time of each side for the game, and the increment per move: 300 or 5:00+3. Holds until the client sets a clock.
    #[arg(long, help_heading = "Session", value_name = "TIME[+INC]", value_parser = parse_game_clock)]
    clock: Option<Clock>,
    /// Accepted for other engines' command lines; sessions are always quiet.
    #[arg(short, long, hide = true)]
    pub(super) quiet: bool,
    /// Search in the opponent's time [default: off].
    #[arg(long, help_heading = "Session", value_name = "on|off", value_parser = ["on", "off"])]
    ponder: Option<String>,
    /// Games that the book learns: asked (NBoard's `learn`) or games (also GTP games that end). The first one makes a missing
    /// file of --book.
    #[arg(
        long,
        help_heading = "Session",
        value_name = "WHAT",
        default_value = "asked",
        hide_possible_values = true,
        conflicts_with = "no_book"
    )]
    learn: Learn,
    /// Accepted for other engines' command lines: loads the weights if the file is Emilia's.
    #[arg(long, hide = true, value_name = "FILE")]
    eval_file: Option<PathBuf>,
    /// `off` is `--no-book`, for other engines' command lines.
    #[arg(long, hide = true, value_name = "on|off", value_parser = ["on", "off"])]
    book_usage: Option<String>,
    /// Text to write to the log.
    #[arg(long, hide = true, value_name = "TEXT", allow_hyphen_values = true)]
    note: Vec<String>,
    /// A warning.
    #[arg(long, hide = true, value_name = "TEXT", allow_hyphen_values = true)]
    warning: Vec<String>,
    #[arg(skip)]
    pub(super) console: ConsoleOptions,
}

impl Args {
    /// Starts logging and returns the options of the engine. Odd options are warnings, in the log and in NBoard's status.
    pub(super) fn prepare(&self, protocol: Option<Protocol>) -> Result<Options> {
        logging::start(self.log.as_deref())?;
        let is_nboard = protocol == Some(Protocol::NBoard);
        if protocol.is_some() && !is_nboard {
            logging::complain();
        }
        let warn = |text: &str| {
            log::warn!("{text}");
            if is_nboard {
                let _ = output::print(&format!("{}\n", nboard::print::status(text)));
            }
        };
        self.note
            .iter()
            .for_each(|note| log::info!("command line: {note}"));
        self.warning
            .iter()
            .for_each(|text| warn(&format!("command line: {text}")));
        let eval = &self.search.eval;
        let evaluator = match &self.eval_file {
            // An error ends the program here; the worker would only warn.
            _ if eval.eval.is_some() => {
                let evaluator = eval.evaluator()?;
                self.player.check(eval.is_calibrated(&evaluator))?;
                Some(evaluator)
            }
            Some(path) => foreign_evaluation(path).unwrap_or_else(|why| {
                warn(&why);
                None
            }),
            None => None,
        };
        let SearchArgs {
            threads,
            hash: hash_mib,
            ..
        } = self.search;
        Ok(Options {
            threads,
            hash_mib,
            evaluator: evaluator.map(Arc::new),
            ..Options::default()
        })
    }

    /// The book of the session, as [`Library::open`].
    fn library(&self) -> Library {
        let is_off = self.book_usage.as_deref() == Some("off");
        let options = if is_off { None } else { self.player.book() };
        Library::open(options, self.learn)
    }

    pub fn options(&self) -> SessionOptions {
        SessionOptions {
            level: self.player.level().or(self.level),
            batch: self.batch,
            time: self.move_time.or(self.clock).unwrap_or_default(),
            ponder: self.ponder.as_deref() == Some("on"),
            handicap: self.player.handicap(),
            person_seed: self.player.person_seed(),
            console: self.console,
        }
    }
}

/// Begins a session in the protocol of the first known line; a person at a terminal can also play.
pub fn begin(args: &Args) -> Result<ExitCode> {
    let mut reader = LineReader::stdin();
    if io::stdin().is_terminal() {
        output::message("type `play` to play here, `help` for all commands, `quit` to end;");
        output::message("or speak NBoard or GTP, such as `hint 3` or `genmove black`");
        loop {
            let Some(line) = reader.read().context("waiting for a command")? else {
                return Ok(ExitCode::SUCCESS);
            };
            match &line {
                InputLine::Text(text) if text.trim() == "play" => return play::here(),
                InputLine::Text(text) if text.trim() == "help" => {
                    output::print(&super::command().render_help().to_string())?;
                }
                _ => {
                    reader.unread(vec![line]);
                    break;
                }
            }
        }
    }
    run_on(args, None, reader)
}

/// Runs a session in the protocol until `quit` or the end of input.
pub fn run(args: &Args, protocol: Protocol) -> Result<ExitCode> {
    run_on(args, Some(protocol), LineReader::stdin())
}

/// Runs a session in the protocol, or in that of the first known line, until `quit` or the end of input.
fn run_on(args: &Args, protocol: Option<Protocol>, mut reader: LineReader) -> Result<ExitCode> {
    let engine = args.prepare(protocol).inspect_err(|error| {
        if protocol == Some(Protocol::NBoard) {
            // NBoard shows only the last status of an engine that ends.
            let _ = output::print(&format!(
                "{}\n",
                nboard::print::status(&format!("{error:#}"))
            ));
        }
    })?;
    let library = args.library();
    let detected = protocol.map_or_else(|| detect(&mut reader), |protocol| Ok(Some(protocol)));
    let Some(protocol) = detected.context("waiting for a command")? else {
        return Ok(ExitCode::SUCCESS);
    };
    if protocol != Protocol::NBoard {
        logging::complain();
        if let Some(notice) = library.notice() {
            log::info!("{notice}");
            output::message(notice);
        }
    }
    protocols::run(
        protocol,
        reader,
        LineWriter::stdout(),
        engine,
        library,
        args.options(),
    )
    .with_context(|| format!("{protocol} session"))?;
    Ok(ExitCode::SUCCESS)
}

/// Reads up to the first known line and puts the lines back; `None` at `quit` or the end.
fn detect(reader: &mut LineReader) -> io::Result<Option<Protocol>> {
    /// Most unknown lines kept for the session.
    const REMEMBERED: usize = 64;
    let mut seen = Vec::new();
    while let Some(line) = reader.read()? {
        let text = if let InputLine::Text(text) = &line {
            text.trim()
        } else {
            ""
        };
        let protocol = protocols::of_line(text);
        if text.eq_ignore_ascii_case("quit") {
            break;
        }
        if seen.len() < REMEMBERED || protocol.is_some() {
            seen.push(line);
        }
        if protocol.is_some() {
            reader.unread(seen);
            return Ok(protocol);
        }
    }
    Ok(None)
}

/// The evaluation in the file of `--eval-file`; `None` for another engine's file.
///
/// # Errors
/// When the file cannot be read or is damaged.
fn foreign_evaluation(path: &Path) -> Result<Option<Evaluator>, Refusal> {
    match Evaluator::load(None, Some(path)) {
        Ok(evaluator) => Ok(Some(evaluator)),
        Err(WeightsError::Magic) => {
            log::info!("{}: another engine's evaluation, ignored", path.display());
            Ok(None)
        }
        Err(error) => {
            Err(format!("option --eval-file: {}: {error}; ignored", path.display()).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn the_first_known_line_decides_and_is_kept() {
        use Protocol::{Edax, Gtp, NBoard};
        for (input, protocol, first) in [
            ("nboard 2\nping 1\n", Some(NBoard), Some("nboard 2")),
            ("ping 1\n", Some(NBoard), Some("ping 1")),
            ("\nhello\nset depth 3\n", Some(NBoard), Some("")),
            ("1 name\nping 1\n", Some(Gtp), Some("1 name")),
            ("# comment\nboardsize 8\n", Some(Gtp), Some("# comment")),
            ("init\ngo\n", Some(Edax), Some("init")),
            ("set level 1\n", Some(Edax), Some("set level 1")),
            ("quit\nping 1\n", None, Some("ping 1")),
            ("hello", None, None),
        ] {
            let mut reader = LineReader::new(Cursor::new(input));
            assert_eq!(detect(&mut reader).unwrap(), protocol, "{input}");
            let first = first.map(|text| InputLine::Text(text.to_owned()));
            assert_eq!(reader.read().unwrap(), first, "{input}");
        }
    }
}
