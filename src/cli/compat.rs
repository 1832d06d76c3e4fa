//! The command lines that match tools and GUIs send to other engines, translated into ours.
//!
//! Edax and Egaroucid take long options with one dash (`-level 10 -n-tasks 2 -book-usage off`) and
//! their protocol as an option (`-gtp`, `-nboard`); tools that start them can start us unchanged. What
//! has a meaning here keeps it; what has none is ignored with a note in the log; the parser refuses the
//! rest. Only sessions are translated, not the other commands.
//!
//! The names are those of Edax 4.6 (`edax -help`) and Egaroucid 7.9 for console (its README).

use std::ffi::OsString;

/// The program whose option it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Edax,
    Egaroucid,
    Both,
}

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Becomes {
    /// The same with this name of ours; a value stays a value.
    Ours(&'static str),
    /// `--hash`; the value is the binary logarithm of Edax's table entries, of 24 bytes each.
    HashOfEntries,
    /// `--eval` with one of our names, else `--eval-file`.
    Evaluation,
    /// Threads (Egaroucid) or the time of a game (Edax), by the company it keeps.
    TimeOrThreads,
    /// Nothing, with no value.
    Nothing,
    /// Nothing, and its value is passed over.
    NothingWithValue,
    /// Nothing; the next word is its value if it is a number.
    NothingWithNumber,
}

use Becomes::{Nothing, NothingWithNumber, NothingWithValue, Ours};

/// Their options: name, whose, what it becomes. With one dash or two; ours come first with two.
const OPTIONS: &[(&str, Of, Becomes)] = &[
    ("level", Of::Both, Ours("level")),
    ("quiet", Of::Both, Ours("quiet")),
    ("threads", Of::Both, Ours("threads")),
    ("thread", Of::Egaroucid, Ours("threads")),
    ("n-tasks", Of::Edax, Ours("threads")),
    ("n", Of::Edax, Ours("threads")),
    ("t", Of::Both, Becomes::TimeOrThreads),
    ("depth", Of::Edax, Ours("level")),
    ("d", Of::Edax, Ours("level")),
    ("hash-table-size", Of::Edax, Becomes::HashOfEntries),
    ("h", Of::Edax, Becomes::HashOfEntries),
    ("hash", Of::Egaroucid, Ours("hash")),
    ("move-time", Of::Edax, Ours("move-time")),
    ("game-time", Of::Edax, Ours("clock")),
    ("time", Of::Egaroucid, Ours("clock")),
    ("eval-file", Of::Edax, Ours("eval-file")),
    ("eval", Of::Egaroucid, Becomes::Evaluation),
    ("nobook", Of::Egaroucid, Ours("no-book")),
    ("no-book", Of::Both, Ours("no-book")),
    ("book-usage", Of::Edax, Ours("book-usage")),
    ("book-file", Of::Edax, NothingWithValue),
    ("book", Of::Egaroucid, NothingWithValue),
    ("book-randomness", Of::Edax, NothingWithValue),
    ("ponder", Of::Edax, Ours("ponder")),
    ("noboard", Of::Egaroucid, Nothing),
    ("noautopass", Of::Egaroucid, Nothing),
    ("showvalue", Of::Egaroucid, Nothing),
    ("verbose", Of::Edax, NothingWithNumber),
    ("vv", Of::Edax, Nothing),
    ("noise", Of::Edax, NothingWithNumber),
    ("width", Of::Edax, NothingWithNumber),
    ("mode", Of::Both, NothingWithNumber),
    ("cpu", Of::Edax, Nothing),
    ("auto-start", Of::Edax, NothingWithValue),
    ("auto-store", Of::Edax, NothingWithValue),
    ("auto-swap", Of::Edax, NothingWithValue),
    ("game-file", Of::Edax, NothingWithValue),
    ("search-log-file", Of::Edax, NothingWithValue),
    ("ui-log-file", Of::Edax, NothingWithValue),
    ("name", Of::Edax, NothingWithValue),
];

/// Options of ours that stay as they are with two dashes, whatever others mean by them.
const OURS: &[&str] = &["book", "hash", "eval", "log", "weights", "batch", "note", "help", "version"];

/// A protocol as an option, and its subcommand.
const PROTOCOLS: &[(&str, &str)] =
    &[("-nboard", "nboard"), ("--nboard", "nboard"), ("-gtp", "gtp"), ("--gtp", "gtp")];

/// The subcommands that are sessions.
const SESSIONS: &[&str] = &["nboard", "gtp", "auto"];

/// Asking about the program, not starting it: theirs and ours.
const QUESTIONS: &[(&str, &str)] = &[
    ("-h", "--help"),
    ("-?", "--help"),
    ("-help", "--help"),
    ("--help", "--help"),
    ("-V", "--version"),
    ("-v", "--version"),
    ("-version", "--version"),
    ("--version", "--version"),
];

/// The arguments as ours, always with a subcommand first (or a question).
///
/// Notes for the log follow behind hidden `--note` options.
pub fn translated(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args = args.into_iter();
    let program = args.next().unwrap_or_else(|| "emilia".into());
    let mut rest: Vec<OsString> = args.collect();
    let first = rest.first().and_then(|word| word.to_str()).unwrap_or("");
    let is_plain = rest.is_empty() || first.starts_with('-');
    let asks = is_plain && rest.len() == 1 && QUESTIONS.iter().any(|(theirs, _)| *theirs == first);
    if asks {
        let (_, ours) = QUESTIONS.iter().find(|(theirs, _)| *theirs == first).expect("just found");
        return vec![program, ours.into()];
    }
    if is_plain {
        // The protocol may stand anywhere among the options.
        let protocol = |word: &OsString| PROTOCOLS.iter().find(|(theirs, _)| word == *theirs);
        let place = rest.iter().position(|word| protocol(word).is_some());
        let session = place.and_then(|place| protocol(&rest.remove(place))).map_or("auto", |&(_, name)| name);
        rest = [vec![session.into()], translate(&rest)].concat();
    } else if SESSIONS.contains(&first) {
        rest = [vec![rest[0].clone()], translate(&rest[1..])].concat();
    }
    rest.insert(0, program);
    rest
}

/// The options of a session as ours, notes included.
fn translate(words: &[OsString]) -> Vec<OsString> {
    let has = |of| words.iter().any(|word| known(word).is_some_and(|(_, whose, _)| whose == of));
    let company = if has(Of::Edax) && !has(Of::Egaroucid) { Of::Edax } else { Of::Egaroucid };
    let mut translation = Translation::default();
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        let number_follows = rest.peek().is_some_and(|next| is_number(next));
        match known(word) {
            // `-h` alone asks for help, and so it does with us.
            Some(("h", ..)) if !number_follows => translation.options.push(word.clone()),
            Some((name, _, becomes)) => {
                let glued = option(word).and_then(|(_, value, _)| value).map(OsString::from);
                let takes_next = match becomes {
                    Becomes::HashOfEntries | Becomes::Evaluation | NothingWithValue => true,
                    NothingWithNumber => number_follows,
                    // What becomes an option of ours keeps the word that follows it.
                    Ours(_) | Becomes::TimeOrThreads | Nothing => false,
                };
                let value = glued.or_else(|| rest.next_if(|_| takes_next).cloned());
                translation.add(name, becomes, value, company);
            }
            None => translation.options.push(with_two_dashes(word)),
        }
    }
    let notes = translation.notes.into_iter().flat_map(|note| ["--note".into(), note.into()]);
    translation.options.into_iter().chain(notes).collect()
}

