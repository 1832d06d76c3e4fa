//! Reads the command line as its users do: every command, every option, every example. And the sources: is each option read?

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, Command};

use super::{COLUMNS, command, parse};

/// Option names that are explained in more than one way, and why.
const TOLD_APART: &[(&str, &str)] = &[
    ("clock", "a client, a player or a person sets it"),
    ("depth", "each command says what is searched so deep"),
    ("empties", "each command says what such positions are for"),
    ("games", "each command says what the games are for"),
    ("hash", "one search, or each of several"),
    ("input", "each command says what it reads besides"),
    ("jobs", "games or positions"),
    ("json", "one object, one a position, or a file"),
    ("level", "each command has its default"),
    ("limit", "entries, positions or records"),
    ("log", "messages, traffic or faults"),
    ("loss", "lines to follow, or to keep"),
    ("min-games", "positions to search, or to keep"),
    ("move-time", "a client, a player or a person sets it"),
    ("moves", "each command says what is done with them"),
    ("nodes", "of a search, or of a move in games"),
    ("openings", "only matches make their own"),
    ("output", "each command says what it writes"),
    ("positions", "each command says what it does with them"),
    ("rate", "fits and tuning have steps of their own"),
    ("resume", "each command says what goes on"),
    ("seed", "each command says what is drawn"),
    ("selectivity", "of searches, or of scores that are read"),
    ("shard", "of entries, or of a job"),
    ("skip", "entries or games"),
    ("solve-from", "each command has its default"),
    ("start", "of a game, or of a book"),
    ("threads", "of a search or of a fit"),
    ("to", "notations, or forms of a book"),
    ("wld", "a result, or a goal"),
    ("wthor", "to learn from, or to compare with"),
];

/// Options with a value that need no default: without them nothing of the kind happens.
#[rustfmt::skip]
const OFF_BY_DEFAULT: &[&str] = &[
    // What a search, a game or a job may take, beside a level.
    "clock", "depth", "elo", "level", "loss", "move-time", "nodes", "positions", "time",
    // Files besides the usual ones.
    "answers", "certificate", "ggf", "init", "input", "json", "log", "markdown",
    "openings", "output", "pgn", "svg", "without", "wthor",
    // Other work than the usual one, or more.
    "adjudicate", "baseline", "deeper", "end", "games", "lesson", "min-games", "name", "only", "perft",
    "set", "sprt", "start", "store", "title",
];

/// All commands by their words, such as `book grow`; hidden ones too.
fn commands() -> Vec<(String, Command)> {
    fn walk(path: &str, command: &Command, found: &mut Vec<(String, Command)>) {
        found.push((path.to_owned(), command.clone()));
        for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
            walk(&format!("{path} {}", below.get_name()), below, found);
        }
    }
    let mut whole = command();
    whole.build();
    let mut found = Vec::new();
    walk("emilia", &whole, &mut found);
    found
}

/// The options of a command that its help shows; `--help` and `--version` are clap's.
fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    shown.filter(|arg| arg.get_long().is_some_and(|long| !["help", "version"].contains(&long)))
}

fn help_of(arg: &Arg) -> String {
    arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default()
}

fn values_of(arg: &Arg) -> String {
    match arg.get_action().takes_values() {
        true => arg.get_value_names().unwrap_or_default().join(" "),
        false => "a flag".to_owned(),
    }
}

fn assert_none(faults: Vec<String>) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn an_option_means_the_same_everywhere() {
    let mut meanings: BTreeMap<String, BTreeMap<(String, String), Vec<String>>> = BTreeMap::new();
    for (path, command) in commands() {
        for arg in options(&command) {
            let long = arg.get_long().expect("options have long names").to_owned();
            let meaning = (values_of(arg), help_of(arg));
            meanings.entry(long).or_default().entry(meaning).or_default().push(path.clone());
        }
    }
    let mut faults = Vec::new();
    for (long, meanings) in &meanings {
        let is_listed = TOLD_APART.iter().any(|(listed, _)| listed == long);
        // Some are apart in the commands of the feature `lab`.
        if (meanings.len() > 1) == is_listed || is_listed && cfg!(not(feature = "lab")) {
            continue;
        }
        faults.push(format!("--{long}: {}", if is_listed { "needs no place on the list" } else { "" }));
        faults
            .extend(meanings.iter().map(|((values, help), paths)| format!("    {values}: {help} {paths:?}")));
    }
    let unknown =
        TOLD_APART.iter().filter(|(listed, _)| cfg!(feature = "lab") && !meanings.contains_key(*listed));
    faults.extend(unknown.map(|(listed, _)| format!("--{listed} is listed and nowhere taken")));
    assert_none(faults);
}

