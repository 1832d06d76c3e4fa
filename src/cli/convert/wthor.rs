//! Files of the WTHOR base: games, and the files with the names of players and tournaments.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::cli::input::{name_files, names_beside, read_names};
use crate::cli::output::{self, OutputError};
use crate::notation::formats::wthor::{Beside, Collection, Whole};
use crate::notation::wthor::{NameFile, NameKind, Names};
use crate::util::file::Replacement;
use crate::util::input_file;
use crate::util::target::{Existing, Target};

/// The bytes of the file of these games, and the files that get their places after it. These hold the names that the
/// folder of `output` lacks and have the name of `output`: a shared file such as `WTH.JOU` never changes.
///
/// # Errors
/// When `existing` refuses a file of names that needs a change, or one cannot be written.
pub fn finish(
    games: Collection,
    output: Option<&Path>,
    existing: Existing,
) -> Result<(Vec<u8>, Vec<Replacement>)> {
    // A device has no files beside it.
    let path = output.filter(|path| !matches!(Target::of(path), Ok(Target::Stream(_))));
    let Some(path) = path else {
        if games.needs_names() {
            output::message(
                "names of players and tournaments need --output: they go into files in its folder",
            );
        }
        return Ok((report(games.finish(None)?), Vec::new()));
    };
    let [jou, trn] = [own_file(path, "JOU"), own_file(path, "TRN")];
    let read = |path: &Path, kind| match path.exists() {
        true => read_names(path, kind),
        false => Ok(NameFile::default()),
    };
    let own = Names {
        players: read(&jou, NameKind::Players)?,
        tournaments: read(&trn, NameKind::Tournaments)?,
    };
    let has_own = jou.exists() || trn.exists();
    let beside = Beside {
        found: names_beside(path)?,
        own: has_own.then_some(own),
    };
    let whole = games.finish(Some(beside))?;
    let mut files = Vec::new();
    if let Some(Names {
        players,
        tournaments,
    }) = &whole.names
    {
        for (path, names, kind) in [
            (&jou, players, NameKind::Players),
            (&trn, tournaments, NameKind::Tournaments),
        ] {
            let bytes = names.to_bytes(kind)?;
            let found = input_file::read(path, bytes.len() as u64);
            let is_same = found.is_ok_and(|found| found == bytes);
            if !is_same {
                files.push(written(path, existing, &bytes)?);
            }
        }
    }
    Ok((report(whole), files))
}

/// A file of names that is written and has no place yet.
fn written(path: &Path, existing: Existing, bytes: &[u8]) -> Result<Replacement, OutputError> {
    let write = || {
        let mut file = Replacement::create(path, existing)?;
        file.write_all(bytes)?;
        file.prepare()?;
        Ok(file)
    };
    write().map_err(|error| OutputError::of_file(path, error))
}

/// Refuses an output with the ending of a file of names.
pub fn check_name(path: &Path) -> Result<()> {
    let ending = path.extension().unwrap_or_default();
    ensure!(
        !["JOU", "TRN"]
            .iter()
            .any(|names| ending.eq_ignore_ascii_case(names)),
        "{}: .jou and .trn are for files of names; give the output another ending, such as .wtb",
        path.display()
    );
    Ok(())
}

/// The bytes; the notes of the header go to stderr.
fn report(whole: Whole) -> Vec<u8> {
    whole.notes.iter().for_each(output::message);
    whole.bytes
}

