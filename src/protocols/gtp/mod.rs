//! The Go Text Protocol, version 2, for Othello: the standard set, time, GoGui's rules, interrupt
//! and analysis, `set_game`, and an analysis stream of our own (`emilia-analyze`).
//!
//! ```text
//! stdin ─▶ reader thread ─┐
//!                         ├─▶ one channel ─▶ Session (this thread, owns stdout)
//! worker thread: events ──┘                     │
//!        ▲──────────── jobs, stop ──────────────┘
//! ```

mod clock;
pub mod parse;
mod print;
mod record;
mod session;

use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Instant;

use super::console::{LineReader, LineWriter, quiet_broken_pipe};
use crate::engine::{Engine, Options};

use session::{Happening, Session};

/// Lines and events waiting for the session; a client that floods us is slowed down, not stored.
const WAITING: usize = 1024;

/// Runs a session until `quit` or the end of input.
///
/// With `level_asked` the level of `options` holds under a clock too; otherwise time decides.
///
/// # Errors
/// When the output cannot be written for another reason than that its reader has gone.
pub fn run(reader: LineReader, out: LineWriter, options: Options, level_asked: bool) -> io::Result<()> {
    let (sender, happenings) = mpsc::sync_channel(WAITING);
    let events = sender.clone();
    let level = options.level;
    let engine = Engine::new(options, move |event| {
        // Fails only when the session is over.
        let _ = events.send(Happening::Event(event));
    });
    reader.forward(move |line| sender.send(Happening::Line(line)).is_ok());
    // The first move's time is for searching, not for reading weights.
    engine.prepare();
    let mut session = Session::new(engine, out, level, level_asked);
    let result = serve(&mut session, &happenings);
    // Before the engine joins its worker, which may be waiting for room in the channel.
    drop(happenings);
    quiet_broken_pipe(result).map(drop)
}

fn serve(session: &mut Session, happenings: &Receiver<Happening>) -> io::Result<()> {
    while !session.is_done() {
        let happening = match session.deadline() {
            None => happenings.recv().unwrap_or(Happening::Line(None)),
            Some(deadline) => {
                match happenings.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                    Ok(happening) => happening,
                    Err(RecvTimeoutError::Timeout) => Happening::Tick,
                    Err(RecvTimeoutError::Disconnected) => Happening::Line(None),
                }
            }
        };
        session.handle(happening, Instant::now())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};
    use std::sync::mpsc::Sender;

    use super::*;

    struct Pieces(Sender<Vec<u8>>);

    impl Write for Pieces {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // The receiver is read after the session.
            let _ = self.0.send(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// All answers to a script, as text.
    fn talk(script: &str) -> String {
        let (sender, pieces) = mpsc::channel();
        let options = Options { hash_mib: 1, level: "1".parse().unwrap(), ..Options::default() };
        let reader = LineReader::new(Cursor::new(script.to_owned()));
        run(reader, LineWriter::new(Pieces(sender)), options, true).unwrap();
        String::from_utf8(pieces.iter().flatten().collect()).unwrap()
    }

    #[test]
    fn every_listed_command_answers_for_valid_arguments() {
        for name in parse::COMMANDS {
            let arguments = match *name {
                "known_command" => " play",
                "boardsize" => " 8",
                "komi" => " 6.5",
                "play" | "gogui-play_sequence" => " b f5",
                "genmove" | "reg_genmove" => " b",
                "time_settings" => " 60 0 0",
                "time_left" => " b 60 0",
                "set_level" => " 1",
                "set_game" => " Othello",
                "loadsgf" => continue,
                "undo" | "gg-undo" => continue,
                _ => "",
            };
            let answers = talk(&format!("{name}{arguments}\n"));
            assert!(answers.starts_with('='), "{name}: {answers:?}");
            assert!(answers.ends_with("\n\n"), "{name}: {answers:?}");
        }
    }

    #[test]
    fn answers_come_once_and_in_order() {
        let answers = talk("1 name\n# comment\n\n2 foo\n3 genmove b\n4 protocol_version\nname\n");
        let lines: Vec<&str> = answers.split("\n\n").collect();
        assert_eq!(lines[..2], ["=1 Emilia", "?2 unknown command"]);
        assert!(["=3 D3", "=3 C4", "=3 F5", "=3 E6"].contains(&lines[2]), "{answers}");
        assert_eq!(lines[3..], ["=4 2", "= Emilia", ""]);
    }

    #[test]
    fn reg_genmove_plays_nothing() {
        let answers = talk("reg_genmove b\ngogui-rules_side_to_move\nundo\n");
        assert!(answers.ends_with("= black\n\n? cannot undo\n\n"), "{answers}");
    }

    #[test]
    fn a_whole_game_against_itself_ends_with_two_passes() {
        let script: String = (0..70).map(|i| format!("genmove {}\n", ["b", "w"][i % 2])).collect();
        let answers = talk(&format!("{script}final_score\ngogui-rules_legal_moves\n"));
        let lines: Vec<&str> = answers.split("\n\n").collect();
        assert_eq!(lines[68..70], ["= pass", "= pass"], "{answers}");
        assert!(["= B+", "= W+", "= 0"].iter().any(|start| lines[70].starts_with(start)), "{}", lines[70]);
        assert_eq!(lines[71], "= ");
        assert!(!answers.contains('?'), "{answers}");
    }

    #[test]
    fn analysis_ends_with_the_next_line() {
        let answers = talk("7 emilia-analyze b 10 maxmoves 2\nname\n");
        let lines: Vec<&str> = answers.lines().collect();
        assert_eq!(lines[0], "=7");
        assert!(lines[1].starts_with("info move "), "{answers}");
        assert!(answers.ends_with("\n\n= Emilia\n\n"), "{answers}");
    }
}
