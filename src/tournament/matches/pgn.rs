//! The games of a match once more as PGN, beside the game file and made from its lines: whatever a killed match left of
//! it is mended when the match goes on.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::notation::ggf::GgfGame;
use crate::notation::ggf_record;
use crate::notation::pgn::write_pgn;
use crate::util::os::files;

/// A PGN file that is being written.
#[derive(Debug)]
pub struct PgnFile {
    file: File,
    path: PathBuf,
}

impl PgnFile {
    /// A new file.
    ///
    /// # Errors
    /// When it exists already.
    pub fn create(path: &Path) -> Result<Self> {
        let context = || format!("creating {}", path.display());
        let file = OpenOptions::new().append(true).create_new(true).open(path).with_context(context)?;
        files::lock(&file).with_context(context)?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Goes on with a file, which need not exist yet: what it lacks of these lines of a game file is added.
    ///
    /// # Errors
    /// When it cannot be read or written, or holds anything else: it is as it was then.
    pub fn resume(path: &Path, lines: &str) -> Result<Self> {
        let context = || format!("resuming {}", path.display());
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(path).with_context(context)?;
        files::lock(&file).with_context(context)?;
        let (mut wanted, mut found) = (Vec::new(), Vec::new());
        for line in lines.lines() {
            wanted.extend(pgn_of(&GgfGame::parse(line)?).into_bytes());
        }
        file.read_to_end(&mut found).with_context(context)?;
        ensure!(
            wanted.starts_with(&found),
            "{} holds other games than those of the match so far: name a new file, which will get them all",
            path.display()
        );
        let mut resumed = Self { file, path: path.to_owned() };
        resumed.write(&wanted[found.len()..])?;
        Ok(resumed)
    }

    /// Appends a game; the game file is its memory, so that nothing waits for the disk.
    ///
    /// # Errors
    /// When the disk is full or the like.
    pub fn append(&mut self, game: &GgfGame) -> Result<()> {
        self.write(pgn_of(game).as_bytes())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).with_context(|| format!("writing {}", self.path.display()))
    }
}

/// The game with an empty line behind it.
fn pgn_of(game: &GgfGame) -> String {
    write_pgn(&ggf_record(game)) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::pgn::parse_games;
    use tempfile::TempDir;

    const LINES: &str = "\
(;GM[Othello]PC[emilia match]DT[2026.11.20_10:25:01.UTC]PB[a]PW[b]RE[-64.00:r]TI[1:00]CO[match x=1; game 0; plies 2; end resigned black]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5]W[d6];)
(;GM[Othello]PC[emilia match]DT[2026.11.20_10:25:02.UTC]PB[b]PW[a]RE[+12.00]TI[1:00]CO[match x=1; game 1; plies 2; end adjudicated]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5]W[d6]B[c3];)
";

    #[test]
    fn games_have_their_tags_and_results() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.pgn");
        let mut file = PgnFile::create(&path).unwrap();
        LINES.lines().for_each(|line| file.append(&GgfGame::parse(line).unwrap()).unwrap());
        let text = std::fs::read_to_string(&path).unwrap();
        for part in ["[Date \"2026.11.20\"]", "[Time \"10:25:01.UTC\"]", "resignation", "adjudication"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let games = parse_games(&text).unwrap();
        let told = |index: usize| ggf_record(&GgfGame::parse(LINES.lines().nth(index).unwrap()).unwrap());
        for (index, game) in games.iter().enumerate() {
            assert_eq!((game.result().winner(), game.result().how), {
                let result = told(index).result();
                (result.winner(), result.how)
            });
            assert_eq!((&game.game, &game.black), (&told(index).game, &told(index).black));
        }
        assert!(PgnFile::create(&path).is_err(), "nobody's games are overwritten");
    }

    #[test]
    fn a_file_cut_at_any_byte_is_mended() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.pgn");
        drop(PgnFile::resume(&path, LINES).unwrap());
        let whole = std::fs::read(&path).unwrap();
        for length in (0..whole.len()).step_by(37) {
            std::fs::write(&path, &whole[..length]).unwrap();
            drop(PgnFile::resume(&path, LINES).unwrap());
            assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {length}");
        }
        let first = LINES.lines().next().unwrap();
        let error = PgnFile::resume(&path, first).unwrap_err().to_string();
        assert!(error.contains("games.pgn holds other games"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }
}
