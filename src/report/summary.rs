//! Sums over moves: the losses of a player by phase, and their kinds.

use super::game::{GameReport, JudgedTurn};
use crate::analysis::Grade;
use crate::board::bitboard::{BORDER, C_SQUARES, CORNERS, X_SQUARES};
use crate::board::{Board, Color, Move, Square};

/// Parts of a game by empty squares: the first 20 moves, the next 20, the last 20.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// More than 40 empties.
    Opening,
    /// 21 to 40.
    Midgame,
    /// Up to 20.
    Endgame,
}

impl Phase {
    pub const ALL: [Self; 3] = [Self::Opening, Self::Midgame, Self::Endgame];

    fn of(board: Board) -> Self {
        match board.empty_count() {
            41.. => Self::Opening,
            21..=40 => Self::Midgame,
            _ => Self::Endgame,
        }
    }

    /// The name and the moves of the phase.
    pub fn name(self) -> &'static str {
        [
            "Opening (moves 1\u{2013}20)",
            "Midgame (21\u{2013}40)",
            "Endgame (41\u{2013}60)",
        ][self as usize]
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    /// Moves with a known loss.
    pub moves: u32,
    pub lost: f64,
    /// Moves by grade: good, slip, mistake, blunder.
    pub grades: [u32; 4],
}

impl Sum {
    /// Discs lost per move, if there was any.
    pub fn mean(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.lost / f64::from(self.moves))
    }

    pub fn count(&self, grade: Grade) -> u32 {
        self.grades[grade as usize]
    }
}

/// The losses of one side, or of one player in many games.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Accuracy {
    /// By [`Phase`], in playing order.
    phases: [Sum; 3],
}

impl Accuracy {
    /// The losses of sides of games.
    pub fn of<'a>(sides: impl IntoIterator<Item = (&'a GameReport, Color)>) -> Self {
        let mut accuracy = Self::default();
        for (report, color) in sides {
            let turns = report
                .turns
                .iter()
                .filter(|turn| turn.position.side == color && turn.is_choice());
            for (turn, loss) in turns.filter_map(|turn| Some((turn, turn.loss?))) {
                let sum = &mut accuracy.phases[Phase::of(turn.position.board) as usize];
                sum.moves += 1;
                sum.lost += loss;
                sum.grades[Grade::of(loss) as usize] += 1;
            }
        }
        accuracy
    }

    pub fn total(&self) -> Sum {
        let all = self.phases.iter();
        Sum {
            moves: all.clone().map(|sum| sum.moves).sum(),
            lost: all.clone().map(|sum| sum.lost).sum(),
            grades: std::array::from_fn(|grade| all.clone().map(|sum| sum.grades[grade]).sum()),
        }
    }

    pub fn phase(&self, phase: Phase) -> &Sum {
        &self.phases[phase as usize]
    }
}

/// The kind of a move that lost discs; the first that fits, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// The best move was a corner, the one played was not.
    CornerMissed,
    /// After it the other side can take a corner that it could not take before.
    CornerGiven,
    /// Diagonally next to a corner.
    XSquare,
    /// Next to a corner on the edge.
    CSquare,
    Corner,
    Edge,
    Inside,
}

impl Slip {
    pub const ALL: [Self; 7] = [
        Self::CornerMissed,
        Self::CornerGiven,
        Self::XSquare,
        Self::CSquare,
        Self::Corner,
        Self::Edge,
        Self::Inside,
    ];

    /// The kind of a move, with or without a loss; `None` for a pass or an end.
    pub fn of(turn: &JudgedTurn) -> Option<Self> {
        let Some(Move::Place(square)) = turn.played else {
            return None;
        };
        let board = turn.position.board;
        let best = turn.line().first();
        let is_corner = |square: Square| square.bit() & CORNERS != 0;
        let opened = board
            .play(square)
            .map_or(0, |next| next.moves().0 & !board.opponent_moves().0);
        Some(match square.bit() {
            _ if matches!(best, Some(&Move::Place(best)) if is_corner(best))
                && !is_corner(square) =>
            {
                Self::CornerMissed
            }
            _ if opened & CORNERS != 0 => Self::CornerGiven,
            bit if bit & X_SQUARES != 0 => Self::XSquare,
            bit if bit & C_SQUARES != 0 => Self::CSquare,
            bit if bit & CORNERS != 0 => Self::Corner,
            bit if bit & BORDER != 0 => Self::Edge,
            _ => Self::Inside,
        })
    }

    pub fn name(self) -> &'static str {
        let names = [
            "A corner not taken",
            "A corner given away",
            "An X-square",
            "A C-square",
            "A corner taken",
            "Another edge square",
            "A square inside",
        ];
        names[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::super::game::tests::report;
    use super::*;
    use crate::analysis::testing::judged;
    use crate::board::Position;

    #[test]
    fn sums_are_kept_by_side_and_phase() {
        let report = report("f5d6c3d3c4", &[0.0, 3.0, 12.0, 5.0, 1.0]);
        let [black, white] =
            [Color::Black, Color::White].map(|color| Accuracy::of([(&report, color)]));
        assert_eq!((black.total().moves, white.total().moves), (3, 2));
        assert_eq!(black.phase(Phase::Opening).lost, 13.0);
        assert_eq!(white.total().mean(), Some(4.0));
        assert_eq!(black.total().count(Grade::Blunder), 1);
        assert_eq!(black.phase(Phase::Endgame).mean(), None);
        let both = Accuracy::of([(&report, Color::Black), (&report, Color::White)]);
        assert_eq!(both.total().grades, [2, 1, 1, 1]);
    }

    #[test]
    fn moves_have_their_kinds() {
        let place = |name: &str| Move::Place(name.parse().unwrap());
        let kind = |moves: &str, played: &str, best: &str| {
            let game = crate::notation::moves::parse_game(Position::START, moves).unwrap();
            let position = game.position();
            let played = Some(place(played));
            let verdict = Some(judged(position, 0.0, Some(place(best))));
            Slip::of(&JudgedTurn {
                position,
                played,
                verdict,
                loss: Some(4.0),
                why: String::new(),
                trap: None,
            })
        };
        assert_eq!(kind("f5", "d6", "f6"), Some(Slip::Inside));
        assert_eq!(kind("d3c3b3", "b2", "c4"), Some(Slip::XSquare));
        // Now White on b2 opens a1, and Black may take it or not.
        assert_eq!(kind("d3c3b3f4f6c4b5", "b2", "d2"), Some(Slip::CornerGiven));
        assert_eq!(kind("d3c3b3f4f6c4b5b2", "a1", "a1"), Some(Slip::Corner));
        assert_eq!(
            kind("d3c3b3f4f6c4b5b2", "e3", "a1"),
            Some(Slip::CornerMissed)
        );
    }
}
