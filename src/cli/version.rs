//! `emilia version`.

use std::process::ExitCode;

use anyhow::{Context, Result};

use super::book_args::BookFileArgs;
use super::output;
use crate::eval::{Evaluator, Weights};
use crate::util::cpu;

#[derive(clap::Args)]
#[command(after_help = "\
Example:
  emilia version")]
pub struct Args {}

/// `settings` are the options of the settings file and their source.
pub fn run(settings: &str) -> Result<ExitCode> {
    let features = cpu::built_for();
    let features = if features.is_empty() {
        "baseline".to_owned()
    } else {
        features.join(" ")
    };
    let profile = if cfg!(debug_assertions) {
        "with debug assertions"
    } else {
        "optimized"
    };
    let version = env!("EMILIA_VERSION");
    let network = crate::eval::kernel_name();
    let (kernels, reason) = crate::board::level::name_and_reason();
    let arch = std::env::consts::ARCH;
    let system = std::env::consts::OS;
    let weights = Weights::embedded_name().context("reading the embedded weights")?;
    let eval = Evaluator::load(None, None)
        .context("reading the embedded weights")?
        .kind();
    let book = book();
    output::print(&format!(
        "emilia {version}\n\
         build    {arch} {system}, {profile}\n\
         needs    {features}\n\
         kernels  {kernels} ({reason}), network {network}\n\
         eval     {eval}\n\
         weights  {weights}\n\
         settings {settings}\n\
         book     {book}\n"
    ))
}

/// The book that a session plays from where no option names one, or why it does not.
fn book() -> String {
    match BookFileArgs::default().opening() {
        Ok(None) => "none".to_owned(),
        Ok(Some(opening)) => {
            let file = opening.book().base();
            format!(
                "{}, {} positions",
                file.path().display(),
                file.header().positions
            )
        }
        Err(error) => format!("none: {error}"),
    }
}
