//! `emilia solve`: exact scores, best moves and lines of positions.

mod certificate;
mod solution;

use std::collections::BTreeMap;
use std::mem;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::input::{ENTRY, Entry, InputArgs, ShardArgs, Tally};
use super::output::{self, Output};
use super::progress::{Progress, warn_of_solves};
use super::results::{self, ResultArgs, Results};
use super::search_args::{SearchArgs, parse_seconds};
use super::signals;
use super::store_args::{self, StoreArgs};
use crate::analysis::request::Tag;
use crate::analysis::store::Store;
use crate::analysis::{Totals, words};
use crate::board::{Board, Move};
use crate::engine::cost::Cost;
use crate::search::{
    Clock, Goal, Info, Limits, Observer, Options, Proof, Search, SearchResult, Silent, Stop, Task,
    side_by_side,
};
use certificate::{Certificate, CertificateArgs};
use solution::{HEADER, Solution, Sum};

#[derive(clap::Args)]
#[command(after_help = "\
Prints one line per position as it is solved, then the totals. The exit code is
1 if the search finds another score than an OBF file states. A game is solved
from its last position. Ctrl-C ends the search and prints the result so far.
`emilia help json` explains the fields of --json.

Examples:
  emilia solve books/ffo-1-19.obf --hash 512
  emilia solve --all-moves \\
    '--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X'
  emilia solve --json < positions.txt
  emilia solve --json positions.txt --shard 2/8 -o part-2.jsonl
  emilia solve positions.txt -j 4 --move-time 10
  emilia solve positions.txt --store answers/
  emilia solve positions.txt --certificate scores.proof")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    shard: ShardArgs,
    /// Prove only win, draw or loss, not the score.
    #[arg(long)]
    wld: bool,
    /// Score every legal move.
    #[arg(long, conflicts_with = "wld")]
    all_moves: bool,
    /// Print JSON: one object per position.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    results: ResultArgs,
    #[command(flatten)]
    certificate: CertificateArgs,
    /// Time per move or position: seconds or M:SS [default: until the score is proven].
    #[arg(long, value_name = "TIME", value_parser = parse_seconds)]
    move_time: Option<Duration>,
    /// Number of searches or games side by side; each has --threads, and all positions are read first.
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = Options::parse_jobs, help_heading = "Engine")]
    #[arg(conflicts_with = "certificate")]
    jobs: usize,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    store: StoreArgs,
}

