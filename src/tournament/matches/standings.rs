//! The tables of a match.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use super::runner::MatchPlan;
use super::scoreboard::{Losses, MeetingScore, PlayerScore, Scoreboard, SprtState};
use super::stats::{Elo, Sprt, Tally};

/// The widest column of names.
const WIDEST_NAME: usize = 14;

/// The results of two players against each other, from the view of the first.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Meeting {
    pub first: String,
    pub second: String,
    pub tally: Tally,
    /// The first's points per game.
    pub score: f64,
    pub elo: Elo,
    /// The lead in standard deviations of a game, on the scale of Elo; `None` without an estimate.
    pub normalized_elo: Option<Elo>,
    pub superiority: f64,
    /// Pairs that repeat an earlier one move by move: no evidence for `elo`.
    pub repeated_pairs: u64,
    /// Pairs with a game lost by a defect: no evidence for the sequential test.
    pub defect_pairs: u64,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Row {
    pub name: String,
    pub tally: Tally,
    pub points: f64,
    /// The difference to all its opponents together.
    pub elo: Elo,
    #[serde(flatten)]
    pub losses: Losses,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Standings {
    pub games: usize,
    pub scheduled: usize,
    /// Games by their ending: `played`, `adjudicated`, `resigned`, or the word of a fault.
    pub endings: BTreeMap<String, u64>,
    /// All players, best first.
    pub players: Vec<Row>,
    pub meetings: Vec<Meeting>,
    pub sprt: Option<SprtState>,
}

impl Standings {
    pub fn new(plan: &MatchPlan, scoreboard: &Scoreboard, sprt: Option<Sprt>) -> Self {
        let name = |index: usize| plan.players[index].name.clone();
        let meeting = |(index, score): (usize, &MeetingScore)| {
            let [first, second] = plan.meeting(index).map(name);
            Meeting {
                first,
                second,
                tally: score.all,
                score: score.all.score(),
                elo: score.elo(),
                normalized_elo: score.evidence().normalized_elo(),
                superiority: score.evidence().superiority(),
                repeated_pairs: score.repeated_pairs(),
                defect_pairs: score.defect_pairs(),
            }
        };
        let row = |index: usize| {
            let PlayerScore { all, evidence } = scoreboard.of_player(plan, index);
            let losses = scoreboard.losses[index].clone();
            Row {
                name: name(index),
                tally: all,
                points: all.points(),
                elo: evidence.elo(),
                losses,
            }
        };
        let mut players: Vec<Row> = (0..plan.players.len()).map(row).collect();
        players.sort_by(|a, b| {
            b.points
                .total_cmp(&a.points)
                .then(b.tally.discs.cmp(&a.tally.discs))
        });
        Self {
            games: scoreboard.games,
            scheduled: plan.games(),
            endings: scoreboard.endings.clone(),
            players,
            meetings: scoreboard.scores.iter().enumerate().map(meeting).collect(),
            sprt: sprt.map(|test| scoreboard.sprt(test)),
        }
    }

    pub fn to_text(&self) -> String {
        let lengths = self.players.iter().map(|line| line.name.len());
        let width = lengths.max().unwrap_or(0).clamp(6, WIDEST_NAME);
        let mut text = format!(
            "  # {:<width$} {:>11} {:>15} {:>7}  Elo (95 %)\n",
            "player", "points", "won drawn lost", "discs"
        );
        for (rank, line) in self.players.iter().enumerate() {
            let Row {
                name, tally, elo, ..
            } = line;
            let points = format!("{}/{}", line.points, tally.games());
            // A long name has a line of its own.
            let name = match name.len() > width {
                true => format!("{name}\n{:<1$}", "", width + 4),
                false => name.clone(),
            };
            text += &format!(
                "{:>3} {name:<width$} {points:>11} {:>15} {:>+7.2}  {elo}\n",
                rank + 1,
                tally.to_string(),
                tally.discs_per_game(),
            );
        }
        let faulty = self
            .players
            .iter()
            .filter(|line| line.losses != Losses::default());
        text.extend(faulty.map(|line| format!("    {} lost by: {}\n", line.name, line.losses)));
        self.meetings
            .iter()
            .for_each(|meeting| text += &format!("\n{meeting}\n"));
        text.extend(self.sprt.map(|state| format!("{state}\n")));
        text += &match self.games > self.scheduled {
            true => format!(
                "\n{} games, more than the {} of this match",
                self.games, self.scheduled
            ),
            false => format!("\n{} of {} games", self.games, self.scheduled),
        };
        let endings: Vec<String> = self
            .endings
            .iter()
            .map(|(end, count)| format!("{count} {end}"))
            .collect();
        if endings.is_empty() {
            text
        } else {
            text + ": " + &endings.join(", ")
        }
    }

    /// A cross table of points in Markdown.
    pub fn to_markdown(&self) -> String {
        let mut text = "| # | player | points | games | Elo (95 %) |".to_owned();
        self.players
            .iter()
            .for_each(|line| text += &format!(" {} |", line.name));
        text += "\n|--:|---|--:|--:|--:|";
        self.players.iter().for_each(|_| text += "--:|");
        for (rank, line) in self.players.iter().enumerate() {
            let games = line.tally.games();
            let Row {
                name, points, elo, ..
            } = line;
            let _ = write!(
                text,
                "\n| {} | {name} | {points} | {games} | {elo} |",
                rank + 1
            );
            for other in &self.players {
                let of = |first: &Row, second: &Row, meeting: &Meeting| {
                    (meeting.first == first.name && meeting.second == second.name)
                        .then_some(meeting.tally)
                };
                let tally = self.meetings.iter().find_map(|meeting| {
                    of(line, other, meeting).or_else(|| Some(of(other, line, meeting)?.turned()))
                });
                text += &tally
                    .map_or_else(|| " |".to_owned(), |tally| format!(" {} |", tally.points()));
            }
        }
        text
    }
}

impl fmt::Display for Meeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            first,
            second,
            tally,
            elo,
            ..
        } = self;
        let confidence = if elo.low.is_some() || elo.high.is_some() {
            " (95 %)"
        } else {
            ""
        };
        let percent = 100.0 * self.score;
        let discs = tally.discs_per_game();
        writeln!(
            f,
            "{first} - {second}: {tally}, {percent:.1} %, {discs:+.2} discs/game"
        )?;
        let superiority = 100.0 * self.superiority;
        writeln!(f, "  Elo {elo}{confidence}, superiority {superiority:.1} %")?;
        let normalized = self.normalized_elo.as_ref();
        let normalized = normalized.map(|elo| format!(", normalized Elo {elo}"));
        let normalized = normalized.unwrap_or_default();
        write!(f, "  pairs {:?}{normalized}", tally.pairs)?;
        if self.repeated_pairs > 0 {
            let repeated = self.repeated_pairs;
            let pairs = tally.complete_pairs();
            write!(
                f,
                "\n  {repeated} of {pairs} pairs repeat an earlier one move by move: Elo counts each once"
            )?;
        }
        if self.defect_pairs > 0 {
            let pairs = self.defect_pairs;
            write!(
                f,
                "\n  {pairs} pairs hold a game lost by a crash or the like: no evidence for a sequential test"
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::board::Color;
    use crate::tournament::matches::log::Summary;
    use crate::tournament::matches::runner::{self, Schedule};

    /// Three players, two rounds.
    pub fn plan() -> MatchPlan {
        runner::tests::plan(
            &["a=random", "b=random", "c=random"],
            Schedule::RoundRobin,
            2,
        )
    }

    /// A game played to its end with this disc difference for Black.
    pub fn summary(plan: &MatchPlan, game: usize, discs: i32) -> Summary {
        let names = plan
            .pairing(game)
            .sides
            .map(|side| plan.players[side].name.clone());
        Summary {
            game,
            names,
            discs,
            end: "played".to_owned(),
            loser: None,
            moves: game as u32,
        }
    }

    /// Games with these disc differences for Black; the third was lost by a crash of Black.
    fn games(plan: &MatchPlan, discs: &[i32]) -> Vec<Summary> {
        let mut games: Vec<Summary> = discs
            .iter()
            .enumerate()
            .map(|(game, &discs)| summary(plan, game, discs))
            .collect();
        if let Some(crash) = games.get_mut(2) {
            (crash.end, crash.loser) = ("crash".to_owned(), Some(Color::Black));
        }
        games
    }

    fn standings(plan: &MatchPlan, games: &[Summary], sprt: Option<Sprt>) -> Standings {
        Standings::new(plan, &Scoreboard::of_games(plan, games), sprt)
    }

    #[test]
    fn games_add_up() {
        let plan = plan();
        // a-b: a wins as Black, wins as White. a-c: a crashes, then a draw. b-c: b wins, c wins.
        let games = games(&plan, &[10, -6, -64, 0, 2, 4]);
        let standings = standings(&plan, &games, None);
        let [ab, ac, bc] = &standings.meetings[..] else {
            panic!()
        };
        let tally = |[wins, draws, losses]: [u64; 3], discs, pairs| Tally {
            wins,
            draws,
            losses,
            discs,
            pairs,
        };
        assert_eq!(ab.tally, tally([2, 0, 0], 16, [0, 0, 0, 0, 1]));
        assert_eq!(ac.tally, tally([0, 1, 1], -64, [0, 1, 0, 0, 0]));
        assert_eq!(bc.tally, tally([1, 0, 1], -2, [0, 0, 1, 0, 0]));
        let a = standings
            .players
            .iter()
            .find(|line| line.name == "a")
            .unwrap();
        assert_eq!((a.points, a.tally.discs), (2.5, -48));
        assert_eq!(a.losses.faults, BTreeMap::from([("crash".to_owned(), 1)]));
        assert_eq!(
            standings
                .players
                .iter()
                .map(|line| line.points)
                .sum::<f64>(),
            6.0
        );
        assert_eq!(
            standings
                .players
                .iter()
                .map(|line| line.tally.discs)
                .sum::<i64>(),
            0
        );
        let text = standings.to_text();
        assert!(text.contains("1 crash"), "{text}");
        assert!(text.contains("6 of 12 games: 1 crash, 5 played"), "{text}");
        assert_eq!(standings.to_markdown().lines().count(), 5);
        let text = Standings {
            scheduled: 4,
            ..standings
        }
        .to_text();
        assert!(
            text.contains("6 games, more than the 4 of this match: 1 crash"),
            "{text}"
        );
    }

    #[test]
    fn half_a_pair_is_no_pair() {
        let plan = plan();
        let mut games = games(&plan, &[10, -6, -64, 0, 2, 4, 8]);
        games.remove(1);
        let standings = standings(&plan, &games, None);
        // Games 0 and 6 are halves of different pairs.
        assert_eq!(standings.meetings[0].tally.games(), 2);
        assert_eq!(standings.meetings[0].tally.pairs, [0; 5]);
    }

    #[test]
    fn json_holds_no_infinities() {
        let plan = plan();
        let test = Sprt::new(0.0, 10.0, 0.05, 0.05).unwrap();
        let standings = standings(&plan, &games(&plan, &[10, -6]), Some(test));
        let json = serde_json::to_value(&standings).unwrap();
        assert!(json["meetings"][0]["elo"]["estimate"].is_null());
        assert_eq!(json["meetings"][0]["tally"]["wins"], 2);
        assert_eq!(json["sprt"]["verdict"], "open");
        assert!(standings.sprt.unwrap().llr > 0.0);
    }
}
