//! Books made by the built `emilia`: by several processes, killed at any moment, refused to a second writer.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::patience::{pause, until};
use crate::samples::rounds;
use crate::scratch::{Outcome, Scratch};

/// What a command of books says when all goes well.
fn says(scratch: &Scratch, line: &str) -> String {
    scratch.succeeds(&format!("book {line}"))
}

/// What a command says to this input when all goes well.
fn fed(scratch: &Scratch, line: &str, input: &str) -> String {
    let Outcome(code, out, error) = scratch.feed(line, input);
    assert_eq!(code, 0, "{line}: {out}{error}");
    out
}

/// Adds answers to a book.
fn absorb(scratch: &Scratch, book: &str, answers: &str) {
    fed(scratch, &format!("book absorb {book}"), answers);
}

/// A book without positions.
fn empty_book(scratch: &Scratch, name: &str) {
    scratch.write("none", "");
    says(scratch, &format!("absorb {name} none"));
}

/// The number before `word`.
fn number(text: &str, word: &str) -> u64 {
    let before = text.split(word).next().unwrap_or_else(|| panic!("no {word:?} in {text:?}"));
    let number = before.split_whitespace().next_back().and_then(|number| number.parse().ok());
    number.unwrap_or_else(|| panic!("no number before {word:?} in {text:?}"))
}

/// Answers a request as an analysis would, with a made-up score.
fn answer(request: &str) -> String {
    let request: serde_json::Value = serde_json::from_str(request).unwrap();
    let position = request["position"].as_str().unwrap();
    let board = |own: u8| {
        position
            .bytes()
            .take(64)
            .enumerate()
            .filter(|(_, c)| *c == own)
            .fold(0u64, |bits, (i, _)| bits | 1 << i)
    };
    let board = emilia::board::Board { player: board(b'X'), opponent: board(b'O') };
    let avoid: Vec<&str> = request["avoid"]
        .as_array()
        .map_or(vec![], |list| list.iter().filter_map(serde_json::Value::as_str).collect());
    let mut open: Vec<String> =
        emilia::board::squares(board.moves()).map(|square| square.to_string()).collect();
    open.retain(|square| !avoid.contains(&square.as_str()));
    open.sort();
    let score = (f64::from(open[0].as_bytes()[1]) - 52.0) / 2.0 - avoid.len() as f64 / 4.0;
    let count = request["moves"].as_u64().unwrap() as usize;
    let moves: Vec<serde_json::Value> = (0..)
        .zip(open.iter().take(count))
        .map(|(index, square)| serde_json::json!({"move": square, "score": score - f64::from(index) / 2.0}))
        .collect();
    serde_json::json!({
        "id": request["id"], "position": position, "depth": request["depth"], "exact": false,
        "selectivity": request["selectivity"], "score": score, "moves": moves, "nodes": 1, "seconds": 0.1,
    })
    .to_string()
}

fn answers(requests: &str) -> Vec<String> {
    requests.lines().map(answer).collect()
}

/// The book of the repository.
fn full_book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("books/emilia.book")
}

#[test]
fn the_book_inside_is_the_full_one_made_small() {
    let scratch = Scratch::new("inside");
    fs::copy(full_book(), scratch.0.join("small.book")).unwrap();
    says(&scratch, "tidy small.book --loss 3 --min-games 30");
    let inside = include_bytes!("../src/book/small.book");
    assert!(fs::read(scratch.0.join("small.book")).unwrap() == inside, "make src/book/small.book anew");
    assert!(inside.len() <= 400 << 10);
}

