//! PGN games of Othello, as PlayOK and Edax write them: tags in brackets, then `1. f5 d6 2. …` and a result.

mod write;

use write::ROSTER;
pub use write::write_pgn;

use super::fen::parse_fen;
use super::format::{Detected, Format, Notation, Sheet};
use crate::board::{Color, Game, Move};
use crate::notation::error::Code;
use crate::notation::grammar::numbers::{Number, Numbers, lex_number};
use crate::notation::grammar::remarks::holds_board;
use crate::notation::grammar::tags::{is_result, tag_in};
use crate::notation::grammar::words::{lex_move, play_turn};
use crate::notation::record::{MARKS, MOVE_COMMENTS, VARIATIONS, differ};
use crate::notation::repair::Turn;
use crate::notation::scanner::{Scanner, is_blank};
use crate::notation::tags::COMMENT;
use crate::notation::{GameResult, NamedGame, Outcome, ParseError};

/// Portable Game Notation.
pub const PGN: Format = Format(&Notation {
    name: "pgn",
    about: "Portable Game Notation",
    is_of_games: true,
    read: |text| Ok(Detected::new(PGN, parse_pgn(text)?)),
    sheet: Some(sheet),
    write: |entry| Ok(write_pgn(&entry.record) + "\n"),
    losses: write::losses,
});

const SUBJECT: &str = "PGN game";
const BLACK_FIRST: &str = "1-0 in PGN as a win of Black (0-1 of White)";

/// Reads the one game of a text.
pub fn parse_pgn(text: &str) -> Result<NamedGame, ParseError> {
    let mut reader = Reader::new(text);
    reader.game().map_err(|error| match reader.readable {
        Some(game) => error.behind(&game),
        None => error,
    })
}

