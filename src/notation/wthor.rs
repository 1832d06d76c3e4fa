//! WTHOR, the tournament base of the Fédération Française d'Othello: `.wtb` games, `.jou` players, `.trn`
//! tournaments.
//!
//! Little endian throughout. A file is a header of 16 bytes and records of one length: games 68 bytes, players
//! 20, tournaments 26 (Latin-1, padded with NUL). Source: "Format de la base WTHOR", checked against the base.
//! Records keep all their bytes, so reading and writing is lossless. Only [`GameRecord::replay`] checks the rules.

use std::rc::Rc;

use crate::board::{Color, Game, Position, Square};
use crate::notation::{Code, Fault, GameResult, How, Location, NamedGame, ParseError};

const HEADER_LEN: usize = 16;
const GAME_LEN: usize = 68;
/// Empties at which the theoretical score was solved when a header does not say.
const DEFAULT_SOLVED_EMPTIES: u8 = 22;

/// The first 16 bytes of every file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Day of creation: century, year of the century, month, day.
    pub created: [u8; 4],
    /// Records in a `.wtb` file, 0 in the others.
    pub game_count: u32,
    /// Records in a `.jou` or `.trn` file, 0 in a `.wtb`.
    pub name_count: u16,
    /// Year of the games, 0 in the name files.
    pub year: u16,
    /// Board size: 0 or 8.
    pub board_size: u8,
    /// 1 for a file of solitaires, else 0.
    pub kind: u8,
    /// Empties from which the theoretical scores were solved; 0 means 22.
    pub depth: u8,
    /// Always 0 so far.
    pub reserved: u8,
}

/// A `.wtb` file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameFile {
    /// Header; its `game_count` is set from `games` when written.
    pub header: Header,
    /// The games.
    pub games: Vec<GameRecord>,
}

/// A `.jou` or `.trn` file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameFile {
    /// Header; its `name_count` is set from `names` when written.
    pub header: Header,
    /// Names by the number in the games.
    pub names: Vec<String>,
}

/// The kind of names in a file, which decides the length of its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// `.jou`, 20 bytes each.
    Players,
    /// `.trn`, 26 bytes each.
    Tournaments,
}

/// One game of a `.wtb` file, as recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// Place in the tournament file.
    pub tournament: u16,
    /// Black's place in the player file.
    pub black: u16,
    /// White's place in the player file.
    pub white: u16,
    /// Black's discs at the end, the empties to the winner.
    pub score: u8,
    /// Black's discs after perfect play from the header's number of empties.
    pub theoretical: u8,
    /// Squares as 10 · row + column (a1 = 11, h1 = 18, a8 = 81); 0 after the last. Passes are not recorded.
    pub moves: [u8; 60],
}

/// The names behind the numbers in games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The players.
    pub players: NameFile,
    /// The tournaments.
    pub tournaments: NameFile,
}

/// A game's record in a file of the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WthorOrigin {
    /// The record.
    pub record: GameRecord,
    /// Header of its file.
    pub header: Header,
    /// The names behind its numbers; shared by all games of a file.
    pub names: Rc<Names>,
}

impl Names {
    /// The player with this number, or an empty name.
    pub fn player(&self, number: u16) -> &str {
        self.players
            .names
            .get(usize::from(number))
            .map_or("", String::as_str)
    }

    /// The tournament with this number, or an empty name.
    pub fn tournament(&self, number: u16) -> &str {
        self.tournaments
            .names
            .get(usize::from(number))
            .map_or("", String::as_str)
    }
}

/// An error at byte `offset` of a file of `bytes`.
fn error(subject: &'static str, bytes: &[u8], offset: usize, expected: String) -> ParseError {
    let found = bytes
        .get(offset)
        .map_or(String::new(), |byte| format!("{byte:02x}"));
    let fault = Fault::unexpected(expected, &found);
    ParseError::new(subject, Location::Byte(offset), fault).with(Code::Wthor)
}

