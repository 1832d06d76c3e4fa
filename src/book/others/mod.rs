//! Opening books of other programs: reading, checking, writing.
//!
//! ```text
//! open    which program's book a file is, by its content ─→ edax · egaroucid · zebra · ntest
//! record  a position as such a book tells it, the rules it must keep, and what of it our book takes
//! check   the rules between positions: links, values, doubles
//! export  our book as one of Edax's or Egaroucid's
//! kind    which form a file has, by what it begins with
//! source  bytes and lines with their place in the file
//! ```
//!
//! Every form is read position by position and in bounded memory, but for Zebra's, which holds hashes in place of
//! boards: its nodes are held, and the positions found by play from the start. No count that a file tells claims memory.
//!
//! How values are taken: those of inner positions are recomputed from their moves, never copied; a score is rounded
//! only where the form has whole discs; bounds and counters of lines are not taken, since they are estimates and no
//! games; a win without its margin counts as one disc. A search keeps the name of its program and its level
//! ([`Origin`](super::Origin)), and yields to an equal search of our own.

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

#[cfg(any(test, fuzzing))]
pub mod testing;

pub use open::OtherBook;
pub use record::Item;

#[cfg(test)]
mod tests;
