//! The rule for outputs.
//!
//! A command refuses an existing file unless the user asks to replace or continue it. A symbolic link stays, and its target
//! gets the content. Devices and FIFOs get the content directly. A socket is refused. Missing folders are made.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf, is_separator};

use tempfile::{NamedTempFile, TempDir};

use super::os::files;

/// The choice for an output that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    Refuse,
    Replace,
    Continue,
}

/// The path of an output after all links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    New(PathBuf),
    File(PathBuf),
    /// A device or a FIFO.
    Stream(PathBuf),
}

/// Bytes that a check writes to find a full disk.
const PROBE_BYTES: usize = 4096;
/// As in Linux.
const MOST_LINKS: usize = 40;

impl Target {
    /// Follows the links of an output.
    ///
    /// # Errors
    /// When it names a folder or a socket, or the system refuses.
    pub fn of(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(is_folder()),
            Ok(found) if files::is_socket(found.file_type()) => Err(is_socket()),
            Ok(found) if !found.is_file() => Ok(Self::Stream(path.to_owned())),
            Ok(_) => Ok(Self::File(followed(path)?)),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let is_folder_name = path.as_os_str().to_string_lossy().ends_with(is_separator);
                if is_folder_name || path.file_name().is_none() {
                    Err(is_folder())
                } else {
                    Ok(Self::New(followed(path)?))
                }
            }
            Err(error) => Err(error),
        }
    }

    /// As [`Target::of`]; also refuses an existing file unless `existing` allows it.
    pub fn allowed(path: &Path, existing: Existing) -> io::Result<Self> {
        match Self::of(path)? {
            Self::File(_) if existing == Existing::Refuse => Err(exists(false)),
            target => Ok(target),
        }
    }

    /// Checks that the output can be written now; leaves no file.
    pub fn check(&self) -> io::Result<()> {
        match self {
            // The reader of a stream would notice.
            Self::Stream(_) => Ok(()),
            Self::New(path) | Self::File(path) => probe(path),
        }
    }

    pub fn path(&self) -> &Path {
        match self {
            Self::New(path) | Self::File(path) | Self::Stream(path) => path,
        }
    }
}

pub fn open_stream(path: &Path) -> io::Result<File> {
    File::options().write(true).open(path)
}

/// The refusal of a file that exists; `can_resume` where the command can continue it.
pub fn exists(can_resume: bool) -> io::Error {
    let remedies = if can_resume {
        "--resume continues it, "
    } else {
        ""
    };
    io::Error::new(
        ErrorKind::AlreadyExists,
        format!("the file exists; {remedies}--force replaces it"),
    )
}

fn is_folder() -> io::Error {
    io::Error::new(ErrorKind::IsADirectory, "that is a folder; name a file")
}

fn is_socket() -> io::Error {
    let text = "that is a socket; name a file, a device or a FIFO";
    io::Error::new(ErrorKind::InvalidInput, text)
}

/// The path after all links; the last link may lead to a missing file.
///
/// # Errors
/// When the links make a circle.
pub fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(link) => path = folder_of(&path).join(link),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links"))
}

/// Makes a file in the folder of `path`, or in the nearest folder above it that exists, and removes it.
fn probe(path: &Path) -> io::Result<()> {
    let mut first_missing = path;
    let mut folder = folder_of(path);
    while fs::symlink_metadata(folder).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        first_missing = folder;
        folder = folder_of(folder);
    }
    if !folder.is_dir() {
        let text = format!("{} is no folder", folder.display());
        return Err(io::Error::new(ErrorKind::NotADirectory, text));
    }
    let mut probe = file_for(first_missing)?;
    probe.write_all(&[0; PROBE_BYTES])
}

/// The parts of a replacement's name around its random letters.
const ENDS: (&str, &str) = (".new-", ".tmp");
const LETTERS: usize = 6;
/// Longest name of a file on common systems, in bytes.
const LONGEST_NAME: usize = 255;

/// The begin of the names of replacements for the file `name`: of a long name its begin and its checksum.
fn begin_of(name: &OsStr) -> OsString {
    let most = LONGEST_NAME - ENDS.0.len() - LETTERS - ENDS.1.len();
    let mut begin = name.to_owned();
    if name.len() > most {
        let checksum = format!("{:08x}", crc32fast::hash(name.as_encoded_bytes()));
        let text = name.to_string_lossy();
        begin = text[..text.floor_char_boundary(most - checksum.len())].into();
        begin.push(checksum);
    }
    begin.push(ENDS.0);
    begin
}

/// Removes the replacements for `path` that killed processes left; the caller holds its lock.
pub fn remove_leftovers(path: &Path) {
    let Some(name) = path.file_name() else {
        return;
    };
    for entry in fs::read_dir(folder_of(path))
        .into_iter()
        .flatten()
        .flatten()
    {
        if entry
            .file_name()
            .to_str()
            .is_some_and(|file| is_replacement(name, file))
        {
            let path = entry.path();
            // One that cannot be removed only takes space.
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(path));
        }
    }
}

