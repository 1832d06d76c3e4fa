//! A drawing as SVG.

use std::fmt::Write as _;

use super::drawing::{Drawing, Picture, Rgb, Shade, Shape};
use crate::board::Color;

/// The shades of discs: `fill="url(#ink)"` is Black's, `url(#chalk)` White's. A page needs them once.
pub fn shades() -> String {
    let [x, y] = Shade::AT;
    let gradient = |color: Color| {
        let Shade { light, dark, reach } = Shade::of(color);
        let (name, light, dark) = (name(color), hex(light), hex(dark));
        format!(
            "<radialGradient id=\"{name}\" cx=\"{x}%\" cy=\"{y}%\" r=\"{reach}%\"><stop offset=\"0\" stop-color=\"{light}\"/>\
             <stop offset=\"1\" stop-color=\"{dark}\"/></radialGradient>"
        )
    };
    format!("<defs>{}{}</defs>", gradient(Color::Black), gradient(Color::White))
}

/// The name of a colour's shade.
fn name(color: Color) -> &'static str {
    if color == Color::Black { "ink" } else { "chalk" }
}

impl Picture {
    /// A file of its own.
    pub fn svg(&self) -> String {
        let Drawing { size, title, shapes } = self.drawing();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{size}\" height=\"{size}\" viewBox=\"0 0 {size} {size}\">\n\
             <title>{title}</title>\n{}\n{}\n</svg>\n",
            shades(),
            write_shapes(&shapes)
        )
    }

    /// A part of a page that has the [`shades`]; `label` is read to those who do not see it.
    pub fn inline_svg(&self, class: &str, label: &str) -> String {
        let Drawing { size, shapes, .. } = self.drawing();
        format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {size} {size}\" role=\"img\" aria-label=\"{label}\">{}</svg>",
            write_shapes(&shapes)
        )
    }
}

/// The elements of these shapes; lines of one kind share one.
pub fn write_shapes(shapes: &[Shape]) -> String {
    let mut text = String::new();
    let mut lines = shapes.iter().peekable();
    while let Some(shape) = lines.next() {
        match shape {
            Shape::Rect { x, y, width, height, radius, fill } => {
                let _ = write!(
                    text,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\" fill=\"{}\"/>",
                    hex(*fill)
                );
            }
            Shape::Line { width, stroke, .. } => {
                let mut path = String::new();
                let mut next = Some(shape);
                while let Some(Shape::Line { from: (a, b), to: (c, d), .. }) = next {
                    let _ = write!(path, "M{a} {b}L{c} {d}");
                    let same = |next: &&Shape| matches!(next, Shape::Line { width: w, stroke: s, .. } if (w, s) == (width, stroke));
                    next = lines.next_if(same);
                }
                let _ =
                    write!(text, "<path d=\"{path}\" stroke=\"{}\" stroke-width=\"{width}\"/>", hex(*stroke));
            }
            Shape::Disc { x, y, radius, color } => {
                let name = name(*color);
                let _ = write!(text, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"url(#{name})\"/>");
            }
            Shape::Dot { x, y, radius, fill } => {
                let _ =
                    write!(text, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{}\"/>", hex(*fill));
            }
            Shape::Ring { x, y, radius, width, stroke } => {
                let _ = write!(
                    text,
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"/>",
                    hex(*stroke)
                );
            }
            Shape::Text { x, y, size, fill, text: words } => {
                let _ = write!(
                    text,
                    "<text x=\"{x}\" y=\"{}\" font-family=\"sans-serif\" font-size=\"{size}\" text-anchor=\"middle\" \
                     fill=\"{}\">{words}</text>",
                    y + size * 36 / 100,
                    hex(*fill)
                );
            }
        }
    }
    text
}

fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::super::drawing::Mark;
    use super::*;
    use crate::board::Position;

    #[test]
    fn a_file_stands_alone_and_a_part_of_a_page_does_not() {
        let marks = vec![("f5".parse().unwrap(), Mark::Best)];
        let picture = Picture { position: Position::START, marks, has_border: true };
        let file = picture.svg();
        assert!(file.starts_with("<svg xmlns=") && file.ends_with("</svg>\n"));
        assert_eq!(file.matches("id=\"ink\"").count(), 1);
        assert_eq!(file.matches("r=\"42\" fill=\"url(#chalk)\"").count(), 2);
        assert!(file.contains("<text x=\"94\" y=\"31\" font-family=\"sans-serif\" font-size=\"27\""));
        // All lines of the board are one path.
        assert_eq!(file.matches("<path").count(), 1);
        let part = Picture { has_border: false, ..picture }.inline_svg("small", "Before move 1");
        assert!(part.contains("aria-label=\"Before move 1\"") && !part.contains("id="));
        assert!(part.contains("<circle cx=\"550\" cy=\"450\" r=\"30\" fill=\"none\" stroke=\"#ffd84d\""));
    }
}
