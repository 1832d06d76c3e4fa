//! What goes with what: an option that would have no effect is refused, not dropped.
//!
//! Most options always count. Some turn a subcommand to other work, in which few of the others mean anything; each such
//! option stands here with those that do. What the parser cannot see (a file of requests, a policy by its name) is
//! refused where it is read.

use clap::Command;

/// An option that changes what a subcommand does.
struct Mode {
    /// The subcommand, and under `book` its own.
    path: &'static [&'static str],
    option: &'static str,
    rule: Rule,
}

/// What an option does to the others.
enum Rule {
    /// Beside it nothing but these has an effect.
    Only(&'static [&'static str]),
}

const MODES: &[Mode] = &[
    Mode { path: &["analyze"], option: "schema", rule: Rule::Only(&[]) },
    Mode {
        path: &["report"],
        option: "answers",
        rule: Rule::Only(&["output", "force", "title", "language"]),
    },
];

impl Mode {
    fn apply_to(&self, command: Command) -> Command {
        match &self.rule {
            Rule::Only(allowed) => {
                let others: Vec<clap::Id> = command
                    .get_arguments()
                    .map(|arg| arg.get_id().clone())
                    .filter(|id| id != self.option && !allowed.contains(&id.as_str()))
                    .collect();
                command.mut_arg(self.option, |arg| arg.conflicts_with_all(others))
            }
        }
    }
}

/// The whole command line with all rules in force.
pub fn with_rules(command: Command) -> Command {
    MODES.iter().fold(command, |command, mode| below(command, mode.path, mode))
}

fn below(command: Command, path: &[&'static str], mode: &Mode) -> Command {
    match path {
        [] => mode.apply_to(command),
        [name, rest @ ..] => command.mut_subcommand(name, |command| below(command, rest, mode)),
    }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;
    use clap::{Arg, ArgAction};

    use super::*;
    use crate::cli::command;

    /// Values that some option or other takes.
    const VALUES: &[&str] = &[
        "1", "8", "70", "f5", "a1lsb", "moves", "ggf", "classic", "best", "on", "1-2", "1/1", "0.5", "1+1",
        "2", "5:00", "0,5", "A=1", "en", "900",
    ];

    /// What a subcommand cannot do without.
    fn base(path: &[&'static str]) -> Vec<&'static str> {
        let required: &[&str] = match path {
            ["report"] => &["-o", "x"],
            _ => &[],
        };
        [path, required].concat()
    }

    fn find<'a>(command: &'a Command, path: &[&str]) -> &'a Command {
        path.iter().fold(command, |command, name| command.find_subcommand(name).expect("a subcommand"))
    }

    /// Ways to write an option on the command line.
    fn written(arg: &Arg) -> Vec<Vec<String>> {
        let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
        let name = arg.get_long().map(|long| format!("--{long}"));
        match (name, takes_value) {
            (Some(name), false) => vec![vec![name]],
            (Some(name), true) => VALUES.iter().map(|value| vec![name.clone(), (*value).into()]).collect(),
            (None, _) => VALUES.iter().map(|value| vec![(*value).into()]).collect(),
        }
    }

    fn fault(line: &[String]) -> Option<ErrorKind> {
        let words = std::iter::once("emilia").chain(line.iter().map(String::as_str));
        thread_local!(static COMMAND: std::cell::RefCell<Command> = command().into());
        let matches = COMMAND.with_borrow_mut(|command| command.try_get_matches_from_mut(words));
        matches.err().map(|error| error.kind())
    }

    /// The words of `line` and of an option in the form in which both are understood.
    fn understood(line: &[String], arg: &Arg) -> Option<Vec<String>> {
        let lines = written(arg).into_iter().map(|words| [line, &words].concat());
        lines.into_iter().find(|line| fault(line).is_none())
    }

    /// Every option with every mode of its subcommand: it counts, or it is refused.
    #[test]
    fn no_option_is_dropped() {
        let whole = command();
        let mut tried = 0;
        for mode in MODES {
            let subcommand = find(&whole, mode.path);
            let option = |id: &str| subcommand.get_arguments().find(|arg| arg.get_id() == id).expect(id);
            let base: Vec<String> = base(mode.path).into_iter().map(str::to_owned).collect();
            match &mode.rule {
                Rule::Only(allowed) => {
                    for arg in subcommand.get_arguments().filter(|arg| arg.get_id() != mode.option) {
                        let id = arg.get_id().as_str();
                        let is_given = arg.is_required_set() || ["help", "version"].contains(&id);
                        if is_given || allowed.contains(&id) {
                            continue;
                        }
                        let words = VALUES.len();
                        // It may need another option itself.
                        let others =
                            || subcommand.get_arguments().filter_map(|other| understood(&base, other));
                        let line = understood(&base, arg)
                            .or_else(|| others().find_map(|with| understood(&with, arg)));
                        let line = line
                            .unwrap_or_else(|| panic!("{:?} {id}: none of {words} values fits", mode.path));
                        let modes = written(option(mode.option));
                        let kinds: Vec<_> =
                            modes.iter().map(|words| fault(&[&line[..], words].concat())).collect();
                        assert!(
                            kinds.contains(&Some(ErrorKind::ArgumentConflict)) && !kinds.contains(&None),
                            "{:?} --{}: {line:?}: {kinds:?}",
                            mode.path,
                            mode.option
                        );
                        tried += 1;
                    }
                }
            }
        }
        assert!(tried > 20, "{tried} pairs");
    }
}
