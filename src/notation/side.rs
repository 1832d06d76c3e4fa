//! The side to move, as people write it.

use crate::board::Color;

/// The side that a whole word names.
pub(super) fn color_of_word(word: &str) -> Option<Color> {
    let black = ["black", "blacks", "b", "x", "dark", "●"];
    let white = ["white", "whites", "w", "o", "light", "○"];
    let is = |name: &&str| word.eq_ignore_ascii_case(name);
    match () {
        () if black.iter().any(|name| is(&name)) => Some(Color::Black),
        () if white.iter().any(|name| is(&name)) => Some(Color::White),
        () => None,
    }
}
