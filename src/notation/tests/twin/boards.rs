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
    /// Scores, moves or a remark follow the side.
    pub behind: bool,
}

impl From<Position> for Placed<'_> {
    fn from(position: Position) -> Self {
        Self {
            position,
            scores: Vec::new(),
            moves: None,
            behind: false,
        }
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
    [BLACK, WHITE, EMPTY, "012"]
        .iter()
        .any(|signs| signs.contains(c))
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
    text.split_whitespace()
        .any(|word| word.matches('/').count() >= 7)
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
    let squares = signs
        .iter()
        .enumerate()
        .filter(|square| set.contains(*square.1));
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
    let mut words = text.match_indices([' ', '\t']).map(|found| found.0 + 1);
    let moves = words.find(|&at| after_moves(&text[at..]).is_some());
    let mut marks = text.match_indices(['%', '#']).map(|found| found.0);
    let remark = marks.find(|&at| text[..at].ends_with([' ', '\t', ';']));
    let remark = remark.unwrap_or(text.len());
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
        Some(inner) => inner
            .strip_suffix(']')
            .ok_or("no bracket behind the board")?,
        None => line,
    };
    let words: Vec<&str> = inner.split_whitespace().collect();
    if words.len() != 10
        || words[0] != "8"
        || words[1..9].iter().any(|row| row.chars().count() != 8)
    {
        return Err("eight rows of eight signs and a side");
    }
    let signs: Vec<char> = words[1..9].concat().chars().collect();
    let (discs, form) = discs(&signs, false)?;
    Ok(position(discs, side(words[9], form)?))
}

/// The board of a game of GGF, in which the 64 signs may lack blanks.
pub fn ggf_of_game(value: &str) -> Read<Position> {
    let words: Vec<&str> = value.split_whitespace().collect();
    match words[..] {
        ["8", signs, name] if signs.chars().count() == 64 => {
            let signs: Vec<char> = signs.chars().collect();
            let (discs, form) = discs(&signs, false)?;
            Ok(position(discs, side(name, form)?))
        }
        _ => ggf(value),
    }
}

pub fn fen(line: &str) -> Read<Placed<'_>> {
    let (word, rest) = first_word(line);
    let discs = fen_discs(word)?;
    behind(rest, |text| {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        if let [.., "-", "-", half, full] = words[..]
            && number_of(half)
            && number_of(full)
        {
            words.truncate(words.len() - 4);
        }
        Ok(position(discs, side(&words.join(" "), Form::Signs)?))
    })
}

