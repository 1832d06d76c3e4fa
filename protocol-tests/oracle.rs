//! The rules and a solver written a second time, for correctness only.
//!
//! They share no line with the program: flips step along discs without tables, and the solver proves or refutes a claim about
//! a score without evaluation, selectivity or threads.

use crate::samples::Rng;

const FILES: [u64; 2] = [0x0101_0101_0101_0101, 0x8080_8080_8080_8080];

/// A position: the discs of the side to move and of the other one; bit 0 is a1, bit 1 is b1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub own: u64,
    pub other: u64,
}

/// The neighbors of a set of squares in one of eight directions.
fn step(set: u64, direction: usize) -> u64 {
    const SHIFTS: [i32; 8] = [1, 9, 8, 7, -1, -9, -8, -7];
    let shift = SHIFTS[direction];
    // A step must not wrap around between the a and h files.
    let kept = match shift {
        1 | 9 | -7 => !FILES[0],
        -1 | -9 | 7 => !FILES[1],
        _ => u64::MAX,
    };
    kept & if shift > 0 {
        set << shift
    } else {
        set >> -shift
    }
}

impl Place {
    pub const START: Self = Self {
        own: 1 << 28 | 1 << 35,
        other: 1 << 27 | 1 << 36,
    };

    pub fn empties(self) -> u32 {
        64 - (self.own | self.other).count_ones()
    }

    /// The flips of a disc on `square`; empty if the move is illegal.
    fn turned(self, square: u32) -> u64 {
        let mut turned = 0;
        for direction in 0..8 {
            let mut run = 0;
            let mut at = step(1 << square, direction);
            while at & self.other != 0 {
                run |= at;
                at = step(at, direction);
            }
            if at & self.own != 0 {
                turned |= run;
            }
        }
        turned
    }

    /// The squares of all legal moves.
    pub fn moves(self) -> u64 {
        let mut moves = 0;
        for direction in 0..8 {
            let mut run = step(self.own, direction) & self.other;
            for _ in 0..5 {
                run |= step(run, direction) & self.other;
            }
            moves |= step(run, direction);
        }
        moves & !(self.own | self.other)
    }

    /// The position after a legal move.
    pub fn play(self, square: u32) -> Self {
        let turned = self.turned(square);
        assert!(
            turned != 0 && (self.own | self.other) >> square & 1 == 0,
            "illegal: {square} in {self:?}"
        );
        Self {
            own: self.other ^ turned,
            other: self.own ^ turned | 1 << square,
        }
    }

    pub fn pass(self) -> Self {
        Self {
            own: self.other,
            other: self.own,
        }
    }

    pub fn is_over(self) -> bool {
        self.moves() == 0 && self.pass().moves() == 0
    }

    /// The result of a finished game for the side to move, the empties counted for the winner.
    pub fn result(self) -> i32 {
        let own = self.own.count_ones() as i32;
        let other = self.other.count_ones() as i32;
        match own - other {
            0 => 0,
            lead if lead > 0 => 64 - 2 * other,
            _ => 2 * own - 64,
        }
    }

    /// After a line such as `["f5", "pa", "d6"]`, each move of which must be legal.
    pub fn after<'a>(self, line: impl IntoIterator<Item = &'a str>) -> Self {
        line.into_iter()
            .fold(self, |place, name| match square(name) {
                Some(square) => place.play(square),
                None => {
                    assert_eq!(place.moves(), 0, "a pass where there are moves: {place:?}");
                    place.pass()
                }
            })
    }

    /// The text for every command: 64 squares and the side to move, which is `X`.
    pub fn text(self) -> String {
        let sign = |i: u32| match (self.own >> i & 1, self.other >> i & 1) {
            (1, _) => 'X',
            (_, 1) => 'O',
            _ => '-',
        };
        (0..64).map(sign).chain(" X".chars()).collect()
    }
}

/// The square of a name such as `f5`; `None` for a pass.
pub fn square(name: &str) -> Option<u32> {
    match *name.to_ascii_lowercase().as_bytes() {
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            Some(u32::from(rank - b'1') * 8 + u32::from(file - b'a'))
        }
        _ => None,
    }
}

/// The name of a square in lower case.
pub fn name(square: u32) -> String {
    format!(
        "{}{}",
        char::from(b'a' + (square % 8) as u8),
        square / 8 + 1
    )
}

pub fn squares(set: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |i| set >> i & 1 == 1)
}

