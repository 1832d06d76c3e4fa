//! A session: requests of the analysis stream and calls in, answers out.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::calls::Calls;
use crate::analysis::answer::Answer;
use crate::analysis::request::{self, Query};
use crate::analysis::{Defaults, Settings, Workers, wire};
use crate::board::Position;
use crate::book::policy::Policy;
use crate::engine::{BookOptions, Opening};
use crate::eval::{Evaluator, Weights};
use crate::search::{Limits, Options, Search, Task};

pub struct PageSession {
    search: Search,
    workers: Workers,
    calls: Calls,
    write: fn(&str),
    /// Number of the last line.
    lines: u64,
}

/// The searches of `emilia bench`, for the test of the module.
#[derive(Deserialize)]
struct Bench {
    #[serde(with = "wire")]
    bench: Vec<Position>,
}

impl PageSession {
    /// A session that hands each line to `write`; `None` if memory is short.
    pub fn new(hash_mib: usize, write: fn(&str)) -> Option<Self> {
        let evaluator = Arc::new(Evaluator::load(None, None).ok()?);
        let weights = Weights::embedded_name().ok()?;
        let book = BookOptions {
            path: None,
            policy: Policy::Best,
            seed: 1,
        };
        let book = Arc::new(Opening::open(&book).expect("a test reads the small book"));
        let options = Options {
            threads: 1,
            hash_mib,
        };
        let settings = Settings {
            jobs: 1,
            hash_mib,
            queue: usize::MAX,
            in_order: false,
            defaults: Defaults::default(),
            evaluator: Arc::clone(&evaluator),
            weights: weights.clone(),
            book: Some(Arc::clone(&book)),
            fields: None,
            store: None,
            budget: None,
        };
        let sink = move |answer: &Answer| {
            write(&answer.to_line(None));
            Ok(())
        };
        Some(Self {
            search: Search::new(&options, evaluator),
            workers: Workers::new(settings, Box::new(sink)),
            calls: Calls { book, weights },
            write,
            lines: 0,
        })
    }

    /// Takes a line of input.
    pub fn take(&mut self, text: &str) {
        self.lines += 1;
        let line: Value = serde_json::from_str(text).unwrap_or_default();
        if let Ok(bench) = Bench::deserialize(&line) {
            let nodes = bench
                .bench
                .iter()
                .map(|position| self.bench_nodes(position))
                .sum::<u64>();
            return (self.write)(&json!({ "bench": nodes }).to_string());
        }
        if line.get("call").is_some() {
            return (self.write)(&self.calls.answer(&line));
        }
        match request::parse(text, self.lines, &Defaults::default()) {
            Ok(Query::Analyze(request)) => self.workers.submit(request),
            Ok(Query::Cancel { tag, id, warnings }) => {
                let positions = self.workers.cancel(id.as_ref());
                self.workers
                    .answer(Answer::cancelled(&tag, positions, warnings))
            }
            Ok(Query::Version { tag, warnings }) => self.workers.version(&tag, warnings),
            Err((tag, fault)) => self.workers.answer(Answer::fault(&tag, &fault)),
        };
    }

    /// The nodes of the standard search of `emilia bench`.
    fn bench_nodes(&mut self, position: &Position) -> u64 {
        self.search.clear();
        let limits = Limits {
            exact_empties: 18,
            ..Limits::depth(10)
        };
        self.search
            .run(&Task::new(position.board, limits))
            .info
            .nodes
    }

