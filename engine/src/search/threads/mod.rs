//! Split points: nodes whose remaining moves any thread of the search may take.
//!
//! A thread puts a node that is large enough on its desk; idle threads join the largest split point of all desks. Owner and
//! helpers take moves by a counter, without a lock. An owner whose last moves helpers search helps below its split
//! point, else searches such a move too: it never loses more than that move by a helper. The thread that finds a cutoff
//! signals all threads below; each thread looks at one flag.
//!
//! Source: Feldmann, Monien, Mysliwietz, Vornberger, "Distributed game tree search" (1989) for the young
//! brothers that wait, and the helpful master.

mod crew;
mod simulated;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

pub(super) use crew::Crew;
pub use simulated::Coroutines;
pub(super) use simulated::{JOIN_COST, OPEN_COST, Simulation, TICK_NODES};

use crate::search::params::WAIT_SPINS;

/// The state of a split point that is fixed while it is open, and its counters.
pub(super) struct Split<P> {
    /// The node.
    pub point: P,
    /// The split point above this one.
    parent: Option<Arc<Self>>,
    /// Nodes that a move probably costs.
    move_nodes: u64,
    /// Number of moves, at most 64.
    moves: usize,
    /// The next move to take.
    next: AtomicUsize,
    /// The moves with a result.
    done: AtomicU64,
    helpers: AtomicUsize,
    /// Its results are void or no longer needed.
    cut: AtomicBool,
    /// The owner searches moves of helpers.
    retakes: AtomicBool,
    /// The threads that have worked here or below, each the bit of its number modulo 64.
    members: AtomicU64,
}

impl<P> Split<P> {
    /// A split point without moves.
    pub fn new(point: P) -> Self {
        Self {
            point,
            parent: None,
            move_nodes: 0,
            moves: 0,
            next: AtomicUsize::new(0),
            done: AtomicU64::new(0),
            helpers: AtomicUsize::new(0),
            cut: AtomicBool::new(false),
            retakes: AtomicBool::new(false),
            members: AtomicU64::new(0),
        }
    }

    /// Becomes a split point of thread `id` below `parent`. Its `moves`, of which the first is at least 1 and the last at
    /// most 63, probably cost `move_nodes` each.
    pub fn begin(
        &mut self,
        id: usize,
        parent: Option<Arc<Self>>,
        moves: Range<usize>,
        move_nodes: u64,
    ) {
        self.parent = parent;
        self.move_nodes = move_nodes;
        self.moves = moves.end;
        *self.next.get_mut() = moves.start;
        *self.done.get_mut() = (1 << moves.start) - 1;
        *self.helpers.get_mut() = 0;
        *self.cut.get_mut() = false;
        *self.retakes.get_mut() = false;
        *self.members.get_mut() = bit(id);
    }

    /// Forgets the split point above this one, which its owner may need again.
    pub fn end(&mut self) {
        self.parent = None;
    }

    /// This split point and those above it, the nearest first.
    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |split| split.parent.as_deref())
    }

    /// Whether the search at or below it is void.
    pub fn is_void(&self) -> bool {
        self.chain().any(|split| split.cut.load(Ordering::SeqCst))
    }

    /// The index of a move that no thread has taken.
    pub fn take(&self) -> Option<usize> {
        if self.cut.load(Ordering::Relaxed) {
            return None;
        }
        Some(self.next.fetch_add(1, Ordering::AcqRel)).filter(|&next| next < self.moves)
    }

    /// The index of a move that a helper has taken and that has no result.
    pub fn retake(&self) -> Option<usize> {
        self.retakes.store(true, Ordering::SeqCst);
        let first = self.done.load(Ordering::SeqCst).trailing_ones() as usize;
        (first < self.moves).then_some(first)
    }

    /// Whether all moves have results.
    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::SeqCst) == !0 >> (64 - self.moves)
    }

    /// Nodes that helpers could take over.
    fn size(&self) -> u64 {
        let left = self.moves.saturating_sub(self.next.load(Ordering::Relaxed));
        if self.cut.load(Ordering::Relaxed) {
            0
        } else {
            self.move_nodes * left as u64
        }
    }
}

