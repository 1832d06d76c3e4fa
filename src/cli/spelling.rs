//! Command lines as match tools and GUIs write them for other engines, turned into ours.
//!
//! Edax and Egaroucid take long options with one dash (`-level 10 -n-tasks 2 -book-usage off`) and
//! their protocol as an option (`-gtp`, `-nboard`); tools that start them can start us unchanged.

use std::ffi::OsString;

/// Their spelling and ours.
const OPTIONS: &[(&str, &str)] = &[
    ("-level", "--level"),
    ("-n-tasks", "--threads"),
    ("-threads", "--threads"),
    ("-quiet", "--quiet"),
    ("-ponder", "--ponder"),
    ("-book-usage", "--book-usage"),
    ("-nobook", "--no-book"),
    ("--nobook", "--no-book"),
    ("-eval-file", "--eval-file"),
];

/// A protocol as a word or an option, and its subcommand.
const PROTOCOLS: &[(&str, &str)] =
    &[("-nboard", "nboard"), ("--nboard", "nboard"), ("-gtp", "gtp"), ("--gtp", "gtp")];

/// Asking about the program, not starting it.
const QUESTIONS: &[&str] = &["-h", "--help", "-V", "--version"];

/// The arguments in our spelling, always with a subcommand first (or a question).
pub fn modern(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args = args.into_iter();
    let program = args.next().unwrap_or_else(|| "emilia".into());
    let mut rest: Vec<OsString> =
        args.map(|arg| respell(OPTIONS, &arg).map_or(arg, OsString::from)).collect();
    let first_is = |test: &dyn Fn(&str) -> bool| rest.first().and_then(|arg| arg.to_str()).is_some_and(test);
    let starts_plain = rest.is_empty() || first_is(&|arg| arg.starts_with('-'));
    if starts_plain && !first_is(&|arg| QUESTIONS.contains(&arg)) {
        // The protocol may stand anywhere among the options.
        let place = rest.iter().position(|arg| respell(PROTOCOLS, arg).is_some());
        let protocol = place.map(|place| rest.remove(place));
        let subcommand = protocol.and_then(|arg| respell(PROTOCOLS, &arg)).unwrap_or("auto");
        rest.insert(0, subcommand.into());
    }
    rest.insert(0, program);
    rest
}

fn respell(table: &[(&str, &'static str)], arg: &OsString) -> Option<&'static str> {
    table.iter().find(|(theirs, _)| arg == *theirs).map(|&(_, ours)| ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modern_line(line: &str) -> String {
        let words = modern(line.split_whitespace().map(OsString::from));
        words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn known_tools_lines_become_ours() {
        for (theirs, ours) in [
            ("e", "e auto"),
            ("e -nboard", "e nboard"),
            ("e -l 5 --gtp", "e gtp -l 5"),
            (
                "e -gtp -q -level 8 -n-tasks 2 -ponder off -book-usage off -eval-file w.bin",
                "e gtp -q --level 8 --threads 2 --ponder off --book-usage off --eval-file w.bin",
            ),
            ("e -gtp -quiet -nobook -l 8 -t 2", "e gtp --quiet --no-book -l 8 -t 2"),
            ("e --help", "e --help"),
            ("e -V", "e -V"),
            ("e solve x.obf", "e solve x.obf"),
        ] {
            assert_eq!(modern_line(theirs), ours);
        }
    }
}
