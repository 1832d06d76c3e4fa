//! The board of a page: the drawing of `show`, with the marks of the page's script.

use maud::{Markup, PreEscaped, html};

use crate::board::{Color, Position, Square};
use crate::picture::{BORDER, CELL, Mark, Picture, SIZE, ground, shades};

/// How the script's marks look; in the drawing itself, so that a picture of the board can be taken out of the page.
const STYLE: &str = "\
.cell circle,.cell path,.cell text,.plate{display:none}\
.b .disc{display:block;fill:url(#ink)}.w .disc{display:block;fill:url(#chalk)}\
.hit{fill:transparent}.last .dot{display:block;fill:#e5484d}.open .dot{display:block;fill:#0c3a22;opacity:.5}\
.stable .lock{display:block;fill:#35c2ff;opacity:.85}\
.value text{display:block;fill:#eef7f1;font:600 31px sans-serif;text-anchor:middle}\
.value .dot{display:none}.value .plate{display:block;fill:#0d3420}.value.best .plate{fill:#ffd84d}.value.best text{fill:#16201b}\
.slip text{fill:#f8cf6b}.mistake text{fill:#ffa766}.blunder text{fill:#ff9a9e}\
.played .plate{display:block;fill:none;stroke:#fff;stroke-width:6}.value.played .plate{fill:#0d3420}\
.value.best.played .plate{fill:#ffd84d}\
.number text{display:block;font:600 40px sans-serif;text-anchor:middle}.number.b text{fill:#fff}.number.w text{fill:#101312}\
.number.last text{fill:#ff6166}.number.w.last text{fill:#c11f26}.number .dot{display:none}";

/// The large board with coordinates, every square addressable by the page's script as `data-square`.
pub fn large(position: &Position, label: &str) -> Markup {
    let turn = match position.side {
        Color::Black => "ink",
        Color::White => "chalk",
    };
    let middle = BORDER / 2;
    html! {
        svg #board.board viewBox={ "0 0 " (SIZE) " " (SIZE) } role="img" aria-label=(label) {
            (PreEscaped(shades())) style { (PreEscaped(STYLE)) } "\n"
            (PreEscaped(ground(BORDER))) "\n"
            circle #turn cx=(middle) cy=(middle) r="14" fill={ "url(#" (turn) ")" } stroke="#c3d1c8" stroke-width="2" {}
            g transform={ "translate(" (BORDER) " " (BORDER) ")" } { "\n"
                @for square in Square::all() { (cell(square, position.disc_at(square))) "\n" }
            }
        } "\n"
    }
}

fn cell(square: Square, disc: Option<Color>) -> Markup {
    let [x, y] = [square.file(), square.rank()].map(|at| u32::from(at) * CELL);
    let class = match disc {
        Some(Color::Black) => "cell b",
        Some(Color::White) => "cell w",
        None => "cell",
    };
    html! {
        g class=(class) data-square=(square) transform={ "translate(" (x) " " (y) ")" } {
            rect.hit width="100" height="100" {}
            rect.plate x="5" y="21" width="90" height="58" rx="14" {}
            circle.disc cx="50" cy="50" r="42" {}
            circle.dot cx="50" cy="50" r="10" {}
            path.lock d="M50 30 70 50 50 70 30 50Z" {}
            text x="50" y="62" {}
        }
    }
}

/// A small still board with marks.
pub fn small(position: &Position, marks: Vec<(Square, Mark)>, label: &str) -> Markup {
    PreEscaped(
        Picture {
            position: *position,
            marks,
            has_border: false,
        }
        .inline_svg("board small", label),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discs_are_on_their_squares() {
        let board = large(&Position::START, "start").into_string();
        for (square, class) in [
            ("d4", " w"),
            ("e4", " b"),
            ("d5", " b"),
            ("e5", " w"),
            ("a1", ""),
        ] {
            assert!(
                board.contains(&format!(
                    "<g class=\"cell{class}\" data-square=\"{square}\""
                )),
                "{square}"
            );
        }
        assert!(board.contains("id=\"turn\" cx=\"22\" cy=\"22\" r=\"14\" fill=\"url(#ink)\""));
        let board = small(
            &Position::START,
            vec![("f5".parse().unwrap(), Mark::Best)],
            "start",
        )
        .into_string();
        assert_eq!(board.matches("fill=\"url(#ink)\"").count(), 2);
        assert!(board.contains("aria-label=\"start\""));
    }
}
