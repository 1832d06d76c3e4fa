//! The second reader, sections 1 and 2: characters, entries and pastes.

use super::boards::{self, Placed};
use super::lists::{self, List};
use super::{Kind, Outcome, Reading, fields, records};
use crate::board::{Game, Position};

/// What a part of a text gives, or why the page refuses it.
pub type Read<T> = Result<T, &'static str>;

/// The entries of a text up to the first that the page refuses.
pub fn second_reader(text: &str, kind: Kind) -> Reading {
    let text = plain(text);
    let mut entries = Vec::new();
    let mut rest = between(&text);
    while !rest.is_empty() {
        match entry(rest, kind) {
            Ok((games, next)) => {
                entries.extend(games.into_iter().map(Ok));
                rest = between(next);
            }
            Err(reason) => {
                entries.push(Err(reason.to_owned()));
                return entries;
            }
        }
    }
    entries
}

/// Section 1: one sign for each meaning, LF at each end of a line.
pub fn plain(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let one = |c: char| match c {
        '\r' => '\n',
        '\n' | '\t' => c,
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap(),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ if c.is_whitespace() => ' ',
        _ => c,
    };
    let text: String = text.replace("\r\n", "\n").chars().map(one).collect();
    let lines = text.split('\n').map(|line| line.trim_end_matches('\u{1a}'));
    lines.collect::<Vec<_>>().join("\n")
}

/// Adjacent lines of moves in a paste: one game, or a game in each line.
pub fn lines(text: &str, start: Position) -> Read<(Vec<Outcome>, &str)> {
    let mut rest = text;
    let mut lines = Vec::new();
    while !is_between(first_line(rest).0) && class(rest) == Class::Moves {
        lines.push(first_line(rest).0);
        rest = first_line(rest).1;
    }
    let joined = lists::whole(&lines.join("\n"), start);
    let single: Read<Vec<List>> = lines.iter().map(|line| lists::whole(line, start)).collect();
    match (joined, single) {
        (Ok(_), Ok(single)) if single.len() > 1 => Err("one game, or a game in each line"),
        (Ok(game), _) => Ok((vec![game.outcome()], rest)),
        (Err(_), Ok(single)) => Ok((single.into_iter().map(List::outcome).collect(), rest)),
        (Err(reason), Err(_)) => Err(reason),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Json,
    Pgn,
    GgfBoard,
    Tree,
    Fen,
    Diagram,
    Board,
    Bitboards,
    Table,
    Moves,
}

/// The class of the entry at the beginning of `text`, in the order of the page.
pub fn class(text: &str) -> Class {
    let text = text.trim_start();
    let line = first_line(text).0;
    let word = line.split_whitespace().next().unwrap_or("");
    match () {
        _ if fields::begins_json(text) => Class::Json,
        _ if records::begins_pgn(text) => Class::Pgn,
        _ if boards::begins_ggf(line) => Class::GgfBoard,
        _ if records::begins_tree(text) => Class::Tree,
        _ if word.matches('/').count() == 7 => Class::Fen,
        _ if boards::begins_diagram(text) => Class::Diagram,
        _ if boards::begins_board(word) => Class::Board,
        _ if boards::begins_bitboards(line) => Class::Bitboards,
        _ if fields::header(line).is_some() => Class::Table,
        _ => Class::Moves,
    }
}

/// The games of the entry at the beginning of `text`, and the text behind it.
fn entry(text: &str, kind: Kind) -> Read<(Vec<Outcome>, &str)> {
    let line = first_line(text).0;
    let rest = first_line(text).1;
    match class(text) {
        Class::Json => fields::json(text.trim_start()).and_then(alone),
        Class::Tree => records::trees(text.trim_start()).and_then(alone),
        Class::Pgn => records::pgn(text.trim_start()),
        Class::Table => fields::table(text),
        Class::Moves if kind == Kind::Paste => lines(text, Position::START),
        Class::Moves => moves(text),
        Class::Diagram => boards::diagram(text).and_then(|(placed, rest)| position(placed, rest)),
        Class::GgfBoard => position(boards::ggf(line)?.into(), rest),
        Class::Fen => position(boards::fen(line)?, rest),
        Class::Board => position(boards::board(line)?, rest),
        Class::Bitboards => position(boards::bitboards(line)?.into(), rest),
    }
}

/// Behind a closing bracket the line ends, or a bracket opens the next entry.
fn alone(read: (Vec<Outcome>, &str)) -> Read<(Vec<Outcome>, &str)> {
    let next = first_line(read.1).0.trim_start();
    match next.is_empty() || next.starts_with(['{', '[', '(']) {
        true => Ok(read),
        false => Err("text behind the bracket"),
    }
}

/// A position with the line `moves:` below it, if there is one.
fn position<'a>(placed: Placed<'a>, rest: &'a str) -> Read<(Vec<Outcome>, &'a str)> {
    let below = after_moves(first_line(rest).0.trim_start());
    if below.is_some() && placed.behind {
        return Err("`moves:` behind scores, moves or a remark");
    }
    let rest = match below {
        Some(_) => first_line(rest).1,
        None => rest,
    };
    if !is_between(first_line(rest).0) && class(rest) == Class::Moves {
        return Err("moves directly below a position");
    }
    let mut outcome = List::new(placed.position).outcome();
    if let Some(text) = placed.moves.or(below) {
        outcome = lists::whole(text, placed.position)?.outcome();
    }
    outcome.scores.extend(placed.scores);
    Ok((vec![outcome], rest))
}

/// A line of moves and the lines behind it that begin with a move number above 1.
fn moves(text: &str) -> Read<(Vec<Outcome>, &str)> {
    let mut rest = first_line(text).1;
    let goes_on = |rest: &str| {
        let number = lists::leading_number(first_line(rest).0);
        number.is_some_and(|number| number > 1) && class(rest) == Class::Moves
    };
    while goes_on(rest) {
        rest = first_line(rest).1;
    }
    let lines = &text[..text.len() - rest.len()];
    Ok((vec![lists::whole(lines, Position::START)?.outcome()], rest))
}

/// `text` behind the empty lines, comments and separators at its beginning.
pub fn between(mut text: &str) -> &str {
    while !text.is_empty() && is_between(first_line(text).0) {
        text = first_line(text).1;
    }
    text
}

fn is_between(line: &str) -> bool {
    line.trim().is_empty() || is_comment(line) || is_separator(line)
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with(['%', '#'])
}

pub fn is_separator(line: &str) -> bool {
    let line = line.trim();
    let number = line.strip_prefix("Game ").unwrap_or("").trim();
    if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return true;
    }
    let first = line.chars().next().unwrap_or(' ');
    let same = first.is_ascii_punctuation() && line.chars().all(|c| c == first);
    let board = boards::is_sign(first) && [8, 64].contains(&line.len());
    same && !board && line.len() >= 3
}

/// The text behind `moves:`.
pub fn after_moves(text: &str) -> Option<&str> {
    let head = text.get(..6)?;
    head.eq_ignore_ascii_case("moves:").then_some(&text[6..])
}

pub fn first_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

impl List {
    pub fn new(start: Position) -> Self {
        Self {
            game: Game::new(start),
            scores: Vec::new(),
            result: None,
            concluded: false,
        }
    }

    pub fn outcome(self) -> Outcome {
        Outcome::new(&self.game, self.scores, self.result)
    }
}
