//! The second reader, sections 3 to 5: boards in a line, drawn boards.

use super::lists;
use super::reader::{Read, after_moves, first_line};
use crate::board::{Color, Move, Position};

const BLACK: &str = "Xx*Bb●";
const WHITE: &str = "OoWw○";
const EMPTY: &str = "-.·";

/// A position with the parts behind its side.
pub struct Placed<'a> {
    pub position: Position,
    pub scores: Vec<(Move, i32)>,
    /// The text behind `moves:` in the same line.
    pub moves: Option<&'a str>,
    /// Scores, moves or a remark stand behind the side.
    pub behind: bool,
}

impl From<Position> for Placed<'_> {
    fn from(position: Position) -> Self {
        Self { position, scores: Vec::new(), moves: None, behind: false }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Signs,
    Digits,
    Egaroucid,
}

/// The discs of Black and White.
type Discs = (u64, u64);

pub fn is_sign(c: char) -> bool {
    [BLACK, WHITE, EMPTY, "012"].iter().any(|signs| signs.contains(c))
}

/// Section 4: whether a text holds a board.
pub fn holds_board(text: &str) -> bool {
    let mut run = Vec::new();
    for c in text.chars().filter(|c| !" \t\n,|/'\"".contains(*c)) {
        if is_sign(c) {
            run.push(c);
        } else {
            run.clear();
        }
        if run.len() >= 60 && run.iter().any(|c| *c != run[0]) {
            return true;
        }
    }
    text.split_whitespace().any(|word| word.matches('/').count() >= 7)
}

/// The discs of 64 signs; a drawn board may have two signs of empty squares.
fn discs(signs: &[char], drawn: bool) -> Read<(Discs, Form)> {
    if signs.len() != 64 {
        return Err("a board has 64 squares");
    }
    let within = |set: &str| signs.iter().all(|&c| set.contains(c));
    let used = |set: &str| set.chars().filter(|c| signs.contains(c)).count();
    let digits = within("012");
    let egaroucid = !drawn && within("01.") && !within(".");
    let sides = match (digits, egaroucid) {
        (true, true) => return Err("digits of two forms"),
        (true, false) => ("1", "2", Form::Digits),
        (false, true) => ("0", "1", Form::Egaroucid),
        (false, false) => (BLACK, WHITE, Form::Signs),
    };
    if sides.2 == Form::Signs {
        let all = within(&[BLACK, WHITE, EMPTY].concat());
        let one = used(BLACK) <= 1 && used(WHITE) <= 1;
        if !all || !one || used(EMPTY) > 1 + usize::from(drawn) {
            return Err("a wrong sign, or two signs for one meaning");
        }
    }
    Ok(((bits(signs, sides.0), bits(signs, sides.1)), sides.2))
}

fn bits(signs: &[char], set: &str) -> u64 {
    let squares = signs.iter().enumerate().filter(|square| set.contains(*square.1));
    squares.map(|square| 1 << square.0).sum()
}

/// The side that a text names, in a board of this form.
fn side(text: &str, form: Form) -> Read<Color> {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let name = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [name] | [name, "to", "move"] => name,
        _ => return Err("a board has one side behind it"),
    };
    match (name, form) {
        ("x" | "*" | "b" | "●" | "black" | "黒" | "noir", _) => Ok(Color::Black),
        ("o" | "w" | "○" | "white" | "白" | "blanc", _) => Ok(Color::White),
        ("0", Form::Egaroucid) | ("1", Form::Digits) => Ok(Color::Black),
        ("1", Form::Egaroucid) | ("2", Form::Digits) => Ok(Color::White),
        _ => Err("no side"),
    }
}

pub fn begins_board(word: &str) -> bool {
    word.chars().count() >= 20 && word.chars().all(is_sign)
}

pub fn board(line: &str) -> Read<Placed<'_>> {
    let (word, rest) = first_word(line);
    let signs: Vec<char> = word.chars().collect();
    let (discs, form) = discs(&signs, false)?;
    behind(rest, |text| Ok(position(discs, side(text, form)?)))
}

fn position(discs: Discs, side: Color) -> Position {
    Position::from_discs(discs.0, discs.1, side)
}

fn first_word(line: &str) -> (&str, &str) {
    let line = line.trim();
    line.split_at(line.find(char::is_whitespace).unwrap_or(line.len()))
}

