//! Whole analysis sessions, with their queue and threads.

use std::io::{self, Cursor};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::desk::little;
use super::{evaluator, is_printable};
use crate::analysis::answer::Answer;
use crate::analysis::line::Id;
use crate::analysis::request::{self, Query, Tag};
use crate::analysis::{Defaults, Settings, Workers};
use crate::protocols::console::{InputLine, LineReader};

/// No session has more lines.
const MAX_LINES: usize = 50;
/// Most positions of a request; later ones are ignored.
const MAX_TURNS: usize = 20;

/// An analysis session: each requested position gets one answer, which names its request.
///
/// The first byte sets the order of answers and the number of threads.
pub fn analysis(data: &[u8]) {
    let (choice, data) = data
        .split_first()
        .filter(|(choice, _)| **choice < 4)
        .unwrap_or((&0, data));
    let defaults = Defaults {
        reproducible: false,
        ..Defaults::default()
    };
    let settings = Settings {
        jobs: 1 + usize::from(choice & 1),
        hash_mib: 1,
        queue: 8,
        in_order: choice & 2 != 0,
        defaults: defaults.clone(),
        evaluator: evaluator(),
        weights: "network".into(),
        book: None,
        fields: None,
        store: None,
        budget: None,
    };
    let in_order = settings.in_order;
    let output = Arc::new(Mutex::new(Vec::new()));
    let sink = {
        let output = Arc::clone(&output);
        move |answer: &Answer| {
            let text = serde_json::to_string(answer).map_err(io::Error::from)?;
            output.lock().expect("no panic while it is held").push(text);
            Ok(())
        }
    };
    let workers = Workers::new(settings, Box::new(sink));
    workers.start().unwrap();
    let expected = ask(&workers, data, &defaults);
    workers.end_input();
    workers.wait().expect("the sink takes everything");
    let output = output.lock().expect("no panic while it is held");
    compare(&output, &expected, in_order);
}

/// Submits the requests of the lines; returns the expected answers: request and number.
fn ask(workers: &Workers, data: &[u8], defaults: &Defaults) -> Vec<(Value, usize)> {
    let mut reader = LineReader::new(Cursor::new(data.to_vec()));
    let mut expected = Vec::new();
    for number in 1..=MAX_LINES as u64 {
        let Some(line) = reader.read().expect("bytes can be read") else {
            break;
        };
        let InputLine::Text(text) = line else {
            continue;
        };
        if text.trim().is_empty() {
            continue;
        }
        match request::parse(&text, number, defaults) {
            Ok(Query::Analyze(mut request)) => {
                request.limits = little(request.limits);
                request.turns.truncate(MAX_TURNS);
                assert!(!request.turns.is_empty(), "{text}");
                expected.push((name(&request.tag), request.turns.len()));
                assert!(workers.submit(request));
            }
            Ok(Query::Cancel { tag, id, warnings }) => {
                expected.push((name(&tag), 1));
                let positions = workers.cancel(id.as_ref());
                assert!(workers.answer(Answer::cancelled(&tag, positions, warnings)));
            }
            Ok(Query::Version { tag, warnings }) => {
                expected.push((name(&tag), 1));
                assert!(workers.version(&tag, warnings));
            }
            Err((tag, fault)) => {
                expected.push((name(&tag), 1));
                assert!(workers.answer(Answer::fault(&tag, &fault)));
            }
        }
    }
    expected
}

/// A request as its answers name it: by its id, or else by its line.
fn name(tag: &Tag) -> Value {
    match &tag.id {
        Some(Id::Text(text)) => Value::from(text.as_str()),
        Some(Id::Number(number)) => Value::from(*number),
        Some(Id::Large(number)) => Value::from(*number),
        None => Value::from(vec![tag.line]),
    }
}

/// Compares the answers with the expected ones.
fn compare(output: &[String], expected: &[(Value, usize)], in_order: bool) {
    let mut order = Vec::new();
    for line in output {
        // A client's texts come back unchanged, so that a line may hold more than ASCII.
        assert!(!line.contains(['\n', '\r']), "{line:?}");
        let answer: Value = serde_json::from_str(line).expect("an answer is JSON");
        if answer["partial"] == true {
            continue;
        }
        order.push(match &answer["id"] {
            Value::Null => Value::from(vec![answer["line"].as_u64().expect("an id or a line")]),
            id => id.clone(),
        });
        assert!(is_printable(&answer["moves"][0].to_string()), "{line}");
    }
    let mut wanted: Vec<Value> = expected
        .iter()
        .flat_map(|(id, count)| std::iter::repeat_n(id.clone(), *count))
        .collect();
    if !in_order {
        order.sort_by_key(Value::to_string);
        wanted.sort_by_key(Value::to_string);
    }
    assert_eq!(order, wanted);
}
