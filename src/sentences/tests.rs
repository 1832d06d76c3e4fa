//! Each kind of sentence against a second, plain count on the board.

use super::facts::{EDGES, Fact, Moves, facts};
use super::*;
use crate::board::testing::{game_boards, nth, samples, walk_flip, walk_moves};
use crate::notation::moves::parse_game;
use crate::util::rng::Rng;

/// Games of people, to their end: of the WTHOR base, 1995.
const GAMES: [&str; 3] = [
    "f5f4e3f6g4g3g6d6g5h5f7f3h4h3d3e6e7d7c3h6c4e8f2c5c8c6g8e1f1g1d2b4d1c1e2c2c7d8f8b7a8b6a6b5b8a7a4a5b3b2g2g7h2a2a3h1a1b1h7h8",
    "f5d6c3d3c4f4c5b3c2e3d2c6b4b5e2e6e7f7b6a6g3f8a5a4c7c8f6c1a2g4d8d1f3e8b1a3a7a1b2a8d7h3h5e1f2h4h2g5g6h7b8b7g7h8g8h6h1f1g2g1",
    "f5d6c3d3c4f4e3f6c6c5d7e7e6c7d8f3e8e2b5c8f7b4b6g8b8a5a3a4a6b2c2b7g4h4g5b1h3g6d2f2g3d1a8h6b3a7f8g7h8h7h5h2h1g2a1a2g1f1e1c1",
];

/// Squares by coordinates; none beyond the board.
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

/// The squares around one.
fn around(square: Square) -> Vec<Square> {
    let (file, rank) = place(square);
    let steps = (-1..=1).flat_map(|f| (-1..=1).map(move |r| (f, r))).filter(|step| *step != (0, 0));
    steps.filter_map(|(f, r)| at(file + f, rank + r)).collect()
}

fn set(squares: impl IntoIterator<Item = Square>) -> u64 {
    squares.into_iter().fold(0, |set, square| set | square.bit())
}

fn corners() -> u64 {
    set(["a1", "h1", "a8", "h8"].map(|name| name.parse().unwrap()))
}

/// The square played on with its discs turned, by a walk.
fn walked(board: Board, square: Square) -> Board {
    let turned = walk_flip(board, square);
    Board { player: board.opponent & !turned, opponent: board.player | turned | square.bit() }
}

fn turned_round(board: Board) -> Board {
    Board { player: board.opponent, opponent: board.player }
}

/// Moves that give no corner.
fn safe(board: Board) -> u32 {
    let open = walk_moves(turned_round(board));
    let gives = |mv: Square| {
        let then = walk_moves(walked(board, mv));
        squares(corners()).any(|corner| has(then, Some(corner)) && !has(open, Some(corner)))
    };
    squares(walk_moves(board)).filter(|&mv| !gives(mv)).count() as u32
}

/// Squares that touch, one by one.
fn region_of(start: Square, empty: u64) -> u64 {
    let mut region = start.bit();
    while let Some(next) =
        squares(empty & !region).find(|&square| around(square).iter().any(|near| region & near.bit() != 0))
    {
        region |= next.bit();
    }
    region
}

/// All rows of four or more of `own` inside the border along which one side is empty.
fn plain_walls(own: u64, empty: u64) -> Vec<u64> {
    let mut found = Vec::new();
    for (along, side) in [((1, 0), (0, 1)), ((1, 0), (0, -1)), ((0, 1), (1, 0)), ((0, 1), (-1, 0))] {
        let is_part = |file: i32, rank: i32| {
            let is_inner = (1..7).contains(&file) && (1..7).contains(&rank);
            is_inner && has(own, at(file, rank)) && has(empty, at(file + side.0, rank + side.1))
        };
        for square in Square::all() {
            let (file, rank) = place(square);
            if is_part(file - along.0, rank - along.1) {
                continue;
            }
            let row: Vec<Square> = (0..8)
                .map(|step| (file + step * along.0, rank + step * along.1))
                .take_while(|&(file, rank)| is_part(file, rank))
                .filter_map(|(file, rank)| at(file, rank))
                .collect();
            if row.len() >= 4 {
                found.push(set(row));
            }
        }
    }
    found
}

