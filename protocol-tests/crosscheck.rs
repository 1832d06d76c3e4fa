//! Checks proven scores in other ways: by other threads and tables, by other builds, by an independent solver (`oracle.rs`).
//!
//! `EMILIA_SAMPLES=4000` checks 100,000 positions, `EMILIA_SAMPLES=1000` 1,000 games. `EMILIA_BUILDS=FILE:FILE` names builds
//! for other processors, which must visit as many nodes. `EMILIA_FROM=66500` begins with that position.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::child::{Failure, Session};
use crate::oracle::{Oracle, Place, name, position, square, squares};
use crate::patience::pause;
use crate::samples::{Rng, rounds};

const EMILIA: &str = env!("CARGO_BIN_EXE_emilia");

/// Positions in a thousand with 8, 9, … empty squares: each square costs about half as much again.
const SHARES: [u32; 15] = [132, 132, 132, 132, 132, 90, 84, 60, 45, 30, 16, 8, 4, 2, 1];

struct Solved {
    score: i32,
    nodes: u64,
    line: Vec<String>,
}

/// The positions solved by a program with these options; each answer must be proven.
fn solve(program: &str, options: &str, places: &[Place]) -> Vec<Solved> {
    let mut child = Command::new(program)
        .args(["solve", "--json", "-"])
        .args(options.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let mut stdin = child.stdin.take().unwrap();
    let input: String = places.iter().map(|place| place.text() + "\n").collect();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let solved: Vec<Solved> = lines.map(|line| read_solution(&line.unwrap())).collect();
    writer.join().unwrap().unwrap();
    assert!(child.wait().unwrap().success(), "{program} {options}");
    assert_eq!(solved.len(), places.len(), "{program} {options}");
    solved
}

fn read_solution(line: &str) -> Solved {
    let answer: Value = serde_json::from_str(line).unwrap();
    assert_eq!(answer["exact"], true, "{line}");
    let line = answer["moves"][0]["pv"].as_array().into_iter().flatten();
    Solved {
        score: answer["score"].as_f64().unwrap() as i32,
        nodes: answer["nodes"].as_u64().unwrap(),
        line: line.map(|mv| mv.as_str().unwrap().to_owned()).collect(),
    }
}

/// A position for each number; any range of numbers has nearly these shares.
fn numbered(number: u64) -> Place {
    // Multiples of 619 go through all thousandths, spread evenly.
    let mut rest = (number * 619 % 1000) as u32;
    let share = SHARES.iter().position(|share| {
        let found = rest < *share;
        rest = rest.wrapping_sub(if found { 0 } else { *share });
        found
    });
    position(
        number,
        8 + share.expect("the shares come to a thousand") as u32,
    )
}

/// The line of best play must be legal to the end and come to the score.
fn assert_line(place: Place, solved: &Solved) {
    let end = place.after(solved.line.iter().map(String::as_str));
    assert!(end.is_over(), "{}: {:?}", place.text(), solved.line);
    let result = if solved.line.len().is_multiple_of(2) {
        end.result()
    } else {
        -end.result()
    };
    assert_eq!(result, solved.score, "{}: {:?}", place.text(), solved.line);
}

/// Whether to ask the slow oracle: always up to 12 empties, sometimes up to 14.
fn is_for_the_oracle(number: u64, place: Place) -> bool {
    match place.empties() {
        0..=12 => true,
        13 | 14 => number.is_multiple_of(8),
        _ => false,
    }
}

/// Solves a block of positions in every other way.
fn check(numbers: std::ops::Range<u64>, builds: &[String], oracle: &mut Oracle) {
    let places: Vec<Place> = numbers.clone().map(numbered).collect();
    let first = solve(EMILIA, "--threads 1 --hash 16", &places);
    for ((number, &place), solved) in numbers.clone().zip(&places).zip(&first) {
        assert_line(place, solved);
        if is_for_the_oracle(number, place) {
            assert!(
                oracle.is_score(place, solved.score),
                "{}: not {}",
                place.text(),
                solved.score
            );
        }
    }
    for options in [
        "--threads 1 --hash 1",
        "--threads 2 --hash 512",
        "--threads 4 --hash 1",
    ] {
        for ((place, solved), again) in places
            .iter()
            .zip(&first)
            .zip(solve(EMILIA, options, &places))
        {
            assert_eq!(again.score, solved.score, "{}, {options}", place.text());
            assert_line(*place, &again);
        }
    }
    for build in builds {
        for ((place, solved), again) in
            places
                .iter()
                .zip(&first)
                .zip(solve(build, "--hash 16", &places))
        {
            let found = (again.score, again.nodes);
            assert_eq!(
                found,
                (solved.score, solved.nodes),
                "{} by {build}",
                place.text()
            );
        }
    }
}

#[test]
fn every_way_of_solving_finds_the_same_scores() {
    const BLOCK: u64 = 500;
    let count = rounds(25);
    let builds = std::env::var("EMILIA_BUILDS").unwrap_or_default();
    let builds: Vec<String> = builds
        .split(':')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    let from = std::env::var("EMILIA_FROM")
        .map_or(0, |text| text.parse().expect("the number of a position"));
    let next = AtomicU64::new(from);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut oracle = Oracle::new();
                loop {
                    let begin = next.fetch_add(BLOCK, Ordering::Relaxed);
                    if begin >= count {
                        break;
                    }
                    check(begin..(begin + BLOCK).min(count), &builds, &mut oracle);
                    eprintln!("{begin} and on: every score found again");
                }
            });
        }
    });
}

