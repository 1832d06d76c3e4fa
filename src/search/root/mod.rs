//! The root: iterative deepening, aspiration windows, several lines, the way from midgame to solving.

mod plan;

use crate::board::{Board, Move, Score, Square, squares};

use super::params::{
    ASPIRATION, ASPIRATION_DEPTH, ASPIRATION_END, Number, SOLVE_COST_NODES, SOLVE_COST_TIME,
};
use super::task::{Goal, Info, Line, Need, Observer, Proof, SearchResult, Selectivity, Task};
use super::tree::node::{DISC, INFINITY, Node, Path, Window};
use super::tree::phase::{Phase, Solving};
use super::tree::worker::{RootProgress, Worker};
use plan::{Aim, Iteration, plan, solve_cost_growth};

/// One task being searched at a position with a legal move.
pub(super) struct RootSearch<'s, 'w> {
    worker: &'s mut Worker<'w>,
    task: &'s Task,
    root: Node,
    /// Squares to consider, at least one.
    candidates: u64,
    /// Of squares that the position's symmetry makes equal, the lowest candidate.
    distinct: u64,
    lines: Vec<Line>,
    /// The scores to expect, 1/128 disc, line by line: those of the last iteration that asked for scores.
    expected: Vec<i32>,
    /// The depth from which on all iterations have named the same best move.
    settled_at: u8,
}

impl<'s, 'w> RootSearch<'s, 'w> {
    pub fn new(worker: &'s mut Worker<'w>, task: &'s Task) -> Self {
        let moves = task.board.moves();
        debug_assert!(moves != 0);
        let allowed = moves & task.allowed;
        let candidates = if allowed == 0 { moves } else { allowed };
        let root = Node::root(worker.evaluator, task.board);
        let distinct = distinct(task.board, candidates);
        let (lines, expected) = (Vec::new(), Vec::new());
        Self { worker, task, root, candidates, distinct, lines, expected, settled_at: 0 }
    }

    /// Searches iteration after iteration until the plan or the limits end.
    pub fn run(mut self, observer: &mut dyn Observer) -> SearchResult {
        let plan = plan(self.task);
        let mut stopped = false;
        for (index, &iteration) in plan.iter().enumerate() {
            if iteration.is_stopgap && !self.is_solve_out_of_reach() {
                continue;
            }
            self.worker.control.unstoppable = index == 0;
            let Some(lines) = self.iterate(iteration) else {
                stopped = true;
                self.take_progress();
                break;
            };
            if iteration.aim != Aim::Sign {
                self.expected = lines.iter().map(|line| line.score.units()).collect();
            }
            if best_of(&lines) != best_of(&self.lines) {
                self.settled_at = iteration.depth;
            }
            self.lines = lines;
            observer.iteration(&self.info());
            if index + 1 < plan.len() && self.is_enough(iteration.depth) {
                break;
            }
        }
        let best = best_of(&self.lines);
        SearchResult {
            best,
            stopped: stopped && self.worker.control.shared.stop.is_requested(),
            info: self.info(),
        }
    }

    fn info(&mut self) -> Info {
        Info {
            lines: self.lines.clone(),
            nodes: self.worker.report(),
            time: self.worker.control.shared.timer.elapsed(),
        }
    }

    /// Whether a solve that begins now would hardly end within the limits, by what the search has cost so far.
    fn is_solve_out_of_reach(&mut self) -> bool {
        let growth = solve_cost_growth(self.root.board.empty_count());
        let times = |cost: Number| (f64::from(cost.get()) * growth) as u32;
        let nodes = self.worker.report().saturating_mul(times(SOLVE_COST_NODES).into());
        let shared = self.worker.control.shared;
        nodes > shared.node_limit || shared.timer.ends_within(times(SOLVE_COST_TIME))
    }

    /// Whether the time left is better kept than spent on another iteration after one of `depth`.
    fn is_enough(&self, depth: u8) -> bool {
        let forced = self.root.board.moves().count_ones() == 1 && self.task.limits.goal == Goal::Play;
        let settled = u32::from(depth.saturating_sub(self.settled_at)) * 1000 / u32::from(depth.max(1));
        let need = if forced { Need::Forced } else { Need::Settled(settled) };
        self.worker.control.shared.timer.is_enough(need)
    }

