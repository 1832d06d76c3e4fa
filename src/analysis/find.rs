//! The chances that a player of some rating finds the moves, and traps for such a player.

use super::answer::{Judged, Trap};
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
    judged.ratings.rating = Some(rating.number());
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
    let scored = judged.moves.iter();
    let scored = scored.filter_map(|judged| Some((judged.mv, judged.line.value.score()?)));
    let scored: Vec<(Move, f64)> = scored.collect();
    judged.ratings.trap =
        trap.and_then(|most| best_trap(board, evaluator, (rating, most), &scored));
}

/// How many players find the best move, where the game's move was a mistake; empty without a rating.
pub fn sentence(judged: &Judged, language: Language) -> Option<String> {
    let rating = judged.ratings.rating?;
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

/// The trap for a player of `rating` among moves with their scores, the best first: the one with the best expected result,
/// if it is not the best move and costs at most `most` discs.
pub fn best_trap(
    board: Board,
    evaluator: &Evaluator,
    (rating, most): (Rating, f64),
    scored: &[(Move, f64)],
) -> Option<Trap> {
    let gain = |mv: Move| expected_gain(board, mv, evaluator, rating);
    best_of(scored, most, gain)
}

/// A trap in words, with its label.
pub fn trap_in_words(trap: &Trap, rating: u16, language: Language) -> String {
    let discs = |number: f64| format!("{number:.1}");
    let values = [
        ("move", language.mv(trap.mv).into()),
        ("cost", discs(trap.cost).into()),
        ("gain", discs(trap.expected_gain).into()),
        ("rating", u32::from(rating).into()),
    ];
    language.fill("trap", &values)
}

/// The trap of an answer in words.
pub fn trap_of(judged: &Judged, language: Language) -> Option<String> {
    let trap = judged.ratings.trap.as_ref()?;
    Some(trap_in_words(trap, judged.ratings.rating?, language))
}

/// [`best_trap`] by the discs that the answer to a move is expected to lose.
fn best_of(scored: &[(Move, f64)], most: f64, gain: impl Fn(Move) -> f64) -> Option<Trap> {
    let (&(best, top), others) = scored.split_first()?;
    let worth = |trap: &Trap| trap.expected_gain - trap.cost;
    let traps = others.iter().filter_map(|&(mv, score)| {
        let cost = (top - score).max(0.0);
        (cost <= most).then(|| Trap {
            mv,
            cost: rounded(cost, 1e2),
            expected_gain: rounded(gain(mv), 1e2),
        })
    });
    let found = traps.max_by(|a, b| worth(a).total_cmp(&worth(b)))?;
    (worth(&found) > gain(best)).then_some(found)
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

    #[test]
    fn a_trap_wins_more_than_it_costs() {
        let place = |name: &str| Move::Place(name.parse().unwrap());
        let moves =
            [("d3", 4.0), ("c4", 3.0), ("f5", 0.0)].map(|(name, score)| (place(name), score));
        let gain = |mv: Move| if mv == place("d3") { 1.0 } else { 6.0 };
        let found = best_of(&moves, 2.0, gain).expect("c4 costs 1 and wins 5 more");
        assert_eq!(
            (found.mv, found.cost, found.expected_gain),
            (place("c4"), 1.0, 6.0)
        );
        assert_eq!(best_of(&moves, 0.5, gain), None, "it costs too much");
        assert_eq!(
            best_of(&moves, 9.0, |_| 1.0),
            None,
            "the best move is as good"
        );
    }
}
