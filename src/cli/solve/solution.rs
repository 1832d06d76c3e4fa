//! The results of solving: rows of a table, JSON objects, totals.

use std::time::Duration;

use serde::Serialize;

use crate::analysis::answer::{Estimate, Judged};
use crate::analysis::words::{depth_in_words, score, score_of};
use crate::board::{Board, Move, Score};
use crate::cli::input::{Entry, Head};
use crate::engine::cost::Cost;
use crate::search::{Goal, Info, Known, Line, Proof, SearchResult, Task};

pub const HEADER: &str = "  #  empties  best   score   known         nodes   seconds  line";
/// Where the line begins, and its moves in a row of 80 columns.
const LINE_COLUMN: usize = 60;
const LINE_MOVES: usize = 10;

pub struct Solution<'a> {
    entry: &'a Entry,
    pub result: SearchResult,
    /// How much of the best line's score is proven.
    pub proof: Proof,
    is_stored: bool,
    /// Known scores that differ from those of the search.
    pub missed: usize,
}

impl<'a> Solution<'a> {
    /// The result of `task`, which is that of `entry`.
    pub fn new(entry: &'a Entry, task: &Task, result: SearchResult, is_stored: bool) -> Self {
        let proof = match result.info.lines.first() {
            Some(line) => line.proof,
            None if result.best.is_none() => Proof::Exact,
            None => Proof::None,
        };
        let mut solution = Self {
            entry,
            result,
            proof,
            is_stored,
            missed: 0,
        };
        solution.missed = solution.count_missed(task);
        solution
    }

    fn board(&self) -> Board {
        self.entry.position().board
    }

    /// The score: that of the finished game if there is nothing to search.
    pub fn score(&self) -> Score {
        let line = self.result.info.lines.first();
        line.map_or_else(
            || Score::from_discs(self.board().final_score()),
            |line| line.bound,
        )
    }

    fn count_missed(&self, task: &Task) -> usize {
        let Entry { found, .. } = self.entry;
        let Some(known) = found.known_score().filter(|_| self.proof.is_proven()) else {
            return 0;
        };
        let differs = |score: Score, known: i32| match task.limits.goal {
            Goal::WinLossDraw => score.round_discs().signum() != known.signum(),
            _ => score != Score::from_discs(known),
        };
        let all = self
            .result
            .info
            .lines
            .iter()
            .filter(|line| task.multi_pv > 1 && line.proof == Proof::Exact);
        let missed = all.filter(|line| {
            let known = line.pv.first().and_then(|&first| found.score_of(first));
            known.is_some_and(|known| differs(line.bound, known))
        });
        missed.count() + usize::from(differs(self.score(), known))
    }

    pub fn row(&self) -> String {
        let Info { nodes, time, lines } = &self.result.info;
        let over = || score(Known::Score(self.score().discs()), true);
        let known = self
            .entry
            .found
            .known_score()
            .map_or_else(String::new, |known| format!("{known:+}"));
        let mut text = format!(
            "{:3}  {:7}  {:>4}  {:>6}  {known:>6}  {nodes:>12}  {:>8.3}  ",
            self.entry.index,
            self.board().empty_count(),
            self.result
                .best
                .map_or_else(|| "--".to_string(), |best| best.to_string()),
            lines.first().map_or_else(over, score_of),
            time.as_secs_f64(),
        );
        let line = lines.first().map_or(&[][..], |line| &line.pv);
        let rows: Vec<String> = line
            .chunks(LINE_MOVES)
            .map(|moves| moves.iter().map(Move::to_string).collect())
            .collect();
        text += &rows.join(&format!("\n{:LINE_COLUMN$}", ""));
        let mut text = text.trim_end().to_owned();
        if let (false, Some(line)) = (self.proof.is_proven(), lines.first()) {
            let depth = depth_in_words(line.depth, line.selectivity.percent());
            text.push_str(&format!("\n     (not proven: {depth})"));
        }
        if self.is_stored {
            text.push_str("\n     (stored)");
        }
        if self.missed > 0 {
            text.push_str(&format!(
                "\n     WRONG: {} known score(s) missed",
                self.missed
            ));
        }
        if lines.len() > 1 {
            let first = |line: &Line| line.pv.first().map_or_else(String::new, Move::to_string);
            let scores: Vec<_> = lines
                .iter()
                .map(|line| format!("{}:{}", first(line), score_of(line)))
                .collect();
            for scores in scores.chunks(LINE_MOVES) {
                text.push_str(&format!("\n     {}", scores.join(" ")));
            }
        }
        text
    }

