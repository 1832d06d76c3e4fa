//! `emilia nboard`.

use std::process::ExitCode;

use anyhow::{Context, Result};

use super::{SessionArgs, output};
use crate::engine::Options;
use crate::protocols::console::{LineReader, LineWriter};
use crate::protocols::driver::SessionOptions;
use crate::protocols::library::Library;
use crate::protocols::nboard;

/// Arguments of `emilia nboard`.
#[derive(clap::Args)]
#[command(after_help = "\
In NBoard: Engine > Add engine, name `Emilia`, working directory the one that holds `emilia`,
command `emilia nboard`.

Examples:
  emilia nboard --threads 4 --hash 512
  printf 'set depth 10\\nhint 3\\n' | emilia nboard --batch")]
pub struct Args {
    /// The session.
    #[command(flatten)]
    pub session: SessionArgs,
}

/// Speaks NBoard until `quit` or the end of input.
pub fn run(args: &Args) -> Result<ExitCode> {
    // NBoard shows nothing of an engine that ends, but what its last status said.
    let options = args.session.prepare().inspect_err(|error| {
        let _ = output::print(&format!("{}\n", nboard::print::status(&format!("{error:#}"))));
    })?;
    serve(LineReader::stdin(), options, args.session.library(), args.session.session_options())
}

/// Speaks NBoard with lines from `reader`.
pub fn serve(
    reader: LineReader,
    options: Options,
    library: Library,
    session: SessionOptions,
) -> Result<ExitCode> {
    nboard::run(reader, LineWriter::stdout(), options, library, session).context("NBoard session")?;
    Ok(ExitCode::SUCCESS)
}
