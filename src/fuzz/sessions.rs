//! Whole NBoard and GTP sessions.
//!
//! The input is that of a client, with signs between the lines that say what happens until the next one. They
//! stand at the end of a line, where no client puts them: byte 1, the engine does nothing yet; byte 2, it tells
//! one thing; byte 3, a second goes by. Without a sign the engine does all that it has been asked for.

use std::io::Cursor;
use std::time::{Duration, Instant};

use super::desk::{Desk, Page, with_search};
use super::is_printable;
use crate::peers::nboard::parse_reply;
use crate::protocols::console::{InputLine, LineReader, LineWriter};
use crate::protocols::driver::{Input, Permit, Session};
use crate::protocols::gtp::Gtp;
use crate::protocols::gtp::parse::{GtpCommand, parse as gtp_line};
use crate::protocols::library::Library;
use crate::protocols::nboard::NBoard;
use crate::protocols::nboard::parse as nboard_line;
use crate::protocols::session::{ProtocolSession, Received, SessionOptions};
use crate::search::Search;

/// No session has more lines.
const MAX_LINES: usize = 300;
/// No engine tells more things after the end of input; a game has 120 turns at most.
const MAX_EVENTS: usize = 100_000;

/// A line and the signs behind it.
type Line = (InputLine, Vec<u8>);

/// The lines of a client, as the program would read them, without those that `is_kept` refuses.
fn lines(data: &[u8], is_kept: impl Fn(&str) -> bool) -> Vec<Line> {
    let mut reader = LineReader::new(Cursor::new(data.to_vec()));
    let mut lines = Vec::new();
    while let Some(line) = reader.read().expect("bytes can be read") {
        if lines.len() == MAX_LINES {
            break;
        }
        let (line, signs) = match line {
            InputLine::TooLong => (InputLine::TooLong, Vec::new()),
            InputLine::Text(text) => {
                let plain = text.trim_end_matches(['\u{1}', '\u{2}', '\u{3}']);
                let signs = text.as_bytes()[plain.len()..].to_vec();
                (InputLine::Text(plain.to_owned()), signs)
            }
        };
        if matches!(&line, InputLine::Text(text) if !is_kept(text)) {
            continue;
        }
        lines.push((line, signs));
    }
    lines
}

/// The session from the first line to its end.
fn hold<S: Session>(session: S, desk: &Desk, lines: &[Line]) {
    with_search(|search| talk(session, desk, search, lines));
}

fn talk<S: Session>(mut session: S, desk: &Desk, search: &mut Search, lines: &[Line]) {
    let mut now = Instant::now();
    let happen = |session: &mut S, input, now| {
        session.handle(input, now).expect("a page takes everything");
    };
    for (line, signs) in lines {
        if session.is_done() {
            return;
        }
        happen(&mut session, Input::Line(line.clone(), Permit::default()), now);
        let holds = signs.contains(&1);
        for sign in signs {
            match sign {
                2 => {
                    if let Some(event) = desk.next(search) {
                        happen(&mut session, Input::Event(event), now);
                    }
                }
                3 => {
                    now += Duration::from_secs(1);
                    if session.deadline().is_some_and(|deadline| deadline <= now) {
                        happen(&mut session, Input::Tick, now);
                    }
                }
                _ => {}
            }
        }
        while let Some(event) = if holds || session.is_done() { None } else { desk.next(search) } {
            happen(&mut session, Input::Event(event), now);
        }
    }
    if session.is_done() {
        return;
    }
    happen(&mut session, Input::End, now);
    for _ in 0..MAX_EVENTS {
        if session.is_done() {
            return;
        }
        match desk.next(search) {
            Some(event) => happen(&mut session, Input::Event(event), now),
            None => {
                let deadline = session.deadline().expect("a session that has not ended waits for something");
                now = now.max(deadline);
                happen(&mut session, Input::Tick, now);
            }
        }
    }
    panic!("the session does not end");
}

