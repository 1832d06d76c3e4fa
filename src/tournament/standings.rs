//! Who leads: the tables of a match, made from its games whatever their order.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::log::Summary;
use super::runner::Plan;
use super::stats::{Outcome, Sprt, Tally, Verdict, ratings};
use crate::board::Color;

/// The results of two players against each other, seen from the first.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Meeting {
    /// Name of the first.
    pub first: String,
    /// Name of the second.
    pub second: String,
    /// The first's results.
    pub tally: Tally,
    /// The first's points per game.
    pub score: f64,
    /// Elo difference with its interval; `null` where it is infinite.
    pub elo: super::stats::Elo,
    /// Probability that the first is stronger.
    pub superiority: f64,
}

/// A player's line in the table.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Line {
    /// Name.
    pub name: String,
    /// Results against all.
    pub tally: Tally,
    /// Points, a draw counting one half.
    pub points: f64,
    /// Rating in Elo that explains all results best; the mean of all players is 0.
    pub rating: f64,
    /// Games lost by a fault, by its word.
    pub faults: BTreeMap<String, u64>,
}

/// The state of a match.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Standings {
    /// Games played.
    pub games: usize,
    /// Games in the schedule.
    pub scheduled: usize,
    /// Games that our solver ended.
    pub adjudicated: u64,
    /// All players, best first.
    pub players: Vec<Line>,
    /// All pairings.
    pub meetings: Vec<Meeting>,
    /// The sequential test, if there is one.
    pub sprt: Option<SprtState>,
}

/// Where the sequential test stands.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct SprtState {
    /// The test.
    pub test: Sprt,
    /// Log-likelihood ratio.
    pub llr: f64,
    /// At this ratio the test rejects.
    pub lower: f64,
    /// At this ratio the test accepts.
    pub upper: f64,
    /// What it says.
    pub verdict: Verdict,
}

impl Standings {
    /// The state after these games.
    pub fn new(plan: &Plan, games: &BTreeMap<usize, Summary>, sprt: Option<Sprt>) -> Self {
        let names: Vec<&str> = plan.players.iter().map(|player| player.name.as_str()).collect();
        let mut points = vec![vec![0.0; names.len()]; names.len()];
        let mut totals = vec![Tally::default(); names.len()];
        let mut meetings = Vec::new();
        for [first, second] in plan.pairings() {
            let tally = tally(plan, games, [first, second]);
            points[first][second] += tally.points();
            points[second][first] += tally.games() as f64 - tally.points();
            add(&mut totals[first], &tally, false);
            add(&mut totals[second], &tally, true);
            let (score, elo, superiority) = (tally.score(), tally.elo(), tally.superiority());
            let [first, second] = [first, second].map(|index| names[index].to_owned());
            meetings.push(Meeting { first, second, tally, score, elo, superiority });
        }
        let mut players: Vec<Line> = names
            .iter()
            .zip(totals)
            .zip(ratings(&points))
            .map(|((&name, tally), rating)| {
                let faults = faults(games, name);
                Line { name: name.to_owned(), tally, points: tally.points(), rating, faults }
            })
            .collect();
        players.sort_by(|a, b| b.points.total_cmp(&a.points).then(b.tally.discs.cmp(&a.tally.discs)));
        let sprt = sprt.map(|test| sprt_state(test, meetings.first().map(|meeting| &meeting.tally)));
        let adjudicated = games.values().filter(|game| game.end == "adjudicated").count() as u64;
        Self { games: games.len(), scheduled: plan.games(), adjudicated, players, meetings, sprt }
    }

