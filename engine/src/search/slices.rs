//! Searches in slices, for a system without threads.

use super::root::Paused;
use super::{Search, SearchResult, Stop};

/// The searches of a question that [`end_at`] interrupts. Each slice asks for them in the same order: those that
/// have ended are repeated from here, and the interrupted one goes on with the table of the slice before.
#[derive(Debug, Default)]
pub struct Slices {
    pub(super) done: Vec<SearchResult>,
    /// How many of `done` this slice has asked for.
    pub(super) repeated: usize,
    pub(super) paused: Option<Paused>,
}

impl Slices {
    pub(super) fn repeat(&mut self) -> Option<SearchResult> {
        let result = self.done.get(self.repeated).cloned();
        self.repeated += usize::from(result.is_some());
        result
    }
}

/// Begins a slice with the slices before it; returns those so far.
pub fn set(search: &mut Search, slices: Option<Slices>) -> Option<Slices> {
    let slices = slices.map(|slices| Slices {
        repeated: 0,
        ..slices
    });
    std::mem::replace(&mut search.slices, slices)
}

/// Ends searches at this microsecond of the clock, as a request does; 0 for no end.
pub fn end_at(stop: &Stop, micros: u64) {
    stop.end_slice_at(micros);
}

/// Whether only the end of the slice has come: the search goes on in another one.
pub fn is_over(stop: &Stop) -> bool {
    stop.is_slice_over()
}
