//! The second reader, section 9: PGN, GGF and SGF.

use super::boards::{self, holds_board};
use super::lists::{self, List, agreed, stated};
use super::reader::{Class, Read, between, class, first_line, is_separator};
use super::{Outcome, Stated};
use crate::board::{Color, Move, Position};

/// `[Word "`.
pub fn begins_pgn(text: &str) -> bool {
    let inner = text.strip_prefix('[').unwrap_or("");
    let rest = inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    rest.len() < inner.len() && rest.starts_with(' ') && rest.trim_start().starts_with('"')
}

/// The game of PGN at the beginning of `text`, and the text behind it.
pub fn pgn(text: &str) -> Read<(Vec<Outcome>, &str)> {
    let mut rest = text;
    let mut names: Vec<&str> = Vec::new();
    let mut start = Position::START;
    let mut results: Vec<Stated> = Vec::new();
    while begins_pgn(rest) {
        let (name, value) = rest[1..].split_once('"').ok_or("a tag without its value")?;
        let (value, next) = value.split_once('"').ok_or("a tag without its end")?;
        if value.contains('\n') {
            return Err("a tag in one line");
        }
        rest = next
            .trim_start()
            .strip_prefix(']')
            .ok_or("a tag without its end")?
            .trim_start();
        let name = name.trim();
        if names.iter().any(|other| other.eq_ignore_ascii_case(name)) {
            return Err("a tag twice");
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if !name.chars().all(is_word) {
            return Err("a name of a tag is a word");
        }
        names.push(name);
        match name {
            "FEN" => start = boards::bare(value)?,
            "Variant" if value == "Flipello" => return Err("Fairy-Stockfish's mirrored start"),
            // Other words are kept as text.
            "Result" => results.extend(stated(value).flatten()),
            _ if holds_board(value) => return Err("a board in a tag"),
            _ => {}
        }
    }
    let body = before_separator(rest);
    let (list, behind) = lists::read(body, start, true)?;
    let rest = &rest[body.len() - behind.len()..];
    let before = body[..body.len() - behind.len()].trim_end_matches([' ', '\t']);
    if !behind.is_empty() && !behind.starts_with('[') && !before.ends_with('\n') {
        return Err("text behind the result");
    }
    let next = between(rest);
    let parted = rest[..rest.len() - next.len()].lines().any(is_separator);
    if list.game.moves().is_empty() && !list.concluded {
        return Err("moves or a result");
    }
    if !next.is_empty() && !parted && class(next) == Class::Moves {
        return Err("behind the result only another game may follow");
    }
    let mut game = list.outcome();
    results.extend(game.result);
    game.result = agreed(&results)?;
    Ok((vec![game], rest))
}

fn before_separator(text: &str) -> &str {
    let mut rest = text;
    while !rest.is_empty() && !is_separator(first_line(rest).0) {
        rest = first_line(rest).1;
    }
    &text[..text.len() - rest.len()]
}

/// `(;`, or a number before it.
pub fn begins_tree(text: &str) -> bool {
    counted(text).1.starts_with("(;")
}

fn counted(text: &str) -> (Option<usize>, &str) {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(' ') {
        Some(next) => (
            text[..text.len() - rest.len()].parse().ok(),
            next.trim_start(),
        ),
        None => (None, text),
    }
}

/// The games in brackets at the beginning of `text`, and the text behind them.
pub fn trees(text: &str) -> Read<(Vec<Outcome>, &str)> {
    let (count, mut rest) = counted(text);
    if count == Some(0) {
        return Err("no games");
    }
    let mut games = Vec::new();
    for _ in 0..count.unwrap_or(1) {
        let (nodes, next) = tree(rest.trim_start())?;
        let all = &rest[..rest.len() - next.len()];
        let ggf = all.contains("GM[Othello") || all.contains("BO[8");
        let marks = ["FF[", "SZ[", "CA[", "GM[1]", "GM[2]"];
        let later = nodes
            .iter()
            .skip(1)
            .flatten()
            .any(|property| is_move(&property.0));
        let sgf = !ggf && (later || marks.iter().any(|mark| all.contains(mark)));
        if count.is_some() && sgf {
            return Err("only GGF counts its games");
        }
        let one_node = nodes.len() <= 2 && nodes.iter().skip(1).all(Vec::is_empty);
        if !sgf && !one_node {
            return Err("a game of GGF has one node");
        }
        games.push(game(&nodes, sgf)?);
        rest = next;
    }
    Ok((games, rest))
}

type Property = (String, Vec<String>);

fn is_move(name: &str) -> bool {
    name == "B" || name == "W"
}

/// The nodes of a tree without variations, and the text behind it.
fn tree(text: &str) -> Read<(Vec<Vec<Property>>, &str)> {
    let mut rest = text.strip_prefix('(').ok_or("a bracket")?.trim_start();
    let mut nodes: Vec<Vec<Property>> = Vec::new();
    loop {
        if let Some(next) = rest.strip_prefix(')') {
            return Ok((nodes, next));
        } else if let Some(next) = rest.strip_prefix(';') {
            nodes.push(Vec::new());
            rest = next.trim_start();
            continue;
        }
        let next = rest.trim_start_matches(|c: char| c.is_ascii_uppercase());
        let name = &rest[..rest.len() - next.len()];
        let node = nodes
            .last_mut()
            .filter(|_| !name.is_empty())
            .ok_or("a property")?;
        let mut values = Vec::new();
        rest = next.trim_start();
        while let Some(inner) = rest.strip_prefix('[') {
            let (value, next) = inner.split_once(']').ok_or("a property without its end")?;
            if value.contains('\\') {
                return Err("an escape in a value");
            }
            values.push(value.to_owned());
            rest = next.trim_start();
        }
        if values.is_empty() {
            return Err("a property without a value");
        }
        node.push((name.to_owned(), values));
    }
}

fn game(nodes: &[Vec<Property>], sgf: bool) -> Read<Outcome> {
    if nodes.iter().all(Vec::is_empty) {
        return Err("a game without properties");
    }
    if sgf
        && nodes
            .iter()
            .any(|node| node.iter().filter(|property| is_move(&property.0)).count() > 1)
    {
        return Err("two moves in a node");
    }
    let has_move = |node: &Vec<Property>| node.iter().any(|property| is_move(&property.0));
    let begun = nodes.iter().position(has_move).unwrap_or(nodes.len());
    let mut names: Vec<String> = Vec::new();
    let mut start = None;
    let mut setup = [0, 0];
    let mut side = None;
    let mut result = None;
    for (at, (name, values)) in nodes
        .iter()
        .enumerate()
        .flat_map(|(at, node)| node.iter().map(move |p| (at, p)))
    {
        let value = values[0].as_str();
        let stones = sgf && (name == "AB" || name == "AW");
        // The root has each property once; a later node has each once.
        let here = if at == 0 || !sgf {
            name.clone()
        } else {
            format!("{at} {name}")
        };
        if (sgf || !is_move(name)) && names.contains(&here) || values.len() > 1 && !stones {
            return Err("a property twice");
        }
        names.push(here);
        match name.as_str() {
            "B" | "W" => {}
            "BO" if !sgf => start = Some(boards::ggf_of_game(value)?),
            "GM" if !["othello", "1", "2"].contains(&value.to_lowercase().as_str()) => {
                return Err("another game");
            }
            "SZ" if value != "8" => return Err("another size"),
            "TY" if value.trim().is_empty() => {}
            "TY" if !value.trim_start_matches('s').starts_with('8') => return Err("another size"),
            // A later node has marks only.
            "RE" if at > 0 => {}
            // SGF has no bare number but 0.
            "RE" if sgf
                && value != "0"
                && value.starts_with(|c: char| c.is_ascii_digit())
                && lists::whole_number(value).is_some() => {}
            "RE" => result = stated_in_record(value)?,
            "AB" | "AW" | "PL" | "AE" if at > begun => return Err("a board inside the game"),
            "AB" | "AW" => {
                let stones = stones_of(values)?;
                if stones & (setup[0] | setup[1]) != 0 {
                    return Err("a square once");
                }
                setup[usize::from(name == "AW")] |= stones;
            }
            "PL" if value == "B" => side = Some(Color::Black),
            "PL" if value == "W" => side = Some(Color::White),
            "PL" | "AE" | "BO" => return Err("a wrong board"),
            _ if values.iter().any(|value| holds_board(value)) => {
                return Err("a board in a property");
            }
            _ => {}
        }
    }
    let mut moves = nodes
        .iter()
        .flatten()
        .filter(|property| is_move(&property.0));
    let first = moves.next().map(|property| color_of(&property.0));
    let start = match (sgf, setup == [0, 0]) {
        (false, _) => start.unwrap_or(Position::START),
        (true, true) if side.is_none_or(|side| side == Color::Black) => Position::START,
        (true, _) => Position::from_discs(setup[0], setup[1], side.or(first).ok_or("a side")?),
    };
    let mut list = List::new(start);
    for (name, values) in nodes
        .iter()
        .flatten()
        .filter(|property| is_move(&property.0))
    {
        if !sgf && values[0].contains(['[', '\n']) {
            return Err("a bracket in a move");
        }
        let text = values[0]
            .split(if sgf { '\0' } else { '/' })
            .next()
            .unwrap_or("");
        if text.len() < values[0].len() && text.ends_with(' ') {
            return Err("a blank behind a move");
        }
        let mv = lists::one_move(text).ok_or("no move")?;
        play(&mut list, color_of(name), mv)?;
    }
    list.result = result;
    match list.game.moves().is_empty() && sgf && setup == [0, 0] {
        true => Err("a game without moves"),
        false => Ok(list.outcome()),
    }
}

fn color_of(name: &str) -> Color {
    match name {
        "B" => Color::Black,
        _ => Color::White,
    }
}

fn play(list: &mut List, color: Color, mv: Move) -> Read<()> {
    if mv == Move::Pass && list.game.is_over() {
        return Ok(());
    }
    if list.game.position().side != color {
        list.game.pass_if_forced();
    }
    if list.game.position().side != color {
        return Err("a move of the other color");
    }
    list.game.play(mv).map_err(|_| "an illegal move")
}

fn stones_of(values: &[String]) -> Read<u64> {
    let mut bits = 0;
    for value in values {
        match lists::one_move(value) {
            Some(Move::Place(square)) if bits & square.bit() == 0 => bits |= square.bit(),
            _ => return Err("a square once"),
        }
    }
    Ok(bits)
}

/// A result of GGF or SGF: that of a list, discs with a fraction of zero, a reason, or unknown.
fn stated_in_record(text: &str) -> Read<Option<Stated>> {
    let text = text.trim();
    if text == "?" || text == "Void" {
        return Ok(None);
    }
    let (first, _) = text.split_once(':').unwrap_or((text, ""));
    if let Ok(discs) = first.parse::<f64>()
        && discs.fract() != 0.0
        && discs.abs() <= 64.0
    {
        let winner = if discs > 0.0 {
            Color::Black
        } else {
            Color::White
        };
        return Ok(Some(Stated::Won(winner)));
    }
    let discs = first
        .trim_end_matches('0')
        .strip_suffix('.')
        .unwrap_or(first);
    let winner = match text.split_once('+') {
        Some(("B", by)) if win_by(by) => Some(Color::Black),
        Some(("W", by)) if win_by(by) => Some(Color::White),
        _ => None,
    };
    match winner {
        Some(color) => Ok(Some(Stated::Won(color))),
        None if text == "Draw" => Ok(Some(Stated::Margin(0))),
        // Other words are kept as text.
        None => Ok(stated(discs).unwrap_or_default()),
    }
}

/// A win without a number of discs.
fn win_by(by: &str) -> bool {
    ["Resign", "R", "Time", "T"].contains(&by) || by.bytes().all(|byte| byte == b'0')
}
