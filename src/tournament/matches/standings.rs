//! Who leads: the tables of a match, made from its games whatever their order.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::runner::MatchPlan;
use super::scoreboard::{Losses, MeetingScore, PlayerScore, Scoreboard, SprtState};
use super::stats::{Elo, Sprt, Tally};

/// The results of two players against each other, seen from the first.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Meeting {
    pub first: String,
    pub second: String,
    pub tally: Tally,
    /// The first's points per game.
    pub score: f64,
    pub elo: Elo,
    pub superiority: f64,
    /// Pairs that were the same, move by move, as an earlier one: no evidence for `elo`.
    pub repeated_pairs: u64,
    /// Pairs with a game lost by a defect: no evidence for the sequential test.
    pub defect_pairs: u64,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Row {
    pub name: String,
    pub tally: Tally,
    /// Points, a draw counting one half.
    pub points: f64,
    /// Elo difference to all its opponents together.
    pub elo: Elo,
    /// How it lost other than on the board.
    #[serde(flatten)]
    pub losses: Losses,
}

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Standings {
    pub games: usize,
    pub scheduled: usize,
    /// Games by how they ended: `played`, `adjudicated`, `resigned`, `time`, or the word of another fault.
    pub endings: BTreeMap<String, u64>,
    /// All players, best first.
    pub players: Vec<Row>,
    pub meetings: Vec<Meeting>,
    pub sprt: Option<SprtState>,
}

impl Standings {
    /// The state after the games of `scoreboard`.
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
                superiority: score.evidence().superiority(),
                repeated_pairs: score.repeated_pairs(),
                defect_pairs: score.defect_pairs(),
            }
        };
        let row = |index: usize| {
            let PlayerScore { all, evidence } = scoreboard.of_player(plan, index);
            let losses = scoreboard.losses[index].clone();
            Row { name: name(index), tally: all, points: all.points(), elo: evidence.elo(), losses }
        };
        let mut players: Vec<Row> = (0..plan.players.len()).map(row).collect();
        players.sort_by(|a, b| b.points.total_cmp(&a.points).then(b.tally.discs.cmp(&a.tally.discs)));
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
        let mut text = String::new();
        let width = self.players.iter().map(|line| line.name.len()).max().unwrap_or(0).max(6);
        let _ = writeln!(
            text,
            "  # {:<width$}  games  points      %    wins draws losses  discs/game  Elo (95 %)                  lost by",
            "player"
        );
        for (rank, line) in self.players.iter().enumerate() {
            let Tally { wins, draws, losses, .. } = line.tally;
            let games = line.tally.games();
            let _ = writeln!(
                text,
                "{:>3} {:<width$} {games:>6} {:>7.1} {:>6.1} {wins:>7} {draws:>5} {losses:>6} {:>+11.2}  {:<26}  {}",
                rank + 1,
                line.name,
                line.points,
                100.0 * line.tally.score(),
                line.tally.discs_per_game(),
                line.elo.to_string(),
                line.losses,
            );
        }
        for meeting in &self.meetings {
            let _ = writeln!(text, "\n{}", meeting_text(meeting));
        }
        if let Some(state) = &self.sprt {
            let _ = writeln!(text, "{}", state.to_text());
        }
        let _ = match self.games > self.scheduled {
            true => write!(text, "\n{} games, more than the {} asked for", self.games, self.scheduled),
            false => write!(text, "\n{} of {} games", self.games, self.scheduled),
        };
        let endings: Vec<String> = self.endings.iter().map(|(end, count)| format!("{count} {end}")).collect();
        if !endings.is_empty() {
            let _ = write!(text, ": {}", endings.join(", "));
        }
        text
    }

    /// The table in Markdown: a cross table of points.
    pub fn to_markdown(&self) -> String {
        let mut text = "| # | player | points | games | Elo (95 %) |".to_owned();
        self.players.iter().for_each(|line| text += &format!(" {} |", line.name));
        text += "\n|--:|---|--:|--:|--:|";
        self.players.iter().for_each(|_| text += "--:|");
        for (rank, line) in self.players.iter().enumerate() {
            let games = line.tally.games();
            let Row { name, points, elo, .. } = line;
            let _ = write!(text, "\n| {} | {name} | {points} | {games} | {elo} |", rank + 1);
            for other in &self.players {
                let of = |first: &Row, second: &Row, meeting: &Meeting| {
                    (meeting.first == first.name && meeting.second == second.name).then_some(meeting.tally)
                };
                let tally = self.meetings.iter().find_map(|meeting| {
                    of(line, other, meeting).or_else(|| Some(of(other, line, meeting)?.turned()))
                });
                text += &tally.map_or_else(|| " |".to_owned(), |tally| format!(" {} |", tally.points()));
            }
        }
        text
    }
}

