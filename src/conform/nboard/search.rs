//! Searching: hints, answers, interruptions, clocks.

use std::time::{Duration, Instant};

use crate::board::{Color, Game};
use crate::conform::check::{CheckResult, Miss, Target, fail, ms, when};
use crate::conform::probe::{LATER, NBoard, SOON, WIPE_OUT, game, ggf, opening};
use crate::peers::nboard::parse_reply;
use crate::peers::process::OutputLine;

/// How soon a ping must be answered.
const PONG: Duration = Duration::from_millis(50);

/// Starts `request` on a deep search, pings after a while; gives what came and how long the pong took.
fn interrupted(engine: &mut NBoard, request: &str, number: u32) -> Result<(Vec<OutputLine>, Duration), Miss> {
    engine.load(&opening());
    engine.send("set depth 60");
    engine.sync()?;
    engine.send(request);
    let mut lines = engine.listen(Duration::from_millis(300))?;
    let start = Instant::now();
    engine.send(&format!("ping {number}"));
    let pong = format!("pong {number}");
    lines.extend(engine.until(SOON, |text| text == pong)?);
    let taken = lines.last().map_or(Duration::ZERO, |line| line.at.saturating_duration_since(start));
    Ok((lines, taken))
}

pub(super) fn ping_in_hint(mut engine: NBoard) -> CheckResult {
    let mut slowest = Duration::ZERO;
    for number in 1..=3 {
        slowest = slowest.max(interrupted(&mut engine, "hint 4", number)?.1);
        let late = engine.listen(Duration::from_millis(100))?;
        if let Some(line) = late.iter().find(|line| line.text.starts_with("search")) {
            return fail(format!("after the pong: `{}`", line.text));
        }
    }
    when(slowest <= PONG, format!("slowest of 3: {}", ms(slowest)))
}

pub(super) fn ping_in_go(mut engine: NBoard) -> CheckResult {
    let mut slowest = Duration::ZERO;
    for number in 1..=3 {
        let (lines, taken) = interrupted(&mut engine, "go", number)?;
        let answers = lines.iter().filter(|line| line.text.starts_with("===")).count();
        if answers != 1 {
            return fail(format!("{answers} lines `===` before the pong"));
        }
        slowest = slowest.max(taken);
    }
    when(slowest <= PONG, format!("slowest of 3: {}", ms(slowest)))
}

pub(super) fn clock_kept(mut engine: NBoard) -> CheckResult {
    engine.send("set depth 60");
    let mut played = Game::default();
    let mut left = [10.0f64; 2];
    let mut worst = 0.0f64;
    let mut times = Vec::new();
    while !played.is_over() {
        if played.pass_if_forced() {
            times.push(0.0);
            continue;
        }
        let side = played.position().side as usize;
        engine.send(&format!("set game {}", timed(&played, &times, "0:10")));
        engine.sync()?;
        let (text, taken) = engine.go(Duration::from_secs(10))?;
        let Some((mv, _)) = parse_reply(&text) else { return fail(format!("`==={text}`")) };
        let told: f64 = text.trim().split('/').nth(2).and_then(|t| t.parse().ok()).unwrap_or(f64::NAN);
        worst = worst.max((told - taken.as_secs_f64()).abs());
        left[side] -= taken.as_secs_f64();
        times.push(taken.as_secs_f64());
        if played.play(mv).is_err() {
            return fail(format!("illegal move {mv}"));
        }
        if left[side] < 0.0 {
            return fail(format!("flag fell after {} moves", played.moves().len()));
        }
    }
    let seen =
        format!("{:.2} and {:.2} of 10 s left, TIME off by {:.0} ms at most", left[0], left[1], worst * 1e3);
    when(worst <= 0.010, seen)
}

/// A game with the time of each move.
fn timed(game: &Game, times: &[f64], clock: &str) -> String {
    let mut text = ggf(&Game::default(), clock, 0.0);
    text.truncate(text.len() - 2);
    for ((position, mv), seconds) in game.steps().zip(times) {
        let letter = if position.side == Color::Black { 'B' } else { 'W' };
        text += &format!("{letter}[{mv:#}//{seconds:.3}]");
    }
    text + ";)"
}

