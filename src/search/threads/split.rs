//! Split points at siblings after the first.
//!
//! A thread that has searched the first move of a node while others are idle opens a split point there:
//! the rest of the moves, the window and the best so far, behind a lock that is taken once per move.
//! Idle threads join any open one. The owner works along, then helps below its own split point until
//! all are done. Whoever cuts a split point marks all that lie below it, so that each node looks at one flag, however
//! deep the chain of split points above it. Idle threads spin, then sleep; they look at one byte for each thread.
//! With one thread nothing here is touched but one count per node.
//!
//! Source: Feldmann, Monien, Mysliwietz, Vornberger, "Distributed game tree search" (1989) for the young
//! brothers that wait, and the helpful master.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::search::params::{SPLIT_SPINS, YIELD_SPINS};
use crate::search::tree::node::{NodeType, NonPv, Pv};
use crate::search::tree::phase::{Midgame, Phase, Solving};
use crate::search::tree::worker::{Best, Helpers, SplitPoint, Worker};

/// Split points that one thread can have open at a time: as many as a byte has bits.
const SLOTS: usize = 8;
/// "No split point": the top of every chain.
const NONE: usize = usize::MAX;

/// A place for a split point.
#[derive(Default)]
struct SplitSlot {
    /// It or one above it is cut: all that is searched for it is in vain.
    cut: AtomicBool,
    /// The split point above this one.
    parent: AtomicUsize,
    shared: Mutex<Option<ActiveSplit>>,
}

/// What others look at before they touch a thread's slots, a bit for each slot. In a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
struct SlotBits {
    /// There may be moves left to take.
    open: AtomicU8,
    /// It holds a split point.
    used: AtomicU8,
}

/// What the threads at a split point share.
struct ActiveSplit {
    point: SplitPoint,
    /// Helpers at work, the owner not counted.
    helpers: usize,
}

impl SplitSlot {
    fn lock(&self) -> MutexGuard<'_, Option<ActiveSplit>> {
        // A panic elsewhere ends the search anyway; the data are plain numbers.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The split points of one search and its idle threads.
pub(in crate::search) struct Pool {
    /// `SLOTS` for each thread.
    slots: Vec<SplitSlot>,
    /// By thread.
    bits: Vec<SlotBits>,
    idle: AtomicUsize,
    asleep: Mutex<()>,
    sleepers: AtomicUsize,
    wake: Condvar,
    done: AtomicBool,
    /// A helper panicked: who waits for it panics too.
    broken: AtomicBool,
}

/// Waits a moment; from YIELD_SPINS on lets another thread run, which may be the one that is waited for.
fn pause(spins: u32) {
    if spins < YIELD_SPINS {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}

/// Ends the helpers when dropped, also in a panic, which would wait for them for ever.
pub(in crate::search) struct EndHelpers<'a>(pub &'a Pool);

impl Drop for EndHelpers<'_> {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// Marks the pool as broken when dropped in a panic.
struct PanicFlag<'a>(&'a Pool);

impl Drop for PanicFlag<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.store(true, Ordering::Relaxed);
        }
    }
}

impl Pool {
    /// A pool for so many threads, the main one included.
    pub fn new(threads: usize) -> Self {
        let threads = if threads > 1 { threads } else { 0 };
        Self {
            slots: std::iter::repeat_with(SplitSlot::default).take(threads * SLOTS).collect(),
            bits: std::iter::repeat_with(SlotBits::default).take(threads).collect(),
            idle: AtomicUsize::new(0),
            asleep: Mutex::new(()),
            sleepers: AtomicUsize::new(0),
            wake: Condvar::new(),
            done: AtomicBool::new(false),
            broken: AtomicBool::new(false),
        }
    }

    /// The life of a helper thread: joins what is open until the search is done.
    pub fn help(&self, worker: &mut Worker) {
        let _flag = PanicFlag(self);
        let mut spins = 0;
        self.idle.fetch_add(1, Ordering::Relaxed);
        while !self.done.load(Ordering::Acquire) {
            if self.join(worker, NONE) {
                spins = 0;
                continue;
            }
            spins += 1;
            if spins < SPLIT_SPINS {
                pause(spins);
            } else {
                self.sleep();
            }
        }
        worker.report();
    }

