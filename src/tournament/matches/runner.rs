//! The match: a schedule of games, workers that play them, and the order in which all stays true.
//!
//! Game numbers are fixed by the schedule: round by round, in each round every meeting plays the round's
//! opening twice, colours swapped. So a longer match begins with the shorter one, and a resumed match
//! knows from the numbers in its file what is left to play.
//!
//! A player that cannot be started has played no game: its games stay open, and after
//! `FAILED_STARTS` attempts in a row it is given up, as after `DEFECTS` games in a row that it lost by
//! a defect.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};

use anyhow::{Context, Result, bail, ensure};

use super::log::{GameHeader, Summary, game_key};
use super::openings::Openings;
use super::referee::{Adjudicator, Ending, GameOutcome, Rules, Side, play};
use crate::board::{Color, Game};
use crate::tournament::players::spec::Spec;
use crate::tournament::players::{Fault, Player, TimeControl};

/// Starts in a row that may fail before a player is given up.
const FAILED_STARTS: u32 = 2;

/// Games in a row that a player may lose by a defect before it is given up.
const DEFECTS: u32 = 10;

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Everyone meets everyone.
    RoundRobin,
    /// The first meets all others.
    Gauntlet,
}

/// A match before its first game.
#[derive(Clone, Debug)]
pub struct MatchPlan {
    /// The players, at least two.
    pub players: Vec<Spec>,
    /// Who meets whom.
    pub schedule: Schedule,
    /// Rounds: pairs of games for each meeting.
    pub rounds: usize,
    /// Used in turn, round by round.
    pub openings: Openings,
    /// What the referee enforces.
    pub rules: Rules,
    /// Games played at the same time.
    pub jobs: usize,
    /// For players that roll dice.
    pub seed: u64,
}

/// A game of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Its number. The games of a pair are 2k and 2k + 1.
    pub game: usize,
    /// Indices of Black and White.
    pub sides: [usize; 2],
    /// The round, whose opening it plays.
    pub round: usize,
}

/// A game that has just ended.
#[derive(Debug)]
pub struct Finished {
    /// Which.
    pub pairing: Pairing,
    /// How it went.
    pub outcome: GameOutcome,
    /// Moves of its opening.
    pub opening_plies: usize,
    /// The last lines of traffic with the side that lost by a fault.
    pub tail: Vec<String>,
}

/// A player that was given up: what is left of its games was not played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retired {
    /// Its name.
    pub name: String,
    /// Why, in one line.
    pub why: String,
}

/// Whether two players would play the same game again from the same opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repetition {
    /// A clock, dice or threads make each game another.
    No,
    /// A program of its own: nobody knows.
    Likely,
    /// Nothing differs from one game to the next.
    Sure,
}

impl MatchPlan {
    /// Refuses what cannot be played.
    ///
    /// # Errors
    /// With the reason.
    pub fn check(&self) -> Result<()> {
        ensure!(self.players.len() >= 2, "a match needs two players");
        ensure!(self.rounds > 0, "a match needs games");
        let usual = self.openings.all_from_the_usual_start()?;
        for (i, player) in self.players.iter().enumerate() {
            ensure!(
                self.players[..i].iter().all(|other| other.name != player.name),
                "two players are called `{}`: write NAME=… for one",
                player.name
            );
            ensure!(
                usual || player.takes_any_start(),
                "`{}` speaks GTP, which cannot set up positions: give openings as moves",
                player.name
            );
            player.check(self.rules.budget)?;
        }
        let budget = self.rules.budget;
        ensure!(
            budget.nodes.is_none() || self.players.iter().any(|player| player.counts_nodes(budget)),
            "--nodes has no effect: only `emilia` in this process counts nodes, and none here plays by those of the match"
        );
        Ok(())
    }

