//! The data of a game for the page's script, and values of positions in words.

use serde_json::{Value, json};

use super::game::{GameReport, JudgedTurn, SHOWN_LOSS};
use crate::analysis::Grade;
use crate::analysis::answer::Line;
use crate::analysis::words::{self, chance, lead, seconds};
use crate::board::stability::stable_discs;
use crate::board::{Color, Move, SquareSet};
use crate::notation::diagram::write_board;
use crate::notation::record_ggf;
use crate::search::Known;
use crate::sentences::Language;

/// The data as JSON: the turns, and the game in the notations that can be copied.
pub fn data(report: &GameReport) -> Value {
    let clocks = report.source.clocks;
    let mut left = clocks.map(|clock| clock.map(|clock| clock.main));
    let mut turns = Vec::new();
    for (ply, turn) in report.turns.iter().enumerate() {
        let side = turn.position.side as usize;
        let time = report.source.seconds.get(ply).copied().flatten();
        if let (Some(left), Some(clock), Some(_)) = (&mut left[side], clocks[side], turn.played) {
            *left = (*left - time.unwrap_or(0.0) + clock.increment).max(0.0);
        }
        let mut value = turn_data(report.language, turn);
        value["id"] = json!(report.anchor(ply));
        if let Some(lost) = report
            .chance_lost(ply)
            .filter(|&lost| lost >= 0.005 && turn.is_choice())
        {
            value["cost"] = json!(chance(lost));
        }
        for (name, time) in [("time", time), ("left", left[side])] {
            if let Some(time) = time {
                value[name] = json!(seconds(time));
            }
        }
        turns.push(value);
    }
    json!({
        "first": report.first_mistake().unwrap_or(0),
        "ggf": record_ggf(&report.source.record).to_string(),
        "language": report.language.code(),
        "turns": turns,
    })
}

/// The data of a position outside the game.
#[cfg(any(feature = "web", test))]
pub fn turn(judged: crate::analysis::answer::Judged, language: Language) -> Value {
    turn_data(
        language,
        &JudgedTurn::new(judged, language, &mut crate::sentences::Told::default()),
    )
}

fn turn_data(language: Language, turn: &JudgedTurn) -> Value {
    let position = &turn.position;
    let black = position.discs(Color::Black);
    let white = position.discs(Color::White);
    let stable = stable_discs(black, white) | stable_discs(white, black);
    let mut value = json!({
        "board": &write_board(position)[..64],
        "side": position.side.to_string(),
        "stable": SquareSet(stable).names(),
    });
    if position.is_over() {
        value["result"] = json!(position.final_score(Color::Black));
    }
    if let Some(mv) = turn.played {
        value["move"] = json!(mv.in_words());
    }
    if !turn.why.is_empty() {
        value["why"] = json!(turn.why);
    }
    if let Some(trap) = &turn.trap {
        value["trap"] = json!(trap);
    }
    if let Some(verdict) = &turn.verdict {
        value["worth"] = json!(worth(language, turn));
        value["known"] = json!(how_known(language, turn, &verdict.line));
        value["moves"] = turn
            .choices()
            .into_iter()
            .map(|(pv, line)| choice_data(language, turn, pv, line))
            .collect();
        if let Some(to_win) = verdict.line.odds.chance() {
            value["chance"] = json!(chance(to_win));
        }
    }
    if let Some(loss) = turn.loss.filter(|_| turn.is_choice()) {
        value["grade"] = json!(Grade::of(loss).name());
        if loss >= SHOWN_LOSS {
            value["loss"] = json!(words::loss(language, loss, turn.is_loss_exact()));
        }
    }
    value
}

/// A move with its value on the square, for the side to move.
fn choice_data(language: Language, turn: &JudgedTurn, pv: &[Move], line: &Line) -> Value {
    let moves: Vec<String> = pv.iter().copied().map(Move::in_words).collect();
    let mut value =
        json!({ "line": moves.join(" "), "value": on_square(language, line.value, line.exact) });
    if let Some(loss) = turn.loss_of(line) {
        value["grade"] = json!(if loss < SHOWN_LOSS {
            "best"
        } else {
            Grade::of(loss).name()
        });
        if loss >= SHOWN_LOSS {
            value["loss"] = json!(words::discs(-loss, line.exact && turn.is_exact()));
        }
    }
    if let Some(to_win) = line.odds.chance() {
        value["chance"] = json!(chance(to_win));
    }
    value
}

