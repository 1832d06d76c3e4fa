//! The pattern table: which squares the learned evaluations look at together.
//!
//! A *class* is a set of squares. Its *placements* are the distinct images of that set under the eight symmetries of the
//! board; all of them share the class's rows of weights. A *row* is one configuration of a placement: the base-3 number
//! over its squares, the first square most significant, with the digits 0 = empty, 1 = disc of the side to move,
//! 2 = disc of the other side. One table of [`ROWS`] rows has the rows of all classes in order.
//!
//! # A class that symmetries map onto itself
//!
//! Such symmetries form the class's *stabilizer*. Each turns a row into another row that shows the same discs: [`orbit`]
//! lists them. A row of the network has one block per symmetry `h` and must satisfy
//! `block(moved, h) == block(row, s.compose(h))` for every `(moved, s)` of the orbit; `training/fit/parameters.rs`
//! explains the blocks.
//!
//! Source of the shapes: the literature from Logistello to Edax; their choice and number are ours.

pub mod features;

use crate::board::{Board, Square, Symmetry};

/// Most squares in one class.
pub const MAX_SQUARES: usize = 10;
pub const CLASS_COUNT: usize = CLASSES.len();
/// Number of placements, all classes together.
pub const PLACEMENT_COUNT: usize = count_placements();
/// Number of rows, all classes together.
pub const ROWS: usize = FIRST_ROWS[CLASS_COUNT] as usize;

/// An image of a class's squares under a symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    pub class: usize,
    /// The symmetry that moves the class's base squares here.
    pub symmetry: Symmetry,
    /// The squares, most significant digit first; only the first `len` count.
    squares: [Square; MAX_SQUARES],
    len: usize,
}

/// The classes as bitboards.
pub const CLASSES: [u64; 11] = [
    0x0000_0000_0000_42FF, // edge and two X squares
    0x0000_0000_0007_0707, // corner 3x3
    0x0000_0000_0000_1F1F, // corner 2x5
    0x0000_0000_0000_FF00, // row 2
    0x0000_0000_00FF_0000, // row 3
    0x0000_0000_FF00_0000, // row 4
    0x0000_0000_0E0E_0E00, // inner 3x3
    0x8040_2010_0804_0201, // diagonal of 8
    0x0001_0204_0810_2040, // diagonal of 7
    0x0000_0102_0408_1020, // diagonal of 6
    0x0000_0001_0204_0810, // diagonal of 5
];

/// All placements: those with the same symmetry follow each other, in the order of their classes.
pub const PLACEMENTS: [Placement; PLACEMENT_COUNT] = placements();

/// The order in which symmetries are tried: the four turns come first, so that every class that a
/// mirror maps onto itself uses no others, and the network sums few groups.
const SYMMETRY_ORDER: [u8; 8] = [0, 5, 3, 6, 1, 2, 4, 7];

impl Placement {
    /// The squares, most significant digit first.
    pub const fn squares(&self) -> &[Square] {
        self.squares.split_at(self.len).0
    }

    /// The row of this placement on `board`, counted from the start of the table: the definition.
    pub fn row(&self, board: Board) -> u32 {
        let digit = |square: &Square| {
            let [own, other] =
                [board.player, board.opponent].map(|discs| u32::from(discs & square.bit() != 0));
            own + 2 * other
        };
        FIRST_ROWS[self.class]
            + self
                .squares()
                .iter()
                .fold(0, |row, square| 3 * row + digit(square))
    }
}

/// The class that a row belongs to; `row` is below [`ROWS`].
fn class_of(row: u32) -> usize {
    debug_assert!(row < ROWS as u32);
    FIRST_ROWS
        .iter()
        .rposition(|&first| first <= row)
        .expect("the first class begins at 0")
}

/// The rows that show the same discs as `row`, each with its symmetry.
///
/// For each symmetry `s` of the class's stabilizer, the identity first: the row whose digit at every
/// base square is `row`'s digit at the image of that square under `s`. Applying `s` again returns.
pub fn orbit(row: u32) -> impl ExactSizeIterator<Item = (u32, Symmetry)> {
    let class = class_of(row);
    let stabilizer = &STABILIZERS[class];
    let first = FIRST_ROWS[class];
    let high = (row - first) as usize / HALF;
    let low = (row - first) as usize % HALF;
    (0..stabilizer.count).map(move |index| {
        let moved = stabilizer.high[index][high] + stabilizer.low[index][low];
        (first + moved, stabilizer.symmetries[index])
    })
}

/// The lowest row of every orbit, in rising order.
pub fn representatives() -> Vec<u32> {
    (0..ROWS as u32)
        .filter(|&row| orbit(row).all(|(other, _)| other >= row))
        .collect()
}

/// Numbers of five digits: every row number has at most five high ones and five low ones.
const HALF: usize = 3usize.pow(5);

