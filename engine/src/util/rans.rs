//! Packs rows of bytes close to their entropy and unpacks them fast: range asymmetric numeral systems.
//!
//! The bytes of some rows, and of some places in a row, vary more than others. So each row has one of a few kinds, and each
//! kind has a fixed distribution for every place modulo eight. Unpacking a byte takes one look-up and one multiplication, in
//! eight independent chains. All numbers are little-endian:
//!
//! ```text
//! u8       number of kinds
//! each     a distribution of bytes for each of the eight places: 32 bytes with a bit for each byte that occurs,
//!          then each frequency less 1: 7 bits; the eighth bit marks 5 more bits in another byte
//! once     the distribution of the kinds in the same form
//! u32      number of words
//! 8 × u32  the first states
//! u16 each the words
//! ```
//!
//! Sources: J. Duda, "Asymmetric numeral systems: entropy coding combining speed of Huffman coding with
//! compression rate of arithmetic coding" (2013); F. Giesen, "Interleaved entropy coders" (2014).

use super::bytes::Cursor;

/// Places of a row with their own distributions; also independent chains.
const PLACES: usize = 8;
/// The sum of a distribution's frequencies.
const SCALE: u32 = 1 << SCALE_BITS;
const SCALE_BITS: u32 = 12;
/// The range of a state between two bytes is `LOW..LOW << 16`.
const LOW: u32 = 1 << 16;

const KINDS: usize = 16;
/// The rows of the sample for the kinds, and the passes over it.
const SAMPLE: usize = 1 << 14;
const ROUNDS: usize = 8;

/// The frequency of each byte of `SCALE`; all 0 without a count.
#[derive(Clone)]
struct Distribution([u16; 256]);

impl Distribution {
    /// Scales counts; a counted byte keeps at least 1.
    fn of(counts: &[u32; 256]) -> Self {
        let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        if total == 0 {
            return Self([0; 256]);
        }
        let scaled = |count: u32| (u64::from(count) * u64::from(SCALE) + total / 2) / total;
        let mut frequencies = counts.map(|count| {
            if count == 0 {
                0
            } else {
                scaled(count).max(1) as i32
            }
        });
        // The largest frequency takes the rounding error.
        loop {
            let missing = SCALE as i32 - frequencies.iter().sum::<i32>();
            let largest = frequencies.iter_mut().max().expect("there are 256");
            *largest += missing.max(1 - *largest);
            if missing >= 0 || *largest > 1 {
                break;
            }
        }
        Self(frequencies.map(|frequency| frequency as u16))
    }

    /// The sum of the frequencies below each byte.
    fn starts(&self) -> [u32; 256] {
        let mut below = 0;
        self.0.map(|frequency| {
            below += u32::from(frequency);
            below - u32::from(frequency)
        })
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        for eight in self.0.as_chunks::<8>().0 {
            bytes.push((0..8).fold(0, |mask, bit| mask | u8::from(eight[bit] != 0) << bit));
        }
        for less_one in self
            .0
            .iter()
            .filter_map(|frequency| frequency.checked_sub(1))
        {
            let more = (less_one >> 7) as u8;
            bytes.push(less_one as u8 & 0x7F | u8::from(more != 0) << 7);
            bytes.extend((more != 0).then_some(more));
        }
    }

    fn read(input: &mut Cursor<'_>) -> Option<Self> {
        let mut frequencies = [0; 256];
        let occurs = input.array::<32>()?;
        for byte in (0..256).filter(|byte| occurs[byte / 8] >> (byte % 8) & 1 != 0) {
            let low = input.byte()?;
            let more = if low >> 7 == 0 { 0 } else { input.byte()? };
            frequencies[byte] = (u16::from(more) << 7 | u16::from(low & 0x7F)) + 1;
        }
        let total: u32 = frequencies
            .iter()
            .map(|&frequency| u32::from(frequency))
            .sum();
        (total == SCALE || total == 0).then_some(Self(frequencies))
    }

