//! The summary of a run: one line of JSON in `FILE.summary.json`.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer::{Answer, Body};
use crate::util::input_file;

/// Most faults that a summary names.
const MAX_FAULTS: usize = 10;
/// Far more than the bytes of any summary.
const MAX_BYTES: u64 = 1 << 24;

/// Counts of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Totals {
    /// Requests, faulty ones included; or positions and games.
    pub requests: u64,
    /// Positions answered in the file.
    pub positions: u64,
    /// Answers of earlier runs, to faults too.
    pub resumed: u64,
    /// Requests with a fault, each answered with its error; entries that `--keep-going` skipped.
    pub errors: u64,
    /// The first ten requests with a fault.
    pub faults: Vec<FaultAt>,
    /// Nodes of all searches for the file, those of earlier runs included.
    pub nodes: u64,
}

/// A request with a fault.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FaultAt {
    /// The line of the whole input, from 1.
    pub line: u64,
    /// The fault, beginning with the field.
    pub error: String,
}

impl Totals {
    pub fn answer(&mut self, answer: &Answer) {
        if let Body::Judged(judged) = &answer.body
            && !judged.state.partial
        {
            self.positions += u64::from(!judged.state.cancelled);
            self.nodes += judged.work.searched;
        }
    }

    /// Counts a position and the nodes of its search.
    pub fn search(&mut self, nodes: u64) {
        self.positions += 1;
        self.nodes += nodes;
    }

    pub fn resume(&mut self, positions: usize) {
        self.resumed += positions as u64;
        self.positions += positions as u64;
    }

    pub fn fault(&mut self, line: u64, error: String) {
        self.errors += 1;
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(FaultAt { line, error });
        }
    }
}

/// The summary of a complete output.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Summary {
    /// Name of the file, without its folder.
    pub output: String,
    /// Checksum (CRC-32) of its text, unpacked.
    pub output_crc32: String,
    /// The sources, as the command line names them.
    pub input: String,
    /// Checksum (CRC-32) of their text, unpacked, up to the last byte read.
    pub input_crc32: String,
    /// The part of the input.
    pub shard: String,
    #[serde(flatten)]
    pub totals: Totals,
    /// Time of all runs together.
    pub seconds: f64,
    /// The version of the program.
    pub version: &'static str,
    /// The evaluation of the search.
    pub weights: String,
    /// The words of the command line.
    pub arguments: Vec<String>,
}

/// Whether a file is the summary of a run.
pub fn is_summary(path: &Path) -> bool {
    let value = input_file::read(path, MAX_BYTES)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    value.is_some_and(|value| value.get("output_crc32").is_some())
}

#[cfg(test)]
mod tests {
    use super::super::schema::testing::breach;
    use super::*;

    #[test]
    fn a_summary_is_in_form() {
        let mut totals = Totals::default();
        totals.resume(2);
        (0..20).for_each(|line| totals.fault(line + 1, "depth: no".to_owned()));
        let summary = Summary {
            output: "a.jsonl".into(),
            output_crc32: "cbf43926".into(),
            input: "stdin".into(),
            input_crc32: "00000000".into(),
            shard: "1/1".into(),
            totals: Totals {
                requests: 22,
                ..totals
            },
            seconds: 1.5,
            version: "1",
            weights: "x".into(),
            arguments: vec!["analyze".into()],
        };
        let value = serde_json::to_value(&summary).unwrap();
        assert_eq!(breach("Summary", &value), None, "{value}");
        assert_eq!(value["faults"].as_array().map(Vec::len), Some(MAX_FAULTS));
        let counts =
            ["requests", "errors", "positions", "resumed"].map(|name| value[name].as_u64());
        assert_eq!(counts, [Some(22), Some(20), Some(2), Some(2)]);
    }
}
