//! Holds the rules of the house: see the crate documentation.
//!
//! Reads every file under `src/` as text, so a breach is reported with file and line.

use std::fs;
use std::path::{Path, PathBuf};

/// Row of each top-level module. A module imports only from strictly lower rows or from itself.
const ROWS: [(&str, u8); 12] = [
    ("util", 0),
    ("board", 1),
    ("eval", 2),
    ("notation", 2),
    ("book", 3),
    ("search", 3),
    ("engine", 4),
    ("protocols", 5),
    ("tournament", 5),
    ("training", 5),
    ("cli", 6),
    ("main", 6),
];

/// Files that may contain `unsafe`: kernels, raw memory, and what needs the operating system.
const UNSAFE_FILES: &[&str] = &[
    "board/flip/avx2.rs",
    "board/flip/avx512.rs",
    "board/lanes.rs",
    "board/mobility/avx2.rs",
    "board/mobility/avx512.rs",
    "board/stability/avx2.rs",
    "board/zobrist/clmul.rs",
    "book/map.rs",
    "eval/inference/avx2.rs",
    "eval/inference/avx512.rs",
    "eval/linear.rs",
    "search/endgame/last_empties/avx512.rs",
    "search/endgame/last_empties/bmi2.rs",
    "tournament/process.rs",
    "util/cpu.rs",
    "util/cpu_time.rs",
    "util/memory.rs",
];

fn source_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the source folder is readable") {
        let path = entry.expect("its entries are readable").path();
        if path.is_dir() {
            source_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// All sources as (path relative to `src`, text), this file, `lib.rs` and the build script left out.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&root, &mut files);
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let name =
                path.strip_prefix(&root).expect("found below the root").to_string_lossy().replace('\\', "/");
            (name, fs::read_to_string(&path).expect("sources are UTF-8"))
        })
        .filter(|(name, _)| !["build.rs", "layering.rs", "lib.rs"].contains(&name.as_str()))
        .collect()
}

/// The top-level module that a file belongs to.
fn module_of(file: &str) -> &str {
    file.split(['/', '.']).next().expect("split gives at least one part")
}

fn row_of(module: &str) -> Option<u8> {
    ROWS.iter().find(|(name, _)| *name == module).map(|(_, row)| *row)
}

/// The part of a line before a `//` comment.
fn code(line: &str) -> &str {
    line.split("//").next().expect("split gives at least one part")
}

/// The modules named by `crate::a…` and `crate::{a, b::c}` in a line.
fn imports(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for rest in code(line).split("crate::").skip(1) {
        let list = rest.strip_prefix('{').map_or(rest, |inner| inner);
        let parts: Vec<&str> = if rest.starts_with('{') { list.split(',').collect() } else { vec![list] };
        for part in parts {
            let word: String = part.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if row_of(&word).is_some() {
                found.push(word);
            }
        }
    }
    found
}

/// Calls `check` on each line of each file with (file, line number from 1, line); joins what it reports.
fn breaches(check: impl Fn(&str, &str) -> Option<String>) -> Vec<String> {
    let mut found = Vec::new();
    for (file, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            if let Some(what) = check(&file, line) {
                found.push(format!("src/{file}:{}: {what}", number + 1));
            }
        }
    }
    found
}

#[test]
fn modules_import_only_from_lower_rows() {
    let found = breaches(|file, line| {
        let here = module_of(file);
        let row = row_of(here)?;
        let bad: Vec<_> = imports(line)
            .into_iter()
            .filter(|m| m != here && row_of(m).is_some_and(|other| other >= row))
            .collect();
        (!bad.is_empty()).then(|| format!("{here} (row {row}) imports {}", bad.join(", ")))
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_module_has_a_row() {
    for (file, _) in sources() {
        assert!(row_of(module_of(&file)).is_some(), "src/{file} belongs to no row of the house");
    }
}

#[test]
fn unsafe_stays_in_its_files() {
    let found = breaches(|file, line| {
        let uses =
            code(line).split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == "unsafe");
        (uses && !UNSAFE_FILES.contains(&file)).then(|| "unsafe outside the listed files".to_owned())
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_file_listed_for_unsafe_has_some() {
    let sources = sources();
    for listed in UNSAFE_FILES {
        let text = sources.iter().find(|(file, _)| file == listed).map_or("", |(_, text)| text);
        assert!(text.contains("unsafe"), "src/{listed} needs no place on the list");
    }
}

/// These panic when nobody reads stdout or the disk is full; `cli/output.rs` and `protocols/console.rs` do not.
#[test]
fn nothing_prints_by_macro() {
    let found = breaches(|_, line| {
        let prints = ["println!", "print!", "dbg!"].iter().any(|word| {
            code(line)
                .match_indices(word)
                .any(|(at, _)| at == 0 || !line.as_bytes()[at - 1].is_ascii_alphabetic())
        });
        prints.then(|| "prints by macro instead of through a writer".to_owned())
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn files_stay_short() {
    let long: Vec<_> = sources()
        .into_iter()
        .filter(|(_, text)| text.lines().count() > 600)
        .map(|(file, text)| format!("src/{file}: {} lines", text.lines().count()))
        .collect();
    assert!(long.is_empty(), "over 600 lines:\n{}", long.join("\n"));
}

#[test]
fn imports_are_read_from_all_spellings() {
    assert_eq!(imports("use crate::board::{Board, Square};"), ["board"]);
    assert_eq!(imports("use crate::{board, eval::Evaluator};"), ["board", "eval"]);
    assert_eq!(imports("    crate::search::Stop::new() // crate::cli"), ["search"]);
    assert!(imports("pub(crate) use super::board;").is_empty());
}
