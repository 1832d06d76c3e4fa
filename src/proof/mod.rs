//! Proofs of exact scores, made with a search: the room `certificate` has their format and their checker.

#[cfg(test)]
mod tests;

use std::io::{self, Write};

use crate::board::{Board, Color, Position, Square, SquareSet};
use crate::certificate::{self, Claim, Table, bits_for};
use crate::search::{Search, Stop, Windows};

pub(crate) struct Writer<W> {
    file: W,
    checksum: crc32fast::Hasher,
}

impl<W: Write> Writer<W> {
    pub(crate) fn new(file: W) -> io::Result<Self> {
        let mut writer = Self {
            file,
            checksum: crc32fast::Hasher::new(),
        };
        writer.add(&certificate::MAGIC)?;
        writer.add(&[certificate::VERSION])?;
        Ok(writer)
    }

    /// Adds the bytes of a proof, see [`prove`].
    pub(crate) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.checksum.update(bytes);
        self.file.write_all(bytes)
    }

    pub(crate) fn end(mut self) -> io::Result<W> {
        self.add(&[certificate::END])?;
        self.file
            .write_all(&self.checksum.finalize().to_le_bytes())?;
        Ok(self.file)
    }
}

/// The bytes that prove `claim`, from the hash table of `search`; `None` after a stop, or if the claim is wrong.
pub(crate) fn prove(search: &mut Search, claim: &Claim, stop: &Stop) -> Option<Vec<u8>> {
    let Claim {
        position,
        score,
        leaf_empties,
        table_bits,
    } = *claim;
    let Position { board, side } = position;
    let begin = if side == Color::Black {
        certificate::BLACK
    } else {
        certificate::WHITE
    };
    let mut bits = Bits {
        bytes: vec![begin],
        free: 0,
    };
    bits.bytes.extend(board.player.to_le_bytes());
    bits.bytes.extend(board.opponent.to_le_bytes());
    bits.bytes.extend([score as u8, leaf_empties, table_bits]);
    search.windows(board, stop, |windows| {
        for (prover, target) in claim.halves() {
            let is_ours = prover == side;
            // The claim holds for us, and the other side reaches no more.
            if windows.reaches(board, if is_ours { target } else { 2 - target }) != is_ours {
                return None;
            }
            let table = Table::new(table_bits);
            let leaf_empties = u32::from(leaf_empties);
            let mut maker = Maker {
                windows,
                table,
                target,
                leaf_empties,
                bits: &mut bits,
            };
            if is_ours {
                maker.ours(board)?
            } else {
                maker.theirs(board)?
            }
        }
        Some(())
    })?;
    Some(bits.bytes)
}

/// The bits of the table for the proof of a position at `empties`: a checker needs 64 MiB for the largest.
pub(crate) fn table_bits(empties: u32) -> u8 {
    empties.clamp(8, 22) as u8
}

/// Bytes that are filled bit by bit, the lowest first.
struct Bits {
    bytes: Vec<u8>,
    /// Bits of the last byte that are not used yet.
    free: u32,
}

impl Bits {
    fn put(&mut self, number: u32, count: u32) {
        for at in 0..count {
            if self.free == 0 {
                self.bytes.push(0);
                self.free = u8::BITS;
            }
            let bit = (number >> at & 1) as u8;
            *self.bytes.last_mut().expect("one was added") |= bit << (u8::BITS - self.free);
            self.free -= 1;
        }
    }
}

/// Walks one half of a proof, in the order of its file.
struct Maker<'a, 'w> {
    windows: &'a mut Windows<'w>,
    table: Table,
    /// The least discs that the prover ends with.
    target: i32,
    leaf_empties: u32,
    bits: &'a mut Bits,
}

impl Maker<'_, '_> {
    /// Proves a position where the prover is to move, which it reaches the target from. `None` when stopped.
    fn ours(&mut self, board: Board) -> Option<()> {
        let moves = board.moves();
        if board.empty_count() <= self.leaf_empties || board.is_over() {
            return Some(());
        }
        if moves.is_empty() {
            return self.theirs(board.pass());
        }
        let least = board.canonical().0;
        if self.table.has(least) {
            return Some(());
        }
        let square = self.choice(board, moves)?;
        let number = (moves.0 & (square.bit() - 1)).count_ones();
        self.bits.put(number, bits_for(moves.len()));
        self.theirs(board.after(square, board.flip(square)))?;
        self.table.add(least);
        Some(())
    }

    /// Proves a position where the other side is to move.
    fn theirs(&mut self, board: Board) -> Option<()> {
        if board.empty_count() <= self.leaf_empties || board.is_over() {
            return Some(());
        }
        let moves = board.moves();
        if moves.is_empty() {
            return self.ours(board.pass());
        }
        moves
            .iter()
            .try_for_each(|square| self.ours(board.after(square, board.flip(square))))
    }

    /// A move that keeps the target, with a small proof: the one that leaves the fewest replies, which all have to be
    /// answered. To count the positions of each proof four plies ahead makes certificates 2 % smaller, six plies 4 %,
    /// and takes several times as long (10 positions of 16 empties).
    fn choice(&mut self, board: Board, moves: SquareSet) -> Option<Square> {
        let child = |square: Square| board.after(square, board.flip(square));
        let mut candidates: Vec<Square> = moves.iter().collect();
        if let [square] = candidates[..] {
            return Some(square);
        }
        candidates.sort_by_cached_key(|&square| child(square).moves().len());
        if board.empty_count() > FEWEST_REPLIES_EMPTIES {
            // Refutations take long here: the move of the search comes first.
            self.windows.reaches(board, self.target);
            let remembered = self.windows.remembered(board);
            candidates.sort_by_key(|&square| Some(square) != remembered);
        }
        let target = 2 - self.target;
        let found = candidates
            .into_iter()
            .find(|&square| !self.windows.reaches(child(square), target));
        found.filter(|_| !self.windows.are_stopped())
    }
}

/// The most empties at which the move with the fewest replies comes first.
const FEWEST_REPLIES_EMPTIES: u32 = 16;
