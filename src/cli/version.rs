//! `emilia version`.

use std::process::ExitCode;

use anyhow::Result;

/// Arguments of `emilia version`.
#[derive(clap::Args)]
pub struct Args {}

/// Prints the build.
pub fn run(_args: &Args) -> Result<ExitCode> {
    println!("emilia {}", env!("CARGO_PKG_VERSION"));
    println!("built for: {}", crate::util::cpu::built_for().join(" "));
    Ok(ExitCode::SUCCESS)
}
