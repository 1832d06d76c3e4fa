//! Who leads: the tables of a match, made from its games whatever their order.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::rating::{Claim, Rating};
use super::runner::Plan;
use super::scoreboard::{Account, Ledger, SprtState};
use super::stats::{Sprt, Tally};

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
    /// Elo difference with its interval, as far as the games tell it.
    pub elo: Claim,
    /// Probability that the first is stronger.
    pub superiority: f64,
    /// Pairs that were the same, move by move, as an earlier one: no evidence for `elo`.
    pub repeated_pairs: u64,
    /// Pairs with a game lost by a defect: no evidence for the sequential test.
    pub defect_pairs: u64,
}

/// A player's line in the table.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Row {
    /// Name.
    pub name: String,
    /// Results against all.
    pub tally: Tally,
    /// Points, a draw counting one half.
    pub points: f64,
    /// Rating in Elo that explains best all results that are evidence.
    #[serde(flatten)]
    pub rating: Rating,
    /// Games resigned.
    pub resigned: u64,
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
    /// Games by how they ended: `played`, `adjudicated`, `resigned`, `time`, or the word of another fault.
    pub endings: BTreeMap<String, u64>,
    /// All players, best first.
    pub players: Vec<Row>,
    /// All pairings.
    pub meetings: Vec<Meeting>,
    /// The sequential test, if there is one.
    pub sprt: Option<SprtState>,
}

impl Standings {
    /// The state after the games of `ledger`.
    pub fn new(plan: &Plan, ledger: &Ledger, sprt: Option<Sprt>) -> Self {
        let names: Vec<&str> = plan.players.iter().map(|player| player.name.as_str()).collect();
        let mut meetings = Vec::new();
        for index in 0..plan.meetings() {
            let ([first, second], account) = (plan.meeting(index), ledger.account(index));
            meetings.push(Meeting::new([names[first], names[second]], account));
        }
        let mut players: Vec<Row> = ledger
            .totals(plan)
            .into_iter()
            .zip(ledger.ratings(plan))
            .enumerate()
            .map(|(index, (tally, rating))| {
                let (name, faults) = (names[index].to_owned(), ledger.faults(index).clone());
                let resigned = ledger.resigned(index);
                Row { name, tally, points: tally.points(), rating, resigned, faults }
            })
            .collect();
        players.sort_by(|a, b| b.points.total_cmp(&a.points).then(b.tally.discs.cmp(&a.tally.discs)));
        Self {
            games: ledger.games(),
            scheduled: plan.games(),
            adjudicated: ledger.adjudicated(),
            endings: ledger.endings().clone(),
            players,
            meetings,
            sprt: sprt.map(|test| ledger.sprt(test)),
        }
    }

