//! Translates the command lines that match tools and GUIs send to Edax and Egaroucid.
//!
//! Edax and Egaroucid have long options with one dash (`-level 10 -n-tasks 2 -book-usage off`), name the protocol by an
//! option (`-gtp`, `-nboard`), and open a console without one. Tools that start them can start Emilia with the same line.
//! The log notes options without a meaning here. An unknown option or a bad value is a warning, because a client shows
//! nothing of an engine that ends. Only sessions are translated.
//!
//! The names are those of Edax 4.6 (`edax -help`) and Egaroucid 7.9 for console (its README).

use std::ffi::OsString;
use std::path::Path;

use clap::{Args as _, Command};

use crate::peers::Protocol;
use crate::protocols::edax::selectivity_of;
use crate::util::commands::Table;

/// The program whose option it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Edax,
    Egaroucid,
    Both,
}

/// The translation of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Becomes {
    /// Emilia's option of this name, with the value if it has one.
    Ours(&'static str),
    /// `--hash`; the value is the binary logarithm of Edax's number of entries, of 24 bytes each.
    HashOfEntries,
    /// `--depth` at the console, `--level` elsewhere.
    Depth,
    /// `--selectivity` at the console, in percent; no effect elsewhere.
    Selectivity,
    /// The console's option of this name, with its default value; no effect elsewhere.
    Console(&'static str, Option<&'static str>),
    /// `--eval` with the name of an evaluation, else `--eval-file`.
    Evaluation,
    /// Threads (Egaroucid) or the time of a game (Edax), by the other options.
    TimeOrThreads,
    /// No effect, and no value.
    Nothing,
    /// No effect; skips the value.
    NothingWithValue,
    /// No effect; skips the next word if it is a number.
    NothingWithNumber,
}

use Becomes::{Console, Nothing, NothingWithNumber, NothingWithValue, Ours};
use Of::{Both, Edax, Egaroucid};

/// The options: names, program, translation. They have one dash or two.
const OPTIONS: Table<(Of, Becomes)> = Table(&[
    ("level", (Both, Ours("level"))),
    ("quiet", (Both, Ours("quiet"))),
    ("silent", (Egaroucid, Ours("quiet"))),
    ("solve", (Both, Console("solve", None))),
    ("sol s", (Egaroucid, Console("solve", None))),
    ("threads", (Both, Ours("threads"))),
    ("thread", (Egaroucid, Ours("threads"))),
    ("n-tasks n", (Edax, Ours("threads"))),
    ("t", (Both, Becomes::TimeOrThreads)),
    ("depth d", (Edax, Becomes::Depth)),
    ("selectivity", (Edax, Becomes::Selectivity)),
    ("hash-table-size h", (Edax, Becomes::HashOfEntries)),
    ("hash hashlevel", (Egaroucid, Ours("hash"))),
    ("move-time", (Edax, Ours("move-time"))),
    ("game-time", (Edax, Ours("clock"))),
    ("time", (Egaroucid, Ours("clock"))),
    ("eval-file", (Edax, Ours("eval-file"))),
    ("eval", (Egaroucid, Becomes::Evaluation)),
    ("nobook", (Egaroucid, Ours("no-book"))),
    ("no-book", (Both, Ours("no-book"))),
    ("book-usage", (Edax, Ours("book-usage"))),
    ("ponder", (Edax, Ours("ponder"))),
    ("verbose", (Edax, Console("verbose", None))),
    ("vv", (Edax, Console("verbose", Some("2")))),
    ("mode", (Both, Console("mode", None))),
    ("m", (Egaroucid, Console("mode", None))),
    (
        "noboard noautopass showvalue noautocacheclear",
        (Egaroucid, Nothing),
    ),
    ("cpu info debug-cassio follow-cassio", (Edax, Nothing)),
    ("book logfile logdir", (Egaroucid, NothingWithValue)),
    (
        "book-file book-randomness echo all-best o auto-start auto-store auto-swap auto-quit",
        (Edax, NothingWithValue),
    ),
    (
        "game-file search-log-file ui-log-file name",
        (Edax, NothingWithValue),
    ),
    (
        "noise width alpha beta speed nps repeat",
        (Edax, NothingWithNumber),
    ),
]);

/// Options of Emilia, if they have two dashes.
const OURS: &[&str] = &[
    "book", "hash", "eval", "log", "batch", "note", "help", "version",
];

fn protocol(word: &OsString) -> Option<&'static str> {
    let (name, value, _) = option(word)?;
    Protocol::named(name)
        .filter(|_| value.is_none())
        .map(Protocol::name)
}

/// The option for help or the version.
fn question(word: &str) -> Option<&'static str> {
    match word {
        "-h" | "-?" | "-help" | "--help" => Some("--help"),
        "-V" | "-v" | "-version" | "--version" => Some("--version"),
        _ => None,
    }
}