    /// One JSON object: see `emilia help json`. `cost` is that of a missing proof; `calibrated` is whether the evaluation
    /// that `weights` names has known chances.
    pub fn json(
        &self,
        cost: Option<&Cost>,
        calibrated: bool,
        weights: &str,
    ) -> serde_json::Result<String> {
        let known = self.entry.found.known_score();
        let mut judged = Judged::new(
            self.entry.position(),
            &self.result.info,
            calibrated,
            weights,
        );
        judged.work.stored = self.is_stored;
        judged.work.estimate = cost.map(Estimate::new);
        serde_json::to_string(&Solved {
            head: self.entry.head(),
            judged,
            known,
            missed: known.map(|_| self.missed),
        })
    }
}

#[derive(Serialize)]
struct Solved {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    judged: Judged,
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missed: Option<usize>,
}

fn mnps(nodes: u64, time: Duration) -> f64 {
    nodes as f64 / time.as_secs_f64().max(1e-9) / 1e6
}

#[derive(Default)]
pub struct Sum {
    positions: usize,
    proven: usize,
    pub missed: usize,
    nodes: u64,
    time: Duration,
}

impl Sum {
    pub fn add(&mut self, solution: &Solution) {
        self.positions += 1;
        self.proven += usize::from(solution.proof.is_proven());
        self.missed += solution.missed;
        self.nodes += solution.result.info.nodes;
        self.time += solution.result.info.time;
    }

    /// The last line of the table.
    pub fn row(&self) -> String {
        let mut text = format!(
            "{} of {} positions proven, {} nodes, {:.3} s, {:.1} Mnps\n{:.1} ms and {} nodes per position",
            self.proven,
            self.positions,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::input::testing::entry;
    use crate::search::{Limits, Selectivity};

    /// The result of a search of 15 plies that was stopped.
    fn cut_short(entry: &Entry, selectivity: Selectivity) -> Solution<'_> {
        let first = Move::Place("d6".parse().unwrap());
        let line = Line {
            pv: vec![first],
            bound: Score::from_discs(2),
            depth: 15,
            selectivity,
            proof: Proof::None,
        };
        let info = Info {
            lines: vec![line],
            nodes: 5,
            time: Duration::ZERO,
        };
        let result = SearchResult {
            best: Some(first),
            info,
            stopped: true,
        };
        Solution::new(
            entry,
            &Task::new(entry.position().board, Limits::exact()),
            result,
            false,
        )
    }

    #[test]
    fn only_proven_scores_have_a_hundred_percent() {
        let entry = entry("f5");
        for selectivity in Selectivity::ALL {
            let row = cut_short(&entry, selectivity).row();
            let end = match selectivity {
                Selectivity::Full => "(not proven: depth 15)".to_owned(),
                _ => format!("depth 15, {} %)", selectivity.percent()),
            };
            assert!(row.ends_with(&end) && !row.contains("100"), "{row}");
        }
        let solution = cut_short(&entry, Selectivity::P73);
        let cost = Cost {
            nodes: 4e9,
            seconds: 200.04,
            nearly: None,
        };
        let text = solution.json(Some(&cost), true, "test").unwrap();
        assert!(
            text.contains(r#""estimate":{"nodes":4000000000,"seconds":200.0}"#),
            "{text}"
        );
        assert!(
            !solution
                .json(None, true, "test")
                .unwrap()
                .contains("estimate")
        );
    }
}
