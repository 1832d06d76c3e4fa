//! Input and output of a search: plain data, no text.

mod budget;
mod info;
mod limits;
mod options;
mod timer;

pub use budget::Stop;
pub(crate) use budget::{Budget, Meter};
pub use info::{Counters, Info, Known, Line, Observer, Proof, SearchResult, Silent};
pub use limits::{Clock, Goal, Limits, Selectivity};
pub use options::{OptionError, Options};
pub(crate) use timer::Timer;

use crate::board::{Board, Move, Square, SquareSet};
use crate::util::builders::builders;

/// The position to search, and how.
///
/// ```
/// use emilia_engine::board::{Board, Square, SquareSet};
/// use emilia_engine::search::{Limits, Task};
///
/// // Which of the two moves is better?
/// let allowed: SquareSet = [Square::at(5, 4), Square::at(4, 5)].into_iter().collect();
/// let task = Task::new(Board::START, Limits::depth(6)).with_allowed(allowed);
/// assert_eq!(task.multi_pv, 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// The position.
    pub board: Board,
    /// Bounds.
    pub limits: Limits,
    /// Number of best moves to report, at least 1; the other moves get no score.
    pub multi_pv: usize,
    /// The root squares to consider; all legal ones if no legal one is among them.
    pub allowed: SquareSet,
    /// Contempt: the side that a draw counts for, `+1` for the side to move, `-1` for the other, `0` for neither.
    ///
    /// If it counts for a side, a solved draw is reported as a score of one disc, between a draw and the
    /// smallest win; a win-loss-draw search then asks only for that side's yes or no, and a search that
    /// plays asks it before it asks for the exact score.
    pub draw_value: i8,
    /// Play weakly, for people: for the engine, which has a search for that. [`Search`](super::Search) plays its best.
    pub handicap: Option<Handicap>,
}

impl Task {
    /// Searches `board` for its one best move within `limits`.
    pub fn new(board: Board, limits: Limits) -> Self {
        Self {
            board,
            limits,
            multi_pv: 1,
            allowed: SquareSet::ALL,
            draw_value: 0,
            handicap: None,
        }
    }
}

builders! {
    Task:
    /// Sets the number of best moves that get scores.
    with_multi_pv(multi_pv: usize);
    /// Sets the moves to consider.
    with_allowed(allowed: SquareSet);
    /// Sets the side that a draw counts for: see [`Task::draw_value`].
    with_draw_value(draw_value: i8);
    /// Sets or ends weak play.
    with_handicap(handicap: impl Into<Option<Handicap>>);
}

/// Weak play, for games against people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handicap {
    /// Greatest depth in plies, within the limits of the search.
    pub depth: u8,
    /// Share of the legal moves that are seen, in percent, `0..=100`; one move is always seen.
    pub vision: u8,
    /// Accuracy of the evaluation: no error at 100, a standard deviation of 32 discs at 0.
    pub judgement: u8,
    /// Random seed: which moves are not seen, which positions are misjudged, and the moves of a person.
    pub seed: u64,
    /// Plays like a person, instead of by depth, vision and judgement.
    pub person: Option<Person>,
}

/// A person whose play the engine imitates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Person {
    /// Rating among the players of the WTHOR base, `1000..=2000`.
    pub rating: u16,
    /// The move before, unless it was a pass: people answer next to it.
    pub last: Option<Square>,
}

impl Handicap {
    /// No weakness.
    pub const NONE: Self = Self {
        depth: u8::MAX,
        vision: 100,
        judgement: 100,
        seed: 1,
        person: None,
    };

    /// Weakness by vision and judgement only; `None` for 100 % of both.
    pub fn of_sight(vision: u8, judgement: u8, seed: u64) -> Option<Self> {
        let is_weak = vision < 100 || judgement < 100;
        is_weak.then_some(Self {
            vision,
            judgement,
            seed,
            ..Self::NONE
        })
    }

    /// The same after a move: a person sees it.
    #[must_use]
    pub fn after(self, last: Option<&Move>) -> Self {
        let last = last.and_then(|mv| mv.square());
        let person = self.person.map(|person| Person { last, ..person });
        Self { person, ..self }
    }

    /// The same in the game with this number: a person plays each game differently.
    #[must_use]
    pub fn of_game(self, number: u64) -> Self {
        let seed = match self.person {
            Some(_) => self
                .seed
                .wrapping_add(number.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
            None => self.seed,
        };
        Self { seed, ..self }
    }

    /// A person of this rating.
    pub fn of_person(rating: u16, seed: u64) -> Self {
        Self {
            seed,
            person: Some(Person { rating, last: None }),
            ..Self::NONE
        }
    }
}
