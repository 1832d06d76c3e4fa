use std::collections::HashSet;
use std::fs;
use std::io::Write as _;

use super::*;
use crate::board::testing::{nth, play_on, samples};
use crate::board::{Game, Square};
use crate::notation::moves;
use crate::notation::wthor::GameFile;
use crate::util::rng::Rng;

/// An error, as it changes the moves of a game.
type Error = fn(&mut Vec<Move>, &mut Rng);

/// A square misread, neighbors or any two moves swapped, a move missing, doubled or inserted, a pass inserted.
const ERRORS: [Error; 7] = [
    |moves, rng| misread(moves, rng),
    |moves, rng| {
        let at = below(rng, moves.len() - 1);
        moves.swap(at, at + 1);
    },
    |moves, rng| {
        let (one, other) = (below(rng, moves.len()), below(rng, moves.len()));
        moves.swap(one, other);
    },
    |moves, rng| {
        moves.remove(below(rng, moves.len()));
    },
    |moves, rng| {
        let at = below(rng, moves.len());
        moves.insert(at, moves[at]);
    },
    |moves, rng| {
        let square = Square::new(below(rng, 64) as u8).expect("below 64");
        moves.insert(below(rng, moves.len() + 1), Move::Place(square));
    },
    |moves, rng| moves.insert(below(rng, moves.len() + 1), Move::Pass),
];

fn below(rng: &mut Rng, bound: usize) -> usize {
    rng.below(bound as u32) as usize
}

/// Another letter or another digit, each as likely.
fn misread(moves: &mut [Move], rng: &mut Rng) {
    let at = below(rng, moves.len());
    let Move::Place(square) = moves[at] else {
        return;
    };
    let by = 1 + rng.below(7) as u8;
    let (file, rank) = match rng.below(2) {
        0 => ((square.file() + by) % 8, square.rank()),
        _ => (square.file(), (square.rank() + by) % 8),
    };
    moves[at] = Move::Place(Square::at(file, rank));
}

/// The turns of a text that says nothing but these moves.
fn turns(moves: &[Move]) -> Vec<Turn> {
    moves.iter().map(|mv| Turn::of(Some(*mv))).collect()
}

/// Every list that one change makes of another, legal or not.
fn changed_once(moves: &[Move]) -> Vec<Vec<Move>> {
    let mut lists = Vec::new();
    let mut put = |change: &dyn Fn(&mut Vec<Move>)| {
        let mut list = moves.to_vec();
        change(&mut list);
        if list != moves {
            lists.push(list);
        }
    };
    for turn in 0..=moves.len() {
        for square in Square::all() {
            put(&|list| list.insert(turn, Move::Place(square)));
            if turn < moves.len() {
                put(&|list| list[turn] = Move::Place(square));
            }
        }
        for other in turn + 1..moves.len() {
            put(&|list| list.swap(turn, other));
        }
        if turn < moves.len() {
            put(&|list| {
                list.remove(turn);
            });
        }
    }
    lists
}

/// The games that the search finds.
fn searched(start: Position, moves: &[Move]) -> HashSet<Vec<Move>> {
    let found = search(start, &turns(moves), &|_| 0);
    for (moves, candidate) in &found {
        let game = Game::from_moves(start, moves.iter().copied()).expect("a legal game was found");
        assert_eq!(game.position(), candidate.end);
        assert!(candidate.plies.iter().map(|(mv, _)| mv).eq(moves));
    }
    found.into_keys().collect()
}

/// The squares of a game: passes go without saying.
fn placed(game: &Game) -> Vec<Move> {
    game.moves()
        .iter()
        .copied()
        .filter(|mv| *mv != Move::Pass)
        .collect()
}

fn with_error(game: &Game, rng: &mut Rng) -> Vec<Move> {
    let mut moves = placed(game);
    ERRORS[rng.below(ERRORS.len() as u32) as usize](&mut moves, rng);
    moves
}

