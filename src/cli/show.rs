//! `emilia show`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::ControlFlow::Continue;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use super::files::ForceArgs;
use super::input::{Entry, Head, InputArgs, RepairArgs};
use super::output;
use super::search_args::{EvalArgs, LanguageArgs};
use crate::analysis::wire;
use crate::board::stability::stable_discs;
use crate::board::{Color, Move, Position, Square, SquareSet};
use crate::book::names::name_of_line;
use crate::eval::Evaluator;
use crate::notation::diagram::{disc, side_to_move, write_board, write_diagram};
use crate::notation::repair::Repairs;
use crate::notation::{GameResult, How, Outcome};
use crate::picture::terminal::{self as draw, Style};
use crate::picture::{Mark, Picture};
use crate::sentences::Language;
use crate::util::target::Existing;

#[derive(clap::Args)]
#[command(after_help = "\
Shows the last position of a game. `emilia help json` explains the fields of
--json.

Examples:
  emilia show f5d6c3
  emilia show \\
    '---------------------------OX------XO--------------------------- X'
  emilia show --json game.ggf
  emilia show --svg board.svg game.ggf
  emilia show --repair 'e6f4e3f6g5f6d6e7f5c5 64-0'
  printf 'f5d6' | emilia show -")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    repair: RepairArgs,
    /// Print JSON: one object per position.
    #[arg(long, group = "form")]
    json: bool,
    /// Draw the position into this file as SVG; - is stdout.
    #[arg(long, value_name = "FILE", group = "form", conflicts_with = "language")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    language: LanguageArgs,
    #[command(flatten)]
    eval: EvalArgs,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let input = InputArgs {
        repair: Some(args.repair),
        ..args.input.clone()
    };
    if let Some(path) = &args.svg {
        return draw_svg(&input, path, args.force.existing());
    }
    let view = View {
        evaluator: args.eval.evaluator()?,
        style: Style::of_stdout(),
        language: args.language.language,
    };
    let mut out = args.input.output();
    let mut blank = "";
    let tally = input.for_each(|entry| {
        if args.json {
            out.line(as_json(&entry, &view)?)?;
            return Ok(Continue(()));
        }
        out.text(blank)?;
        blank = "\n";
        // Bytes, since the drawing has colors.
        out.bytes(drawing(&entry, &view).as_bytes())?;
        out.line(description(&entry, &view).trim_end())?;
        Ok(Continue(()))
    })?;
    out.finish()?;
    Ok(tally.code())
}

fn draw_svg(input: &InputArgs, path: &Path, existing: Existing) -> Result<ExitCode> {
    let mut found = None;
    let tally = input.for_each(|entry| {
        ensure!(
            found.is_none(),
            "a picture is of one position: choose it with --skip and --limit 1"
        );
        let last = entry
            .record()
            .game
            .moves()
            .last()
            .and_then(|mv| mv.square());
        let marks = last.map(|last| (last, Mark::Last)).into_iter().collect();
        found = Some(Picture {
            position: entry.position(),
            marks,
            has_border: true,
        });
        Ok(Continue(()))
    })?;
    let picture = found.context("no position to draw")?;
    output::write(path, existing, picture.svg().as_bytes())?;
    Ok(tally.code())
}

struct View {
    evaluator: Evaluator,
    style: Style,
    language: Language,
}

/// The board; it holds no text of the input.
fn drawing(entry: &Entry, view: &View) -> String {
    let position = entry.position();
    let mut board = match view.style {
        Style::Ascii => write_diagram(&position),
        style => {
            let last = entry
                .record()
                .game
                .moves()
                .last()
                .and_then(|mv| mv.square());
            draw::board(&position, last, &[], style) + side_to_move(&position) + "\n"
        }
    };
    // No side is to move at the end.
    if position.board.is_over() {
        board.truncate(board.trim_end().rfind('\n').map_or(0, |end| end + 1));
    }
    board
}

