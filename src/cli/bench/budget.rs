//! The budget of each position.

use crate::cli::analysis_args::BudgetArgs;
use crate::search::Limits;

/// Midgame depth of the standard run, plies.
const DEPTH: u8 = 10;
/// The standard run solves positions with at most this number of empties.
const SOLVE_EMPTIES: u8 = 18;
/// The heading of the budget in the help.
const BUDGET: &str = "Budget of each position [default: --depth 10 --solve-from 18]";

/// Flattened into a subcommand's arguments.
#[derive(clap::Args)]
pub struct Budget {
    #[command(flatten, next_help_heading = BUDGET)]
    budget: BudgetArgs,
    /// Solve from N empties on [default: as the budget says].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=60), help_heading = BUDGET)]
    solve_from: Option<u8>,
}

impl Budget {
    /// The bounds of each search.
    pub fn limits(&self) -> Limits {
        let standard = Limits { exact_empties: SOLVE_EMPTIES, ..Limits::depth(DEPTH) };
        let limits = self.budget.limits_or(standard);
        Limits { exact_empties: self.solve_from.unwrap_or(limits.exact_empties), ..limits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_the_default_budget() {
        assert!(BUDGET.ends_with(&format!("[default: --depth {DEPTH} --solve-from {SOLVE_EMPTIES}]")));
    }
}
