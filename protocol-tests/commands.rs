//! The command line as scripts use it: exit codes, messages, input by a pipe, short answers, budgets, tables.

use std::fs;
use std::process::Command;
#[cfg(unix)]
use std::process::Stdio;

use serde_json::{Value, json};

#[cfg(unix)]
use crate::patience::until;
use crate::scratch::{Outcome, Scratch, values};
#[cfg(unix)]
use crate::signals;

/// Ten and twelve empties.
const LATE: &str = "\
--OXXO--XOXXXX--XOOOXXXXXOOXXXXXXOOOOXXX-XXXXXXX--XXOOO----XXOO- X
---OX--O----OXOO--XXXOOO--XXXOOX-XXXOOXX--XOXXXX--OOOXXX--XXXXXX X
-XXXX-----OXXX--XOXOXOXXOXOXXOXXOXXOXOOOXXXOXOOX--OXXO---OOOOO-- O
";
const GAME: &str = "(;GM[Othello]PB[Ann]PW[Bo]RE[?]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6]B[C3];)\n";

#[test]
fn errors_begin_with_the_name_and_propose_a_word() {
    let scratch = Scratch::new("errors");
    for (line, code, shown) in [
        ("--nonsense", 2, "--nonsense"),
        ("solve --hash many f5", 2, "many"),
        ("analyze --fields dpeth f5", 2, "did you mean \"depth\"?"),
        ("help jsn", 2, "did you mean \"json\"?"),
        ("f5d6c3", 2, "emilia show f5d6c3"),
        ("game.ggf", 2, "emilia analyze game.ggf"),
    ] {
        let Outcome(found, out, error) = scratch.run(line);
        assert!(found == code && out.is_empty(), "{line}: {found} {out}");
        assert!(
            error.starts_with("emilia: ") && error.contains(shown),
            "{line}: {error}"
        );
    }
}

#[test]
fn a_request_with_a_fault_gives_exit_code_1() {
    let scratch = Scratch::new("fault");
    let requests = "{\"position\":\"f5\"}\n{\"position\":\"x9\"}\n";
    let Outcome(code, out, _) = scratch.feed("analyze --depth 1", requests);
    assert_eq!((code, out.lines().count()), (1, 2), "{out}");
    let Outcome(code, ..) = scratch.feed("analyze --depth 1", "{\"position\":\"f5\"}\n");
    assert_eq!(code, 0);
}

#[test]
fn stdin_holds_positions_or_requests() {
    let scratch = Scratch::new("stdin");
    let Outcome(code, out, error) = scratch.feed("analyze --depth 1", "f5d6\n");
    assert!(code == 0 && out.contains("stdin, entry 1"), "{out}{error}");
    let Outcome(_, out, _) = scratch.feed("analyze --depth 1 --json", "f5d6\nf5f6\n");
    let sources = values(&out)
        .iter()
        .all(|answer| answer["source"] == "stdin");
    assert!(sources && out.lines().count() == 6, "{out}");
    let Outcome(_, out, _) =
        scratch.feed("analyze --depth 1", "\n {\"id\":7,\"position\":\"f5\"}\n");
    assert_eq!(values(&out)[0]["id"], 7);
}

#[test]
fn short_answers_name_the_game_and_the_loss() {
    let scratch = Scratch::new("fields");
    scratch.write("game.ggf", GAME);
    let line = "analyze game.ggf --json --depth 1 --moves 2";
    let whole = values(&scratch.succeeds(line));
    let short =
        values(&scratch.succeeds(&format!("{line} --fields moves,played,loss,names,source")));
    for (whole, short) in whole.iter().zip(&short) {
        assert_eq!(short["names"], json!({ "black": "Ann", "white": "Bo" }));
        assert_eq!(short["source"], "game.ggf");
        assert_eq!(short["moves"], whole["moves"]);
        let played = &whole["played"];
        assert_eq!(
            [&short["played"], &short["loss"]],
            [&played["move"], &played["loss"]]
        );
    }
    assert_eq!(short[2]["played"], "c3");
    assert_eq!(short.len(), 4);
}

