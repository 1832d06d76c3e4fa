//! A verdict on every turn of games: searches spread over threads, each position on its own.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::game::{Report, Source, Turn, Verdict};
use crate::analysis::judge::judge;
use crate::board::{Move, Position};
use crate::eval::Evaluator;
use crate::search::{self, Limits, Options, Search, Silent, Stop, Task};

/// How to search.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Bounds of each search.
    pub limits: Limits,
    /// Positions searched at once, at least 1.
    pub threads: usize,
    /// Size of each thread's table in MiB.
    pub hash_mib: usize,
}

/// Searches every position of `games`, and every move played that is not the best one as deep again.
///
/// Each search begins with an empty table, so with limits that are no time the verdicts depend on nothing but the
/// position. `progress` hears of each position done. `None` when `stop` was requested.
///
/// # Errors
/// When the system starts no thread.
pub fn analyze(
    games: Vec<Source>,
    evaluator: &Arc<Evaluator>,
    plan: &Plan,
    stop: &Stop,
    mut progress: impl FnMut(),
) -> io::Result<Option<Vec<Report>>> {
    let units: Vec<(Position, Option<Move>)> = games.iter().flat_map(turns).collect();
    let next = AtomicUsize::new(0);
    let mut judged: Vec<Option<Turn>> = vec![None; units.len()];
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let judges = (0..plan.threads.clamp(1, units.len().max(1))).map(|_| {
            let (sender, units, next) = (sender.clone(), &units, &next);
            move || {
                let options = Options { threads: 1, hash_mib: plan.hash_mib };
                let mut search = Search::new(&options, Arc::clone(evaluator));
                while !stop.is_requested()
                    && let index = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(&(position, played)) = units.get(index)
                {
                    let turn = turn(&mut search, position, played, &plan.limits, stop);
                    // The receiver lives until all senders are gone.
                    let _ = sender.send((index, turn));
                }
            }
        });
        search::spawn_each(scope, judges)?;
        drop(sender);
        for (index, turn) in receiver {
            judged[index] = Some(turn);
            progress();
        }
        Ok::<_, io::Error>(())
    })?;
    if stop.is_requested() {
        return Ok(None);
    }
    let mut judged = judged.into_iter().map(|turn| turn.expect("every position was judged"));
    let report = |source: Source| {
        let turns = judged.by_ref().take(source.game().positions().len()).collect();
        Report { source, turns, book_turns: 0 }
    };
    Ok(Some(games.into_iter().map(report).collect()))
}

/// The positions of a game with what was played in them.
fn turns(source: &Source) -> impl Iterator<Item = (Position, Option<Move>)> {
    let game = source.game();
    game.positions().iter().copied().zip(game.moves().iter().copied().map(Some).chain([None]))
}

/// The verdict on a position, and what the move played lost.
fn turn(search: &mut Search, position: Position, played: Option<Move>, limits: &Limits, stop: &Stop) -> Turn {
    let judgement = judge(search, &Task::new(position.board, *limits), played, stop, &mut Silent);
    let empties = position.board.empty_count();
    let verdict = judgement.info.lines.first().map(|line| Verdict::new(line, empties));
    Turn { position, played, verdict, loss: judgement.loss() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::moves::parse_game;

    /// A game to its end, with plain mistakes.
    const GAME: &str = "f5d6c3d3c4f4c5b3c2e6c6b4b5d2e3a6c1b6f3";

    fn plan(depth: u8, threads: usize) -> Plan {
        Plan { limits: Limits::depth(depth), threads, hash_mib: 1 }
    }

    fn source(moves: &str) -> Source {
        Source { record: parse_game(Position::START, moves).unwrap().into(), ..Source::default() }
    }

    fn run(moves: &[&str], plan: &Plan) -> Vec<Report> {
        let games = moves.iter().map(|text| source(text)).collect();
        analyze(games, &Arc::new(Evaluator::classic()), plan, &Stop::new(), || ()).unwrap().unwrap()
    }

    #[test]
    fn threads_change_nothing() {
        let games = [GAME, "f5f6e6f4", ""];
        let one = run(&games, &plan(3, 1));
        assert_eq!(one, run(&games, &plan(3, 3)));
        assert_eq!(one[0].turns.len(), 20);
        assert_eq!(one[2].turns.len(), 1);
        let losses: Vec<f64> = one[0].turns.iter().filter_map(|turn| turn.loss).collect();
        assert_eq!(losses.len(), 19);
        assert!(
            losses.iter().all(|&loss| loss >= 0.0) && losses.iter().any(|&loss| loss > 0.0),
            "{losses:?}"
        );
    }

    #[test]
    fn a_solved_end_counts_every_disc() {
        // Wiped out after nine moves; the last position before it is lost by all 64 whatever White plays.
        let reports = run(&["e6f4e3f6g5d6e7f5c5"], &plan(2, 1));
        let turns = &reports[0].turns;
        assert_eq!(turns[8].loss, Some(0.0));
        assert_eq!(turns[9].verdict, None);
        assert_eq!(turns[9].score_for_black(), Some(64.0));
    }

    #[test]
    fn a_stop_gives_no_half_report() {
        let stop = Stop::new();
        stop.request();
        let games = vec![source(GAME)];
        assert!(
            analyze(games, &Arc::new(Evaluator::classic()), &plan(60, 2), &stop, || ()).unwrap().is_none()
        );
    }
}
