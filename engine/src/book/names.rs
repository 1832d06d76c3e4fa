//! The names of openings, known again through transpositions and all eight images.
//!
//! The table is a selection from published lists; its head says from which.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::key::{BookKey, Canonical};
use crate::board::{Board, Position};
use crate::text::parse_game;

static TABLE: &str = include_str!("names.tsv");

/// The name of the opening that ends in this position, if it has one.
///
/// ```
/// use emilia_engine::board::Position;
/// use emilia_engine::book::names::name_of;
/// use emilia_engine::text::parse_game;
///
/// let game = parse_game(Position::START, "f5d6c3d3c4")?;
/// assert_eq!(name_of(game.position().board), Some("Tiger"));
/// # Ok::<(), emilia_engine::text::TextError>(())
/// ```
pub fn name_of(board: Board) -> Option<&'static str> {
    let canonical = Canonical::of(board).filter(|canonical| !canonical.passed)?;
    table().get(&canonical.key()).copied()
}

/// The name of the opening that a game follows: of its positions the last that has one.
///
/// ```
/// use emilia_engine::board::Position;
/// use emilia_engine::book::names::name_of_line;
/// use emilia_engine::text::parse_game;
///
/// let game = parse_game(Position::START, "f5f6")?;
/// let boards: Vec<_> = game.positions().iter().map(|position| position.board).collect();
/// assert_eq!(name_of_line(boards), Some("Diagonal Opening"));
/// # Ok::<(), emilia_engine::text::TextError>(())
/// ```
pub fn name_of_line(
    positions: impl IntoIterator<Item = Board, IntoIter: DoubleEndedIterator>,
) -> Option<&'static str> {
    positions.into_iter().rev().find_map(name_of)
}

/// All names.
pub fn all() -> impl Iterator<Item = &'static str> {
    lines().map(|(_, name)| name)
}

fn table() -> &'static HashMap<BookKey, &'static str> {
    static NAMES: OnceLock<HashMap<BookKey, &'static str>> = OnceLock::new();
    NAMES.get_or_init(|| {
        lines()
            .filter_map(|(moves, name)| Some((last_key(moves)?, name)))
            .collect()
    })
}

/// The moves of each opening from the usual start, and its name.
pub fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
}

/// The key of the position after these moves.
fn last_key(moves: &str) -> Option<BookKey> {
    let game = parse_game(Position::START, moves).ok()?;
    Canonical::of(game.position().board).map(Canonical::key)
}

#[cfg(test)]
mod tests {
    use super::super::testing::played;
    use super::*;
    use crate::board::Symmetry;

    #[test]
    fn every_line_of_the_table_is_a_different_opening_with_an_english_name() {
        let french = "diagonale centrale tigre cheval campagnarde droite classique inhumaine bord";
        let mut keys = std::collections::HashSet::new();
        for (moves, name) in lines() {
            let key = last_key(moves).unwrap_or_else(|| panic!("{moves} is no opening"));
            assert!(keys.insert(key), "{moves} has two names, one is {name}");
            assert!(
                !name.is_empty() && name.is_ascii() && name.trim() == name,
                "{name:?}"
            );
            let words = name.to_lowercase();
            assert!(
                french
                    .split(' ')
                    .all(|word| words.split(' ').all(|part| part != word)),
                "{moves} {name}"
            );
        }
        assert!((80..=400).contains(&keys.len()), "{} names", keys.len());
        assert_eq!(
            TABLE.lines().filter(|line| !line.starts_with('#')).count(),
            keys.len()
        );
    }

    #[test]
    fn names_hold_in_every_image_and_over_transpositions() {
        let tiger = played("c4e3f6e6f5").position().board;
        assert!(Symmetry::all().all(|symmetry| name_of(symmetry.apply(tiger)) == Some("Tiger")));
        for (moves, name) in [
            ("f5d6c3d3c4", Some("Tiger")),
            ("f5d6c3d3c4g6", Some("Tiger")),
            ("f5d6c3", Some("Perpendicular Opening")),
            ("f5f6e6f4", Some("Diagonal Opening")),
            ("f5", None),
            ("", None),
        ] {
            let boards: Vec<Board> = played(moves)
                .positions()
                .iter()
                .map(|position| position.board)
                .collect();
            assert_eq!(name_of_line(boards), name, "{moves}");
        }
    }
}
