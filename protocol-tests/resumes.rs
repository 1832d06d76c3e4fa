//! `--resume` continues the same question about the same input, and refuses everything else.

use std::fs;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::scratch::{Outcome, Scratch, values};

const ANALYZE: &str = "analyze in.jsonl --eval classic --hash 1 -o out.jsonl";
const SOLVE: &str = "solve in.txt --json --hash 1 -o out.jsonl";
const GAMES: &str = "analyze --json games.txt --eval classic --depth 1 --hash 1 -o out.jsonl";

/// Positions with one to three empties.
const ENDS: [&str; 4] = [
    "XXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXX- O",
    "XXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXX-- O",
    "XXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXX-XXXXXXXOXXXXXXX- O",
    "XXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXX--XXXXXXXOXXXXXXX- O",
];
const GAME: [&str; 3] = ["f5d6c3", "f5f6e6", "f5d6c4"];

impl Scratch {
    fn lines(&self, name: &str, lines: &[&str]) {
        fs::write(self.0.join(name), lines.concat()).unwrap();
    }

    /// Leaves the files of a run that was killed after this number of answers.
    fn kill_after(&self, answers: usize) {
        let whole = self.read("out.jsonl");
        let kept: String = whole.split_inclusive('\n').take(answers).collect();
        fs::write(self.0.join("out.jsonl.part"), kept + "{\"id\":").unwrap();
        for gone in ["out.jsonl", "out.jsonl.summary.json"] {
            fs::remove_file(self.0.join(gone)).unwrap();
        }
    }

    fn clear(&self) {
        for ending in ["", ".part", ".run", ".summary.json"] {
            let _ = fs::remove_file(self.0.join(format!("out.jsonl{ending}")));
        }
    }

    /// The answers, without their times.
    fn answers(&self) -> Vec<Value> {
        values(&self.read("out.jsonl"))
    }
}

#[test]
fn another_question_is_refused_and_named() {
    let scratch = Scratch::new("question");
    scratch.lines(
        "in.jsonl",
        &[
            "{\"id\":1,\"position\":\"f5\"}\n",
            "{\"id\":2,\"position\":\"f5d6\"}\n",
        ],
    );
    scratch.write("in.txt", ENDS.join("\n") + "\n");
    scratch.write("games.txt", GAME.join("\n") + "\n");
    for (line, first, second, shown) in [
        (
            ANALYZE,
            "--depth 2",
            "--depth 3",
            "--depth 2, not --depth 3",
        ),
        (
            ANALYZE,
            "--depth 2",
            "--level 2",
            "--depth 2, not without --depth",
        ),
        (
            ANALYZE,
            "--depth 2",
            "--depth 2 --nodes 99",
            "without --nodes, not with --nodes 99",
        ),
        (
            ANALYZE,
            "--depth 2",
            "--depth 2 --move-time 9",
            "without --move-time, not with --move-time 9",
        ),
        (
            ANALYZE,
            "--depth 2",
            "--depth 2 --moves 2",
            "--moves 1, not --moves 2",
        ),
        (
            ANALYZE,
            "--depth 2",
            "--depth 2 --why",
            "without --why, not with --why",
        ),
        (
            ANALYZE,
            "--depth 2",
            "--depth 2 --fields score",
            "without --fields, not with --fields score",
        ),
        (
            ANALYZE,
            "--depth 2",
            "--depth 2 --shard 1/2",
            "--shard 1/1, not --shard 1/2",
        ),
        (
            ANALYZE,
            "--depth 2",
            "--depth 2 --skip 1",
            "--skip 0, not --skip 1",
        ),
        (
            ANALYZE,
            "--depth 2",
            "--depth 2 --first-line 9",
            "--first-line 1, not --first-line 9",
        ),
        (
            ANALYZE,
            "--depth 2",
            "--depth 2 --reproducible",
            "not with --reproducible",
        ),
        (GAMES, "", "--moves 3", "--moves 1, not --moves 3"),
        (SOLVE, "--wld", "", "--wld, not without --wld"),
        (
            SOLVE,
            "",
            "--all-moves",
            "without --all-moves, not with --all-moves",
        ),
        (SOLVE, "", "--shard 1/2", "--shard 1/1, not --shard 1/2"),
        (SOLVE, "", "--eval classic", "not --eval classic"),
        (
            "analyze in.jsonl --eval classic -o out.jsonl",
            "--depth 2 --hash 1",
            "--depth 2 --hash 2",
            "--hash 1, not --hash 2",
        ),
        (
            "analyze --json games.txt --eval classic --depth 1 -o out.jsonl",
            "--hash 1",
            "--hash 2",
            "--hash 1, not --hash 2",
        ),
        (
            "solve in.txt --json -o out.jsonl",
            "--hash 1",
            "--hash 2",
            "--hash 1, not --hash 2",
        ),
        (SOLVE, "", "--threads 2", "--threads 1, not --threads 2"),
        (
            SOLVE,
            "--store one",
            "--store two",
            "--store one, not --store two",
        ),
        (
            ANALYZE,
            "--depth 2",
            "--depth 2 --store kept",
            "without --store, not with --store kept",
        ),
    ] {
        scratch.succeeds(&format!("{line} {first}"));
        let before = scratch.read("out.jsonl");
        for is_killed in [false, true] {
            if is_killed {
                scratch.kill_after(1);
            }
            let Outcome(code, out, error) = scratch.run(&format!("{line} {second} --resume"));
            assert_eq!(
                (code, error.lines().count()),
                (1, 1),
                "{line} {second}: {out}{error}"
            );
            assert!(
                error.contains(shown) && error.contains("out.jsonl"),
                "{line} {second}: {error}"
            );
            assert!(
                error.contains("give the same options or another output"),
                "{error}"
            );
        }
        let continued = format!("{line} {first} --resume");
        assert_eq!(scratch.succeeds(&continued), "", "{continued}");
        assert_eq!(
            scratch.read("out.jsonl").lines().next(),
            before.lines().next(),
            "{continued}"
        );
        scratch.clear();
    }
    scratch.succeeds(&format!("{ANALYZE} --depth 2"));
    scratch.fails(
        &format!("{SOLVE} --resume"),
        1,
        "made with command analyze of requests, not command solve",
    );
}

