//! Items 45 to 72: GTP.

use std::time::{Duration, Instant};

use super::check::{CheckResult, Target, fail, ms, skip, when};
use super::item::{Item, gtp, program};
use super::probe::{Gtp, LATER, SOON, WIPE_OUT, forced_pass, game, opening};
use crate::board::{Color, Game, Move, Square, squares};

/// The items in order.
pub(super) const ITEMS: &[Item] = &[
    program(45, "one well-formed answer per command", framing),
    gtp(46, "ids are echoed and forgotten", ids),
    gtp(47, "blank lines, comments, tabs, CR", preprocessing),
    gtp(48, "protocol_version, name, version", identity),
    gtp(49, "list_commands and known_command agree", known_commands),
    gtp(50, "unknown commands are refused", unknown),
    gtp(51, "only boardsize 8", boardsize),
    gtp(52, "clear_board resets everything", clear_board),
    gtp(53, "komi is taken and without effect", komi),
    gtp(54, "colours in every spelling", colours),
    gtp(55, "vertices; refusals change nothing", vertices),
    program(56, "genmove answers a move and plays it", genmove),
    gtp(57, "genmove passes when it must, and at the end", genmove_pass),
    gtp(58, "play pass", play_pass),
    program(59, "implied passes", implied_pass),
    gtp(60, "the wrong colour is refused", wrong_colour),
    program(61, "undo", undo),
    program(62, "reg_genmove plays nothing", reg_genmove),
    gtp(63, "time_settings and time_left", time),
    gtp(64, "final_score", final_score),
    gtp(65, "gogui-rules", gogui_rules),
    program(66, "interrupts", interrupts),
    gtp(67, "set_game, list_games", set_game),
    program(68, "scripts are answered to the end", scripts),
    gtp(69, "500 commands, a megabyte, odd bytes", odd_input),
    program(70, "gogui-twogtp against GRhino", |_| skip("needs gogui-twogtp")),
    program(71, "match-runner against Edax", |_| skip("needs match-runner and Edax")),
    program(72, "Quarry and GoGui play a game", |_| skip("needs their windows")),
];

fn framing(target: &Target) -> CheckResult {
    let mut engine = Gtp::quick(target)?;
    engine.must("clear_board")?;
    for color in ["black", "white", "black", "white"] {
        engine.must(&format!("genmove {color}"))?;
    }
    engine.quiet()?;
    Ok("nothing between the answers, also after searches".to_owned())
}

fn ids(mut engine: Gtp) -> CheckResult {
    let with = engine.ask_id("42", "name", SOON)?;
    let without = engine.ask("name")?;
    when(with.is_ok() && with == without, format!("=42, then ={}", without.unwrap_or_default()))
}

fn preprocessing(mut engine: Gtp) -> CheckResult {
    let name = engine.must("name")?;
    for text in
        ["\n\n# a comment\nname\n", "name # trailing\n", "\tname\t\n", "name\r\n", "na\x01me\n", "  name  \n"]
    {
        engine.process.send_bytes(text.as_bytes().to_vec());
        if engine.answer("", text, SOON)? != Ok(name.clone()) {
            return fail(format!("`{}`", text.escape_debug()));
        }
    }
    engine.quiet()?;
    Ok("6 forms".to_owned())
}

fn identity(mut engine: Gtp) -> CheckResult {
    let [protocol, name, version] =
        [engine.must("protocol_version")?, engine.must("name")?, engine.must("version")?];
    let short = !name.is_empty() && !version.is_empty() && !(name + &version).contains('\n');
    when(protocol == "2" && short, format!("protocol {protocol}, version {version}"))
}

fn known_commands(mut engine: Gtp) -> CheckResult {
    let list = engine.must("list_commands")?;
    let commands: Vec<&str> = list.split_whitespace().collect();
    for needed in "protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove".split(' ') {
        if !commands.contains(&needed) {
            return fail(format!("{needed} is not listed"));
        }
    }
    for command in &commands {
        if engine.must(&format!("known_command {command}"))? != "true" {
            return fail(format!("{command} is listed but not known"));
        }
    }
    let unknown = engine.must("known_command xyzzy")?;
    when(unknown == "false", format!("{} commands", commands.len()))
}

