//! A small seeded random number generator.

/// SplitMix64: 64 bits of state, passes BigCrush, the same stream on every platform.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 uniform bits.
    #[allow(
        clippy::should_implement_trait,
        reason = "it never ends, so it has no `None`"
    )]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A uniform number in `0..bound`; `bound` must be positive.
    pub fn below(&mut self, bound: u32) -> u32 {
        debug_assert!(bound > 0);
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u32
    }

    /// Shuffles by Fisher and Yates.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }

    /// A uniform number in `0.0..1.0`.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
