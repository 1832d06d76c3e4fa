//! Books of Zebra for tests.

use std::collections::BTreeMap;

use super::hash::hash;
use crate::board::{Board, Color};
use crate::book::testing::played;

/// A node by its discs and hash, in the order of the file.
type Key = (u32, (i32, i32));

type Nodes = BTreeMap<Key, (Board, Color)>;

fn key(board: Board, mover: Color) -> Key {
    (64 - board.empty_count(), hash(board, mover).numbers)
}

fn nodes_of(lines: &[&str]) -> Nodes {
    let mut nodes = Nodes::new();
    for line in lines {
        let game = played(line);
        nodes.extend(
            game.positions()
                .iter()
                .map(|at| (key(at.board, at.side), (at.board, at.side))),
        );
    }
    nodes
}

/// Scores, deviation and its score, flags. Each position has the value -1.67 for Black, and a deviation if a move leads
/// out of the book: c4 if possible, else the first.
fn told(nodes: &Nodes, board: Board, mover: Color) -> [i16; 5] {
    let is_out = |square| !nodes.contains_key(&key(board.play(square).unwrap(), mover.other()));
    let out: Vec<_> = board
        .moves()
        .iter()
        .filter(|&square| is_out(square))
        .collect();
    let c4 = "c4".parse().unwrap();
    let deviation = if out.contains(&c4) {
        Some(c4)
    } else {
        out.first().copied()
    };
    let number = deviation.map_or(-2, |square| {
        let square = hash(board, mover).image.apply_square(square);
        10 * i16::from(square.rank() + 1) + i16::from(square.file() + 1)
    });
    let side = if mover == Color::Black { 1 } else { 2 };
    [
        -214,
        -214,
        number,
        if deviation.is_some() { -214 } else { 9999 },
        side | 2 << 10,
    ]
}

pub fn zebra_book(lines: &[&str]) -> Vec<u8> {
    let nodes = nodes_of(lines);
    let mut bytes = vec![0x9e, 0x0a, 0x02, 0x0b];
    bytes.extend((nodes.len() as i32).to_le_bytes());
    for (&(_, numbers), &(board, mover)) in &nodes {
        bytes.extend(
            [numbers.0, numbers.1]
                .into_iter()
                .flat_map(i32::to_le_bytes),
        );
        bytes.extend(
            told(&nodes, board, mover)
                .into_iter()
                .flat_map(i16::to_le_bytes),
        );
    }
    bytes
}
