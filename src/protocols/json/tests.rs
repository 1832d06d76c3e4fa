//! Whole sessions in memory: every request has one valid answer.

use std::collections::HashMap;
use std::io::{self, BufReader, Cursor, ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::analysis::Earlier;
use crate::analysis::resume_testing::{self as testing, begun};
use crate::analysis::schema::testing::breach;
use crate::analysis::testing::settings;
use crate::protocols::console::Page;
use crate::search::Limits;
use crate::util::patience::Wait;

/// A search that never ends by itself.
const ENDLESS: &str = r#""position":"f5","depth":60"#;

fn reproducible(threads: usize, queue: usize) -> Settings {
    let settings = settings(threads, queue);
    let defaults = Defaults {
        reproducible: true,
        ..settings.defaults
    };
    Settings {
        in_order: true,
        defaults,
        ..settings
    }
}

fn output(input: &str, settings: Settings, done: Done) -> String {
    counted(
        input,
        settings,
        Lines {
            done,
            ..Lines::default()
        },
    )
    .0
}

fn counted(input: &str, settings: Settings, lines: Lines) -> (String, Totals) {
    let page = Page::default();
    let reader = LineReader::new(Cursor::new(input.to_owned()));
    let totals = run(reader, LineWriter::new(page.clone()), settings, lines)
        .expect("the page takes everything");
    (page.text(), totals)
}

fn values(output: &str) -> Vec<Value> {
    output
        .lines()
        .map(|line| serde_json::from_str(line).expect("every line is JSON"))
        .collect()
}

fn assert_in_form(answers: &[Value]) {
    for answer in answers {
        assert_eq!(breach("Answer", answer), None, "{answer}");
    }
}

/// A running session.
struct Live {
    lines: Option<Sender<String>>,
    answers: Receiver<Value>,
    /// Lines that the session has taken.
    taken: Arc<AtomicUsize>,
    /// Set to make writing fail from now on.
    hung_up: Arc<AtomicBool>,
    session: thread::JoinHandle<io::Result<()>>,
}

/// Reads lines from a channel.
struct Feed {
    lines: Receiver<String>,
    taken: Arc<AtomicUsize>,
}

impl Read for Feed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Ok(line) = self.lines.recv() else {
            return Ok(0);
        };
        self.taken.fetch_add(1, Ordering::SeqCst);
        buffer[..line.len()].copy_from_slice(line.as_bytes());
        Ok(line.len())
    }
}

