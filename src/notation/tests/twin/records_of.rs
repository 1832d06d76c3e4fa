//! The generator's tables, JSON and records.

use super::generate::{
    Dice, Entry, Sort, board, fen, game, ggf_rows, list, position, remark, result, result_word,
    signs,
};
use super::{Outcome, Stated};
use crate::board::{Color, Game, Move, Position, Square};

fn start(dice: &mut Dice) -> Position {
    loop {
        let position = position(dice);
        if !position.is_over() {
            return position;
        }
    }
}

fn entry(text: String, games: Vec<Outcome>, sort: Sort) -> Entry {
    Entry {
        text,
        games,
        sort,
        ended: true,
    }
}

pub fn table(dice: &mut Dice) -> Entry {
    let sign = dice.pick(&[",", ";", "\t"]);
    let placed = dice.one_in(2);
    let played = !placed || dice.one_in(2);
    let apart = placed && dice.one_in(2);
    let columns = [
        (placed, dice.pick(&["position", "Board"])),
        (apart, "side"),
        (
            played,
            dice.pick(&["moves", "game_moves", "Transcript", "gamemoves"]),
        ),
        (dice.one_in(3), dice.pick(&["result", "winner"])),
        (dice.one_in(3), "id"),
        (dice.one_in(3), "black player"),
    ];
    let turn = dice.below(6);
    let order: Vec<usize> = (0..6)
        .map(|at| (at + turn) % 6)
        .filter(|&at| columns[at].0)
        .collect();
    let head: Vec<&str> = order.iter().map(|&at| columns[at].1).collect();
    let mut text = head.join(sign);
    let mut games = Vec::new();
    for _ in 0..1 + dice.below(3) {
        let from = if placed { start(dice) } else { Position::START };
        let empty = placed && dice.one_in(4);
        let played_game = if played && !empty {
            game(dice, from)
        } else {
            Game::new(from)
        };
        let stated = if columns[3].0 { result(dice) } else { None };
        let board = if dice.one_in(2) {
            board(dice, from)
        } else {
            fen(dice, from)
        };
        let (words, side) = board.split_once([' ', '\t']).unwrap();
        let moves = list(dice, &played_game, false);
        let cells = [
            if apart {
                words.to_owned()
            } else {
                board.clone()
            },
            side.trim().to_owned(),
            moves,
            result_cell(dice, stated),
            dice.below(99).to_string(),
            remark(dice).to_owned(),
        ];
        let mut cell = |at: &usize| {
            let cell = &cells[*at];
            let quoted = cell.contains([',', ';', '\t']) || cell.starts_with('"') || dice.one_in(5);
            if quoted {
                format!("\"{cell}\"")
            } else {
                cell.clone()
            }
        };
        let row: Vec<String> = order.iter().map(&mut cell).collect();
        text += &format!("\n{}", row.join(sign));
        games.push(Outcome::new(&played_game, Vec::new(), stated));
    }
    entry(text, games, Sort::Table)
}

