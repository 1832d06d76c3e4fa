//! The journal of a book: the records since the last write of the book.
//!
//! ```text
//! payload  1 for an answer: key · level · avoided squares u64 · for each move square and score i16
//!          2 for a game:    own and other discs of its start, u64 each · result i8 · a byte for each move
//! ```
//!
//! Header and records are those of [`records`]; the magic is `EMILIAJ1`, the generation that of the book it belongs to.
//!
//! A writer that dies leaves a torn last record, which the next reader drops. Any other change of the bytes is damage.
//! The one writer holds the lock of the file.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::BookError;
use super::entry::{get_score, put_score};
use super::key::BookKey;
use super::level::{SearchLevel, get_level, put_level};
use crate::board::{Board, Score, Square, SquareSet};
use crate::util::append_file::AppendFile;
use crate::util::bytes::Cursor;
use crate::util::input_file;
use crate::util::records::{self, Found, HEADER, RECORD_HEAD};

const MAGIC: [u8; 8] = *b"EMILIAJ1";

const ANSWER: u8 = 1;
const GAME: u8 = 2;

/// Moves of a game that the book counts.
pub const GAME_PLIES: usize = 30;

const SQUARES: usize = 64;

/// Largest journal, in bytes: some 20 million answers.
const MAX_BYTES: u64 = 1 << 30;

/// A record of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// The answer of a search.
    Answer(Answer),
    /// A game that was played to its end.
    Game(LearnedGame),
}

/// The result of a search of a book position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The canonical position.
    pub key: BookKey,
    /// The search.
    pub level: SearchLevel,
    /// Squares that the search excluded, on the canonical board.
    pub avoid: SquareSet,
    /// The best moves with their scores for the side to move, best first; at least one.
    pub moves: Vec<(Square, Score)>,
}

/// A game: its counted moves and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnedGame {
    /// The first position, from its side to move.
    pub start: Board,
    /// Moves without passes, which follow from the rules.
    pub moves: Vec<Square>,
    /// Final discs for the side to move of `start`.
    pub result: i8,
}

/// The whole records of a journal.
#[derive(Debug, Default)]
pub struct Contents {
    /// The generation of its book; `None` for a journal without a whole header.
    pub generation: Option<u64>,
    pub records: Vec<Record>,
    /// Bytes up to the end of the last whole record.
    pub whole: u64,
}

impl Contents {
    /// Whether the journal belongs to the book at `book` of this generation. If not, it is empty, or the book has its
    /// records: the writer died after it replaced the book. Records of another copy of the book are an error.
    pub fn belongs_to(&self, book: &Path, number: u64) -> Result<bool, BookError> {
        let of = match self.generation {
            Some(own) if own == number => return Ok(true),
            Some(own) if own > number && !self.records.is_empty() => OF_NEWER,
            Some(own) if own + 1 < number && !self.records.is_empty() => OF_OLDER,
            _ => return Ok(false),
        };
        Err(BookError::foreign(&path_of(book), of))
    }
}

const OF_NEWER: &str =
    "the journal of a newer copy of this book: restore that copy, or remove the journal";
const OF_OLDER: &str =
    "the journal of an older copy of this book: restore that copy, or remove the journal";
pub(super) const OF_NONE: &str =
    "the journal of a missing book: restore the book, or remove the journal";

pub fn path_of(book: &Path) -> PathBuf {
    let mut name = book.as_os_str().to_owned();
    name.push(".journal");
    PathBuf::from(name)
}

/// Reads a journal; one that is not there is empty.
pub fn read(path: &Path) -> Result<Contents, BookError> {
    match input_file::open(path).and_then(|mut file| read_all(&mut file)) {
        Ok(bytes) => parse(path, &bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Contents::default()),
        Err(error) => Err(BookError::io(path, "reading the journal")(error)),
    }
}

