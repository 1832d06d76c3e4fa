//! Games that end early because the scores of both players agree on the result.

use std::fmt;
use std::str::FromStr;

use crate::util::refusal::Refusal;

/// Scores of both players that end a game: this many discs, in this many last moves of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    pub discs: u8,
    pub moves: u8,
}

impl FromStr for Agreement {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let read = text.split_once(',').and_then(|(discs, moves)| {
            let discs = discs.parse().ok().filter(|discs| *discs <= 64)?;
            let moves = moves
                .parse()
                .ok()
                .filter(|moves| (1..=60).contains(moves))?;
            Some(Self { discs, moves })
        });
        let expected = "expected discs from 0 to 64 and moves from 1 to 60, such as 20,4";
        read.ok_or_else(|| format!("{expected}; found {text:?}").into())
    }
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.discs, self.moves)
    }
}

impl Agreement {
    /// Whether the last scores of both players have this property.
    fn holds(self, scores: &[Vec<Option<f64>>; 2], is_so: impl Fn(f64) -> bool) -> bool {
        let moves = usize::from(self.moves);
        scores.iter().all(|own| {
            own.len() >= moves && own[..moves].iter().all(|score| score.is_some_and(&is_so))
        })
    }
}

/// Black's result if the scores of both players agree on it. `scores` are Black's and White's, all for Black, the last one
/// first; `None` where a player gave none.
pub fn agreed(
    resign: Option<Agreement>,
    draw: Option<Agreement>,
    scores: &[Vec<Option<f64>>; 2],
) -> Option<i32> {
    let is_drawn = |rule: Agreement| rule.holds(scores, |score| score.abs() <= rule.discs.into());
    if draw.is_some_and(is_drawn) {
        return Some(0);
    }
    let leads = |sign: f64| {
        // A score of 0 names no leader.
        let is_lead = |score: f64, discs: u8| sign * score >= discs.into() && score != 0.0;
        let is_won = |rule: Agreement| rule.holds(scores, |score| is_lead(score, rule.discs));
        resign.is_some_and(is_won)
    };
    let leader = [1.0, -1.0].into_iter().find(|sign| leads(*sign))?;
    let last: f64 = scores.iter().filter_map(|own| *own.first()?).sum();
    // A result of Othello is even, and a won game is won.
    let pairs = (leader * last / 4.0).round().clamp(1.0, 32.0);
    Some((2.0 * leader * pairs) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Option<Agreement> {
        text.parse().ok()
    }

    #[test]
    fn scores_of_both_players_end_a_game() {
        let scores = |black: &[f64], white: &[f64]| {
            [black, white].map(|own| own.iter().map(|score| Some(*score)).collect())
        };
        let won = scores(&[11.0, 9.0, 2.0], &[12.0, 13.0, 1.0]);
        assert_eq!(agreed(rule("9,2"), None, &won), Some(12));
        assert_eq!(agreed(rule("10,2"), None, &won), None);
        assert_eq!(agreed(rule("9,3"), None, &won), None);
        assert_eq!(agreed(rule("9,4"), None, &won), None);
        let lost = scores(&[-11.0, -9.0], &[-12.0, -13.0]);
        assert_eq!(agreed(rule("9,2"), None, &lost), Some(-12));
        // Each sees itself ahead.
        let doubted = scores(&[20.0], &[-20.0]);
        assert_eq!(agreed(rule("9,1"), None, &doubted), None);
        let even = scores(&[-1.0, 0.5, 9.0], &[-1.0, 0.0, -9.0]);
        assert_eq!(agreed(rule("9,1"), rule("1,2"), &even), Some(0));
        assert_eq!(agreed(None, rule("0,2"), &even), None);
        // No score names a leader.
        let level = scores(&[0.0], &[0.0]);
        assert_eq!(agreed(rule("0,1"), None, &level), None);
        let ahead = scores(&[0.5], &[1.5]);
        assert_eq!(agreed(rule("0,1"), None, &ahead), Some(2));
        let silent = [vec![None; 3], vec![Some(0.0); 3]];
        assert_eq!(agreed(rule("0,1"), rule("64,1"), &silent), None);
        for wrong in ["", "9", "9,0", "65,1", "9,61", "-1,2", "x,1"] {
            assert_eq!(rule(wrong), None, "{wrong}");
        }
    }
}
