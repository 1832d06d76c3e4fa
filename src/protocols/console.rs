//! Reads and writes the lines of all protocols.
//!
//! Input may have any line end, any bytes and any length. Each write is a whole line and is flushed, so that lines never
//! interleave. The log has all traffic at `trace`.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::sync::Mutex;

use crate::util::input_file::read_line;
use crate::util::lock;
use crate::util::os::pipes::reader_is_gone;
use crate::util::printable::escaped;
use crate::util::text::{UTF_16, is_utf_16};

/// Longest line, in bytes; a game of 60 moves with clocks and names needs about 2,000.
pub const MAX_LINE_BYTES: usize = 1 << 16;
/// Bytes of the begin of a longer line, which names its command.
const BEGIN_BYTES: usize = 64;

/// A line of input, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputLine {
    /// Its text; bytes that are not UTF-8 appear as U+FFFD.
    Text(String),
    /// More than [`MAX_LINE_BYTES`], dropped; the begin of its text.
    TooLong(String),
}

/// The characters of a line for a message: printable ASCII, and `?` for others.
pub fn printable(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|c| {
        if c.is_ascii_graphic() || c == ' ' {
            c
        } else {
            '?'
        }
    })
}

/// The begin of a line for a message.
pub fn shown(text: &str) -> String {
    printable(text).take(80).collect()
}

/// Reads lines; read lines can be put back.
pub struct LineReader {
    source: Box<dyn BufRead + Send>,
    replay: VecDeque<InputLine>,
    /// Bytes have been read.
    has_begun: bool,
    /// The rest of a too long line comes next.
    is_cut: bool,
}

impl LineReader {
    pub fn new(source: impl BufRead + Send + 'static) -> Self {
        Self {
            source: Box::new(source),
            replay: VecDeque::new(),
            has_begun: false,
            is_cut: false,
        }
    }

    pub fn stdin() -> Self {
        Self::new(BufReader::with_capacity(MAX_LINE_BYTES, io::stdin()))
    }

    /// The next line, `None` at the end of input; blocks. A line ends in LF, CRLF or the end of input.
    ///
    /// # Errors
    /// When the input cannot be read or is UTF-16.
    pub fn read(&mut self) -> io::Result<Option<InputLine>> {
        if let Some(line) = self.replay.pop_front() {
            return Ok(Some(line));
        }
        let line = self
            .read_source()
            .map_err(|error| io::Error::new(error.kind(), format!("reading the input: {error}")))?;
        match &line {
            Some(InputLine::Text(text)) => log::trace!("< {text}"),
            Some(InputLine::TooLong(_)) => {
                log::trace!("< (a line of more than {MAX_LINE_BYTES} bytes)")
            }
            None => log::trace!("< (end of input)"),
        }
        Ok(line)
    }

    /// Puts lines back, to be read next in their order.
    pub fn unread(&mut self, lines: Vec<InputLine>) {
        for line in lines.into_iter().rev() {
            self.replay.push_front(line);
        }
    }

    fn read_source(&mut self) -> io::Result<Option<InputLine>> {
        if self.is_cut {
            self.source.skip_until(b'\n')?;
        }
        let mut line = Vec::new();
        self.is_cut = read_line(&mut self.source, MAX_LINE_BYTES + 1, &mut line)?;
        if !std::mem::replace(&mut self.has_begun, true) && is_utf_16(&line) {
            return Err(io::Error::new(ErrorKind::InvalidData, UTF_16));
        }
        Ok(match self.is_cut {
            true => {
                let begin = String::from_utf8_lossy(&line[..BEGIN_BYTES]);
                Some(InputLine::TooLong(begin.into_owned()))
            }
            false => (!line.is_empty()).then(|| finish(line)),
        })
    }
}

fn finish(mut bytes: Vec<u8>) -> InputLine {
    while matches!(bytes.last(), Some(b'\n' | b'\r')) {
        bytes.pop();
    }
    // Some programs put the mark at the start of files and pipes.
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    InputLine::Text(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// The byte order mark of UTF-8.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// Writes whole lines, one at a time from any thread.
pub struct LineWriter {
    sink: Mutex<Box<dyn Write + Send>>,
}

impl LineWriter {
    pub fn new(sink: impl Write + Send + 'static) -> Self {
        Self {
            sink: Mutex::new(Box::new(sink)),
        }
    }

    pub fn stdout() -> Self {
        Self::new(io::stdout())
    }

    pub fn stderr() -> Self {
        Self::new(io::stderr())
    }

    /// Writes `text` and LF as one piece and flushes it.
    pub fn line(&self, text: &str) -> io::Result<()> {
        let mut piece = String::with_capacity(text.len() + 1);
        piece.push_str(text);
        piece.push('\n');
        self.piece(&piece)
    }

    /// Writes `piece` without control characters and flushes it: a prompt, or several lines.
    pub fn piece(&self, piece: &str) -> io::Result<()> {
        let piece = escaped(piece);
        log::trace!("> {}", piece.strip_suffix('\n').unwrap_or(&piece));
        let mut sink = lock(&self.sink);
        sink.write_all(piece.as_bytes())?;
        sink.flush()
    }
}

/// Turns the error that the reader of the output has gone into `Ok(None)`.
pub fn quiet_broken_pipe<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if reader_is_gone(&error) => Ok(None),
        other => other.map(Some),
    }
}

