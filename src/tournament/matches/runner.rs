//! The match: a schedule of games and the workers that play them.
//!
//! The schedule fixes the game numbers: round by round, every meeting plays the round's opening twice, colors swapped. So a
//! longer match begins with the shorter one, and a resumed match reads the numbers of the played games from its file.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::health::Health;
use super::log::{Finished, Summary};
use super::openings::Openings;
use super::referee::{Adjudicator, Ending, Rules, Side, play};
use crate::board::{Color, Game};
use crate::tournament::players::spec::Spec;
use crate::tournament::players::{Clock, Fault, Player};
use crate::util::lock;
use crate::util::os::threads::no_thread;

/// How often the match checks for a request to stop.
const POLL: Duration = Duration::from_millis(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    RoundRobin,
    /// The first meets all others.
    Gauntlet,
}

#[derive(Clone)]
pub struct MatchPlan {
    pub players: Vec<Spec>,
    pub schedule: Schedule,
    /// Rounds: pairs of games for each meeting.
    pub rounds: usize,
    /// Used in turn, round by round.
    pub openings: Openings,
    pub rules: Rules,
    pub jobs: usize,
    /// For players that roll dice.
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Its number. The games of a pair are 2k and 2k + 1.
    pub game: usize,
    /// Indices of Black and White.
    pub sides: [usize; 2],
    pub round: usize,
}

impl MatchPlan {
    pub fn check(&self) -> Result<()> {
        ensure!(self.players.len() >= 2, "a match needs two players");
        ensure!(self.rounds > 0, "a match needs games");
        let usual = self.openings.all_from_the_usual_start()?;
        for (i, player) in self.players.iter().enumerate() {
            ensure!(
                self.players[..i]
                    .iter()
                    .all(|other| other.name != player.name),
                "two players are called `{}`: write NAME=… for one",
                player.name
            );
            ensure!(
                usual || player.takes_any_start(),
                "`{}` speaks GTP, which cannot set up positions: give openings as moves",
                player.name
            );
            player.check(self.rules.budget, "--move-time, --clock, --level")?;
        }
        let budget = self.rules.budget;
        ensure!(
            budget.nodes.is_none()
                || self
                    .players
                    .iter()
                    .any(|player| player.counts_nodes(budget)),
            "--nodes has no effect: only `emilia` in this process counts nodes, and no player uses those of the match"
        );
        Ok(())
    }

    /// Starts every player once, all at the same time, and prepares it for a game. Returns a line for each remark.
    ///
    /// # Errors
    /// One line that names the players that do not start, and why.
    pub fn try_players(&self) -> Result<Vec<String>> {
        let attempt = |spec: &Spec| -> Result<Vec<String>, Fault> {
            let budget = spec.options.budget(self.rules.budget);
            let mut player = spec.start(self.seed, self.rules.start)?;
            player.new_game(&budget)?;
            let named = |remark| format!("`{}` {remark}", spec.name);
            Ok(player.remarks(&budget).into_iter().map(named).collect())
        };
        let mut remarks = Vec::new();
        let mut failures = Vec::new();
        thread::scope(|scope| {
            let start =
                |player| thread::Builder::new().spawn_scoped(scope, move || attempt(player));
            let attempts: Vec<_> = self.players.iter().map(start).collect();
            for (player, attempt) in self.players.iter().zip(attempts) {
                let attempt = attempt.map_err(|error| Fault::Start(no_thread(error).to_string()));
                match attempt.and_then(|attempt| attempt.join().expect("starting does not panic")) {
                    Ok(more) => remarks.extend(more),
                    Err(fault) => failures.push(format!("`{}` {fault}", player.name)),
                }
            }
        });
        if failures.is_empty() {
            Ok(remarks)
        } else {
            bail!("{}; no game was played", failures.join("; "))
        }
    }

    pub fn meetings(&self) -> usize {
        let n = self.players.len();
        match self.schedule {
            Schedule::Gauntlet => n.saturating_sub(1),
            Schedule::RoundRobin => n * n.saturating_sub(1) / 2,
        }
    }

    pub fn meeting(&self, index: usize) -> [usize; 2] {
        if self.schedule == Schedule::Gauntlet {
            return [0, index + 1];
        }
        let mut first = 0;
        let mut rest = index;
        while rest >= self.players.len() - 1 - first {
            rest -= self.players.len() - 1 - first;
            first += 1;
        }
        [first, first + 1 + rest]
    }

