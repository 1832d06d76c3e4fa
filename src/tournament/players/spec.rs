//! Naming a player: `[name=]what[;option…]`.
//!
//! `what` is `nboard:COMMAND`, `gtp:COMMAND`, `auto:COMMAND` or just a command; or a player inside this
//! process with its options, `emilia:depth=8,threads=2`, `pentai:vision=60`. The options that follow are those of
//! [`super::terms`].

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Error, Result, bail, ensure};

use super::ladder::{LadderOptions, LadderPlayer};
use super::terms::{self, Terms};
use super::{Budget, EngineOptions, EnginePlayer, Fault, GtpPlayer, NBoardPlayer, Player, Sign, first_sign};
use crate::book::policy::Policy;
use crate::engine::{Elo, Options};
use crate::peers::process::{Process, split_words};
use crate::search::Handicap;

/// What a child process speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// NBoard.
    NBoard,
    /// GTP 2.
    Gtp,
    /// To be found out.
    Auto,
}

/// What a player is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A child process.
    Command(Protocol, String),
    /// Our own engine in this process.
    Engine(EngineOptions),
    /// One of the early programs in this process.
    Ladder(LadderOptions),
}

/// A player that can be started as often as needed.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// For tables and game files: none of `[]/;`.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// On which terms it plays.
    pub terms: Terms,
    /// The text it was made from.
    text: String,
}

impl Spec {
    /// Starts the player; a program has `patience` to give its first answer.
    ///
    /// # Errors
    /// [`Fault::Start`] when the program does not start or answers in no known protocol.
    pub fn start(&self, seed: u64, patience: Duration) -> Result<Box<dyn Player>, Fault> {
        match &self.kind {
            Kind::Command(protocol, command) => {
                start_command(*protocol, command, &self.terms, patience).map_err(Fault::at_start)
            }
            Kind::Engine(options) => Ok(Box::new(EnginePlayer::new(options, seed)?)),
            Kind::Ladder(options) => Ok(Box::new(LadderPlayer::new(options, seed))),
        }
    }

    /// Whether it can start from positions that no moves lead to.
    pub fn takes_any_start(&self) -> bool {
        !matches!(self.kind, Kind::Command(Protocol::Gtp, _))
    }

    /// Whether its moves may depend on the seed that it is started with.
    pub fn rolls_dice(&self) -> bool {
        match &self.kind {
            Kind::Command(..) => false,
            Kind::Engine(options) => {
                options.handicap.is_some() || options.book.is_some() && is_random(options.policy)
            }
            Kind::Ladder(_) => true,
        }
    }

    /// Whether it is sure to play differently from game to game, even without a clock.
    pub fn varies(&self) -> bool {
        match &self.kind {
            Kind::Command(..) => false,
            Kind::Engine(options) => {
                options.threads > 1 || options.book.is_some() && is_random(options.policy)
            }
            Kind::Ladder(options) => options.varies(),
        }
    }

    /// Whether it plays inside this process, where nothing is unknown.
    pub fn is_inside(&self) -> bool {
        !matches!(self.kind, Kind::Command(..))
    }

    /// Refuses what it cannot be told, and to wait for a program that nothing tells when to move.
    ///
    /// # Errors
    /// With what helps.
    pub fn check(&self, budget: Budget) -> Result<()> {
        let budget = self.terms.budget(budget);
        ensure!(
            self.is_inside() || budget.nodes.is_none(),
            "`{}` cannot be told to count nodes: give it a depth (;depth=8) or let it play at a strength that its \
             command line says (;own)",
            self.name
        );
        ensure!(
            self.is_inside() || self.terms.is_own || budget != Budget::FREE,
            "nothing tells `{}` when to move: give the match a clock or a depth (--movetime, --tc, --depth), or this \
             player (;movetime=0.5, ;tc=60+1, ;depth=8), or let it play at a strength that its command line says (;own)",
            self.name
        );
        Ok(())
    }
}

