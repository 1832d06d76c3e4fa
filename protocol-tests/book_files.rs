//! The file of a book: reached through links, named in the wrong place, and never an output.

use std::fs;

use crate::samples;
use crate::scratch::{Outcome, Scratch};

const GAME: &str = "e6f4e3f6g5d6e7f5c5\n";

/// A game with `moves` that ended early at +4.
fn ggf(moves: &str) -> String {
    samples::ggf(moves).replace("TY", "RE[+4.000]TY") + "\n"
}

fn names(scratch: &Scratch) -> Vec<String> {
    let names = fs::read_dir(&scratch.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// A folder with games and a book of one game.
fn with_book(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    scratch.write("g.txt", GAME);
    scratch.write("h.ggf", ggf("f5f6e6"));
    scratch.succeeds("book import m.book h.ggf");
    scratch
}

#[cfg(unix)]
fn games(scratch: &Scratch, book: &str) -> String {
    let stats = scratch.succeeds(&format!("book stats {book}"));
    stats
        .split("played in ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .to_owned()
}

#[cfg(unix)]
#[test]
fn a_book_reached_through_a_link_is_one_book() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let scratch = with_book("link");
    symlink("m.book", scratch.0.join("l.book")).unwrap();
    // A session with the link learns into the journal of the book itself.
    let game = ggf(GAME.trim_end());
    let lines = format!("nboard 2\nset game {game}learn\nquit\n");
    for (by_variable, shown) in [(false, "games in the book: 2"), (true, "it counts once")] {
        let mut command = scratch.command(if by_variable {
            "nboard"
        } else {
            "nboard --book l.book"
        });
        if by_variable {
            command.env("EMILIA_BOOK", "l.book");
        }
        let Outcome(_, said, _) = Outcome::fed(&mut command, &lines);
        assert!(said.contains(shown), "{said}");
        assert_eq!(
            (games(&scratch, "m.book"), games(&scratch, "l.book")),
            ("2".into(), "2".into())
        );
    }
    scratch.write("h.ggf", ggf("f5d6c3"));
    scratch.succeeds("book import l.book h.ggf");
    assert_eq!(
        (games(&scratch, "m.book"), games(&scratch, "l.book")),
        ("3".into(), "3".into())
    );
    assert!(scratch.0.join("l.book").is_symlink());
    scratch.succeeds("book tidy l.book");
    assert_eq!(
        names(&scratch),
        ["g.txt", "h.ggf", "l.book", "m.book", "m.book.journal"]
    );
    // A book cannot be merged with itself, and its journal is no output.
    for line in [
        "book merge m.book l.book --with-games",
        "book jobs l.book -o m.book.journal --force",
    ] {
        let Outcome(code, out, error) = scratch.run(line);
        assert!(
            code != 0 && out.is_empty() && error.contains("m.book"),
            "{line}: {out}{error}"
        );
    }
    fs::set_permissions(scratch.0.join("m.book"), PermissionsExt::from_mode(0o640)).unwrap();
    scratch.succeeds("book tidy l.book");
    assert_eq!(
        fs::metadata(scratch.0.join("m.book"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o640
    );
    assert_eq!(games(&scratch, "l.book"), "3");
}

#[test]
fn other_files_are_refused_before_any_output() {
    let scratch = with_book("no-book");
    scratch.write("long.txt", GAME.repeat(1_000));
    let before = names(&scratch);
    for (line, shown) in [
        (
            "import g.txt new.book",
            "the book comes first: emilia book import new.book g.txt",
        ),
        (
            "import long.txt m.book",
            "the book comes first: emilia book import m.book long.txt",
        ),
        (
            "absorb g.txt m.book",
            "the book comes first: emilia book absorb m.book g.txt",
        ),
        (
            "merge g.txt m.book",
            "the book comes first: emilia book merge m.book g.txt",
        ),
        ("merge new.book missing.book", "missing.book"),
        ("grow g.txt --positions 1", ""),
        ("grow g.txt --no-new --positions 1", ""),
        ("absorb long.txt", ""),
        ("tidy g.txt", ""),
        ("tidy long.txt --loss 3", ""),
        ("jobs g.txt", ""),
        ("show g.txt", ""),
        ("stats long.txt", ""),
        ("export g.txt", ""),
        ("export long.txt --to edax -o out", ""),
        ("verify g.txt", ""),
    ] {
        let Outcome(code, out, error) = scratch.run(&format!("book {line}"));
        assert!(
            code == 1 && out.is_empty() && error.lines().count() == 1,
            "{line}: {out}{error}"
        );
        let is_named = shown.contains("missing") || error.contains(" is not a book of Emilia");
        assert!(is_named && error.contains(shown), "{line}: {error}");
        assert_eq!(names(&scratch), before, "{line}");
    }
    assert_eq!(scratch.read("g.txt"), GAME);
}
