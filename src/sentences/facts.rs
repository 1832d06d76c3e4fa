//! Facts about a move that follow from the rules.

use crate::board::bitboard::{
    BORDER, C_SQUARES, CORNERS, FILE_A, FILE_H, X_SQUARES, east, flood, neighbors, north, regions,
    south, west,
};
use crate::board::{Board, Square, SquareSet};

/// The largest region that players count.
const COUNTED: u32 = 8;
/// The least length of a wall.
const WALL: u32 = 4;
/// The least number of turned discs that is worth a word.
const MANY: u32 = 5;
/// The least number of empties for a quiet move: later every move touches few empty squares.
const QUIET_FROM: u32 = 12;

pub const EDGES: [u64; 4] = [0xFF, 0xFF << 56, FILE_A, FILE_H];

/// Moves of both sides after a move, and the safe ones among them.
///
/// A move is safe if the other side cannot take a corner right after it.
/// The moves of the side that has just moved count as if it were to move again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    /// The moves of the side to move now.
    pub theirs: u32,
    pub their_safe: u32,
    /// The moves of the side that moved.
    pub ours: u32,
    pub our_safe: u32,
}

/// A fact about a move. Sets hold at least one square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Fact {
    Only,
    Corner,
    /// The other side can take these corners now but not before.
    Gives(u64),
    /// The other side could take these corners before and still can.
    Leaves(u64),
    /// The other side could take these empty corners before but not now.
    Guards(u64),
    /// The mover could take these corners with a second move but not before.
    Threatens(u64),
    /// The mover could have taken these corners instead.
    Forgoes(u64),
    /// It is diagonally next to this empty corner, which the other side cannot take at once.
    XSquare(Square),
    /// It is on the edge next to this empty corner, which the other side cannot take at once.
    CSquare(Square),
    /// It is between two discs of the other side on an edge.
    Wedge(u64),
    /// It is the first disc on this edge, not in a corner.
    Opens(u64),
    /// The mover now has six discs on this edge, between two empty corners.
    Six(u64),
    /// The mover now has five discs in a row on this edge; the set is its other squares, all empty.
    Five(u64, u64),
    /// This edge has no empty square left.
    Fills(u64),
    /// The other side must pass.
    Passes,
    /// Neither side has a move: the game is over.
    Ends,
    /// Each move of the other side opens a first corner to the mover.
    NoSafeMove(u32),
    /// Every other legal move leaves the other side more moves.
    Fewest(u32),
    /// Every other legal move leaves the other side fewer moves.
    Most(u32),
    /// The moves of both sides after it.
    Moves(Moves),
    /// These discs of the mover are newly stable; a corner just taken is excluded.
    Stable(u64),
    /// It fills a region of one square.
    LastSquare,
    /// It is the first of an odd number of squares of a region.
    Odd(u64),
    /// It is the first of an even number of squares of a region.
    Even(u64),
    /// The other side has lost its moves in this region; the mover has moves there if it could move again.
    OwnRegion(u64),
    /// These discs of the mover are a new wall along empty squares.
    Wall(u64),
    /// It turns these discs, and they touch no empty square now.
    Quiet(u64),
    /// It turns this number of discs, more than any other legal move.
    TurnsMost(u32),
    /// It turns a single disc; another legal move turns more.
    TurnsOne,
}

/// The board before and after a move.
struct Made {
    before: Board,
    square: Square,
    turned: u64,
    /// The other side is to move.
    after: Board,
    /// Discs of the mover after the move.
    own: u64,
    other: u64,
}

/// All facts about the legal move on `square`.
pub fn facts(before: Board, square: Square) -> Vec<Fact> {
    let turned = before.flip(square);
    debug_assert!(before.empties() & square.bit() != 0 && turned != 0);
    let after = before.after(square, turned);
    let made = Made {
        before,
        square,
        turned,
        after,
        own: after.opponent,
        other: after.player,
    };
    let mut found = Vec::new();
    made.corners(&mut found);
    made.edges(&mut found);
    made.moves(&mut found);
    made.regions(&mut found);
    made.discs(&mut found);
    found
}

