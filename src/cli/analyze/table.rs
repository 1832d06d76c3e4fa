//! Positions and games without JSON: a table per game, for people.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::mem;
use std::ops::ControlFlow::Continue;
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::super::input::{ENTRY, Entry, InputArgs};
use super::super::long;
use super::super::output::Output;
use super::super::results::ResultArgs;
use super::super::store_args;
use super::sentences::{self, Remarks};
use crate::analysis::answer::{Answer, Judged, JudgedMove};
use crate::analysis::request::Request;
use crate::analysis::{Batch, Grade, Record, Settings, ShortFields, Totals, words};
use crate::board::{Color, Move};
use crate::notation::diagram::disc;
use crate::search::Known;
use crate::sentences::Language;

/// The head of the rows of a position.
const POSITION_HEAD: &str = " move   score    win   draw   loss  depth  line";
/// The head of the rows of a game.
const GAME_HEAD: &str = "move side played  best   score    lost    win  depth  line";
/// So many moves of a line are shown.
const LINE_MOVES: usize = 8;

/// How answers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A row for each.
    Table,
    /// What each move does.
    Sentences(Language),
    /// As they are.
    Json,
}

/// Analyses every entry and prints it in this form.
pub fn run(
    input: &InputArgs,
    settings: Settings,
    form: Form,
    results: &ResultArgs,
    options: &str,
) -> Result<ExitCode> {
    let (out, mut results) = results.open(form == Form::Json, options)?;
    let mut done = results.as_mut().map(|results| mem::take(&mut results.done)).unwrap_or_default();
    let record = results.as_ref().and_then(|results| results.record.clone());
    let (defaults, weights) = (settings.defaults.clone(), settings.weights.clone());
    let (fields, jobs) = (settings.fields.clone(), settings.jobs);
    let store = settings.store.clone();
    let mut batch = Batch::start(settings)?;
    let mut printer = Printer {
        games: VecDeque::new(),
        out,
        record,
        form,
        fields,
        printed: false,
        totals: Totals::default(),
    };
    let mut is_told = false;
    let tally = input.for_each(|entry| {
        let game = &entry.record().game;
        let mut request = Request::of_game(entry.index, game, &defaults);
        request.tag.crc32 = entry.crc32();
        printer.totals.resume(done.take_from(ENTRY, &mut request)?);
        if request.turns.is_empty() {
            return Ok(Continue(()));
        }
        let boards = request.turns.iter().map(|turn| turn.position.board);
        // Of what a store has nothing takes long.
        is_told = is_told
            || store.is_none()
                && long::warn_of_solves(&entry.place, boards, defaults.moves, &defaults.limits, jobs);
        printer.games.push_back(Game::new(&entry, request.turns.len()));
        batch.submit(request);
        while let Some(answer) = batch.ready() {
            printer.take(answer)?;
        }
        Ok(Continue(()))
    })?;
    for answer in batch {
        printer.take(answer)?;
    }
    printer.out.finish()?;
    store_args::tell(store.as_deref());
    done.end(ENTRY).with_context(|| input.names())?;
    if let Some(results) = results {
        let read = Totals { requests: tally.entries, errors: tally.failed, ..Totals::default() };
        results.finish(input, read.with(printer.totals), weights)?;
    }
    Ok(tally.code())
}

/// Prints the answers, which come in the order of the games.
struct Printer {
    /// Games whose answers have not all come.
    games: VecDeque<Game>,
    out: Output,
    record: Option<Record>,
    form: Form,
    fields: Option<ShortFields>,
    printed: bool,
    totals: Totals,
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
    remarks: Remarks,
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
    fn take(&mut self, answer: Answer) -> Result<()> {
        let Some(game) = self.games.front_mut() else { return Ok(()) };
        game.left -= 1;
        let is_last = game.left == 0;
        if self.form == Form::Json {
            let line = answer.to_line(self.fields.as_ref());
            if let Some(record) = &self.record {
                answer.note(record, &line)?;
            }
            self.out.line(line)?;
            self.totals.answer(&answer);
        } else if let Some(turn) = answer.origin.turn
            && let Some(judged) = answer.into_judged()
        {
            if !std::mem::replace(&mut game.begun, true) {
                let blank = if std::mem::replace(&mut self.printed, true) { "\n" } else { "" };
                let heading =
                    if self.form == Form::Table { game.heading(&judged) } else { game.title_line() };
                self.out.text(format_args!("{blank}{heading}"))?;
            }
            let text = match self.form {
                Form::Sentences(language) if game.is_position => sentences::of_position(language, &judged),
                Form::Sentences(language) => {
                    game.count(turn + 1, &judged);
                    game.remarks.take(language, &judged)
                }
                _ => game.rows(turn + 1, &judged),
            };
            self.out.text(text)?;
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
            remarks: Remarks::default(),
        }
    }

