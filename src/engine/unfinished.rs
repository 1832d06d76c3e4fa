//! The jobs that an engine has not finished yet: known to the handle and to the worker.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::event::JobId;
use crate::search::Stop;

/// The jobs handed in and not yet finished, oldest first.
#[derive(Default)]
pub(super) struct Unfinished {
    jobs: Mutex<Jobs>,
    pub(super) changed: Condvar,
}

#[derive(Default)]
pub(super) struct Jobs {
    last_id: u64,
    pub(super) running: Vec<(JobId, Stop)>,
}

impl Unfinished {
    pub(super) fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self) -> (JobId, Stop) {
        let mut jobs = self.lock();
        jobs.last_id += 1;
        let entry = (JobId(jobs.last_id), Stop::new());
        jobs.running.push(entry.clone());
        entry
    }

    pub(super) fn remove(&self, id: JobId) {
        self.lock().running.retain(|(other, _)| *other != id);
        self.changed.notify_all();
    }
}
