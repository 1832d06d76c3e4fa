//! The files of a command line: a table states the use of each option that names a file, and a check before any work
//! refuses two uses that conflict.

mod identity;
mod uses;

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail, ensure};
use clap::parser::ValueSource;
use clap::{ArgGroup, ArgMatches, Command};

use self::identity::{Identity, identity, stdio};
#[doc(hidden)]
pub use self::uses::outputs;
use self::uses::{Use, use_of};
use super::book_args::default_book;
use crate::report::is_page;
use crate::util::packed::is_packed_name;
use crate::util::target::{Existing, Target, beside, exists, followed};

/// The page `emilia help files`.
pub const PAGE: &str = "\
Files that commands write

An output option such as -o FILE refuses a file that exists. --force replaces
it. --resume continues it, where a command has that option. Logs, books and
the games of a match grow at their end. `-` is stdout, except for those and for
files that a command writes several times or reads again. Results, texts and
tables are compressed by gzip if the name ends with .gz; other outputs refuse
that name.

The same holds for the files that go with an output: FILE.run and
FILE.summary.json of results, FILE.JOU and FILE.TRN of a WTHOR file.

Before any work starts, a command refuses an output that it cannot write, and
one that is a file which the same command reads or writes elsewhere: an input, a
book, weights, a log or another output, under any name or link.

A command writes an output beside its place and puts it there once it is whole.
After an error or Ctrl-C the old file is as it was. A symbolic link stays, and
its target gets the content. The file keeps its rights and, where the system
allows it, its owner. A device or a FIFO is written to, a socket is refused.
Missing folders are made. `report` writes several pages only into a folder that
is new, empty or holds pages of Emilia; --force removes its older pages.
";

/// The option of every command with an output; flattened into its arguments.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct ForceArgs {
    /// Replace output files that exist; see `emilia help files`.
    #[arg(long)]
    force: bool,
}

impl ForceArgs {
    /// The treatment of an output file that exists.
    pub fn existing(self) -> Existing {
        if self.force {
            Existing::Replace
        } else {
            Existing::Refuse
        }
    }
}

/// A file of the command line.
#[derive(Clone, Debug)]
pub struct Named {
    /// The option in messages.
    option: String,
    path: PathBuf,
    identity: Option<Identity>,
    usage: Use,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.option, self.path.display())
    }
}

static NAMED: OnceLock<Vec<Named>> = OnceLock::new();

fn has(command: &Command, id: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_id() == id)
}

/// Makes `--force` of each command require an output. `path` is the words of the command below the program.
pub fn with_rules(mut command: Command, path: &str) -> Command {
    if has(&command, "force") {
        let arguments = command.get_arguments();
        let outputs = arguments.filter(|arg| use_of(path, arg).is_some_and(Use::is_output));
        let outputs: Vec<clap::Id> = outputs.map(|arg| arg.get_id().clone()).collect();
        let can_resume = has(&command, "resume");
        command = command.group(ArgGroup::new("outputs").args(outputs).multiple(true));
        command = command.mut_arg("force", |arg| {
            let force = arg.requires("outputs");
            if can_resume {
                force.conflicts_with("resume")
            } else {
                force
            }
        });
    }
    let path = path.to_owned();
    command.mut_subcommands(move |below| {
        let path = format!("{path} {}", below.get_name());
        with_rules(below, path.trim_start())
    })
}

/// Checks all files that the command line names, and keeps them for [`refuse_named`].
pub fn check(command: &Command, matches: &ArgMatches) -> Result<()> {
    let named = named(command, matches)?;
    NAMED.get_or_init(|| named);
    Ok(())
}

/// The files that the command line names, each fit for its use.
pub fn named(command: &Command, matches: &ArgMatches) -> Result<Vec<Named>> {
    let (path, command, matches) = innermost(command, matches);
    let mut named = Vec::new();
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        let Some(usage) = use_of(&path, arg).filter(|usage| *usage != Use::Text) else {
            continue;
        };
        if matches
            .value_source(id)
            .is_none_or(|source| source == ValueSource::DefaultValue)
        {
            continue;
        }
        let option = arg.get_long().map_or_else(
            || {
                arg.get_value_names()
                    .and_then(|names| names.first())
                    .map_or(id, |name| name)
                    .to_string()
            },
            |long| format!("--{long}"),
        );
        for value in matches.get_raw(id).into_iter().flatten() {
            add(&mut named, usage, &option, value);
        }
    }
    if has(command, "no_book")
        && !matches.contains_id("book")
        && !flag(matches, "no_book")
        && let Some(book) = default_book()
    {
        add(&mut named, Use::Book, "the opening book", book.as_os_str());
    }
    check_apart(&named)?;
    let can_resume = has(command, "resume");
    let replaces = flag(matches, "force") || can_resume && flag(matches, "resume");
    let existing = if replaces {
        Existing::Replace
    } else {
        Existing::Refuse
    };
    check_outputs(&named, existing, can_resume)?;
    Ok(named)
}

