//! `emilia analyze`: a filter of JSON lines, and tables of games for people.

mod table;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, IsTerminal, stdin};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};

use super::book_args::BookFileArgs;
use super::budget::BudgetArgs;
use super::input::{BitsArg, InputArgs};
use super::output;
use super::search_args::EvalArgs;
use crate::analysis::{Defaults, Done, SCHEMA, Settings};
use crate::engine::Options;
use crate::eval::{EvalKind, Evaluator, Weights};
use crate::protocols::console::{LineReader, LineWriter, MARK};
use crate::protocols::json;
use crate::search::{Goal, Limits};

/// Arguments of `emilia analyze`.
#[derive(clap::Args)]
#[command(after_help = "\
Given positions or games it prints a table for each: the move played, the best
one, the discs lost, the chance to win. Without any it reads requests from
stdin, one JSON object per line, and answers each with another; so it does with
a file of requests. Scores are in discs for the side to move. Requests with
faults are answered with `error`.

  {\"id\":1,\"position\":\"f5d6c3\",\"depth\":14}      one position
  {\"id\":2,\"game\":\"f5d6c3d3c4\",\"losses\":true}   every position of a game
  {\"id\":3,\"position\":\"f5\",\"moves\":\"all\"}       every move
  {\"id\":5,\"position\":\"f5d6c3\",\"explain\":true}     why
  {\"id\":4,\"position\":\"f5\",\"nodes\":1000000,\"avoid\":[\"d6\"],\"report\":1}
  {\"cancel\":4}

Examples:
  emilia analyze game.ggf --depth 16
  emilia analyze f5d6c3d3c4 WTH_2020.wtb --limit 10 -n 4
  printf '8/8/8/3pP3/3Pp3/8/8/8 b\\n' | emilia analyze - --moves 3
  echo '{\"id\":1,\"position\":\"f5d6c3\"}' | emilia analyze --depth 12
  emilia analyze requests.jsonl --threads 4 >answers.jsonl
  emilia analyze --skip-done answers.jsonl <requests.jsonl >>answers.jsonl
  emilia analyze --reproducible --nodes 100000 <requests.jsonl | sha256sum
  emilia analyze --schema")]
pub struct Args {
    /// Print the JSON schema of requests and answers.
    #[arg(long)]
    schema: bool,
    #[command(flatten)]
    input: InputArgs,
    /// With positions or games: their answers as JSON instead of tables.
    #[arg(long, requires = "inputs")]
    json: bool,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Until win, draw or loss is proven.
    #[arg(long, conflicts_with_all = ["depth", "level", "exact"], help_heading = super::budget::HEADING)]
    wld: bool,
    /// How many of the best moves to score where a request does not say.
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    moves: u8,
    /// Answer in the order of the requests.
    #[arg(long)]
    in_order: bool,
    /// The same bytes for the same input, whatever the threads: in order, each position from a cleared
    /// state, no times.
    #[arg(long, conflicts_with = "seconds")]
    reproducible: bool,
    /// Pass over what this output of an earlier run has answered.
    #[arg(long, value_name = "FILE")]
    skip_done: Option<PathBuf>,
    /// Positions under way at most; reading waits when there are as many.
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    queue: u32,
    /// Positions searched side by side, each by one thread.
    #[arg(short = 'n', short_alias = 't', long, value_name = "N", default_value = "1", value_parser = Options::parse_threads)]
    threads: usize,
    /// Size of each thread's transposition table in MiB.
    #[arg(long, value_name = "MIB", default_value = "16", value_parser = Options::parse_hash_mib)]
    hash: usize,
    #[command(flatten)]
    eval: EvalArgs,
    /// What answers tell of the opening book; it changes no search.
    #[command(flatten)]
    book: BookFileArgs,
}

/// Analyses what the command line names, or answers requests until the end of input.
pub fn run(args: &Args) -> Result<ExitCode> {
    if args.schema {
        return output::print(SCHEMA);
    }
    let done = args.skip_done.as_deref().map_or_else(|| Ok(Done::default()), skip_done)?;
    let settings = args.settings()?;
    let Some(requests) = args.requests()? else {
        ensure!(
            args.skip_done.is_none(),
            "--skip-done is for requests; positions and games are analysed anew"
        );
        return table::run(&args.input, Settings { in_order: true, ..settings }, args.json);
    };
    json::run(requests, LineWriter::stdout(), settings, done).context("analysing")?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Where requests come from: stdin, or the one file that is named if it holds some. `None` if what is named
    /// are positions or games.
    ///
    /// # Errors
    /// When options are given that choose among positions and games, or the file cannot be read.
    fn requests(&self) -> Result<Option<LineReader>> {
        let reader = match &self.input.inputs[..] {
            [] => LineReader::stdin(),
            [path] => {
                match request_file(Path::new(path)).with_context(|| format!("reading {}", path.display()))? {
                    Some(file) => LineReader::new(file),
                    None => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        let InputArgs { from, bits, skip, limit, keep_going, .. } = self.input;
        let chooses = from.is_some() || bits != BitsArg::A1lsb || skip > 0 || limit.is_some() || keep_going;
        ensure!(
            !chooses,
            "--from, --bits, --skip, --limit and --keep-going are for positions and games; here are requests, which say \
             themselves what to analyse"
        );
        if self.input.inputs.is_empty() && stdin().is_terminal() {
            output::message("reading requests, one JSON object per line; see emilia help analyze");
        }
        Ok(Some(reader))
    }

    fn limits(&self) -> Limits {
        let limits = self.budget.limits();
        match self.wld {
            // Without depth or level whatever else bounds it goes to the end.
            true => Limits {
                goal: Goal::WinLossDraw,
                nodes: limits.nodes,
                clock: limits.clock,
                ..Limits::exact()
            },
            false => limits,
        }
    }

    fn settings(&self) -> Result<Settings> {
        Options::check_memory(self.threads * self.hash).context("option --hash, for each thread")?;
        let evaluator = self.eval.evaluator()?;
        Ok(Settings {
            threads: self.threads,
            hash_mib: self.hash,
            queue: self.queue as usize,
            in_order: self.in_order || self.reproducible,
            defaults: Defaults {
                limits: self.limits(),
                moves: self.moves.into(),
                calibrated: evaluator.kind() == EvalKind::Network && self.eval.weights.is_none(),
                reproducible: self.reproducible,
            },
            weights: self.weights_name(&evaluator)?,
            book: self.book.opening()?.map(Arc::new),
            evaluator: Arc::new(evaluator),
        })
    }

    /// The evaluation and a checksum of the weights, such as `network 1a2b3c4d`.
    fn weights_name(&self, evaluator: &Evaluator) -> Result<String> {
        let kind = evaluator.kind();
        if kind == EvalKind::Classic {
            return Ok(kind.to_string());
        }
        let checksum = match &self.eval.weights {
            Some(path) => {
                crc32fast::hash(&fs::read(path).with_context(|| format!("reading {}", path.display()))?)
            }
            None => Weights::embedded_checksum(),
        };
        Ok(format!("{kind} {checksum:08x}"))
    }
}

/// The file, if it begins as one of requests does; a pipe is read as positions and games are.
fn request_file(path: &Path) -> io::Result<Option<BufReader<File>>> {
    if !path.is_file() {
        return Ok(None);
    }
    let mut file = BufReader::new(File::open(path)?);
    let begin = file.fill_buf()?;
    let begin = begin.strip_prefix(MARK).unwrap_or(begin).trim_ascii_start();
    // A brace alone may begin a comment of a PGN file.
    let is_object = begin.strip_prefix(b"{").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\""));
    Ok(is_object.then_some(file))
}

/// What the file answers already. If stdout is appended to the same file, its torn last line is cut off.
fn skip_done(path: &Path) -> Result<Done> {
    let context = || format!("reading {}", path.display());
    if !path.exists() {
        // The first run of a loop that always says --skip-done.
        return Ok(Done::default());
    }
    let file = File::open(path).with_context(context)?;
    let length = file.metadata().with_context(context)?.len();
    let (done, whole) = Done::read(BufReader::new(file)).with_context(context)?;
    if whole < length && is_stdout(path) {
        let file = File::options().write(true).open(path).with_context(context)?;
        file.set_len(whole).with_context(|| format!("cutting the torn last line off {}", path.display()))?;
    }
    Ok(done)
}

/// Whether stdout goes to this very file.
#[cfg(unix)]
fn is_stdout(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (fs::metadata(path), fs::metadata("/dev/stdout")) {
        (Ok(file), Ok(stdout)) => (file.dev(), file.ino()) == (stdout.dev(), stdout.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_stdout(_path: &Path) -> bool {
    false
}
