//! Books made by the built `emilia`: by several processes, killed at any moment, refused to a second writer.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::patience::{pause, until};
use crate::samples::rounds;
use crate::scratch::Scratch;

fn book(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
    command.arg("book").args(line.split(' ')).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What the command says when all goes well.
fn says(folder: &Path, line: &str) -> String {
    let output = book(folder, line).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
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

fn feed(mut child: Child, text: &str) -> Output {
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// The book of the repository.
fn full_book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("books/emilia.book")
}

#[test]
fn the_book_inside_is_the_full_one_made_small() {
    let scratch = Scratch::new("inside");
    fs::copy(full_book(), scratch.0.join("small.book")).unwrap();
    says(&scratch.0, "tidy small.book --loss 3 --min-games 30");
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
        let output = feed(child.unwrap(), input);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
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
    let folder = scratch.0.as_path();
    fs::write(folder.join("none"), "").unwrap();
    says(folder, "absorb my.book none");
    for _ in 0..8 {
        let requests = says(folder, "jobs my.book --positions 12");
        let output = feed(book(folder, "absorb my.book").spawn().unwrap(), &answers(&requests).join("\n"));
        assert!(output.status.success());
    }
    let forms = [
        ("edax", "a book of Edax", "(Edax, level 22)"),
        ("edax-text", "a book of Edax as text", "(Edax, level 22)"),
        ("egaroucid", "a book of Egaroucid", "(Egaroucid, level 21)"),
    ];
    for (to, kind, origin) in forms {
        let written = says(folder, &format!("export my.book --to {to} -o book.{to}"));
        let positions = number(&written, " positions");
        assert!(positions > 5, "{written}");
        let verified = says(folder, &format!("verify book.{to}"));
        assert!(verified.starts_with(&format!("{kind}: {positions} positions, ")), "{verified}");
        assert!(verified.ends_with("; all rules hold\n"), "{verified}");
        let taken = says(folder, &format!("import {to}.book book.{to}"));
        assert!(taken.starts_with(&format!("{positions} positions in book.{to}, {kind}\n")), "{taken}");
        for told in [says(folder, &format!("show {to}.book")), says(folder, &format!("stats {to}.book"))] {
            assert!(told.contains(origin), "{told}");
        }
        says(folder, &format!("verify {to}.book"));
        // Its searches are no answers of ours; once more it is the same book.
        let output = book(folder, &format!("export {to}.book")).output().unwrap();
        assert!(output.status.success() && output.stdout.is_empty());
        assert!(String::from_utf8_lossy(&output.stderr).contains("other programs searched them"));
        says(folder, &format!("export {to}.book --to {to} -o again.{to}"));
        says(folder, &format!("import again-{to}.book again.{to}"));
        let show = |name: &str| says(folder, &format!("show {name}.book"));
        assert_eq!(show(to), show(&format!("again-{to}")));

        let whole = fs::read(folder.join(format!("book.{to}"))).unwrap();
        fs::write(folder.join(format!("cut.{to}")), &whole[..whole.len() - 5]).unwrap();
        let refused = |line: &str| {
            let output = book(folder, line).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{line}");
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
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
        !fs::read_dir(folder)
            .unwrap()
            .any(|entry| entry.unwrap().path().extension().unwrap_or_default() == "tmp")
    );
}

#[test]
fn two_processes_build_one_book_in_any_order() {
    let scratch = Scratch::new("two");
    let folder = scratch.0.as_path();
    fs::write(folder.join("none"), "").unwrap();
    for name in ["forth.book", "back.book"] {
        says(folder, &format!("absorb {name} none"));
    }
    for round in 0..8 {
        let first = says(folder, "jobs forth.book --positions 12");
        fs::write(folder.join("first"), &first).unwrap();
        // A second process takes the next ones, not the same.
        let second = says(folder, "jobs forth.book --positions 12 --without first");
        assert!(first.lines().all(|line| !second.contains(line)), "round {round}");
        let answers: Vec<String> = [answers(&first), answers(&second)].concat();
        let mut twice: Vec<String> = answers.iter().rev().cloned().collect();
        twice.extend(answers.iter().cloned());
        let output = feed(book(folder, "absorb forth.book").spawn().unwrap(), &(answers.join("\n") + "\n"));
        assert!(output.status.success());
        let output = feed(book(folder, "absorb back.book -").spawn().unwrap(), &twice.join("\n"));
        assert!(output.status.success());
    }
    assert!(number(&says(folder, "stats forth.book"), " positions") >= 8);
    assert_eq!(says(folder, "export forth.book"), says(folder, "export back.book"));
    assert!(says(folder, "verify back.book").contains("0 values differ"));
    // What is written as text is read back as the same book.
    fs::write(folder.join("text"), says(folder, "export forth.book")).unwrap();
    says(folder, "absorb copy.book text");
    assert_eq!(says(folder, "export forth.book --to obf"), says(folder, "export copy.book --to obf"));
}

#[test]
fn half_an_answer_is_told_and_the_rest_taken() {
    let scratch = Scratch::new("half");
    let folder = scratch.0.as_path();
    fs::write(folder.join("none"), "").unwrap();
    says(folder, "absorb a.book none");
    let line = answers(&says(folder, "jobs a.book --positions 1")).remove(0);
    let output = feed(book(folder, "absorb a.book").spawn().unwrap(), &format!("{line}\n{}", &line[..70]));
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("line 2") && errors.lines().count() == 2, "{errors}");
    assert!(says(folder, "stats a.book").starts_with("1 positions"));
}

#[test]
fn a_killed_process_loses_nothing_that_was_said_to_be_in() {
    let scratch = Scratch::new("kill");
    let folder = scratch.0.as_path();
    fs::write(folder.join("none"), "").unwrap();
    says(folder, "absorb a.book none");
    let line = answers(&says(folder, "jobs a.book --positions 1")).remove(0);
    fs::write(folder.join("answers"), format!("{line}\n").repeat(4_000)).unwrap();
    says(folder, "absorb a.book answers");
    for round in 0..rounds(12) {
        let mut child = book(folder, "absorb a.book answers").spawn().unwrap();
        pause(Duration::from_millis(3 * round % 36));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(says(folder, "stats a.book").starts_with("1 positions"), "round {round}");
        says(folder, "verify a.book");
    }
}

/// A file may grow to 64 KiB and no further: what a full disk does, without one.
#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing_and_is_told_in_one_line() {
    let scratch = Scratch::new("full");
    let folder = scratch.0.as_path();
    let limited = |line: &str| {
        // The signal of the limit is ignored, so that writing fails as on a full disk.
        let mut command = Command::new("sh");
        command.args([
            "-c",
            "trap '' XFSZ; ulimit -f 128; exec \"$0\" book \"$@\"",
            env!("CARGO_BIN_EXE_emilia"),
        ]);
        command.args(line.split(' ')).current_dir(folder).stdin(Stdio::null());
        command.output().unwrap()
    };
    let fails = |line: &str| {
        let output = limited(line);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}: {errors}");
        assert!(errors.contains("a.book") && errors.matches("too large").count() == 1, "{line}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{line}: {errors}");
    };
    fs::write(folder.join("none"), "").unwrap();
    says(folder, "absorb a.book none");
    let line = answers(&says(folder, "jobs a.book --positions 1")).remove(0);
    fs::write(folder.join("answers"), format!("{line}\n").repeat(3_000)).unwrap();
    // The journal meets the limit: what was said to be in stays, and room makes the rest possible.
    fails("absorb a.book answers");
    let held = number(&says(folder, "verify a.book"), " records in the journal");
    assert!((1_000..3_000).contains(&held), "{held} records");
    assert!(says(folder, "absorb a.book answers").starts_with("3000 answers"));
    // The book itself meets the limit: it stands as before, with the journal.
    let games: String = (0..3_000).map(random_game).collect();
    fs::write(folder.join("games"), games).unwrap();
    let before = says(folder, "export a.book");
    fails("import a.book games");
    assert_eq!(says(folder, "export a.book"), before);
    says(folder, "import a.book games");
    let whole = says(folder, "stats a.book");
    fails("tidy a.book");
    assert_eq!(says(folder, "stats a.book"), whole);
    assert!(says(folder, "verify a.book").contains("0 values differ"));
    assert_eq!(fs::read_dir(folder).unwrap().count(), 5, "nothing half-written stays");
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("books");
    let verdict = says(&folder, "verify emilia.book");
    assert!(verdict.contains("checksums, order, index and moves hold; 0 values differ"), "{verdict}");
    assert!(number(&verdict, " positions,") > 100_000, "{verdict}");
    assert_eq!(number(&verdict, " records in the journal"), 0, "{verdict}");
    let times = says(&folder, "stats emilia.book --probes 300");
    assert!(times.contains("a probe, warm: median ") && times.ends_with(" of 300\n"), "{times}");
}

