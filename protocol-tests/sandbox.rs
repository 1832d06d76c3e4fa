//! The system calls of the program by `strace`: no network, no other program, and writes only to the files of the command
//! line.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::scratch::{Outcome, Scratch};

/// A command, its stdin, and its allowed output files and folders.
type Case = (&'static str, &'static str, &'static [&'static str]);

/// Each uses the files of the earlier ones.
const CASES: [Case; 19] = [
    (
        "nboard",
        "nboard 2\nset depth 3\nhint 2\nping 1\ngo\nlearn\nanalyze\nping 2\nquit\n",
        &[],
    ),
    (
        "nboard --threads 3 --ponder on",
        "set depth 4\ngo\nping 1\nquit\n",
        &[],
    ),
    (
        "gtp --level 2",
        "genmove b\nemilia-score\nloadsgf absent.sgf\nclear_board\ncputime\nquit\n",
        &[],
    ),
    (
        "gtp --level 2 --log talk.log",
        "genmove b\nquit\n",
        &["talk.log"],
    ),
    (
        "analyze --depth 3 --jobs 2",
        "{\"position\":\"f5\",\"partial_every\":0.01,\"why\":\"en\"}\n",
        &[],
    ),
    ("book import a.book -", "f5d6c3d3c4\n", &["a.book"]),
    (
        "book grow a.book --positions 1 --depth 3 --hash 1",
        "",
        &["a.book"],
    ),
    (
        "nboard --book a.book --learn games",
        "move f5\nlearn\ngo\nping 1\nquit\n",
        &["a.book"],
    ),
    ("book show a.book", "", &[]),
    ("book verify a.book", "", &[]),
    (
        "match emilia:level=1 greedy --games 2 --ggf g.ggf --log faults.txt",
        "",
        &["g.ggf", "faults.txt"],
    ),
    ("convert --to sgf --output g.sgf g.ggf", "", &["g.sgf"]),
    ("report g.ggf --depth 1 --hash 1 -o site", "", &["site"]),
    ("solve e6f4e3f6g5d6e7f5c5", "", &[]),
    ("show f5d6", "", &[]),
    ("show f5d6", "", &[]),
    ("play", "f5\nhint\nundo\nquit\n", &[]),
    ("bench --limit 1 --depth 2 --solve-from 0", "", &[]),
    ("help match", "", &[]),
];

/// System calls with effects outside the process, except `open` and those of open files.
const CHANGING: &str = "rename renameat renameat2 unlink unlinkat mkdir mkdirat rmdir link linkat symlink symlinkat \
    truncate chmod fchmodat chown fchownat lchown mknod mknodat utimensat creat";

/// The forbidden act of a line of a trace, `ID name("path", …) = result`.
fn breach(line: &str, allowed: &[&str]) -> Option<&'static str> {
    let call = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let (name, rest) = call.split_once('(')?;
    let paths = || rest.split('"').skip(1).step_by(2);
    let is_allowed = |path: &str| {
        let first = Path::new(path)
            .components()
            .next()
            .map(|part| part.as_os_str().to_string_lossy().into_owned());
        ["/dev/null", "/dev/tty", "."].contains(&path)
            || first.is_some_and(|first| allowed.iter().any(|name| first.starts_with(name)))
    };
    const WRITES: [&str; 5] = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"];
    match name {
        // A thread that ended with its process has an empty line.
        "???" if rest.trim_start().starts_with("<detached ...>") => None,
        "open" | "openat" | "openat2" if !WRITES.iter().any(|flag| rest.contains(flag)) => None,
        "open" | "openat" | "openat2" => {
            (!paths().all(is_allowed)).then_some("a file opened for writing")
        }
        _ if CHANGING.split(' ').any(|changing| changing == name) => {
            (!paths().all(is_allowed)).then_some("a file changed")
        }
        "execve" | "execveat" => Some("another program"),
        _ => Some("a call of the network"),
    }
}

/// Whether a process can be traced here at all.
fn can_trace() -> bool {
    let strace = Command::new("strace")
        .args(["-f", "-o", "/dev/null", "true"])
        .output();
    let can = strace.is_ok_and(|output| output.status.success());
    if !can {
        eprintln!("skipped: strace is missing or may not trace");
    }
    can
}

