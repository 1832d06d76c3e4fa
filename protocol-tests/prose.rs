//! Holds the prose of the project to plain English: counts the habits that make a sentence hard to read.
//!
//! Reads Markdown outside of code, comments, and string literals of Rust with four words or more.

use std::fs;
use std::path::{Path, PathBuf};

/// Habits that a file, and the whole tree, may have per 1,000 words.
const LIMIT: usize = 3;
/// Files of at most this number of words count only in the sum.
const SHORT: usize = 300;

const FOLDERS: [&str; 7] = [
    "books",
    "engine",
    "examples",
    "lab",
    "protocol-tests",
    "python",
    "src",
];
const SKIPPED: [&str; 3] = ["corpus", "transcripts", "__pycache__"];
const EXTENSIONS: [&str; 6] = ["rs", "md", "py", "c", "h", "sh"];

/// Words and phrases that plain English replaces by a noun, a standard verb or a shorter sentence.
#[rustfmt::skip]
const HABITS: [&str; 45] = [
    "tell", "tells", "told", "telling", "nobody", "whoever", "whom", "who", "what", "none", "beside", "besides",
    "stand", "stands", "lie", "lies", "alone", "anew", "wherever", "whatever", "whichever", "thereby", "hitherto",
    "in vain", "so many", "so few", "so long", "so much", "so often", "of ours", "of theirs", "of yours",
    "of its own", "of their own", "of our own", "of your own", "as it is", "as it was", "as they are",
    "passed over", "left out", "taken up", "put off", "given up", "broken off",
];

/// First words of an inverted sentence or clause.
const INVERSIONS: [&str; 8] = [
    "Of ", "With ", "Without ", "Where ", "Whose ", "Beside ", "Below ", "Above ",
];

fn count_words(text: &str) -> usize {
    let is_letter = |letter: char| letter.is_ascii_alphabetic() || letter == '\'';
    text.split(|letter| !is_letter(letter))
        .filter(|word| !word.is_empty())
        .count()
}

/// The habits in a line of prose.
fn habits(text: &str) -> Vec<&'static str> {
    let plain = text
        .replace(|letter: char| !letter.is_ascii_alphanumeric(), " ")
        .to_ascii_lowercase();
    let padded = format!(" {plain} ");
    let phrases = HABITS
        .into_iter()
        .filter(|habit| padded.contains(&format!(" {habit} ")));
    let inverted = INVERSIONS.into_iter().filter(|first| {
        text.match_indices(first).any(|(at, _)| {
            let begins = at == 0
                || [". ", ": ", "; "]
                    .iter()
                    .any(|end| text[..at].ends_with(end));
            begins && text[at + first.len()..].starts_with(|next: char| next.is_ascii_lowercase())
        })
    });
    phrases.chain(inverted).collect()
}

/// `text` without its `code spans`.
fn without_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let is_prose = |at: usize| at.is_multiple_of(2) || at + 1 == parts.len();
    (0..parts.len())
        .filter(|at| is_prose(*at))
        .map(|at| parts[at])
        .collect()
}

/// The string literals of a line of Rust that have four words or more.
fn messages(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut letters = line.chars();
    while letters.by_ref().any(|letter| letter == '"') {
        let mut literal = String::new();
        while let Some(letter) = letters.next().filter(|letter| *letter != '"') {
            literal.push(letter);
            literal.extend((letter == '\\').then(|| letters.next()).flatten());
        }
        found.push(literal);
    }
    // Markup is no prose.
    found.retain(|literal| count_words(literal) >= 4 && !literal.starts_with('<'));
    found
}

/// The prose of a file with line numbers.
fn prose(path: &Path) -> Vec<(usize, String)> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let is_page = path.extension().is_some_and(|extension| extension == "md");
    let mut fenced = false;
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start();
        let comment = ["///", "//!", "//", "#", "*"]
            .iter()
            .find_map(|mark| line.strip_prefix(mark));
        if is_page {
            fenced ^= line.starts_with("```");
            found.extend(
                (!fenced && !line.starts_with("```")).then(|| (number, without_code(line))),
            );
        } else if let Some(comment) =
            comment.filter(|rest| !(line.starts_with('#') && rest.starts_with('[')))
        {
            let comment = comment.trim_start();
            let is_fence = comment.starts_with("```");
            fenced ^= is_fence;
            if !fenced && !is_fence {
                found.push((number, without_code(comment)));
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.extend(messages(line).into_iter().map(|message| (number, message)));
        }
    }
    found
}

/// The files of prose below a folder.
pub(crate) fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folders of the project are readable") {
        let path = entry.expect("their entries are readable").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&&*name) {
            files(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| EXTENSIONS.iter().any(|known| extension == *known))
        {
            found.push(path);
        }
    }
}

