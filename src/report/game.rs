//! An analysed game as plain data, and what is derived from it.

use crate::analysis::Grade;
use crate::analysis::answer::Judged;
use crate::board::{Color, Game, Move, Position};
use crate::book::names::name_of_line;
use crate::notation::ggf::{Clock, GgfGame};
use crate::notation::ggf_record;
use crate::notation::{GameResult, NamedGame};
use crate::search::Selectivity;

/// A game to report on, with what its text tells of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The game and its names.
    pub record: NamedGame,
    /// Seconds taken for each turn, as many as there are moves, or none at all.
    pub seconds: Vec<Option<f64>>,
    /// The clock of Black and of White at the start, if limited.
    pub clocks: [Option<Clock>; 2],
}

/// How the scores of a report came about, for its foot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    /// `depth 14`, or `2 seconds per position`.
    pub effort: String,
    /// Which evaluation searched.
    pub weights: String,
}

/// A game with a verdict on every turn.
#[derive(Clone, Debug, PartialEq)]
pub struct GameReport {
    /// The game and its times.
    pub source: Source,
    /// One per position of the game, the last one without a move.
    pub turns: Vec<JudgedTurn>,
    /// Positions from the first on that the opening book has; 0 without a book.
    pub book_turns: usize,
}

/// A position of the game, what is best in it, and what was played.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedTurn {
    /// The position.
    pub position: Position,
    /// The move of the game; `None` in the last position.
    pub played: Option<Move>,
    /// What is best; `None` when the game is over, or where an analysis file has a gap.
    pub verdict: Option<Judged>,
    /// Discs that the move of the game is worse than the best one, at least 0; `None` where unknown.
    pub loss: Option<f64>,
}

impl Source {
    /// A GGF game with its clocks and times.
    pub fn from_ggf(ggf: &GgfGame) -> Self {
        Self {
            record: ggf_record(ggf),
            seconds: ggf.plies().iter().map(|ply| ply.seconds).collect(),
            clocks: [ggf.clock(Color::Black), ggf.clock(Color::White)],
        }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.record.game
    }

    /// The name of a player; `Black` or `White` for one without.
    pub fn player(&self, color: Color) -> &str {
        let name = match color {
            Color::Black => self.record.black.trim(),
            Color::White => self.record.white.trim(),
        };
        if name.is_empty() { color.title() } else { name }
    }

    /// Seconds that `color` took for its turns, if the text tells of any.
    pub fn time_used(&self, color: Color) -> Option<f64> {
        let steps = self.game().steps().zip(&self.seconds);
        let times: Vec<f64> =
            steps.filter(|((position, _), _)| position.side == color).filter_map(|(_, time)| *time).collect();
        (!times.is_empty()).then(|| times.iter().sum())
    }
}

impl From<NamedGame> for Source {
    fn from(record: NamedGame) -> Self {
        Self { record, ..Self::default() }
    }
}

impl From<Judged> for JudgedTurn {
    fn from(judged: Judged) -> Self {
        Self {
            position: judged.position,
            played: judged.played.as_ref().map(|played| played.mv),
            loss: judged.loss(),
            verdict: (!judged.moves.is_empty()).then_some(judged),
        }
    }
}

impl JudgedTurn {
    /// The best line, the best move first; empty where none is known.
    pub fn line(&self) -> &[Move] {
        self.verdict.as_ref().map_or(&[], Judged::line)
    }

    /// Whether the score is proven to the disc.
    pub fn is_exact(&self) -> bool {
        self.verdict.as_ref().is_some_and(|verdict| verdict.exact)
    }

    /// The score is searched to the end, or nearly surely so: no evaluation is in it.
    pub fn reaches_end(&self) -> bool {
        self.verdict.as_ref().is_some_and(|verdict| {
            let is_sure = verdict.selectivity >= Selectivity::P95.percent();
            verdict.exact || u32::from(verdict.depth) >= self.position.board.empty_count() && is_sure
        })
    }

    /// Score of the position in discs for Black: the result of a finished game, else the verdict's.
    pub fn score_for_black(&self) -> Option<f64> {
        if self.position.is_over() {
            return Some(f64::from(self.position.final_score(Color::Black)));
        }
        let score = self.verdict.as_ref()?.value.score()?;
        Some(if self.position.side == Color::Black { score } else { 0.0 - score })
    }

