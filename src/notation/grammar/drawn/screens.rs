//! The screens of programs: Emilia's, Edax's, messages of GGS.

use super::super::board::SIDE;
use super::super::signs::{Digits, Form};
use super::super::words::side_of_line;
use super::rows::*;
use crate::board::Color;
use crate::notation::error::Code;

/// The last line of Emilia's drawings without its counts: `black to move, 2 X, 2 O`.
pub fn without_counts(text: &str) -> &str {
    let Some((side, counts)) = text.split_once(" to move,") else {
        return text;
    };
    let words: Vec<&str> = counts.split_whitespace().collect();
    let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    match words[..] {
        [black, "X,", white, "O"] if is_number(black) && is_number(white) => side,
        _ => text,
    }
}

/// The side in the panel of Emilia's screen: `Move 3: White to move` behind row 4.
pub fn panel_of_play(panel: &[&str]) -> Option<Color> {
    let text = panel[3].trim().strip_prefix("Move ")?;
    let (number, side) = text.split_once(": ")?;
    let is_number = number.bytes().all(|b| b.is_ascii_digit());
    side_of_line(side, Digits::No).filter(|_| is_number && side.ends_with(" to move"))
}

/// The side in the panel of Edax's position, and nothing else but its counts.
pub fn panel_of_edax(lines: &[&str], rows: &[(usize, Row)], panel: &[&str]) -> Step<Color> {
    /// The texts behind the rows, `N` for each number.
    const WORDS: [&str; 8] = [
        "",
        "* to move",
        "",
        "*: discs = N moves = N",
        "O: discs = N moves = N",
        "empties = N ply = N",
        "",
        "",
    ];
    for (number, (words, text)) in WORDS.iter().zip(panel).enumerate() {
        let text = without_numbers(text);
        let is_right = text == *words || number == 1 && text == "O to move";
        let is_right = is_right && rows[number].1.is_closed;
        if !is_right {
            let (index, row) = rows[number];
            let expected = "the end of the row, or the panel of Edax with its side behind row 2";
            return stop(index, row.end, lines[index], expected, Code::BesideBoard);
        }
    }
    let is_black = panel[1].contains('*');
    Ok(if is_black { Color::Black } else { Color::White })
}

/// Edax's board of a game: two boards side by side with a panel between them.
pub fn game_of_edax(lines: &[&str]) -> Step<Drawn> {
    if !is_double_head(lines[0], "BLACK") {
        let expected = "the letters A to H, or Edax's two boards with BLACK between them";
        return stop(0, 0, lines[0], expected, Code::BesideBoard);
    }
    let (rows, panel) = rows(lines, 1)?;
    let mut side = None;
    for (number, text) in (1..).zip(&panel) {
        let (index, row) = rows[number - 1];
        let begin = text.rfind(&format!("{number} |"));
        let cells = begin.map_or("", |at| &text[at..]);
        let is_cell = |cell: &str| {
            let cell = cell.trim();
            matches!(cell, "##" | "()") || cell.bytes().all(|b| b.is_ascii_digit())
        };
        let is_board = cells.split('|').skip(1).take(8).all(is_cell)
            && cells.matches('|').count() == 9
            && cells.trim_end().ends_with(&format!("| {number}"));
        let between = &text[..begin.unwrap_or(0)];
        if !is_board || !row.is_closed || !is_panel(number, between) {
            let expected = "the panel and the row of Edax's second board";
            return stop(index, row.end, lines[index], expected, Code::BesideBoard);
        }
        if number == 5 {
            side = Some(if between.contains("(*)") {
                Color::Black
            } else {
                Color::White
            });
        }
    }
    let Some(side) = side else {
        return stop(
            5,
            0,
            lines[5],
            format!("{SIDE}, in the panel behind row 5"),
            Code::NoSide,
        );
    };
    let last = line(lines, 9, "the letters below the rows")?;
    if !is_double_head(last, "WHITE") {
        return stop(9, 0, last, "the letters below the rows", Code::BoardSquares);
    }
    let position = position(&rows, Form::Drawn, lines, side)?;
    Ok(Drawn {
        position,
        seconds: None,
        lines: 10,
    })
}

