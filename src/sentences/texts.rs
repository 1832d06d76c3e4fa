//! The texts of each language: a file each, a text a line, with places to fill in.
//!
//! `{name}` is filled in; `{name|one|more}` takes the first or the second text by the number `name`, or by the size of
//! the set `name`. Both may have places themselves.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::board::{Color, Move, Square, SquareSet};

/// The language of sentences and of names of openings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// French.
    Fr,
    /// Japanese.
    Ja,
}

/// A value that fills a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    Number(u32),
    /// Squares, listed as the language does.
    Squares(u64),
}

pub fn name(language: Language, side: Color) -> String {
    language.fill(
        if side == Color::Black {
            "black"
        } else {
            "white"
        },
        &[],
    )
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Square> for Value {
    fn from(square: Square) -> Self {
        Self::Text(square.to_string())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Number(number)
    }
}

impl Language {
    #[cfg(test)]
    pub const ALL: [Self; 3] = [Self::En, Self::Fr, Self::Ja];

    fn source(self) -> &'static str {
        match self {
            Self::En => include_str!("en.txt"),
            Self::Fr => include_str!("fr.txt"),
            Self::Ja => include_str!("ja.txt"),
        }
    }

    fn texts(self) -> &'static HashMap<&'static str, &'static str> {
        static TEXTS: [OnceLock<HashMap<&str, &str>>; 3] = [const { OnceLock::new() }; 3];
        let read = |line: &'static str| line.split_once(" = ").filter(|_| !line.starts_with('#'));
        TEXTS[self as usize].get_or_init(|| self.source().lines().filter_map(read).collect())
    }

    /// The name of an opening, known by its English one.
    pub fn opening(self, english: &'static str) -> &'static str {
        let mut texts = self.texts().iter();
        let own = texts.find(|(name, _)| name.strip_prefix("opening ") == Some(english));
        own.map_or(english, |(_, own)| own)
    }

    /// A text of a page, known by its English one.
    pub fn page(self, english: &str) -> &str {
        let own = self.texts().get(&*format!("page {english}"));
        debug_assert!(
            self == Self::En || own.is_some(),
            "no text for {english:?} of a page"
        );
        own.copied().unwrap_or(english)
    }

    /// A text of a page, filled in.
    pub fn page_with(self, english: &str, values: &[(&str, Value)]) -> String {
        let mut filled = String::new();
        self.write(self.page(english), values, &mut filled);
        filled
    }

    /// A move: `f5`, or the word for a pass.
    pub fn mv(self, mv: Move) -> String {
        mv.square()
            .map_or_else(|| self.page("pass").to_owned(), |square| square.to_string())
    }

    /// The texts of pages by their English ones, for scripts; none for English.
    pub fn page_texts(self) -> BTreeMap<&'static str, &'static str> {
        self.texts()
            .iter()
            .filter_map(|(name, text)| Some((name.strip_prefix("page ")?, *text)))
            .collect()
    }

    /// Its name in two letters, as pages and options have it.
    pub fn code(self) -> &'static str {
        ["en", "fr", "ja"][self as usize]
    }

    /// The text between two sentences.
    pub fn gap(self) -> &'static str {
        if self == Self::Ja { "" } else { " " }
    }

    /// The text of this name, filled in.
    pub fn fill(self, name: &str, values: &[(&str, Value)]) -> String {
        let text = self.texts().get(name);
        debug_assert!(text.is_some(), "no text {name:?}");
        let mut filled = String::new();
        self.write(text.unwrap_or(&name), values, &mut filled);
        filled
    }

    fn write(self, mut text: &str, values: &[(&str, Value)], out: &mut String) {
        while let Some((before, rest)) = text.split_once('{') {
            out.push_str(before);
            let (parts, behind) = place(rest);
            self.fill_place(&parts, values, out);
            text = behind;
        }
        out.push_str(text);
    }

    fn fill_place(self, parts: &[&str], values: &[(&str, Value)], out: &mut String) {
        let found = values.iter().find(|(name, _)| *name == parts[0]);
        debug_assert!(found.is_some(), "nothing to fill {parts:?} with");
        let Some((_, value)) = found else { return };
        let count = match value {
            Value::Number(number) => *number,
            Value::Squares(set) => set.count_ones(),
            Value::Text(_) => 1,
        };
        match (parts, value) {
            ([_, one, more], _) => self.write(if count == 1 { one } else { more }, values, out),
            (_, Value::Text(text)) => out.push_str(text),
            (_, Value::Number(number)) => out.push_str(&number.to_string()),
            (_, Value::Squares(set)) => out.push_str(&self.list(*set)),
        }
    }

    /// Squares as a list in words.
    fn list(self, set: u64) -> String {
        let joined = |name: &str, a: String, b: String| {
            self.fill(name, &[("a", Value::Text(a)), ("b", Value::Text(b))])
        };
        let mut names = SquareSet(set).names();
        let last = names.pop().unwrap_or_default();
        match names
            .into_iter()
            .reduce(|all, name| joined("list", all, name))
        {
            Some(all) => joined("and", all, last),
            None => last,
        }
    }
}

