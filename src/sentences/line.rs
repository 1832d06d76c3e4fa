//! The consequences of expected lines, each checked by the rules.

use super::texts::{Language, Value, name};
use crate::board::bitboard::CORNERS;
use crate::board::stability::stable_discs;
use crate::board::{Color, Move, Position, Square};

/// The most moves of a line in a sentence.
const SHOWN: usize = 9;
/// The least difference between two lines that is a consequence: in moves of both sides, and in stable discs.
const FEWER: i32 = 4;

/// The result of a search for a move that was played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found<'a> {
    /// The expected line from the best move on.
    pub best_line: &'a [Move],
    /// The expected line from the move played on.
    pub played_line: &'a [Move],
    /// Discs that the move is worse than the best, if known.
    pub loss: Option<f64>,
    pub is_exact: bool,
}

impl Found<'_> {
    pub fn best(&self) -> Option<Square> {
        self.best_line.first()?.square()
    }

    pub fn reply(&self) -> Option<Square> {
        self.played_line.get(1)?.square()
    }
}

/// A line with its positions, up to the first illegal move; the last one has no move.
struct Walk<'a> {
    moves: &'a [Move],
    positions: Vec<Position>,
}

impl<'a> Walk<'a> {
    fn of(start: &Position, line: &'a [Move]) -> Self {
        let mut positions = vec![*start];
        positions.extend(line.iter().scan(*start, |position, mv| {
            *position = position.play(*mv).ok()?;
            Some(*position)
        }));
        Self {
            moves: &line[..positions.len() - 1],
            positions,
        }
    }

    /// The position after this number of moves, seen from `side`.
    fn after(&self, plies: usize, side: Color) -> [u64; 2] {
        [side, side.other()].map(|side| self.positions[plies].discs(side))
    }
}

/// A consequence of a line, after a number of its moves.
struct Consequence {
    plies: usize,
    key: &'static str,
    values: Vec<(&'static str, Value)>,
}

/// The two lines of a mistake, the one that is explained first.
struct Lines<'a> {
    language: Language,
    /// The side that chose between the lines.
    own: Color,
    line: Walk<'a>,
    other: Walk<'a>,
}

/// A consequence of the line of the mistake that the better line avoids; `open` are corners that the text has already named.
pub fn consequence(
    language: Language,
    position: &Position,
    found: &Found<'_>,
    open: u64,
) -> Option<String> {
    let [line, other] = [found.played_line, found.best_line].map(|line| Walk::of(position, line));
    let lines = Lines {
        language,
        own: position.side,
        line,
        other,
    };
    let other = lines.own.other();
    let consequence = lines
        .wiped_out()
        .or_else(|| lines.corner(other, open))
        .or_else(|| lines.passes(lines.own))
        .or_else(|| lines.plays_last())
        .or_else(|| lines.fewer_moves())
        .or_else(|| lines.fewer_stable());
    Some(lines.sentence(consequence?))
}

/// A consequence of the better line that the line of the mistake lacks.
pub fn gain(language: Language, position: &Position, found: &Found<'_>) -> Option<String> {
    let [line, other] = [found.best_line, found.played_line].map(|line| Walk::of(position, line));
    let lines = Lines {
        language,
        own: position.side,
        line,
        other,
    };
    let gain = lines
        .corner(lines.own, 0)
        .or_else(|| lines.passes(lines.own.other()));
    Some(lines.sentence(gain?))
}

