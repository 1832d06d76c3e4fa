//! The NBoard protocol, versions 1 and 2, complete: `nboard`, `set depth|game|contempt`, `move`,
//! `hint`, `go`, `ping`, `learn`, `analyze`, `clear`, `quit`.
//!
//! ```text
//! stdin ─▶ reader thread ─┐
//!                         ├─▶ one channel ─▶ Session (this thread, owns stdout)
//! worker thread: events ──┘                     │
//!        ▲──────────── jobs, stop ──────────────┘
//! ```
//!
//! GUIs merge stderr into stdout, so in this protocol nothing is written there unless asked for.

pub mod parse;
pub mod print;
mod progress;
#[cfg(test)]
mod rig;
pub mod session;
mod state;

use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Instant;

use super::console::{LineReader, LineWriter, quiet_broken_pipe};
use crate::engine::{Engine, Options};

use session::{Input, Session};

/// Inputs waiting for the session; a GUI that floods us is slowed down, not stored.
const WAITING: usize = 1024;

/// Runs a session until `quit` or the end of input. With `batch` every request runs to its own end.
///
/// # Errors
/// When the output cannot be written for another reason than that its reader has gone.
pub fn run(reader: LineReader, out: LineWriter, options: Options, batch: bool) -> io::Result<()> {
    let (sender, inputs) = mpsc::sync_channel(WAITING);
    let events = sender.clone();
    let level = options.level;
    let engine = Engine::new(options, move |event| {
        // Fails only when the session is over.
        let _ = events.send(Input::Event(event));
    });
    reader.forward(move |line| sender.send(line.map_or(Input::End, Input::Line)).is_ok());
    // The first move's time is for searching, not for reading weights.
    engine.prepare();
    let mut session = Session::new(engine, out, level, batch);
    let result = serve(&mut session, &inputs);
    // Before the engine joins its worker, which may be waiting for room in the channel.
    drop(inputs);
    quiet_broken_pipe(result).map(drop)
}

fn serve(session: &mut Session<Engine>, inputs: &Receiver<Input>) -> io::Result<()> {
    while !session.is_done() {
        let input = match session.deadline() {
            None => inputs.recv().unwrap_or(Input::End),
            Some(deadline) => match inputs.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(input) => input,
                Err(RecvTimeoutError::Timeout) => Input::Tick,
                Err(RecvTimeoutError::Disconnected) => Input::End,
            },
        };
        session.handle(input, Instant::now())?;
    }
    Ok(())
}
