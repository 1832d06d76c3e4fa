//! A position as a picture: `svg` draws it for files and pages, `terminal` with letters and colors.

mod svg;
#[cfg(feature = "cli")]
pub mod terminal;

pub use svg::{BORDER, CELL, Mark, Picture, SIZE, ground, shades};
