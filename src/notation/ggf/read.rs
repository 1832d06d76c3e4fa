//! Reading GGF: from text to tags, and from tags to a game.

use super::{GgfGame, Tag};
use crate::board::{Color, Game, Move, Position};
use crate::notation::ParseError;
use crate::notation::text::board::parse_cells;
use crate::notation::text::moves::{MoveToken, parse_move_token};
use crate::notation::text::token::lex_move;

const SUBJECT: &str = "GGF game";

/// More tags than any real game has: 60 moves, passes, a header.
const MAX_TAGS: usize = 1024;
/// Most games of a match.
const MAX_GAMES: u32 = 99;
/// Longest tag name that is read; the standard's have one or two letters.
const MAX_NAME: usize = 16;

impl GgfGame {
    /// Reads exactly one game; blanks and the count of its match may stand before it, blanks after it.
    ///
    /// Refused are other games and boards, the anti rules (fewest discs win), unreadable boards, and illegal
    /// moves. A missing `BO` is the usual start, a missing `TY` an ordinary game; unreadable clocks, results,
    /// evals and times count as absent.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let mut scanner = Scanner::new(text);
        let tags = scanner.single()?;
        scanner.assemble(tags)
    }

    /// Reads exactly one game without playing it: the game without moves, and what stands for these, each with its side.
    pub(in crate::notation) fn unplayed(text: &str) -> Result<(Self, Vec<Written>), ParseError> {
        let mut scanner = Scanner::new(text);
        let tags = scanner.single()?;
        let mut ggf = scanner.header(&tags)?;
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

/// What stands for a move, if it is one, and whose it is.
type Written = (Option<MoveToken>, Color);

/// The side of a tag that holds a move.
fn move_color(tag: &Tag) -> Option<Color> {
    match tag.name.as_str() {
        "B" | "b" => Some(Color::Black),
        "W" | "w" => Some(Color::White),
        _ => None,
    }
}

/// Whether another square follows the move of a tag: `F5D6`, `F5 D6`.
fn holds_several_moves(value: &str) -> bool {
    let mut words = value.split(['/', ' ', '\t']).filter(|word| !word.is_empty());
    let is_square = |word: &str| matches!(lex_move(word), Some((Move::Place(_), _)));
    let first = words.next().unwrap_or_default();
    let glued = lex_move(first).map_or("", |(_, length)| &first[length..]);
    is_square(glued) || words.any(|word| word.len() == 2 && is_square(word))
}

struct Scanner<'a> {
    text: &'a str,
    offset: usize,
}

