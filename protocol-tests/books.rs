//! Books made by the built `emilia`: by several processes, killed at any moment, refused to a second writer.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::patience::{pause, until};
use crate::samples::rounds;
use crate::scratch::{Outcome, Scratch};

pub fn with_book(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    scratch.write("empty", "");
    scratch.succeeds("book absorb a.book empty");
    scratch
}

pub fn spawned(command: &mut Command) -> Child {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The outcome with `input` on stdin.
pub fn feed(mut child: Child, input: &str) -> Outcome {
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap().into()
}

/// Stdout of a command that must succeed, with `input` on stdin.
pub fn fed(scratch: &Scratch, line: &str, input: &str) -> String {
    let Outcome(code, out, error) = scratch.feed(line, input);
    assert_eq!(code, 0, "{line}: {out}{error}");
    out
}

/// The number before `word`.
pub fn number(text: &str, word: &str) -> u64 {
    let before = text
        .split(word)
        .next()
        .unwrap_or_else(|| panic!("no {word:?} in {text:?}"));
    let number = before
        .split_whitespace()
        .next_back()
        .and_then(|number| number.parse().ok());
    number.unwrap_or_else(|| panic!("no number before {word:?} in {text:?}"))
}

/// The answers of quick searches to the book's next requests.
pub fn answers(scratch: &Scratch, positions: u32) -> String {
    let requests = scratch.succeeds(&format!(
        "book jobs a.book --depth 2 --positions {positions}"
    ));
    fed(scratch, "analyze --eval classic", &requests)
}

pub fn grow(scratch: &Scratch, positions: u32) {
    scratch.succeeds(&format!(
        "book grow a.book --positions {positions} --depth 2 --hash 1 --eval classic"
    ));
}

pub fn full_book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("books/emilia.book")
}

#[test]
fn the_book_inside_is_the_full_one_made_small() {
    let scratch = Scratch::new("inside");
    fs::copy(full_book(), scratch.0.join("small.book")).unwrap();
    scratch.succeeds("book tidy small.book --loss 3 --min-games 30");
    let inside = include_bytes!("../engine/src/book/small.book");
    assert!(
        fs::read(scratch.0.join("small.book")).unwrap() == inside,
        "rebuild engine/src/book/small.book"
    );
    assert!(inside.len() <= 400 << 10);
}

#[test]
fn a_program_alone_plays_from_the_book_inside_and_finds_the_full_one_in_a_folder_for_data() {
    let scratch = Scratch::new("alone");
    let program = scratch.0.join("lone-emilia");
    fs::copy(env!("CARGO_BIN_EXE_emilia"), &program).unwrap();
    let run = |line: &str, input: &str| {
        let mut command = Command::new(&program);
        command
            .args(line.split(' '))
            .current_dir(&scratch.0)
            .env_remove("EMILIA_BOOK");
        for variable in [
            "HOME",
            "APPDATA",
            "LOCALAPPDATA",
            "PROGRAMDATA",
            "XDG_DATA_HOME",
            "XDG_DATA_DIRS",
        ] {
            command.env(variable, &scratch.0);
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // A child that another test is just starting holds the copied program for a moment.
        let mut child = None;
        until("the copied program starts", || match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => false,
            started => {
                child = Some(started.unwrap());
                true
            }
        });
        let Outcome(code, out, error) = feed(child.unwrap(), input);
        assert_eq!(code, 0, "{error}");
        out
    };
    let version = run("version", "");
    assert!(
        version.ends_with("book     the book inside the program, 12011 positions\n"),
        "{version}"
    );
    let played = run("nboard --batch", "go\n");
    assert!(
        played.contains("status Book move") && played.contains("=== "),
        "{played}"
    );
    let refused = run("nboard --batch", "learn\n");
    assert!(refused.contains("game"), "{refused}");

    let data = if cfg!(target_os = "macos") {
        "Library/Application Support/emilia"
    } else {
        "emilia"
    };
    fs::create_dir_all(scratch.0.join(data)).unwrap();
    fs::copy(full_book(), scratch.0.join(data).join("emilia.book")).unwrap();
    let version = run("version", "");
    assert!(
        version.contains("emilia.book, 233068 positions"),
        "{version}"
    );
}

