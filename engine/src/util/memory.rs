//! Large zeroed memory for hash tables, on huge pages if possible. Mapped memory costs nothing until its first use.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

/// The alignment of every block: one huge page of x86-64, or a cache line where there are no pages.
const ALIGN: usize = if cfg!(target_family = "wasm") {
    64
} else {
    2 << 20
};

/// The owner of zeroed memory of the system; a module of WebAssembly keeps its own to its end.
type Block = cfg_select! {
    target_family = "wasm" => { () }
    _ => { memmap2::MmapMut }
};

/// An aligned block of words, zero at first. Atomic words let threads share it without locks.
#[derive(Debug)]
pub struct ZeroedWords {
    /// The words in `_map`; references to them end before it.
    words: &'static [AtomicU64],
    _map: Block,
}

impl ZeroedWords {
    /// A block of `len` zero words, at least one; `None` if the system refuses.
    pub fn new(len: usize) -> Option<Self> {
        assert!(len > 0, "an empty block has no address");
        let bytes = len
            .checked_mul(size_of::<u64>())?
            .checked_next_multiple_of(ALIGN)?;
        // One alignment more than needed: nothing touches the rest outside the block.
        let (map, base) = zeroed(bytes.checked_add(ALIGN)?)?;
        let start = base.wrapping_byte_add(base.addr().next_multiple_of(ALIGN) - base.addr());
        advise_huge_pages(start, bytes);
        // SAFETY: the map holds `len` words from the aligned `start`; zeros are valid `AtomicU64`; the words live as long as
        // the map, and no other reference to it exists.
        let words = unsafe { std::slice::from_raw_parts(start.cast::<AtomicU64>(), len) };
        Some(Self { words, _map: map })
    }

    /// Zeroes every word. The process keeps the pages: returning them costs as many zeros, and page faults.
    pub fn clear(&self) {
        self.words
            .iter()
            .for_each(|word| word.store(0, Ordering::Relaxed));
    }

    /// Faults in the pages of the first `len` words before a clock runs: the system may need tens of milliseconds for a huge
    /// page. Changes no word; stops when `goes_on`, called before each huge page, is false.
    pub fn prefault(&self, len: usize, mut goes_on: impl FnMut() -> bool) {
        const SMALL_PAGE: usize = 4096 / size_of::<u64>();
        for huge in self.words[..len.min(self.words.len())].chunks(ALIGN / size_of::<u64>()) {
            if !goes_on() {
                return;
            }
            for word in huge.iter().step_by(SMALL_PAGE) {
                word.fetch_or(0, Ordering::Relaxed);
            }
        }
    }
}

fn zeroed(bytes: usize) -> Option<(Block, *mut u8)> {
    cfg_select! {
        target_family = "wasm" => {
            // Fresh pages, so that a browser has only those in memory that are in use.
            const PAGE: usize = 1 << 16;
            let first = std::arch::wasm32::memory_grow::<0>(bytes.div_ceil(PAGE));
            Some(((), std::ptr::with_exposed_provenance_mut(first.checked_mul(PAGE)?)))
        }
        _ => {
            let mut options = memmap2::MmapOptions::new();
            options.len(bytes);
            if !cfg!(miri) {
                options.no_reserve_swap();
            }
            let mut map = options.map_anon().ok()?;
            let base = map.as_mut_ptr();
            Some((map, base))
        }
    }
}

impl Deref for ZeroedWords {
    type Target = [AtomicU64];

    #[inline(always)]
    fn deref(&self) -> &[AtomicU64] {
        self.words
    }
}

/// `len` zeros, on huge pages if possible: random access to a large table is faster there.
pub fn zeros(len: usize) -> Vec<f32> {
    let mut zeros = vec![0.0; len];
    advise_huge_pages(zeros.as_mut_ptr().cast(), len * size_of::<f32>());
    zeros
}

/// Asks for the whole huge pages in these bytes.
fn advise_huge_pages(start: *mut u8, size: usize) {
    let head = start.addr().next_multiple_of(ALIGN) - start.addr();
    let size = size.saturating_sub(head) / ALIGN * ALIGN;
    #[cfg(all(target_os = "linux", not(miri)))]
    if size > 0 {
        // SAFETY: advice on memory of this process; a refusal changes nothing.
        unsafe {
            libc::madvise(
                start.wrapping_byte_add(head).cast(),
                size,
                libc::MADV_HUGEPAGE,
            )
        };
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = size;
}

/// Prefetches the cache line of `word`.
#[inline(always)]
pub fn prefetch(word: &AtomicU64) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing architecturally, and the address is that of a live reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(word).cast()) };
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{word}]",
            word = in(reg) std::ptr::from_ref(word),
            options(nomem, nostack, preserves_flags),
        );
    }
    #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", not(miri)))))]
    let _ = word;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_starts_as_zeros_and_clears_to_zeros() {
        for len in [1, 1000, (1 << 18) + 3] {
            let words = ZeroedWords::new(len).expect("a little memory is there");
            assert_eq!(words.len(), len);
            assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == 0));
            words[len - 1].store(7, Ordering::Relaxed);
            prefetch(&words[0]);
            words.clear();
            assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == 0));
        }
    }

    #[test]
    fn prefaulting_changes_nothing_and_stops() {
        let words = ZeroedWords::new((1 << 18) + 1000).expect("a little memory is there");
        words[512].store(7, Ordering::Relaxed);
        for (len, parts) in [(0, 0), (1000, 1), (1 << 18, 1), (usize::MAX, 2)] {
            let mut asked = 0;
            words.prefault(len, || {
                asked += 1;
                true
            });
            assert_eq!(asked, parts, "{len} words");
        }
        words.prefault(usize::MAX, || false);
        assert_eq!(
            words
                .iter()
                .map(|word| word.load(Ordering::Relaxed))
                .sum::<u64>(),
            7
        );
    }

    #[test]
    fn impossible_sizes_are_refused() {
        assert!(ZeroedWords::new(usize::MAX / 8).is_none());
    }
}
