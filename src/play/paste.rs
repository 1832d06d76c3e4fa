//! Text of several lines at the keyboard: a game or board is read when its notation ends.

use crate::notation::split::Splitter;

/// Shorter lines begin no text of several lines, unless they begin with a bracket.
const LEAST_BYTES: usize = 4;

/// The lines so far of a position or game.
#[derive(Debug)]
pub struct Paste {
    splitter: Splitter,
    /// The line before was empty.
    after_empty: bool,
}

impl Paste {
    /// Begins with `line`, if its notation goes on in the next line.
    pub fn of_line(line: &str) -> Option<Self> {
        let trimmed = line.trim();
        if trimmed.len() < LEAST_BYTES && !trimmed.starts_with(['(', '[']) {
            return None;
        }
        let mut splitter = Splitter::default();
        splitter.push(line, true);
        splitter.open().map(|_| Self {
            splitter,
            after_empty: false,
        })
    }

    /// Whether `line`, which may be a command, ends the text without being a part of it.
    ///
    /// In an open comment or value every line is text, except a second empty one.
    pub fn is_ended_by(&mut self, line: &str, is_command: bool) -> bool {
        let Some(open) = self.splitter.open() else {
            return true;
        };
        if line.trim().is_empty() {
            return std::mem::replace(&mut self.after_empty, true) && open.is_text
                || !open.is_text && open.may_end;
        }
        self.after_empty = false;
        !open.is_text && is_command
    }

    /// Adds a line; returns the texts that end in it, the pasted one first.
    pub fn add(&mut self, line: &str) -> Vec<String> {
        self.splitter.push(line, true);
        if self.splitter.open().is_none() {
            self.splitter.flush();
        }
        std::iter::from_fn(|| self.splitter.pop())
            .map(|chunk| chunk.text)
            .collect()
    }

    /// The end that the text lacks; `None` if it is complete.
    pub fn missing_end(&self) -> Option<&'static str> {
        self.splitter.open().map(|open| open.end)
    }

    /// The text without an end.
    pub fn end(mut self) -> String {
        self.splitter.finish();
        self.splitter
            .pop()
            .map(|chunk| chunk.text)
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::is_command;
    use super::*;
    use crate::notation::moves::write_moves;
    use crate::notation::parse_position;
    use crate::util::patience::origin;

    /// The pasted text, and the lines behind it.
    fn gather(text: &str) -> Option<(String, String)> {
        let mut lines = text.lines();
        let mut paste = Paste::of_line(lines.next()?)?;
        let mut rest = Vec::new();
        let mut found = None;
        for line in lines.by_ref() {
            if paste.is_ended_by(line, is_command(line, origin())) {
                rest.extend(Some(line).filter(|line| !line.is_empty()));
                break;
            }
            let mut texts = paste.add(line).into_iter();
            found = texts.next();
            if found.is_some() {
                let more: Vec<String> = texts.collect();
                return Some((
                    found?,
                    [more, lines.map(str::to_owned).collect()]
                        .concat()
                        .join("|"),
                ));
            }
        }
        rest.extend(lines);
        Some((found.unwrap_or_else(|| paste.end()), rest.join("|")))
    }

    #[test]
    fn a_text_ends_where_its_notation_ends() {
        let tags = "[Black \"a\"]\n[White \"b\"]\n\n";
        // Transcripts have more.
        for (text, rest) in [
            (format!("{tags}1. f5 d6\n2. c3 40-24\nlist"), "list"),
            // A blank line ends a game that has no result; a comment may hold any line.
            (format!("{tags}1. f5 d6 2. c3\n\nd3"), "d3"),
            (
                format!("{tags}1. f5 {{see\n\nlist\nquit}} d6 2. c3 *\nd3"),
                "d3",
            ),
            (
                "(;GM[Othello]PB[a (b]\nB[f5]W[d6]B[c3];) hint\nundo".to_owned(),
                "hint|undo",
            ),
            (
                "(;GM[2]FF[4]C[a \\] (\n\nquit]\n;B[f5];W[d6]\n;B[c3])\nundo".to_owned(),
                "undo",
            ),
        ] {
            let (found, left) = gather(&text).unwrap();
            let moves = write_moves(parse_position(&found).unwrap().record.game.moves());
            assert_eq!((moves.as_str(), left.as_str()), ("f5d6c3", rest), "{text}");
        }
        let rows = "--------\n--------\n--------\n---OX---\n---XO---\n--------\n--------\n--------";
        let example = "0 0 0 0 0 0 0 0\n".repeat(3) + "0 0 0 W B 0 0 0\n0 0 0 B W 0 0 0\n";
        let example = example + &"0 0 0 0 0 0 0 0\n".repeat(3);
        for (text, side, rest) in [
            (format!("{rows}\nWhite to move\nquit"), "white", "quit"),
            (format!("{example}B\n5\nhint"), "black", "hint"),
        ] {
            let (found, left) = gather(&text).unwrap();
            let position = parse_position(&found).unwrap().position();
            assert_eq!(
                (position.side.to_string().as_str(), left.as_str()),
                (side, rest),
                "{text}"
            );
        }
        // Two empty lines or a command end a text that its notation does not end.
        for (text, rest) in [
            ("(;GM[2]C[never closed\n\nlist", ""),
            ("(;GM[2]C[never closed\n\n\nlist", "list"),
            ("  a b c d e f g h\n1 - - - - - - - -\n\nundo", "undo"),
            (&format!("{rows}\nlist\nquit"), "list|quit"),
            (&format!("{rows}\nwhite engine"), "white engine"),
        ] {
            assert_eq!(gather(text).unwrap().1, rest, "{text}");
        }
    }

    #[test]
    fn one_line_is_no_paste() {
        for line in [
            "f5",
            "(;GM[Othello]B[f5];)",
            "hint",
            "",
            "bbwwbbw",
            "5",
            "W",
            "f5d6c3",
        ] {
            assert!(Paste::of_line(line).is_none(), "{line}");
        }
        for line in ["[Event \"", "(;C[", "1. f5"] {
            assert!(Paste::of_line(line).is_some(), "{line}");
        }
    }
}
