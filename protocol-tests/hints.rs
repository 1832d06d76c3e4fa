//! Hints of a move never get worse, in any order of requests, with a book deeper than the searches.

use std::collections::HashMap;
use std::path::Path;

use emilia::internal::transcripts::Script;

use crate::child::Session;
use crate::samples::ggf;

/// The answers to these lines, with the shipped book.
fn talk(arguments: &str, lines: &str) -> Vec<String> {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("books/emilia.book");
    let mut script = Script::of(arguments);
    script.env.push((
        "EMILIA_BOOK".into(),
        book.to_str().expect("a path in UTF-8").into(),
    ));
    Session::start(&script)
        .and_then(|mut session| session.end(lines))
        .unwrap()
}

/// The rank of a depth token.
pub fn worth(token: &str) -> (u32, u32) {
    match token {
        "100%" => (1000, 100),
        "100%W" => (999, 100),
        _ => {
            let (depth, percent) = token.split_once('@').unwrap_or((token, "100"));
            let percent = percent.trim_end_matches('%').parse().expect("percent");
            (depth.parse().expect("a depth"), percent)
        }
    }
}

/// The lines of the hints: word, move, depth token.
fn hints(said: &[String]) -> Vec<(&str, &str, &str)> {
    let fields = said.iter().map(|line| line.split(' ').collect::<Vec<_>>());
    let hints = fields.filter(|fields| matches!(fields[0], "book" | "search"));
    hints
        .map(|fields| (fields[0], &fields[1][..2], fields[4]))
        .collect()
}

#[test]
fn a_book_value_is_not_followed_by_a_shallow_one() {
    for asked in [1, 2, 4, 64] {
        let said = talk(
            "nboard --batch --hash 1",
            &format!("set depth 6\nhint {asked}\n"),
        );
        let lines = hints(&said);
        assert!(lines.len() >= 4.min(asked), "{said:#?}");
        // The four first moves are equal: the book has all of them, deeper than six plies.
        for (word, _, token) in &lines {
            assert!(*word == "book" && worth(token).0 >= 20, "{said:#?}");
        }
    }
}

#[test]
fn the_first_hint_of_a_book_position_is_the_books() {
    for moves in ["", "F5", "F5D6", "F5D6C3D3C4", "F5F6E6F4E3C5"] {
        let said = talk(
            "nboard --batch --hash 1",
            &format!("set depth 4\nset game {}\nhint 4\n", ggf(moves)),
        );
        assert_eq!(
            hints(&said).first().map(|hint| hint.0),
            Some("book"),
            "{moves}: {said:#?}"
        );
    }
}

#[test]
fn gtp_has_the_books_value_and_move() {
    let said = talk(
        "gtp --batch --level 6",
        "emilia-score\nemilia-best_moves 4\nreg_genmove b\ngenmove b\nname\n",
    );
    let answers: Vec<&str> = said
        .iter()
        .filter_map(|line| line.strip_prefix("= "))
        .collect();
    let [score, labels, looked, played, "Emilia"] = answers[..] else {
        panic!("{said:#?}")
    };
    let depth = score.split("depth ").nth(1).expect("a depth");
    assert!(worth(depth).0 >= 20, "{said:#?}");
    let values: Vec<&str> = labels.split(' ').skip(2).step_by(2).collect();
    assert!(
        values.len() == 4 && values.iter().all(|value| *value == values[0]),
        "{said:#?}"
    );
    assert_eq!(looked, played);
}

#[test]
fn depths_and_positions_in_any_order_never_make_a_move_worse() {
    let positions = [
        "",
        "F5",
        "F5D6C3D3C4F4F6",
        "F5F6E6F4E3C5C4",
        "F5F4C3",
        "E6F4C3C4D3D6E3",
    ];
    let mut script = String::new();
    let mut asked = vec![];
    for round in 0..30 {
        let moves = positions[round * 7 % 11 % positions.len()];
        let depth = [7, 3, 5, 8, 1, 10][round * 5 % 13 % 6];
        let game = ggf(moves);
        script += &format!(
            "set game {game}\nset depth {depth}\nhint {}\nping {round}\n",
            1 + round % 5
        );
        asked.push(moves);
    }
    let said = talk("nboard --batch --hash 1", &script);
    let mut shown: HashMap<(&str, &str), (u32, u32)> = HashMap::new();
    let mut rounds = said.split(|line| line.starts_with("pong "));
    for (round, moves) in asked.iter().enumerate() {
        let lines = rounds.next().expect("a pong for each ping");
        let hints = hints(lines);
        assert!(!hints.is_empty(), "round {round}: {said:#?}");
        for (_, mv, token) in hints {
            let before = shown.insert((moves, mv), worth(token));
            assert!(
                before <= Some(worth(token)),
                "round {round}, {mv} after {moves}: {lines:#?}"
            );
        }
    }
}