/// The position in words: discs, moves, stable discs, evaluation.
fn description(entry: &Entry, view: &View) -> String {
    let position = &entry.position();
    let count = |color| position.discs(color).count_ones();
    let mut text = format!(
        "{}\nX {}, O {}, empty {}\n",
        write_board(position),
        count(Color::Black),
        count(Color::White),
        position.board.empty_count()
    );
    let moves = entry.record().game.moves();
    if let Some(last) = moves.last() {
        let passes = moves.iter().filter(|mv| **mv == Move::Pass).count();
        let count = |count: usize, one: &str, more: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {more}"),
        };
        let mut played = count(moves.len() - passes, "move", "moves");
        if passes > 0 {
            played += &format!(" and {}", count(passes, "pass", "passes"));
        }
        let _ = writeln!(text, "After {played}, the last {last}");
    }
    if !entry.found.comment.is_empty() {
        let _ = writeln!(text, "Note: {}", entry.found.comment);
    }
    if let Some(name) = opening(entry) {
        let _ = writeln!(text, "Opening: {}", view.language.opening(name));
    }
    text.push('\n');
    let moves = flips(position);
    if position.board.is_over() {
        let _ = writeln!(
            text,
            "The game is over: {:+} discs for Black",
            position.final_score(Color::Black)
        );
    } else if moves.is_empty() {
        text.push_str("No legal move: a pass\n");
    }
    for (square, turned) in moves {
        let _ = writeln!(text, "{square} turns {}", names(turned));
    }
    for color in [Color::Black, Color::White] {
        let _ = writeln!(
            text,
            "{} stable: {}",
            disc(color),
            names(stable(position, color))
        );
    }
    if !position.board.is_over() {
        let side = disc(position.side);
        let score = view.evaluator.discs(position.board);
        let _ = writeln!(
            text,
            "\nEvaluation for {side} ({}): {score:+.2} discs",
            view.evaluator.kind()
        );
    }
    text
}

fn opening(entry: &Entry) -> Option<&'static str> {
    name_of_line(
        entry
            .record()
            .game
            .positions()
            .iter()
            .map(|position| position.board),
    )
}

/// Legal moves with the discs they turn.
fn flips(position: &Position) -> Vec<(Square, u64)> {
    position
        .board
        .moves()
        .iter()
        .map(|square| (square, position.board.flip(square)))
        .collect()
}

/// Discs of `color` that can never be turned: a lower bound.
fn stable(position: &Position, color: Color) -> u64 {
    stable_discs(position.discs(color), position.discs(color.other()))
}

fn names(bits: u64) -> String {
    if bits == 0 {
        "none".into()
    } else {
        SquareSet(bits).to_string()
    }
}

/// The fields of `show --json`.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    head: Head,
    #[serde(with = "wire")]
    position: Position,
    empties: u32,
    format: &'static str,
    side: String,
    black: Vec<String>,
    white: Vec<String>,
    legal_moves: Vec<Value>,
    must_pass: bool,
    game_over: bool,
    stable: Value,
    score: f64,
    eval: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<i32>,
    opening: Option<&'static str>,
    game: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repairs: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

fn as_json(entry: &Entry, view: &View) -> Result<String> {
    let evaluator = &view.evaluator;
    let position = &entry.position();
    let board = position.board;
    let legal_moves = flips(position).into_iter();
    let legal_moves = legal_moves
        .map(|(square, turned)| json!({"move": square.to_string(), "flips": SquareSet(turned).names()}))
        .collect();
    let [black, white] =
        [Color::Black, Color::White].map(|color| SquareSet(stable(position, color)).names());
    let shown = Shown {
        head: entry.head(),
        position: *position,
        empties: board.empty_count(),
        format: entry.found.format.name(),
        side: position.side.to_string(),
        black: SquareSet(position.discs(Color::Black)).names(),
        white: SquareSet(position.discs(Color::White)).names(),
        legal_moves,
        must_pass: !board.is_over() && board.moves().is_empty(),
        game_over: board.is_over(),
        stable: json!({"black": black, "white": white}),
        score: evaluator.discs(board),
        eval: evaluator.kind().to_string(),
        known: entry.found.known_score(),
        opening: opening(entry),
        game: entry.found.format.is_of_games().then(|| game(entry)),
        repairs: entry.repairs.as_ref().map(repairs),
        note: Some(entry.found.comment.clone()).filter(|note| !note.is_empty()),
    };
    Ok(serde_json::to_string(&shown)?)
}

fn game(entry: &Entry) -> Value {
    let record = entry.record();
    let moves: Vec<String> = record.game.moves().iter().map(Move::to_string).collect();
    json!({"start": write_board(&record.game.start()), "moves": moves, "black": record.black,
           "white": record.white, "place": record.place, "date": record.date,
           "result": result(record.result()), "tags": record.tags.iter().collect::<BTreeMap<_, _>>()})
}

/// The likeliest repairs, of which the first was made, and the number of all.
fn repairs(found: &Repairs) -> Value {
    let best: Vec<String> = found
        .best
        .iter()
        .map(|repair| repair.edit.to_string())
        .collect();
    json!({"count": found.count, "best": best})
}

/// The known facts among winner, discs for Black and way of the end; `null` without any.
fn result(result: GameResult) -> Value {
    let how: &str = result.how.into();
    let discs = match result.outcome {
        Outcome::Open => {
            return if result.how == How::Unknown {
                Value::Null
            } else {
                json!({"how": how})
            };
        }
        Outcome::Discs(discs) => Some(discs),
        Outcome::Won(_) => None,
    };
    let winner = result
        .winner()
        .map_or("draw".to_owned(), |color| color.to_string());
    json!({"winner": winner, "discs": discs, "how": how})
}
