//! Legal moves by parallel prefix on plain words: the definition that the vector kernels must equal.

use crate::board::Lanes;
use crate::board::rays::{INNER, STEPS, lines};

/// See [`super::moves`].
pub fn moves(player: u64, opponent: u64) -> u64 {
    let inner = opponent & 0x7E7E_7E7E_7E7E_7E7E;
    let mut moves = 0;
    for (shift, mask) in [(1, inner), (7, inner), (8, opponent), (9, inner)] {
        let mut up = player << shift & mask;
        let mut down = player >> shift & mask;
        for _ in 0..5 {
            up |= up << shift & mask;
            down |= down >> shift & mask;
        }
        moves |= up << shift | down >> shift;
    }
    moves & !(player | opponent)
}

/// See [`super::moves_lanes`]. Compilers turn this into vectors of any width.
#[inline(always)]
pub fn moves_lanes(player: &Lanes, opponent: &Lanes) -> Lanes {
    std::array::from_fn(|lane| {
        let mut ends = 0;
        for (step, mask) in STEPS.into_iter().zip(INNER) {
            let (up, down) = lines(player[lane], opponent[lane] & mask, step);
            ends |= up << step | down >> step;
        }
        ends & !(player[lane] | opponent[lane])
    })
}
