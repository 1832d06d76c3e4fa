//! Several threads in one tree: split points at siblings after the first.
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

use crate::board::Square;

use super::Selectivity;
use super::node::{Kind, Midgame, Node, Null, Path, Pv, Solving, Stage};
use super::ordering::Moves;
use super::params::{SPLIT_DEPTH, SPLIT_EMPTIES};
use super::thread::Worker;

/// Split points that one thread can have open at a time.
const SLOTS: usize = 8;
/// Looks for work before an idle thread goes to sleep.
const SPINS: u32 = 4000;
/// "No split point": the top of every chain.
const NONE: usize = usize::MAX;

/// What the threads at a split point share.
struct Split {
    node: Node,
    solving: bool,
    pv: bool,
    depth: i32,
    alpha: i32,
    beta: i32,
    best: i32,
    best_square: Option<Square>,
    path: Path,
    moves: Moves,
    index: usize,
    selectivity: Selectivity,
    probcut_level: i32,
    /// Helpers at work, the owner not counted.
    helpers: usize,
}

/// A place for a split point.
#[derive(Default)]
struct Slot {
    /// There may be moves left to take.
    open: AtomicBool,
    /// Everything below is in vain.
    cut: AtomicBool,
    /// The split point above this one.
    parent: AtomicUsize,
    split: Mutex<Option<Split>>,
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Option<Split>> {
        // A panic elsewhere ends the search anyway; the data are plain numbers.
        self.split.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The split points of one search and its idle threads.
pub(super) struct Pool {
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

    /// Whether `slot` or a split point above it has been cut.
    fn is_cut(&self, mut slot: usize) -> bool {
        while slot != NONE {
            if self.slots[slot].cut.load(Ordering::Relaxed) {
                return true;
            }
            slot = self.slots[slot].parent.load(Ordering::Relaxed);
        }
        false
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

    /// Sends all helpers home.
    pub fn finish(&self) {
        self.done.store(true, Ordering::Release);
        self.rouse();
    }

    fn rouse(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            drop(self.asleep.lock());
            self.wake.notify_all();
        }
    }

    /// Sleeps until roused, or a little while in case the call was missed.
    fn sleep(&self) {
        let guard = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let _ = self.wake.wait_timeout(guard, Duration::from_millis(2));
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Worker<'_> {
    /// Whether what this thread is doing has been cut off by another one.
    #[inline(always)]
    pub fn is_cut_off(&self) -> bool {
        self.split != NONE && self.shared.pool.is_cut(self.split)
    }

    /// Whether the rest of a node's moves should be shared: it is large enough and someone is idle.
    #[inline(always)]
    pub fn wants_help<S: Stage>(&self, depth: i32, moves_left: usize) -> bool {
        depth >= if S::SOLVING { SPLIT_EMPTIES } else { SPLIT_DEPTH }
            && moves_left > 1
            && !self.unstoppable
            && self.shared.pool.idle.load(Ordering::Relaxed) > 0
    }

    /// Searches the rest of `moves` together with idle threads.
    ///
    /// `best` is the value and move so far; the new ones come back. `None` if all places are taken.
    #[expect(clippy::too_many_arguments, reason = "the whole state of a node's loop")]
    pub fn split<K: Kind, S: Stage>(
        &mut self,
        node: &Node,
        moves: &Moves,
        index: usize,
        depth: i32,
        alpha: i32,
        beta: i32,
        best: (i32, Option<Square>),
    ) -> Option<(i32, Option<Square>)> {
        let pool = &self.shared.pool;
        let own = self.id * SLOTS..(self.id + 1) * SLOTS;
        let slot = own.into_iter().find(|&slot| pool.slots[slot].lock().is_none())?;
        let place = &pool.slots[slot];
        *place.lock() = Some(Split {
            node: *node,
            solving: S::SOLVING,
            pv: K::PV,
            depth,
            alpha,
            beta,
            best: best.0,
            best_square: best.1,
            path: Path::EMPTY,
            moves: moves.clone(),
            index,
            selectivity: self.selectivity,
            probcut_level: self.probcut_level,
            helpers: 0,
        });
        place.parent.store(self.split, Ordering::Relaxed);
        place.cut.store(false, Ordering::Relaxed);
        place.open.store(true, Ordering::Release);
        pool.rouse();

        let above = std::mem::replace(&mut self.split, slot);
        self.work_at::<K, S>(slot);
        // Help below until the helpers are gone; nobody can join any more.
        place.open.store(false, Ordering::Release);
        if self.stopped && !place.cut.load(Ordering::Relaxed) {
            place.cut.store(true, Ordering::Relaxed);
        }
        // Others may split their nodes for the owner, too.
        pool.idle.fetch_add(1, Ordering::Relaxed);
        let result = loop {
            let mut guard = place.lock();
            if let Some(split) = guard.take_if(|split| split.helpers == 0) {
                break split;
            }
            drop(guard);
            if !self.join(slot) {
                std::hint::spin_loop();
            }
        };
        pool.idle.fetch_sub(1, Ordering::Relaxed);
        self.split = above;
        self.stopped = !self.unstoppable && self.shared.ended.load(Ordering::Relaxed) || self.is_cut_off();
        if K::PV && !result.path.codes().is_empty() {
            self.paths[node.ply] = result.path;
        }
        Some((result.best, result.best_square))
    }

    /// Takes moves from a split point until none is left or it is cut.
    fn work_at<K: Kind, S: Stage>(&mut self, slot: usize) {
        let place = &self.shared.pool.slots[slot];
        loop {
            let mut guard = place.lock();
            let Some(split) = guard.as_mut() else { return };
            if place.cut.load(Ordering::Relaxed) {
                return;
            }
            let Some(candidate) = split.moves.next() else {
                place.open.store(false, Ordering::Relaxed);
                return;
            };
            let (node, index, depth) = (split.node, split.index, split.depth);
            let (alpha, beta) = (split.alpha, split.beta);
            split.index += 1;
            drop(guard);

            let value = self.try_move::<K, S>(&node, &candidate, index, depth, alpha, beta);
            if self.stopped {
                return;
            }

            let mut guard = place.lock();
            let Some(split) = guard.as_mut() else { return };
            if value > split.best {
                split.best = value;
                split.best_square = Some(candidate.square);
                if value > split.alpha {
                    split.alpha = value;
                    if K::PV {
                        self.set_path(node.ply, split.best_square);
                        split.path = self.paths[node.ply];
                    }
                    if value >= split.beta {
                        place.cut.store(true, Ordering::Relaxed);
                        place.open.store(false, Ordering::Relaxed);
                    }
                }
            }
        }
    }

    /// Joins an open split point below `above` (or any, if `NONE`) and works there; whether it did.
    fn join(&mut self, above: usize) -> bool {
        let pool = &self.shared.pool;
        for (slot, place) in pool.slots.iter().enumerate() {
            if !place.open.load(Ordering::Acquire) {
                continue;
            }
            let mut guard = place.lock();
            let Some(split) = guard.as_mut() else { continue };
            // Looked at under the lock: an open split point cannot go away, nor those above it.
            let fits = above == NONE || pool.is_below(slot, above);
            if !fits || !place.open.load(Ordering::Acquire) || pool.is_cut(slot) {
                continue;
            }
            split.helpers += 1;
            pool.idle.fetch_sub(1, Ordering::Relaxed);
            let (pv, solving) = (split.pv, split.solving);
            let before = (self.split, self.selectivity, self.probcut_level);
            (self.split, self.selectivity, self.probcut_level) =
                (slot, split.selectivity, split.probcut_level);
            drop(guard);

            self.stopped = false;
            match (pv, solving) {
                (true, true) => self.work_at::<Pv, Solving>(slot),
                (true, false) => self.work_at::<Pv, Midgame>(slot),
                (false, true) => self.work_at::<Null, Solving>(slot),
                (false, false) => self.work_at::<Null, Midgame>(slot),
            }
            (self.split, self.selectivity, self.probcut_level) = before;
            if let Some(split) = place.lock().as_mut() {
                split.helpers -= 1;
            }
            pool.idle.fetch_add(1, Ordering::Relaxed);
            return true;
        }
        false
    }

    /// The life of a helper thread: joins what is open until the search is done.
    pub fn help(&mut self) {
        let pool = &self.shared.pool;
        let mut spins = 0;
        pool.idle.fetch_add(1, Ordering::Relaxed);
        while !pool.done.load(Ordering::Acquire) {
            if self.join(NONE) {
                spins = 0;
                continue;
            }
            spins += 1;
            if spins < SPINS {
                std::hint::spin_loop();
            } else {
                pool.sleep();
            }
        }
        self.report();
    }
}

/// The split point of a thread that works at none.
pub(super) const NO_SPLIT: usize = NONE;
