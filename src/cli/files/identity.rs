//! The identity of files under any name.

use std::fs::{File, Metadata};
#[cfg(unix)]
use std::os::fd::BorrowedFd;
#[cfg(windows)]
use std::os::windows::io::BorrowedHandle;
use std::path::{Path, PathBuf};

use crate::util::os::files::{self as os_files, identity_of};
use crate::util::target::Target;

/// A file under any name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Device and number.
    Known((u64, u64)),
    /// A missing file: its folder, and the rest of its path.
    Missing((u64, u64), PathBuf),
}

/// The file of a name; `None` for a device and for a name that can be no file.
pub fn identity(path: &Path) -> Option<Identity> {
    if let Ok(found) = path.metadata() {
        let is_kept = found.is_file() || found.is_dir() || is_fifo(&found);
        return is_kept
            .then(|| identity_of(path).ok().map(Identity::Known))
            .flatten();
    }
    let target = Target::of(path).ok()?;
    let mut folder = std::path::absolute(target.path()).ok()?;
    let mut rest = Vec::new();
    loop {
        rest.push(folder.file_name()?.to_owned());
        folder.pop();
        if let Ok(known) = identity_of(&folder) {
            let mut path: PathBuf = rest.iter().rev().collect();
            // Names that differ only in case are one file there.
            if cfg!(any(windows, target_os = "macos")) {
                path = path.to_string_lossy().to_lowercase().into();
            }
            return Some(Identity::Missing(known, path));
        }
    }
}

#[cfg(unix)]
fn is_fifo(found: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&found.file_type())
}

#[cfg(not(unix))]
fn is_fifo(_: &Metadata) -> bool {
    false
}

/// The files of stdin and stdout, if these are regular files.
pub fn stdio() -> [Option<Identity>; 2] {
    #[cfg(unix)]
    let [stdin, stdout] = {
        use std::os::fd::AsFd;
        let of = |stream: BorrowedFd<'_>| stream.try_clone_to_owned().ok().map(File::from);
        [of(std::io::stdin().as_fd()), of(std::io::stdout().as_fd())]
    };
    #[cfg(windows)]
    let [stdin, stdout] = {
        use std::os::windows::io::AsHandle;
        let of = |stream: BorrowedHandle<'_>| stream.try_clone_to_owned().ok().map(File::from);
        [
            of(std::io::stdin().as_handle()),
            of(std::io::stdout().as_handle()),
        ]
    };
    [stdin, stdout].map(|file| {
        let file = file.filter(|file| file.metadata().is_ok_and(|found| found.is_file()))?;
        os_files::identity(&file).ok().map(Identity::Known)
    })
}
