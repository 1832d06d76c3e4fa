//! The pattern table: which squares the learned evaluations look at together.
//!
//! A *class* is a set of squares drawn once. Its *placements* are the distinct images of that set
//! under the eight symmetries of the board, and all of them share the class's rows of weights. A
//! *row* is one configuration of a placement: the base-3 number over its squares, the first square
//! most significant, with the digits 0 = empty, 1 = disc of the side to move, 2 = disc of the other
//! side. The rows of all classes lie one after the other in one table of [`ROWS`] rows.
//!
//! # A class that symmetries map onto itself
//!
//! Such symmetries form the class's *stabilizer*, and each turns a row into another one that shows
//! the same discs: [`orbit`] lists them. A weight without a direction must be equal in all of an
//! orbit. A row of the network has one block per symmetry `h` and must satisfy
//! `block(moved, h) == block(row, s.compose(h))` for every `(moved, s)` of the orbit; see
//! `training/fit/parameters.rs` for what the blocks mean.
//!
//! Source of the shapes: the literature from Logistello to Edax; their choice and number are ours.

pub mod features;

#[cfg(any(test, feature = "lab"))]
use crate::board::Board;
use crate::board::{Square, Symmetry};

/// Most squares in one class.
pub const MAX_SQUARES: usize = 10;
/// Number of classes.
pub const CLASS_COUNT: usize = CLASSES.len();
/// Number of placements, all classes together.
pub const PLACEMENT_COUNT: usize = count_placements();
/// Number of rows, all classes together.
pub const ROWS: usize = OFFSETS[CLASS_COUNT] as usize;

/// A set of squares, drawn once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// What it is called in reports.
    pub name: &'static str,
    /// The drawing: rank 1 on top, `#` belongs to the class.
    drawing: [&'static str; 8],
}

/// An image of a class's squares under a symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Index into [`CLASSES`].
    pub class: usize,
    /// The symmetry that moves the class's base squares here.
    pub symmetry: Symmetry,
    /// The squares, most significant digit first; only the first `len` count.
    squares: [Square; MAX_SQUARES],
    len: usize,
}

/// Draws a class.
macro_rules! class {
    ($name:literal $($line:literal)*) => {
        Class { name: $name, drawing: [$($line),*] }
    };
}

/// The classes, each drawn as a board.
pub const CLASSES: [Class; 11] = [
    class! { "edge+2X"
        "########"
        ".#....#."
        "........"
        "........"
        "........"
        "........"
        "........"
        "........"
    },
    class! { "corner 3x3"
        "###....."
        "###....."
        "###....."
        "........"
        "........"
        "........"
        "........"
        "........"
    },
    class! { "corner 2x5"
        "#####..."
        "#####..."
        "........"
        "........"
        "........"
        "........"
        "........"
        "........"
    },
    class! { "row 2"
        "........"
        "########"
        "........"
        "........"
        "........"
        "........"
        "........"
        "........"
    },
    class! { "row 3"
        "........"
        "........"
        "########"
        "........"
        "........"
        "........"
        "........"
        "........"
    },
    class! { "row 4"
        "........"
        "........"
        "........"
        "########"
        "........"
        "........"
        "........"
        "........"
    },
    class! { "inner 3x3"
        "........"
        ".###...."
        ".###...."
        ".###...."
        "........"
        "........"
        "........"
        "........"
    },
    class! { "diagonal 8"
        "#......."
        ".#......"
        "..#....."
        "...#...."
        "....#..."
        ".....#.."
        "......#."
        ".......#"
    },
    class! { "diagonal 7"
        "......#."
        ".....#.."
        "....#..."
        "...#...."
        "..#....."
        ".#......"
        "#......."
        "........"
    },
    class! { "diagonal 6"
        ".....#.."
        "....#..."
        "...#...."
        "..#....."
        ".#......"
        "#......."
        "........"
        "........"
    },
    class! { "diagonal 5"
        "....#..."
        "...#...."
        "..#....."
        ".#......"
        "#......."
        "........"
        "........"
        "........"
    },
];

