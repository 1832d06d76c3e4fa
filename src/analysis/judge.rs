//! The judge of games: the best moves of a position, and the loss of the move played.
//!
//! `analyze` and `report` both use it, so they agree on the same game.

use crate::board::{Move, Square, SquareSet};
use crate::engine::run_task;
use crate::search::{Clock, Goal, Info, Limits, Line, Observer, Proof, Search, Silent, Stop, Task};

/// Everything that decides the answer of a searcher.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    pub task: Task,
    /// The request asks for the loss of the move played.
    pub losses: bool,
    pub played: Option<Move>,
    /// How sure of the best move is enough.
    pub confidence: Option<f64>,
}

impl Question {
    pub fn of(task: Task) -> Self {
        Self {
            task,
            losses: false,
            played: None,
            confidence: None,
        }
    }
}

/// The result of the searches of a position and of the move played in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The best lines, best first, with the nodes and time of both searches; empty when the game is over. A move played
    /// that proved better than the best is the best.
    pub info: Info,
    /// The line of the move played; `None` without such a move, or if the search was stopped before.
    pub played: Option<Line>,
}

impl Judgement {
    /// Discs that the move played is worse than the best one, at least 0; `None` if a score is unknown, or if the task
    /// excludes the move and it is better than the others.
    pub fn loss(&self) -> Option<f64> {
        let best = self.info.lines.first()?;
        let played = self.played.as_ref()?;
        let loss = best.discs()? - played.discs()?;
        (loss >= 0.0).then_some(loss)
    }
}