#[test]
fn a_letter_means_the_same_everywhere() {
    let mut letters: BTreeMap<char, BTreeSet<String>> = BTreeMap::new();
    for (_, command) in commands() {
        for arg in options(&command) {
            let long = arg.get_long().expect("options have long names");
            if let Some(letter) = arg.get_short() {
                letters.entry(letter).or_default().insert(long.to_owned());
            }
        }
    }
    let twice = letters.iter().filter(|(_, longs)| longs.len() > 1);
    assert_none(twice.map(|(letter, longs)| format!("-{letter}: {longs:?}")).collect());
}

#[test]
fn an_optional_value_has_a_default() {
    let mut faults = BTreeSet::new();
    for (path, command) in commands() {
        for arg in options(&command).filter(|arg| arg.get_action().takes_values() && !arg.is_required_set()) {
            let long = arg.get_long().expect("options have long names");
            let is_told = !arg.get_default_values().is_empty() || help_of(arg).contains("[default: ");
            if !is_told && !OFF_BY_DEFAULT.contains(&long) {
                faults.insert(format!("--{long} ({path}): {}", help_of(arg)));
            }
        }
    }
    assert_none(faults.into_iter().collect());
}

#[test]
fn the_help_names_the_values() {
    let mut faults = BTreeSet::new();
    for (path, command) in commands() {
        for arg in options(&command).filter(|arg| arg.get_action().takes_values()) {
            let told = format!("{} {}", values_of(arg), help_of(arg));
            let is_word = |c: char| c.is_ascii_alphanumeric();
            let is_told = |name: &str| {
                told.split(|c| !is_word(c))
                    .chain(told.split(|c| !is_word(c) && c != '-'))
                    .any(|word| word == name)
            };
            let missing = arg.get_possible_values().into_iter().filter(|value| !is_told(value.get_name()));
            let missing: Vec<_> = missing.map(|value| value.get_name().to_owned()).collect();
            if !missing.is_empty() {
                faults.insert(format!("{path} {}: {missing:?}", arg.get_id()));
            }
        }
    }
    assert_none(faults.into_iter().collect());
}

#[test]
fn help_fits_the_terminal() {
    let mut faults = Vec::new();
    for (path, mut command) in commands() {
        // Wrapped again, it would be ragged.
        let below = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let long = below.lines().filter(|line| line.chars().count() > COLUMNS);
        faults.extend(long.map(|line| format!("{path}: {line}")));
        for text in [command.render_long_help(), command.render_help()] {
            let wide = text
                .to_string()
                .lines()
                .filter(|line| line.chars().count() > COLUMNS)
                .fold(String::new(), |all, line| all + "\n    " + line);
            if !wide.is_empty() {
                faults.push(format!("{path}:{wide}"));
            }
        }
    }
    assert_none(faults);
}

/// The words of a line as a shell reads it, a list for each program in it.
fn programs(line: &str) -> Vec<Vec<String>> {
    let mut programs = vec![Vec::new()];
    let (mut word, mut quote): (Option<String>, Option<char>) = (None, None);
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '\\') => word.get_or_insert_default().extend(characters.next()),
            (None, ' ' | '|' | '>' | '<' | '&' | ';' | '(' | ')') => {
                programs.last_mut().expect("there is one").extend(word.take());
                if c != ' ' {
                    programs.push(Vec::new());
                }
            }
            (None, '#') if word.is_none() => break,
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    programs.last_mut().expect("there is one").extend(word);
    programs.retain(|words| !words.is_empty());
    programs
}

/// The command lines of ours in a help text.
fn examples(command: &Command) -> Vec<Vec<String>> {
    let help = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string);
    let help = help.unwrap_or_default().replace("\\\n", " ");
    let Some((_, lines)) = help.split_once("Example") else { return Vec::new() };
    let programs = lines.lines().filter(|line| line.starts_with("  ")).flat_map(programs);
    programs.filter(|words| words[0] == "emilia").collect()
}