#[test]
fn books_of_other_programs_go_out_and_come_back() {
    let scratch = with_book("others");
    grow(&scratch, 60);
    for (to, kind, origin) in [
        ("edax", "a book of Edax", "(Edax, level 1)"),
        ("egaroucid", "a book of Egaroucid", "(Egaroucid, level 1)"),
    ] {
        let says = |line: &str| scratch.succeeds(&format!("book {}", line.replace("TO", to)));
        let written = says("export a.book --to TO -o book.TO");
        let positions = number(&written, " positions");
        assert!(positions > 5, "{written}");
        let verified = says("verify book.TO");
        assert!(
            verified.starts_with(&format!("{kind}: {positions} positions, ")),
            "{verified}"
        );
        assert!(verified.ends_with("; all rules hold\n"), "{verified}");
        let taken = says("import TO.book book.TO");
        assert!(
            taken.starts_with(&format!("{positions} positions in book.{to}, {kind}\n")),
            "{taken}"
        );
        assert!(says("show TO.book").contains(origin) && says("stats TO.book").contains(origin));
        says("verify TO.book");
        // Its searches are no answers; a second export gives the same book.
        let Outcome(code, out, error) = scratch.run(&format!("book export {to}.book"));
        assert!(
            code == 0 && out.is_empty() && error.contains("other programs searched them"),
            "{error}"
        );
        says("export TO.book --to TO -o again.TO");
        says("import again-TO.book again.TO");
        assert_eq!(says("show TO.book"), says("show again-TO.book"));

        let whole = fs::read(scratch.0.join(format!("book.{to}"))).unwrap();
        fs::write(
            scratch.0.join(format!("cut.{to}")),
            &whole[..whole.len() - 5],
        )
        .unwrap();
        for (line, out, errors) in [
            ("verify cut.TO", "byte ", "book import --keep-going"),
            ("import gone.book cut.TO", "", "cut.TO is damaged at byte "),
            (
                "import rest.book cut.TO --keep-going",
                "positions in ",
                "is damaged",
            ),
        ] {
            let Outcome(code, found, error) =
                scratch.run(&format!("book {}", line.replace("TO", to)));
            assert!(
                code == 1 && found.contains(out) && error.lines().count() == 1,
                "{line}: {found}{error}"
            );
            assert!(error.contains(&errors.replace("TO", to)), "{line}: {error}");
        }
    }
    let mut files = fs::read_dir(&scratch.0)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    assert!(files.all(|path| path.extension().unwrap_or_default() != "tmp"));
}

#[test]
fn two_processes_build_one_book_in_any_order() {
    let scratch = with_book("two");
    scratch.succeeds("book absorb back.book empty");
    for round in 0..8 {
        let first = scratch.succeeds("book jobs a.book --depth 2 --positions 12");
        scratch.write("first", &first);
        // A second process takes the next ones, not the same.
        let second = scratch.succeeds("book jobs a.book --depth 2 --positions 12 --without first");
        assert!(
            first.lines().all(|line| !second.contains(line)),
            "round {round}"
        );
        let answers = fed(&scratch, "analyze --eval classic", &(first + &second));
        fed(&scratch, "book absorb a.book", &answers);
        let back: String = answers
            .lines()
            .rev()
            .flat_map(|line| [line, "\n"])
            .collect();
        fed(&scratch, "book absorb back.book -", &(back + &answers));
    }
    assert!(number(&scratch.succeeds("book stats a.book"), " positions") >= 8);
    assert_eq!(
        scratch.succeeds("book export a.book"),
        scratch.succeeds("book export back.book")
    );
    assert!(
        scratch
            .succeeds("book verify back.book")
            .contains("0 values differ")
    );
    // A book written as text is read back as the same book.
    scratch.write("text", scratch.succeeds("book export a.book"));
    scratch.succeeds("book absorb copy.book text");
    let [own, copy] =
        ["a", "copy"].map(|name| scratch.succeeds(&format!("book export {name}.book --to obf")));
    assert_eq!(own, copy);
}

#[test]
fn half_an_answer_is_named_and_the_rest_taken() {
    let scratch = with_book("half");
    let line = answers(&scratch, 1);
    let Outcome(code, _, errors) =
        scratch.feed("book absorb a.book", &format!("{line}{}", &line[..70]));
    assert!(
        code == 1 && errors.contains("line 2") && errors.lines().count() == 2,
        "{errors}"
    );
    assert!(
        scratch
            .succeeds("book stats a.book")
            .starts_with("1 positions")
    );
}

