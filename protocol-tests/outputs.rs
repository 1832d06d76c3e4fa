//! The rule for outputs, for every option that names one.
//!
//! The options come from the definition of the command line: an option without a row in [`OPTIONS`] fails the test.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::panic::AssertUnwindSafe;
#[cfg(unix)]
use std::path::Path;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};
#[cfg(unix)]
use std::thread;

use crate::parallel::in_parallel;
use crate::scratch::{Outcome, Scratch};

pub struct Case {
    pub command: &'static str,
    pub option: &'static str,
    /// The rest of the command line.
    pub rest: &'static str,
    pub stdin: &'static str,
    /// A file that the command line reads.
    pub input: &'static str,
}

const fn case(
    command: &'static str,
    option: &'static str,
    rest: &'static str,
    input: &'static str,
) -> Case {
    Case {
        command,
        option,
        rest,
        stdin: "quit\n",
        input,
    }
}

const MATCH: &str = "random greedy --games 2 --openings g";

/// Every option that names an output.
const OPTIONS: &[Case] = &[
    case(
        "analyze",
        "--output",
        "--json --eval classic --depth 1 --hash 1 g",
        "g",
    ),
    case(
        "analyze",
        "--output",
        "--eval classic --depth 1 --hash 1 q",
        "q",
    ),
    case("auto", "--log", "--level 0", "b"),
    case("book export", "--output", "b", "b"),
    case("book jobs", "--output", "b --positions 1", "b"),
    case("cassio", "--log", "--level 0 --book b", "b"),
    case("convert", "--output", "--to pgn g", "g"),
    case("edax", "--log", "--level 0 --book b", "b"),
    case("gtp", "--log", "--level 0 --book b", "b"),
    case("match", "--ggf", MATCH, "g"),
    case("match", "--json", MATCH, "g"),
    case("match", "--log", MATCH, "g"),
    case("match", "--markdown", MATCH, "g"),
    case("nboard", "--log", "--level 0 --book b", "b"),
    case("play", "--log", "--level 0 --start g --book b", "b"),
    Case {
        stdin: "d3\nquit\n",
        ..case("play", "--output", "--level 0 --start g --book b", "g")
    },
    case(
        "report",
        "--output",
        "--eval classic --depth 1 --hash 1 g",
        "g",
    ),
    case("show", "--svg", "g", "g"),
    case("solve", "--certificate", "p", "p"),
    case("solve", "--output", "--json p", "p"),
];

/// The files that the commands read.
pub const INPUTS: [&str; 4] = ["b", "g", "p", "q"];

/// A folder with all inputs, made once.
pub fn inputs() -> Scratch {
    static MADE: OnceLock<Scratch> = OnceLock::new();
    let made = MADE.get_or_init(make_inputs);
    let scratch = Scratch::new("output");
    for name in INPUTS {
        fs::copy(made.0.join(name), scratch.0.join(name)).unwrap();
    }
    scratch
}

fn make_inputs() -> Scratch {
    let scratch = Scratch::new("inputs");
    scratch.write("g", "f5d6c3\n");
    let position = "XXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXX- O\n";
    scratch.write("p", position);
    scratch.write("q", "{\"id\":1,\"position\":\"f5d6\"}\n");
    scratch.succeeds("book grow b --positions 2 --depth 1 --hash 1");
    scratch
}

/// A trial of one option at one place.
struct Trial {
    case: &'static Case,
    place: &'static str,
    scratch: Scratch,
    takes_stdout: bool,
}

type Check = fn(&Trial);

const PLACES: &[(&str, Check)] = &[
    ("nothing", |trial| trial.new_file("o")),
    ("a missing folder", |trial| trial.new_file("new/deep/o")),
    ("a file", Trial::existing),
    ("a folder", Trial::folder),
    ("below a file", |trial| trial.refuses("g/o", "", "")),
    ("stdout", Trial::stdout),
    ("a compressed file", Trial::packed),
    ("a name of 255 letters", Trial::long_name),
    ("its input", |trial| trial.own_input(trial.case.input)),
    ("a hard link to its input", |trial| {
        fs::hard_link(trial.path(trial.case.input), trial.path("o")).unwrap();
        trial.own_input("o");
    }),
    #[cfg(unix)]
    ("a link", Trial::link),
    #[cfg(unix)]
    ("a dangling link", Trial::dangling_link),
    #[cfg(unix)]
    ("a FIFO", Trial::fifo),
    #[cfg(unix)]
    ("a socket", |trial| {
        let listener = std::os::unix::net::UnixListener::bind(trial.path("o"));
        trial.refuses("o", "", "socket");
        drop(listener);
    }),
    #[cfg(unix)]
    ("the null device", |trial| trial.device("3")),
    #[cfg(unix)]
    ("the full device", |trial| trial.device("7")),
    #[cfg(unix)]
    ("a closed folder", Trial::unwritable),
];

