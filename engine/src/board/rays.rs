//! Rays: the squares a straight line from a square passes, in the eight directions.

/// The rays of one square, in the order of a vector register: towards h, 8, a8 and h8 (step +1,
/// +8, +7, +9), then their opposites (-1, -8, -7, -9). The square itself is not part of them.
#[cfg(any(test, not(kernel = "scalar")))]
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Rays(pub [u64; 8]);

/// The rays of each square: 4 KiB, one cache line a square.
#[cfg(any(test, not(kernel = "scalar")))]
pub(crate) static RAYS: [Rays; 64] = all_rays();

#[cfg(any(test, not(kernel = "scalar")))]
const fn all_rays() -> [Rays; 64] {
    let directions: [(i8, i8); 8] = [
        (1, 0),
        (0, 1),
        (-1, 1),
        (1, 1),
        (-1, 0),
        (0, -1),
        (1, -1),
        (-1, -1),
    ];
    let mut rows = [Rays([0; 8]); 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (df, dr) = directions[direction];
            let mut file = square as i8 % 8 + df;
            let mut rank = square as i8 / 8 + dr;
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