fn unknown(mut engine: Gtp) -> CheckResult {
    let text = engine.refused("xyzzy")?;
    let with_id = engine.ask_id("7", "xyzzy", SOON)?;
    when(text == "unknown command" && with_id.is_err(), format!("? {text}"))
}

fn boardsize(mut engine: Gtp) -> CheckResult {
    engine.must("boardsize 8")?;
    let text = engine.refused("boardsize 10")?;
    engine.refused("boardsize x")?;
    engine.refused("boardsize")?;
    when(text == "unacceptable size", format!("? {text}"))
}

fn clear_board(mut engine: Gtp) -> CheckResult {
    engine.must("clear_board")?;
    let start = engine.board()?;
    engine.set_up(&opening())?;
    engine.must("clear_board")?;
    engine.must("clear_board")?;
    let undone = engine.refused("undo")?;
    when(engine.board()? == start, format!("undo after it: ? {undone}"))
}

fn komi(mut engine: Gtp) -> CheckResult {
    for value in ["6.5", "0", "-3"] {
        engine.must(&format!("komi {value}"))?;
        engine.set_up(&game(WIPE_OUT))?;
        let score = engine.must("final_score")?;
        if score != "B+64" {
            return fail(format!("komi {value}: {score}"));
        }
    }
    Ok("6.5, 0, -3".to_owned())
}

fn colours(mut engine: Gtp) -> CheckResult {
    for (black, white) in [("b", "w"), ("B", "W"), ("black", "white"), ("Black", "WHITE")] {
        engine.must("clear_board")?;
        engine.must(&format!("play {black} f5"))?;
        engine.must(&format!("play {white} d6"))?;
    }
    let text = engine.refused("play green c3")?;
    when(text.contains("syntax error"), format!("? {text}"))
}

fn vertices(mut engine: Gtp) -> CheckResult {
    engine.must("clear_board")?;
    engine.must("play black F5")?;
    engine.must("play white d6")?;
    let before = engine.board()?;
    let mut seen = Vec::new();
    for vertex in ["i1", "a9", "5f", "", "d6", "a1", "zz9"] {
        seen.push(engine.refused(&format!("play black {vertex}"))?);
        if engine.board()? != before {
            return fail(format!("`play black {vertex}` changed the board"));
        }
    }
    let illegal = seen[4] == "illegal move" && seen[5] == "illegal move";
    when(illegal, format!("occupied: ? {}, turning nothing: ? {}", seen[4], seen[5]))
}

/// A square of a genmove answer.
fn square(text: &str) -> Option<Square> {
    text.parse().ok()
}

fn genmove(target: &Target) -> CheckResult {
    let mut engine = Gtp::quick(target)?;
    let mut played = opening();
    engine.set_up(&played)?;
    let side = played.position().side;
    let text = engine.must(&format!("genmove {side}"))?;
    let legal = square(&text).is_some_and(|square| played.play_square(square).is_ok());
    if !legal {
        return fail(format!("= {text}"));
    }
    engine.refused(&format!("play {} {text}", side.other()))?;
    let mut copy = Gtp::start(target)?;
    copy.set_up(&played)?;
    when(engine.board()? == copy.board()?, format!("= {text}"))
}

fn genmove_pass(mut engine: Gtp) -> CheckResult {
    let pass = forced_pass();
    engine.set_up(&pass)?;
    let forced = engine.must(&format!("genmove {}", pass.position().side))?;
    engine.set_up(&game(WIPE_OUT))?;
    let ends = [engine.must("genmove white")?, engine.must("genmove black")?];
    let all = [&forced, &ends[0], &ends[1]].iter().all(|text| text.eq_ignore_ascii_case("pass"));
    when(all, format!("{forced}, at the end {} and {}", ends[0], ends[1]))
}

fn play_pass(mut engine: Gtp) -> CheckResult {
    let pass = forced_pass();
    for word in ["pass", "PASS", "Pass"] {
        engine.set_up(&pass)?;
        engine.must(&format!("play {} {word}", pass.position().side))?;
    }
    engine.set_up(&game(WIPE_OUT))?;
    engine.must("play white pass")?;
    engine.must("play black pass")?;
    engine.must("clear_board")?;
    let text = engine.refused("play black pass")?;
    when(text == "illegal move", format!("? {text} when moves exist"))
}

