//! Calls: objects with the field `call`, answered at once.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::lookup::games_with;
use super::reading::{Read, entries, fault};
use crate::analysis::answer::Answer;
use crate::board::{Board, Color, Game, Move, Position};
use crate::book::Games;
use crate::book::names::{self, name_of, name_of_line};
use crate::engine::Opening;
use crate::notation::Detected;
use crate::notation::diagram::write_board;
use crate::notation::formats::sgf::tree::{Place, places};
use crate::notation::formats::{Format, GGF};
use crate::notation::moves::write_moves;
use crate::notation::record::{MOVE_COMMENTS, VARIATIONS};
use crate::report::{self, Basis, GameReport, Source, game_page};
use crate::sentences::Language;

/// What calls look into.
pub struct Calls {
    pub book: Arc<Opening>,
    pub weights: String,
}

/// The fields of all calls.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Call {
    pub call: String,
    pub id: Value,
    pub text: String,
    pub hex: String,
    pub players: String,
    pub tournaments: String,
    pub lines: Vec<String>,
    pub format: String,
    pub answers: Vec<Value>,
    pub effort: String,
    pub language: Language,
}

impl Calls {
    /// The answer to a call.
    pub fn answer(&self, asked: &Value) -> String {
        let call = Call::deserialize(asked).map_err(|error| error.to_string());
        let answer = call
            .and_then(|call| self.fields(&call))
            .unwrap_or_else(|error| json!({ "error": error }));
        let mut fields = Map::new();
        for name in ["call", "id"] {
            fields.extend(
                asked
                    .get(name)
                    .map(|value| (name.to_owned(), value.clone())),
            );
        }
        fields.extend(answer.as_object().cloned().unwrap_or_default());
        Value::Object(fields).to_string()
    }

    fn fields(&self, call: &Call) -> Result<Value, String> {
        match &*call.call {
            "version" => Ok(json!({
                "version": env!("EMILIA_VERSION"),
                "weights": self.weights,
                "kernel": crate::board::KERNEL,
            })),
            "games" => games(call),
            "report" => report(call, &self.weights),
            "turn" => turn(call),
            "book" => self.book_moves(last(call)?.position().board),
            "find" => Ok(games_with(call, last(call)?.position().board)),
            "write" => write(call),
            "openings" => Ok(json!({ "openings": names::lines().collect::<Vec<_>>() })),
            other => Err(format!(
                "call: expected version, games, write, find, report, turn, book or openings, found {other:?}"
            )),
        }
    }

    fn book_moves(&self, board: Board) -> Result<Value, String> {
        let lines = self.book.moves(board).map_err(|error| error.to_string())?;
        let line = |line: &crate::engine::BookLine| {
            let score = line.score.map(|score| score.discs());
            let pv: Vec<String> = line.pv.iter().map(Move::to_string).collect();
            json!({ "move": pv[0], "pv": pv, "score": score, "games": line.games.count(), "results": results(line.games) })
        };
        Ok(json!({ "moves": lines.iter().map(line).collect::<Vec<_>>() }))
    }
}

/// Games won, drawn and lost by the side to move.
fn results(games: Games) -> [u32; 3] {
    [games.wins, games.draws, games.losses]
}

/// The last entry.
fn last(call: &Call) -> Result<Detected, String> {
    match entries(call)?.pop() {
        Some(Ok(read)) => Ok(read.found),
        Some(Err(broken)) => Err(broken.error.to_string()),
        None => Err("text: no position or game in it".into()),
    }
}

/// The games of a text; a text of many has no positions.
fn games(call: &Call) -> Result<Value, String> {
    let found = entries(call)?;
    let is_single = found.len() == 1;
    let mut games = Vec::new();
    let mut errors = Vec::new();
    for entry in found {
        match entry {
            Ok(read) => games.push(game(&read, is_single)),
            Err(broken) => {
                let mut fault = fault(&broken);
                if let Some(found) = broken.part {
                    let text = String::new();
                    fault["part"] = game(&Read { found, text }, is_single);
                }
                errors.push(fault);
            }
        }
    }
    Ok(json!({ "games": games, "errors": errors }))
}

