//! Does an engine keep to the protocols? One check per item of a list of 80, run against any program.
//!
//! The numbers are those of the conformance list that this engine was built to: 1-44 NBoard, 45-72 GTP,
//! 73-80 both. Each check starts a process of its own, so that no failure hides another.

mod both;
mod gtp;
mod nboard;
mod probe;

use std::fmt;
use std::io;
use std::time::Duration;

pub use probe::Miss;

use crate::peers::process::{Process, Silence};

/// Which half of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The NBoard items.
    NBoard,
    /// The GTP items.
    Gtp,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NBoard => "NBoard",
            Self::Gtp => "GTP",
        })
    }
}

/// What a check found: what was seen, or why it missed.
type Verdict = Result<String, Miss>;

/// One item of the list.
pub struct Item {
    /// Its number.
    pub number: u8,
    /// What it asks for.
    pub title: &'static str,
    /// Runs it against this command line.
    check: fn(&Target) -> Verdict,
}

/// What is being checked.
pub struct Target {
    /// The command line.
    pub command: String,
    /// The protocol it speaks.
    pub side: Side,
}

impl Target {
    /// Starts the program once: one that is not there need not fail item by item.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub fn try_start(&self) -> io::Result<()> {
        Process::spawn(&self.command).map(drop)
    }
}

/// The outcome of one item.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The item's number.
    pub number: u8,
    /// What it asks for.
    pub title: &'static str,
    /// What was seen.
    pub verdict: Verdict,
}

/// The items for a protocol, in order.
pub fn items(side: Side) -> Vec<&'static Item> {
    let own: &[Item] = match side {
        Side::NBoard => nboard::ITEMS,
        Side::Gtp => gtp::ITEMS,
    };
    own.iter().chain(both::ITEMS).collect()
}

impl Item {
    /// Runs the check. A missed one is tried once more: some are about milliseconds, and the machine may be busy.
    pub fn run(&self, target: &Target) -> Finding {
        let mut verdict = (self.check)(target);
        if matches!(verdict, Err(Miss::Fail(_))) {
            verdict = (self.check)(target);
        }
        Finding { number: self.number, title: self.title, verdict }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, text) = match &self.verdict {
            Ok(seen) => ("pass", seen),
            Err(Miss::Fail(why)) => ("FAIL", why),
            Err(Miss::Skip(why)) => ("skip", why),
        };
        write!(f, "{:>3}  {word}  {:<46}  {text}", self.number, self.title)
    }
}

impl From<Silence> for Miss {
    fn from(silence: Silence) -> Self {
        Self::Fail(silence.to_string())
    }
}

/// Passes with what was seen, or fails with it.
fn when(holds: bool, seen: impl Into<String>) -> Verdict {
    if holds { Ok(seen.into()) } else { Err(Miss::Fail(seen.into())) }
}

fn ms(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_complete_and_in_order() {
        let numbers = |side| items(side).iter().map(|item| item.number).collect::<Vec<_>>();
        assert_eq!(numbers(Side::NBoard), (1..=44).chain(73..=80).collect::<Vec<_>>());
        assert_eq!(numbers(Side::Gtp), (45..=80).collect::<Vec<_>>());
    }

    #[test]
    fn an_engine_that_says_nothing_fails() {
        let target = Target { command: "true".to_owned(), side: Side::NBoard };
        let finding = items(Side::NBoard)[1].run(&target);
        assert!(matches!(finding.verdict, Err(Miss::Fail(_))), "{finding}");
        assert!(finding.to_string().starts_with("  2  FAIL"));
    }
}
