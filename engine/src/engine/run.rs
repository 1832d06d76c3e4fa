//! Where each search of the engine starts: strong play, weak play or a person.

use super::people::run_person;
use super::weak::WeakSearch;
use crate::search::{Observer, Search, SearchResult, Stop, Task, with_passes};

/// Runs `task` by `search`, or by the weak search or the model of people if there is a handicap.
pub fn run_task(
    search: &mut Search,
    task: &Task,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> SearchResult {
    let Some(handicap) = task.handicap else {
        return search.run_with(task, stop, observer);
    };
    with_passes(task, observer, |task, _, observer| {
        if let Some(person) = handicap.person {
            let evaluator = search.evaluator();
            return run_person(evaluator, task, (person, handicap.seed), stop, observer);
        }
        WeakSearch::new(handicap, search.evaluator(), task, stop).run(task, observer)
    })
}
