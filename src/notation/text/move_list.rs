//! Lists of moves as people write them: numbered, in brackets or quotes, with arrows, values and names.
//!
//! Other words become notes. A note that may be a move is an error: a misprint, or a remark with possible next moves.

use std::ops::Range;

use super::plain::{NOTHING, plain};
use super::side;
use super::token::{EXPECTED, MAX_MOVES, SUBJECT, lex_move, play_as_written, play_turn};
use crate::board::{Color, Game, Move, Position};
use crate::notation::ParseError;
use crate::notation::error::Shown;

/// Brackets that close further away are single signs.
const LONGEST_GROUP: usize = 500;

#[derive(Debug, Default)]
pub struct MoveList {
    pub turns: Vec<Turn>,
    /// The words that are no moves, in their order.
    pub notes: Vec<Note>,
    /// Moves with values behind `;`, for the position after the moves: `f5d6c3; d3:+2; c4:-1`.
    pub scores: Vec<(Move, i32)>,
}

#[derive(Debug)]
pub struct Turn {
    pub mv: Move,
    pub range: Range<usize>,
    /// The side that the text names.
    pub color: Option<Color>,
}

/// A name, value or remark.
#[derive(Debug)]
pub struct Note {
    pub range: Range<usize>,
    turns: usize,
    /// A sign marks it as a remark, so moves in it do not count.
    is_remark: bool,
}

/// Reads a list of moves with names, values and remarks and plays it from `start`; the notes come in one line.
///
/// # Errors
/// A text that is no list, the first illegal move, and a text with two readings.
pub fn read_game(start: Position, text: &str) -> Result<(Game, String), ParseError> {
    play(start, text, &mut MoveList::read(text)?)
}

/// Plays the moves of a list from `start`; gives the game and the notes in one line.
pub fn play(
    start: Position,
    text: &str,
    list: &mut MoveList,
) -> Result<(Game, String), ParseError> {
    let mut game = Game::new(start);
    for (index, turn) in list.turns.iter().enumerate() {
        for note in list.notes.iter().filter(|note| note.turns == index) {
            note.check(text, &game)?;
        }
        let Err(fault) = play_turn(&mut game, turn.color, turn.mv) else {
            continue;
        };
        // The P of a name is no pass.
        let is_last = index + 1 == list.turns.len();
        match list
            .notes
            .iter_mut()
            .find(|note| is_last && turn.is_short_pass() && note.turns == index + 1)
        {
            Some(note) => note.range.start = turn.range.start,
            None => return Err(ParseError::of_turn("game", index + 1, fault)),
        }
    }
    for note in list
        .notes
        .iter()
        .filter(|note| note.turns >= list.turns.len())
    {
        note.check(text, &game)?;
    }
    list.check_end(text)?;
    Ok((game, list.comment(text)))
}

impl Turn {
    fn is_short_pass(&self) -> bool {
        self.mv == Move::Pass && self.range.len() < 4
    }
}

impl Note {
    /// The note without the signs around it.
    fn words<'a>(&self, text: &'a str) -> &'a str {
        let is_sign =
            |c: char| c.is_whitespace() || "{}()[]\"'\u{201c}\u{201d}#%/:;,|=".contains(c);
        text[self.range.clone()].trim_matches(is_sign)
    }

    /// An error if moves in the note could be the next of the game.
    fn check(&self, text: &str, game: &Game) -> Result<(), ParseError> {
        let moves = self.moves(text);
        let is_game = moves.len() > 1 || moves.iter().any(|(word, _)| word.len() > 3);
        for (word, mv) in moves {
            let is_next = play_as_written(&mut game.clone(), mv).is_ok();
            if is_next || is_game && play_as_written(&mut Game::new(Position::START), mv).is_ok() {
                let reading = if is_next {
                    "the next move"
                } else {
                    "the first move of a game"
                };
                let message = format!(
                    "\"{word}\" in \"{}\" may be {reading} or part of a remark: remarks with moves in them stand \
                     in {{ }} or behind #",
                    Shown(&self.words(text).chars().take(40).collect::<String>())
                );
                return Err(ParseError::doubtful(
                    SUBJECT,
                    text,
                    self.range.start,
                    message,
                ));
            }
        }
        Ok(())
    }

    /// The words of the note that are moves, each with its first move; a remark has no such words.
    fn moves(&self, text: &str) -> Vec<(String, Move)> {
        let note = if self.is_remark {
            ""
        } else {
            &text[self.range.clone()]
        };
        let note = plain(note);
        let first = |word: &str| Some(moves_only(word)?[0].0).filter(|mv| *mv != Move::Pass);
        let words = note.split(|c: char| !c.is_alphanumeric());
        words
            .filter_map(|word| Some((word.to_owned(), first(word)?)))
            .collect()
    }
}

