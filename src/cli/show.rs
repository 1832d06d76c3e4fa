//! `emilia show`.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::convert::{BitsArg, Notation, read_input};
use super::output::{print, takes_colors};
use crate::board::stability::stable_discs;
use crate::board::{Color, Move, Position, Square, squares};
use crate::eval::classic::Terms;
use crate::notation::diagram::{disc, write_board, write_diagram};
use crate::notation::position::{Detected, Format, parse_position};

/// Arguments of `emilia show`.
#[derive(clap::Args)]
#[command(after_help = "\
Understood are 64 characters and a side, drawn boards, othelloAI's board file, OBF, FEN, two
hexadecimal bitboards, move lists from the usual start, GGF, SGF and PGN.

Examples:
  emilia show f5d6c3
  emilia show '---------------------------OX------XO--------------------------- X'
  emilia show --json game.ggf
  emilia show --bits a1msb '0x0000000810000000 0x0000001008000000 X'
  printf 'f5d6' | emilia show -")]
pub struct Args {
    /// A position or game in any notation, a file holding one, or - for stdin.
    #[arg(value_name = "POSITION", allow_hyphen_values = true)]
    position: String,
    /// Read it as this notation instead of recognising it.
    #[arg(long, value_name = "FORMAT")]
    from: Option<Notation>,
    /// Order of the squares in hexadecimal boards.
    #[arg(long, value_name = "ORDER", default_value = "a1lsb")]
    bits: BitsArg,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Prints the diagram, the moves with their flips, stable discs and the evaluation's terms.
pub fn run(args: &Args) -> Result<ExitCode> {
    let text = read_input(&args.position)?;
    let detected = read(&text, args).with_context(|| match text == args.position {
        true => "no such file, and no position".to_string(),
        false => args.position.clone(),
    })?;
    if args.json {
        return print(&format!("{}\n", as_json(&detected)));
    }
    let last = detected.record.as_ref().and_then(|record| record.game.moves().last().copied());
    let board = if takes_colors() {
        colored_board(&detected.position, last)
    } else {
        write_diagram(&detected.position)
    };
    print(&format!("{board}{}", description(&detected)))
}

fn read(text: &str, args: &Args) -> Result<Detected> {
    let format = match args.from {
        Some(notation) => notation.text_format().context("show reads no WTHOR; see convert")?,
        None if text.trim().is_empty() => return Ok(parse_position(text)?),
        None => Format::detect(text),
    };
    Ok(format.parse(text, args.bits.into())?)
}

/// The position in words: discs, moves, stable discs, evaluation.
fn description(detected: &Detected) -> String {
    let position = &detected.position;
    let count = |color| position.discs(color).count_ones();
    let mut text = format!(
        "{}\nX {}, O {}, empty {}\n",
        write_board(position),
        count(Color::Black),
        count(Color::White),
        position.board.empty_count()
    );
    if let Some(record) = &detected.record
        && let Some(last) = record.game.moves().last()
    {
        let _ = writeln!(text, "After {} moves, the last {last}", record.game.moves().len());
    }
    text.push('\n');
    let moves = flips(position);
    if position.board.is_over() {
        let _ = writeln!(text, "The game is over: {:+} discs for Black", position.final_score(Color::Black));
    } else if moves.is_empty() {
        text.push_str("No legal move: a pass\n");
    }
    for (square, turned) in moves {
        let _ = writeln!(text, "{square} turns {}", names(turned));
    }
    for color in [Color::Black, Color::White] {
        let _ = writeln!(text, "{} stable: {}", disc(color), names(stable(position, color)));
    }
    let terms = Terms::of(position.board);
    let own = disc(position.side);
    let other = disc(position.side.other());
    let _ = writeln!(text, "\nClassic evaluation for {own}: {} discs", terms.score);
    let _ = writeln!(text, "  {:<20}{own:>5}{other:>5}{:>9}{:>8}", "term", "each", "discs");
    for term in &terms.terms {
        let _ = writeln!(
            text,
            "  {:<20}{:>5}{:>5}{:>+9.2}{:>+8.2}",
            term.name,
            term.player,
            term.opponent,
            in_discs(term.weight),
            in_discs(term.worth())
        );
    }
    text
}

/// Evaluation units, 1/128 disc, in discs.
fn in_discs(units: i32) -> f64 {
    crate::board::Score::from_units(units).discs()
}

/// Legal moves with the discs they turn.
fn flips(position: &Position) -> Vec<(Square, u64)> {
    squares(position.board.moves()).map(|square| (square, position.board.flip(square))).collect()
}

/// Discs of `color` that can never be turned: a lower bound.
fn stable(position: &Position, color: Color) -> u64 {
    stable_discs(position.discs(color), position.discs(color.other()))
}

fn names(bits: u64) -> String {
    if bits == 0 {
        return "none".into();
    }
    squares(bits).map(|square| square.to_string()).collect::<Vec<_>>().join(" ")
}

fn as_json(detected: &Detected) -> Value {
    let position = &detected.position;
    let list = |bits| squares(bits).map(|square| square.to_string()).collect::<Vec<_>>();
    let moves: Vec<Value> = flips(position)
        .into_iter()
        .map(|(square, turned)| json!({"move": square.to_string(), "flips": list(turned)}))
        .collect();
    let terms = Terms::of(position.board);
    let parts: Vec<Value> = terms
        .terms
        .iter()
        .map(|term| {
            json!({"name": term.name, "player": term.player, "opponent": term.opponent,
                   "weight": in_discs(term.weight), "discs": in_discs(term.worth())})
        })
        .collect();
    let is_over = position.board.is_over();
    let game = detected.record.as_ref().map(|record| {
        let moves: Vec<String> = record.game.moves().iter().map(Move::to_string).collect();
        json!({"start": write_board(&record.game.start()), "moves": moves,
               "black": record.black, "white": record.white})
    });
    json!({
        "format": Notation::from(detected.format).name(),
        "board": write_board(position),
        "side": position.side.to_string(),
        "black": list(position.discs(Color::Black)),
        "white": list(position.discs(Color::White)),
        "empties": position.board.empty_count(),
        "moves": moves,
        "must_pass": !is_over && position.board.moves() == 0,
        "score": is_over.then(|| position.final_score(Color::Black)),
        "stable": {"black": list(stable(position, Color::Black)), "white": list(stable(position, Color::White))},
        "evaluation": {"name": "classic", "discs": terms.score.discs(), "terms": parts},
        "game": game,
    })
}

/// The board for a terminal: a green ground, black and white discs, legal moves and the last move marked.
fn colored_board(position: &Position, last: Option<Move>) -> String {
    const GROUND: &str = "\x1b[48;5;34m";
    const RESET: &str = "\x1b[0m";
    let (black, white) = (position.discs(Color::Black), position.discs(Color::White));
    let moves = position.board.moves();
    let mut text = String::from("   a  b  c  d  e  f  g  h\n");
    for rank in 0..8 {
        let _ = write!(text, "{} {GROUND}", rank + 1);
        for file in 0..8 {
            let square = Square::at(file, rank);
            let bit = square.bit();
            let cell = match () {
                () if black & bit != 0 => "\x1b[38;5;232m\u{25cf}",
                () if white & bit != 0 => "\x1b[38;5;255m\u{25cf}",
                () if moves & bit != 0 => "\x1b[38;5;22m+",
                () => "\x1b[38;5;22m\u{b7}",
            };
            let (left, right) = if last == Some(Move::Place(square)) { ('[', ']') } else { (' ', ' ') };
            let _ = write!(text, "\x1b[38;5;226m{left}{cell}\x1b[38;5;226m{right}");
        }
        let _ = writeln!(text, "{RESET} {}", rank + 1);
    }
    let side = if position.side == Color::Black { "Black" } else { "White" };
    let _ = writeln!(text, "   a  b  c  d  e  f  g  h\n{side} to move");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_lists_moves_flips_and_terms() {
        let text = description(&parse_position("f5").unwrap());
        assert!(text.contains("X 4, O 1, empty 59\nAfter 1 moves, the last f5\n"), "{text}");
        assert!(text.contains("d6 turns d5\nf6 turns e5\n"), "{text}");
        assert!(text.contains("\n  mobility "), "{text}");
        assert!(text.is_ascii());
    }

    #[test]
    fn the_end_is_told_with_its_score() {
        let detected = parse_position("e6f4e3f6g5d6e7f5c5").unwrap();
        assert!(description(&detected).contains("The game is over: +64 discs for Black"));
        assert_eq!(as_json(&detected)["score"], 64);
        assert_eq!(as_json(&detected)["must_pass"], false);
    }

    #[test]
    fn json_holds_the_same_facts() {
        let value = as_json(&parse_position("f5").unwrap());
        assert_eq!(value["format"], "moves");
        assert_eq!(value["side"], "white");
        assert_eq!(value["moves"][0], json!({"move": "f4", "flips": ["e4"]}));
        assert_eq!(value["game"]["moves"], json!(["f5"]));
        assert_eq!(value["score"], Value::Null);
    }

    #[test]
    fn the_terminal_board_marks_the_last_move() {
        let detected = parse_position("f5").unwrap();
        let text = colored_board(&detected.position, Some(Move::Place("f5".parse().unwrap())));
        assert_eq!(text.matches('\u{25cf}').count(), 5);
        assert_eq!(text.matches('+').count(), 3);
        assert!(text.contains("\x1b[38;5;226m[\x1b[38;5;232m\u{25cf}\x1b[38;5;226m]"));
    }
}
