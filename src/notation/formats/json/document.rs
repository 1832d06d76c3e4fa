//! The members of objects of JSON.

use serde_json::{Map, Value};

use crate::notation::keys::normal;

/// The member of an object with one of these keys.
pub fn get<'a>(object: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a Value> {
    let is_meant = |(key, _): &(&String, &Value)| keys.contains(&normal(key).as_str());
    object.iter().find(is_meant).map(|(_, value)| value)
}

/// A text or number as text; empty for anything else.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// The member with one of these keys as text.
pub fn text_of(object: &Map<String, Value>, keys: &[&str]) -> String {
    get(object, keys).map(text).unwrap_or_default()
}