#[test]
fn games_are_followed_once_and_bad_ones_change_nothing() {
    let scratch = Scratch::new("follow");
    let folder = &scratch.0;
    says(folder, "grow a.book --positions 4 --depth 4");
    let game = "f5d6c3d3c4f4c5b3c2b4e3e6c6f6a5";
    fs::write(folder.join("games"), format!("{game}\n{game}\n")).unwrap();
    let follow = "grow a.book --input games --depth 4 --empties 46-60";
    assert!(number(&says(folder, follow), " positions searched") >= 10);
    assert!(
        says(folder, &format!("show a.book {}", &game[..28])).contains("4 plies"),
        "the last with 46 empties"
    );
    let output = book(folder, &format!("show a.book {game}")).output().unwrap();
    assert!(!output.status.success(), "one move further it ends");
    assert_eq!(number(&says(folder, follow), " positions searched"), 0);
    let before = says(folder, "export a.book");
    fs::write(folder.join("games"), format!("{game}\nf5d6c3d3c4f4f4\n")).unwrap();
    let output = book(folder, "grow a.book --input games --depth 6 --empties 46-60").output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && errors.contains("f4 is illegal"), "{errors}");
    assert_eq!(says(folder, "export a.book"), before);
}

#[test]
fn books_refuse_what_they_cannot_do_in_one_line() {
    let scratch = Scratch::new("refuse");
    let folder = scratch.0.as_path();
    fs::write(folder.join("none"), "").unwrap();
    fs::write(folder.join("text.book"), "no book at all\n".repeat(1000)).unwrap();
    says(folder, "absorb a.book none");
    // One process waits for answers that do not come, and holds the book.
    let mut holder = book(folder, "absorb a.book").spawn().unwrap();
    let journal = folder.join("a.book.journal");
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
        let output = book(folder, line).stdin(Stdio::null()).output().unwrap();
        assert!(!output.status.success(), "{line}");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains(says), "{line}: {errors}");
        assert!(!errors.contains("panicked"), "{line}: {errors}");
    }
    drop(holder.stdin.take());
    holder.wait().unwrap();
    says(folder, "tidy a.book");
}

