//! The time of opening and of joining a split point, for `emilia bench kernels`.

use std::hint::{black_box, spin_loop};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use super::threads::{Pool, Split};
use super::tree::node::Node;
use super::tree::ordering::Moves;
use super::tree::worker::{Best, Frame, SplitPoint};
use crate::board::Board;
use crate::eval::Evaluator;

/// Split points of each measurement; tests look at no times.
const ROUNDS: usize = if cfg!(test) { 10 } else { 2_000 };

/// A node with nine moves, of which the first is searched, and its split point.
struct Shared {
    frame: Frame,
    moves: Moves,
    split: Arc<Split<SplitPoint>>,
}

impl Shared {
    fn new() -> Self {
        let play = |board: &Board| board.play(board.moves().iter().next()?);
        let mut line = std::iter::successors(Some(Board::START), play);
        let board = line.find(|board| board.moves().len() == 9);
        let board = board.expect("a position of the line has nine moves");
        let mut moves = Moves::new(board, board.moves().0);
        moves.next();
        let frame = Frame::null_window(Node::root(&Evaluator::Classic, board));
        let split = Arc::new(Split::new(SplitPoint::new(frame)));
        Self {
            frame,
            moves,
            split,
        }
    }

    fn open(&mut self, pool: &Pool<SplitPoint>) {
        let best = Best {
            value: -1,
            square: None,
        };
        let split = Arc::get_mut(&mut self.split).expect("all threads have left");
        split.point.begin(black_box(self.frame), &self.moves, best);
        split.begin(0, None, 1..9, 100);
        pool.open(0, &self.split);
    }
}

/// Names and median times in nanoseconds, the clock's own time included: opening and closing without a helper; opening,
/// closing and joining where a second thread joins each split point, reads it and leaves it.
pub fn split_costs() -> [(&'static str, f64); 4] {
    let pool = Pool::new(8, None);
    let mut shared = Shared::new();
    let untouched = times(|| {
        shared.open(&pool);
        pool.close(0);
    });
    let opened = AtomicUsize::new(0);
    let left = AtomicUsize::new(0);
    let mut closing = Vec::with_capacity(ROUNDS);
    let [opening, joining] = thread::scope(|scope| {
        let helper = scope.spawn(|| {
            let mut joining = Vec::with_capacity(ROUNDS);
            for round in 1..=ROUNDS {
                await_count(&opened, round);
                joining.push(time(|| {
                    let (split, index) = pool.join(1, None).expect("the split point is open");
                    black_box((split.point.frame.node, split.point.moves.get(index)));
                    pool.leave(&split);
                }));
                left.store(round, Ordering::Release);
            }
            joining
        });
        let mut opening = Vec::with_capacity(ROUNDS);
        for round in 1..=ROUNDS {
            opening.push(time(|| shared.open(&pool)));
            opened.store(round, Ordering::Release);
            await_count(&left, round);
            closing.push(time(|| pool.close(0)));
        }
        [opening, helper.join().expect("the helper ends")]
    });
    [
        ("open, close: alone", median(untouched)),
        ("open a split point", median(opening)),
        ("join a split point", median(joining)),
        ("close a split point", median(closing)),
    ]
}

/// Waits until another thread has counted to `count`; that thread may need this processor.
fn await_count(counter: &AtomicUsize, count: usize) {
    let mut looks = 0_u32;
    while counter.load(Ordering::Acquire) != count {
        looks += 1;
        if looks.is_multiple_of(1024) {
            thread::yield_now();
        } else {
            spin_loop();
        }
    }
}

fn times(mut run: impl FnMut()) -> Vec<f64> {
    (0..ROUNDS).map(|_| time(&mut run)).collect()
}

/// The time of one call in nanoseconds.
fn time(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e9
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