    /// The best lines of one iteration, or `None` if the search ended meanwhile.
    fn iterate(&mut self, iteration: Iteration) -> Option<Vec<Line>> {
        let wanted = self.task.multi_pv.clamp(1, self.candidates.count_ones() as usize);
        let mut lines: Vec<Line> = Vec::with_capacity(wanted);
        let mut left = self.candidates;
        self.worker.context.selectivity = iteration.selectivity;
        while lines.len() < wanted {
            self.worker.context.root_mask = left & self.distinct;
            self.worker.context.root_cover = left;
            self.worker.context.progress = RootProgress::default();
            let value = self.aspiration_search(iteration, lines.len())?;
            let pv = self.moves(&self.worker.context.paths[0]);
            let Some(&Move::Place(first)) = pv.first() else { break };
            let line = self.line(iteration, value, pv);
            // What holds of a move holds of those that the position's symmetry makes equal to it.
            for symmetry in self.root.board.own_symmetries() {
                let image = symmetry.apply_square(first).bit();
                if left & image != 0 && lines.len() < wanted {
                    let pv = line.pv.iter().map(|mv| mv.mapped(symmetry)).collect();
                    lines.push(Line { pv, ..line });
                }
                left &= !image;
            }
        }
        // A later line may turn out better than an earlier one that was searched with less luck.
        lines.sort_by_key(|line| -line.score);
        Some(lines)
    }

    fn line(&self, iteration: Iteration, value: i32, pv: Vec<Move>) -> Line {
        let Iteration { depth, selectivity, aim, .. } = iteration;
        let proof = match aim {
            Aim::Sign if selectivity == Selectivity::Full => Proof::WinLossDraw,
            Aim::Exact if selectivity == Selectivity::Full => Proof::Exact,
            // Asked only who wins, the search says nothing of by how much.
            Aim::Sign if value > 0 || value == 0 && self.task.draw_value > 0 => Proof::AtLeast,
            Aim::Sign if value < 0 || self.task.draw_value < 0 => Proof::AtMost,
            _ => Proof::None,
        };
        // A solved draw belongs to the side that draws count for.
        let drawn = iteration.is_solving() && value == 0;
        let units = if drawn { i32::from(self.task.draw_value.signum()) * DISC } else { value };
        Line { pv, score: Score::from_units(units), depth, selectivity, proof }
    }

    /// Searches the root with a narrow window round the score expected, widened until it holds.
    fn aspiration_search(&mut self, iteration: Iteration, index: usize) -> Option<i32> {
        let solving = iteration.is_solving();
        let (mut window, mut width) = self.window(iteration, index);
        let step = if solving { ASPIRATION_END.get() } else { 1 };
        let (mut failed_low, mut failed_high) = (false, false);
        loop {
            let value = self.worker.search_root(&self.root, solving, i32::from(iteration.depth), window);
            if self.worker.control.stopped {
                return None;
            }
            if iteration.aim == Aim::Sign || window.contains(value) {
                return Some(value);
            }
            failed_low |= value <= window.alpha;
            failed_high |= value >= window.beta;
            width *= 2;
            window = if failed_low && failed_high {
                // The table holds scores of several depths, so two windows may contradict each other.
                Window::OPEN
            } else if failed_low {
                Window { alpha: below(value - width), beta: window.alpha + step }
            } else {
                Window { alpha: window.beta - step, beta: above(value + width) }
            };
        }
    }

    /// The first window of an iteration, and its half-width.
    fn window(&self, iteration: Iteration, index: usize) -> (Window, i32) {
        let around = |score: i32, width: i32| {
            (Window { alpha: below(score - width), beta: above(score + width) }, width)
        };
        if iteration.aim == Aim::Sign {
            // Loss, draw and win; or only two of them, if draws count for one side.
            let step = Solving::STEP;
            let (alpha, beta) = match self.task.draw_value.signum() {
                1 => (-step, 0),
                -1 => (0, step),
                _ => (-step, step),
            };
            return (Window { alpha, beta }, step);
        }
        match self.expected.get(index) {
            Some(&score) if iteration.is_solving() => {
                let grid = ASPIRATION_END.get();
                around((score + grid / 2).div_euclid(grid) * grid, grid)
            }
            Some(&score) if i32::from(iteration.depth) >= ASPIRATION_DEPTH.get() => {
                around(score, ASPIRATION.get())
            }
            _ => (Window::OPEN, INFINITY),
        }
    }

