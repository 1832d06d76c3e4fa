//! Charts over the moves of a game: SVG stretched to the width of the page, with labels and marks as HTML above it,
//! so that neither text nor marks are distorted.

use std::fmt::Write as _;

use super::game::{GameReport, JudgedTurn};
use super::html::{discs, percent, score, seconds};
use crate::analysis::Grade;
use crate::board::Color;
use crate::board::stability::stable_discs;

/// Scores beyond this many discs are the least that a chart's height stands for.
const LEAST_RANGE: f64 = 8.0;

/// A point of a curve: place among the positions, and its value or its height from 0 (bottom) to 1.
type Point = (usize, f64);

/// The scores that are known, in discs for Black, each with its place among the positions.
fn scores_for_black(report: &GameReport) -> Vec<Point> {
    let turns = report.turns.iter().enumerate();
    turns.filter_map(|(ply, turn)| Some((ply, turn.score_for_black()?))).collect()
}

/// The score after every move, Black's lead upwards, with a mark on every move that lost discs.
pub fn scores(report: &GameReport) -> String {
    let last = report.turns.len() - 1;
    let values = scores_for_black(report);
    // One point is no curve.
    if values.len() < 2 {
        return String::new();
    }
    let most = values.iter().map(|(_, value)| value.abs()).fold(LEAST_RANGE, f64::max);
    let range = (most / 4.0).ceil() * 4.0;
    let height = |value: f64| 0.5 + value / range / 2.0;
    let points: Vec<Point> = values.iter().map(|&(ply, value)| (ply, height(value))).collect();
    let mut plot = areas(&points, last);
    if let Some(end) = report.book_end() {
        let _ =
            write!(plot, "<span class=\"until\" style=\"width:{}%\">book</span>", percent(across(end, last)));
    }
    if let Some(from) = report.proven_from() {
        let _ = write!(
            plot,
            "<span class=\"from\" style=\"left:{}%\">proven</span>",
            percent(across(from, last))
        );
    }
    for &(ply, value) in &values {
        plot.push_str(&mark(report, ply, across(ply, last), 100.0 * (1.0 - height(value))));
    }
    let labels = [(0.0, format!("+{range}")), (50.0, "0".into()), (100.0, format!("\u{2212}{range}"))];
    frame(report, "scores", "Score in discs", "Black ahead above the line, White below", &labels, &plot)
}

/// Black's chance to win after every move.
pub fn chances(report: &GameReport) -> String {
    let last = report.turns.len() - 1;
    let points: Vec<Point> = report
        .turns
        .iter()
        .enumerate()
        .filter_map(|(ply, turn)| Some((ply, turn.chance_for_black()?)))
        .collect();
    if points.len() < 2 {
        return String::new();
    }
    let labels = [(0.0, "100%".into()), (50.0, "50".into()), (100.0, "0".into())];
    let note = "Black\u{2019}s, a draw counts half";
    frame(report, "chances", "Chance to win", note, &labels, &areas(&points, last))
}

/// Seconds taken for every move.
pub fn times(report: &GameReport) -> String {
    let last = report.turns.len() - 1;
    let longest = report.source.seconds.iter().flatten().copied().fold(0.0, f64::max);
    if last == 0 || longest <= 0.0 {
        return String::new();
    }
    let mut plot = svg_open();
    for (index, (turn, time)) in report.turns.iter().zip(&report.source.seconds).enumerate() {
        let Some(time) = time.filter(|&time| time > 0.0) else { continue };
        let width = 100.0 / last as f64;
        let high = 100.0 * time / longest;
        let class = if turn.position.side == Color::Black { "black" } else { "white" };
        let _ = write!(
            plot,
            "<rect class=\"bar {class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}. {}</title></rect>",
            percent((index as f64 + 0.12) * width),
            percent(100.0 - high),
            percent(width * 0.76),
            percent(high),
            report.number(index),
            seconds(time),
        );
    }
    plot.push_str("</svg>");
    let labels = [(0.0, seconds(longest)), (100.0, "0".into())];
    frame(report, "times", "Time per move", "dark bars Black, light bars White", &labels, &plot)
}

