//! Reading GGF: from text to tags, and from tags to a game.

use super::{GgfGame, Tag};
use crate::board::{Color, Game, Move, Position};
use crate::notation::ParseError;
use crate::notation::error::Code;
use crate::notation::grammar::board::ggf_board;
use crate::notation::grammar::moves::{MoveToken, parse_move_token};
use crate::notation::grammar::remarks::holds_board;
use crate::notation::grammar::words::lex_move;
use crate::notation::scanner::Scanner;

const SUBJECT: &str = "GGF game";
/// More tags than any real game has: 60 moves, passes, a header.
const MAX_TAGS: usize = 1024;
/// Most games of a match.
const MAX_GAMES: u32 = 99;
/// Longest tag name that is read; the standard's have one or two letters.
const MAX_NAME: usize = 16;

impl GgfGame {
    /// Reads exactly one game, with blanks around it or the count of its match before it.
    ///
    /// Refuses other games and boards, the anti rules (fewest discs win), unreadable boards, and illegal moves. A missing
    /// `BO` is the usual start, a missing `TY` an ordinary game; unreadable clocks, results, evals and times count as
    /// absent.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let tags = read_tags(text)?;
        let mut ggf = header(text, &tags)?;
        for (tag, offset) in tags {
            if let Some(color) = move_color(&tag) {
                let error = |expected| ParseError::at(SUBJECT, text, offset, expected);
                let token =
                    parse_move_token(&tag.value).map_err(|_| error("a move a1-h8 or a pass"))?;
                if holds_several_moves(&tag.value) {
                    return Err(error("one move"));
                }
                if has_glued_text(&tag.value) || tag.value.contains(['[', '\n']) {
                    return Err(error("a move a1-h8 or a pass").with(Code::UnknownWord));
                }
                ggf.play(token, color).map_err(|fault| {
                    ParseError::of(SUBJECT, text, offset, fault).behind(ggf.game())
                })?;
            }
            ggf.tags.push(tag);
        }
        Ok(ggf)
    }

    /// Reads exactly one game without playing it: the game without moves, and the values of its moves.
    pub(in crate::notation) fn unplayed(text: &str) -> Result<(Self, Vec<Written>), ParseError> {
        let tags = read_tags(text)?;
        let mut ggf = header(text, &tags)?;
        let mut written = Vec::new();
        for (tag, _) in tags {
            match move_color(&tag) {
                Some(color) => written.push((parse_move_token(&tag.value).ok(), color)),
                None => ggf.tags.push(tag),
            }
        }
        Ok((ggf, written))
    }
}

/// A move, or `None` for another text, and its side.
type Written = (Option<MoveToken>, Color);

/// The side of a tag that holds a move.
fn move_color(tag: &Tag) -> Option<Color> {
    match tag.name.as_str() {
        "B" | "b" => Some(Color::Black),
        "W" | "w" => Some(Color::White),
        _ => None,
    }
}

/// Whether text other than values behind `/` follows the move of a tag.
fn has_glued_text(value: &str) -> bool {
    let value = value.trim();
    lex_move(value)
        .is_none_or(|(_, length)| !matches!(value[length..].chars().next(), None | Some('/')))
}

/// Whether another square follows the move of a tag: `F5D6`, `F5 D6`.
fn holds_several_moves(value: &str) -> bool {
    let mut words = value
        .split(['/', ' ', '\t'])
        .filter(|word| !word.is_empty());
    let is_square = |word: &str| matches!(lex_move(word), Some((Move::Place(_), _)));
    let first = words.next().unwrap_or_default();
    let glued = lex_move(first).map_or("", |(_, length)| &first[length..]);
    is_square(glued) || words.any(|word| word.len() == 2 && is_square(word))
}

/// A tag with the byte offset of its value.
type PlacedTag = (Tag, usize);

/// The tags of the one game in the text; the count of the games of a match may precede it.
fn read_tags(text: &str) -> Result<Vec<PlacedTag>, ParseError> {
    let mut scanner = Scanner::new(SUBJECT, text);
    scanner.skip_blanks();
    let count = scanner.take_while(|c| c.is_ascii_digit());
    if !count.is_empty()
        && !count
            .parse()
            .is_ok_and(|count| (1..=MAX_GAMES).contains(&count))
    {
        scanner.at -= count.len();
    }
    scanner.skip_blanks();
    if !scanner.take("(;") {
        return Err(scanner.error("(; at the start of the game"));
    }
    let mut tags = Vec::new();
    loop {
        scanner.skip_blanks();
        if scanner.take(";)") || scanner.take(")") {
            break;
        }
        if tags.len() == MAX_TAGS {
            let message = format!("more than {MAX_TAGS} tags");
            return Err(ParseError::doubtful(SUBJECT, text, scanner.at, message));
        }
        tags.push(read_tag(&mut scanner)?);
    }
    if tags.is_empty() {
        return Err(scanner.error("a tag before the end of the game"));
    }
    scanner.skip_blanks();
    if scanner.is_at_end() {
        Ok(tags)
    } else {
        Err(scanner.error("the end of the game text"))
    }
}

