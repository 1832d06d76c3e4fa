//! Finds the end of a game of PGN in a text that comes line by line.

use super::is_separator;
use crate::notation::grammar::tags::{is_result, tag_in};

/// How far a game of PGN has been followed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pgn {
    pub in_moves: bool,
    pub in_comment: bool,
    /// Variations that are open.
    depth: usize,
}

/// The end of a game of PGN, by its next line.
pub enum Next {
    Before,
    Inside,
    /// Behind this byte of the line.
    After(usize),
}

impl Pgn {
    /// The end of the game, by its next line.
    pub fn next(&mut self, line: &str) -> Next {
        let trimmed = line.trim();
        let is_open = self.in_comment || self.depth > 0;
        let mut begin = 0;
        if !is_open && trimmed.starts_with('[') {
            if self.in_moves {
                return Next::Before;
            }
            // Moves may stand behind the tags of a line.
            begin = line.len() - behind_tags(line).len();
            if line[begin..].trim().is_empty() {
                return Next::Inside;
            }
        }
        if !is_open && self.in_moves && is_separator(trimmed) {
            return Next::Before;
        }
        self.in_moves |= !trimmed.is_empty();
        let mut word = begin;
        let ends = line.char_indices().chain([(line.len(), '\n')]);
        for (at, c) in ends.skip_while(|(at, _)| *at < begin) {
            if self.in_comment {
                self.in_comment = c != '}';
                word = at + c.len_utf8();
                continue;
            }
            if !(c.is_whitespace() || "{;()".contains(c)) {
                continue;
            }
            if self.depth == 0 && is_result(&line[word..at]) {
                return Next::After(at);
            }
            word = at + c.len_utf8();
            match c {
                '{' => self.in_comment = true,
                ';' => break,
                '(' => self.depth += 1,
                ')' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        Next::Inside
    }
}

/// The text behind the tags of PGN with which a line begins.
fn behind_tags(line: &str) -> &str {
    let mut rest = line.trim_start();
    while let Some((_, _, length)) = tag_in(rest) {
        rest = rest[length..].trim_start();
    }
    // A faulty tag is no text behind tags.
    if rest.starts_with('[') { "" } else { rest }
}
