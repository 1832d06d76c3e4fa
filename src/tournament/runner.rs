//! The match: a schedule of games, workers that play them, and the order in which all stays true.
//!
//! Game numbers are fixed by the schedule: round by round, in each round every pairing plays the round's
//! opening twice, colours swapped. So a longer match begins with the shorter one, and a resumed match
//! knows from the numbers in its file what is left to play.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;

use anyhow::{Result, ensure};

use super::log::{Place, Summary};
use super::player::{Player, Spec};
use super::referee::{Ending, Judge, Record, Rules, forfeit, play};
use crate::board::{Color, Game, Position};

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Everyone meets everyone.
    RoundRobin,
    /// The first meets all others.
    Gauntlet,
}

/// A match before its first game.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The players, at least two.
    pub players: Vec<Spec>,
    /// Who meets whom.
    pub format: Format,
    /// Rounds: pairs of games for each pairing.
    pub rounds: usize,
    /// Used in turn, round by round.
    pub openings: Vec<Game>,
    /// What the referee enforces.
    pub rules: Rules,
    /// Games played at the same time.
    pub concurrency: usize,
    /// For players that roll dice.
    pub seed: u64,
}

/// A game of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its number. The games of a pair are 2k and 2k + 1.
    pub game: usize,
    /// Indices of Black and White.
    pub sides: [usize; 2],
    /// Index of the opening.
    pub opening: usize,
}

/// A game that has just ended.
#[derive(Debug)]
pub struct Finished {
    /// Which.
    pub job: Job,
    /// How it went.
    pub record: Record,
    /// The last lines of traffic with the side that lost by a fault.
    pub tail: Vec<String>,
}

impl Plan {
    /// Refuses what cannot be played.
    ///
    /// # Errors
    /// With the reason.
    pub fn check(&self) -> Result<()> {
        ensure!(self.players.len() >= 2, "a match needs two players");
        ensure!(!self.openings.is_empty() && self.rounds > 0, "a match needs openings and games");
        for (i, player) in self.players.iter().enumerate() {
            ensure!(
                self.players[..i].iter().all(|other| other.name != player.name),
                "two players are called `{}`: write NAME=… for one",
                player.name
            );
            let usual = self.openings.iter().all(|game| game.start() == Position::START);
            ensure!(
                usual || player.takes_any_start(),
                "`{}` speaks GTP, which cannot set up positions: give openings as moves",
                player.name
            );
            ensure!(
                self.rules.budget.nodes.is_none() || player.counts_nodes(),
                "`{}` cannot be told to count nodes: give it an option on its command line",
                player.name
            );
        }
        Ok(())
    }

    /// Pairs of players that meet.
    pub fn pairings(&self) -> Vec<[usize; 2]> {
        let n = self.players.len();
        match self.format {
            Format::Gauntlet => (1..n).map(|other| [0, other]).collect(),
            Format::RoundRobin => {
                (0..n).flat_map(|first| (first + 1..n).map(move |second| [first, second])).collect()
            }
        }
    }

    /// Games in the schedule.
    pub fn games(&self) -> usize {
        self.rounds * self.pairings().len() * 2
    }

    /// The game with this number.
    pub fn job(&self, game: usize) -> Job {
        let pairings = self.pairings();
        let (round, rest) = (game / 2 / pairings.len(), game / 2 % pairings.len());
        let [first, second] = pairings[rest];
        let sides = if game.is_multiple_of(2) { [first, second] } else { [second, first] };
        Job { game, sides, opening: round % self.openings.len() }
    }

    /// A number that changes with everything that games depend on, but not with how many there are.
    pub fn fingerprint(&self) -> u32 {
        let mut text = format!("{:?} {:?} {}", self.format, self.rules, self.seed);
        for player in &self.players {
            text += &format!("\n{} {player}", player.name);
        }
        // A longer match has more made openings; the first one stands for the list.
        text += &format!("\n{:?}", self.openings.first());
        crc32fast::hash(text.as_bytes())
    }

