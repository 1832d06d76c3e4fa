//! Large zeroed memory for hash tables, on huge pages where the system offers them.
//!
//! On Unix the memory is mapped, so that even 64 GiB cost nothing until touched; elsewhere, and under Miri, which
//! does not know these maps, it comes from the global allocator.

use std::alloc::Layout;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// Alignment of every block: one huge page of x86-64, a multiple of every cache line.
const ALIGN: usize = 2 << 20;

/// A block of words that starts as zeros, aligned to a cache line and more.
///
/// The words are atomic, so that threads may share the block without locks.
#[derive(Debug)]
pub struct ZeroedWords {
    start: NonNull<AtomicU64>,
    len: usize,
}

// SAFETY: the block is owned, freed once in `drop`, and only handed out as shared atomics.
unsafe impl Send for ZeroedWords {}
// SAFETY: as above: `&ZeroedWords` gives `&[AtomicU64]`, which is `Sync`.
unsafe impl Sync for ZeroedWords {}

impl ZeroedWords {
    /// A block of `len` zero words, or `None` if the system has not that much memory to give.
    ///
    /// `len` must be positive.
    pub fn new(len: usize) -> Option<Self> {
        let layout = Self::layout(len)?;
        let start = NonNull::new(allocate(layout)?.cast::<AtomicU64>())?;
        debug_assert!(start.as_ptr().addr().is_multiple_of(ALIGN));
        Some(Self { start, len })
    }

    /// Makes every word 0 again.
    ///
    /// The pages stay ours: giving them back costs the system as many zeros, and page faults.
    pub fn clear(&mut self) {
        // SAFETY: `start` points to `len` words that nobody else refers to now; zero is a valid word.
        unsafe { self.start.as_ptr().write_bytes(0, self.len) };
    }

    /// Has the system hand out the pages of the first `len` words now, and not one after the other where a clock runs:
    /// bringing together a huge one can take it tens of milliseconds. Changes no word, and ends when `goes_on`,
    /// which is asked before each huge page, says no.
    pub fn prefault(&self, len: usize, mut goes_on: impl FnMut() -> bool) {
        const SMALL_PAGE: usize = 4096 / size_of::<u64>();
        for huge in self[..len.min(self.len)].chunks(ALIGN / size_of::<u64>()) {
            if !goes_on() {
                return;
            }
            for word in huge.iter().step_by(SMALL_PAGE) {
                word.fetch_or(0, Ordering::Relaxed);
            }
        }
    }

    fn layout(len: usize) -> Option<Layout> {
        assert!(len > 0, "an empty block has no address");
        let bytes = len.checked_mul(size_of::<u64>())?;
        let layout = Layout::from_size_align(bytes, ALIGN).ok()?;
        Some(layout.pad_to_align())
    }
}

impl Deref for ZeroedWords {
    type Target = [AtomicU64];

    #[inline(always)]
    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: `start` points to `len` words that were zeroed at allocation, zero is a valid
        // `AtomicU64`, and they live as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl Drop for ZeroedWords {
    fn drop(&mut self) {
        if let Some(layout) = Self::layout(self.len) {
            free(self.start.as_ptr().cast(), layout);
        }
    }
}

/// `len` zeros; many of them lie on huge pages where the system offers these, so that a walk in no order through a
/// large table finds its way sooner.
pub fn zeros(len: usize) -> Vec<f32> {
    let mut zeros = vec![0.0; len];
    // The small fits of tests touch a few rows, for which the system would have to write whole tables.
    if !cfg!(test) {
        advise_huge_pages(zeros.as_mut_ptr().cast(), len * size_of::<f32>());
    }
    zeros
}

/// Asks for huge pages where whole ones lie in these bytes of ours.
fn advise_huge_pages(start: *mut u8, size: usize) {
    let head = start.addr().next_multiple_of(ALIGN) - start.addr();
    let size = size.saturating_sub(head) / ALIGN * ALIGN;
    #[cfg(target_os = "linux")]
    if size > 0 {
        // SAFETY: advice on memory we own; a refusal changes nothing.
        unsafe { libc::madvise(start.wrapping_byte_add(head).cast(), size, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = size;
}

/// Asks the processor to bring the cache line of `word` near; changes nothing else.
#[inline(always)]
pub fn prefetch(word: &AtomicU64) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing architecturally, and the address is that of a live reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(word).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = word;
}

#[cfg(all(unix, not(miri)))]
fn allocate(layout: Layout) -> Option<*mut u8> {
    // Map one alignment more than needed and give the ends back.
    let wide = layout.size().checked_add(ALIGN)?;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: an anonymous mapping at an address of the system's choice touches no memory of ours.
    let base =
        unsafe { libc::mmap(std::ptr::null_mut(), wide, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if base == libc::MAP_FAILED {
        return None;
    }
    let head = base.addr().next_multiple_of(ALIGN) - base.addr();
    let start = base.wrapping_byte_add(head);
    debug_assert!(head + layout.size() <= wide);
    // SAFETY: both ends lie inside the mapping just made and outside the block that is kept.
    unsafe {
        if head > 0 {
            libc::munmap(base, head);
        }
        if wide - head > layout.size() {
            libc::munmap(start.wrapping_byte_add(layout.size()), wide - head - layout.size());
        }
    }
    advise_huge_pages(start.cast(), layout.size());
    Some(start.cast())
}

#[cfg(all(unix, not(miri)))]
fn free(start: *mut u8, layout: Layout) {
    // SAFETY: `start` and the size are those of a mapping that `allocate` made and nobody else frees.
    unsafe { libc::munmap(start.cast(), layout.size()) };
}

#[cfg(any(not(unix), miri))]
fn allocate(layout: Layout) -> Option<*mut u8> {
    debug_assert!(layout.size() > 0);
    // SAFETY: the layout has a positive size.
    let start = unsafe { std::alloc::alloc_zeroed(layout) };
    (!start.is_null()).then_some(start)
}

#[cfg(any(not(unix), miri))]
fn free(start: *mut u8, layout: Layout) {
    // SAFETY: `start` came from `allocate` with this layout.
    unsafe { std::alloc::dealloc(start, layout) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_starts_as_zeros_and_clears_to_zeros() {
        for len in [1, 1000, (1 << 18) + 3] {
            let mut words = ZeroedWords::new(len).expect("a little memory is there");
            assert_eq!(words.len(), len);
            assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == 0));
            words[len - 1].store(7, Ordering::Relaxed);
            prefetch(&words[0]);
            words.clear();
            assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == 0));
        }
    }

    #[test]
    fn touching_changes_nothing_and_ends_when_told() {
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
        assert_eq!(words.iter().map(|word| word.load(Ordering::Relaxed)).sum::<u64>(), 7);
    }

    #[test]
    fn more_memory_than_there_can_be_is_refused() {
        assert!(ZeroedWords::new(usize::MAX / 8).is_none());
    }
}