/// The symmetries that map a class onto itself, and the rows they lead to: a moved row is the sum of the tables' entries
/// for its high and its low digits.
struct Stabilizer {
    count: usize,
    symmetries: [Symmetry; 4],
    high: [[u32; HALF]; 4],
    low: [[u32; HALF]; 4],
}

static STABILIZERS: [Stabilizer; CLASS_COUNT] = stabilizers();

/// The first row of each class, then the number of all rows.
pub const FIRST_ROWS: [u32; CLASS_COUNT + 1] = first_rows();

/// The symmetry with the given number, for constants.
const fn symmetry(index: u8) -> Symmetry {
    match Symmetry::new(index) {
        Some(symmetry) => symmetry,
        None => panic!("symmetries are numbered below 8"),
    }
}

/// Whether the symmetry at `position` of the order gives a new image of `bits`.
const fn is_new_image(bits: u64, position: usize) -> bool {
    let image = symmetry(SYMMETRY_ORDER[position]).apply_bits(bits);
    let mut earlier = 0;
    while earlier < position {
        if symmetry(SYMMETRY_ORDER[earlier]).apply_bits(bits) == image {
            return false;
        }
        earlier += 1;
    }
    true
}

const fn count_placements() -> usize {
    let mut count = 0;
    let mut class = 0;
    while class < CLASSES.len() {
        let mut position = 0;
        while position < 8 {
            count += is_new_image(CLASSES[class], position) as usize;
            position += 1;
        }
        class += 1;
    }
    count
}

const fn first_rows() -> [u32; CLASS_COUNT + 1] {
    let mut first = [0; CLASS_COUNT + 1];
    let mut class = 0;
    while class < CLASS_COUNT {
        first[class + 1] = first[class] + 3u32.pow(CLASSES[class].count_ones());
        class += 1;
    }
    first
}

const fn stabilizers() -> [Stabilizer; CLASS_COUNT] {
    const NONE: Stabilizer = Stabilizer {
        count: 0,
        symmetries: [Symmetry::IDENTITY; 4],
        high: [[0; HALF]; 4],
        low: [[0; HALF]; 4],
    };
    let mut table = [NONE; CLASS_COUNT];
    let mut class = 0;
    while class < CLASS_COUNT {
        let bits = CLASSES[class];
        let mut index = 0;
        while index < 8 {
            if symmetry(index).apply_bits(bits) == bits {
                let count = table[class].count;
                let values = moved_values(bits, symmetry(index));
                table[class].symmetries[count] = symmetry(index);
                table[class].low[count] = sums(values, 0);
                table[class].high[count] = sums(values, 5);
                table[class].count += 1;
            }
            index += 1;
        }
        class += 1;
    }
    table
}

/// The power of three of each digit of a row of `bits` in the row that `symmetry` moves it to, last digit first.
const fn moved_values(bits: u64, symmetry: Symmetry) -> [u32; MAX_SQUARES] {
    let positions = positions(bits, symmetry);
    let len = bits.count_ones() as usize;
    let mut values = [0; MAX_SQUARES];
    let mut index = 0;
    while index < len {
        values[len - 1 - positions[index]] = 3u32.pow((len - 1 - index) as u32);
        index += 1;
    }
    values
}

/// For every number of five digits the sum of them, the last one weighed by `values[first]`.
const fn sums(values: [u32; MAX_SQUARES], first: usize) -> [u32; HALF] {
    let mut sums = [0; HALF];
    let mut place = 0;
    let mut power = 1;
    while place < 5 {
        // All numbers whose highest digit is at this place, from the smaller ones.
        let mut number = power;
        while number < 3 * power {
            sums[number] = sums[number - power] + values[first + place];
            number += 1;
        }
        power *= 3;
        place += 1;
    }
    sums
}

/// For every square of `bits`, lowest first, the number of squares of `bits` below its image.
const fn positions(bits: u64, symmetry: Symmetry) -> [usize; MAX_SQUARES] {
    let mut positions = [0; MAX_SQUARES];
    let mut rest = bits;
    let mut index = 0;
    while rest != 0 {
        let image = symmetry.apply_square(Square::lowest(rest));
        positions[index] = (bits & (image.bit() - 1)).count_ones() as usize;
        rest &= rest - 1;
        index += 1;
    }
    positions
}

const fn place(class: usize, symmetry: Symmetry) -> Placement {
    let mut bits = CLASSES[class];
    let mut squares = [Square::at(0, 0); MAX_SQUARES];
    let mut len = 0;
    while bits != 0 {
        squares[len] = symmetry.apply_square(Square::lowest(bits));
        bits &= bits - 1;
        len += 1;
    }
    Placement {
        class,
        symmetry,
        squares,
        len,
    }
}

