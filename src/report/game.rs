//! An analyzed game as plain data, and values derived from it.

use crate::analysis::answer::{Judged, Line, PlayedMove};
use crate::analysis::{Grade, find};
use crate::board::{Color, Game, Move, Position};
use crate::book::names::name_of_line;
use crate::engine::people::People;
use crate::engine::people::judge::Evidence;
use crate::eval::Evaluator;
use crate::notation::ggf::{Clock, GgfGame};
use crate::notation::ggf_record;
use crate::notation::{Detected, GameResult, NamedGame, Outcome};
use crate::search::{Known, Selectivity};
use crate::sentences::{Language, Told, because, name};

/// A game to report on, with the times in its text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    pub record: NamedGame,
    /// Seconds for each move; empty without times.
    pub seconds: Vec<Option<f64>>,
    /// The clock of Black and of White at the start, if limited.
    pub clocks: [Option<Clock>; 2],
}

/// How the scores of a report came about, for its foot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    /// `depth 14`, or `2 seconds per position`.
    pub effort: String,
    pub weights: String,
}

/// A game with a verdict on every turn.
#[derive(Clone, Debug, PartialEq)]
pub struct GameReport {
    pub source: Source,
    /// One per position of the game, the last one without a move.
    pub turns: Vec<JudgedTurn>,
    /// Positions from the first on that the opening book has; 0 without a book.
    pub book_turns: usize,
    /// The language of sentences about moves and of names of openings.
    pub language: Language,
    /// How likely players of each rating make the moves of Black and of White; without moves where it is unknown.
    pub evidence: [Evidence; 2],
}

/// A position of the game, its best move, and the move played.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedTurn {
    pub position: Position,
    /// The move of the game; `None` in the last position.
    pub played: Option<Move>,
    /// The values of the moves; `None` when the game is over, or if the answers end before.
    pub verdict: Option<Judged>,
    /// Discs that the move of the game is worse than the best one, at least 0; `None` where unknown.
    pub loss: Option<f64>,
    /// Sentences about the move: see [`because`].
    pub why: String,
    /// The trap of the position in words, if the report looks for one.
    pub trap: Option<String>,
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

    /// Seconds that `color` used, if the text has times.
    pub fn time_used(&self, color: Color) -> Option<f64> {
        let steps = self.record.game.steps().zip(&self.seconds);
        let times: Vec<f64> = steps
            .filter(|((position, _), _)| position.side == color)
            .filter_map(|(_, time)| *time)
            .collect();
        (!times.is_empty()).then(|| times.iter().sum())
    }
}

impl From<NamedGame> for Source {
    fn from(record: NamedGame) -> Self {
        Self {
            record,
            ..Self::default()
        }
    }
}

impl From<&Detected> for Source {
    fn from(found: &Detected) -> Self {
        match found.ggf() {
            Some(ggf) => Self::from_ggf(&ggf),
            None => found.record.clone().into(),
        }
    }
}

impl JudgedTurn {
    pub fn new(judged: Judged, language: Language, told: &mut Told) -> Self {
        let position = judged.position;
        let played = judged.played.as_ref().map(|played| played.mv);
        let square = played
            .and_then(Move::square)
            .filter(|_| !judged.moves.is_empty());
        let why =
            square.map(|square| because(language, &position, square, &judged.found(), false, told));
        let sentence = square.and_then(|_| find::sentence(&judged, language));
        let why = why.map(|mut why| {
            why.extend(sentence);
            why
        });
        Self {
            position,
            played,
            loss: judged.loss(),
            why: why.unwrap_or_default().join(language.gap()),
            trap: find::trap_of(&judged, language),
            verdict: (!judged.moves.is_empty()).then_some(judged),
        }
    }

    /// The best line, the best move first; empty if it is unknown.
    pub fn line(&self) -> &[Move] {
        self.verdict.as_ref().map_or(&[], Judged::pv)
    }

    /// The best move, where another was played.
    pub fn better(&self) -> Option<Move> {
        self.line()
            .first()
            .copied()
            .filter(|&best| Some(best) != self.played)
    }

    /// Whether the score is proven to the disc.
    pub fn is_exact(&self) -> bool {
        self.verdict
            .as_ref()
            .is_some_and(|verdict| verdict.line.exact)
    }

    /// Whether the loss of the move of the game is proven.
    pub fn is_loss_exact(&self) -> bool {
        self.verdict.as_ref().is_some_and(Judged::is_loss_exact)
    }

