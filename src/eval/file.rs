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
//! Only the first row of every orbit is stored. The network's rows are differences to the table before, the
//! first table's to zeros: a bit per row tells whether it differs, then those that do are packed by [`rans`].
//! The linear rows are differences to the stage before, zigzag-coded; the low bytes of a row's stages are
//! packed, then the high bytes.
//! Everything read is checked: a file is taken whole or refused.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::EvalKind;
use super::linear::{self, Linear};
use super::network::Network;
use super::network::shape::{BLOCKS, CHANNELS, HIDDEN, INPUTS, LANES, ROW_LEN, TABLES};
use super::network::weights::{HeadWeights, PADDED_INPUTS, ROW_MAX};
use super::patterns::{self, CLASSES, ROWS};
use super::stage::STAGES;
use crate::util::file;
use crate::util::rans;

const MAGIC: [u8; 8] = *b"EMILIAWT";
const VERSION: u32 = 5;
/// Magic, four numbers, and the length of the name.
const HEADER_LEN: usize = 8 + 4 * 4 + 2;
/// What the checksum covers begins here.
const CHECKED_FROM: usize = HEADER_LEN - 2;

const LINEAR: u8 = 1;
const NETWORK: u8 = 2;

/// The weights that every binary carries.
static EMBEDDED: &[u8] = include_bytes!("weights.bin");

/// The content of a weights file.
#[derive(Debug, PartialEq, Default)]
pub struct Weights {
    /// A free text that tells where the weights come from, part by part; at most 65,535 bytes.
    pub name: String,
    /// Weights of the linear evaluation.
    pub linear: Option<Linear>,
    /// Weights of the network.
    pub network: Option<Network>,
}

/// Why weights were refused.
#[derive(Debug)]
pub enum WeightsError {
    /// The file cannot be read.
    Io(PathBuf, io::Error),
    /// The file does not begin as a weights file does.
    Magic,
    /// The file has a format that this program does not know.
    Version(u32),
    /// The weights belong to other patterns or another network.
    Architecture {
        /// What the file was written for.
        found: u32,
        /// What this program evaluates with.
        expected: u32,
    },
    /// The file ends too early.
    Truncated,
    /// The compressed part cannot be unpacked, or bytes follow it.
    Compression,
    /// The content does not fit its checksum.
    Checksum,
    /// The content breaks a rule of the format.
    Content(&'static str),
    /// The weights have no part for the evaluation asked for.
    Missing(EvalKind),
}

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "cannot read weights {}: {error}", path.display()),
            Self::Magic => write!(f, "not a weights file"),
            Self::Version(found) => write!(f, "weights of format {found}, this program reads {VERSION}"),
            Self::Architecture { found, expected } => {
                write!(f, "weights for architecture {found:08x}, this program has {expected:08x}")
            }
            Self::Truncated => write!(f, "weights file is truncated"),
            Self::Compression => write!(f, "weights file is damaged: its content cannot be unpacked"),
            Self::Checksum => write!(f, "weights file is damaged: its checksum does not fit"),
            Self::Missing(kind) => write!(f, "the weights have no part for --eval {kind}"),
            Self::Content(what) => write!(f, "weights file breaks its format: {what}"),
        }
    }
}

/// The message holds that of the system, so there is no further source to print.
impl std::error::Error for WeightsError {}

/// The checksum of everything that gives a weight its place and meaning.
pub fn architecture() -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for class in &CLASSES {
        hasher.update(&class.bits().to_le_bytes());
    }
    for size in [ROWS, TABLES, STAGES, BLOCKS, LANES, CHANNELS, INPUTS, HIDDEN] {
        hasher.update(&(size as u64).to_le_bytes());
    }
    hasher.finalize()
}

/// A file's sections behind its header.
struct Content<'a> {
    name: String,
    sections: &'a [u8],
}

