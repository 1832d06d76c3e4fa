//! The state that the GUI sets: game, clocks, depth, contempt.

use std::time::Duration;

use super::memory::Memory;
use crate::board::{Color, Game, Position};
use crate::engine::Level;
use crate::notation::ggf::{self, GgfGame};
use crate::protocols::session::SessionOptions;
use crate::search::{Clock, Handicap, Limits, Task};

/// The reserve of the clock for a busy machine and the way to the GUI.
const RESERVE: Duration = Duration::from_millis(400);
/// The time of a search whose clock has run out.
const LAST_MOMENT: Duration = Duration::from_millis(10);

pub struct NBoard {
    /// The game with its clocks and the time of each move.
    pub game: GgfGame,
    /// The last `set game` was too long to be read: the client's game is another one.
    pub is_refused: bool,
    pub depth: Level,
    /// Positive when a draw is good for Black.
    pub contempt: i32,
    /// The clock of a game without one.
    time: Clock,
    /// The weakness of `go`.
    handicap: Option<Handicap>,
    pub memory: Memory,
}

impl NBoard {
    pub fn new(options: &SessionOptions) -> Self {
        let SessionOptions {
            level,
            time,
            handicap,
            ..
        } = *options;
        let free = if time == Clock::Unlimited {
            Level::default()
        } else {
            Level::MAX
        };
        let depth = level.unwrap_or(free);
        let game = GgfGame::new(Position::START);
        let memory = Memory::default();
        Self {
            game,
            is_refused: false,
            depth,
            contempt: 0,
            time,
            handicap,
            memory,
        }
    }

    pub fn position(&self) -> Position {
        self.game().position()
    }

    pub fn game(&self) -> &Game {
        self.game.game()
    }

    /// The search of `go`, limited by the depth and the mover's clock.
    pub fn go_task(&self) -> Task {
        Task {
            handicap: self.handicap,
            ..self.task(self.depth.limits(self.clock()), 1)
        }
    }

    /// The search of `hint`: the best `count` moves, without a clock.
    pub fn hint_task(&self, count: usize) -> Task {
        let moves = self.position().board.moves().len() as usize;
        self.task(self.analysis_limits(), count.clamp(1, moves.max(1)))
    }

    /// The limits of a search without a clock.
    pub fn analysis_limits(&self) -> Limits {
        self.depth.limits(Clock::Unlimited)
    }

