//! Players of a match as the built `emilia` treats them: scripts that speak a protocol and do one thing of their own.

use std::fs;

use serde_json::Value;

use crate::scratch::{Outcome, Scratch};

/// A folder with an opening.
fn folder(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    fs::write(scratch.0.join("openings.txt"), "f5d6c3d3c4\nf5f6e6f4\n").unwrap();
    scratch
}

#[cfg(unix)]
mod programs {
    use super::*;

    /// Writes a script for `sh`; the command that starts it.
    fn script(scratch: &Scratch, name: &str, text: &str) -> String {
        fs::write(scratch.0.join(name), text).unwrap();
        format!("sh {name}")
    }

    /// Runs a match of these players, with more options divided by blanks.
    fn play(scratch: &Scratch, players: &[&str], options: &str) -> Outcome {
        let mut command = scratch.command("match --openings openings.txt --json");
        let output = command.args(options.split(' ')).args(players).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Outcome(output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
    }

    /// The summary of a match that must succeed.
    fn summary(scratch: &Scratch, players: &[&str], options: &str) -> Value {
        let Outcome(code, out, error) = play(scratch, players, options);
        assert_eq!(code, 0, "{out}{error}");
        serde_json::from_str(&out).unwrap()
    }

    #[test]
    fn who_resigns_loses_and_that_is_evidence() {
        let scratch = folder("resigns");
        let gtp = script(
            &scratch,
            "gtp.sh",
            "while read c r; do case $c in genmove) echo '= Resign';; *) echo =;; esac; echo; [ $c = quit ] && exit; done",
        );
        let nboard = script(
            &scratch,
            "nboard.sh",
            "while read c r; do case $c in ping) echo \"pong $r\";; go) echo '=== resign';; quit) exit;; esac; done",
        );
        for (protocol, command) in [("gtp", gtp), ("nboard", nboard)] {
            let player = format!("quitter={protocol}:{command}");
            let ggf = format!("--games 4 --movetime 1 --sprt 0,50 --ggf {protocol}.ggf");
            let summary = summary(&scratch, &["greedy", &player], &ggf);
            let row = |name| summary["players"].as_array().unwrap().iter().find(|row| row["name"] == name);
            let quitter = row("quitter").unwrap();
            assert_eq!(
                (&quitter["tally"]["losses"], &quitter["faults"]),
                (&4.into(), &serde_json::json!({}))
            );
            assert_eq!(summary["sprt"]["pairs"], 2, "{summary}");
            let games = fs::read_to_string(scratch.0.join(format!("{protocol}.ggf"))).unwrap();
            assert_eq!(games.matches(":r]").count(), 4, "{games}");
            assert_eq!(games.matches("; end resigned").count(), 4, "{games}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn where_threads_run_out_a_message_tells() {
        let scratch = folder("threads");
        // Room for the program, not for many stacks.
        let line = format!(
            "ulimit -v 600000; exec '{}' match random greedy --games 600 --concurrency 256 --openings openings.txt",
            env!("CARGO_BIN_EXE_emilia")
        );
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &line]).current_dir(&scratch.0).env("EMILIA_BOOK", "off");
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("256 games at once") && error.contains("no more threads"), "{error}");
        assert!(!error.contains("panicked"), "{error}");
    }
}

#[test]
fn numbers_that_make_no_match_are_refused() {
    let scratch = folder("ranges");
    for (options, told) in [
        ("--concurrency 0", "1..=256"),
        ("--concurrency 8000", "1..=256"),
        ("--games 0", "1..=100000000"),
        ("--games 18446744073709551615", "1..=100000000"),
        ("--tc 0", "0.001"),
        ("--tc 1e12", "864000"),
        ("--tc 5+1e12", "864000"),
        ("--movetime 0", "0.001"),
        ("--margin 18446744073709551615", "600000"),
    ] {
        scratch.fails(&format!("match random greedy --openings openings.txt {options}"), 2, told);
    }
    scratch.fails("match --make-openings 0", 2, "1..=100000000");
}
