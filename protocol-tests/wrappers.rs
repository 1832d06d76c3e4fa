//! Programs that start engines as they start Edax: a whole game by Edax's prompts, and odd command lines.

use emilia::internal::transcripts::Pattern;

use crate::child::Session;
use crate::scratch::{Outcome, Scratch};

/// Sends a line and reads the rest of the prompt's line.
fn ask(side: &mut Session, line: &str) {
    side.send(format!("{line}\n").as_bytes());
    side.expect(&Pattern::of(">")).unwrap();
}

#[test]
fn two_programs_play_a_whole_game() {
    let options = "-q -eval-file data/eval.dat -book-file data/book.dat -level 1 -book-randomness 10 -book-usage off";
    let mut sides = [Session::of(options), Session::of(options)];
    for side in &mut sides {
        ["l 1", "b randomness 10"]
            .iter()
            .for_each(|line| ask(side, line));
    }
    let mut turn = 0;
    let mut moves = Vec::new();
    loop {
        ask(&mut sides[turn], "go");
        sides[turn].expect(&Pattern::of("")).unwrap();
        let line = sides[turn]
            .expect(&Pattern::of("{Edax plays |*** Game Over ***}{any}"))
            .unwrap();
        let Some(mv) = line.strip_prefix("Edax plays ") else {
            break;
        };
        let other = &mut sides[1 - turn];
        ask(other, if mv == "PS" { "pass" } else { mv });
        other.expect(&Pattern::of("")).unwrap();
        other
            .expect(&Pattern::of(&format!("You play {mv}")))
            .unwrap();
        moves.push(mv.to_owned());
        turn = 1 - turn;
        assert!(moves.len() < 130, "{moves:?}");
    }
    assert!(moves.len() > 8, "{moves:?}");
}

#[test]
fn odd_command_lines_end_no_session() {
    let scratch = Scratch::new("start");
    for (line, input, answer) in [
        (
            "-q -level 1 -hash 0 -frobnicate -eval-file absent.dat -book-file absent.dat",
            "go\n",
            "Edax plays ",
        ),
        (
            "-gtp -hash 0 -level 1 -frobnicate -eval-file absent.dat",
            "genmove b\n",
            "= ",
        ),
        (
            "gtp --book absent/absent.book --level 1",
            "genmove b\n",
            "= ",
        ),
        (
            "nboard --book absent/absent.book --hash 1",
            "set depth 1\ngo\nping 1\n",
            "=== ",
        ),
        (
            "-nboard -frobnicate -eval-file absent.dat",
            "set depth 1\ngo\nping 1\n",
            "=== ",
        ),
        ("-cassio -frobnicate", "ENGINE-PROTOCOL init\n", "ready."),
    ] {
        let Outcome(code, text, errors) = scratch.feed(line, input);
        assert_eq!(code, 0, "{line}: {errors}");
        assert!(
            text.lines()
                .any(|line| line.trim_start_matches('>').starts_with(answer)),
            "{line}: {text}"
        );
        let all = format!("{text}{errors}");
        for word in ["frobnicate", "absent.dat", "absent.book"]
            .iter()
            .filter(|word| line.contains(**word))
        {
            let lines = all.lines().filter(|line| line.contains(word)).count();
            let is_foreign_book = *word == "absent.dat" && line.contains("-book-file");
            assert!(
                lines == 1 || is_foreign_book && lines > 0,
                "{line}: {word}: {all}"
            );
        }
    }
}