const fn placements() -> [Placement; PLACEMENT_COUNT] {
    let mut placements = [place(0, Symmetry::IDENTITY); PLACEMENT_COUNT];
    let mut count = 0;
    let mut position = 0;
    while position < 8 {
        let mut class = 0;
        while class < CLASSES.len() {
            if is_new_image(CLASSES[class], position) {
                placements[count] = place(class, symmetry(SYMMETRY_ORDER[position]));
                count += 1;
            }
            class += 1;
        }
        position += 1;
    }
    placements
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::board::testing::random_board;
    use crate::util::rng::Rng;

    /// The symmetries that map a set of squares onto itself.
    fn stabilizer(bits: u64) -> impl Iterator<Item = Symmetry> {
        Symmetry::all().filter(move |symmetry| symmetry.apply_bits(bits) == bits)
    }

    /// The base-3 digits of a row within its class, most significant first.
    fn digits(row: u32) -> Vec<u32> {
        let class = class_of(row);
        let powers = (0..CLASSES[class].count_ones())
            .rev()
            .map(|place| 3u32.pow(place));
        powers
            .map(|power| (row - FIRST_ROWS[class]) / power % 3)
            .collect()
    }

    #[test]
    fn orbits_move_the_digits_as_their_symmetries_move_the_squares() {
        for row in (0..ROWS as u32).step_by(7) {
            let class = class_of(row);
            let digits = digits(row);
            for (moved, symmetry) in orbit(row) {
                let positions = &positions(CLASSES[class], symmetry)[..digits.len()];
                let number = positions
                    .iter()
                    .fold(0, |number, &from| 3 * number + digits[from]);
                assert_eq!(moved, FIRST_ROWS[class] + number, "row {row}, {symmetry:?}");
            }
        }
    }

    #[test]
    fn placements_are_all_distinct_images_of_their_class() {
        assert_eq!((CLASS_COUNT, PLACEMENT_COUNT, ROWS), (11, 46, 186_867));
        for (index, &bits) in CLASSES.iter().enumerate() {
            let images: HashSet<u64> = Symmetry::all().map(|s| s.apply_bits(bits)).collect();
            let own = PLACEMENTS
                .iter()
                .filter(|placement| placement.class == index);
            let placed: Vec<u64> = own
                .map(|placement| placement.squares().iter().map(|square| square.bit()).sum())
                .collect();
            assert_eq!(placed.len(), images.len(), "{bits:#x}");
            assert_eq!(
                placed.into_iter().collect::<HashSet<_>>(),
                images,
                "{bits:#x}"
            );
            assert_eq!(
                images.len() * stabilizer(bits).count(),
                Symmetry::COUNT,
                "{bits:#x}"
            );
            assert!((1..=MAX_SQUARES).contains(&(bits.count_ones() as usize)));
        }
    }

    #[test]
    fn every_square_is_seen_as_often_as_its_images() {
        let seen = |square: Square| {
            PLACEMENTS
                .iter()
                .filter(|p| p.squares().contains(&square))
                .count()
        };
        for square in Square::all() {
            assert!(seen(square) >= 4, "{square}");
            assert!(
                Symmetry::all().all(|s| seen(s.apply_square(square)) == seen(square)),
                "{square}"
            );
        }
    }

    #[test]
    fn rows_read_the_digits_of_the_squares() {
        let board = Board {
            player: Square::at(0, 0).bit(),
            opponent: Square::at(7, 0).bit(),
        };
        assert_eq!(PLACEMENTS[0].symmetry, Symmetry::IDENTITY);
        assert_eq!(PLACEMENTS[0].row(board), 3u32.pow(9) + 2 * 3u32.pow(2));
        let mut rng = Rng::new(5);
        for _ in 0..1000 {
            let board = random_board(&mut rng);
            for placement in &PLACEMENTS {
                let row = placement.row(board);
                assert_eq!(class_of(row), placement.class);
                for (square, digit) in placement.squares().iter().zip(digits(row)) {
                    let [own, other] =
                        [board.player, board.opponent].map(|discs| discs & square.bit() != 0);
                    assert_eq!(digit, u32::from(own) + 2 * u32::from(other));
                }
            }
        }
    }

    /// The rule that makes a sum of rows equivariant: on the board that a symmetry moved, the image of a placement shows
    /// a row of the same orbit, turned by the symmetry of that row.
    #[test]
    fn moved_boards_show_rows_of_the_same_orbit() {
        let mut rng = Rng::new(6);
        for _ in 0..200 {
            let board = random_board(&mut rng);
            for symmetry in Symmetry::all() {
                for placement in &PLACEMENTS {
                    let moved = symmetry.compose(placement.symmetry);
                    let image = |p: &Placement| {
                        let turn = moved.inverse().compose(p.symmetry);
                        let is_own = stabilizer(CLASSES[p.class]).any(|other| other == turn);
                        (p.class == placement.class && is_own)
                            .then(|| (p.row(symmetry.apply(board)), turn))
                    };
                    let expected = PLACEMENTS
                        .iter()
                        .find_map(image)
                        .expect("an image is a placement");
                    assert!(orbit(placement.row(board)).any(|entry| entry == expected));
                }
            }
        }
    }
}
