//! The commands of the laboratory, as a developer runs them, with their errors.

#[path = "../../protocol-tests/scratch.rs"]
#[allow(dead_code, reason = "the tests of the program use the rest")]
mod scratch;
#[path = "../../protocol-tests/signals.rs"]
#[allow(dead_code, reason = "the tests of the program use the rest")]
mod signals;

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use emilia_engine::internal::util::patience;

use scratch::Scratch;

/// The program just built.
const PROGRAM: &str = env!("CARGO_BIN_EXE_emilia-lab");

const GAME: &str = "f5d6c3f3f4d3c4g6f6e6c5c6d7d8e7g5e3d2g4h3f7b5h5g3b4b6c8b8c7e8f8g8h4h6e2d1c1a3a6a5e1f2g7c2a4h8a2b7f1b3b1b2h7a7a8a1g1g2h2h1";

/// A file of WTHOR with this game.
fn wthor() -> Vec<u8> {
    let mut bytes = vec![0; 16 + 8];
    bytes[4] = 1;
    bytes[12] = 8;
    bytes[16 + 6] = 34;
    bytes[16 + 7] = 34;
    let squares = GAME.as_bytes().chunks(2);
    bytes.extend(squares.map(|name| 10 * (name[1] - b'0') + name[0] - b'a' + 1));
    bytes
}

impl Scratch {
    /// A small file of labeled positions.
    fn records(&self) {
        self.succeeds("label --eval classic --empties 6-8 --solve-from 8 --positions 100 -o a.rec");
    }

    fn has(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }
}

/// `suite` refuses a position that lacks the score of a move.
#[test]
fn the_suites_score_every_move_of_different_positions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites");
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
            let shown = scratch.succeeds(&format!("suite {name} --depth 1"));
            assert!(shown.starts_with("Suite: 150 positions, "), "{shown}");
        }
    }
}

#[test]
fn messages_name_only_written_files() {
    let scratch = Scratch::new("fit");
    scratch.records();
    let fit = |options: &str| format!("fit a.rec {options}");
    scratch.fails(&fit("-o a.rec/x.bin"), 1, "--output a.rec/x.bin");
    fs::create_dir_all(scratch.0.join("folder")).unwrap();
    scratch.fails(&fit("-o folder"), 1, "--output folder: that is a folder");
    for wrong in ["--epochs 0", "--step nan", "--step 0", "--step=-1"] {
        scratch.fails(&fit(&format!("-o x.bin {wrong}")), 2, "invalid value");
    }
    // So large a step that all errors are infinite or no numbers.
    scratch.fails(
        &fit("-o x.bin --epochs 2 --step 3e38"),
        1,
        "nothing was written",
    );
    assert!(!scratch.has("x.bin"));
    let shown = scratch.succeeds(&fit("-o x.bin --epochs 1"));
    assert!(
        shown.ends_with("x.bin written\n") && scratch.has("x.bin"),
        "{shown}"
    );
    // A warm start begins where the first fit ended: its first error is smaller than the first of all.
    let again = scratch.succeeds(&fit("-o y.bin --epochs 1 --init x.bin"));
    let first = |text: &str| -> f64 {
        let found = text
            .split("training ")
            .nth(1)
            .and_then(|rest| rest.split(',').next());
        found
            .and_then(|number| number.parse().ok())
            .unwrap_or_else(|| panic!("{text}"))
    };
    assert!(first(&again) < 0.9 * first(&shown), "{shown}{again}");
    scratch.fails(
        "fit a.rec -o z.bin --init a.rec",
        1,
        "reading a.rec: not a weights file",
    );
    fs::remove_file(scratch.0.join("y.bin")).unwrap();
    let files = fs::read_dir(&scratch.0).unwrap().count();
    assert_eq!(files, 3, "no file but records, folder and weights");
}

