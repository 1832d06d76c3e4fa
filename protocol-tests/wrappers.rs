//! Programs that drive Edax, against `emilia`: what each sends and how it reads, rebuilt from a description of them.
//!
//! They read by fixed columns, numbers of lines and words, so that a byte too many is a game lost.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use crate::patience::Wait;
use crate::scratch::Scratch;

/// A program at the other end of two pipes, its error stream dropped.
struct Pipe {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Vec<u8>>,
    bytes: Vec<u8>,
    _scratch: Scratch,
}

impl Pipe {
    fn open(line: &str) -> Self {
        let scratch = Scratch::new("wrapper");
        let command = scratch.command(line);
        Self::of(scratch, command)
    }

    fn of(scratch: Scratch, mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (sender, output) = channel();
        let mut stdout = child.stdout.take().unwrap();
        thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(length @ 1..) = stdout.read(&mut chunk) {
                if sender.send(chunk[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { input: child.stdin.take(), child, output, bytes: Vec::new(), _scratch: scratch }
    }

    fn send(&mut self, text: &str) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(text.as_bytes()).and_then(|()| input.flush()).expect("the program reads");
    }

    fn close(&mut self) {
        self.input = None;
    }

    /// The next byte; `None` at the end.
    fn byte(&mut self) -> Option<u8> {
        while self.bytes.is_empty() {
            match Wait::default().next(&self.output) {
                Ok(chunk) => self.bytes = chunk,
                Err(_) => return None,
            }
        }
        Some(self.bytes.remove(0))
    }

    /// The next line, without its end; `None` at the end.
    fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        loop {
            match self.byte() {
                Some(b'\n') => return Some(String::from_utf8(line).unwrap()),
                Some(byte) => line.push(byte),
                None if line.is_empty() => return None,
                None => return Some(String::from_utf8(line).unwrap()),
            }
        }
    }

    /// So many lines.
    fn lines(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.line().expect("there are more lines")).collect()
    }

