//! The solver's own cache: 16-byte entries that hold the whole position, so a false hit cannot happen.
//!
//! A position is its `player` word and its `empties` word. Multiplication of `empties` by an odd number only renames it
//! (odd numbers are invertible modulo 2^64), so an entry can hold the product. The top bits of the product, mixed with a
//! hash of `player`, choose the slot; slot and `player` determine these bits, so they are not stored. The free bits hold
//! the two bounds and, in large caches, a count of clears: entries of an earlier count are void, so that a clear costs
//! nothing until the count overflows. Published solvers store both boards in 18 to 24 bytes.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::board::Board;
use crate::util::memory::{ZeroedWords, prefetch};

/// Bits of an entry that hold the two bounds.
const BOUND_BITS: u32 = 14;
/// Odd multipliers with well-mixed high bits (golden ratio and its like).
const EMPTIES_FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const PLAYER_FACTOR: u64 = 0xD6E8_FEB8_6659_FD93;

/// Proven bounds of the mover's final disc count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) lower: i32,
    pub(super) upper: i32,
}

/// A position's slot in a cache of one size, and its tag there.
#[derive(Clone, Copy)]
pub(super) struct CacheSlot {
    index: usize,
    tag: u64,
    player: u64,
}

/// A fixed-size map from positions to [`Bounds`]; a new position replaces the entry in its slot.
///
/// Two words per entry: `player`, then the low part of the renamed empties above `upper` and `lower`.
/// The all-zero entry states that a mover without discs ends without discs: true for every position that it could match.
pub(super) struct Cache {
    words: ZeroedWords,
    /// Bits of the slot number, at least [`BOUND_BITS`].
    bits: u32,
    /// Clears since the memory was last zero, where tags have bits to spare: at their top.
    stamp: u64,
}

