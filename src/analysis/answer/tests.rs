//! Answers written and read back.

use serde_json::json;

use super::*;
use crate::analysis::schema::testing::breach;
use crate::analysis::testing;
use crate::board::Score;

const START: &str = "---------------------------OX------XO--------------------------- X";

#[test]
fn book_values_match_the_schema() {
    let score = Score::from_discs;
    let value = book::Value {
        value: score(1),
        lower: score(-2),
        upper: score(3),
    };
    let known = BookValue {
        value: Some(value),
        depth: 22,
        games: 7,
        best: "f5".parse().ok(),
    };
    let value = serde_json::to_value(BookJudgement::new(&known, &[])).unwrap();
    assert_eq!(breach("BookJudgement", &value), None, "{value}");
    assert_eq!(
        value,
        json!({"value": 1.0, "lower": -2.0, "upper": 3.0, "depth": 22, "games": 7, "move": "f5"})
    );
    assert_eq!(
        BookJudgement::deserialize(&value).unwrap(),
        BookJudgement::new(&known, &[])
    );
    let only_games = BookValue {
        value: None,
        depth: 0,
        best: None,
        ..known
    };
    let value = serde_json::to_value(BookJudgement::new(&only_games, &[])).unwrap();
    assert_eq!(breach("BookJudgement", &value), None, "{value}");
    assert_eq!(value, json!({"depth": 0, "games": 7}));
}

#[test]
fn answers_are_read_back() {
    let board = "---------------------------OX------XXX-------------------------- O";
    let best = json!({"move": "d6", "score": 1.5, "win_chance": 0.6, "draw_chance": 0.1,
                      "loss_chance": 0.3, "lower": -64.0,
                      "upper": 64.0, "depth": 8, "selectivity": 73, "exact": false, "pv": ["d6", "c3"]});
    let judged = json!({"id": "g", "turn": 1, "positions": 5, "position": board, "empties": 59, "depth": 8,
                        "selectivity": 73, "exact": false, "score": 1.5, "win_chance": 0.6, "draw_chance": 0.1, "loss_chance": 0.3,
                        "lower": -64.0, "upper": 64.0, "schema_version": 2,
                        "nodes": 7, "seconds": 0.5, "moves": [best], "avoid": ["f4"],
                        "played": {"move": "f6", "result": "loss", "depth": 8, "selectivity": 73, "exact": false,
                                   "lower": -64.0, "upper": -2.0}, "opening": "Tiger",
                        "book": {"depth": 3, "games": 1}, "warnings": ["w"], "version": "1", "weights": "x"});
    let bound = json!({"id": 3, "position": board, "empties": 59, "depth": 8, "selectivity": 73, "exact": false,
                       "at_least": 2.0, "lower": -64.0, "upper": 64.0, "nodes": 7, "moves": [],
                       "schema_version": 2, "version": "1", "weights": "x"});
    for answer in [
        judged,
        bound,
        json!({"id": null, "line": 4, "cancelled": true}),
        json!({"id": null, "line": 5, "cancelled_positions": 3}),
        json!({"id": "a", "line": 6, "error": "depth: no", "field": "depth"}),
        json!({"id": null, "request": "0000000a", "error": "no"}),
    ] {
        assert_eq!(breach("Answer", &answer), None, "{answer}");
        let read = Answer::parse(&answer.to_string()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), answer);
    }
}

#[test]
fn the_move_played_is_completed_from_the_best_moves() {
    let answer = json!({"id": 1, "position": START, "score": 1, "played": {"move": "d3"},
                        "moves": [{"move": "f5", "score": 1}, {"move": "d3", "score": -1, "pv": ["d3", "c5"]}]});
    let played = Answer::parse(&answer.to_string())
        .unwrap()
        .into_judged()
        .unwrap()
        .played
        .unwrap();
    assert_eq!((played.loss, played.pv.len()), (Some(2.0), 2));
}

#[test]
fn faults_of_an_answer_are_named() {
    let error = |text: &str| Answer::parse(text).unwrap_err();
    let with = |fields: &str| error(&format!("{{\"position\":\"{START}\"{fields}}}"));
    assert!(error("f5d6").starts_with("expected a JSON object"));
    assert!(error("{\"position\":\"XO\",\"score\":0}").starts_with("expected an answer"));
    assert!(with("").contains("one of score, result"), "{}", with(""));
    assert!(with(r#","score":1e300"#).contains("expected a score from -64 to 64"));
    assert!(with(r#","result":"lost""#).contains("unknown variant `lost`"));
    assert!(with(r#","score":0,"moves":[{"move":"i9","score":0}]"#).contains("i9"));
}

#[test]
fn a_move_that_is_not_legal_is_no_better_one() {
    let square = |name: &str| Move::Place(name.parse().unwrap());
    let mut judged = testing::judged(Position::START, 1.0, Some(square("a1")));
    judged.played = Some(PlayedMove {
        loss: Some(8.0),
        ..PlayedMove::of(square("f5"))
    });
    judged.moves.clear();
    judged.explain(Language::En);
    let why = &judged.played.as_ref().unwrap().why;
    assert!(
        why.iter().all(|sentence| !sentence.contains("a1")),
        "{why:?}"
    );
}

#[test]
fn only_proofs_bound_a_score() {
    for (proof, discs, expected, is_exact) in [
        (Proof::Exact, -6, (-6.0, -6.0), true),
        (Proof::WinLossDraw, 2, (2.0, 64.0), false),
        (Proof::WinLossDraw, -2, (-64.0, -2.0), false),
        (Proof::WinLossDraw, 0, (0.0, 0.0), true),
        (Proof::None, 64, (-64.0, 64.0), false),
    ] {
        let score = Score::from_discs(discs);
        let selectivity = Selectivity::Full;
        let line = search::Line {
            pv: Vec::new(),
            bound: score,
            depth: 9,
            selectivity,
            proof,
        };
        assert_eq!(
            (bounds(&line), line.is_exact()),
            (expected, is_exact),
            "{line:?}"
        );
    }
}