    /// The tables as text.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let width = self.players.iter().map(|line| line.name.len()).max().unwrap_or(0).max(6);
        let _ = writeln!(
            text,
            "  # {:<width$}  games  points      %    wins draws losses  discs/game   rating  forfeits",
            "player"
        );
        for (rank, line) in self.players.iter().enumerate() {
            let Tally { wins, draws, losses, discs, .. } = line.tally;
            let games = line.tally.games();
            let _ = writeln!(
                text,
                "{:>3} {:<width$} {games:>6} {:>7.1} {:>6.1} {wins:>7} {draws:>5} {losses:>6} {:>+11.2} {:>+8.0}  {}",
                rank + 1,
                line.name,
                line.points,
                100.0 * line.tally.score(),
                discs as f64 / games.max(1) as f64,
                line.rating,
                fault_text(&line.faults),
            );
        }
        for meeting in &self.meetings {
            let _ = writeln!(text, "\n{}", meeting_text(meeting));
        }
        if let Some(state) = &self.sprt {
            let _ = writeln!(text, "{}", state.to_text());
        }
        let _ = write!(text, "\n{} of {} games", self.games, self.scheduled);
        if self.adjudicated > 0 {
            let _ = write!(text, ", {} ended by the solver", self.adjudicated);
        }
        text
    }

    /// The table in Markdown: a cross table of points.
    pub fn to_markdown(&self) -> String {
        let mut text = "| # | player | points | games | rating |".to_owned();
        self.players.iter().for_each(|line| text += &format!(" {} |", line.name));
        text += "\n|--:|---|--:|--:|--:|";
        self.players.iter().for_each(|_| text += "--:|");
        for (rank, line) in self.players.iter().enumerate() {
            let games = line.tally.games();
            let _ = write!(
                text,
                "\n| {} | {} | {} | {games} | {:+.0} |",
                rank + 1,
                line.name,
                line.points,
                line.rating
            );
            for other in &self.players {
                let cell = self.meetings.iter().find_map(|meeting| match () {
                    () if meeting.first == line.name && meeting.second == other.name => {
                        Some(meeting.tally.points())
                    }
                    () if meeting.second == line.name && meeting.first == other.name => {
                        Some(meeting.tally.games() as f64 - meeting.tally.points())
                    }
                    () => None,
                });
                let _ = match cell {
                    Some(points) => write!(text, " {points} |"),
                    None => write!(text, " |"),
                };
            }
        }
        text
    }

    /// One line while the match runs.
    pub fn to_line(&self) -> String {
        match &self.meetings[..] {
            [meeting] => {
                let Tally { wins, draws, losses, .. } = meeting.tally;
                let sprt = self.sprt.map_or_else(String::new, |state| {
                    format!("  LLR {:+.2} [{:.2}, {:.2}]", state.llr, state.lower, state.upper)
                });
                format!("+{wins} ={draws} -{losses}  Elo {}{sprt}", meeting.elo)
            }
            _ => {
                let leaders = self.players.iter().take(3);
                leaders.map(|line| format!("{} {}", line.name, line.points)).collect::<Vec<_>>().join("  ")
            }
        }
    }
}

impl SprtState {
    fn to_text(self) -> String {
        let verdict = match self.verdict {
            Verdict::Open => "open",
            Verdict::Accepted => "accepted: the gain is proven",
            Verdict::Rejected => "rejected",
        };
        let Sprt { elo0, elo1, alpha, beta } = self.test;
        format!(
            "SPRT [{elo0}, {elo1}] alpha {alpha} beta {beta}: LLR {:+.2} [{:.2}, {:.2}], {verdict}",
            self.llr, self.lower, self.upper
        )
    }
}

/// The state of a test after these results.
fn sprt_state(test: Sprt, tally: Option<&Tally>) -> SprtState {
    let tally = tally.copied().unwrap_or_default();
    let (lower, upper) = test.bounds();
    SprtState { test, llr: test.llr(&tally), lower, upper, verdict: test.verdict(&tally) }
}

fn meeting_text(meeting: &Meeting) -> String {
    let Tally { wins, draws, losses, discs, pairs } = meeting.tally;
    format!(
        "{} - {}: +{wins} ={draws} -{losses}, {:.1} %, {:+.2} discs/game\n  \
         Elo {} (95 %), superiority {:.1} %, pairs {pairs:?}",
        meeting.first,
        meeting.second,
        100.0 * meeting.score,
        discs as f64 / meeting.tally.games().max(1) as f64,
        meeting.elo,
        100.0 * meeting.superiority,
    )
}

