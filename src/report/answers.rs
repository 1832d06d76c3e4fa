//! Reports made of the answers of `emilia analyze`: a file of JSON lines, one per position of a game.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use super::game::{Basis, Report, Source, Turn, Verdict};
use crate::board::{Game, Move, Position};
use crate::notation::diagram::parse_board;
use crate::notation::moves::parse_move;
use crate::search::Known;

/// An answer, as far as a report needs it.
#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    line: Value,
    #[serde(default)]
    request: Value,
    turn: usize,
    position: String,
    #[serde(default)]
    depth: u8,
    #[serde(default)]
    selectivity: u32,
    #[serde(default)]
    exact: bool,
    score: Option<f64>,
    result: Option<String>,
    at_least: Option<f64>,
    at_most: Option<f64>,
    win: Option<f64>,
    draw: Option<f64>,
    #[serde(default)]
    moves: Vec<Best>,
    played: Option<Played>,
    #[serde(default)]
    weights: String,
    book: Option<Value>,
}

#[derive(Deserialize)]
struct Best {
    pv: Vec<String>,
}

#[derive(Deserialize)]
struct Played {
    #[serde(rename = "move")]
    mv: String,
    loss: Option<f64>,
}

/// Why a file of answers makes no report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswersError {
    /// Line of the file, from 1; `None` for what is missing altogether.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for AnswersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for AnswersError {}

/// The answers of one request, by turn.
struct Request {
    id: Value,
    answers: Vec<(usize, Answer)>,
}

/// Reads answers in any order and puts the games together; partial reports, failures and cancelled searches are
/// passed over.
///
/// # Errors
/// A line that is no JSON object, an answer whose position or move cannot be read or does not follow from the turn
/// before, or no answer of a game at all.
pub fn read_answers(text: &str) -> Result<(Vec<Report>, Basis), AnswersError> {
    let mut requests: Vec<Request> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut basis = Basis { effort: "as asked for in the analysis".into(), weights: String::new() };
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let fault = |what: String| AnswersError { line: Some(number), what };
        let value: Value =
            serde_json::from_str(line).map_err(|error| fault(format!("expected a JSON object: {error}")))?;
        let is_flagged = |name: &str| value.get(name) == Some(&Value::Bool(true));
        let passed_over =
            is_flagged("partial") || is_flagged("cancelled") || value.get("turn").is_none_or(Value::is_null);
        if passed_over && value.is_object() {
            continue;
        }
        let answer: Answer = serde_json::from_value(value)
            .map_err(|error| fault(format!("expected an answer of emilia analyze: {error}")))?;
        if !answer.weights.is_empty() {
            basis.weights.clone_from(&answer.weights);
        }
        let index =
            *known.entry(format!("{} {} {}", answer.id, answer.line, answer.request)).or_insert_with(|| {
                requests.push(Request { id: answer.id.clone(), answers: Vec::new() });
                requests.len() - 1
            });
        requests[index].answers.push((number, answer));
    }
    if requests.is_empty() {
        let what = "no answers of whole games: ask emilia analyze for a \"game\"".into();
        return Err(AnswersError { line: None, what });
    }
    let reports = requests.into_iter().map(report).collect::<Result<_, _>>()?;
    Ok((reports, basis))
}

/// The report of one request: its turns must follow from one another.
fn report(mut request: Request) -> Result<Report, AnswersError> {
    request.answers.sort_by_key(|(_, answer)| answer.turn);
    let book_turns = request.answers.iter().take_while(|(_, answer)| answer.book.is_some()).count();
    let mut game: Option<Game> = None;
    let mut turns: Vec<Turn> = Vec::new();
    for (number, answer) in request.answers {
        let fault = |what: String| AnswersError { line: Some(number), what };
        let turn = turn(&answer).map_err(fault)?;
        let game = game.get_or_insert_with(|| Game::new(turn.position));
        if let Some(mv) = turns.last().and_then(|before| before.played) {
            game.play(mv).map_err(|error| fault(error.to_string()))?;
        }
        if game.position() != turn.position || turns.last().is_some_and(|before| before.played.is_none()) {
            return Err(fault(format!("turn {} does not follow from the turn before it", answer.turn)));
        }
        turns.push(turn);
    }
    let mut game = game.expect("a request is made of its first answer");
    // A move after the last position asked for leads to one that nothing is known of.
    if let Some(mv) = turns.last().and_then(|last| last.played) {
        game.play(mv).map_err(|error| AnswersError { line: None, what: error.to_string() })?;
        turns.push(Turn { position: game.position(), played: None, verdict: None, loss: None });
    }
    let mut source = Source::from(crate::notation::NamedGame::from(game));
    if let Value::String(id) = request.id {
        source.record.place = id;
    }
    Ok(Report { source, turns, book_turns })
}

/// What an answer says of its best move: a score, or what stands for one.
fn known(answer: &Answer) -> Result<Known, String> {
    let known = match (answer.score, answer.at_least, answer.at_most, answer.result.as_deref()) {
        (Some(score), ..) => Known::Score(score),
        (None, Some(score), ..) => Known::AtLeast(score),
        (None, None, Some(score), _) => Known::AtMost(score),
        (None, None, None, Some("win")) => Known::Winner(1),
        (None, None, None, Some("draw")) => Known::Winner(0),
        (None, None, None, Some("loss")) => Known::Winner(-1),
        (None, None, None, Some(other)) => {
            return Err(format!("expected win, draw or loss as the result, found {other:?}"));
        }
        (None, None, None, None) => return Err("expected a score or a result".into()),
    };
    match known {
        Known::Score(score) | Known::AtLeast(score) | Known::AtMost(score)
            if !(score.is_finite() && score.abs() <= 64.0) =>
        {
            Err(format!("expected a score from -64 to 64, found {score}"))
        }
        known => Ok(known),
    }
}

