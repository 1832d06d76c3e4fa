//! Files that stand beside an output, several outputs of one command, and outputs in a folder.

use std::fs;
#[cfg(unix)]
use std::process::Stdio;

use crate::outputs::{INPUTS, inputs, options};
use crate::scratch::{Outcome, Scratch};

#[test]
fn two_outputs_are_two_files() {
    let options = options();
    let mut pairs = 0;
    for (index, (one, _)) in options.iter().enumerate() {
        for (other, _) in options[..index]
            .iter()
            .filter(|(other, _)| other.command == one.command && other.option != one.option)
        {
            pairs += 1;
            let scratch = inputs();
            for name in ["o", "./o"] {
                let line = format!(
                    "{} {} {}=o {}={name}",
                    one.command, one.rest, one.option, other.option
                );
                scratch.fails(&line, 1, "name another file");
            }
            assert!(
                !scratch.0.join("o").exists(),
                "{}: {} {}",
                one.command,
                one.option,
                other.option
            );
        }
    }
    assert!(pairs >= 8, "{pairs} pairs");
}

#[test]
fn pages_go_only_into_a_folder_of_pages() {
    let scratch = inputs();
    let report = "report --eval classic --depth 1 --hash 1 g --output";
    scratch.succeeds(&format!("{report} new/site/"));
    // A folder of pages is written again.
    scratch.succeeds(&format!("{report} new/site/"));
    fs::create_dir_all(scratch.0.join("theirs")).unwrap();
    scratch.write("theirs/index.html", "my page");
    for more in ["", " --force"] {
        scratch.fails(
            &format!("{report} theirs/{more}"),
            1,
            "name a new or empty folder",
        );
    }
    assert_eq!(scratch.read("theirs/index.html"), "my page");
}

#[test]
fn only_a_forced_report_removes_the_pages_before_it() {
    let scratch = inputs();
    let report = "report --eval classic --depth 1 --hash 1 -o site/";
    let named =
        |names: [&str; 2]| format!("(;GM[Othello]PB[{}]PW[{}]B[f5];)\n", names[0], names[1]);
    scratch.write("two", named(["ann", "bob"]) + &named(["cid", "ann"]));
    scratch.write("one", named(["eve", "dan"]));
    scratch.succeeds(&format!("{report} two"));
    for (name, text) in [("site/notes.html", "mine"), ("site/game-9.txt", "mine")] {
        scratch.write(name, text);
    }
    fs::copy(
        scratch.0.join("site/game-001.html"),
        scratch.0.join("site/kept.html"),
    )
    .unwrap();
    let names = || -> Vec<String> {
        let files = fs::read_dir(scratch.0.join("site")).unwrap().flatten();
        let mut names: Vec<String> = files
            .map(|file| file.file_name().into_string().unwrap())
            .filter(|name| name.starts_with("game-0") || name.starts_with("player"))
            .collect();
        names.sort();
        names
    };
    scratch.succeeds(&format!("{report} one"));
    assert_eq!(names().len(), 7, "{:?}", names());
    scratch.succeeds(&format!("{report} one --force"));
    let new = ["game-001.html", "player-dan.html", "player-eve.html"];
    assert_eq!(names(), new);
    for kept in ["notes.html", "game-9.txt", "kept.html", "index.html"] {
        assert!(scratch.0.join("site").join(kept).exists(), "{kept}");
    }
}

#[test]
fn the_files_of_an_output_obey_its_rule() {
    let analyze = "analyze q --eval classic --depth 1 --hash 1 -o o";
    let games = "analyze --json g --eval classic --depth 1 --hash 1 -o o";
    for line in [analyze, games, "solve --json p -o o"] {
        for companion in ["o.run", "o.summary.json"] {
            for more in ["", " --resume"] {
                let scratch = inputs();
                scratch.write(companion, "mine\n");
                scratch.fails(&format!("{line}{more}"), 1, companion);
                assert_eq!(scratch.read(companion), "mine\n", "{line}{more}");
                let left = fs::read_dir(&scratch.0).unwrap().count();
                assert_eq!(left, INPUTS.len() + 1, "{line}{more}");
            }
        }
        // Those of an earlier run are replaced only with --force; a failed run leaves none.
        let scratch = inputs();
        scratch.succeeds(line);
        for gone in ["o", "o.summary.json"] {
            fs::remove_file(scratch.0.join(gone)).unwrap();
        }
        scratch.fails(line, 1, "o.run: the file exists; --force");
        scratch.succeeds(&format!("{line} --force"));
        scratch.write("bad", "no position\n");
        scratch.fails("solve --json bad -o n", 1, "bad");
        assert!(!scratch.0.join("n.run").exists());
    }
    let scratch = inputs();
    let line = "solve --json p -o o --certificate o.run";
    scratch.fails(line, 1, "name the same file");
    assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), INPUTS.len());
}

