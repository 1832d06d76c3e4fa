//! Searching book positions: `build`, `extend`, `deepen`, `fill`, `follow`.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::board::{Board, Game, Score};
use crate::book::expand::{Ask, Plan, Wanted};
use crate::book::graph::Graph;
use crate::book::{Answer, Book, BookKey, Canonical, Record, SearchLevel, USUAL_LEVEL};
use crate::cli::input::InputArgs;
use crate::cli::output;
use crate::cli::progress::Progress;
use crate::cli::search_args::{SearchArgs, parse_selectivity};
use crate::engine::answer_of;
use crate::eval::Evaluator;
use crate::search::{self, Limits, Search, Selectivity, Silent, Stop, Task};

/// Positions chosen at a time for each thread, at least: what they tell changes what is worth a search next.
const BATCH: usize = 16;
/// Of a large book so many times fewer positions are chosen at a time: choosing goes over the whole of it, at two
/// microseconds a position, and is to take a hundredth of the time that the searches take.
const BATCH_SHARE: usize = 256;
/// Answers after which the journal is folded in.
const FOLD: usize = 20_000;

/// Which positions are worth a search.
#[derive(clap::Args, Clone)]
pub struct PlanArgs {
    #[command(flatten)]
    level: LevelArgs,
    /// Follow only lines in which both sides together give away at most so much
    #[arg(long, value_name = "DISCS", default_value_t = 4.0)]
    loss: f64,
    /// What a ply costs against a disc given away: less follows best play deeper, more builds wider
    #[arg(long, value_name = "DISCS", default_value_t = 0.25)]
    ply: f64,
    /// Leave positions with fewer empties to the search
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=60))]
    empties: u32,
}

/// Where to begin.
#[derive(clap::Args, Clone)]
pub struct RootArgs {
    /// Begin here instead of the usual start: a line of moves or a position
    #[arg(long, value_name = "POSITION", default_value = "")]
    from: String,
}

/// Arguments of `emilia book build`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia book build my.book --positions 10000 --threads 4
  emilia book build my.book --minutes 60 --loss 2 --ply 0.5
  Three times as many positions in the time, each a little less sure:
    emilia book build my.book --minutes 60 --selectivity 52

Before the moves of a position get positions of their own, a shallow look tells which of them come near the best.")]
pub struct BuildArgs {
    /// The book; made if there is none
    book: PathBuf,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    root: RootArgs,
}

/// Arguments of `emilia book extend`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia book extend my.book f5d6c3d3c4 --positions 500
  emilia book extend my.book f5f6e6f4 --loss 6 --minutes 10")]
pub struct ExtendArgs {
    /// The book
    book: PathBuf,
    /// The position or line of moves to grow from
    position: String,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    plan: PlanArgs,
}

/// Arguments of `emilia book deepen`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia book deepen my.book --depth 26 --loss 1 --minutes 30
  What games taught and nothing searched yet:
    emilia book deepen my.book --loss 20")]
pub struct DeepenArgs {
    /// The book
    book: PathBuf,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    root: RootArgs,
}

/// Arguments of `emilia book fill`.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  emilia book fill my.book --games 100 --threads 4")]
pub struct FillArgs {
    /// The book
    book: PathBuf,
    /// Search every position that so many games reached
    #[arg(long, value_name = "N", default_value_t = 100)]
    games: u64,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    level: LevelArgs,
}

/// Arguments of `emilia book follow`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia book follow my.book lost.ggf --threads 4
  Games of the engine with its book, until they are followed to 26 empties:
    emilia match book=emilia:book=my.book,policy=within:0.5 emilia --games 100 \\
      --move-time 0.1 --ggf games.ggf
    emilia book follow my.book games.ggf --depth 24 --empties 26

The positions on the way of each game are searched, and where the best known moves turn out worse than the search
before them had thought, the next best ones: so the book knows what its lines came to. Results of games do not count
here: `book import` counts them.")]
pub struct FollowArgs {
    /// The book
    book: PathBuf,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    level: LevelArgs,
    /// Leave positions with fewer empties to the search
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=60))]
    empties: u32,
}

/// How well positions are searched.
#[derive(clap::Args, Clone)]
struct LevelArgs {
    /// Depth of the searches, in plies; books for play are searched 22 plies and more
    #[arg(long, value_name = "N", default_value_t = USUAL_LEVEL.depth, value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: u8,
    /// How bold the searches are: 52, 73, 87, 95, 98, 99 or 100 (nothing left out); 52 takes a third of the time of 73
    #[arg(long, value_name = "PERCENT", default_value = "73", value_parser = parse_selectivity)]
    selectivity: Selectivity,
}

/// How long, with how many threads.
#[derive(clap::Args)]
struct WorkArgs {
    /// Search so many positions
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// Stop after so many minutes
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,
    /// Threads that search a position each, table and evaluation
    #[command(flatten)]
    search: SearchArgs,
}

