//! The work on one position: its search, what the move played lost, and how far the search is.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Settings;
use super::answer::{BookJudgement, Estimate, Judged, PlayedMove};
use super::judge::judge;
use super::request::{Request, Turn};
use super::store::Question;
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

impl Watch<'_> {
    /// Whether the first move is at least so sure to be no worse than the second; a lone move is.
    fn is_settled(&self, info: &Info, wanted: f64) -> bool {
        match &info.lines[..] {
            [first, second, ..] => chances::better(first, second, self.empties) >= wanted,
            _ => self.choices < 2,
        }
    }
}

/// What a search of a position of the request has found.
fn judged(request: &Request, turn: &Turn, info: &Info, settings: &Settings) -> Judged {
    // What a weaker player's scores would stand for is not known.
    let calibrated = settings.defaults.calibrated && request.handicap.is_none();
    let (multi_pv, allowed) = (request.moves, request.allowed);
    let task = Task { multi_pv, allowed, ..Task::new(turn.position.board, request.limits) };
    let cost = Cost::of(&task, 1, Some(info)).filter(|_| request.handicap.is_none());
    Judged {
        estimate: cost.as_ref().map(Estimate::new),
        avoid: moves_of(turn.position.board.moves() & !request.allowed),
        played: turn.played.map(PlayedMove::of),
        opening: turn.opening.map(Into::into),
        ..Judged::new(turn.position, info, calibrated, &settings.weights)
    }
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
    let board = turn.position.board;
    let base = Task::new(board, request.limits);
    // How sure the best move is shows beside the second best.
    let multi_pv = request.moves.max(if request.confidence.is_some() { 2 } else { 1 });
    let task = Task { multi_pv, allowed: request.allowed, handicap: request.handicap, ..base };
    let mut watch = Watch {
        progress,
        stop,
        confidence: request.confidence,
        empties: board.empty_count(),
        choices: (board.moves() & request.allowed).count_ones() as usize,
    };
    let question =
        Question { task, played: turn.played.filter(|_| request.losses), confidence: request.confidence };
    let store = settings.store.as_deref();
    let found = store.and_then(|store| store.find(&question));
    let is_found = found.is_some();
    let judgement = found.unwrap_or_else(|| judge(search, &task, question.played, stop, &mut watch));
    let settled = request.confidence.map(|wanted| watch.is_settled(&judgement.info, wanted));
    let mut judged = Judged { settled, ..judged(request, turn, &judgement.info, settings) };
    if let Some(store) = store {
        // What was given up is no answer.
        if !is_found && (!stop.is_requested() || settled == Some(true)) {
            store.keep(&question, &judgement);
        }
        if is_found {
            (judged.searched, judged.estimate) = (0, None);
            if !store.is_literal() {
                (judged.stored, judged.nodes) = (true, 0);
            }
        }
    }
    judged.moves.truncate(request.moves);
    if let Some((played, line)) = judged.played.as_mut().zip(judgement.played.as_ref()) {
        (played.value, played.exact) = (Some(line.known()), line.is_exact());
        (played.loss, played.pv) = (judgement.loss(), line.pv.clone());
    }
    if let Some(language) = request.why {
        judged.tell(language);
    }
    if settings.defaults.reproducible {
        (judged.seconds, judged.estimate) = (None, None);
    }
    judged.warnings.clone_from(&request.warnings);
    match settings.book.as_ref().map(|book| book.value(board)) {
        Some(Ok(found)) => judged.book = found.as_ref().map(BookJudgement::new),
        Some(Err(error)) => judged.warnings.push(format!("book: {error}")),
        None => {}
    }
    judged
}
