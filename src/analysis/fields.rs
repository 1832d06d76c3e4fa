//! JSON objects read into structs: a fault names its field, and fields that the struct does not have are returned.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::error::Category;
use serde_path_to_error::Track;

use crate::util::json::{Document, TWICE};

/// Longest excerpt of a value that an error quotes, in characters.
const EXCERPT: usize = 60;

/// The fault of a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", .field.as_ref().map_or_else(String::new, |field| format!("{field}: ")))]
pub struct Fault {
    /// The field; `None` if the line is no JSON object at all.
    pub field: Option<Cow<'static, str>>,
    /// The fault, in one line.
    pub message: String,
}

impl Fault {
    pub fn line(message: String) -> Self {
        Self {
            field: None,
            message,
        }
    }

    pub fn new(field: impl Into<Cow<'static, str>>, message: impl fmt::Display) -> Self {
        Self {
            field: Some(field.into()),
            message: message.to_string(),
        }
    }

    /// A field has a wrong value.
    pub fn field(field: &'static str, expected: impl fmt::Display, found: impl Serialize) -> Self {
        let found = serde_json::to_string(&found).unwrap_or_default();
        Self::new(
            field,
            format!("expected {expected}, found {}", excerpt(&found)),
        )
    }
}

fn excerpt(whole: &str) -> String {
    let mut text: String = whole.chars().take(EXCERPT).collect();
    if text.len() < whole.len() {
        text.push_str("...");
    }
    text
}

/// Reads a JSON object; returns also the fields that `T` does not have, shortened. `null` is as good as absent.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<(T, Vec<String>), Fault> {
    let text = text.trim();
    // A list would be read as the fields in their order.
    if text.starts_with('[') {
        return Err(Fault::line(format!(
            "expected a JSON object, found {}",
            excerpt(text)
        )));
    }
    let mut unknown = Vec::new();
    let mut track = Track::new();
    let mut json = serde_json::Deserializer::from_str(text);
    let tracked = serde_path_to_error::Deserializer::new(&mut json, &mut track);
    let read = serde_ignored::deserialize(tracked, |path| unknown.push(excerpt(&path.to_string())));
    match read.and_then(|read| json.end().map(|()| read)) {
        Ok(read) => Ok((read, unknown)),
        Err(error) => Err(fault(text, &track.path().to_string(), &error)),
    }
}

/// Refuses a JSON text in which an object, at any depth, has a field twice.
pub fn check_doubles(text: &str) -> Result<(), Fault> {
    let read = serde_json::from_str::<Document>(text);
    read.map_or_else(|error| Err(fault(text, "", &error)), |_| Ok(()))
}

/// The fault behind an error at the field `name`.
fn fault(text: &str, name: &str, error: &serde_json::Error) -> Fault {
    let whole = error.to_string();
    let message = whole
        .rsplit_once(" at line ")
        .map_or(whole.as_str(), |(message, _)| message);
    if let Some((_, field)) = message.split_once(TWICE) {
        return Fault::new(
            field.trim_matches('`').to_owned(),
            "given twice; give it once",
        );
    }
    let value: Value = match serde_json::from_str(text) {
        Ok(value) if error.classify() == Category::Data => value,
        _ => return Fault::line(format!("expected a JSON object: {whole}")),
    };
    let Value::Object(object) = &value else {
        return Fault::line(format!("expected a JSON object, found {}", excerpt(text)));
    };
    // The message shows a whole list.
    let name = name.split(['.', '[']).next().unwrap_or(name).to_owned();
    let found = object
        .get(&name)
        .map_or_else(String::new, |value| excerpt(&value.to_string()));
    let expected = match message
        .rsplit_once("expected ")
        .map_or(message, |(_, expected)| expected)
    {
        "f64" => "a number",
        "a boolean" => "true or false",
        "a string" => "a text",
        "i64" => "a whole number",
        other => other,
    };
    Fault::new(name, format!("expected {expected}, found {found}"))
}

/// A whole number within `LOW..=HIGH`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Whole<const LOW: i64, const HIGH: i64>(pub i64);

impl<'de, const LOW: i64, const HIGH: i64> Deserialize<'de> for Whole<LOW, HIGH> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = Value::deserialize(deserializer)?.as_i64();
        let number = number.filter(|number| (LOW..=HIGH).contains(number));
        let expected =
            || D::Error::custom(format_args!("expected a whole number from {LOW} to {HIGH}"));
        number.map(Self).ok_or_else(expected)
    }
}

impl<const LOW: i64, const HIGH: i64> JsonSchema for Whole<LOW, HIGH> {
    fn schema_name() -> Cow<'static, str> {
        format!("Whole{LOW}To{HIGH}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": LOW, "maximum": HIGH })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut() {
        let fault = Fault::field("id", "less", "x".repeat(1000));
        assert!(
            fault.message.len() < 100 && fault.message.ends_with("..."),
            "{fault}"
        );
    }
}