#[test]
fn another_input_is_refused_where_it_differs_and_a_longer_one_continued() {
    let request = |(id, moves): (i32, &str)| format!("{{\"id\":{id},\"position\":\"{moves}\"}}\n");
    let requests: Vec<String> = (0..)
        .zip(["f5", "f5d6", "f5f6", "f5f4"])
        .map(request)
        .collect();
    let ends = ENDS.map(|end| format!("{end}\n"));
    let games = ["f5d6c3\n", "f5f6e6\n", "f5d6c4\n", "f5f6\n"].map(str::to_owned);
    let kinds = [
        (ANALYZE, "--depth 1", "in.jsonl", "line", &requests[..]),
        (GAMES, "", "games.txt", "entry", &games[..]),
        (SOLVE, "", "in.txt", "entry", &ends[..]),
    ];
    for (command, options, name, unit, lines) in kinds {
        let scratch = Scratch::new("input");
        let line = format!("{command} {options}");
        let [a, b, c, d] = [0, 1, 2, 3].map(|index| lines[index].as_str());
        scratch.lines(name, &[a, b, c, d]);
        scratch.succeeds(&line);
        let whole = scratch.answers();
        let answers = scratch.read("out.jsonl");
        scratch.clear();
        for is_killed in [false, true] {
            scratch.lines(name, &[a, b, c]);
            scratch.succeeds(&line);
            let before = scratch.read("out.jsonl");
            if is_killed {
                scratch.kill_after(before.lines().count());
            }
            for (input, shown) in [
                (
                    &[a, c, b] as &[&str],
                    format!("{unit} 2 of the input is not the one"),
                ),
                (&[b, c], format!("{unit} 1 of the input is not the one")),
                (&[a, b, d], format!("{unit} 3 of the input is not the one")),
                (
                    &[d, a, b, c],
                    format!("{unit} 1 of the input is not the one"),
                ),
                (&[a, b], format!("{unit} 3 of the input is gone")),
            ] {
                scratch.lines(name, input);
                let Outcome(code, out, error) = scratch.run(&format!("{line} --resume"));
                assert_eq!(
                    (code, error.lines().count()),
                    (1, 1),
                    "{line}: {out}{error}"
                );
                assert!(
                    error.contains(&shown) && error.contains(name),
                    "{line}: {shown}: {error}"
                );
                let kept = scratch.read(if is_killed {
                    "out.jsonl.part"
                } else {
                    "out.jsonl"
                });
                assert_eq!(kept, before, "{line}");
                assert_eq!(
                    scratch.0.join("out.jsonl.part").exists(),
                    is_killed,
                    "{line}"
                );
            }
            scratch.lines(name, &[a, b, c, d]);
            scratch.succeeds(&format!("{line} --resume"));
            assert_eq!(scratch.answers(), whole, "{line}");
            let summary: Value =
                serde_json::from_str(&scratch.read("out.jsonl.summary.json")).unwrap();
            assert_eq!(summary["positions"], answers.lines().count(), "{summary}");
            // The work of all runs, not of the last one.
            let nodes: u64 = whole
                .iter()
                .filter_map(|answer| answer["nodes"].as_u64())
                .sum();
            assert_eq!(summary["nodes"], nodes, "{summary}");
            scratch.clear();
        }
    }
}

