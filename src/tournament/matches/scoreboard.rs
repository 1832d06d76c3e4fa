//! The counts of a match's games, in any order.
//!
//! The observation is a pair of games, the same opening with colors swapped. A pair that repeats an earlier one move by
//! move counts once. A pair with a game lost by a defect says nothing about strength: the tables show it, the sequential
//! test ignores it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use super::log::Summary;
use super::runner::MatchPlan;
use super::stats::{Elo, Sprt, SprtOutcome, Tally};

/// The results of two players against each other, from the view of the first.
#[derive(Clone, Debug, Default)]
pub struct MeetingScore {
    pub all: Tally,
    /// The pairs that differ from each other.
    pub distinct: Tally,
    /// The distinct pairs without a defect.
    pub sound: Tally,
    /// The games without a partner yet, by the number of the pair.
    unpaired: HashMap<usize, PairGame>,
    seen: HashSet<[PairGame; 2]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PairGame {
    is_second: bool,
    discs: i32,
    is_defect: bool,
    moves: u32,
}

#[derive(Clone, Debug)]
pub struct Scoreboard {
    /// By the index of a meeting.
    pub scores: Vec<MeetingScore>,
    /// Losses other than on the board, by the index of a player.
    pub losses: Vec<Losses>,
    pub games: usize,
    /// Games by [`Summary::end`].
    pub endings: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Losses {
    pub resigned: u64,
    /// Games lost by a fault, by its word.
    pub faults: BTreeMap<String, u64>,
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let resigned = (self.resigned > 0).then(|| format!("{} resigned", self.resigned));
        let faults = self
            .faults
            .iter()
            .map(|(word, count)| format!("{count} {word}"));
        let parts: Vec<String> = resigned.into_iter().chain(faults).collect();
        f.write_str(
            if parts.is_empty() {
                "-".to_owned()
            } else {
                parts.join(", ")
            }
            .as_str(),
        )
    }
}

/// The state of the sequential test.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct SprtState {
    pub test: Sprt,
    /// Distinct pairs without a defect.
    pub pairs: u64,
    pub llr: f64,
    pub lower: f64,
    pub upper: f64,
    pub verdict: SprtOutcome,
}

impl fmt::Display for SprtState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            SprtOutcome::Open => "open",
            SprtOutcome::Accepted => "accepted: the gain is proven",
            SprtOutcome::Rejected => "rejected",
        };
        let Sprt {
            elo0,
            elo1,
            alpha,
            beta,
        } = self.test;
        write!(
            f,
            "SPRT [{elo0}, {elo1}] alpha {alpha} beta {beta}:\n  LLR {:+.2} [{:.2}, {:.2}] from {} pairs, {verdict}",
            self.llr, self.lower, self.upper, self.pairs
        )
    }
}

impl MeetingScore {
    fn add(&mut self, pair: usize, game: PairGame) {
        self.all.add_game(game.discs);
        let Some(other) = self.unpaired.remove(&pair) else {
            self.unpaired.insert(pair, game);
            return;
        };
        let pair = if game.is_second {
            [other, game]
        } else {
            [game, other]
        };
        let discs = pair.map(|game| game.discs);
        self.all.add_pair(discs);
        if !self.seen.insert(pair) {
            return;
        }
        let is_sound = pair.iter().all(|game| !game.is_defect);
        for tally in [
            Some(&mut self.distinct),
            is_sound.then_some(&mut self.sound),
        ]
        .into_iter()
        .flatten()
        {
            discs.iter().for_each(|&discs| tally.add_game(discs));
            tally.add_pair(discs);
        }
    }

    /// The games for Elo: the distinct pairs, or all games before the first complete pair.
    pub fn evidence(&self) -> &Tally {
        if self.distinct.games() > 0 {
            &self.distinct
        } else {
            &self.all
        }
    }

    pub fn elo(&self) -> Elo {
        self.evidence().elo()
    }

    /// Pairs that repeat an earlier one move by move.
    pub fn repeated_pairs(&self) -> u64 {
        self.all.complete_pairs() - self.distinct.complete_pairs()
    }

    /// Distinct pairs with a game lost by a defect.
    pub fn defect_pairs(&self) -> u64 {
        self.distinct.complete_pairs() - self.sound.complete_pairs()
    }
}