    /// Black's chance to win, a draw counting half: of a finished game 1, 0.5 or 0.
    pub fn chance_for_black(&self) -> Option<f64> {
        if self.position.is_over() {
            return Some(f64::from(self.position.final_score(Color::Black).signum() + 1) / 2.0);
        }
        let chance = self.verdict.as_ref()?.chance()?;
        Some(if self.position.side == Color::Black { chance } else { 1.0 - chance })
    }

    /// The move of the game is a disc placed, so that it can be good or bad.
    pub fn is_choice(&self) -> bool {
        matches!(self.played, Some(Move::Place(_)))
    }
}

impl GameReport {
    /// The report of a game whose positions were judged one by one.
    pub fn new(source: Source, judged: impl Iterator<Item = Judged>) -> Self {
        let judged: Vec<Judged> = judged.collect();
        let book_turns = judged.iter().take_while(|judged| judged.book.is_some()).count();
        Self { source, turns: judged.into_iter().map(JudgedTurn::from).collect(), book_turns }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        self.source.game()
    }

    /// The result of the game.
    pub fn result(&self) -> GameResult {
        self.source.record.result()
    }

    /// The name of the opening played, if it has one.
    pub fn opening(&self) -> Option<&'static str> {
        name_of_line(self.turns.iter().map(|turn| turn.position.board).collect::<Vec<_>>())
    }

    /// Where the game left the opening book, in words; `None` if it never was in it.
    pub fn book_exit(&self) -> Option<String> {
        let last = self.book_turns.checked_sub(1).filter(|&last| last > 0)?;
        Some(match self.turns.get(last).and_then(|turn| turn.played) {
            Some(mv) => format!("left the book with move {}, {mv}", last + 1),
            None => "in the book to the end".to_owned(),
        })
    }

    /// The first position from which on every score is proven.
    pub fn proven_from(&self) -> Option<usize> {
        let is_proven = |turn: &JudgedTurn| turn.position.is_over() || turn.is_exact();
        let proven = self.turns.iter().rev().take_while(|turn| is_proven(turn)).count();
        (proven > 1).then(|| self.turns.len() - proven)
    }
}

/// A move that decided something.
#[derive(Clone, Debug, PartialEq)]
pub struct Decisive {
    /// Its place among the moves, from 0.
    pub ply: usize,
    /// Discs lost.
    pub loss: f64,
    /// What the mover's game was worth before and after, as -1, 0 or 1.
    pub outcome: (i32, i32),
    /// Chance to win lost by it, from 0 to 1, where it is known.
    pub chance: Option<f64>,
}

/// Whose win a score is taken for: nobody's if it is nearer to 0 than a disc. Proven scores are even.
fn outcome(score: f64) -> i32 {
    if score.abs() < 1.0 { 0 } else { score.signum() as i32 }
}

impl GameReport {
    /// Chance to win that a move cost its player, by the positions before and after it.
    fn chance_lost(&self, ply: usize) -> Option<f64> {
        let before = self.turns[ply].chance_for_black()?;
        let after = self.turns.get(ply + 1)?.chance_for_black()?;
        let lost =
            if self.turns[ply].position.side == Color::Black { before - after } else { after - before };
        Some(lost.max(0.0))
    }

