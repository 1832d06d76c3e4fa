//! `emilia book import`: the games of files as statistics, positions that another engine scored, and other programs' books.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};

use super::{arguments, others};
use crate::board::{Board, Game, Move, Score, Square, Symmetry};
use crate::book::graph::Graph;
use crate::book::{Answer, Book, BookError, Canonical, Games, LearnedGame, SearchLevel, representative};
use crate::cli::input::{Entry, InputArgs};
use crate::cli::output;
use crate::notation::NamedGame;
use crate::notation::obf::OBF;

/// Arguments of `emilia book import`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia book import my.book WTH_*.wtb --min-games 3
  emilia book import my.book games.txt club.sgf ggs.ggf
  Positions with scored moves, as Edax exports them:
    emilia book import my.book edax.obf --depth 20 --selectivity 73
  Books of other programs, whatever their names:
    emilia book import my.book edax.dat egaroucid.egbk3

A game counts with its first 30 moves if it was played to the end or
adjudicated, or if its file gives the result in discs. Resigned games and games
lost on time do not count. A game that was counted before, or its mirror image,
is skipped.

Books are read of Edax (.dat of version 4, and its text), Egaroucid (.egbk3,
.egbk2), Zebra (book.bin, its text, .cmp) and NTest (version 2). Each position
keeps the program and the level that searched it, as `book show` and `book
stats` tell; where both searched a position, the deeper search counts, of equal
ones our own. Values are recomputed from the moves.")]
pub struct ImportArgs {
    /// The book; created if there is none
    book: PathBuf,
    #[command(flatten)]
    input: InputArgs,
    /// Keep only positions that at least N games reached, or that were searched
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_games: u64,
    /// For scored positions: how deep the other engine searched
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: u8,
    /// For scored positions: how selective it was, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 73, value_parser = clap::value_parser!(u8).range(1..=100))]
    selectivity: u8,
}

/// What was read so far.
#[derive(Default)]
struct Counts {
    games: u64,
    /// Counted before.
    known: u64,
    unfinished: u64,
    /// Given up, lost on time, or won by nobody knows how many discs.
    given_up: u64,
    positions: u64,
    /// The games that counted.
    given: HashSet<Identity>,
}

/// What games that are the same share: start, moves and winner; of mirror images the least.
type Identity = (Board, Vec<Square>, Ordering);

/// Counts the games.
pub fn import(args: &ImportArgs) -> Result<ExitCode> {
    let mut input = args.input.clone();
    let mut given = others::take_out(&mut input.inputs)?;
    let mut book = arguments::edit("import", &args.book, &args.input.inputs)?;
    let mut is_whole = true;
    if !given.is_empty() {
        is_whole = others::import(&mut book, &mut given, input.keep_going)?;
        if input.inputs.is_empty() {
            return Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
    }
    let mut graph = Graph::new(book.entries()?);
    let mut counts = Counts::default();
    let tally = input.for_each(|entry| {
        if entry.found.format == OBF {
            counts.positions += u64::from(score(&entry, args, &mut graph)?);
        } else {
            count(entry.record(), &book, &mut graph, &mut counts)?;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    for key in graph.keys().to_vec() {
        let rare = graph
            .node(key)
            .is_some_and(|node| node.entry.searched.is_none() && node.entry.games().count() < args.min_games);
        if rare {
            graph.remove(key);
        }
    }
    graph.negamax();
    let positions = graph.len();
    book.rewrite(book.games() + counts.games, graph)?;
    let Counts { games, known, unfinished, given_up, positions: scored, .. } = counts;
    let known = if known == 0 { String::new() } else { format!("{known} counted before, ") };
    let given_up = match given_up {
        0 => String::new(),
        count => format!(", {count} given up, lost on time or without discs as well"),
    };
    output::print(&format!(
        "{games} games counted, {known}{unfinished} unfinished ones left out{given_up}; {scored} scored positions; \
         {positions} positions in {}\n",
        args.book.display()
    ))?;
    Ok(if is_whole { tally.code() } else { ExitCode::FAILURE })
}

/// Counts a game, but for one that was given before: the book knows it by the moves that count, this run by all.
fn count(record: &NamedGame, book: &Book, graph: &mut Graph, counts: &mut Counts) -> Result<(), BookError> {
    let result = record.result();
    let Some(learned) = LearnedGame::of_result(&record.game, result) else {
        if result.is_known() {
            counts.given_up += 1
        } else {
            counts.unfinished += 1
        }
        return Ok(());
    };
    let games = |key, square| {
        let entry = book.entry(key)?;
        Ok::<_, BookError>(entry.map_or(Games::default(), |entry| entry.games_of(square)))
    };
    if !counts.given.insert(identity(&learned, &record.game)) || learned.is_counted(games)? {
        counts.known += 1;
        return Ok(());
    }
    for (key, square, result) in learned.steps() {
        if let Some(entry) = graph.entry_mut(key) {
            entry.move_mut(square).games.add(result);
        }
    }
    counts.games += 1;
    Ok(())
}

fn identity(learned: &LearnedGame, game: &Game) -> Identity {
    let image = |symmetry: Symmetry| {
        let squares = game.moves().iter().filter_map(|mv| mv.square());
        (symmetry.apply(learned.start), squares.map(|square| symmetry.apply_square(square)).collect())
    };
    let (start, moves) = Symmetry::all().map(image).min().expect("there are eight");
    (start, moves, learned.result.cmp(&0))
}

/// Takes in the scores of a position; tells whether there were any.
fn score(entry: &Entry, args: &ImportArgs, graph: &mut Graph) -> Result<bool> {
    let Some(canonical) = Canonical::of(entry.position().board).filter(|canonical| !canonical.passed) else {
        return Ok(false);
    };
    let mut moves: Vec<(Square, Score)> = Vec::new();
    for scored in entry.found.scores.iter().filter(|scored| scored.discs.abs() <= 64) {
        let Move::Place(square) = scored.mv else { continue };
        if entry.position().board.play(square).is_none() {
            bail!("{square} is illegal");
        }
        let square = representative(canonical.board, canonical.symmetry.apply_square(square));
        if moves.iter().all(|(other, _)| *other != square) {
            moves.push((square, Score::from_discs(scored.discs)));
        }
    }
    moves.sort_by_key(|(_, score)| -score.units());
    let level = SearchLevel::own(args.depth, args.selectivity);
    let known = !moves.is_empty();
    let answer = Answer { key: canonical.key(), level, avoid: 0, moves };
    if let Some(entry) = graph.entry_mut(canonical.key()).filter(|_| known) {
        entry.absorb(canonical.board, &answer);
    }
    Ok(known)
}