/// A tag with the byte offset of its value.
type PlacedTag = (Tag, usize);

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, offset: 0 }
    }

    /// The tags of the one game that the text is.
    fn single(&mut self) -> Result<Vec<PlacedTag>, ParseError> {
        self.skip_count()?;
        let tags = self.tags()?;
        self.skip_blanks();
        if self.offset < self.text.len() {
            return Err(self.error("the end of the game text"));
        }
        Ok(tags)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    fn error(&self, expected: &'static str) -> ParseError {
        ParseError::at(SUBJECT, self.text, self.offset, expected)
    }

    fn skip_blanks(&mut self) {
        self.offset = self.text.len()
            - self.rest().trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.offset += if found { token.len() } else { 0 };
        found
    }

    /// Skips the count before the games of a match, if there is one.
    fn skip_count(&mut self) -> Result<(), ParseError> {
        self.skip_blanks();
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let count = self.rest()[..digits].parse().ok().filter(|count| (1..=MAX_GAMES).contains(count));
        if count.is_none() && !self.rest().starts_with('(') {
            return Err(self.error("(; at the start of the game"));
        }
        self.offset += digits;
        self.skip_blanks();
        Ok(())
    }

    fn tags(&mut self) -> Result<Vec<PlacedTag>, ParseError> {
        if !self.take("(;") {
            return Err(self.error("(; at the start of the game"));
        }
        let mut tags = Vec::new();
        loop {
            self.skip_blanks();
            if self.take(";)") || self.take(")") {
                break;
            }
            if tags.len() == MAX_TAGS {
                let told = format!("more than {MAX_TAGS} tags");
                return Err(ParseError::doubtful(SUBJECT, self.text, self.offset, told));
            }
            tags.push(self.tag()?);
        }
        if tags.is_empty() {
            return Err(self.error("a tag before the end of the game"));
        }
        Ok(tags)
    }

    fn tag(&mut self) -> Result<PlacedTag, ParseError> {
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        if length == 0 || length > MAX_NAME {
            return Err(self.error("a tag such as PB[name], or ;) at the end"));
        }
        let name = rest[..length].to_string();
        self.offset += length;
        self.skip_blanks();
        if !self.take("[") {
            return Err(self.error("[ after the name of a tag"));
        }
        let start = self.offset;
        let Some(end) = self.rest().find(']') else {
            return Err(ParseError::at(SUBJECT, self.text, self.text.len(), format!("] after {name}[")));
        };
        self.offset += end + 1;
        Ok((Tag { name, value: self.text[start..start + end].to_string() }, start))
    }

    /// The game that the tags tell of, before its first move and without tags.
    fn header(&self, tags: &[PlacedTag]) -> Result<GgfGame, ParseError> {
        let header = |name: &str| tags.iter().find(|(tag, _)| tag.name.eq_ignore_ascii_case(name));
        let error = |offset, expected| ParseError::at(SUBJECT, self.text, offset, expected);
        for (name, expected) in
            [("GM", "one GM for the game"), ("TY", "one TY for the game"), ("BO", "one BO for the game")]
        {
            let mut all = tags.iter().filter(|(tag, _)| tag.name.eq_ignore_ascii_case(name));
            let first = all.next().map(|(tag, _)| tag.value.trim());
            if let Some((_, offset)) = all.find(|(tag, _)| Some(tag.value.trim()) != first) {
                return Err(error(*offset, expected));
            }
        }
        if let Some((tag, offset)) = header("GM")
            && !tag.value.trim().eq_ignore_ascii_case("othello")
        {
            return Err(error(*offset, "the game Othello"));
        }
        if let Some((tag, offset)) = header("TY") {
            check_match_type(&tag.value).map_err(|expected| error(*offset, expected))?;
        }
        let start = match header("BO") {
            Some((tag, offset)) => self.board(&tag.value, *offset)?,
            None => Position::START,
        };
        Ok(GgfGame { tags: Vec::with_capacity(tags.len()), game: Game::new(start), plies: Vec::new() })
    }

    /// Gives the tags their meaning: header first, then the moves in their order.
    fn assemble(&self, tags: Vec<PlacedTag>) -> Result<GgfGame, ParseError> {
        let mut ggf = self.header(&tags)?;
        for (tag, offset) in tags {
            if let Some(color) = move_color(&tag) {
                let token = parse_move_token(&tag.value)
                    .map_err(|_| ParseError::at(SUBJECT, self.text, offset, "a move a1-h8 or a pass"))?;
                if holds_several_moves(&tag.value) {
                    return Err(ParseError::at(SUBJECT, self.text, offset, "one move"));
                }
                ggf.play(token, color).map_err(|fault| ParseError::of(SUBJECT, self.text, offset, fault))?;
            }
            ggf.tags.push(tag);
        }
        Ok(ggf)
    }

    /// The value of `BO`, which stands at `offset`; a missing side is Black.
    fn board(&self, value: &str, offset: usize) -> Result<Position, ParseError> {
        let lead = value.len() - value.trim_start().len();
        let cells = match value.trim_start().strip_prefix('8') {
            Some(cells) if !cells.starts_with(|c: char| c.is_ascii_digit()) => cells,
            _ => return Err(ParseError::at(SUBJECT, self.text, offset + lead, "a board of size 8")),
        };
        let end = offset + value.len();
        let cells = parse_cells(SUBJECT, self.text, end - cells.len()..end)?;
        Ok(Position::from_discs(cells.black, cells.white, cells.side.unwrap_or(Color::Black)))
    }
}

/// Checks a match type, tag `TY`; the error is what was expected.
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
    if matches!(size, "" | "8") { Ok(()) } else { Err("board size 8") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn match_types_come_in_any_order() {
        for kind in ["8", "", "s8r20", "8r20s", "r20s8", "8k", "8w", "8r"] {
            assert_eq!(check_match_type(kind), Ok(()), "{kind}");
        }
        assert_eq!(check_match_type("8a"), Err("ordinary rules, not the anti game"));
        for kind in ["10", "s10", "88", "4", "14", "99999999999", "8x", "8 8"] {
            assert!(check_match_type(kind).is_err(), "{kind}");
        }
    }
}
