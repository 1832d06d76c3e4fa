//! The weights file: header, checksum, and the integer weights packed close to their entropy.
//!
//! All numbers are little-endian.
//!
//! ```text
//! 8 bytes  magic "EMILIAWT"
//! u32      format version
//! u32      architecture: a checksum of the pattern table and all sizes
//! u32      length of the file
//! u32      CRC-32 of all that follows
//! u16      length of the name, then the name in UTF-8
//! rest     sections of u8 kind, u32 length, content
//! ```
//!
//! Only the first row of every orbit is stored, as its difference to the previous table, in the first table to zeros: a
//! bit per row marks the different ones, which [`rans`] packs.
//! Sections of kind 1, a linear evaluation in files of older programs, are skipped.
//! The reader checks everything and refuses a file with any error.

use std::cmp::Ordering;
use std::io;
use std::path::{Path, PathBuf};

use super::network::Network;
use super::network::shape::{BLOCKS, CHANNELS, HIDDEN, INPUTS, LANES, ROW_LEN, STAGES, TABLES};
use super::network::weights::{HeadWeights, PADDED_INPUTS, ROW_MAX};
use super::patterns::{self, CLASSES, ROWS};
use crate::util::bytes::Cursor;
use crate::util::{file, input_file, rans};

const MAGIC: [u8; 8] = *b"EMILIAWT";
const VERSION: u32 = 5;
/// Eight times as many as the embedded weights have.
const MAX_BYTES: u64 = 1 << 26;
/// Magic, four numbers, and the length of the name.
const HEADER_LEN: usize = 8 + 4 * 4 + 2;
/// The first byte that the checksum covers.
const CHECKED_FROM: usize = HEADER_LEN - 2;

const LINEAR_OF_OLD: u8 = 1;
const NETWORK: u8 = 2;

/// The weights that every binary carries.
static EMBEDDED: &[u8] = include_bytes!("weights.bin");

/// The content of a weights file.
#[derive(Debug, PartialEq, Default)]
pub struct Weights {
    /// The origin of the weights, a free text of at most 65,535 bytes.
    pub name: String,
    /// Weights of the network.
    pub network: Option<Network>,
}

/// The reason to refuse weights, with the system's message if there is one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// The file cannot be read.
    #[error("cannot read weights {}: {}", .0.display(), .1)]
    Io(PathBuf, io::Error),
    /// The file does not begin as a weights file does.
    #[error("not a weights file")]
    Magic,
    /// The file has a format that this program does not know.
    #[error("weights of format {0}, this program reads {VERSION}")]
    Version(u32),
    /// The weights belong to other patterns or another network.
    #[error("weights for architecture {found:08x}, this program has {expected:08x}")]
    Architecture {
        /// The architecture of the file.
        found: u32,
        /// The architecture of this program.
        expected: u32,
    },
    /// The content breaks a rule of the format.
    #[error("weights file is damaged: {0}")]
    Damaged(&'static str),
    /// The network asked for is not in the file.
    #[error("the weights have no network: use --eval classic")]
    NoNetwork,
}

/// A file that ends too early.
const TRUNCATED: WeightsError = WeightsError::Damaged("it is truncated");

/// The checksum of all patterns and sizes.
pub fn architecture() -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for class in &CLASSES {
        hasher.update(&class.to_le_bytes());
    }
    for size in [
        ROWS, TABLES, STAGES, BLOCKS, LANES, CHANNELS, INPUTS, HIDDEN,
    ] {
        hasher.update(&(size as u64).to_le_bytes());
    }
    hasher.finalize()
}

impl Weights {
    /// The embedded weights.
    pub fn embedded() -> Result<Self, WeightsError> {
        Self::parse(EMBEDDED)
    }

    /// The name of the embedded weights, without unpacking them.
    pub fn embedded_name() -> Result<String, WeightsError> {
        Ok(parse_header(EMBEDDED)?.0)
    }

    /// Names the weights by the number of positions they have learned from.
    pub fn describe(&mut self, positions: u64) {
        self.name = format!("network of {positions} positions");
    }

    /// The number of positions in the name.
    pub fn learned(&self) -> Option<u64> {
        let said = self
            .name
            .split("; ")
            .find_map(|part| part.strip_prefix("network of "));
        said?.strip_suffix(" positions")?.parse().ok()
    }

