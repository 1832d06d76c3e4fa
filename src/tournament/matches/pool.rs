//! The games of several files in one table.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use anyhow::{Result, ensure};

use super::files;
use super::log::{LoggedGame, Summary};
use super::openings::Openings;
use super::referee::Rules;
use super::runner::{MatchPlan, Schedule};
use crate::tournament::players::Budget;
use crate::tournament::players::spec::Spec;
use crate::util::options::Facts;

/// The facts of a match that may differ between the files of a pool without a word.
const FREE: [&str; 5] = ["seed", "openings", "players", "files", "program"];

/// A round robin of all players with the games of several files, numbered by its schedule.
pub struct Pool {
    pub plan: MatchPlan,
    pub games: Vec<Summary>,
    /// The facts that differ between the files, such as `clock`.
    pub differences: BTreeSet<String>,
}

impl Pool {
    /// # Errors
    /// When a file cannot be read or holds anything else than games of a match.
    pub fn read<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Self> {
        let mut files = Vec::new();
        for path in paths {
            files.push(files::read(path)?);
        }
        Self::of(&files)
    }

    fn of(files: &[Vec<LoggedGame>]) -> Result<Self> {
        let all = || files.iter().flatten();
        let mut names: Vec<&String> = Vec::new();
        for name in all().flat_map(|logged| &logged.summary.names) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        ensure!(names.len() >= 2, "a table needs two players");
        let mut plan = MatchPlan {
            players: names.iter().map(|name| Spec::of_games(name)).collect(),
            schedule: Schedule::RoundRobin,
            rounds: 1,
            openings: Openings::given(Vec::new()),
            rules: Rules::new(Budget::FREE),
            jobs: 1,
            seed: 0,
        };
        let games = numbered(&plan, files);
        plan.rounds = games.len().div_ceil(2 * plan.meetings());
        let facts = |logged: &LoggedGame| Facts::of(logged.identity.split(' '), '=');
        let first = files[0].first().map(facts).unwrap_or_default();
        let mut differences = BTreeSet::new();
        for other in files.iter().filter_map(|file| file.first()).map(facts) {
            let names = first
                .differences(&other)
                .map(|(name, _, _)| name.to_owned());
            differences.extend(names.filter(|name| !FREE.contains(&&**name)));
        }
        Ok(Self {
            plan,
            games,
            differences,
        })
    }
}

/// The games with the numbers of `plan`: those of a pair stay together.
fn numbered(plan: &MatchPlan, files: &[Vec<LoggedGame>]) -> Vec<Summary> {
    let index = |name: &String| plan.players.iter().position(|player| player.name == *name);
    let meetings: HashMap<[usize; 2], usize> = (0..plan.meetings())
        .map(|meeting| (plan.meeting(meeting), meeting))
        .collect();
    let mut pairs = BTreeMap::new();
    let mut counts = vec![0; plan.meetings()];
    let mut games = Vec::new();
    for (file, logged) in files.iter().enumerate() {
        for LoggedGame { summary, .. } in logged {
            let [black, white] = [0, 1].map(|side: usize| index(&summary.names[side]));
            let (Some(black), Some(white)) = (black, white) else {
                continue;
            };
            let Some(&meeting) = meetings.get(&[black.min(white), black.max(white)]) else {
                continue;
            };
            let round = *pairs.entry((file, summary.game / 2)).or_insert_with(|| {
                counts[meeting] += 1;
                counts[meeting] - 1
            });
            let pair = round * plan.meetings() + meeting;
            let game = 2 * pair + usize::from(black > white);
            games.push(Summary {
                game,
                ..summary.clone()
            });
        }
    }
    games
}

#[cfg(test)]
mod tests {
    use super::super::scoreboard::Scoreboard;
    use super::*;
    use crate::board::Game;

    fn logged(game: usize, names: [&str; 2], discs: i32) -> LoggedGame {
        LoggedGame {
            identity: "seed=1".to_owned(),
            summary: Summary {
                game,
                names: names.map(str::to_owned),
                discs,
                end: "played".to_owned(),
                loser: None,
                moves: discs.unsigned_abs(),
            },
            opening: Game::default(),
        }
    }

    #[test]
    fn files_of_several_matches_make_one_table() {
        // In the second file the players are named the other way round.
        let first = [logged(0, ["a", "b"], 10), logged(1, ["b", "a"], -4)];
        let second = [logged(0, ["b", "a"], 6), logged(1, ["a", "b"], 2)];
        let third = [logged(6, ["c", "a"], 64)];
        let files = [first.to_vec(), second.to_vec(), third.to_vec()];
        let Pool { plan, games, .. } = Pool::of(&files).unwrap();
        let scoreboard = Scoreboard::of_games(&plan, &games);
        let names: Vec<&str> = plan.players.iter().map(|player| &*player.name).collect();
        assert_eq!(names, ["a", "b", "c"]);
        let score = |index: usize| {
            let tally = scoreboard.scores[index].all;
            (tally.wins, tally.losses, tally.complete_pairs())
        };
        // a - b, a - c, b - c.
        assert_eq!(
            [score(0), score(1), score(2)],
            [(3, 1, 2), (0, 1, 0), (0, 0, 0)]
        );
    }

    #[test]
    fn other_conditions_are_named() {
        let with = |clock: &str, seed: u32| {
            let mut game = logged(0, ["a", "b"], 2);
            game.identity = format!("clock={clock} seed={seed}");
            vec![game]
        };
        let differences = |files: &[Vec<LoggedGame>]| {
            let pool = Pool::of(files).unwrap();
            pool.differences.into_iter().collect::<Vec<_>>()
        };
        assert!(differences(&[with("1+0", 1), with("1+0", 2)]).is_empty());
        assert_eq!(differences(&[with("1+0", 1), with("2+0", 2)]), ["clock"]);
    }
}
