//! WTHOR, the tournament base of the Fédération Française d'Othello: `.wtb` games, `.jou` players, `.trn`
//! tournaments.
//!
//! Little endian throughout. A file is a header of 16 bytes and records of one length: games 68 bytes, players
//! 20, tournaments 26 (Latin-1, padded with NUL). Source: "Format de la base WTHOR", checked against the base.
//! Records are kept as their bytes tell them, so that reading and writing is lossless; the rules are asked only
//! by [`GameRecord::replay`].

use std::rc::Rc;

use crate::board::{Color, Game, Move, Position, Square};
use crate::notation::{Fault, GameResult, How, Location, NamedGame, ParseError};

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
    /// Names, at the place that the games refer to.
    pub names: Vec<String>,
}

/// Which names a file holds, and so how long its records are.
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

/// Names to which the games of a file refer by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Of the players.
    pub players: NameFile,
    /// Of the tournaments.
    pub tournaments: NameFile,
}

/// A game's record in a file of the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WthorOrigin {
    /// The record.
    pub record: GameRecord,
    /// Header of its file.
    pub header: Header,
    /// The names that its numbers stand for; one for all games of a file.
    pub names: Rc<Names>,
}

impl Names {
    /// The player with this number; empty if there is none.
    pub fn player(&self, number: u16) -> &str {
        self.players.names.get(usize::from(number)).map_or("", String::as_str)
    }

    /// The tournament with this number; empty if there is none.
    pub fn tournament(&self, number: u16) -> &str {
        self.tournaments.names.get(usize::from(number)).map_or("", String::as_str)
    }
}

/// A record read against the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The game, with its passes.
    pub game: Game,
    /// The moves reach the end of the game, and its score is the recorded one.
    pub is_complete: bool,
}

/// An error at byte `offset` of a file of `bytes`.
fn error(subject: &'static str, bytes: &[u8], offset: usize, expected: String) -> ParseError {
    let found = if offset < bytes.len() { format!("{:02x}", bytes[offset]) } else { String::new() };
    ParseError { subject, location: Location::Byte(offset), fault: Fault::unexpected(expected, &found) }
}

impl Header {
    /// Reads the header and checks that the file has as many records as it says.
    fn parse(
        subject: &'static str,
        bytes: &[u8],
        record_len: usize,
        is_games: bool,
    ) -> Result<Self, ParseError> {
        let Some(head) = bytes.first_chunk::<HEADER_LEN>() else {
            return Err(error(subject, bytes, bytes.len(), "a header of 16 bytes".into()));
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
            let told = "a WTHOR base of solitaires; expected a base of games".into();
            return Err(ParseError { subject, location: Location::Byte(13), fault: Fault::Doubtful(told) });
        }
        if !matches!(header.board_size, 0 | 8) {
            return Err(error(subject, bytes, 12, "board size 0 or 8".into()));
        }
        let count = if is_games { header.game_count as usize } else { usize::from(header.name_count) };
        let want = count.saturating_mul(record_len).saturating_add(HEADER_LEN);
        if bytes.len() < want {
            let expected = format!("{count} records of {record_len} bytes, as the header says");
            return Err(error(subject, bytes, bytes.len(), expected));
        }
        if bytes.len() > want {
            return Err(error(subject, bytes, want, format!("the end of the file after {count} records")));
        }
        Ok(header)
    }

    fn to_bytes(self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..4].copy_from_slice(&self.created);
        bytes[4..8].copy_from_slice(&self.game_count.to_le_bytes());
        bytes[8..10].copy_from_slice(&self.name_count.to_le_bytes());
        bytes[10..12].copy_from_slice(&self.year.to_le_bytes());
        bytes[12..].copy_from_slice(&[self.board_size, self.kind, self.depth, self.reserved]);
        bytes
    }

    /// Empties from which the theoretical scores were solved.
    pub fn solved_empties(&self) -> u8 {
        if self.depth == 0 { DEFAULT_SOLVED_EMPTIES } else { self.depth }
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

    /// Reads a `.wtb` file. Moves are not looked at; see [`GameRecord::replay`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let header = Header::parse("WTHOR games", bytes, GAME_LEN, true)?;
        let (records, _) = bytes[HEADER_LEN..].as_chunks::<GAME_LEN>();
        Ok(Self { header, games: records.iter().map(GameRecord::from_bytes).collect() })
    }

    /// The file's bytes.
    ///
    /// # Errors
    /// More games than the header's 32 bits can count.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ParseError> {
        let count = u32::try_from(self.games.len()).map_err(|_| too_many("games", u32::MAX as usize))?;
        let header = Header { game_count: count, ..self.header };
        let mut bytes = header.to_bytes().to_vec();
        self.games.iter().for_each(|game| bytes.extend(game.to_bytes()));
        Ok(bytes)
    }
}