impl<'a> Content<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, WeightsError> {
        let (header, sections) = Header::parse(bytes)?;
        if crc32fast::hash(&bytes[CHECKED_FROM..]) != header.checksum {
            return Err(WeightsError::Checksum);
        }
        Ok(Self { name: header.name, sections })
    }

    /// The sections: kind and bytes.
    fn sections(&self) -> Result<Vec<(u8, &'a [u8])>, WeightsError> {
        let mut sections: Vec<(u8, &[u8])> = Vec::new();
        let mut input = Input(self.sections);
        while !input.0.is_empty() {
            let kind = input.bytes(1)?[0];
            let len = input.u32()? as usize;
            if sections.iter().any(|(other, _)| *other == kind) {
                return Err(WeightsError::Content("a section appears twice"));
            }
            sections.push((kind, input.bytes(len)?));
        }
        Ok(sections)
    }

    /// The weights in the sections whose kind is wanted.
    fn weights(&self, wanted: impl Fn(u8) -> bool) -> Result<Weights, WeightsError> {
        let mut weights = Weights { name: self.name.clone(), ..Weights::default() };
        for (kind, bytes) in self.sections()?.into_iter().filter(|(kind, _)| wanted(*kind)) {
            let mut section = Input(bytes);
            match kind {
                LINEAR => weights.linear = Some(read_linear(&mut section)?),
                NETWORK => weights.network = Some(read_network(&mut section)?),
                _ => return Err(WeightsError::Content("a section of unknown kind")),
            }
            if !section.0.is_empty() {
                return Err(WeightsError::Content("a section is too long"));
            }
        }
        Ok(weights)
    }
}

impl Weights {
    /// The embedded weights of one evaluation, or of the best there is; other parts are not unpacked,
    /// so that the first move waits less.
    pub fn embedded(kind: Option<EvalKind>) -> Result<Self, WeightsError> {
        let content = Content::parse(EMBEDDED)?;
        let has_network = content.sections()?.iter().any(|(kind, _)| *kind == NETWORK);
        let only = match kind {
            Some(EvalKind::Linear) => LINEAR,
            None if !has_network => LINEAR,
            _ => NETWORK,
        };
        content.weights(|kind| kind == only)
    }

    /// The name of the embedded weights, without unpacking them.
    pub fn embedded_name() -> Result<String, WeightsError> {
        Ok(Header::parse(EMBEDDED)?.0.name)
    }

    /// Sets what the name says of one part, and leaves what it says of the others; the part that plays
    /// comes first.
    pub fn describe(&mut self, kind: EvalKind, data: &str) {
        let own = format!("{kind} ");
        let mut parts: Vec<&str> =
            self.name.split("; ").filter(|part| !part.is_empty() && !part.starts_with(&own)).collect();
        let part = format!("{own}{data}");
        parts.insert(if kind == EvalKind::Network { 0 } else { parts.len() }, &part);
        self.name = parts.join("; ");
    }

    /// From how many positions the name says that one part was learned.
    pub fn learned(&self, kind: EvalKind) -> Option<u64> {
        let own = format!("{kind} of ");
        let said = self.name.split("; ").find_map(|part| part.strip_prefix(&own));
        said?.strip_suffix(" positions")?.parse().ok()
    }

    /// A checksum of the embedded weights file, to tell one from another.
    pub fn embedded_checksum() -> u32 {
        crc32fast::hash(EMBEDDED)
    }

    /// Reads a weights file.
    pub fn load(path: &Path) -> Result<Self, WeightsError> {
        let bytes = fs::read(path).map_err(|error| WeightsError::Io(path.to_owned(), error))?;
        Self::parse(&bytes)
    }

    /// Reads the bytes of a weights file.
    pub fn parse(bytes: &[u8]) -> Result<Self, WeightsError> {
        Content::parse(bytes)?.weights(|_| true)
    }

    /// The bytes of the weights file.
    ///
    /// # Panics
    /// If the name is longer than 65,535 bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let name_len = u16::try_from(self.name.len()).expect("a name has at most 65,535 bytes");
        let mut checked = name_len.to_le_bytes().to_vec();
        checked.extend(self.name.as_bytes());
        let mut section = |kind: u8, content: Vec<u8>| {
            checked.push(kind);
            checked.extend((content.len() as u32).to_le_bytes());
            checked.extend(content);
        };
        if let Some(linear) = &self.linear {
            section(LINEAR, write_linear(linear));
        }
        if let Some(network) = &self.network {
            section(NETWORK, write_network(network));
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

    /// Writes the file; an existing one is replaced whole, or left as it was on an error.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        file::replace(path, &self.to_bytes())
    }
}

/// What stands before the sections.
struct Header {
    name: String,
    checksum: u32,
}

