//! Line patterns: literal text with classes in braces, such as `=== {square|PA}/{decimal}/{decimal}`.
//!
//! Braces hold alternatives, separated by `|`: a class name or literal text. `{{` is a
//! brace. The whole line must match.

use crate::util::refusal::Refusal;

#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    /// The choices for each part of the line.
    parts: Vec<Vec<Choice>>,
}

#[derive(Clone, Debug)]
enum Choice {
    Text(String),
    /// Every run of characters for which the function holds.
    Class(Holds),
}

/// Whether a text is one of a class.
type Holds = fn(&str) -> bool;

/// The classes: a name and the form of the whole matched text.
const CLASSES: [(&str, Holds); 11] = [
    ("any", |_| true),
    ("word", |text| {
        !text.is_empty() && !text.contains(char::is_whitespace)
    }),
    ("blanks", |text| {
        !text.is_empty() && text.chars().all(|c| c == ' ')
    }),
    ("int", |text| {
        is_digits(text.strip_prefix(['+', '-']).unwrap_or(text))
    }),
    ("uint", is_digits),
    ("decimal", is_decimal),
    ("square", |text| is_square(text, 'A')),
    ("lower", |text| is_square(text, 'a')),
    // Fields of NBoard: a number in any form, a line of moves (`f5d6`, `F5-D6`), `/EVAL/TIME` or nothing.
    ("number", |text| {
        text.parse::<f64>().is_ok_and(f64::is_finite)
    }),
    ("pv", is_line_of_moves),
    ("opinion", |text| {
        text.is_empty() || text.strip_prefix('/').is_some_and(is_pair)
    }),
];

fn is_line_of_moves(text: &str) -> bool {
    let text = text.to_ascii_uppercase().replace('-', "");
    let is_move =
        |mv: &[u8]| mv == b"PA" || mv.len() == 2 && is_square(&String::from_utf8_lossy(mv), 'A');
    !text.is_empty() && text.as_bytes().chunks(2).all(is_move)
}

fn is_pair(text: &str) -> bool {
    text.split_once('/')
        .is_some_and(|(eval, time)| is_decimal(eval) && is_decimal(time))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `-?\d+\.\d+`, a plus sign allowed too.
fn is_decimal(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    text.split_once('.')
        .is_some_and(|(whole, rest)| is_digits(whole) && is_digits(rest))
}

fn is_square(text: &str, first: char) -> bool {
    let bytes = text.as_bytes();
    let files = first as u8..first as u8 + 8;
    bytes.len() == 2 && files.contains(&bytes[0]) && (b'1'..=b'8').contains(&bytes[1])
}

impl Pattern {
    /// The pattern that a test spells out itself.
    pub fn of(text: &str) -> Self {
        Self::parse(text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Reads a pattern; an unclosed brace is an error.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let mut parts = vec![];
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            if c != '{' || rest.starts_with('{') {
                parts.push(vec![Choice::Text(c.to_string())]);
                rest = rest.strip_prefix('{').filter(|_| c == '{').unwrap_or(rest);
                continue;
            }
            let (inside, after) = rest
                .split_once('}')
                .ok_or(format!("unclosed brace in {text:?}"))?;
            let choices = inside.split('|').map(|choice| {
                match CLASSES.iter().find(|(name, _)| *name == choice) {
                    Some((_, holds)) => Choice::Class(*holds),
                    None => Choice::Text(choice.to_string()),
                }
            });
            parts.push(choices.collect());
            rest = after;
        }
        Ok(Self {
            text: text.to_string(),
            parts,
        })
    }

    pub fn matches(&self, line: &str) -> bool {
        rest_matches(&self.parts, line)
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

fn rest_matches(parts: &[Vec<Choice>], line: &str) -> bool {
    let Some((choices, parts)) = parts.split_first() else {
        return line.is_empty();
    };
    choices.iter().any(|choice| match choice {
        Choice::Text(text) => line
            .strip_prefix(text.as_str())
            .is_some_and(|rest| rest_matches(parts, rest)),
        Choice::Class(holds) => {
            let mut ends = [line.len()]
                .into_iter()
                .chain(line.char_indices().rev().map(|(at, _)| at));
            ends.any(|end| holds(&line[..end]) && rest_matches(parts, &line[end..]))
        }
    })
}

#[test]
fn patterns_match_whole_lines_only() {
    for (pattern, line, matches) in [
        ("pong 1", "pong 1", true),
        ("pong 1", "pong 12", false),
        ("pong 1", "pong", false),
        ("=== {square|PA}{opinion}", "=== F5/-1.20/0.003", true),
        ("=== {square|PA}{opinion}", "=== PA", true),
        ("=== {square|PA}{opinion}", "=== F5/1,2/0.1", false),
        ("=== {square}{any}", "=== f5", false),
        (
            "search {pv} {number}{any} {int} {word}",
            "search F5-d6PA 1,2 0 12@73%",
            true,
        ),
        (
            "search {pv} {number}{any} {int} {word}",
            "search F5d 1 0 12",
            false,
        ),
        ("nodestats {uint} {decimal}", "nodestats 12 0.10", true),
        ("nodestats {uint} {decimal}", "nodestats -12 0.10", false),
        ("{{a}", "{a}", true),
        ("{any}x{any}", "aaxbb", true),
    ] {
        assert_eq!(
            Pattern::of(pattern).matches(line),
            matches,
            "{pattern} {line}"
        );
    }
    assert!(Pattern::parse("{square").is_err());
}
