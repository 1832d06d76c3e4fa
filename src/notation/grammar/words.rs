//! Moves, passes, sides and results as words, and one move of a game as texts give it.

use super::board::Digits;
use super::numbers::lex_number;
use crate::board::{Color, Game, IllegalMove, Move, Square};
use crate::notation::{Fault, GameResult, How};

/// The name of lists of moves in errors.
pub const SUBJECT: &str = "move list";
/// The expectation in place of a scored move.
pub const SCORE_EXPECTED: &str = "move:score, such as f5:+2";
/// The expectation in place of a move.
pub const EXPECTED: &str = "a square a1-h8 or a pass";
/// More turns than any game has: 60 placements and at most one pass after each.
pub const MAX_MOVES: usize = 128;

/// Passes, the longer before its beginning.
const PASSES: [&str; 7] = ["pass", "pa", "ps", "pp", "--", "@@@@", "パス"];
const BLACK: [&str; 7] = ["x", "*", "b", "●", "black", "黒", "noir"];
const WHITE: [&str; 6] = ["o", "w", "○", "white", "白", "blanc"];

/// The move at the very start of a plain `text` and its length in bytes.
pub fn lex_move(text: &str) -> Option<(Move, usize)> {
    let bytes = text.as_bytes();
    let first = bytes.first()?.to_ascii_lowercase();
    if let (b'a'..=b'h', Some(rank @ b'1'..=b'8')) = (first, bytes.get(1)) {
        return Some((Move::Place(Square::at(first - b'a', rank - b'1')), 2));
    }
    if first == b'p'
        && bytes.get(1) == Some(&b'@')
        && let Some((mv @ Move::Place(_), length)) = lex_move(&text[2..])
        && length == 2
    {
        return Some((mv, 4));
    }
    if !matches!(first, b'p' | b'-' | b'@' | 0xe3) {
        return None;
    }
    let begins = |pass: &&&str| {
        bytes
            .get(..pass.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(pass.as_bytes()))
    };
    PASSES
        .iter()
        .find(begins)
        .map(|pass| (Move::Pass, pass.len()))
}

/// The side that a word names next to a board with these digits.
pub fn color_of_word(word: &str, digits: Digits) -> Option<Color> {
    let word = word.to_lowercase();
    let is = |name: &&str| **name == word;
    match word.as_str() {
        _ if BLACK.iter().any(is) => Some(Color::Black),
        _ if WHITE.iter().any(is) => Some(Color::White),
        "0" | "1" | "2" => digits.color(word.chars().next()?),
        _ => None,
    }
}

/// The side to move at the start of a plain text, alone or with ` to move`, and its length.
pub fn lex_side(text: &str, digits: Digits) -> Option<(Color, usize)> {
    let end = |text: &str| {
        text.find(|c: char| c.is_whitespace() || matches!(c, ';' | ']'))
            .unwrap_or(text.len())
    };
    let word = end(text);
    let color = color_of_word(&text[..word], digits)?;
    let mut length = word;
    for (index, part) in ["to", "move"].into_iter().enumerate() {
        let rest = &text[length..];
        let trimmed = rest.trim_start_matches([' ', '\t']);
        let next = &trimmed[..end(trimmed)];
        match next.eq_ignore_ascii_case(part) && trimmed.len() < rest.len() {
            true => length += rest.len() - trimmed.len() + next.len(),
            // `X to` is no side.
            false if index == 1 => return None,
            false => break,
        }
    }
    Some((color, length))
}

/// The side to move that a whole line names.
pub fn side_of_line(line: &str, digits: Digits) -> Option<Color> {
    let line = line.trim();
    let (color, length) = lex_side(line, digits)?;
    (length == line.len()).then_some(color)
}

/// The sixteen digits of a word, with or without `0x`; `None` for other words.
pub fn digits_of(word: &str) -> Option<&str> {
    let digits = word
        .strip_prefix("0x")
        .or_else(|| word.strip_prefix("0X"))
        .unwrap_or(word);
    (digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_hexdigit())).then_some(digits)
}

/// Whether a text begins with a move, with its sign or not, or with a move number.
pub fn begins_with_moves(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    lex_number(text).is_some() || lex_move(text).is_some() || lex_move(unsigned).is_some()
}

/// The result that the last word of a list is.
pub fn result_of_word(word: &str) -> Option<GameResult> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    if is_number(unsigned) {
        let discs = word.parse().ok().filter(|discs: &i32| discs.abs() <= 64)?;
        return Some(GameResult::discs(discs, How::Stated));
    }
    let counts = word.split_once('-');
    let is_counts = counts.is_some_and(|(black, white)| is_number(black) && is_number(white));
    let by = word.strip_prefix(['B', 'W']);
    let is_by = by
        .and_then(|by| by.strip_prefix('+'))
        .is_some_and(|by| is_number(by) && by.bytes().any(|b| b != b'0'));
    let is_result = is_counts || is_by || matches!(word, "*" | "1/2-1/2");
    is_result.then(|| GameResult::of_words(word)).flatten()
}

/// Plays a written move: adds a missing forced pass, ignores a pass after the end.
pub fn play_as_written(game: &mut Game, mv: Move) -> Result<(), IllegalMove> {
    match mv {
        Move::Pass if game.is_over() => Ok(()),
        Move::Pass => game.play(mv),
        Move::Place(square) => game.play_implying_pass(square),
    }
}

/// Plays a move of a list, of the side that the text names; the side of a pass does not matter.
pub fn play_turn(game: &mut Game, color: Option<Color>, mv: Move) -> Result<(), Fault> {
    match color {
        Some(color) if mv != Move::Pass => play_for(game, color, mv),
        _ => play_as_written(game, mv).map_err(Fault::from),
    }
}

/// Plays a move that the text assigns to `color`; adds a missing forced pass of the other side.
///
/// On an error the game is unchanged.
pub fn play_for(game: &mut Game, color: Color, mv: Move) -> Result<(), Fault> {
    if game.is_over() {
        return play_as_written(game, mv).map_err(Fault::from);
    }
    let is_other = game.position().side != color;
    if is_other && !game.pass_if_forced() {
        let side = color.other();
        return Err(Fault::OtherSide { mv, side });
    }
    game.play(mv).map_err(|illegal| {
        if is_other {
            game.undo();
        }
        illegal.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Color::{Black, White};
    use crate::board::Position;
    use crate::notation::grammar::moves::{parse_game, parse_move};

    #[test]
    fn a_move_belongs_to_the_side_that_the_text_names() {
        let mut game = parse_game(Position::START, "f5f6d3g5h5h4f7h6").unwrap();
        let before = game.clone();
        let mut play = |color, text: &str| {
            let played = play_for(&mut game, color, parse_move(text).unwrap());
            let message = played
                .err()
                .map_or_else(String::new, |fault| fault.to_string());
            assert!(message.is_empty() || game == before, "{message}");
            message
        };
        // Black must pass here.
        assert_eq!(
            play(Black, "e7"),
            "e7 is illegal: there is no legal move, only a pass"
        );
        assert_eq!(
            play(White, "pa"),
            "pa is illegal: there are legal moves, so no pass"
        );
        assert_eq!(play(White, "e7"), "");
        assert_eq!(game.moves().len(), 10);
        let mut game = Game::default();
        let message = play_for(&mut game, White, Move::Place("f5".parse().unwrap()))
            .unwrap_err()
            .to_string();
        assert_eq!(
            message,
            "f5 is written as a move of White, but Black is to move and has moves"
        );
    }
}