impl Header {
    /// Reads the header and checks that the file has as many records as it says.
    fn parse(subject: &'static str, bytes: &[u8], record_len: usize) -> Result<Self, ParseError> {
        let is_games = record_len == GAME_LEN;
        let error = |offset, expected| Err(error(subject, bytes, offset, expected));
        let Some(head) = bytes.first_chunk::<HEADER_LEN>() else {
            return error(bytes.len(), "a header of 16 bytes".into());
        };
        let header = Self {
            created: [head[0], head[1], head[2], head[3]],
            game_count: u32::from_le_bytes([head[4], head[5], head[6], head[7]]),
            name_count: u16::from_le_bytes([head[8], head[9]]),
            year: u16::from_le_bytes([head[10], head[11]]),
            board_size: head[12],
            kind: head[13],
            depth: head[14],
            reserved: head[15],
        };
        if is_games && header.kind == 1 {
            let message = "a WTHOR base of solitaires; expected a base of games".into();
            let fault = Fault::Doubtful(message);
            return Err(ParseError::new(subject, Location::Byte(13), fault).with(Code::OtherGame));
        }
        if !matches!(header.board_size, 0 | 8) {
            return error(12, "board size 0 or 8".into());
        }
        let count = if is_games {
            header.game_count as usize
        } else {
            usize::from(header.name_count)
        };
        let want = count.saturating_mul(record_len).saturating_add(HEADER_LEN);
        if bytes.len() < want {
            return error(
                bytes.len(),
                format!("{count} records of {record_len} bytes, as the header says"),
            );
        }
        if bytes.len() > want {
            return error(want, format!("the end of the file after {count} records"));
        }
        Ok(header)
    }

    fn to_bytes(self) -> Vec<u8> {
        let mut bytes = self.created.to_vec();
        bytes.extend(self.game_count.to_le_bytes());
        bytes.extend(
            [self.name_count, self.year]
                .into_iter()
                .flat_map(u16::to_le_bytes),
        );
        bytes.extend([self.board_size, self.kind, self.depth, self.reserved]);
        bytes
    }

    /// Empties from which the theoretical scores were solved.
    pub fn solved_empties(&self) -> u8 {
        if self.depth == 0 {
            DEFAULT_SOLVED_EMPTIES
        } else {
            self.depth
        }
    }
}

impl GameFile {
    /// More than a file of four million games has; the base has 130,000 games.
    pub const MAX_BYTES: u64 = 1 << 28;

    /// Bytes of the header.
    pub const HEADER_BYTES: u64 = HEADER_LEN as u64;

    /// Bytes of the games that a header states.
    pub fn games_bytes(header: &[u8; HEADER_LEN]) -> u64 {
        let [_, _, _, _, a, b, c, d, ..] = *header;
        u64::from(u32::from_le_bytes([a, b, c, d])) * GAME_LEN as u64
    }

    /// Reads a `.wtb` file without checking the moves; see [`GameRecord::replay`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let header = Header::parse("WTHOR games", bytes, GAME_LEN)?;
        let (records, _) = bytes[HEADER_LEN..].as_chunks::<GAME_LEN>();
        Ok(Self {
            header,
            games: records.iter().map(GameRecord::from_bytes).collect(),
        })
    }

    /// The file's bytes.
    ///
    /// # Errors
    /// More games than the header's 32 bits can count.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ParseError> {
        let count =
            u32::try_from(self.games.len()).map_err(|_| too_many("games", u32::MAX as usize))?;
        let header = Header {
            game_count: count,
            ..self.header
        };
        let mut bytes = header.to_bytes();
        self.games
            .iter()
            .for_each(|game| bytes.extend(game.to_bytes()));
        Ok(bytes)
    }
}

pub(in crate::notation) fn too_many(what: &'static str, limit: usize) -> ParseError {
    let fault = Fault::Doubtful(format!("more than {limit} {what}").into());
    ParseError::new("WTHOR file", Location::Byte(0), fault).with(Code::TooLong)
}

impl NameKind {
    fn len(self) -> usize {
        match self {
            Self::Players => 20,
            Self::Tournaments => 26,
        }
    }

    /// The name that fits into a file: cut before the final NUL, with `?` for characters outside Latin-1.
    pub fn fit(self, name: &str) -> String {
        let latin = |c: char| {
            if u8::try_from(u32::from(c)).is_ok() {
                c
            } else {
                '?'
            }
        };
        let name: String = name.chars().map(latin).take(self.len() - 1).collect();
        // A blank where it is cut would be lost elsewhere.
        name.trim_end().to_owned()
    }
}

impl NameFile {
    /// More than the header's 16 bits can count.
    pub const MAX_BYTES: u64 = 1 << 21;

    /// Reads a `.jou` or `.trn` file; a name ends at its first NUL.
    pub fn parse(bytes: &[u8], kind: NameKind) -> Result<Self, ParseError> {
        let header = Header::parse("WTHOR names", bytes, kind.len())?;
        let name = |record: &[u8]| {
            record
                .iter()
                .take_while(|&&b| b != 0)
                .map(|&b| char::from(b))
                .collect()
        };
        Ok(Self {
            header,
            names: bytes[HEADER_LEN..]
                .chunks_exact(kind.len())
                .map(name)
                .collect(),
        })
    }