#[test]
fn a_program_alone_plays_from_the_book_inside_and_finds_the_full_one_in_a_folder_for_data() {
    let scratch = Scratch::new("alone");
    let program = scratch.0.join("lone-emilia");
    fs::copy(env!("CARGO_BIN_EXE_emilia"), &program).unwrap();
    let run = |arguments: &[&str], input: &str| {
        let mut command = Command::new(&program);
        command.args(arguments).current_dir(&scratch.0).env_remove("EMILIA_BOOK");
        for variable in ["HOME", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "XDG_DATA_HOME", "XDG_DATA_DIRS"] {
            command.env(variable, &scratch.0);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A child that another test is just starting holds what is written here for a moment.
        let mut child = None;
        until("the copied program starts", || match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => false,
            started => {
                child = Some(started.unwrap());
                true
            }
        });
        let mut child = child.unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let Outcome(code, out, error) = child.wait_with_output().unwrap().into();
        assert_eq!(code, 0, "{error}");
        out
    };
    let version = run(&["version"], "");
    assert!(version.ends_with("book     the book inside the program, 12011 positions\n"), "{version}");
    let played = run(&["nboard", "--batch"], "go\n");
    assert!(played.contains("status Book move") && played.contains("=== "), "{played}");
    let refused = run(&["nboard", "--batch"], "learn\n");
    assert!(refused.contains("game"), "{refused}");

    let data = if cfg!(target_os = "macos") { "Library/Application Support/emilia" } else { "emilia" };
    fs::create_dir_all(scratch.0.join(data)).unwrap();
    fs::copy(full_book(), scratch.0.join(data).join("emilia.book")).unwrap();
    let version = run(&["version"], "");
    assert!(version.contains("emilia.book, 233068 positions"), "{version}");
}

