//! The second reader, section 6: lists of moves, and results.

use super::boards::holds_board;
use super::reader::Read;
use super::{Stated, records};
use crate::board::{Color, Game, Move, Position};

pub struct List {
    pub game: Game,
    /// Moves of the last position with their scores in discs.
    pub scores: Vec<(Move, i32)>,
    pub result: Option<Stated>,
    /// A result stands at the end, `*` too.
    pub concluded: bool,
}

enum Word<'a> {
    Remark(char, &'a str),
    /// A move number; whether dots say that White moves.
    Number(usize, bool),
    Move(Option<Color>, Move),
    Result(Option<Stated>),
}

/// A text that is a list and nothing else.
pub fn whole(text: &str, start: Position) -> Read<List> {
    let list = read(text, start, false)?.0;
    match list.game.moves().is_empty() {
        true => Err("a list has a move"),
        false => Ok(list),
    }
}

/// The list at the beginning of `text`; a list of PGN ends behind its result and before a tag.
pub fn read(text: &str, start: Position, pgn: bool) -> Read<(List, &str)> {
    let mut list = List::new(start);
    let mut number = None;
    let mut signed = None;
    // The list may count pairs of turns, turns, discs.
    let mut counts = [true; 3];
    let mut numbered = None;
    let mut ended = false;
    let mut begins = true;
    let mut rest = text;
    loop {
        let fresh = match pgn {
            true => rest.trim_start(),
            false => rest.trim_start_matches(is_gap),
        };
        begins |= fresh.len() < rest.len();
        rest = fresh;
        if rest.is_empty() || pgn && (ended || records::begins_pgn(rest)) {
            let before = &text[..text.len() - rest.len()];
            let begins_line =
                before.trim_end_matches([' ', '\t']).ends_with('\n') || before.trim().is_empty();
            if !rest.is_empty() && !ended && !begins_line {
                return Err("a tag begins its line");
            }
            break;
        }
        if pgn && let Some(next) = beside_pgn(rest, begins)? {
            begins = rest.starts_with([';', '(', '{']);
            rest = next;
            continue;
        }
        let (word, next) = word(rest, begins)?;
        begins = matches!(word, Word::Remark(';' | '#' | '%', _));
        let pgn_only = matches!(
            word,
            Word::Move(None, _) | Word::Result(_) | Word::Number(..)
        );
        if pgn && !pgn_only {
            return Err("no word of PGN");
        }
        match word {
            Word::Remark(sign, remark) => ended |= list.remark(sign, remark)?,
            _ if ended => return Err("text behind the end of the list"),
            Word::Number(..) | Word::Result(_) if number.is_some() => {
                return Err("a number without its move");
            }
            Word::Number(count, dots) => number = Some((count, dots)),
            Word::Result(_) if pgn && rest.starts_with(['+', '-', 'B', 'W']) => {
                return Err("no result of PGN");
            }
            Word::Result(Some(_)) if pgn && !rest[..rest.len() - next.len()].contains('-') => {
                return Err("no result of PGN");
            }
            Word::Result(result) => {
                list.result = result;
                list.concluded = true;
                ended = true;
            }
            Word::Move(_, Move::Pass) if pgn && list.game.is_over() && number.is_none() => {}
            Word::Move(color, mv) => {
                list.play(color, mv)?;
                if *signed.get_or_insert(color.is_some()) != color.is_some() {
                    return Err("a sign before each move or before no move");
                }
                let here = number.take();
                if *numbered.get_or_insert(here.is_some()) {
                    list.count(here, mv, &mut counts)?;
                } else if here.is_some() {
                    return Err("a list with numbers begins with number 1");
                }
            }
        }
        rest = next;
    }
    match number {
        None => Ok((list, rest)),
        Some(_) => Err("a number without its move"),
    }
}

/// A remark, variation or mark of PGN: the text behind it; `None` for other text.
fn beside_pgn(text: &str, begins: bool) -> Read<Option<&str>> {
    let first = text.chars().next().unwrap_or(' ');
    let end = match first {
        '{' if text.starts_with("{\"") => return Err("an object of JSON"),
        '{' => text
            .find('}')
            .map(|at| at + 1)
            .ok_or("a remark without its end")?,
        ';' => text.find('\n').unwrap_or(text.len()),
        '(' => {
            let mut depth = 0;
            let mut remark = None;
            let end = text.char_indices().find(|(_, c)| {
                remark = match (remark, c) {
                    (Some(end), c) if end == *c => None,
                    (Some(end), _) => Some(end),
                    (None, '{') => Some('}'),
                    (None, ';') => Some('\n'),
                    (None, _) => {
                        depth += i32::from(*c == '(') - i32::from(*c == ')');
                        None
                    }
                };
                depth == 0
            });
            end.ok_or("a variation without its end")?.0 + 1
        }
        '$' if begins => text
            .find(|c: char| c.is_whitespace() || "{(;".contains(c))
            .unwrap_or(text.len()),
        '!' | '?' => {
            let rest = text.trim_start_matches(['!', '?']);
            if !rest.is_empty()
                && !rest.starts_with(|c: char| c.is_whitespace() || "{(;".contains(c))
            {
                return Err("text glued to a mark");
            }
            text.len() - rest.len()
        }
        _ => return Ok(None),
    };
    match holds_board(&text[..end]) {
        true => Err("a board in a remark"),
        false => Ok(Some(&text[end..])),
    }
}

