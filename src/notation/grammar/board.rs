//! Boards: their signs; a board in one line, the side to move, and the text behind it.

use super::list::MoveList;
use super::remarks::{ScoredMove, holds_board, is_scorable, remark, scored};
use super::words::{SCORE_EXPECTED, lex_side};
use crate::board::{Color, Game, Position, Square};
use crate::notation::ParseError;
use crate::notation::error::Code;
use crate::notation::scanner::{Scanner, plain};

/// The expectation in place of the side to move.
pub const SIDE: &str = "the side to move, X or O";
/// More scored moves than a position has.
const MAX_SCORES: usize = 64;

/// A position with the text behind it.
#[derive(Debug, Default)]
pub struct Tail {
    /// The moves that go on from it, with their remark.
    pub list: Option<(Game, MoveList)>,
    /// The scored moves behind `;`, perhaps an empty list.
    pub scores: Option<Vec<ScoredMove>>,
    pub remark: String,
}

/// Reads 64 signs and the side to move.
pub fn squares_and_side(scanner: &mut Scanner) -> Result<Position, ParseError> {
    let (begin, word) = (scanner.at, scanner.take_while(|c| !c.is_whitespace()));
    let place = |index: usize| {
        begin
            + word
                .char_indices()
                .nth(index)
                .map_or(word.len(), |(at, _)| at)
    };
    let signs: Vec<char> = word.chars().take(65).collect();
    let (discs, digits) = board_of(&signs, scanner, place)?;
    let side = side(scanner, digits)?;
    Ok(Position::from_discs(discs[0], discs[1], side))
}

/// Reads a position by `board`, and nothing else.
pub fn whole(
    subject: &'static str,
    text: &str,
    board: fn(&mut Scanner) -> Result<Position, ParseError>,
) -> Result<Position, ParseError> {
    let plain = plain(text);
    let mut scanner = Scanner::new(subject, &plain);
    scanner.skip_blanks();
    let position = board(&mut scanner).map_err(|error| error.quoting(text))?;
    scanner.skip_blanks();
    match scanner.is_at_end() {
        true => Ok(position),
        false => Err(scanner.error("the end").with(Code::BesideBoard)),
    }
}

/// Reads the board of GGF and the side to move: eight rows of eight signs, in a game also 64 signs in a row.
pub fn ggf_board(scanner: &mut Scanner, is_game: bool) -> Result<Position, ParseError> {
    let mut signs = Vec::new();
    let mut places = Vec::new();
    while signs.len() < 64 {
        scanner.skip_blanks();
        let begin = scanner.at;
        let word = scanner.take_while(|c| !c.is_whitespace() && c != ']');
        let length = word.chars().take(66).count();
        let is_whole = is_game && signs.is_empty() && length > 8;
        if length != 8 && !is_whole {
            let end = begin + word.char_indices().nth(8).map_or(word.len(), |(at, _)| at);
            let expected = format!("row {} of 8, eight squares X, O or -", signs.len() / 8 + 1);
            return Err(scanner.error_at(end, expected).with(Code::BoardSquares));
        }
        signs.extend(word.chars().take(66));
        places.extend(word.char_indices().take(66).map(|(at, _)| begin + at));
        if is_whole {
            break;
        }
    }
    let end = scanner.at;
    let place = |index: usize| places.get(index).copied().unwrap_or(end);
    let (discs, digits) = board_of(&signs, scanner, place)?;
    let side = side(scanner, digits)?;
    Ok(Position::from_discs(discs[0], discs[1], side))
}

/// The discs of exactly 64 signs.
fn board_of(
    signs: &[char],
    scanner: &Scanner,
    place: impl Fn(usize) -> usize,
) -> Result<([u64; 2], Digits), ParseError> {
    let error = |index, expected: String| {
        scanner
            .error_at(place(index), expected)
            .with(Code::BoardSquares)
    };
    for (index, square) in Square::all().enumerate() {
        match signs.get(index) {
            Some(sign) if is_sign(*sign) => {}
            Some(_) => return Err(error(index, format!("square {square} of 64 (X, O or -)"))),
            None => return Err(error(index, format!("square {square} of 64"))),
        }
    }
    if signs.len() > 64 {
        return Err(error(
            64,
            "a blank and the side to move behind 64 squares".to_owned(),
        ));
    }
    let signs = signs.first_chunk().expect("there are 64");
    let (black, white, digits) =
        read_signs(signs, Form::Line).map_err(|(index, expected, code)| match code {
            Code::TwoReadings => {
                ParseError::doubtful(scanner.subject, scanner.text, place(0), expected).with(code)
            }
            code => scanner.error_at(place(index), expected).with(code),
        })?;
    Ok(([black, white], digits))
}