fn turn(answer: &Answer) -> Result<Turn, String> {
    let position: Position = parse_board(&answer.position).map_err(|error| error.to_string())?;
    let read = |text: &String| parse_move(text).map_err(|error| error.to_string());
    let line = match answer.moves.first() {
        Some(best) => best.pv.iter().map(read).collect::<Result<Vec<Move>, _>>()?,
        None => Vec::new(),
    };
    let value = known(answer)?;
    let verdict = (!line.is_empty()).then_some(Verdict {
        value,
        line,
        depth: answer.depth,
        selectivity: answer.selectivity,
        is_exact: answer.exact,
        chance: answer.win.map(|win| (win + answer.draw.unwrap_or(0.0) / 2.0).clamp(0.0, 1.0)),
    });
    let played = answer.played.as_ref().map(|played| read(&played.mv)).transpose()?;
    let is_best = verdict.as_ref().and_then(|verdict| verdict.line.first()) == played.as_ref();
    let has_score = verdict.as_ref().is_some_and(|verdict| verdict.value.score().is_some());
    let loss = match answer.played.as_ref().and_then(|played| played.loss) {
        None if played.is_some() && is_best && has_score => Some(0.0),
        loss => loss.filter(|loss| loss.is_finite()).map(|loss| loss.clamp(0.0, 128.0)),
    };
    Ok(Turn { position, played, verdict, loss })
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "---------------------------OX------XO--------------------------- X";
    const AFTER_F5: &str = "---------------------------OX------XXX-------------------------- O";

    fn line(turn: usize, position: &str, rest: &str) -> String {
        format!(
            "{{\"id\":\"g\",\"turn\":{turn},\"position\":\"{position}\",\"score\":1.5,\"depth\":8{rest}}}\n"
        )
    }

    #[test]
    fn answers_in_any_order_make_a_game() {
        let played = r#","moves":[{"move":"f5","pv":["f5","d6"]}],"played":{"move":"f5"},"book":{}"#;
        let text = line(1, AFTER_F5, r#","moves":[{"pv":["d6"]}],"weights":"w","book":{"depth":1}"#)
            + "{\"id\":\"g\",\"partial\":true,\"turn\":0}\n\n{\"error\":\"x\",\"line\":3}\n"
            + &line(0, START, played);
        let (reports, basis) = read_answers(&text).unwrap();
        assert_eq!((reports.len(), basis.weights.as_str()), (1, "w"));
        let report = &reports[0];
        assert_eq!(report.source.record.place, "g");
        assert_eq!(report.game().moves().len(), 1);
        assert_eq!(report.turns[0].loss, Some(0.0));
        assert_eq!(report.book_turns, 2);
        assert_eq!(report.turns[1].verdict.as_ref().map(|verdict| verdict.value), Some(Known::Score(1.5)));
        assert_eq!(report.turns[1].score_for_black(), Some(-1.5));
    }

    #[test]
    fn a_result_without_a_score_loses_no_discs() {
        let best = r#","moves":[{"move":"f5","pv":["f5","d6"]}],"played":{"move":"f5","result":"win"},"result":"win""#;
        let text = line(0, START, best).replace("\"score\":1.5,", "");
        let (reports, _) = read_answers(&text).unwrap();
        let turn = &reports[0].turns[0];
        assert_eq!(turn.verdict.as_ref().map(|verdict| verdict.value), Some(Known::Winner(1)));
        assert_eq!((turn.loss, turn.score_for_black()), (None, None));
    }

    #[test]
    fn faults_are_told_with_their_line() {
        let error = |text: &str| read_answers(text).unwrap_err().to_string();
        assert!(error("").starts_with("no answers of whole games"));
        assert!(error("f5d6").starts_with("line 1: expected a JSON object"));
        assert!(error(&line(0, "XO", "")).starts_with("line 1: "));
        let gap = line(0, START, r#","played":{"move":"f5"}"#) + &line(2, START, "");
        assert_eq!(error(&gap), "line 2: turn 2 does not follow from the turn before it");
        let wrong = line(0, START, r#","played":{"move":"a1"}"#) + &line(1, START, "");
        assert!(error(&wrong).contains("illegal move a1"), "{}", error(&wrong));
        let twice = line(0, START, "") + &line(0, START, "");
        assert_eq!(error(&twice), "line 2: turn 0 does not follow from the turn before it");
        assert!(error(&line(0, START, r#","score":1e300"#)).starts_with("line 1: "));
        let bare = line(0, START, "").replace("\"score\":1.5", "\"empties\":60");
        assert_eq!(error(&bare), "line 1: expected a score or a result");
        let odd = line(0, START, r#","result":"lost""#).replace("\"score\":1.5,", "");
        assert_eq!(error(&odd), "line 1: expected win, draw or loss as the result, found \"lost\"");
    }
}
