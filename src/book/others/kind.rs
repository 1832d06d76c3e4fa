//! Recognizing another program's book by its first bytes.

use std::fmt;

/// A form of another program's book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Edax's `.dat`.
    Edax,
    /// Edax's export: a line a position.
    EdaxText,
    /// Egaroucid's `.egbk3`.
    Egaroucid,
    /// Zebra's `book.bin`.
    Zebra,
    /// Zebra's `.cmp`: the moves in place of the hashes.
    ZebraPacked,
    /// NTest's `.book`, version 2.
    NTest,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Edax => "a book of Edax",
            Self::EdaxText => "a book of Edax as text",
            Self::Egaroucid => "a book of Egaroucid",
            Self::Zebra => "a book of Zebra",
            Self::ZebraPacked => "a compressed book of Zebra",
            Self::NTest => "a book of NTest",
        })
    }
}

/// What Edax's books begin with.
pub const EDAX: &[u8; 8] = b"XADEKOOB";
/// What Egaroucid's books begin with.
pub const EGAROUCID: &[u8; 9] = b"DICUORAGE";
/// What Zebra's books begin with: 2718 and 2818.
pub const ZEBRA: [u8; 4] = [0x9e, 0x0a, 0x02, 0x0b];

/// Bytes that tell.
pub const HEAD: usize = 80;

/// The kind of a file of `bytes` bytes that begins with `head`; `None` if it is no book of another program, an error
/// for a known form that is not supported.
pub fn kind_of(head: &[u8], bytes: u64) -> Result<Option<Kind>, &'static str> {
    let number = |at: usize| {
        head.get(at..at + 4).map(|bytes| i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let kind = if bytes == 0 {
        return Err("empty, not a book");
    } else if head.starts_with(b"version https://git-lfs") {
        return Err("a pointer of Git LFS, not the book that it stands for: fetch it with `git lfs pull`");
    } else if head.starts_with(EDAX) {
        match head.get(EDAX.len()) {
            Some(4) => Kind::Edax,
            _ => return Err("a book of Edax of another version; expected version 4"),
        }
    } else if head.starts_with(EGAROUCID) {
        match head.get(EGAROUCID.len()) {
            Some(3) => Kind::Egaroucid,
            _ => return Err("a book of Egaroucid of another version; expected version 3 (.egbk3)"),
        }
    } else if head.starts_with(&ZEBRA) {
        Kind::Zebra
    } else if is_edax_text(head) {
        Kind::EdaxText
    } else if let Some((nodes, moves)) = number(0).zip(number(4))
        && nodes > 0
        && moves == nodes - 1
        && bytes == 8 + 12 * nodes as u64 + 2 * moves as u64
    {
        Kind::ZebraPacked
    } else if let Some((version @ 1..=2, positions)) = number(0).zip(number(4))
        && positions > 0
        && bytes >= 12
    {
        if version == 1 {
            return Err("a book of NTest of version 1; expected version 2");
        }
        Kind::NTest
    } else {
        return Ok(None);
    };
    Ok(Some(kind))
}

fn is_edax_text(head: &[u8]) -> bool {
    head.get(..64).is_some_and(|board| board.iter().all(|square| b"XO-".contains(square)))
        && head.get(64..67) == Some(b" X,")
}
