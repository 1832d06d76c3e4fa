//! Whole searches: results and limits.

mod threads;

use std::time::Duration;

use super::super::endgame::{CacheSizes, Solver};
use super::super::reference_tests::strict_search;
use super::super::slices::{self, Slices};
use super::super::{Goal, Limits, Options, Search, Silent, Stop};
use super::*;
use crate::board::testing::{random_position, samples};
use crate::eval::Evaluator;
use crate::util::clock;
use crate::util::patience::{Wait, at_most, pause};
use crate::util::rng::Rng;

/// A search, and the best line of each iteration.
fn iterations(search: &mut Search, task: &Task) -> (SearchResult, Vec<Line>) {
    let mut lines = Vec::new();
    let result = search.run_with(task, &Stop::new(), &mut |info: &Info| {
        lines.push(info.lines[0].clone())
    });
    (result, lines)
}

/// A searcher with this number of threads on any number of processors.
fn searcher(threads: usize, hash_mib: usize) -> Search {
    Search::with_threads(threads, hash_mib, crate::eval::testing::evaluator())
}

fn board_with(empties: u32, seed: u64) -> Board {
    random_position(&mut Rng::new(seed), 60 - empties)
}

#[test]
fn a_finished_game_has_no_move_and_a_forced_pass_has_a_line() {
    let mut search = strict_search();
    let over = Board {
        player: 1,
        opponent: 0,
    };
    let result = search.run(&Task::new(over, Limits::depth(4)));
    assert_eq!((result.best, result.info.lines.len()), (None, 0));
    // White has a1, Black b1: only White can move, to c1.
    let passing = Board {
        player: 0b10,
        opponent: 0b01,
    };
    let result = search.run(&Task::new(passing, Limits::exact()));
    assert_eq!(result.best, Some(Move::Pass));
    let line = &result.info.lines[0];
    assert_eq!((line.pv.len(), line.bound), (2, Score::MIN));
}

#[test]
fn equal_moves_have_one_value_and_are_searched_once() {
    let run = |board, depth, multi_pv| {
        let mut search = strict_search();
        let task = Task {
            multi_pv,
            ..Task::new(board, Limits::depth(depth))
        };
        let lines = search.run(&task).info.lines;
        (lines, search.counters().nodes)
    };
    for depth in 1..=7 {
        let (lines, nodes) = run(Board::START, depth, 4);
        assert_eq!(lines.len(), 4);
        let mut firsts = 0;
        for line in &lines {
            assert_eq!(line.bound, lines[0].bound, "depth {depth}");
            let Some(&Move::Place(first)) = line.pv.first() else {
                panic!("no move")
            };
            firsts |= first.bit();
            let end = line
                .pv
                .iter()
                .try_fold(Board::START, |board, &mv| board.play_move(mv));
            assert!(end.is_some(), "{:?}", line.pv);
        }
        assert_eq!(firsts, Board::START.moves().0);
        assert_eq!(
            nodes,
            run(Board::START, depth, 1).1,
            "the others cost nothing"
        );
    }
    // Two of two equal squares each.
    let rows = Board {
        player: 0x18 << 24,
        opponent: 0x18 << 32,
    };
    let (lines, _) = run(rows, 4, 64);
    assert_eq!((lines.len(), rows.own_symmetries().count()), (4, 2));
    for symmetry in rows.own_symmetries() {
        for line in &lines {
            let image = line.pv[0].mapped(symmetry);
            let equal = lines
                .iter()
                .find(|other| other.pv[0] == image)
                .expect("all moves have lines");
            assert_eq!(equal.bound, line.bound);
        }
    }
}

#[test]
fn a_search_stopped_at_once_still_plays_a_legal_move() {
    let stop = Stop::new();
    stop.request();
    let mut search = strict_search();
    for seed in 0..50 {
        let board = board_with(1 + seed as u32, seed);
        let result = search.run_with(&Task::new(board, Limits::exact()), &stop, &mut Silent);
        let Some(Move::Place(square)) = result.best else {
            panic!("no move at {board:?}")
        };
        assert!(board.play(square).is_some());
    }
}

/// A limit of nodes from 1 to 200,000, all sizes alike.
fn node_limit(rng: &mut Rng) -> u64 {
    (200_000f64.ln() * rng.unit()).exp() as u64
}

/// A search of a random position for a random goal within a random limit of nodes.
fn limited(rng: &mut Rng) -> (Task, u64) {
    let limit = node_limit(rng);
    let goal = [Goal::Play, Goal::Exact, Goal::WinLossDraw][rng.below(3) as usize];
    let empties = 4 + rng.below(if goal == Goal::Play { 50 } else { 24 });
    let limits = Limits {
        goal,
        nodes: Some(limit),
        ..Limits::depth(60)
    };
    let multi_pv = [1, 1, 3, 64][rng.below(4) as usize];
    (
        Task {
            multi_pv,
            ..Task::new(random_position(rng, 60 - empties), limits)
        },
        limit,
    )
}

