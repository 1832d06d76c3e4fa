//! The shared parts of all pages: the frame, parts with a heading, heads of columns, names, values in words.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;

use crate::analysis::words::result_word;
use crate::board::Color;
use crate::search::Known;

const STYLE: &str = include_str!("style.css");
/// What makes tables sort, search and filter.
const TABLES: &str = include_str!("tables.js");
/// How a page names the program that wrote it.
const GENERATOR: &str = "<meta name=\"generator\" content=\"Emilia ";

/// Whether the beginning of a file is that of a page of this program.
pub fn is_page(begin: &str) -> bool {
    begin.contains(GENERATOR)
}

/// A whole page: `body` goes into its `main`, `script` behind it. Nothing is fetched from anywhere.
pub fn page(title: &str, body: &Markup, script: &Markup) -> String {
    let page = html! {
        (DOCTYPE) "\n"
        html lang="en" { "\n"
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                (PreEscaped(GENERATOR)) (env!("CARGO_PKG_VERSION")) (PreEscaped("\">"))
                link rel="icon" href="data:,"; "\n"
                title { (clean(title)) } "\n"
                style { "\n" (PreEscaped(STYLE)) }
            } "\n"
            body { "\n" main { "\n" (body) } "\n" (script) script { "\n" (PreEscaped(TABLES)) } } "\n"
        } "\n"
    };
    page.into_string()
}

/// A part of a page under its heading.
pub fn card(title: &str, note: &str, content: &Markup) -> Markup {
    html! {
        section.card {
            h2 { (title) @if !note.is_empty() { " " small { (note) } } }
            (content)
        } "\n"
    }
}

/// How a table is sorted at first, or by the first press on the head of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Up,
    Down,
    /// Downwards, and the table is sorted so already.
    Now,
}

/// The head of a column that its table can be sorted by.
pub fn head(label: &str, class: &str, sort: Sort) -> Markup {
    html! {
        th scope="col" class=[(!class.is_empty()).then_some(class)]
            aria-sort=[(sort == Sort::Now).then_some("descending")] {
            button.sort type="button" data-first=(if sort == Sort::Up { "up" } else { "down" }) { (label) }
        }
    }
}

/// The disc of a side.
pub fn stone(color: Color) -> Markup {
    html! { i class={ "stone " (color) } {} }
}

/// A text from a game. Control characters, which no HTML page may hold, become U+FFFD.
pub fn clean(text: &str) -> String {
    let shown = |c: char| match c {
        '\t' | '\n' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

/// A name from a game, kept apart from the direction of the text around it.
pub fn name(text: &str) -> Markup {
    html! { bdi { (clean(text.trim())) } }
}

/// Data for a script: JSON that cannot end its element, whatever texts it holds.
pub fn data(value: &Value) -> PreEscaped<String> {
    let mut text = value.to_string();
    for c in ['<', '>', '&', '\u{2028}', '\u{2029}'] {
        text = text.replace(c, &format!("\\u{:04x}", u32::from(c)));
    }
    PreEscaped(text)
}

/// Discs with a sign and one decimal, a real minus, and none for a zero: `+1.5`, `−3.0`, `0.0`.
pub fn discs(value: f64) -> String {
    let text = format!("{:.1}", value.abs());
    match value {
        _ if text == "0.0" => text,
        value if value < 0.0 => format!("\u{2212}{text}"),
        _ => format!("+{text}"),
    }
}

/// A proven score is a whole number of discs, an estimate has a decimal.
pub fn score(value: f64, is_exact: bool) -> String {
    let text = discs(value);
    if is_exact { text.trim_end_matches(".0").to_owned() } else { text }
}

/// A loss: `3.5 discs`.
pub fn loss(loss: f64, is_exact: bool) -> String {
    format!("{} discs", score(loss, is_exact).trim_start_matches('+'))
}

/// What is known of a score, for the side to move: `+1.5`, `at least +2.0`, `win`.
pub fn known(known: Known, is_exact: bool) -> String {
    match known {
        Known::Score(value) => score(value, is_exact),
        Known::AtLeast(value) => format!("at least {}", discs(value)),
        Known::AtMost(value) => format!("at most {}", discs(value)),
        Known::Winner(sign) => result_word(sign).into(),
    }
}

/// The same from the side of the one who leads, the one way in which the pages tell what a position is worth:
/// `Black +1.5`, `0.0`, `White wins`.
pub fn lead(value: Known, side: Color, is_exact: bool) -> String {
    let leader = |discs: f64| if discs < 0.0 { side.other() } else { side }.title();
    match value {
        Known::Score(value) if score(value, is_exact).trim_start_matches("0.") == "0" => {
            score(value, is_exact)
        }
        Known::Score(value) => format!("{} {}", leader(value), score(value.abs(), is_exact)),
        Known::Winner(0) => "draw".into(),
        Known::Winner(sign) => format!("{} wins", leader(sign.into())),
        bound => format!("{} for {}", known(bound, is_exact), side.title()),
    }
}

/// A chance in percent.
pub fn chance(chance: f64) -> String {
    format!("{:.0} %", 100.0 * chance)
}

/// Seconds as `0.4 s`, `12 s` or `3:05`.
pub fn seconds(value: f64) -> String {
    match value {
        value if value < 10.0 => format!("{value:.1} s"),
        value if value < 60.0 => format!("{value:.0} s"),
        value => {
            let whole = value.round() as u64;
            format!("{}:{:02}", whole / 60, whole % 60)
        }
    }
}

/// A mean with two decimals.
pub fn mean(value: Option<f64>) -> String {
    value.map_or("\u{2013}".into(), |value| format!("{value:.2}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_leader_is_named_and_a_bound_is_no_score() {
        let of = |known, side| lead(known, side, false);
        assert_eq!(of(Known::Score(7.0), Color::White), "White +7.0");
        assert_eq!(of(Known::Score(-7.0), Color::Black), "White +7.0");
        assert_eq!(of(Known::Score(0.0), Color::Black), "0.0");
        assert_eq!(lead(Known::Score(0.0), Color::White, true), "0");
        assert_eq!(lead(Known::Score(-4.0), Color::White, true), "Black +4");
        assert_eq!(of(Known::Winner(-1), Color::Black), "White wins");
        assert_eq!(of(Known::Winner(0), Color::Black), "draw");
        assert_eq!(of(Known::AtLeast(2.0), Color::White), "at least +2.0 for White");
    }

    #[test]
    fn nothing_from_a_game_can_be_markup() {
        assert_eq!(name("<b>\"&\u{7}").into_string(), "<bdi>&lt;b&gt;&quot;&amp;\u{fffd}</bdi>");
        let text = data(&json!({"name": "</script><!-- & \u{2028}"})).into_string();
        assert_eq!(text, r#"{"name":"\u003c/script\u003e\u003c!-- \u0026 \u2028"}"#);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["name"], "</script><!-- & \u{2028}");
        assert!(is_page(&page("", &html! {}, &html! {})));
    }

    #[test]
    fn numbers_read_well() {
        let all: Vec<String> = [0.0, -0.04, 1.25, -3.0].map(discs).into();
        assert_eq!(all, ["0.0", "0.0", "+1.2", "\u{2212}3.0"]);
        assert_eq!([score(-4.0, true), score(0.0, true), score(2.0, false)], ["\u{2212}4", "0", "+2.0"]);
        assert_eq!([seconds(0.44), seconds(12.4), seconds(185.2)], ["0.4 s", "12 s", "3:05"]);
    }
}