/// Whether `file` is the name of a replacement for `name`, or of a file that one replaced.
fn is_replacement(name: &OsStr, file: &str) -> bool {
    let begin = begin_of(name);
    let Some(rest) = begin.to_str().and_then(|begin| file.strip_prefix(begin)) else {
        return false;
    };
    let letters = rest
        .strip_suffix(ENDS.1)
        .or_else(|| rest.strip_suffix(files::ASIDE)?.strip_suffix('.'));
    letters.is_some_and(|letters| letters.len() == LETTERS)
}

/// A folder for the work on `path`: its owner removes it, or [`remove_leftovers`] after a kill.
///
/// # Errors
/// When the folder of `path` cannot be made or written to.
pub fn work_folder(path: &Path) -> io::Result<TempDir> {
    fs::create_dir_all(folder_of(path))?;
    let begin = begin_of(path.file_name().unwrap_or_default());
    tempfile::Builder::new()
        .prefix(&begin)
        .suffix(ENDS.1)
        .rand_bytes(LETTERS)
        .tempdir_in(folder_of(path))
}

/// A new file in the folder of `path`, with the name of a replacement for it.
pub fn file_for(path: &Path) -> io::Result<NamedTempFile> {
    let begin = begin_of(path.file_name().unwrap_or_default());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&begin).suffix(ENDS.1).rand_bytes(LETTERS);
    files::as_any_other(&mut builder);
    builder.tempfile_in(folder_of(path))
}

pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

pub fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::testing::file_in;

    #[test]
    fn a_replacement_is_known_by_its_name() {
        let folder = TempDir::new().unwrap();
        let replacement = file_for(&folder.path().join("a.book")).unwrap();
        let name = replacement.path().file_name().unwrap().to_str().unwrap();
        let book = OsStr::new("a.book");
        assert!(is_replacement(book, name), "{name}");
        for other in [
            name,
            "a.book",
            "a.book.tmp",
            "a.book.new-1.tmp",
            "b.book.new-123456.tmp",
        ] {
            assert!(
                !is_replacement(OsStr::new("b"), other)
                    && (other == name || !is_replacement(book, other))
            );
        }
        // Two long names that differ only at their ends.
        for long in [
            "x".repeat(LONGEST_NAME),
            "\u{68cb}".repeat(LONGEST_NAME / 3),
        ] {
            let other = format!("{}y", &long[..long.len() - 3]);
            let replacement = file_for(&folder.path().join(&long)).unwrap();
            let name = replacement.path().file_name().unwrap().to_str().unwrap();
            assert!(is_replacement(long.as_ref(), name), "{name}");
            assert!(!is_replacement(other.as_ref(), name), "{name}");
        }
    }

    #[test]
    fn names_lead_to_files_folders_and_nothing() {
        let folder = TempDir::new().unwrap();
        let path = file_in(&folder, "a", "text");
        assert_eq!(Target::of(&path).unwrap(), Target::File(path.clone()));
        let refused = Target::allowed(&path, Existing::Refuse).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
        assert!(Target::allowed(&path, Existing::Replace).is_ok());
        assert_eq!(
            Target::of(folder.path()).unwrap_err().kind(),
            ErrorKind::IsADirectory
        );
        let new = folder.path().join("x").join("y").join("b");
        assert!(
            Target::of(&new).unwrap() == Target::New(new.clone())
                && Target::New(new).check().is_ok()
        );
        assert!(Target::of(&folder.path().join("x/")).is_err());
        // A file has no folder below it.
        let below = path.join("b");
        assert!(
            Target::of(&below)
                .and_then(|target| target.check())
                .is_err()
        );
        // A check leaves nothing behind.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_to_their_end() {
        use std::os::unix::fs::symlink;

        let folder = TempDir::new().unwrap();
        let path = file_in(&folder, "a", "text");
        let link = |to: &str, name: &str| {
            let link = folder.path().join(name);
            symlink(to, &link).unwrap();
            link
        };
        let first = link("a", "b");
        let dangling = link("none", "d");
        let round = link("r", "r");
        assert_eq!(Target::of(&first).unwrap(), Target::File(path.clone()));
        assert_eq!(Target::of(&link("b", "c")).unwrap(), Target::File(path));
        assert_eq!(
            Target::of(&dangling).unwrap(),
            Target::New(folder.path().join("none"))
        );
        assert!(Target::of(&round).is_err());
        assert_eq!(
            Target::of(Path::new("/dev/null")).unwrap(),
            Target::Stream("/dev/null".into())
        );
    }
}
