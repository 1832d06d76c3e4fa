//! A keyboard with line editing: history, completion, and a line under way that survives what is shown meanwhile.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;

use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, ExternalPrinter, Helper};

use super::command::{PlayCommand, WORDS};
use crate::protocols::console::LineReader;
use crate::util::os::folders::state_folder;
use crate::util::printable::is_command;

/// The prompt.
const PROMPT: &str = "> ";
/// Names the file that keeps what was typed; `off` for none.
const HISTORY_VARIABLE: &str = "EMILIA_HISTORY";

/// A reader of edited lines, and a writer that keeps clear of the line being typed; `None` where the terminal cannot.
///
/// Calls `interrupt` at Ctrl-C, which is a key here and no signal.
pub fn open(interrupt: fn()) -> Option<(LineReader, Box<dyn Write>)> {
    let config = Config::builder().auto_add_history(true).max_history_size(1000).ok()?.build();
    let history = FileHistory::with_config(&config);
    let mut editor = Editor::with_history(config, history).ok()?;
    editor.set_helper(Some(Words { files: FilenameCompleter::new() }));
    let printer = editor.create_external_printer().ok()?;
    let history = history_file(|name| std::env::var_os(name));
    if let Some(path) = &history {
        // Without it one starts afresh.
        let _ = path.parent().map(fs::create_dir_all);
        let _ = editor.load_history(path);
    }
    let lines = EditedLines { editor, history, interrupt, line: Vec::new(), at: 0, has_ended: false };
    Some((LineReader::new(lines), Box::new(Screen { printer, text: Vec::new() })))
}

/// The file that keeps what was typed for later sessions, if any is to.
fn history_file(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let usual = || Some(state_folder(&variable)?.join("emilia/play_history"));
    match variable(HISTORY_VARIABLE).filter(|name| !name.is_empty()) {
        Some(name) if name == "off" => None,
        Some(name) => Some(name.into()),
        None => usual(),
    }
}

/// Lines as they are typed.
struct EditedLines {
    editor: Editor<Words, FileHistory>,
    /// Where they are kept.
    history: Option<PathBuf>,
    interrupt: fn(),
    line: Vec<u8>,
    at: usize,
    /// Nothing more is read: the terminal is as it was before.
    has_ended: bool,
}

impl BufRead for EditedLines {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.line.len() && !self.has_ended {
            self.at = 0;
            self.line = match self.editor.readline(PROMPT) {
                Ok(line) => {
                    // After each line: a session may end in any way.
                    let _ = self.history.as_ref().map(|path| self.editor.append_history(path));
                    self.has_ended = PlayCommand::parse(&line) == Ok(PlayCommand::Quit);
                    (line + "\n").into_bytes()
                }
                Err(ReadlineError::Io(error)) => return Err(error),
                Err(ReadlineError::Interrupted) => {
                    (self.interrupt)();
                    Vec::new()
                }
                // Ctrl-D leaves.
                Err(_) => Vec::new(),
            };
            self.has_ended |= self.line.is_empty();
        }
        Ok(&self.line[self.at..])
    }

    fn consume(&mut self, count: usize) {
        self.at += count;
    }
}

impl Read for EditedLines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

/// The terminal above the line being typed; what is written appears when it is flushed.
struct Screen<P> {
    printer: P,
    text: Vec<u8>,
}

impl<P: ExternalPrinter> Write for Screen<P> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&std::mem::take(&mut self.text)).into_owned();
        // It fails when the reader has ended: then nobody looks any more.
        let _ = self.printer.print(text);
        Ok(())
    }
}

/// Completes commands, and behind `load` and `save` names of files.
struct Words {
    files: FilenameCompleter,
}

impl Helper for Words {}
impl Highlighter for Words {}
impl Validator for Words {}
impl Hinter for Words {
    type Hint = String;
}

impl Completer for Words {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, context: &Context) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = &line[..at];
        match typed.split_once(char::is_whitespace) {
            Some(("load" | "save" | "save!" | "save-board" | "save-board!", _)) => {
                // The editor shows names as they are.
                let (at, mut names) = self.files.complete(line, at, context)?;
                names.retain(|name| !name.replacement.contains(is_command));
                Ok((at, names))
            }
            Some(_) => Ok((at, Vec::new())),
            None => Ok((0, completions(typed))),
        }
    }
}

/// Commands that begin so.
fn completions(typed: &str) -> Vec<Pair> {
    let words = WORDS.iter().filter(|word| word.starts_with(typed));
    words.map(|word| Pair { display: (*word).to_owned(), replacement: format!("{word} ") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_kept_where_the_environment_says() {
        let of = |variables: &[(&str, &str)]| {
            let read = |name: &str| {
                variables.iter().find(|(other, _)| *other == name).map(|(_, value)| value.into())
            };
            history_file(read)
        };
        assert_eq!(of(&[(HISTORY_VARIABLE, "off"), ("HOME", "/h"), ("LOCALAPPDATA", "C:\\h")]), None);
        assert_eq!(of(&[(HISTORY_VARIABLE, "mine")]), Some("mine".into()));
        assert_eq!(of(&[]), None, "nowhere to keep it");
        if cfg!(all(unix, not(target_os = "macos"))) {
            assert_eq!(
                of(&[(HISTORY_VARIABLE, ""), ("HOME", "/h")]),
                Some("/h/.local/state/emilia/play_history".into())
            );
        }
    }

    #[test]
    fn commands_are_completed() {
        let found = |typed| completions(typed).into_iter().map(|pair| pair.display).collect::<Vec<_>>();
        assert_eq!(found("un"), ["undo"]);
        assert_eq!(found("le"), ["level", "lesson"]);
        assert!(found("x").is_empty());
        for word in WORDS {
            let is_known =
                !matches!(PlayCommand::parse(word), Err(error) if error.contains("? lists the commands"));
            assert!(is_known, "{word}");
        }
    }
}