/// Reads the side to move, and refuses a second one.
pub fn side(scanner: &mut Scanner, digits: Digits) -> Result<Color, ParseError> {
    scanner.skip_blanks();
    let Some((color, length)) = lex_side(scanner.rest(), digits) else {
        return Err(scanner.error(SIDE).with(Code::NoSide));
    };
    scanner.at += length;
    let behind = scanner.rest().trim_start_matches([' ', '\t']);
    match lex_side(behind, digits) {
        Some(_) => Err(scanner
            .error("nothing behind the side to move: a second side follows")
            .with(Code::TwoSides)),
        None => Ok(color),
    }
}

/// Reads the text behind the side: scores, or `moves:` here or in the next line; and a remark.
pub fn tail(scanner: &mut Scanner, position: Position) -> Result<Tail, ParseError> {
    let mut tail = Tail::default();
    let text = scanner.text;
    let end = text[scanner.at..]
        .find('\n')
        .map_or(text.len(), |at| scanner.at + at);
    skip(scanner, end);
    if scanner.rest().starts_with(';') {
        let scores = scores(scanner, end)?;
        let is_illegal = |scored: &&ScoredMove| !is_scorable(position, scored.mv);
        if let Some(ScoredMove { mv, .. }) = scores.iter().find(is_illegal) {
            let error = scanner.error(format!("scores of legal moves; {mv} is illegal"));
            return Err(error.with(Code::IllegalMove));
        }
        tail.scores = Some(scores);
    } else if begins_with_label(scanner.rest()) && scanner.at < end {
        tail.list = Some(moves(scanner, position, end)?);
    }
    skip(scanner, end);
    if scanner.at < end {
        if !scanner.rest().starts_with(['%', '#']) {
            let expected = "; and scored moves, moves: and moves, or a remark behind #";
            return Err(scanner.error(expected).with(Code::BesideBoard));
        }
        if holds_board(&text[scanner.at..end]) {
            return Err(scanner
                .error("no second board in a remark")
                .with(Code::BesideBoard));
        }
        tail.remark = text[scanner.at + 1..end].trim().to_owned();
        scanner.at = end;
    }
    scanner.skip_blanks();
    if scanner.is_at_end() {
        return Ok(tail);
    }
    let is_bare = tail.list.is_none() && tail.scores.is_none() && tail.remark.is_empty();
    if !is_bare || !begins_with_label(scanner.rest()) {
        return Err(scanner
            .error("the end of the entry")
            .with(Code::BesideBoard));
    }
    tail.list = Some(moves(scanner, position, text.len())?);
    Ok(tail)
}

fn skip(scanner: &mut Scanner, end: usize) {
    while scanner.at < end && scanner.rest().starts_with(char::is_whitespace) {
        scanner.at += scanner.rest().chars().next().map_or(0, char::len_utf8);
    }
}

/// The word before moves that go on from a position.
const LABEL: &str = "moves:";

pub fn begins_with_label(text: &str) -> bool {
    text.get(..LABEL.len())
        .is_some_and(|label| label.eq_ignore_ascii_case(LABEL))
}

/// Reads `moves:` and the list up to byte `end`.
fn moves(
    scanner: &mut Scanner,
    position: Position,
    end: usize,
) -> Result<(Game, MoveList), ParseError> {
    let begin = scanner.at + LABEL.len();
    // Blanks in place of the text before keep lines and columns.
    let before = scanner.text[..begin]
        .chars()
        .map(|c| if c == '\n' { c } else { ' ' });
    let text = before.collect::<String>() + &scanner.text[begin..end];
    scanner.at = end;
    let list = MoveList::read(&text)?;
    Ok((list.play(position, &text)?, list))
}

/// Reads `; move:score; …` up to a remark or byte `end`.
fn scores(scanner: &mut Scanner, end: usize) -> Result<Vec<ScoredMove>, ParseError> {
    let line = &scanner.text[scanner.at..end];
    let fields = &line[..remark(line).unwrap_or(line.len())];
    let mut scores: Vec<ScoredMove> = Vec::new();
    let mut at = scanner.at + 1;
    for field in fields[1..].split(';') {
        let start = at + field.len() - field.trim_start().len();
        let is_last = at + field.len() == scanner.at + fields.len();
        match scored(field) {
            _ if is_last && field.trim().is_empty() => {}
            Some(ScoredMove { mv, .. }) if scores.iter().any(|known| known.mv == mv) => {
                let message = format!("the scored move {mv} is given twice");
                return Err(
                    ParseError::doubtful(scanner.subject, scanner.text, start, message)
                        .with(Code::Twice),
                );
            }
            Some(_) if scores.len() == MAX_SCORES => {
                let message = format!("more than {MAX_SCORES} scored moves");
                return Err(
                    ParseError::doubtful(scanner.subject, scanner.text, start, message)
                        .with(Code::TooLong),
                );
            }
            Some(scored) => scores.push(scored),
            None => {
                return Err(scanner
                    .error_at(start, SCORE_EXPECTED)
                    .with(Code::BesideBoard));
            }
        }
        at += field.len() + 1;
    }
    scanner.at += fields.len();
    Ok(scores)
}

