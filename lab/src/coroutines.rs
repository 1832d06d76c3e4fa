//! The threads of a simulated search, as coroutines.

use std::cell::{Cell, RefCell};
use std::ptr;
use std::rc::Rc;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::search::STACK_BYTES;
use crate::search::simulated::Coroutines;

/// One helper: it yields the number of the thread that it gives way to.
type Helper = Coroutine<(), usize, ()>;

thread_local! {
    /// The helpers of the search on this thread, from number 1 on.
    static HELPERS: RefCell<Vec<Helper>> = const { RefCell::new(Vec::new()) };
    /// The way out of the helper that runs.
    static WAY_OUT: Cell<*const Yielder<(), usize>> = const { Cell::new(ptr::null()) };
}

/// Coroutines on the thread that searches.
pub struct OnThisThread;

impl Coroutines for OnThisThread {
    fn begin(&self, helpers: usize, help: Rc<dyn Fn(usize)>) {
        let helper = |id| {
            let help = Rc::clone(&help);
            let stack = DefaultStack::new(STACK_BYTES).expect("the system has memory for a stack");
            Coroutine::with_stack(stack, move |way_out: &Yielder<(), usize>, ()| {
                WAY_OUT.set(way_out);
                help(id);
            })
        };
        HELPERS.set((1..=helpers).map(helper).collect());
    }

    fn give_way(&self, from: usize, to: usize) {
        if from == 0 {
            HELPERS.with_borrow_mut(|helpers| run_from(helpers, to));
            return;
        }
        let way_out = WAY_OUT.get();
        // SAFETY: the helper `from` runs, so it has set its own way out, which lives until its function returns.
        unsafe { (*way_out).suspend(to) };
        WAY_OUT.set(way_out);
    }
}

/// Runs the helper `next`, and those that others give way to, until thread 0 is to run.
fn run_from(helpers: &mut [Helper], mut next: usize) {
    while next > 0 {
        let helper = &mut helpers[next - 1];
        if helper.done() {
            return;
        }
        next = match helper.resume(()) {
            CoroutineResult::Yield(to) => to,
            CoroutineResult::Return(()) => 0,
        };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::Board;
    use crate::board::testing::{random_position, random_positions};
    use crate::eval::Evaluator;
    use crate::search::simulated::{simulated, times};
    use crate::search::{Limits, Options, Search, Task};
    use crate::util::rng::Rng;

    fn searcher(threads: usize) -> Search {
        let options = Options {
            threads,
            hash_mib: 4,
        };
        let evaluator = Arc::new(Evaluator::default());
        simulated(&options, evaluator, Arc::new(OnThisThread))
    }

    /// Positions with 15 to 18 empties.
    fn positions() -> impl Iterator<Item = Board> {
        let all = random_positions(3, 2_000).into_iter();
        all.filter(|board| (15..=18).contains(&board.empty_count()))
            .filter(|board| !board.moves().is_empty())
            .step_by(20)
            .take(8)
    }

    #[test]
    fn helpers_run_in_turns_and_end_once() {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let notes = Rc::clone(&seen);
        OnThisThread.begin(
            2,
            Rc::new(move |id| {
                for round in 0..2 {
                    notes.borrow_mut().push((id, round));
                    OnThisThread.give_way(id, if id == 1 { 2 } else { 0 });
                }
            }),
        );
        for next in [1, 2, 1, 2, 1, 2] {
            OnThisThread.give_way(0, next);
        }
        assert_eq!(*seen.borrow(), [(1, 0), (2, 0), (2, 1), (1, 1)]);
    }

    #[test]
    fn many_simulated_threads_find_the_exact_scores_of_one() {
        let mut one = searcher(1);
        let mut many = [2, 8].map(searcher);
        for board in positions() {
            let task = Task::new(board, Limits::exact());
            let score = |search: &mut Search| {
                search.clear();
                let line = search.run(&task).info.lines.remove(0);
                (line.bound, line.proof)
            };
            let expected = score(&mut one);
            for search in &mut many {
                assert_eq!(score(search), expected, "{board}");
            }
        }
    }

    /// Simulated threads repeat; two of them gain about as much as on two processors.
    #[test]
    fn simulated_threads_are_deterministic_and_faster() {
        let board = random_position(&mut Rng::new(3), 42);
        let run = |threads| {
            let mut search = searcher(threads);
            let result = search.run(&Task::new(board, Limits::exact()));
            let score = result.info.lines[0].bound;
            (score, search.counters().nodes, times(&search))
        };
        let (expected, mut before, _) = run(1);
        for threads in [2, 8] {
            let (score, nodes, (time, idle)) = run(threads);
            assert_eq!(run(threads), (score, nodes, (time, idle)));
            assert_eq!(score, expected);
            assert!(
                time < before && idle < time * threads as u64,
                "{time} of {before}, {idle} idle"
            );
            // A node takes one unit of a thread's time; the last ones are not counted.
            let busy = time * threads as u64 - idle;
            assert!(busy >= nodes * 9 / 10, "{busy} for {nodes} nodes");
            before = time;
        }
    }
}
