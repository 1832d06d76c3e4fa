//! The language of transcripts: one directive per line.
//!
//! | line | meaning |
//! |---|---|
//! | `# …` | comment |
//! | `args A "B C"` | command line, before the first exchange |
//! | `env NAME=VALUE` | environment of the child |
//! | `file NAME` … `end` | a file in the child's working directory, a fresh one of its own |
//! | `utf-8` | stdout may hold any text, not only ASCII |
//! | `> TEXT` | send the text and a line end; `>` alone sends a blank line |
//! | `raw TEXT` | send bytes: `\n \r \t \0 \\ \xHH`, and `\{N:TEXT}` for N times TEXT |
//! | `count A B TEXT` | send TEXT for each number of A..=B, `%` replaced by it, in one write |
//! | `< PATTERN` | the next line of stdout matches (see `pattern.rs`) |
//! | `=ID PATTERN`, `?ID PATTERN` | a GTP answer: this line, then a blank one |
//! | `counted A B TEXT` | the next lines are TEXT for each number |
//! | `skip-to PATTERN` | read until a line matches |
//! | `never PATTERN` | from here on no line may match; `never` alone lifts all bans |
//! | `drain` | read until the child closes stdout |
//! | `within MS` | deadline of every wait that follows (without one 60000), times `EMILIA_PATIENCE` |
//! | `silence MS` | nothing comes for so long |
//! | `pause MS` | wait, reading nothing |
//! | `eof` | close the child's stdin |
//! | `hang-up` | close the reading end of the child's stdout |
//! | `signal NAME` | send it a signal (`TERM`, `INT`) |
//! | `stderr PATTERN` | a line of stderr matches, checked after the exit |
//! | `stderr-empty` | nothing came on stderr, checked after the exit |
//! | `exit CODE` | the child ends with this code (`any`: however), with no line left unread; must be last |

use crate::pattern::Pattern;

/// A transcript read from its file.
#[derive(Debug, Default)]
pub struct Script {
    /// Arguments of the command line.
    pub args: Vec<String>,
    /// Environment variables to set.
    pub env: Vec<(String, String)>,
    /// Whether stdout may hold more than ASCII.
    pub utf8: bool,
    /// Files to lay into the working directory.
    pub files: Vec<(String, String)>,
    /// What happens, each with its line number.
    pub steps: Vec<(usize, Step)>,
}

/// One step of a conversation.
#[derive(Clone, Debug)]
pub enum Step {
    /// Write these bytes.
    Send(Vec<u8>),
    /// The next line matches.
    Expect(Pattern),
    /// Read until a line matches.
    SkipTo(Pattern),
    /// No later line may match.
    Never(Pattern),
    /// Lift all bans.
    Allow,
    /// Read until the end of stdout.
    Drain,
    /// Deadline in ms for waits from here on; to be multiplied by `EMILIA_PATIENCE`.
    Within(u64),
    /// No line comes for so many ms.
    Silence(u64),
    /// Wait for so many ms.
    Pause(u64),
    /// Close stdin.
    Eof,
    /// Stop reading stdout.
    HangUp,
    /// Send a signal.
    Signal(String),
    /// Some line of stderr matches.
    Stderr(Pattern),
    /// Nothing on stderr.
    StderrEmpty,
    /// The child ends, with this code if one is given.
    Exit(Option<i32>),
}

impl Script {
    /// A command line and nothing else, for a test that leads the session itself.
    pub fn of(line: &str) -> Self {
        Self { args: line.split(' ').map(str::to_owned).collect(), ..Self::default() }
    }

    /// Reads a transcript; the error names the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut script = Self::default();
        let mut lines = text.lines().enumerate();
        while let Some((index, line)) = lines.next() {
            let at = |error: String| format!("line {}: {error}", index + 1);
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "" | "#" => {}
                "args" => script.args = split_words(rest).map_err(at)?,
                "utf-8" => script.utf8 = true,
                "env" => {
                    let (name, value) = rest.split_once('=').ok_or(at("env NAME=VALUE".into()))?;
                    script.env.push((name.into(), value.into()));
                }
                "file" => {
                    let content: String = lines
                        .by_ref()
                        .take_while(|(_, line)| *line != "end")
                        .map(|(_, line)| format!("{line}\n"))
                        .collect();
                    script.files.push((rest.into(), content));
                }
                _ => {
                    let steps = steps(word, rest).map_err(at)?;
                    script.steps.extend(steps.into_iter().map(|step| (index + 1, step)));
                }
            }
        }
        match script.steps.last() {
            Some((_, Step::Exit(_))) => Ok(script),
            _ => Err("the last directive must be `exit CODE`".into()),
        }
    }
}