    pub fn meeting_of(&self, game: usize) -> usize {
        game / 2 % self.meetings()
    }

    pub fn games(&self) -> usize {
        self.rounds * self.meetings() * 2
    }

    pub fn pairing(&self, game: usize) -> Pairing {
        let [first, second] = self.meeting(self.meeting_of(game));
        let sides = if game.is_multiple_of(2) {
            [first, second]
        } else {
            [second, first]
        };
        Pairing {
            game,
            sides,
            round: game / 2 / self.meetings(),
        }
    }

    /// Whether all games would be the same again from the same opening: without clocks, dice, threads and programs.
    pub fn repeats(&self) -> bool {
        let has_clock =
            |player: &Spec| player.options.budget(self.rules.budget).time != Clock::UNLIMITED;
        self.players
            .iter()
            .all(|player| player.is_inside() && !player.varies() && !has_clock(player))
    }

    /// Plays all games that are not in `done` and hands each to `sink` as it ends. Returns a line for each retired player, whose
    /// other games were not played.
    ///
    /// A `Break` of `sink` drops the games under way and waits for their players. A raised `stop` waits for no player:
    /// [`end_all`](crate::util::os::children::end_all) ends the programs.
    ///
    /// # Errors
    /// The first error of `sink`, or no more openings.
    pub fn run(
        &self,
        done: &BTreeMap<usize, Summary>,
        stop: &Arc<AtomicBool>,
        mut sink: impl FnMut(Finished) -> Result<ControlFlow<()>>,
    ) -> Result<Vec<String>> {
        self.check()?;
        let count = self
            .jobs
            .clamp(1, (self.games() - done.len().min(self.games())).max(1));
        let workers = Arc::new(Workers::new(self, done, stop));
        // Small, so that no game is far ahead of the file.
        let (send, receive) = mpsc::sync_channel(count);
        let mut result = Ok(());
        for _ in 0..count {
            let send = send.clone();
            let worker = workers.clone();
            let started = thread::Builder::new()
                .name("emilia-match".into())
                .spawn(move || worker.work(&send));
            if let Err(error) = started.map_err(no_thread) {
                workers.over.store(true, Ordering::Relaxed);
                result = Err(error).with_context(|| format!("with {count} games at once"));
                break;
            }
        }
        drop(send);
        loop {
            let finished = match receive.recv_timeout(POLL) {
                Ok(finished) => finished,
                Err(RecvTimeoutError::Timeout) if !stop.load(Ordering::Relaxed) => continue,
                Err(_) => break,
            };
            if result.is_ok() && !workers.over.load(Ordering::Relaxed) {
                let flow = finished.and_then(&mut sink);
                let goes_on = matches!(flow, Ok(ControlFlow::Continue(())));
                workers.over.store(!goes_on, Ordering::Relaxed);
                result = flow.map(drop);
            }
        }
        result.map(|()| workers.retired())
    }
}

/// The two players of a worker's last game, by index: kept for the next one between the same two.
type IdlePlayers = BTreeMap<usize, Box<dyn Player>>;

/// The shared state of a match's workers.
struct Workers {
    plan: MatchPlan,
    done: BTreeSet<usize>,
    stop: Arc<AtomicBool>,
    /// The match is decided, or has failed.
    over: AtomicBool,
    /// The next game that no worker has taken.
    next: AtomicUsize,
    /// By the index of a player.
    health: Vec<Mutex<Health>>,
}

impl Workers {
    fn new(plan: &MatchPlan, done: &BTreeMap<usize, Summary>, stop: &Arc<AtomicBool>) -> Self {
        Self {
            plan: plan.clone(),
            done: done.keys().copied().collect(),
            stop: stop.clone(),
            over: AtomicBool::new(false),
            next: AtomicUsize::new(0),
            health: plan.players.iter().map(|_| Mutex::default()).collect(),
        }
    }

