//! `emilia convert`.

mod wthor;

use std::collections::BTreeMap;
use std::io::{IsTerminal, stdout};
use std::ops::ControlFlow::Continue;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use super::files::{ForceArgs, is_stdout};
use super::input::{InputArgs, RepairArgs, names_of, parser_of, written_formats};
use super::output::{self, Output};
use super::progress::Progress;
use super::signals;
use crate::notation::formats::wthor::Collection;
use crate::notation::formats::{GGF, WTHOR};
use crate::notation::{Detected, Format};

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    #[arg(long, value_name = "FORMAT", value_parser = parser_of(written_formats()),
          help = format!("Format to write: {}; gogui is SGF as GoGui reads it", names_of(written_formats())))]
    to: Format,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    repair: RepairArgs,
    /// Write to this file; it appears once everything is converted.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

const HELP: &str = "\
A game converted to a position gives its last one; a position converted to a
game starts there. The .jou and .trn files in the folder of a WTHOR file name
its players and tournaments. Names that the folder of --output lacks are written
to files with the name of the output; if these exist, --force adds the names.
Names, results and tags are kept: GGF has tags that it does not know at the end
of its comment, SGF in its property TAG. Losses of a notation are reported once
on stderr.

--repair prefers games that end with the stated score, which may follow a list
of moves (+4, 34-30).

Examples:
  emilia convert --to ggf game.sgf
  emilia convert --to moves WTH_2020.wtb
  emilia convert --to wthor --output games.wtb games.pgn
  emilia convert --to fen --from board problems.txt
  printf 'f5d6c3' | emilia convert --to hex
  emilia convert --to sgf --repair e6f4e3g5f6d6e7f5c5";

pub fn run(args: &Args) -> Result<ExitCode> {
    let is_wthor = args.to == WTHOR;
    let file = args.output.as_deref().filter(|path| !is_stdout(path));
    ensure!(
        !is_wthor || file.is_some() || !stdout().is_terminal(),
        "a WTHOR file is binary: use --output FILE"
    );
    if let Some(path) = file.filter(|_| is_wthor) {
        wthor::check_name(path)?;
    }
    let mut out = match file {
        Some(path) => Output::file(path, args.force.existing())?,
        None => args.input.output(),
    };
    let mut collection = Collection::default();
    let mut notes = Notes::default();
    let input = InputArgs {
        repair: Some(args.repair),
        ..args.input.clone()
    };
    let progress = Progress::of_results(file.is_some(), || input.progress());
    if file.is_some() {
        signals::set_advice("nothing was written");
    }
    let tally = input.for_each_with(&progress, |entry| {
        notes.add(&entry.found, args.to);
        if is_wthor {
            collection.add(&entry.found)?;
        } else {
            out.bytes(args.to.write(&entry.found)?.as_bytes())?;
        }
        Ok(Continue(()))
    })?;
    progress.clear();
    if file.is_some() {
        signals::set_advice("");
    }
    let mut names = Vec::new();
    if is_wthor {
        let (bytes, files) = wthor::finish(collection, file, args.force.existing())?;
        out.bytes(&bytes)?;
        names = files;
    }
    out.finish()?;
    for file in names {
        file.commit().context("writing the files of names")?;
    }
    report(&format!("{} cannot hold", args.to), &notes.lost);
    report("taken", &notes.assumed);
    Ok(tally.code())
}

/// The losses and the assumptions of a conversion, with the number of games of each.
#[derive(Default)]
struct Notes {
    lost: BTreeMap<String, u64>,
    assumed: BTreeMap<String, u64>,
}

impl Notes {
    fn add(&mut self, entry: &Detected, to: Format) {
        let record = &entry.record;
        // GGF to GGF and WTHOR to WTHOR keep every byte that counts.
        let is_copy = entry.format == to && [GGF, WTHOR].contains(&to);
        if !entry.format.is_of_games() || !to.is_of_games() || is_copy {
            return;
        }
        for loss in to.losses(record) {
            *self.lost.entry(loss).or_default() += 1;
        }
        let other_result = "the result of the moves, where the file states another";
        for reading in record
            .assumed
            .iter()
            .copied()
            .chain(record.is_contradicted().then_some(other_result))
        {
            *self.assumed.entry(reading.to_owned()).or_default() += 1;
        }
    }
}

/// Most notes of a kind that are reported.
const MOST_NOTES: usize = 20;

/// Prints the notes of a kind to stderr, in one line.
fn report(kind: &str, notes: &BTreeMap<String, u64>) {
    let note = |(what, count): (&String, &u64)| match count {
        1 => format!("{what} (1 game)"),
        count => format!("{what} ({count} games)"),
    };
    let mut list: Vec<String> = notes.iter().take(MOST_NOTES).map(note).collect();
    if notes.len() > MOST_NOTES {
        list.push(format!("and {} more of the kind", notes.len() - MOST_NOTES));
    }
    if !list.is_empty() {
        output::message(format_args!("{kind}: {}", list.join("; ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::cli::input::Entry;
    use crate::cli::input::testing::entries;
    use crate::notation::formats::{BOARD, DIAGRAM, EXAMPLE, FEN, HEX, MOVES, OBF, PGN, SGF};

    #[test]
    fn entries_in_a_row_give_their_positions_in_every_notation() {
        let write = |entries: &[Entry], to: Format| -> String {
            entries
                .iter()
                .map(|entry| to.write(&entry.found).unwrap())
                .collect()
        };
        let positions = |text: &str| {
            entries(text)
                .iter()
                .map(Entry::position)
                .collect::<Vec<Position>>()
        };
        let games = entries("f5d6c3\nf5f6\ne6f4e3f6g5d6e7f5c5");
        let want: Vec<Position> = games.iter().map(Entry::position).collect();
        let notations = [BOARD, DIAGRAM, HEX, EXAMPLE, FEN, OBF];
        for from in notations.into_iter().chain([MOVES, GGF, SGF, PGN]) {
            let text = write(&games, from);
            assert_eq!(positions(&text), want, "{from}\n{text}");
            for to in notations {
                let again = write(&entries(&text), to);
                assert_eq!(positions(&again), want, "{from} to {to}\n{again}");
            }
        }
    }
}
