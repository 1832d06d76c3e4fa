//! Books of other programs: imported, checked, written.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::book::others::check::check;
use crate::book::others::export::{Target, export};
use crate::book::others::{Item, OtherBook};
use crate::book::runs::Runs;
use crate::book::{Book, BookEditor, BookError};
use crate::cli::output::{self, Output};
use crate::util::file::{Replacement, work_folder};
use crate::util::target::Existing;

/// A book of another program among the inputs.
pub struct Given {
    name: PathBuf,
    book: OtherBook,
}

/// Takes the books of other programs out of the inputs.
pub fn take_out(inputs: &mut Vec<OsString>) -> Result<Vec<Given>> {
    let mut given = Vec::new();
    let mut left = Vec::with_capacity(inputs.len());
    for input in inputs.drain(..) {
        let name = PathBuf::from(&input);
        // A pipe can be read only once: it is no book of another program.
        match if name.is_file() { OtherBook::open(&name)? } else { None } {
            Some(book) => given.push(Given { name, book }),
            None => left.push(input),
        }
    }
    *inputs = left;
    Ok(given)
}

/// What was read of a book.
#[derive(Default)]
struct Read {
    positions: u64,
    /// Of these, and of what stands between them, so many break a rule.
    broken: u64,
    /// Damage that was passed over, the first.
    damage: Option<BookError>,
}

/// Gives what a book tells to `runs`.
///
/// Damage ends it, or with `keep_going` what stands before and after it is taken.
fn read(book: &mut OtherBook, runs: &mut Runs, keep_going: bool) -> Result<Read, BookError> {
    let kind = book.kind();
    let mut read = Read::default();
    for item in book.items()? {
        match item {
            Ok(Item::Record(record)) => {
                read.positions += 1;
                let mut is_broken = false;
                record.check(kind, &mut |_| is_broken = true);
                read.broken += u64::from(is_broken);
                if let Some((key, entry)) = record.entry() {
                    runs.push(key, entry)?;
                }
            }
            Ok(Item::Fault(_)) => read.broken += 1,
            Err(error @ BookError::Damaged { .. }) if keep_going => {
                read.damage.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

/// Takes books of other programs into a book of ours, with `keep_going` damaged ones as far as they can be read; returns
/// whether none was.
pub fn import(book: &mut BookEditor, given: &mut [Given], keep_going: bool) -> Result<bool> {
    let folder =
        work_folder(book.path()).with_context(|| format!("writing beside {}", book.path().display()))?;
    let mut runs = Runs::new(folder);
    let (mut text, mut is_whole) = (String::new(), true);
    for Given { name, book } in given {
        let Read { positions, broken, damage } = read(book, &mut runs, keep_going)?;
        if let Some(damage) = damage {
            output::message(format_args!("{damage}; what can be read is taken"));
            is_whole = false;
        }
        text.push_str(&format!("{positions} positions in {}, {}", name.display(), book.kind()));
        if broken > 0 {
            text.push_str(&format!("; {broken} faults, which `emilia book verify` names"));
        }
        text.push('\n');
    }
    let games = book.games();
    book.unite(&runs.finish()?, false, games)?;
    let positions = book.base().header().positions;
    output::print(&format!("{text}{positions} positions in {}\n", book.path().display()))?;
    Ok(is_whole)
}

/// Checks a book of another program.
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
        book.kind(),
        checked.positions,
        checked.links,
        book.bytes()
    ))?;
    out.finish()?;
    ensure!(checked.faults == 0, "{rules}; `emilia book import --keep-going` reads the rest");
    Ok(())
}

/// Writes a book as one of another program.
pub fn write(book: &Book, target: Target, path: &Path, existing: Existing) -> Result<u32> {
    let mut positions = 0;
    let written = Replacement::create(path, existing).and_then(|file| {
        file.written(|out| {
            positions = export(&[book], target, out)?;
            Ok(())
        })
    });
    written.with_context(|| format!("writing {}", path.display()))?;
    Ok(positions)
}
