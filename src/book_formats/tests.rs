//! Books of other programs: their meaning, written books, damage.

use std::cell::Cell;
use std::io::Cursor;

use tempfile::TempDir;

use super::check::{Checked, check_in_parts, survive};
use super::export::{Target, export};
use super::kind::Kind;
use super::record::{NONE, PASS, Row};
use super::zebra::testing::zebra_book;
use super::{Fault, Item, OtherBook, edax, egaroucid, ntest};
use crate::board::testing::{game_boards, random_game};
use crate::board::{Board, Score, Square};
use crate::book::graph::Graph;
use crate::book::large::Runs;
use crate::book::testing::{played, scored};
use crate::book::{
    Answer, Book, BookEditor, BookError, BookKey, Canonical, Entry, MoveScore, SearchLevel,
};
use crate::util::rng::Rng;

const TARGETS: [Target; 2] = [Target::Edax, Target::Egaroucid];

const TEXT: &str = "------------------OX-------OX------XO--------------------------- X,8,E6,-5\n";

fn opened(bytes: &[u8]) -> OtherBook {
    OtherBook::of_bytes(bytes.to_vec())
        .unwrap()
        .expect("a book of another program")
}

struct Made {
    _folder: TempDir,
    book: BookEditor,
}

fn made(fill: impl FnOnce(&mut BookEditor)) -> Made {
    let folder = TempDir::new().unwrap();
    let mut book = BookEditor::open(&folder.path().join("made.book")).unwrap();
    fill(&mut book);
    Made {
        _folder: folder,
        book,
    }
}

fn imported(bytes: &[u8]) -> Made {
    made(|book| {
        let mut runs = Runs::new(TempDir::new().unwrap());
        for item in opened(bytes).items().unwrap() {
            if let Item::Record(record) = item.unwrap()
                && let Some((key, entry)) = record.entry()
            {
                runs.push(key, entry).unwrap();
            }
        }
        book.unite(&runs.finish().unwrap(), false, 0).unwrap();
    })
}

fn exported(book: &Book, target: Target) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    export(book, target, &mut out).unwrap();
    out.into_inner()
}

/// The broken rules, sorted: those of the whole and of the book in parts are the same.
fn faults(bytes: &[u8]) -> (Checked, Vec<String>) {
    let [whole, parts] = [1 << 20, 5].map(|part| {
        let mut lines = Vec::new();
        let mut report = |fault: &Fault| {
            lines.push(fault.to_string());
            Ok::<_, BookError>(())
        };
        let reached = Cell::new(0);
        let reach = |bytes| assert!(reached.replace(bytes) <= bytes, "progress goes back");
        let checked = check_in_parts(&mut opened(bytes), part, &mut report, &reach);
        lines.sort();
        (checked.unwrap(), lines)
    });
    assert_eq!(whole, parts);
    whole
}

fn after(moves: &str) -> Board {
    played(moves).position().board
}

/// A move of the canonical `board`, scored by a search.
fn searched(board: Board, level: SearchLevel, mv: Square, discs: i32) -> Entry {
    let mut entry = Entry::default();
    entry.absorb(
        board,
        &Answer {
            level,
            ..scored(board, [(mv, discs * Score::DISC)])
        },
    );
    entry
}

/// A book with made-up searches of a program along random games; with ends of games and passes if it is `late`.
fn random_book(rng: &mut Rng, level: impl Fn(u32) -> SearchLevel, late: bool) -> Made {
    let mut graph = Graph::default();
    for _ in 0..30 {
        let from = if late { 40 } else { 0 };
        let to = from + rng.below(22) as usize;
        for board in random_game(rng).into_iter().take(to).skip(from) {
            let Some(Canonical { board, .. }) = Canonical::of(board) else {
                continue;
            };
            let entry = graph.entry_mut(BookKey::of(board)).unwrap();
            if entry.searched.is_none() {
                let moves: Vec<Square> = board.moves().iter().collect();
                let mv = moves[rng.below(moves.len() as u32) as usize];
                *entry = searched(
                    board,
                    level(board.empty_count()),
                    mv,
                    rng.below(41) as i32 - 20,
                );
            }
        }
    }
    made(|book| {
        graph.negamax();
        book.rewrite(0, graph).unwrap();
    })
}

