//! The properties of an SGF game, uninterpreted.

use std::borrow::Cow;

use crate::notation::ParseError;
use crate::notation::record::VARIATIONS;
use crate::notation::scanner::Scanner;

pub(super) const SUBJECT: &str = "SGF game";
/// More properties than any game has.
const MAX_PROPERTIES: usize = 20_000;

/// A property and its values, each with its place in the text.
pub(super) struct Property {
    pub name: String,
    /// Its node, from 0.
    pub node: usize,
    pub offset: usize,
    pub values: Vec<(usize, String)>,
}

impl Property {
    /// All values in one text.
    pub fn joined(&self) -> String {
        self.values
            .iter()
            .map(|(_, value)| value.trim())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// The properties of the main line, in their order.
pub(super) fn main_line(
    text: &str,
    left_out: &mut Vec<Cow<'static, str>>,
) -> Result<Vec<Property>, ParseError> {
    let mut reader = Reader {
        scanner: Scanner::new(SUBJECT, text),
        node: 0,
        depth: 1,
    };
    let mut properties = vec![];
    for sign in ["(", ";"] {
        reader.scanner.skip_blanks();
        if !reader.scanner.take(sign) {
            return Err(reader.scanner.error("(;"));
        }
    }
    while let Some(property) = reader.property()? {
        if properties.len() == MAX_PROPERTIES {
            let message = format!("more than {MAX_PROPERTIES} properties");
            return Err(ParseError::doubtful(
                SUBJECT,
                text,
                reader.scanner.at,
                message,
            ));
        }
        properties.push(property);
    }
    if reader.has_variations() {
        left_out.push(VARIATIONS.into());
    }
    Ok(properties)
}

/// The name of a property in the standard: old files add small letters (`GaMe`), others write both letters small.
fn standard_name(written: &str) -> String {
    let capitals: String = written.chars().filter(char::is_ascii_uppercase).collect();
    if capitals.is_empty() || written.len() <= 2 {
        written.to_ascii_uppercase()
    } else {
        capitals
    }
}

pub(super) struct Reader<'a> {
    pub scanner: Scanner<'a>,
    pub node: usize,
    pub depth: usize,
}

impl Reader<'_> {
    /// The next property of the main line, which follows the first variation; `None` at its end.
    pub fn property(&mut self) -> Result<Option<Property>, ParseError> {
        loop {
            self.scanner.skip_blanks();
            match self.scanner.rest().chars().next() {
                Some('(') => self.depth += 1,
                Some(';') => self.node += 1,
                Some(')') => return Ok(None),
                Some(c) if c.is_ascii_alphabetic() => break,
                _ => return Err(self.scanner.error("a property or )")),
            }
            self.scanner.at += 1;
        }
        let offset = self.scanner.at;
        let name = standard_name(self.scanner.take_while(|c| c.is_ascii_alphabetic()));
        let mut values = vec![];
        loop {
            self.scanner.skip_blanks();
            if !self.scanner.take("[") {
                break;
            }
            values.push((self.scanner.at, self.value()?));
        }
        if values.is_empty() {
            return Err(self.scanner.error("[ and a value"));
        }
        Ok(Some(Property {
            name,
            node: self.node,
            offset,
            values,
        }))
    }

    /// The text up to the closing bracket; a backslash keeps the next character.
    fn value(&mut self) -> Result<String, ParseError> {
        let mut value = String::new();
        let mut chars = self.scanner.rest().char_indices().peekable();
        while let Some((offset, c)) = chars.next() {
            match c {
                ']' => {
                    self.scanner.at += offset + 1;
                    return Ok(value);
                }
                // A backslash joins two lines.
                '\\' => match chars.next() {
                    Some((_, '\n')) | None => {}
                    Some((_, '\r')) => drop(chars.next_if(|(_, c)| *c == '\n')),
                    Some((_, c)) => value.push(c),
                },
                c => value.push(c),
            }
        }
        Err(self.scanner.error_at(self.scanner.text.len(), "]"))
    }

    /// Whether variations follow the main line, which has ended.
    fn has_variations(&self) -> bool {
        let mut depth = self.depth;
        for c in self.scanner.rest().chars().filter(|c| !c.is_whitespace()) {
            match c {
                ')' if depth > 1 => depth -= 1,
                c => return c == '(' && depth > 0 && self.depth > 1,
            }
        }
        false
    }
}
