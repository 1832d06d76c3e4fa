//! The text of a player: `[name=]what[;option…]`.
//!
//! `what` is `nboard:COMMAND`, `gtp:COMMAND`, a command whose protocol is detected, or a player inside this process with its
//! options: `emilia:level=8,threads=2`, `pentai:vision=60`. [`super::options`] parses the other options.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Error, Result, bail, ensure};

use super::ladder::{LadderOptions, LadderPlayer};
use super::options::{self, PlayerOptions, number};
use super::{
    Budget, Clock, EngineOptions, EnginePlayer, Fault, GtpPlayer, NBoardPlayer, Player,
    find_protocol, parse_margin,
};
use crate::book::policy::Policy;
use crate::engine::Elo;
use crate::engine::people::Rating;
use crate::peers::Protocol;
use crate::peers::named_files::{files_among, files_of};
use crate::peers::process::{Process, is_there, split_words};
use crate::search::{Handicap, Options};

/// Options that exclude each other.
const APART: &[[&str; 2]] = &[
    ["own", "level"],
    ["own", "clock"],
    ["own", "move-time"],
    ["clock", "move-time"],
    ["depth", "level"],
    ["depth", "elo"],
    ["depth", "person"],
    ["elo", "level"],
    ["elo", "vision"],
    ["elo", "judgement"],
    ["person", "elo"],
    ["person", "level"],
    ["person", "vision"],
    ["person", "judgement"],
    ["person", "nodes"],
];

#[derive(Clone, Debug, PartialEq)]
pub enum PlayerKind {
    /// A command line; its protocol is detected unless given.
    Program(Option<Protocol>, String),
    Engine(EngineOptions),
    Ladder(LadderOptions),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// For tables and game files, without `[]/;`.
    pub name: String,
    pub kind: PlayerKind,
    pub options: PlayerOptions,
    text: String,
}

impl Spec {
    /// A player of finished games.
    pub fn of_games(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: PlayerKind::Engine(EngineOptions::default()),
            options: PlayerOptions::default(),
            text: name.to_owned(),
        }
    }

    /// Starts the player; `patience` is the wait for a program's first answer.
    ///
    /// # Errors
    /// [`Fault::Start`] when the program does not start or answers in no known protocol.
    pub fn start(&self, seed: u64, patience: Duration) -> Result<Box<dyn Player>, Fault> {
        match &self.kind {
            PlayerKind::Program(protocol, command) => {
                start_program(*protocol, command, &self.options, patience).map_err(Fault::at_start)
            }
            PlayerKind::Engine(options) => Ok(Box::new(EnginePlayer::new(options, seed)?)),
            PlayerKind::Ladder(options) => Ok(Box::new(LadderPlayer::new(options, seed))),
        }
    }

    /// Whether it can set up a position without moves.
    pub fn takes_any_start(&self) -> bool {
        !matches!(self.kind, PlayerKind::Program(Some(Protocol::Gtp), _))
    }

    /// Whether its moves may depend on its seed.
    pub fn rolls_dice(&self) -> bool {
        match &self.kind {
            PlayerKind::Program(..) => false,
            PlayerKind::Engine(options) => {
                options.handicap.is_some() || options.book.is_some() && is_random(options.policy)
            }
            PlayerKind::Ladder(_) => true,
        }
    }

    /// Whether its games differ even without a clock.
    pub fn varies(&self) -> bool {
        match &self.kind {
            PlayerKind::Program(..) => false,
            PlayerKind::Engine(options) => {
                options.threads > 1 || options.book.is_some() && is_random(options.policy)
            }
            PlayerKind::Ladder(options) => options.varies(),
        }
    }

    pub fn is_inside(&self) -> bool {
        !matches!(self.kind, PlayerKind::Program(..))
    }

    /// The files that change its moves: weights and book, or a program with the files that its command line and its
    /// first commands name.
    pub fn files(&self) -> Vec<PathBuf> {
        match &self.kind {
            PlayerKind::Program(_, command) => {
                let folder = self.options.folder.as_deref();
                let mut files = files_of(command, folder);
                for command in &self.options.init {
                    files.extend(files_among(&split_words(command), folder));
                }
                files
            }
            PlayerKind::Engine(engine) => [&engine.weights, &engine.book]
                .into_iter()
                .flatten()
                .cloned()
                .collect(),
            PlayerKind::Ladder(_) => Vec::new(),
        }
    }

    /// Whether it searches by the nodes of the match.
    pub fn counts_nodes(&self, budget: Budget) -> bool {
        matches!(&self.kind, PlayerKind::Engine(engine) if engine.nodes.is_none())
            && self.options.budget(budget).nodes.is_some()
    }

    /// Refuses nodes for a program, and a program without a limit; `options` are the user's options for a limit of all
    /// players.
    ///
    /// # Errors
    /// The error names the remedy.
    pub fn check(&self, budget: Budget, options: &str) -> Result<()> {
        let budget = self.options.budget(budget);
        ensure!(
            self.is_inside() || budget.nodes.is_none(),
            "`{}` cannot count nodes: give it a level (;level=8), or its strength on its command line (;own)",
            self.name
        );
        let PlayerKind::Program(_, command) = &self.kind else {
            return Ok(());
        };
        if self.options.is_own || budget != Budget::FREE {
            return Ok(());
        }
        // A word that is no program is rather a misspelled player.
        ensure!(
            is_there(command, self.options.folder.as_deref()),
            "`{self}` is no player of this program, and there is no program `{}`: give the path of a program, such as \
             nboard:./engine; `emilia match --help` lists the players",
            split_words(command).first().unwrap_or(command)
        );
        bail!(
            "no time control for `{}`: give all players one ({options}), or this one (;move-time=0.5, ;clock=60+1, \
             ;level=8), or its strength on its command line (;own)",
            self.name
        )
    }
}

