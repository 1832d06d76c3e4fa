//! `emilia book check`: how far a book's values are from those of deeper searches.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use anyhow::Result;

use super::grow::limits;
use super::report::level_name;
use crate::board::Board;
use crate::book::{Book, Entry, SearchLevel};
use crate::cli::output;
use crate::cli::progress::Progress;
use crate::cli::search_args::{SearchArgs, parse_selectivity};
use crate::search::{self, Search, Selectivity, Silent, Stop, Task};
use crate::util::rng::Rng;

/// Arguments of `emilia book check`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia book check my.book --sample 200 --deeper 6
  emilia book check my.book --sample 50 --deeper 4 --seed 2 --threads 2

Searched positions are drawn at random and each is searched again, so many plies deeper. The table tells by how
much the deeper score differs from the book's value, in discs for the side to move: on average (bias), in size
(mean error), and the root of the mean square (RMSE). Leaves stand in lines of their own, by the search that
their value is from: theirs is the error of that search. So do values reckoned of moves that have no position yet,
since those that have one are worth less than their search had thought.")]
pub struct CheckArgs {
    /// The book
    book: PathBuf,
    /// Positions to search
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    sample: u32,
    /// Plies deeper than the search behind the position
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=40))]
    deeper: u8,
    /// Selectivity of the deeper searches in percent
    #[arg(long, value_name = "PERCENT", default_value = "73", value_parser = parse_selectivity)]
    selectivity: Selectivity,
    /// Chooses the positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads that search a position each, table and evaluation
    #[command(flatten)]
    search: SearchArgs,
}

/// A value to check.
struct Sample {
    board: Board,
    level: SearchLevel,
    value: f64,
    origin: Origin,
}

/// Where the value of a position comes from.
enum Origin {
    /// Its own search: no move of it leads on in the book.
    Search,
    /// The position that a move leads to.
    Below,
    /// What is reckoned of moves that have no position yet, since those that have one are worth less.
    Reckoned,
}

/// Distances of deeper scores from values, in discs.
#[derive(Default)]
struct Errors(Vec<f64>);

/// Searches a sample again and prints the table.
pub fn check(args: &CheckArgs) -> Result<()> {
    let book = Book::open(&args.book)?;
    let mut samples: Vec<Sample> =
        book.entries()?.iter().filter_map(|(key, entry)| sample(key.board()?, entry)).collect();
    let all = samples.len();
    let mut rng = Rng::new(args.seed);
    let count = all.min(args.sample as usize);
    for index in 0..count {
        let other = index + rng.below((all - index) as u32) as usize;
        samples.swap(index, other);
    }
    samples.truncate(count);
    let errors = search_all(&samples, args)?;
    let mut groups: BTreeMap<String, Errors> = BTreeMap::new();
    for (sample, error) in samples.iter().zip(&errors) {
        let group = match sample.origin {
            Origin::Search => level_name(sample.level),
            Origin::Below => "values from below".to_owned(),
            Origin::Reckoned => "values reckoned".to_owned(),
        };
        groups.entry(group).or_default().0.push(*error);
    }
    let (deeper, percent) = (args.deeper, args.selectivity.percent());
    let mut text = format!(
        "{count} of {all} searched positions, searched again {deeper} plies deeper at {percent} %\n\n  \
         {:<20}{:>9}{:>8}{:>12}{:>8}{:>10}\n",
        "value from", "positions", "bias", "mean error", "RMSE", "95 % in"
    );
    for (name, errors) in groups {
        text.push_str(&errors.line(&name));
    }
    text.push_str(&Errors(errors).line("all"));
    output::print(&text)?;
    Ok(())
}

fn sample(board: Board, entry: &Entry) -> Option<Sample> {
    let level = entry.searched.filter(|searched| !searched.level.exact)?.level;
    let value = entry.value?.value;
    let linked = entry.moves.iter().filter_map(|mv| mv.score).filter(|score| score.linked);
    let origin = match linked.map(|score| score.score).max() {
        None => Origin::Search,
        Some(best) if best >= value => Origin::Below,
        Some(_) => Origin::Reckoned,
    };
    Some(Sample { board, level, value: value.discs(), origin })
}

/// What the deeper search adds to each value.
fn search_all(samples: &[Sample], args: &CheckArgs) -> Result<Vec<f64>> {
    let evaluator = Arc::new(args.search.eval.evaluator()?);
    let options = search::Options { threads: 1, ..args.search.options() };
    let (next, progress) = (AtomicUsize::new(0), Progress::new(samples.len() as u64, 0));
    let (sender, found) = mpsc::channel();
    std::thread::scope(|scope| {
        let searchers = (0..args.search.threads).map(|_| {
            let (sender, next, evaluator, options) = (sender.clone(), &next, &evaluator, &options);
            move || {
                let mut search = Search::new(options, Arc::clone(evaluator));
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(sample) = samples.get(index) else { break };
                    if sender.send((index, deeper(&mut search, sample, args))).is_err() {
                        break;
                    }
                }
            }
        });
        search::spawn_each(scope, searchers)?;
        drop(sender);
        let mut errors = vec![0.0; samples.len()];
        for (index, error) in found {
            errors[index] = error;
            progress.advance(1);
        }
        Ok(errors)
    })
}

fn deeper(search: &mut Search, sample: &Sample, args: &CheckArgs) -> f64 {
    let depth = sample.level.depth.saturating_add(args.deeper).min(60);
    let level = SearchLevel { depth, percent: args.selectivity.percent() as u8, exact: false };
    search.clear();
    let result = search.run(&Task::new(sample.board, limits(level)), &Stop::new(), &mut Silent);
    let score = result.info.lines.first().expect("a position with moves has a line").score;
    score.discs() - sample.value
}

impl Errors {
    fn mean(&self, of: impl Fn(f64) -> f64) -> f64 {
        self.0.iter().map(|&error| of(error)).sum::<f64>() / self.0.len().max(1) as f64
    }

    /// A line of the table.
    fn line(&self, name: &str) -> String {
        let mut sizes: Vec<f64> = self.0.iter().map(|error| error.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let most =
            sizes.get((sizes.len() * 95 / 100).min(sizes.len().saturating_sub(1))).copied().unwrap_or(0.0);
        let mut line = String::new();
        let _ = writeln!(
            line,
            "  {name:<20}{:>9}{:>+8.2}{:>12.2}{:>8.2}{most:>10.2}",
            sizes.len(),
            self.mean(|error| error),
            self.mean(f64::abs),
            self.mean(|error| error * error).sqrt(),
        );
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_as_the_help_says() {
        let errors = Errors(vec![3.0, -1.0, 1.0, -1.0]);
        let words: Vec<String> = errors.line("all").split_whitespace().map(str::to_owned).collect();
        assert_eq!(words, ["all", "4", "+0.50", "1.50", "1.73", "3.00"]);
        assert_eq!(Errors::default().line("none").split_whitespace().nth(1), Some("0"));
    }
}
