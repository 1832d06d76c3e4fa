//! Certificates: files that prove exact scores, and the checker, which uses only the rules.
//!
//! The format is on the page [README.md](README.md). This file is the whole checker: it uses the rules of `board`, not
//! the search that made the proof. It reads the file once, from first to last, in memory that the file's header bounds.

use std::io::{self, Read};

use crate::board::{Board, Color, Position, Square, SquareSet};

/// The first bytes of a certificate.
pub const MAGIC: [u8; 8] = *b"othproof";
/// The version of the format that is written and read.
pub const VERSION: u8 = 1;
/// Begins the proof of a position with Black to move.
pub const BLACK: u8 = 1;
/// The same with White to move.
pub const WHITE: u8 = 2;
/// Follows the last proof.
pub const END: u8 = 0;
/// The largest number of empties for the checker to solve.
pub const MOST_LEAF_EMPTIES: u8 = 12;
/// Fewest and most bits of the numbers of a table's slots.
pub const TABLE_BITS: std::ops::RangeInclusive<u8> = 1..=24;

/// A score that is claimed, and how its proof is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    pub position: Position,
    /// Its exact score in discs for the side to move.
    pub score: i8,
    /// The checker solves positions with at most this number of empties.
    pub leaf_empties: u8,
    /// The base-2 logarithm of the number of the table's slots.
    pub table_bits: u8,
}

impl Claim {
    /// The halves of the proof: a side, and the least discs that it ends with. -64 needs no proof.
    pub fn halves(&self) -> impl Iterator<Item = (Color, i32)> + use<> {
        let side = self.position.side;
        let score = i32::from(self.score);
        [(side, score), (side.other(), -score)]
            .into_iter()
            .filter(|&(_, target)| target > -64)
    }
}

/// The positions proven last, one for each slot.
pub struct Table {
    /// A vacant slot is a board without a move, which is never looked up.
    slots: Vec<[u64; 2]>,
    shift: u32,
}

impl Table {
    /// A table of two to the power of `bits` slots, all vacant; `bits` is one of [`TABLE_BITS`].
    pub fn new(bits: u8) -> Self {
        Self {
            slots: vec![[0; 2]; 1 << bits],
            shift: u64::BITS - u32::from(bits),
        }
    }

    /// Whether the board with this least image was proven, and its slot not overwritten since.
    pub fn has(&self, least: Board) -> bool {
        self.slots[self.slot(least)] == [least.player, least.opponent]
    }

    /// Stores a proven board by its least image.
    pub fn add(&mut self, least: Board) {
        let slot = self.slot(least);
        self.slots[slot] = [least.player, least.opponent];
    }

    fn slot(&self, Board { player, opponent }: Board) -> usize {
        let product = player.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (product.wrapping_add(opponent.wrapping_mul(0xC2B2_AE3D_27D4_EB4F)) >> self.shift) as usize
    }
}

/// Bits of a move number among `moves` legal moves: 0 for a single one.
pub fn bits_for(moves: u32) -> u32 {
    u32::BITS - (moves - 1).leading_zeros()
}

/// A proven score, with the size of its proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proven {
    pub claim: Claim,
    pub bytes: u64,
    /// Moves named by the proof or the only ones.
    pub nodes: u64,
    /// Positions that the checker solved.
    pub leaves: u64,
}

/// The first fault of a certificate.
#[derive(Debug)]
pub struct Refusal {
    /// The byte, counted from 0, that was read last.
    pub offset: u64,
    /// The position that the proof had come to, if it was inside one.
    pub position: Option<Position>,
    pub reason: String,
}

/// Reads a certificate byte by byte and bit by bit, and follows it.
pub struct Checker<R> {
    bytes: R,
    checksum: crc32fast::Hasher,
    read: u64,
    /// Unread bits of the last byte, the next one lowest.
    bits: u8,
    left: u32,
}

impl<R: Read> Checker<R> {
    /// Reads the header of a file, which should be buffered.
    pub fn open(bytes: R) -> Result<Self, Refusal> {
        let mut checker = Self {
            bytes,
            checksum: crc32fast::Hasher::new(),
            read: 0,
            bits: 0,
            left: 0,
        };
        match checker.array::<9>()? {
            [magic @ .., VERSION] if magic == MAGIC => Ok(checker),
            [magic @ .., other] if magic == MAGIC => Err(checker.refused(format!(
                "version {other}; this checker knows version {VERSION}"
            ))),
            _ => Err(checker.refused("no certificate: it does not begin with `othproof`")),
        }
    }

