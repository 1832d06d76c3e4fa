//! Reads the command line as its users do: every command, every option, every example.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, Command};

use super::{COLUMNS, command, parse};
use crate::peers::process::split_words;

/// All commands by their words, such as `book grow`; hidden ones too.
fn commands() -> Vec<(String, Command)> {
    fn walk(path: &str, command: &Command, found: &mut Vec<(String, Command)>) {
        found.push((path.to_owned(), command.clone()));
        for below in command
            .get_subcommands()
            .filter(|below| below.get_name() != "help")
        {
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
    shown.filter(|arg| {
        arg.get_long()
            .is_some_and(|long| !["help", "version"].contains(&long))
    })
}

fn help_of(arg: &Arg) -> String {
    arg.get_long_help()
        .or(arg.get_help())
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn values_of(arg: &Arg) -> String {
    // An option with an optional value is a flag.
    let is_flag = !arg.get_action().takes_values()
        || arg
            .get_num_args()
            .is_some_and(|range| range.min_values() == 0);
    if is_flag {
        "a flag".to_owned()
    } else {
        arg.get_value_names().unwrap_or_default().join(" ")
    }
}

fn assert_none(faults: Vec<String>) {
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// The meaning of an option: its value, and its help up to the first `.`, `:` or `;`.
fn meaning_of(arg: &Arg) -> String {
    let help = help_of(arg);
    format!(
        "{}: {}",
        values_of(arg),
        help.split(['.', ':', ';', '['])
            .next()
            .unwrap_or_default()
            .trim()
    )
}

#[test]
fn an_option_and_its_letter_mean_the_same_everywhere() {
    let mut meanings: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    let mut letters: BTreeMap<char, BTreeSet<String>> = BTreeMap::new();
    for (path, command) in commands() {
        for arg in options(&command) {
            let long = arg.get_long().expect("options have long names").to_owned();
            if let Some(letter) = arg.get_short() {
                letters.entry(letter).or_default().insert(long.clone());
            }
            meanings
                .entry(long)
                .or_default()
                .entry(meaning_of(arg))
                .or_default()
                .push(path.clone());
        }
    }
    let apart = meanings.iter().filter(|(_, meanings)| meanings.len() > 1);
    let mut faults: Vec<_> = apart
        .map(|(long, meanings)| format!("--{long}: {meanings:#?}"))
        .collect();
    let twice = letters.iter().filter(|(_, longs)| longs.len() > 1);
    faults.extend(twice.map(|(letter, longs)| format!("-{letter}: {longs:?}")));
    assert_none(faults);
}

/// The most options on a page of help, and on all pages of the default build.
const MOST_OPTIONS: (usize, usize) = (28, 330);

#[test]
fn help_pages_are_short() {
    let pages = commands()
        .into_iter()
        .filter(|(_, command)| !command.is_hide_set());
    let counts: Vec<_> = pages
        .map(|(path, command)| (options(&command).count(), path))
        .collect();
    let long = counts
        .iter()
        .filter(|(count, _)| *count > MOST_OPTIONS.0)
        .map(|page| format!("{page:?}"));
    assert_none(long.collect());
    let all: usize = counts.iter().map(|(count, _)| count).sum();
    assert!(
        (100..=MOST_OPTIONS.1).contains(&all),
        "{all} options in all"
    );
}

#[test]
fn the_help_names_the_values() {
    let mut faults = BTreeSet::new();
    for (path, command) in commands() {
        for arg in options(&command).filter(|arg| arg.get_action().takes_values()) {
            let help = format!("{} {}", values_of(arg), help_of(arg));
            let is_word = |c: char| c.is_ascii_alphanumeric();
            let is_named = |name: &str| {
                help.split(|c| !is_word(c))
                    .chain(help.split(|c| !is_word(c) && c != '-'))
                    .any(|word| word == name)
            };
            let missing = arg
                .get_possible_values()
                .into_iter()
                .filter(|value| !is_named(value.get_name()));
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
        let below = command
            .get_after_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        for text in [
            below,
            command.render_long_help().to_string(),
            command.render_help().to_string(),
        ] {
            let wide = text.lines().filter(|line| line.chars().count() > COLUMNS);
            faults.extend(wide.map(|line| format!("{path}: {line}")));
        }
    }
    assert_none(faults);
}

/// The words of each program in a line for a shell, up to its redirections.
fn programs(line: &str) -> Vec<Vec<String>> {
    let words = split_words(line);
    let programs = words.split(|word| ["|", ";", "&&", "||"].contains(&word.as_str()));
    let plain = |words: &[String]| {
        words
            .iter()
            .take_while(|word| !word.starts_with(['<', '>', '#']))
            .cloned()
            .collect()
    };
    programs
        .map(plain)
        .filter(|words: &Vec<String>| !words.is_empty())
        .collect()
}

/// The command lines of this program in a text. The reader replaces `$VARIABLE` and `…`, so such lines are skipped.
fn shown(text: &str) -> Vec<Vec<String>> {
    let text = text.replace("\\\n", " ");
    let lines = text
        .lines()
        .filter(|line| !line.contains(['…', '$']) || line.starts_with("$ "));
    let lines = lines.map(|line| line.trim_start().trim_start_matches("$ "));
    let lines = lines.filter(|line| line.starts_with("emilia ") || line.contains(" | emilia "));
    lines
        .flat_map(programs)
        .filter(|words| words[0] == "emilia")
        .collect()
}

/// The pages of the tree, those that a package has.
fn pages() -> Vec<PathBuf> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
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
    for folder in ["src", "books", "engine", "examples"] {
        collect(&root.join(folder), &mut found);
    }
    found.sort();
    found
}

#[test]
fn every_command_has_an_example_and_all_shown_commands_are_understood() {
    let mut faults = Vec::new();
    let mut texts = Vec::new();
    for (path, command) in commands()
        .into_iter()
        .filter(|(_, command)| !command.is_hide_set())
    {
        let help = command
            .get_after_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        let lines = shown(
            help.split_once("\nExample")
                .or(help.split_once("Example"))
                .unwrap_or_default()
                .1,
        );
        let is_group = command
            .get_subcommands()
            .any(|below| below.get_name() != "help");
        if !is_group && !lines.iter().any(|words| words.join(" ").starts_with(&path)) {
            faults.push(format!("{path}: no example"));
        }
        texts.push((path, lines));
    }
    texts.extend(pages().iter().map(|page| {
        (
            page.display().to_string(),
            shown(&fs::read_to_string(page).expect("pages are UTF-8")),
        )
    }));
    for (name, lines) in texts {
        for words in lines {
            let parsed = parse(words.iter().map(OsString::from)).map(drop);
            if let Some(error) = parsed.err().filter(clap::Error::use_stderr) {
                let why = error
                    .to_string()
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                faults.push(format!("{name}: {}\n    {why}", words.join(" ")));
            }
        }
    }
    assert_none(faults);
}

/// The files below `src` that print for these commands, apart from `cli/COMMAND.rs` and the folder `cli/COMMAND`.
const FILES: &[(&[&str], &str)] = &[
    (&["match"], "tournament/matches"),
    (&["play"], "play"),
    (&["report"], "report"),
    (&["match", "play"], "tournament/players"),
    (&["analyze", "solve"], "cli/results.rs"),
    (&["analyze", "solve"], "cli/store_args.rs"),
    (&["nboard", "gtp", "play"], "cli/people.rs"),
];

/// The strings of a source file or folder, without tests, help and comments.
fn texts(path: &Path, found: &mut Vec<(String, String)>) {
    if path.is_dir() {
        return fs::read_dir(path)
            .unwrap()
            .for_each(|entry| texts(&entry.unwrap().path(), found));
    }
    let name = path.display().to_string();
    if !name.ends_with(".rs") || name.ends_with("tests.rs") {
        return;
    }
    let source = fs::read_to_string(path).unwrap();
    let source = source.split("mod tests {").next().unwrap_or_default();
    let is_text = |line: &&str| {
        // An example or a comparison with another command names that command.
        !line.trim_start().starts_with("//") && !line.contains("emilia ") && line.contains('"')
    };
    found.extend(
        source
            .lines()
            .filter(is_text)
            .map(|line| (name.clone(), line.trim().to_owned())),
    );
}

/// Errors advise only options of their command.
#[test]
fn errors_advise_only_options_that_their_command_has() {
    let commands = commands();
    let has = |name: &str, option: &str| {
        let of_command = |path: &str| path.split(' ').nth(1) == Some(name);
        let mut below = commands.iter().filter(|(path, _)| of_command(path));
        below.any(|(_, command)| {
            command
                .get_arguments()
                .any(|arg| arg.get_long() == Some(option))
        })
    };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let shown = commands
        .iter()
        .filter(|(_, command)| !command.is_hide_set());
    let names = shown.filter_map(|(path, _)| path.split(' ').nth(1));
    let own =
        names.flat_map(|name| [".rs", "", "_"].map(|end| (vec![name], format!("cli/{name}{end}"))));
    let shared = FILES
        .iter()
        .map(|(names, file)| (names.to_vec(), file.to_string()));
    let files: BTreeSet<_> = own
        .chain(shared)
        .filter(|(_, file)| source.join(file).exists())
        .collect();
    let mut checked = 0;
    for (names, file) in files {
        let mut found = Vec::new();
        texts(&source.join(file), &mut found);
        for (file, line) in found {
            for word in line.split("--").skip(1) {
                let end = word
                    .find(|c: char| !c.is_ascii_lowercase() && c != '-')
                    .unwrap_or(word.len());
                let word = word[..end].trim_end_matches('-');
                if word.len() > 1 && !word.starts_with('-') {
                    checked += 1;
                    // Each of the commands must have it.
                    let is_known = names.iter().all(|name| has(name, word));
                    assert!(
                        is_known,
                        "{file}: --{word} is no option of {names:?}: {line}"
                    );
                }
            }
        }
    }
    assert!(checked > 40, "{checked}");
}
