//! The hash from tables, eight squares at a time: any CPU.

/// Key of a disc of the side to move on a1; on square `i` it is rotated left by `i`.
pub(crate) const PLAYER_A1: u64 = 0xD6E8_FEB8_6659_FD93;
/// Key of a disc of the other side on a1; on square `i` it is rotated left by `i`.
pub(crate) const OPPONENT_A1: u64 = 0xA0F2_EC75_A1FE_1575;

/// XOR of the keys of a byte of discs, per rank: 32 KiB for both colors.
static RANKS: [[[u64; 256]; 8]; 2] = [rank_sums(PLAYER_A1), rank_sums(OPPONENT_A1)];

const fn rank_sums(key_a1: u64) -> [[u64; 256]; 8] {
    let mut sums = [[0; 256]; 8];
    let mut rank = 0;
    while rank < 8 {
        let mut discs = 1usize;
        while discs < 256 {
            // Add the lowest disc to the sum of the others, which is known already.
            let square = rank as u32 * 8 + discs.trailing_zeros();
            sums[rank][discs] = sums[rank][discs & (discs - 1)] ^ key_a1.rotate_left(square);
            discs += 1;
        }
        rank += 1;
    }
    sums
}

/// See [`super::Board::hash`].
pub fn hash(player: u64, opponent: u64) -> u64 {
    let mut sum = 0;
    for (table, discs) in RANKS.iter().zip([player, opponent]) {
        for (rank, &byte) in discs.to_le_bytes().iter().enumerate() {
            sum ^= table[rank][byte as usize];
        }
    }
    sum
}
