//! The pace of a request's lines: often enough to watch, seldom enough for a GUI to keep up.

use std::io;
use std::time::{Duration, Instant};

use super::print::{self, Depth};
use crate::protocols::console::LineWriter;
use crate::search::Info;

/// At most about ten updates per second.
const UPDATE: Duration = Duration::from_millis(100);
/// And no more lines than about fifty per second.
const PER_LINE: Duration = Duration::from_millis(20);
/// Clients give up on a request after 10,000 lines; what follows this many is only its end.
const MAX_LINES: usize = 9_000;

/// What has been shown of a running request, and when the next line is due.
pub struct Progress {
    started: Instant,
    /// Empty squares of the position searched.
    empties: u32,
    nodes: u64,
    lines: usize,
    /// An iteration that came too soon after the one before.
    pending: Option<Info>,
    shown: Option<(Depth, Info)>,
    next_update: Instant,
    next_stats: Instant,
}

impl Progress {
    /// A request that starts now.
    pub fn new(now: Instant, empties: u32) -> Self {
        Self {
            started: now,
            empties,
            nodes: 0,
            lines: 0,
            pending: None,
            shown: None,
            next_update: now,
            next_stats: now + Duration::from_secs(1),
        }
    }

    /// When the request started.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Time since the request started.
    pub fn elapsed(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.started)
    }

    /// When the next line is due.
    pub fn deadline(&self) -> Option<Instant> {
        let update = self.pending.as_ref().map(|_| self.next_update);
        let due = update.into_iter().chain([self.next_stats]).min();
        due.filter(|_| self.lines < MAX_LINES)
    }

    /// Notes a node count; counts never go down.
    pub fn count(&mut self, nodes: u64) {
        self.nodes = self.nodes.max(nodes);
    }

    /// Takes an iteration and shows it as soon as the pace allows.
    pub fn iteration(&mut self, info: Info, now: Instant, out: &LineWriter) -> io::Result<()> {
        self.count(info.nodes);
        self.pending = Some(info);
        self.show_pending(now, out)
    }

    /// Shows what is due now.
    pub fn tick(&mut self, nodes: u64, now: Instant, out: &LineWriter) -> io::Result<()> {
        self.count(nodes);
        self.show_pending(now, out)?;
        if now >= self.next_stats && self.lines < MAX_LINES {
            self.lines += 1;
            // Every second at first; a search of days still stays below the limit of lines.
            let interval = Duration::from_secs(1).max(self.elapsed(now) / 1000);
            self.next_stats = now + interval;
            out.line(&print::node_stats(self.nodes, self.elapsed(now)))?;
        }
        Ok(())
    }

    /// Shows the last iteration, whatever the pace, unless it stands there already.
    pub fn last_iteration(&mut self, info: Info, out: &LineWriter) -> io::Result<()> {
        self.count(info.nodes);
        self.pending = None;
        self.show(info, out).map(drop)
    }

    /// The final `nodestats` line.
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

    /// Prints an iteration move by move with one depth token; returns the number of lines.
    fn show(&mut self, info: Info, out: &LineWriter) -> io::Result<u32> {
        let Some(depth) = Depth::of_iteration(&info, self.empties) else {
            return Ok(0);
        };
        // A stopped search may fall back on an earlier iteration: the GUI would drop the later one.
        let stale =
            self.shown.as_ref().is_some_and(|(shown, last)| depth < *shown || last.lines == info.lines);
        if stale {
            return Ok(0);
        }
        let mut lines = 0;
        for text in info.lines.iter().filter_map(|line| print::search(line, depth)) {
            out.line(&text)?;
            lines += 1;
        }
        self.lines += lines as usize;
        self.shown = Some((depth, info));
        Ok(lines)
    }
}
