//! A store finds the answers that were kept, even in a damaged file.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::analysis::judge::judge;
use crate::board::testing::{random_ending, random_position};
use crate::board::{Board, Move, SquareSet};
use crate::eval::Evaluator;
use crate::search::{Clock, Handicap, Limits, Options, Search, Selectivity, Silent, Stop, Task};
use crate::util::rng::Rng;
use crate::util::testing::file_in;

const LIMIT: u64 = 1 << 20;

static WARNINGS: AtomicUsize = AtomicUsize::new(0);

fn hush(_: &dyn Display) {}

fn open(folder: &TempDir) -> Store {
    Store::open(folder.path(), LIMIT, "test".into(), false, hush).unwrap()
}

fn with(store: Store, searcher: &str, is_literal: bool) -> Store {
    Store {
        searcher: searcher.into(),
        is_literal,
        ..store
    }
}

fn log_of(folder: &TempDir) -> PathBuf {
    folder.path().join("answers")
}

fn question(board: Board, limits: Limits) -> Question {
    Question::of(Task::new(board, limits))
}

fn searched(question: &Question) -> Judgement {
    let mut search = Search::new(
        &Options {
            threads: 1,
            hash_mib: 1,
        },
        Evaluator::Classic.into(),
    );
    judge(&mut search, question, &Stop::new(), &mut Silent)
}

/// The judgement without its time, which a store does not keep.
fn timeless(mut judgement: Judgement) -> Judgement {
    judgement.info.time = Duration::ZERO;
    judgement
}

/// Positions of all kinds that have an answer, one of them with a pass, with the answers of a search of two plies.
fn answered() -> Vec<(Question, Judgement)> {
    let mut endings = (0..).map(|seed| random_ending(&mut Rng::new(seed), 6));
    let pass = endings
        .find(|board| board.moves().is_empty())
        .expect("some must pass");
    let boards = (0..30).map(|seed| random_position(&mut Rng::new(seed), 10 + seed as u32));
    let boards: Vec<Board> = boards.chain([pass]).collect();
    let ask = |board: Board| {
        let played = board.moves().iter().last().map(Move::Place);
        let multi_pv = 1 + board.moves().len() as usize % 3;
        let task = Task {
            multi_pv,
            ..Task::new(board, Limits::depth(2))
        };
        Question {
            losses: true,
            played,
            ..Question::of(task)
        }
    };
    boards
        .into_iter()
        .map(ask)
        .map(|question| (question, timeless(searched(&question))))
        .collect()
}

#[test]
fn a_kept_answer_is_found_for_all_images_and_by_others() {
    let folder = TempDir::new().unwrap();
    let writer = open(&folder);
    let reader = open(&folder);
    for (question, judgement) in &answered() {
        assert_eq!(writer.find(question), None);
        writer.keep(question, judgement);
        for store in [&writer, &reader, &open(&folder)] {
            for symmetry in Symmetry::all() {
                let found = store.find(&question.mapped(symmetry)).expect("it is kept");
                assert_eq!(mapped(found, symmetry.inverse()), *judgement);
            }
        }
    }
    let literal = with(open(&folder), "test", true);
    for (question, judgement) in &answered() {
        assert_eq!(literal.find(question).as_ref(), Some(judgement));
        let board = question.task.board;
        let turned = Symmetry::all()
            .find(|symmetry| symmetry.apply(board) != board)
            .unwrap();
        assert_eq!(literal.find(&question.mapped(turned)), None);
    }
    assert!(
        writer
            .to_string()
            .ends_with(": 248 answers found, 31 added, 31 in all"),
        "{writer}"
    );
}

#[test]
fn a_proof_of_one_move_does_not_hide_that_of_all() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder);
    let mut endings = (0..).map(|seed| random_ending(&mut Rng::new(seed), 8));
    let board = endings
        .find(|board| board.moves().len() > 3)
        .expect("some have moves");
    let of = |multi_pv, limits| {
        let question = question(board, limits);
        Question {
            task: Task {
                multi_pv,
                ..question.task
            },
            ..question
        }
    };
    for multi_pv in [3, 1] {
        let question = of(multi_pv, Limits::exact());
        store.keep(&question, &searched(&question));
    }
    let found = store
        .find(&of(3, Limits::depth(20)))
        .expect("three moves were proven");
    assert_eq!(found.info.lines.len(), 3);
    assert!(open(&folder).find(&of(3, Limits::depth(20))).is_some());
}

