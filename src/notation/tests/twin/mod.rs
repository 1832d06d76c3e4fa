//! A second reader of texts, typed from the page of notations, with a generator of texts.
//!
//! It shares no code and no table with the readers of the room: both must agree on every text.

mod boards;
mod fields;
mod generate;
mod generate_positions;
mod generate_records;
mod lists;
mod mutate;
mod reader;
mod records;

use crate::board::{Color, Game, Move, Position};
use crate::notation::Detected;
use crate::notation::read::{pasted, read};
use crate::notation::split::Splitter;

/// Whether a text holds entries one after another or is one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    File,
    Paste,
}

/// A result as a text states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stated {
    /// Black's discs less White's.
    Margin(i32),
    Won(Color),
}

/// The position or game of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outcome {
    start: Position,
    end: Position,
    moves: Vec<Move>,
    /// Moves of the last position with their scores in discs.
    scores: Vec<(Move, i32)>,
    result: Option<Stated>,
}

/// The entries of a text up to the first that is refused, with the reason.
type Reading = Vec<Result<Outcome, String>>;

impl Outcome {
    fn new(game: &Game, scores: Vec<(Move, i32)>, result: Option<Stated>) -> Self {
        Self {
            start: game.start(),
            end: game.position(),
            moves: game.moves().to_vec(),
            scores,
            result,
        }
    }
}

use generate::{Dice, case};
use mutate::{MUTATIONS, certain, mutate};
use reader::second_reader;

/// The reading of the room's reader.
fn first_reader(text: &str, kind: Kind) -> Reading {
    let found: Vec<_> = match kind {
        Kind::Paste => pasted(text).into_iter().map(|(_, found)| found).collect(),
        Kind::File => {
            let mut splitter = Splitter::default();
            text.split('\n').for_each(|line| splitter.push(line, true));
            splitter.finish();
            std::iter::from_fn(|| splitter.pop())
                .map(|chunk| read(&chunk))
                .collect()
        }
    };
    found
        .into_iter()
        .map(|found| {
            found
                .map(|found| outcome(&found))
                .map_err(|error| error.to_string())
        })
        .collect()
}

/// The same reading without the results of whole games, which the moves say, too.
fn comparable(mut reading: Reading) -> Reading {
    for outcome in reading.iter_mut().flatten() {
        outcome.result = outcome.result.filter(|_| !outcome.end.is_over());
    }
    reading
}

fn outcome(found: &Detected) -> Outcome {
    let scores = found
        .scores
        .iter()
        .map(|scored| (scored.mv, scored.discs))
        .collect();
    let stated = match found.record.stated.outcome {
        crate::notation::Outcome::Open => None,
        crate::notation::Outcome::Discs(discs) => Some(Stated::Margin(discs)),
        crate::notation::Outcome::Won(winner) => Some(Stated::Won(winner)),
    };
    Outcome::new(&found.record.game, scores, stated)
}

fn texts() -> u64 {
    let count = std::env::var("EMILIA_TEXTS").ok();
    count.and_then(|count| count.parse().ok()).unwrap_or(5000)
}

/// Whether two readings differ: another entry before the first refusal, or only one refuses.
fn differ(first: &Reading, second: &Reading) -> bool {
    let read = |reading: &Reading| reading.iter().take_while(|entry| entry.is_ok()).count();
    let refused = |reading: &Reading| read(reading) < reading.len();
    let both = read(first).min(read(second));
    let same = first[..both] == second[..both];
    let longer = !refused(first) && first.len() != second.len();
    !same || refused(first) != refused(second) || longer
}

#[test]
fn generated_texts_are_read_as_written() {
    for seed in 0..texts() {
        let case = case(seed);
        let read = second_reader(&case.text, case.kind);
        let want: Reading = case.games.iter().cloned().map(Ok).collect();
        assert_eq!(
            read, want,
            "seed {seed}, {:?}, {:?}:\n{}\n{:?}",
            case.kind, case.forms, case.text, case.text
        );
    }
}

#[test]
fn certain_faults_are_refused() {
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..texts() {
        let case = case(seed);
        let mut dice = Dice::new(seed);
        let [form] = case.forms[..] else { continue };
        if let Some((fault, text)) = certain(&mut dice, form, &case.text) {
            let read = second_reader(&text, case.kind);
            assert!(
                read.iter().any(Result::is_err),
                "seed {seed}, {fault}:\n{text}\n{read:?}"
            );
            *seen.entry(fault).or_insert(0) += 1;
        }
    }
    assert!(seen.len() >= 8, "{seen:?}");
}

#[test]
fn both_readers_agree() {
    let mut count = 0;
    for seed in 0..texts() {
        let case = case(seed);
        count += u64::from(compare(seed, "as written", &case.text, case.kind));
        let mut dice = Dice::new(seed);
        let mutation = dice.pick(&MUTATIONS);
        if let Some(text) = mutate(&mut dice, &mutation, &case.text) {
            compare(seed, mutation.0, &text, case.kind);
        }
    }
    assert!(
        count * 10 >= texts() * 6,
        "both read {count} of {}",
        texts()
    );
}

/// Panics if the readers differ; whether they read all of the text.
fn compare(seed: u64, fault: &str, text: &str, kind: Kind) -> bool {
    let second = comparable(second_reader(text, kind));
    let first = comparable(first_reader(text, kind));
    assert!(
        !differ(&first, &second),
        "seed {seed}, {kind:?}, {fault}:\n{text}\n{text:?}\nfirst reader: {first:?}\nsecond reader: {second:?}"
    );
    second.iter().all(Result::is_ok)
}

#[test]
fn readings_differ_in_an_entry_or_a_refusal() {
    let one = case(0).games[0].clone();
    let mut other = one.clone();
    other.result = Some(Stated::Margin(1));
    let refused = || Err(String::new());
    assert!(!differ(&vec![Ok(one.clone()), refused()], &vec![refused()]));
    assert!(differ(
        &vec![Ok(one.clone())],
        &vec![Ok(other.clone()), refused()]
    ));
    assert!(differ(&vec![Ok(one.clone())], &vec![Ok(other)]));
    assert!(differ(
        &vec![Ok(one.clone()), Ok(one.clone())],
        &vec![Ok(one)]
    ));
}