    /// Starts every player once, all at the same time, and lets it get ready for a game; lines on what they call
    /// themselves and cannot be told.
    ///
    /// # Errors
    /// One line that names those that do not start, and why.
    pub fn try_players(&self) -> Result<Vec<String>> {
        let attempt = |spec: &Spec| -> Result<Vec<String>, Fault> {
            let budget = spec.options.budget(self.rules.budget);
            let mut player = spec.start(self.seed, self.rules.start)?;
            player.new_game(&budget)?;
            let named = |remark| format!("`{}` {remark}", spec.name);
            Ok(player.remarks(&budget).into_iter().map(named).collect())
        };
        let results: Vec<Result<Vec<String>, Fault>> = thread::scope(|scope| {
            let start = |player| spawn(scope, move || attempt(player));
            let attempts: Vec<_> = self.players.iter().map(start).collect();
            let results = attempts.into_iter().map(|attempt| {
                let attempt = attempt.map_err(|error| Fault::Start(error.to_string()))?;
                attempt.join().expect("starting does not panic")
            });
            results.collect()
        });
        let (mut remarks, mut failures) = (Vec::new(), Vec::new());
        for (result, player) in results.into_iter().zip(&self.players) {
            match result {
                Ok(more) => remarks.extend(more),
                Err(fault) => failures.push(format!("`{}` {fault}", player.name)),
            }
        }
        if failures.is_empty() { Ok(remarks) } else { bail!("{}; no game was played", failures.join("; ")) }
    }

    /// How many pairs of players meet.
    pub fn meetings(&self) -> usize {
        let n = self.players.len();
        match self.schedule {
            Schedule::Gauntlet => n.saturating_sub(1),
            Schedule::RoundRobin => n * n.saturating_sub(1) / 2,
        }
    }

    /// The two who meet in the meeting with this index.
    pub fn meeting(&self, index: usize) -> [usize; 2] {
        if self.schedule == Schedule::Gauntlet {
            return [0, index + 1];
        }
        let (mut first, mut rest) = (0, index);
        while rest >= self.players.len() - 1 - first {
            rest -= self.players.len() - 1 - first;
            first += 1;
        }
        [first, first + 1 + rest]
    }

    /// The index of the meeting that a game belongs to.
    pub fn meeting_of(&self, game: usize) -> usize {
        game / 2 % self.meetings()
    }

    /// Games in the schedule.
    pub fn games(&self) -> usize {
        self.rounds * self.meetings() * 2
    }

    /// The game with this number.
    pub fn pairing(&self, game: usize) -> Pairing {
        let [first, second] = self.meeting(self.meeting_of(game));
        let sides = if game.is_multiple_of(2) { [first, second] } else { [second, first] };
        Pairing { game, sides, round: game / 2 / self.meetings() }
    }

    /// Whether the games of a meeting would be the same again from the same opening.
    pub fn repetition(&self, meeting: [usize; 2]) -> Repetition {
        let players = meeting.map(|index| &self.players[index]);
        let has_clock =
            |player: &Spec| player.options.budget(self.rules.budget).time != TimeControl::Unlimited;
        if players.iter().any(|player| has_clock(player) || player.varies()) {
            Repetition::No
        } else if players.iter().any(|player| !player.is_inside()) {
            Repetition::Likely
        } else {
            Repetition::Sure
        }
    }

    /// What the game file notes of a game.
    pub fn header<'a>(&'a self, finished: &Finished, identity: &'a str) -> GameHeader<'a> {
        GameHeader {
            identity,
            game: finished.pairing.game,
            opening_plies: finished.opening_plies,
            names: finished.pairing.sides.map(|side| self.players[side].name.as_str()),
            times: finished
                .pairing
                .sides
                .map(|side| self.players[side].options.budget(self.rules.budget).time),
        }
    }

    /// A finished game as it counts in tables.
    pub fn summary(&self, finished: &Finished) -> Summary {
        let outcome = &finished.outcome;
        Summary {
            game: finished.pairing.game,
            names: finished.pairing.sides.map(|side| self.players[side].name.clone()),
            discs: outcome.discs,
            end: outcome.ending.word().to_owned(),
            loser: outcome.ending.loser(),
            moves: game_key(&outcome.game),
        }
    }

