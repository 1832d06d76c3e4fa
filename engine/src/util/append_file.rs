//! Files that grow piece by piece; a killed writer leaves a part of a piece at the end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::os::files;
use super::target::{Existing, Target, exists, folder_of, open_stream};

const READ_BYTES: usize = 1 << 20;

/// A file that grows and that no other process writes. Clones share it; one of them appends at a time.
#[derive(Clone, Debug)]
pub struct AppendFile(Arc<File>);

/// Options to read, cut and extend a file.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    // Windows does not cut a file that is open for appending.
    options
        .read(true)
        .write(true)
        .append(cfg!(unix))
        .create(true);
    options
}

/// Opens or makes the file and takes its lock.
///
/// Tries for a second: a child that another thread starts holds all files of this process for a moment. The file is closed
/// between two attempts, because Windows does not rename a file that another process has open.
fn open_locked(path: &Path, existing: Existing) -> io::Result<File> {
    let mut options = options();
    options.create_new(existing == Existing::Refuse);
    let mut was_there = false;
    let mut denied = None;
    let opened = files::for_a_second(|| match options.open(path) {
        Ok(file) => {
            was_there = true;
            // The writer before may complete it: no new one then.
            options.create(false).create_new(false);
            Ok(files::try_lock(&file)?.then_some(file))
        }
        // Windows refuses a file that another process is removing.
        Err(error) if cfg!(windows) && error.kind() == ErrorKind::PermissionDenied => {
            denied = Some(error);
            Ok(None)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(exists(true)),
        Err(error) if error.kind() == ErrorKind::NotFound && was_there => Err(completed()),
        Err(error) => Err(error),
    });
    // One that was never open is refused for another reason.
    match denied {
        Some(error) if opened.is_err() && !was_there => Err(error),
        _ => opened,
    }
}

fn completed() -> io::Error {
    let text = "another process has just completed this file";
    io::Error::new(ErrorKind::WouldBlock, text)
}

impl AppendFile {
    /// Opens or makes the file, by the rule for existing files, and takes its lock.
    ///
    /// # Errors
    /// When it exists and is refused, cannot be made, or another process writes it.
    pub fn open(path: &Path, existing: Existing) -> io::Result<Self> {
        let target = Target::of(path)?;
        let path = target.path();
        if matches!(target, Target::Stream(_)) {
            return Ok(Self(open_stream(path)?.into()));
        }
        fs::create_dir_all(folder_of(path))?;
        let file = open_locked(path, existing)?;
        // Before the lock, the writer before may have given the file another name.
        if files::identity_of(path).ok() != Some(files::identity(&file)?) {
            return Err(completed());
        }
        if existing == Existing::Replace {
            file.set_len(0)?;
        }
        Ok(Self(file.into()))
    }

    /// Opens or makes the file; `None` where another process writes it at this moment.
    pub fn try_open(path: &Path) -> io::Result<Option<Self>> {
        let file = options().open(path)?;
        Ok(files::try_lock(&file)?.then(|| Self(file.into())))
    }

    /// Reads from the beginning.
    pub fn reader(&self) -> io::Result<BufReader<&File>> {
        self.0.as_ref().rewind()?;
        Ok(BufReader::with_capacity(READ_BYTES, &self.0))
    }

    /// The size in bytes.
    #[allow(
        clippy::len_without_is_empty,
        reason = "it asks the system and can fail"
    )]
    pub fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    /// Keeps the first `whole` bytes only.
    pub fn keep(&self, whole: u64) -> io::Result<()> {
        self.0.set_len(whole)
    }

    /// Copies the rights of a file that this one will replace.
    pub fn take_rights(&self, of: &Path) {
        files::take_rights(&self.0, of);
    }

    /// Appends without waiting for the disk. On an error the file stays as before.
    pub fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let end = self.len()?;
        let mut file = self.0.as_ref();
        match file.seek(SeekFrom::End(0)) {
            // A terminal cannot seek.
            Err(error) if error.kind() != ErrorKind::NotSeekable => return Err(error),
            _ => {}
        }
        // A part of this piece must not precede the next one.
        file.write_all(bytes)
            .inspect_err(|_| drop(file.set_len(end)))
    }

    /// Waits until all bytes are on the disk; does nothing for devices and FIFOs.
    pub fn sync(&self) -> io::Result<()> {
        match self.0.sync_data() {
            Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(()),
            synced => synced,
        }
    }
}

