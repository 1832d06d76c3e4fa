//! The board on a terminal, in letters and colors.

use std::fmt::Write as _;
use std::io::{IsTerminal, stdout};

use crate::board::{Color, Position, Square};
use crate::util::os::terminal;

/// The abilities of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `X` and `O`, for pipes and dumb terminals.
    Ascii,
    /// Round discs, no colors.
    Unicode,
    /// Round discs on green.
    Color,
}

impl Style {
    /// The style for stdout by the environment.
    pub fn detect(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let is_utf8 = |value: String| {
            let value = value.to_ascii_lowercase();
            value.contains("utf-8") || value.contains("utf8")
        };
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
        match () {
            () if !is_terminal || set("TERM").is_none_or(|term| term == "dumb") => Self::Ascii,
            () if !locale.is_some_and(is_utf8) => Self::Ascii,
            () if set("NO_COLOR").is_some() => Self::Unicode,
            () => Self::Color,
        }
    }

    /// The style for stdout.
    pub fn of_stdout() -> Self {
        Self::detect(stdout().is_terminal(), terminal::variable)
    }

    pub fn disc(self, color: Color) -> &'static str {
        match (self, color) {
            (Self::Ascii, Color::Black) => "X",
            (Self::Ascii, Color::White) => "O",
            (Self::Unicode, Color::Black) => "\u{25cf}",
            (Self::Unicode, Color::White) => "\u{25cb}",
            (Self::Color, Color::Black) => "\x1b[38;5;16;48;5;29m \u{25cf} \x1b[0m",
            (Self::Color, Color::White) => "\x1b[38;5;231;48;5;29m \u{25cf} \x1b[0m",
        }
    }

    /// Dim text.
    pub fn quiet(self, text: &str) -> String {
        if self == Self::Color {
            format!("\x1b[38;5;245m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// Bold text.
    pub fn strong(self, text: &str) -> String {
        if self == Self::Color {
            format!("\x1b[1m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// Columns of the terminal, if stdout is one.
pub fn columns() -> Option<usize> {
    stdout().is_terminal().then(textwrap::termwidth)
}

/// The board, its legal moves and last move marked, with up to eight lines of text on its right.
pub fn board(position: &Position, last: Option<Square>, beside: &[String], style: Style) -> String {
    let letters = style.quiet("   a  b  c  d  e  f  g  h");
    let mut text = format!("{letters}\n");
    for rank in 0..8u8 {
        text.push_str(&style.quiet(&(rank + 1).to_string()));
        text.push(' ');
        for file in 0..8 {
            text.push_str(&cell(position, Square::at(file, rank), last, style));
        }
        if style == Style::Color {
            text.push_str("\x1b[0m");
        }
        if let Some(line) = beside
            .get(usize::from(rank))
            .filter(|line| !line.is_empty())
        {
            let _ = write!(text, "   {line}");
        }
        // Squares without a mark must not leave blanks at the end of a line.
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
    text
}

/// A square: three columns.
fn cell(position: &Position, square: Square, last: Option<Square>, style: Style) -> String {
    let bit = square.bit();
    let color = position.disc_at(square);
    let is_move = position.board.moves().0 & bit != 0;
    let is_last = last == Some(square);
    if style != Style::Color {
        let face = match (color, is_move, style) {
            (Some(color), ..) => style.disc(color),
            (None, true, Style::Ascii) => ".",
            (None, true, _) => "\u{b7}",
            (None, false, Style::Ascii) => "-",
            (None, false, _) => " ",
        };
        return if is_last {
            format!("[{face}]")
        } else {
            format!(" {face} ")
        };
    }
    // The last move's square is lighter.
    let ground = if is_last { 71 } else { 29 };
    let (ink, face) = match color {
        Some(Color::Black) => (16, "\u{25cf}"),
        Some(Color::White) => (231, "\u{25cf}"),
        None if is_move => (229, "\u{25e6}"),
        None => (35, "\u{b7}"),
    };
    format!("\x1b[48;5;{ground};38;5;{ink}m {face} ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_follows_the_terminal() {
        let xterm = ("TERM", "xterm-256color");
        let utf8 = ("LANG", "en_US.UTF-8");
        for (is_terminal, variables, style) in [
            (true, &[xterm, utf8] as &[(&str, &str)], Style::Color),
            (false, &[xterm, utf8], Style::Ascii),
            (true, &[("TERM", "dumb"), utf8], Style::Ascii),
            (true, &[utf8], Style::Ascii),
            (true, &[xterm], Style::Ascii),
            (true, &[xterm, utf8, ("LC_ALL", "C")], Style::Ascii),
            (true, &[xterm, utf8, ("NO_COLOR", "1")], Style::Unicode),
            (true, &[xterm, utf8, ("NO_COLOR", "")], Style::Color),
        ] {
            let variable = |name: &str| {
                variables
                    .iter()
                    .find(|(other, _)| *other == name)
                    .map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(
                Style::detect(is_terminal, variable),
                style,
                "{is_terminal} {variables:?}"
            );
        }
    }

    #[test]
    fn the_board_marks_moves_and_the_last_one() {
        let position = Position::START
            .play(crate::board::Move::Place("f5".parse().unwrap()))
            .unwrap();
        let text = board(&position, "f5".parse().ok(), &["one".into()], Style::Ascii);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "1  -  -  -  -  -  -  -  -    one");
        assert_eq!(lines[5], "5  -  -  -  X  X [X] -  -");
        assert_eq!(lines[6], "6  -  -  -  .  -  .  -  -");
        let text = board(&Position::START, None, &[], Style::Color);
        assert_eq!(text.matches('\u{25cf}').count(), 4);
        assert!(text.lines().skip(1).all(|line| line.ends_with("\x1b[0m")));
    }
}
