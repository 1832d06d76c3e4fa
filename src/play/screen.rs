//! The screen: texts, the board, the clocks, the bar and the result.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::state::Play;
use crate::analysis::words::minutes;
use crate::board::{Color, Move};
use crate::picture::terminal as draw;
use crate::sentences::paragraph;
use crate::util::printable::escaped;

/// Columns of the board and of the gap behind it.
const BESIDE: usize = 29;

impl Play {
    /// Prints a text without control characters, in lines that fit the terminal.
    pub(super) fn say(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        self.say_painted(&escaped(text.as_ref()))
    }

    /// Prints a text with colors; its foreign parts must be [`escaped`].
    pub(super) fn say_painted(&mut self, text: &str) -> io::Result<()> {
        match (self.setup.columns)() {
            None => writeln!(self.out, "{text}"),
            Some(columns) => text
                .lines()
                .chain(text.is_empty().then_some(""))
                .try_for_each(|line| {
                    let indent = &line[..line.len() - line.trim_start().len()];
                    let options = textwrap::Options::new(columns).subsequent_indent(indent);
                    writeln!(self.out, "{}", textwrap::fill(line, options))
                }),
        }
    }

    /// Prints a paragraph behind a lead.
    pub(super) fn say_behind(&mut self, lead: &str, text: &str) -> io::Result<()> {
        let columns = (self.setup.columns)();
        let text = paragraph(lead, &[text.to_owned()], self.setup.language, columns);
        writeln!(self.out, "{}", escaped(&text))
    }

    pub(super) fn show(&mut self, now: Instant) -> io::Result<()> {
        let table = &self.setup.table;
        let mut beside = self.beside(now);
        let mut below = Vec::new();
        let widest = beside
            .iter()
            .map(|line| textwrap::core::display_width(line))
            .max()
            .unwrap_or_default();
        if (self.setup.columns)().is_some_and(|columns| columns < BESIDE + widest) {
            below = std::mem::take(&mut beside);
            below.retain(|line| !line.is_empty());
        }
        let text = draw::board(&self.position(), table.last(), &beside, self.setup.style);
        write!(self.out, "\n{text}")?;
        below
            .into_iter()
            .try_for_each(|line| writeln!(self.out, "{line}"))
    }

    /// The lines on the right of the board.
    fn beside(&self, now: Instant) -> Vec<String> {
        let table = &self.setup.table;
        let position = self.position();
        let style = self.setup.style;
        let player = |color: Color| {
            let clock = self
                .time_left(color, now)
                .map_or(String::new(), |left| format!("  {}", clock_text(left)));
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
            let number = table
                .game()
                .moves()
                .iter()
                .filter(|mv| **mv != Move::Pass)
                .count()
                + 1;
            lines.push(format!("Move {number}: {} to move", position.side.title()));
        }
        if let Some(last) = table.game().moves().last() {
            lines.push(style.quiet(&format!("Last: {}", last.in_words())));
        }
        lines
    }

    pub(super) fn colored(&self, color: Color) -> String {
        format!("{} {}", self.setup.style.disc(color), color.title())
    }

    pub(super) fn result(&self) -> String {
        let end = self.position();
        let score = end.final_score(Color::Black);
        let black = 32 + score / 2;
        let white = 32 - score / 2;
        match score {
            0 => format!("\nThe game is over: a draw, {black}-{white}"),
            1.. => format!("\nThe game is over: Black wins {black}-{white}"),
            _ => format!("\nThe game is over: White wins {white}-{black}"),
        }
    }

    /// The side to move begins to think.
    pub(super) fn clock_starts(&mut self, now: Instant) {
        (self.since, self.stopped_at, self.flag_fell) = (now, None, false);
    }

    /// Whether the side to move waits for `go`.
    fn waits_for_go(&self) -> bool {
        self.waits && !self.is_human(self.position().side)
    }

    fn is_clock_stopped(&self) -> bool {
        self.stopped_at.is_some() || self.waits_for_go() || self.is_over()
    }

    /// The seconds that the side to move has thought.
    pub(super) fn thought(&self, now: Instant) -> f64 {
        self.stopped_at
            .unwrap_or(now)
            .saturating_duration_since(self.since)
            .as_secs_f64()
    }

    fn time_left(&self, color: Color, now: Instant) -> Option<f64> {
        let left = self.setup.table.remaining(color)?;
        let thinks = color == self.position().side && !self.is_over() && !self.waits_for_go();
        Some((left - if thinks { self.thought(now) } else { 0.0 }).max(0.0))
    }

    /// The end of the time of the side to move, if its clock runs.
    pub(super) fn flag_falls(&self) -> Option<Instant> {
        if self.flag_fell || self.is_clock_stopped() {
            return None;
        }
        let left = self.setup.table.remaining(self.position().side)?;
        self.since.checked_add(Duration::from_secs_f64(left))
    }

    /// Says once that the side to move has used up its time; the game goes on.
    pub(super) fn check_flag(&mut self, now: Instant) -> io::Result<()> {
        if self.flag_falls().is_some_and(|falls| falls <= now) {
            self.flag_fell = true;
            self.say(format!(
                "\n{}'s time is up; the game goes on",
                self.position().side.title()
            ))?;
            self.show(now)?;
        }
        Ok(())
    }

    pub(super) fn show_clocks(&mut self, now: Instant) -> io::Result<()> {
        let left = [Color::Black, Color::White].map(|color| {
            format!(
                "{} {}",
                color.title(),
                clock_text(self.time_left(color, now).unwrap_or_default())
            )
        });
        let state = if self.is_clock_stopped() {
            "; the clock is stopped"
        } else {
            ""
        };
        self.say(format!("{}{state}", left.join(", ")))
    }
}

/// `4:05`, and tenths of the last ten seconds.
fn clock_text(seconds: f64) -> String {
    if seconds < 10.0 {
        return format!("0:{seconds:04.1}");
    }
    minutes(seconds as u64)
}
