//! `-solve`: the positions of a file and their expected scores.

use std::fmt::Write as _;
use std::time::Duration;

use super::board::draw_position;
use super::rows::{self, clock, whole};
use crate::board::{Move, Position, Score};
use crate::notation::ParseError;
use crate::notation::obf::parse_line;
use crate::search::{Info, Line, Proof, SearchResult, Selectivity};

/// The lines above and below the rows of all positions, and of one position.
const NUMBERED: &str =
    " # | depth|score|       time   |  nodes (N)  |   N/s    | principal variation";
const NUMBERED_RULE: &str =
    "---+------+-----+--------------+-------------+----------+---------------------";
const RULE: &str = "------+-----+--------------+-------------+----------+---------------------";
/// Moves of a variation in a row.
const MOVES: usize = 7;

/// A position of a file.
#[derive(Clone, Debug)]
pub struct Problem {
    pub position: Position,
    /// Moves and their scores, the best first.
    scores: Vec<(Move, i32)>,
}

impl Problem {
    /// Reads a line; `Ok(None)` for a blank one and a comment.
    pub fn read(text: &str) -> Result<Option<Self>, ParseError> {
        let Some(detected) = parse_line(text)? else {
            return Ok(None);
        };
        let scores = detected
            .scores
            .iter()
            .map(|scored| (scored.mv, scored.discs))
            .collect();
        Ok(Some(Self {
            position: detected.record.game.position(),
            scores,
        }))
    }

    fn row(&self, line: &Line, info: &Info) -> String {
        rows::row(line, self.position.side, info, MOVES)
    }
}

/// The report on the positions of a file.
#[derive(Default)]
pub struct Table {
    name: String,
    verbosity: u8,
    positions: u32,
    /// Positions without scores.
    unknown: u32,
    wrong_moves: u32,
    wrong_scores: u32,
    score_error: i32,
    move_error: i32,
    nodes: u64,
    time: Duration,
}

impl Table {
    pub fn new(name: &str, verbosity: u8) -> Self {
        Self {
            name: name.to_owned(),
            verbosity,
            ..Self::default()
        }
    }

    /// The text before the first position.
    pub fn head(&self) -> String {
        if self.verbosity == 1 {
            format!("{NUMBERED}\n{NUMBERED_RULE}\n")
        } else {
            String::new()
        }
    }

    /// The text before the search of a position.
    pub fn heading(&mut self, problem: &Problem) -> String {
        self.positions += 1;
        if self.verbosity < 2 {
            return String::new();
        }
        let board = draw_position(&problem.position);
        format!(
            "\n*** problem # {} ***\n\n{board}\n{}\n{RULE}\n",
            self.positions,
            rows::HEADER
        )
    }

    /// The row of an iteration, if the verbosity shows it.
    pub fn iteration(&self, problem: &Problem, info: &Info) -> String {
        let line = info.lines.first().filter(|_| self.verbosity >= 2);
        line.map_or_else(String::new, |line| problem.row(line, info) + "\n")
    }

    /// The row of a result, unless an iteration has `shown` the same line, and the comparison.
    pub fn end_of(
        &mut self,
        problem: &Problem,
        result: &SearchResult,
        shown: Option<&Line>,
    ) -> String {
        let info = &result.info;
        self.nodes += info.nodes;
        self.time += info.time;
        // A finished game has a score but no line.
        let over = Line {
            pv: Vec::new(),
            bound: Score::from_discs(problem.position.board.final_score()),
            depth: 0,
            selectivity: Selectivity::Full,
            proof: Proof::Exact,
        };
        let line = info.lines.first().unwrap_or(&over);
        let note = self.compare(problem, line);
        match self.verbosity {
            0 => String::new(),
            1 => format!("{:3}|{}{note}\n", self.positions, problem.row(line, info)),
            _ if shown == Some(line) => format!("{note}\n{RULE}\n"),
            _ => format!("{}\n{note}\n{RULE}\n", problem.row(line, info)),
        }
    }

    /// Compares the result with the expected scores: a remark after a blank.
    fn compare(&mut self, problem: &Problem, line: &Line) -> String {
        let Some(&(best, expected)) = problem.scores.first() else {
            self.unknown += 1;
            return String::new();
        };
        let found = whole(line.bound.discs());
        let played = line.pv.first();
        let listed = problem.scores.iter().find(|(mv, _)| Some(mv) == played);
        let mut note = String::from(" ");
        if found != expected {
            self.wrong_scores += 1;
            self.score_error += (found - expected).abs();
        }
        match listed {
            Some(&(_, discs)) if discs < expected => {
                let error = expected - discs;
                self.wrong_moves += 1;
                self.move_error += error;
                let _ = write!(
                    note,
                    "Erroneous move: {best:#} expected, with score {expected:+}, error = {error:+}"
                );
            }
            None if found != expected => {
                let _ = write!(note, "Erroneous score: {expected:+} expected");
            }
            _ => {}
        }
        note
    }