fn implied_pass(target: &Target) -> CheckResult {
    let mut engine = Gtp::quick(target)?;
    let pass = forced_pass();
    let (passer, mover) = (pass.position().side, pass.position().side.other());
    let square = squares(pass.position().board.opponent_moves())
        .next()
        .map_or_else(String::new, |square| square.to_string());
    engine.set_up(&pass)?;
    engine.must(&format!("play {mover} {square}"))?;
    engine.set_up(&pass)?;
    engine.must(&format!("genmove {mover}"))?;
    // A pass that has been made already is said again.
    engine.set_up(&pass)?;
    engine.must(&format!("play {passer} pass"))?;
    engine.must(&format!("play {passer} pass"))?;
    engine.must(&format!("play {mover} {square}"))?;
    Ok("in play, in genmove, and repeated".to_owned())
}

fn wrong_colour(mut engine: Gtp) -> CheckResult {
    engine.must("clear_board")?;
    let before = engine.board()?;
    let text = engine.refused("play white f4")?;
    when(text == "illegal move" && engine.board()? == before, format!("? {text}"))
}

fn undo(target: &Target) -> CheckResult {
    let mut engine = Gtp::quick(target)?;
    engine.must("clear_board")?;
    let start = engine.board()?;
    let mut played = forced_pass();
    played.pass_if_forced();
    engine.set_up(&played)?;
    engine.must(&format!("genmove {}", played.position().side))?;
    for _ in 0..=played.moves().len() {
        engine.must("undo")?;
    }
    let text = engine.refused("undo")?;
    when(
        text == "cannot undo" && engine.board()? == start,
        format!("{} plies, then ? {text}", played.moves().len() + 1),
    )
}

fn reg_genmove(target: &Target) -> CheckResult {
    let mut engine = Gtp::quick(target)?;
    engine.set_up(&opening())?;
    let before = engine.board()?;
    let side = opening().position().side;
    let mv = engine.must(&format!("reg_genmove {side}"))?;
    let legal = square(&mv).is_some_and(|square| opening().play_square(square).is_ok());
    when(legal && engine.board()? == before, format!("= {mv}"))
}

fn time(mut engine: Gtp) -> CheckResult {
    for settings in ["600 0 0", "0 10 0", "60 1 0", "60 5 1", "0 0 0", "8 0 0"] {
        engine.must(&format!("time_settings {settings}"))?;
    }
    engine.must("clear_board")?;
    let mut game = Game::default();
    let mut left = [8.0f64; 2];
    while !game.is_over() {
        if game.pass_if_forced() {
            let passer = game.position().side.other();
            engine.must(&format!("play {passer} pass"))?;
            continue;
        }
        let side = game.position().side;
        let clock = &mut left[side as usize];
        engine.must(&format!("time_left {side} {} 0", clock.max(0.0) as u64))?;
        let start = Instant::now();
        let text = engine.must(&format!("genmove {side}"))?;
        *clock -= start.elapsed().as_secs_f64();
        if square(&text).is_none_or(|square| game.play_square(square).is_err()) {
            return fail(format!("genmove {side}: {text}"));
        }
        if left[side as usize] < 0.0 {
            return fail(format!("flag fell after {} moves", game.moves().len()));
        }
    }
    engine.set_up(&opening())?;
    let side = opening().position().side;
    engine.must(&format!("time_left {side} 0 0"))?;
    let start = Instant::now();
    engine.must(&format!("genmove {side}"))?;
    let empty = start.elapsed();
    let seen = format!("{:.1} and {:.1} of 8 s left; {} with none left", left[0], left[1], ms(empty));
    when(empty <= Duration::from_millis(200), seen)
}

fn final_score(mut engine: Gtp) -> CheckResult {
    engine.set_up(&game(WIPE_OUT))?;
    let score = engine.must("final_score")?;
    // A whole game of the engine against itself, scored by our rules.
    engine.must("clear_board")?;
    let mut played = Game::default();
    while !played.is_over() {
        let side = played.position().side;
        let moves = played.position().board.moves();
        let mv = squares(moves).next().map_or(Move::Pass, Move::Place);
        engine.must(&format!("play {side} {}", mv.in_words()))?;
        played.play(mv).map_err(|error| super::check::Miss::Fail(error.to_string()))?;
    }
    let discs = played.final_score(Color::Black).unwrap_or_default();
    let wanted = match discs {
        0 => "0".to_owned(),
        n if n > 0 => format!("B+{n}"),
        n => format!("W+{}", -n),
    };
    let second = engine.must("final_score")?;
    when(score == "B+64" && second == wanted, format!("{score} and {second}"))
}