#[test]
fn books_of_other_programs_go_out_and_come_back() {
    let scratch = Scratch::new("others");
    empty_book(&scratch, "my.book");
    for _ in 0..8 {
        let requests = says(&scratch, "jobs my.book --positions 12");
        absorb(&scratch, "my.book", &answers(&requests).join("\n"));
    }
    let forms = [
        ("edax", "a book of Edax", "(Edax, level 22)"),
        ("edax-text", "a book of Edax as text", "(Edax, level 22)"),
        ("egaroucid", "a book of Egaroucid", "(Egaroucid, level 21)"),
    ];
    for (to, kind, origin) in forms {
        let written = says(&scratch, &format!("export my.book --to {to} -o book.{to}"));
        let positions = number(&written, " positions");
        assert!(positions > 5, "{written}");
        let verified = says(&scratch, &format!("verify book.{to}"));
        assert!(verified.starts_with(&format!("{kind}: {positions} positions, ")), "{verified}");
        assert!(verified.ends_with("; all rules hold\n"), "{verified}");
        let taken = says(&scratch, &format!("import {to}.book book.{to}"));
        assert!(taken.starts_with(&format!("{positions} positions in book.{to}, {kind}\n")), "{taken}");
        for told in [says(&scratch, &format!("show {to}.book")), says(&scratch, &format!("stats {to}.book"))]
        {
            assert!(told.contains(origin), "{told}");
        }
        says(&scratch, &format!("verify {to}.book"));
        // Its searches are no answers of ours; once more it is the same book.
        let Outcome(code, out, error) = scratch.run(&format!("book export {to}.book"));
        assert_eq!((code, out.as_str()), (0, ""));
        assert!(error.contains("other programs searched them"), "{error}");
        says(&scratch, &format!("export {to}.book --to {to} -o again.{to}"));
        says(&scratch, &format!("import again-{to}.book again.{to}"));
        let show = |name: &str| says(&scratch, &format!("show {name}.book"));
        assert_eq!(show(to), show(&format!("again-{to}")));

        let whole = fs::read(scratch.0.join(format!("book.{to}"))).unwrap();
        scratch.write(&format!("cut.{to}"), &whole[..whole.len() - 5]);
        let refused = |line: &str| {
            let Outcome(code, out, error) = scratch.run(&format!("book {line}"));
            assert_eq!(code, 1, "{line}");
            [out, error]
        };
        let [named, error] = refused(&format!("verify cut.{to}"));
        assert!(named.starts_with("byte ") && error.contains("book import --keep-going"), "{named}{error}");
        let [_, error] = refused(&format!("import none.book cut.{to}"));
        assert!(error.contains(&format!("cut.{to} is damaged at byte ")), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        let [taken, error] = refused(&format!("import rest.book cut.{to} --keep-going"));
        assert!(taken.contains("positions in rest.book\n") && error.contains("is damaged"), "{taken}{error}");
    }
    assert!(
        !fs::read_dir(&scratch.0)
            .unwrap()
            .any(|entry| entry.unwrap().path().extension().unwrap_or_default() == "tmp")
    );
}

#[test]
fn two_processes_build_one_book_in_any_order() {
    let scratch = Scratch::new("two");
    scratch.write("none", "");
    for name in ["forth.book", "back.book"] {
        says(&scratch, &format!("absorb {name} none"));
    }
    for round in 0..8 {
        let first = says(&scratch, "jobs forth.book --positions 12");
        scratch.write("first", &first);
        // A second process takes the next ones, not the same.
        let second = says(&scratch, "jobs forth.book --positions 12 --without first");
        assert!(first.lines().all(|line| !second.contains(line)), "round {round}");
        let answers: Vec<String> = [answers(&first), answers(&second)].concat();
        let mut twice: Vec<String> = answers.iter().rev().cloned().collect();
        twice.extend(answers.iter().cloned());
        absorb(&scratch, "forth.book", &(answers.join("\n") + "\n"));
        absorb(&scratch, "back.book -", &twice.join("\n"));
    }
    assert!(number(&says(&scratch, "stats forth.book"), " positions") >= 8);
    assert_eq!(says(&scratch, "export forth.book"), says(&scratch, "export back.book"));
    assert!(says(&scratch, "verify back.book").contains("0 values differ"));
    // What is written as text is read back as the same book.
    scratch.write("text", says(&scratch, "export forth.book"));
    says(&scratch, "absorb copy.book text");
    assert_eq!(says(&scratch, "export forth.book --to obf"), says(&scratch, "export copy.book --to obf"));
}

#[test]
fn half_an_answer_is_told_and_the_rest_taken() {
    let scratch = Scratch::new("half");
    empty_book(&scratch, "a.book");
    let line = answers(&says(&scratch, "jobs a.book --positions 1")).remove(0);
    let Outcome(code, _, errors) = scratch.feed("book absorb a.book", &format!("{line}\n{}", &line[..70]));
    assert_eq!(code, 1);
    assert!(errors.contains("line 2") && errors.lines().count() == 2, "{errors}");
    assert!(says(&scratch, "stats a.book").starts_with("1 positions"));
}

#[test]
fn a_killed_process_loses_nothing_that_was_said_to_be_in() {
    let scratch = Scratch::new("kill");
    empty_book(&scratch, "a.book");
    let line = answers(&says(&scratch, "jobs a.book --positions 1")).remove(0);
    scratch.write("answers", format!("{line}\n").repeat(4_000));
    says(&scratch, "absorb a.book answers");
    for round in 0..rounds(12) {
        let mut child = scratch.command("book absorb a.book answers").stdout(Stdio::null()).spawn().unwrap();
        pause(Duration::from_millis(3 * round % 36));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(says(&scratch, "stats a.book").starts_with("1 positions"), "round {round}");
        says(&scratch, "verify a.book");
    }
}

/// A file may grow to 64 KiB and no further: what a full disk does, without one.
#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing_and_is_told_in_one_line() {
    let scratch = Scratch::new("full");
    let limited = |line: &str| {
        // The signal of the limit is ignored, so that writing fails as on a full disk.
        let mut command = Command::new("sh");
        command.args([
            "-c",
            "trap '' XFSZ; ulimit -f 128; exec \"$0\" book \"$@\"",
            env!("CARGO_BIN_EXE_emilia"),
        ]);
        command.args(line.split(' ')).current_dir(&scratch.0).stdin(Stdio::null());
        Outcome::of(&mut command)
    };
    let fails = |line: &str| {
        let Outcome(code, _, errors) = limited(line);
        assert_eq!(code, 1, "{line}: {errors}");
        assert!(errors.contains("a.book") && errors.matches("too large").count() == 1, "{line}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{line}: {errors}");
    };
    empty_book(&scratch, "a.book");
    let line = answers(&says(&scratch, "jobs a.book --positions 1")).remove(0);
    scratch.write("answers", format!("{line}\n").repeat(3_000));
    // The journal meets the limit: what was said to be in stays, and room makes the rest possible.
    fails("absorb a.book answers");
    let held = number(&says(&scratch, "verify a.book"), " records in the journal");
    assert!((1_000..3_000).contains(&held), "{held} records");
    assert!(says(&scratch, "absorb a.book answers").starts_with("3000 answers"));
    // The book itself meets the limit: it stands as before, with the journal.
    let games: String = (0..3_000).map(random_game).collect();
    scratch.write("games", games);
    let before = says(&scratch, "export a.book");
    fails("import a.book games");
    assert_eq!(says(&scratch, "export a.book"), before);
    says(&scratch, "import a.book games");
    let whole = says(&scratch, "stats a.book");
    fails("tidy a.book");
    assert_eq!(says(&scratch, "stats a.book"), whole);
    assert!(says(&scratch, "verify a.book").contains("0 values differ"));
    assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 5, "nothing half-written stays");
}