impl Scoreboard {
    pub fn of_games<'a>(plan: &MatchPlan, games: impl IntoIterator<Item = &'a Summary>) -> Self {
        let mut scoreboard = Self {
            scores: vec![MeetingScore::default(); plan.meetings()],
            losses: vec![Losses::default(); plan.players.len()],
            games: 0,
            endings: BTreeMap::new(),
        };
        games
            .into_iter()
            .for_each(|summary| scoreboard.add(plan, summary));
        scoreboard
    }

    /// Counts a game of the schedule, once.
    pub fn add(&mut self, plan: &MatchPlan, summary: &Summary) {
        let sides = plan.pairing(summary.game).sides;
        let is_second = !summary.game.is_multiple_of(2);
        // The first of the meeting is Black in the first game of a pair and White in the second.
        let discs = if is_second {
            -summary.discs
        } else {
            summary.discs
        };
        let game = PairGame {
            is_second,
            discs,
            is_defect: summary.is_defect(),
            moves: summary.moves,
        };
        self.scores[plan.meeting_of(summary.game)].add(summary.game / 2, game);
        if let Some(loser) = summary.loser {
            let losses = &mut self.losses[sides[loser as usize]];
            match summary.fault() {
                Some(_) => *losses.faults.entry(summary.end.clone()).or_default() += 1,
                None => losses.resigned += 1,
            }
        }
        self.games += 1;
        *self.endings.entry(summary.end.clone()).or_default() += 1;
    }

    /// The state of a sequential test of the first meeting.
    pub fn sprt(&self, test: Sprt) -> SprtState {
        let score = &self.scores[0];
        let (lower, upper) = test.bounds();
        let llr = test.llr(&score.sound);
        let verdict = test.verdict(&score.sound);
        let pairs = score.sound.complete_pairs();
        SprtState {
            test,
            pairs,
            llr,
            lower,
            upper,
            verdict,
        }
    }

    pub fn to_line(&self, plan: &MatchPlan, sprt: Option<Sprt>) -> String {
        if let [score] = &self.scores[..] {
            let sprt = sprt.map_or_else(String::new, |test| {
                let state = self.sprt(test);
                format!(
                    "  LLR {:+.2} [{:.2}, {:.2}]",
                    state.llr, state.lower, state.upper
                )
            });
            return format!("{}  Elo {}{sprt}", score.all, score.elo());
        }
        let mut players: Vec<_> = plan
            .players
            .iter()
            .enumerate()
            .map(|(index, player)| (self.of_player(plan, index), player))
            .collect();
        players.sort_by(|(a, _), (b, _)| b.all.points().total_cmp(&a.all.points()));
        let leaders = players
            .iter()
            .take(3)
            .map(|(PlayerScore { all, evidence }, player)| {
                format!(
                    "{} {}/{} ({})",
                    player.name,
                    all.points(),
                    all.games(),
                    evidence.elo()
                )
            });
        leaders.collect::<Vec<_>>().join("  ")
    }

    pub fn of_player(&self, plan: &MatchPlan, player: usize) -> PlayerScore {
        let mut sum = PlayerScore::default();
        for (index, score) in self.scores.iter().enumerate() {
            let [first, second] = plan.meeting(index);
            if first == player {
                sum.all.add(&score.all);
                sum.evidence.add(score.evidence());
            } else if second == player {
                sum.all.add(&score.all.turned());
                sum.evidence.add(&score.evidence().turned());
            }
        }
        sum
    }
}

/// The results of a player against all others together.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlayerScore {
    pub all: Tally,
    /// The games behind its Elo.
    pub evidence: Tally,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Color;
    use crate::tournament::matches::standings::tests::{plan, summary};
    use crate::tournament::matches::stats::SprtOutcome;

    fn two() -> MatchPlan {
        let mut plan = plan();
        plan.players.truncate(2);
        plan
    }

    #[test]
    fn repeated_pairs_count_once_in_any_order() {
        let plan = two();
        // A hundred pairs, all the same but one, whose second game differs.
        let mut games: Vec<Summary> = (0..200).map(|game| summary(&plan, game, 10)).collect();
        for game in &mut games {
            game.moves = (game.game % 2) as u32;
            game.discs = if game.game % 2 == 0 { 10 } else { -10 };
        }
        games[77].moves = 2;
        let scoreboard = Scoreboard::of_games(&plan, &games);
        let score = &scoreboard.scores[0];
        assert_eq!((score.all.wins, score.all.pairs), (200, [0, 0, 0, 0, 100]));
        assert_eq!(
            (score.distinct.wins, score.distinct.pairs),
            (4, [0, 0, 0, 0, 2])
        );
        assert_eq!((score.repeated_pairs(), score.defect_pairs()), (98, 0));
        let test = Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap();
        let state = scoreboard.sprt(test);
        assert_eq!((state.verdict, state.pairs), (SprtOutcome::Open, 2));
        games.reverse();
        assert_eq!(Scoreboard::of_games(&plan, &games).sprt(test), state);
    }

    #[test]
    fn a_crash_is_a_forfeit_and_no_evidence() {
        let plan = two();
        // A resigned game and a loss on time are weak play.
        for (end, losses, pairs, verdict) in [
            ("crash", "800 crash", 0, SprtOutcome::Open),
            ("resigned", "800 resigned", 400, SprtOutcome::Accepted),
            ("time", "800 time", 400, SprtOutcome::Accepted),
        ] {
            let lost = |game: usize| {
                let is_first = game.is_multiple_of(2);
                let (loser, discs) = if is_first {
                    (Color::White, 64)
                } else {
                    (Color::Black, -64)
                };
                Summary {
                    end: end.to_owned(),
                    loser: Some(loser),
                    ..summary(&plan, game, discs)
                }
            };
            let games: Vec<Summary> = (0..800).map(lost).collect();
            let scoreboard = Scoreboard::of_games(&plan, &games);
            assert_eq!(scoreboard.scores[0].all.wins, 800);
            assert_eq!(scoreboard.losses[1].to_string(), losses);
            let state = scoreboard.sprt(Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap());
            assert_eq!((state.verdict, state.pairs), (verdict, pairs), "{end}");
            assert_eq!(state.llr == 0.0, pairs == 0, "{end}");
            assert_eq!(scoreboard.endings, BTreeMap::from([(end.to_owned(), 800)]));
        }
    }
}