    /// The moves that decided the game, at most `count`, in playing order.
    ///
    /// Those that cost the greatest chance to win; where that is not known, those that gave a win or a draw away,
    /// the dearest first.
    pub fn decisive(&self, count: usize) -> Vec<Decisive> {
        let mut found: Vec<Decisive> = self
            .turns
            .iter()
            .enumerate()
            .filter(|(_, turn)| turn.is_choice())
            .filter_map(|(ply, turn)| {
                let (loss, best) = (turn.loss?, turn.score_for_black()?);
                let sign = if turn.position.side == Color::Black { 1.0 } else { -1.0 };
                // What the board shows after the move; without it what the move was said to lose.
                let after = self.turns.get(ply + 1).and_then(JudgedTurn::score_for_black);
                let after = after.unwrap_or(best - sign * loss);
                (Grade::of(loss) > Grade::Good).then(|| Decisive {
                    ply,
                    loss,
                    outcome: (outcome(sign * best), outcome(sign * after)),
                    chance: self.chance_lost(ply),
                })
            })
            .collect();
        found.sort_by(|a, b| {
            let weight = |d: &Decisive| (d.chance.unwrap_or(f64::from(d.outcome.0 - d.outcome.1)), d.loss);
            weight(b).partial_cmp(&weight(a)).expect("losses are finite")
        });
        found.truncate(count);
        found.sort_by_key(|decisive| decisive.ply);
        found
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::analysis::testing::judged;
    use crate::notation::moves::parse_game;

    /// A report of a transcript with made-up verdicts: `losses` of the first moves, the rest loses nothing.
    pub fn report(moves: &str, losses: &[f64]) -> GameReport {
        let game = parse_game(Position::START, moves).unwrap();
        let mut turns: Vec<JudgedTurn> = Vec::new();
        let mut black = 0.0;
        for (ply, &position) in game.positions().iter().enumerate() {
            let played = game.moves().get(ply).copied();
            let sign = if position.side == Color::Black { 1.0 } else { -1.0 };
            let loss = losses.get(ply).copied().unwrap_or(0.0);
            let verdict = (!position.is_over()).then(|| judged(position, sign * black, played));
            black -= sign * loss;
            turns.push(JudgedTurn { position, played, verdict, loss: played.map(|_| loss) });
        }
        let record = NamedGame { black: "Ann".into(), white: "Bo & <Co>".into(), ..game.into() };
        GameReport { source: record.into(), turns, book_turns: 0 }
    }

    #[test]
    fn moves_that_turn_the_result_come_before_dear_ones() {
        // Black is 0 at first; White loses 3, then Black 6 (a win becomes a loss), then White 12 (back), then 11.
        let report = report("f5d6c3d3c4f4c5b3c2", &[0.0, 3.0, 6.0, 12.0, 11.0]);
        let plies = |count| report.decisive(count).iter().map(|d| d.ply).collect::<Vec<_>>();
        assert_eq!(plies(9), [1, 2, 3, 4]);
        assert_eq!(plies(2), [3, 4]);
        assert_eq!(report.decisive(9)[1].outcome, (1, -1));
        assert_eq!(plies(0), [0usize; 0]);
    }

    #[test]
    fn scores_are_told_for_black_and_the_end_is_the_result() {
        let report = report("e6f4e3f6g5d6e7f5c5", &[0.0, 60.0]);
        let scores: Vec<f64> = report.turns.iter().filter_map(JudgedTurn::score_for_black).collect();
        assert_eq!(scores, [0.0, 0.0, 60.0, 60.0, 60.0, 60.0, 60.0, 60.0, 60.0, 64.0]);
        assert_eq!(report.result().score(), Some(64));
        assert_eq!(self::report("f5d6c3", &[]).opening(), Some("Perpendicular Opening"));
        assert_eq!(self::report("", &[]).opening(), None);
        assert_eq!(report.source.player(Color::White), "Bo & <Co>");
    }

    #[test]
    fn times_of_ggf_are_summed_by_side() {
        let ggf = GgfGame::parse("(;GM[Othello]PB[a]TI[5:00]B[f5//2.5]W[d6//1]B[c3//0.5];)").unwrap();
        let source = Source::from_ggf(&ggf);
        assert_eq!(source.time_used(Color::Black), Some(3.0));
        assert_eq!(source.time_used(Color::White), Some(1.0));
        assert_eq!(source.clocks[1].map(|clock| clock.main), Some(300.0));
        assert_eq!(Source::from(NamedGame::default()).time_used(Color::Black), None);
        assert_eq!(source.player(Color::White), "White");
    }

    #[test]
    fn the_greatest_chance_lost_decides_most() {
        let mut report = report("f5d6c3d3c4f4c5b3c2", &[0.0, 3.0, 6.0, 12.0, 11.0]);
        for (turn, chance) in report.turns.iter_mut().zip([0.5, 0.5, 0.9, 0.5, 0.4, 0.5]) {
            if let Some(verdict) = &mut turn.verdict {
                verdict.odds.win = Some(chance);
            }
        }
        // White lost nothing by the second move, 0.4 by Black's third: 0.9 before it, 1 - 0.5 after it.
        assert_eq!(report.turns[1].chance_for_black(), Some(0.5));
        let decisive = report.decisive(1);
        assert_eq!((decisive[0].ply, decisive[0].chance), (2, Some(0.4)));
    }

    #[test]
    fn the_book_is_left_by_the_first_move_outside() {
        let exit = |book_turns| GameReport { book_turns, ..self::report("f5d6c3", &[]) }.book_exit();
        // Every book has the start.
        assert_eq!((exit(0), exit(1)), (None, None));
        assert_eq!(exit(3).as_deref(), Some("left the book with move 3, c3"));
        assert_eq!(exit(4).as_deref(), Some("in the book to the end"));
    }
}
