//! Tests of `compat.rs`.

use super::*;

/// The translated line, with a blank for each `=`, and the notes.
fn translated_line(line: &str) -> (String, Vec<String>) {
    let words = translated(line.split_whitespace().map(OsString::from));
    let mut words: Vec<String> = words
        .into_iter()
        .map(|word| word.into_string().unwrap())
        .collect();
    let plain = words
        .iter()
        .position(|word| word == "--note")
        .unwrap_or(words.len());
    let notes = words.split_off(plain);
    (
        words.join(" ").replace('=', " "),
        notes.into_iter().filter(|word| word != "--note").collect(),
    )
}

#[test]
fn lines_of_known_tools_are_translated() {
    for (theirs, ours) in [
        ("e", "e auto"),
        ("e -nboard", "e nboard"),
        ("e -l 5 --gtp", "e gtp -l 5"),
        (
            "e -gtp -q -level 8 -n-tasks 2 -ponder off -book-usage off -eval-file w.bin",
            "e gtp -q --level 8 --threads 2 --ponder off --book-usage off --eval-file w.bin",
        ),
        (
            "e -gtp -quiet -nobook -l 8 -t 2",
            "e gtp --quiet --no-book -l 8 --threads 2",
        ),
        ("e -gtp -l 21 -n 4", "e gtp -l 21 --threads 4"),
        (
            "e -gtp -l8 -hash=25 -thread=2 -noboard",
            "e gtp -l8 --hash=25 --threads=2",
        ),
        (
            "e gtp --no-book --thread 3 --n-tasks 2",
            "e gtp --no-book --threads 3 --threads 2",
        ),
        (
            "e nboard --hash 64 --eval classic",
            "e nboard --hash 64 --eval classic",
        ),
        ("e -gtp -eval network", "e gtp --eval=network"),
        (
            "e -gtp -eval resources/eval.egev2",
            "e gtp --eval-file=resources/eval.egev2",
        ),
        ("e -gtp -batch --learn games", "e gtp --batch --learn games"),
        ("e -hash 8 -nobook", "e edax --hash 8 --no-book"),
        ("e -gtp --hash 0", "e gtp --hash 0"),
        (
            "e -q -l 21 -h 22 -n 1",
            "e edax -q -l 21 --hash=96 --threads 1",
        ),
        (
            "e -vv -mode 1 -d 5 -selectivity 5",
            "e edax --verbose=2 --mode=1 --depth 5 --selectivity=100",
        ),
        (
            "e -edax -verbose 0 -level 3",
            "e edax --verbose=0 --level 3",
        ),
        (
            "e --solve f.obf --eval-file w",
            "e edax --solve=f.obf --eval-file w",
        ),
        (
            "e -l 23 -nobook -thread 32 -solve f.txt",
            "e edax -l 23 --no-book --threads 32 --solve=f.txt",
        ),
        ("e -cassio -eval-file w", "e cassio --eval-file w"),
        ("bin/lEdax-x64-modern", "bin/lEdax-x64-modern edax"),
        ("edax --level 8", "edax edax --level 8"),
        ("edax -gtp", "edax gtp"),
        ("e --threads 2 -q", "e auto --threads 2 -q"),
        ("e --level 8", "e auto --level 8"),
        ("e -frobnicate", "e auto --frobnicate"),
        ("e --help", "e --help"),
        ("e -h", "e --help"),
        ("e -v", "e --version"),
        ("e gtp -h", "e gtp -h"),
        ("e solve x.obf -n 2", "e solve x.obf -n 2"),
    ] {
        assert_eq!(translated_line(theirs).0, ours.replace('=', " "));
    }
}

#[test]
fn the_log_notes_translations() {
    let nothing = |options: &[&str]| {
        options
            .iter()
            .map(|o| format!("{o} has no effect here"))
            .collect()
    };
    let table = |name: &str| vec![format!("{name} is converted to MiB")];
    let time =
        |ours: &str, whose: &str| vec![format!("-t is --{ours}, as in {whose} with these options")];
    for (theirs, ours, notes) in [
        (
            "-hash-table-size 21",
            "--hash=48",
            table("-hash-table-size 21"),
        ),
        ("-h 10", "--hash=1", table("-h 10")),
        ("-h 26", "--hash=1536", table("-h 26")),
        (
            "-vv -noise 5 -verbose -book-file a.dat -l 3 -width 80",
            "-l 3",
            nothing(&[
                "-vv",
                "-noise 5",
                "-verbose",
                "-book-file a.dat",
                "-width 80",
            ]),
        ),
        ("-t 2", "--threads 2", time("threads", "Egaroucid")),
        (
            "-nobook -t 2",
            "--no-book --threads 2",
            time("threads", "Egaroucid"),
        ),
        (
            "-n-tasks 2 -t 60",
            "--threads 2 --clock 60",
            time("clock", "Edax"),
        ),
        (
            "-t 60 -book-usage off",
            "--clock 60 --book-usage off",
            time("clock", "Edax"),
        ),
    ] {
        assert_eq!(
            translated_line(&format!("e -gtp {theirs}")),
            (format!("e gtp {}", ours.replace('=', " ")), notes)
        );
    }
}

#[test]
fn unknown_options_are_warnings() {
    let words = |line: &str| -> Vec<String> {
        let words = translated(line.split_whitespace().map(OsString::from));
        words
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect()
    };
    let warnings = ["--frobnicate", "stray"].map(|word| format!("{word} is unknown and ignored"));
    for line in [
        "e -gtp -frobnicate -l 3 stray",
        "e gtp --frobnicate -l 3 stray",
    ] {
        assert_eq!(
            words(line),
            [
                "e",
                "gtp",
                "-l",
                "3",
                "--warning",
                &warnings[0],
                "--warning",
                &warnings[1]
            ],
            "{line}"
        );
    }
}

#[test]
fn bad_values_are_warnings() {
    for line in [
        "-n 100000",
        "-mode 7",
        "-verbose 9",
        "-depth 0",
        "-move-time 0",
        "-h 45",
        "-t x",
    ] {
        let words: Vec<OsString> = format!("e -edax {line} -l 3")
            .split_whitespace()
            .map(OsString::from)
            .collect();
        let warnings = translated(words.clone())
            .iter()
            .filter(|word| *word == "--warning")
            .count();
        assert_eq!(warnings, 1, "{line}");
        assert!(crate::cli::parse(words).is_ok(), "{line}");
    }
}
