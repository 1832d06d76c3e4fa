//! Scores, depths, chances and times in words, for tables, sentences and pages. Only proofs get 100 %.

use crate::board::Color;
use crate::engine::cost::Cost;
use crate::search::{Known, Line, Proof};
use crate::sentences::{Language, name};

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

pub fn score_of(line: &Line) -> String {
    score(line.known(), line.proof == Proof::Exact)
}

/// `18@73%`: plies and selectivity; `18` for a full search, `100%W` for a proven winner, `100%` for a proven score.
pub fn depth(known: Known, is_exact: bool, plies: u8, percent: u32) -> String {
    match known {
        _ if is_exact => "100%".to_owned(),
        Known::Winner(_) => "100%W".to_owned(),
        _ if percent < 100 => format!("{plies}@{percent}%"),
        _ => plies.to_string(),
    }
}

pub fn depth_of(line: &Line) -> String {
    depth(
        line.known(),
        line.proof == Proof::Exact,
        line.depth,
        line.selectivity.percent(),
    )
}

/// The depth of an unproven score in a sentence: `depth 18, 73 %`, `depth 18`.
pub fn depth_in_words(plies: u8, percent: u32) -> String {
    if percent < 100 {
        format!("depth {plies}, {percent} %")
    } else {
        format!("depth {plies}")
    }
}

