//! Games in books, and books in sessions.

use std::fs;

use crate::books::*;
use crate::scratch::{Outcome, Scratch};

#[test]
fn games_and_searches_are_in_one_book() {
    let scratch = Scratch::new("games");
    scratch.write("games", "e6f4e3f6g5d6e7f5c5\n# a comment\nf5d6c3\n");
    let said = scratch.succeeds("book import a.book games");
    assert!(said.starts_with("1 games counted, 1 unfinished"), "{said}");
    scratch.succeeds("book grow a.book --positions 2 --depth 4 --hash 1");
    let shown = scratch.succeeds("book show a.book");
    assert!(
        shown.contains("searched at 4 plies") && shown.contains("100.0 %"),
        "{shown}"
    );
    assert!(
        scratch
            .succeeds("book show a.book e6f4")
            .contains("\nPerpendicular Opening\n")
    );
    scratch.succeeds("book grow a.book --no-new --depth 5 --positions 1 --hash 1");
    scratch.succeeds("book grow a.book --min-games 1 --depth 3 --hash 1 --positions 3");
    scratch.succeeds("book merge b.book a.book --with-games");
    assert_eq!(
        scratch.succeeds("book export a.book"),
        scratch.succeeds("book export b.book")
    );
    scratch.succeeds("book tidy a.book --loss 0");
    assert!(
        scratch
            .succeeds("book verify a.book")
            .contains("0 values differ")
    );
}

/// Results count however games ended; games that part late are different games, mirror images are not.
#[test]
fn games_count_by_their_results_and_once() {
    let same = "f5d6c3f4f6c4e3f3d3e2c6f2e6b3g4h5h3g5h4h6h7g3h2g6f1c5f7c7d1d7d2e7c2";
    let first = format!("{same}c1c8e8b4a3d8b8b6a5a4e1b1b5a2a1b7g2h1g1b2a8a7f8g7h8g8a6");
    let second = format!("{same}f8a4a3b4a5a2a1b6b5a6a7b7e1c1a8e8d8c8b8g7b1b2h8g8g1g2h1");
    // Along the diagonal: files become ranks.
    let turned = |square: &[u8]| [b'a' + square[1] - b'1', b'1' + square[0] - b'a'].map(char::from);
    let image: String = second.as_bytes().chunks(2).flat_map(turned).collect();
    let results = "(;GM[Othello]RE[+12.00]CO[match 1; game 0; plies 0; end adjudicated]B[f5]W[d6];)\n\
                   (;GM[2]FF[4]SZ[8]RE[B+12];B[f5];W[f6])\n\
                   [Result \"26-38\"]\n\n1. f5 d6 26-38\n\
                   (;GM[Othello]RE[-64.00:r]B[f5]W[d6];)\n(;GM[Othello]RE[?]B[f5]W[d6];)\n";
    let given_up = "1 resigned, lost on time or without a result in discs";
    let scratch = Scratch::new("results");
    for (book, games, said) in [
        (
            "a",
            results.to_owned(),
            format!("3 games counted, 1 unfinished, {given_up}"),
        ),
        (
            "b",
            format!("{first}\n{second}\n{image}\n"),
            "2 games counted, 1 counted before".to_owned(),
        ),
        (
            "b",
            format!("{image}\n"),
            "0 games counted, 1 counted before".to_owned(),
        ),
    ] {
        scratch.write("games", games);
        let found = scratch.succeeds(&format!("book import {book}.book games"));
        assert!(found.starts_with(&said), "{found}");
    }
}

