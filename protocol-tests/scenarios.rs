//! Counts, orders and times over a whole conversation, which a transcript cannot express.

use std::collections::HashSet;

use crate::child::Session;
use crate::hints::worth;
use crate::samples::ggf;
use crate::scratch::{Outcome, Scratch};

/// Fourteen squares are empty; four moves are legal.
const LATE: &str =
    "(;GM[Othello]TY[8]BO[8 --OOO-----OOO--X-OOXXOXXXOXXXXXXOOOXXXXXOOOOXXXXO-OXXXXX--OOOOO- O];)";

/// The answers of `emilia nboard --batch` to these commands.
fn batch(commands: &str) -> Vec<String> {
    Session::of("nboard --batch --hash 1")
        .end(commands)
        .unwrap()
}

/// A `search` line: move, value, depth token.
fn search_line(line: &str) -> Option<(String, f64, String)> {
    let fields: Vec<&str> = line.strip_prefix("search ")?.split_whitespace().collect();
    let [pv, eval, games, depth, ..] = fields.as_slice() else {
        panic!("too few fields: {line:?}")
    };
    assert_eq!(*games, "0", "{line:?}");
    assert!(pv.len() >= 2 && pv.is_ascii(), "{line:?}");
    let eval: f64 = eval
        .parse()
        .unwrap_or_else(|_| panic!("the value is no number: {line:?}"));
    assert!(eval.abs() <= 64.0, "{line:?}");
    Some((pv[..2].to_uppercase(), eval, depth.to_string()))
}

#[test]
fn hints_come_in_whole_iterations() {
    for game in [&ggf(""), LATE] {
        for asked in [1usize, 2, 4, 64, 999] {
            let lines = batch(&format!("set depth 6\nset game {game}\nhint {asked}\n"));
            let hints: Vec<_> = lines.iter().filter_map(|line| search_line(line)).collect();
            let groups: Vec<_> = hints.chunk_by(|a, b| a.2 == b.2).collect();
            assert!(!groups.is_empty(), "{lines:?}");
            assert!(
                groups.is_sorted_by_key(|group| worth(&group[0].2)),
                "{lines:#?}"
            );
            let moves = |group: &[(String, _, _)]| {
                group
                    .iter()
                    .map(|hint| &hint.0)
                    .collect::<HashSet<_>>()
                    .len()
            };
            assert!(
                groups.iter().all(|group| moves(group) <= asked.min(4)),
                "{lines:#?}"
            );
            assert_eq!(
                groups.last().map(|group| moves(group)),
                Some(asked.min(4)),
                "{lines:#?}"
            );
        }
    }
}

#[test]
fn node_counts_never_fall_within_a_search() {
    let lines = batch("set depth 8\nhint 2\n");
    let stats = lines
        .iter()
        .filter_map(|line| line.strip_prefix("nodestats "));
    let stats: Vec<(u64, f64)> = stats
        .map(|rest| {
            let (nodes, seconds) = rest.split_once(' ').expect("two fields");
            (
                nodes.parse().expect("whole nodes"),
                seconds.parse().expect("decimal seconds"),
            )
        })
        .collect();
    assert!(!stats.is_empty(), "{lines:#?}");
    assert!(
        stats.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1),
        "{lines:#?}"
    );
}

