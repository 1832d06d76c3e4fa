//! The file of a match: a line of GGF for each game, on the disk before the next result counts.
//!
//! A killed match leaves at most half a line at its end: resuming cuts it off and plays that game again.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::str;

use anyhow::{Context, Result, ensure};

use super::log::{LoggedGame, Summary, read_game};
use crate::notation::ggf::GgfGame;
use crate::util::append_file::NamedFile;
use crate::util::input_file::{self, read_line};
use crate::util::target::Existing;

/// Longest line of a game, in bytes.
const LONGEST: usize = 1 << 16;
/// The begin of each game.
const BEGIN: &[u8] = b"(;GM[Othello]PC[emilia match]";

/// Continues a file, which may be missing; also returns its games.
///
/// # Errors
/// When it cannot be read or another process writes it; when a line is no game, a game for the second time, or refused by
/// `check`. The file does not change then.
pub fn resume(
    path: &Path,
    check: impl Fn(&LoggedGame) -> Result<()>,
) -> Result<(NamedFile, BTreeMap<usize, Summary>)> {
    let context = || format!("resuming {}", path.display());
    let file = NamedFile::open(path, Existing::Continue)?;
    let check = |logged| check(&logged).map(|()| logged.summary);
    let (games, whole) = read_games(file.reader()?, path, check)?;
    file.keep(whole).with_context(context)?;
    Ok((file, games))
}

/// The games of a finished or killed match.
///
/// # Errors
/// As [`resume`], and when the file has no game.
pub fn read(path: &Path) -> Result<Vec<LoggedGame>> {
    let file = input_file::open(path).with_context(|| format!("reading {}", path.display()))?;
    let (games, _) = read_games(BufReader::new(file), path, Ok)?;
    ensure!(!games.is_empty(), "{}: no games", path.display());
    Ok(games.into_values().collect())
}

/// The games that `take` accepts, by their numbers, and the length of their lines.
fn read_games<T>(
    mut reader: impl BufRead,
    path: &Path,
    take: impl Fn(LoggedGame) -> Result<T>,
) -> Result<(BTreeMap<usize, T>, u64)> {
    let mut games = BTreeMap::new();
    let mut whole = 0;
    let mut line = Vec::new();
    for number in 1.. {
        let is_long = read_line(&mut reader, LONGEST, &mut line)
            .with_context(|| format!("reading {}", path.display()))?;
        let read = || -> Result<Option<(usize, T)>> {
            ensure!(!is_long, "no game: a line of more than {LONGEST} bytes");
            let Some(line) = line.strip_suffix(b"\n") else {
                ensure!(is_torn(&line), "no game, and no part of one");
                return Ok(None);
            };
            let logged = read_game(str::from_utf8(line)?)?;
            let game = logged.summary.game;
            let taken = take(logged)?;
            ensure!(!games.contains_key(&game), "game {game} occurs twice");
            Ok(Some((game, taken)))
        };
        let place = || format!("line {number} of {}", path.display());
        let Some((game, taken)) = read().with_context(place)? else {
            break;
        };
        games.insert(game, taken);
        whole += line.len() as u64;
    }
    Ok((games, whole))
}

/// Whether it is the part of a line that a killed match leaves; nothing is one, too.
fn is_torn(line: &[u8]) -> bool {
    BEGIN.starts_with(&line[..line.len().min(BEGIN.len())])
}

/// Appends a game and waits for the disk.
pub fn append(file: &NamedFile, game: &GgfGame) -> Result<()> {
    file.append(format!("{game}\n").as_bytes())?;
    Ok(file.sync()?)
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;
    use crate::tournament::matches::log::tests::lines;
    use tempfile::TempDir;

    fn resumed(path: &Path) -> Result<(NamedFile, BTreeMap<usize, Summary>)> {
        resume(path, |_| Ok(()))
    }

    #[test]
    fn a_file_cut_at_any_byte_loses_at_most_one_game() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.ggf");
        let games = lines();
        let file = NamedFile::open(&path, Existing::Refuse).unwrap();
        games.iter().for_each(|game| append(&file, game).unwrap());
        assert!(NamedFile::open(&path, Existing::Refuse).is_err());
        drop(file);
        let bytes = std::fs::read(&path).unwrap();
        for length in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let (file, known) = resumed(&path).unwrap();
            let complete = bytes[..length]
                .iter()
                .filter(|&&byte| byte == b'\n')
                .count();
            assert_eq!(
                known.keys().copied().collect::<Vec<_>>(),
                (0..complete).collect::<Vec<_>>()
            );
            assert_eq!(
                std::fs::metadata(&path).unwrap().len(),
                bytes[..length]
                    .iter()
                    .rposition(|&byte| byte == b'\n')
                    .map_or(0, |end| end as u64 + 1)
            );
            // Every append waits for the disk: at the ends of lines and some places between is enough.
            if length % 100 == 0 || bytes[..length].last() == Some(&b'\n') {
                games[complete..]
                    .iter()
                    .for_each(|game| append(&file, game).unwrap());
                assert_eq!(std::fs::read(&path).unwrap(), bytes, "cut at {length}");
            }
        }
    }

    #[test]
    fn a_file_has_each_game_once_and_nothing_else() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.ggf");
        let file = NamedFile::open(&path, Existing::Refuse).unwrap();
        append(&file, &lines()[0]).unwrap();
        drop(file);
        let (file, games) = resumed(&path).unwrap();
        assert_eq!(games.len(), 1);
        append(&file, &lines()[0]).unwrap();
        drop(file);
        let error = format!("{:#}", resumed(&path).unwrap_err());
        assert!(
            error.contains("line 2 of") && error.contains("game 0 occurs twice"),
            "{error}"
        );
        let refused = resume(&path, |logged| bail!("not {}", logged.identity));
        assert!(format!("{:#}", refused.unwrap_err()).contains("not seed=1 depth=2"));
        let endless = "(".repeat(1 << 20);
        for foreign in ["rubbish\n", "my notes", "(;GM[Othello]PC[x", &endless] {
            std::fs::write(&path, foreign).unwrap();
            assert!(format!("{:#}", resumed(&path).unwrap_err()).contains("line 1"));
            assert_eq!(std::fs::read(&path).unwrap(), foreign.as_bytes());
        }
    }
}
