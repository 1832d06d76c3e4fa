//! Files that appear only when they are complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::NamedTempFile;

use super::lock;
use super::os::files;
use super::target::{Existing, Target, file_for, folder_of, open_stream};

/// Writes or replaces a file; on an error the old one stays.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = Replacement::replacing(path)?;
    file.write_all(bytes)?;
    file.commit()
}

/// A temporary file in the folder of the file that it will replace; dropped, it leaves nothing.
///
/// The new file keeps the rights of the old one. A device or a FIFO gets the content at the end.
#[derive(Debug)]
pub struct Replacement {
    target: Target,
    existing: Existing,
    file: BufWriter<NamedTempFile>,
    /// Open from the start, so that errors precede the work.
    stream: Option<File>,
    _growing: Growing,
}

/// All open replacements.
static GROWING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// An entry of [`GROWING`].
#[derive(Debug)]
struct Growing(PathBuf);

impl Drop for Growing {
    fn drop(&mut self) {
        lock(&GROWING).retain(|path| *path != self.0);
    }
}

/// Removes all open replacements, for a process that ends at once.
pub fn remove_growing() {
    lock(&GROWING)
        .drain(..)
        .for_each(|path| drop(fs::remove_file(path)));
}

impl Replacement {
    pub fn replacing(path: &Path) -> io::Result<Self> {
        Self::create(path, Existing::Replace)
    }

    /// Begins the output `path`, by the rule for existing files.
    ///
    /// # Errors
    /// When `existing` refuses it, or its folder cannot be made or written to.
    pub fn create(path: &Path, existing: Existing) -> io::Result<Self> {
        let target = Target::allowed(path, existing)?;
        let (file, stream) = match &target {
            Target::Stream(path) => (NamedTempFile::new()?, Some(open_stream(path)?)),
            Target::New(path) | Target::File(path) => {
                fs::create_dir_all(folder_of(path))?;
                (file_for(path)?, None)
            }
        };
        if let Target::File(path) = &target {
            // From the start: other users must not read a private file.
            files::take_rights(file.as_file(), path);
        }
        let entry = Growing(file.path().to_owned());
        lock(&GROWING).push(entry.0.clone());
        Ok(Self {
            target,
            existing,
            file: BufWriter::new(file),
            stream,
            _growing: entry,
        })
    }

    /// Writes all to the disk, so that [`Replacement::commit`] only moves the file.
    pub fn prepare(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().as_file().sync_all()
    }

    /// Moves the file to its place.
    ///
    /// # Errors
    /// When the disk is full, or a folder took the name: the old file stays. When another file took the name of a new one: both
    /// stay, and the error names the new one.
    pub fn commit(self) -> io::Result<()> {
        let mut file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        if let Some(mut stream) = self.stream {
            file.rewind()?;
            io::copy(&mut file, &mut stream)?;
            return stream.flush();
        }
        let path = self.target.path();
        file.as_file().sync_all()?;
        match (&self.target, self.existing) {
            (Target::New(_), Existing::Refuse) => files::put_in_new_place(file, path),
            _ => files::put_in_place(file, path),
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

impl Seek for Replacement {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_file_is_replaced_whole_or_left_alone() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.txt");
        replace(&path, b"one").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        // A writer that stops half-way leaves the old content.
        Replacement::replacing(&path)
            .unwrap()
            .write_all(b"half")
            .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        // A folder has the name: an error, and no temporary file stays behind.
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
        let reader = File::open(&path).unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(std::io::read_to_string(reader).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_new_file_does_not_replace_one_that_came_meanwhile() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("x").join("a.txt");
        let mut new = Replacement::create(&path, Existing::Refuse).unwrap();
        new.write_all(b"new").unwrap();
        fs::write(&path, "theirs").unwrap();
        let error = new.commit().unwrap_err().to_string();
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        let kept = fs::read_dir(path.parent().unwrap())
            .unwrap()
            .flatten()
            .map(|entry| entry.path());
        let kept = kept.filter(|kept| *kept != path).collect::<Vec<_>>();
        assert!(
            kept.len() == 1 && error.contains(kept[0].to_str().unwrap()),
            "{error}"
        );
        assert_eq!(fs::read(&kept[0]).unwrap(), b"new");
        assert!(Replacement::create(&path, Existing::Refuse).is_err());
        Replacement::create(&path, Existing::Replace)
            .unwrap()
            .commit()
            .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
    }

    #[test]
    fn a_process_that_ends_at_once_leaves_no_half_file() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.txt");
        let growing = Replacement::replacing(&path).unwrap();
        // Other tests run at the same time.
        let name = growing.file.get_ref().path().to_owned();
        assert!(lock(&GROWING).contains(&name));
        growing.commit().unwrap();
        assert!(!lock(&GROWING).contains(&name));
    }
}