/// Output in memory, for tests.
#[cfg(any(test, fuzzing))]
#[derive(Clone, Default)]
pub struct Page(std::sync::Arc<Mutex<Vec<u8>>>);

#[cfg(any(test, fuzzing))]
impl Page {
    /// All output, which must be text.
    pub fn text(&self) -> String {
        String::from_utf8(lock(&self.0).clone()).expect("output is text")
    }

    pub fn clear(&self) {
        lock(&self.0).clear();
    }
}

#[cfg(any(test, fuzzing))]
impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn all(bytes: impl Into<Vec<u8>>) -> Vec<InputLine> {
        let mut reader = LineReader::new(Cursor::new(bytes.into()));
        std::iter::from_fn(|| reader.read().unwrap()).collect()
    }

    fn text(text: &str) -> InputLine {
        InputLine::Text(text.to_owned())
    }

    #[test]
    fn every_line_end_counts_and_any_bytes_are_a_line() {
        for (bytes, lines) in [
            (&b"a\nb\r\n\nc"[..], &["a", "b", "", "c"][..]),
            (b"", &[]),
            (b"\n", &[""]),
            (b"x\r", &["x"]),
            (b"a\0b\n\xff\xfe\n", &["a\0b", "\u{fffd}\u{fffd}"]),
            (b"\xef\xbb\xbfgo\n", &["go"]),
        ] {
            let expected: Vec<InputLine> = lines.iter().map(|line| text(line)).collect();
            assert_eq!(all(bytes), expected, "{bytes:?}");
        }
        let mut reader = LineReader::new(&b"\xff\xfe{\0}\0\n\0"[..]);
        let error = reader.read().unwrap_err().to_string();
        assert_eq!(error, "reading the input: UTF-16 text; save it as UTF-8");
    }

    #[test]
    fn long_lines_are_dropped_and_reading_goes_on() {
        let mut input = vec![b'x'; MAX_LINE_BYTES];
        input.push(b'\n');
        input.extend(vec![b'y'; 3 * MAX_LINE_BYTES]);
        input.extend(b"\nping 1\n");
        let lines = all(input);
        assert!(matches!(&lines[0], InputLine::Text(text) if text.len() == MAX_LINE_BYTES));
        let long = InputLine::TooLong("y".repeat(BEGIN_BYTES));
        assert_eq!(lines[1..], [long, text("ping 1")]);
    }

    #[test]
    fn lines_put_back_are_read_again_first() {
        let mut reader = LineReader::new(Cursor::new("a\nb\nc\n"));
        let read = vec![
            reader.read().unwrap().unwrap(),
            reader.read().unwrap().unwrap(),
        ];
        reader.unread(read);
        let rest: Vec<InputLine> = std::iter::from_fn(|| reader.read().unwrap()).collect();
        assert_eq!(rest, [text("a"), text("b"), text("c")]);
    }

    #[test]
    fn a_line_is_one_write() {
        struct Pieces(std::sync::mpsc::Sender<Vec<u8>>);
        impl Write for Pieces {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.send(bytes.to_vec()).unwrap();
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (sender, pieces) = std::sync::mpsc::channel();
        let writer = LineWriter::new(Pieces(sender));
        writer.line("pong 1").unwrap();
        assert_eq!(pieces.try_iter().collect::<Vec<_>>(), [b"pong 1\n"]);
    }

    #[test]
    fn a_gone_reader_is_no_error() {
        assert!(matches!(
            quiet_broken_pipe::<()>(Err(ErrorKind::BrokenPipe.into())),
            Ok(None)
        ));
        assert!(quiet_broken_pipe::<()>(Err(ErrorKind::StorageFull.into())).is_err());
        assert!(matches!(quiet_broken_pipe(Ok(1)), Ok(Some(1))));
    }
}
