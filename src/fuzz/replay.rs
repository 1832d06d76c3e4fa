//! Replays the corpus: the inputs that fuzzing found, on every toolchain.
//!
//! A corpus is one file of inputs, each behind its length in three bytes, the low one first. With
//! `EMILIA_UNPACK=FOLDER` each input is written there as a file, the start of fuzzing;
//! `EMILIA_PACK=FOLDER` makes the corpora of such files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol-tests/fuzz/corpus")
}

fn inputs(name: &str) -> Vec<Vec<u8>> {
    let bytes =
        fs::read(folder().join(format!("{name}.bin"))).expect("the corpus is in the repository");
    let mut rest = bytes.as_slice();
    let mut inputs = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk::<3>() {
        let length = u32::from_le_bytes([length[0], length[1], length[2], 0]) as usize;
        let (input, after) = after.split_at_checked(length).expect("a whole input");
        inputs.push(input.to_vec());
        rest = after;
    }
    assert!(rest.is_empty(), "{name} ends in the middle of a length");
    inputs
}

/// Makes the corpus of the files in a folder, the short ones first.
fn pack(name: &str, from: &Path) {
    let files = fs::read_dir(from)
        .unwrap()
        .map(|entry| fs::read(entry.unwrap().path()).unwrap());
    let mut inputs: Vec<Vec<u8>> = files.collect();
    inputs.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    let packed = inputs.iter().flat_map(|input| {
        assert!(input.len() < 1 << 24);
        (input.len() as u32)
            .to_le_bytes()
            .into_iter()
            .take(3)
            .chain(input.iter().copied())
    });
    fs::write(
        folder().join(format!("{name}.bin")),
        packed.collect::<Vec<u8>>(),
    )
    .unwrap();
}

/// Runs the target on each input of a corpus, which must have at least this number of inputs.
fn replay(name: &str, at_least: usize, target: fn(&[u8])) {
    if let Some(from) = std::env::var_os("EMILIA_PACK") {
        pack(name, &Path::new(&from).join(name));
    }
    let inputs = inputs(name);
    assert!(
        inputs.len() >= at_least,
        "{name} has {} inputs",
        inputs.len()
    );
    if let Some(to) = std::env::var_os("EMILIA_UNPACK") {
        let to = Path::new(&to).join(name);
        fs::create_dir_all(&to).unwrap();
        for (number, input) in inputs.iter().enumerate() {
            fs::write(to.join(format!("{number:04}")), input).unwrap();
        }
    }
    for input in inputs {
        if let Err(panic) = std::panic::catch_unwind(|| target(&input)) {
            let _ = writeln!(
                std::io::stderr(),
                "{name}: {:?}",
                String::from_utf8_lossy(&input)
            );
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn parsers_take_their_corpus() {
    replay("parsers", 300, parsers);
}

#[test]
fn sessions_take_their_corpora() {
    replay("nboard", 100, nboard);
    replay("gtp", 100, gtp);
    replay("analysis", 100, analysis);
}
