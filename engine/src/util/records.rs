//! Records in a file that grows, each with a check of its length and a checksum of its bytes and place.
//!
//! ```text
//! header   magic 8 · generation u64 · checksum u32 · 0 u32
//! record   length u16 · the same inverted u16 · checksum u32 of place and payload · payload
//! ```
//!
//! Checksums are CRC-32: of the header's first 16 bytes, or of a record's offset (u64) and payload. Each file of the same name
//! has another generation. A killed process leaves a part of the last record.

use std::io::{self, ErrorKind, Read};

pub const HEADER: usize = 24;
/// Bytes of a record before its payload.
pub const RECORD_HEAD: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    Whole(&'a [u8]),
    /// A part of one.
    Torn,
    Damaged(&'static str),
}

pub fn header(magic: [u8; 8], generation: u64) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&magic);
    header[8..16].copy_from_slice(&generation.to_le_bytes());
    let sum = crc32fast::hash(&header[..16]);
    header[16..20].copy_from_slice(&sum.to_le_bytes());
    header
}

/// The generation in the header; `None` for a part of a header, [`ErrorKind::InvalidData`] for other bytes.
pub fn generation(magic: [u8; 8], file: impl Read) -> io::Result<Option<u64>> {
    let mut bytes = Vec::with_capacity(HEADER);
    file.take(HEADER as u64).read_to_end(&mut bytes)?;
    let number = bytes[bytes.len().min(8)..]
        .first_chunk()
        .map_or(0, |number| u64::from_le_bytes(*number));
    match bytes == header(magic, number) {
        true => Ok(Some(number)),
        false if bytes.len() < HEADER && magic.starts_with(&bytes[..bytes.len().min(8)]) => {
            Ok(None)
        }
        false => Err(ErrorKind::InvalidData.into()),
    }
}

/// Appends a record for the offset `at` of the file.
///
/// # Panics
/// If the payload has more than 65,535 bytes.
pub fn put(at: u64, payload: &[u8], out: &mut Vec<u8>) {
    let length = u16::try_from(payload.len()).expect("records are short");
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend(checksum(at, payload).to_le_bytes());
    out.extend(payload);
}

/// Reads the record at the offset `at` of the file.
pub fn first(at: u64, bytes: &[u8]) -> Found<'_> {
    let Some((head, rest)) = bytes.split_first_chunk::<RECORD_HEAD>() else {
        return Found::Torn;
    };
    let length = u16::from_le_bytes([head[0], head[1]]);
    if length != !u16::from_le_bytes([head[2], head[3]]) {
        return Found::Damaged("the length of a record does not match its check");
    }
    let Some(payload) = rest.get(..usize::from(length)) else {
        return Found::Torn;
    };
    if u32::from_le_bytes([head[4], head[5], head[6], head[7]]) != checksum(at, payload) {
        return Found::Damaged("a record does not match its checksum");
    }
    Found::Whole(payload)
}

fn checksum(at: u64, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&at.to_le_bytes());
    hasher.update(payload);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_whole_torn_or_damaged() {
        let mut bytes = Vec::new();
        put(24, b"one", &mut bytes);
        put(24 + bytes.len() as u64, b"", &mut bytes);
        assert_eq!(first(24, &bytes), Found::Whole(b"one"));
        assert_eq!(first(35, &bytes[11..]), Found::Whole(b""));
        assert_eq!(first(43, &[]), Found::Torn);
        for length in 0..11 {
            assert_eq!(first(24, &bytes[..length]), Found::Torn);
        }
        for bit in 0..11 * 8 {
            let mut other = bytes.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(first(24, &other), Found::Damaged(_)), "bit {bit}");
        }
        assert!(
            matches!(first(25, &bytes), Found::Damaged(_)),
            "elsewhere it is no record"
        );
    }

    #[test]
    fn a_header_is_known_by_every_byte() {
        let whole = header(*b"EMILIAT1", 7);
        let read = |bytes: &[u8]| generation(*b"EMILIAT1", bytes).map_err(|error| error.kind());
        assert_eq!(read(&whole), Ok(Some(7)));
        assert!(generation(*b"EMILIAT2", &whole[..]).is_err());
        for byte in 0..HEADER {
            let mut other = whole;
            other[byte] ^= 4;
            assert_eq!(read(&other), Err(ErrorKind::InvalidData));
            assert_eq!(read(&whole[..byte]), Ok(None));
        }
        assert!(read(b"f5d6").is_err());
    }
}
