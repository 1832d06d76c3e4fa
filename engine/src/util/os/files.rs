//! Locks, rights, names and identities of files.

use std::fs::{File, FileType};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::thread;
use std::time::Duration;

use tempfile::NamedTempFile;

/// Attempts and the wait between them: a second in all.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// The ending of the name that a replaced file keeps while it is open.
pub const ASIDE: &str = "old";

/// The file of the first successful attempt within a second.
///
/// # Errors
/// That of an attempt, or when all attempts find another process that writes the file.
pub fn for_a_second(mut attempt: impl FnMut() -> io::Result<Option<File>>) -> io::Result<File> {
    for _ in 0..TRIES {
        if let Some(file) = attempt()? {
            return Ok(file);
        }
        thread::sleep(PAUSE);
    }
    Err(io::Error::new(
        ErrorKind::WouldBlock,
        "another process is writing this file",
    ))
}

/// Locks the file for its only writer until it is closed; other processes may read it. False when another process holds the
/// lock. A file system without locks never refuses.
#[cfg(not(windows))]
pub fn try_lock(file: &File) -> io::Result<bool> {
    use std::fs::TryLockError;

    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => Err(error),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(true),
    }
}

/// The same, by a lock on one byte far after the end: no other process can read locked bytes on Windows. It refuses the lock
/// of a file that is open only for appending.
#[cfg(windows)]
pub fn try_lock(file: &File) -> io::Result<bool> {
    use std::os::windows::io::AsRawHandle;

    use windows_sys::Win32::Foundation::{ERROR_IO_PENDING, ERROR_LOCK_VIOLATION};
    use windows_sys::Win32::Storage::FileSystem::{
        LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
    };
    use windows_sys::Win32::System::IO::OVERLAPPED;

    let mut place = OVERLAPPED::default();
    place.Anonymous.Anonymous.OffsetHigh = 1 << 30;
    let flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: the handle is open, and the pointer is to a live value of this frame. The call ends before it: the file is not
    // open for overlapped work.
    if unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut place) } != 0 {
        return Ok(true);
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error().map(|code| code as u32) {
        Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING) => Ok(false),
        _ if error.kind() == ErrorKind::Unsupported => Ok(true),
        _ => Err(error),
    }
}

/// The kind of a special file, with its article; `None` for a regular one.
pub fn special_kind(kind: FileType) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
    }
    match (kind.is_file(), kind.is_dir()) {
        (true, _) => None,
        (_, true) => Some("a folder"),
        _ => Some("a device"),
    }
}

#[cfg(unix)]
pub fn is_socket(kind: FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&kind)
}

#[cfg(not(unix))]
pub fn is_socket(_: FileType) -> bool {
    false
}

/// Gives a temporary file the rights of any new file.
pub fn as_any_other<'a>(builder: &mut tempfile::Builder<'a, 'a>) {
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    #[cfg(not(unix))]
    let _ = builder;
}

/// Gives a file the rights and, where the system allows it, the owner of the file `path`, if there is one.
pub fn take_rights(file: &File, path: &Path) {
    let Ok(old) = std::fs::metadata(path) else {
        return;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        // Only the administrator can give files away. Before the rights, since it removes some.
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
    }
    #[cfg(unix)]
    let _ = file.set_permissions(old.permissions());
    // On Windows the replacing file takes the rights.
    #[cfg(not(unix))]
    let _ = (file, old);
}

/// Gives a temporary file the name `path`.
///
/// # Errors
/// When a file has that name: both stay, and the error names the temporary file. As [`put_in_place`].
pub fn put_in_new_place(file: NamedTempFile, path: &Path) -> io::Result<()> {
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if path.symlink_metadata().is_ok() => {
            let (_, kept) = error.file.keep()?;
            let text = format!(
                "another file took this name meanwhile; the new one is {}",
                kept.display()
            );
            Err(io::Error::new(ErrorKind::AlreadyExists, text))
        }
        // Some file systems cannot do both in one step.
        Err(error) => put_in_place(error.file, path),
    }
}

/// The number of names of a file, which are its hard links; 1 where the system does not count them.
pub fn links(file: &File) -> io::Result<u64> {
    #[cfg(unix)]
    return Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?));
    #[cfg(windows)]
    return Ok(information(file)?.nNumberOfLinks.into());
    #[cfg(not(any(unix, windows)))]
    return file.metadata().map(|_| 1);
}

/// The device and number of a file.
#[cfg(unix)]
pub fn identity(file: &File) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;

    let found = file.metadata()?;
    Ok((found.dev(), found.ino()))
}

/// The device and number of the file with this name, without opening it.
#[cfg(unix)]
pub fn identity_of(path: &Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;

    let found = std::fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}

/// A system without files.
#[cfg(not(any(unix, windows)))]
pub fn identity(_: &File) -> io::Result<(u64, u64)> {
    Err(ErrorKind::Unsupported.into())
}

/// The same.
#[cfg(not(any(unix, windows)))]
pub fn identity_of(_: &Path) -> io::Result<(u64, u64)> {
    Err(ErrorKind::Unsupported.into())
}

/// The same: volume and index.
#[cfg(windows)]
pub fn identity(file: &File) -> io::Result<(u64, u64)> {
    let found = information(file)?;
    let index = u64::from(found.nFileIndexHigh) << 32 | u64::from(found.nFileIndexLow);
    Ok((found.dwVolumeSerialNumber.into(), index))
}

#[cfg(windows)]
fn information(
    file: &File,
) -> io::Result<windows_sys::Win32::Storage::FileSystem::BY_HANDLE_FILE_INFORMATION> {
    use std::os::windows::io::AsRawHandle;

    use windows_sys::Win32::Storage::FileSystem::{
        BY_HANDLE_FILE_INFORMATION, GetFileInformationByHandle,
    };

    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open, and the pointer is to a live value of this frame.
    if unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut found) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(found)
}

