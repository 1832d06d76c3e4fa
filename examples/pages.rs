//! Writes the man pages and the shell completions of the `emilia` command into two folders.
//!
//! `cargo run --example pages -- FOLDER` fills `FOLDER/man` and `FOLDER/completions`.

use std::path::PathBuf;
use std::{env, fs, io};

use clap_complete::Shell;

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected one argument, the folder to fill"));
    };
    let (man, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&man)?;
    fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(emilia::cli::command(), man)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell] {
        clap_complete::generate_to(shell, &mut emilia::cli::command(), "emilia", &completions)?;
    }
    Ok(())
}
