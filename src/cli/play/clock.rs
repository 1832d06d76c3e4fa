//! The clock of the side to move: it runs, stands, or has run out.

use std::io;
use std::time::{Duration, Instant};

use super::session::Play;
use super::words::clock_text;
use crate::board::Color;

impl Play {
    /// The side to move begins to think.
    pub(super) fn clock_starts(&mut self, now: Instant) {
        self.since = now;
        self.stopped_at = None;
        self.flag_fell = false;
    }

    /// The clock stands: somebody stopped it, the engine waits for a word, or the game is over.
    fn stands(&self) -> bool {
        let waits = self.waits && !self.is_human(self.setup.table.position().side);
        self.stopped_at.is_some() || waits || self.is_over()
    }

    /// How long the side to move has thought.
    pub(super) fn thought(&self, now: Instant) -> f64 {
        self.stopped_at.unwrap_or(now).saturating_duration_since(self.since).as_secs_f64()
    }

    /// Seconds left on a clock now.
    pub(super) fn time_left(&self, color: Color, now: Instant) -> Option<f64> {
        let left = self.setup.table.remaining(color)?;
        let thinks = color == self.setup.table.position().side && !self.is_over();
        let waits = self.waits && !self.is_human(color);
        let used = if thinks && !waits { self.thought(now) } else { 0.0 };
        Some((left - used).max(0.0))
    }

    /// When the clock that runs will have run out.
    pub(super) fn flag_falls(&self) -> Option<Instant> {
        if self.flag_fell || self.stands() {
            return None;
        }
        let table = &self.setup.table;
        let left = table.remaining(table.position().side)?;
        self.since.checked_add(Duration::from_secs_f64(left))
    }

    /// Tells once when the side to move has used its clock up; the game goes on.
    pub(super) fn tick(&mut self, now: Instant) -> io::Result<()> {
        if self.flag_falls().is_some_and(|falls| falls <= now) {
            self.flag_fell = true;
            let side = self.setup.table.position().side;
            self.say(format!("\n{}'s time is up; the game goes on", side.title()))?;
            self.show(now)?;
        }
        Ok(())
    }

    /// Tells the clocks, stops the one that runs, or lets it go on.
    pub(super) fn set_clock(&mut self, runs: Option<bool>, now: Instant) -> io::Result<()> {
        let Some(_) = self.setup.table.clock else {
            return self.say("There is no clock: emilia play --clock 5:00+3 has one");
        };
        match (runs, self.stopped_at) {
            (Some(false), None) => self.stopped_at = Some(now),
            (Some(true), Some(at)) => {
                self.since += now.saturating_duration_since(at);
                self.stopped_at = None;
            }
            _ => {}
        }
        let left = [Color::Black, Color::White].map(|color| {
            let left = self.time_left(color, now).unwrap_or_default();
            format!("{} {}", color.title(), clock_text(left))
        });
        let state = if self.stands() { "; the clock stands" } else { "" };
        self.say(format!("{}{state}", left.join(", ")))
    }
}
