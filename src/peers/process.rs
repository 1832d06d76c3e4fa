//! An engine as a child process: lines in, lines out, and a deadline for every wait.
//!
//! Three threads serve a child. One writes its input, so that an engine that does not read cannot block the program. One
//! reads its output and stamps each line with the time. One reads its error stream. Every wait sees the child's exit, even
//! if a grandchild keeps the pipe open.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::util::input_file::read_line;
use crate::util::lock;
use crate::util::os::children::{self, Family};
use crate::util::os::folders::CONFIG_VARIABLE;
use crate::util::os::threads::no_thread;
use crate::util::target::beside;

/// Lines of traffic in the report of a fault.
pub const TAIL_LINES: usize = 50;
/// Longest line, in bytes; the rest of a longer one is dropped.
const MAX_LINE: usize = 64 * 1024;
/// Most lines in answer to one request.
pub const MAX_ANSWER_LINES: usize = 10_000;
/// Lines that may wait unread; then the engine waits. Also writes that may wait for it.
const QUEUE: usize = 256;
/// Lines of its error stream that are kept.
const MOST_ERRORS: usize = 1000;
/// The interval between looks at the child's exit.
const POLL: Duration = Duration::from_millis(20);
/// The wait for output after the child's exit: a busy machine delivers the last lines late. It takes this long only if
/// another process holds the pipe.
const DRAIN: Duration = Duration::from_millis(500);
/// The time that a child may take to end.
const QUIT_PATIENCE: Duration = Duration::from_secs(5);
/// The same for a child that left a request without an answer.
const SHORT_PATIENCE: Duration = Duration::from_millis(200);

#[derive(Clone, Debug)]
pub struct OutputLine {
    /// The line with its end; bytes that are not UTF-8 are replaced.
    pub text: String,
    pub at: Instant,
}

/// Why no line came.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Silence {
    #[error("no answer in time")]
    Deadline,
    /// The child exited, or closed its output.
    #[error("{}", .0.map_or("closed its output".to_owned(), |status| status.to_string()))]
    Exited(Option<ExitStatus>),
    /// [`MAX_ANSWER_LINES`] lines came without the answer.
    #[error("{MAX_ANSWER_LINES} lines without an answer")]
    Chatter,
    /// This process is ending.
    #[error("not waited for: this process is ending")]
    Ending,
}

#[derive(Default)]
struct Traffic {
    /// The last lines: `< ` to the engine, `> ` from it, `! ` from its error stream.
    tail: VecDeque<String>,
    /// The first lines of its error stream.
    errors: Vec<String>,
}

impl Traffic {
    fn push(&mut self, direction: char, text: &str) {
        if self.tail.len() == TAIL_LINES {
            self.tail.pop_front();
        }
        let text = without_end(text);
        let shown: String = text.chars().take(400).collect();
        self.tail.push_back(format!("{direction} {shown}"));
        if direction == '!' && self.errors.len() < MOST_ERRORS {
            self.errors.push(text.to_owned());
        }
    }
}

fn without_end(line: &str) -> &str {
    line.trim_end_matches(['\r', '\n'])
}

/// A running engine. Dropping it kills it and its children.
pub struct Process {
    child: Child,
    family: Family,
    status: Option<ExitStatus>,
    /// Leads to the child's input, which closes when this is dropped.
    pub input: Option<SyncSender<Vec<u8>>>,
    output: Receiver<OutputLine>,
    /// Ends with the child's error stream.
    errors: Option<JoinHandle<()>>,
    traffic: Arc<Mutex<Traffic>>,
    /// Whether it left a question without an answer.
    is_silent: bool,
}

