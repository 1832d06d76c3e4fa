//! Loading an evaluation in the background: unpacking the weights takes a tenth of a second or more, and the engine must
//! react to a stop meanwhile.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::file::WeightsError;
use super::{EvalKind, Evaluator};

/// The interval between two calls of `gives_up`.
const LOOK: Duration = Duration::from_millis(1);

/// The result of loading, shared by all waiting threads.
pub type Loaded = Result<Arc<Evaluator>, Arc<WeightsError>>;

/// A loading evaluation. Clones wait for the same one.
#[derive(Clone, Debug, Default)]
pub struct Loading(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    loaded: Mutex<Option<Loaded>>,
    done: Condvar,
}

impl Loading {
    /// Starts [`Evaluator::load`] on another thread; returns at once.
    pub fn start(kind: Option<EvalKind>, path: Option<PathBuf>) -> Self {
        let loading = Self::default();
        let there = loading.clone();
        let load = move || {
            there.finish(
                Evaluator::load(kind, path.as_deref())
                    .map(Arc::new)
                    .map_err(Arc::new),
            );
        };
        let thread = thread::Builder::new().name("emilia-weights".into());
        if thread.spawn(load.clone()).is_err() {
            // The system starts no thread: load here.
            load();
        }
        loading
    }

    /// A loaded evaluation.
    pub fn ready(evaluator: Arc<Evaluator>) -> Self {
        let loading = Self::default();
        loading.finish(Ok(evaluator));
        loading
    }

    /// The result; `None` while loading.
    pub fn get(&self) -> Option<Loaded> {
        self.lock().clone()
    }

    /// Waits for the result; `None` when `gives_up`, called every millisecond, returns true.
    pub fn wait_unless(&self, mut gives_up: impl FnMut() -> bool) -> Option<Loaded> {
        let mut loaded = self.lock();
        loop {
            if loaded.is_some() {
                return loaded.clone();
            }
            if gives_up() {
                return None;
            }
            loaded = self
                .0
                .done
                .wait_timeout(loaded, LOOK)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    fn finish(&self, loaded: Loaded) {
        *self.lock() = Some(loaded);
        self.0.done.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Option<Loaded>> {
        self.0.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_loaded_reaches_all_who_wait() {
        let loading = Loading::start(Some(EvalKind::Classic), None);
        let other = loading.clone();
        for loading in [loading, other] {
            let loaded = loading
                .wait_unless(|| false)
                .expect("the wait never ends early");
            assert_eq!(
                loaded.expect("classic needs no weights").kind(),
                EvalKind::Classic
            );
            assert!(loading.get().is_some());
        }
    }

    #[test]
    fn a_wait_can_be_given_up() {
        // This one never finishes.
        let loading = Loading::default();
        assert!(loading.get().is_none());
        let mut looks = 0;
        let loaded = loading.wait_unless(|| {
            looks += 1;
            looks > 3
        });
        assert!(loaded.is_none() && looks == 4);
    }

    #[test]
    fn an_error_is_told_not_panicked_over() {
        let loading = Loading::start(None, Some("no/such/file".into()));
        let error = loading
            .wait_unless(|| false)
            .expect("the wait never ends early")
            .expect_err("no such file");
        assert!(
            error
                .to_string()
                .starts_with("cannot read weights no/such/file: ")
        );
    }
}
