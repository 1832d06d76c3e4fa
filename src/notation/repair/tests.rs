use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use super::testing::{ERRORS, turns};
use super::*;
use crate::board::testing::{nth, play_on, samples};
use crate::board::{Game, Square, squares};
use crate::notation::moves;
use crate::notation::wthor::GameFile;
use crate::util::rng::Rng;

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

/// The legal ones of these lists, as games.
fn legal(start: Position, lists: impl IntoIterator<Item = Vec<Move>>) -> HashSet<Vec<Move>> {
    let played = lists.into_iter().filter_map(|list| replay(start, list).ok());
    played.map(|game| game.moves().to_vec()).collect()
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
    game.moves().iter().copied().filter(|mv| *mv != Move::Pass).collect()
}

fn with_error(game: &Game, rng: &mut Rng) -> Vec<Move> {
    let mut moves = placed(game);
    ERRORS[rng.below(ERRORS.len() as u32) as usize].1(&mut moves, rng);
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
        let naive = legal(start, changed_once(&moves));
        assert_eq!(searched(start, &moves), naive, "{start:?} {moves:?}");
    }
}

/// A game between two who leave the other few replies, as people do.
fn greedy_game(rng: &mut Rng) -> Game {
    let mut game = Game::default();
    while !game.is_over() {
        game.pass_if_forced();
        let board = game.position().board;
        let drawn = nth(board.moves(), rng.below(board.moves().count_ones()));
        let replies = |square: &Square| board.after(*square, board.flip(*square)).moves().count_ones();
        let best = squares(board.moves()).min_by_key(replies).expect("the game is not over");
        game.play_square(if rng.below(4) == 0 { drawn } else { best }).expect("the move is legal");
    }
    game
}

/// Games and their scores for Black: those of the base in the folder `EMILIA_WTHOR`, else made up ones.
fn games(count: usize, rng: &mut Rng) -> Vec<(Game, i32)> {
    let Some(folder) = std::env::var_os("EMILIA_WTHOR") else {
        let made = std::iter::repeat_with(|| greedy_game(rng)).take(count);
        return made.map(|game| (game.clone(), game.final_score(Color::Black).unwrap())).collect();
    };
    let mut files: Vec<_> =
        fs::read_dir(Path::new(&folder)).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "wtb"));
    files.sort();
    let read = |path| GameFile::parse(&fs::read(path).unwrap()).unwrap().games;
    let mut records: Vec<_> = files.iter().flat_map(read).filter(|record| record.moves[1] > 0).collect();
    rng.shuffle(&mut records);
    let played =
        records.iter().map(|record| (record.replay().unwrap().game, 2 * i32::from(record.score) - 64));
    played.take(count).collect()
}

/// How many games with so many errors come back: as the likeliest repair, and among those named.
#[derive(Default)]
struct Tally {
    all: u32,
    first: u32,
    named: u32,
}

impl Tally {
    fn add(&mut self, game: &Game, found: Option<&Repairs>) {
        let is_game = |repair: &Repair| repair.plies.iter().map(|(mv, _)| mv).eq(game.moves());
        self.all += 1;
        self.first += u32::from(found.is_some_and(|found| is_game(&found.best[0])));
        self.named += u32::from(found.is_some_and(|found| found.best.iter().any(is_game)));
    }

    /// Of a hundred games those that were named.
    fn percent(&self) -> f64 {
        100.0 * f64::from(self.named) / f64::from(self.all)
    }
}

/// `EMILIA_WTHOR=folder EMILIA_SAMPLES=50 cargo test --release --lib games_with_errors` prints the table of the page.
#[test]
fn games_with_errors_come_back() {
    let mut rng = Rng::new(3);
    let games = games(samples(20) as usize, &mut rng);
    let mut table = String::new();
    for with_score in [true, false] {
        let mut rng = Rng::new(4);
        let (mut all, mut by_kind, mut still_legal) = (Tally::default(), BTreeMap::new(), 0);
        for (game, score) in &games {
            let outcome = if with_score { Outcome::Discs(*score) } else { Outcome::Open };
            let end = End { outcome, discs: None };
            loop {
                let mut moves = placed(game);
                let (kind, spoil) = ERRORS[rng.below(ERRORS.len() as u32) as usize];
                spoil(&mut moves, &mut rng);
                if replay(Position::START, moves.iter().copied()).is_ok() {
                    still_legal += 1;
                    continue;
                }
                let found = repairs(Position::START, &turns(&moves), end);
                all.add(game, found.as_ref());
                by_kind.entry(kind).or_insert_with(Tally::default).add(game, found.as_ref());
                break;
            }
        }
        let mut row = |name: &str, Tally { all, first, named }: &Tally| {
            let _ = writeln!(table, "{name:<60}{all:>6}{first:>6}{named:>6}");
        };
        row(&format!("score {with_score}, {still_legal} more stayed legal"), &all);
        by_kind.iter().for_each(|(kind, tally)| row(kind, tally));
        assert!(all.percent() >= 95.0, "{table}");
    }
    if std::env::var_os("EMILIA_WTHOR").is_some() {
        std::io::stderr().write_all(table.as_bytes()).unwrap();
    }
}