fn gogui_rules(mut engine: Gtp) -> CheckResult {
    engine.must("clear_board")?;
    let answers = [
        ("gogui-rules_game_id", "Othello"),
        ("gogui-rules_board_size", "8"),
        ("gogui-rules_side_to_move", "black"),
    ];
    for (command, wanted) in answers {
        let text = engine.must(command)?;
        if text != wanted {
            return fail(format!("{command}: {text}"));
        }
    }
    let mut moves: Vec<String> =
        engine.must("gogui-rules_legal_moves")?.split_whitespace().map(str::to_owned).collect();
    moves.sort();
    engine.must("play black F5")?;
    let board = engine.must("gogui-rules_board")?;
    let fifth: String = board
        .lines()
        .filter(|line| line.contains('.'))
        .nth(3)
        .unwrap_or_default()
        .chars()
        .filter(|c| "XO.".contains(*c))
        .collect();
    engine.set_up(&game(WIPE_OUT))?;
    let over = engine.must("gogui-rules_legal_moves")?;
    let result = engine.must("gogui-rules_final_result")?;
    let right = moves == ["C4", "D3", "E6", "F5"] && over.is_empty() && fifth == "...XXX..";
    when(right, format!("{}; row 5 is {fifth}; {result}", moves.join(" ")))
}

fn interrupts(target: &Target) -> CheckResult {
    let mut seen = Vec::new();
    for interrupt in ["# interrupt", "stop"] {
        let mut engine = Gtp::start(target)?;
        engine.must("gogui-interrupt")?;
        engine.process.send(interrupt);
        engine.quiet()?;
        engine.set_up(&opening())?;
        engine.must("time_settings 3600 0 0")?;
        engine.process.send(&format!("genmove {}", opening().position().side));
        std::thread::sleep(Duration::from_millis(200));
        let start = Instant::now();
        engine.process.send(interrupt);
        let reply = engine.answer("", "genmove", LATER)?;
        let taken = start.elapsed();
        engine.quiet()?;
        if reply.is_err() || taken > Duration::from_millis(100) {
            return fail(format!("`{interrupt}`: answer after {}", ms(taken)));
        }
        seen.push(format!("`{interrupt}` {}", ms(taken)));
    }
    Ok(seen.join(", "))
}

fn set_game(mut engine: Gtp) -> CheckResult {
    engine.must("set_game Othello")?;
    let games = engine.must("list_games")?;
    engine.refused("set_game Go")?;
    when(games.contains("Othello"), games.replace('\n', ", "))
}

fn scripts(target: &Target) -> CheckResult {
    for end in ["quit\n", ""] {
        let mut engine = Gtp::start(target)?;
        engine
            .process
            .send_bytes(format!("clear_board\ngenmove black\ngenmove white\nname\n{end}").into_bytes());
        engine.process.close_input();
        let answers = if end.is_empty() { 4 } else { 5 };
        for i in 0..answers {
            if let Err(text) = engine.answer("", &format!("command {}", i + 1), LATER)? {
                return fail(format!("command {} of a script: ? {text}", i + 1));
            }
        }
        match engine.process.exit_within(SOON) {
            Some(status) if status.success() => {}
            other => return fail(format!("after the script: {other:?}")),
        }
    }
    Ok("with and without quit".to_owned())
}

fn odd_input(mut engine: Gtp) -> CheckResult {
    let text: String = (0..500).map(|i| format!("{i} name\n")).collect();
    engine.process.send_bytes(text.into_bytes());
    for i in 0..500 {
        if let Err(text) = engine.answer(&i.to_string(), "name", SOON)? {
            return fail(format!("command {i}: ? {text}"));
        }
    }
    for bytes in [[vec![b'x'; 1 << 20], vec![b'\n']].concat(), "\u{65e5}\u{672c}\n".as_bytes().to_vec()] {
        engine.process.send_bytes(bytes);
        if engine.answer("", "odd bytes", SOON)?.is_ok() {
            return fail("odd bytes were accepted");
        }
    }
    engine.process.send_bytes(b"na\0me\n".to_vec());
    let nul = engine.answer("", "na\\0me", SOON)?;
    engine.quiet()?;
    when(nul.is_ok(), "500 in order, one ? each, NUL dropped")
}
