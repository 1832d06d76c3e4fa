//! The identity of a match: all facts that change its games. Every game of a file carries it, such as
//! `match seed=1 openings=3:5e6f7a8b …`, so that a refusal names the difference.

use std::fmt;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::log::LoggedGame;
use super::openings::Openings;
use super::referee::Rules;
use super::runner::{MatchPlan, Schedule};
use crate::board::Game;
use crate::book::Book;
use crate::eval::Weights;
use crate::notation::moves::write_moves;
use crate::tournament::players::spec::Spec;
use crate::util::checksum::Checksum;
use crate::util::options::{Difference, Facts};
use crate::util::{input_file, program};

/// In place of the checksum of a file that cannot be read.
const UNREAD: &str = "unread";
/// Largest file of a player, in bytes: its whole content is compared.
const MAX_BYTES: u64 = 1 << 34;

/// Facts whose values have no blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity(Facts);

impl Identity {
    /// # Errors
    /// When a file of a player is larger than 16 GiB, or the program itself cannot be read.
    pub fn of(plan: &MatchPlan) -> Result<Self> {
        let Rules {
            budget,
            margin,
            grace,
            start,
            patience,
            adjudicate,
            resign,
            draw,
        } = plan.rules;
        let seconds = |time: Duration| time.as_secs_f64().to_string();
        let players = plan.players.iter();
        let texts = players.map(|player| hash(&format!("{} {player}", player.name)));
        let texts: Vec<String> = texts.collect();
        let files: Vec<String> = plan.players.iter().map(of_files).collect::<Result<_>>()?;
        let mut facts = Facts::default();
        for (name, value) in [
            ("players", texts.join("/")),
            ("files", files.join("/")),
            (
                "gauntlet",
                (plan.schedule == Schedule::Gauntlet).to_string(),
            ),
            ("clock", budget.time.in_a_word()),
            ("level", or_none(budget.level)),
            ("nodes", or_none(budget.nodes)),
            ("margin", seconds(margin)),
            ("patience", [start, patience, grace].map(seconds).join("/")),
            ("adjudicate", or_none(adjudicate)),
            ("resign", or_none(resign)),
            ("draw", or_none(draw)),
            ("seed", plan.seed.to_string()),
            ("openings", of_openings(&plan.openings)),
        ] {
            facts.push(name, value);
        }
        if plan.players.iter().any(Spec::is_inside) {
            let program = program::identity().context("reading the program")?;
            facts.push("program", program.replace(' ', "_"));
        }
        Ok(Self(facts))
    }

    /// Refuses a game of another match.
    pub fn check(&self, plan: &MatchPlan, logged: &LoggedGame) -> Result<()> {
        let noted = Facts::of(logged.identity.split(' '), '=');
        let words = |(name, there, here): Difference| {
            let here = here?;
            let there = there.unwrap_or("unknown");
            Some(match name {
                "players" => "other players, names or options".to_owned(),
                "files" => changed_file(&plan.players, here, there),
                "openings" => "other openings".to_owned(),
                "program" => {
                    format!("the build of this program is {there} in the file and {here} now")
                }
                _ => format!("--{name} is {there} in the file and {here} now"),
            })
        };
        let differences: Vec<String> = noted.differences(&self.0).filter_map(words).collect();
        ensure!(
            differences.is_empty(),
            "a game of another match: {}",
            differences.join("; ")
        );
        self.check_schedule(plan, logged)
    }

    /// Compares names and opening with the schedule: identities are only checksums, and made openings change with the version.
    fn check_schedule(&self, plan: &MatchPlan, logged: &LoggedGame) -> Result<()> {
        let summary = &logged.summary;
        let pairing = plan.pairing(summary.game);
        let names = pairing.sides.map(|side| &plan.players[side].name);
        let [black, white] = &summary.names;
        ensure!(
            [black, white] == names,
            "game {} is {black} - {white}, not {} - {}",
            summary.game,
            names[0],
            names[1]
        );
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
        let parts: Vec<String> = self.0.texts('=').collect();
        f.write_str(&parts.join(" "))
    }
}

/// Checksums of the files that change a player's moves.
fn of_files(player: &Spec) -> Result<String> {
    let mut sums = Vec::new();
    for path in player.files() {
        sums.push(match book_checksum(&path) {
            Some(sum) => sum,
            None if player.is_inside() => weights_checksum(&path),
            None => checksum(&path)?,
        });
    }
    Ok(if sums.is_empty() {
        "none".to_owned()
    } else {
        sums.join(",")
    })
}