#[test]
fn names_of_players_are_replaced_only_on_request() {
    for ending in ["JOU", "jou", "TRN"] {
        let scratch = Scratch::new("names");
        let pgn = |name: &str| {
            format!("[Event \"{name}\"]\n[Black \"{name}\"]\n[White \"bob\"]\n\n1. f5 d6 *\n")
        };
        scratch.write("1.pgn", pgn("ann"));
        scratch.write("2.pgn", pgn("cid"));
        scratch.succeeds("convert --to wthor 1.pgn -o x.wtb");
        fs::remove_file(scratch.0.join("x.wtb")).unwrap();
        for other in ["JOU", "TRN"]
            .iter()
            .filter(|other| !ending.eq_ignore_ascii_case(other))
        {
            fs::remove_file(scratch.0.join("x").with_extension(other)).unwrap();
        }
        let names = scratch.0.join("x").with_extension(ending);
        fs::rename(names.with_extension(ending.to_uppercase()), &names).unwrap();
        let before = fs::read(&names).unwrap();
        let shown = format!("x.{ending}: the file exists; --force");
        scratch.fails("convert --to wthor 2.pgn -o x.wtb", 1, &shown);
        assert_eq!(fs::read(&names).unwrap(), before);
        assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 3, "{ending}");
        scratch.succeeds("convert --to wthor 2.pgn -o x.wtb --force");
        let shown = scratch.succeeds("convert --to pgn x.wtb");
        assert!(shown.contains("[Black \"cid\"]"), "{shown}");
    }
}

#[test]
fn a_game_is_saved_in_the_notation_of_its_file() {
    let scratch = Scratch::new("saved");
    let play = "play --level 0 --black human --white human";
    let game = "f5\nd6\nc3\n";
    for (name, begin) in [
        ("x", "(;GM[Othello]"),
        ("x.ggf", "(;GM[Othello]"),
        ("x.PGN", "[Event "),
        ("x.sgf", "(;FF[4]"),
    ] {
        scratch.feed(play, &format!("{game}save {name}\nquit\n"));
        let text = scratch.read(name);
        assert!(text.starts_with(begin), "{name}: {text}");
        let moves = scratch.succeeds(&format!("convert --to moves {name}"));
        assert_eq!(moves.trim(), "f5d6c3", "{name}");
    }
    for name in ["x.fen", "x.wtb", "x.pgn.gz"] {
        let Outcome(_, shown, _) = scratch.feed(play, &format!("{game}save! {name}\nquit\n"));
        assert!(
            shown.contains("games are saved as .ggf, .pgn or .sgf"),
            "{shown}"
        );
        assert!(!scratch.0.join(name).exists());
    }
    scratch.fails(&format!("{play} -o y.pgn"), 1, "name it .ggf");
}

#[cfg(unix)]
#[test]
fn an_interrupted_solve_leaves_the_old_certificate() {
    let scratch = inputs();
    scratch.write("hard", "f5d6c3d3c4f4\n");
    scratch.write("o", "old\n");
    let mut command = scratch.command("solve --hash 1 p hard --certificate o --force");
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = crate::signals::takes_signals(&mut command).spawn().unwrap();
    // The first position is solved and proven.
    let mut shown = String::new();
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap());
    while !shown.contains("  1 ") {
        assert!(
            std::io::BufRead::read_line(&mut lines, &mut shown).unwrap() > 0,
            "{shown}"
        );
    }
    assert!(crate::signals::send(child.id(), "INT"));
    std::io::copy(&mut lines, &mut std::io::sink()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(fs::read(scratch.0.join("o")).unwrap(), b"old\n");
    let left = fs::read_dir(&scratch.0).unwrap().flatten();
    let names: Vec<_> = left
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    assert!(
        !names.iter().any(|name| name.contains(".new-")),
        "{names:?}"
    );
}

#[test]
fn a_game_is_not_saved_over_the_files_of_the_command_line() {
    let scratch = inputs();
    let before = fs::read(scratch.0.join("b")).unwrap();
    let line = "play --level 0 --black human --white human --book b";
    let Outcome(_, shown, _) = scratch.feed(line, "f5\nsave! b\nquit\n");
    assert!(
        shown.contains("Not saved: b is the file of --book"),
        "{shown}"
    );
    assert_eq!(fs::read(scratch.0.join("b")).unwrap(), before);
}

#[test]
fn names_files_do_not_become_games() {
    let scratch = inputs();
    for name in ["x.jou", "x.TRN"] {
        scratch.fails(
            &format!("convert --to wthor g --output {name}"),
            1,
            "another ending",
        );
        assert!(!scratch.0.join(name).exists());
    }
}

#[test]
fn help_states_the_rule_once() {
    let scratch = Scratch::new("help");
    let page = scratch.succeeds("help files");
    assert!(page.contains("refuses a file that exists."), "{page}");
    for command in ["convert", "report", "match", "solve"] {
        let help = scratch.succeeds(&format!("help {command}"));
        let words: Vec<&str> = help.split_whitespace().collect();
        assert!(words.join(" ").contains("`emilia help files`"), "{help}");
    }
}
