//! Files that gzip compressed. The library is pure Rust: a build needs no C compiler.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;

const GZIP: &[u8] = b"\x1f\x8b";
const BLOCK: usize = 1 << 16;

/// The bytes of `reader`, unpacked if they begin as a gzip file. Reading fails if the file is damaged or cut short.
pub fn unpacked(mut reader: impl BufRead + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let begin = reader.fill_buf()?;
    if !begin.starts_with(GZIP) {
        return Ok(Box::new(reader));
    }
    let unpacked = Gzip(MultiGzDecoder::new(reader));
    Ok(Box::new(BufReader::with_capacity(BLOCK, unpacked)))
}

struct Gzip<R>(MultiGzDecoder<R>);

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof => {
                io::Error::new(
                    ErrorKind::InvalidData,
                    "a gzip file that is damaged or cut short",
                )
            }
            _ => error,
        })
    }
}

/// Whether an output of this name is compressed: it ends with `.gz`.
pub fn is_packed_name(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
}

/// A writer that compresses if the name of the output says so.
pub enum Packer<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
}

impl<W: Write> Packer<W> {
    pub fn new(target: W, path: &Path) -> Self {
        if is_packed_name(path) {
            Self::Gzip(GzEncoder::new(target, Compression::default()))
        } else {
            Self::Plain(target)
        }
    }

    /// Writes the rest.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::Plain(target) => Ok(target),
            Self::Gzip(packer) => packer.finish(),
        }
    }
}

impl<W: Write> Write for Packer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(target) => target.write(bytes),
            Self::Gzip(packer) => packer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(target) => target.flush(),
            // A flush would compress worse, and the file has no reader before its end.
            Self::Gzip(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = Packer::new(Vec::new(), Path::new("a.gz"));
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        unpacked(Cursor::new(bytes.to_vec()))?.read_to_end(&mut text)?;
        Ok(text)
    }

    /// More than a block of either kind.
    fn text() -> Vec<u8> {
        (0..30_000_u32)
            .flat_map(|number| format!("line {}\n", number * number % 977).into_bytes())
            .collect()
    }

    #[test]
    fn packed_files_are_read_back() {
        for bytes in [text(), b"f5d6\n".to_vec(), Vec::new()] {
            for packed in [gzip(&bytes), bytes.clone()] {
                assert_eq!(read(&packed).unwrap(), bytes);
            }
            // Joined files are read as one.
            let twice = [bytes.clone(), bytes.clone()].concat();
            assert_eq!(read(&[gzip(&bytes), gzip(&bytes)].concat()).unwrap(), twice);
        }
        assert!(gzip(&text()).len() < text().len() / 2);
    }

    #[test]
    fn every_damage_is_one_line() {
        let bytes: Vec<u8> = text()[..600].to_vec();
        let packed = gzip(&bytes);
        // A text that is not packed may begin with the mark.
        for end in 4..packed.len() {
            let error = read(&packed[..end]).unwrap_err().to_string();
            assert!(
                error.contains("damaged or cut short") && !error.contains('\n'),
                "{end}: {error}"
            );
        }
        let mut errors = 0;
        for at in 4..packed.len() {
            let mut broken = packed.clone();
            broken[at] ^= 0x55;
            match read(&broken) {
                // Some bytes of the gzip header have no meaning.
                Ok(read) => assert_eq!(read, bytes, "byte {at}"),
                Err(error) => {
                    let error = error.to_string();
                    assert!(
                        error.contains("damaged or cut short") && !error.contains('\n'),
                        "{at}: {error}"
                    );
                    errors += 1;
                }
            }
        }
        assert!(
            errors + 8 > packed.len() - 4,
            "{errors} of {}",
            packed.len()
        );
    }

    #[test]
    fn packed_files_have_names() {
        assert!(is_packed_name(Path::new("a/b.jsonl.gz")));
        assert!(!is_packed_name(Path::new("gz")) && !is_packed_name(Path::new("a.gz/b.jsonl")));
    }
}