    fn name(&self, color: Color) -> String {
        let name = &self.names[color as usize];
        let disc = disc(color);
        if name.is_empty() { disc.to_string() } else { format!("{disc} {name}") }
    }

    fn heading(&self, judged: &Judged) -> String {
        if self.is_position {
            let (empties, side) = (judged.empties, disc(judged.position.side));
            return format!("{}: {empties} empty, {side} to move\n{POSITION_HEAD}\n", self.title);
        }
        format!("{}{GAME_HEAD}\n", self.title_line())
    }

    /// What is analysed.
    fn title_line(&self) -> String {
        if self.is_position {
            return format!("{}\n", self.title);
        }
        format!("{}: {} - {}\n", self.title, self.name(Color::Black), self.name(Color::White))
    }

    /// Counts what the move played lost.
    fn count(&mut self, number: usize, judged: &Judged) {
        if let Some((played, loss)) = judged.played.as_ref().and_then(|played| Some((played, played.loss?)))
            && played.mv != Move::Pass
        {
            let side = judged.position.side;
            self.totals[side as usize].add(loss, || format!("{number}. {}", played.mv));
        }
    }

    /// One row for a turn of a game, one for each move of a lone position.
    fn rows(&mut self, number: usize, judged: &Judged) -> String {
        let side = judged.position.side;
        let Some(best) = judged.moves.first() else {
            let score = judged.line.value.score().unwrap_or_default();
            return format!("      the game is over: {score:+} for {}\n", disc(side));
        };
        if self.is_position {
            return judged.moves.iter().map(move_row).collect();
        }
        let (mut played, mut lost) = ("-".to_owned(), String::new());
        self.count(number, judged);
        if let Some(found) = &judged.played {
            played = found.mv.to_string();
            match (found.loss, found.line.as_ref().map(|line| line.value)) {
                _ if found.mv == Move::Pass => {}
                (Some(loss), _) => lost = if loss == 0.0 { "-".to_owned() } else { format!("{loss:.2}") },
                // Of who wins alone no discs are lost: only the result can be.
                (None, Some(value @ Known::Winner(sign))) => {
                    lost = if judged.line.value == value { "-" } else { words::result_word(sign) }.into();
                }
                (None, _) => {}
            }
        }
        format!(
            "{number:>4} {:>4} {played:>6} {:>5} {:>7} {lost:>7} {:>6} {:>6}  {}\n",
            disc(side),
            best.mv.to_string(),
            words::score(judged.line.value, judged.line.exact),
            percent(judged.line.odds.win_chance),
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
                    "{}: {loss:.1} discs lost in {moves} moves, {mean:.2} each; {errors} lost {} or more",
                    self.name(color),
                    Grade::Mistake.least()
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
        self.errors += u32::from(Grade::of(loss) >= Grade::Mistake);
        if loss > self.worst.as_ref().map_or(0.0, |(worst, _)| *worst) {
            self.worst = Some((loss, name()));
        }
    }
}

fn move_row(found: &JudgedMove) -> String {
    format!(
        "{:>5} {:>7} {:>6} {:>6} {:>6} {:>6}  {}\n",
        found.mv.to_string(),
        words::score(found.line.value, found.line.exact),
        percent(found.line.odds.win_chance),
        percent(found.line.odds.draw_chance),
        percent(found.line.odds.loss_chance),
        depth(found),
        line(found)
    )
}

fn percent(chance: Option<f64>) -> String {
    chance.map_or_else(String::new, |chance| format!("{:.1}%", 100.0 * chance))
}

fn depth(found: &JudgedMove) -> String {
    words::depth(found.line.value, found.line.exact, found.line.depth, found.line.selectivity)
}

fn line(found: &JudgedMove) -> String {
    let moves: Vec<String> = found.pv.iter().take(LINE_MOVES).map(Move::to_string).collect();
    moves.join(" ")
}