fn is_random(policy: Policy) -> bool {
    !matches!(policy, Policy::Best | Policy::Contempt(_))
}

fn start_program(
    protocol: Option<Protocol>,
    command: &str,
    options: &PlayerOptions,
    patience: Duration,
) -> Result<Box<dyn Player>, Fault> {
    let spawn = || {
        let process = Process::spawn(command, options.folder.as_deref());
        process.map_err(|error| Fault::Start(format!("{error}: {command}")))
    };
    let mut process = spawn()?;
    let found = match protocol {
        Some(_) => None,
        None => Some(find_protocol(&mut process, patience).map_err(|silence| {
            let fault = Fault::Start(format!("{silence}, neither NBoard nor GTP"));
            fault.with_last_words(&process)
        })?),
    };
    if protocol.or(found) == Some(Protocol::NBoard) {
        let mut player = match found {
            Some(_) => NBoardPlayer::greeted(process, 1, patience),
            None => NBoardPlayer::new(process, patience)?,
        };
        player.init(&options.init)?;
        return Ok(Box::new(player));
    }
    if found.is_some() {
        // The refusals of both greetings may still come: start a new process.
        process.quit();
        process = spawn()?;
    }
    let mut player = GtpPlayer::new(process, patience)?;
    player.init(&options.init)?;
    if options.level.is_some() && !player.knows("set_level") {
        let what = "it lists no set_level: put its level on its command line, with ;own";
        return Err(Fault::Start(what.to_owned()));
    }
    Ok(Box::new(player))
}

impl FromStr for Spec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        parse(text).with_context(|| format!("player `{text}`"))
    }
}

