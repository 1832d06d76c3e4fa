//! Files and folders whose names have blanks and letters of any script, the program's own included.

use std::path::PathBuf;
use std::process::Command;

use crate::scratch::{Outcome, Scratch};

/// A folder, and in it the program, of such names.
fn folder() -> (Scratch, PathBuf) {
    let scratch = Scratch::new("Spiele und B\u{fc}cher \u{68cb}");
    let program = scratch
        .0
        .join(format!("die Emilia \u{e9}{}", std::env::consts::EXE_SUFFIX));
    let built = env!("CARGO_BIN_EXE_emilia");
    // A copy could not be started while another test's child still holds it for writing.
    #[cfg(unix)]
    std::os::unix::fs::symlink(built, &program).unwrap();
    #[cfg(not(unix))]
    std::fs::copy(built, &program).unwrap();
    (scratch, program)
}

#[test]
fn names_may_have_blanks_and_any_letters() {
    let (scratch, program) = folder();
    let run = |args: &[&str], input: &str| {
        let mut command = Command::new(&program);
        command
            .args(args)
            .current_dir(&scratch.0)
            .env("EMILIA_BOOK", "off");
        let Outcome(code, out, error) = Outcome::fed(&mut command, input);
        assert_eq!(code, 0, "{args:?}: {error}");
        out
    };
    let book = "Er\u{f6}ffnungen \u{5b9a}\u{77f3}.book";
    let openings = "los \u{f1}.txt";
    let games = "Spiele \u{df}.ggf";
    let [table, page, log] = [
        "Tafel \u{e5}.fen",
        "Bericht \u{395}.html",
        "Protokoll \u{416}.log",
    ];
    run(
        &["book", "grow", book, "--positions", "3", "--depth", "2"],
        "",
    );
    assert!(run(&["book", "verify", book], "").contains("0 values differ"));
    let shown = run(
        &["gtp", "--hash", "1", "--book", book, "--log", log],
        "name\ngenmove b\nquit\n",
    );
    assert!(shown.starts_with("= Emilia\n\n= "), "{shown}");
    assert!(scratch.read(log).contains("genmove b"));
    // A player of the match is the program itself, by the path with blanks.
    scratch.write(openings, "f5d6c3\n");
    let player = |protocol: &str| {
        format!(
            "{protocol}={protocol}:'{}' {protocol};level=1",
            program.display()
        )
    };
    let nboard = player("nboard");
    let gtp = player("gtp");
    let shown = run(
        &[
            "match",
            &nboard,
            &gtp,
            "--games",
            "2",
            "--openings",
            openings,
            "--ggf",
            games,
        ],
        "",
    );
    assert!(shown.contains("nboard") && shown.contains("gtp"), "{shown}");
    assert_eq!(scratch.read(games).lines().count(), 2);
    run(&["convert", "--to", "fen", "--output", table, games], "");
    assert_eq!(scratch.read(table).lines().count(), 2);
    run(
        &["report", "--level", "1", "-o", page, games, "--limit", "1"],
        "",
    );
    assert!(scratch.0.join(page).is_file());
}
