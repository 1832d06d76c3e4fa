//! Matches played by the built `emilia`: players that fail, matches that are resumed, and summaries.
//!
//! Players that misbehave in a game are in `synthetic.rs`, signals in `interrupts.rs`, kills in `kills.rs`.

use std::fs;

use serde_json::Value;

use crate::patience::{Wait, patience};
use crate::scratch::{Outcome, Scratch};

/// Runs a match that must fail with exit code 1; its stderr.
fn failing(scratch: &Scratch, players: &[&str], options: &str) -> String {
    let Outcome(code, out, error) = scratch.plays(players, options);
    assert_eq!(code, 1, "{players:?} {options}: {out}{error}");
    error
}

/// An NBoard engine that is well-behaved until it is asked for a move.
#[cfg(unix)]
fn mischief(name: &str, on_go: &str) -> String {
    format!(
        "{name}=nboard:sh -c 'while read -r c a; do case \"$c\" in ping) echo \"pong $a\";; go) {on_go};; esac; done'"
    )
}

#[test]
fn a_player_that_does_not_start_ends_the_match_before_its_first_game() {
    let scratch = Scratch::with_openings("start");
    let binary = env!("CARGO_BIN_EXE_emilia");
    let exits = format!("exits=nboard:'{binary}' --no-such-option");
    // It reads all and answers nothing.
    let mute = format!("mute=nboard:'{binary}' solve --keep-going -");
    for (players, shown) in [
        (
            ["emilia:level=2", "gtp:no-such-program"],
            &["`no-such-program` did not start"][..],
        ),
        (
            ["new=nboard:./emilia-new", "old=nboard:./emilia-old"],
            &["`new` did", "`old` did", "./emilia-old"],
        ),
        (
            ["random", "emilia:eval=nofile"],
            &["`emilia-eval-nofile` did not start", "nofile"],
        ),
        (
            ["random", &exits],
            &["`exits` did not start", "exit ", ": 2"],
        ),
        (
            ["random", &mute],
            &["`mute` did not start", "no answer in time"],
        ),
    ] {
        // Only a program that never answers is waited for to the end.
        let seconds = if players[1].starts_with("mute") {
            1
        } else {
            6 * patience()
        };
        let wait = Wait::of(2_000);
        let options =
            format!("--sprt 0,5 --games 100 --level 1 --ggf new.ggf --patience {seconds}");
        let error = failing(&scratch, &players, &options);
        assert!(shown.iter().all(|part| error.contains(part)), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(!wait.is_over(), "{players:?}: {:?}", wait.taken());
        assert!(
            !scratch.0.join("new.ggf").exists(),
            "no game, no file of games"
        );
    }
}

#[test]
#[cfg(unix)]
fn a_player_that_fails_again_and_again_proves_nothing() {
    let scratch = Scratch::with_openings("dies");
    // Starts once and never again.
    let once = "once=nboard:sh -c 'test -e started && exit 1; touch started; while read -r c a; do \
                case \"$c\" in ping) echo \"pong $a\";; go) exit 1;; esac; done'";
    let error = failing(
        &scratch,
        &["greedy", once],
        "--level 1 --sprt 0,5 --games 1000",
    );
    assert!(
        error.contains("`once` is retired: did not start"),
        "{error}"
    );
    // Starts and crashes every time: retired after ten games without evidence.
    let crash = mischief("crash", "exit 3");
    for jobs in [1, 2] {
        let options =
            format!("--level 1 --games 1000 --json --log faults.txt --sprt 0,5 --jobs {jobs}");
        let Outcome(code, out, error) = scratch.plays(&["greedy", &crash], &options);
        assert_eq!(code, 1, "{error}");
        assert!(
            error.contains("`crash` is retired: lost 10 games in a row"),
            "{error}"
        );
        let summary: Value = serde_json::from_str(&out).unwrap();
        assert!(
            (10..13).contains(&summary["games"].as_u64().unwrap()),
            "{summary}"
        );
        assert_eq!(
            (&summary["sprt"]["verdict"], &summary["sprt"]["pairs"]),
            (&"open".into(), &0.into())
        );
        assert_eq!(summary["sprt"]["llr"], 0.0);
    }
    // Loses every game late or by a crash: never ten defects in a row, never evidence.
    let clash = mischief(
        "clash",
        "if test -e crashed; then rm crashed; sleep 0.5; echo \"=== A1\"; else touch crashed; exit 3; fi",
    );
    let options = "--games 6 --move-time 0.1 --margin 0.1 --sprt 0,5 --log faults.txt";
    let error = failing(&scratch, &["greedy", &clash], options);
    assert!(
        error.contains("3 pairs with a crash or the like were no evidence"),
        "{error}"
    );
}

#[test]
fn repeated_games_prove_nothing() {
    let scratch = Scratch::with_openings("repeat");
    scratch.write("openings.txt", "f5d6c3\n");
    // Inside this process everything repeats for sure: one round is all there is.
    let Outcome(code, out, error) = scratch.plays(
        &["emilia:level=1", "emilia:level=2"],
        "--games 400 --sprt 0,20 --json",
    );
    assert!(
        code == 0 && error.contains("1 opening for 200 rounds"),
        "{error}"
    );
    let summary: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&summary["games"], &summary["sprt"]["verdict"]),
        (&2.into(), &"open".into())
    );
    // Other programs may vary: a repeated pair counts once.
    let engine = format!(
        "engine=nboard:'{}' nboard --eval classic",
        env!("CARGO_BIN_EXE_emilia")
    );
    let players = ["emilia:level=2", &engine];
    let options = "--level 1 --games 12 --sprt -10,20";
    let summary = scratch.match_summary(&players, options);
    assert_eq!(summary["games"], 12);
    assert_eq!(
        (
            &summary["meetings"][0]["repeated_pairs"],
            &summary["sprt"]["pairs"]
        ),
        (&5.into(), &1.into())
    );
    let Outcome(_, out, _) = scratch.plays(&players, options);
    assert!(
        out.contains("5 of 6 pairs repeat an earlier one move by move"),
        "{out}"
    );
}

