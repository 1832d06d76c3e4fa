//! Pipes, full disks and files of every kind as input and output.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::thread;

use serde_json::Value;

use crate::patience::until;
use crate::scratch::{Outcome, Scratch, values};
use crate::signals;

const FINISHED: &str = "e6f4e3f6g5d6e7f5c5";

/// Every way of writing results, each quick.
const PRINTING: [&str; 9] = [
    "bench perft 5",
    "version",
    "help solve",
    "bench --limit 1 --depth 2 --solve-from 0",
    "match random greedy --games 2",
    "match openings 3",
    "solve e6f4e3f6g5d6e7f5c5",
    "show e6f4e3f6g5d6e7f5c5",
    "convert --to ggf e6f4e3f6g5d6e7f5c5",
];

fn emilia(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
    command.env("EMILIA_BOOK", "off");
    command
        .args(line.split_whitespace())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.env_remove("RUST_LOG").env_remove("RUST_BACKTRACE");
    command
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_one_line_and_code_1() {
    for line in PRINTING {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let Outcome(code, _, error) = Outcome::of(emilia(line).stdout(full));
        let shown = "emilia: cannot write the results: No space left on device (os error 28)\n";
        assert_eq!((code, error.as_str()), (1, shown), "{line}");
    }
}

#[test]
fn a_reader_that_has_gone_away_is_no_fault() {
    for line in PRINTING {
        let mut child = emilia(line).stdin(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let Outcome(code, _, error) = child.wait_with_output().unwrap().into();
        assert_eq!((code, error.as_str()), (0, ""), "{line}");
    }
}

/// Sends `piece` until the child ends; returns the first line of its output.
fn first_line_of_a_flood(line: &str, piece: &'static str) -> (String, Child) {
    let mut child = emilia(line).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    thread::spawn(move || while stdin.write_all(piece.as_bytes()).is_ok() {});
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    (line, child)
}

#[test]
fn an_endless_input_ends_with_its_reader() {
    for (command, piece, want) in [
        ("convert --to moves -", "f5d6\n", "f5d6\n"),
        ("show --eval classic --json", "f5\n", "{\"index\":1,"),
        ("solve --json -", "e6f4e3f6g5d6e7f5c5\n", "{\"index\":1,"),
    ] {
        let (line, child) = first_line_of_a_flood(command, piece);
        let Outcome(code, _, error) = child.wait_with_output().unwrap().into();
        assert!(line.starts_with(want), "{command}: {line}");
        assert_eq!((code, error.as_str()), (0, ""), "{command}");
    }
}

#[test]
#[cfg(unix)]
fn pipes_are_files() {
    let has_two_lines = |command: &mut Command| {
        let Outcome(_, out, error) = Outcome::of(command);
        assert_eq!(out.lines().count(), 2, "{command:?} {error}");
    };
    let folder = Scratch::new("fifo");
    let text = format!("{FINISHED}\n{FINISHED}\n");
    for command in ["solve --json", "show --json", "convert --to fen"] {
        let fifo = folder.pipe(&command.replace(' ', "-"));
        let writer = thread::spawn({
            let fifo = fifo.clone();
            let text = text.clone();
            move || fs::write(fifo, text).unwrap()
        });
        has_two_lines(emilia(command).arg(&fifo));
        writer.join().unwrap();
        let file = File::open(folder.write("games.txt", &text)).unwrap();
        has_two_lines(emilia(command).arg("/dev/stdin").stdin(file));
    }
}

#[test]
fn solve_and_show_begin_alike() {
    let folder = Scratch::new("json");
    folder.write(
        "a.obf",
        "% late\nXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOOO- X; h8:+64;\n",
    );
    for (command, fields) in [
        ("solve", "score exact moves nodes known missed"),
        (
            "show",
            "score eval known format side legal_moves game_over stable game",
        ),
    ] {
        let found = values(&folder.succeeds(&format!("{command} --json a.obf {FINISHED}")));
        assert_eq!(found.len(), 2, "{command}");
        let first = found[0].as_object().unwrap();
        for field in "index source line position empties"
            .split(' ')
            .chain(fields.split(' '))
        {
            assert!(first.contains_key(field), "{command}: {field}");
        }
        let numbers =
            [&first["index"], &first["line"], &first["empties"]].map(|value| value.as_u64());
        assert_eq!(numbers, [Some(1), Some(2), Some(1)], "{command}");
        assert_eq!(
            (&first["source"], &found[1]["source"]),
            (&"a.obf".into(), &"argument".into())
        );
        assert_eq!(found[1]["score"].as_f64(), Some(-64.0), "{command}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_input() {
    let request = "{\"id\":1,\"position\":\"f5d6c3d3c4\",\"why\":\"en\"}\n";
    let moves = "f5d6c3d3c4\n";
    for (command, line, piece) in [
        ("convert --to fen -", moves, 4096),
        ("show --json --eval classic -", moves, 4096),
        ("analyze --depth 1 --hash 1", request, 512),
    ] {
        let mut child = emilia(command).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut peaks = vec![];
        let block = line.repeat(piece);
        for _ in 0..10 {
            let writer = thread::spawn({
                let block = block.clone();
                move || {
                    stdin.write_all(block.as_bytes()).unwrap();
                    stdin
                }
            });
            assert_eq!(stdout.by_ref().take(piece).count(), piece);
            stdin = writer.join().unwrap();
            peaks.push(crate::child::status(child.id(), "VmHWM"));
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
        assert!(
            peaks[9] < peaks[1] + 1024,
            "{command}: KiB after each {piece} lines: {peaks:?}"
        );
    }
}

#[test]
fn a_conversion_grows_beside_its_file_and_is_given_up_without_a_trace() {
    let folder = Scratch::new("grows");
    let out = folder.write("out.txt", "before\n");
    let path = folder.0.to_str().unwrap().to_owned() + "/out.txt";
    let files = || {
        let mut names: Vec<_> = fs::read_dir(&folder.0)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        names.sort();
        names
    };
    for ending in ["end of input", "bad entry", "kept going", "signal"] {
        fs::write(&out, "before\n").unwrap();
        let mut command = emilia(&format!("convert --to fen --force --output {path} -"));
        command.args((ending == "kept going").then_some("--keep-going"));
        let mut child = signals::takes_signals(&mut command)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input
            .write_all("f5d6c3\n".repeat(20_000).as_bytes())
            .unwrap();
        // More than is buffered has gone to the disk, and the old file is still there.
        let grown = || {
            files()
                .iter()
                .any(|file| *file != out && file.metadata().is_ok_and(|file| file.len() > 100_000))
        };
        until("the output does not grow", grown);
        assert_eq!(fs::read_to_string(&out).unwrap(), "before\n");
        match ending {
            "bad entry" | "kept going" => writeln!(input, "f5xx").unwrap(),
            "signal" => assert!(signals::send(child.id(), "INT")),
            _ => {}
        }
        if ending == "signal" {
            assert_eq!(child.wait().unwrap().code(), Some(130));
        }
        drop(input);
        let Outcome(code, _, error) = child.wait_with_output().unwrap().into();
        let lines = fs::read_to_string(&out).unwrap().lines().count();
        let expected = match ending {
            "end of input" => (0, 20_000),
            "bad entry" => (1, 1),
            "kept going" => (1, 20_000),
            _ => (130, 1),
        };
        assert_eq!((code, lines), expected, "{ending}: {error}");
        assert_eq!(files(), std::slice::from_ref(&out), "{ending}");
    }
}

/// Requests for `count` positions, some without an id.
fn requests(count: usize) -> Vec<String> {
    const GAME: &str = "f5d6c3d3c4f4f6f3e6e7d7g6g5c5c6c7";
    let request = |index: usize| {
        let moves = &GAME[..2 * (1 + index % (GAME.len() / 2))];
        match index % 7 {
            0 => format!("{{\"position\":\"{moves}\"}}\n"),
            _ => format!("{{\"id\":\"p{index}\",\"position\":\"{moves}\",\"best_moves\":2}}\n"),
        }
    };
    (0..count).map(request).collect()
}

#[test]
fn a_killed_analysis_goes_on_without_losing_or_repeating_an_answer() {
    const SENT: [usize; 2] = [80, 150];
    let folder = Scratch::new("killed");
    let requests = requests(200);
    let input = folder.write("in.jsonl", requests.concat());
    for order in ["--reproducible", ""] {
        let line = format!("analyze --eval classic --depth 2 --jobs 2 --hash 1 {order}");
        let Outcome(code, whole, error) =
            Outcome::of(emilia(&line).stdin(File::open(&input).unwrap()));
        assert_eq!(code, 0, "{error}");
        let out = folder.write("out.jsonl.part", "");
        let append = || File::options().append(true).open(&out).unwrap();
        let lines = || fs::read_to_string(&out).unwrap().lines().count();
        let again = || {
            let mut command = emilia(&format!("{line} --output out.jsonl --resume"));
            command.current_dir(&folder.0);
            command
        };
        for sent in SENT {
            // More input is to come, so that only the kill can end it.
            let mut child = again().stdin(Stdio::piped()).spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            stdin
                .write_all(requests[..sent].concat().as_bytes())
                .unwrap();
            until("fewer answers than requests", || {
                assert!(
                    child.try_wait().unwrap().is_none(),
                    "ended before it could be killed"
                );
                lines() >= sent - 40
            });
            child.kill().unwrap();
            child.wait().unwrap();
            assert!((sent - 40..=sent).contains(&lines()), "{} answers", lines());
            // Half a line, as a kill in mid-write would leave it.
            append().write_all(b"{\"id\":\"p199\",\"pos").unwrap();
        }
        let Outcome(code, _, error) = Outcome::of(again().stdin(File::open(&input).unwrap()));
        assert_eq!(code, 0, "{error}");
        let done = folder.0.join("out.jsonl");
        let found = fs::read_to_string(&done).unwrap();
        fs::remove_file(done).unwrap();
        if order.is_empty() {
            assert_eq!(whose(&found), whose(&whole));
        } else {
            assert_eq!(found, whole);
        }
    }
}

/// The sorted ids of answers, or lines of the requests without an id.
fn whose(answers: &str) -> Vec<String> {
    let id = |answer: &Value| {
        assert!(answer.get("score").is_some(), "{answer}");
        format!("{} {:?}", answer["id"], answer.get("line"))
    };
    let mut ids: Vec<String> = values(answers).iter().map(id).collect();
    ids.sort();
    ids
}

#[test]
#[cfg(unix)]
fn openings_come_from_pipes_and_in_any_notation() {
    let folder = Scratch::new("openings");
    let pipe = folder.pipe("openings");
    let text = "f5d6\n---------------------------OX------XXX-------------------------- O\n\
                (;GM[Othello]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5];)\n";
    let writer = thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, text).unwrap()
    });
    let ggf = folder.0.join("games.ggf");
    let line = "match a=random b=random --games 6 --openings";
    let Outcome(code, _, error) =
        Outcome::of(emilia(line).arg(&pipe).arg("--ggf").arg(&ggf).arg("--json"));
    writer.join().unwrap();
    assert_eq!(code, 0, "{error}");
    assert_eq!(fs::read_to_string(&ggf).unwrap().matches("(;").count(), 6);
    let bad = folder.write("bad.txt", "# openings\nf5d6\nf5d6xx\n");
    let Outcome(code, _, error) = Outcome::of(emilia(line).arg(&bad));
    assert!(
        error.contains("bad.txt, entry 2, line 3: move list, column 5"),
        "{error}"
    );
    assert_eq!((code, error.lines().count()), (1, 1), "{error}");
    let Outcome(_, _, error) = Outcome::of(emilia(line).arg(FINISHED));
    assert!(error.contains("the game is over after 9 moves"), "{error}");
}

/// Both ends of a terminal: of keyboard and screen, and of the program.
#[cfg(unix)]
fn terminal() -> (File, std::os::fd::OwnedFd) {
    use std::os::fd::{FromRawFd, OwnedFd};

    let mut ours = -1;
    let mut theirs = -1;
    // SAFETY: both descriptors are written to, the null pointers ask for nothing.
    let failed = unsafe {
        // `const` for Linux, `mut` for macOS: the latter is taken by both.
        libc::openpty(
            &mut ours,
            &mut theirs,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
        )
    };
    assert_eq!(failed, 0, "{}", std::io::Error::last_os_error());
    // SAFETY: they are new, and these are their only owners.
    unsafe { (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) }
}

#[test]
#[cfg(unix)]
fn a_terminal_sees_the_progress_of_long_commands() {
    use std::io::Read;

    let folder = Scratch::new("progress");
    folder.write("games.txt", "e6f4e3f6g5d6e7f5c5\n".repeat(600));
    let edax = "------------------OX-------OX------XO--------------------------- X,8,E6,-5\n";
    folder.write("edax.txt", edax);
    for (line, shown) in [
        ("convert --to ggf -o c.ggf games.txt", "257 entries"),
        ("book import my.book games.txt", "257 entries"),
        ("book verify my.book", "positions checked"),
        ("book import yours.book edax.txt", "reading edax.txt"),
        ("book verify edax.txt", "moves checked"),
    ] {
        let (mut screen, theirs) = terminal();
        let mut command = folder.command(line);
        command.env("TERM", "xterm").stderr(theirs);
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        // The end of the child is the end of the terminal.
        drop(command);
        let mut bytes = Vec::new();
        let _ = screen.read_to_end(&mut bytes);
        assert!(child.wait().unwrap().success(), "{line}");
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains(shown), "{line}: {text:?}");
        // The time so far and the time left.
        let part = text.split(shown).next().unwrap_or_default();
        let numbers = part.rsplit(['\r', '\n', 'K']).next().unwrap_or_default();
        assert!(numbers.contains("s<"), "{line}: {text:?}");
    }
}

#[test]
#[cfg(unix)]
fn a_terminal_gets_a_prompt() {
    let (mut keyboard, theirs) = terminal();
    let child = emilia("").stdin(theirs).spawn().unwrap();
    writeln!(keyboard, "hello\nquit").unwrap();
    let Outcome(code, out, shown) = child.wait_with_output().unwrap().into();
    assert_eq!((code, out.as_str()), (0, ""), "protocols own stdout");
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 2, "{shown}");
    assert!(
        lines[0].contains("`play`") && lines[0].contains("`quit` to end"),
        "{shown}"
    );
    assert!(lines[1].contains("NBoard or GTP"), "{shown}");
    for (words, expected) in [
        ("help\nquit", "Usage: emilia"),
        ("play\nquit", "Move 1: Black to move"),
    ] {
        let (mut keyboard, theirs) = terminal();
        let child = emilia("").stdin(theirs).spawn().unwrap();
        writeln!(keyboard, "{words}").unwrap();
        let Outcome(code, out, shown) = child.wait_with_output().unwrap().into();
        assert!(code == 0 && out.contains(expected), "{words}: {out}{shown}");
    }
    // A pipe does not.
    let Outcome(code, _, shown) = Outcome::of(&mut emilia(""));
    assert_eq!((code, shown.as_str()), (0, ""));
}