/// The certainty of a line's score: `proven`, `depth 12, 73 %`.
pub fn known_in_words(line: &Line) -> String {
    match line.proof {
        Proof::Exact => "proven".into(),
        Proof::WinLossDraw => "the winner is proven".into(),
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

/// The time of a solve: `about 40 minutes; 99 % in about 12 s`.
pub fn cost(cost: &Cost) -> String {
    let nearly = cost.nearly.map(|(selectivity, seconds)| {
        format!("; {} % in {}", selectivity.percent(), time(seconds))
    });
    time(cost.seconds) + &nearly.unwrap_or_default()
}

/// Discs with a sign, a real minus, and no sign for 0: `+1.5`, `−3.0`, `0.0`; a proven score is a whole number.
pub fn discs(value: f64, is_exact: bool) -> String {
    let text = format!("{:.1}", value.abs());
    let sign = match value {
        _ if text == "0.0" => "",
        ..0.0 => "\u{2212}",
        _ => "+",
    };
    sign.to_owned()
        + if is_exact {
            text.trim_end_matches(".0")
        } else {
            &text
        }
}

/// A loss: `3.5 discs`.
pub fn loss(language: Language, loss: f64, is_exact: bool) -> String {
    language.page_with(
        "{n} discs",
        &[("n", discs(loss, is_exact).trim_start_matches('+').into())],
    )
}

/// A value for the side to move: `+1.5`, `at least +2.0`, `win`.
pub fn value(language: Language, known: Known, is_exact: bool) -> String {
    let bound =
        |text: &str, value: f64| language.page_with(text, &[("n", discs(value, false).into())]);
    match known {
        Known::Score(value) => discs(value, is_exact),
        Known::AtLeast(value) => bound("at least {n}", value),
        Known::AtMost(value) => bound("at most {n}", value),
        Known::Winner(sign) => language.page(result_word(sign)).into(),
    }
}

/// A value for `side` as the lead of a side: `Black +1.5`, `0.0`, `White wins`.
pub fn lead(language: Language, known: Known, side: Color, is_exact: bool) -> String {
    let leader = |discs: f64| name(language, if discs < 0.0 { side.other() } else { side });
    match known {
        Known::Score(value) if value.abs() < 0.05 => discs(0.0, is_exact),
        Known::Score(value) => format!("{} {}", leader(value), discs(value.abs(), is_exact)),
        Known::Winner(0) => language.page("draw").into(),
        Known::Winner(sign) => {
            language.page_with("{side} wins", &[("side", leader(sign.into()).into())])
        }
        bound => {
            let values = [
                ("value", value(language, bound, is_exact).into()),
                ("side", name(language, side).into()),
            ];
            language.page_with("{value} for {side}", &values)
        }
    }
}

pub fn chance(chance: f64) -> String {
    format!("{:.0}\u{a0}%", 100.0 * chance)
}

pub fn mean(value: Option<f64>) -> String {
    value.map_or("\u{2013}".into(), |value| format!("{value:.2}"))
}

/// `0.4 s`, `12 s` or `3:05`.
pub fn seconds(value: f64) -> String {
    match value {
        ..10.0 => format!("{value:.1} s"),
        ..60.0 => format!("{value:.0} s"),
        _ => minutes(value.round() as u64),
    }
}

/// Whole seconds as `3:05`.
pub fn minutes(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Selectivity;

    const BOUNDS: [Known; 5] = [
        Known::AtLeast(2.0),
        Known::AtMost(-2.0),
        Known::Winner(1),
        Known::Winner(0),
        Known::Winner(-1),
    ];

    #[test]
    fn only_proven_depths_are_100_percent() {
        assert_eq!(depth(Known::Score(2.0), false, 4, 73), "4@73%");
        assert_eq!(depth(Known::Score(2.0), false, 4, 100), "4");
        assert_eq!(depth(Known::AtLeast(2.0), false, 4, 100), "4");
        assert_eq!(depth(Known::Score(2.0), true, 4, 100), "100%");
        assert_eq!(depth(Known::Winner(1), false, 4, 100), "100%W");
        assert_eq!(
            [73, 100].map(|percent| depth_in_words(4, percent)),
            ["depth 4, 73 %", "depth 4"]
        );
    }

    #[test]
    fn times_have_the_unit_that_fits() {
        let seconds_of = [
            0.2, 12.3, 89.0, 90.0, 2_400.0, 7_300.0, 300_000.0, 6e6, 1e10, 1e30,
        ];
        let words = "less than a second, about 12 s, about 89 s, about 2 minutes, about 40 minutes, about 2 hours, \
            about 3 days, about 2 months, about 320 years, longer than anyone can wait";
        assert_eq!(seconds_of.map(time).join(", "), words);
        let of = |nearly| {
            cost(&Cost {
                nodes: 1.0,
                seconds: 2_400.0,
                nearly,
            })
        };
        assert_eq!(
            of(Some((Selectivity::P99, 12.0))),
            "about 40 minutes; 99 % in about 12 s"
        );
        assert_eq!(of(None), "about 40 minutes");
        assert_eq!([0.44, 12.4, 185.2].map(seconds), ["0.4 s", "12 s", "3:05"]);
    }

    #[test]
    fn a_bound_is_no_score_and_a_winner_no_number() {
        assert_eq!(
            [true, false].map(|is_exact| score(Known::Score(2.0), is_exact)),
            ["+2", "+2.00"]
        );
        assert_eq!(
            BOUNDS.map(|known| score(known, false)),
            [">=+2.0", "<=-2.0", "win", "draw", "loss"]
        );
        let words = [
            "at least +2.0",
            "at most \u{2212}2.0",
            "win",
            "draw",
            "loss",
        ];
        assert_eq!(BOUNDS.map(|known| value(Language::En, known, false)), words);
    }

    #[test]
    fn discs_are_signed_and_the_leader_is_named() {
        let all = [0.0, -0.04, 1.25, -3.0].map(|value| discs(value, false));
        assert_eq!(all, ["0.0", "0.0", "+1.2", "\u{2212}3.0"]);
        assert_eq!(
            [-4.0, 0.0, 10.0].map(|value| discs(value, true)),
            ["\u{2212}4", "0", "+10"]
        );
        for (known, side, is_exact, words) in [
            (Known::Score(7.0), Color::White, false, "White +7.0"),
            (Known::Score(-7.0), Color::Black, false, "White +7.0"),
            (Known::Score(0.0), Color::Black, false, "0.0"),
            (Known::Score(0.0), Color::White, true, "0"),
            (Known::Score(-4.0), Color::White, true, "Black +4"),
            (Known::Winner(-1), Color::Black, false, "White wins"),
            (Known::Winner(0), Color::Black, false, "draw"),
            (
                Known::AtLeast(2.0),
                Color::White,
                false,
                "at least +2.0 for White",
            ),
        ] {
            assert_eq!(lead(Language::En, known, side, is_exact), words);
        }
    }
}
