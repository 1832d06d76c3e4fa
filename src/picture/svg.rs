//! A position as SVG.

use std::fmt::Write as _;

use crate::board::{Color, Position, Square};

/// Side of a square, in the picture's units.
pub const CELL: u32 = 100;
/// Room for the letters and numbers on each side of the board.
pub const BORDER: u32 = 44;
/// Side of a picture with its border.
pub const SIZE: u32 = 8 * CELL + 2 * BORDER;

const FRAME: &str = "#23362c";
const GREEN: &str = "#2e8b57";
const GRID: &str = "#1d6a3f";
const EDGE: &str = "#c3d1c8";
const RED: &str = "#e5484d";
const YELLOW: &str = "#ffd84d";

/// The shades of discs: `fill="url(#ink)"` is Black's, `url(#chalk)` White's. A page needs them once.
pub fn shades() -> String {
    let gradient = |name, light, dark, reach| {
        format!(
            "<radialGradient id=\"{name}\" cx=\"35%\" cy=\"30%\" r=\"{reach}%\"><stop offset=\"0\" stop-color=\"{light}\"/>\
             <stop offset=\"1\" stop-color=\"{dark}\"/></radialGradient>"
        )
    };
    let black = gradient("ink", "#4b524f", "#101312", 75);
    let white = gradient("chalk", "#ffffff", "#cfd4cd", 80);
    format!("<defs>{black}{white}</defs>")
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The last move: a dot.
    Last,
    /// The move played: a red ring.
    Played,
    /// The best move: a yellow ring.
    Best,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub position: Position,
    /// Squares to mark.
    pub marks: Vec<(Square, Mark)>,
    /// Whether to draw letters, numbers and the side to move around it.
    pub has_border: bool,
}

impl Picture {
    /// The position in words: `Black to move, 2 black and 2 white discs`.
    pub fn title(&self) -> String {
        let count = |color| self.position.discs(color).count_ones();
        let turn = match self.position.is_over() {
            true => "The end".to_owned(),
            false => format!("{} to move", self.position.side.title()),
        };
        format!(
            "{turn}, {} black and {} white discs",
            count(Color::Black),
            count(Color::White)
        )
    }

    /// A whole file.
    pub fn svg(&self) -> String {
        let size = 8 * CELL + 2 * self.border();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{size}\" height=\"{size}\" viewBox=\"0 0 {size} {size}\">\n\
             <title>{}</title>\n{}\n{}\n</svg>\n",
            self.title(),
            shades(),
            self.elements()
        )
    }

    /// A part of a page that has the [`shades`]; screen readers read `label`.
    pub fn inline_svg(&self, class: &str, label: &str) -> String {
        let size = 8 * CELL + 2 * self.border();
        format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {size} {size}\" role=\"img\" aria-label=\"{label}\">{}</svg>",
            self.elements()
        )
    }

    fn border(&self) -> u32 {
        if self.has_border { BORDER } else { 0 }
    }

    fn elements(&self) -> String {
        let border = self.border();
        let mut text = ground(border);
        let middle = |square: Square| {
            [square.file(), square.rank()].map(|at| border + u32::from(at) * CELL + CELL / 2)
        };
        if self.has_border && !self.position.is_over() {
            let corner = [border / 2; 2];
            text += &disc(corner, 14, self.position.side);
            text += &ring(corner, 14, 2, EDGE);
        }
        for square in Square::all() {
            text.extend(
                self.position
                    .disc_at(square)
                    .map(|color| disc(middle(square), 42, color)),
            );
        }
        for (square, mark) in &self.marks {
            text += &match mark {
                Mark::Last => dot(middle(*square), 10, RED),
                Mark::Played => ring(middle(*square), 30, 14, RED),
                Mark::Best => ring(middle(*square), 30, 14, YELLOW),
            };
        }
        text
    }
}