/// The translated arguments, with a subcommand first. Hidden options `--note` and `--warning` hold the messages.
pub fn translated(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args = args.into_iter();
    let program = args.next().unwrap_or_else(|| "emilia".into());
    let mut rest: Vec<OsString> = args.collect();
    let first = rest.first().and_then(|word| word.to_str()).unwrap_or("");
    let is_plain = rest.is_empty() || first.starts_with('-');
    if rest.len() == 1
        && let Some(ours) = question(first)
    {
        return vec![program, ours.into()];
    }
    if is_plain {
        // The protocol may come after other options.
        let place = rest.iter().position(|word| protocol(word).is_some());
        let session = match place {
            Some(place) => protocol(&rest.remove(place)).expect("just found"),
            None if rest.first().is_some_and(is_theirs) || is_called_edax(&program) => "edax",
            None => "auto",
        };
        rest = [vec![session.into()], translate(&rest, session)].concat();
    } else if first == "auto" || Protocol::named(first).is_some() {
        rest = [vec![rest[0].clone()], translate(&rest[1..], first)].concat();
    }
    rest.insert(0, program);
    rest
}

/// Whether the program has a name of Edax, such as `lEdax-x64-modern`.
fn is_called_edax(program: &OsString) -> bool {
    let name = Path::new(program).file_stem().unwrap_or_default();
    name.to_string_lossy().to_ascii_lowercase().contains("edax")
}

/// Whether only Edax or Egaroucid has an option: it has one dash, or an unknown name.
fn is_theirs(word: &OsString) -> bool {
    let Some((name, _, dashes)) = option(word) else {
        return false;
    };
    let is_listed = ["q", "l"].contains(&name) || OPTIONS.find(name).is_some();
    is_listed
        && (dashes == 1
            || name.len() > 1
                && !is_ours(
                    &super::session::Args::augment_args(Command::new("session")),
                    name,
                ))
}

/// Whether Emilia has a visible long option of this name.
fn is_ours(command: &Command, name: &str) -> bool {
    command
        .get_arguments()
        .any(|arg| arg.get_long() == Some(name) && !arg.is_hide_set())
}

fn translate(words: &[OsString], session: &str) -> Vec<OsString> {
    let has = |of| {
        words
            .iter()
            .any(|word| known(word).is_some_and(|(_, whose, _)| whose == of))
    };
    let company = if has(Of::Edax) && !has(Of::Egaroucid) {
        Of::Edax
    } else {
        Of::Egaroucid
    };
    let at_console = session == "edax";
    let mut translation = Translation {
        at_console,
        ..Translation::default()
    };
    let mut rest = words.iter().peekable();
    let command = Command::new("session");
    let own = if at_console {
        super::edax::Args::augment_args(command)
    } else {
        super::session::Args::augment_args(command)
    };
    while let Some(word) = rest.next() {
        let number_follows = rest.peek().is_some_and(|next| is_number(next));
        match known(word) {
            // `-h` without a number asks for help.
            Some(("h", ..)) if !number_follows => translation.options.push(word.clone()),
            Some((name, _, becomes)) => {
                let takes_next = match becomes {
                    Nothing => false,
                    NothingWithNumber | Console("verbose", None) => number_follows,
                    Console(_, value) => value.is_none(),
                    Ours(ours) => own_option(&own, &format!("--{ours}").into()) == Some(true),
                    _ => true,
                };
                let glued = option(word)
                    .and_then(|(_, value, _)| value)
                    .map(OsString::from);
                let value = glued.or_else(|| rest.next_if(|_| takes_next).cloned());
                let becomes = match becomes {
                    Console(..) | Becomes::Selectivity if !at_console => Nothing,
                    becomes => becomes,
                };
                let begin = translation.options.len();
                translation.add(name, becomes, value, company);
                translation.check(&own, word, begin);
            }
            None if session == "auto" => translation.options.push(with_two_dashes(word)),
            None => {
                let word = with_two_dashes(word);
                match own_option(&own, &word) {
                    Some(takes_next) => {
                        translation.options.push(word);
                        translation
                            .options
                            .extend(rest.next_if(|_| takes_next).cloned());
                    }
                    None => translation
                        .warnings
                        .push(format!("{} is unknown and ignored", word.display())),
                }
            }
        }
    }
    let hidden = |option: &'static str, texts: Vec<String>| {
        texts
            .into_iter()
            .flat_map(move |text| [option.into(), text.into()])
    };
    let Translation {
        options,
        notes,
        warnings,
        ..
    } = translation;
    options
        .into_iter()
        .chain(hidden("--note", notes))
        .chain(hidden("--warning", warnings))
        .collect()
}

/// Whether the next word is the value of an option of `command`; `None` for another word.
fn own_option(command: &Command, word: &OsString) -> Option<bool> {
    let (name, value, dashes) = option(word)?;
    if ["help", "version", "h", "V"].contains(&name) {
        return Some(false);
    }
    let arg = command.get_arguments().find(|arg| match dashes {
        2 => arg.get_long() == Some(name),
        _ => arg.get_short().is_some_and(|short| name.starts_with(short)),
    })?;
    let is_glued = value.is_some() || dashes == 1 && name.len() > 1;
    Some(arg.get_action().takes_values() && !is_glued)
}

