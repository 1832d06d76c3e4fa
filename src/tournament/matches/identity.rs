//! What makes two matches the same: all that their games depend on, but not how many there are.
//!
//! Every game of a file carries it as `match seed=1 openings=3:5e6f7a8b …`, so that any part of a file can be
//! checked and a refusal names what differs.

use std::fmt;

use anyhow::{Context, Result, bail, ensure};

use super::log::Record;
use super::openings::Openings;
use super::referee::Rules;
use super::runner::{Plan, Schedule};
use crate::board::Game;
use crate::notation::moves::write_moves;
use crate::tournament::players::{Budget, TimeControl};

/// The parts of a match's identity: each a key and a value without blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity(Vec<(&'static str, String)>);

impl Identity {
    /// That of the match that is planned.
    pub fn of(plan: &Plan) -> Self {
        let Rules { budget, margin, grace, start, patience, adjudicate } = plan.rules;
        let Budget { time, depth, nodes } = budget;
        let schedule = match plan.schedule {
            Schedule::RoundRobin => "all",
            Schedule::Gauntlet => "gauntlet",
        };
        let clock = match time {
            TimeControl::Unlimited => "none".to_owned(),
            TimeControl::Game { main, increment } => {
                format!("{}+{}", main.as_secs_f64(), increment.as_secs_f64())
            }
            TimeControl::Move(time) => format!("{}/move", time.as_secs_f64()),
        };
        let players = plan.players.iter().map(|player| hash(&format!("{} {player}", player.name)));
        Self(vec![
            ("players", players.collect::<Vec<_>>().join("/")),
            ("schedule", schedule.to_owned()),
            ("clock", clock),
            ("depth", or_none(depth)),
            ("nodes", or_none(nodes)),
            ("margin", margin.as_millis().to_string()),
            ("patience", [start, patience, grace].map(|time| time.as_secs_f64().to_string()).join("/")),
            ("adjudicate", or_none(adjudicate)),
            ("seed", plan.seed.to_string()),
            ("openings", of_openings(&plan.openings)),
        ])
    }

    /// Refuses a game of another match.
    ///
    /// # Errors
    /// All that differs, in words.
    pub fn check(&self, plan: &Plan, record: &Record) -> Result<()> {
        let noted = record.identity.as_str();
        ensure!(
            noted.contains('='),
            "a game that an earlier version wrote, which did not note all that makes a match: play this one into \
             a new file"
        );
        let value_of =
            |key: &str| noted.split(' ').find_map(|part| part.strip_prefix(key)?.strip_prefix('='));
        let differences: Vec<String> = self
            .0
            .iter()
            .filter_map(|(key, here)| {
                let there = value_of(key).unwrap_or("unknown");
                (there != here).then(|| difference(key, there, here))
            })
            .collect();
        ensure!(differences.is_empty(), "a game of another match: {}", differences.join("; "));
        self.check_schedule(plan, record)
    }