/// All placements: those with the same symmetry follow each other, in the order of their classes.
pub const PLACEMENTS: [Placement; PLACEMENT_COUNT] = placements();

/// The order in which symmetries are tried: the four turns come first, so that every class that a
/// mirror maps onto itself uses no others, and the network sums few groups.
const SYMMETRY_ORDER: [u8; 8] = [0, 5, 3, 6, 1, 2, 4, 7];

impl Class {
    /// The squares in the order of the board, as a bitboard.
    pub const fn bits(&self) -> u64 {
        let mut bits = 0;
        let mut rank = 0;
        while rank < 8 {
            let line = self.drawing[rank].as_bytes();
            assert!(line.len() == 8, "a drawn rank has eight squares");
            let mut file = 0;
            while file < 8 {
                assert!(line[file] == b'#' || line[file] == b'.');
                if line[file] == b'#' {
                    bits |= 1 << (8 * rank + file);
                }
                file += 1;
            }
            rank += 1;
        }
        bits
    }

    /// Number of squares, at most [`MAX_SQUARES`].
    pub const fn len(&self) -> usize {
        self.bits().count_ones() as usize
    }

    /// Number of rows: three to the number of squares.
    pub const fn rows(&self) -> u32 {
        3u32.pow(self.len() as u32)
    }

    /// The symmetries that map the class onto itself, the identity first; 1, 2 or 4 of them.
    #[cfg(test)]
    fn stabilizer(&self) -> impl Iterator<Item = Symmetry> {
        let bits = self.bits();
        Symmetry::all().filter(move |symmetry| symmetry.apply_bits(bits) == bits)
    }
}

impl Placement {
    /// The squares, most significant digit first.
    pub const fn squares(&self) -> &[Square] {
        self.squares.split_at(self.len).0
    }

    /// The row of this placement on `board` within its class, `0..CLASSES[class].rows()`.
    #[cfg(any(test, feature = "lab"))]
    pub fn row(&self, board: Board) -> u32 {
        self.squares().iter().fold(0, |row, square| {
            let own = u32::from(board.player & square.bit() != 0);
            let other = u32::from(board.opponent & square.bit() != 0);
            3 * row + own + 2 * other
        })
    }
}

/// Row number of the class's first row; [`ROWS`] for `CLASS_COUNT`.
pub const fn row_offset(class: usize) -> u32 {
    OFFSETS[class]
}

/// The class that a row belongs to; `row` is below [`ROWS`].
pub fn class_of(row: u32) -> usize {
    debug_assert!(row < ROWS as u32);
    OFFSETS.iter().rposition(|&offset| offset <= row).expect("the first offset is 0")
}

/// The rows of all placements on `board`, counted from the start of the table: the definition.
#[cfg(any(test, feature = "lab"))]
pub fn rows(board: Board, rows: &mut [u32; PLACEMENT_COUNT]) {
    for (row, placement) in rows.iter_mut().zip(&PLACEMENTS) {
        *row = row_offset(placement.class) + placement.row(board);
    }
}

/// The rows that show the same discs as `row`, each with the symmetry that tells how.
///
/// For each symmetry `s` of the class's stabilizer, the identity first: the row whose digit at every
/// base square is `row`'s digit at the image of that square under `s`. Applying `s` again returns.
pub fn orbit(row: u32) -> impl ExactSizeIterator<Item = (u32, Symmetry)> {
    let class = class_of(row);
    let stabilizer = &STABILIZERS[class];
    let (high, low) = ((row - OFFSETS[class]) / HALF as u32, (row - OFFSETS[class]) % HALF as u32);
    (0..stabilizer.count).map(move |index| {
        let moved = stabilizer.high[index][high as usize] + stabilizer.low[index][low as usize];
        (OFFSETS[class] + moved, stabilizer.symmetries[index])
    })
}