impl Trial {
    fn path(&self, name: &str) -> PathBuf {
        self.scratch.0.join(name)
    }

    fn text(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_default()
    }

    fn name(&self) -> String {
        format!("{} {}, {}", self.case.command, self.case.option, self.place)
    }

    /// Runs the command; whether it succeeds, and its stderr.
    fn run(&self, output: &str, more: &str) -> (bool, String) {
        let Case {
            command,
            option,
            rest,
            stdin,
            ..
        } = self.case;
        let line = format!("{command} {rest} {option}={output} {more}");
        let Outcome(code, _, error) = self.scratch.feed(&line, stdin);
        (code == 0, error)
    }

    /// Expects success.
    fn works(&self, output: &str, more: &str) {
        let (success, error) = self.run(output, more);
        assert!(success, "{}: {error}", self.name());
    }

    /// Expects a refusal in one line that names the file and the remedy.
    fn refuses(&self, output: &str, more: &str, remedy: &str) {
        let (success, error) = self.run(output, more);
        let is_named =
            error.contains(output) && error.contains(remedy) && error.lines().count() == 1;
        assert!(!success && is_named, "{}: {error}", self.name());
    }

    /// Whether the option is that of a log, which grows at its end.
    fn grows(&self) -> bool {
        self.case.option == "--log"
    }

    /// Whether the command writes something into its log here.
    fn writes(&self) -> bool {
        (self.case.command, self.case.option) != ("match", "--log")
    }

    fn new_file(&self, name: &str) {
        self.works(name, "");
        assert!(
            !self.writes() || !self.text(name).is_empty(),
            "{}",
            self.name()
        );
    }

    /// Whether the command writes other files that have the name of the output and an ending.
    fn has_companions(&self) -> bool {
        let commands = ["analyze", "solve", "train tune"];
        self.case.option == "--output" && commands.contains(&self.case.command)
    }

    fn packed(&self) {
        let (success, error) = self.run("o.gz", "");
        if success {
            assert!(
                self.text("o.gz").starts_with(b"\x1f\x8b"),
                "{}",
                self.name()
            );
        } else {
            assert!(
                error.contains("name it without .gz"),
                "{}: {error}",
                self.name()
            );
            assert!(!self.path("o.gz").exists(), "{}", self.name());
        }
    }

    fn long_name(&self) {
        let name = "x".repeat(255);
        if self.has_companions() {
            return self.refuses(&name, "", "");
        }
        self.new_file(&name);
    }

    fn existing(&self) {
        fs::write(self.path("o"), "old\n").unwrap();
        if self.grows() {
            self.works("o", "");
            assert!(self.text("o").starts_with(b"old\n"), "{}", self.name());
            return;
        }
        self.refuses("o", "", "--force");
        assert_eq!(self.text("o"), b"old\n", "{}", self.name());
        self.works("o", "--force");
        assert!(
            !self.text("o").is_empty() && !self.text("o").starts_with(b"old"),
            "{}",
            self.name()
        );
    }

    fn folder(&self) {
        fs::create_dir(self.path("o")).unwrap();
        fs::write(self.path("o/theirs"), "theirs").unwrap();
        self.refuses("o", "", "folder");
        assert_eq!(self.text("o/theirs"), b"theirs");
        assert_eq!(fs::read_dir(self.path("o")).unwrap().count(), 1);
    }

    fn stdout(&self) {
        let (success, error) = self.run("-", "");
        assert!(success || !self.takes_stdout, "{}: {error}", self.name());
        assert!(!self.path("-").exists(), "{}", self.name());
    }

    fn own_input(&self, name: &str) {
        // A log of a session whose book is not named reads nothing.
        if self.case.command == "auto" {
            return;
        }
        let before = self.text(self.case.input);
        self.refuses(name, "", "name another file");
        if !self.grows() {
            self.refuses(name, "--force", "name another file");
        }
        assert_eq!(self.text(self.case.input), before, "{}", self.name());
    }
}

#[cfg(unix)]
impl Trial {
    fn kind(&self) -> fs::FileType {
        fs::symlink_metadata(self.path("o")).unwrap().file_type()
    }