/// The subcommand to run, with its words below the program and its arguments.
pub fn innermost<'c, 'm>(
    command: &'c Command,
    matches: &'m ArgMatches,
) -> (String, &'c Command, &'m ArgMatches) {
    let mut path = String::new();
    let mut command = command;
    let mut matches = matches;
    while let Some((name, below)) = matches.subcommand() {
        let Some(found) = command.find_subcommand(name) else {
            break;
        };
        path = format!("{path} {}", found.get_name())
            .trim_start()
            .to_owned();
        (command, matches) = (found, below);
    }
    (path, command, matches)
}

fn flag(matches: &ArgMatches, id: &str) -> bool {
    matches
        .try_get_one::<bool>(id)
        .ok()
        .flatten()
        .copied()
        .unwrap_or(false)
}

/// Whether a path names standard output.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdout")
}

fn add(named: &mut Vec<Named>, usage: Use, option: &str, value: &OsStr) {
    if usage == Use::Player {
        for (usage, file) in files_of_player(&value.to_string_lossy()) {
            add(named, usage, option, OsStr::new(&file));
        }
        return;
    }
    let path = PathBuf::from(value);
    let of_results = usage.is_output() && !is_stdout(&path);
    let companions = usage
        .companions()
        .iter()
        .filter(|_| of_results || !usage.is_output());
    for ending in companions {
        // The journal of a book is that of the file behind the links.
        let of = if matches!(usage, Use::Book | Use::Edit) {
            followed(&path).ok()
        } else {
            None
        };
        let companion = if usage == Use::Book {
            Use::Book
        } else {
            Use::Append
        };
        let path = beside(of.as_deref().unwrap_or(&path), ending);
        named.push(Named {
            option: option.to_owned(),
            identity: identity(&path),
            path,
            usage: companion,
        });
    }
    // An input may be a text, which is no file.
    let identity = if path == Path::new("-") {
        None
    } else {
        identity(&path)
    };
    let is_text = usage == Use::Read && !matches!(identity, Some(Identity::Known(_)));
    if !is_text {
        named.push(Named {
            option: option.to_owned(),
            path,
            identity,
            usage,
        });
    }
}

/// The files that the options of a player name.
fn files_of_player(player: &str) -> Vec<(Use, String)> {
    let mut files = Vec::new();
    for option in player.split([',', ';']) {
        for (name, usage) in [("book=", Use::Book), ("eval=", Use::Read)] {
            if let Some((before, file)) = option.split_once(name)
                && !before.ends_with(char::is_alphanumeric)
            {
                files.push((usage, file.to_owned()));
            }
        }
    }
    files
}

/// Checks that each output can be written, by the rule for existing files.
fn check_outputs(named: &[Named], existing: Existing, can_resume: bool) -> Result<()> {
    for file in named.iter().filter(|named| named.usage.writes()) {
        let path = &file.path;
        check_packing(file)?;
        if file.usage == Use::Edit {
            continue;
        }
        if is_stdout(path) {
            ensure!(
                file.usage.takes_stdout(),
                "{file}: this output cannot go to stdout: name a file"
            );
            continue;
        }
        let grows = file.usage == Use::Append;
        if file.usage == Use::Pages && is_folder_of_pages(path)? {
            continue;
        }
        let target = Target::allowed(path, if grows { Existing::Continue } else { existing });
        let target = target.and_then(|target| target.check().map(|()| target));
        let target = target.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => exists(can_resume),
            _ => error,
        });
        ensure!(
            !matches!(target.with_context(|| file.to_string())?, Target::Stream(_))
                || file.usage != Use::State,
            "{file}: this output is written several times; name a regular file"
        );
    }
    Ok(())
}

/// Refuses a name that promises a compression which the output does not get.
fn check_packing(file: &Named) -> Result<()> {
    let path = followed(&file.path).with_context(|| file.to_string())?;
    let is_stream = matches!(Target::of(&file.path), Ok(Target::Stream(_)));
    ensure!(
        !is_packed_name(&path) || file.usage.packs() && !is_stream,
        "{file}: this output is not compressed: name it without .gz"
    );
    Ok(())
}

