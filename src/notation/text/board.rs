//! The squares of boards in text: 64 signs in a row or as a drawing, with frames and side.
//!
//! [`super::signs`] reads the signs, [`super::side`] the side.

use std::borrow::Cow;
use std::ops::Range;

use super::plain::NOTHING;
use super::side::{Said, color_beside, said};
use super::signs::{CENTER, MINUS_ONE, NoBoard, Signs, is_disc, is_sign};
use crate::board::{Color, Position, Square};
use crate::notation::ParseError;

const SIDE: &str = "the side to move, X or O";

/// A plain text and the name of its notation, for errors.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub subject: &'static str,
    pub text: &'a str,
}

impl Source<'_> {
    fn error(self, at: usize, expected: impl Into<Cow<'static, str>>) -> ParseError {
        ParseError::at(self.subject, self.text, at, expected)
    }

    fn doubtful(self, at: usize, message: impl Into<Cow<'static, str>>) -> ParseError {
        ParseError::doubtful(self.subject, self.text, at, message)
    }

    /// The error for a digit in the place of the side.
    fn doubtful_side(self, at: usize, digit: &str) -> ParseError {
        self.doubtful(
            at,
            format!(
                "the side \"{digit}\" is Black in some files and White in others: write X for Black or O for White"
            ),
        )
    }
}

/// Squares of a board and the side to move, if the text names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    pub black: u64,
    pub white: u64,
    pub side: Option<Color>,
    /// Columns behind the side.
    pub note: String,
}