/// A proven claim of a protocol about a move, in discs: its exact score, the winner (by the sign), or bounds.
#[derive(Clone, Copy, Debug)]
enum Claim {
    Score(f64),
    Winner(f64),
    Between(f64, f64),
}

impl Claim {
    /// The same for the other side.
    fn turned(self) -> Self {
        match self {
            Self::Score(claimed) => Self::Score(-claimed),
            Self::Winner(claimed) => Self::Winner(-claimed),
            Self::Between(low, high) => Self::Between(-high, -low),
        }
    }

    fn holds(self, score: i32) -> bool {
        let score = f64::from(score);
        match self {
            Self::Score(claimed) => claimed == score,
            Self::Winner(claimed) => claimed.partial_cmp(&0.0) == score.partial_cmp(&0.0),
            Self::Between(low, high) => (low..=high).contains(&score),
        }
    }
}

/// A game with the engine's claims, their positions and their text.
struct Game {
    rng: Rng,
    place: Place,
    claims: Vec<(Place, Claim, String)>,
}

impl Game {
    fn new(number: u64) -> Self {
        let mut rng = Rng(number ^ 0x5EED);
        let empties = 12 + rng.below(9) as u32;
        Self {
            place: position(rng.next(), empties),
            rng,
            claims: vec![],
        }
    }

    fn claim(&mut self, claim: Claim, said: &str) {
        self.claims.push((self.place, claim, said.to_owned()));
    }

    /// A claim about a move, for its side.
    fn claim_of_move(&mut self, mv: &str, claim: Claim, said: &str) {
        let after = self.place.after([mv.to_ascii_lowercase().as_str()]);
        self.claims.push((after, claim.turned(), said.to_owned()));
    }

    /// Goes on with this move, and over forced passes.
    fn play(&mut self, mv: &str) {
        self.place = self.place.after([mv.to_ascii_lowercase().as_str()]);
        if self.place.moves() == 0 && !self.place.is_over() {
            self.place = self.place.pass();
        }
    }

    fn play_any(&mut self) {
        let moves: Vec<u32> = squares(self.place.moves()).collect();
        let square = moves[self.rng.below(moves.len())];
        self.play(&name(square));
    }

    /// Interrupts the engine sometimes, at a random moment.
    fn pause(&mut self) -> bool {
        let is_cut = self.rng.below(3) == 0;
        if is_cut {
            pause(Duration::from_micros(self.rng.below(20_000) as u64));
        }
        is_cut
    }
}

/// Hints before each move, some of them ended by a ping.
fn nboard_game(session: &mut Session, game: &mut Game) -> Result<(), Failure> {
    while !game.place.is_over() {
        let board = &game.place.text().replace('X', "*")[..64];
        let depth = 4 + game.rng.below(14);
        let set = format!("set game (;GM[Othello]TY[8]BO[8 {board} *];)\nset depth {depth}\n");
        session.ask(set + "ping 1\nhint 3\n", "pong 1")?;
        let (ping, end) = if game.pause() {
            ("ping 2\n", "pong 2")
        } else {
            ("", "status")
        };
        for line in session.ask(ping, end)? {
            let fields: Vec<&str> = line.split_whitespace().collect();
            if let ["search", pv, value, _, token @ ("100%" | "100%W"), ..] = fields[..] {
                let value: f64 = value.parse().unwrap();
                let claim = if token == "100%" {
                    Claim::Score(value)
                } else {
                    Claim::Winner(value)
                };
                game.claim_of_move(&pv[..2], claim, &line);
            }
        }
        let answer = session.ask("go\n", "=== {any}")?.pop().unwrap();
        game.play(answer[4..].split('/').next().unwrap());
    }
    Ok(())
}

