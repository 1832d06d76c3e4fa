//! JSON values as game files have them; single quotes and the words of Python are read too.

use crate::notation::ParseError;

/// The subject of errors.
pub(super) const SUBJECT: &str = "JSON game";
/// Lists and objects nest no deeper.
const MAX_DEPTH: usize = 32;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(String),
    Number(f64, u64),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
    /// `null`, `true`, `false`.
    Word,
}

impl Value {
    /// Reads the value that `text` holds; a comma may follow it.
    ///
    /// # Errors
    /// A text that is no JSON, and a name that an object has twice.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.skip(|c| c.is_whitespace() || c == ',' || c == '\u{feff}');
        if reader.at < text.len() { Err(reader.error("the end of the object")) } else { Ok(value) }
    }

    /// The member of an object with one of these names, in either case.
    pub fn get(&self, names: &[&str]) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        let is = |name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
        members.iter().find(|(name, _)| is(name)).map(|(_, value)| value)
    }

    /// A text or number as text; empty for anything else.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.trim().to_owned(),
            Self::Number(number, _) => number.to_string(),
            _ => String::new(),
        }
    }

    /// The member with one of these names as text.
    pub fn text_of(&self, names: &[&str]) -> String {
        self.get(names).map(Self::text).unwrap_or_default()
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, expected: &'static str) -> ParseError {
        ParseError::at(SUBJECT, self.text, self.at, expected)
    }

    fn skip(&mut self, is: impl Fn(char) -> bool) {
        self.at += self.rest().len() - self.rest().trim_start_matches(is).len();
    }

    /// Takes `sign` behind blanks, if it is there.
    fn take(&mut self, sign: char) -> bool {
        self.skip(|c| c.is_whitespace() || c == '\u{feff}');
        let found = self.rest().starts_with(sign);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Result<Value, ParseError> {
        if depth > MAX_DEPTH {
            return Err(ParseError::too_many(SUBJECT, self.text, self.at, "nested lists", MAX_DEPTH));
        }
        if self.take('{') {
            return self.object(depth);
        }
        if self.take('[') {
            let mut items = Vec::new();
            while !self.take(']') {
                items.push(self.value(depth + 1)?);
                if !self.take(',') && !self.rest().starts_with(']') {
                    return Err(self.error("a comma or ]"));
                }
            }
            return Ok(Value::List(items));
        }
        if self.rest().starts_with(['"', '\'']) {
            return self.string().map(Value::Text);
        }
        let is_of_word = |c: char| c.is_ascii_alphanumeric() || "+-._".contains(c);
        let word = &self.rest()[..self.rest().find(|c| !is_of_word(c)).unwrap_or(self.rest().len())];
        let value = match word {
            "null" | "true" | "false" | "None" | "True" | "False" => Some(Value::Word),
            _ => word.parse().ok().map(|number| Value::Number(number, word.parse().unwrap_or_default())),
        };
        let value = value.ok_or_else(|| self.error("a value in quotes, a number, a list or an object"))?;
        self.at += word.len();
        Ok(value)
    }

    fn object(&mut self, depth: usize) -> Result<Value, ParseError> {
        let mut members: Vec<(String, Value)> = Vec::new();
        while !self.take('}') {
            let begin = self.at;
            if !self.rest().starts_with(['"', '\'']) {
                return Err(self.error("a name in quotes"));
            }
            let name = self.string()?;
            if members.iter().any(|(known, _)| *known == name) {
                let told = format!("the name \"{}\" occurs twice", crate::notation::error::Shown(&name));
                return Err(ParseError::doubtful(SUBJECT, self.text, begin, told));
            }
            if !self.take(':') {
                return Err(self.error("a colon behind the name"));
            }
            members.push((name, self.value(depth + 1)?));
            if !self.take(',') && !self.rest().starts_with('}') {
                return Err(self.error("a comma or }"));
            }
        }
        Ok(Value::Object(members))
    }

    fn string(&mut self) -> Result<String, ParseError> {
        let begin = self.at;
        let mut chars = self.rest().char_indices();
        let (_, quote) = chars.next().expect("a quote begins the string");
        let mut string = String::new();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some((_, 'n' | 'r' | 't' | 'b' | 'f')) => string.push(' '),
                    Some((_, 'u')) => {
                        let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                        let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                        string.push(code.unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    Some((_, c)) => string.push(c),
                    None => break,
                },
                c if c == quote => {
                    self.at = begin + at + 1;
                    return Ok(string);
                }
                c => string.push(c),
            }
        }
        Err(self.error("a quote that closes the text"))
    }
}
