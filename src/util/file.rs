//! Files that are there whole or not at all.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};

use super::os::files;

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
    write: impl FnOnce(&mut BufWriter<NamedTempFile>) -> io::Result<()>,
) -> io::Result<()> {
    let mut replacement = Replacement::begin(path)?;
    write(&mut replacement.file)?;
    replacement.commit()
}

/// A file that grows beside the one that it will replace; it goes away if it never does.
#[derive(Debug)]
pub struct Replacement {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

/// What stands before and behind the random letters in the name of a replacement.
const ENDS: (&str, &str) = (".new-", ".tmp");
/// Random letters in its name.
const LETTERS: usize = 6;

/// Whether `file` is the name of a replacement for the file `name`, or of what one replaced.
pub fn is_replacement(name: &str, file: &str) -> bool {
    let Some(rest) = file.strip_prefix(name).and_then(|rest| rest.strip_prefix(ENDS.0)) else { return false };
    let letters = rest.strip_suffix(ENDS.1).or_else(|| rest.strip_suffix(files::ASIDE)?.strip_suffix('.'));
    letters.is_some_and(|letters| letters.len() == LETTERS)
}

/// A folder for what is needed while `path` is made: it goes away with its owner, and one that a killed process left
/// is known by its name.
///
/// # Errors
/// When the folder of `path` cannot be written to.
pub fn work_folder(path: &Path) -> io::Result<TempDir> {
    let begin = beginning(path);
    tempfile::Builder::new().prefix(&begin).suffix(ENDS.1).rand_bytes(LETTERS).tempdir_in(folder_of(path))
}

/// How the names of what will replace `path` begin.
fn beginning(path: &Path) -> OsString {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(ENDS.0);
    name
}

/// The folder that a file stands in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl Replacement {
    /// Begins an empty file that will replace `path`.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let begin = beginning(path);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&begin).suffix(ENDS.1).rand_bytes(LETTERS);
        files::as_any_other(&mut builder);
        let file = builder.tempfile_in(folder_of(path))?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file) })
    }

    /// Where it grows: for those who end the process at once, and have to remove it.
    pub fn temporary(&self) -> &Path {
        self.file.get_ref().path()
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// When the disk is full, or something that is no file stands in its place; all is as it was before then.
    pub fn commit(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        files::put_in_place(file, &self.path)
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_replaced_whole_or_left_alone() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.txt");
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
        let taken = folder.path().join("taken");
        fs::create_dir_all(taken.join("inside")).unwrap();
        assert!(replace(&taken, b"three").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_file_that_somebody_reads_is_replaced() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a b \u{68cb}.txt");
        replace(&path, b"old").unwrap();
        let reader = fs::File::open(&path).unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(std::io::read_to_string(reader).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_replacement_is_known_by_its_name() {
        let folder = TempDir::new().unwrap();
        let replacement = Replacement::begin(&folder.path().join("a.book")).unwrap();
        let name = replacement.temporary().file_name().unwrap().to_str().unwrap();
        assert!(is_replacement("a.book", name), "{name}");
        for other in [name, "a.book", "a.book.tmp", "a.book.new-1.tmp", "b.book.new-123456.tmp"] {
            assert!(!is_replacement("b", other) && (other == name || !is_replacement("a.book", other)));
        }
    }
}
