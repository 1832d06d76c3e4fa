//! Random input over pipes: the engine stays alive and in step.
//!
//! The seed determines a session. Lines are random bytes, random mixes of commands, and commands with a few changed bytes.
//! `session.rs` fails on output that is not printable ASCII; each session ends with questions that must be answered.

use crate::child::{Failure, Session};
use crate::samples::Rng;

const NBOARD: &[&str] = &[
    "nboard 2",
    "set depth 2",
    "set depth 99999999999999999999",
    "set contempt -100",
    "set game (;GM[Othello]PC[x]DT[1]PB[a]PW[b]RE[?]TI[5:00//1]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5/1.2/0.3]W[D6]B[C3];)",
    "set game (;GM[Othello]TY[8]TI[0:01]BO[8 ---------------------------O*------*O--------------------------- O];)",
    "move F5/0.1/0.2",
    "move d6",
    "move PA",
    "hint 3",
    "hint -7",
    "go",
    "ping 12",
    "learn",
    "analyze",
    "clear",
    "F5",
    "# comment",
];

const GTP: &[&str] = &[
    "protocol_version",
    "1 name",
    "list_commands",
    "known_command play",
    "boardsize 8",
    "set_position b e4 w d4 w",
    "setboard f5d6",
    "clear_board",
    "komi 6.5",
    "play b f5",
    "play w d6",
    "play black pass",
    "gogui-play_sequence b f5 w d6",
    "22 genmove b",
    "reg_genmove w",
    "undo",
    "gg-undo 3",
    "time_settings 1 1 0",
    "time_left b 1 0",
    "set_level 2",
    "final_score",
    "showboard",
    "set_game Othello",
    "loadsgf nothing.sgf 7",
    "cputime",
    "gogui-rules_legal_moves",
    "emilia-score",
    "emilia-best_moves 2",
    "emilia-stable",
    "emilia-analyze b 1 maxmoves 2",
    "# interrupt",
    "stop",
];

const EDAX: &[&str] = &[
    "init",
    "new",
    "setboard ---------------------------OX------XO--------------------------- X",
    "setboard XXXX O",
    "play f5d6 c4",
    "force f5d6c3",
    "f5",
    "d6",
    "PS",
    "go",
    "hint 3",
    "hint 99999999999999999999",
    "undo",
    "redo",
    "mode 2",
    "mode 3",
    "level 1",
    "set level 2",
    "depth = 2",
    "selectivity 9",
    "move-time 0.01",
    "game-time 1",
    "verbose 3",
    "verbose 0",
    "analyze 2",
    "solve nothing.obf",
    "options",
    "opening",
    "help",
    "version",
    "b randomness 3",
    "stop",
];

const CASSIO: &[&str] = &[
    "ENGINE-PROTOCOL init",
    "ENGINE-PROTOCOL get-version",
    "ENGINE-PROTOCOL new-position",
    "ENGINE-PROTOCOL empty-hash",
    "ENGINE-PROTOCOL get-search-infos",
    "ENGINE-PROTOCOL stop",
    "ENGINE-PROTOCOL feed-hash x",
    "ENGINE-PROTOCOL midgame-search ---------------------------OX------XO---------------------------X -64 64 3 73",
    "ENGINE-PROTOCOL midgame-search ---------------------------OX------XO---------------------------O nan inf -3 1e9",
    "ENGINE-PROTOCOL endgame-search XXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXX-O -1 1 100",
    "",
    "hello",
];

/// A line, without its end, made of bytes that no sane client sends or nearly those of `commands`.
fn line(rng: &mut Rng, commands: &[&str]) -> Vec<u8> {
    let mut line = match rng.below(6) {
        0 => (0..rng.below(80)).map(|_| rng.next() as u8).collect(),
        1 => {
            // Words of several commands in any order.
            let words = (0..1 + rng.below(5)).map(|_| {
                let command = rng.of(commands);
                let words: Vec<&str> = command.split(' ').collect();
                rng.of(&words)
            });
            words.collect::<Vec<_>>().join(" ").into_bytes()
        }
        2 => rng.of(commands).repeat(1 + rng.below(40)).into_bytes(),
        _ => rng.of(commands).as_bytes().to_vec(),
    };
    if rng.below(3) > 0 {
        for _ in 0..rng.below(4) {
            let at = rng.below(line.len() + 1);
            match rng.below(4) {
                0 => line.insert(at, rng.next() as u8),
                1 if at < line.len() => drop(line.remove(at)),
                2 => line.truncate(at),
                _ if at < line.len() => line[at] ^= 1 << rng.below(8),
                _ => {}
            }
        }
    }
    // Within a line no line end, and no quit: the session is to go on.
    line.retain(|&byte| byte != b'\n');
    let lower = line.to_ascii_lowercase();
    let quits = lower.windows(4).any(|window| window == b"quit");
    // At Edax's console words in short and `exit` end it, too.
    let word = lower.trim_ascii();
    let ends = commands == EDAX
        && [&b"q"[..], b"exit", b"eof"]
            .iter()
            .any(|end| word.starts_with(end));
    if quits || ends { vec![] } else { line }
}

