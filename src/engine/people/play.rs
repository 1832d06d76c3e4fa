//! An opponent that plays like a person of some rating: a move drawn from the probabilities.

use super::People;
use super::table::SHARE_BITS;
use crate::board::{Move, Score, Square};
use crate::eval::Evaluator;
use crate::search::{Info, Line, Observer, Person, Proof, SearchResult, Selectivity, Stop, Task};
use crate::util::clock::Instant;
use crate::util::rng::Rng;

/// Standard deviation of a game's rating: good and bad days. The spread of the discs lost a game is then that of people.
const DAY: i64 = 120;

/// The move of a person on `task.board`, which has a legal move; the same seed and position give the same move.
pub fn run_person(
    evaluator: &Evaluator,
    task: &Task,
    (person, seed): (Person, u64),
    stop: &Stop,
    observer: &mut dyn Observer,
) -> SearchResult {
    let begin = Instant::now();
    let people = People::shipped();
    let sighted = people.see(evaluator, task.board, person.last);
    let rating = i32::from(person.rating) + day(seed);
    let mut shares = people.chances(&sighted, rating);
    let is_allowed = |square: Square| task.allowed.contains(square);
    if sighted
        .view
        .moves
        .iter()
        .any(|sight| is_allowed(sight.square))
    {
        for (share, sight) in shares.iter_mut().zip(&sighted.view.moves) {
            *share *= u32::from(is_allowed(sight.square));
        }
    }
    let luck = Rng::new(task.board.hash().bits() ^ Rng::new(seed).next());
    let drawn = draw(&shares, luck);
    let mv = Move::Place(sighted.view.moves[drawn].square);
    let score = sighted.view.best - sighted.view.lost[drawn];
    let line = Line {
        pv: vec![mv],
        bound: Score::from_units(score.clamp(Score::MIN.units(), Score::MAX.units())),
        depth: super::scores::DEPTHS[super::scores::DEPTHS.len() - 1],
        selectivity: Selectivity::Full,
        proof: Proof::None,
    };
    let info = Info {
        lines: vec![line],
        nodes: sighted.view.nodes,
        time: begin.elapsed(),
    };
    observer.iteration(&info);
    SearchResult {
        best: Some(mv),
        info,
        stopped: stop.is_requested(),
    }
}

/// The place of a share, drawn with its probability.
fn draw(shares: &[u32], mut luck: Rng) -> usize {
    let sum: u64 = shares.iter().copied().map(u64::from).sum();
    // Above the rounding of the shares: a move of probability 0 is never played.
    let mut left = (u128::from(luck.next()) * u128::from(sum) >> 64) as u64;
    let drawn = shares.iter().position(|&share| {
        let is_here = left < u64::from(share);
        left = left.saturating_sub(u64::from(share));
        is_here
    });
    drawn.unwrap_or(0)
}

/// The deviation of a game's rating from the player's: nearly normal.
fn day(seed: u64) -> i32 {
    let mut luck = Rng::new(seed ^ 0x6461_7900);
    let unit = 1i64 << SHARE_BITS;
    // Four uniform numbers of variance 1/12 each: their sum, less its mean, has the variance 1/3.
    let sum: i64 = (0..4).map(|_| i64::from(luck.below(unit as u32))).sum();
    let centered = sum - 2 * unit;
    // The root of 3 in 1/1024.
    (centered * 1774 / 1024 * DAY / unit) as i32
}