struct Wire {
    answers: Sender<Value>,
    hung_up: Arc<AtomicBool>,
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.hung_up.load(Ordering::SeqCst) {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let value = serde_json::from_slice(bytes).expect("one answer per write");
        // The test may have seen enough.
        let _ = self.answers.send(value);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Live {
    fn start(settings: Settings) -> Self {
        let (lines, feed) = mpsc::channel();
        let (sender, answers) = mpsc::channel();
        let taken = Arc::<AtomicUsize>::default();
        let hung_up = Arc::<AtomicBool>::default();
        let feed = Feed {
            lines: feed,
            taken: Arc::clone(&taken),
        };
        let wire = Wire {
            answers: sender,
            hung_up: Arc::clone(&hung_up),
        };
        let session = thread::spawn(move || {
            run(
                LineReader::new(BufReader::new(feed)),
                LineWriter::new(wire),
                settings,
                Lines::default(),
            )
            .map(drop)
        });
        Self {
            lines: Some(lines),
            answers,
            taken,
            hung_up,
            session,
        }
    }

    fn send(&self, line: &str) {
        self.lines
            .as_ref()
            .expect("the input is open")
            .send(format!("{line}\n"))
            .expect("it is read");
    }

    fn answer(&self) -> Value {
        Wait::default()
            .next(&self.answers)
            .expect("an answer comes")
    }

    /// Ends the input and gives the answers still to come.
    fn end(mut self) -> Vec<Value> {
        drop(self.lines.take());
        self.session
            .join()
            .expect("it does not panic")
            .expect("the output is open");
        self.answers.iter().collect()
    }
}

/// Lines of every kind, good ones with ids 0, 1, …; and the number of their answers.
fn mixed_input(count: usize) -> (String, usize) {
    let mut text = String::new();
    let mut answers = 0;
    for number in 0..count {
        let (line, worth) = match number % 6 {
            _ if number == 9 => ("x".repeat(MAX_LINE_BYTES + 1), 1),
            0 => (
                format!(
                    r#"{{"id":{number},"position":"f5d6c3","priority":{}}}"#,
                    number % 5
                ),
                1,
            ),
            1 => (
                format!(r#"{{"id":{number},"game":"f5d6c3d3c4","depth":2,"losses":true}}"#),
                6,
            ),
            2 => (
                format!(r#"{{"id":{number},"position":"f5","best_moves":"all","detph":1}}"#),
                1,
            ),
            3 => (
                format!(r#"{{"id":{number},"position":"f5","depth":-{number}}}"#),
                1,
            ),
            4 => (
                format!(r#"{{"id":{number},"position":"e6f4e3f6g5d6e7f5c5","exact":true}}"#),
                1,
            ),
            _ => (format!("\u{fffd}{{{number}"), 1),
        };
        text.push_str(&line);
        text.push('\n');
        answers += worth;
    }
    (text, answers)
}

#[test]
fn every_line_is_answered_once_and_in_form() {
    let (input, expected) = mixed_input(200);
    for (threads, queue) in [(1, 1), (3, 7), (2, 1000)] {
        let answers = values(&output(&input, settings(threads, queue), Done::default()));
        assert_in_form(&answers);
        assert_eq!(answers.len(), expected);
        let mut seen: HashMap<(String, Option<u64>), usize> = HashMap::new();
        for answer in &answers {
            let key = if answer["id"].is_null() {
                json!({"line": answer["line"]})
            } else {
                answer["id"].clone()
            };
            *seen
                .entry((key.to_string(), answer["turn"].as_u64()))
                .or_default() += 1;
        }
        assert!(seen.values().all(|&count| count == 1));
        assert_eq!(seen.len(), expected);
        for answer in answers.iter().filter(|answer| answer["turn"].is_u64()) {
            let of_request = answers
                .iter()
                .filter(|other| other["id"] == answer["id"])
                .count();
            assert_eq!(answer["positions"], of_request, "{answer}");
        }
    }
}

#[test]
fn reproducible_output_depends_on_nothing_but_the_input() {
    let (input, _) = mixed_input(120);
    let first = output(&input, reproducible(1, 1), Done::default());
    for (threads, queue) in [(1, 1000), (3, 5), (4, 1000)] {
        assert_eq!(
            output(&input, reproducible(threads, queue), Done::default()),
            first
        );
    }
    // The shards together are the whole, with faults and lines without an id.
    let lines: Vec<&str> = input.lines().collect();
    for size in [1, 7, 37, 1000] {
        let shards = lines
            .chunks(size)
            .map(|shard| output(&shard.join("\n"), reproducible(2, 9), Done::default()));
        assert_eq!(shards.collect::<String>(), first, "shards of {size} lines");
    }
    assert!(first.contains("\"error\"") && first.contains("\"request\":\""));
}

#[test]
fn a_run_goes_on_where_another_was_killed() {
    let (input, _) = mixed_input(60);
    let folder = TempDir::new().unwrap();
    let record = begun(folder.path(), "");
    let lines = Lines {
        record: Some(record.clone()),
        ..Lines::default()
    };
    let (whole, all) = counted(&input, reproducible(2, 9), lines);
    let record = testing::text(&record);
    for cut in (0..whole.len()).step_by(997).chain([whole.len()]) {
        let Earlier {
            done, answer_bytes, ..
        } = testing::read(&record, &whole[..cut], "").unwrap();
        let lines = Lines {
            done,
            ..Lines::default()
        };
        let (rest, again) = counted(&input, reproducible(2, 9), lines);
        assert_eq!(
            format!("{}{rest}", &whole[..answer_bytes as usize]),
            whole,
            "cut at {cut}"
        );
        assert_eq!(again.positions, all.positions, "cut at {cut}");
    }
}

#[test]
fn an_answer_comes_before_the_next_request_is_sent() {
    for settings in [settings(1, 10), settings(2, 1), reproducible(2, 10)] {
        let live = Live::start(settings);
        for id in 0..20 {
            live.send(&format!(r#"{{"id":{id},"position":"f5"}}"#));
            assert_eq!(live.answer()["id"], id);
        }
        assert!(live.end().is_empty());
    }
}

#[test]
fn one_request_is_cancelled_and_the_others_go_on() {
    let live = Live::start(settings(1, 10));
    live.send(&format!(
        r#"{{"id":"endless",{ENDLESS},"partial_every":0.01}}"#
    ));
    assert_eq!(live.answer()["partial"], true);
    live.send(r#"{"id":"waiting","position":"f5"}"#);
    live.send(r#"{"id":"dropped","game":"f5d6"}"#);
    live.send(r#"{"id":"c1","cancel":"dropped"}"#);
    live.send(r#"{"id":"c2","cancel":"unknown"}"#);
    live.send(r#"{"cancel":"endless"}"#);
    let answers = live.end();
    assert_in_form(&answers);
    let of = |id: &str| {
        answers
            .iter()
            .filter(|answer| answer["id"] == id)
            .collect::<Vec<_>>()
    };
    assert_eq!(of("c1")[0]["cancelled_positions"], 3);
    assert_eq!(of("c2")[0]["cancelled_positions"], 0);
    assert_eq!(of("dropped").len(), 3);
    assert!(
        of("dropped")
            .iter()
            .all(|answer| answer["cancelled"] == true)
    );
    let last = of("endless")
        .into_iter()
        .rev()
        .find(|answer| answer.get("partial").is_none());
    let last = last.expect("a cancelled search is answered");
    assert!(
        last["cancelled"] == true && !last["moves"].as_array().unwrap().is_empty(),
        "{last}"
    );
    assert_eq!(of("waiting").len(), 1);
    assert!(of("waiting")[0].get("cancelled").is_none());
}

#[test]
fn reading_waits_while_the_queue_is_full() {
    let live = Live::start(settings(1, 3));
    for id in 0..50 {
        live.send(&format!(r#"{{"id":{id},{ENDLESS},"partial_every":0.01}}"#));
    }
    for _ in 0..10 {
        assert_eq!(live.answer()["partial"], true);
        // Three under way, and one in the hand of the reader.
        assert!(live.taken.load(Ordering::SeqCst) <= 4);
    }
    live.hung_up.store(true, Ordering::SeqCst);
    assert!(
        live.session.join().unwrap().is_ok(),
        "a reader that has gone is no error"
    );
}

#[test]
fn partial_reports_come_before_the_last_answer_and_never_after() {
    let live = Live::start(settings(2, 10));
    live.send(r#"{"id":"a","position":"f5","seconds":0.15,"partial_every":0.01}"#);
    live.send(r#"{"id":"b","position":"f5","nodes":200000,"partial_every":0.01}"#);
    let answers = live.end();
    assert_in_form(&answers);
    for id in ["a", "b"] {
        let partial: Vec<bool> = answers
            .iter()
            .filter(|a| a["id"] == id)
            .map(|a| a.get("partial").is_some())
            .collect();
        assert_eq!(
            partial.iter().filter(|&&partial| !partial).count(),
            1,
            "{id}"
        );
        assert_eq!(partial.last(), Some(&false), "{id}");
    }
    assert!(answers.len() > 2, "none was partial");
}

#[test]
fn priorities_go_first() {
    let live = Live::start(settings(1, 10));
    live.send(&format!(
        r#"{{"id":"first",{ENDLESS},"partial_every":0.01}}"#
    ));
    assert_eq!(live.answer()["id"], "first");
    for (id, priority) in [("low", -1), ("plain", 0), ("high", 9), ("plain too", 0)] {
        live.send(&format!(
            r#"{{"id":"{id}","position":"f5","priority":{priority}}}"#
        ));
    }
    live.send(r#"{"id":"c","cancel":"first"}"#);
    let answers = live.end();
    let order: Vec<&str> = answers
        .iter()
        .filter(|answer| answer.get("score").is_some() && answer["id"] != "first")
        .map(|answer| answer["id"].as_str().unwrap())
        .collect();
    assert_eq!(order, ["high", "plain", "plain too", "low"]);
}

#[test]
fn a_request_names_its_threads_and_the_length_of_lines_and_asks_for_the_version() {
    let input = r#"{"id":"a","game":"f5d6c3d3c4","turns":[2],"depth":8,"losses":true}
{"id":"b","game":"f5d6c3d3c4","turns":[2],"depth":8,"losses":true,"threads":2,"pv_length":1}
{"id":"c","version":true,"x":1}"#;
    let answers = values(&output(input, settings(1, 9), Done::default()));
    assert_in_form(&answers);
    let answer = |id: &str| answers.iter().find(|answer| answer["id"] == id).expect(id);
    let length = |id: &str| {
        ["moves", "played"].map(|name| {
            let moves = &answer(id)[name];
            moves.get(0).unwrap_or(moves)["pv"]
                .as_array()
                .expect("a line")
                .len()
        })
    };
    assert!(length("a").iter().all(|length| *length > 1), "{answers:?}");
    assert_eq!(length("b"), [1, 1]);
    assert_eq!(answer("c")["weights"], "classic");
    assert_eq!(answer("c")["version"], answer("a")["version"]);
    assert_eq!(answer("c")["warnings"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_proven_score_is_exact_and_bounded_by_itself() {
    let board = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOO-O- X";
    for (goal, is_exact) in [
        (r#""exact":true,"best_moves":"all""#, true),
        (r#""wld":true"#, false),
    ] {
        let input = format!(r#"{{"id":1,"position":"{board}",{goal}}}"#);
        let answers = values(&output(&input, settings(1, 4), Done::default()));
        assert_in_form(&answers);
        let answer = &answers[0];
        let best = &answers[0]["moves"][0];
        assert_eq!(answer["exact"], is_exact, "{answer}");
        assert!(best["lower"].as_f64() >= Some(2.0), "{answer}");
        assert!(
            !is_exact || best["lower"] == best["score"] && best["upper"] == best["score"],
            "{answer}"
        );
    }
}

#[test]
fn losses_compare_with_the_best_move() {
    let input = r#"{"id":1,"game":"f5f6e6f4g7","losses":true,"depth":4}"#;
    let answers = values(&output(input, settings(1, 9), Done::default()));
    assert_in_form(&answers);
    assert_eq!(answers.len(), 6);
    for answer in answers.iter().filter(|answer| answer["turn"] != 5) {
        let score = answer["played"]["score"].as_f64().unwrap();
        let loss = answer["played"]["loss"].as_f64().unwrap();
        assert_eq!(loss, (answer["score"].as_f64().unwrap() - score).max(0.0));
    }
    let of_the_x_square = answers.iter().find(|answer| answer["turn"] == 4).unwrap();
    assert!(
        of_the_x_square["played"]["loss"].as_f64() > Some(0.0),
        "{of_the_x_square}"
    );
}

#[test]
fn a_weaker_player_gives_one_move_that_proves_nothing() {
    let few = "XXXXXXXX-XXXXXX-XOXXXOXXXXOXOXXXXXXOXXXXXXOXXXX-XXXXXXX-XOOOOO-- O";
    let settings = reproducible(1, 4);
    let defaults = Defaults {
        limits: Limits::depth(8),
        ..settings.defaults.clone()
    };
    let settings = Settings {
        defaults,
        ..settings
    };
    let ask = |elo: &str| {
        let request = |position: &str| format!("{{\"position\":\"{position}\"{elo}}}\n");
        values(&output(
            &(request("f5d6") + &request(few)),
            settings.clone(),
            Done::default(),
        ))
    };
    let strong = ask("");
    let weak = ask(r#","elo":400"#);
    assert_in_form(&weak);
    for (strong, weak) in strong.iter().zip(&weak) {
        assert!(strong.get("win_chance").is_some(), "{strong}");
        assert!(
            weak.get("win_chance").is_none() && weak["moves"][0].get("win_chance").is_none(),
            "{weak}"
        );
        assert_eq!(
            (weak["moves"].as_array().map(Vec::len), &weak["exact"]),
            (Some(1), &json!(false))
        );
    }
    assert_eq!(strong[1]["exact"], true);
    assert_eq!(ask(r#","elo":400"#), weak, "the same weakness each time");
}

#[test]
fn people_have_moves_chances_and_traps() {
    let ask = |rest: &str| {
        let request = format!("{{\"position\":\"f5f6e6f4g5d6d7e7f3g3e3g4c6c5h4h3\"{rest}}}\n");
        // The model is fitted to this evaluation.
        let settings = Settings {
            evaluator: crate::eval::testing::evaluator(),
            ..reproducible(1, 4)
        };
        let answers = values(&output(&request, settings, Done::default()));
        assert_in_form(&answers);
        answers[0].clone()
    };
    let played = |seed: u32| ask(&format!(r#","person":1450,"seed":{seed}"#))["moves"].clone();
    assert_eq!(played(3), played(3));
    assert!((1..12).any(|seed| played(seed)[0]["move"] != played(0)[0]["move"]));
    let chances = ask(r#","depth":2,"best_moves":"all","rating":1500"#);
    let chances = chances["moves"].as_array().into_iter().flatten();
    let chances: Vec<f64> = chances
        .filter_map(|mv| mv["find_chance"].as_f64())
        .collect();
    assert!(
        (chances.iter().sum::<f64>() - 1.0).abs() < 1e-9,
        "{chances:?}"
    );
    let plain = ask(r#","depth":4,"best_moves":"all","rating":1200"#);
    let mut trapped = ask(r#","depth":4,"rating":1200,"trap":3"#);
    let trap = trapped["trap"].take();
    assert_eq!(trap["move"], "c7", "{trap}");
    assert!(
        trap["expected_gain"].as_f64() > trap["cost"].as_f64(),
        "{trap}"
    );
    assert_eq!(trapped["moves"], plain["moves"], "a trap changes no score");
    assert_eq!(
        ask(r#","depth":4,"rating":1200,"trap":0"#).get("trap"),
        None
    );
}