/// The checksum of a book with its journal; `None` for another file.
fn book_checksum(path: &Path) -> Option<String> {
    let sum = Book::open(path).and_then(|book| book.checksum()).ok()?;
    Some(format!("{sum:08x}"))
}

fn weights_checksum(path: &Path) -> String {
    let sum = Weights::file_checksum(path);
    sum.map_or_else(|_| UNREAD.to_owned(), |sum| format!("{sum:08x}"))
}

/// The checksum of a file.
fn checksum(path: &Path) -> Result<String> {
    let sum = Checksum::default();
    let read = input_file::open(path).and_then(|file| {
        let bytes = BufReader::new(file.take(MAX_BYTES + 1));
        io::copy(&mut sum.of(bytes), &mut io::sink())
    });
    ensure!(
        read.as_ref().is_ok_and(|&bytes| bytes <= MAX_BYTES) || read.is_err(),
        "{}: too large to compare; expected at most {MAX_BYTES} bytes",
        path.display()
    );
    Ok(read.map_or_else(|_| UNREAD.to_owned(), |_| sum.to_string()))
}

/// The first file whose checksum differs, in words.
fn changed_file(players: &[Spec], here: &str, there: &str) -> String {
    let pairs = here.split('/').zip(there.split('/')).zip(players);
    let changed =
        pairs
            .filter(|((here, there), _)| here != there)
            .find_map(|((here, there), player)| {
                let mut sums = here.split(',').zip(there.split(','));
                let is_same_count = here.split(',').count() == there.split(',').count();
                let place = sums.position(|(here, there)| here != there && is_same_count)?;
                let file = player.files().into_iter().nth(place)?;
                Some(format!(
                    "other contents of {} of {}",
                    file.display(),
                    player.name
                ))
            });
    changed.unwrap_or_else(|| "other programs, weights or books".to_owned())
}

/// A checksum of the openings in their order, or of their recipe.
fn of_openings(openings: &Openings) -> String {
    match openings {
        Openings::Given(games) => {
            let text: String = games
                .iter()
                .map(|game| format!("{:?} {}\n", game.start(), text_of(game)))
                .collect();
            format!("{}:{}", games.len(), hash(&text))
        }
        Openings::Made(recipe, _) => format!("made:{}", hash(&format!("{recipe:?}"))),
    }
}

fn text_of(game: &Game) -> String {
    if game.moves().is_empty() {
        "without moves".to_owned()
    } else {
        write_moves(game.moves())
    }
}

fn hash(text: &str) -> String {
    format!("{:08x}", crc32fast::hash(text.as_bytes()))
}