/// All facts but those on stable discs, as somebody counts them who looks at the squares.
fn plain(board: Board, square: Square) -> Vec<Fact> {
    let turned = walk_flip(board, square);
    let after = walked(board, square);
    let (own, other) = (after.opponent, after.player);
    let empty = !(own | other);
    let (file, rank) = place(square);
    let theirs = [walk_moves(turned_round(board)), walk_moves(after)];
    let ours = [walk_moves(board), walk_moves(turned_round(after))];
    let is_corner = corners() & square.bit() != 0;
    let mut found = Vec::new();
    let mut tell = |is_so: bool, fact: Fact| {
        if is_so {
            found.push(fact)
        }
    };
    let corner_set = |holds: &dyn Fn(Square) -> bool| set(squares(corners()).filter(|&corner| holds(corner)));
    let can = |moves: u64, corner: Square| moves & corner.bit() != 0;

    let gives = corner_set(&|c| can(theirs[1], c) && !can(theirs[0], c));
    let leaves = corner_set(&|c| can(theirs[1], c) && can(theirs[0], c));
    let guards = corner_set(&|c| !can(theirs[1], c) && can(theirs[0], c) && can(empty, c));
    let threatens = corner_set(&|c| can(ours[1], c) && !can(ours[0], c));
    let forgoes = corner_set(&|c| can(ours[0], c) && !is_corner);
    tell(is_corner, Fact::Corner);
    tell(gives != 0, Fact::Gives(gives));
    tell(leaves != 0, Fact::Leaves(leaves));
    tell(guards != 0, Fact::Guards(guards));
    tell(threatens != 0, Fact::Threatens(threatens));
    tell(forgoes != 0, Fact::Forgoes(forgoes));
    for corner in squares(corners()).filter(|&corner| can(empty, corner) && !can(theirs[1], corner)) {
        let (f, r) = place(corner);
        match ((f - file).abs(), (r - rank).abs()) {
            (1, 1) => tell(true, Fact::XSquare(corner)),
            (0, 1) | (1, 0) => tell(true, Fact::CSquare(corner)),
            _ => {}
        }
    }

    for (edge, is_on, step) in [
        (EDGES[0], rank == 0, (1, 0)),
        (EDGES[1], rank == 7, (1, 0)),
        (EDGES[2], file == 0, (0, 1)),
        (EDGES[3], file == 7, (0, 1)),
    ] {
        if !is_on {
            continue;
        }
        let row: Vec<Square> = (0..8)
            .filter_map(|place| {
                at(if step.0 == 1 { place } else { file }, if step.1 == 1 { place } else { rank })
            })
            .collect();
        let letters: String = row
            .iter()
            .map(|&square| {
                if can(own, square) {
                    'o'
                } else if can(other, square) {
                    'x'
                } else {
                    '-'
                }
            })
            .collect();
        let was_empty = row.iter().all(|&square| !can(board.player | board.opponent, square));
        tell(!letters.contains('-'), Fact::Fills(edge));
        let beside = [at(file - step.0, rank - step.1), at(file + step.0, rank + step.1)];
        tell(!is_corner && was_empty, Fact::Opens(edge));
        let is_between = !is_corner && beside.iter().all(|&beside| has(other, beside));
        tell(is_between, Fact::Wedge(set(beside.into_iter().flatten())));
        tell(letters == "-oooooo-", Fact::Six(edge));
        let gaps = set(row.iter().zip(letters.chars()).filter(|(_, c)| *c == '-').map(|(&square, _)| square));
        tell(["-ooooo--", "--ooooo-"].contains(&letters.as_str()), Fact::Five(edge, gaps));
    }

    let others: Vec<Square> = squares(ours[0]).filter(|&other| other != square).collect();
    let count = |moves: u64| moves.count_ones();
    let left = |mv: &Square| count(walk_moves(walked(board, *mv)));
    let (n, their_safe) = (count(theirs[1]), safe(after));
    tell(others.is_empty(), Fact::Only);
    tell(n == 0 && ours[1] != 0, Fact::Passes);
    tell(n == 0 && ours[1] == 0, Fact::Ends);
    let our_safe = safe(turned_round(after));
    tell(n > 0, Fact::Moves(Moves { theirs: n, their_safe, ours: count(ours[1]), our_safe }));
    tell(n > 0 && their_safe == 0, Fact::NoSafeMove(n));
    let is_rest = n > 0 && !others.is_empty();
    tell(is_rest && others.iter().all(|mv| left(mv) > n), Fact::Fewest(n));
    tell(is_rest && others.iter().all(|mv| left(mv) < n), Fact::Most(n));

    let region = region_of(square, !(board.player | board.opponent));
    match count(region) {
        1 => tell(true, Fact::LastSquare),
        3 | 5 | 7 => tell(true, Fact::Odd(region)),
        2 | 4 | 6 | 8 => tell(true, Fact::Even(region)),
        _ => {}
    }
    let mut regions: Vec<u64> = squares(empty).map(|square| region_of(square, empty)).collect();
    regions.sort_unstable();
    regions.dedup();
    for region in regions.into_iter().filter(|region| region.count_ones() <= 8) {
        let is_own = theirs[0] & region != 0 && theirs[1] & region == 0 && ours[1] & region != 0;
        tell(is_own, Fact::OwnRegion(region));
    }

    let before = plain_walls(board.player, !(board.player | board.opponent));
    let mut walls = plain_walls(own, empty);
    walls.retain(|wall| !before.contains(wall));
    if let Some(longest) = walls.iter().map(|wall| count(*wall)).max() {
        // Of several the one with the first square.
        let first = walls.into_iter().filter(|wall| count(*wall) == longest).min_by_key(|wall| {
            Square::all().map(|square| u8::from(wall & square.bit() == 0)).collect::<Vec<_>>()
        });
        tell(true, Fact::Wall(first.unwrap()));
    }
    let is_covered = |&disc: &Square| around(disc).iter().all(|&near| !can(empty, near));
    tell(count(empty) >= 12 && squares(turned).all(|disc| is_covered(&disc)), Fact::Quiet(turned));
    let flips = |mv: &Square| count(walk_flip(board, *mv));
    let most = !others.is_empty() && others.iter().all(|mv| flips(mv) < count(turned));
    tell(count(turned) >= 5 && most, Fact::TurnsMost(count(turned)));
    tell(count(turned) == 1 && others.iter().any(|mv| flips(mv) > 1), Fact::TurnsOne);
    found
}

