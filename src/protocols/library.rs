//! The book of a session: its moves, and the games that it learns.

use crate::board::{Board, Game};
use crate::book::BookError;
use crate::engine::{
    BookLine, BookOptions, Choice, LearnError, Learned, Opening, choose_move, vary_move,
};
use crate::search::{SearchResult, Task};
use crate::util::refusal::Refusal;

/// The games that a session adds to its book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Learn {
    /// Those of NBoard's `learn`.
    #[default]
    Asked,
    /// Those, and every game that ends.
    Games,
}

/// The optional book of a session.
#[derive(Debug, Default)]
pub struct Library {
    opening: Option<Opening>,
    /// A missing file, which the first learned game makes.
    to_make: Option<BookOptions>,
    /// Why the session plays without a requested book.
    notice: Option<String>,
    learn: Learn,
    /// Games so far, and the moves of the last one at the last choice: persons play each game differently.
    games: u64,
    moves: usize,
    /// The book has the game of the session, or the game was over when it was set up.
    is_counted: bool,
}

impl Library {
    pub fn new(opening: Option<Opening>, learn: Learn) -> Self {
        Self {
            opening,
            learn,
            ..Self::default()
        }
    }

    /// Opens a book. The first learned game makes a missing file; an unreadable file stays unchanged. Both leave the session
    /// without a book, and [`Library::notice`] says why.
    pub fn open(options: Option<BookOptions>, learn: Learn) -> Self {
        let mut library = Self::new(None, learn);
        let Some(options) = options else {
            return library;
        };
        match (Opening::open(&options), &options.path) {
            (Ok(opening), _) => library.opening = Some(opening),
            (Err(error), Some(path)) if error.is_not_found() => {
                let path = path.display();
                library.notice = Some(format!(
                    "No book at {path} yet: the first learned game makes it"
                ));
                library.to_make = Some(options);
            }
            (Err(error), _) => library.notice = Some(format!("Playing without the book: {error}")),
        }
        library
    }

    /// Why the session plays without a requested book.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// The book's move at the end of `game`, or the search for a move, as [`choose_move`].
    ///
    /// # Errors
    /// When the book is damaged; it is then closed.
    pub fn choose(&mut self, game: &Game, task: Task) -> Result<Choice, Refusal> {
        self.games += u64::from(game.moves().len() < self.moves);
        self.moves = game.moves().len();
        let handicap = task.handicap.map(|handicap| handicap.of_game(self.games));
        let task = Task { handicap, ..task };
        let choice = choose_move(self.opening.as_mut(), game, task);
        self.closed_by_errors(choice)
    }

    /// As [`Library::choose`], with a warning in the log for a damaged book.
    pub fn choose_or_search(&mut self, game: &Game, task: Task) -> Choice {
        self.choose(game, task).unwrap_or_else(|damage| {
            log::warn!("{damage}");
            Choice::Search(task)
        })
    }

    /// Varies the result of a search for a move, as [`vary_move`].
    pub fn vary(&mut self, task: &Task, result: &mut SearchResult) {
        vary_move(self.opening.as_mut(), task, result);
    }

    /// The book's moves, as [`Opening::moves`].
    pub fn moves(&mut self, board: Board) -> Result<Vec<BookLine>, Refusal> {
        let Some(opening) = &self.opening else {
            return Ok(Vec::new());
        };
        let moves = opening.moves(board);
        self.closed_by_errors(moves)
    }

    fn closed_by_errors<T>(&mut self, result: Result<T, BookError>) -> Result<T, Refusal> {
        result.map_err(|error| {
            self.opening = None;
            self.notice
                .insert(format!("Playing without the book: {error}"))
                .as_str()
                .into()
        })
    }

    /// Adds a game, and makes a missing book.
    ///
    /// # Errors
    /// As [`Opening::learn`], and without a book.
    pub fn learn(&mut self, game: &Game) -> Result<Learned, LearnError> {
        if let Some(options) = &self.to_make {
            if !game.is_over() {
                return Err(LearnError::Unfinished);
            }
            self.opening = Some(Opening::make(options).map_err(LearnError::Book)?);
            (self.to_make, self.notice) = (None, None);
        }
        match &mut self.opening {
            Some(opening) => opening.learn(game),
            None => Err(LearnError::NoBook(self.notice.clone())),
        }
    }

