//! A keyboard with line editing: history, completion, and output above the typed line.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result};
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, ExternalPrinter, Helper};

use super::command::{COMMANDS, Effect, Line, read};
use super::history::History;
use crate::protocols::console::LineReader;
use crate::util::os::folders::state_folder;
use crate::util::printable::is_command;

const PROMPT: &str = "> ";
/// Names the file of the history; `off` disables it.
const HISTORY_VARIABLE: &str = "EMILIA_HISTORY";

/// The source of lines and the place for answers: a line editor if the terminal can have one.
pub struct Keyboard {
    pub lines: LineReader,
    pub out: Box<dyn Write>,
    /// Whether the session must print the prompt.
    pub prompts: bool,
    pub is_interactive: bool,
    /// The reason that no lines are kept, if the file of the history is refused.
    pub notice: Option<String>,
}

impl Keyboard {
    /// Opens stdin and stdout. A line editor reads Ctrl-C as a key and calls `interrupt`. `refuse_named` refuses a file
    /// that the command line names.
    pub fn open(interrupt: fn(), refuse_named: fn(&Path) -> Result<()>) -> Self {
        let is_interactive = io::stdin().is_terminal();
        let editor = is_interactive.then(|| open_editor(interrupt, refuse_named));
        editor.flatten().unwrap_or_else(|| Self {
            lines: LineReader::stdin(),
            out: Box::new(io::stdout()),
            prompts: is_interactive,
            is_interactive,
            notice: None,
        })
    }
}

/// A reader of edited lines, and a writer above the typed line; `None` if the terminal has no line editing.
fn open_editor(interrupt: fn(), refuse_named: fn(&Path) -> Result<()>) -> Option<Keyboard> {
    let config = Config::builder()
        .auto_add_history(true)
        .max_history_size(1000)
        .ok()?
        .build();
    let history = MemHistory::with_config(&config);
    let mut editor = Editor::with_history(config, history).ok()?;
    editor.set_helper(Some(Words {
        files: FilenameCompleter::new(),
    }));
    let printer = editor.create_external_printer().ok()?;
    let path = history_file(|name| std::env::var_os(name));
    let opened = path.map(|path| {
        let opened = refuse_named(&path).and_then(|()| Ok(History::open(&path)?));
        opened.with_context(|| format!("typed lines are not kept: {}", path.display()))
    });
    let mut notice = None;
    let mut history = None;
    match opened {
        Some(Ok((file, lines))) => {
            for line in lines {
                let _ = editor.add_history_entry(line);
            }
            history = Some(file);
        }
        Some(Err(error)) => notice = Some(format!("{error:#}")),
        None => {}
    }
    let lines = EditedLines {
        editor,
        history,
        interrupt,
        line: VecDeque::new(),
        has_ended: false,
    };
    let screen = Screen {
        printer,
        text: Vec::new(),
    };
    Some(Keyboard {
        lines: LineReader::new(BufReader::new(lines)),
        out: Box::new(screen),
        prompts: false,
        is_interactive: true,
        notice,
    })
}

/// The file of the lines of earlier sessions, if there is one.
fn history_file(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    match variable(HISTORY_VARIABLE).filter(|name| !name.is_empty()) {
        Some(name) if name == "off" => None,
        Some(name) => Some(name.into()),
        None => Some(state_folder(&variable)?.join("emilia/play_history")),
    }
}

struct EditedLines {
    editor: Editor<Words, MemHistory>,
    history: Option<History>,
    interrupt: fn(),
    /// The rest of the last line.
    line: VecDeque<u8>,
    /// The editor has left the terminal.
    has_ended: bool,
}

impl EditedLines {
    /// The next line; empty at the end.
    fn next(&mut self) -> io::Result<Vec<u8>> {
        match self.editor.readline(PROMPT) {
            Ok(line) => {
                // After each line: a session may end in any way. A full disk does not end the game.
                let _ = self.history.as_mut().map(|history| history.add(&line));
                self.has_ended = is_quit(&line);
                Ok((line + "\n").into_bytes())
            }
            Err(ReadlineError::Io(error)) => Err(error),
            Err(error) => {
                if matches!(error, ReadlineError::Interrupted) {
                    (self.interrupt)();
                }
                self.has_ended = true;
                Ok(Vec::new())
            }
        }
    }
}

impl Read for EditedLines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.line.is_empty() && !self.has_ended {
            self.line = self.next()?.into();
        }
        self.line.read(buffer)
    }
}

/// The terminal above the typed line; a flush shows the written text.
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
        // It fails only after the reader has ended.
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

    fn complete(
        &self,
        line: &str,
        at: usize,
        context: &Context,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = &line[..at];
        match typed.split_once(char::is_whitespace) {
            Some(("load" | "save" | "save!", _)) => {
                // The editor escapes no names.
                let (at, mut names) = self.files.complete(line, at, context)?;
                names.retain(|name| !name.replacement.contains(is_command));
                Ok((at, names))
            }
            Some(_) => Ok((at, Vec::new())),
            None => Ok((0, completions(typed))),
        }
    }
}

/// The commands that begin like this.
fn completions(typed: &str) -> Vec<Pair> {
    let names = COMMANDS.names().flat_map(|names| names.split(' '));
    let names = names.filter(|name| name.len() > 1 && name.starts_with(typed));
    names
        .map(|name| Pair {
            display: name.to_owned(),
            replacement: format!("{name} "),
        })
        .collect()
}

fn is_quit(line: &str) -> bool {
    matches!(read(line, Instant::now()), Line::Command(typed) if typed.command.effect == Effect::Leaves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_names_the_history_file() {
        let of = |variables: &[(&str, &str)]| {
            let read = |name: &str| {
                variables
                    .iter()
                    .find(|(other, _)| *other == name)
                    .map(|(_, value)| value.into())
            };
            history_file(read)
        };
        assert_eq!(
            of(&[
                (HISTORY_VARIABLE, "off"),
                ("HOME", "/h"),
                ("LOCALAPPDATA", "C:\\h")
            ]),
            None
        );
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
        let found = |typed| {
            completions(typed)
                .into_iter()
                .map(|pair| pair.display)
                .collect::<Vec<_>>()
        };
        assert_eq!(found("un"), ["undo"]);
        assert_eq!(found("le"), ["level", "lesson"]);
        assert!(found("x").is_empty());
        assert!(is_quit(" Q ") && !is_quit("undo"));
    }
}
