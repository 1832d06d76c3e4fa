//! Searching book positions: `build`, `extend`, `deepen`, `fill`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::board::{Board, Move, Score};
use crate::book::expand::{Plan, Wanted};
use crate::book::graph::Graph;
use crate::book::{Answer, Book, BookKey, Record, SearchLevel, USUAL_LEVEL, representative};
use crate::cli::output;
use crate::cli::progress::Progress;
use crate::cli::search_args::SearchArgs;
use crate::eval::Evaluator;
use crate::search::{Limits, Proof, Search, Silent, Stop, Task};

/// Positions chosen at a time for each thread: what they tell changes what is worth a search next.
const BATCH: usize = 16;
/// Answers after which the journal is folded in.
const FOLD: usize = 20_000;

/// Which positions are worth a search.
#[derive(clap::Args, Clone)]
pub struct PlanArgs {
    /// Depth of the searches, in plies; books for play are searched 22 plies and more
    #[arg(long, value_name = "N", default_value_t = USUAL_LEVEL.depth, value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: u8,
    /// Follow only lines in which both sides together give away at most so much
    #[arg(long, value_name = "DISCS", default_value_t = 4.0)]
    loss: f64,
    /// What a ply costs against a disc given away: less follows best play deeper, more builds wider
    #[arg(long, value_name = "DISCS", default_value_t = 0.25)]
    ply: f64,
    /// Leave positions with fewer empties to the search
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=60))]
    empties: u32,
    /// Begin here instead of the usual start: a line of moves or a position
    #[arg(long, value_name = "POSITION", default_value = "")]
    from: String,
}

/// Arguments of `emilia book build`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia book build my.book --positions 10000 --threads 4
  emilia book build my.book --minutes 60 --loss 2 --ply 0.5")]
pub struct BuildArgs {
    /// The book; made if there is none
    book: PathBuf,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    plan: PlanArgs,
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
    /// Depth of the searches, in plies
    #[arg(long, value_name = "N", default_value_t = USUAL_LEVEL.depth, value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: u8,
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
        let units = |name: &str, discs: f64| {
            ensure!((0.0..=64.0).contains(&discs), "--{name}: expected 0 to 64 discs, found {discs}");
            Ok(Score::from_units((discs * f64::from(Score::DISC)).round() as i32))
        };
        let level = SearchLevel { depth: self.depth, ..USUAL_LEVEL };
        Ok(Plan {
            ply: units("ply", self.ply)?,
            loss: units("loss", self.loss)?,
            empties: self.empties,
            level,
            grows: true,
        })
    }

    /// Where to begin.
    pub fn root(&self) -> Result<BookKey> {
        super::key_of(super::position(&self.from)?.board)
    }
}

/// Grows a book from the start.
pub fn build(args: &BuildArgs) -> Result<()> {
    ensure!(
        args.work.positions.is_some() || args.work.minutes.is_some(),
        "say how far: --positions N or --minutes N"
    );
    let (plan, root) = (args.plan.plan()?, args.plan.root()?);
    let mut site = Site::open(Book::edit(&args.book)?, &args.work, plan.level.depth)?;
    site.work(|graph, count| plan.wanted(graph, root, count, &|_, _| false))
}

/// Grows a book below a position.
pub fn extend(args: &ExtendArgs) -> Result<()> {
    let plan = args.plan.plan()?;
    let root = super::key_of(super::position(&args.position)?.board)?;
    let mut site = Site::open(super::edit_existing(&args.book)?, &args.work, plan.level.depth)?;
    site.work(|graph, count| plan.wanted(graph, root, count, &|_, _| false))
}

/// Searches a book's positions again.
pub fn deepen(args: &DeepenArgs) -> Result<()> {
    let plan = Plan { grows: false, ..args.plan.plan()? };
    let root = args.plan.root()?;
    let mut site = Site::open(super::edit_existing(&args.book)?, &args.work, plan.level.depth)?;
    site.work(|graph, count| plan.wanted(graph, root, count, &|_, _| false))
}

/// Searches what many games reached.
pub fn fill(args: &FillArgs) -> Result<()> {
    let mut site = Site::open(super::edit_existing(&args.book)?, &args.work, args.depth)?;
    site.work(|graph, count| popular(graph, args.games, count))
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
    list.into_iter().map(|(_, key)| Wanted { key, avoid: 0, cost: Score::from_discs(0) }).collect()
}

/// A book at which threads work.
struct Site {
    book: Book,
    graph: Graph,
    searches: Vec<Search>,
    depth: u8,
    limit: u64,
    deadline: Option<Instant>,
}

