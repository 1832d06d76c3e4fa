//! The generator's tables, JSON and records.

use serde_json::{Value, json};

use super::generate::{
    Dice, Entry, Sort, game, list, pgn_list, position, remark, result, result_word,
};
use super::generate_positions::{board, fen, ggf_rows, signs};
use super::{Outcome, Stated};
use crate::board::{Color, Game, Move, Position, Square};

/// A game from the usual start, or from a position that is not over; a list has a move.
fn placed_game(dice: &mut Dice, placed: bool) -> Game {
    let start = if placed {
        position(dice)
    } else {
        Position::START
    };
    match start.is_over() {
        true => placed_game(dice, placed),
        false => game(dice, start),
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

fn any_board(dice: &mut Dice, position: Position) -> String {
    if dice.one_in(2) {
        board(dice, position)
    } else {
        fen(dice, position)
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
        (dice.one_in(3), dice.pick(&["id", "black player"])),
    ];
    let turn = dice.below(5);
    let order: Vec<usize> = (0..5)
        .map(|at| (at + turn) % 5)
        .filter(|&at| columns[at].0)
        .collect();
    let names: Vec<&str> = order.iter().map(|&at| columns[at].1).collect();
    let mut rows = vec![names.join(sign)];
    let mut games = Vec::new();
    for _ in 0..1 + dice.below(3) {
        let mut game = placed_game(dice, placed);
        if !played || placed && dice.one_in(4) {
            game = Game::new(game.start());
        }
        let stated = result(dice).filter(|_| columns[3].0);
        let board = any_board(dice, game.start());
        let (words, side) = board.split_once([' ', '\t']).unwrap();
        let cells = [
            if apart { words } else { &board }.to_owned(),
            side.trim().to_owned(),
            list(dice, &game, false),
            match (stated, dice.below(3)) {
                (None, 0) => dice.pick(&["", "adjourned"]).to_owned(),
                (Some(Stated::Won(color)), 0) => color.title().to_owned(),
                (Some(Stated::Margin(0)), 0) => "draw".to_owned(),
                (Some(Stated::Won(Color::Black)), _) if columns[3].1 == "winner" => "1".to_owned(),
                (Some(Stated::Won(Color::White)), _) if columns[3].1 == "winner" => "-1".to_owned(),
                (Some(Stated::Margin(-1..=1)), _) if columns[3].1 == "winner" => "0".to_owned(),
                _ => result_word(dice, stated),
            },
            remark(dice).to_owned(),
        ];
        let mut cell = |at: &usize| match cells[*at].contains([',', ';', '\t']) || dice.one_in(5) {
            true => format!("\"{}\"", cells[*at]),
            false => cells[*at].clone(),
        };
        rows.push(order.iter().map(&mut cell).collect::<Vec<_>>().join(sign));
        games.push(Outcome::new(&game, Vec::new(), stated));
    }
    entry(rows.join("\n"), games, Sort::Table)
}

pub fn json(dice: &mut Dice) -> Entry {
    if dice.one_in(10) {
        let game = placed_game(dice, false);
        let names: Value = names(&game).into_iter().map(|name| name.1).collect();
        return entry(
            names.to_string(),
            vec![Outcome::new(&game, Vec::new(), None)],
            Sort::Brackets,
        );
    }
    let (text, game) = object(dice);
    let forms = [
        "%",
        "%",
        "%",
        "[%,\n %]",
        "{\"games\":[%]}",
        "{\"data\":{\"games\":[%, %]}}",
        "{\"data\": % }",
    ];
    let form = dice.pick(&forms);
    let games = vec![game; form.matches('%').count()];
    entry(form.replace('%', &text), games, Sort::Brackets)
}

fn object(dice: &mut Dice) -> (String, Outcome) {
    const STARTS: [&str; 11] = [
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
        "position",
    ];
    const MOVES: [&str; 11] = [
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
        "pgn",
    ];
    let placed = dice.one_in(3);
    let mut game = placed_game(dice, placed);
    let mut pairs: Vec<(&str, Value)> = Vec::new();
    let mut begun: Option<Game> = None;
    if placed {
        let mut text = any_board(dice, game.start());
        let opening = placed_game(dice, false);
        if dice.one_in(3) && !opening.is_over() {
            text = names(&opening).into_iter().map(|name| name.1).collect();
            game = super::generate::game(dice, opening.position());
            begun = Some(opening);
        } else if dice.one_in(3) {
            game = Game::new(game.start());
        }
        pairs.push((dice.pick(&STARTS), text.into()));
    }
    let names = names(&game);
    let key = dice.pick(&["move", "m", "square", "coord"]);
    if !names.is_empty() {
        let moves = match dice.below(5) {
            0 => names.iter().map(|name| name.1.as_str()).collect(),
            1 => names
                .iter()
                .map(|name| json!({key: name.1, "t": 12}))
                .collect(),
            2 if !placed => format!("[Black \"ann\"]\n\n{} *", pgn_list(dice, &game)).into(),
            _ => list(dice, &game, false).into(),
        };
        pairs.push((dice.pick(&MOVES), moves));
        if !placed && dice.one_in(6) {
            let moves: Value = names
                .iter()
                .map(|name| json!({"m": name.1.replace("pass", "-")}))
                .collect();
            pairs = vec![
                ("position", json!({"startPos": "", "moves": moves})),
                ("players", json!([{"oldR": 1.5}])),
            ];
        }
    }
    let stated = result(dice);
    match stated {
        None => {}
        Some(Stated::Won(color)) if dice.one_in(2) => {
            pairs.push(("winner", color.to_string().into()))
        }
        Some(Stated::Margin(margin)) if dice.one_in(2) => {
            pairs.push(("blackScore", (32 + margin / 2).into()));
            pairs.push(("white_score", (32 - margin / 2).into()));
        }
        _ => pairs.push((
            dice.pick(&["result", "Score"]),
            result_word(dice, stated).into(),
        )),
    }
    for extra in [
        ("black_player", "ann"),
        ("white", "b: {[\"1\""),
        ("comment", "f5 d6"),
        ("id", "7"),
        ("level", "x"),
    ] {
        if dice.one_in(4) {
            pairs.insert(dice.below(pairs.len() + 1), (extra.0, extra.1.into()));
        }
    }
    let gap = dice.pick(&[":", " : "]);
    let pairs: Vec<String> = pairs
        .iter()
        .map(|pair| format!("\"{}\"{gap}{}", pair.0, pair.1))
        .collect();
    let text = format!("{{{}}}", pairs.join(dice.pick(&[",", ", ", ",\n  "])));
    // Moves as the first position begin the game.
    let moves = begun
        .iter()
        .flat_map(|begun| begun.moves())
        .chain(game.moves());
    let start = begun.as_ref().map_or(game.start(), Game::start);
    let whole = Game::from_moves(start, moves.copied()).expect("both parts are legal");
    (text, Outcome::new(&whole, Vec::new(), stated))
}

/// A result as PGN writes it.
fn pgn_result(dice: &mut Dice, stated: Option<Stated>) -> String {
    match stated {
        Some(Stated::Margin(0)) => dice.pick(&["1/2-1/2", "32-32"]).to_owned(),
        Some(Stated::Margin(margin)) => format!("{}-{}", 32 + margin / 2, 32 - margin / 2),
        stated => result_word(dice, stated),
    }
}

pub fn pgn(dice: &mut Dice) -> Entry {
    let placed = dice.one_in(4);
    let mut game = placed_game(dice, placed);
    let tag = dice.one_in(2);
    let token = dice.one_in(2);
    let stated = result(dice).filter(|_| tag || token);
    let tags = [
        (dice.one_in(2), "Event", "Open, 2020".to_owned()),
        (true, "Black", "ann".to_owned()),
        (dice.one_in(2), "White", "bob (1)".to_owned()),
        (tag, "Result", pgn_result(dice, stated)),
        (placed, "FEN", fen(dice, game.start())),
    ];
    let tags: String = tags
        .iter()
        .filter(|tag| tag.0)
        .map(|tag| format!("[{} \"{}\"]\n", tag.1, tag.2))
        .collect();
    let mut moves = pgn_list(dice, &game);
    if !placed && token && matches!(stated, None | Some(Stated::Won(_))) && dice.one_in(4) {
        moves.clear();
        game = Game::default();
    }
    let end = if token {
        format!(" {}", pgn_result(dice, stated))
    } else {
        String::new()
    };
    let text = tags + dice.pick(&["", "\n"]) + &moves + &end;
    entry(
        text,
        vec![Outcome::new(&game, Vec::new(), stated)],
        Sort::Pgn,
    )
}

/// The property `RE` of GGF or SGF.
fn record_result(dice: &mut Dice, stated: Option<Stated>, sgf: bool) -> String {
    match stated {
        Some(Stated::Margin(0)) if sgf => "RE[0]".to_owned(),
        Some(Stated::Margin(margin)) if sgf => {
            format!(
                "RE[{}+{}]",
                if margin > 0 { "B" } else { "W" },
                margin.abs()
            )
        }
        Some(Stated::Margin(margin)) => format!("RE[{margin:+}.000]"),
        Some(Stated::Won(color)) => format!("RE[{}+Resign]", &color.title()[..1]),
        None => dice.pick(&["", "RE[?]"]).to_owned(),
    }
}

/// The color and the name of each move.
fn names(game: &Game) -> Vec<(&'static str, String)> {
    let one = |(position, mv): (Position, Move)| {
        let color = if position.side == Color::Black {
            "B"
        } else {
            "W"
        };
        (color, mv.in_words())
    };
    game.steps().map(one).collect()
}

/// The moves of a record, forced passes omitted or not.
fn properties(dice: &mut Dice, game: &Game, form: &str) -> String {
    let omit = dice.one_in(2);
    let kept = names(game)
        .into_iter()
        .filter(|name| !omit || name.1 != "pass");
    kept.map(|name| form.replace('C', name.0).replace('%', &name.1))
        .collect()
}

pub fn ggf(dice: &mut Dice) -> Entry {
    let count = dice.pick(&["", "", "1 ", "2 "]);
    let mut text = count.to_owned();
    let mut games = Vec::new();
    for _ in 0..if count == "2 " { 2 } else { 1 } {
        let placed = dice.one_in(2);
        let game = placed_game(dice, placed);
        let stated = result(dice).filter(|stated| matches!(stated, Stated::Margin(_)));
        let record = record_result(dice, stated, false);
        let form = dice.pick(&["C[%]", "C[%//1.50]", "C[%/2.00/3.47]"]);
        let moves = properties(dice, &game, form);
        let rows = ggf_rows(game.start());
        text += &format!(
            "(;GM[Othello]PC[GGS/os]PB[ann]PW[bob]{record}TI[05:00]TY[8]BO[{rows}]{moves};)"
        );
        games.push(Outcome::new(&game, Vec::new(), stated));
    }
    entry(text, games, Sort::Brackets)
}

pub fn sgf(dice: &mut Dice) -> Entry {
    let placed = dice.one_in(3);
    let game = placed_game(dice, placed);
    let stated = result(dice);
    let record = record_result(dice, stated, true);
    let signs = signs(game.start(), ['B', 'W', '-']);
    let mut setup = String::new();
    for sign in ['B', 'W'] {
        let squares = Square::all().filter(|square| placed && signs[square.index()] == sign);
        let values: String = squares.map(|square| format!("[{square}]")).collect();
        setup += &if values.is_empty() {
            values
        } else {
            format!("A{sign}{values}")
        };
    }
    if placed && (game.moves()[0] == Move::Pass || dice.one_in(2)) {
        setup += &format!("PL[{}]", &game.start().side.title()[..1]);
    }
    let form = dice.pick(&[";C[%]", "\n;C[%]"]);
    let moves = properties(dice, &game, form);
    let comment = dice.pick(&["", "C[good]"]);
    let text = format!("(;GM[2]FF[4]SZ[8]PB[ann]PW[bob]{record}{setup}{moves}{comment})");
    entry(
        text,
        vec![Outcome::new(&game, Vec::new(), stated)],
        Sort::Brackets,
    )
}