/// What a command line has become so far.
#[derive(Default)]
struct Translation {
    options: Vec<OsString>,
    notes: Vec<String>,
}

impl Translation {
    /// Adds what an option of theirs becomes; `value` is what stood behind `=` or is to be passed on with it.
    fn add(&mut self, name: &str, becomes: Becomes, value: Option<OsString>, company: Of) {
        let shown = value.as_ref().map(|value| format!(" {}", value.display())).unwrap_or_default();
        match becomes {
            Ours(ours) => self.option(ours, value),
            Becomes::TimeOrThreads => {
                let ours = if company == Of::Edax { "clock" } else { "threads" };
                self.option(ours, value);
                self.notes
                    .push(format!("-t is taken as --{ours}, as {company:?} would beside these options"));
            }
            Becomes::HashOfEntries => {
                let mib = value.as_ref().and_then(|value| mib_of_entries(value.to_str()?));
                let value = mib.map(|mib| mib.to_string().into()).or(value);
                self.option("hash", value);
                self.notes.push(format!("-{name}{shown} becomes a table in MiB"));
            }
            Becomes::Evaluation => {
                let kind =
                    value.as_ref().and_then(|value| value.to_str()?.parse::<crate::eval::EvalKind>().ok());
                self.option(if kind.is_some() { "eval" } else { "eval-file" }, value);
            }
            Nothing | NothingWithValue | NothingWithNumber => {
                self.notes.push(format!("-{name}{shown} means nothing here"));
            }
        }
    }

    /// Adds an option of ours, a value glued to it.
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
    let (name, value) = name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value)));
    Some((name, value, dashes))
}

/// The row of the table for this word; none for what is ours or nobody's.
fn known(word: &OsString) -> Option<(&'static str, Of, Becomes)> {
    let (name, _, dashes) = option(word)?;
    if dashes == 2 && (OURS.contains(&name) || name.len() == 1) {
        return None;
    }
    OPTIONS.iter().find(|(theirs, ..)| *theirs == name).copied()
}

