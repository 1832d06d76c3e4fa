//! Makes labeled positions: from games or random openings, through a few random moves, onwards by
//! the engine's own play, every position on the way solved or searched.
//!
//! Search visits positions that good play avoids, so the random moves matter: an evaluation that knows only good play is
//! far worse inside a search tree.
//!
//! The work is divided into blocks. A block depends on the plan and its number only, so a killed job can resume, and any
//! number of threads makes the same records.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, ensure};

use crate::board::{Board, Game, Move, Score, Square};
use crate::eval::Evaluator;
use crate::search::endgame::{CacheSizes, Solver};
use crate::search::{Limits, Options, Proof, Search, Task, side_by_side};
use crate::util::Shard;
use crate::util::rng::Rng;

use super::records::{Record, Source, Writer};

/// Lines per block: a block takes some seconds.
pub const BLOCK_LINES: u64 = 256;

#[derive(Clone, Debug)]
pub struct Plan {
    /// The whole job depends on it.
    pub seed: u64,
    /// Numbers of empties of the labeled positions; the first one of a line is uniform in it.
    pub empties: RangeInclusive<u32>,
    /// Random moves just before the first labeled position.
    pub random_moves: RangeInclusive<u32>,
    /// For random starts: random moves from the usual start, then play by a two-ply search.
    pub prefix: RangeInclusive<u32>,
    /// Most positions labeled in one line.
    pub plies: u32,
    /// Share of moves within a line that are random instead of best, `0.0..=1.0`.
    pub explore: f64,
    /// Solved from this many empties on, searched before.
    pub exact_empties: u32,
    /// Depth of the labeling search in plies.
    pub depth: u8,
}

/// The games in which lines start, as the squares played, without passes; `None` for random moves from the usual start.
pub type Starts = Option<Vec<Box<[Square]>>>;

pub struct Labeler {
    solver: Solver,
    search: Search,
}

impl Labeler {
    pub fn new(evaluator: Arc<Evaluator>) -> Self {
        let options = Options {
            threads: 1,
            hash_mib: 4,
        };
        Self {
            solver: Solver::new(CacheSizes::default()),
            search: Search::new(&options, evaluator),
        }
    }

    /// The position with its score; `None` when the game is over.
    fn label(&mut self, plan: &Plan, board: Board) -> Option<Record> {
        if board.is_over() {
            return None;
        }
        if board.empty_count() <= plan.exact_empties {
            let score = Score::from_discs(self.solver.exact(board));
            return Some(Record {
                board,
                score,
                source: Source::Exact,
            });
        }
        self.searched(board, plan.depth)
    }

    /// The position with the mean score of searches of `depth` and `depth - 1` plies, or with its exact score where
    /// either of them was a solve: a search of 8 to 16 plies solves some empties more than its depth.
    ///
    /// An evaluation that favors the side to move raises every label of even depth and lowers every
    /// one of odd depth; trained on one kind only, the next evaluation would inherit and spread it.
    fn searched(&mut self, board: Board, depth: u8) -> Option<Record> {
        let (_, deep) = self.search(board, depth)?;
        if deep.source == Source::Exact || depth == 1 {
            return Some(deep);
        }
        let (_, other) = self.search(board, depth - 1)?;
        if other.source == Source::Exact {
            return Some(other);
        }
        let score = Score::from_units((deep.score.units() + other.score.units()).div_euclid(2));
        Some(Record { score, ..deep })
    }

    /// The best move where it has just been labeled; the game is not over.
    fn best(&mut self, plan: &Plan, board: Board) -> Option<Move> {
        if board.empty_count() <= plan.exact_empties {
            return self.solver.best_move(board).0;
        }
        self.search(board, plan.depth).map(|(best, _)| best)
    }

    /// The best move, and the position with the score and source that the search reports.
    fn search(&mut self, board: Board, depth: u8) -> Option<(Move, Record)> {
        let result = self.search.run(&Task::new(board, Limits::depth(depth)));
        let line = result.info.lines.first()?;
        let source = if line.proof == Proof::Exact {
            Source::Exact
        } else {
            Source::Search(line.depth)
        };
        Some((
            result.best?,
            Record {
                board,
                score: line.bound.clamp(Score::MIN, Score::MAX),
                source,
            },
        ))
    }
}

fn pick(rng: &mut Rng, range: &RangeInclusive<u32>) -> u32 {
    range.start() + rng.below(range.end() - range.start() + 1)
}

/// A random legal move or the forced pass; `None` when the game is over.
fn random_move(rng: &mut Rng, board: Board) -> Option<Move> {
    let moves = board.moves();
    if moves.is_empty() {
        return (!board.opponent_moves().is_empty()).then_some(Move::Pass);
    }
    moves
        .iter()
        .nth(rng.below(moves.len()) as usize)
        .map(Move::Place)
}

/// Plays random moves until `empties` are left; `None` when the game ends before.
fn wander(rng: &mut Rng, mut board: Board, empties: u32) -> Option<Board> {
    while board.empty_count() > empties {
        board = board.play_move(random_move(rng, board)?)?;
    }
    Some(board)
}

