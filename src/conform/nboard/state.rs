//! What the engine knows: moves, games, settings.

use std::time::Duration;

use crate::board::{Game, Move, Position};
use crate::conform::check::{CheckResult, Target, fail, when};
use crate::conform::probe::{LATER, NBoard, SOON, WIPE_OUT, forced_pass, game, ggf, opening};
use crate::peers::nboard::parse_reply;

pub(super) fn versions(target: &Target) -> CheckResult {
    for hello in ["nboard 2", "nboard 1", "nboard 99"] {
        let mut engine = NBoard::silent(target)?;
        engine.send(hello);
        let lines = engine.sync()?;
        if let Some(line) = lines.iter().find(|line| line.to_lowercase().contains("error")) {
            return fail(format!("`{hello}` was answered `{line}`"));
        }
    }
    Ok("2, 1, 99".to_owned())
}

pub(super) fn without_hello(target: &Target) -> CheckResult {
    let mut engine = NBoard::silent(target)?;
    engine.send("ping 1");
    engine.until(SOON, |text| text == "pong 1").map(|_| "pong 1".to_owned())
}

pub(super) fn ping_echo(mut engine: NBoard) -> CheckResult {
    for number in ["0", "1", "2147483647", "-7"] {
        engine.send(&format!("ping {number}"));
        let pong = format!("pong {number}");
        engine.until(SOON, |text| text == pong)?;
    }
    Ok("0, 1, 2147483647, -7".to_owned())
}

pub(super) fn one_answer(target: &Target) -> CheckResult {
    let mut engine = NBoard::at(target, &opening())?;
    engine.send("set depth 3");
    engine.process.send_bytes(b"ping 4\ngo\nping 5\ngo\n".to_vec());
    let mut lines = engine.listen(Duration::from_millis(1_500))?;
    lines.extend(engine.until(SOON, |_| true).unwrap_or_default());
    engine.sync()?;
    let answers = lines.iter().filter(|line| line.text.starts_with("===")).count();
    when(answers == 2, format!("{answers} answers to 2 go"))
}

pub(super) fn go_plays_nothing(target: &Target) -> CheckResult {
    let mut engine = NBoard::at(target, &opening())?;
    engine.send("set depth 2");
    let first = engine.go_move()?;
    engine.go_move()?;
    engine.expect_position(&opening().position(), "two go")?;
    Ok(format!("{first:#} each time from the same position"))
}