impl Header {
    /// The header and the rest of the file.
    fn parse(bytes: &[u8]) -> Result<(Self, &[u8]), WeightsError> {
        if bytes.is_empty() || bytes[..bytes.len().min(MAGIC.len())] != MAGIC[..bytes.len().min(MAGIC.len())]
        {
            return Err(WeightsError::Magic);
        }
        if bytes.len() < HEADER_LEN {
            return Err(WeightsError::Truncated);
        }
        let mut input = Input(&bytes[MAGIC.len()..]);
        let version = input.u32()?;
        if version != VERSION {
            return Err(WeightsError::Version(version));
        }
        let (found, expected) = (input.u32()?, architecture());
        if found != expected {
            return Err(WeightsError::Architecture { found, expected });
        }
        let (file_len, checksum) = (input.u32()? as usize, input.u32()?);
        if bytes.len() != file_len {
            let longer = WeightsError::Content("bytes follow the end");
            return Err(if bytes.len() < file_len { WeightsError::Truncated } else { longer });
        }
        let name_len = u16::from_le_bytes(input.array()?);
        let name = String::from_utf8(input.bytes(usize::from(name_len))?.to_vec())
            .map_err(|_| WeightsError::Content("the name is not UTF-8"))?;
        Ok((Self { name, checksum }, input.0))
    }
}

/// Rows packed by [`rans`].
fn unpack<const WIDTH: usize>(input: &mut Input, count: usize) -> Result<Vec<[u8; WIDTH]>, WeightsError> {
    rans::unpack(&mut input.0, count).ok_or(WeightsError::Compression)
}

/// Bytes that are read from the front.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], WeightsError> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(WeightsError::Truncated)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WeightsError> {
        Ok(self.bytes(N)?.try_into().expect("as many bytes as asked for"))
    }

    fn u32(&mut self) -> Result<u32, WeightsError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn i32(&mut self) -> Result<i32, WeightsError> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    fn i16(&mut self) -> Result<i16, WeightsError> {
        Ok(i16::from_le_bytes(self.array()?))
    }

    fn i8(&mut self) -> Result<i8, WeightsError> {
        Ok(self.bytes(1)?[0] as i8)
    }

    /// An array whose elements `read` takes one after the other.
    fn each<T, const N: usize>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<T, WeightsError>,
    ) -> Result<[T; N], WeightsError> {
        let elements = (0..N).map(|_| read(self)).collect::<Result<Vec<T>, _>>()?;
        Ok(elements.try_into().ok().expect("as many elements as asked for"))
    }
}

fn write_linear(linear: &Linear) -> Vec<u8> {
    let mut bytes: Vec<u8> =
        linear.stages().iter().flat_map(|stage| stage.dense).flat_map(i32::to_le_bytes).collect();
    let codes: Vec<[u16; STAGES]> = patterns::representatives()
        .iter()
        .map(|&row| {
            let mut before = 0;
            std::array::from_fn(|stage| {
                let weight = linear.stages()[stage].rows()[row as usize];
                let difference = weight.wrapping_sub(before);
                before = weight;
                (difference << 1 ^ difference >> 15) as u16
            })
        })
        .collect();
    for half in 0..2 {
        let halves: Vec<[u8; STAGES]> =
            codes.iter().map(|codes| codes.map(|code| code.to_le_bytes()[half])).collect();
        bytes.extend(rans::pack(&halves));
    }
    bytes
}

fn read_linear(input: &mut Input) -> Result<Linear, WeightsError> {
    let dense: [[i32; 3]; STAGES] = input.each(|input| input.each(Input::i32))?;
    let representatives = patterns::representatives();
    let low = unpack::<STAGES>(input, representatives.len())?;
    let high = unpack::<STAGES>(input, representatives.len())?;
    // Stage by stage, one number for every row.
    let mut rows = vec![vec![0i16; ROWS]; STAGES];
    for (&representative, (low, high)) in representatives.iter().zip(low.iter().zip(&high)) {
        let mut weight = 0i16;
        let weights: [i16; STAGES] = std::array::from_fn(|stage| {
            let code = u16::from_le_bytes([low[stage], high[stage]]);
            weight = weight.wrapping_add((code >> 1) as i16 ^ -((code & 1) as i16));
            weight
        });
        for (row, _) in patterns::orbit(representative) {
            rows.iter_mut().zip(weights).for_each(|(rows, weight)| rows[row as usize] = weight);
        }
    }
    let stages = rows.iter().zip(dense).map(|(rows, dense)| linear::Stage::new(rows, dense));
    let stages: Option<Vec<_>> = stages.collect();
    let stages = stages.ok_or(WeightsError::Content("a linear weight is out of range"))?;
    Ok(Linear::from_stages(stages).expect("as many stages as there are"))
}

