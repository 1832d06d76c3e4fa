//! Long work under `kill -9` at any moment: what was finished stays, what was begun goes on, nothing is damaged.
//!
//! A few kills each; `EMILIA_SAMPLES=100 cargo test --test protocol kills::` makes hundreds of every kind.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// So many kills, or so many times more as `EMILIA_SAMPLES` says.
pub fn rounds(usual: u64) -> u64 {
    let factor = std::env::var("EMILIA_SAMPLES").ok().and_then(|text| text.parse().ok());
    usual * factor.unwrap_or(1).max(1)
}

/// A folder of its own for a test, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("emilia-kills-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
        command.args(line.split(' ')).current_dir(&self.0).env("EMILIA_BOOK", "off");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs what must succeed; its stdout.
    fn succeeds(&self, line: &str) -> String {
        let Output { status, stdout, stderr } = self.command(line).output().unwrap();
        assert!(status.success(), "{line}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).unwrap()
    }

    /// Begins it and kills it before `latest`, at another moment each round.
    fn kill(&self, line: &str, round: u64, latest: Duration) {
        const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;
        let mut child = self.command(line).spawn().unwrap();
        std::thread::sleep(latest.mul_f64((round as f64 * GOLDEN_RATIO).fract()));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A job may end with a block more than was asked for; what both files hold must be the same.
#[test]
fn a_job_of_labels_ends_as_if_it_had_never_been_killed() {
    let scratch = Scratch::new("selfplay");
    let rounds = rounds(8);
    let positions = 1_000 + 300 * rounds;
    let job = |name: &str| {
        format!("selfplay --eval classic --empties 7-9 --exact 9 --positions {positions} --out {name}")
    };
    scratch.succeeds(&job("whole.rec"));
    for round in 0..rounds {
        scratch.kill(&job("killed.rec"), round, Duration::from_millis(60));
    }
    scratch.succeeds(&job("killed.rec"));
    let (killed, whole) = (scratch.read("killed.rec"), scratch.read("whole.rec"));
    let both = killed.len().min(whole.len());
    assert!(killed[..both] == whole[..both]);
    // Twenty bytes a record.
    assert!(both as u64 >= 20 * positions, "{both} bytes");
}

#[test]
fn weights_are_whole_whenever_their_making_is_killed() {
    let scratch = Scratch::new("train");
    scratch.succeeds("selfplay --eval classic --empties 6-8 --exact 8 --positions 300 --out a.rec");
    let train = |epochs: u32| format!("train a.rec --kind linear --epochs {epochs} --out w.bin");
    scratch.succeeds(&train(1));
    for round in 0..rounds(8) {
        scratch.kill(&train(1_000), round, Duration::from_millis(600));
        let told = scratch.succeeds("eval-test --weights w.bin --eval linear a.rec");
        assert!(told.contains("linear, static"), "round {round}: {told}");
    }
}

#[test]
fn a_match_ends_as_if_it_had_never_been_killed() {
    const KILLS: u64 = 8;
    let scratch = Scratch::new("match");
    let line = "match greedy weak=pentai:depth=3,vision=60 --games 42 --concurrency 2 --json";
    let whole = scratch.succeeds(line);
    for begun in (0..rounds(KILLS)).step_by(KILLS as usize) {
        let resumed = format!("{line} --ggf {begun}.ggf --resume");
        for round in begun..begun + KILLS {
            scratch.kill(&resumed, round, Duration::from_millis(60));
        }
        assert_eq!(scratch.succeeds(&resumed), whole);
        let games = scratch.read(&format!("{begun}.ggf")).iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(games, 42);
    }
}