#[test]
fn another_question_is_not_answered() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder);
    let board = random_position(&mut Rng::new(3), 30);
    let base = question(board, Limits::depth(3));
    store.keep(&base, &searched(&base));
    assert!(store.find(&base).is_some());
    let Task { limits, .. } = base.task;
    let square = board.moves().first().unwrap();
    let task = |task| Question { task, ..base };
    let by = |limits| Question {
        task: Task {
            limits,
            ..base.task
        },
        ..base
    };
    let others = [
        task(Task {
            multi_pv: 2,
            ..base.task
        }),
        task(Task {
            allowed: !SquareSet(square.bit()),
            ..base.task
        }),
        task(Task {
            draw_value: 1,
            ..base.task
        }),
        task(Task {
            handicap: Handicap::of_sight(50, 50, 1),
            ..base.task
        }),
        task(Task {
            board: board.play(square).unwrap(),
            ..base.task
        }),
        by(Limits { depth: 4, ..limits }),
        by(Limits {
            exact_empties: 9,
            ..limits
        }),
        by(Limits {
            selectivity: Selectivity::P87,
            ..limits
        }),
        by(Limits {
            nodes: Some(0),
            ..limits
        }),
        by(Limits {
            clock: Clock::Move(Duration::ZERO),
            ..limits
        }),
        by(Limits {
            clock: Clock::Game {
                remaining: Duration::ZERO,
                increment: Duration::ZERO,
            },
            ..limits
        }),
        by(Limits {
            goal: Goal::WinLossDraw,
            ..limits
        }),
        by(Limits {
            goal: Goal::Exact,
            ..limits
        }),
        Question {
            played: Some(Move::Place(square)),
            ..base
        },
        Question {
            losses: true,
            ..base
        },
        Question {
            confidence: Some(0.5),
            ..base
        },
    ];
    for other in others {
        assert_eq!(store.find(&other), None, "{other:?}");
    }
    assert_eq!(with(open(&folder), "another", false).find(&base), None);
}

#[test]
fn an_exact_score_answers_every_question_of_it() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder);
    let board = random_position(&mut Rng::new(8), 50);
    let moves = board.moves().len() as usize;
    assert!(moves > 2);
    let exact = question(board, Limits::exact());
    let all = Question {
        task: Task {
            multi_pv: moves,
            ..exact.task
        },
        ..exact
    };
    store.keep(&all, &searched(&all));
    let store = with(store, "another", false);
    let played = board.moves().iter().map(Move::Place).last();
    for limits in [
        Limits::exact(),
        Limits::depth(1),
        Limits {
            nodes: Some(5),
            ..Limits::depth(60)
        },
    ] {
        let found = store
            .find(&Question {
                played,
                ..question(board, limits)
            })
            .expect("it is proven");
        let best = &found.info.lines[0];
        let lost = found.played.as_ref().unwrap();
        assert_eq!(
            (found.info.lines.len(), best.proof, lost.proof),
            (1, Proof::Exact, Proof::Exact)
        );
        let anew = searched(&Question { played, ..exact });
        assert_eq!(
            (best.bound, found.loss()),
            (anew.info.lines[0].bound, anew.loss())
        );
    }
    let wld = question(board, Limits::win_loss_draw());
    let found = store.find(&wld).unwrap();
    let anew = searched(&wld);
    assert_eq!(found.info.lines[0].known(), anew.info.lines[0].known());
    // The best of other moves is unknown.
    let other = question(board, Limits::depth(1));
    let avoid = Task {
        allowed: !SquareSet(board.moves().first().unwrap().bit()),
        ..other.task
    };
    assert_eq!(
        store.find(&Question {
            task: avoid,
            ..other
        }),
        None
    );
    let weak = Task {
        handicap: Handicap::of_sight(50, 50, 1),
        ..other.task
    };
    assert!(
        store
            .find(&Question {
                task: weak,
                ..other
            })
            .is_none(),
        "a weak player does not know it"
    );
    assert_eq!(
        with(store, "another", true).find(&other),
        None,
        "a search now might name another of equal moves"
    );
}

#[test]
fn one_proven_move_says_nothing_of_the_second() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder);
    let one = question(random_position(&mut Rng::new(8), 50), Limits::exact());
    let judgement = searched(&one);
    store.keep(&one, &judgement);
    let two = Question {
        task: Task {
            multi_pv: 2,
            limits: Limits::depth(1),
            ..one.task
        },
        ..one
    };
    assert_eq!(store.find(&two), None);
    for mv in one.task.board.moves().iter().map(Move::Place) {
        let found = store.find(&Question {
            played: Some(mv),
            ..one
        });
        let loss = (mv == judgement.info.lines[0].pv[0]).then_some(Some(0.0));
        assert_eq!(found.map(|found| found.loss()), loss, "{mv}");
    }
}

