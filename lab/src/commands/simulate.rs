//! `emilia-lab simulate`: how much time more threads would save on as many free processors.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Result, ensure};

use crate::cli::bench::{Budget, PositionArgs};
use crate::cli::output::Output;
use crate::cli::search_args::SearchArgs;
use crate::coroutines::OnThisThread;
use crate::search::Task;
use crate::search::simulated::{simulated, times};

#[derive(clap::Args)]
#[command(after_help = "\
Example:
  emilia-lab simulate --threads 4 --input xot.txt --limit 24 --depth 24")]
pub struct Args {
    #[command(flatten)]
    positions: PositionArgs,
    #[command(flatten)]
    budget: Budget,
    #[command(flatten)]
    search: SearchArgs,
}

/// Nodes of searches with one thread and with several.
#[derive(Clone, Copy, Default)]
struct Nodes {
    one: u64,
    several: u64,
    /// The simulated time, in nodes.
    time: u64,
    /// The time that threads waited, all together.
    idle: u64,
}

impl Nodes {
    fn row(&self, threads: usize) -> String {
        let Self {
            one,
            several,
            time,
            idle,
        } = *self;
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        format!(
            "{one:>11} nodes  {:5.2} times as fast  {:+6.1} % nodes  {:5.1} % idle",
            one as f64 / time.max(1) as f64,
            share(several, one) - 100.0,
            share(idle, time * threads as u64),
        )
    }
}

/// Searches each position from an empty table, with one thread and with simulated ones.
pub fn run(args: &Args) -> Result<ExitCode> {
    let threads = args.search.threads;
    ensure!(threads > 1, "--threads {threads}: expected two or more");
    let one_thread = SearchArgs {
        threads: 1,
        ..args.search.clone()
    };
    let mut one = one_thread.search()?;
    let mut several = simulated(
        &args.search.options(),
        one.evaluator().clone(),
        Arc::new(OnThisThread),
    );
    let mut sum = Nodes::default();
    let mut out = Output::by_line();
    for (number, (board, _)) in (1..).zip(args.positions.read()?) {
        for search in [&mut one, &mut several] {
            search.clear();
            search.run(&Task::new(board, args.budget.limits()));
        }
        let (time, idle) = times(&several);
        let nodes = Nodes {
            one: one.counters().nodes,
            several: several.counters().nodes,
            time,
            idle,
        };
        out.line(format_args!("{number:3}  {}", nodes.row(threads)))?;
        sum.one += nodes.one;
        sum.several += nodes.several;
        sum.time += nodes.time;
        sum.idle += nodes.idle;
    }
    out.line(format_args!("all  {}", sum.row(threads)))?;
    Ok(ExitCode::SUCCESS)
}
