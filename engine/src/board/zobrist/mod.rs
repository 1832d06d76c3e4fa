//! Zobrist keys: the hash of a position is the XOR of one key per disc.
//!
//! The keys of one color are the 64 rotations of one constant. The XOR of such keys is a
//! carry-less product folded in half, so a hash costs two multiplications however many discs there
//! are, where the CPU has them; elsewhere the same value comes from tables. Any fixed hash that is
//! linear over GF(2) is a Zobrist hash in this way (CRC32C, as Edax-AVX uses it, is another).
//!
//! Sources: Zobrist, "A new hashing method with application for game playing" (1970);
//! Lemire and Kaser, "Faster 64-bit universal hashing using carry-less multiplications" (2016).

use super::Board;
use super::level::{Level, at_level};

#[cfg(any(
    kernel = "dispatch",
    all(
        target_arch = "x86_64",
        target_feature = "pclmulqdq",
        target_feature = "sse4.1"
    )
))]
mod clmul;
#[cfg(all(target_arch = "aarch64", target_feature = "aes"))]
mod pmull;
#[allow(
    dead_code,
    reason = "the definition: only portable builds and tests use all of it"
)]
mod scalar;

/// A 64-bit hash of a position seen from the side to move.
///
/// The same on every build. All bits are equally good, but close positions have related keys: for
/// the slot of a table use [`Key::slot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Key(u64);

impl Key {
    /// The key with these bits.
    #[inline(always)]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// All 64 bits.
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The slot of the key in a table of `slots` entries, `0..slots`.
    ///
    /// Takes the high half of a product, after one that spreads the differences of related keys,
    /// so `slots` need not be a power of two. The low bits of the key remain good for a check.
    #[inline(always)]
    pub const fn slot(self, slots: u64) -> u64 {
        let spread = self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((spread as u128 * slots as u128) >> 64) as u64
    }
}

impl Board {
    /// The Zobrist hash of the position.
    #[inline(always)]
    pub fn hash(self) -> Key {
        Key(hash(self.player, self.opponent))
    }
}

#[inline(always)]
fn hash(player: u64, opponent: u64) -> u64 {
    at_level!(level => hash_at(level, player, opponent))
}

/// [`hash`] at a level.
#[inline(always)]
fn hash_at<L: Level>(_: L, player: u64, opponent: u64) -> u64 {
    #[cfg(kernel = "dispatch")]
    if L::AVX2 {
        return clmul::hash(player, opponent);
    }
    cfg_select! {
        all(target_arch = "x86_64", target_feature = "pclmulqdq", target_feature = "sse4.1") => {
            clmul::hash(player, opponent)
        }
        all(target_arch = "aarch64", target_feature = "aes") => pmull::hash(player, opponent),
        _ => scalar::hash(player, opponent),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::scalar::{OPPONENT_A1, PLAYER_A1};
    use super::*;
    use crate::board::level::every_level;
    use crate::board::testing::{game_boards, samples};
    use crate::board::{Square, SquareSet};

    /// The definition: one key per disc.
    fn disc_by_disc(board: Board) -> Key {
        let sum = |discs, key| {
            SquareSet(discs)
                .iter()
                .fold(0, |sum, at| sum ^ disc_key(key, at))
        };
        Key(sum(board.player, PLAYER_A1) ^ sum(board.opponent, OPPONENT_A1))
    }

    /// The key of a disc, combined by XOR.
    fn disc_key(key_a1: u64, at: Square) -> u64 {
        key_a1.rotate_left(at.index() as u32)
    }

    #[test]
    fn every_way_to_the_key_agrees_along_random_games() {
        for board in game_boards(64, samples(2_000) as usize) {
            let expected = disc_by_disc(board);
            assert_eq!(board.hash(), expected, "{board}");
            every_level!(level => assert_eq!(hash_at(level, board.player, board.opponent), expected.bits(), "{board}"));
            assert_eq!(
                scalar::hash(board.player, board.opponent),
                expected.bits(),
                "{board}"
            );
        }
    }

    #[test]
    fn key_of_the_start_is_the_same_on_every_build() {
        assert_eq!(Board::START.hash().bits(), 0x0644_D4B6_2800_2A11);
        assert_eq!(
            Board {
                player: 0,
                opponent: 0
            }
            .hash(),
            Key::default()
        );
    }

    #[test]
    fn no_six_discs_cancel() {
        // Two positions with one key differ in at least seven (square, color) pairs: were it six
        // or fewer, two different sums of at most three keys would be equal.
        let keys: Vec<u64> = Square::all()
            .flat_map(|square| [PLAYER_A1, OPPONENT_A1].map(|key| disc_key(key, square)))
            .collect();
        let mut sums = vec![0];
        for (i, a) in keys.iter().enumerate() {
            sums.push(*a);
            for (j, b) in keys.iter().enumerate().take(i) {
                sums.push(a ^ b);
                sums.extend(keys.iter().take(j).map(|c| a ^ b ^ c));
            }
        }
        let count = sums.len();
        assert_eq!(count, 1 + 128 + 128 * 127 / 2 + 128 * 127 * 126 / 6);
        sums.sort_unstable();
        sums.dedup();
        assert_eq!(sums.len(), count);
    }

    #[test]
    fn slots_of_a_real_tree_are_spread_like_random_ones() {
        let mut boards = HashMap::new();
        collect(Board::START, 8, &mut boards);
        let slots = 1 << 16;
        let mut used = vec![0u32; slots];
        for key in boards.values() {
            used[key.slot(slots as u64) as usize] += 1;
        }
        let distinct: std::collections::HashSet<_> = boards.values().collect();
        assert_eq!(distinct.len(), boards.len());
        let load = boards.len() as f64 / slots as f64;
        let empty = used.iter().filter(|&&n| n == 0).count() as f64 / slots as f64;
        // Poisson: a share e^-load of the slots stays empty; the standard deviation is below 0.2 %.
        assert!(
            (empty - (-load).exp()).abs() < 0.006,
            "empty {empty}, load {load}"
        );
    }

    fn collect(board: Board, depth: u32, into: &mut HashMap<Board, Key>) {
        if into.insert(board, board.hash()).is_some() || depth == 0 {
            return;
        }
        for square in board.moves() {
            collect(board.after(square, board.flip(square)), depth - 1, into);
        }
    }
}
