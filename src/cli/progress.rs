//! What a long command shows on stderr: a warning before it begins; its progress in one line, on a terminal only.

use std::fmt;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;
use crate::analysis::words;
use crate::board::Board;
use crate::engine::cost::{Cost, LONG};
use crate::search::{Clock, Limits, Task};
use crate::util::printable::escaped;

pub struct Progress {
    bar: ProgressBar,
}

/// Whether a line of progress is on the terminal.
static IS_DRAWN: AtomicBool = AtomicBool::new(false);

/// The lines of progress: of steps, of bytes, of messages.
const STEPS: &str = "{pos}/{len} {elapsed}<{eta} {wide_msg}";
const BYTES: &str = "{percent} % {elapsed}<{eta} {wide_msg}";
const MESSAGES: &str = "{wide_msg}";

impl Progress {
    /// A job of `total` steps, `done` of which were done before.
    pub fn new(total: u64, done: u64) -> Self {
        Self::drawn(STEPS, total, done)
    }

    /// A job of `total` bytes, shown as a percentage.
    pub fn of_bytes(total: u64) -> Self {
        Self::drawn(BYTES, total, 0)
    }

    /// A job of unknown length: shows only the messages.
    pub fn of_messages() -> Self {
        Self::drawn(MESSAGES, 0, 0)
    }

    /// Shows nothing.
    pub fn hidden() -> Self {
        Self::on(ProgressDrawTarget::hidden(), MESSAGES, 0, 0)
    }

    /// The progress of a command with results: hidden where the results themselves are on the terminal.
    pub fn of_results(are_in_file: bool, progress: impl FnOnce() -> Self) -> Self {
        match !are_in_file && stdout().is_terminal() {
            true => Self::hidden(),
            false => progress(),
        }
    }

    fn drawn(template: &str, total: u64, done: u64) -> Self {
        let target = match output::is_dumb() {
            true => ProgressDrawTarget::hidden(),
            // Hidden as well unless stderr is a terminal.
            false => ProgressDrawTarget::stderr(),
        };
        IS_DRAWN.store(!target.is_hidden(), Ordering::Relaxed);
        Self::on(target, template, total, done)
    }

    fn on(target: ProgressDrawTarget, template: &str, total: u64, done: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), target);
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.expect("the template is a constant"));
        bar.set_position(done);
        bar.reset_eta();
        Self { bar }
    }

    /// Ends the line of a job that a signal ends.
    pub fn leave() {
        if IS_DRAWN.load(Ordering::Relaxed) {
            let _ = stderr().lock().write_all(b"\n");
        }
    }

    /// Whether stderr is a terminal; elsewhere log now and then.
    pub fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Adds steps to those of the whole job.
    pub fn extend(&self, steps: u64) {
        self.bar.inc_length(steps);
    }

    /// Sets the number of steps done.
    pub fn reach(&self, position: u64) {
        self.bar.set_position(position);
    }

    pub fn advance(&self, steps: u64) {
        self.bar.inc(steps);
    }

    /// Sets the text after the numbers; it is cut at the edge of the terminal.
    pub fn message(&self, text: &str) {
        self.bar.set_message(escaped(text).into_owned());
    }

    /// Clears the line while `write` prints to the terminal.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Removes the line.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
        IS_DRAWN.store(false, Ordering::Relaxed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Seconds from which the warning advises a shorter search: two days.
const HOPELESS: f64 = 172_800.0;

/// Prints to stderr the time to solve positions one after another with all `threads`, if that is long. `what` names the
/// positions. Returns whether it printed.
pub fn warn_of_solves(
    what: impl fmt::Display,
    boards: impl IntoIterator<Item = Board>,
    multi_pv: usize,
    limits: &Limits,
    threads: usize,
) -> bool {
    if limits.nodes.is_some() || limits.clock != Clock::Unlimited {
        return false;
    }
    let costs: Vec<(Board, Cost)> = boards
        .into_iter()
        .filter_map(|board| {
            let task = Task {
                multi_pv,
                ..Task::new(board, *limits)
            };
            Some((board, Cost::of(&task, threads, None)?))
        })
        .collect();
    let seconds: f64 = costs.iter().map(|(_, cost)| cost.seconds).sum();
    if seconds < LONG {
        return false;
    }
    let time = match &costs[..] {
        [(board, cost)] => format!("{} empties, {}", board.empty_count(), words::cost(cost)),
        _ => format!(
            "{} positions to solve, {}",
            costs.len(),
            words::time(seconds)
        ),
    };
    let advice = if seconds > HOPELESS {
        "; for an estimate now: emilia analyze --depth 24"
    } else {
        ""
    };
    output::message(format_args!("{what}: {time}{advice}"));
    true
}