fn parse(text: &str) -> Result<Spec> {
    let (player, given) = options::split(text)?;
    let (name, what) = match player.split_once('=') {
        Some((name, what)) if is_name(name) && parse_inside(name).is_none() => (Some(name), what),
        // A name with blanks could be a program and its argument, unless a player follows.
        Some((name, what))
            if name.split(' ').all(is_name)
                && (parse_protocol(what).is_some() || parse_inside(what).is_some()) =>
        {
            (Some(name), what)
        }
        _ => (None, player),
    };
    let what = what.trim();
    ensure!(!what.is_empty(), "the player is missing");
    let (mut kind, inner) = match (parse_protocol(what), parse_inside(what)) {
        (Some((protocol, command)), _) => (
            PlayerKind::Program(Some(protocol), command.trim().to_owned()),
            "",
        ),
        (None, Some(inside)) => inside,
        (None, None) => (PlayerKind::Program(None, what.to_owned()), ""),
    };
    let mut options = PlayerOptions::default();
    let mut names = Vec::new();
    let inner = inner.split(',').filter(|option| !option.is_empty());
    for option in inner.chain(given.iter().map(String::as_str)) {
        set(&mut kind, &mut options, &mut names, option)
            .with_context(|| format!("option `{}`", option.trim()))?;
    }
    let whole = [&[what.to_owned()], &given[..]].concat().join("-");
    let name = name.map_or_else(|| default_name(&whole, &kind), str::to_owned);
    Ok(Spec {
        name,
        kind,
        options,
        text: text.to_owned(),
    })
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-.+#".contains(c))
}

fn parse_protocol(what: &str) -> Option<(Protocol, &str)> {
    let (word, command) = what.split_once(':')?;
    let protocol = Protocol::named(word)?;
    matches!(protocol, Protocol::NBoard | Protocol::Gtp).then_some((protocol, command))
}

/// A player inside this process and the options after its colon.
fn parse_inside(what: &str) -> Option<(PlayerKind, &str)> {
    let (program, options) = what.split_once(':').unwrap_or((what, ""));
    let kind = match program {
        "emilia" => PlayerKind::Engine(EngineOptions::default()),
        other => PlayerKind::Ladder(LadderOptions::named(other)?),
    };
    Some((kind, options))
}

/// Far more than any search.
const MOST_NODES: u64 = 1 << 60;

/// Sets one option, `key=value` or a word; `names` has the earlier ones.
fn set(
    kind: &mut PlayerKind,
    options: &mut PlayerOptions,
    names: &mut Vec<String>,
    option: &str,
) -> Result<()> {
    let (key, value) = option
        .split_once('=')
        .map_or((option, None), |(key, value)| (key, Some(value.trim())));
    let key = key.trim();
    let is_given = |other: &str| names.iter().any(|name| name == other);
    ensure!(key == "init" || !is_given(key), "given twice");
    for [one, other] in APART {
        let clash = *one == key && is_given(other) || *other == key && is_given(one);
        ensure!(!clash, "not both `{one}` and `{other}`");
    }
    let needed = || {
        let value = value.filter(|value| !value.is_empty());
        value.with_context(|| format!("a value is missing: {key}=…"))
    };
    match (key, kind) {
        ("clock", _) => options.time = Some(Clock::parse(needed()?).map_err(Error::msg)?),
        ("move-time", _) => {
            options.time = Some(Clock::parse_move_time(needed()?).map_err(Error::msg)?);
        }
        ("margin", _) => options.margin = Some(parse_margin(needed()?).map_err(Error::msg)?),
        (_, PlayerKind::Engine(engine)) => set_engine_option(engine, key, needed()?)?,
        (_, PlayerKind::Ladder(ladder)) => ladder.set(key, needed()?)?,
        ("level", _) => options.level = Some(number(key, needed()?, 0..=60, "plies")?),
        ("own", _) => {
            ensure!(value.is_none(), "it takes no value");
            options.is_own = true;
        }
        ("dir", _) => options.folder = Some(needed()?.into()),
        ("init", _) => options.init.push(needed()?.to_owned()),
        _ => bail!(
            "a program has no such option: level, clock, move-time, margin, own, dir, init; put others on the \
             program's command line, or send them with init=COMMAND"
        ),
    }
    names.push(key.to_owned());
    Ok(())
}

