//! One loop for every session: lines, the engine's events and the passing of time reach it on one thread.
//!
//! ```text
//! stdin ─▶ reader thread ─┐ (waits while the backlog is full)
//!                         ├─▶ one channel ─▶ Session (the calling thread, owns stdout)
//! worker thread: events ──┘                     │
//!        ▲──────────── jobs, stop ──────────────┘
//! ```
//!
//! Input is read ahead while a search runs, so that what interrupts it is seen at once. What is read
//! ahead is bounded: a client that floods us is slowed down, not stored.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use super::console::{InputLine, LineReader, quiet_broken_pipe};
use crate::engine::{Engine, Event, Job, JobId, Options};
use crate::util::os::threads::no_thread;

/// What lines read and not yet executed may take, in bytes: some 7,000 short commands.
const BACKLOG_BYTES: usize = 1 << 20;
/// What a line takes beside its text.
const LINE_BYTES: usize = 128;

/// What can happen to a session.
#[derive(Debug)]
pub enum Input {
    /// A line came in. Its permit must live as long as anything of the line waits.
    Line(InputLine, Permit),
    End,
    Event(Event),
    /// Nothing else happened until [`Session::deadline`].
    Tick,
}

/// A conversation in one of the protocols.
pub trait Session {
    /// Says what comes before the first line of input, if anything does.
    fn begin(&mut self, _now: Instant) -> io::Result<()> {
        Ok(())
    }

    /// Takes what happened and does all that follows from it; returns without waiting for the engine.
    fn handle(&mut self, input: Input, now: Instant) -> io::Result<()>;

    /// When the session wants a `Tick` if nothing else happens.
    fn deadline(&self) -> Option<Instant>;

    /// Everything asked for is answered and the client has gone.
    fn is_done(&self) -> bool;
}

/// What a session needs of an engine.
pub trait Searcher {
    /// Hands in a job; returns at once.
    fn start(&mut self, job: Job) -> JobId;
    /// Asks all jobs to end; returns at once.
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

/// Runs the session that `open` makes of an engine until it is done. That the reader of the output
/// has gone is a quiet end.
///
/// # Errors
/// When the output cannot be written, or the input cannot be read; what was read is answered first. And when the system
/// starts no thread.
pub fn run<S: Session>(
    reader: LineReader,
    options: Options,
    open: impl FnOnce(Engine) -> S,
) -> io::Result<()> {
    run_listening(reader, options, |_| (), open)
}

/// Gives a session a [`Input::Tick`] from another thread.
pub type Wake = Box<dyn FnOnce() + Send>;

/// As [`run`]; `listen` takes the means to wake the session, and what it gives is dropped after the session.
pub fn run_listening<S: Session, L>(
    reader: LineReader,
    options: Options,
    listen: impl FnOnce(Wake) -> L,
    open: impl FnOnce(Engine) -> S,
) -> io::Result<()> {
    let (sender, messages) = mpsc::channel();
    let waker = sender.clone();
    let _listener = listen(Box::new(move || {
        // Fails only when the session is over.
        let _ = waker.send(Message::Wake);
    }));
    let events = sender.clone();
    let engine = Engine::new(options, move |event| {
        // Fails only when the session is over.
        let _ = events.send(Message::Event(event));
    })?;
    // The first move's time is for searching, not for reading weights.
    engine.prepare();
    let room = Arc::new(Backpressure::default());
    read_ahead(reader, sender, Arc::clone(&room))?;
    let result = serve(&mut open(engine), &messages);
    room.close();
    quiet_broken_pipe(result).map(drop)
}

/// What reaches the session's thread.
enum Message {
    /// A line, the end of input or why there is no more of it.
    Input(io::Result<Option<InputLine>>, Permit),
    Event(Event),
    Wake,
}

/// Reads from a thread of its own until the end of input or of the session.
fn read_ahead(mut reader: LineReader, sender: Sender<Message>, room: Arc<Backpressure>) -> io::Result<()> {
    // Not joined: it may be blocked in a read when the session is over.
    thread::Builder::new()
        .name("emilia-reader".into())
        .spawn(move || {
            loop {
                let input = reader.read();
                let at_end = !matches!(input, Ok(Some(_)));
                let permit = Backpressure::take(&room, cost(&input));
                if sender.send(Message::Input(input, permit)).is_err() || at_end {
                    break;
                }
            }
        })
        .map(drop)
        .map_err(no_thread)
}

fn cost(input: &io::Result<Option<InputLine>>) -> usize {
    match input {
        Ok(Some(InputLine::Text(text))) => LINE_BYTES + text.len(),
        _ => LINE_BYTES,
    }
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
        Some(deadline) => match messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => unreachable!("{OPEN}"),
        },
    }
}

/// Commands read and not yet executed, oldest first.
#[derive(Debug)]
pub struct Backlog<C> {
    waiting: VecDeque<(C, Permit)>,
    bytes: usize,
}

