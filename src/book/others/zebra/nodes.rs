//! The nodes of a `.bin` or its text, as they stand there.

use super::super::super::BookError;
use super::super::kind::Kind;
use super::super::source::Source;
use super::told::Told;

/// Bytes of the header, and of a node.
const HEADER: u64 = 8;
const NODE: usize = 18;

/// Nodes without their boards.
pub struct Nodes {
    pub hashes: Vec<(i32, i32)>,
    pub told: Vec<Told>,
    /// Where each begins in a text; empty for a `.bin`, whose nodes are of one length.
    places: Vec<u64>,
}

impl Nodes {
    /// Where a node begins in the file.
    pub fn place(&self, node: usize) -> u64 {
        self.places.get(node).copied().unwrap_or(HEADER + (NODE * node) as u64)
    }

    fn push(&mut self, numbers: [i64; 7]) -> Option<()> {
        // The score for White differs from that for Black only in how a draw counts.
        let [first, second, score, _, deviation, deviation_score, flags] = numbers;
        self.hashes.push((i32::try_from(first).ok()?, i32::try_from(second).ok()?));
        self.told.push(Told {
            score: i16::try_from(score).ok()?,
            deviation: i16::try_from(deviation).ok()?,
            deviation_score: i16::try_from(deviation_score).ok()?,
            flags: u16::try_from(flags).ok()?,
        });
        Some(())
    }

    /// Reads a `.bin` or its text: how many nodes it says there are, and what stands in the way of the others.
    pub fn read(source: &mut Source, kind: Kind) -> (Self, i64, Option<BookError>) {
        let mut nodes = Self { hashes: Vec::new(), told: Vec::new(), places: Vec::new() };
        let mut told = 0;
        let read = match kind {
            Kind::ZebraText => read_text(source, &mut nodes, &mut told),
            _ => read_binary(source, &mut nodes, &mut told),
        };
        (nodes, told, read.err())
    }
}

fn read_binary(source: &mut Source, nodes: &mut Nodes, told: &mut i64) -> Result<(), BookError> {
    source.seek(4)?;
    *told = i32::from_le_bytes(source.need()?).into();
    while let Some(bytes) = source.array::<NODE>()? {
        let long = |at: usize| {
            i64::from(i32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]))
        };
        let short = |at: usize| i64::from(i16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let flags = i64::from(u16::from_le_bytes([bytes[16], bytes[17]]));
        let numbers = [long(0), long(4), short(8), short(10), short(12), short(14), flags];
        nodes.push(numbers).expect("numbers of these widths");
    }
    Ok(())
}

fn read_text(source: &mut Source, nodes: &mut Nodes, told: &mut i64) -> Result<(), BookError> {
    const LINE: &str = "expected the seven numbers of a node";
    let numbers = |line: &[u8]| -> Option<Vec<i64>> {
        let text = std::str::from_utf8(line).ok()?;
        text.split_ascii_whitespace().map(|number| number.parse().ok()).collect()
    };
    let mut header = Vec::new();
    loop {
        let at = source.at();
        let Some(line) = source.line()? else { break };
        let numbers = numbers(&line).ok_or_else(|| source.damaged(at, LINE))?;
        if header.len() < 3 {
            header.extend(numbers);
        } else if let Ok(numbers) = <[i64; 7]>::try_from(numbers) {
            nodes.push(numbers).ok_or_else(|| source.damaged(at, LINE))?;
            nodes.places.push(at);
        } else if !line.is_empty() {
            return Err(source.damaged(at, LINE));
        }
    }
    *told = *header.get(2).ok_or_else(|| source.damaged(source.at(), "expected the number of nodes"))?;
    Ok(())
}
