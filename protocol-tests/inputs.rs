//! Input files of every kind: no pipe, device or endless stream hangs the program or fills its memory.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::thread;

use crate::patience::until;
use crate::scratch::Scratch;

const GAME: &str = "e6f4e3f6g5d6e7f5c5";

/// Commands that read a whole file, or seek in the file `FILE`.
const WHOLE: &[&str] = &[
    "show --eval FILE f5",
    "solve --json --eval FILE f5",
    "book show FILE f5",
    "book verify FILE",
    "book export FILE",
    "book merge new.book FILE",
];

/// Lines of sessions that read a whole file.
const SESSIONS: &[(&str, &str, &str)] = &[
    ("play", "load FILE", "FILE: a pipe; expected a regular file"),
    (
        "gtp",
        "loadsgf FILE",
        "cannot load file: a pipe; expected a regular file",
    ),
];

/// Runs a command that must come to its end by itself; stdout and stderr.
fn ended(folder: &Scratch, line: &str, input: Option<&'static [u8]>) -> (Option<i32>, String) {
    let mut command = folder.command(line);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.spawn().unwrap();
    if let (Some(mut stdin), Some(piece)) = (child.stdin.take(), input) {
        thread::spawn(move || while stdin.write_all(piece).is_ok() {});
    }
    until(&format!("the end of {line}"), || {
        child.try_wait().unwrap().is_some()
    });
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

#[test]
#[cfg(unix)]
fn only_regular_files_are_read_whole() {
    let folder = Scratch::new("whole");
    folder.pipe("pipe");
    for line in WHOLE {
        for (file, shown) in [
            ("pipe", "a pipe; "),
            ("/dev/zero", "a device; "),
            (".", "a folder; "),
        ] {
            let line = line.replace("FILE", file);
            let (code, text) = ended(&folder, &line, None);
            assert!(
                code == Some(1) && text.contains(shown) && text.contains(file),
                "{line}: {code:?} {text}"
            );
        }
    }
    for (session, line, shown) in SESSIONS {
        folder.write("lines", line.replace("FILE", "pipe") + "\nquit\n");
        let mut command = folder.command(session);
        command.stdin(fs::File::open(folder.0.join("lines")).unwrap());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        until(&format!("the end of {session}, {line}"), || {
            child.try_wait().unwrap().is_some()
        });
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(
            text.contains(&shown.replace("FILE", "pipe")),
            "{session}, {line}: {text}"
        );
    }
}

/// The names for games are read from regular files.
#[test]
#[cfg(unix)]
fn names_of_players_are_no_pipe() {
    for ending in ["jou", "trn"] {
        let folder = Scratch::new("names");
        folder.write("a.txt", GAME);
        folder.succeeds("convert --to wthor -o games.wtb a.txt");
        for kind in ["jou", "trn"] {
            let _ = fs::remove_file(folder.0.join(format!("games.{kind}")));
        }
        folder.pipe(&format!("x.{ending}"));
        let (code, text) = ended(&folder, "convert --to pgn games.wtb", None);
        let shown = format!("x.{ending}: a pipe; expected a regular file");
        assert!(code == Some(1) && text.contains(&shown), "{text}");
    }
}

/// A line without end is refused while it comes.
#[test]
fn no_endless_line_is_waited_for() {
    let folder = Scratch::new("endless");
    for line in [
        "show -",
        "show --json -",
        "solve -",
        "convert --to pgn -",
        "report -o page.html -",
        "verify -",
        "book import new.book -",
        "match random greedy --games 2 --openings -",
        "edax --solve -",
    ] {
        for piece in [
            b"x".as_slice(),
            b"f5",
            b" ",
            b"f5 d6 c3 d3 c4 ",
            b"(;GM[Othello]",
            b"{\"a\":",
            b"\0",
            b"----",
        ] {
            let piece: &'static [u8] = piece.repeat(1 << 12).leak();
            let (code, text) = ended(&folder, line, Some(piece));
            assert!(
                code == Some(1),
                "{line}, {:?}: {code:?} {text}",
                &piece[..4]
            );
        }
    }
}

/// A base that does not end is refused at the limit for files of this kind.
#[test]
fn no_endless_base_is_waited_for() {
    let folder = Scratch::new("endless-base");
    let head: &'static [u8] = b"\x14\x1a\x02\x12\xff\xff\xff\xff\0\0\xe4\x07\x08\0\0\0";
    let (code, text) = ended(&folder, "convert --to pgn --from wthor -", Some(head));
    assert!(
        code == Some(1) && text.contains("at most 268435456 bytes"),
        "{text}"
    );
}

/// A file whose name is a game as well: the file is read, and stderr names the other reading.
#[test]
fn a_file_named_like_moves_is_read_with_a_word() {
    let folder = Scratch::new("both");
    folder.write("f5d6", GAME);
    let shown = "f5d6: reading the file of this name; for the moves, put a blank before them";
    for line in [
        "convert --to moves f5d6",
        "show --json f5d6",
        "solve f5d6",
        "analyze f5d6 --depth 1",
        "play --start f5d6",
    ] {
        let (code, text) = ended(&folder, line, None);
        assert!(code == Some(0) && text.contains(shown), "{line}: {text}");
    }
    assert_eq!(
        folder.succeeds("convert --to moves f5d6"),
        format!("{GAME}\n")
    );
    fs::create_dir(folder.0.join("f5d6c3")).unwrap();
    assert_eq!(
        folder.succeeds("convert --to moves f5d6c3"),
        "f5d6c3\n",
        "a folder cannot be meant"
    );
}
