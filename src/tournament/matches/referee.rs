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
mod tests {
    use super::*;
    use crate::board::{Move, Square};
    use crate::tournament::players::spec::Spec;

    const MS: Duration = Duration::from_millis(1);

    /// Plays the first legal square after the next of these times, the last one for the rest; `then` from ply `from` on.
    struct Scripted {
        times: Vec<Duration>,
        from: usize,
        then: Result<Option<Move>, Fault>,
        seen: Vec<Duration>,
    }

    fn scripted(ms: &[u32]) -> Scripted {
        let times = ms.iter().map(|&ms| ms * MS).collect();
        Scripted {
            times,
            from: usize::MAX,
            then: Ok(None),
            seen: Vec::new(),
        }
    }

    impl Player for Scripted {
        fn new_game(&mut self, _budget: &Budget) -> Result<(), Fault> {
            Ok(())
        }

        fn choose(&mut self, request: &MoveRequest) -> Result<MoveReply, Fault> {
            let time = self.times[self.seen.len().min(self.times.len() - 1)];
            self.seen.push(request.left[0]);
            let first = request
                .game
                .position()
                .board
                .moves()
                .first()
                .map(Move::Place);
            let mv = if request.game.moves().len() >= self.from {
                self.then.clone()?
            } else {
                first
            };
            Ok(MoveReply {
                mv,
                note: Note { eval: None, time },
            })
        }
    }

    fn rules(time: Clock) -> Rules {
        Rules {
            margin: 100 * MS,
            ..Rules::new(Budget {
                time,
                ..Budget::FREE
            })
        }
    }

    fn clock(main: u32, increment: u32) -> Clock {
        Clock::Search(crate::search::Clock::Game {
            remaining: main * MS,
            increment: increment * MS,
        })
    }

    /// A game with these clocks and margins of the sides.
    fn with_terms(
        players: [&mut dyn Player; 2],
        terms: [(Clock, Duration); 2],
        rules: &Rules,
    ) -> GameOutcome {
        let mut terms = terms.into_iter();
        let sides = players.map(|player| {
            let (time, margin) = terms.next().unwrap();
            Side {
                player,
                budget: Budget {
                    time,
                    ..rules.budget
                },
                margin,
            }
        });
        play(
            &Game::default(),
            sides,
            rules,
            &mut Adjudicator::default(),
            &|| false,
        )
        .unwrap()
    }

    fn game(rules: Rules, black: &mut Scripted, white: &mut Scripted) -> GameOutcome {
        with_terms(
            [black, white],
            [(rules.budget.time, rules.margin); 2],
            &rules,
        )
    }

    fn is_late(outcome: &GameOutcome, side: Color) -> bool {
        matches!(&outcome.ending, Ending::Forfeit(loser, Fault::Time { .. }) if *loser == side)
    }

    #[test]
    fn clocks_run_with_increments() {
        let mut black = scripted(&[30]);
        let mut white = scripted(&[10]);
        let record = game(rules(clock(1000, 10)), &mut black, &mut white);
        assert_eq!(black.seen[..3], [1000 * MS, 980 * MS, 960 * MS]);
        assert!(white.seen.iter().all(|&left| left == 1000 * MS));
        assert_eq!(record.ending, Ending::Played);
        assert_eq!(record.game.final_score(Color::Black), Some(record.discs));
        assert_eq!(record.notes.len(), record.game.moves().len());
    }

    #[test]
    fn a_period_begins_again_after_its_moves() {
        let period = |moves, time: u32| Clock::Period {
            moves,
            time: time * MS,
        };
        let mut black = scripted(&[30]);
        let mut white = scripted(&[10]);
        let record = game(rules(period(3, 100)), &mut black, &mut white);
        let seen = [100, 70, 40, 100, 70, 40, 100].map(|left| left * MS);
        assert_eq!(black.seen[..7], seen);
        assert_eq!(white.seen[..4], [100, 90, 80, 100].map(|left| left * MS));
        assert_eq!(record.ending, Ending::Played);
        // The moves of a period are 10 and 50 ms late, then 10, 50 and 50: the margin of 100 ms is that of a period.
        let record = game(
            rules(period(3, 90)),
            &mut scripted(&[50]),
            &mut scripted(&[1]),
        );
        assert_eq!(record.ending, Ending::Played);
        let record = game(
            rules(period(3, 40)),
            &mut scripted(&[50]),
            &mut scripted(&[1]),
        );
        assert!(is_late(&record, Color::Black));
    }

