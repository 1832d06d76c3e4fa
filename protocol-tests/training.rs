//! The tools that make, fit and measure evaluations, as a user runs them: what goes wrong is told.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use crate::scratch::{Outcome, Scratch};

impl Scratch {
    /// A small file of labelled positions.
    fn records(&self) {
        self.succeeds("train label --eval classic --empties 6-8 --solve-from 8 --positions 100 -o a.rec");
    }

    fn has(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }
}

/// `bench --suite` refuses a position that lacks the score of a move.
#[test]
fn the_suites_score_every_move_of_different_positions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol-tests/suites");
    let scratch = Scratch::new("suites");
    let mut boards = HashSet::new();
    for (suite, empties) in [("moves-28-34", 28..=34), ("moves-36-48", 36..=48)] {
        for half in ["choose", "exam"] {
            let name = format!("{suite}-{half}.obf");
            let text = fs::read_to_string(folder.join(&name)).unwrap();
            for line in text.lines() {
                assert!(empties.contains(&line[..64].matches('-').count()), "{line}");
                assert!(boards.insert(line[..66].to_owned()), "twice: {line}");
            }
            fs::write(scratch.0.join(&name), text).unwrap();
            let told = scratch.succeeds(&format!("bench --suite {name} --depth 1"));
            assert!(told.starts_with("Suite: 150 positions, "), "{told}");
        }
    }
}

#[test]
fn nothing_is_said_to_be_written_that_was_not() {
    let scratch = Scratch::new("fit");
    scratch.records();
    let fit = |options: &str| format!("train fit a.rec {options}");
    scratch.fails(&fit("-o a.rec/x.bin"), 1, "--output a.rec/x.bin: ");
    fs::create_dir_all(scratch.0.join("folder")).unwrap();
    scratch.fails(&fit("-o folder"), 1, "--output folder: that is a folder");
    for wrong in ["--epochs 0", "--rate nan", "--rate 0", "--rate=-1", "--positions 0"] {
        scratch.fails(&fit(&format!("-o x.bin {wrong}")), 2, "invalid value");
    }
    let stray = fit("-o x.bin --parity -1 --parity-of b.rec");
    scratch.fails(&stray, 1, "--parity-of b.rec: not among the files to learn from");
    // So large a step that all errors are infinite or no numbers.
    scratch.fails(&fit("-o x.bin --epochs 2 --rate 3e38"), 1, "nothing was written");
    assert!(!scratch.has("x.bin"));
    let told = scratch.succeeds(&fit("-o x.bin --epochs 1"));
    assert!(told.ends_with("x.bin written\n") && scratch.has("x.bin"), "{told}");
    // A warm start begins where the first fit ended: its first error is smaller than the first of all.
    let again = scratch.succeeds(&fit("-o y.bin --epochs 1 --init x.bin"));
    let first = |text: &str| -> f64 {
        let found = text.split("training ").nth(1).and_then(|rest| rest.split(',').next());
        found.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{text}"))
    };
    assert!(first(&again) < 0.9 * first(&told), "{told}{again}");
    scratch.fails("train fit a.rec -o z.bin --init a.rec", 1, "reading a.rec: not a weights file");
    fs::remove_file(scratch.0.join("y.bin")).unwrap();
    let files = fs::read_dir(&scratch.0).unwrap().count();
    assert_eq!(files, 4, "no file but records, their summary, folder and weights");
}