#[test]
fn answers_and_reports_show_the_book() {
    let scratch = with_book("told");
    grow(&scratch, 3);
    let ask = |moves: &str, options: &str| -> serde_json::Value {
        let request = serde_json::json!({"position": moves}).to_string();
        let line = format!("analyze --eval classic --depth 1 {options}");
        serde_json::from_str(&fed(&scratch, &line, &request)).unwrap()
    };
    let start = "---------------------------OX------XO--------------------------- X";
    let known = &ask(start, "--book a.book")["book"];
    let value = known["value"].as_f64().unwrap();
    let depth = known["depth"].as_u64();
    assert!(
        (-64.0..=64.0).contains(&value) && depth == Some(2),
        "{known}"
    );
    assert!(
        known["lower"].as_f64() <= Some(value) && known["upper"].as_f64() >= Some(value),
        "{known}"
    );
    assert_eq!(known["games"], 0);
    assert!(ask(start, "--no-book").get("book").is_none());
    assert!(
        ask("f5f6e6f4", "--book a.book").get("book").is_none(),
        "no search came so far"
    );
    // The book's own move stays in the book, an unsearched one leaves it.
    let first = known["move"].as_str().unwrap();
    assert!(ask(first, "--book a.book").get("book").is_some());
    let page = |moves: &str, options: &str| {
        scratch.succeeds(&format!(
            "report {moves} -o - --depth 1 --eval classic {options}"
        ))
    };
    let board = emilia_engine::board::Board::START
        .play(first.parse().unwrap())
        .unwrap();
    let mut replies = board.moves().iter().map(|square| square.to_string());
    let outside = |reply: &String| {
        ask(&format!("{first}{reply}"), "--book a.book")
            .get("book")
            .is_none()
    };
    let reply = replies.find(outside).expect("some reply was not searched");
    let game = format!("{first}{reply}");
    let told = format!("left the book with move 2, {reply}");
    assert!(page(&game, "--book a.book").contains(&told), "{told}");
    assert!(page(first, "--book a.book").contains("in the book to the end"));
    assert!(!page(&game, "--no-book").contains("the book"));
}

#[test]
fn a_book_that_cannot_be_used_ends_no_session_and_is_named() {
    let scratch = Scratch::new("unusable");
    let text = "no book at all\n".repeat(1000);
    scratch.write("text.book", &text);
    scratch.write("empty.book", "");
    fs::create_dir(scratch.0.join("folder.book")).unwrap();
    for (name, told) in [
        ("missing.book", "No book at"),
        ("text.book", "not a book"),
        ("empty.book", "not a book"),
        ("folder.book", "folder.book"),
        ("no/such/place.book", "No book at"),
    ] {
        let talk = |mode: &str, lines: &str| {
            let line = format!("{mode} --level 1 --book {name}");
            let Outcome(code, said, errors) = scratch.feed(&line, lines);
            assert_eq!(code, 0, "{mode} {name}: {said}{errors}");
            (said, errors)
        };
        let (said, errors) = talk("nboard", "nboard 2\nping 1\ngo\n");
        let is_told = said
            .lines()
            .any(|line| line.starts_with("status ") && line.contains(told));
        assert!(
            is_told && said.contains("\n=== ") && errors.is_empty(),
            "{name}: {said}{errors}"
        );
        let (said, errors) = talk("gtp", "genmove b\n");
        assert!(
            said.starts_with("= ") && errors.contains(told),
            "{name}: {said}{errors}"
        );
        let (said, errors) = talk("play", "hint\nquit\n");
        assert!(
            said.contains("depth") && errors.contains(name),
            "{name}: {said}{errors}"
        );
    }
    assert_eq!(scratch.read("text.book"), text);
    assert_eq!(
        fs::read_dir(&scratch.0).unwrap().count(),
        3,
        "nothing was made"
    );
}

#[test]
fn a_missing_book_is_made_by_the_first_game_and_each_game_counts_once() {
    let scratch = Scratch::new("first");
    let moves = "e6f4e3f6g5d6e7f5c5";
    let squares = || (0..9).map(|at| &moves[2 * at..2 * at + 2]);
    let moved: String = squares().map(|square| format!("move {square}\n")).collect();
    let said = fed(
        &scratch,
        "nboard --book new.book",
        &format!("learn\n{moved}learn\nlearn\n"),
    );
    let told: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("status "))
        .collect();
    let [open, first, second] = told[..] else {
        panic!("{said}")
    };
    assert!(open.contains("the game goes on"), "{said}");
    assert!(
        first.contains("Learned: Black won by 64") && first.ends_with(": 1"),
        "{said}"
    );
    assert!(
        second.contains("counts once") && second.ends_with(": 1"),
        "{said}"
    );
    let plays: String = ["b", "w"]
        .iter()
        .cycle()
        .zip(squares())
        .map(|(side, mv)| format!("play {side} {mv}\n"))
        .collect();
    fed(&scratch, "gtp --learn games --book new.book", &plays);
    scratch.write("games", format!("{moves}\n{moves}\n"));
    for (name, told) in [
        ("new", "0 games counted, 2 counted"),
        ("other", "1 games counted, 1 counted"),
    ] {
        let said = scratch.succeeds(&format!("book import {name}.book games"));
        assert!(said.starts_with(&format!("{told} before")), "{said}");
    }
}