/// The game of a text, its moves not played.
fn sheet(text: &str) -> Option<Sheet> {
    let mut reader = Reader {
        unplayed: Some(Vec::new()),
        ..Reader::new(text)
    };
    let record = reader.game().ok()?;
    Some(Sheet::new(
        Detected::new(PGN, record),
        reader.unplayed.unwrap_or_default(),
    ))
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    /// The number that waits for its move.
    number: Option<Number>,
    numbers: Numbers,
    /// Collects the moves instead of playing them.
    unplayed: Option<Vec<Turn>>,
    /// The moves before the fault.
    readable: Option<Game>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            scanner: Scanner::new(SUBJECT, text),
            number: None,
            numbers: Numbers::default(),
            unplayed: None,
            readable: None,
        }
    }

    fn line(&self) -> &'a str {
        self.scanner
            .rest()
            .split(['\n', '\r'])
            .next()
            .unwrap_or_default()
    }

    fn game(&mut self) -> Result<NamedGame, ParseError> {
        let mut record = NamedGame::default();
        self.scanner.skip_blanks();
        let mut stated = self.tags(&mut record)?;
        let (behind, before) = self.moves(&mut record)?;
        let is_empty =
            record.game.moves().is_empty() && self.unplayed.as_ref().is_none_or(Vec::is_empty);
        if behind.is_none() && is_empty {
            return Err(self.scanner.error("moves or a result").with(Code::NoMoves));
        }
        self.scanner.skip_blanks();
        if !self.scanner.is_at_end() {
            self.readable = Some(record.game);
            let expected = "the end of the game behind the result";
            return Err(self.scanner.error(expected).with(Code::BehindResult));
        }
        // A result in discs counts more than one without.
        if let Some(behind) = behind.filter(|behind| behind.is_known()) {
            let counts_behind = !matches!(stated.outcome, Outcome::Discs(_));
            if differ(stated, behind) {
                self.readable = Some(record.game);
                let expected = "one result, in the tag Result and behind the moves";
                return Err(self.scanner.error(expected).with(Code::TwoReadings));
            }
            stated = if counts_behind { behind } else { stated };
        }
        if let Outcome::Won(_) = stated.outcome {
            let termination = record.tags.get("Termination").unwrap_or_default();
            // `1-0` is a win of Black unless a comment or tag names White.
            match [before, termination]
                .iter()
                .find_map(|words| named_winner(&record, words))
            {
                Some(winner) => stated.outcome = Outcome::Won(winner),
                None if record.game.is_over() => {}
                None => record.assumed.push(BLACK_FIRST),
            }
        }
        Ok(record.concluded(stated))
    }

    /// Reads the tags before the moves into `record`; returns the result that they state.
    fn tags(&mut self, record: &mut NamedGame) -> Result<GameResult, ParseError> {
        let mut time = String::new();
        let mut stated = GameResult::default();
        let mut set_up = None;
        let mut has_start = false;
        let mut seen: Vec<&str> = Vec::new();
        while self.scanner.rest().starts_with('[') {
            let begin = self.scanner.at;
            let Some((name, value, length)) = tag_in(self.line()) else {
                return Err(self.scanner.error("a tag such as [Black \"name\"]"));
            };
            self.scanner.at += length;
            let known = tag_name(name);
            if seen
                .iter()
                .any(|other: &&str| other.eq_ignore_ascii_case(known))
            {
                let expected = format!("the tag {known} once");
                return Err(self.scanner.error_at(begin, expected).with(Code::Twice));
            }
            seen.push(name);
            if known == "Variant" && value.to_ascii_lowercase().starts_with("flipello") {
                let expected =
                    "the usual start, not the mirrored one of Fairy-Stockfish's Flipello";
                return Err(self.scanner.error_at(begin, expected).with(Code::OtherGame));
            }
            if known != "FEN" && holds_board(&value) {
                let expected = format!("no board in {known}: the tag FEN holds a start");
                return Err(self
                    .scanner
                    .error_at(begin, expected)
                    .with(Code::BoardInGame));
            }
            let is_open = value.bytes().all(|b| matches!(b, b'?' | b'.' | b':'));
            match known {
                "Time" => time = value,
                "Result" => {
                    let result = GameResult::of_words(&value);
                    stated = result.unwrap_or_default();
                    // Other words become a tag.
                    if result.is_none() {
                        record.tags.set("ResultText", &value);
                    }
                }
                "SetUp" => set_up = (value.trim() == "1").then_some(begin),
                "FEN" => {
                    has_start = true;
                    let start = parse_fen(&value);
                    let start = start.map_err(|error| {
                        let code = error.code;
                        self.scanner.error_at(begin, "a FEN board").with(code)
                    })?;
                    record.game = Game::new(start);
                }
                name if is_open && ROSTER.contains(&name) => {}
                name => record.put(name, &value),
            }
            self.scanner.skip_blanks();
        }
        if let Some(begin) = set_up.filter(|_| !has_start) {
            return Err(self
                .scanner
                .error_at(begin, "a tag FEN with the board of SetUp"));
        }
        if !time.bytes().all(|b| b"?:".contains(&b)) {
            record.put("Time", &time);
        }
        Ok(stated)
    }

    /// Reads moves up to the result, the next game's tags or the end; returns the result and the comment before it.
    fn moves(
        &mut self,
        record: &mut NamedGame,
    ) -> Result<(Option<GameResult>, &'a str), ParseError> {
        let mut last = "";
        loop {
            self.scanner.skip_blanks();
            let rest = self.scanner.rest();
            match rest.chars().next() {
                None | Some('[') if self.number.is_some() => {
                    return Err(self
                        .scanner
                        .error("a move behind the number")
                        .with(Code::WrongNumber));
                }
                None | Some('[') => return Ok((None, last)),
                Some('{') if rest.starts_with("{\"") => {
                    let expected = "a remark, which is no object of JSON";
                    return Err(self.scanner.error(expected));
                }
                Some('{') => {
                    let text_end = self.scanner.text.len();
                    let comment = rest[1..].split_once('}');
                    let missing = || self.scanner.error_at(text_end, "} after the comment");
                    (last, _) = comment.ok_or_else(missing)?;
                    self.no_board(last)?;
                    self.scanner.at += last.len() + 2;
                    if record.game.moves().is_empty() && record.tags.get(COMMENT).is_none() {
                        record.put(COMMENT, last);
                    } else {
                        record.leave_out(MOVE_COMMENTS);
                    }
                }
                Some(';') => {
                    let comment = self.line();
                    self.no_board(comment)?;
                    self.scanner.at += comment.len();
                    record.leave_out(MOVE_COMMENTS);
                }
                Some('(') => {
                    let begin = self.scanner.at;
                    self.skip_variation()?;
                    self.no_board(&self.scanner.text[begin..self.scanner.at])?;
                    record.leave_out(VARIATIONS);
                }
                Some(_) => {
                    let word = rest
                        .split(|c: char| is_blank(c) || "{(;".contains(c))
                        .next()
                        .unwrap_or_default();
                    if is_result(word)
                        && self.number.is_none()
                        && GameResult::of_words(word).is_some()
                    {
                        self.scanner.at += word.len();
                        return Ok((GameResult::of_words(word), last));
                    }
                    last = "";
                    if word.starts_with('$') || word.ends_with(['!', '?']) {
                        record.leave_out(MARKS);
                    }
                    self.word(word, &mut record.game)?;
                    self.scanner.at += word.len();
                }
            }
        }
    }

    fn no_board(&self, remark: &str) -> Result<(), ParseError> {
        match holds_board(remark) {
            true => Err(self
                .scanner
                .error("no board in a remark")
                .with(Code::BoardInGame)),
            false => Ok(()),
        }
    }

    /// Reads a move number, moves, all glued together, or an annotation.
    fn word(&mut self, word: &str, game: &mut Game) -> Result<(), ParseError> {
        if word.starts_with('$') {
            return Ok(());
        }
        let mut moves = word;
        if let Some((number, length)) = lex_number(word) {
            if self.number.replace(number).is_some() {
                return Err(self
                    .scanner
                    .error("a move behind the number")
                    .with(Code::WrongNumber));
            }
            moves = &word[length..];
        }
        let moves = moves.trim_end_matches(['!', '?']);
        if moves.is_empty() {
            return Ok(());
        }
        let moves = joined_moves(moves);
        if let Some(turns) = &mut self.unplayed {
            match moves {
                Some(moves) => turns.extend(moves.into_iter().map(|mv| Turn::of(Some(mv)))),
                None => turns.push(Turn::of(None)),
            }
            self.number = None;
            return Ok(());
        }
        let Some(moves) = moves else {
            self.readable = Some(game.clone());
            return Err(self
                .scanner
                .error("a move a1-h8, -- or pass")
                .with(Code::UnknownWord));
        };
        for mv in moves {
            let number = self.number.take();
            // Behind the end a pass means nothing and is no turn.
            if mv == Move::Pass && number.is_none() && game.is_over() {
                continue;
            }
            if let Err(expected) = self.numbers.check(game, mv, number) {
                self.readable = Some(game.clone());
                return Err(self.scanner.error(expected).with(Code::WrongNumber));
            }
            play_turn(game, None, mv).map_err(|fault| {
                self.readable = Some(game.clone());
                ParseError::of(SUBJECT, self.scanner.text, self.scanner.at, fault)
            })?;
        }
        Ok(())
    }

    fn skip_variation(&mut self) -> Result<(), ParseError> {
        let mut depth = 0usize;
        // The end of the remark that is open.
        let mut remark = None;
        for (i, c) in self.scanner.rest().char_indices() {
            match c {
                _ if remark.is_some() => remark = remark.filter(|end| c != *end),
                '{' => remark = Some('}'),
                ';' => remark = Some('\n'),
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.scanner.at += i + 1;
                return Ok(());
            }
        }
        Err(self
            .scanner
            .error_at(self.scanner.text.len(), ") after the variation"))
    }
}

