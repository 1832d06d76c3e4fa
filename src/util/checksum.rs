//! A checksum of bytes while they are read.

use std::fmt;
use std::io::{self, BufRead, Read};
use std::sync::{Arc, Mutex};

use crc32fast::Hasher;

use super::lock;

/// The CRC-32 of all bytes from its readers, one after another; displays as eight hexadecimal digits.
#[derive(Clone, Debug, Default)]
pub struct Checksum(Arc<Mutex<Hasher>>);

pub struct Checked<R> {
    reader: R,
    sum: Checksum,
}

impl Checksum {
    pub fn of<R: BufRead>(&self, reader: R) -> Checked<R> {
        Checked {
            reader,
            sum: self.clone(),
        }
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", lock(&self.0).clone().finalize())
    }
}

impl<R: BufRead> BufRead for Checked<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        // The bytes are in the buffer: this reads nothing.
        if count > 0
            && let Ok(bytes) = self.reader.fill_buf()
        {
            lock(&self.sum.0).update(&bytes[..count]);
        }
        self.reader.consume(count);
    }
}

impl<R: BufRead> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_count_by_every_way_of_reading() {
        let sum = Checksum::default();
        let text = "one\ntwo\nthree\n".as_bytes();
        let mut reader = sum.of(io::BufReader::with_capacity(3, text));
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        assert_eq!(
            sum.to_string(),
            format!("{:08x}", crc32fast::hash(b"one\n"))
        );
        reader.read_to_string(&mut line).unwrap();
        assert_eq!(sum.to_string(), format!("{:08x}", crc32fast::hash(text)));
        // The check value of the polynomial.
        let sum = Checksum::default();
        io::copy(&mut sum.of("123456789".as_bytes()), &mut io::sink()).unwrap();
        assert_eq!(sum.to_string(), "cbf43926");
    }
}