    fn slots(&self) -> Slots {
        let mut slots = Slots {
            bytes: [0; SCALE as usize],
            ranges: [0; 256],
        };
        for (byte, (&frequency, start)) in self.0.iter().zip(self.starts()).enumerate() {
            let range = start as usize..start as usize + usize::from(frequency);
            slots.bytes[range].fill(byte as u8);
            slots.ranges[byte] = u32::from(frequency) << 16 | start;
        }
        slots
    }
}

/// The look-up table of a distribution: small, so that all of them fit in the cache.
struct Slots {
    /// The byte of each of `SCALE` parts of a state.
    bytes: [u8; SCALE as usize],
    /// The frequency of each byte, with the sum of those below it in the lower half.
    ranges: [u32; 256],
}

/// The kind of each row, by k-means: from rows of similar width, each row moves to its cheapest kind.
fn kinds_of<const WIDTH: usize>(rows: &[[u8; WIDTH]]) -> Vec<u8> {
    let step = (rows.len() / SAMPLE).max(1);
    let mut sample: Vec<&[u8; WIDTH]> = rows.iter().step_by(step).collect();
    let all = Costs::of(sample.iter().map(|&row| (row, 0)));
    sample.sort_by(|a, b| all.row(a)[0].total_cmp(&all.row(b)[0]));
    let mut kinds: Vec<u8> = (0..sample.len())
        .map(|index| (index * KINDS / sample.len()) as u8)
        .collect();
    let mut costs = Costs::of(sample.iter().copied().zip(kinds.iter().copied()));
    for _ in 0..ROUNDS {
        kinds = sample.iter().map(|row| costs.cheapest(row)).collect();
        costs = Costs::of(sample.iter().copied().zip(kinds.iter().copied()));
    }
    rows.iter().map(|row| costs.cheapest(row)).collect()
}

/// The cost in bits of each byte in each place of a row of each kind.
struct Costs(Vec<[[f32; KINDS]; 256]>);

impl Costs {
    fn of<'a, const WIDTH: usize>(rows: impl Iterator<Item = (&'a [u8; WIDTH], u8)>) -> Self {
        // Unseen bytes stay possible.
        let mut costs = vec![[[0.02f32; KINDS]; 256]; PLACES];
        for (row, kind) in rows {
            for (at, &byte) in row.iter().enumerate() {
                costs[at % PLACES][usize::from(byte)][usize::from(kind)] += 1.0;
            }
        }
        for place in &mut costs {
            let totals: [f32; KINDS] =
                std::array::from_fn(|kind| place.iter().map(|counts| counts[kind]).sum());
            for counts in place {
                counts
                    .iter_mut()
                    .zip(totals)
                    .for_each(|(count, total)| *count = (total / *count).log2());
            }
        }
        Self(costs)
    }

    fn row<const WIDTH: usize>(&self, row: &[u8; WIDTH]) -> [f32; KINDS] {
        let mut sum = [0.0; KINDS];
        for (at, &byte) in row.iter().enumerate() {
            let costs = self.0[at % PLACES][usize::from(byte)];
            sum.iter_mut()
                .zip(costs)
                .for_each(|(sum, cost)| *sum += cost);
        }
        sum
    }

    fn cheapest<const WIDTH: usize>(&self, row: &[u8; WIDTH]) -> u8 {
        let costs = self.row(row);
        (0..KINDS)
            .min_by(|&a, &b| costs[a].total_cmp(&costs[b]))
            .expect("there are kinds") as u8
    }
}

