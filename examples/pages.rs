//! Writes the man pages and the shell completions of the `emilia` command into two folders.
//!
//! `cargo run --example pages -- FOLDER` fills `FOLDER/man` and `FOLDER/completions`.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use clap_complete::Shell;

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "expected one argument, the folder to fill",
        ));
    };
    let (man, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&man)?;
    fs::create_dir_all(&completions)?;
    write_man_pages(&man)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell] {
        clap_complete::generate_to(shell, &mut emilia::cli::command(), "emilia", &completions)?;
    }
    Ok(())
}

/// Writes a man page for each command.
///
/// The text below the options begins at the left edge, unchanged, so that it fits 80 columns and examples paste.
///
/// # Errors
/// When the folder cannot be written.
pub fn write_man_pages(folder: &Path) -> io::Result<()> {
    clap_mangen::generate_to(emilia::cli::command(), folder)?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let page = fs::read_to_string(&path)?
            .replacen(".SH NAME\n", ".nh\n.ad l\n.SH NAME\n", 1)
            .replacen(".SH EXTRA\n", ".SH NOTES\n.nf\n.in 0\n", 1)
            .replacen(".SH VERSION\n", ".fi\n.SH VERSION\n", 1);
        fs::write(&path, page)?;
    }
    Ok(())
}
