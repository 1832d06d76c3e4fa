//! Legal moves by parallel prefix on plain words: the definition that the vector kernels must equal.

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
