//! Promises about any bytes that are read as another program's book.

use super::super::BookError;
use super::check::check;
use super::open::OtherBook;
use super::record::Item;

/// Reads bytes in every way in which they can be read.
///
/// # Panics
/// When damage is not a fault of one line, or an entry for our book is unsound.
pub fn survive(bytes: &[u8]) {
    let Ok(Some(mut book)) = OtherBook::of_bytes(bytes.to_vec()) else { return };
    let checked = check(&mut book, &mut |fault| {
        let line = fault.to_string();
        assert!(line.starts_with("byte ") && !line.contains('\n'), "{line:?}");
        Ok::<_, BookError>(())
    });
    let mut positions = 0;
    for item in book.items_and_damage() {
        if let Item::Record(record) = item.expect("damage is a fault") {
            positions += 1;
            if let Some((key, entry)) = record.entry() {
                let board = key.board().expect("a key is of a board");
                assert_eq!(entry.fault(board), None, "{record:?}");
            }
        }
    }
    assert_eq!(positions, checked.expect("damage is a fault").positions);
}