/// The moves of a word: one, or several that are glued together.
fn joined_moves(word: &str) -> Option<Vec<Move>> {
    let mut moves = Vec::new();
    let mut rest = word;
    while !rest.is_empty() || moves.is_empty() {
        let (mv, length) = lex_move(rest)?;
        moves.push(mv);
        rest = &rest[length..];
    }
    Some(moves)
}

/// The name of a tag in the spelling of the standard; `written` may have other capitals.
fn tag_name(written: &str) -> &str {
    let known = ROSTER
        .into_iter()
        .chain(["FEN", "SetUp", "Termination", "TimeControl"]);
    known
        .into_iter()
        .find(|known| known.eq_ignore_ascii_case(written))
        .unwrap_or(written)
}

/// The winner by the words of a comment or tag.
fn named_winner(record: &NamedGame, words: &str) -> Option<Color> {
    let words = words.to_lowercase();
    let begins = |name: &str| {
        let name = name.to_lowercase();
        !name.is_empty()
            && words
                .strip_prefix(&name)
                .is_some_and(|rest| rest.starts_with(" w"))
    };
    let says = |side: &str, verbs: &[&str]| {
        verbs
            .iter()
            .any(|verb| words.contains(&format!("{side} {verb}")))
    };
    let wins = ["wins", "won"];
    let loses = [
        "resign",
        "lost",
        "loses",
        "forfeit",
        "times out",
        "timed out",
    ];
    let black = begins(&record.black) || says("black", &wins) || says("white", &loses);
    let white = begins(&record.white) || says("white", &wins) || says("black", &loses);
    match (black, white) {
        (true, false) => Some(Color::Black),
        (false, true) => Some(Color::White),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::notation::How;
    use crate::notation::grammar::moves::parse_game;

    const TEXT: &str = "[Event \"?\"]\n[Site \"PlayOK\"]\n[Date \"2023.01.02\"]\n[Time \"10:00\"]\n[Black \"a\"]\n\
                        [White \"b\"]\n[Result \"40-24\"]\n\n1. f5 d6 2. c3 {a note} (2. c5 (2. c6) c4) d3! $1 *\n";

    #[test]
    fn games_of_sites_are_read() {
        let record = parse_pgn(TEXT).unwrap();
        assert_eq!(
            record.game,
            parse_game(Position::START, "f5d6c3d3").unwrap()
        );
        assert_eq!((record.black.as_str(), record.white.as_str()), ("a", "b"));
        assert_eq!(
            (record.place.as_str(), record.date.as_str()),
            ("PlayOK", "2023.01.02 10:00")
        );
        assert_eq!(
            parse_pgn("1.f5 2.d6 ; rest\n3.c3 40-24")
                .unwrap()
                .game
                .moves()
                .len(),
            3
        );
    }

    #[test]
    fn every_tag_and_the_result_are_kept() {
        let tags = "[Event \"Open 2020\"]\n[Site \"Lyon\"]\n[Date \"2020.05.01\"]\n[Time \"?\"]\n[Round \"3\"]\n\
                    [Black \"ann\"]\n[White \"bob\"]\n[BlackElo \"1800\"]\n[WhiteElo \"1700\"]\n[Result \"0-1\"]\n\
                    [Variant \"Othello \\\"8x8\\\"\"]\n[TimeControl \"300+3\"]\n[Termination \"bob won on time\"]\n";
        let text = format!("{tags}\n1. f5 d6 2. c3 0-1\n");
        let record = parse_pgn(&text).unwrap();
        assert_eq!(record.result(), GameResult::won(Color::White, How::Time));
        assert_eq!(write_pgn(&record), text);
        let bare = write_pgn(&Game::default().into());
        assert!(
            !bare.contains("\"\"") && bare.contains("[BlackElo \"?\"]"),
            "{bare}"
        );
    }

    #[test]
    fn numbers_tags_and_ends_are_checked() {
        for (text, code) in [
            ("1. f5 d6 2. c3 3. d3 c4 *", Code::WrongNumber),
            ("1. f5 d6 3. c3 d3 *", Code::WrongNumber),
            ("2. f5 d6 *", Code::WrongNumber),
            ("f5 d6 2. c3 *", Code::WrongNumber),
            ("1. 1. f5 *", Code::WrongNumber),
            ("1... f5 *", Code::WrongNumber),
            ("1. f5 d6 2. c3 1-0 2. d3 *", Code::BehindResult),
            ("1 f5 *", Code::UnknownWord),
            ("[Black \"a\"]", Code::NoMoves),
            ("[Black \"a\"]\n[BLACK \"b\"]\n\n1. f5 *", Code::Twice),
            ("[Variant \"Flipello\"]\n\n1. P@f4 *", Code::OtherGame),
            ("1. f5 {8/8/8/3pP3/3Pp3/8/8/8 b} *", Code::BoardInGame),
            (
                "[Start \"8/8/8/3pP3/3Pp3/8/8/8 b\"]\n\n1. f5 *",
                Code::BoardInGame,
            ),
        ] {
            assert_eq!(parse_pgn(text).unwrap_err().code, code, "{text}");
        }
        for text in [
            "1. f5 d6 2. c3",
            "1.f5d6 2.c3",
            "1. f5 2. d6 3. c3",
            "f5 d6 c3",
            "1. f5 1... d6 2. c3",
        ] {
            assert_eq!(parse_pgn(text).unwrap().game.moves().len(), 3, "{text}");
        }
        let readable = parse_pgn("1. f5 d6 2. c3 d9").unwrap_err().readable;
        assert_eq!(readable.map(|game| game.moves().len()), Some(3));
    }

    #[test]
    fn odd_dates_become_numbers_and_keep_their_words() {
        for (date, day) in [
            ("2020-05-01,02", "2020.05.01"),
            ("May 2020", "????.??.??"),
            ("4/5/2000", "????.??.??"),
        ] {
            let record = NamedGame {
                date: date.into(),
                ..NamedGame::default()
            };
            let text = write_pgn(&record);
            assert!(
                text.contains(&format!("[Date \"{day}\"]"))
                    && text.contains(&format!("[DateText \"{date}\"]"))
            );
            assert_eq!(parse_pgn(&text).unwrap().date, date);
        }
    }

    #[test]
    fn faults_are_named_where_they_are() {
        for (text, error) in [
            (
                "",
                "PGN game, column 1: expected moves or a result, found the end",
            ),
            (
                &TEXT.replace("d3!", "a1"),
                "line 9, column 44: a1 is illegal",
            ),
            (
                &TEXT.replace("d3!", "x9"),
                "line 9, column 44: expected a move",
            ),
            ("[Black a]", "column 1: expected a tag"),
            ("1. f5 {", "column 8: expected } after the comment"),
            ("1. f5 (", "column 8: expected ) after the variation"),
            ("[FEN \"x\"]", "column 1: expected a FEN board"),
            (
                "[Black \"a\"]\n[SetUp \"1\"]\n\n1. f5 *",
                "line 2, column 1: expected a tag FEN",
            ),
            (
                "1. f5 2... c3 *",
                "column 12: expected the number 1... or no number before White's move",
            ),
            ("1. f5d6x3 *", "column 4: expected a move"),
        ] {
            let found = parse_pgn(text).unwrap_err().to_string();
            assert!(found.contains(error), "{found}");
        }
    }
}