    /// The session sets up a game.
    pub fn set_up(&mut self, game: &Game) {
        self.is_counted = game.is_over();
    }

    /// The session has made a move: learns a game that is over, once, if the options say so.
    pub fn moved(&mut self, game: &Game) {
        if self.learn == Learn::Asked || self.is_counted || !game.is_over() {
            return;
        }
        self.is_counted = true;
        if let Err(error) = self.learn(game) {
            log::warn!("the game was not learned: {error}");
            if matches!(error, LearnError::NoBook(_)) {
                // One warning is enough.
                self.learn = Learn::Asked;
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::book::policy::Policy;
    use crate::book::{Book, BookEditor};
    use crate::engine::BookOptions;
    use crate::search::Limits;
    use tempfile::TempDir;

    /// An empty book in a temporary folder.
    pub struct TempBook(TempDir);

    impl TempBook {
        pub fn new() -> Self {
            let book = Self(TempDir::new().unwrap());
            drop(BookEditor::open(&book.path()).unwrap());
            book
        }

        fn path(&self) -> PathBuf {
            self.0.path().join("test.book")
        }

        pub fn library(&self, learn: Learn) -> Library {
            Library::new(Some(self.opening(Policy::Best)), learn)
        }

        pub fn opening(&self, policy: Policy) -> Opening {
            Opening::open(&BookOptions {
                path: Some(self.path()),
                policy,
                seed: 1,
            })
            .unwrap()
        }

        pub fn games(&self) -> u64 {
            Book::open(&self.path()).unwrap().games()
        }
    }

    /// A game of nine moves.
    pub fn short_game() -> Game {
        let mut game = Game::default();
        for name in ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"] {
            game.play_square(name.parse().unwrap()).unwrap();
        }
        game
    }

    #[test]
    fn the_first_learned_game_makes_a_missing_book() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("new.book");
        let options = BookOptions {
            path: Some(path.clone()),
            policy: Policy::Best,
            seed: 1,
        };
        let mut library = Library::open(Some(options), Learn::Asked);
        assert!(
            library
                .notice()
                .is_some_and(|text| text.contains("new.book")),
            "{:?}",
            library.notice()
        );
        let task = Task::new(Board::START, Limits::depth(1));
        assert_eq!(
            library.choose(&Game::default(), task),
            Ok(Choice::Search(task))
        );
        assert!(matches!(
            library.learn(&Game::default()),
            Err(LearnError::Unfinished)
        ));
        assert!(!path.exists(), "nothing was learned");
        assert_eq!(
            library.learn(&short_game()).unwrap(),
            Learned {
                is_new: true,
                games: 1
            }
        );
        assert_eq!(
            library.learn(&short_game()).unwrap(),
            Learned {
                is_new: false,
                games: 1
            }
        );
        assert_eq!(
            (library.notice(), Book::open(&path).unwrap().games()),
            (None, 1)
        );
    }

    #[test]
    fn a_bad_book_stays_unchanged() {
        let folder = TempDir::new().unwrap();
        let text = folder.path().join("text");
        std::fs::write(&text, "no book").unwrap();
        for path in [&text, &folder.path().to_owned()] {
            let options = BookOptions {
                path: Some(path.clone()),
                policy: Policy::Best,
                seed: 1,
            };
            let mut library = Library::open(Some(options), Learn::Asked);
            assert!(
                library
                    .notice()
                    .is_some_and(|text| text.starts_with("Playing without the book: "))
            );
            assert!(matches!(
                library.learn(&short_game()),
                Err(LearnError::NoBook(Some(_)))
            ));
        }
        assert_eq!(std::fs::read(&text).unwrap(), b"no book");
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "nothing was made"
        );
    }
}
