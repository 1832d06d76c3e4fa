//! A book that learns the games of a match. It is held only for a game at a time, so that players may read and others
//! write: while another process holds it the games wait, and what a killed match did not teach is taught on `--resume`.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::book::{BookEditor, BookError, LearnedGame, Record};
use crate::notation::ggf::GgfGame;
use crate::notation::ggf_record;
use crate::tournament::matches::runner::Finished;

/// How long to wait for the book at the end of the match.
const PATIENCE: Duration = Duration::from_secs(30);

/// The book and the games that it is still to learn.
pub struct BookLearner<'a> {
    path: &'a Path,
    waiting: Vec<Record>,
}

impl<'a> BookLearner<'a> {
    /// Makes the book if there is none; `lines` are those of the game file that is resumed.
    ///
    /// # Errors
    /// When the book cannot be read or written, but for one that another process holds.
    pub fn begin(path: &'a Path, lines: &str) -> Result<Self> {
        let mut learner = Self { path, waiting: Vec::new() };
        learner.teach()?;
        // A game given again counts once, so those that were taught need not be known.
        learner.waiting = games_of(lines)?.into_iter().map(Record::Game).collect();
        learner.teach()?;
        Ok(learner)
    }

    /// Teaches a game, now or when the book is free.
    ///
    /// # Errors
    /// As [`BookLearner::begin`].
    pub fn note(&mut self, finished: &Finished) -> Result<()> {
        let game = LearnedGame::of_result(&finished.outcome.game, finished.outcome.result());
        self.waiting.extend(game.map(Record::Game));
        self.teach()
    }

    /// Teaches what still waits.
    ///
    /// # Errors
    /// As [`BookLearner::begin`], and when the book is held all the time.
    pub fn finish(mut self) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while !self.waiting.is_empty() {
            self.teach()?;
            let count = self.waiting.len();
            if count > 0 && Instant::now() > deadline {
                let path = self.path.display();
                bail!("{count} games were not taught: another process holds {path}; --resume teaches them");
            }
            thread::sleep(Duration::from_millis(if count > 0 { 100 } else { 0 }));
        }
        Ok(())
    }

    fn teach(&mut self) -> Result<()> {
        let mut book = match BookEditor::open(self.path) {
            Err(BookError::Locked { .. }) => return Ok(()),
            book => book?,
        };
        if !self.waiting.is_empty() {
            book.learn(&self.waiting)?;
            book.sync()?;
            self.waiting.clear();
        }
        Ok(())
    }
}

/// What a book learns of the games of a game file.
fn games_of(lines: &str) -> Result<Vec<LearnedGame>> {
    let mut games = Vec::new();
    for line in lines.lines() {
        let record = ggf_record(&GgfGame::parse(line).context("a game of the match")?);
        games.extend(LearnedGame::of_result(&record.game, record.result()));
    }
    Ok(games)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Book;
    use tempfile::TempDir;

    fn line(moves: &str, result: &str, end: &str) -> String {
        format!(
            "(;GM[Othello]PB[a]PW[b]RE[{result}]CO[match x=1; game 0; plies 0; end {end}]TY[8]BO[8 \
             ---------------------------O*------*O--------------------------- *]{moves};)\n"
        )
    }

    fn lines() -> String {
        line("B[f5]W[d6]", "+12.00", "adjudicated")
            + &line("B[f5]W[f6]", "-64.00:t", "time white")
            + &line("B[f5]W[f4]", "-6.00", "adjudicated")
            + &line("B[d3]W[c3]", "+2.00", "adjudicated")
    }

    #[test]
    fn what_a_killed_match_did_not_teach_is_taught() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("m.book");
        let games = || Book::open(&path).unwrap().games();
        let all = lines();
        let first: String = all.lines().take(1).map(|line| line.to_owned() + "\n").collect();
        // Killed between the first game's line and its lesson, then after two more games.
        BookLearner::begin(&path, &first).unwrap().finish().unwrap();
        assert_eq!(games(), 1);
        BookLearner::begin(&path, &first).unwrap().finish().unwrap();
        assert_eq!(games(), 1, "nothing is taught twice");
        BookLearner::begin(&path, &all).unwrap().finish().unwrap();
        assert_eq!(games(), 3, "a game that was lost on time teaches nothing");
        // Folded into the book, whole or but for its last game, nothing is taught twice and nothing missed.
        BookEditor::open(&path).unwrap().fold().unwrap();
        let more = all + &line("B[f5]W[d6]B[c5]", "-2.00", "adjudicated");
        for _ in 0..2 {
            BookLearner::begin(&path, &more).unwrap().finish().unwrap();
            assert_eq!(games(), 4);
        }
    }

    #[test]
    fn games_wait_while_another_process_holds_the_book() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("m.book");
        drop(BookLearner::begin(&path, "").unwrap());
        let held = BookEditor::open(&path).unwrap();
        let mut learner = BookLearner::begin(&path, &lines()).unwrap();
        assert_eq!(learner.waiting.len(), 3);
        learner.teach().unwrap();
        assert_eq!(learner.waiting.len(), 3);
        drop(held);
        learner.finish().unwrap();
        assert_eq!(Book::open(&path).unwrap().games(), 3);
    }
}