#[test]
fn games_become_statistics_and_a_search_stands_beside_them() {
    let scratch = Scratch::new("games");
    let folder = scratch.0.as_path();
    let moves = "e6f4e3f6g5d6e7f5c5";
    fs::write(folder.join("games"), format!("{moves}\n# a comment\nf5d6c3\n")).unwrap();
    let said = says(folder, "import a.book games");
    assert!(said.starts_with("1 games counted, 1 unfinished"), "{said}");
    says(folder, "grow a.book --positions 2 --depth 4 --hash 1");
    let shown = says(folder, "show a.book");
    assert!(shown.contains("searched at 4 plies") && shown.contains("100.0 %"), "{shown}");
    assert!(says(folder, "show a.book e6f4").contains("\nPerpendicular Opening\n"));
    says(folder, "grow a.book --no-new --depth 5 --positions 1 --hash 1");
    says(folder, "grow a.book --min-games 1 --depth 3 --hash 1 --positions 3");
    says(folder, "merge b.book a.book --with-games");
    assert_eq!(says(folder, "export a.book"), says(folder, "export b.book"));
    let compared = says(folder, "verify a.book --deeper 1 --positions 2 --hash 1");
    assert!(compared.starts_with("2 of ") && compared.contains("1 plies deeper"), "{compared}");
    says(folder, "tidy a.book --loss 0");
    assert!(says(folder, "verify a.book").contains("0 values differ"));
}

#[test]
fn games_count_by_their_results_however_they_ended() {
    let scratch = Scratch::new("results");
    let folder = scratch.0.as_path();
    let games = "(;GM[Othello]RE[+12.00]CO[match 1; game 0; plies 0; end adjudicated]B[f5]W[d6];)\n\
                 (;GM[2]FF[4]SZ[8]RE[B+12];B[f5];W[f6])\n\
                 [Result \"26-38\"]\n\n1. f5 d6 26-38\n\
                 (;GM[Othello]RE[-64.00:r]B[f5]W[d6];)\n(;GM[Othello]RE[?]B[f5]W[d6];)\n";
    fs::write(folder.join("games"), games).unwrap();
    let said = says(folder, "import a.book games");
    assert!(
        said.starts_with(
            "3 games counted, 1 unfinished ones left out, 1 given up, lost on time or without discs as well"
        ),
        "{said}"
    );
}

