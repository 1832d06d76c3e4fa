//! Checks the tables of experiments, and that the pages beside them count their lines.
//!
//! `EMILIA_UPDATE=1 cargo test --test protocol experiments` writes the counts into the pages.

use std::path::Path;
use std::{env, fs};

const VERDICTS: [&str; 4] = ["in", "dropped", "replaced", "measured"];
const BEGIN: &str = "<!-- counts of experiments.tsv -->\n";
const END: &str = "<!-- end of counts -->\n";

/// Whether a text is a value with an optional error: `-2.6 ± 0.5`.
fn is_value(text: &str) -> bool {
    text.splitn(2, " ± ")
        .all(|part| part.parse::<f64>().is_ok())
}

/// Whether a text is an Elo difference in its 95 % interval: `+24 [+11, +38]`.
fn is_elo(text: &str) -> bool {
    let words = text
        .trim_end_matches(']')
        .split(['[', ','])
        .map(|word| word.trim().parse());
    words
        .collect::<Result<Vec<i32>, _>>()
        .is_ok_and(|parts| matches!(parts[..], [elo, low, high] if low <= elo && elo <= high))
}

/// Panics at a line without the right cells; returns a Markdown table of the lines by section and verdict.
fn counts(name: &str, table: &str) -> String {
    let mut lines = table
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().expect("a table has a header");
    let mut sections: Vec<(&str, [usize; VERDICTS.len()])> = Vec::new();
    for (number, cells) in lines.enumerate() {
        let place = format!("{name}, line {}", number + 2);
        assert_eq!(cells.len(), header.len(), "{place}: number of columns");
        let cell = |column| {
            header
                .iter()
                .position(|&name| name == column)
                .map_or("", |at| cells[at])
        };
        assert!(!cell("idea").is_empty(), "{place}: no idea");
        for (column, is_right) in [
            ("nodes", is_value as fn(&str) -> bool),
            ("time", is_value),
            ("loss", is_value),
            ("elo", is_elo),
        ] {
            let cell = cell(column);
            assert!(
                cell.is_empty() || is_right(cell),
                "{place}: {column} `{cell}`"
            );
        }
        let verdict = VERDICTS.iter().position(|&known| known == cell("verdict"));
        let verdict = verdict.unwrap_or_else(|| panic!("{place}: verdict `{}`", cell("verdict")));
        if sections
            .last()
            .is_none_or(|(section, _)| *section != cell("section"))
        {
            sections.push((cell("section"), Default::default()));
        }
        sections.last_mut().expect("just pushed").1[verdict] += 1;
    }
    let mut page = format!(
        "| section | {} |\n|---|--:|--:|--:|--:|\n",
        VERDICTS.join(" | ")
    );
    for (section, counts) in sections {
        page += &format!(
            "| {section} | {} |\n",
            counts.map(|count| count.to_string()).join(" | ")
        );
    }
    page
}

#[test]
fn pages_count_the_experiments() {
    for room in ["engine/src/search", "engine/src/eval", "books"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(room);
        let read =
            |name| fs::read_to_string(folder.join(name)).expect("the table and its page are there");
        let table = read("experiments.tsv");
        let page = read("EXPERIMENTS.md");
        let counts = counts(&format!("{room}/experiments.tsv"), &table);
        let (before, rest) = page.split_once(BEGIN).expect("the page has counts");
        let (old, after) = rest.split_once(END).expect("the counts end");
        if env::var_os("EMILIA_UPDATE").is_some() {
            fs::write(
                folder.join("EXPERIMENTS.md"),
                [before, BEGIN, &counts, END, after].concat(),
            )
            .unwrap();
        } else {
            assert_eq!(
                old, counts,
                "{room}/EXPERIMENTS.md is old: update it with EMILIA_UPDATE=1"
            );
        }
    }
}