    /// Whether the game is what the schedule says: identities are checksums, and made openings are those of a version.
    fn check_schedule(&self, plan: &Plan, record: &Record) -> Result<()> {
        let summary = &record.summary;
        let pairing = plan.pairing(summary.game);
        let names = pairing.sides.map(|side| plan.players[side].name.as_str());
        let [black, white] = &summary.names;
        if [black.as_str(), white.as_str()] != names {
            bail!("game {} is {black} - {white}, not {} - {}", summary.game, names[0], names[1]);
        }
        // The openings of rounds beyond the schedule need not be made.
        if plan.openings.count().is_some() || pairing.round < plan.rounds {
            let here = plan.openings.get(pairing.round).context("its opening")?;
            ensure!(
                record.opening == here,
                "game {} has the opening {}, not {}",
                summary.game,
                text_of(&record.opening),
                text_of(&here)
            );
        }
        Ok(())
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (key, value)) in self.0.iter().enumerate() {
            write!(f, "{}{key}={value}", if index == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

/// What differs in the part `key`, for the user.
fn difference(key: &str, there: &str, here: &str) -> String {
    let says = |what: &str| format!("{what} is {there} in the file and {here} now");
    match key {
        "players" => {
            let [there, here] = [there, here].map(|hashes| hashes.split('/').collect::<Vec<_>>());
            if there.len() != here.len() {
                return format!("{} players in the file and {} now", there.len(), here.len());
            }
            let others = there.iter().zip(&here).enumerate().filter(|(_, (there, here))| there != here);
            let numbers: Vec<String> = others.map(|(index, _)| (index + 1).to_string()).collect();
            let plural = if numbers.len() == 1 { "" } else { "s" };
            format!("other names or options of player{plural} {}", numbers.join(", "))
        }
        "openings" => "other openings".to_owned(),
        "schedule" => "--gauntlet".to_owned() + if here == "gauntlet" { " is new" } else { " is missing" },
        "clock" => says("the clock"),
        "margin" => says("--margin"),
        "patience" => says("--patience (start/move/grace)"),
        option => says(&format!("--{option}")),
    }
}

/// The openings' contents and order; made ones follow from their recipe.
fn of_openings(openings: &Openings) -> String {
    match openings {
        Openings::Given(games) => {
            let text: String =
                games.iter().map(|game| format!("{:?} {}\n", game.start(), text_of(game))).collect();
            format!("{}:{}", games.len(), hash(&text))
        }
        Openings::Made(_) => format!("made:{}", hash(&openings.recipe_text())),
    }
}

fn text_of(game: &Game) -> String {
    if game.moves().is_empty() { "without moves".to_owned() } else { write_moves(game.moves()) }
}

fn hash(text: &str) -> String {
    format!("{:08x}", crc32fast::hash(text.as_bytes()))
}

fn or_none(number: Option<impl ToString>) -> String {
    number.map_or_else(|| "none".to_owned(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::board::Position;
    use crate::notation::moves::parse_game;
    use crate::tournament::matches::log::Summary;
    use crate::tournament::matches::openings::Recipe;
    use crate::tournament::matches::standings::tests::{plan, summary};

    fn game(moves: &str) -> Game {
        parse_game(Position::START, moves).unwrap()
    }

    fn base() -> Plan {
        Plan { openings: Openings::given(["f5d6", "f5f6"].map(game).to_vec()), ..plan() }
    }

    fn record(plan: &Plan, number: usize) -> Record {
        let summary: Summary = summary(plan, number, 2);
        let opening = plan.openings.get(plan.pairing(number).round).unwrap();
        Record { identity: Identity::of(plan).to_string(), summary, opening }
    }

    #[test]
    fn everything_but_the_length_makes_a_match() {
        let base = base();
        let told = |changed: &Plan| {
            let result = Identity::of(changed).check(changed, &record(&base, 0));
            result.err().map(|error| error.to_string())
        };
        assert_eq!(told(&base), None);
        assert_eq!(told(&Plan { rounds: 9, concurrency: 3, ..base.clone() }), None);
        let openings = |list: &[&str]| Openings::given(list.iter().map(|moves| game(moves)).collect());
        let player = |text: &str| {
            let mut players = base.players.clone();
            players[1] = text.parse().unwrap();
            players
        };
        let rules = base.rules;
        let of_budget = |budget| Rules { budget, ..rules };
        let second = Duration::from_secs(1);
        let free = rules.budget;
        let made = |seed| Openings::made(Recipe { seed, ..Recipe::default() });
        for (changed, word) in [
            (Plan { openings: openings(&["f5d6", "f5f4"]), ..base.clone() }, "other openings"),
            (Plan { openings: openings(&["f5d6", "f5f6", "f5f4"]), ..base.clone() }, "other openings"),
            (Plan { openings: openings(&["f5f6", "f5d6"]), ..base.clone() }, "other openings"),
            (Plan { openings: made(1), ..base.clone() }, "other openings"),
            (Plan { players: player("b=emilia:level=3"), ..base.clone() }, "options of player 2"),
            (Plan { players: base.players[..2].to_vec(), ..base.clone() }, "3 players in the file and 2 now"),
            (Plan { schedule: Schedule::Gauntlet, ..base.clone() }, "--gauntlet is new"),
            (Plan { seed: 8, ..base.clone() }, "--seed is 0 in the file and 8 now"),
            (
                Plan { rules: of_budget(Budget { depth: Some(4), ..free }), ..base.clone() },
                "--depth is none in the file and 4 now",
            ),
            (Plan { rules: of_budget(Budget { nodes: Some(4), ..free }), ..base.clone() }, "--nodes"),
            (
                Plan { rules: of_budget(Budget { time: TimeControl::Move(second), ..free }), ..base.clone() },
                "the clock is none in the file and 1/move now",
            ),
            (
                Plan { rules: Rules { margin: second, ..rules }, ..base.clone() },
                "--margin is 0 in the file and 1000",
            ),
            (Plan { rules: Rules { patience: second, ..rules }, ..base.clone() }, "--patience"),
            (Plan { rules: Rules { adjudicate: Some(9), ..rules }, ..base.clone() }, "--adjudicate"),
        ] {
            let told = told(&changed).unwrap_or_else(|| panic!("not seen: {word}"));
            assert!(told.starts_with("a game of another match: ") && told.contains(word), "{word}: {told}");
        }
        let [one, two] = [1, 2].map(|seed| Identity::of(&Plan { openings: made(seed), ..base.clone() }));
        assert_ne!(one, two, "made openings follow from their seed");
    }

    #[test]
    fn a_game_must_be_the_one_of_its_number() {
        let base = base();
        let identity = Identity::of(&base);
        let told = |record: &Record| identity.check(&base, record).unwrap_err().to_string();
        let mut other = record(&base, 1);
        other.summary.names.reverse();
        assert_eq!(told(&other), "game 1 is a - b, not b - a");
        let other = Record { opening: game("f5d6c3"), ..record(&base, 1) };
        assert_eq!(told(&other), "game 1 has the opening f5d6c3, not f5d6");
        let old = Record { identity: "1f2e3d4c".to_owned(), ..record(&base, 0) };
        assert!(told(&old).contains("earlier version"), "{}", told(&old));
    }

    #[test]
    fn identities_are_words_of_a_comment() {
        let text = Identity::of(&base()).to_string();
        assert!(text.is_ascii() && !text.contains([';', ']', '\n']), "{text}");
        let lists = [vec![game("f5d6"), game("f5")], vec![game("f5"), game("f5d6")]];
        let [one, two] = lists.map(|list| of_openings(&Openings::Given(Arc::new(list))));
        assert_ne!(one, two);
    }
}
