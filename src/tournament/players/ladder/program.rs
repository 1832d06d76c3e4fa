//! The programs by name, their settings, and what each of them does.

use anyhow::{Context, Result, bail, ensure};

use crate::board::{Game, Square};
use crate::util::rng::Rng;

/// The programs, weakest first as far as one can tell without playing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Any legal move.
    Random,
    /// The move that turns most discs.
    Greedy,
    /// othelloAI.
    OthelloAi,
    /// The SUSTech student engine.
    Sustech,
    /// The Java applet.
    Applet,
    /// PentAI.
    PentAi,
}

impl Program {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Random, Self::Greedy, Self::OthelloAi, Self::Sustech, Self::Applet, Self::PentAi];

    /// The name by which a match knows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Greedy => "greedy",
            Self::OthelloAi => "othelloai",
            Self::Sustech => "sustech",
            Self::Applet => "applet",
            Self::PentAi => "pentai",
        }
    }

    /// Plies that it searches if not told otherwise: what its description says it reached.
    fn depth(self) -> u8 {
        match self {
            Self::Random | Self::Greedy => 1,
            Self::OthelloAi => 6,
            Self::Sustech | Self::Applet | Self::PentAi => 4,
        }
    }
}

/// A program and its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LadderOptions {
    /// Which.
    pub program: Program,
    /// Plies.
    pub depth: u8,
    /// PentAI: percentage of the candidate moves that it sees.
    pub vision: u8,
    /// PentAI: percentage of its judgement that is left; below 100 its scores are shaken.
    pub judgement: u8,
}

impl LadderOptions {
    /// The program of this name with its usual settings.
    pub fn named(name: &str) -> Option<Self> {
        let program = Program::ALL.into_iter().find(|program| program.name() == name)?;
        Some(Self { program, depth: program.depth(), vision: 100, judgement: 100 })
    }

    /// Whether chance has a part in every one of its games.
    pub fn varies(&self) -> bool {
        match self.program {
            Program::Random | Program::Greedy => true,
            Program::PentAi => self.vision < 100 || self.judgement < 100,
            Program::OthelloAi | Program::Sustech | Program::Applet => false,
        }
    }

    /// Changes one setting.
    ///
    /// # Errors
    /// When there is no such setting or the value is out of range.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let number =
            || value.parse::<u8>().with_context(|| format!("{key}={value}: expected a whole number"));
        match key {
            "depth" => {
                let number = number()?;
                ensure!((1..=20).contains(&number), "{key}={value}: expected 1 to 20 plies");
                self.depth = number;
            }
            "vision" | "judgement" if self.program == Program::PentAi => {
                let number = number()?;
                ensure!((1..=100).contains(&number), "{key}={value}: expected 1 to 100 percent");
                *(if key == "vision" { &mut self.vision } else { &mut self.judgement }) = number;
            }
            _ if self.program == Program::PentAi => {
                bail!("pentai has no such option: depth, vision, judgement, clock, move-time, margin")
            }
            _ => bail!("{} has no such option: depth, clock, move-time, margin", self.program.name()),
        }
        Ok(())
    }
}

/// One of the early programs: picks a square where there is a legal one.
pub trait Choose: Send {
    fn choose(&mut self, game: &Game, rng: &mut Rng) -> Square;
}