/// Whether the policy rolls dice.
fn is_random(policy: Policy) -> bool {
    !matches!(policy, Policy::Best | Policy::Contempt(_))
}

fn start_command(
    protocol: Protocol,
    command: &str,
    terms: &Terms,
    patience: Duration,
) -> Result<Box<dyn Player>, Fault> {
    let spawn = || {
        let process = Process::spawn_in(command, terms.folder.as_deref());
        process.map_err(|error| Fault::Start(format!("{error}: {command}")))
    };
    let mut process = spawn()?;
    let protocol = match protocol {
        Protocol::Auto => match first_sign(&mut process, patience) {
            Ok(Sign::NBoard) => {
                let mut player = NBoardPlayer::greeted(process, 1, patience);
                player.init(&terms.init)?;
                return Ok(Box::new(player));
            }
            // The refusals of both greetings may still be under way; a fresh process has none.
            Ok(Sign::Gtp) => {
                process.quit();
                process = spawn()?;
                Protocol::Gtp
            }
            Err(silence) => return Err(Fault::Start(format!("{silence}, neither NBoard nor GTP"))),
        },
        known => known,
    };
    match protocol {
        Protocol::Gtp => {
            let mut player = GtpPlayer::new(process, patience)?;
            player.init(&terms.init)?;
            if terms.depth.is_some() && !player.takes_depth() {
                let what = "it lists no set_level, so GTP cannot tell it a depth: put it on its command line, with ;own";
                return Err(Fault::Start(what.to_owned()));
            }
            Ok(Box::new(player))
        }
        Protocol::NBoard | Protocol::Auto => {
            let mut player = NBoardPlayer::new(process, patience)?;
            player.init(&terms.init)?;
            Ok(Box::new(player))
        }
    }
}

impl FromStr for Spec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        parse(text).with_context(|| format!("player `{text}`"))
    }
}

fn parse(text: &str) -> Result<Spec> {
    let (player, options) = terms::split(text)?;
    let (name, what) = match player.split_once('=') {
        Some((name, what)) if is_name(name) && parse_inside(name).is_none() => (Some(name), what),
        // With blanks it could be a program and its argument, unless a player follows.
        Some((name, what)) if name.split(' ').all(is_name) && is_surely_player(what) => (Some(name), what),
        _ => (None, player),
    };
    let what = what.trim();
    ensure!(!what.is_empty(), "no engine is named");
    let (mut terms, mut given) = (Terms::default(), Vec::new());
    let program = |protocol, command: &str| Kind::Command(protocol, command.trim().to_owned());
    let mut kind = match what.split_once(':') {
        Some(("nboard", command)) => program(Protocol::NBoard, command),
        Some(("gtp", command)) => program(Protocol::Gtp, command),
        Some(("auto", command)) => program(Protocol::Auto, command),
        _ => match parse_inside(what) {
            Some((mut kind, inner)) => {
                for option in inner {
                    give(&mut kind, &mut terms, &mut given, option)?;
                }
                kind
            }
            None => program(Protocol::Auto, what),
        },
    };
    for option in &options {
        give(&mut kind, &mut terms, &mut given, option)?;
    }
    let whole = [&[what.to_owned()], &options[..]].concat().join("-");
    let name = name.map_or_else(|| default_name(&whole, &kind), str::to_owned);
    Ok(Spec { name, kind, terms, text: text.to_owned() })
}

/// Gives a player one option; `given` are those it has.
fn give(kind: &mut Kind, terms: &mut Terms, given: &mut Vec<String>, option: &str) -> Result<()> {
    terms::give(terms, given, option, |terms, key, value| match kind {
        Kind::Command(..) => terms.take_for_program(key, value),
        Kind::Engine(engine) => set_engine_option(engine, key, terms::needed(key, value)?),
        Kind::Ladder(ladder) => ladder.set(key, terms::needed(key, value)?),
    })
}

