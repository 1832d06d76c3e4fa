//! Searches by several threads.

use super::*;

/// Split points are opened from 14 empties on when solving, and from 5 plies on in the midgame.
#[test]
fn many_threads_find_the_exact_scores_of_one() {
    let mut one = searcher(1, 4);
    let mut many = [2, 8, 64].map(|threads| searcher(threads, 4));
    for seed in 0..samples(8).into() {
        let board = board_with(15 + seed as u32 % 4, seed);
        for goal in [Goal::Exact, Goal::WinLossDraw] {
            let task = Task::new(
                board,
                Limits {
                    goal,
                    ..Limits::exact()
                },
            );
            let run = |search: &mut Search| {
                let lines = search.run(&task).info.lines;
                let line = lines.first()?;
                if goal == Goal::WinLossDraw {
                    return Some((Score::from_units(line.bound.units().signum()), line.proof));
                }
                // The line must lead to the score that it claims.
                let end = line
                    .pv
                    .iter()
                    .try_fold(board, |board, &mv| board.play_move(mv))
                    .expect("legal");
                let sign = if line.pv.len().is_multiple_of(2) {
                    1
                } else {
                    -1
                };
                assert!(end.is_over(), "{line:?}");
                assert_eq!(
                    Score::from_discs(sign * end.final_score()),
                    line.bound,
                    "{line:?}"
                );
                Some((line.bound, line.proof))
            };
            let expected = run(&mut one);
            for search in &mut many {
                search.clear();
                assert_eq!(run(search), expected, "{board:?} {goal:?}");
            }
        }
    }
    // A line of the midgame is legal and has the requested depth.
    for seed in 0..samples(8).into() {
        let board = board_with(40, seed);
        let result = many[seed as usize % 3].run(&Task::new(board, Limits::depth(9)));
        assert_eq!(result.info.lines[0].depth, 9);
        assert!(matches!(result.best, Some(Move::Place(square)) if board.play(square).is_some()));
    }
}

#[test]
fn threads_stop_at_any_moment() {
    for threads in [2, 8, 64] {
        let mut search = searcher(threads, 1);
        for round in 0..samples(15).into() {
            let stop = Stop::new();
            let result = std::thread::scope(|scope| {
                scope.spawn(|| {
                    pause(Duration::from_micros(round * 97 % 16 * 1_400));
                    stop.request();
                });
                search.run_with(
                    &Task::new(board_with(36, round), Limits::depth(60)),
                    &stop,
                    &mut Silent,
                )
            });
            assert!(result.stopped && result.best.is_some());
            // Helpers that have not left yet do not disturb the next search.
            let next = search.run(&Task::new(board_with(36, round), Limits::depth(6)));
            assert_eq!((next.info.lines[0].depth, next.stopped), (6, false));
        }
    }
}

#[test]
fn a_panic_ends_a_search_on_two_threads() {
    let mut panics = |_: &Info| std::panic::panic_any("as meant");
    let mut search = searcher(2, 1);
    let mut run = || {
        search.run_with(
            &Task::new(board_with(36, 1), Limits::depth(60)),
            &Stop::new(),
            &mut panics,
        )
    };
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(&mut run)).map(|_| ());
    assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"as meant"));
    assert_eq!(
        search
            .run(&Task::new(board_with(36, 1), Limits::depth(8)))
            .info
            .lines[0]
            .depth,
        8
    );
}
