//! Stable discs with NEON: one lane per direction of lines, in two registers.

use std::arch::aarch64::*;

use super::edge::{ROUNDS, stable_border};
use crate::board::SquareSet;
use crate::board::bitboard::BORDER;
use crate::board::rays::RAYS;

/// Steps of the directions, towards higher squares.
const STEPS: [[i64; 2]; 2] = [[1, 8], [7, 9]];

/// See [`super::stable_discs_at_end`].
#[inline(always)]
pub fn stable_discs_at_end(player: u64, opponent: u64) -> u64 {
    let border = stable_border(player, opponent);
    // SAFETY: squares are below 64, a row of rays is four registers long, and this file is compiled only for a
    // target with NEON.
    unsafe {
        // The lines of each direction that an empty square keeps open.
        let mut open = [vdupq_n_u64(0); 2];
        for square in SquareSet(!(player | opponent)) {
            let rays = RAYS.as_ptr().add(square.index()).cast::<u64>();
            for (half, open) in open.iter_mut().enumerate() {
                let line = vorrq_u64(
                    vld1q_u64(rays.add(2 * half)),
                    vld1q_u64(rays.add(2 * half + 4)),
                );
                *open = vorrq_u64(*open, line);
            }
        }
        let inner = vdupq_n_u64(player & !BORDER);
        let mut stable = vdupq_n_u64(border);
        for _ in 0..ROUNDS {
            let [first, second] = [0, 1].map(|half| {
                let steps = vld1q_s64(STEPS[half].as_ptr());
                let beside = vorrq_u64(
                    vshlq_u64(stable, steps),
                    vshlq_u64(stable, vnegq_s64(steps)),
                );
                vornq_u64(beside, open[half])
            });
            let safe = vandq_u64(first, second);
            let safe = vandq_u64(safe, vextq_u64::<1>(safe, safe));
            stable = vorrq_u64(stable, vandq_u64(inner, safe));
        }
        vgetq_lane_u64::<0>(stable)
    }
}
