//! Positions in whatever notation a text is: the form is recognised by its marks.

use std::fmt;
use std::str::FromStr;

use super::diagram::{self, BitOrder};
use super::ggf::GgfGame;
use super::ggf_record;
use super::obf::ScoredMove;
use super::plain::{NOTHING, plain};
use super::squares::{RowKind, row_kind};
use super::tags::COMMENT;
use super::{Fault, NamedGame, ParseError, fen, movelist, moves, obf, pgn, sgf, token};
use crate::board::{Game, Move, Position};

/// As far as this a text is looked at for the rows of a board.
const MAX_LINES: usize = 100;

/// A notation of positions or games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Moves from the usual start: `f5d6c3`.
    Moves,
    /// 64 characters and a side.
    Board,
    /// A board of several lines.
    Diagram,
    /// Two hexadecimal bitboards and a side.
    Hex,
    /// The board file of othelloAI.
    ExampleBoard,
    /// Rows with `/` between them.
    Fen,
    /// A board with the scores of its moves.
    Obf,
    /// The game text of NBoard and GGS.
    Ggf,
    /// Smart Game Format.
    Sgf,
    /// Portable Game Notation.
    Pgn,
    /// A file of games of the WTHOR base: the only notation that is no text.
    Wthor,
}

/// The name is of no notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(String);

/// What a text turned out to be, with all that its notation tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Detected {
    /// Its notation.
    pub format: Format,
    /// The game; one without moves if the notation is of positions.
    pub record: NamedGame,
    /// Scores of moves in the position, in discs for its side to move; from OBF only.
    pub scores: Vec<ScoredMove>,
    /// What stands beside the position or moves: a remark, a name, columns of values.
    pub comment: String,
    /// All tags of a GGF game.
    pub ggf: Option<GgfGame>,
}

impl Detected {
    /// A game, or a position as one without moves, of which nothing else is known.
    pub fn new(format: Format, record: NamedGame) -> Self {
        Self { format, record, scores: Vec::new(), comment: String::new(), ggf: None }
    }

    /// The position: of a game the last one.
    pub fn position(&self) -> Position {
        self.record.game.position()
    }

    /// The best known score in discs for the side to move; see [`obf::best_score`].
    pub fn known_score(&self) -> Option<i32> {
        obf::best_score(&self.scores)
    }

    /// The known score of `mv`, in discs for the side to move.
    pub fn score_of(&self, mv: Move) -> Option<i32> {
        self.scores.iter().find(|scored| scored.mv == mv).map(|scored| scored.discs)
    }
}

impl Format {
    /// Every notation.
    pub const ALL: [Self; 11] = [
        Self::Moves,
        Self::Board,
        Self::Diagram,
        Self::Hex,
        Self::ExampleBoard,
        Self::Fen,
        Self::Obf,
        Self::Ggf,
        Self::Sgf,
        Self::Pgn,
        Self::Wthor,
    ];

