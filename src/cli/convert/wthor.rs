//! Files of the WTHOR base: the games, and the names of players and tournaments beside them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::cli::input::names_beside;
use crate::cli::output::{self, OutputError};
use crate::notation::formats::wthor::{Beside, Collection, Whole};
use crate::notation::wthor::{NameFile, NameKind, Names};
use crate::util::{file, input_file};

/// The bytes of the file of these games; the names that the folder of `output` lacks are written there, into files of
/// the same name: a shared one such as `WTH.JOU` is never touched.
///
/// # Errors
/// Name files that cannot be read or written, or more names than can be numbered.
pub fn finish(games: Collection, output: Option<&Path>) -> Result<Vec<u8>> {
    let Some(path) = output else {
        if games.needs_names() {
            output::message("names of players and tournaments need --output: they go into files beside it");
        }
        return tell(games.finish(None)?);
    };
    let own = [own_file(path, "JOU"), own_file(path, "TRN")];
    let read_own = || -> Result<Names> {
        let [players, tournaments] = &own;
        Ok(Names {
            players: read_names(players, NameKind::Players)?,
            tournaments: read_names(tournaments, NameKind::Tournaments)?,
        })
    };
    let has_own = own.iter().any(|path| path.exists());
    let beside = Beside {
        found: names_beside(path).map_err(anyhow::Error::msg)?,
        own: has_own.then(read_own).transpose()?,
    };
    let whole = games.finish(Some(beside))?;
    if let Some(Names { players, tournaments }) = &whole.names {
        let files = [(players, NameKind::Players), (tournaments, NameKind::Tournaments)];
        for (path, (names, kind)) in own.iter().zip(files) {
            let bytes = names.to_bytes(kind)?;
            file::replace(path, &bytes).map_err(|error| OutputError::of_file(path, error))?;
        }
    }
    tell(whole)
}

/// Refuses an output with the ending of a file of names, which belong beside it.
///
/// # Errors
/// When it has one.
pub fn check_name(path: &Path) -> Result<()> {
    let ending = path.extension().unwrap_or_default();
    ensure!(
        !["JOU", "TRN"].iter().any(|names| ending.eq_ignore_ascii_case(names)),
        "{}: .jou and .trn are for names beside the games; give the output another ending, such as .wtb",
        path.display()
    );
    Ok(())
}

/// The bytes; what the header cannot say is told on stderr.
fn tell(whole: Whole) -> Result<Vec<u8>> {
    whole.notes.iter().for_each(output::message);
    Ok(whole.bytes)
}

/// The name file that belongs to `path` alone: one that exists, whatever its case, or one to be made.
fn own_file(path: &Path, ending: &str) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_own = |found: &PathBuf| {
        found.file_stem() == path.file_stem()
            && found.extension().is_some_and(|found: &OsStr| found.eq_ignore_ascii_case(ending))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).find(is_own).unwrap_or_else(|| path.with_extension(ending))
}