    fn health(&self, player: usize) -> MutexGuard<'_, Health> {
        lock(&self.health[player])
    }

    fn is_retired(&self, player: usize) -> bool {
        self.health(player).retired.is_some()
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.over.load(Ordering::Relaxed)
    }

    fn work(&self, send: &SyncSender<Result<Finished>>) {
        let mut adjudicator = Adjudicator::default();
        let mut idle = IdlePlayers::new();
        while let Some(pairing) = self.next_game() {
            idle.retain(|index, _| pairing.sides.contains(index));
            let finished = match self.plan.openings.get(pairing.round) {
                Ok(opening) => self
                    .play(pairing, &opening, &mut idle, &mut adjudicator)
                    .map(Ok),
                Err(error) => Some(Err(error)),
            };
            if finished.is_some_and(|finished| send.send(finished).is_err()) {
                return;
            }
        }
    }

    /// The next game whose players are still in the match; `None` when all are played or the match is stopped.
    fn next_game(&self) -> Option<Pairing> {
        while !self.is_stopped() {
            let game = self.next.fetch_add(1, Ordering::Relaxed);
            if game >= self.plan.games() {
                return None;
            }
            let pairing = self.plan.pairing(game);
            if !self.done.contains(&game)
                && !pairing.sides.iter().any(|&side| self.is_retired(side))
            {
                return Some(pairing);
            }
        }
        None
    }

    /// Plays one game and puts its sound players into `idle`. `None`: it was not played.
    fn play(
        &self,
        pairing: Pairing,
        opening: &Game,
        idle: &mut IdlePlayers,
        adjudicator: &mut Adjudicator,
    ) -> Option<Finished> {
        let [black, white] = pairing
            .sides
            .map(|side| self.player(side, pairing.game, idle));
        let mut black = black?;
        let mut white = white?;
        let rules = &self.plan.rules;
        let side = |index: usize, player| {
            let options = &self.plan.players[index].options;
            let margin = options.margin.unwrap_or(rules.margin);
            Side {
                player,
                budget: options.budget(rules.budget),
                margin,
            }
        };
        let [first, second] = pairing.sides;
        let sides = [side(first, &mut *black), side(second, &mut *white)];
        let outcome = play(opening, sides, rules, adjudicator, &|| self.is_stopped())?;
        let mut tail = Vec::new();
        for (player, color) in [(black, Color::Black), (white, Color::White)] {
            let index = pairing.sides[color as usize];
            match &outcome.ending {
                Ending::Forfeit(loser, fault) if *loser == color => {
                    tail = player.tail();
                    self.health(index).played(Some(fault));
                }
                _ => {
                    self.health(index).played(None);
                    drop(idle.insert(index, player));
                }
            }
        }
        let players = pairing.sides.map(|side| &self.plan.players[side]);
        let names = players.map(|player| player.name.clone());
        let times = players.map(|player| player.options.budget(rules.budget).time);
        let game = pairing.game;
        let opening_plies = opening.moves().len();
        Some(Finished {
            game,
            names,
            times,
            opening_plies,
            outcome,
            tail,
        })
    }

    /// The player with this index, ready to play; `None` if it is retired, or the match is stopped.
    fn player(&self, index: usize, game: usize, idle: &mut IdlePlayers) -> Option<Box<dyn Player>> {
        let spec = &self.plan.players[index];
        // A new player that rolls dice makes a game depend only on its number.
        if let Some(player) = idle.remove(&index).filter(|_| !spec.rolls_dice()) {
            return Some(player);
        }
        let seed = self.plan.seed ^ (game as u64) << 8 ^ index as u64;
        while !self.is_retired(index) && !self.is_stopped() {
            match spec.start(seed, self.plan.rules.start) {
                Ok(player) => {
                    self.health(index).failed_starts = 0;
                    return Some(player);
                }
                // The end of the match ends a start, too.
                Err(_) if self.is_stopped() => return None,
                Err(fault) => {
                    ::log::warn!("{} {fault}", spec.name);
                    self.health(index).failed_start(&fault);
                }
            }
        }
        None
    }

    fn retired(&self) -> Vec<String> {
        let line = |(index, player): (usize, &Spec)| {
            let health = self.health(index);
            Some(format!(
                "`{}` is retired: {}",
                player.name,
                health.retired.as_ref()?
            ))
        };
        self.plan
            .players
            .iter()
            .enumerate()
            .filter_map(line)
            .collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::board::Position;
    use crate::tournament::players::Budget;
    use crate::util::patience::at_most;

    pub fn plan(players: &[&str], schedule: Schedule, rounds: usize) -> MatchPlan {
        let start = Game::default();
        let mut other = Game::default();
        other.play_square("f5".parse().unwrap()).unwrap();
        MatchPlan {
            players: players.iter().map(|text| text.parse().unwrap()).collect(),
            schedule,
            rounds,
            openings: Openings::given(vec![start, other]),
            rules: Rules {
                start: at_most(500),
                patience: at_most(500),
                ..Rules::new(Budget {
                    level: Some(1),
                    ..Budget::FREE
                })
            },
            jobs: 2,
            seed: 7,
        }
    }

    fn play_all(plan: &MatchPlan, done: &BTreeMap<usize, Summary>) -> BTreeMap<usize, Summary> {
        let mut games = done.clone();
        plan.run(done, &Arc::default(), |finished| {
            let summary = finished.summary();
            assert!(
                games.insert(summary.game, summary).is_none(),
                "a game played twice"
            );
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
        games
    }

    #[test]
    fn schedules_pair_every_opening_with_both_colors() {
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
        let gauntlet = MatchPlan {
            schedule: Schedule::Gauntlet,
            ..plan
        };
        assert_eq!(
            [0, 1].map(|index| gauntlet.meeting(index)),
            [[0, 1], [0, 2]]
        );
        let four = self::plan(
            &["random", "greedy", "b=random", "c=random"],
            Schedule::RoundRobin,
            1,
        );
        let meetings: Vec<[usize; 2]> = (0..four.meetings())
            .map(|index| four.meeting(index))
            .collect();
        assert_eq!(meetings, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    }

    #[test]
    fn every_game_is_played_once_and_a_game_depends_on_its_number_alone() {
        let plan = plan(
            &["random", "greedy", "weak=pentai:depth=1,vision=50"],
            Schedule::RoundRobin,
            4,
        );
        let whole = play_all(&plan, &BTreeMap::new());
        assert_eq!(whole.len(), 24);
        // Resumed from any part of it the match ends the same.
        let part: BTreeMap<_, _> = whole
            .clone()
            .into_iter()
            .filter(|(game, _)| game % 5 < 2)
            .collect();
        assert_eq!(play_all(&plan, &part), whole);
        let alone = MatchPlan { jobs: 1, ..plan };
        assert_eq!(play_all(&alone, &BTreeMap::new()), whole);
    }

    #[test]
    fn only_clocks_dice_threads_and_programs_make_games_differ() {
        for (other, time, repeats) in [
            ("sustech", Clock::UNLIMITED, true),
            ("nboard:x", Clock::UNLIMITED, false),
            ("emilia:level=1,threads=2", Clock::UNLIMITED, false),
            ("pentai:vision=60", Clock::UNLIMITED, false),
            ("sustech", Clock::per_move(Duration::from_secs(1)), false),
        ] {
            let mut plan = plan(&["emilia:level=1", other], Schedule::RoundRobin, 1);
            plan.rules.budget.time = time;
            assert_eq!(plan.repeats(), repeats, "{other}, {}", time.in_a_word());
        }
    }

    #[test]
    fn a_sink_that_fails_or_breaks_off_ends_the_match() {
        let plan = plan(&["random", "greedy"], Schedule::RoundRobin, 500);
        for fails in [true, false] {
            let mut seen = 0;
            let result = plan.run(&BTreeMap::new(), &Arc::default(), |_| {
                seen += 1;
                match seen {
                    3 if fails => bail!("disk full"),
                    3 => Ok(ControlFlow::Break(())),
                    _ => Ok(ControlFlow::Continue(())),
                }
            });
            assert_eq!(
                result.err().map(|error| error.to_string()),
                fails.then(|| "disk full".to_owned())
            );
            assert_eq!(seen, 3);
        }
    }

    #[test]
    fn impossible_matches_are_refused() {
        assert!(plan(&["random"], Schedule::RoundRobin, 1).check().is_err());
        assert!(
            plan(&["random", "random"], Schedule::RoundRobin, 1)
                .check()
                .is_err()
        );
        // The check names a missing program before a missing limit.
        let mut free = plan(&["a", "b"], Schedule::RoundRobin, 1);
        free.rules.budget = Budget::FREE;
        let error = free.check().unwrap_err().to_string();
        assert!(
            cfg!(windows) || error.contains("there is no program `a`"),
            "{error}"
        );
        let mut nodes = plan(&["emilia", "nboard:x"], Schedule::RoundRobin, 1);
        nodes.rules.budget.nodes = Some(100);
        assert!(nodes.check().is_err());
        let mut setup = plan(&["emilia", "gtp:x"], Schedule::RoundRobin, 1);
        let board = crate::board::Board::START;
        setup.openings = Openings::given(vec![Game::new(Position {
            board,
            side: Color::White,
        })]);
        assert!(setup.check().unwrap_err().to_string().contains("GTP"));
    }
}