#[test]
fn positions_solved_side_by_side_come_in_order() {
    let scratch = Scratch::new("jobs");
    scratch.write("late.txt", LATE);
    let line = "solve --json --hash 1 late.txt";
    assert_eq!(
        values(&scratch.succeeds(line)),
        values(&scratch.succeeds(&format!("{line} -j 3")))
    );
    let bounded = scratch.succeeds("solve --json --hash 1 --move-time 0.1 f5");
    assert_eq!(values(&bounded)[0]["exact"], false, "{bounded}");
}

#[test]
fn a_budget_is_for_all_runs_together() {
    let scratch = Scratch::new("budget");
    scratch.write("a.txt", "f5d6\n");
    let line = "analyze a.txt --budget 3 --json -o o.jsonl";
    let seconds = |text: &str| -> Vec<f64> {
        let answers = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        answers
            .map(|answer| answer["seconds"].as_f64().unwrap())
            .collect()
    };
    scratch.succeeds(line);
    let first = seconds(&scratch.read("o.jsonl"));
    assert!(first.iter().all(|time| *time > 0.05), "{first:?}");
    scratch.write("a.txt", "f5d6\nf5f6\n");
    scratch.succeeds(&format!("{line} --resume"));
    let later = seconds(&scratch.read("o.jsonl"));
    // A budget for each run would take five seconds.
    let sum: f64 = later.iter().sum();
    assert!(later.len() == 6 && sum < 3.9, "{later:?}");
    scratch.fails(
        "analyze a.txt --budget 1 --reproducible",
        2,
        "--reproducible",
    );
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_says_how_to_continue() {
    let scratch = Scratch::new("interrupt");
    for line in [
        "analyze f5 --depth 60 --json -o a.jsonl",
        "solve f5 --json -o b.jsonl",
    ] {
        let record = scratch
            .0
            .join(format!("{}.run", line.split(' ').next_back().unwrap()));
        let mut command = scratch.command(line);
        let child = command.stderr(Stdio::piped()).spawn().unwrap();
        until("the record", || record.exists());
        assert!(signals::send(child.id(), "INT"));
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{error}");
        // The warning of a long solve may come from another thread after it.
        let mut lines = error.lines();
        let expected = "emilia: interrupted; --resume continues it";
        assert!(lines.any(|line| line == expected), "{error}");
    }
}

#[test]
#[cfg(unix)]
fn an_interrupted_command_says_what_it_leaves() {
    for (line, made, advice) in [
        (
            "convert --to ggf -o c.ggf in",
            "c.ggf",
            "nothing was written",
        ),
        ("book import my.book in", "", "the book is unchanged"),
    ] {
        let scratch = Scratch::new("leaves");
        let pipe = scratch.pipe("in");
        let mut command = scratch.command(line);
        let child = command.stderr(Stdio::piped()).spawn().unwrap();
        // It opens when the command reads it.
        let pipe = std::fs::File::options().write(true).open(pipe).unwrap();
        assert!(signals::send(child.id(), "INT"));
        let output = child.wait_with_output().unwrap();
        drop(pipe);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{error}");
        let expected = format!("emilia: interrupted; {advice}\n");
        assert!(error.ends_with(&expected), "{line}: {error}");
        assert!(made.is_empty() || !scratch.0.join(made).exists());
    }
}

#[test]
fn tables_fit_a_terminal() {
    let scratch = Scratch::with_openings("tables");
    scratch.write("late.txt", LATE);
    scratch.write("game.ggf", GAME);
    scratch.write("games.txt", "f5d6c3 +10\nf5f6e6 0\n");
    scratch.succeeds("book import a.book games.txt");
    let long = "first-player-with-a-long-name=random";
    let players = [long, "second=greedy", "third=random"];
    let Outcome(_, table, error) = scratch.plays(&players, "--games 12");
    assert!(table.contains("first-player"), "{table}{error}");
    let shown = [
        "solve late.txt --hash 1 --all-moves",
        "solve late.txt --hash 1",
        "analyze game.ggf --depth 4",
        "analyze late.txt --depth 4 --moves 64",
        "show f5d6c3",
        "book stats a.book",
        "book show a.book f5",
        "book tree a.book",
    ]
    .map(|line| scratch.succeeds(line));
    for line in shown.iter().chain([&table]).flat_map(|text| text.lines()) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn a_tree_and_an_entry_agree_with_the_games() {
    let scratch = Scratch::new("tree");
    scratch.write("games.txt", "f5d6c3 +10\nf5d6c4 -2\nf5f6e6 0\nf5d6c3 -4\n");
    scratch.succeeds("book import a.book games.txt");
    let tree = values(&scratch.succeeds("book tree a.book --plies 3 --json"));
    let row = |moves: &str| tree.iter().find(|row| row["moves"] == moves).unwrap();
    for row in &tree {
        let sum = ["won", "drawn", "lost"]
            .iter()
            .map(|name| row[name].as_u64().unwrap());
        assert_eq!(row["games"], sum.sum::<u64>(), "{row}");
    }
    let entry = values(&scratch.succeeds("book show a.book f5 --json")).remove(0);
    for child in entry["moves"].as_array().unwrap() {
        let moves = format!("f5{}", child["move"].as_str().unwrap());
        assert_eq!(child["games"], row(&moves)["games"], "{child}");
    }
    let many = scratch.succeeds("book tree a.book --plies 3 --min-games 2 --json");
    assert!(
        values(&many)
            .iter()
            .all(|row| row["games"].as_u64() >= Some(2)),
        "{many}"
    );
    assert!(many.lines().count() < tree.len());
}

#[test]
fn a_mute_engine_is_checked_once() {
    let scratch = Scratch::new("mute");
    let mut command = scratch.command("conform");
    let Outcome(code, out, _) = Outcome::of(command.arg("nboard:cat /dev/null"));
    assert!(
        code == 1 && out.contains("0 passed, 1 failed, 0 skipped"),
        "{out}"
    );
}

#[test]
#[cfg(unix)]
fn a_match_shows_stderr_and_warns_of_a_crowd() {
    let scratch = Scratch::with_openings("crowd");
    let broken = "a=nboard:sh -c 'echo no weights >&2; exit 3'";
    let Outcome(code, _, error) = scratch.plays(&[broken, "b=random"], "--games 2 --level 1");
    assert!(code == 1 && error.contains("stderr: no weights"), "{error}");
    let options = "--games 2 --jobs 256 --move-time 0.01 --first-opening 3";
    let Outcome(_, out, error) = scratch.plays(&["a=random", "b=greedy"], options);
    assert!(error.contains("256 games at once share"), "{out}{error}");
    let wrong = scratch.plays(&["a=random", "b=greedy"], "--first-opening 4");
    assert!(
        wrong.0 == 1 && wrong.2.contains("3 openings"),
        "{}",
        wrong.2
    );
}

#[test]
fn a_program_of_an_archive_finds_the_page_around_its_builds() {
    let scratch = Scratch::new("archive");
    let builds = scratch.0.join("builds");
    let program = builds.join(format!("emilia{}", std::env::consts::EXE_SUFFIX));
    fs::create_dir(&builds).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_emilia"), &program).unwrap();
    scratch.write("emilia.html", "no page");
    scratch.write("game.txt", "f5d6c3");
    let line = "report game.txt --depth 1 --engine -o game.html";
    let out = Command::new(&program)
        .args(line.split(' '))
        .current_dir(&scratch.0)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&out.stderr);
    assert!(told.contains("emilia.html: expected emilia.html"), "{told}");
}
