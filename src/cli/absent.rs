//! The commands of the feature `lab` in a build without it.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Result, bail};

/// Any arguments.
#[derive(clap::Args)]
pub struct Args {
    /// The words of the command line.
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

/// Refuses the command.
///
/// # Errors
/// Always: names the feature.
pub fn refuse(command: &str) -> Result<ExitCode> {
    bail!("this build has no `{command}`: build it with `cargo build --release --features lab`")
}