#[test]
fn all_repairs_by_one_change_are_found() {
    let mut rng = Rng::new(1);
    for sample in 0..samples(40) {
        // Short games from the usual start, and the ends of games, where sides pass.
        let start = match sample % 2 {
            0 => Position::START,
            _ => play_on(Game::default(), 46 + rng.below(8), &mut rng).position(),
        };
        let game = play_on(Game::new(start), 2 + rng.below(11), &mut rng);
        if placed(&game).len() < 2 {
            continue;
        }
        let moves = with_error(&game, &mut rng);
        let legal = changed_once(&moves)
            .into_iter()
            .filter_map(|list| replay(start, list).ok());
        let naive: HashSet<Vec<Move>> = legal.map(|game| game.moves().to_vec()).collect();
        assert_eq!(searched(start, &moves), naive, "{start:?} {moves:?}");
    }
}

/// A game of players who leave few replies, as people do.
fn greedy_game(rng: &mut Rng) -> Game {
    let mut game = Game::default();
    while !game.is_over() {
        game.pass_if_forced();
        let board = game.position().board;
        let drawn = nth(board.moves().0, rng.below(board.moves().len()));
        let replies = |square: &Square| board.after(*square, board.flip(*square)).moves().len();
        let best = board
            .moves()
            .iter()
            .min_by_key(replies)
            .expect("the game is not over");
        game.play_square(if rng.below(4) == 0 { drawn } else { best })
            .expect("the move is legal");
    }
    game
}

/// Games and their scores for Black: those of the base in the folder `EMILIA_WTHOR`, else made up ones.
fn games(count: usize, rng: &mut Rng) -> Vec<(Game, i32)> {
    let Some(folder) = std::env::var_os("EMILIA_WTHOR") else {
        let made = std::iter::repeat_with(|| greedy_game(rng)).take(count);
        return made
            .map(|game| (game.clone(), game.final_score(Color::Black).unwrap()))
            .collect();
    };
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "wtb"))
        .collect();
    files.sort();
    let read = |path| GameFile::parse(&fs::read(path).unwrap()).unwrap().games;
    let mut records: Vec<_> = files
        .iter()
        .flat_map(read)
        .filter(|record| record.moves[1] > 0)
        .collect();
    rng.shuffle(&mut records);
    let played = records
        .iter()
        .map(|record| (record.replay().unwrap(), 2 * i32::from(record.score) - 64));
    played.take(count).collect()
}

/// `EMILIA_WTHOR=folder EMILIA_SAMPLES=50 cargo test --release --lib games_with_errors` prints the table of the page.
#[test]
fn games_with_errors_come_back() {
    let mut rng = Rng::new(3);
    let games = games(samples(20) as usize, &mut rng);
    for with_score in [true, false] {
        let mut rng = Rng::new(4);
        // How many come back as the likeliest repair, and among those named.
        let (mut first, mut named, mut still_legal) = (0, 0, 0);
        for (game, score) in &games {
            let outcome = if with_score {
                Outcome::Discs(*score)
            } else {
                Outcome::Open
            };
            let moves = loop {
                let moves = with_error(game, &mut rng);
                if replay(Position::START, moves.iter().copied()).is_err() {
                    break moves;
                }
                still_legal += 1;
            };
            let found = repairs(Position::START, &turns(&moves), outcome);
            let is_game = |repair: &Repair| repair.plies.iter().map(|(mv, _)| mv).eq(game.moves());
            first += u32::from(found.as_ref().is_some_and(|found| is_game(&found.best[0])));
            named += u32::from(found.is_some_and(|found| found.best.iter().any(is_game)));
        }
        let all = games.len();
        let message = format!(
            "score {with_score}: {first} first, {named} named of {all}; {still_legal} more stayed legal"
        );
        if std::env::var_os("EMILIA_WTHOR").is_some() {
            writeln!(std::io::stderr(), "{message}").unwrap();
        }
        assert!(f64::from(named) >= 0.95 * all as f64, "{message}");
    }
}

