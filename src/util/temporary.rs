//! Temporary files, in the folder of the file that they will replace.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use tempfile::{NamedTempFile, TempDir};

use super::os::files;

/// How the name of a replacement goes on before and behind its random letters.
const ENDS: (&str, &str) = (".new-", ".tmp");
/// Random letters in its name.
const LETTERS: usize = 6;

/// Whether `file` is the name of a replacement for the file `name`, or of a file that one replaced.
pub fn is_replacement(name: &str, file: &str) -> bool {
    let Some(rest) = file.strip_prefix(name).and_then(|rest| rest.strip_prefix(ENDS.0)) else { return false };
    let letters = rest.strip_suffix(ENDS.1).or_else(|| rest.strip_suffix(files::ASIDE)?.strip_suffix('.'));
    letters.is_some_and(|letters| letters.len() == LETTERS)
}

/// A folder for the work on `path`: it goes away with its owner, and [`is_replacement`] knows one that a killed process
/// left.
///
/// # Errors
/// When the folder of `path` cannot be made or written to.
pub fn work_folder(path: &Path) -> io::Result<TempDir> {
    fs::create_dir_all(folder_of(path))?;
    let begin = beginning(path);
    tempfile::Builder::new().prefix(&begin).suffix(ENDS.1).rand_bytes(LETTERS).tempdir_in(folder_of(path))
}

/// A new file in the folder of `path`, with the name of a replacement for it.
///
/// # Errors
/// When the folder cannot be written to.
pub fn file_for(path: &Path) -> io::Result<NamedTempFile> {
    let begin = beginning(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&begin).suffix(ENDS.1).rand_bytes(LETTERS);
    files::as_any_other(&mut builder);
    builder.tempfile_in(folder_of(path))
}

/// The beginning of the names of replacements for `path`.
fn beginning(path: &Path) -> OsString {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(ENDS.0);
    name
}

/// The folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replacement_is_known_by_its_name() {
        let folder = TempDir::new().unwrap();
        let replacement = file_for(&folder.path().join("a.book")).unwrap();
        let name = replacement.path().file_name().unwrap().to_str().unwrap();
        assert!(is_replacement("a.book", name), "{name}");
        for other in [name, "a.book", "a.book.tmp", "a.book.new-1.tmp", "b.book.new-123456.tmp"] {
            assert!(!is_replacement("b", other) && (other == name || !is_replacement("a.book", other)));
        }
    }
}
