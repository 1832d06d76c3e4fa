//! The command line: one file per subcommand.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use self::settings::Settings;
use crate::notation::is_entry;
use crate::peers::Protocol;
use crate::util::os::children;
use crate::util::printable::escaped;
use crate::util::text::did_you_mean;

mod analysis_args;
mod analyze;
#[cfg(test)]
mod audit_tests;
pub(crate) mod bench;
mod book;
mod book_args;
mod compat;
mod conform;
mod convert;
mod edax;
pub mod files;
pub(crate) mod input;
pub(crate) mod logging;
mod match_;
pub(crate) mod output;
mod pages;
mod people;
mod play;
pub(crate) mod progress;
mod report;
mod results;
pub(crate) mod search_args;
mod session;
mod settings;
mod show;
pub(crate) mod signals;
mod solve;
mod store_args;
mod verify;
mod version;

/// Emilia plays, solves and analyzes Othello (Reversi).
#[derive(Parser)]
#[command(name = "emilia", bin_name = "emilia", version = env!("EMILIA_VERSION"), after_help = EXAMPLES)]
#[command(help_expected = true, max_term_width = COLUMNS)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The width of the help.
const COLUMNS: usize = 80;

const EXAMPLES: &str = "\
Without a command, Emilia waits for NBoard or GTP on stdin, as GUIs start it.

Examples:
  emilia play
  emilia show f5d6c3
  emilia solve books/ffo-1-19.obf
  emilia nboard --threads 4 --hash 512

Show a command's options and examples: emilia help COMMAND
Show the fields of all JSON output:    emilia help json
Show the JSON schema of `analyze`:     emilia help schema
Show the rules for output files:       emilia help files
Show all notations that are read:      emilia help notations
Keep options in a file:                emilia help settings
Write a log to stderr: set RUST_LOG=info";

/// In the order of the help.
#[derive(Subcommand)]
enum Command {
    /// Take the protocol from the first known line on stdin.
    #[command(hide = true, override_usage = "emilia [COMMAND] [OPTIONS]")]
    Auto(session::Args),
    /// Play in the terminal.
    Play(play::Args),
    /// Speak NBoard on stdin and stdout.
    #[command(after_help = session::NBOARD_HELP)]
    Nboard(session::Args),
    /// Speak GTP (Go Text Protocol) on stdin and stdout.
    #[command(after_help = session::GTP_HELP)]
    Gtp(session::Args),
    /// Open the console of Edax, for programs that drive it.
    Edax(edax::Args),
    /// Speak the engine protocol of Cassio.
    #[command(after_help = session::CASSIO_HELP)]
    Cassio(session::Args),
    /// Show a position: moves, flips, stable discs, evaluation.
    Show(show::Args),
    /// Solve positions: exact score, best move and line.
    Solve(solve::Args),
    /// Check the proofs of exact scores that `solve` wrote.
    Verify(verify::Args),
    /// Analyze positions and games: a table, or JSON lines.
    Analyze(analyze::Args),
    /// Write web pages that explain games move by move.
    Report(report::Args),
    /// Convert positions and games between notations.
    Convert(convert::Args),
    /// Make, grow and query opening books.
    Book(book::Args),
    /// Play matches between engines, with Elo and SPRT.
    Match(match_::args::Args),
    /// Check that an engine keeps to its protocol.
    Conform(conform::Args),
    /// Measure the speed of this build.
    Bench(bench::Args),
    /// Show the version, build, weights, settings and book.
    Version(version::Args),
    /// Print the completions of a shell.
    Completions(pages::CompletionsArgs),
    /// Print a manual page.
    Man(pages::ManArgs),
}

/// The headings in the list of subcommands, each with its first subcommand.
const HEADINGS: &[(&str, &str)] = &[
    ("play", "Play"),
    ("show", "Study"),
    ("book", "Books"),
    ("match", "Engines"),
    ("version", "About"),
];