/// Moves with their bytes in a word.
pub type Placed = Vec<(Move, Range<usize>)>;

/// The moves glued together at the start of `word` with their bytes, and the rest of it; `None` without a square.
///
/// Two passes in a row are no moves: `papa` is a name.
pub fn whole_moves(word: &str) -> Option<(Placed, &str)> {
    let mut moves = Placed::new();
    let mut at = 0;
    while let Some((mv, length)) = lex_move(&word[at..]) {
        if mv == Move::Pass && moves.last().is_some_and(|(last, _)| *last == Move::Pass) {
            break;
        }
        moves.push((mv, at..at + length));
        at += length;
    }
    (!moves.is_empty()).then(|| (moves, &word[at..]))
}

/// The moves of a word that is nothing else.
pub fn moves_only(word: &str) -> Option<Placed> {
    whole_moves(word)
        .filter(|(_, rest)| rest.is_empty())
        .map(|(moves, _)| moves)
}

impl MoveList {
    /// Reads `text` without looking at the rules.
    pub fn read(text: &str) -> Result<Self, ParseError> {
        let plain = plain(text);
        let list = Self::default();
        let mut reader = Reader {
            plain: &plain,
            at: 0,
            begin: 0,
            is_separated: false,
            color: None,
            list,
        };
        let mut end = 0;
        for line in plain.split_inclusive('\n') {
            end += line.len();
            reader.line(end).map_err(|error| error.quoting(text))?;
        }
        let mut list = reader.list;
        if plain.len() != text.len() || !text.is_ascii() {
            // Each plain character replaces one of the text.
            let starts = plain
                .char_indices()
                .zip(text.char_indices())
                .map(|((plain, _), (typed, _))| (plain, typed));
            let starts: Vec<_> = starts.chain([(plain.len(), text.len())]).collect();
            let typed = |at| {
                starts[starts
                    .partition_point(|&(plain, _)| plain < at)
                    .min(starts.len() - 1)]
                .1
            };
            let ranges = list.turns.iter_mut().map(|turn| &mut turn.range);
            for range in ranges.chain(list.notes.iter_mut().map(|note| &mut note.range)) {
                *range = typed(range.start)..typed(range.end);
            }
        }
        list.read_signs(text);
        Ok(list)
    }

    /// Zebra writes `+` before each move of Black and `-` before each of White.
    fn read_signs(&mut self, text: &str) {
        let sign = |turn: &Turn| match text[..turn.range.start].chars().next_back() {
            Some('+') => Some(Color::Black),
            Some('-') => Some(Color::White),
            _ => None,
        };
        let colors: Option<Vec<Color>> = self.turns.iter().map(sign).collect();
        let colors = colors.filter(|colors| {
            colors.first() == Some(&Color::Black) && colors.contains(&Color::White)
        });
        for (turn, color) in self.turns.iter_mut().zip(colors.into_iter().flatten()) {
            turn.color = Some(color);
        }
    }

    /// All notes in one line.
    pub fn comment(&self, text: &str) -> String {
        let words = self
            .notes
            .iter()
            .map(|note| note.words(text))
            .filter(|words| !words.is_empty());
        words.collect::<Vec<_>>().join(" ")
    }