fn meeting_text(meeting: &Meeting) -> String {
    let confidence = if meeting.elo.low.is_some() || meeting.elo.high.is_some() { " (95 %)" } else { "" };
    let mut text = format!(
        "{} - {}: {}, {:.1} %, {:+.2} discs/game\n  \
         Elo {}{confidence}, superiority {:.1} %, pairs {:?}",
        meeting.first,
        meeting.second,
        meeting.tally,
        100.0 * meeting.score,
        meeting.tally.discs_per_game(),
        meeting.elo,
        100.0 * meeting.superiority,
        meeting.tally.pairs,
    );
    if meeting.repeated_pairs > 0 {
        let _ = write!(
            text,
            "\n  {} of {} pairs repeat an earlier one move by move: Elo counts each once",
            meeting.repeated_pairs,
            meeting.tally.complete_pairs()
        );
    }
    if meeting.defect_pairs > 0 {
        let _ = write!(
            text,
            "\n  {} pairs hold a game lost by a crash or the like: no evidence for a sequential test",
            meeting.defect_pairs
        );
    }
    text
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::time::Duration;

    use crate::board::{Color, Game};
    use crate::tournament::matches::log::Summary;
    use crate::tournament::matches::openings::Openings;
    use crate::tournament::matches::referee::Rules;
    use crate::tournament::matches::runner::Schedule;
    use crate::tournament::players::{Budget, TimeControl};

    /// Three players, two rounds.
    pub fn plan() -> MatchPlan {
        MatchPlan {
            players: ["a=random", "b=random", "c=random"].map(|text| text.parse().unwrap()).to_vec(),
            schedule: Schedule::RoundRobin,
            rounds: 2,
            openings: Openings::given(vec![Game::default()]),
            rules: Rules {
                budget: Budget { time: TimeControl::Unlimited, level: None, nodes: None },
                margin: Duration::ZERO,
                grace: Duration::ZERO,
                start: Duration::ZERO,
                patience: Duration::ZERO,
                adjudicate: None,
            },
            jobs: 1,
            seed: 0,
        }
    }

    /// A game played to its end with this disc difference for Black.
    pub fn summary(plan: &MatchPlan, game: usize, discs: i32) -> Summary {
        let names = plan.pairing(game).sides.map(|side| plan.players[side].name.clone());
        Summary { game, names, discs, end: "played".to_owned(), loser: None, moves: game as u32 }
    }

    /// Games with these disc differences for Black; the third was lost by a crash of Black.
    fn games(plan: &MatchPlan, discs: &[i32]) -> Vec<Summary> {
        let mut games: Vec<Summary> =
            discs.iter().enumerate().map(|(game, &discs)| summary(plan, game, discs)).collect();
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
        let [ab, ac, bc] = &standings.meetings[..] else { panic!() };
        assert_eq!(ab.tally, Tally { wins: 2, discs: 16, pairs: [0, 0, 0, 0, 1], ..Tally::default() });
        assert_eq!(
            ac.tally,
            Tally { draws: 1, losses: 1, discs: -64, pairs: [0, 1, 0, 0, 0], ..Tally::default() }
        );
        assert_eq!(
            bc.tally,
            Tally { wins: 1, losses: 1, discs: -2, pairs: [0, 0, 1, 0, 0], ..Tally::default() }
        );
        let a = standings.players.iter().find(|line| line.name == "a").unwrap();
        assert_eq!((a.points, a.tally.discs), (2.5, -48));
        assert_eq!(a.losses.faults, BTreeMap::from([("crash".to_owned(), 1)]));
        assert_eq!(standings.players.iter().map(|line| line.points).sum::<f64>(), 6.0);
        assert_eq!(standings.players.iter().map(|line| line.tally.discs).sum::<i64>(), 0);
        let text = standings.to_text();
        assert!(text.contains("1 crash"), "{text}");
        assert!(text.contains("6 of 12 games: 1 crash, 5 played"), "{text}");
        assert_eq!(standings.to_markdown().lines().count(), 5);
        let text = Standings { scheduled: 4, ..standings }.to_text();
        assert!(text.contains("6 games, more than the 4 asked for: 1 crash"), "{text}");
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
