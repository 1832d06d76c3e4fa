//! Little-endian numbers: varints, and a cursor that never reads beyond the end.

/// Appends `number` in groups of seven bits, the low ones first; bit 7 marks all but the last.
pub fn put_varint(mut number: u128, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next `count` bytes, or `None` if there are fewer.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*taken)
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub fn i8(&mut self) -> Option<i8> {
        self.array().map(i8::from_le_bytes)
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn i16(&mut self) -> Option<i16> {
        self.array().map(i16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn u128(&mut self) -> Option<u128> {
        self.array().map(u128::from_le_bytes)
    }

    pub fn each<T, const N: usize>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<[T; N]> {
        let elements = (0..N).map(|_| read(self)).collect::<Option<Vec<T>>>()?;
        elements.try_into().ok()
    }

    /// Skips `count` varints; `None` if they do not end.
    pub fn skip_varints(&mut self, count: usize) -> Option<()> {
        for _ in 0..count {
            while self.byte()? >= 0x80 {}
        }
        Some(())
    }

    /// A varint; `None` if it does not end or has more than 128 bits.
    pub fn varint(&mut self) -> Option<u128> {
        let mut number = 0u128;
        for shift in (0..128).step_by(7) {
            let byte = self.byte()?;
            let group = u128::from(byte & 0x7F);
            if shift == 126 && group > 3 {
                return None;
            }
            number |= group << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_round_trip() {
        let powers = (0..128).map(|shift| 1u128 << shift);
        for number in powers
            .flat_map(|power| [power - 1, power, power + 1])
            .chain([u128::MAX])
        {
            let mut out = Vec::new();
            put_varint(number, &mut out);
            let mut cursor = Cursor::new(&out);
            assert_eq!(cursor.varint(), Some(number));
            assert!(cursor.is_at_end());
            assert_eq!(Cursor::new(&out[..out.len() - 1]).varint(), None);
        }
        assert_eq!(Cursor::new(&[0xFF; 30]).varint(), None);
    }
}
