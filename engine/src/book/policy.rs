//! Choosing a book move to play.

use std::fmt;
use std::str::FromStr;

use super::entry::{BookMove, Entry, Games};
use crate::board::Score;
use crate::util::rng::Rng;

/// Prior games of each move, with the position's average result: one game counts little, a hundred decide.
const PRIOR_GAMES: f64 = 8.0;
/// How much better a move outside the book must be estimated to leave the book, in discs.
const BOOK_TRUST: f64 = 0.5;
/// How far from the best score contempt may stray, in discs.
const CONTEMPT_LOSS: f64 = 2.0;

/// A way to choose among book moves.
///
/// ```
/// use emilia_engine::book::policy::Policy;
/// assert_eq!("within:1.5".parse(), Ok(Policy::Within(1.5)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Policy {
    /// The best score, unless a move outside the book is estimated to be better by more than half a disc.
    Best,
    /// At random, any move that loses at most this many discs. In play the bound is one for all choices of a side in a
    /// game.
    Within(f64),
    /// At random, as often as the move won points in games, smoothed where games are few.
    Results,
    /// At random, as often as people played it.
    People,
    /// The move with the best results, if it costs little: this number of discs is added to the score of a move that
    /// won all games, and subtracted if it lost all.
    Contempt(f64),
}

/// Why a text is no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected best, within:DISCS, results, people or contempt:DISCS, found {0:?}")]
pub struct ParsePolicyError(String);

impl Policy {
    /// A move of the entry, or `None`: the search then decides. The same generator state gives the same move.
    pub fn choose(self, entry: &Entry, rng: &mut Rng) -> Option<BookMove> {
        let near =
            |mv: &BookMove, discs: f64| loss(entry, mv).is_some_and(|lost| lost.discs() <= discs);
        match self {
            Self::Best => entry.best().filter(|mv| near(mv, BOOK_TRUST)),
            Self::Within(discs) => weighted(entry, rng, |mv| f64::from(u8::from(near(mv, discs)))),
            Self::Results => {
                let average = rate(entry.games(), 0.5);
                weighted(entry, rng, |mv| {
                    mv.games.count() as f64 * rate(mv.games, average)
                })
            }
            Self::People => weighted(entry, rng, |mv| mv.games.count() as f64),
            Self::Contempt(discs) => {
                let average = rate(entry.games(), 0.5);
                let worth = |mv: &BookMove| {
                    mv.known().unwrap_or(Score::MIN).discs()
                        + discs * (2.0 * rate(mv.games, average) - 1.0)
                };
                let candidates = entry
                    .moves
                    .iter()
                    .rev()
                    .filter(|mv| near(mv, CONTEMPT_LOSS));
                candidates
                    .max_by(|a, b| worth(a).total_cmp(&worth(b)))
                    .copied()
            }
        }
    }
}

/// The loss of a move against the value of the position, which may exceed the best score while good moves are
/// unsearched; `None` without a value or a score.
pub fn loss(entry: &Entry, mv: &BookMove) -> Option<Score> {
    entry
        .value
        .zip(mv.known())
        .map(|(best, score)| best.value - score)
}

/// Share of the points won: the mean of the Beta posterior with [`PRIOR_GAMES`] of `average` as prior.
fn rate(games: Games, average: f64) -> f64 {
    (games.points() + PRIOR_GAMES * average) / (games.count() as f64 + PRIOR_GAMES)
}

/// A move with the probability of its weight, or `None` if all weigh nothing.
fn weighted(
    entry: &Entry,
    rng: &mut Rng,
    weight: impl FnMut(&BookMove) -> f64,
) -> Option<BookMove> {
    let weights: Vec<f64> = entry.moves.iter().map(weight).collect();
    let mut left = rng.unit() * weights.iter().sum::<f64>();
    let mut last = None;
    for (mv, weight) in entry
        .moves
        .iter()
        .zip(weights)
        .filter(|(_, weight)| *weight > 0.0)
    {
        last = Some(*mv);
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Best => f.write_str("best"),
            Self::Within(discs) => write!(f, "within:{discs}"),
            Self::Results => f.write_str("results"),
            Self::People => f.write_str("people"),
            Self::Contempt(discs) => write!(f, "contempt:{discs}"),
        }
    }
}

