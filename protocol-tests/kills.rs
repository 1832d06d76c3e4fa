//! Long work under `kill -9` at any moment: finished parts stay, and the work continues without damage.
//!
//! A few kills each; `EMILIA_SAMPLES=100 cargo test --test protocol kills::` makes hundreds of every kind.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use crate::patience::pause;
use crate::samples::rounds;
use crate::scratch::Scratch;

/// Begins a command and kills it before `latest`, at another moment each round.
fn kill(scratch: &Scratch, line: &str, round: u64, latest: Duration) {
    const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;
    let mut child = scratch
        .command(line)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    pause(latest.mul_f64((round as f64 * GOLDEN_RATIO).fract()));
    child.kill().unwrap();
    child.wait().unwrap();
}

fn read(scratch: &Scratch, name: &str) -> Vec<u8> {
    fs::read(scratch.0.join(name)).unwrap()
}

#[test]
fn a_match_ends_as_if_it_had_never_been_killed() {
    const KILLS: u64 = 8;
    let scratch = Scratch::new("match");
    let line = "match greedy weak=pentai:depth=3,vision=60 --games 42 --jobs 2 --json";
    let whole = scratch.succeeds(line);
    for begun in (0..rounds(KILLS)).step_by(KILLS as usize) {
        let resumed = format!("{line} --ggf {begun}.ggf --resume");
        for round in begun..begun + KILLS {
            kill(&scratch, &resumed, round, Duration::from_millis(60));
        }
        assert_eq!(scratch.succeeds(&resumed), whole);
        let games = read(&scratch, &format!("{begun}.ggf"))
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        assert_eq!(games, 42);
    }
}