/// The side of a board, read by `placed`, and the parts behind it.
fn behind(text: &str, placed: impl Fn(&str) -> Read<Position>) -> Read<Placed<'_>> {
    let moves = (0..text.len()).find(|&at| after_moves(text.get(at..).unwrap_or("")).is_some());
    let remark = text.find(['%', '#']).unwrap_or(text.len());
    let scores = text.find(';').unwrap_or(text.len());
    let end = moves.unwrap_or(text.len()).min(remark).min(scores);
    let mut found: Placed<'_> = placed(&text[..end])?.into();
    found.behind = end < text.len();
    if Some(end) == moves {
        found.moves = Some(&text[end + 6..]);
        return Ok(found);
    }
    if end == scores && scores < remark {
        found.scores = lists::scores(&text[end + 1..remark], found.position)?;
    }
    match holds_board(&text[remark..]) {
        true => Err("a board in a remark"),
        false => Ok(found),
    }
}

pub fn begins_ggf(line: &str) -> bool {
    let line = line.trim_start();
    let inner = line.strip_prefix('[').unwrap_or(line).strip_prefix("8 ");
    inner.is_some_and(|inner| inner.trim_start().starts_with(is_sign))
}

/// GGF's board, with or without brackets.
pub fn ggf(line: &str) -> Read<Position> {
    let line = line.trim();
    let inner = match line.strip_prefix('[') {
        Some(inner) => inner.strip_suffix(']').ok_or("no bracket behind the board")?,
        None => line,
    };
    let words: Vec<&str> = inner.split_whitespace().collect();
    if words.len() != 10 || words[0] != "8" || words[1..9].iter().any(|row| row.chars().count() != 8) {
        return Err("eight rows of eight signs and a side");
    }
    let signs: Vec<char> = words[1..9].concat().chars().collect();
    let (discs, form) = discs(&signs, false)?;
    Ok(position(discs, side(words[9], form)?))
}

pub fn fen(line: &str) -> Read<Placed<'_>> {
    let (word, rest) = first_word(line);
    let discs = fen_discs(word)?;
    behind(rest, |text| {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        if let [.., "-", "-", half, full] = words[..]
            && number(half)
            && number(full)
        {
            words.truncate(words.len() - 4);
        }
        Ok(position(discs, side(&words.join(" "), Form::Signs)?))
    })
}

fn fen_discs(word: &str) -> Read<Discs> {
    let (rows, hand) = word.split_at(word.find('[').unwrap_or(word.len()));
    if !hand.is_empty() && !hand.ends_with(']') {
        return Err("no bracket behind the discs in hand");
    }
    let chess = rows.contains(['p', 'P']);
    let mut signs = Vec::new();
    let mut ranks: Vec<&str> = rows.split('/').collect();
    if chess {
        ranks.reverse();
    }
    for rank in ranks {
        let from = signs.len();
        let mut digit = false;
        for c in rank.chars() {
            match c {
                '1'..='8' if !digit => signs.extend(std::iter::repeat_n(None, c as usize - 48)),
                'p' if chess => signs.push(Some('X')),
                'P' if chess => signs.push(Some('O')),
                _ if !chess && !c.is_ascii_digit() => signs.push(Some(c)),
                _ => return Err("a wrong sign of a FEN"),
            }
            digit = c.is_ascii_digit();
        }
        if signs.len() - from != 8 {
            return Err("a row has eight squares");
        }
    }
    let sign = signs.iter().flatten().find(|c| EMPTY.contains(**c));
    let empty = *sign.unwrap_or(&'-');
    let signs: Vec<char> = signs.into_iter().map(|c| c.unwrap_or(empty)).collect();
    Ok(discs(&signs, false)?.0)
}

fn number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn hexadecimal(word: &str) -> Option<u64> {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    let all = digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all.then(|| u64::from_str_radix(digits, 16).ok()).flatten()
}

pub fn begins_bitboards(line: &str) -> bool {
    let mut words = line.split_whitespace().map(hexadecimal);
    words.next().flatten().is_some() && words.next().flatten().is_some()
}

pub fn bitboards(line: &str) -> Read<Position> {
    let (black, rest) = first_word(line);
    let (white, rest) = first_word(rest);
    let black = hexadecimal(black).ok_or("16 digits")?;
    let white = hexadecimal(white).ok_or("16 digits")?;
    match black & white {
        0 => Ok(position((black, white), side(rest, Form::Signs)?)),
        _ => Err("two discs on one square"),
    }
}

/// The position of a cell or a key: a board, a FEN, bitboards, nothing behind the side.
pub fn bare(text: &str) -> Read<Position> {
    let word = first_word(text).0;
    let placed = if word.matches('/').count() == 7 {
        fen(text)?
    } else if begins_bitboards(text) {
        bitboards(text)?.into()
    } else if begins_ggf(text) {
        ggf(text)?.into()
    } else {
        board(text)?
    };
    match placed.behind {
        true => Err("text behind the side"),
        false => Ok(placed.position),
    }
}

