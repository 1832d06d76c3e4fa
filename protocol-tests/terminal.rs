//! No control character of a file, name or argument reaches a terminal.

use std::fs;
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::process::Command;

use crate::parallel::in_parallel;
use crate::patience::until;
use crate::scratch::Scratch;

/// A title, a bell, a cleared screen, overstruck text, C1 controls and reversed text.
const EVIL: &str = "a\x1b]0;b\x07\x1b[2J\r\x08\x7f\u{9b}31m\u{85}\u{202e}\u{2066}c";
/// A whole game, so that every command is quick.
const GAME: &str = "e6f4e3f6g5d6e7f5c5";
const BOARD: &str = "---------------------------OX------XO--------------------------- X";

/// Two squares are empty.
const LATE: &str = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO-- X";

/// Whether a terminal obeys it or reorders a line for it.
fn is_command(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

/// Runs a command to its end, or a few seconds where it would go on, and looks at all that it printed.
fn check(folder: &Path, args: &[&str], input: &str) {
    let file = |bytes: &[u8]| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).and_then(|()| file.rewind()).unwrap();
        file
    };
    let [mut out, mut errors] = [file(b""), file(b"")];
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
    command
        .args(args)
        .current_dir(folder)
        .env("EMILIA_BOOK", "off")
        .env("RUST_LOG", "info");
    command.stdin(file(input.as_bytes()));
    command
        .stdout(out.try_clone().unwrap())
        .stderr(errors.try_clone().unwrap());
    let mut child = command.spawn().unwrap();
    until(&format!("the end of {args:?}"), || {
        child.try_wait().unwrap().is_some()
    });
    for (name, stream) in [("stdout", &mut out), ("stderr", &mut errors)] {
        let mut bytes = Vec::new();
        stream.rewind().unwrap();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let line = text.lines().find(|line| line.contains(is_command));
        assert!(
            line.is_none() && !text.contains('\r'),
            "{args:?}, {name}: {:?}",
            line.unwrap_or_default()
        );
    }
}

/// Files with these characters in every text field: names and contents.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let field = EVIL.replace(']', "");
    let tags = [
        "Event",
        "Site",
        "Date",
        "Time",
        "Round",
        "Black",
        "White",
        "TimeControl",
        "Annotator",
    ];
    let tags: String = tags
        .iter()
        .map(|tag| format!("[{tag} \"{EVIL}\"]\n"))
        .collect();
    let moves = "1. e6 f4 2. e3 f6 3. g5 d6 4. e7 f5 5. c5";
    let ggf_moves = "B[e6]W[f4]B[e3]W[f6]B[g5]W[d6]B[e7]W[f5]B[c5]";
    let sgf_moves = "B[e6];W[f4];B[e3];W[f6];B[g5];W[d6];B[e7];W[f5];B[c5]";
    let texts = [
        (
            "a.pgn",
            format!("{tags}[Result \"64-0\"]\n\n{{{EVIL}}} {moves} {{{EVIL}}} 64-0\n"),
        ),
        (
            "b.ggf",
            format!(
                "(;GM[Othello]PC[{field}]DT[{field}]PB[{field}]PW[{field}]RE[+64]TI[5:00]\
             CO[{field}]TY[8]BO[8 {BOARD}]{ggf_moves};)\n"
            )
            .replace(" X]", " *]")
            .replace("OX---", "O*---")
            .replace("XO---", "*O---"),
        ),
        (
            "c.sgf",
            format!(
                "(;FF[4]GM[2]SZ[8]PB[{field}]PW[{field}]EV[{field}]PC[{field}]DT[{field}]C[{field}]\
             GN[{field}];{sgf_moves}C[{field}])\n"
            ),
        ),
        ("d.obf", format!("{LATE}; G8:+64; % {EVIL}\n")),
        ("e.txt", format!("{GAME} {EVIL}\n")),
        ("f.txt", format!("{EVIL}\n{GAME}\n{EVIL} x9\n")),
        (
            "g.jsonl",
            format!(
                "{{\"id\":\"{}\",\"game\":\"{GAME}\",\"depth\":1}}\n{{\"id\":\"{EVIL}\"}}\n",
                escaped()
            ),
        ),
        (
            "h.jsonl",
            format!(
                "{{\"id\":\"{}\",\"position\":\"{}\"}}\n",
                escaped(),
                escaped()
            ),
        ),
        ("i.txt", format!("{LATE}{EVIL}\n")),
        (EVIL, format!("{GAME}\n")),
    ];
    let mut files: Vec<(&str, Vec<u8>)> =
        texts.map(|(name, text)| (name, text.into_bytes())).into();
    files.extend(base());
    // Windows refuses control characters in names.
    files.retain(|(name, _)| cfg!(not(windows)) || *name != EVIL);
    files
}

/// The text as JSON writes its C0 controls.
fn escaped() -> String {
    EVIL.chars()
        .map(|c| {
            if c.is_ascii_control() {
                format!("\\u{:04x}", c as u32)
            } else {
                c.into()
            }
        })
        .collect()
}

