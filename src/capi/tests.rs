use std::collections::BTreeSet;
use std::ffi::{CStr, c_void};
use std::{fs, ptr};

use super::book::*;
use super::boundary::*;
use super::engine::*;
use super::people::*;
use super::rules::*;

fn message() -> String {
    // SAFETY: a text that ends in a zero byte, valid until the next failure.
    unsafe { CStr::from_ptr(emilia_error()) }
        .to_str()
        .unwrap()
        .to_owned()
}

fn parsed(position: &CStr) -> Option<(EmiliaBoard, bool)> {
    let mut board = emilia_start();
    let mut black = false;
    // SAFETY: a text and two places of this frame.
    unsafe { emilia_parse(position.as_ptr(), &raw mut board, &raw mut black) }
        .then_some((board, black))
}

/// Counts reports in `data`, and wants the search to end at the third.
unsafe extern "C" fn three(report: *const EmiliaReport, data: *mut c_void) -> bool {
    // SAFETY: the test passes a number, the search a report.
    let (count, report) = unsafe { (&mut *data.cast::<u32>(), &*report) };
    assert!(report.line_length > 0 && report.best == report.line[0]);
    *count += 1;
    *count < 3
}

#[test]
fn the_rules_are_those_of_the_game() {
    let mut board = emilia_start();
    assert_eq!(emilia_moves(board), 1 << 19 | 1 << 26 | 1 << 37 | 1 << 44);
    // SAFETY: a board of this frame.
    unsafe {
        assert!(!emilia_play(&raw mut board, 0) && message().contains("legal"));
        assert!(!emilia_play(&raw mut board, EMILIA_PASS) && !emilia_play(ptr::null_mut(), 37));
        assert!(emilia_play(&raw mut board, 37));
    }
    assert_eq!(parsed(c"f5"), Some((board, false)));
    assert_eq!(parsed(c"f5x9"), None);
    assert!(message().contains("expected"), "{}", message());
    assert_eq!(parsed(c""), None);
    let (over, _) = parsed(c"e6f4e3f6g5d6e7f5c5").unwrap();
    assert!(emilia_is_over(over) && emilia_final_score(over) == -64 && emilia_moves(over) == 0);
    assert_eq!(
        emilia_moves(EmiliaBoard {
            player: 3,
            opponent: 1
        }),
        0
    );
}

#[test]
fn absurd_options_make_no_engine() {
    for (threads, mib, named) in [
        (0, 1, "threads takes a whole number from 1 to 256, not 0"),
        (
            100_000,
            1,
            "threads takes a whole number from 1 to 256, not 100000",
        ),
        (1, 0, "hash takes a whole number from 1 to 65536, not 0"),
        (
            1,
            4_000_000_000,
            "hash takes a whole number from 1 to 65536, not 4000000000",
        ),
    ] {
        // SAFETY: a null pointer for the weights.
        let engine = unsafe { emilia_engine_new(threads, mib, ptr::null()) };
        assert!(engine.is_null() && message() == named, "{}", message());
    }
}

const TASK: EmiliaTask = EmiliaTask {
    goal: EmiliaGoal::Play as u8,
    depth: 0,
    selectivity: 0,
    nodes: 0,
    seconds: 0.0,
    stop: ptr::null(),
    observer: None,
    data: ptr::null_mut(),
};

const SOLVED: &CStr = c"--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";

/// The reports of a search with room for `capacity`; `None` after an error.
fn searched(
    engine: *mut EmiliaEngine,
    board: EmiliaBoard,
    task: &EmiliaTask,
    capacity: usize,
) -> Option<Vec<EmiliaReport>> {
    let mut reports = Vec::with_capacity(capacity);
    // SAFETY: the engine of the test, places of this frame, and room for `capacity` reports.
    unsafe {
        let found = emilia_search(
            engine,
            board,
            &raw const *task,
            reports.as_mut_ptr(),
            capacity,
        );
        reports.set_len(usize::try_from(found).ok()?);
    }
    Some(reports)
}