/// Judges a position from an empty table, so that nothing but the question decides.
///
/// A separate search, as deep as the best move's, scores the move played if it is not among the best. With `losses` and
/// no limit of nodes or time, the best move and the loss do not depend on the number of moves.
pub fn judge(
    search: &mut Search,
    question: &Question,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Judgement {
    search.clear();
    judge_further(search, question, stop, observer)
}

/// The same with the table that an earlier, shorter search of the question left.
pub fn judge_further(
    search: &mut Search,
    question: &Question,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Judgement {
    let Question {
        task,
        losses,
        played,
        ..
    } = *question;
    let adds_others = losses && task.multi_pv > 1 && is_unbounded(&task.limits);
    let first = Task {
        multi_pv: if adds_others { 1 } else { task.multi_pv },
        ..task
    };
    let mut info = run_task(search, &first, stop, observer).info;
    let played = played.and_then(|mv| judge_played(search, &first, mv, &mut info, stop));
    if adds_others {
        add_others(search, &task, &mut info, played.as_ref(), stop);
    }
    Judgement { info, played }
}

/// The line of the move played; the best lines are corrected by it.
fn judge_played(
    search: &mut Search,
    task: &Task,
    mv: Move,
    info: &mut Info,
    stop: &Stop,
) -> Option<Line> {
    score_best(search, task, info, stop);
    let among = info
        .lines
        .iter()
        .find(|line| line.pv.first() == Some(&mv))
        .cloned();
    if among.is_some() || stop.is_requested() {
        return among;
    }
    let best = info.lines.first()?;
    let square = mv.square()?;
    let limits = as_deep(best, &task.limits);
    let mut played = alone(search, &Task { limits, ..*task }, square, info, stop);
    if let Some(line) = played.as_mut().filter(|_| task.allowed.contains(square)) {
        keep_best_first(&mut info.lines, line);
    }
    played
}

fn add_others(
    search: &mut Search,
    task: &Task,
    info: &mut Info,
    played: Option<&Line>,
    stop: &Stop,
) {
    let Some(best) = info.lines.first().cloned() else {
        return;
    };
    let first = |line: &Line| {
        line.pv
            .first()
            .and_then(|mv| mv.square())
            .map_or(0, Square::bit)
    };
    let played = played.filter(|line| first(line) & task.allowed.0 & !first(&best) != 0);
    let left = (task.board.moves() & task.allowed).0 & !first(&best) & !played.map_or(0, first);
    let mut others = Vec::from_iter(played.cloned());
    if left != 0 && !stop.is_requested() {
        let task = Task {
            allowed: SquareSet(left),
            multi_pv: task.multi_pv - 1,
            ..*task
        };
        others.extend(more(search, &task, info, stop));
    }
    for line in others.iter_mut().filter(|line| line.bound > best.bound) {
        line.bound = best.bound;
        line.proof = if best.proof == Proof::WinLossDraw {
            Proof::AtMost
        } else {
            Proof::None
        };
    }
    others.sort_by_key(|line| std::cmp::Reverse(line.bound));
    others.truncate(task.multi_pv - 1);
    info.lines = [vec![best], others].concat();
}

/// Scores a best move that has only a bound, because its search was cut short, in a separate search as deep as the last
/// complete one: the loss of the move played needs it.
fn score_best(search: &mut Search, task: &Task, info: &mut Info, stop: &Stop) {
    let Some(best) = info
        .lines
        .first()
        .filter(|best| best.proof == Proof::AtLeast)
    else {
        return;
    };
    let Some(&Move::Place(square)) = best.pv.first() else {
        return;
    };
    let best = best.clone();
    if task.limits.goal == Goal::WinLossDraw || stop.is_requested() {
        return;
    }
    let limits = as_deep(&best, &task.limits);
    if let Some(line) = alone(search, &Task { limits, ..*task }, square, info, stop) {
        info.lines[0] = unproven(line, &best);
    }
}

/// The lines of another search, whose nodes and time are added.
fn more(search: &mut Search, task: &Task, info: &mut Info, stop: &Stop) -> Vec<Line> {
    let result = run_task(search, task, stop, &mut Silent).info;
    info.nodes += result.nodes;
    info.time += result.time;
    result.lines
}

fn alone(
    search: &mut Search,
    task: &Task,
    square: Square,
    info: &mut Info,
    stop: &Stop,
) -> Option<Line> {
    let task = Task {
        allowed: SquareSet(square.bit()),
        multi_pv: 1,
        ..*task
    };
    more(search, &task, info, stop).into_iter().next()
}

fn is_unbounded(limits: &Limits) -> bool {
    limits.clock == Clock::Unlimited && limits.nodes.is_none()
}

/// Limits under which one move is searched as deep as the best was, or its loss would be a difference of depths.
fn as_deep(best: &Line, limits: &Limits) -> Limits {
    let depth = if is_unbounded(limits) {
        limits.depth
    } else {
        best.depth.max(1)
    };
    Limits { depth, ..*limits }
}

/// The line of one move as the best of a position: that the other moves are no better is not proven by it, only by a search of
/// all of them.
fn unproven(line: Line, best: &Line) -> Line {
    let proof = match line.proof {
        Proof::Exact => Proof::None,
        Proof::WinLossDraw => Proof::AtLeast,
        bound => bound,
    };
    Line {
        proof,
        depth: best.depth,
        selectivity: best.selectivity,
        ..line
    }
}

/// No move is better than the best: one that an estimate puts above a proven score is as good, one that is above an
/// estimate takes its place.
fn keep_best_first(lines: &mut Vec<Line>, played: &mut Line) {
    let best = &lines[0];
    if played.bound <= best.bound {
        return;
    }
    if best.proof.is_proven() && played.proof != Proof::Exact {
        played.bound = best.bound;
        played.proof = if best.proof == Proof::Exact {
            Proof::None
        } else {
            Proof::AtMost
        };
        return;
    }
    let wanted = lines.len();
    lines.insert(0, unproven(played.clone(), best));
    lines.truncate(wanted);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::random_position;
    use crate::board::{Board, Score};
    use crate::eval::Evaluator;
    use crate::search::{Options, Selectivity};
    use crate::util::rng::Rng;

    fn searcher() -> Search {
        Search::new(
            &Options {
                threads: 1,
                hash_mib: 1,
            },
            Evaluator::Classic.into(),
        )
    }

    fn boards() -> impl Iterator<Item = Board> {
        (0..60).map(|seed| random_position(&mut Rng::new(seed), 10 + seed as u32 % 45))
    }

    fn judged(search: &mut Search, task: Task, played: Option<Move>) -> Judgement {
        judge(
            search,
            &Question {
                losses: true,
                played,
                ..Question::of(task)
            },
            &Stop::new(),
            &mut Silent,
        )
    }

    #[test]
    fn the_best_move_and_the_loss_do_not_depend_on_the_number_of_moves() {
        let mut search = searcher();
        for board in boards() {
            let played = board.moves().iter().last().map(Move::Place);
            let task = Task::new(board, Limits::depth(3));
            let one = judged(&mut search, task, played);
            let all = judged(
                &mut search,
                Task {
                    multi_pv: 64,
                    ..task
                },
                played,
            );
            assert_eq!(
                (&one.info.lines[0], one.loss()),
                (&all.info.lines[0], all.loss()),
                "{board}"
            );
            assert_eq!(
                all.info.lines.len(),
                board.moves().len() as usize,
                "{board}"
            );
            assert!(
                all.info
                    .lines
                    .is_sorted_by_key(|line| std::cmp::Reverse(line.bound)),
                "{board}"
            );
            let two = judged(
                &mut search,
                Task {
                    multi_pv: 2,
                    ..task
                },
                played,
            );
            assert_eq!(two.info.lines.len(), 2.min(all.info.lines.len()), "{board}");
        }
    }

    #[test]
    fn no_move_is_better_than_the_best() {
        let mut search = searcher();
        let few = Limits {
            nodes: Some(200),
            ..Limits::depth(60)
        };
        let mut equal = 0;
        for (board, limits) in boards().flat_map(|board| [(board, Limits::depth(2)), (board, few)])
        {
            for square in board.moves() {
                let judgement = judged(
                    &mut search,
                    Task::new(board, limits),
                    Some(Move::Place(square)),
                );
                let best = &judgement.info.lines[0];
                let played = judgement.played.as_ref().expect("legal");
                assert!(played.bound <= best.bound, "{board:?} {square}");
                assert_eq!(played.pv[0], Move::Place(square));
                let [best, played] =
                    [best, played].map(|line| line.discs().expect("no bound is left"));
                assert_eq!(judgement.loss(), Some(best - played));
                equal += usize::from(best == played);
            }
        }
        assert!(equal > 60);
    }

    #[test]
    fn an_earlier_search_does_not_change_a_judgement() {
        let mut fresh = searcher();
        let mut used = searcher();
        for board in boards() {
            let mv = board.moves().iter().last().map(Move::Place);
            let task = Task::new(
                board,
                Limits {
                    nodes: Some(3000),
                    ..Limits::depth(60)
                },
            );
            let run = |search: &mut Search| {
                let judgement = judged(search, task, mv);
                (judgement.info.lines, judgement.played, judgement.info.nodes)
            };
            fresh.clear();
            assert_eq!(run(&mut fresh), run(&mut used));
            used.run(&Task::new(board, Limits::depth(5)));
        }
    }

    #[test]
    fn bounds_have_no_loss_and_proofs_stay() {
        let line = |(discs, proof)| {
            let score = Score::from_discs(discs);
            let selectivity = Selectivity::Full;
            Line {
                pv: Vec::new(),
                bound: score,
                depth: 9,
                selectivity,
                proof,
            }
        };
        for (best, played, expected) in [
            ((4, Proof::None), (1, Proof::None), (4, Some(3.0))),
            ((4, Proof::None), (6, Proof::None), (6, Some(0.0))),
            ((4, Proof::Exact), (6, Proof::None), (4, Some(0.0))),
            ((2, Proof::WinLossDraw), (2, Proof::WinLossDraw), (2, None)),
            ((-2, Proof::WinLossDraw), (3, Proof::None), (-2, None)),
            ((4, Proof::AtLeast), (1, Proof::None), (4, None)),
        ] {
            let mut lines = vec![line(best)];
            let mut other = line(played);
            keep_best_first(&mut lines, &mut other);
            let info = Info {
                lines,
                nodes: 0,
                time: std::time::Duration::ZERO,
            };
            let judgement = Judgement {
                info,
                played: Some(other),
            };
            let found = (
                judgement.info.lines[0].bound.round_discs(),
                judgement.loss(),
            );
            assert_eq!(found, expected, "{best:?} {played:?}");
        }
    }

    /// A budget that ends in the middle: one move solved by itself, as the one that was played is, proves nothing of the others.
    #[test]
    fn a_short_search_proves_no_wrong_score() {
        let text = "OXXX-XXXOOXXXXXXOXOXXXOOXXXXXXOX-XOOXOX-OOXOOO-X-OXXOO--OOOOXX-- O";
        let board = crate::notation::diagram::parse_board(text).unwrap().board;
        let mut search = searcher();
        let exact = search.run(&Task::new(board, Limits::exact()));
        let truth = exact.info.lines[0].bound;
        let mut judgements = 0;
        for nodes in (50..1500).step_by(50) {
            let task = Task::new(
                board,
                Limits {
                    nodes: Some(nodes),
                    ..Limits::depth(60)
                },
            );
            for square in board.moves() {
                let judgement = judged(&mut search, task, Some(Move::Place(square)));
                let best = &judgement.info.lines[0];
                judgements += 1;
                let is_true = best.proof != Proof::Exact || best.bound == truth;
                assert!(is_true, "{nodes} nodes, {square}: {best:?}");
            }
        }
        assert!(judgements > 100);
    }
}
