//! `emilia book grow`: selects and searches book positions.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ffi::OsString;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::arguments;
use crate::analysis::store::Store;
use crate::board::{Score, SquareSet};
use crate::book::expand::{Ask, Plan, Wanted};
use crate::book::graph::{Graph, Node};
use crate::book::{Answer, BookEditor, BookKey, Canonical, Record, SearchLevel, USUAL_LEVEL};
use crate::cli::input::InputArgs;
use crate::cli::output;
use crate::cli::progress::Progress;
use crate::cli::search_args::{EvalArgs, parse_range, parse_seconds, parse_selectivity};
use crate::cli::store_args::{self, StoreArgs};
use crate::engine::answer_of;
use crate::search::{Limits, Options, Search, Selectivity, Task, side_by_side};

/// The least number of positions chosen at a time for each job: their answers change the next choice.
const BATCH: usize = 16;
/// A large book is divided by this for the number of positions chosen at a time: a choice visits the whole book, at two
/// microseconds a position, and should take a hundredth of the time of the searches.
const BATCH_SHARE: usize = 256;
/// The number of answers between two writes of the book.
const FOLD: usize = 20_000;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  Best play from the usual start, weaker lines less deep:
    emilia book grow my.book --positions 10000 --jobs 4
  For an hour, wider and less deep; 52 % takes a third of the time of 73 %:
    emilia book grow my.book --time 60:00 --loss 2 --ply 0.5 --selectivity 52
  Below a position:
    emilia book grow my.book --start f5d6c3d3c4 --positions 500
  The positions of the book again, deeper:
    emilia book grow my.book --no-new --depth 26 --loss 1 --time 30:00
  Positions of many games without a search:
    emilia book grow my.book --min-games 100
  The positions along games of the engine with its book:
    emilia match book=emilia:book=my.book,policy=within:0.5 emilia --games 100 \\
      --move-time 0.1 --ggf games.ggf
    emilia book grow my.book --input games.ggf --depth 24 --empties 26-60

Each run searches --positions further positions. A shallow search of all moves
selects those that become positions. --input also searches the next best move if
the known moves turn out worse than expected. `book import` counts the results
of games.")]
pub struct GrowArgs {
    /// The book; created if necessary
    book: PathBuf,
    #[command(flatten)]
    plan: PlanArgs,
    /// Search only positions of the book; add no others
    #[arg(long, conflicts_with_all = ["input", "min_games"])]
    no_new: bool,
    /// Read games or positions of these files; search their positions
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["start", "loss", "ply", "min_games"])]
    input: Vec<OsString>,
    /// Least number of games of a position; searches all positions with at least N
    #[arg(long, value_name = "N", conflicts_with_all = ["start", "loss", "ply"])]
    min_games: Option<u64>,
    /// Number of positions [default: no limit]
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// Stop after this time: seconds or M:SS
    #[arg(long, value_name = "TIME", value_parser = parse_seconds)]
    time: Option<Duration>,
    /// Number of searches or games side by side; each has one thread.
    #[arg(short, long, value_name = "N", help_heading = "Engine", default_value = "1", value_parser = Options::parse_jobs)]
    jobs: usize,
    /// Size of the hash table of each search, in MiB
    #[arg(long, value_name = "MIB", help_heading = "Engine", default_value = "64", value_parser = Options::parse_hash_mib)]
    hash: usize,
    #[command(flatten)]
    eval: EvalArgs,
    #[command(flatten)]
    store: StoreArgs,
}

#[derive(clap::Args, Clone)]
pub struct PlanArgs {
    /// Begin with this position or game: moves or a position in any notation [default: the usual start]
    #[arg(
        long,
        value_name = "POSITION",
        default_value = "",
        hide_default_value = true
    )]
    start: String,
    /// Search depth in plies
    #[arg(long, value_name = "N", default_value_t = USUAL_LEVEL.depth, value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: u8,
    /// Selectivity of the searches in percent: 52, 73, 87, 95, 98, 99 or 100 (full width)
    #[arg(long, value_name = "PERCENT", default_value = "73", value_parser = parse_selectivity)]
    selectivity: Selectivity,
    /// Discs that both sides together may lose; follow no other lines
    #[arg(long, value_name = "DISCS", default_value_t = 4.0)]
    loss: f64,
    /// Penalty per ply, in discs: a small one follows best play deeper, a large one grows wider
    #[arg(long, value_name = "DISCS", default_value_t = 0.25)]
    ply: f64,
    /// Numbers of empties of the positions
    #[arg(long, value_name = "LO-HI", default_value = "30-60", value_parser = parse_range)]
    empties: (u32, u32),
}

