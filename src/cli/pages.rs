//! `emilia completions` and `emilia man`: files for shells and packages, made from the definition of the command line.

use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use clap::Command;
use clap_complete::Shell;

use super::{command, output};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia completions bash >emilia.bash
  . ./emilia.bash

Other shells:
  fish: completions/emilia.fish in its folder of settings
  zsh: a file `_emilia` in a folder of $fpath, before compinit
  PowerShell: run the file in $PROFILE")]
pub struct CompletionsArgs {
    /// Shell: bash, elvish, fish, powershell or zsh.
    #[arg(value_enum, hide_possible_values = true)]
    shell: Shell,
}

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia man >emilia.1
  emilia man book grow >emilia-book-grow.1")]
pub struct ManArgs {
    /// Words of the command [default: the page of the program, which names all others].
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

/// Prints the script with which a shell completes commands and options.
pub fn completions(args: &CompletionsArgs) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "emilia", &mut script);
    output::print(&String::from_utf8(script).context("the script is no text")?)
}

/// Prints the manual page of a command.
pub fn man(args: &ManArgs) -> Result<ExitCode> {
    // A page names the commands below it, and `help` has no page.
    let mut below = command().disable_help_subcommand(true);
    below.build();
    for word in &args.words {
        below = find(&below, word).ok_or_else(|| {
            let names: Vec<_> = shown(&below).map(Command::get_name).collect();
            let expected = if names.is_empty() {
                "no further word".to_owned()
            } else {
                format!("one of {}", names.join(", "))
            };
            anyhow!("no manual page of `{word}`: expected {expected}")
        })?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(below).render(&mut page)?;
    output::print(&laid_out(
        &String::from_utf8(page).context("the page is no text")?,
    ))
}

fn find(command: &Command, word: &str) -> Option<Command> {
    shown(command)
        .find(|below| below.get_name() == word)
        .cloned()
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command
        .get_subcommands()
        .filter(|below| !below.is_hide_set())
}

/// The text below the options begins at the left edge, unchanged: it fits 80 columns, and its examples can be pasted.
fn laid_out(page: &str) -> String {
    page.replacen(".SH NAME\n", ".nh\n.ad l\n.SH NAME\n", 1)
        .replacen(".SH EXTRA\n", ".SH NOTES\n.nf\n.in 0\n", 1)
        .replacen(".SH VERSION\n", ".fi\n.SH VERSION\n", 1)
}