    /// Whether moves and notes are certain without the rules.
    pub fn is_certain(&self, text: &str) -> bool {
        self.notes.iter().all(|note| note.moves(text).is_empty()) && self.check_end(text).is_ok()
    }

    /// An error if the last move, unlike those before it, begins with a capital as a name does: `d3c3 C4 opening`.
    fn check_end(&self, text: &str) -> Result<(), ParseError> {
        let Some((last, others)) = self.turns.split_last() else {
            return Ok(());
        };
        let is_capital = |turn: &Turn| text[turn.range.clone()].starts_with(char::is_uppercase);
        let name = self
            .notes
            .iter()
            .find(|note| note.turns == self.turns.len() && !note.is_remark);
        let name = name.map_or("", |note| note.words(text));
        let begins_name = name.starts_with(char::is_alphabetic) && is_capital(last);
        if last.is_short_pass()
            || others.is_empty()
            || others.iter().any(is_capital)
            || !begins_name
        {
            return Ok(());
        }
        let word = &text[last.range.clone()];
        let message = format!(
            "\"{word}\" before \"{}\" may be the last move or the first word of a name: write it as the other moves \
             are, or the name in {{ }} or behind #",
            Shown(&name.chars().take(40).collect::<String>())
        );
        Err(ParseError::doubtful(
            SUBJECT,
            text,
            last.range.start,
            message,
        ))
    }
}

struct Reader<'a> {
    plain: &'a str,
    at: usize,
    begin: usize,
    /// A `;` has separated moves in this line.
    is_separated: bool,
    /// A side that was named, for the move that follows, and where.
    color: Option<(Color, usize)>,
    list: MoveList,
}

