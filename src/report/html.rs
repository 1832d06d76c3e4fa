//! The shared parts of all pages: the frame, parts with a heading, heads of columns, names.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::{Value, json};

use crate::board::Color;
use crate::sentences::Language;

const STYLE: &str = include_str!("style.css");
const TABLES: &str = include_str!("tables.js");
/// How a page names the program that wrote it.
const GENERATOR: &str = "<meta name=\"generator\" content=\"Emilia ";

/// Whether the beginning of a file is that of a page of this program.
pub fn is_page(begin: &str) -> bool {
    begin.contains(GENERATOR)
}

/// A whole page: `body` goes into its `main`, `script` behind it. Nothing is fetched from anywhere.
pub fn page(language: Language, title: &str, body: &Markup, script: &Markup) -> String {
    let texts = language.page_texts();
    let page = html! {
        (DOCTYPE) "\n"
        html lang=(language.code()) { "\n"
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                (PreEscaped(GENERATOR)) (env!("CARGO_PKG_VERSION")) (PreEscaped("\">"))
                link rel="icon" href="data:,"; "\n"
                title { (clean(title)) } "\n"
                style { "\n" (PreEscaped(STYLE)) }
            } "\n"
            body { "\n" main { "\n" (body) } "\n"
                @if !texts.is_empty() { script type="application/json" id="texts" { (data(&json!(texts))) } "\n" }
                (script) script { "\n" (PreEscaped(TABLES)) } } "\n"
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

/// Data for a script: JSON that cannot end its element.
pub fn data(value: &Value) -> PreEscaped<String> {
    let mut text = value.to_string();
    for c in ['<', '>', '&', '\u{2028}', '\u{2029}'] {
        text = text.replace(c, &format!("\\u{:04x}", u32::from(c)));
    }
    PreEscaped(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_a_game_can_be_markup() {
        assert_eq!(
            name("<b>\"&\u{7}").into_string(),
            "<bdi>&lt;b&gt;&quot;&amp;\u{fffd}</bdi>"
        );
        let text = data(&json!({"name": "</script><!-- & \u{2028}"})).into_string();
        assert_eq!(
            text,
            r#"{"name":"\u003c/script\u003e\u003c!-- \u0026 \u2028"}"#
        );
        assert_eq!(
            serde_json::from_str::<Value>(&text).unwrap()["name"],
            "</script><!-- & \u{2028}"
        );
        assert!(is_page(&page(Language::En, "", &html! {}, &html! {})));
    }
}
