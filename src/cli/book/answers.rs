//! Requests for other programs and their answers: one JSON object a line, in the formats of `emilia analyze`.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::arguments;
use crate::analysis::Whole;
use crate::analysis::answer::{self, Body, JudgedMove};
use crate::analysis::line::{Count, Id, RequestLine, Squares};
use crate::board::{Move, Position, Score, Square};
use crate::book::expand::{Ask, Plan, Wanted};
use crate::book::{
    Answer, Book, BookKey, Canonical, Entry, LOOK_REACH, Record, SearchLevel, representative,
};
use crate::cli::files::ForceArgs;
use crate::cli::input::lines;
use crate::cli::output::{self, Output};
use crate::notation::diagram::write_board;
use crate::notation::moves::parse_moves;

/// The number of answers of a write to the journal.
const BATCH: usize = 256;
/// In the name of a request: a look.
const LOOK: &str = "look";

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia book jobs my.book --positions 500 -o requests.jsonl
  emilia book jobs my.book --without requests.jsonl > more.jsonl
  emilia book jobs my.book | parallel --pipe -N 10 emilia analyze \\
    | emilia book absorb my.book")]
pub struct JobsArgs {
    /// The book
    book: PathBuf,
    /// Number of positions; each is a request
    #[arg(long, value_name = "N", default_value_t = 1000)]
    positions: usize,
    #[command(flatten)]
    plan: super::grow::PlanArgs,
    /// Skip the requests of this file
    #[arg(long, value_name = "FILE")]
    without: Vec<PathBuf>,
    /// Write to this file; it appears when complete, compressed if the name ends with .gz
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  emilia book absorb my.book answers-1.jsonl answers-2.jsonl
  emilia analyze < requests.jsonl | emilia book absorb my.book

Unreadable lines are skipped with a message; the exit code is then 1.")]
pub struct AbsorbArgs {
    /// The book; created if necessary
    book: PathBuf,
    /// Files of answers; - is stdin [default: stdin]
    answers: Vec<PathBuf>,
}

pub fn jobs(args: &JobsArgs) -> Result<()> {
    let graph = arguments::graph_of(&Book::open(&args.book)?)?;
    let asked = asked_before(&args.without)?;
    let plan = args.plan.plan()?;
    let skip = |key, ask| asked.contains(&id(key, ask));
    let wanted = plan.wanted(&graph, args.plan.root()?, args.positions, &skip);
    let mut out = match &args.output {
        Some(path) => Output::file(path, args.force.existing())?,
        None => Output::in_blocks(),
    };
    for wanted in &wanted {
        out.line(request(wanted, &plan)?.to_json())?;
    }
    out.finish()?;
    if wanted.len() < args.positions {
        let found = wanted.len();
        let asked = args.positions;
        output::message(format_args!(
            "{found} of {asked} requests: the book needs no more now"
        ));
    }
    Ok(())
}

fn request(wanted: &Wanted, plan: &Plan) -> Result<RequestLine> {
    let board = wanted
        .key
        .board()
        .context("a key of the graph is of a position")?;
    let (level, avoid, moves) = plan.search(wanted.ask, board);
    Ok(RequestLine {
        id: Some(Id::Text(id(wanted.key, wanted.ask))),
        position: Some(write_board(&Position {
            board,
            ..Position::START
        })),
        depth: Some(Whole(level.depth.into())),
        selectivity: Some(Whole(level.percent.into())),
        best_moves: Some(Count::Number(Whole(moves as i64))),
        avoid: (!avoid.is_empty()).then(|| Squares::List(avoid.names())),
        ..RequestLine::default()
    })
}

/// Names a request by the position's key and the excluded moves, or `look`.
fn id(key: BookKey, ask: Ask) -> String {
    let ask = match ask {
        Ask::Look => LOOK.to_owned(),
        Ask::Search { avoid } => avoid.names().concat(),
    };
    format!("{:032x}-{ask}", key.0)
}

fn asked_before(files: &[PathBuf]) -> Result<HashSet<String>> {
    let mut asked = HashSet::new();
    for path in files {
        for line in lines(path.as_os_str())? {
            let (_, line) = line?;
            if let Ok(RequestLine {
                id: Some(Id::Text(id)),
                ..
            }) = serde_json::from_str(&line)
            {
                asked.insert(id);
            }
        }
    }
    Ok(asked)
}

pub fn absorb(args: &AbsorbArgs) -> Result<()> {
    let mut book = arguments::edit("absorb", &args.book, &args.answers)?;
    let stdin = [PathBuf::from("-")];
    let files = if args.answers.is_empty() {
        &stdin[..]
    } else {
        &args.answers
    };
    let mut taken = 0;
    let mut bad = 0;
    for path in files {
        let mut batch = Vec::new();
        for line in lines(path.as_os_str())? {
            let (number, line) = line?;
            if line.trim().is_empty() {
                continue;
            }
            match parse_answer(&line) {
                Ok(answer) => batch.push(Record::Answer(answer)),
                Err(error) => {
                    bad += 1;
                    output::message(format_args!("{}, line {number}: {error:#}", path.display()));
                }
            }
            if batch.len() == BATCH {
                book.learn(&batch)?;
                taken += batch.len();
                batch.clear();
            }
        }
        book.learn(&batch)?;
        taken += batch.len();
    }
    book.sync()?;
    book.fold()?;
    arguments::saved(&format!("{taken} answers taken in; "), &args.book, &book)?;
    ensure!(bad == 0, "{bad} lines could not be read");
    Ok(())
}

fn parse_answer(line: &str) -> Result<Answer> {
    let answer::Answer { origin, body, .. } =
        answer::Answer::parse(line).map_err(anyhow::Error::msg)?;
    let judged = match body {
        Body::Judged(judged) => judged,
        Body::Failure(failure) => bail!("the request failed: {}", failure.error),
        Body::Dropped(_) | Body::Cancelled(_) | Body::Version(_) => {
            bail!("expected a position with scored moves")
        }
    };
    let board = judged.position.board;
    let canonical = Canonical::of(board).context("the game is over in this position")?;
    ensure!(
        !canonical.passed,
        "the side to move must pass in this position"
    );
    ensure!(
        !judged.moves.is_empty(),
        "expected at least one move with a score"
    );
    judged.check()?;
    let square = |mv: Move| -> Result<Square> {
        let legal = mv.square().filter(|&square| board.moves().contains(square));
        let square = legal.with_context(|| format!("{mv} is illegal"))?;
        Ok(canonical.symmetry.apply_square(square))
    };
    let mut moves = Vec::with_capacity(judged.moves.len());
    for JudgedMove { mv, line, .. } in &judged.moves {
        let score = line
            .value
            .score()
            .with_context(|| format!("expected a score of the move {mv}"))?;
        let square = representative(canonical.board, square(*mv)?);
        if moves.iter().all(|(other, _)| *other != square) {
            moves.push((square, Score::nearest(score)));
        }
    }
    let left_out = match origin.id {
        // An answer without the excluded moves still names the request.
        Some(Id::Text(id)) if judged.avoid.is_empty() => match id.split_once('-') {
            Some((key, avoid)) if key.len() == 32 && avoid != LOOK => parse_moves(avoid)?,
            _ => Vec::new(),
        },
        _ => judged.avoid,
    };
    let avoid = left_out.into_iter().map(square).collect::<Result<_>>()?;
    let level = SearchLevel {
        exact: judged.line.exact,
        ..SearchLevel::own(judged.line.depth, judged.line.selectivity as u8)
    };
    Ok(Answer {
        key: canonical.key(),
        level,
        avoid,
        moves,
    })
}

/// The lines that [`absorb`] reads back: the position's search, and the look at its other moves; empty without a
/// search.
///
/// If all moves of the search are positions of the book now, the best of them gets the bound on the other moves: the
/// positions have the scores.
pub fn reply_lines(key: BookKey, entry: &Entry) -> Vec<Value> {
    let Some((board, searched)) = key.board().zip(entry.searched) else {
        return Vec::new();
    };
    let Some(rest) = searched.rest else {
        return Vec::new();
    };
    let (mut looks, mut moves): (Vec<_>, Vec<_>) = entry
        .outside()
        .partition(|&(square, _)| entry.move_at(square).is_some_and(|mv| mv.known().is_none()));
    if moves.is_empty() {
        moves.extend(entry.best().map(|mv| (mv.square, rest)));
    }
    // The fields that `absorb` reads.
    let reply = |level: SearchLevel, mut moves: Vec<(Square, Score)>| {
        moves.sort_by_key(|(_, score)| -score.units());
        let scored = |&(square, score): &(Square, Score)| json!({"move": square.to_string(), "score": score.discs()});
        Some(json!({
            "id": null,
            "position": write_board(&Position { board, ..Position::START }),
            "empties": board.empty_count(),
            "depth": level.depth,
            "selectivity": level.percent,
            "exact": level.exact,
            "score": moves.first()?.1.discs(),
            "moves": moves.iter().map(scored).collect::<Vec<_>>(),
        }))
    };
    let mut lines = Vec::from_iter(reply(searched.level, moves));
    let look = Plan {
        level: searched.level,
        ..Plan::default()
    }
    .look_level();
    if let Some(level) = look.filter(|_| searched.is_looked) {
        // The moves of the book score best, the moves that the look omitted score below its reach.
        let far = rest - Score::from_discs(LOOK_REACH + 1);
        for square in board
            .moves()
            .iter()
            .filter(|&square| representative(board, square) == square)
        {
            if looks.iter().all(|(other, _)| *other != square) {
                let known = entry.move_at(square).is_some_and(|mv| mv.score.is_some());
                looks.push((square, if known { rest } else { far.max(Score::MIN) }));
            }
        }
        lines.extend(reply(level, looks));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "---------------------------OX------XO--------------------------- X";

    fn line(fields: &str) -> String {
        let scored = fields
            .rsplit_once("\"score\":")
            .map_or("0", |(_, score)| score);
        let end = scored.find(['}', ',']).unwrap_or(scored.len());
        let score = &scored[..end];
        format!(r#"{{"position":"{START}","depth":22,"selectivity":73,"score":{score},{fields}}}"#)
    }

    #[test]
    fn answers_are_read_in_any_orientation() {
        let reads = |square: &str| {
            let text = line(&format!(
                r#""moves":[{{"move":"{square}","score":1.5,"pv":["{square}"]}}],"new":1"#
            ));
            parse_answer(&text).unwrap()
        };
        let answer = reads("f5");
        assert_eq!(answer.moves[0].1, Score::from_units(192));
        assert!(
            ["d3", "c4", "e6", "F5"]
                .iter()
                .all(|square| reads(square) == answer)
        );
    }

    #[test]
    fn faults_of_an_answer_are_named() {
        let moves = |text: &str| line(&format!(r#""moves":[{text}]"#));
        for (text, fault) in [
            ("{".to_owned(), "expected a JSON object"),
            (moves(""), "at least one move"),
            (moves(r#"{"move":"a1","score":0}"#), "a1 is illegal"),
            (moves(r#"{"move":"f5","score":65}"#), "-64 to 64"),
            (
                line(r#""moves":[{"move":"f5","score":0}],"avoid":["z9"]"#),
                "z9",
            ),
        ] {
            let error = format!("{:#}", parse_answer(&text).unwrap_err());
            assert!(error.contains(fault), "{text}: {error}");
        }
    }

    #[test]
    fn moves_left_out_come_from_the_answer_or_its_name() {
        let start = Canonical::of(crate::board::Board::START).unwrap();
        let avoid = start.board.moves() & !crate::board::SquareSet(1 << 20);
        let named = |ask| {
            let id = id(start.key(), ask);
            parse_answer(&line(&format!(
                r#""id":"{id}","moves":[{{"move":"f5","score":1}}]"#
            )))
            .unwrap()
            .avoid
        };
        assert_eq!(
            (named(Ask::Search { avoid }), named(Ask::Look)),
            (avoid, crate::board::SquareSet(0))
        );
        let listed = line(r#""avoid":["d3"],"moves":[{"move":"f5","score":1}]"#);
        assert_eq!(parse_answer(&listed).unwrap().avoid.len(), 1);
    }
}
