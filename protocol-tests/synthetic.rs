//! Synthetic engines of known strength, of known lateness and of each misbehavior, over NBoard and GTP.
//!
//! The engine is this test binary, started again; the output of the test harness is its first garbage. A sleeping engine is at
//! least as late as it sleeps: it exceeds a margin of 0 and not one of minutes. Between them the verdict must fit the time that
//! the match measured.
#![cfg(unix)]

use std::io::{BufRead, Write, stdin, stdout};
use std::process::exit;
use std::time::Duration;

use emilia::notation::ggf::GgfGame;
use emilia_engine::board::{Game, Move};
use serde_json::Value;

use crate::patience::pause;
use crate::samples::Rng;
use crate::scratch::Scratch;

/// The variable with an engine's configuration: `nboard 7 illegal 3` speaks NBoard with the seed 7 and plays an illegal move
/// as its third.
const CONFIG: &str = "EMILIA_SYNTHETIC";

const PROTOCOLS: [&str; 2] = ["nboard", "gtp"];

#[test]
#[ignore = "the engine that the other tests of this file start"]
fn engine() {
    let Ok(config) = std::env::var(CONFIG) else {
        return;
    };
    let words: Vec<&str> = config.split(' ').collect();
    let number = |index: usize| {
        words
            .get(index)
            .and_then(|word| word.parse().ok())
            .unwrap_or(0)
    };
    let deed = words.get(2).copied().unwrap_or("");
    let engine = Engine {
        is_gtp: words[0] == "gtp",
        luck: Rng(number(1)),
        deed,
        at: number(3),
        more: number(4),
        game: Game::default(),
        moves: 0,
    };
    engine.run();
    exit(0);
}

/// An engine that plays at random until it is time for its deed.
struct Engine<'a> {
    is_gtp: bool,
    luck: Rng,
    deed: &'a str,
    /// At which move of a game, from 1.
    at: u64,
    /// A parameter of the deed.
    more: u64,
    game: Game,
    /// Its own moves in this game.
    moves: u64,
}

impl Engine<'_> {
    fn run(mut self) {
        for line in stdin().lock().lines() {
            let Ok(line) = line else { break };
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            if self.deed == "garbage" {
                say("\u{1b}[1mthinking\u{fffd} === perhaps = or ? not");
                say("");
            }
            match word {
                "quit" if self.deed != "ignores-quit" => break,
                _ if self.is_gtp => self.gtp(word, rest),
                _ => self.nboard(word, rest),
            }
        }
        if self.deed == "ignores-quit" {
            pause(Duration::from_secs(600));
        }
    }

    fn nboard(&mut self, word: &str, rest: &str) {
        match word {
            "ping" => say(&format!("pong {rest}")),
            "set" if rest.starts_with("game ") => {
                let game = GgfGame::parse(&rest[5..])
                    .expect("the runner writes GGF")
                    .game()
                    .clone();
                // NBoard has no command for a new game; colors change from one to the next.
                let is_other_side = game.position().side != self.game.position().side;
                if is_other_side || game.moves().len() <= self.game.moves().len() {
                    self.moves = 0;
                }
                self.game = game;
            }
            "go" => {
                if let Some(mv) = self.choose() {
                    self.answer(&format!("=== {mv}"));
                }
            }
            _ => {}
        }
    }

    fn gtp(&mut self, word: &str, rest: &str) {
        match word {
            "list_commands" => say("= boardsize\nclear_board\nplay\ngenmove\nquit\n"),
            "clear_board" => {
                (self.game, self.moves) = (Game::default(), 0);
                say("= \n");
            }
            "play" => {
                let vertex = rest.split(' ').nth(1).unwrap_or_default();
                let mv = vertex.parse().map_or(Move::Pass, Move::Place);
                self.game.play(mv).expect("the runner plays by the rules");
                say("= \n");
            }
            "genmove" => {
                if let Some(mv) = self.choose() {
                    if let Ok(square) = mv.parse() {
                        let _ = self.game.play(Move::Place(square));
                    }
                    self.answer(&format!("= {mv}\n"));
                }
            }
            _ => say("= \n"),
        }
    }

    /// Its move in words, perhaps late; `None` if it never answers.
    fn choose(&mut self) -> Option<String> {
        self.moves += 1;
        let moves: Vec<_> = self.game.position().board.moves().iter().collect();
        let mv = moves[draw(&mut self.luck) as usize % moves.len()].to_string();
        // Per mille: whether this game is to be lost.
        let resigns =
            self.deed == "coin" && self.moves == 1 && draw(&mut self.luck) % 1000 >= self.more;
        if resigns || self.deed == "resign" && self.moves == self.at {
            self.moves = 0;
            return Some("resign".to_owned());
        }
        if self.moves != self.at {
            return Some(mv);
        }
        match self.deed {
            "illegal" => return Some("a1".to_owned()),
            "nonsense" => return Some("perhaps".to_owned()),
            "silent" => return None,
            "dies" => {
                eprintln!("oops");
                exit(3)
            }
            "late" => pause(Duration::from_millis(self.more)),
            "closes-stdout" => {
                // SAFETY: nothing is written to it any more.
                let _ = unsafe { libc::close(1) };
                pause(Duration::from_secs(600));
            }
            "flood" => loop {
                say("status of no interest");
            },
            _ => {}
        }
        Some(mv)
    }

    fn answer(&self, text: &str) {
        say(text);
        if self.deed == "twice" {
            say(text);
        }
    }
}

