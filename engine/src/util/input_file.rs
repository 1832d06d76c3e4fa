//! Input of a bounded size: regular files that are read whole, and lines. A pipe or a device may never end.

use std::fs::{self, File};
use std::io::{self, BufRead, ErrorKind, Read};
use std::path::Path;

use super::os::files;

/// Bytes of one read.
const PIECE: u64 = 1 << 20;

pub fn open(path: &Path) -> io::Result<File> {
    match files::special_kind(fs::metadata(path)?.file_type()) {
        None => File::open(path),
        Some(kind) => Err(refusal(&format!("{kind}; expected a regular file"))),
    }
}

/// Opens a file, a pipe or a device that is read piece by piece.
pub fn open_stream(path: &Path) -> io::Result<File> {
    match fs::metadata(path)?.is_dir() {
        false => File::open(path),
        true => Err(refusal("a folder, not a file")),
    }
}

pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_up_to(open(path)?, limit)
}

pub fn read_up_to(mut source: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // A signal waits for the end of a system call.
    while source.by_ref().take(PIECE).read_to_end(&mut bytes)? > 0 {
        if bytes.len() as u64 > limit {
            let text = format!("too large; expected at most {limit} bytes");
            return Err(refusal(&text));
        }
    }
    Ok(bytes)
}

/// Reads a line with its end, at most `limit` bytes of it; returns whether the line is longer.
pub fn read_line(mut source: impl BufRead, limit: usize, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    source.by_ref().take(limit as u64).read_until(b'\n', line)?;
    Ok(line.len() == limit && line.last() != Some(&b'\n'))
}

fn refusal(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn a_file_has_a_limit() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "f5d6").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"f5d6");
        let error = read(&path, 3).unwrap_err();
        assert_eq!(error.to_string(), "too large; expected at most 3 bytes");
        assert!(read_up_to(io::repeat(b'x'), 1 << 20).is_err());
        assert_eq!(
            read(&folder.path().join("b"), 9).unwrap_err().kind(),
            ErrorKind::NotFound
        );
    }
}
