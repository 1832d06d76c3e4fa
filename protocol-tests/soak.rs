//! Long sessions, several at once: games and mixed commands over both protocols and the analysis stream. Memory and threads
//! stay constant, and the answers have the order of the questions.
//!
//! `EMILIA_SAMPLES=1000 cargo test --release --test protocol soak:: -- --nocapture` plays 20,000 games and sends 1,000,000
//! commands; `RELIABILITY.md` has the results.
#![cfg(target_os = "linux")]

use std::collections::HashSet;
use std::fs;
use std::time::Duration;

use serde_json::{Value, json};

use emilia::internal::transcripts::Pattern;

use crate::child::{Failure, Session, status};
use crate::oracle::{Place, name, position, squares};
use crate::parallel::in_parallel;
use crate::patience::{Wait, at_most, pause, until};
use crate::samples::{Rng, ggf, rounds};

/// The measurements of a long session.
struct Watch {
    session: Session,
    rng: Rng,
    what: &'static str,
    rounds: u64,
    done: u64,
    commands: u64,
    /// Memory in KiB and threads at each twentieth of the way.
    seen: Vec<[u64; 2]>,
    /// The times of the answers to interruptions.
    waits: Vec<Duration>,
}

impl Watch {
    fn new(what: &'static str, args: &str, rounds: u64) -> Self {
        let session = Session::of(args);
        let rng = Rng(args.bytes().map(u64::from).sum());
        Self {
            session,
            rng,
            what,
            rounds,
            done: 0,
            commands: 0,
            seen: vec![],
            waits: vec![],
        }
    }

    fn round(&mut self) {
        self.done += 1;
        if self.done.is_multiple_of((self.rounds / 20).max(1)) {
            let id = self.session.process.id();
            self.seen.push([status(id, "VmRSS"), status(id, "Threads")]);
        }
    }

    fn send(&mut self, text: &str) {
        self.commands += text.matches('\n').count() as u64;
        self.session.send(text.as_bytes());
    }

    /// Sends the line, waits for its answer and records the time.
    fn interrupt(&mut self, line: &str, answer: &str) -> Result<Vec<String>, Failure> {
        let asked = Wait::default();
        self.send(line);
        let lines = self.session.skip_to(&Pattern::of(answer))?;
        self.waits.push(asked.taken());
        Ok(lines)
    }

    /// Ends the process and checks the measurements.
    fn finish(mut self, manners: &Manners) -> Result<(), Failure> {
        // In KiB. Tables and caches come in pages of 2 MiB as chance touches them.
        const ROOM: u64 = 16 << 10;
        self.session.end_with(manners.last, manners.code)?;
        // All memory is in use by the tenth twentieth.
        let begin = self.seen[self.seen.len() / 2];
        let rest = &self.seen[self.seen.len() / 2..];
        let most = rest.iter().map(|seen| seen[0]).max().unwrap_or(begin[0]);
        self.waits.sort();
        let at = |part: f64| {
            self.waits
                .get((self.waits.len() as f64 * part) as usize)
                .copied()
                .unwrap_or_default()
        };
        let shown = format!(
            "{}: {} rounds, {} commands, {} KiB and {} threads half-way, at most {most} KiB after; \
             answers: median {:?}, one in a thousand over {:?}, longest {:?}",
            self.what,
            self.done,
            self.commands,
            begin[0],
            begin[1],
            at(0.5),
            at(0.999),
            self.waits.last().copied().unwrap_or_default()
        );
        println!("{shown}");
        assert!(most < begin[0] + ROOM, "{shown}: {:?}", self.seen);
        assert!(
            rest.iter().all(|seen| seen[1] == begin[1]),
            "{shown}: {:?}",
            self.seen
        );
        assert!(at(0.5) <= at_most(50), "{shown}");
        Ok(())
    }
}

/// A game for `set game`, with a few moves.
fn game(rng: &mut Rng) -> String {
    let mut place = Place::START;
    let mut moves = String::new();
    for _ in 0..rng.below(50) {
        let legal: Vec<u32> = squares(place.moves()).collect();
        if legal.is_empty() {
            break;
        }
        let square = legal[rng.below(legal.len())];
        place = place.play(square);
        moves += &name(square);
    }
    ggf(&moves)
}

