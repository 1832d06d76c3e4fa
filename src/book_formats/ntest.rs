//! NTest's books of version 2.
//!
//! ```text
//! header  2 i32 · positions i32
//! trees   empty squares u64 · mover u64 · tree, until all positions are there
//! tree    node, then for each child: move u8, its tree; then ff
//! node    private games u16 · public games u16 · flags u16 · value i16
//! end     checksum u32
//! ```
//!
//! A node that was the root of a search and is not proved has an upper bound on its moves outside the book
//! (the cutoff); any other node has a value, and no move. Values are 1/100 disc.

use super::record::{Fault, Item, Items, Record, after, items as items_of};
use super::source::Source;
use crate::board::{Board, Color, Score, Square, Symmetry};
use crate::book::BookError;
use crate::book::{Origin, Program, SearchLevel};

const PROVED: u16 = 1;
const ROOT: u16 = 2;
const WLD: u16 = 4;
/// Ends the children of a node.
const END: u8 = 0xff;
/// The cutoff of a node whose moves are all in the book.
const ALL_IN: i16 = -16400;
/// Empties that a search solves beyond its height.
const SOLVED: u32 = 8;
/// Selectivity by class, in percent.
const PERCENT: [u8; 6] = [100, 97, 91, 70, 60, 50];

struct Reader<'a> {
    source: &'a mut Source,
    /// Positions in the header, and those read.
    count: u64,
    found: u64,
    /// The nodes whose children are being read.
    open: Vec<Open>,
    sum: Checksum,
    is_ended: bool,
}

struct Open {
    /// `None` below an illegal move.
    record: Option<Record>,
    /// All moves of it and below it are legal; else its value is unknown, because the cutoff is that of moves outside
    /// the book.
    is_whole: bool,
}

/// All items of a book: a position follows those below it.
pub fn items(source: &mut Source) -> Result<Items<'_>, BookError> {
    source.seek(4)?;
    let count = u64::try_from(i32::from_le_bytes(source.need()?)).unwrap_or(0);
    let open = Vec::new();
    let sum = Checksum::default();
    let mut reader = Reader {
        source,
        count,
        found: 0,
        open,
        sum,
        is_ended: false,
    };
    Ok(items_of(move || reader.next()))
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], BookError> {
        let bytes = self.source.need()?;
        self.sum.feed(&bytes);
        Ok(bytes)
    }

    fn next(&mut self) -> Result<Option<Item>, BookError> {
        loop {
            let at = self.source.at();
            let Some(parent) = self.open.last() else {
                if self.found == self.count {
                    return self.end();
                }
                let [empty, player] = [
                    u64::from_le_bytes(self.take()?),
                    u64::from_le_bytes(self.take()?),
                ];
                // An empty square with a disc gets discs of both sides: a fault.
                self.node(
                    at,
                    Some(Board {
                        player,
                        opponent: !empty & !player | empty & player,
                    }),
                )?;
                continue;
            };
            let board = parent.record.as_ref().map(|record| record.board);
            let [mv] = self.take()?;
            if mv == END {
                match self.close() {
                    Some(item) => return Ok(Some(item)),
                    None => continue,
                }
            }
            let below = board.map(|board| child(board, mv));
            self.node(at + 1, below.flatten())?;
            if let Some(None) = below {
                let rule = "a move of the tree is illegal: its positions are skipped";
                return Ok(Some(Item::Fault(Fault::new(at, board, rule))));
            }
        }
    }

    fn node(&mut self, at: u64, board: Option<Board>) -> Result<(), BookError> {
        let [_, _, _, _, flags @ .., low, high] = self.take::<8>()?;
        self.found += 1;
        let value = i16::from_le_bytes([low, high]);
        let record = board.map(|board| record(at, board, u16::from_le_bytes(flags), value));
        self.open.push(Open {
            is_whole: record.is_some(),
            record,
        });
        Ok(())
    }

    fn close(&mut self) -> Option<Item> {
        let Open { record, is_whole } = self.open.pop()?;
        if let Some(parent) = self.open.last_mut() {
            parent.is_whole &= is_whole;
        }
        let record = record?;
        if is_whole {
            return Some(Item::Record(record));
        }
        let rule = "a move below is illegal, so the value is unknown: skipped";
        Some(Item::Fault(Fault::new(record.at, Some(record.board), rule)))
    }

    /// The checksum and the end of the file; nothing follows.
    fn end(&mut self) -> Result<Option<Item>, BookError> {
        if std::mem::replace(&mut self.is_ended, true) {
            return Ok(None);
        }
        let at = self.source.at();
        let rule = if u32::from_le_bytes(self.source.need()?) != self.sum.a {
            "the checksum does not match"
        } else if self.source.at() != self.source.bytes() {
            "there is more after the checksum"
        } else {
            return Ok(None);
        };
        Ok(Some(Item::Fault(Fault::new(at, None, rule))))
    }
}