#[test]
fn every_command_has_examples_that_are_understood() {
    let mut faults = Vec::new();
    for (path, command) in commands().into_iter().filter(|(_, command)| !command.is_hide_set()) {
        let examples = examples(&command);
        let is_group = command.get_subcommands().any(|below| below.get_name() != "help");
        let own = path.split(' ').count();
        let shows = |words: &Vec<String>| words.len() >= own && words[..own].join(" ") == path;
        if !is_group && !examples.iter().any(shows) {
            faults.push(format!("{path}: no example"));
        }
        for words in examples {
            let line = words.join(" ");
            if let Err(error) = parse(words.into_iter().map(OsString::from)).map(drop)
                && error.use_stderr()
            {
                faults
                    .push(format!("{path}: {line}\n    {}", error.to_string().lines().next().unwrap_or("")));
            }
        }
    }
    assert_none(faults);
}

/// The pages of the tree, those that a package has.
fn pages() -> Vec<PathBuf> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for path in entries.map(|entry| entry.expect("its entries are readable").path()) {
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = vec![root.join("README.md")];
    for folder in ["src", "books", "examples"] {
        collect(&root.join(folder), &mut found);
    }
    found.sort();
    found
}

/// Commands on pages are ours of today. `$VARIABLE` and `…` stand for what a reader puts there.
#[test]
fn pages_show_commands_that_are_understood() {
    let mut faults = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).expect("pages are UTF-8").replace("\\\n", " ");
        for line in text.lines().filter(|line| !line.contains(['…', '$']) || line.starts_with("$ ")) {
            let line = line.trim_start().trim_start_matches("$ ");
            let starts = line.starts_with("emilia ") || line.contains(" | emilia ");
            for words in programs(line).into_iter().filter(|words| starts && words[0] == "emilia") {
                let shown = words.join(" ");
                if let Err(error) = parse(words.into_iter().map(OsString::from)).map(drop)
                    && error.use_stderr()
                {
                    let why = error.to_string().lines().next().unwrap_or("").to_owned();
                    faults.push(format!("{}: {shown}\n    {why}", page.display()));
                }
            }
        }
    }
    assert_none(faults);
}

#[test]
fn lines_are_read_as_shells_do() {
    let read = |line| programs(line).iter().map(|words| words.join("_")).collect::<Vec<_>>();
    assert_eq!(
        read("printf 'a b\\n' | emilia gtp --batch > x"),
        ["printf_a b\\n", "emilia_gtp_--batch", "x"]
    );
    assert_eq!(read("emilia conform nboard:'./engine -x' # why"), ["emilia_conform_nboard:./engine -x"]);
}

/// A struct of options in the sources.
struct Fields {
    file: PathBuf,
    name: String,
    /// Names, and the type where it is a struct of options itself.
    fields: Vec<(String, Option<String>)>,
    /// Each method with its text.
    methods: Vec<(String, String)>,
}

/// Whether `text` reads a field or calls a method of this name.
fn reads(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let dotted = format!(".{name}");
    let ends = |at: usize, len: usize| !text[at + len..].starts_with(is_word);
    let by_dot = text.match_indices(&dotted).any(|(at, _)| ends(at, dotted.len()));
    // `let &Args { games, .. } = args`, `Self { games: Some(games), .. } =>`
    let patterns = text.match_indices("Args { ").chain(text.match_indices("Self { "));
    let by_pattern = { patterns }.any(|(at, _)| {
        let pattern = text[at..].split('}').next().unwrap_or("");
        !text[..at].ends_with("struct ") && pattern.split(|c| !is_word(c)).any(|word| word == name)
    });
    by_dot || by_pattern
}