#[test]
fn a_job_goes_on_with_its_own_options_and_ends_when_it_yields_nothing() {
    let scratch = Scratch::new("label");
    scratch.records();
    let other = "train label --eval classic --empties 6-9 --solve-from 8 --positions 3000 --resume -o a.rec";
    scratch.fails(other, 1, "a.rec is another job: it was made with --empties 6-8, not --empties 6-9");
    let again = "train label --eval classic --empties 6-8 --solve-from 8 --positions 3000 -o a.rec";
    scratch.fails(again, 1, "a.rec: the file exists; --resume continues it");
    let same = &format!("{again} --jobs 2 --resume");
    assert!(scratch.succeeds(same).contains(" positions in a.rec"));
    let summary = fs::read_to_string(scratch.0.join("a.rec.summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    let number = |name: &str| summary[name].as_u64().unwrap();
    let made = number("positions") - number("resumed");
    assert!(number("positions") >= 3000 && number("resumed") >= 100 && number("nodes") > made, "{summary}");
    let bytes = fs::read(scratch.0.join("a.rec")).unwrap();
    assert_eq!(summary["output_crc32"], format!("{:08x}", crc32fast::hash(&bytes)));
    assert!(!scratch.has("a.rec.part"));
    let barren = "train label --eval classic --empties 0-0 --positions 10 -o b.rec";
    scratch.fails(barren, 1, "gave no position");
    scratch.fails("train label --shard 3/2 -o c.rec", 2, "a part such as 2/4");
    assert!(!scratch.has("c.rec"));
}

#[test]
fn measuring_nothing_is_an_error_and_damaged_files_are_named() {
    let scratch = Scratch::new("test");
    scratch.fails("train test --positions 0 a.rec", 2, "invalid value");
    fs::create_dir_all(scratch.0.join("base")).unwrap();
    fs::write(scratch.0.join("base/WTH_1977.wtb"), "damaged").unwrap();
    scratch.fails("train test --wthor base", 1, "WTH_1977.wtb");
    scratch.records();
    let Outcome(code, out, error) = scratch.run("train test a.rec --wthor base --keep-going --eval classic");
    assert_eq!(code, 1);
    let left_out = format!("left out: reading {}", Path::new("base").join("WTH_1977.wtb").display());
    assert!(out.contains("classic, static") && error.contains(&left_out), "{out}{error}");
}

#[test]
fn conform_says_once_what_keeps_it_from_checking() {
    let scratch = Scratch::new("conform");
    scratch.fails("conform gtp:true --only 45", 1, "--only: no transcript 45; there are hello, ");
    scratch.fails("conform nboard:./none", 1, "`./none` does not start");
    scratch.fails("conform", 2, "<PROGRAM>");
    scratch.fails("conform ./none", 1, "does not name its protocol");
    scratch.fails("conform gtp:./none;depth=3", 1, "without player options");
    let Outcome(_, out, error) = scratch.run("conform gtp:./none");
    assert!(out.is_empty() && error.lines().count() == 1, "{out}{error}");
}

#[test]
fn games_of_any_notation_are_read_and_bad_ones_named() {
    let folder = Scratch::new("games");
    let write = |name: &str, text: &str| fs::write(folder.0.join(name), text).unwrap();
    let game = "f5d6c3f3f4d3c4g6f6e6c5c6d7d8e7g5e3d2g4h3f7b5h5g3b4b6c8b8c7e8f8g8h4h6e2d1c1a3a6a5e1f2g7c2a4h8a2b7f1b3b1b2h7a7a8a1g1g2h2h1";
    write("list.txt", &format!("{game} +4 wthor1977 1977\n"));
    write("game.ggf", &folder.succeeds(&format!("convert --to ggf {game}")));
    write("bad.txt", &format!("{game}\n{game} +4\nf5d6c3x9\n"));
    let options = "--empties 2-50 --outcomes";
    let [list, ggf] = ["list.txt", "game.ggf"].map(|games| {
        folder.succeeds(&format!("train label --input {games} {options} -o {games}.rec"));
        fs::read(folder.0.join(format!("{games}.rec"))).unwrap()
    });
    assert_eq!(list, ggf, "the same game in another notation");
    folder.fails(&format!("train label --input bad.txt {options} -o b.rec"), 1, "bad.txt, entry 3, line 3");
    folder.fails(&format!("train label --input none.txt {options} -o b.rec"), 1, "none.txt: no such file");
    assert!(!folder.has("b.rec"));
    folder.fails("train calibrate --games 1 bad.txt", 1, "bad.txt, entry 3, line 3");
    folder.fails("train calibrate none.txt", 1, "none.txt: no such file");
    write("samples.txt", "1 20 8 73 2.5 4\n1 20 8 73 2.5\n");
    folder.fails("train calibrate samples.txt", 1, "samples.txt, line 2: expected six numbers");
    let samples = folder.succeeds("train calibrate --games 2 --eval classic game.ggf");
    assert!(
        samples.lines().count() > 2 && samples.lines().all(|line| line.split(' ').count() == 6),
        "{samples}"
    );
}
