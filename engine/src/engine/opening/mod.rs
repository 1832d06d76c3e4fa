//! The opening book in play: the one way to choose a move for sessions, play in the terminal and matches; book moves
//! for hints; and learning games.

mod variety;

use std::path::{Path, PathBuf};

use variety::Variety;

use crate::board::{Board, Game, Move, Score, Square, SquareSet};
use crate::book::policy::Policy;
use crate::book::{
    Answer, Book, BookEditor, BookError, BookKey, BookMove, Found, Games, LearnedGame, Record,
    SearchLevel, Value, representative,
};
use crate::search::{Info, Proof, SearchResult, Task};
use crate::util::os::folders::data_folders;
use crate::util::rng::Rng;

/// The longest book line, in moves.
const PV_MOVES: usize = 20;

/// The book to play from, and the choice of moves.
#[derive(Clone, Debug, PartialEq)]
pub struct BookOptions {
    /// The file; `None` for the small book inside the program.
    pub path: Option<PathBuf>,
    /// The choice of moves.
    pub policy: Policy,
    /// Random choices depend only on this and on the order of the questions.
    pub seed: u64,
}

/// An open book for play.
#[derive(Debug)]
pub struct Opening {
    book: Book,
    policy: Policy,
    rng: Rng,
    /// For [`Policy::Within`].
    variety: Option<Variety>,
}

/// A book move.
#[derive(Clone, Debug, PartialEq)]
pub struct BookLine {
    /// The move and the book's best line after it.
    pub pv: Vec<Move>,
    /// Its score for the side to move; `None` if only games contain the move.
    pub score: Option<Score>,
    /// Games in which it was played.
    pub games: Games,
    /// The search behind the score, at the end of the line; `None` without a search.
    pub level: Option<SearchLevel>,
}

/// The value of a position in a book, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BookValue {
    /// Value and bounds; `None` if only games contain the position.
    pub value: Option<Value>,
    /// Depth of the search of the position, 0 without a search.
    pub depth: u8,
    /// Games with a move from it.
    pub games: u64,
    /// The best move that has a score.
    pub best: Option<Square>,
}

/// The outcome of learning a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Learned {
    /// Whether the book did not count it before.
    pub is_new: bool,
    /// Games that the book counts now.
    pub games: u64,
}

/// Why a game was not learned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// No book, or the reason that it was not opened.
    #[error("{}", .0.as_deref().unwrap_or("there is no book"))]
    NoBook(Option<String>),
    /// The game is unfinished.
    #[error("the game goes on")]
    Unfinished,
    /// The book could not be read or written.
    #[error(transparent)]
    Book(#[from] BookError),
}

impl Opening {
    /// Opens the book.
    ///
    /// # Errors
    /// When it does not exist or is damaged.
    pub fn open(options: &BookOptions) -> Result<Self, BookError> {
        let variety = match options.policy {
            Policy::Within(discs) => Some(Variety::new(discs)),
            _ => None,
        };
        let book = options
            .path
            .as_deref()
            .map_or_else(Book::inside, Book::open)?;
        Ok(Self {
            book,
            policy: options.policy,
            rng: Rng::new(options.seed),
            variety,
        })
    }

    /// As [`Book::checksum`].
    pub fn checksum(&self) -> Result<u32, BookError> {
        self.book.checksum()
    }

