//! Split points at siblings after the first: where the threads of one search meet.
//!
//! A thread that has searched the first move of a node while others are idle opens a split point there:
//! the rest of the moves, the window and the best so far, behind a lock that is taken once per move.
//! Idle threads join any open one. The owner works along, then helps below its own split point until
//! all are done. The thread that cuts a split point marks all below it, so that each node looks at one flag, however
//! deep the chain of split points above it. Idle threads spin, then sleep; they look at one byte for each thread.
//!
//! Source: Feldmann, Monien, Mysliwietz, Vornberger, "Distributed game tree search" (1989) for the young
//! brothers that wait, and the helpful master.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::search::params::{SPLIT_SPINS, YIELD_SPINS};

/// Split points that one thread can have open at a time: as many as a byte has bits.
const SLOTS: usize = 8;
/// "No split point": the top of every chain.
const NONE: usize = usize::MAX;

/// A place for a split point of the type `P`.
struct Slot<P> {
    /// It or a split point above it is cut: its results are void.
    cut: AtomicBool,
    /// The split point above this one.
    parent: AtomicUsize,
    /// The state that the threads at the split point share.
    point: Mutex<Option<P>>,
    /// Helpers at work, the owner not counted. Changes under the lock of `point`.
    helpers: AtomicUsize,
}

/// Flags that other threads read before they lock a thread's slots, a bit for each slot. Fills a cache line.
#[derive(Default)]
#[repr(align(64))]
struct SlotBits {
    /// The slot may have moves left.
    open: AtomicU8,
    /// The slot holds a split point.
    used: AtomicU8,
}

/// The split points of one search and its idle threads.
pub(super) struct Pool<P> {
    /// `SLOTS` for each thread.
    slots: Vec<Slot<P>>,
    /// By thread.
    bits: Vec<SlotBits>,
    idle: AtomicUsize,
    asleep: Mutex<()>,
    sleepers: AtomicUsize,
    wake: Condvar,
    done: AtomicBool,
    /// A helper panicked: the owner that waits for it panics too.
    broken: AtomicBool,
}

/// Ends the helpers when dropped, also in a panic, which would wait for them for ever.
pub(super) struct EndHelpers<'a, P>(pub &'a Pool<P>);

impl<P> Drop for EndHelpers<'_, P> {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// Counts a thread as idle while it lives. Marks the pool as broken when dropped in a panic.
pub(super) struct Idle<'a, P>(&'a Pool<P>);

impl<P> Drop for Idle<'_, P> {
    fn drop(&mut self) {
        self.0.idle.fetch_sub(1, Ordering::Relaxed);
        if std::thread::panicking() {
            self.0.broken.store(true, Ordering::Relaxed);
        }
    }
}

impl<P> Pool<P> {
    /// A pool for this number of threads, the main one included.
    pub fn new(threads: usize) -> Self {
        let threads = if threads > 1 { threads } else { 0 };
        let slot = |_| Slot {
            cut: AtomicBool::new(false),
            parent: AtomicUsize::new(NONE),
            point: Mutex::new(None),
            helpers: AtomicUsize::new(0),
        };
        Self {
            slots: (0..threads * SLOTS).map(slot).collect(),
            bits: std::iter::repeat_with(SlotBits::default).take(threads).collect(),
            idle: AtomicUsize::new(0),
            asleep: Mutex::new(()),
            sleepers: AtomicUsize::new(0),
            wake: Condvar::new(),
            done: AtomicBool::new(false),
            broken: AtomicBool::new(false),
        }
    }

