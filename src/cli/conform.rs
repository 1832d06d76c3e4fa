//! `emilia conform`.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};

use super::output::Output;
use crate::conform::{Finding, LAST_ITEM, Miss, Protocol, Target, items};
use crate::tournament::players::options::PlayerOptions;
use crate::tournament::players::spec::{PlayerKind, Spec};

const EXAMPLES: &str = "\
Examples:
  emilia conform nboard:'emilia nboard' gtp:'emilia gtp'
  emilia conform gtp:gtp-rhino
  emilia conform nboard:'./engine --nboard' --only 6,7,28-30
  emilia conform edax:'emilia edax' cassio:'emilia cassio'

Exit code: 0 if nothing failed, 1 otherwise.";

/// Check that an engine keeps to its protocol.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Programs and what they speak, as for `match`: nboard:COMMAND or gtp:COMMAND; edax:COMMAND or
    /// cassio:COMMAND.
    #[arg(value_name = "PROGRAM", required = true)]
    programs: Vec<String>,
    /// Check only these items, such as 6,7,28-30. Items 1-44 are of NBoard, 45-72 of GTP, 73-80 of both, 81-89
    /// of Edax's console, 90-94 of Cassio's protocol.
    #[arg(long, value_name = "ITEMS", value_parser = parse_items)]
    only: Option<Items>,
}

/// Numbers of items.
type Items = Arc<Vec<u8>>;

/// Runs the checks.
pub fn run(args: &Args) -> Result<ExitCode> {
    let mut targets = Vec::new();
    for text in &args.programs {
        let target = target(text)?;
        let mut chosen = items(target.protocol);
        chosen.retain(|item| args.only.as_ref().is_none_or(|only| only.contains(&item.number)));
        ensure!(!chosen.is_empty(), "--only: none of these items is about {}", target.protocol);
        // One that is not there need not fail item by item.
        target.spawn().with_context(|| format!("`{}` does not start", target.command))?;
        targets.push((target, chosen));
    }
    let mut out = Output::by_line();
    let mut failed = false;
    for (target, chosen) in targets {
        out.line(format_args!("{} {}", target.protocol, target.command))?;
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

/// The program that a player's text names.
fn target(text: &str) -> Result<Target> {
    let others = [("edax", Protocol::Edax), ("cassio", Protocol::Cassio)];
    if let Some((word, command)) = text.split_once(':')
        && let Some(&(_, protocol)) = others.iter().find(|(name, _)| *name == word)
    {
        return Ok(Target { command: command.to_owned(), protocol, folder: None });
    }
    let Spec { kind, options, .. } = text.parse()?;
    let PlayerKind::Program(Some(protocol), command) = kind else {
        bail!("`{text}` does not say what it speaks: nboard:COMMAND, gtp:COMMAND and the like");
    };
    ensure!(options == PlayerOptions::default(), "`{text}`: a program is checked as it is, without options");
    Ok(Target { command, protocol: protocol.into(), folder: None })
}

/// Prints how many passed; whether any failed.
fn summary(out: &mut Output, findings: &[Finding]) -> Result<bool> {
    let count = |test: fn(&Finding) -> bool| findings.iter().filter(|finding| test(finding)).count();
    let passed = count(|finding| finding.result.is_ok());
    let failed = count(|finding| matches!(finding.result, Err(Miss::Fail(_))));
    let skipped = findings.len() - passed - failed;
    out.line(format_args!("{passed} passed, {failed} failed, {skipped} skipped\n"))?;
    Ok(failed > 0)
}

fn parse_items(text: &str) -> Result<Items> {
    let mut items = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let known = |word: &str| word.trim().parse::<u8>().ok().filter(|item| (1..=LAST_ITEM).contains(item));
        let (Some(first), Some(last)) = (known(first), known(last)) else {
            bail!("expected items from 1 to {LAST_ITEM} such as 6,7,28-30, found {part:?}");
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
            [("", "1 to 94"), ("0", "1 to 94"), ("101", "\"101\""), ("5-3", "lower"), ("6,x", "\"x\"")]
        {
            let error = parse_items(text).unwrap_err().to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