impl Process {
    /// Starts a command line, split by [`split_words`], in a folder. A relative path of the program is seen from the
    /// folder if it exists there, else from the folder of this process.
    ///
    /// # Errors
    /// When the line is empty, the folder does not exist, or the program does not start.
    pub fn spawn(command: &str, folder: Option<&Path>) -> io::Result<Self> {
        let words = split_words(command);
        let (program, arguments) = words
            .split_first()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "empty command"))?;
        let mut command = Command::new(place(program, folder)?);
        folder.map(|folder| command.current_dir(folder));
        without_settings(&mut command);
        Self::start(command.args(arguments))
    }

    /// Starts a command with pipes for all three streams.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let (child, family) = children::spawn_apart(command)?;
        let (input, to_write) = mpsc::sync_channel::<Vec<u8>>(QUEUE);
        let (found, output) = mpsc::sync_channel(QUEUE);
        // From here on an error ends the child too.
        let mut process = Self {
            child,
            family,
            status: None,
            input: Some(input),
            output,
            errors: None,
            traffic: Arc::default(),
            is_silent: false,
        };
        if let Some(mut stdin) = process.child.stdin.take() {
            serve(move || {
                let _ = to_write
                    .iter()
                    .try_for_each(|bytes| stdin.write_all(&bytes));
            })?;
        }
        if let Some(stdout) = process.child.stdout.take() {
            let traffic = Arc::clone(&process.traffic);
            serve(move || {
                each_line(stdout, |text| {
                    lock(&traffic).push('>', &text);
                    found
                        .send(OutputLine {
                            text,
                            at: Instant::now(),
                        })
                        .is_ok()
                });
            })?;
        }
        if let Some(stderr) = process.child.stderr.take() {
            let traffic = Arc::clone(&process.traffic);
            process.errors = Some(serve(move || {
                each_line(stderr, |text| {
                    lock(&traffic).push('!', &text);
                    true
                });
            })?);
        }
        Ok(process)
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line; waits only if the child has left very many unread. The next wait reports a dead child.
    pub fn send(&self, line: &str) {
        lock(&self.traffic).push('<', line);
        self.send_bytes(format!("{line}\n").into_bytes());
    }

    pub fn send_bytes(&self, bytes: Vec<u8>) {
        if let Some(input) = &self.input {
            let _ = input.send(bytes);
        }
    }

    /// Closes the reading end of the child's output.
    pub fn close_output(&mut self) {
        self.output = mpsc::channel().1;
    }

    /// The next line before `deadline`.
    pub fn next_line(&mut self, deadline: Instant) -> Result<OutputLine, Silence> {
        loop {
            if children::is_ending() {
                return Err(Silence::Ending);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left.min(POLL)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Silence::Exited(self.exit_within(DRAIN)));
                }
                Err(RecvTimeoutError::Timeout) if self.exit_status().is_some() => {
                    return self
                        .output
                        .recv_timeout(DRAIN)
                        .map_err(|_| Silence::Exited(self.status));
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                    return Err(Silence::Deadline);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Skips lines until `accept` returns a result; returns it with the time of the line.
    ///
    /// # Errors
    /// When no such line comes by `deadline` or among [`MAX_ANSWER_LINES`], or the child exits.
    pub fn wait_for<T>(
        &mut self,
        deadline: Instant,
        mut accept: impl FnMut(&str) -> Option<T>,
    ) -> Result<(T, Instant), Silence> {
        let mut silence = Silence::Chatter;
        for _ in 0..MAX_ANSWER_LINES {
            match self.next_line(deadline) {
                Ok(line) if line.at > deadline => silence = Silence::Deadline,
                Ok(line) => match accept(without_end(&line.text)) {
                    Some(found) => return Ok((found, line.at)),
                    None => continue,
                },
                Err(other) => silence = other,
            }
            break;
        }
        self.is_silent = true;
        Err(silence)
    }

    /// Sends `quit`, closes the input and waits for the child's end, in which it may save files. Dropping the process
    /// kills a child that still runs.
    pub fn quit(&mut self) {
        self.send("quit");
        self.input = None;
        let is_short = self.is_silent || children::is_ending();
        let deadline = Instant::now()
            + if is_short {
                SHORT_PATIENCE
            } else {
                QUIT_PATIENCE
            };
        // A full pipe would block the child.
        while self.next_line(deadline).is_ok() && Instant::now() < deadline {}
        self.exit_within(deadline.saturating_duration_since(Instant::now()));
    }

    /// The exit status, if the child has exited.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status
    }

    /// Waits for the exit, at most this long.
    pub fn exit_within(&mut self, time: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + time;
        while self.exit_status().is_none() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        self.status
    }

    /// The last [`TAIL_LINES`] lines of traffic, oldest first; after an exit with its last words.
    pub fn tail(&self) -> Vec<String> {
        self.hear_last_words();
        lock(&self.traffic).tail.iter().cloned().collect()
    }

    /// The lines of its error stream so far; after an exit all of them, at most [`MOST_ERRORS`].
    pub fn errors(&self) -> Vec<String> {
        self.hear_last_words();
        lock(&self.traffic).errors.clone()
    }

    fn hear_last_words(&self) {
        let deadline = Instant::now() + DRAIN;
        let talks = || {
            self.errors
                .as_ref()
                .is_some_and(|reader| !reader.is_finished())
        };
        while self.status.is_some() && talks() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        self.family.kill();
        if self.status.is_none() {
            let _ = self.child.kill();
            // Killed: the wait is short.
            let _ = self.child.wait();
        }
    }
}

