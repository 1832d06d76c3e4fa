//! The fields of a request taken one by one, and what is wrong with one.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

/// Longest excerpt of a value that an error quotes, in characters.
const EXCERPT: usize = 60;
/// Most unknown fields that are told one by one.
const MAX_WARNINGS: usize = 20;

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field {
            Some(field) => write!(f, "{field}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// The fields of an object not yet taken; `null` is as good as absent.
pub struct Fields {
    left: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Fields {
    /// All fields of an object.
    pub fn new(object: Map<String, Value>) -> Self {
        Self { left: object, known: Vec::new() }
    }

    /// Takes a field.
    pub fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.left.remove(name).filter(|value| !value.is_null())
    }

    /// Takes a text.
    pub fn text(&mut self, name: &'static str) -> Result<Option<String>, Fault> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(Fault::field(name, "a text", &other)),
        }
    }

    /// Takes `true` or `false`.
    pub fn flag(&mut self, name: &'static str) -> Result<Option<bool>, Fault> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(Fault::field(name, "true or false", &other)),
        }
    }

    /// Takes a whole number within `low..=high`.
    pub fn whole(&mut self, name: &'static str, low: i64, high: i64) -> Result<Option<i64>, Fault> {
        let Some(value) = self.take(name) else { return Ok(None) };
        match value.as_i64() {
            Some(number) if (low..=high).contains(&number) => Ok(Some(number)),
            _ => Err(Fault::field(name, format!("a whole number from {low} to {high}"), &value)),
        }
    }

    /// Takes a number within `low..=high`.
    pub fn number(&mut self, name: &'static str, low: f64, high: f64) -> Result<Option<f64>, Fault> {
        let Some(value) = self.take(name) else { return Ok(None) };
        match value.as_f64() {
            Some(number) if (low..=high).contains(&number) => Ok(Some(number)),
            _ => Err(Fault::field(name, format!("a number from {low} to {high}"), &value)),
        }
    }

    /// Takes a time in seconds within `low..=high`.
    pub fn seconds(&mut self, name: &'static str, low: f64, high: f64) -> Result<Option<Duration>, Fault> {
        Ok(self.number(name, low, high)?.map(Duration::from_secs_f64))
    }

    /// A warning for each field that nothing took, with the known name most like it.
    pub fn warnings(self) -> Vec<String> {
        let more = self.left.len().saturating_sub(MAX_WARNINGS);
        let mut warnings: Vec<String> =
            self.left.keys().take(MAX_WARNINGS).map(|name| self.warning(name)).collect();
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
    fn long_values_are_cut() {
        let fault = Fault::field("id", "less", &Value::String("x".repeat(1000)));
        assert!(fault.message.len() < 100 && fault.message.ends_with("..."), "{fault}");
    }
}