fn game(Read { found, text }: &Read, with_positions: bool) -> Value {
    let record = &found.record;
    let played = &record.game;
    let lines = Some(text)
        .filter(|text| !text.is_empty())
        .and_then(|text| places(text, played))
        .unwrap_or_default();
    let opening = name_of_line(played.positions().iter().map(|position| position.board));
    let is_read = |what: &str| !lines.is_empty() && [VARIATIONS, MOVE_COMMENTS].contains(&what);
    let left_out = record.left_out.iter().map(|what| &**what);
    let warnings = left_out.filter(|what| !is_read(what));
    let mut fields = json!({
        "format": found.format.name(),
        "moves": write_moves(played.moves()),
        "warnings": warnings.chain(record.assumed.iter().copied()).collect::<Vec<_>>(),
        "ggf": GGF.write(found).unwrap_or_default(),
    });
    let has_lines = lines.len() > played.positions().len()
        || lines.iter().any(|place| !place.comment.is_empty());
    if with_positions {
        fields["positions"] = positions(played, &lines).into();
    }
    let texts = [
        ("black", &*record.black),
        ("white", &record.white),
        ("date", &record.date),
        ("place", &record.place),
        ("event", record.event()),
        ("opening", opening.unwrap_or_default()),
        ("sgf", if has_lines { text } else { "" }),
        ("start", &start_of(played)),
    ];
    for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        fields[name] = text.into();
    }
    let result = record.result();
    if let Some(winner) = result.winner().filter(|_| !played.is_over()) {
        fields["winner"] = winner.to_string().into();
    }
    if let Some(discs) = played.final_score(Color::Black) {
        fields["result"] = discs.into();
    }
    fields
}

/// The first position of a game, unless it is the usual one.
fn start_of(game: &Game) -> String {
    match game.start() {
        Position::START => String::new(),
        start => write_board(&start),
    }
}

/// The positions of the main line, then those of side lines, each with its move and the index of the one before.
fn positions(game: &Game, lines: &[Place]) -> Vec<Value> {
    let moves = game.moves().iter().map(Some).chain([None]);
    let mut all: Vec<Value> = game
        .positions()
        .iter()
        .zip(moves)
        .map(|(position, played)| place(position, played))
        .collect();
    // Where each place of the text is among the positions.
    let mut indexes: Vec<usize> = Vec::new();
    let mut main = 0;
    for (index, line) in lines.iter().enumerate() {
        let goes_on = main < game.moves().len()
            && indexes.get(line.parent) == Some(&main)
            && line.mv == Some(game.moves()[main]);
        let at = if index == 0 || goes_on {
            main += usize::from(index > 0);
            main
        } else {
            let mut fields = place(&line.position, None);
            fields["parent"] = indexes[line.parent].into();
            fields["move"] = json!(line.mv.map(|mv| mv.to_string()));
            all.push(fields);
            all.len() - 1
        };
        indexes.push(at);
        if !line.comment.is_empty() {
            all[at]["comment"] = line.comment.clone().into();
        }
    }
    all
}

/// A position of a game, and the move played in it.
fn place(position: &Position, played: Option<&Move>) -> Value {
    let text = write_board(position);
    let mut fields = json!({ "board": text[..64], "legal": position.board.moves().names() });
    if !position.is_over() {
        fields["side"] = position.side.to_string().into();
    }
    if let Some(played) = played {
        fields["played"] = played.to_string().into();
    }
    if let Some(name) = name_of(position.board) {
        fields["opening"] = name.into();
    }
    fields
}

/// All games of the text in another notation.
fn write(call: &Call) -> Result<Value, String> {
    let format = Format::ALL
        .into_iter()
        .find(|format| format.name() == call.format)
        .ok_or("format: expected the name of a notation, such as pgn")?;
    let mut text = String::new();
    for entry in entries(call)? {
        let read = entry.map_err(|broken| broken.error.to_string())?;
        text += &format
            .write(&read.found)
            .map_err(|error| error.to_string())?;
    }
    Ok(json!({ "text": text }))
}

fn answers(call: &Call) -> Result<Vec<Answer>, String> {
    call.answers
        .iter()
        .map(|line| Ok(Answer::parse(&line.to_string())?))
        .collect()
}

fn turn(call: &Call) -> Result<Value, String> {
    let judged = answers(call)?.pop().and_then(Answer::into_judged);
    Ok(report::turn(
        judged.ok_or("answers: expected a whole one")?,
        call.language,
    ))
}

fn report(call: &Call, weights: &str) -> Result<Value, String> {
    let found = last(call)?;
    let source = Source::from(&found);
    let mut answers = answers(call)?;
    answers.sort_by_key(|answer| answer.origin.turn);
    let judged: Vec<_> = answers
        .into_iter()
        .filter_map(Answer::into_judged)
        .collect();
    let positions = found.record.game.positions();
    if !judged
        .iter()
        .map(|judged| judged.position)
        .eq(positions.iter().copied())
    {
        return Err(format!(
            "answers: expected one for each of the {} positions of the game",
            positions.len()
        ));
    }
    let report = GameReport::new(source, judged.into_iter(), call.language);
    let basis = Basis {
        effort: call.effort.clone(),
        weights: weights.to_owned(),
    };
    Ok(json!({ "html": game_page(&report, &basis, None, None, "") }))
}
