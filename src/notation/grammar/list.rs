//! Lists of moves: squares and passes, move numbers, remarks, scores of the last position, and a result.

use std::ops::Range;

use super::numbers::{Number, Numbers, lex_number};
use super::remarks::{ScoredMove, holds_board, is_scorable, remark, scored};
use super::words::{
    EXPECTED, MAX_MOVES, SUBJECT, begins_with_moves, lex_move, play_turn, result_of_word,
};
use crate::board::{Color, Game, Move, Position};
use crate::notation::error::Code;
use crate::notation::scanner::plain;
use crate::notation::{Fault, GameResult, ParseError};

#[derive(Debug, Default)]
pub struct MoveList {
    pub turns: Vec<Turn>,
    /// The remarks in their order.
    pub remark: String,
    /// Moves with scores behind `;`, for the position after the moves: `f5d6c3; d3:+2; c4:-1`.
    pub scores: Vec<ScoredMove>,
    /// The result behind the moves.
    pub result: Option<GameResult>,
}

#[derive(Debug)]
pub struct Turn {
    pub mv: Move,
    pub range: Range<usize>,
    /// The side that a sign names.
    pub color: Option<Color>,
    /// The number before it.
    number: Option<(Number, usize)>,
}

impl MoveList {
    /// Reads `text` without looking at the rules.
    pub fn read(text: &str) -> Result<Self, ParseError> {
        let (list, fault) = Self::read_up_to_fault(text);
        fault.map_or(Ok(list), Err)
    }

    /// Reads a game from the usual start, which an error shows up to its fault.
    ///
    /// # Errors
    /// As of [`MoveList::read`].
    pub fn read_game(text: &str) -> Result<Self, ParseError> {
        let (list, fault) = Self::read_up_to_fault(text);
        let Some(fault) = fault else {
            return Ok(list);
        };
        let readable = match list.play(Position::START, text) {
            Ok(game) => return Err(fault.behind(&game)),
            Err(earlier) => earlier.readable,
        };
        Err(ParseError { readable, ..fault })
    }

    /// The list up to its first fault, and that fault.
    fn read_up_to_fault(text: &str) -> (Self, Option<ParseError>) {
        let plain = plain(text);
        let mut reader = Reader {
            text,
            plain: &plain,
            at: 0,
            number: None,
            list: Self::default(),
        };
        let fault = reader.list().err();
        (reader.list, fault.map(|error| error.quoting(text)))
    }

    /// The game of the moves from `start`.
    ///
    /// # Errors
    /// The first illegal move, wrong number or wrong sign, and scores of illegal moves.
    pub fn play(&self, start: Position, text: &str) -> Result<Game, ParseError> {
        let mut game = Game::new(start);
        let mut numbers = Numbers::default();
        for (index, turn) in self.turns.iter().enumerate() {
            let number = turn.number.map(|(number, _)| number);
            if let Err(expected) = numbers.check(&game, turn.mv, number) {
                let at = turn.number.map_or(turn.range.start, |(_, at)| at);
                let error = ParseError::at(SUBJECT, text, typed(text, at), expected);
                return Err(error.with(Code::WrongNumber).behind(&game));
            }
            let played = match turn.mv {
                Move::Pass => game.play(turn.mv).map_err(Fault::from),
                mv => play_turn(&mut game, turn.color, mv),
            };
            if let Err(fault) = played {
                return Err(ParseError::of_turn("game", index + 1, fault).behind(&game));
            }
        }
        let last = game.position();
        let is_illegal = |scored: &&ScoredMove| !is_scorable(last, scored.mv);
        if let Some(ScoredMove { mv, .. }) = self.scores.iter().find(is_illegal) {
            let message = format!("the scored move {mv} is illegal after the moves before it");
            let error = ParseError::doubtful(SUBJECT, text, 0, message);
            return Err(error.with(Code::IllegalMove).behind(&game));
        }
        Ok(game)
    }
}

/// The byte of `text` for a byte of its plain form.
fn typed(text: &str, at: usize) -> usize {
    if text.is_ascii() {
        return at;
    }
    let plain = plain(text);
    let count = plain[..at].chars().count();
    text.char_indices()
        .nth(count)
        .map_or(text.len(), |(at, _)| at)
}

struct Reader<'a> {
    text: &'a str,
    plain: &'a str,
    at: usize,
    /// A number that waits for its move.
    number: Option<(Number, usize)>,
    list: MoveList,
}

