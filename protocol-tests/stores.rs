//! Stored answers of one run for the next, and for parallel runs.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::patience::pause;
use crate::samples::rounds;
use crate::scratch::{Outcome, Scratch};

const GAME: &str = "f5d6c3d3c4f4f6f3e6e7d7g6g5c5c6c7";
const ANALYZE: &str = "analyze --eval classic --no-book --depth 4 --hash 1";

/// Requests of all kinds, with no two about the same position.
fn requests() -> String {
    let position = |moves: usize| &GAME[..2 * moves];
    [
        format!("{{\"id\":1,\"game\":\"{}\",\"losses\":true}}\n", position(6)),
        format!("{{\"id\":2,\"position\":\"{}\",\"best_moves\":\"all\"}}\n", position(7)),
        format!(
            "{{\"id\":3,\"position\":\"{}\",\"nodes\":500,\"best_moves\":2,\"avoid\":\"g4\"}}\n",
            position(8)
        ),
        format!("{{\"id\":4,\"position\":\"{}\",\"elo\":800}}\n", position(9)),
        "{\"id\":5,\"position\":\"XXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXX- O\"}\n"
            .to_owned(),
    ]
    .concat()
}

/// The answers without the fields of the searches, and for each whether it was stored and its nodes.
fn answers(text: &str) -> (Vec<Value>, Vec<(bool, u64)>) {
    let shown = |line: &str| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        let object = value.as_object_mut().unwrap();
        object.remove("seconds");
        let stored = object.remove("stored").is_some();
        let nodes = object
            .remove("nodes")
            .and_then(|nodes| nodes.as_u64())
            .unwrap();
        (value, (stored, nodes))
    };
    let mut answers: Vec<_> = text.lines().map(shown).collect();
    // They come in the order in which they are found.
    answers.sort_by_key(|(value, _)| (value["id"].as_u64(), value.to_string()));
    answers.into_iter().unzip()
}

#[test]
fn a_second_run_searches_nothing_and_answers_the_same() {
    let scratch = Scratch::new("stores");
    scratch.write("in.jsonl", requests());
    let (plain, counts) = answers(&scratch.succeeds(&format!("{ANALYZE} in.jsonl")));
    let line = format!("{ANALYZE} in.jsonl --store kept");
    let Outcome(code, text, shown) = scratch.run(&line);
    assert_eq!(
        (code, answers(&text)),
        (0, (plain.clone(), counts)),
        "{shown}"
    );
    assert!(
        shown.ends_with("answers: 0 answers found, 10 added, 10 in all\n"),
        "{shown}"
    );
    for jobs in 1..3 {
        let Outcome(code, text, shown) =
            scratch.run(&format!("{line} --jobs {jobs} -o {jobs}.jsonl"));
        assert_eq!((code, &*text), (0, ""), "{shown}");
        assert!(
            shown.ends_with("answers: 10 answers found, 0 added, 10 in all\n"),
            "{shown}"
        );
        let text = fs::read_to_string(scratch.0.join(format!("{jobs}.jsonl"))).unwrap();
        let (found, counts) = answers(&text);
        // The finished game was not searched in the first place.
        let (last, searched) = counts.split_last().unwrap();
        assert_eq!((found, *last), (plain.clone(), (false, 0)));
        assert!(
            searched.iter().all(|&count| count == (true, 0)),
            "{searched:?}"
        );
        let summary =
            fs::read_to_string(scratch.0.join(format!("{jobs}.jsonl.summary.json"))).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&summary).unwrap()["nodes"], 0);
    }
    // Another table, other weights or another depth need a new search.
    for (from, to) in [
        ("--hash 1", "--hash 2"),
        ("classic", "network"),
        ("--depth 4", "--depth 3"),
    ] {
        let Outcome(.., shown) = scratch.run(&line.replace(from, to));
        assert!(!shown.contains(": 10 answers found"), "{to}: {shown}");
    }
}

#[test]
fn reproducible_output_is_that_of_a_run_without_a_store() {
    let scratch = Scratch::new("stores-bytes");
    scratch.write("in.jsonl", requests());
    let line = format!("{ANALYZE} in.jsonl --reproducible");
    let plain = scratch.succeeds(&line);
    // The stored answer of a mirrored position does not count.
    scratch.succeeds(&format!("{ANALYZE} {} --store kept", "d3c5f6f5e6e3"));
    for _ in 0..2 {
        assert_eq!(scratch.succeeds(&format!("{line} --store kept")), plain);
    }
    let Outcome(.., shown) = scratch.run(&format!("{line} --store kept -o out.jsonl"));
    assert!(shown.contains(": 10 answers found, 0 added"), "{shown}");
    let summary = scratch.read("out.jsonl.summary.json");
    assert_eq!(serde_json::from_str::<Value>(&summary).unwrap()["nodes"], 0);
}

