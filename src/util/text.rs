//! The encoding of texts.

/// The error for the "Unicode" text of Windows programs.
pub const UTF_16: &str = "UTF-16 text; save it as UTF-8";

/// Whether the beginning of a text is UTF-16: a byte order mark, and a zero in the letters after it.
pub fn is_utf_16(sample: &[u8]) -> bool {
    let is_marked = sample.starts_with(b"\xff\xfe") || sample.starts_with(b"\xfe\xff");
    is_marked && (sample.len() < 4 || sample.contains(&0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_recognized() {
        for bytes in [&b"\xff\xfe{\0\"\0"[..], b"\xfe\xff\0{", b"\xff\xfe"] {
            assert!(is_utf_16(bytes));
        }
        assert!(!is_utf_16(b"\xff\xfe is Latin-1") && !is_utf_16(b"{\0"));
    }
}