    /// The score is searched to the end, or nearly surely so: no evaluation is in it.
    pub fn reaches_end(&self) -> bool {
        self.verdict.as_ref().is_some_and(|verdict| {
            let is_sure = verdict.line.selectivity >= Selectivity::P95.percent();
            verdict.line.exact
                || u32::from(verdict.line.depth) >= self.position.board.empty_count() && is_sure
        })
    }

    /// Score of the position in discs for Black: the result of a finished game, else the verdict's.
    pub fn score_for_black(&self) -> Option<f64> {
        if self.position.is_over() {
            return Some(f64::from(self.position.final_score(Color::Black)));
        }
        let score = self.verdict.as_ref()?.line.value.score()?;
        Some(if self.position.side == Color::Black {
            score
        } else {
            0.0 - score
        })
    }

    /// Black's chance to win, a draw counting half: of a finished game 1, 0.5 or 0.
    pub fn chance_for_black(&self) -> Option<f64> {
        if self.position.is_over() {
            return Some(f64::from(self.position.final_score(Color::Black).signum() + 1) / 2.0);
        }
        let chance = self.verdict.as_ref()?.line.odds.chance()?;
        Some(if self.position.side == Color::Black {
            chance
        } else {
            1.0 - chance
        })
    }

    /// The lines of all moves with a known value, the best first; that of the game is among them.
    pub fn choices(&self) -> Vec<(&[Move], &Line)> {
        let Some(verdict) = &self.verdict else {
            return Vec::new();
        };
        fn line<'a>(mv: &'a Move, pv: &'a [Move]) -> &'a [Move] {
            if pv.is_empty() {
                std::slice::from_ref(mv)
            } else {
                pv
            }
        }
        let moves = verdict.moves.iter();
        let mut choices: Vec<_> = moves
            .map(|found| (line(&found.mv, &found.pv), &found.line))
            .collect();
        if let Some(PlayedMove {
            mv,
            line: Some(value),
            pv,
            ..
        }) = &verdict.played
            && choices.iter().all(|(pv, _)| pv[0] != *mv)
        {
            choices.push((line(mv, pv), value));
        }
        choices
    }

    /// Discs that a move with this value is worse than the best one, at least 0, if both scores are known.
    pub fn loss_of(&self, line: &Line) -> Option<f64> {
        let best = self.verdict.as_ref()?.line.value.score()?;
        Some((best - line.value.score()?).max(0.0))
    }

    /// The value of the move of the game, for the side to move, by the judge of this position.
    pub fn played_line(&self) -> Option<&Line> {
        self.choices()
            .into_iter()
            .find(|(pv, _)| Some(pv[0]) == self.played)
            .map(|(_, line)| line)
    }

    /// The move of the game is a disc placed, so that it can be good or bad.
    pub fn is_choice(&self) -> bool {
        matches!(self.played, Some(Move::Place(_)))
    }
}

/// Moves the unproven values of each position to the mean of its own search and of the search one move earlier, which
/// ends a ply later or earlier: searches of odd and of even depths differ by more than a move is worth.
fn smooth(turns: &mut [JudgedTurn]) {
    let mut before: Option<Line> = None;
    for turn in turns {
        let found = turn.verdict.as_ref().map(|verdict| verdict.line.clone());
        let shifts = before
            .zip(found)
            .filter(|(before, found)| !before.exact && !found.exact);
        before = turn.played_line().cloned();
        let Some((earlier, found)) = shifts else {
            continue;
        };
        let half =
            |from: Option<f64>, to: Option<f64>| from.zip(to).map(|(from, to)| (to - from) / 2.0);
        let discs = half(
            found.value.score(),
            earlier.value.score().map(|score| -score),
        );
        let chance = half(
            found.odds.chance(),
            earlier.odds.chance().map(|chance| 1.0 - chance),
        );
        turn.shift(discs.unwrap_or(0.0), chance.unwrap_or(0.0));
    }
}

impl JudgedTurn {
    /// Adds discs and a chance to win to all values, so that losses stay; nothing where a move is proven, whose value
    /// stays, too.
    fn shift(&mut self, discs: f64, chance: f64) {
        let Some(verdict) = &mut self.verdict else {
            return;
        };
        let moves = verdict.moves.iter_mut().map(|found| &mut found.line);
        let played = verdict
            .played
            .as_mut()
            .and_then(|played| played.line.as_mut());
        let lines: Vec<_> = moves.chain(played).chain([&mut verdict.line]).collect();
        if lines.iter().any(|line| line.exact) {
            return;
        }
        for line in lines {
            if let Known::Score(score) = &mut line.value {
                *score = (*score + discs).clamp(-64.0, 64.0);
            }
            if let Some(win) = &mut line.odds.win_chance {
                *win = (*win + chance).clamp(0.0, 1.0);
            }
        }
    }
}

