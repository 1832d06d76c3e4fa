//! Faults of the system: signals during work, full and read-only disks, too little memory, too few processors, clocks that
//! jump. The program ends with one clear line, or continues correctly.
//!
//! Kills are in `kills.rs`, books on a full disk in `books.rs`, pipes in `pipes.rs`, engines that misbehave in `matches.rs`.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use emilia::internal::transcripts::{Script, Step};

use crate::child::Session;
use crate::oracle::position;
use crate::parallel::in_parallel;
use crate::patience::{Wait, at_most, pause, until};
use crate::scratch::{Outcome, Scratch, values};
use crate::signals;

const EMILIA: &str = env!("CARGO_BIN_EXE_emilia");
/// The slack of any time, in milliseconds before patience.
const SLACK: u64 = 100;

fn start(args: &str, env: &[(&str, &Path)]) -> Session {
    let env = env
        .iter()
        .map(|(name, value)| (name.to_string(), value.display().to_string()))
        .collect();
    let script = Script {
        env,
        ..Script::of(args)
    };
    Session::start(&script).unwrap()
}

/// Sends the lines and waits for an answer; returns the time.
fn ask(session: &mut Session, lines: &str, answer: &str) -> Duration {
    let begin = Wait::default();
    session.ask(lines, answer).unwrap();
    begin.taken()
}

fn signal(session: &mut Session, name: &str) {
    session.step(&Step::Signal(name.to_owned())).unwrap();
}

/// A shell in which `$0` is the program.
fn shell(folder: &Path, script: &str) -> Outcome {
    let mut command = Command::new("sh");
    command
        .args(["-c", script, EMILIA])
        .current_dir(folder)
        .stdin(Stdio::null());
    Outcome::of(command.env("EMILIA_BOOK", "off").env_remove("RUST_LOG"))
}

#[test]
fn a_continued_process_is_in_time() {
    let mut gtp = start("gtp --hash 1 --move-time 0.6", &[]);
    ask(&mut gtp, "name\n", "= Emilia");
    gtp.send(b"7 genmove b\n");
    pause(Duration::from_millis(150));
    signal(&mut gtp, "STOP");
    pause(Duration::from_millis(800));
    signal(&mut gtp, "CONT");
    let late = ask(&mut gtp, "", "=7 {square}");
    assert!(
        late < at_most(SLACK),
        "{late:?} for a move that was overdue"
    );
    let mut nboard = start("nboard --hash 1", &[]);
    ask(&mut nboard, "set depth 60\nhint 4\n", "search {any}");
    signal(&mut nboard, "STOP");
    nboard.send(b"ping 5\n");
    pause(Duration::from_millis(200));
    signal(&mut nboard, "CONT");
    let late = ask(&mut nboard, "", "pong 5");
    assert!(late < at_most(SLACK), "{late:?} for a pong");
}

/// Whether the process has a handler for a signal.
fn handles(id: u32, number: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught
        .is_some_and(|bits| u64::from_str_radix(bits.trim(), 16).unwrap() >> (number - 1) & 1 == 1)
}

/// Begins a command, sends it a signal when it has a handler, and waits for its end by code 130.
fn end_by(name: &str, number: u32, line: &str, scratch: &Scratch) {
    let child = scratch
        .command(line)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until(&format!("{line} does not handle SIG{name}"), || {
        handles(child.id(), number)
    });
    pause(Duration::from_millis(250));
    signals::end_by(child, name, line);
}

#[test]
fn long_work_ends_at_once_on_a_signal() {
    let scratch = Scratch::new("signals");
    scratch.write("games", "f5d6c3d3c4f4f6f3e6e7d7g6g5c5c6c7\n");
    scratch.succeeds("book import a.book games");
    let lines = [
        "match greedy random --games 100000000",
        "match emilia:level=30 random --games 2",
        "book grow a.book --positions 1000 --depth 40 --hash 1",
        "solve f5 --hash 1",
        "analyze games --depth 60 --hash 1",
        "report games --depth 60 --hash 1 -o page.html",
        "bench --depth 60 --limit 1",
        "bench perft 15",
    ];
    in_parallel(lines.len(), lines, |line| {
        end_by("TERM", 15, line, &scratch);
        end_by("INT", 2, line, &scratch);
    });
    let left: Vec<_> = fs::read_dir(&scratch.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().contains("tmp")),
        "{left:?}"
    );
}

