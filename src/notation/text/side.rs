//! The side to move, as people write it: `X`, `black`, `White to move`, `turn: O`, `Black's turn`.

use super::signs::Signs;
use crate::board::Color;

/// The side that a word names.
pub fn color_of_word(word: &str) -> Option<Color> {
    let black = [
        "black", "blacks", "b", "x", "dark", "noir", "schwarz", "●", "黒", "黒番", "黑", "黑方",
    ];
    let white = [
        "white", "whites", "w", "o", "light", "blanc", "weiß", "weiss", "○", "白", "白番", "白方",
    ];
    let is = |name: &&str| word.eq_ignore_ascii_case(name);
    match () {
        () if black.iter().any(is) => Some(Color::Black),
        () if white.iter().any(is) => Some(Color::White),
        () => None,
    }
}

/// The side that a word names next to a board with these signs.
pub fn color_beside(word: &str, signs: Option<&Signs>) -> Option<Color> {
    let mut chars = word.chars();
    match (color_of_word(word), signs, chars.next(), chars.next()) {
        (Some(color), ..) => Some(color),
        (None, _, Some('*'), None) => Some(Color::Black),
        (None, Some(signs), Some(sign), None) => signs.color(sign),
        (None, Some(signs), Some('-'), Some('1')) if word.len() == 2 => {
            signs.color(super::signs::MINUS_ONE)
        }
        _ => None,
    }
}

/// The side to move in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    Nothing,
    Side(Color),
    Both,
}

impl Said {
    /// The side to move in two texts together.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, other) => other,
            (said, Self::Nothing) => said,
            (said, other) if said == other => said,
            _ => Self::Both,
        }
    }
}

/// The words of a text, plain and without signs around them; signs of discs are words.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| c.is_whitespace() || ",;:=|/()[]{}\"<>!.\u{200b}".contains(c);
    text.split(is_end)
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
}

/// The side to move in a plain text next to a board with these signs.
pub fn said(text: &str, signs: Option<&Signs>) -> Said {
    #[derive(PartialEq)]
    enum Word {
        Color(Color),
        /// `to move`, `turn`: the side to move precedes or follows it.
        Turn,
        /// `side`, `player`: a side follows, and nothing else.
        Player,
        Small,
        Other,
    }
    let mut list = Vec::new();
    for word in words(text) {
        let lower = word.to_ascii_lowercase();
        let bare = lower.strip_suffix("'s").unwrap_or(&lower);
        list.push(match bare {
            "move" | "play" if list.last() == Some(&Word::Small) => Word::Turn,
            "turn" | "next" | "to-move" | "to_move" | "tomove" | "stm" | "mover" => Word::Turn,
            "move" if matches!(list.last(), Some(Word::Color(_))) => Word::Turn,
            "moves" | "plays" => Word::Player,
            "player" | "side" | "color" | "colour" | "current" => Word::Player,
            "to" | "is" | "it" | "the" | "am" | "zug" => Word::Small,
            bare => color_beside(bare, signs).map_or(Word::Other, Word::Color),
        });
    }
    let is_said = |at: usize, color: Color| {
        let same = |word: &&Word| **word == Word::Color(color);
        let behind = list[at..]
            .iter()
            .skip_while(same)
            .find(|word| **word != Word::Small);
        let before = list[..at]
            .iter()
            .rev()
            .skip_while(same)
            .find(|word| **word != Word::Small);
        let is_alone = list
            .iter()
            .all(|word| matches!(word, Word::Player | Word::Turn | Word::Small) || same(&word));
        behind == Some(&Word::Turn) || before == Some(&Word::Turn) || is_alone
    };
    let sides = list.iter().enumerate().map(|(at, word)| match word {
        Word::Color(color) if is_said(at, *color) => Said::Side(*color),
        _ => Said::Nothing,
    });
    sides.fold(Said::Nothing, Said::and)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_told_in_many_ways() {
        let black = "X|x|*|B|b|black|Black to move|BLACK TO PLAY|X to move|* to move|●|turn: X|Turn = Black|\
                     Black's turn|black's move|It is Black's turn|to move: X|side to move: black|next: ●|(X)|\
                     Black (X) to move|\"X\"|Side: X|Player: black|current player: X|White played d6, Black to move|\
                     Move 3: X to move|Black moves|黒番|next X|Black to move.|[X]|stm = b";
        let white = "O|o|w|White|white to move|○|turn: O|O's turn|白番";
        let nothing = "|*: discs =  2    moves =  4|O: discs = 2|Black: 2 White: 2|empties = 60|Score 2-2|rubbish|\
                       last move: f5|Black: Ann";
        for (texts, want) in [
            (black, Said::Side(Color::Black)),
            (white, Said::Side(Color::White)),
            (nothing, Said::Nothing),
        ] {
            texts
                .split('|')
                .for_each(|text| assert_eq!(said(text, None), want, "{text}"));
        }
        assert_eq!(said("Black to move, White to move", None), Said::Both);
    }
}