    /// Plays all games that are not in `done` and hands each to `sink` as it ends.
    ///
    /// Stops early when `stop` is raised, by `sink` or by others; games under way are then dropped. Gives
    /// the players that were given up.
    ///
    /// # Errors
    /// The first error of `sink`, or that there are no more openings.
    pub fn run(
        &self,
        done: &BTreeMap<usize, Summary>,
        stop: &AtomicBool,
        mut sink: impl FnMut(Finished) -> Result<()>,
    ) -> Result<Vec<Retired>> {
        self.check()?;
        let shared = Workers { plan: self, done, stop, next: AtomicUsize::new(0), health: Mutex::default() };
        let workers = self.jobs.clamp(1, (self.games() - done.len().min(self.games())).max(1));
        thread::scope(|scope| {
            // Small, so that no game is far ahead of the file.
            let (send, receive) = mpsc::sync_channel(workers);
            let mut result = Ok(());
            for _ in 0..workers {
                let (send, shared) = (send.clone(), &shared);
                if let Err(error) = spawn(scope, move || shared.work(&send)) {
                    stop.store(true, Ordering::Relaxed);
                    result = Err(error.context(format!("with {workers} games at once")));
                    break;
                }
            }
            drop(send);
            for finished in receive {
                if result.is_ok() && !stop.load(Ordering::Relaxed) {
                    result = finished.and_then(&mut sink);
                }
                if result.is_err() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
            result
        })?;
        Ok(shared.retired())
    }
}

/// Starts a thread of `scope`.
fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    body: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>> {
    thread::Builder::new().spawn_scoped(scope, body).context("the system starts no more threads")
}

/// The two players of a worker's last game, by index: kept for the next one between the same two.
type IdlePlayers = BTreeMap<usize, Box<dyn Player>>;

/// How a player has fared apart from the board.
#[derive(Clone, Debug, Default)]
struct Health {
    /// Failed starts in a row.
    starts: u32,
    /// Games in a row lost by a defect.
    defects: u32,
    /// Why it was given up.
    retired: Option<String>,
}

/// What the workers of a match share.
struct Workers<'a> {
    plan: &'a MatchPlan,
    done: &'a BTreeMap<usize, Summary>,
    stop: &'a AtomicBool,
    /// The next game that nobody has taken.
    next: AtomicUsize,
    /// By the index of the player.
    health: Mutex<BTreeMap<usize, Health>>,
}

