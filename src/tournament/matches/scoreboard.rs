//! The games of a match counted as they come: what each proves, and what it does not.
//!
//! The observation of all statistics is a pair of games, the same opening with the colours swapped. A pair
//! whose two games have been played before, move by move, tells nothing new and counts once. A pair with a
//! game that was lost by a defect of the program tells nothing about its strength: the tables show it, the
//! sequential test does not see it. The order of the games changes nothing.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::log::Summary;
use super::rating::{Claim, Rating, ratings};
use super::runner::Plan;
use super::stats::{GameResult, Sprt, Tally, Verdict};

/// What two players have done against each other, seen from the first.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// All games.
    pub all: Tally,
    /// The pairs that differ from each other.
    pub distinct: Tally,
    /// Those of them without a defect.
    pub sound: Tally,
    /// By the number of the pair: the game of it that has no partner yet.
    halves: HashMap<usize, Half>,
    seen: HashSet<[Half; 2]>,
}

/// One game of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Half {
    is_second: bool,
    result: GameResult,
    discs: i32,
    is_defect: bool,
    moves: u32,
}

/// All games of a match so far.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// By the index of the meeting.
    accounts: Vec<Account>,
    /// Games lost by a fault, by its word; by the index of the player.
    faults: Vec<BTreeMap<String, u64>>,
    games: usize,
    /// All games by how they ended.
    endings: BTreeMap<String, u64>,
    /// Games resigned, by the index of the player.
    resigned: Vec<u64>,
}

/// Where the sequential test stands.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct SprtState {
    /// The test.
    pub test: Sprt,
    /// Pairs of games that it rests on: distinct ones without a defect.
    pub pairs: u64,
    /// Log-likelihood ratio.
    pub llr: f64,
    /// At this ratio the test rejects.
    pub lower: f64,
    /// At this ratio the test accepts.
    pub upper: f64,
    /// What it says.
    pub verdict: Verdict,
}

impl SprtState {
    /// One line for the tables.
    pub fn to_text(self) -> String {
        let verdict = match self.verdict {
            Verdict::Open => "open",
            Verdict::Accepted => "accepted: the gain is proven",
            Verdict::Rejected => "rejected",
        };
        let Sprt { elo0, elo1, alpha, beta } = self.test;
        format!(
            "SPRT [{elo0}, {elo1}] alpha {alpha} beta {beta}: LLR {:+.2} [{:.2}, {:.2}] from {} pairs, {verdict}",
            self.llr, self.lower, self.upper, self.pairs
        )
    }
}

impl Account {
    fn add(&mut self, pair: usize, half: Half) {
        self.all.add_game(half.result, half.discs);
        let Some(other) = self.halves.remove(&pair) else {
            self.halves.insert(pair, half);
            return;
        };
        let halves = if half.is_second { [other, half] } else { [half, other] };
        self.all.add_pair(half.result, other.result);
        if !self.seen.insert(halves) {
            return;
        }
        let is_sound = halves.iter().all(|half| !half.is_defect);
        for tally in [Some(&mut self.distinct), is_sound.then_some(&mut self.sound)].into_iter().flatten() {
            halves.iter().for_each(|half| tally.add_game(half.result, half.discs));
            tally.add_pair(half.result, other.result);
        }
    }

    /// What Elo is computed from: the distinct pairs, or all games before the first pair is complete.
    pub fn evidence(&self) -> &Tally {
        if self.distinct.games() > 0 { &self.distinct } else { &self.all }
    }

    /// What it tells of their strength.
    pub fn claim(&self) -> Claim {
        Claim::of(self.evidence())
    }

    /// Pairs that were the same, move by move, as an earlier one.
    pub fn repeated_pairs(&self) -> u64 {
        self.all.complete_pairs() - self.distinct.complete_pairs()
    }

    /// Distinct pairs with a game lost by a defect.
    pub fn defect_pairs(&self) -> u64 {
        self.distinct.complete_pairs() - self.sound.complete_pairs()
    }
}

impl Ledger {
    /// No games yet.
    pub fn new(plan: &Plan) -> Self {
        Self {
            accounts: vec![Account::default(); plan.meetings()],
            faults: vec![BTreeMap::new(); plan.players.len()],
            games: 0,
            endings: BTreeMap::new(),
            resigned: vec![0; plan.players.len()],
        }
    }