#[test]
fn node_limits_hold() {
    for threads in [1, 2] {
        let mut search = searcher(threads, 4);
        let mut rng = Rng::new(51);
        for _ in 0..samples(if threads == 1 { 1_200 } else { 300 }) {
            let (task, limit) = limited(&mut rng);
            let result = search.run(&task);
            let nodes = result.info.nodes.max(search.counters().nodes);
            assert!(
                nodes <= limit + 2_048 * threads as u64,
                "{nodes} nodes of {limit}: {task:?}"
            );
            assert!(task.board.moves().is_empty() || result.best.is_some());
        }
    }
}

#[test]
fn one_thread_with_a_node_limit_is_deterministic() {
    let (mut search, mut other) = (searcher(1, 4), searcher(1, 4));
    let mut rng = Rng::new(52);
    for _ in 0..samples(60) {
        let (task, _) = limited(&mut rng);
        let run = |search: &mut Search| {
            search.clear();
            let result = search.run(&task);
            (result.best, result.info.lines, result.info.nodes)
        };
        assert_eq!(run(&mut search), run(&mut other), "{task:?}");
    }
}

#[test]
fn an_interrupted_solve_claims_no_wrong_score() {
    let [mut one, mut two] = [1, 2].map(|threads| searcher(threads, 4));
    let mut rng = Rng::new(53);
    let (mut proven, mut open) = (0, 0);
    for round in 0..samples(300) {
        let empties = 8 + rng.below(8);
        let board = random_position(&mut rng, 60 - empties);
        let limits = Limits {
            nodes: Some(node_limit(&mut rng)),
            ..Limits::exact()
        };
        let search = if round % 2 == 0 { &mut one } else { &mut two };
        let result = search.run(&Task::new(board, limits));
        let Some(line) = result.info.lines.first() else {
            continue;
        };
        // The table keeps the bounds that interrupted searches have stored.
        let score = Score::from_units(exact(search, board));
        match line.proof {
            Proof::Exact => assert_eq!(line.bound, score, "{board:?}"),
            Proof::WinLossDraw => assert_eq!(line.bound.units().signum(), score.units().signum()),
            _ => {}
        }
        *(if line.proof == Proof::Exact {
            &mut proven
        } else {
            &mut open
        }) += 1;
        let truth = Score::from_discs(Solver::new(CacheSizes::default()).exact(board));
        assert_eq!(score, truth, "{board:?}");
    }
    assert!(proven > 20 && open > 20, "{proven} proven, {open} not");
}

#[test]
fn a_clock_ends_a_search_that_would_take_for_ever() {
    let mut search = strict_search();
    let wait = Wait::default();
    let limits = Limits::movetime(Duration::from_millis(30));
    let result = search.run(&Task::new(board_with(50, 1), limits));
    // The margin itself is measured outside the tests.
    assert!(!wait.is_over() && result.best.is_some());
    assert!(!result.stopped, "a clock is a limit, not a stop");
}

#[test]
fn the_midgame_goes_on_only_where_a_solve_would_not_end() {
    let board = board_with(20, 3);
    let depths = |nodes| {
        let task = Task::new(
            board,
            Limits {
                nodes,
                ..Limits::depth(60)
            },
        );
        iterations(&mut searcher(1, 16), &task)
            .1
            .iter()
            .map(|line| line.depth)
            .collect::<Vec<_>>()
    };
    let midgame = [1, 3, 5, 7, 9, 11];
    // Passes of 73 and 87 %, then the exact one.
    assert_eq!(depths(None), [&midgame[..], &[20, 20, 20]].concat());
    // Enough for some more plies, and by far not for the first pass.
    assert_eq!(depths(Some(70_000)), [&midgame[..], &[13, 15]].concat());
    assert_eq!(depths(Some(100_000_000)), depths(None));
}

/// The iterations of a search whose solve is out of reach: it has 60 times the nodes of those before, not 80.
fn beyond_reach(board: Board, multi_pv: usize) -> Task {
    let limits = Limits {
        exact_empties: 0,
        ..Limits::depth(11)
    };
    let before = searcher(1, 16).run(&Task::new(board, limits)).info.nodes;
    let limits = Limits {
        nodes: Some(60 * before),
        ..Limits::depth(60)
    };
    Task::new(board, limits).with_multi_pv(multi_pv)
}

