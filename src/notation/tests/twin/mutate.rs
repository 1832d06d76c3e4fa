//! Faults put into a text.

use std::ops::Range;

use super::generate::Dice;

/// Another position with its side, as a foreign board in a text.
pub const BOARD: &str = "------------------XO-------OX------OXX-----O-------------------- X";

/// A fault: its name, the places in a text where it may come, and the new text of the place.
pub type Mutation = (
    &'static str,
    fn(&str) -> Vec<Range<usize>>,
    fn(&mut Dice, &str) -> String,
);

pub const MUTATIONS: [Mutation; 17] = [
    ("sign added", signs, |_, sign| sign.repeat(2)),
    ("sign lost", signs, |_, _| String::new()),
    ("sign changed", signs, |dice, _| {
        dice.pick(&["X", "O", "-", "*", "0", "b"]).to_owned()
    }),
    ("second board", ends, |dice, _| {
        dice.pick(&["\n", " ", "\nmoves: "]).to_owned() + BOARD
    }),
    ("second side", ends, |dice, _| {
        dice.pick(&[" X", " O", " white", " 1", "\nO"]).to_owned()
    }),
    ("title", starts, |dice, _| dice.pick(&TITLES).to_owned()),
    ("lost move", squares, |_, _| String::new()),
    ("pass added", squares, |dice, square| {
        square.to_owned() + dice.pick(&["pass", " pa", " -- ", "PP"])
    }),
    (
        "wrong number",
        |text| chars(text, |c| c.is_ascii_digit()),
        |dice, _| dice.below(10).to_string(),
    ),
    (
        "lines joined",
        |text| chars(text, |c| c == '\n'),
        |dice, _| dice.pick(&["", " "]).to_owned(),
    ),
    (
        "bare remark",
        |text| chars(text, |c| "{}()[];#%\"".contains(c)),
        |dice, _| dice.pick(&["", " "]).to_owned(),
    ),
    ("doubled part", parts, |_, part| part.repeat(2)),
    ("number added", ends, |dice, _| {
        format!(" {}", 1 + dice.below(8))
    }),
    ("glued sign", squares, |dice, square| {
        square.to_owned() + dice.pick(&["#", "%", ";", "# good"])
    }),
    ("glued remark", ends, |dice, _| {
        dice.pick(&["#good", "%good", "# f5"]).to_owned()
    }),
    ("noise added", ends, |dice, _| dice.pick(&NOISE).to_owned()),
    (
        "noise",
        |text| chars(text, |_| true),
        |dice, _| dice.pick(&NOISE).to_owned(),
    ),
];

pub const TITLES: [&str; 10] = [
    "~ ",
    "a) ",
    "d3 opening: ",
    "Title: ",
    "- ",
    "* ",
    "1. ",
    "2. ",
    "7 ",
    "id,",
];

const NOISE: [&str; 16] = [
    "", "X", "O", "-", " ", "\n", "f5", "1.", "+", "*", "(", "]", "\"", ";", ",", " moves: ",
];

/// The text with the fault in one of its places, if there is one.
pub fn mutate(dice: &mut Dice, mutation: &Mutation, text: &str) -> Option<String> {
    let places = (mutation.1)(text);
    let place = places.get(dice.below(places.len().max(1)))?.clone();
    let new = (mutation.2)(dice, &text[place.clone()]);
    Some([&text[..place.start], &new, &text[place.end..]].concat())
}

fn chars(text: &str, wanted: fn(char) -> bool) -> Vec<Range<usize>> {
    let found = text.char_indices().filter(|found| wanted(found.1));
    found.map(|(at, c)| at..at + c.len_utf8()).collect()
}

/// Signs of boards with seven others around them.
fn signs(text: &str) -> Vec<Range<usize>> {
    let all = chars(text, |_| true);
    let sign = |place: &Range<usize>| "XxOo*-.·●○BbWw012".contains(&text[place.clone()]);
    let runs = all.windows(8).filter(|run| run.iter().all(sign));
    runs.map(|run| run[4].clone()).collect()
}

fn squares(text: &str) -> Vec<Range<usize>> {
    let pairs = (1..text.len()).filter_map(|at| Some((at, text.get(at - 1..=at)?)));
    let squares = pairs.filter(|pair| pair.1.parse::<crate::board::Square>().is_ok());
    squares.map(|(at, _)| at - 1..at + 1).collect()
}

/// Ends of lines.
fn ends(text: &str) -> Vec<Range<usize>> {
    let ends = text.match_indices('\n').map(|found| found.0);
    ends.chain([text.len()]).map(|at| at..at).collect()
}

/// Starts of lines.
fn starts(text: &str) -> Vec<Range<usize>> {
    let starts = text.match_indices('\n').map(|found| found.0 + 1);
    starts.chain([0]).map(|at| at..at).collect()
}

/// Tags, keys, properties, lines and cells.
fn parts(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for pair in [
        ["[", "]"],
        ["\"", ","],
        ["\n", "\n"],
        [";", ";"],
        [",", ","],
        ["P", "]"],
    ] {
        for (at, _) in text.match_indices(pair[0]) {
            found.extend(text[at + 1..].find(pair[1]).map(|end| at..at + end + 2));
        }
    }
    found
}

/// A text of one entry with a fault that the page refuses for certain, and the name of the fault.
pub fn certain(dice: &mut Dice, form: &str, text: &str) -> Option<(&'static str, String)> {
    let text = text.trim_end();
    let bare = !text.contains(['%', '#', ';']) && !text.to_lowercase().contains("moves:");
    let first = |name: &'static str, old: &str, new: &str| (name, text.replacen(old, new, 1));
    let fault = match (form, dice.below(3)) {
        _ if text.contains('\u{3000}') => return None,
        ("board" | "GGF board", 0) => ("65th square", mutate(dice, &MUTATIONS[0], text)?),
        ("board" | "bitboards" | "FEN", 1) if bare => ("second side", format!("{text} O")),
        ("moves", 0) => ("board in a remark", format!("{text} # {BOARD}")),
        ("moves", 1) => ("board in a remark", format!("{text} (was {BOARD})")),
        ("moves" | "board", 2) => ("title", dice.pick(&TITLES[..4]).to_owned() + text),
        ("PGN", 0) => first("doubled tag", "[Black ", "[Black \"a\"]\n[Black "),
        ("PGN" | "GGF" | "SGF", 1) => first("board in a tag", "ann", BOARD),
        ("GGF" | "SGF", 0) => first("doubled property", "PB[", "PB[a]PB["),
        ("JSON", 0) => first("doubled key", "{", "{\"id\":1,\"id\":1,"),
        ("JSON", 1) => first("unknown key with moves", "{", "{\"note\":\"f5 d6\","),
        ("JSON", 2) => first(
            "unknown key with a board",
            "{",
            &format!("{{\"note\":\"{BOARD}\","),
        ),
        ("table", 0) => {
            let name = text.split([',', ';', '\t', '\n']).next()?;
            first("doubled column", name, &format!("{name},{name}"))
        }
        _ => return None,
    };
    (fault.1 != text).then_some(fault)
}
