//! PGN games of Othello, as PlayOK and Edax write them: tags in brackets, then `1. f5 d6 2. …` and a result.

use super::fen::{parse_fen, write_fen};
use super::moves::{parse_move, play_as_written};
use super::{GameResult, Location, NamedGame, Outcome, ParseError};
use crate::board::{Color, Game, Move, Position};

/// What this file reads, for its errors.
const SUBJECT: &str = "PGN game";

/// Reads the first game of a text; see [`parse_games`].
pub fn parse_pgn(text: &str) -> Result<NamedGame, ParseError> {
    games(text).next().unwrap_or_else(|| Err(ParseError::at(SUBJECT, text, text.len(), "a game")))
}

/// Reads all games of a text, until the first error.
pub fn parse_games(text: &str) -> Result<Vec<NamedGame>, ParseError> {
    games(text).collect()
}

fn games(text: &str) -> impl Iterator<Item = Result<NamedGame, ParseError>> {
    let mut reader = Reader { text, offset: 0 };
    let mut failed = false;
    std::iter::from_fn(move || {
        reader.skip_blanks();
        if failed || reader.offset == text.len() {
            return None;
        }
        let game = reader.game();
        failed = game.is_err();
        Some(game)
    })
}

struct Reader<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    fn error(&self, expected: &'static str) -> ParseError {
        ParseError::at(SUBJECT, self.text, self.offset, expected)
    }

    fn skip_blanks(&mut self) {
        let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
        self.offset = self.text.len() - self.rest().trim_start_matches(blank).len();
    }

    fn game(&mut self) -> Result<NamedGame, ParseError> {
        let mut record = NamedGame::default();
        let (mut time, mut termination) = ("", "");
        let mut stated = GameResult::default();
        while self.rest().starts_with('[') {
            let begin = self.offset;
            let (name, value) = self.tag()?;
            match name {
                "Black" => record.black = value.to_string(),
                "White" => record.white = value.to_string(),
                "Site" => record.place = value.to_string(),
                "Date" => record.date = value.to_string(),
                "Time" => time = value,
                "Result" => stated = GameResult::of_pgn(value).unwrap_or_default(),
                "Termination" => termination = value,
                "FEN" => {
                    let start = parse_fen(value)
                        .map_err(|_| ParseError::at(SUBJECT, self.text, begin, "a FEN board"))?;
                    record.game = Game::new(start);
                }
                _ => {}
            }
            self.skip_blanks();
        }
        if !time.is_empty() {
            record.date = format!("{} {time}", record.date).trim_start().to_string();
        }
        let behind = self.moves(&mut record.game)?;
        // Of the tag and the word behind the moves the one that tells more counts.
        if let Some(behind) =
            behind.filter(|behind| !matches!(stated.outcome, Outcome::Discs(_)) && behind.is_known())
        {
            stated = behind;
        }
        Ok(record.with_stated(stated.with_termination(termination)))
    }

    /// Reads `[Name "value"]`.
    fn tag(&mut self) -> Result<(&'a str, &'a str), ParseError> {
        let line = self.rest().split(['\n', '\r']).next().unwrap_or("");
        let inner = line.trim_end().strip_prefix('[').and_then(|tag| tag.strip_suffix(']'));
        let parts = inner.and_then(|tag| tag.split_once(char::is_whitespace));
        let value = parts.and_then(|(_, value)| value.trim().strip_prefix('"')?.strip_suffix('"'));
        match (parts, value) {
            (Some((name, _)), Some(value)) => {
                self.offset += line.len();
                Ok((name, value))
            }
            _ => Err(self.error("a tag such as [Black \"name\"]")),
        }
    }

    /// Reads moves up to the result, which it gives, the next game's tags or the end.
    fn moves(&mut self, game: &mut Game) -> Result<Option<GameResult>, ParseError> {
        loop {
            self.skip_blanks();
            let rest = self.rest();
            let Some(first) = rest.chars().next() else { return Ok(None) };
            match first {
                '[' => return Ok(None),
                '{' => self.skip_comment()?,
                ';' => self.offset += rest.find('\n').unwrap_or(rest.len()),
                '(' => self.skip_variation()?,
                _ => {
                    let end =
                        rest.find(|c: char| c.is_whitespace() || "{(;".contains(c)).unwrap_or(rest.len());
                    let word = &rest[..end];
                    if is_result(word) {
                        self.offset += end;
                        return Ok(GameResult::of_pgn(word));
                    }
                    self.word(word, game)?;
                    self.offset += end;
                }
            }
        }
    }

    /// Reads a move number, a move, both glued together, or an annotation.
    fn word(&self, word: &str, game: &mut Game) -> Result<(), ParseError> {
        let unnumbered = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let mv = if unnumbered.starts_with('.') { unnumbered.trim_start_matches('.') } else { word };
        let is_number = unnumbered.is_empty() || mv.is_empty();
        if is_number || word.starts_with('$') {
            return Ok(());
        }
        let mv = parse_move(mv.trim_end_matches(['!', '?']))
            .map_err(|_| self.error("a move a1-h8, -- or pass"))?;
        play_as_written(game, mv).map_err(|illegal| ParseError {
            location: Location::of(self.text, self.offset),
            ..ParseError::illegal(SUBJECT, 0, &illegal)
        })
    }

    fn skip_comment(&mut self) -> Result<(), ParseError> {
        match self.rest().find('}') {
            Some(at) => self.offset += at + 1,
            None => return Err(ParseError::at(SUBJECT, self.text, self.text.len(), "} after the comment")),
        }
        Ok(())
    }

    fn skip_variation(&mut self) -> Result<(), ParseError> {
        let mut depth = 0usize;
        for (i, c) in self.rest().char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.offset += i + 1;
                return Ok(());
            }
        }
        Err(ParseError::at(SUBJECT, self.text, self.text.len(), ") after the variation"))
    }
}