/// Bursts of commands with pings; the answers before each pong must be those due before its ping.
fn mixed_nboard(watch: &mut Watch) -> Result<(), Failure> {
    for round in 0..watch.rounds {
        let mut burst = String::new();
        let mut due = vec![];
        for index in 0..1 + watch.rng.below(8) {
            let command = match watch.rng.below(12) {
                0 => "go".to_owned(),
                1 => format!("hint {}", watch.rng.below(5)),
                2 | 3 => format!("set game {}", game(&mut watch.rng)),
                4 => format!("set depth {}", [1, 2, 3, 60][watch.rng.below(4)]),
                5 => format!("move {}", name(watch.rng.below(64) as u32)),
                6 => "analyze".to_owned(),
                7 => "learn".to_owned(),
                8 => format!("set contempt {}", watch.rng.below(201) as i32 - 100),
                9 => watch
                    .rng
                    .of(&["clear", "nboard 2", "# nothing", "hint x", "move PA"])
                    .to_owned(),
                _ => format!("ping {round}{index}"),
            };
            match &command {
                ping if ping.starts_with("ping") => due.push(ping.replace("ping", "pong")),
                go if go == "go" => due.push("===".to_owned()),
                learn if learn == "learn" => due.push("learned".to_owned()),
                _ => {}
            }
            burst += &(command + "\n");
        }
        watch.send(&burst);
        if watch.rng.below(4) == 0 {
            pause(Duration::from_micros(watch.rng.below(3_000) as u64));
        }
        let end = format!("pong 9{round}");
        let lines = watch.interrupt(&format!("ping 9{round}\n"), &end)?;
        due.push(end);
        let owed = ["pong", "===", "learned"];
        let found: Vec<&str> = lines
            .iter()
            .filter(|line| owed.iter().any(|word| line.starts_with(word)))
            .map(|line| {
                if line.starts_with("===") {
                    "==="
                } else {
                    line.as_str()
                }
            })
            .collect();
        if found != due {
            return Err(watch
                .session
                .failure(&format!("{due:?} was due, {found:?} came")));
        }
        watch.round();
    }
    Ok(())
}

const EVALUATING: [&str; 4] = [
    "emilia-score",
    "emilia-best_moves 2",
    "emilia-pv",
    "reg_genmove b",
];
const QUICK: &str = "name|showboard|undo|clear_board|final_score|list_commands|no_such_command|gogui-rules_board|\
                     time_left b 1 1|cputime|emilia-stable|play b z9";

/// Bursts of numbered commands: each is answered once, in order, by its number.
fn mixed_gtp(watch: &mut Watch) -> Result<(), Failure> {
    let mut number = 0;
    for _ in 0..watch.rounds {
        let mut burst = String::new();
        let first = number;
        for _ in 0..1 + watch.rng.below(8) {
            let command = match watch.rng.below(10) {
                0 => format!("genmove {}", watch.rng.of(&["b", "w"])),
                1 => format!(
                    "play {} {}",
                    watch.rng.of(&["b", "w"]),
                    name(watch.rng.below(64) as u32)
                ),
                2 => "emilia-analyze 1 maxmoves 2".to_owned(),
                3 => {
                    let empties = 1 + watch.rng.below(59) as u32;
                    format!("setboard {}", position(watch.rng.next(), empties).text())
                }
                4 => watch.rng.of(&EVALUATING).to_owned(),
                5 => format!("set_level {}", watch.rng.below(4)),
                _ => watch
                    .rng
                    .of(&QUICK.split('|').collect::<Vec<_>>())
                    .to_owned(),
            };
            burst += &format!("{number} {command}\n");
            number += 1;
        }
        watch.send(&burst);
        if watch.rng.below(4) == 0 {
            watch.send("# interrupt\n");
        }
        let lines = watch.interrupt(
            &format!("{number} protocol_version\n"),
            &format!("={number} 2"),
        )?;
        number += 1;
        let answers = lines
            .iter()
            .filter_map(|line| line.strip_prefix(['=', '?']));
        let numbers: Vec<u64> = answers
            .map(|rest| {
                rest.split(' ')
                    .next()
                    .and_then(|id| id.parse().ok())
                    .unwrap_or(u64::MAX)
            })
            .collect();
        if !numbers.iter().copied().eq(first..number) {
            return Err(watch
                .session
                .failure(&format!("{first} to {number} were due, {numbers:?} came")));
        }
        // The blank line that ends the last answer.
        watch.session.expect(&Pattern::of(""))?;
        watch.round();
    }
    Ok(())
}

