//! The use of each option that names a file.

use clap::{Arg, Command};

/// The use of a file that an argument names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// An input, or the text of a position.
    Read,
    /// A book to read, with its journal.
    Book,
    /// A book to read and write, with its journal.
    Edit,
    /// A player of a match: its options may name a book and weights.
    Player,
    /// A file to write whole; `-` is stdout.
    Write,
    /// A file to write whole, or one that grows; never stdout.
    Make,
    /// A regular file that is written several times or read again.
    State,
    /// A file of results, with its `.part`, its record and its summary; `-` is stdout.
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

/// The arguments of each use whose value is a path or a text: by name, or by command and name where commands differ.
///
/// A test compares the table with the definition of the command line.
const USES: &[(Use, &[&str])] = &[
    (
        Use::Read,
        &[
            "answers",
            "engine",
            "eval",
            "eval_file",
            "files",
            "input",
            "inputs",
            "openings",
        ],
    ),
    (Use::Read, &["pool", "solve", "start", "without"]),
    (Use::Book, &["book", "others"]),
    (
        Use::Edit,
        &[
            "book absorb/book",
            "book grow/book",
            "book import/book",
            "book merge/book",
            "book tidy/book",
        ],
    ),
    (Use::Player, &["players"]),
    (Use::Write, &["json", "markdown", "output", "svg"]),
    (Use::Make, &["certificate", "ggf"]),
    (Use::State, &["play/output"]),
    (Use::Results, &["analyze/output", "solve/output"]),
    (Use::Append, &["log"]),
    (Use::Pages, &["report/output"]),
    (Use::Folder, &["store"]),
    (
        Use::Text,
        &[
            "note", "only", "position", "programs", "title", "warning", "words",
        ],
    ),
];

/// The same for the arguments of `emilia-lab`.
const USES_OF_LAB: &[(Use, &[&str])] = &[
    (
        Use::Read,
        &["baseline", "init", "records", "suite", "wthor"],
    ),
    (Use::State, &["fit/output", "label/output", "tune/output"]),
];

/// The use of an argument of the command with this path.
pub fn use_of(path: &str, arg: &Arg) -> Option<Use> {
    let id = arg.get_id().as_str();
    let of = |name: &str| {
        USES.iter()
            .chain(USES_OF_LAB)
            .find(|(_, names)| names.contains(&name))
            .map(|(usage, _)| *usage)
    };
    let usage = of(&format!("{path}/{id}")).or_else(|| of(id));
    usage.filter(|_| arg.get_action().takes_values())
}

impl Use {
    /// Whether the rule for existing files holds for it.
    pub fn is_output(self) -> bool {
        matches!(
            self,
            Self::Write | Self::Make | Self::State | Self::Results | Self::Pages
        )
    }

    /// Whether `-` is stdout.
    pub fn takes_stdout(self) -> bool {
        matches!(self, Self::Write | Self::Results | Self::Pages)
    }

    /// Whether the output is compressed if its name says so: it is written whole.
    pub fn packs(self) -> bool {
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
            Self::Results => &[".part", ".run", ".summary.json"],
            _ => &[],
        }
    }
}

/// The options of all commands that name an output: the words of the command, the option, and whether `-` is stdout.
pub fn outputs(command: &Command) -> Vec<(String, String, bool)> {
    fn collect(command: &Command, path: &str, found: &mut Vec<(String, String, bool)>) {
        for arg in command.get_arguments() {
            let usage =
                use_of(path, arg).filter(|usage| usage.is_output() || *usage == Use::Append);
            if let Some((usage, option)) = usage.zip(arg.get_long()) {
                found.push((path.to_owned(), format!("--{option}"), usage.takes_stdout()));
            }
        }
        for below in command.get_subcommands() {
            collect(
                below,
                format!("{path} {}", below.get_name()).trim_start(),
                found,
            );
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

    /// Whether the values of an argument are paths or texts.
    fn takes_names(arg: &Arg) -> bool {
        let kinds = [
            TypeId::of::<PathBuf>(),
            TypeId::of::<OsString>(),
            TypeId::of::<String>(),
        ];
        let kind = arg.get_value_parser().type_id();
        arg.get_action().takes_values()
            && arg.get_possible_values().is_empty()
            && kinds.iter().any(|known| kind == *known)
    }

    fn table() -> impl Iterator<Item = &'static str> {
        USES.iter().flat_map(|(_, names)| names.iter().copied())
    }

    #[test]
    fn every_argument_that_can_name_a_file_has_its_use() {
        fn walk(
            command: &Command,
            path: &str,
            used: &mut BTreeSet<String>,
            faults: &mut Vec<String>,
        ) {
            let mut has_outputs = false;
            for arg in command.get_arguments() {
                let id = arg.get_id().as_str();
                let usage = use_of(path, arg);
                if takes_names(arg) && usage.is_none() {
                    faults.push(format!("{path}: {id} has no use in the table"));
                }
                let names = [format!("{path}/{id}"), id.to_owned()];
                used.extend(
                    names
                        .into_iter()
                        .find(|name| table().any(|known| known == name)),
                );
                has_outputs |= usage.is_some_and(Use::is_output);
            }
            let has_force = command.get_arguments().any(|arg| arg.get_id() == "force");
            if has_force != has_outputs {
                faults.push(format!("{path}: outputs and --force go together"));
            }
            for below in command.get_subcommands() {
                walk(
                    below,
                    format!("{path} {}", below.get_name()).trim_start(),
                    used,
                    faults,
                );
            }
        }
        let mut command = crate::cli::command();
        command.build();
        let mut used = BTreeSet::new();
        let mut faults = Vec::new();
        walk(&command, "", &mut used, &mut faults);
        faults.extend(
            table()
                .filter(|name| !used.contains(*name))
                .map(|name| format!("no {name}")),
        );
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}
