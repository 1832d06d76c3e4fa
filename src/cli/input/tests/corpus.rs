//! Inputs with their answers: `corpus.txt`, `corpus_games.txt`, and the files of `corpus/` with answers in `NAME.want`.

use std::fs;
use std::path::Path;

use super::super::{Entry, InputArgs};
use crate::board::Position;
use crate::notation::diagram::write_board;
use crate::notation::moves::write_moves;
use crate::util::testing::file_in;
use anyhow::Result;
use tempfile::TempDir;

/// An input with the answers to its entries.
struct Sample {
    name: String,
    bytes: Vec<u8>,
    answers: Vec<String>,
}

fn samples() -> Vec<Sample> {
    let texts = [
        include_str!("../corpus.txt"),
        include_str!("../corpus_games.txt"),
    ];
    texts
        .into_iter()
        .flat_map(|text| text.split("\n@@ ").skip(1))
        .map(sample)
        .chain(files())
        .collect()
}

/// The files of the folder; lines of answers are as in `corpus.txt`, without `=> `.
fn files() -> impl Iterator<Item = Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/input/corpus");
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_none_or(|ending| ending != "want"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let answers = fs::read_to_string(path.with_file_name(format!("{name}.want")));
            let answers = answers
                .expect("it has answers")
                .lines()
                .map(str::to_owned)
                .collect();
            Sample {
                bytes: fs::read(path).unwrap(),
                answers,
                name,
            }
        })
}

fn sample(text: &'static str) -> Sample {
    let (name, rest) = text
        .split_once('\n')
        .expect("an input has a name and lines");
    let (lines, answers): (Vec<&str>, Vec<&str>) =
        rest.lines().partition(|line| !line.starts_with("=> "));
    let end = match () {
        () if name.contains("[crlf]") => "\r\n",
        () if name.contains("[cr]") => "\r",
        () => "\n",
    };
    let mark = if name.contains("[bom]") {
        "\u{feff}"
    } else {
        ""
    };
    let text = format!("{mark}{}{end}", lines.join(end));
    let answers = answers
        .iter()
        .map(|answer| answer[3..].to_owned())
        .collect();
    Sample {
        name: name.to_owned(),
        bytes: text.into_bytes(),
        answers,
    }
}

/// Whether an entry is that of the answer.
fn is_right(read: &Result<Entry>, answer: &str) -> bool {
    let mut facts = answer.split(" || ");
    let answer = facts.next().unwrap_or_default();
    let (kind, want) = answer.split_once(' ').unwrap_or((answer, ""));
    let (want, note) = want
        .split_once(" | ")
        .map_or((want, None), |(want, note)| (want, Some(note)));
    match (kind, read) {
        ("error", Err(error)) => error
            .to_string()
            .contains(answer.strip_prefix("error").expect("it is").trim()),
        ("moves" | "board", Ok(entry)) => {
            let game = &entry.record().game;
            let is_same = match kind {
                "moves" => game.start() == Position::START && write_moves(game.moves()) == want,
                _ => write_board(&entry.position()) == want,
            };
            let has = |fact: &str| {
                fact.split_once(' ')
                    .is_some_and(|(name, value)| fact_of(entry, name) == value)
            };
            is_same && note.is_none_or(|note| entry.found.comment == note) && facts.all(has)
        }
        _ => false,
    }
}

/// A fact of a record by its name in the answers.
fn fact_of(entry: &Entry, name: &str) -> String {
    let record = entry.record();
    match name {
        "Black" => record.black.clone(),
        "White" => record.white.clone(),
        "Site" => record.place.clone(),
        "Date" => record.date.clone(),
        "Result" => record.result().words(),
        "Taken" => record.assumed.join("; "),
        "Lost" => record.left_out.join("; "),
        tag => record.tags.get(tag).unwrap_or_default().to_owned(),
    }
}

#[test]
fn every_input_has_its_answer() {
    let folder = TempDir::new().unwrap();
    let samples = samples();
    assert!(samples.len() >= 330, "{} inputs", samples.len());
    let mut wrong = Vec::new();
    for Sample {
        name,
        bytes,
        answers,
    } in samples
    {
        let file = if name.contains(' ') {
            "input.txt"
        } else {
            &name
        };
        let path = file_in(&folder, file, bytes);
        let read: Vec<_> = InputArgs::of(path).entries().collect();
        let all = read.len() == answers.len()
            && read
                .iter()
                .zip(&answers)
                .all(|(read, answer)| is_right(read, answer));
        if !all {
            wrong.push(format!("{name}\n  read  {read:?}\n  right {answers:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