fn entries(made: &Made) -> Vec<(BookKey, Entry)> {
    made.book.entries().unwrap()
}

#[test]
fn what_is_written_is_read_and_keeps_all_rules() {
    let mut rng = Rng::new(40);
    for round in 0..12 {
        for target in TARGETS {
            let level = |empties| match target {
                Target::Egaroucid => egaroucid::search_level(21, empties),
                _ => edax::search_level(8, empties),
            };
            let first = random_book(&mut rng, level, round % 2 == 1);
            let bytes = exported(&first.book, target);
            let (checked, lines) = faults(&bytes);
            assert!(lines.is_empty(), "{target:?}, round {round}: {lines:#?}");
            assert!(checked.positions as usize >= entries(&first).len());
            let second = imported(&bytes);
            let keys = |made: &Made| {
                entries(made)
                    .iter()
                    .map(|(key, _)| *key)
                    .collect::<Vec<_>>()
            };
            assert_eq!(keys(&second), keys(&first), "{target:?}, round {round}");
            let again = exported(&second.book, target);
            assert!(
                entries(&imported(&again)) == entries(&second),
                "{target:?}, round {round}"
            );
            assert!(
                again == exported(&imported(&again).book, target),
                "{target:?}, round {round}"
            );
            for (key, entry) in entries(&second) {
                assert_eq!(entry.fault(key.board().unwrap()), None);
                let origin = entry.searched.unwrap().level.origin.unwrap();
                assert_eq!(
                    origin.level,
                    if target == Target::Egaroucid { 21 } else { 8 }
                );
            }
        }
    }
}

#[test]
fn our_own_searches_are_written_at_a_level_that_claims_no_more() {
    let mut rng = Rng::new(41);
    let book = random_book(&mut rng, |_| SearchLevel::own(22, 52), false);
    for target in TARGETS {
        let theirs = imported(&exported(&book.book, target));
        for (key, entry) in entries(&theirs) {
            let level = entry.searched.unwrap().level;
            assert!(
                !level.exact && (level.depth, level.percent) < (22, 52),
                "{level}"
            );
            let own = book.book.entry(key).unwrap().expect("it was written");
            assert!(own.searched.unwrap().level.origin.is_none());
        }
        // Taken back they change nothing: our own searches are deeper.
        let mut united = made(|united| {
            united.unite(&[&*book.book], false, 0).unwrap();
        });
        united.book.unite(&[&*theirs.book], false, 0).unwrap();
        assert!(entries(&united) == entries(&book));
    }
}

/// The record of Edax after f5 d6 c3, byte by byte.
const AFTER_F5D6C3: &str = "0000080800000000000000301804000000000000000000000000000094000000\
                            fffffdff01000308ff2bfc1efc25fc2d";

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

fn edax_header(count: i32) -> Vec<u8> {
    edax::header(8, 0, count)
}

#[test]
fn a_record_of_edax_means_what_edax_shows() {
    let bytes = [edax_header(1), unhex(AFTER_F5D6C3)].concat();
    let made = imported(&bytes);
    let found = made.book.probe(after("f5d6c3")).unwrap().unwrap().entry;
    let scores: Vec<(String, f64)> = found
        .moves
        .iter()
        .map(|mv| (mv.square.to_string(), mv.known().unwrap().discs()))
        .collect();
    let expected = [("d3", -1.0), ("f3", -4.0), ("f4", -4.0), ("g5", -4.0)];
    assert!(
        scores
            .iter()
            .map(|(mv, score)| (mv.as_str(), *score))
            .eq(expected),
        "{scores:?}"
    );
    let level = found.searched.unwrap().level;
    assert_eq!(level.to_string(), "8 plies, 100 % (Edax, level 8)");
    assert_eq!(found.value.unwrap().value, Score::from_discs(-1));
    // The links lead nowhere here.
    let (_, lines) = faults(&bytes);
    assert_eq!(lines.len(), 3);
    assert!(
        lines[0].starts_with("byte 42, ")
            && lines[0].contains("leads to a position that is not in the book")
    );
}

