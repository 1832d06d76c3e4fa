//! Parts of rows: a few squares of a pattern, whose numbers all rows that agree on them share while they learn.
//!
//! A row that few positions show learns from all that show its parts. The network adds each row up when it is written.
//!
//! A class has the images of its parts under its own symmetries, so that rows of an orbit stay tied: with `P` the numbers
//! of a part and `(moved, s)` in the [`orbit`](crate::eval::patterns::orbit) of a row, the row's block `k` is the sum of
//! its own and of `P(moved)`'s block `s∘k` over all `s`.
//!
//! Source: factorised inputs of the networks of Shogi and chess programs, such as HalfKP (Nasu 2018).

use crate::board::{Square, Symmetry};
use crate::eval::patterns::{self, CLASS_COUNT, CLASSES, FIRST_ROWS, ROWS};

/// The squares of the parts of each class. Rows of six squares and fewer are met often: they have no parts.
const MASKS: [&[u64]; CLASS_COUNT] = [
    &[0x0000_0000_0000_021F],
    &[0x0000_0000_0000_0707],
    &[0x0000_0000_0000_0707, 0x0000_0000_0000_1C1C],
    &[0x0000_0000_0000_3F00],
    &[0x0000_0000_003F_0000],
    &[0x0000_0000_3F00_0000],
    &[0x0000_0000_000E_0E00],
    &[0x0000_2010_0804_0201],
    &[0x0000_0004_0810_2040],
    &[],
    &[],
];

/// Most parts of a row, images included.
const MOST: usize = 4;

/// A part that a row shows.
#[derive(Clone, Copy)]
pub struct Part {
    pub number: u32,
    /// Carries block `h` of the row to block `symmetry.compose(h)` of the part.
    pub symmetry: Symmetry,
}

pub struct Parts {
    /// Per row; those that are missing are the last.
    of_row: Vec<[Option<Part>; MOST]>,
    /// The number of parts of all classes.
    pub count: usize,
}

impl Default for Parts {
    fn default() -> Self {
        let mut of_row = vec![[None; MOST]; ROWS];
        let mut first = 0;
        for (class, masks) in MASKS.into_iter().enumerate() {
            for (place, mask) in masks.iter().enumerate() {
                for row in FIRST_ROWS[class]..FIRST_ROWS[class + 1] {
                    let orbit = patterns::orbit(row);
                    let images = orbit.len();
                    for (index, (moved, symmetry)) in orbit.enumerate() {
                        let number = first + digits_at(class, moved - FIRST_ROWS[class], *mask);
                        of_row[row as usize][place * images + index] =
                            Some(Part { number, symmetry });
                    }
                }
                first += 3u32.pow(mask.count_ones());
            }
        }
        Self {
            of_row,
            count: first as usize,
        }
    }
}

impl Parts {
    /// The parts that a row shows.
    #[inline(always)]
    pub fn of(&self, row: u32) -> impl Iterator<Item = Part> + '_ {
        self.of_row[row as usize].iter().map_while(|part| *part)
    }
}

/// The number that the digits of `number`, one for each square of the class, make at the squares of `mask`.
fn digits_at(class: usize, number: u32, mask: u64) -> u32 {
    let mut rest = CLASSES[class];
    let mut power = 3u32.pow(CLASSES[class].count_ones());
    let mut digits = 0;
    while rest != 0 {
        power /= 3;
        if mask & Square::lowest(rest).bit() != 0 {
            digits = 3 * digits + number / power % 3;
        }
        rest &= rest - 1;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_squares_of_their_class() {
        for (masks, class) in MASKS.into_iter().zip(CLASSES) {
            assert!(
                masks
                    .iter()
                    .all(|mask| mask & !class == 0 && *mask != class),
                "{class:#x}"
            );
            assert_eq!(masks.is_empty(), class.count_ones() <= 6, "{class:#x}");
        }
        assert_eq!(Parts::default().count, 9 * 729 + 243);
    }

    /// The first row of the board `X O . X . . . .` on edge squares: the part of the first five squares and b2.
    #[test]
    fn a_part_reads_the_digits_of_its_squares() {
        let row = 3u32.pow(9) + 2 * 3u32.pow(8) + 3u32.pow(6) + 2;
        let parts: Vec<Part> = Parts::default().of(row).collect();
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[0].symmetry, Symmetry::IDENTITY);
        // The digits 1, 2, 0, 1, 0 of a1 to e1 and 0 of b2.
        assert_eq!(parts[0].number, 3u32.pow(5) + 2 * 3u32.pow(4) + 3u32.pow(2));
        // Mirrored: 0, 0, 0, 0, 1 of h1 to d1 and 2 of g2.
        assert_eq!(parts[1].number, 3 + 2);
    }
}
