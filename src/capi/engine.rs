//! Searches and the evaluation.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::boundary::{EMILIA_LINE_MOVES, EMILIA_NO_MOVE, EMILIA_PASS, free, owned, path, present, value_of};
use super::rules::EmiliaBoard;
use crate::eval::Evaluator;
use crate::search::{
    Clock, Info, Limits, Observer, Options, Proof, Search, SearchResult, Selectivity, Stop, Task,
};

/// A searcher: its table, its threads and the evaluation.
pub struct EmiliaEngine {
    search: Search,
    stop: Stop,
}

/// The limits of a search. A field of 0 is no limit.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EmiliaLimits {
    /// Midgame depth in plies, 1 to 60.
    pub depth: u8,
    /// Selectivity of midgame searches in percent: 73, 87, 95, 98, 99 or 100. 0 is 73.
    pub selectivity: u8,
    /// Nodes.
    pub nodes: u64,
    /// Seconds for the move, 0.001 or more: about all of them are used.
    pub seconds: f64,
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

/// The state of a search, during it and at its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EmiliaReport {
    /// The best move: a square, `EMILIA_PASS`, or `EMILIA_NO_MOVE` where the game is over.
    pub best: u8,
    /// Depth in plies of the search behind the score; the number of empties where it went to the end.
    pub depth: u8,
    /// Its selectivity in percent; 100 is a full-width search.
    pub selectivity: u8,
    /// How much of the score is proven.
    pub proof: EmiliaProof,
    /// In discs, for the side to move.
    pub score: f64,
    /// Positions visited.
    pub nodes: u64,
    /// Seconds since the search began.
    pub seconds: f64,
    /// Length of `line`.
    pub line_length: u8,
    /// The best line, `best` first: squares and passes.
    pub line: [u8; EMILIA_LINE_MOVES],
}

/// Called after each finished iteration, on the searching thread; return `false` to stop the search.
pub type EmiliaObserver =
    Option<unsafe extern "C" fn(report: *const EmiliaReport, data: *mut c_void) -> bool>;

impl EmiliaReport {
    /// `None` before the first iteration ends, and where the game is over.
    fn of(info: &Info) -> Option<Self> {
        let found = info.lines.first()?;
        let mut line = [EMILIA_NO_MOVE; EMILIA_LINE_MOVES];
        for (place, mv) in line.iter_mut().zip(&found.pv) {
            *place = mv.square().map_or(EMILIA_PASS, |square| square.index() as u8);
        }
        let proof = match found.proof {
            Proof::None => EmiliaProof::None,
            Proof::AtLeast => EmiliaProof::AtLeast,
            Proof::AtMost => EmiliaProof::AtMost,
            Proof::WinLossDraw => EmiliaProof::Winner,
            Proof::Exact => EmiliaProof::Exact,
        };
        Some(Self {
            best: line[0],
            depth: found.depth,
            selectivity: found.selectivity.percent() as u8,
            proof,
            score: found.bound.discs(),
            nodes: info.nodes,
            seconds: info.time.as_secs_f64(),
            line_length: found.pv.len().min(EMILIA_LINE_MOVES) as u8,
            line,
        })
    }

    /// The end of a game, without a search.
    pub(super) fn over(discs: i32) -> Self {
        Self {
            best: EMILIA_NO_MOVE,
            depth: 0,
            selectivity: 100,
            proof: EmiliaProof::Exact,
            score: f64::from(discs),
            nodes: 0,
            seconds: 0.0,
            line_length: 0,
            line: [EMILIA_NO_MOVE; EMILIA_LINE_MOVES],
        }
    }
}

/// Passes reports to the caller's function, and its wish to stop to the search.
struct Outside<'a> {
    observer: EmiliaObserver,
    data: *mut c_void,
    stop: &'a Stop,
}

impl Observer for Outside<'_> {
    fn iteration(&mut self, info: &Info) {
        let (Some(observer), Some(report)) = (self.observer, EmiliaReport::of(info)) else { return };
        // SAFETY: the caller's promise, until the search returns.
        if !unsafe { observer(&raw const report, self.data) } {
            self.stop.request();
        }
    }
}