/// Discs that can never be turned again, of both sides.
pub fn stable(report: &GameReport) -> String {
    let last = report.turns.len() - 1;
    let counts = |color: Color| -> Vec<u32> {
        let of = |turn: &JudgedTurn| {
            stable_discs(turn.position.discs(color), turn.position.discs(color.other())).count_ones()
        };
        report.turns.iter().map(of).collect()
    };
    let (black, white) = (counts(Color::Black), counts(Color::White));
    let most = black.iter().chain(&white).copied().max().unwrap_or(0);
    if last == 0 || most == 0 {
        return String::new();
    }
    let mut plot = svg_open();
    for (class, counts) in [("black", &black), ("white", &white)] {
        let height = |count: u32| f64::from(count) / f64::from(most);
        let points: Vec<Point> = counts.iter().map(|&count| height(count)).enumerate().collect();
        let _ = write!(plot, "<polyline class=\"line {class}\" points=\"{}\"/>", path(&points, last));
    }
    plot.push_str("</svg>");
    let labels = [(0.0, most.to_string()), (100.0, "0".into())];
    frame(report, "stable", "Stable discs", "dark line Black, light line White", &labels, &plot)
}

/// A curve of a game as small as a word, for lists of games: one path of whole numbers, since there may be thousands.
pub fn sparkline(report: &GameReport) -> String {
    let last = report.turns.len() - 1;
    let values = scores_for_black(report);
    if values.len() < 2 {
        return String::new();
    }
    let most = values.iter().map(|(_, value)| value.abs()).fold(LEAST_RANGE, f64::max);
    let (mut path, mut at) = (format!("M{} 12", 100 * values[0].0 / last), (100 * values[0].0 / last, 12));
    for (ply, value) in values {
        let next = (100 * ply / last, (12.0 - 11.0 * value / most).round() as i32);
        let _ = write!(path, "l{} {}", next.0 - at.0, next.1 - at.1);
        at = next;
    }
    format!(
        "<svg class=\"spark\" viewBox=\"0 0 100 24\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <path d=\"{path}V12Z\"/></svg>"
    )
}

/// The curve, filled down or up to the middle.
fn areas(points: &[Point], last: usize) -> String {
    let (first, end) = (points[0].0, points[points.len() - 1].0);
    let mut text = svg_open();
    for (class, clamp) in [("black", f64::max as fn(f64, f64) -> f64), ("white", f64::min)] {
        let side = with_crossings(points).into_iter().map(|(x, y)| (x, clamp(y, 0.5)));
        let side: Vec<String> = side
            .map(|(x, y)| format!("{},{}", percent(100.0 * x / last as f64), percent(100.0 * (1.0 - y))))
            .collect();
        let _ = write!(
            text,
            "<polygon class=\"area {class}\" points=\"{},50 {} {},50\"/>",
            percent(across(first, last)),
            side.join(" "),
            percent(across(end, last))
        );
    }
    let _ = write!(
        text,
        "<path class=\"zero\" d=\"M0 50H100\"/><polyline class=\"line\" points=\"{}\"/></svg>",
        path(points, last)
    );
    text
}

/// The points with those where the curve crosses the middle put in between.
fn with_crossings(points: &[Point]) -> Vec<(f64, f64)> {
    let mut all = Vec::with_capacity(points.len() * 2);
    for (index, &(ply, y)) in points.iter().enumerate() {
        if index > 0 {
            let (before, from) = points[index - 1];
            if (from - 0.5) * (y - 0.5) < 0.0 {
                let share = (0.5 - from) / (y - from);
                all.push((before as f64 + share * (ply - before) as f64, 0.5));
            }
        }
        all.push((ply as f64, y));
    }
    all
}

fn path(points: &[Point], last: usize) -> String {
    let texts: Vec<String> = points
        .iter()
        .map(|&(ply, y)| format!("{},{}", percent(across(ply, last)), percent(100.0 * (1.0 - y))))
        .collect();
    texts.join(" ")
}

/// Place of a position across the chart, in percent.
fn across(ply: usize, last: usize) -> f64 {
    100.0 * ply as f64 / last as f64
}

fn svg_open() -> String {
    "<svg viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\" aria-hidden=\"true\">".into()
}