/// Packs rows; [`unpack`] gives them back.
pub fn pack<const WIDTH: usize>(rows: &[[u8; WIDTH]]) -> Vec<u8> {
    let kinds = kinds_of(rows);
    let mut counts = vec![[[0u32; 256]; PLACES]; KINDS];
    let mut kind_counts = [0u32; 256];
    for (row, &kind) in rows.iter().zip(&kinds) {
        for (at, &byte) in row.iter().enumerate() {
            counts[usize::from(kind)][at % PLACES][usize::from(byte)] += 1;
        }
        kind_counts[usize::from(kind)] += 1;
    }
    let distributions: Vec<Distribution> =
        counts.as_flattened().iter().map(Distribution::of).collect();
    let of_kinds = Distribution::of(&kind_counts);

    let mut bytes = vec![KINDS as u8];
    distributions
        .iter()
        .chain([&of_kinds])
        .for_each(|distribution| distribution.write(&mut bytes));
    let mut encoder = Encoder {
        states: [LOW; PLACES],
        words: Vec::new(),
    };
    let tables: Vec<_> = distributions
        .iter()
        .map(|table| (table, table.starts()))
        .collect();
    let kind_table = (&of_kinds, of_kinds.starts());
    // Unpacking begins with the last packed byte.
    for (row, &kind) in rows.iter().zip(&kinds).rev() {
        for (at, &byte) in row.iter().enumerate().rev() {
            let place = at % PLACES;
            encoder.push(place, &tables[usize::from(kind) * PLACES + place], byte);
        }
        encoder.push(0, &kind_table, kind);
    }
    bytes.extend((encoder.words.len() as u32).to_le_bytes());
    bytes.extend(encoder.states.iter().flat_map(|state| state.to_le_bytes()));
    bytes.extend(
        encoder
            .words
            .iter()
            .rev()
            .flat_map(|word| word.to_le_bytes()),
    );
    bytes
}

struct Encoder {
    states: [u32; PLACES],
    /// Unpacking begins with the last one.
    words: Vec<u16>,
}

impl Encoder {
    fn push(&mut self, state: usize, (table, starts): &(&Distribution, [u32; 256]), byte: u8) {
        let frequency = u32::from(table.0[usize::from(byte)]);
        let start = starts[usize::from(byte)];
        let state = &mut self.states[state];
        if u64::from(*state) >= u64::from(frequency) << (32 - SCALE_BITS) {
            self.words.push(*state as u16);
            *state >>= 16;
        }
        *state = (*state / frequency) << SCALE_BITS | (*state % frequency + start);
    }
}

/// Unpacks `count` rows from the front of `input` and hands each to `take`; `None` unless [`pack`] made them from as many
/// rows of this width.
pub fn unpack<const WIDTH: usize>(
    input: &mut Cursor<'_>,
    count: usize,
    mut take: impl FnMut([u8; WIDTH]),
) -> Option<()> {
    let kinds = input.byte()?;
    let mut slots = || Distribution::read(input).map(|distribution| distribution.slots());
    let tables: Vec<_> = (0..usize::from(kinds) * PLACES)
        .map(|_| slots())
        .collect::<Option<_>>()?;
    let (tables, _) = tables.as_chunks::<PLACES>();
    let kind_slots = slots()?;
    let word_count = input.u32()? as usize;
    let mut states = [0; PLACES];
    for state in &mut states {
        *state = input.u32()?;
    }
    let words = input.take(word_count.checked_mul(2)?)?;
    let mut words: Vec<u16> = words
        .chunks_exact(2)
        .map(|word| u16::from_le_bytes([word[0], word[1]]))
        .collect();
    // A row takes at most a word for each byte and one for its kind, so reads need no further check.
    words.resize(word_count + WIDTH + 1, 0);
    let mut at = 0;
    let mut taken = 0;
    while taken < count && at <= word_count {
        let mut next = Words {
            words: &words[at..][..WIDTH + 1],
            taken: 0,
        };
        let slots = tables.get(usize::from(next.byte(&mut states[0], &kind_slots)))?;
        let mut row = [0; WIDTH];
        for bytes in row.chunks_mut(PLACES) {
            let chains = states.iter_mut().zip(slots);
            bytes
                .iter_mut()
                .zip(chains)
                .for_each(|(byte, (state, slots))| *byte = next.byte(state, slots));
        }
        at += next.taken;
        taken += 1;
        take(row);
    }
    (states == [LOW; PLACES] && at == word_count && taken == count).then_some(())
}

/// The rows that [`unpack`] hands out.
pub fn unpacked<const WIDTH: usize>(
    input: &mut Cursor<'_>,
    count: usize,
) -> Option<Vec<[u8; WIDTH]>> {
    let mut rows = Vec::new();
    unpack(input, count, |row| rows.push(row))?;
    Some(rows)
}

struct Words<'a> {
    words: &'a [u16],
    taken: usize,
}

