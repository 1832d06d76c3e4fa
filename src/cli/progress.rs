//! Progress: one line on stderr, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;
use crate::util::printable::escaped;

pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A job of `total` steps, `done` of which were done before.
    pub fn new(total: u64, done: u64) -> Self {
        let target = match output::is_dumb() {
            true => ProgressDrawTarget::hidden(),
            // Hidden as well unless stderr is a terminal.
            false => ProgressDrawTarget::stderr(),
        };
        let bar = ProgressBar::with_draw_target(Some(total), target);
        let style = ProgressStyle::with_template("{pos}/{len} {elapsed}<{eta} {wide_msg}");
        bar.set_style(style.expect("the template is a constant"));
        bar.set_position(done);
        bar.reset_eta();
        Self { bar }
    }

    /// A job of unknown length: shows only the messages.
    pub fn of_messages() -> Self {
        let progress = Self::new(0, 0);
        let style = ProgressStyle::with_template("{wide_msg}");
        progress
            .bar
            .set_style(style.expect("the template is a constant"));
        progress
    }

    /// Whether stderr is a terminal; elsewhere log now and then.
    pub fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
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
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
