//! `emilia analyze`: a filter of JSON lines, and tables of games for people.

mod table;

use std::io::{self, BufRead, BufReader, Cursor, IsTerminal, stdin};
use std::mem;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};

use super::analysis_args::AnalysisArgs;
use super::input::{InputArgs, Reader, ShardArgs, open_file, warn_of_both};
use super::output;
use super::results::{self, ResultArgs};
use super::search_args::LanguageArgs;
use super::store_args;
use crate::analysis::{Defaults, Settings, ShortFields};
use crate::engine::Opening;
use crate::protocols::console::{LineReader, MARK, MAX_LINE_BYTES};
use crate::protocols::json::{self, Lines, Step};
use crate::util::packed::unpacked;

use table::Form;

#[derive(clap::Args)]
// The page of clusters explains `--first-line`, that of people `--trap`, and the help of the other commands `--store-size`.
#[command(mut_arg("trap", |arg| arg.hide(true)))]
#[command(mut_arg("store_size", |arg| arg.hide(true)))]
#[command(after_help = "\
Given positions or games, it prints a table of each: the move played, the best
move, the discs lost, the chance to win.
Requests, one JSON object per line from stdin or a file, get a line of JSON
each. Scores are in discs for the side to move. The answer to a faulty request
has the field `error`, and the exit code is 1. `emilia help json` explains
every field, `emilia help schema` prints the JSON schema.

  {\"id\":1,\"position\":\"f5d6c3\",\"depth\":14}      one position
  {\"id\":2,\"game\":\"f5d6c3d3c4\",\"losses\":true}   every position of a game
  {\"id\":3,\"position\":\"f5\",\"best_moves\":\"all\"}  every move
  {\"id\":4,\"position\":\"f5d6c3\",\"why\":\"en\"}      every move explained
  {\"id\":5,\"position\":\"f5\",\"nodes\":1000000,\"avoid\":[\"d6\"],\"partial_every\":1}
  {\"cancel\":5}

Examples:
  emilia analyze game.ggf --depth 16
  emilia analyze --why game.ggf
  emilia analyze --why --language fr f5d6c3d3c4
  emilia analyze --why --json f5d6c3d3c4
  emilia analyze f5d6c3d3c4 WTH_2020.wtb --limit 10 -j 4
  printf 'f5d6c3\\nf5f6\\n' | emilia analyze --moves 3
  echo '{\"id\":1,\"position\":\"f5d6c3\"}' | emilia analyze --depth 12
  emilia analyze requests.jsonl -j 4 -o answers.jsonl --resume
  emilia analyze positions.txt --budget 10:00 --json -o judged.jsonl
  emilia analyze requests.jsonl --shard 2/8 -o part-2.jsonl.gz
  emilia analyze requests.jsonl --fields id,score,depth,best --depth 8
  emilia analyze WTH_2020.wtb --limit 10 --store answers/
  emilia analyze --reproducible --nodes 100000 <requests.jsonl | sha256sum")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    shard: ShardArgs,
    /// Print JSON: the answers of positions and games, instead of tables.
    #[arg(long)]
    json: bool,
    /// Explain each move in sentences.
    #[arg(long, conflicts_with = "fields")]
    why: bool,
    #[command(flatten)]
    language: LanguageArgs,
    /// Print only these fields of each answer: id,score,depth,best,moves,played,loss,names and others [default: all].
    #[arg(long, value_name = "NAMES")]
    fields: Option<ShortFields>,
    #[command(flatten)]
    results: ResultArgs,
    /// Number of the first line, where the requests are a part of a larger input.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..), hide = true)]
    first_line: u64,
    /// Number of best moves; a request may name another number [default: 1, with --trap all].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    moves: Option<u8>,
    /// Print the same bytes for the same input and any --jobs: answers in order, without times.
    #[arg(long, conflicts_with_all = ["move_time", "budget"])]
    reproducible: bool,
    #[command(flatten)]
    analysis: AnalysisArgs,
}

/// The most positions in progress at once; at this number reading waits.
const QUEUE: usize = 1 << 16;

/// Analyzes the positions and games of the command line, or answers requests until the end of input.
pub fn run(args: &Args) -> Result<ExitCode> {
    let input = args.shard.of(&args.input);
    let settings = args.settings()?;
    let weights = settings.weights.clone();
    let book = settings.book.clone();
    let options = |command| args.options(command, &input, &weights, book.as_deref());
    let Some(requests) = args.requests()? else {
        ensure!(
            args.json || args.fields.is_none(),
            "--fields is for answers in JSON: give --json"
        );
        ensure!(
            args.first_line == 1,
            "--first-line is for requests; positions and games are counted from 1"
        );
        let form = match settings.defaults.why {
            _ if args.json => Form::Json,
            Some(language) => Form::Sentences(language),
            None => Form::Table,
        };
        let options = || options("analyze of positions and games");
        let settings = Settings {
            in_order: true,
            ..settings
        };
        return table::run(&input, settings, form, &args.results, options);
    };
    let (writer, mut results) = args.results.lines(|| options("analyze of requests"))?;
    let done = mem::take(&mut results.done);
    let record = results.record.clone();
    let progress = Arc::new(args.results.progress(0));
    progress.message("positions answered");
    let shown = Arc::clone(&progress);
    let lines = Lines {
        selection: input.selection(),
        before: args.first_line - 1,
        done,
        record,
        watch: Arc::new(move |step| match step {
            Step::Asked(positions) => shown.extend(positions as u64),
            Step::Answered => shown.advance(1),
        }),
    };
    let store = settings.store.clone();
    let settings = results.within_budget(settings);
    let totals = json::run(requests, writer, settings, lines)
        .with_context(|| format!("analyzing {}", input.names()))?;
    progress.clear();
    store_args::report(store.as_deref());
    let code = match totals.errors {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    };
    results.finish(&input, totals, weights.clone())?;
    Ok(code)
}

impl Args {
    /// The source of requests: stdin, or the one file that holds some. `None` if the inputs are positions or games.
    fn requests(&self) -> Result<Option<LineReader>> {
        let reader: Reader = match &self.input.inputs[..] {
            [] => {
                if stdin().is_terminal() {
                    output::message(
                        "reading positions, games or requests in JSON; see emilia help analyze",
                    );
                }
                if !stdin_has_requests().context("reading stdin")? {
                    return Ok(None);
                }
                unpacked(BufReader::with_capacity(MAX_LINE_BYTES, stdin()))
                    .context("reading stdin")?
            }
            [path] => {
                let file = request_file(Path::new(path));
                let Some(file) = file.with_context(|| format!("reading {}", path.display()))?
                else {
                    return Ok(None);
                };
                file
            }
            _ => return Ok(None),
        };
        ensure!(
            self.input.from.is_none() && !self.input.keep_going,
            "--from and --keep-going are for positions and games; the input holds requests"
        );
        Ok(Some(LineReader::new(self.input.checksum.of(reader))))
    }

    /// The options that decide the answers to an input, with the contents of their files.
    fn options(
        &self,
        command: &str,
        input: &InputArgs,
        weights: &str,
        book: Option<&Opening>,
    ) -> Result<String> {
        let mut options = self.analysis.facts(book)?;
        options.extend(self.reproducible.then(|| "--reproducible".to_owned()));
        options.push(format!("--moves {}", self.analysis.moves(self.moves)));
        options.push(format!("--first-line {}", self.first_line));
        options.extend(
            self.why
                .then(|| format!("--why {:?}", self.language.language)),
        );
        options.extend(
            self.fields
                .as_ref()
                .map(|fields| format!("--fields {fields}")),
        );
        results::options(command, input, weights, options)
    }

    fn settings(&self) -> Result<Settings> {
        let settings = self.analysis.settings(self.reproducible)?;
        Ok(Settings {
            // A budget is shared by all positions: they are read first.
            queue: if settings.budget.is_some() {
                usize::MAX
            } else {
                QUEUE
            },
            in_order: self.reproducible,
            defaults: Defaults {
                moves: self.analysis.moves(self.moves),
                why: self.why.then_some(self.language.language),
                ..settings.defaults
            },
            fields: self.fields.clone(),
            ..settings
        })
    }
}

/// The file, if it begins as one of requests does; a pipe is read as positions and games are.
fn request_file(path: &Path) -> io::Result<Option<Reader>> {
    if !path.is_file() {
        return Ok(None);
    }
    let mut file = open_file(path)?;
    let begin = file.fill_buf()?;
    let is_request = begins_request(begin);
    if is_request {
        warn_of_both(path.as_os_str());
    }
    Ok(is_request.then_some(file))
}

/// Whether stdin begins as requests do, or is empty; reads nothing that another reader would miss.
fn stdin_has_requests() -> io::Result<bool> {
    let begin = stdin().lock().fill_buf()?.to_vec();
    let is_empty = begin.trim_ascii().is_empty();
    let mut begin = unpacked(Cursor::new(begin))?;
    // The begin of a packed input may be too short to unpack.
    let is_request = begin.fill_buf().map_or(true, begins_request);
    Ok(is_empty || is_request)
}

fn begins_request(text: &[u8]) -> bool {
    let text = text.strip_prefix(MARK).unwrap_or(text).trim_ascii_start();
    // A brace without a quote may begin a comment of a PGN file.
    let rest = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"\""))
}
