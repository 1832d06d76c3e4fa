//! The fields of a request read one by one, and what is wrong with one.

use std::collections::HashSet;
use std::fmt;

use serde::de::{self, DeserializeSeed, IgnoredAny, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, forward_to_deserialize_any};
use serde_json::{Map, Value, map};

/// Longest excerpt of a value that an error quotes, in characters.
const EXCERPT: usize = 60;
/// Most unknown fields that are told one by one.
const MAX_WARNINGS: usize = 20;

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", .field.map_or_else(String::new, |field| format!("{field}: ")))]
pub struct Fault {
    /// The field; `None` if the line is no JSON object at all.
    pub field: Option<&'static str>,
    /// What is wrong, in one line.
    pub message: String,
}

impl Fault {
    /// The line as a whole is wrong.
    pub fn line(message: String) -> Self {
        Self { field: None, message }
    }

    /// A field is wrong in its own way.
    pub fn new(field: &'static str, message: impl fmt::Display) -> Self {
        Self { field: Some(field), message: message.to_string() }
    }

    /// A field is not what it should be.
    pub fn field(field: &'static str, expected: impl fmt::Display, found: &Value) -> Self {
        Self::new(field, format!("expected {expected}, found {}", excerpt(found)))
    }
}

/// The beginning of a value as JSON.
pub fn excerpt(value: &Value) -> String {
    let whole = value.to_string();
    let mut text: String = whole.chars().take(EXCERPT).collect();
    if text.len() < whole.len() {
        text.push_str("...");
    }
    text
}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::line(message.to_string())
    }
}

/// The first field that an object has twice; `None` if there is none, or if the text is no object.
pub fn doubled(text: &str) -> Option<String> {
    struct Keys(Option<String>);

    impl<'de> Visitor<'de> for Keys {
        type Value = Option<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut seen = HashSet::new();
            while let Some(key) = map.next_key::<String>()? {
                map.next_value::<IgnoredAny>()?;
                if !seen.contains(&key) {
                    seen.insert(key);
                } else if self.0.is_none() {
                    self.0 = Some(key);
                }
            }
            Ok(self.0)
        }
    }

    serde_json::Deserializer::from_str(text).deserialize_map(Keys(None)).ok().flatten()
}

/// What `serde_json` expected, in the words of the page: `a number`, not `f64`.
fn expected(error: &serde_json::Error) -> Option<String> {
    let text = error.to_string();
    let (_, expected) = text.strip_prefix("invalid ")?.rsplit_once(", expected ")?;
    Some(match expected {
        "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" => "a text".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number".to_owned(),
        other => other.to_owned(),
    })
}

/// An object whose fields are read one by one into a struct, so that a fault names its field and fields that the struct
/// does not have are told. `null` is as good as absent.
pub struct Fields {
    left: map::IntoIter,
    value: Option<(&'static str, Value)>,
    known: &'static [&'static str],
    unknown: Vec<String>,
}

impl Fields {
    /// All fields of an object.
    pub fn new(object: Map<String, Value>) -> Self {
        Self { left: object.into_iter(), value: None, known: &[], unknown: Vec::new() }
    }

    /// A warning for each field that the struct does not have, with the name most like it.
    pub fn warnings(&self) -> Vec<String> {
        let more = self.unknown.len().saturating_sub(MAX_WARNINGS);
        let mut warnings: Vec<String> =
            self.unknown.iter().take(MAX_WARNINGS).map(|name| self.warning(name)).collect();
        if more > 0 {
            warnings.push(format!("and {more} more unknown fields"));
        }
        warnings
    }

    fn warning(&self, name: &str) -> String {
        let quoted: String = name.chars().take(EXCERPT).collect();
        let near = self.known.iter().map(|known| (distance(&quoted, known), known)).min();
        match near {
            // Of a short word nothing would be left.
            Some((near @ 0..=2, known)) if near + 1 < quoted.chars().count() => {
                format!("unknown field {quoted:?}; did you mean {known:?}?")
            }
            _ => format!("unknown field {quoted:?}"),
        }
    }
}

impl<'de> Deserializer<'de> for &mut Fields {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.known = fields;
        visitor.visit_map(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'de> MapAccess<'de> for Fields {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        for (name, value) in self.left.by_ref() {
            match self.known.iter().find(|known| **known == name) {
                None => self.unknown.push(name),
                Some(_) if value.is_null() => {}
                Some(&known) => {
                    self.value = Some((known, value));
                    return seed.deserialize(known.into_deserializer()).map(Some);
                }
            }
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let (name, value) = self.value.take().expect("a value is asked for after its key");
        let found = excerpt(&value);
        seed.deserialize(value).map_err(|error: serde_json::Error| match expected(&error) {
            Some(expected) => Fault::new(name, format!("expected {expected}, found {found}")),
            None => Fault::new(name, error),
        })
    }
}

/// A whole number within `LOW..=HIGH`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Whole<const LOW: i64, const HIGH: i64>(pub i64);

impl<'de, const LOW: i64, const HIGH: i64> Deserialize<'de> for Whole<LOW, HIGH> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let number = value.as_i64().filter(|number| (LOW..=HIGH).contains(number));
        let expected = || format!("expected a whole number from {LOW} to {HIGH}, found {}", excerpt(&value));
        number.map(Self).ok_or_else(|| de::Error::custom(expected()))
    }
}

/// How many letters must be put in, left out or changed to make one word of the other (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_textbook() {
        for (a, b, expected) in [("", "", 0), ("kitten", "sitting", 3), ("depth", "detph", 2), ("", "abc", 3)]
        {
            assert_eq!(distance(a, b), expected);
            assert_eq!(distance(b, a), expected);
        }
    }

    #[test]
    fn a_field_that_stands_twice_is_found() {
        for (text, field) in [
            (r#"{"id":1,"depth":2,"d\u0065pth":3,"id":2}"#, Some("depth")),
            (r#"{"id":{"id":1},"depth":[1,{"a":1,"b":1}]}"#, None),
            ("[1,1]", None),
            ("{", None),
        ] {
            assert_eq!(doubled(text).as_deref(), field, "{text}");
        }
    }

    #[test]
    fn long_values_are_cut() {
        let fault = Fault::field("id", "less", &Value::String("x".repeat(1000)));
        assert!(fault.message.len() < 100 && fault.message.ends_with("..."), "{fault}");
    }
}