#[test]
fn of_equal_searches_of_two_programs_the_first_stands_unmixed() {
    let board = Canonical::of(after("f5")).unwrap().board;
    let moves: Vec<Square> = board.moves().iter().collect();
    let edax = searched(board, edax::search_level(8, 59), moves[0], 1);
    let egaroucid = searched(board, egaroucid::search_level(8, 59), moves[1], 1);
    let deeper = searched(board, edax::search_level(9, 59), moves[1], 1);
    for (first, second, expected) in [
        (&edax, &egaroucid, &edax),
        (&egaroucid, &edax, &egaroucid),
        (&egaroucid, &deeper, &deeper),
    ] {
        let mut merged = first.clone();
        merged.merge(board, second, false);
        assert_eq!(&merged, expected);
    }
}

fn small_books() -> Vec<(Kind, Vec<u8>)> {
    let mut rng = Rng::new(42);
    let book = loop {
        let book = random_book(&mut rng, |empties| edax::search_level(6, empties), true);
        let exported = exported(&book.book, TARGETS[0]);
        if exported.len() < 40_000 {
            break book;
        }
    };
    let mut few = Graph::default();
    for (key, entry) in entries(&book).into_iter().rev().take(8) {
        *few.entry_mut(key).unwrap() = entry;
    }
    few.negamax();
    let book = made(|book| book.rewrite(0, few).unwrap());
    let [dat, egaroucid] = TARGETS.map(|target| exported(&book.book, target));
    vec![
        (Kind::Edax, dat),
        (Kind::EdaxText, TEXT.into()),
        (Kind::Egaroucid, egaroucid),
        (Kind::Zebra, zebra_book(&["f5d6c3d3c4", "f5f6", "d3c3"])),
        (Kind::NTest, ntest::testing::ntest_book()),
    ]
}

#[test]
fn every_changed_byte_and_every_cut_is_survived() {
    for (kind, bytes) in small_books() {
        assert_eq!(opened(&bytes).kind, kind);
        let (_, lines) = faults(&bytes);
        assert!(lines.is_empty(), "{kind}: {lines:#?}");
        for at in 0..bytes.len() {
            for change in [0xff, 1] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                survive(&changed);
            }
            survive(&bytes[..at]);
        }
    }
}

#[test]
fn hostile_counts_claim_no_memory() {
    for head in [
        edax_header(i32::MAX),
        b"DICUORAGE\x03\xff\xff\xff\x7f".to_vec(),
        unhex("9e0a020bffffff7f"),
        unhex("02000000ffffff7f 0000000000000000"),
    ] {
        survive(&head);
    }
}

