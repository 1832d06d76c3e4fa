//! Charts over the moves of a game: SVG stretched to the width of the page, with labels and marks as HTML above it,
//! so that neither text nor marks are distorted.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::game::{GameReport, JudgedTurn};
use super::html::card;
use crate::analysis::Grade;
use crate::analysis::words::{loss, seconds};
use crate::board::Color;
use crate::board::stability::stable_discs;

/// The least range of a chart of scores, in discs.
const LEAST_RANGE: f64 = 8.0;

/// A point of a curve: place among the positions, and its value or its height from 0 (bottom) to 1.
type Point = (usize, f64);

/// The known values, if they are enough for a curve.
fn curve(report: &GameReport, value: fn(&JudgedTurn) -> Option<f64>) -> Option<Vec<Point>> {
    let turns = report.turns.iter().enumerate();
    let points = turns
        .filter_map(|(ply, turn)| Some((ply, value(turn)?)))
        .collect::<Vec<_>>();
    Some(points).filter(|points| points.len() > 1)
}

/// The greatest lead of either side, at least [`LEAST_RANGE`].
fn greatest(values: &[Point]) -> f64 {
    values
        .iter()
        .map(|(_, value)| value.abs())
        .fold(LEAST_RANGE, f64::max)
}

/// The score after every move, Black's lead upwards, with a mark on every move that lost discs.
pub fn scores(report: &GameReport) -> Markup {
    let last = report.turns.len() - 1;
    let Some(values) = curve(report, JudgedTurn::score_for_black) else {
        return html! {};
    };
    let range = (greatest(&values) / 4.0).ceil() * 4.0;
    let height = |value: f64| 0.5 + value / range / 2.0;
    let curve: Vec<Point> = values
        .iter()
        .map(|&(ply, value)| (ply, height(value)))
        .collect();
    let plot = html! {
        (areas(&curve, last))
        @if let Some(end) = report.book_end() {
            span.until style={ "width:" (percent(across(end, last))) "%" } { (report.language.page("book")) }
        }
        @if let Some(from) = report.proven_from() {
            span.from.late[across(from, last) > 75.0] style={ "left:" (percent(across(from, last))) "%" } { (report.language.page("proven")) }
        }
        @for &(ply, height) in &curve { (mark(report, ply, across(ply, last), 100.0 * (1.0 - height))) }
    };
    let labels = [
        (0, format!("+{range}")),
        (50, "0".into()),
        (100, format!("\u{2212}{range}")),
    ];
    frame(
        report,
        "scores",
        ["Score in discs", "Black ahead above the line, White below"],
        &labels,
        &plot,
    )
}

/// Black's chance to win after every move.
pub fn chances(report: &GameReport) -> Markup {
    let Some(curve) = curve(report, JudgedTurn::chance_for_black) else {
        return html! {};
    };
    let labels = [(0, "100%".into()), (50, "50".into()), (100, "0".into())];
    let plot = areas(&curve, report.turns.len() - 1);
    frame(
        report,
        "chances",
        ["Chance to win", "Black\u{2019}s, a draw counts half"],
        &labels,
        &plot,
    )
}

/// Seconds taken for every move.
pub fn times(report: &GameReport) -> Markup {
    let last = report.turns.len() - 1;
    let longest = report
        .source
        .seconds
        .iter()
        .flatten()
        .copied()
        .fold(0.0, f64::max);
    if last == 0 || longest <= 0.0 {
        return html! {};
    }
    let width = 100.0 / last as f64;
    let times = report.source.seconds.iter().enumerate();
    let times = times.filter_map(|(ply, time)| Some((ply, time.filter(|&time| time > 0.0)?)));
    let plot = svg(&html! {
        @for (ply, time) in times {
            @let high = 100.0 * time / longest;
            rect class={ "bar " (report.turns[ply].position.side) } x=(percent((ply as f64 + 0.12) * width))
                y=(percent(100.0 - high)) width=(percent(width * 0.76)) height=(percent(high)) {
                title { (report.number(ply)) ". " (seconds(time)) }
            }
        }
    });
    let labels = [(0, seconds(longest)), (100, "0".into())];
    frame(
        report,
        "times",
        ["Time per move", "dark bars Black, light bars White"],
        &labels,
        &plot,
    )
}

