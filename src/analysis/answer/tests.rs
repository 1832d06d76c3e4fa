//! Answers written and read back.

use serde_json::json;

use super::*;
use crate::analysis::line::RequestLine;
use crate::analysis::schema::testing::breach;
use crate::board::Score;
use crate::sentences::Language;

#[test]
fn what_the_book_knows_is_in_form() {
    let score = Score::from_discs;
    let value = book::Value { value: score(1), lower: score(-2), upper: score(3) };
    let known = BookValue { value: Some(value), depth: 22, games: 7, best: "f5".parse().ok() };
    let told = serde_json::to_value(BookJudgement::new(&known)).unwrap();
    assert_eq!(breach("book", &told), None, "{told}");
    assert_eq!(
        told,
        json!({"value": 1.0, "lower": -2.0, "upper": 3.0, "depth": 22, "games": 7, "move": "f5"})
    );
    assert_eq!(BookJudgement::deserialize(&told).unwrap(), BookJudgement::new(&known));
    let only_games = BookValue { value: None, depth: 0, best: None, ..known };
    let told = serde_json::to_value(BookJudgement::new(&only_games)).unwrap();
    assert_eq!(breach("book", &told), None, "{told}");
    assert_eq!(told, json!({"depth": 0, "games": 7}));
}

#[test]
fn what_is_written_is_read_back() {
    let board = "---------------------------OX------XXX-------------------------- O";
    let best = json!({"move": "d6", "score": 1.5, "win": 0.6, "draw": 0.1, "loss": 0.3, "lower": -64.0,
                      "upper": 64.0, "depth": 8, "selectivity": 73, "exact": false, "pv": ["d6", "c3"]});
    let judged = json!({"id": "g", "turn": 1, "positions": 5, "position": board, "empties": 59, "depth": 8,
                        "selectivity": 73, "exact": false, "score": 1.5, "win": 0.6, "draw": 0.1, "loss": 0.3,
                        "nodes": 7, "seconds": 0.5, "moves": [best], "avoid": ["f4"],
                        "played": {"move": "f6", "result": "loss"}, "opening": "Tiger",
                        "book": {"depth": 3, "games": 1}, "warnings": ["w"], "version": "1", "weights": "x"});
    let bound = json!({"id": 3, "position": board, "empties": 59, "depth": 8, "selectivity": 73, "exact": false,
                       "at_least": 2.0, "nodes": 7, "moves": [], "version": "1", "weights": "x"});
    for answer in [
        judged,
        bound,
        json!({"id": null, "line": 4, "cancelled": true}),
        json!({"id": null, "line": 5, "cancelled_positions": 3}),
        json!({"id": "a", "line": 6, "error": "depth: no", "field": "depth"}),
        json!({"id": null, "request": "0000000a", "error": "no"}),
    ] {
        assert_eq!(breach("answer", &answer), None, "{answer}");
        let read = Answer::parse(&answer.to_string()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), answer);
    }
}

#[test]
fn answers_and_requests_have_the_fields_of_the_schema() {
    let root: Value = serde_json::from_str(crate::analysis::SCHEMA).unwrap();
    let of_schema = |name: &str| -> Vec<String> {
        let absent = ["id", "line", "request", "turn", "positions", "result", "at_least", "at_most"];
        let fields = root["$defs"][name]["properties"].as_object().unwrap().keys();
        fields.filter(|field| !absent.contains(&field.as_str())).cloned().collect()
    };
    let names = |value: Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let (position, mv) = (Position::START, "f5".parse().map(Move::Place).unwrap());
    let odds = Odds::new(Chances { win: 0.5, draw: 0.1, loss: 0.4 }, Some(1.0), Some(2.0));
    let mut judged = Judged {
        partial: true,
        cancelled: true,
        odds,
        settled: Some(true),
        stored: true,
        estimate: Some(Estimate::new(&Cost { nodes: 1e9, seconds: 9.0, nearly: None })),
        avoid: vec![mv],
        played: Some(PlayedMove {
            value: Some(Known::Score(0.0)),
            exact: true,
            loss: Some(0.0),
            pv: vec![mv],
            ..PlayedMove::of(mv)
        }),
        opening: Some("x".into()),
        book: Some(BookJudgement { value: None, depth: 0, games: 0, mv: None }),
        warnings: vec![String::new()],
        ..crate::analysis::testing::judged(position, 0.0, Some(mv))
    };
    judged.moves[0].odds = odds;
    judged.tell(Language::En);
    assert_eq!(names(serde_json::to_value(&judged).unwrap()), of_schema("judged"));
    assert_eq!(names(serde_json::to_value(&judged.moves[0]).unwrap()), of_schema("judged_move"));
    assert_eq!(names(serde_json::to_value(&judged.played).unwrap()), of_schema("played"));
    let mut request = names(serde_json::to_value(RequestLine::default()).unwrap());
    request.retain(|name| name != "id");
    let mut fields = [of_schema("request"), of_schema("cancellation")].concat();
    fields.sort();
    assert_eq!(request, fields);
}

#[test]
fn faults_of_an_answer_are_told() {
    let error = |text: &str| Answer::parse(text).unwrap_err();
    let board = "---------------------------OX------XO--------------------------- X";
    let with = |fields: &str| error(&format!("{{\"position\":\"{board}\"{fields}}}"));
    assert!(error("f5d6").starts_with("expected a JSON object"));
    assert!(error("{\"position\":\"XO\",\"score\":0}").starts_with("expected an answer"));
    assert!(with("").contains("score or result"), "{}", with(""));
    assert!(with(r#","score":1e300"#).contains("expected a score from -64 to 64"));
    assert!(with(r#","result":"lost""#).contains("expected win, draw or loss, found \"lost\""));
    assert!(with(r#","score":0,"moves":[{"move":"i9","score":0}]"#).contains("i9"));
}