fn read_tag(scanner: &mut Scanner) -> Result<PlacedTag, ParseError> {
    let start = scanner.at;
    let name = scanner.take_while(|c| c.is_ascii_alphabetic());
    if name.is_empty() || name.len() > MAX_NAME {
        return Err(scanner.error_at(start, "a tag such as PB[name], or ;) at the end"));
    }
    scanner.skip_blanks();
    if !scanner.take("[") {
        return Err(scanner.error("[ after the name of a tag"));
    }
    let start = scanner.at;
    let value = scanner.take_while(|c| c != ']');
    if !scanner.take("]") {
        return Err(scanner.error(format!("] after {name}[")));
    }
    Ok((
        Tag {
            name: name.to_owned(),
            value: value.to_owned(),
        },
        start,
    ))
}

/// The game before its first move, without tags.
fn header(text: &str, tags: &[PlacedTag]) -> Result<GgfGame, ParseError> {
    let error = |offset, expected| ParseError::at(SUBJECT, text, offset, expected);
    let mut start = Position::START;
    for (index, (tag, offset)) in tags.iter().enumerate() {
        let is_same = |other: &PlacedTag| other.0.name.eq_ignore_ascii_case(&tag.name);
        if move_color(tag).is_none() && tags[..index].iter().any(is_same) {
            let expected = format!("one {} for the game", tag.name);
            return Err(ParseError::at(SUBJECT, text, *offset, expected).with(Code::Twice));
        }
        let name = tag.name.to_ascii_uppercase();
        if name != "BO" && holds_board(&tag.value) {
            let expected = format!("no board in {}", tag.name);
            return Err(ParseError::at(SUBJECT, text, *offset, expected).with(Code::BoardInGame));
        }
        let value = &tag.value;
        match name.as_str() {
            "GM" if value.trim().eq_ignore_ascii_case("othello") => {}
            "GM" => return Err(error(*offset, "the game Othello").with(Code::OtherGame)),
            "TY" => check_match_type(value)
                .map_err(|expected| error(*offset, expected).with(Code::OtherGame))?,
            "BO" => start = board(text, value, *offset)?,
            _ => {}
        }
    }
    Ok(GgfGame {
        tags: Vec::with_capacity(tags.len()),
        game: Game::new(start),
        plies: Vec::new(),
    })
}

/// The board in the value of `BO` at byte `offset`.
fn board(text: &str, value: &str, offset: usize) -> Result<Position, ParseError> {
    let mut scanner = Scanner::new(SUBJECT, &text[..offset + value.len()]);
    scanner.at = offset;
    scanner.skip_blanks();
    let rest = scanner.rest().strip_prefix('8');
    if !rest.is_some_and(|rest| rest.starts_with(char::is_whitespace)) {
        return Err(scanner.error("a board of size 8").with(Code::OtherGame));
    }
    scanner.at += 1;
    let position = ggf_board(&mut scanner, true)?;
    scanner.skip_blanks();
    match scanner.is_at_end() {
        true => Ok(position),
        false => Err(scanner
            .error("] behind the side to move")
            .with(Code::BesideBoard)),
    }
}

/// Checks a match type, tag `TY`; the error is the expectation.
pub fn check_match_type(value: &str) -> Result<(), &'static str> {
    const EXPECTED: &str = "a match type such as 8, s8r20 or 8k";
    let is_digit = |c: char| c.is_ascii_digit();
    let (mut size, mut rest) = ("", value.trim());
    while let Some(c) = rest.chars().next() {
        if is_digit(c) && size.is_empty() {
            (size, rest) = rest.split_at(rest.find(|c| !is_digit(c)).unwrap_or(rest.len()));
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c.to_ascii_lowercase() {
            // A synchro pair, komi, the color asked for.
            's' | 'k' | 'b' | 'w' => {}
            // The discs of a random start.
            'r' => rest = rest.trim_start_matches(is_digit),
            'a' => return Err("ordinary rules, not the anti game"),
            _ => return Err(EXPECTED),
        }
    }
    if matches!(size, "" | "8") {
        Ok(())
    } else {
        Err("board size 8")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn match_types_come_in_any_order() {
        for kind in ["8", "", "s8r20", "8r20s", "r20s8", "8k", "8w", "8r"] {
            assert_eq!(check_match_type(kind), Ok(()), "{kind}");
        }
        assert_eq!(
            check_match_type("8a"),
            Err("ordinary rules, not the anti game")
        );
        for kind in ["10", "s10", "88", "4", "14", "99999999999", "8x", "8 8"] {
            assert!(check_match_type(kind).is_err(), "{kind}");
        }
    }
}