    /// These games.
    pub fn of_games<'a>(plan: &Plan, games: impl IntoIterator<Item = &'a Summary>) -> Self {
        let mut ledger = Self::new(plan);
        games.into_iter().for_each(|summary| ledger.add(plan, summary));
        ledger
    }

    /// Counts a game of the schedule; must not be called twice for the same.
    pub fn add(&mut self, plan: &Plan, summary: &Summary) {
        let sides = plan.pairing(summary.game).sides;
        let is_second = !summary.game.is_multiple_of(2);
        // The first of the meeting is Black in the first game of a pair and White in the second.
        let discs = if is_second { -summary.discs } else { summary.discs };
        let half = Half {
            is_second,
            result: GameResult::of_discs(discs),
            discs,
            is_defect: summary.is_defect(),
            moves: summary.moves,
        };
        self.accounts[plan.meeting_of(summary.game)].add(summary.game / 2, half);
        if let Some(loser) = summary.loser {
            let player = sides[loser as usize];
            match summary.fault() {
                Some(_) => *self.faults[player].entry(summary.end.clone()).or_default() += 1,
                None => self.resigned[player] += 1,
            }
        }
        self.games += 1;
        *self.endings.entry(summary.end.clone()).or_default() += 1;
    }

    /// What the players of a meeting have done, by its index.
    pub fn account(&self, meeting: usize) -> &Account {
        &self.accounts[meeting]
    }

    /// The games that a player lost by a fault, by the word of the fault.
    pub fn faults(&self, player: usize) -> &BTreeMap<String, u64> {
        &self.faults[player]
    }

    /// Games counted.
    pub fn games(&self) -> usize {
        self.games
    }

    /// Games by how they ended: `played`, `adjudicated`, `resigned`, or the word of a fault.
    pub fn endings(&self) -> &BTreeMap<String, u64> {
        &self.endings
    }

    /// Games that a player resigned.
    pub fn resigned(&self, player: usize) -> u64 {
        self.resigned[player]
    }

    /// Games that our solver ended.
    pub fn adjudicated(&self) -> u64 {
        self.endings.get("adjudicated").copied().unwrap_or(0)
    }

    /// Where a sequential test of the first meeting stands.
    pub fn sprt(&self, test: Sprt) -> SprtState {
        let account = &self.accounts[0];
        let (lower, upper) = test.bounds();
        let (llr, verdict) = (test.llr(&account.sound), test.verdict(&account.sound));
        let pairs = account.sound.complete_pairs();
        SprtState { test, pairs, llr, lower, upper, verdict }
    }

    /// One line while the match runs.
    pub fn to_line(&self, plan: &Plan, sprt: Option<Sprt>) -> String {
        if let [account] = &self.accounts[..] {
            let Tally { wins, draws, losses, .. } = account.all;
            let sprt = sprt.map_or_else(String::new, |test| {
                let state = self.sprt(test);
                format!("  LLR {:+.2} [{:.2}, {:.2}]", state.llr, state.lower, state.upper)
            });
            return format!("+{wins} ={draws} -{losses}  Elo {}{sprt}", account.claim());
        }
        let totals = self.totals(plan);
        let mut order: Vec<usize> = (0..totals.len()).collect();
        order.sort_by(|&a, &b| totals[b].points().total_cmp(&totals[a].points()));
        let ratings = self.ratings(plan);
        let leader = |&index: &usize| {
            let (name, tally) = (&plan.players[index].name, totals[index]);
            format!("{name} {}/{} ({})", tally.points(), tally.games(), ratings[index])
        };
        order.iter().take(3).map(leader).collect::<Vec<_>>().join("  ")
    }

    /// The ratings of all players, by what is evidence.
    pub fn ratings(&self, plan: &Plan) -> Vec<Rating> {
        let mut results = vec![vec![Tally::default(); plan.players.len()]; plan.players.len()];
        for (index, account) in self.accounts.iter().enumerate() {
            let [first, second] = plan.meeting(index);
            results[first][second] = *account.evidence();
            results[second][first] = account.evidence().turned();
        }
        ratings(&results)
    }

    /// The results of each player against all others together.
    pub fn totals(&self, plan: &Plan) -> Vec<Tally> {
        let mut totals = vec![Tally::default(); plan.players.len()];
        for (index, account) in self.accounts.iter().enumerate() {
            let [first, second] = plan.meeting(index);
            totals[first].add(&account.all);
            totals[second].add(&account.all.turned());
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Color;
    use crate::tournament::matches::standings::tests::{plan, summary};
    use crate::tournament::matches::stats::Verdict;

    fn two() -> Plan {
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
        let ledger = Ledger::of_games(&plan, &games);
        let account = ledger.account(0);
        assert_eq!((account.all.wins, account.all.pairs), (200, [0, 0, 0, 0, 100]));
        assert_eq!((account.distinct.wins, account.distinct.pairs), (4, [0, 0, 0, 0, 2]));
        assert_eq!((account.repeated_pairs(), account.defect_pairs()), (98, 0));
        let test = Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap();
        let state = ledger.sprt(test);
        assert_eq!((state.verdict, state.pairs), (Verdict::Open, 2));
        games.reverse();
        assert_eq!(Ledger::of_games(&plan, &games).sprt(test), state);
    }

    #[test]
    fn a_crash_is_a_forfeit_and_no_evidence() {
        let plan = two();
        let crash = |game: usize| {
            let loser = if game.is_multiple_of(2) { Color::White } else { Color::Black };
            let discs = if loser == Color::White { 64 } else { -64 };
            Summary {
                end: "crash".to_owned(),
                loser: Some(loser),
                moves: game as u32,
                ..summary(&plan, game, discs)
            }
        };
        let games: Vec<Summary> = (0..800).map(crash).collect();
        let ledger = Ledger::of_games(&plan, &games);
        assert_eq!(ledger.account(0).all.wins, 800);
        assert_eq!(ledger.faults(1), &BTreeMap::from([("crash".to_owned(), 800)]));
        let state = ledger.sprt(Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap());
        assert_eq!((state.verdict, state.llr, state.pairs), (Verdict::Open, 0.0, 0));
        assert_eq!(ledger.endings(), &BTreeMap::from([("crash".to_owned(), 800)]));
        // Giving up and losing on time are playing badly.
        let gone = games.iter().map(|game| Summary { end: "resigned".to_owned(), ..game.clone() });
        let ledger = Ledger::of_games(&plan, &gone.collect::<Vec<_>>());
        assert_eq!((ledger.resigned(1), ledger.faults(1).len()), (800, 0));
        assert_eq!(ledger.sprt(Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap()).verdict, Verdict::Accepted);
        let late = games.into_iter().map(|game| Summary { end: "time".to_owned(), ..game });
        let ledger = Ledger::of_games(&plan, &late.collect::<Vec<_>>());
        assert_eq!(ledger.sprt(Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap()).verdict, Verdict::Accepted);
    }
}
