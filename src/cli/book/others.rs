//! Books of other programs: imported, checked, written.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::arguments;
use crate::book::large::Runs;
use crate::book::others::check::check;
use crate::book::others::{Item, OtherBook};
use crate::book::{BookEditor, BookError};
use crate::cli::output::{self, Output};
use crate::util::target::work_folder;

/// Takes the books of other programs out of the inputs.
pub fn take_out(inputs: &mut Vec<OsString>) -> Result<Vec<(PathBuf, OtherBook)>> {
    let mut given = Vec::new();
    for input in std::mem::take(inputs) {
        let name = PathBuf::from(&input);
        // A pipe can be read only once: it is no book of another program.
        match if name.is_file() { OtherBook::open(&name)? } else { None } {
            Some(book) => given.push((name, book)),
            None => inputs.push(input),
        }
    }
    Ok(given)
}

/// Adds books of other programs, with `keep_going` the readable positions of damaged ones; returns whether all were
/// whole.
pub fn import(book: &mut BookEditor, given: Vec<(PathBuf, OtherBook)>, keep_going: bool) -> Result<bool> {
    let folder =
        work_folder(book.path()).with_context(|| format!("writing beside {}", book.path().display()))?;
    let mut runs = Runs::new(folder);
    let (mut text, mut is_whole) = (String::new(), true);
    for (name, mut other) in given {
        let kind = other.kind;
        let (mut positions, mut broken, mut damage) = (0u64, 0u64, None);
        for item in other.items()? {
            match item {
                Ok(Item::Record(record)) => {
                    positions += 1;
                    broken += u64::from(!record.faults(kind).is_empty());
                    if let Some((key, entry)) = record.entry() {
                        runs.push(key, entry)?;
                    }
                }
                Ok(Item::Fault(_)) => broken += 1,
                Err(error @ BookError::Damaged { .. }) if keep_going => damage = damage.or(Some(error)),
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(damage) = damage {
            output::message(format_args!("{damage}; the readable positions are added"));
            is_whole = false;
        }
        let _ = write!(text, "{positions} positions in {}, {kind}", name.display());
        if broken > 0 {
            let _ = write!(text, "; {broken} faults, which `emilia book verify` names");
        }
        text.push('\n');
    }
    let games = book.games();
    book.unite(&runs.finish()?, false, games)?;
    arguments::saved(&text, book.path(), book)?;
    Ok(is_whole)
}

pub fn verify(book: &mut OtherBook) -> Result<()> {
    let mut out = Output::in_blocks();
    let checked = check(book, &mut |fault| Ok::<_, anyhow::Error>(out.line(fault)?))?;
    let rules = match checked.faults {
        0 => "all rules hold".to_owned(),
        1 => "1 rule is broken".to_owned(),
        faults => format!("{faults} rules are broken"),
    };
    out.line(format_args!(
        "{}: {} positions, {} moves between them, {} bytes; {rules}",
        book.kind,
        checked.positions,
        checked.links,
        book.bytes()
    ))?;
    out.finish()?;
    ensure!(checked.faults == 0, "{rules}; `emilia book import --keep-going` reads the rest");
    Ok(())
}