    /// Makes an empty book and opens it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn make(options: &BookOptions) -> Result<Self, BookError> {
        drop(BookEditor::open(
            options.path.as_deref().ok_or(BookError::Inside)?,
        )?);
        Self::open(options)
    }

    /// The book, for reading.
    pub fn book(&self) -> &Book {
        &self.book
    }

    /// The book move to play after `game`, on `board`; `None` at the end of the book.
    fn choose(&mut self, game: &Game, board: Board) -> Result<Option<BookLine>, BookError> {
        if let Some(variety) = &mut self.variety {
            variety.look(game);
        }
        let Some(found) = self.found(board)? else {
            return Ok(None);
        };
        let choice = match &mut self.variety {
            Some(variety) => variety.choose(board, &found.entry, &mut self.rng),
            None => self.policy.choose(&found.entry, &mut self.rng),
        };
        choice.map(|mv| self.line(board, &found, &mv)).transpose()
    }

    /// The book's moves: the best first, then moves without a score, the most played first.
    ///
    /// # Errors
    /// As [`choose_move`].
    pub fn moves(&self, board: Board) -> Result<Vec<BookLine>, BookError> {
        let Some(found) = self.found(board)? else {
            return Ok(Vec::new());
        };
        let mut moves = found.entry.moves.clone();
        // A look is no score to play by.
        moves
            .iter_mut()
            .for_each(|mv| mv.score = mv.score.filter(|_| mv.known().is_some()));
        moves.retain(|mv| mv.games.count() > 0 || mv.score.is_some());
        moves.sort_by_key(BookMove::rank);
        let mut lines = Vec::with_capacity(moves.len());
        for mv in &moves {
            let line = self.line(board, &found, mv)?;
            // A book keeps one of the moves that the position's symmetry makes equal.
            let mut told = 0;
            for symmetry in board.own_symmetries() {
                let bit = symmetry.apply_square(mv.square).bit();
                if told & bit == 0 {
                    let pv = line.pv.iter().map(|mv| mv.mapped(symmetry)).collect();
                    lines.push(BookLine { pv, ..line });
                }
                told |= bit;
            }
        }
        Ok(lines)
    }

    /// The value of a position; `None` if the book does not have it. If the side to move must pass, the value of the
    /// next position.
    ///
    /// # Errors
    /// As [`choose_move`].
    pub fn value(&self, board: Board) -> Result<Option<BookValue>, BookError> {
        Ok(self
            .book
            .probe(board)?
            .map(|Found { entry, passed }| BookValue {
                value: entry
                    .value
                    .map(|value| if passed { value.turned() } else { value }),
                depth: entry.searched.map_or(0, |searched| searched.level.depth),
                games: entry.games().count(),
                best: entry.best().filter(|_| !passed).map(|best| best.square),
            }))
    }

    /// Adds a finished game, unless the book has it, and waits for the disk.
    ///
    /// The lock of the book lasts only for the call, so that several engines may learn in turn.
    ///
    /// # Errors
    /// When the game is unfinished, another process is writing to the book, or it cannot be written.
    pub fn learn(&mut self, game: &Game) -> Result<Learned, LearnError> {
        let learned = LearnedGame::of(game).ok_or(LearnError::Unfinished)?;
        if self.book.base().is_inside() {
            return Err(BookError::Inside.into());
        }
        let path = self.book.path().to_owned();
        let mut writer = BookEditor::open(&path)?;
        let new = writer.learn(&[Record::Game(learned)])?;
        writer.sync()?;
        drop(writer);
        self.book = Book::open(&path)?;
        Ok(Learned {
            is_new: new > 0,
            games: self.book.games(),
        })
    }

    /// The entry of a position, unless the side to move must pass.
    fn found(&self, board: Board) -> Result<Option<Found>, BookError> {
        Ok(self.book.probe(board)?.filter(|found| !found.passed))
    }

    fn line(&self, board: Board, found: &Found, mv: &BookMove) -> Result<BookLine, BookError> {
        let mut pv = vec![Move::Place(mv.square)];
        let mut board = board.play(mv.square).filter(|_| mv.is_linked());
        let mut level = found.entry.searched.map(|searched| searched.level);
        while let Some(here) = board.filter(|here| pv.len() < PV_MOVES && !here.is_over()) {
            if here.moves().is_empty() {
                pv.push(Move::Pass);
                board = Some(here.pass());
                continue;
            }
            let Some(Found { entry, .. }) = self.book.probe(here)? else {
                break;
            };
            // An exact search proves only its own position.
            let deeper = entry.searched.map(|searched| SearchLevel {
                exact: false,
                ..searched.level
            });
            level = deeper.or(level);
            let Some(best) = entry.best() else { break };
            pv.push(Move::Place(best.square));
            board = here.play(best.square);
        }
        Ok(BookLine {
            pv,
            score: mv.known(),
            games: mv.games,
            level,
        })
    }
}

/// The source of the move to play.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// The book.
    Book(BookLine),
    /// A search, whose result goes to [`vary_move`].
    Search(Task),
}

