//! Drawn boards: the picture of a position, and positions from pictures in code.
//!
//! Text from outside is read by `notation`; this is for literals and failure messages.

use std::fmt;

use super::{Board, Color, Position, Square};

impl Board {
    /// The board of a picture, row 1 first: `X` or `*` a disc of the side to move, `O` one of the
    /// other side, `-` or `.` an empty square; spaces do not count.
    ///
    /// # Panics
    /// When the picture has another character, or not eight rows of eight: it is for literals.
    ///
    /// ```
    /// use emilia_engine::board::Board;
    /// let start = Board::drawn([
    ///     "- - - - - - - -",
    ///     "- - - - - - - -",
    ///     "- - - - - - - -",
    ///     "- - - O X - - -",
    ///     "- - - X O - - -",
    ///     "- - - - - - - -",
    ///     "- - - - - - - -",
    ///     "- - - - - - - -",
    /// ]);
    /// assert_eq!(start, Board::START);
    /// ```
    pub const fn drawn(rows: [&str; 8]) -> Self {
        let mut board = Self {
            player: 0,
            opponent: 0,
        };
        let mut rank = 0;
        while rank < 8 {
            let text = rows[rank].as_bytes();
            let mut at = 0;
            let mut file = 0;
            while at < text.len() {
                assert!(
                    file < 8 || text[at] == b' ',
                    "a row of a drawn board has eight squares"
                );
                match text[at] {
                    b'X' | b'*' => board.player |= 1 << (8 * rank + file),
                    b'O' => board.opponent |= 1 << (8 * rank + file),
                    b'-' | b'.' | b' ' => {}
                    _ => panic!("a drawn board is made of X * O - . and spaces"),
                }
                file += (text[at] != b' ') as usize;
                at += 1;
            }
            assert!(file == 8, "a row of a drawn board has eight squares");
            rank += 1;
        }
        board
    }
}

impl fmt::Display for Board {
    /// Ten lines: the side to move is `X`, the other `O`; the last line counts the discs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        draw(f, self.player, self.opponent)?;
        write!(
            f,
            "X to move, {} X, {} O",
            self.player.count_ones(),
            self.opponent.count_ones()
        )
    }
}

impl fmt::Display for Position {
    /// Ten lines: Black is `X`, White `O`; the last line names the side to move.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let black = self.discs(Color::Black);
        let white = self.discs(Color::White);
        draw(f, black, white)?;
        write!(
            f,
            "{} to move, {} X, {} O",
            self.side,
            black.count_ones(),
            white.count_ones()
        )
    }
}

fn draw(f: &mut fmt::Formatter<'_>, crosses: u64, noughts: u64) -> fmt::Result {
    let mark = |square: Square| match (crosses & square.bit() != 0, noughts & square.bit() != 0) {
        (true, false) => 'X',
        (false, true) => 'O',
        (false, false) => '-',
        (true, true) => '?',
    };
    writeln!(f, "  {FILES}")?;
    (0..8).try_for_each(|rank| writeln!(f, "{} {}", rank + 1, row(rank, mark)))
}

/// The letters over a drawn board.
pub const FILES: &str = "a b c d e f g h";

/// The drawn squares of a rank, `0..8`: a mark each, blanks between.
pub fn row(rank: u8, mark: impl Fn(Square) -> char) -> String {
    let mut text = String::with_capacity(15);
    for file in 0..8 {
        text.extend((file > 0).then_some(' '));
        text.push(mark(Square::at(file, rank)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::Rng;

    #[test]
    fn pictures_read_back() {
        let mut rng = Rng::new(1);
        for _ in 0..100 {
            let a = rng.next();
            let b = rng.next();
            let board = Board {
                player: a & !b,
                opponent: b & !a,
            };
            let picture = board.to_string();
            let rows: Vec<&str> = picture
                .lines()
                .skip(1)
                .take(8)
                .map(|line| &line[1..])
                .collect();
            assert_eq!(Board::drawn(rows.try_into().unwrap()), board, "\n{board}");
        }
    }

    #[test]
    fn a_position_is_drawn_by_color() {
        let white_to_move = Position::START.pass();
        assert_eq!(
            white_to_move.to_string(),
            "  a b c d e f g h\n1 - - - - - - - -\n2 - - - - - - - -\n3 - - - - - - - -\n\
             4 - - - O X - - -\n5 - - - X O - - -\n6 - - - - - - - -\n7 - - - - - - - -\n\
             8 - - - - - - - -\nwhite to move, 2 X, 2 O"
        );
    }

    #[test]
    #[should_panic(expected = "eight squares")]
    fn a_short_row_is_refused() {
        Board::drawn(["-------", "", "", "", "", "", "", ""]);
    }
}
