//! The language of transcripts: one directive per line.
//!
//! | line | meaning |
//! |---|---|
//! | `== NAME: TITLE` | begins a transcript, in a file of several |
//! | `# …` | comment |
//! | `args A "B C"` | the command line, or its options, before the first exchange |
//! | `env NAME=VALUE` | environment of the child |
//! | `file NAME` … `end` | a file in the child's new working directory |
//! | `needs COMMAND` | skip the transcript unless this GTP command is known |
//! | `utf-8` | stdout may hold any text, not only ASCII |
//! | `> TEXT` | send the text and a line end; `>` sends a blank line |
//! | `raw TEXT` | send bytes: `\n \r \t \0 \\ \xHH`, and `\{N:TEXT}` for N times TEXT |
//! | `count A B TEXT` | send TEXT for each number of A..=B, `%` replaced by it, in one write |
//! | `< PATTERN` | the next line of stdout matches (see `pattern.rs`) |
//! | `=ID PATTERN`, `?ID PATTERN` | a GTP answer: this line, then a blank one |
//! | `counted A B TEXT` | the next lines are TEXT for each number |
//! | `skip-to PATTERN` | read until a line matches |
//! | `next PATTERN` | read until a line begins with the pattern's first word; it matches |
//! | `never PATTERN` | from here on no line may match; `never` without a pattern lifts all bans |
//! | `form PATTERN` | from here on each line that begins with the pattern's first word matches it |
//! | `drain` | read until the child closes stdout |
//! | `within MS` | deadline of every later wait (default 6000), times the patience |
//! | `silence MS` | no line comes in this time |
//! | `pause MS` | wait, reading nothing |
//! | `eof` | close the child's stdin |
//! | `hang-up` | close the reading end of the child's stdout |
//! | `signal NAME` | send it a signal (`TERM`, `INT`); in tests of this program |
//! | `stderr PATTERN` | a line of stderr matches, checked after the exit |
//! | `stderr-empty` | nothing came on stderr, checked after the exit |
//! | `exit CODE` | the child ends with this code (`any`: however), with no line left unread; must be last |

use super::pattern::Pattern;
use crate::peers::process::split_words;
use crate::util::refusal::Refusal;

#[derive(Debug, Default)]
pub struct Script {
    /// Its name and title, in a file of several.
    pub title: (String, String),
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    /// The GTP command that the transcript needs.
    pub needs: Option<String>,
    /// Whether stdout may hold more than ASCII.
    pub utf8: bool,
    pub files: Vec<(String, String)>,
    /// The steps, each with its line.
    pub steps: Vec<(String, Step)>,
}

/// One step of a conversation; the table above has the directive of each. Times are in ms.
#[derive(Clone, Debug)]
pub enum Step {
    Send(Vec<u8>),
    Expect(Pattern),
    SkipTo(Pattern),
    Next(Pattern),
    Never(Pattern),
    Allow,
    Form(Pattern),
    Drain,
    Within(u64),
    Silence(u64),
    Pause(u64),
    Eof,
    HangUp,
    Signal(String),
    Stderr(Pattern),
    StderrEmpty,
    Exit(Option<i32>),
}

impl Script {
    /// A command line and nothing else, for a test that leads the session itself.
    pub fn of(line: &str) -> Self {
        Self {
            args: line.split(' ').map(str::to_owned).collect(),
            ..Self::default()
        }
    }

    /// Reads the transcripts of a file of several.
    pub fn all(text: &str) -> Result<Vec<Self>, Refusal> {
        let lines: Vec<(usize, &str)> = text.lines().enumerate().collect();
        let mut heads = lines
            .iter()
            .filter(|(_, line)| line.starts_with("== "))
            .map(|(at, _)| *at)
            .peekable();
        let mut scripts = Vec::new();
        while let Some(at) = heads.next() {
            let head = lines[at].1.trim_start_matches("== ").split_once(": ");
            let (name, title) = head.ok_or(format!("line {}: == NAME: TITLE", at + 1))?;
            let end = heads.peek().copied().unwrap_or(lines.len());
            let script = Self::read(lines[at + 1..end].iter().copied())?;
            scripts.push(Self {
                title: (name.into(), title.into()),
                ..script
            });
        }
        Ok(scripts)
    }

    /// Reads a file of one transcript; the error names the line.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        Self::read(text.lines().enumerate())
    }

    fn read<'a>(mut lines: impl Iterator<Item = (usize, &'a str)>) -> Result<Self, Refusal> {
        let mut script = Self::default();
        while let Some((index, line)) = lines.next() {
            let at = |error: Refusal| Refusal::from(format!("line {}: {error}", index + 1));
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "" | "#" => {}
                "args" => script.args = split_words(rest),
                "utf-8" => script.utf8 = true,
                "needs" => script.needs = Some(rest.into()),
                "env" => {
                    let (name, value) = rest.split_once('=').ok_or(at("env NAME=VALUE".into()))?;
                    script.env.push((name.into(), value.into()));
                }
                "file" => {
                    let content = lines.by_ref().take_while(|(_, line)| *line != "end");
                    let content = content.map(|(_, line)| format!("{line}\n")).collect();
                    script.files.push((rest.into(), content));
                }
                _ => {
                    let steps = steps(word, rest).map_err(at)?;
                    let place = format!("line {}, {line}", index + 1);
                    script
                        .steps
                        .extend(steps.into_iter().map(|step| (place.clone(), step)));
                }
            }
        }
        match script.steps.last() {
            Some((_, Step::Exit(_))) => Ok(script),
            _ => Err("the last directive must be `exit CODE`".into()),
        }
    }
}