impl Reader<'_> {
    fn error(&self, at: usize, expected: &'static str, code: Code) -> ParseError {
        ParseError::at(SUBJECT, self.plain, at, expected).with(code)
    }

    fn list(&mut self) -> Result<(), ParseError> {
        while let Some(c) = self.plain[self.at..].chars().next() {
            match c {
                ',' => self.at += 1,
                c if c.is_whitespace() => self.at += c.len_utf8(),
                '{' | '(' => self.group(if c == '{' { '}' } else { ')' })?,
                ';' => self.semicolon()?,
                '#' | '%'
                    if remark(&self.plain[self.line_start()..])
                        == Some(self.at - self.line_start()) =>
                {
                    let end = self.line_end();
                    self.note(self.at + 1..end)?;
                    self.at = end;
                }
                _ => self.word()?,
            }
        }
        if let Some((_, at)) = self.number {
            return Err(self.error(at, EXPECTED, Code::UnknownWord));
        }
        if self.list.turns.is_empty() {
            return Err(self.error(self.plain.len(), EXPECTED, Code::NoMoves));
        }
        Ok(())
    }

    fn line_start(&self) -> usize {
        self.plain[..self.at].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.plain[self.at..]
            .find('\n')
            .map_or(self.plain.len(), |end| self.at + end)
    }

    /// Adds a remark.
    fn note(&mut self, range: Range<usize>) -> Result<(), ParseError> {
        if holds_board(&self.plain[range.clone()]) {
            let message = "a board in a remark of a game: write the position in its own line";
            let error = ParseError::doubtful(SUBJECT, self.plain, range.start, message);
            return Err(error.with(Code::BoardInGame));
        }
        let words = self.text[typed(self.text, range.start)..typed(self.text, range.end)].trim();
        if !words.is_empty() && !self.list.remark.is_empty() {
            self.list.remark.push(' ');
        }
        self.list.remark.push_str(words);
        Ok(())
    }

    /// Reads a remark in brackets.
    fn group(&mut self, close: char) -> Result<(), ParseError> {
        let begin = self.at + 1;
        if self.plain[self.at..].starts_with("{\"") {
            return Err(self.error(
                self.at,
                "a remark, which is no object of JSON",
                Code::Syntax,
            ));
        }
        let Some(length) = self.plain[begin..].find(close) else {
            let expected = if close == '}' {
                "} behind the remark"
            } else {
                ") behind the remark"
            };
            return Err(self.error(self.plain.len(), expected, Code::Syntax));
        };
        self.note(begin..begin + length)?;
        self.at = begin + length + 1;
        Ok(())
    }

    /// Reads scores or a remark behind `;`, up to the end of the line.
    fn semicolon(&mut self) -> Result<(), ParseError> {
        let begin = self.at + 1;
        let end = self.line_end();
        let line = &self.plain[begin..end];
        let fields = &line[..remark(line).unwrap_or(line.len())];
        let fields_trimmed = fields.trim();
        let mut parts = fields_trimmed
            .strip_suffix(';')
            .unwrap_or(fields_trimmed)
            .split(';');
        let is_scored = !self.list.turns.is_empty();
        let scores: Option<Vec<_>> = parts.clone().map(scored).collect();
        if let Some(scores) = scores.filter(|_| is_scored) {
            let is_double = |(at, scored): (usize, &ScoredMove)| {
                scores[..at].iter().any(|known| known.mv == scored.mv)
            };
            if !self.list.scores.is_empty() || scores.iter().enumerate().any(is_double) {
                return Err(self.error(begin, "each scored move once", Code::Twice));
            }
            self.list.scores = scores;
            self.at = begin + fields.len();
            return Ok(());
        }
        if parts.any(begins_with_moves) {
            let message = "moves behind ; may be a remark or the next moves: write remarks in { } or behind #";
            let error = ParseError::doubtful(SUBJECT, self.plain, begin, message);
            return Err(error.with(Code::TwoReadings));
        }
        self.note(begin..end)?;
        self.at = end;
        Ok(())
    }

    /// Reads a word: a number, moves, or the result.
    fn word(&mut self) -> Result<(), ParseError> {
        let is_end = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '{' | '(');
        let rest = &self.plain[self.at..];
        let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        if self.list.result.is_some() {
            return Err(self.error(self.at, "the end behind the result", Code::BehindResult));
        }
        if !self.list.scores.is_empty() {
            return Err(self.error(self.at, "the end behind the scores", Code::BehindResult));
        }
        let end = self.at + word.len();
        if holds_board(word) {
            let expected = "moves only: this word is a board";
            return Err(self.error(self.at, expected, Code::BoardInGame));
        }
        let is_apart = self.plain[..self.at].ends_with(|c: char| c.is_whitespace() || c == ',')
            || self.at == 0;
        if !self.list.turns.is_empty()
            && is_apart
            && self.number.is_none()
            && let Some(result) = result_of_word(word)
        {
            self.list.result = Some(result);
            self.at = end;
            return Ok(());
        }
        if let Some((number, length)) = lex_number(word).filter(|_| is_apart) {
            if self.number.is_some() {
                return Err(self.error(self.at, "a move behind the number", Code::WrongNumber));
            }
            self.number = Some((number, self.at));
            self.at += length;
        }
        while self.at < end {
            self.turn(end)?;
        }
        Ok(())
    }

    /// Reads a move, with its sign or without.
    fn turn(&mut self, end: usize) -> Result<(), ParseError> {
        let rest = &self.plain[self.at..end];
        let sign = rest
            .strip_prefix(['+', '-'])
            .filter(|_| self.has_signs() != Some(false))
            .filter(|unsigned| !unsigned.starts_with('-'))
            .and_then(lex_move);
        let (mv, length, color) = match (sign, lex_move(rest)) {
            (Some((mv, length)), _) => {
                let color = if rest.starts_with('+') {
                    Color::Black
                } else {
                    Color::White
                };
                (mv, length + 1, Some(color))
            }
            (None, Some((mv, length))) if self.has_signs() != Some(true) => (mv, length, None),
            _ => {
                let expected = if self.has_signs() == Some(true) {
                    "+ or - and a move"
                } else {
                    EXPECTED
                };
                return Err(self.error(self.at, expected, Code::UnknownWord));
            }
        };
        if self.list.turns.len() == MAX_MOVES {
            let message = format!("more than {MAX_MOVES} moves");
            let error = ParseError::doubtful(SUBJECT, self.plain, self.at, message);
            return Err(error.with(Code::TooLong));
        }
        let begin = self.at + usize::from(color.is_some());
        self.at += length;
        self.list.turns.push(Turn {
            mv,
            range: begin..self.at,
            color,
            number: self.number.take(),
        });
        Ok(())
    }

    /// Whether signs stand before the moves; `None` before the first move.
    fn has_signs(&self) -> Option<bool> {
        self.list.turns.first().map(|turn| turn.color.is_some())
    }
}
