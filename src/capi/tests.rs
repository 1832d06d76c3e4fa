use std::collections::BTreeSet;
use std::ffi::{CStr, c_void};
use std::{fs, ptr};

use super::book::*;
use super::boundary::*;
use super::engine::*;
use super::rules::*;

fn message() -> String {
    // SAFETY: a text that ends in a zero byte, valid until the next failure.
    unsafe { CStr::from_ptr(emilia_error()) }.to_str().unwrap().to_owned()
}

fn parsed(position: &CStr) -> Option<(EmiliaBoard, bool)> {
    let (mut board, mut black) = (emilia_start(), false);
    // SAFETY: a text and two places of this frame.
    unsafe { emilia_parse(position.as_ptr(), &raw mut board, &raw mut black) }.then_some((board, black))
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
    assert_eq!(emilia_moves(EmiliaBoard { player: 3, opponent: 1 }), 0);
}

#[test]
fn absurd_options_make_no_engine() {
    for (threads, mib, named) in [
        (0, 1, "threads takes a whole number from 1 to 256, not 0"),
        (100_000, 1, "threads takes a whole number from 1 to 256, not 100000"),
        (1, 0, "hash takes a whole number from 1 to 65536, not 0"),
        (1, 4_000_000_000, "hash takes a whole number from 1 to 65536, not 4000000000"),
    ] {
        // SAFETY: a null pointer for the weights.
        let engine = unsafe { emilia_engine_new(threads, mib, ptr::null()) };
        assert!(engine.is_null() && message() == named, "{}", message());
    }
}

#[test]
fn a_search_reports_stops_and_solves() {
    let limits = |depth| EmiliaLimits { depth, ..EmiliaLimits::default() };
    let (mut found, mut count) = (EmiliaReport::over(0), 0u32);
    // SAFETY: objects made here and freed at the end; places of this frame.
    unsafe {
        assert!(emilia_engine_new(1, 1, c"no such file".as_ptr()).is_null() && !message().is_empty());
        let engine = emilia_engine_new(1, 16, ptr::null());
        let search = |board, limits: EmiliaLimits, found: *mut EmiliaReport| {
            emilia_search(engine, board, &raw const limits, None, ptr::null_mut(), found)
        };
        assert!(search(emilia_start(), limits(8), &raw mut found));
        assert_eq!((found.depth, found.selectivity, found.proof), (8, 73, EmiliaProof::None));
        assert!(emilia_moves(emilia_start()) >> found.best & 1 == 1 && found.nodes > 0);

        let data = (&raw mut count).cast();
        let deep = limits(60);
        assert!(emilia_search(engine, emilia_start(), &raw const deep, Some(three), data, &raw mut found));
        // Iterations of a few nodes end before the search looks for a wish to stop.
        assert!(count >= 3 && found.depth < 60, "{count} reports, {found:?}");

        emilia_engine_stop(engine);
        assert!(search(emilia_start(), limits(60), &raw mut found) && found.nodes < 1_000_000);
        assert!(!search(emilia_start(), limits(0), &raw mut found) && message().contains("limit"));
        assert!(!search(emilia_start(), limits(61), &raw mut found) && message().contains("1 to 60, not 61"));
        for seconds in [f64::NAN, -1.0, 1e-9, f64::INFINITY] {
            let odd = EmiliaLimits { seconds, ..limits(8) };
            assert!(!search(emilia_start(), odd, &raw mut found) && message().contains("milliseconds"));
        }
        let odd = EmiliaLimits { selectivity: 74, ..limits(8) };
        assert!(!search(emilia_start(), odd, &raw mut found) && message().contains("73, 87"));
        assert!(!search(EmiliaBoard { player: 1, opponent: 1 }, limits(8), &raw mut found));

        // FFO #1.
        let (board, _) =
            parsed(c"--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X").unwrap();
        assert!(emilia_solve(engine, board, None, ptr::null_mut(), &raw mut found));
        assert_eq!((found.proof, found.score, found.best), (EmiliaProof::Exact, 18.0, 6 + 7 * 8));
        let (over, _) = parsed(c"e6f4e3f6g5d6e7f5c5").unwrap();
        assert!(emilia_solve(engine, over, None, ptr::null_mut(), &raw mut found));
        assert_eq!((found.best, found.score, found.line_length), (EMILIA_NO_MOVE, -64.0, 0));

        let mut discs = f64::NAN;
        assert!(emilia_evaluate(engine, board, &raw mut discs) && discs.abs() <= 64.0);
        emilia_engine_free(engine);
        emilia_engine_free(ptr::null_mut());
    }
}

#[test]
fn a_book_tells_its_moves() {
    // SAFETY: objects made here and freed at the end; places of this frame.
    unsafe {
        assert!(emilia_book_open(c"no such book".as_ptr()).is_null() && message().contains("no such book"));
        let book = emilia_book_open(ptr::null());
        assert!(emilia_book_positions(book) > 10_000);
        let mut moves =
            [EmiliaBookMove { square: 0, has_score: false, score: 0.0, wins: 0, draws: 0, losses: 0 }; 2];
        let (board, _) = parsed(c"f5").unwrap();
        let known = emilia_book_moves(book, board, moves.as_mut_ptr(), 2);
        assert_eq!(known, 3, "d6, f6 and f4");
        assert!(moves.iter().all(|mv| mv.has_score && emilia_moves(board) >> mv.square & 1 == 1));
        assert!(moves[0].score >= moves[1].score && moves[0].wins > 0);
        assert_eq!(emilia_book_moves(book, EmiliaBoard { player: 1, opponent: 2 }, ptr::null_mut(), 0), 0);
        assert_eq!(emilia_book_moves(ptr::null(), board, ptr::null_mut(), 0), -1);
        emilia_book_free(book);
    }
}

/// `.ci/capi` makes the header.
#[test]
fn the_header_declares_every_function() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/capi");
    let header = fs::read_to_string(folder.join("emilia.h")).unwrap();
    let files = ["boundary.rs", "rules.rs", "engine.rs", "book.rs"];
    let source = files.map(|file| fs::read_to_string(folder.join(file)).unwrap()).concat();
    let name =
        |rest: &str| rest.split(|c: char| c != '_' && !c.is_ascii_alphabetic()).next().map(str::to_owned);
    let defined: BTreeSet<_> = source.split("extern \"C\" fn emilia_").skip(1).filter_map(name).collect();
    let is_call = |rest: &&str| rest[name(rest).map_or(0, |name| name.len())..].starts_with('(');
    let declared: BTreeSet<_> = header.split("emilia_").skip(1).filter(is_call).filter_map(name).collect();
    assert!(defined.len() > 15);
    assert_eq!(defined, declared);
}
