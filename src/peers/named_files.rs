//! The files that a command line names.

use std::path::{Path, PathBuf};

use super::process::{program_file, split_words};

/// The files of a command line that starts in `folder`: its program and those of its arguments.
pub fn files_of(command: &str, folder: Option<&Path>) -> Vec<PathBuf> {
    let words = split_words(command);
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let program = program_file(program, folder).into_iter();
    program.chain(files_among(arguments, folder)).collect()
}

/// The files that words name, as `FILE` or `--option=FILE`, seen from `folder`. A log is left out, since it changes in
/// each run: a file `*.log`, or one of an option with `log` in its name.
pub fn files_among(words: &[String], folder: Option<&Path>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut option = "";
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((option, word));
        let is_of_log = name.starts_with('-') && name.to_ascii_lowercase().contains("log");
        for text in [word.as_str(), value] {
            let path = folder.unwrap_or(Path::new("")).join(text);
            let is_log = is_of_log || path.extension().is_some_and(|ending| ending == "log");
            if path.is_file() && !is_log && !files.contains(&path) {
                files.push(path);
            }
        }
        option = word;
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_names_its_program_and_files() {
        let folder = tempfile::TempDir::new().unwrap();
        let names = ["run", "a.py", "b.dat", "c.log", "trace"];
        let _ = names.map(|name| std::fs::write(folder.path().join(name), name).unwrap());
        let found = |command: &str| -> Vec<String> {
            let files = files_of(command, Some(folder.path()));
            files
                .iter()
                .map(|path| path.file_name().unwrap().to_string_lossy().into())
                .collect()
        };
        assert_eq!(found("./run a.py"), ["run", "a.py"]);
        assert_eq!(found("./run --book=b.dat b.dat none ."), ["run", "b.dat"]);
        let logs = "./run c.log --log trace -LogFile=trace --log=a.py";
        assert_eq!(found(logs), ["run"]);
        let looked_up = found("sh a.py");
        assert_eq!(looked_up.last().unwrap(), "a.py");
        assert!(cfg!(windows) || looked_up.len() == 2, "{looked_up:?}");
        assert!(found("").is_empty());
    }
}
