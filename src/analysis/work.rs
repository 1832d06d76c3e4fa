//! The work on one position: its search, the loss of the move played, and partial answers meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::Settings;
use super::answer::{
    Answer, Body, BookJudgement, Estimate, Judged, Line, PlayedMove, Ratings, Theory,
};
use super::find;
use super::judge::{Judgement, Question, judge, judge_further};
use super::request::{Request, Turn};
use super::wire::seconds;
use crate::board::Move;
use crate::engine::chances;
use crate::engine::cost::Cost;
use crate::search::slices::{self, Slices};
use crate::search::{Clock, Info, Observer, Search, Stop, Task};
use crate::util::clock::Instant;
use crate::util::lock;

pub struct Running {
    /// Its place in the order of the input.
    pub place: u64,
    pub request: Arc<Request>,
    turn: Turn,
    pub stop: Stop,
    pub cancelled: AtomicBool,
    started: Instant,
    /// Its share of the budget of the run.
    pub time: Option<Duration>,
    pub progress: Mutex<Progress>,
}

/// The progress of a search. A partial answer holds its lock until it is written, so that it never follows the last one.
#[derive(Default)]
pub struct Progress {
    info: Option<Info>,
    /// When the next partial answer is due; `None` if no more will follow.
    next: Option<Instant>,
    /// The searches of earlier slices.
    slices: Option<Slices>,
}

/// The answer about one position of a request.
pub fn answer_to(request: &Request, turn: &Turn, body: Body) -> Answer {
    Answer::new(&request.tag, turn.number, request.positions, body)
}

impl Running {
    pub fn new(place: u64, request: Arc<Request>, turn: usize) -> Self {
        let started = Instant::now();
        let next = request
            .partial_every
            .map(|every| started.checked_add(every).unwrap_or(started));
        Self {
            place,
            turn: request.turns[turn],
            stop: Stop::new(),
            cancelled: AtomicBool::new(false),
            started,
            time: None,
            progress: Mutex::new(Progress {
                info: None,
                next,
                slices: None,
            }),
            request,
        }
    }

    pub fn answer(&self, mut judged: Judged) -> Answer {
        let lines = judged.moves.iter_mut().map(|mv| &mut mv.pv);
        for line in lines.chain(judged.played.iter_mut().map(|played| &mut played.pv)) {
            line.truncate(self.request.pv_length);
        }
        answer_to(&self.request, &self.turn, Body::Judged(Box::new(judged)))
    }

    /// A partial answer, if it is time for one and the search has found anything.
    pub fn partial(&self, progress: &mut Progress, settings: &Settings) -> Option<Judged> {
        let now = Instant::now();
        let info = progress
            .info
            .as_ref()
            .filter(|_| progress.next.is_some_and(|next| now >= next))?;
        let nodes = self.stop.nodes().max(info.nodes);
        let mut judged = self.judged(info, settings);
        judged.state.partial = true;
        judged.work.nodes = nodes;
        judged.work.seconds = Some(seconds(self.started.elapsed()));
        // A late answer does not bring the next one forward.
        progress.next = now.checked_add(self.request.partial_every?);
        Some(judged)
    }

    /// Searches the position as the request asks.
    pub fn judge(&self, search: &mut Search, settings: &Settings) -> Judged {
        let question = self.question();
        let judge = if self.request.warm {
            judge_further
        } else {
            judge
        };
        let store = settings.store.as_deref().filter(|_| !self.request.warm);
        let found = store.and_then(|store| store.find(&question));
        let is_found = found.is_some();
        let within = self.within_time(&question);
        let judgement = found.unwrap_or_else(|| judge(search, &within, &self.stop, &mut &*self));
        let settled = self.is_settled(&judgement.info);
        // A stopped search has no answer to keep, and that of several threads is not reproducible.
        let is_whole = self.time.is_none() && !self.stop.is_requested() || settled == Some(true);
        if let Some(store) = store.filter(|_| !is_found && is_whole && self.request.threads == 1) {
            store.keep(&question, &judgement);
        }
        let mut judged = self.finish(&judgement, settings);
        if is_found {
            // Nothing was searched; a reproducible answer does not show it.
            judged.work.searched = 0;
            judged.work.estimate = None;
            if store.is_some_and(|store| !store.is_literal()) {
                judged.work.stored = true;
                judged.work.nodes = 0;
            }
        }
        judged
    }

    /// Searches the position until the microsecond `end` of the clock; `None` if its search has to go on. The next slice
    /// searches with the table that this one left.
    pub fn judge_slice(
        &self,
        search: &mut Search,
        settings: &Settings,
        end: u64,
    ) -> Option<Judged> {
        let question = self.question();
        // Weak play has no table; its search is short.
        let end = if question.task.handicap.is_none() {
            end
        } else {
            0
        };
        slices::end_at(&self.stop, end);
        let before = lock(&self.progress).slices.take();
        let judge = if before.is_some() {
            judge_further
        } else {
            judge
        };
        slices::set(search, before.or_else(|| Some(Slices::default())));
        let judgement = judge(search, &question, &self.stop, &mut &*self);
        let slices = slices::set(search, None);
        let goes_on = slices::is_over(&self.stop);
        slices::end_at(&self.stop, 0);
        if goes_on {
            lock(&self.progress).slices = slices;
            return None;
        }
        Some(self.finish(&judgement, settings))
    }

