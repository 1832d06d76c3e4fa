//! Tuning as a user runs it.

use std::fs;

use crate::scratch::Scratch;

fn with_openings(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    fs::write(scratch.0.join("o.txt"), "f5d6c4d3c2b3\nf5f6d3c5d6c7\nf5f4e3d2c3e6\n").unwrap();
    scratch
}

#[cfg(not(feature = "tune"))]
#[test]
fn a_build_that_cannot_tune_tells_how_to_make_one_that_can() {
    let scratch = with_openings("constants");
    for line in
        ["train tune ORDER_EVAL --openings o.txt", "match emilia:ORDER_EVAL=18 emilia --openings o.txt"]
    {
        scratch.fails(line, 1, "make another by `cargo build --release --features tune`\n");
    }
}

#[cfg(feature = "tune")]
#[test]
fn an_interrupted_run_comes_to_the_same_values() {
    use std::process::Stdio;

    use crate::signals;

    let scratch = with_openings("tune");
    let tune =
        "train tune ORDER_EVAL REDUCTION_MOVES --openings o.txt --games 36 --pairs 3 --nodes 2000 --output";
    let whole = scratch.succeeds(&format!("{tune} whole.json"));
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(lines[0], "// 36 of 36 games, 2000 nodes a move, seed 1");
    let places = ["    REDUCTION_MOVES: ", "    ORDER_EVAL: "];
    assert!(lines[1..].iter().zip(places).all(|(line, place)| line.starts_with(place)), "{whole}");

    // Interrupted once the first games count, and ended by two threads.
    let part = format!("{tune} part.json --jobs 2 --resume");
    let mut command = scratch.command(&part);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = signals::takes_signals(&mut command).spawn().unwrap();
    let counts = || {
        let text = fs::read_to_string(scratch.0.join("part.json")).unwrap_or_default();
        text.contains("iteration") && !text.contains("\"iteration\": 0,")
    };
    crate::patience::until("no iteration comes", counts);
    assert!(signals::send(child.id(), "TERM"));
    let output = child.wait_with_output().unwrap();
    let [out, error] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(output.status.code(), Some(130), "{out}{error}");
    assert!(out.contains(" of 36 games") && !out.contains("// 36 ") && out.lines().count() == 3, "{out}");
    assert_eq!(error, "emilia: interrupted; --resume continues it\n");
    assert_eq!(scratch.succeeds(&part), whole);
    let read = |name: &str| fs::read_to_string(scratch.0.join(name)).unwrap();
    assert_eq!(read("part.json"), read("whole.json"));
    scratch.fails(
        &part.replace("--nodes 2000", "--nodes 2001"),
        1,
        "part.json is of another run: `emilia train tune ",
    );
}