/// The name file with the name of `path`: one that exists, in any case of its ending, or a new one.
fn own_file(path: &Path, ending: &str) -> PathBuf {
    let found = name_files(path, ending)
        .into_iter()
        .find(|found| found.file_stem() == path.file_stem());
    found.unwrap_or_else(|| path.with_extension(ending))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::cli::input::Entry;
    use crate::cli::input::testing::{args, entries};
    use crate::notation::formats::GGF;
    use crate::notation::pgn::PGN;
    use crate::notation::sgf::SGF;
    use crate::notation::wthor::{GameFile, GameRecord, Header};
    use crate::util::testing::file_in;
    use tempfile::TempDir;

    fn names(names: &[&str], kind: NameKind) -> Vec<u8> {
        let names = names.iter().map(ToString::to_string).collect();
        NameFile {
            names,
            ..NameFile::default()
        }
        .to_bytes(kind)
        .unwrap()
    }

    fn base(folder: &TempDir) -> PathBuf {
        let header = Header {
            created: [20, 26, 2, 18],
            year: 2020,
            board_size: 8,
            depth: 24,
            ..Header::default()
        };
        let game = |text, black, white, tournament, theoretical| {
            let record = GameRecord::from_record(entries(text)[0].record()).unwrap();
            GameRecord {
                black,
                white,
                tournament,
                theoretical,
                ..record
            }
        };
        let games = vec![game("f5d6c3", 2, 1, 1, 30), game("f5f6", 1, 2, 0, 32)];
        file_in(
            folder,
            "WTH.JOU",
            names(
                &["???", "Tastet Marc", "Penloup Dominique"],
                NameKind::Players,
            ),
        );
        file_in(
            folder,
            "WTH.TRN",
            names(
                &["Diverses parties", "World Championship"],
                NameKind::Tournaments,
            ),
        );
        file_in(
            folder,
            "WTH_2020.wtb",
            GameFile { header, games }.to_bytes().unwrap(),
        )
    }

    fn read(path: &Path) -> Vec<Entry> {
        args(&[path.to_str().unwrap()])
            .entries()
            .map(Result::unwrap)
            .collect()
    }

    fn write(entries: &[Entry], output: &Path) -> Vec<u8> {
        let mut collection = Collection::default();
        entries
            .iter()
            .for_each(|entry| collection.add(&entry.found).unwrap());
        let (bytes, names) = finish(collection, Some(output), Existing::Replace).unwrap();
        fs::write(output, &bytes).unwrap();
        names.into_iter().for_each(|file| file.commit().unwrap());
        bytes
    }

    fn facts(entry: &Entry) -> (String, String, String, String) {
        let record = entry.record().clone();
        let event = record.tags.get("Event").unwrap_or_default().to_owned();
        (record.black, record.white, event, record.date)
    }

    #[test]
    fn from_the_base_to_the_base_nothing_is_lost() {
        let folder = TempDir::new().unwrap();
        let path = base(&folder);
        assert_eq!(
            write(&read(&path), &folder.path().join("copy.wtb")),
            fs::read(&path).unwrap()
        );
        assert!(!folder.path().join("copy.JOU").exists());
        // In another folder the names come along.
        let other = TempDir::new().unwrap();
        let copy = other.path().join("copy.wtb");
        assert_eq!(write(&read(&path), &copy), fs::read(&path).unwrap());
        assert_eq!(
            read(&copy).iter().map(facts).collect::<Vec<_>>(),
            read(&path).iter().map(facts).collect::<Vec<_>>()
        );
    }

    #[test]
    fn names_years_and_records_come_back_from_every_notation() {
        let folder = TempDir::new().unwrap();
        let games = read(&base(&folder));
        for to in [GGF, SGF, PGN] {
            let text: String = games
                .iter()
                .map(|entry| to.write(&entry.found).unwrap())
                .collect();
            // The names of the folder are known; another folder gets them.
            let other = TempDir::new().unwrap();
            let again = folder.path().join(format!("{to}.wtb"));
            let alone = other.path().join("alone.wtb");
            for path in [&again, &alone] {
                write(&entries(&text), path);
                let want: Vec<_> = games.iter().map(facts).collect();
                assert_eq!(
                    read(path).iter().map(facts).collect::<Vec<_>>(),
                    want,
                    "{to}"
                );
            }
            let record = |entry: &Entry| {
                entry
                    .found
                    .wthor()
                    .map(|origin| (origin.record, origin.header.depth))
            };
            let want: Vec<_> = games.iter().map(record).collect();
            assert_eq!(
                read(&again).iter().map(record).collect::<Vec<_>>(),
                want,
                "{text}"
            );
            assert!(!folder.path().join(format!("{to}.JOU")).exists());
        }
    }

    #[test]
    fn a_new_name_is_added_without_renumbering_the_old() {
        let folder = TempDir::new().unwrap();
        let output = folder.path().join("mine.wtb");
        let pgn = |black: &str| {
            format!("[Black \"{black}\"]\n[White \"b\"]\n[Date \"2024.01.02\"]\n\n1. f5 *\n")
        };
        write(&entries(&pgn("a")), &output);
        let players = || {
            NameFile::parse(
                &fs::read(folder.path().join("mine.JOU")).unwrap(),
                NameKind::Players,
            )
            .unwrap()
        };
        assert_eq!(players().names, ["???", "a", "b"]);
        write(
            &entries(&pgn("A name of more than twenty letters")),
            &output,
        );
        assert_eq!(players().names, ["???", "a", "b", "A name of more than"]);
        assert_eq!(facts(&read(&output)[0]).3, "2024");
    }
}
