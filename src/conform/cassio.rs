//! Items 90 to 94: the engine protocol of Cassio.

use std::time::{Duration, Instant};

use super::check::{CheckResult, Miss, Target, fail, ms, when};
use super::item::{Item, program};
use super::probe::{LATER, SOON};
use crate::peers::process::Process;

/// The items in order.
pub(super) const ITEMS: &[Item] = &[
    program(90, "init and get-version end with ready.", hello),
    program(91, "midgame-search has the fields of a result", midgame),
    program(92, "endgame-search finds a score that is known", endgame),
    program(93, "signs of life, and stop within 100 ms", stop),
    program(94, "errors, and bye bye.", errors),
];

const START: &str = "---------------------------OX------XO---------------------------X";
const PROBLEM: &str = "--OXXO--XOXXXX--XOOOXXXXXOOXXXXXXOOOOXXX-XXXXXXX--XXOOO----XXOO-X";

/// Says a line; all lines up to `ready.`.
fn ask(process: &mut Process, line: &str, within: Duration) -> Result<Vec<String>, Miss> {
    process.send(&format!("ENGINE-PROTOCOL {line}"));
    let deadline = Instant::now() + within;
    let mut lines = Vec::new();
    loop {
        let text = process.next_line(deadline)?.text;
        if text == "ready." {
            return Ok(lines);
        }
        lines.push(text);
    }
}

fn awake(target: &Target) -> Result<Process, Miss> {
    let mut process = target.spawn()?;
    ask(&mut process, "init", SOON)?;
    Ok(process)
}

fn hello(target: &Target) -> CheckResult {
    let mut process = awake(target)?;
    let version = ask(&mut process, "get-version", SOON)?;
    when(version.len() == 1 && version[0].starts_with("version: "), version.join(" "))
}

/// The fields of a result: position, move, depth, precision, bounds, line, nodes, time.
fn fields(lines: &[String]) -> Result<Vec<&str>, Miss> {
    let Some(line) = lines.last() else { return fail("no result") };
    let fields: Vec<&str> = line.split(", ").collect();
    let begins = [(1, "move "), (2, "depth "), (3, "@"), (6, "node "), (7, "time ")];
    let is_result = fields.len() == 8
        && fields[0].len() == 65
        && begins.iter().all(|&(at, begin)| fields[at].starts_with(begin))
        && fields[4].contains(" <= v <= ");
    if is_result { Ok(fields) } else { fail(format!("result `{line}`")) }
}

fn midgame(target: &Target) -> CheckResult {
    let mut process = awake(target)?;
    let lines = ask(&mut process, &format!("midgame-search {START} -64.00 64.00 6 73"), LATER)?;
    let fields = fields(&lines)?;
    let is_move = ["D3", "C4", "F5", "E6"].iter().any(|mv| fields[1] == format!("move {mv}"));
    when(is_move && fields[0] == START && fields[4].starts_with('B'), lines.join(" "))
}

fn endgame(target: &Target) -> CheckResult {
    let mut process = awake(target)?;
    let lines = ask(&mut process, &format!("endgame-search {PROBLEM} -64 64 100"), LATER)?;
    let fields = fields(&lines)?;
    when(fields[4] == "B+8.00 <= v <= B+8.00" && fields[1] == "move A6", fields[1..5].join(", "))
}

fn stop(target: &Target) -> CheckResult {
    let mut process = awake(target)?;
    process.send(&format!("ENGINE-PROTOCOL endgame-search {START} -64 64 100"));
    std::thread::sleep(Duration::from_millis(300));
    process.send("");
    let alive = process.next_line(Instant::now() + SOON)?.text;
    process.send("ENGINE-PROTOCOL get-search-infos");
    let infos = process.next_line(Instant::now() + SOON)?.text;
    let start = Instant::now();
    let rest = ask(&mut process, "stop", SOON)?;
    let taken = start.elapsed();
    let holds =
        alive == "ok." && infos.starts_with("node ") && rest.is_empty() && taken < Duration::from_millis(100);
    when(holds, format!("{alive} {infos}; stop {}", ms(taken)))
}

fn errors(target: &Target) -> CheckResult {
    let mut process = awake(target)?;
    let unknown = ask(&mut process, "no-such-command", SOON)?;
    let unread = ask(&mut process, "midgame-search OX -64 64 6 73", SOON)?;
    process.send("ENGINE-PROTOCOL quit");
    let end = process.next_line(Instant::now() + SOON)?.text;
    let told = [&unknown, &unread].iter().all(|lines| lines.len() == 1 && lines[0].starts_with("ERROR: "));
    let status = process.exit_within(SOON);
    when(told && end == "bye bye." && status.is_some_and(|status| status.success()), end)
}