impl Write for AppendFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.append(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A growing file whose errors name it.
#[derive(Clone, Debug)]
pub struct NamedFile {
    file: AppendFile,
    path: PathBuf,
}

impl NamedFile {
    pub fn new(path: &Path, file: AppendFile) -> Self {
        Self {
            file,
            path: path.to_owned(),
        }
    }

    /// As [`AppendFile::open`].
    pub fn open(path: &Path, existing: Existing) -> io::Result<Self> {
        let file =
            AppendFile::open(path, existing).map_err(|error| named("opening", path, &error))?;
        Ok(Self::new(path, file))
    }

    /// Reads from the beginning.
    pub fn reader(&self) -> io::Result<BufReader<&File>> {
        self.file
            .reader()
            .map_err(|error| named("reading", &self.path, &error))
    }

    /// Removes the file; one that cannot be removed only takes space.
    pub fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }

    pub fn keep(&self, whole: u64) -> io::Result<()> {
        self.writing(self.file.keep(whole))
    }

    pub fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.writing(self.file.append(bytes))
    }

    pub fn sync(&self) -> io::Result<()> {
        self.writing(self.file.sync())
    }

    fn writing(&self, result: io::Result<()>) -> io::Result<()> {
        result.map_err(|error| named("writing", &self.path, &error))
    }
}

impl Write for NamedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.append(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn named(act: &str, path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{act} {}: {error}", path.display()))
}

/// Reads the next line with its end; `false` at the end of the file, also after a part of a line.
pub fn whole_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    reader.read_until(b'\n', line)?;
    Ok(line.last() == Some(&b'\n'))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::util::patience;
    use crate::util::testing::file_in;
    use tempfile::TempDir;

    #[test]
    fn a_torn_line_is_cut_off_and_lines_go_on_there() {
        let folder = TempDir::new().unwrap();
        let path = file_in(&folder, "log", "one\n\ntwo\nto");
        let file = AppendFile::open(&path, Existing::Continue).unwrap();
        let mut reader = file.reader().unwrap();
        let mut lines = Vec::new();
        let mut line = Vec::new();
        while whole_line(&mut reader, &mut line).unwrap() {
            lines.extend_from_slice(&line);
        }
        let whole = lines.len() as u64;
        assert_eq!((whole, lines), (9, b"one\n\ntwo\n".to_vec()));
        file.keep(whole).unwrap();
        for line in ["three\n", "four\n"] {
            file.append(line.as_bytes()).unwrap();
            let mut text = String::new();
            file.reader().unwrap().read_to_string(&mut text).unwrap();
            assert!(
                text.starts_with("one\n\ntwo\nthree\n") && text.ends_with(line),
                "{text:?}"
            );
        }
        assert_eq!(file.len().unwrap(), 20);
    }

    #[test]
    fn a_file_is_completed_while_another_writer_waits() {
        let folder = TempDir::new().unwrap();
        let (path, done) = (folder.path().join("part"), folder.path().join("done"));
        let first = AppendFile::open(&path, Existing::Refuse).unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| AppendFile::open(&path, Existing::Continue));
            patience::pause(std::time::Duration::from_millis(300));
            // The one that waits does not have the file open.
            #[cfg(target_os = "linux")]
            assert!((0..200).any(|_| handles(&path) == 1));
            fs::rename(&path, &done).unwrap();
            drop(first);
            let error = second.join().unwrap().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}");
            assert!(error.to_string().ends_with("completed this file"));
        });
        assert!(!path.exists());
    }

    /// The number of times that this process has the file open.
    #[cfg(target_os = "linux")]
    fn handles(path: &Path) -> usize {
        let open = fs::read_dir("/proc/self/fd").unwrap().flatten();
        open.filter(|entry| fs::read_link(entry.path()).is_ok_and(|name| name == path))
            .count()
    }

    #[test]
    fn a_file_has_one_writer() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("log");
        let open = |existing| AppendFile::open(&path, existing).map_err(|error| error.kind());
        let file = open(Existing::Refuse).unwrap();
        assert_eq!(
            open(Existing::Refuse).unwrap_err(),
            ErrorKind::AlreadyExists
        );
        assert_eq!(open(Existing::Continue).unwrap_err(), ErrorKind::WouldBlock);
        assert!(AppendFile::try_open(&path).unwrap().is_none());
        file.append(b"one\n").unwrap();
        drop(file);
        assert_eq!(open(Existing::Continue).unwrap().len().unwrap(), 4);
        assert_eq!(open(Existing::Replace).unwrap().len().unwrap(), 0);
    }
}
