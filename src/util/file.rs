//! Files that are there whole or not at all.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Writes the file; an existing one is replaced whole, or left as it was on an error.
///
/// # Errors
/// When the folder cannot be written to, or the disk is full. Nothing is left behind then.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_with(path, |file| file.write_all(bytes))
}

/// Writes the file piece by piece; an existing one is replaced whole, or left as it was on an error.
///
/// # Errors
/// As [`replace`], and those of `write`.
pub fn replace_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut replacement = Replacement::begin(path)?;
    write(&mut replacement.file)?;
    replacement.commit()
}

/// Takes the file for its one writer, until it is closed, however the process ends.
///
/// It is tried for a second: a child that another thread is just starting holds all files of this process for a moment.
///
/// # Errors
/// When another process has it. On file systems without locks nobody can have it.
pub fn lock(file: &File) -> io::Result<()> {
    for _ in 0..50 {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(20)),
            Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => return Err(error),
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
        }
    }
    Err(io::Error::new(ErrorKind::WouldBlock, "another process is writing this file"))
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

/// A file that grows beside the one that it will replace; it goes away if it never does.
#[derive(Debug)]
pub struct Replacement {
    path: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
}

impl Replacement {
    /// Begins an empty file that will replace `path`.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(format!(".{}.tmp", std::process::id()));
        let temporary = PathBuf::from(temporary);
        let file = BufWriter::new(File::create(&temporary)?);
        Ok(Self { path: path.to_owned(), temporary, file })
    }

    /// Where it grows: for those who end the process at once, and have to remove it.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// When the disk is full, or something that is no file stands in its place; all is as it was before then.
    pub fn commit(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        fs::rename(&self.temporary, &self.path)?;
        match self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            Some(folder) => sync_folder(folder),
            None => sync_folder(Path::new(".")),
        }
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // After the rename there is none, and before it the first error is the one to report.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Makes a rename inside `folder` survive a power cut.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::folder::Folder;

    #[test]
    fn a_file_is_replaced_whole_or_left_alone() {
        let folder = Folder::new("replace");
        let path = folder.0.join("a.txt");
        replace(&path, b"one").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        // A writer that fails half-way leaves the old content.
        let full = replace_with(&path, |file| {
            file.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(full.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"two");
        // A folder stands in the way: an error, and no temporary file stays behind.
        let taken = folder.0.join("taken");
        fs::create_dir_all(taken.join("inside")).unwrap();
        assert!(replace(&taken, b"three").is_err());
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2);
    }
}