#[test]
fn openings_come_from_stdin_and_names_hold_blanks() {
    let scratch = Scratch::new("stdin");
    let mut command = scratch.command("match greedy --openings - --games 2 --json");
    let Outcome(_, out, _) = Outcome::fed(command.arg("x y=random"), "f5d6c3\n");
    let summary: Value = serde_json::from_str(&out).unwrap();
    assert!(
        summary["players"]
            .as_array()
            .unwrap()
            .iter()
            .any(|player| player["name"] == "x y"),
        "{summary}"
    );
}

#[test]
fn only_the_same_match_is_resumed_and_by_one_process() {
    let scratch = Scratch::new("same");
    let openings = |text: &str| scratch.write("openings.txt", text);
    let players = ["greedy", "applet"];
    let resume = "--ggf g.ggf --resume";
    openings("f5d6\nf5f6\n");
    assert_eq!(
        scratch.match_summary(&players, &format!("--games 2 {resume}"))["games"],
        2
    );
    // More games of the same match, also with a new opening.
    let four = format!("--games 4 {resume}");
    let summary = scratch.match_summary(&players, &four);
    assert_eq!(summary["games"], 4);
    // Complete: nothing is left to play, and half a line of a killed match is cut off.
    let file = scratch.0.join("g.ggf");
    let before = fs::read(&file).unwrap();
    fs::write(&file, [&before[..], &before[..100]].concat()).unwrap();
    assert_eq!(scratch.match_summary(&players, &four), summary);
    assert_eq!(fs::read(&file).unwrap(), before);
    let error = failing(&scratch, &players, "--games 4 --ggf g.ggf");
    assert!(error.contains("g.ggf: the file exists"), "{error}");
    let error = failing(&scratch, &players, &format!("{four} --seed 9"));
    assert!(
        error.contains("--seed is 1 in the file and 9 now"),
        "{error}"
    );
    openings("f5d6\nf5f4\n");
    let error = failing(&scratch, &players, &four);
    assert!(
        error.contains("line 1 of g.ggf: a game of another match: other openings"),
        "{error}"
    );
    openings("f5d6\nf5f6\n");
    // Another process holds it.
    let held = fs::File::open(&file).unwrap();
    held.lock().unwrap();
    let error = failing(&scratch, &players, &four);
    assert!(
        error.contains("g.ggf: another process is writing this file"),
        "{error}"
    );
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn our_own_engine_plays_itself_in_every_way() {
    let scratch = Scratch::with_openings("own");
    let binary = env!("CARGO_BIN_EXE_emilia");
    let [nboard, gtp, auto] = ["nboard=nboard:'{}' nboard", "gtp=gtp:'{}' gtp", "auto='{}'"]
        .map(|player| player.replace("{}", binary));
    let options = format!(
        "--games 2 --level 3 --jobs 2 --adjudicate 6 --clock {}+0.1",
        6 * patience()
    );
    let summary = scratch.match_summary(&["emilia:level=3", &nboard, &gtp, &auto], &options);
    assert_eq!(summary["games"], 12);
    for player in summary["players"].as_array().unwrap() {
        assert_eq!(player["faults"].as_object().unwrap().len(), 0, "{player}");
    }
    assert!(summary["endings"]["adjudicated"].as_u64().unwrap() > 0);
}

#[test]
fn a_sequential_test_stops_early() {
    let summary = Scratch::with_openings("sprt")
        .match_summary(&["applet", "random"], "--games 20000 --sprt 0,100");
    assert_eq!(summary["sprt"]["verdict"], "accepted");
    assert!(
        summary["games"].as_u64().unwrap() < 200,
        "{}",
        summary["games"]
    );
}

#[test]
fn depth_nodes_and_periods_are_budgets_and_files_make_one_table() {
    let scratch = Scratch::with_openings("pool");
    let binary = env!("CARGO_BIN_EXE_emilia");
    let gtp = format!("two=gtp:'{binary}' gtp --no-book");
    let nboard = format!("two=nboard:'{binary}' nboard --no-book");
    for (players, name) in [
        (["one=emilia;depth=2", "two=emilia;nodes=100"], "a.ggf"),
        (["one=emilia;clock=4/0.4", &gtp], "b.ggf"),
        ([&nboard, "one=emilia;depth=1"], "c.ggf"),
    ] {
        let options = format!("--games 4 --clock 9/0.9 --margin 2 --ggf {name}");
        let summary = scratch.match_summary(&players, &options);
        assert_eq!(summary["endings"]["played"], 4, "{name}: {summary}");
    }
    let pooled = scratch.succeeds("match --pool a.ggf b.ggf c.ggf --json");
    let pooled: Value = serde_json::from_str(&pooled).unwrap();
    assert_eq!(
        (&pooled["games"], &pooled["scheduled"]),
        (&12.into(), &12.into())
    );
    let meetings = pooled["meetings"].as_array().unwrap();
    assert_eq!(meetings.len(), 1, "{pooled}");
    scratch.fails(
        "match --pool a.ggf openings.txt",
        1,
        "line 1 of openings.txt",
    );
    scratch.fails("match --pool a.ggf --games 4", 2, "cannot be used with");
}

#[test]
fn a_summary_comes_in_every_form_that_is_asked_for() {
    let scratch = Scratch::with_openings("forms");
    let read = |name: &str| fs::read_to_string(scratch.0.join(name)).unwrap_or_default();
    let players = ["greedy", "applet:depth=1", "sustech:depth=1"];
    let files = "--ggf g.ggf";
    let Outcome(_, out, shown) = scratch.plays(
        &players,
        &format!("{files} --games 2 --json=sum.json --markdown"),
    );
    assert!(
        out.starts_with("| # | player |") && out.contains("too few games (4 of 10)"),
        "{out}"
    );
    let summary: Value = serde_json::from_str(&read("sum.json")).unwrap();
    assert_eq!(
        (&summary["games"], &summary["endings"]["played"]),
        (&6.into(), &6.into())
    );
    let elo = &summary["meetings"][0]["elo"];
    assert!(
        elo["estimate"].is_null() && elo["note"] == "too few games (2 of 10)",
        "{elo}"
    );
    // Stderr without a terminal gets a line for each finished pairing.
    assert_eq!(shown.lines().count(), 3, "{shown}");
    assert!(
        shown.lines().all(|line| line.contains("finished: ")),
        "{shown}"
    );
    assert!(
        shown.contains("emilia: 6 of 6 games, finished: "),
        "{shown}"
    );
    assert_eq!(read("g.ggf").lines().count(), 6);
    let Outcome(_, out, _) = scratch.plays(
        &players,
        &format!("{files} --games 12 --resume --json --markdown"),
    );
    let (json, markdown) = out.split_once("\n\n").unwrap();
    let summary: Value = serde_json::from_str(json).unwrap();
    assert!(
        summary["players"][2]["elo"]["high"].is_number() && markdown.contains(" under -"),
        "{out}"
    );
    assert_eq!(read("g.ggf").lines().count(), 36);
    assert!(!out.contains("inf"), "{out}");
    // Outputs that exclude each other or cannot be written are refused before the first game.
    for (options, shown) in [
        (
            "--json=x --markdown=x",
            "--json and --markdown name the same file",
        ),
        (
            "--markdown=openings.txt --json",
            "--openings and --markdown name the same file",
        ),
        (
            "--json=openings.txt/sum.json --markdown",
            "--json openings.txt/sum.json: ",
        ),
        (
            "--log openings.txt/faults.txt",
            "--log openings.txt/faults.txt: ",
        ),
        (
            "--ggf g.ggf",
            "--ggf g.ggf: the file exists; --resume continues it",
        ),
    ] {
        let error = failing(&scratch, &players, options);
        assert!(
            error.contains(shown) && error.lines().count() == 1,
            "{error}"
        );
    }
}