#[test]
fn a_search_reports_stops_and_solves() {
    let depth = |depth| EmiliaTask { depth, ..TASK };
    let mut count = 0u32;
    // SAFETY: objects made here and freed at the end; places of this frame.
    unsafe {
        assert!(
            emilia_engine_new(1, 1, c"no such file".as_ptr()).is_null() && !message().is_empty()
        );
        let engine = emilia_engine_new(1, 16, ptr::null());
        let start = |task| searched(engine, emilia_start(), &task, 1).map(|found| found[0]);
        let found = start(depth(8)).unwrap();
        assert_eq!(
            (found.depth, found.selectivity, found.proof),
            (8, 73, EmiliaProof::None)
        );
        assert!(emilia_moves(emilia_start()) >> found.best & 1 == 1 && found.nodes > 0);

        let found = start(EmiliaTask {
            observer: Some(three),
            data: (&raw mut count).cast(),
            ..depth(60)
        });
        // Iterations of a few nodes end before the search looks for a wish to stop.
        assert!(
            count >= 3 && found.unwrap().depth < 60,
            "{count} reports, {found:?}"
        );

        let stop = emilia_stop_new();
        emilia_stop_request(stop);
        assert!(start(EmiliaTask { stop, ..depth(60) }).unwrap().nodes < 1_000_000);
        emilia_stop_free(stop);
        assert_eq!(
            start(depth(8)).unwrap().depth,
            8,
            "a stop is for one search"
        );

        for (task, problem) in [
            (TASK, "expected a limit"),
            (depth(61), "1 to 60, not 61"),
            (
                EmiliaTask {
                    seconds: f64::NAN,
                    ..TASK
                },
                "milliseconds",
            ),
            (
                EmiliaTask {
                    seconds: -1.0,
                    ..TASK
                },
                "milliseconds",
            ),
            (
                EmiliaTask {
                    seconds: 1e-9,
                    ..TASK
                },
                "milliseconds",
            ),
            (
                EmiliaTask {
                    seconds: f64::INFINITY,
                    ..TASK
                },
                "milliseconds",
            ),
            (
                EmiliaTask {
                    selectivity: 74,
                    ..depth(8)
                },
                "73, 87",
            ),
            (
                EmiliaTask { goal: 3, ..TASK },
                "expected a goal of 0, 1 or 2, found 3",
            ),
            (
                EmiliaTask {
                    goal: EmiliaGoal::Winner as u8,
                    ..depth(8)
                },
                "expected no depth",
            ),
        ] {
            assert!(
                start(task).is_none() && message().contains(problem),
                "{problem}: {}",
                message()
            );
        }
        assert!(
            searched(engine, emilia_start(), &depth(8), 0).is_none() && message().contains("room")
        );
        assert!(
            searched(
                engine,
                EmiliaBoard {
                    player: 1,
                    opponent: 1
                },
                &depth(8),
                1
            )
            .is_none()
        );
        assert!(searched(ptr::null_mut(), emilia_start(), &depth(8), 1).is_none());

        // FFO #1.
        let (board, _) = parsed(SOLVED).unwrap();
        let goal = |goal, capacity| {
            searched(
                engine,
                board,
                &EmiliaTask {
                    goal: goal as u8,
                    ..TASK
                },
                capacity,
            )
            .unwrap()
        };
        let all = goal(EmiliaGoal::Exact, 64);
        assert_eq!(
            (all[0].proof, all[0].score, all[0].best),
            (EmiliaProof::Exact, 18.0, 6 + 7 * 8)
        );
        assert_eq!(
            all.iter().fold(0, |moves, found| moves | 1 << found.best),
            emilia_moves(board)
        );
        assert!(all.is_sorted_by(
            |one, other| one.score >= other.score && other.proof == EmiliaProof::Exact
        ));
        let two = goal(EmiliaGoal::Exact, 2);
        assert_eq!([two[0].score, two[1].score], [all[0].score, all[1].score]);
        let winner = goal(EmiliaGoal::Winner, 1);
        assert!(
            winner[0].proof == EmiliaProof::Winner && winner[0].score > 0.0,
            "{winner:?}"
        );
        let (over, _) = parsed(c"e6f4e3f6g5d6e7f5c5").unwrap();
        assert_eq!(
            searched(engine, over, &depth(8), 1).map(|found| found.len()),
            Some(0)
        );

        let mut discs = f64::NAN;
        let mut chances = [0.0; 64];
        assert!(emilia_find_chances(
            engine,
            board,
            EMILIA_PASS,
            1500,
            chances.as_mut_ptr()
        ));
        assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let mut reports = searched(engine, board, &depth(2), 1).unwrap();
        let report = &mut reports[0];
        assert!(emilia_person(engine, board, EMILIA_PASS, 1500, 1, report));
        assert!(chances[usize::from(report.best)] > 0.0);
        assert!(!emilia_person(engine, board, EMILIA_PASS, 999, 1, report));
        assert!(message().contains("1000 to 2000"), "{}", message());
        assert!(!emilia_person(engine, board, 65, 1500, 1, report));
        assert!(emilia_evaluate(engine, board, &raw mut discs) && discs.abs() <= 64.0);
        emilia_engine_free(engine);
        emilia_engine_free(ptr::null_mut());
    }
}