    /// Its name: one word of small letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Moves => "moves",
            Self::Board => "board",
            Self::Diagram => "diagram",
            Self::Hex => "hex",
            Self::ExampleBoard => "example",
            Self::Fen => "fen",
            Self::Obf => "obf",
            Self::Ggf => "ggf",
            Self::Sgf => "sgf",
            Self::Pgn => "pgn",
            Self::Wthor => "wthor",
        }
    }

    /// What it is, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Moves => "f5d6c3, from the usual start",
            Self::Board => "64 characters and a side",
            Self::Diagram => "a drawn board",
            Self::Hex => "two bitboards and a side",
            Self::ExampleBoard => "the board file of othelloAI",
            Self::Fen => "8/8/8/3pP3/3Pp3/8/8/8 b",
            Self::Obf => "a board with scored moves",
            Self::Ggf => "the games of NBoard and GGS",
            Self::Sgf => "Smart Game Format",
            Self::Pgn => "Portable Game Notation",
            Self::Wthor => "games of the WTHOR base, .wtb",
        }
    }

    /// Whether it tells the moves of a game, not only a position.
    pub fn is_of_games(self) -> bool {
        matches!(self, Self::Moves | Self::Ggf | Self::Sgf | Self::Pgn | Self::Wthor)
    }

    /// The notation that a text looks like; it may still have faults.
    pub fn detect(text: &str) -> Self {
        let plain = plain(text);
        let is_blank = |c: char| c.is_whitespace() || c == NOTHING || matches!(c, '"' | '\'' | '`');
        let text = plain.trim_start_matches(is_blank);
        let unnumbered = text.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace());
        if unnumbered.strip_prefix('(').is_some_and(|rest| rest.trim_start().starts_with(';')) {
            return if is_sgf(unnumbered) { Self::Sgf } else { Self::Ggf };
        }
        let first = text.split(is_blank).next().unwrap_or("");
        if text.starts_with('[') && !is_in_brackets(text) {
            return Self::Pgn;
        }
        let is_square = |part: &str| {
            let part = part.trim_matches(|c: char| !c.is_alphanumeric());
            part.len() == 2 && matches!(token::lex_move(part), Some((Move::Place(_), _)))
        };
        if first.matches('/').count() >= 6
            && !first.split('/').all(is_square)
            && first.contains(|c: char| c.is_ascii_digit() || "pP".contains(c))
        {
            return Self::Fen;
        }
        if is_hex_board(first) {
            return Self::Hex;
        }
        let first_line = text.lines().next().unwrap_or("");
        if first_line.contains(';') && first_line.split(';').next().is_some_and(|b| b.trim().len() >= 64) {
            return Self::Obf;
        }
        if diagram::parse_example_board(text).is_ok() {
            return Self::ExampleBoard;
        }
        let is_row = |line: &&str| matches!(row_kind(line), RowKind::Row | RowKind::RowAndSide);
        let rows = text.lines().take(MAX_LINES).filter(is_row).count();
        if rows >= 8 {
            return Self::Diagram;
        }
        if is_move_list(text) {
            return Self::Moves;
        }
        if unnumbered.starts_with('(') {
            return if is_sgf(unnumbered) { Self::Sgf } else { Self::Ggf };
        }
        let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
        if lines >= 8 {
            return Self::Diagram;
        }
        // A move list with a misprint still begins like one.
        let begins_like_moves = text.bytes().zip(text.bytes().skip(1)).take(16).any(|(file, rank)| {
            matches!(file.to_ascii_lowercase(), b'a'..=b'h') && matches!(rank, b'1'..=b'8')
        });
        if begins_like_moves { Self::Moves } else { Self::Board }
    }

    /// Reads `text` in this notation; of a file with several entries the first.
    ///
    /// # Errors
    /// What is not as it should be; WTHOR, which is no text, see [`super::wthor`].
    pub fn parse(self, text: &str, bits: BitOrder) -> Result<Detected, ParseError> {
        let position = match self {
            Self::Board | Self::Diagram => {
                let subject = if self == Self::Board { "board" } else { "diagram" };
                let (position, comment) = diagram::read_board(subject, text)?;
                let behind = movelist::read_game(position, &comment);
                if behind.is_ok_and(|(game, note)| game.moves().len() > 1 && note.is_empty()) {
                    let told = "moves behind the side may go on from the position or be a remark: in the next line, behind \
                                \"moves:\", they go on; behind # they say nothing";
                    return Err(ParseError::doubtful(subject, text, 0, told));
                }
                return Ok(Detected { comment, ..Detected::new(self, Game::new(position).into()) });
            }
            Self::Hex => diagram::parse_hex(text, bits)?,
            Self::ExampleBoard => diagram::parse_example_board(text)?.position,
            Self::Fen => fen::parse_fen(text)?,
            Self::Obf => return first_obf(text),
            Self::Moves => {
                let (game, comment) =
                    movelist::read_game(Position::START, text).map_err(|error| several_games(text, error))?;
                let mut record = NamedGame::from(game);
                record.tags.set(COMMENT, &comment);
                return Ok(Detected { comment, ..Detected::new(self, record) });
            }
            Self::Ggf => {
                let ggf = GgfGame::parse(text)?;
                return Ok(Detected { ggf: Some(ggf.clone()), ..Detected::new(self, ggf_record(&ggf)) });
            }
            Self::Sgf => return Ok(Detected::new(self, sgf::parse_sgf(text)?)),
            Self::Pgn => return Ok(Detected::new(self, pgn::parse_pgn(text)?)),
            Self::Wthor => return Err(ParseError::at("WTHOR games", text, 0, "a binary file")),
        };
        Ok(Detected::new(self, Game::new(position).into()))
    }
}

