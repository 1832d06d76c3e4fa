//! The processor time that this process has used.

use std::time::Duration;

/// User and system time of all threads; zero where the system does not tell.
#[cfg(unix)]
pub fn of_process() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live `timespec` of this frame; the call writes nothing else.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    debug_assert!(status == 0, "the process clock exists on every Unix");
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32)
}

/// User and system time of all threads; zero where the system does not tell.
#[cfg(not(unix))]
pub fn of_process() -> Duration {
    Duration::ZERO
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time_and_time_never_falls() {
        let before = of_process();
        let mut sum = 0u64;
        while of_process() == before {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(of_process() > before);
    }
}