fn read_all(file: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(HEADER);
    file.by_ref().take(HEADER as u64).read_to_end(&mut bytes)?;
    // Of another file the first bytes are enough.
    if bytes.starts_with(&MAGIC) {
        bytes.extend(input_file::read_up_to(file, MAX_BYTES)?);
    }
    Ok(bytes)
}

/// The number of the book that a journal belongs to; `None` for one that is not there or has no whole header.
pub(super) fn generation(path: &Path) -> Option<u64> {
    input_file::open(path)
        .and_then(|file| records::generation(MAGIC, file))
        .ok()
        .flatten()
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Contents, BookError> {
    let damaged = |offset: usize, what| BookError::damaged(path, offset as u64, what);
    let generation = match records::generation(MAGIC, bytes) {
        // The first write was torn: the journal had no records yet.
        Ok(None) => return Ok(Contents::default()),
        Ok(generation) => generation,
        Err(_) if bytes.starts_with(&MAGIC) => {
            return Err(damaged(
                0,
                "the journal's header does not match its checksum",
            ));
        }
        Err(_) => return Err(BookError::foreign(path, "not a journal of Emilia")),
    };
    let mut contents = Contents {
        generation,
        ..Contents::default()
    };
    let mut at = HEADER;
    loop {
        match records::first(at as u64, &bytes[at..]) {
            Found::Whole(payload) => {
                let record = Record::decode(payload)
                    .ok_or_else(|| damaged(at, "a record cannot be read"))?;
                contents.records.push(record);
                at += RECORD_HEAD + payload.len();
            }
            Found::Torn => break,
            Found::Damaged(what) => return Err(damaged(at, what)),
        }
    }
    contents.whole = at as u64;
    Ok(contents)
}

pub(super) fn header_bytes(generation: u64) -> [u8; HEADER] {
    records::header(MAGIC, generation)
}

impl Record {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64);
        match self {
            Self::Answer(Answer {
                key,
                level,
                avoid,
                moves,
            }) => {
                out.push(ANSWER);
                out.extend(key.0.to_le_bytes());
                put_level(*level, &mut out);
                out.extend(avoid.0.to_le_bytes());
                for &(square, score) in moves {
                    out.push(square.index() as u8);
                    put_score(score, &mut out);
                }
            }
            Self::Game(LearnedGame {
                start,
                moves,
                result,
            }) => {
                out.push(GAME);
                out.extend(start.player.to_le_bytes());
                out.extend(start.opponent.to_le_bytes());
                out.push(*result as u8);
                out.extend(moves.iter().map(|square| square.index() as u8));
            }
        }
        out
    }

    pub fn decode(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload);
        let record = match cursor.byte()? {
            ANSWER => {
                let key = BookKey(cursor.u128()?);
                let level = get_level(&mut cursor)?;
                let avoid = SquareSet(cursor.u64()?);
                let mut moves = Vec::new();
                while !cursor.is_at_end() {
                    moves.push((Square::new(cursor.byte()?)?, get_score(&mut cursor)?));
                }
                Self::Answer(Answer {
                    key,
                    level,
                    avoid,
                    moves,
                })
            }
            GAME => {
                let start = Board {
                    player: cursor.u64()?,
                    opponent: cursor.u64()?,
                };
                let result = cursor.byte()? as i8;
                let moves = cursor
                    .rest()
                    .iter()
                    .map(|&byte| Square::new(byte))
                    .collect::<Option<_>>()?;
                Self::Game(LearnedGame {
                    start,
                    moves,
                    result,
                })
            }
            _ => return None,
        };
        record.check().is_ok().then_some(record)
    }

    /// Whether a book can hold the record: an accepted one is read back unchanged.
    ///
    /// # Errors
    /// The fault, as a noun with its attributes.
    pub fn check(&self) -> Result<(), &'static str> {
        let faults = match self {
            Self::Answer(Answer {
                key, level, moves, ..
            }) => {
                let legal = key.canonical_board().map(Board::moves);
                let is_legal = |square: Square| legal.is_some_and(|legal| legal.contains(square));
                let is_score =
                    |(_, score): &(Square, Score)| (Score::MIN..=Score::MAX).contains(score);
                let is_level =
                    usize::from(level.depth) <= SQUARES && (1..=100).contains(&level.percent);
                vec![
                    (
                        legal.is_none(),
                        "an answer whose key is not that of a canonical position",
                    ),
                    (moves.is_empty(), "an answer without moves"),
                    (
                        moves.len() > SQUARES,
                        "an answer with more moves than squares",
                    ),
                    (
                        !moves.iter().all(|(square, _)| is_legal(*square)),
                        "an answer with an illegal move",
                    ),
                    (
                        !moves.iter().all(is_score),
                        "an answer with a score beyond 64 discs",
                    ),
                    (
                        !is_level,
                        "an answer of a search beyond 64 plies or beyond 1 to 100 %",
                    ),
                ]
            }
            Self::Game(game) => {
                let LearnedGame {
                    start,
                    moves,
                    result,
                } = game;
                let is_board = start.player & start.opponent == 0;
                let is_played = || game.steps().len() >= moves.len().min(GAME_PLIES);
                vec![
                    (!is_board, "a game with two discs on a square"),
                    (moves.len() > SQUARES, "a game with more moves than squares"),
                    (is_board && !is_played(), "a game with an illegal move"),
                    (
                        result.unsigned_abs() as usize > SQUARES,
                        "a game with a result beyond 64 discs",
                    ),
                ]
            }
        };
        faults
            .into_iter()
            .find(|(is_broken, _)| *is_broken)
            .map_or(Ok(()), |(_, fault)| Err(fault))
    }
}