const BLACK: &str = "XxBb*●";
const WHITE: &str = "OoWw○";
const EMPTY: &str = "-.·";

/// Whether `sign` may be a square.
pub fn is_sign(sign: char) -> bool {
    matches!(sign, '0'..='2')
        || [BLACK, WHITE, EMPTY]
            .iter()
            .any(|signs| signs.contains(sign))
}

/// The digits of a board, which decide the meaning of a digit in place of the side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digits {
    No,
    /// `1` Black, `2` White.
    OneTwo,
    /// Egaroucid's: `0` Black, `1` White.
    ZeroOne,
}

impl Digits {
    /// The color of a digit.
    pub fn color(self, digit: char) -> Option<Color> {
        match (self, digit) {
            (Self::OneTwo, '1') | (Self::ZeroOne, '0') => Some(Color::Black),
            (Self::OneTwo, '2') | (Self::ZeroOne, '1') => Some(Color::White),
            _ => None,
        }
    }
}

/// The signs of a board that a rule allows beyond the common ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// In one line: Egaroucid's digits, one empty sign.
    Line,
    /// Drawn: two empty signs.
    Drawn,
    /// othelloAI's file: `0`, `B`, `W`.
    Example,
}

/// Black's discs, White's discs, and the digits of a board.
pub type Discs = (u64, u64, Digits);

/// Why signs are no board: the square, the expectation or the two readings, and the code.
pub type NoBoard = (usize, String, Code);

/// Reads the signs of all squares, a1 to h1 first.
pub fn read_signs(signs: &[char; 64], form: Form) -> Result<Discs, NoBoard> {
    let digits = digits_of(signs, form)?;
    let mut seen = [None, None];
    let mut empties = String::new();
    let mut discs = [0u64; 2];
    for (index, &sign) in signs.iter().enumerate() {
        let color = match digits {
            Digits::No => color_of(sign),
            digits => digits.color(sign),
        };
        let is_new = match color {
            Some(color) => {
                discs[color as usize] |= 1 << index;
                *seen[color as usize].get_or_insert(sign) != sign
            }
            None => {
                let is_new = !empties.contains(sign);
                empties.extend(is_new.then_some(sign));
                is_new && empties.chars().count() > if form == Form::Drawn { 2 } else { 1 }
            }
        };
        if is_new {
            return Err(misfit(index));
        }
    }
    Ok((discs[0], discs[1], digits))
}

fn misfit(index: usize) -> NoBoard {
    let square = Square::all().nth(index).expect("there are 64");
    let expected =
        format!("square {square} of 64 in the signs of the squares before, such as X, O and -");
    (index, expected, Code::BoardSquares)
}

fn color_of(sign: char) -> Option<Color> {
    match sign {
        sign if BLACK.contains(sign) => Some(Color::Black),
        sign if WHITE.contains(sign) => Some(Color::White),
        _ => None,
    }
}

/// The digits that the signs are.
fn digits_of(signs: &[char; 64], form: Form) -> Result<Digits, NoBoard> {
    if form == Form::Example {
        let other = signs.iter().position(|sign| !"0BW".contains(*sign));
        return other.map_or(Ok(Digits::No), |square| Err(misfit(square)));
    }
    if !signs.iter().any(char::is_ascii_digit) {
        return Ok(Digits::No);
    }
    let last = |allowed: &str| signs.iter().position(|sign| !allowed.contains(*sign));
    match (last("012"), last("01.")) {
        (None, None) if form == Form::Line => {
            let message = "the digits 0 and 1 may be empty and Black, or Black and White: draw discs X and O, empty squares -";
            Err((0, message.to_owned(), Code::TwoReadings))
        }
        (None, _) => Ok(Digits::OneTwo),
        (_, None) if form == Form::Line => Ok(Digits::ZeroOne),
        (one, other) => Err(misfit(one.max(other).unwrap_or(0))),
    }
}
