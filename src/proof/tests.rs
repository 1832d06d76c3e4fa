//! The checker accepts proofs and refuses all else.

use std::sync::Arc;

use super::*;
use crate::board::testing::{random_ending, samples};

use crate::certificate::{Checker, Proven, Refusal};
use crate::eval::testing::evaluator;
use crate::search::Options;
use crate::util::rng::Rng;

fn search() -> Search {
    Search::new(
        &Options {
            threads: 1,
            hash_mib: 1,
        },
        Arc::clone(&evaluator()),
    )
}

/// The score by plain recursion over the rules.
fn naive(board: Board, alpha: i32, beta: i32) -> i32 {
    let moves = board.moves();
    if moves.is_empty() {
        let over = board.opponent_moves().is_empty();
        return if over {
            board.final_score()
        } else {
            -naive(board.pass(), -beta, -alpha)
        };
    }
    let mut best = -64;
    for square in moves {
        best = best.max(-naive(board.play(square).unwrap(), -beta, -best.max(alpha)));
        if best >= beta {
            break;
        }
    }
    best
}

fn claim(board: Board, leaf_empties: u8, table_bits: u8) -> Claim {
    let position = Position {
        board,
        side: Color::White,
    };
    Claim {
        position,
        score: naive(board, -64, 64) as i8,
        leaf_empties,
        table_bits,
    }
}

/// A certificate of these claims.
fn certificate(search: &mut Search, claims: &[Claim]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new()).unwrap();
    for claim in claims {
        writer
            .add(&prove(search, claim, &Stop::new()).expect("the claim holds"))
            .unwrap();
    }
    writer.end().unwrap()
}

fn check(bytes: &[u8]) -> Result<Vec<Proven>, Refusal> {
    let mut checker = Checker::open(bytes)?;
    std::iter::from_fn(|| checker.next().transpose()).collect()
}

/// The bytes with the right checksum.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 4;
    let checksum = crc32fast::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// A small certificate of two positions, with named moves, tables in use, leaves and ends.
fn small() -> (Vec<Claim>, Vec<u8>) {
    let mut rng = Rng::new(40);
    let claims = [(7, 3, 4), (6, 0, 2)];
    let claims =
        claims.map(|(empties, leaf, table)| claim(random_ending(&mut rng, empties), leaf, table));
    let bytes = certificate(&mut search(), &claims);
    (claims.to_vec(), bytes)
}

/// Each change of one byte, all 255 of each.
fn changes(bytes: &[u8]) -> impl Iterator<Item = (usize, u8, Vec<u8>)> {
    (0..bytes.len()).flat_map(move |at| {
        (1..=255).map(move |change: u8| {
            let mut changed = bytes.to_vec();
            changed[at] ^= change;
            (at, change, changed)
        })
    })
}

#[test]
fn what_is_proven_is_accepted() {
    let mut rng = Rng::new(41);
    let mut search = search();
    let mut of = |at| {
        claim(
            random_ending(&mut rng, 5 + at % 6),
            (at % 5) as u8 * 2,
            1 + (at % 7) as u8 * 2,
        )
    };
    let claims: Vec<Claim> = (0..samples(60)).map(&mut of).collect();
    let proven = check(&certificate(&mut search, &claims)).unwrap();
    assert_eq!(
        proven.iter().map(|proven| proven.claim).collect::<Vec<_>>(),
        claims
    );
    assert!(proven.iter().any(|proven| proven.nodes > 100));
    assert!(proven.iter().any(|proven| proven.leaves > 100));
}

#[test]
fn no_other_score_is_proven() {
    let mut rng = Rng::new(42);
    let mut search = search();
    for _ in 0..20 {
        let right = claim(random_ending(&mut rng, 8), 2, 8);
        for score in (-64..=64).step_by(2).filter(|&score| score != right.score) {
            let wrong = Claim { score, ..right };
            assert_eq!(prove(&mut search, &wrong, &Stop::new()), None, "{wrong:?}");
        }
    }
}

#[test]
fn every_changed_byte_a_cut_and_a_longer_file_are_refused() {
    let (claims, bytes) = small();
    assert_eq!(check(&bytes).unwrap().len(), claims.len());
    for (at, change, changed) in changes(&bytes) {
        assert!(
            check(&changed).is_err(),
            "byte {at} changed by {change:#04x} is accepted"
        );
    }
    for len in 0..bytes.len() {
        assert!(check(&bytes[..len]).is_err(), "{len} bytes");
    }
    let longer = [bytes, vec![0]].concat();
    assert_eq!(check(&longer).unwrap_err().reason, "bytes behind the end");
}

#[test]
fn a_changed_proof_with_a_good_checksum_proves_nothing_wrong() {
    let (claims, bytes) = small();
    let mut accepted = 0;
    let mut refused = 0;
    for (at, change, changed) in changes(&bytes[..bytes.len() - 4]) {
        let whole = sealed([changed, vec![0; 4]].concat());
        let Ok(proven) = check(&whole) else {
            refused += 1;
            continue;
        };
        accepted += 1;
        for Proven { claim, .. } in proven {
            let board = claim.position.board;
            let known = claims.iter().find(|known| known.position.board == board);
            let score = known.map_or_else(|| naive(board, -64, 64), |known| known.score.into());
            assert_eq!(
                i32::from(claim.score),
                score,
                "byte {at} changed by {change:#04x}\n{board}"
            );
        }
    }
    // The side to move, the sizes of table and leaves, and moves that are as good.
    assert!(
        accepted > 10 && refused > 50 * accepted,
        "{accepted} accepted, {refused} refused"
    );
}

#[test]
fn positions_proven_already_cost_nothing() {
    let mut rng = Rng::new(43);
    let board = random_ending(&mut rng, 12);
    let mut search = search();
    let nodes = |search: &mut Search, table_bits| {
        check(&certificate(search, &[claim(board, 4, table_bits)])).unwrap()[0].nodes
    };
    let few = nodes(&mut search, 1);
    let many = nodes(&mut search, 14);
    assert!(
        many * 5 < few * 4,
        "{many} moves with a large table, {few} with a small one"
    );
}

#[test]
fn a_stopped_proof_is_none() {
    let claim = claim(random_ending(&mut Rng::new(44), 8), 2, 8);
    let stop = Stop::new();
    stop.request();
    assert_eq!(prove(&mut search(), &claim, &stop), None);
}