    /// What the game file notes of a game.
    pub fn place(&self, job: &Job) -> Place<'_> {
        Place {
            fingerprint: self.fingerprint(),
            game: job.game,
            opening_plies: self.openings[job.opening].moves().len(),
            names: job.sides.map(|side| self.players[side].name.as_str()),
            time: self.rules.budget.time,
        }
    }

    /// A finished game as it counts in tables.
    pub fn summary(&self, finished: &Finished) -> Summary {
        let (end, loser) = match &finished.record.ending {
            Ending::Played => ("played", None),
            Ending::Adjudicated => ("adjudicated", None),
            Ending::Forfeit(loser, fault) => (fault.word(), Some(*loser)),
        };
        Summary {
            game: finished.job.game,
            names: finished.job.sides.map(|side| self.players[side].name.clone()),
            discs: finished.record.discs,
            end: end.to_owned(),
            loser,
        }
    }

    /// Plays all games that are not in `done` and hands each to `sink` as it ends.
    ///
    /// Stops early when `stop` is raised, by `sink` or by others; games under way are then dropped.
    ///
    /// # Errors
    /// The first error of `sink`.
    pub fn run(
        &self,
        done: &BTreeMap<usize, Summary>,
        stop: &AtomicBool,
        mut sink: impl FnMut(Finished) -> Result<()>,
    ) -> Result<()> {
        self.check()?;
        let jobs: Vec<Job> =
            (0..self.games()).filter(|game| !done.contains_key(game)).map(|game| self.job(game)).collect();
        let next = AtomicUsize::new(0);
        let workers = self.concurrency.clamp(1, jobs.len().max(1));
        thread::scope(|scope| {
            // Small, so that no game is far ahead of the file.
            let (send, receive) = mpsc::sync_channel(workers);
            for _ in 0..workers {
                let send = send.clone();
                let (jobs, next) = (&jobs, &next);
                scope.spawn(move || self.work(jobs, next, stop, &send));
            }
            drop(send);
            let mut result = Ok(());
            for finished in receive {
                if result.is_ok() && !stop.load(Ordering::Relaxed) {
                    result = sink(finished);
                }
                if result.is_err() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
            result
        })
    }

    /// Plays games until none is left.
    fn work(&self, jobs: &[Job], next: &AtomicUsize, stop: &AtomicBool, send: &SyncSender<Finished>) {
        let mut judge = Judge::default();
        // The two players of the last game, kept for the next one between the same two.
        let mut seats: BTreeMap<usize, Box<dyn Player>> = BTreeMap::new();
        while !stop.load(Ordering::Relaxed) {
            let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            seats.retain(|index, _| job.sides.contains(index));
            let Some((record, tail)) = self.play_job(job, &mut seats, &mut judge, stop) else { return };
            if send.send(Finished { job: *job, record, tail }).is_err() {
                return;
            }
        }
    }

    /// Plays one game; a player that failed is gone from `seats` afterwards.
    fn play_job(
        &self,
        job: &Job,
        seats: &mut BTreeMap<usize, Box<dyn Player>>,
        judge: &mut Judge,
        stop: &AtomicBool,
    ) -> Option<(Record, Vec<String>)> {
        let opening = &self.openings[job.opening];
        let mut players = Vec::with_capacity(2);
        for (color, index) in [Color::Black, Color::White].into_iter().zip(job.sides) {
            let seed = self.seed ^ (job.game as u64) << 8 ^ index as u64;
            // Players that roll dice start afresh, so that a game depends on its number alone.
            let kept = seats.remove(&index).filter(|_| !self.players[index].rolls_dice());
            match kept.map_or_else(|| self.players[index].start(seed), Ok) {
                Ok(player) => players.push(player),
                Err(fault) => {
                    let notes = vec![Default::default(); opening.moves().len()];
                    return Some((forfeit(opening.clone(), notes, color, fault), Vec::new()));
                }
            }
        }
        let [black, white] = &mut players[..] else { unreachable!("two sides") };
        let record = play(opening, [&mut **black, &mut **white], &self.rules, judge, stop)?;
        let mut tail = Vec::new();
        for (player, (color, index)) in
            players.into_iter().zip([Color::Black, Color::White].into_iter().zip(job.sides))
        {
            match &record.ending {
                Ending::Forfeit(loser, _) if *loser == color => tail = player.tail(),
                _ => drop(seats.insert(index, player)),
            }
        }
        Some((record, tail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use crate::tournament::player::{Budget, TimeControl};

    fn plan(players: &[&str], format: Format, rounds: usize) -> Plan {
        let start = Game::default();
        let mut other = Game::default();
        other.play_square("f5".parse().unwrap()).unwrap();
        Plan {
            players: players.iter().map(|text| text.parse().unwrap()).collect(),
            format,
            rounds,
            openings: vec![start, other],
            rules: Rules {
                budget: Budget { time: TimeControl::Unlimited, depth: Some(1), nodes: None },
                margin: Duration::from_millis(100),
                grace: Duration::from_millis(100),
                patience: Duration::from_secs(5),
                adjudicate: None,
            },
            concurrency: 2,
            seed: 7,
        }
    }

    fn play_all(plan: &Plan, done: &BTreeMap<usize, Summary>) -> BTreeMap<usize, Summary> {
        let mut games = done.clone();
        plan.run(done, &AtomicBool::new(false), |finished| {
            let summary = plan.summary(&finished);
            assert!(games.insert(summary.game, summary).is_none(), "a game played twice");
            Ok(())
        })
        .unwrap();
        games
    }

    #[test]
    fn schedules_pair_every_opening_with_both_colours() {
        let plan = plan(&["random", "greedy", "b=random"], Format::RoundRobin, 3);
        assert_eq!(plan.games(), 18);
        let jobs: Vec<Job> = (0..18).map(|game| plan.job(game)).collect();
        for pair in jobs.chunks(2) {
            assert_eq!(pair[0].opening, pair[1].opening);
            assert_eq!(pair[0].sides, [pair[1].sides[1], pair[1].sides[0]]);
        }
        assert_eq!(jobs[0].sides, [0, 1]);
        assert_eq!(jobs[4].sides, [1, 2]);
        assert_eq!([jobs[0], jobs[6], jobs[12]].map(|job| job.opening), [0, 1, 0]);
        let gauntlet = Plan { format: Format::Gauntlet, ..plan };
        assert_eq!(gauntlet.pairings(), [[0, 1], [0, 2]]);
    }

    #[test]
    fn every_game_is_played_once_and_a_game_depends_on_its_number_alone() {
        let plan = plan(&["random", "greedy", "weak=pentai:depth=1,vision=50"], Format::RoundRobin, 4);
        let whole = play_all(&plan, &BTreeMap::new());
        assert_eq!(whole.len(), 24);
        // Resumed from any part of it the match ends the same.
        let part: BTreeMap<_, _> = whole.clone().into_iter().filter(|(game, _)| game % 5 < 2).collect();
        assert_eq!(play_all(&plan, &part), whole);
        let alone = Plan { concurrency: 1, ..plan };
        assert_eq!(play_all(&alone, &BTreeMap::new()), whole);
    }

    #[test]
    fn engines_that_do_not_start_lose_every_game() {
        let plan = plan(&["greedy", "none=nboard:/no/such/engine"], Format::RoundRobin, 2);
        let games = play_all(&plan, &BTreeMap::new());
        assert_eq!(games.len(), 4);
        for summary in games.values() {
            assert_eq!(summary.end, "start");
            let loser = summary.loser.unwrap();
            assert_eq!(summary.names[loser as usize], "none");
        }
    }

    #[test]
    fn a_failing_sink_and_a_raised_stop_end_the_match() {
        let plan = plan(&["random", "greedy"], Format::RoundRobin, 500);
        let mut seen = 0;
        let result = plan.run(&BTreeMap::new(), &AtomicBool::new(false), |_| {
            seen += 1;
            if seen == 3 { anyhow::bail!("disk full") } else { Ok(()) }
        });
        assert_eq!(result.unwrap_err().to_string(), "disk full");
        assert_eq!(seen, 3);
        let stop = AtomicBool::new(false);
        let mut seen = 0;
        plan.run(&BTreeMap::new(), &stop, |_| {
            seen += 1;
            stop.store(seen == 3, Ordering::Relaxed);
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, 3);
    }

    #[test]
    fn impossible_matches_are_refused() {
        assert!(plan(&["random"], Format::RoundRobin, 1).check().is_err());
        assert!(plan(&["random", "random"], Format::RoundRobin, 1).check().is_err());
        let mut nodes = plan(&["emilia", "nboard:x"], Format::RoundRobin, 1);
        nodes.rules.budget.nodes = Some(100);
        assert!(nodes.check().is_err());
        let mut setup = plan(&["emilia", "gtp:x"], Format::RoundRobin, 1);
        let board = crate::board::Board::START;
        setup.openings = vec![Game::new(Position { board, side: Color::White })];
        assert!(setup.check().unwrap_err().to_string().contains("GTP"));
    }

    #[test]
    fn fingerprints_tell_matches_apart_but_not_their_length() {
        let base = plan(&["random", "greedy"], Format::RoundRobin, 1);
        let print = base.fingerprint();
        assert_eq!(Plan { rounds: 9, concurrency: 1, ..base.clone() }.fingerprint(), print);
        assert_ne!(Plan { seed: 8, ..base.clone() }.fingerprint(), print);
        assert_ne!(Plan { format: Format::Gauntlet, ..base.clone() }.fingerprint(), print);
        let other = plan(&["random", "sustech"], Format::RoundRobin, 1);
        assert_ne!(other.fingerprint(), print);
    }
}
