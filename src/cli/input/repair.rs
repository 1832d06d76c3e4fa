//! The repair of games with illegal moves.

use anyhow::{Result, anyhow};

use super::entry::{Entry, Place};
use crate::cli::output;
use crate::notation::repair::Repairs;
use crate::notation::{Fault, ParseError, Repaired};

/// Options of repairs; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct RepairArgs {
    /// Repair games with illegal moves by one change (a square, two moves swapped, a move more or less) and report it on stderr.
    #[arg(long)]
    pub repair: bool,
}

/// The entry that `repair` makes, or the error.
pub(super) fn repaired_or_error(
    error: ParseError,
    place: Place,
    args: Option<RepairArgs>,
    repair: impl Fn() -> Option<Repaired>,
) -> Result<Entry> {
    if let Some(RepairArgs { repair: true }) = args
        && let Some(Repaired { entry, repairs }) = repair()
    {
        return Ok(Entry {
            index: 0,
            place,
            found: entry,
            repairs: Some(repairs),
        });
    }
    let is_illegal = matches!(error.fault, Fault::Illegal { .. });
    let hint = match args.filter(|_| is_illegal) {
        Some(RepairArgs { repair: true }) => "; no single change repairs it",
        Some(_) if repair().is_some() => "; try --repair",
        _ => "",
    };
    Err(anyhow!("{}{hint}", place.error(error)))
}

/// Reports the repair and the next likely ones on stderr.
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