#[test]
fn an_interrupted_solve_has_an_estimate() {
    let scratch = Scratch::new("estimate");
    let mut command = scratch.command("solve f5 --json --hash 1");
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // After the line before the search a signal ends only the search.
    let mut error = BufReader::new(child.stderr.take().unwrap());
    let mut first = String::new();
    error.read_line(&mut first).unwrap();
    assert!(first.contains("59 empties, about"), "{first}");
    assert!(signals::send(child.id(), "INT"));
    let Outcome(code, shown, _) = child.wait_with_output().unwrap().into();
    assert_eq!(code, 130, "{shown}");
    assert!(
        shown.contains(r#""exact":false"#) && shown.contains(r#""estimate":{"nodes":"#),
        "{shown}"
    );
}

/// Compiles a library that replaces functions of the system; its source calls the system by `syscall` and `dlsym`.
fn library(folder: &Path, source: &str) -> PathBuf {
    const HEAD: &str = r#"
        use std::sync::atomic::{AtomicI64, Ordering};
        static CALLS: AtomicI64 = AtomicI64::new(0);
        fn call() -> i64 { CALLS.fetch_add(1, Ordering::Relaxed) }
    "#;
    let library = folder.join("before.so");
    fs::write(folder.join("before.rs"), HEAD.to_owned() + source).unwrap();
    let mut rustc = Command::new(Path::new(env!("CARGO")).with_file_name("rustc"));
    rustc
        .args([
            "--edition=2024",
            "--crate-type=cdylib",
            "-Cpanic=abort",
            "-o",
        ])
        .arg(&library);
    let Outcome(code, _, error) = Outcome::of(rustc.arg("before.rs").current_dir(folder));
    assert_eq!(code, 0, "{error}");
    library
}

/// Each call of the time of day jumps by ten years.
const JUMPING_CLOCK: &str = r#"
    unsafe extern "C" { fn syscall(number: i64, ...) -> i64; }
    const NUMBER: i64 = if cfg!(target_arch = "x86_64") { 228 } else { 113 };
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32 {
        // SAFETY: the call and its arguments are those that this function was given.
        let result = unsafe { syscall(NUMBER, clock, time) };
        if clock == 0 {
            let direction = call() % 2 * 2 - 1;
            // SAFETY: the caller's own, which the system has just written.
            unsafe { (*time)[0] += 315_360_000 * direction };
        }
        result as i32
    }
"#;

/// The system starts only nine threads.
const FEW_THREADS: &str = r#"
    use std::ffi::{c_char, c_void};
    unsafe extern "C" { fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void; }
    type Create = unsafe extern "C" fn(*mut c_void, *const c_void, *const c_void, *mut c_void) -> i32;
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn pthread_create(id: *mut c_void, how: *const c_void, what: *const c_void, of: *mut c_void) -> i32 {
        const RTLD_NEXT: *mut c_void = usize::MAX as *mut c_void;
        const EAGAIN: i32 = 11;
        if call() >= 9 { return EAGAIN; }
        // SAFETY: the next function of that name is the system's, which has this type.
        let next: Create = unsafe { std::mem::transmute(dlsym(RTLD_NEXT, c"pthread_create".as_ptr())) };
        // SAFETY: the arguments are the caller's.
        unsafe { next(id, how, what, of) }
    }
"#;

/// Three moves of 0.3 s.
fn plays_in_time(threads: u32, env: &[(&str, &Path)]) {
    let mut session = start(
        &format!("gtp --hash 1 --threads {threads} --move-time 0.3"),
        env,
    );
    ask(&mut session, "name\n", "= Emilia");
    for side in ["b", "w", "b"] {
        let taken = ask(&mut session, &format!("genmove {side}\n"), "= {square}");
        assert!(
            taken > Duration::from_millis(100),
            "{taken:?} is no search of 0.3 s"
        );
        assert!(
            taken < Duration::from_millis(300) + at_most(SLACK),
            "{taken:?} for a move of 0.3 s"
        );
    }
}

#[test]
fn the_time_of_day_may_jump() {
    let scratch = Scratch::new("clock");
    let library = library(&scratch.0, JUMPING_CLOCK);
    // The date of a game shows that the clock jumps.
    let mut command = scratch.command("match greedy greedy2=greedy --games 2 --ggf games");
    assert!(
        command
            .env("LD_PRELOAD", &library)
            .stdout(Stdio::null())
            .status()
            .unwrap()
            .success()
    );
    let games = scratch.read("games");
    let years: Vec<i32> = games
        .split("DT[")
        .skip(1)
        .map(|rest| rest[..4].parse().unwrap())
        .collect();
    assert!((years[0] - years[1]).abs() >= 19, "{years:?}");
    plays_in_time(2, &[("LD_PRELOAD", &library)]);
}

#[test]
fn more_threads_than_processors_change_no_score_and_miss_no_clock() {
    let scratch = Scratch::new("threads");
    let places: String = (0..6)
        .map(|seed| position(seed, 14).text() + "\n")
        .collect();
    scratch.write("places", places);
    let scores = |threads: u32| -> Vec<_> {
        let shown = scratch.succeeds(&format!("solve places --json --hash 1 --threads {threads}"));
        values(&shown)
            .iter()
            .map(|answer| answer["score"].to_string())
            .collect()
    };
    assert_eq!(scores(64), scores(1));
    plays_in_time(64, &[]);
}

#[test]
fn missing_threads_change_no_answer() {
    let scratch = Scratch::new("few-threads");
    let library = library(&scratch.0, FEW_THREADS);
    let run = |line: &str, input: &str| {
        let input = scratch.write("input", input);
        let mut command = scratch.command(line);
        command
            .env("LD_PRELOAD", &library)
            .stdin(fs::File::open(input).unwrap());
        let Outcome(code, out, error) = Outcome::of(&mut command);
        assert_eq!(code, 0, "{line}: {error}");
        out
    };
    let places: String = (0..3)
        .map(|seed| position(seed, 12).text() + "\n")
        .collect();
    let shown = run("solve --json --hash 1 --threads 64 -", &places);
    assert_eq!(
        shown
            .matches("\"empties\":12,\"depth\":12,\"selectivity\":100,\"exact\":true")
            .count(),
        3,
        "{shown}"
    );
    let requests = "{\"id\":1,\"position\":\"f5\",\"depth\":4,\"partial_every\":0.01}\n".repeat(40);
    let shown = run("analyze --hash 1 --jobs 64", &requests);
    assert_eq!(
        shown.matches("{\"id\":1,\"position\"").count(),
        40,
        "{shown}"
    );
    let shown = run(
        "gtp --hash 1 --threads 64 --level 8",
        "genmove b\ngenmove w\ngenmove b\n",
    );
    assert_eq!(shown.matches("= ").count(), 3, "{shown}");
}

#[test]
fn a_table_that_does_not_fit_is_refused() {
    let scratch = Scratch::new("hash");
    for (line, code) in [
        ("gtp --hash 8192", 2),
        ("nboard --hash 8192", 2),
        // An option of another program is only a warning.
        ("-gtp -hash-table-size 29", 0),
        ("solve f5 --hash 8192", 2),
        ("analyze --hash 1024 --jobs 8", 1),
        ("match emilia:hash=8192 random --games 2", 1),
        (
            "match emilia:hash=1024 b=emilia:hash=1024 --jobs 4 --games 8",
            1,
        ),
    ] {
        let Outcome(found, _, error) = shell(
            &scratch.0,
            &format!("ulimit -v 2000000; exec \"$0\" {line}"),
        );
        assert_eq!(found, code, "{line}: {error}");
        assert!(
            error.contains("tables of 8192 MiB do not fit into the 1") || line.contains("29"),
            "{line}: {error}"
        );
        assert!(
            error.contains("MiB that are available") && !error.contains("panicked"),
            "{line}: {error}"
        );
    }
    let Outcome(code, out, error) = shell(
        &scratch.0,
        "ulimit -v 2000000; echo genmove b | exec \"$0\" gtp --hash 512 --level 4",
    );
    assert!(code == 0 && out.starts_with("= "), "{error}");
}

/// Runs a script on a disk of this size, where `$0` is the program and `..` the folder of the test; `None` if mounts are
/// impossible.
fn on_small_disk(scratch: &Scratch, kib: u32, script: &str) -> Option<Outcome> {
    let disk = scratch.0.join("disk");
    fs::create_dir_all(&disk).unwrap();
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c"]);
    // A failure of `unshare` has code 1, one of the script has another.
    command
        .arg(format!(
            "mount -t tmpfs -o size={kib}k tmpfs disk && cd disk || exit 99\n({script}) || exit 98"
        ))
        .arg(EMILIA);
    command
        .current_dir(&scratch.0)
        .env("EMILIA_BOOK", "off")
        .stdin(Stdio::null());
    let outcome = command.output().ok().map(Outcome::from);
    let outcome = outcome.filter(|Outcome(code, out, _)| !matches!(code, 99 | 1 if out.is_empty()));
    if outcome.is_none() {
        eprintln!("skipped: no small disk can be mounted here");
    }
    outcome
}

#[derive(Clone, Copy, PartialEq)]
enum How {
    /// Piece by piece; complete pieces stay.
    Grows,
    /// At the end; the old file stays until then.
    Replaces,
    /// At the end, as a new file.
    Makes,
}

/// Outputs of commands in their working folder.
const WRITING: [(&str, How, &str); 5] = [
    (
        "g.ggf",
        How::Grows,
        "match greedy random --games 400 --ggf g.ggf",
    ),
    (
        "out.txt",
        How::Replaces,
        "convert ../games --to ggf --force --output out.txt",
    ),
    (
        "page.html",
        How::Replaces,
        "report ../one --depth 1 --hash 1 --eval classic --force -o page.html",
    ),
    (
        "site",
        How::Makes,
        "report ../two --depth 1 --hash 1 --eval classic -o site",
    ),
    ("a.book", How::Makes, "book import a.book ../games"),
];

/// Files for [`WRITING`] to read.
fn prepare(scratch: &Scratch) {
    let game = "f5d6c3d3c4f4f6f3e6e7d7g6g5c5c6c7\n";
    for (name, count) in [("one", 1), ("two", 2), ("games", 2000)] {
        scratch.write(name, game.repeat(count));
    }
}

#[test]
fn a_full_disk_is_one_line_and_no_partial_file() {
    let scratch = Scratch::new("disk");
    prepare(&scratch);
    for (name, how, line) in WRITING {
        let before = if how == How::Replaces {
            format!("echo kept >{name};")
        } else {
            String::new()
        };
        let fill = if how == How::Grows {
            ""
        } else {
            "cat /dev/zero >fill 2>/dev/null;"
        };
        let script = format!(
            "{before} {fill} \"$0\" {line} 2>&1 >/dev/null; echo \"code $?\"; rm -f fill; ls -A; test -f {name} && head -c 4 {name}"
        );
        let Some(Outcome(_, shown, _)) = on_small_disk(&scratch, 64, &script) else {
            return;
        };
        let lines: Vec<&str> = shown.lines().collect();
        assert!(
            lines[0].contains("No space left on device") && lines[0].contains(name),
            "{line}: {shown}"
        );
        assert_eq!(lines[1], "code 1", "{line}: {shown}");
        match how {
            How::Grows => assert_eq!(lines[2], name, "{line}: {shown}"),
            How::Replaces => assert_eq!(lines[2..], [name, "kept"], "{line}: {shown}"),
            How::Makes => assert!(!lines[2..].contains(&"a.book"), "{line}: {shown}"),
        }
    }
}

#[test]
fn a_full_disk_keeps_no_names_without_their_games() {
    let scratch = Scratch::new("names");
    let game = "[Black \"ann\"]\n[White \"bob\"]\n\n1. f5 d6 *\n\n";
    scratch.write("games", game.repeat(2000));
    let script = "\"$0\" convert ../games --to wthor -o x.wtb 2>&1 >/dev/null; echo code $?; ls -A";
    let Some(Outcome(_, shown, _)) = on_small_disk(&scratch, 64, script) else {
        return;
    };
    assert!(shown.contains("No space left on device"), "{shown}");
    assert!(shown.ends_with("code 1\n"), "{shown}");
}

#[test]
fn work_on_a_full_disk_continues_after_more_space() {
    let scratch = Scratch::new("room");
    let line = "match greedy random --games 400 --ggf g.ggf --json";
    let script = format!(
        "\"$0\" {line} >/dev/null 2>&1; mount -o remount,size=4m . ; \"$0\" {line} --resume; wc -l <g.ggf"
    );
    let Some(Outcome(_, shown, error)) = on_small_disk(&scratch, 64, &script) else {
        return;
    };
    assert!(
        shown.contains("\"games\": 400") && shown.ends_with("400\n"),
        "{shown} {error}"
    );
}

#[test]
fn a_session_outlives_the_disk_of_its_log() {
    let scratch = Scratch::new("log");
    let script = "yes name | head -n 3000 | \"$0\" gtp --log log | grep -c '= Emilia'";
    let Some(Outcome(_, shown, error)) = on_small_disk(&scratch, 64, script) else {
        return;
    };
    assert_eq!((shown.as_str(), error.as_str()), ("3000\n", ""));
}

#[test]
fn a_read_only_folder_is_one_line() {
    let scratch = Scratch::new("read-only");
    prepare(&scratch);
    let logs = [
        ("log", How::Makes, "gtp --log log"),
        ("log", How::Makes, "match greedy random --games 2 --log log"),
    ];
    for (name, _, line) in WRITING.into_iter().chain(logs) {
        let script =
            format!("mount -o remount,ro . ; \"$0\" {line} 2>&1 >/dev/null; echo \"code $?\"");
        let Some(Outcome(_, shown, _)) = on_small_disk(&scratch, 64, &script) else {
            return;
        };
        let lines: Vec<&str> = shown.lines().collect();
        assert!(
            lines[0].contains("Read-only file system") && lines[0].contains(name),
            "{line}: {shown}"
        );
        assert_eq!(lines[1..], ["code 1"], "{line}: {shown}");
    }
    // Books and weights are read from such a folder.
    let script = "\"$0\" book import a.book ../two >/dev/null; mount -o remount,ro . ; \
                  printf 'genmove b\\n' | \"$0\" gtp --book a.book --level 1; \"$0\" book stats a.book";
    let Some(Outcome(code, shown, error)) = on_small_disk(&scratch, 256, script) else {
        return;
    };
    assert!(shown.starts_with("= ") && code == 0, "{error}");
}