/// Whether a line is the letters twice with a word between them.
fn is_double_head(line: &str, word: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.len() == 17
        && words[8] == word
        && is_letters(&words[..8].join(" "))
        && is_letters(&words[9..].join(" "))
}

/// Whether a text is the panel of Edax's game in this row.
fn is_panel(number: usize, text: &str) -> bool {
    let text = without_numbers(text);
    match number {
        1 | 8 => !text.is_empty() && text.chars().all(|c| matches!(c, 'N' | ':' | '.')),
        2 | 7 => text == "N discs N moves",
        4 => text == "ply N (N empties)",
        5 => matches!(text.as_str(), "Black's turn (*)" | "White's turn (O)"),
        _ => text.is_empty(),
    }
}

/// The words of a text with blanks between them, `N` for each number.
fn without_numbers(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut bare = String::new();
    for c in text.chars() {
        match c.is_ascii_digit() {
            true if bare.ends_with('N') => {}
            true => bare.push('N'),
            false => bare.push(c),
        }
    }
    bare
}

/// A message of GGS: head, move, clocks, board and side, behind bars.
pub fn ggs(lines: &[&str]) -> Step<Drawn> {
    let head = usize::from(!lines[0].trim_start().starts_with('|'));
    let mut inner: Vec<&str> = vec![""; head];
    for text in &lines[head..] {
        match text.trim_start().strip_prefix('|') {
            Some(text) => inner.push(text),
            None => break,
        }
    }
    let is_whole = inner.len() < lines.len();
    let mut at = head;
    let is_at = |at: usize, is: fn(&str) -> bool| inner.get(at).is_some_and(|text| is(text));
    at += usize::from(is_at(at, |text| {
        let digits = text
            .trim_start()
            .trim_start_matches(|c: char| c.is_ascii_digit());
        digits.len() < text.trim_start().len() && digits.starts_with(": ")
    }));
    let is_clock: fn(&str) -> bool = |text| text.contains("*) ") || text.contains("O) ");
    let has_clock = is_at(at, is_clock);
    if has_clock && at + 1 == inner.len() && !is_whole {
        return Err(Stop::Short("two clocks of GGS behind bars".to_owned()));
    }
    at += if has_clock && is_at(at + 1, is_clock) {
        2
    } else {
        0
    };
    let is_empty: fn(&str) -> bool = |text| text.trim().is_empty();
    at += usize::from(is_at(at, is_empty));
    let short = |expected: &str, at: usize| match is_whole {
        true => stop(at, 0, lines[at], expected, Code::BoardSquares),
        false => Err(Stop::Short(expected.to_owned())),
    };
    if at >= inner.len() {
        return short("the board of GGS behind bars", inner.len());
    }
    if !is_letters(inner[at]) {
        return stop(
            at,
            0,
            lines[at],
            "the letters A to H above the rows",
            Code::BesideBoard,
        );
    }
    if inner.len() < at + 9 {
        return short("eight rows behind bars", inner.len());
    }
    let (rows, panel) = rows(&inner, at + 1)?;
    if let Some(number) = panel.iter().position(|text| !text.trim().is_empty()) {
        let index = rows[number].0;
        return stop(
            index,
            0,
            lines[index],
            "the end of the row",
            Code::BesideBoard,
        );
    }
    at += 9;
    at += usize::from(is_at(at, is_letters));
    at += usize::from(is_at(at, is_empty));
    let Some(text) = inner.get(at) else {
        return short(SIDE, inner.len());
    };
    let side = match text.trim() {
        "* to move" => Color::Black,
        "O to move" => Color::White,
        _ => return stop(at, 0, lines[at], SIDE, Code::NoSide),
    };
    at += 1;
    at += usize::from(lines.get(at).is_some_and(|text| text.trim() == READY));
    let position = position(&rows, Form::Drawn, &inner, side)?;
    Ok(Drawn {
        position,
        seconds: None,
        lines: at,
    })
}