/// The parts of a place, divided by its own bars, and the text behind it; `text` begins behind its opening brace.
fn place(text: &str) -> (Vec<&str>, &str) {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '|' | '}' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
                if c == '}' {
                    return (parts, &text[start..]);
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    parts.push(&text[start..]);
    (parts, "")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::board::bitboard::CORNERS;

    /// The names of all places in a text.
    fn places(text: &str) -> BTreeSet<&str> {
        let names = text
            .split('{')
            .skip(1)
            .filter_map(|rest| rest.split(['}', '|']).next());
        names.filter(|name| !name.is_empty()).collect()
    }

    #[test]
    fn every_language_has_every_text_with_the_same_places() {
        let is_sentence = |name: &&str| !name.starts_with("opening ") && !name.starts_with("page ");
        let names = |language: Language| -> BTreeSet<_> {
            language
                .texts()
                .keys()
                .copied()
                .filter(is_sentence)
                .collect()
        };
        for language in Language::ALL {
            assert_eq!(
                <Language as clap::ValueEnum>::from_str(language.code(), false),
                Ok(language)
            );
            assert_eq!(names(language), names(Language::En), "{language:?}");
            let lines = language
                .source()
                .lines()
                .filter(|line| !line.is_empty() && !line.starts_with('#'));
            let lines = lines.count();
            let texts = language.texts().len();
            assert_eq!(
                lines, texts,
                "{language:?}: a line is no text, or two have the same name"
            );
            for (name, text) in language
                .texts()
                .iter()
                .filter(|(name, _)| is_sentence(name))
            {
                assert_eq!(
                    places(text),
                    places(Language::En.texts()[name]),
                    "{language:?} {name}: {text}"
                );
                assert_eq!(
                    text.matches('{').count(),
                    text.matches('}').count(),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn texts_of_pages_are_those_of_all_languages_and_of_the_pages() {
        let [fr, ja] = [Language::Fr, Language::Ja].map(Language::page_texts);
        assert!(
            fr.keys().eq(ja.keys()),
            "{:?}",
            fr.keys()
                .filter(|text| !ja.contains_key(*text))
                .collect::<Vec<_>>()
        );
        for (english, own) in fr.iter().chain(&ja) {
            assert_eq!(places(own), places(english), "{own}");
        }
        let page: BTreeMap<String, String> =
            serde_json::from_str(include_str!("../web/page/texts/fr.json")).unwrap();
        let texts = Language::Fr
            .texts()
            .values()
            .map(|text| text.to_string())
            .chain(page.into_values());
        // French has a space before these signs, where no line may end.
        let wrong = |text: &String| {
            [':', ';', '!', '?', '%']
                .iter()
                .any(|sign| text.replace(&format!("\u{a0}{sign}"), "").contains(*sign))
        };
        assert_eq!(
            texts.filter(wrong).collect::<Vec<_>>(),
            Vec::<String>::new()
        );
        let script = concat!(
            include_str!("../report/script.js"),
            include_str!("../report/tables.js")
        );
        let calls = script
            .match_indices("t(\"")
            .filter(|(at, _)| !script[..*at].ends_with(char::is_alphanumeric));
        let asked = calls.filter_map(|(at, call)| script[at + call.len()..].split('"').next());
        let missing: Vec<&str> = asked.filter(|text| !fr.contains_key(text)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn openings_that_are_translated_exist() {
        let known: BTreeSet<&str> = crate::book::names::all().collect();
        for language in Language::ALL {
            let translated = language
                .texts()
                .keys()
                .filter_map(|name| name.strip_prefix("opening "));
            let unknown: Vec<_> = translated.filter(|name| !known.contains(name)).collect();
            assert!(unknown.is_empty(), "{language:?}: {unknown:?}");
        }
        assert_eq!(Language::Fr.opening("Tiger"), "Tigre");
        assert_eq!(Language::En.opening("Tiger"), "Tiger");
        assert_eq!(Language::Fr.opening("Kung"), "Kung", "a name of a person");
    }

    #[test]
    fn places_are_filled_by_number_and_within_one_another() {
        let sides = [("other", "White"), ("own", "Black")]
            .map(|(side, name)| (side, name.to_owned().into()));
        let values = |number: u32| [&sides[..], &[("n", number.into())]].concat();
        let text = |number| Language::En.fill("no-safe-move", &values(number));
        assert_eq!(text(1), "The only move of White lets Black take a corner.");
        assert!(text(2).starts_with("Each of the 2 moves of White lets Black take"));
        let list = |set| Language::Fr.list(set);
        assert_eq!(
            [list(1), list(0b11), list(CORNERS)],
            ["a1", "a1 et b1", "a1, h1, a8 et h8"]
        );
    }
}
