//! Makes labelled positions: from games or random openings, through a few random moves, onwards by
//! the engine's own play, every position on the way solved or searched.
//!
//! Search visits positions that good play avoids, so the random moves matter: an evaluation that has
//! seen good play alone is far worse inside a search tree.
//!
//! The work is cut into blocks. A block depends on the plan and its own number alone, so a job can be
//! killed and resumed, and any number of threads makes the same records.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

use anyhow::{Context, Result, bail};

use crate::board::{Board, Move, Score, Square, squares};
use crate::eval::Evaluator;
use crate::search::endgame::{CacheSizes, Solver};
use crate::search::{Limits, Options, Search, Silent, Stop, Task};
use crate::util::rng::Rng;

use super::records::{Record, Source, Writer};

/// Lines per block: a block takes some seconds.
const BLOCK_LINES: u64 = 256;

/// What to make.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The whole job depends on it.
    pub seed: u64,
    /// Numbers of empties of the labelled positions; the first one of a line is uniform in it.
    pub empties: RangeInclusive<u32>,
    /// Random moves just before the first labelled position.
    pub random_moves: RangeInclusive<u32>,
    /// Without games: random moves from the usual start, then play by a two-ply search.
    pub prefix: RangeInclusive<u32>,
    /// Most positions labelled in one line.
    pub plies: u32,
    /// Share of moves within a line that are random instead of best, `0.0..=1.0`.
    pub explore: f64,
    /// Solved from this many empties on, searched before.
    pub exact_empties: u32,
    /// Depth of the labelling search in plies.
    pub depth: u8,
}

/// Where lines begin.
pub enum Starts {
    /// Random moves from the usual start.
    Random,
    /// Games: the squares played, passes left out.
    Games(Vec<Box<[Square]>>),
}

impl Starts {
    /// Reads games, one per line, the moves in the line's first word; other lines are an error.
    pub fn read_games(path: &Path) -> Result<Self> {
        let text = if path.as_os_str() == "-" {
            std::io::read_to_string(std::io::stdin()).context("reading games from stdin")?
        } else {
            std::fs::read_to_string(path).with_context(|| format!("reading games {}", path.display()))?
        };
        let mut games = Vec::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let moves = line.split_whitespace().next().unwrap_or_default();
            let squares: Option<Box<[Square]>> =
                moves.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok()?.parse().ok()).collect();
            let Some(squares) = squares else {
                bail!("{}:{}: expected moves like f5d6c3, found {moves:?}", path.display(), number + 1);
            };
            games.push(squares);
        }
        if games.is_empty() {
            bail!("{}: expected at least one game", path.display());
        }
        Ok(Self::Games(games))
    }
}

/// Labels positions; one per thread.
pub struct Labeller {
    solver: Solver,
    search: Search,
}

impl Labeller {
    /// A labeller whose searches use `evaluator`.
    pub fn new(evaluator: Arc<Evaluator>) -> Self {
        let options = Options { threads: 1, hash_mib: 4 };
        Self { solver: Solver::new(CacheSizes::default()), search: Search::new(&options, evaluator) }
    }

    fn clear(&mut self) {
        self.solver.clear();
        self.search.clear();
    }

    /// The position with its score; `None` when the game is over.
    fn label(&mut self, plan: &Plan, board: Board) -> Option<Record> {
        if board.is_over() {
            return None;
        }
        if board.empty_count() <= plan.exact_empties {
            let score = Score::from_discs(self.solver.exact(board));
            return Some(Record { board, score, source: Source::Exact });
        }
        let score = self.mean_of_two_depths(board, plan.depth)?;
        Some(Record { board, score, source: Source::Search(plan.depth) })
    }

    /// The mean score of searches of `depth` and `depth - 1` plies.
    ///
    /// An evaluation that favours the side to move raises every label of even depth and lowers every
    /// one of odd depth; trained on one kind alone, the next evaluation would inherit and spread it.
    fn mean_of_two_depths(&mut self, board: Board, depth: u8) -> Option<Score> {
        let (_, deep) = self.search(board, depth)?;
        if depth == 1 || u32::from(depth) >= board.empty_count() {
            return Some(deep);
        }
        let (_, other) = self.search(board, depth - 1)?;
        Some(Score::from_units((deep.units() + other.units()).div_euclid(2)))
    }

