//! Weak play for people: a small separate search that overlooks moves and misjudges positions.
//!
//! The two weaknesses are PentAI's: *vision*, the share of moves seen, and *judgement*, the accuracy of the evaluation.
//! Both depend on the position and a seed only, so a game can be repeated.

use crate::board::bitboard::CORNERS;
use crate::board::{Board, Move, Score, Square};
use crate::eval::{Evaluator, Features};
use crate::search::{
    Budget, Handicap, Info, Line, Meter, Observer, Proof, SearchResult, Selectivity, Stop, Task,
    Timer,
};
use crate::util::rng::Rng;

/// Standard deviation of a judgement of 0, 1/128 disc: 32 discs.
const BLIND: i32 = 32 * Score::DISC;
/// Visibility that a move loses with each disc that it turns, as a share of the range of chance.
const PER_FLIP: f64 = 0.04;
/// Greatest depth of this plain search, plies.
const DEEPEST: u8 = 6;
/// Most empties that it solves.
const SOLVED: u8 = 10;

/// The weak search of a task.
pub(super) struct WeakSearch<'a> {
    handicap: Handicap,
    evaluator: &'a Evaluator,
    budget: Budget,
    meter: Meter,
    has_ended: bool,
}

impl<'a> WeakSearch<'a> {
    /// A search within the task's limits, which uses a clock as the strong search does.
    pub(super) fn new(
        handicap: Handicap,
        evaluator: &'a Evaluator,
        task: &Task,
        stop: &Stop,
    ) -> Self {
        let timer = Timer::new(task.limits.clock, task.board.empty_count());
        let budget = Budget::new(stop, timer, task.limits.nodes);
        Self {
            handicap,
            evaluator,
            budget,
            meter: Meter::default(),
            has_ended: false,
        }
    }

    /// Searches a position with a legal move, one ply deeper each time.
    pub(super) fn run(mut self, task: &Task, observer: &mut dyn Observer) -> SearchResult {
        let board = task.board;
        let features = self.evaluator.features(board);
        let empties = board.empty_count() as u8;
        let depth = task.limits.depth.min(self.handicap.depth).clamp(1, DEEPEST);
        let solved = task.limits.exact_empties.min(2 * depth).min(SOLVED);
        let last = if empties <= solved {
            empties
        } else {
            depth.min(empties)
        };
        let mut seen: Vec<Square> = self
            .seen(board)
            .into_iter()
            .filter(|&square| task.allowed.contains(square))
            .collect();
        if seen.is_empty() {
            // No allowed move is seen: consider all allowed ones, or else all legal ones.
            let allowed = board.moves() & task.allowed;
            seen = if allowed.is_empty() {
                board.moves()
            } else {
                allowed
            }
            .iter()
            .collect();
        }
        let mut info = self.info(Vec::new());
        for depth in 1..=last {
            let Some(lines) = self.iteration(board, &features, &seen, depth) else {
                break;
            };
            // The next depth tries the best of this one first.
            seen = lines
                .iter()
                .filter_map(|line| line.pv[0].square())
                .collect();
            info = self.info(lines.into_iter().take(task.multi_pv).collect());
            observer.iteration(&info);
        }
        info.nodes = self.meter.report(&self.budget);
        let best = info.lines.first().and_then(|line| line.pv.first().copied());
        let best = best.or_else(|| seen.first().map(|&square| Move::Place(square)));
        SearchResult {
            best,
            info,
            stopped: self.budget.stop.is_requested(),
        }
    }

    fn info(&mut self, lines: Vec<Line>) -> Info {
        Info {
            lines,
            nodes: self.meter.report(&self.budget),
            time: self.budget.timer.elapsed(),
        }
    }