impl Cache {
    /// An empty cache of `2^size` entries of 16 bytes, or fewer if there is not that much memory.
    ///
    /// Below 2^14 entries some slots do not exist; their positions are never stored.
    pub(super) fn new(size: u32) -> Self {
        let size = size.min(30);
        let sizes = (0..=size).rev();
        let (words, size) = sizes
            .filter_map(|size| Some((ZeroedWords::new(2 << size)?, size)))
            .next()
            .expect("there is memory for one entry");
        Self {
            words,
            bits: size.max(BOUND_BITS),
            stamp: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        let spare = self.bits - BOUND_BITS;
        self.stamp = 1u64
            .checked_shl(64 - spare)
            .map_or(0, |one| self.stamp.wrapping_add(one));
        if self.stamp == 0 {
            self.words.clear();
        }
    }

    #[inline(always)]
    pub(super) fn slot(&self, board: Board) -> CacheSlot {
        let renamed = board.empties().wrapping_mul(EMPTIES_FACTOR);
        let index = (renamed ^ board.player.wrapping_mul(PLAYER_FACTOR)) >> (64 - self.bits);
        // The index bits leave at the top; the bounds enter below.
        let tag = renamed << self.bits >> (self.bits - BOUND_BITS) | self.stamp;
        CacheSlot {
            index: 2 * index as usize,
            tag,
            player: board.player,
        }
    }

    /// Fetches the slot into the fast caches of the processor.
    #[inline(always)]
    pub(super) fn prefetch(&self, slot: CacheSlot) {
        if let Some(word) = self.words.get(slot.index) {
            prefetch(word);
        }
    }

    /// The two words of an entry.
    #[inline(always)]
    fn entry(&self, slot: CacheSlot) -> Option<(&AtomicU64, &AtomicU64)> {
        match self.words.get(slot.index..slot.index + 2)? {
            [player, rest] => Some((player, rest)),
            _ => None,
        }
    }

    /// The stored bounds of the position of `slot`.
    #[inline(always)]
    pub(super) fn probe(&self, slot: CacheSlot) -> Option<Bounds> {
        let (stored, rest) = self.entry(slot)?;
        let rest = rest.load(Relaxed);
        if stored.load(Relaxed) != slot.player || (rest ^ slot.tag) >> BOUND_BITS != 0 {
            return None;
        }
        Some(Bounds {
            lower: (rest & 127) as i32,
            upper: (rest >> 7 & 127) as i32,
        })
    }

    /// Stores the bounds of the position, intersected with the stored ones.
    #[inline(always)]
    pub(super) fn store(&mut self, slot: CacheSlot, mut bounds: Bounds) {
        if let Some(known) = self.probe(slot) {
            bounds.lower = bounds.lower.max(known.lower);
            bounds.upper = bounds.upper.min(known.upper);
        }
        debug_assert!(0 <= bounds.lower && bounds.lower <= bounds.upper && bounds.upper <= 64);
        if let Some((stored, rest)) = self.entry(slot) {
            stored.store(slot.player, Relaxed);
            rest.store(
                slot.tag | (bounds.upper as u64) << 7 | bounds.lower as u64,
                Relaxed,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::Rng;

    #[test]
    fn no_position_is_taken_for_another() {
        let mut rng = Rng::new(21);
        let mut cache = Cache::new(0);
        assert_eq!(cache.bits, BOUND_BITS);
        // Positions of the one slot there is, which differ from each other in a bit or two.
        let mut kept: Vec<(u64, u64)> = Vec::new();
        while kept.len() < 200 {
            let player = rng.next() & rng.next();
            let opponent = rng.next() & !player;
            let mut variants = vec![(player, opponent)];
            variants
                .extend((0..64).map(|square| (player & !(1 << square), opponent & !(1 << square))));
            kept.extend(variants.into_iter().filter(|&(p, o)| {
                cache
                    .slot(Board {
                        player: p,
                        opponent: o,
                    })
                    .index
                    == 0
            }));
        }
        kept.sort_unstable();
        kept.dedup();
        assert!(kept.len() > 100);
        for &(player, opponent) in &kept {
            let bounds = Bounds {
                lower: rng.below(30) as i32,
                upper: 30 + rng.below(35) as i32,
            };
            let slot = cache.slot(Board { player, opponent });
            assert_eq!(cache.probe(slot), None);
            cache.store(slot, bounds);
            assert_eq!(cache.probe(slot), Some(bounds));
            for &(p, o) in kept.iter().filter(|&&other| other != (player, opponent)) {
                assert_eq!(
                    cache.probe(cache.slot(Board {
                        player: p,
                        opponent: o
                    })),
                    None
                );
            }
        }
    }

    #[test]
    fn bounds_of_one_position_are_joined() {
        let mut cache = Cache::new(14);
        let slot = cache.slot(Board {
            player: 3,
            opponent: 12,
        });
        cache.store(
            slot,
            Bounds {
                lower: 10,
                upper: 64,
            },
        );
        cache.store(
            slot,
            Bounds {
                lower: 0,
                upper: 20,
            },
        );
        assert_eq!(
            cache.probe(slot),
            Some(Bounds {
                lower: 10,
                upper: 20
            })
        );
    }

    #[test]
    fn a_cleared_cache_knows_nothing_however_often_it_is_cleared() {
        // Zero, one and two bits for the count of clears.
        for size in [0, 14, 15, 16] {
            let mut cache = Cache::new(size);
            let mut rng = Rng::new(22);
            for _ in 0..20 {
                let boards: Vec<(u64, u64)> = (0..500)
                    .map(|_| (rng.next(), rng.next()))
                    .map(|(p, o)| (p, o & !p))
                    .collect();
                for &(player, opponent) in &boards {
                    cache.store(
                        cache.slot(Board { player, opponent }),
                        Bounds { lower: 1, upper: 2 },
                    );
                }
                cache.clear();
                for &(player, opponent) in &boards {
                    assert_eq!(cache.probe(cache.slot(Board { player, opponent })), None);
                }
            }
        }
    }
}