/// The region that the empty `square` is in, if it has more than one square and players count it.
pub fn region_of(board: Board, square: Square) -> Option<u64> {
    Some(flood(square.bit(), board.empties()))
        .filter(|region| (2..=COUNTED).contains(&region.count_ones()))
}

/// The moves of the side to move after which the other side can take no corner.
fn safe_moves(board: Board) -> u32 {
    let gives = |square: Square| board.after(square, board.flip(square)).moves().0 & CORNERS;
    board
        .moves()
        .iter()
        .filter(|&square| gives(square) == 0)
        .count() as u32
}

impl Made {
    fn corners(&self, found: &mut Vec<Fact>) {
        let theirs =
            [self.before.opponent_moves(), self.after.moves()].map(|moves| moves.0 & CORNERS);
        let ours =
            [self.before.moves(), self.after.opponent_moves()].map(|moves| moves.0 & CORNERS);
        let empty = self.after.empties();
        let bit = self.square.bit();
        if bit & CORNERS != 0 {
            found.push(Fact::Corner);
        }
        let mut add = |set: u64, fact: fn(u64) -> Fact| {
            if set != 0 {
                found.push(fact(set));
            }
        };
        add(theirs[1] & !theirs[0], Fact::Gives);
        add(theirs[1] & theirs[0], Fact::Leaves);
        add(theirs[0] & !theirs[1] & empty, Fact::Guards);
        add(ours[1] & !ours[0], Fact::Threatens);
        if bit & CORNERS == 0 {
            add(ours[0], Fact::Forgoes);
        }
        // A corner that the other side can take at once is already `Gives`.
        let corner = neighbors(bit) & CORNERS & empty & !theirs[1];
        if let Some(corner) = SquareSet(corner).first() {
            if bit & X_SQUARES != 0 {
                found.push(Fact::XSquare(corner));
            } else if bit & C_SQUARES != 0 {
                found.push(Fact::CSquare(corner));
            }
        }
    }

    fn edges(&self, found: &mut Vec<Fact>) {
        let bit = self.square.bit();
        let empty = self.after.empties();
        if bit & BORDER == 0 {
            return;
        }
        for line in EDGES.into_iter().filter(|line| line & bit != 0) {
            let inner = line & !CORNERS;
            if empty & line == 0 {
                found.push(Fact::Fills(line));
            }
            // A corner belongs to two edges and is a fact by itself.
            if bit & CORNERS != 0 {
                continue;
            }
            if !self.before.empties() & line == 0 {
                found.push(Fact::Opens(line));
            }
            let beside = neighbors(bit) & line;
            if beside & self.other == beside {
                found.push(Fact::Wedge(beside));
            }
            let own = self.own & line;
            if own == inner && empty & line == line & CORNERS {
                found.push(Fact::Six(line));
            }
            // Five of the six: the gap is at an end.
            let missing = inner & !own;
            let is_end = missing.count_ones() == 1 && missing & C_SQUARES != 0;
            if is_end && empty & line == line & CORNERS | missing {
                found.push(Fact::Five(line, empty & line));
            }
        }
    }

    fn moves(&self, found: &mut Vec<Fact>) {
        let theirs = self.after.moves().len();
        let again = self.after.pass();
        let others = SquareSet(self.before.moves().0 & !self.square.bit()).iter();
        let others: Vec<Board> = others
            .map(|square| self.before.after(square, self.before.flip(square)))
            .collect();
        if others.is_empty() {
            found.push(Fact::Only);
        }
        if theirs == 0 {
            found.push(if again.moves().is_empty() {
                Fact::Ends
            } else {
                Fact::Passes
            });
            return;
        }
        let their_safe = safe_moves(self.after);
        let ours = again.moves().len();
        let our_safe = safe_moves(again);
        found.push(Fact::Moves(Moves {
            theirs,
            their_safe,
            ours,
            our_safe,
        }));
        if their_safe == 0 && again.moves().0 & CORNERS == 0 {
            found.push(Fact::NoSafeMove(theirs));
        }
        let counts = || others.iter().map(|board| board.moves().len());
        if counts().min().is_some_and(|least| theirs < least) {
            found.push(Fact::Fewest(theirs));
        }
        if counts().max().is_some_and(|most| theirs > most) {
            found.push(Fact::Most(theirs));
        }
    }