    /// A checksum of the embedded weights file.
    pub fn embedded_checksum() -> u32 {
        crc32fast::hash(EMBEDDED)
    }

    /// The bytes of a weights file.
    fn read(path: &Path) -> Result<Vec<u8>, WeightsError> {
        input_file::read(path, MAX_BYTES).map_err(|error| WeightsError::Io(path.to_owned(), error))
    }

    /// A checksum of the bytes of a weights file.
    pub fn file_checksum(path: &Path) -> Result<u32, WeightsError> {
        Ok(crc32fast::hash(&Self::read(path)?))
    }

    /// Reads a weights file.
    pub fn load(path: &Path) -> Result<Self, WeightsError> {
        Self::parse(&Self::read(path)?)
    }

    /// Reads the bytes of a weights file.
    pub fn parse(bytes: &[u8]) -> Result<Self, WeightsError> {
        let (name, checksum, sections) = parse_header(bytes)?;
        if crc32fast::hash(&bytes[CHECKED_FROM..]) != checksum {
            return Err(WeightsError::Damaged("its checksum does not match"));
        }
        let mut weights = Self {
            name,
            network: None,
        };
        let mut input = Cursor::new(sections);
        let mut seen = Vec::new();
        while let Some(kind) = input.byte() {
            let content = input.u32().and_then(|len| input.take(len as usize));
            let mut section = Cursor::new(content.ok_or(TRUNCATED)?);
            if seen.contains(&kind) {
                return Err(WeightsError::Damaged("a section appears twice"));
            }
            seen.push(kind);
            match kind {
                LINEAR_OF_OLD => continue,
                NETWORK => weights.network = Some(read_network(&mut section)?),
                _ => return Err(WeightsError::Damaged("a section of unknown kind")),
            }
            if !section.is_at_end() {
                return Err(WeightsError::Damaged("a section is too long"));
            }
        }
        Ok(weights)
    }

    /// The bytes of the weights file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let name_len = u16::try_from(self.name.len()).expect("a name has at most 65,535 bytes");
        let mut checked = name_len.to_le_bytes().to_vec();
        checked.extend(self.name.as_bytes());
        if let Some(network) = &self.network {
            let content = write_network(network);
            checked.push(NETWORK);
            checked.extend((content.len() as u32).to_le_bytes());
            checked.extend(content);
        }
        let file_len = CHECKED_FROM + checked.len();
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, architecture(), file_len as u32] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(crc32fast::hash(&checked).to_le_bytes());
        bytes.extend(checked);
        bytes
    }

    /// Writes the file; replaces an existing one only without an error.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        file::replace(path, &self.to_bytes())
    }
}

/// The name, the checksum of all that follows it in the header, and the sections.
fn parse_header(bytes: &[u8]) -> Result<(String, u32, &[u8]), WeightsError> {
    if bytes.is_empty()
        || !bytes
            .iter()
            .zip(&MAGIC)
            .all(|(byte, expected)| byte == expected)
    {
        return Err(WeightsError::Magic);
    }
    if bytes.len() < HEADER_LEN {
        return Err(TRUNCATED);
    }
    let mut input = Cursor::new(&bytes[MAGIC.len()..]);
    let mut number = || input.u32().ok_or(TRUNCATED);
    let version = number()?;
    if version != VERSION {
        return Err(WeightsError::Version(version));
    }
    let found = number()?;
    let expected = architecture();
    if found != expected {
        return Err(WeightsError::Architecture { found, expected });
    }
    let file_len = number()? as usize;
    let checksum = number()?;
    match bytes.len().cmp(&file_len) {
        Ordering::Less => return Err(TRUNCATED),
        Ordering::Equal => {}
        Ordering::Greater => return Err(WeightsError::Damaged("bytes follow the end")),
    }
    let name = input
        .u16()
        .and_then(|len| input.take(usize::from(len)))
        .ok_or(TRUNCATED)?;
    let name = String::from_utf8(name.to_vec());
    Ok((
        name.map_err(|_| WeightsError::Damaged("the name is not UTF-8"))?,
        checksum,
        input.rest(),
    ))
}

