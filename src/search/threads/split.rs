//! Split points at siblings after the first.
//!
//! A thread that has searched the first move of a node while others are idle opens a split point there:
//! the rest of the moves, the window and the best so far, behind a lock that is taken once per move.
//! Idle threads join any open one. The owner works along, then helps below its own split point until
//! all are done. A cut is a flag that everyone below looks at. Idle threads spin, then sleep.
//! With one thread nothing here is touched but one count per node.
//!
//! Source: Feldmann, Monien, Mysliwietz, Vornberger, "Distributed game tree search" (1989) for the young
//! brothers that wait, and the helpful master.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::search::tree::node::{NodeType, NonPv, Pv};
use crate::search::tree::phase::{Midgame, Phase, Solving};
use crate::search::tree::worker::{Best, Helpers, SplitPoint, Worker};

/// Split points that one thread can have open at a time.
const SLOTS: usize = 8;
/// Looks for work before an idle thread goes to sleep.
const SPINS: u32 = 4000;
/// "No split point": the top of every chain.
const NONE: usize = usize::MAX;

/// A place for a split point.
#[derive(Default)]
struct Slot {
    /// There may be moves left to take.
    open: AtomicBool,
    /// Everything below is in vain.
    cut: AtomicBool,
    /// The split point above this one.
    parent: AtomicUsize,
    shared: Mutex<Option<Shared>>,
}

/// What the threads at a split point share.
struct Shared {
    point: SplitPoint,
    /// Helpers at work, the owner not counted.
    helpers: usize,
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Option<Shared>> {
        // A panic elsewhere ends the search anyway; the data are plain numbers.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The split points of one search and its idle threads.
pub(in crate::search) struct Pool {
    slots: Vec<Slot>,
    idle: AtomicUsize,
    asleep: Mutex<()>,
    sleepers: AtomicUsize,
    wake: Condvar,
    done: AtomicBool,
}

impl Pool {
    /// A pool for so many threads, the main one included.
    pub fn new(threads: usize) -> Self {
        let slots = if threads > 1 { threads * SLOTS } else { 0 };
        Self {
            slots: std::iter::repeat_with(Slot::default).take(slots).collect(),
            idle: AtomicUsize::new(0),
            asleep: Mutex::new(()),
            sleepers: AtomicUsize::new(0),
            wake: Condvar::new(),
            done: AtomicBool::new(false),
        }
    }

    /// The life of a helper thread: joins what is open until the search is done.
    pub fn help(&self, worker: &mut Worker) {
        let mut spins = 0;
        self.idle.fetch_add(1, Ordering::Relaxed);
        while !self.done.load(Ordering::Acquire) {
            if self.join(worker, NONE) {
                spins = 0;
                continue;
            }
            spins += 1;
            if spins < SPINS {
                std::hint::spin_loop();
            } else {
                self.sleep();
            }
        }
        worker.report();
    }

    /// Sends all helpers home.
    pub fn finish(&self) {
        self.done.store(true, Ordering::Release);
        self.wake_all();
    }

    fn wake_all(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            drop(self.asleep.lock());
            self.wake.notify_all();
        }
    }

    /// Sleeps until woken, or a little while in case the call was missed.
    fn sleep(&self) {
        let guard = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let _ = self.wake.wait_timeout(guard, Duration::from_millis(2));
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether `slot` lies below `above`.
    fn is_below(&self, mut slot: usize, above: usize) -> bool {
        while slot != NONE {
            slot = self.slots[slot].parent.load(Ordering::Relaxed);
            if slot == above {
                return true;
            }
        }
        false
    }

    /// Puts `point` into a free slot of the worker's own and opens it; the slot.
    fn open(&self, worker: &Worker, point: SplitPoint) -> Option<usize> {
        let own = worker.control.id * SLOTS..(worker.control.id + 1) * SLOTS;
        let slot = own.into_iter().find(|&slot| self.slots[slot].lock().is_none())?;
        let place = &self.slots[slot];
        *place.lock() = Some(Shared { point, helpers: 0 });
        place.parent.store(worker.control.split.unwrap_or(NONE), Ordering::Relaxed);
        place.cut.store(false, Ordering::Relaxed);
        place.open.store(true, Ordering::Release);
        self.wake_all();
        Some(slot)
    }

    /// Helps below `slot` until its helpers are gone, and takes the split point out; nobody can join any more.
    fn close(&self, worker: &mut Worker, slot: usize) -> SplitPoint {
        let place = &self.slots[slot];
        place.open.store(false, Ordering::Release);
        if worker.control.stopped && !place.cut.load(Ordering::Relaxed) {
            place.cut.store(true, Ordering::Relaxed);
        }
        // Others may split their nodes for the owner, too.
        self.idle.fetch_add(1, Ordering::Relaxed);
        let shared = loop {
            if let Some(shared) = place.lock().take_if(|shared| shared.helpers == 0) {
                break shared;
            }
            if !self.join(worker, slot) {
                std::hint::spin_loop();
            }
        };
        self.idle.fetch_sub(1, Ordering::Relaxed);
        shared.point
    }

    /// Takes moves from the split point at `slot` until none is left or it is cut.
    fn work_at<N: NodeType, P: Phase>(&self, worker: &mut Worker, slot: usize) {
        let place = &self.slots[slot];
        loop {
            let mut guard = place.lock();
            let Some(Shared { point, .. }) = guard.as_mut() else { return };
            if place.cut.load(Ordering::Relaxed) {
                return;
            }
            let Some(candidate) = point.moves.next() else {
                place.open.store(false, Ordering::Relaxed);
                return;
            };
            let (node, index, depth, window) = (point.node, point.index, point.depth, point.window);
            point.index += 1;
            drop(guard);

            let value = worker.try_move::<N, P>(&node, &candidate, index, depth, window);
            if worker.control.stopped {
                return;
            }

            let mut guard = place.lock();
            let Some(Shared { point, .. }) = guard.as_mut() else { return };
            if value > point.best.value {
                point.best = Best { value, square: Some(candidate.square) };
                if value > point.window.alpha {
                    point.window.alpha = value;
                    if N::PV {
                        worker.context.set_path(node.ply, point.best.square);
                        point.path = worker.context.paths[node.ply];
                    }
                    if value >= point.window.beta {
                        place.cut.store(true, Ordering::Relaxed);
                        place.open.store(false, Ordering::Relaxed);
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
        for (slot, place) in self.slots.iter().enumerate() {
            if !place.open.load(Ordering::Acquire) {
                continue;
            }
            let mut guard = place.lock();
            let Some(shared) = guard.as_mut() else { continue };
            // Looked at under the lock: an open split point cannot go away, nor those above it.
            let fits = above == NONE || self.is_below(slot, above);
            if !fits || !place.open.load(Ordering::Acquire) || self.is_cut(slot) {
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

    fn is_cut(&self, mut slot: usize) -> bool {
        while slot != NONE {
            if self.slots[slot].cut.load(Ordering::Relaxed) {
                return true;
            }
            slot = self.slots[slot].parent.load(Ordering::Relaxed);
        }
        false
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