    /// Sends all helpers home.
    fn finish(&self) {
        self.done.store(true, Ordering::SeqCst);
        self.wake_all();
    }

    /// Calls those who sleep, after something was opened or all is done.
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

    /// Sleeps until called, unless there is something to do.
    fn sleep(&self) {
        let guard = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let is_open = |bits: &SlotBits| bits.open.load(Ordering::SeqCst) != 0;
        if !self.done.load(Ordering::SeqCst) && !self.bits.iter().any(is_open) {
            // Woken for nothing it looks again and comes back.
            drop(self.wake.wait(guard));
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    /// The split points above `slot`, the nearest first. They stay while `slot` holds one.
    fn above(&self, slot: usize) -> impl Iterator<Item = usize> {
        let parent = |slot: &usize| self.slots[*slot].parent.load(Ordering::Relaxed);
        std::iter::successors(Some(slot), move |slot| Some(parent(slot)).filter(|&parent| parent != NONE))
            .skip(1)
    }

    /// Whether there may be moves left to take at `slot`.
    fn is_open(&self, slot: usize) -> bool {
        self.bits[slot / SLOTS].open.load(Ordering::Acquire) >> (slot % SLOTS) & 1 != 0
    }

    fn set_closed(&self, slot: usize) {
        self.bits[slot / SLOTS].open.fetch_and(!(1 << (slot % SLOTS)), Ordering::Release);
    }

    /// Puts `point` into a free slot of the worker's own and opens it; the slot.
    fn open(&self, worker: &Worker, point: SplitPoint) -> Option<usize> {
        let bits = &self.bits[worker.control.id];
        let free = bits.used.load(Ordering::Relaxed).trailing_ones() as usize;
        if free == SLOTS {
            return None;
        }
        let slot = worker.control.id * SLOTS + free;
        let place = &self.slots[slot];
        let mut guard = place.lock();
        *guard = Some(ActiveSplit { point, helpers: 0 });
        place.parent.store(worker.control.split.unwrap_or(NONE), Ordering::Relaxed);
        // Whoever cuts one of those above sees that this one is used, or is seen here to have cut.
        bits.used.fetch_or(1 << free, Ordering::SeqCst);
        let is_cut = self.above(slot).any(|above| self.slots[above].cut.load(Ordering::SeqCst));
        place.cut.store(is_cut, Ordering::Relaxed);
        drop(guard);
        bits.open.fetch_or(1 << free, Ordering::SeqCst);
        self.wake_all();
        Some(slot)
    }

    /// Marks `slot` and all below it as cut. The caller works at it and holds no lock.
    fn cut(&self, slot: usize) {
        self.slots[slot].cut.store(true, Ordering::SeqCst);
        self.set_closed(slot);
        for below in 0..self.slots.len() {
            if self.bits[below / SLOTS].used.load(Ordering::SeqCst) >> (below % SLOTS) & 1 == 0 {
                continue;
            }
            // Under the lock a split point cannot go away, nor those above it.
            let guard = self.slots[below].lock();
            if guard.is_some() && self.above(below).any(|above| above == slot) {
                self.slots[below].cut.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Takes the split point out of `slot` once nobody helps there.
    fn take(&self, slot: usize) -> Option<SplitPoint> {
        let shared = self.slots[slot].lock().take_if(|shared| shared.helpers == 0)?;
        self.bits[slot / SLOTS].used.fetch_and(!(1 << (slot % SLOTS)), Ordering::Release);
        Some(shared.point)
    }

    /// Helps below `slot` until its helpers are gone, and takes the split point out; nobody can join any more.
    fn close(&self, worker: &mut Worker, slot: usize) -> SplitPoint {
        self.set_closed(slot);
        if worker.control.stopped && !self.is_cut(slot) {
            self.cut(slot);
        }
        // Others may split their nodes for the owner, too.
        self.idle.fetch_add(1, Ordering::Relaxed);
        let mut spins = 0;
        let point = loop {
            if let Some(point) = self.take(slot) {
                break point;
            }
            if self.join(worker, slot) {
                spins = 0;
            } else {
                assert!(!self.broken.load(Ordering::Relaxed), "a helper panicked");
                spins += 1;
                pause(spins);
            }
        };
        self.idle.fetch_sub(1, Ordering::Relaxed);
        point
    }

    /// Takes moves from the split point at `slot` until none is left or it is cut.
    fn work_at<N: NodeType, P: Phase>(&self, worker: &mut Worker, slot: usize) {
        let place = &self.slots[slot];
        loop {
            let mut guard = place.lock();
            let Some(ActiveSplit { point, .. }) = guard.as_mut() else { return };
            // Who found the cut may not have come to mark it yet.
            if self.is_cut(slot) || point.window.alpha >= point.window.beta {
                return;
            }
            let Some(candidate) = point.moves.next() else {
                self.set_closed(slot);
                return;
            };
            let index = point.moves.taken() - 1;
            let (node, depth, window) = (point.node, point.depth, point.window);
            drop(guard);

            let value = worker.try_move::<N, P>(&node, &candidate, index, depth, window);
            if worker.control.stopped {
                return;
            }

            let mut guard = place.lock();
            let Some(ActiveSplit { point, .. }) = guard.as_mut() else { return };
            if value > point.best.value {
                point.best = Best { value, square: Some(candidate.square) };
                if value > point.window.alpha {
                    point.window.alpha = value;
                    if N::PV {
                        worker.context.set_path(node.ply, point.best.square);
                        point.path = worker.context.paths[node.ply];
                    }
                    if value >= point.window.beta {
                        drop(guard);
                        self.cut(slot);
                        return;
                    }
                }
            }
        }
    }

    /// As [`Self::work_at`], for a split point of whatever kind.
    fn work(&self, worker: &mut Worker, slot: usize, (pv, solving): (bool, bool)) {
        match (pv, solving) {
            (true, true) => self.work_at::<Pv, Solving>(worker, slot),
            (true, false) => self.work_at::<Pv, Midgame>(worker, slot),
            (false, true) => self.work_at::<NonPv, Solving>(worker, slot),
            (false, false) => self.work_at::<NonPv, Midgame>(worker, slot),
        }
    }

    /// Joins an open split point below `above` (or any, if `NONE`) and works there; whether it did.
    fn join(&self, worker: &mut Worker, above: usize) -> bool {
        for slot in (0..self.slots.len()).filter(|&slot| self.is_open(slot)) {
            let place = &self.slots[slot];
            let mut guard = place.lock();
            let Some(shared) = guard.as_mut() else { continue };
            // Looked at under the lock: an open split point cannot go away, nor those above it.
            let fits = above == NONE || self.above(slot).any(|other| other == above);
            if !fits || !self.is_open(slot) || self.is_cut(slot) {
                continue;
            }
            shared.helpers += 1;
            self.idle.fetch_sub(1, Ordering::Relaxed);
            let kind = (shared.point.pv, shared.point.solving);
            let (context, control) = (&mut worker.context, &mut worker.control);
            let before = (control.split, context.selectivity, context.probcut_level);
            control.split = Some(slot);
            control.stopped = false;
            (context.selectivity, context.probcut_level) =
                (shared.point.selectivity, shared.point.probcut_level);
            drop(guard);

            self.work(worker, slot, kind);
            (worker.control.split, worker.context.selectivity, worker.context.probcut_level) = before;
            if let Some(shared) = place.lock().as_mut() {
                shared.helpers -= 1;
            }
            self.idle.fetch_add(1, Ordering::Relaxed);
            return true;
        }
        false
    }
}

impl Helpers for Pool {
    fn are_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    fn is_cut(&self, slot: usize) -> bool {
        self.slots[slot].cut.load(Ordering::Relaxed)
    }

    fn share(&self, worker: &mut Worker, point: SplitPoint) -> Option<Best> {
        let (kind, ply) = ((point.pv, point.solving), point.node.ply);
        let slot = self.open(worker, point)?;
        let above = worker.control.split.replace(slot);
        self.work(worker, slot, kind);
        let point = self.close(worker, slot);
        worker.control.split = above;
        worker.control.refresh();
        if point.pv && !point.path.codes().is_empty() {
            worker.context.paths[ply] = point.path;
        }
        Some(point.best)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::Board;
    use crate::eval::Evaluator;
    use crate::search::memory::TranspositionTable;
    use crate::search::task::{Budget, Selectivity, Stop};
    use crate::search::tree::node::{Node, Path, Window};
    use crate::search::tree::ordering::Moves;
    use crate::search::tree::worker::{SearchState, ThreadMemory};
    use crate::util::patience::{Wait, until};

    fn point(evaluator: &Evaluator) -> SplitPoint {
        SplitPoint {
            node: Node::root(evaluator, Board::START),
            pv: false,
            solving: false,
            depth: 5,
            window: Window { alpha: 0, beta: 1 },
            best: Best { value: 0, square: None },
            moves: Moves::new(Board::START, Board::START.moves()),
            path: Path::EMPTY,
            selectivity: Selectivity::Full,
            probcut_level: 0,
        }
    }

    fn shared<'a>(
        evaluator: &'a Evaluator,
        table: &'a TranspositionTable,
        stop: &'a Stop,
        pool: &'a Pool,
    ) -> SearchState<'a> {
        SearchState { evaluator, table, budget: Arc::new(Budget::unlimited(stop)), helpers: pool }
    }

    /// Sleep has no end of its own: who misses a call never wakes.
    #[test]
    fn no_call_is_missed_between_the_last_look_and_the_sleep() {
        let (evaluator, table, stop) = (Evaluator::classic(), TranspositionTable::new(1), Stop::new());
        let pool = Pool::new(2);
        let shared = shared(&evaluator, &table, &stop, &pool);
        let mut memory = ThreadMemory::new();
        let owner = Worker::new(0, &shared, &mut memory);
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
        let slot = pool.open(&owner, point(&evaluator)).unwrap();
        comes_back("a slot was opened");
        pool.set_closed(slot);
        assert!(pool.take(slot).is_some());
        pool.finish();
        comes_back("all was done");
        // Called when it sleeps already.
        for _ in 0..200 {
            std::thread::scope(|scope| {
                scope.spawn(|| pool.sleep());
                until("nobody goes to sleep", || pool.sleepers.load(Ordering::SeqCst) == 1);
                pool.finish();
            });
            pool.done.store(false, Ordering::SeqCst);
        }
    }

    /// Between the value that cuts and the mark others may come by: a window without room is searched by nobody.
    #[test]
    fn no_move_is_taken_once_the_window_is_empty() {
        let (evaluator, table, stop) = (Evaluator::classic(), TranspositionTable::new(1), Stop::new());
        let pool = Pool::new(2);
        let shared = shared(&evaluator, &table, &stop, &pool);
        let mut memory = ThreadMemory::new();
        let mut worker = Worker::new(0, &shared, &mut memory);
        let point = SplitPoint { window: Window { alpha: 1, beta: 1 }, ..point(&evaluator) };
        let slot = pool.open(&worker, point).unwrap();
        pool.work(&mut worker, slot, (false, false));
        assert_eq!(pool.take(slot).map(|point| point.moves.taken()), Some(0));
    }

    #[test]
    fn a_cut_reaches_all_below_and_nothing_else() {
        let (evaluator, table, stop) = (Evaluator::classic(), TranspositionTable::new(1), Stop::new());
        let pool = Pool::new(3);
        let shared = shared(&evaluator, &table, &stop, &pool);
        let mut memories = [(); 3].map(|()| ThreadMemory::new());
        let threads = memories.iter_mut().enumerate();
        let mut workers: Vec<Worker> = threads.map(|(id, memory)| Worker::new(id, &shared, memory)).collect();
        let mut open = |id: usize, above: Option<usize>| {
            workers[id].control.split = above;
            pool.open(&workers[id], point(&evaluator))
        };
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
        // A slot forgets what became of its last split point.
        assert!(pool.take(late).is_some() && pool.take(deep).is_some() && pool.take(deep).is_none());
        assert_eq!(open(2, Some(right)), Some(deep));
        assert_eq!(cut(), [false, true, false, false]);
        pool.cut(top);
        assert_eq!(cut(), [true; 4]);
        // A thread has so many and no more.
        assert_eq!((2..=SLOTS).filter_map(|_| open(1, None)).count(), SLOTS - 1);
        assert_eq!(open(1, None), None);
    }
}
