//! Hints: what the book knows first, then a search that tells how far it is.

use std::io;
use std::time::{Duration, Instant};

use super::session::Play;
use super::thinking::{Purpose, judging_level};
use super::words::known;
use crate::analysis::words::{depth_in_words, score_of};
use crate::board::{Move, Score};
use crate::engine::BookLine;
use crate::search::{Clock, Info, Line, SearchResult, Task};

/// Moves of a line that are shown: at least, and where the terminal is wide enough.
const LINE_LEN: (usize, usize) = (3, 10);
/// Columns of a hint beside its moves, and of a move.
const COLUMNS: (usize, usize) = (34, 3);
/// How often it is told where a search for a hint is.
const TELL_EVERY: Duration = Duration::from_secs(1);

impl Play {
    /// Tells the book's best moves, and searches for as many more as are asked for and the book does not know.
    pub(super) fn begin_hint(&mut self, count: usize, now: Instant) -> io::Result<()> {
        let board = self.setup.table.position().board;
        let book = self.book_moves(count)?;
        for (line, score) in &book {
            let known = match line.level {
                Some(level) if level.origin.is_some() => format!("book, {level}"),
                Some(level) if level.exact => "book, proven".into(),
                Some(level) => format!("book, {}", depth_in_words(level.depth, level.percent.into())),
                None => "book".to_owned(),
            };
            self.say(self.row(&score.to_string(), &line.pv, &known))?;
        }
        if let Some((_, score)) = book.first() {
            self.note(score.discs(), "book".into());
        }
        let known = book.iter().filter_map(|(line, _)| line.pv[0].square());
        let left = known.fold(board.moves(), |left, square| left & !square.bit());
        let wanted = count.saturating_sub(book.len()).min(left.count_ones().max(1) as usize);
        if wanted == 0 || left == 0 && !book.is_empty() {
            return Ok(());
        }
        let level = judging_level(self.setup.level);
        if self.setup.is_interactive {
            self.say(format!("Thinking at level {level}; an empty line ends it"))?;
        }
        let limits = level.limits(Clock::Unlimited);
        let task = Task { multi_pv: wanted, allowed: left, ..Task::new(board, limits) };
        self.start(task, Purpose::Hint { after_book: !book.is_empty() }, now);
        Ok(())
    }

    /// Tells what the engine thinks so far of the move it looks for.
    pub(super) fn hint_so_far(&mut self) -> io::Result<()> {
        let so_far = self.thinking.as_ref().and_then(|thinking| thinking.so_far.clone());
        match so_far.as_ref().and_then(|info| info.lines.first()) {
            Some(line) => self.say(format!("So far: {}", self.hint_row(line).trim_start())),
            None => self.say("Nothing is found yet"),
        }
    }

    /// The best moves that the book has scores for, at most so many.
    fn book_moves(&mut self, count: usize) -> io::Result<Vec<(BookLine, Score)>> {
        let board = self.setup.table.position().board;
        let found = match self.library.moves(board) {
            Ok(found) => found,
            Err(damage) => {
                self.say(damage)?;
                Vec::new()
            }
        };
        let scored = found.into_iter().filter_map(|line| line.score.map(|score| (line, score)));
        Ok(scored.take(count).collect())
    }

    /// Tells now and then where the search for a hint is.
    pub(super) fn hint_progress(&mut self, info: &Info, now: Instant) -> io::Result<()> {
        let due = |told: Instant| now.saturating_duration_since(told) >= TELL_EVERY;
        let (Some(line), Some(thinking)) = (info.lines.first(), &mut self.thinking) else { return Ok(()) };
        if !self.setup.is_interactive || !due(thinking.told) {
            return Ok(());
        }
        thinking.told = now;
        self.say(format!("  \u{2026} {}", self.hint_row(line).trim_start()))?;
        self.out.flush()
    }

    /// Tells what a search for a hint has found; its score goes to the bar unless the book has told one.
    pub(super) fn end_hint(&mut self, result: &SearchResult, after_book: bool) -> io::Result<()> {
        for line in &result.info.lines {
            self.say(self.hint_row(line))?;
        }
        if let Some(best) = result.info.lines.first().filter(|_| !after_book) {
            self.note_score(best);
        }
        Ok(())
    }

    fn hint_row(&self, line: &Line) -> String {
        self.row(&score_of(line), &line.pv, &known(line))
    }

    fn row(&self, score: &str, line: &[Move], known: &str) -> String {
        let room = |columns: usize| columns.saturating_sub(COLUMNS.0) / COLUMNS.1;
        let fits = (self.setup.columns)().map_or(LINE_LEN.1, room).clamp(LINE_LEN.0, LINE_LEN.1);
        let moves: Vec<String> = line.iter().take(fits).map(|mv| mv.in_words()).collect();
        format!("{score:>6}  {}  ({known})", moves.join(" "))
    }
}
