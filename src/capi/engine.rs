//! Searches and the evaluation.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::boundary::{EMILIA_LINE_MOVES, EMILIA_PASS, free, owned, path, present, value_of};
use super::rules::EmiliaBoard;
use crate::eval::Evaluator;
use crate::search::{
    Clock, Goal, Info, Limits, Line, Observer, Options, Proof, Search, SearchResult, Selectivity,
    Stop, Task,
};

/// A searcher: its table, its threads and the evaluation.
pub struct EmiliaEngine(Search);

impl EmiliaEngine {
    pub(super) fn evaluator(&self) -> &Evaluator {
        self.0.evaluator()
    }
}

/// A wish to stop, for one search: another search would stop at once.
pub struct EmiliaStop(Stop);

/// The goal of a search.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmiliaGoal {
    /// The best move within the limits.
    Play = 0,
    /// The exact score.
    Exact = 1,
    /// Only the winner: faster than the exact score.
    Winner = 2,
}

/// Called after each finished iteration, on the searching thread; return `false` to stop the search.
pub type EmiliaObserver =
    Option<unsafe extern "C" fn(report: *const EmiliaReport, data: *mut c_void) -> bool>;

/// The task of a search. A field of 0 is no limit; to find the best move, a task has a limit.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EmiliaTask {
    /// The goal, an `EmiliaGoal`.
    pub goal: u8,
    /// Midgame depth in plies, 1 to 60; only to find the best move.
    pub depth: u8,
    /// Selectivity of midgame searches in percent: 73, 87, 95, 98, 99 or 100. 0 is 73.
    pub selectivity: u8,
    /// Nodes.
    pub nodes: u64,
    /// Seconds for the move, 0.001 or more: about all of them are used.
    pub seconds: f64,
    /// Stops the search, or null.
    pub stop: *const EmiliaStop,
    /// Gets the reports of the best move during the search, or null.
    pub observer: EmiliaObserver,
    /// Passed to the observer.
    pub data: *mut c_void,
}

/// How much of a score is proven.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmiliaProof {
    /// Nothing: an estimate.
    None = 0,
    /// Nothing, and the score is only a lower bound: the search was cut short.
    AtLeast = 1,
    /// Nothing, and the score is only an upper bound.
    AtMost = 2,
    /// The winner: the sign of the score.
    Winner = 3,
    /// All: the score is the result of best play by both sides.
    Exact = 4,
}

/// A move and its value, during a search and at its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EmiliaReport {
    /// The move: a square or `EMILIA_PASS`.
    pub best: u8,
    /// Depth in plies of the search behind the score; the number of empties where it went to the end.
    pub depth: u8,
    /// Its selectivity in percent; 100 is a full-width search.
    pub selectivity: u8,
    /// How much of the score is proven.
    pub proof: EmiliaProof,
    /// In discs, for the side to move.
    pub score: f64,
    /// Positions that the whole search visited.
    pub nodes: u64,
    /// Seconds since the search began.
    pub seconds: f64,
    /// Length of `line`.
    pub line_length: u8,
    /// The expected line, `best` first: squares and passes.
    pub line: [u8; EMILIA_LINE_MOVES],
}

impl EmiliaReport {
    pub(super) fn of(info: &Info, found: &Line) -> Self {
        let mut line = [EMILIA_PASS; EMILIA_LINE_MOVES];
        for (place, mv) in line.iter_mut().zip(&found.pv) {
            *place = mv
                .square()
                .map_or(EMILIA_PASS, |square| square.index() as u8);
        }
        let proof = match found.proof {
            Proof::None => EmiliaProof::None,
            Proof::AtLeast => EmiliaProof::AtLeast,
            Proof::AtMost => EmiliaProof::AtMost,
            Proof::WinLossDraw => EmiliaProof::Winner,
            Proof::Exact => EmiliaProof::Exact,
        };
        Self {
            best: line[0],
            depth: found.depth,
            selectivity: found.selectivity.percent() as u8,
            proof,
            score: found.bound.discs(),
            nodes: info.nodes,
            seconds: info.time.as_secs_f64(),
            line_length: found.pv.len().min(EMILIA_LINE_MOVES) as u8,
            line,
        }
    }
}

/// Passes reports to the caller's function, and its wish to stop to the search.
struct Outside<'a>(&'a EmiliaTask, &'a Stop);

impl Observer for Outside<'_> {
    fn iteration(&mut self, info: &Info) {
        let (Some(observer), Some(line)) = (self.0.observer, info.lines.first()) else {
            return;
        };
        // SAFETY: the caller's promise, until the search returns.
        if !unsafe { observer(&EmiliaReport::of(info, line), self.0.data) } {
            self.1.request();
        }
    }
}