impl Cells {
    /// The position, or an error at byte `end` of the text if it names no side.
    pub fn with_side(&self, source: Source, end: usize) -> Result<Position, ParseError> {
        let side = self.side.ok_or_else(|| source.error(end, SIDE))?;
        Ok(Position::from_discs(self.black, self.white, side))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub at: usize,
    /// The sign; [`MINUS_ONE`] for `-1`.
    pub sign: char,
    /// Whether it follows a blank or frame.
    pub is_apart: bool,
    end: usize,
}

/// Characters between squares without a meaning: blanks, frames, brackets, row ends.
pub fn is_filler(c: char) -> bool {
    c.is_whitespace()
        || c == NOTHING
        || "|/,:'\"[](){}".contains(c)
        || ('\u{2500}'..='\u{257f}').contains(&c)
}

/// The signs in `range` of a plain text.
pub fn items(text: &str, range: Range<usize>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut is_apart = true;
    for (offset, sign) in text[range.clone()].char_indices() {
        let at = range.start + offset;
        if is_filler(sign) {
            is_apart |= sign != NOTHING;
            continue;
        }
        items.push(Item {
            at,
            sign,
            is_apart,
            end: at + sign.len_utf8(),
        });
        is_apart = false;
    }
    // A separate `-1` is one sign, `+1` is `1`.
    let mut found: Vec<Item> = Vec::with_capacity(items.len());
    for (index, &item) in items.iter().enumerate() {
        let is_end = items.get(index + 1).is_none_or(|next| next.is_apart);
        match found.last_mut() {
            Some(last)
                if item.sign == '1'
                    && is_end
                    && !item.is_apart
                    && last.is_apart
                    && last.at + 1 == item.at =>
            {
                match last.sign {
                    '-' => {
                        *last = Item {
                            sign: MINUS_ONE,
                            end: item.end,
                            ..*last
                        }
                    }
                    '+' => {
                        *last = Item {
                            sign: '1',
                            end: item.end,
                            ..*last
                        }
                    }
                    _ => found.push(item),
                }
            }
            _ => found.push(item),
        }
    }
    found
}

/// Reads 64 squares in `range` of the text and, if present, the side to move before or behind them.
///
/// Accepts blanks and frames between the squares, and other columns behind the side.
pub fn parse_cells(source: Source, range: Range<usize>) -> Result<Cells, ParseError> {
    let items = items(source.text, range.clone());
    let mut readings = vec![0];
    readings.extend(behind_side(source.text, &range, &items));
    // No word is cut between side and squares if another cut is between words.
    let is_cut = |first: &usize| {
        let starts = *first == 0 || items[*first].is_apart;
        !starts || items.get(first + 64).is_some_and(|item| !item.is_apart)
    };
    if !readings.iter().all(is_cut) {
        readings.retain(|first| !is_cut(first));
    }
    let parse = |first| parse_at(source, range.clone(), &items, first);
    let mut read: Vec<Result<Cells, ParseError>> = readings.into_iter().map(parse).collect();
    if let [Ok(one), Ok(other)] = &read[..] {
        let can_be = |cells: &Cells| (cells.black | cells.white) & CENTER == CENTER;
        return match (can_be(one), can_be(other)) {
            (true, false) => Ok(one.clone()),
            (false, true) => Ok(other.clone()),
            _ => {
                let message = "the side to move may be the first sign or the last: put a blank between it and the squares";
                Err(source.doubtful(range.start, message))
            }
        };
    }
    let good = read
        .iter()
        .position(Result::is_ok)
        .unwrap_or(read.len() - 1);
    read.swap_remove(good)
}

/// The first square, if the side to move precedes it.
fn behind_side(text: &str, range: &Range<usize>, items: &[Item]) -> Option<usize> {
    (1..items.len().min(40)).find(|&first| {
        items.len() - first >= 64
            && items[first..first + 64]
                .iter()
                .all(|item| is_sign(item.sign))
            && matches!(
                said(&text[range.start..items[first].at], None),
                Said::Side(_)
            )
    })
}

/// Reads the squares from an item on, the side before or behind them.
fn parse_at(
    source: Source,
    range: Range<usize>,
    items: &[Item],
    first: usize,
) -> Result<Cells, ParseError> {
    let text = source.text;
    let mut signs = ['-'; 64];
    for (index, square) in Square::all().enumerate() {
        match items.get(first + index) {
            Some(item) if is_sign(item.sign) => signs[index] = item.sign,
            Some(item) => {
                return Err(source.error(item.at, format!("square {square} of 64 (X, O or -)")));
            }
            None => {
                let end = range.start + text[range].trim_end().len();
                return Err(source.error(end, format!("square {square} of 64")));
            }
        }
    }
    // 63 squares and the side.
    let is_short =
        items.len() == 64 && items[63].is_apart && items[1..63].iter().all(|item| !item.is_apart);
    if first == 0 && is_short {
        return Err(source.error(items[63].at, "square h8 of 64 before the side"));
    }
    let signs = read_signs(source, &signs, |index| items[first + index].at)?;
    let before = if first == 0 {
        ""
    } else {
        &text[range.start..items[first].at]
    };
    let tail = items.get(first + 64).map_or(range.end, |item| item.at);
    let (side, note) = match said(before, Some(&signs)) {
        Said::Side(side) => (Some(side), text[tail..range.end].trim().to_owned()),
        _ => side_and_note(source, tail..range.end, &signs)?,
    };
    let [black, white] = signs.discs;
    Ok(Cells {
        black,
        white,
        side,
        note,
    })
}

fn read_signs(
    source: Source,
    signs: &[char; 64],
    place: impl Fn(usize) -> usize,
) -> Result<Signs, ParseError> {
    Signs::read(signs).map_err(|fault| match fault {
        NoBoard::Mixed(index) => {
            let square = Square::all().nth(index).expect("there are 64");
            let expected = format!(
                "square {square} of 64 in the signs of the squares before, such as X, O and -"
            );
            source.error(place(index), expected)
        }
        NoBoard::Doubtful(message) => source.doubtful(place(0), message),
    })
}

/// The side to move at the start of `range`, and the columns behind it.
fn side_and_note(
    source: Source,
    range: Range<usize>,
    signs: &Signs,
) -> Result<(Option<Color>, String), ParseError> {
    let tail = source.text[range.clone()]
        .trim_end_matches(|c: char| is_filler(c) || matches!(c, ';' | '.'));
    if tail.is_empty() {
        return Ok((None, String::new()));
    }
    if let Said::Side(color) = said(tail, Some(signs)) {
        let is_all = tail.len() <= 2 || !tail.contains(|c: char| c.is_ascii_digit());
        return Ok((
            Some(color),
            if is_all {
                String::new()
            } else {
                tail.to_owned()
            },
        ));
    }
    let is_end = |c: char| is_filler(c) || c == ';';
    let words: Vec<&str> = tail.split(is_end).filter(|word| !word.is_empty()).collect();
    let color = |word: &str| color_beside(word, Some(signs));
    let is_value = |word: &str| word.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let named = words
        .iter()
        .enumerate()
        .filter(|(index, word)| *index == 0 || !is_value(word));
    let colors: Vec<Color> = named.filter_map(|(_, word)| color(word)).collect();
    let first = words.first().copied().unwrap_or("");
    // Digits mean either side in one file or another.
    let is_digit = is_digit_of_side(first, signs);
    match colors[..] {
        [] if is_digit => Err(source.doubtful_side(range.start, first)),
        [side] if !is_digit => {
            let rest = color(first).map(|_| tail[first.len()..].trim_start_matches(is_end));
            Ok((Some(side), rest.unwrap_or(tail).to_owned()))
        }
        _ => Err(source.error(range.start, SIDE)),
    }
}

/// A digit in the place of the side, although the signs of the board are no digits.
fn is_digit_of_side(word: &str, signs: &Signs) -> bool {
    matches!(word, "0" | "1" | "2" | "-1") && color_beside(word, Some(signs)).is_none()
}

/// The kind of a line in a drawn board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    Frame,
    /// Eight squares, with or without row number.
    Row,
    RowAndSide,
    Board,
    Side,
    /// Numbers of discs and the like.
    Count,
    Other,
}

