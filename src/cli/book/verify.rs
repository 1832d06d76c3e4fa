//! `emilia book verify`.

use std::path::PathBuf;

use anyhow::{Result, bail, ensure};

use crate::board::Position;
use crate::book::large::each_ply;
use crate::book::{Book, BookError, journal};
use crate::book_formats::check::{bytes_to_read, check};
use crate::book_formats::{Fault, OtherBook};
use crate::cli::output::Output;
use crate::cli::progress::Progress;
use crate::cli::signals;
use crate::notation::diagram::write_board;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia book verify my.book
  emilia book verify edax.dat")]
pub struct VerifyArgs {
    /// The book
    book: PathBuf,
}

pub fn verify(args: &VerifyArgs) -> Result<()> {
    if let Some(mut other) = OtherBook::open(&args.book)? {
        return check_other(&mut other);
    }
    let book = Book::open(&args.book)?;
    let file = book.base();
    file.check()?;
    let mut out = Output::by_line();
    let mut faults = 0u64;
    // Each position is looked at by itself, and then with its children.
    let progress = Progress::new(2 * file.header().positions, 0);
    progress.message("positions checked");
    signals::set_advice("");
    for item in file.entries() {
        let (key, entry) = item?;
        progress.advance(1);
        // `check` refuses all other keys.
        let board = key.board().expect("the key of a position");
        if let Some(fault) = entry.fault(board) {
            faults += 1;
            let position = Position {
                board,
                ..Position::START
            };
            let line = format_args!("{}: {fault}", write_board(&position));
            progress.suspend(|| out.line(line))?;
        }
    }
    let count = file.header().positions;
    let mut changed = 0u64;
    each_ply(
        &[&Book::without_journal(book.path())?],
        false,
        |_, mut node, below| {
            let before = node.entry.clone();
            let links = node.links(below);
            node.update(&links);
            changed += u64::from(node.entry != before);
            progress.advance(1);
            Ok::<_, BookError>(node.entry.value)
        },
    )?;
    progress.clear();
    let pending = journal::read(&journal::path_of(book.path()))?.records.len();
    out.line(format_args!(
        "{count} positions, {} bytes: checksums, order, index and moves hold; \
         {changed} values differ under recomputation; {pending} records in the journal",
        file.bytes()
    ))?;
    out.finish()?;
    if faults > 0 || changed > 0 {
        bail!(
            "{faults} faulty positions, {changed} outdated values; `emilia book tidy` updates them"
        );
    }
    Ok(())
}

fn check_other(book: &mut OtherBook) -> Result<()> {
    let mut out = Output::in_blocks();
    let progress = Progress::of_bytes(bytes_to_read(book));
    progress.message("moves checked");
    signals::set_advice("");
    let mut report = |fault: &Fault| Ok::<_, anyhow::Error>(progress.suspend(|| out.line(fault))?);
    let checked = check(book, &mut report, &|bytes| progress.reach(bytes))?;
    progress.clear();
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
    ensure!(
        checked.faults == 0,
        "{rules}; `emilia book import --keep-going` reads the rest"
    );
    Ok(())
}