pub(super) fn eval_sign(mut engine: NBoard) -> CheckResult {
    // Before the last move of the wipe-out Black wins all; a move earlier White is lost already.
    let mut won = game(WIPE_OUT);
    won.undo();
    let mut seen = Vec::new();
    for (position, least, most) in [(won, 1.0, 64.0), (opening(), -64.0, 64.0)] {
        engine.load(&position);
        engine.send("set depth 4");
        let (text, _) = engine.go(LATER)?;
        let Some((_, Some(eval))) = parse_reply(&text) else {
            return fail(format!("no eval in `==={text}`"));
        };
        if !(least..=most).contains(&eval) {
            return fail(format!("eval {eval} where {least} to {most} is right"));
        }
        seen.push(eval.to_string());
    }
    Ok(seen.join(", "))
}

pub(super) fn clock_read(mut engine: NBoard) -> CheckResult {
    engine.send("set depth 60");
    // 10 moves, Black has used all but a second of his 10 minutes, White nearly nothing.
    let times: Vec<f64> = (0..10).map(|i| if i % 2 == 0 { 119.8 } else { 0.0 }).collect();
    engine.send(&format!("set game {}", timed(&opening(), &times, "10:00")));
    engine.sync()?;
    let (_, short) = engine.go(LATER)?;
    engine.send("set depth 1");
    engine.load(&opening());
    engine.sync()?;
    let (_, free) = engine.go(LATER)?;
    let seen = format!("{} with a second left, {} at depth 1 without a clock", ms(short), ms(free));
    when(short < Duration::from_secs(1), seen)
}

pub(super) fn hint_counts(mut engine: NBoard) -> CheckResult {
    let legal = opening().position().board.moves().count_ones() as usize;
    for (n, least) in
        [("1", 1), ("2", 2), ("4", 4), ("64", legal), ("0", 1), ("-1", 1), ("999", legal), ("", 1)]
    {
        engine.load(&opening());
        engine.send("set depth 2");
        engine.sync()?;
        engine.send(&format!("hint {n}"));
        let lines = engine.listen(Duration::from_millis(250))?;
        engine.sync()?;
        let moves: std::collections::BTreeSet<&str> = lines
            .iter()
            .filter_map(|line| line.text.strip_prefix("search "))
            .filter_map(|rest| rest.trim_start().get(..2))
            .collect();
        if moves.len() < least.min(legal) || moves.len() > legal {
            return fail(format!("`hint {n}`: {} moves of {legal}", moves.len()));
        }
    }
    Ok(format!("1, 2, 4, 64, 0, -1, 999, none of {legal} moves"))
}

/// The lines of `hint 4` at this depth until silence.
fn hint_lines(target: &Target, depth: u8) -> Result<Vec<String>, Miss> {
    let mut engine = NBoard::at(target, &opening())?;
    engine.send(&format!("set depth {depth}"));
    engine.sync()?;
    engine.send("hint 4");
    let mut lines = engine.listen(Duration::from_millis(1_500))?;
    // On a busy machine they are late; other engines may never send one kind of them.
    let came = |lines: &[OutputLine], word| lines.iter().any(|line| line.text.starts_with(word));
    for _ in 0..5 {
        if came(&lines, "search") && came(&lines, "nodestats") {
            break;
        }
        lines.extend(engine.listen(Duration::from_millis(1_500))?);
    }
    lines.extend(engine.sync()?.into_iter().map(|text| OutputLine { text, at: Instant::now() }));
    Ok(lines.into_iter().map(|line| line.text).collect())
}

fn search_lines(lines: &[String]) -> Vec<Vec<&str>> {
    let words = lines.iter().map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.filter(|words| matches!(words.first(), Some(&"search" | &"book"))).collect()
}

