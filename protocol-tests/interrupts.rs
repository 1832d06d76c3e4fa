//! Signals to commands that start programs, hostile ones included: the command ends within a second, its files hold
//! the games played so far, and no program is left.
#![cfg(unix)]

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::parallel::in_parallel;
use crate::patience::{pause, until};
use crate::scratch::Scratch;
use crate::signals;

/// The first act of every engine here: it holds the pipe `alive` open, and so does a child of its child.
const BEGIN: &str = "exec 3>alive; sh -c \"sleep 300 & sleep 300\" & ";
/// Answers all but `go`.
const LOOP: &str =
    "while read -r c a; do case \"$c\" in ping) echo \"pong $a\";; go) touch asked; ";

/// An NBoard engine: it begins so, and does this when it is asked for a move.
fn engine(begin: &str, on_go: &str) -> String {
    format!("bad=nboard:sh -c '{BEGIN}{begin}{LOOP}{on_go};; esac; done'")
}

/// A pipe that the engines of a test hold open while they live.
struct Alive(File);

impl Alive {
    fn new(scratch: &Scratch) -> Self {
        Self(
            File::options()
                .read(true)
                .custom_flags(libc::O_NONBLOCK)
                .open(scratch.pipe("alive"))
                .unwrap(),
        )
    }

    /// Whether any engine, or anything that it started, holds the pipe.
    fn is_held(&mut self) -> bool {
        match self.0.read(&mut [0; 16]) {
            Err(error) => error.kind() == ErrorKind::WouldBlock,
            Ok(count) => count > 0,
        }
    }
}

/// Starts the program with nothing to read, keeps its output, and undoes the `nohup` under which the tests may run.
fn start(scratch: &Scratch, words: &[&str]) -> Child {
    let mut command = scratch.command("");
    let heed_hangup = || {
        // SAFETY: `signal` with `SIG_DFL` is async-signal-safe, as required between `fork` and `exec`.
        unsafe { libc::signal(libc::SIGHUP, libc::SIG_DFL) };
        Ok(())
    };
    // SAFETY: the closure calls only the function above.
    unsafe { command.pre_exec(heed_hangup) };
    command
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_signal_ends_a_match_whatever_a_player_does() {
    // It is tried, started for a game, and started again.
    const TWICE: &str = "test -e two && sleep 300; test -e one && touch two; touch one; ";
    let ignores = "trap \"\" TERM INT HUP; ";
    let cases = [
        ("hangs", "TERM", engine("", "sleep 300")),
        (
            "ignores signals",
            "INT",
            engine(ignores, "while :; do sleep 0.1; done"),
        ),
        (
            "writes lines",
            "HUP",
            engine("", "while :; do echo status x; sleep 0.01; done"),
        ),
        ("writes no line", "TERM", engine("", "cat /dev/zero")),
        ("starts again", "INT", engine(TWICE, "exit 1")),
        (
            "reads nothing more",
            "HUP",
            engine("", "exec <&-; sleep 300"),
        ),
        (
            "thinks in this process",
            "TERM",
            "bad=emilia:level=60,solve-from=60".to_owned(),
        ),
        (
            "searches in this process",
            "INT",
            "bad=pentai:depth=20".to_owned(),
        ),
    ];
    in_parallel(4, cases, |(case, signal, player)| {
        let scratch = Scratch::new("interrupt-match");
        let mut alive = Alive::new(&scratch);
        let options = "--level 20 --games 10 --ggf g.ggf --json=s.json --patience 600 --jobs 1";
        let words: Vec<&str> = ["match", "greedy", "random", &player]
            .into_iter()
            .chain(options.split(' '))
            .collect();
        let child = start(&scratch, &words);
        let read = |name: &str| fs::read_to_string(scratch.0.join(name)).unwrap_or_default();
        let is_inside = case.contains("in this process");
        // The first two games are played without it.
        until(case, || read("g.ggf").lines().count() >= 2);
        until(case, || is_inside || scratch.0.join("asked").exists());
        // It has lost a game by its crash; all others are still at their first game.
        let games = if case == "starts again" { 3 } else { 2 };
        until(case, || read("g.ggf").lines().count() == games);
        pause(Duration::from_millis(200));
        assert!(is_inside || alive.is_held(), "{case}");
        let output = signals::end_by(child, signal, case);
        until(&format!("{case}: a program is left"), || !alive.is_held());
        let shown = String::from_utf8_lossy(&output.stderr);
        assert!(
            shown.contains("interrupted; --resume continues it"),
            "{case}: {shown}"
        );
        let played = read("g.ggf").lines().count();
        assert_eq!(played, games, "{case}: {}", read("g.ggf"));
        let summary: Value = serde_json::from_str(&read("s.json")).unwrap();
        assert_eq!(summary["games"], played, "{case}");
        assert!(
            String::from_utf8_lossy(&output.stdout).contains("greedy"),
            "{case}: {output:?}"
        );
    });
}

#[test]
fn a_signal_ends_a_player_that_starts() {
    let scratch = Scratch::new("interrupt-start");
    let mut alive = Alive::new(&scratch);
    let child = start(
        &scratch,
        &[
            "match",
            "greedy",
            &engine("sleep 300; ", "exit"),
            "--level",
            "1",
        ],
    );
    until("the engine starts", || alive.is_held());
    signals::end_by(child, "TERM", "a start");
    until("a program is left", || !alive.is_held());
}

#[test]
fn an_engine_may_store_its_learning() {
    let scratch = Scratch::new("interrupt-learn");
    let saves = "sleep 300;; quit) sleep 0.1; touch saved; exit";
    let idle = engine("", "echo \"=== PA\"")
        .replace("bad=", "idle=")
        .replace("echo \"=== PA\"", saves);
    // It never comes to its first move: its opponent hangs.
    let hangs = engine("", "sleep 300").replace("exec 3>alive; ", "");
    let idle = idle.replace("exec 3>alive; ", "");
    let child = start(
        &scratch,
        &["match", &hangs, &idle, "--level", "1", "--patience", "600"],
    );
    until("the game begins", || scratch.0.join("asked").exists());
    signals::end_by(child, "INT", "a game");
    assert!(scratch.0.join("saved").exists());
}

#[test]
fn checks_leave_no_program() {
    let mute = engine("touch asked; sleep 300; ", "exit").replace("bad=", "");
    let scratch = Scratch::new("interrupt-others");
    let mut alive = Alive::new(&scratch);
    let mut command = scratch.command("");
    command
        .args(["conform", &mute])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    until("the engine is asked", || {
        scratch.0.join("asked").exists() && alive.is_held()
    });
    signals::end_by(child, "TERM", "conform");
    until("a program is left", || !alive.is_held());
}

#[test]
fn nohup_is_heeded() {
    let scratch = Scratch::new("nohup");
    let mut command = Command::new("sh");
    command.args([
        "-c",
        "trap '' HUP; exec \"$0\" match random greedy --games 100000000 --ggf g.ggf",
    ]);
    command
        .arg(env!("CARGO_BIN_EXE_emilia"))
        .current_dir(&scratch.0)
        .stdin(Stdio::null());
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let games = || fs::read(scratch.0.join("g.ggf")).map_or(0, |bytes| bytes.len());
    until("no games are written", || games() > 0);
    assert!(signals::send(child.id(), "HUP"));
    let before = games();
    until("the match goes on", || {
        games() > before + 10_000 || child.try_wait().unwrap().is_some()
    });
    assert!(child.try_wait().unwrap().is_none(), "SIGHUP ended it");
    signals::end_by(child, "TERM", "nohup");
}