impl FromStr for Policy {
    type Err = ParsePolicyError;

    fn from_str(text: &str) -> Result<Self, ParsePolicyError> {
        let discs = |name| {
            let number = text.strip_prefix(name)?.parse().ok();
            number.filter(|discs| (0.0..=64.0).contains(discs))
        };
        let bounded = || {
            discs("within:")
                .map(Self::Within)
                .or(discs("contempt:").map(Self::Contempt))
        };
        match text {
            "best" => Ok(Self::Best),
            "results" => Ok(Self::Results),
            "people" => Ok(Self::People),
            _ => bounded().ok_or_else(|| ParsePolicyError(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;
    use crate::book::{MoveScore, Value};

    /// Three moves: the best, nearly as good and popular, bad and popular.
    fn entry() -> Entry {
        let mut entry = Entry::default();
        for (index, discs, wins, losses) in
            [(10, 1.0, 1, 0), (20, 0.75, 300, 300), (30, -6.0, 100, 600)]
        {
            let mv = entry.move_mut(Square::new(index).unwrap());
            let score = Score::from_units((discs * 128.0) as i32);
            mv.score = Some(MoveScore::Searched(score));
            mv.games = Games {
                wins,
                draws: 0,
                losses,
            };
        }
        entry.value = Some(Value::around(Score::from_discs(1), Score::from_discs(2)));
        entry
    }

    fn shares(policy: Policy) -> [f64; 3] {
        let entry = entry();
        let mut rng = Rng::new(3);
        let mut counts = [0.0; 3];
        for _ in 0..10_000 {
            let square = policy.choose(&entry, &mut rng).unwrap().square;
            counts[square.index() / 10 - 1] += 1e-4;
        }
        counts
    }

    #[test]
    fn policies_choose_what_they_say() {
        for (policy, shares_wanted) in [
            ("best", [1.0, 0.0, 0.0]),
            ("within:0", [1.0, 0.0, 0.0]),
            ("within:0.25", [0.5, 0.5, 0.0]),
            ("within:64", [1.0 / 3.0; 3]),
            ("people", [0.0, 0.46, 0.54]),
            // 300 points of 600 games and 100 of 700: three in four go to the better one.
            ("results", [0.0, 0.75, 0.25]),
            ("contempt:0", [1.0, 0.0, 0.0]),
            ("contempt:4", [0.0, 1.0, 0.0]),
        ] {
            let read: Policy = policy.parse().unwrap();
            assert_eq!(read.to_string(), policy);
            let shares = shares(read);
            let is_near = shares
                .iter()
                .zip(shares_wanted)
                .all(|(got, want)| (got - want).abs() < 0.02);
            assert!(is_near, "{policy}: {shares:?} {shares_wanted:?}");
            assert_eq!(
                read.choose(&Entry::default(), &mut Rng::new(1)),
                None,
                "{policy}"
            );
        }
        for text in [
            "",
            "worst",
            "within",
            "within:-1",
            "within:nan",
            "best:1",
            "contempt:x",
        ] {
            assert!(
                text.parse::<Policy>()
                    .unwrap_err()
                    .to_string()
                    .contains("expected best"),
                "{text}"
            );
        }
    }

    #[test]
    fn the_book_is_left_where_it_has_not_looked() {
        let mut entry = entry();
        entry.value = Some(Value::around(Score::from_discs(2), Score::from_discs(2)));
        assert_eq!(Policy::Best.choose(&entry, &mut Rng::new(1)), None);
        entry.value = None;
        assert_eq!(Policy::Within(9.0).choose(&entry, &mut Rng::new(1)), None);
        assert!(Policy::People.choose(&entry, &mut Rng::new(1)).is_some());
    }
}
