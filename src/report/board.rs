//! The board as inline SVG.

use std::fmt::Write as _;

use crate::board::{Color, Position, Square};

/// Side of a square in the drawing's units.
const CELL: u32 = 100;
/// Room for the letters and numbers around the large board.
const MARGIN: u32 = 44;

/// A square to mark, with the class of its mark.
pub type Mark = (Square, &'static str);

/// The large board with coordinates, every square addressable by the page's script as `data-square`.
pub fn large(position: &Position, label: &str) -> String {
    let size = 8 * CELL + 2 * MARGIN;
    let mut svg = format!(
        "<svg id=\"board\" class=\"board\" viewBox=\"0 0 {size} {size}\" role=\"img\" aria-label=\"{label}\">\n\
         <defs><radialGradient id=\"ink\" cx=\"35%\" cy=\"30%\" r=\"75%\"><stop offset=\"0\" stop-color=\"#4b524f\"/>\
         <stop offset=\"1\" stop-color=\"#101312\"/></radialGradient>\
         <radialGradient id=\"chalk\" cx=\"35%\" cy=\"30%\" r=\"80%\"><stop offset=\"0\" stop-color=\"#ffffff\"/>\
         <stop offset=\"1\" stop-color=\"#cfd4cd\"/></radialGradient></defs>\n\
         <rect class=\"frame\" width=\"{size}\" height=\"{size}\" rx=\"26\"/>\n"
    );
    for index in 0..8 {
        let middle = MARGIN + index * CELL + CELL / 2;
        let letter = char::from(b'a' + index as u8);
        let _ = write!(
            svg,
            "<text class=\"edge\" x=\"{middle}\" y=\"31\">{letter}</text>\
             <text class=\"edge\" x=\"22\" y=\"{}\">{}</text>",
            middle + 10,
            index + 1
        );
    }
    let _ = write!(svg, "\n<g transform=\"translate({MARGIN} {MARGIN})\">\n{}", ground());
    for square in Square::all() {
        let (x, y) = corner(square);
        let _ = writeln!(
            svg,
            "<g class=\"cell{}\" data-square=\"{square}\" transform=\"translate({x} {y})\">\
             <circle class=\"disc\" cx=\"50\" cy=\"50\" r=\"42\"/><circle class=\"dot\" cx=\"50\" cy=\"50\" r=\"9\"/>\
             <circle class=\"ring\" cx=\"50\" cy=\"50\" r=\"34\"/><path class=\"lock\" d=\"M50 30 70 50 50 70 30 50Z\"/></g>",
            match disc(position, square) {
                Some(Color::Black) => " b",
                Some(Color::White) => " w",
                None => "",
            }
        );
    }
    svg.push_str("</g></svg>\n");
    svg
}

/// A small still board with marks.
pub fn small(position: &Position, marks: &[Mark], label: &str) -> String {
    let size = 8 * CELL;
    let mut svg = format!(
        "<svg class=\"board small\" viewBox=\"0 0 {size} {size}\" role=\"img\" aria-label=\"{label}\">{}",
        ground()
    );
    for square in Square::all() {
        let Some(color) = disc(position, square) else { continue };
        let (x, y) = corner(square);
        let class = if color == Color::Black { "ink" } else { "chalk" };
        let _ = write!(svg, "<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"42\"/>", x + 50, y + 50);
    }
    for (square, class) in marks {
        let (x, y) = corner(*square);
        let _ = write!(svg, "<circle class=\"mark {class}\" cx=\"{}\" cy=\"{}\" r=\"30\"/>", x + 50, y + 50);
    }
    svg.push_str("</svg>");
    svg
}

/// The green with its lines and the four points.
fn ground() -> String {
    let size = 8 * CELL;
    let mut lines = String::new();
    for index in 0..=8 {
        let at = index * CELL;
        let _ = write!(lines, "M{at} 0V{size}M0 {at}H{size}");
    }
    let mut text = format!(
        "<rect class=\"green\" width=\"{size}\" height=\"{size}\"/><path class=\"lines\" d=\"{lines}\"/>"
    );
    for (x, y) in [(200, 200), (600, 200), (200, 600), (600, 600)] {
        let _ = write!(text, "<circle class=\"point\" cx=\"{x}\" cy=\"{y}\" r=\"9\"/>");
    }
    text
}

fn corner(square: Square) -> (u32, u32) {
    (u32::from(square.file()) * CELL, u32::from(square.rank()) * CELL)
}

fn disc(position: &Position, square: Square) -> Option<Color> {
    [Color::Black, Color::White].into_iter().find(|&color| position.discs(color) & square.bit() != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discs_stand_on_their_squares() {
        let board = large(&Position::START, "start");
        for (square, class) in [("d4", " w"), ("e4", " b"), ("d5", " b"), ("e5", " w"), ("a1", "")] {
            assert!(
                board.contains(&format!("<g class=\"cell{class}\" data-square=\"{square}\"")),
                "{square}"
            );
        }
        let board = small(&Position::START, &[("f5".parse().unwrap(), "best")], "start");
        assert_eq!(board.matches("class=\"ink\"").count(), 2);
        assert!(board.contains("<circle class=\"mark best\" cx=\"550\" cy=\"450\" r=\"30\"/>"));
    }
}
