//! Items 73 to 80: both protocols.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::check::{CheckResult, Miss, Target, fail, ms, skip, when};
use super::item::{Item, program};
use super::probe::{Gtp, NBoard, SOON, game, opening};
use super::protocol::Protocol;
use crate::peers::process::{Process, split_words};
use crate::util::os::usage::{cpu_time_of, resident_kib};

/// The items in order.
pub(super) const ITEMS: &[Item] = &[
    program(73, "one binary for both protocols", one_binary),
    program(74, "options of Edax and Egaroucid", tool_options),
    program(75, "runs from any folder", any_folder),
    program(76, "two at once do not disturb each other", two_at_once),
    program(77, "SIGTERM and SIGINT end it", signals),
    program(78, "idle when idle", idle),
    program(79, "the same move in both protocols", |_| skip("needs both command lines")),
    program(80, "memory stays bounded", memory),
];

/// Starts the engine and brings it to its first answer.
fn awake(target: &Target) -> Result<Process, Miss> {
    match target.protocol {
        Protocol::NBoard => Ok(NBoard::start(target)?.process),
        Protocol::Gtp => {
            let mut engine = Gtp::start(target)?;
            engine.must("name")?;
            Ok(engine.process)
        }
        Protocol::Edax | Protocol::Cassio => fail("checked by items of its own"),
    }
}

/// Starts the program alone: the first line must tell it which protocol to speak.
fn one_binary(target: &Target) -> CheckResult {
    let words = split_words(&target.command);
    let Some(program) = words.first() else { return fail("empty command") };
    for (line, start) in [("ping 1", "pong 1"), ("name", "=")] {
        let mut process = Process::spawn(&format!("'{program}'"))?;
        process.send(line);
        let answered = |text: &str| text.starts_with(start).then_some(());
        if process.wait_for(Instant::now() + Duration::from_secs(3), answered).is_err() {
            return skip(&format!("`{program}` alone does not answer `{line}`"));
        }
    }
    Ok("the first line decides".to_owned())
}

/// The options that match tools pass to every engine, and one that does not exist.
fn tool_options(target: &Target) -> CheckResult {
    let with = |options: &str| target.with(format!("{} {options}", target.command));
    awake(&with("-level 4 -n-tasks 1 -q -ponder off -book-usage off -nobook"))?;
    awake(&with("-l 4 -t 1 -quiet"))?;
    // A client shows nothing of an engine that ends: it goes on, or it ends with a message.
    if awake(&with("--no-such-option")).is_ok() {
        return Ok("taken; with an unknown option it goes on".to_owned());
    }
    let mut process = with("--no-such-option").spawn()?;
    let status = process.exit_within(Duration::from_secs(3));
    let code = status.and_then(|status| status.code());
    let silent = process.tail().is_empty();
    when(code == Some(2) && !silent, format!("taken; an unknown option: exit status {code:?}"))
}

fn any_folder(target: &Target) -> CheckResult {
    let words = split_words(&target.command);
    if words.iter().skip(1).map(Path::new).any(|word| word.is_relative() && word.exists()) {
        return skip("its command line names relative files");
    }
    awake(&Target { folder: Some("/".into()), ..target.with(target.command.clone()) })?;
    Ok("starts in /".to_owned())
}

fn two_at_once(target: &Target) -> CheckResult {
    let mut engines = [awake(target)?, awake(target)?];
    for engine in &mut engines {
        engine.send(if target.protocol == Protocol::NBoard { "ping 5" } else { "name" });
        let sign = |text: &str| (text == "pong 5" || text.starts_with('=')).then_some(());
        engine.wait_for(Instant::now() + SOON, sign)?;
    }
    Ok("both answer".to_owned())
}

fn signals(target: &Target) -> CheckResult {
    let mut seen = Vec::new();
    for signal in ["TERM", "INT"] {
        let mut engine = awake(target)?;
        let sent = Command::new("kill").arg(format!("-{signal}")).arg(engine.id().to_string()).status();
        if !sent.is_ok_and(|status| status.success()) {
            return skip("no `kill` here");
        }
        let start = Instant::now();
        if engine.exit_within(Duration::from_secs(1)).is_none() {
            return fail(format!("still running a second after SIG{signal}"));
        }
        seen.push(format!("SIG{signal} {}", ms(start.elapsed())));
    }
    Ok(seen.join(", "))
}

fn idle(target: &Target) -> CheckResult {
    let engine = awake(target)?;
    std::thread::sleep(Duration::from_millis(200));
    let Some(before) = cpu_time_of(engine.id()) else { return skip("this system tells no times") };
    std::thread::sleep(Duration::from_secs(1));
    let used = cpu_time_of(engine.id()).unwrap_or(before) - before;
    when(used <= Duration::from_millis(10), format!("{} of processor time in a second", ms(used)))
}

fn memory(target: &Target) -> CheckResult {
    let mut seen = Vec::new();
    let mut measure = |process: &Process| seen.extend(resident_kib(process.id()));
    match target.protocol {
        Protocol::NBoard => {
            let mut engine = NBoard::start(target)?;
            engine.send("set depth 1");
            for i in 0..1_000 {
                engine.load(&opening());
                engine.go(SOON)?;
                if i == 99 || i == 999 {
                    measure(&engine.process);
                }
            }
        }
        Protocol::Gtp => {
            let mut engine = Gtp::start(target)?;
            for i in 0..1_000 {
                engine.set_up(&game("f5d6"))?;
                engine.must("undo")?;
                if i == 99 || i == 999 {
                    measure(&engine.process);
                }
            }
        }
        Protocol::Edax | Protocol::Cassio => {}
    }
    let [early, late] = seen[..] else { return skip("this system does not tell what a process holds") };
    let grown = late.saturating_sub(early);
    when(grown <= 8 * 1024, format!("{grown} KiB more after 1000 rounds than after 100"))
}
