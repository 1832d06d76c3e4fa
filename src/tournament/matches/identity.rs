//! What makes two matches the same: all that their games depend on, but not how many there are.
//!
//! Every game of a file carries it as `match seed=1 openings=3:5e6f7a8b …`, so that any part of a file can be
//! checked and a refusal names what differs.

use std::fmt;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::log::LoggedGame;
use super::openings::Openings;
use super::referee::Rules;
use super::runner::{MatchPlan, Schedule};
use crate::board::Game;
use crate::notation::moves::write_moves;
use crate::tournament::players::Budget;
use crate::tournament::players::spec::Spec;
use crate::util::input_file;

/// The parts of a match's identity: each a key and a value without blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity(Vec<(&'static str, String)>);

impl Identity {
    /// That of the match that is planned; what changes with its games, the book `learned`, is no part of it.
    pub fn of(plan: &MatchPlan, learned: Option<&Path>) -> Self {
        let Rules { budget, margin, grace, start, patience, adjudicate } = plan.rules;
        let Budget { time, depth, nodes } = budget;
        let schedule = match plan.schedule {
            Schedule::RoundRobin => "all",
            Schedule::Gauntlet => "gauntlet",
        };
        let of_players =
            |part: &dyn Fn(&Spec) -> String| plan.players.iter().map(part).collect::<Vec<_>>().join("/");
        Self(vec![
            ("players", of_players(&|player| hash(&format!("{} {player}", player.name)))),
            ("files", of_players(&|player| of_files(player, learned))),
            ("schedule", schedule.to_owned()),
            ("clock", time.to_string()),
            ("depth", or_none(depth)),
            ("nodes", or_none(nodes)),
            ("margin", margin.as_secs_f64().to_string()),
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
    pub fn check(&self, plan: &MatchPlan, logged: &LoggedGame) -> Result<()> {
        let noted = logged.identity.as_str();
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
        self.check_schedule(plan, logged)
    }

    /// Whether the game is what the schedule says: identities are checksums, and made openings are those of a version.
    fn check_schedule(&self, plan: &MatchPlan, logged: &LoggedGame) -> Result<()> {
        let summary = &logged.summary;
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
                logged.opening == here,
                "game {} has the opening {}, not {}",
                summary.game,
                text_of(&logged.opening),
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
        "players" | "files" => {
            let [there, here] = [there, here].map(|hashes| hashes.split('/').collect::<Vec<_>>());
            if there.len() != here.len() {
                return format!("{} players in the file and {} now", there.len(), here.len());
            }
            let others = there.iter().zip(&here).enumerate().filter(|(_, (there, here))| there != here);
            let numbers: Vec<String> = others.map(|(index, _)| (index + 1).to_string()).collect();
            let plural = if numbers.len() == 1 { "" } else { "s" };
            let what =
                if key == "players" { "names or options" } else { "contents of program, weights or book" };
            format!("other {what} of player{plural} {}", numbers.join(", "))
        }
        "openings" => "other openings".to_owned(),
        "schedule" => "--gauntlet".to_owned() + if here == "gauntlet" { " is new" } else { " is missing" },
        "clock" => says("the clock"),
        "margin" => says("--margin"),
        "patience" => says("--patience (start/move/grace)"),
        option => says(&format!("--{option}")),
    }
}

/// The contents of the files that a player's moves depend on.
fn of_files(player: &Spec, learned: Option<&Path>) -> String {
    let files = player.files().into_iter().filter(|path| Some(path.as_path()) != learned);
    let sums: Vec<String> = files.filter_map(|path| checksum(&path).ok()).collect();
    if sums.is_empty() { "none".to_owned() } else { sums.join(",") }
}

fn checksum(path: &Path) -> io::Result<String> {
    let mut file = BufReader::with_capacity(1 << 16, input_file::open(path)?);
    let mut hasher = crc32fast::Hasher::new();
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            return Ok(format!("{:08x}", hasher.finalize()));
        }
        hasher.update(bytes);
        let read = bytes.len();
        file.consume(read);
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
    use crate::tournament::players::TimeControl;
    use crate::util::testing::file_in;
    use tempfile::TempDir;

    fn game(moves: &str) -> Game {
        parse_game(Position::START, moves).unwrap()
    }

    fn base() -> MatchPlan {
        MatchPlan { openings: Openings::given(["f5d6", "f5f6"].map(game).to_vec()), ..plan() }
    }

    fn record(plan: &MatchPlan, number: usize) -> LoggedGame {
        let summary: Summary = summary(plan, number, 2);
        let opening = plan.openings.get(plan.pairing(number).round).unwrap();
        LoggedGame { identity: Identity::of(plan, None).to_string(), summary, opening }
    }

    #[test]
    fn everything_but_the_length_makes_a_match() {
        let base = base();
        let told = |changed: &MatchPlan| {
            let result = Identity::of(changed, None).check(changed, &record(&base, 0));
            result.err().map(|error| error.to_string())
        };
        assert_eq!(told(&base), None);
        assert_eq!(told(&MatchPlan { rounds: 9, jobs: 3, ..base.clone() }), None);
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
            (MatchPlan { openings: openings(&["f5d6", "f5f4"]), ..base.clone() }, "other openings"),
            (MatchPlan { openings: openings(&["f5d6", "f5f6", "f5f4"]), ..base.clone() }, "other openings"),
            (MatchPlan { openings: openings(&["f5f6", "f5d6"]), ..base.clone() }, "other openings"),
            (MatchPlan { openings: made(1), ..base.clone() }, "other openings"),
            (MatchPlan { players: player("b=emilia:level=3"), ..base.clone() }, "options of player 2"),
            (
                MatchPlan { players: base.players[..2].to_vec(), ..base.clone() },
                "3 players in the file and 2 now",
            ),
            (MatchPlan { schedule: Schedule::Gauntlet, ..base.clone() }, "--gauntlet is new"),
            (MatchPlan { seed: 8, ..base.clone() }, "--seed is 0 in the file and 8 now"),
            (
                MatchPlan { rules: of_budget(Budget { depth: Some(4), ..free }), ..base.clone() },
                "--depth is none in the file and 4 now",
            ),
            (MatchPlan { rules: of_budget(Budget { nodes: Some(4), ..free }), ..base.clone() }, "--nodes"),
            (
                MatchPlan {
                    rules: of_budget(Budget { time: TimeControl::Move(second), ..free }),
                    ..base.clone()
                },
                "the clock is none in the file and 1/move now",
            ),
            (
                MatchPlan { rules: Rules { margin: second, ..rules }, ..base.clone() },
                "--margin is 0 in the file and 1 now",
            ),
            (MatchPlan { rules: Rules { patience: second, ..rules }, ..base.clone() }, "--patience"),
            (MatchPlan { rules: Rules { adjudicate: Some(9), ..rules }, ..base.clone() }, "--adjudicate"),
        ] {
            let told = told(&changed).unwrap_or_else(|| panic!("not seen: {word}"));
            assert!(told.starts_with("a game of another match: ") && told.contains(word), "{word}: {told}");
        }
        let [one, two] =
            [1, 2].map(|seed| Identity::of(&MatchPlan { openings: made(seed), ..base.clone() }, None));
        assert_ne!(one, two, "made openings follow from their seed");
    }

    #[test]
    fn the_contents_of_programs_weights_and_books_make_a_match() {
        let folder = TempDir::new().unwrap();
        let path = file_in(&folder, "engine", "one");
        let plan = |player: &str| {
            let players = ["a=random".to_owned(), format!("b={player}")];
            MatchPlan { players: players.map(|text| text.parse().unwrap()).to_vec(), ..base() }
        };
        for player in [
            format!("gtp:{} -q", path.display()),
            "nboard:./engine;dir=".to_owned() + &folder.path().display().to_string(),
            format!("emilia:weights={}", path.display()),
            format!("emilia;book={}", path.display()),
        ] {
            let plan = plan(&player);
            std::fs::write(&path, "one").unwrap();
            let before = record(&plan, 0);
            Identity::of(&plan, None).check(&plan, &before).unwrap();
            std::fs::write(&path, "two").unwrap();
            let told = Identity::of(&plan, None).check(&plan, &before).unwrap_err().to_string();
            assert!(told.ends_with("other contents of program, weights or book of player 2"), "{told}");
        }
        let plan = plan(&format!("emilia;book={}", path.display()));
        assert!(
            Identity::of(&plan, Some(&path)).to_string().contains("files=none/none "),
            "it learns the games"
        );
        assert!(Identity::of(&self::plan(), None).to_string().contains("files=none/none/none "));
    }

    #[test]
    fn a_game_must_be_the_one_of_its_number() {
        let base = base();
        let identity = Identity::of(&base, None);
        let told = |logged: &LoggedGame| identity.check(&base, logged).unwrap_err().to_string();
        let mut other = record(&base, 1);
        other.summary.names.reverse();
        assert_eq!(told(&other), "game 1 is a - b, not b - a");
        let other = LoggedGame { opening: game("f5d6c3"), ..record(&base, 1) };
        assert_eq!(told(&other), "game 1 has the opening f5d6c3, not f5d6");
        let old = LoggedGame { identity: "1f2e3d4c".to_owned(), ..record(&base, 0) };
        assert!(told(&old).contains("earlier version"), "{}", told(&old));
    }

    #[test]
    fn identities_are_words_of_a_comment() {
        let text = Identity::of(&base(), None).to_string();
        assert!(text.is_ascii() && !text.contains([';', ']', '\n']), "{text}");
        let lists = [vec![game("f5d6"), game("f5")], vec![game("f5"), game("f5d6")]];
        let [one, two] = lists.map(|list| of_openings(&Openings::Given(Arc::new(list))));
        assert_ne!(one, two);
    }
}