/// A game of the WTHOR base and its names.
fn base() -> [(&'static str, Vec<u8>); 3] {
    let head = |games: u8, names: u8| [20, 26, 2, 18, games, 0, 0, 0, names, 0, 228, 7, 8, 0, 0, 0];
    let mut game = head(1, 0).to_vec();
    game.extend([0, 0, 0, 0, 0, 0, 64, 64, 65, 46, 35, 66, 57, 64, 75, 56, 53]);
    game.resize(16 + 68, 0);
    let names = |length: usize| {
        let mut bytes = head(0, 1).to_vec();
        bytes.extend(b"a\x1b[2J\x07\x9b31m\x7f");
        bytes.resize(16 + length, 0);
        bytes
    };
    [("j.wtb", game), ("j.jou", names(20)), ("j.trn", names(26))]
}

/// Commands that read the file `FILE`.
const READING: &[&str] = &[
    "show FILE",
    "show --keep-going FILE",
    "show --json FILE",
    "show --svg - FILE",
    "solve FILE",
    "solve --json FILE",
    "analyze --depth 1 --keep-going FILE",
    "analyze --depth 1 FILE",
    "convert --to moves FILE",
    "convert --to board FILE",
    "convert --to diagram --keep-going FILE",
    "convert --to obf --keep-going FILE",
    "convert --to fen FILE",
    "convert --to pgn FILE",
    "convert --to ggf FILE",
    "convert --to sgf FILE",
    "convert --to gogui FILE",
    "convert --to pgn --repair FILE",
    "convert --to obf --from wthor FILE",
    "report --depth 1 -o page.html FILE",
    "book import new.book FILE",
    "book show FILE f5",
    "book show FILE",
    "book verify FILE",
    "book export FILE",
    "book merge new.book FILE",
    "match random greedy --games 2 --openings FILE",
    "verify FILE",
    "play --start FILE",
    "show --eval FILE f5",
    "bench --input FILE --depth 1",
    "edax --solve FILE",
];

#[test]
fn no_file_commands_a_terminal() {
    in_parallel(4, files(), |(name, bytes)| {
        let folder = Scratch::new("terminal");
        for (name, bytes) in files() {
            folder.write(name, bytes);
        }
        for line in READING {
            let args: Vec<&str> = line
                .split(' ')
                .map(|word| if word == "FILE" { name } else { word })
                .collect();
            check(&folder.0, &args, "");
            let _ = fs::remove_file(folder.0.join("new.book"));
        }
        // As stdin, and typed into sessions.
        let text = String::from_utf8_lossy(&bytes);
        for line in ["show -", "convert --to pgn", "analyze", "play", "edax"] {
            check(&folder.0, &line.split(' ').collect::<Vec<_>>(), &text);
        }
        let load = format!(
            "load {name}\nsolve {name}\nloadsgf {name}\nset game {text}\nshowboard\nquit\n"
        );
        for session in ["play", "edax", "gtp", "nboard", "cassio"] {
            check(&folder.0, &[session], &load);
        }
    });
}

/// Answers whose ids come from a file.
#[test]
fn no_answer_commands_a_terminal() {
    let folder = Scratch::new("terminal-answers");
    let request = &files()[6];
    fs::write(folder.0.join(request.0), &request.1).unwrap();
    check(
        &folder.0,
        &["analyze", request.0, "-o", "answers.jsonl"],
        "",
    );
    let text = fs::read_to_string(folder.0.join("answers.jsonl.part")).unwrap_or_default()
        + &fs::read_to_string(folder.0.join("answers.jsonl")).unwrap_or_default();
    assert!(
        text.contains("\\u001b") && !text.contains(is_command),
        "{text}"
    );
}

/// Every option of every command, and every command's arguments, from the program's own definition.
#[test]
fn no_argument_commands_a_terminal() {
    let folder = Scratch::new("terminal-arguments");
    let mut command = emilia::cli::command();
    command.build();
    let mut lines = Vec::new();
    walk(&command, &mut Vec::new(), &mut lines);
    assert!(lines.len() > 150, "{}", lines.len());
    in_parallel(4, lines, |line| {
        let args: Vec<&str> = line.iter().map(String::as_str).collect();
        check(&folder.0, &args, "");
    });
}

/// Each page of help names its command and has an example.
#[test]
fn every_command_has_its_help() {
    let folder = Scratch::new("help");
    for command in emilia::cli::command()
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
    {
        let help = folder.succeeds(&format!("{} --help", command.get_name()));
        let usage = format!("Usage: emilia {}", command.get_name());
        assert!(
            help.contains(&usage) && help.contains("\nExample"),
            "{help}"
        );
    }
}

/// Adds command lines for a command and all below it.
fn walk(command: &clap::Command, path: &mut Vec<String>, lines: &mut Vec<Vec<String>>) {
    let line = |more: &[&str]| {
        path.iter()
            .map(String::as_str)
            .chain(more.iter().copied())
            .map(str::to_owned)
            .collect()
    };
    lines.push(line(&[EVIL]));
    lines.push(line(&[&format!("--{EVIL}")]));
    for arg in command
        .get_arguments()
        .filter(|arg| arg.get_action().takes_values())
    {
        if let Some(long) = arg.get_long() {
            // A game, so that the input is complete.
            lines.push(line(&[&format!("--{long}={EVIL}"), GAME]));
        }
    }
    for below in command.get_subcommands() {
        path.push(below.get_name().to_owned());
        walk(below, path, lines);
        path.pop();
    }
}

/// Engines whose names, answers and last words hold such characters.
#[test]
#[cfg(unix)]
fn no_engine_commands_a_terminal() {
    let folder = Scratch::new("terminal-engine");
    let script =
        format!("printf '%s' '{EVIL}' >&2; while read line; do printf '%s\\n' '= {EVIL}' ''; done");
    folder.write("engine.sh", script);
    for protocol in ["gtp", "nboard"] {
        let player = format!("{EVIL}={protocol}:sh engine.sh");
        check(
            &folder.0,
            &[
                "match",
                &player,
                "random",
                "--games",
                "2",
                "--patience",
                "1",
            ],
            "",
        );
        check(&folder.0, &["play", "--white", &player], "f5\nquit\n");
    }
    check(
        &folder.0,
        &["conform", "gtp:sh engine.sh", "--only", "numbers"],
        "",
    );
}