/// The names in a file, none if there is no such file.
fn read_names(path: &Path, kind: NameKind) -> Result<NameFile> {
    if !path.exists() {
        return Ok(NameFile::default());
    }
    let read = input_file::read(path, NameFile::MAX_BYTES);
    let bytes = read.with_context(|| format!("reading {}", path.display()))?;
    NameFile::parse(&bytes, kind).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::input::Entry;
    use crate::cli::input::testing::{args, entries};
    use crate::notation::BitOrder;
    use crate::notation::formats::GGF;
    use crate::notation::pgn::PGN;
    use crate::notation::sgf::SGF;
    use crate::notation::wthor::{GameFile, GameRecord, Header};
    use crate::util::testing::file_in;
    use tempfile::TempDir;

    fn names(names: &[&str], kind: NameKind) -> Vec<u8> {
        let names = names.iter().map(ToString::to_string).collect();
        NameFile { names, ..NameFile::default() }.to_bytes(kind).unwrap()
    }

    /// A file of two games with its names, as the base has them.
    fn base(folder: &TempDir) -> PathBuf {
        let header =
            Header { created: [20, 26, 2, 18], year: 2020, board_size: 8, depth: 24, ..Header::default() };
        let game = |text, black, white, tournament, theoretical| {
            let record = GameRecord::from_game(&entries(text)[0].record().game).unwrap();
            GameRecord { black, white, tournament, theoretical, ..record }
        };
        let games = vec![game("f5d6c3", 2, 1, 1, 30), game("f5f6", 1, 2, 0, 32)];
        file_in(folder, "WTH.JOU", names(&["???", "Tastet Marc", "Penloup Dominique"], NameKind::Players));
        file_in(folder, "WTH.TRN", names(&["Diverses parties", "World Championship"], NameKind::Tournaments));
        file_in(folder, "WTH_2020.wtb", GameFile { header, games }.to_bytes().unwrap())
    }

    fn read(path: &Path) -> Vec<Entry> {
        args(&[path.to_str().unwrap()]).entries().map(Result::unwrap).collect()
    }

    /// Collects entries into `output`.
    fn write(entries: &[Entry], output: &Path) -> Vec<u8> {
        let mut collection = Collection::default();
        entries.iter().for_each(|entry| collection.add(&entry.found).unwrap());
        let bytes = finish(collection, Some(output)).unwrap();
        fs::write(output, &bytes).unwrap();
        bytes
    }

    fn told(entry: &Entry) -> (String, String, String, String) {
        let record = entry.record().clone();
        let event = record.tags.get("Event").unwrap_or_default().to_owned();
        (record.black, record.white, event, record.date)
    }

    #[test]
    fn from_the_base_to_the_base_nothing_is_lost() {
        let folder = TempDir::new().unwrap();
        let path = base(&folder);
        assert_eq!(write(&read(&path), &folder.path().join("copy.wtb")), fs::read(&path).unwrap());
        assert!(!folder.path().join("copy.JOU").exists());
        // In another folder the names come along.
        let other = TempDir::new().unwrap();
        let copy = other.path().join("copy.wtb");
        assert_eq!(write(&read(&path), &copy), fs::read(&path).unwrap());
        assert_eq!(
            read(&copy).iter().map(told).collect::<Vec<_>>(),
            read(&path).iter().map(told).collect::<Vec<_>>()
        );
    }

    #[test]
    fn names_and_year_come_back_from_pgn() {
        let folder = TempDir::new().unwrap();
        let games = read(&base(&folder));
        let text: String =
            games.iter().map(|entry| PGN.write(&entry.found, BitOrder::A1Lsb).unwrap()).collect();
        let known = folder.path().join("again.wtb");
        write(&entries(&text), &known);
        assert_eq!(read(&known)[0].found.wthor.as_ref().map(|origin| origin.record.black), Some(2));
        assert!(!folder.path().join("again.JOU").exists());
        let other = TempDir::new().unwrap();
        let alone = other.path().join("alone.wtb");
        write(&entries(&text), &alone);
        let want: Vec<_> = games.iter().map(told).collect();
        for path in [&known, &alone] {
            assert_eq!(read(path).iter().map(told).collect::<Vec<_>>(), want);
        }
    }

    #[test]
    fn what_wthor_tells_comes_back_from_every_notation() {
        let folder = TempDir::new().unwrap();
        let games = read(&base(&folder));
        for to in [GGF, SGF, PGN] {
            let text: String =
                games.iter().map(|entry| to.write(&entry.found, BitOrder::A1Lsb).unwrap()).collect();
            let again = folder.path().join(format!("{to}.wtb"));
            write(&entries(&text), &again);
            let record =
                |entry: &Entry| entry.found.wthor.as_ref().map(|origin| (origin.record, origin.header.depth));
            let want: Vec<_> = games.iter().map(record).collect();
            assert_eq!(read(&again).iter().map(record).collect::<Vec<_>>(), want, "{text}");
        }
    }

    #[test]
    fn a_new_name_is_added_without_renumbering_the_old() {
        let folder = TempDir::new().unwrap();
        let output = folder.path().join("mine.wtb");
        let pgn =
            |black: &str| format!("[Black \"{black}\"]\n[White \"b\"]\n[Date \"2024.01.02\"]\n\n1. f5 *\n");
        write(&entries(&pgn("a")), &output);
        let players = || {
            NameFile::parse(&fs::read(folder.path().join("mine.JOU")).unwrap(), NameKind::Players).unwrap()
        };
        assert_eq!(players().names, ["???", "a", "b"]);
        write(&entries(&pgn("A name of more than twenty letters")), &output);
        assert_eq!(players().names, ["???", "a", "b", "A name of more than"]);
        assert_eq!(told(&read(&output)[0]).3, "2024");
    }
}