#[test]
fn each_broken_rule_is_named() {
    let mv = |board: Board| board.moves().first().unwrap().index() as u8;
    let [start, good] = ["", "f5"].map(|moves| after(moves).canonical().0);
    let must_pass = game_boards(7, 100).find(|board| board.moves().is_empty() && !board.is_over());
    let must_pass = must_pass.unwrap().canonical().0;
    let theirs = mv(must_pass.pass());
    let turned = Board {
        player: good.player.reverse_bits(),
        opponent: good.opponent.reverse_bits(),
    };
    let both = Board {
        opponent: !0,
        ..good
    };
    let thin = Board {
        player: 0,
        opponent: 1,
    };
    let over = Board {
        player: !0 << 1,
        opponent: 0,
    };
    let leaf = (mv(good), 2);
    let none = (NONE, -127);
    let to_good = [(mv(good), 2)];
    let to_start = [(mv(start), 5)];
    let row = |board, value, links, leaf| Row {
        board,
        value,
        lower: 2,
        upper: 2,
        lines: 1,
        level: 8,
        links,
        leaf,
    };
    let sound = || row(good, 2, &[], leaf);
    let table: Vec<(Vec<Row>, &str)> = vec![
        (
            vec![row(good, 3, &[], leaf)],
            "the value +3.00 is not that of the best move",
        ),
        (vec![row(good, 100, &[], leaf)], "100 is no score in discs"),
        (vec![row(good, 2, &[], (0, 2))], "a1 is illegal"),
        (vec![row(good, 2, &[], (PASS, 2))], "a pass is illegal"),
        (vec![row(good, 2, &[], none)], "the leaf is missing, but"),
        (vec![row(good, 2, &to_good, leaf)], "appears twice"),
        (
            vec![row(good, 2, &to_good, leaf)],
            "leads to a position that is not in the book",
        ),
        (
            vec![row(start, 5, &to_start, none), sound()],
            "has the score +5.00, but its position has the value -2.00",
        ),
        (vec![sound(), sound()], "the position appears twice"),
        (vec![row(both, 2, &[], leaf)], "holds discs of both sides"),
        (vec![row(thin, 2, &[], leaf)], "the center is empty"),
        (
            vec![row(turned, 2, &[], leaf)],
            "not the least of the eight images",
        ),
        (
            vec![row(over, 2, &[], (NONE, 3))],
            "the game is over with 64 discs, not 3",
        ),
        (vec![row(must_pass, 2, &[], (theirs, 2))], "wrong side: "),
        (
            vec![row(must_pass, 2, &[], (theirs, 2))],
            "and the pass is missing",
        ),
    ];
    let lines = |rows: &[Row]| {
        let records: Vec<u8> = rows.iter().flat_map(edax::bytes).collect();
        faults(&[edax_header(rows.len() as i32), records].concat())
            .1
            .join("\n")
    };
    assert_eq!(lines(&[sound()]), "");
    for (rows, rule) in table {
        assert!(
            lines(&rows).contains(rule),
            "{rule:?} in {:?}",
            lines(&rows)
        );
    }
    let cut = [edax_header(2), unhex(AFTER_F5D6C3)].concat();
    let lines = faults(&cut).1.join("\n");
    assert!(
        lines.contains("byte 38: the header counts 2 positions, the file has 1"),
        "{lines}"
    );
    assert!(
        faults(&cut[..cut.len() - 1])
            .1
            .iter()
            .any(|line| line.contains("the file is cut off"))
    );
}

#[test]
fn what_stands_in_the_place_of_a_book_is_named() {
    let lines = |bytes: &[u8]| {
        OtherBook::of_bytes(bytes.to_vec())
            .err()
            .map(|error| error.to_string())
    };
    assert_eq!(lines(b"").unwrap(), "bytes is empty, not a book");
    assert!(
        lines(b"version https://git-lfs.github.com/spec/v1\n")
            .unwrap()
            .contains("git lfs pull")
    );
    assert!(
        lines(b"XADEKOOB\x03\x02")
            .unwrap()
            .contains("expected version 4")
    );
    assert!(
        lines(b"DICUORAGE\x09")
            .unwrap()
            .contains("expected version 3")
    );
    assert!(
        lines(&unhex("01000000 01000000 00000000 00"))
            .unwrap()
            .contains("NTest of version 1")
    );
    let packed = lines(&unhex(
        "02000000 01000000 0100 0000 0f00 0000000000000000 00000000 00000000 01000200",
    ));
    assert!(packed.unwrap().contains("compressed book of Zebra"));
    assert!(
        OtherBook::of_bytes(b"f5d6c3d3c4".to_vec())
            .unwrap()
            .is_none()
    );
}

