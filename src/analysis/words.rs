//! How values stand in tables and sentences of commands and protocols. What is not proven never stands beside 100 %.

use crate::engine::cost::Cost;
use crate::search::{Known, Line, Proof};

/// The word for a result, from the side whose sign it is.
pub fn result_word(sign: i32) -> &'static str {
    match sign {
        0 => "draw",
        1.. => "win",
        _ => "loss",
    }
}

/// Whole discs if proven, else two decimals; a bound says so, and a winner has no number.
pub fn score(known: Known, is_exact: bool) -> String {
    match known {
        Known::Score(discs) if is_exact => format!("{discs:+.0}"),
        Known::Score(discs) => format!("{discs:+.2}"),
        Known::AtLeast(discs) => format!(">={discs:+.1}"),
        Known::AtMost(discs) => format!("<={discs:+.1}"),
        Known::Winner(sign) => result_word(sign).to_owned(),
    }
}

/// The score of a line, as [`score`] has it.
pub fn score_of(line: &Line) -> String {
    score(line.known(), line.proof == Proof::Exact)
}

/// `18@73%`: plies and selectivity. A plain `18` where nothing was left out, `100%W` of a proven winner, `100%` of a
/// proven score.
pub fn depth(known: Known, is_exact: bool, plies: u8, percent: u32) -> String {
    match known {
        _ if is_exact => "100%".to_owned(),
        Known::Winner(_) => "100%W".to_owned(),
        _ if percent < 100 => format!("{plies}@{percent}%"),
        _ => plies.to_string(),
    }
}

/// The depth of a line, as [`depth`] has it.
pub fn depth_of(line: &Line) -> String {
    depth(line.known(), line.proof == Proof::Exact, line.depth, line.selectivity.percent())
}

/// The depth of what is not proven in a sentence: `depth 18, 73 %`, `depth 18`.
pub fn depth_in_words(plies: u8, percent: u32) -> String {
    if percent < 100 { format!("depth {plies}, {percent} %") } else { format!("depth {plies}") }
}

/// The certainty of a line's score: `proven`, `depth 12, 73 %`.
pub fn known_in_words(line: &Line) -> String {
    match line.proof {
        Proof::Exact => "proven".into(),
        Proof::WinLossDraw => "who wins is proven".into(),
        Proof::None | Proof::AtLeast | Proof::AtMost => {
            depth_in_words(line.depth, line.selectivity.percent())
        }
    }
}

/// Seconds in words: `about 12 s`, `about 40 minutes`, `about 3 days`.
pub fn time(seconds: f64) -> String {
    let (unit, name) = match seconds {
        ..1.0 => return "less than a second".to_owned(),
        ..90.0 => (1.0, "s"),
        ..5_400.0 => (60.0, "minutes"),
        ..129_600.0 => (3_600.0, "hours"),
        ..5_184_000.0 => (86_400.0, "days"),
        ..63e6 => (2.63e6, "months"),
        ..3.15e13 => (31.5e6, "years"),
        _ => return "longer than anyone can wait".to_owned(),
    };
    let number = seconds / unit;
    // Two digits: it is an estimate.
    let step = 10_f64.powf((number.log10().floor() - 1.0).max(0.0));
    format!("about {:.0} {name}", (number / step).round() * step)
}

/// What a solve will take: `about 40 minutes; 99 % in about 12 s`.
pub fn cost(cost: &Cost) -> String {
    let nearly = cost
        .nearly
        .map(|(selectivity, seconds)| format!("; {} % in {}", selectivity.percent(), time(seconds)));
    time(cost.seconds) + &nearly.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Selectivity;

    #[test]
    fn only_what_is_proven_is_sure() {
        assert_eq!(depth(Known::Score(2.0), false, 4, 73), "4@73%");
        assert_eq!(depth(Known::Score(2.0), false, 4, 100), "4");
        assert_eq!(depth(Known::AtLeast(2.0), false, 4, 100), "4");
        assert_eq!(depth(Known::Score(2.0), true, 4, 100), "100%");
        assert_eq!(depth(Known::Winner(1), false, 4, 100), "100%W");
        assert_eq!(depth_in_words(4, 73), "depth 4, 73 %");
        assert_eq!(depth_in_words(4, 100), "depth 4");
    }

    #[test]
    fn times_are_told_in_the_unit_that_fits() {
        let told = |seconds: f64| time(seconds);
        assert_eq!([0.2, 12.3, 89.0].map(told), ["less than a second", "about 12 s", "about 89 s"]);
        assert_eq!(
            [90.0, 2_400.0, 7_300.0].map(told),
            ["about 2 minutes", "about 40 minutes", "about 2 hours"]
        );
        assert_eq!([300_000.0, 6e6, 1e10].map(told), ["about 3 days", "about 2 months", "about 320 years"]);
        assert_eq!(told(1e30), "longer than anyone can wait");
        let of = |nearly| cost(&Cost { nodes: 1.0, seconds: 2_400.0, nearly });
        assert_eq!(of(Some((Selectivity::P99, 12.0))), "about 40 minutes; 99 % in about 12 s");
        assert_eq!(of(None), "about 40 minutes");
    }

    #[test]
    fn a_bound_is_no_score_and_a_winner_no_number() {
        assert_eq!(score(Known::Score(2.0), true), "+2");
        assert_eq!(score(Known::Score(2.0), false), "+2.00");
        assert_eq!(score(Known::AtLeast(2.0), false), ">=+2.0");
        assert_eq!(score(Known::AtMost(-2.0), false), "<=-2.0");
        assert_eq!([1, 0, -1].map(|sign| score(Known::Winner(sign), false)), ["win", "draw", "loss"]);
    }
}
