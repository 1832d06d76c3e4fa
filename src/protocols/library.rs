//! The book of a session: played from, taught, and studied while nobody asks for anything.

use std::fmt;
use std::str::FromStr;

use super::driver::Thinker;
use crate::board::{Board, Game};
use crate::book::{BookError, BookKey, USUAL_LEVEL};
use crate::engine::{BookLine, Job, JobId, LearnError, Opening, Outcome};
use crate::search::{Limits, SearchResult, Task};

/// What a session adds to its book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Learn {
    /// What the client says: NBoard's `learn`.
    #[default]
    Asked,
    /// Every game that ends as well.
    Games,
    /// And searches of what the games reached, while nobody asks for anything.
    Idle,
}

/// A book, or none, in a session.
#[derive(Debug, Default)]
pub struct Library {
    opening: Option<Opening>,
    learn: Learn,
    /// The search that runs because there is nothing else to do.
    study: Option<(JobId, BookKey)>,
    /// The game of the session is in the book, or was over when it was set up.
    is_counted: bool,
}

impl Library {
    /// This book, if there is one.
    pub fn new(opening: Option<Opening>, learn: Learn) -> Self {
        Self { opening, learn, study: None, is_counted: false }
    }

    /// The move to play on `board`, where the game has led, without a search, or `None` where the book ends.
    ///
    /// # Errors
    /// When the book is damaged: it is then closed, and this is told once.
    pub fn choose(&mut self, game: &Game, board: Board) -> Result<Option<BookLine>, BookError> {
        let Some(opening) = &mut self.opening else { return Ok(None) };
        let choice = opening.choose_in(game, board);
        self.closed_by_errors(choice)
    }

    /// How many of the best moves a search for the move to play should compare, as [`Opening::search_lines`].
    pub fn search_lines(&mut self, board: Board) -> usize {
        self.opening.as_mut().map_or(1, |opening| opening.search_lines(board))
    }

    /// Draws the move to play from what such a search found, as [`Opening::draw`].
    pub fn draw(&mut self, board: Board, result: &mut SearchResult) {
        if let Some(opening) = &mut self.opening {
            opening.draw(board, result);
        }
    }

    /// The book's moves, as [`Opening::moves`].
    ///
    /// # Errors
    /// As [`Library::choose`].
    pub fn moves(&mut self, board: Board) -> Result<Vec<BookLine>, BookError> {
        let Some(opening) = &self.opening else { return Ok(Vec::new()) };
        let moves = opening.moves(board);
        self.closed_by_errors(moves)
    }

    fn closed_by_errors<T>(&mut self, result: Result<T, BookError>) -> Result<T, BookError> {
        if result.is_err() {
            self.opening = None;
        }
        result
    }

    /// Adds a game; `None` where there is no book.
    pub fn learn(&mut self, game: &Game) -> Option<Result<(), LearnError>> {
        self.opening.as_mut().map(|opening| opening.learn(game))
    }

    /// The session begins another game, or sets this one up.
    pub fn begin(&mut self, game: &Game) {
        self.is_counted = game.is_over();
    }

    /// A move of the session's game was made: at its end the game is added, once, if that was asked for.
    pub fn moved(&mut self, game: &Game) {
        if self.learn == Learn::Asked || self.is_counted || !game.is_over() {
            return;
        }
        self.is_counted = true;
        if let Some(Err(error)) = self.learn(game) {
            log::warn!("the game was not learned: {error}");
        }
    }

    /// Nobody asks for anything: searches the most popular position that games taught and nothing searched.
    pub fn study(&mut self, engine: &mut impl Thinker) {
        if self.learn < Learn::Idle || self.study.is_some() {
            return;
        }
        let next = self.opening.as_ref().and_then(Opening::unsearched);
        if let Some((key, board)) = next {
            let task = Task::new(board, Limits::depth(USUAL_LEVEL.depth));
            self.study = Some((engine.start(Job::Search(task)), key));
        }
    }

    /// The client has said something: what it wants comes first.
    pub fn interrupt(&mut self, engine: &mut impl Thinker) {
        if self.study.take().is_some() {
            engine.stop();
        }
    }

    /// Takes in what a study found, if the job was one that was not interrupted.
    pub fn finished(&mut self, job: JobId, outcome: &Outcome) {
        let Some((_, key)) = self.study.take_if(|(study, _)| *study == job) else { return };
        let (Some(opening), Outcome::Searched(result)) = (&mut self.opening, outcome) else { return };
        if let Err(error) = opening.absorb(key, &result.info) {
            log::warn!("nothing more is studied: {error}");
            self.learn = Learn::Games;
        }
    }
}

impl FromStr for Learn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "asked" => Ok(Self::Asked),
            "games" => Ok(Self::Games),
            "idle" => Ok(Self::Idle),
            _ => Err("expected asked, games or idle".into()),
        }
    }
}

impl fmt::Display for Learn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Asked => "asked",
            Self::Games => "games",
            Self::Idle => "idle",
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::book::policy::Policy;
    use crate::book::{Book, Found};
    use crate::engine::BookOptions;
    use crate::util::folder::Folder;

    /// An empty book in a folder that goes away with it.
    pub struct Shelf(Folder);

    impl Shelf {
        pub fn new(name: &str) -> Self {
            let shelf = Self(Folder::new(name));
            drop(Book::edit(&shelf.path()).unwrap());
            shelf
        }

        fn path(&self) -> PathBuf {
            self.0.0.join("test.book")
        }

        pub fn library(&self, learn: Learn) -> Library {
            Library::new(Some(self.opening(Policy::Best)), learn)
        }

        pub fn opening(&self, policy: Policy) -> Opening {
            Opening::open(&BookOptions { path: self.path(), policy, seed: 1 }).unwrap()
        }

        pub fn games(&self) -> u64 {
            Book::open(&self.path()).unwrap().games()
        }

        pub fn found(&self, board: Board) -> Option<Found> {
            Book::open(&self.path()).unwrap().probe(board).unwrap()
        }
    }

    #[test]
    fn kinds_of_learning_are_read_back() {
        for learn in [Learn::Asked, Learn::Games, Learn::Idle] {
            assert_eq!(learn.to_string().parse(), Ok(learn));
        }
        assert!("off".parse::<Learn>().unwrap_err().contains("asked"));
    }
}