fn write_network(network: &Network) -> Vec<u8> {
    let mut bytes: Vec<u8> = network.bounds.iter().flat_map(|bound| bound.to_le_bytes()).collect();
    network.heads().for_each(|head| write_head(head, &mut bytes));
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
        let differs: Vec<bool> = rows.iter().zip(&before).map(|(row, before)| row != before).collect();
        bytes.extend(differs.chunks(8).map(|chunk| {
            chunk.iter().enumerate().fold(0u8, |mask, (bit, &differs)| mask | u8::from(differs) << bit)
        }));
        let differences: Vec<[u8; ROW_LEN]> = rows
            .iter()
            .zip(&before)
            .filter(|(row, before)| row != before)
            .map(|(row, before)| std::array::from_fn(|number| row[number].wrapping_sub(before[number])))
            .collect();
        bytes.extend(rans::pack(&differences));
        before = rows;
    }
    bytes
}

fn read_network(input: &mut Input) -> Result<Network, WeightsError> {
    let bounds: [u32; TABLES - 1] = input.each(Input::u32)?;
    if !bounds.is_sorted_by(|a, b| a > b) {
        return Err(WeightsError::Content("the bounds of the tables do not fall"));
    }
    let heads = (0..STAGES).map(|_| read_head(input)).collect::<Result<_, _>>()?;
    let mut network = Network::new(bounds, heads)
        .ok_or(WeightsError::Content("a weight of a head is out of range, or memory is short"))?;
    let representatives = patterns::representatives();
    let mut rows = vec![[0; ROW_LEN]; representatives.len()];
    for table in 0..TABLES {
        read_differences(input, &mut rows)?;
        for (&row, numbers) in representatives.iter().zip(&rows) {
            if numbers.iter().any(|&number| (number as i8).unsigned_abs() > ROW_MAX as u8) {
                return Err(WeightsError::Content("a number of a row is out of range"));
            }
            let blocks =
                std::array::from_fn(|block| std::array::from_fn(|lane| numbers[block * LANES + lane] as i8));
            if !Network::is_tied(row, &blocks) {
                return Err(WeightsError::Content("a row breaks its own symmetry"));
            }
            network.set_orbit(table, row, blocks);
        }
    }
    Ok(network)
}

/// Turns the rows of one table into those of the next.
fn read_differences(input: &mut Input, rows: &mut [[u8; ROW_LEN]]) -> Result<(), WeightsError> {
    let mask = input.bytes(rows.len().div_ceil(8))?;
    let differs = |index: &usize| mask[index / 8] >> (index % 8) & 1 != 0;
    let differing: Vec<usize> = (0..rows.len()).filter(differs).collect();
    let differences = unpack::<ROW_LEN>(input, differing.len())?;
    for (&index, differences) in differing.iter().zip(&differences) {
        rows[index].iter_mut().zip(differences).for_each(|(number, &by)| *number = number.wrapping_add(by));
    }
    Ok(())
}