pub(in crate::notation) fn too_many(what: &'static str, limit: usize) -> ParseError {
    let fault = Fault::Doubtful(format!("more than {limit} {what}").into());
    ParseError { subject: "WTHOR file", location: Location::Byte(0), fault }
}

impl NameKind {
    fn len(self) -> usize {
        match self {
            Self::Players => 20,
            Self::Tournaments => 26,
        }
    }

    /// The name as a file can hold it: cut to its length less a NUL, `?` for what Latin-1 lacks.
    pub fn fit(self, name: &str) -> String {
        let latin = |c: char| if u8::try_from(u32::from(c)).is_ok() { c } else { '?' };
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
        let header = Header::parse("WTHOR names", bytes, kind.len(), false)?;
        let name = |record: &[u8]| record.iter().take_while(|&&b| b != 0).map(|&b| char::from(b)).collect();
        Ok(Self { header, names: bytes[HEADER_LEN..].chunks_exact(kind.len()).map(name).collect() })
    }

    /// The file's bytes; names are cut to their length less a NUL, and what Latin-1 lacks becomes `?`.
    ///
    /// # Errors
    /// More names than the header's 16 bits can count.
    pub fn to_bytes(&self, kind: NameKind) -> Result<Vec<u8>, ParseError> {
        let count = u16::try_from(self.names.len()).map_err(|_| too_many("names", usize::from(u16::MAX)))?;
        let header = Header { name_count: count, ..self.header };
        let mut bytes = header.to_bytes().to_vec();
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
        let mut moves = [0; 60];
        moves.copy_from_slice(&bytes[8..]);
        Self {
            tournament: word(0),
            black: word(2),
            white: word(4),
            score: bytes[6],
            theoretical: bytes[7],
            moves,
        }
    }

    fn to_bytes(self) -> [u8; GAME_LEN] {
        let mut bytes = [0; GAME_LEN];
        bytes[..2].copy_from_slice(&self.tournament.to_le_bytes());
        bytes[2..4].copy_from_slice(&self.black.to_le_bytes());
        bytes[4..6].copy_from_slice(&self.white.to_le_bytes());
        bytes[6] = self.score;
        bytes[7] = self.theoretical;
        bytes[8..].copy_from_slice(&self.moves);
        bytes
    }

    /// The record of a game from the usual start, or `None` for another start.
    ///
    /// Tournament, players and theoretical score are 0.
    pub fn from_game(game: &Game) -> Option<Self> {
        if game.start() != Position::START {
            return None;
        }
        let mut moves = [0; 60];
        let placed = game.moves().iter().filter_map(|mv| match mv {
            Move::Place(square) => Some(10 * (square.rank() + 1) + square.file() + 1),
            Move::Pass => None,
        });
        moves.iter_mut().zip(placed).for_each(|(to, from)| *to = from);
        let score = score_byte(&game.clone().into());
        Some(Self { tournament: 0, black: 0, white: 0, score, theoretical: 0, moves })
    }

    /// The record of a game with its result; see [`GameRecord::from_game`].
    ///
    /// `score` is Black's discs at the end, all or none if a side gave up, one more than half for a win by an unknown
    /// number; where there is no result, the discs as they lie.
    pub fn from_record(record: &NamedGame) -> Option<Self> {
        Some(Self { score: score_byte(record), ..Self::from_game(&record.game)? })
    }

    /// The recorded result of the moves of `game`; that of an unfinished game whose discs are those on the board is
    /// unknown.
    pub fn stated(&self, game: &Game) -> GameResult {
        let as_they_lie = game.position().discs(Color::Black).count_ones();
        match i32::from(self.score) {
            65.. => GameResult::default(),
            _ if !game.is_over() && u32::from(self.score) == as_they_lie => GameResult::default(),
            discs => GameResult::discs(2 * discs - 64, How::Stated),
        }
    }

