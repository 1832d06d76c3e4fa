//! Calls: objects with the field `call`, answered at once.

use std::rc::Rc;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::analysis::answer::Answer;
use crate::board::{Board, Color, Move, Position};
use crate::book::Games;
use crate::book::names::{name_of, name_of_line};
use crate::engine::Opening;
use crate::notation::diagram::write_board;
use crate::notation::formats::wthor::read_record;
use crate::notation::formats::{GGF, MOVES};
use crate::notation::moves::write_moves;
use crate::notation::wthor::{GameFile, Names, WthorOrigin};
use crate::notation::{Detected, NamedGame, ParseError, parse_games};
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
struct Call {
    call: String,
    id: Value,
    text: String,
    hex: String,
    answers: Vec<Value>,
    effort: String,
    language: Language,
}

/// An entry of a text, or the fault with its line.
type Entry = Result<Detected, String>;

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
            other => Err(format!(
                "call: expected version, games, report, turn or book, found {other:?}"
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

/// The entries of the call's text or WTHOR file.
fn entries(call: &Call) -> Result<Vec<Entry>, String> {
    if !call.hex.is_empty() {
        return wthor(&call.hex);
    }
    if call.text.trim().is_empty() {
        return Ok(vec![Ok(Detected::of(MOVES, Position::START))]);
    }
    let entry = |(line, found): (usize, Result<Detected, ParseError>)| {
        found.map_err(|error| error.down(line - 1).to_string())
    };
    Ok(parse_games(&call.text).into_iter().map(entry).collect())
}

fn wthor(hex: &str) -> Result<Vec<Entry>, String> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = hex.as_bytes().chunks(2).map(byte).collect();
    let bytes = bytes.ok_or("hex: expected two digits for each byte")?;
    let GameFile { header, games } = GameFile::parse(&bytes).map_err(|error| error.to_string())?;
    let names = Rc::new(Names::default());
    let game = |(number, record)| {
        let found = read_record(WthorOrigin {
            record,
            header,
            names: Rc::clone(&names),
        });
        found.map_err(|error| format!("game {number}: {error}"))
    };
    Ok((1..).zip(games).map(game).collect())
}

/// The last entry.
fn last(call: &Call) -> Result<Detected, String> {
    entries(call)?
        .pop()
        .unwrap_or_else(|| Err("text: no position or game in it".into()))
}

fn games(call: &Call) -> Result<Value, String> {
    let (mut games, mut errors) = (Vec::new(), Vec::new());
    for entry in entries(call)? {
        match entry {
            Ok(found) => games.push(game(&found)),
            Err(error) => errors.push(error),
        }
    }
    Ok(json!({ "games": games, "errors": errors }))
}

fn game(found: &Detected) -> Value {
    let record = &found.record;
    let played = &record.game;
    let moves = played.moves().iter().map(Some).chain([None]);
    let positions: Vec<Value> = played
        .positions()
        .iter()
        .zip(moves)
        .map(|(position, played)| place(position, played))
        .collect();
    let opening = name_of_line(played.positions().iter().map(|position| position.board));
    let mut fields = json!({
        "format": found.format.name(),
        "moves": write_moves(played.moves()),
        "positions": positions,
        "warnings": warnings(record),
        "ggf": GGF.write(found).unwrap_or_default(),
    });
    let texts = [
        ("black", &*record.black),
        ("white", &record.white),
        ("date", &record.date),
        ("place", &record.place),
        ("event", record.event()),
        ("opening", opening.unwrap_or_default()),
    ];
    for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        fields[name] = text.into();
    }
    if let Some(discs) = played.final_score(Color::Black) {
        fields["result"] = discs.into();
    }
    fields
}

/// What the reader dropped or assumed.
fn warnings(record: &NamedGame) -> Vec<&str> {
    let assumed = record.assumed.iter().copied();
    record
        .left_out
        .iter()
        .map(|what| &**what)
        .chain(assumed)
        .collect()
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

fn answers(call: &Call) -> Result<Vec<Answer>, String> {
    call.answers
        .iter()
        .map(|line| Answer::parse(&line.to_string()))
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
    let source = found
        .ggf
        .as_ref()
        .map_or_else(|| Source::from(found.record.clone()), Source::from_ggf);
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
