//! One game: this program's rules judge every move, its clock every move time.

use std::sync::Arc;
use std::time::Duration;

use super::agreement::{Agreement, agreed};
use crate::board::{Board, Color, Game};
use crate::eval::Evaluator;
use crate::notation::{FORFEIT_DISCS, GameResult, How};
use crate::search::{Limits, Options, Proof, Search, Task};
use crate::tournament::players::{
    Budget, Clock, Fault, MoveReply, MoveRequest, Note, Player, START_PATIENCE, evaluator,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// For players without such options.
    pub budget: Budget,
    /// The allowed delay of a move; with a game clock of all moves of a side together.
    pub margin: Duration,
    /// The wait after the margin: an engine that answers in it is slow and does not hang.
    pub grace: Duration,
    /// The wait for the first answer of an engine.
    pub start: Duration,
    /// The wait for a move without a clock.
    pub patience: Duration,
    /// Empties at which the solver ends the game with the proven result.
    pub adjudicate: Option<u32>,
    /// Both players see a won game.
    pub resign: Option<Agreement>,
    /// Both players see a drawn game.
    pub draw: Option<Agreement>,
}

impl Rules {
    /// No margin, no adjudication, the usual waits.
    pub fn new(budget: Budget) -> Self {
        let grace = Duration::from_secs(1);
        let patience = Duration::from_secs(120);
        Self {
            budget,
            margin: Duration::ZERO,
            grace,
            start: START_PATIENCE,
            patience,
            adjudicate: None,
            resign: None,
            draw: None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    Played,
    Adjudicated,
    Resigned(Color),
    Forfeit(Color, Fault),
}

impl Ending {
    /// One word for tables and game files.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Played => PLAYED,
            Self::Adjudicated => ADJUDICATED,
            Self::Resigned(_) => RESIGNED,
            Self::Forfeit(_, fault) => fault.word(),
        }
    }

    /// The player that resigned or lost by a fault.
    pub fn loser(&self) -> Option<Color> {
        match self {
            Self::Played | Self::Adjudicated => None,
            Self::Resigned(loser) | Self::Forfeit(loser, _) => Some(*loser),
        }
    }
}

pub const PLAYED: &str = "played";
pub const ADJUDICATED: &str = "adjudicated";
pub const RESIGNED: &str = "resigned";

#[derive(Clone, Debug, PartialEq)]
pub struct GameOutcome {
    pub game: Game,
    /// One per move; those of the opening are empty.
    pub notes: Vec<Note>,
    /// Black's final disc difference, the empties to the winner.
    pub discs: i32,
    pub ending: Ending,
}

impl GameOutcome {
    pub fn result(&self) -> GameResult {
        match &self.ending {
            Ending::Played => GameResult::discs(self.discs, How::Played),
            Ending::Adjudicated => GameResult::discs(self.discs, How::Adjudicated),
            Ending::Resigned(loser) => GameResult::won(loser.other(), How::Resigned),
            Ending::Forfeit(loser, Fault::Time { .. } | Fault::Hang(_)) => {
                GameResult::won(loser.other(), How::Time)
            }
            Ending::Forfeit(loser, _) => GameResult::won(loser.other(), How::Forfeit),
        }
    }
}

/// The solver of adjudicated games, made when first used.
#[derive(Default)]
pub struct Adjudicator(Option<Search>);

impl Adjudicator {
    /// The final disc difference for the side to move with best play, if it can be proven.
    fn prove(&mut self, board: Board) -> Option<i32> {
        let options = Options {
            threads: 1,
            hash_mib: 16,
        };
        // The evaluation does not change a proven result.
        let evaluator = || evaluator().unwrap_or_else(|_| Arc::new(Evaluator::Classic));
        let search = self
            .0
            .get_or_insert_with(|| Search::new(&options, evaluator()));
        let result = search.run(&Task::new(board, Limits::exact()));
        let line = result.info.lines.first()?;
        (line.proof == Proof::Exact).then(|| line.bound.round_discs())
    }
}

pub struct Side<'a> {
    pub player: &'a mut dyn Player,
    pub budget: Budget,
    pub margin: Duration,
}

struct LiveGame<'a> {
    game: Game,
    notes: Vec<Note>,
    /// Of Black and White.
    clocks: [Duration; 2],
    /// The moves that each side made since the opening.
    made: [u32; 2],
    /// The clocks' kinds.
    times: [Clock; 2],
    /// The used part of each side's margin.
    late: [Duration; 2],
    rules: &'a Rules,
}