#[test]
fn a_torn_end_is_cut_off_and_the_rest_stays() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder);
    let answered = answered();
    let [first, second, third] = [&answered[0], &answered[1], &answered[2]];
    store.keep(&first.0, &first.1);
    let whole = fs::read(log_of(&folder)).unwrap();
    store.keep(&second.0, &second.1);
    let both = fs::read(log_of(&folder)).unwrap();
    for length in 0..=both.len() {
        let other = TempDir::new().unwrap();
        file_in(&other, "answers", &both[..length]);
        let store = open(&other);
        assert_eq!(store.find(&first.0).is_some(), length >= whole.len());
        assert_eq!(store.find(&second.0).is_some(), length == both.len());
        store.keep(&third.0, &third.1);
        for store in [&store, &open(&other)] {
            assert_eq!(
                store.find(&third.0).as_ref(),
                Some(&third.1),
                "cut at {length}"
            );
            assert_eq!(store.find(&first.0).is_some(), length >= whole.len());
        }
    }
}

#[test]
fn a_damaged_file_never_gives_another_answer() {
    let folder = TempDir::new().unwrap();
    let store = open(&folder);
    let answered: Vec<_> = answered().into_iter().take(3).collect();
    answered
        .iter()
        .for_each(|(question, judgement)| store.keep(question, judgement));
    let whole = fs::read(log_of(&folder)).unwrap();
    let warn = |_: &dyn Display| {
        WARNINGS.fetch_add(1, Ordering::Relaxed);
    };
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (place % 8);
        let other = TempDir::new().unwrap();
        file_in(&other, "answers", &bytes);
        WARNINGS.store(0, Ordering::Relaxed);
        let Ok(store) = Store::open(other.path(), LIMIT, "test".into(), false, warn) else {
            assert!(place < 24, "byte {place}: the records are not lost");
            continue;
        };
        let found = answered.iter().filter(|(question, judgement)| {
            let found = store.find(question);
            assert!(
                found.is_none() || found.as_ref() == Some(judgement),
                "byte {place}"
            );
            found.is_some()
        });
        assert_eq!(found.count(), 2, "byte {place}");
        // New answers follow, and only damage at the end may look like a torn record.
        answered
            .iter()
            .for_each(|(question, judgement)| store.keep(question, judgement));
        assert!(
            answered
                .iter()
                .all(|(question, _)| open(&other).find(question).is_some())
        );
        assert!(WARNINGS.load(Ordering::Relaxed) <= 1);
    }
}

#[test]
fn the_oldest_go_first_and_proofs_last() {
    let folder = TempDir::new().unwrap();
    let open_small = || Store::open(folder.path(), 2_000, "test".into(), false, hush).unwrap();
    let store = open_small();
    let other = open_small();
    let answered = answered();
    let exact = question(random_position(&mut Rng::new(8), 50), Limits::exact());
    store.keep(&exact, &searched(&exact));
    let length = || fs::metadata(log_of(&folder)).unwrap().len();
    let mut before = 0;
    let mut last = 0;
    while length() >= before {
        before = length();
        store.keep(&answered[last].0, &answered[last].1);
        last += 1;
    }
    assert!(
        length() <= 1_024 && before <= 2_000,
        "{before}, {}",
        length()
    );
    // All go on with the new file.
    for store in [&store, &other, &open(&folder)] {
        assert!(store.find(&exact).is_some() && store.find(&answered[last - 1].0).is_some());
        assert!(store.find(&answered[0].0).is_none());
    }
    other.keep(&answered[0].0, &answered[0].1);
    assert!(store.find(&answered[0].0).is_some());
}

#[test]
fn several_writers_lose_nothing() {
    let folder = TempDir::new().unwrap();
    let answered = answered();
    std::thread::scope(|scope| {
        for part in 0..3 {
            let folder = &folder;
            let answered = &answered;
            scope.spawn(move || {
                let store = open(folder);
                for (question, judgement) in answered.iter().skip(part).step_by(3) {
                    store.keep(question, judgement);
                }
            });
        }
    });
    let store = open(&folder);
    assert!(
        answered
            .iter()
            .all(|(question, judgement)| store.find(question).as_ref() == Some(judgement))
    );
}

#[test]
fn a_foreign_file_is_refused() {
    let folder = TempDir::new().unwrap();
    let refusal = |bytes: &[u8]| {
        file_in(&folder, "answers", bytes);
        Store::open(folder.path(), LIMIT, String::new(), false, hush)
            .map(drop)
            .unwrap_err()
            .to_string()
    };
    let path = log_of(&folder);
    let foreign = format!(
        "{} is no file of answers of this version's: give another folder, or remove it",
        path.display()
    );
    for bytes in [&b"f5d6c3\n"[..], b"EMILIAS9xxxxxxxxxxxxxxxxxxxxxxxx", b"x"] {
        assert_eq!(refusal(bytes), foreign);
    }
    let file = Store::open(&path, LIMIT, String::new(), false, hush)
        .map(drop)
        .unwrap_err()
        .to_string();
    assert!(
        file.starts_with(&format!("making the folder {}: ", path.display())),
        "{file}"
    );
}
