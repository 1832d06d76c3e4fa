//! The settings file: options that hold as if every command line had them.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind as IoErrorKind;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

use super::files::{self, innermost};
use super::output;
use super::search_args::EvalArgs;
use crate::util::os::folders::{CONFIG_VARIABLE, config_folder};
use crate::util::refusal::Refusal;

/// The option that reads no file.
const SWITCH: &str = "--no-config";
/// The largest file read, in bytes.
const MAX_BYTES: u64 = 1 << 16;

/// The page `emilia help settings`.
pub const PAGE: &str = "\
Settings file

Emilia reads options from the file that EMILIA_CONFIG names, else from a file of
the user:

  Linux    ~/.config/emilia/config, or emilia/config in $XDG_CONFIG_HOME
  macOS    ~/Library/Application Support/emilia/config
  Windows  %APPDATA%\\emilia\\config

Each line is one option with two dashes. Its value follows `=`, without quotes;
`~` and variables have no meaning. A line that begins with # is a comment. An
option holds for every command that has it. After a command and a colon it holds
for that command only:

  # Four threads for every command that has them.
  --threads=4
  --hash=512
  analyze: --level=20
  book grow: --jobs=4

The command line wins: it replaces the same option, and options that exclude one
another. Of several lines for one option the last one holds, and one for the
command before one for all. A session without a command is the command `auto`. An
option of the file comes before EMILIA_BOOK.

A message on stderr names a bad line, which is skipped. `emilia version` lists
the settings. `--no-config` on the command line, or an empty EMILIA_CONFIG, reads
no file. `match`, `conform` and the Python package start programs without the
user's file; they read one that EMILIA_CONFIG names.
";

/// The options of the file.
#[derive(Debug, Default)]
pub struct Settings {
    /// The lines in effect: those for all commands, then those for one.
    lines: Vec<Setting>,
    /// The settings and their source, for `emilia version`.
    pub words: String,
}

#[derive(Debug)]
struct Setting {
    /// File and line: `/home/a/.config/emilia/config, line 3`.
    place: String,
    /// The words of the command that it is for; empty for all.
    command: String,
    /// Such as `--threads=4`.
    option: String,
}

/// The words of a command line without `--no-config`, and whether to read the file. Words after `--` stay.
pub fn switch(words: impl IntoIterator<Item = OsString>) -> (Vec<OsString>, bool) {
    let mut is_option = true;
    let mut reads_file = true;
    let mut words: Vec<OsString> = words.into_iter().collect();
    words.retain(|word| {
        is_option &= word != "--";
        let is_switch = is_option && word == SWITCH;
        reads_file &= !is_switch;
        !is_switch
    });
    (words, reads_file)
}

impl Settings {
    /// Reads the user's file, if it is wanted and there is one, and names its bad lines on stderr.
    pub fn of_user(is_wanted: bool, definition: &Command) -> Self {
        let read = if is_wanted {
            read(|name| env::var_os(name))
        } else {
            Err(format!("off: {SWITCH}").into())
        };
        match read {
            Ok((path, text)) => {
                let (settings, faults) =
                    Self::parse(&path.display().to_string(), &text, definition);
                faults.iter().for_each(output::message);
                settings
            }
            Err(words) => Self {
                words: words.into(),
                ..Self::default()
            },
        }
    }