#[test]
fn a_game_that_is_too_long_is_refused_and_never_answered() {
    let game = |comment: usize| format!("(;GM[Othello]CO[{}]TY[8]B[f5];)", "x".repeat(comment));
    let scratch = Scratch::new("long");
    let input = format!(
        "set depth 1\nset game {}\nhint 2\nmove d6\ngo\nanalyze\nlearn\nping 1\nset game {}\nhint 1\nping 2\n",
        game(66_000),
        game(9)
    );
    let Outcome(code, out, error) = scratch.feed("nboard --batch", &input);
    assert_eq!(code, 0, "{error}");
    let (before, after) = out.split_once("pong 1\n").unwrap();
    assert!(before.contains("status Game refused: "), "{out}");
    assert_eq!(before.matches("status No game").count(), 5, "{out}");
    let is_answered = |line: &str| {
        ["search", "===", "analysis"]
            .iter()
            .any(|word| line.starts_with(word))
    };
    assert!(!before.lines().any(is_answered), "{out}");
    assert!(after.lines().any(is_answered), "{out}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

#[test]
#[cfg(unix)]
fn input_that_cannot_be_read_is_an_error() {
    for arguments in [&["gtp"][..], &["nboard"], &[]] {
        let directory = std::fs::File::open("/").expect("there is a root");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_emilia"));
        let output = command
            .args(arguments)
            .stdin(directory)
            .output()
            .expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (output.status.code(), output.stdout.as_slice()),
            (Some(1), &b""[..]),
            "{arguments:?}"
        );
        assert!(
            stderr.contains("reading the input") && stderr.lines().count() == 1,
            "{stderr}"
        );
    }
}

#[test]
fn node_counts_move_while_an_iteration_runs() {
    let mut session = Session::of("nboard --hash 1");
    session.send(b"set depth 60\nhint 1\n");
    let nodes = |line: &str| {
        line.split(' ')
            .nth(1)
            .and_then(|nodes| nodes.parse::<u64>().ok())
    };
    let mut last = None;
    // Two counts in a row without a line of an iteration between them, the second one higher.
    for _ in 0..30 {
        let lines = session.ask("", "nodestats {uint} {decimal}").unwrap();
        let now = nodes(lines.last().expect("it was found"));
        if lines.len() == 1 && last.is_some() && now > last {
            return;
        }
        last = now;
    }
    panic!("the count does not move within iterations");
}

#[test]
#[cfg(target_os = "linux")]
fn a_flood_during_a_search_is_not_stored() {
    use std::sync::atomic::Ordering;

    use crate::child::status;
    use crate::parallel::in_parallel;
    use crate::patience::{pause, until};

    const GTP: [&str; 3] = [
        "set_level 8\nreg_genmove b\n",
        "= {square}",
        "set_level 60\ngenmove b\n",
    ];
    const NBOARD: [&str; 3] = ["set depth 8\ngo\n", "=== {any}", "set depth 60\ngo\n"];
    // Each of these waits for the search to end.
    let floods = [
        ("gtp --hash 1 --batch", GTP, "name\n"),
        ("nboard --hash 1 --batch", NBOARD, "set depth 5\n"),
        ("nboard --hash 1", NBOARD, "clear\n"),
    ];
    in_parallel(
        floods.len(),
        floods,
        |(args, [warm_up, answer, search], flood)| {
            let mut session = Session::of(args);
            // Weights are unpacked, and the memory of the search is taken.
            session.ask(warm_up, answer).unwrap();
            let before = status(session.process.id(), "VmRSS");
            session.send(search.as_bytes());
            let poured = session.pour(flood.repeat(400).into_bytes());
            // Until nothing more goes in, or far more has gone in than a backlog holds: some is done at once.
            until("the flood neither ends nor is held up", || {
                let before = poured.load(Ordering::Relaxed);
                pause(std::time::Duration::from_millis(500));
                let now = poured.load(Ordering::Relaxed);
                before > 0 && now == before || now > 2_000
            });
            let after = status(session.process.id(), "VmRSS");
            assert!(
                after < before + (24 << 10),
                "{args}: from {before} to {after} KiB"
            );
        },
    );
}

#[test]
fn both_protocols_choose_alike() {
    let moves = ["f5", "d6", "c3", "d3", "c4", "f4", "f6", "f3"];
    let turns = moves.iter().zip(["b", "w"].iter().cycle());
    let plays: String = turns
        .map(|(square, side)| format!("play {side} {square}\n"))
        .collect();
    let nboard = batch(&format!(
        "set depth 6\nset game {}\ngo\n",
        ggf(&moves.concat())
    ));
    let answer = nboard
        .iter()
        .find_map(|line| line.strip_prefix("=== "))
        .expect("a move");
    let mut session = Session::of("gtp --hash 1");
    let said = session
        .ask(
            format!("set_level 6\n{plays}99 genmove b\n"),
            "=99 {square}",
        )
        .unwrap();
    let chosen = said
        .last()
        .and_then(|line| line.strip_prefix("=99 "))
        .expect("a move");
    assert_eq!(answer.split('/').next(), Some(chosen));
}
