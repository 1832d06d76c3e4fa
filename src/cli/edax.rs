//! `emilia edax`: the console of Edax, and its table of solved positions.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail};

use super::input::is_stdin;
use super::output::{self, Output};
use super::search_args::parse_selectivity;
use super::session;
use crate::eval::Evaluator;
use crate::peers::Protocol;
use crate::protocols::console::{InputLine, LineReader, MAX_LINE_BYTES};
use crate::protocols::edax::solve::{Problem, Table};
use crate::protocols::edax::{USUAL_LEVEL, limits, sides_of_mode};
use crate::protocols::session::ConsoleOptions;
use crate::search::{Info, Options, Search, Selectivity, Stop, Task};
use crate::util::input_file;

/// Arguments of `emilia edax`.
#[derive(clap::Args)]
#[group(skip)]
#[command(after_help = "\
Programs that drive Edax over a pipe can start Emilia with the options of Edax:
`emilia -q -level 5` opens this console too. It prints `Edax plays F5`, because
programs look for these words.

Examples:
  emilia edax --level 10
  emilia -q -l 21 -h 22 -n 1
  emilia edax --solve books/ffo-1-19.obf --level 60
  printf 'f5\\nhint 3\\nquit\\n' | emilia edax --quiet --level 8")]
pub struct Args {
    #[command(flatten)]
    session: session::Args,
    /// Verbosity: 0 only answers, 1 boards and tables, 2 to 4 each iteration.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=4), help_heading = "Console")]
    verbose: u8,
    /// Side the engine plays automatically: 0 White, 1 Black, 2 both, 3 neither.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=3), help_heading = "Console")]
    mode: u8,
    /// Search depth in plies. Replaces the depth of the level and the empties from which it solves.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=60), help_heading = "Console")]
    depth: Option<u8>,
    /// Selectivity of the searches in percent: 52, 73, 87, 95, 98, 99 or 100 (no selectivity) [default: the level's].
    #[arg(long, value_name = "PERCENT", value_parser = parse_selectivity, help_heading = "Console")]
    selectivity: Option<Selectivity>,
    /// Solve the positions of this OBF file (`-` is stdin) and print them as Edax's table [default: open the console].
    #[arg(long, value_name = "FILE", help_heading = "Console")]
    solve: Option<PathBuf>,
}

/// Sets the default level in the help of this command.
pub fn with_own_level(command: clap::Command) -> clap::Command {
    let help = format!(
        "Strength from 0 to 60: about the midgame depth in plies [default: {USUAL_LEVEL}; with a clock as deep as \
         time allows]"
    );
    command.mut_arg("level", |level| level.help(help))
}

impl Args {
    fn session(&self) -> session::Args {
        let mut session = self.session.clone();
        session.console = ConsoleOptions {
            verbosity: if self.session.quiet { 0 } else { self.verbose },
            plays: sides_of_mode(self.mode.into()),
            depth: self.depth,
            selectivity: self.selectivity,
        };
        session
    }
}

pub fn run(args: &Args) -> Result<ExitCode> {
    match &args.solve {
        Some(path) => solve(args, path),
        None => session::run(&args.session(), Protocol::Edax),
    }
}

/// Solves each position as it comes: a client may write the next one after the last answer.
fn solve(args: &Args, path: &Path) -> Result<ExitCode> {
    let engine = args.session.prepare(Some(Protocol::Edax))?;
    let evaluator = engine
        .evaluator
        .unwrap_or_else(|| Arc::new(Evaluator::default()));
    let mut search = Search::new(
        &Options {
            threads: engine.threads,
            hash_mib: engine.hash_mib,
        },
        evaluator,
    );
    let mut reader = if is_stdin(path.as_os_str()) {
        LineReader::stdin()
    } else {
        let file =
            input_file::open_stream(path).with_context(|| format!("reading {}", path.display()))?;
        LineReader::new(BufReader::new(file))
    };
    let options = args.session().options();
    let limits = limits(options.level, &options.console, options.time);
    let mut table = Table::new(&path.to_string_lossy(), options.console.verbosity);
    let mut out = Output::by_line();
    let say = |out: &mut Output, text: String| {
        // Whole lines, each with its end.
        text.strip_suffix('\n')
            .map_or(Ok(()), |lines| out.line(lines))
    };
    say(&mut out, table.head())?;
    while let Some(line) = reader.read()? {
        let InputLine::Text(text) = line else {
            bail!(
                "{}: a line of more than {MAX_LINE_BYTES} bytes",
                path.display()
            )
        };
        let problem = match Problem::read(&text) {
            Ok(Some(problem)) => problem,
            Ok(None) => continue,
            Err(error) => {
                output::message(format_args!("WARNING: {error}"));
                continue;
            }
        };
        say(&mut out, table.heading(&problem))?;
        search.clear();
        let task = Task::new(problem.position.board, limits);
        let mut shown = None;
        let mut watch = |info: &Info| {
            let text = table.iteration(&problem, info);
            if !text.is_empty() {
                // A failed write fails again at the end.
                let _ = say(&mut out, text);
                shown = info.lines.first().cloned();
            }
        };
        let result = search.run_with(&task, &Stop::new(), &mut watch);
        say(&mut out, table.end_of(&problem, &result, shown.as_ref()))?;
    }
    say(&mut out, table.end())?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
