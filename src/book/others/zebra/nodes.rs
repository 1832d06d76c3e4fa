//! The nodes of a `.bin`.

use super::super::super::BookError;
use super::super::source::Source;
use super::told::Told;

/// Bytes of the header, and of a node.
const HEADER: usize = 8;
const NODE: usize = 18;

/// Nodes without their boards.
#[derive(Default)]
pub struct Nodes {
    pub hashes: Vec<(i32, i32)>,
    pub told: Vec<Told>,
}

/// The byte at which a node begins.
pub fn place(node: usize) -> u64 {
    (HEADER + NODE * node) as u64
}

impl Nodes {
    /// Reads a `.bin`: the nodes, the number of nodes in the header, and the error that ended it.
    pub fn read(source: &mut Source) -> (Self, i64, Option<BookError>) {
        let (mut nodes, mut told) = (Self::default(), 0);
        let error = nodes.read_all(source, &mut told).err();
        (nodes, told, error)
    }

    fn read_all(&mut self, source: &mut Source, told: &mut i64) -> Result<(), BookError> {
        source.seek(4)?;
        *told = i32::from_le_bytes(source.need()?).into();
        while let Some(bytes) = source.array::<NODE>()? {
            let (longs, shorts) = bytes.split_at(8);
            let long = |at: usize| i32::from_le_bytes(longs.as_chunks::<4>().0[at]);
            let short = |at: usize| i16::from_le_bytes(shorts.as_chunks::<2>().0[at]);
            self.hashes.push((long(0), long(1)));
            // The score for White differs from that for Black only in how a draw counts.
            self.told.push(Told {
                score: short(0),
                deviation: short(2),
                deviation_score: short(3),
                flags: short(4) as u16,
            });
        }
        Ok(())
    }
}
