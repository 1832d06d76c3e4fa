//! What stands on the screen: the board, the clocks, the bar, the result.

use std::io::{self, Write};
use std::time::Instant;

use super::session::Play;
use super::words::clock_text;
use crate::board::{Color, Move};
use crate::cli::draw;
use crate::cli::language::paragraph;
use crate::util::printable::escaped;

/// Columns of the board and of the gap behind it.
const BESIDE: usize = 29;

impl Play {
    /// Prints a text without control characters, in lines that fit the terminal.
    pub(super) fn say(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        self.say_painted(&escaped(text.as_ref()))
    }

    /// Prints a text that has colors: what comes from elsewhere in it must be [`escaped`].
    pub(super) fn say_painted(&mut self, text: &str) -> io::Result<()> {
        match (self.setup.columns)() {
            None => writeln!(self.out, "{text}"),
            Some(columns) => text.lines().chain(text.is_empty().then_some("")).try_for_each(|line| {
                let indent = &line[..line.len() - line.trim_start().len()];
                let options = textwrap::Options::new(columns).subsequent_indent(indent);
                writeln!(self.out, "{}", textwrap::fill(line, options))
            }),
        }
    }

    /// Tells something behind a lead.
    pub(super) fn say_behind(&mut self, lead: &str, text: &str) -> io::Result<()> {
        let columns = (self.setup.columns)();
        let text = paragraph(lead, &[text.to_owned()], self.setup.language, columns);
        writeln!(self.out, "{}", escaped(&text))
    }

    pub(super) fn show(&mut self, now: Instant) -> io::Result<()> {
        let table = &self.setup.table;
        let mut beside = self.beside(now);
        let mut below = Vec::new();
        let widest = beside.iter().map(|line| textwrap::core::display_width(line)).max().unwrap_or_default();
        if (self.setup.columns)().is_some_and(|columns| columns < BESIDE + widest) {
            below = std::mem::take(&mut beside);
            below.retain(|line| !line.is_empty());
        }
        let text = draw::board(&table.position(), table.last(), &beside, self.setup.style);
        write!(self.out, "\n{text}")?;
        below.into_iter().try_for_each(|line| writeln!(self.out, "{line}"))
    }

    /// What stands on the right of the board.
    fn beside(&self, now: Instant) -> Vec<String> {
        let table = &self.setup.table;
        let position = table.position();
        let style = self.setup.style;
        let player = |color: Color| {
            let clock =
                self.time_left(color, now).map_or(String::new(), |left| format!("  {}", clock_text(left)));
            let count = position.discs(color).count_ones();
            format!(
                "{} {:<5} {count:>2}  {}{clock}",
                style.disc(color),
                color.title(),
                escaped(&self.name(color))
            )
        };
        let mut lines = vec![player(Color::Black), player(Color::White), String::new()];
        if !position.is_over() {
            let number = table.game().moves().iter().filter(|mv| **mv != Move::Pass).count() + 1;
            lines.push(format!("Move {number}: {} to move", position.side.title()));
        }
        if let Some(last) = table.game().moves().last() {
            lines.push(style.quiet(&format!("Last: {}", last.in_words())));
        }
        if let Some((score, known)) = self.score.as_ref().filter(|_| self.setup.bar) {
            lines.push(draw::bar(*score, style));
            let leader = if *score < 0.0 { "White" } else { "Black" };
            lines.push(style.quiet(&format!("{:+.1} for {leader} ({known})", score.abs())));
        }
        lines
    }

    pub(super) fn colored(&self, color: Color) -> String {
        format!("{} {}", self.setup.style.disc(color), color.title())
    }

    pub(super) fn result(&self) -> String {
        let end = self.setup.table.position();
        let score = end.final_score(Color::Black);
        let (black, white) = (32 + score / 2, 32 - score / 2);
        match score {
            0 => format!("\nThe game is over: a draw, {black}-{white}"),
            1.. => format!("\nThe game is over: Black wins {black}-{white}"),
            _ => format!("\nThe game is over: White wins {white}-{black}"),
        }
    }
}
