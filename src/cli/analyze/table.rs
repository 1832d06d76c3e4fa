//! Positions and games without JSON: a table per game, for people.

use std::collections::VecDeque;
use std::mem;
use std::ops::ControlFlow::Continue;
use std::process::ExitCode;

use anyhow::Result;

use super::super::input::{ENTRY, Entry, InputArgs};
use super::super::output::Output;
use super::super::progress::warn_of_solves;
use super::super::results::ResultArgs;
use super::super::store_args;
use crate::analysis::answer::{Answer, Judged, JudgedMove, Names};
use crate::analysis::request::{Request, Tag};
use crate::analysis::{Batch, Grade, Record, Settings, ShortFields, Totals, find, words};
use crate::board::{Color, Move};
use crate::book::names::name_of;
use crate::notation::diagram::disc;
use crate::picture::terminal::columns;
use crate::search::Known;
use crate::sentences::{Language, name, paragraph};

const POSITION_HEAD: &str = " move   score    win   draw   loss  depth  line";
const GAME_HEAD: &str = "move side played  best   score    lost    win  depth  line";
const BOOK_HEAD: &str = " book   games    won  drawn   lost points";
/// The number of moves of a line that are shown.
const LINE_MOVES: usize = 8;

/// How answers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Table,
    Sentences(Language),
    Json,
}

/// Analyzes every entry and prints it in this form.
pub fn run(
    input: &InputArgs,
    settings: Settings,
    form: Form,
    args: &ResultArgs,
    options: impl FnOnce() -> Result<String>,
) -> Result<ExitCode> {
    let (out, mut results) = args.open(form == Form::Json, options)?;
    let defaults = settings.defaults.clone();
    let weights = settings.weights.clone();
    let fields = settings.fields.clone();
    let jobs = settings.jobs;
    let budget = settings.budget;
    let store = settings.store.clone();
    let mut batch = Batch::start(results.within_budget(settings))?;
    let games = VecDeque::new();
    let totals = Totals::default();
    let record = results.record.clone();
    let mut printer = Printer {
        games,
        out,
        record,
        form,
        fields,
        printed: false,
        totals,
    };
    // A budget bounds the time.
    let mut is_warned = budget.is_some();
    let tally = input.for_each(|entry| {
        let game = &entry.record().game;
        let mut request = Request::of_game(entry.index, game, &defaults);
        request.tag = tag(&entry, request.tag);
        printer
            .totals
            .resume(results.done.take_from(ENTRY, &mut request)?);
        if request.turns.is_empty() {
            return Ok(Continue(()));
        }
        let boards = request.turns.iter().map(|turn| turn.position.board);
        // The store may have the answers.
        is_warned = is_warned
            || store.is_none()
                && warn_of_solves(&entry.place, boards, defaults.moves, &defaults.limits, jobs);
        printer
            .games
            .push_back(Game::new(&entry, request.turns.len()));
        batch.submit(request);
        while let Some(answer) = batch.ready() {
            printer.take(answer)?;
        }
        Ok(Continue(()))
    })?;
    batch.begin()?;
    let progress = args.progress(batch.left() as u64);
    progress.message("positions answered");
    for answer in batch.inspect(|_| progress.advance(1)) {
        printer.take(answer)?;
    }
    drop(progress);
    printer.out.finish()?;
    store_args::report(store.as_deref());
    results.end(input, tally, printer.totals, weights)?;
    Ok(tally.code())
}