#[derive(Default)]
struct Translation {
    at_console: bool,
    options: Vec<OsString>,
    notes: Vec<String>,
    warnings: Vec<String>,
}

impl Translation {
    fn add(&mut self, name: &str, becomes: Becomes, value: Option<OsString>, company: Of) {
        let shown = value
            .as_ref()
            .map(|value| format!(" {}", value.display()))
            .unwrap_or_default();
        match becomes {
            Ours(ours) => self.option(ours, value),
            Becomes::TimeOrThreads => {
                let ours = if company == Of::Edax {
                    "clock"
                } else {
                    "threads"
                };
                self.option(ours, value);
                self.notes.push(format!(
                    "-t is --{ours}, as in {company:?} with these options"
                ));
            }
            Becomes::HashOfEntries => {
                let mib = value
                    .as_ref()
                    .and_then(|value| mib_of_entries(value.to_str()?));
                let value = mib.map(|mib| mib.to_string().into()).or(value);
                self.option("hash", value);
                self.notes
                    .push(format!("-{name}{shown} is converted to MiB"));
            }
            Becomes::Depth => self.option(if self.at_console { "depth" } else { "level" }, value),
            Becomes::Selectivity => {
                let number = value
                    .as_ref()
                    .and_then(|value| value.to_str()?.parse().ok());
                let percent = number.map_or(73, |number| selectivity_of(number).percent());
                self.option("selectivity", Some(percent.to_string().into()));
            }
            Console(ours, usual) => self.option(ours, value.or(usual.map(OsString::from))),
            Becomes::Evaluation => {
                let kind = value
                    .as_ref()
                    .and_then(|value| value.to_str()?.parse::<crate::eval::EvalKind>().ok());
                self.option(if kind.is_some() { "eval" } else { "eval-file" }, value);
            }
            Nothing | NothingWithValue | NothingWithNumber => {
                self.notes
                    .push(format!("-{name}{shown} has no effect here"));
            }
        }
    }

    /// Replaces the options from `begin` on, the translation of `word`, by a warning if their value is bad.
    fn check(&mut self, command: &Command, word: &OsString, begin: usize) {
        if option(word).is_some_and(|(name, _, dashes)| dashes == 2 && is_ours(command, name)) {
            return;
        }
        let words = &self.options[begin..];
        if let Err(error) = command
            .clone()
            .no_binary_name(true)
            .try_get_matches_from(words)
        {
            let text = error.to_string();
            let text = text
                .lines()
                .next()
                .unwrap_or_default()
                .trim_start_matches("error: ");
            self.warnings
                .push(format!("{} is ignored: {text}", word.display()));
            self.options.truncate(begin);
        }
    }

    fn option(&mut self, name: &str, value: Option<OsString>) {
        let mut word = OsString::from(format!("--{name}"));
        if let Some(value) = value {
            word.push("=");
            word.push(value);
        }
        self.options.push(word);
    }
}

/// An option's name, its value behind `=`, and the number of dashes before it.
fn option(word: &OsString) -> Option<(&str, Option<&str>, usize)> {
    let text = word.to_str()?;
    let name = text.strip_prefix("--").or_else(|| text.strip_prefix('-'))?;
    let dashes = text.len() - name.len();
    let (name, value) = name
        .split_once('=')
        .map_or((name, None), |(name, value)| (name, Some(value)));
    Some((name, value, dashes))
}

/// The row of the table for a word.
fn known(word: &OsString) -> Option<(&str, Of, Becomes)> {
    let (name, _, dashes) = option(word)?;
    if dashes == 2 && (OURS.contains(&name) || name.len() == 1) {
        return None;
    }
    OPTIONS
        .find(name)
        .map(|(whose, becomes)| (name, whose, becomes))
}

/// Adds a dash to a long name with one, such as `-batch`, which would be a row of short options.
fn with_two_dashes(word: &OsString) -> OsString {
    let is_long =
        |name: &str| name.len() > 1 && name.bytes().take(2).all(|byte| byte.is_ascii_alphabetic());
    let mut spelt = word.clone();
    if option(word).is_some_and(|(name, _, dashes)| dashes == 1 && is_long(name)) {
        spelt = OsString::from("-");
        spelt.push(word);
    }
    spelt
}

fn is_number(word: &OsString) -> bool {
    word.to_str()
        .is_some_and(|text| text.parse::<i64>().is_ok())
}

/// The size in MiB of Edax's table of 2^`bits` entries.
fn mib_of_entries(bits: &str) -> Option<u64> {
    /// Bytes of an entry in Edax.
    const BYTES: u64 = 24;
    let bits: u32 = bits.parse().ok().filter(|bits| (1..=50).contains(bits))?;
    Some(((BYTES << bits) >> 20).max(1))
}

#[cfg(test)]
mod tests;
