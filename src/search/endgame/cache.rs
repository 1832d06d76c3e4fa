//! The solver's own cache: 16-byte entries that hold the whole position, so a false hit cannot happen.
//!
//! A position is its `player` word and its `empties` word. Multiplying `empties` by an odd number only
//! renames it (odd numbers are invertible modulo 2^64), so the product can stand for it. The top bits
//! of that product, mixed with a hash of `player`, choose the slot; given the slot and `player` those
//! bits can be worked out again and need not be stored. What they leave free holds the two bounds.
//!
//! An idea of our own; published solvers store both boards in 18 to 24 bytes.

/// Bits of an entry that hold the two bounds.
const BOUND_BITS: u32 = 14;
/// Odd multipliers with well-mixed high bits (golden ratio and its like).
const EMPTIES_FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const PLAYER_FACTOR: u64 = 0xD6E8_FEB8_6659_FD93;

/// What is proven of a position: the final disc count of its mover lies in `lower..=upper`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) lower: i32,
    pub(super) upper: i32,
}

#[derive(Clone, Copy, Default)]
#[repr(C, align(16))]
struct Entry {
    player: u64,
    /// Low part of the renamed empties above, `upper` and `lower` below. The all-zero entry says that
    /// a mover without discs ends with none, which is true of every position it could match.
    rest: u64,
}

/// Where a position lives in a cache of one size, and what tells it from others there.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    index: usize,
    tag: u64,
}

/// A fixed-size map from positions to [`Bounds`]; a new position replaces what was in its slot.
pub(super) struct Cache {
    entries: Box<[Entry]>,
    /// Bits of the slot number, at least [`BOUND_BITS`].
    bits: u32,
}

impl Cache {
    /// An empty cache of `2^size` entries of 16 bytes.
    ///
    /// Below 2^14 entries, those whose slots are left out are never kept.
    pub(super) fn new(size: u32) -> Self {
        let size = size.min(30);
        Self { entries: vec![Entry::default(); 1 << size].into_boxed_slice(), bits: size.max(BOUND_BITS) }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.entries.fill(Entry::default());
    }

    /// Where the position lives.
    #[inline(always)]
    pub(super) fn slot(&self, player: u64, opponent: u64) -> Slot {
        let renamed = (!(player | opponent)).wrapping_mul(EMPTIES_FACTOR);
        let index = (renamed ^ player.wrapping_mul(PLAYER_FACTOR)) >> (64 - self.bits);
        // The index bits leave at the top; the bounds enter below.
        Slot { index: index as usize, tag: renamed << self.bits >> (self.bits - BOUND_BITS) }
    }

    /// Fetches the slot into the fast caches of the processor.
    #[inline(always)]
    pub(super) fn prefetch(&self, slot: Slot) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch reads nothing, whatever the address.
        unsafe {
            let entry = self.entries.as_ptr().wrapping_add(slot.index);
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(entry.cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = slot;
    }

    /// What is known of the position in `slot`, which must be that of `player`.
    #[inline(always)]
    pub(super) fn probe(&self, player: u64, slot: Slot) -> Option<Bounds> {
        let entry = self.entries.get(slot.index)?;
        if entry.player != player || (entry.rest ^ slot.tag) >> BOUND_BITS != 0 {
            return None;
        }
        Some(Bounds { lower: (entry.rest & 127) as i32, upper: (entry.rest >> 7 & 127) as i32 })
    }

    /// Keeps the bounds of the position, joined with what is known of it.
    #[inline(always)]
    pub(super) fn store(&mut self, player: u64, slot: Slot, mut bounds: Bounds) {
        if let Some(known) = self.probe(player, slot) {
            bounds.lower = bounds.lower.max(known.lower);
            bounds.upper = bounds.upper.min(known.upper);
        }
        debug_assert!(0 <= bounds.lower && bounds.lower <= bounds.upper && bounds.upper <= 64);
        let rest = slot.tag | (bounds.upper as u64) << 7 | bounds.lower as u64;
        if let Some(entry) = self.entries.get_mut(slot.index) {
            *entry = Entry { player, rest };
        }
    }
}