/// Whether the output of `report` is a folder; an error if it holds other files than pages of this program.
fn is_folder_of_pages(path: &Path) -> Result<bool> {
    let is_folder = path.is_dir();
    if !is_folder
        && !path
            .as_os_str()
            .to_string_lossy()
            .ends_with(std::path::is_separator)
    {
        return Ok(false);
    }
    let page = path.join("index.html");
    let files: Vec<PathBuf> = path
        .read_dir()
        .into_iter()
        .flatten()
        .flatten()
        .map(|file| file.path())
        .collect();
    // An unfinished folder has no index.
    let is_own = is_own_page(&page) || !page.exists() && files.iter().any(|file| is_own_page(file));
    ensure!(
        !is_folder || files.is_empty() || is_own,
        "--output {}: the folder holds other files than pages of Emilia; name a new or empty folder",
        path.display()
    );
    Target::of(&page)
        .and_then(|target| target.check())
        .with_context(|| format!("--output {}", path.display()))?;
    Ok(true)
}

/// Whether a file is a page that the program wrote.
pub fn is_own_page(path: &Path) -> bool {
    let mut begin = Vec::new();
    if !path.is_file() {
        return false;
    }
    let read = File::open(path).and_then(|file| file.take(4096).read_to_end(&mut begin));
    read.is_ok() && is_page(&String::from_utf8_lossy(&begin))
}

/// Checks that no output is a file with another use.
fn check_apart(named: &[Named]) -> Result<()> {
    for (index, one) in named.iter().enumerate() {
        for other in &named[..index] {
            refuse_same(one, other)?;
        }
    }
    let [stdin, stdout] = stdio();
    for output in named.iter().filter(|named| named.usage.is_output()) {
        for (name, identity) in [("stdin", &stdin), ("stdout", &stdout)] {
            ensure!(
                identity.is_none() || output.identity != *identity,
                "{output}: that is the file of {name} too; name another file"
            );
        }
    }
    let on_stdout = |named: &&Named| named.usage.is_output() && is_stdout(&named.path);
    let all: Vec<&str> = named
        .iter()
        .filter(on_stdout)
        .map(|named| named.option.as_str())
        .collect();
    let are_forms = |option: &&str| ["--json", "--markdown"].contains(option);
    if all.len() > 1 && !all.iter().all(are_forms) {
        bail!("{} both go to stdout; name a file", all.join(" and "));
    }
    Ok(())
}

/// Refuses two uses of one file if one destroys it for the other.
fn refuse_same(one: &Named, other: &Named) -> Result<()> {
    if one.identity.is_none()
        || one.identity != other.identity
        || !one.usage.writes() && !other.usage.writes()
    {
        return Ok(());
    }
    // Another run may rename FILE.part to FILE between the two calls of `identity`.
    if one.option == other.option && goes_with(&one.path, &other.path) {
        return Ok(());
    }
    // A reader of a book sees its state at the opening, and writers take turns.
    let is_book = |named: &Named| matches!(named.usage, Use::Book | Use::Edit);
    if is_book(one) && is_book(other) {
        return Ok(());
    }
    let output = if one.usage.writes() { one } else { other };
    let first = other.path.display();
    let second = one.path.display();
    let same = if other.path == one.path {
        format!("{first}")
    } else {
        format!("{first} and {second}")
    };
    bail!(
        "{} and {} name the same file, {same}; name another file for {}",
        other.option,
        one.option,
        output.option
    )
}

/// Whether one path is the other with an ending, such as `FILE.part`.
fn goes_with(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(|path| path.as_os_str().as_encoded_bytes());
    one.len() != other.len() && (one.starts_with(other) || other.starts_with(one))
}

/// Refuses a file that a user names while the command runs, if the command line names it, too.
pub fn refuse_named(path: &Path) -> Result<()> {
    let found = identity(path);
    let mut all = NAMED.get().into_iter().flatten();
    match all.find(|named| found.is_some() && named.identity == found) {
        Some(named) => bail!(
            "{} is the file of {}; name another file",
            path.display(),
            named.option
        ),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_name_books_and_weights() {
        let files = |player| files_of_player(player);
        assert_eq!(
            files("a=emilia:level=3,book=x.book,eval=w.bin"),
            [(Use::Book, "x.book".into()), (Use::Read, "w.bin".into())]
        );
        assert_eq!(files("emilia;book=x.book"), [(Use::Book, "x.book".into())]);
        assert_eq!(files("nboard:./engine --notebook=3"), []);
    }
}
