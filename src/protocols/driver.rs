//! One loop for every session: lines, the engine's events and the passing of time reach it on one thread.
//!
//! ```text
//! stdin ─▶ reader thread ─┐ (waits while the backlog is full)
//!                         ├─▶ one channel ─▶ Session (the calling thread, owns stdout)
//! worker thread: events ──┘                     │
//!        ▲──────────── jobs, stop ──────────────┘
//! ```
//!
//! A thread reads input ahead while a search runs, so that a session sees an interrupting line at once. The memory for
//! these lines is bounded: a client that sends more waits.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use super::console::{InputLine, LineReader, quiet_broken_pipe};
use crate::engine::{Engine, Event, Job, JobId, Options};
use crate::util::lock;
use crate::util::os::threads::no_thread;

/// Most bytes of lines that wait: some 7,000 short commands.
const BACKLOG_BYTES: usize = 1 << 20;
/// Bytes of a line in addition to its text.
const LINE_BYTES: usize = 128;

#[derive(Debug)]
pub enum Input {
    /// A line. Its permit must live as long as any part of the line waits.
    Line(InputLine, Permit),
    End,
    Event(Event),
    /// The time of [`Session::deadline`].
    Tick,
}

/// A conversation in one of the protocols.
pub trait Session {
    /// Prints the text before the first line of input.
    fn begin(&mut self, _now: Instant) -> io::Result<()> {
        Ok(())
    }

    /// Handles an input; returns without waiting for the engine.
    fn handle(&mut self, input: Input, now: Instant) -> io::Result<()>;

    /// The time of the next [`Input::Tick`] if no other input comes before it.
    fn deadline(&self) -> Option<Instant>;

    /// Whether the session has answered every request and the client has gone.
    fn is_done(&self) -> bool;
}

/// The calls of a session to its engine.
pub trait Searcher {
    /// Queues a job; returns at once.
    fn start(&mut self, job: Job) -> JobId;
    /// Stops all jobs; returns at once.
    fn stop(&mut self);
    /// Nodes of the running job so far, 0 when idle.
    fn nodes(&self) -> u64;
}

impl Searcher for Engine {
    fn start(&mut self, job: Job) -> JobId {
        Engine::start(self, job)
    }

    fn stop(&mut self) {
        Engine::stop(self);
    }

    fn nodes(&self) -> u64 {
        Engine::nodes(self)
    }
}

/// Wakes a session with an [`Input::Tick`] from another thread.
pub type Wake = Box<dyn FnOnce() + Send>;

/// Runs the session that `open` makes until it is done, or until the reader of its output has gone.
///
/// `listen` receives the means to wake the session; its result is dropped after the session.
///
/// # Errors
/// When the output cannot be written, the input cannot be read (after all answers to earlier lines), or the system starts
/// no thread.
pub fn run<S: Session, L>(
    reader: LineReader,
    options: Options,
    listen: impl FnOnce(Wake) -> L,
    open: impl FnOnce(Engine) -> S,
) -> io::Result<()> {
    let (sender, messages) = mpsc::channel();
    let waker = sender.clone();
    let events = sender.clone();
    // Sending fails only when the session is over.
    let _listener = listen(Box::new(move || drop(waker.send(Message::Wake))));
    let engine = Engine::new(options, move |event| {
        drop(events.send(Message::Event(event)))
    })?;
    // The weights load before the first move, not in its time.
    engine.prepare();
    read_ahead(reader, sender)?;
    let result = serve(&mut open(engine), &messages);
    quiet_broken_pipe(result).map(drop)
}

enum Message {
    /// A line, the end of input, or the reason why no more input can be read.
    Input(io::Result<Option<InputLine>>, Permit),
    Event(Event),
    Wake,
}

/// Starts a thread that reads until the end of input or of the session.
fn read_ahead(mut reader: LineReader, sender: Sender<Message>) -> io::Result<()> {
    let room = Arc::<Room>::default();
    // Not joined: it may be blocked in a read when the session is over.
    thread::Builder::new()
        .name("emilia-reader".into())
        .spawn(move || {
            loop {
                let input = reader.read();
                let at_end = !matches!(input, Ok(Some(_)));
                let text_bytes = if let Ok(Some(InputLine::Text(text))) = &input {
                    text.len()
                } else {
                    0
                };
                let permit = room.take(LINE_BYTES + text_bytes);
                if sender.send(Message::Input(input, permit)).is_err() || at_end {
                    break;
                }
            }
        })
        .map(drop)
        .map_err(no_thread)
}

