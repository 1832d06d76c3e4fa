//! Games with illegal moves, repaired as they are read.

use anyhow::{Result, anyhow};

use super::entry::{Entry, Place};
use crate::cli::output;
use crate::notation::repair::{End, Repairs};
use crate::notation::{Fault, ParseError, Repaired, parse_end};

/// Options of commands that can repair games; flattened into their arguments.
#[derive(clap::Args, Clone, Debug)]
pub struct RepairArgs {
    /// Repair games with illegal moves by one change (a square, two moves swapped, a move more or less) and report it on stderr.
    #[arg(long)]
    repair: bool,
    /// How the game ends, to choose between repairs: Black's score (+4, 34-30) or the last board.
    #[arg(long, value_name = "END", requires = "repair", allow_hyphen_values = true, value_parser = parse_end)]
    end: Option<End>,
}

/// What is done about games with illegal moves.
#[derive(Clone, Copy, Debug)]
pub enum Repairing {
    /// The option that repairs them is named.
    Offered,
    /// They are repaired, by what is known of their end.
    Asked(End),
}

impl RepairArgs {
    /// What is done by these options.
    pub fn repairing(&self) -> Repairing {
        if self.repair { Repairing::Asked(self.end.unwrap_or_default()) } else { Repairing::Offered }
    }
}

/// The entry that `repair` makes of one that cannot be read, or the error.
pub(super) fn instead(
    error: ParseError,
    place: Place,
    repairing: Option<Repairing>,
    repair: impl FnOnce(End) -> Option<Repaired>,
) -> Result<Entry> {
    if let Some(Repairing::Asked(end)) = repairing
        && let Some(Repaired { entry, repairs }) = repair(end)
    {
        return Ok(Entry { index: 0, place, found: entry, repairs: Some(repairs) });
    }
    let hint = match repairing.filter(|_| matches!(error.fault, Fault::Illegal { .. })) {
        Some(Repairing::Offered) => "; try --repair",
        Some(Repairing::Asked(_)) => "; no single change repairs it",
        None => "",
    };
    Err(anyhow!("{}{hint}", place.error(error)))
}

/// Reports on stderr what was changed, and the next likely repairs.
pub(super) fn report(place: &Place, repairs: &Repairs) {
    let (first, others) = repairs.best.split_first().expect("there is one");
    let count = match repairs.count {
        1 => "the only repair by one change".to_owned(),
        count => format!("the likeliest of {count} repairs by one change"),
    };
    output::message(format_args!("{place}: repaired: {}; {count}", first.edit));
    for other in others {
        output::message(format_args!("{place}: or: {}", other.edit));
    }
}
