//! `emilia verify`: checks the proofs of a certificate.

use std::ffi::{OsStr, OsString};
use std::io::{BufReader, Read, stdin};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};

use super::input::is_stdin;
use super::output::Output;
use crate::certificate::{Checker, Refusal};
use crate::notation::diagram::write_board;
use crate::util::input_file;

#[derive(clap::Args)]
#[command(after_help = "\
Checks each proof by the rules of the game only, and prints one line per proven
score. The first faulty place is an error with its byte, counted from 0, and its
position. `emilia solve --certificate` writes certificates.

Examples:
  emilia solve books/ffo-1-19.obf --certificate ffo.proof
  emilia verify ffo.proof")]
pub struct Args {
    /// Certificates, or - for stdin.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<OsString>,
}

const HEADER: &str =
    "  #  empties   score       bytes        moves       solved   seconds  position";

pub fn run(args: &Args) -> Result<ExitCode> {
    let mut out = Output::by_line();
    out.line(HEADER)?;
    let mut index = 0;
    let mut bytes = 0;
    let mut seconds = 0.0;
    for name in &args.files {
        let refused = |Refusal {
                           offset,
                           position,
                           reason,
                       }: Refusal| {
            let position = position.map_or_else(String::new, |position| {
                format!(", {}", write_board(&position))
            });
            anyhow!("{}: byte {offset}{position}: {reason}", name.display())
        };
        let mut checker = Checker::open(open(name)?).map_err(refused)?;
        let before = index;
        loop {
            let begin = Instant::now();
            let Some(proven) = checker.next().map_err(refused)? else {
                break;
            };
            let took = begin.elapsed().as_secs_f64();
            index += 1;
            bytes += proven.bytes;
            seconds += took;
            out.line(format_args!(
                "{index:3}  {:7}  {:>+6}  {:>10}  {:>11}  {:>11}  {took:>8.3}  {}",
                proven.claim.position.board.empty_count(),
                proven.claim.score,
                proven.bytes,
                proven.nodes,
                proven.leaves,
                write_board(&proven.claim.position),
            ))?;
        }
        ensure!(
            index > before,
            "{}: the certificate holds no proof",
            name.display()
        );
    }
    out.line(format_args!(
        "{index} scores proven, {bytes} bytes, {seconds:.3} s"
    ))?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn open(name: &OsStr) -> Result<Box<dyn Read>> {
    if is_stdin(name) {
        return Ok(Box::new(BufReader::new(stdin())));
    }
    let file = input_file::open_stream(Path::new(name))
        .with_context(|| format!("reading {}", name.display()))?;
    Ok(Box::new(BufReader::new(file)))
}