    #[test]
    fn each_side_has_its_own_clock_and_margin() {
        let rules = rules(Clock::per_move(10 * MS));
        let mut black = scripted(&[50]);
        let mut white = scripted(&[50]);
        let short = (clock(500, 0), Duration::ZERO);
        let own = (Clock::per_move(10 * MS), 39 * MS);
        let record = with_terms([&mut black, &mut white], [short, own], &rules);
        // White has 10 ms and 39 more; Black's clock would hold.
        assert!(is_late(&record, Color::White));
        assert_eq!(black.seen, [500 * MS]);
        let mut black = scripted(&[50]);
        let free = (Clock::UNLIMITED, Duration::ZERO);
        assert!(is_late(
            &with_terms([&mut black, &mut white], [short, free], &rules),
            Color::Black
        ));
        // The clock of 500 ms allows ten moves of 50.
        assert_eq!(black.seen.len(), 11);
    }

    #[test]
    fn a_fallen_flag_loses_and_the_margin_forgives() {
        let record = game(
            rules(clock(100, 0)),
            &mut scripted(&[1]),
            &mut scripted(&[60]),
        );
        // The second move is 20 ms late, the third 60 more, the fourth would make it 140.
        assert!(is_late(&record, Color::White));
        assert_eq!(
            (record.discs, record.game.moves().len()),
            (FORFEIT_DISCS, 7)
        );
        for late in [1, 10, 100] {
            for (margin, is_lost) in [(late - 1, true), (late, false), (late + 1, false)] {
                for time in [Clock::per_move(50 * MS), clock(50, 50)] {
                    let rules = Rules {
                        margin: margin * MS,
                        ..rules(time)
                    };
                    // Late once: with a clock for the game each late move uses up some of the margin.
                    let record = game(rules, &mut scripted(&[50 + late, 0]), &mut scripted(&[1]));
                    let lost = is_late(&record, Color::Black);
                    assert_eq!(
                        lost, is_lost,
                        "{late} ms late, a margin of {margin}, {time:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_illegal_move_loses_with_its_reason_and_resigning_is_no_fault() {
        let corner = Move::Place("a1".parse::<Square>().unwrap());
        for (then, word, is_fault) in [
            (Ok(Some(corner)), "illegal", true),
            (Ok(Some(Move::Pass)), "illegal", true),
            (Err(Fault::Chatter), "chatter", true),
            (Ok(None), RESIGNED, false),
        ] {
            let mut black = Scripted {
                from: 4,
                then,
                ..scripted(&[1])
            };
            let record = game(rules(Clock::UNLIMITED), &mut black, &mut scripted(&[1]));
            assert_eq!(
                (record.ending.word(), record.ending.loser()),
                (word, Some(Color::Black))
            );
            assert_eq!(matches!(record.ending, Ending::Forfeit(..)), is_fault);
            assert_eq!(
                (record.discs, record.game.moves().len()),
                (-FORFEIT_DISCS, 4)
            );
            assert_eq!(record.notes.len(), 4);
        }
    }

    #[test]
    fn a_cancelled_game_and_its_faults_are_no_result() {
        let rules = rules(Clock::UNLIMITED);
        // Cancelled at the first look, after the crash of Black's second move, and never.
        for looks in [0, 3, 4] {
            let mut black = Scripted {
                from: 2,
                then: Err(Fault::Crash("killed".into())),
                ..scripted(&[1])
            };
            let mut white = scripted(&[1]);
            let players: [&mut dyn Player; 2] = [&mut black, &mut white];
            let sides = players.map(|player| Side {
                player,
                budget: rules.budget,
                margin: rules.margin,
            });
            let looked = std::cell::Cell::new(0);
            let is_cancelled = || looked.replace(looked.get() + 1) >= looks;
            let outcome = play(
                &Game::default(),
                sides,
                &rules,
                &mut Adjudicator::default(),
                &is_cancelled,
            );
            assert_eq!(outcome.is_none(), looks < 4, "{looks}: {outcome:?}");
        }
    }

    #[test]
    fn adjudication_ends_games_with_the_result_of_best_play() {
        let rules = Rules {
            adjudicate: Some(6),
            ..rules(Clock::UNLIMITED)
        };
        let exact: Spec = "emilia:level=2,solve-from=6".parse().unwrap();
        for seed in 0..3 {
            let record = |rules: &Rules| {
                let [mut black, mut white] =
                    [0, 1].map(|_| exact.start(seed, Duration::ZERO).unwrap());
                let terms = [(rules.budget.time, rules.margin); 2];
                with_terms([&mut *black, &mut *white], terms, rules)
            };
            let short = record(&rules);
            let whole = record(&Rules {
                adjudicate: None,
                ..rules
            });
            if short.ending == Ending::Adjudicated {
                assert!(short.game.position().board.empty_count() <= 6);
                assert_eq!(
                    short.discs, whole.discs,
                    "exact players end where the judge does"
                );
            }
        }
    }
}