impl Reader<'_> {
    /// Reads on to the end of a line at byte `end`.
    fn line(&mut self, end: usize) -> Result<(), ParseError> {
        (self.begin, self.is_separated) = (self.at, false);
        while self.at < end {
            let rest = &self.plain[self.at..end];
            let c = rest.chars().next().expect("the line goes on");
            if let Some(arrow) = arrow(rest) {
                self.at += arrow;
            } else if c == ';' {
                self.at += self.semicolon(rest)?;
            } else if let Some(length) = self.group(rest, c) {
                self.at += length;
            } else if lex_move(rest).is_some() || is_of_word(c) {
                self.word(rest)?;
            } else {
                self.at += c.len_utf8();
            }
        }
        self.put_color_aside(end);
        Ok(())
    }

    /// Reads a `;`: a separator of moves, or the beginning of a remark or of moves with values. Gives its length.
    fn semicolon(&mut self, rest: &str) -> Result<usize, ParseError> {
        let mut fields = rest[1..].split(';');
        let next = fields.next().unwrap_or_default();
        let next = next.split(['#', '%', '{', '(']).next().unwrap_or_default();
        let before = &self.plain[self.begin..self.at];
        if self.list.turns.is_empty() && !before.contains(char::is_alphanumeric) && is_moves(next) {
            return Err(ParseError::at(SUBJECT, self.plain, self.at, EXPECTED));
        }
        let scores = || {
            rest[1..]
                .split(';')
                .filter(|field| !field.trim().is_empty())
                .map(scored)
        };
        if scores().next().is_some() && scores().all(|scored| scored.is_some()) {
            let is_after_moves = !self.list.turns.is_empty() && !before.contains([':', '=']);
            if !is_after_moves {
                let message = "moves with values between \";\" may be a game or the moves of one position: write the game's \
                            moves without values, or the position before them";
                return Err(ParseError::doubtful(SUBJECT, self.plain, self.at, message));
            }
            self.list.scores = scores().flatten().collect();
            return Ok(rest.len());
        }
        if self.list.turns.is_empty()
            || self.is_separated
                && lex_move(next.trim_start_matches(|c: char| !c.is_alphabetic())).is_some()
            || is_moves(next)
        {
            self.is_separated |= next.contains(char::is_alphabetic);
            return Ok(1);
        }
        let is_remark = !self.is_separated && before.ends_with(char::is_whitespace);
        self.note(self.at..self.at + rest.trim_end().len(), is_remark);
        Ok(rest.len())
    }

    /// The length of a number, bracket, quotation or remark at the start of `rest`, taken as a whole.
    fn group(&mut self, rest: &str, c: char) -> Option<usize> {
        let is_empty = self.list.turns.is_empty();
        let before = self.plain[..self.at].chars().next_back();
        let close = match c {
            '0'..='9' => {
                let number =
                    rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                return Some(number + usize::from(rest[number..].starts_with('%')));
            }
            '#' | '%' | '/'
                if is_remark(rest) && before.is_none_or(|c| c.is_whitespace() || c == NOTHING) =>
            {
                self.note(self.at..self.at + rest.trim_end().len(), true);
                return Some(rest.len());
            }
            '{' => '}',
            '(' if !is_empty => ')',
            '"' if !is_empty => '"',
            _ => return None,
        };
        let near = &rest[1..rest.floor_char_boundary(LONGEST_GROUP)];
        let length = near.find(close)? + 2;
        let inner = &rest[1..length - 1];
        let is_list = is_moves(inner);
        // Brackets and quotes around moves or numbers say nothing; a variation does.
        let is_variation = c == '(' && inner.contains(|c: char| c.is_ascii_alphabetic());
        if is_list && !is_variation && (is_empty || c != '{') {
            return Some(1);
        }
        // An object of JSON is no remark.
        let is_object = inner.contains('"') || inner.contains("':");
        self.note(self.at..self.at + length, c == '{' && !is_object);
        Some(length)
    }

    /// Reads the word at the start of `rest`: moves, a side, a label, or where a note begins.
    fn word(&mut self, rest: &str) -> Result<(), ParseError> {
        let length = rest
            .find(|c: char| !is_of_word(c))
            .filter(|&length| length > 0)
            .unwrap_or(rest.len());
        let word = match lex_move(rest) {
            // Passes that are no words.
            Some((_, pass)) if !rest.starts_with(is_of_word) => &rest[..pass],
            _ => &rest[..length],
        };
        let error = |at| Err(ParseError::at(SUBJECT, self.plain, at, EXPECTED));
        if let Some((moves, tail)) = whole_moves(word) {
            let value = rest[word.len() - tail.len()..]
                .split(char::is_whitespace)
                .next()
                .unwrap_or("");
            let has_square = moves.iter().any(|(mv, _)| *mv != Move::Pass);
            if tail.is_empty() || has_square && is_value(value) {
                let begin = self.at;
                for (mv, range) in moves {
                    self.push(mv, begin + range.start..begin + range.end)?;
                }
                self.at = begin + word.len() - tail.len();
                if !tail.is_empty() {
                    self.note(self.at..self.at + value.len(), false);
                    self.at += value.len();
                }
                return Ok(());
            }
            if has_square {
                return error(self.at + word.len() - tail.len());
            }
        }
        if let Some(color) = side::color_of_word(word) {
            self.put_color_aside(self.at);
            (self.color, self.at) = (Some((color, self.at)), self.at + word.len());
            return Ok(());
        }
        let start = self.color.take().map_or(self.at, |(_, start)| start);
        if self.list.turns.is_empty() {
            let Some(label) = label(rest) else {
                return error(self.at);
            };
            self.note(start..self.at + label, true);
            self.at += label;
            return Ok(());
        }
        if !is_name(word, &rest[word.len()..]) {
            return error(self.at);
        }
        self.note(start..self.at + rest.trim_end().len(), false);
        self.at += rest.len();
        Ok(())
    }

    fn push(&mut self, mv: Move, range: Range<usize>) -> Result<(), ParseError> {
        if self.list.turns.len() == MAX_MOVES {
            let message = format!("more than {MAX_MOVES} moves");
            return Err(ParseError::doubtful(
                SUBJECT,
                self.plain,
                range.start,
                message,
            ));
        }
        let color = self.color.take().map(|(color, _)| color);
        self.list.turns.push(Turn { mv, range, color });
        Ok(())
    }

    /// A side that no move follows is a note.
    fn put_color_aside(&mut self, end: usize) {
        if let Some((_, start)) = self.color.take() {
            self.note(
                start..start + self.plain[start..end].trim_end().len(),
                false,
            );
        }
    }

    fn note(&mut self, range: Range<usize>, is_remark: bool) {
        self.list.notes.push(Note {
            range,
            turns: self.list.turns.len(),
            is_remark,
        });
    }
}