impl List {
    pub fn play(&mut self, color: Option<Color>, mv: Move) -> Read<()> {
        let played = match mv {
            Move::Place(square) => self.game.play_implying_pass(square),
            Move::Pass => self.game.play(mv),
        };
        played.map_err(|_| "an illegal move")?;
        let mover = self.game.position().side.other();
        match color.is_none_or(|color| color == mover) {
            true => Ok(()),
            false => Err("a move of the other color"),
        }
    }

    /// Strikes each way of counting that the number before the last move does not fit.
    fn count(&self, number: Option<(usize, bool)>, mv: Move, ways: &mut [bool; 3]) -> Read<()> {
        let turns = self.game.moves().len();
        let skipped = usize::from(self.game.start().side == Color::White);
        let white = self.game.position().side == Color::Black;
        let passes = self.game.moves().iter().filter(|&&mv| mv == Move::Pass);
        let placed = turns - passes.count();
        let pair = ((turns + skipped).div_ceil(2), white);
        ways[0] &= number.is_none_or(|number| number == pair);
        ways[1] &= number == Some((turns, false));
        ways[2] &= number == Some((placed, false)) && mv != Move::Pass;
        match ways.contains(&true) {
            true => Ok(()),
            false => Err("a wrong move number"),
        }
    }

    /// Takes a remark in; whether it ends the moves.
    fn remark(&mut self, sign: char, remark: &str) -> Read<bool> {
        if holds_board(remark) {
            return Err("a board in a remark");
        }
        if sign != ';' {
            return Ok(false);
        }
        let mut marks = remark.match_indices(['%', '#']).map(|found| found.0);
        let second = marks.find(|&at| at == 0 || remark[..at].ends_with([' ', '\t', ';']));
        let remark = remark[..second.unwrap_or(remark.len())].trim();
        let mut parts = remark.strip_suffix(';').unwrap_or(remark).split(';');
        if parts.clone().all(|part| score(part).is_some()) {
            if !self.scores.is_empty() {
                return Err("scores twice");
            }
            self.scores = scores(remark, self.game.position())?;
            return Ok(true);
        }
        match parts.any(begins_list) {
            true => Err("a remark that begins with a move"),
            false => Ok(false),
        }
    }
}

fn begins_list(text: &str) -> bool {
    let word = word(text.trim_start_matches(is_gap), true);
    matches!(word, Ok((Word::Move(..) | Word::Number(..), _)))
}

/// Scores of moves, `move:score; …`, each a different legal move of `position`.
pub fn scores(text: &str, position: Position) -> Read<Vec<(Move, i32)>> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let parts = text.strip_suffix(';').unwrap_or(text).split(';');
    let mut found: Vec<(Move, i32)> = Vec::new();
    for part in parts {
        let (mv, points) = score(part).ok_or("a score is move:discs")?;
        let legal = mv == Move::Pass || position.play(mv).is_ok();
        if !legal || found.iter().any(|other| other.0 == mv) {
            return Err("a score of an illegal move, or two of one move");
        }
        found.push((mv, points));
    }
    Ok(found)
}

fn score(part: &str) -> Option<(Move, i32)> {
    let (name, points) = part.trim().split_once(':')?;
    let mv = match name {
        "--" => Move::Pass,
        _ => Move::Place(name.parse().ok()?),
    };
    Some((
        mv,
        whole_number(points).filter(|points| points.abs() <= 127)?,
    ))
}

