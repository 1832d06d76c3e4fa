//! The budget of each position.

use crate::cli::analysis_args::BudgetArgs;
use crate::search::Limits;

/// The standard run searches this deep, plies, and solves positions with at most this number of empties.
const STANDARD: (u8, u8) = (10, 18);
/// The heading of the budget in the help.
const BUDGET: &str = "Budget of each position [default: --depth 10 --solve-from 18]";

/// The budget of each position, for two pages of help.
#[derive(clap::Args)]
pub struct Budget {
    #[command(flatten, next_help_heading = BUDGET)]
    budget: BudgetArgs,
    /// Solve from N empties on [default: as the budget says].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=60), help_heading = BUDGET)]
    solve_from: Option<u8>,
}

impl Budget {
    pub fn limits(&self) -> Limits {
        let (depth, exact_empties) = STANDARD;
        let limits = self.budget.limits_or(Limits {
            exact_empties,
            ..Limits::depth(depth)
        });
        Limits {
            exact_empties: self.solve_from.unwrap_or(limits.exact_empties),
            ..limits
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_the_standard_budget() {
        let (depth, solve_from) = STANDARD;
        assert!(BUDGET.ends_with(&format!(
            "[default: --depth {depth} --solve-from {solve_from}]"
        )));
    }
}