/// A long name with one dash, such as `-batch`, as one word: not a row of one-letter options.
fn with_two_dashes(word: &OsString) -> OsString {
    let is_long = |name: &str| name.len() > 1 && name.bytes().take(2).all(|byte| byte.is_ascii_alphabetic());
    let mut spelt = word.clone();
    if option(word).is_some_and(|(name, _, dashes)| dashes == 1 && is_long(name)) {
        spelt = OsString::from("-");
        spelt.push(word);
    }
    spelt
}

fn is_number(word: &OsString) -> bool {
    word.to_str().is_some_and(|text| text.parse::<i64>().is_ok())
}

/// The size in MiB of a table of two to the power of `bits` entries as Edax counts them.
fn mib_of_entries(bits: &str) -> Option<u64> {
    /// Of an entry in Edax.
    const BYTES: u64 = 24;
    let bits: u32 = bits.parse().ok().filter(|bits| (1..=50).contains(bits))?;
    Some(((BYTES << bits) >> 20).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line as ours, and the notes.
    fn translated_line(line: &str) -> (String, Vec<String>) {
        let words = translated(line.split_whitespace().map(OsString::from));
        let mut words: Vec<String> = words.into_iter().map(|word| word.into_string().unwrap()).collect();
        let plain = words.iter().position(|word| word == "--note").unwrap_or(words.len());
        let notes = words.split_off(plain);
        (words.join(" "), notes.into_iter().filter(|word| word != "--note").collect())
    }

    #[test]
    fn known_tools_lines_become_ours() {
        for (theirs, ours) in [
            ("e", "e auto"),
            ("e -nboard", "e nboard"),
            ("e -l 5 --gtp", "e gtp -l 5"),
            (
                "e -gtp -q -level 8 -n-tasks 2 -ponder off -book-usage off -eval-file w.bin",
                "e gtp -q --level 8 --threads 2 --ponder off --book-usage off --eval-file w.bin",
            ),
            ("e -gtp -quiet -nobook -l 8 -t 2", "e gtp --quiet --no-book -l 8 --threads 2"),
            ("e -gtp -l 21 -n 4", "e gtp -l 21 --threads 4"),
            ("e -gtp -l8 -hash=25 -thread=2 -noboard", "e gtp -l8 --hash=25 --threads=2"),
            ("e gtp --no-book --thread 3 --n-tasks 2", "e gtp --no-book --threads 3 --threads 2"),
            ("e nboard --hash 64 --eval classic", "e nboard --hash 64 --eval classic"),
            ("e -gtp -eval network", "e gtp --eval=network"),
            ("e -gtp -eval resources/eval.egev2", "e gtp --eval-file=resources/eval.egev2"),
            ("e -gtp -batch -frobnicate", "e gtp --batch --frobnicate"),
            ("e --help", "e --help"),
            ("e -h", "e --help"),
            ("e -v", "e --version"),
            ("e gtp -h", "e gtp -h"),
            ("e solve x.obf -n 2", "e solve x.obf -n 2"),
        ] {
            assert_eq!(translated_line(theirs).0, ours);
        }
    }

    #[test]
    fn tables_are_counted_in_entries_by_edax_and_in_mib_by_us() {
        for (bits, mib) in [("21", "48"), ("10", "1"), ("26", "1536"), ("60", "60"), ("x", "x")] {
            let (line, notes) = translated_line(&format!("e -gtp -hash-table-size {bits}"));
            assert_eq!(line, format!("e gtp --hash={mib}"));
            assert_eq!(notes, [format!("-hash-table-size {bits} becomes a table in MiB")]);
        }
        assert_eq!(translated_line("e -gtp -h 21").0, "e gtp --hash=48");
    }

    #[test]
    fn what_means_nothing_is_noted_with_its_value() {
        let (line, notes) = translated_line("e -gtp -vv -noise 5 -verbose -book-file a.dat -l 3 -width 80");
        assert_eq!(line, "e gtp -l 3");
        let expected = ["-vv", "-noise 5", "-verbose", "-book-file a.dat", "-width 80"];
        assert_eq!(notes, expected.map(|option| format!("{option} means nothing here")));
    }

    #[test]
    fn t_is_a_time_or_a_number_of_threads_by_its_company() {
        for (line, ours, whose) in [
            ("e -gtp -t 2", "e gtp --threads 2", "Egaroucid"),
            ("e -gtp -nobook -t 2", "e gtp --no-book --threads 2", "Egaroucid"),
            ("e -gtp -n-tasks 2 -t 60", "e gtp --threads 2 --clock 60", "Edax"),
            ("e -gtp -t 60 -book-usage off", "e gtp --clock 60 --book-usage off", "Edax"),
        ] {
            let (spelt, notes) = translated_line(line);
            assert_eq!(spelt, ours);
            assert!(notes.len() == 1 && notes[0].contains(whose), "{notes:?}");
        }
    }
}
