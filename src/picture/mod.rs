//! A position as a picture. What is drawn is decided once, in `drawing`; SVG and PNG write it down.
//!
//! ```text
//! Picture (position, marks) ─▶ Drawing (shapes) ─┬▶ svg
//!                                                └▶ png (glyphs: letters as strokes)
//! ```

mod drawing;
mod glyphs;
mod png;
mod svg;

pub use drawing::{BORDER, CELL, Mark, Picture, SIZE, ground};
pub use svg::{shades, write_shapes};
