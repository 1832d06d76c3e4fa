//! `emilia book verify`: checks a book, or compares its values with deeper searches.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};

use super::arguments::{JobArgs, limits};
use super::others;
use crate::board::{Board, Position, Score};
use crate::book::large::each_ply;
use crate::book::others::OtherBook;
use crate::book::{Book, BookError, BookMove, Entry, SearchLevel, journal};
use crate::cli::output::{self, Output};
use crate::cli::progress::Progress;
use crate::cli::search_args::parse_selectivity;
use crate::cli::store_args;
use crate::notation::diagram::write_board;
use crate::search::{Search, Selectivity, Task, side_by_side};
use crate::util::rng::Rng;

/// Arguments of `emilia book verify`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  Every byte, move and value:
    emilia book verify my.book
  A book of another program:
    emilia book verify edax.dat
  Compare values with searches six plies deeper:
    emilia book verify my.book --deeper 6 --positions 200

--deeper searches random positions of the book again. The table shows the
difference of the deeper score from the book's value, in discs for the side to
move: its mean (bias), the mean of its size (mean error), and the root of its
mean square (RMSE). Leaves have a row for each level of their searches;
estimates of moves without a position have a row too.")]
#[command(mut_args(|arg| match arg.get_id().as_str() {
    "book" | "deeper" | "help" => arg,
    _ => arg.requires("deeper"),
}))]
pub struct VerifyArgs {
    /// The book
    book: PathBuf,
    /// Search positions again, N plies deeper than the book
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=40))]
    deeper: Option<u8>,
    /// Number of positions
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Selectivity of the searches in percent: 52, 73, 87, 95, 98, 99 or 100 (full width)
    #[arg(long, value_name = "PERCENT", default_value = "73", value_parser = parse_selectivity)]
    selectivity: Selectivity,
    /// Random seed: the same seed makes the same choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    jobs: JobArgs,
}

/// Checks everything, or compares values with deeper searches.
pub fn verify(args: &VerifyArgs) -> Result<()> {
    if let Some(mut other) = OtherBook::open(&args.book)? {
        ensure!(args.deeper.is_none(), "--deeper needs a book of Emilia: `emilia book import` makes one");
        return others::verify(&mut other);
    }
    let book = Book::open(&args.book)?;
    match args.deeper {
        None => check(&book),
        Some(plies) => compare(&book, plies, args),
    }
}

/// Checks every byte, move and value.
fn check(book: &Book) -> Result<()> {
    let file = book.base();
    file.check()?;
    let mut out = Output::by_line();
    let mut faults = 0u64;
    for item in file.entries() {
        let (key, entry) = item?;
        // `check` refuses all other keys.
        let board = key.board().expect("the key of a position");
        if let Some(fault) = entry.fault(board) {
            faults += 1;
            out.line(format_args!("{}: {fault}", write_board(&Position { board, ..Position::START })))?;
        }
    }
    let (count, mut changed) = (file.header().positions, 0u64);
    each_ply(&[&Book::without_journal(book.path())?], false, |_, mut node, below| {
        let (before, links) = (node.entry.clone(), node.links(|key| below.get(key)));
        node.settle(&links);
        changed += u64::from(node.entry != before);
        Ok::<_, BookError>(node.entry.value)
    })?;
    let pending = journal::read(&journal::path_of(book.path()))?.records.len();
    out.line(format_args!(
        "{count} positions, {} bytes: checksums, order, index and moves hold; \
         {changed} values differ under recomputation; {pending} records in the journal",
        file.bytes()
    ))?;
    out.finish()?;
    if faults > 0 || changed > 0 {
        bail!("{faults} faulty positions, {changed} outdated values; `emilia book tidy` updates them");
    }
    Ok(())
}

/// A value to check.
struct Sample {
    board: Board,
    level: SearchLevel,
    value: Score,
    /// Its source: its row of the table.
    group: String,
}

/// Searches samples again and prints the table.
fn compare(book: &Book, plies: u8, args: &VerifyArgs) -> Result<()> {
    let mut samples: Vec<Sample> =
        book.entries()?.iter().filter_map(|(key, entry)| sample(key.board()?, entry)).collect();
    let all = samples.len();
    let mut rng = Rng::new(args.seed);
    let count = all.min(args.positions as usize);
    for index in 0..count {
        let other = index + rng.below((all - index) as u32) as usize;
        samples.swap(index, other);
    }
    samples.truncate(count);
    let errors = search_all(&samples, plies, args)?;
    let mut groups: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (sample, error) in samples.iter().zip(&errors) {
        groups.entry(&sample.group).or_default().push(*error);
    }
    let percent = args.selectivity.percent();
    let mut text = format!(
        "{count} of {all} searched positions, searched again {plies} plies deeper at {percent} %\n\n  \
         {:<20}{:>9}{:>8}{:>12}{:>8}{:>10}\n",
        "value from", "positions", "bias", "mean error", "RMSE", "95 % in"
    );
    for (name, errors) in groups.iter().chain([(&"all", &errors)]) {
        text.push_str(&row(name, errors));
    }
    output::print(&text)?;
    Ok(())
}

fn sample(board: Board, entry: &Entry) -> Option<Sample> {
    let level = entry.searched.filter(|searched| !searched.level.exact)?.level;
    let value = entry.value?.value;
    let linked = entry.moves.iter().filter(|mv| mv.is_linked());
    let group = match linked.filter_map(BookMove::known).max() {
        None => level.to_string(),
        Some(best) if best >= value => "values from below".to_owned(),
        Some(_) => "estimated values".to_owned(),
    };
    Some(Sample { board, level, value, group })
}

/// The difference of the deeper score from each value, in discs.
fn search_all(samples: &[Sample], plies: u8, args: &VerifyArgs) -> Result<Vec<f64>> {
    let progress = Progress::new(samples.len() as u64, 0);
    let mut errors = vec![0.0; samples.len()];
    let (searches, store) = args.jobs.searches()?;
    let deeper = |search: &mut Search, (index, sample): (usize, &Sample)| {
        let depth = sample.level.depth.saturating_add(plies).min(60);
        let level = SearchLevel::own(depth, args.selectivity.percent() as u8);
        let task = Task::new(sample.board, limits(level));
        let result = store_args::answer(store.as_deref(), search, &task);
        let score = result.info.lines.first().expect("a position with moves has a line").score;
        (index, (score - sample.value).discs())
    };
    side_by_side(searches, samples.iter().enumerate(), deeper, |(index, error)| {
        errors[index] = error;
        progress.advance(1);
        anyhow::Ok(())
    })?;
    store_args::report(store.as_deref());
    Ok(errors)
}

/// A row of the table: errors in discs.
fn row(name: &str, errors: &[f64]) -> String {
    let mean =
        |of: fn(f64) -> f64| errors.iter().map(|&error| of(error)).sum::<f64>() / errors.len().max(1) as f64;
    let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let most = sizes.get(sizes.len() * 95 / 100).or(sizes.last()).copied().unwrap_or(0.0);
    let (bias, size, square) = (mean(|error| error), mean(f64::abs), mean(|error| error * error));
    let count = errors.len();
    format!("  {name:<20}{count:>9}{bias:>+8.2}{size:>12.2}{:>8.2}{most:>10.2}\n", square.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_as_the_help_says() {
        assert_eq!(
            row("all", &[3.0, -1.0, 1.0, -1.0]).split_whitespace().collect::<Vec<_>>(),
            ["all", "4", "+0.50", "1.50", "1.73", "3.00"]
        );
        assert_eq!(row("none", &[]).split_whitespace().nth(1), Some("0"));
    }
}