impl PlanArgs {
    pub fn plan(&self) -> Result<Plan> {
        Ok(Plan {
            ply: arguments::discs("--ply", self.ply)?,
            loss: arguments::discs("--loss", self.loss)?,
            empties: self.empties.0.max(1)..=self.empties.1,
            // Unless the search reaches the end of the game.
            level: SearchLevel::own(self.depth, self.selectivity.percent() as u8),
            grows: true,
        })
    }

    pub fn root(&self) -> Result<BookKey> {
        arguments::key_of(arguments::position(&self.start)?.board)
    }
}

pub fn grow(args: &GrowArgs) -> Result<()> {
    let plan = Plan {
        grows: !args.no_new,
        ..args.plan.plan()?
    };
    let root = args.plan.root()?;
    let game_positions = positions_of(&args.input, &plan)?;
    let of_games = !args.input.is_empty();
    let is_bounded = args.no_new || of_games || args.min_games.is_some();
    ensure!(
        is_bounded || args.positions.is_some() || args.time.is_some(),
        "say how much to search: --positions N or --time TIME"
    );
    let must_exist = args.no_new || args.min_games.is_some();
    let book = if must_exist {
        arguments::edit_existing(&args.book)?
    } else {
        BookEditor::open(&args.book)?
    };
    let graph = arguments::graph_of(&book)?;
    let evaluator = Arc::new(args.eval.evaluator()?);
    let store = args
        .store
        .open(&args.eval.name(&evaluator)?, args.hash, 1, false)?;
    let options = Options {
        threads: 1,
        hash_mib: args.hash,
    };
    let searches = (0..args.jobs)
        .map(|_| Search::new(&options, Arc::clone(&evaluator)))
        .collect();
    let deadline = args.time.map(|time| Instant::now() + time);
    let limit = args.positions.unwrap_or(u64::MAX);
    let mut builder = BookBuilder {
        book,
        graph,
        searches,
        store,
        plan: plan.clone(),
        limit,
        deadline,
    };
    // A question whose answer changes nothing is not asked again.
    let mut asked = HashSet::new();
    builder.work(|graph, count| match args.min_games {
        Some(games) => popular(graph, games, &plan.empties, count),
        None if of_games => {
            let skip = |key, ask| asked.contains(&(key, ask));
            let wanted = plan.along(graph, &game_positions, count, &skip);
            asked.extend(wanted.iter().map(|wanted| (wanted.key, wanted.ask)));
            wanted
        }
        None => plan.wanted(graph, root, count, &|_, _| false),
    })
}

/// The positions of all games with the plan's empties.
fn positions_of(files: &[OsString], plan: &Plan) -> Result<Vec<BookKey>> {
    let mut keys = Vec::new();
    let mut games = 0u64;
    for file in files {
        InputArgs::of(file).for_each(|entry| {
            let boards = entry
                .record()
                .game
                .positions()
                .iter()
                .map(|position| position.board);
            let boards = boards.filter(|board| plan.empties.contains(&board.empty_count()));
            keys.extend(boards.filter_map(Canonical::of).map(Canonical::key));
            games += 1;
            Ok(ControlFlow::Continue(()))
        })?;
    }
    keys.sort_unstable();
    keys.dedup();
    if !files.is_empty() {
        output::message(format!("{games} games, {} positions in them", keys.len()));
    }
    Ok(keys)
}

/// Unsearched positions of at least `games` games, the most popular first.
fn popular(graph: &Graph, games: u64, empties: &RangeInclusive<u32>, count: usize) -> Vec<Wanted> {
    let is_open =
        |node: &Node| node.entry.searched.is_none() && empties.contains(&node.board.empty_count());
    let open = graph.nodes.iter().filter(|(_, node)| is_open(node));
    let played = open.map(|(key, node)| (node.entry.games().count(), *key));
    let mut list: Vec<(u64, BookKey)> = played.filter(|(played, _)| *played >= games).collect();
    list.sort_unstable_by_key(|&(played, key)| (Reverse(played), key));
    let ask = Ask::Search {
        avoid: SquareSet(0),
    };
    list.into_iter()
        .take(count)
        .map(|(_, key)| Wanted {
            key,
            ask,
            cost: Score::ZERO,
        })
        .collect()
}