fn fault_text(faults: &BTreeMap<String, u64>) -> String {
    if faults.is_empty() {
        return "-".to_owned();
    }
    faults.iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

/// The results between two players, seen from the first.
fn tally(plan: &Plan, games: &BTreeMap<usize, Summary>, pairing: [usize; 2]) -> Tally {
    let mut tally = Tally::default();
    let mut last: Option<(usize, Outcome)> = None;
    for (&number, summary) in games {
        let sides = plan.job(number).sides;
        if sides != pairing && sides != [pairing[1], pairing[0]] {
            continue;
        }
        let discs = if sides == pairing { summary.discs } else { -summary.discs };
        let outcome = Outcome::of_discs(discs);
        tally.add_game(outcome, discs);
        // Both games of a pair, 2k and 2k + 1, follow each other in the order of numbers.
        match last {
            Some((before, first)) if before / 2 == number / 2 => tally.add_pair(first, outcome),
            _ => {}
        }
        last = Some((number, outcome));
    }
    tally
}

fn add(total: &mut Tally, tally: &Tally, turned: bool) {
    let (wins, losses) = if turned { (tally.losses, tally.wins) } else { (tally.wins, tally.losses) };
    total.wins += wins;
    total.losses += losses;
    total.draws += tally.draws;
    total.discs += if turned { -tally.discs } else { tally.discs };
    for (i, pairs) in tally.pairs.iter().enumerate() {
        total.pairs[if turned { 4 - i } else { i }] += pairs;
    }
}

/// The games that `name` lost by a fault.
fn faults(games: &BTreeMap<usize, Summary>, name: &str) -> BTreeMap<String, u64> {
    let mut faults = BTreeMap::new();
    for game in games.values() {
        let lost = |color: Color| game.loser == Some(color) && game.names[color as usize] == name;
        if lost(Color::Black) || lost(Color::White) {
            *faults.entry(game.end.clone()).or_default() += 1;
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use crate::board::Game;
    use crate::tournament::player::{Budget, TimeControl};
    use crate::tournament::referee::Rules;
    use crate::tournament::runner::Format;

    fn plan() -> Plan {
        Plan {
            players: ["a=random", "b=random", "c=random"].map(|text| text.parse().unwrap()).to_vec(),
            format: Format::RoundRobin,
            rounds: 2,
            openings: vec![Game::default()],
            rules: Rules {
                budget: Budget { time: TimeControl::Unlimited, depth: None, nodes: None },
                margin: Duration::ZERO,
                grace: Duration::ZERO,
                patience: Duration::ZERO,
                adjudicate: None,
            },
            concurrency: 1,
            seed: 0,
        }
    }

    /// Games with these disc differences for Black; the third was lost by a crash of Black.
    fn games(plan: &Plan, discs: &[i32]) -> BTreeMap<usize, Summary> {
        let summary = |(game, &discs): (usize, &i32)| {
            let names = plan.job(game).sides.map(|side| plan.players[side].name.clone());
            let crash = game == 2;
            let end = if crash { "crash" } else { "played" }.to_owned();
            (game, Summary { game, names, discs, end, loser: crash.then_some(Color::Black) })
        };
        discs.iter().enumerate().map(summary).collect()
    }

    #[test]
    fn games_add_up() {
        let plan = plan();
        // a-b: a wins as Black, wins as White. a-c: a crashes, then a draw. b-c: b wins, c wins.
        let games = games(&plan, &[10, -6, -64, 0, 2, 4]);
        let standings = Standings::new(&plan, &games, None);
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
        assert_eq!(a.faults, BTreeMap::from([("crash".to_owned(), 1)]));
        assert_eq!(standings.players.iter().map(|line| line.points).sum::<f64>(), 6.0);
        assert_eq!(standings.players.iter().map(|line| line.tally.discs).sum::<i64>(), 0);
        let text = standings.to_text();
        assert!(text.contains("1 crash") && text.contains("6 of 12 games"), "{text}");
        assert_eq!(standings.to_markdown().lines().count(), 5);
    }

    #[test]
    fn half_a_pair_is_no_pair() {
        let plan = plan();
        let mut games = games(&plan, &[10, -6, -64, 0, 2, 4, 8]);
        games.remove(&1);
        let standings = Standings::new(&plan, &games, None);
        // Games 0 and 6 are halves of different pairs.
        assert_eq!(standings.meetings[0].tally.games(), 2);
        assert_eq!(standings.meetings[0].tally.pairs, [0; 5]);
    }

    #[test]
    fn json_holds_no_infinities() {
        let plan = plan();
        let test = Sprt::new(0.0, 10.0, 0.05, 0.05).unwrap();
        let standings = Standings::new(&plan, &games(&plan, &[10, -6]), Some(test));
        let json = serde_json::to_value(&standings).unwrap();
        assert!(json["meetings"][0]["elo"]["estimate"].is_null());
        assert_eq!(json["meetings"][0]["tally"]["wins"], 2);
        assert_eq!(json["sprt"]["verdict"], "open");
        assert!(standings.sprt.unwrap().llr > 0.0);
    }
}
