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
    let mut left = ((u128::from(luck.next()) * u128::from(sum)) >> 64) as u64;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, SquareSet};
    use crate::eval::testing::evaluator;
    use crate::search::{Limits, Silent};

    fn play(task: &Task, last: Option<Square>, seed: u64) -> Move {
        let person = Person { rating: 1450, last };
        let result = run_person(
            &evaluator(),
            task,
            (person, seed),
            &Stop::new(),
            &mut Silent,
        );
        result.best.expect("there is a move")
    }

    /// Every build plays these moves: native, AVX2, plain and in a browser.
    #[test]
    fn a_seed_plays_the_same_game_everywhere() {
        const GAME: &str = "f5f6e6f4g5d6d7e7f3g3e3g4c6c5h4h3h5h6c7d8g6b5d3c4b4d2a5a6a7b6f2f7e8f8g7e1c2a4a3b3a2c3b2c1d1\
                            a1e2f1b1a8c8h8g2g8h7h1g1h2pab8b7";
        let mut board = Board::START;
        let mut last = None;
        let mut moves = String::new();
        while !board.is_over() {
            let mv = if board.moves().is_empty() {
                Move::Pass
            } else {
                play(&Task::new(board, Limits::depth(1)), last, 4)
            };
            moves += &mv.to_string();
            last = mv.square();
            board = board.play_move(mv).expect("a legal move");
        }
        assert_eq!(moves, GAME);
    }

    #[test]
    fn seeds_differ_and_only_allowed_moves_are_played() {
        let board = Board::START.play("f5".parse().unwrap()).unwrap();
        let task = Task::new(board, Limits::depth(1));
        let mut seen = SquareSet(0);
        for seed in 0..60 {
            seen.0 |= play(&task, None, seed).square().map_or(0, Square::bit);
        }
        assert!(seen.len() >= 2, "{seen}");
        let only: Square = "f4".parse().unwrap();
        let task = task.with_allowed(SquareSet(only.bit()));
        assert_eq!(play(&task, None, 1), Move::Place(only));
    }

    #[test]
    fn days_are_spread_as_said() {
        let days: Vec<f64> = (0..4000).map(|seed| f64::from(day(seed))).collect();
        let mean = days.iter().sum::<f64>() / 4000.0;
        let spread = (days.iter().map(|day| (day - mean).powi(2)).sum::<f64>() / 4000.0).sqrt();
        assert!(
            mean.abs() < 8.0 && (spread - DAY as f64).abs() < 6.0,
            "{mean} {spread}"
        );
    }
}