    /// The best move where it has just been labelled; the game is not over.
    fn best(&mut self, plan: &Plan, board: Board) -> Option<Move> {
        if board.empty_count() <= plan.exact_empties {
            return self.solver.best_move(board).0;
        }
        self.search(board, plan.depth).map(|(best, _)| best)
    }

    fn search(&mut self, board: Board, depth: u8) -> Option<(Move, Score)> {
        let result = self.search.run(&Task::new(board, Limits::depth(depth)), &Stop::new(), &mut Silent);
        let score = result.info.lines.first()?.score;
        Some((result.best?, score.clamp(Score::MIN, Score::MAX)))
    }
}

/// The position after `mv`, which must be legal.
fn after(board: Board, mv: Move) -> Board {
    match mv {
        Move::Place(square) => board.after(square, board.flip(square)),
        Move::Pass => board.pass(),
    }
}

/// A uniform number of a range.
fn pick(rng: &mut Rng, range: &RangeInclusive<u32>) -> u32 {
    range.start() + rng.below(range.end() - range.start() + 1)
}

/// A random legal move, a pass if there is none but the game goes on, `None` when it is over.
fn random_move(rng: &mut Rng, board: Board) -> Option<Move> {
    let moves = board.moves();
    if moves == 0 {
        return (board.opponent_moves() != 0).then_some(Move::Pass);
    }
    squares(moves).nth(rng.below(moves.count_ones()) as usize).map(Move::Place)
}

/// Plays random moves until `empties` are left; `None` when the game ends before.
fn wander(rng: &mut Rng, mut board: Board, empties: u32) -> Option<Board> {
    while board.empty_count() > empties {
        board = after(board, random_move(rng, board)?);
    }
    Some(board)
}

/// Replays a game until `empties` are left, inserting the passes; `None` when it ends before.
fn replay(game: &[Square], empties: u32) -> Option<Board> {
    let mut board = Board::START;
    for square in game {
        if board.empty_count() <= empties {
            break;
        }
        if board.moves() == 0 {
            board = board.pass();
        }
        board = board.play(*square)?;
    }
    (board.empty_count() == empties).then_some(board)
}

/// The first labelled position of a line.
fn start(plan: &Plan, starts: &Starts, labeller: &mut Labeller, rng: &mut Rng) -> Option<Board> {
    let empties = pick(rng, &plan.empties);
    let calm = (empties + pick(rng, &plan.random_moves)).min(60);
    let board = match starts {
        Starts::Games(games) => replay(&games[rng.below(games.len() as u32) as usize], calm)?,
        Starts::Random => {
            let prefix = pick(rng, &plan.prefix).min(60);
            let mut board = wander(rng, Board::START, (60 - prefix).max(calm))?;
            while board.empty_count() > calm {
                board = after(board, labeller.search(board, 2)?.0);
            }
            board
        }
    };
    wander(rng, board, empties)
}

/// All records of block `id`.
pub fn block(plan: &Plan, starts: &Starts, labeller: &mut Labeller, id: u64) -> Vec<Record> {
    labeller.clear();
    let mut records = Vec::new();
    for line in 0..BLOCK_LINES {
        let mut rng = Rng::new(Rng::new(plan.seed).next() ^ Rng::new(id * BLOCK_LINES + line).next());
        let Some(mut board) = start(plan, starts, labeller, &mut rng) else { continue };
        for ply in 1..=plan.plies {
            let Some(record) = labeller.label(plan, board) else { break };
            records.push(record);
            if ply == plan.plies {
                break;
            }
            let explored = rng.unit() < plan.explore;
            let mv = if explored { random_move(&mut rng, board) } else { labeller.best(plan, board) };
            board = after(board, mv.expect("the game goes on"));
            if !plan.empties.contains(&board.empty_count()) {
                break;
            }
        }
    }
    records
}

/// One position in so many of a game is taken by [`outcomes`].
const OUTCOME_STEP: u32 = 4;

/// The positions of games, every fourth or so, each labelled with its game's result: noisy labels of
/// positions that good play reaches, at no cost. Games that end before neither side can move are
/// left out.
pub fn outcomes(plan: &Plan, games: &[Box<[Square]>], writer: &mut Writer) -> Result<()> {
    for (id, chunk) in games.chunks(4096).enumerate().map(|(id, chunk)| (id as u64, chunk)) {
        if writer.done().contains(&id) {
            continue;
        }
        let mut rng = Rng::new(Rng::new(plan.seed).next() ^ Rng::new(id).next());
        let mut records = Vec::new();
        for game in chunk {
            records.extend(outcome_records(plan, game, &mut rng));
        }
        writer.append(id, &records)?;
    }
    Ok(())
}