    /// Searches until the microsecond `end` of the clock; whether positions are left.
    pub fn search_until(&mut self, end: u64) -> bool {
        self.workers.work_until(end, &mut self.search)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::notation::Code;

    thread_local! {
        static LINES: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
    }

    fn keep(line: &str) {
        LINES.with_borrow_mut(|lines| lines.push(serde_json::from_str(line).unwrap()));
    }

    fn session() -> PageSession {
        PageSession::new(1, keep).expect("memory for a test")
    }

    /// The lines that this input brings, searched to the end.
    fn answers(session: &mut PageSession, input: &str) -> Vec<Value> {
        session.take(input);
        while session.search_until(u64::MAX) {}
        LINES.take()
    }

    #[test]
    fn calls_have_answers() {
        const MOVES: &str = "f5d6c3d3c4";
        let mut session = session();
        // A call, the place of a value in its answer, and that value.
        for (call, place, wanted) in [
            (json!({ "call": "version", "id": 1 }), "/id", json!(1)),
            (
                json!({ "call": "games" }),
                "/games/0/positions/0/legal",
                json!(["d3", "c4", "f5", "e6"]),
            ),
            (
                json!({ "call": "games", "text": MOVES }),
                "/games/0/positions/5/side",
                json!("white"),
            ),
            (
                json!({ "call": "games", "text": MOVES }),
                "/games/0/positions/1/played",
                json!("d6"),
            ),
            (
                json!({ "call": "games", "text": "f5f6e6f4" }),
                "/games/0/opening",
                json!("Diagonal Opening"),
            ),
            (
                json!({ "call": "games", "text": "(;GM[Othello]PB[A_]BO[8 ---------------------------O*------*O--------------------------- *]B[F5];)" }),
                "/games/0/black",
                json!("A_"),
            ),
            (
                json!({ "call": "games", "text": "f5d6c9" }),
                "/games",
                json!([]),
            ),
            (
                json!({ "call": "games", "text": "f5d6\nc3d3" }),
                "/games/0/moves",
                json!("f5d6c3d3"),
            ),
            (
                json!({ "call": "games", "text": "f5d6c3\nd3c5" }),
                "/errors/0/code",
                json!("two-readings"),
            ),
            (
                json!({ "call": "games", "text": "f5d6x9" }),
                "/errors/0/part/moves",
                json!("f5d6"),
            ),
            (
                json!({ "call": "games", "text": "f5d6c3d3c4f5" }),
                "/errors/0/code",
                json!("illegal-occupied"),
            ),
            (
                json!({ "call": "games", "text": "(;GM[2];B[f5](;W[d6])(;W[f6]C[x]))" }),
                "/games/0/positions/3/parent",
                json!(1),
            ),
            (
                json!({ "call": "write", "text": "f5d6c3", "format": "moves" }),
                "/text",
                json!("f5d6c3\n"),
            ),
            (
                json!({ "call": "find", "text": "f5d6c3d3c4", "lines": ["f5f6", "c4e3f6e6f5c5"] }),
                "/games/0",
                json!([1, 5, "f4"]),
            ),
            (
                json!({ "call": "openings" }),
                "/openings/0",
                json!(["c4c3", "Diagonal Opening"]),
            ),
            (
                json!({ "call": "games", "hex": "zz" }),
                "/error",
                json!("hex: expected two digits for each byte"),
            ),
            (
                json!({ "call": "book", "text": MOVES }),
                "/moves/0/pv/0",
                json!("f4"),
            ),
            (
                json!({ "call": "turn" }),
                "/error",
                json!("answers: expected a whole one"),
            ),
            (
                json!({ "call": "report", "text": "f5" }),
                "/error",
                json!("answers: expected one for each of the 2 positions of the game"),
            ),
            (
                json!({ "call": "fly" }),
                "/error",
                json!(
                    "call: expected version, games, write, find, report, turn, book or openings, found \"fly\""
                ),
            ),
        ] {
            let found = answers(&mut session, &call.to_string());
            assert_eq!(found.len(), 1, "{call}");
            assert_eq!(found[0]["call"], call["call"]);
            assert_eq!(
                found[0].pointer(place),
                Some(&wanted),
                "{call}: {}",
                found[0]
            );
        }
    }

    #[test]
    fn the_page_has_words_for_every_fault() {
        let texts = [
            include_str!("page/texts/fr.json"),
            include_str!("page/texts/ja.json"),
        ];
        let reasons = ["occupied", "turns", "over", "pass"];
        let reasons = reasons.map(|reason| format!("illegal-{reason}"));
        let codes = Code::ALL.iter().map(|code| code.name().to_owned());
        for name in codes.chain(reasons) {
            for text in texts {
                let texts: Value = serde_json::from_str(text).unwrap();
                assert!(texts[format!("fault-{name}")].is_string(), "{name}");
            }
        }
    }

    #[test]
    fn book_moves_have_their_results() {
        let book = answers(&mut session(), r#"{"call":"book","text":"f5d6"}"#);
        let first = &book[0]["moves"][0];
        let results: Vec<u64> = serde_json::from_value(first["results"].clone()).unwrap();
        assert_eq!(
            (results.len(), results.iter().sum::<u64>()),
            (3, first["games"].as_u64().unwrap())
        );
        assert!(results[0] > 0, "{first}");
    }

    #[test]
    fn answers_become_turns_and_reports() {
        let mut session = session();
        let line = r#"{"id":7,"game":"f5d6","best_moves":"all","losses":true,"depth":2}"#;
        let mut found = answers(&mut session, line);
        assert_eq!(found.len(), 3);
        let turn = answers(
            &mut session,
            &json!({ "call": "turn", "answers": [found[1]] }).to_string(),
        );
        assert_eq!(turn[0]["moves"].as_array().unwrap().len(), 3, "{}", turn[0]);
        assert_eq!(
            (&turn[0]["side"], &turn[0]["known"].as_str().unwrap()[..7]),
            (&json!("white"), "depth 2")
        );
        // In any order.
        found.reverse();
        let report = answers(
            &mut session,
            &json!({ "call": "report", "text": "f5d6", "answers": found }).to_string(),
        );
        assert!(
            report[0]["html"]
                .as_str()
                .unwrap()
                .starts_with("<!DOCTYPE html>"),
            "{}",
            report[0]
        );
    }

    #[test]
    fn requests_are_searched_cancelled_or_refused() {
        let mut session = session();
        session.take(r#"{"id":1,"position":"f5d6c3","depth":30}"#);
        session.take(r#"{"cancel":1}"#);
        let found = answers(&mut session, "nonsense");
        let cancelled = found
            .iter()
            .filter(|line| line["cancelled"] == json!(true))
            .count();
        assert_eq!((found.len(), cancelled), (3, 1), "{found:?}");
        assert!(
            found.iter().any(|line| line["error"].is_string()),
            "{found:?}"
        );
    }
}