#[test]
fn a_job_goes_on_with_its_own_options_and_ends_when_it_yields_nothing() {
    let scratch = Scratch::new("label");
    scratch.records();
    let other =
        "label --eval classic --empties 6-9 --solve-from 8 --positions 3000 --resume -o a.rec";
    scratch.fails(
        other,
        1,
        "a.rec is another job: it was made with --empties 6-8, not --empties 6-9",
    );
    let again = "label --eval classic --empties 6-8 --solve-from 8 --positions 3000 -o a.rec";
    scratch.fails(
        again,
        1,
        "--output a.rec: the file exists; --resume continues it, --force replaces it",
    );
    let before = fs::read(scratch.0.join("a.rec")).unwrap();
    assert!(
        scratch
            .succeeds(&format!("{again} --jobs 2 --resume"))
            .contains(" positions in a.rec")
    );
    let after = fs::read(scratch.0.join("a.rec")).unwrap();
    // Twenty bytes a record.
    assert!(
        after.starts_with(&before) && after.len() > 20 * 3000,
        "{} bytes",
        after.len()
    );
    scratch.succeeds(&again.replace("3000", "100 --force"));
    assert!(
        fs::read(scratch.0.join("a.rec")).unwrap().len() < after.len(),
        "the file was not replaced"
    );
    let barren = "label --eval classic --empties 0-0 --positions 10 -o b.rec";
    scratch.fails(barren, 1, "gave no position");
    scratch.fails("label --shard 3/2 -o c.rec", 2, "a part such as 2/4");
    assert!(!scratch.has("c.rec"));
}

#[test]
fn measuring_nothing_is_an_error_and_a_damaged_file_is_named() {
    let scratch = Scratch::new("test");
    scratch.fails("test --positions 0 a.rec", 2, "invalid value");
    fs::create_dir_all(scratch.0.join("base")).unwrap();
    scratch.write("base/WTH_1977.wtb", "damaged");
    scratch.fails("test --wthor base", 1, "WTH_1977.wtb");
    scratch.fails("test", 1, "nothing to compare with");
}

#[test]
fn an_evaluation_is_compared_with_scores_of_every_kind() {
    let scratch = Scratch::new("measure");
    scratch.write("one.wtb", wthor());
    scratch.write(
        "s.obf",
        "---------------------------OX------XO--------------------------- X; C4:+0; D3:-2; E6:-2; F5:-2;",
    );
    let shown = scratch.succeeds("test --eval classic --wthor one.wtb --depths 2 --suite s.obf");
    let rows: Vec<Vec<&str>> = shown
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    for row in [
        &["static,", "all", "1"][..],
        &["2", "plies"],
        &["40", "empties"],
        &["s.obf", "1", "200000"],
    ] {
        assert!(
            rows.iter().any(|found| found.starts_with(row)),
            "{row:?}: {shown}"
        );
    }
}

#[test]
fn games_of_any_notation_are_read_and_bad_ones_named() {
    let folder = Scratch::new("games");
    let write = |name: &str, text: &str| drop(folder.write(name, text));
    write("list.txt", &format!("{GAME} +4 wthor1977 1977\n"));
    let record = emilia::notation::parse_position(GAME).unwrap().record;
    write(
        "game.ggf",
        &emilia::notation::record_ggf(&record).to_string(),
    );
    write("bad.txt", &format!("{GAME}\n{GAME} +4\nf5d6c3x9\n"));
    let sample = |games: &str| format!("sample --games 2 --eval classic {games}");
    let samples = folder.succeeds(&sample("list.txt"));
    assert_eq!(
        samples,
        folder.succeeds(&sample("game.ggf")),
        "the same game in another notation"
    );
    assert!(
        samples.lines().count() > 2 && samples.lines().all(|line| line.split(' ').count() == 6)
    );
    for command in ["label -o b.rec --input", "sample"] {
        folder.fails(&format!("{command} bad.txt"), 1, "bad.txt, entry 3, line 3");
        folder.fails(
            &format!("{command} absent.txt"),
            1,
            "absent.txt: no such file",
        );
    }
    assert!(!folder.has("b.rec"));
    write("samples.txt", "1 20 8 73 2.5 4\n1 20 8 73 2.5\n");
    folder.fails(
        "calibrate samples.txt",
        1,
        "samples.txt, line 2: expected six numbers",
    );
}

