//! The class of an entry by its beginning. `NOTATIONS.md` has the rules.

use std::rc::Rc;

use super::ParseError;
use super::grammar::drawn;
use super::grammar::remarks::is_fen;
use super::grammar::signs::is_sign;
use super::grammar::words::digits_of;
use super::plain::first_word;
use super::table::{self, Columns};

/// The class of an entry, which its beginning decides.
#[derive(Clone, Debug, PartialEq)]
pub enum Class {
    Json,
    Pgn,
    /// A game of GGF or SGF.
    Brackets,
    Fen,
    Diagram,
    /// A board in one line, also GGF's.
    Board,
    Bitboards,
    /// A row of a table with these columns.
    Table(Rc<Columns>),
    Moves,
}

/// Fewer signs at the beginning are no board.
const LEAST_SIGNS: usize = 20;

impl Class {
    /// The class of an entry that begins with this plain line, which begins with no blank.
    pub fn of(line: &str) -> Result<Self, ParseError> {
        let first = line.chars().next().unwrap_or(' ');
        let word = first_word(line);
        let is_ggf_board = |line: &str| {
            let signs = line.strip_prefix("8 ").map(str::trim_start);
            signs.is_some_and(|signs| {
                signs.starts_with(is_sign) && signs.split_whitespace().count() > 8
            })
        };
        let is_board = || {
            line.strip_prefix('[')
                .map_or(is_ggf_board(line), is_ggf_board)
                || word
                    .chars()
                    .take(LEAST_SIGNS)
                    .filter(|c| is_sign(*c))
                    .count()
                    == LEAST_SIGNS
        };
        Ok(match first {
            '{' => Self::Json,
            '[' if is_tag(line) => Self::Pgn,
            '[' if is_board() => Self::Board,
            '[' if begins_list(&line[1..]) => Self::Json,
            '(' if line.starts_with("(;") => Self::Brackets,
            '0'..='9' if is_match(line) => Self::Brackets,
            '8' if is_board() => Self::Board,
            _ if is_fen(word) => Self::Fen,
            _ if drawn::begins(line) => Self::Diagram,
            _ if is_sign(first) && is_board() => Self::Board,
            _ if is_bitboards(line) => Self::Bitboards,
            'a'..='z' | 'A'..='Z' | '"' => match table::header(line)? {
                Some(columns) => Self::Table(columns.into()),
                None => Self::Moves,
            },
            _ => Self::Moves,
        })
    }

    /// Whether its entries are positions.
    pub fn is_of_positions(&self) -> bool {
        matches!(
            self,
            Self::Fen | Self::Diagram | Self::Board | Self::Bitboards
        )
    }
}

/// Whether a line begins as a tag of PGN: `[Word "`.
pub fn is_tag(line: &str) -> bool {
    let Some(inner) = line.strip_prefix('[') else {
        return false;
    };
    let name = inner.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    name.len() < inner.len()
        && name.starts_with([' ', '\t'])
        && name.trim_start_matches([' ', '\t']).starts_with('"')
}

/// Whether the text behind `[` begins a list of JSON.
fn begins_list(inner: &str) -> bool {
    let inner = inner.trim_start();
    let number = inner.strip_prefix('-').unwrap_or(inner);
    inner.is_empty()
        || inner.starts_with(['{', '[', ']', '"'])
        || number.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a line begins with the number of games of a match: `2 (;`.
fn is_match(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.starts_with([' ', '\t']) && rest.trim_start_matches([' ', '\t']).starts_with("(;")
}

/// Whether the first two words have 16 hexadecimal digits, or the first one `0x`.
fn is_bitboards(line: &str) -> bool {
    let mut words = line.split_whitespace().take(2);
    let is_marked = line.starts_with("0x") || line.starts_with("0X");
    is_marked || words.clone().count() == 2 && words.all(|word| digits_of(word).is_some())
}

/// Whether a game in brackets is SGF: it has `;` before each node, or tags that GGF lacks. Old files write `Black[f5]`.
pub fn is_sgf(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
    let lower = text.to_ascii_lowercase();
    let has = |mark: &str| lower.contains(mark);
    let is_ggf = has("bo[8") || has("gm[othello");
    let later_node = lower
        .get(2..)
        .is_some_and(|rest| rest.contains(";b[") || rest.contains(";w["));
    let marks = ["gm[1]", "gm[2]", "ff[", "sz[", "ca["];
    !is_ggf && (later_node || marks.into_iter().any(has))
}