/// The lowest row of every orbit, in rising order.
pub fn representatives() -> Vec<u32> {
    (0..ROWS as u32).filter(|&row| is_representative(row)).collect()
}

/// Whether no row of the orbit of `row` is lower.
pub(crate) fn is_representative(row: u32) -> bool {
    orbit(row).all(|(other, _)| other >= row)
}

/// Numbers of five digits: every row number has at most five high ones and five low ones.
const HALF: usize = 3usize.pow(5);

/// The symmetries that map a class onto itself, and how they move its rows: what the high and the low
/// digits of a row's number become, to be added.
struct Stabilizer {
    count: usize,
    symmetries: [Symmetry; 4],
    high: [[u32; HALF]; 4],
    low: [[u32; HALF]; 4],
}

static STABILIZERS: [Stabilizer; CLASS_COUNT] = stabilizers();

const OFFSETS: [u32; CLASS_COUNT + 1] = offsets();

/// The symmetry with the given number, for constants.
const fn symmetry(index: u8) -> Symmetry {
    match Symmetry::new(index) {
        Some(symmetry) => symmetry,
        None => panic!("symmetries are numbered below 8"),
    }
}

/// Whether the symmetry at `position` of the order gives an image of `bits` that none before gave.
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
            count += is_new_image(CLASSES[class].bits(), position) as usize;
            position += 1;
        }
        class += 1;
    }
    count
}

