//! The files of a match, each with one writer: a line of GGF for each game, on the disk before the next result counts, and
//! the same games as PGN.
//!
//! A killed match leaves at most half a line at the end of the GGF file: resuming cuts it off, plays that game again and
//! completes the PGN file.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::log::{LoggedGame, Summary, read_game};
use crate::notation::ggf::GgfGame;
use crate::notation::ggf_record;
use crate::notation::pgn::write_pgn;
use crate::util::append_file::{AppendFile, whole_lines};
use crate::util::target::Existing;

/// A file whose errors name it.
#[derive(Debug)]
pub struct MatchFile {
    file: AppendFile,
    path: PathBuf,
}

impl MatchFile {
    /// Opens or makes the file, by the rule for existing files.
    pub fn open(path: &Path, existing: Existing) -> Result<Self> {
        let file = AppendFile::open(path, existing).with_context(|| format!("opening {}", path.display()))?;
        Ok(Self { file, path: path.to_owned() })
    }

    fn read(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.file.reader().and_then(|mut reader| reader.read_to_end(&mut bytes));
        read.with_context(|| format!("reading {}", self.path.display()))?;
        Ok(bytes)
    }

    /// Appends; nothing waits for the disk.
    pub fn append(&self, bytes: &[u8]) -> Result<()> {
        self.file.append(bytes).with_context(|| format!("writing {}", self.path.display()))
    }
}

#[derive(Debug)]
pub struct GameFiles {
    ggf: Option<MatchFile>,
    pgn: Option<MatchFile>,
}

impl GameFiles {
    /// Empty files.
    ///
    /// # Errors
    /// When one exists and is not to be replaced, or cannot be made.
    pub fn create(ggf: Option<&Path>, pgn: Option<&Path>, existing: Existing) -> Result<Self> {
        let open = |path| MatchFile::open(path, existing);
        let made = ggf.map(open).transpose()?;
        let pgn = pgn.map(open).transpose().inspect_err(|_| {
            // No game was played: the new file must not stop the next attempt.
            ggf.iter().for_each(|path| drop(std::fs::remove_file(path)));
        })?;
        Ok(Self { ggf: made, pgn })
    }

    /// Continues files, which may be missing; also returns the games of the GGF file.
    ///
    /// # Errors
    /// When a file cannot be read or another process writes it; when a line of GGF is no game, a game for the second time, or
    /// refused by `check`; when the PGN file holds other games. The files do not change then.
    pub fn resume(
        ggf: &Path,
        pgn: Option<&Path>,
        check: impl Fn(&LoggedGame) -> Result<()>,
    ) -> Result<(Self, BTreeMap<usize, Summary>)> {
        let context = || format!("resuming {}", ggf.display());
        let file = MatchFile::open(ggf, Existing::Continue)?;
        let bytes = file.read()?;
        let whole = whole_lines(&bytes[..], |_| io::Result::Ok(()))?;
        let text = std::str::from_utf8(&bytes[..whole as usize]).with_context(context)?;
        let mut games = BTreeMap::new();
        for (number, line) in text.lines().enumerate() {
            let read = || -> Result<Summary> {
                let logged = read_game(line)?;
                check(&logged)?;
                let game = logged.summary.game;
                ensure!(!games.contains_key(&game), "game {game} occurs twice");
                Ok(logged.summary)
            };
            let summary = read().with_context(|| format!("line {} of {}", number + 1, ggf.display()))?;
            games.insert(summary.game, summary);
        }
        let pgn = pgn.map(|path| resume_pgn(path, text)).transpose()?;
        file.file.keep(whole).with_context(context)?;
        Ok((Self { ggf: Some(file), pgn }, games))
    }

    pub fn append(&self, game: &GgfGame) -> Result<()> {
        if let Some(ggf) = &self.ggf {
            ggf.append(format!("{game}\n").as_bytes())?;
            ggf.file.sync().with_context(|| format!("writing {}", ggf.path.display()))?;
        }
        self.pgn.as_ref().map_or(Ok(()), |pgn| pgn.append(pgn_of(game).as_bytes()))
    }
}

/// Continues a PGN file: adds the missing ones of these lines of GGF.
fn resume_pgn(path: &Path, lines: &str) -> Result<MatchFile> {
    let file = MatchFile::open(path, Existing::Continue)?;
    let mut wanted = String::new();
    for line in lines.lines() {
        wanted += &pgn_of(&GgfGame::parse(line)?);
    }
    let found = file.read()?;
    ensure!(
        wanted.as_bytes().starts_with(&found),
        "{} holds other games than those of the match so far: name a new file, which will get them all",
        path.display()
    );
    file.append(&wanted.as_bytes()[found.len()..])?;
    Ok(file)
}