fn fen_discs(word: &str) -> Read<Discs> {
    let (rows, hand) = word.split_at(word.find('[').unwrap_or(word.len()));
    let inside = hand
        .strip_prefix('[')
        .and_then(|hand| hand.strip_suffix(']'));
    let in_hand = |c: char| "pPxXoObBwW*-".contains(c) || c.is_ascii_digit();
    if !hand.is_empty() && !inside.is_some_and(|inside| inside.chars().all(in_hand)) {
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

fn number_of(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn hexadecimal(word: &str) -> Option<u64> {
    let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    let digits = digits.unwrap_or(word);
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

/// The frames of section 5, a line behind each `;`: `L` letters, `R` eight signs, `n` the number of the row, `N` a
/// number, `S` and `M` the side, `~` any words, `?` a line that may be missing, `8` eight lines.
const FRAMES: [&str; 9] = [
    "8R;A;F",
    "8R;S",
    "S;L;8n R;?L",
    "S;L;8n R n;?L",
    "L;8n R;S to move, N X, N O",
    "L;8n R;?L;S",
    "L;8n R n;?L;S",
    "L;n R n;n R n M;n R n;n R n *: discs = N moves = N;n R n O: discs = N moves = N;\
     n R n empties = N ply = N;n R n;n R n;?L",
    "L BLACK L;n R n C n Q;n R n N discs N moves n Q;n R n n Q;n R n ply N (N empties) n Q;\
     n R n T n Q;n R n n Q;n R n N discs N moves n Q;n R n C n Q;L WHITE L",
];

/// A frame as far as its lines fit.
#[derive(Clone, Default)]
struct Frame {
    signs: Vec<char>,
    apart: Option<bool>,
    side: String,
    seconds: bool,
}

/// The eight signs of a drawn row, and whether blanks separate them.
pub fn row(words: &[&str]) -> Option<(String, bool)> {
    let signs = words.concat();
    let sized = [1, 8].contains(&words.len()) && signs.chars().count() == 8;
    (sized && signs.chars().all(is_sign)).then_some((signs, words.len() == 8))
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

fn is_letters(words: &[&str]) -> bool {
    ["A B C D E F G H", "a b c d e f g h"].contains(&words.join(" ").as_str())
}

pub fn begins_diagram(text: &str) -> bool {
    let line = first_line(text).0;
    let found = words(line);
    let head =
        matches!(found[..], ["/os:", "update" | "look", ..]) || line.trim_start().starts_with('|');
    let letters = is_letters(&found) || found.len() == 17 && found[8] == "BLACK";
    row(&found).is_some() || head || letters || side(line, Form::Signs).is_ok()
}

/// The drawn board at the beginning of `text`, and the lines behind it.
pub fn diagram(text: &str) -> Read<(Placed<'_>, &str)> {
    let mut frames: Vec<String> = FRAMES.map(str::to_owned).to_vec();
    for clocks in ["", "| B;| W;", "| W;| B;"] {
        for row in ["| n R", "| n R n"] {
            let head = format!("?/os: H ~;?| I ~;{clocks}?|;| L;8{row};?| L;?|;| M;?READY");
            frames.push(head);
        }
    }
    let mut fit = frames.iter().filter_map(|frame| fits(frame, text));
    let (frame, rest) = fit.next().ok_or("no frame of a drawn board")?;
    let discs = match frame.seconds {
        true => (
            (bits(&frame.signs, "B"), bits(&frame.signs, "W")),
            Form::Signs,
        ),
        false => discs(&frame.signs, true)?,
    };
    let side = side(&frame.side, discs.1)?;
    Ok((position(discs.0, side).into(), rest))
}

/// The board of a frame, and the lines behind it.
fn fits<'a>(pattern: &str, text: &'a str) -> Option<(Frame, &'a str)> {
    let mut frame = Frame::default();
    let mut rest = text;
    for line in pattern.split(';') {
        let count = if line.starts_with('8') { 8 } else { 1 };
        for _ in 0..count {
            let (found, next) = first_line(rest);
            let found = found.trim_start();
            let found = found.replacen('|', "| ", usize::from(found.starts_with('|')));
            let mut tried = frame.clone();
            if tried.fit(&words(line.trim_start_matches(['8', '?'])), &words(&found)) {
                frame = tried;
                rest = next;
            } else if !line.starts_with('?') {
                return None;
            }
        }
    }
    Some((frame, rest))
}

impl Frame {
    /// Whether the words of a line fit those of a pattern.
    fn fit(&mut self, pattern: &[&str], found: &[&str]) -> bool {
        let number = (self.signs.len() / 8 + 1).to_string();
        let mut at = 0;
        for want in pattern {
            let rest = found.get(at..).unwrap_or(&[]);
            let word = *rest.first().unwrap_or(&"");
            at += match *want {
                "L" if rest.len() >= 8 && is_letters(&rest[..8]) => 8,
                "R" => match self.row(rest) {
                    Some(count) => count,
                    None => return false,
                },
                "n" if word == number => 1,
                "N" if number_of(word) => 1,
                "(N" if word.strip_prefix('(').is_some_and(number_of) => 1,
                "C" if word.chars().all(|c| c.is_ascii_digit() || ":.".contains(c)) => 1,
                "H" if ["update", "look"].contains(&word) => 1,
                "I" if word.strip_suffix(':').is_some_and(number_of) => 1,
                "F" if number_of(word) => {
                    self.seconds = true;
                    usize::from(self.signs.iter().all(|c| "0BW".contains(*c)))
                }
                "A" if ["B", "W"].contains(&word) => self.take(rest),
                "S" if pattern.len() > 1 => self.take(&rest[..usize::from(!rest.is_empty())]),
                "S" => self.take(rest),
                "M" if ["* to move", "O to move"].contains(&rest.join(" ").as_str()) => {
                    self.take(rest)
                }
                "T" if rest.starts_with(&["Black's", "turn", "(*)"]) => self.take(&["*"]) + 2,
                "T" if rest.starts_with(&["White's", "turn", "(O)"]) => self.take(&["O"]) + 2,
                "Q" if drawn_moves(rest, &number) => rest.len(),
                "B" if rest.iter().any(|word| word.ends_with("*)")) => rest.len(),
                "W" if rest.iter().any(|word| word.ends_with("O)")) => rest.len(),
                "~" => rest.len(),
                _ if word == *want => 1,
                _ => return false,
            };
        }
        at == found.len()
    }

    fn row(&mut self, rest: &[&str]) -> Option<usize> {
        let count = if rest.first()?.chars().count() == 8 {
            1
        } else {
            8
        };
        let (signs, apart) = row(rest.get(..count)?)?;
        self.signs.extend(signs.chars());
        (*self.apart.get_or_insert(apart) == apart).then_some(count)
    }

    fn take(&mut self, words: &[&str]) -> usize {
        self.side = words.join(" ");
        words.len()
    }
}

/// A row of the second board in Edax's game, with the number of the row behind it.
fn drawn_moves(words: &[&str], number: &str) -> bool {
    let text = words.concat();
    let cell = |cell: &str| ["##", "()", ""].contains(&cell) || number_of(cell);
    let parts: Vec<&str> = text.split('|').collect();
    parts.len() == 10 && parts[1..9].iter().all(|part| cell(part)) && parts[9] == number
}