/// The sampled positions of one game.
fn outcome_records(plan: &Plan, game: &[Square], rng: &mut Rng) -> Vec<Record> {
    let (mut board, mut sampled, mut turn) = (Board::START, Vec::new(), 1);
    for square in game {
        if board.moves() == 0 {
            (board, turn) = (board.pass(), -turn);
        }
        if plan.empties.contains(&board.empty_count()) && rng.below(OUTCOME_STEP) == 0 {
            sampled.push((board, turn));
        }
        let Some(next) = board.play(*square) else { return Vec::new() };
        (board, turn) = (next, -turn);
    }
    if !board.is_over() {
        return Vec::new();
    }
    let result = board.final_score() * turn;
    let label =
        |(board, turn)| Record { board, score: Score::from_discs(result * turn), source: Source::Outcome };
    sampled.into_iter().map(label).collect()
}

/// Makes records until `writer` holds `positions`, on `threads` threads; tells `progress` after
/// every block how many there are.
pub fn run(
    plan: &Plan,
    starts: &Starts,
    evaluator: &Arc<Evaluator>,
    writer: &mut Writer,
    positions: u64,
    threads: usize,
    progress: &mut dyn FnMut(u64),
) -> Result<()> {
    let done = writer.done().clone();
    let next = AtomicU64::new(0);
    let enough = AtomicBool::new(writer.records() >= positions);
    let (sender, receiver) = mpsc::sync_channel(4 * threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, enough, done) = (sender.clone(), &next, &enough, &done);
            scope.spawn(move || {
                let mut labeller = Labeller::new(Arc::clone(evaluator));
                while !enough.load(Ordering::Relaxed) {
                    let id = next.fetch_add(1, Ordering::Relaxed);
                    if done.contains(&id) {
                        continue;
                    }
                    if sender.send((id, block(plan, starts, &mut labeller, id))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (id, records) in receiver {
            writer.append(id, &records)?;
            progress(writer.records());
            if writer.records() >= positions {
                enough.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan {
            seed: 9,
            empties: 6..=11,
            random_moves: 0..=5,
            prefix: 8..=40,
            plies: 4,
            explore: 0.25,
            exact_empties: 8,
            depth: 2,
        }
    }

    #[test]
    fn blocks_depend_on_the_plan_and_their_number_alone() {
        let evaluator = Arc::new(Evaluator::classic());
        let (mut fresh, mut used) = (Labeller::new(evaluator.clone()), Labeller::new(evaluator));
        block(&plan(), &Starts::Random, &mut used, 1);
        let records = block(&plan(), &Starts::Random, &mut fresh, 0);
        assert_eq!(records, block(&plan(), &Starts::Random, &mut used, 0));
        assert!(records.len() > 500);
        assert!(records.iter().all(|record| (6..=11).contains(&record.board.empty_count())));
        let exact = |record: &Record| record.source == Source::Exact;
        assert!(records.iter().all(|record| exact(record) == (record.board.empty_count() <= 8)));
    }

    #[test]
    fn games_are_replayed_with_their_passes() {
        let path = std::env::temp_dir().join(format!("emilia-games-{}", std::process::id()));
        let game = "f5d6c3f3f4d3c4g6f6e6c5c6d7d8e7g5e3d2g4h3f7b5h5g3b4b6c8b8c7e8f8g8h4h6e2d1c1a3a6a5e1f2g7\
                    c2a4h8a2b7f1b3b1b2h7a7a8a1g1g2h2h1";
        std::fs::write(&path, format!("{game} +4 wthor1977 1977\n")).unwrap();
        let Starts::Games(games) = Starts::read_games(&path).unwrap() else { panic!("games were given") };
        let end = replay(&games[0], 0).expect("the game fills the board");
        assert_eq!(end.final_score().abs(), 4);
        std::fs::write(&path, "f5d6\nf5x9 +4\n").unwrap();
        let error = Starts::read_games(&path).err().expect("x9 is no square").to_string();
        assert!(error.contains(":2: expected moves"), "{error}");
        std::fs::remove_file(&path).unwrap();
    }
}