#[test]
fn a_table_that_knows_the_position_does_not_hide_the_cost_of_a_solve() {
    for seed in 3..6 {
        let task = beyond_reach(board_with(20, seed), 1);
        for repetitions in 0..2 {
            let mut search = searcher(1, 16);
            (0..repetitions).for_each(|_| drop(search.run(&task)));
            let (_, lines) = iterations(&mut search, &task);
            let goes_on = lines.iter().any(|line| (12..20).contains(&line.depth));
            assert!(goes_on, "{repetitions} repetitions: {lines:?}");
        }
    }
}

#[test]
fn a_search_in_slices_goes_on_where_its_solve_would_not_end() {
    for (seed, multi_pv) in [(3, 1), (4, 3)] {
        let task = beyond_reach(board_with(20, seed), multi_pv);
        let mut search = searcher(1, 16);
        let stop = Stop::new();
        let mut before = Some(Slices::default());
        let mut depths = Vec::new();
        let mut count = 0;
        while count == 0
            || before
                .as_ref()
                .is_some_and(|before| before.paused.is_some())
        {
            // The first slices end at a look soon after the first; the last one has no end.
            let end = if count < 40 { clock::micros() + 300 } else { 0 };
            slices::end_at(&stop, end);
            slices::set(&mut search, before);
            let observer = &mut |info: &Info| depths.push(info.lines[0].depth);
            search.run_with(&task, &stop, observer);
            before = slices::set(&mut search, None);
            count += 1;
        }
        let goes_on = depths.iter().any(|depth| (12..20).contains(depth));
        assert!(count > 5 && goes_on, "{count} slices: {depths:?}");
    }
}

#[test]
fn time_that_no_solve_can_use_goes_deeper_and_then_less_boldly() {
    let fallbacks = |limits: Limits| -> Vec<(u8, Selectivity)> {
        let plan = plan(&Task::new(board_with(38, 4), limits));
        let fallbacks = plan.iter().filter(|iteration| iteration.is_fallback);
        fallbacks
            .map(|iteration| (iteration.depth, iteration.selectivity))
            .collect()
    };
    use Selectivity::{P73, P87, P95};
    assert_eq!(
        fallbacks(Limits::depth(60)),
        [(31, P73), (33, P73), (33, P87), (33, P95)]
    );
    assert_eq!(
        fallbacks(Limits {
            selectivity: P87,
            ..Limits::depth(60)
        }),
        [(31, P87), (33, P87), (33, P95)]
    );
    assert_eq!(fallbacks(Limits::depth(24)), []);
    assert_eq!(fallbacks(Limits::exact()), []);
    assert!(solve_cost_growth(40) > solve_cost_growth(36) && solve_cost_growth(28) == 1.0);
}

#[test]
fn several_lines_are_the_best_moves_in_order() {
    let mut search = strict_search();
    for seed in 0..6 {
        let board = board_with(9, seed);
        let mut scores: Vec<Score> = board
            .moves()
            .iter()
            .filter_map(|square| board.play(square))
            .map(|child| Score::from_units(-exact(&mut search, child)))
            .collect();
        scores.sort_by_key(|score| -*score);
        let task = Task {
            multi_pv: 3,
            ..Task::new(board, Limits::exact())
        };
        let lines = search.run(&task).info.lines;
        scores.truncate(3);
        assert_eq!(
            lines.iter().map(|line| line.bound).collect::<Vec<_>>(),
            scores
        );
    }
}

fn exact(search: &mut Search, board: Board) -> i32 {
    match search
        .run(&Task::new(board, Limits::exact()))
        .info
        .lines
        .first()
    {
        Some(line) => line.bound.units(),
        None => board.final_score() * Score::DISC,
    }
}

#[test]
fn only_allowed_moves_are_played() {
    let mut search = strict_search();
    let board = Board::START;
    for square in board.moves() {
        let task = Task {
            allowed: SquareSet(square.bit()),
            ..Task::new(board, Limits::depth(4))
        };
        let result = search.run(&task);
        assert_eq!(result.best, Some(Move::Place(square)));
    }
}

#[test]
fn win_loss_draw_has_the_sign_of_the_exact_score() {
    let mut search = strict_search();
    for seed in 0..20 {
        let board = board_with(10, seed);
        let score = exact(&mut search, board);
        search.clear();
        let limits = Limits::win_loss_draw();
        let result = search.run(&Task::new(board, limits));
        let line = &result.info.lines[0];
        assert_eq!(line.bound.units().signum(), score.signum(), "{board:?}");
        assert_eq!(line.proof, Proof::WinLossDraw);
    }
}