/// The bit of a thread among the members of a split point.
fn bit(id: usize) -> u64 {
    1 << (id % 64)
}

/// The work that a thread offers. Fills the cache lines that the processor loads together.
#[repr(align(128))]
struct Desk<P> {
    /// Its open split points, the outermost first.
    splits: Mutex<Vec<Arc<Split<P>>>>,
    /// The size of the largest one; others look here first.
    largest: AtomicU64,
    /// A split point was cut, perhaps above the thread's work.
    signal: AtomicBool,
}

impl<P> Desk<P> {
    fn new() -> Self {
        Self {
            splits: Mutex::default(),
            largest: AtomicU64::new(0),
            signal: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Split<P>>>> {
        // A panic elsewhere ends the search; the data are plain.
        self.splits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`Self::lock`], unless another thread has the lock.
    fn try_lock(&self) -> Option<MutexGuard<'_, Vec<Arc<Split<P>>>>> {
        match self.splits.try_lock() {
            Ok(splits) => Some(splits),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Notes the size of the largest split point.
    fn note_largest(&self, splits: &[Arc<Split<P>>]) {
        let largest = splits.iter().map(|split| split.size()).max().unwrap_or(0);
        self.largest.store(largest, Ordering::Relaxed);
    }
}

/// The split points of one search.
pub(super) struct Pool<P> {
    /// By thread; empty for a single thread.
    desks: Vec<Desk<P>>,
    /// The search has ended.
    done: AtomicBool,
    simulation: Option<Simulation>,
}

impl<P> Pool<P> {
    /// A pool for this number of threads, the main one included.
    pub fn new(threads: usize, simulation: Option<Simulation>) -> Self {
        let threads = if threads > 1 { threads } else { 0 };
        let desks = std::iter::repeat_with(Desk::new).take(threads).collect();
        Self {
            desks,
            done: AtomicBool::new(false),
            simulation,
        }
    }

    /// Whether there are threads to share nodes with.
    #[inline(always)]
    pub fn is_shared(&self) -> bool {
        !self.desks.is_empty()
    }

    /// Whether the search has ended.
    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire)
    }

    /// Ends the search: helpers find no more work.
    pub fn finish(&self) {
        self.done.store(true, Ordering::Release);
        self.desks
            .iter()
            .for_each(|desk| desk.lock().iter().for_each(|split| self.cut(split)));
        if let Some(simulation) = &self.simulation {
            simulation.finish();
        }
    }

    /// The simulated time, if it is simulated.
    pub fn simulation(&self) -> Option<&Simulation> {
        self.simulation.as_ref()
    }

    /// Whether a split point was cut since the last call, perhaps above the work of thread `id`.
    #[inline(always)]
    pub fn is_signaled(&self, id: usize) -> bool {
        self.desks.get(id).is_some_and(|desk| {
            desk.signal.load(Ordering::Relaxed) && desk.signal.swap(false, Ordering::SeqCst)
        })
    }

    /// Puts `split` on the desk of thread `id`.
    pub fn open(&self, id: usize, split: &Arc<Split<P>>) {
        let desk = &self.desks[id];
        let mut splits = desk.lock();
        splits.push(Arc::clone(split));
        let largest = desk.largest.load(Ordering::Relaxed);
        desk.largest
            .store(largest.max(split.size()), Ordering::Relaxed);
    }

    /// Takes the last split point off the desk of thread `id`. Threads still at work there stop.
    pub fn close(&self, id: usize) {
        let desk = &self.desks[id];
        let mut splits = desk.lock();
        let split = splits.pop();
        desk.note_largest(&splits);
        drop(splits);
        if let Some(split) = split.filter(|split| split.helpers.load(Ordering::SeqCst) > 0) {
            self.cut(&split);
        }
    }

    /// Ends the work at and below `split`.
    ///
    /// No lost signal: this stores `cut`, then reads `members`; a thread that joins enters `members`, then reads `cut`.
    pub fn cut(&self, split: &Split<P>) {
        split.cut.store(true, Ordering::SeqCst);
        let members = split.members.load(Ordering::SeqCst);
        for (id, desk) in self.desks.iter().enumerate() {
            if members & bit(id) != 0 {
                desk.signal.store(true, Ordering::SeqCst);
            }
        }
    }

    /// Notes the result of a move, after the split point has it.
    pub fn resolve(&self, split: &Split<P>, index: usize) {
        split.done.fetch_or(1 << index, Ordering::SeqCst);
        // The owner may be searching this move too.
        if split.retakes.load(Ordering::SeqCst) && split.is_done() {
            self.cut(split);
        }
    }

    /// Joins the largest open split point (below `above`, if given), and takes a move there. The thread must
    /// [`Self::leave`] it. A desk that another thread uses at the moment is passed over: a thread with work waits for no
    /// idle ones.
    pub fn join(&self, id: usize, above: Option<&Split<P>>) -> Option<(Arc<Split<P>>, usize)> {
        let members = above.map_or(!0, |above| above.members.load(Ordering::Relaxed));
        let mut bound = u64::MAX;
        loop {
            let sizes = self
                .desks
                .iter()
                .enumerate()
                .filter(|&(owner, _)| members & bit(owner) != 0);
            // Sizes are distinct to the last bits, which number the desk.
            let sizes =
                sizes.map(|(owner, desk)| desk.largest.load(Ordering::Relaxed) << 8 | owner as u64);
            let largest = sizes.filter(|&size| size >= 1 << 8 && size < bound).max()?;
            bound = largest;
            let owner = (largest % (1 << 8)) as usize;
            let desk = &self.desks[owner];
            let Some(splits) = desk.try_lock() else {
                continue;
            };
            let is_below = |split: &Split<P>| {
                above.is_none_or(|above| {
                    split
                        .chain()
                        .skip(1)
                        .any(|other| std::ptr::eq(above, other))
                })
            };
            let open = splits
                .iter()
                .filter(|split| split.size() > 0 && is_below(split) && !split.is_void());
            let taken = open
                .max_by_key(|split| split.size())
                .and_then(|split| Some((Arc::clone(split), split.take()?)));
            desk.note_largest(&splits);
            let Some((split, index)) = taken else {
                continue;
            };
            split.helpers.fetch_add(1, Ordering::SeqCst);
            drop(splits);
            for split in split.chain() {
                split.members.fetch_or(bit(id), Ordering::SeqCst);
            }
            return Some((split, index));
        }
    }

    /// Ends the help at `split`.
    pub fn leave(&self, split: &Split<P>) {
        split.helpers.fetch_sub(1, Ordering::SeqCst);
    }

    /// Waits a moment; false when the thread has waited `spins` times without an event and should do something else.
    pub fn pause(&self, id: usize, spins: &mut u32) -> bool {
        if let Some(simulation) = &self.simulation {
            simulation.wait(id);
            return true;
        }
        *spins += 1;
        std::hint::spin_loop();
        *spins < WAIT_SPINS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::testing::samples;

    /// Opens a split point of thread `id`, with two moves of `size` nodes.
    fn open(
        pool: &Pool<u8>,
        id: usize,
        parent: Option<&Arc<Split<u8>>>,
        size: u64,
    ) -> Arc<Split<u8>> {
        let mut split = Split::new(0);
        split.begin(id, parent.cloned(), 1..3, size);
        let split = Arc::new(split);
        pool.open(id, &split);
        split
    }

    #[test]
    fn a_cut_is_signaled_to_those_below_and_to_nobody_else() {
        let pool = Pool::new(4, None);
        let signaled = || [0, 1, 2, 3].map(|id| pool.is_signaled(id));
        let top = open(&pool, 0, None, 5);
        assert!(
            pool.join(1, None)
                .is_some_and(|joined| Arc::ptr_eq(&joined.0, &top))
        );
        let left = open(&pool, 1, Some(&top), 4);
        assert!(
            pool.join(2, Some(&top))
                .is_some_and(|joined| Arc::ptr_eq(&joined.0, &left))
        );
        let right = open(&pool, 0, Some(&top), 3);
        let deep = open(&pool, 2, Some(&left), 2);
        let is_void = || [&top, &left, &right, &deep].map(|split| split.is_void());
        assert_eq!((signaled(), is_void()), ([false; 4], [false; 4]));
        pool.cut(&left);
        assert_eq!(
            (signaled(), is_void()),
            ([false, true, true, false], [false, true, false, true])
        );
        assert_eq!(signaled(), [false; 4], "a signal comes once");
        assert!(left.take().is_none() && right.take() == Some(1));
        pool.cut(&top);
        assert_eq!(
            (signaled(), is_void()),
            ([true, true, true, false], [true; 4])
        );
        assert!(pool.join(3, None).is_none(), "all work is void");
    }

    #[test]
    fn the_largest_open_split_point_is_joined_first() {
        let pool = Pool::new(3, None);
        let [small, large] = [(0, 15), (1, 20)].map(|(id, size)| open(&pool, id, None, size));
        let join = || {
            let (split, index) = pool.join(2, None)?;
            Some((split.move_nodes, index))
        };
        assert_eq!(join(), Some((20, 1)));
        assert_eq!([large.take(), large.take()], [Some(2), None]);
        assert_eq!(join(), Some((15, 1)));
        let busy = pool.desks[0].lock();
        assert_eq!(join(), None, "its owner uses the desk");
        drop(busy);
        assert_eq!(join(), Some((15, 2)));
        assert_eq!(small.take(), None);
        assert_eq!(join(), None);
        assert!(
            pool.join(2, Some(&large)).is_none(),
            "nothing is open below"
        );
        pool.close(1);
        assert!(large.is_void() && pool.is_signaled(2) && join().is_none());
    }

    #[test]
    fn a_split_point_is_done_when_each_move_has_a_result() {
        let pool = Pool::new(2, None);
        let split = open(&pool, 0, None, 9);
        assert_eq!(
            [split.take(), split.take(), split.take()],
            [Some(1), Some(2), None]
        );
        pool.resolve(&split, 2);
        assert_eq!((split.is_done(), split.retake()), (false, Some(1)));
        pool.resolve(&split, 1);
        assert!(split.is_done() && split.retake().is_none());
        assert!(pool.is_signaled(0), "the owner may be searching move 1");
    }

    #[test]
    fn each_move_of_a_reused_split_point_is_taken_once() {
        type Counts = [AtomicUsize; 8];
        let pool: Pool<Counts> = Pool::new(4, None);
        let work = |split: &Split<Counts>, index: usize| {
            split.point[index].fetch_add(1, Ordering::Relaxed);
            pool.resolve(split, index);
        };
        let help = |id| {
            while !pool.is_done() {
                let Some((split, index)) = pool.join(id, None) else {
                    std::thread::yield_now();
                    continue;
                };
                work(&split, index);
                while let Some(index) = split.take() {
                    work(&split, index);
                }
                pool.leave(&split);
            }
        };
        let mut results = Vec::new();
        std::thread::scope(|scope| {
            (1..4).for_each(|id| drop(scope.spawn(move || help(id))));
            let mut spare: Vec<Arc<Split<Counts>>> = Vec::new();
            for round in 0..samples(500) as usize {
                let fresh = || Arc::new(Split::new(Counts::default()));
                let mut split = spare.pop().unwrap_or_else(fresh);
                let unused = Arc::get_mut(&mut split).expect("no thread uses it");
                unused.point = Counts::default();
                unused.begin(0, None, 1..8, 1);
                pool.open(0, &split);
                // Helpers take the moves that the owner leaves.
                let own = std::iter::from_fn(|| split.take()).take(round % 8);
                own.for_each(|index| work(&split, index));
                while !split.is_done() {
                    std::thread::yield_now();
                }
                pool.close(0);
                results.push(split.point.each_ref().map(|c| c.load(Ordering::Relaxed)));
                let is_unused = Arc::get_mut(&mut split).is_some();
                spare.extend(is_unused.then_some(split));
            }
            pool.finish();
        });
        for result in results {
            assert_eq!(result, [0, 1, 1, 1, 1, 1, 1, 1]);
        }
    }
}
