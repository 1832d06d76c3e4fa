//! The lines of earlier sessions, in a file that only grows.
//!
//! The first line is [`MARK`]. Each other line is one that was typed, a line end in it as `\n` and a backslash as `\\`.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::util::input_file;

const MARK: &str = "#V2\n";
/// The end of a larger file is read.
const MOST_BYTES: u64 = 1 << 18;

/// A file of typed lines.
pub struct History {
    path: PathBuf,
    /// The last line, which is not written again.
    last: String,
}

impl History {
    /// The history in a file, and its lines, the earliest first. A missing file is an empty history.
    ///
    /// # Errors
    /// When the file cannot be read, or is no history.
    pub fn open(path: &Path) -> io::Result<(Self, Vec<String>)> {
        let text = match read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            text => text?,
        };
        let lines: Vec<String> = text.lines().map(unescaped).collect();
        let history = Self {
            path: path.to_owned(),
            last: lines.last().cloned().unwrap_or_default(),
        };
        Ok((history, lines))
    }

    /// Adds a line at the end of the file, unless it is empty or the last one.
    pub fn add(&mut self, line: &str) -> io::Result<()> {
        if line.is_empty() || line == self.last {
            return Ok(());
        }
        line.clone_into(&mut self.last);
        let folder = self.path.parent();
        folder.map_or(Ok(()), fs::create_dir_all)?;
        let mut options = File::options();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.path)?;
        let mark = if file.metadata()?.len() == 0 {
            MARK
        } else {
            ""
        };
        let text = format!("{mark}{}\n", escaped(line));
        file.write_all(text.as_bytes())
    }
}

/// The last whole lines of a history.
fn read(path: &Path) -> io::Result<String> {
    let mut file = input_file::open(path)?;
    let length = file.metadata()?.len();
    let mut mark = Vec::new();
    (&file).take(MARK.len() as u64).read_to_end(&mut mark)?;
    if length > 0 && mark != MARK.as_bytes() {
        let text = "a file that is no history of `emilia play`; name another file or `off`";
        return Err(io::Error::new(ErrorKind::InvalidData, text));
    }
    let start = length.saturating_sub(MOST_BYTES);
    if start > mark.len() as u64 {
        file.seek(SeekFrom::Start(start))?;
    }
    let bytes = input_file::read_up_to(file.take(MOST_BYTES), MOST_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    let is_cut = start > mark.len() as u64;
    let whole = text.split_once('\n').filter(|_| is_cut);
    Ok(whole.map_or(&*text, |(_, rest)| rest).to_owned())
}

fn escaped(line: &str) -> String {
    line.replace('\\', "\\\\").replace('\n', "\\n")
}

fn unescaped(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        match (sign, sign == '\\') {
            (_, true) => text.extend(
                signs
                    .next()
                    .map(|sign| if sign == 'n' { '\n' } else { sign }),
            ),
            (sign, false) => text.push(sign),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::util::testing::file_in;

    #[test]
    fn lines_come_back_and_the_file_only_grows() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("state/history");
        let (mut history, lines) = History::open(&path).unwrap();
        assert!(lines.is_empty() && !path.exists());
        let typed = ["f5", "load C:\\new", "(;GM[Othello]\nB[f5];)", "d6"];
        for line in ["f5", "f5", "", typed[1], typed[2], typed[3]] {
            history.add(line).unwrap();
        }
        assert_eq!(History::open(&path).unwrap().1, typed);
        let before = fs::read(&path).unwrap();
        let many = "hint 3\n".repeat(MOST_BYTES as usize / 7);
        fs::write(&path, [&before[..], many.as_bytes()].concat()).unwrap();
        let (mut history, lines) = History::open(&path).unwrap();
        assert!(lines.len() > 1000 && lines.iter().all(|line| line == "hint 3" || *line == "d6"));
        history.add("undo").unwrap();
        let after = fs::read_to_string(&path).unwrap();
        assert!(after.starts_with(MARK) && after.ends_with("hint 3\nundo\n"));
        assert_eq!(after.len(), before.len() + many.len() + "undo\n".len());
    }

    #[test]
    fn another_file_is_refused() {
        let folder = TempDir::new().unwrap();
        for text in ["my line 1\nmy line 2\n", "#V", "#V3\n", "\u{feff}#V2\n"] {
            let path = file_in(&folder, "mine.txt", text);
            let error = History::open(&path).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains("no history"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert!(History::open(folder.path()).is_err(), "a folder");
    }
}