impl EmiliaLimits {
    fn limits(self) -> Option<Limits> {
        let Self { depth, selectivity, nodes, seconds } = self;
        if depth == 0 && nodes == 0 && seconds == 0.0 {
            return value_of(Err("expected a limit: a depth, nodes or seconds"));
        }
        let percent = if selectivity == 0 { 73 } else { selectivity };
        let selectivity = Selectivity::from_percent(percent.into()).filter(|&s| s != Selectivity::P52);
        let selectivity =
            value_of(selectivity.ok_or_else(|| {
                format!("expected a selectivity of 73, 87, 95, 98, 99 or 100, found {percent}")
            }))?;
        let clock = match seconds {
            0.0 => Clock::Unlimited,
            _ => Clock::Move(value_of(Limits::parse_move_seconds(seconds))?),
        };
        let depth = if depth == 0 { Limits::MAX_DEPTH } else { depth };
        // `Limits::depth` bounds the depth; `check` names one out of range.
        let limits = Limits { depth, ..Limits::depth(depth) };
        value_of(limits.check())?;
        Some(Limits { selectivity, nodes: (nodes > 0).then_some(nodes), clock, ..limits })
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
    let Some(weights) = (unsafe { path(weights) }) else { return std::ptr::null_mut() };
    let options = Options { threads: threads as usize, hash_mib: hash_mib as usize };
    if value_of(options.check()).is_none() {
        return std::ptr::null_mut();
    }
    owned(Evaluator::load(None, weights.as_deref()).map(|evaluator| EmiliaEngine {
        search: Search::new(&options, Arc::new(evaluator)),
        stop: Stop::new(),
    }))
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
        engine.search.clear();
    }
}

/// Stops the running search within milliseconds, from any thread. If no search runs, the next one stops at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_engine_stop(engine: *const EmiliaEngine) {
    if !engine.is_null() {
        // SAFETY: the caller's promise; only the flag is touched, which is made for several threads.
        unsafe { (*engine).stop.request() }
    }
}

/// Finds the best move within `limits`. `observer` may be null. The report of a stopped search is that of the last
/// finished iteration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_search(
    engine: *mut EmiliaEngine,
    board: EmiliaBoard,
    limits: *const EmiliaLimits,
    observer: EmiliaObserver,
    data: *mut c_void,
    report: *mut EmiliaReport,
) -> bool {
    // SAFETY: the caller's promise.
    let limits = present(unsafe { limits.as_ref() }, "limits").and_then(|limits| limits.limits());
    let Some(limits) = limits else { return false };
    // SAFETY: the caller's promise.
    unsafe { run(engine, board, limits, observer, data, report) }
}

/// Finds the exact score, without a limit of time: `proof` is `Exact` unless the search was stopped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_solve(
    engine: *mut EmiliaEngine,
    board: EmiliaBoard,
    observer: EmiliaObserver,
    data: *mut c_void,
    report: *mut EmiliaReport,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe { run(engine, board, Limits::exact(), observer, data, report) }
}

unsafe fn run(
    engine: *mut EmiliaEngine,
    board: EmiliaBoard,
    limits: Limits,
    observer: EmiliaObserver,
    data: *mut c_void,
    report: *mut EmiliaReport,
) -> bool {
    let given = (!engine.is_null() && !report.is_null()).then_some(board);
    let Some(board) = present(given, "an engine and a report").and_then(EmiliaBoard::board) else {
        return false;
    };
    // SAFETY: the caller's promise; other threads use the flag, so it is copied out.
    let (search, stop) = unsafe { (&mut (*engine).search, (*engine).stop.clone()) };
    let mut outside = Outside { observer, data, stop: &stop };
    let SearchResult { info, .. } = search.run_with(&Task::new(board, limits), &stop, &mut outside);
    stop.withdraw();
    let found = EmiliaReport::of(&info).unwrap_or_else(|| EmiliaReport::over(board.final_score()));
    // SAFETY: the caller's promise.
    unsafe { report.write(found) };
    true
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
    let Some(board) = given.and_then(EmiliaBoard::board) else { return false };
    // SAFETY: the caller's promise.
    let evaluator = unsafe { (*engine).search.evaluator() };
    let value = evaluator.evaluate(board, &evaluator.features(board));
    // SAFETY: the caller's promise.
    unsafe { discs.write(value.discs()) };
    true
}
