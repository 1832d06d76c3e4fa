//! The time of opening and of joining a split point, for `emilia bench kernels`.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use super::threads::{Pool, Split};
use super::tree::worker::SplitPoint;

/// Split points of each measurement; tests look at no times.
const ROUNDS: usize = if cfg!(test) { 10 } else { 2_000 };

/// Data of the size of a node that is shared.
type Point = [u64; size_of::<SplitPoint>() / 8];

/// A split point of thread 0 with eight moves, of which the first is searched.
fn split() -> Split<Point> {
    let point = black_box([1; size_of::<SplitPoint>() / 8]);
    Split::new(0, None, point, 1..9, 100)
}

/// Names and median times in nanoseconds, the clock's own time included: opening and closing without a helper; opening,
/// closing and joining where a second thread joins each split point, reads it and leaves it.
pub fn split_costs() -> [(&'static str, f64); 4] {
    let pool = Pool::new(8, None);
    let untouched = times(|| {
        black_box(pool.open(0, split()));
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
                    let split = pool.join(1, None).expect("the split point is open");
                    black_box((split.take(), split.point.iter().sum::<u64>()));
                    pool.leave(&split);
                }));
                left.store(round, Ordering::Release);
            }
            joining
        });
        let mut opening = Vec::with_capacity(ROUNDS);
        for round in 1..=ROUNDS {
            opening.push(time(|| drop(pool.open(0, split()))));
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