/// The path of a program that starts in `folder`.
fn place(program: &str, folder: Option<&Path>) -> io::Result<PathBuf> {
    let plain = PathBuf::from(program);
    let Some(folder) = folder else {
        return Ok(plain);
    };
    if !folder.is_dir() {
        let what = format!("no folder {}", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, what));
    }
    if plain.is_absolute() || is_looked_up(&plain) {
        return Ok(plain);
    }
    let near = folder.join(&plain);
    std::path::absolute(if started_file(&near).is_some() {
        near
    } else {
        plain
    })
}

/// Whether the system looks the program up in `PATH`: a name without a folder.
fn is_looked_up(program: &Path) -> bool {
    program.components().count() < 2
}

/// The file of a program, at its path or in `PATH`.
pub(super) fn program_file(program: &str, folder: Option<&Path>) -> Option<PathBuf> {
    let path = place(program, folder).ok()?;
    if !is_looked_up(&path) {
        return started_file(&path);
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).find_map(|folder| started_file(&folder.join(&path)))
}

/// The file that a path starts: on Windows its ending `.exe` may be missing.
fn started_file(path: &Path) -> Option<PathBuf> {
    [path.to_owned(), beside(path, std::env::consts::EXE_SUFFIX)]
        .into_iter()
        .find(|path| path.is_file())
}

/// Whether the program of a command line exists, at its path or in `PATH`. Windows looks for a name without a path in
/// more places: there the answer is yes.
pub fn is_there(command: &str, folder: Option<&Path>) -> bool {
    let words = split_words(command);
    let Some(program) = words.first() else {
        return false;
    };
    let is_anywhere = cfg!(windows) && is_looked_up(Path::new(program));
    is_anywhere || program_file(program, folder).is_some()
}

/// Lets the program read no settings file of the user: its command line states all its options. It reads a file that
/// the variable names.
pub fn without_settings(command: &mut Command) {
    if std::env::var_os(CONFIG_VARIABLE).is_none() {
        command.env(CONFIG_VARIABLE, "");
    }
}

fn serve(body: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new()
        .name("emilia-child".into())
        .spawn(body)
        .map_err(no_thread)
}

/// Calls `take` with every line and its end, with at most [`MAX_LINE`] bytes of it, until the end of the stream or `false`.
fn each_line(stream: impl Read, mut take: impl FnMut(String) -> bool) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    while let Ok(is_cut) = read_line(&mut stream, MAX_LINE, &mut line)
        && !line.is_empty()
    {
        if is_cut {
            // A failed read fails again.
            let _ = stream.skip_until(b'\n');
            line.push(b'\n');
        }
        if !take(String::from_utf8_lossy(&line).into_owned()) {
            return;
        }
    }
}

