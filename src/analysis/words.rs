//! How values stand in tables and sentences of commands and protocols. What is not proven never stands beside 100 %.

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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_bound_is_no_score_and_a_winner_no_number() {
        assert_eq!(score(Known::Score(2.0), true), "+2");
        assert_eq!(score(Known::Score(2.0), false), "+2.00");
        assert_eq!(score(Known::AtLeast(2.0), false), ">=+2.0");
        assert_eq!(score(Known::AtMost(-2.0), false), "<=-2.0");
        assert_eq!([1, 0, -1].map(|sign| score(Known::Winner(sign), false)), ["win", "draw", "loss"]);
    }
}