impl EmiliaTask {
    fn limits(&self) -> Option<Limits> {
        let &Self {
            goal,
            depth,
            selectivity,
            nodes,
            seconds,
            ..
        } = self;
        let goal = match goal {
            0 => Goal::Play,
            1 => Goal::Exact,
            2 => Goal::WinLossDraw,
            _ => return value_of(Err(format!("expected a goal of 0, 1 or 2, found {goal}"))),
        };
        if goal == Goal::Play && depth == 0 && nodes == 0 && seconds == 0.0 {
            return value_of(Err("expected a limit: a depth, nodes or seconds"));
        }
        if goal != Goal::Play && (depth, selectivity) != (0, 0) {
            return value_of(Err(
                "expected no depth and no selectivity: this goal searches every move to the end",
            ));
        }
        let percent = if selectivity == 0 { 73 } else { selectivity };
        let selectivity =
            Selectivity::from_percent(percent.into()).filter(|&s| s != Selectivity::P52);
        let selectivity = value_of(selectivity.ok_or_else(|| {
            format!("expected a selectivity of 73, 87, 95, 98, 99 or 100, found {percent}")
        }))?;
        let clock = match seconds {
            0.0 => Clock::Unlimited,
            _ => Clock::Move(value_of(Limits::parse_move_seconds(seconds))?),
        };
        let depth = if depth == 0 { Limits::MAX_DEPTH } else { depth };
        // `Limits::depth` bounds the depth; `check` names one out of range.
        let limits = match goal {
            Goal::Play => Limits {
                depth,
                selectivity,
                ..Limits::depth(depth)
            },
            _ => Limits {
                goal,
                ..Limits::exact()
            },
        };
        value_of(limits.check())?;
        Some(Limits {
            nodes: (nodes > 0).then_some(nodes),
            clock,
            ..limits
        })
    }
}

/// Makes a searcher of 1 to 256 threads with a table of 1 to 65536 MiB. `weights` names a file of weights; null selects
/// those of the library. Returns null if a number is outside its range, the memory is too small for the table, or the
/// weights cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_engine_new(
    threads: u32,
    hash_mib: u32,
    weights: *const c_char,
) -> *mut EmiliaEngine {
    // SAFETY: the caller's promise.
    let Some(weights) = (unsafe { path(weights) }) else {
        return std::ptr::null_mut();
    };
    let options = Options {
        threads: threads as usize,
        hash_mib: hash_mib as usize,
    };
    if value_of(options.check()).is_none() {
        return std::ptr::null_mut();
    }
    let made = Evaluator::load(None, weights.as_deref());
    owned(made.map(|evaluator| EmiliaEngine(Search::new(&options, Arc::new(evaluator)))))
}

/// Frees a searcher; null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_engine_free(engine: *mut EmiliaEngine) {
    // SAFETY: the caller's promise.
    unsafe { free(engine) }
}

/// Clears the hash table: the next search then visits the same positions on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_engine_clear(engine: *mut EmiliaEngine) {
    // SAFETY: the caller's promise.
    if let Some(engine) = unsafe { engine.as_mut() } {
        engine.0.clear();
    }
}

/// Makes a stop for the next search.
#[unsafe(no_mangle)]
pub extern "C" fn emilia_stop_new() -> *mut EmiliaStop {
    owned(Ok::<_, String>(EmiliaStop(Stop::new())))
}

/// Frees a stop; null is allowed. Its search must have ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_stop_free(stop: *mut EmiliaStop) {
    // SAFETY: the caller's promise.
    unsafe { free(stop) }
}

/// Stops the search of a task with this stop within milliseconds, from any thread; at once if it begins later.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_stop_request(stop: *const EmiliaStop) {
    // SAFETY: the caller's promise; the flag is made for several threads.
    if let Some(EmiliaStop(stop)) = unsafe { stop.as_ref() } {
        stop.request();
    }
}

/// Searches the best moves, at most `capacity` of them: 1 for the best one, 64 for all legal ones. Writes a report of
/// each, best first, and returns their number: 0 if the game is over, -1 after an error. A stopped search reports its last
/// finished iteration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_search(
    engine: *mut EmiliaEngine,
    board: EmiliaBoard,
    task: *const EmiliaTask,
    reports: *mut EmiliaReport,
    capacity: usize,
) -> i32 {
    let given = !engine.is_null() && !task.is_null() && !reports.is_null();
    let given = present(given.then_some(board), "an engine, a task and reports");
    let Some(board) = given.and_then(EmiliaBoard::board) else {
        return -1;
    };
    // SAFETY: the caller's promise.
    let (EmiliaEngine(search), task) = unsafe { (&mut *engine, &*task) };
    let multi_pv = (1..)
        .contains(&capacity)
        .then_some(capacity.min(64))
        .ok_or("expected room for a report");
    let Some((limits, multi_pv)) = task.limits().zip(value_of(multi_pv)) else {
        return -1;
    };
    // SAFETY: the caller's promise.
    let stop =
        unsafe { task.stop.as_ref() }.map_or_else(Stop::new, |EmiliaStop(stop)| stop.clone());
    let asked = Task {
        multi_pv,
        ..Task::new(board, limits)
    };
    let SearchResult { info, .. } = search.run_with(&asked, &stop, &mut Outside(task, &stop));
    for (index, line) in info.lines.iter().take(capacity).enumerate() {
        // SAFETY: the caller's promise: `index` is below `capacity`.
        unsafe { reports.add(index).write(EmiliaReport::of(&info, line)) };
    }
    info.lines.len().min(capacity) as i32
}

/// The evaluation of a position without a search, in discs for the side to move.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_evaluate(
    engine: *const EmiliaEngine,
    board: EmiliaBoard,
    discs: *mut f64,
) -> bool {
    let given = (!engine.is_null() && !discs.is_null()).then_some(board);
    let given = present(given, "an engine and a place for the value");
    let Some(board) = given.and_then(EmiliaBoard::board) else {
        return false;
    };
    // SAFETY: the caller's promise.
    let evaluator = unsafe { &(*engine).0 }.evaluator();
    let value = evaluator.evaluate(board, &evaluator.features(board));
    // SAFETY: the caller's promise.
    unsafe { discs.write(value.discs()) };
    true
}