/// Plays a game from the end of `opening` between Black and White. `None`: it was cancelled, and faults do not count.
///
/// A fault ends the game; the player cannot play another one.
pub fn play(
    opening: &Game,
    mut sides: [Side; 2],
    rules: &Rules,
    adjudicator: &mut Adjudicator,
    is_cancelled: &dyn Fn() -> bool,
) -> Option<GameOutcome> {
    let times = [0, 1].map(|side: usize| sides[side].budget.time);
    let clocks = times.map(|time| time.at_start(rules.patience));
    let notes = vec![Note::default(); opening.moves().len()];
    let mut live = LiveGame {
        game: opening.clone(),
        notes,
        clocks,
        made: [0; 2],
        times,
        late: [Duration::ZERO; 2],
        rules,
    };
    for (color, side) in [Color::Black, Color::White].into_iter().zip(&mut sides) {
        if let Err(fault) = side.player.new_game(&side.budget) {
            return (!is_cancelled()).then(|| live.forfeit(color, fault));
        }
    }
    loop {
        if live.game.is_over() {
            let discs = live.game.final_score(Color::Black).unwrap_or_default();
            return Some(live.end(discs, Ending::Played));
        }
        if is_cancelled() {
            return None;
        }
        if live.game.pass_if_forced() {
            live.notes.push(Note::default());
            continue;
        }
        let position = live.game.position();
        if rules
            .adjudicate
            .is_some_and(|empties| position.board.empty_count() <= empties)
            && let Some(discs) = adjudicator.prove(position.board)
        {
            let discs = if position.side == Color::Black {
                discs
            } else {
                -discs
            };
            return Some(live.end(discs, Ending::Adjudicated));
        }
        match live.ask(&mut sides[position.side as usize]) {
            // The board decides a game that this move ended.
            Ok(true) if live.game.is_over() => {}
            Ok(true) => {
                if let Some(discs) = live.agreed() {
                    return Some(live.end(discs, Ending::Adjudicated));
                }
            }
            Ok(false) => return Some(live.lost(position.side, Ending::Resigned(position.side))),
            Err(_) if is_cancelled() => return None,
            Err(fault) => return Some(live.forfeit(position.side, fault)),
        }
    }
}

impl LiveGame<'_> {
    /// Makes the move of the side to move; false: it resigns.
    fn ask(&mut self, mover: &mut Side) -> Result<bool, Fault> {
        let side = self.game.position().side;
        let own = side as usize;
        let other = side.other() as usize;
        let allowed = self.clocks[own];
        let patience = match self.times[own] {
            Clock::UNLIMITED => allowed,
            _ => allowed
                .saturating_add(mover.margin)
                .saturating_add(self.rules.grace),
        };
        let request = MoveRequest {
            game: &self.game,
            notes: &self.notes,
            budget: &mover.budget,
            left: [allowed, self.clocks[other]],
            period: [own, other].map(|side| self.times[side].moves_of_period(self.made[side])),
            patience,
        };
        let MoveReply { mv, note } = mover.player.choose(&request)?;
        let late = note.time.saturating_sub(allowed);
        if self.late[own] + late > mover.margin {
            return Err(Fault::Time {
                used: note.time,
                allowed,
            });
        }
        let Some(mv) = mv else { return Ok(false) };
        self.game
            .play(mv)
            .map_err(|error| Fault::Illegal(error.to_string()))?;
        self.notes.push(note);
        let clock = self.times[own];
        self.made[own] += 1;
        self.clocks[own] = clock.after_move(allowed, note.time, self.made[own]);
        if clock.is_refilled(self.made[own]) {
            self.late[own] = Duration::ZERO;
        } else if clock.runs_down() {
            // The margin counts once for all moves of an empty clock.
            self.late[own] += late;
        }
        Ok(true)
    }

    /// Black's result if the scores of both players agree on it.
    fn agreed(&self) -> Option<i32> {
        let scores = [Color::Black, Color::White].map(|side| self.scores(side).collect());
        agreed(self.rules.resign, self.rules.draw, &scores)
    }

    /// The scores that a player gave for its moves, for Black, the last one first; `None` where it gave none.
    fn scores(&self, side: Color) -> impl Iterator<Item = Option<f64>> {
        let sign = if side == Color::Black { 1.0 } else { -1.0 };
        let positions = self.game.positions().iter().zip(&self.notes).rev();
        // Openings and forced passes take no time.
        let own =
            positions.filter(move |(position, note)| position.side == side && !note.time.is_zero());
        own.map(move |(_, note)| note.eval.map(|eval| sign * eval))
    }

    fn end(self, discs: i32, ending: Ending) -> GameOutcome {
        GameOutcome {
            game: self.game,
            notes: self.notes,
            discs,
            ending,
        }
    }

    fn forfeit(self, loser: Color, fault: Fault) -> GameOutcome {
        self.lost(loser, Ending::Forfeit(loser, fault))
    }

    fn lost(self, loser: Color, ending: Ending) -> GameOutcome {
        let discs = if loser == Color::Black {
            -FORFEIT_DISCS
        } else {
            FORFEIT_DISCS
        };
        self.end(discs, ending)
    }
}

#[cfg(test)]
mod tests;