/// The same: volume and index.
#[cfg(windows)]
pub fn identity_of(path: &Path) -> io::Result<(u64, u64)> {
    use std::os::windows::fs::OpenOptionsExt;

    use windows_sys::Win32::Storage::FileSystem::FILE_FLAG_BACKUP_SEMANTICS;

    // No rights are needed to look at a file; the flag opens folders too.
    identity(
        &File::options()
            .access_mode(0)
            .custom_flags(FILE_FLAG_BACKUP_SEMANTICS)
            .open(path)?,
    )
}

/// Gives a temporary file the name `path`; replaces a file there, also an open one.
///
/// # Errors
/// When the name is that of a folder, or on Windows another process keeps the file for a second. The temporary file is
/// removed.
#[cfg(not(windows))]
pub fn put_in_place(file: NamedTempFile, path: &Path) -> io::Result<()> {
    let folder = file.path().parent().map(Path::to_owned);
    file.persist(path)?;
    // The new name is to survive a power cut.
    folder
        .filter(|_| cfg!(unix))
        .map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// The same; virus scanners keep a file open for a moment.
#[cfg(windows)]
pub fn put_in_place(file: NamedTempFile, path: &Path) -> io::Result<()> {
    let (file, temporary) = file.keep()?;
    drop(file);
    let placed = until_free(path, || {
        std::fs::rename(&temporary, path).or_else(|error| match path.is_file() {
            true => replace_open(&temporary, path),
            false => Err(error),
        })
    });
    placed.inspect_err(|_| drop(std::fs::remove_file(&temporary)))
}

/// Attempts to give a file the name `path`, for a second, unless that is a folder: another process may read it.
#[cfg(windows)]
pub fn until_free(path: &Path, attempt: impl Fn() -> io::Result<()>) -> io::Result<()> {
    for _ in 1..TRIES {
        let placed = attempt();
        if placed.is_ok() || path.is_dir() {
            return placed;
        }
        thread::sleep(PAUSE);
    }
    attempt()
}

/// The same; only Windows refuses the names of open files.
#[cfg(not(windows))]
pub fn until_free(_: &Path, attempt: impl Fn() -> io::Result<()>) -> io::Result<()> {
    attempt()
}

/// Replaces an open file, which `rename` refuses: the old one keeps another name while it is open.
#[cfg(windows)]
fn replace_open(new: &Path, old: &Path) -> io::Result<()> {
    use std::os::windows::ffi::OsStrExt;
    use std::ptr::null;

    use windows_sys::Win32::Storage::FileSystem::{
        REPLACEFILE_IGNORE_ACL_ERRORS, REPLACEFILE_IGNORE_MERGE_ERRORS, ReplaceFileW,
    };

    let aside = new.with_extension(ASIDE);
    let wide = |path: &Path| {
        path.as_os_str()
            .encode_wide()
            .chain([0])
            .collect::<Vec<u16>>()
    };
    let names = [old, new, &aside].map(wide);
    let [old, new, kept] = names.each_ref().map(|name| name.as_ptr());
    let flags = REPLACEFILE_IGNORE_ACL_ERRORS | REPLACEFILE_IGNORE_MERGE_ERRORS;
    // SAFETY: the names end in 0 and live through the call; the other pointers must be null.
    if unsafe { ReplaceFileW(old, new, kept, flags, null(), null()) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // If it stays, the next writer removes it with other leftovers.
    let _ = std::fs::remove_file(&aside);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;
    use crate::util::patience;
    use tempfile::TempDir;

    #[test]
    fn a_file_is_the_same_by_all_its_names() {
        let folder = TempDir::new().unwrap();
        let one = folder.path().join("a");
        let two = folder.path().join("b");
        let other = folder.path().join("c");
        fs::write(&one, "").unwrap();
        fs::write(&other, "").unwrap();
        fs::hard_link(&one, &two).unwrap();
        assert_eq!(identity_of(&one).unwrap(), identity_of(&two).unwrap());
        assert_eq!(
            identity_of(&one).unwrap(),
            identity(&File::open(&two).unwrap()).unwrap()
        );
        assert_ne!(identity_of(&one).unwrap(), identity_of(&other).unwrap());
        assert!(
            identity_of(folder.path()).is_ok() && identity_of(&folder.path().join("d")).is_err()
        );
    }

    /// Windows may refuse the name of an open file.
    #[test]
    fn a_file_that_is_read_for_a_moment_is_replaced() {
        let folder = TempDir::new().unwrap();
        let from = folder.path().join("a");
        let to = folder.path().join("b");
        fs::write(&from, "new").unwrap();
        fs::write(&to, "old").unwrap();
        let reader = File::open(&to).unwrap();
        thread::scope(|scope| {
            scope.spawn(move || {
                patience::pause(PAUSE);
                drop(reader);
            });
            until_free(&to, || fs::rename(&from, &to)).unwrap();
        });
        assert_eq!(
            (fs::read(&to).unwrap(), from.exists()),
            (b"new".to_vec(), false)
        );
    }

    #[test]
    fn a_locked_file_has_one_writer_and_any_readers() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games");
        fs::write(&path, "").unwrap();
        let open = || File::options().read(true).write(true).open(&path).unwrap();
        let mut first = open();
        let second = open();
        assert!(try_lock(&first).unwrap());
        assert!(!try_lock(&second).unwrap());
        first.write_all(b"f5d6\n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"f5d6\n");
        drop(first);
        assert!(try_lock(&second).unwrap());
    }
}
