//! `emilia solve`: exact scores, best moves and lines of positions.

use std::io::{IsTerminal, stderr};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::convert::read_input;
use super::output::Output;
use super::search_args::SearchArgs;
use crate::board::{Board, Move, Score};
use crate::notation::diagram::write_board;
use crate::notation::obf::{self, ObfEntry};
use crate::notation::position::parse_position;
use crate::search::{Goal, Info, Limits, Line, Observer, Proof, SearchResult, Stop, Task};

/// What shells report for a program ended by SIGINT.
const INTERRUPTED: u8 = 130;

/// Arguments of `emilia solve`.
#[derive(clap::Args)]
#[command(after_help = "\
Prints one line per position and the totals. Fails if a score that an OBF file gives is missed.
Ctrl-C ends the search and prints what is known so far.

Examples:
  emilia solve suite.obf --hash 512
  emilia solve '--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X' --all-moves
  emilia solve - --json < suite.obf")]
pub struct Args {
    /// An OBF file, a position or game in any notation, a file holding one, or - for stdin.
    #[arg(value_name = "POSITION", allow_hyphen_values = true)]
    input: String,
    /// Leave out the first so many positions.
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,
    /// Solve at most so many positions.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Only find out who wins.
    #[arg(long)]
    wld: bool,
    /// Score every legal move.
    #[arg(long, conflicts_with = "wld")]
    all_moves: bool,
    /// Print one JSON object per position.
    #[arg(long)]
    json: bool,
    /// How to search.
    #[command(flatten)]
    search: SearchArgs,
}

/// Solves the positions one after another.
pub fn run(args: &Args) -> Result<ExitCode> {
    let entries: Vec<ObfEntry> = read_entries(&args.input)?
        .into_iter()
        .skip(args.skip)
        .take(args.limit.unwrap_or(usize::MAX))
        .collect();
    let mut search = args.search.search()?;
    let stop = Stop::new();
    let requested = stop.clone();
    ctrlc::set_handler(move || requested.request()).context("taking over Ctrl-C")?;

    let mut progress = Progress::new(&entries);
    let mut sum = Sum::default();
    let mut out = Output::by_line();
    if !args.json {
        out.line(HEADER)?;
    }
    for (index, entry) in entries.iter().enumerate() {
        progress.start(index, entry.position.board);
        // So that a position takes the same nodes alone and in any file.
        search.clear();
        let result = search.run(&task(args, entry.position.board), &stop, &mut progress);
        progress.finish(entry.position.board);
        let outcome = Outcome::new(args, entry, result);
        let text = if args.json { outcome.json().to_string() } else { outcome.row(args.skip + index + 1) };
        out.line(&text)?;
        sum.add(&outcome);
        if stop.is_requested() {
            break;
        }
    }
    if !args.json {
        out.line(&sum.row(entries.len()))?;
    }
    Ok(match (stop.is_requested(), sum.missed) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, 0) => ExitCode::SUCCESS,
        (false, _) => ExitCode::FAILURE,
    })
}