/// Scores and analyses, most of them cut short, then a move on a clock.
fn gtp_game(session: &mut Session, game: &mut Game) -> Result<(), Failure> {
    while !game.place.is_over() {
        let level = 4 + game.rng.below(16);
        let set = format!("setboard {}\nset_level {level}\n", game.place.text());
        let score = session
            .ask(set + "1 emilia-score\n", "=1 {any}")?
            .pop()
            .unwrap();
        let words: Vec<&str> = score.split(' ').collect();
        if let [_, value, proof @ ("exact" | "proven"), ..] = words[..] {
            let sign = if value.starts_with('W') { -1.0 } else { 1.0 };
            let value = sign
                * value
                    .trim_start_matches(['B', 'W', '+'])
                    .parse::<f64>()
                    .unwrap();
            game.claim(
                if proof == "exact" {
                    Claim::Score(value)
                } else {
                    Claim::Winner(value)
                },
                &score,
            );
        }
        session.ask("3 emilia-analyze 1 maxmoves 4\n", "=3{any}")?;
        game.pause();
        for line in session.ask("4 genmove b\n", "")? {
            for info in line.split("info ").skip(1) {
                analysis_claims(game, info);
            }
        }
        let answer = session.ask("", "=4 {any}")?.pop().unwrap();
        game.play(&answer[3..]);
    }
    Ok(())
}

/// `move F5 score 2.00 lower -64.00 upper 64.00 … exact true …`
fn analysis_claims(game: &mut Game, info: &str) {
    let words: Vec<&str> = info.split(' ').collect();
    let after = |key: &str| words[words.iter().position(|word| *word == key).unwrap() + 1];
    let number = |key: &str| after(key).parse::<f64>().unwrap();
    let bounds = (number("lower"), number("upper"));
    if bounds != (-64.0, 64.0) {
        game.claim_of_move(after("move"), Claim::Between(bounds.0, bounds.1), info);
    }
    if after("exact") == "true" {
        game.claim_of_move(after("move"), Claim::Score(number("score")), info);
    }
}

/// Requests with small budgets; the game goes on with any move.
fn stream_game(session: &mut Session, game: &mut Game) -> Result<(), Failure> {
    while !game.place.is_over() {
        let nodes = 1 << (6 + game.rng.below(14));
        let request = json!({"id": 1, "position": game.place.text(), "best_moves": 3, "depth": 20, "nodes": nodes});
        let line = session.ask(format!("{request}\n"), "{any}")?.pop().unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        for found in answer["moves"].as_array().unwrap() {
            if found["exact"] == true {
                let score = Claim::Score(found["score"].as_f64().unwrap());
                game.claim_of_move(found["move"].as_str().unwrap(), score, &line);
            }
        }
        game.play_any();
    }
    Ok(())
}

/// The claims of every third game, from one session in one protocol.
fn claims(kind: u64, count: u64, all: &Mutex<Vec<(Place, Claim, String)>>) {
    let args = [
        "nboard --hash 1",
        "gtp --hash 1 --move-time 0.02 --threads 2",
        "analyze --hash 1",
    ][kind as usize];
    for number in (kind..count).step_by(3) {
        let mut game = Game::new(number);
        let play = [nboard_game, gtp_game, stream_game][kind as usize];
        play(&mut Session::of(args), &mut game)
            .unwrap_or_else(|what| panic!("game {number}: {what:?}"));
        all.lock().unwrap().append(&mut game.claims);
    }
}

#[test]
fn proven_claims_of_protocols_hold() {
    let count = rounds(1).max(3);
    let all = Mutex::new(vec![]);
    std::thread::scope(|scope| {
        for kind in 0..3 {
            let all = &all;
            scope.spawn(move || claims(kind, count, all));
        }
    });
    let claims = all.into_inner().unwrap();
    assert!(
        claims.len() as u64 > 20 * count,
        "{} claims are too few",
        claims.len()
    );
    let mut places: Vec<Place> = claims.iter().map(|(place, ..)| *place).collect();
    places.sort_by_key(|place| (place.empties(), place.own, place.other));
    places.dedup();
    let scores: HashMap<Place, i32> = places
        .iter()
        .copied()
        .zip(
            solve(EMILIA, "--hash 16", &places)
                .iter()
                .map(|solved| solved.score),
        )
        .collect();
    for (place, claim, said) in &claims {
        let score = scores[place];
        assert!(
            claim.holds(score),
            "{claim:?}, but {score}: {}, {said}",
            place.text()
        );
    }
    let mut oracle = Oracle::new();
    for (&place, &score) in scores.iter().filter(|(place, _)| place.empties() <= 10) {
        assert!(
            oracle.is_score(place, score),
            "{}: not {score}",
            place.text()
        );
    }
    println!(
        "{} claims in {count} games about {} positions hold",
        claims.len(),
        places.len()
    );
}

#[test]
fn positions_have_the_shares() {
    assert_eq!(SHARES.iter().sum::<u32>(), 1000);
    let mut found = HashMap::<u32, u32>::new();
    for number in 0..1000 {
        *found.entry(numbered(number).empties()).or_default() += 1;
    }
    // A pass may end a game early, which leaves the count.
    for (empties, share) in (8..).zip(SHARES) {
        assert_eq!(found[&empties], share, "{empties} empties");
    }
    assert_eq!(square("a1"), Some(0));
}
