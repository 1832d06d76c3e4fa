//! Faults put into a text.

use super::generate::Dice;

/// Another position with its side, as a foreign board in a text.
pub const BOARD: &str = "------------------XO-------OX------OXX-----O-------------------- X";

const NOISE: [&str; 16] = [
    "X", "O", "-", " ", "\n", "f5", "1.", "+", "*", "(", "]", "\"", ";", ",", "moves: ", "8 ",
];

pub type Mutation = (&'static str, fn(&mut Dice, &str) -> Option<String>);

pub const MUTATIONS: [Mutation; 12] = [
    ("sign added", |dice, text| {
        at_sign(dice, text, |sign| sign.repeat(2))
    }),
    ("sign lost", |dice, text| {
        at_sign(dice, text, |_| String::new())
    }),
    ("sign changed", |dice, text| {
        let other = dice.pick(&["X", "O", "-", "*", "0", "b"]);
        at_sign(dice, text, |_| other.to_owned())
    }),
    ("second board", |dice, text| {
        let end = dice.pick(&["\n", " ", "\nmoves: "]);
        Some(if dice.one_in(2) {
            format!("{text}{end}{BOARD}")
        } else {
            format!("{BOARD}{end}{text}")
        })
    }),
    ("second side", |dice, text| {
        at_line(dice, text, |dice, line| {
            format!("{line} {}", dice.pick(&["X", "O", "white", "1"]))
        })
    }),
    ("title", |dice, text| {
        at_line(dice, text, |dice, line| {
            let titles = [
                "- ",
                "* ",
                "1. ",
                "7 ",
                "a) ",
                "Title: ",
                "d3 opening: ",
                "id,",
                "~ ",
                "2. ",
            ];
            format!("{}{line}", dice.pick(&titles))
        })
    }),
    ("lost move", |dice, text| {
        let square = |pair: &[u8]| {
            (b'a'..=b'h').contains(&pair[0].to_ascii_lowercase())
                && (b'1'..=b'8').contains(&pair[1])
        };
        let found: Vec<usize> = (1..text.len())
            .filter(|&at| square(&text.as_bytes()[at - 1..=at]))
            .collect();
        let at = *found.get(dice.below(found.len().max(1)))?;
        Some(format!("{}{}", &text[..at - 1], &text[at + 1..]))
    }),
    ("wrong number", |dice, text| {
        let found: Vec<usize> = text
            .char_indices()
            .filter(|c| c.1.is_ascii_digit())
            .map(|c| c.0)
            .collect();
        let at = *found.get(dice.below(found.len().max(1)))?;
        Some(format!(
            "{}{}{}",
            &text[..at],
            dice.below(10),
            &text[at + 1..]
        ))
    }),
    ("lines joined", |dice, text| {
        let found: Vec<usize> = text.match_indices('\n').map(|found| found.0).collect();
        let at = *found.get(dice.below(found.len().max(1)))?;
        Some(format!(
            "{}{}{}",
            &text[..at],
            dice.pick(&["", " "]),
            &text[at + 1..]
        ))
    }),
    ("bare remark", |dice, text| {
        let signs = dice.pick(&["{}", "()", ";", "#", "%", "\"", "[]"]);
        text.contains(|c| signs.contains(c))
            .then(|| text.replace(|c| signs.contains(c), ""))
    }),
    ("doubled part", |dice, text| {
        let (open, close) =
            dice.pick(&[('[', ']'), ('"', ','), ('\n', '\n'), (';', ';'), (',', ',')]);
        let found: Vec<usize> = text.match_indices(open).map(|found| found.0).collect();
        let at = *found.get(dice.below(found.len().max(1)))?;
        let end = at + 1 + text[at + 1..].find(close)? + 1;
        Some(format!(
            "{}{}{}",
            &text[..end],
            &text[at..end],
            &text[end..]
        ))
    }),
    ("noise", |dice, text| {
        let found: Vec<usize> = text.char_indices().map(|c| c.0).collect();
        let at = *found.get(dice.below(found.len().max(1)))?;
        let next = if dice.one_in(2) {
            at
        } else {
            at + text[at..].chars().next()?.len_utf8()
        };
        let part = if dice.one_in(4) {
            ""
        } else {
            dice.pick(&NOISE)
        };
        Some(format!("{}{part}{}", &text[..at], &text[next..]))
    }),
];

/// Changes one sign of a run of eight or more.
fn at_sign(dice: &mut Dice, text: &str, change: impl Fn(String) -> String) -> Option<String> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let sign = |c: &(usize, char)| "XxOo*-.·●○BbWw012".contains(c.1);
    let runs = chars.windows(8).filter(|run| run.iter().all(sign));
    let found: Vec<(usize, char)> = runs.map(|run| run[4]).collect();
    let (at, c) = *found.get(dice.below(found.len().max(1)))?;
    Some(format!(
        "{}{}{}",
        &text[..at],
        change(c.to_string()),
        &text[at + c.len_utf8()..]
    ))
}

