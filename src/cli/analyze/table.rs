//! Positions and games without JSON: a table per game, for people.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::ops::ControlFlow::Continue;
use std::process::ExitCode;
use std::sync::mpsc;

use anyhow::{Result, bail};

use super::super::input::{Entry, InputArgs};
use super::super::long;
use super::super::output::Output;
use crate::analysis::answer::{Answer, MoveReport, MoveValue, Report};
use crate::analysis::request::Request;
use crate::analysis::{Pool, Settings};
use crate::board::Color;
use crate::notation::diagram::disc;

/// A move that loses as many discs is counted as an error.
const ERROR_DISCS: f64 = 4.0;
/// So many moves of a line are shown.
const LINE_MOVES: usize = 8;

/// Analyses every entry and prints tables, or with `json` the answers as they are.
pub fn run(input: &InputArgs, settings: Settings, json: bool) -> Result<ExitCode> {
    let defaults = settings.defaults.clone();
    let (sender, answers) = mpsc::channel();
    let sink = move |answer: &Answer| {
        // The receiver goes only when the results cannot be written any more.
        let _ = sender.send(answer.clone());
        Ok(())
    };
    let pool = Pool::new(settings, Box::new(sink));
    pool.start()?;
    let mut printer = Printer { games: VecDeque::new(), out: Output::by_line(), json, printed: false };
    let mut is_told = false;
    let tally = input.for_each(|entry| {
        let game = &entry.record().game;
        let request = Request::of_game(entry.index, game, &defaults);
        is_told = is_told || long::warn_of_solve(&entry.place, game.start().board, &defaults.limits);
        printer.games.push_back(Game::new(&entry, request.turns.len()));
        pool.submit(request);
        while let Ok(answer) = answers.try_recv() {
            printer.take(&answer)?;
        }
        Ok(Continue(()))
    })?;
    pool.end_input();
    while !printer.games.is_empty() {
        match answers.recv() {
            Ok(answer) => printer.take(&answer)?,
            Err(_) => bail!("the analysis ended before its answers"),
        }
    }
    printer.out.finish()?;
    Ok(tally.code())
}

/// Prints the answers, which come in the order of the games.
struct Printer {
    /// Games whose answers have not all come.
    games: VecDeque<Game>,
    out: Output,
    json: bool,
    printed: bool,
}

/// A game being printed.
struct Game {
    title: String,
    names: [String; 2],
    /// Whether the entry was a position alone.
    is_position: bool,
    /// Answers still to come.
    left: usize,
    begun: bool,
    totals: [Total; 2],
}

/// What a player lost.
#[derive(Clone, Debug, Default)]
struct Total {
    moves: u32,
    loss: f64,
    errors: u32,
    worst: Option<(f64, String)>,
}

impl Printer {
    fn take(&mut self, answer: &Answer) -> Result<()> {
        let Answer::Report(report) = answer else { return Ok(()) };
        let Some(game) = self.games.front_mut() else { return Ok(()) };
        game.left -= 1;
        let is_last = game.left == 0;
        if self.json {
            self.out.line(serde_json::to_string(report)?)?;
        } else {
            if !std::mem::replace(&mut game.begun, true) {
                let blank = if std::mem::replace(&mut self.printed, true) { "\n" } else { "" };
                self.out.text(format_args!("{blank}{}", game.heading(report)))?;
            }
            self.out.text(game.rows(report))?;
            if is_last {
                self.out.text(game.totals())?;
            }
        }
        if is_last {
            self.games.pop_front();
        }
        Ok(())
    }
}

impl Game {
    fn new(entry: &Entry, turns: usize) -> Self {
        let record = entry.record();
        Self {
            title: entry.place.to_string(),
            names: [record.black.clone(), record.white.clone()],
            is_position: record.game.moves().is_empty(),
            left: turns,
            begun: false,
            totals: Default::default(),
        }
    }

    fn name(&self, color: Color) -> String {
        let name = &self.names[color as usize];
        let disc = disc(color);
        if name.is_empty() { disc.to_string() } else { format!("{disc} {name}") }
    }

    fn heading(&self, report: &Report) -> String {
        if self.is_position {
            return format!(
                "{}: {} empty, {} to move\n{:>5} {:>7} {:>6} {:>6} {:>6} {:>6}  line\n",
                self.title,
                report.empties,
                &report.position[65..],
                "move",
                "score",
                "win",
                "draw",
                "loss",
                "depth"
            );
        }
        let (black, white) = (self.name(Color::Black), self.name(Color::White));
        format!(
            "{}: {black} - {white}\n{:>4} {:>4} {:>6} {:>5} {:>7} {:>7} {:>6} {:>6}  line\n",
            self.title, "move", "side", "played", "best", "score", "lost", "win", "depth"
        )
    }

