//! UTF-8 text from bytes.

use std::io::{self, ErrorKind};

/// The error for the "Unicode" text of Windows programs.
pub const UTF_16: &str = "UTF-16 text; save it as UTF-8";

/// Whether the beginning of a text is UTF-16: a byte order mark, and a zero in the letters after it.
pub fn is_utf_16(sample: &[u8]) -> bool {
    let is_marked = sample.starts_with(b"\xff\xfe") || sample.starts_with(b"\xfe\xff");
    is_marked && (sample.len() < 4 || sample.contains(&0))
}

/// Decodes a whole file; the error names UTF-16.
pub fn decode(bytes: Vec<u8>) -> io::Result<String> {
    if is_utf_16(&bytes) {
        return Err(io::Error::new(ErrorKind::InvalidData, UTF_16));
    }
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        io::Error::new(ErrorKind::InvalidData, format!("byte {place} is not UTF-8 text; save it as UTF-8"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_named() {
        for bytes in [&b"\xff\xfe{\0\"\0"[..], b"\xfe\xff\0{", b"\xff\xfe"] {
            assert!(is_utf_16(bytes));
            assert_eq!(decode(bytes.to_vec()).unwrap_err().to_string(), UTF_16);
        }
        assert!(!is_utf_16(b"\xff\xfe is Latin-1") && !is_utf_16(b"{\0"));
        assert_eq!(decode(b"caf\xc3\xa9".to_vec()).unwrap(), "caf\u{e9}");
        let error = decode(b"caf\xe9".to_vec()).unwrap_err().to_string();
        assert_eq!(error, "byte 3 is not UTF-8 text; save it as UTF-8");
    }
}
