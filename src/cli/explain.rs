//! `emilia explain`: why a position is worth what it is, and what each move gives and takes.

use std::fmt::Write as _;
use std::ops::ControlFlow::Continue;
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use super::input::{Entry, InputArgs};
use super::json::Head;
use crate::analysis::reasons::Reasons;
use crate::board::{Position, squares};
use crate::eval::explain::{Explanation, MoveReasons, NAMES, Part};
use crate::eval::{EvalKind, Evaluator};
use crate::notation::diagram::{disc, write_diagram};

/// Arguments of `emilia explain`.
#[derive(clap::Args)]
#[command(after_help = "\
The value is the network's, in discs for the side to move, without a search. It
is set beside what people look at: each term is a count for one side less the
same count for the other, times a weight. The weights are measured: those with
which such sums come nearest to the network's values over positions of many
games, by number of empties. What the terms leave is told as the rest, and how
much they explain in general as R2, 100 % being all.

A move is compared with the mean of all moves: `mobility +3 -2: +1.9` says that
it gives its side three moves more, takes two from the other, and that this is
worth 1.9 discs more than what the moves do to mobility on average.

Examples:
  emilia explain f5d6c3
  emilia explain --moves 3 game.ggf
  emilia explain --json f5d6c3d3c4 | jq '.explanation.moves[0]'
  echo '{\"position\":\"f5d6c3\",\"explain\":true}' | emilia analyze")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// How many of the moves to explain, the best first; all without.
    #[arg(short, long, value_name = "N")]
    moves: Option<usize>,
    /// Print one JSON object per position.
    #[arg(long)]
    json: bool,
}

/// Explains every position as it comes.
pub fn run(args: &Args) -> Result<ExitCode> {
    // Only of the network in the program it is known what its values go with.
    let evaluator = Evaluator::load(Some(EvalKind::Network), None)?;
    let mut out = args.input.output();
    let mut shown = false;
    let tally = args.input.for_each(|entry| {
        let explanation = Explanation::of(entry.position().board, &evaluator);
        let text = match args.json {
            true => json(&entry, &explanation)?,
            false => {
                let blank = if shown { "\n" } else { "" };
                format!("{blank}{}", page(&entry.position(), &explanation, args.moves))
            }
        };
        shown = true;
        out.line(text.trim_end())?;
        Ok(Continue(()))
    })?;
    out.finish()?;
    Ok(tally.code())
}

/// One position and its explanation, as printed in JSON.
#[derive(Serialize)]
struct Explained {
    #[serde(flatten)]
    head: Head,
    explanation: Reasons,
}

fn json(entry: &Entry, explanation: &Explanation) -> Result<String> {
    let explained = Explained { head: Head::of(entry), explanation: Reasons::of(explanation) };
    Ok(serde_json::to_string(&explained)?)
}

/// The board, the value and its terms, the regions, the moves.
fn page(position: &Position, explanation: &Explanation, moves: Option<usize>) -> String {
    let mut text = write_diagram(position);
    let (own, other) = (disc(position.side), disc(position.side.other()));
    if position.is_over() {
        let _ = writeln!(text, "\nThe game is over: {:+} discs for {own}", explanation.value);
        return text;
    }
    let _ = writeln!(text, "\nValue for {own}: {:+.2} discs (network, no search)\n", explanation.value);
    let _ = writeln!(text, "  {:<20}{own:>5}{other:>5}{:>9}{:>8}", "term", "weight", "discs");
    for part in &explanation.parts {
        let Part { term, player, opponent, weight, discs } = part;
        let name = NAMES[*term];
        let _ = writeln!(text, "  {name:<20}{player:>5}{opponent:>5}{weight:>+9.2}{discs:>+8.2}");
    }
    let _ = writeln!(text, "  {:<39}{:>+8.2}", "to be the side to move", explanation.turn);
    let _ = writeln!(text, "  {:<39}{:>+8.2}", "rest, not explained", explanation.rest());
    let share = 100.0 * explanation.share.positions;
    let _ = writeln!(text, "  Of how values differ at this stage the terms explain {share:.0} %.\n");
    text.push_str(&regions(explanation));
    if !explanation.moves.is_empty() {
        let _ =
            writeln!(text, "\n  {:<5}{:>8}{:>9}  against the mean of the moves", "move", "value", "discs");
        let shown = explanation.moves.iter().take(moves.unwrap_or(usize::MAX));
        shown.for_each(|mv| text.push_str(&move_row(mv)));
        let share = 100.0 * explanation.share.moves;
        let _ = writeln!(text, "  Of how moves differ at this stage the terms explain {share:.0} %.");
    }
    text
}

/// The regions of empty squares: small ones by their squares, large ones by their size.
fn regions(explanation: &Explanation) -> String {
    /// Squares that are named; more say nothing.
    const NAMED: u32 = 8;
    let region = |&region: &u64| match region.count_ones() {
        size @ 1..=NAMED => {
            let names: Vec<String> = squares(region).map(|square| square.to_string()).collect();
            let parity = if size % 2 == 1 { "odd" } else { "even" };
            format!("{} ({parity})", names.join(" "))
        }
        size => format!("{size} squares"),
    };
    let regions: Vec<String> = explanation.regions.iter().map(region).collect();
    format!("  Regions of empty squares: {}\n", regions.join(", "))
}

/// A move with the three terms that tell most about it.
fn move_row(mv: &MoveReasons) -> String {
    let named = mv.parts.iter().filter(|part| part.discs.abs() >= 0.005).take(3);
    let named: Vec<String> = named
        .map(|part| {
            let Part { term, player, opponent, discs, .. } = part;
            format!("{} {player:+} {opponent:+}: {discs:+.2}", NAMES[*term])
        })
        .collect();
    let (square, value, gain) = (mv.square, mv.value, mv.gain);
    let shown: f64 = mv.parts.iter().take(named.len()).map(|part| part.discs).sum();
    let others = gain - shown - mv.rest();
    let rest = format!("others {others:+.2}, rest {:+.2}", mv.rest());
    let reasons = named.into_iter().chain([rest]).collect::<Vec<_>>().join(", ");
    format!("  {:<5}{value:>+8.2}{gain:>+9.2}  {reasons}\n", square.to_string())
}
