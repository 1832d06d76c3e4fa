//! The signs with which boards are drawn.

use crate::board::{Color, Square};
use crate::notation::error::Code;

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

/// The signs of a board that a rule allows besides the common ones.
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
pub fn read(signs: &[char; 64], form: Form) -> Result<Discs, NoBoard> {
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