fn steps(word: &str, rest: &str) -> Result<Vec<Step>, String> {
    let ms = || rest.trim().parse::<u64>().map_err(|_| format!("{word:?} needs milliseconds"));
    if word.starts_with(['=', '?']) {
        let answer = if rest.is_empty() { format!("{word}{{| }}") } else { format!("{word} {rest}") };
        return Ok(vec![Step::Expect(Pattern::parse(&answer)?), Step::Expect(Pattern::parse("")?)]);
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
            return counted(rest)?.map(|line| Ok(Step::Expect(Pattern::parse(&line)?))).collect();
        }
        "skip-to" => Step::SkipTo(Pattern::parse(rest)?),
        "never" if rest.is_empty() => Step::Allow,
        "never" => Step::Never(Pattern::parse(rest)?),
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
        _ => return Err(format!("unknown directive {word:?}")),
    };
    Ok(vec![one])
}

/// `A B TEXT` as the lines TEXT with `%` replaced by A, …, B.
fn counted(rest: &str) -> Result<impl Iterator<Item = String>, String> {
    let mut words = rest.splitn(3, ' ');
    let mut number = || words.next().and_then(|word| word.parse::<u32>().ok());
    let (Some(from), Some(to)) = (number(), number()) else { return Err("count A B TEXT".into()) };
    let text = words.next().ok_or("count A B TEXT")?.to_string();
    Ok((from..=to).map(move |i| text.replace('%', &i.to_string())))
}

/// Words at blanks; double quotes keep blanks.
fn split_words(text: &str) -> Result<Vec<String>, String> {
    let parts: Vec<&str> = text.split('"').collect();
    if parts.len().is_multiple_of(2) {
        return Err("unpaired quote".into());
    }
    let split = |(i, part): (usize, &&str)| match i % 2 {
        0 => part.split_whitespace().map(str::to_string).collect(),
        _ => vec![part.to_string()],
    };
    Ok(parts.iter().enumerate().flat_map(split).collect())
}

/// The bytes that a `raw` text stands for.
fn unescape(text: &str) -> Result<Vec<u8>, String> {
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
                let byte = rest.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
                bytes.push(byte.ok_or("\\x needs two hexadecimal digits")?);
                rest = &rest[2..];
            }
            '{' => {
                let (inside, after) = rest.split_once('}').ok_or("unclosed \\{")?;
                let (times, what) = inside.split_once(':').ok_or("\\{N:TEXT}")?;
                let times: usize = times.parse().map_err(|_| "\\{N:TEXT} needs a number")?;
                bytes.extend(what.repeat(times).bytes());
                rest = after;
            }
            other => return Err(format!("unknown escape \\{other}")),
        }
    }
    bytes.extend(rest.bytes());
    Ok(bytes)
}

#[test]
fn raw_texts_stand_for_their_bytes() {
    assert_eq!(unescape(r"a\r\n\x00\xff\\").unwrap(), b"a\r\n\0\xff\\");
    assert_eq!(unescape(r"\{3:ab}\n").unwrap(), b"ababab\n");
    assert!(unescape(r"\q").is_err());
    assert!(unescape(r"\xg0").is_err());
}

#[test]
fn a_transcript_without_an_exit_code_is_refused() {
    assert!(Script::parse("args version\n< emilia {any}\n").is_err());
    assert!(Script::parse("args version\n< emilia {any}\nexit 0\n").is_ok());
    assert_eq!(Script::parse("bogus\nexit 0").unwrap_err(), "line 1: unknown directive \"bogus\"");
}

#[test]
fn quoted_arguments_keep_their_blanks() {
    assert_eq!(split_words(r#"show "a b" c"#).unwrap(), ["show", "a b", "c"]);
    assert!(split_words(r#"show "a"#).is_err());
}