/// Discs that can never be turned again, of both sides.
pub fn stable(report: &GameReport) -> Markup {
    let last = report.turns.len() - 1;
    let counts = [Color::Black, Color::White].map(|color| {
        let count = |turn: &JudgedTurn| {
            stable_discs(
                turn.position.discs(color),
                turn.position.discs(color.other()),
            )
            .count_ones()
        };
        (color, report.turns.iter().map(count).collect::<Vec<u32>>())
    });
    let most = counts
        .iter()
        .flat_map(|(_, counts)| counts)
        .copied()
        .max()
        .unwrap_or(0);
    if last == 0 || most == 0 {
        return html! {};
    }
    let plot = svg(&html! {
        @for (color, counts) in &counts {
            @let heights = counts.iter().map(|&count| f64::from(count) / f64::from(most)).enumerate();
            polyline class={ "line " (color) } points=(path(&heights.collect::<Vec<_>>(), last)) {}
        }
    });
    let labels = [(0, most.to_string()), (100, "0".into())];
    frame(
        report,
        "stable",
        ["Stable discs", "dark line Black, light line White"],
        &labels,
        &plot,
    )
}

/// A curve of a game as small as a word, for lists of games: one path of whole numbers, since there may be thousands.
pub fn sparkline(report: &GameReport) -> Markup {
    let last = report.turns.len() - 1;
    let Some(values) = curve(report, JudgedTurn::score_for_black) else {
        return html! {};
    };
    let most = greatest(&values);
    let mut at = (100 * values[0].0 / last, 12);
    let mut path = format!("M{} {}", at.0, at.1);
    for (ply, value) in values {
        let next = (
            100 * ply / last,
            (12.0 - 11.0 * value / most).round() as i32,
        );
        let _ = write!(path, "l{} {}", next.0 - at.0, next.1 - at.1);
        at = next;
    }
    html! {
        svg.spark viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true" { path d={ (path) "V12Z" } {} }
    }
}

/// The curve, filled down or up to the middle.
fn areas(points: &[Point], last: usize) -> Markup {
    let first = points[0].0;
    let end = points[points.len() - 1].0;
    let side = |clamp: fn(f64, f64) -> f64| {
        let corners = with_crossings(points).into_iter().map(|(x, y)| {
            format!(
                "{},{}",
                percent(100.0 * x / last as f64),
                percent(100.0 * (1.0 - clamp(y, 0.5)))
            )
        });
        let [first, end] = [first, end].map(|ply| percent(across(ply, last)));
        format!(
            "{first},50 {} {end},50",
            corners.collect::<Vec<_>>().join(" ")
        )
    };
    svg(&html! {
        polygon.area.black points=(side(f64::max)) {}
        polygon.area.white points=(side(f64::min)) {}
        path.zero d="M0 50H100" {}
        polyline.line points=(path(points, last)) {}
    })
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
    let corner = |&(ply, y): &Point| {
        format!(
            "{},{}",
            percent(across(ply, last)),
            percent(100.0 * (1.0 - y))
        )
    };
    points.iter().map(corner).collect::<Vec<_>>().join(" ")
}

/// Place of a position across the chart, in percent.
fn across(ply: usize, last: usize) -> f64 {
    100.0 * ply as f64 / last as f64
}