/// The tag with the content, the source and the players of the entry.
fn tag(entry: &Entry, tag: Tag) -> Tag {
    let record = entry.record();
    Tag {
        crc32: entry.crc32(),
        source: Some(entry.place.source()),
        names: Names::of(&record.black, &record.white),
        ..tag
    }
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

struct Game {
    /// The place in the input, and the players of a game.
    title: String,
    /// The disc and the name of each player.
    names: [String; 2],
    is_position: bool,
    left: usize,
    totals: [Total; 2],
    /// Empties at the start.
    start: Option<u32>,
    /// The last opening named.
    opening: Option<&'static str>,
}

#[derive(Clone, Debug, Default)]
struct Total {
    moves: u32,
    loss: f64,
    errors: u32,
    worst: Option<(f64, String)>,
}

impl Printer {
    fn take(&mut self, answer: Answer) -> Result<()> {
        let Some(game) = self.games.front_mut() else {
            return Ok(());
        };
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
            if turn == 0 {
                let blank = if mem::replace(&mut self.printed, true) {
                    "\n"
                } else {
                    ""
                };
                self.out
                    .text(format_args!("{blank}{}", game.heading(self.form, &judged)))?;
            }
            game.count(turn + 1, &judged);
            self.out.text(match self.form {
                Form::Sentences(language) if game.is_position => move_paragraphs(language, &judged),
                Form::Sentences(language) => game.paragraph(language, &judged),
                _ => game.rows(turn + 1, &judged),
            })?;
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
        let is_position = record.game.moves().is_empty();
        let names = [(Color::Black, &record.black), (Color::White, &record.white)]
            .map(|(color, name)| format!("{} {name}", disc(color)).trim_end().to_owned());
        let title = entry.place.to_string();
        let title = if is_position {
            title
        } else {
            format!("{title}: {} - {}", names[0], names[1])
        };
        let totals = Default::default();
        Self {
            title,
            names,
            is_position,
            left: turns,
            totals,
            start: None,
            opening: None,
        }
    }

    fn heading(&self, form: Form, judged: &Judged) -> String {
        let title = &self.title;
        let empties = judged.empties;
        let side = disc(judged.position.side);
        match (form, self.is_position) {
            (Form::Table, true) => {
                format!("{title}: {empties} empty, {side} to move\n{POSITION_HEAD}\n")
            }
            (Form::Table, false) => format!("{title}\n{GAME_HEAD}\n"),
            _ => format!("{title}\n"),
        }
    }

    fn count(&mut self, number: usize, judged: &Judged) {
        let Some((played, loss)) = judged
            .played
            .as_ref()
            .and_then(|played| Some((played, played.loss?)))
        else {
            return;
        };
        if played.mv != Move::Pass {
            let total = &mut self.totals[judged.position.side as usize];
            total.moves += 1;
            total.loss += loss;
            total.errors += u32::from(Grade::of(loss) >= Grade::Mistake);
            if loss > total.worst.as_ref().map_or(0.0, |(worst, _)| *worst) {
                total.worst = Some((loss, format!("{number}. {}", played.mv)));
            }
        }
    }

    /// One row for a turn of a game, one for each move of a lone position.
    fn rows(&self, number: usize, judged: &Judged) -> String {
        let side = disc(judged.position.side);
        let Some(best) = judged.moves.first() else {
            let score = judged.line.value.score().unwrap_or_default();
            return format!("      the game is over: {score:+} for {side}\n");
        };
        if self.is_position {
            let rows: String = judged.moves.iter().map(move_row).collect();
            return rows + &book_rows(judged) + &people_rows(judged);
        }
        let played = judged
            .played
            .as_ref()
            .map_or_else(|| "-".to_owned(), |played| played.mv.to_string());
        format!(
            "{number:>4} {side:>4} {played:>6} {:>5} {:>7} {:>7} {:>6} {:>6}  {}\n",
            best.mv.to_string(),
            words::score(judged.line.value, judged.line.exact),
            lost(judged),
            percent(judged.line.odds.win_chance),
            depth(best),
            line(best)
        )
    }

    /// The sentences about the move played in the next position of the game, and the result at its end.
    fn paragraph(&mut self, language: Language, judged: &Judged) -> String {
        let start = *self.start.get_or_insert(judged.empties);
        let side = judged.position.side;
        let Some(played) = &judged.played else {
            let score = format!("{:+}", judged.line.value.score().unwrap_or_default());
            let values = [
                ("score", score.into()),
                ("own", name(language, side).into()),
            ];
            let is_over = judged.moves.is_empty();
            return if is_over {
                format!("     {}\n", language.fill("game-over", &values))
            } else {
                String::new()
            };
        };
        let mut texts = played.why.clone();
        let after = judged.position.play(played.mv).ok();
        let opening = after.and_then(|after| name_of(after.board));
        if let Some(opening) = opening.filter(|opening| self.opening != Some(opening)) {
            self.opening = Some(opening);
            texts.push(language.fill(
                "opening",
                &[("name", language.opening(opening).to_owned().into())],
            ));
        }
        let lead = match played.mv {
            Move::Place(square) => format!(
                "{:>3}. {} {square}  ",
                start - judged.empties + 1,
                disc(side)
            ),
            Move::Pass => format!("     {} pass  ", disc(side)),
        };
        paragraph(&lead, &texts, language, columns()) + "\n"
    }

    fn totals(&self) -> String {
        let totals = self
            .names
            .iter()
            .zip(&self.totals)
            .filter(|(_, total)| total.moves > 0);
        let text = totals.map(|(name, Total { moves, loss, errors, worst })| {
            let mean = loss / f64::from(*moves);
            let least = Grade::Mistake.least();
            let worst = worst.as_ref().map(|(loss, mv)| format!("; the worst {mv}: {loss:.2}"));
            format!(
                "{name}: {loss:.1} discs lost in {moves} moves, {mean:.2} each; {errors} lost {least} or more{}\n",
                worst.unwrap_or_default()
            )
        });
        text.collect()
    }
}

/// The loss of the move played: discs, or the result of a move that gives the best result away.
fn lost(judged: &Judged) -> String {
    let Some(found) = judged
        .played
        .as_ref()
        .filter(|found| found.mv != Move::Pass)
    else {
        return String::new();
    };
    match (found.loss, found.line.as_ref().map(|line| line.value)) {
        (Some(0.0), _) => "-".to_owned(),
        (Some(loss), _) => format!("{loss:.2}"),
        (None, Some(value @ Known::Winner(_))) if judged.line.value == value => "-".to_owned(),
        (None, Some(Known::Winner(sign))) => words::result_word(sign).to_owned(),
        (None, _) => String::new(),
    }
}

/// The best moves of a position, each with its value and sentences.
fn move_paragraphs(language: Language, judged: &Judged) -> String {
    let rows = judged.moves.iter().map(|found| {
        let score = words::score(found.line.value, found.line.exact);
        let lead = format!("{:>5} {score:>7}  ", found.mv.in_words());
        paragraph(&lead, &found.why, language, columns()) + "\n"
    });
    rows.collect()
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

/// The chances of the moves with players of the rating that was asked for, and the trap.
fn people_rows(judged: &Judged) -> String {
    let Some(rating) = judged.ratings.rating else {
        return String::new();
    };
    let chance = |found: &JudgedMove| format!("{} {}", found.mv, percent(found.find_chance));
    let chances: Vec<String> = judged.moves.iter().map(chance).collect();
    let trap = find::trap_of(judged, Language::En).map(|trap| trap + "\n");
    let chances = chances.join(", ");
    format!(
        "players of {rating} play {chances}\n{}",
        trap.unwrap_or_default()
    )
}

/// The games of the book with each of its moves.
fn book_rows(judged: &Judged) -> String {
    let moves = judged.theory.book.iter().flat_map(|book| &book.moves);
    let rows: String = moves
        .map(|found| {
            let percent = found
                .percent
                .map_or_else(String::new, |percent| format!("{percent:.1}%"));
            format!(
                "{:>5} {:>7} {:>6} {:>6} {:>6} {percent:>6}\n",
                found.mv.to_string(),
                found.games,
                found.won,
                found.drawn,
                found.lost
            )
        })
        .collect();
    if rows.is_empty() {
        rows
    } else {
        format!("{BOOK_HEAD}\n{rows}")
    }
}

fn percent(chance: Option<f64>) -> String {
    chance.map_or_else(String::new, |chance| format!("{:.1}%", 100.0 * chance))
}

fn depth(found: &JudgedMove) -> String {
    words::depth(
        found.line.value,
        found.line.exact,
        found.line.depth,
        found.line.selectivity,
    )
}

fn line(found: &JudgedMove) -> String {
    let moves: Vec<String> = found
        .pv
        .iter()
        .take(LINE_MOVES)
        .map(Move::to_string)
        .collect();
    moves.join(" ")
}
