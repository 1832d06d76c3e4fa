//! Hints: the book's moves first, then a search that prints its progress.

use std::io;
use std::time::{Duration, Instant};

use super::state::{Play, Purpose};
use crate::analysis::find;
use crate::analysis::words::{depth_in_words, known_in_words, score_of};
use crate::board::{Move, Position, Score, SquareSet};
use crate::engine::BookLine;
use crate::engine::people::Rating;
use crate::search::{Clock, Info, Line, SearchResult, Task};

/// Moves of a line on a narrow and on a wide terminal.
const LINE_LEN: (usize, usize) = (3, 10);
/// Columns of a hint without its moves, and of a move.
const COLUMNS: (usize, usize) = (34, 3);
/// The interval between lines of progress.
const SHOW_EVERY: Duration = Duration::from_secs(1);

impl Play {
    /// Prints the book's best moves, and searches for the rest of `count`.
    pub(super) fn begin_hint(&mut self, count: usize, now: Instant) -> io::Result<()> {
        let board = self.position().board;
        let book = self.book_moves(count)?;
        for (line, score) in &book {
            let known = match line.level {
                Some(level) if level.origin.is_some() => format!("book, {level}"),
                Some(level) if level.exact => "book, proven".into(),
                Some(level) => format!(
                    "book, {}",
                    depth_in_words(level.depth, level.percent.into())
                ),
                None => "book".to_owned(),
            };
            self.say(self.row(&score.to_string(), &line.pv, &known))?;
        }
        let known = book.iter().filter_map(|(line, _)| line.pv[0].square());
        let left = board.moves() & !known.collect::<SquareSet>();
        let wanted = count
            .saturating_sub(book.len())
            .min(left.len().max(1) as usize);
        let of_book: Vec<(Move, f64)> = book
            .iter()
            .map(|(line, score)| (line.pv[0], score.discs()))
            .collect();
        if wanted == 0 || left.is_empty() && !book.is_empty() {
            return self.say_trap(of_book);
        }
        let level = self.judging_level();
        if self.setup.is_interactive {
            self.say(format!("Thinking at level {level}; an empty line ends it"))?;
        }
        let limits = level.limits(Clock::Unlimited);
        let task = Task {
            multi_pv: wanted,
            allowed: left,
            ..Task::new(board, limits)
        };
        self.start(task, Purpose::Hint(of_book), now);
        Ok(())
    }

    /// Prints the line so far of a search for a move.
    pub(super) fn hint_so_far(&mut self) -> io::Result<()> {
        let so_far = self
            .thinking
            .as_ref()
            .and_then(|thinking| thinking.so_far.clone());
        match so_far.as_ref().and_then(|info| info.lines.first()) {
            Some(line) => self.say(format!("So far: {}", self.hint_row(line).trim_start())),
            None => self.say("No result yet"),
        }
    }

    /// At most `count` best moves with scores in the book.
    fn book_moves(&mut self, count: usize) -> io::Result<Vec<(BookLine, Score)>> {
        let found = match self.library.moves(self.position().board) {
            Ok(found) => found,
            Err(damage) => {
                self.say(damage)?;
                Vec::new()
            }
        };
        let scored = found
            .into_iter()
            .filter_map(|line| line.score.map(|score| (line, score)));
        Ok(scored.take(count).collect())
    }

    pub(super) fn hint_progress(&mut self, info: &Info, now: Instant) -> io::Result<()> {
        let is_due = |shown_at: Instant| now.saturating_duration_since(shown_at) >= SHOW_EVERY;
        let (Some(line), Some(thinking)) = (info.lines.first(), &mut self.thinking) else {
            return Ok(());
        };
        if !self.setup.is_interactive || !is_due(thinking.shown_at) {
            return Ok(());
        }
        thinking.shown_at = now;
        self.say(format!("  \u{2026} {}", self.hint_row(line).trim_start()))?;
        self.out.flush()
    }

    /// Prints the result of a hint; `of_book` are the moves that the book has.
    pub(super) fn end_hint(
        &mut self,
        result: &SearchResult,
        of_book: Vec<(Move, f64)>,
    ) -> io::Result<()> {
        let lines = &result.info.lines;
        lines
            .iter()
            .try_for_each(|line| self.say(self.hint_row(line)))?;
        let searched = lines
            .iter()
            .filter_map(|line| Some((line.pv[0], line.discs()?)));
        self.say_trap(of_book.into_iter().chain(searched).collect())
    }

    /// Names the trap among the moves of a hint, if a person plays the other side.
    fn say_trap(&mut self, mut scored: Vec<(Move, f64)>) -> io::Result<()> {
        let person = self.setup.handicap.and_then(|handicap| handicap.person);
        let (Some(traps), Some(person)) = (&self.setup.traps, person) else {
            return Ok(());
        };
        let Position { board, side } = self.position();
        if self.is_human(side.other()) {
            return Ok(());
        }
        let Ok(rating) = Rating::new("person", person.rating.into()) else {
            return Ok(());
        };
        scored.sort_by(|a, b| b.1.total_cmp(&a.1));
        let trap = find::best_trap(board, &traps.evaluator, (rating, traps.most), &scored);
        trap.map_or(Ok(()), |trap| {
            let language = self.setup.language;
            self.say(find::trap_in_words(&trap, person.rating, language))
        })
    }

    fn hint_row(&self, line: &Line) -> String {
        self.row(&score_of(line), &line.pv, &known_in_words(line))
    }

    fn row(&self, score: &str, line: &[Move], known: &str) -> String {
        let room = |columns: usize| columns.saturating_sub(COLUMNS.0) / COLUMNS.1;
        let fits = (self.setup.columns)()
            .map_or(LINE_LEN.1, room)
            .clamp(LINE_LEN.0, LINE_LEN.1);
        let moves: Vec<String> = line.iter().take(fits).map(|mv| mv.in_words()).collect();
        format!("{score:>6}  {}  ({known})", moves.join(" "))
    }
}
