//! The programs by name, and their settings.

use anyhow::{Result, bail};

use crate::tournament::players::options::number;

/// The programs, roughly from the weakest to the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Program {
    Random,
    Greedy,
    OthelloAi,
    Sustech,
    Applet,
    PentAi,
}

/// The name and the described depth in plies of each program.
pub(super) const PROGRAMS: [(Program, &str, u8); 6] = [
    (Program::Random, "random", 1),
    (Program::Greedy, "greedy", 1),
    (Program::OthelloAi, "othelloai", 6),
    (Program::Sustech, "sustech", 4),
    (Program::Applet, "applet", 4),
    (Program::PentAi, "pentai", 4),
];

pub fn names() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().map(|&(_, name, _)| name)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LadderOptions {
    pub(super) program: Program,
    pub(super) name: &'static str,
    /// Plies.
    pub(super) depth: u8,
    /// PentAI: the percentage of candidate moves that it sees.
    pub(super) vision: u8,
    /// PentAI: below 100 percent a random shift changes its scores.
    pub(super) judgement: u8,
}

impl LadderOptions {
    /// The program of this name with its usual settings.
    pub fn named(name: &str) -> Option<Self> {
        let &(program, name, depth) = PROGRAMS.iter().find(|(_, other, _)| *other == name)?;
        Some(Self {
            program,
            name,
            depth,
            vision: 100,
            judgement: 100,
        })
    }

    /// Whether all its games have random moves.
    pub fn varies(&self) -> bool {
        matches!(self.program, Program::Random | Program::Greedy)
            || self.vision < 100
            || self.judgement < 100
    }

    /// Changes one setting.
    ///
    /// # Errors
    /// When there is no such setting or the value is out of range.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let is_pentai = self.program == Program::PentAi;
        let (setting, most, unit) = match key {
            "depth" => (&mut self.depth, 20, "plies"),
            "vision" if is_pentai => (&mut self.vision, 100, "percent"),
            "judgement" if is_pentai => (&mut self.judgement, 100, "percent"),
            _ => {
                let more = if is_pentai { ", vision, judgement" } else { "" };
                bail!(
                    "{} has no such option: depth{more}, clock, move-time, margin",
                    self.name
                )
            }
        };
        *setting = number(key, value, 1..=most, unit)?;
        Ok(())
    }
}