fn result_cell(dice: &mut Dice, stated: Option<Stated>) -> String {
    match (stated, dice.below(3)) {
        (None, 0) => String::new(),
        (None, 1) => "adjourned".to_owned(),
        (Some(Stated::Won(color)), 0) => color.title().to_owned(),
        (Some(Stated::Margin(0)), 0) => "draw".to_owned(),
        _ => result_word(dice, stated),
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

pub fn json(dice: &mut Dice) -> Entry {
    let (text, games) = match dice.below(10) {
        0 => {
            let (one, mut games) = object(dice);
            let (other, more) = object(dice);
            games.extend(more);
            (format!("[{one}, {other}]"), games)
        }
        1 => {
            let (one, games) = object(dice);
            let form = dice.pick(&[
                "{\"games\":[%]}",
                "{\"data\":{\"games\":[%]}}",
                "{\"data\":[%]}",
                "{\"data\":%}",
            ]);
            (form.replace('%', &one), games)
        }
        2 => {
            let game = game(dice, Position::START);
            (
                squares(dice, &game, 0),
                vec![Outcome::new(&game, Vec::new(), None)],
            )
        }
        3 => quest(dice),
        _ => object(dice),
    };
    entry(text, games, Sort::Brackets)
}

/// A list of squares, or of objects.
fn squares(dice: &mut Dice, game: &Game, form: usize) -> String {
    let pass = dice.pick(&["pass", "--", "pa"]);
    let key = dice.pick(&["move", "m", "square", "coord"]);
    let one = |mv: &Move| {
        let name = quoted(
            &mv.square()
                .map_or(pass.to_owned(), |square| square.to_string()),
        );
        if form == 0 {
            name
        } else {
            format!("{{\"{key}\":{name},\"t\":12}}")
        }
    };
    format!(
        "[{}]",
        game.moves().iter().map(one).collect::<Vec<_>>().join(",")
    )
}

fn quest(dice: &mut Dice) -> (String, Vec<Outcome>) {
    let before = dice.one_in(2);
    let opening = game(dice, Position::START);
    let opening = if before && !opening.is_over() {
        opening
    } else {
        Game::default()
    };
    let played = game(dice, opening.position());
    let name = |mv: &Move| {
        mv.square()
            .map_or("-".to_owned(), |square| square.to_string())
    };
    let text: String = opening
        .moves()
        .iter()
        .filter_map(|mv| mv.square())
        .map(|square| square.to_string())
        .collect();
    let moves: Vec<String> = played
        .moves()
        .iter()
        .map(|mv| format!("{{\"m\":\"{}\",\"t\":512}}", name(mv)))
        .collect();
    let text = format!(
        "{{\"id\":\"x\",\"created\":\"2026-01-02\",\"players\":[{{\"id\":\"ann\",\"oldR\":1500.5}},{{\"id\":\"bob\"}}],\
         \"position\":{{\"startPos\":\"{text}\",\"moves\":[{}]}}}}",
        moves.join(", ")
    );
    (text, vec![Outcome::new(&played, Vec::new(), None)])
}

fn object(dice: &mut Dice) -> (String, Vec<Outcome>) {
    const STARTS: [&str; 10] = [
        "start",
        "initial",
        "initial_board",
        "startPosition",
        "startPos",
        "setup",
        "from",
        "state",
        "BOARD",
        "fen",
    ];
    const MOVES: [&str; 10] = [
        "moves",
        "transcript",
        "kifu",
        "move_list",
        "gameMoves",
        "sequence",
        "history",
        "game",
        "record",
        "line",
    ];
    let placed = dice.one_in(3);
    let from = if placed { start(dice) } else { Position::START };
    let played = if placed && dice.one_in(3) {
        Game::new(from)
    } else {
        game(dice, from)
    };
    let mut pairs = Vec::new();
    if placed {
        let text = if dice.one_in(2) {
            board(dice, from)
        } else {
            fen(dice, from)
        };
        pairs.push(format!("{}: {}", quoted(dice.pick(&STARTS)), quoted(&text)));
    }
    if !played.moves().is_empty() {
        let moves = match dice.below(4) {
            form @ (0 | 1) => squares(dice, &played, form),
            2 if !placed => {
                let body = list(dice, &played, false);
                quoted(&format!("[Black \"ann\"]\n\n{body} *"))
            }
            _ => quoted(&list(dice, &played, false)),
        };
        pairs.push(format!("{}:{moves}", quoted(dice.pick(&MOVES))));
    }
    let stated = result(dice);
    match stated {
        None => {}
        Some(Stated::Won(color)) if dice.one_in(2) => pairs.push(format!("\"winner\":\"{color}\"")),
        Some(Stated::Margin(margin)) if dice.one_in(2) => {
            pairs.push(format!("\"blackScore\":{}", 32 + margin / 2));
            pairs.push(format!("\"white_score\" : {}", 32 - margin / 2));
        }
        _ => pairs.push(format!("\"result\":\"{}\"", result_word(dice, stated))),
    }
    for extra in [
        "\"black_player\":\"ann\"",
        "\"white\":\"bob: 1\"",
        "\"comment\":\"f5 d6\"",
        "\"id\":7",
        "\"level\":[1,2]",
    ] {
        if dice.one_in(4) {
            pairs.insert(dice.below(pairs.len() + 1), extra.to_owned());
        }
    }
    let text = format!("{{{}}}", pairs.join(dice.pick(&[",", ", ", ",\n  "])));
    (text, vec![Outcome::new(&played, Vec::new(), stated)])
}

pub fn pgn(dice: &mut Dice) -> Entry {
    let placed = dice.one_in(4);
    let from = if placed { start(dice) } else { Position::START };
    let played = game(dice, from);
    let mut text = String::new();
    let stated = result(dice);
    let tag = dice.one_in(2);
    for (name, value) in [
        ("Event", "Open, 2020"),
        ("Black", "ann"),
        ("White", "bob (1)"),
        ("Date", "2020.05.01"),
    ] {
        if name == "Black" || dice.one_in(2) {
            text += &format!("[{name} \"{value}\"]\n");
        }
    }
    if tag {
        text += &format!("[Result \"{}\"]\n", result_word(dice, stated));
    }
    if placed {
        text += &format!("[FEN \"{}\"]\n", fen(dice, from));
    }
    text += dice.pick(&["", "\n"]);
    text += &list(dice, &played, true);
    let token = dice.one_in(2);
    if token {
        text += &format!(" {}", result_word(dice, stated));
    }
    let stated = stated.filter(|_| tag || token);
    entry(
        text,
        vec![Outcome::new(&played, Vec::new(), stated)],
        Sort::Pgn,
    )
}

/// The result of a record's `RE` for GGF or SGF.
fn record_result(dice: &mut Dice, stated: Option<Stated>, sgf: bool) -> (String, Option<Stated>) {
    match stated {
        Some(Stated::Margin(0)) if sgf => ("RE[0]".to_owned(), stated),
        Some(Stated::Margin(margin)) if sgf => {
            let winner = if margin > 0 { "B" } else { "W" };
            (format!("RE[{winner}+{}]", margin.abs()), stated)
        }
        Some(Stated::Won(color)) if sgf => (format!("RE[{}+Resign]", &color.title()[..1]), stated),
        Some(Stated::Margin(margin)) => (format!("RE[{margin:+}.000]"), stated),
        _ => (dice.pick(&["", "RE[?]"]).to_owned(), None),
    }
}

fn names(game: &Game) -> Vec<(&'static str, String)> {
    let color = |position: Position| {
        if position.side == Color::Black {
            "B"
        } else {
            "W"
        }
    };
    let name = |mv: Move| {
        mv.square()
            .map_or("pass".to_owned(), |square| square.to_string())
    };
    game.steps()
        .map(|(position, mv)| (color(position), name(mv)))
        .collect()
}

pub fn ggf(dice: &mut Dice) -> Entry {
    let count = dice.pick(&[0, 0, 1, 2]);
    let mut text = if count > 0 {
        format!("{count} ")
    } else {
        String::new()
    };
    let mut games = Vec::new();
    for _ in 0..count.max(1) {
        let from = if dice.one_in(2) {
            Position::START
        } else {
            start(dice)
        };
        let played = game(dice, from);
        let random = result(dice);
        let (record, stated) = record_result(dice, random, false);
        let tail = dice.pick(&["", "//1.50", "/2.00/3.47"]);
        let omit = dice.one_in(2);
        let moves = names(&played)
            .into_iter()
            .filter(|mv| !omit || mv.1 != "pass");
        let moves: String = moves
            .map(|(color, name)| format!("{color}[{name}{tail}]"))
            .collect();
        let rows = ggf_rows(from);
        text += &format!(
            "(;GM[Othello]PC[GGS/os]PB[ann]PW[bob]{record}TI[05:00]TY[8]BO[{rows}]{moves};)"
        );
        games.push(Outcome::new(&played, Vec::new(), stated));
    }
    entry(text, games, Sort::Brackets)
}

pub fn sgf(dice: &mut Dice) -> Entry {
    let placed = dice.one_in(3);
    let from = if placed { start(dice) } else { Position::START };
    let played = game(dice, from);
    let random = result(dice);
    let (record, stated) = record_result(dice, random, true);
    let mut setup = String::new();
    if placed {
        let signs = signs(from, 'B', 'W', '-');
        for (name, sign) in [("AB", 'B'), ("AW", 'W')] {
            let squares = Square::all().filter(|square| signs[square.index()] == sign);
            let values: String = squares.map(|square| format!("[{square}]")).collect();
            setup += &if values.is_empty() {
                values
            } else {
                format!("{name}{values}")
            };
        }
        setup += if from.side == Color::Black {
            "PL[B]"
        } else {
            "PL[W]"
        };
    }
    let omit = dice.one_in(2);
    let comment = dice.one_in(3);
    let moves = names(&played)
        .into_iter()
        .filter(|mv| !omit || mv.1 != "pass");
    let note = |at: usize| if comment && at == 3 { "C[good]" } else { "" };
    let moves: Vec<String> = moves
        .enumerate()
        .map(|(at, mv)| format!(";{}[{}]{}", mv.0, mv.1, note(at)))
        .collect();
    let moves = moves.join(dice.pick(&["", "\n"]));
    let text = format!("(;GM[2]FF[4]SZ[8]PB[ann]PW[bob]{record}{setup}{moves})");
    entry(
        text,
        vec![Outcome::new(&played, Vec::new(), stated)],
        Sort::Brackets,
    )
}