impl PlanArgs {
    /// The plan.
    pub fn plan(&self) -> Result<Plan> {
        Ok(Plan {
            ply: super::discs("--ply", self.ply)?,
            loss: super::discs("--loss", self.loss)?,
            empties: self.empties,
            level: self.level.level(),
            grows: true,
        })
    }
}

impl RootArgs {
    /// The position to begin with.
    pub fn root(&self) -> Result<BookKey> {
        super::key_of(super::position(&self.from)?.board)
    }
}

impl LevelArgs {
    /// The level of a search that does not reach the end of the game.
    fn level(&self) -> SearchLevel {
        SearchLevel { depth: self.depth, percent: self.selectivity.percent() as u8, exact: false }
    }
}

/// Grows a book from the start.
pub fn build(args: &BuildArgs) -> Result<()> {
    ensure!(
        args.work.positions.is_some() || args.work.minutes.is_some(),
        "say how far: --positions N or --minutes N"
    );
    let (plan, root) = (args.plan.plan()?, args.root.root()?);
    let mut site = Site::open(Book::edit(&args.book)?, &args.work, plan)?;
    site.work(|graph, count| plan.wanted(graph, root, count, &|_, _| false))
}

/// Grows a book below a position.
pub fn extend(args: &ExtendArgs) -> Result<()> {
    let plan = args.plan.plan()?;
    let root = super::key_of(super::position(&args.position)?.board)?;
    let mut site = Site::open(super::edit_existing(&args.book)?, &args.work, plan)?;
    site.work(|graph, count| plan.wanted(graph, root, count, &|_, _| false))
}

/// Searches a book's positions again.
pub fn deepen(args: &DeepenArgs) -> Result<()> {
    let plan = Plan { grows: false, ..args.plan.plan()? };
    let root = args.root.root()?;
    let mut site = Site::open(super::edit_existing(&args.book)?, &args.work, plan)?;
    site.work(|graph, count| plan.wanted(graph, root, count, &|_, _| false))
}

/// Searches what many games reached.
pub fn fill(args: &FillArgs) -> Result<()> {
    let plan = Plan { level: args.level.level(), ..Plan::default() };
    let mut site = Site::open(super::edit_existing(&args.book)?, &args.work, plan)?;
    site.work(|graph, count| popular(graph, args.games, count))
}