    /// Follows the next proof; `None` after the last, at the correct end of the file.
    pub fn next(&mut self) -> Result<Option<Proven>, Refusal> {
        let begin = self.read;
        let Some(claim) = self.claim()? else {
            return Ok(None);
        };
        let mut proven = Proven {
            claim,
            bytes: 0,
            nodes: 0,
            leaves: 0,
        };
        let Position { board, side } = claim.position;
        for (prover, target) in claim.halves() {
            let table = Table::new(claim.table_bits);
            let mut walk = Walk {
                file: self,
                table,
                proven: &mut proven,
                prover,
                target,
            };
            if prover == side {
                walk.ours(board)?
            } else {
                walk.theirs(board)?
            }
        }
        if self.bits != 0 {
            return Err(self.refused("bits behind a proof that are not 0"));
        }
        self.left = 0;
        proven.bytes = self.read - begin;
        Ok(Some(proven))
    }

    /// The next claim, or `None` at the end, whose checksum is compared.
    fn claim(&mut self) -> Result<Option<Claim>, Refusal> {
        let side = match self.array()? {
            [BLACK] => Color::Black,
            [WHITE] => Color::White,
            [END] => return self.end().map(|()| None),
            [other] => {
                let reason = format!("{other}, where 1 or 2 begins a proof and 0 ends the file");
                return Err(self.refused(reason));
            }
        };
        let [player, opponent] = [
            u64::from_le_bytes(self.array()?),
            u64::from_le_bytes(self.array()?),
        ];
        let [score, leaf_empties, table_bits] = self.array()?;
        let score = score as i8;
        let reason = if player & opponent != 0 {
            "a square has discs of both sides".to_owned()
        } else if score % 2 != 0 || !(-64..=64).contains(&score) {
            format!("a score of {score}, where an even number from -64 to 64 was expected")
        } else if leaf_empties > MOST_LEAF_EMPTIES {
            format!(
                "{leaf_empties} empties are left to the checker; at most {MOST_LEAF_EMPTIES} may be"
            )
        } else if !TABLE_BITS.contains(&table_bits) {
            format!("a table of {table_bits} bits, where 1 to 24 were expected")
        } else {
            let position = Position {
                board: Board { player, opponent },
                side,
            };
            return Ok(Some(Claim {
                position,
                score,
                leaf_empties,
                table_bits,
            }));
        };
        Err(self.refused(reason))
    }

    /// The checksum, and nothing after it.
    fn end(&mut self) -> Result<(), Refusal> {
        let expected = self.checksum.clone().finalize();
        let found = u32::from_le_bytes(self.array()?);
        if found != expected {
            let reason = format!("the checksum is {found:08x}; these bytes have {expected:08x}");
            return Err(self.refused(reason));
        }
        match self.byte()? {
            Some(_) => Err(self.refused("bytes behind the end")),
            None => Ok(()),
        }
    }

    fn byte(&mut self) -> Result<Option<u8>, Refusal> {
        let mut byte = [0];
        match self.bytes.read_exact(&mut byte) {
            Ok(()) => self.read += 1,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(self.refused(error.to_string())),
        }
        Ok(Some(byte[0]))
    }

    /// The next `N` bytes, which count for the checksum.
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        let mut array = [0; N];
        for byte in &mut array {
            let next = self.byte()?;
            *byte =
                next.ok_or_else(|| self.refused("the file ends here, and more was expected"))?;
        }
        self.checksum.update(&array);
        Ok(array)
    }

    /// The next `count` bits as a number, the first one lowest.
    fn number(&mut self, count: u32) -> Result<u32, Refusal> {
        let mut number = 0;
        for at in 0..count {
            if self.left == 0 {
                [self.bits] = self.array()?;
                self.left = u8::BITS;
            }
            number |= u32::from(self.bits & 1) << at;
            self.bits >>= 1;
            self.left -= 1;
        }
        Ok(number)
    }

    fn refused(&self, reason: impl Into<String>) -> Refusal {
        Refusal {
            offset: self.read.saturating_sub(1),
            position: None,
            reason: reason.into(),
        }
    }
}