/// A job may end with a block more than was asked for: the test compares the common part of both files.
#[test]
fn a_job_of_labels_ends_as_if_it_had_never_been_killed() {
    const ROUNDS: u64 = 8;
    const LATEST: Duration = Duration::from_millis(60);
    const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;
    let scratch = Scratch::new("label");
    let positions = 1_000 + 300 * ROUNDS;
    let job = |name: &str| {
        format!(
            "label --eval classic --empties 7-9 --solve-from 9 --positions {positions} --resume -o {name}"
        )
    };
    scratch.succeeds(&job("whole.rec"));
    for round in 0..ROUNDS {
        let mut command = scratch.command(&job("killed.rec"));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        patience::pause(LATEST.mul_f64((round as f64 * GOLDEN_RATIO).fract()));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    scratch.succeeds(&job("killed.rec"));
    let read = |name: &str| fs::read(scratch.0.join(name)).unwrap();
    let whole = read("whole.rec");
    let killed = read("killed.rec");
    let both = killed.len().min(whole.len());
    assert!(killed[..both] == whole[..both]);
    // Twenty bytes a record.
    assert!(both as u64 >= 20 * positions, "{both} bytes");
}

#[test]
fn a_suite_rates_the_moves_of_scored_positions_only() {
    let scratch = Scratch::new("suite");
    let start = "---------------------------OX------XO--------------------------- X;";
    scratch.write(
        "whole.obf",
        format!("{start} D3:+2; C4:+2; F5:+2; E6:+2;\n"),
    );
    let shown = scratch.succeeds("suite whole.obf --depth 1");
    let lines: Vec<&str> = shown.lines().collect();
    assert!(
        lines[0].starts_with("Suite: 1 positions, checksum "),
        "{shown}"
    );
    assert!(lines[2].contains(" 1@73%"), "{shown}");
    assert_eq!(lines[3], "Best move: 100.0 ± 0.0 %");
    assert_eq!(lines[4], "Loss: 0.000 ± 0.000 discs");
    scratch.write("part.obf", format!("{start} D3:+2; C4:+2; F5:+2;\n"));
    let missing =
        "emilia: position 1: expected the score of every move, as in OBF; e6 has no score";
    scratch.fails("suite part.obf --depth 1", 1, missing);
}

#[test]
fn simulated_threads_save_time() {
    let scratch = Scratch::new("simulate");
    let shown = scratch.succeeds("simulate --threads 2 --limit 1 --depth 8 --eval classic");
    assert!(
        shown.contains(" times as fast ") && shown.contains("\nall  "),
        "{shown}"
    );
    scratch.fails("simulate --limit 1", 1, "--threads 1: expected two or more");
}

#[test]
fn the_numbers_of_the_search_are_listed_and_checked() {
    let scratch = Scratch::new("numbers");
    let list = scratch.succeeds("tune --list");
    assert!(
        list.starts_with("ASPIRATION: ") && list.contains("\nORDER_EVAL: "),
        "{list}"
    );
    let wrong = "'--spread <STEPS>': expected a number from 0.01 to 100";
    scratch.fails("tune ORDER_EVAL --openings absent.txt --spread 0", 2, wrong);
    let unknown =
        "emilia: no number of the search has the name `ORDER_MAGIC`: see `emilia-lab tune --list`";
    scratch.fails("tune ORDER_MAGIC --openings absent.txt", 1, unknown);
}

#[cfg(feature = "tune")]
#[test]
fn an_interrupted_run_comes_to_the_same_values() {
    let scratch = Scratch::new("tune");
    scratch.write("o.txt", "f5d6c4d3c2b3\nf5f6d3c5d6c7\nf5f4e3d2c3e6\n");
    let tune = "tune ORDER_EVAL REDUCTION_MOVES --openings o.txt --games 36 --pairs 3 --nodes 2000 --output";
    let whole = scratch.succeeds(&format!("{tune} whole.json"));
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(lines[0], "// 36 of 36 games, 2000 nodes a move, seed 1");
    let places = ["    REDUCTION_MOVES: ", "    ORDER_EVAL: "];
    assert!(
        lines[1..]
            .iter()
            .zip(places)
            .all(|(line, place)| line.starts_with(place)),
        "{whole}"
    );

    // Interrupted once the first games count, and ended by two threads.
    let part = format!("{tune} part.json --jobs 2 --resume");
    let mut command = scratch.command(&part);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = signals::takes_signals(&mut command).spawn().unwrap();
    let counts = || {
        let text = fs::read_to_string(scratch.0.join("part.json")).unwrap_or_default();
        text.contains("iteration") && !text.contains("\"iteration\": 0,")
    };
    patience::until("no iteration comes", counts);
    assert!(signals::send(child.id(), "TERM"));
    let output = child.wait_with_output().unwrap();
    let [out, error] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(output.status.code(), Some(130), "{out}{error}");
    assert!(
        out.contains(" of 36 games") && !out.contains("// 36 ") && out.lines().count() == 3,
        "{out}"
    );
    assert_eq!(error, "emilia: interrupted; --resume continues it\n");
    assert_eq!(scratch.succeeds(&part), whole);
    let read = |name: &str| fs::read_to_string(scratch.0.join(name)).unwrap();
    assert_eq!(read("part.json"), read("whole.json"));
    scratch.fails(
        &part.replace("--nodes 2000", "--nodes 2001"),
        1,
        "part.json is of another run: `emilia-lab tune ",
    );
}