#[test]
fn a_book_tells_its_moves() {
    // SAFETY: objects made here and freed at the end; places of this frame.
    unsafe {
        assert!(
            emilia_book_open(c"no such book".as_ptr()).is_null()
                && message().contains("no such book")
        );
        let book = emilia_book_open(ptr::null());
        assert!(emilia_book_positions(book) > 10_000);
        let mut moves = [EmiliaBookMove {
            square: 0,
            has_score: false,
            score: 0.0,
            wins: 0,
            draws: 0,
            losses: 0,
        }; 2];
        let (board, _) = parsed(c"f5").unwrap();
        let known = emilia_book_moves(book, board, moves.as_mut_ptr(), 2);
        assert_eq!(known, 3, "d6, f6 and f4");
        assert!(
            moves
                .iter()
                .all(|mv| mv.has_score && emilia_moves(board) >> mv.square & 1 == 1)
        );
        assert!(moves[0].score >= moves[1].score && moves[0].wins > 0);
        assert_eq!(
            emilia_book_moves(
                book,
                EmiliaBoard {
                    player: 1,
                    opponent: 2
                },
                ptr::null_mut(),
                0
            ),
            0
        );
        assert_eq!(
            emilia_book_moves(ptr::null(), board, ptr::null_mut(), 0),
            -1
        );
        emilia_book_free(book);
    }
}

/// `.ci/capi` makes the header.
#[test]
fn the_header_declares_every_function() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/capi");
    let header = fs::read_to_string(folder.join("emilia.h")).unwrap();
    let files = [
        "boundary.rs",
        "rules.rs",
        "engine.rs",
        "people.rs",
        "book.rs",
    ];
    let source = files
        .map(|file| fs::read_to_string(folder.join(file)).unwrap())
        .concat();
    let name = |rest: &str| {
        rest.split(|c: char| c != '_' && !c.is_ascii_alphabetic())
            .next()
            .map(str::to_owned)
    };
    let defined: BTreeSet<_> = source
        .split("extern \"C\" fn emilia_")
        .skip(1)
        .filter_map(name)
        .collect();
    let is_call = |rest: &&str| rest[name(rest).map_or(0, |name| name.len())..].starts_with('(');
    let declared: BTreeSet<_> = header
        .split("emilia_")
        .skip(1)
        .filter(is_call)
        .filter_map(name)
        .collect();
    assert!(defined.len() > 15);
    assert_eq!(defined, declared);
    assert!(header.contains(&format!("\n#define EMILIA_ABI {}\n", emilia_abi())));
}
