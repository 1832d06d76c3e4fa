//! `emilia book import`: the games of files as statistics, and other programs' books.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::arguments;
use crate::board::{Board, Color, Game, Square, Symmetry};
use crate::book::graph::Graph;
use crate::book::large::Runs;
use crate::book::{Book, BookEditor, BookError, LearnedGame};
use crate::book_formats::{Item, OtherBook, Reach};
use crate::cli::input::InputArgs;
use crate::cli::output;
use crate::cli::progress::Progress;
use crate::cli::signals;
use crate::notation::{NamedGame, Outcome};
use crate::util::target::work_folder;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia book import my.book WTH_*.wtb --min-games 3
  emilia book import my.book games.txt club.sgf ggs.ggf
  Books of other programs, whatever their names:
    emilia book import my.book edax.dat egaroucid.egbk3

The first 30 moves of a game count if the game ended on the board or was
adjudicated, or if its file has the result in discs. Resigned games and games
lost on time do not count. A repeated game or its mirror image is skipped.

Formats of books: Edax (.dat of version 4, and its text), Egaroucid (.egbk3),
Zebra (book.bin) and NTest (version 2). Each position keeps the program
and the level of its search; the deeper search counts, of equal ones Emilia's.
Values are recomputed from the moves.")]
pub struct ImportArgs {
    /// The book; created if necessary
    book: PathBuf,
    #[command(flatten)]
    input: InputArgs,
    /// Least number of games of a position; drops unsearched positions with fewer
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_games: u64,
}

#[derive(Default)]
struct Counts {
    games: u64,
    /// Counted before.
    known: u64,
    unfinished: u64,
    /// Resigned, lost on time, or without a result in discs.
    given_up: u64,
    given: HashSet<Identity>,
}

/// Start, moves and winner of a game; the least of its mirror images.
type Identity = (Board, Vec<Square>, Ordering);

pub fn import(args: &ImportArgs) -> Result<ExitCode> {
    let mut input = args.input.clone();
    let given = take_out(&mut input.inputs)?;
    let mut book = arguments::edit("import", &args.book, &args.input.inputs)?;
    let mut is_whole = true;
    signals::set_advice("the book is unchanged");
    if !given.is_empty() {
        is_whole = import_others(&mut book, given, input.keep_going)?;
        if input.inputs.is_empty() {
            return Ok(if is_whole {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            });
        }
    }
    let mut graph = Graph::new(book.entries()?);
    let mut counts = Counts::default();
    let progress = input.progress();
    let tally = input.for_each_with(&progress, |entry| {
        count(entry.record(), &book, &mut graph, &mut counts)?;
        Ok(ControlFlow::Continue(()))
    })?;
    progress.message("writing the book");
    signals::set_advice("");
    graph.nodes.retain(|_, node| {
        node.entry.searched.is_some() || node.entry.games().count() >= args.min_games
    });
    graph.negamax();
    book.rewrite(book.games() + counts.games, graph)?;
    progress.clear();
    let Counts {
        games,
        known,
        unfinished,
        given_up,
        ..
    } = counts;
    let part = |count, text: String| if count == 0 { String::new() } else { text };
    let known = part(known, format!("{known} counted before, "));
    let given_up = part(
        given_up,
        format!(", {given_up} resigned, lost on time or without a result in discs"),
    );
    let summary = format!("{games} games counted, {known}{unfinished} unfinished{given_up}; ");
    arguments::saved(&summary, &args.book, &book)?;
    Ok(if is_whole {
        tally.code()
    } else {
        ExitCode::FAILURE
    })
}

fn take_out(inputs: &mut Vec<OsString>) -> Result<Vec<(PathBuf, OtherBook)>> {
    let mut given = Vec::new();
    for input in std::mem::take(inputs) {
        let name = PathBuf::from(&input);
        // A pipe can be read only once: it is no book of another program.
        match if name.is_file() {
            OtherBook::open(&name)?
        } else {
            None
        } {
            Some(book) => given.push((name, book)),
            None => inputs.push(input),
        }
    }
    Ok(given)
}

/// Adds books of other programs, with `keep_going` the readable positions of damaged ones; returns whether all were
/// whole.
fn import_others(
    book: &mut BookEditor,
    given: Vec<(PathBuf, OtherBook)>,
    keep_going: bool,
) -> Result<bool> {
    let folder = work_folder(book.path())
        .with_context(|| format!("writing beside {}", book.path().display()))?;
    let mut runs = Runs::new(folder);
    let mut text = String::new();
    let mut is_whole = true;
    let progress = Progress::of_bytes(given.iter().map(|(_, other)| other.bytes()).sum());
    let mut read = 0;
    for (name, mut other) in given {
        let kind = other.kind;
        let bytes = other.bytes();
        let mut reading = Reach::new(kind, bytes);
        progress.message(&format!("reading {}", name.display()));
        let mut positions = 0u64;
        let mut broken = 0u64;
        let mut damage = None;
        for item in other.items()? {
            if let Ok(item) = &item {
                progress.reach(read + reading.take(item));
            }
            match item {
                Ok(Item::Record(record)) => {
                    positions += 1;
                    broken += u64::from(!record.faults(kind).is_empty());
                    if let Some((key, entry)) = record.entry() {
                        runs.push(key, entry)?;
                    }
                }
                Ok(Item::Fault(_)) => broken += 1,
                Err(error @ BookError::Damaged { .. }) if keep_going => {
                    damage = damage.or(Some(error))
                }
                Err(error) => return Err(error.into()),
            }
        }
        read += bytes;
        if let Some(damage) = damage {
            progress.suspend(|| {
                output::message(format_args!("{damage}; the readable positions are added"));
            });
            is_whole = false;
        }
        let _ = write!(text, "{positions} positions in {}, {kind}", name.display());
        if broken > 0 {
            let _ = write!(text, "; {broken} faults, which `emilia book verify` names");
        }
        text.push('\n');
    }
    progress.message("writing the book");
    signals::set_advice("");
    let games = book.games();
    book.unite(&runs.finish()?, false, games)?;
    progress.clear();
    arguments::saved(&text, book.path(), book)?;
    Ok(is_whole)
}

/// Counts a game unless it was given before: the book knows it by the moves that count, this run by all.
fn count(
    record: &NamedGame,
    book: &Book,
    graph: &mut Graph,
    counts: &mut Counts,
) -> Result<(), BookError> {
    let result = record.result();
    // A resignation or a loss on time does not measure the moves.
    let learned = match result.outcome {
        Outcome::Discs(discs) if !result.how.is_forfeit() => {
            LearnedGame::with_result(&record.game, Color::Black, discs)
        }
        _ => None,
    };
    let Some(learned) = learned else {
        let counter = if result.is_known() {
            &mut counts.given_up
        } else {
            &mut counts.unfinished
        };
        *counter += 1;
        return Ok(());
    };
    let is_given = !counts.given.insert(identity(&learned, &record.game));
    if is_given || learned.is_counted(|key| book.entry(key))? {
        counts.known += 1;
        return Ok(());
    }
    graph.count(&learned);
    counts.games += 1;
    Ok(())
}

fn identity(learned: &LearnedGame, game: &Game) -> Identity {
    let image = |symmetry: Symmetry| {
        let squares = game.moves().iter().filter_map(|mv| mv.square());
        (
            symmetry.apply(learned.start),
            squares
                .map(|square| symmetry.apply_square(square))
                .collect(),
        )
    };
    let (start, moves) = Symmetry::all().map(image).min().expect("there are eight");
    (start, moves, learned.result.cmp(&0))
}
