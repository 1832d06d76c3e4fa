//! The options of a player, `PLAYER;key=value;…`, for programs and players in this process.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{Budget, Clock};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerOptions {
    /// Gets neither clock nor level: its command line sets its strength.
    pub is_own: bool,
    /// For a program: its level, a depth over NBoard.
    pub level: Option<u8>,
    pub time: Option<Clock>,
    /// The allowed delay of its moves.
    pub margin: Option<Duration>,
    pub folder: Option<PathBuf>,
    /// Commands for a program after its first answer.
    pub init: Vec<String>,
}

impl PlayerOptions {
    /// The player's part of the match's `budget`.
    pub fn budget(&self, budget: Budget) -> Budget {
        if self.is_own {
            return Budget::FREE;
        }
        let time = self.time.unwrap_or(budget.time);
        match self.level {
            None => Budget { time, ..budget },
            level => Budget {
                time,
                level,
                nodes: None,
            },
        }
    }
}

pub fn number<T: TryFrom<u64>>(
    key: &str,
    value: &str,
    range: RangeInclusive<u64>,
    unit: &str,
) -> Result<T> {
    let number = value.parse().ok().filter(|number| range.contains(number));
    let low = range.start();
    let high = range.end();
    let expected = || format!("{key}={value}: expected a whole number from {low} to {high} {unit}");
    number
        .and_then(|number| T::try_from(number).ok())
        .with_context(expected)
}

/// Splits a player's text at each `;` that is neither quoted nor escaped: the player, and its options.
///
/// The player keeps its quotes, which a command line needs. Quotes around the whole value of an option are removed; `\;` in
/// it is a `;`.
pub fn split(text: &str) -> Result<(&str, Vec<String>)> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            // On Windows a backslash is part of a path.
            (None | Some('"'), '\\') if !cfg!(windows) || text[at..].starts_with("\\;") => {
                chars.next();
            }
            (None, ';') => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if let Some(quote) = quote {
        bail!("a quote {quote} is not closed");
    }
    parts.push(&text[start..]);
    let options = parts[1..]
        .iter()
        .map(|option| match option.split_once('=') {
            Some((key, value)) => format!("{key}={}", plain(value.trim())),
            None => (*option).to_owned(),
        });
    Ok((parts[0], options.collect()))
}

/// A value without the quotes around it and the escapes of `;`.
fn plain(value: &str) -> String {
    let within = ['\'', '"'].iter().find_map(|&quote| {
        let inner = value.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(quote)).then_some(inner)
    });
    within.unwrap_or(value).replace("\\;", ";")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::players::spec::Spec;

    fn spec(text: &str) -> Spec {
        text.parse()
            .unwrap_or_else(|error| panic!("{text}: {error:#}"))
    }

    #[test]
    fn semicolons_divide_unless_they_are_quoted_or_escaped() {
        let parts = |text| split(text).unwrap();
        assert_eq!(
            parts("a;b=c; d"),
            ("a", vec!["b=c".to_owned(), " d".to_owned()])
        );
        assert_eq!(
            parts("sh -c 'a; b';init='x; y'"),
            ("sh -c 'a; b'", vec!["init=x; y".to_owned()])
        );
        let (text, program, dir) = if cfg!(windows) {
            (
                r#""C:\a b\" \;;dir=C:\c\;d"#,
                r#""C:\a b\" \;"#,
                r"dir=C:\c;d",
            )
        } else {
            (
                r#"sh -c "a;\";b" \;;dir=a\;b"#,
                r#"sh -c "a;\";b" \;"#,
                "dir=a;b",
            )
        };
        assert_eq!(parts(text), (program, vec![dir.to_owned()]));
        assert_eq!(
            parts(r#"x;init=say "a" "b""#),
            ("x", vec![r#"init=say "a" "b""#.to_owned()])
        );
        assert!(split("sh -c 'a").is_err() && split("x;init=it's").is_err());
    }

    #[test]
    fn a_program_has_options_of_its_own() {
        let text = r"new=gtp:./e -q;level=0;clock=5:00+3;margin=0.02;dir=/tmp/a b;init=komi 0;init=quiet \; on";
        let new = spec(text);
        assert_eq!((new.name.as_str(), new.to_string().as_str()), ("new", text));
        let time = Clock::parse("5:00+3").unwrap();
        let wanted = PlayerOptions {
            level: Some(0),
            time: Some(time),
            margin: Some(Duration::from_millis(20)),
            folder: Some("/tmp/a b".into()),
            init: vec!["komi 0".to_owned(), "quiet ; on".to_owned()],
            ..PlayerOptions::default()
        };
        assert_eq!(new.options, wanted);
        let of_match = Budget {
            time: Clock::UNLIMITED,
            level: Some(9),
            nodes: Some(7),
        };
        assert_eq!(
            new.options.budget(of_match),
            Budget {
                time,
                level: Some(0),
                nodes: None
            }
        );
        assert_eq!(spec("nboard:x;own").options.budget(of_match), Budget::FREE);
        assert_eq!(spec("nboard:x").options.budget(of_match), of_match);
    }

    #[test]
    fn players_in_this_process_take_them_too() {
        let comma = spec("e=emilia:level=4,threads=2");
        let semicolon = spec("e=emilia;level=4;threads=2");
        assert_eq!(comma.kind, semicolon.kind);
        let timed = spec("emilia:level=4;move-time=0.5;margin=0");
        assert_eq!(
            timed.options.time,
            Some(Clock::per_move(Duration::from_millis(500)))
        );
        assert_eq!(
            (timed.options.margin, timed.name.as_str()),
            (
                Some(Duration::ZERO),
                "emilia-level-4-move-time-0.5-margin-0"
            )
        );
        assert_eq!(
            spec("pentai;vision=40;clock=60").options.time,
            Clock::parse("60").ok()
        );
    }
}
