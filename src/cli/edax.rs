//! `emilia edax`: the console of Edax, and its table of solved positions.

use std::io::{BufReader, stdin};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::bench;
use super::input::is_stdin;
use super::output::{self, Output};
use super::search_args::parse_selectivity;
use super::session::{self, Protocol};
use crate::board::perft::Passes;
use crate::eval::Evaluator;
use crate::protocols::console::{InputLine, LineReader, MAX_LINE_BYTES};
use crate::protocols::edax::rows::clock;
use crate::protocols::edax::solve::{Problem, Table};
use crate::protocols::edax::{USUAL_LEVEL, limits, sides_of_mode};
use crate::protocols::session::ConsoleOptions;
use crate::search::{Info, Limits, Line, Observer, Options, Search, Selectivity, Silent, Stop, Task};
use crate::training::labels::wthor;
use crate::util::input_file;

/// Arguments of `emilia edax`.
#[derive(clap::Args)]
#[group(skip)]
#[command(after_help = "\
Programs that drive Edax over a pipe can start Emilia with the same options,
spelt as they are there; `emilia -q -level 5` opens this console, too. It says
`Edax plays F5`, since they look for these words.

Examples:
  emilia edax --level 10
  emilia -q -l 21 -h 22 -n 1
  emilia edax --solve books/ffo-1-19.obf --level 60
  emilia -count games 8
  printf 'f5\\nhint 3\\nquit\\n' | emilia edax --quiet --level 8")]
pub struct Args {
    #[command(flatten)]
    session: session::Args,
    /// How much is shown: 0 only answers, 1 boards and tables, 2 each iteration, 3 and 4 the same.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=4), help_heading = "Console")]
    verbose: u8,
    /// Whom the engine plays unasked: 0 White, 1 Black, 2 both, 3 nobody.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=3), help_heading = "Console")]
    mode: u8,
    /// Midgame depth in plies, and empties from which it solves, over the level.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=60), help_heading = "Console")]
    depth: Option<u8>,
    /// How sure cuts must be, over the level: 73, 87, 95, 98, 99 or 100 percent [default: the level's].
    #[arg(long, value_name = "PERCENT", value_parser = parse_selectivity, help_heading = "Console")]
    selectivity: Option<Selectivity>,
    /// Solve the positions of this OBF file, print Edax's table of them, and end; `-` is stdin [default: none].
    #[arg(long, value_name = "FILE", help_heading = "Console")]
    solve: Option<PathBuf>,
    /// Solve the games of this WTHOR file from where their theoretical scores are known, tell those that differ, and end
    /// [default: none].
    #[arg(long, value_name = "FILE", conflicts_with = "solve", help_heading = "Console")]
    wtest: Option<PathBuf>,
    /// Count `games`, the sequences of so many moves from the start, and end [default: nothing].
    #[arg(long, value_names = ["WHAT", "PLIES", "BOARD"], num_args = 2..=3, conflicts_with_all = ["solve", "wtest"], help_heading = "Console")]
    count: Option<Vec<String>>,
    /// Measure the speed over the first N positions of `emilia bench`, and end [default: none].
    #[arg(long, value_name = "N", conflicts_with_all = ["solve", "wtest", "count"], help_heading = "Console")]
    bench: Option<usize>,
}

/// The level's own default in the help of this command.
pub fn with_own_level(command: clap::Command) -> clap::Command {
    let help = format!(
        "Strength from 0 to 60: about the midgame depth in plies [default: {USUAL_LEVEL}, and under a clock as deep as \
         time allows]"
    );
    command.mut_arg("level", |level| level.help(help))
}

impl Args {
    fn console(&self) -> ConsoleOptions {
        ConsoleOptions {
            verbosity: if self.session.quiet { 0 } else { self.verbose },
            plays: sides_of_mode(self.mode.into()),
            depth: self.depth,
            selectivity: self.selectivity,
        }
    }
}

/// Opens the console, or does the work of a batch.
pub fn run(args: &Args) -> Result<ExitCode> {
    match args {
        Args { solve: Some(path), .. } => solve(args, path),
        Args { wtest: Some(path), .. } => wtest(args, path),
        Args { count: Some(words), .. } => count(words),
        Args { bench: Some(positions), .. } => bench::standard(&mut args.search()?, *positions),
        _ => {
            let options = crate::protocols::session::SessionOptions {
                console: args.console(),
                ..args.session.options()
            };
            session::run_with(&args.session, Some(Protocol::Edax), options)
        }
    }
}

