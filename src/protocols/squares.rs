//! Edax's notation: positions of 64 squares and a side, and lines of play with capitals for one side.

use crate::board::{Color, Move, Position, Square};

/// The color of a letter.
fn disc(letter: char) -> Option<Color> {
    match letter {
        'X' | 'x' | '*' | 'B' | 'b' => Some(Color::Black),
        'O' | 'o' | 'W' | 'w' => Some(Color::White),
        _ => None,
    }
}

/// Reads 64 squares from a1 to h8, then the side to move, if any; ignores other characters.
pub fn read_squares(text: &str) -> Option<([u64; 2], Option<Color>)> {
    let mut discs = [0; 2];
    let mut letters = text
        .chars()
        .filter(|&letter| disc(letter).is_some() || letter == '-' || letter == '.');
    for square in Square::all() {
        if let Some(color) = disc(letters.next()?) {
            discs[color as usize] |= square.bit();
        }
    }
    Some((discs, letters.find_map(disc)))
}

pub fn read_position(text: &str) -> Option<Position> {
    let ([black, white], side) = read_squares(text)?;
    side.map(|side| Position::from_discs(black, white, side))
}

/// The moves of a line that `side` begins, those of `capitals` in capitals, with `pass` for a pass.
pub fn variation(
    pv: &[Move],
    side: Color,
    capitals: Color,
    pass: &str,
) -> impl Iterator<Item = String> {
    let name = move |mv: &Move| {
        mv.square()
            .map_or_else(|| pass.to_owned(), |square| square.to_string())
    };
    let colors = [side, side.other()].into_iter().cycle();
    pv.iter().map(name).zip(colors).map(move |(name, color)| {
        if color == capitals {
            name.to_ascii_uppercase()
        } else {
            name
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_read_with_or_without_a_side() {
        let start = "---------------------------OX------XO---------------------------";
        assert_eq!(read_position(&format!("{start}X")), Some(Position::START));
        assert_eq!(read_position(&format!("{start} *")), Some(Position::START));
        assert_eq!(
            read_position(&format!("{} | b", start.replace('O', "w"))),
            Some(Position::START)
        );
        assert_eq!(
            read_position(&format!("{start} O")),
            Some(Position::START.pass())
        );
        let ([black, white], side) = read_squares(start).unwrap();
        assert_eq!(
            (Position::from_discs(black, white, Color::Black), side),
            (Position::START, None)
        );
        for text in ["", "X", "startpos", &start[1..]] {
            assert_eq!(read_position(text), None, "{text}");
        }
    }
}