    fn recorded(&self) -> &[u8] {
        &self.moves[..self.moves.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1)]
    }

    /// The recorded moves, legal or not; `None` for a byte that is no square.
    pub fn written(&self) -> impl Iterator<Item = Option<Square>> {
        self.recorded().iter().map(|&byte| square(byte))
    }

    /// Plays the recorded moves from the usual start, passes put in.
    ///
    /// # Errors
    /// A byte that is no square, or an illegal move; the place is the move's number among those recorded.
    pub fn replay(&self) -> Result<Replay, ParseError> {
        const SUBJECT: &str = "WTHOR game";
        let mut game = Game::default();
        for (index, &byte) in self.recorded().iter().enumerate() {
            let square = square(byte).ok_or_else(|| ParseError {
                subject: SUBJECT,
                location: Location::Ply(index + 1),
                fault: Fault::unexpected("10 * row + column, 11 to 88", &byte.to_string()),
            })?;
            game.play_implying_pass(square)
                .map_err(|illegal| ParseError::of_turn(SUBJECT, index + 1, illegal.into()))?;
        }
        let is_complete =
            game.final_score(Color::Black).is_some_and(|score| black_discs(score) == self.score);
        Ok(Replay { game, is_complete })
    }
}

/// Black's discs at the end of a game that Black won by `score`, `-64..=64`.
fn black_discs(score: i32) -> u8 {
    ((64 + score) / 2) as u8
}

/// The byte of a game's result; see [`GameRecord::from_record`].
fn score_byte(record: &NamedGame) -> u8 {
    let result = record.result();
    match (result.score(), result.winner()) {
        // An odd difference is rounded to the winner's side: a game won by one disc is no draw.
        (Some(score), _) => black_discs(score + score % 2),
        (None, Some(Color::Black)) => black_discs(2),
        (None, Some(Color::White)) => black_discs(-2),
        (None, None) => record.game.position().discs(Color::Black).count_ones() as u8,
    }
}

