//! Whole NBoard and GTP sessions.
//!
//! The input is that of a client, with signs at the ends of lines for the events before the next line: byte 1, the
//! engine does nothing yet; byte 2, it reports one event; byte 3, a second goes by. After a line without a sign the
//! engine does all its jobs.

use std::io::Cursor;
use std::time::{Duration, Instant};

use super::desk::{Desk, with_search};
use super::is_printable;
use crate::peers::nboard::parse_reply;
use crate::protocols::console::{InputLine, LineReader, LineWriter, Page};
use crate::protocols::driver::{Input, Permit, Session};
use crate::protocols::gtp::Gtp;
use crate::protocols::gtp::parse::{GtpCommand, parse as gtp_line};
use crate::protocols::library::Library;
use crate::protocols::nboard::NBoard;
use crate::protocols::nboard::parse::{self as nboard_line, NBoardCommand};
use crate::protocols::session::{ProtocolRules, ProtocolSession, Received, SessionOptions};
use crate::search::Search;

/// No session has more lines.
const MAX_LINES: usize = 300;
/// No engine reports more events after the end of input; a game has 120 turns at most.
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
        let InputLine::Text(text) = line else {
            lines.push((InputLine::TooLong(String::new()), Vec::new()));
            continue;
        };
        let plain = text.trim_end_matches(['\u{1}', '\u{2}', '\u{3}']);
        if is_kept(plain) {
            lines.push((
                InputLine::Text(plain.to_owned()),
                text.as_bytes()[plain.len()..].to_vec(),
            ));
        }
    }
    lines
}

/// Holds a session from the first line to its end; its output.
fn hold<P: ProtocolRules>(options: SessionOptions, lines: &[Line]) -> String {
    let desk = Desk::default();
    let page = Page::default();
    let out = LineWriter::new(page.clone());
    let session = ProtocolSession::<P>::new(desk.clone(), out, Library::default(), options);
    with_search(|search| talk(session, &desk, search, lines));
    page.text()
}

fn talk(mut session: impl Session, desk: &Desk, search: &mut Search, lines: &[Line]) {
    let mut now = Instant::now();
    let happen = |session: &mut dyn Session, input, now| {
        session.handle(input, now).expect("a page takes everything");
    };
    for (line, signs) in lines {
        if session.is_done() {
            return;
        }
        happen(
            &mut session,
            Input::Line(line.clone(), Permit::default()),
            now,
        );
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
        while !signs.contains(&1) && !session.is_done() {
            let Some(event) = desk.next(search) else {
                break;
            };
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
        let input = desk.next(search).map(Input::Event).unwrap_or_else(|| {
            now = now.max(
                session
                    .deadline()
                    .expect("a session that has not ended waits for something"),
            );
            Input::Tick
        });
        happen(&mut session, input, now);
    }
    panic!("the session does not end");
}

/// How the session begins: some of the options that the command line offers, by the first byte.
fn options(data: &[u8]) -> (SessionOptions, &[u8]) {
    let (choice, rest) = data
        .split_first()
        .filter(|(choice, _)| **choice < 16)
        .unwrap_or((&0, data));
    let options = SessionOptions {
        level: (choice & 4 != 0).then(|| "1".parse().expect("a level")),
        batch: choice & 1 != 0,
        ponder: choice & 2 != 0,
        ..SessionOptions::default()
    };
    (options, rest)
}

/// An NBoard session: every ping is answered, once and in order, and every line is one of the protocol.
pub fn nboard(data: &[u8]) {
    let (options, data) = options(data);
    let lines = lines(data, |_| true);
    let text = hold::<NBoard>(options, &lines);
    let mut expected = Vec::new();
    let mut quits = false;
    for (line, _) in &lines {
        let InputLine::Text(line) = line else {
            continue;
        };
        match nboard_line::parse(line) {
            NBoardCommand::Ping(number) => {
                expected.push(format!("pong {number}").trim().to_owned())
            }
            NBoardCommand::Quit => {
                quits = true;
                break;
            }
            _ => {}
        }
    }
    for line in text.lines() {
        assert!(is_printable(line), "{line:?}");
        let reply = line.strip_prefix("===");
        assert!(
            reply.is_none_or(|reply| parse_reply(reply).is_some()),
            "{line}"
        );
    }
    let pongs: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("pong"))
        .map(str::trim)
        .collect();
    // `quit` cuts answers short.
    let expected = &expected[..if quits {
        pongs.len().min(expected.len())
    } else {
        expected.len()
    }];
    assert_eq!(pongs, expected);
}

/// A GTP session: every command is answered, once, in order and under its number.
pub fn gtp(data: &[u8]) {
    let (options, data) = options(data);
    let is =
        |request: &GtpCommand, name: &str| request.words.first().is_some_and(|word| word == name);
    // No file of the machine is opened for a name that chance made.
    let lines = lines(
        data,
        |text| !matches!(gtp_line(text), Received::Command(request) if is(&request, "loadsgf")),
    );
    let text = hold::<Gtp>(options, &lines);
    let mut expected = Vec::new();
    for (line, _) in &lines {
        let InputLine::Text(line) = line else {
            expected.push(None);
            continue;
        };
        let Received::Command(request) = gtp_line(line) else {
            continue;
        };
        let quits = is(&request, "quit");
        expected.push(request.id);
        if quits {
            break;
        }
    }
    assert!(text.lines().all(is_printable), "{text:?}");
    assert!(text.is_empty() || text.ends_with("\n\n"), "{text:?}");
    let answers: Vec<&str> = text.split_terminator("\n\n").collect();
    assert_eq!(answers.len(), expected.len(), "{text:?} for {expected:?}");
    for (answer, id) in answers.iter().zip(&expected) {
        assert!(answer.starts_with(['=', '?']), "{answer:?}");
        let found: String = answer[1..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        assert_eq!(&found, id.as_deref().unwrap_or(""), "{answer:?}");
    }
}