/// A line of eight squares.
struct Row<'a> {
    /// Number or letter before it.
    label: Option<char>,
    signs: [Item; 8],
    /// The text at the right of the board.
    panel: &'a str,
    /// The same with a second label behind the squares.
    rest: &'a str,
}

/// The row that a line is, with or without a label.
fn row(text: &str, range: Range<usize>, is_labeled: bool) -> Option<Row<'_>> {
    let mut items =
        cells_between_bars(text, range.clone()).unwrap_or_else(|| items(text, range.clone()));
    let label = items.first().map(|item| item.sign).filter(|_| is_labeled);
    if is_labeled {
        label.filter(|label| matches!(label, '0'..='8' | 'a'..='h' | 'A'..='H'))?;
        items.remove(0);
    }
    let signs: [Item; 8] = items.first_chunk().copied()?;
    if !signs.iter().all(|item| is_sign(item.sign)) {
        return None;
    }
    let rest = items.get(8);
    let is_end = match rest {
        None => true,
        Some(next) if next.is_apart => true,
        // A number or the side, glued to the last square.
        Some(next) => items.len() == 9 && (next.sign.is_ascii_digit() || is_disc(next.sign)),
    };
    // A whole board in one line is no row.
    let is_board = items.len() >= 64 && items[..64].iter().all(|item| is_sign(item.sign));
    if !is_end || is_board {
        return None;
    }
    let behind = rest.map_or(range.end, |item| item.at);
    let mut panel = behind;
    // The label once more at the end of the row.
    if let Some(next) = rest
        && (is_labeled && Some(next.sign) == label || !is_labeled && next.sign.is_ascii_digit())
        && items.get(9).is_none_or(|item| item.is_apart)
    {
        panel = next.end;
    }
    Some(Row {
        label,
        signs,
        panel: &text[panel..range.end],
        rest: &text[behind..range.end],
    })
}

/// The squares of a line with bars between all of them, where blanks are empty squares.
fn cells_between_bars(text: &str, range: Range<usize>) -> Option<Vec<Item>> {
    let is_bar = |c: char| matches!(c, '|' | '│' | '┃' | '║');
    let line = &text[range.clone()];
    if !line.contains(is_bar) {
        return None;
    }
    let mut fields = Vec::new();
    let mut start = range.start;
    for (offset, bar) in line.char_indices().filter(|&(_, c)| is_bar(c)) {
        fields.push(start..range.start + offset);
        start = range.start + offset + bar.len_utf8();
    }
    let after = start..range.end;
    let before = items(text, fields.first()?.clone());
    // Nine bars, the first behind the label.
    if fields.len() != 9 || before.len() > 1 {
        return None;
    }
    let mut found = before;
    for field in &fields[1..] {
        match items(text, field.clone())[..] {
            [] => {
                let end = field.start;
                found.push(Item {
                    at: field.start,
                    sign: '.',
                    is_apart: true,
                    end,
                });
            }
            [item] => found.push(item),
            _ => return None,
        }
    }
    found.extend(items(text, after));
    Some(found)
}