    /// The settings of a file, and a message for each bad line.
    fn parse(file: &str, text: &str, definition: &Command) -> (Self, Vec<String>) {
        let mut commands = Vec::new();
        add_commands(definition, "", &mut commands);
        let mut lines = Vec::<Setting>::new();
        let mut faults = Vec::new();
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let line = line.trim();
            let place = format!("{file}, line {}", index + 1);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match setting(line, &commands) {
                Ok((command, option)) => {
                    let is_same = |other: &Setting| {
                        other.command == command && name_of(&other.option) == name_of(option)
                    };
                    lines.retain(|other| !is_same(other));
                    lines.push(Setting {
                        place,
                        command: command.to_owned(),
                        option: option.to_owned(),
                    });
                }
                Err(problem) => faults.push(skipped(&place, &problem)),
            }
        }
        lines.sort_by_key(|setting| setting.command.len());
        let words = lines.iter().fold(
            file.to_owned(),
            |words,
             Setting {
                 command, option, ..
             }| {
                let colon = if command.is_empty() { "" } else { ": " };
                format!("{words}\n         {command}{colon}{option}")
            },
        );
        (Self { lines, words }, faults)
    }

    /// The matches of a command line with the settings that fit it. `matches` come from `words`.
    pub fn applied(
        &self,
        definition: &Command,
        mut words: Vec<OsString>,
        mut matches: ArgMatches,
    ) -> ArgMatches {
        let (path, command, _) = innermost(definition, &matches);
        let place = 1 + path.split_whitespace().count();
        // From the strongest to the weakest: each one must agree with those before.
        for setting in self
            .lines
            .iter()
            .rev()
            .filter(|setting| is_for(&setting.command, &path))
        {
            let Some(arg) = find(command, name_of(&setting.option)) else {
                continue;
            };
            let (_, _, given) = innermost(definition, &matches);
            if given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine) {
                continue;
            }
            let mut longer = words.clone();
            longer.insert(place, setting.option.clone().into());
            let found = definition.clone().try_get_matches_from(&longer);
            // A stronger option that excludes this one is no problem.
            let problem = match &found {
                Ok(found) if files::named(definition, &matches).is_ok() => {
                    files::named(definition, found)
                        .err()
                        .map(|error| format!("{error:#}"))
                }
                Ok(_) => None,
                Err(_) => refusal(command, &setting.option),
            };
            match found {
                Ok(found) if problem.is_none() => (words, matches) = (longer, found),
                _ => problem
                    .iter()
                    .for_each(|problem| output::message(skipped(&setting.place, problem))),
            }
        }
        matches
    }
}

fn skipped(place: &str, problem: &str) -> String {
    format!("{place}: {problem}; the line is skipped, see `emilia help settings`")
}

/// The user's file and its text, or why there are no settings; a file that cannot be read is named on stderr, too.
fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<(PathBuf, String), Refusal> {
    let named = variable(CONFIG_VARIABLE);
    let path = match &named {
        Some(name) if name.is_empty() => {
            return Err(format!("off: {CONFIG_VARIABLE} is empty").into());
        }
        Some(name) => PathBuf::from(name),
        None => config_folder(variable)
            .ok_or("off: there is no home folder")?
            .join("emilia/config"),
    };
    let problem = match text_of(&path) {
        Ok(text) => return Ok((path, text)),
        Err(None) if named.is_none() => {
            return Err(format!("off: there is no {}", path.display()).into());
        }
        Err(None) => "there is no such file".to_owned(),
        Err(Some(problem)) => problem,
    };
    let reason = format!("{}: {problem}; no settings are read", path.display());
    output::message(format_args!("settings file {reason}"));
    Err(format!("off: {reason}").into())
}