impl GameReport {
    /// The report of a game whose positions were judged one by one.
    pub fn new(source: Source, judged: impl Iterator<Item = Judged>, language: Language) -> Self {
        let judged: Vec<Judged> = judged.collect();
        let book_turns = judged
            .iter()
            .take_while(|judged| judged.theory.book.is_some())
            .count();
        let mut told = Told::default();
        let turns = judged
            .into_iter()
            .map(|judged| JudgedTurn::new(judged, language, &mut told));
        let mut turns: Vec<JudgedTurn> = turns.collect();
        smooth(&mut turns);
        Self {
            source,
            turns,
            book_turns,
            language,
            evidence: Default::default(),
        }
    }

    /// Adds the likelihoods of the moves by the rating of their players; for the embedded evaluation.
    pub fn rate(&mut self, evaluator: &Evaluator) {
        let people = People::shipped();
        let mut last = None;
        for (position, mv) in self.source.record.game.steps() {
            let moves = position.board.moves();
            if let Some(square) = mv.square().filter(|_| moves.len() > 1) {
                let sighted = people.see(evaluator, position.board, last);
                let played = moves.iter().position(|other| other == square);
                let evidence = &mut self.evidence[position.side as usize];
                evidence.add(played.unwrap_or(0), |rating| {
                    people.chances(&sighted, rating)
                });
            }
            last = mv.square();
        }
    }

    /// The estimated rating of a player in words, with its error: `1480 ± 130`; `None` with few moves.
    pub fn estimated_rating(evidence: &Evidence, language: Language) -> Option<String> {
        let estimate = evidence.estimate()?;
        if !estimate.is_person {
            return Some(language.page("does not play like a person").to_owned());
        }
        let ten = |number: f64| (number / 10.0).round() as i64 * 10;
        Some(format!(
            "{} \u{b1} {}",
            ten(estimate.rating),
            ten(estimate.error)
        ))
    }

    /// The name of a player; `Black` or `White` for one without.
    pub fn player(&self, color: Color) -> String {
        let found = match color {
            Color::Black => self.source.record.black.trim(),
            Color::White => self.source.record.white.trim(),
        };
        if found.is_empty() {
            name(self.language, color)
        } else {
            found.to_owned()
        }
    }

    /// The result in words.
    pub fn result_in_words(&self) -> String {
        let result = self.result();
        let language = self.language;
        if language == Language::En {
            return result.words();
        }
        let ends = match result.winner() {
            Some(winner) => {
                language.page_with("{side} wins", &[("side", name(language, winner).into())])
            }
            None if result.outcome == Outcome::Open => language.page("unfinished").into(),
            None => language.page("draw").into(),
        };
        let how = result
            .how
            .termination()
            .map(|how| format!(" ({})", language.page(how)));
        ends + &how.unwrap_or_default()
    }

    pub fn game(&self) -> &Game {
        &self.source.record.game
    }

    pub fn result(&self) -> GameResult {
        self.source.record.result()
    }

    /// The name of the opening played, if it has one.
    pub fn opening(&self) -> Option<&'static str> {
        let name = name_of_line(
            self.turns
                .iter()
                .map(|turn| turn.position.board)
                .collect::<Vec<_>>(),
        )?;
        Some(self.language.opening(name))
    }

    /// The number of the next move in position `ply`: passes have no number.
    pub fn number(&self, ply: usize) -> usize {
        1 + self.turns[..ply]
            .iter()
            .filter(|turn| turn.is_choice())
            .count()
    }

    /// The name of position `ply` in addresses: the number of its move, `12-pass` after move 12, or `end`.
    pub fn anchor(&self, ply: usize) -> String {
        match self.turns[ply].played {
            Some(Move::Place(_)) => self.number(ply).to_string(),
            Some(Move::Pass) => format!("{}-pass", self.number(ply) - 1),
            None => "end".to_owned(),
        }
    }

    /// The last position that the opening book has, if it is more than the start.
    pub fn book_end(&self) -> Option<usize> {
        self.book_turns.checked_sub(1).filter(|&last| last > 0)
    }

    /// The end of the opening book, in words; `None` if the game was never in it.
    pub fn book_exit(&self) -> Option<String> {
        let last = self.book_end()?;
        Some(match self.turns.get(last).and_then(|turn| turn.played) {
            Some(mv) => {
                let values = [
                    ("n", (self.number(last) as u32).into()),
                    ("move", mv.to_string().into()),
                ];
                self.language
                    .page_with("left the book with move {n}, {move}", &values)
            }
            None => self.language.page("in the book to the end").to_owned(),
        })
    }

    /// The first position from which on every score is proven.
    pub fn proven_from(&self) -> Option<usize> {
        let is_proven = |turn: &JudgedTurn| turn.position.is_over() || turn.is_exact();
        let proven = self
            .turns
            .iter()
            .rev()
            .take_while(|turn| is_proven(turn))
            .count();
        (proven > 1).then(|| self.turns.len() - proven)
    }
}