/// The kind of a plain `line` in a drawn board.
pub fn row_kind(line: &str) -> RowKind {
    if line.len() > LONGEST_ROW || is_tag(line) {
        return RowKind::Other;
    }
    if frame(line).is_some_and(|rest| rest.trim().is_empty()) {
        return RowKind::Frame;
    }
    if let Some(row) = row(line, 0..line.len(), true).or_else(|| row(line, 0..line.len(), false)) {
        return match said(row.panel, None) {
            Said::Nothing => RowKind::Row,
            _ => RowKind::RowAndSide,
        };
    }
    let items = items(line, 0..line.len());
    if items.len() == 64 && items.iter().all(|item| is_sign(item.sign)) {
        return RowKind::Board;
    }
    match () {
        () if line.len() > LONGEST_SIDE => RowKind::Other,
        () if said(line, None) != Said::Nothing => RowKind::Side,
        () if is_count(line) => RowKind::Count,
        () => RowKind::Other,
    }
}

/// A line of a board with its panel is not longer, in bytes.
const LONGEST_ROW: usize = 1000;
/// A line with the side to move is not longer, in bytes.
const LONGEST_SIDE: usize = 200;

/// The tag of a game: `[Black "x"]`.
fn is_tag(line: &str) -> bool {
    let name = line
        .trim_start()
        .strip_prefix('[')
        .map(|line| line.trim_start_matches(|c: char| c.is_alphanumeric()));
    name.is_some_and(|rest| {
        rest.starts_with(char::is_whitespace) && rest.trim_start().starts_with('"')
    })
}

/// Numbers of discs and the like, as many programs show them.
fn is_count(line: &str) -> bool {
    const WORDS: [&str; 17] = [
        "discs", "disc", "score", "empties", "empty", "moves", "move", "ply", "count", "total",
        "pieces", "stones", "mobility", "vs", "result", "player", "points",
    ];
    let lower = line.to_ascii_lowercase();
    let is_end = |c: char| !c.is_alphanumeric() && !"*●○".contains(c);
    let words = || lower.split(is_end).filter(|word| !word.is_empty());
    // Longer ones are boards in hexadecimal.
    let is_number = |word: &str| word.len() <= 3 && word.bytes().all(|b| b.is_ascii_digit());
    let is_other = |word: &str| WORDS.contains(&word) || color_beside(word, None).is_some();
    words().any(is_number)
        && words().any(|word| !is_number(word))
        && words().all(|word| is_number(word) || is_other(word))
}

/// The text behind the letters or lines of a frame; `None` for other lines.
fn frame(line: &str) -> Option<&str> {
    let items = items(line, 0..line.len());
    let is_row = || cells_between_bars(line, 0..line.len()).is_some();
    if items.is_empty() && (line.contains(['(', '[', '{', ')', ']', '}']) || is_row()) {
        return None;
    }
    let is_line = |c: char| matches!(c, '+' | '-' | '=' | '~' | '_');
    let letters: Vec<&Item> = items
        .iter()
        .filter(|item| !matches!(item.sign, '+' | '-' | '='))
        .collect();
    let named: String = letters
        .iter()
        .take(8)
        .map(|item| item.sign.to_ascii_lowercase())
        .collect();
    if ["abcdefgh", "hgfedcba", "12345678", "01234567", "87654321"].contains(&named.as_str()) {
        let is_apart = letters.get(8).is_none_or(|item| item.is_apart);
        return is_apart.then(|| letters.get(8).map_or("", |item| &line[item.at..]));
    }
    let signs: Vec<char> = items.iter().map(|item| item.sign).collect();
    let is_frame = signs.iter().all(|&c| is_line(c))
        && (signs.contains(&'+') && signs.len() != 8
            || signs.contains(&'=')
            || !matches!(signs.len(), 8 | 9 | 64));
    (is_frame
        && (signs.is_empty() || signs.len() > 9 || signs.contains(&'+') || signs.contains(&'=')))
    .then_some("")
}

