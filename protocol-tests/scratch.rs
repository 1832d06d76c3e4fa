//! A folder for each test, and the program run in it.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A folder of its own for a test, removed at the end.
pub struct Scratch(pub PathBuf, #[allow(dead_code, reason = "removes the folder")] TempDir);

/// What a command did: its exit code, stdout and stderr.
pub struct Outcome(pub i32, pub String, pub String);

impl Scratch {
    /// The `name` is for people who look for it.
    pub fn new(name: &str) -> Self {
        let folder =
            tempfile::Builder::new().prefix("emilia-test-").suffix(&format!("-{name}")).tempdir().unwrap();
        Self(folder.path().to_owned(), folder)
    }

    /// The program with these arguments, in the folder and with nothing to read.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
        command
            .args(line.split_whitespace())
            .current_dir(&self.0)
            .env("EMILIA_BOOK", "off")
            .stdin(Stdio::null());
        command
    }

    /// Runs it to its end.
    pub fn run(&self, line: &str) -> Outcome {
        let output = self.command(line).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Outcome(output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
    }

    /// Runs what must fail with this code and say this.
    pub fn fails(&self, line: &str, code: i32, told: &str) {
        let Outcome(found, out, error) = self.run(line);
        assert!(found == code && error.contains(told), "{line}: {found}\n{out}{error}");
    }

    /// Runs what must succeed; its stdout.
    pub fn succeeds(&self, line: &str) -> String {
        let Outcome(code, out, error) = self.run(line);
        assert_eq!(code, 0, "{line}: {out}{error}");
        out
    }
}