/// An unfinished position of a seeded game: both sides often choose the move that leaves the fewest replies, which is closer
/// to real games than random moves.
pub fn position(seed: u64, empties: u32) -> Place {
    let mut rng = Rng(seed);
    loop {
        let mut place = Place::START;
        while place.empties() > empties && !place.is_over() {
            place = ply(place, &mut rng);
        }
        if place.moves() == 0 {
            place = place.pass();
        }
        if place.moves() != 0 {
            return place;
        }
    }
}

/// The position after a move or a forced pass; the game is not over.
fn ply(place: Place, rng: &mut Rng) -> Place {
    let moves: Vec<u32> = squares(place.moves()).collect();
    match moves.len() {
        0 => place.pass(),
        _ if rng.below(3) > 0 => {
            let freedom = |&square: &u32| place.play(square).moves().count_ones();
            place.play(
                *moves
                    .iter()
                    .min_by_key(|square| freedom(square))
                    .expect("there are moves"),
            )
        }
        count => place.play(moves[rng.below(count)]),
    }
}

/// Proves or refutes scores, with a table of positions.
pub struct Oracle {
    /// By a hash of the position, with the whole position.
    seen: Vec<Option<(Place, Known)>>,
}

/// The mover can reach `reached` discs, and cannot reach `missed`.
#[derive(Clone, Copy)]
struct Known {
    reached: i32,
    missed: i32,
}

impl Oracle {
    const BITS: u32 = 18;
    /// Fewer empties are solved without the table.
    const REMEMBERED: u32 = 5;

    pub fn new() -> Self {
        Self {
            seen: vec![None; 1 << Self::BITS],
        }
    }

    /// Whether best play gives the side to move exactly this lead.
    pub fn is_score(&mut self, place: Place, score: i32) -> bool {
        self.reaches(place, score) && !self.reaches(place, score + 1)
    }

    /// Whether the side to move can win by `goal` or more.
    pub fn reaches(&mut self, place: Place, goal: i32) -> bool {
        let moves = place.moves();
        if moves == 0 {
            let passed = place.pass();
            return if passed.moves() == 0 {
                place.result() >= goal
            } else {
                !self.reaches(passed, 1 - goal)
            };
        }
        if place.empties() < Self::REMEMBERED {
            return squares(moves).any(|square| !self.reaches(place.play(square), 1 - goal));
        }
        let slot = Self::slot(place);
        let mut known = match self.seen[slot] {
            Some((seen, known)) if seen == place => known,
            _ => Known {
                reached: -64,
                missed: 65,
            },
        };
        if goal <= known.reached || goal >= known.missed {
            return goal <= known.reached;
        }
        let mut children: Vec<Place> = squares(moves).map(|square| place.play(square)).collect();
        children.sort_by_key(|child| child.moves().count_ones());
        let reached = children
            .into_iter()
            .any(|child| !self.reaches(child, 1 - goal));
        if reached {
            known.reached = goal
        } else {
            known.missed = goal
        }
        self.seen[slot] = Some((place, known));
        reached
    }

    fn slot(place: Place) -> usize {
        let mixed = place.own.wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ place.other.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        (mixed.wrapping_mul(0xBF58_476D_1CE4_E5B9) >> (64 - Self::BITS)) as usize
    }
}

fn perft(place: Place, depth: u32) -> u64 {
    match (depth, place.moves()) {
        (0, _) => 1,
        (_, 0) if place.pass().moves() == 0 => 1,
        (_, 0) => perft(place.pass(), depth - 1),
        (_, moves) => squares(moves)
            .map(|square| perft(place.play(square), depth - 1))
            .sum(),
    }
}

#[test]
fn perft_counts_are_the_published_ones() {
    for (depth, games) in (1..).zip([4, 12, 56, 244, 1_396, 8_200, 55_092]) {
        assert_eq!(perft(Place::START, depth), games, "{depth} plies");
    }
}

#[test]
fn the_oracle_agrees_with_minimax() {
    fn minimax(place: Place) -> i32 {
        match place.moves() {
            0 if place.is_over() => place.result(),
            0 => -minimax(place.pass()),
            moves => squares(moves)
                .map(|square| -minimax(place.play(square)))
                .max()
                .expect("there are moves"),
        }
    }
    let mut oracle = Oracle::new();
    for seed in 0..60 {
        let place = position(seed, 1 + seed as u32 % 7);
        let score = minimax(place);
        for claim in -64..=64 {
            assert_eq!(
                oracle.is_score(place, claim),
                claim == score,
                "{place:?}: {claim} or {score}"
            );
        }
    }
}