    /// Whether the command writes its output several times.
    fn is_state(&self) -> bool {
        (self.case.command, self.case.option) == ("play", "--output")
    }

    fn link(&self) {
        fs::write(self.path("t"), "old\n").unwrap();
        fs::set_permissions(self.path("t"), fs::Permissions::from_mode(0o600)).unwrap();
        self.dangling_link();
        let mode = fs::metadata(self.path("t")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", self.name());
    }

    fn dangling_link(&self) {
        let force = if self.path("t").exists() && !self.grows() {
            "--force"
        } else {
            ""
        };
        std::os::unix::fs::symlink("t", self.path("o")).unwrap();
        self.works("o", force);
        let text = self.text("t");
        let is_written = !self.writes() || !text.is_empty() && text != b"old\n";
        assert!(self.kind().is_symlink() && is_written, "{}", self.name());
    }

    fn fifo(&self) {
        if !made("mkfifo", &["o"], &self.scratch.0) {
            return;
        }
        if self.is_state() {
            return self.refuses("o", "", "");
        }
        let path = self.path("o");
        let reader = thread::spawn(move || fs::read(path).unwrap());
        self.works("o", "");
        let text = reader.join().unwrap();
        assert!(
            self.kind().is_fifo() && (!self.writes() || !text.is_empty()),
            "{}",
            self.name()
        );
    }

    fn device(&self, minor: &str) {
        if !made("mknod", &["o", "c", "1", minor], &self.scratch.0) {
            return;
        }
        let (success, error) = self.run("o", "");
        let is_null = minor == "3" && !self.is_state();
        let is_named = !success && (error.contains(" o: ") || self.is_state());
        assert!(
            if is_null {
                success
            } else {
                is_named || !self.writes()
            },
            "{}: {error}",
            self.name()
        );
        assert!(self.kind().is_char_device(), "{}", self.name());
    }

    fn unwritable(&self) {
        fs::create_dir(self.path("closed")).unwrap();
        fs::set_permissions(self.path("closed"), fs::Permissions::from_mode(0o555)).unwrap();
        // The administrator writes into any folder but those of the system's tables.
        let is_closed = fs::write(self.path("closed/x"), "").is_err();
        let _ = fs::remove_file(self.path("closed/x"));
        match is_closed || cfg!(target_os = "linux") {
            true => self.refuses(if is_closed { "closed/o" } else { "/proc/o" }, "", ""),
            false => println!("skipped: this user writes into every folder"),
        }
    }
}

/// Makes a FIFO or a device; whether this user can.
#[cfg(unix)]
pub fn made(program: &str, args: &[&str], folder: &Path) -> bool {
    let done = std::process::Command::new(program)
        .args(args)
        .current_dir(folder)
        .output();
    let can = done.is_ok_and(|output| output.status.success());
    if !can {
        println!("skipped: {program} {} is not possible here", args.join(" "));
    }
    can
}

/// The cases, each with the use of `-`; the definition has no other outputs.
pub fn options() -> Vec<(&'static Case, bool)> {
    let defined = emilia::cli::files::outputs(&emilia::cli::command());
    let is_case =
        |case: &Case, command: &str, option: &str| case.command == command && case.option == option;
    for (command, option, _) in &defined {
        assert!(
            OPTIONS.iter().any(|case| is_case(case, command, option)),
            "no case for {command} {option}"
        );
    }
    let of = |case: &'static Case| {
        let found = defined
            .iter()
            .find(|(command, option, _)| is_case(case, command, option));
        (
            case,
            found
                .unwrap_or_else(|| panic!("no option {} {}", case.command, case.option))
                .2,
        )
    };
    OPTIONS.iter().map(of).collect()
}

#[test]
fn outputs_keep_the_rule_at_every_place() {
    let failed = Mutex::new(Vec::new());
    let try_places = |(case, takes_stdout)| {
        for &(place, check) in PLACES {
            let trial = Trial {
                case,
                place,
                scratch: inputs(),
                takes_stdout,
            };
            let checked = std::panic::catch_unwind(AssertUnwindSafe(|| check(&trial)));
            let left = fs::read_dir(&trial.scratch.0).unwrap().flatten();
            let temporary =
                left.filter(|entry| entry.file_name().to_string_lossy().contains(".new-"));
            // The message of the check is on stderr.
            if checked.is_err() || temporary.count() > 0 {
                failed.lock().unwrap().push(trial.name());
            }
        }
    };
    in_parallel(4, options(), try_places);
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{failed:#?}");
}