fn set_engine_option(engine: &mut EngineOptions, key: &str, value: &str) -> Result<()> {
    match key {
        "level" => engine.level = Some(value.parse()?),
        "elo" => {
            // The game sets the seed.
            let strength = value.parse::<Elo>()?.strength();
            (engine.level, engine.handicap) = (Some(strength.level), strength.handicap(0));
        }
        "person" => {
            let rating = value.parse::<Rating>()?;
            engine.handicap = Some(Handicap::of_person(rating.number(), 0));
        }
        "depth" => engine.depth = Some(number(key, value, 1..=60, "plies")?),
        "solve-from" => engine.solve_from = Some(number(key, value, 0..=60, "empties")?),
        "nodes" => engine.nodes = Some(number(key, value, 1..=MOST_NODES, "nodes")?),
        "threads" => engine.threads = Options::parse_threads(value)?,
        "hash" => engine.hash_mib = Options::parse_hash_mib(value)?,
        "eval" => match value.parse() {
            Ok(kind) => engine.eval = Some(kind),
            Err(_) => engine.weights = Some(value.into()),
        },
        "book" => engine.book = Some(value).filter(|value| *value != "off").map(Into::into),
        "policy" => engine.policy = value.parse()?,
        "vision" | "judgement" => {
            let percent = number(key, value, 0..=100, "percent")?;
            let full = Handicap {
                depth: u8::MAX,
                vision: 100,
                judgement: 100,
                seed: 0,
                person: None,
            };
            let handicap = engine.handicap.get_or_insert(full);
            *if key == "vision" {
                &mut handicap.vision
            } else {
                &mut handicap.judgement
            } = percent;
        }
        name if name.starts_with(char::is_uppercase) => {
            let value = value
                .parse()
                .with_context(|| format!("{key}={value}: expected a whole number"))?;
            engine.tuning.set(name, value)?;
        }
        _ => bail!(
            "this engine has no such option: level, elo, person, depth, nodes, solve-from, eval, book, policy, \
             vision, judgement, threads, hash, clock, move-time, margin"
        ),
    }
    Ok(())
}

