//! The processor time of this process.

use std::time::Duration;

/// User and system time of all threads of this process.
#[cfg(unix)]
pub fn cpu_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a live `timespec` of this frame; the call writes nothing else.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    debug_assert!(status == 0, "the process clock exists on every Unix");
    Duration::new(
        time.tv_sec.max(0) as u64,
        time.tv_nsec.clamp(0, 999_999_999) as u32,
    )
}

/// User and system time of all threads of this process.
#[cfg(windows)]
pub fn cpu_time() -> Duration {
    use windows_sys::Win32::Foundation::FILETIME;
    use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessTimes};

    let mut times = [FILETIME::default(); 4];
    let [begin, end, system, user] = &mut times;
    // SAFETY: the handle is that of this process, and the pointers are to live values of this frame.
    let status = unsafe { GetProcessTimes(GetCurrentProcess(), begin, end, system, user) };
    debug_assert!(status != 0, "a process may read its own times");
    // In tenths of a microsecond.
    let ticks =
        |time: &FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    Duration::from_nanos((ticks(system) + ticks(user)) * 100)
}

/// Zero: the system has no such clock.
#[cfg(not(any(unix, windows)))]
pub fn cpu_time() -> Duration {
    Duration::ZERO
}

#[test]
#[cfg(any(unix, windows))]
fn work_takes_time_and_time_never_falls() {
    let before = cpu_time();
    let mut sum = 0u64;
    while cpu_time() == before {
        sum = std::hint::black_box(sum + 1);
    }
    assert!(cpu_time() > before);
}