/// The errors of each repair that is named.
fn named(moves: &[Move], end: End) -> Vec<Edit> {
    let found = repairs(Position::START, &turns(moves), end).expect("there is a repair");
    assert!((1..=MAX_NAMED).contains(&found.best.len()) && found.count >= found.best.len());
    found.best.into_iter().map(|repair| repair.edit).collect()
}

#[test]
fn an_error_is_named_by_its_turns() {
    let mut rng = Rng::new(5);
    let mut kinds = [0; 4];
    for _ in 0..samples(100) {
        let game = greedy_game(&mut rng);
        let end = End { outcome: Outcome::Discs(game.final_score(Color::Black).unwrap()), discs: None };
        let right = placed(&game);
        // Some are over early.
        if right.len() < 55 {
            continue;
        }
        let mut moves = right.clone();
        let (turn, later) = (5 + rng.below(20) as usize, 30 + rng.below(20) as usize);
        let kind = rng.below(4) as usize;
        let Move::Place(square) = right[turn] else { unreachable!("passes are left out") };
        let error = match kind {
            0 => {
                let now = Move::Place(Square::at(square.file() ^ 1, square.rank()));
                moves[turn] = now;
                Edit::Misread { turn, was: Some(now), now: square }
            }
            1 => {
                moves.swap(turn, later);
                Edit::Swapped { first: (turn, moves[turn]), second: (later, moves[later]) }
            }
            2 => {
                moves.remove(turn);
                Edit::Missing { turn, now: square }
            }
            _ => {
                moves.insert(later, Move::Pass);
                Edit::Superfluous { turn: later, was: Some(Move::Pass) }
            }
        };
        if replay(Position::START, moves.iter().copied()).is_ok() {
            continue;
        }
        kinds[kind] += 1;
        let named = named(&moves, end);
        assert!(named.contains(&error), "{error}: {named:?}");
    }
    assert!(kinds.iter().all(|&count| count >= 5), "{kinds:?}");
}

#[test]
fn changes_are_told_in_words() {
    let place = |name: &str| Move::Place(name.parse().unwrap());
    let square = |name: &str| name.parse().unwrap();
    for (edit, words) in [
        (Edit::Misread { turn: 22, was: Some(place("g6")), now: square("f6") }, "move 23 was g6, now f6"),
        (Edit::Misread { turn: 0, was: None, now: square("f5") }, "move 1 was no move, now f5"),
        (
            Edit::Swapped { first: (3, place("a1")), second: (9, place("b2")) },
            "moves 4 and 10 were a1 and b2, now b2 and a1",
        ),
        (Edit::Missing { turn: 4, now: square("c4") }, "move 5 was missing, now c4"),
        (Edit::Superfluous { turn: 4, was: Some(Move::Pass) }, "move 5 was pa, now gone"),
    ] {
        assert_eq!(edit.to_string(), words);
    }
}

#[test]
fn legal_games_and_hopeless_ones_have_no_repair() {
    let game = greedy_game(&mut Rng::new(6));
    assert!(repairs(Position::START, &turns(game.moves()), End::default()).is_none());
    assert!(repairs(Position::START, &turns(&placed(&game)), End::default()).is_none());
    assert!(repairs(Position::START, &[], End::default()).is_none());
    let corners = ["a1", "h8", "a8"].map(|name| Move::Place(name.parse().unwrap()));
    assert!(repairs(Position::START, &turns(&corners), End::default()).is_none());
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
        let _ = repairs(Position::START, &turns(list), End { outcome: Outcome::Discs(1), discs: None });
    }
    let nothing = [Turn::of(None); 128];
    assert!(repairs(Position::START, &nothing, End::default()).is_none());
    assert!(repairs(Position::START, &turns(&moves[1..2]), End::default()).is_none());
}

#[test]
fn the_end_of_a_game_is_compared_with_all_that_is_known() {
    // Black wins by wiping White out: 13 discs, 64 with the empties.
    let over = moves::parse_game(Position::START, "e6f4e3f6g5d6e7f5c5").unwrap().position();
    let discs = (over.discs(Color::Black), over.discs(Color::White));
    let of = |outcome, how| End::of(GameResult { outcome, how }).agreement(over);
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
    let known = End { discs: Some(discs), ..End::default() };
    assert_eq!((known.agreement(over), known.agreement(Position::START)), (Agrees, Contradicts));
    assert_eq!(End::default().agreement(Position::START), Open);
    assert_eq!(End::default().or(known), known);
}

#[test]
fn sides_that_are_named_tell_where_a_move_is_missing() {
    let mut rng = Rng::new(8);
    let mut found = [0; 2];
    for _ in 0..samples(200) {
        let game = play_on(Game::default(), 40, &mut rng);
        let sides = game.positions().iter().map(|position| Some(position.side));
        let mut written: Vec<Turn> = (game.moves().iter().zip(sides))
            .map(|(mv, color)| Turn { color, ..Turn::of(Some(*mv)) })
            .collect();
        written.remove(10 + rng.below(20) as usize);
        let silent: Vec<Turn> = written.iter().map(|turn| Turn { color: None, ..*turn }).collect();
        for (count, turns) in found.iter_mut().zip([written, silent]) {
            let best = repairs(Position::START, &turns, End::default()).map(|mut found| found.best.remove(0));
            *count +=
                u32::from(best.is_some_and(|best| best.plies.iter().map(|(mv, _)| mv).eq(game.moves())));
        }
    }
    assert!(found[0] > found[1], "{found:?}");
}
