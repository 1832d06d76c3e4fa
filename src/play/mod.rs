//! Othello at the keyboard: lines in, boards out, the engine or another player in between.

mod command;
mod editor;
mod games;
mod hint;
mod history;
mod lesson;
mod paste;
mod screen;
mod seat;
mod session;
mod state;
mod table;
#[cfg(test)]
mod tests;
mod turns;

pub use editor::Keyboard;
pub use lesson::parse_lesson;
pub use seat::Seat;
pub use state::{Play, Setup, Traps};
pub use table::{Table, check_output};