    /// The mover's clock: the start of the game text, minus the elapsed times, plus the increments.
    fn clock(&self) -> Clock {
        let side = self.position().side;
        let clock = match (self.game.clock(side), self.time) {
            (Some(clock), _) => clock,
            (
                None,
                Clock::Game {
                    remaining: main,
                    increment,
                },
            ) => {
                let [main, increment] = [main, increment].map(|time| time.as_secs_f64());
                ggf::Clock {
                    main,
                    increment,
                    overtime: None,
                }
            }
            (None, time) => return time,
        };
        let duration = |seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO);
        let left = duration(self.game.remaining(clock, side));
        let remaining = left.saturating_sub(RESERVE.min(left / 3)).max(LAST_MOMENT);
        Clock::Game {
            remaining,
            increment: duration(clock.increment),
        }
    }

    fn task(&self, limits: Limits, multi_pv: usize) -> Task {
        let position = self.position();
        let for_black = self.contempt.signum() as i8;
        let draw_value = if position.side == Color::Black {
            for_black
        } else {
            -for_black
        };
        Task {
            multi_pv,
            draw_value,
            ..Task::new(position.board, limits)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::moves::parse_move_token;

    const BOARD: &str = "BO[8 ---------------------------O*------*O--------------------------- *]";

    fn state(header: &str, moves: &str) -> NBoard {
        let mut state = NBoard::new(&Default::default());
        state.game =
            GgfGame::parse(&format!("(;GM[Othello]{header}TY[8]{BOARD}{moves};)")).unwrap();
        state
    }

    fn remaining(state: &NBoard) -> Option<(f64, f64)> {
        match state.go_task().limits.clock {
            Clock::Game {
                remaining,
                increment,
            } => Some((remaining.as_secs_f64(), increment.as_secs_f64())),
            _ => None,
        }
    }

    #[test]
    fn only_go_plays_weakly() {
        let handicap = Some(Handicap {
            depth: 6,
            vision: 50,
            judgement: 50,
            seed: 1,
            person: None,
        });
        let state = NBoard::new(&SessionOptions {
            handicap,
            ..Default::default()
        });
        assert_eq!(state.go_task().handicap, handicap);
        assert_eq!(state.hint_task(3).handicap, None);
    }

    #[test]
    fn the_clock_is_the_movers() {
        assert_eq!(remaining(&state("TI[5:00]", "")), Some((299.6, 0.0)));
        assert_eq!(
            remaining(&state("TI[5:00]", "B[F5//100]W[D6//30]")),
            Some((199.6, 0.0))
        );
        assert_eq!(
            remaining(&state("TB[1:00]TW[2:00]", "B[F5//10]")),
            Some((119.6, 0.0))
        );
        assert_eq!(
            remaining(&state("TI[60/5/120]", "B[F5//10]W[D6//1]")),
            Some((54.6, 5.0))
        );
        assert_eq!(
            remaining(&state("TI[3]", "B[F5//2.7]W[D6]")),
            Some((0.2, 0.0))
        );
    }

    #[test]
    fn no_clock_is_no_limit_and_a_spent_one_leaves_a_moment() {
        assert_eq!(remaining(&state("", "")), None);
        assert_eq!(remaining(&state("TI[0]", "B[F5//10]")), None);
        assert_eq!(
            remaining(&state("TI[5]", "B[F5//10]W[D6]")),
            Some((0.01, 0.0))
        );
        assert_eq!(
            state("TI[5]", "").hint_task(1).limits.clock,
            Clock::Unlimited
        );
    }

    #[test]
    fn the_default_clock_is_for_games_without_one() {
        let allowed = |time, moves: &str| {
            let mut state = NBoard::new(&SessionOptions {
                time,
                ..Default::default()
            });
            let text = format!("(;GM[Othello]{moves}TY[8]{BOARD}B[F5//10]W[D6//1];)");
            state.game = GgfGame::parse(&text).unwrap();
            state
        };
        let minute = Duration::from_secs(60);
        let game = |increment| Clock::Game {
            remaining: minute,
            increment,
        };
        assert_eq!(
            remaining(&allowed(game(Duration::ZERO), "")),
            Some((49.6, 0.0))
        );
        assert_eq!(
            remaining(&allowed(game(Duration::from_secs(2)), "")),
            Some((51.6, 2.0))
        );
        assert_eq!(
            remaining(&allowed(game(Duration::ZERO), "TI[5:00]")),
            Some((289.6, 0.0))
        );
        let per_move = allowed(Clock::Move(minute), "").go_task().limits.clock;
        assert_eq!(per_move, Clock::Move(minute));
    }

    #[test]
    fn moves_run_the_clock_too() {
        let mut state = state("TI[1:00]", "");
        state
            .game
            .push(parse_move_token("F5/1.0/12.5").unwrap())
            .unwrap();
        state.game.push(parse_move_token("D6").unwrap()).unwrap();
        assert_eq!(remaining(&state), Some((47.1, 0.0)));
    }

    #[test]
    fn contempt_is_blacks_and_hints_are_legal() {
        let mut state = state("", "");
        state.contempt = 100;
        assert_eq!(state.go_task().draw_value, 1);
        state.game.push(parse_move_token("f5").unwrap()).unwrap();
        assert_eq!(state.go_task().draw_value, -1);
        assert_eq!(state.hint_task(999).multi_pv, 3);
        assert_eq!(state.hint_task(0).multi_pv, 1);
    }
}