#[test]
fn an_error_is_named_by_its_turns() {
    let mut rng = Rng::new(5);
    let mut kinds = [0; 4];
    for _ in 0..samples(100) {
        let game = greedy_game(&mut rng);
        let end = Outcome::Discs(game.final_score(Color::Black).unwrap());
        let right = placed(&game);
        // Some are over early.
        if right.len() < 55 {
            continue;
        }
        let mut moves = right.clone();
        let (turn, later) = (5 + rng.below(20) as usize, 30 + rng.below(20) as usize);
        let kind = rng.below(4) as usize;
        let Move::Place(square) = right[turn] else {
            unreachable!("these moves have no pass")
        };
        let error = match kind {
            0 => {
                let now = Move::Place(Square::at(square.file() ^ 1, square.rank()));
                moves[turn] = now;
                Edit::Misread {
                    turn,
                    was: Some(now),
                    now: square,
                }
            }
            1 => {
                moves.swap(turn, later);
                Edit::Swapped {
                    first: (turn, moves[turn]),
                    second: (later, moves[later]),
                }
            }
            2 => {
                moves.remove(turn);
                Edit::Missing { turn, now: square }
            }
            _ => {
                moves.insert(later, Move::Pass);
                Edit::Superfluous {
                    turn: later,
                    was: Some(Move::Pass),
                }
            }
        };
        if replay(Position::START, moves.iter().copied()).is_ok() {
            continue;
        }
        kinds[kind] += 1;
        let found = repairs(Position::START, &turns(&moves), end).expect("there is a repair");
        assert!(found.best.len() <= MAX_NAMED && found.count >= found.best.len());
        assert!(
            found.best.iter().any(|repair| repair.edit == error),
            "{error}: {:?}",
            found.best
        );
    }
    assert!(kinds.iter().all(|&count| count >= 5), "{kinds:?}");
}

#[test]
fn legal_games_and_hopeless_ones_have_no_repair() {
    let game = greedy_game(&mut Rng::new(6));
    let corners = ["a1", "h8", "a8"].map(|name| Move::Place(name.parse().unwrap()));
    for moves in [game.moves(), &placed(&game), &[], &corners] {
        assert!(
            repairs(Position::START, &turns(moves), Outcome::Open).is_none(),
            "{moves:?}"
        );
    }
}

/// Lists that leave much to try: nothing in them is a move, or all of it comes again.
#[test]
fn no_list_takes_long() {
    let game = greedy_game(&mut Rng::new(7));
    let moves = placed(&game);
    let twice: Vec<Move> = moves.iter().chain(&moves).copied().collect();
    let mut swapped = moves.clone();
    swapped.reverse();
    let half = &moves[..30];
    let open: Vec<Move> = half.iter().copied().chain([Move::Pass]).collect();
    for list in [&twice[..], &swapped, &open, &[Move::Pass; 128]] {
        let _ = repairs(Position::START, &turns(list), Outcome::Discs(1));
    }
    let nothing = [Turn::of(None); 128];
    assert!(repairs(Position::START, &nothing, Outcome::Open).is_none());
    assert!(repairs(Position::START, &turns(&moves[1..2]), Outcome::Open).is_none());
}

#[test]
fn the_end_of_a_game_is_compared_with_all_that_is_known() {
    // Black wins by wiping White out: 13 discs, 64 with the empties.
    let over = moves::parse_game(Position::START, "e6f4e3f6g5d6e7f5c5")
        .unwrap()
        .position();
    let of = |outcome, how| agreement(counted(GameResult { outcome, how }), over);
    use Agreement::{Agrees, Contradicts, Open};
    for (outcome, want) in [
        (Outcome::Open, Agrees),
        (Outcome::Discs(64), Agrees),
        (Outcome::Discs(13), Agrees),
        (Outcome::Discs(62), Contradicts),
        (Outcome::Won(Color::Black), Agrees),
        (Outcome::Won(Color::White), Contradicts),
    ] {
        assert_eq!(of(outcome, How::Stated), want, "{outcome:?}");
        // The loser gave up: the board need not show it.
        assert_eq!(of(outcome, How::Resigned), Agrees, "{outcome:?}");
    }
    assert_eq!(agreement(Outcome::Open, Position::START), Open);
}
