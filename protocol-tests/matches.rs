//! Matches played by the built `emilia`: engines that misbehave, and a match that is killed.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::patience::{Wait, patience, until};
use crate::scratch::Scratch;
use crate::signals;

/// A folder with openings.
fn with_openings(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    fs::write(scratch.0.join("openings.txt"), "f5d6c3d3c4\nf5f6e6f4\nf5d6c4d3c3\n").unwrap();
    scratch
}

fn emilia(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
    command.env("EMILIA_BOOK", "off");
    command.arg("match").args(args).args(["--openings", "openings.txt"]).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The faults of a player, as `2 crash`.
#[cfg(unix)]
fn faults(summary: &Value, name: &str) -> String {
    let players = summary["players"].as_array().unwrap();
    let player = players.iter().find(|player| player["name"] == name).unwrap();
    assert_eq!(player["tally"]["losses"], 2, "{name} must lose both games");
    let faults = player["faults"].as_object().unwrap();
    faults.iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

/// An NBoard engine that is well-behaved until it is asked for a move.
#[cfg(unix)]
fn mischief(name: &str, on_go: &str) -> String {
    format!(
        "{name}=nboard:sh -c 'while read -r c a; do case \"$c\" in ping) echo \"pong $a\";; go) {on_go};; esac; done'"
    )
}

/// A GTP engine likewise.
#[cfg(unix)]
fn gtp_mischief(name: &str, on_genmove: &str) -> String {
    format!(
        "{name}=gtp:sh -c 'while read -r c a; do case \"$c\" in genmove) {on_genmove};; \
         list_commands) echo \"= play\"; echo;; *) echo \"= \"; echo;; esac; done'"
    )
}

#[test]
#[cfg(unix)]
fn misbehaving_engines_lose_their_games_and_the_match_goes_on() {
    let scratch = with_openings("mischief");
    let players = [
        "greedy".to_owned(),
        mischief("crashes", "echo oops >&2; exit 3"),
        mischief("cheats", "echo \"=== A1/0.00/0.00\""),
        mischief("mumbles", "echo \"=== perhaps\""),
        gtp_mischief("gtp-crashes", "exit 3"),
        gtp_mischief("gtp-resigns", "echo \"= resign\"; echo"),
        gtp_mischief("gtp-refuses", "echo \"? no\"; echo"),
    ];
    let mut args: Vec<&str> = players.iter().map(String::as_str).collect();
    args.extend("--gauntlet --games 2 --depth 1 --jobs 4 --json --log faults.txt --ggf games.ggf".split(' '));
    let long = (6 * patience()).to_string();
    args.extend(["--patience", &long]);
    let summary = json(&emilia(&scratch.0, &args).output().unwrap());
    assert_eq!(summary["games"], 12);
    for (name, fault) in [
        ("crashes", "2 crash"),
        ("cheats", "2 illegal"),
        ("mumbles", "2 protocol"),
        ("gtp-crashes", "2 crash"),
        ("gtp-resigns", ""),
        ("gtp-refuses", "2 protocol"),
    ] {
        assert_eq!(faults(&summary, name), fault, "{name}");
    }
    let log = fs::read_to_string(scratch.0.join("faults.txt")).unwrap();
    assert!(log.contains("crashes (black) crashed: exit status: 3"), "{log}");
    assert!(log.contains("    ! oops") && log.contains("    < go") && log.contains("    > pong"), "{log}");
    assert_eq!(fs::read_to_string(scratch.0.join("games.ggf")).unwrap().lines().count(), 12);
}

#[test]
#[cfg(unix)]
fn a_stuck_engine_costs_no_more_than_its_time() {
    let scratch = with_openings("stuck");
    let players = [
        "greedy".to_owned(),
        mischief("hangs", "sleep 300"),
        mischief("slow", "sleep 0.7; echo \"=== A1\""),
        mischief("chatters", "while :; do echo status bla; done"),
        gtp_mischief("gtp-hangs", "sleep 300"),
    ];
    let mut args: Vec<&str> = players.iter().map(String::as_str).collect();
    args.extend("--gauntlet --games 2 --move-time 0.3 --margin 0.1 --jobs 4 --json".split(' '));
    let wait = Wait::of(4_500);
    let summary = json(&emilia(&scratch.0, &args).output().unwrap());
    assert!(!wait.is_over(), "{:?}", wait.taken());
    assert_eq!(summary["games"], 8);
    // Whichever bound each meets first on a busy machine: the lines, the clock or the end of all patience.
    for (name, other) in [("hangs", "hang"), ("gtp-hangs", "hang"), ("slow", "time"), ("chatters", "chatter")]
    {
        let found = faults(&summary, name);
        let kinds = [
            "2 hang".to_owned(),
            format!("2 {other}"),
            format!("1 {other}, 1 hang"),
            format!("1 hang, 1 {other}"),
        ];
        assert!(kinds.contains(&found), "{name}: {found}");
    }
}

/// Runs a match that must fail with this exit code; what it said on stderr.
fn failing(folder: &Path, args: &[&str], code: i32) -> String {
    let output = emilia(folder, args).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    text
}

#[test]
fn a_player_that_does_not_start_ends_the_match_before_its_first_game() {
    let scratch = with_openings("start");
    let binary = env!("CARGO_BIN_EXE_emilia");
    let exits = format!("exits=nboard:'{binary}' --no-such-option");
    // It reads all and answers nothing.
    let mute = format!("mute=nboard:'{binary}' solve --keep-going -");
    for (players, told) in [
        (
            ["emilia:depth=2", "gtp:no-such-program"],
            &["`no-such-program` did not start", "no-such-program"][..],
        ),
        (["new=nboard:./emilia-new", "old=nboard:./emilia-old"], &["`new` did", "`old` did", "./emilia-old"]),
        (["random", "emilia:weights=nofile"], &["`emilia-weights-nofile` did not start", "nofile"]),
        (["random", &exits], &["`exits` did not start", "exit ", ": 2"]),
        (["random", &mute], &["`mute` did not start", "no answer in time"]),
    ] {
        // Only who never answers is waited for to the end.
        let seconds = if players[1].starts_with("mute") { 1 } else { 6 * patience() }.to_string();
        let wait = Wait::of(2_000);
        let options = "--sprt 0,5 --games 100 --depth 1 --ggf new.ggf --patience".split(' ');
        let options: Vec<&str> = options.chain([seconds.as_str()]).collect();
        let error = failing(&scratch.0, &[&players[..], &options[..]].concat(), 1);
        assert!(told.iter().all(|part| error.contains(part)), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(!wait.is_over(), "{players:?}: {:?}", wait.taken());
        assert!(!scratch.0.join("new.ggf").exists(), "no game, no file of games");
    }
}

#[test]
#[cfg(unix)]
fn a_player_that_dies_in_the_match_proves_nothing() {
    let scratch = with_openings("dies");
    // Starts once and never again.
    let once = "once=nboard:sh -c 'test -e started && exit 1; touch started; while read -r c a; do \
                case \"$c\" in ping) echo \"pong $a\";; go) exit 1;; esac; done'";
    let output =
        emilia(&scratch.0, &["greedy", once, "--depth", "1", "--sprt", "0,5", "--games", "1000", "--json"])
            .output()
            .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("`once` was given up: did not start"), "{error}");
    // Starts every time and crashes every time: given up after ten games, none of them evidence.
    let crash = mischief("crash", "exit 3");
    for options in [&["--sprt", "0,5"][..], &["--sprt", "0,5", "--jobs", "2"]] {
        let args = [
            &["greedy", &crash, "--depth", "1", "--games", "1000", "--json", "--log", "faults.txt"],
            options,
        ]
        .concat();
        let output = emilia(&scratch.0, &args).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("`crash` was given up: lost 10 games in a row"), "{error}");
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!((10..13).contains(&summary["games"].as_u64().unwrap()), "{summary}");
        assert_eq!((&summary["sprt"]["verdict"], &summary["sprt"]["pairs"]), (&"open".into(), &0.into()));
        assert_eq!(summary["sprt"]["llr"], 0.0);
    }
}

#[test]
#[cfg(unix)]
fn a_gain_is_not_proven_by_a_program_that_crashes_now_and_then() {
    let scratch = with_openings("now-and-then");
    // Loses every game by resigning in protest or by a crash: never ten defects in a row, never evidence.
    let clash = "clash=nboard:sh -c 'while read -r c a; do case \"$c\" in ping) echo \"pong $a\";; \
                 go) if test -e crashed; then rm crashed; sleep 0.5; echo \"=== A1\"; else touch crashed; exit 3; fi;; \
                 esac; done'";
    let args = ["greedy", clash, "--games", "6", "--move-time", "0.1", "--margin", "0.1", "--sprt", "0,5"];
    let error = failing(&scratch.0, &[&args[..], &["--log", "faults.txt"]].concat(), 1);
    assert!(error.contains("3 pairs with a crash or the like were no evidence"), "{error}");
}

#[test]
fn repeated_games_prove_nothing() {
    let scratch = with_openings("repeat");
    fs::write(scratch.0.join("openings.txt"), "f5d6c3\n").unwrap();
    // Inside this process everything repeats for sure: one round is all there is.
    let args = ["emilia:depth=1", "emilia:depth=2", "--games", "400", "--sprt", "0,20", "--json"];
    let output = emilia(&scratch.0, &args).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 opening for 200 rounds"), "{output:?}");
    let summary = json(&output);
    assert_eq!((&summary["games"], &summary["sprt"]["verdict"]), (&2.into(), &"open".into()));
    // Of other programs nobody knows beforehand: what repeats is seen and counts once.
    let binary = env!("CARGO_BIN_EXE_emilia");
    let engine = format!("engine=nboard:'{binary}' nboard --eval classic");
    let args = ["emilia:depth=2", &engine, "--depth", "1", "--games", "12", "--sprt", "-10,20"];
    let summary = json(&emilia(&scratch.0, &[&args[..], &["--json"]].concat()).output().unwrap());
    assert_eq!(summary["games"], 12);
    assert_eq!(
        (&summary["meetings"][0]["repeated_pairs"], &summary["sprt"]["pairs"]),
        (&5.into(), &1.into())
    );
    let output = emilia(&scratch.0, &args).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("5 of 6 pairs repeat an earlier one move by move"), "{text}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("games may repeat"), "{output:?}");
}

#[test]
fn what_cannot_be_opened_is_told_before_the_first_game() {
    let scratch = with_openings("open");
    let error =
        failing(&scratch.0, &["random", "greedy", "--games", "2", "--log", "openings.txt/faults.txt"], 1);
    assert!(error.contains("--log openings.txt/faults.txt: "), "{error}");
    for (range, told) in [("threads=0", "1 to 256"), ("hash=100000000", "1 to 65536")] {
        let error = failing(&scratch.0, &["random", &format!("emilia:{range}")], 1);
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn openings_come_from_stdin_and_names_hold_blanks() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
    command.env("EMILIA_BOOK", "off");
    command.args(["match", "x y=random", "greedy", "--openings", "-", "--games", "2", "--json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"f5d6c3\n").unwrap();
    let summary = json(&child.wait_with_output().unwrap());
    assert!(summary["players"].as_array().unwrap().iter().any(|player| player["name"] == "x y"), "{summary}");
}

#[test]
fn a_killed_match_is_resumed_without_losing_or_repeating_a_game() {
    let scratch = with_openings("resume");
    const GAMES: usize = 60;
    let players = ["greedy", "applet:depth=3", "weak=pentai:depth=3,vision=60"];
    let args = |more: &[&'static str]| -> Vec<&'static str> {
        [&players[..], &["--games", "20", "--jobs", "2"], more].concat()
    };
    let whole = json(&emilia(&scratch.0, &args(&["--json"])).output().unwrap());
    let file = scratch.0.join("killed.ggf");
    let lines = || fs::read(&file).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count());
    for (kill, resume) in [(2, &["--ggf", "killed.ggf"][..]), (7, &["--ggf", "killed.ggf", "--resume"])] {
        let mut child = emilia(&scratch.0, &args(resume)).spawn().unwrap();
        until("no games are written", || {
            assert!(child.try_wait().unwrap().is_none(), "ended before it could be killed");
            lines() >= kill
        });
        child.kill().unwrap();
        child.wait().unwrap();
        assert!((kill..GAMES).contains(&lines()), "{} games", lines());
        // Half a line, as a kill in mid-write would leave it.
        let mut bytes = fs::read(&file).unwrap();
        bytes.extend_from_within(..100);
        fs::write(&file, bytes).unwrap();
    }
    let again = emilia(&scratch.0, &args(&["--ggf", "killed.ggf"])).output().unwrap();
    assert!(!again.status.success(), "a file of games must not be overwritten");
    let resumed = args(&["--ggf", "killed.ggf", "--resume", "--json"]);
    assert_eq!(json(&emilia(&scratch.0, &resumed).output().unwrap()), whole);
    assert_eq!(lines(), GAMES);
    // Complete: nothing is left to play.
    assert_eq!(json(&emilia(&scratch.0, &resumed).output().unwrap()), whole);
    assert_eq!(lines(), GAMES);
    let other =
        emilia(&scratch.0, &args(&["--ggf", "killed.ggf", "--resume", "--seed", "9"])).output().unwrap();
    assert!(!other.status.success());
    assert!(String::from_utf8_lossy(&other.stderr).contains("--seed is 1 in the file and 9 now"));
}

#[test]
fn only_the_same_match_is_resumed_and_by_one_process() {
    let scratch = Scratch::new("same");
    let openings = |text: &str| fs::write(scratch.0.join("openings.txt"), text).unwrap();
    let args =
        |games: &'static str| ["greedy", "applet", "--games", games, "--ggf", "g.ggf", "--resume", "--json"];
    openings("f5d6\nf5f6\n");
    assert_eq!(json(&emilia(&scratch.0, &args("2")).output().unwrap())["games"], 2);
    // More games of the same match, also with an opening that none was played from yet.
    assert_eq!(json(&emilia(&scratch.0, &args("4")).output().unwrap())["games"], 4);
    openings("f5d6\nf5f4\n");
    let before = fs::read(scratch.0.join("g.ggf")).unwrap();
    let error = failing(&scratch.0, &args("8"), 1);
    assert!(error.contains("line 1 of g.ggf: a game of another match: other openings"), "{error}");
    openings("f5d6\nf5f6\n");
    // As another runner would hold it.
    let file = fs::File::open(scratch.0.join("g.ggf")).unwrap();
    file.lock().unwrap();
    let error = failing(&scratch.0, &args("8"), 1);
    assert!(error.contains("g.ggf: another process is writing this file"), "{error}");
    assert_eq!(fs::read(scratch.0.join("g.ggf")).unwrap(), before);
}

#[test]
fn our_own_engine_plays_itself_in_every_way() {
    let scratch = with_openings("own");
    let binary = env!("CARGO_BIN_EXE_emilia");
    let players = [
        "emilia:depth=3".to_owned(),
        format!("nboard=nboard:'{binary}' nboard"),
        format!("gtp=gtp:'{binary}' gtp"),
        format!("auto='{binary}'"),
    ];
    let mut args: Vec<&str> = players.iter().map(String::as_str).collect();
    let clock = format!("{}+0.1", 6 * patience());
    args.extend("--games 2 --depth 3 --jobs 2 --adjudicate 6 --json --clock".split(' '));
    args.push(&clock);
    let summary = json(&emilia(&scratch.0, &args).output().unwrap());
    assert_eq!(summary["games"], 12);
    for player in summary["players"].as_array().unwrap() {
        assert_eq!(player["faults"].as_object().unwrap().len(), 0, "{player}");
    }
    assert!(summary["adjudicated"].as_u64().unwrap() > 0);
}

#[test]
fn a_sequential_test_stops_early() {
    let scratch = with_openings("sprt");
    let args = ["applet", "random", "--games", "20000", "--sprt", "0,100", "--json"];
    let summary = json(&emilia(&scratch.0, &args).output().unwrap());
    assert_eq!(summary["sprt"]["verdict"], "accepted");
    assert!(summary["games"].as_u64().unwrap() < 200, "{}", summary["games"]);
}

#[test]
fn finished_games_teach_a_book() {
    let scratch = with_openings("learn");
    fs::write(scratch.0.join("openings.txt"), "f5d6c3\n").unwrap();
    let folder = scratch.0.as_path();
    let args = ["random", "greedy", "--games", "4", "--book-learn", "m.book", "--json"];
    json(&emilia(folder, &args).output().unwrap());
    let stats = |folder: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
        let output = command.args(["book", "stats", "m.book"]).current_dir(folder).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(stats(folder).contains(" played in 4 games"), "{}", stats(folder));
    // What cannot be taught is told before the first game.
    let output =
        emilia(folder, &["random", "greedy", "--book-learn", "no/such/folder/m.book"]).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(errors.contains("m.book") && output.stdout.is_empty(), "{errors}");
}

#[test]
fn a_summary_comes_in_every_form_that_is_asked_for() {
    let scratch = with_openings("forms");
    let read = |name: &str| fs::read_to_string(scratch.0.join(name)).unwrap_or_default();
    let players = ["greedy", "applet:depth=1", "sustech:depth=1"];
    let run = |more: &[&str]| emilia(&scratch.0, &[&players[..], more].concat()).output().unwrap();
    let files = ["--ggf", "g.ggf", "--pgn", "g.pgn"];
    let output = run(&[&files[..], &["--games", "2", "--json=sum.json", "--markdown"]].concat());
    let (out, told) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(out.starts_with("| # | player |") && out.contains("too few games (4 of 10)"), "{out}");
    let summary: Value = serde_json::from_str(&read("sum.json")).unwrap();
    assert_eq!((&summary["games"], &summary["endings"]["played"]), (&6.into(), &6.into()));
    let elo = &summary["meetings"][0]["elo"];
    assert!(elo["estimate"].is_null() && elo["note"] == "too few games (2 of 10)", "{elo}");
    // Nobody looks at a terminal: each finished pairing has its line, and nothing else is said.
    assert_eq!(told.lines().count(), 3, "{told}");
    assert!(told.lines().all(|line| line.contains("finished: ")), "{told}");
    assert!(told.contains("emilia: 6 of 6 games, finished: "), "{told}");
    // All games are in the PGN, also after a kill in the middle of it, and once each.
    assert_eq!(read("g.pgn").matches("[Result \"").count(), 6);
    fs::write(scratch.0.join("g.pgn"), &read("g.pgn")[..300]).unwrap();
    let output = run(&[&files[..], &["--games", "12", "--resume", "--json", "--markdown"]].concat());
    let out = String::from_utf8(output.stdout).unwrap();
    let (json, markdown) = out.split_once("\n\n").unwrap();
    let summary: Value = serde_json::from_str(json).unwrap();
    assert!(summary["players"][0]["rating"].is_number() && markdown.contains(" ± "), "{out}");
    assert_eq!(read("g.pgn").matches("[Result \"").count(), 36);
    assert!(!out.contains("inf"), "{out}");
    // Two outputs in one file, and one that cannot be written, are told before the first game.
    for (more, told) in [
        (["--json=x", "--markdown=x"], "--json and --markdown name the same file"),
        (["--markdown=openings.txt", "--json"], "--openings and --markdown name the same file"),
        (["--json=openings.txt/sum.json", "--markdown"], "--json openings.txt/sum.json: "),
    ] {
        let error = failing(&scratch.0, &[&players[..], &more].concat(), 1);
        assert!(error.contains(told) && error.lines().count() == 1, "{error}");
    }
    let error = failing(&scratch.0, &[&players[..], &["--ggf", "new.ggf", "--pgn", "g.pgn"]].concat(), 1);
    assert!(
        error.contains("--pgn g.pgn: the file exists; --resume continues it")
            && !scratch.0.join("new.ggf").exists(),
        "{error}"
    );
}

#[test]
fn ctrl_c_leaves_whole_files_and_says_what_was_played() {
    let scratch = with_openings("interrupt");
    let args = ["random", "greedy", "--games", "10000", "--ggf", "g.ggf", "--pgn", "g.pgn", "--json=s.json"];
    let child = signals::takes_signals(&mut emilia(&scratch.0, &args)).spawn().unwrap();
    let read = |name: &str| fs::read_to_string(scratch.0.join(name)).unwrap_or_default();
    until("no games are written", || read("g.ggf").lines().count() >= 3);
    assert!(signals::send(child.id(), "INT"));
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("interrupted; --resume continues it"), "{told}");
    let played = read("g.ggf").lines().count();
    let summary: Value = serde_json::from_str(&read("s.json")).unwrap();
    assert_eq!(summary["games"], played);
    assert_eq!(read("g.pgn").matches("[Result \"").count(), played);
    assert!(
        String::from_utf8_lossy(&output.stdout).contains(&format!("{played} of 10000 games")),
        "{output:?}"
    );
}