/// A share of a chart's width or height, in percent.
fn percent(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn svg(content: &Markup) -> Markup {
    html! { svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true" { (content) } }
}

/// The mark of the move played in position `ply`, if it lost discs.
fn mark(report: &GameReport, ply: usize, left: f64, top: f64) -> Markup {
    let turn = &report.turns[ply];
    let Some((mv, lost)) = turn.played.zip(turn.loss) else {
        return html! {};
    };
    let grade = Grade::of(lost);
    let values = [
        ("move", format!("{}. {mv}", report.number(ply)).into()),
        (
            "loss",
            loss(report.language, lost, turn.is_loss_exact()).into(),
        ),
    ];
    let label = report.language.page_with("{move} loses {loss}", &values);
    html! {
        @if grade > Grade::Good {
            a.mark.(grade.name()) href={ "#" (report.anchor(ply)) } data-ply=(ply) title=(label) aria-label=(label)
                style={ "left:" (percent(left)) "%;top:" (percent(top)) "%" } {}
        }
    }
}

/// A chart with its heading and note, the labels of its height, its plot, and move numbers below.
fn frame(
    report: &GameReport,
    id: &str,
    [title, note]: [&str; 2],
    labels: &[(u32, String)],
    plot: &Markup,
) -> Markup {
    let last = report.turns.len() - 1;
    let tenths = (0..last)
        .filter(|&ply| report.turns[ply].is_choice() && report.number(ply).is_multiple_of(10));
    let chart = html! {
        div class={ "chart " (id) } {
            div.plot {
                (plot)
                span.cursor {}
                @for ply in tenths {
                    span.wide style={ "left:" (percent(across(ply, last))) "%" } { (report.number(ply)) }
                }
            }
            @for (top, label) in labels { span.high style={ "top:" (top) "%" } { (label) } }
        }
    };
    card(
        report.language.page(title),
        report.language.page(note),
        &chart,
    )
}

#[cfg(test)]
mod tests {
    use super::super::game::tests::report;
    use super::*;
    use crate::search::Known;

    #[test]
    fn a_curve_is_filled_up_to_where_it_crosses() {
        assert_eq!(
            with_crossings(&[(0, 0.75), (4, 0.25)]),
            [(0.0, 0.75), (2.0, 0.5), (4.0, 0.25)]
        );
        assert_eq!(
            with_crossings(&[(0, 0.5), (1, 0.75)]),
            [(0.0, 0.5), (1.0, 0.75)]
        );
        assert_eq!([50.0, 33.3333, 100.0].map(percent), ["50", "33.33", "100"]);
    }

    #[test]
    fn lossy_moves_are_marked_where_they_were_played() {
        let chart = scores(&report("f5d6c3d3c4", &[0.0, 3.0, 12.0])).into_string();
        assert_eq!(chart.matches("class=\"mark ").count(), 2);
        for part in [
            "class=\"mark slip\" href=\"#2\" data-ply=\"1\" title=\"2. d6 loses 3.0 discs\"",
            "class=\"mark blunder\" href=\"#3\"",
            "style=\"left:40%;top:",
        ] {
            assert!(chart.contains(part), "{chart}");
        }
    }

    #[test]
    fn unknown_values_are_not_drawn() {
        let empty = report("", &[]);
        for chart in [scores, times, chances, stable, sparkline] {
            assert_eq!(chart(&empty).into_string(), "");
        }
        // If only the winner is known, only the end has a score.
        let mut won = report("e6f4e3f6g5d6e7f5c5", &[]);
        let verdicts = won
            .turns
            .iter_mut()
            .filter_map(|turn| turn.verdict.as_mut());
        verdicts.for_each(|verdict| verdict.line.value = Known::Winner(1));
        assert_eq!(
            scores(&won).into_string() + &sparkline(&won).into_string(),
            ""
        );
    }

    #[test]
    fn bars_show_the_times() {
        let mut timed = report("f5d6c3", &[]);
        timed.source.seconds = vec![Some(2.0), None, Some(4.0)];
        let chart = times(&timed).into_string();
        assert_eq!(chart.matches("<rect class=\"bar black\"").count(), 2);
        assert!(
            chart.contains("height=\"50\"><title>1. 2.0 s</title>"),
            "{chart}"
        );
    }
}
