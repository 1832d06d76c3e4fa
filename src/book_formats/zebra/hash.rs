//! The numbers by which Zebra's books name positions: two for the least of the eight images, without the side to move.

use std::array;
use std::sync::LazyLock;

use crate::board::{Board, Color, Symmetry};

const ROW: usize = 6561;

struct Tables {
    /// For each of the two numbers, each row and each arrangement of its discs.
    rows: Vec<[[i32; ROW]; 8]>,
    /// The eight images in the order of comparison.
    images: [Symmetry; 8],
    /// The number of a row's arrangement, of one side's discs.
    ternary: [u16; 256],
}

/// The additive generator of old BSD, seeded with 0.
struct Random {
    words: [u32; 31],
    front: usize,
    rear: usize,
}

impl Random {
    fn new() -> Self {
        let mut words = [0u32; 31];
        for i in 1..31 {
            words[i] = words[i - 1]
                .wrapping_mul(1_103_515_245)
                .wrapping_add(12_345);
        }
        let mut random = Self {
            words,
            front: 3,
            rear: 0,
        };
        for _ in 0..310 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u32 {
        self.words[self.front] = self.words[self.front].wrapping_add(self.words[self.rear]);
        let number = self.words[self.front] >> 1;
        self.front = (self.front + 1) % 31;
        self.rear = (self.rear + 1) % 31;
        number
    }
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut random = Random::new();
    Tables {
        rows: (0..2)
            .map(|_| {
                array::from_fn(|_| {
                    array::from_fn(|_| {
                        let sign = random.next();
                        let value = random.next() as i32;
                        if sign % 2 == 1 { value } else { -value }
                    })
                })
            })
            .collect(),
        images: [0, 1, 3, 2, 4, 5, 7, 6]
            .map(|number| Symmetry::new(number).expect("one of the eight")),
        ternary: array::from_fn(|bits| {
            (0..8)
                .filter(|bit| bits >> bit & 1 != 0)
                .map(|bit| 3u16.pow(bit))
                .sum()
        }),
    }
});

/// The name of a position, and its image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash {
    pub numbers: (i32, i32),
    /// Maps the position to the image for the moves of the book.
    pub image: Symmetry,
}

pub fn hash(board: Board, mover: Color) -> Hash {
    let tables = &*TABLES;
    let mut best: Option<((i32, i32), Symmetry)> = None;
    for image in tables.images {
        let Board { player, opponent } = image.apply(board);
        let (black, white) = if mover == Color::Black {
            (player, opponent)
        } else {
            (opponent, player)
        };
        let mut numbers = (0, 0);
        for row in 0..8 {
            let of = |bits: u64| usize::from(tables.ternary[(bits >> (8 * row) & 0xff) as usize]);
            let arrangement = of(black) + 2 * of(white);
            numbers.0 ^= tables.rows[0][row][arrangement];
            numbers.1 ^= tables.rows[1][row][arrangement];
        }
        if best.is_none_or(|(least, _)| numbers < least) {
            best = Some((numbers, image));
        }
    }
    let ((first, second), image) = best.expect("there are eight images");
    Hash {
        numbers: (first.wrapping_abs(), second.wrapping_abs()),
        image,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_program() {
        let mut random = Random::new();
        let first: [u32; 6] = array::from_fn(|_| random.next());
        assert_eq!(
            first,
            [
                1990395451, 1950343301, 404384196, 1972190027, 2046836396, 153545033
            ]
        );
        let rows = &TABLES.rows;
        assert_eq!(rows[0][0][..3], [1950343301, -1972190027, -153545033]);
        assert_eq!(
            (rows[0][1][0], rows[1][7][ROW - 1]),
            (-1449716628, -1228966614)
        );
        assert_eq!(
            hash(Board::START, Color::Black).numbers,
            (1367877565, 1384641267)
        );
        let play = |board: Board, name: &str| board.play(name.parse().unwrap()).unwrap();
        let board = play(Board::START, "f5");
        assert_eq!(hash(board, Color::White).numbers, (1432552204, 801822288));
        let found = hash(play(board, "d6"), Color::Black);
        assert_eq!(found.numbers, (1851744936, 1258123872));
        assert_eq!(
            found.image.apply_square("c4".parse().unwrap()).to_string(),
            "c4"
        );
    }
}
