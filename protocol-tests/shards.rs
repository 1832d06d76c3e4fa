//! Shards of an input, packed or not: their outputs together are the whole, and each has its summary.

use std::fs;
use std::io::{Read, Write};

use serde_json::Value;

use crate::scratch::{Outcome, Scratch, values};

const GAME: &str = "f5d6c3d3c4f4f6f3e6e7d7g6g5c5c6c7";

impl Scratch {
    fn text(&self, name: &str) -> String {
        let bytes = fs::read(self.0.join(name)).unwrap();
        let mut text = String::new();
        match name.ends_with(".gz") {
            true => flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text),
            false => (&bytes[..]).read_to_string(&mut text),
        }
        .unwrap();
        text
    }

    /// The output of a command; the exit code is 1 if its requests have faults.
    fn answered(&self, line: &str) -> String {
        let Outcome(code, out, error) = self.run(line);
        let has_faults = match line.split_once(" -o ") {
            None => out.contains("\"error\""),
            Some((_, name)) => {
                let name = name.split(' ').next().unwrap();
                self.summary(name)["errors"] != 0
            }
        };
        assert_eq!(code, i32::from(has_faults), "{line}: {error}");
        out
    }

    fn summary(&self, name: &str) -> Value {
        let text = self.text(&format!("{name}.summary.json"));
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(!self.0.join(format!("{name}.part")).exists());
        serde_json::from_str(&text).unwrap()
    }
}

