//! Looking into a book: `show`, `stats`, `export`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use super::{answers, arguments};
use crate::board::{Board, Position};
use crate::book::names::name_of;
use crate::book::{Book, BookError, BookMove, Entry, MoveScore, Value};
use crate::book_formats::export::{Target, export as export_to};
use crate::cli::files::{ForceArgs, is_stdout};
use crate::cli::output::{self, Output};
use crate::notation::diagram::{write_board, write_diagram};
use crate::util::file::Replacement;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia book show my.book
  emilia book show my.book f5d6c3")]
pub struct ShowArgs {
    /// The book
    book: PathBuf,
    /// A line of moves, or a position in any notation [default: the usual start]
    #[arg(default_value = "", hide_default_value = true)]
    position: String,
}

#[derive(clap::Args)]
#[command(after_help = "\
Example:
  emilia book stats my.book")]
pub struct StatsArgs {
    /// The book
    book: PathBuf,
}

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia book export my.book > answers.jsonl
  emilia book export my.book --to obf > my.obf
  emilia book export my.book --to edax -o book.dat

`emilia book absorb` reads jsonl; Edax and others read obf. jsonl skips the
searches of other programs. Books of Edax and Egaroucid have every position with
a value, in whole discs, at a level that is no deeper than its search.")]
pub struct ExportArgs {
    /// The book
    book: PathBuf,
    /// Format to write: jsonl (the searches), obf (positions with scored moves), edax or egaroucid (books)
    #[arg(long, value_name = "FORMAT", default_value = "jsonl", value_parser = ["jsonl", "obf", "edax", "egaroucid"])]
    to: String,
    /// Write to this file; a book of another program needs one
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

pub fn show(args: &ShowArgs) -> Result<()> {
    let book = Book::open(&args.book)?;
    let position = arguments::position(&args.position)?;
    let mut text = write_diagram(&position);
    if let Some(name) = name_of(position.board) {
        let _ = writeln!(text, "{name}");
    }
    let Some(found) = book.probe(position.board)? else {
        bail!("the book does not have this position");
    };
    if found.passed {
        text.push_str("The side to move must pass; the scores are the other side's.\n");
    }
    let to_move = if found.passed {
        position.board.pass()
    } else {
        position.board
    };
    text.push_str(&describe(to_move, &found.entry, &book)?);
    output::print(&text)?;
    Ok(())
}

fn describe(board: Board, entry: &Entry, book: &Book) -> Result<String, BookError> {
    let mut text = String::new();
    let by = entry.searched.map_or("not searched itself".into(), |by| {
        format!("searched at {}", by.level)
    });
    let _ = match entry.value {
        Some(Value {
            value,
            lower,
            upper,
        }) => {
            writeln!(text, "{value} discs, between {lower} and {upper}; {by}")
        }
        None => writeln!(text, "Not searched yet"),
    };
    let mut moves = entry.moves.clone();
    moves.sort_by_key(BookMove::rank);
    let origins = moves
        .iter()
        .map(|mv| origin(board, entry, mv, book))
        .collect::<Result<Vec<_>, _>>()?;
    let width = origins
        .iter()
        .map(|from| from.len() + 1)
        .fold(8, usize::max);
    let _ = writeln!(
        text,
        "\n  {:<6}{:>8}  {:<width$}{:>8}{:>8}{:>8}{:>8}{:>8}  name",
        "move", "score", "from", "games", "won", "drawn", "lost", "points"
    );
    for (mv, from) in moves.iter().zip(origins) {
        let score = mv
            .score
            .map_or(String::new(), |score| score.score().to_string());
        let games = mv.games;
        let points = if games.count() == 0 {
            String::new()
        } else {
            format!("{:.1} %", 100.0 * games.points() / games.count() as f64)
        };
        let name = board.play(mv.square).and_then(name_of).unwrap_or("");
        let line = format!(
            "  {:<6}{score:>8}  {from:<width$}{:>8}{:>8}{:>8}{:>8}{points:>8}  {name}",
            mv.square.to_string(),
            games.count(),
            games.wins,
            games.draws,
            games.losses
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    Ok(text)
}

/// The source of a move's score: a search or a look here, or the book position that it leads to.
fn origin(board: Board, entry: &Entry, mv: &BookMove, book: &Book) -> Result<String, BookError> {
    let program = |entry: &Entry| Some(format!("{:?}", entry.searched?.level.origin?.program));
    Ok(match mv.score {
        None => String::new(),
        Some(MoveScore::Linked(_)) => {
            let after = board
                .play(mv.square)
                .map_or(Ok(None), |after| book.probe(after))?;
            let program = after.and_then(|found| program(&found.entry));
            program.map_or("book".to_owned(), |program| format!("book, {program}"))
        }
        Some(MoveScore::Look(_)) => "look".to_owned(),
        Some(MoveScore::Searched(_)) => program(entry).unwrap_or("search".to_owned()),
    })
}

pub fn stats(args: &StatsArgs) -> Result<()> {
    let book = Book::open(&args.book)?;
    let mut levels = BTreeMap::<String, u64>::new();
    let mut plies = BTreeMap::<u32, [u64; 2]>::new();
    let mut links = 0u64;
    let mut played = 0u64;
    let mut positions = 0u64;
    for item in book.iter() {
        let (key, entry) = item?;
        positions += 1;
        let name = entry
            .searched
            .map_or("games only".into(), |searched| searched.level.to_string());
        *levels.entry(name).or_default() += 1;
        let by_ply = plies.entry(key.discs().saturating_sub(4)).or_default();
        by_ply[usize::from(entry.searched.is_none())] += 1;
        links += entry.moves.iter().filter(|mv| mv.is_linked()).count() as u64;
        played += u64::from(entry.games().count() > 0);
    }
    let bytes = book.base().bytes();
    let mut text = format!(
        "{positions} positions, {links} moves between them, {played} of them played in {} games\n\
         {bytes} bytes, {:.1} a position; {} positions changed in the journal\n\nlevel\n",
        book.games(),
        bytes as f64 / positions.max(1) as f64,
        book.changed()
    );
    let width = levels
        .keys()
        .map(|name| name.len() + 1)
        .fold(20, usize::max);
    for (name, count) in levels {
        let _ = writeln!(text, "  {name:<width$}{count:>10}");
    }
    text.push_str("\nmoves played  searched  games only\n");
    for (ply, [searched, games]) in plies {
        let _ = writeln!(text, "{ply:>12}{searched:>10}{games:>12}");
    }
    output::print(&text)?;
    Ok(())
}

pub fn export(args: &ExportArgs) -> Result<()> {
    let book = Book::open(&args.book)?;
    match args.to.as_str() {
        "edax" => return export_other(&book, Target::Edax, args),
        "egaroucid" => return export_other(&book, Target::Egaroucid, args),
        _ => {}
    }
    let file = args.output.as_deref();
    let mut out = file.map_or_else(
        || Ok(Output::in_blocks()),
        |path| Output::file(path, args.force.existing()),
    )?;
    let mut left_out = 0u64;
    for item in book.iter() {
        let (key, entry) = item?;
        let is_theirs = entry
            .searched
            .is_some_and(|searched| searched.level.origin.is_some());
        if args.to == "obf" {
            let line = key.board().and_then(|board| obf_line(board, &entry));
            line.map_or(Ok(()), |line| out.line(line))?;
        } else if is_theirs {
            left_out += 1;
        } else {
            answers::reply_lines(key, &entry)
                .into_iter()
                .try_for_each(|line| out.line(line))?;
        }
    }
    out.finish()?;
    if left_out > 0 {
        output::message(format_args!(
            "{left_out} positions skipped: other programs searched them"
        ));
    }
    Ok(())
}

fn export_other(book: &Book, target: Target, args: &ExportArgs) -> Result<()> {
    let path = args.output.as_ref().filter(|path| !is_stdout(path));
    let path = path.context("a book of another program needs a file: --output FILE")?;
    let written = Replacement::create(path, args.force.existing()).and_then(|mut file| {
        let positions = export_to(book, target, &mut file)?;
        file.commit().map(|()| positions)
    });
    let positions = written.with_context(|| format!("writing {}", path.display()))?;
    output::print(&format!("{positions} positions in {}\n", path.display()))?;
    Ok(())
}

/// A position with its scored moves, best first, in whole discs.
fn obf_line(board: Board, entry: &Entry) -> Option<String> {
    let known = entry.moves.iter();
    let mut scored: Vec<_> = known
        .filter_map(|mv| Some((mv.known()?.round_discs(), mv.square)))
        .collect();
    scored.sort_by_key(|&(discs, square)| (-discs, square));
    let mut line = write_board(&Position {
        board,
        ..Position::START
    });
    line.push(';');
    for (discs, square) in &scored {
        let _ = write!(line, " {square}:{discs:+};");
    }
    (!scored.is_empty()).then_some(line)
}