/// The positions of an OBF file with their known scores, or the one position the text holds.
fn read_entries(argument: &str) -> Result<Vec<ObfEntry>> {
    let text = read_input(argument)?;
    match obf::parse_file(&text) {
        Ok(entries) if !entries.is_empty() => Ok(entries),
        // The OBF reader's complaint is the better one for a text of many lines that began as OBF.
        Err(error)
            if text.lines().count() > 1 && matches!(obf::parse_line(first_line(&text)), Ok(Some(_))) =>
        {
            Err(error.into())
        }
        _ => {
            let position = parse_position(&text)?.position;
            Ok(vec![ObfEntry { position, scores: Vec::new(), comment: String::new() }])
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn task(args: &Args, board: Board) -> Task {
    let goal = if args.wld { Goal::WinLossDraw } else { Goal::Exact };
    let moves = board.moves().count_ones() as usize;
    let multi_pv = if args.all_moves { moves.max(1) } else { 1 };
    Task { multi_pv, ..Task::new(board, Limits { goal, ..Limits::exact() }) }
}

const HEADER: &str = "  #  empties  best   score   known         nodes   seconds    Mnps  line";

/// What came out for one position.
struct Outcome<'a> {
    entry: &'a ObfEntry,
    result: SearchResult,
    /// The score of the best line, if proven in the sense asked for.
    proof: Proof,
    wld: bool,
    /// Known scores that are not what was found.
    missed: usize,
}

impl<'a> Outcome<'a> {
    fn new(args: &Args, entry: &'a ObfEntry, result: SearchResult) -> Self {
        let over = result.best.is_none() && result.info.lines.is_empty();
        let proof = result
            .info
            .lines
            .first()
            .map_or(if over { Proof::Exact } else { Proof::None }, |line| line.proof);
        let mut outcome = Self { entry, result, proof, wld: args.wld, missed: 0 };
        outcome.missed = outcome.count_missed(args.all_moves);
        outcome
    }

    fn board(&self) -> Board {
        self.entry.position.board
    }

    /// The score in discs: that of the finished game if there is nothing to search.
    fn score(&self) -> Score {
        let line = self.result.info.lines.first();
        line.map_or_else(|| Score::from_discs(self.board().final_score()), |line| line.score)
    }

    fn count_missed(&self, all_moves: bool) -> usize {
        let Some(known) = self.entry.best_score() else { return 0 };
        let agrees = |score: Score, known: i32| {
            if self.wld {
                score.round_discs().signum() == known.signum()
            } else {
                score == Score::from_discs(known)
            }
        };
        if self.proof == Proof::None {
            return 0;
        }
        let mut missed = usize::from(!agrees(self.score(), known));
        if all_moves {
            for line in self.result.info.lines.iter().filter(|line| line.proof == Proof::Exact) {
                let known = line.pv.first().and_then(|&first| self.entry.score_of(first));
                missed += usize::from(known.is_some_and(|known| !agrees(line.score, known)));
            }
        }
        missed
    }

    /// The score as text; what is not proven says how far it was searched.
    fn score_text(&self, line: Option<&Line>) -> String {
        let score = line.map_or_else(|| self.score(), |line| line.score);
        match line.map_or(self.proof, |line| line.proof) {
            Proof::Exact => format!("{:+}", score.round_discs()),
            Proof::WinLossDraw => match score.round_discs().signum() {
                1 => "win".to_string(),
                -1 => "loss".to_string(),
                _ => "draw".to_string(),
            },
            Proof::None => format!("~{score}"),
        }
    }

    fn row(&self, number: usize) -> String {
        let Info { nodes, time, lines } = &self.result.info;
        let known = self.entry.best_score().map_or_else(String::new, |known| format!("{known:+}"));
        let mut text = format!(
            "{number:3}  {:7}  {:>4}  {:>6}  {known:>6}  {nodes:>12}  {:>8.3}  {:>6.1}  {}",
            self.board().empty_count(),
            self.result.best.map_or_else(|| "--".to_string(), |best| best.to_string()),
            self.score_text(None),
            time.as_secs_f64(),
            mnps(*nodes, *time),
            lines.first().map_or_else(String::new, |line| line.pv.iter().map(Move::to_string).collect()),
        );
        if let (Proof::None, Some(line)) = (self.proof, lines.first()) {
            text.push_str(&format!(
                "  (not proven: depth {} at {} %)",
                line.depth,
                line.selectivity.percent()
            ));
        }
        if self.missed > 0 {
            text.push_str(&format!("  WRONG: {} known score(s) missed", self.missed));
        }
        if lines.len() > 1 {
            let scores: Vec<String> = lines.iter().map(|line| self.move_score(line)).collect();
            text.push_str(&format!("\n     {}", scores.join(" ")));
        }
        text
    }

    fn move_score(&self, line: &Line) -> String {
        let first = line.pv.first().map_or_else(String::new, Move::to_string);
        format!("{first}:{}", self.score_text(Some(line)))
    }

    fn json(&self) -> Value {
        let Info { nodes, time, lines } = &self.result.info;
        let pv: Vec<String> =
            lines.first().map_or_else(Vec::new, |line| line.pv.iter().map(Move::to_string).collect());
        let mut object = json!({
            "position": write_board(&self.entry.position),
            "score": number(self.score(), self.proof),
            "best": self.result.best.map(|best| best.to_string()),
            "nodes": nodes,
            "seconds": time.as_secs_f64(),
            "pv": pv,
            "exact": self.proof == Proof::Exact,
        });
        if self.proof == Proof::WinLossDraw {
            object["wld"] = json!(self.score_text(None));
        }
        if let (Proof::None, Some(line)) = (self.proof, lines.first()) {
            object["depth"] = json!(line.depth);
            object["selectivity"] = json!(line.selectivity.percent());
        }
        if lines.len() > 1 {
            object["moves"] = lines
                .iter()
                .filter_map(|line| Some((line.pv.first()?.to_string(), number(line.score, line.proof))))
                .collect::<serde_json::Map<_, _>>()
                .into();
        }
        if let Some(known) = self.entry.best_score() {
            object["known"] = json!(known);
            object["missed"] = json!(self.missed);
        }
        object
    }
}

/// Discs: whole if exact.
fn number(score: Score, proof: Proof) -> Value {
    if proof == Proof::Exact { json!(score.round_discs()) } else { json!(score.discs()) }
}

fn mnps(nodes: u64, time: Duration) -> f64 {
    nodes as f64 / time.as_secs_f64().max(1e-9) / 1e6
}

/// What all positions together took.
#[derive(Default)]
struct Sum {
    positions: usize,
    proven: usize,
    missed: usize,
    nodes: u64,
    time: Duration,
}

impl Sum {
    fn add(&mut self, outcome: &Outcome) {
        self.positions += 1;
        self.proven += usize::from(outcome.proof != Proof::None);
        self.missed += outcome.missed;
        self.nodes += outcome.result.info.nodes;
        self.time += outcome.result.info.time;
    }

    fn row(&self, asked: usize) -> String {
        let mut text = format!(
            "{} of {asked} positions proven, {} nodes, {:.3} s, {:.1} Mnps, {:.1} ms and {} nodes per position",
            self.proven,
            self.nodes,
            self.time.as_secs_f64(),
            mnps(self.nodes, self.time),
            self.time.as_secs_f64() * 1e3 / self.positions.max(1) as f64,
            self.nodes / self.positions.max(1) as u64,
        );
        if self.missed > 0 {
            text.push_str(&format!(", {} known score(s) MISSED", self.missed));
        }
        text
    }
}

/// Growth of the work with every empty square, about that of hard positions.
const WORK_GROWTH: f64 = 1.9;
/// Seconds for a position of no empties, by [`WORK_GROWTH`]; only until a position has been timed.
const WORK_SECONDS: f64 = 1e-6;

/// A line on stderr, if that is a terminal: where the solver is and about how long it will take.
struct Progress {
    shown: bool,
    count: usize,
    index: usize,
    /// Work units of the positions not yet finished, and of those finished with the time they took.
    ahead: f64,
    done: f64,
    done_seconds: f64,
    started: Instant,
}

impl Progress {
    fn new(entries: &[ObfEntry]) -> Self {
        let ahead = entries.iter().map(|entry| work(entry.position.board)).sum();
        let shown = stderr().is_terminal();
        Self {
            shown,
            count: entries.len(),
            index: 0,
            ahead,
            done: 0.0,
            done_seconds: 0.0,
            started: Instant::now(),
        }
    }

    fn start(&mut self, index: usize, _board: Board) {
        self.index = index;
        self.started = Instant::now();
        self.show("");
    }

    fn finish(&mut self, board: Board) {
        self.ahead -= work(board);
        self.done += work(board);
        self.done_seconds += self.started.elapsed().as_secs_f64();
        if self.shown {
            eprint!("\r\x1b[K");
        }
    }

    /// Seconds to go, from the work ahead at the speed so far.
    fn to_go(&self) -> f64 {
        let per_unit = if self.done > 0.0 { self.done_seconds / self.done } else { WORK_SECONDS };
        (self.ahead * per_unit - self.started.elapsed().as_secs_f64()).max(0.0)
    }

    fn show(&self, detail: &str) {
        if self.shown {
            let number = self.index + 1;
            eprint!("\r\x1b[K{number}/{}  about {} to go  {detail}", self.count, span(self.to_go()));
        }
    }
}

impl Observer for Progress {
    fn iteration(&mut self, info: &Info) {
        if let (true, Some(line)) = (self.shown, info.lines.first()) {
            let best = line.pv.first().map_or_else(String::new, Move::to_string);
            let (depth, percent) = (line.depth, line.selectivity.percent());
            self.show(&format!("depth {depth} at {percent} %: {best} {}  {} nodes", line.score, info.nodes));
        }
    }
}

fn work(board: Board) -> f64 {
    WORK_GROWTH.powi(board.empty_count() as i32)
}

/// A time span to two figures or so: `8 s`, `12 min`, `3.5 h`.
fn span(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s if s < 360_000.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.0} days", s / 86400.0),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::eval::Evaluator;
    use crate::search::{Options, Search};

    const LAST: &str = "XXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXXOXXXXXXX- O";

    fn args(line: &str) -> Args {
        use clap::{Args as _, FromArgMatches};
        let command = Args::augment_args(clap::Command::new("solve").no_binary_name(true));
        Args::from_arg_matches(&command.get_matches_from(line.split('|'))).unwrap()
    }

    fn outcome<'a>(args: &Args, entry: &'a ObfEntry) -> Outcome<'a> {
        let mut search = Search::new(&Options { threads: 1, hash_mib: 1 }, Arc::new(Evaluator::default()));
        let result = search.run(&task(args, entry.position.board), &Stop::new(), &mut crate::search::Silent);
        Outcome::new(args, entry, result)
    }

    #[test]
    fn positions_come_from_obf_and_from_any_notation() {
        assert_eq!(read_entries(&format!("{LAST}; H8:-38;\n{LAST}\n")).unwrap().len(), 2);
        assert_eq!(read_entries("f5d6c3").unwrap()[0].position.board.empty_count(), 57);
        let error = read_entries(&format!("{LAST}\nrubbish\n")).unwrap_err().to_string();
        assert!(error.contains('2'), "{error}");
    }

    #[test]
    fn a_missed_score_is_counted() {
        let args = args(LAST);
        let board = read_entries(LAST).unwrap()[0].position.board;
        let score = crate::search::endgame::Solver::new(Default::default()).exact(board);
        let entry = |score| read_entries(&format!("{LAST}; H8:{score:+};")).unwrap().remove(0);
        assert_eq!(outcome(&args, &entry(score)).missed, 0);
        assert_eq!(outcome(&args, &entry(score + 2)).missed, 1);
    }

    #[test]
    fn json_has_the_promised_fields() {
        let entry = read_entries(LAST).unwrap().remove(0);
        let object = outcome(&args(&format!("{LAST}|--all-moves")), &entry).json();
        for field in ["position", "score", "best", "nodes", "seconds", "pv", "exact"] {
            assert!(object.get(field).is_some(), "{field}");
        }
        assert_eq!(object["exact"], json!(true));
        assert!(object["score"].is_i64());
    }

    #[test]
    fn time_to_go_reads_well() {
        assert_eq!(span(8.4), "8 s");
        assert_eq!(span(720.0), "12 min");
        assert_eq!(span(12600.0), "3.5 h");
        assert_eq!(span(864_000.0), "10 days");
    }

    /// Of the sets of 20 empties and of the FFO test set, scores as published.
    const KNOWN: [&str; 3] = [
        "--OXXO--XOXXXX--XOOOXXXXXOOXXXXXXOOOOXXX-XXXXXXX--XXOOO----XXOO- X; A6:+8; G1:+0; A1:-2; H8:-6; H7:-14; B1:-30;",
        "---OX--O----OXOO--XXXOOO--XXXOOX-XXXOOXX--XOXXXX--OOOXXX--XXXXXX X; D2:+2; G1:+0; C1:-2; B7:-4; B6:-6; F1:-12;",
        "-XXXX-----OXXX--XOXOXOXXOXOXXOXXOXXOXOOOXXXOXOOX--OXXO---OOOOO-- O; B2:+10; B7:+4; F1:+0; A7:-4; A2:-6; G2:-12;",
    ];

    #[test]
    fn published_scores_are_found_exactly_and_as_win_loss_draw() {
        for line in KNOWN {
            let entry = read_entries(line).unwrap().remove(0);
            for options in ["x", "x|--wld"] {
                let outcome = outcome(&args(options), &entry);
                assert_ne!(outcome.proof, Proof::None);
                assert_eq!(outcome.missed, 0, "{line}");
            }
        }
    }

    #[test]
    fn every_move_has_its_published_score_and_the_line_ends_the_game() {
        let entry = read_entries(KNOWN[0]).unwrap().remove(0);
        let outcome = outcome(&args("x|--all-moves"), &entry);
        assert_eq!(outcome.missed, 0);
        assert_eq!(outcome.result.info.lines.len(), entry.position.board.moves().count_ones() as usize);
        for line in &outcome.result.info.lines {
            let end = line.pv.iter().try_fold(entry.position.board, |board, step| match step {
                Move::Place(square) => board.play(*square),
                Move::Pass => Some(board.pass()),
            });
            let end = end.expect("the line is legal");
            assert!(end.is_over());
            let plies = line.pv.len() as i32;
            let sign = if plies % 2 == 0 { 1 } else { -1 };
            assert_eq!(Score::from_discs(sign * end.final_score()), line.score);
        }
    }
}