/// Changes one line.
fn at_line(dice: &mut Dice, text: &str, change: fn(&mut Dice, &str) -> String) -> Option<String> {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let at = dice.below(lines.len());
    lines[at] = change(dice, &lines[at]);
    Some(lines.join("\n"))
}

/// Faults that the page refuses in any text of `form`, and the text with one of them.
pub fn certain(dice: &mut Dice, form: &str, text: &str) -> Option<(&'static str, String)> {
    let text = text.trim_end();
    if text.contains('\u{3000}') {
        return None;
    }
    let moved = text.to_ascii_lowercase().contains("moves:");
    let remark = text.contains(['%', '#']);
    match (form, dice.below(3)) {
        ("board" | "GGF board", 0) => {
            at_sign(dice, text, |sign| sign.repeat(2)).map(|text| ("65th square", text))
        }
        ("board", 1) if !remark && !moved => Some(("second side", format!("{text} O"))),
        ("bitboards" | "FEN", 1) if !remark && !moved => Some(("second side", format!("{text} X"))),
        ("moves", 0) => Some((
            "board in a remark",
            format!(
                "{text} {}",
                dice.pick(&["{%}", "# %", "(was %)", "; %"])
                    .replace('%', BOARD)
            ),
        )),
        ("moves" | "board", 2) => Some((
            "title",
            format!(
                "{}{text}",
                dice.pick(&["~ ", "a) ", "d3 opening: ", "id 7,", "- "])
            ),
        )),
        ("PGN", 0) => Some((
            "doubled tag",
            text.replacen("[Black ", "[Black \"a\"]\n[Black ", 1),
        )),
        ("PGN", 1) => Some(("board in a remark", text.replacen("ann", BOARD, 1))),
        ("GGF" | "SGF", 0) => Some(("doubled property", text.replacen("PB[", "PB[a]PB[", 1))),
        ("GGF" | "SGF", 1) => Some(("board in a property", text.replacen("ann", BOARD, 1))),
        ("GGF", _) => Some((
            "65th square",
            text.replacen(" -", " --", 1)
                .replacen(" *", " **", 1)
                .replacen(" O", " OO", 1),
        )),
        ("JSON", 0) => Some(("doubled key", text.replacen('{', "{\"id\":1,\"id\":1,", 1)))
            .filter(|pair| pair.1 != text),
        ("JSON", 1) => Some((
            "unknown key with moves",
            text.replacen('{', "{\"note\":\"f5 d6\",", 1),
        ))
        .filter(|pair| pair.1 != text),
        ("JSON", _) => Some((
            "unknown key with a board",
            text.replacen('{', &format!("{{\"note\":\"{BOARD}\","), 1),
        ))
        .filter(|pair| pair.1 != text),
        ("table", _) => text.split_once('\n').map(|parts| {
            (
                "doubled column",
                format!("{0},{0}\n{1},x", parts.0, parts.1),
            )
        }),
        _ => None,
    }
}