/// A smaller loss in discs rounds to nothing and is not shown.
pub const SHOWN_LOSS: f64 = 0.05;
/// A lost chance to win from which on a move counts as a mistake.
const LEAST_CHANCE: f64 = 0.05;
/// A lost chance to win from which on a mistake is where a study begins.
const REAL_CHANCE: f64 = 0.1;

/// A move that cost its player something.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistake {
    /// The position before it.
    pub ply: usize,
    pub loss: f64,
    /// The results of the best move and of the move, for its player: 1 a win, 0 a draw, -1 a loss.
    pub outcome: (i32, i32),
    /// The chance to win that was lost, 0 to 1, where it is known.
    pub chance: Option<f64>,
    /// Most players of the rating of the report avoid it.
    pub is_avoidable: bool,
}

/// The result that a score implies: a draw if it is nearer to 0 than a disc. Proven scores are even.
fn outcome(score: f64) -> i32 {
    if score.abs() < 1.0 {
        0
    } else {
        score.signum() as i32
    }
}

impl GameReport {
    /// Chance to win that a move cost its player: as the judge of the position values it and the best one, or else by the
    /// positions before and after it.
    pub fn chance_lost(&self, ply: usize) -> Option<f64> {
        let turn = &self.turns[ply];
        let best = || turn.choices().first()?.1.odds.chance();
        let among = || Some(best()? - turn.played_line()?.odds.chance()?);
        let by_positions = || {
            let before = turn.chance_for_black()?;
            let after = self.turns.get(ply + 1)?.chance_for_black()?;
            Some(if turn.position.side == Color::Black {
                before - after
            } else {
                after - before
            })
        };
        turn.played?;
        among().or_else(by_positions).map(|lost| lost.max(0.0))
    }

    /// The moves that lost discs or chances to win; with a rating first those that most players avoid; the greatest loss of chances first; where they are not known, those
    /// that gave a win or a draw away, the costliest first.
    pub fn mistakes(&self) -> Vec<Mistake> {
        let mistake = |(ply, turn): (usize, &JudgedTurn)| {
            let loss = turn.loss?;
            let best = turn.verdict.as_ref()?.line.value.score()?;
            let chance = self.chance_lost(ply);
            let outcome = (outcome(best), outcome(best - loss));
            let counts = Grade::of(loss) > Grade::Good
                || chance.is_some_and(|chance| chance >= LEAST_CHANCE);
            (turn.is_choice() && counts).then_some(Mistake {
                ply,
                loss,
                outcome,
                chance,
                is_avoidable: find::avoided(turn.verdict.as_ref()?)
                    .is_some_and(|share| share >= 0.5),
            })
        };
        let mut found: Vec<Mistake> = self.turns.iter().enumerate().filter_map(mistake).collect();
        let weight = |m: &Mistake| {
            (
                m.is_avoidable,
                m.chance.unwrap_or(f64::from(m.outcome.0 - m.outcome.1)),
                m.loss,
            )
        };
        found.sort_by(|a, b| {
            weight(b)
                .partial_cmp(&weight(a))
                .expect("losses are finite")
        });
        found
    }

    /// The position of the first real mistake of either side, by chances or by discs.
    pub fn first_mistake(&self) -> Option<usize> {
        let is_real = |mistake: &Mistake| match mistake.chance {
            Some(chance) => chance >= REAL_CHANCE,
            None => Grade::of(mistake.loss) >= Grade::Mistake,
        };
        self.mistakes()
            .iter()
            .filter(|mistake| is_real(mistake))
            .map(|mistake| mistake.ply)
            .min()
    }
}

impl Mistake {
    /// Whether it decided something: it cost a fair chance to win, or where that is not known the lead.
    pub fn is_decisive(&self) -> bool {
        match self.chance {
            Some(chance) => chance >= LEAST_CHANCE,
            None => self.outcome.0 > self.outcome.1,
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