/// The text of a file, or its problem; `None` where there is no file.
fn text_of(path: &Path) -> Result<String, Option<String>> {
    let about = fs::metadata(path).map_err(|error| match error.kind() {
        IoErrorKind::NotFound | IoErrorKind::NotADirectory => None,
        _ => Some(error.to_string()),
    })?;
    // A pipe could make the start of a session wait.
    if !about.is_file() || about.len() > MAX_BYTES {
        return Err(Some("expected a file of at most 64 KiB".to_owned()));
    }
    let bytes = fs::read(path).map_err(|error| Some(error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| Some("expected text in UTF-8".to_owned()))
}

/// Adds all commands below this one that run, with their words.
fn add_commands<'a>(command: &'a Command, path: &str, commands: &mut Vec<(String, &'a Command)>) {
    for below in command
        .get_subcommands()
        .filter(|below| below.get_name() != "help")
    {
        let path = format!("{path} {}", below.get_name())
            .trim_start()
            .to_owned();
        if below.has_subcommands() {
            add_commands(below, &path, commands);
        } else {
            commands.push((path, below));
        }
    }
}

/// The command and the option of a line that is no comment.
fn setting<'a>(
    line: &'a str,
    commands: &[(String, &Command)],
) -> Result<(&'a str, &'a str), Refusal> {
    let (command, option) = match line.split_once(':') {
        Some((command, option)) if !line.starts_with('-') => (command.trim(), option.trim()),
        _ => ("", line),
    };
    let name = name_of(option);
    if !option.starts_with("--") || name.contains(char::is_whitespace) {
        return Err(format!(
            "expected --option, --option=value or command: --option, found {line:?}"
        )
        .into());
    }
    let mut meant = commands
        .iter()
        .filter(|(path, _)| is_for(command, path))
        .peekable();
    if meant.peek().is_none() {
        return Err(
            format!("there is no command {command:?}; `emilia help` lists the commands").into(),
        );
    }
    let found: Vec<_> = meant
        .filter_map(|(_, below)| Some((below, find(below, name)?)))
        .collect();
    let Some((_, arg)) = found.first() else {
        let who = if command.is_empty() {
            "no command has the"
        } else {
            &format!("{command} has no")
        };
        return Err(format!("{who} option {name}").into());
    };
    let value = option
        .strip_prefix(name)
        .and_then(|value| value.strip_prefix('='));
    if let Some(value) = value.filter(|value| value.starts_with(['"', '\''])) {
        return Err(format!("expected a value without quotes, found {value}").into());
    }
    // One command that takes the value is enough.
    let refusals: Option<Vec<String>> = found
        .iter()
        .map(|(below, _)| refusal(below, option))
        .collect();
    if let Some(refusal) = refusals.and_then(|all| all.into_iter().next()) {
        return Err(refusal.into());
    }
    if arg.get_id() == "eval" {
        let args = EvalArgs {
            eval: value.map(PathBuf::from),
        };
        args.evaluator().map_err(|error| format!("{error:#}"))?;
    }
    Ok((command, option))
}

/// Whether a line for `command` is for the command with the words `path`.
fn is_for(command: &str, path: &str) -> bool {
    let rest = path.strip_prefix(command);
    command.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// The name of an option with its dashes, without the value.
fn name_of(option: &str) -> &str {
    option.split_once('=').map_or(option, |(name, _)| name)
}

/// The option of a command that its help shows.
fn find<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    let name = name.strip_prefix("--")?;
    let mut shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    shown.find(|arg| {
        let is_question = ["help", "version"].contains(&arg.get_id().as_str());
        let is_alias = || {
            arg.get_all_aliases()
                .is_some_and(|names| names.contains(&name))
        };
        !is_question && (arg.get_long() == Some(name) || is_alias())
    })
}