/// Positions of random games, and of games of people.
fn boards() -> Vec<Board> {
    let people = GAMES.iter().flat_map(|moves| {
        let game = parse_game(Position::START, moves).unwrap();
        game.positions().iter().map(|position| position.board).collect::<Vec<_>>()
    });
    people.chain(game_boards(41, samples(3) as usize)).collect()
}

fn sorted(mut facts: Vec<Fact>) -> Vec<String> {
    facts.retain(|fact| !matches!(fact, Fact::Stable(_)));
    let mut words: Vec<String> = facts.iter().map(|fact| format!("{fact:?}")).collect();
    words.sort();
    words
}

#[test]
fn every_fact_is_what_a_plain_count_finds_and_none_is_missed() {
    let mut seen = [0u32; KINDS.len()];
    for board in boards().into_iter().step_by(2) {
        for square in squares(board.moves()) {
            let found = facts(board, square);
            found.iter().filter_map(|fact| fact.kind()).for_each(|kind| seen[kind] += 1);
            assert_eq!(sorted(found), sorted(plain(board, square)), "{square}\n{board}");
        }
    }
    let unseen: Vec<_> = KINDS.iter().zip(seen).filter(|(_, count)| *count == 0).collect();
    assert!(unseen.is_empty(), "{unseen:?}");
}

/// Plays at random to the end; `false` if one of `discs` is turned on the way.
fn survive(mut board: Board, mut discs_are_players: bool, discs: u64, rng: &mut Rng) -> bool {
    loop {
        let moves = walk_moves(board);
        if moves == 0 {
            board = turned_round(board);
            discs_are_players = !discs_are_players;
            if walk_moves(board) == 0 {
                return true;
            }
            continue;
        }
        let square = nth(moves, rng.below(moves.count_ones()));
        if !discs_are_players && walk_flip(board, square) & discs != 0 {
            return false;
        }
        board = walked(board, square);
        discs_are_players = !discs_are_players;
    }
}

#[test]
fn what_is_said_to_be_stable_is_never_turned() {
    let mut rng = Rng::new(7);
    let mut told = 0;
    for board in boards().into_iter().step_by(3) {
        for square in squares(board.moves()) {
            for fact in facts(board, square) {
                let Fact::Stable(discs) = fact else { continue };
                told += 1;
                let after = walked(board, square);
                assert_eq!(discs & after.opponent, discs, "{square}\n{board}");
                for _ in 0..12 {
                    assert!(survive(after, false, discs, &mut rng), "{square}: {discs:#x}\n{board}");
                }
            }
        }
    }
    assert!(told > 40, "{told}");
}

