//! Each kind of sentence against a second, plain count on the board.

mod words;

use super::facts::{EDGES, Fact, Moves, facts};
use super::*;
use crate::board::bitboard::CORNERS;
use crate::board::testing::{game_boards, samples, walk_flip, walk_moves};
use crate::notation::moves::parse_game;

/// Games of people, to their end: of the WTHOR base, 1995.
const GAMES: [&str; 3] = [
    "f5f4e3f6g4g3g6d6g5h5f7f3h4h3d3e6e7d7c3h6c4e8f2c5c8c6g8e1f1g1d2b4d1c1e2c2c7d8f8b7a8b6a6b5b8a7a4a5b3b2g2g7h2a2a3h1a1b1h7h8",
    "f5d6c3d3c4f4c5b3c2e3d2c6b4b5e2e6e7f7b6a6g3f8a5a4c7c8f6c1a2g4d8d1f3e8b1a3a7a1b2a8d7h3h5e1f2h4h2g5g6h7b8b7g7h8g8h6h1f1g2g1",
    "f5d6c3d3c4f4e3f6c6c5d7e7e6c7d8f3e8e2b5c8f7b4b6g8b8a5a3a4a6b2c2b7g4h4g5b1h3g6d2f2g3d1a8h6b3a7f8g7h8h7h5h2h1g2a1a2g1f1e1c1",
];

/// The square with these coordinates, if it is on the board.
fn at(file: i32, rank: i32) -> Option<Square> {
    let is_on = (0..8).contains(&file) && (0..8).contains(&rank);
    is_on.then(|| Square::at(file as u8, rank as u8))
}

fn has(set: u64, square: Option<Square>) -> bool {
    square.is_some_and(|square| set & square.bit() != 0)
}

fn place(square: Square) -> (i32, i32) {
    (square.file().into(), square.rank().into())
}

fn around(square: Square) -> impl Iterator<Item = Square> {
    let (file, rank) = place(square);
    let steps = (-1..=1)
        .flat_map(|f| (-1..=1).map(move |r| (f, r)))
        .filter(|step| *step != (0, 0));
    steps.filter_map(move |(f, r)| at(file + f, rank + r))
}

fn set(squares: impl IntoIterator<Item = Square>) -> u64 {
    squares.into_iter().collect::<SquareSet>().0
}

/// The board after a move, its discs turned by a walk.
fn walked(board: Board, square: Square) -> Board {
    let turned = walk_flip(board, square);
    Board {
        player: board.opponent & !turned,
        opponent: board.player | turned | square.bit(),
    }
}

fn turned_round(board: Board) -> Board {
    Board {
        player: board.opponent,
        opponent: board.player,
    }
}

/// The number of moves after which no corner is open.
fn safe(board: Board) -> u32 {
    let gives = |mv: &Square| walk_moves(walked(board, *mv)) & CORNERS != 0;
    SquareSet(walk_moves(board))
        .iter()
        .filter(|mv| !gives(mv))
        .count() as u32
}

/// Squares that touch, one by one.
fn region_of(start: Square, empty: u64) -> u64 {
    let mut region = start.bit();
    while let Some(next) = SquareSet(empty & !region)
        .iter()
        .find(|&square| around(square).any(|near| region & near.bit() != 0))
    {
        region |= next.bit();
    }
    region
}

/// All rows of four or more of `own` inside the border along which one side is empty.
fn plain_walls(own: u64, empty: u64) -> Vec<u64> {
    let mut found = Vec::new();
    for (along, side) in [
        ((1, 0), (0, 1)),
        ((1, 0), (0, -1)),
        ((0, 1), (1, 0)),
        ((0, 1), (-1, 0)),
    ] {
        let is_part = |file: i32, rank: i32| {
            let is_inner = (1..7).contains(&file) && (1..7).contains(&rank);
            is_inner && has(own, at(file, rank)) && has(empty, at(file + side.0, rank + side.1))
        };
        for square in Square::all() {
            let (file, rank) = place(square);
            let places = (0..8).map(|step| (file + step * along.0, rank + step * along.1));
            let row = places.take_while(|&(file, rank)| is_part(file, rank));
            let row = set(row.filter_map(|(file, rank)| at(file, rank)));
            if row.count_ones() >= 4 && !is_part(file - along.0, rank - along.1) {
                found.push(row);
            }
        }
    }
    found
}