#[test]
fn an_altered_answer_is_no_search() {
    let scratch = with_book("altered");
    let request = "{\"position\":\"f5d6c3\",\"depth\":4,\"best_moves\":2}\n";
    let answer = fed(&scratch, "analyze --hash 1", request);
    let absorbed = |answer: &str| {
        let Outcome(code, out, error) = scratch.feed("book absorb a.book", answer);
        (code == 0, out + &error)
    };
    assert!(absorbed(&answer).0, "{answer}");
    let classic = fed(&scratch, "analyze --hash 1 --eval classic", request);
    assert!(
        absorbed(&classic).0,
        "no chances, but a search at full strength"
    );
    let value: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let first = &value["moves"][0]["move"];
    let score = format!("\"score\":{}", value["score"]);
    for (from, to, shown) in [
        ("{\"id\"", "{\"partial\":true,\"id\"", "partial: "),
        ("{\"id\"", "{\"cancelled\":true,\"id\"", "cancelled: "),
        ("{\"id\"", "{\"partial\":1,\"id\"", "boolean"),
        ("{\"id\"", "{\"elo\":900,\"id\"", "elo: "),
        ("\"empties\":57", "\"empties\":56", "empties: "),
        ("\"depth\":4", "\"depth\":58", "depth: "),
        ("\"depth\":4", "\"depth\":0", "depth: "),
        ("\"selectivity\":73", "\"selectivity\":60", "selectivity: "),
        ("\"exact\":false", "\"exact\":true", "exact: "),
        (
            "\"schema_version\":2",
            "\"schema_version\":3",
            "schema_version: ",
        ),
        (
            "\"schema_version\":2",
            "\"schema_version\":2,\"version\":\"\"",
            "given twice",
        ),
        ("\"lower\":-64.0", "\"lower\":63.0", "score: "),
        (&score, "\"score\":64.0", "score: "),
        (&score, &format!("{score},{score}"), "score: given twice"),
        (
            "\"moves\":[{",
            &format!("\"avoid\":[{first}],\"moves\":[{{"),
            "excluded moves",
        ),
        ("\"pv\":[", "\"pv\":[\"a1\",", "pv: "),
        ("\"win_chance\"", "\"no_chance\"", "weaker player"),
    ] {
        assert!(answer.contains(from), "{from}: {answer}");
        let (is_taken, said) = absorbed(&answer.replacen(from, to, 1));
        assert!(!is_taken && said.contains(shown), "{to}: {said}");
    }
    // A move is scored twice.
    let moves = answer.split_once("\"moves\":[").unwrap().1;
    let one = &moves[..moves.find("},{").unwrap() + 1];
    let (is_taken, said) = absorbed(&answer.replacen(one, &format!("{one},{one}"), 1));
    assert!(!is_taken && said.contains("given twice"), "{said}");
    let weak = "{\"position\":\"f5d6c3\",\"elo\":191}\n";
    for eval in ["network", "classic"] {
        let answer = fed(&scratch, &format!("analyze --hash 1 --eval {eval}"), weak);
        let (is_taken, said) = absorbed(&answer);
        assert!(!is_taken && said.contains("weaker player"), "{said}");
    }
}

#[test]
fn a_book_with_two_names_is_read_and_not_split() {
    let scratch = with_book("linked");
    fs::hard_link(scratch.0.join("a.book"), scratch.0.join("b.book")).unwrap();
    scratch.write("games", "f5d6c3\n");
    for line in [
        "book import b.book games",
        "book grow a.book --positions 1 --depth 1",
        "book absorb a.book empty",
        "book tidy b.book",
    ] {
        scratch.fails(line, 1, "several names (hard links)");
    }
    scratch.succeeds("book stats b.book");
    fs::remove_file(scratch.0.join("a.book")).unwrap();
    scratch.succeeds("book import b.book games");
}

#[test]
fn a_killed_process_loses_nothing_that_was_said_to_be_in() {
    let scratch = with_book("kill");
    let line = answers(&scratch, 1);
    scratch.write("answers", line.repeat(4_000));
    scratch.succeeds("book absorb a.book answers");
    for round in 0..rounds(12) {
        let mut child = spawned(&mut scratch.command("book absorb a.book answers"));
        pause(Duration::from_millis(3 * round % 36));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(
            scratch
                .succeeds("book stats a.book")
                .starts_with("1 positions"),
            "round {round}"
        );
        scratch.succeeds("book verify a.book");
    }
}