fn or_none(number: Option<impl ToString>) -> String {
    number.map_or_else(|| "none".to_owned(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::notation::moves::parse_game;
    use crate::tournament::matches::openings::Recipe;
    use crate::tournament::matches::standings::tests::{plan, summary};
    use crate::tournament::players::Clock;
    use crate::util::testing::file_in;
    use tempfile::TempDir;

    fn openings(list: &[&str]) -> Openings {
        Openings::given(
            list.iter()
                .map(|moves| parse_game(Position::START, moves).unwrap())
                .collect(),
        )
    }

    fn base() -> MatchPlan {
        MatchPlan {
            openings: openings(&["f5d6", "f5f6"]),
            ..plan()
        }
    }

    fn record(plan: &MatchPlan, number: usize) -> LoggedGame {
        let opening = plan.openings.get(plan.pairing(number).round).unwrap();
        LoggedGame {
            identity: Identity::of(plan).unwrap().to_string(),
            summary: summary(plan, number, 2),
            opening,
        }
    }

    fn refusal(plan: &MatchPlan, logged: &LoggedGame) -> String {
        Identity::of(plan)
            .unwrap()
            .check(plan, logged)
            .err()
            .map_or(String::new(), |error| error.to_string())
    }

    #[test]
    fn everything_but_the_length_makes_a_match() {
        let changed = |change: &dyn Fn(&mut MatchPlan)| {
            let mut plan = base();
            change(&mut plan);
            refusal(&plan, &record(&base(), 0))
        };
        assert_eq!(changed(&|plan| (plan.rounds, plan.jobs) = (9, 3)), "");
        let made = |seed| {
            Openings::made(Recipe {
                seed,
                ..Recipe::default()
            })
        };
        let second = Duration::from_secs(1);
        type Change<'a> = &'a dyn Fn(&mut MatchPlan);
        let cases: [(Change<'_>, &str); 14] = [
            (
                &|plan| plan.openings = openings(&["f5d6", "f5f4"]),
                "other openings",
            ),
            (
                &|plan| plan.openings = openings(&["f5d6", "f5f6", "f5f4"]),
                "other openings",
            ),
            (
                &|plan| plan.openings = openings(&["f5f6", "f5d6"]),
                "other openings",
            ),
            (&|plan| plan.openings = made(1), "other openings"),
            (
                &|plan| plan.players[1] = "b=emilia:level=3".parse().unwrap(),
                "other players",
            ),
            (&|plan| plan.players.truncate(2), "other players"),
            (
                &|plan| plan.schedule = Schedule::Gauntlet,
                "--gauntlet is false in the file and true now",
            ),
            (&|plan| plan.seed = 8, "--seed is 7 in the file and 8 now"),
            (
                &|plan| plan.rules.budget.level = Some(4),
                "--level is 1 in the file and 4 now",
            ),
            (&|plan| plan.rules.budget.nodes = Some(4), "--nodes"),
            (
                &|plan| plan.rules.budget.time = Clock::per_move(second),
                "in the file and 1/move now",
            ),
            (
                &|plan| plan.rules.margin = second,
                "--margin is 0 in the file and 1 now",
            ),
            (&|plan| plan.rules.patience = second, "--patience"),
            (&|plan| plan.rules.adjudicate = Some(9), "--adjudicate"),
        ];
        for (change, word) in cases {
            let error = changed(change);
            assert!(
                error.starts_with("a game of another match: ") && error.contains(word),
                "{word}: {error}"
            );
        }
        let of = |openings| Identity::of(&MatchPlan { openings, ..base() }).unwrap();
        assert_ne!(
            of(made(1)),
            of(made(2)),
            "made openings follow from their seed"
        );
        let text = of(openings(&["f5d6", "f5"])).to_string();
        assert!(
            text.is_ascii() && !text.contains([';', ']', '\n']),
            "{text}"
        );
    }

    #[test]
    fn the_contents_of_programs_weights_and_books_make_a_match() {
        let folder = TempDir::new().unwrap();
        let path = file_in(&folder, "engine", "one");
        for player in [
            format!("gtp:{} -q", path.display()),
            format!("gtp:./none -q {}", path.display()),
            format!("gtp:./none --eval={}", path.display()),
            format!("gtp:./missing;init=load {}", path.display()),
            "nboard:./engine;dir=".to_owned() + &folder.path().display().to_string(),
            format!("emilia:eval={}", path.display()),
            format!("emilia;book={}", path.display()),
        ] {
            let players = ["a=random".to_owned(), format!("b={player}")];
            let plan = MatchPlan {
                players: players.map(|text| text.parse().unwrap()).to_vec(),
                ..base()
            };
            std::fs::write(&path, "one").unwrap();
            let before = record(&plan, 0);
            assert_eq!(refusal(&plan, &before), "");
            std::fs::write(&path, "two").unwrap();
            let error = refusal(&plan, &before);
            let named = format!("other contents of {} of b", path.display());
            assert!(error.ends_with(&named), "{error}");
        }
        assert!(
            Identity::of(&plan())
                .unwrap()
                .to_string()
                .contains(&format!("files={0}/{0}/{0} ", or_none(None::<u32>)))
        );
    }

    #[test]
    fn a_game_must_be_the_one_of_its_number() {
        let base = base();
        let mut other = record(&base, 1);
        other.summary.names.reverse();
        assert_eq!(refusal(&base, &other), "game 1 is a - b, not b - a");
        let opening = parse_game(Position::START, "f5d6c3").unwrap();
        let other = LoggedGame {
            opening,
            ..record(&base, 1)
        };
        assert_eq!(
            refusal(&base, &other),
            "game 1 has the opening f5d6c3, not f5d6"
        );
        let old = LoggedGame {
            identity: "1f2e3d4c".to_owned(),
            ..record(&base, 0)
        };
        assert!(refusal(&base, &old).contains("is unknown in the file"));
    }
}
