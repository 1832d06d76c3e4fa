//! `emilia eval`: what the evaluation says of positions, without any search.

use std::ops::ControlFlow::Continue;
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use super::input::{Entry, InputArgs};
use super::json::Head;
use super::search_args::EvalArgs;
use crate::board::Board;
use crate::eval::Evaluator;
use crate::notation::diagram::write_board;

/// Arguments of `emilia eval`.
#[derive(clap::Args)]
#[command(after_help = "\
Scores are in discs for the side to move. A finished game has its final score. Of a game the last
position counts. `emilia help json` explains the fields of --json.

Examples:
  emilia eval f5d6c3
  emilia eval books/ffo-1-19.obf --eval classic
  emilia eval --weights new.bin --json - < positions.obf")]
pub struct Args {
    /// What to evaluate.
    #[command(flatten)]
    input: InputArgs,
    /// Print one JSON object per position.
    #[arg(long)]
    json: bool,
    /// Which evaluation.
    #[command(flatten)]
    eval: EvalArgs,
}

/// One position and its score, as printed in JSON.
#[derive(Serialize)]
struct Evaluation<'a> {
    #[serde(flatten)]
    head: Head,
    score: f64,
    eval: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<i32>,
}

/// Prints the score of every position as it comes.
pub fn run(args: &Args) -> Result<ExitCode> {
    let evaluator = args.eval.evaluator()?;
    let kind = evaluator.kind().to_string();
    let mut out = args.input.output();
    let mut is_headed = args.json;
    let tally = args.input.for_each(|entry| {
        if !is_headed {
            out.line(heading(&kind))?;
            is_headed = true;
        }
        let score = score(&evaluator, entry.position().board);
        let text = if args.json { json(&entry, score, &kind) } else { row(&entry, score) };
        out.line(text)?;
        Ok(Continue(()))
    })?;
    out.finish()?;
    Ok(tally.code())
}

/// The evaluation of `board` in discs for the side to move; of a finished game its final score.
pub fn score(evaluator: &Evaluator, board: Board) -> f64 {
    match board.is_over() {
        true => f64::from(board.final_score()),
        false => evaluator.evaluate(board, &evaluator.features(board)).discs(),
    }
}

fn heading(kind: &str) -> String {
    format!("{:>5}  {:>7}  {:>7}  {:>5}  position ({kind})", "#", "empties", "score", "known")
}

fn row(entry: &Entry, score: f64) -> String {
    let position = entry.position();
    let known = entry.found.known_score().map_or("-".to_owned(), |discs| format!("{discs:+}"));
    let (index, empties) = (entry.index, position.board.empty_count());
    format!("{index:>5}  {empties:>7}  {score:>+7.2}  {known:>5}  {}", write_board(&position))
}

fn json(entry: &Entry, score: f64, eval: &str) -> String {
    let known = entry.found.known_score();
    let evaluation = Evaluation { head: Head::of(entry), score, eval, known };
    serde_json::to_string(&evaluation).expect("numbers and texts are always JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::input::testing::entries;

    const LINES: &str = "\
---------------------------OX------XO--------------------------- X; F5:+2;
XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOOO- O;
";

    #[test]
    fn json_has_one_object_per_position() {
        let objects: Vec<serde_json::Value> = entries(LINES)
            .iter()
            .map(|entry| json(entry, score(&Evaluator::classic(), entry.position().board), "classic"))
            .map(|line| serde_json::from_str(&line).expect("a line is JSON"))
            .collect();
        assert_eq!(objects.len(), 2);
        assert_eq!((&objects[0]["empties"], &objects[0]["known"]), (&60.into(), &2.into()));
        assert!(objects[0]["score"].is_number() && objects[0]["eval"] == "classic");
        assert!(objects[1].get("known").is_none());
        assert_eq!((&objects[1]["index"], &objects[1]["line"]), (&2.into(), &2.into()));
    }

    #[test]
    fn the_table_has_a_heading_and_the_known_score() {
        let row = row(&entries(LINES)[0], 1.0);
        assert!(row.contains("+2") && row.ends_with(" X"), "{row}");
        assert_eq!(heading("classic").find("position"), row.find("----"));
    }
}