    /// Plays what an unfinished iteration has found better, if it has looked at the best move so far.
    ///
    /// Idea: Stockfish's root moves. The line keeps the depth of the last iteration that ended, and proves nothing.
    fn take_progress(&mut self) {
        let RootProgress { first: Some(first), best: Some((value, path)), is_bound } =
            std::mem::take(&mut self.worker.context.progress)
        else {
            return;
        };
        let pv = self.moves(&path);
        if let ([line], 1) = (&mut self.lines[..], self.task.multi_pv)
            && line.pv.first() == Some(&Move::Place(first))
            && pv.first() != line.pv.first()
        {
            let proof = if is_bound { Proof::AtLeast } else { Proof::None };
            *line = Line { pv, score: Score::from_units(value), proof, ..line.clone() };
        }
    }

    /// A line of the root as moves, cut off before anything illegal.
    fn moves(&self, path: &Path) -> Vec<Move> {
        let mut board = self.task.board;
        let mut moves = Vec::new();
        for &code in path.codes() {
            let Some((next, played)) = replay(board, code) else {
                debug_assert!(false, "the search gave an illegal line");
                break;
            };
            moves.push(played);
            board = next;
        }
        moves
    }
}

/// One of each set of squares that the symmetry of the board makes equal: the lowest.
fn distinct(board: Board, candidates: u64) -> u64 {
    let images = |square: Square| board.own_symmetries().map(move |symmetry| symmetry.apply_square(square));
    let is_lowest =
        |&square: &Square| images(square).all(|image| image >= square || candidates & image.bit() == 0);
    squares(candidates).filter(is_lowest).fold(0, |set, square| set | square.bit())
}

/// The move that leads the best line.
fn best_of(lines: &[Line]) -> Option<Move> {
    lines.first().and_then(|line| line.pv.first().copied())
}

/// The lower end of a window: a bound that no score can miss is infinite.
fn below(value: i32) -> i32 {
    if value <= Score::MIN.units() { -INFINITY } else { value }
}

/// The upper end of a window.
fn above(value: i32) -> i32 {
    if value >= Score::MAX.units() { INFINITY } else { value }
}

