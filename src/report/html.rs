//! HTML text: escaping, numbers, and the frame that all pages share.

use std::fmt::Write as _;

use serde_json::Value;

use crate::analysis::words::result_word;
use crate::board::Color;
use crate::search::Known;

const STYLE: &str = include_str!("style.css");
/// What makes tables sort, search and filter.
pub const TABLES: &str = concat!("<script>\n", include_str!("tables.js"), "</script>\n");

/// The head of a column that its table can be sorted by; a first press sorts `up` or `down`.
pub fn sorted_by(label: &str, attributes: &str, first: &str) -> String {
    format!(
        "<th scope=\"col\"{attributes}><button type=\"button\" class=\"sort\" data-first=\"{first}\">{label}</button></th>"
    )
}

/// Text for an element or a quoted attribute. Control characters, which no HTML page may hold, become U+FFFD.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' => escaped.push(' '),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A name from a game: escaped, and kept apart from the direction of the text around it.
pub fn name(text: &str) -> String {
    format!("<bdi>{}</bdi>", escape(text))
}

/// Data for a script: JSON that cannot end its element, whatever texts it holds.
pub fn data(value: &Value) -> String {
    let mut text = String::new();
    for c in value.to_string().chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text
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

/// A share of a chart's width or height, in percent.
pub fn percent(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// How a page names the program that wrote it.
const GENERATOR: &str = "<meta name=\"generator\" content=\"Emilia ";

/// Whether the beginning of a file is that of a page of this program.
pub fn is_page(begin: &str) -> bool {
    begin.contains(GENERATOR)
}

/// A whole page: `body` goes into its `main`, `script` behind it. Nothing is fetched from anywhere.
pub fn page(title: &str, body: &str, script: &str) -> String {
    let mut text = String::with_capacity(body.len() + STYLE.len() + script.len() + 1000);
    let _ = write!(
        text,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n\
         {GENERATOR}{}\"/>\n\
         <link rel=\"icon\" href=\"data:,\"/>\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <main>\n{body}</main>\n{script}</body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        escape(title),
    );
    text
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn who_leads_is_told_and_a_bound_is_no_score() {
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

    /// Fails unless every element is closed where it should be and every attribute is quoted.
    pub fn assert_well_formed(page: &str) {
        const VOID: [&str; 2] = ["meta", "link"];
        let mut open: Vec<&str> = Vec::new();
        let mut rest = page.strip_prefix("<!DOCTYPE html>\n").expect("the page begins with its type");
        while let Some(at) = rest.find('<') {
            let text = &rest[..at];
            assert!(!text.contains('>'), "a stray > in {text:?}");
            for entity in text.split('&').skip(1) {
                let end = entity.find(';').unwrap_or_else(|| panic!("a bare & in {text:?}"));
                assert!(entity[..end].bytes().all(|b| b.is_ascii_alphanumeric() || b == b'#'), "{entity:?}");
            }
            let end = at + rest[at..].find('>').expect("a tag ends");
            let tag = &rest[at + 1..end];
            rest = &rest[end + 1..];
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "closed");
                continue;
            }
            assert_eq!(tag.matches('"').count() % 2, 0, "quotes of <{tag}>");
            let name = tag.split([' ', '/']).next().unwrap();
            let known = name.bytes().all(|b| b.is_ascii_alphanumeric()) && !name.is_empty();
            assert!(known, "<{tag}> is no element");
            for (index, part) in tag.split('"').enumerate().filter(|(index, _)| index % 2 == 0) {
                let is_last = index == tag.matches('"').count();
                assert!(is_last || part.ends_with('='), "an attribute without a name in <{tag}>");
                assert!(!is_last || !part.contains('='), "an attribute without quotes in <{tag}>");
            }
            if tag.ends_with('/') {
                continue;
            }
            assert!(!VOID.contains(&name), "<{tag}> has no end");
            open.push(name);
            if name == "script" || name == "style" {
                // Raw text: it ends at the first end tag.
                let end = rest.find(&format!("</{name}")).expect("raw text ends");
                rest = &rest[end..];
            }
        }
        assert!(open.is_empty(), "never closed: {open:?}");
    }

    #[test]
    fn nothing_from_a_game_can_be_markup() {
        assert_eq!(escape("<script>\"&'\u{7}"), "&lt;script&gt;&quot;&amp;&#39;\u{fffd}");
        let text = data(&json!({"name": "</script><!-- & \u{2028}"}));
        assert_eq!(text, r#"{"name":"\u003c/script\u003e\u003c!-- \u0026 \u2028"}"#);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["name"], "</script><!-- & \u{2028}");
        assert_well_formed(&page("<b>", "<p>x</p>\n", ""));
    }

    #[test]
    fn numbers_read_well() {
        let all: Vec<String> = [0.0, -0.04, 1.25, -3.0].map(discs).into();
        assert_eq!(all, ["0.0", "0.0", "+1.2", "\u{2212}3.0"]);
        assert_eq!([score(-4.0, true), score(0.0, true), score(2.0, false)], ["\u{2212}4", "0", "+2.0"]);
        assert_eq!([seconds(0.44), seconds(12.4), seconds(185.2)], ["0.4 s", "12 s", "3:05"]);
        assert_eq!([percent(50.0), percent(33.3333), percent(100.0)], ["50", "33.33", "100"]);
    }

    #[test]
    #[should_panic(expected = "closed")]
    fn a_crossed_element_is_seen() {
        assert_well_formed("<!DOCTYPE html>\n<html><b><i></b></i></html>\n");
    }
}
