//! Finds the ends of brackets and objects in a text that comes line by line.

/// How far the brackets of a list or object have been followed.
#[derive(Debug, Default)]
pub(in crate::notation) struct Scan {
    at: usize,
    open: Vec<u8>,
    quote: Option<u8>,
    /// The first byte of the open object, and the number of brackets around it.
    object: Option<(usize, usize)>,
    /// An object has ended: the brackets around it are no entry.
    has_object: bool,
    /// An object is around the list of games.
    is_wrapped: bool,
}

/// The next end in a text.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::notation) enum Step {
    /// An object: its first byte and the byte behind it. More may follow in the list around it.
    Object(usize, usize),
    /// The outermost bracket ends before this byte. A list without objects is an entry itself.
    Closed { at: usize, is_list: bool },
    /// Nothing yet.
    Open,
}

impl Scan {
    /// Whether the brackets belong to a list that has held no object so far.
    pub fn is_list(&self) -> bool {
        self.object.is_none() && !self.has_object
    }

    /// The next end in `text`, which has grown since the last call.
    ///
    /// Each object in an outermost list, or in the list under `games`, has its end.
    pub fn next(&mut self, text: &str) -> Step {
        let bytes = text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            let at = self.at;
            self.at += 1;
            match (self.quote, byte) {
                (Some(_), b'\\') => self.at += 1,
                (Some(quote), _) => self.quote = self.quote.filter(|_| byte != quote),
                (None, b'"') => self.quote = Some(byte),
                // Elsewhere it is an apostrophe.
                (None, b'\'') if text[..at].trim_end().ends_with(['{', '[', ',', ':']) => {
                    self.quote = Some(byte);
                }
                (None, b'{' | b'[') => self.opened(text, at, byte),
                (None, b'}' | b']') => {
                    self.open.pop();
                    match self.object {
                        Some((begin, around)) if self.open.len() <= around => {
                            (self.object, self.has_object) = (None, !self.open.is_empty());
                            return Step::Object(begin, self.at);
                        }
                        None if self.open.is_empty() => {
                            let is_list = !std::mem::take(&mut self.has_object);
                            return Step::Closed { at: self.at, is_list };
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        Step::Open
    }

    fn opened(&mut self, text: &str, at: usize, byte: u8) {
        self.is_wrapped &= !self.open.is_empty();
        match self.object {
            None if byte == b'{' => self.object = Some((at, self.open.len())),
            Some((begin, around)) if byte == b'[' && self.open.len() == around + 1 => {
                let name = text[begin..at].trim_end().strip_suffix(':').unwrap_or("").trim_end();
                if name.ends_with("\"games\"") || name.ends_with("'games'") {
                    self.object = None;
                    self.has_object = true;
                    self.is_wrapped = true;
                }
            }
            _ => {}
        }
        self.open.push(byte);
    }

    /// Whether an object has begun and not ended.
    pub fn is_inside(&self) -> bool {
        self.object.is_some()
    }

    /// Whether an object around a list of games is open, or has just closed.
    pub fn is_wrapped(&self) -> bool {
        self.is_wrapped
    }

    /// Forgets the text before byte `at`, which entries have taken.
    pub fn cut(&mut self, at: usize) {
        self.at -= at;
        self.object = self.object.map(|(begin, around)| (begin - at, around));
    }

    /// Whether all brackets are closed.
    pub fn is_closed(&self) -> bool {
        self.open.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Vec<String> {
        let mut scan = Scan::default();
        let mut found = Vec::new();
        loop {
            match scan.next(text) {
                Step::Object(begin, end) => found.push(text[begin..end].to_owned()),
                Step::Closed { at, is_list } => {
                    found.extend(is_list.then(|| text[..at].to_owned()));
                    return found;
                }
                Step::Open => return found,
            }
            if scan.is_closed() {
                return found;
            }
        }
    }

    #[test]
    fn objects_end_where_their_brackets_close() {
        assert_eq!(steps(r#"{"a":[{"b":"}"}]}"#), [r#"{"a":[{"b":"}"}]}"#]);
        assert_eq!(steps(r#"[{"a":1}, {"a":2}]"#), [r#"{"a":1}"#, r#"{"a":2}"#]);
        assert_eq!(steps(r#"{"n":2,"games":[{"a":1},{"a":2}]}"#), [r#"{"a":1}"#, r#"{"a":2}"#]);
        assert_eq!(steps(r#"["f5", "d6"]"#), [r#"["f5", "d6"]"#]);
        assert_eq!(steps("{'a': 'it\\'s', 'b': [1]}"), ["{'a': 'it\\'s', 'b': [1]}"]);
        assert!(steps(r#"{"a":"#).is_empty());
    }
}
