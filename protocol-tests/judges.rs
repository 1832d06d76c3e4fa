//! `analyze` and `report` are one judge: the same scores, losses and best moves for the same games and budget.

use std::fs;

use serde_json::Value;

use crate::scratch::{Outcome, Scratch, values};

const GAMES: usize = 20;

impl Scratch {
    /// The data of each turn in the script of a page, without times.
    fn turns(&self, page: &str) -> Vec<Value> {
        let html = self.read(page);
        let (_, rest) = html.split_once("id=\"game\">").expect("a page has data");
        let (data, _) = rest.split_once("</script>").expect("the data end");
        let mut data: Value = serde_json::from_str(data).unwrap();
        let turns = data["turns"].as_array_mut().expect("turns");
        for turn in turns.iter_mut().filter_map(Value::as_object_mut) {
            turn.remove("time");
            turn.remove("left");
        }
        std::mem::take(turns)
    }
}

/// A played move is never above the best, and loses the difference.
fn assert_sound(answer: &Value) {
    let Some(score) = answer["played"]["score"].as_f64() else {
        return;
    };
    let best = answer["moves"][0]["score"]
        .as_f64()
        .expect("the best move has a score");
    let loss = answer["played"]["loss"]
        .as_f64()
        .expect("two scores have a loss");
    assert!(score <= best && loss == best - score, "{answer}");
    assert_eq!(answer["score"], answer["moves"][0]["score"]);
}

#[test]
fn analyze_and_report_judge_alike() {
    let scratch = Scratch::new("judges");
    scratch.succeeds(&format!(
        "match one=random other=random --games {GAMES} --seed 7 --ggf games.ggf"
    ));
    // One move of each position, and all of them, as reports do by default.
    for (name, budget, moves) in [
        ("a", "--depth 3", "--moves 1"),
        ("b", "--nodes 300", "--moves 2"),
        ("c", "--level 2", "--moves 64"),
    ] {
        // Threads and the order of the positions decide nothing.
        let store = format!("--store {name}-store");
        let answers = scratch.succeeds(&format!(
            "analyze games.ggf --json -j 2 {budget} {moves} {store}"
        ));
        let values = values(&answers);
        values.iter().for_each(assert_sound);
        let losses: Vec<f64> = values
            .iter()
            .filter_map(|answer| answer["played"]["loss"].as_f64())
            .collect();
        assert!(losses.len() > GAMES * 40 && losses.iter().any(|&loss| loss > 2.0));
        let asked = if moves.ends_with("64") { "" } else { moves };
        scratch.succeeds(&format!(
            "report games.ggf -o {name}-searched/ {budget} {asked}"
        ));
        let line = format!("report games.ggf -o {name}-stored/ {budget} {asked} {store}");
        let Outcome(_, _, shown) = scratch.run(&line);
        assert!(
            shown.contains(" answers found, 0 added"),
            "{budget}: {shown}"
        );
        let mut pages = 0;
        for file in fs::read_dir(scratch.0.join(format!("{name}-stored"))).unwrap() {
            let file = file.unwrap().file_name().into_string().unwrap();
            if file.starts_with("game") {
                let [one, other] =
                    ["searched", "stored"].map(|of| scratch.turns(&format!("{name}-{of}/{file}")));
                assert_eq!(one.len(), other.len(), "{file} {budget}");
                // Games share their first moves up to symmetry: a stored answer may be that of another board.
                for (ply, (one, other)) in one.iter().zip(&other).enumerate().skip(8) {
                    assert_eq!(one, other, "{file} {budget}, position {ply}");
                }
                pages += 1;
            }
        }
        assert_eq!(pages, GAMES, "{budget}");
    }
}

#[test]
fn a_winner_is_no_score() {
    let scratch = Scratch::new("winner");
    scratch.succeeds("match one=random other=random --games 1 --seed 3 --ggf game.ggf");
    let game = scratch.read("game.ggf");
    let line = serde_json::json!({"game": game.lines().next(), "turns": [-12, -11, -10], "wld": true, "losses": true});
    scratch.write("asked.jsonl", format!("{line}\n"));
    let answers = scratch.succeeds("analyze asked.jsonl");
    assert_eq!(answers.lines().count(), 3, "{answers}");
    for answer in values(&answers) {
        for place in [&answer, &answer["moves"][0], &answer["played"]] {
            let result = place["result"].as_str().unwrap_or_default();
            assert!(["win", "draw", "loss"].contains(&result), "{answer}");
            assert_eq!(place["score"], Value::Null, "{answer}");
        }
        assert_eq!(answer["played"]["loss"], Value::Null, "{answer}");
    }
}

/// Nodes of the answers to lines of requests for one position.
fn nodes(options: &str, input: &str) -> Vec<u64> {
    let scratch = Scratch::new("warm");
    let Outcome(code, out, error) = scratch.feed(&format!("analyze --no-book {options}"), input);
    assert_eq!(code, 0, "{error}");
    let nodes = |answer: &Value| {
        answer["nodes"]
            .as_u64()
            .unwrap_or_else(|| panic!("{answer}"))
    };
    values(&out).iter().map(nodes).collect()
}

#[test]
fn only_a_warm_request_keeps_the_table() {
    let cold = r#"{"position":"f5d6c3d3c4f4f6","depth":14}"#;
    let warm = r#"{"position":"f5d6c3d3c4f4f6","depth":14,"warm":true}"#;
    let found = nodes("--hash 4", &format!("{cold}\n{cold}\n{warm}\n{cold}\n"));
    assert_eq!([found[1], found[3]], [found[0]; 2]);
    assert!(found[2] < found[0] / 4, "{found:?}");
    let folder = Scratch::new("warm-store");
    let store = format!("--hash 4 --store {}", folder.0.join("s").display());
    let stored = nodes(&store, &format!("{cold}\n{warm}\n"));
    assert_eq!(stored[0], found[0]);
    assert_eq!(
        nodes(&store, &format!("{warm}\n")),
        [found[0]],
        "a cold table, and nothing from the store"
    );
    let refused = Scratch::new("warm-refused");
    let Outcome(_, out, _) = refused.feed("analyze --no-book --reproducible", &format!("{warm}\n"));
    assert!(out.contains("warm table"), "{out}");
}