/// `*`, `1-0`, `1/2-1/2`, `40-24`.
pub(super) fn is_result(word: &str) -> bool {
    let is_score =
        |part: &str| part == "1/2" || (!part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    word == "*" || word.split_once('-').is_some_and(|(black, white)| is_score(black) && is_score(white))
}

/// Writes a game with the tags that NBoard asks for; the result is in discs, points where they are not known, `*` where
/// nothing is.
pub fn write_pgn(record: &NamedGame) -> String {
    let clean = |text: &str| text.replace(['"', '\n', '\r'], "'");
    let ended = record.result();
    let result = ended.to_pgn();
    let (date, time) = record.date.split_once(' ').unwrap_or((&record.date, ""));
    let mut text = String::new();
    for (name, value) in [
        ("Site", record.place.as_str()),
        ("Date", date),
        ("Time", time),
        ("Black", &record.black),
        ("White", &record.white),
        ("BlackElo", ""),
        ("WhiteElo", ""),
        ("Result", &result),
    ] {
        text.push_str(&format!("[{name} \"{}\"]\n", clean(value)));
    }
    if let Some(words) = ended.how.termination() {
        text.push_str(&format!("[Termination \"{words}\"]\n"));
    }
    if record.game.start() != Position::START {
        text.push_str(&format!("[FEN \"{}\"]\n", write_fen(&record.game.start())));
    }
    let mut line = String::new();
    let mut number = 0;
    for (index, (position, mv)) in record.game.steps().enumerate() {
        let mut word = String::new();
        if position.side == Color::Black || index == 0 {
            number += 1;
            word = format!("{number}.{} ", if position.side == Color::White { ".." } else { "" });
        }
        word += &if mv == Move::Pass { "--".to_string() } else { mv.to_string() };
        push_wrapped(&mut text, &mut line, &word);
    }
    push_wrapped(&mut text, &mut line, &result);
    text + "\n" + &line + "\n"
}

/// Adds a word to the last line of `text`, which is kept in `line` until it is full.
fn push_wrapped(text: &mut String, line: &mut String, word: &str) {
    if line.len() + 1 + word.len() > 79 {
        text.push('\n');
        text.push_str(line);
        line.clear();
    }
    if !line.is_empty() {
        line.push(' ');
    }
    line.push_str(word);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::moves::parse_game;

    const TEXT: &str = "[Event \"?\"]\n[Site \"PlayOK\"]\n[Date \"2023.01.02\"]\n[Time \"10:00\"]\n[Black \"a\"]\n\
                        [White \"b\"]\n[Result \"40-24\"]\n\n1. f5 d6 2. c3 {a note} (2. c5 (2. c6) c4) d3! $1 *\n";

    #[test]
    fn games_of_sites_are_read() {
        let record = parse_pgn(TEXT).unwrap();
        assert_eq!(record.game, parse_game(Position::START, "f5d6c3d3").unwrap());
        assert_eq!((record.black.as_str(), record.white.as_str()), ("a", "b"));
        assert_eq!((record.place.as_str(), record.date.as_str()), ("PlayOK", "2023.01.02 10:00"));
        assert_eq!(parse_games(&TEXT.repeat(3)).unwrap().len(), 3);
        assert_eq!(parse_pgn("1.f5 2.d6 ; rest\n3.c3 40-24").unwrap().game.moves().len(), 3);
    }

    #[test]
    fn records_round_trip() {
        let wiped = parse_game(Position::START, "e6f4e3f6g5d6e7f5c5").unwrap();
        let mut other = Game::new(Position::from_discs(0b10, 0b1, Color::Black));
        other.play_implying_pass("c1".parse().unwrap()).unwrap();
        for game in [wiped, Game::default(), other, Game::new(Position::START.pass())] {
            let record = NamedGame { date: "2026.01.02 10:00".into(), black: "x".into(), ..game.into() };
            let text = write_pgn(&record);
            assert_eq!(parse_pgn(&text), Ok(record), "{text}");
        }
    }

    #[test]
    fn faults_are_named_where_they_are() {
        let error = |text: &str| parse_pgn(text).unwrap_err().to_string();
        assert_eq!(error(""), "PGN game, column 1: expected a game, found the end");
        assert!(error(&TEXT.replace("d3!", "a1")).contains("line 9, column 44: a1 is illegal"));
        assert!(error(&TEXT.replace("d3!", "x9")).contains("line 9, column 44: expected a move"));
        assert!(error("[Black a]").contains("column 1: expected a tag"));
        assert!(error("1. f5 {").contains("column 8: expected } after the comment"));
        assert!(error("1. f5 (").contains("column 8: expected ) after the variation"));
        assert!(error("[FEN \"x\"]").contains("column 1: expected a FEN board"));
    }
}
