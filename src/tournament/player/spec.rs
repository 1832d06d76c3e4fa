//! Naming a player: `[name=]what`.
//!
//! `what` is `nboard:COMMAND`, `gtp:COMMAND`, `auto:COMMAND` or just a command; or a player inside this
//! process with its options, `emilia:depth=8,threads=2`, `pentai:vision=60`.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Error, Result, bail, ensure};

use super::nboard::{Sign, first_sign};
use super::{EngineOptions, EnginePlayer, Fault, GtpPlayer, NBoardPlayer, Player, START_PATIENCE};
use crate::tournament::ladder::{LadderOptions, LadderPlayer};
use crate::tournament::process::Process;

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
    /// For tables and game files: no blanks, none of `[]/;`.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The text it was made from.
    text: String,
}

impl Spec {
    /// Starts the player.
    ///
    /// # Errors
    /// When the program does not start or answers in no known protocol.
    pub fn start(&self, seed: u64) -> Result<Box<dyn Player>, Fault> {
        match &self.kind {
            Kind::Command(protocol, command) => start_command(*protocol, command),
            Kind::Engine(options) => Ok(Box::new(EnginePlayer::new(options)?)),
            Kind::Ladder(options) => Ok(Box::new(LadderPlayer::new(options, seed))),
        }
    }

    /// Whether it can start from positions that no moves lead to.
    pub fn takes_any_start(&self) -> bool {
        !matches!(self.kind, Kind::Command(Protocol::Gtp, _))
    }

    /// Whether its moves depend on the seed that it is started with.
    pub fn rolls_dice(&self) -> bool {
        matches!(self.kind, Kind::Ladder(_))
    }

    /// Whether it can keep to a number of nodes.
    pub fn counts_nodes(&self) -> bool {
        !matches!(self.kind, Kind::Command(..))
    }
}

fn start_command(protocol: Protocol, command: &str) -> Result<Box<dyn Player>, Fault> {
    let mut process = Process::spawn(command).map_err(|error| Fault::Start(format!("{error}: {command}")))?;
    let protocol = match protocol {
        Protocol::Auto => match first_sign(&mut process, START_PATIENCE) {
            Ok(Sign::NBoard) => return Ok(Box::new(NBoardPlayer::greeted(process, 1))),
            // The refusals of both greetings may still be under way; a fresh process has none.
            Ok(Sign::Gtp) => {
                process =
                    Process::spawn(command).map_err(|error| Fault::Start(format!("{error}: {command}")))?;
                Protocol::Gtp
            }
            Err(silence) => return Err(Fault::Start(format!("{silence}, neither NBoard nor GTP"))),
        },
        known => known,
    };
    match protocol {
        Protocol::Gtp => Ok(Box::new(GtpPlayer::new(process)?)),
        Protocol::NBoard | Protocol::Auto => Ok(Box::new(NBoardPlayer::new(process)?)),
    }
}

impl FromStr for Spec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, what) = match text.split_once('=') {
            Some((name, what)) if is_name(name) && parse_inside(name)?.is_none() => (Some(name), what),
            _ => (None, text),
        };
        let what = what.trim();
        ensure!(!what.is_empty(), "`{text}` names no engine");
        let kind = match what.split_once(':') {
            Some(("nboard", command)) => Kind::Command(Protocol::NBoard, command.trim().to_owned()),
            Some(("gtp", command)) => Kind::Command(Protocol::Gtp, command.trim().to_owned()),
            Some(("auto", command)) => Kind::Command(Protocol::Auto, command.trim().to_owned()),
            _ => match parse_inside(what).with_context(|| format!("engine `{text}`"))? {
                Some(kind) => kind,
                None => Kind::Command(Protocol::Auto, what.to_owned()),
            },
        };
        let name = name.map_or_else(|| default_name(what, &kind), str::to_owned);
        Ok(Self { name, kind, text: text.to_owned() })
    }
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

/// A player inside this process, or `None` when the text names none.
fn parse_inside(what: &str) -> Result<Option<Kind>> {
    let (program, options) = what.split_once(':').unwrap_or((what, ""));
    let pairs = options.split(',').filter(|part| !part.is_empty());
    if program != "emilia" {
        let Some(mut ladder) = LadderOptions::named(program) else { return Ok(None) };
        for pair in pairs {
            let (key, value) = pair.split_once('=').with_context(|| format!("`{pair}` is no key=value"))?;
            ladder.set(key, value)?;
        }
        return Ok(Some(Kind::Ladder(ladder)));
    }
    let mut engine = EngineOptions::default();
    for pair in pairs {
        let (key, value) = pair.split_once('=').with_context(|| format!("`{pair}` is no key=value"))?;
        set_engine_option(&mut engine, key, value)?;
    }
    Ok(Some(Kind::Engine(engine)))
}

fn set_engine_option(engine: &mut EngineOptions, key: &str, value: &str) -> Result<()> {
    let number = || value.parse::<u64>().with_context(|| format!("{key}={value}: not a number"));
    let plies = || -> Result<u8> {
        let plies = number()?;
        ensure!((1..=60).contains(&plies), "{key}={value}: 1 to 60 plies");
        Ok(plies as u8)
    };
    match key {
        "depth" => engine.depth = Some(plies()?),
        "exact" => engine.exact = Some(plies()?),
        "nodes" => engine.nodes = Some(number()?.max(1)),
        "threads" => engine.threads = number()?.clamp(1, 256) as usize,
        "hash" => engine.hash_mib = number()?.clamp(1, 1 << 20) as usize,
        "eval" => engine.eval = Some(value.parse()?),
        "weights" => engine.weights = Some(value.into()),
        _ => bail!("no engine option `{key}`: depth, exact, nodes, eval, weights, threads, hash"),
    }
    Ok(())
}

/// The file name of the program, or the text itself, as far as it makes a name.
fn default_name(what: &str, kind: &Kind) -> String {
    let text = match kind {
        Kind::Command(_, command) => {
            let words = crate::tournament::process::split_words(command);
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
        let options = EngineOptions { depth: Some(8), threads: 2, ..EngineOptions::default() };
        assert_eq!(deep.kind, Kind::Engine(options));
        assert_eq!(spec("emilia:nodes=5000").name, "emilia-nodes-5000");
        assert!(matches!(spec("random").kind, Kind::Ladder(_)));
        assert!(matches!(spec("weak=pentai:vision=40").kind, Kind::Ladder(_)));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "  ", "x=", "emilia:depth=0", "emilia:depth", "emilia:fast=1", "random:depth=x"] {
            assert!(text.parse::<Spec>().is_err(), "{text}");
        }
    }
}
