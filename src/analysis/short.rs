//! The short form of an answer: those of its fields that were asked for, all of them plain values.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::answer::{Answer, Body, Judged, Origin, is_false};
use crate::board::{Move, Position};
use crate::search::Known;

/// All fields that a short answer may have. Beside them it has what tells its request: `id`, `line`, `request`, `turn`.
const FIELDS: [&str; 16] = [
    "score",
    "depth",
    "exact",
    "best",
    "selectivity",
    "win",
    "draw",
    "loss",
    "score_error",
    "margin",
    "pv",
    "position",
    "empties",
    "nodes",
    "seconds",
    "opening",
];

/// Which fields short answers have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortFields(Vec<&'static str>);

impl FromStr for ShortFields {
    type Err = String;

    /// Reads `score,depth,best`; `id` may stand there, too.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut fields = Vec::new();
        for word in text.split(',').map(str::trim).filter(|word| *word != "id") {
            let known = FIELDS.into_iter().find(|field| *field == word);
            fields.push(known.ok_or_else(|| format!("expected id, {}, found {word:?}", FIELDS.join(", ")))?);
        }
        Ok(Self(fields))
    }
}

impl fmt::Display for ShortFields {
    /// The fields in the order of an answer.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chosen: Vec<&str> = FIELDS.into_iter().filter(|field| self.0.contains(field)).collect();
        f.write_str(&chosen.join(","))
    }
}

impl ShortFields {
    fn pick<T>(&self, name: &str, value: Option<T>) -> Option<T> {
        value.filter(|_| self.0.contains(&name))
    }
}

/// A position judged, in short.
#[derive(Serialize)]
struct Short<'a> {
    #[serde(flatten)]
    origin: &'a Origin,
    #[serde(skip_serializing_if = "is_false")]
    partial: bool,
    #[serde(skip_serializing_if = "is_false")]
    cancelled: bool,
    #[serde(flatten)]
    value: Option<Known>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<Move>,
    #[serde(skip_serializing_if = "Option::is_none")]
    selectivity: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    win: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    draw: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    margin: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pv: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Position>,
    #[serde(skip_serializing_if = "Option::is_none")]
    empties: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<&'a Cow<'static, str>>,
}

impl<'a> Short<'a> {
    fn new(origin: &'a Origin, judged: &'a Judged, fields: &ShortFields) -> Self {
        let line = judged.line();
        Self {
            origin,
            partial: judged.partial,
            cancelled: judged.cancelled,
            value: fields.pick("score", Some(judged.value)),
            depth: fields.pick("depth", Some(judged.depth)),
            exact: fields.pick("exact", Some(judged.exact)),
            best: fields.pick("best", line.first().copied()),
            selectivity: fields.pick("selectivity", Some(judged.selectivity)),
            win: fields.pick("win", judged.odds.win),
            draw: fields.pick("draw", judged.odds.draw),
            loss: fields.pick("loss", judged.odds.loss),
            score_error: fields.pick("score_error", judged.odds.score_error),
            margin: fields.pick("margin", judged.odds.margin),
            pv: fields.pick("pv", Some(line.iter().map(Move::to_string).collect())),
            position: fields.pick("position", Some(judged.position)),
            empties: fields.pick("empties", Some(judged.empties)),
            nodes: fields.pick("nodes", Some(judged.nodes)),
            seconds: fields.pick("seconds", judged.seconds),
            opening: fields.pick("opening", judged.opening.as_ref()),
        }
    }
}

impl Answer {
    /// The answer as a line of output, without its end: all of it, or in short. What is not a position judged has no
    /// shorter form.
    pub fn to_line(&self, fields: Option<&ShortFields>) -> String {
        let text = match (&self.body, fields) {
            (Body::Judged(judged), Some(fields)) => {
                serde_json::to_string(&Short::new(&self.origin, judged, fields))
            }
            _ => serde_json::to_string(self),
        };
        text.expect("numbers, texts and lists are always JSON")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::line::Id;
    use super::super::schema::testing::breach;
    use super::super::{SCHEMA, testing};
    use super::*;

    fn answer(id: Id, score: f64) -> Answer {
        let best = "f5".parse().ok().map(Move::Place);
        let judged = Judged {
            depth: 60,
            opening: Some("Tiger".into()),
            ..testing::judged(Position::START, score, best)
        };
        let origin = Origin { id: Some(id), ..Origin::default() };
        Answer { origin, positions: None, body: Body::Judged(Box::new(judged)), asked: Default::default() }
    }

    fn short(answer: &Answer, fields: &str) -> String {
        answer.to_line(Some(&fields.parse().unwrap()))
    }

    #[test]
    fn an_answer_in_short_is_short_and_in_form() {
        let line = short(&answer(Id::Text("a".into()), 1.5), "id,score,depth,best");
        assert_eq!(line, r#"{"id":"a","score":1.5,"depth":60,"best":"f5"}"#);
        // The longest there is, with its line end.
        let longest = answer(Id::Text("123456789012".into()), -63.992_187_5);
        let line = short(&longest, "id,score,depth,exact,best");
        assert!(line.len() < 80, "{} bytes: {line}", line.len());
        assert!(short(&longest, "score,depth,best,nodes").len() < 80);
        for fields in FIELDS.into_iter().chain(["id", "score,depth"]) {
            let value: Value = serde_json::from_str(&short(&longest, fields)).unwrap();
            assert_eq!(breach("short_answer", &value), None, "{value}");
        }
    }

    #[test]
    fn the_schema_has_every_field_and_no_other() {
        let root: Value = serde_json::from_str(SCHEMA).unwrap();
        let told = root["$defs"]["short_answer"]["properties"].as_object().unwrap();
        let mut all = answer(Id::Number(1), 0.0);
        all.origin = Origin { line: Some(1), request: Some("0000000a".into()), turn: Some(0), ..all.origin };
        if let Body::Judged(judged) = &mut all.body {
            (judged.partial, judged.cancelled) = (true, true);
        }
        let value: Value = serde_json::from_str(&short(&all, &FIELDS.join(","))).unwrap();
        let mut found: Vec<&String> = value.as_object().unwrap().keys().collect();
        let others = ["result", "at_least", "at_most"].map(str::to_owned);
        // Made up scores say nothing of chances.
        let odds = ["win", "draw", "loss", "score_error", "margin"].map(str::to_owned);
        found.extend(others.iter().chain(&odds));
        found.sort();
        assert_eq!(found, told.keys().collect::<Vec<_>>());
    }

    #[test]
    fn numbers_are_those_of_the_whole_answer() {
        let answer = answer(Id::Number(7), -12.507_812_5);
        let whole: Value = serde_json::from_str(&answer.to_line(None)).unwrap();
        let short: Value = serde_json::from_str(&short(&answer, &FIELDS.join(","))).unwrap();
        for (name, value) in short.as_object().unwrap() {
            let expected = match name.as_str() {
                "best" => json!(whole["moves"][0]["move"]),
                "pv" => json!("f5"),
                _ => whole[name].clone(),
            };
            assert_eq!(*value, expected, "{name}");
        }
    }

    #[test]
    fn what_is_no_judged_position_stays_whole() {
        let failed = r#"{"id":"a","line":6,"error":"depth: no","field":"depth"}"#;
        assert_eq!(short(&Answer::parse(failed).unwrap(), "score"), failed);
        let error = "score,dpeth".parse::<ShortFields>().unwrap_err();
        assert!(error.starts_with("expected id, score, ") && error.ends_with("found \"dpeth\""), "{error}");
    }
}
