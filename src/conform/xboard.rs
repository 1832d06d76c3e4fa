//! Items 95 to 100: XBoard's protocol with the variant reversi.

use std::time::{Duration, Instant};

use super::check::{CheckResult, Miss, Target, ms, skip, when};
use super::item::{Item, program};
use super::probe::{LATER, SOON, game};
use crate::peers::process::Process;

/// The items in order.
pub(super) const ITEMS: &[Item] = &[
    program(95, "protover 2 tells its features", features),
    program(96, "the variant sets up its board", variant),
    program(97, "it answers a move as the second side", plays),
    program(98, "illegal moves are refused", illegal),
    program(99, "passes and results", ends),
    program(100, "`?` moves within 100 ms", move_now),
];

fn awake(target: &Target) -> Result<Process, Miss> {
    let process = target.spawn()?;
    for line in ["xboard", "protover 2", "new", "variant reversi", "easy", "sd 2"] {
        process.send(line);
    }
    Ok(process)
}

/// The first line that begins so, whole.
fn line(process: &mut Process, begin: &str, within: Duration) -> Result<String, Miss> {
    Ok(process.wait_for(Instant::now() + within, |text| text.starts_with(begin).then(|| text.to_owned()))?.0)
}

fn features(target: &Target) -> CheckResult {
    let mut process = awake(target)?;
    let text = line(&mut process, "feature ", SOON)?;
    let has = |word: &str| text.contains(word);
    when(has("setboard=1") && has("variants=") && has("reversi") && has("done=1"), text)
}

fn variant(target: &Target) -> CheckResult {
    let mut process = awake(target)?;
    let text = line(&mut process, "setup ", SOON)?;
    when(text.ends_with(" 8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1"), text)
}

fn plays(target: &Target) -> CheckResult {
    let mut process = awake(target)?;
    process.send("f5");
    let text = line(&mut process, "move ", LATER)?;
    when(["move P@d6", "move P@f4", "move P@f6"].contains(&text.as_str()), text)
}

fn illegal(target: &Target) -> CheckResult {
    let mut process = awake(target)?;
    process.send("force");
    let mut seen = Vec::new();
    for mv in ["P@a1", "@@@@"] {
        process.send(&format!("usermove {mv}"));
        seen.push(line(&mut process, "Illegal move", SOON)?);
    }
    process.send("ping 3");
    let pong = line(&mut process, "pong", SOON)?;
    when(pong == "pong 3" && seen[0].ends_with("P@a1"), seen.join(", "))
}

fn ends(target: &Target) -> CheckResult {
    let mut process = awake(target)?;
    process.send("force");
    for mv in ["f5", "f6", "d3", "g5", "h5", "h4", "f7", "h6", "go"] {
        process.send(mv);
    }
    let pass = line(&mut process, "move ", LATER)?;
    process.send("force");
    process
        .send("setboard pPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPp1 b - - 0 1");
    process.send("go");
    let result = line(&mut process, "1-0", LATER)?;
    when(pass == "move @@@@" && result.contains("55-9"), format!("{pass}; {result}"))
}

/// Moves that no book has.
const ODD_GAME: &str = "e6f6c4d6f5g4d7c5b4d8f7d3c6b6e2a4b3c2a6";

fn move_now(target: &Target) -> CheckResult {
    let mut process = awake(target)?;
    let game = game(ODD_GAME);
    let moves = game.moves().iter().map(|mv| mv.to_string());
    let setup = ["force", "sd 60", "level 0 60 0", "time 360000", "otim 360000"].map(str::to_owned);
    for word in setup.into_iter().chain(moves).chain(["go".to_owned()]) {
        process.send(&word);
    }
    std::thread::sleep(Duration::from_millis(300));
    let asked = Instant::now();
    process.send("?");
    let moved = |text: &str| text.strip_prefix("move P@").map(str::to_owned);
    let (square, at) = process.wait_for(Instant::now() + LATER, moved)?;
    if at < asked {
        return skip("it has moved before it could be hurried");
    }
    let is_legal = square.parse().is_ok_and(|square| game.position().board.play(square).is_some());
    let taken = at - asked;
    when(is_legal && taken < Duration::from_millis(100), format!("{square} after {}", ms(taken)))
}
