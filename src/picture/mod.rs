//! A position as a picture: `drawing` decides the shapes, `svg` writes them; `terminal` draws with letters and colors.

mod drawing;
mod svg;
pub mod terminal;

pub use drawing::{BORDER, CELL, Mark, Picture, SIZE, ground};
pub use svg::{shades, write_shapes};