#[test]
fn prose_is_plain() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = vec![root.join("README.md"), root.join("CHANGELOG.md")];
    // A package has some of these folders.
    for folder in FOLDERS
        .map(|name| root.join(name))
        .iter()
        .filter(|folder| folder.is_dir())
    {
        files(folder, &mut paths);
    }
    paths.retain(|path| !path.ends_with("protocol-tests/prose.rs"));
    let mut all_words = 0;
    let mut all_hits = 0;
    let mut faults = Vec::new();
    for path in paths {
        let lines = prose(&path);
        let words: usize = lines.iter().map(|(_, text)| count_words(text)).sum();
        let hits: Vec<String> = lines
            .iter()
            .flat_map(|(number, text)| {
                habits(text)
                    .into_iter()
                    .map(move |habit| (number, habit, text))
            })
            .map(|(number, habit, text)| {
                format!("{}:{number}: “{}” in: {text}", path.display(), habit.trim())
            })
            .collect();
        (all_words, all_hits) = (all_words + words, all_hits + hits.len());
        if words > SHORT && 1_000 * hits.len() > LIMIT * words {
            faults.extend(hits);
        }
    }
    println!("{all_hits} habits in {all_words} words");
    assert!(faults.is_empty(), "use plain words:\n{}", faults.join("\n"));
    assert!(
        1_000 * all_hits <= LIMIT * all_words,
        "{all_hits} habits in {all_words} words"
    );
}

/// The texts of all errors in the sources: those of error types, and of `bail!`, `ensure!` and `anyhow!`.
fn errors() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for folder in ["src", "engine", "lab"] {
        files(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(folder),
            &mut paths,
        );
    }
    let mut found = Vec::new();
    for path in paths
        .iter()
        .filter(|path| !path.ends_with("protocol-tests/prose.rs"))
    {
        let source = fs::read_to_string(path).unwrap_or_default();
        for mark in ["#[error(", "bail!(", "ensure!(", "anyhow!("] {
            for rest in source.split(mark).skip(1) {
                let call = rest.lines().take(3).collect::<Vec<_>>().join(" ");
                let text = call.split_once('"').and_then(|(_, text)| {
                    text.replace("\\\"", "'")
                        .split_once('"')
                        .map(|parts| parts.0.to_owned())
                });
                found.extend(text.map(|text| (path.display().to_string(), text)));
            }
        }
    }
    found
}

/// Whether the text of an error is vague, or more than one line that can follow a place and a colon.
fn is_unclear(text: &str) -> bool {
    let is_vague = ["invalid", "wrong", "bad input", "failed to", "unable to"]
        .iter()
        .any(|word| text.contains(word));
    // A word begins small; a name such as WTHOR does not.
    let mut letters = text.chars();
    let is_sentence = letters.next().is_some_and(char::is_uppercase)
        && letters.next().is_some_and(char::is_lowercase);
    is_vague
        || is_sentence
        || text.ends_with('.')
        || text.contains("\\n")
        || text.chars().count() > 220
}

#[test]
fn unclear_errors_are_found() {
    let long = "x".repeat(221);
    for text in [
        "Expected a row",
        "the move is invalid",
        "no such book.",
        "one\\ntwo",
        &long,
    ] {
        assert!(is_unclear(text), "{text}");
    }
    for text in [
        "expected a row 1-8, found {0:?}",
        "WTHOR has no such year",
        "--sprt compares two players",
        "{0}",
    ] {
        assert!(!is_unclear(text), "{text}");
    }
}

/// `cargo test --lib errors -- --nocapture` prints the list, to be read as a user reads it.
#[test]
fn errors_state_the_problem_in_one_line() {
    let errors = errors();
    println!("{} errors", errors.len());
    assert!(errors.len() > 150, "{} errors found", errors.len());
    let mut faults = Vec::new();
    for (path, text) in &errors {
        println!("{text}");
        if is_unclear(text) {
            faults.push(format!("{path}: {text}"));
        }
    }
    assert!(
        faults.is_empty(),
        "name what is expected, in one line without a period:\n{}",
        faults.join("\n")
    );
}

#[test]
fn habits_are_found() {
    let cases: [(&str, &[&str]); 5] = [
        (
            "Of lines, the file tells who wrote it",
            &["tells", "who", "Of "],
        ),
        (
            "it holds what is known; Without It nothing works",
            &["what"],
        ),
        (
            "it is known: Without it nothing works, as it is",
            &["as it is", "Without "],
        ),
        ("somewhat, allies, untold, whatnot", &[]),
        ("the reader returns the score", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(habits(text), expected, "{text}");
    }
    assert_eq!(
        messages(r#"say("one two three four", "a \"quoted\" text of words", "x")"#).len(),
        2
    );
    assert_eq!(without_code("reads `what` and `who`s"), "reads  and s");
}
