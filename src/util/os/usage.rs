//! What processes use: processor time and memory.

use std::time::Duration;

/// User and system time of all threads of this process; zero where the system does not tell.
#[cfg(unix)]
pub fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live `timespec` of this frame; the call writes nothing else.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    debug_assert!(status == 0, "the process clock exists on every Unix");
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32)
}

/// User and system time of all threads of this process; zero where the system does not tell.
#[cfg(not(unix))]
pub fn cpu_time() -> Duration {
    cpu_time_of(std::process::id()).unwrap_or_default()
}

/// The processor time of a process by its number; `None` where the system does not tell.
#[cfg(not(windows))]
pub fn cpu_time_of(process: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    // In hundredths of a second.
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

/// What a process holds in memory, in KiB; `None` where the system does not tell.
#[cfg(not(windows))]
pub fn resident_kib(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(windows)]
pub use windows::{cpu_time_of, resident_kib};

#[cfg(windows)]
mod windows {
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
    use std::time::Duration;

    use windows_sys::Win32::Foundation::FILETIME;
    use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
    use windows_sys::Win32::System::Threading::{
        GetProcessTimes, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION,
    };

    fn open(process: u32) -> Option<OwnedHandle> {
        // SAFETY: no pointer is given.
        let handle = unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, process) };
        // SAFETY: it was just opened, and nobody else has it.
        (!handle.is_null()).then(|| unsafe { OwnedHandle::from_raw_handle(handle) })
    }

    /// The processor time of a process by its number; `None` where the system does not tell.
    pub fn cpu_time_of(process: u32) -> Option<Duration> {
        let process = open(process)?;
        let mut times = [FILETIME::default(); 4];
        let [begin, end, system, user] = &mut times;
        // SAFETY: the handle is open, and the pointers are to live values of this frame.
        let told = unsafe { GetProcessTimes(process.as_raw_handle(), begin, end, system, user) };
        // In tenths of a microsecond.
        let ticks = |time: &FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
        (told != 0).then(|| Duration::from_nanos((ticks(system) + ticks(user)) * 100))
    }

    /// What a process holds in memory, in KiB; `None` where the system does not tell.
    pub fn resident_kib(process: u32) -> Option<u64> {
        let process = open(process)?;
        let mut memory = PROCESS_MEMORY_COUNTERS::default();
        let size = size_of_val(&memory) as u32;
        // SAFETY: the handle is open, and pointer and size are those of a live value of this frame.
        let told = unsafe { K32GetProcessMemoryInfo(process.as_raw_handle(), &raw mut memory, size) };
        (told != 0).then_some(memory.WorkingSetSize as u64 / 1024)
    }
}

#[cfg(all(test, any(target_os = "linux", windows)))]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time_and_time_never_falls() {
        let own = std::process::id();
        let (before, told) = (cpu_time(), cpu_time_of(own).unwrap());
        let mut sum = 0u64;
        while cpu_time() == before || cpu_time_of(own).unwrap() == told {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(cpu_time() > before && cpu_time_of(own).unwrap() > told);
    }

    #[test]
    fn a_process_holds_memory_and_one_that_is_not_there_holds_none() {
        assert!(resident_kib(std::process::id()).is_some_and(|kib| kib > 100));
        assert_eq!((resident_kib(u32::MAX), cpu_time_of(u32::MAX)), (None, None));
    }
}
