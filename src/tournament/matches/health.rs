//! Players that fail again and again are given up.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::tournament::players::Fault;

/// Starts in a row that may fail before a player is given up.
const FAILED_STARTS: u32 = 2;

/// Games in a row that a player may lose by a defect before it is given up.
const DEFECTS: u32 = 10;

/// How a player has fared apart from the board.
#[derive(Clone, Debug, Default)]
struct Health {
    /// Failed starts in a row.
    starts: u32,
    /// Games in a row lost by a defect.
    defects: u32,
    /// Why it was given up.
    retired: Option<String>,
}

/// The health of all players of a match, by their index.
#[derive(Debug, Default)]
pub struct Healths(Mutex<BTreeMap<usize, Health>>);

impl Healths {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Health>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The player has started.
    pub fn started(&self, index: usize) {
        self.lock().entry(index).or_default().starts = 0;
    }

    /// The player did not start.
    pub fn failed_start(&self, index: usize, fault: &Fault) {
        let mut all = self.lock();
        let health = all.entry(index).or_default();
        health.starts += 1;
        if health.starts >= FAILED_STARTS {
            health.retired.get_or_insert_with(|| format!("{fault} ({FAILED_STARTS} times in a row)"));
        }
    }

    /// The player has played a game without a fault.
    pub fn played(&self, index: usize) {
        self.lock().entry(index).or_default().defects = 0;
    }

    /// The player has lost a game by a fault.
    pub fn lost(&self, index: usize, fault: &Fault) {
        let mut all = self.lock();
        let health = all.entry(index).or_default();
        health.defects = if fault.is_defect() { health.defects + 1 } else { 0 };
        if health.defects >= DEFECTS {
            let why = || format!("lost {DEFECTS} games in a row by faults, the last: {fault}");
            health.retired.get_or_insert_with(why);
        }
    }

    /// Whether the player was given up.
    pub fn is_retired(&self, index: usize) -> bool {
        self.lock().get(&index).is_some_and(|health| health.retired.is_some())
    }

    /// The players that were given up, and why.
    pub fn retired(&self) -> Vec<(usize, String)> {
        let retired = |(&index, health): (&usize, &Health)| Some((index, health.retired.clone()?));
        self.lock().iter().filter_map(retired).collect()
    }
}