impl Workers<'_> {
    /// Plays games until none is left.
    fn work(&self, send: &SyncSender<Result<Finished>>) {
        let mut adjudicator = Adjudicator::default();
        let mut idle = IdlePlayers::new();
        while let Some(pairing) = self.next_game() {
            idle.retain(|index, _| pairing.sides.contains(index));
            let finished = match self.plan.openings.get(pairing.round) {
                Ok(opening) => self.play(pairing, &opening, &mut idle, &mut adjudicator).map(Ok),
                Err(error) => Some(Err(error)),
            };
            if finished.is_some_and(|finished| send.send(finished).is_err()) {
                return;
            }
        }
    }

    /// The next game whose players are still at hand; none when all are played or the match is stopped.
    fn next_game(&self) -> Option<Pairing> {
        while !self.stop.load(Ordering::Relaxed) {
            let game = self.next.fetch_add(1, Ordering::Relaxed);
            if game >= self.plan.games() {
                return None;
            }
            let pairing = self.plan.pairing(game);
            if !self.done.contains_key(&game) && !pairing.sides.iter().any(|&side| self.is_retired(side)) {
                return Some(pairing);
            }
        }
        None
    }

    /// Plays one game; a player that failed is gone from `idle` afterwards. `None`: it was not played.
    fn play(
        &self,
        pairing: Pairing,
        opening: &Game,
        idle: &mut IdlePlayers,
        adjudicator: &mut Adjudicator,
    ) -> Option<Finished> {
        let [black, white] = pairing.sides.map(|side| self.player(side, pairing.game, idle));
        let (mut black, mut white) = (black?, white?);
        let rules = &self.plan.rules;
        let side = |index: usize, player| {
            let options = &self.plan.players[index].options;
            let margin = options.margin.unwrap_or(rules.margin);
            Side { player, budget: options.budget(rules.budget), margin }
        };
        let [first, second] = pairing.sides;
        let sides = [side(first, &mut *black), side(second, &mut *white)];
        let outcome = play(opening, sides, rules, adjudicator, self.stop)?;
        let mut tail = Vec::new();
        for (player, color) in [(black, Color::Black), (white, Color::White)] {
            let index = pairing.sides[color as usize];
            match &outcome.ending {
                Ending::Forfeit(loser, fault) if *loser == color => {
                    tail = player.tail();
                    self.note_forfeit(index, fault);
                }
                _ => {
                    self.lock().entry(index).or_default().defects = 0;
                    drop(idle.insert(index, player));
                }
            }
        }
        Some(Finished { pairing, outcome, opening_plies: opening.moves().len(), tail })
    }

    /// The player with this index, ready to play; `None` when it was given up.
    fn player(&self, index: usize, game: usize, idle: &mut IdlePlayers) -> Option<Box<dyn Player>> {
        let spec = &self.plan.players[index];
        // Players that roll dice start afresh, so that a game depends on its number alone.
        if let Some(player) = idle.remove(&index).filter(|_| !spec.rolls_dice()) {
            return Some(player);
        }
        let seed = self.plan.seed ^ (game as u64) << 8 ^ index as u64;
        while !self.is_retired(index) {
            match spec.start(seed, self.plan.rules.start) {
                Ok(player) => {
                    self.lock().entry(index).or_default().starts = 0;
                    return Some(player);
                }
                Err(fault) => self.note_failed_start(index, &fault),
            }
        }
        None
    }

    fn note_failed_start(&self, index: usize, fault: &Fault) {
        ::log::warn!("{} {fault}", self.plan.players[index].name);
        let mut health = self.lock();
        let health = health.entry(index).or_default();
        health.starts += 1;
        if health.starts >= FAILED_STARTS {
            health.retired.get_or_insert_with(|| format!("{fault} ({FAILED_STARTS} times in a row)"));
        }
    }

    fn note_forfeit(&self, index: usize, fault: &Fault) {
        let mut health = self.lock();
        let health = health.entry(index).or_default();
        health.defects = if fault.is_defect() { health.defects + 1 } else { 0 };
        if health.defects >= DEFECTS {
            let why = || format!("lost {DEFECTS} games in a row by faults, the last: {fault}");
            health.retired.get_or_insert_with(why);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Health>> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_retired(&self, index: usize) -> bool {
        self.lock().get(&index).is_some_and(|health| health.retired.is_some())
    }

    fn retired(&self) -> Vec<Retired> {
        let retired = |(&index, health): (&usize, &Health)| {
            let name = self.plan.players[index].name.clone();
            Some(Retired { name, why: health.retired.clone()? })
        };
        self.lock().iter().filter_map(retired).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use crate::board::Position;
    use crate::tournament::players::Budget;
    use crate::util::patience::at_most;

    fn plan(players: &[&str], schedule: Schedule, rounds: usize) -> MatchPlan {
        let start = Game::default();
        let mut other = Game::default();
        other.play_square("f5".parse().unwrap()).unwrap();
        MatchPlan {
            players: players.iter().map(|text| text.parse().unwrap()).collect(),
            schedule,
            rounds,
            openings: Openings::given(vec![start, other]),
            rules: Rules {
                budget: Budget { time: TimeControl::Unlimited, depth: Some(1), nodes: None },
                margin: Duration::from_millis(100),
                grace: Duration::from_millis(100),
                start: at_most(500),
                patience: at_most(500),
                adjudicate: None,
            },
            jobs: 2,
            seed: 7,
        }
    }

    fn play_all(plan: &MatchPlan, done: &BTreeMap<usize, Summary>) -> BTreeMap<usize, Summary> {
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
        let plan = plan(&["random", "greedy", "b=random"], Schedule::RoundRobin, 3);
        assert_eq!(plan.games(), 18);
        let jobs: Vec<Pairing> = (0..18).map(|game| plan.pairing(game)).collect();
        for pair in jobs.chunks(2) {
            assert_eq!(pair[0].round, pair[1].round);
            assert_eq!(pair[0].sides, [pair[1].sides[1], pair[1].sides[0]]);
        }
        assert_eq!(jobs[0].sides, [0, 1]);
        assert_eq!(jobs[4].sides, [1, 2]);
        assert_eq!([jobs[0], jobs[6], jobs[12]].map(|job| job.round), [0, 1, 2]);
        let gauntlet = MatchPlan { schedule: Schedule::Gauntlet, ..plan };
        assert_eq!([0, 1].map(|index| gauntlet.meeting(index)), [[0, 1], [0, 2]]);
        let four = self::plan(&["random", "greedy", "b=random", "c=random"], Schedule::RoundRobin, 1);
        let meetings: Vec<[usize; 2]> = (0..four.meetings()).map(|index| four.meeting(index)).collect();
        assert_eq!(meetings, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    }

    #[test]
    fn every_game_is_played_once_and_a_game_depends_on_its_number_alone() {
        let plan = plan(&["random", "greedy", "weak=pentai:depth=1,vision=50"], Schedule::RoundRobin, 4);
        let whole = play_all(&plan, &BTreeMap::new());
        assert_eq!(whole.len(), 24);
        // Resumed from any part of it the match ends the same.
        let part: BTreeMap<_, _> = whole.clone().into_iter().filter(|(game, _)| game % 5 < 2).collect();
        assert_eq!(play_all(&plan, &part), whole);
        let alone = MatchPlan { jobs: 1, ..plan };
        assert_eq!(play_all(&alone, &BTreeMap::new()), whole);
    }

    #[test]
    fn players_that_do_not_start_play_no_game() {
        let plan = plan(&["greedy", "none=nboard:/no/such/engine"], Schedule::RoundRobin, 200);
        let error = plan.try_players().unwrap_err().to_string();
        assert!(error.contains("`none` did not start") && error.contains("/no/such/engine"), "{error}");
        assert!(!error.contains("greedy"), "{error}");
        // Also when it happens in the middle of a match, and soon.
        let retired = plan.run(&BTreeMap::new(), &AtomicBool::new(false), |finished| {
            panic!("a game without players: {finished:?}")
        });
        let retired = retired.unwrap();
        assert_eq!(retired.len(), 1);
        assert!(retired[0].name == "none" && retired[0].why.contains("2 times in a row"), "{retired:?}");
    }

    #[test]
    fn only_clocks_dice_and_threads_make_games_differ() {
        let timed = |players: &[&str], time| {
            let mut plan = plan(players, Schedule::RoundRobin, 1);
            plan.rules.budget.time = time;
            plan.repetition([0, 1])
        };
        let free = TimeControl::Unlimited;
        assert_eq!(timed(&["emilia:depth=1", "sustech"], free), Repetition::Sure);
        assert_eq!(timed(&["emilia:depth=1", "nboard:x"], free), Repetition::Likely);
        assert_eq!(timed(&["emilia:depth=1", "emilia:depth=1,threads=2"], free), Repetition::No);
        assert_eq!(timed(&["emilia:depth=1", "pentai:vision=60"], free), Repetition::No);
        assert_eq!(
            timed(&["emilia:depth=1", "sustech"], TimeControl::Move(Duration::from_secs(1))),
            Repetition::No
        );
    }

    #[test]
    fn a_failing_sink_and_a_raised_stop_end_the_match() {
        let plan = plan(&["random", "greedy"], Schedule::RoundRobin, 500);
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
        assert!(plan(&["random"], Schedule::RoundRobin, 1).check().is_err());
        assert!(plan(&["random", "random"], Schedule::RoundRobin, 1).check().is_err());
        let mut nodes = plan(&["emilia", "nboard:x"], Schedule::RoundRobin, 1);
        nodes.rules.budget.nodes = Some(100);
        assert!(nodes.check().is_err());
        let mut setup = plan(&["emilia", "gtp:x"], Schedule::RoundRobin, 1);
        let board = crate::board::Board::START;
        setup.openings = Openings::given(vec![Game::new(Position { board, side: Color::White })]);
        assert!(setup.check().unwrap_err().to_string().contains("GTP"));
    }
}