#[test]
fn a_search_for_the_winner_tells_no_score_on_its_way() {
    let mut search = searcher(1, 16);
    let limits = Limits::win_loss_draw();
    let mut bounds = 0;
    for seed in 0..5 {
        let (_, all) = iterations(&mut search, &Task::new(board_with(16, seed), limits));
        for line in all
            .iter()
            .filter(|line| line.depth == 16 && line.bound != Score::from_discs(0))
        {
            assert_eq!(line.discs(), None, "{line:?}");
            bounds += usize::from(!line.proof.is_proven());
        }
    }
    assert!(bounds > 0);
}

/// Four plies of best play into number 41 of the FFO test set: 18 empties, a draw.
const DRAWN: Board = Board {
    player: 0x0018_0402_ED03_4100,
    opponent: 0x4E24_7B3C_127C_3C3E,
};

/// One searcher and one table for all: the entries of one search must not mislead another.
#[test]
fn a_draw_counts_for_whom_it_is_said_to() {
    let mut search = searcher(1, 16);
    let mut lines = |goal, draw_value| {
        let task = Task {
            draw_value,
            ..Task::new(
                DRAWN,
                Limits {
                    goal,
                    ..Limits::exact()
                },
            )
        };
        iterations(&mut search, &task).1
    };
    for draw_value in [1, 0, -1, 1] {
        let worth = Score::from_units(i32::from(draw_value) * DISC);
        for (goal, proof) in [
            (Goal::WinLossDraw, Proof::WinLossDraw),
            (Goal::Exact, Proof::Exact),
            (Goal::Play, Proof::Exact),
        ] {
            let lines = lines(goal, draw_value);
            let [.., before, last] = &lines[..] else {
                panic!("several iterations")
            };
            assert_eq!((last.bound, last.proof), (worth, proof), "{goal:?}");
            // A search that plays asks first for the side that draws count for.
            if goal == Goal::Play && draw_value != 0 {
                assert_eq!((before.bound, before.proof), (worth, Proof::WinLossDraw));
            } else {
                assert!(!before.proof.is_proven(), "{goal:?}");
            }
        }
    }
}

/// Node limits cut iterations at every stage, the same way each time.
#[test]
fn a_better_move_of_an_unfinished_iteration_is_played() {
    let mut search = Search::new(
        &Options {
            threads: 1,
            hash_mib: 1,
        },
        Evaluator::Classic.into(),
    );
    let mut run = |board: Board, limits: Limits| {
        search.clear();
        let (result, mut lines) = iterations(&mut search, &Task::new(board, limits));
        (
            result.info.lines[0].clone(),
            lines.pop().expect("the first iteration always ends"),
        )
    };
    let (mut changed, mut confirmed, mut bounds) = (0, 0, 0);
    for seed in 0..300 {
        let board = board_with(36, seed);
        let nodes = Some(300 + 30 * seed);
        let (played, finished) = run(
            board,
            Limits {
                nodes,
                ..Limits::depth(30)
            },
        );
        assert!(matches!(played.pv[0], Move::Place(square) if board.play(square).is_some()));
        if played.pv[0] == finished.pv[0] {
            assert_eq!(played, finished);
            continue;
        }
        changed += 1;
        assert_eq!(played.depth, finished.depth);
        // A move that failed high is not scored: it is at least so good.
        assert!([Proof::None, Proof::AtLeast].contains(&played.proof));
        bounds += usize::from(played.proof == Proof::AtLeast);
        let unfinished = finished.depth + if finished.depth == 1 { 1 } else { 2 };
        let (_, whole) = run(
            board,
            Limits {
                exact_empties: 0,
                ..Limits::depth(unfinished)
            },
        );
        confirmed += usize::from(whole.pv[0] == played.pv[0]);
    }
    assert!(
        changed >= 5 && confirmed * 2 > changed,
        "{confirmed} of {changed}"
    );
    assert!(0 < bounds && bounds < changed, "{bounds} of {changed}");
}

#[test]
fn a_single_legal_move_leaves_most_of_its_time() {
    let mut search = strict_search();
    let board = (0..)
        .map(|seed| board_with(40, seed))
        .find(|b| b.moves().len() == 1);
    let limits = Limits::movetime(at_most(300));
    let task = Task::new(board.expect("there are such positions"), limits);
    let wait = Wait::of(200);
    let result = search.run(&task);
    assert!(
        result.best.is_some() && !wait.is_over(),
        "{:?}",
        wait.taken()
    );
}

#[test]
fn a_drawn_board_with_more_moves_than_games_know_is_searched() {
    let board = Board {
        player: 0x0020_E424_089E_0400,
        opponent: 0x005A_124A_0240_BA00,
    };
    assert_eq!(board.moves().len(), 34);
    let mut search = strict_search();
    let task = Task {
        multi_pv: 64,
        ..Task::new(board, Limits::depth(2))
    };
    let result = search.run(&task);
    assert_eq!(result.info.lines.len(), 34);
}