/// Solves the positions one after another as they come, or side by side.
pub fn run(args: &Args) -> Result<ExitCode> {
    let stop = Stop::new();
    let input = args.shard.of(&args.input);
    let mut run = Run::new(args, &input, &stop)?;
    let mut waiting = Vec::new();
    let tally = input.for_each(|entry| {
        if !run.is_done(&entry)? {
            match args.jobs {
                1 => run.take(&entry)?,
                _ => waiting.push(entry),
            }
        }
        Ok(if stop.is_requested() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    if !waiting.is_empty() {
        run.take_all(&waiting)?;
    }
    run.end(&input, tally)
}

/// A run over the input.
struct Run<'a> {
    args: &'a Args,
    stop: &'a Stop,
    weights: String,
    calibrated: bool,
    store: Option<Arc<Store>>,
    search: Search,
    out: Output,
    results: Results,
    certificate: Option<Certificate<'a>>,
    is_headed: bool,
    sum: Sum,
    totals: Totals,
}

impl<'a> Run<'a> {
    fn new(args: &'a Args, input: &InputArgs, stop: &'a Stop) -> Result<Self> {
        let certificate = args.certificate.open(args.results.existing())?;
        let eval = &args.search.eval;
        Options::check_memory(args.jobs * args.search.hash)
            .context("option --hash, for each of --jobs")?;
        let evaluator = eval.evaluator()?;
        let weights = eval.name(&evaluator)?;
        let calibrated = eval.is_calibrated(&evaluator);
        let store = args
            .store
            .open(&weights, args.search.hash, args.search.threads, false)?;
        let search = Search::new(&args.search.options(), evaluator.into());
        let (out, results) = args
            .results
            .open(args.json, || args.options(input, &weights))?;
        let sum = Sum::default();
        let totals = Totals::default();
        let is_headed = args.json;
        Ok(Self {
            args,
            stop,
            weights,
            calibrated,
            store,
            search,
            out,
            results,
            certificate,
            is_headed,
            sum,
            totals,
        })
    }

    /// Whether an earlier run solved the position of this entry.
    fn is_done(&mut self, entry: &Entry) -> Result<bool> {
        let is_done = self.results.done.take(ENTRY, &tag(entry))?;
        if is_done {
            self.totals.resume(1);
        }
        Ok(is_done)
    }

    /// Solves the position of an entry and prints the result.
    fn take(&mut self, entry: &Entry) -> Result<()> {
        // Only a search catches the signal: while the program waits for input, a signal ends it.
        let catch = self.catch();
        let task = task(self.args, entry.position().board);
        let (result, is_stored) = self.answer(entry, &task);
        drop(catch);
        self.print(entry, &task, result, is_stored)
    }

    /// Makes the first signal end the searches.
    fn catch(&self) -> signals::Catch {
        let stop = self.stop.clone();
        signals::catch(move || stop.request())
    }

    /// Solves the positions of these entries side by side and prints the results in their order.
    fn take_all(&mut self, entries: &[Entry]) -> Result<()> {
        let args = self.args;
        let stop = self.stop;
        let store = self.store.clone();
        // A stop counts the nodes of its search: each has its own.
        let stops: Vec<Stop> = (0..args.jobs).map(|_| Stop::new()).collect();
        let all = [&stops[..], std::slice::from_ref(stop)].concat();
        let _catch = signals::catch(move || all.iter().for_each(Stop::request));
        let board = |entry: &Entry| entry.position().board;
        let tasks: Vec<Task> = entries
            .iter()
            .map(|entry| task(args, board(entry)))
            .collect();
        let boards = tasks.iter().map(|task| task.board);
        let limits = tasks[0].limits;
        warn_of_solves("all positions", boards, 1, &limits, args.jobs);
        let evaluator = Arc::clone(self.search.evaluator());
        let options = args.search.options();
        let searches = stops
            .iter()
            .map(|stop| (Search::new(&options, Arc::clone(&evaluator)), stop));
        let numbered = tasks
            .iter()
            .enumerate()
            .take_while(|_| !stop.is_requested());
        let solve = |(with, stop): &mut (Search, &Stop), (number, task): (usize, &Task)| {
            let stored = store_args::find(store.as_deref(), task);
            let is_stored = stored.is_some();
            let search = || store_args::search(store.as_deref(), with, task, stop, &mut Silent);
            (number, stored.unwrap_or_else(search), is_stored)
        };
        let progress = Progress::new(entries.len() as u64, 0);
        let mut early = BTreeMap::new();
        let mut next = 0;
        side_by_side(searches, numbered, solve, |(number, result, is_stored)| {
            progress.advance(1);
            early.insert(number, (result, is_stored));
            while let Some((result, is_stored)) = early.remove(&next) {
                let print = || self.print(&entries[next], &tasks[next], result, is_stored);
                progress.suspend(print)?;
                next += 1;
            }
            Ok(())
        })
    }

    /// Prints the result of a position and notes it in the record.
    fn print(
        &mut self,
        entry: &Entry,
        task: &Task,
        result: SearchResult,
        is_stored: bool,
    ) -> Result<()> {
        if !mem::replace(&mut self.is_headed, true) {
            self.out.line(HEADER)?;
        }
        if self.stop.is_requested() && self.results.is_in_file() {
            // The next run with --resume solves it.
            return Ok(());
        }
        self.totals.search(result.info.nodes);
        let solution = Solution::new(entry, task, result, is_stored);
        let text = if self.args.json {
            let cost = Cost::of(task, self.args.search.threads, Some(&solution.result.info));
            solution.json(cost.as_ref(), self.calibrated, &self.weights)?
        } else {
            solution.row()
        };
        if let Some(record) = &self.results.record {
            record.note(&tag(entry), None, &text, true, solution.result.info.nodes)?;
        }
        self.out.line(text)?;
        self.sum.add(&solution);
        if let (Some(certificate), Proof::Exact) = (&mut self.certificate, solution.proof) {
            certificate.add(
                &mut self.search,
                entry.position(),
                solution.score(),
                self.stop,
            )?;
        }
        Ok(())
    }

    /// The result of a task, and whether it is from the store.
    fn answer(&mut self, entry: &Entry, task: &Task) -> (SearchResult, bool) {
        let store = self.store.as_deref();
        let threads = self.args.search.threads;
        if let Some(found) = store_args::find(store, task) {
            return (found, true);
        }
        let what = format_args!("position {}", entry.index);
        let board = [task.board];
        warn_of_solves(what, board, task.multi_pv, &task.limits, threads);
        let mut observer = Watch::new(entry, *task, threads);
        (
            store_args::search(store, &mut self.search, task, self.stop, &mut observer),
            false,
        )
    }

    /// Prints the totals and completes the files; a stopped run leaves an older certificate unchanged.
    fn end(mut self, input: &InputArgs, tally: Tally) -> Result<ExitCode> {
        let is_stopped = self.stop.is_requested();
        if !self.args.json && tally.entries > tally.failed {
            self.out.line(self.sum.row())?;
        }
        store_args::report(self.store.as_deref());
        if let Some(certificate) = self.certificate.filter(|_| !is_stopped) {
            let written = certificate.end()?;
            if !self.args.json {
                self.out.line(written)?;
            }
        }
        self.out.finish()?;
        if is_stopped {
            return Ok(signals::interrupted());
        }
        let code = if self.sum.missed == 0 {
            tally.code()
        } else {
            ExitCode::FAILURE
        };
        self.results.end(input, tally, self.totals, self.weights)?;
        Ok(code)
    }
}

impl Args {
    /// All options that the answers depend on.
    fn options(&self, input: &InputArgs, weights: &str) -> Result<String> {
        let flags = [(self.wld, "--wld"), (self.all_moves, "--all-moves")];
        let flags = flags
            .iter()
            .filter(|(is_given, _)| *is_given)
            .map(|(_, name)| (*name).to_owned());
        // Several moves may have the best score: the table and the threads decide which of them.
        let SearchArgs { threads, hash, .. } = self.search;
        let time = self
            .move_time
            .map(|time| format!("--move-time {}", time.as_secs_f64()));
        let engine = [format!("--hash {hash}"), format!("--threads {threads}")];
        let options = flags.chain(engine).chain(time);
        let options = options.chain(self.store.fact());
        results::options("solve", input, weights, options)
    }
}

fn tag(entry: &Entry) -> Tag {
    Tag {
        line: entry.index,
        crc32: entry.crc32(),
        ..Tag::default()
    }
}

fn task(args: &Args, board: Board) -> Task {
    let goal = if args.wld {
        Goal::WinLossDraw
    } else {
        Goal::Exact
    };
    let moves = board.moves().len() as usize;
    let multi_pv = if args.all_moves { moves.max(1) } else { 1 };
    Task {
        multi_pv,
        ..Task::new(
            board,
            Limits {
                goal,
                clock: args.move_time.map_or(Clock::Unlimited, Clock::Move),
                ..Limits::exact()
            },
        )
    }
}

/// Time between reports of a long search if stderr is no terminal.
const REPORT_EVERY: Duration = Duration::from_secs(60);

struct Watch {
    task: Task,
    threads: usize,
    progress: Progress,
    place: String,
    /// The last report if stderr is no terminal.
    reported: Instant,
}

impl Watch {
    fn new(entry: &Entry, task: Task, threads: usize) -> Self {
        let place = format!(
            "position {}, {} empties",
            entry.index,
            entry.position().board.empty_count()
        );
        let progress = Progress::of_messages();
        progress.message(&place);
        Self {
            task,
            threads,
            progress,
            place,
            reported: Instant::now(),
        }
    }
}

impl Observer for Watch {
    fn iteration(&mut self, info: &Info) {
        let is_shown = self.progress.is_shown();
        let Some(line) = info
            .lines
            .first()
            .filter(|_| is_shown || self.reported.elapsed() >= REPORT_EVERY)
        else {
            return;
        };
        let best = line.pv.first().map_or_else(String::new, Move::to_string);
        let place = &self.place;
        let seconds = info.time.as_secs_f64();
        let score = words::score_of(line);
        let depth = words::depth_in_words(line.depth, line.selectivity.percent());
        let cost = Cost::of(&self.task, self.threads, Some(info)).filter(Cost::is_long);
        let cost = cost.map_or(String::new(), |cost| {
            format!("; in all {}", words::cost(&cost))
        });
        let message = format!(
            "{place}: {depth}: {best} {score}, {} nodes, {seconds:.1} s{cost}",
            info.nodes
        );
        if is_shown {
            self.progress.message(&message);
        } else {
            output::message(message);
            self.reported = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, FromArgMatches};

    use super::*;
    use crate::board::Score;
    use crate::cli::input::testing::entry;
    use crate::eval::testing::evaluator;

    /// From the sets of 20 empties and the FFO test set, with their published scores.
    const KNOWN: [&str; 3] = [
        "--OXXO--XOXXXX--XOOOXXXXXOOXXXXXXOOOOXXX-XXXXXXX--XXOOO----XXOO- X; A6:+8; G1:+0; A1:-2; H8:-6; H7:-14; B1:-30;",
        "---OX--O----OXOO--XXXOOO--XXXOOX-XXXOOXX--XOXXXX--OOOXXX--XXXXXX X; D2:+2; G1:+0; C1:-2; B7:-4; B6:-6; F1:-12;",
        "-XXXX-----OXXX--XOXOXOXXOXOXXOXXOXXOXOOOXXXOXOOX--OXXO---OOOOO-- O; B2:+10; B7:+4; F1:+0; A7:-4; A2:-6; G2:-12;",
    ];

    #[test]
    fn published_scores_are_found_and_lines_end_the_game() {
        let cases = [
            (0, "--all-moves"),
            (0, "--wld"),
            (1, "--wld"),
            (2, "--wld"),
            (1, "--"),
            (2, "--"),
        ];
        for (index, option) in cases {
            let command = Args::augment_args(clap::Command::new("solve").no_binary_name(true));
            let args = Args::from_arg_matches(&command.get_matches_from([option])).unwrap();
            let entry = entry(KNOWN[index]);
            let board = entry.position().board;
            let task = task(&args, board);
            let mut search = Search::new(
                &Options {
                    threads: 1,
                    hash_mib: 1,
                },
                evaluator(),
            );
            let solution = Solution::new(&entry, &task, search.run(&task), false);
            assert!(
                solution.proof != Proof::None && solution.missed == 0,
                "{index} {option}"
            );
            let lines = &solution.result.info.lines;
            assert_eq!(lines.len(), task.multi_pv, "{index} {option}");
            for line in lines.iter().filter(|_| !args.wld) {
                let end = line.pv.iter().try_fold(board, |board, step| match step {
                    Move::Place(square) => board.play(*square),
                    Move::Pass => Some(board.pass()),
                });
                let end = end
                    .filter(|end| end.is_over())
                    .expect("the line ends the game");
                let sign = if line.pv.len() % 2 == 0 { 1 } else { -1 };
                assert_eq!(
                    Score::from_discs(sign * end.final_score()),
                    line.bound,
                    "{index} {option}"
                );
            }
        }
    }
}
