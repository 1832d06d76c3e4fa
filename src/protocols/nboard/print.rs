//! Plain data → a line of output. Pure; printable ASCII only.
//!
//! NBoard's reader thread dies of any character above U+00FF and opens a dialog for each known word
//! with a bad field, so every line here is built from fields whose form is fixed.

use std::fmt::{self, Write};
use std::time::Duration;

use crate::board::{Move, Score};
use crate::engine::BookLine;
use crate::search::{self, Proof, Selectivity};

/// The DEPTH field of a `search` line; later iterations of one search never have a smaller one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// A midgame search of so many plies.
    Plies(u8),
    /// To the end of the game, but selectively.
    Probable {
        /// How sure.
        selectivity: Selectivity,
        /// Plies to the end.
        plies: u8,
    },
    /// Win, draw or loss is proven.
    WinLossDraw,
    /// The score is proven.
    Exact,
}

impl Depth {
    /// The depth of one line in a position with `empties` empty squares.
    fn of(line: &search::Line, empties: u32) -> Self {
        match line.proof {
            Proof::Exact => Self::Exact,
            Proof::WinLossDraw => Self::WinLossDraw,
            _ if u32::from(line.depth) >= empties && line.selectivity != Selectivity::Full => {
                Self::Probable { selectivity: line.selectivity, plies: line.depth }
            }
            _ => Self::Plies(line.depth.max(1)),
        }
    }

    /// What holds for all lines of an iteration: they must carry one token. `None` without lines.
    pub fn of_iteration(info: &search::Info, empties: u32) -> Option<Self> {
        info.lines.iter().map(|line| Self::of(line, empties)).min()
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plies(plies) => write!(f, "{plies}"),
            Self::Probable { selectivity, plies } => write!(f, "{plies}@{}%", selectivity.percent()),
            Self::WinLossDraw => f.write_str("100%W"),
            Self::Exact => f.write_str("100%"),
        }
    }
}

/// `pong N`; `number` is what the ping said.
pub fn pong(number: &str) -> String {
    format!("pong {number}")
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
        line.extend(text.chars().map(|c| if c == ' ' || c.is_ascii_graphic() { c } else { '?' }));
    }
    line
}

/// `search PV EVAL 0 DEPTH`; `None` for a line without a move, and for a bound.
pub fn search(line: &search::Line, depth: Depth) -> Option<String> {
    line.pv.first()?;
    if matches!(line.proof, Proof::AtLeast | Proof::AtMost) {
        return None;
    }
    let mut text = String::from("search ");
    for (ply, mv) in line.pv.iter().enumerate() {
        let separator = if ply == 0 { "" } else { "-" };
        let _ = write!(text, "{separator}{mv:#}");
    }
    let sign = if hundredths(line.score) > 0 { "+" } else { "" };
    let _ = write!(text, " {sign}{} 0 {depth}", discs(line.score));
    Some(text)
}

/// `book PV EVAL NGAMES DEPTH`; `None` for a move without a score, which the protocol cannot tell.
pub fn book(line: &BookLine) -> Option<String> {
    let score = line.score?;
    let sign = if hundredths(score) > 0 { "+" } else { "" };
    let pv: Vec<String> = line.pv.iter().map(|mv| format!("{mv:#}")).collect();
    // NBoard's reader takes no more games than this.
    let games = line.games.min(i32::MAX as u64);
    Some(format!("book {} {sign}{} {games} {}", pv.join("-"), discs(score), line.depth))
}

/// `nodestats NODES SECONDS`, both since the search began; precise enough for the speed of a short one.
pub fn node_stats(nodes: u64, time: Duration) -> String {
    format!("nodestats {} {:.4}", nodes.min(i64::MAX as u64), time.as_secs_f64())
}

/// `=== MV/EVAL/TIME`, or `=== MV//TIME` where no score is known.
pub fn answer(mv: Move, score: Option<Score>, time: Duration) -> String {
    format!("=== {mv:#}/{}/{:.3}", score.map(discs).unwrap_or_default(), time.as_secs_f64())
}

/// `=== PA`: no move, nothing searched.
pub fn answer_pass() -> String {
    "=== PA".to_owned()
}

/// `analysis N EVAL`; `score` is from Black's side.
pub fn analysis(ply: usize, score: Score) -> String {
    format!("analysis {ply} {}", discs(score))
}

