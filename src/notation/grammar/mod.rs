//! The grammar of boards, sides and lists of moves; `NOTATIONS.md` is its page.
//!
//! [`board`] reads a board in one line, [`drawn`] a drawn one, [`list`] moves with numbers, remarks and a result. The other
//! files serve them: words, move numbers, remarks, tags.

pub mod board;
pub mod diagram;
pub mod drawn;
pub mod list;
pub mod moves;
pub mod numbers;
pub mod remarks;
pub mod tags;
pub mod words;
