//! `emilia conform`.

use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::ArgGroup;

use super::output::Output;
use crate::conform::{Finding, Item, Miss, Side, Target, items};

const EXAMPLES: &str = "\
Examples:
  emilia conform --nboard 'emilia nboard' --gtp 'emilia gtp'
  emilia conform --gtp gtp-rhino
  emilia conform --nboard './engine --nboard' --only 6,7,28-30

Exit status 0 if nothing failed, 1 otherwise.";

/// Run the protocol conformance list against any engine and print what was seen.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group(ArgGroup::new("engine").args(["nboard", "gtp"]).required(true).multiple(true)))]
pub struct Args {
    /// Check this command line as an NBoard engine.
    #[arg(long, value_name = "COMMAND")]
    nboard: Option<String>,
    /// Check this command line as a GTP engine.
    #[arg(long, value_name = "COMMAND")]
    gtp: Option<String>,
    /// Only these items: 6,7,28-30. NBoard's are 1-44, GTP's 45-72, those of both 73-80.
    #[arg(long, value_name = "ITEMS", value_parser = parse_items)]
    only: Option<Items>,
}

/// Numbers of items.
type Items = std::sync::Arc<Vec<u8>>;

/// Runs the checks.
pub fn run(args: &Args) -> Result<ExitCode> {
    let targets: Vec<(Target, Vec<&Item>)> = [(Side::NBoard, &args.nboard), (Side::Gtp, &args.gtp)]
        .into_iter()
        .filter_map(|(side, command)| Some(Target { command: command.clone()?, side }))
        .map(|target| {
            let mut chosen = items(target.side);
            chosen.retain(|item| args.only.as_ref().is_none_or(|only| only.contains(&item.number)));
            (target, chosen)
        })
        .collect();
    for (target, chosen) in &targets {
        ensure!(!chosen.is_empty(), "--only: none of these items is about {}", target.side);
        target.try_start().with_context(|| format!("`{}` does not start", target.command))?;
    }
    let mut out = Output::by_line();
    let mut failed = false;
    for (target, chosen) in targets {
        out.line(format_args!("{} {}", target.side, target.command))?;
        let mut findings = Vec::new();
        for item in chosen {
            let finding = item.run(&target);
            out.line(&finding)?;
            findings.push(finding);
        }
        failed |= summary(&mut out, &findings)?;
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Prints how many passed; whether any failed.
fn summary(out: &mut Output, findings: &[Finding]) -> Result<bool> {
    let count = |test: fn(&Finding) -> bool| findings.iter().filter(|finding| test(finding)).count();
    let passed = count(|finding| finding.verdict.is_ok());
    let failed = count(|finding| matches!(finding.verdict, Err(Miss::Fail(_))));
    let skipped = findings.len() - passed - failed;
    out.line(format_args!("{passed} passed, {failed} failed, {skipped} skipped\n"))?;
    Ok(failed > 0)
}

fn parse_items(text: &str) -> Result<Items> {
    let mut items = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let known = |word: &str| word.trim().parse::<u8>().ok().filter(|item| (1..=80).contains(item));
        let (Some(first), Some(last)) = (known(first), known(last)) else {
            bail!("expected items from 1 to 80 such as 6,7,28-30, found {part:?}");
        };
        ensure!(first <= last, "expected the lower item first, found {part:?}");
        items.extend(first..=last);
    }
    Ok(items.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn item_lists_are_read() {
        assert_eq!(*parse_items("6,7,28-30").unwrap(), [6, 7, 28, 29, 30]);
        for (text, told) in
            [("", "1 to 80"), ("0", "1 to 80"), ("81", "\"81\""), ("5-3", "lower"), ("6,x", "\"x\"")]
        {
            let error = parse_items(text).unwrap_err().to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
