//! Compressed files: gzip is read and written, zstd is read. Both libraries are pure Rust: a build needs no C compiler.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

const GZIP: &[u8] = b"\x1f\x8b";
/// The first bytes of a zstd file; one of `pzstd` or `cat` may begin with a skippable frame.
const ZSTD: [&[u8]; 2] = [b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18"];
const BLOCK: usize = 1 << 16;

/// The bytes of `reader`, unpacked if they begin as a zstd or gzip file. Reading fails if the file is damaged or cut short.
pub fn unpacked(mut reader: impl BufRead + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let begin = reader.fill_buf()?;
    Ok(if begin.starts_with(GZIP) {
        Box::new(BufReader::with_capacity(
            BLOCK,
            Gzip(MultiGzDecoder::new(reader)),
        ))
    } else if ZSTD.iter().any(|mark| begin.starts_with(mark)) {
        let frames = Frames {
            source: reader,
            decoder: FrameDecoder::new(),
            is_open: false,
        };
        Box::new(BufReader::with_capacity(BLOCK, frames))
    } else {
        Box::new(reader)
    })
}

fn damaged(kind: &str) -> io::Error {
    io::Error::new(
        ErrorKind::InvalidData,
        format!("a {kind} file that is damaged or cut short"),
    )
}

struct Gzip<R>(MultiGzDecoder<R>);

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof => {
                damaged("gzip")
            }
            _ => error,
        })
    }
}

/// The frames of a zstd file, one after another.
struct Frames<R> {
    source: R,
    decoder: FrameDecoder,
    is_open: bool,
}

impl<R: BufRead> Frames<R> {
    fn open(&mut self) -> io::Result<()> {
        match self.decoder.reset(&mut self.source) {
            Ok(()) => self.is_open = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let skipped =
                    io::copy(&mut (&mut self.source).take(length.into()), &mut io::sink())?;
                if skipped < length.into() {
                    return Err(damaged("zstd"));
                }
            }
            Err(_) => return Err(damaged("zstd")),
        }
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        self.is_open = false;
        let [stored, found] = [
            self.decoder.get_checksum_from_data(),
            self.decoder.get_calculated_checksum(),
        ];
        if stored.is_some() && stored != found {
            return Err(damaged("zstd"));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.is_open {
                if self.source.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                self.open()?;
                continue;
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.decoder
                    .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(|_| damaged("zstd"))?;
            }
            let count = self.decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            self.close()?;
        }
    }
}

/// Whether an output of this name is compressed: it ends with `.gz`.
pub fn is_packed_name(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
}

/// Whether it is the name of a zstd file, which is never written.
pub fn is_zstd_name(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("zst"))
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

    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

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
            for packed in [zstd(&bytes), gzip(&bytes), bytes.clone()] {
                assert_eq!(read(&packed).unwrap(), bytes);
            }
            // Joined files are read as one; skippable frames are skipped.
            let skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec();
            let twice = [bytes.clone(), bytes.clone()].concat();
            assert_eq!(
                read(&[skipped, zstd(&bytes), zstd(&bytes)].concat()).unwrap(),
                twice
            );
            assert_eq!(read(&[gzip(&bytes), gzip(&bytes)].concat()).unwrap(), twice);
        }
        assert!(gzip(&text()).len() < text().len() / 2);
    }

    #[test]
    fn every_damage_is_one_line() {
        let bytes: Vec<u8> = text()[..600].to_vec();
        for packed in [zstd(&bytes), gzip(&bytes)] {
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
        let error = read(&[zstd(&bytes), b"rubbish".to_vec()].concat())
            .unwrap_err()
            .to_string();
        assert!(error.contains("damaged or cut short"), "{error}");
    }

    #[test]
    fn packed_files_have_names() {
        assert!(is_packed_name(Path::new("a/b.jsonl.gz")) && is_zstd_name(Path::new("b.zst")));
        assert!(!is_packed_name(Path::new("gz")) && !is_packed_name(Path::new("a.gz/b.jsonl")));
    }
}