fn square(byte: u8) -> Option<Square> {
    let (row, column) = (byte / 10, byte % 10);
    ((1..=8).contains(&row) && (1..=8).contains(&column)).then(|| Square::at(column - 1, row - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solitaires_are_named() {
        let mut bytes = vec![20, 26, 11, 26, 1, 0, 0, 0, 10, 0, 0xE4, 7, 8, 1, 0, 0];
        bytes.extend([0; 68]);
        let error = GameFile::parse(&bytes).unwrap_err().to_string();
        assert_eq!(error, "WTHOR games, byte 13: a WTHOR base of solitaires; expected a base of games");
    }
    use crate::notation::text::moves::parse_game;

    /// The header and the beginning of the first game of a yearly file.
    const HEADER: [u8; 16] = [0x14, 1, 4, 5, 1, 0, 0, 0, 0, 0, 0xbc, 7, 0, 0, 0, 0];
    const GAME_START: [u8; 11] = [0x46, 0, 0xbd, 1, 0x2c, 2, 0x1f, 0x27, 0x38, 0x2e, 0x23];

    fn file() -> Vec<u8> {
        let mut bytes = HEADER.to_vec();
        bytes.extend(GAME_START);
        bytes.resize(HEADER_LEN + GAME_LEN, 0);
        bytes
    }

    #[test]
    fn a_real_record_means_what_its_page_says() {
        let file = GameFile::parse(&file()).unwrap();
        assert_eq!(file.header.year, 1980);
        assert_eq!(file.header.solved_empties(), 22);
        let game = file.games[0];
        assert_eq!((game.tournament, game.black, game.white), (70, 445, 556));
        assert_eq!((game.score, game.theoretical), (31, 39));
        assert_eq!(square(0x38).unwrap().to_string(), "f5");
        assert_eq!(square(0x2e).unwrap().to_string(), "f4");
        assert_eq!(square(0x23).unwrap().to_string(), "e3");
    }

    #[test]
    fn files_round_trip_byte_for_byte() {
        assert_eq!(GameFile::parse(&file()).unwrap().to_bytes().unwrap(), file());
        let mut bytes = vec![0x14, 26, 2, 16, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend(b"???\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
        bytes.extend(b"P\xe9n\xe9lope Marc\0\0\0\0\0\0\0");
        let names = NameFile::parse(&bytes, NameKind::Players).unwrap();
        assert_eq!(names.names, ["???", "Pénélope Marc"]);
        assert_eq!(names.to_bytes(NameKind::Players).unwrap(), bytes);
        assert!(NameFile::parse(&bytes, NameKind::Tournaments).is_err());
    }

    #[test]
    fn long_and_foreign_names_are_cut_to_the_format() {
        let names = NameFile { header: Header::default(), names: vec!["ł".repeat(40)] };
        let bytes = names.to_bytes(NameKind::Tournaments).unwrap();
        assert_eq!(bytes.len(), 16 + 26);
        assert_eq!(NameFile::parse(&bytes, NameKind::Tournaments).unwrap().names, ["?".repeat(25)]);
    }

    #[test]
    fn a_wipe_out_is_complete_with_all_squares_to_the_winner() {
        let game = parse_game(Position::START, "e6f4e3f6g5d6e7f5c5").unwrap();
        let record = GameRecord::from_game(&game).unwrap();
        assert_eq!(record.score, 64);
        let replay = record.replay().unwrap();
        assert!(replay.is_complete);
        assert_eq!(replay.game, game);
        assert!(!GameRecord { score: 63, ..record }.replay().unwrap().is_complete);
        let mut shorter = record;
        shorter.moves[8] = 0;
        assert!(!shorter.replay().unwrap().is_complete);
        let other_start = Game::new(Position::START.pass());
        assert_eq!(GameRecord::from_game(&other_start), None);
    }

    #[test]
    fn the_score_of_a_broken_off_game_is_its_result() {
        let game = parse_game(Position::START, "f5d6c3").unwrap();
        for (result, byte, back) in [
            (GameResult::won(Color::White, How::Resigned), 0, GameResult::discs(-64, How::Stated)),
            (GameResult::won(Color::Black, How::Time), 64, GameResult::discs(64, How::Stated)),
            (GameResult::won(Color::White, How::Stated), 31, GameResult::discs(-2, How::Stated)),
            (GameResult::discs(12, How::Adjudicated), 38, GameResult::discs(12, How::Stated)),
            (GameResult::discs(-1, How::Stated), 31, GameResult::discs(-2, How::Stated)),
            (GameResult::discs(1, How::Stated), 33, GameResult::discs(2, How::Stated)),
            (GameResult::discs(0, How::Agreed), 32, GameResult::discs(0, How::Stated)),
            (GameResult::default(), 5, GameResult::default()),
        ] {
            let record = NamedGame::from(game.clone()).with_stated(result);
            let written = GameRecord::from_record(&record).unwrap();
            assert_eq!(written.score, byte, "{result:?}");
            assert_eq!(written.stated(&game), back, "{result:?}");
        }
    }

    #[test]
    fn bad_moves_are_named() {
        let mut record = GameFile::parse(&file()).unwrap().games[0];
        record.moves[..3].copy_from_slice(&[56, 99, 11]);
        assert_eq!(
            record.replay().unwrap_err().to_string(),
            r#"WTHOR game, move 2: expected 10 * row + column, 11 to 88, found "99""#
        );
        record.moves[1] = 11;
        assert!(record.replay().unwrap_err().to_string().starts_with("WTHOR game, move 2: a1 is illegal"));
        record.moves[1] = 0;
        assert!(record.replay().unwrap_err().to_string().contains("move 2: expected"));
    }

    #[test]
    fn truncated_and_overlong_files_are_refused_with_the_place() {
        let whole = file();
        for length in 0..whole.len() {
            let error = GameFile::parse(&whole[..length]).unwrap_err();
            assert_eq!(error.location, Location::Byte(length));
            assert!(NameFile::parse(&whole[..length.min(15)], NameKind::Players).is_err());
        }
        let mut long = whole.clone();
        long.push(7);
        assert_eq!(
            GameFile::parse(&long).unwrap_err().to_string(),
            r#"WTHOR games, byte 84: expected the end of the file after 1 records, found "07""#
        );
        let mut lying = whole.clone();
        lying[4..8].copy_from_slice(&[0xff; 4]);
        assert!(
            GameFile::parse(&lying).unwrap_err().to_string().contains("expected 4294967295 records of 68")
        );
        let mut ten = whole;
        ten[12] = 10;
        assert!(
            GameFile::parse(&ten).unwrap_err().to_string().contains("byte 12: expected board size 0 or 8")
        );
    }
}