/// Replays a game until `empties` are left, inserting the passes; `None` when it ends before.
pub fn replay(game: &[Square], empties: u32) -> Option<Board> {
    let mut replayed = Game::default();
    for &square in game {
        if replayed.position().board.empty_count() <= empties {
            break;
        }
        replayed.play_implying_pass(square).ok()?;
    }
    Some(replayed.position().board).filter(|board| board.empty_count() == empties)
}

/// The first labeled position of a line.
fn start(plan: &Plan, starts: &Starts, labeler: &mut Labeler, rng: &mut Rng) -> Option<Board> {
    let empties = pick(rng, &plan.empties);
    let calm = (empties + pick(rng, &plan.random_moves)).min(60);
    let board = match starts {
        Some(games) => replay(&games[rng.below(games.len() as u32) as usize], calm)?,
        None => {
            let prefix = pick(rng, &plan.prefix).min(60);
            let mut board = wander(rng, Board::START, (60 - prefix).max(calm))?;
            while board.empty_count() > calm {
                board = board.play_move(labeler.search(board, 2)?.0)?;
            }
            board
        }
    };
    wander(rng, board, empties)
}

pub fn block(plan: &Plan, starts: &Starts, labeler: &mut Labeler, id: u64) -> Vec<Record> {
    labeler.solver.clear();
    labeler.search.clear();
    let mut records = Vec::new();
    for line in 0..BLOCK_LINES {
        let mut rng =
            Rng::new(Rng::new(plan.seed).next() ^ Rng::new(id * BLOCK_LINES + line).next());
        let Some(mut board) = start(plan, starts, labeler, &mut rng) else {
            continue;
        };
        for ply in 1..=plan.plies {
            let Some(record) = labeler.label(plan, board) else {
                break;
            };
            records.push(record);
            if ply == plan.plies {
                break;
            }
            let explored = rng.unit() < plan.explore;
            let mv = if explored {
                random_move(&mut rng, board)
            } else {
                labeler.best(plan, board)
            };
            board = mv
                .and_then(|mv| board.play_move(mv))
                .expect("the game goes on");
            if !plan.empties.contains(&board.empty_count()) {
                break;
            }
        }
    }
    records
}

/// A job: everything that its records depend on.
pub struct Job {
    pub plan: Plan,
    pub starts: Starts,
    pub evaluator: Arc<Evaluator>,
    /// The name of the evaluation, with a checksum of its weights.
    pub weights: String,
    pub shard: Shard,
}

/// Another version may search otherwise.
const VERSION: &str = crate::util::program::VERSION;

/// Blocks in a row without a record that show that there will never be one.
const BARREN_BLOCKS: u32 = 16;

impl Job {
    /// The options that the records depend on, a line for each; the record file stores them.
    pub fn options(&self) -> String {
        let Plan {
            seed,
            empties,
            random_moves,
            prefix,
            plies,
            explore,
            exact_empties,
            depth,
        } = &self.plan;
        let range = |range: &RangeInclusive<u32>| format!("{}-{}", range.start(), range.end());
        let empties = range(empties);
        let random_moves = range(random_moves);
        let prefix = range(prefix);
        let starts = match &self.starts {
            None => format!("--prefix {prefix}"),
            Some(games) => {
                format!(
                    "--input {:08x}",
                    crc32fast::hash(format!("{games:?}").as_bytes())
                )
            }
        };
        let Self { weights, shard, .. } = self;
        format!(
            "version {VERSION}\n--seed {seed}\n--empties {empties}\n--random-moves {random_moves}\n{starts}\n--plies {plies}\n\
             --explore {explore}\n--solve-from {exact_empties}\n--depth {depth}\n--eval {weights}\n--shard {shard}"
        )
    }