    /// The tables as text.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let width = self.players.iter().map(|line| line.name.len()).max().unwrap_or(0).max(6);
        let _ = writeln!(
            text,
            "  # {:<width$}  games  points      %    wins draws losses  discs/game  rating ± (95 %)             lost by",
            "player"
        );
        for (rank, line) in self.players.iter().enumerate() {
            let Tally { wins, draws, losses, discs, .. } = line.tally;
            let games = line.tally.games();
            let _ = writeln!(
                text,
                "{:>3} {:<width$} {games:>6} {:>7.1} {:>6.1} {wins:>7} {draws:>5} {losses:>6} {:>+11.2}  {:<26}  {}",
                rank + 1,
                line.name,
                line.points,
                100.0 * line.tally.score(),
                discs as f64 / games.max(1) as f64,
                line.rating.to_string(),
                lost_by(line),
            );
        }
        for meeting in &self.meetings {
            let _ = writeln!(text, "\n{}", meeting_text(meeting));
        }
        if let Some(state) = &self.sprt {
            let _ = writeln!(text, "{}", state.to_text());
        }
        let _ = write!(text, "\n{} of {} games", self.games, self.scheduled);
        let endings: Vec<String> =
            self.endings.iter().map(|(end, count)| format!("{count} {}", ending_words(end))).collect();
        if !endings.is_empty() {
            let _ = write!(text, ": {}", endings.join(", "));
        }
        text
    }

    /// The table in Markdown: a cross table of points.
    pub fn to_markdown(&self) -> String {
        let mut text = "| # | player | points | games | rating ± (95 %) |".to_owned();
        self.players.iter().for_each(|line| text += &format!(" {} |", line.name));
        text += "\n|--:|---|--:|--:|--:|";
        self.players.iter().for_each(|_| text += "--:|");
        for (rank, line) in self.players.iter().enumerate() {
            let games = line.tally.games();
            let _ = write!(
                text,
                "\n| {} | {} | {} | {games} | {} |",
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
}

impl Meeting {
    fn new([first, second]: [&str; 2], account: &Account) -> Self {
        Self {
            first: first.to_owned(),
            second: second.to_owned(),
            tally: account.all,
            score: account.all.score(),
            elo: account.claim(),
            superiority: account.evidence().superiority(),
            repeated_pairs: account.repeated_pairs(),
            defect_pairs: account.defect_pairs(),
        }
    }
}

fn meeting_text(meeting: &Meeting) -> String {
    let Tally { wins, draws, losses, discs, pairs } = meeting.tally;
    let confidence = if meeting.elo.low.is_some() || meeting.elo.high.is_some() { " (95 %)" } else { "" };
    let mut text = format!(
        "{} - {}: +{wins} ={draws} -{losses}, {:.1} %, {:+.2} discs/game\n  \
         Elo {}{confidence}, superiority {:.1} %, pairs {pairs:?}",
        meeting.first,
        meeting.second,
        100.0 * meeting.score,
        discs as f64 / meeting.tally.games().max(1) as f64,
        meeting.elo,
        100.0 * meeting.superiority,
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

/// How a player lost games other than on the board.
fn lost_by(row: &Row) -> String {
    let resigned = (row.resigned > 0).then(|| format!("{} resigned", row.resigned));
    let faults = row.faults.iter().map(|(word, count)| format!("{count} {word}"));
    let parts: Vec<String> = resigned.into_iter().chain(faults).collect();
    if parts.is_empty() { "-".to_owned() } else { parts.join(", ") }
}

/// An ending for people.
fn ending_words(end: &str) -> &str {
    match end {
        "played" => "played out",
        "adjudicated" => "ended by the solver",
        "resigned" => "resigned",
        "time" => "lost on time",
        "crash" => "lost by a crash",
        "hang" => "lost by a hang",
        "illegal" => "lost by an illegal move",
        "start" => "lost by not starting",
        "chatter" => "lost by endless talk",
        "protocol" => "lost by breaking the protocol",
        other => other,
    }
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
    pub fn plan() -> Plan {
        Plan {
            players: ["a=random", "b=random", "c=random"].map(|text| text.parse().unwrap()).to_vec(),
            schedule: Schedule::RoundRobin,
            rounds: 2,
            openings: Openings::given(vec![Game::default()]),
            rules: Rules {
                budget: Budget { time: TimeControl::Unlimited, depth: None, nodes: None },
                margin: Duration::ZERO,
                grace: Duration::ZERO,
                start: Duration::ZERO,
                patience: Duration::ZERO,
                adjudicate: None,
            },
            concurrency: 1,
            seed: 0,
        }
    }

    /// A game played to its end with this disc difference for Black.
    pub fn summary(plan: &Plan, game: usize, discs: i32) -> Summary {
        let names = plan.pairing(game).sides.map(|side| plan.players[side].name.clone());
        Summary { game, names, discs, end: "played".to_owned(), loser: None, moves: game as u32 }
    }

    /// Games with these disc differences for Black; the third was lost by a crash of Black.
    fn games(plan: &Plan, discs: &[i32]) -> Vec<Summary> {
        let mut games: Vec<Summary> =
            discs.iter().enumerate().map(|(game, &discs)| summary(plan, game, discs)).collect();
        if let Some(crash) = games.get_mut(2) {
            (crash.end, crash.loser) = ("crash".to_owned(), Some(Color::Black));
        }
        games
    }

    fn standings(plan: &Plan, games: &[Summary], sprt: Option<Sprt>) -> Standings {
        Standings::new(plan, &Ledger::of_games(plan, games), sprt)
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
        assert_eq!(a.faults, BTreeMap::from([("crash".to_owned(), 1)]));
        assert_eq!(standings.players.iter().map(|line| line.points).sum::<f64>(), 6.0);
        assert_eq!(standings.players.iter().map(|line| line.tally.discs).sum::<i64>(), 0);
        let text = standings.to_text();
        assert!(text.contains("1 crash"), "{text}");
        assert!(text.contains("6 of 12 games: 1 lost by a crash, 5 played out"), "{text}");
        assert_eq!(standings.to_markdown().lines().count(), 5);
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