#[test]
fn a_wedge_is_not_turned_by_the_next_move() {
    let mut told = 0;
    for board in boards() {
        for square in squares(board.moves()) {
            if !facts(board, square).iter().any(|fact| matches!(fact, Fact::Wedge(_))) {
                continue;
            }
            told += 1;
            let after = walked(board, square);
            let replies = squares(walk_moves(after));
            for reply in replies {
                assert_eq!(walk_flip(after, reply) & square.bit(), 0, "{square} {reply}\n{board}");
            }
        }
    }
    assert!(told > 20, "{told}");
}

#[test]
fn sentences_name_the_sides_and_leave_nothing_open() {
    for board in boards().into_iter().step_by(2) {
        for side in [Color::Black, Color::White] {
            let position = Position { board, side };
            for square in squares(board.moves()) {
                for language in Language::ALL {
                    let found = Found {
                        best: squares(board.moves()).next(),
                        loss: Some(6.0),
                        is_exact: false,
                        reply: None,
                    };
                    let mut all = of_move(language, &position, square);
                    all.extend(of_played(language, &position, square, &found));
                    assert!(!all.is_empty());
                    for sentence in all {
                        assert!(!sentence.contains(['{', '}', '|']), "{sentence}");
                        assert!(sentence.ends_with(['.', '\u{3002}', '\u{3057}']), "{sentence}");
                    }
                }
            }
        }
    }
}

/// What is said of a move in a drawn position; the side to move is `X`.
fn said(rows: [&str; 8], square: &str) -> Vec<String> {
    let position = Position { board: Board::drawn(rows), side: Color::Black };
    let square: Square = square.parse().unwrap();
    let facts: Vec<Fact> = facts(position.board, square);
    sentences(Language::En, Color::Black, square, &facts)
}

#[test]
fn a_corner_and_a_mistake_beside_one_are_told_as_players_do() {
    let rows = [
        "- O X - - - - -",
        "- - - - - - - -",
        "- - - - - - - -",
        "- - - O X - - -",
        "- - - X O - - -",
        "- - - - - - - -",
        "- - - - - - - -",
        "- - - - - - - -",
    ];
    let told = said(rows, "a1");
    assert!(told.contains(&"Takes the corner.".to_owned()), "{told:?}");
    assert!(told.contains(&"Now b1 and c1 can never be turned.".to_owned()), "{told:?}");
    let told = said(rows, "f5");
    assert!(told.contains(&"Does not take the corner a1, open to Black.".to_owned()), "{told:?}");
}

#[test]
fn what_is_wrong_with_a_mistake_comes_with_the_reply_and_the_better_move() {
    let position = parse_game(Position::START, "f5d6c3d3c4f4c5b3c2").unwrap().position();
    let [played, best] = ["b4", "e3"].map(|name| name.parse().unwrap());
    let found = Found {
        best: Some(best),
        loss: Some(5.6),
        is_exact: false,
        reply: Some(Move::Place("c6".parse().unwrap())),
    };
    let told = of_played(Language::En, &position, played, &found);
    assert_eq!(told[0], "A mistake: about 6 discs worse than e3.");
    assert!(told.iter().all(|sentence| !sentence.contains("The best move")), "{told:?}");
    assert!(told.contains(&"The best reply is c6.".to_owned()), "{told:?}");
    let takes = Found { reply: Some(Move::Place(best)), ..found };
    let replied = of_played(Language::En, &position, played, &takes);
    let is_legal = position.play(Move::Place(played)).unwrap().board.play(best).is_some();
    assert_eq!(replied.contains(&"Black then goes to e3 itself.".to_owned()), is_legal, "{replied:?}");
    let exact = Found { is_exact: true, loss: Some(12.0), ..found };
    assert_eq!(of_played(Language::En, &position, played, &exact)[0], "A blunder: 12 discs worse than e3.");
    let good = Found { best: Some(played), loss: Some(0.0), ..found };
    assert_eq!(of_played(Language::En, &position, played, &good)[0], "The best move.");
}

