//! The encoding of texts, and names that resemble each other.

/// The error for the "Unicode" text of Windows programs.
pub const UTF_16: &str = "UTF-16 text; save it as UTF-8";

/// Whether the beginning of a text is UTF-16: a byte order mark, and a zero in the letters after it; or zeros in all of the
/// first letters.
pub fn is_utf_16(sample: &[u8]) -> bool {
    let is_marked = sample.starts_with(b"\xff\xfe") || sample.starts_with(b"\xfe\xff");
    let (pairs, _) = sample[..sample.len().min(16)].as_chunks::<2>();
    let is_letters = |zero: usize| {
        pairs
            .iter()
            .all(|pair| pair[zero] == 0 && matches!(pair[1 - zero], b'\t'..=b'~'))
    };
    is_marked && (sample.len() < 4 || sample.contains(&0))
        || pairs.len() >= 4 && (is_letters(0) || is_letters(1))
}

/// `; did you mean "depth"?` with the known name that resembles this one most; empty if none does.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let changes = |known| (strsim::levenshtein(name, known), known);
    match known.into_iter().map(changes).min() {
        // Two changes of a short word leave nothing of it.
        Some((near @ 0..=2, known)) if near + 1 < name.chars().count() => {
            format!("; did you mean {known:?}?")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_recognized() {
        for bytes in [&b"\xff\xfe{\0\"\0"[..], b"\xfe\xff\0{", b"\xff\xfe"] {
            assert!(is_utf_16(bytes));
        }
        for bytes in [&b"{\0\"\0m\0o\0"[..], b"\0f\x005\0d\x006"] {
            assert!(is_utf_16(bytes));
        }
        assert!(!is_utf_16(b"\xff\xfe is Latin-1") && !is_utf_16(b"{\0") && !is_utf_16(b"f5d6"));
    }
}
