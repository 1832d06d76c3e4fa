//! Items 81 to 89: Edax's console, as the programs read it that drive it.

use std::time::Instant;

use super::check::{CheckResult, Miss, Target, fail, when};
use super::item::{Item, program};
use super::probe::{LATER, SOON, WIPE_OUT};
use crate::peers::process::Process;

/// The items in order.
pub(super) const ITEMS: &[Item] = &[
    program(81, "prompt, line end, answer, prompt", framing),
    program(82, "what is illegal is told beside the answers", illegal),
    program(83, "forced passes are PS", passes),
    program(84, "*** Game Over ***", over),
    program(85, "a hint has a row a move, by columns", hints),
    program(86, "the board takes twelve lines", boards),
    program(87, "setboard, undo, redo", positions),
    program(88, "-solve reads problems as they come", solve),
    program(89, "the queue is executed before the end of input", queue),
];

/// After these moves Black must pass.
const PASS: &str = "f5f6d3g5h5h4f7h6";
/// Fourteen empties; the score is known.
const PROBLEM: &str = "--OXXO--XOXXXX--XOOOXXXXXOOXXXXXXOOOOXXX-XXXXXXX--XXOOO----XXOO- X;";

/// Starts the console with `options` after those of weak play.
fn start(target: &Target, options: &str) -> Result<Process, Miss> {
    Ok(target.with(format!("{} -level 1 -n-tasks 1 -book-usage off {options}", target.command)).spawn()?)
}

/// All lines that come of this input and its end.
fn talk(target: &Target, options: &str, input: &str) -> Result<Vec<String>, Miss> {
    let mut process = start(target, options)?;
    process.send_bytes(input.as_bytes().to_vec());
    process.close_input();
    let deadline = Instant::now() + LATER;
    let mut lines = Vec::new();
    while let Ok(line) = process.next_line(deadline) {
        lines.push(line.text);
    }
    Ok(lines)
}

fn framing(target: &Target) -> CheckResult {
    let lines = talk(target, "-q", "init\nf5\ngo\ninit\n")?;
    let [begin @ .., plays, last, end] = &lines[..] else { return fail(format!("{lines:?}")) };
    let is_move = plays.strip_prefix("Edax plays ").is_some_and(|mv| ["D6", "F4", "F6"].contains(&mv));
    let framed = *begin == [">", ">", "", "You play F5", ">", ""].map(String::from);
    // The end of input is answered by a line end, too.
    when(is_move && framed && last == ">" && end == ">", format!("{plays}; {} lines", lines.len()))
}

fn illegal(target: &Target) -> CheckResult {
    let mut process = start(target, "-q")?;
    process.send("a1");
    process.send("f5");
    let told = |text: &str| (text == "You play F5").then_some(());
    process.wait_for(Instant::now() + SOON, told)?;
    let is_told = process.complains(Instant::now() + SOON, |line| line.contains("Illegal move"));
    when(is_told, "on stderr, and the next line is answered")
}

/// The lines that say what the engine plays, or the end of the game.
fn answers(lines: &[String]) -> Vec<&str> {
    let is_answer = |line: &&String| line.starts_with("Edax plays ") || line.starts_with("***");
    lines.iter().filter(is_answer).map(String::as_str).collect()
}

fn passes(target: &Target) -> CheckResult {
    let lines = talk(target, "-q", &format!("play {PASS}\ngo\nundo\nps\ne7\n"))?;
    let played = lines.iter().filter(|line| line.starts_with("You play")).collect::<Vec<_>>();
    when(
        answers(&lines) == ["Edax plays PS"] && played == ["You play PS", "You play E7"],
        format!("{lines:?}"),
    )
}

fn over(target: &Target) -> CheckResult {
    let lines = talk(target, "-q", &format!("play {WIPE_OUT}\ngo\nhint 2\n"))?;
    when(
        answers(&lines) == ["*** Game Over ***"] && !lines.iter().any(|line| line.len() > 60),
        format!("{lines:?}"),
    )
}

fn hints(target: &Target) -> CheckResult {
    let lines = talk(target, "-q", "hint 3\n")?;
    let rows: Vec<&String> = lines.iter().filter(|line| line.len() > 60).collect();
    for row in &rows {
        let words: Vec<&str> = row.split_whitespace().collect();
        let is_score = words.get(1).is_some_and(|word| word.starts_with(['+', '-']) && word.len() == 3);
        let is_row = row.is_ascii() && row.len() == 79 && is_score;
        if !is_row || !["d3", "c4", "f5", "e6"].contains(&&row[53..55]) {
            return fail(format!("row `{row}`"));
        }
    }
    when(rows.len() == 3, format!("{} rows", rows.len()))
}

fn boards(target: &Target) -> CheckResult {
    let lines = talk(target, "", "f5\n")?;
    let Some(at) = lines.iter().position(|line| line == "You play F5") else {
        return fail("no answer to f5");
    };
    let board: Vec<&str> = lines[at + 1..].iter().map(String::as_str).take(12).collect();
    let is_framed = board.len() == 12 && board[0].is_empty() && board[11].is_empty();
    let is_drawn = is_framed
        && board[1].contains("BLACK")
        && board[6].starts_with("5 - - - * * * - - 5    White's turn (O)")
        && board[10].contains("WHITE");
    when(is_drawn, format!("{} lines of board", board.len()))
}

fn positions(target: &Target) -> CheckResult {
    let start = "---------------------------OX------XO---------------------------";
    let lines = talk(target, "-q", &format!("setboard {start} O\nd3\nf4\nundo\ne3\ninit\nf5\n"))?;
    let played: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("You play ")).collect();
    when(played == ["F4", "E3", "F5"], format!("played {}", played.join(" ")))
}

fn solve(target: &Target) -> CheckResult {
    let command = format!("{} -solve /dev/stdin -level 60 -n-tasks 1", target.command);
    let mut process = target.with(command).spawn()?;
    let deadline = Instant::now() + LATER;
    process.send(PROBLEM);
    // The input is still open.
    let row = process.wait_for(deadline, |text| text.starts_with("  1|").then(|| text.to_owned()))?.0;
    process.close_input();
    let (total, _) =
        process.wait_for(deadline, |text| text.starts_with("/dev/stdin: ").then(|| text.to_owned()))?;
    let score = row.get(4 + 7..).unwrap_or_default();
    when(score.starts_with(" +08"), format!("{row} | {total}"))
}

fn queue(target: &Target) -> CheckResult {
    let lines = talk(target, "-q", "go\ngo\nquit\n")?;
    when(answers(&lines).len() == 2, format!("{} of 2 answers before quit", answers(&lines).len()))
}