/// Searches the ways of games.
pub fn follow(args: &FollowArgs) -> Result<ExitCode> {
    let (mut ways, mut games) = (Vec::new(), 0u64);
    let tally = args.input.for_each(|entry| {
        ways.extend(way(&entry.record().game, args.empties));
        games += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    ways.sort_unstable();
    ways.dedup();
    output::message(format!("{games} games, {} positions on their ways", ways.len()));
    let plan = Plan { level: args.level.level(), ..Plan::default() };
    let mut site = Site::open(super::edit_existing(&args.book)?, &args.work, plan)?;
    // A question whose answer changes nothing is not asked again.
    let mut asked = HashSet::new();
    site.work(|graph, count| {
        let wanted = plan.along(graph, &ways, count, &|key, ask| asked.contains(&(key, ask)));
        asked.extend(wanted.iter().map(|wanted| (wanted.key, wanted.ask)));
        wanted
    })?;
    Ok(tally.code())
}

/// The keys of a game's positions that have so many empties.
fn way(game: &Game, empties: u32) -> Vec<BookKey> {
    let boards = game.positions().iter().map(|position| position.board);
    let keys = boards.filter(|board| board.empty_count() >= empties).filter_map(Canonical::of);
    keys.map(|canonical| canonical.key()).collect()
}

/// Unsearched positions of at least `games` games, the most popular first.
fn popular(graph: &mut Graph, games: u64, count: usize) -> Vec<Wanted> {
    let mut list: Vec<(u64, BookKey)> = graph
        .keys()
        .to_vec()
        .into_iter()
        .filter_map(|key| {
            graph.node(key).filter(|node| node.entry.searched.is_none()).map(|node| (node, key))
        })
        .map(|(node, key)| (node.entry.games().count(), key))
        .filter(|(played, _)| *played >= games)
        .collect();
    list.sort_unstable_by_key(|&(played, key)| (std::cmp::Reverse(played), key));
    list.truncate(count);
    let ask = Ask::Search { avoid: 0 };
    list.into_iter().map(|(_, key)| Wanted { key, ask, cost: Score::from_discs(0) }).collect()
}

/// A book at which threads work.
struct Site {
    book: Book,
    graph: Graph,
    searches: Vec<Search>,
    /// For the levels of searches and looks.
    plan: Plan,
    limit: u64,
    deadline: Option<Instant>,
}

impl Site {
    fn open(book: Book, work: &WorkArgs, plan: Plan) -> Result<Self> {
        let mut graph = Graph::new(book.entries()?);
        graph.negamax();
        let evaluator: Arc<Evaluator> = Arc::new(work.search.eval.evaluator()?);
        let options = search::Options { threads: 1, ..work.search.options() };
        let searches =
            (0..work.search.threads).map(|_| Search::new(&options, Arc::clone(&evaluator))).collect();
        let deadline = work.minutes.map(|minutes| {
            Instant::now() + Duration::try_from_secs_f64(60.0 * minutes.max(0.0)).unwrap_or(Duration::MAX / 4)
        });
        Ok(Self { book, graph, searches, plan, limit: work.positions.unwrap_or(u64::MAX), deadline })
    }

    /// Searches what `choose` finds worth it until the limits, or until it finds nothing more.
    ///
    /// Every answer is in the journal before the next is taken: whenever the process ends, the same command goes on.
    fn work(&mut self, mut choose: impl FnMut(&mut Graph, usize) -> Vec<Wanted>) -> Result<()> {
        let progress = Progress::new(self.limit.min(1 << 40), 0);
        let (start, mut done, mut unfolded) = (Instant::now(), 0u64, 0);
        let mut last_report = start;
        while done < self.limit && !self.is_late() {
            let count = self.batch();
            let mut wanted = choose(&mut self.graph, count);
            if wanted.iter().any(|wanted| wanted.ask == Ask::Look) {
                // What looks tell changes which searches are worth it.
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
            progress.message(format!("{} positions in the book, {each:.2} s each", self.graph.len()));
            if !progress.is_shown() && last_report.elapsed() > Duration::from_secs(30) {
                last_report = Instant::now();
                let left = self.minutes_left(each, done);
                let left =
                    left.map_or(String::new(), |minutes| format!(", {minutes:.0} minutes to go at most"));
                log::info!("{done} searched, {} in the book{left}", self.graph.len());
            }
        }
        drop(progress);
        self.fold()?;
        let seconds = start.elapsed().as_secs_f64();
        output::print(&format!(
            "{done} positions searched in {seconds:.0} s; {} in {}\n",
            self.graph.len(),
            self.book.path().display()
        ))?;
        Ok(())
    }

    /// How many positions are chosen at a time.
    fn batch(&self) -> usize {
        (BATCH * self.searches.len()).max(self.graph.len() / BATCH_SHARE)
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// How long the limits let the work go on, if a position takes `each` seconds and `done` are searched.
    fn minutes_left(&self, each: f64, done: u64) -> Option<f64> {
        let to_limit = (self.limit < u64::MAX).then(|| each * self.limit.saturating_sub(done) as f64);
        let to_deadline = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let least = to_limit.into_iter().chain(to_deadline.map(|left| left.as_secs_f64())).reduce(f64::min);
        least.map(|seconds| seconds / 60.0)
    }

    fn fold(&mut self) -> Result<()> {
        let games = self.book.games();
        Ok(self.book.rewrite(games, self.graph.clone())?)
    }

    /// Asks these questions with all threads; returns how many searches ended before time ran out.
    fn ask_all(&mut self, wanted: &[Wanted], progress: &Progress) -> Result<usize> {
        let Self { book, graph, searches, plan, deadline, .. } = self;
        let (next, deadline, plan) = (&AtomicUsize::new(0), *deadline, &*plan);
        let (sender, answers) = mpsc::channel();
        std::thread::scope(|scope| {
            let searchers = searches.iter_mut().map(|search| {
                let sender = sender.clone();
                move || {
                    while deadline.is_none_or(|deadline| Instant::now() < deadline)
                        && let Some(wanted) = wanted.get(next.fetch_add(1, Ordering::Relaxed))
                        && sender.send((wanted.ask, answer(search, wanted, plan))).is_ok()
                    {
                    }
                }
            });
            search::spawn_each(scope, searchers)?;
            drop(sender);
            let mut finished = 0;
            for (ask, answer) in answers {
                book.learn(&[Record::Answer(answer.clone())])?;
                let board = answer.key.board();
                if let Some((entry, board)) = graph.entry_mut(answer.key).zip(board) {
                    entry.absorb(board, &answer);
                }
                if ask != Ask::Look {
                    finished += 1;
                    progress.advance(1);
                }
            }
            Ok(finished)
        })
    }
}

/// Searches a position; what the table holds of others does not count, so the answer depends on nothing else.
fn answer(search: &mut Search, wanted: &Wanted, plan: &Plan) -> Answer {
    let board: Board = wanted.key.board().expect("a wanted key is of a position");
    let (level, avoid, multi_pv) = match wanted.ask {
        Ask::Search { avoid } => (plan.level, avoid, 1),
        Ask::Look => {
            let level = plan.look_level().expect("a plan asks for looks only where it has a level for them");
            (level, 0, board.moves().count_ones() as usize)
        }
    };
    search.clear();
    let task = Task { allowed: !avoid, multi_pv, ..Task::new(board, limits(level)) };
    let result = search.run(&task, &Stop::new(), &mut Silent);
    answer_of(wanted.key, avoid, &result.info)
}

/// The bounds of a search at this level.
pub fn limits(level: SearchLevel) -> Limits {
    let selectivity = Selectivity::from_percent(level.percent.into());
    let limits = Limits::depth(level.depth);
    Limits { selectivity: selectivity.unwrap_or(limits.selectivity), ..limits }
}
