use super::testing::{args, entries};
use super::*;
use crate::notation::formats::WTHOR;
use crate::notation::moves::write_moves;
use crate::notation::wthor::{GameFile, GameRecord, NameFile, NameKind};
use crate::util::testing::file_in;
use tempfile::TempDir;

/// A file of these bytes, as a command line names it.
fn file(folder: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> String {
    file_in(folder, name, bytes).to_str().unwrap().to_owned()
}

fn errors(inputs: &[&str]) -> Vec<String> {
    args(inputs)
        .entries()
        .filter_map(|item| item.err())
        .map(|error| error.to_string())
        .collect()
}

#[test]
fn all_games_of_all_files_are_read_and_numbered() {
    let folder = TempDir::new().unwrap();
    let sgf = file(
        &folder,
        "a.sgf",
        "(;FF[4]GM[2];B[f5])\n(;FF[4]GM[2];B[d3])(;FF[4]GM[2];B[c4])",
    );
    let pgn = file(
        &folder,
        "b.pgn",
        "[Black \"a\"]\n\n1. f5 d6 *\n\n[Black \"b\"]\n\n1. f5 f6 * [Black \"c\"] 1. d3 *",
    );
    let all: Vec<Entry> = args(&[&sgf, "f5", &pgn])
        .entries()
        .map(Result::unwrap)
        .collect();
    let numbers: Vec<_> = all
        .iter()
        .map(|entry| (entry.index, entry.place.number, entry.place.line))
        .collect();
    let want = [
        (1, 1, 1),
        (2, 2, 2),
        (3, 3, 2),
        (4, 1, 1),
        (5, 1, 1),
        (6, 2, 5),
        (7, 3, 7),
    ];
    assert_eq!(
        numbers,
        want.map(|(index, number, line)| (index, number, Some(line)))
    );
    assert_eq!(all[5].record().black, "b");
    assert_eq!(all[3].place.kind, Kind::Literal);
}

#[test]
fn skip_and_limit_choose_entries() {
    let chosen = |skip, limit| {
        let args = InputArgs {
            skip,
            limit,
            ..args(&["f5\nd3\nc4\ne6", "f5d6"])
        };
        args.entries()
            .map(|entry| entry.unwrap().index)
            .collect::<Vec<_>>()
    };
    assert_eq!(chosen(0, None), [1, 2, 3, 4, 5]);
    assert_eq!(chosen(3, None), [4, 5]);
    assert_eq!(chosen(1, Some(2)), [2, 3]);
    assert!(chosen(9, Some(u64::MAX)).is_empty());
}

#[test]
fn files_that_are_no_text_are_called_so() {
    let folder = TempDir::new().unwrap();
    for (name, bytes, what) in [
        ("noise", b"\x01\x02\0\x03noise" as &[u8], "a binary file"),
        (
            "a.bz2",
            b"BZh91AY&SY",
            "a packed file; unpack it first: bzip2 -dc",
        ),
        (
            "a.gz",
            b"\x1f\x8b\x08\0\0",
            "a gzip file that is damaged or cut short",
        ),
        (
            "a.zst",
            b"\x28\xb5\x2f\xfd\0",
            "a packed file; unpack it first: zstd -dc",
        ),
        ("b.txt", b"\xff\xfef\x005\0", "UTF-16 text"),
        ("book.dat", b"XADEKOOB\x03\x02", "a book of Edax"),
        (
            "mine",
            b"\x12\x34\x56\x78\0\0\0\0EMILIABK\0\0",
            "a book of Emilia",
        ),
        ("x.egbk3", b"DICUORAGE\x03\0", "a book of Egaroucid"),
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\r", "a binary file"),
        ("odd", b"\x01\x02\x03\x04f5d6", "a binary file"),
        (
            "c.wtb",
            b"WTHOR",
            "WTHOR games, byte 5: expected a header of 16 bytes",
        ),
    ] {
        let path = file(&folder, name, bytes);
        let errors = errors(&[&path]);
        assert!(
            errors.len() == 1 && errors[0].contains(what) && errors[0].starts_with(&path),
            "{errors:?}"
        );
    }
    // The next source is read.
    assert_eq!(
        args(&["none.obf", "f5"])
            .entries()
            .map(|item| item.is_ok())
            .collect::<Vec<_>>(),
        [false, true]
    );
}

#[cfg(unix)]
#[test]
fn files_have_any_names() {
    use std::os::unix::ffi::OsStrExt;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(OsStr::from_bytes(b"caf\xe9 \xff.txt"));
    std::fs::write(&path, "f5d6\nrubbish").unwrap();
    let all: Vec<_> = InputArgs::of(&path).entries().collect();
    assert_eq!(all[0].as_ref().unwrap().record().game.moves().len(), 2);
    let error = all[1].as_ref().unwrap_err().to_string();
    assert!(
        error.contains("caf\u{fffd} \u{fffd}.txt, entry 2, line 2: "),
        "{error}"
    );
    let gone = folder.path().join(OsStr::from_bytes(b"\xff"));
    let error = InputArgs::of(gone)
        .entries()
        .next()
        .unwrap()
        .unwrap_err()
        .to_string();
    assert!(error.ends_with("\u{fffd}: no such file"), "{error}");
}

#[test]
fn an_empty_input_is_an_error_unless_its_selection_may_be_empty() {
    let none = |args: InputArgs| {
        args.for_each(|_| Ok(ControlFlow::Continue(())))
            .map_err(|error| error.to_string())
    };
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "a.txt", "# nothing\n");
    assert_eq!(
        none(InputArgs::of(&path)),
        Err(format!("no positions or games in {path}"))
    );
    assert!(
        none(InputArgs {
            limit: Some(0),
            ..InputArgs::of("f5")
        })
        .is_ok()
    );
    assert!(
        none(InputArgs {
            skip: 1,
            ..InputArgs::of("f5")
        })
        .is_ok()
    );
}

