//! Flips by plain shifts: the definition that the vector kernels must equal.

/// Column masks that stop a shift from wrapping round the board's edge, with the shift they guard.
const RAYS: [(u32, u64); 4] = [
    (1, 0x7E7E_7E7E_7E7E_7E7E),
    (7, 0x7E7E_7E7E_7E7E_7E7E),
    (8, 0xFFFF_FFFF_FFFF_FFFF),
    (9, 0x7E7E_7E7E_7E7E_7E7E),
];

/// See [`super::flip`].
pub fn flip(square: u8, player: u64, opponent: u64) -> u64 {
    let mut flipped = 0;
    for (shift, mask) in RAYS {
        let inner = opponent & mask;
        let mut up = (1u64 << square) << shift & inner;
        let mut down = (1u64 << square) >> shift & inner;
        for _ in 0..5 {
            up |= up << shift & inner;
            down |= down >> shift & inner;
        }
        if up << shift & player != 0 {
            flipped |= up;
        }
        if down >> shift & player != 0 {
            flipped |= down;
        }
    }
    flipped
}