    /// One row for a turn of a game, one for each move of a lone position.
    fn rows(&mut self, report: &Report) -> String {
        if report.moves.is_empty() {
            let score = report.value.score.unwrap_or_default();
            return format!("      the game is over: {score:+} for {}\n", &report.position[65..]);
        }
        if self.is_position {
            return report.moves.iter().map(move_row).collect();
        }
        let side = if report.position.ends_with('X') { Color::Black } else { Color::White };
        let best = &report.moves[0];
        let (mut played, mut lost) = ("-", String::new());
        if let Some(found) = &report.played {
            played = &found.mv;
            match (found.loss, found.value.and_then(|value| value.result)) {
                _ if found.mv == "pa" => {}
                (Some(loss), _) => {
                    lost = if loss == 0.0 { "-".to_owned() } else { format!("{loss:.2}") };
                    let turn = report.turn.map_or(0, |turn| turn + 1);
                    self.totals[side as usize].add(loss, || format!("{turn}. {played}"));
                }
                // Of who wins alone no discs are lost: only the result can be.
                (None, Some(result)) => {
                    lost = if report.value.result == Some(result) { "-".into() } else { result.into() };
                }
                (None, None) => {}
            }
        }
        format!(
            "{:>4} {:>4} {played:>6} {:>5} {:>7} {lost:>7} {:>6} {:>6}  {}\n",
            report.turn.map_or(0, |turn| turn + 1),
            disc(side),
            best.mv,
            value(&report.value, report.exact),
            percent(report.worth.win),
            depth(best),
            line(best)
        )
    }

    fn totals(&self) -> String {
        let mut text = String::new();
        for color in [Color::Black, Color::White] {
            let Total { moves, loss, errors, worst } = &self.totals[color as usize];
            if *moves > 0 {
                let mean = loss / f64::from(*moves);
                let _ = write!(
                    text,
                    "{}: {loss:.1} discs lost in {moves} moves, {mean:.2} each; {errors} lost {ERROR_DISCS} or more",
                    self.name(color)
                );
                match worst {
                    Some((loss, mv)) => {
                        let _ = writeln!(text, "; the worst {mv}: {loss:.2}");
                    }
                    None => text.push('\n'),
                }
            }
        }
        text
    }
}

impl Total {
    fn add(&mut self, loss: f64, name: impl FnOnce() -> String) {
        self.moves += 1;
        self.loss += loss;
        self.errors += u32::from(loss >= ERROR_DISCS);
        if loss > self.worst.as_ref().map_or(0.0, |(worst, _)| *worst) {
            self.worst = Some((loss, name()));
        }
    }
}

fn move_row(found: &MoveReport) -> String {
    format!(
        "{:>5} {:>7} {:>6} {:>6} {:>6} {:>6}  {}\n",
        found.mv,
        value(&found.value, found.exact),
        percent(found.worth.win),
        percent(found.worth.draw),
        percent(found.worth.loss),
        depth(found),
        line(found)
    )
}

/// Whole discs if proven, else with two decimals; a bound says so, and a winner has no number.
fn value(value: &MoveValue, exact: bool) -> String {
    match *value {
        MoveValue { score: Some(discs), .. } if exact => format!("{discs:+.0}"),
        MoveValue { score: Some(discs), .. } => format!("{discs:+.2}"),
        MoveValue { at_least: Some(discs), .. } => format!(">={discs:+.1}"),
        MoveValue { at_most: Some(discs), .. } => format!("<={discs:+.1}"),
        MoveValue { result, .. } => result.unwrap_or_default().to_owned(),
    }
}

fn percent(chance: Option<f64>) -> String {
    chance.map_or_else(String::new, |chance| format!("{:.1}%", 100.0 * chance))
}

/// `100%` is proven; else plies, and the selectivity of a search to the end.
fn depth(found: &MoveReport) -> String {
    if found.exact { "100%".to_owned() } else { format!("{}@{}", found.depth, found.selectivity) }
}

fn line(found: &MoveReport) -> String {
    found.pv[..found.pv.len().min(LINE_MOVES)].join(" ")
}