/// `learned`.
pub fn learned() -> String {
    "learned".to_owned()
}

/// Hundredths of a disc, rounded, at most a full board.
fn hundredths(score: Score) -> i32 {
    (score.discs() * 100.0).round().clamp(-6400.0, 6400.0) as i32
}

/// Discs with two decimals and no `-0.00`.
fn discs(score: Score) -> String {
    let hundredths = hundredths(score);
    let sign = if hundredths < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", hundredths.abs() / 100, hundredths.abs() % 100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;

    fn line(pv: &[&str], units: i32, depth: u8, selectivity: Selectivity, proof: Proof) -> search::Line {
        let pv = pv.iter().map(|mv| mv.parse::<Square>().map_or(Move::Pass, Move::Place)).collect();
        search::Line { pv, score: Score::from_units(units), depth, selectivity, proof }
    }

    fn printed(line: &search::Line, empties: u32) -> String {
        search(line, Depth::of(line, empties)).unwrap()
    }

    #[test]
    fn search_lines_have_four_fields() {
        let midgame = line(&["f5", "d6"], 308, 12, Selectivity::P73, Proof::None);
        assert_eq!(printed(&midgame, 40), "search F5-D6 +2.41 0 12");
        let probable = line(&["c3"], -77, 24, Selectivity::P95, Proof::None);
        assert_eq!(printed(&probable, 24), "search C3 -0.60 0 24@95%");
        let exact = line(&["pa", "f5"], 0, 9, Selectivity::Full, Proof::Exact);
        assert_eq!(printed(&exact, 9), "search PA-F5 0.00 0 100%");
        let won = line(&["a1"], 256, 20, Selectivity::Full, Proof::WinLossDraw);
        assert_eq!(printed(&won, 20), "search A1 +2.00 0 100%W");
        assert_eq!(search(&line(&[], 0, 1, Selectivity::Full, Proof::None), Depth::Exact), None);
    }

    #[test]
    fn an_iteration_has_the_token_of_its_least_sure_line() {
        let lines = vec![
            line(&["f5"], 0, 20, Selectivity::Full, Proof::Exact),
            line(&["d6"], 0, 20, Selectivity::P98, Proof::None),
        ];
        let info = search::Info { lines, nodes: 1, time: Duration::ZERO };
        assert_eq!(Depth::of_iteration(&info, 20).unwrap().to_string(), "20@98%");
        assert_eq!(Depth::of_iteration(&search::Info { lines: vec![], ..info }, 20), None);
    }

    #[test]
    fn surer_is_later() {
        let probable = |selectivity| Depth::Probable { selectivity, plies: 20 };
        let order = [
            Depth::Plies(1),
            Depth::Plies(18),
            probable(Selectivity::P73),
            probable(Selectivity::P99),
            Depth::WinLossDraw,
            Depth::Exact,
        ];
        assert!(order.is_sorted());
    }

    #[test]
    fn evals_are_plain_decimals() {
        for (units, text) in [(0, "0.00"), (-1, "-0.01"), (128, "1.00"), (-8192, "-64.00"), (9000, "64.00")] {
            assert_eq!(discs(Score::from_units(units)), text);
        }
        assert_eq!(analysis(3, Score::from_units(-192)), "analysis 3 -1.50");
        let mv = Move::Place("f5".parse().unwrap());
        let time = Duration::from_micros(450_400);
        assert_eq!(answer(mv, Some(Score::from_units(157)), time), "=== F5/1.23/0.450");
        assert_eq!(answer(mv, None, time), "=== F5//0.450");
    }

    #[test]
    fn counts_stay_in_range() {
        let time = Duration::from_millis(1500);
        assert_eq!(node_stats(1_234_567_890_123, time), "nodestats 1234567890123 1.5000");
        assert_eq!(node_stats(u64::MAX, time), "nodestats 9223372036854775807 1.5000");
    }

    #[test]
    fn status_is_ascii() {
        assert_eq!(status("日本\n\u{7f}x"), "status ????x");
        assert_eq!(status(""), "status");
        assert_eq!(my_name(None), "set myname Emilia");
        assert_eq!(my_name(Some(8)), "set myname Emilia8");
    }
}