    /// The file's bytes, with the names of [`NameKind::fit`].
    ///
    /// # Errors
    /// More names than the header's 16 bits can count.
    pub fn to_bytes(&self, kind: NameKind) -> Result<Vec<u8>, ParseError> {
        let count = u16::try_from(self.names.len())
            .map_err(|_| too_many("names", usize::from(u16::MAX)))?;
        let header = Header {
            name_count: count,
            ..self.header
        };
        let mut bytes = header.to_bytes();
        for name in &self.names {
            let end = bytes.len() + kind.len();
            bytes.extend(kind.fit(name).chars().map(|c| c as u8));
            bytes.resize(end, 0);
        }
        Ok(bytes)
    }
}

impl GameRecord {
    fn from_bytes(bytes: &[u8; GAME_LEN]) -> Self {
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let moves = *bytes.last_chunk().expect("a record is longer");
        let [score, theoretical] = [bytes[6], bytes[7]];
        Self {
            tournament: word(0),
            black: word(2),
            white: word(4),
            score,
            theoretical,
            moves,
        }
    }

    fn to_bytes(self) -> impl Iterator<Item = u8> {
        let numbers = [self.tournament, self.black, self.white]
            .into_iter()
            .flat_map(u16::to_le_bytes);
        numbers
            .chain([self.score, self.theoretical])
            .chain(self.moves)
    }

    /// The record of a game with its result, or `None` for another start; tournament, players and theoretical score are 0.
    ///
    /// `score` is Black's discs at the end: 64 or 0 after a forfeit, 33 or 31 for a win by an unknown number, and the
    /// discs on the board if there is no result.
    pub fn from_record(record: &NamedGame) -> Option<Self> {
        if record.game.start() != Position::START {
            return None;
        }
        let mut moves = [0; 60];
        let placed = record.game.moves().iter().filter_map(|mv| mv.square());
        moves
            .iter_mut()
            .zip(placed)
            .for_each(|(byte, square)| *byte = square_byte(square));
        let result = record.result();
        let score = match (result.score(), result.winner()) {
            // An odd difference is rounded to the winner's side: a game won by one disc is no draw.
            (Some(score), _) => black_discs(score + score % 2),
            (None, Some(Color::Black)) => black_discs(2),
            (None, Some(Color::White)) => black_discs(-2),
            (None, None) => record.game.position().discs(Color::Black).count_ones() as u8,
        };
        Some(Self {
            tournament: 0,
            black: 0,
            white: 0,
            score,
            theoretical: 0,
            moves,
        })
    }

    /// The recorded result of the moves of `game`; unknown if the game has not ended and `score` counts the board.
    pub fn stated(&self, game: &Game) -> GameResult {
        let as_they_lie = game.position().discs(Color::Black).count_ones();
        match i32::from(self.score) {
            65.. => GameResult::default(),
            _ if !game.is_over() && u32::from(self.score) == as_they_lie => GameResult::default(),
            discs => GameResult::discs(2 * discs - 64, How::Stated),
        }
    }

    fn recorded(&self) -> &[u8] {
        &self.moves[..self
            .moves
            .iter()
            .rposition(|&b| b != 0)
            .map_or(0, |last| last + 1)]
    }

    /// The recorded moves, legal or not; `None` for a byte that is no square.
    pub fn written(&self) -> impl Iterator<Item = Option<Square>> {
        self.recorded().iter().map(|&byte| square(byte))
    }

    /// Plays the recorded moves from the usual start and adds the passes.
    ///
    /// # Errors
    /// A byte that is no square, or an illegal move, with its number among the recorded moves.
    pub fn replay(&self) -> Result<Game, ParseError> {
        let mut game = Game::default();
        for (index, &byte) in self.recorded().iter().enumerate() {
            let fault = match square(byte) {
                Some(square) => game.play_implying_pass(square).err().map(Fault::from),
                None => Some(Fault::unexpected(
                    "10 * row + column, 11 to 88",
                    &byte.to_string(),
                )),
            };
            if let Some(fault) = fault {
                return Err(ParseError::of_turn("WTHOR game", index + 1, fault));
            }
        }
        Ok(game)
    }

    /// Whether `game`, the moves of this record, reaches the end with the recorded score.
    pub fn is_complete(&self, game: &Game) -> bool {
        game.final_score(Color::Black)
            .is_some_and(|score| black_discs(score) == self.score)
    }
}

/// Black's discs at the end of a game with this score for Black, `-64..=64`.
fn black_discs(score: i32) -> u8 {
    ((64 + score) / 2) as u8
}

fn square(byte: u8) -> Option<Square> {
    let (row, column) = (byte / 10, byte % 10);
    ((1..=8).contains(&row) && (1..=8).contains(&column)).then(|| Square::at(column - 1, row - 1))
}

/// The byte of a square in [`GameRecord::moves`].
pub(super) fn square_byte(square: Square) -> u8 {
    10 * (square.rank() + 1) + square.file() + 1
}

#[cfg(test)]
mod tests;