    /// The last answer.
    fn finish(&self, judgement: &Judgement, settings: &Settings) -> Judged {
        let mut judged = self.judged(&judgement.info, settings);
        judged.work.settled = self.is_settled(&judgement.info);
        judged.moves.truncate(self.request.moves);
        self.add_played(&mut judged, judgement, settings);
        if let Some(rating) = self.request.rating {
            let evaluator = &settings.evaluator;
            find::add(
                &mut judged,
                evaluator,
                rating,
                self.turn.last,
                self.request.trap,
            );
        }
        if let Some(language) = self.request.why {
            judged.explain(language);
            let sentence = find::sentence(&judged, language);
            if let Some(played) = &mut judged.played {
                played.why.extend(sentence);
            }
        }
        if settings.defaults.reproducible {
            judged.work.seconds = None;
            judged.work.estimate = None;
        }
        judged.warnings.clone_from(&self.request.warnings);
        add_book(&mut judged, settings);
        lock(&self.progress).next = None;
        judged.state.cancelled = self.cancelled.load(Ordering::Relaxed);
        judged
    }

    fn task(&self) -> Task {
        let Request {
            limits,
            moves,
            allowed,
            handicap,
            ..
        } = *self.request;
        let base = Task::new(self.turn.position.board, limits);
        let last = self.turn.last.map(Move::Place);
        Task {
            multi_pv: moves,
            allowed,
            handicap: handicap.map(|handicap| handicap.after(last.as_ref())),
            ..base
        }
    }

    fn question(&self) -> Question {
        let task = self.task();
        let request = &self.request;
        // The second best move shows how sure the best one is.
        let multi_pv = task
            .multi_pv
            .max(if request.confidence.is_some() { 2 } else { 1 });
        Question {
            task: Task { multi_pv, ..task },
            losses: request.losses,
            played: self.turn.played.filter(|_| request.losses),
            confidence: request.confidence,
        }
    }

    /// The question with the time that the budget of the run leaves for it.
    fn within_time(&self, question: &Question) -> Question {
        let mut question = *question;
        let limits = &mut question.task.limits;
        if let Some(time) = self.time {
            limits.clock = match limits.clock {
                Clock::Move(own) => Clock::Move(own.min(time)),
                _ => Clock::Move(time),
            };
        }
        question
    }

    /// The answer that a search has found so far.
    fn judged(&self, info: &Info, settings: &Settings) -> Judged {
        let Turn {
            position,
            played,
            opening,
            ..
        } = self.turn;
        let cost = Cost::of(&self.task(), self.request.threads, Some(info))
            .filter(|_| self.request.handicap.is_none());
        let mut judged = Judged {
            avoid: (position.board.moves() & !self.request.allowed)
                .iter()
                .map(Move::Place)
                .collect(),
            played: played.map(PlayedMove::of),
            ratings: Ratings {
                elo: self.request.elo,
                person: self.request.person,
                ..Ratings::default()
            },
            theory: Theory {
                opening: opening.map(Into::into),
                book: None,
            },
            ..Judged::new(
                position,
                info,
                self.is_calibrated(settings),
                &settings.weights,
            )
        };
        judged.work.estimate = cost.as_ref().map(Estimate::new);
        judged
    }

    /// The meaning of a weaker player's scores is not known.
    fn is_calibrated(&self, settings: &Settings) -> bool {
        settings.defaults.calibrated && self.request.handicap.is_none()
    }

    /// Whether the first move is as sure to be no worse than the second as the request asks; a lone move is.
    fn is_settled(&self, info: &Info) -> Option<bool> {
        let wanted = self.request.confidence?;
        let board = self.turn.position.board;
        Some(match &info.lines[..] {
            [first, second, ..] => chances::better(first, second, board.empty_count()) >= wanted,
            _ => (board.moves() & self.request.allowed).len() < 2,
        })
    }

    fn add_played(&self, judged: &mut Judged, judgement: &Judgement, settings: &Settings) {
        let empties = judged.empties;
        if let Some((played, line)) = judged.played.as_mut().zip(judgement.played.as_ref()) {
            played.line = Some(Line::new(line, empties, self.is_calibrated(settings)));
            (played.loss, played.pv) = (judgement.loss(), line.pv.clone());
        }
        judged.complete_played();
    }
}

/// Keeps the progress of the search for partial answers, and ends the search when the best move is sure enough.
impl Observer for &Running {
    fn iteration(&mut self, info: &Info) {
        if self.is_settled(info) == Some(true) {
            self.stop.request();
        }
        lock(&self.progress).info = Some(info.clone());
    }
}

fn add_book(judged: &mut Judged, settings: &Settings) {
    let Some(book) = &settings.book else {
        return;
    };
    let board = judged.position.board;
    let found = book
        .value(board)
        .and_then(|found| Ok((found, book.moves(board)?)));
    match found {
        Ok((found, lines)) => {
            judged.theory.book = found.map(|found| BookJudgement::new(&found, &lines))
        }
        Err(error) => judged.warnings.push(format!("book: {error}")),
    }
}