/// Chooses a move after `game`, on `task.board`; `task` limits the search after the end of the book.
///
/// # Errors
/// When the part of the book with the answer is damaged.
pub fn choose_move(
    opening: Option<&mut Opening>,
    game: &Game,
    task: Task,
) -> Result<Choice, BookError> {
    // A person knows no book but the games of people, which the model counts.
    let handicap = task
        .handicap
        .map(|handicap| handicap.after(game.moves().last()));
    let task = Task { handicap, ..task };
    let is_person = handicap.is_some_and(|handicap| handicap.person.is_some());
    let Some(opening) = opening.filter(|_| !is_person) else {
        return Ok(Choice::Search(task));
    };
    let is_allowed = |line: &BookLine| {
        line.pv[0]
            .square()
            .is_none_or(|square| task.allowed.contains(square))
    };
    if let Some(line) = opening.choose(game, task.board)?.filter(is_allowed) {
        return Ok(Choice::Book(line));
    }
    // Weak play varies by its oversights.
    let variety = opening.variety.as_ref().filter(|_| task.handicap.is_none());
    let multi_pv = variety.map_or(1, |variety| variety.search_lines(task.board));
    Ok(Choice::Search(Task { multi_pv, ..task }))
}

/// Makes the move to play the best line, after the search of a [`Choice`].
pub fn vary_move(opening: Option<&mut Opening>, task: &Task, result: &mut SearchResult) {
    if let Some(Opening {
        variety: Some(variety),
        rng,
        ..
    }) = opening.filter(|_| task.multi_pv > 1)
    {
        variety.draw(task.board, result, rng);
    }
}

/// The answer of a search of a book position without the moves `avoid`.
pub fn answer_of(key: BookKey, avoid: SquareSet, info: &Info) -> Answer {
    let board = key
        .board()
        .expect("the key of a position that was searched");
    let line = info
        .lines
        .first()
        .expect("a position with moves has a line");
    let own = SearchLevel::own(line.depth, line.selectivity.percent() as u8);
    let level = SearchLevel {
        exact: line.proof == Proof::Exact,
        ..own
    };
    let moves = info.lines.iter().filter_map(|line| match line.pv.first() {
        Some(Move::Place(square)) => Some((representative(board, *square), line.bound)),
        _ => None,
    });
    Answer {
        key,
        level,
        avoid,
        moves: moves.collect(),
    }
}

/// The full book, from the first place that has it: see [`shipped`].
pub fn shipped_book() -> Option<PathBuf> {
    shipped("emilia.book")
}