/// A file may grow to 64 KiB and no further, as on a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing_and_is_named_in_one_line() {
    let scratch = with_book("full");
    let fails = |line: &str| {
        // The signal of the limit is ignored, so that writing fails as on a full disk.
        let shell = "trap '' XFSZ; ulimit -f 128; exec \"$0\" book \"$@\"";
        let mut command = Command::new("sh");
        command
            .args(["-c", shell, env!("CARGO_BIN_EXE_emilia")])
            .args(line.split(' '));
        let Outcome(code, _, errors) = feed(spawned(command.current_dir(&scratch.0)), "");
        assert!(code == 1 && errors.contains("a.book"), "{line}: {errors}");
        assert!(
            errors.matches("too large").count() == 1 && errors.lines().count() == 1,
            "{line}: {errors}"
        );
    };
    let line = answers(&scratch, 1);
    scratch.write("answers", line.repeat(3_000));
    // The journal meets the limit: it keeps the records before, and room makes the rest possible.
    fails("absorb a.book answers");
    let held = number(
        &scratch.succeeds("book verify a.book"),
        " records in the journal",
    );
    assert!((1_000..3_000).contains(&held), "{held} records");
    assert!(
        scratch
            .succeeds("book absorb a.book answers")
            .starts_with("3000 answers")
    );
    // The book itself meets the limit: it stays as before, with the journal.
    scratch.write("games", (0..3_000).map(random_game).collect::<String>());
    let before = scratch.succeeds("book export a.book");
    fails("import a.book games");
    assert_eq!(scratch.succeeds("book export a.book"), before);
    scratch.succeeds("book import a.book games");
    let whole = scratch.succeeds("book stats a.book");
    fails("tidy a.book");
    assert_eq!(scratch.succeeds("book stats a.book"), whole);
    assert!(
        scratch
            .succeeds("book verify a.book")
            .contains("0 values differ")
    );
    assert_eq!(
        fs::read_dir(&scratch.0).unwrap().count(),
        5,
        "nothing half-written stays"
    );
}

#[cfg(unix)]
pub fn random_game(seed: u64) -> String {
    let mut rng = crate::samples::Rng(seed);
    let mut game = emilia_engine::board::Game::default();
    let mut line = String::new();
    while !game.is_over() {
        if game.pass_if_forced() {
            continue;
        }
        let moves: Vec<_> = game.position().board.moves().iter().collect();
        let square = moves[rng.below(moves.len())];
        game.play_square(square).unwrap();
        line += &square.to_string();
    }
    line + "\n"
}

#[test]
fn the_shipped_book_is_whole() {
    let scratch = Scratch::new("shipped");
    let verdict = scratch.succeeds(&format!("book verify {}", full_book().display()));
    assert!(
        verdict.contains("checksums, order, index and moves hold; 0 values differ"),
        "{verdict}"
    );
    assert!(number(&verdict, " positions,") > 100_000, "{verdict}");
    assert_eq!(number(&verdict, " records in the journal"), 0, "{verdict}");
}

#[test]
fn games_are_followed_once_and_bad_ones_change_nothing() {
    let scratch = Scratch::new("follow");
    scratch.succeeds("book grow a.book --positions 4 --depth 4");
    let game = "f5d6c3d3c4f4c5b3c2b4e3e6c6f6a5";
    scratch.write("games", format!("{game}\n{game}\n"));
    let follow = "book grow a.book --input games --depth 4 --empties 46-60";
    assert!(number(&scratch.succeeds(follow), " positions searched") >= 10);
    let last = scratch.succeeds(&format!("book show a.book {}", &game[..28]));
    assert!(last.contains("4 plies"), "the last with 46 empties: {last}");
    scratch.fails(
        &format!("book show a.book {game}"),
        1,
        "does not have this position",
    );
    assert_eq!(number(&scratch.succeeds(follow), " positions searched"), 0);
    let before = scratch.succeeds("book export a.book");
    scratch.write("games", format!("{game}\nf5d6c3d3c4f4f4\n"));
    scratch.fails(
        "book grow a.book --input games --depth 6 --empties 46-60",
        1,
        "f4 is illegal",
    );
    assert_eq!(scratch.succeeds("book export a.book"), before);
}

#[test]
fn books_refuse_a_wrong_command_in_one_line() {
    let scratch = with_book("refuse");
    scratch.write("text.book", "no book at all\n".repeat(1000));
    // One process waits for answers that do not come, and holds the book.
    let mut holder = spawned(&mut scratch.command("book absorb a.book"));
    let journal = scratch.0.join("a.book.journal");
    until("no process holds the book", || {
        fs::File::open(&journal).unwrap().try_lock().is_err()
    });
    for (line, code, says) in [
        ("tidy a.book", 1, "another process is writing"),
        ("show text.book", 1, "not a book"),
        ("show no.book", 1, "(os error 2)"),
        ("show a.book", 1, "does not have this position"),
        ("grow a.book", 1, "say how much to search"),
        ("grow no.book --no-new", 1, "(os error 2)"),
        (
            "grow a.book --input gone --loss 2",
            2,
            "cannot be used with",
        ),
        (
            "grow a.book --positions 1 --empties 60-30",
            2,
            "expected a range",
        ),
        ("show a.book f5f5", 1, "f5 is illegal"),
        ("import a.book gone --min-games x", 2, "--min-games"),
    ] {
        scratch.fails(&format!("book {line}"), code, says);
    }
    drop(holder.stdin.take());
    holder.wait().unwrap();
    scratch.succeeds("book tidy a.book");
}