fn write_network(network: &Network) -> Vec<u8> {
    let mut bytes: Vec<u8> = network
        .bounds
        .iter()
        .flat_map(|bound| bound.to_le_bytes())
        .collect();
    network
        .heads()
        .for_each(|head| write_head(head, &mut bytes));
    let representatives = patterns::representatives();
    let mut before = vec![[0; ROW_LEN]; representatives.len()];
    for table in 0..TABLES {
        let rows: Vec<[u8; ROW_LEN]> = representatives
            .iter()
            .map(|&row| {
                let blocks = network.row(table, row);
                std::array::from_fn(|number| blocks.as_flattened()[number] as u8)
            })
            .collect();
        let differs: Vec<bool> = rows
            .iter()
            .zip(&before)
            .map(|(row, before)| row != before)
            .collect();
        bytes.extend(differs.chunks(8).map(|chunk| {
            chunk
                .iter()
                .enumerate()
                .fold(0u8, |mask, (bit, &differs)| mask | u8::from(differs) << bit)
        }));
        let differences: Vec<[u8; ROW_LEN]> = rows
            .iter()
            .zip(&before)
            .filter(|(row, before)| row != before)
            .map(|(row, before)| {
                std::array::from_fn(|number| row[number].wrapping_sub(before[number]))
            })
            .collect();
        bytes.extend(rans::pack(&differences));
        before = rows;
    }
    bytes
}

fn read_network(input: &mut Cursor<'_>) -> Result<Network, WeightsError> {
    let bounds: [u32; TABLES - 1] = input.each(Cursor::u32).ok_or(TRUNCATED)?;
    if !bounds.is_sorted_by(|a, b| a > b) {
        return Err(WeightsError::Damaged(
            "the bounds of the tables do not fall",
        ));
    }
    let heads = (0..STAGES)
        .map(|_| read_head(input))
        .collect::<Option<_>>()
        .ok_or(TRUNCATED)?;
    let mut network = Network::new(bounds, heads).ok_or(WeightsError::Damaged(
        "a weight of a head is out of range, or memory is short",
    ))?;
    let representatives = patterns::representatives();
    for table in 0..TABLES {
        network.copy_table_before(table);
        read_differences(input, &mut network, table, &representatives)?;
    }
    Ok(network)
}

/// Turns the rows of a table, copies of those before it, into its own.
fn read_differences(
    input: &mut Cursor<'_>,
    network: &mut Network,
    table: usize,
    representatives: &[u32],
) -> Result<(), WeightsError> {
    let mask = input
        .take(representatives.len().div_ceil(8))
        .ok_or(TRUNCATED)?;
    let differs = |&(index, _): &(usize, &u32)| mask[index / 8] >> (index % 8) & 1 != 0;
    let mut differing = representatives
        .iter()
        .enumerate()
        .filter(differs)
        .map(|(_, &row)| row);
    let count = differing.clone().count();
    let mut result = Ok(());
    let add = |differences: [u8; ROW_LEN]| {
        let row = differing.next().expect("there are as many as asked for");
        let mut blocks = network.row(table, row);
        let numbers = blocks.as_flattened_mut().iter_mut();
        numbers
            .zip(differences)
            .for_each(|(number, by)| *number = number.wrapping_add(by as i8));
        if blocks
            .as_flattened()
            .iter()
            .any(|number| !(-ROW_MAX..=ROW_MAX).contains(number))
        {
            result = Err(WeightsError::Damaged("a number of a row is out of range"));
        } else if !Network::is_symmetric(row, &blocks) {
            result = Err(WeightsError::Damaged("a row breaks its own symmetry"));
        } else {
            network.set_orbit(table, row, blocks);
        }
    };
    rans::unpack(input, count, add).ok_or(WeightsError::Damaged("a table cannot be unpacked"))?;
    result
}