    pub fn end(&self) -> String {
        let mut text = if self.verbosity == 1 {
            format!("{NUMBERED_RULE}\n")
        } else {
            String::new()
        };
        let name: String = self.name.chars().take(30).collect();
        let _ = write!(text, "{name}: ");
        if self.nodes > 0 {
            let _ = write!(text, "{} nodes in ", self.nodes);
        }
        let _ = write!(text, " {}", clock(self.time));
        if !self.time.is_zero() {
            let _ = write!(
                text,
                " ({:8.0} nodes/s).",
                self.nodes as f64 / self.time.as_secs_f64()
            );
        }
        text.push('\n');
        if self.unknown > 0 {
            let mean = |sum: i32| f64::from(sum) / f64::from(self.positions);
            let _ = writeln!(
                text,
                "{} positions; {} erroneous move; {} erroneous score; mean absolute score error = {:.3}; mean absolute move error = {:.3}",
                self.positions,
                self.wrong_moves,
                self.wrong_scores,
                mean(self.score_error),
                mean(self.move_error)
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--";

    fn found(name: &str, discs: i32) -> SearchResult {
        let best = Move::Place(name.parse().unwrap());
        let line = Line {
            pv: vec![best],
            bound: Score::from_discs(discs),
            depth: 14,
            selectivity: Selectivity::Full,
            proof: Proof::Exact,
        };
        let info = Info {
            lines: vec![line],
            nodes: 11_119,
            time: Duration::from_millis(1),
        };
        SearchResult {
            best: Some(best),
            info,
            stopped: false,
        }
    }

    /// The output for a file with one position.
    fn printed(line: &str, verbosity: u8, result: &SearchResult) -> String {
        let problem = Problem::read(line).unwrap().unwrap();
        let mut table = Table::new("p.obf", verbosity);
        let mut text =
            table.head() + &table.heading(&problem) + &table.iteration(&problem, &result.info);
        text += &table.end_of(
            &problem,
            result,
            (verbosity >= 2).then(|| &result.info.lines[0]),
        );
        text + &table.end()
    }

    #[test]
    fn the_table_is_like_edax() {
        let expected = " # | depth|score|       time   |  nodes (N)  |   N/s    | principal variation
---+------+-----+--------------+-------------+----------+---------------------
  1|   14   +18        0:00.001         11119   11119000 g8                  
---+------+-----+--------------+-------------+----------+---------------------
p.obf: 11119 nodes in  0:00.001 (11119000 nodes/s).
1 positions; 0 erroneous move; 0 erroneous score; mean absolute score error = 0.000; mean absolute move error = 0.000
";
        assert_eq!(
            printed(&format!("{BOARD} X;"), 1, &found("g8", 18)),
            expected
        );
    }

    #[test]
    fn expected_scores_are_compared() {
        let row = |scores: &str, name: &str, discs| {
            let text = printed(&format!("{BOARD} X; {scores}"), 1, &found(name, discs));
            assert!(
                !text.contains("positions;"),
                "only where a score is not known"
            );
            text.lines().nth(2).unwrap()[4 + 73..].to_owned()
        };
        assert_eq!(row("H1:+18; G8:+12;", "h1", 18), " ");
        let wrong = " Erroneous move: H1 expected, with score +18, error = +6";
        assert_eq!(row("H1:+18; G8:+12;", "g8", 18), wrong);
        assert_eq!(row("H1:+18;", "a1", 12), " Erroneous score: +18 expected");
    }

    #[test]
    fn verbosity_adds_or_removes_lines() {
        let text = printed(&format!("{BOARD} X;"), 2, &found("g8", 18));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..3], ["", "*** problem # 1 ***", ""]);
        assert_eq!((lines[13], lines[14], lines[15]), ("", rows::HEADER, RULE));
        assert_eq!((lines[17], lines[18]), ("", RULE));
        assert_eq!(&lines[16][53..], "g8                  ");
        assert!(printed(&format!("{BOARD} X;"), 0, &found("g8", 18)).starts_with("p.obf: "));
    }
}