/// A name from the file name of the program, or from the text.
fn default_name(what: &str, kind: &PlayerKind) -> String {
    let text = match kind {
        PlayerKind::Program(_, command) => {
            let program = split_words(command).into_iter().next().unwrap_or_default();
            program
                .rsplit(['/', '\\'])
                .next()
                .unwrap_or_default()
                .to_owned()
        }
        PlayerKind::Engine(_) | PlayerKind::Ladder(_) => what.replace([':', ',', '='], "-"),
    };
    let name: String = text
        .chars()
        .filter(|&c| is_name(&c.to_string()))
        .take(40)
        .collect();
    if name.is_empty() {
        "engine".to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> Spec {
        text.parse()
            .unwrap_or_else(|error| panic!("{text}: {error:#}"))
    }

    fn engine(text: &str) -> EngineOptions {
        let PlayerKind::Engine(options) = spec(text).kind else {
            panic!("{text}: no player inside")
        };
        options
    }

    #[test]
    fn commands_name_their_protocol() {
        let cases = [
            (
                "nboard:./x nboard",
                "x",
                Some(Protocol::NBoard),
                "./x nboard",
            ),
            (
                "gtp:gtp-rhino",
                "gtp-rhino",
                Some(Protocol::Gtp),
                "gtp-rhino",
            ),
            (
                "Rhino=gtp:gtp-rhino -q",
                "Rhino",
                Some(Protocol::Gtp),
                "gtp-rhino -q",
            ),
            ("/opt/a b/engine", "a", None, "/opt/a b/engine"),
            ("new='/o p/e' --hash=16", "new", None, "'/o p/e' --hash=16"),
            ("./e --hash=16", "e", None, "./e --hash=16"),
            (
                "new one=nboard:./e --hash=16",
                "new one",
                Some(Protocol::NBoard),
                "./e --hash=16",
            ),
            ("./e a=b c", "e", None, "./e a=b c"),
        ];
        for (text, name, protocol, command) in cases {
            let spec = spec(text);
            assert_eq!(spec.name, name, "{text}");
            assert_eq!(
                spec.kind,
                PlayerKind::Program(protocol, command.to_owned()),
                "{text}"
            );
            assert_eq!(spec.to_string(), text);
        }
    }

    #[test]
    fn players_inside_take_options() {
        let deep = EngineOptions {
            level: "8".parse().ok(),
            threads: 2,
            ..EngineOptions::default()
        };
        assert_eq!(engine("deep=emilia:level=8,threads=2"), deep);
        for (text, name) in [
            ("deep=emilia:level=8", "deep"),
            ("emilia:nodes=5000", "emilia-nodes-5000"),
            ("x y=random", "x y"),
        ] {
            assert_eq!(spec(text).name, name);
        }
        let weak = engine("weak=emilia:level=2,vision=60,judgement=30")
            .handicap
            .unwrap();
        assert_eq!((weak.vision, weak.judgement), (60, 30));
        let rated = engine("emilia:elo=1065");
        assert_eq!(
            (
                rated.level.unwrap().number(),
                rated.handicap.unwrap().judgement
            ),
            (1, 85)
        );
        assert_eq!(
            engine("emilia:book=a.book").book.as_deref(),
            Some("a.book".as_ref())
        );
        assert_eq!(engine("emilia:book=off").book, None);
        assert!(matches!(
            spec("weak=pentai:vision=40").kind,
            PlayerKind::Ladder(_)
        ));
        for (text, rolls, varies) in [
            ("emilia:book=a.book", false, false),
            ("emilia:book=a.book,policy=within:0.5", true, true),
            ("emilia:vision=60", true, false),
            ("emilia:threads=2", false, true),
            ("random", true, true),
        ] {
            assert_eq!(
                (spec(text).rolls_dice(), spec(text).varies()),
                (rolls, varies),
                "{text}"
            );
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for (text, message) in [
            ("", "the player is missing"),
            ("  ", "the player is missing"),
            ("x=", "the player is missing"),
            (
                "nboard:x;fast=1",
                "level, clock, move-time, margin, own, dir, init",
            ),
            ("emilia;dir=/tmp", "level, elo"),
            ("nboard:x;threads=2", "init=COMMAND"),
            (
                "nboard:x;clock=3;move-time=4",
                "not both `clock` and `move-time`",
            ),
            ("nboard:x;margin=3;margin=3", "given twice"),
            ("emilia;hash=1;hash=2", "given twice"),
            ("nboard:x;own;level=3", "not both"),
            ("nboard:x;move-time=1;own", "not both"),
            ("emilia:elo=1200,level=4", "not both"),
            ("nboard:x;own=1", "no value"),
            ("nboard:x;level", "a value is missing: level=…"),
            ("nboard:x;init=", "a value is missing: init=…"),
            ("nboard:x;level=61", "0 to 60"),
            ("nboard:x;margin=-1", "from 0 to 600"),
            ("nboard:x;clock=0", "0.001"),
            ("nboard:x;", "option ``"),
            ("random;depth=99", "1 to 20 plies"),
            ("pentai:vision=0", "1 to 100 percent"),
            ("random:vision=50", "no such option"),
            ("emilia:level=61", "0 to 60"),
            ("emilia:solve-from=61", "0 to 60"),
            ("emilia:level", "a value is missing"),
            ("emilia:fast=1", "no such option"),
            ("emilia:elo=9000", "9000"),
            ("emilia:vision=101", "0 to 100"),
            ("emilia:policy=luck", "luck"),
            ("emilia:threads=0", "1 to 256"),
            ("emilia:threads=257", "1 to 256"),
            ("emilia:hash=0", "1 to 65536"),
            ("emilia:hash=100000000", "1 to 65536"),
            ("emilia:nodes=0", "from 1 to"),
            ("emilia:depth=61", "from 1 to 60 plies"),
            ("emilia:depth=6,level=6", "not both"),
            ("emilia:clock=40/60+1", "such as 40/60"),
            ("random:depth=x", "whole number"),
        ] {
            let error = format!("{:#}", text.parse::<Spec>().unwrap_err());
            assert!(
                error.contains(message) && error.contains(text),
                "{text}: {error}"
            );
        }
    }
}