/// The mark of the move played in position `ply`, if it lost discs.
fn mark(report: &GameReport, ply: usize, left: f64, top: f64) -> String {
    let turn = &report.turns[ply];
    let (Some(mv), Some(loss)) = (turn.played, turn.loss) else { return String::new() };
    let grade = Grade::of(loss);
    if grade == Grade::Good {
        return String::new();
    }
    let label = format!("{}. {mv} loses {}", report.number(ply), loss_text(loss, turn.is_exact()));
    format!(
        "<a class=\"mark {}\" href=\"#{}\" data-ply=\"{ply}\" title=\"{label}\" aria-label=\"{label}\" \
         style=\"left:{}%;top:{}%\"></a>",
        grade.name(),
        report.anchor(ply),
        percent(left),
        percent(top)
    )
}

/// A chart with its heading, the labels of its height, its plot, and move numbers below.
fn frame(
    report: &GameReport,
    id: &str,
    title: &str,
    note: &str,
    labels: &[(f64, String)],
    plot: &str,
) -> String {
    let last = report.turns.len() - 1;
    let mut text = format!(
        "<section class=\"card\"><h2>{title} <small>{note}</small></h2>\n\
         <div class=\"chart {id}\"><div class=\"plot\">{plot}<span class=\"cursor\"></span>"
    );
    let tenths =
        (0..last).filter(|&ply| report.turns[ply].is_choice() && report.number(ply).is_multiple_of(10));
    for ply in tenths {
        let (left, number) = (percent(across(ply, last)), report.number(ply));
        let _ = write!(text, "<span class=\"wide\" style=\"left:{left}%\">{number}</span>");
    }
    text.push_str("</div>");
    for (top, label) in labels {
        let _ = write!(text, "<span class=\"high\" style=\"top:{}%\">{label}</span>", percent(*top));
    }
    text.push_str("</div></section>\n");
    text
}

/// The words for a loss: `lost 3.5 discs`.
pub fn loss_text(loss: f64, is_exact: bool) -> String {
    let amount = if is_exact { score(loss, true) } else { discs(loss) };
    format!("{} discs", amount.trim_start_matches('+'))
}

#[cfg(test)]
mod tests {
    use super::super::game::tests::report;
    use super::*;
    use crate::search::Known;

    #[test]
    fn a_curve_is_filled_up_to_where_it_crosses() {
        assert_eq!(with_crossings(&[(0, 0.75), (4, 0.25)]), [(0.0, 0.75), (2.0, 0.5), (4.0, 0.25)]);
        assert_eq!(with_crossings(&[(0, 0.5), (1, 0.75)]), [(0.0, 0.5), (1.0, 0.75)]);
    }

    #[test]
    fn lossy_moves_are_marked_where_they_were_played() {
        let chart = scores(&report("f5d6c3d3c4", &[0.0, 3.0, 12.0]));
        assert_eq!(chart.matches("class=\"mark ").count(), 2);
        assert!(
            chart.contains("class=\"mark slip\" href=\"#2\" data-ply=\"1\" title=\"2. d6 loses 3.0 discs\"")
        );
        assert!(chart.contains("class=\"mark blunder\" href=\"#3\""));
        assert!(chart.contains("style=\"left:40%;top:"), "{chart}");
    }

    #[test]
    fn what_is_not_known_is_not_drawn() {
        assert_eq!(scores(&report("", &[])), "");
        assert_eq!(times(&report("f5d6", &[])), "");
        assert_eq!(chances(&report("f5d6", &[])), "");
        assert_eq!(stable(&report("f5d6", &[])), "");
        assert_eq!(sparkline(&report("", &[])), "");
        // Of a game whose winner alone is known, the end has a score.
        let mut won = report("e6f4e3f6g5d6e7f5c5", &[]);
        won.turns
            .iter_mut()
            .filter_map(|turn| turn.verdict.as_mut())
            .for_each(|v| v.value = Known::Winner(1));
        assert_eq!(scores(&won) + &sparkline(&won), "");
    }

    #[test]
    fn bars_tell_the_time() {
        let mut timed = report("f5d6c3", &[]);
        timed.source.seconds = vec![Some(2.0), None, Some(4.0)];
        let chart = times(&timed);
        assert_eq!(chart.matches("<rect class=\"bar black\"").count(), 2);
        assert!(chart.contains("height=\"50\"><title>1. 2.0 s</title>"), "{chart}");
    }
}