fn write_head(head: &HeadWeights, bytes: &mut Vec<u8>) {
    bytes.extend(head.bias.iter().flat_map(|number| number.to_le_bytes()));
    for weights in [&head.w1, &head.w2] {
        bytes.extend(weights.as_flattened().as_flattened().iter().map(|&weight| weight as u8));
    }
    bytes.extend(head.b1.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(head.hidden.as_flattened().iter().map(|&weight| weight as u8));
    bytes.extend(head.hidden_bias.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(head.output.iter().flat_map(|number| number.to_le_bytes()));
    let [own, opponent] = head.mobility;
    let numbers = [head.output_bias, head.skip, own, opponent, head.parity];
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn read_head(input: &mut Input) -> Result<HeadWeights, WeightsError> {
    let convolution = |input: &mut Input| -> Result<[[[i8; LANES]; BLOCKS]; CHANNELS], WeightsError> {
        input.each(|input| input.each(|input| input.each(Input::i8)))
    };
    Ok(HeadWeights {
        bias: input.each(Input::i16)?,
        w1: convolution(input)?,
        w2: convolution(input)?,
        b1: input.each(Input::i32)?,
        hidden: input.each(|input| input.each::<i8, PADDED_INPUTS>(Input::i8))?,
        hidden_bias: input.each(Input::i32)?,
        output: input.each(Input::i16)?,
        output_bias: input.i32()?,
        skip: input.i32()?,
        mobility: input.each(Input::i32)?,
        parity: input.i32()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::linear::tests::random_linear;
    use crate::eval::network::tests::random_network;
    use tempfile::TempDir;

    #[test]
    fn files_round_trip() {
        let weights = Weights {
            name: "random, for a test".to_owned(),
            linear: Some(random_linear(22)),
            // Most rows are unused, as after a little training.
            network: Some(random_network(21, |limit| limit, ROW_MAX, 3_000)),
        };
        let bytes = weights.to_bytes();
        assert!(Weights::parse(&bytes).expect("what was written is read") == weights);
        for len in [bytes.len() - 1, bytes.len() / 2, 60] {
            let error = Weights::parse(&bytes[..len]).expect_err("a part of a file is refused");
            assert!(matches!(error, WeightsError::Truncated), "{len}: {error}");
        }
    }

    #[test]
    fn the_name_speaks_of_every_part() {
        let mut weights = Weights::default();
        for (kind, data, name) in [
            (EvalKind::Linear, "of 5 positions", "linear of 5 positions"),
            (EvalKind::Network, "of 7 positions", "network of 7 positions; linear of 5 positions"),
            (EvalKind::Linear, "of 9 positions", "network of 7 positions; linear of 9 positions"),
        ] {
            weights.describe(kind, data);
            assert_eq!(weights.name, name);
        }
        assert_eq!(weights.learned(EvalKind::Network), Some(7));
        assert_eq!(weights.learned(EvalKind::Linear), Some(9));
        assert_eq!(weights.learned(EvalKind::Classic), None);
    }

    #[test]
    fn damaged_and_foreign_files_are_refused() {
        let good = Weights { name: "empty".to_owned(), ..Weights::default() };
        let bytes = good.to_bytes();
        assert_eq!(Weights::parse(&bytes).expect("no sections are allowed"), good);
        for len in 0..bytes.len() {
            assert!(Weights::parse(&bytes[..len]).is_err(), "{len} bytes");
        }
        for at in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[at / 8] ^= 1 << (at % 8);
            assert!(Weights::parse(&damaged).is_err(), "bit {at}");
        }
        let longer = [bytes.as_slice(), b"x"].concat();
        assert!(matches!(Weights::parse(&longer), Err(WeightsError::Content(_))));
        let line = Weights::parse(b"PNG").expect_err("foreign").to_string();
        assert_eq!(line, "not a weights file");
        let missing = Weights::load(Path::new("no/such/file")).expect_err("missing").to_string();
        assert!(missing.starts_with("cannot read weights no/such/file: ") && !missing.contains('\n'));
    }

    #[test]
    fn saving_replaces_the_file_whole() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("saved.bin");
        for name in ["one", "two"] {
            let weights = Weights { name: name.to_owned(), ..Weights::default() };
            weights.save(&path).expect("the temporary folder can be written");
            assert_eq!(Weights::load(&path).expect("just written"), weights);
        }
        assert!(Weights::default().save(Path::new("no/such/folder/file")).is_err());
    }

    #[test]
    fn embedded_weights_are_whole() {
        let weights = Weights::parse(EMBEDDED).expect("the embedded file fits this program");
        let name = Weights::embedded_name().expect("it has a header");
        assert_eq!(weights.name, name);
        let parts: Vec<&str> = name.split("; ").collect();
        assert!(parts[0].starts_with("network of ") && weights.network.is_some(), "{name}");
        assert_eq!(parts.iter().any(|part| part.starts_with("linear of ")), weights.linear.is_some());
        assert!(EMBEDDED.len() <= 25 << 20, "{} bytes", EMBEDDED.len());
    }
}
