//! Reports made of the answers of `emilia analyze`: a file of JSON lines, one per position of a game.

use std::collections::HashMap;

use super::game::{Basis, GameReport, JudgedTurn, Source};
use crate::analysis::answer::{Answer, Judged, Origin};
use crate::analysis::line::Id;
use crate::board::Game;
use crate::notation::NamedGame;
use crate::sentences::Language;

/// The answers of one request with their lines in the file.
struct Request {
    id: Option<Id>,
    answers: Vec<(usize, usize, Judged)>,
}

/// Puts the games of answers in any order together; skips partial answers, failures and cancelled searches.
///
/// # Errors
/// The line of the fault and its cause, or that no answer is about a game.
pub fn read_answers(
    lines: impl Iterator<Item = (usize, String)>,
    language: Language,
) -> Result<(Vec<GameReport>, Basis), String> {
    let mut requests: Vec<Request> = Vec::new();
    let mut known: HashMap<Origin, usize> = HashMap::new();
    let mut basis = Basis { effort: "as asked for in the analysis".into(), weights: String::new() };
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let answer = Answer::parse(line.trim_end()).map_err(|what| format!("line {number}: {what}"))?;
        let origin = answer.origin.clone();
        let Some((turn, judged)) = origin.turn.zip(answer.into_judged()) else { continue };
        if !judged.weights.is_empty() {
            basis.weights.clone_from(&judged.weights);
        }
        let id = origin.id.clone();
        let index = *known.entry(Origin { turn: None, ..origin }).or_insert_with(|| {
            requests.push(Request { id, answers: Vec::new() });
            requests.len() - 1
        });
        requests[index].answers.push((turn, number, judged));
    }
    if requests.is_empty() {
        return Err("no answers of whole games: ask emilia analyze for a \"game\"".into());
    }
    let reports = requests.into_iter().map(|request| report(request, language)).collect::<Result<_, _>>()?;
    Ok((reports, basis))
}

/// The report of one request: its turns must follow from one another.
fn report(mut request: Request, language: Language) -> Result<GameReport, String> {
    request.answers.sort_by_key(|(turn, ..)| *turn);
    let mut game = Game::new(request.answers[0].2.position);
    let mut may_follow = true;
    for (turn, number, judged) in &request.answers {
        if !may_follow || game.position() != judged.position {
            return Err(format!("line {number}: turn {turn} does not follow from the turn before it"));
        }
        may_follow = judged.played.is_some();
        if let Some(played) = &judged.played {
            game.play(played.mv).map_err(|error| format!("line {number}: {error}"))?;
        }
    }
    let mut source = Source::from(NamedGame::from(game));
    if let Some(Id::Text(id)) = request.id {
        source.record.place = id;
    }
    let judged = request.answers.into_iter().map(|(.., judged)| judged);
    let mut report = GameReport::new(source, judged, language);
    // A move after the last position asked for leads to one that nothing is known of.
    if may_follow {
        let position = report.game().position();
        report.turns.push(JudgedTurn {
            position,
            played: None,
            verdict: None,
            loss: None,
            why: String::new(),
        });
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Known;

    fn read(text: &str) -> Result<(Vec<GameReport>, Basis), String> {
        read_answers((1..).zip(text.lines().map(str::to_owned)), Language::En)
    }

    const START: &str = "---------------------------OX------XO--------------------------- X";
    const AFTER_F5: &str = "---------------------------OX------XXX-------------------------- O";

    fn answer(turn: usize, position: &str, rest: &str) -> String {
        format!(
            "{{\"id\":\"g\",\"turn\":{turn},\"position\":\"{position}\",\"score\":1.5,\"depth\":8{rest}}}\n"
        )
    }

    #[test]
    fn answers_in_any_order_make_a_game() {
        let played = r#","moves":[{"move":"f5","score":1.5,"pv":["f5","d6"]}],"played":{"move":"f5"},"book":{"depth":1,"games":0}"#;
        let reply =
            r#","moves":[{"move":"d6","score":-1,"pv":["d6"]}],"weights":"w","book":{"depth":1,"games":0}"#;
        let text = answer(1, AFTER_F5, reply)
            + "{\"id\":\"g\",\"partial\":true,\"turn\":0}\n\n{\"error\":\"x\",\"line\":3}\n"
            + &answer(0, START, played);
        let (reports, basis) = read(&text).unwrap();
        assert_eq!((reports.len(), basis.weights.as_str()), (1, "w"));
        let report = &reports[0];
        assert_eq!(report.source.record.place, "g");
        assert_eq!(report.game().moves().len(), 1);
        assert_eq!(report.turns[0].loss, Some(0.0));
        assert_eq!(report.book_turns, 2);
        let verdict = report.turns[1].verdict.as_ref();
        // Its own search says 1.5 for White, the one before 1.5 for Black.
        assert_eq!(verdict.map(|verdict| verdict.line.value), Some(Known::Score(0.0)));
        assert_eq!(report.turns[1].score_for_black(), Some(0.0));
    }

    #[test]
    fn a_result_without_a_score_loses_no_discs() {
        let best = r#","moves":[{"move":"f5","result":"win","pv":["f5","d6"]}],"played":{"move":"f5","result":"win"},"result":"win""#;
        let text = answer(0, START, best).replace("\"score\":1.5,", "");
        let (reports, _) = read(&text).unwrap();
        let turn = &reports[0].turns[0];
        assert_eq!(turn.verdict.as_ref().map(|verdict| verdict.line.value), Some(Known::Winner(1)));
        assert_eq!((turn.loss, turn.score_for_black()), (None, None));
    }

    #[test]
    fn faults_name_their_line() {
        let error = |text: &str| read(text).unwrap_err();
        assert!(error("").starts_with("no answers of whole games"));
        assert!(error("f5d6").starts_with("line 1: expected a JSON object"));
        assert!(error(&answer(0, "XO", "")).starts_with("line 1: "));
        let gap = answer(0, START, r#","played":{"move":"f5"}"#) + &answer(2, START, "");
        assert_eq!(error(&gap), "line 2: turn 2 does not follow from the turn before it");
        let wrong = answer(0, START, r#","played":{"move":"a1"}"#) + &answer(1, START, "");
        assert!(error(&wrong).contains("illegal move a1"), "{}", error(&wrong));
        let twice = answer(0, START, "") + &answer(0, START, "");
        assert_eq!(error(&twice), "line 2: turn 0 does not follow from the turn before it");
    }
}