/// Plays the move with this code, if it is legal.
fn replay(board: Board, code: u8) -> Option<(Board, Move)> {
    if code == Path::PASS {
        let must = board.moves() == 0 && board.opponent_moves() != 0;
        return must.then(|| (board.pass(), Move::Pass));
    }
    let square = Square::new(code)?;
    board.play(square).map(|next| (next, Move::Place(square)))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::super::reference::strict_search;
    use super::super::{Limits, Silent, Stop};
    use super::*;
    use crate::board::testing::random_position;
    use crate::eval::Evaluator;
    use crate::util::rng::Rng;

    fn board_with(empties: u32, seed: u64) -> Board {
        random_position(&mut Rng::new(seed), 60 - empties)
    }

    #[test]
    fn a_finished_game_has_no_move_and_a_forced_pass_has_a_line() {
        let mut search = strict_search();
        let over = Board { player: 1, opponent: 0 };
        let result = search.run(&Task::new(over, Limits::depth(4)), &Stop::new(), &mut Silent);
        assert_eq!((result.best, result.info.lines.len()), (None, 0));
        // White has a1, Black b1 beside it: only White, with c1 free, can move.
        let passing = Board { player: 0b10, opponent: 0b01 };
        let result = search.run(&Task::new(passing, Limits::exact()), &Stop::new(), &mut Silent);
        assert_eq!(result.best, Some(Move::Pass));
        let line = &result.info.lines[0];
        assert_eq!((line.pv.len(), line.score), (2, Score::MIN));
    }

    #[test]
    fn equal_moves_have_one_value_and_are_searched_once() {
        let run = |board, depth, multi_pv| {
            let mut search = strict_search();
            let task = Task { multi_pv, ..Task::new(board, Limits::depth(depth)) };
            let lines = search.run(&task, &Stop::new(), &mut Silent).info.lines;
            (lines, search.counters().nodes)
        };
        for depth in 1..=7 {
            let (lines, nodes) = run(Board::START, depth, 4);
            assert_eq!(lines.len(), 4);
            let mut firsts = 0;
            for line in &lines {
                assert_eq!(line.score, lines[0].score, "depth {depth}");
                let Some(&Move::Place(first)) = line.pv.first() else { panic!("no move") };
                firsts |= first.bit();
                let board = line.pv.iter().try_fold(Board::START, |board, mv| board.play(mv.square()?));
                assert!(board.is_some(), "{:?}", line.pv);
            }
            assert_eq!(firsts, Board::START.moves());
            assert_eq!(nodes, run(Board::START, depth, 1).1, "the others cost nothing");
        }
        // Two of two equal squares each.
        let rows = Board { player: 0x18 << 24, opponent: 0x18 << 32 };
        let (lines, _) = run(rows, 4, 64);
        assert_eq!((lines.len(), rows.own_symmetries().count()), (4, 2));
        for symmetry in rows.own_symmetries() {
            for line in &lines {
                let image = line.pv[0].mapped(symmetry);
                let equal = lines.iter().find(|other| other.pv[0] == image).expect("all moves have lines");
                assert_eq!(equal.score, line.score);
            }
        }
    }

    #[test]
    fn a_search_stopped_at_once_still_plays_a_legal_move() {
        let stop = Stop::new();
        stop.request();
        let mut search = strict_search();
        for seed in 0..50 {
            let board = board_with(1 + seed as u32, seed);
            let result = search.run(&Task::new(board, Limits::exact()), &stop, &mut Silent);
            let Some(Move::Place(square)) = result.best else { panic!("no move at {board:?}") };
            assert!(board.play(square).is_some());
        }
    }

    #[test]
    fn node_limits_hold_and_one_thread_is_deterministic() {
        let board = board_with(30, 4);
        let count = |limit| {
            let limits = Limits { nodes: limit, ..Limits::depth(if limit.is_some() { 40 } else { 9 }) };
            let mut search = strict_search();
            search.run(&Task::new(board, limits), &Stop::new(), &mut Silent);
            search.counters().nodes
        };
        assert_eq!(count(None), count(None));
        for limit in [1, 5_000, 50_000] {
            let nodes = count(Some(limit));
            assert!(nodes <= limit + 1_000, "{nodes} nodes of {limit}");
        }
    }

    #[test]
    fn a_clock_ends_a_search_that_would_take_for_ever() {
        let mut search = strict_search();
        let start = Instant::now();
        let limits = Limits::movetime(Duration::from_millis(30));
        let result = search.run(&Task::new(board_with(50, 1), limits), &Stop::new(), &mut Silent);
        // Generous: the machine may be busy. The real margin is measured outside the tests.
        assert!(start.elapsed() < Duration::from_secs(2) && result.best.is_some());
        assert!(!result.stopped, "a clock is a limit, not a stop");
    }

    /// The depths of a search's iterations.
    struct Depths(Vec<u8>);

    impl Observer for Depths {
        fn iteration(&mut self, info: &Info) {
            self.0.push(info.lines[0].depth);
        }
    }

    #[test]
    fn the_midgame_goes_on_only_where_a_solve_would_not_end() {
        let board = board_with(20, 3);
        let depths = |nodes| {
            let options = super::super::Options { threads: 1, hash_mib: 16 };
            let mut search = super::super::Search::new(&options, crate::eval::testing::evaluator());
            let mut depths = Depths(Vec::new());
            search.run(&Task::new(board, Limits { nodes, ..Limits::depth(60) }), &Stop::new(), &mut depths);
            depths.0
        };
        let midgame = [1, 3, 5, 7, 9, 11];
        // Passes of 73 and 87 %, then the exact one.
        assert_eq!(depths(None), [&midgame[..], &[20, 20, 20]].concat());
        // Enough for some more plies, and by far not for the first pass.
        assert_eq!(depths(Some(70_000)), [&midgame[..], &[13, 15]].concat());
        assert_eq!(depths(Some(100_000_000)), depths(None));
    }

    #[test]
    fn time_that_no_solve_can_use_goes_deeper_and_then_less_boldly() {
        let stopgaps = |limits: Limits| -> Vec<(u8, Selectivity)> {
            let plan = plan(&Task::new(board_with(38, 4), limits));
            let stopgaps = plan.iter().filter(|iteration| iteration.is_stopgap);
            stopgaps.map(|iteration| (iteration.depth, iteration.selectivity)).collect()
        };
        use Selectivity::{P73, P87, P95};
        assert_eq!(stopgaps(Limits::depth(60)), [(31, P73), (33, P73), (33, P87), (33, P95)]);
        assert_eq!(
            stopgaps(Limits { selectivity: P87, ..Limits::depth(60) }),
            [(31, P87), (33, P87), (33, P95)]
        );
        assert_eq!(stopgaps(Limits::depth(24)), []);
        assert_eq!(stopgaps(Limits::exact()), []);
        assert!(solve_cost_growth(40) > solve_cost_growth(36) && solve_cost_growth(28) == 1.0);
    }

    #[test]
    fn several_lines_are_the_best_moves_in_order() {
        let mut search = strict_search();
        for seed in 0..6 {
            let board = board_with(9, seed);
            let mut scores: Vec<Score> = crate::board::squares(board.moves())
                .filter_map(|square| board.play(square))
                .map(|child| Score::from_units(-exact(&mut search, child)))
                .collect();
            scores.sort_by_key(|score| -*score);
            let task = Task { multi_pv: 3, ..Task::new(board, Limits::exact()) };
            let lines = search.run(&task, &Stop::new(), &mut Silent).info.lines;
            scores.truncate(3);
            assert_eq!(lines.iter().map(|line| line.score).collect::<Vec<_>>(), scores);
        }
    }

    fn exact(search: &mut super::super::Search, board: Board) -> i32 {
        match search.run(&Task::new(board, Limits::exact()), &Stop::new(), &mut Silent).info.lines.first() {
            Some(line) => line.score.units(),
            None => board.final_score() * Score::DISC,
        }
    }

    #[test]
    fn only_allowed_moves_are_played() {
        let mut search = strict_search();
        let board = Board::START;
        for square in crate::board::squares(board.moves()) {
            let task = Task { allowed: square.bit(), ..Task::new(board, Limits::depth(4)) };
            let result = search.run(&task, &Stop::new(), &mut Silent);
            assert_eq!(result.best, Some(Move::Place(square)));
        }
    }

    #[test]
    fn win_loss_draw_has_the_sign_of_the_exact_score() {
        let mut search = strict_search();
        for seed in 0..20 {
            let board = board_with(10, seed);
            let score = exact(&mut search, board);
            search.clear();
            let limits = Limits { goal: Goal::WinLossDraw, ..Limits::exact() };
            let result = search.run(&Task::new(board, limits), &Stop::new(), &mut Silent);
            let line = &result.info.lines[0];
            assert_eq!(line.score.units().signum(), score.signum(), "{board:?}");
            assert_eq!(line.proof, Proof::WinLossDraw);
        }
    }

    #[test]
    fn a_search_for_the_winner_tells_no_score_on_its_way() {
        struct All(Vec<Line>);
        impl Observer for All {
            fn iteration(&mut self, info: &Info) {
                self.0.push(info.lines[0].clone());
            }
        }
        let options = super::super::Options { threads: 1, hash_mib: 16 };
        let mut search = super::super::Search::new(&options, crate::eval::testing::evaluator());
        let limits = Limits { goal: Goal::WinLossDraw, ..Limits::exact() };
        let mut bounds = 0;
        for seed in 0..5 {
            let mut all = All(Vec::new());
            search.run(&Task::new(board_with(16, seed), limits), &Stop::new(), &mut all);
            for line in all.0.iter().filter(|line| line.depth == 16 && line.score != Score::from_discs(0)) {
                assert_eq!(line.discs(), None, "{line:?}");
                bounds += usize::from(!line.proof.is_proven());
            }
        }
        assert!(bounds > 0);
    }

    /// Four plies of best play into number 41 of the FFO test set: 18 empties, a draw.
    const DRAWN: Board = Board { player: 0x0018_0402_ED03_4100, opponent: 0x4E24_7B3C_127C_3C3E };

    struct Lines(Vec<Line>);

    impl Observer for Lines {
        fn iteration(&mut self, info: &Info) {
            self.0.push(info.lines[0].clone());
        }
    }

    /// One searcher and one table for all: what one search stores must not lead another one astray.
    #[test]
    fn a_draw_counts_for_whom_it_is_said_to() {
        let options = super::super::Options { threads: 1, hash_mib: 16 };
        let mut search = super::super::Search::new(&options, crate::eval::testing::evaluator());
        let mut lines = |goal, draw_value| {
            let mut lines = Lines(Vec::new());
            let task = Task { draw_value, ..Task::new(DRAWN, Limits { goal, ..Limits::exact() }) };
            search.run(&task, &Stop::new(), &mut lines);
            lines.0
        };
        for draw_value in [1, 0, -1, 1] {
            let worth = Score::from_units(i32::from(draw_value) * DISC);
            for (goal, proof) in [
                (Goal::WinLossDraw, Proof::WinLossDraw),
                (Goal::Exact, Proof::Exact),
                (Goal::Play, Proof::Exact),
            ] {
                let lines = lines(goal, draw_value);
                let [.., before, last] = &lines[..] else { panic!("several iterations") };
                assert_eq!((last.score, last.proof), (worth, proof), "{goal:?}");
                // A search that plays asks first for the side that draws count for.
                if goal == Goal::Play && draw_value != 0 {
                    assert_eq!((before.score, before.proof), (worth, Proof::WinLossDraw));
                } else {
                    assert!(!before.proof.is_proven(), "{goal:?}");
                }
            }
        }
    }

    /// Node limits cut iterations at every stage, the same way each time.
    #[test]
    fn a_better_move_of_an_unfinished_iteration_is_played() {
        struct Last(Option<Line>);
        impl Observer for Last {
            fn iteration(&mut self, info: &Info) {
                self.0 = Some(info.lines[0].clone());
            }
        }
        let options = super::super::Options { threads: 1, hash_mib: 1 };
        let mut search = super::super::Search::new(&options, Evaluator::classic().into());
        let mut run = |board: Board, limits: Limits| {
            search.clear();
            let mut last = Last(None);
            let result = search.run(&Task::new(board, limits), &Stop::new(), &mut last);
            (result.info.lines[0].clone(), last.0.expect("the first iteration always ends"))
        };
        let (mut changed, mut confirmed, mut bounds) = (0, 0, 0);
        for seed in 0..300 {
            let board = board_with(36, seed);
            let nodes = Some(300 + 30 * seed);
            let (played, finished) = run(board, Limits { nodes, ..Limits::depth(30) });
            assert!(matches!(played.pv[0], Move::Place(square) if board.play(square).is_some()));
            if played.pv[0] == finished.pv[0] {
                assert_eq!(played, finished);
                continue;
            }
            changed += 1;
            assert_eq!(played.depth, finished.depth);
            // A move that failed high is not scored: it is at least so good.
            assert!([Proof::None, Proof::AtLeast].contains(&played.proof));
            bounds += usize::from(played.proof == Proof::AtLeast);
            let unfinished = finished.depth + if finished.depth == 1 { 1 } else { 2 };
            let (_, whole) = run(board, Limits { exact_empties: 0, ..Limits::depth(unfinished) });
            confirmed += usize::from(whole.pv[0] == played.pv[0]);
        }
        assert!(changed >= 5 && confirmed * 2 > changed, "{confirmed} of {changed}");
        assert!(0 < bounds && bounds < changed, "{bounds} of {changed}");
    }

    #[test]
    fn a_single_legal_move_leaves_most_of_its_time() {
        let mut search = strict_search();
        let board = (0..).map(|seed| board_with(40, seed)).find(|b| b.moves().count_ones() == 1);
        let limits = Limits::movetime(Duration::from_secs(3));
        let task = Task::new(board.expect("there are such positions"), limits);
        let start = Instant::now();
        let result = search.run(&task, &Stop::new(), &mut Silent);
        assert!(result.best.is_some() && start.elapsed() < Duration::from_secs(2));
    }

    #[test]
    fn a_drawn_board_with_more_moves_than_games_know_is_searched() {
        let board = Board { player: 0x0020_E424_089E_0400, opponent: 0x005A_124A_0240_BA00 };
        assert_eq!(board.moves().count_ones(), 34);
        let mut search = strict_search();
        let task = Task { multi_pv: 64, ..Task::new(board, Limits::depth(2)) };
        let result = search.run(&task, &Stop::new(), &mut Silent);
        assert_eq!(result.info.lines.len(), 34);
    }
}