/// A game that ends after nine moves, learned by the book.
const LEARN: &str = "move e6\nmove f4\nmove e3\nmove f6\nmove g5\nmove d6\nmove e7\nmove f5\nmove c5\nlearn\nping 1\nquit\n";

#[test]
fn the_contents_of_a_book_decide_and_not_its_name() {
    let scratch = Scratch::new("contents");
    scratch.lines("in.jsonl", &["{\"id\":1,\"position\":\"f5\"}\n"]);
    scratch.succeeds("book grow b.book --positions 2 --depth 1 --hash 1");
    scratch.succeeds("book grow other.book --positions 6 --depth 1 --hash 1");
    let line = format!("{ANALYZE} --depth 1 --book");
    scratch.succeeds(&format!("{line} b.book"));
    let before = scratch.read("out.jsonl");
    fs::copy(scratch.0.join("b.book"), scratch.0.join("same.book")).unwrap();
    scratch.succeeds(&format!("{line} same.book --resume"));
    let Outcome(code, out, _) = scratch.feed("nboard --book same.book", LEARN);
    assert!(code == 0 && out.contains("Learned"), "{out}");
    for (book, is_killed) in [
        ("same.book", false),
        ("other.book", false),
        ("same.book", true),
    ] {
        if is_killed {
            scratch.kill_after(1);
        }
        let shown = "it was made with --book with contents ";
        scratch.fails(&format!("{line} {book} --resume"), 1, shown);
    }
    scratch.fails(
        &format!("{ANALYZE} --depth 1 --no-book --resume"),
        1,
        "not --book off",
    );
    scratch.succeeds(&format!("{line} b.book --resume"));
    assert_eq!(scratch.read("out.jsonl"), before);
}