impl Lines<'_> {
    /// `After c6 a3, …`: the line begins behind the move that the text is about.
    fn sentence(
        &self,
        Consequence {
            plies,
            key,
            mut values,
        }: Consequence,
    ) -> String {
        let line: Vec<String> = self.line.moves[1..plies]
            .iter()
            .map(|&mv| self.language.mv(mv))
            .collect();
        values.push(("line", line.join(" ").into()));
        values.push(("own", name(self.language, self.own).into()));
        values.push(("other", name(self.language, self.own.other()).into()));
        self.language.fill(key, &values)
    }

    /// The moves that both lines have, as far as a sentence shows them.
    fn shared(&self) -> usize {
        self.line.moves.len().min(self.other.moves.len()).min(SHOWN)
    }

    fn side(&self, side: Color) -> (&'static str, Value) {
        ("side", name(self.language, side).into())
    }

    fn wiped_out(&self) -> Option<Consequence> {
        let plies = self
            .line
            .positions
            .iter()
            .position(|position| position.discs(self.own) == 0)?;
        (plies > 1).then(|| Consequence {
            plies,
            key: "after-wiped",
            values: Vec::new(),
        })
    }

    /// A corner that `side` takes in this line only, where it gains by corners.
    fn corner(&self, side: Color, named: u64) -> Option<Consequence> {
        let shared = self.shared();
        let lead = |walk: &Walk<'_>| {
            let [own, other] = walk
                .after(shared, side)
                .map(|discs| (discs & CORNERS).count_ones());
            own as i32 - other as i32
        };
        if lead(&self.line) <= lead(&self.other) {
            return None;
        }
        let known = self.other.after(shared, side)[0] | named;
        let taken = |ply: usize| -> Option<(usize, Square)> {
            let square = self.line.moves[ply].square()?;
            let is_new = square.bit() & CORNERS & !known != 0;
            (is_new && self.line.positions[ply].side == side).then_some((ply, square))
        };
        let (ply, square) = (1..shared).find_map(taken)?;
        let values = vec![self.side(side), ("sq", square.into())];
        Some(Consequence {
            plies: ply + 1,
            key: "after-corner",
            values,
        })
    }

    /// A pass of `side`, which has fewer passes in the other line.
    fn passes(&self, side: Color) -> Option<Consequence> {
        let shared = self.shared();
        let passes = |walk: &Walk<'_>| {
            let moves = walk.moves[..shared].iter().zip(&walk.positions);
            moves
                .filter(|(mv, position)| **mv == Move::Pass && position.side == side)
                .count()
        };
        let is_pass = |ply: &usize| {
            self.line.moves[*ply] == Move::Pass && self.line.positions[*ply].side == side
        };
        let plies = (2..shared)
            .find(is_pass)
            .filter(|_| passes(&self.line) > passes(&self.other))?;
        Some(Consequence {
            plies,
            key: "after-pass",
            values: vec![self.side(side)],
        })
    }

    /// The other side has the last move of the game here, and not in the other line.
    fn plays_last(&self) -> Option<Consequence> {
        let last = |walk: &Walk<'_>| {
            let end = walk
                .positions
                .last()
                .filter(|position| position.is_over())?;
            Some(end.side.other())
        };
        let own = self.own;
        let plies = self.line.moves.len();
        let is_lost = last(&self.line) == Some(own.other()) && last(&self.other) == Some(own);
        (is_lost && plies > 1 && plies <= SHOWN).then(|| Consequence {
            plies,
            key: "after-last",
            values: Vec::new(),
        })
    }

    /// Fewer moves than the other side, and less so in the other line: where this is clearest.
    fn fewer_moves(&self) -> Option<Consequence> {
        let counts = |walk: &Walk<'_>, plies: usize| {
            let position = walk.positions[plies];
            let is_own = position.side == self.own && !position.is_over();
            let counts = [position.board.moves(), position.board.opponent_moves()];
            is_own.then(|| counts.map(|moves| moves.len() as i32))
        };
        let compared = |plies: usize| {
            let here = counts(&self.line, plies)?;
            let there = counts(&self.other, plies)?;
            let fewer = there[0] - there[1] - here[0] + here[1];
            (here[0] + 2 <= here[1] && fewer >= FEWER).then_some((
                fewer,
                std::cmp::Reverse(plies),
                here,
            ))
        };
        let (_, plies, [own, other]) = (2..=self.shared()).filter_map(compared).max()?;
        let values = vec![("n", (own as u32).into()), ("m", (other as u32).into())];
        Some(Consequence {
            plies: plies.0,
            key: "after-moves",
            values,
        })
    }

    /// Fewer stable discs than the other side, and less so in the other line.
    fn fewer_stable(&self) -> Option<Consequence> {
        let plies = self.shared();
        let counts = |walk: &Walk<'_>| {
            let [own, other] = walk.after(plies, self.own);
            [stable_discs(own, other), stable_discs(other, own)]
                .map(|discs| discs.count_ones() as i32)
        };
        let here = counts(&self.line);
        let there = counts(&self.other);
        let is_fewer = here[0] < here[1] && there[0] - there[1] - here[0] + here[1] >= FEWER;
        let values = vec![
            ("n", (here[1] as u32).into()),
            ("m", (here[0] as u32).into()),
        ];
        (plies > 1 && is_fewer).then_some(Consequence {
            plies,
            key: "after-stable",
            values,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::moves::parse_game;

    fn told(game: &str, played: &str, best: &str) -> Option<String> {
        let position = parse_game(Position::START, game).unwrap().position();
        let [played_line, best_line] = [played, best].map(|line| {
            line.split(' ')
                .map(|mv| Move::Place(mv.parse().unwrap()))
                .collect::<Vec<_>>()
        });
        let found = Found {
            played_line: &played_line,
            best_line: &best_line,
            ..Found::default()
        };
        consequence(Language::En, &position, &found, 0)
    }

    #[test]
    fn a_line_leads_to_a_wipe_out_or_a_corner() {
        let wiped = told("e6", "f4 e3 f6 g5 d6 e7 f5 c5", "f6 f5");
        assert_eq!(
            wiped.as_deref(),
            Some("After e3 f6 g5 d6 e7 f5 c5, White has no disc left.")
        );
        let corner = told("d3c3b3f4f6c4b5", "b2 a1", "d2 e3");
        assert_eq!(
            corner.as_deref(),
            Some("After a1, Black has the corner a1.")
        );
        assert_eq!(told("d3c3b3f4f6c4b5", "d2 e3", "b2 a1"), None);
        assert_eq!(
            told("d3c3b3f4f6c4b5", "b2 b2", "d2 e3"),
            None,
            "an illegal move ends the line"
        );
    }
}
