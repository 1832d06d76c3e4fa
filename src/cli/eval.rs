//! `emilia eval`: what the evaluation says of positions, without any search.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::eval::{EvalKind, Evaluator};
use crate::notation::diagram::write_board;
use crate::notation::obf::{self, ObfEntry};

/// Arguments of `emilia eval`.
#[derive(clap::Args)]
#[command(after_help = "\
Scores are in discs for the side to move. A finished game has its final score.

Examples:
  emilia eval positions.obf
  emilia eval positions.obf --eval linear --json
  emilia eval - --weights new.bin --json < positions.obf")]
pub struct Args {
    /// OBF file: a position per line; `-` for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print one JSON object per position
    #[arg(long)]
    json: bool,
    /// Evaluation: network, linear, classic or sustech; the best there are weights for by default
    #[arg(long, value_name = "NAME")]
    eval: Option<EvalKind>,
    /// Weights of a learned evaluation, instead of those built in
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

/// One position and its score, as printed in JSON.
#[derive(Serialize)]
struct Evaluation<'a> {
    /// 64 squares and the side to move.
    position: String,
    empties: u32,
    /// In discs for the side to move.
    score: f64,
    eval: &'a str,
    /// The best score the file gives, in discs for the side to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<i32>,
}

/// Prints the score of every position of the file.
pub fn run(args: &Args) -> Result<ExitCode> {
    let entries = read(&args.file)?;
    let evaluator = Evaluator::load(args.eval, args.weights.as_deref()).with_context(|| {
        args.weights.as_ref().map_or("embedded weights".into(), |w| w.display().to_string())
    })?;
    let kind = evaluator.kind().to_string();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let printed = print(args.json, &entries, &evaluator, &kind, &mut out).and_then(|()| out.flush());
    match printed {
        // The reader has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        other => other.map(|()| ExitCode::SUCCESS).context("writing the scores"),
    }
}

fn print(
    json: bool,
    entries: &[ObfEntry],
    evaluator: &Evaluator,
    kind: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    if !json {
        writeln!(out, "{:>5}  {:>7}  {:>7}  {:>5}  position ({kind})", "line", "empties", "score", "known")?;
    }
    for (index, entry) in entries.iter().enumerate() {
        let evaluation = evaluate(entry, evaluator, kind);
        if json {
            serde_json::to_writer(&mut *out, &evaluation)?;
            writeln!(out)?;
        } else {
            let known = evaluation.known.map_or("-".to_owned(), |discs| format!("{discs:+}"));
            let Evaluation { empties, score, position, .. } = evaluation;
            writeln!(out, "{:>5}  {empties:>7}  {score:>+7.2}  {known:>5}  {position}", index + 1)?;
        }
    }
    Ok(())
}

fn evaluate<'a>(entry: &ObfEntry, evaluator: &Evaluator, kind: &'a str) -> Evaluation<'a> {
    let board = entry.position.board;
    let score = if board.is_over() {
        f64::from(board.final_score())
    } else {
        evaluator.evaluate(board, &evaluator.features(board)).discs()
    };
    Evaluation {
        position: write_board(&entry.position),
        empties: board.empty_count(),
        score,
        eval: kind,
        known: entry.best_score(),
    }
}

/// The positions of a file, or of stdin for `-`.
fn read(path: &Path) -> Result<Vec<ObfEntry>> {
    let (name, text) = if path == Path::new("-") {
        let mut text = String::new();
        ("stdin".to_owned(), io::stdin().read_to_string(&mut text).map(|_| text))
    } else {
        (path.display().to_string(), fs::read_to_string(path))
    };
    let text = text.with_context(|| format!("reading {name}"))?;
    obf::parse_file(&text).with_context(|| format!("reading {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "\
---------------------------OX------XO--------------------------- X; F5:+2;
XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOOO- O;
";

    fn printed(json: bool) -> String {
        let entries = obf::parse_file(LINES).expect("the lines are OBF");
        let mut out = Vec::new();
        print(json, &entries, &Evaluator::classic(), "classic", &mut out).expect("a vector takes all");
        String::from_utf8(out).expect("the output is text")
    }

    #[test]
    fn json_has_one_object_per_position() {
        let lines: Vec<serde_json::Value> =
            printed(true).lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!((&lines[0]["empties"], &lines[0]["known"]), (&60.into(), &2.into()));
        assert!(lines[0]["score"].is_number() && lines[0]["eval"] == "classic");
        assert!(lines[1].get("known").is_none());
    }

    #[test]
    fn the_table_has_a_heading_and_the_known_score() {
        let table = printed(false);
        let rows: Vec<&str> = table.lines().collect();
        assert_eq!(rows.len(), 3);
        assert!(rows[1].contains("+2") && rows[1].ends_with(" X"), "{table}");
    }
}