#[test]
fn a_match_goes_on_with_the_same_files_only() {
    let scratch = Scratch::with_openings("files");
    scratch.succeeds("book grow b.book --positions 2 --depth 1 --hash 1");
    let emilia = env!("CARGO_BIN_EXE_emilia");
    let program = format!("a=nboard:'{emilia}' nboard --no-book --note");
    let edit = |scratch: &Scratch| drop(scratch.write("new.py", "two"));
    let learn = |scratch: &Scratch| drop(scratch.feed("nboard --book b.book", LEARN));
    type Change<'a> = &'a dyn Fn(&Scratch);
    let cases: [(String, Change<'_>, &str); 4] = [
        (format!("{program} new.py;level=1"), &edit, "new.py of a"),
        (format!("{program}=new.py;level=1"), &edit, "new.py of a"),
        (
            format!("a=nboard:'{emilia}' nboard --book b.book;level=1"),
            &learn,
            "b.book of a",
        ),
        (
            "a=emilia;level=1;book=b.book".to_owned(),
            &learn,
            "b.book of a",
        ),
    ];
    for (player, change, shown) in cases {
        let book = fs::read(scratch.0.join("b.book")).unwrap();
        scratch.write("new.py", "one");
        let players = [&*player, "greedy"];
        let two = "--games 2 --ggf g.ggf --resume";
        assert_eq!(scratch.match_summary(&players, two)["games"], 2);
        change(&scratch);
        let Outcome(code, out, error) = scratch.plays(&players, "--games 4 --ggf g.ggf --resume");
        assert_eq!(code, 1, "{player}: {out}");
        assert!(
            error.contains(&format!("other contents of {shown}")),
            "{player}: {error}"
        );
        // The same contents again: the match goes on.
        scratch.write("new.py", "one");
        scratch.write("b.book", book);
        let _ = fs::remove_file(scratch.0.join("b.book.journal"));
        let four = "--games 4 --ggf g.ggf --resume";
        assert_eq!(scratch.match_summary(&players, four)["games"], 4);
        fs::remove_file(scratch.0.join("g.ggf")).unwrap();
    }
}

#[test]
fn a_file_that_is_no_match_is_refused_at_once() {
    let scratch = Scratch::with_openings("big");
    let endless = "x".repeat(1 << 20);
    for text in ["my notes", "(;GM[Othello]PB[ann]", &endless] {
        scratch.write("g.ggf", text);
        let players = ["random", "greedy"];
        let Outcome(code, _, error) = scratch.plays(&players, "--games 2 --ggf g.ggf --resume");
        assert!(
            code == 1 && error.contains("line 1 of g.ggf: no game"),
            "{error}"
        );
        assert_eq!(scratch.read("g.ggf"), text);
    }
}

#[test]
fn requests_with_one_id_are_answered_each() {
    let scratch = Scratch::new("ids");
    let same = "{\"id\":1,\"position\":\"f5\",\"depth\":2}\n";
    let lines = [
        same,
        "{\"id\":1,\"position\":\"f5d6\",\"depth\":2}\n",
        same,
        "{\"id\":2,\"position\":\"f5\"}\n",
    ];
    scratch.lines("in.jsonl", &lines);
    let line = format!("{ANALYZE} --depth 1");
    scratch.succeeds(&line);
    let whole = scratch.answers();
    assert_eq!(whole.len(), 4);
    for kept in 0..=4 {
        scratch.kill_after(kept);
        scratch.succeeds(&format!("{line} --resume"));
        assert_eq!(scratch.answers(), whole, "killed after {kept} answers");
    }
}

#[test]
fn an_output_without_its_record_is_not_continued() {
    let scratch = Scratch::new("unrecorded");
    scratch.lines(
        "in.jsonl",
        &[
            "{\"id\":1,\"position\":\"f5\"}\n",
            "{\"id\":2,\"position\":\"f5d6\"}\n",
        ],
    );
    let line = format!("{ANALYZE} --depth 1");
    let resume = format!("{line} --resume");
    scratch.succeeds(&line);
    fs::remove_file(scratch.0.join("out.jsonl.run")).unwrap();
    let shown = "continuing out.jsonl: no out.jsonl.run records the run that made it";
    scratch.fails(&resume, 1, shown);
    // Answers that were changed or exchanged are noticed too.
    scratch.clear();
    scratch.succeeds(&line);
    let before = scratch.read("out.jsonl");
    fs::write(
        scratch.0.join("out.jsonl"),
        before.replace("\"id\":2", "\"id\":3"),
    )
    .unwrap();
    scratch.fails(
        &resume,
        1,
        "line 2 is not the answer that out.jsonl.run records",
    );
    fs::write(scratch.0.join("out.jsonl"), format!("{before}{before}")).unwrap();
    scratch.fails(
        &resume,
        1,
        "line 3 is not the answer that out.jsonl.run records",
    );
    // A file of somebody else is no record to replace.
    scratch.clear();
    fs::write(scratch.0.join("out.jsonl.run"), "mine\n").unwrap();
    scratch.fails(&line, 1, "out.jsonl.run exists and is no record of a run");
    assert_eq!(scratch.read("out.jsonl.run"), "mine\n");
}

#[test]
fn runs_that_meet_end_with_one_result() {
    let scratch = Scratch::new("race");
    let requests: String = (0..40)
        .map(|id| format!("{{\"id\":{id},\"position\":\"f5d6c3\"}}\n"))
        .collect();
    scratch.lines("in.jsonl", &[&requests]);
    for resume in ["--resume", ""] {
        let mut ended = 0;
        for _ in 0..12 {
            let line = format!("{ANALYZE} --depth 1 {resume}");
            let start = || {
                scratch
                    .command(&line)
                    .stdout(Stdio::null())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap()
            };
            let runs: [Child; 3] = [start(), start(), start()];
            for run in runs {
                let output = run.wait_with_output().unwrap();
                let shown = String::from_utf8_lossy(&output.stderr);
                let known = ["another process", "exists; --resume continues it"];
                let is_known =
                    shown.lines().count() == 1 && known.iter().any(|known| shown.contains(known));
                assert!(output.status.success() || is_known, "{shown}");
                ended += u32::from(output.status.success());
            }
            assert_eq!(scratch.read("out.jsonl").lines().count(), 40);
            assert!(!scratch.0.join("out.jsonl.part").exists());
            scratch.clear();
        }
        assert!(ended >= 12, "{ended} runs ended");
    }
}
