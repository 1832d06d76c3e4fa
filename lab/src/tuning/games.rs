//! The measurement of a trial: pairs of games between its two sides.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::spsa::Trial;
use crate::search::Tunable;
use crate::tournament::Budget;
use crate::tournament::Openings;
use crate::tournament::Spec;
use crate::tournament::{Ending, Rules};
use crate::tournament::{MatchPlan, Schedule};

/// The wait for a move: a hang is a defect of this program.
const MOVE_PATIENCE: Duration = Duration::from_secs(600);

/// Plays the games of trials. Players with one thread and no clock make them depend only on the trial.
pub struct Games {
    pub numbers: Vec<&'static Tunable>,
    /// Used in turn, trial by trial.
    pub openings: Openings,
    /// Pairs of games in a trial.
    pub pairs: usize,
    pub nodes: u64,
    pub jobs: usize,
}

impl Games {
    /// The table of each player: ample for the few nodes of a move.
    pub const HASH_MIB: usize = 16;

    /// The lead of the first side's score, -1 to 1 a game; `None` when stopped.
    ///
    /// # Errors
    /// When a game cannot be played to its end.
    pub fn play(&self, trial: &Trial, stop: &Arc<AtomicBool>) -> Result<Option<f64>> {
        let plan = self.plan(trial)?;
        let mut balance = 0;
        let mut played = 0;
        let retired = plan.run(&BTreeMap::new(), stop, |finished| {
            if let Ending::Forfeit(color, fault) = &finished.outcome.ending {
                bail!("`{}` {fault}", finished.names[*color as usize]);
            }
            // The first side is Black in the first game of a pair.
            let sign = if finished.game.is_multiple_of(2) {
                1
            } else {
                -1
            };
            balance += sign * finished.outcome.discs.signum();
            played += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        ensure!(retired.is_empty(), "{}", retired[0]);
        Ok((played == plan.games()).then(|| f64::from(balance) / played as f64))
    }

    fn plan(&self, trial: &Trial) -> Result<MatchPlan> {
        let first = trial.iteration as usize * self.pairs;
        let openings = (first..first + self.pairs).map(|round| self.openings.get(round));
        Ok(MatchPlan {
            players: vec![
                self.player("plus", &trial.sides[0])?,
                self.player("minus", &trial.sides[1])?,
            ],
            schedule: Schedule::RoundRobin,
            rounds: self.pairs,
            openings: Openings::given(openings.collect::<Result<_>>()?),
            rules: Rules {
                patience: MOVE_PATIENCE,
                ..Rules::new(Budget {
                    nodes: Some(self.nodes),
                    ..Budget::FREE
                })
            },
            jobs: self.jobs,
            seed: 0,
        })
    }

    fn player(&self, name: &str, values: &[i32]) -> Result<Spec> {
        let mut text = format!("{name}=emilia:hash={}", Self::HASH_MIB);
        for (number, value) in self.numbers.iter().zip(values) {
            text += &format!(",{}={value}", number.name);
        }
        text.parse().context("a player with other values")
    }
}
