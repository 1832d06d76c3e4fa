//! The format of another program's book, from its first bytes.

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Kind {
    #[strum(to_string = "a book of Edax")]
    Edax,
    #[strum(to_string = "a book of Edax as text")]
    EdaxText,
    #[strum(to_string = "a book of Egaroucid")]
    Egaroucid,
    #[strum(to_string = "a book of Zebra")]
    Zebra,
    #[strum(to_string = "a book of NTest")]
    NTest,
}

pub const EDAX: &[u8; 8] = b"XADEKOOB";
pub const EGAROUCID: &[u8; 9] = b"DICUORAGE";
/// The first bytes of Zebra's books: 2718 and 2818.
const ZEBRA: [u8; 4] = [0x9e, 0x0a, 0x02, 0x0b];

/// Bytes that show the kind of a file.
pub const HEAD: usize = 80;

/// The kind of a file of `bytes` bytes with the first bytes `head`; `None` if it is no book of another program.
///
/// # Errors
/// The name of a known format that is not supported.
pub fn kind_of(head: &[u8], bytes: u64) -> Result<Option<Kind>, &'static str> {
    let number = |at: usize| {
        head.get(at..)?
            .first_chunk()
            .map(|bytes| i32::from_le_bytes(*bytes))
    };
    let kind = if bytes == 0 {
        return Err("empty, not a book");
    } else if head.starts_with(b"version https://git-lfs") {
        return Err("a pointer of Git LFS, not the book: fetch the book with `git lfs pull`");
    } else if head.starts_with(EDAX) {
        if head.get(EDAX.len()) != Some(&4) {
            return Err("a book of Edax of another version; expected version 4");
        }
        Kind::Edax
    } else if head.starts_with(EGAROUCID) {
        if head.get(EGAROUCID.len()) != Some(&3) {
            return Err("a book of Egaroucid of another version; expected version 3 (.egbk3)");
        }
        Kind::Egaroucid
    } else if head.starts_with(&ZEBRA) {
        Kind::Zebra
    } else if is_edax_text(head) {
        Kind::EdaxText
    } else if let Some((nodes, moves)) = number(0).zip(number(4))
        && nodes > 0
        && moves == nodes - 1
        && bytes == 8 + 12 * nodes as u64 + 2 * moves as u64
    {
        return Err("a compressed book of Zebra (.cmp); expected its book.bin");
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
    head.get(..64)
        .is_some_and(|board| board.iter().all(|square| b"XO-".contains(square)))
        && head.get(64..67) == Some(b" X,")
}