#[test]
fn solve_report_and_book_share_a_store() {
    let scratch = Scratch::new("stores-shared");
    let board = "--OXXO--XOXXXX--XOOOXXXXXOOXXXXXXOOOOXXX-XXXXXXX--XXOOO----XXOO- X";
    scratch.write("in.txt", board);
    let solve = "solve --json --hash 1 --eval classic in.txt --store kept";
    let first = scratch.succeeds(solve);
    let second = scratch.succeeds(&format!("{solve} --threads 2"));
    let (solved, _) = answers(&first);
    let (found, counts) = answers(&second);
    assert_eq!((&found, counts), (&solved, vec![(true, 0)]));
    // Exact scores hold for all weights and budgets.
    let analyze =
        scratch.succeeds("analyze --json --depth 1 --hash 1 --no-book in.txt --store kept");
    let (asked, counts) = answers(&analyze);
    assert_eq!(
        (&asked[0]["score"], counts[0]),
        (&solved[0]["score"], (true, 0))
    );
    let wld = answers(&scratch.succeeds(&format!("{solve} --wld"))).0;
    assert_eq!(
        (&wld[0]["result"], &solved[0]["score"]),
        (&"win".into(), &8.0.into())
    );
    let report = "report f5d6c3d3c4f4 --eval classic --no-book --depth 2 --hash 1 --store kept -o";
    scratch.succeeds(&format!("{report} a.html"));
    let Outcome(.., shown) = scratch.run(&format!("{report} b.html"));
    assert!(shown.contains(": 7 answers found, 0 added"), "{shown}");
    let page = |name: &str| scratch.read(name);
    assert_eq!(page("a.html"), page("b.html"));
    let grow = "book grow --positions 20 --depth 3 --eval classic --hash 1 --store kept";
    let Outcome(code, _, shown) = scratch.run(&format!("{grow} a.book"));
    assert!(code == 0 && !shown.contains(" 0 added"), "{shown}");
    let Outcome(code, _, shown) = scratch.run(&format!("{grow} b.book"));
    assert!(code == 0 && shown.contains(" 0 added"), "{shown}");
    let show = |book: &str| {
        scratch
            .succeeds(&format!("book show {book}"))
            .replace(book, "")
    };
    assert_eq!(show("a.book"), show("b.book"));
}

#[test]
fn other_files_are_refused_and_damaged_answers_searched_again() {
    let scratch = Scratch::new("stores-damaged");
    scratch.write("file", "");
    let line = format!("{ANALYZE} --json {GAME} --store");
    scratch.fails(
        &format!("{line} file"),
        1,
        "option --store: making the folder file: ",
    );
    let plain = answers(&scratch.succeeds(&format!("{line} kept"))).0;
    let path = scratch.0.join("kept/answers");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let Outcome(code, text, shown) = scratch.run(&format!("{line} kept"));
    assert_eq!((code, answers(&text).0), (0, plain), "{shown}");
    assert!(
        shown.contains("answers is damaged at byte ")
            && shown.contains("16 answers found, 1 added"),
        "{shown}"
    );
    fs::write(&path, "f5d6\n").unwrap();
    scratch.fails(
        &format!("{line} kept"),
        1,
        "is no file of answers of this version's",
    );
}

#[test]
fn a_kill_loses_one_answer_at_most() {
    let scratch = Scratch::new("stores-killed");
    let games: String = (20..32)
        .map(|cut| format!("{}\n", &GAME[..cut / 2 * 2]))
        .collect();
    scratch.write("games.txt", games);
    let line = |jobs: u32| {
        format!(
            "analyze games.txt --json --eval classic --no-book --depth 6 --hash 1 --jobs {jobs} --store kept"
        )
    };
    for round in 0..rounds(6) {
        let mut children = [1, 2].map(|jobs| {
            scratch
                .command(&line(jobs))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        });
        pause(Duration::from_millis(7 + 13 * round));
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
    let whole = scratch.run(&line(2));
    let again = scratch.run(&line(1));
    assert!(whole.0 == 0 && !whole.2.contains("damaged"), "{}", whole.2);
    assert!(again.0 == 0 && again.2.contains(" 0 added"), "{}", again.2);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = answers(text).0.iter().map(Value::to_string).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&whole.1), sorted(&again.1));
}