impl Format {
    /// Reads all games that `text` holds in this notation; of notations other than PGN one entry, as
    /// [`Format::parse`] does.
    ///
    /// # Errors
    /// The first fault.
    pub fn parse_all(self, text: &str, bits: BitOrder) -> Result<Vec<Detected>, ParseError> {
        match self {
            Self::Moves => self.parse_lines(text, bits),
            Self::Pgn => match pgn::parse_games(text)? {
                // The error for a text without a game.
                games if games.is_empty() => Ok(vec![self.parse(text, bits)?]),
                games => Ok(games.into_iter().map(|record| Detected::new(self, record)).collect()),
            },
            _ => Ok(vec![self.parse(text, bits)?]),
        }
    }
}

impl Format {
    /// A numbered list of moves over several lines is one game, or, where it cannot be, a game in each line.
    fn parse_lines(self, text: &str, bits: BitOrder) -> Result<Vec<Detected>, ParseError> {
        /// More moves than belong to one number.
        const MANY: usize = 3;
        let whole = self.parse(text, bits);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        if lines.len() < 2 || lines.len() > moves::MAX_MOVES {
            return whole.map(|one| vec![one]);
        }
        let games: Result<Vec<Detected>, ParseError> =
            lines.iter().map(|line| self.parse(line, bits)).collect();
        let has_many = |games: &[Detected]| games.iter().any(|one| one.record.game.moves().len() >= MANY);
        match (whole, games) {
            (Ok(_), Ok(games)) if has_many(&games) => {
                let told = "the numbered lines may be one game or a game each: write one game in one line";
                Err(ParseError::doubtful(token::SUBJECT, text, 0, told))
            }
            (Err(_), Ok(games)) => Ok(games),
            (whole, _) => whole.map(|one| vec![one]),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == text)
            .ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        write!(f, "\"{}\" is no notation: {}", super::error::Shown(&self.0), names.join(", "))
    }
}

impl std::error::Error for UnknownFormat {}

/// Reads a position in any notation; of a game its last position.
///
/// Understood are 64 characters and a side, drawn boards, othelloAI's board file, OBF, FEN, hexadecimal
/// bitboards (a1 = bit 0), move lists from the usual start, GGF, SGF and PGN. The error is that of the notation
/// which the text looks like.
pub fn parse_position(text: &str) -> Result<Detected, ParseError> {
    if text.trim().is_empty() {
        return Err(unknown(text));
    }
    let format = Format::detect(text);
    if !format.is_of_games() && text.contains('\n') {
        return parse_with_moves(format, text);
    }
    format.parse(text, BitOrder::A1Lsb)
}

/// Reads a position below which moves may stand that go on from it.
fn parse_with_moves(format: Format, text: &str) -> Result<Detected, ParseError> {
    let lines: Vec<&str> = text.lines().collect();
    let is_moves = |line: &&&str| row_kind(&plain(line)) == RowKind::Other && is_move_list(line);
    let below = lines.iter().rev().take_while(is_moves).count();
    if below == 0 || below == lines.len() {
        return format.parse(text, BitOrder::A1Lsb);
    }
    let (board, moves) = lines.split_at(lines.len() - below);
    let position = format.parse(&board.join("\n"), BitOrder::A1Lsb)?.position();
    let (game, comment) =
        movelist::read_game(position, &moves.join("\n")).map_err(|error| error.down(board.len()))?;
    Ok(Detected { comment, ..Detected::new(Format::Moves, game.into()) })
}