fn pgn_of(game: &GgfGame) -> String {
    write_pgn(&ggf_record(game)) + "\n"
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;
    use crate::notation::pgn::parse_games;
    use crate::tournament::matches::log::tests::lines;
    use tempfile::TempDir;

    fn resume(path: &Path) -> Result<(GameFiles, BTreeMap<usize, Summary>)> {
        GameFiles::resume(path, None, |_| Ok(()))
    }

    #[test]
    fn a_file_cut_at_any_byte_loses_at_most_one_game() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.ggf");
        let games = lines();
        let file = GameFiles::create(Some(&path), None, Existing::Refuse).unwrap();
        games.iter().for_each(|game| file.append(game).unwrap());
        assert!(GameFiles::create(Some(&path), None, Existing::Refuse).is_err());
        drop(file);
        let bytes = std::fs::read(&path).unwrap();
        for length in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let (file, known) = resume(&path).unwrap();
            let complete = bytes[..length].iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(known.keys().copied().collect::<Vec<_>>(), (0..complete).collect::<Vec<_>>());
            assert_eq!(
                std::fs::metadata(&path).unwrap().len(),
                bytes[..length].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end as u64 + 1)
            );
            // Every append waits for the disk: at the ends of lines and some places between is enough.
            if length % 100 == 0 || bytes[..length].last() == Some(&b'\n') {
                games[complete..].iter().for_each(|game| file.append(game).unwrap());
                assert_eq!(std::fs::read(&path).unwrap(), bytes, "cut at {length}");
            }
        }
    }

    #[test]
    fn a_file_has_each_game_once_and_nothing_else() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.ggf");
        let file = GameFiles::create(Some(&path), None, Existing::Refuse).unwrap();
        file.append(&lines()[0]).unwrap();
        drop(file);
        let (file, games) = resume(&path).unwrap();
        assert_eq!(games.len(), 1);
        file.append(&lines()[0]).unwrap();
        drop(file);
        let error = format!("{:#}", resume(&path).unwrap_err());
        assert!(error.contains("line 2 of") && error.contains("game 0 occurs twice"), "{error}");
        let refused = GameFiles::resume(&path, None, |logged| bail!("not {}", logged.identity));
        assert!(format!("{:#}", refused.unwrap_err()).contains("not seed=1 depth=2"));
        std::fs::write(&path, "rubbish\n").unwrap();
        assert!(format!("{:#}", resume(&path).unwrap_err()).contains("line 1"));
        assert_eq!(std::fs::read(&path).unwrap(), b"rubbish\n", "damage stays");
    }

    const LINES: &str = "\
(;GM[Othello]PC[emilia match]DT[2026.11.20_10:25:01.UTC]PB[a]PW[b]RE[-64.00:r]TI[1:00]CO[match x=1; game 0; plies 2; end resigned black]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5]W[d6];)
(;GM[Othello]PC[emilia match]DT[2026.11.20_10:25:02.UTC]PB[b]PW[a]RE[+12.00]TI[1:00]CO[match x=1; game 1; plies 2; end adjudicated]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5]W[d6]B[c3];)
";

    #[test]
    fn a_cut_pgn_is_completed() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.pgn");
        let file = GameFiles::create(None, Some(&path), Existing::Refuse).unwrap();
        let lines: Vec<GgfGame> = LINES.lines().map(|line| GgfGame::parse(line).unwrap()).collect();
        lines.iter().for_each(|game| file.append(game).unwrap());
        let text = std::fs::read_to_string(&path).unwrap();
        for part in ["[Date \"2026.11.20\"]", "[Time \"10:25:01.UTC\"]", "resignation", "adjudication"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        for (game, line) in parse_games(&text).unwrap().iter().zip(&lines) {
            let record = ggf_record(line);
            let result = |result: crate::notation::GameResult| (result.winner(), result.how);
            assert_eq!(result(game.result()), result(record.result()));
            assert_eq!((&game.game, &game.black), (&record.game, &record.black));
        }
        drop(file);
        assert!(GameFiles::create(None, Some(&path), Existing::Refuse).is_err());
        for length in (0..text.len()).step_by(37) {
            std::fs::write(&path, &text[..length]).unwrap();
            drop(resume_pgn(&path, LINES).unwrap());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "cut at {length}");
        }
        let error = resume_pgn(&path, LINES.lines().next().unwrap()).unwrap_err().to_string();
        assert!(error.contains("games.pgn holds other games"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}