/// One half of a proof: `prover` ends with at least `target` discs.
struct Walk<'a, R> {
    file: &'a mut Checker<R>,
    /// Positions in which the prover is to move and reaches the target, as their least image under the symmetries.
    table: Table,
    proven: &'a mut Proven,
    prover: Color,
    target: i32,
}

impl<R: Read> Walk<'_, R> {
    /// Follows the proof where the prover is to move: it names one move.
    fn ours(&mut self, board: Board) -> Result<(), Refusal> {
        let Some(moves) = self.moves(board, self.prover)? else {
            return Ok(());
        };
        let least = board.canonical().0;
        if self.table.has(least) {
            return Ok(());
        }
        self.proven.nodes += 1;
        let square = self
            .named(moves)
            .map_err(|refused| self.at(board, self.prover, refused))?;
        self.theirs(board.after(square, board.flip(square)))?;
        self.table.add(least);
        Ok(())
    }

    /// Follows the proof where the other side is to move: all its moves are answered.
    fn theirs(&mut self, board: Board) -> Result<(), Refusal> {
        let Some(moves) = self.moves(board, self.prover.other())? else {
            return Ok(());
        };
        moves
            .iter()
            .try_for_each(|square| self.ours(board.after(square, board.flip(square))))
    }

    /// The moves of `side`, unless the position is a leaf, a pass or the end: those are followed here.
    fn moves(&mut self, board: Board, side: Color) -> Result<Option<SquareSet>, Refusal> {
        if board.empty_count() <= u32::from(self.proven.claim.leaf_empties) {
            return self.leaf(board, side).map(|()| None);
        }
        match board.moves() {
            SquareSet(0) => self.passed(board, side).map(|()| None),
            moves => Ok(Some(moves)),
        }
    }

    /// The move that the file names, one of `moves`.
    fn named(&mut self, moves: SquareSet) -> Result<Square, Refusal> {
        let legal = moves.len();
        let number = self.file.number(bits_for(legal))?;
        let reason = || format!("move number {number}, where the {legal} legal moves count from 0");
        moves
            .iter()
            .nth(number as usize)
            .ok_or_else(|| self.file.refused(reason()))
    }

    /// A position in which `side`, to move, has no move.
    fn passed(&mut self, board: Board, side: Color) -> Result<(), Refusal> {
        let is_ours = side == self.prover;
        let target = self.target;
        if !board.opponent_moves().is_empty() {
            return if is_ours {
                self.theirs(board.pass())
            } else {
                self.ours(board.pass())
            };
        }
        let score = if is_ours {
            board.final_score()
        } else {
            -board.final_score()
        };
        if score >= target {
            return Ok(());
        }
        let reason =
            format!("the game is over, {score:+} for the side that claims at least {target:+}");
        Err(self.at(board, side, self.file.refused(reason)))
    }

    /// A position that the checker solves itself.
    fn leaf(&mut self, board: Board, side: Color) -> Result<(), Refusal> {
        self.proven.leaves += 1;
        let target = self.target;
        let holds = if side == self.prover {
            reaches(board, target)
        } else {
            !reaches(board, 1 - target)
        };
        if holds {
            return Ok(());
        }
        let reason = format!("solved: the side that claims at least {target:+} cannot reach it");
        Err(self.at(board, side, self.file.refused(reason)))
    }

    fn at(&self, board: Board, side: Color, refused: Refusal) -> Refusal {
        Refusal {
            position: Some(Position { board, side }),
            ..refused
        }
    }
}

/// The fewest empties at which the move with the fewest replies comes first.
const ORDERED_EMPTIES: u32 = 5;

/// Whether the side to move ends with at least `target` discs: plain alpha-beta, one question.
fn reaches(board: Board, target: i32) -> bool {
    let moves = board.moves();
    if moves.is_empty() {
        return match board.opponent_moves() {
            SquareSet(0) => board.final_score() >= target,
            _ => !reaches(board.pass(), 1 - target),
        };
    }
    let child = |square: Square| board.after(square, board.flip(square));
    if board.empty_count() < ORDERED_EMPTIES {
        return moves
            .iter()
            .any(|square| !reaches(child(square), 1 - target));
    }
    let mut children = [(0, board); 64];
    let len = moves.len() as usize;
    for (slot, square) in children.iter_mut().zip(moves) {
        let board = child(square);
        *slot = (board.moves().len(), board);
    }
    children[..len].sort_unstable();
    children[..len]
        .iter()
        .any(|&(_, board)| !reaches(board, 1 - target))
}