#[test]
fn no_network_and_no_unrequested_file() {
    if !can_trace() {
        return;
    }
    let scratch = Scratch::new("sandbox");
    // Elsewhere: only the program writes into its folder.
    let beside = Scratch::new("trace");
    let trace = beside.0.join("calls");
    // A network needs `socket`; a pair of local sockets only wakes the thread of signals.
    let calls = format!(
        "trace=socket,connect,bind,open,openat,openat2,execve,execveat,{}",
        CHANGING
            .split(' ')
            .map(|name| format!("?{name}"))
            .collect::<Vec<_>>()
            .join(",")
    );
    for (line, input, allowed) in CASES {
        let mut strace = Command::new("strace");
        strace
            .args([
                "-f",
                "-qq",
                "-s",
                "4096",
                "-e",
                &calls,
                "-e",
                "signal=none",
                "-o",
            ])
            .arg(&trace);
        strace
            .arg(env!("CARGO_BIN_EXE_emilia"))
            .args(line.split(' '))
            .current_dir(&scratch.0);
        // The default book is only read.
        strace.env_remove("EMILIA_BOOK").env_remove("RUST_LOG");
        let Outcome(code, _, error) = Outcome::fed(&mut strace, input);
        assert_eq!(code, 0, "{line}: {error}");
        // Replaced files have absolute paths.
        let here = format!("{}/", scratch.0.display());
        let shown = fs::read_to_string(&trace)
            .unwrap()
            .replace(&format!("{here}./"), "")
            .replace(&here, "");
        let mut calls = shown.lines();
        let first = calls.next().unwrap_or_default();
        assert!(
            first.contains("execve(") && shown.contains("openat("),
            "{line}: nothing was traced: {first}"
        );
        let found = calls.find_map(|call| Some(format!("{}: {call}", breach(call, allowed)?)));
        assert_eq!(found, None, "{line}");
    }
}

/// Functions of the C library that a program needs for a network. A pair of local sockets needs none of them.
const NETWORK: [&str; 8] = [
    "accept",
    "accept4",
    "bind",
    "connect",
    "getaddrinfo",
    "listen",
    "sendto",
    "socket",
];

/// The names of an ELF file's dynamic symbols: its only string table that is loaded, in the 64-bit little-endian form.
///
/// `None` for another file, and for one without the table, such as a static program.
fn dynamic_names(file: &[u8]) -> Option<Vec<String>> {
    const STRINGS: u64 = 3;
    const LOADED: u64 = 2;
    let number = |at: usize, bytes: usize| {
        let part = file.get(at..at + bytes)?;
        let digits = part.iter().rev();
        Some(digits.fold(0, |all, byte| all << 8 | u64::from(*byte)))
    };
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let sections = number(0x28, 8)? as usize;
    let size = number(0x3a, 2)? as usize;
    let count = number(0x3c, 2)? as usize;
    let mut headers = (0..count).map(|index| sections + index * size);
    let strings = headers.find(|at| {
        let is_loaded = number(at + 8, 8).is_some_and(|flags| flags & LOADED != 0);
        number(at + 4, 4) == Some(STRINGS) && is_loaded
    })?;
    let begin = number(strings + 0x18, 8)? as usize;
    let end = begin + number(strings + 0x20, 8)? as usize;
    let names = file.get(begin..end)?.split(|byte| *byte == 0);
    Some(
        names
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect(),
    )
}

/// Also where `strace` is missing. In a program without a network the linker drops these functions of the standard library.
#[test]
fn the_program_imports_no_network() {
    let program = fs::read(env!("CARGO_BIN_EXE_emilia")).unwrap();
    let Some(names) = dynamic_names(&program) else {
        eprintln!("skipped: the program has no dynamic symbols");
        return;
    };
    assert!(names.iter().any(|name| name == "write"), "{names:?}");
    let found = names.iter().find(|name| NETWORK.contains(&name.as_str()));
    assert_eq!(found, None);
    // This program tests sockets of the machine, and shows that the names would be found.
    drop(std::net::TcpListener::bind("127.0.0.1:0"));
    let own = fs::read(std::env::current_exe().unwrap()).unwrap();
    let own = dynamic_names(&own).unwrap();
    for name in ["bind", "listen", "socket"] {
        assert!(own.iter().any(|found| found == name), "{name}");
    }
}

#[test]
fn forbidden_calls_are_found() {
    for (line, allowed) in [
        (
            "12 openat(AT_FDCWD, \"/etc/ld.so.cache\", O_RDONLY|O_CLOEXEC) = 3",
            true,
        ),
        (
            "12 openat(AT_FDCWD, \"a.book.journal\", O_RDWR|O_CREAT, 0666) = 3",
            true,
        ),
        (
            "openat(AT_FDCWD, \"/root/.emilia\", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3",
            false,
        ),
        ("12 openat(AT_FDCWD, \"b.book\", O_RDWR) = 3", false),
        ("12 rename(\"a.book.new-1b3D5f.tmp\", \"a.book\") = 0", true),
        (
            "12 rename(\"a.book.new-1b3D5f.tmp\", \"/tmp/b\") = 0",
            false,
        ),
        ("12 unlink(\"/tmp/x\") = 0", false),
        ("12 ???( <detached ...>", true),
        ("12 ???(3, 4) = 0", false),
        ("12 socket(AF_INET, SOCK_STREAM, IPPROTO_IP) = 3", false),
        (
            "12 execve(\"/bin/sh\", [\"sh\"], 0x7ffd /* 1 var */) = 0",
            false,
        ),
    ] {
        assert_eq!(breach(line, &["a.book"]).is_none(), allowed, "{line}");
    }
}
