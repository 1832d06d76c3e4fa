//! Inputs with their answers; `corpus/spellings.txt` explains the form.

use crate::board::Position;
use crate::notation::diagram::write_board;
use crate::notation::moves::write_moves;
use crate::notation::read::read;
use crate::notation::split::Splitter;
use crate::notation::{Code, Detected, ParseError};

/// An input with the answers to its entries.
struct Sample {
    name: &'static str,
    lines: Vec<String>,
    answers: Vec<&'static str>,
}

fn samples() -> impl Iterator<Item = Sample> {
    let texts = [
        include_str!("corpus/spellings.txt"),
        include_str!("corpus/games.txt"),
        include_str!("corpus/files.txt"),
        include_str!("corpus/misread.txt"),
    ];
    texts
        .into_iter()
        .flat_map(|text| text.split("\n@@ ").skip(1))
        .map(sample)
}

fn sample(text: &'static str) -> Sample {
    let (name, rest) = text
        .split_once('\n')
        .expect("an input has a name and lines");
    let rest = rest.strip_suffix('\n').unwrap_or(rest);
    let (lines, answers): (Vec<&str>, Vec<&str>) =
        rest.split('\n').partition(|line| !line.starts_with("=> "));
    let mut text = match () {
        () if name.contains("[crlf]") => lines.join("\r\n") + "\r\n",
        () if name.contains("[cr]") => lines.join("\r") + "\r",
        () => lines.join("\n") + "\n",
    };
    if name.contains("[bom]") {
        text.insert(0, '\u{feff}');
    }
    Sample {
        name,
        lines: text.split('\n').map(str::to_owned).collect(),
        answers: answers.iter().map(|answer| &answer[3..]).collect(),
    }
}

/// Whether an entry is that of the answer.
fn is_right(read: &Result<Detected, ParseError>, answer: &str) -> bool {
    let mut facts = answer.split(" || ");
    let answer = facts.next().unwrap_or_default();
    let (kind, want) = answer.split_once(' ').unwrap_or((answer, ""));
    let (want, note) = want.split_once(" | ").unwrap_or((want, ""));
    match (kind, read) {
        ("error", Err(error)) => error.code.name() == want,
        ("moves" | "board", Ok(entry)) => {
            let game = &entry.record.game;
            let is_same = match kind {
                "moves" => game.start() == Position::START && write_moves(game.moves()) == want,
                _ => write_board(&entry.position()) == want,
            };
            let has = |fact: &str| {
                fact.split_once(' ')
                    .is_some_and(|(name, value)| fact_of(entry, name) == value)
            };
            is_same && entry.comment == note && facts.all(has)
        }
        _ => false,
    }
}

/// A fact of a record by its name in the answers.
fn fact_of(entry: &Detected, name: &str) -> String {
    let record = &entry.record;
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
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut codes = Vec::new();
    for Sample {
        name,
        lines,
        answers,
    } in samples()
    {
        count += 1;
        let mut splitter = Splitter::default();
        let is_utf_8 = !name.contains("[latin1]");
        lines
            .iter()
            .for_each(|line| splitter.push(line, is_utf_8 || line.is_ascii()));
        splitter.finish();
        let found: Vec<_> = std::iter::from_fn(|| splitter.pop())
            .map(|chunk| read(&chunk))
            .collect();
        codes.extend(
            found
                .iter()
                .filter_map(|found| Some(found.as_ref().err()?.code)),
        );
        let all = found.len() == answers.len()
            && found
                .iter()
                .zip(&answers)
                .all(|(read, answer)| is_right(read, answer));
        if !all {
            wrong.push(format!("{name}\n  read  {found:?}\n  right {answers:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count >= 330, "{count} inputs");
    // A second entry, a long one and a WTHOR file are other tests' matter.
    let others = [Code::Empty, Code::Several, Code::TooLong, Code::Wthor];
    let missing: Vec<_> = Code::ALL
        .iter()
        .filter(|code| !codes.contains(code) && !others.contains(code))
        .collect();
    assert!(missing.is_empty(), "no input has these codes: {missing:?}");
}

#[test]
fn the_page_names_every_code() {
    let page = include_str!("../NOTATIONS.md");
    for code in Code::ALL {
        let row = format!("| `{}` |", code.name());
        assert!(page.contains(&row), "{row}");
    }
}
