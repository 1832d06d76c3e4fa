//! Tests of `entry.rs`.

use super::super::level::{Origin, Program};
use super::*;
use crate::util::rng::Rng;

const LEVEL: SearchLevel = SearchLevel::own(22, 73);

pub fn usual() -> Usual {
    Usual::of(LEVEL)
}

/// An entry with every kind of move, score and search.
pub fn random_entry(rng: &mut Rng, board: Board) -> Entry {
    let mut entry = Entry::default();
    for square in board.moves() {
        let kind = rng.below(8);
        let score = Score::from_units(rng.below(4000) as i32 - 2000);
        let score = match kind {
            1 => Some(MoveScore::Linked(score)),
            0 | 2 => Some(MoveScore::Searched(score)),
            _ => None,
        };
        let count = if (2..5).contains(&kind) {
            rng.below(400)
        } else {
            0
        };
        let games = Games {
            wins: count,
            draws: count / 9,
            losses: rng.below(count + 1),
        };
        if score.is_some() || games.count() > 0 {
            *entry.move_mut(square) = BookMove {
                square,
                score,
                games,
            };
        }
    }
    if let Some(best) = entry.best_score() {
        entry.value = Some(Value::around(
            best,
            Score::from_units(rng.below(400) as i32),
        ));
        let origin = (rng.below(3) == 0).then_some(Origin {
            program: Program::Zebra,
            level: -1,
        });
        let exact = rng.below(4) == 0;
        let other = SearchLevel {
            depth: 30,
            percent: 100,
            exact,
            origin,
        };
        let level = if rng.below(2) == 0 { LEVEL } else { other };
        let rest = Some(best);
        let is_looked = rng.below(3) == 0;
        entry.searched = (rng.below(5) > 0).then_some(Searched {
            level,
            rest,
            is_looked,
        });
        entry.set_rest(rest, is_looked);
    }
    entry
}

#[test]
fn entries_survive_their_bytes() {
    let mut rng = Rng::new(5);
    for _ in 0..20_000 {
        let board = Board {
            player: rng.next() & rng.next(),
            opponent: 0,
        };
        let board = Board {
            opponent: rng.next() & !board.player,
            ..board
        };
        let entry = random_entry(&mut rng, board);
        let mut out = Vec::new();
        entry.encode(usual(), &mut out);
        let mut cursor = Cursor::new(&out);
        assert_eq!(Entry::decode(&mut cursor, usual()), Some(entry));
        assert!(cursor.is_at_end());
        let mut cursor = Cursor::new(&out);
        assert!(Entry::skip(&mut cursor).is_some() && cursor.is_at_end());
        assert_eq!(Entry::skip(&mut Cursor::new(&out[..out.len() - 1])), None);
    }
}

#[test]
fn no_bytes_panic() {
    let mut rng = Rng::new(6);
    for _ in 0..100_000 {
        let bytes: Vec<u8> = (0..rng.below(40)).map(|_| rng.next() as u8).collect();
        let mut cursors = [Cursor::new(&bytes), Cursor::new(&bytes)];
        if Entry::decode(&mut cursors[0], usual()).is_some() {
            assert!(
                Entry::skip(&mut cursors[1]).is_some(),
                "an entry that can be read can be skipped"
            );
            assert_eq!(cursors[0].rest(), cursors[1].rest());
        }
    }
}