const fn offsets() -> [u32; CLASS_COUNT + 1] {
    let mut offsets = [0; CLASS_COUNT + 1];
    let mut class = 0;
    while class < CLASS_COUNT {
        offsets[class + 1] = offsets[class] + CLASSES[class].rows();
        class += 1;
    }
    offsets
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
        let bits = CLASSES[class].bits();
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

/// What each digit of a row of `bits` is worth in the row that `symmetry` moves it to, last digit first.
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
    let (mut place, mut power) = (0, 1);
    while place < 5 {
        // All numbers whose highest digit stands at this place, from those below.
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

/// For every square of `bits`, lowest first, how many squares of `bits` lie below its image.
const fn positions(bits: u64, symmetry: Symmetry) -> [usize; MAX_SQUARES] {
    let mut positions = [0; MAX_SQUARES];
    let (mut rest, mut index) = (bits, 0);
    while rest != 0 {
        let image = symmetry.apply_square(Square::lowest(rest));
        positions[index] = (bits & (image.bit() - 1)).count_ones() as usize;
        rest &= rest - 1;
        index += 1;
    }
    positions
}

const fn place(class: usize, symmetry: Symmetry) -> Placement {
    let mut bits = CLASSES[class].bits();
    let mut squares = [Square::at(0, 0); MAX_SQUARES];
    let mut len = 0;
    while bits != 0 {
        squares[len] = symmetry.apply_square(Square::lowest(bits));
        bits &= bits - 1;
        len += 1;
    }
    Placement { class, symmetry, squares, len }
}

const fn placements() -> [Placement; PLACEMENT_COUNT] {
    let mut placements = [place(0, Symmetry::IDENTITY); PLACEMENT_COUNT];
    let mut count = 0;
    let mut position = 0;
    while position < 8 {
        let mut class = 0;
        while class < CLASSES.len() {
            if is_new_image(CLASSES[class].bits(), position) {
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

    /// The base-3 digits of `number`, `count` of them, most significant first.
    fn digits(mut number: u32, count: usize) -> [u32; MAX_SQUARES] {
        let mut digits = [0; MAX_SQUARES];
        for digit in digits[..count].iter_mut().rev() {
            *digit = number % 3;
            number /= 3;
        }
        digits
    }

    #[test]
    fn orbits_move_the_digits_as_their_symmetries_move_the_squares() {
        for row in (0..ROWS as u32).step_by(7) {
            let class = class_of(row);
            let (bits, len) = (CLASSES[class].bits(), CLASSES[class].len());
            let digits = digits(row - row_offset(class), len);
            for (moved, symmetry) in orbit(row) {
                let positions = positions(bits, symmetry);
                let number = positions[..len].iter().fold(0, |number, &from| 3 * number + digits[from]);
                assert_eq!(moved, row_offset(class) + number, "row {row}, {symmetry:?}");
            }
        }
    }

    #[test]
    fn placements_are_all_distinct_images_of_their_class() {
        assert_eq!((CLASS_COUNT, PLACEMENT_COUNT, ROWS), (11, 46, 186_867));
        for (index, class) in CLASSES.iter().enumerate() {
            let images: HashSet<u64> = Symmetry::all().map(|s| s.apply_bits(class.bits())).collect();
            let placed: Vec<u64> = PLACEMENTS
                .iter()
                .filter(|placement| placement.class == index)
                .map(|placement| placement.squares().iter().map(|square| square.bit()).sum())
                .collect();
            assert_eq!(placed.len(), images.len(), "{}", class.name);
            assert_eq!(placed.into_iter().collect::<HashSet<_>>(), images, "{}", class.name);
            assert_eq!(images.len() * class.stabilizer().count(), Symmetry::COUNT, "{}", class.name);
            assert!((1..=MAX_SQUARES).contains(&class.len()));
        }
    }

    #[test]
    fn every_square_is_seen_as_often_as_its_images() {
        let seen = |square: Square| PLACEMENTS.iter().filter(|p| p.squares().contains(&square)).count();
        for square in Square::all() {
            assert!(seen(square) >= 4, "{square}");
            assert!(Symmetry::all().all(|s| seen(s.apply_square(square)) == seen(square)), "{square}");
        }
    }

    #[test]
    fn rows_read_the_digits_of_the_squares() {
        let board = Board { player: Square::at(0, 0).bit(), opponent: Square::at(7, 0).bit() };
        let edge = PLACEMENTS[0];
        assert_eq!(edge.symmetry, Symmetry::IDENTITY);
        assert_eq!(edge.row(board), 3u32.pow(9) + 2 * 3u32.pow(2));
        let mut rng = Rng::new(5);
        for _ in 0..1000 {
            let board = random_board(&mut rng);
            let mut numbers = [0; PLACEMENT_COUNT];
            rows(board, &mut numbers);
            for (&row, placement) in numbers.iter().zip(&PLACEMENTS) {
                assert_eq!(class_of(row), placement.class);
                let digits = digits(row - row_offset(placement.class), placement.squares().len());
                for (&square, digit) in placement.squares().iter().zip(digits) {
                    let own = board.player & square.bit() != 0;
                    let other = board.opponent & square.bit() != 0;
                    assert_eq!(digit, u32::from(own) + 2 * u32::from(other));
                }
            }
        }
    }

    /// The rule that makes a sum of rows equivariant: wherever a symmetry moves the board, the image
    /// of a placement shows a row of the same orbit, turned by the symmetry the orbit names.
    #[test]
    fn moved_boards_show_rows_of_the_same_orbit() {
        let mut rng = Rng::new(6);
        for _ in 0..200 {
            let board = random_board(&mut rng);
            for symmetry in Symmetry::all() {
                let image = symmetry.apply(board);
                for placement in &PLACEMENTS {
                    let offset = row_offset(placement.class);
                    let moved = symmetry.compose(placement.symmetry);
                    let (target, turn) = PLACEMENTS
                        .iter()
                        .filter(|p| p.class == placement.class)
                        .find_map(|p| {
                            let turn = moved.inverse().compose(p.symmetry);
                            CLASSES[p.class].stabilizer().find(|&t| t == turn).map(|turn| (p, turn))
                        })
                        .expect("every image of a placement is a placement");
                    let expected = (offset + target.row(image), turn);
                    assert!(orbit(offset + placement.row(board)).any(|entry| entry == expected));
                }
            }
        }
    }
}
