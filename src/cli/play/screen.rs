//! What stands on the screen: the board, the clocks, the bar, the result.

use std::io::{self, Write};
use std::time::Instant;

use super::session::Play;
use super::words::clock_text;
use crate::board::{Color, Move};
use crate::cli::draw;

impl Play {
    pub(super) fn show(&mut self, now: Instant) -> io::Result<()> {
        let table = &self.setup.table;
        let beside = self.beside(now);
        let text = draw::board(&table.position(), table.last(), &beside, self.setup.style);
        write!(self.out, "\n{text}")
    }

    /// Seconds left on a clock now: that of the side to move runs.
    fn time_left(&self, color: Color, now: Instant) -> Option<f64> {
        let left = self.setup.table.remaining(color)?;
        let runs = color == self.setup.table.position().side && !self.is_over();
        let used = if runs { now.saturating_duration_since(self.since).as_secs_f64() } else { 0.0 };
        Some((left - used).max(0.0))
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
            format!("{} {:<5} {count:>2}  {}{clock}", style.disc(color), color.title(), self.name(color))
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