/// All facts, by a plain count on the squares.
fn plain(board: Board, square: Square) -> Vec<Fact> {
    let turned = walk_flip(board, square);
    let after = walked(board, square);
    let own = after.opponent;
    let other = after.player;
    let was_empty = !(board.player | board.opponent);
    let empty = !(own | other);
    let theirs = [walk_moves(turned_round(board)), walk_moves(after)];
    let ours = [walk_moves(board), walk_moves(turned_round(after))];
    let is_corner = CORNERS & square.bit() != 0;
    let mut found = Vec::new();
    let mut note = |is_so: bool, fact: Fact| {
        if is_so {
            found.push(fact)
        }
    };
    let can = |set: u64, square: Square| set & square.bit() != 0;

    note(is_corner, Fact::Corner);
    let corners = |holds: &dyn Fn(Square) -> bool| {
        set(SquareSet(CORNERS).iter().filter(|&corner| holds(corner)))
    };
    for (corners, fact) in [
        (
            corners(&|c| can(theirs[1], c) && !can(theirs[0], c)),
            Fact::Gives as fn(u64) -> Fact,
        ),
        (
            corners(&|c| can(theirs[1], c) && can(theirs[0], c)),
            Fact::Leaves,
        ),
        (
            corners(&|c| !can(theirs[1], c) && can(theirs[0], c) && can(empty, c)),
            Fact::Guards,
        ),
        (
            corners(&|c| can(ours[1], c) && !can(ours[0], c)),
            Fact::Threatens,
        ),
        (corners(&|c| can(ours[0], c) && !is_corner), Fact::Forgoes),
    ] {
        note(corners != 0, fact(corners));
    }
    let (file, rank) = place(square);
    for corner in SquareSet(CORNERS)
        .iter()
        .filter(|&corner| can(empty, corner) && !can(theirs[1], corner))
    {
        let (f, r) = place(corner);
        match ((f - file).abs(), (r - rank).abs()) {
            (1, 1) => note(true, Fact::XSquare(corner)),
            (0, 1) | (1, 0) => note(true, Fact::CSquare(corner)),
            _ => {}
        }
    }

    for edge in EDGES.into_iter().filter(|edge| can(*edge, square)) {
        let row: Vec<Square> = SquareSet(edge).iter().collect();
        let letter = |&square: &Square| match (can(own, square), can(other, square)) {
            (true, _) => 'o',
            (_, true) => 'x',
            _ => '-',
        };
        let letters: String = row.iter().map(letter).collect();
        let beside = set(row
            .iter()
            .copied()
            .filter(|near| around(square).any(|square| square == *near)));
        note(!letters.contains('-'), Fact::Fills(edge));
        note(
            !is_corner && row.iter().all(|&square| can(was_empty, square)),
            Fact::Opens(edge),
        );
        note(
            !is_corner && SquareSet(beside).iter().all(|beside| can(other, beside)),
            Fact::Wedge(beside),
        );
        note(letters == "-oooooo-", Fact::Six(edge));
        let gaps = set(row.iter().copied().filter(|&square| can(empty, square)));
        note(
            ["-ooooo--", "--ooooo-"].contains(&letters.as_str()),
            Fact::Five(edge, gaps),
        );
    }

    let others: Vec<Square> = SquareSet(ours[0])
        .iter()
        .filter(|&other| other != square)
        .collect();
    let count = |moves: u64| moves.count_ones();
    let left = |mv: &Square| count(walk_moves(walked(board, *mv)));
    let n = count(theirs[1]);
    let their_safe = safe(after);
    note(others.is_empty(), Fact::Only);
    note(n == 0 && ours[1] != 0, Fact::Passes);
    note(n == 0 && ours[1] == 0, Fact::Ends);
    let our_safe = safe(turned_round(after));
    note(
        n > 0,
        Fact::Moves(Moves {
            theirs: n,
            their_safe,
            ours: count(ours[1]),
            our_safe,
        }),
    );
    note(
        n > 0 && their_safe == 0 && ours[1] & CORNERS == 0,
        Fact::NoSafeMove(n),
    );
    let is_rest = n > 0 && !others.is_empty();
    note(
        is_rest && others.iter().all(|mv| left(mv) > n),
        Fact::Fewest(n),
    );
    note(
        is_rest && others.iter().all(|mv| left(mv) < n),
        Fact::Most(n),
    );

    let region = region_of(square, was_empty);
    match count(region) {
        1 => note(true, Fact::LastSquare),
        3 | 5 | 7 => note(true, Fact::Odd(region)),
        2 | 4 | 6 | 8 => note(true, Fact::Even(region)),
        _ => {}
    }
    let mut regions: Vec<u64> = SquareSet(empty)
        .iter()
        .map(|square| region_of(square, empty))
        .collect();
    regions.sort_unstable();
    regions.dedup();
    for region in regions
        .into_iter()
        .filter(|region| region.count_ones() <= 8)
    {
        let is_own = theirs[0] & region != 0 && theirs[1] & region == 0 && ours[1] & region != 0;
        note(is_own, Fact::OwnRegion(region));
    }

    let stable = |board: Board| board.stable_discs() & !(CORNERS & square.bit());
    let stable = stable(turned_round(after)) & !stable(board);
    note(stable != 0, Fact::Stable(stable));
    let before = plain_walls(board.player, was_empty);
    let mut walls = plain_walls(own, empty);
    walls.retain(|wall| !before.contains(wall));
    // Among the longest, the one with the first square.
    if let Some(wall) = walls
        .into_iter()
        .max_by_key(|wall| (count(*wall), wall.reverse_bits()))
    {
        note(true, Fact::Wall(wall));
    }
    let is_covered = |disc: Square| around(disc).all(|near| !can(empty, near));
    note(
        count(empty) >= 12 && SquareSet(turned).iter().all(is_covered),
        Fact::Quiet(turned),
    );
    let flips = |mv: &Square| count(walk_flip(board, *mv));
    let most = !others.is_empty() && others.iter().all(|mv| flips(mv) < count(turned));
    note(count(turned) >= 5 && most, Fact::TurnsMost(count(turned)));
    note(
        count(turned) == 1 && others.iter().any(|mv| flips(mv) > 1),
        Fact::TurnsOne,
    );
    found
}