/// Reads a drawn board: eight lines of eight squares with frames, labels, panel and side.
pub fn parse_drawn(source: Source) -> Result<Cells, ParseError> {
    let text = source.text;
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        lines.push(start..start + line.trim_end().len());
        start += line.len();
    }
    let drawn = labeled(text, &lines).or_else(|| unlabeled(text, &lines));
    let Some((rows, is_down, is_back)) = drawn else {
        return parse_cells(source, 0..text.len()).map_err(|error| no_rows(source, &lines, error));
    };
    let item = |index: usize| {
        let (rank, file) = (index / 8, index % 8);
        rows[if is_down { 7 - rank } else { rank }].1.signs[if is_back { 7 - file } else { file }]
    };
    let signs = read_signs(
        source,
        &std::array::from_fn(|index| item(index).sign),
        |index| item(index).at,
    )?;
    // A letter behind one row only is no label.
    let closes = rows.iter().all(|(_, row)| row.panel.len() < row.rest.len());
    let mut named = Said::Nothing;
    for (index, line) in lines.iter().enumerate() {
        let line = match rows.iter().find(|(row, _)| *row == index) {
            Some((_, row)) if closes => row.panel,
            Some((_, row)) => row.rest,
            None => frame(&text[line.clone()]).unwrap_or(&text[line.clone()]),
        };
        if line.len() <= LONGEST_SIDE {
            named = named.and(said(line, Some(&signs)));
        }
        if index > rows[7].0 && named == Said::Nothing && is_digit_of_side(line.trim(), &signs) {
            return Err(source.doubtful_side(lines[index].start, line.trim()));
        }
    }
    let side = match named {
        Said::Both => {
            let message = "the text names both sides as the side to move: remove one";
            return Err(source.doubtful(lines[rows[0].0].start, message));
        }
        Said::Side(side) => Some(side),
        Said::Nothing => None,
    };
    let [black, white] = signs.discs;
    Ok(Cells {
        black,
        white,
        side,
        note: String::new(),
    })
}

/// Rows with the numbers of their lines, whether the first one is row 8, and whether they begin with file h.
type Drawn<'a> = (Vec<(usize, Row<'a>)>, bool, bool);

/// Eight rows with labels that count up or down.
fn labeled<'a>(text: &'a str, lines: &[Range<usize>]) -> Option<Drawn<'a>> {
    let row = |(at, line): (usize, &Range<usize>)| Some((at, row(text, line.clone(), true)?));
    let rows: Vec<_> = (0..).zip(lines).filter_map(row).collect();
    let labels = rows.iter().filter_map(|(_, row)| row.label);
    let labels: String = labels.map(|c| c.to_ascii_lowercase()).collect();
    let is_up = ["12345678", "01234567", "abcdefgh"].contains(&labels.as_str());
    let is_down = ["87654321", "76543210", "hgfedcba"].contains(&labels.as_str());
    let is_back = lines.iter().any(|line| {
        let letters = items(text, line.clone())
            .into_iter()
            .map(|item| item.sign.to_ascii_lowercase());
        letters.eq("hgfedcba".chars())
    });
    (is_up || is_down).then_some((rows, is_down, is_back))
}

fn unlabeled<'a>(text: &'a str, lines: &[Range<usize>]) -> Option<Drawn<'a>> {
    let row = |(at, line): (usize, &Range<usize>)| match frame(&text[line.clone()]) {
        Some(_) => None,
        None => Some((at, row(text, line.clone(), false)?)),
    };
    let mut rows: Vec<_> = (0..).zip(lines).filter_map(row).collect();
    // A frame of eight dashes.
    let is_dashes = |row: &Row| row.signs.iter().all(|item| item.sign == '-');
    let has_other = rows
        .iter()
        .any(|(_, row)| row.signs.iter().any(|item| ".0_".contains(item.sign)));
    if rows.len() == 10 && has_other && is_dashes(&rows[0].1) && is_dashes(&rows[9].1) {
        rows = rows.drain(1..9).collect();
    }
    (rows.len() == 8).then_some((rows, false, false))
}

/// The error for a text that has not eight rows.
fn no_rows(source: Source, lines: &[Range<usize>], error: ParseError) -> ParseError {
    let text = source.text;
    let mut count = 0;
    for line in lines
        .iter()
        .filter(|line| frame(&text[(*line).clone()]).is_none())
    {
        let items = items(text, line.clone());
        if [true, false]
            .iter()
            .any(|&is_labeled| row(text, line.clone(), is_labeled).is_some())
        {
            count += 1;
            if count > 8 {
                return source.error(line.start, "the end of the board after 8 rows");
            }
        }
        // A row by its number.
        if let Some(label @ '1'..='8') = items.first().map(|item| item.sign)
            && items.len() >= 8
            && let Some(file) = items[1..]
                .iter()
                .take(8)
                .position(|item| !is_sign(item.sign))
        {
            let square = Square::at(file as u8, label as u8 - b'1');
            return source.error(
                items[1 + file].at,
                format!("square {square} of 64 (X, O or -)"),
            );
        }
    }
    match count {
        0 => error,
        _ => source.error(
            text.trim_end().len(),
            format!("row {} of 8, eight squares X, O or -", count + 1),
        ),
    }
}