#[test]
fn a_wthor_file_is_known_by_its_bytes_and_has_its_names() {
    let folder = TempDir::new().unwrap();
    let header = Header {
        created: [20, 1, 4, 5],
        year: 1980,
        ..Header::default()
    };
    let game = |black| {
        let record = GameRecord::from_record(entries("f5d6c3")[0].record()).unwrap();
        GameRecord { black, ..record }
    };
    let bytes = GameFile {
        header,
        games: vec![game(1), game(0)],
    }
    .to_bytes()
    .unwrap();
    let names = NameFile {
        names: vec!["???".into(), "Other".into()],
        ..NameFile::default()
    };
    let own = NameFile {
        names: vec!["???".into(), "Own".into()],
        ..NameFile::default()
    };
    let path = file(&folder, "games", &bytes);
    file(
        &folder,
        "AAA.JOU",
        names.to_bytes(NameKind::Players).unwrap(),
    );
    file(
        &folder,
        "games.JOU",
        own.to_bytes(NameKind::Players).unwrap(),
    );
    let all: Vec<Entry> = args(&[&path]).entries().map(Result::unwrap).collect();
    assert_eq!(all.len(), 2);
    assert_eq!(
        (
            all[0].record().black.as_str(),
            all[0].record().date.as_str()
        ),
        ("Own", "1980")
    );
    assert_eq!(all[0].place.to_string(), format!("{path}, entry 1"));
    assert!(all.iter().all(|entry| entry.found.format == WTHOR));
}

#[test]
fn games_are_repaired_if_asked() {
    const GAME: &str = "e6f4e3f6g5d6e7f5c5";
    const OFFER: &str = "error; try --repair";
    const HOPELESS: &str = "error; no single change repairs it";
    let [offered, asked] = [false, true].map(|repair| RepairArgs { repair });
    let twice = format!("d3\n\n{}f6{}\n\nf5d6", &GAME[..8], &GAME[8..]);
    // Moves right under a board may go on from it.
    let below = "---------------------------OX------XO--------------------------- X\nf5f5f5f5f5f5";
    let hopeless = format!("\n{GAME}{GAME}");
    let cases: [(&str, RepairArgs, &[&str]); 7] = [
        (
            &twice,
            asked,
            &["d3", "e6f4e3f6g5d6e7f5c5 repaired", "f5d6"],
        ),
        (&twice, offered, &["d3", OFFER, "f5d6"]),
        (&hopeless, asked, &[HOPELESS]),
        ("nothing at all", asked, &["error"]),
        ("nothing at all", offered, &["error"]),
        (below, asked, &["", "error"]),
        (below, offered, &["", "error"]),
    ];
    for (text, repair, want) in cases {
        let input = InputArgs {
            repair: Some(repair),
            ..args(&[text])
        };
        let found = input.entries().map(|item| match item {
            Ok(Entry { found, repairs, .. }) => {
                let note = if repairs.is_some() { " repaired" } else { "" };
                write_moves(found.record.game.moves()) + note
            }
            Err(error) => {
                let error = error.to_string();
                format!("error{}", error.find("; ").map_or("", |at| &error[at..]))
            }
        });
        assert_eq!(found.collect::<Vec<_>>(), want, "{text} {repair:?}");
    }
}

#[test]
fn games_of_the_base_are_repaired() {
    let folder = TempDir::new().unwrap();
    let good = GameRecord::from_record(entries("e6f4e3f6g5d6e7f5c5")[0].record()).unwrap();
    let mut bad = good;
    bad.moves.swap(2, 5);
    let games = GameFile {
        games: vec![bad, good],
        ..GameFile::default()
    };
    let path = file(&folder, "a.wtb", games.to_bytes().unwrap());
    let repair = Some(RepairArgs { repair: true });
    let input = InputArgs {
        repair,
        ..args(&[&path])
    };
    let records: Vec<_> = input
        .entries()
        .map(|entry| entry.unwrap().found.wthor().unwrap().record)
        .collect();
    assert_eq!(records, [good, good]);
    assert_eq!(args(&[&path]).entries().filter(Result::is_err).count(), 1);
}

#[test]
fn a_missing_file_is_no_position() {
    for path in [
        "nofile.obf",
        "f5.ggf",
        "f5d6-tiger.txt",
        "./x",
        "games/a",
        "/nowhere/x.ggf",
        "a.wtb",
    ] {
        let error = kind_of(path.as_ref()).unwrap_err();
        assert_eq!(error.to_string(), format!("{path}: no such file"));
    }
    for literal in [
        "f5d6",
        "1.f5",
        "8/8/8/3pP3/3Pp3/8/8/8",
        "8/8/8/8/8/8/8/9 b",
        "f5d6x9",
        "zz",
        "(;B[f5];)",
    ] {
        let kind = kind_of(literal.as_ref());
        assert_eq!(kind.ok(), Some(Kind::Literal), "{literal}");
    }
    let folder = kind_of("/".as_ref()).unwrap_err();
    assert_eq!(folder.to_string(), "/: a folder, not a file");
}