/// Positions of random games, and of games of people.
fn boards() -> impl Iterator<Item = Board> {
    let people = GAMES.map(|moves| {
        parse_game(Position::START, moves)
            .unwrap()
            .positions()
            .to_vec()
    });
    people
        .into_iter()
        .flatten()
        .map(|position| position.board)
        .chain(game_boards(41, samples(3) as usize))
}

fn sorted(facts: Vec<Fact>) -> Vec<String> {
    let mut words: Vec<String> = facts.iter().map(|fact| format!("{fact:?}")).collect();
    words.sort();
    words
}

#[test]
fn facts_are_those_of_a_plain_count() {
    let mut seen = [0u32; WORTH.len()];
    for board in boards().step_by(2) {
        for square in board.moves() {
            let found = facts(board, square);
            found
                .iter()
                .filter_map(|fact| row(*fact))
                .for_each(|row| seen[row] += 1);
            assert_eq!(
                sorted(found),
                sorted(plain(board, square)),
                "{square}\n{board}"
            );
        }
    }
    let unseen: Vec<_> = WORTH
        .iter()
        .zip(seen)
        .filter(|(_, count)| *count == 0)
        .collect();
    assert!(unseen.is_empty(), "{unseen:?}");
}

#[test]
fn a_wedge_is_not_turned_by_the_next_move() {
    let moves = boards().flat_map(|board| board.moves().iter().map(move |square| (board, square)));
    let is_wedge = |fact: &Fact| matches!(fact, Fact::Wedge(_));
    let wedges = moves.filter(|&(board, square)| facts(board, square).iter().any(is_wedge));
    let turned = wedges.map(|(board, square)| {
        let after = walked(board, square);
        let turns = |reply: Square| walk_flip(after, reply) & square.bit() != 0;
        assert!(
            !SquareSet(walk_moves(after)).iter().any(turns),
            "{square}\n{board}"
        );
    });
    assert!(turned.count() > 20);
}
