use super::*;

fn splitter_of(text: &str) -> Splitter {
    let mut splitter = Splitter::default();
    text.lines().for_each(|line| splitter.push(line, true));
    splitter
}

/// Line and text of every entry.
fn split(text: &str) -> Vec<(usize, String)> {
    let mut splitter = splitter_of(text);
    splitter.finish();
    std::iter::from_fn(|| splitter.pop())
        .map(|chunk| (chunk.line, chunk.text))
        .collect()
}

const ROWS: &str = "--------\n--------\n--------\n---OX---\n---XO---\n--------\n--------\n--------";
const BOARD: &str = "---------------------------OX------XO--------------------------- X";

#[test]
fn entries_begin_and_end_at_their_lines() {
    let sgf = "(;FF[4]GM[2]C[a \\] (] ;B[f5]\n(;W[d6])\n(;W[f6]))";
    let ggf = "(;GM[Othello]PB[a\\]B[f5];)";
    let cut = "(;GM[Othello]PB[a";
    let whole = "(;GM[Othello]B[f5];)";
    let one = "[Black \"a\"]\n[White \"b\"]\n\n1. f5 d6 {x\n[y] 1-0}\n2. c3 40-24";
    let two = "[Black \"c\"]\n\n1. f5";
    let framed = "  a b c d e f g h\n1 - - - - - - - - 1\n2 - - - - - - - - 2\n3 - - - . - - - - 3\n\
                  4 - - . O X - - - 4\n5 - - - X O . - - 5\n6 - - - - . - - - 6\n7 - - - - - - - - 7\n\
                  8 - - - - - - - - 8\n  a b c d e f g h\nBlack to move";
    let example = "0 0 0 0 0 0 0 0\n".repeat(7) + "0 0 0 B W 0 0 0\nB\n5";
    let sided = format!("{ROWS}\nX");
    let cases: &[(String, &[(usize, &str)])] = &[
        (
            "f5\n\n# a remark\nd6\n% another\n".to_owned(),
            &[(1, "f5"), (4, "d6")],
        ),
        ("\u{feff}f5".into(), &[(1, "f5")]),
        ("rubbish\nf5".into(), &[(1, "rubbish"), (2, "f5")]),
        (
            format!("{sgf}{sgf}\n{ggf} {ggf}\n2 {ggf}{ggf}\nf5"),
            &[
                (1, sgf),
                (3, sgf),
                (6, ggf),
                (6, ggf),
                (7, &format!("2 {ggf}")),
                (7, ggf),
                (8, "f5"),
            ],
        ),
        // A damaged game costs no other.
        (
            format!("{cut}\n{whole}\n{cut}"),
            &[(1, cut), (2, whole), (3, cut)],
        ),
        (
            format!("{one}\n\n{two}\n{two}"),
            &[(1, one), (8, two), (11, two)],
        ),
        (
            format!("{two} 1-0 {two}"),
            &[(1, &format!("{two} 1-0")), (3, two)],
        ),
        (
            format!("{two} 1-0 2. d6"),
            &[(1, &format!("{two} 1-0 2. d6"))],
        ),
        (
            [framed, &example, &sided, "", "f5", &sided].join("\n"),
            &[
                (1, framed),
                (12, &example),
                (22, &sided),
                (32, "f5"),
                (33, &sided),
            ],
        ),
        // A faulty board takes the lines up to an empty one with it.
        (
            format!("{ROWS}\n{ROWS}\nX\n\nf5"),
            &[(1, &format!("{ROWS}\n--------")), (19, "f5")],
        ),
        (
            "--------\n---OX---\n\nf5".into(),
            &[(1, "--------\n---OX---"), (4, "f5")],
        ),
        (
            "1. f5 d6\n2. c3 d3\n1. f5 f6\nf5".into(),
            &[(1, "1. f5 d6\n2. c3 d3"), (3, "1. f5 f6"), (4, "f5")],
        ),
        (
            format!("{BOARD}\nmoves: f5\n\n{BOARD}\n\nf5"),
            &[(1, &format!("{BOARD}\nmoves: f5")), (4, BOARD), (6, "f5")],
        ),
        (
            "a\n---\n====\nGame 12\n--------------------\nb".into(),
            &[(1, "a"), (6, "b")],
        ),
        (
            "id,moves\n1,f5\n2,d6\n\nf5".into(),
            &[(2, "1,f5"), (3, "2,d6"), (5, "f5")],
        ),
        (
            r#"{"a":[{"b":"}"}]}"#.into(),
            &[(1, r#"{"a":[{"b":"}"}]}"#)],
        ),
        (
            r#"[{"a":1}, {"a":2}]"#.into(),
            &[(1, r#"{"a":1}"#), (1, r#"{"a":2}"#)],
        ),
        (
            r#"{"n":2,"games":[{"a":1},{"a":2}]}"#.into(),
            &[(1, r#"{"a":1}"#), (1, r#"{"a":2}"#)],
        ),
        (
            r#"{"data":{"games":[{"a":1},{"a":2}]}}"#.into(),
            &[(1, r#"{"a":1}"#), (1, r#"{"a":2}"#)],
        ),
        (r#"["f5", "d6"]"#.into(), &[(1, r#"["f5", "d6"]"#)]),
    ];
    for (text, entries) in cases {
        let want: Vec<_> = entries
            .iter()
            .map(|&(line, text)| (line, text.to_owned()))
            .collect();
        assert_eq!(split(text), want, "{text}");
    }
}

#[test]
fn an_entry_is_open_until_its_end() {
    for (lines, open) in [
        ("f5d6", "-"),
        ("(;FF[4]GM[2];B[f5])", "-"),
        ("[Black \"a\"]\n\n1. f5 d6 2. c3 *\nd3", "++--"),
        ("(;GM[Othello]\nB[f5];)", "+-"),
        ("1. f5 d6\n2. c3\nlist", "++-"),
    ] {
        let mut splitter = Splitter::default();
        for (line, open) in lines.lines().zip(open.chars()) {
            splitter.push(line, true);
            assert_eq!(splitter.open().is_some(), open == '+', "{lines} at {line}");
        }
    }
}

#[test]
fn a_pause_ends_only_what_is_whole() {
    for (text, entries) in [
        (BOARD, 1),
        ("1. f5", 1),
        ("--------", 0),
        ("{\"a\":", 0),
        ("(;GM[2]", 0),
    ] {
        let mut splitter = splitter_of(text);
        assert_eq!(splitter.flush(), entries == 1, "{text}");
        assert_eq!(
            std::iter::from_fn(|| splitter.pop()).count(),
            entries,
            "{text}"
        );
    }
    // Moves that come too late are refused.
    let mut splitter = splitter_of(BOARD);
    splitter.flush();
    splitter.push("moves: f5", true);
    splitter.finish();
    let codes =
        std::iter::from_fn(|| splitter.pop()).map(|chunk| chunk.fault.map(|fault| fault.code));
    assert_eq!(codes.collect::<Vec<_>>(), [None, Some(Code::BelowBoard)]);
}
