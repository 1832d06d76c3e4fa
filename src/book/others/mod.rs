//! Opening books of other programs: reading, checking, writing.
//!
//! ```text
//! open    which program's book a file is, by its content ─→ edax · egaroucid · zebra · ntest
//! record  a position of such a book, its rules, and its entry in a book of Emilia
//! check   the rules between positions: links, values, doubles
//! export  our book as one of Edax's or Egaroucid's
//! kind    the format of a file, from its first bytes
//! source  bytes and lines with their place in the file
//! ```
//!
//! Every form is read position by position and in bounded memory, but for Zebra's, which holds hashes in place of
//! boards: its nodes are held, and the positions found by play from the start. No count of a file reserves memory.
//!
//! How values are taken: those of inner positions are recomputed from their moves, never copied; a score is rounded
//! only where the form has whole discs; bounds and counters of lines are not taken, since they are estimates and no
//! games; a win without its margin counts as one disc. A search keeps the name of its program and its level
//! ([`Origin`](super::Origin)), and yields to an equal search by Emilia.

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