/// What `emilia` says when all goes well, with `input` on its stdin.
fn emilia(folder: &Path, line: &str, input: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
    command.args(line.split(' ')).current_dir(folder);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let output = feed(child, input);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn answers_and_reports_tell_what_the_book_knows() {
    let scratch = Scratch::new("told");
    let folder = scratch.0.as_path();
    fs::write(folder.join("none"), "").unwrap();
    says(folder, "absorb small.book none");
    for _ in 0..3 {
        let jobs = says(folder, "jobs small.book --positions 4");
        let taken =
            feed(book(folder, "absorb small.book").spawn().unwrap(), &(answers(&jobs).join("\n") + "\n"));
        assert!(taken.status.success(), "{}", String::from_utf8_lossy(&taken.stderr));
    }
    let ask = |moves: &str, options: &str| -> serde_json::Value {
        let request = serde_json::json!({"position": moves}).to_string();
        let line = format!("analyze --eval classic --depth 1 {options}");
        serde_json::from_str(&emilia(folder, &line, &request)).unwrap()
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
        emilia(folder, &format!("report {moves} -o - --depth 1 --eval classic {options}"), "")
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
    let folder = scratch.0.as_path();
    fs::write(folder.join("text.book"), "no book at all\n".repeat(1000)).unwrap();
    fs::write(folder.join("empty.book"), "").unwrap();
    fs::create_dir(folder.join("folder.book")).unwrap();
    let before = fs::read(folder.join("text.book")).unwrap();
    for (name, told) in [
        ("missing.book", "No book at"),
        ("text.book", "not a book"),
        ("empty.book", "not a book"),
        ("folder.book", "folder.book"),
        ("no/such/place.book", "No book at"),
    ] {
        let talk = |mode: &str, lines: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
            command.args([mode, "--level", "1", "--book", name]).current_dir(folder);
            let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let output = feed(command.spawn().unwrap(), lines);
            let texts = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
            assert!(output.status.success(), "{mode} {name}: {texts:?}");
            texts
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
    assert_eq!(fs::read(folder.join("text.book")).unwrap(), before);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 3, "nothing was made");
}

#[test]
fn a_missing_book_is_made_by_the_first_game_and_each_game_counts_once() {
    let scratch = Scratch::new("first");
    let folder = scratch.0.as_path();
    let moves = "e6f4e3f6g5d6e7f5c5";
    let moved: String = (0..9).map(|at| format!("move {}\n", &moves[2 * at..2 * at + 2])).collect();
    let said = emilia(folder, "nboard --book new.book", &format!("learn\n{moved}learn\nlearn\n"));
    let told: Vec<&str> = said.lines().filter(|line| line.starts_with("status ")).collect();
    let [open, first, second] = told[..] else { panic!("{said}") };
    assert!(open.contains("the game goes on"), "{said}");
    assert!(first.contains("Learned: Black won by 64") && first.ends_with(": 1"), "{said}");
    assert!(second.contains("counts once") && second.ends_with(": 1"), "{said}");
    let plays: String = (0..9)
        .map(|at| format!("play {} {}\n", if at % 2 == 0 { "b" } else { "w" }, &moves[2 * at..2 * at + 2]))
        .collect();
    emilia(folder, "gtp --learn games --book new.book", &plays);
    fs::write(folder.join("games"), format!("{moves}\n{moves}\n")).unwrap();
    let said = says(folder, "import new.book games");
    assert!(said.starts_with("0 games counted, 2 counted before"), "{said}");
    let said = says(folder, "import other.book games");
    assert!(said.starts_with("1 games counted, 1 counted before"), "{said}");
}

#[test]
fn games_that_part_late_are_different_games_and_mirror_images_are_not() {
    let scratch = Scratch::new("late");
    let folder = scratch.0.as_path();
    let same = "f5d6c3f4f6c4e3f3d3e2c6f2e6b3g4h5h3g5h4h6h7g3h2g6f1c5f7c7d1d7d2e7c2";
    let first = format!("{same}c1c8e8b4a3d8b8b6a5a4e1b1b5a2a1b7g2h1g1b2a8a7f8g7h8g8a6");
    let second = format!("{same}f8a4a3b4a5a2a1b6b5a6a7b7e1c1a8e8d8c8b8g7b1b2h8g8g1g2h1");
    // Along the diagonal: files become ranks.
    let image: String = second
        .as_bytes()
        .chunks(2)
        .flat_map(|square| [b'a' + square[1] - b'1', b'1' + square[0] - b'a'].map(char::from))
        .collect();
    fs::write(folder.join("games"), format!("{first}\n{second}\n{image}\n")).unwrap();
    fs::write(folder.join("image"), format!("{image}\n")).unwrap();
    let said = says(folder, "import new.book games");
    assert!(said.starts_with("2 games counted, 1 counted before"), "{said}");
    let said = says(folder, "import new.book image");
    assert!(said.starts_with("0 games counted, 1 counted before"), "{said}");
}
