//! The chances that a player of some rating finds the moves, and traps for such a player.

use super::answer::{Judged, JudgedMove, Trap};
use super::wire::rounded;
use crate::board::{Board, Move, Square};
use crate::engine::people::{People, Rating, share, ten_thousandths};
use crate::eval::Evaluator;
use crate::sentences::{Grade, Language};

/// Adds the chances of a player of `rating` to the moves of `judged`, whose last move before was `last`; with `trap` the best
/// trap that costs at most so many discs.
pub fn add(
    judged: &mut Judged,
    evaluator: &Evaluator,
    rating: Rating,
    last: Option<Square>,
    trap: Option<f64>,
) {
    let board = judged.position.board;
    judged.rating = Some(rating.number());
    if board.moves().is_empty() {
        // A pass is no choice.
        let passes = judged.moves.iter_mut().map(|mv| &mut mv.find_chance);
        let played = judged
            .played
            .iter_mut()
            .map(|played| &mut played.find_chance);
        passes.chain(played).for_each(|chance| *chance = Some(1.0));
        return;
    }
    let people = People::shipped();
    let sighted = people.see(evaluator, board, last);
    let shares = ten_thousandths(&people.chances(&sighted, rating.number().into()));
    let chance = |mv: Move| {
        let sights = sighted.view.moves.iter().zip(&shares);
        let mut found = sights.filter(|(sight, _)| Move::Place(sight.square) == mv);
        found.next().map(|(_, &share)| f64::from(share) / 1e4)
    };
    for judged in &mut judged.moves {
        judged.find_chance = chance(judged.mv);
    }
    if let Some(played) = &mut judged.played {
        played.find_chance = chance(played.mv);
    }
    judged.trap = trap.and_then(|most| {
        let gain = |mv: Move| expected_gain(board, mv, evaluator, rating);
        best_trap(&judged.moves, most, gain)
    });
}

/// How many players find the best move, where the game's move was a mistake; empty without a rating.
pub fn sentence(judged: &Judged, language: Language) -> Option<String> {
    let rating = judged.rating?;
    let best = judged.moves.first()?;
    let is_mistake = judged
        .loss()
        .is_some_and(|loss| Grade::of(loss) > Grade::Good);
    let chance = best.find_chance.filter(|_| is_mistake)?;
    let of_ten = (10.0 * chance).round() as u32;
    let values = [
        ("n", of_ten.into()),
        ("rating", u32::from(rating).into()),
        ("move", language.mv(best.mv).into()),
    ];
    let name = if of_ten < 2 { "find-few" } else { "find-share" };
    Some(language.fill(name, &values))
}

/// The probability that a player of the rating avoids the mistake of the game's move: plays one that loses at most half of
/// it. `None` where that is unknown.
pub fn avoided(judged: &Judged) -> Option<f64> {
    let best = judged.line.value.score()?;
    let loss = judged.loss()?;
    let mut chance = 0.0;
    for found in &judged.moves {
        let own = found.find_chance?;
        let is_better = best - found.line.value.score()? <= loss / 2.0;
        chance += if is_better { own } else { 0.0 };
    }
    Some(chance)
}

/// The move with the best expected result, if it is not the best move and costs at most `most` discs.
fn best_trap(moves: &[JudgedMove], most: f64, gain: impl Fn(Move) -> f64) -> Option<Trap> {
    let score = |judged: &JudgedMove| judged.line.value.score();
    let (best, others) = moves.split_first()?;
    let top = score(best)?;
    let worth = |trap: &Trap| trap.expected_gain - trap.cost;
    let traps = others.iter().filter_map(|judged| {
        let cost = (top - score(judged)?).max(0.0);
        (cost <= most).then(|| Trap {
            mv: judged.mv,
            cost: rounded(cost, 1e2),
            expected_gain: rounded(gain(judged.mv), 1e2),
        })
    });
    let found = traps.max_by(|a, b| worth(a).total_cmp(&worth(b)))?;
    (worth(&found) > gain(best.mv)).then_some(found)
}

/// Discs that a player of `rating` is expected to lose by the answer to `mv`.
fn expected_gain(board: Board, mv: Move, evaluator: &Evaluator, rating: Rating) -> f64 {
    let Some(after) = board
        .play_move(mv)
        .filter(|after| !after.moves().is_empty())
    else {
        return 0.0;
    };
    let people = People::shipped();
    let sighted = people.see(evaluator, after, mv.square());
    let shares = people.chances(&sighted, rating.number().into());
    let lost = sighted
        .view
        .lost
        .iter()
        .map(|&lost| f64::from(lost) / 128.0);
    shares
        .into_iter()
        .zip(lost)
        .map(|(part, lost)| share(part) * lost)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::judged;
    use crate::board::Position;

    #[test]
    fn a_trap_wins_more_than_it_costs() {
        let place = |name: &str| Move::Place(name.parse().unwrap());
        let mut moves = Vec::new();
        for (name, score) in [("d3", 4.0), ("c4", 3.0), ("f5", 0.0)] {
            moves.extend(judged(Position::START, score, Some(place(name))).moves);
        }
        let gain = |mv: Move| if mv == place("d3") { 1.0 } else { 6.0 };
        let found = best_trap(&moves, 2.0, gain).expect("c4 costs 1 and wins 5 more");
        assert_eq!(
            (found.mv, found.cost, found.expected_gain),
            (place("c4"), 1.0, 6.0)
        );
        assert_eq!(best_trap(&moves, 0.5, gain), None, "it costs too much");
        assert_eq!(
            best_trap(&moves, 9.0, |_| 1.0),
            None,
            "the best move is as good"
        );
    }
}
