//! What must hold of any bytes that are taken for another program's book.

use super::super::BookError;
use super::check::check;
use super::open::OtherBook;
use super::record::Item;

/// Reads bytes in every way in which they can be read.
///
/// # Panics
/// Where a promise is broken: damage is a fault that is told in a line, and what our book takes is sound.
pub fn survive(bytes: &[u8]) {
    let Ok(Some(mut book)) = OtherBook::of_bytes(bytes.to_vec()) else { return };
    let checked = check(&mut book, &mut |fault| {
        let line = fault.to_string();
        assert!(line.starts_with("byte ") && !line.contains('\n'), "{line:?}");
        Ok::<_, BookError>(())
    });
    let checked = checked.expect("damage is a fault");
    let Ok(items) = book.items() else { return };
    let mut positions = 0;
    for item in items {
        match item {
            Ok(Item::Record(record)) => {
                positions += 1;
                if let Some((key, entry)) = record.entry() {
                    let board = key.board().expect("a key is of a board");
                    assert_eq!(entry.fault(board), None, "{record:?}");
                }
            }
            Ok(Item::Fault(_)) => {}
            Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
        }
    }
    assert_eq!(positions, checked.positions);
}