impl<C> Default for Backlog<C> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), bytes: 0 }
    }
}

impl<C> Backlog<C> {
    pub fn push(&mut self, command: C, permit: Permit) {
        self.bytes += permit.bytes;
        self.waiting.push_back((command, permit));
    }

    /// Takes the oldest command, which makes room for another line.
    pub fn pop(&mut self) -> Option<C> {
        let (command, permit) = self.waiting.pop_front()?;
        self.bytes -= permit.bytes;
        Some(command)
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// No more is read until a command is taken, so nothing that follows can interrupt a search.
    pub fn is_full(&self) -> bool {
        self.bytes >= BACKLOG_BYTES
    }

    pub fn iter(&self) -> impl Iterator<Item = &C> {
        self.waiting.iter().map(|(command, _)| command)
    }
}

/// The right of a line to wait; dropping it lets the reader go on.
#[derive(Debug, Default)]
pub struct Permit {
    room: Option<Arc<Backpressure>>,
    bytes: usize,
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(room) = &self.room {
            room.lock().used -= self.bytes;
            room.changed.notify_one();
        }
    }
}

/// How much of [`BACKLOG_BYTES`] is taken.
#[derive(Debug, Default)]
struct Backpressure {
    state: Mutex<BackpressureState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct BackpressureState {
    used: usize,
    closed: bool,
}

impl Backpressure {
    fn lock(&self) -> MutexGuard<'_, BackpressureState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something is free, then takes `bytes`: one line may go beyond the bound.
    fn take(room: &Arc<Self>, bytes: usize) -> Permit {
        let mut state = room.lock();
        while state.used >= BACKLOG_BYTES && !state.closed {
            state = room.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.used += bytes;
        Permit { room: Some(Arc::clone(room)), bytes }
    }

    /// Nobody waits for room any more: the session is over.
    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Cursor, Read};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Endless input; counts the bytes that were taken.
    struct Flood(Arc<AtomicUsize>);

    impl Read for Flood {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = buffer.len() / 5 * 5;
            buffer[..length].as_chunks_mut().0.iter_mut().for_each(|line: &mut [u8; 5]| *line = *b"name\n");
            self.0.fetch_add(length, Ordering::Relaxed);
            Ok(length)
        }
    }

    #[test]
    fn a_flood_waits_outside_until_there_is_room_again() {
        // Lines that the reader may hold itself: in its buffer, and one in its hand.
        const HELD: usize = 10_000;
        let taken = Arc::new(AtomicUsize::new(0));
        let (sender, messages) = mpsc::channel();
        let room = Arc::new(Backpressure::default());
        read_ahead(LineReader::new(BufReader::new(Flood(Arc::clone(&taken)))), sender, Arc::clone(&room))
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
            assert!(waiting <= BACKLOG_BYTES / LINE_BYTES, "{waiting} lines wait");
            assert!((handled + waiting..handled + waiting + HELD).contains(&lines), "{lines} lines read");
            for _ in 0..waiting / 2 {
                backlog.pop();
                handled += 1;
            }
        }
        room.close();
    }

    /// Keeps whatever comes.
    #[derive(Default)]
    struct Hoarder {
        backlog: Backlog<InputLine>,
        ended: bool,
    }

    impl Session for Hoarder {
        fn handle(&mut self, input: Input, _: Instant) -> io::Result<()> {
            match input {
                Input::Line(line, permit) => self.backlog.push(line, permit),
                Input::End => self.ended = true,
                Input::Tick | Input::Event(_) => {}
            }
            Ok(())
        }

        fn deadline(&self) -> Option<Instant> {
            None
        }

        fn is_done(&self) -> bool {
            self.ended
        }
    }

    #[test]
    fn input_that_cannot_be_read_is_an_error_after_the_end() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::IsADirectory.into())
            }
        }
        let (sender, messages) = mpsc::channel();
        let input = BufReader::new(Cursor::new("one\n").chain(Broken));
        read_ahead(LineReader::new(input), sender, Arc::default()).unwrap();
        let mut session = Hoarder::default();
        let result = serve(&mut session, &messages);
        assert!(session.ended);
        assert_eq!(session.backlog.iter().count(), 1);
        let error = result.unwrap_err().to_string();
        assert!(error.starts_with("reading the input: "), "{error}");
    }

    #[test]
    fn a_backlog_knows_when_it_is_full() {
        let mut backlog = Backlog::default();
        let room = Arc::new(Backpressure::default());
        while !backlog.is_full() {
            backlog.push((), Backpressure::take(&room, 100_000));
        }
        assert!(room.lock().used >= BACKLOG_BYTES);
        backlog.pop();
        assert!(!backlog.is_full());
        while backlog.pop().is_some() {}
        assert_eq!((room.lock().used, backlog.is_empty()), (0, true));
    }
}
