//! The options of all commands that read positions or games.

use std::ffi::OsString;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::repair::Repairing;
use crate::notation::formats::JSON;
use crate::notation::{BitOrder, Format};
use crate::util::checksum::Checksum;
use crate::util::shard::{Selection, Shard};

/// Which entries are read and how; flattened into a subcommand's arguments.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Positions or games in any notation, files of them, or - for stdin [default: stdin]. A file named like moves
    /// is read; put a blank before the moves to mean them.
    #[arg(value_name = "POSITION")]
    pub inputs: Vec<OsString>,
    /// Notation to read.
    #[arg(long, value_name = "FORMAT", value_parser = parser_of(Format::ALL.into_iter()), hide_possible_values = true,
          help = format!("Notation to read: {} [default: recognised]", names_of(Format::ALL.into_iter())))]
    pub from: Option<Format>,
    /// Squares of hexadecimal boards: a1lsb (a1 is bit 0) or a1msb (a1 is bit 63).
    #[arg(long, value_name = "ORDER", default_value = "a1lsb", value_parser = bits_parser())]
    pub bits: BitOrder,
    /// Skip the first N entries.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub skip: u64,
    /// Take at most N entries [default: all].
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// Take part I of N of these entries: those whose number leaves the remainder I when divided by N.
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    pub shard: Shard,
    /// Skip bad entries with a message each; exit code 1 if any were skipped.
    #[arg(long)]
    pub keep_going: bool,
    /// Notes may follow a list of moves on its line, as in files of games for training.
    #[arg(skip)]
    pub notes_follow: bool,
    /// What is done about games with illegal moves; nothing where a command has no [`RepairArgs`].
    #[arg(skip)]
    pub repairing: Option<Repairing>,
    /// Of all that was read.
    #[arg(skip)]
    pub checksum: Checksum,
}

/// The notations that can be written.
pub fn written_formats() -> impl Iterator<Item = Format> {
    Format::ALL.into_iter().filter(|format| *format != JSON)
}

/// The names of notations, for help.
pub fn names_of(formats: impl Iterator<Item = Format>) -> String {
    let names: Vec<&str> = formats.map(Format::name).collect();
    let (last, others) = names.split_last().expect("there are notations");
    format!("{} or {last}", others.join(", "))
}

/// Reads an order of the squares in a 64-bit number.
fn bits_parser() -> impl TypedValueParser<Value = BitOrder> {
    let values = [("a1lsb", "a1 is bit 0"), ("a1msb", "a1 is bit 63")];
    PossibleValuesParser::new(values.map(|(name, about)| PossibleValue::new(name).help(about)))
        .map(|name| if name == "a1lsb" { BitOrder::A1Lsb } else { BitOrder::A1Msb })
}

/// Reads the name of one of these notations.
pub fn parser_of(formats: impl Iterator<Item = Format>) -> impl TypedValueParser<Value = Format> {
    let values = formats.map(|format| PossibleValue::new(format.name()).help(format.about()));
    PossibleValuesParser::new(values).try_map(|name| name.parse::<Format>())
}

impl InputArgs {
    /// All entries of one source.
    pub fn of(input: impl Into<OsString>) -> Self {
        let inputs = vec![input.into()];
        Self {
            inputs,
            from: None,
            bits: BitOrder::A1Lsb,
            skip: 0,
            limit: None,
            shard: Shard::default(),
            keep_going: false,
            notes_follow: false,
            repairing: None,
            checksum: Checksum::default(),
        }
    }

    /// Which of the entries are taken.
    pub fn selection(&self) -> Selection {
        Selection { skip: self.skip, limit: self.limit, shard: self.shard }
    }
}