pub(super) fn answer_form(target: &Target) -> CheckResult {
    let mut engine = NBoard::at(target, &opening())?;
    engine.send("set depth 4");
    let (text, _) = engine.go(LATER)?;
    let Some(rest) = text.strip_prefix(' ') else { return fail(format!("`==={text}`")) };
    let fields: Vec<&str> = rest.split('/').collect();
    let decimal = |text: &str| {
        let text = text.strip_prefix('-').unwrap_or(text);
        text.split_once('.').is_some_and(|(whole, part)| {
            [whole, part]
                .iter()
                .all(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
        })
    };
    let moves = fields[0] == "PA"
        || fields[0].parse::<crate::board::Square>().is_ok() && fields[0].to_uppercase() == fields[0];
    let shaped = fields.len() == 1 || fields.len() == 3 && fields[1..].iter().all(|field| decimal(field));
    let legal = parse_reply(rest).is_some_and(|(mv, _)| opening().position().play(mv).is_ok());
    when(moves && shaped && legal, format!("==={text}"))
}

pub(super) fn pass(target: &Target) -> CheckResult {
    let mut engine = NBoard::at(target, &forced_pass())?;
    engine.send("set depth 4");
    let mv = engine.go_move()?;
    if mv != Move::Pass {
        return fail(format!("go answered {mv:#}"));
    }
    engine.expect_position(&forced_pass().position(), "a forced pass")?;
    Ok("=== PA and search PA".to_owned())
}

pub(super) fn over(target: &Target) -> CheckResult {
    let mut engine = NBoard::at(target, &game(WIPE_OUT))?;
    let (text, _) = engine.go(SOON)?;
    engine.send("hint 4");
    let lines = engine.listen(Duration::from_millis(200))?;
    engine.sync()?;
    let hints = lines.iter().filter(|line| line.text.starts_with("search")).count();
    let pass = parse_reply(&text).map(|(mv, _)| mv) == Some(Move::Pass);
    when(pass && hints == 0, format!("==={text}, {hints} hints"))
}

pub(super) fn move_spellings(mut engine: NBoard) -> CheckResult {
    let after = game("f5").position();
    let spellings =
        ["F5", "f5", "F5/1.2", "F5//0.5", "F5/1,23/0.5", "F5/1.0/1.0E-4", "F5/0.50/0.009000000000000001"];
    for spelling in spellings {
        engine.load(&Game::default());
        engine.send(&format!("move {spelling}"));
        engine.expect_position(&after, &format!("`move {spelling}`"))?;
    }
    Ok(format!("{} spellings", spellings.len()))
}

pub(super) fn illegal_moves(mut engine: NBoard) -> CheckResult {
    let pass = forced_pass();
    let mut passed = pass.clone();
    passed.pass_if_forced();
    for spelling in ["PA", "pa", "PASS"] {
        engine.load(&pass);
        engine.send(&format!("move {spelling}"));
        engine.expect_position(&passed.position(), &format!("`move {spelling}`"))?;
    }
    engine.load(&Game::default());
    for line in ["move PA", "move a1", "move d4", "move zz", "move 99", "move", "move ", "move F"] {
        engine.survives(line, &Position::START)?;
    }
    Ok("a legal pass is played, 8 others are not".to_owned())
}

pub(super) fn version_one(target: &Target) -> CheckResult {
    let mut engine = NBoard::at(target, &Game::default())?;
    engine.send("F5");
    engine.expect_position(&game("f5").position(), "`F5`")?;
    engine.send(&format!("game {}", ggf(&opening(), "0", 0.0)));
    engine.send("depth 6");
    engine.expect_position(&opening().position(), "`game ...`")?;
    Ok("taken".to_owned())
}

pub(super) fn odd_depths(target: &Target) -> CheckResult {
    let mut engine = NBoard::at(target, &opening())?;
    for depth in ["0", "-5", "abc", "99999999999", ""] {
        engine.send("set depth 2");
        engine.send(&format!("set depth {depth}"));
        engine.sync()?;
        engine.send("go");
        let lines = engine.listen(Duration::from_millis(100))?;
        let rest = engine.sync()?;
        let answered = lines.iter().map(|line| &line.text).chain(&rest).any(|text| text.starts_with("==="));
        if !answered {
            return fail(format!("no move after `set depth {depth}`"));
        }
    }
    Ok("0, -5, abc, 99999999999, none".to_owned())
}

pub(super) fn contempt(target: &Target) -> CheckResult {
    let mut engine = NBoard::at(target, &opening())?;
    for value in ["100", "-100", "0", "x"] {
        engine.survives(&format!("set contempt {value}"), &opening().position())?;
    }
    Ok("100, -100, 0, x; its effect is not checked".to_owned())
}

pub(super) fn game_forms(target: &Target) -> CheckResult {
    const BOARD: &str = "BO[8 ---------------------------O*------*O--------------------------- *]";
    let mut engine = NBoard::start(target)?;
    let f5 = game("f5").position();
    let white = Position::START.pass();
    let texts: Vec<(String, Position)> = [
        ("(;GM[Othello]PC[NBoard]DT[2026]PB[]PW[]RE[?]TI[5:00]TY[8]@B[F5//3.351];)", f5),
        ("(;@B[f5];)", f5),
        ("(;GM[Othello]TY[8]@B[F5];)", f5),
        ("(;GM[othello]TY[8]XX[what]ZZ[7]@B[f5/0,92/0.066];)", f5),
        ("(; GM[Othello] TY[8] @ B[F5] ;)", f5),
        ("1 (;GM[Othello]TY[8]@B[F5];)", f5),
        ("(;GM[Othello]TB[5:00]TW[3:00/10/2:00]TY[8r20]@B[F5];)", f5),
        ("(;GM[Othello]TI[0:05:30.5//02:00]RE[-12.00:t]TY[s8]@B[F5];)", f5),
        ("(;GM[Othello]TY[8]BO[8 ........ ........ ........ ...ox... ...xo... ........ ........ ........ X]B[F5];)", f5),
        ("(;GM[Othello]TY[8]BO[8 ---------------------------O*------*O--------------------------- O];)", white),
    ]
    .into_iter()
    .map(|(text, position)| (text.replace('@', BOARD), position))
    .collect();
    for (text, position) in &texts {
        engine.send("set game (;GM[Othello]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[d3]W[c3];)");
        engine.send(&format!("set game {text}"));
        engine.expect_position(position, &format!("`set game {text}`"))?;
    }
    // Passes, explicit and left out.
    let mut passed = forced_pass();
    passed.pass_if_forced();
    let next = crate::board::squares(passed.position().board.moves()).next();
    passed.play_square(next.expect("the other side can move")).expect("a legal move");
    let explicit = ggf(&passed, "0", 0.0);
    let implied = explicit.replace("B[PA//0.000]", "").replace("W[PA//0.000]", "");
    for text in [&explicit, &implied] {
        engine.send(&format!("set game {text}"));
        engine.expect_position(&passed.position(), "a game with a pass")?;
    }
    Ok(format!("{} forms", texts.len() + 2))
}

pub(super) fn bad_games(mut engine: NBoard) -> CheckResult {
    let old = opening();
    engine.load(&old);
    let board = "BO[8 ---------------------------O*------*O--------------------------- *]";
    let bad = [
        "rubbish".to_owned(),
        String::new(),
        "(;GM[Othello]TY[8]BO[8 ----".to_owned(),
        format!("(;GM[Othello]TY[8]{board}B[F5"),
        format!("(;GM[Othello]TY[8]{board}B[A1];)"),
        format!("(;GM[Chess]TY[8]{board}B[F5];)"),
        format!("(;GM[Othello]TY[10]BO[10 {} *];)", "-".repeat(100)),
        "(;GM[Othello]TY[8]BO[8 ---O*--- *];)".to_owned(),
    ];
    for text in &bad {
        engine.survives(&format!("set game {text}"), &old.position())?;
    }
    Ok(format!("{} bad games", bad.len()))
}