fn steps(word: &str, rest: &str) -> Result<Vec<Step>, Refusal> {
    let ms = || {
        rest.trim()
            .parse::<u64>()
            .map_err(|_| format!("{word:?} needs milliseconds"))
    };
    if word.starts_with(['=', '?']) {
        let answer = if rest.is_empty() {
            format!("{word}{{| }}")
        } else {
            format!("{word} {rest}")
        };
        return Ok(vec![
            Step::Expect(Pattern::parse(&answer)?),
            Step::Expect(Pattern::parse("")?),
        ]);
    }
    let one = match word {
        ">" => Step::Send(format!("{rest}\n").into_bytes()),
        "raw" => Step::Send(unescape(rest)?),
        "count" => {
            let text = counted(rest)?.map(|line| line + "\n");
            Step::Send(text.collect::<String>().into_bytes())
        }
        "<" => Step::Expect(Pattern::parse(rest)?),
        "counted" => {
            return counted(rest)?
                .map(|line| Ok(Step::Expect(Pattern::parse(&line)?)))
                .collect();
        }
        "skip-to" => Step::SkipTo(Pattern::parse(rest)?),
        "next" => Step::Next(Pattern::parse(rest)?),
        "never" if rest.is_empty() => Step::Allow,
        "never" => Step::Never(Pattern::parse(rest)?),
        "form" => Step::Form(Pattern::parse(rest)?),
        "drain" => Step::Drain,
        "within" => Step::Within(ms()?),
        "silence" => Step::Silence(ms()?),
        "pause" => Step::Pause(ms()?),
        "eof" => Step::Eof,
        "hang-up" => Step::HangUp,
        "signal" => Step::Signal(rest.into()),
        "stderr" => Step::Stderr(Pattern::parse(rest)?),
        "stderr-empty" => Step::StderrEmpty,
        "exit" if rest == "any" => Step::Exit(None),
        "exit" => Step::Exit(Some(rest.trim().parse().map_err(|_| "exit needs a code")?)),
        _ => return Err(format!("unknown directive {word:?}").into()),
    };
    Ok(vec![one])
}

/// `A B TEXT` as the lines TEXT with `%` replaced by A, …, B.
fn counted(rest: &str) -> Result<impl Iterator<Item = String>, Refusal> {
    let mut words = rest.splitn(3, ' ');
    let mut number = || words.next().and_then(|word| word.parse::<u32>().ok());
    let (Some(from), Some(to)) = (number(), number()) else {
        return Err("count A B TEXT".into());
    };
    let text = words.next().ok_or("count A B TEXT")?.to_string();
    Ok((from..=to).map(move |i| text.replace('%', &i.to_string())))
}

/// The bytes of a `raw` text.
fn unescape(text: &str) -> Result<Vec<u8>, Refusal> {
    let mut bytes = vec![];
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('\\') {
        bytes.extend(plain.bytes());
        let kind = escape.chars().next().ok_or("a lone backslash")?;
        rest = &escape[kind.len_utf8()..];
        match kind {
            'n' => bytes.push(b'\n'),
            'r' => bytes.push(b'\r'),
            't' => bytes.push(b'\t'),
            '0' => bytes.push(0),
            '\\' => bytes.push(b'\\'),
            'x' => {
                let byte = rest
                    .get(..2)
                    .and_then(|hex| u8::from_str_radix(hex, 16).ok());
                bytes.push(byte.ok_or("\\x needs two hexadecimal digits")?);
                rest = &rest[2..];
            }
            '{' => {
                let (inside, after) = rest.split_once('}').ok_or("unclosed \\{")?;
                let (times, what) = inside.split_once(':').ok_or("\\{N:TEXT}")?;
                let times: usize = times.parse().map_err(|_| "\\{N:TEXT} needs a number")?;
                bytes.extend(unescape(what)?.repeat(times));
                rest = after;
            }
            other => return Err(format!("unknown escape \\{other}").into()),
        }
    }
    bytes.extend(rest.bytes());
    Ok(bytes)
}

#[test]
fn raw_texts_stand_for_their_bytes() {
    assert_eq!(unescape(r"a\r\n\x00\xff\\").unwrap(), b"a\r\n\0\xff\\");
    assert_eq!(unescape(r"\{3:ab\n}\n").unwrap(), b"ab\nab\nab\n\n");
    assert!(unescape(r"\q").is_err() && unescape(r"\xg0").is_err());
}

#[test]
fn bad_transcripts_are_named() {
    assert!(
        Script::parse("args version\n< emilia {any}\n").is_err(),
        "no exit code"
    );
    assert_eq!(
        Script::parse("bogus\nexit 0").unwrap_err(),
        "line 1: unknown directive \"bogus\"".into()
    );
    assert_eq!(
        Script::parse("args a \"b c\"\nexit 0").unwrap().args,
        ["a", "b c"]
    );
    assert_eq!(Script::of("show f5").args, ["show", "f5"]);
    let two =
        Script::all("about\n== a: the first\n> x\nexit 0\n\n== b: the second\nexit 1\n").unwrap();
    assert_eq!(
        (two[0].steps[0].0.as_str(), two[1].title.0.as_str()),
        ("line 3, > x", "b")
    );
    assert_eq!(
        Script::all("== a: x\nexit 0\n== b: y\nfoo").unwrap_err(),
        "line 4: unknown directive \"foo\"".into()
    );
}