/// How the session begins: some of the options that the command line offers, by the first byte.
fn options(data: &[u8]) -> (SessionOptions, &[u8]) {
    let (choice, rest) = match data.split_first() {
        Some((choice, rest)) if *choice < 16 => (*choice, rest),
        _ => (0, data),
    };
    let options = SessionOptions {
        level: (choice & 4 != 0).then(|| "1".parse().expect("a level")),
        batch: choice & 1 != 0,
        ponder: choice & 2 != 0,
        ..SessionOptions::default()
    };
    (options, rest)
}

/// An NBoard session: every ping is answered, once and in order, and every line is one of the protocol.
///
/// # Panics
/// Where the session breaks a promise.
pub fn nboard(data: &[u8]) {
    let (options, data) = options(data);
    let lines = lines(data, |_| true);
    let (desk, page) = (Desk::default(), Page::default());
    hold(
        ProtocolSession::<NBoard>::new(
            desk.clone(),
            LineWriter::new(page.clone()),
            Library::default(),
            options,
        ),
        &desk,
        &lines,
    );
    let mut expected = Vec::new();
    for (line, _) in &lines {
        let InputLine::Text(text) = line else { continue };
        match nboard_line::parse(text) {
            nboard_line::NBoardCommand::Ping(number) => {
                expected.push(format!("pong {number}").trim().to_owned())
            }
            nboard_line::NBoardCommand::Quit => break,
            _ => {}
        }
    }
    let text = page.text();
    let mut pongs = Vec::new();
    for line in text.lines() {
        assert!(is_printable(line), "{line:?}");
        if line.starts_with("pong") {
            pongs.push(line.trim().to_owned());
        }
        if let Some(reply) = line.strip_prefix("===") {
            assert!(parse_reply(reply).is_some(), "{line}");
        }
    }
    // What `quit` cuts short is not answered.
    let quits = lines.iter().any(|(line, _)| {
        matches!(line, InputLine::Text(text) if nboard_line::parse(text) == nboard_line::NBoardCommand::Quit)
    });
    assert!(expected.starts_with(&pongs), "{pongs:?} for {expected:?}");
    assert!(quits || pongs == expected, "{pongs:?} for {expected:?}");
}

/// A GTP session: every command is answered, once, in order and under its number.
///
/// # Panics
/// Where the session breaks a promise.
pub fn gtp(data: &[u8]) {
    let (options, data) = options(data);
    let is = |request: &GtpCommand, name: &str| request.words.first().is_some_and(|word| word == name);
    // No file of the machine is opened for a name that chance made.
    let lines =
        lines(data, |text| !matches!(gtp_line(text), Received::Command(request) if is(&request, "loadsgf")));
    let (desk, page) = (Desk::default(), Page::default());
    hold(
        ProtocolSession::<Gtp>::new(desk.clone(), LineWriter::new(page.clone()), Library::default(), options),
        &desk,
        &lines,
    );
    let mut expected = Vec::new();
    for (line, _) in &lines {
        match line {
            InputLine::TooLong => expected.push(None),
            InputLine::Text(text) => {
                let Received::Command(request) = gtp_line(text) else { continue };
                let quits = is(&request, "quit");
                expected.push(request.id);
                if quits {
                    break;
                }
            }
        }
    }
    let text = page.text();
    assert!(text.lines().all(is_printable), "{text:?}");
    assert!(text.is_empty() || text.ends_with("\n\n"), "{text:?}");
    let answers: Vec<&str> = text.split_terminator("\n\n").collect();
    assert_eq!(answers.len(), expected.len(), "{text:?} for {expected:?}");
    for (answer, id) in answers.iter().zip(&expected) {
        assert!(answer.starts_with(['=', '?']), "{answer:?}");
        let found: String = answer[1..].chars().take_while(char::is_ascii_digit).collect();
        assert_eq!(&found, id.as_deref().unwrap_or(""), "{answer:?}");
    }
}