/// Parses the command line, runs the subcommand, prints an error chain once to stderr.
///
/// Exit codes: 0 done, 1 failed or a check missed, 2 wrong usage or unsupported processor, 130 ended by a signal.
pub fn main() -> ExitCode {
    let (args, reads_file) = settings::switch(std::env::args_os());
    let definition = built();
    let result = match (
        page(&args),
        with_settings(&definition, args.clone(), reads_file),
    ) {
        (Some(page), _) => output::print(&page),
        (None, Ok((matches, settings))) => {
            let result = run(&definition, &matches, &settings.words);
            // Some may still think about a move, such as those of `play`.
            children::end_all(signals::GRACE);
            result
        }
        // Help and the version are results like any other.
        (None, Err(answer)) if !answer.use_stderr() => output::print(&help_text(&answer)),
        (None, Err(wrong_usage)) => return refuse(&args, &wrong_usage),
    };
    match result {
        Ok(code) => code,
        Err(error) if output::reader_is_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::message(format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Prints the error of a command line.
fn refuse(args: &[OsString], error: &clap::Error) -> ExitCode {
    // The parser repeats the arguments: it gets them without control characters.
    let safe = args
        .iter()
        .map(|arg| escaped(&arg.to_string_lossy()).into_owned().into());
    if let Some(advice) = advice(args, error.kind()) {
        output::message(advice);
        return ExitCode::from(2);
    }
    let again = matches(safe).err().filter(clap::Error::use_stderr);
    let text = again.as_ref().unwrap_or(error).render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    output::message(text.trim_end());
    ExitCode::from(2)
}

/// A better command line for a position, a file or an unknown page in place of a command.
fn advice(args: &[OsString], kind: ErrorKind) -> Option<String> {
    let is_no_command = [ErrorKind::InvalidSubcommand, ErrorKind::UnknownArgument].contains(&kind);
    let word = |place: usize| args.get(place)?.to_str().filter(|_| is_no_command);
    let first = word(1)?;
    if first == "help" {
        let topic = word(2)?;
        let command = command();
        let commands = command.get_subcommands().map(clap::Command::get_name);
        let near = did_you_mean(topic, commands.chain(PAGES));
        return (!near.is_empty()).then(|| format!("no help on {topic:?}{near}"));
    }
    let verb = match Path::new(first) {
        path if path.exists() || path.extension().is_some() => "analyze",
        _ if is_entry(first) => "show",
        _ => return None,
    };
    Some(format!(
        "{first:?} is no command; try: emilia {verb} {first}"
    ))
}

/// The pages of `emilia help` beside those of the commands.
const PAGES: [&str; 5] = ["json", "schema", "files", "notations", "settings"];

/// The page of `emilia help PAGE`, if the words are that.
fn page(args: &[OsString]) -> Option<String> {
    let [_, help, page] = args else { return None };
    match page.to_str().filter(|_| help == "help")? {
        "json" => Some(crate::analysis::PAGE.to_owned()),
        "schema" => Some(format!("{:#}\n", crate::analysis::schema())),
        "files" => Some(files::PAGE.to_owned()),
        "notations" => Some(include_str!("../notation/NOTATIONS.md").to_owned()),
        "settings" => Some(settings::PAGE.to_owned()),
        _ => None,
    }
}

/// Help or version, in colors if stdout has them.
fn help_text(answer: &clap::Error) -> String {
    let text = answer.render();
    if output::takes_colors() {
        text.ansi().to_string()
    } else {
        text.to_string()
    }
}

fn matches(args: impl IntoIterator<Item = OsString>) -> Result<ArgMatches, clap::Error> {
    command().try_get_matches_from(translated(args))
}

fn translated(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    compat::translated(args.into_iter().map(input::shielded))
}

/// The matches of a command line and of the settings file.
fn with_settings(
    definition: &clap::Command,
    args: Vec<OsString>,
    reads_file: bool,
) -> Result<(ArgMatches, Settings), clap::Error> {
    let words = translated(args);
    let typed = definition.clone().try_get_matches_from(&words)?;
    let settings = Settings::of_user(reads_file, definition);
    Ok((settings.applied(definition, words, typed), settings))
}

#[cfg(test)]
fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    Cli::from_arg_matches(&matches(args)?)
}

/// Whether these words are a valid command line.
#[cfg(any(test, fuzzing))]
pub(crate) fn is_understood(args: impl IntoIterator<Item = OsString>) -> bool {
    // Once for all calls: it takes longer than most lines.
    thread_local!(static COMMAND: std::cell::RefCell<clap::Command> = command().into());
    let args = translated(args);
    let matches = COMMAND.with_borrow_mut(|command| command.try_get_matches_from_mut(args));
    matches
        .and_then(|matches| Cli::from_arg_matches(&matches))
        .is_ok()
}

/// The definition of the command line.
pub fn command() -> clap::Command {
    // `mut_subcommand` would move them to the end.
    let own = |command: clap::Command| match command.get_name() {
        "edax" => edax::with_own_level(command),
        "cassio" => session::as_cassio(command),
        _ => command,
    };
    let whole = plain(files::with_rules(Cli::command(), "")).mut_subcommands(own);
    let mut command = whole.clone();
    command.build();
    let mut listing = String::new();
    for subcommand in command
        .get_subcommands()
        .filter(|subcommand| !subcommand.is_hide_set())
    {
        let name = subcommand.get_name();
        if let Some((_, heading)) = HEADINGS.iter().find(|(first, _)| *first == name) {
            listing.push_str(&format!("\n{heading}:\n"));
        }
        let about = subcommand
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        listing.push_str(&format!("  {name:<12} {about}\n"));
    }
    whole.help_template(format!(
        "{{about-with-newline}}\nUsage: emilia [COMMAND] [OPTIONS]\n{listing}\nOptions:\n{{options}}{{after-help}}"
    ))
}

/// The same with all its subcommands complete.
fn built() -> clap::Command {
    let mut command = command();
    command.build();
    command
}

/// Hides clap's lists of values: the help of an option names them.
fn plain(command: clap::Command) -> clap::Command {
    let plain_arg = |arg: clap::Arg| {
        let takes_values = arg.get_action().takes_values();
        arg.hide_possible_values(takes_values)
    };
    command.mut_args(plain_arg).mut_subcommands(plain)
}

/// Checks the files of the command line and runs it. `settings` are in the words of `emilia version`.
fn run(definition: &clap::Command, matches: &ArgMatches, settings: &str) -> Result<ExitCode> {
    use Command::{Auto, Cassio, Edax, Gtp, Nboard, Play};
    let Cli { command } = Cli::from_arg_matches(matches).unwrap_or_else(|error| error.exit());
    files::check(definition, matches)?;
    // The others start their log themselves, since it may have a file.
    if !matches!(
        command,
        Auto(_) | Nboard(_) | Gtp(_) | Edax(_) | Cassio(_) | Play(_)
    ) {
        logging::start(None)?;
    }
    let words: Vec<_> = std::env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    log::info!("emilia {}: {}", env!("CARGO_PKG_VERSION"), words.join(" "));
    signals::listen()?;
    match command {
        Auto(args) => session::begin(&args),
        Nboard(args) => session::run(&args, Protocol::NBoard),
        Gtp(args) => session::run(&args, Protocol::Gtp),
        Edax(args) => edax::run(&args),
        Cassio(args) => session::run(&args, Protocol::Cassio),
        Command::Analyze(args) => analyze::run(&args),
        Command::Match(args) => match_::run(&args),
        Command::Conform(args) => conform::run(&args),
        Command::Bench(args) => bench::run(&args),
        Play(args) => play::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Book(args) => book::run(&args),
        Command::Show(args) => show::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Version(_) => version::run(settings),
        Command::Completions(args) => pages::completions(&args),
        Command::Man(args) => pages::man(&args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_sound_and_states_the_level_of_edax() {
        let mut command = command();
        command.clone().debug_assert();
        let help = command.render_help().to_string();
        assert!(
            help.contains("\n  cassio       Speak the engine protocol of Cassio\n\nStudy:\n"),
            "{help}"
        );
        let help = command
            .find_subcommand_mut("edax")
            .expect("it is one")
            .render_help()
            .to_string();
        assert!(help.contains("[default: 21"), "{help}");
    }

    #[test]
    fn match_tools_find_their_options() {
        for line in [
            "emilia -nboard -q -level 10 -n-tasks 2 -ponder off -book-usage off",
            "emilia -nboard -quiet -nobook -l 10 -t 2",
            "emilia nboard -n 2 --level 10",
            "emilia -nboard -verbose 0 -n-tasks 2 -t 5:00 -h 21 -level 10 -book-file data/book.dat -ponder on",
            "emilia -nboard -noboard -hash 25 -thread 2 -depth 10 -eval classic -move-time 2.5",
            "emilia nboard --threads 2 --level 10 --no-book",
        ] {
            let parsed = parse(line.split(' ').map(OsString::from)).map(|cli| cli.command);
            let Ok(Command::Nboard(args)) = parsed else {
                panic!("{line}")
            };
            let level = args.options().level.map(crate::engine::Level::number);
            assert_eq!((args.search.threads, level), (2, Some(10)), "{line}");
        }
    }
}