struct BookBuilder {
    book: BookEditor,
    graph: Graph,
    searches: Vec<Search>,
    store: Option<Arc<Store>>,
    plan: Plan,
    limit: u64,
    deadline: Option<Instant>,
}

impl BookBuilder {
    /// Searches the positions of `choose`, until a limit or until it returns no more.
    ///
    /// The journal gets each answer at once, so the same command continues after a kill.
    fn work(&mut self, mut choose: impl FnMut(&Graph, usize) -> Vec<Wanted>) -> Result<()> {
        let progress = Progress::new(self.limit.min(1 << 40), 0);
        let start = Instant::now();
        let mut done = 0u64;
        let mut unfolded = 0;
        let mut last_report = start;
        while done < self.limit && !is_late(self.deadline) {
            let count = (BATCH * self.searches.len()).max(self.graph.nodes.len() / BATCH_SHARE);
            let mut wanted = choose(&self.graph, count);
            if wanted.iter().any(|wanted| wanted.ask == Ask::Look) {
                // The answers of looks change which searches are worth it.
                wanted.retain(|wanted| wanted.ask == Ask::Look);
            } else {
                wanted.truncate(usize::try_from(self.limit - done).unwrap_or(usize::MAX));
            }
            if wanted.is_empty() {
                break;
            }
            let searched = self.ask_all(&wanted, &progress)?;
            done += searched as u64;
            unfolded += searched;
            self.graph.negamax();
            if unfolded >= FOLD {
                self.fold()?;
                unfolded = 0;
            }
            let each = start.elapsed().as_secs_f64() / done.max(1) as f64;
            progress.message(&format!(
                "{} positions in the book, {each:.2} s each",
                self.graph.nodes.len()
            ));
            if !progress.is_shown() && last_report.elapsed() > Duration::from_secs(30) {
                last_report = Instant::now();
                log::info!(
                    "{done} searched, {each:.2} s each, {} in the book",
                    self.graph.nodes.len()
                );
            }
        }
        drop(progress);
        self.fold()?;
        store_args::report(self.store.as_deref());
        let seconds = start.elapsed().as_secs_f64();
        let path = self.book.path().display();
        output::print(&format!(
            "{done} positions searched in {seconds:.0} s; {} in {path}\n",
            self.graph.nodes.len()
        ))?;
        Ok(())
    }

    fn fold(&mut self) -> Result<()> {
        let games = self.book.games();
        Ok(self.book.rewrite(games, self.graph.clone())?)
    }

    /// Asks these questions; returns the number of searches that ended in time.
    fn ask_all(&mut self, wanted: &[Wanted], progress: &Progress) -> Result<usize> {
        let Self {
            book,
            graph,
            searches,
            store,
            plan,
            deadline,
            ..
        } = self;
        let mut finished = 0;
        let in_time = wanted.iter().take_while(|_| !is_late(*deadline));
        let store = store.as_deref();
        let answer =
            |search: &mut &mut Search, wanted| (wanted, answer(search, store, wanted, plan));
        side_by_side(
            searches,
            in_time,
            answer,
            |(wanted, answer): (&Wanted, _)| {
                book.learn(&[Record::Answer(answer.clone())])?;
                if let Some((entry, board)) = graph.entry_mut(answer.key).zip(answer.key.board()) {
                    entry.absorb(board, &answer);
                }
                if wanted.ask != Ask::Look {
                    finished += 1;
                    progress.advance(1);
                }
                anyhow::Ok(())
            },
        )?;
        Ok(finished)
    }
}

fn is_late(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// Searches a position with a cleared table, so that the answer depends only on the position.
fn answer(search: &mut Search, store: Option<&Store>, wanted: &Wanted, plan: &Plan) -> Answer {
    let board = wanted.key.board().expect("a wanted key is of a position");
    let (level, avoid, multi_pv) = plan.search(wanted.ask, board);
    let limits = Limits::depth(level.depth);
    let selectivity = Selectivity::from_percent(level.percent.into()).unwrap_or(limits.selectivity);
    let limits = Limits {
        selectivity,
        ..limits
    };
    let task = Task {
        allowed: !avoid,
        multi_pv,
        ..Task::new(board, limits)
    };
    let result = store_args::answer(store, search, &task);
    answer_of(wanted.key, avoid, &result.info)
}
