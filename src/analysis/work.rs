//! The work on one position: its search, what the move played lost, and how far the search is.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Settings;
use super::answer::{BookJudgement, Estimate, Judged, Line, PlayedMove};
use super::judge::{Judgement, Question, judge};
use super::request::{Request, Turn};
use super::wire::{moves_of, seconds};
use crate::engine::chances;
use crate::engine::cost::Cost;
use crate::search::{Info, Observer, Search, Stop, Task};

/// How far a search is.
pub struct Progress {
    info: Option<Info>,
    started: Instant,
    every: Option<Duration>,
    next: Instant,
    nodes: Option<Stop>,
    /// The last answer is on its way.
    pub has_ended: bool,
}

impl Progress {
    /// A search that begins now, to be reported in this rhythm.
    pub fn new(every: Option<Duration>) -> Self {
        let now = Instant::now();
        let next = every.and_then(|every| now.checked_add(every)).unwrap_or(now);
        Self { info: None, started: now, every, next, nodes: None, has_ended: false }
    }

    /// A partial report, if it is time for one and the search has found anything.
    pub fn due(
        &mut self,
        now: Instant,
        settings: &Settings,
        request: &Request,
        turn: &Turn,
    ) -> Option<Judged> {
        let every = self.every.filter(|_| now >= self.next && !self.has_ended)?;
        let info = self.info.as_ref()?;
        // A report that came late does not bring the next one forward.
        self.next = now.checked_add(every)?;
        let nodes = self.nodes.as_ref().map_or(0, Stop::nodes).max(info.nodes);
        let time = Some(seconds(self.started.elapsed()));
        Some(Judged { partial: true, nodes, seconds: time, ..judged(request, turn, info, settings) })
    }
}

/// Keeps what a search tells where the reporting thread finds it, and ends it when the best move is sure enough.
struct Watch<'a> {
    progress: &'a Mutex<Progress>,
    stop: &'a Stop,
    confidence: Option<f64>,
    /// Empties and legal moves of the position.
    empties: u32,
    choices: usize,
}

impl Observer for Watch<'_> {
    fn iteration(&mut self, info: &Info) {
        if self.confidence.is_some_and(|wanted| self.is_settled(info, wanted)) {
            self.stop.request();
        }
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).info = Some(info.clone());
    }
}

impl<'a> Watch<'a> {
    fn new(request: &Request, turn: &Turn, progress: &'a Mutex<Progress>, stop: &'a Stop) -> Self {
        let board = turn.position.board;
        let choices = (board.moves() & request.allowed).count_ones() as usize;
        Self { progress, stop, confidence: request.confidence, empties: board.empty_count(), choices }
    }

    /// Whether the first move is at least so sure to be no worse than the second; a lone move is.
    fn is_settled(&self, info: &Info, wanted: f64) -> bool {
        match &info.lines[..] {
            [first, second, ..] => chances::better(first, second, self.empties) >= wanted,
            _ => self.choices < 2,
        }
    }
}

/// The search of a position of the request.
fn task_of(request: &Request, turn: &Turn) -> Task {
    let base = Task::new(turn.position.board, request.limits);
    Task { multi_pv: request.moves, allowed: request.allowed, handicap: request.handicap, ..base }
}

/// What a search of a position of the request has found.
fn judged(request: &Request, turn: &Turn, info: &Info, settings: &Settings) -> Judged {
    let cost = Cost::of(&task_of(request, turn), 1, Some(info)).filter(|_| request.handicap.is_none());
    Judged {
        estimate: cost.as_ref().map(Estimate::new),
        avoid: moves_of(turn.position.board.moves() & !request.allowed),
        played: turn.played.map(PlayedMove::of),
        opening: turn.opening.map(Into::into),
        ..Judged::new(turn.position, info, is_calibrated(request, settings), &settings.weights)
    }
}

/// The meaning of a weaker player's scores is not known.
fn is_calibrated(request: &Request, settings: &Settings) -> bool {
    settings.defaults.calibrated && request.handicap.is_none()
}

/// Searches a position of a request as it asks.
pub fn judge_turn(
    search: &mut Search,
    settings: &Settings,
    request: &Request,
    turn: &Turn,
    stop: &Stop,
    progress: &Mutex<Progress>,
) -> Judged {
    progress.lock().unwrap_or_else(PoisonError::into_inner).nodes = Some(stop.clone());
    let mut watch = Watch::new(request, turn, progress, stop);
    let question = question(request, turn);
    let store = settings.store.as_deref();
    let found = store.and_then(|store| store.find(&question));
    let is_found = found.is_some();
    let judgement = found.unwrap_or_else(|| judge(search, &question, stop, &mut watch));
    let settled = request.confidence.map(|wanted| watch.is_settled(&judgement.info, wanted));
    // A stopped search has no answer to keep.
    if let Some(store) = store.filter(|_| !is_found && (!stop.is_requested() || settled == Some(true))) {
        store.keep(&question, &judgement);
    }
    let mut judged = Judged { settled, ..judged(request, turn, &judgement.info, settings) };
    if is_found {
        mark_stored(&mut judged, settings);
    }
    judged.moves.truncate(request.moves);
    add_played(&mut judged, &judgement, is_calibrated(request, settings));
    if let Some(language) = request.why {
        judged.explain(language);
    }
    if settings.defaults.reproducible {
        (judged.seconds, judged.estimate) = (None, None);
    }
    judged.warnings.clone_from(&request.warnings);
    add_book(&mut judged, settings);
    judged
}

/// Everything that decides the answer.
fn question(request: &Request, turn: &Turn) -> Question {
    let task = task_of(request, turn);
    // The second best move shows how sure the best one is.
    let multi_pv = task.multi_pv.max(if request.confidence.is_some() { 2 } else { 1 });
    Question {
        task: Task { multi_pv, ..task },
        losses: request.losses,
        played: turn.played.filter(|_| request.losses),
        confidence: request.confidence,
    }
}

/// Nothing was searched; a reproducible answer does not show it.
fn mark_stored(judged: &mut Judged, settings: &Settings) {
    (judged.searched, judged.estimate) = (0, None);
    if settings.store.as_ref().is_some_and(|store| !store.is_literal()) {
        (judged.stored, judged.nodes) = (true, 0);
    }
}

/// The value of the move played, and its loss.
fn add_played(judged: &mut Judged, judgement: &Judgement, is_calibrated: bool) {
    let empties = judged.empties;
    if let Some((played, line)) = judged.played.as_mut().zip(judgement.played.as_ref()) {
        played.line = Some(Line::new(line, empties, is_calibrated));
        (played.loss, played.pv) = (judgement.loss(), line.pv.clone());
    }
    judged.complete_played();
}

fn add_book(judged: &mut Judged, settings: &Settings) {
    match settings.book.as_ref().map(|book| book.value(judged.position.board)) {
        Some(Ok(found)) => judged.book = found.as_ref().map(BookJudgement::new),
        Some(Err(error)) => judged.warnings.push(format!("book: {error}")),
        None => {}
    }
}
