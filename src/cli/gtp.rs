//! `emilia gtp`.

use std::process::ExitCode;

use anyhow::{Context, Result};

use super::{SessionArgs, logging, output};
use crate::engine::Options;
use crate::protocols::console::{LineReader, LineWriter};
use crate::protocols::driver::SessionOptions;
use crate::protocols::gtp;
use crate::protocols::library::Library;

/// Arguments of `emilia gtp`.
#[derive(clap::Args)]
#[command(after_help = "\
In Quarry: Preferences > GTP engines > Add, command `/path/to/emilia gtp`.
In GoGui: Program > New program, command `/path/to/emilia gtp`; it plays Othello by our rules.
How weakly it plays is set by --elo, or by --vision and --judgement; while it runs
by `emilia-param elo 900` and so on.
The command lines with which match tools start Edax and Egaroucid are understood.

Examples:
  emilia gtp --level 20
  emilia gtp --move-time 2
  emilia gtp --elo 900
  emilia -gtp -q -level 8 -n-tasks 2 -ponder off -book-usage off
  printf 'genmove b\\nshowboard\\n' | emilia gtp --batch")]
pub struct Args {
    /// The session.
    #[command(flatten)]
    pub session: SessionArgs,
}

/// Speaks GTP until `quit` or the end of input.
pub fn run(args: &Args) -> Result<ExitCode> {
    let options = args.session.prepare()?;
    serve(LineReader::stdin(), options, args.session.library(), args.session.session_options())
}

/// Speaks GTP with lines from `reader`; a level asked for bounds searches under a clock too.
pub fn serve(
    reader: LineReader,
    options: Options,
    library: Library,
    session: SessionOptions,
) -> Result<ExitCode> {
    logging::complain();
    if let Some(notice) = library.notice() {
        // The log may be a file.
        log::info!("{notice}");
        output::message(notice);
    }
    gtp::run(reader, LineWriter::stdout(), options, library, session).context("GTP session")?;
    Ok(ExitCode::SUCCESS)
}
