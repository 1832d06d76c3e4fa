//! Killer moves: squares that recently cut off after the same move of the opponent, or after the same own move.
//!
//! They order the last plies before a leaf, where scores of moves cost more than they save.

use super::node::MAX_PLY;
use crate::board::Square;

/// The code of a pass, and of no move.
const PASS: u8 = 64;

/// The last two squares that cut off, the newer one first.
type Pair = [u8; 2];

/// The killer moves of a thread, and the moves on its path.
pub(in crate::search) struct Killers {
    /// The move at each ply of the path.
    played: [u8; MAX_PLY],
    /// By parity of the ply and the opponent's last move.
    replies: [[Pair; 65]; 2],
    /// By parity of the ply and the side's own last move.
    follow_ups: [[Pair; 65]; 2],
}

impl Killers {
    pub const fn new() -> Self {
        let unknown = [[[PASS; 2]; 65]; 2];
        Self {
            played: [PASS; MAX_PLY],
            replies: unknown,
            follow_ups: unknown,
        }
    }

    /// The search plays `square` at `ply`; `None` is a pass.
    #[inline(always)]
    pub fn play(&mut self, ply: usize, square: Option<Square>) {
        self.played[ply] = square.map_or(PASS, |square| square.index() as u8);
    }

    /// The opponent's last move and the own move before it.
    #[inline(always)]
    pub fn moves_before(&self, ply: usize) -> [usize; 2] {
        [1, 2].map(|back| {
            ply.checked_sub(back)
                .map_or(PASS, |ply| self.played[ply])
                .into()
        })
    }

    /// The thread begins at `ply`, which these moves led to.
    pub fn enter(&mut self, ply: usize, [reply, own]: [usize; 2]) {
        for (back, code) in [(1, reply), (2, own)] {
            if let Some(ply) = ply.checked_sub(back) {
                self.played[ply] = code as u8;
            }
        }
    }

    /// Codes of squares to try first at `ply`, best first; each may be illegal or occur twice.
    #[inline(always)]
    pub fn at(&self, ply: usize) -> [u8; 4] {
        let [reply, own] = self.moves_before(ply);
        let reply = self.replies[ply % 2][reply];
        let own = self.follow_ups[ply % 2][own];
        [reply[0], own[0], reply[1], own[1]]
    }

    /// Remembers that `square` cut off at `ply`.
    #[inline(always)]
    pub fn cut(&mut self, ply: usize, square: Square) {
        let [reply, own] = self.moves_before(ply);
        let code = square.index() as u8;
        for pair in [
            &mut self.replies[ply % 2][reply],
            &mut self.follow_ups[ply % 2][own],
        ] {
            if pair[0] != code {
                *pair = [code, pair[0]];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_tried_again_after_the_same_move() {
        let square = |index: u8| Square::lowest(1 << index);
        let mut killers = Killers::new();
        killers.play(0, Some(square(19)));
        killers.play(1, None);
        killers.cut(2, square(5));
        killers.cut(2, square(7));
        killers.cut(2, square(7));
        assert_eq!(killers.at(2), [7, 7, 5, 5]);
        // Another move of the opponent: only the own move is the same.
        killers.play(1, Some(square(20)));
        assert_eq!(killers.at(2), [PASS, 7, PASS, 5]);
        // The other side's table.
        assert_eq!(killers.at(1), [PASS; 4]);
        // The root has no move before it, which counts as a pass.
        assert_eq!(killers.at(0), [7, PASS, 5, PASS]);
    }
}
