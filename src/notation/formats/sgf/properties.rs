//! The properties of an SGF game, before they mean anything.

use crate::notation::ParseError;
use crate::notation::record::VARIATIONS;

pub(super) const SUBJECT: &str = "SGF game";
/// More properties than any game has.
const MAX_PROPERTIES: usize = 20_000;

/// The properties of the main line, in their order.
pub(super) fn main_line(text: &str, left_out: &mut Vec<&'static str>) -> Result<Vec<Property>, ParseError> {
    let mut reader = Reader { text, at: 0, node: 0, depth: 1 };
    let mut properties = vec![];
    reader.expect('(', "(;")?;
    reader.expect(';', "(;")?;
    while let Some(property) = reader.property()? {
        if properties.len() == MAX_PROPERTIES {
            let told = format!("more than {MAX_PROPERTIES} properties");
            return Err(ParseError::doubtful(SUBJECT, text, reader.at, told));
        }
        properties.push(property);
    }
    if reader.has_variations() {
        left_out.push(VARIATIONS);
    }
    Ok(properties)
}

/// The name of a property in the standard: old files add small letters (`GaMe`), others write both letters small.
fn standard_name(written: &str) -> String {
    let capitals: String = written.chars().filter(char::is_ascii_uppercase).collect();
    if capitals.is_empty() || written.len() <= 2 { written.to_ascii_uppercase() } else { capitals }
}

/// A property and its values, each with its place in the text.
pub(super) struct Property {
    pub name: String,
    /// The node that it stands in, from 0.
    pub node: usize,
    pub offset: usize,
    pub values: Vec<(usize, String)>,
}

impl Property {
    /// All values in one text.
    pub fn joined(&self) -> String {
        self.values.iter().map(|(_, value)| value.trim()).collect::<Vec<_>>().join(", ")
    }

    pub fn single(&self, text: &str) -> Result<(usize, &str), ParseError> {
        match self.values.as_slice() {
            [(offset, value)] => Ok((*offset, value)),
            _ => Err(ParseError::at(SUBJECT, text, self.offset, "one value")),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    node: usize,
    depth: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn error(&self, expected: &'static str) -> ParseError {
        ParseError::at(SUBJECT, self.text, self.at, expected)
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn expect(&mut self, sign: char, expected: &'static str) -> Result<(), ParseError> {
        // A byte order mark may lead.
        self.at += if self.rest().starts_with('\u{feff}') { 3 } else { 0 };
        self.skip_blanks();
        if !self.rest().starts_with(sign) {
            return Err(self.error(expected));
        }
        self.at += sign.len_utf8();
        Ok(())
    }

    /// The next property of the main line; `None` where it ends. Of variations the first is taken.
    fn property(&mut self) -> Result<Option<Property>, ParseError> {
        loop {
            self.skip_blanks();
            match self.rest().chars().next() {
                Some(sign @ ('(' | ';')) => {
                    self.at += 1;
                    *if sign == '(' { &mut self.depth } else { &mut self.node } += 1;
                }
                Some(')') => return Ok(None),
                Some(c) if c.is_ascii_alphabetic() => break,
                _ => return Err(self.error("a property or )")),
            }
        }
        let offset = self.at;
        let end = self.rest().find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(self.rest().len());
        let name = standard_name(&self.rest()[..end]);
        self.at += end;
        let mut values = vec![];
        loop {
            self.skip_blanks();
            if !self.rest().starts_with('[') {
                break;
            }
            self.at += 1;
            values.push((self.at, self.value()?));
        }
        if values.is_empty() {
            return Err(self.error("[ and a value"));
        }
        Ok(Some(Property { name, node: self.node, offset, values }))
    }

    /// Whether other lines of play follow the main line, at whose end the reader stands.
    fn has_variations(&self) -> bool {
        let mut depth = self.depth;
        for c in self.rest().chars().filter(|c| !c.is_whitespace()) {
            match c {
                ')' if depth > 1 => depth -= 1,
                c => return c == '(' && depth > 0 && self.depth > 1,
            }
        }
        false
    }

    /// The text up to the closing bracket; a backslash keeps the next character.
    fn value(&mut self) -> Result<String, ParseError> {
        let mut value = String::new();
        let mut chars = self.rest().char_indices().peekable();
        while let Some((offset, c)) = chars.next() {
            match c {
                ']' => {
                    self.at += offset + 1;
                    return Ok(value);
                }
                // A line end behind a backslash is none.
                '\\' => match chars.next() {
                    Some((_, '\n')) | None => {}
                    Some((_, '\r')) => drop(chars.next_if(|(_, c)| *c == '\n')),
                    Some((_, c)) => value.push(c),
                },
                c => value.push(c),
            }
        }
        self.at = self.text.len();
        Err(self.error("]"))
    }
}
