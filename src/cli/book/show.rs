//! Looking into a book: `show`, `stats`, `export`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use serde::Serialize;
use serde_with::skip_serializing_none;

use super::{answers, arguments};
use crate::analysis::answer::MoveGames;
use crate::board::{Board, Move, Position, Score, Square};
use crate::book::names::name_of;
use crate::book::{Book, BookError, BookMove, Entry, Found, MoveScore, Value};
use crate::book_formats::export::{Target, export as export_to};
use crate::cli::files::{ForceArgs, is_stdout};
use crate::cli::output::{self, Output};
use crate::notation::diagram::{write_board, write_diagram};
use crate::util::file::Replacement;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia book show my.book
  emilia book show my.book f5d6c3
  emilia book show my.book f5d6c3 --json | jq '.moves[] | [.move, .score]'")]
pub struct ShowArgs {
    /// The book
    book: PathBuf,
    /// A line of moves, or a position in any notation [default: the usual start]
    #[arg(default_value = "", hide_default_value = true)]
    position: String,
    /// Print JSON: one object
    #[arg(long)]
    json: bool,
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
    let moves = children(to_move, &found.entry, &book)?;
    if args.json {
        output::print(&(as_json(&position, &found, &moves)? + "\n"))?;
        return Ok(());
    }
    text.push_str(&describe(&found.entry, &moves));
    output::print(&text)?;
    Ok(())
}

/// The entry as JSON: its search, its value and its moves.
#[skip_serializing_none]
#[derive(Serialize)]
struct Shown<'a> {
    position: String,
    opening: Option<&'static str>,
    /// The side to move must pass; value and scores are the other side's.
    passed: bool,
    value: Option<f64>,
    lower: Option<f64>,
    upper: Option<f64>,
    /// The level of its own search.
    searched: Option<String>,
    moves: &'a [Child],
}

fn as_json(position: &Position, found: &Found, moves: &[Child]) -> serde_json::Result<String> {
    let value = found.entry.value;
    let discs = |of: fn(Value) -> Score| value.map(of).map(Score::discs);
    serde_json::to_string(&Shown {
        position: write_board(position),
        opening: name_of(position.board),
        passed: found.passed,
        value: discs(|value| value.value),
        lower: discs(|value| value.lower),
        upper: discs(|value| value.upper),
        searched: found.entry.searched.map(|by| by.level.to_string()),
        moves,
    })
}

/// The usual first move.
const F5: Square = Square::at(5, 4);

/// A move of an entry.
#[skip_serializing_none]
#[derive(Serialize)]
pub struct Child {
    #[serde(flatten)]
    pub games: MoveGames,
    /// In discs, for the side that moves.
    pub score: Option<f64>,
    /// The source of the score.
    from: Option<String>,
    pub opening: Option<&'static str>,
}

/// The moves of an entry, best first; `board` is that of the side that moves.
pub fn children(board: Board, entry: &Entry, book: &Book) -> Result<Vec<Child>, BookError> {
    let mut moves = entry.moves.clone();
    moves.sort_by_key(BookMove::rank);
    // The four first moves are one move of the book; people begin with f5.
    let is_start = board == Position::START.board;
    let shown = |square| if is_start { F5 } else { square };
    let child = |mv: &BookMove| {
        Ok(Child {
            games: MoveGames::of(Move::Place(shown(mv.square)), mv.games),
            score: mv.score.map(|score| score.score().discs()),
            from: mv
                .score
                .map(|_| origin(board, entry, mv, book))
                .transpose()?,
            opening: board.play(mv.square).and_then(name_of),
        })
    };
    moves.iter().map(child).collect()
}

fn describe(entry: &Entry, moves: &[Child]) -> String {
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
    let from = |child: &Child| child.from.clone().unwrap_or_default();
    let width = moves
        .iter()
        .map(|child| from(child).len() + 1)
        .fold(7, usize::max);
    let _ = writeln!(
        text,
        "\n  {:<6}{:>7}  {:<width$}{GAMES_HEAD}",
        "move", "score", "from"
    );
    for child in moves {
        let mv = child.games.mv.to_string();
        let score = child.score_text();
        let row = format!(
            "  {mv:<6}{score:>7}  {:<width$}{}",
            from(child),
            child.games_text()
        );
        let _ = writeln!(text, "{}", output::fitted(&row));
    }
    text
}

/// The head of [`Child::games_text`].
pub const GAMES_HEAD: &str = "  games   won drawn  lost  points  name";

impl Child {
    pub fn score_text(&self) -> String {
        let score = self.score.map(Score::nearest);
        score.map_or(String::new(), |score| score.to_string())
    }

    /// The games of the move and the opening that it leads to.
    pub fn games_text(&self) -> String {
        let MoveGames {
            games,
            won,
            drawn,
            lost,
            percent,
            ..
        } = self.games;
        let points = percent.map_or(String::new(), |percent| format!("{percent:.1} %"));
        let name = self.opening.unwrap_or_default();
        format!("{games:>7}{won:>6}{drawn:>6}{lost:>6}{points:>8}  {name}")
    }
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