    /// Counts the calling thread as idle until the guard is dropped.
    pub fn idle(&self) -> Idle<'_, P> {
        self.idle.fetch_add(1, Ordering::Relaxed);
        Idle(self)
    }

    /// Whether a thread has nothing to do.
    pub fn has_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Ends all helpers.
    fn finish(&self) {
        self.done.store(true, Ordering::SeqCst);
        self.wake_all();
    }

    /// Wakes the sleeping threads, after a split point was opened or the search has ended.
    ///
    /// No lost wake-up: the waker publishes work, then reads `sleepers`; the sleeper increments `sleepers`, then re-checks
    /// for work. All four are sequentially consistent, so one of the two sees the other. A waker that sees a sleeper takes
    /// the lock, which the sleeper holds until it waits.
    fn wake_all(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            drop(self.asleep.lock());
            self.wake.notify_all();
        }
    }

    /// Waits a moment; `spins` counts the waits before it. Spins first, then yields, then sleeps until woken.
    pub fn wait(&self, spins: u32) {
        match spins {
            SPLIT_SPINS.. => self.sleep(),
            _ => self.pause(spins),
        }
    }

    /// Waits a moment: spins, from YIELD_SPINS on yields to other threads.
    ///
    /// # Panics
    /// When a helper has panicked.
    pub fn pause(&self, spins: u32) {
        assert!(!self.broken.load(Ordering::Relaxed), "a helper panicked");
        if spins < YIELD_SPINS {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }

    /// Sleeps until woken, unless a split point is open or the search has ended.
    fn sleep(&self) {
        let guard = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let is_open = |bits: &SlotBits| bits.open.load(Ordering::SeqCst) != 0;
        if !self.done.load(Ordering::SeqCst) && !self.bits.iter().any(is_open) {
            // A spurious wake-up: the thread checks again and returns here.
            drop(self.wake.wait(guard));
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    /// The split point at `slot`, locked.
    pub fn lock(&self, slot: usize) -> MutexGuard<'_, Option<P>> {
        // A panic elsewhere ends the search; the data are plain numbers.
        self.slots[slot].point.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The split points above `slot`, the nearest first. They stay while `slot` holds one.
    fn above(&self, slot: usize) -> impl Iterator<Item = usize> {
        let parent = |slot: &usize| self.slots[*slot].parent.load(Ordering::Relaxed);
        std::iter::successors(Some(slot), move |slot| Some(parent(slot)).filter(|&parent| parent != NONE))
            .skip(1)
    }

    /// Whether the search below the split point at `slot` has been cut off.
    pub fn is_cut(&self, slot: usize) -> bool {
        self.slots[slot].cut.load(Ordering::Relaxed)
    }

    /// Whether there may be moves left to take at `slot`.
    fn is_open(&self, slot: usize) -> bool {
        self.bits[slot / SLOTS].open.load(Ordering::Acquire) >> (slot % SLOTS) & 1 != 0
    }

    /// Lets no more threads join at `slot`.
    pub fn close(&self, slot: usize) {
        self.bits[slot / SLOTS].open.fetch_and(!(1 << (slot % SLOTS)), Ordering::Release);
    }

    /// Opens `point` below the split point `parent` in a free slot of thread `id`; the slot.
    pub fn open(&self, id: usize, parent: Option<usize>, point: P) -> Option<usize> {
        let bits = &self.bits[id];
        let free = bits.used.load(Ordering::Relaxed).trailing_ones() as usize;
        if free == SLOTS {
            return None;
        }
        let slot = id * SLOTS + free;
        let mut guard = self.lock(slot);
        *guard = Some(point);
        self.slots[slot].parent.store(parent.unwrap_or(NONE), Ordering::Relaxed);
        // A thread that cuts one of those above sees that this one is used, or is seen here to have cut.
        bits.used.fetch_or(1 << free, Ordering::SeqCst);
        let is_cut = self.above(slot).any(|above| self.slots[above].cut.load(Ordering::SeqCst));
        self.slots[slot].cut.store(is_cut, Ordering::Relaxed);
        drop(guard);
        bits.open.fetch_or(1 << free, Ordering::SeqCst);
        self.wake_all();
        Some(slot)
    }

    /// Marks `slot` and all below it as cut. The caller works at it and holds no lock.
    pub fn cut(&self, slot: usize) {
        self.slots[slot].cut.store(true, Ordering::SeqCst);
        self.close(slot);
        for below in 0..self.slots.len() {
            if self.bits[below / SLOTS].used.load(Ordering::SeqCst) >> (below % SLOTS) & 1 == 0 {
                continue;
            }
            // Under the lock a split point cannot go away, nor those above it.
            let guard = self.lock(below);
            if guard.is_some() && self.above(below).any(|above| above == slot) {
                self.slots[below].cut.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Takes the split point out of `slot`, unless a helper works there.
    pub fn take(&self, slot: usize) -> Option<P> {
        let mut guard = self.lock(slot);
        if self.slots[slot].helpers.load(Ordering::Relaxed) > 0 {
            return None;
        }
        let point = guard.take()?;
        drop(guard);
        self.bits[slot / SLOTS].used.fetch_and(!(1 << (slot % SLOTS)), Ordering::Release);
        Some(point)
    }

    /// Joins an open split point below `above`, or any if `None`; returns its slot and the result of `read`. The thread
    /// must [`Self::leave`] it.
    pub fn join<T>(&self, above: Option<usize>, read: impl FnOnce(&P) -> T) -> Option<(usize, T)> {
        for slot in (0..self.slots.len()).filter(|&slot| self.is_open(slot)) {
            let guard = self.lock(slot);
            let Some(point) = guard.as_ref() else { continue };
            // Looked at under the lock: an open split point cannot go away, nor those above it.
            let fits = above.is_none_or(|above| self.above(slot).any(|other| other == above));
            if fits && self.is_open(slot) && !self.is_cut(slot) {
                self.slots[slot].helpers.fetch_add(1, Ordering::Relaxed);
                self.idle.fetch_sub(1, Ordering::Relaxed);
                return Some((slot, read(point)));
            }
        }
        None
    }

    /// Ends the help at `slot`.
    pub fn leave(&self, slot: usize) {
        let guard = self.lock(slot);
        self.slots[slot].helpers.fetch_sub(1, Ordering::Relaxed);
        drop(guard);
        self.idle.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::patience::{Wait, until};

    /// Sleep has no timeout: a thread that misses a wake-up never wakes.
    #[test]
    fn no_call_is_missed_between_the_last_look_and_the_sleep() {
        let pool = Pool::new(2);
        let comes_back = |after: &str| {
            std::thread::scope(|scope| {
                let sleeper = scope.spawn(|| pool.sleep());
                let wait = Wait::default();
                while !sleeper.is_finished() && !wait.is_over() {
                    std::thread::yield_now();
                }
                let in_time = sleeper.is_finished();
                pool.finish();
                assert!(in_time, "asleep after {after}");
            });
            pool.done.store(false, Ordering::SeqCst);
        };
        // As if it came after the helper's last look for work, before its sleep.
        let slot = pool.open(0, None, ()).unwrap();
        comes_back("a slot was opened");
        pool.close(slot);
        assert!(pool.take(slot).is_some());
        pool.finish();
        comes_back("all was done");
        // Called when it sleeps already.
        for _ in 0..200 {
            std::thread::scope(|scope| {
                scope.spawn(|| pool.sleep());
                until("no thread sleeps", || pool.sleepers.load(Ordering::SeqCst) == 1);
                pool.finish();
            });
            pool.done.store(false, Ordering::SeqCst);
        }
    }

    #[test]
    fn a_cut_reaches_all_below_and_nothing_else() {
        let pool = Pool::new(3);
        let open = |id: usize, above: Option<usize>| pool.open(id, above, ());
        let top = open(0, None).unwrap();
        let (left, right) = (open(1, Some(top)).unwrap(), open(2, Some(top)).unwrap());
        let deep = open(2, Some(left)).unwrap();
        let cut = || [top, left, right, deep].map(|slot| pool.is_cut(slot));
        assert_eq!(cut(), [false; 4]);
        pool.cut(left);
        assert_eq!(cut(), [false, true, false, true]);
        assert_eq!([top, left, right].map(|slot| pool.is_open(slot)), [true, false, true]);
        // One that is opened below too late to be marked is cut from the start.
        let late = open(0, Some(deep)).unwrap();
        assert!(pool.is_cut(late));
        // A slot keeps no state of its last split point.
        assert!(pool.take(late).is_some() && pool.take(deep).is_some() && pool.take(deep).is_none());
        assert_eq!(open(2, Some(right)), Some(deep));
        assert_eq!(cut(), [false, true, false, false]);
        pool.cut(top);
        assert_eq!(cut(), [true; 4]);
        // A thread has a limited number of slots.
        assert_eq!((2..=SLOTS).filter_map(|_| open(1, None)).count(), SLOTS - 1);
        assert_eq!(open(1, None), None);
    }

    #[test]
    fn a_split_point_stays_until_its_helpers_have_left() {
        let pool = Pool::new(2);
        let _idle = pool.idle();
        let slot = pool.open(0, None, 7).unwrap();
        assert_eq!(pool.join(Some(slot), |&point| point), None, "nothing is open below");
        assert_eq!(pool.join(None, |&point| point), Some((slot, 7)));
        assert!(pool.take(slot).is_none() && !pool.has_idle());
        pool.leave(slot);
        assert!(pool.has_idle());
        assert_eq!(pool.take(slot), Some(7));
        assert_eq!(pool.join(None, |&point| point), None);
    }
}
