//! Rays: the squares a straight line from a square passes, in the eight directions.

/// The rays of one square, in the order of a vector register: towards h, 8, a8 and h8 (step +1,
/// +8, +7, +9), then their opposites (-1, -8, -7, -9). The square itself belongs to none.
#[cfg(any(test, not(kernel = "scalar")))]
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Rays(pub [u64; 8]);

/// The rays of each square: 4 KiB, one cache line a square.
#[cfg(any(test, not(kernel = "scalar")))]
pub(crate) static RAYS: [Rays; 64] = all_rays();

#[cfg(any(test, not(kernel = "scalar")))]
const fn all_rays() -> [Rays; 64] {
    let directions: [(i8, i8); 8] = [(1, 0), (0, 1), (-1, 1), (1, 1), (-1, 0), (0, -1), (1, -1), (-1, -1)];
    let mut rows = [Rays([0; 8]); 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (df, dr) = directions[direction];
            let (mut file, mut rank) = (square as i8 % 8 + df, square as i8 / 8 + dr);
            while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                rows[square].0[direction] |= 1 << (8 * rank + file);
                (file, rank) = (file + df, rank + dr);
            }
            direction += 1;
        }
        square += 1;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of the four rays towards higher squares; the other four are their opposites.
    const STEPS: [u32; 4] = [1, 8, 7, 9];

    #[test]
    fn rays_lead_one_way_by_their_step() {
        for (square, rays) in RAYS.iter().enumerate() {
            for (direction, step) in STEPS.into_iter().enumerate() {
                let (up, down) = (rays.0[direction], rays.0[direction + 4]);
                assert!(up == 0 || up.trailing_zeros() == square as u32 + step);
                assert!(down == 0 || 63 - down.leading_zeros() == square as u32 - step);
                assert!(up >> square & 1 == 0 && down & !((1 << square) - 1) == 0);
            }
        }
        let lengths = |square: usize| RAYS[square].0.map(u64::count_ones);
        assert_eq!(lengths(0), [7, 7, 0, 7, 0, 0, 0, 0]);
        assert_eq!(lengths(27), [4, 4, 3, 4, 3, 3, 3, 3]);
        assert_eq!(lengths(63), [0, 0, 0, 0, 7, 7, 0, 7]);
    }
}
