//! Cases that are checked at the same time: for tests that wait, and for long tests at the end of a run.

use std::sync::Mutex;
use std::thread;

/// Checks all cases, so many at a time; a failed one fails the test behind the last case.
pub fn in_parallel<T: Send>(
    at_a_time: usize,
    cases: impl IntoIterator<Item = T, IntoIter: Send>,
    check: impl Fn(T) + Sync,
) {
    let cases = Mutex::new(cases.into_iter());
    thread::scope(|scope| {
        for _ in 0..at_a_time {
            scope.spawn(|| {
                while let Some(case) = { cases.lock().unwrap().next() } {
                    check(case);
                }
            });
        }
    });
}
