//! Tests of `game.rs`.

use super::*;
use crate::analysis::testing::judged;
use crate::notation::moves::parse_game;
use crate::search::Known;

/// A report of a transcript with made-up verdicts: `losses` of the first moves, the rest loses nothing.
pub fn report(moves: &str, losses: &[f64]) -> GameReport {
    let game = parse_game(Position::START, moves).unwrap();
    let mut turns: Vec<JudgedTurn> = Vec::new();
    let mut black = 0.0;
    for (ply, &position) in game.positions().iter().enumerate() {
        let played = game.moves().get(ply).copied();
        let sign = if position.side == Color::Black {
            1.0
        } else {
            -1.0
        };
        let loss = losses.get(ply).copied().unwrap_or(0.0);
        let other = position
            .board
            .moves()
            .iter()
            .map(Move::Place)
            .find(|&mv| Some(mv) != played);
        let best = if loss > 0.0 { other } else { played };
        let mut verdict = (!position.is_over()).then(|| judged(position, sign * black, best));
        if let (Some(verdict), Some(mv)) = (&mut verdict, played) {
            let line = Some(Line {
                value: Known::Score(sign * black - loss),
                ..verdict.line.clone()
            });
            verdict.played = Some(PlayedMove {
                line,
                loss: Some(loss),
                ..PlayedMove::of(mv)
            });
        }
        black -= sign * loss;
        let why = format!("Why {ply}.");
        turns.push(JudgedTurn {
            position,
            played,
            verdict,
            loss: played.map(|_| loss),
            why,
            trap: None,
        });
    }
    let record = NamedGame {
        black: "Ann".into(),
        white: "Bo & <Co>".into(),
        ..game.into()
    };
    GameReport {
        source: record.into(),
        turns,
        book_turns: 0,
        language: Language::En,
        evidence: Default::default(),
    }
}

#[test]
fn moves_that_turn_the_result_come_before_dear_ones() {
    // Black is 0 at first; White loses 3, then Black 6 (a win becomes a loss), then White 12 (back), then 11.
    let report = report("f5d6c3d3c4f4c5b3c2", &[0.0, 3.0, 6.0, 12.0, 11.0]);
    let mistakes = report.mistakes();
    assert_eq!(
        mistakes
            .iter()
            .map(|mistake| mistake.ply)
            .collect::<Vec<_>>(),
        [3, 4, 2, 1]
    );
    assert_eq!(mistakes[2].outcome, (1, -1));
    assert!(mistakes.iter().all(Mistake::is_decisive));
    // The first of at least 4 discs.
    assert_eq!(report.first_mistake(), Some(2));
    assert_eq!(self::report("f5d6c3", &[0.0, 3.0]).first_mistake(), None);
}

#[test]
fn scores_are_for_black_and_the_end_is_the_result() {
    let report = report("e6f4e3f6g5d6e7f5c5", &[0.0, 60.0]);
    let scores: Vec<f64> = report
        .turns
        .iter()
        .filter_map(JudgedTurn::score_for_black)
        .collect();
    assert_eq!(
        scores,
        [0.0, 0.0, 60.0, 60.0, 60.0, 60.0, 60.0, 60.0, 60.0, 64.0]
    );
    assert_eq!(report.result().score(), Some(64));
    assert_eq!(
        self::report("f5d6c3", &[]).opening(),
        Some("Perpendicular Opening")
    );
    assert_eq!(self::report("", &[]).opening(), None);
    assert_eq!(report.player(Color::White), "Bo & <Co>");
}

#[test]
fn times_of_ggf_are_summed_by_side() {
    let ggf = GgfGame::parse("(;GM[Othello]PB[a]TI[5:00]B[f5//2.5]W[d6//1]B[c3//0.5];)").unwrap();
    let source = Source::from_ggf(&ggf);
    assert_eq!(source.time_used(Color::Black), Some(3.0));
    assert_eq!(source.time_used(Color::White), Some(1.0));
    assert_eq!(source.clocks[1].map(|clock| clock.main), Some(300.0));
    assert_eq!(
        Source::from(NamedGame::default()).time_used(Color::Black),
        None
    );
}

#[test]
fn the_greatest_chance_lost_decides_most() {
    let mut report = report("f5d6c3d3c4f4c5b3c2", &[0.0, 3.0, 6.0, 12.0, 11.0]);
    for (turn, chance) in report.turns.iter_mut().zip([0.5, 0.5, 0.9, 0.5, 0.4, 0.5]) {
        if let Some(verdict) = &mut turn.verdict {
            verdict.line.odds.win_chance = Some(chance);
        }
    }
    // White lost 0.4 by the second move, Black as much by the third, and more discs: 0.9 before it, 1 - 0.5 after it.
    assert_eq!(report.turns[1].chance_for_black(), Some(0.5));
    let mistakes = report.mistakes();
    assert_eq!((mistakes[0].ply, mistakes[0].chance), (2, Some(0.4)));
    assert_eq!(report.first_mistake(), Some(1));
}

#[test]
fn moves_have_numbers_and_passes_have_none() {
    let report = report("f5f6d3g5h5h4f7h6pae7", &[]);
    let names: Vec<String> = (0..report.turns.len())
        .map(|ply| report.anchor(ply))
        .collect();
    assert_eq!(names[7..], ["8", "8-pass", "9", "end"]);
    assert_eq!([7, 8, 9, 10].map(|ply| report.number(ply)), [8, 9, 9, 10]);
}

#[test]
fn the_move_played_is_among_the_choices_and_loses_what_one_judge_says() {
    let mut report = report("f5d6c3", &[0.0, 3.0]);
    let losses = |turn: &JudgedTurn| -> Vec<_> {
        turn.choices()
            .iter()
            .map(|(_, line)| turn.loss_of(line))
            .collect()
    };
    assert_eq!(losses(&report.turns[1]), [Some(0.0), Some(3.0)]);
    assert_eq!(
        report.turns[1].played_line().map(|line| line.value),
        Some(Known::Score(-3.0))
    );
    // A proven winner without a score has no known loss.
    let verdict = report.turns[1].verdict.as_mut().unwrap();
    verdict.line.value = Known::Winner(1);
    verdict.moves[0].line.value = Known::Winner(1);
    assert_eq!(losses(&report.turns[1])[0], None);
}

#[test]
fn the_book_is_left_by_the_first_move_outside() {
    let exit = |book_turns| {
        GameReport {
            book_turns,
            ..self::report("f5d6c3", &[])
        }
        .book_exit()
    };
    // Every book has the start.
    assert_eq!((exit(0), exit(1)), (None, None));
    assert_eq!(exit(3).as_deref(), Some("left the book with move 3, c3"));
    assert_eq!(exit(4).as_deref(), Some("in the book to the end"));
}