/// The position after a legal move, and after a forced pass.
fn child(parent: Board, mv: u8) -> Option<Board> {
    let is_board = parent.player & parent.opponent == 0;
    let square = Square::new(mv).filter(|square| is_board && parent.moves().contains(*square))?;
    after(parent, Color::Black, square).map(|(board, _)| canonical(board))
}

/// The image of a position in the book: the least by the mover's discs, then by the empty squares.
fn canonical(board: Board) -> Board {
    let images = Symmetry::all().map(|symmetry| symmetry.apply(board));
    images
        .min_by_key(|image| (image.player, image.empties()))
        .expect("there are eight images")
}

fn record(at: u64, board: Board, flags: u16, value: i16) -> Record {
    let empties = board.empty_count();
    let height = u32::from(flags >> 4 & 63);
    let percent = PERCENT
        .get(usize::from(flags >> 10))
        .copied()
        .unwrap_or(PERCENT[5]);
    let is_proved = flags & PROVED != 0;
    let depth = if height + SOLVED >= empties {
        empties
    } else {
        height
    };
    let exact = is_proved && (flags & WLD == 0 || value == 0);
    let score = match (exact, is_proved) {
        (true, _) => Score::from_discs((f64::from(value) / 100.0).round() as i32),
        // Won or lost by at least a disc.
        (false, true) => Score::from_discs(value.signum().into()),
        (false, false) => Score::from_units((f64::from(value) * 1.28).round() as i32),
    };
    let origin = Some(Origin {
        program: Program::NTest,
        level: height as i8,
    });
    let level = SearchLevel {
        depth: if exact { empties } else { depth } as u8,
        percent: if exact { 100 } else { percent },
        exact,
        origin,
    };
    let mut record = Record::of(at, board, level);
    let score = score.clamp(Score::MIN, Score::MAX);
    record.value = (flags & ROOT == 0 || is_proved).then_some(score);
    record.rest = Some(score).filter(|_| record.value.is_some() || value != ALL_IN);
    record
}

/// Jenkins' mix of 96 bits over the words of all items.
#[derive(Default)]
struct Checksum {
    a: u32,
    b: u32,
    c: u32,
    words: usize,
}

impl Checksum {
    /// Feeds an item: its words, then the rest as a number of two bytes and one of one byte.
    fn feed(&mut self, item: &[u8]) {
        let (words, rest) = item.as_chunks::<4>();
        words
            .iter()
            .for_each(|word| self.word(u32::from_le_bytes(*word)));
        let (shorts, rest) = rest.as_chunks::<2>();
        shorts
            .iter()
            .for_each(|short| self.word(u16::from_le_bytes(*short).into()));
        rest.iter().for_each(|&byte| self.word(byte.into()));
    }

    fn word(&mut self, word: u32) {
        let to = match self.words % 3 {
            0 => &mut self.a,
            1 => &mut self.b,
            _ => &mut self.c,
        };
        *to = to.wrapping_add(word);
        self.words += 1;
        if self.words.is_multiple_of(3) {
            self.mix();
        }
    }

    fn mix(&mut self) {
        let Self { a, b, c, .. } = self;
        for [right, left, last] in [[13, 8, 13], [12, 16, 5], [3, 10, 15]] {
            *a = a.wrapping_sub(*b).wrapping_sub(*c) ^ *c >> right;
            *b = b.wrapping_sub(*c).wrapping_sub(*a) ^ *a << left;
            *c = c.wrapping_sub(*a).wrapping_sub(*b) ^ *b >> last;
        }
    }
}

#[cfg(test)]
pub mod testing {
    use super::*;

    /// The start, whose moves are all in the book, and the position after its one move, with a value.
    pub fn ntest_book() -> Vec<u8> {
        let start = canonical(Board::START);
        let mut sum = Checksum::default();
        let mut bytes = vec![2, 0, 0, 0, 2, 0, 0, 0];
        let mut push = |item: &[u8]| {
            sum.feed(item);
            bytes.extend(item);
        };
        let node = |flags: u16, value: i16| {
            let mut bytes = vec![0, 0, 1, 0];
            bytes.extend(flags.to_le_bytes());
            bytes.extend(value.to_le_bytes());
            bytes
        };
        let board = [start.empties().to_le_bytes(), start.player.to_le_bytes()].concat();
        push(&board);
        push(&node(ROOT | 6 << 4 | 4 << 10, ALL_IN));
        push(&[start.moves().0.trailing_zeros() as u8]);
        push(&node(6 << 4 | 4 << 10, 51));
        push(&[END]);
        push(&[END]);
        let sum = sum.a;
        bytes.extend(sum.to_le_bytes());
        bytes
    }
}