pub(super) fn depth_tokens(target: &Target) -> CheckResult {
    let lines = hint_lines(target, 8)?;
    let mut tokens: Vec<&str> = Vec::new();
    for words in search_lines(&lines).iter().filter(|words| words[0] == "search" && words.len() > 4) {
        if tokens.last() != Some(&words[4]) {
            if tokens.contains(&words[4]) {
                return fail(format!("token {} comes back after {}", words[4], tokens.join(" ")));
            }
            tokens.push(words[4]);
        }
    }
    let number = |token: &&str| {
        token.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0u32)
    };
    let rising = tokens.iter().map(number).is_sorted() && !tokens.is_empty();
    let exact = tokens.iter().any(|token| token.starts_with("100%"));
    when(rising && !exact, tokens.join(" "))
}

pub(super) fn search_grammar(target: &Target) -> CheckResult {
    let lines = hint_lines(target, 6)?;
    let found = search_lines(&lines);
    for words in &found {
        let number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
        let fits = words.len() >= 5
            && words[1].get(..2).is_some_and(|mv| {
                mv.parse::<crate::board::Square>().is_ok() || mv.eq_ignore_ascii_case("pa")
            })
            && words[2].split(',').all(number)
            && words[2].matches(',').count() <= 1
            && words[3].parse::<i32>().is_ok()
            && words[4].starts_with(|c: char| c.is_ascii_digit())
            && words.iter().all(|word| word.is_ascii());
        if !fits {
            return fail(words.join(" "));
        }
    }
    when(
        !found.is_empty(),
        format!(
            "{} lines, such as `{}`",
            found.len(),
            found.last().map_or_else(String::new, |w| w.join(" "))
        ),
    )
}

pub(super) fn nodestats(target: &Target) -> CheckResult {
    let lines = hint_lines(target, 6)?;
    let stats: Vec<Vec<&str>> = lines
        .iter()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|words| words.first() == Some(&"nodestats"))
        .collect();
    let mut last = (0u64, 0.0f64);
    for words in &stats {
        let plain = words.len() == 3 && !words[2].contains(['e', 'E']);
        let (Ok(nodes), Ok(seconds)) =
            (words.get(1).unwrap_or(&"").parse(), words.get(2).unwrap_or(&"").parse())
        else {
            return fail(words.join(" "));
        };
        if !plain || nodes < last.0 || seconds < last.1 {
            return fail(words.join(" "));
        }
        last = (nodes, seconds);
    }
    when(!stats.is_empty(), format!("{} lines, the last: {} nodes, {} s", stats.len(), last.0, last.1))
}

pub(super) fn learn_analyze(mut engine: NBoard) -> CheckResult {
    let short = game("f5d6c3");
    engine.load(&short);
    engine.send("set depth 2");
    engine.send("learn");
    engine.until(SOON, |text| text.trim() == "learned")?;
    engine.send("analyze");
    let lines = engine.until(LATER, |text| text.starts_with("analysis 0 "))?;
    engine.sync()?;
    let numbers: Vec<String> = lines
        .iter()
        .filter_map(|line| line.text.strip_prefix("analysis "))
        .filter_map(|rest| rest.split_whitespace().next().map(str::to_owned))
        .collect();
    when(numbers == ["3", "2", "1", "0"], format!("learned; analysis {}", numbers.join(" ")))
}

pub(super) fn game_in_search(target: &Target) -> CheckResult {
    for (request, change) in [("hint 4", "set game"), ("go", "set game"), ("hint 4", "move"), ("go", "move")]
    {
        let mut engine = NBoard::deep(target, &Game::default())?;
        engine.send(request);
        engine.listen(Duration::from_millis(150))?;
        let after = if change == "move" {
            engine.send("move F5");
            game("f5")
        } else {
            engine.load(&opening());
            opening()
        };
        engine.sync()?;
        engine.expect_position(&after.position(), &format!("`{change}` during `{request}`"))?;
    }
    Ok("set game and move during hint and go".to_owned())
}
