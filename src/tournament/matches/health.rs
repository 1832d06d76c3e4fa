//! Players that fail again and again are given up.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::tournament::players::Fault;

/// Starts in a row that may fail before a player is given up.
const FAILED_STARTS: u32 = 2;
/// Games in a row that a player may lose by a defect before it is given up.
const DEFECTS: u32 = 10;

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
    fn of<T>(&self, index: usize, act: impl FnOnce(&mut Health) -> T) -> T {
        act(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(index).or_default())
    }

    pub fn started(&self, index: usize) {
        self.of(index, |health| health.starts = 0);
    }

    pub fn failed_start(&self, index: usize, fault: &Fault) {
        self.of(index, |health| {
            health.starts += 1;
            if health.starts >= FAILED_STARTS {
                health.retired.get_or_insert_with(|| format!("{fault} ({FAILED_STARTS} times in a row)"));
            }
        });
    }

    /// The player has finished a game, or lost it by a fault.
    pub fn played(&self, index: usize, fault: Option<&Fault>) {
        self.of(index, |health| match fault.filter(|fault| fault.is_defect()) {
            None => health.defects = 0,
            Some(fault) => {
                health.defects += 1;
                if health.defects >= DEFECTS {
                    let why = || format!("lost {DEFECTS} games in a row by faults, the last: {fault}");
                    health.retired.get_or_insert_with(why);
                }
            }
        });
    }

    pub fn is_retired(&self, index: usize) -> bool {
        self.of(index, |health| health.retired.is_some())
    }

    /// The players that were given up, and why.
    pub fn retired(&self) -> Vec<(usize, String)> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter_map(|(&index, health)| Some((index, health.retired.clone()?))).collect()
    }
}
