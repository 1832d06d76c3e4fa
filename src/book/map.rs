//! A file as memory.

use std::fs::File;
use std::hint::black_box;
use std::io;
use std::ops::Deref;

use memmap2::Mmap;

/// The bytes of a file, brought in by the system as they are touched.
#[derive(Debug)]
pub(super) struct Mapping(Mmap);

impl Mapping {
    /// Maps all of `file`.
    pub(super) fn new(file: &File) -> io::Result<Self> {
        // SAFETY: the bytes must not change while they are mapped. Book files are only ever replaced whole, by
        // renaming a finished file over the name, which leaves the mapped one as it is (`file::replace`).
        let map = unsafe { Mmap::map(file)? };
        // A probe needs three pages far apart: what lies next to them is not worth reading ahead.
        #[cfg(unix)]
        let _ = map.advise(memmap2::Advice::Random);
        Ok(Self(map))
    }

    /// Tells the system that these bytes will be read soon: it brings them in with one access and waits for none.
    pub(super) fn expect(&self, start: usize, len: usize) {
        #[cfg(unix)]
        let _ = self.0.advise_range(memmap2::Advice::WillNeed, start, len);
        #[cfg(not(unix))]
        let _ = (start, len);
    }

    /// Brings these bytes in.
    pub(super) fn fetch(&self, start: usize, len: usize) {
        /// No system's pages are smaller.
        const SYSTEM_PAGE: usize = 4096;
        for byte in self.0[start..start + len].iter().step_by(SYSTEM_PAGE) {
            black_box(*byte);
        }
    }

    /// Tells the system that all of it will be read in order.
    pub(super) fn expect_sequential(&self) {
        #[cfg(unix)]
        let _ = self.0.advise(memmap2::Advice::Sequential);
    }
}

impl Deref for Mapping {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