impl fmt::Display for Spec {
    /// The text it was made from.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.+#".contains(c))
}

/// Whether this can only be a player: inside this process, or a command with its protocol.
fn is_surely_player(what: &str) -> bool {
    let protocol = what.split_once(':').is_some_and(|(word, _)| ["nboard", "gtp", "auto"].contains(&word));
    protocol || parse_inside(what).is_some()
}

/// A player inside this process with its options, or `None` when the text names none.
fn parse_inside(what: &str) -> Option<(Kind, impl Iterator<Item = &str>)> {
    let (program, options) = what.split_once(':').unwrap_or((what, ""));
    let kind = match program {
        "emilia" => Kind::Engine(EngineOptions::default()),
        other => Kind::Ladder(LadderOptions::named(other)?),
    };
    Some((kind, options.split(',').filter(|option| !option.is_empty())))
}

/// Gives our own engine an option.
///
/// # Errors
/// When there is no such option or its value is out of range.
pub fn set_engine_option(engine: &mut EngineOptions, key: &str, value: &str) -> Result<()> {
    let number = || value.parse::<u64>().with_context(|| format!("{key}={value}: not a number"));
    match key {
        "level" | "depth" => engine.level = Some(value.parse()?),
        "elo" => {
            // The seed is the game's.
            let strength = value.parse::<Elo>()?.strength();
            (engine.level, engine.handicap) = (Some(strength.level), strength.handicap(0));
        }
        "exact" => {
            let empties = number()?;
            ensure!(empties <= 60, "{key}={value}: 0 to 60 empties");
            engine.exact = Some(empties as u8);
        }
        "nodes" => {
            let nodes = number()?;
            ensure!(nodes > 0, "{key}={value}: at least 1");
            engine.nodes = Some(nodes);
        }
        "threads" => engine.threads = Options::parse_threads(value)?,
        "hash" => engine.hash_mib = Options::parse_hash_mib(value)?,
        "eval" => engine.eval = Some(value.parse()?),
        "book" => engine.book = Some(value).filter(|value| *value != "off").map(Into::into),
        "policy" => engine.policy = value.parse()?,
        "weights" => engine.weights = Some(value.into()),
        "vision" | "judgement" => {
            let percent = u8::try_from(number()?).unwrap_or(u8::MAX);
            ensure!(percent <= 100, "{key}={value}: 0 to 100 percent");
            let full = Handicap { depth: u8::MAX, vision: 100, judgement: 100, seed: 0 };
            let handicap = engine.handicap.get_or_insert(full);
            *if key == "vision" { &mut handicap.vision } else { &mut handicap.judgement } = percent;
        }
        name if name.starts_with(char::is_uppercase) => {
            let value = value.parse().with_context(|| format!("{key}={value}: not a number"))?;
            engine.tuning.set(name, value)?;
        }
        _ => bail!(
            "this engine has no such option: level, depth, elo, nodes, exact, eval, weights, book, policy, vision, \
             judgement, threads, hash, tc, movetime, margin"
        ),
    }
    Ok(())
}