fn serve(session: &mut dyn Session, messages: &Receiver<Message>) -> io::Result<()> {
    let mut unreadable = None;
    session.begin(Instant::now())?;
    while !session.is_done() {
        let input = match next(messages, session.deadline()) {
            None | Some(Message::Wake) => Input::Tick,
            Some(Message::Event(event)) => Input::Event(event),
            Some(Message::Input(Ok(Some(line)), permit)) => Input::Line(line, permit),
            Some(Message::Input(Ok(None), _)) => Input::End,
            Some(Message::Input(Err(error), _)) => {
                unreadable = Some(error);
                Input::End
            }
        };
        session.handle(input, Instant::now())?;
    }
    unreadable.map_or(Ok(()), Err)
}

/// The next message; `None` when the deadline comes first.
fn next(messages: &Receiver<Message>, deadline: Option<Instant>) -> Option<Message> {
    const OPEN: &str = "the engine holds a sender as long as the session lives";
    match deadline {
        None => Some(messages.recv().expect(OPEN)),
        Some(deadline) => {
            match messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => unreachable!("{OPEN}"),
            }
        }
    }
}

/// Commands that wait, oldest first.
#[derive(Debug)]
pub struct Backlog<C> {
    waiting: VecDeque<(C, Permit)>,
    bytes: usize,
}

impl<C> Default for Backlog<C> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            bytes: 0,
        }
    }
}

impl<C> Backlog<C> {
    pub fn push(&mut self, command: C, permit: Permit) {
        self.bytes += permit.bytes;
        self.waiting.push_back((command, permit));
    }

    /// Removes the oldest command, which makes room for another line.
    pub fn pop(&mut self) -> Option<C> {
        let (command, permit) = self.waiting.pop_front()?;
        self.bytes -= permit.bytes;
        Some(command)
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether the reader waits for room, so that no later line can interrupt a search.
    pub fn is_full(&self) -> bool {
        self.bytes >= BACKLOG_BYTES
    }

    pub fn iter(&self) -> impl Iterator<Item = &C> {
        self.waiting.iter().map(|(command, _)| command)
    }
}

/// The right of a line to wait. Dropping it frees its bytes.
#[derive(Debug, Default)]
pub struct Permit {
    room: Option<Arc<Room>>,
    bytes: usize,
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(room) = &self.room {
            *lock(&room.used) -= self.bytes;
            room.changed.notify_one();
        }
    }
}

/// The used part of [`BACKLOG_BYTES`].
#[derive(Debug, Default)]
struct Room {
    used: Mutex<usize>,
    changed: Condvar,
}

impl Room {
    /// Waits for free bytes, then takes `bytes`: one line may exceed the bound.
    ///
    /// The end of the session drops all permits, which ends the wait.
    fn take(self: &Arc<Self>, bytes: usize) -> Permit {
        let used = self
            .changed
            .wait_while(lock(&self.used), |used| *used >= BACKLOG_BYTES);
        *used.unwrap_or_else(PoisonError::into_inner) += bytes;
        Permit {
            room: Some(Arc::clone(self)),
            bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Read};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Endless input; counts the bytes that were taken.
    struct Flood(Arc<AtomicUsize>);

    impl Read for Flood {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = buffer.len() / 5 * 5;
            buffer[..length]
                .as_chunks_mut()
                .0
                .iter_mut()
                .for_each(|line: &mut [u8; 5]| *line = *b"name\n");
            self.0.fetch_add(length, Ordering::Relaxed);
            Ok(length)
        }
    }

    #[test]
    fn a_flood_waits_outside_until_there_is_room_again() {
        // Lines in the reader's buffer, and the one that it is about to send.
        const HELD: usize = 10_000;
        let taken = Arc::new(AtomicUsize::new(0));
        let (sender, messages) = mpsc::channel();
        read_ahead(
            LineReader::new(BufReader::new(Flood(Arc::clone(&taken)))),
            sender,
        )
        .unwrap();
        let mut backlog = Backlog::default();
        let mut handled = 0;
        for _ in 0..3 {
            while !backlog.is_full() {
                match messages.recv() {
                    Ok(Message::Input(Ok(Some(line)), permit)) => backlog.push(line, permit),
                    _ => panic!("an endless flood of lines"),
                }
            }
            // The reader has counted the same bytes: it sends no more, however long it has had for it.
            assert!(messages.try_recv().is_err());
            let lines = taken.load(Ordering::Relaxed) / 5;
            let waiting = backlog.iter().count();
            assert!(
                waiting <= BACKLOG_BYTES / LINE_BYTES,
                "{waiting} lines wait"
            );
            assert!(
                (handled + waiting..handled + waiting + HELD).contains(&lines),
                "{lines} lines read"
            );
            for _ in 0..waiting / 2 {
                backlog.pop();
                handled += 1;
            }
        }
    }
}
