//! What a picture shows, as shapes in the order in which they are painted.

use crate::board::{Color, Position, Square};

/// Side of a square.
pub const CELL: u32 = 100;
/// Room for the letters and numbers on each side of the board.
pub const BORDER: u32 = 44;
/// Side of a picture with its border.
pub const SIZE: u32 = 8 * CELL + 2 * BORDER;

/// A colour: red, green, blue.
pub type Rgb = [u8; 3];

const FRAME: Rgb = [0x23, 0x36, 0x2c];
const GREEN: Rgb = [0x2e, 0x8b, 0x57];
const GRID: Rgb = [0x1d, 0x6a, 0x3f];
const EDGE: Rgb = [0xc3, 0xd1, 0xc8];
const RED: Rgb = [0xe5, 0x48, 0x4d];
const YELLOW: Rgb = [0xff, 0xd8, 0x4d];

/// How discs are shaded: light falls on them from above.
pub struct Shade {
    /// Where it falls.
    pub light: Rgb,
    /// Far from there.
    pub dark: Rgb,
    /// How far, in percent of a disc's width.
    pub reach: u32,
}

impl Shade {
    /// Where the light falls, from the left and from the top, in percent of a disc's width.
    pub const AT: [u32; 2] = [35, 30];

    /// That of a colour's discs.
    pub fn of(color: Color) -> Self {
        match color {
            Color::Black => Self { light: [0x4b, 0x52, 0x4f], dark: [0x10, 0x13, 0x12], reach: 75 },
            Color::White => Self { light: [0xff, 0xff, 0xff], dark: [0xcf, 0xd4, 0xcd], reach: 80 },
        }
    }
}

/// One thing to paint; lengths in units of a [`CELL`]th of a square.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A rectangle by its top left corner, with rounded corners.
    Rect { x: u32, y: u32, width: u32, height: u32, radius: u32, fill: Rgb },
    /// A straight line.
    Line { from: (u32, u32), to: (u32, u32), width: u32, stroke: Rgb },
    /// A disc of the game, shaded.
    Disc { x: u32, y: u32, radius: u32, color: Color },
    /// A filled circle.
    Dot { x: u32, y: u32, radius: u32, fill: Rgb },
    /// A circle's line.
    Ring { x: u32, y: u32, radius: u32, width: u32, stroke: Rgb },
    /// A text round its middle.
    Text { x: u32, y: u32, size: u32, fill: Rgb, text: String },
}

/// Shapes on a square ground.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// Its side.
    pub size: u32,
    /// What it shows, in words.
    pub title: String,
    /// From the lowest to the topmost.
    pub shapes: Vec<Shape>,
}

/// How a square is marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The last move: a dot.
    Last,
    /// The move played: a red ring.
    Played,
    /// The best move: a yellow ring.
    Best,
}

/// A position to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The position.
    pub position: Position,
    /// Squares to mark.
    pub marks: Vec<(Square, Mark)>,
    /// Whether letters, numbers and the side to move stand around it.
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
        format!("{turn}, {} black and {} white discs", count(Color::Black), count(Color::White))
    }

    /// What is painted.
    pub fn drawing(&self) -> Drawing {
        let border = if self.has_border { BORDER } else { 0 };
        let mut shapes = ground(border);
        if self.has_border && !self.position.is_over() {
            let (x, y) = (border / 2, border / 2);
            shapes.push(Shape::Disc { x, y, radius: 14, color: self.position.side });
            shapes.push(Shape::Ring { x, y, radius: 14, width: 2, stroke: EDGE });
        }
        let middle = |square: Square| {
            let [x, y] = [square.file(), square.rank()].map(|at| border + u32::from(at) * CELL + CELL / 2);
            (x, y)
        };
        for square in Square::all() {
            let (x, y) = middle(square);
            if let Some(color) = self.position.disc_at(square) {
                shapes.push(Shape::Disc { x, y, radius: 42, color });
            }
        }
        for (square, mark) in &self.marks {
            let (x, y) = middle(*square);
            shapes.push(match mark {
                Mark::Last => Shape::Dot { x, y, radius: 10, fill: RED },
                Mark::Played => Shape::Ring { x, y, radius: 30, width: 14, stroke: RED },
                Mark::Best => Shape::Ring { x, y, radius: 30, width: 14, stroke: YELLOW },
            });
        }
        Drawing { size: 8 * CELL + 2 * border, title: self.title(), shapes }
    }
}

/// The empty board with its lines and four points; with a border the letters and numbers stand on it.
pub fn ground(border: u32) -> Vec<Shape> {
    let far = border + 8 * CELL;
    let rect = |at: u32, side: u32, radius, fill| Shape::Rect {
        x: at,
        y: at,
        width: side,
        height: side,
        radius,
        fill,
    };
    let mut shapes = Vec::new();
    if border > 0 {
        shapes.push(rect(0, far + border, 26, FRAME));
    }
    shapes.push(rect(border, 8 * CELL, 0, GREEN));
    for index in 0..=8 {
        let at = border + index * CELL;
        for (from, to) in [((at, border), (at, far)), ((border, at), (far, at))] {
            shapes.push(Shape::Line { from, to, width: 4, stroke: GRID });
        }
    }
    for (file, rank) in [(2, 2), (6, 2), (2, 6), (6, 6)] {
        let [x, y] = [file, rank].map(|at| border + at * CELL);
        shapes.push(Shape::Dot { x, y, radius: 9, fill: GRID });
    }
    for index in (0..8).filter(|_| border > 0) {
        let at = border + index * CELL + CELL / 2;
        let letter = char::from(b'a' + index as u8).to_string();
        for (x, y, text) in [(at, border / 2, letter), (border / 2, at, (index + 1).to_string())] {
            shapes.push(Shape::Text { x, y, size: 27, fill: EDGE, text });
        }
    }
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn discs(drawing: &Drawing) -> Vec<(u32, u32, Color)> {
        let disc = |shape: &Shape| match shape {
            Shape::Disc { x, y, radius: 42, color } => Some((*x, *y, *color)),
            _ => None,
        };
        drawing.shapes.iter().filter_map(disc).collect()
    }

    #[test]
    fn discs_stand_on_their_squares() {
        let picture = Picture { position: Position::START, marks: Vec::new(), has_border: false };
        let drawing = picture.drawing();
        let (black, white) = (Color::Black, Color::White);
        assert_eq!(drawing.size, 800);
        let expected = [(350, 350, white), (450, 350, black), (350, 450, black), (450, 450, white)];
        assert_eq!(discs(&drawing), expected);
        assert!(!drawing.shapes.iter().any(|shape| matches!(shape, Shape::Text { .. })));
    }

    #[test]
    fn the_border_names_files_ranks_and_the_side_to_move() {
        let picture = Picture { position: Position::START, marks: Vec::new(), has_border: true };
        let drawing = picture.drawing();
        let texts: Vec<&str> = drawing
            .shapes
            .iter()
            .filter_map(|shape| if let Shape::Text { text, .. } = shape { Some(text.as_str()) } else { None })
            .collect();
        assert_eq!(texts.len(), 16);
        assert_eq!(texts[..4], ["a", "1", "b", "2"]);
        assert_eq!(drawing.title, "Black to move, 2 black and 2 white discs");
        assert!(drawing.shapes.contains(&Shape::Disc { x: 22, y: 22, radius: 14, color: Color::Black }));
        assert_eq!(drawing.size, SIZE);
    }
}