/// Requests for `count` positions, every seventh without an id, the eleventh with a fault.
fn requests(count: usize) -> String {
    let request = |number: usize| {
        let moves = &GAME[..2 * (1 + number % (GAME.len() / 2))];
        match number {
            11 => "{\"id\":\"bad\",\"position\":\"f5\",\"depth\":99}\n".to_owned(),
            _ if number.is_multiple_of(7) => format!("{{\"position\":\"{moves}\"}}\n"),
            _ => format!("{{\"id\":\"p{number}\",\"position\":\"{moves}\"}}\n"),
        }
    };
    (1..=count).map(request).collect()
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

const ANALYZE: &str = "analyze --eval classic --no-book --depth 1 --hash 1 --reproducible";

#[test]
fn shards_of_packed_requests_are_the_whole() {
    let scratch = Scratch::new("shards");
    let requests = requests(40);
    scratch.write("in.jsonl", &requests);
    scratch.write("in.jsonl.gz", gzip(&requests));
    let whole = scratch.answered(&format!("{ANALYZE} in.jsonl"));
    for input in ["in.jsonl", "in.jsonl.gz"] {
        let mut text = String::new();
        let mut positions = 0;
        let mut nodes = 0;
        for shard in 0..3 {
            let name = format!("{input}-{shard}.jsonl.gz");
            scratch.answered(&format!("{ANALYZE} {input} --shard {shard}/3 -o {name}"));
            let part = scratch.text(&name);
            let summary = scratch.summary(&name);
            let crc = |text: &str| Value::from(format!("{:08x}", crc32fast::hash(text.as_bytes())));
            assert_eq!(summary["output_crc32"], crc(&part), "{summary}");
            assert_eq!(summary["input_crc32"], crc(&requests), "{summary}");
            assert_eq!(summary["shard"], format!("{}/3", (shard + 2) % 3 + 1));
            // The eleventh line is of the second shard.
            let faults = &summary["faults"];
            let faulty = u64::from(shard == 2);
            assert_eq!(
                (&summary["errors"], faults[0]["line"].as_u64()),
                (&faulty.into(), (shard == 2).then_some(11))
            );
            positions += summary["positions"].as_u64().unwrap();
            nodes += summary["nodes"].as_u64().unwrap();
            text += &part;
        }
        assert_eq!(sorted(&text), sorted(&whole), "{input}");
        let judged = values(&whole);
        assert_eq!(
            (positions, nodes),
            (
                39,
                judged.iter().filter_map(|one| one["nodes"].as_u64()).sum()
            )
        );
    }
    // --skip and --limit come before the shards; faults name the line of the whole input.
    let [first, second] = ["1/2", "2/2"].map(|shard| {
        scratch.answered(&format!(
            "{ANALYZE} in.jsonl --skip 8 --limit 20 --shard {shard}"
        ))
    });
    let middle: String = whole
        .lines()
        .skip(8)
        .take(20)
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(sorted(&(first + &second)), sorted(&middle));
    scratch.write(
        "rest.jsonl",
        requests.lines().skip(10).collect::<Vec<_>>().join("\n"),
    );
    scratch.answered(&format!(
        "{ANALYZE} rest.jsonl --first-line 11 -o rest-answers.jsonl"
    ));
    assert_eq!(
        scratch.summary("rest-answers.jsonl")["faults"][0]["line"],
        11
    );
}

#[test]
fn a_packed_output_is_continued() {
    let scratch = Scratch::new("continued");
    let half = requests(20);
    let all = requests(40);
    scratch.write("half.jsonl", &half);
    scratch.write("in.jsonl", &all);
    let whole = scratch.answered(&format!("{ANALYZE} in.jsonl"));
    scratch.answered(&format!("{ANALYZE} half.jsonl -o out.jsonl.gz"));
    let again = format!("{ANALYZE} in.jsonl -o out.jsonl.gz");
    scratch.fails(
        &again,
        1,
        "out.jsonl.gz: the file exists; --resume continues it",
    );
    scratch.answered(&format!("{again} --resume"));
    assert_eq!(scratch.text("out.jsonl.gz"), whole);
    let summary = scratch.summary("out.jsonl.gz");
    assert_eq!(
        (&summary["positions"], &summary["resumed"]),
        (&39.into(), &20.into())
    );
    // The part of a killed run is not complete; --resume continues it.
    scratch.answered(&format!("{ANALYZE} in.jsonl -o killed.jsonl"));
    fs::remove_file(scratch.0.join("killed.jsonl")).unwrap();
    scratch.write("killed.jsonl.part", &whole[..whole.len() / 3]);
    scratch.fails(
        &format!("{ANALYZE} in.jsonl -o killed.jsonl"),
        1,
        "killed.jsonl.part: the file exists; --resume continues it",
    );
    let line = format!("{ANALYZE} in.jsonl -o killed.jsonl --resume");
    scratch.answered(&line);
    assert_eq!(sorted(&scratch.text("killed.jsonl")), sorted(&whole));
    // Nothing is left to do: nothing changes.
    scratch.answered(&line);
    assert_eq!(sorted(&scratch.text("killed.jsonl")), sorted(&whole));
    assert_eq!(
        scratch.summary("killed.jsonl")["nodes"],
        summary["nodes"],
        "of all runs together"
    );
}

#[test]
fn texts_are_compressed() {
    let scratch = Scratch::new("names");
    scratch.write("in.jsonl", requests(20));
    scratch.write("games.txt", format!("{GAME}\n").repeat(3000));
    let plain = scratch.succeeds("convert --to pgn games.txt");
    scratch.succeeds("convert --to pgn games.txt -o games.pgn.gz");
    assert_eq!(scratch.text("games.pgn.gz"), plain);
    assert!(fs::metadata(scratch.0.join("games.pgn.gz")).unwrap().len() < plain.len() as u64 / 20);
    assert_eq!(
        fs::read_dir(&scratch.0).unwrap().count(),
        3,
        "nothing was begun"
    );
}

#[test]
fn positions_and_games_have_shards_too() {
    let scratch = Scratch::new("entries");
    let games: String = (2..=10)
        .map(|moves| format!("{}\n", &GAME[..2 * moves]))
        .collect();
    scratch.write("games.txt.gz", gzip(&games));
    let ended = "XXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXX- O\n";
    scratch.write("ends.txt", ended.repeat(7));
    let without_times = |text: &str| -> String {
        values(text)
            .iter()
            .map(|value| format!("{value}\n"))
            .collect()
    };
    for line in [
        format!("{ANALYZE} --json games.txt.gz"),
        "solve --json --hash 1 ends.txt".to_owned(),
    ] {
        let whole = without_times(&scratch.succeeds(&line));
        let name = line.split(' ').next().unwrap();
        let mut text = String::new();
        for shard in ["1/2", "2/2"] {
            let name = format!("{name}-{}.jsonl.gz", &shard[..1]);
            let line = format!("{line} --shard {shard} -o {name} --resume");
            scratch.succeeds(&line);
            let part = without_times(&scratch.text(&name));
            scratch.succeeds(&line);
            assert_eq!(without_times(&scratch.text(&name)), part, "{line}");
            let summary = scratch.summary(&name);
            assert_eq!(summary["positions"], part.lines().count(), "{summary}");
            assert_eq!(summary["resumed"], summary["positions"], "{summary}");
            text += &part;
        }
        assert_eq!(sorted(&text), sorted(&whole), "{line}");
    }
}

#[test]
fn a_cut_packed_file_is_one_line() {
    let scratch = Scratch::new("cut");
    let requests = requests(40);
    let games = format!("{GAME}\n").repeat(40);
    for (command, text) in [
        (format!("{ANALYZE} -o out.jsonl"), requests),
        ("show".to_owned(), games),
    ] {
        let name = "in.gz";
        let packed = gzip(&text);
        scratch.write(name, &packed[..packed.len() - 9]);
        let Outcome(code, _, error) = scratch.run(&format!("{command} {name}"));
        assert_eq!(
            (code, error.lines().count()),
            (1, 1),
            "{command} {name}: {error}"
        );
        assert!(
            error.contains("damaged or cut short"),
            "{command} {name}: {error}"
        );
        assert!(!scratch.0.join("out.jsonl").exists(), "it is not complete");
        // A torn first block leaves no part.
        let _ = fs::remove_file(scratch.0.join("out.jsonl.part"));
    }
}