fn first_obf(text: &str) -> Result<Detected, ParseError> {
    for (index, line) in text.lines().enumerate() {
        if let Some(entry) = obf::parse_line(line).map_err(|error| error.down(index))? {
            let record = Game::new(entry.position).into();
            let (scores, comment) = (entry.scores, entry.comment);
            return Ok(Detected { scores, comment, ..Detected::new(Format::Obf, record) });
        }
    }
    Err(ParseError::at("OBF line", text, text.len(), "a position"))
}

/// The error for a text that looks like nothing.
pub fn unknown(text: &str) -> ParseError {
    let expected = "a position or game: moves, a board, OBF, FEN, GGF, SGF, PGN";
    ParseError::at("entry", text, text.len() - text.trim_start().len(), expected)
}

/// The error for moves that are illegal because several games stand in one line.
fn several_games(text: &str, error: ParseError) -> ParseError {
    let is_illegal = matches!(error.fault, Fault::Illegal { .. });
    let separator = [';', '|', '\t', ',', '/'].into_iter().find(|&sign| {
        let parts: Vec<&str> = text.split(sign).filter(|part| !part.trim().is_empty()).collect();
        let is_game = |part: &&str| moves::parse_game(Position::START, part).is_ok();
        is_illegal && (2..=moves::MAX_MOVES).contains(&parts.len()) && parts.iter().all(is_game)
    });
    match separator {
        Some(sign) => {
            let told = format!(
                "{}; what stands between \"{}\" is a game each: write one game a line",
                error.fault,
                sign.escape_default()
            );
            ParseError { fault: Fault::Doubtful(told.into()), ..error }
        }
        None => error,
    }
}

/// A list with at least one square: only passes could be a row of an empty board.
fn is_move_list(text: &str) -> bool {
    movelist::MoveList::read(text).is_ok_and(|list| list.turns.iter().any(|turn| turn.mv != Move::Pass))
}

/// Moves or squares in brackets, not the tag of a game.
pub(super) fn is_in_brackets(text: &str) -> bool {
    let inner = text.trim_start_matches(|c: char| c == '[' || c.is_whitespace() || matches!(c, '"' | '\''));
    let is_square = token::lex_move(inner).is_some_and(|(mv, _)| mv != Move::Pass);
    is_square || inner.is_empty() || inner.starts_with(|c: char| !c.is_ascii_alphabetic())
}

fn contains_ignoring_case(text: &str, part: &str) -> bool {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    text.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part))
}

/// SGF puts `;` before each node and has tags of its own, in old files spelled out: `Black[f5]`; GGF has one `;` at each
/// end.
fn is_sgf(text: &str) -> bool {
    let has = |mark: &str| text.contains(mark);
    let is_ggf = has("BO[8") || contains_ignoring_case(text, "GM[Othello");
    let later_node = text.get(2..).is_some_and(|rest| {
        [";B[", ";W[", ";Black[", ";White["].iter().any(|mark| contains_ignoring_case(rest, mark))
    });
    let marks = ["GM[1]", "GM[2]", "FF[", "SZ[", "GaMe[", "SiZe[", "FileFormat[", "CA["];
    !is_ggf && (later_node || marks.iter().any(|mark| has(mark)))
}

