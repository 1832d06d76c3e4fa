use super::*;
use crate::protocols::harness::{Harness, options};
use crate::protocols::library::Library;
use crate::protocols::session::ConsoleOptions;

type Console = Harness<EdaxSession>;

/// A console that begins; what it says at first.
fn console(options: SessionOptions) -> (Console, String) {
    let mut console = Console::session(Library::default(), options);
    let now = console.now;
    crate::protocols::driver::Session::begin(&mut console.session, now).unwrap();
    let said = console.seen();
    console.clear();
    (console, said)
}

fn quiet() -> Console {
    let verbosity = ConsoleOptions { verbosity: 0, ..ConsoleOptions::default() };
    let (console, said) = console(SessionOptions { console: verbosity, ..options() });
    assert_eq!(said, ">");
    console
}

/// What comes after these lines, and after the search that they lead to.
fn said(console: &mut Console, lines: &str) -> String {
    console.clear();
    let before = console.jobs();
    console.send(lines);
    if console.session.running.is_some() && console.jobs() > before {
        console.finish(6);
    }
    console.seen()
}

#[test]
fn between_prompts_stand_a_line_end_and_the_answer() {
    let mut console = quiet();
    for (line, expected) in [
        ("init", "\n>"),
        ("  ", "\n>"),
        ("# remark", "\n>"),
        ("F5", "\n\nYou play F5\n>"),
        ("go", "\n\nEdax plays F4\n>"),
        ("set level 5", "\n>"),
        ("level = 5", "\n>"),
        ("f5", "\n>"),
        ("foo bar", "\n>"),
        ("b randomness 10", "\n>"),
        ("undo", "\n>"),
        ("redo", "\n>"),
        ("quit", "\n"),
    ] {
        assert_eq!(said(&mut console, line), expected, "{line}");
    }
    assert!(console.session.done);
}

#[test]
fn a_queue_is_executed_before_the_end() {
    let mut console = quiet();
    console.send("f5\ngo\nquit");
    assert!(!console.session.done);
    console.finish(6);
    assert_eq!(console.seen(), "\n\nYou play F5\n>\n\nEdax plays F4\n>\n");
    assert!(console.session.done);
    let mut console = quiet();
    console.send("f5");
    console.happens(crate::protocols::driver::Input::End);
    assert_eq!(console.seen(), "\n\nYou play F5\n>\n");
}

#[test]
fn stop_ends_a_search() {
    let mut console = quiet();
    console.send("go\nfoo");
    assert_eq!(console.stops(), 0);
    console.send("stop");
    assert_eq!(console.stops(), 1);
    console.finish(3);
    assert_eq!(console.seen(), "\n\nEdax plays D3\n>\n>\n>");
}

#[test]
fn the_board_stands_before_a_prompt() {
    let (mut console, begin) = console(options());
    assert_eq!(begin.lines().count(), 13, "a blank line, ten lines, a blank line, the prompt");
    assert!(begin.starts_with("\n  A B C") && begin.ends_with("H\n\n>"));
    let text = said(&mut console, "go");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[2].starts_with(" depth|score|") && lines[3].starts_with("------+"));
    assert_eq!(lines[4].len(), 79);
    assert_eq!(lines[5..8], [lines[3], "", "Edax plays D3"]);
    assert_eq!(lines[8..].len(), 13);
}

#[test]
fn a_forced_pass_and_the_end_of_a_game_are_told() {
    let mut console = quiet();
    said(&mut console, "play f5f6d3g5h5h4f7h6");
    assert_eq!(said(&mut console, "hint 3"), "\n>");
    assert_eq!(said(&mut console, "e7"), "\n>", "a pass is a move of its own");
    assert_eq!(said(&mut console, "go"), "\n\nEdax plays PS\n>");
    assert_eq!(said(&mut console, "ps"), "\n>", "nothing forces it");
    said(&mut console, "init\nplay f5d6c5f4e7f6g5e6e3");
    assert_eq!(said(&mut console, "go"), "\n\n*** Game Over ***\n>");
    assert_eq!(said(&mut console, "hint"), "\n>");
    let text = said(&mut console, "verbose 1");
    assert!(
        text.contains("       Game over        ")
            && text.ends_with("WHITE            A  B  C  D  E  F  G  H\n\n*** Game Over ***\n\n>")
    );
}

#[test]
fn a_hint_has_a_row_a_move() {
    let mut console = quiet();
    let text = said(&mut console, "hint 2");
    assert_eq!(
        text,
        "\n\n 6@73%  +01        0:00.000           600            d3                        \n>"
    );
    console.send("verbose 1");
    let text = said(&mut console, "hint");
    let rules = text.lines().filter(|line| line.starts_with("------+-----+")).count();
    assert_eq!(rules, 2);
}

#[test]
fn the_engine_moves_unasked_where_it_plays() {
    let plays = ConsoleOptions {
        verbosity: 0,
        plays: super::super::commands::sides_of_mode(1),
        ..ConsoleOptions::default()
    };
    let (mut console, begin) = console(SessionOptions { console: plays, ..options() });
    assert_eq!((begin.as_str(), console.jobs()), ("\n", 1));
    console.finish(6);
    assert_eq!(console.seen(), "\nEdax plays D3\n>");
    console.clear();
    console.send("c3");
    assert_eq!((console.seen().as_str(), console.jobs()), ("\n\nYou play C3\n\n", 2));
    console.finish(6);
    assert_eq!(console.seen(), "\n\nYou play C3\n\n\nEdax plays B3\n>");
    console.send("undo");
    assert_eq!(console.session.state.game.moves().len(), 1, "two plies");
    console.send("stop\nundo");
    assert_eq!(console.session.state.game.moves().len(), 0, "one");
}

#[test]
fn a_board_is_set_up() {
    let mut console = quiet();
    let squares = "---------------------------OX------XO---------------------------";
    said(&mut console, &format!("setboard {squares} O"));
    assert_eq!(console.session.state.position(), crate::board::Position::START.pass());
    assert_eq!(said(&mut console, &format!("setboard {squares}")), "\n>");
    assert_eq!(
        console.session.state.position(),
        crate::board::Position::START,
        "sixty empties: Black's turn"
    );
}
