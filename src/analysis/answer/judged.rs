//! Judged positions and moves from the lines of a search.

use super::*;
use crate::book::Games;

impl Line {
    /// The value of a search's line at a position with this number of empties. The chances of an unproven one are known
    /// only if the evaluation is `calibrated`.
    pub fn new(line: &search::Line, empties: u32, calibrated: bool) -> Self {
        let (lower, upper) = bounds(line);
        let is_bound = matches!(line.proof, Proof::AtLeast | Proof::AtMost);
        let odds = if is_bound || line.proof == Proof::None && !calibrated {
            Odds::default()
        } else {
            let [error, margin] = [
                chances::error(line, empties),
                chances::margin(line, empties),
            ];
            Odds::new(chances::chances(line, empties), error, margin)
        };
        Self {
            depth: line.depth,
            selectivity: line.selectivity.percent(),
            exact: line.is_exact(),
            value: line.known(),
            odds,
            lower,
            upper,
        }
    }

    /// The value of a finished game.
    fn result(score: i32) -> Self {
        let odds = Odds::new(chances::decided(score), Some(0.0), Some(0.0));
        let discs = f64::from(score);
        let value = Known::Score(discs);
        Self {
            depth: 0,
            selectivity: 100,
            exact: true,
            value,
            odds,
            lower: discs,
            upper: discs,
        }
    }
}

impl Odds {
    /// Chance to win, a draw counting half.
    pub fn chance(&self) -> Option<f64> {
        Some((self.win_chance? + self.draw_chance.unwrap_or(0.0) / 2.0).clamp(0.0, 1.0))
    }

    fn new(Chances { win, draw, loss }: Chances, error: Option<f64>, margin: Option<f64>) -> Self {
        let [win_chance, draw_chance, loss_chance] =
            [win, draw, loss].map(|chance| Some(rounded(chance, 1e4)));
        let [score_error, margin] =
            [error, margin].map(|discs| discs.map(|discs| rounded(discs, 1e2)));
        Self {
            win_chance,
            draw_chance,
            loss_chance,
            score_error,
            margin,
        }
    }
}

impl Judged {
    /// The result of a search; `info` without lines is a finished game. `calibrated`: the chances of the evaluation `weights`
    /// are known.
    pub fn new(position: Position, info: &Info, calibrated: bool, weights: &str) -> Self {
        let board = position.board;
        let empties = board.empty_count();
        let line = |line: &search::Line| Line::new(line, empties, calibrated);
        let judged_move = |found: &search::Line| {
            let mv = *found.pv.first()?;
            let pv = found.pv.clone();
            Some(JudgedMove {
                mv,
                line: line(found),
                find_chance: None,
                pv,
                why: Vec::new(),
            })
        };
        Self {
            state: State::default(),
            position,
            empties,
            line: info
                .lines
                .first()
                .map_or_else(|| Line::result(board.final_score()), line),
            work: Work {
                nodes: info.nodes,
                searched: info.nodes,
                seconds: Some(seconds(info.time)),
                ..Work::default()
            },
            moves: info.lines.iter().filter_map(judged_move).collect(),
            avoid: Vec::new(),
            played: None,
            ratings: Ratings::default(),
            theory: Theory::default(),
            warnings: Vec::new(),
            maker: Maker {
                schema_version: SCHEMA_VERSION,
                version: env!("CARGO_PKG_VERSION").into(),
                weights: weights.to_owned(),
            },
        }
    }

    /// The expected line, the best move first; empty when the game is over.
    pub fn pv(&self) -> &[Move] {
        self.moves.first().map_or(&[], |best| &best.pv)
    }

    /// Discs that the move played is worse than the best one, from 0 to 128; `None` where that is not known.
    pub fn loss(&self) -> Option<f64> {
        self.played
            .as_ref()?
            .loss
            .map(|loss| loss.clamp(0.0, 128.0))
    }

    /// Whether that is proven.
    pub fn is_loss_exact(&self) -> bool {
        let played = self.played.as_ref().and_then(|played| played.line.as_ref());
        self.line.exact && played.is_some_and(|line| line.exact)
    }

    /// Adds sentences to its moves, and to the one played.
    pub fn explain(&mut self, language: Language) {
        let position = self.position;
        let passes = || {
            vec![language.fill(
                "passes-turn",
                &[("own", name(language, position.side).into())],
            )]
        };
        for judged in &mut self.moves {
            judged.why = judged
                .mv
                .square()
                .map_or_else(passes, |square| of_move(language, &position, square));
        }
        let of_square = |square| of_played(language, &position, square, &self.found());
        let why = self
            .played
            .as_ref()
            .map(|played| played.mv.square().map_or_else(passes, of_square));
        if let (Some(played), Some(why)) = (&mut self.played, why) {
            played.why = why;
        }
    }

    /// The values and lines of the move played and of the best one, for sentences.
    pub fn found(&self) -> Found<'_> {
        // A move that was read from a file may be illegal.
        let is_legal = |mv: &Move| self.position.play(*mv).is_ok();
        Found {
            best_line: if self.pv().first().is_some_and(is_legal) {
                self.pv()
            } else {
                &[]
            },
            loss: self.loss(),
            is_exact: self.is_loss_exact(),
            played_line: self.played.as_ref().map_or(&[], |played| &played.pv),
        }
    }

    /// Completes the move played where it is one of the best moves.
    pub fn complete_played(&mut self) {
        let Some(played) = &mut self.played else {
            return;
        };
        if let Some(found) = self.moves.iter().find(|found| found.mv == played.mv) {
            let line = played.line.get_or_insert_with(|| found.line.clone());
            let scores = self.line.value.score().zip(line.value.score());
            played.loss = played
                .loss
                .or(scores.map(|(best, score)| (best - score).clamp(0.0, 128.0)));
            if played.pv.is_empty() {
                played.pv.clone_from(&found.pv);
            }
        }
    }
}

impl Estimate {
    pub fn new(cost: &Cost) -> Self {
        let (selectivity, time) = cost.nearly.unzip();
        Self {
            nodes: cost.nodes as u64,
            seconds: rounded(cost.seconds, 1e1),
            selectivity: selectivity.map(Selectivity::percent),
            selective_seconds: time.map(|time| rounded(time, 1e1)),
        }
    }
}

impl BookJudgement {
    pub fn new(found: &BookValue, lines: &[BookLine]) -> Self {
        let range = |book::Value {
                         value,
                         lower,
                         upper,
                     }| {
            let [value, lower, upper] =
                [value, lower, upper].map(|score| rounded(score.discs(), 1e3));
            BookRange {
                value,
                lower,
                upper,
            }
        };
        Self {
            value: found.value.map(range),
            depth: found.depth,
            games: found.games,
            mv: found.best.map(Move::Place),
            moves: lines.iter().map(MoveGames::new).collect(),
        }
    }
}

impl MoveGames {
    fn new(line: &BookLine) -> Self {
        Self::of(line.pv[0], line.games)
    }

    /// The games of a book with a move.
    pub fn of(mv: Move, games: Games) -> Self {
        let count = games.count();
        Self {
            mv,
            games: count,
            won: games.wins,
            drawn: games.draws,
            lost: games.losses,
            percent: (count > 0).then(|| rounded(100.0 * games.points() / count as f64, 1e1)),
        }
    }
}

impl PlayedMove {
    pub fn of(mv: Move) -> Self {
        Self {
            mv,
            line: None,
            loss: None,
            find_chance: None,
            pv: Vec::new(),
            why: Vec::new(),
        }
    }
}