/// The file name of the program, or the text itself, as far as it makes a name.
fn default_name(what: &str, kind: &Kind) -> String {
    let text = match kind {
        Kind::Command(_, command) => {
            let words = split_words(command);
            let program = words.first().cloned().unwrap_or_default();
            program.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
        }
        Kind::Engine(_) | Kind::Ladder(_) => what.replace([':', ',', '='], "-"),
    };
    let name: String = text.chars().filter(|&c| is_name(&c.to_string())).take(40).collect();
    if name.is_empty() { "engine".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> Spec {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error:#}"))
    }

    #[test]
    fn books_are_named_or_off_and_roll_dice_by_policy() {
        let (book, dice) = ("emilia:book=a.book", "emilia:book=a.book,policy=within:0.5");
        let options = |text| match spec(text).kind {
            Kind::Engine(options) => options,
            other => panic!("{other:?}"),
        };
        assert_eq!(options(book).book.as_deref(), Some("a.book".as_ref()));
        assert_eq!(options("emilia:book=off").book, None);
        assert_eq!(options(dice).policy, Policy::Within(0.5));
        assert!(!spec(book).rolls_dice() && spec(dice).rolls_dice() && spec(dice).varies());
        assert!("emilia:policy=luck".parse::<Spec>().is_err());
    }

    #[test]
    fn commands_name_their_protocol() {
        let cases = [
            ("nboard:./x nboard", "x", Protocol::NBoard, "./x nboard"),
            ("gtp:gtp-rhino", "gtp-rhino", Protocol::Gtp, "gtp-rhino"),
            ("Rhino=gtp:gtp-rhino -q", "Rhino", Protocol::Gtp, "gtp-rhino -q"),
            ("/opt/a b/engine", "a", Protocol::Auto, "/opt/a b/engine"),
            ("new=auto:'/o p/e' --hash=16", "new", Protocol::Auto, "'/o p/e' --hash=16"),
            ("./e --hash=16", "e", Protocol::Auto, "./e --hash=16"),
        ];
        for (text, name, protocol, command) in cases {
            let spec = spec(text);
            assert_eq!(spec.name, name, "{text}");
            assert_eq!(spec.kind, Kind::Command(protocol, command.to_owned()), "{text}");
            assert_eq!(spec.to_string(), text);
        }
    }

    #[test]
    fn players_inside_take_options() {
        let deep = spec("deep=emilia:depth=8,threads=2");
        assert_eq!(deep.name, "deep");
        let options =
            EngineOptions { level: Some("8".parse().unwrap()), threads: 2, ..EngineOptions::default() };
        assert_eq!(deep.kind, Kind::Engine(options));
        assert_eq!(spec("emilia:nodes=5000").name, "emilia-nodes-5000");
        let weak = spec("weak=emilia:level=2,vision=60,judgement=30");
        assert!(weak.rolls_dice());
        let Kind::Engine(EngineOptions { handicap: Some(handicap), .. }) = weak.kind else {
            panic!("{weak}")
        };
        assert_eq!((handicap.vision, handicap.judgement), (60, 30));
        let Kind::Engine(rated) = spec("emilia:elo=1065").kind else { panic!("a player inside") };
        assert_eq!((rated.level.unwrap().number(), rated.handicap.unwrap().judgement), (1, 85));
        assert!("emilia:elo=9000".parse::<Spec>().is_err());
        assert!("emilia:vision=101".parse::<Spec>().is_err());
        assert!(matches!(spec("random").kind, Kind::Ladder(_)));
        assert!(matches!(spec("weak=pentai:vision=40").kind, Kind::Ladder(_)));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "  ",
            "x=",
            "emilia:depth=61",
            "emilia:exact=61",
            "emilia:depth",
            "emilia:fast=1",
            "random:depth=x",
        ] {
            assert!(text.parse::<Spec>().is_err(), "{text}");
        }
        for (option, range) in [
            ("threads=0", "1 to 256"),
            ("threads=257", "1 to 256"),
            ("hash=0", "1 to 65536"),
            ("hash=100000000", "1 to 65536"),
            ("nodes=0", "at least 1"),
        ] {
            let error = format!("{:#}", format!("emilia:{option}").parse::<Spec>().unwrap_err());
            assert!(error.contains(range), "{option}: {error}");
        }
    }

    #[test]
    fn names_may_hold_blanks_where_a_player_is_sure_to_follow() {
        assert_eq!(spec("x y=random").name, "x y");
        assert_eq!(spec("new one=nboard:./e --hash=16").name, "new one");
        let sum = "./e a=b c";
        assert_eq!(spec(sum).kind, Kind::Command(Protocol::Auto, sum.to_owned()));
    }
}