/// Whether all words of a text are moves, numbers and sides.
fn is_moves(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .all(|word| {
            let is_number = word.bytes().all(|b| b.is_ascii_digit());
            is_number || moves_only(word).is_some() || side::color_of_word(word).is_some()
        })
}

/// A move with a value: `d3:+2`, `d3: -1.5`.
fn scored(text: &str) -> Option<(Move, i32)> {
    let (mv, value) = text.trim().split_once([':', '='])?;
    let (found, length) = lex_move(mv.trim())?;
    let discs = value
        .trim()
        .parse::<f64>()
        .ok()
        .filter(|discs| discs.abs() <= 64.0)?;
    (length == mv.trim().len()).then(|| (found, discs.round() as i32))
}

/// Whether `c` belongs to words rather than between them.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric()
        || c == '$'
        || c == '^'
        || !c.is_ascii() && c != NOTHING && !c.is_whitespace()
}

/// The length of an arrow or line at the start of `text`; two dashes are a pass.
fn arrow(text: &str) -> Option<usize> {
    let dashes = text
        .bytes()
        .take_while(|&b| matches!(b, b'-' | b'=' | b'~'))
        .count();
    let is_arrow = dashes > 0 && text[dashes..].starts_with('>');
    (is_arrow || dashes > 2).then_some(dashes)
}

/// Whether `text`, which begins with one of `#%/`, is a remark.
fn is_remark(text: &str) -> bool {
    let rest = text
        .strip_prefix("//")
        .or_else(|| text.strip_prefix(['#', '%']));
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// A value glued to moves: a side and a number, `X-2.5`.
fn is_value(text: &str) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    let signed = text[first.len_utf8()..].trim_end_matches(['%', ';', ',', '.', ')']);
    let number = signed
        .trim_start_matches([':', '='])
        .trim_start_matches(['+', '-']);
    // `x9` is a misprint.
    let is_number = number.len() < signed.len() || number.contains(['.', ',']);
    side::color_of_word(&text[..first.len_utf8()]).is_some()
        && is_number
        && number.contains(|c: char| c.is_ascii_digit())
        && number
            .bytes()
            .all(|b| b.is_ascii_digit() || b == b'.' || b == b',')
}

/// The length of a name before moves with the sign behind it: `Tiger: f5d6`.
fn label(text: &str) -> Option<usize> {
    let end = text.find([':', '=', '\t', ',', ';', '|', '"'])?;
    let has_square =
        |word| moves_only(word).is_some_and(|moves| moves.iter().any(|(mv, _)| *mv != Move::Pass));
    (!text[..end]
        .split(|c: char| !c.is_alphanumeric())
        .any(has_square))
    .then_some(end + 1)
}

/// Whether `word`, which is no move, is a name rather than a misprint; `rest` follows it.
pub fn is_name(word: &str, rest: &str) -> bool {
    let letters = word.chars().take_while(|c| c.is_alphabetic()).count();
    let is_file = |c: char| matches!(c.to_ascii_lowercase(), 'a'..='h');
    match letters {
        _ if !word.is_ascii() => true,
        0 => false,
        1 => {
            let is_initial = word.starts_with(|c: char| c.is_uppercase()) && rest.starts_with('.');
            word.len() == 1 && (is_initial || !word.starts_with(is_file))
        }
        2 => word.len() == 2 && !word.chars().all(is_file),
        _ => true,
    }
}