/// The empty board with its lines and four points, and letters and numbers on a border.
pub fn ground(border: u32) -> String {
    let far = border + 8 * CELL;
    let mut text = String::new();
    let mut rect = |at, side, radius, fill| {
        let _ = write!(
            text,
            "<rect x=\"{at}\" y=\"{at}\" width=\"{side}\" height=\"{side}\" rx=\"{radius}\" fill=\"{fill}\"/>"
        );
    };
    if border > 0 {
        rect(0, far + border, 26, FRAME);
    }
    rect(border, 8 * CELL, 0, GREEN);
    let line = |index| {
        let at = border + index * CELL;
        format!("M{at} {border}L{at} {far}M{border} {at}L{far} {at}")
    };
    let lines: String = (0..=8).map(line).collect();
    let _ = write!(
        text,
        "<path d=\"{lines}\" stroke=\"{GRID}\" stroke-width=\"4\"/>"
    );
    for point in [[2, 2], [6, 2], [2, 6], [6, 6]] {
        text += &dot(point.map(|at| border + at * CELL), 9, GRID);
    }
    for index in (0..8).filter(|_| border > 0) {
        let at = border + index * CELL + CELL / 2;
        let letter = char::from(b'a' + index as u8).to_string();
        for (x, y, name) in [
            (at, border / 2, letter),
            (border / 2, at, (index + 1).to_string()),
        ] {
            // A digit of size 27 is 18 units high.
            let _ = write!(
                text,
                "<text x=\"{x}\" y=\"{}\" font-family=\"sans-serif\" font-size=\"27\" text-anchor=\"middle\" \
                 fill=\"{EDGE}\">{name}</text>",
                y + 9
            );
        }
    }
    text
}

fn disc([x, y]: [u32; 2], radius: u32, color: Color) -> String {
    let shade = if color == Color::Black {
        "ink"
    } else {
        "chalk"
    };
    format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"url(#{shade})\"/>")
}

fn dot([x, y]: [u32; 2], radius: u32, fill: &str) -> String {
    format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\"/>")
}

fn ring([x, y]: [u32; 2], radius: u32, width: u32, stroke: &str) -> String {
    format!(
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\"/>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_stands_alone_and_a_part_of_a_page_does_not() {
        let marks = vec![("f5".parse().unwrap(), Mark::Best)];
        let picture = Picture {
            position: Position::START,
            marks,
            has_border: true,
        };
        let file = picture.svg();
        assert!(file.starts_with("<svg xmlns=") && file.ends_with("</svg>\n"));
        assert_eq!(file.matches("id=\"ink\"").count(), 1);
        assert_eq!(file.matches("<text").count(), 16);
        for part in [
            "<title>Black to move, 2 black and 2 white discs</title>",
            "<circle cx=\"22\" cy=\"22\" r=\"14\" fill=\"url(#ink)\"/>",
            "<text x=\"94\" y=\"31\" font-family=\"sans-serif\" font-size=\"27\" text-anchor=\"middle\" fill=\"#c3d1c8\">a<",
        ] {
            assert!(file.contains(part), "{part}");
        }
        // All lines of the board are one path.
        assert_eq!(file.matches("<path").count(), 1);
        let part = Picture {
            has_border: false,
            ..picture
        }
        .inline_svg("small", "Before move 1");
        assert!(
            part.contains("aria-label=\"Before move 1\"")
                && !part.contains("id=")
                && !part.contains("<text")
        );
        for (x, y, shade) in [
            (350, 350, "chalk"),
            (450, 350, "ink"),
            (350, 450, "ink"),
            (450, 450, "chalk"),
        ] {
            let disc = format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"42\" fill=\"url(#{shade})\"/>");
            assert!(part.contains(&disc), "{disc}");
        }
        assert!(
            part.contains(
                "<circle cx=\"550\" cy=\"450\" r=\"30\" fill=\"none\" stroke=\"#ffd84d\""
            )
        );
    }
}
