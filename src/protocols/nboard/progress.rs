//! The pace of a request's lines: often enough to watch, seldom enough for a GUI to keep up.

use std::io;
use std::time::{Duration, Instant};

use super::print;
use crate::board::Move;
use crate::engine::{Hint, Hints, Worth};
use crate::protocols::console::LineWriter;
use crate::search::Info;

/// At most about ten updates per second.
const UPDATE: Duration = Duration::from_millis(100);
/// And no more lines than about fifty per second.
const PER_LINE: Duration = Duration::from_millis(20);
/// Most lines before the end of a request; clients give up after 10,000.
const MAX_LINES: usize = 9_000;

/// The shown part of a running request, and the time of its next line.
pub struct RequestProgress {
    started: Instant,
    hints: Hints,
    /// The requested number of moves.
    count: usize,
    /// Moves with a printed line.
    printed: Vec<Move>,
    nodes: u64,
    /// Nodes of the ended searches of the request.
    done: u64,
    lines: usize,
    /// An iteration that came too soon after the one before.
    pending: Option<Info>,
    shown: Option<Info>,
    next_update: Instant,
    next_stats: Instant,
}

impl RequestProgress {
    /// A request that starts now, for the best `count` moves, with the known `hints`.
    pub fn new(now: Instant, hints: Hints, count: usize) -> Self {
        Self {
            started: now,
            hints,
            count,
            printed: Vec::new(),
            nodes: 0,
            done: 0,
            lines: 0,
            pending: None,
            shown: None,
            next_update: now,
            next_stats: now + Duration::from_secs(1),
        }
    }

    pub fn elapsed(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.started)
    }

    /// When the next line is due.
    pub fn deadline(&self) -> Option<Instant> {
        let update = self.pending.as_ref().map(|_| self.next_update);
        let due = update.into_iter().chain([self.next_stats]).min();
        due.filter(|_| self.lines < MAX_LINES)
    }

    /// Raises the node count to `nodes`; it never falls.
    pub fn count(&mut self, nodes: u64) {
        self.nodes = self.nodes.max(nodes);
    }

    /// Adds the nodes of another search of the request.
    pub fn add(&mut self, nodes: u64) {
        self.done += nodes;
        self.count(self.done);
    }

    /// Shows an iteration as soon as the pace allows.
    pub fn iteration(&mut self, info: Info, now: Instant, out: &LineWriter) -> io::Result<()> {
        self.count(info.nodes);
        self.pending = Some(info);
        self.show_pending(now, out)
    }

    /// Prints all lines that are due.
    pub fn tick(&mut self, nodes: u64, now: Instant, out: &LineWriter) -> io::Result<()> {
        self.count(nodes);
        self.show_pending(now, out)?;
        if now >= self.next_stats && self.lines < MAX_LINES {
            self.lines += 1;
            // Every second at first, then less often: a search of days stays below the limit of lines.
            let interval = Duration::from_secs(1).max(self.elapsed(now) / 1000);
            self.next_stats = now + interval;
            out.line(&print::node_stats(self.nodes, self.elapsed(now)))?;
        }
        Ok(())
    }

    /// Prints the book's hints.
    pub fn open(&mut self, out: &LineWriter) -> io::Result<()> {
        let nothing = Info {
            lines: Vec::new(),
            nodes: 0,
            time: Duration::ZERO,
        };
        let best = self.hints.improve(&nothing, self.count);
        let book: Vec<Hint> = best
            .into_iter()
            .filter(|hint| hint.is_book())
            .cloned()
            .collect();
        self.print(&book, out)
    }

    /// Shows the last iteration at once, unless it is shown already, then better hints of earlier requests. Returns all
    /// hints.
    pub fn close(&mut self, info: Info, out: &LineWriter) -> io::Result<Hints> {
        self.count(info.nodes);
        self.pending = None;
        self.show(info.clone(), out)?;
        let best = self.hints.improve(&info, self.count);
        let is_printed = |hint: &Hint| hint.mv().is_none_or(|mv| self.printed.contains(&mv));
        let mut left: Vec<Hint> = best
            .into_iter()
            .filter(|hint| !is_printed(hint))
            .cloned()
            .collect();
        left.sort_by_key(Hint::worth);
        self.print(&left, out)?;
        Ok(std::mem::take(&mut self.hints))
    }

    pub fn final_stats(&self, now: Instant) -> String {
        print::node_stats(self.nodes, self.elapsed(now))
    }

    fn show_pending(&mut self, now: Instant, out: &LineWriter) -> io::Result<()> {
        if now < self.next_update || self.lines >= MAX_LINES {
            return Ok(());
        }
        if let Some(info) = self.pending.take() {
            let lines = self.show(info, out)?;
            self.next_update = now + UPDATE.max(PER_LINE * lines);
        }
        Ok(())
    }

    /// Prints the lines of an iteration that improve the hints; returns their number.
    fn show(&mut self, info: Info, out: &LineWriter) -> io::Result<u32> {
        let worth = |info: &Info| info.lines.iter().map(Worth::of).min();
        // A stopped search may return an earlier iteration; the GUI would drop the later one.
        let stale = |shown: &Info| worth(&info) < worth(shown) || shown.lines == info.lines;
        if worth(&info).is_none() || self.shown.as_ref().is_some_and(stale) {
            return Ok(0);
        }
        let best = self.hints.improve(&info, self.count);
        let found = |hint: &Hint| !hint.is_book() && info.lines.contains(&hint.line);
        let is_new = |hint: &Hint| hint.mv().is_some_and(|mv| !self.printed.contains(&mv));
        let (found, known): (Vec<Hint>, Vec<Hint>) = best.into_iter().cloned().partition(found);
        // NBoard drops older lines at a new depth, so the book's lines are sent again.
        let mut lines = found.clone();
        lines.extend(
            known
                .into_iter()
                .filter(|hint| hint.is_book() && (!found.is_empty() || is_new(hint))),
        );
        self.print(&lines, out)?;
        self.shown = Some(info);
        Ok(lines.len() as u32)
    }

    fn print(&mut self, hints: &[Hint], out: &LineWriter) -> io::Result<()> {
        for hint in hints {
            if let (Some(mv), Some(text)) = (hint.mv(), print::hint(hint)) {
                if !self.printed.contains(&mv) {
                    self.printed.push(mv);
                }
                self.lines += 1;
                out.line(&text)?;
            }
        }
        Ok(())
    }
}