/// Splits a command line into words, with quotes and backslashes as in a shell. On Windows a backslash is part of a path.
pub fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') if !cfg!(windows) => {
                word.get_or_insert_default().extend(chars.next())
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn words_are_split_as_in_a_shell() {
        let is_path = cfg!(windows);
        let cases: [(&str, &[&str]); 6] = [
            ("", &[]),
            ("  edax  -gtp ", &["edax", "-gtp"]),
            (r#"'/a b/c' "x 'y'" z"#, &["/a b/c", "x 'y'", "z"]),
            (
                r"z\ 'C:\a b\c'",
                if is_path {
                    &["z\\", "C:\\a b\\c"]
                } else {
                    &["z C:\\a b\\c"]
                },
            ),
            (r#"a'b'"c" ''"#, &["abc", ""]),
            ("'open", &["open"]),
        ];
        for (line, words) in cases {
            assert_eq!(split_words(line), words, "{line}");
        }
    }

    #[test]
    fn endless_lines_are_cut() {
        let mut lines = Vec::new();
        let text = [&vec![b'a'; 3 * MAX_LINE][..], b"\r\nb\r\n\xff\nend"].concat();
        each_line(&text[..], |line| {
            lines.push(line);
            true
        });
        assert_eq!(lines[0].len(), MAX_LINE + 1);
        assert_eq!(lines[1..], ["b\r\n", "\u{fffd}\n", "end"]);
    }

    #[test]
    fn a_missing_program_is_an_error() {
        for command in ["/no/such/engine --x", "  "] {
            assert!(Process::spawn(command, None).is_err());
            assert!(cfg!(windows) || !is_there(command, None), "{command}");
        }
        let own = std::env::current_exe().unwrap();
        assert!(is_there(&format!("'{}' --x", own.display()), None));
        assert!(
            is_there(&own.file_name().unwrap().to_string_lossy(), own.parent()) == cfg!(windows)
        );
        assert!(is_there(
            &format!("./{}", own.file_name().unwrap().to_string_lossy()),
            own.parent()
        ));
        assert!(
            cfg!(windows) || is_there("sh -c true", None) && !is_there("no-such-program", None)
        );
        assert!(!is_there("sh", Some(Path::new("/no/such/folder"))));
    }

    #[cfg(unix)]
    mod shell {
        use super::*;
        use crate::util::patience::{Wait, at_most, origin};

        fn soon() -> Instant {
            Wait::default().end()
        }

        fn sh(script: &str) -> Process {
            Process::spawn(&format!("sh -c '{script}'"), None).unwrap()
        }

        #[test]
        fn lines_go_in_and_come_out() {
            let mut process = sh("while read a; do echo \"got $a\"; done");
            for i in 0..100 {
                process.send(&format!("line {i}"));
                let wanted = format!("got line {i}");
                let (_, at) = process
                    .wait_for(soon(), |text| (text == wanted).then_some(()))
                    .unwrap();
                assert!(at <= origin());
            }
            assert_eq!(process.tail().len(), TAIL_LINES);
            assert_eq!(process.tail().last().unwrap(), "> got line 99");
            process.input = None;
            assert!(process.exit_within(at_most(1_000)).unwrap().success());
        }

        #[test]
        fn exit_is_seen_while_a_grandchild_holds_the_pipe() {
            let wait = Wait::of(800);
            let mut process = sh("echo last; sleep 300 & exit 3");
            assert_eq!(process.next_line(soon()).unwrap().text, "last\n");
            match process.next_line(soon()) {
                Err(Silence::Exited(Some(status))) => assert_eq!(status.code(), Some(3)),
                other => panic!("{other:?}"),
            }
            drop(process);
            assert!(!wait.is_over());
        }

        #[test]
        fn grandchildren_end_with_the_child() {
            let folder = tempfile::tempdir().unwrap();
            let pipe = folder.path().join("pipe");
            for end in ["exit", "sleep 300"] {
                let script = format!(
                    "rm -f {0}; mkfifo {0}; echo made; sleep 300 > {0} & {end}",
                    pipe.display()
                );
                let mut process = sh(&script);
                assert_eq!(process.next_line(soon()).unwrap().text, "made\n");
                // Opens once the other end is open too.
                let mut held = std::fs::File::open(&pipe).unwrap();
                let wait = Wait::of(2_000);
                drop(process);
                assert_eq!(held.read(&mut [0]).unwrap(), 0);
                assert!(!wait.is_over(), "{end}");
            }
        }

        #[test]
        fn a_child_may_finish_after_quit() {
            let folder = tempfile::tempdir().unwrap();
            let saved = folder.path().join("saved");
            let command = format!(
                "sh -c 'while read c; do [ $c = quit ] && {{ seq 2000; sleep 0.1; touch {0}; exit; }}; done; rm {0}'",
                saved.display()
            );
            let mut process = Process::spawn(&command, None).unwrap();
            process.quit();
            assert!(process.exit_status().is_some_and(|status| status.success()));
            assert!(saved.exists());
            // The wait for a silent child is short.
            let mut process = sh("sleep 300");
            process.wait_for(origin(), |_| None::<()>).unwrap_err();
            let wait = Wait::of(QUIT_PATIENCE.as_millis() as u64);
            process.quit();
            assert!(process.exit_status().is_none() && !wait.is_over());
        }

        #[test]
        fn silence_and_chatter_end() {
            let mut process = sh("sleep 300");
            let deadline = origin() + Duration::from_millis(60);
            assert_eq!(process.next_line(deadline).unwrap_err(), Silence::Deadline);
            let mut process = sh("while :; do echo bla; done");
            let chatter = process.wait_for(soon(), |text| (text == "pong").then_some(()));
            assert_eq!(chatter.unwrap_err(), Silence::Chatter);
            // A flood cannot outlast a deadline either.
            let deadline = origin();
            assert_eq!(
                process.wait_for(deadline, |_| None::<()>).unwrap_err(),
                Silence::Deadline
            );
        }

        #[test]
        fn unread_input_does_not_block() {
            let process = sh("sleep 300");
            process.send_bytes(vec![b'x'; 4 << 20]);
            assert!(process.tail().is_empty());
        }
    }
}