/// A game of random moves as a line of text.
#[cfg(unix)]
fn random_game(seed: u64) -> String {
    let (mut game, mut state) =
        (emilia::board::Game::default(), seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut line = String::new();
    while !game.is_over() {
        if game.pass_if_forced() {
            continue;
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let moves: Vec<_> = emilia::board::squares(game.position().board.moves()).collect();
        let square = moves[(state >> 33) as usize % moves.len()];
        game.play_square(square).unwrap();
        line += &square.to_string();
    }
    line + "\n"
}

#[test]
fn the_shipped_book_is_whole_and_finds_its_positions() {
    let scratch = Scratch::new("shipped");
    let book = full_book().display().to_string();
    let verdict = says(&scratch, &format!("verify {book}"));
    assert!(verdict.contains("checksums, order, index and moves hold; 0 values differ"), "{verdict}");
    assert!(number(&verdict, " positions,") > 100_000, "{verdict}");
    assert_eq!(number(&verdict, " records in the journal"), 0, "{verdict}");
    let times = says(&scratch, &format!("stats {book} --probes 300"));
    assert!(times.contains("a probe, warm: median ") && times.ends_with(" of 300\n"), "{times}");
}

#[test]
fn games_are_followed_once_and_bad_ones_change_nothing() {
    let scratch = Scratch::new("follow");
    says(&scratch, "grow a.book --positions 4 --depth 4");
    let game = "f5d6c3d3c4f4c5b3c2b4e3e6c6f6a5";
    scratch.write("games", format!("{game}\n{game}\n"));
    let follow = "grow a.book --input games --depth 4 --empties 46-60";
    assert!(number(&says(&scratch, follow), " positions searched") >= 10);
    assert!(
        says(&scratch, &format!("show a.book {}", &game[..28])).contains("4 plies"),
        "the last with 46 empties"
    );
    assert_ne!(scratch.run(&format!("book show a.book {game}")).0, 0, "one move further it ends");
    assert_eq!(number(&says(&scratch, follow), " positions searched"), 0);
    let before = says(&scratch, "export a.book");
    scratch.write("games", format!("{game}\nf5d6c3d3c4f4f4\n"));
    scratch.fails("book grow a.book --input games --depth 6 --empties 46-60", 1, "f4 is illegal");
    assert_eq!(says(&scratch, "export a.book"), before);
}

#[test]
fn books_refuse_what_they_cannot_do_in_one_line() {
    let scratch = Scratch::new("refuse");
    scratch.write("text.book", "no book at all\n".repeat(1000));
    empty_book(&scratch, "a.book");
    // One process waits for answers that do not come, and holds the book.
    let mut holder = scratch.command("book absorb a.book").stdin(Stdio::piped()).spawn().unwrap();
    let journal = scratch.0.join("a.book.journal");
    until("nobody holds the book", || fs::File::open(&journal).unwrap().try_lock().is_err());
    for (line, says) in [
        ("tidy a.book", "another process is writing"),
        ("show text.book", "not a book"),
        ("show no.book", "(os error 2)"),
        ("show a.book", "does not know this position"),
        ("grow a.book", "say how much to search"),
        ("grow no.book --no-new", "(os error 2)"),
        ("grow a.book --input none --loss 2", "cannot be used with"),
        ("grow a.book --positions 1 --empties 60-30", "expected a range"),
        ("verify a.book --seed 2", "--deeper"),
        ("verify a.book --eval classic", "--deeper"),
        ("show a.book f5f5", "f5 is illegal"),
        ("import a.book none --min-games x", "--min-games"),
    ] {
        let Outcome(code, _, errors) = scratch.run(&format!("book {line}"));
        assert_ne!(code, 0, "{line}");
        assert!(errors.contains(says), "{line}: {errors}");
        assert!(!errors.contains("panicked"), "{line}: {errors}");
    }
    drop(holder.stdin.take());
    holder.wait().unwrap();
    says(&scratch, "tidy a.book");
}

#[test]
fn games_become_statistics_and_a_search_stands_beside_them() {
    let scratch = Scratch::new("games");
    let moves = "e6f4e3f6g5d6e7f5c5";
    scratch.write("games", format!("{moves}\n# a comment\nf5d6c3\n"));
    let said = says(&scratch, "import a.book games");
    assert!(said.starts_with("1 games counted, 1 unfinished"), "{said}");
    says(&scratch, "grow a.book --positions 2 --depth 4 --hash 1");
    let shown = says(&scratch, "show a.book");
    assert!(shown.contains("searched at 4 plies") && shown.contains("100.0 %"), "{shown}");
    assert!(says(&scratch, "show a.book e6f4").contains("\nPerpendicular Opening\n"));
    says(&scratch, "grow a.book --no-new --depth 5 --positions 1 --hash 1");
    says(&scratch, "grow a.book --min-games 1 --depth 3 --hash 1 --positions 3");
    says(&scratch, "merge b.book a.book --with-games");
    assert_eq!(says(&scratch, "export a.book"), says(&scratch, "export b.book"));
    let compared = says(&scratch, "verify a.book --deeper 1 --positions 2 --hash 1");
    assert!(compared.starts_with("2 of ") && compared.contains("1 plies deeper"), "{compared}");
    says(&scratch, "tidy a.book --loss 0");
    assert!(says(&scratch, "verify a.book").contains("0 values differ"));
}

#[test]
fn games_count_by_their_results_however_they_ended() {
    let scratch = Scratch::new("results");
    let games = "(;GM[Othello]RE[+12.00]CO[match 1; game 0; plies 0; end adjudicated]B[f5]W[d6];)\n\
                 (;GM[2]FF[4]SZ[8]RE[B+12];B[f5];W[f6])\n\
                 [Result \"26-38\"]\n\n1. f5 d6 26-38\n\
                 (;GM[Othello]RE[-64.00:r]B[f5]W[d6];)\n(;GM[Othello]RE[?]B[f5]W[d6];)\n";
    scratch.write("games", games);
    let said = says(&scratch, "import a.book games");
    assert!(
        said.starts_with(
            "3 games counted, 1 unfinished ones left out, 1 given up, lost on time or without discs as well"
        ),
        "{said}"
    );
}

#[test]
fn answers_and_reports_tell_what_the_book_knows() {
    let scratch = Scratch::new("told");
    empty_book(&scratch, "small.book");
    for _ in 0..3 {
        let jobs = says(&scratch, "jobs small.book --positions 4");
        absorb(&scratch, "small.book", &(answers(&jobs).join("\n") + "\n"));
    }
    let ask = |moves: &str, options: &str| -> serde_json::Value {
        let request = serde_json::json!({"position": moves}).to_string();
        let line = format!("analyze --eval classic --depth 1 {options}");
        serde_json::from_str(&fed(&scratch, &line, &request)).unwrap()
    };
    let start = "---------------------------OX------XO--------------------------- X";
    let known = &ask(start, "--book small.book")["book"];
    let (value, depth) = (known["value"].as_f64().unwrap(), known["depth"].as_u64());
    assert!((-64.0..=64.0).contains(&value) && depth == Some(22), "{known}");
    assert!(known["lower"].as_f64() <= Some(value) && known["upper"].as_f64() >= Some(value), "{known}");
    assert_eq!(known["games"], 0);
    assert!(ask(start, "--no-book").get("book").is_none());
    assert!(ask("f5f6e6f4", "--book small.book").get("book").is_none(), "no search came so far");
    // The book's own move stays in the book, and what nobody looked at leaves it.
    let first = known["move"].as_str().unwrap();
    assert!(ask(first, "--book small.book").get("book").is_some());
    let page = |moves: &str, options: &str| {
        scratch.succeeds(&format!("report {moves} -o - --depth 1 --eval classic {options}"))
    };
    let board = emilia::board::Board::START.play(first.parse().unwrap()).unwrap();
    let replies = emilia::board::squares(board.moves()).map(|square| square.to_string());
    let outside = |reply: &String| ask(&format!("{first}{reply}"), "--book small.book").get("book").is_none();
    let reply = replies.into_iter().find(outside).expect("some reply was not looked at");
    let game = format!("{first}{reply}");
    let told = format!("left the book with move 2, {reply}");
    assert!(page(&game, "--book small.book").contains(&told), "{told}");
    assert!(page(first, "--book small.book").contains("in the book to the end"));
    assert!(!page(&game, "--no-book").contains("the book"));
}

#[test]
fn a_book_that_cannot_be_used_ends_no_session_and_is_told() {
    let scratch = Scratch::new("unusable");
    scratch.write("text.book", "no book at all\n".repeat(1000));
    scratch.write("empty.book", "");
    fs::create_dir(scratch.0.join("folder.book")).unwrap();
    let before = fs::read(scratch.0.join("text.book")).unwrap();
    for (name, told) in [
        ("missing.book", "No book at"),
        ("text.book", "not a book"),
        ("empty.book", "not a book"),
        ("folder.book", "folder.book"),
        ("no/such/place.book", "No book at"),
    ] {
        let talk = |mode: &str, lines: &str| {
            let Outcome(code, out, error) = scratch.feed(&format!("{mode} --level 1 --book {name}"), lines);
            assert_eq!(code, 0, "{mode} {name}: {out}{error}");
            [out, error]
        };
        let [said, errors] = talk("nboard", "nboard 2\nping 1\ngo\n");
        assert!(
            said.lines().any(|line| line.starts_with("status ") && line.contains(told)),
            "{name}: {said}"
        );
        assert!(said.contains("\n=== ") && errors.is_empty(), "{name}: {said}{errors}");
        let [said, errors] = talk("gtp", "genmove b\n");
        assert!(said.starts_with("= ") && errors.contains(told), "{name}: {said}{errors}");
        let [said, errors] = talk("play", "hint\nquit\n");
        assert!(said.contains("depth") && errors.contains(name), "{name}: {said}{errors}");
    }
    assert_eq!(fs::read(scratch.0.join("text.book")).unwrap(), before);
    assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 3, "nothing was made");
}

#[test]
fn a_missing_book_is_made_by_the_first_game_and_each_game_counts_once() {
    let scratch = Scratch::new("first");
    let moves = "e6f4e3f6g5d6e7f5c5";
    let moved: String = (0..9).map(|at| format!("move {}\n", &moves[2 * at..2 * at + 2])).collect();
    let said = fed(&scratch, "nboard --book new.book", &format!("learn\n{moved}learn\nlearn\n"));
    let told: Vec<&str> = said.lines().filter(|line| line.starts_with("status ")).collect();
    let [open, first, second] = told[..] else { panic!("{said}") };
    assert!(open.contains("the game goes on"), "{said}");
    assert!(first.contains("Learned: Black won by 64") && first.ends_with(": 1"), "{said}");
    assert!(second.contains("counts once") && second.ends_with(": 1"), "{said}");
    let plays: String = (0..9)
        .map(|at| format!("play {} {}\n", if at % 2 == 0 { "b" } else { "w" }, &moves[2 * at..2 * at + 2]))
        .collect();
    fed(&scratch, "gtp --learn games --book new.book", &plays);
    scratch.write("games", format!("{moves}\n{moves}\n"));
    let said = says(&scratch, "import new.book games");
    assert!(said.starts_with("0 games counted, 2 counted before"), "{said}");
    let said = says(&scratch, "import other.book games");
    assert!(said.starts_with("1 games counted, 1 counted before"), "{said}");
}

#[test]
fn games_that_part_late_are_different_games_and_mirror_images_are_not() {
    let scratch = Scratch::new("late");
    let same = "f5d6c3f4f6c4e3f3d3e2c6f2e6b3g4h5h3g5h4h6h7g3h2g6f1c5f7c7d1d7d2e7c2";
    let first = format!("{same}c1c8e8b4a3d8b8b6a5a4e1b1b5a2a1b7g2h1g1b2a8a7f8g7h8g8a6");
    let second = format!("{same}f8a4a3b4a5a2a1b6b5a6a7b7e1c1a8e8d8c8b8g7b1b2h8g8g1g2h1");
    // Along the diagonal: files become ranks.
    let image: String = second
        .as_bytes()
        .chunks(2)
        .flat_map(|square| [b'a' + square[1] - b'1', b'1' + square[0] - b'a'].map(char::from))
        .collect();
    scratch.write("games", format!("{first}\n{second}\n{image}\n"));
    scratch.write("image", format!("{image}\n"));
    let said = says(&scratch, "import new.book games");
    assert!(said.starts_with("2 games counted, 1 counted before"), "{said}");
    let said = says(&scratch, "import new.book image");
    assert!(said.starts_with("0 games counted, 1 counted before"), "{said}");
}
