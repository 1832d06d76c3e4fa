//! A folder for each test, and the program run in it.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The folder of a test, removed at the end.
pub struct Scratch(
    pub PathBuf,
    #[allow(dead_code, reason = "removes the folder")] TempDir,
);

/// The exit code, stdout and stderr of a command.
pub struct Outcome(pub i32, pub String, pub String);

impl Scratch {
    /// `name` helps to find the folder.
    pub fn new(name: &str) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("emilia-test-")
            .suffix(&format!("-{name}"))
            .tempdir()
            .unwrap();
        Self(folder.path().to_owned(), folder)
    }

    /// A folder with `openings.txt`.
    pub fn with_openings(name: &str) -> Self {
        let scratch = Self::new(name);
        scratch.write("openings.txt", "f5d6c3d3c4\nf5f6e6f4\nf5d6c4d3c3\n");
        scratch
    }

    /// The program with these arguments, in the folder and with nothing to read.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(crate::PROGRAM);
        command
            .args(line.split_whitespace())
            .current_dir(&self.0)
            .env("EMILIA_BOOK", "off")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, line: &str) -> Outcome {
        Outcome::of(&mut self.command(line))
    }

    /// Runs it to its end with this input.
    pub fn feed(&self, line: &str, input: &str) -> Outcome {
        Outcome::fed(&mut self.command(line), input)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// Makes a named pipe.
    #[cfg(unix)]
    pub fn pipe(&self, name: &str) -> PathBuf {
        let path = self.0.join(name);
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        path
    }

    /// Runs a command that must fail with this code and message.
    pub fn fails(&self, line: &str, code: i32, shown: &str) {
        let Outcome(found, out, error) = self.run(line);
        assert!(
            found == code && error.contains(shown),
            "{line}: {found}\n{out}{error}"
        );
    }

    /// Runs a command that must succeed; returns its stdout.
    pub fn succeeds(&self, line: &str) -> String {
        let Outcome(code, out, error) = self.run(line);
        assert_eq!(code, 0, "{line}: {out}{error}");
        out
    }

    /// Runs a match of these players from `openings.txt`, with options divided by blanks.
    pub fn plays(&self, players: &[&str], options: &str) -> Outcome {
        let mut command = self.command("match --openings openings.txt");
        Outcome::of(command.args(options.split_whitespace()).args(players))
    }

    pub fn match_summary(&self, players: &[&str], options: &str) -> Value {
        let Outcome(code, out, error) = self.plays(players, &format!("{options} --json"));
        assert_eq!(code, 0, "{out}{error}");
        serde_json::from_str(&out).unwrap()
    }
}

/// The values of lines of JSON, without their times.
pub fn values(lines: &str) -> Vec<Value> {
    let value = |line: &str| {
        let mut value: Value = serde_json::from_str(line).expect("a line is an object");
        value.as_object_mut().map(|object| object.remove("seconds"));
        value
    };
    lines.lines().map(value).collect()
}

impl Outcome {
    /// Runs the command to its end.
    pub fn of(command: &mut Command) -> Self {
        Self::from(command.output().unwrap())
    }

    /// Runs the command to its end with this input.
    pub fn fed(command: &mut Command, input: &str) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program need not read all of its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Self::from(child.wait_with_output().unwrap())
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self(
            output.status.code().unwrap_or(-1),
            text(&output.stdout),
            text(&output.stderr),
        )
    }
}
