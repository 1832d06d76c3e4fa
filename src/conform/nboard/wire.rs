//! What goes over the pipe: starts, ends, bursts, odd bytes, output.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::conform::check::{CheckResult, Target, fail, ms, when};
use crate::conform::probe::{NBoard, SOON, game, ggf, opening};
use crate::peers::process::split_words;

pub(super) fn first_pong(target: &Target) -> CheckResult {
    let start = Instant::now();
    let mut engine = NBoard::silent(target)?;
    let game = ggf(&opening(), "5:00", 0.0);
    engine
        .process
        .send_bytes(format!("nboard 2\nset game {game}\nset depth 8\nping 1\nhint 4\n").into_bytes());
    engine.until(SOON, |text| text == "pong 1")?;
    when(start.elapsed() <= Duration::from_secs(1), ms(start.elapsed()))
}

pub(super) fn many_pings(mut engine: NBoard) -> CheckResult {
    let start = Instant::now();
    engine.process.send_bytes((0..1000).map(|i| format!("ping {i}\n")).collect::<String>().into_bytes());
    let lines = engine.until(SOON, |text| text == "pong 999")?;
    let pongs: Vec<&str> =
        lines.iter().map(|line| line.text.as_str()).filter(|t| t.starts_with("pong")).collect();
    let right = pongs.len() == 1000 && pongs.iter().enumerate().all(|(i, pong)| *pong == format!("pong {i}"));
    when(right, format!("{} pongs in {}", pongs.len(), ms(start.elapsed())))
}

pub(super) fn quit(target: &Target) -> CheckResult {
    ended(target, |engine| engine.send("quit"), "quit", false)
}

pub(super) fn end_of_input(target: &Target) -> CheckResult {
    ended(target, |engine| engine.process.close_input(), "end of input", true)
}

fn ended(target: &Target, end: fn(&mut NBoard), what: &str, answers: bool) -> CheckResult {
    let mut seen = Vec::new();
    for request in ["", "hint 4", "go"] {
        let mut engine = NBoard::deep(target, &opening())?;
        if !request.is_empty() {
            engine.send(request);
            engine.listen(Duration::from_millis(200))?;
        }
        end(&mut engine);
        if answers && request == "go" {
            engine.until(SOON, |text| text.starts_with("==="))?;
        }
        seen.push(
            engine.exits(&format!("{what} {}", if request.is_empty() { "when idle" } else { request }))?,
        );
    }
    Ok(seen.join(", "))
}

pub(super) fn before_the_end(target: &Target) -> CheckResult {
    let mut engine = NBoard::silent(target)?;
    let game = ggf(&opening(), "0", 0.0);
    engine
        .process
        .send_bytes(format!("nboard 2\nset depth 1\nset game {game}\nping 1\nlearn\nping 2\n").into_bytes());
    engine.process.close_input();
    let lines = engine.until(SOON, |text| text == "pong 2")?;
    let order: Vec<&str> = lines
        .iter()
        .map(|line| line.text.trim())
        .filter(|text| ["pong 1", "learned", "pong 2"].contains(text))
        .collect();
    engine.exits("the end")?;
    when(order == ["pong 1", "learned", "pong 2"], order.join(", "))
}

pub(super) fn unknown_lines(target: &Target) -> CheckResult {
    let mut engine = NBoard::deep(target, &opening())?;
    for line in ["", "   ", "# comment", "xyzzy", "setoption name x", "go2", "hello world"] {
        engine.send(line);
    }
    let known = ["===", "search", "book", "set ", "pong", "analysis", "learned", "nodestats"];
    if let Some(line) = engine.sync()?.iter().find(|line| known.iter().any(|word| line.starts_with(word))) {
        return fail(format!("an unknown line was answered `{line}`"));
    }
    engine.send("go");
    engine.listen(Duration::from_millis(200))?;
    engine.send("xyzzy");
    let early = engine.listen(Duration::from_millis(300))?;
    let stopped = early.iter().any(|line| line.text.starts_with("==="));
    engine.sync()?;
    when(!stopped, if stopped { "an unknown line stopped go" } else { "7 unknown lines" })
}

pub(super) fn line_ends(target: &Target) -> CheckResult {
    let mut engine = NBoard::silent(target)?;
    let game = ggf(&opening(), "0", 0.0);
    engine
        .process
        .send_bytes(format!("nboard 2\r\nset game {game}\r\nset depth 1\r\nping 7\r\n").into_bytes());
    engine.until(SOON, |text| text == "pong 7")?;
    engine.expect_position(&opening().position(), "CRLF")?;
    engine.process.send_bytes(b"ping 8".to_vec());
    engine.process.close_input();
    engine.until(SOON, |text| text == "pong 8")?;
    Ok("both".to_owned())
}

pub(super) fn odd_bytes(target: &Target) -> CheckResult {
    let mut engine = NBoard::at(target, &opening())?;
    for bytes in [
        &b"\x80\xff\xfe\n"[..],
        b"status \xe6\x97\xa5\n",
        b"a\0b\n\0\0\n",
        b"\x01\x02\x1b[0m\n",
        b"set game \xff(;\n",
    ] {
        engine.process.send_bytes(bytes.to_vec());
    }
    let lines = engine.sync()?;
    if let Some(line) = lines.iter().find(|line| !line.is_ascii()) {
        return fail(format!("echoed: {}", line.escape_debug()));
    }
    engine.expect_position(&opening().position(), "odd bytes")?;
    Ok("ignored".to_owned())
}