/// A file that comes with the program, from the first place that has it: the program's folder, `books` in that folder or
/// in its parent (the archive's `builds`), `books` of the folder of a build, the shared files of an installation (for
/// programs in `bin` and `lib/emilia`), the folder around the archive's `builds`, or the system's folders for data.
pub fn shipped(name: &str) -> Option<PathBuf> {
    let program = std::env::current_exe().ok();
    // The number of folders above the program's folder.
    let nearby = [
        (0, "."),
        (0, "books"),
        (1, "books"),
        (2, "books"),
        (1, "share/emilia"),
        (2, "share/emilia"),
    ];
    let folder = program.as_deref().and_then(Path::parent);
    let beside = nearby
        .iter()
        .filter_map(|(up, part)| Some(folder?.ancestors().nth(*up)?.join(part)));
    let is_build = |folder: &&Path| folder.ends_with("builds");
    let around = folder.filter(is_build).and_then(Path::parent);
    let data = data_folders(|name| std::env::var_os(name)).into_iter();
    let folders = beside
        .chain(around.map(Path::to_owned))
        .chain(data.map(|folder| folder.join("emilia")));
    folders
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Color;
    use crate::book::USUAL_LEVEL;
    use crate::book::testing::{played, scored};
    use crate::search::{Handicap, Limits};
    use tempfile::TempDir;

    /// A book of the start and f5, whose games are to come.
    fn small_book() -> (TempDir, Opening) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("small.book");
        let mut book = BookEditor::open(&path).unwrap();
        for (moves, answer, score) in [("", "f5", 10), ("f5", "d6", -10), ("f5d6", "c3", 30)] {
            let answer = scored(
                played(moves).position().board,
                [(answer.parse().unwrap(), score)],
            );
            book.learn(&[Record::Answer(answer)]).unwrap();
        }
        book.fold().unwrap();
        drop(book);
        let opening = Opening::open(&BookOptions {
            path: Some(path),
            policy: Policy::Best,
            seed: 1,
        })
        .unwrap();
        (folder, opening)
    }

    #[test]
    fn a_book_move_comes_with_its_line_and_value() {
        let (_folder, mut opening) = small_book();
        let mut game = Game::default();
        let line = opening.choose(&game, Board::START).unwrap().unwrap();
        assert_eq!(line.pv.len(), 3);
        assert_eq!(
            (line.score, line.games.count(), line.level),
            (Some(Score::from_units(30)), 0, Some(USUAL_LEVEL))
        );
        line.pv.iter().for_each(|&mv| game.play(mv).unwrap());
        let board = game.position().board;
        assert_eq!(opening.choose(&game, board).unwrap(), None, "the book ends");
    }

    #[test]
    fn only_strong_play_with_a_book_compares_moves() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("empty.book");
        let policy = Policy::Within(0.5);
        let mut opening = Opening::make(&BookOptions {
            path: Some(path),
            policy,
            seed: 1,
        })
        .unwrap();
        let strong = Task::new(Board::START, Limits::depth(1));
        let handicap = Some(Handicap {
            depth: 1,
            vision: 50,
            judgement: 50,
            seed: 1,
            person: None,
        });
        let mut lines = |has_book: bool, task: Task| {
            let opening = Some(&mut opening).filter(|_| has_book);
            match choose_move(opening, &Game::default(), task) {
                Ok(Choice::Search(task)) => task.multi_pv,
                other => panic!("an empty book and {other:?}"),
            }
        };
        assert_eq!(lines(false, strong), 1);
        assert_eq!(lines(true, Task { handicap, ..strong }), 1);
        assert_eq!(lines(true, strong), 3);
    }

    #[test]
    fn in_the_place_of_a_book_move_that_is_not_allowed_there_is_a_search() {
        let (_folder, mut opening) = small_book();
        let mut chosen = |task| choose_move(Some(&mut opening), &Game::default(), task).unwrap();
        let task = Task::new(Board::START, Limits::depth(1));
        let Choice::Book(line) = chosen(task) else {
            panic!("the book has the start")
        };
        let others = Task {
            allowed: !SquareSet(line.pv[0].square().unwrap().bit()),
            ..task
        };
        assert_eq!(chosen(others), Choice::Search(others));
    }

    #[test]
    fn a_position_has_its_value_and_a_game_its_exit() {
        let (_folder, opening) = small_book();
        let found = opening
            .value(Board::START)
            .unwrap()
            .expect("the book has the start");
        assert_eq!(
            found.value.map(|value| value.value),
            Some(Score::from_units(30))
        );
        assert_eq!((found.depth, found.games), (22, 0));
        assert!(
            found
                .best
                .is_some_and(|best| Board::START.play(best).is_some())
        );
        let game = played("f5d6c4");
        let known = game
            .positions()
            .iter()
            .take_while(|at| opening.value(at.board).unwrap().is_some());
        assert_eq!(known.count(), 3, "the start, f5, f5d6");
    }

    #[test]
    fn the_book_inside_the_program_opens_and_learns_nothing() {
        let options = BookOptions {
            path: None,
            policy: Policy::Best,
            seed: 1,
        };
        let mut opening = Opening::open(&options).unwrap();
        let line = opening
            .choose(&Game::default(), Board::START)
            .unwrap()
            .unwrap();
        assert!(line.pv.len() >= 10 && line.score.is_some(), "{line:?}");
        let told = opening
            .learn(&played("e6f4e3f6g5d6e7f5c5"))
            .unwrap_err()
            .to_string();
        assert!(told.contains("--book FILE"), "{told}");
        assert!(matches!(Opening::make(&options), Err(BookError::Inside)));
    }

    #[test]
    fn a_finished_game_counts_at_once() {
        let (_folder, mut opening) = small_book();
        let mut game = played("e6f4e3f6g5d6e7f5");
        assert!(matches!(opening.learn(&game), Err(LearnError::Unfinished)));
        game.play_square("c5".parse().unwrap()).unwrap();
        assert_eq!(
            opening.learn(&game).unwrap(),
            Learned {
                is_new: true,
                games: 1
            }
        );
        assert_eq!(
            opening.learn(&game).unwrap(),
            Learned {
                is_new: false,
                games: 1
            },
            "it counts once"
        );
        let moves = opening.moves(Board::START).unwrap();
        assert_eq!(moves[0].games.count(), 1);
        let replies = opening.moves(game.positions()[1].board).unwrap();
        assert_eq!(
            replies
                .iter()
                .map(|mv| mv.games.count())
                .collect::<Vec<_>>(),
            [1]
        );
        assert_eq!(game.final_score(Color::Black), Some(64));
        let other = BookEditor::open(opening.book().path()).unwrap();
        assert!(
            opening
                .learn(&game)
                .unwrap_err()
                .to_string()
                .contains("another process")
        );
        drop(other);
    }
}