    /// Makes records until `writer` holds at least `positions`, on `threads` threads; `progress` gets the
    /// number of each block.
    pub fn run(
        &self,
        writer: &mut Writer,
        positions: u64,
        threads: usize,
        progress: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let done = writer.done.clone();
        let enough = AtomicBool::new(writer.records >= positions);
        let ids = (self.shard.index..)
            .step_by(self.shard.count as usize)
            .filter(|id| !done.contains(id));
        let wanted = ids.take_while(|_| !enough.load(Ordering::Relaxed));
        let labelers = (0..threads).map(|_| Labeler::new(Arc::clone(&self.evaluator)));
        let label =
            |labeler: &mut Labeler, id: u64| (id, block(&self.plan, &self.starts, labeler, id));
        let mut barren = 0;
        side_by_side(
            labelers,
            wanted,
            label,
            |(id, records): (_, Vec<Record>)| {
                barren = if records.is_empty() { barren + 1 } else { 0 };
                ensure!(
                    barren < BARREN_BLOCKS,
                    "{} lines in a row gave no position: no line reaches {} to {} empties with moves left",
                    u64::from(BARREN_BLOCKS) * BLOCK_LINES,
                    self.plan.empties.start(),
                    self.plan.empties.end()
                );
                writer.append(id, &records)?;
                progress(records.len() as u64);
                enough.store(writer.records >= positions, Ordering::Relaxed);
                anyhow::Ok(())
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn plan() -> Plan {
        Plan {
            seed: 9,
            empties: 6..=11,
            random_moves: 0..=5,
            prefix: 36..=44,
            plies: 4,
            explore: 0.25,
            exact_empties: 8,
            depth: 2,
        }
    }

    #[test]
    fn blocks_depend_on_the_plan_and_their_number_alone() {
        let evaluator = Arc::new(Evaluator::Classic);
        let mut fresh = Labeler::new(evaluator.clone());
        let mut used = Labeler::new(evaluator);
        block(&plan(), &None, &mut used, 1);
        let records = block(&plan(), &None, &mut fresh, 0);
        assert_eq!(records, block(&plan(), &None, &mut used, 0));
        assert!(records.len() > 500);
        assert!(
            records
                .iter()
                .all(|record| (6..=11).contains(&record.board.empty_count()))
        );
        let exact = |record: &Record| record.source == Source::Exact;
        assert!(
            records
                .iter()
                .all(|record| exact(record) == (record.board.empty_count() <= 8))
        );
    }

    /// Ten plies solve fourteen empties, nine thirteen: nothing in between is a mean of a search and a solve.
    #[test]
    fn a_label_says_what_was_searched() {
        let mut labeler = Labeler::new(Arc::new(Evaluator::Classic));
        let mut solver = Solver::new(CacheSizes::default());
        let mut rng = Rng::new(5);
        for (depth, empties, exact) in [
            (10, 15, false),
            (10, 14, true),
            (10, 13, true),
            (9, 14, false),
            (8, 13, false),
            (8, 12, true),
            (7, 8, false),
            (7, 7, true),
            (1, 2, false),
            (1, 1, true),
        ] {
            let plan = Plan {
                exact_empties: 0,
                depth,
                ..plan()
            };
            let board = std::iter::repeat_with(|| wander(&mut rng, Board::START, empties))
                .flatten()
                .find(|board| !board.moves().is_empty())
                .unwrap();
            let record = labeler.label(&plan, board).unwrap();
            let expected = if exact {
                Source::Exact
            } else {
                Source::Search(depth)
            };
            assert_eq!(record.source, expected, "{depth} plies, {empties} empties");
            if exact {
                assert_eq!(
                    record.score,
                    Score::from_discs(solver.exact(board)),
                    "{empties} empties"
                );
            }
        }
    }

    fn job(plan: Plan, shard: &str) -> Job {
        let evaluator = Arc::new(Evaluator::Classic);
        Job {
            plan,
            starts: None,
            evaluator,
            weights: "classic".to_owned(),
            shard: shard.parse().unwrap(),
        }
    }

    /// The numbers of the blocks that a job makes.
    fn made(job: &Job, positions: u64) -> Result<Vec<u64>> {
        let folder = TempDir::new().unwrap();
        let mut writer = Writer::open(&folder.path().join("made.rec"), &job.options()).unwrap();
        job.run(&mut writer, positions, 2, &mut |_| ())?;
        Ok(writer.done.iter().copied().collect())
    }

    #[test]
    fn shards_share_the_blocks_of_a_job() {
        let small = Plan {
            exact_empties: 6,
            ..plan()
        };
        for (shard, index) in [("1/2", 0), ("2/2", 1)] {
            let blocks = made(&job(small.clone(), shard), 500).unwrap();
            assert!(
                !blocks.is_empty() && blocks.iter().all(|id| id % 2 == index),
                "{blocks:?}"
            );
        }
    }

    #[test]
    fn a_job_that_yields_nothing_ends() {
        let over = Plan {
            empties: 0..=0,
            prefix: 60..=60,
            ..plan()
        };
        let error = made(&job(over, "1/1"), 100).unwrap_err().to_string();
        assert!(
            error.contains("4096 lines in a row gave no position"),
            "{error}"
        );
        let short: Box<[Square]> = ["f5", "d6"].map(|name| name.parse().unwrap()).into();
        let games = Job {
            starts: Some(vec![short]),
            ..job(plan(), "1/1")
        };
        assert!(made(&games, 100).is_err());
    }

    #[test]
    fn options_tell_jobs_apart() {
        let base = job(plan(), "1/1").options();
        assert!(
            base.contains("--empties 6-11\n") && base.contains("--eval classic"),
            "{base}"
        );
        assert_ne!(job(plan(), "1/2").options(), base);
        assert_ne!(
            job(
                Plan {
                    explore: 0.5,
                    ..plan()
                },
                "1/1"
            )
            .options(),
            base
        );
        let weights = "other weights".to_owned();
        assert_ne!(
            Job {
                weights,
                ..job(plan(), "1/1")
            }
            .options(),
            base
        );
    }
}