/// Why the command does not take the value of an option.
fn refusal(command: &Command, option: &str) -> Option<String> {
    let error = command
        .clone()
        .try_get_matches_from(["emilia", option])
        .err()?;
    let text = error.to_string();
    let line = text
        .lines()
        .next()
        .unwrap_or_default()
        .trim_start_matches("error: ");
    (error.kind() != ErrorKind::MissingRequiredArgument).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::super::{built as definition, translated};
    use super::*;

    fn parsed(text: &str) -> (Settings, Vec<String>) {
        Settings::parse("config", text, &definition())
    }

    /// The words of a value in the matches of a command line with the settings.
    fn value(text: &str, line: &str, id: &str) -> Option<String> {
        let words = translated(line.split(' ').map(OsString::from));
        let definition = definition();
        let typed = definition.clone().try_get_matches_from(&words).expect(line);
        let matches = parsed(text).0.applied(&definition, words, typed);
        let (_, _, matches) = innermost(&definition, &matches);
        let words: Vec<_> = matches
            .try_get_raw(id)
            .ok()??
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        Some(words.join(" "))
    }

    #[test]
    fn the_command_line_wins_then_its_command_then_the_last_line() {
        let text = "\u{feff}# all\n\n  nboard: --threads=3\n--threads=2\r\n--hash=32\n--hash=64\nbook grow: --jobs=4\n";
        let (Settings { words, .. }, faults) = parsed(text);
        assert_eq!(faults, [""; 0]);
        let in_effect: Vec<_> = words.lines().skip(1).map(str::trim).collect();
        assert_eq!(
            in_effect,
            [
                "--threads=2",
                "--hash=64",
                "nboard: --threads=3",
                "book grow: --jobs=4"
            ]
        );
        for (line, id, expected) in [
            ("emilia nboard", "threads", "3"),
            ("emilia -nboard", "threads", "3"),
            ("emilia gtp", "threads", "2"),
            ("emilia", "threads", "2"),
            ("emilia nboard --threads 5", "threads", "5"),
            ("emilia -nboard -n 5", "threads", "5"),
            ("emilia gtp", "hash", "64"),
            ("emilia book grow x.book", "jobs", "4"),
            ("emilia solve f5", "threads", "2"),
        ] {
            assert_eq!(value(text, line, id).as_deref(), Some(expected), "{line}");
        }
        let both = "analyze: --level=9\nanalyze: --no-book\n--move-time=3";
        assert_eq!(
            value(both, "emilia analyze --depth 3 --book x", "depth").as_deref(),
            Some("3")
        );
        assert_eq!(
            value(both, "emilia analyze --depth 3 --book x", "level"),
            None
        );
        assert_eq!(
            value(both, "emilia analyze --depth 3 --book x", "move_time").as_deref(),
            Some("3")
        );
        assert_eq!(value(both, "emilia analyze", "level").as_deref(), Some("9"));
        assert_eq!(
            value(both, "emilia show f5", "level"),
            None,
            "a command without the options goes on"
        );
    }

    #[test]
    fn bad_lines_are_named_and_the_others_hold() {
        for (line, problem) in [
            (
                "threads=4",
                "expected --option, --option=value or command: --option, found \"threads=4\"",
            ),
            (
                "--threads 4",
                "expected --option, --option=value or command: --option, found \"--threads 4\"",
            ),
            (
                "-n=4",
                "expected --option, --option=value or command: --option, found \"-n=4\"",
            ),
            ("--theads=4", "no command has the option --theads"),
            ("show: --threads=4", "show has no option --threads"),
            (
                "shows: --threads=4",
                "there is no command \"shows\"; `emilia help` lists the commands",
            ),
            ("--help", "no command has the option --help"),
            ("--note=x", "no command has the option --note"),
            ("--threads=x", "invalid value 'x' for '--threads <N>'"),
            ("--threads", "a value is required for '--threads <N>'"),
            (
                "--book=\"x.book\"",
                "expected a value without quotes, found \"x.book\"",
            ),
            (
                "--eval=lost",
                "--eval lost: expected network, classic or a file; there is no such file",
            ),
            ("--no-book=1", "unexpected value '1' for '--no-book' found"),
        ] {
            let (settings, faults) = parsed(&format!("--hash=16\n{line}\n"));
            assert_eq!(
                (settings.lines.len(), faults.len()),
                (1, 1),
                "{line}: {faults:?}"
            );
            assert!(
                faults[0].starts_with(&format!("config, line 2: {problem}")),
                "{faults:?}"
            );
        }
    }

    #[test]
    fn the_switch_and_the_variable_choose_the_file() {
        let words = ["emilia", "show", "--no-config", "--", "--no-config"];
        let (rest, reads_file) = switch(words.map(OsString::from));
        assert_eq!(
            (rest.len(), rest[2].to_str(), reads_file),
            (4, Some("--"), false)
        );
        assert!(switch(["emilia".into(), "--".into(), "--no-config".into()]).1);
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("config");
        let read =
            |name: &OsStr| read(|variable| (variable == CONFIG_VARIABLE).then(|| name.to_owned()));
        assert_eq!(
            read(OsStr::new("")).unwrap_err(),
            "off: EMILIA_CONFIG is empty".into()
        );
        assert!(
            read(path.as_os_str())
                .unwrap_err()
                .contains("there is no such file")
        );
        fs::write(&path, "--hash=16").unwrap();
        assert_eq!(
            read(path.as_os_str()),
            Ok((path.clone(), "--hash=16".to_owned()))
        );
        for bytes in [vec![0xff], vec![b'#'; 1 << 17]] {
            fs::write(&path, bytes).unwrap();
            assert!(
                read(path.as_os_str())
                    .unwrap_err()
                    .contains("config: expected ")
            );
        }
        assert!(
            read(folder.path().as_os_str())
                .unwrap_err()
                .contains("expected a file")
        );
    }
}
