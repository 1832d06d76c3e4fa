//! A thread's cache of static scores.
//!
//! About one evaluated position in four was evaluated not long before: by the search of another depth,
//! by ProbCut, or after the same moves in another order.

use crate::board::Key;
use crate::search::params::EVAL_CACHE_ENTRIES;

/// A fixed-size map from keys to static scores; a new score replaces the entry in its slot.
///
/// An entry is the upper 48 bits of a key above the score. The rest of the key contributes to the slot, so a false hit
/// needs some 63 equal bits: less than one in 10^18 look-ups.
pub(in crate::search) struct EvalCache(Box<[u64]>);

impl EvalCache {
    pub fn new() -> Self {
        Self(vec![0; EVAL_CACHE_ENTRIES].into())
    }

    /// The stored score of the position with this key, or that of `evaluate`.
    #[inline(always)]
    pub fn get(&mut self, key: Key, evaluate: impl FnOnce() -> i32) -> i32 {
        let entry = &mut self.0[key.slot(EVAL_CACHE_ENTRIES as u64) as usize];
        let tag = key.bits() & !0xFFFF;
        if *entry & !0xFFFF == tag {
            return i32::from(*entry as i16);
        }
        let score = evaluate();
        debug_assert!(i32::from(score as i16) == score);
        *entry = tag | u64::from(score as u16);
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::Rng;

    #[test]
    fn scores_belong_to_their_keys_and_are_remembered() {
        let mut rng = Rng::new(6);
        let mut cache = EvalCache::new();
        let mut asked = 0;
        let keys: Vec<u64> = (0..5_000).map(|_| rng.next()).collect();
        for &bits in keys.iter().chain(&keys) {
            let expected = (bits % 16_385) as i32 - 8_192;
            let score = cache.get(Key::from_bits(bits), || {
                asked += 1;
                expected
            });
            assert_eq!(score, expected);
        }
        assert!(
            (5_000..6_500).contains(&asked),
            "{asked} evaluations of 5000 positions met twice"
        );
    }
}