/// The one writer of a journal: holds its lock until dropped.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: AppendFile,
}

impl Journal {
    /// Opens or makes the journal and takes its lock, unless another process writes to it. [`Journal::load`] reads it.
    pub fn lock(path: &Path) -> Result<Self, BookError> {
        let file =
            AppendFile::try_open(path).map_err(BookError::io(path, "opening the journal"))?;
        let file = file.ok_or_else(|| BookError::Locked {
            path: path.to_owned(),
        })?;
        Ok(Self {
            path: path.to_owned(),
            file,
        })
    }

    pub fn load(&self) -> Result<Contents, BookError> {
        let read = self
            .file
            .reader()
            .and_then(|mut reader| read_all(&mut reader));
        parse(&self.path, &read.map_err(self.io("reading the journal"))?)
    }

    /// Cuts off a torn record behind the first `whole` bytes.
    pub fn cut(&mut self, whole: u64) -> Result<(), BookError> {
        self.file
            .keep(whole)
            .map_err(self.io("cutting off a torn record"))
    }

    /// Empties the journal and makes it belong to the book of this number.
    pub fn restart(&mut self, generation: u64) -> Result<(), BookError> {
        // Empty first: a header in front of older records would make them count for the new book.
        self.file.keep(0).map_err(self.io("emptying the journal"))?;
        self.file
            .append(&header_bytes(generation))
            .map_err(self.io("writing the journal"))?;
        self.sync()
    }

    /// Appends records in one write; [`Journal::sync`] waits for the disk. After an error, such as a full disk, the
    /// journal is unchanged.
    pub fn append(&mut self, records: &[&Record]) -> Result<(), BookError> {
        let end = self.file.len().map_err(self.io("writing the journal"))?;
        let mut bytes = Vec::new();
        for record in records {
            records::put(end + bytes.len() as u64, &record.encode(), &mut bytes);
        }
        self.file
            .append(&bytes)
            .map_err(self.io("writing the journal"))
    }

    pub fn sync(&self) -> Result<(), BookError> {
        self.file.sync().map_err(self.io("writing the journal"))
    }

    fn io(&self, doing: &'static str) -> impl FnOnce(io::Error) -> BookError + use<> {
        BookError::io(&self.path, doing)
    }
}