/// A value short enough for a square.
fn on_square(language: Language, value: Known, is_exact: bool) -> String {
    match value {
        Known::AtLeast(discs) => format!("\u{2265}{}", words::discs(discs, false)),
        Known::AtMost(discs) => format!("\u{2264}{}", words::discs(discs, false)),
        value => words::value(language, value, is_exact),
    }
}

/// The value of a position, in the words of the panel; `None` if it is unknown.
pub fn worth(language: Language, turn: &JudgedTurn) -> Option<String> {
    let position = &turn.position;
    if position.is_over() {
        return Some(lead(
            language,
            Known::Score(f64::from(position.final_score(position.side))),
            position.side,
            true,
        ));
    }
    let verdict = turn.verdict.as_ref()?;
    Some(lead(
        language,
        verdict.line.value,
        position.side,
        verdict.line.exact,
    ))
}

/// The certainty of the score of a turn: `proven`, `to the end, 98 % sure`, `depth 14, 73 % sure`.
fn how_known(language: Language, turn: &JudgedTurn, line: &Line) -> String {
    let sure = match line.selectivity {
        100.. => String::new(),
        percent => language.page_with(", {n}\u{a0}% sure", &[("n", percent.into())]),
    };
    match () {
        () if line.exact => language.page("proven").into(),
        () if turn.reaches_end() => format!("{}{sure}", language.page("to the end")),
        () => format!("{} {}{sure}", language.page("depth"), line.depth),
    }
}

#[cfg(test)]
mod tests {
    use super::super::game::tests::report;
    use super::*;

    #[test]
    fn clocks_run_down() {
        let mut game = report("f5d6c3", &[]);
        let clock = crate::notation::ggf::Clock {
            main: 60.0,
            increment: 1.0,
            overtime: None,
        };
        game.source.clocks = [Some(clock), None];
        game.source.seconds = vec![Some(5.0), Some(2.0), Some(70.0)];
        let turns = data(&game)["turns"].clone();
        let left = [0, 1, 2].map(|ply| turns[ply]["left"].clone());
        assert_eq!(left, [json!("56 s"), Value::Null, json!("0.0 s")]);
    }

    #[test]
    fn every_value_is_for_the_side_to_move_and_named_in_words() {
        // Black loses 6 with the third move: 3 ahead before it, 3 behind after it.
        let data = data(&report("f5d6c3d3c4", &[0.0, 3.0, 6.0, 12.0]));
        let turn = &data["turns"][2];
        assert_eq!(
            (&turn["worth"], &turn["id"], &turn["loss"]),
            (&json!("Black +3.0"), &json!("3"), &json!("6.0 discs"))
        );
        let played = &turn["moves"][1];
        assert_eq!(
            (&played["line"], &played["value"]),
            (&json!("c3"), &json!("\u{2212}3.0"))
        );
        assert_eq!(played["loss"], "\u{2212}6.0");
        assert_eq!(
            (&turn["moves"][0]["grade"], &played["grade"]),
            (&json!("best"), &json!("mistake"))
        );
        assert_eq!(
            (&turn["why"], &data["language"]),
            (&json!("Why 2."), &json!("en"))
        );
        assert_eq!(data["first"], 2);
        assert!(
            data["ggf"].as_str().unwrap().contains("B[F5]W[D6]B[C3]"),
            "{}",
            data["ggf"]
        );
    }

    #[test]
    fn a_trap_has_its_own_field() {
        use crate::analysis::answer::Trap;
        use crate::board::Position;

        let place = |name: &str| Move::Place(name.parse().unwrap());
        let plain = crate::analysis::testing::judged(Position::START, 2.0, Some(place("d3")));
        let trap = Trap {
            mv: place("f5"),
            cost: 1.0,
            expected_gain: 3.0,
        };
        let mut trapped = plain.clone();
        trapped.ratings.rating = Some(1500);
        trapped.ratings.trap = Some(trap);
        let mut with = turn(trapped, Language::En);
        let text = with["trap"].take();
        assert!(text.as_str().unwrap().starts_with("Trap: f5"), "{text}");
        with.as_object_mut().unwrap().remove("trap");
        assert_eq!(with, turn(plain, Language::En));
    }

    #[test]
    fn a_bound_on_a_square_is_no_score() {
        let on = |value| on_square(Language::En, value, false);
        let all = [
            Known::AtLeast(2.0),
            Known::AtMost(-2.0),
            Known::Winner(1),
            Known::Score(1.25),
        ]
        .map(on);
        assert_eq!(all, ["\u{2265}+2.0", "\u{2264}\u{2212}2.0", "win", "+1.2"]);
    }
}
