//! Files that grow piece by piece and may end in the midst of one, where their writer was killed.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;

use super::os::files;
use super::target::{Existing, Target, exists, folder_of, open_stream};

/// Bytes read at a time.
const READ_BYTES: usize = 1 << 20;

/// A file that grows and that no other process writes.
#[derive(Debug)]
pub struct AppendFile(File);

/// How it is opened: to be read first, and cut.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    // Windows does not cut a file that is open for appending.
    options.read(true).write(true).append(cfg!(unix));
    options
}

impl AppendFile {
    /// An empty file, by the rule for existing files.
    ///
    /// # Errors
    /// When it exists and is not to be replaced, cannot be made, or another process writes it.
    pub fn begin(path: &Path, existing: Existing) -> io::Result<Self> {
        match Target::allowed(path, existing)? {
            Target::Stream(path) => open_stream(&path).map(Self),
            Target::New(path) if existing == Existing::Refuse => {
                std::fs::create_dir_all(folder_of(&path))?;
                let file = options().create_new(true).open(&path).map_err(|error| match error.kind() {
                    ErrorKind::AlreadyExists => exists(),
                    _ => error,
                })?;
                Self::locked(file, &path)
            }
            Target::New(path) | Target::File(path) => {
                let mut file = Self::open(&path)?;
                file.keep(0).map(|()| file)
            }
        }
    }

    /// A file that may exist.
    pub fn open(path: &Path) -> io::Result<Self> {
        match Target::of(path)? {
            Target::Stream(path) => open_stream(&path).map(Self),
            Target::New(path) | Target::File(path) => {
                std::fs::create_dir_all(folder_of(&path))?;
                Self::locked(options().create(true).open(&path)?, &path)
            }
        }
    }

    fn locked(file: File, path: &Path) -> io::Result<Self> {
        files::lock(&file)?;
        // While it waited, the writer before may have given the file another name.
        if files::identity_of(path).ok() != Some(files::identity(&file)?) {
            return Err(io::Error::new(
                ErrorKind::WouldBlock,
                "another process has just completed this file",
            ));
        }
        Ok(Self(file))
    }

    /// As [`AppendFile::open`]; `None` where another process writes it at this moment.
    pub fn try_open(path: &Path) -> io::Result<Option<Self>> {
        let file = options().create(true).open(path)?;
        Ok(files::try_lock(&file)?.then_some(Self(file)))
    }

    /// What it holds, from its beginning.
    pub fn reader(&self) -> io::Result<BufReader<&File>> {
        (&self.0).rewind()?;
        Ok(BufReader::with_capacity(READ_BYTES, &self.0))
    }

    /// Bytes that it holds.
    pub fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    /// Cuts off all but the first `whole` bytes.
    pub fn keep(&mut self, whole: u64) -> io::Result<()> {
        self.0.set_len(whole)
    }

    /// Takes the rights of the file that it will replace.
    pub fn take_rights(&self, of: &Path) {
        files::take_rights(&self.0, of);
    }

    /// Appends; nothing waits for the disk.
    ///
    /// # Errors
    /// When the disk is full or the like: the file then stands as before.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let end = self.len()?;
        match self.0.seek(SeekFrom::End(0)) {
            // A terminal has no places.
            Err(error) if error.kind() != ErrorKind::NotSeekable => return Err(error),
            _ => {}
        }
        // What was written of it must not stand before what comes next.
        self.0.write_all(bytes).inspect_err(|_| drop(self.0.set_len(end)))
    }

    /// Waits until all is on the disk; a device or a FIFO has none.
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

/// Hands over each line with its end; gives how many bytes they take. A last line without an end is left out: it was
/// being written when its writer was killed.
///
/// # Errors
/// Those of `take`; when reading fails.
pub fn whole_lines<E: From<io::Error>>(
    mut reader: impl BufRead,
    mut take: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<u64, E> {
    let (mut whole, mut line) = (0, Vec::new());
    while whole_line(&mut reader, &mut line)? {
        whole += line.len() as u64;
        take(&line)?;
    }
    Ok(whole)
}

/// Reads the next line with its end; `false` if there is none, or only the beginning of one.
pub fn whole_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    reader.read_until(b'\n', line)?;
    Ok(line.last() == Some(&b'\n'))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::util::testing::file_in;
    use tempfile::TempDir;

    #[test]
    fn a_torn_line_is_cut_off_and_lines_go_on_there() {
        let folder = TempDir::new().unwrap();
        let path = file_in(&folder, "log", "one\n\ntwo\nto");
        let mut file = AppendFile::open(&path).unwrap();
        let mut lines = Vec::new();
        let take = |line: &[u8]| {
            lines.push(line.to_owned());
            io::Result::Ok(())
        };
        let whole = whole_lines(file.reader().unwrap(), take).unwrap();
        assert_eq!((whole, lines.concat()), (9, b"one\n\ntwo\n".to_vec()));
        file.keep(whole).unwrap();
        for line in ["three\n", "four\n"] {
            file.append(line.as_bytes()).unwrap();
            let mut text = String::new();
            file.reader().unwrap().read_to_string(&mut text).unwrap();
            assert!(text.starts_with("one\n\ntwo\nthree\n") && text.ends_with(line), "{text:?}");
        }
        assert_eq!(file.len().unwrap(), 20);
    }

    #[test]
    fn a_file_has_one_writer() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("log");
        let file = AppendFile::begin(&path, Existing::Refuse).unwrap();
        assert_eq!(AppendFile::begin(&path, Existing::Refuse).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(AppendFile::open(&path).unwrap_err().kind(), ErrorKind::WouldBlock);
        assert!(AppendFile::try_open(&path).unwrap().is_none());
        drop(file);
        assert!(AppendFile::open(&path).is_ok());
    }
}