impl Words<'_> {
    /// Takes one byte off a state.
    #[inline(always)]
    fn byte(&mut self, state: &mut u32, slots: &Slots) -> u8 {
        let part = *state % SCALE;
        let byte = slots.bytes[part as usize];
        let range = slots.ranges[usize::from(byte)];
        let frequency = range >> 16;
        let start = range & 0xFFFF;
        let rest = frequency
            .wrapping_mul(*state >> SCALE_BITS)
            .wrapping_add(part)
            .wrapping_sub(start);
        // No branch: it would be unpredictable.
        let filled = rest << 16 | u32::from(self.words[self.taken]);
        let is_due = rest < LOW;
        *state = if is_due { filled } else { rest };
        self.taken += usize::from(is_due);
        byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::rng::Rng;

    /// Rows of two widths of scatter, as signed bytes around 0.
    fn random_rows<const WIDTH: usize>(count: usize) -> Vec<[u8; WIDTH]> {
        let mut rng = Rng::new(5);
        let mut row = |limit: u32| {
            std::array::from_fn(|_| (rng.below(limit) as i8 - (limit / 2) as i8) as u8)
        };
        (0..count)
            .map(|index| row(if index % 3 == 0 { 100 } else { 4 }))
            .collect()
    }

    fn round_trip<const WIDTH: usize>(rows: &[[u8; WIDTH]]) -> usize {
        let mut packed = pack(rows);
        let len = packed.len();
        packed.extend(b"rest");
        let mut input = Cursor::new(&packed);
        assert!(unpacked(&mut input, rows.len()).expect("packed rows are unpacked") == rows);
        assert_eq!(input.rest(), b"rest");
        len
    }

    #[test]
    fn rows_come_back_and_take_little_more_than_their_entropy() {
        // A third of the rows has 6.64 bits a byte, the others 2; with the distributions on top.
        let len = round_trip(&random_rows::<64>(9000));
        let entropy = (9000 * 64 / 8) as f64 * (100f64.log2() + 2.0 * 2.0) / 3.0;
        assert!(
            (len as f64) < entropy * 1.02 + 12_000.0,
            "{len} bytes for {entropy:.0}"
        );
        round_trip(&random_rows::<16>(3000));
        round_trip(&random_rows::<10>(7));
    }

    #[test]
    fn places_that_scatter_differently_take_little_more_than_their_entropy() {
        // Rows that are all alike: the odd places have 6 bits each, the even ones one.
        let mut rng = Rng::new(7);
        let rows: Vec<[u8; 64]> = (0..9000)
            .map(|_| std::array::from_fn(|at| rng.below(if at % 2 == 1 { 64 } else { 2 }) as u8))
            .collect();
        let len = round_trip(&rows);
        let entropy = 9000.0 * 64.0 / 8.0 * 3.5;
        assert!(
            (len as f64) < entropy * 1.03 + 12_000.0,
            "{len} bytes for {entropy:.0}"
        );
    }

    #[test]
    fn rows_of_one_byte_and_no_rows_come_back() {
        round_trip(&[[7u8; 16]; 1000]);
        round_trip::<16>(&[]);
        round_trip(&[std::array::from_fn::<u8, 256, _>(|index| index as u8)]);
    }

    #[test]
    fn damage_gives_none_or_other_rows_and_never_a_panic() {
        let rows = random_rows::<16>(20);
        let packed = pack(&rows);
        for len in 0..packed.len() {
            assert!(
                unpacked::<16>(&mut Cursor::new(&packed[..len]), rows.len()).is_none(),
                "{len} bytes"
            );
        }
        for bit in 0..packed.len() * 8 {
            let mut damaged = packed.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let found = unpacked::<16>(&mut Cursor::new(&damaged), rows.len());
            assert!(
                found.is_none_or(|found| found != rows),
                "bit {bit} is never looked at"
            );
        }
        assert!(unpacked::<16>(&mut Cursor::new(&packed), rows.len() + 1).is_none());
        assert!(unpacked::<16>(&mut Cursor::new(&packed), rows.len() - 1).is_none());
    }
}