/// A whole number with or without a sign.
pub fn whole_number(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// Whether all words are those of a list with a square in it, legal or not.
pub fn is_list(text: &str) -> bool {
    let mut squares = 0;
    let mut begins = true;
    let mut rest = text;
    loop {
        let fresh = rest.trim_start_matches(is_gap);
        if fresh.is_empty() {
            return squares > 0;
        }
        begins |= fresh.len() < rest.len();
        let Ok((word, next)) = word(fresh, begins) else {
            return false;
        };
        begins = matches!(word, Word::Remark(';' | '#' | '%', _));
        squares += i32::from(matches!(word, Word::Move(_, Move::Place(_))));
        rest = next;
    }
}

/// A text that is one move.
pub fn one_move(text: &str) -> Option<Move> {
    one(text.trim())
        .filter(|found| found.1.is_empty())
        .map(|found| found.0)
}

/// The move number at the beginning of a line.
pub fn leading_number(line: &str) -> Option<usize> {
    match word(line.trim_start(), true) {
        Ok((Word::Number(number, _), _)) => Some(number),
        _ => None,
    }
}

fn is_gap(c: char) -> bool {
    c.is_whitespace() || c == ','
}

/// The word at the beginning of `text`; numbers and results need a gap before them.
fn word(text: &str, begins: bool) -> Read<(Word<'_>, &str)> {
    let first = text.chars().next().unwrap_or(' ');
    if matches!(first, '#' | '%') && !begins {
        return Err("a blank precedes this remark");
    }
    if text.starts_with("{\"") {
        return Err("an object of JSON");
    }
    if let Some(close) = remark_end(first) {
        let (remark, next) = match (text[1..].split_once(close), close) {
            (Some(parts), _) => parts,
            (None, '\n') => (&text[1..], ""),
            (None, _) => return Err("a remark without its end"),
        };
        return Ok((Word::Remark(first, remark), next));
    }
    if let Some((mv, next)) = one(text) {
        return Ok((Word::Move(None, mv), next));
    }
    let color = match first {
        '+' => Some(Color::Black),
        '-' => Some(Color::White),
        _ => None,
    };
    if color.is_some()
        && !text[1..].starts_with('-')
        && let Some((mv, next)) = one(&text[1..])
    {
        return Ok((Word::Move(color, mv), next));
    }
    if !begins {
        return Err("an unknown word");
    }
    let end = text.find(|c| is_gap(c) || "{(;".contains(c));
    let word = &text[..end.unwrap_or(text.len())];
    if let Some(result) = stated(word) {
        return Ok((Word::Result(result), &text[word.len()..]));
    }
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = text[..text.len() - digits.len()]
        .parse()
        .map_err(|_| "an unknown word")?;
    if let Some(next) = digits.strip_prefix("...") {
        return Ok((Word::Number(number, true), next));
    }
    let next = digits
        .strip_prefix(['.', ')', ':'])
        .filter(|next| !next.starts_with('.'));
    let next = next.ok_or("an unknown word")?;
    Ok((Word::Number(number, false), next))
}

fn remark_end(first: char) -> Option<char> {
    match first {
        '{' => Some('}'),
        '(' => Some(')'),
        ';' | '#' | '%' => Some('\n'),
        _ => None,
    }
}

/// A move at the beginning of `text`, and the text behind it.
fn one(text: &str) -> Option<(Move, &str)> {
    let square = text.strip_prefix("P@").unwrap_or(text);
    if let Some(Ok(place)) = square.get(..2).map(str::parse) {
        return Some((Move::Place(place), &square[2..]));
    }
    for word in ["pass", "pa", "ps", "pp", "--", "@@@@", "パス"] {
        let head = text.get(..word.len()).unwrap_or("");
        if head.eq_ignore_ascii_case(word) {
            return Some((Move::Pass, &text[word.len()..]));
        }
    }
    None
}

/// The result that a word states, `Some(None)` for `*`.
pub fn stated(word: &str) -> Option<Option<Stated>> {
    let margin = |text: &str| {
        let number = whole_number(text).filter(|number| number.abs() <= 64)?;
        Some(Some(Stated::Margin(number)))
    };
    match word {
        "*" => return Some(None),
        "1-0" => return Some(Some(Stated::Won(Color::Black))),
        "0-1" => return Some(Some(Stated::Won(Color::White))),
        "1/2-1/2" => return Some(Some(Stated::Margin(0))),
        _ => {}
    }
    if let Some(discs) = word.strip_prefix("B+") {
        return margin(&format!("+{discs}")).filter(|result| *result != Some(Stated::Margin(0)));
    }
    if let Some(discs) = word.strip_prefix("W+") {
        return margin(&format!("-{discs}")).filter(|result| *result != Some(Stated::Margin(0)));
    }
    if let Some((black, white)) = word.split_once('-').filter(|parts| !parts.0.is_empty()) {
        let count = |text: &str| text.parse::<i32>().ok().filter(|_| !text.starts_with('+'));
        let black = count(black).filter(|discs| *discs >= 0)?;
        let white = count(white).filter(|discs| *discs >= 0)?;
        // Less than the four discs of the start are points.
        return match (black + white, (black - white).signum()) {
            (65.., _) => None,
            (0, _) => Some(None),
            (1..=3, 1) => Some(Some(Stated::Won(Color::Black))),
            (1..=3, -1) => Some(Some(Stated::Won(Color::White))),
            _ => Some(Some(Stated::Margin(black - white))),
        };
    }
    margin(word)
}

/// One result of several statements that agree.
pub fn agreed(results: &[Stated]) -> Read<Option<Stated>> {
    let sign = |result: &Stated| match result {
        Stated::Margin(margin) => margin.signum(),
        Stated::Won(Color::Black) => 1,
        Stated::Won(Color::White) => -1,
    };
    let exact = results
        .iter()
        .find(|result| matches!(result, Stated::Margin(_)));
    let best = exact.or(results.first());
    let fits = |result: &Stated| match result {
        Stated::Margin(_) => Some(result) == best,
        Stated::Won(_) => Some(sign(result)) == best.map(sign),
    };
    match results.iter().all(fits) {
        true => Ok(best.copied()),
        false => Err("two results"),
    }
}
