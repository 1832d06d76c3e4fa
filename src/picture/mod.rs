//! A position as a picture: `drawing` decides the shapes, `svg` writes them.

mod drawing;
mod svg;

pub use drawing::{BORDER, CELL, Mark, Picture, SIZE, ground};
pub use svg::{shades, write_shapes};
