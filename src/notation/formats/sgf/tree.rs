//! All lines of an SGF game: its main line, its side lines, and the comments on both.

use super::play::{Player, Rows, color_of};
use super::properties::{Reader, SUBJECT};
use crate::board::{Color, Game, Move, Position};
use crate::notation::scanner::Scanner;

/// More places than any game with side lines has.
const MAX_PLACES: usize = 20_000;

/// A position of a game with side lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The place before the move, an index; 0 for the start.
    pub parent: usize,
    /// The move that leads here; `None` for the start.
    pub mv: Option<Move>,
    /// The position.
    pub position: Position,
    /// The comment on the move; may be empty.
    pub comment: String,
}

/// The places of the first game of `text`, parents first; the first child of a place goes on with its line.
///
/// `main` is the game of the main line. A side line ends before its first illegal move. `None` for a text whose main
/// line differs from `main`.
pub fn places(text: &str, main: &Game) -> Option<Vec<Place>> {
    [Rows::FromBottom, Rows::FromTop]
        .into_iter()
        .filter_map(|rows| grow(text, rows, main.start()))
        .find(|places| main_line(places).eq(main.moves().iter().copied()))
}

/// The moves of the line of first children.
fn main_line(places: &[Place]) -> impl Iterator<Item = Move> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let child = (at + 1..places.len()).find(|&child| places[child].parent == at)?;
        at = child;
        places[child].mv
    })
}

/// The way from place to place while the text is read.
struct Grower {
    places: Vec<Place>,
    /// `None` after an illegal move ended the line.
    at: Option<usize>,
}

fn grow(text: &str, rows: Rows, start: Position) -> Option<Vec<Place>> {
    let root = Place {
        parent: 0,
        mv: None,
        position: start,
        comment: String::new(),
    };
    let mut grower = Grower {
        places: vec![root],
        at: Some(0),
    };
    let mut reader = Reader {
        scanner: Scanner::new(SUBJECT, text),
        node: 0,
        depth: 0,
    };
    let player = Player {
        text,
        properties: &[],
        rows,
    };
    let mut open = Vec::new();
    loop {
        reader.scanner.skip_blanks();
        match reader.scanner.rest().chars().next()? {
            '(' => open.push(grower.at),
            ')' => {
                grower.at = open.pop()?;
                if open.is_empty() {
                    return Some(grower.places);
                }
            }
            ';' => {}
            _ => {
                let property = reader.property().ok()??;
                match color_of(&property) {
                    Some(color) => grower.play(color, player.read_move(&property).ok()),
                    None if property.name == "C" => grower.comment(&property.joined()),
                    None => {}
                }
                continue;
            }
        }
        reader.scanner.at += 1;
    }
}

impl Grower {
    /// Goes on with a move of `color`; a forced pass before it may be missing.
    fn play(&mut self, color: Color, mv: Option<Move>) {
        let is_pass_left_out = self
            .at
            .is_some_and(|at| self.places[at].position.side != color);
        if is_pass_left_out && mv != Some(Move::Pass) {
            self.at = self.step(Move::Pass);
        }
        self.at = mv.and_then(|mv| self.step(mv));
    }

    /// The place after a move, new or known; `None` if the move is illegal.
    fn step(&mut self, mv: Move) -> Option<usize> {
        let parent = self.at?;
        let known = (parent + 1..self.places.len())
            .find(|&at| self.places[at].parent == parent && self.places[at].mv == Some(mv));
        if known.is_some() {
            return known;
        }
        let position = self.places[parent].position.play(mv).ok();
        let position = position.filter(|_| self.places.len() < MAX_PLACES)?;
        self.places.push(Place {
            parent,
            mv: Some(mv),
            position,
            comment: String::new(),
        });
        Some(self.places.len() - 1)
    }

    fn comment(&mut self, text: &str) {
        let Some(at) = self.at else { return };
        let comment = &mut self.places[at].comment;
        if !comment.is_empty() {
            comment.push('\n');
        }
        comment.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_sgf;
    use super::*;

    /// The moves and comments of all places, each with the number of its parent.
    fn read(text: &str) -> Vec<(usize, String, String)> {
        let main = parse_sgf(text).unwrap().game;
        let places = places(text, &main).unwrap();
        let moves = places.into_iter().skip(1);
        moves
            .map(|place| (place.parent, place.mv.unwrap().to_string(), place.comment))
            .collect()
    }

    #[test]
    fn side_lines_and_comments_are_read() {
        let text = "(;FF[4]GM[2]C[start];B[f5]C[one \\] two];W[d6](;B[c3];W[d3])(;B[c4](;W[d3])(;W[e3]C[e])))";
        let found = read(text);
        let wanted = [
            (0, "f5", "one ] two"),
            (1, "d6", ""),
            (2, "c3", ""),
            (3, "d3", ""),
            (2, "c4", ""),
            (5, "d3", ""),
            (5, "e3", "e"),
        ];
        let found: Vec<_> = found
            .iter()
            .map(|(parent, mv, comment)| (*parent, &**mv, &**comment))
            .collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_side_line_ends_before_its_illegal_move() {
        let found = read("(;GM[2](;B[f5];W[d6])(;B[c4];W[a1];B[d3]))");
        let moves: Vec<&str> = found.iter().map(|(_, mv, _)| &**mv).collect();
        assert_eq!(moves, ["f5", "d6", "c4"]);
    }

    #[test]
    fn rows_are_counted_as_in_the_main_line() {
        assert_eq!(read("(;GM[1];B[fd](;W[dc])(;W[fc]))").len(), 3);
        assert_eq!(places("(;GM[2];B[f5])", &Game::new(Position::START)), None);
    }

    #[test]
    fn deep_brackets_neither_hang_nor_overflow() {
        let deep = format!("(;GM[2];B[f5]{}{})", "(".repeat(50_000), ")".repeat(50_000));
        let game = parse_sgf(&deep).map(|record| record.game);
        if let Ok(game) = game {
            assert_eq!(places(&deep, &game).map(|all| all.len()), Some(2));
        }
    }
}