/// Requests of every kind; each position is answered once, also among cancellations.
fn mixed_analysis(watch: &mut Watch) -> Result<(), Failure> {
    for round in 0..watch.rounds {
        let mut burst = String::new();
        let mut due = HashSet::new();
        for index in 0..1 + watch.rng.below(8) {
            let id = format!("{round}-{index}");
            let empties = 1 + watch.rng.below(59) as u32;
            let place = position(watch.rng.next(), empties).text();
            let request = match watch.rng.below(6) {
                0 => {
                    json!({"id": id, "position": place, "depth": 60, "nodes": 20_000, "partial_every": 0.01})
                }
                1 => json!({"id": id, "position": place, "best_moves": "all", "depth": 1}),
                2 => json!({"id": id, "position": "f5f5"}),
                3 => json!({"id": id, "position": place, "why": "en", "depth": 2}),
                4 => json!({"id": id, "cancel_all": true}),
                _ => json!({"id": id, "position": place, "nodes": 2_000}),
            };
            due.insert(id);
            burst += &format!("{request}\n");
        }
        watch.send(&burst);
        while !due.is_empty() {
            let line = watch.session.line()?.unwrap_or_default();
            let answer: Value = serde_json::from_str(&line).unwrap_or_default();
            let id = answer["id"].as_str().unwrap_or_default();
            let is_due = if answer["partial"] == true {
                due.contains(id)
            } else {
                due.remove(id)
            };
            if !is_due {
                return Err(watch.session.failure(&format!("unexpected answer: {line}")));
            }
        }
        watch.round();
    }
    Ok(())
}

/// Whole games by `go` and `move`, every answer legal.
fn nboard_games(watch: &mut Watch) -> Result<(), Failure> {
    for round in 0..watch.rounds {
        let mut place = Place::START;
        let depth = 1 + watch.rng.below(3);
        watch.send(&format!("set depth {depth}\nset game {}\n", ggf("")));
        let mut ply = 0;
        while !place.is_over() {
            // A few plies of chance, so that no game is like another.
            let mv = if ply < 8 && place.moves() != 0 {
                let legal: Vec<u32> = squares(place.moves()).collect();
                name(legal[watch.rng.below(legal.len())])
            } else {
                let answer = watch.interrupt("go\n", "=== {any}")?.pop().unwrap();
                answer[4..].split('/').next().unwrap().to_ascii_lowercase()
            };
            place = place.after([mv.as_str()]);
            watch.send(&format!("move {mv}\n"));
            ply += 1;
        }
        watch.interrupt(&format!("ping {round}\n"), &format!("pong {round}"))?;
        watch.round();
    }
    Ok(())
}

/// Whole games by `genmove`, every answer legal, the result that of the oracle's rules.
fn gtp_games(watch: &mut Watch) -> Result<(), Failure> {
    for _ in 0..watch.rounds {
        let mut place = Place::START;
        let mut black = true;
        let level = watch.rng.below(3);
        watch.send(&format!("set_level {level}\nclear_board\n"));
        while !place.is_over() {
            let side = if black { "b" } else { "w" };
            let mv = if place.empties() > 52 && place.moves() != 0 {
                let legal: Vec<u32> = squares(place.moves()).collect();
                let mv = name(legal[watch.rng.below(legal.len())]);
                watch.send(&format!("play {side} {mv}\n"));
                mv
            } else {
                let answer = watch
                    .interrupt(&format!("7 genmove {side}\n"), "=7 {any}")?
                    .pop()
                    .unwrap();
                answer[3..].to_ascii_lowercase()
            };
            place = place.after([mv.as_str()]);
            black = !black;
        }
        let lead = if black {
            place.result()
        } else {
            -place.result()
        };
        let result = match lead {
            0 => "0".to_owned(),
            1.. => format!("B+{lead}"),
            _ => format!("W+{}", -lead),
        };
        watch.interrupt("8 final_score\n", &format!("=8 {result}"))?;
        watch.round();
    }
    Ok(())
}

/// The warm-up of a session with its answer, and its end with its exit code.
struct Manners {
    first: &'static str,
    answer: &'static str,
    last: &'static str,
    code: i32,
}

const NBOARD: Manners = Manners {
    first: "go\n",
    answer: "=== {any}",
    last: "quit\n",
    code: 0,
};
const GTP: Manners = Manners {
    first: "set_level 8\n0 reg_genmove b\nset_level 2\nname\n",
    answer: "= Emilia",
    last: "quit\n",
    code: 0,
};
const STREAM: Manners = Manners {
    first: "{\"id\":0,\"position\":\"f5\",\"depth\":8}\n",
    answer: "{{\"id\":0,{any}",
    last: "",
    // Some requests are wrong.
    code: 1,
};

/// A session: its name, its command line, its rounds a sample, its conversation.
type Plan = (
    &'static str,
    &'static str,
    u64,
    fn(&mut Watch) -> Result<(), Failure>,
    Manners,
);

