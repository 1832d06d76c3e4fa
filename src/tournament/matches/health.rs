//! Retires players that fail again and again.

use crate::tournament::players::Fault;

/// Failed starts in a row that retire a player.
const FAILED_STARTS: u32 = 2;
/// Games in a row lost by a defect that retire a player.
const DEFECTS: u32 = 10;

#[derive(Debug, Default)]
pub struct Health {
    pub failed_starts: u32,
    /// Games in a row lost by a defect.
    defects: u32,
    /// The reason, after it retired.
    pub retired: Option<String>,
}

impl Health {
    pub fn failed_start(&mut self, fault: &Fault) {
        self.failed_starts += 1;
        if self.failed_starts >= FAILED_STARTS {
            self.retire(format!("{fault} ({FAILED_STARTS} times in a row)"));
        }
    }

    /// The player has finished a game, or lost it by a fault.
    pub fn played(&mut self, fault: Option<&Fault>) {
        let Some(fault) = fault.filter(|fault| fault.is_defect()) else {
            return self.defects = 0;
        };
        self.defects += 1;
        if self.defects >= DEFECTS {
            self.retire(format!(
                "lost {DEFECTS} games in a row by faults, the last: {fault}"
            ));
        }
    }

    fn retire(&mut self, why: String) {
        self.retired.get_or_insert(why);
    }
}
