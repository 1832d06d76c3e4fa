//! Formats lines of output. Pure; printable ASCII only.
//!
//! A character above U+00FF ends NBoard's reader thread, and a bad field of a known word opens a dialog, so every field
//! has a fixed form.

use std::time::Duration;

use crate::analysis::words;
use crate::board::{Move, Score};
use crate::engine::Hint;
use crate::protocols::console::printable;
use crate::search::{Line, Proof};

/// The DEPTH field of a `search` or `book` line.
fn depth(line: &Line) -> String {
    // NBoard shows no line of depth 0.
    let plies = line.depth.max(1);
    words::depth(
        line.known(),
        line.proof == Proof::Exact,
        plies,
        line.selectivity.percent(),
    )
}

/// `set myname NAME`: one word that NBoard accepts as an engine's name, with the depth once set.
pub fn my_name(depth: Option<u8>) -> String {
    match depth {
        Some(depth) => format!("set myname Emilia{depth}"),
        None => "set myname Emilia".to_owned(),
    }
}

/// `status TEXT`; an empty text clears the display.
pub fn status(text: &str) -> String {
    let mut line = String::from("status");
    if !text.is_empty() {
        line.push(' ');
        line.extend(printable(text));
    }
    line
}

/// `search PV EVAL 0 DEPTH`, or `book PV EVAL NGAMES DEPTH` for a book move; `None` for a line without a move, and for a
/// bound.
pub fn hint(Hint { line, games }: &Hint) -> Option<String> {
    line.pv.first()?;
    if matches!(line.proof, Proof::AtLeast | Proof::AtMost) {
        return None;
    }
    let pv: Vec<String> = line.pv.iter().map(|mv| format!("{mv:#}")).collect();
    let sign = if hundredths(line.bound) > 0 { "+" } else { "" };
    let word = if games.is_some() { "book" } else { "search" };
    // NBoard reads 32 bits.
    let games = games.unwrap_or(0).min(i32::MAX as u64);
    Some(format!(
        "{word} {} {sign}{} {games} {}",
        pv.join("-"),
        discs(line.bound),
        depth(line)
    ))
}

/// `nodestats NODES SECONDS`, since the start of the search.
pub fn node_stats(nodes: u64, time: Duration) -> String {
    format!(
        "nodestats {} {:.4}",
        nodes.min(i64::MAX as u64),
        time.as_secs_f64()
    )
}

/// `=== MV/EVAL/TIME`, or `=== MV//TIME` without a score.
pub fn answer(mv: Move, score: Option<Score>, time: Duration) -> String {
    format!(
        "=== {mv:#}/{}/{:.3}",
        score.map(discs).unwrap_or_default(),
        time.as_secs_f64()
    )
}

/// The answer without a move or a search.
pub const ANSWER_PASS: &str = "=== PA";

/// `analysis N EVAL`; `score` is from Black's side.
pub fn analysis(ply: usize, score: Score) -> String {
    format!("analysis {ply} {}", discs(score))
}

fn hundredths(score: Score) -> i32 {
    (score.discs() * 100.0).round().clamp(-6400.0, 6400.0) as i32
}

/// Discs with two decimals and no `-0.00`.
fn discs(score: Score) -> String {
    let hundredths = hundredths(score);
    let sign = if hundredths < 0 { "-" } else { "" };
    format!(
        "{sign}{}.{:02}",
        hundredths.abs() / 100,
        hundredths.abs() % 100
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;
    use crate::search::Selectivity;

    fn printed(
        pv: &[&str],
        units: i32,
        (depth, selectivity, proof): (u8, Selectivity, Proof),
    ) -> String {
        let pv = pv
            .iter()
            .map(|mv| mv.parse::<Square>().map_or(Move::Pass, Move::Place))
            .collect();
        let line = Line {
            pv,
            bound: Score::from_units(units),
            depth,
            selectivity,
            proof,
        };
        hint(&Hint { line, games: None }).unwrap_or_default()
    }

    #[test]
    fn search_lines_have_four_fields() {
        use Selectivity::{Full, P73, P95};
        let printed_with =
            |depth, selectivity, proof| printed(&["f5"], 256, (depth, selectivity, proof));
        assert_eq!(
            printed(&["f5", "d6"], 308, (12, P73, Proof::None)),
            "search F5-D6 +2.41 0 12@73%"
        );
        assert_eq!(
            printed(&["c3"], -77, (24, P95, Proof::None)),
            "search C3 -0.60 0 24@95%"
        );
        assert_eq!(
            printed(&["pa", "f5"], 0, (9, Full, Proof::Exact)),
            "search PA-F5 0.00 0 100%"
        );
        assert_eq!(
            printed_with(20, Full, Proof::WinLossDraw),
            "search F5 +2.00 0 100%W"
        );
        assert_eq!(
            printed_with(6, Full, Proof::None),
            "search F5 +2.00 0 6",
            "100% marks a proven score"
        );
        assert_eq!(printed(&[], 0, (1, Full, Proof::None)), "");
    }

    #[test]
    fn book_lines_show_their_depth() {
        let pv = vec![Move::Place("d3".parse().unwrap())];
        let score = Score::from_units(-120);
        let line = Line {
            pv,
            bound: score,
            depth: 24,
            selectivity: Selectivity::P73,
            proof: Proof::None,
        };
        let book = |games| {
            hint(&Hint {
                line: line.clone(),
                games: Some(games),
            })
            .unwrap()
        };
        assert_eq!(book(12), "book D3 -0.94 12 24@73%");
        assert_eq!(book(u64::MAX), "book D3 -0.94 2147483647 24@73%");
    }

    #[test]
    fn evals_are_plain_decimals() {
        for (units, text) in [
            (0, "0.00"),
            (-1, "-0.01"),
            (128, "1.00"),
            (-8192, "-64.00"),
            (9000, "64.00"),
        ] {
            assert_eq!(discs(Score::from_units(units)), text);
        }
        assert_eq!(analysis(3, Score::from_units(-192)), "analysis 3 -1.50");
        let mv = Move::Place("f5".parse().unwrap());
        let time = Duration::from_micros(450_400);
        assert_eq!(
            answer(mv, Some(Score::from_units(157)), time),
            "=== F5/1.23/0.450"
        );
        assert_eq!(answer(mv, None, time), "=== F5//0.450");
    }

    #[test]
    fn counts_stay_in_range() {
        let time = Duration::from_millis(1500);
        assert_eq!(
            node_stats(1_234_567_890_123, time),
            "nodestats 1234567890123 1.5000"
        );
        assert_eq!(
            node_stats(u64::MAX, time),
            "nodestats 9223372036854775807 1.5000"
        );
    }

    #[test]
    fn status_is_ascii() {
        assert_eq!(status("日本\n\u{7f}x"), "status ????x");
        assert_eq!(status(""), "status");
        assert_eq!(my_name(None), "set myname Emilia");
        assert_eq!(my_name(Some(8)), "set myname Emilia8");
    }
}