    /// All up to the first `>` that begins a line, without it.
    fn until_prompt(&mut self) -> String {
        let mut text = Vec::new();
        while let Some(byte) = self.byte() {
            if byte == b'>' && text.last().is_none_or(|&last| last == b'\n') {
                break;
            }
            text.push(byte);
        }
        String::from_utf8(text).unwrap()
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// All that the program says to this input and its end.
fn said(line: &str, input: &str) -> String {
    let mut pipe = Pipe::open(line);
    pipe.send(input);
    pipe.close();
    let mut text = Vec::new();
    while let Some(byte) = pipe.byte() {
        text.push(byte);
    }
    String::from_utf8(text).unwrap()
}

const START: &str = "---------------------------OX------XO---------------------------";

/// Two characters behind the last `plays `.
fn played(text: &str) -> String {
    let (_, rest) = text.rsplit_once("plays ").unwrap_or_else(|| panic!("{text:?}"));
    rest[..2].to_owned()
}

/// Reads byte by byte up to a `>` that follows a line end, then what stands behind the last `plays `: a whole game of two
/// such programs against each other.
#[test]
fn a_reader_of_prompts_plays_a_whole_game() {
    let options =
        "-q -eval-file data/eval.dat -book-file data/book.dat -level 1 -book-randomness 10 -book-usage off";
    let mut sides = [Pipe::open(options), Pipe::open(options)];
    for side in &mut sides {
        assert_eq!(side.until_prompt(), "");
        for line in ["l 1", "b randomness 10"] {
            side.send(&format!("{line}\n"));
            assert_eq!(side.until_prompt(), "\n", "{line}");
        }
    }
    let (mut turn, mut moves) = (0, Vec::new());
    loop {
        sides[turn].send("go\n");
        let text = sides[turn].until_prompt();
        if text == "\n\n*** Game Over ***\n" {
            break;
        }
        let mv = played(&text);
        assert_eq!(text, format!("\n\nEdax plays {mv}\n"));
        let other = &mut sides[1 - turn];
        other.send(&format!("{}\n", if mv == "PS" { "pass" } else { &mv }));
        assert_eq!(other.until_prompt(), format!("\n\nYou play {mv}\n"));
        moves.push(mv);
        turn = 1 - turn;
        assert!(moves.len() < 130, "{moves:?}");
    }
    assert!(moves.len() > 8, "{moves:?}");
}

/// Looks for the line `Edax plays XX` by columns; its oracle reads a table between two rules, token by token.
#[test]
fn a_reader_of_columns_and_tables() {
    let mut pipe = Pipe::open("-level 1");
    pipe.send("level 1\ni\nF5\ngo\n");
    let line = std::iter::from_fn(|| pipe.line()).find(|line| line.starts_with("Edax plays ")).unwrap();
    assert!(["D6", "F4", "F6"].contains(&&line[11..13]), "{line}");

    pipe.send(&format!("setboard {START} X\nlevel 2\nhint 3\n"));
    let mut lines = std::iter::from_fn(|| pipe.line());
    lines.by_ref().find(|line| line.starts_with(" depth")).unwrap();
    assert!(lines.next().unwrap().starts_with("------+"));
    let mut rows = Vec::new();
    for line in lines.by_ref() {
        if line.starts_with("------+") {
            break;
        }
        let tokens: Vec<&str> = line.split_whitespace().collect();
        let score: i32 = tokens[1].parse().unwrap();
        let first = tokens[4];
        let mv = if first.starts_with(|c: char| c.is_ascii_digit()) { tokens[5] } else { first };
        rows.push((score, mv.to_owned()));
    }
    assert_eq!(rows.len(), 3);
    assert!(
        rows.iter().all(|(score, mv)| score.abs() <= 64 && ["d3", "c4", "f5", "e6"].contains(&mv.as_str())),
        "{rows:?}"
    );
    // A forced pass has a table without rows.
    pipe.send("init\nplay f5f6d3g5h5h4f7h6\nhint 3\n");
    let mut lines = std::iter::from_fn(|| pipe.line());
    lines.by_ref().find(|line| line.starts_with(" depth")).unwrap();
    let rules: Vec<String> = lines.by_ref().take(2).collect();
    assert!(rules.iter().all(|line| line.starts_with("------+")), "{rules:?}");
}

/// Counts lines: one for `init`, three for `go` and for a move, thirteen for `verbose 1`.
#[test]
fn a_counter_of_lines() {
    let mut pipe = Pipe::open("-q -l 1");
    let mut ask = |line: &str, count: usize| {
        pipe.send(&format!("{line}\n"));
        pipe.lines(count)
    };
    assert_eq!(ask("init", 1), [">"]);
    let lines = ask("go", 3);
    assert_eq!((lines[0].as_str(), lines[1].as_str()), (">", ""));
    let (name, mv) = lines[2].split_once(" plays ").unwrap();
    assert!(name == "Edax" && ["D3", "C4", "F5", "E6"].contains(&mv), "{lines:?}");
    let lines = ask("undo", 1);
    assert_eq!(lines, [">"]);
    let lines = ask("f5", 3);
    assert_eq!(lines, [">", "", "You play F5"]);
    let board = ask("verbose 1", 13);
    assert!(board[2].contains("BLACK") && board[11].contains("WHITE"), "{board:?}");
    assert!(board[0] == ">" && board[1].is_empty() && board[12].is_empty());
    // Its patterns of the end of a game.
    let end = said("-q -l 1", "play f5d6c5f4e7f6g5e6e3\nverbose 1\ngo\n");
    assert!(end.contains("Black won") && end.contains("Game Over"), "{end}");
}

/// Counts the twelve lines of a board behind the line of a move, started in a mode in which the engine moves by itself.
#[test]
fn a_counter_of_boards() {
    let mut pipe = Pipe::open("-mode 1 -l 1 -game-file games.txt -search-log-file search.txt");
    for answer in ["", "c3", "c5"] {
        if !answer.is_empty() {
            pipe.send(&format!("{answer}\n"));
        }
        let line = std::iter::from_fn(|| pipe.line()).find(|line| line.contains("Edax plays")).unwrap();
        assert_eq!(line.split_whitespace().nth(2).unwrap().len(), 2);
        let board = pipe.lines(12);
        assert!(board[0].is_empty() && board[10].contains("WHITE") && board[11].is_empty(), "{board:?}");
        if answer.is_empty() && !line.ends_with("D3") {
            // The answers below are to d3.
            return;
        }
    }
}

/// Starts the program by the name of Edax without options, and reads until the last line of a board is followed by an
/// empty one.
#[cfg(unix)]
#[test]
fn a_reader_of_boards() {
    let scratch = Scratch::new("wrapper");
    let name = scratch.0.join("lEdax-x64-modern");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_emilia"), &name).unwrap();
    let mut command = Command::new(name);
    command.current_dir(&scratch.0).env("EMILIA_BOOK", "off");
    let mut pipe = Pipe::of(scratch, command);
    for line in ["", "set verbose 1", "set level 1", "init", "play f5", "go"] {
        if !line.is_empty() {
            pipe.send(&format!("{line}\n"));
        }
        let mut answer = Vec::new();
        loop {
            answer.push(pipe.line().unwrap());
            let is_end = answer.len() > 1
                && answer[answer.len() - 2].contains("WHITE")
                && answer[answer.len() - 1].is_empty();
            if is_end {
                break;
            }
        }
        if line == "go" {
            let plays = answer.iter().find(|line| line.contains("Edax plays")).unwrap();
            assert!(["D6", "F4", "F6"].contains(&&plays[plays.len() - 2..]), "{plays}");
        }
    }
}

/// Says all at once, with `quit`, and looks for a pattern in all that comes.
#[test]
fn one_shot_callers_get_their_answer_before_the_end() {
    let text = said("-l 1 -verbose 0", &format!("setboard {START} X\ngo\nquit\n"));
    let mv = played(&text);
    assert!(mv.starts_with(|c: char| "ABCDEFGH".contains(c)), "{text:?}");
    let text = said("-q -book-usage off -eval-file none -level 1 -n 1", "mode 3\nsetboard no\nlevel 1\ngo\n");
    assert!(["D3", "C4", "F5", "E6"].contains(&played(&text).as_str()), "{text:?}");
}

/// Strips lines, passes over empty ones and prompts, and takes the last word of the line that begins `edax plays`.
#[test]
fn a_reader_of_stripped_lines() {
    let options = "-edax -level 1 -n-tasks 1 -book-usage off -verbose 0 -auto-start off -hash-table-size 16";
    let text = said(options, &format!("setboard {START} O\ngo\nquit\n"));
    let lines = text.lines().map(|line| line.trim_start_matches('>').trim()).filter(|line| !line.is_empty());
    let lines: Vec<String> = lines.map(str::to_lowercase).collect();
    assert_eq!(lines.len(), 1, "{text:?}");
    assert!(lines[0].starts_with("edax plays ") && !text.to_lowercase().contains("illegal"), "{text:?}");
}

/// Waits for a line that is only `>`: it comes when the next command is said.
#[test]
fn a_reader_that_is_an_answer_late() {
    let mut pipe = Pipe::open("");
    let mut answers = Vec::new();
    for line in ["init", "level 1", &format!("setboard {START} X"), "mode 1", "stop", "go", "undo", "init"] {
        pipe.send(&format!("{line}\n"));
        let mut answer = Vec::new();
        while let Some(line) = pipe.line().filter(|line| line != ">") {
            answer.push(line);
        }
        answers.push(answer.join("\n"));
    }
    let said = answers.join("\n");
    assert!(said.contains("Edax plays "), "{said}");
}

const PROBLEM: &str = "--OXXO--XOXXXX--XOOOXXXXXOOXXXXXXOOOOXXX-XXXXXXX--XXOOO----XXOO- X;";
const SECOND: &str = "-XXXX-----OXXX--XOXOXOXXOXOXXOXXOXXOXOOOXXXOXOOX--OXXO---OOOOO-- O;";

/// Cuts the table of `-solve` by its lines and columns.
#[test]
fn a_reader_of_the_table_of_solved_positions() {
    let scratch = Scratch::new("solve");
    scratch.write("p.obf", format!("% two\n{PROBLEM}\n\n{SECOND}\n"));
    let text = scratch.succeeds("-solve p.obf -h 16 -n 1 -l 60");
    let lines: Vec<&str> = text.split('\n').collect();
    let rows = &lines[2..lines.len() - 4];
    assert_eq!(rows.len(), 2, "{text}");
    for (row, (score, mv)) in rows.iter().zip([("+08", "a6"), ("+10", "B2")]) {
        let (_, row) = row.split_once('|').unwrap();
        let field = |from: usize, to: usize| row[from..to].trim().to_owned();
        assert!(field(0, 6).parse::<u32>().is_ok_and(|depth| depth >= 14), "{row}");
        assert_eq!(field(7, 12), score);
        assert!(field(13, 27).contains(':') && field(28, 41).parse::<u64>().is_ok(), "{row}");
        assert!(field(42, 52).is_empty() || field(42, 52).parse::<u64>().is_ok(), "{row}");
        assert!(field(53, 73).starts_with(mv), "{row}");
    }
    // Another takes the first letter of the third line's move, and the score by a sign and two digits.
    assert!(lines[2].contains(" +08 "), "{}", lines[2]);
    scratch.fails("--solve missing.obf", 1, "missing.obf");
}

/// Writes a problem, reads what is told of it while the input stays open, and goes on.
#[test]
fn a_reader_of_problems_as_they_come() {
    let mut pipe = Pipe::open("-solve /dev/stdin -level 60 -verbose 3");
    for (number, (problem, score)) in [(PROBLEM, "+08"), (SECOND, "+10")].into_iter().enumerate() {
        pipe.send(&format!("{problem}\n"));
        let title = std::iter::from_fn(|| pipe.line()).find(|line| line.starts_with("*** problem")).unwrap();
        assert_eq!(title, format!("*** problem # {} ***", number + 1));
        let mut lines = vec![String::new(); 3];
        while lines.iter().filter(|line| line.starts_with("------+")).count() < 2 {
            lines.push(pipe.line().unwrap());
        }
        // The third line before the second rule, or the last row before it.
        let row = lines.iter().rev().find(|line| line.len() > 53 && !line.starts_with('-')).unwrap();
        assert_eq!(row, &lines[lines.len() - 3]);
        let words: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(words[1].trim_start_matches(['<', '>']), score, "{row}");
        assert_eq!(row[53..].trim_end().len() % 3, 2, "{row}");
    }
    pipe.close();
    let rest: Vec<String> = std::iter::from_fn(|| pipe.line()).collect();
    assert!(rest.iter().any(|line| line.starts_with("/dev/stdin: ")), "{rest:?}");
    assert!(rest.iter().any(|line| line.starts_with("2 positions;")), "{rest:?}");
}

/// Splits Cassio's results at commas, and finds a score by its sign.
#[test]
fn readers_of_results_for_cassio() {
    let text = said(
        "-cassio -eval-file data/eval.dat",
        &format!(
            "ENGINE-PROTOCOL init\nENGINE-PROTOCOL empty-hash\n\
             ENGINE-PROTOCOL midgame-search {START}X -64.00 64.00 2 73\nENGINE-PROTOCOL quit\n"
        ),
    );
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!([lines[0], lines[1], lines[lines.len() - 1]], ["ready.", "ready.", "bye bye."]);
    let fields: Vec<&str> = lines[2].split(',').map(str::trim).collect();
    assert!(fields[1].starts_with("move ") && fields[6].starts_with("node "), "{text}");
    let score = fields[4].split(' ').next().unwrap()[1..].parse::<f64>();
    assert!(score.is_ok_and(|score| score.abs() < 64.0), "{text}");
}

/// Odd start lines end no session: what is odd is told in one line, and it plays.
#[test]
fn odd_start_lines_end_no_session() {
    let scratch = Scratch::new("start");
    let go = [
        ("-q -level 1 -hash 0 -frobnicate -eval-file none.dat -book-file none.dat", "go\n", "Edax plays "),
        ("-gtp -hash 0 -level 1 -frobnicate -eval-file none.dat", "genmove b\n", "= "),
        ("gtp --book none/none.book --level 1", "genmove b\n", "= "),
        ("nboard --book none/none.book --hash 1", "set depth 1\ngo\nping 1\n", "=== "),
        ("-nboard -frobnicate -eval-file none.dat", "set depth 1\ngo\nping 1\n", "=== "),
        ("-cassio -frobnicate", "ENGINE-PROTOCOL init\n", "ready."),
    ];
    for (line, input, answer) in go {
        let mut command: Command = scratch.command(line);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let [text, errors] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        assert!(output.status.success(), "{line}: {errors}");
        assert!(text.lines().any(|line| line.trim_start_matches('>').starts_with(answer)), "{line}: {text}");
        let told = format!("{text}{errors}");
        for word in ["frobnicate", "none.dat", "none.book"].iter().filter(|word| line.contains(**word)) {
            let lines = told.lines().filter(|line| line.contains(word)).count();
            let is_foreign_book = *word == "none.dat" && line.contains("-book-file");
            assert!(lines == 1 || is_foreign_book && lines > 0, "{line}: {word}: {told}");
        }
    }
}