/// A session of `lines` random lines, in a few writes, then `questions` with their answers.
fn session(
    seed: u64,
    args: &str,
    commands: &[&str],
    questions: &[(&str, &str)],
) -> Result<(), Failure> {
    let mut rng = Rng(seed);
    let mut session = Session::of(args);
    for _ in 0..20 {
        let mut burst = vec![];
        for _ in 0..rng.below(12) {
            burst.extend(line(&mut rng, commands));
            burst.extend(rng.of(&["\n", "\n", "\r\n"]).bytes());
        }
        session.send(&burst);
    }
    for (question, answer) in questions {
        session.ask(format!("{question}\n"), answer)?;
    }
    session.end(if commands == CASSIO {
        "ENGINE-PROTOCOL quit\n"
    } else {
        "quit\n"
    })?;
    match session.process.errors().join("\n") {
        text if text.is_empty() => Ok(()),
        // There warnings have their place.
        text if commands == EDAX && !text.contains("panicked") => Ok(()),
        text => Err(session.failure(&format!("on stderr: {text}"))),
    }
}

fn sessions(
    seeds: std::ops::Range<u64>,
    args: &str,
    commands: &[&str],
    questions: &[(&str, &str)],
) {
    for seed in seeds {
        if let Err(Failure(failure)) = session(seed, args, commands, questions) {
            panic!("emilia {args}, seed {seed}: {failure}");
        }
    }
}

#[test]
fn nboard_survives_any_input() {
    let board = "---------------------------O*------*O---------------------------";
    let game = format!("set game (;GM[Othello]TY[8]BO[8 {board} *];)\nset depth 1\nping 80000");
    let questions = [
        ("ping 77777", "pong 77777"),
        (game.as_str(), "pong 80000"),
        ("go", "=== {D3|C4|F5|E6}{any}"),
    ];
    sessions(0..25, "nboard --hash 1", NBOARD, &questions);
}

#[test]
fn gtp_survives_any_input() {
    let questions = [
        ("stop\n900001 set_level 1", "=900001{| }"),
        ("900002 clear_board", "=900002{| }"),
        ("900003 time_settings 0 0 0", "=900003{| }"),
        ("900004 genmove b", "=900004 {D3|C4|F5|E6}"),
        ("900005 name", "=900005 Emilia"),
    ];
    sessions(100..125, "gtp --level 2 --hash 1", GTP, &questions);
}

#[test]
fn the_console_of_edax_survives_any_input() {
    let questions = [
        ("stop\nverbose 0\nmode 3\ninit\nlevel 1\nf5", "You play F5"),
        ("go", "Edax plays {D6|F4|F6}"),
    ];
    sessions(200..208, "edax --level 1 --hash 1", EDAX, &questions);
}

#[test]
fn cassio_survives_any_input() {
    let position = "---------------------------OX------XO---------------------------";
    let search =
        format!("ENGINE-PROTOCOL stop\nENGINE-PROTOCOL midgame-search {position}X -64 64 1 100");
    let questions = [(
        search.as_str(),
        "{any}, move {D3|C4|F5|E6}, depth 1, @100%, {any}",
    )];
    sessions(300..308, "cassio --hash 1", CASSIO, &questions);
}

#[test]
fn a_session_is_its_seed() {
    let lines = |seed| {
        let mut rng = Rng(seed);
        (0..100).map(|_| line(&mut rng, GTP)).collect::<Vec<_>>()
    };
    assert_eq!(lines(1), lines(1));
    assert_ne!(lines(1), lines(2));
}