    fn regions(&self, found: &mut Vec<Fact>) {
        let bit = self.square.bit();
        match region_of(self.before, self.square) {
            Some(region) if region.count_ones() % 2 == 1 => found.push(Fact::Odd(region)),
            Some(region) => found.push(Fact::Even(region)),
            None if neighbors(bit) & self.before.empties() == 0 => found.push(Fact::LastSquare),
            None => {}
        }
        let theirs = self.after.moves().0;
        let ours = self.after.opponent_moves().0;
        for region in regions(self.after.empties()) {
            let had = self.before.opponent_moves().0 & region != 0;
            if had && theirs & region == 0 && ours & region != 0 && region.count_ones() <= COUNTED {
                found.push(Fact::OwnRegion(region));
            }
        }
    }

    fn discs(&self, found: &mut Vec<Fact>) {
        let corner = self.square.bit() & CORNERS;
        let stable = self.after.pass().stable_discs() & !self.before.stable_discs() & !corner;
        if stable != 0 {
            found.push(Fact::Stable(stable));
        }
        let empty = self.after.empties();
        let before = walls(self.before.player, self.before.empties());
        let wall = walls(self.own, empty)
            .into_iter()
            .filter(|wall| !before.contains(wall));
        // The longest says most.
        if let Some(wall) = wall.max_by_key(|wall| (wall.count_ones(), wall.reverse_bits())) {
            found.push(Fact::Wall(wall));
        }
        if self.turned & neighbors(empty) == 0 && empty.count_ones() >= QUIET_FROM {
            found.push(Fact::Quiet(self.turned));
        }
        let count = self.turned.count_ones();
        let others = SquareSet(self.before.moves().0 & !self.square.bit()).iter();
        let most = others
            .map(|square| self.before.flip(square).count_ones())
            .max();
        if count >= MANY && most.is_some_and(|most| count > most) {
            found.push(Fact::TurnsMost(count));
        }
        if count == 1 && most.is_some_and(|most| most > 1) {
            found.push(Fact::TurnsOne);
        }
    }
}

/// Moves a set by one square.
type Step = fn(u64) -> u64;

/// Rows of at least [`WALL`] adjacent discs off the border, with only empty squares along one side.
fn walls(own: u64, empty: u64) -> Vec<u64> {
    let inner = own & !BORDER;
    let along: [(Step, u64); 4] = [
        (east, inner & south(empty)),
        (east, inner & north(empty)),
        (north, inner & west(empty)),
        (north, inner & east(empty)),
    ];
    let mut found = Vec::new();
    for (step, facing) in along {
        let mut starts = facing & !step(facing);
        while starts != 0 {
            let mut row = Square::lowest(starts).bit();
            starts &= starts - 1;
            while step(row) & facing & !row != 0 {
                row |= step(row) & facing;
            }
            if row.count_ones() >= WALL {
                found.push(row);
            }
        }
    }
    found
}

/// Kinds of facts that players strive for, and kinds that they are wary of.
const MERITS: &str = "guards threatens wedge six fills no-safe-move fewest stable last-square odd own-region quiet turns-one";
const FAULTS: &str = "gives leaves forgoes x-square c-square opens five most even wall turns-most";

impl Fact {
    /// The name of its kind, as the texts and the table of worths have it.
    pub fn kind(self) -> &'static str {
        self.into()
    }

    pub fn is_merit(self) -> bool {
        MERITS.split(' ').any(|kind| kind == self.kind())
    }

    pub fn is_fault(self) -> bool {
        FAULTS.split(' ').any(|kind| kind == self.kind())
    }
}