/// Some thousand commands a sample in the first four together, twenty games in the others.
const PLANS: [Plan; 6] = [
    ("NBoard, mixed", "nboard --hash 1", 64, mixed_nboard, NBOARD),
    (
        "NBoard, mixed, two threads",
        "nboard --hash 2 --threads 2",
        16,
        mixed_nboard,
        NBOARD,
    ),
    ("GTP, mixed", "gtp --hash 1", 80, mixed_gtp, GTP),
    (
        "analysis, mixed",
        "analyze --hash 1 --jobs 2",
        32,
        mixed_analysis,
        STREAM,
    ),
    ("NBoard, games", "nboard --hash 1", 10, nboard_games, NBOARD),
    ("GTP, games", "gtp --hash 1", 10, gtp_games, GTP),
];

#[test]
fn long_sessions_neither_grow_nor_lose_their_place() {
    std::thread::scope(|scope| {
        for (what, args, each, talk, manners) in PLANS {
            scope.spawn(move || {
                let mut watch = Watch::new(what, args, rounds(each));
                // Unpacks the weights and allocates the memory of the search before the measurements.
                let warmed = watch.session.ask(manners.first, manners.answer);
                let talked = warmed.and_then(|_| talk(&mut watch));
                talked.and_then(|()| watch.finish(&manners)).expect(what);
            });
        }
    });
}

/// The times of several starts, from the first to the last answer that is waited for; sorted.
fn starts(args: &str, first: &str, answer: &str) -> Vec<Duration> {
    let mut times: Vec<Duration> = (0..rounds(5).min(100))
        .map(|_| {
            let begin = Wait::default();
            let mut session = Session::of(args);
            session.ask(first, answer).unwrap();
            begin.taken()
        })
        .collect();
    times.sort();
    println!(
        "emilia {args}, {}: median {:?}, longest {:?}",
        first.trim(),
        times[times.len() / 2],
        times[times.len() - 1]
    );
    times
}

#[test]
fn the_first_answer_does_not_wait_for_weights() {
    const FIRST: u64 = 50;
    const MOVE: u64 = 100;
    for (args, first, answer, most) in [
        ("nboard", "ping 1\n", "pong 1", FIRST),
        ("gtp", "name\n", "= Emilia", FIRST),
        // A move on a clock, asked before anything else: start and move together.
        (
            "gtp --move-time 0.1",
            "genmove b\n",
            "= {square}",
            FIRST + MOVE,
        ),
        ("nboard --move-time 0.1", "go\n", "=== {any}", FIRST + MOVE),
    ] {
        let times = starts(args, first, answer);
        assert!(
            times[times.len() / 2] <= at_most(most),
            "emilia {args}: {times:?}"
        );
    }
}

/// The context switches of a process's threads, and their ticks.
fn activity(id: u32) -> (u64, u64) {
    let switches = fs::read_dir(format!("/proc/{id}/task"))
        .unwrap()
        .map(|task| {
            let text = fs::read_to_string(task.unwrap().path().join("status")).unwrap();
            let counts = text.lines().filter(|line| line.contains("ctxt_switches"));
            counts
                .map(|line| {
                    line.split_whitespace()
                        .nth(1)
                        .unwrap()
                        .parse::<u64>()
                        .unwrap()
                })
                .sum::<u64>()
        });
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    (
        switches.sum(),
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap(),
    )
}

#[test]
fn an_idle_engine_does_nothing_at_all() {
    let request = r#"{"id":1,"position":"f5","depth":8,"partial_every":0.01}"#.to_owned() + "\n";
    let sessions = [
        (
            "nboard --hash 1 --threads 4",
            "set depth 6\ngo\n",
            "=== {any}",
        ),
        (
            "nboard --hash 1",
            "set depth 60\nhint 4\nping 1\n",
            "pong 1",
        ),
        (
            "gtp --hash 1 --level 8 --threads 2",
            "genmove b\n",
            "= {square}",
        ),
        ("gtp --hash 1", "emilia-analyze 1\n7 name\n", "=7 Emilia"),
        (
            "analyze --hash 1 --jobs 2",
            &request,
            "{{\"id\":1,\"position\"{any}",
        ),
    ];
    in_parallel(sessions.len(), sessions, |(args, work, answer)| {
        let mut session = Session::of(args);
        session.ask(work, answer).unwrap();
        // Work in progress ends first: weights are unpacked, threads leave.
        until(
            &format!("emilia {args}: context switches or ticks in every half second"),
            || {
                let before = activity(session.process.id());
                pause(Duration::from_millis(500));
                activity(session.process.id()) == before
            },
        );
    });
}