/// The eight signs of a drawn row, and whether blanks stand between them.
pub fn row(line: &str) -> Option<(String, bool)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let signs = words.concat();
    let sized = [1, 8].contains(&words.len()) && signs.chars().count() == 8;
    let apart = words.len() == 8;
    (sized && signs.chars().all(is_sign)).then_some((signs, apart))
}

fn is_letters(line: &str) -> bool {
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    line == "A B C D E F G H" || line == "a b c d e f g h"
}

fn is_head(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("/os:") && matches!(words.next(), Some("update" | "look"))
}

fn is_panel(line: &str, name: &str) -> bool {
    line.split_whitespace().eq("A B C D E F G H".split(' ').chain([name]).chain("A B C D E F G H".split(' ')))
}

pub fn begins_diagram(text: &str) -> bool {
    let (line, next) = first_line(text);
    let above = side(line, Form::Digits).is_ok() && is_letters(first_line(next).0);
    let frame = is_letters(line) || is_panel(line, "BLACK") || is_head(line);
    row(line).is_some() || line.starts_with('|') || frame || above
}

/// The drawn board at the beginning of `text`, and the lines behind it.
pub fn diagram(text: &str) -> Read<(Placed<'_>, &str)> {
    let mut rest = text;
    let mut line = || {
        let (line, next) = first_line(rest);
        rest = next;
        line
    };
    let lines: Vec<&str> = std::iter::from_fn(|| Some(line())).take(20).collect();
    let (position, used) = if is_panel(lines[0], "BLACK") {
        (edax_game(&lines)?, 10)
    } else if is_head(lines[0]) || lines[0].starts_with('|') {
        ggs(&lines)?
    } else if row(lines[0]).is_some() {
        rows(&lines)?
    } else {
        numbered(&lines)?
    };
    let rest = (0..used).fold(text, |rest, _| first_line(rest).1);
    Ok((position.into(), rest))
}

/// The bare frame and that of othelloAI.
fn rows(lines: &[&str]) -> Read<(Position, usize)> {
    let read: Option<Vec<(String, bool)>> = lines[..8].iter().map(|line| row(line)).collect();
    let read = read.ok_or("eight rows")?;
    let signs = joined(&read)?;
    let seconds = lines[9].trim().parse::<f64>().is_ok_and(|seconds| seconds >= 0.0);
    let letters = signs.iter().all(|c| "0BW".contains(*c));
    if letters && (seconds || signs.contains(&'0')) {
        let side = match lines[8].trim() {
            "B" => Color::Black,
            "W" => Color::White,
            _ => return Err("no side"),
        };
        return match seconds {
            true => Ok((position((bits(&signs, "B"), bits(&signs, "W")), side), 10)),
            false => Err("no seconds"),
        };
    }
    let (discs, form) = discs(&signs, true)?;
    Ok((position(discs, side(lines[8], form)?), 9))
}

fn joined(rows: &[(String, bool)]) -> Read<Vec<char>> {
    match rows.iter().all(|row| row.1 == rows[0].1) {
        true => Ok(rows.iter().flat_map(|row| row.0.chars()).collect()),
        false => Err("blanks in some rows"),
    }
}

/// The numbered frame and Edax's position.
fn numbered(lines: &[&str]) -> Read<(Position, usize)> {
    let above = !is_letters(lines[0]);
    let first = usize::from(above);
    let mut read = Vec::new();
    let mut behind = Vec::new();
    let mut texts = Vec::new();
    for (at, line) in lines[first + 1..first + 9].iter().enumerate() {
        let number = (at + 1).to_string();
        let words: Vec<&str> = line.split_whitespace().collect();
        let glued = words.get(1).is_some_and(|word| word.chars().count() == 8);
        let mut end = if glued { 2 } else { 9 };
        if words.len() < end || words[0] != number {
            return Err("eight rows with their numbers");
        }
        read.push(row(&words[1..end].join(" ")).ok_or("eight rows of eight signs")?);
        behind.push(words.get(end) == Some(&number.as_str()));
        end += usize::from(behind[at]);
        texts.push(words[end..].join(" "));
    }
    if behind.iter().any(|here| *here != behind[0]) {
        return Err("numbers behind some rows");
    }
    let (discs, form) = discs(&joined(&read)?, true)?;
    let mut end = first + 9;
    end += usize::from(is_letters(lines[end]));
    let edax = match texts.iter().all(String::is_empty) {
        true => None,
        false => Some(edax_texts(&texts)?),
    };
    match (edax, above) {
        (Some(_), true) => Err("two sides"),
        (Some(side), false) if behind[0] => Ok((position(discs, side), end)),
        (Some(_), false) => Err("Edax writes numbers behind the rows"),
        (None, true) => Ok((position(discs, side(lines[0], form)?), end)),
        (None, false) => Ok((position(discs, side(lines[end], form)?), end + 1)),
    }
}

