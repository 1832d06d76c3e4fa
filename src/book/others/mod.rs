//! Opening books of other programs: reading, checking, writing.
//!
//! ```text
//! open    the reader of a file, by its content ─→ edax · egaroucid · zebra · ntest
//! record  a position of such a book, its rules, and its entry in a book of Emilia
//! check   the rules between positions: links, values, doubles
//! export  a book of Emilia as one of Edax or Egaroucid
//! kind    the format of a file, from its first bytes
//! source  bytes and lines with their place in the file
//! ```
//!
//! Readers work position by position in bounded memory. Zebra's books have hashes in place of boards: their reader
//! holds all nodes and finds the positions by play from the start.
//!
//! Values of inner positions are recomputed from their moves. Only formats with whole discs round scores. Import
//! ignores bounds, which are estimates, and counters of lines, which are no games. A win without a margin counts as one
//! disc. A search keeps its program and level ([`Origin`](super::Origin)), and yields to an equal search by Emilia.

pub mod check;
pub mod edax;
pub mod egaroucid;
pub mod export;
mod kind;
mod ntest;
mod open;
mod record;
mod source;
mod zebra;

pub use open::OtherBook;
pub use record::Item;

#[cfg(test)]
mod tests;
