//! The budget of each position.

use crate::cli::analysis_args::BudgetArgs;
use crate::search::Limits;
use crate::search::bench;

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
        let limits = self.budget.limits_or(bench::limits());
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
        let Limits {
            depth,
            exact_empties,
            ..
        } = bench::limits();
        assert!(BUDGET.ends_with(&format!(
            "[default: --depth {depth} --solve-from {exact_empties}]"
        )));
    }
}