impl Args {
    /// The search of a batch.
    fn search(&self) -> Result<Search> {
        let engine = self.session.prepare(Some(Protocol::Edax))?;
        let evaluator = engine.evaluator.unwrap_or_else(|| Arc::new(Evaluator::default()));
        Ok(Search::new(&Options { threads: engine.threads, hash_mib: engine.hash_mib }, evaluator))
    }
}

/// Counts the games of so many plies.
fn count(words: &[String]) -> Result<ExitCode> {
    let offered = "--count games PLIES, on the usual board, is what there is";
    match words {
        [what, plies] if what == "games" => {
            let plies = plies.parse().ok().filter(|plies| (0..=15).contains(plies));
            let plies = plies.with_context(|| {
                format!("--count games: expected plies from 0 to 15, found {:?}", words[1])
            })?;
            bench::count_sequences(plies, Passes::Counted)
        }
        [what, _] => bail!("--count {what} is not offered; {offered}"),
        [what, _, board] => bail!("--count {what} on a board of {board} is not offered; {offered}"),
        _ => bail!("{offered}"),
    }
}

/// Solves the positions of a WTHOR file whose scores are known; the line of what was done so far is written over.
fn wtest(args: &Args, path: &Path) -> Result<ExitCode> {
    let mut search = args.search()?;
    let file = path.display();
    let warn = |error: anyhow::Error| {
        output::message(format_args!("WARNING: {error:#}"));
        Ok(())
    };
    let (mut out, mut errors, mut nodes, mut time) = (Output::by_line(), 0, 0, Duration::ZERO);
    for (number, known) in (1..).zip(wthor::read(path, warn)?) {
        search.clear();
        let result = search.run(&Task::new(known.board, Limits::exact()), &Stop::new(), &mut Silent);
        let found =
            result.info.lines.first().map_or(known.board.final_score(), |line| line.score.round_discs());
        let expected = known.score.round_discs();
        nodes += result.info.nodes;
        time += result.info.time;
        if found != expected {
            errors += 1;
            output::message(format_args!("WARNING: {file}, position {number}: {found:+}, not {expected:+}"));
        }
        out.text(format_args!("{file}  game: {number}, error: {errors} ; {nodes} nodes in {}", clock(time)))?;
        out.bytes(b"\r")?;
    }
    out.text("\n")?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Each position as it comes: a client may write the next one when it has read of the last.
fn solve(args: &Args, path: &Path) -> Result<ExitCode> {
    let mut search = args.search()?;
    let mut reader = if is_stdin(path.as_os_str()) {
        LineReader::new(BufReader::new(stdin()))
    } else {
        LineReader::new(BufReader::new(
            input_file::open_stream(path).with_context(|| format!("reading {}", path.display()))?,
        ))
    };
    let (options, console) = (args.session.options(), args.console());
    let limits = limits(options.level, &console, options.time);
    let mut table = Table::new(&path.to_string_lossy(), console.verbosity);
    let mut out = Output::by_line();
    let say = |out: &mut Output, text: String| {
        // Whole lines, each with its end.
        text.strip_suffix('\n').map_or(Ok(()), |lines| out.line(lines))
    };
    say(&mut out, table.head())?;
    while let Some(line) = reader.read()? {
        let problem = match line {
            InputLine::Text(text) => Problem::read(&text),
            InputLine::TooLong => bail!("{}: a line of more than {MAX_LINE_BYTES} bytes", path.display()),
        };
        let problem = match problem {
            Ok(Some(problem)) => problem,
            Ok(None) => continue,
            Err(error) => {
                output::message(format_args!("WARNING: {error}"));
                continue;
            }
        };
        say(&mut out, table.begin(&problem))?;
        search.clear();
        let task = Task::new(problem.position.board, limits);
        let mut watch = Watch { table: &table, problem: &problem, out: &mut out, shown: None };
        let result = search.run(&task, &Stop::new(), &mut watch);
        let shown = watch.shown;
        say(&mut out, table.end_of(&problem, &result, shown.as_ref()))?;
    }
    say(&mut out, table.end())?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Shows iterations where that is asked for.
struct Watch<'a> {
    table: &'a Table,
    problem: &'a Problem,
    out: &'a mut Output,
    shown: Option<Line>,
}

impl Observer for Watch<'_> {
    fn iteration(&mut self, info: &Info) {
        let text = self.table.iteration(self.problem, info);
        if let Some(lines) = text.strip_suffix('\n') {
            // What cannot be written now cannot be written at the end either, and is told there.
            let _ = self.out.line(lines);
            self.shown = info.lines.first().cloned();
        }
    }
}
