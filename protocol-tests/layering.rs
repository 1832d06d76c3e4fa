//! Holds the layers inside each crate; the crates hold the large ones.
//!
//! Reads every file as text, so a breach is reported with file and line.

use crate::house::{Source, code, sources};

/// The rooms of each crate by row. A room imports only from strictly lower rows or from itself.
const ROWS: [(&str, &[&[&str]]); 3] = [
    (
        "engine/src",
        &[
            &["util"],
            &["board"],
            &["eval", "text"],
            &["book", "search"],
            &["engine"],
            &["internal"],
        ],
    ),
    (
        "src",
        &[
            &["util"],
            &["certificate", "notation", "picture"],
            &["book_formats", "capi", "peers", "proof", "sentences"],
            &["analysis"],
            &["conform", "protocols", "report", "tournament"],
            &["play", "web"],
            &["cli", "main"],
            &["fuzz", "internal"],
        ],
    ),
    (
        "lab/src",
        &[&["coroutines", "training", "tuning"], &["commands", "main"]],
    ),
];

/// The rooms that a line names, those of other crates among them.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let paths = code(line).split("crate::").skip(1);
    paths.map(move |rest| rest.split(|c| !is_word(c)).next().unwrap_or_default())
}

/// The names of higher rooms and of neighbors in a file.
fn breaches(rows: &[&[&str]], source: &Source) -> Vec<String> {
    let row_of = |room: &str| rows.iter().position(|row| row.contains(&room));
    let Some(own) = row_of(source.room()) else {
        return vec![format!("{source}: belongs to no row")];
    };
    let mut found = Vec::new();
    for (number, line) in source.product_lines() {
        for room in named(line) {
            let is_above = row_of(room).is_some_and(|row| row >= own) && room != source.room();
            // `crate::{a, b}` would hide rooms from this test.
            if is_above || room.is_empty() {
                found.push(format!("{source}:{number}: imports `{room}`"));
            }
        }
    }
    found
}

#[test]
fn rooms_import_only_from_lower_rows() {
    for (folder, rows) in ROWS {
        let sources = sources(folder);
        let found: Vec<_> = sources.iter().flat_map(|one| breaches(rows, one)).collect();
        assert!(found.is_empty(), "{}", found.join("\n"));
        for room in rows.iter().copied().flatten() {
            let is_there = sources.iter().any(|source| source.room() == *room);
            assert!(is_there, "{folder} has no room {room}");
        }
    }
}

/// To verify a proof, a reader needs only the rules and this room.
#[test]
fn the_checker_of_proofs_is_short_and_knows_the_rules_alone() {
    let mut own = sources("src");
    own.retain(|source| source.room() == "certificate");
    let lines: usize = own.iter().map(|source| source.text.lines().count()).sum();
    assert!((1..=430).contains(&lines), "{lines} lines");
    for source in own {
        for (number, line) in source.product_lines() {
            let is_known = named(line).all(|room| room == "board");
            assert!(is_known, "{source}:{number}: {line}");
        }
    }
}

#[test]
fn imports_are_seen() {
    let names = |line| named(line).collect::<Vec<_>>().join(" ");
    assert_eq!(names("use crate::board::{Board, Square};"), "board");
    assert_eq!(
        names("a(crate::eval::b, crate::search) // crate::cli"),
        "eval search"
    );
    assert_eq!(names("use crate::{board, eval};"), "");
    assert_eq!(named("use crate::{board, eval};").count(), 1);
}
