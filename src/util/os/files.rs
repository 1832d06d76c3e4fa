//! Files as the operating system keeps them: locks and cached pages.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// Takes the file for its one writer, until it is closed, however the process ends.
///
/// It is tried for a second: a child that another thread is just starting holds all files of this process for a moment.
///
/// # Errors
/// When another process has it. On file systems without locks nobody can have it.
pub fn lock(file: &File) -> io::Result<()> {
    for _ in 0..50 {
        if try_lock(file)? {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(20));
    }
    Err(io::Error::new(ErrorKind::WouldBlock, "another process is writing this file"))
}

/// As [`lock`], tried once: whether nobody else has it.
///
/// # Errors
/// When the system refuses.
pub fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => Err(error),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(true),
    }
}

/// Asks the system to forget what it keeps of the file in memory, so that the next read is one from the disk.
///
/// Pages that some process has mapped stay. Returns whether there is a way to ask here.
///
/// # Errors
/// When the file cannot be opened.
pub fn forget_cached(path: &Path) -> io::Result<bool> {
    let file = File::open(path)?;
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        // SAFETY: advice about an open file; it touches no memory of ours.
        Ok(unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) } == 0)
    }
    #[cfg(not(target_os = "linux"))]
    {
        drop(file);
        Ok(false)
    }
}