/// The sources of the command line, tests cut off.
fn sources() -> Vec<(PathBuf, String)> {
    fn collect(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).expect("the folder is readable") {
            let path = entry.expect("its entries are readable").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                collect(&path, found);
            } else if name.ends_with(".rs")
                && !["audit.rs", "tests.rs", "testing.rs"].contains(&name.as_str())
            {
                let text = fs::read_to_string(&path).expect("sources are UTF-8");
                let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or("").to_owned();
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli"), &mut found);
    found.sort();
    found
}

/// All structs that clap fills.
fn structs(sources: &[(PathBuf, String)]) -> Vec<Fields> {
    let mut found = Vec::new();
    for (file, text) in sources {
        let lines: Vec<&str> = text.lines().collect();
        let mut is_args = false;
        for (at, line) in lines.iter().enumerate() {
            if line.starts_with("#[derive(") {
                is_args = line.split(|c: char| !c.is_alphanumeric()).any(|word| word == "Args");
            }
            let Some((_, rest)) = line.split_once("struct ") else { continue };
            let Some(name) = rest.strip_suffix(" {").filter(|_| std::mem::take(&mut is_args)) else {
                continue;
            };
            let mut fields = Vec::new();
            let mut is_flat = false;
            for line in lines[at + 1..].iter().take_while(|line| !line.starts_with('}')) {
                let line = line.trim();
                is_flat |= line == "#[command(flatten)]";
                let is_attribute = ["#", "/", "\"", ")"].iter().any(|begin| line.starts_with(begin));
                let declared =
                    line.trim_start_matches("pub(super) ").trim_start_matches("pub ").split_once(": ");
                if let Some((field, kind)) = declared.filter(|(field, _)| {
                    !is_attribute && field.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
                }) {
                    let kind = kind.trim_end_matches(',').rsplit("::").next().unwrap_or(kind).to_owned();
                    fields.push((field.to_owned(), std::mem::take(&mut is_flat).then_some(kind)));
                }
            }
            let body =
                text.split(&format!("\nimpl {name} {{\n")).nth(1).and_then(|rest| rest.split("\n}\n").next());
            let methods = body.unwrap_or("").split("\n    }\n").filter_map(|method| {
                let (_, rest) = method.split_once("fn ")?;
                Some((rest.split(['(', '<']).next()?.to_owned(), rest.to_owned()))
            });
            let methods = methods.collect();
            found.push(Fields { file: file.clone(), name: name.to_owned(), fields, methods });
        }
    }
    found
}

/// What a command's files read of the options: fields by name, and by the methods that they call.
fn is_read(text: &str, of: &Fields, field: &str) -> bool {
    let mut called: BTreeSet<&str> = BTreeSet::new();
    loop {
        let before = called.len();
        for (name, _) in &of.methods {
            let from_method =
                of.methods.iter().any(|(by, body)| called.contains(by.as_str()) && reads(body, name));
            if reads(text, name) || from_method {
                called.insert(name);
            }
        }
        if called.len() == before {
            break;
        }
    }
    let by_method =
        of.methods.iter().any(|(name, body)| called.contains(name.as_str()) && reads(body, field));
    by_method || reads(text, field)
}

/// Options that a command reads in a way that is not seen here: (file, field).
const READ_OTHERWISE: &[(&str, &str)] = &[
    // Other engines have it; a session is quiet anyway.
    ("src/cli/session.rs", "quiet"),
    // The command is refused.
    ("src/cli/absent.rs", "words"),
];

/// A command takes no option that it does not read, in a struct of its own or one that it shares.
#[test]
fn every_option_is_read() {
    let sources = sources();
    let structs = structs(&sources);
    assert!(structs.len() > 20, "{} structs", structs.len());
    let mut faults = Vec::new();
    for of in &structs {
        // A command's files: its own, the folder that goes with it, and the folder that it is in.
        let folder = of.file.parent().filter(|folder| !folder.ends_with("cli"));
        let own = folder.map_or_else(|| of.file.with_extension(""), Path::to_owned);
        let texts = sources
            .iter()
            .filter(|(file, _)| *file == of.file || file.starts_with(&own) || file.with_extension("") == own);
        let text: String = texts.map(|(_, text)| text.as_str()).collect();
        let short = of.file.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&of.file);
        let short = short.to_string_lossy().replace('\\', "/");
        let is_shared = structs.iter().any(|other| {
            other.fields.iter().any(|(_, kind)| kind.as_deref() == Some(&of.name) && of.name != "Args")
        });
        for (field, kind) in &of.fields {
            let mut dead = Vec::new();
            if !is_shared && !reads(&text, field) {
                dead.push(field.clone());
            }
            let shared =
                structs.iter().find(|other| Some(&other.name) == kind.as_ref() && other.name != "Args");
            if let Some(shared) = shared.filter(|_| !is_shared) {
                let unread = shared.fields.iter().filter(|(field, _)| !is_read(&text, shared, field));
                dead.extend(unread.map(|(field, _)| format!("{}.{field}", shared.name)));
            }
            for field in dead {
                if !READ_OTHERWISE.contains(&(short.as_str(), field.as_str())) {
                    faults.push(format!("{short}: {}.{field} is not read", of.name));
                }
            }
        }
    }
    assert_none(faults);
}
