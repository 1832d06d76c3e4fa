//! Tags and results of PGN.

/// `*`, `1-0`, `1/2-1/2`, `40-24`.
pub fn is_result(word: &str) -> bool {
    let is_score = |part: &str| {
        part == "1/2" || (!part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    word == "*"
        || word
            .split_once('-')
            .is_some_and(|(black, white)| is_score(black) && is_score(white))
}

/// Name, value and length of the tag with which a line begins.
pub fn tag_in(line: &str) -> Option<(&str, String, usize)> {
    let inner = line.strip_prefix('[')?;
    let name = &inner[..inner.find(|c: char| c.is_whitespace() || c == '"')?];
    if name.contains(|c: char| !c.is_alphanumeric() && c != '_') {
        return None;
    }
    let rest = &inner[name.len()..];
    let quoted = rest.trim_start().strip_prefix('"')?;
    if rest.starts_with('"') {
        return None;
    }
    let mut value = String::new();
    let mut chars = quoted.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if matches!(chars.peek(), Some((_, '"' | '\\'))) => {
                value.extend(chars.next().map(|(_, c)| c))
            }
            '"' => {
                let behind = quoted[at + 1..].trim_start().strip_prefix(']')?;
                return (!name.is_empty()).then(|| (name, value, line.len() - behind.len()));
            }
            c => value.push(c),
        }
    }
    None
}
