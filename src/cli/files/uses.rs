//! The use of each option that names a file.

use clap::{Arg, Command};

/// The use of a file that an argument names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It is read, if it is a file at all: it may be the text of a position.
    Read,
    /// A book that is read, with its journal.
    Book,
    /// A book that is read and written, with its journal.
    Edit,
    /// A player of a match: its options may name a book and weights.
    Player,
    /// A file that is written whole; `-` is stdout.
    Write,
    /// A file that is written whole or grows; stdout cannot take it.
    Make,
    /// A regular file that is written several times or read again, with its `.part`, its summary or its lock.
    State,
    /// A file of results, with its `.part` and its summary; `-` is stdout.
    Results,
    /// A log: it grows at its end.
    Append,
    /// A page, or a folder of pages; `-` is stdout.
    Pages,
    /// A folder with files that the command names.
    Folder,
    /// No file.
    Text,
}

/// The use of each argument whose value is a path or a text: by its name, or by its command and its name where commands
/// differ. A test compares the table with the definition of the command line.
const USES: &[(&str, Use)] = &[
    ("answers", Use::Read),
    #[cfg(feature = "lab")]
    ("baseline", Use::Read),
    ("black", Use::Player),
    ("book", Use::Book),
    ("book absorb/book", Use::Edit),
    ("book grow/book", Use::Edit),
    ("book import/book", Use::Edit),
    ("book merge/book", Use::Edit),
    ("book tidy/book", Use::Edit),
    ("certificate", Use::Make),
    ("eval", Use::Read),
    ("eval_file", Use::Read),
    ("files", Use::Read),
    ("ggf", Use::Make),
    #[cfg(feature = "lab")]
    ("init", Use::Read),
    ("input", Use::Read),
    ("inputs", Use::Read),
    ("json", Use::Write),
    ("log", Use::Append),
    ("markdown", Use::Write),
    #[cfg(feature = "lab")]
    ("name", Use::Text),
    #[cfg(feature = "lab")]
    ("names", Use::Text),
    ("note", Use::Text),
    ("only", Use::Text),
    ("openings", Use::Read),
    ("others", Use::Book),
    ("output", Use::Write),
    ("analyze/output", Use::Results),
    ("solve/output", Use::Results),
    ("play/output", Use::State),
    ("report/output", Use::Pages),
    #[cfg(feature = "lab")]
    ("train fit/output", Use::State),
    #[cfg(feature = "lab")]
    ("train label/output", Use::State),
    #[cfg(feature = "lab")]
    ("train tune/output", Use::State),
    ("pgn", Use::Make),
    ("players", Use::Player),
    ("position", Use::Text),
    ("programs", Use::Text),
    #[cfg(feature = "lab")]
    ("records", Use::Read),
    ("solve", Use::Read),
    ("start", Use::Read),
    ("store", Use::Folder),
    #[cfg(feature = "lab")]
    ("suite", Use::Read),
    ("svg", Use::Write),
    ("title", Use::Text),
    ("warning", Use::Text),
    ("white", Use::Player),
    #[cfg(not(feature = "lab"))]
    ("words", Use::Text),
    ("without", Use::Read),
    #[cfg(feature = "lab")]
    ("wthor", Use::Read),
];

/// The use of an argument of the command with this path.
pub fn use_of(path: &str, arg: &Arg) -> Option<Use> {
    if !arg.get_action().takes_values() {
        return None;
    }
    let known = |name: &str| USES.iter().find(|(known, _)| *known == name).map(|(_, found)| *found);
    let id = arg.get_id().as_str();
    known(&format!("{path}/{id}")).or_else(|| known(id))
}

impl Use {
    /// Whether the rule for existing files holds for it.
    pub fn is_output(self) -> bool {
        matches!(self, Self::Write | Self::Make | Self::State | Self::Results | Self::Pages)
    }

    /// Whether `-` is stdout.
    pub fn takes_stdout(self) -> bool {
        matches!(self, Self::Write | Self::Results | Self::Pages)
    }

    /// Whether the command changes the file.
    pub fn writes(self) -> bool {
        self.is_output() || matches!(self, Self::Append | Self::Edit)
    }

    /// Endings of files that go with it.
    pub fn companions(self) -> &'static [&'static str] {
        match self {
            Self::Book | Self::Edit => &[".journal"],
            Self::State => &[".part", ".summary.json", ".lock"],
            Self::Results => &[".part", ".summary.json"],
            _ => &[],
        }
    }
}

/// The options of all commands that name an output: the words of the command, the option, and whether `-` is stdout.
pub fn outputs(command: &Command) -> Vec<(String, String, bool)> {
    fn collect(command: &Command, path: &str, found: &mut Vec<(String, String, bool)>) {
        for arg in command.get_arguments() {
            let usage = use_of(path, arg).filter(|usage| usage.is_output() || *usage == Use::Append);
            if let Some((usage, option)) = usage.zip(arg.get_long()) {
                found.push((path.to_owned(), format!("--{option}"), usage.takes_stdout()));
            }
        }
        for below in command.get_subcommands() {
            collect(below, format!("{path} {}", below.get_name()).trim_start(), found);
        }
    }
    let mut found = Vec::new();
    collect(command, "", &mut found);
    found
}

#[cfg(test)]
mod tests {
    use std::any::TypeId;
    use std::collections::BTreeSet;
    use std::ffi::OsString;
    use std::path::PathBuf;

    use super::*;
    use crate::play::Seat;

    /// Whether the values of an argument are paths or texts.
    fn takes_names(arg: &Arg) -> bool {
        let kinds =
            [TypeId::of::<PathBuf>(), TypeId::of::<OsString>(), TypeId::of::<String>(), TypeId::of::<Seat>()];
        let kind = arg.get_value_parser().type_id();
        arg.get_action().takes_values()
            && arg.get_possible_values().is_empty()
            && kinds.iter().any(|known| kind == *known)
    }

    #[test]
    fn every_argument_that_can_name_a_file_has_its_use() {
        fn walk(command: &Command, path: &str, used: &mut BTreeSet<String>, faults: &mut Vec<String>) {
            let mut has_outputs = false;
            for arg in command.get_arguments() {
                let id = arg.get_id().as_str();
                let usage = use_of(path, arg);
                if takes_names(arg) && usage.is_none() {
                    faults.push(format!("{path}: {id} has no use in the table"));
                }
                let rows = [format!("{path}/{id}"), id.to_owned()];
                used.extend(rows.into_iter().find(|row| USES.iter().any(|(known, _)| known == row)));
                has_outputs |= usage.is_some_and(Use::is_output);
            }
            let has_force = command.get_arguments().any(|arg| arg.get_id() == "force");
            if has_force != has_outputs {
                faults.push(format!("{path}: outputs and --force go together"));
            }
            for below in command.get_subcommands() {
                walk(below, format!("{path} {}", below.get_name()).trim_start(), used, faults);
            }
        }
        let mut command = crate::cli::command();
        command.build();
        let (mut used, mut faults) = (BTreeSet::new(), Vec::new());
        walk(&command, "", &mut used, &mut faults);
        faults.extend(
            USES.iter().filter(|(name, _)| !used.contains(*name)).map(|(name, _)| format!("no {name}")),
        );
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}
