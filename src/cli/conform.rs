//! `emilia conform`.

use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};

use super::output::Output;
use crate::conform::{Outcome, Script, play, transcripts};
use crate::peers::Protocol;
use crate::peers::process::Process;
use crate::tournament::players::options;

const EXAMPLES: &str = "\
Examples:
  emilia conform nboard:'emilia nboard' gtp:'emilia gtp'
  emilia conform gtp:gtp-rhino
  emilia conform nboard:'./engine --nboard' --only ping_ends_go,clear
  emilia conform edax:'emilia edax' cassio:'emilia cassio'

A failure shows the line of the transcript, the expected and the actual answer,
and the end of the conversation.
Exit code: 0 if nothing failed, 1 otherwise.";

/// Check that an engine keeps to its protocol.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Programs and their protocols: nboard:COMMAND, gtp:COMMAND, edax:COMMAND or cassio:COMMAND.
    #[arg(value_name = "PROGRAM", required = true)]
    programs: Vec<String>,
    /// Check only the transcripts with these names, separated by commas [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let mut targets = Vec::new();
    let mut names = Vec::new();
    for text in &args.programs {
        let (protocol, command) = target(text)?;
        // One that is not there need not fail transcript by transcript.
        Process::spawn(&command, None).with_context(|| format!("`{command}` does not start"))?;
        let all = transcripts(protocol);
        names.extend(all.iter().map(|script| script.title.0.clone()));
        targets.push((protocol, command, all));
    }
    if let Some(name) = args.only.iter().find(|name| !names.contains(name)) {
        bail!(
            "--only: no transcript {name}; there are {}",
            names.join(", ")
        );
    }
    let mut out = Output::by_line();
    let mut failed = false;
    for (protocol, command, all) in targets {
        out.line(format_args!("{protocol} {command}"))?;
        let chosen = all
            .iter()
            .filter(|script| args.only.is_empty() || args.only.contains(&script.title.0));
        failed |= check(&command, chosen, &mut out)? > 0;
    }
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Prints the outcome of each transcript; how many failed.
fn check<'a>(
    command: &str,
    chosen: impl Iterator<Item = &'a Script>,
    out: &mut Output,
) -> Result<usize> {
    let [mut passed, mut failed, mut skipped] = [0; 3];
    for script in chosen {
        let outcome = play(command, script)?;
        let is_mute = matches!(outcome, Outcome::Mute(_));
        let (word, count, more) = match outcome {
            Outcome::Passed => ("pass", &mut passed, String::new()),
            Outcome::Skipped(needs) => (
                "skip",
                &mut skipped,
                format!("; the command {needs} is unknown"),
            ),
            Outcome::Failed(why) | Outcome::Mute(why) => (
                "FAIL",
                &mut failed,
                format!("\n    {}", why.replace('\n', "\n    ")),
            ),
        };
        *count += 1;
        out.line(format_args!(
            "{word}  {:<20} {}{more}",
            script.title.0, script.title.1
        ))?;
        if is_mute && passed + skipped == 0 {
            out.line("no answer at all: the other checks are left out")?;
            break;
        }
    }
    out.line(format_args!(
        "{passed} passed, {failed} failed, {skipped} skipped\n"
    ))?;
    Ok(failed)
}

/// The protocol and the command line of a program.
fn target(text: &str) -> Result<(Protocol, String)> {
    let named = text
        .split_once(':')
        .and_then(|(name, command)| Some((Protocol::named(name)?, command)));
    let (protocol, command) = named.with_context(|| {
        format!(
            "`{text}` does not name its protocol: nboard:COMMAND, gtp:COMMAND, edax:COMMAND or cassio:COMMAND"
        )
    })?;
    let (command, options) = options::split(command)?;
    ensure!(
        options.is_empty(),
        "`{text}`: a program is checked without player options"
    );
    Ok((protocol, command.trim().to_owned()))
}
