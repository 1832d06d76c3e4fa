//! One item of the list, and its outcome.

use std::fmt;

use super::check::{CheckResult, Miss, Target};
use super::probe::{Gtp, NBoard};

/// One item of the list.
pub struct Item {
    /// Its number.
    pub number: u8,
    /// What it asks for.
    pub title: &'static str,
    check: Check,
}

/// A check, of a program or of an engine that was started and greeted.
enum Check {
    Program(fn(&Target) -> CheckResult),
    NBoard(fn(NBoard) -> CheckResult),
    Gtp(fn(Gtp) -> CheckResult),
}

pub(super) const fn program(number: u8, title: &'static str, check: fn(&Target) -> CheckResult) -> Item {
    Item { number, title, check: Check::Program(check) }
}

pub(super) const fn nboard(number: u8, title: &'static str, check: fn(NBoard) -> CheckResult) -> Item {
    Item { number, title, check: Check::NBoard(check) }
}

pub(super) const fn gtp(number: u8, title: &'static str, check: fn(Gtp) -> CheckResult) -> Item {
    Item { number, title, check: Check::Gtp(check) }
}

impl Item {
    /// Runs the check. A missed one is tried once more: some are about milliseconds, and the machine may be busy.
    pub fn run(&self, target: &Target) -> Finding {
        let run = || match self.check {
            Check::Program(check) => check(target),
            Check::NBoard(check) => NBoard::start(target).and_then(check),
            Check::Gtp(check) => Gtp::start(target).and_then(check),
        };
        let mut result = run();
        if matches!(result, Err(Miss::Fail(_))) {
            result = run();
        }
        Finding { number: self.number, title: self.title, result }
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
    pub result: CheckResult,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, text) = match &self.result {
            Ok(seen) => ("pass", seen),
            Err(Miss::Fail(why)) => ("FAIL", why),
            Err(Miss::Skip(why)) => ("skip", why),
        };
        write!(f, "{:>3}  {word}  {:<46}  {text}", self.number, self.title)
    }
}