pub(super) fn is_hex_board(word: &str) -> bool {
    let digits = word.trim_end_matches(',');
    let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")).unwrap_or(digits);
    digits.len() == 16
        && digits.bytes().all(|b| b.is_ascii_hexdigit())
        && (digits.len() < word.trim_end_matches(',').len() || !is_move_list(digits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::moves;
    use crate::notation::record_ggf;

    /// After f5 d6.
    fn want() -> Position {
        moves::parse_game(Position::START, "f5d6").unwrap().position()
    }

    #[test]
    fn every_notation_is_recognised() {
        let position = want();
        let record: NamedGame = moves::parse_game(Position::START, "f5d6").unwrap().into();
        let board = diagram::write_board(&position);
        let example = diagram::ExampleBoard { position, seconds: 5 };
        for (format, text) in [
            (Format::Moves, "f5d6".to_string()),
            (Format::Moves, "1. F5 D6".to_string()),
            (Format::Moves, "\n1. f5\n2. d6\n".to_string()),
            (Format::Board, board.clone()),
            (Format::Board, format!("{}\nX", &board[..64])),
            (Format::Diagram, diagram::write_diagram(&position)),
            (Format::Hex, diagram::write_hex(&position, BitOrder::A1Lsb)),
            (Format::ExampleBoard, diagram::write_example_board(&example)),
            (Format::Fen, fen::write_fen(&position)),
            (Format::Obf, format!("{board};")),
            (Format::Obf, format!("{board}; C3:+0; % a comment\n{board};")),
            (Format::Ggf, record_ggf(&record).to_string()),
            (Format::Ggf, "(;B[F5]W[D6];)".to_string()),
            (Format::Ggf, "1 (;GM[othello]B[F5]W[D6];)".to_string()),
            (Format::Sgf, sgf::write_sgf(&record)),
            (Format::Sgf, "(;B[f5];W[d6])".to_string()),
            (Format::Pgn, pgn::write_pgn(&record)),
        ] {
            let detected = parse_position(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
            assert_eq!((detected.format, detected.position()), (format, position), "{text}");
        }
    }

    #[test]
    fn old_sgf_is_sgf() {
        for text in [
            "(;FF[3]GM[2];B[f5];W[d6])",
            "(;GaMe[2]SiZe[8]PlayerBlack[a];Black[f5];White[d6])",
            "(;PB[a]PW[b];B[f5]\n;W[d6])",
        ] {
            assert_eq!(Format::detect(text), Format::Sgf, "{text}");
            assert_eq!(parse_position(text).unwrap().position(), want(), "{text}");
        }
        assert_eq!(parse_position("(;FF[3]GM[2];B[a1])").unwrap_err().subject, "SGF game");
    }

    #[test]
    fn names_behind_moves_go_into_games() {
        let record = parse_position("f5d6   Perpendicular").unwrap().record;
        for text in [record_ggf(&record).to_string(), sgf::write_sgf(&record), pgn::write_pgn(&record)] {
            assert!(text.contains("Perpendicular"), "{text}");
            assert_eq!(parse_position(&text).unwrap().record.game, record.game);
        }
    }

    #[test]
    fn every_notation_has_a_name_of_its_own() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert_eq!("FEN".parse::<Format>().unwrap_err().to_string().lines().count(), 1);
    }

    #[test]
    fn errors_are_those_of_the_notation_meant() {
        let subject = |text: &str| parse_position(text).unwrap_err().subject;
        assert_eq!(subject(""), "entry");
        assert_eq!(subject("f5d6e9"), "move list");
        assert_eq!(subject("1. f5 d7"), "game");
        assert_eq!(subject("hello"), "board");
        assert_eq!(subject("8/8/8/8/8/8/8 b"), "FEN");
        assert_eq!(subject("(;BO[8 ---];)"), "GGF game");
        assert_eq!(subject("(;FF[4]GM[2];B[a1])"), "SGF game");
        assert_eq!(subject("[Black"), "PGN game");
        assert_eq!(subject(&"-".repeat(63)), "board");
        assert_eq!(subject(&format!("{}; f5:1", "-".repeat(64))), "OBF line");
        assert_eq!(subject(&"X X X X\n".repeat(8)), "diagram");
    }
}
