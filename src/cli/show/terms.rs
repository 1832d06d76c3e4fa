//! What the value of a position goes with, and what each move gives and takes.

use std::fmt::Write as _;

use crate::board::{Position, squares};
use crate::eval::explain::{Explanation, MoveReasons, NAMES, Part};
use crate::notation::diagram::{disc, write_diagram};

/// The board, the value and its terms, the regions, the moves.
pub fn page(position: &Position, explanation: &Explanation, moves: Option<usize>) -> String {
    let mut text = write_diagram(position);
    let (own, other) = (disc(position.side), disc(position.side.other()));
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
    let _ = writeln!(text, "  These terms explain {share:.0} % of the variance at this stage.\n");
    text.push_str(&regions(explanation));
    if !explanation.moves.is_empty() {
        let _ =
            writeln!(text, "\n  {:<5}{:>8}{:>9}  against the mean of the moves", "move", "value", "discs");
        let shown = explanation.moves.iter().take(moves.unwrap_or(usize::MAX));
        shown.for_each(|mv| text.push_str(&move_row(mv)));
        let share = 100.0 * explanation.share.moves;
        let _ = writeln!(text, "  These terms explain {share:.0} % of the variance between moves.");
    }
    text.trim_end().to_owned()
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
