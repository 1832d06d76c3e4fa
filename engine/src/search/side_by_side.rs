//! A parallel map over a lazy list of items.

use std::io;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use super::STACK_BYTES;
use crate::util::os::threads::no_thread;

/// Calls `work` for each item on one thread for each of `workers`; `take` receives the results in any order. If the
/// system refuses a thread, the others do all the work.
///
/// # Errors
/// The first error of `take`, which ends the work; or the system's refusal to start any thread.
pub fn side_by_side<W: Send, T, R: Send, E: From<io::Error>>(
    workers: impl IntoIterator<Item = W>,
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(&mut W, T) -> R + Sync,
    take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let items = Mutex::new(items.fuse());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    // A small buffer keeps the workers close to `take`.
    let (sender, results) = mpsc::sync_channel(1);
    thread::scope(|scope| {
        for (started, mut worker) in workers.into_iter().enumerate() {
            let sender = sender.clone();
            let next = &next;
            let work = &work;
            let body = move || {
                while let Some(item) = next() {
                    if sender.send(work(&mut worker, item)).is_err() {
                        break;
                    }
                }
            };
            match thread::Builder::new()
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, body)
            {
                Ok(_) => {}
                Err(error) if started == 0 => return Err(no_thread(error).into()),
                Err(error) => {
                    log::warn!("going on with {started} threads: {}", no_thread(error));
                    break;
                }
            }
        }
        drop(sender);
        // After an error the channel closes, which ends the threads.
        results.into_iter().try_for_each(take)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once_and_an_error_ends_it() {
        let squares = |take: &mut dyn FnMut(u64) -> io::Result<()>| {
            let mut counts = [0_u32; 3];
            let work = |count: &mut &mut u32, item: u64| {
                **count += 1;
                item * item
            };
            side_by_side(&mut counts, 0..100, work, take).map(|()| counts.iter().sum::<u32>())
        };
        let mut taken = Vec::new();
        let worked = squares(&mut |square| {
            taken.push(square);
            Ok(())
        });
        taken.sort_unstable();
        assert_eq!(worked.unwrap(), 100);
        assert_eq!(taken, (0..100).map(|item| item * item).collect::<Vec<_>>());
        let mut taken = 0;
        let error = squares(&mut |_| {
            taken += 1;
            if taken == 3 {
                Err(io::ErrorKind::StorageFull.into())
            } else {
                Ok(())
            }
        });
        assert_eq!(
            (error.unwrap_err().kind(), taken),
            (io::ErrorKind::StorageFull, 3)
        );
    }
}
