//! The short form of an answer: the fields that were asked for, all of them plain values.

use std::str::FromStr;
use std::{fmt, slice};

use serde_json::json;

use super::answer::{Answer, Body};
use crate::board::Move;
use crate::util::refusal::Refusal;
use crate::util::text::did_you_mean;

/// Fields that a short answer has whenever the whole one has them.
pub const ALWAYS: [&str; 6] = ["id", "line", "request", "turn", "partial", "cancelled"];
/// Fields that can be asked for. Those of whole answers, but `best` and `played` are moves, `pv` is one word, and `loss` is
/// that of `played`.
pub const FIELDS: &str = "score depth exact best selectivity win_chance draw_chance loss_chance score_error margin \
    lower upper pv position empties nodes seconds opening moves played loss source names";
/// Fields that may be there instead of a score.
pub const SCORES: [&str; 4] = ["score", "result", "at_least", "at_most"];

/// Which fields short answers have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortFields(Vec<&'static str>);

impl FromStr for ShortFields {
    type Err = Refusal;

    /// Reads `score,depth,best`; `id` may be one of them, too.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        let words: Vec<&str> = text
            .split(',')
            .map(str::trim)
            .filter(|word| *word != "id")
            .collect();
        if let Some(word) = words
            .iter()
            .find(|word| FIELDS.split(' ').all(|field| field != **word))
        {
            return Err(format!(
                "expected id, {}, found {word:?}{}",
                FIELDS.replace(' ', ", "),
                did_you_mean(word, FIELDS.split(' '))
            )
            .into());
        }
        Ok(Self(
            FIELDS
                .split(' ')
                .filter(|field| words.contains(field))
                .collect(),
        ))
    }
}

impl fmt::Display for ShortFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

impl Answer {
    /// The answer as a line of output, without its end: all of it, or in short. Only a position judged has a shorter form.
    pub fn to_line(&self, fields: Option<&ShortFields>) -> String {
        let (Body::Judged(judged), Some(fields)) = (&self.body, fields) else {
            return serde_json::to_string(self).expect("numbers, texts and lists are always JSON");
        };
        let mut whole = json!(self);
        whole["best"] = json!(judged.pv().first().map(Move::to_string));
        whole["pv"] = json!(judged.pv().iter().map(Move::to_string).collect::<String>());
        whole["loss"] = whole["played"]["loss"].take();
        whole["played"] = whole["played"]["move"].take();
        let asked = fields.0.iter().flat_map(|field| {
            if *field == "score" {
                &SCORES[..]
            } else {
                slice::from_ref(field)
            }
        });
        let present = |name: &&&str| {
            whole
                .get(**name)
                .is_some_and(|value| **name == "id" || !value.is_null())
        };
        let named = |name: &&str| format!("{name:?}:{}", whole[*name]);
        let all: Vec<String> = ALWAYS
            .iter()
            .chain(asked)
            .filter(present)
            .map(named)
            .collect();
        format!("{{{}}}", all.join(","))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::answer::Origin;
    use super::super::line::Id;
    use super::super::testing;
    use super::*;
    use crate::board::Position;

    fn answer(id: Id, score: f64) -> Answer {
        let best = "f5".parse().ok().map(Move::Place);
        let mut judged = testing::judged(Position::START, score, best);
        judged.theory.opening = Some("Tiger".into());
        judged.line.depth = 60;
        let origin = Origin {
            id: Some(id),
            ..Origin::default()
        };
        Answer {
            origin,
            positions: None,
            body: Body::Judged(Box::new(judged)),
            tag: Default::default(),
        }
    }

    fn short(answer: &Answer, fields: &str) -> String {
        answer.to_line(Some(&fields.parse().unwrap()))
    }

    #[test]
    fn an_answer_in_short_is_short() {
        let line = short(&answer(Id::Text("a".into()), 1.5), "id,score,depth,best");
        assert_eq!(line, r#"{"id":"a","score":1.5,"depth":60,"best":"f5"}"#);
        // The longest there is, with its line end.
        let longest = answer(Id::Text("123456789012".into()), -63.992_187_5);
        for fields in ["id,score,depth,exact,best", "score,depth,best,nodes"] {
            let line = short(&longest, fields);
            assert!(line.len() < 80, "{} bytes: {line}", line.len());
        }
    }

    #[test]
    fn values_are_those_of_the_whole_answer() {
        let answer = answer(Id::Number(7), -12.507_812_5);
        let whole: Value = serde_json::from_str(&answer.to_line(None)).unwrap();
        let short: Value =
            serde_json::from_str(&short(&answer, &FIELDS.replace(' ', ","))).unwrap();
        // Made up scores have no chances, and the answer is that of no game.
        assert_eq!(
            short.as_object().unwrap().len(),
            1 + FIELDS.split(' ').count() - 9
        );
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
    fn only_a_judged_position_has_a_short_form() {
        let failed = r#"{"id":"a","line":6,"error":"depth: no","field":"depth"}"#;
        assert_eq!(short(&Answer::parse(failed).unwrap(), "score"), failed);
        let error = "score,dpeth".parse::<ShortFields>().unwrap_err();
        assert!(
            error.starts_with("expected id, score, ")
                && error.ends_with("found \"dpeth\"; did you mean \"depth\"?"),
            "{error}"
        );
    }
}