/// Whether the words of `text` are those of `pattern`, which has N for each number.
fn fits(text: &str, pattern: &str) -> bool {
    let wanted: Vec<&str> = pattern.split_whitespace().collect();
    let text = text.replace('(', "( ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let same = |pair: (&&str, &&str)| pair.0 == pair.1 || *pair.1 == "N" && number(pair.0);
    words.len() == wanted.len() && words.iter().zip(&wanted).all(same)
}

fn to_move(text: &str) -> Read<Color> {
    match text.trim() {
        "* to move" => Ok(Color::Black),
        "O to move" => Ok(Color::White),
        _ => Err("no side"),
    }
}

fn edax_texts(texts: &[String]) -> Read<Color> {
    let counts = ["*: discs = N moves = N", "O: discs = N moves = N", "empties = N ply = N"];
    let fit = texts[3..6].iter().zip(counts).all(|pair| fits(pair.0, pair.1));
    match fit && [0, 2, 6, 7].iter().all(|&at| texts[at].is_empty()) {
        true => to_move(&texts[1]),
        false => Err("other text beside the rows"),
    }
}

fn edax_game(lines: &[&str]) -> Read<Position> {
    let mut read = Vec::new();
    let mut panel = Vec::new();
    for (at, line) in lines[1..9].iter().enumerate() {
        let number = (at + 1).to_string();
        let (left, right) = line.split_at(line.find('|').ok_or("no second board")?);
        let words: Vec<&str> = left.split_whitespace().collect();
        let ends = [words.first(), words.get(9), words.last()];
        if words.len() < 11 || ends.iter().any(|end| *end != Some(&number.as_str())) {
            return Err("eight rows with their numbers");
        }
        read.push(row(&words[1..9].join(" ")).ok_or("eight rows of eight signs")?);
        panel.push(words[10..words.len() - 1].join(" "));
        let cells: Vec<&str> = right.split('|').skip(1).collect();
        let cell = |text: &&str| ["  ", "##", "()"].contains(text) || text.len() == 2 && number_of(text);
        if cells.len() != 9 || !cells[..8].iter().all(cell) || cells[8].trim() != number {
            return Err("a wrong second board");
        }
    }
    let clock = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || ":.".contains(c));
    let patterns = [(1, "N discs N moves"), (2, ""), (3, "ply N ( N empties)"), (5, ""), (6, "N discs N moves")];
    let fit = patterns.iter().all(|pattern| fits(&panel[pattern.0], pattern.1));
    if !fit || !clock(&panel[0]) || !clock(&panel[7]) || !is_panel(lines[9], "WHITE") {
        return Err("a wrong panel");
    }
    let side = match panel[4].as_str() {
        "Black's turn (*)" => Color::Black,
        "White's turn (O)" => Color::White,
        _ => return Err("no side"),
    };
    Ok(position(discs(&joined(&read)?, true)?.0, side))
}

fn number_of(text: &str) -> bool {
    number(text.trim())
}

fn ggs(lines: &[&str]) -> Read<(Position, usize)> {
    let first = usize::from(is_head(lines[0]));
    let barred: Vec<&str> = lines[first..].iter().map_while(|line| line.strip_prefix('|')).collect();
    let mut at = 0;
    let word = barred.first().and_then(|line| line.split_whitespace().next()).unwrap_or("");
    at += usize::from(word.strip_suffix(':').is_some_and(number));
    let clock = |at: usize, mark: &str| barred.get(at).is_some_and(|line| line.contains(mark));
    if clock(at, "*)") && clock(at + 1, "O)") || clock(at, "O)") && clock(at + 1, "*)") {
        at += 2;
    }
    let empty = |at: usize| barred.get(at).is_some_and(|line| line.trim().is_empty());
    at += usize::from(empty(at));
    let mut frame: Vec<&str> = barred.get(at..).unwrap_or(&[]).to_vec();
    if frame.len() < 9 || !is_letters(frame[0]) {
        return Err("the numbered board of GGS");
    }
    let letters = usize::from(frame.get(9).is_some_and(|line| is_letters(line)));
    let gap = frame.get(9 + letters).is_some_and(|line| line.trim().is_empty());
    if gap {
        frame.remove(9 + letters);
    }
    to_move(frame.get(9 + letters).unwrap_or(&""))?;
    frame.resize(20, "");
    let (position, used) = numbered(&frame)?;
    let mut end = first + at + used + usize::from(gap);
    end += usize::from(lines.get(end).is_some_and(|line| line.trim() == "READY"));
    Ok((position, end))
}
