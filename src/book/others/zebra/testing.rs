//! Books of Zebra for tests.

use std::collections::BTreeMap;

use super::hash::hash;
use crate::board::{Board, Color, squares};

/// The book of these lines: every position is worth -1.67 for Black, and has a deviation where a move leads out of the
/// book: c4 where that is one, else the first.
pub fn zebra_book(lines: &[&str]) -> Vec<u8> {
    let mut nodes: BTreeMap<(u32, (i32, i32)), (Board, Color)> = BTreeMap::new();
    for line in lines {
        let (mut board, mut mover) = (Board::START, Color::Black);
        let mut insert = |board: Board, mover| {
            nodes.insert((64 - board.empty_count(), hash(board, mover).numbers), (board, mover));
        };
        insert(board, mover);
        for name in line.as_bytes().chunks(2) {
            board = board.play(std::str::from_utf8(name).unwrap().parse().unwrap()).unwrap();
            mover = mover.other();
            insert(board, mover);
        }
    }
    let mut bytes = vec![0x9e, 0x0a, 0x02, 0x0b];
    bytes.extend((nodes.len() as i32).to_le_bytes());
    for (&(discs, numbers), &(board, mover)) in &nodes {
        let is_out = |square| {
            let after = board.play(square).unwrap();
            !nodes.contains_key(&(discs + 1, hash(after, mover.other()).numbers))
        };
        let out: Vec<_> = squares(board.moves()).filter(|&square| is_out(square)).collect();
        let c4 = "c4".parse().unwrap();
        let deviation = if out.contains(&c4) { Some(c4) } else { out.first().copied() };
        let number = deviation.map_or(-2, |square| {
            let square = hash(board, mover).image.apply_square(square);
            10 * i16::from(square.rank() + 1) + i16::from(square.file() + 1)
        });
        bytes.extend(numbers.0.to_le_bytes());
        bytes.extend(numbers.1.to_le_bytes());
        for number in [-214, -214, number, if deviation.is_some() { -214 } else { 9999 }] {
            bytes.extend(i16::to_le_bytes(number));
        }
        let side = if mover == Color::Black { 1u16 } else { 2 };
        bytes.extend((side | 2 << 10).to_le_bytes());
    }
    bytes
}