pub(super) fn long_lines(target: &Target) -> CheckResult {
    let mut engine = NBoard::at(target, &opening())?;
    engine.sync()?;
    let mut slowest = Duration::ZERO;
    for (start, fill) in [("", "x"), ("set game ", "(")] {
        let now = Instant::now();
        engine.process.send_bytes(format!("{start}{}\n", fill.repeat(1 << 20)).into_bytes());
        engine.sync()?;
        slowest = slowest.max(now.elapsed());
    }
    engine.expect_position(&opening().position(), "long lines")?;
    when(slowest <= Duration::from_millis(100), ms(slowest))
}

pub(super) fn plain_output(target: &Target) -> CheckResult {
    let mut engine = NBoard::at(target, &opening())?;
    engine.send("set depth 6");
    engine.send("hint 4");
    let lines = engine.listen(Duration::from_millis(500))?;
    engine.go_move()?;
    engine.send("set game rubbish");
    engine.sync()?;
    let complaints = engine.complaints();
    let odd = lines.iter().find(|line| line.text.bytes().any(|b| !(b' '..=b'~').contains(&b)));
    match (odd, complaints.first()) {
        (Some(line), _) => fail(line.text.escape_debug().to_string()),
        (_, Some(line)) => fail(format!("on stderr: {line}")),
        _ => Ok(format!("{} lines", lines.len())),
    }
}

pub(super) fn broken_pipe(target: &Target) -> CheckResult {
    let words = split_words(&target.command);
    let Some((program, arguments)) = words.split_first() else { return fail("empty command") };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    drop(child.stdout.take());
    let mut stdin = child.stdin.take();
    let deadline = Instant::now() + Duration::from_secs(5);
    let status = loop {
        if let Some(input) = &mut stdin
            && input.write_all(b"ping 1\n").is_err()
        {
            stdin = None;
        }
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            _ if Instant::now() >= deadline => break None,
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    if status.is_none() {
        let _ = child.kill();
        let _ = child.wait();
        return fail("still running 5 s after its reader has gone");
    }
    let mut text = String::new();
    let _ = child.stderr.take().map(|mut stderr| stderr.read_to_string(&mut text));
    when(
        text.is_empty(),
        if text.is_empty() {
            "exits".to_owned()
        } else {
            format!("on stderr: {}", text.lines().next().unwrap_or(""))
        },
    )
}

pub(super) fn burst(mut engine: NBoard) -> CheckResult {
    let games = [ggf(&opening(), "0", 0.0), ggf(&game("f5d6c3"), "0", 0.0)];
    let text: String = (0..50).map(|i| format!("set game {}\nhint 4\n", games[i % 2])).collect();
    engine.send("set depth 12");
    engine.sync()?;
    let start = Instant::now();
    engine.process.send_bytes(text.into_bytes());
    engine.sync()?;
    let taken = start.elapsed();
    engine.expect_position(&game("f5d6c3").position(), "the burst")?;
    when(taken <= Duration::from_secs(1), ms(taken))
}

pub(super) fn line_rate(target: &Target) -> CheckResult {
    let mut engine = NBoard::deep(target, &opening())?;
    engine.send("hint 4");
    engine.listen(Duration::from_millis(1_000))?;
    let lines = engine.listen(Duration::from_millis(2_000))?.len();
    engine.sync()?;
    when(lines <= 100, format!("{} lines/s in the second and third second of a hint", lines / 2))
}

pub(super) fn name(target: &Target) -> CheckResult {
    let mut engine = NBoard::silent(target)?;
    engine.send("nboard 2");
    let mut lines = engine.sync()?;
    engine.send("set depth 5");
    lines.extend(engine.sync()?);
    let names: Vec<&String> = lines.iter().filter(|line| line.starts_with("set ")).collect();
    let fits = |line: &&&String| {
        line.split_whitespace().count() == 3 && line.starts_with("set myname ") && line.is_ascii()
    };
    match names.iter().find(|line| !fits(line)) {
        Some(line) => fail(line.to_string()),
        None => Ok(names.last().map_or_else(|| "no name".to_owned(), |line| line.to_string())),
    }
}

pub(super) fn clear(target: &Target) -> CheckResult {
    let mut engine = NBoard::at(target, &opening())?;
    engine.sync()?;
    engine.send("clear");
    let lines = engine.sync()?;
    engine.expect_position(&opening().position(), "`clear`")?;
    when(lines.is_empty(), lines.first().map_or("silent", String::as_str))
}

pub(super) fn upper_case(target: &Target) -> CheckResult {
    let mut engine = NBoard::at(target, &opening())?;
    for line in ["SET DEPTH 2", "PING 3", "HINT 1", "NBOARD 2"] {
        engine.send(line);
    }
    engine.sync()?;
    engine.expect_position(&opening().position(), "upper case")?;
    Ok("accepted or ignored".to_owned())
}