/// The upper bits: the strengths below were chosen with them.
fn draw(luck: &mut Rng) -> u64 {
    luck.next() >> 8
}

/// Writes a line; exits if the pipe is closed.
fn say(text: &str) {
    let mut out = stdout().lock();
    if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

/// How a match names the engine with this configuration.
fn player(name: &str, config: &str) -> String {
    let (protocol, _) = config.split_once(' ').unwrap();
    let binary = std::env::current_exe().unwrap();
    let harness = "synthetic::engine --exact --ignored --nocapture -q";
    format!(
        "{name}={protocol}:env '{CONFIG}={config}' '{}' {harness}",
        binary.display()
    )
}

/// Openings of six moves at random, no two alike.
fn openings(count: usize) -> String {
    let mut luck = Rng(77);
    let mut lines = Vec::new();
    while lines.len() < count {
        let mut game = Game::default();
        let mut line = String::new();
        while game.moves().len() < 6 {
            let moves: Vec<_> = game.position().board.moves().iter().collect();
            let square = moves[draw(&mut luck) as usize % moves.len()];
            game.play_square(square).unwrap();
            line += &square.to_string();
        }
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join("\n") + "\n"
}

fn summary(scratch: &Scratch, players: &[String], options: &str) -> Value {
    scratch.match_summary(
        &players.iter().map(String::as_str).collect::<Vec<_>>(),
        options,
    )
}

/// Both protocols give the same results.
#[test]
fn each_misbehavior_has_its_word_in_both_protocols() {
    let scratch = Scratch::new("misbehavior");
    scratch.write("openings.txt", openings(1));
    // On a busy machine the bound of a second behind the margin may be met first.
    let either = ["2 time", "1 hang, 1 time", "2 hang"];
    let flood = ["2 chatter", "1 chatter, 1 hang", "2 hang"];
    let table: [(&str, [&[&str]; 2]); 11] = [
        ("illegal 3", [&["2 illegal"]; 2]),
        ("nonsense 3", [&["2 protocol"]; 2]),
        ("silent 3", [&["2 hang"]; 2]),
        ("dies 3", [&["2 crash"]; 2]),
        ("closes-stdout 3", [&["2 crash"]; 2]),
        ("resign 3", [&["2 resigned"]; 2]),
        ("flood 3", [&flood; 2]),
        // After its time and before the runner gives up waiting.
        ("late 3 2500", [&either; 2]),
        ("garbage", [&["-"]; 2]),
        // NBoard's ping skips extra lines. GTP has no such command: the next answer is wrong.
        ("twice", [&["-"], &["2 protocol"]]),
        ("ignores-quit", [&["-"]; 2]),
    ];
    let name =
        |deed: &str, protocol: &str| format!("{}-{protocol}", deed.split(' ').next().unwrap());
    let mut players = vec!["other=random;margin=600".to_owned()];
    for (deed, _) in &table {
        let of_protocol =
            |protocol: &str| player(&name(deed, protocol), &format!("{protocol} 5 {deed}"));
        players.extend(PROTOCOLS.map(of_protocol));
    }
    let options =
        "--gauntlet --games 2 --move-time 1 --margin 1 --jobs 12 --log faults.txt --ggf g.ggf";
    let summary = summary(&scratch, &players, options);
    assert_eq!(summary["games"], 44);
    for (deed, words) in table {
        for (protocol, allowed) in PROTOCOLS.into_iter().zip(words) {
            let name = name(deed, protocol);
            let row = summary["players"]
                .as_array()
                .unwrap()
                .iter()
                .find(|row| row["name"] == name.as_str());
            let row = row.unwrap();
            let mut said: Vec<String> = Vec::new();
            if row["resigned"] != 0 {
                said.push(format!("{} resigned", row["resigned"]));
            }
            let faults = row["faults"].as_object().unwrap();
            said.extend(faults.iter().map(|(word, count)| format!("{count} {word}")));
            let said = if said.is_empty() {
                "-".to_owned()
            } else {
                said.join(", ")
            };
            assert!(
                allowed.contains(&said.as_str()),
                "{name}: {said}, not {allowed:?}"
            );
            if said != "-" {
                assert_eq!(row["tally"]["losses"], 2, "{name}");
            }
            let meeting = summary["meetings"].as_array().unwrap();
            let meeting = meeting
                .iter()
                .find(|meeting| meeting["second"] == name.as_str())
                .unwrap();
            // Giving up and being late are evidence, the rest is a defect.
            let is_defect = !["2 resigned", "2 time", "-"].contains(&said.as_str());
            assert_eq!(meeting["defect_pairs"], u64::from(is_defect), "{name}");
        }
    }
    let games = scratch.read("g.ggf");
    assert_eq!(games.matches(":r]").count(), 4, "{games}");
    let log = scratch.read("faults.txt");
    assert!(
        log.contains("    ! oops") && log.contains("    < go") && log.contains("    > pong"),
        "{log}"
    );
    for shown in [
        "closed its output",
        "exit status: 3",
        "illegal move",
        "perhaps",
        "no answer in time",
    ] {
        for protocol in PROTOCOLS {
            let of_protocol =
                |line: &&str| line.contains(shown) && line.contains(&format!("-{protocol} ("));
            assert!(
                log.lines().any(|line| of_protocol(&line)),
                "{shown}, {protocol}: {log}"
            );
        }
    }
}

#[test]
fn a_margin_decides_late_moves_in_both_protocols() {
    let scratch = Scratch::new("late");
    scratch.write("openings.txt", openings(1));
    let late = [1, 10, 100];
    let mut players = vec!["other=random;margin=600".to_owned()];
    for ms in late {
        let of_protocol = |protocol: &str| {
            player(
                &format!("{protocol}-{ms}"),
                &format!("{protocol} 3 late 2 {}", 200 + ms),
            )
        };
        players.extend(PROTOCOLS.map(of_protocol));
    }
    for margin in [0.0, 0.05, 500.0] {
        let file = format!("g{margin}.ggf");
        let options =
            format!("--gauntlet --games 2 --move-time 0.2 --margin {margin} --jobs 3 --ggf {file}");
        let summary = summary(&scratch, &players, &options);
        for row in summary["players"].as_array().unwrap() {
            let name = row["name"].as_str().unwrap();
            let faults = row["faults"].as_object().unwrap();
            let late = faults.iter().map(|(word, count)| match word.as_str() {
                // A hang needs a machine that stalls for a second.
                "time" | "hang" => count.as_u64().unwrap(),
                other => panic!("{name}: {other}"),
            });
            let late: u64 = late.sum();
            let ms: f64 = name
                .split('-')
                .nth(1)
                .map_or(-1.0, |ms| ms.parse().unwrap());
            if ms > 1000.0 * margin {
                assert_eq!(late, 2, "{name} with a margin of {margin} s");
            } else if ms > 0.0 && margin > 100.0 {
                assert_eq!(late, 0, "{name} with a margin of {margin} s");
            }
        }
        let games = scratch.read(&file);
        assert_eq!(games.lines().count(), 12);
        for line in games.lines() {
            hold_to_measured_time(line, 0.2, margin);
        }
    }
}

/// No move of a game was later than the margin allows, but the one that lost it.
fn hold_to_measured_time(line: &str, allowed: f64, margin: f64) {
    let game = GgfGame::parse(line).unwrap();
    let slowest = game
        .plies()
        .iter()
        .filter_map(|ply| ply.seconds)
        .fold(0.0, f64::max);
    // Times are written to a millisecond.
    assert!(slowest <= allowed + margin + 0.001, "{line}");
    let comment = game.tag("CO").unwrap();
    if let Some((_, shown)) = comment.split_once("lost on time: ") {
        let used: f64 = shown.split(' ').next().unwrap().parse().unwrap();
        assert!(used >= allowed + margin - 0.001, "{line}");
    }
}

#[test]
fn elo_covers_a_known_strength_in_both_protocols() {
    let scratch = Scratch::new("strength");
    scratch.write("openings.txt", openings(200));
    for protocol in PROTOCOLS {
        for per_mille in [500, 760, 350] {
            // One resigns at once in some games, the other at its second move in all others.
            let players = [
                player("coin", &format!("{protocol} 2026 coin 0 {per_mille}")),
                player("other", &format!("{protocol} 11 resign 2")),
            ];
            let summary = summary(&scratch, &players, "--games 400 --move-time 60");
            let meeting = &summary["meetings"][0];
            assert_eq!(summary["endings"]["resigned"], 400, "{summary}");
            let score = f64::from(per_mille) / 1000.0;
            let truth = 400.0 * (score / (1.0 - score)).log10();
            let [low, high] = ["low", "high"].map(|end| meeting["elo"][end].as_f64().unwrap());
            assert!(
                low <= truth && truth <= high,
                "{protocol}: {truth}, {meeting}"
            );
            assert!(high - low < 90.0, "{protocol}: {meeting}");
        }
    }
}
