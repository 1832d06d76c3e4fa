use super::*;
use crate::protocols::harness::Harness;
use crate::protocols::library::Library;
use crate::protocols::session::ConsoleOptions;

type Console = Harness<EdaxSession>;

/// A console that has begun, and its first output.
fn console(options: SessionOptions) -> (Console, String) {
    let console = Console::session(Library::default(), options);
    let output = console.seen();
    console.clear();
    (console, output)
}

fn quiet() -> Console {
    let verbosity = ConsoleOptions { verbosity: 0, ..ConsoleOptions::default() };
    let (console, output) = console(SessionOptions { console: verbosity, ..Default::default() });
    assert_eq!(output, ">");
    console
}

/// The output of these lines and of their search.
fn output(console: &mut Console, lines: &str) -> String {
    console.clear();
    let before = console.jobs();
    console.send(lines);
    if console.session.running.is_some() && console.jobs() > before {
        console.finish(6);
    }
    console.seen()
}

#[test]
fn a_line_end_and_the_answer_follow_a_prompt() {
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
        ("quit", "\n"),
    ] {
        assert_eq!(output(&mut console, line), expected, "{line}");
    }
    assert!(console.session.done);
}

#[test]
fn a_hint_has_a_row_a_move() {
    let mut console = quiet();
    let text = output(&mut console, "hint 2");
    assert_eq!(
        text,
        "\n\n 6@73%  +01        0:00.000           600            d3                        \n>"
    );
    console.send("verbose 1");
    let text = output(&mut console, "hint");
    let rules = text.lines().filter(|line| line.starts_with("------+-----+")).count();
    assert_eq!(rules, 2);
}

#[test]
fn a_board_is_set_up() {
    let mut console = quiet();
    let squares = "---------------------------OX------XO---------------------------";
    output(&mut console, &format!("setboard {squares} O"));
    assert_eq!(console.session.state.position(), crate::board::Position::START.pass());
    assert_eq!(output(&mut console, &format!("setboard {squares}")), "\n>");
    assert_eq!(
        console.session.state.position(),
        crate::board::Position::START,
        "sixty empties: Black's turn"
    );
}