impl Site {
    fn open(book: Book, work: &WorkArgs, depth: u8) -> Result<Self> {
        let mut graph = Graph::new(book.entries()?);
        graph.negamax();
        let evaluator: Arc<Evaluator> = Arc::new(work.search.eval.evaluator()?);
        let options = crate::search::Options { threads: 1, ..work.search.options() };
        let searches =
            (0..work.search.threads).map(|_| Search::new(&options, Arc::clone(&evaluator))).collect();
        let deadline = work.minutes.map(|minutes| {
            Instant::now() + Duration::try_from_secs_f64(60.0 * minutes.max(0.0)).unwrap_or(Duration::MAX / 4)
        });
        Ok(Self { book, graph, searches, depth, limit: work.positions.unwrap_or(u64::MAX), deadline })
    }

    /// Searches what `choose` finds worth it until the limits, or until it finds nothing more.
    ///
    /// Every answer is in the journal before the next is taken: whenever the process ends, the same command goes on.
    fn work(&mut self, choose: impl Fn(&mut Graph, usize) -> Vec<Wanted>) -> Result<()> {
        let progress = Progress::new(self.limit.min(1 << 40), 0);
        let (start, mut done, mut unfolded) = (Instant::now(), 0u64, 0);
        let mut last_report = start;
        while done < self.limit && !self.is_late() {
            let count =
                (BATCH * self.searches.len()).min(usize::try_from(self.limit - done).unwrap_or(usize::MAX));
            let wanted = choose(&mut self.graph, count);
            if wanted.is_empty() {
                break;
            }
            let finished = self.search_all(&wanted, &progress)?;
            done += finished as u64;
            unfolded += finished;
            self.graph.negamax();
            if unfolded >= FOLD {
                self.fold()?;
                unfolded = 0;
            }
            let each = start.elapsed().as_secs_f64() / done.max(1) as f64;
            progress.message(format!("{} positions in the book, {each:.2} s each", self.graph.len()));
            if !progress.is_shown() && last_report.elapsed() > Duration::from_secs(30) {
                last_report = Instant::now();
                let left = each * self.limit.saturating_sub(done) as f64 / 60.0;
                log::info!("{done} searched, {} in the book, {left:.0} minutes to go", self.graph.len());
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

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn fold(&mut self) -> Result<()> {
        let games = self.book.games();
        Ok(self.book.rewrite(games, self.graph.clone().into_entries())?)
    }

    /// Searches these positions with all threads; returns how many were searched before time ran out.
    fn search_all(&mut self, wanted: &[Wanted], progress: &Progress) -> Result<usize> {
        let Self { book, graph, searches, depth, deadline, .. } = self;
        let (next, deadline, depth) = (&AtomicUsize::new(0), *deadline, *depth);
        let (sender, answers) = mpsc::channel();
        std::thread::scope(|scope| {
            for search in searches {
                let sender = sender.clone();
                scope.spawn(move || {
                    while deadline.is_none_or(|deadline| Instant::now() < deadline)
                        && let Some(wanted) = wanted.get(next.fetch_add(1, Ordering::Relaxed))
                        && sender.send(answer(search, wanted, depth)).is_ok()
                    {}
                });
            }
            drop(sender);
            let mut finished = 0;
            for answer in answers {
                book.learn(&[Record::Answer(answer.clone())])?;
                let board = answer.key.board();
                if let Some((entry, board)) = graph.entry_mut(answer.key).zip(board) {
                    entry.absorb(board, &answer);
                }
                finished += 1;
                progress.advance(1);
            }
            Ok(finished)
        })
    }
}

/// Searches a position; what the table holds of others does not count, so the answer depends on nothing else.
fn answer(search: &mut Search, wanted: &Wanted, depth: u8) -> Answer {
    let board: Board = wanted.key.board().expect("a wanted key is of a position");
    search.clear();
    let task = Task { allowed: !wanted.avoid, ..Task::new(board, Limits::depth(depth)) };
    let result = search.run(&task, &Stop::new(), &mut Silent);
    let line = result.info.lines.first().expect("a position with moves has a line");
    let Some(Move::Place(square)) = line.pv.first().copied() else {
        unreachable!("a position of the graph has moves");
    };
    let level = SearchLevel {
        depth: line.depth,
        percent: line.selectivity.percent() as u8,
        exact: line.proof == Proof::Exact,
    };
    let moves = vec![(representative(board, square), line.score)];
    Answer { key: wanted.key, level, avoid: wanted.avoid, moves }
}
