//! Boards, sides and moves as people write them.
//!
//! [`board`] reads 64 squares and drawn boards, [`move_list`] moves with the words among them. The files below serve
//! them: characters, signs of squares, words for sides, single moves.

pub mod board;
pub mod diagram;
pub mod move_list;
pub mod moves;
pub mod plain;
pub mod side;
pub mod signs;
pub mod token;