#[test]
fn a_node_of_zebra_is_found_by_play_and_its_scores_are_blacks() {
    let made = imported(&zebra_book(&["f5d6"]));
    let entry = |moves: &str| made.book.probe(after(moves)).unwrap().unwrap().entry;
    let value = |moves: &str| entry(moves).value.unwrap().value.units();
    assert_eq!((value(""), value("f5"), value("f5d6")), (-214, 214, -214));
    let leaf = entry("f5d6");
    let score = |mv: &str| leaf.move_at(mv.parse().unwrap()).and_then(|mv| mv.score);
    assert_eq!(
        score("c4"),
        Some(MoveScore::Searched(Score::from_units(-214)))
    );
    assert_eq!(
        leaf.searched.unwrap().level.to_string(),
        "2 plies, 73 % (Zebra, level 2)"
    );
}

#[test]
fn faults_of_a_book_of_zebra_are_named_and_its_sound_nodes_read() {
    let whole = zebra_book(&["f5d6c3d3c4", "f5f6"]);
    assert_eq!(faults(&whole).1, [""; 0]);
    let mut broken = whole.clone();
    // The side to move after f5, and the deviation of a later node.
    broken[8 + 18 + 16] ^= 3;
    broken[8 + 3 * 18 + 12] = 88;
    broken.truncate(whole.len() - 7);
    let (checked, lines) = faults(&broken);
    for what in [
        "wrong side: the flags name",
        "the deviation is no legal move",
        "is cut off",
        "the header counts",
    ] {
        assert!(
            lines.iter().any(|line| line.contains(what)),
            "{what}: {lines:#?}"
        );
    }
    assert_eq!(
        checked.positions + 2,
        faults(&whole).0.positions,
        "one is cut off, one has the wrong side"
    );
}

#[test]
fn a_position_of_ntest_that_lost_a_move_below_it_has_no_value() {
    let whole = ntest::testing::ntest_book();
    let count = |bytes: &[u8]| {
        let mut book = opened(bytes);
        book.items()
            .unwrap()
            .filter(|item| matches!(item, Ok(Item::Record(_))))
            .count()
    };
    assert_eq!(count(&whole), 2);
    // The move of the start, behind two numbers, its board and its node.
    let mut broken = whole.clone();
    broken[8 + 16 + 8] = 0;
    assert_eq!(count(&broken), 0);
    let lines = faults(&broken).1.join("\n");
    assert!(
        lines.contains("is illegal") && lines.contains("a move below is illegal"),
        "{lines}"
    );
    // Cut off behind the position after it: that one is whole.
    assert_eq!(count(&whole[..8 + 16 + 8 + 1 + 8 + 1]), 1);
}

#[test]
fn a_book_of_ntest_keeps_cutoffs_and_values_without_moves() {
    let made = imported(&ntest::testing::ntest_book());
    let start = made.book.probe(Board::START).unwrap().unwrap().entry;
    assert_eq!(start.value.unwrap().value.units(), -65);
    let second = made.book.probe(after("f5")).unwrap().unwrap().entry;
    assert!(
        second.moves.is_empty() && second.best().is_none(),
        "it names no move"
    );
    assert_eq!(
        second.searched.unwrap().level.to_string(),
        "6 plies, 60 % (NTest, level 6)"
    );
    // The first search by Emilia adds a move.
    let canonical = Canonical::of(after("f5")).unwrap();
    let mut entry = made.book.entry(canonical.key()).unwrap().unwrap();
    let square = canonical.board.moves().first().unwrap();
    let answer = scored(canonical.board, [(square, Score::DISC)]);
    entry.absorb(
        canonical.board,
        &Answer {
            level: SearchLevel::own(1, 100),
            ..answer
        },
    );
    assert_eq!(entry.best().unwrap().square, square);
    assert!(entry.searched.unwrap().level.origin.is_none());
}
