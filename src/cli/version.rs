//! `emilia version`.

use std::process::ExitCode;

use anyhow::{Context, Result};

use super::output;
use crate::eval::{Evaluator, Weights};
use crate::util::cpu;

/// Arguments of `emilia version`.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  emilia version")]
pub struct Args {}

/// Prints the build, the kernels it chose and the weights it carries.
pub fn run(_args: &Args) -> Result<ExitCode> {
    let features = cpu::built_for();
    let features = if features.is_empty() { "baseline".to_owned() } else { features.join(" ") };
    let profile = if cfg!(debug_assertions) { "with debug assertions" } else { "optimised" };
    let (version, kernels, network) =
        (env!("EMILIA_VERSION"), crate::board::KERNEL, crate::eval::kernel_name());
    let (arch, system) = (std::env::consts::ARCH, std::env::consts::OS);
    let weights = Weights::embedded_name().context("reading the embedded weights")?;
    let eval = Evaluator::load(None, None).context("reading the embedded weights")?.kind();
    output::print(&format!(
        "emilia {version}\n\
         build    {arch} {system}, {profile}\n\
         needs    {features}\n\
         kernels  {kernels}, network {network}\n\
         eval     {eval}\n\
         weights  {weights}\n"
    ))
}