#[test]
fn a_good_move_has_its_merits_first_and_its_faults_after_a_but() {
    let (mut alone, mut after_praise) = (0, 0);
    for game in GAMES.map(|game| parse_game(Position::START, game).unwrap()) {
        for position in game.positions() {
            for square in squares(position.board.moves()) {
                let good = Found { best: Some(square), loss: Some(0.0), is_exact: false, reply: None };
                let all = reasons(position.board, square);
                let faults = all.iter().filter(|reason| reason.fact.is_fault()).map(|reason| reason.fact);
                let faults = sentences(Language::En, position.side, square, &Vec::from_iter(faults));
                let praised = of_played(Language::En, position, square, &good);
                let told_fault = praised.iter().any(|sentence| faults.contains(sentence));
                let has_but = praised.iter().any(|sentence| sentence.starts_with("But "));
                assert!(has_but || !told_fault || praised[0] != "The best move.", "{praised:?}");
                for (told, count) in [
                    (because(Language::En, position, square, &good), &mut alone),
                    (praised, &mut after_praise),
                ] {
                    let but = told.iter().position(|sentence| sentence.starts_with("But "));
                    let fault = told.iter().position(|sentence| faults.contains(sentence));
                    *count += u32::from(but.is_some());
                    assert!(but != Some(0), "a but follows something: {told:?}");
                    assert!(but != Some(1) || told[0] != "The only legal move.", "{told:?}");
                    assert!(
                        fault.is_none_or(|at| but.is_none_or(|but| but < at)),
                        "faults come last: {told:?}"
                    );
                }
            }
        }
    }
    assert!(alone > 100 && after_praise > alone, "{alone} {after_praise}");
}

/// A game of two beginners.
const BEGINNERS: &str = "e6f6c4d6f5g4d7c5f4e7g5e3c6b5c7b6d3b3h4c3b4g3e2h3d8c2a4h6a7f3h5e8d2e1f8g6f1g1a3b2d1c1f2b8f7a6a2a5h7h8c8a8b7g7g8h2g2a1b1h1";

/// What is said of move `number` of the game of beginners where `best` was better by so many discs, proven.
fn said_of(number: usize, best: &str, loss: f64, reply: Option<&str>) -> Vec<String> {
    let moves = &BEGINNERS[..2 * number];
    let position = parse_game(Position::START, &moves[..moves.len() - 2]).unwrap().position();
    let reply = reply.map(|name| Move::Place(name.parse().unwrap()));
    let found = Found { best: best.parse().ok(), loss: Some(loss), is_exact: true, reply };
    of_played(Language::En, &position, moves[moves.len() - 2..].parse().unwrap(), &found)
}

#[test]
fn what_is_so_of_the_best_move_is_not_what_is_wrong_with_another() {
    // Neither h7 nor c8 takes anything from White at a8; only h7 gives h8 as well.
    let told = said_of(49, "c8", 14.0, Some("a8"));
    assert_eq!(
        told,
        [
            "A blunder: 14 discs worse than c8.",
            "Lets White take the corner h8.",
            "Starts the region g7, h7, g8 and h8: 4 squares. If it is filled move by move, White plays last there.",
            "The best reply is a8: takes the corner.",
            "c8 instead: threatens to take the corner a8."
        ]
    );
    // White leaves a1 alone with the best move, too.
    let told = said_of(54, "h2", 10.0, Some("g8"));
    assert!(told.iter().all(|sentence| !sentence.contains("a1")), "{told:?}");
}

#[test]
fn a_corner_is_told_where_another_was_taken() {
    let told = said_of(50, "a8", 8.0, Some("c8"));
    assert_eq!(told.last().map(String::as_str), Some("a8 instead: takes the corner."));
}

#[test]
fn the_only_move_is_neither_good_nor_bad() {
    let told = said_of(60, "h1", 0.0, None);
    assert_eq!(
        told,
        ["The only legal move.", "Takes the corner.", "Ends the game: neither side has a move."]
    );
}

#[test]
fn no_merit_is_a_fault() {
    let plain =
        |fact: &Fact| matches!(fact, Fact::Only | Fact::Moves(_) | Fact::Corner | Fact::Passes | Fact::Ends);
    for board in boards() {
        for square in squares(board.moves()) {
            let all = reasons(board, square);
            for Reason { fact, .. } in &all {
                assert_eq!(
                    u8::from(fact.is_merit()) + u8::from(fact.is_fault()),
                    u8::from(!plain(fact)),
                    "{fact:?}"
                );
            }
            assert!(told(&all, -1.0, usize::MAX).iter().all(|fact| !fact.is_merit()));
            assert!(told(&all, 1.0, usize::MAX).iter().all(|fact| !fact.is_fault()));
        }
    }
}