fn write_head(head: &HeadWeights, bytes: &mut Vec<u8>) {
    bytes.extend(head.bias.iter().flat_map(|number| number.to_le_bytes()));
    for weights in [&head.w1, &head.w2] {
        bytes.extend(
            weights
                .as_flattened()
                .as_flattened()
                .iter()
                .map(|&weight| weight as u8),
        );
    }
    bytes.extend(head.b1.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(
        head.hidden
            .as_flattened()
            .iter()
            .map(|&weight| weight as u8),
    );
    bytes.extend(
        head.hidden_bias
            .iter()
            .flat_map(|number| number.to_le_bytes()),
    );
    bytes.extend(head.output.iter().flat_map(|number| number.to_le_bytes()));
    let [own, opponent] = head.mobility;
    let numbers = [head.output_bias, head.skip, own, opponent, head.parity];
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn read_head(input: &mut Cursor<'_>) -> Option<HeadWeights> {
    let convolution = |input: &mut Cursor<'_>| -> Option<[[[i8; LANES]; BLOCKS]; CHANNELS]> {
        input.each(|input| input.each(|input| input.each(Cursor::i8)))
    };
    Some(HeadWeights {
        bias: input.each(Cursor::i16)?,
        w1: convolution(input)?,
        w2: convolution(input)?,
        b1: input.each(Cursor::i32)?,
        hidden: input.each(|input| input.each::<i8, PADDED_INPUTS>(Cursor::i8))?,
        hidden_bias: input.each(Cursor::i32)?,
        output: input.each(Cursor::i16)?,
        output_bias: input.i32()?,
        skip: input.i32()?,
        mobility: input.each(Cursor::i32)?,
        parity: input.i32()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::network::tests::random_network;

    #[test]
    fn files_round_trip() {
        let weights = Weights {
            name: "random, for a test".to_owned(),
            // Most rows are unused, as after a little training.
            network: Some(random_network(21, |limit| limit, ROW_MAX, 3_000)),
        };
        let bytes = weights.to_bytes();
        assert!(Weights::parse(&bytes).expect("a written file can be read") == weights);
        for len in [bytes.len() - 1, bytes.len() / 2, 60] {
            let error = Weights::parse(&bytes[..len]).expect_err("a part of a file is refused");
            assert_eq!(error.to_string(), TRUNCATED.to_string(), "{len}");
        }
    }

    #[test]
    fn the_name_tells_what_was_learned() {
        let mut weights = Weights::default();
        assert_eq!(weights.learned(), None);
        weights.describe(7);
        assert_eq!(
            (weights.name.as_str(), weights.learned()),
            ("network of 7 positions", Some(7))
        );
        weights.name = "network of 7 positions; linear of 5 positions".to_owned();
        assert_eq!(weights.learned(), Some(7), "the name of an older file");
    }

    #[test]
    fn the_linear_part_of_an_older_file_is_skipped() {
        let named = Weights {
            name: "old".to_owned(),
            ..Weights::default()
        };
        let sections = [&[LINEAR_OF_OLD, 3, 0, 0, 0, 7, 7, 7][..], &[9, 0, 0, 0, 0]];
        let with = |sections: &[u8]| {
            let mut bytes = [&named.to_bytes(), sections].concat();
            let file_len = bytes.len() as u32;
            bytes[16..20].copy_from_slice(&file_len.to_le_bytes());
            let checksum = crc32fast::hash(&bytes[CHECKED_FROM..]);
            bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
            Weights::parse(&bytes)
        };
        assert_eq!(with(sections[0]).expect("an old part is no fault"), named);
        assert!(with(sections[1]).is_err(), "a part that no program wrote");
        assert!(with(&sections[0].repeat(2)).is_err(), "a part twice");
    }

    #[test]
    fn damaged_and_foreign_files_are_refused() {
        let good = Weights {
            name: "empty".to_owned(),
            ..Weights::default()
        };
        let bytes = good.to_bytes();
        assert_eq!(
            Weights::parse(&bytes).expect("no sections are allowed"),
            good
        );
        for len in 0..bytes.len() {
            assert!(Weights::parse(&bytes[..len]).is_err(), "{len} bytes");
        }
        for at in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[at / 8] ^= 1 << (at % 8);
            assert!(Weights::parse(&damaged).is_err(), "bit {at}");
        }
        let longer = [bytes.as_slice(), b"x"].concat();
        assert!(matches!(
            Weights::parse(&longer),
            Err(WeightsError::Damaged(_))
        ));
        let line = Weights::parse(b"PNG").expect_err("foreign").to_string();
        assert_eq!(line, "not a weights file");
        let missing = Weights::load(Path::new("no/such/file"))
            .expect_err("missing")
            .to_string();
        assert!(
            missing.starts_with("cannot read weights no/such/file: ") && !missing.contains('\n')
        );
    }

    #[test]
    fn embedded_weights_are_whole() {
        let weights = Weights::parse(EMBEDDED).expect("the embedded file fits this program");
        let name = Weights::embedded_name().expect("it has a header");
        assert_eq!(weights.name, name);
        assert!(
            name.starts_with("network of ") && weights.network.is_some(),
            "{name}"
        );
        assert!(EMBEDDED.len() <= 25 << 20, "{} bytes", EMBEDDED.len());
    }
}
