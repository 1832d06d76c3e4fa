//! Liberties and edge indices, the two incremental tables of a 1990s Java applet.
//!
//! Source: "Speed Tuning the Applet", an Othello programmer's page of the 1990s.
//! Bitboards compute the same measures faster, so the incremental tables stand here for tests only: they
//! define the measures, and incremental and recomputed values must agree.

#[cfg(test)]
use crate::board::bitboard::neighbours;
#[cfg(test)]
use crate::board::{Color, Square, squares};

#[cfg(test)]
/// Empty neighbours of every square of the board, `0..=8` each, updated as discs are placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Liberties([u8; 64]);

#[cfg(test)]
impl Liberties {
    /// The applet's table of initial values: the four centre discs of the usual start are placed.
    pub const START: Self = Self([
        3, 5, 5, 5, 5, 5, 5, 3, //
        5, 8, 8, 8, 8, 8, 8, 5, //
        5, 8, 7, 6, 6, 7, 8, 5, //
        5, 8, 6, 5, 5, 6, 8, 5, //
        5, 8, 6, 5, 5, 6, 8, 5, //
        5, 8, 7, 6, 6, 7, 8, 5, //
        5, 8, 8, 8, 8, 8, 8, 5, //
        3, 5, 5, 5, 5, 5, 5, 3, //
    ]);

    /// Recomputed from the empty squares.
    pub fn of(empties: u64) -> Self {
        Self(std::array::from_fn(|index| (neighbours(1 << index) & empties).count_ones() as u8))
    }

    /// Empty neighbours of `square`.
    pub fn get(&self, square: Square) -> u8 {
        self.0[square.index()]
    }

    /// A disc has been placed on `square`. Flipped discs change nothing.
    ///
    /// The applet's printed loop also writes outside the board; here only real neighbours count.
    pub fn place(&mut self, square: Square) {
        for neighbour in squares(neighbours(square.bit())) {
            self.0[neighbour.index()] -= 1;
        }
    }

    /// Liberties of all `discs` together.
    pub fn sum(&self, discs: u64) -> u32 {
        squares(discs).map(|square| u32::from(self.get(square))).sum()
    }
}

/// An edge as a ternary number, `0..6561`: empty 0, white 1, black 2, the first square counts 3^7.
///
/// `black` and `white` hold the edge's squares, bit 0 the first one. The source's example, white on
/// the second and black on the third square, is 1·729 + 2·243 = 1215.
pub fn edge_index(black: u8, white: u8) -> u16 {
    debug_assert!(black & white == 0);
    (0..8).fold(0, |index, bit| index * 3 + 2 * u16::from(black >> bit & 1) + u16::from(white >> bit & 1))
}

/// The ternary indices of the four edges (top, bottom, left, right), updated disc by disc.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeIndices([u16; 4]);

impl EdgeIndices {
    /// Recomputed from a position.
    pub fn of(black: u64, white: u64) -> Self {
        Self(std::array::from_fn(|edge| {
            let line = |discs: u64| {
                (0..8).fold(0, |byte, i| byte | ((discs >> edge_square(edge, i) & 1) as u8) << i)
            };
            edge_index(line(black), line(white))
        }))
    }

    /// Index of edge 0 (row 1), 1 (row 8), 2 (column a) or 3 (column h).
    pub fn get(&self, edge: usize) -> u16 {
        self.0[edge]
    }
}

#[cfg(test)]
impl EdgeIndices {
    /// A disc of `color` has been placed on the empty `square`.
    pub fn place(&mut self, square: Square, color: Color) {
        self.add(square, if color == Color::Black { 2 } else { 1 });
    }

    /// The disc on `square` has been turned to `color`.
    pub fn turn(&mut self, square: Square, color: Color) {
        self.add(square, if color == Color::Black { 1 } else { -1 });
    }

    fn add(&mut self, square: Square, step: i16) {
        for (edge, index) in self.0.iter_mut().enumerate() {
            for i in (0..8).filter(|&i| edge_square(edge, i) == square.index()) {
                *index = index.wrapping_add_signed(step * 3i16.pow(7 - i as u32));
            }
        }
    }
}

/// The `i`th square of an edge, from a1 or towards h8.
fn edge_square(edge: usize, i: usize) -> usize {
    match edge {
        0 => i,
        1 => 56 + i,
        2 => 8 * i,
        _ => 8 * i + 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Position};
    use crate::eval::classic::potential_mobility;
    use crate::util::rng::Rng;

    /// Plays a random game, calling `see` with the position, the square played and its flips.
    fn random_game(rng: &mut Rng, mut see: impl FnMut(&Position, Square, u64)) {
        let mut at = Position::START;
        while !at.board.is_over() {
            let moves: Vec<_> = squares(at.board.moves()).collect();
            if moves.is_empty() {
                at = Position { board: at.board.pass(), side: at.side.other() };
                continue;
            }
            let square = moves[rng.below(moves.len() as u32) as usize];
            let flipped = at.board.flip(square);
            see(&at, square, flipped);
            at = Position { board: at.board.after(square, flipped), side: at.side.other() };
        }
    }

    #[test]
    fn the_initial_table_is_the_start_position_recomputed() {
        assert_eq!(Liberties::START, Liberties::of(Board::START.empties()));
    }

    #[test]
    fn incremental_liberties_and_edges_equal_recomputed_ones() {
        let mut rng = Rng::new(7);
        for _ in 0..50 {
            let mut liberties = Liberties::START;
            let mut edges = EdgeIndices::default();
            random_game(&mut rng, |at, square, flipped| {
                liberties.place(square);
                edges.place(square, at.side);
                squares(flipped).for_each(|disc| edges.turn(disc, at.side));
                let next = at.board.after(square, flipped);
                let position = Position { board: next, side: at.side.other() };
                assert_eq!(liberties, Liberties::of(next.empties()));
                let discs = |color| position.discs(color);
                assert_eq!(edges, EdgeIndices::of(discs(Color::Black), discs(Color::White)));
            });
        }
    }

    #[test]
    fn potential_mobility_is_the_sum_of_inner_liberties() {
        random_game(&mut Rng::new(8), |at, _, _| {
            let inner = at.board.opponent & 0x007e_7e7e_7e7e_7e00;
            let liberties = Liberties::of(at.board.empties());
            assert_eq!(potential_mobility(at.board.opponent, at.board.empties()), liberties.sum(inner));
        });
    }

    #[test]
    fn the_sources_edge_has_index_1215() {
        assert_eq!(edge_index(0b100, 0b010), 1215);
        assert_eq!(edge_index(0xff, 0), 6560);
        // White b1, black c1: the top edge of a whole board.
        assert_eq!(EdgeIndices::of(0b100, 0b010).get(0), 1215);
    }
}
