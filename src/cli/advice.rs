//! Errors advise only options of their command.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The files of each command, below `src/cli`, and the files of `src` that speak for several commands.
const FILES: &[(&[&str], &[&str])] = &[
    (&["analyze"], &["cli/analyze"]),
    (&["bench"], &["cli/bench"]),
    (&["book"], &["cli/book"]),
    (&["conform"], &["cli/conform.rs"]),
    (&["convert"], &["cli/convert.rs", "cli/convert"]),
    (&["edax"], &["cli/edax.rs"]),
    (&["match"], &["cli/match_", "tournament/matches"]),
    (&["play"], &["cli/play.rs", "play"]),
    (&["report"], &["cli/report.rs", "report"]),
    (&["show"], &["cli/show"]),
    (&["solve"], &["cli/solve.rs", "cli/solve"]),
    #[cfg(feature = "lab")]
    (&["train"], &["cli/train", "tournament/tune", "training"]),
    (&["match", "play"], &["tournament/players"]),
    (&["analyze", "solve"], &["cli/results.rs", "cli/store_args.rs"]),
    (&["nboard", "gtp", "play"], &["cli/people.rs"]),
];

/// The long options of a command and of those below it.
fn options(command: &clap::Command, found: &mut BTreeSet<String>) {
    let longs =
        command.get_arguments().flat_map(|arg| arg.get_long_and_visible_aliases().unwrap_or_default());
    found.extend(longs.map(str::to_owned));
    command.get_subcommands().for_each(|command| options(command, found));
}

/// The texts of a source file without its tests, help and comments.
fn texts(path: &Path, found: &mut Vec<(String, String)>) {
    if path.is_dir() {
        return fs::read_dir(path).unwrap().for_each(|entry| texts(&entry.unwrap().path(), found));
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
    found.extend(source.lines().filter(is_text).map(|line| (name.clone(), line.trim().to_owned())));
}

#[test]
fn errors_advise_only_options_that_their_command_has() {
    let mut command = super::command();
    command.build();
    let mut checked = 0;
    for (names, files) in FILES {
        let known = names.iter().map(|name| {
            let mut known = BTreeSet::new();
            options(command.find_subcommand(name).expect("a subcommand"), &mut known);
            known
        });
        // Each of the commands must have it.
        let known = known.reduce(|all, one| &all & &one).expect("a command");
        let mut found = Vec::new();
        for file in *files {
            texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file), &mut found);
        }
        for (file, line) in found {
            for word in line.split("--").skip(1) {
                let end = word.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(word.len());
                let word = word[..end].trim_end_matches('-');
                if word.len() > 1 && !word.starts_with('-') {
                    checked += 1;
                    assert!(known.contains(word), "{file}: --{word} is no option of {names:?}: {line}");
                }
            }
        }
    }
    assert!(checked > 40, "{checked}");
}