    /// All moves seen with their scores, best first; `None` when time ran out before the end.
    fn iteration(
        &mut self,
        board: Board,
        features: &Features,
        seen: &[Square],
        depth: u8,
    ) -> Option<Vec<Line>> {
        let mut lines = Vec::with_capacity(seen.len());
        for &square in seen {
            let flipped = board.flip(square);
            let child = self.evaluator.play(features, square, flipped);
            let min = Score::MIN.units() * 2;
            let max = Score::MAX.units() * 2;
            let score = -self.negamax(
                board.after(square, flipped),
                &child,
                depth - 1,
                min,
                max,
                false,
            );
            if self.has_ended {
                return None;
            }
            lines.push(Line {
                pv: vec![Move::Place(square)],
                bound: Score::from_units(score.clamp(Score::MIN.units(), Score::MAX.units())),
                depth,
                selectivity: Selectivity::Full,
                proof: Proof::None,
            });
        }
        // Stable: equal moves keep the order of the previous depth.
        lines.sort_by_key(|line| std::cmp::Reverse(line.bound));
        Some(lines)
    }

    /// Fail-soft alpha-beta over the moves seen.
    fn negamax(
        &mut self,
        board: Board,
        features: &Features,
        depth: u8,
        mut alpha: i32,
        beta: i32,
        passed: bool,
    ) -> i32 {
        self.meter.nodes += 1;
        self.has_ended |= self.meter.is_due() && self.meter.look(&self.budget);
        if self.has_ended {
            return 0;
        }
        if board.moves().is_empty() {
            if passed || board.opponent_moves().is_empty() {
                // A finished game has its exact score.
                return Score::from_discs(board.final_score()).units();
            }
            return -self.negamax(board.pass(), &features.pass(), depth, -beta, -alpha, true);
        }
        if depth == 0 {
            return self.judge(board, features);
        }
        let mut best = i32::MIN + 1;
        for square in self.seen(board) {
            let flipped = board.flip(square);
            let child = self.evaluator.play(features, square, flipped);
            let score = -self.negamax(
                board.after(square, flipped),
                &child,
                depth - 1,
                -beta,
                -alpha,
                false,
            );
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// The value of a position, with the error that this judgement makes of it.
    fn judge(&self, board: Board, features: &Features) -> i32 {
        let value = self.evaluator.evaluate(board, features).units();
        let deviation = BLIND * (100 - i32::from(self.handicap.judgement.min(100))) / 100;
        if deviation == 0 {
            return value;
        }
        value + (normal(self.luck(board, 64)) * f64::from(deviation)) as i32
    }

    /// The moves seen: the most visible first. Corners and moves that turn little are seen more often.
    fn seen(&self, board: Board) -> Vec<Square> {
        let moves: Vec<Square> = board.moves().iter().collect();
        if self.handicap.vision >= 100 {
            return moves;
        }
        let mut ranked: Vec<(f64, Square)> = moves
            .into_iter()
            .map(|square| {
                let luck = self.luck(board, square.index() as u64).unit();
                let flips = f64::from(board.flip(square).count_ones());
                // Corners are never overlooked.
                let corner = if square.bit() & CORNERS != 0 {
                    1.0
                } else {
                    0.0
                };
                (luck + corner - PER_FLIP * flips, square)
            })
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        // The share is exact on average: the fraction is the chance of one more move.
        let share = (ranked.len() - 1) as f64 * f64::from(self.handicap.vision) / 100.0;
        let count = (share + self.luck(board, 65).unit()).floor() as usize + 1;
        ranked
            .into_iter()
            .take(count)
            .map(|(_, square)| square)
            .collect()
    }

    /// A random stream for the position, the seed and `which`.
    fn luck(&self, board: Board, which: u64) -> Rng {
        let seed = Rng::new(self.handicap.seed ^ which << 56).next();
        Rng::new(board.hash().bits() ^ seed)
    }
}

/// Nearly normal, mean 0, deviation 1: the sum of four uniform numbers, each of variance 1/12.
fn normal(mut luck: Rng) -> f64 {
    let sum: f64 = (0..4).map(|_| luck.unit()).sum();
    (sum - 2.0) * 3f64.sqrt()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::super::run::run_task;
    use super::*;
    use crate::board::SquareSet;
    use crate::board::testing::random_positions;
    use crate::search::{Clock, Limits, Options, Search, Silent};

    fn run(board: Board, depth: u8, handicap: Handicap) -> SearchResult {
        let limits = Limits {
            exact_empties: 0,
            ..Limits::depth(depth)
        };
        let task = Task {
            handicap: Some(handicap),
            multi_pv: 64,
            ..Task::new(board, limits)
        };
        let mut search = Search::new(
            &Options {
                threads: 1,
                hash_mib: 1,
            },
            Arc::new(Evaluator::Classic),
        );
        run_task(&mut search, &task, &Stop::new(), &mut Silent)
    }

    /// The definition: every move to the depth, passes free, a finished game counted.
    fn minimax(evaluator: &Evaluator, board: Board, depth: u8) -> i32 {
        match board.moves() {
            SquareSet(0) if board.opponent_moves().is_empty() => {
                Score::from_discs(board.final_score()).units()
            }
            SquareSet(0) => -minimax(evaluator, board.pass(), depth),
            _ if depth == 0 => evaluator
                .evaluate(board, &evaluator.features(board))
                .units(),
            moves => moves
                .iter()
                .filter_map(|square| board.play(square))
                .map(|child| -minimax(evaluator, child, depth - 1))
                .max()
                .expect("there is a move"),
        }
    }

    /// A weak search with this sight, and the classic evaluation.
    fn sight<T>(vision: u8, judgement: u8, check: impl FnOnce(&WeakSearch, &Evaluator) -> T) -> T {
        let evaluator = Evaluator::Classic;
        let task = Task::new(Board::START, Limits::depth(1));
        let handicap = Handicap {
            depth: 6,
            vision,
            judgement,
            seed: 3,
            person: None,
        };
        check(
            &WeakSearch::new(handicap, &evaluator, &task, &Stop::new()),
            &evaluator,
        )
    }

    fn positions() -> Vec<Board> {
        random_positions(11, 300)
            .into_iter()
            .filter(|board| !board.moves().is_empty())
            .collect()
    }

    #[test]
    fn without_a_weakness_it_is_plain_minimax() {
        let evaluator = Evaluator::Classic;
        let full = Handicap {
            depth: 6,
            vision: 100,
            judgement: 100,
            seed: 1,
            person: None,
        };
        for board in positions().into_iter().take(60) {
            let depth = 3.min(board.empty_count() as u8);
            let found = run(board, depth, full).info.lines[0].bound.units();
            assert_eq!(found, minimax(&evaluator, board, depth), "{board:?}");
        }
    }

    #[test]
    fn vision_is_the_share_of_moves_seen() {
        for vision in [0, 20, 50, 80, 100] {
            let mut seen = 0;
            let mut all = 0;
            for board in random_positions(5, 4000)
                .into_iter()
                .filter(|board| !board.moves().is_empty())
            {
                let moves = sight(vision, 100, |search, _| search.seen(board));
                assert!(
                    moves.iter().all(|&square| board.moves().contains(square)) && !moves.is_empty()
                );
                seen += moves.len() - 1;
                all += board.moves().len() as usize - 1;
            }
            let share = 100.0 * seen as f64 / all as f64;
            assert!(
                (share - f64::from(vision)).abs() < 2.0,
                "{vision}: {share:.1}"
            );
        }
    }

    #[test]
    fn judgement_is_the_size_of_the_error() {
        for (judgement, discs) in [(100, 0.0), (75, 8.0), (0, 32.0)] {
            let boards = random_positions(6, 4000);
            let squares: f64 = sight(100, judgement, |search, evaluator| {
                let error = |&board: &Board| {
                    let features = evaluator.features(board);
                    search.judge(board, &features) - evaluator.evaluate(board, &features).units()
                };
                boards
                    .iter()
                    .map(|board| f64::from(error(board)).powi(2))
                    .sum()
            });
            let deviation = (squares / boards.len() as f64).sqrt() / f64::from(Score::DISC);
            assert!(
                (deviation - discs).abs() <= discs * 0.05,
                "{judgement}: {deviation:.2}"
            );
        }
    }

    #[test]
    fn the_same_seed_plays_the_same_and_another_one_differs() {
        let moves = |seed| -> Vec<Option<Move>> {
            let handicap = Handicap {
                depth: 6,
                vision: 60,
                judgement: 60,
                seed,
                person: None,
            };
            positions()
                .into_iter()
                .take(80)
                .map(|board| run(board, 2, handicap).best)
                .collect()
        };
        assert_eq!(moves(1), moves(1));
        assert_ne!(moves(1), moves(2));
    }

    #[test]
    fn nodes_are_counted_while_it_searches() {
        let handicap = Handicap {
            depth: 6,
            vision: 80,
            judgement: 80,
            seed: 1,
            person: None,
        };
        let task = Task {
            handicap: Some(handicap),
            ..Task::new(Board::START, Limits::depth(5))
        };
        let mut search = Search::new(
            &Options {
                threads: 1,
                hash_mib: 1,
            },
            Arc::new(Evaluator::Classic),
        );
        let stop = Stop::new();
        let mut counts = Vec::new();
        let mut count = |info: &Info| counts.push((stop.nodes(), info.nodes));
        let result = run_task(&mut search, &task, &stop, &mut count);
        assert_eq!(counts.len(), 5, "an iteration for each depth");
        assert!(
            counts
                .iter()
                .all(|(running, reported)| running == reported && *reported > 0),
            "{counts:?}"
        );
        assert!(counts.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(result.info.nodes, stop.nodes());
    }

    #[test]
    fn an_increment_above_the_time_left_never_loses_on_time() {
        let evaluator = Evaluator::Classic;
        let stop = Stop::new();
        let seconds = Duration::from_secs;
        let handicap = Handicap {
            depth: 6,
            vision: 50,
            judgement: 50,
            seed: 1,
            person: None,
        };
        for (remaining, increment) in [(1, 10), (1, 1), (60, 0), (2, 600)] {
            let clock = Clock::Game {
                remaining: seconds(remaining),
                increment: seconds(increment),
            };
            let task = Task::new(
                Board::START,
                Limits {
                    clock,
                    ..Limits::depth(6)
                },
            );
            let search = WeakSearch::new(handicap, &evaluator, &task, &stop);
            let most = search.budget.timer.hard.expect("a clock runs");
            assert!(
                most <= seconds(remaining) * 9 / 10,
                "{most:?} of {remaining} s + {increment} s"
            );
        }
    }

    #[test]
    fn it_moves_even_when_stopped_or_told_what_to_play() {
        let stop = Stop::new();
        stop.request();
        let blind = Handicap {
            depth: 6,
            vision: 0,
            judgement: 0,
            seed: 9,
            person: None,
        };
        let mut search = Search::new(
            &Options {
                threads: 1,
                hash_mib: 1,
            },
            Arc::new(Evaluator::Classic),
        );
        for board in positions() {
            let task = Task {
                handicap: Some(blind),
                ..Task::new(board, Limits::depth(60))
            };
            let best = run_task(&mut search, &task, &stop, &mut Silent).best;
            assert!(
                matches!(best, Some(Move::Place(square)) if board.play(square).is_some()),
                "{board:?}"
            );
            for square in board.moves() {
                let only = Task {
                    allowed: SquareSet(square.bit()),
                    limits: Limits {
                        exact_empties: 0,
                        ..Limits::depth(1)
                    },
                    ..task
                };
                let result = run_task(&mut search, &only, &Stop::new(), &mut Silent);
                assert_eq!(result.best, Some(Move::Place(square)));
            }
        }
    }
}
