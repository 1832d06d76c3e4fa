//! The words of whole sentences.

use super::*;

#[test]
fn sentences_name_the_sides_and_leave_nothing_open() {
    for board in boards().step_by(2) {
        for side in [Color::Black, Color::White] {
            let position = Position { board, side };
            let best = Vec::from_iter(board.moves().first().map(Move::Place));
            let found = Found {
                best_line: &best,
                loss: Some(6.0),
                ..Found::default()
            };
            for (square, language) in board
                .moves()
                .iter()
                .flat_map(|square| Language::ALL.map(|language| (square, language)))
            {
                let mut all = of_move(language, &position, square);
                assert!(!all.is_empty());
                all.extend(of_played(language, &position, square, &found));
                for sentence in all {
                    assert!(!sentence.contains(['{', '}', '|']), "{sentence}");
                    assert!(
                        sentence.ends_with(['.', '\u{3002}', '\u{3057}']),
                        "{sentence}"
                    );
                }
            }
        }
    }
}

#[test]
fn sentences_about_corners_have_the_words_of_players() {
    let board = Board::drawn([
        "- O X - - - - -",
        "- - - - - - - -",
        "- - - - - - - -",
        "- - - O X - - -",
        "- - - X O - - -",
        "- - - - - - - -",
        "- - - - - - - -",
        "- - - - - - - -",
    ]);
    for (square, sentence) in [
        ("a1", "Takes the corner."),
        ("a1", "Now b1 and c1 can never be turned."),
        ("f5", "Does not take the corner a1, open to Black."),
    ] {
        let square: Square = square.parse().unwrap();
        let text = sentences(Language::En, Color::Black, square, &facts(board, square));
        assert!(text.iter().any(|one| one == sentence), "{square} {text:?}");
    }
}

#[test]
fn a_mistake_has_its_faults_the_reply_and_the_better_move() {
    let position = parse_game(Position::START, "f5d6c3d3c4f4c5b3c2")
        .unwrap()
        .position();
    let [b4, c6, e3] = ["b4", "c6", "e3"].map(|name| Move::Place(name.parse().unwrap()));
    let played = b4.square().unwrap();
    let found = Found {
        best_line: &[e3],
        loss: Some(5.6),
        is_exact: false,
        played_line: &[b4, c6],
    };
    let text = of_played(Language::En, &position, played, &found);
    assert_eq!(text[0], "A mistake: about 6 discs worse than e3.");
    assert!(
        text.iter()
            .all(|sentence| !sentence.contains("The best move")),
        "{text:?}"
    );
    // A reply without a merit is no reason.
    assert!(
        text.iter().all(|sentence| !sentence.contains("c6")),
        "{text:?}"
    );
    let takes = Found {
        played_line: &[b4, e3],
        ..found
    };
    let replied = of_played(Language::En, &position, played, &takes);
    let is_legal = position
        .play(b4)
        .unwrap()
        .board
        .play(e3.square().unwrap())
        .is_some();
    assert_eq!(
        replied.contains(&"Black then goes to e3 itself.".to_owned()),
        is_legal,
        "{replied:?}"
    );
    let exact = Found {
        is_exact: true,
        loss: Some(12.0),
        ..found
    };
    assert_eq!(
        of_played(Language::En, &position, played, &exact)[0],
        "A blunder: 12 discs worse than e3."
    );
    let good = Found {
        best_line: &[b4],
        loss: Some(0.0),
        ..found
    };
    assert_eq!(
        of_played(Language::En, &position, played, &good)[0],
        "The best move."
    );
}

#[test]
fn a_good_move_has_its_merits_first_and_its_faults_after_a_but() {
    let mut alone = 0;
    let mut after_praise = 0;
    for game in GAMES.map(|game| parse_game(Position::START, game).unwrap()) {
        for position in game.positions() {
            for square in position.board.moves() {
                let best = [Move::Place(square)];
                let good = Found {
                    best_line: &best,
                    loss: Some(0.0),
                    ..Found::default()
                };
                let all = reasons(position.board, square);
                let faults = all
                    .iter()
                    .filter(|reason| reason.fact.is_fault())
                    .map(|reason| reason.fact);
                let faults =
                    sentences(Language::En, position.side, square, &Vec::from_iter(faults));
                let praised = of_played(Language::En, position, square, &good);
                let says_fault = praised.iter().any(|sentence| faults.contains(sentence));
                let has_but = praised.iter().any(|sentence| sentence.starts_with("But "));
                assert!(
                    has_but || !says_fault || praised[0] != "The best move.",
                    "{praised:?}"
                );
                for (text, count) in [
                    (
                        because(
                            Language::En,
                            position,
                            square,
                            &good,
                            false,
                            &mut Told::default(),
                        ),
                        &mut alone,
                    ),
                    (praised, &mut after_praise),
                ] {
                    let but = text
                        .iter()
                        .position(|sentence| sentence.starts_with("But "));
                    let fault = text.iter().position(|sentence| faults.contains(sentence));
                    *count += u32::from(but.is_some());
                    assert!(but != Some(0), "a but follows something: {text:?}");
                    assert!(
                        but != Some(1) || text[0] != "The only legal move.",
                        "{text:?}"
                    );
                    let is_ordered = fault.is_none_or(|at| but.is_none_or(|but| but < at));
                    assert!(is_ordered, "faults come last: {text:?}");
                }
            }
        }
    }
    assert!(
        alone > 100 && after_praise > alone,
        "{alone} {after_praise}"
    );
}

/// A game of two beginners.
const BEGINNERS: &str = "e6f6c4d6f5g4d7c5f4e7g5e3c6b5c7b6d3b3h4c3b4g3e2h3d8c2a4h6a7f3h5e8d2e1f8g6f1g1a3b2d1c1f2b8f7a6a2a5h7h8c8a8b7g7g8h2g2a1b1h1";

/// The sentences about move `number` of the game of beginners; `best` is proven better by `loss` discs.
fn said_of(number: usize, best: &str, loss: f64, reply: Option<&str>) -> Vec<String> {
    let moves = &BEGINNERS[..2 * number];
    let position = parse_game(Position::START, &moves[..moves.len() - 2])
        .unwrap()
        .position();
    let place = |name: &str| Move::Place(name.parse().unwrap());
    let played = place(&moves[moves.len() - 2..]);
    let played_line = Vec::from_iter([played].into_iter().chain(reply.map(place)));
    let found = Found {
        best_line: &[place(best)],
        loss: Some(loss),
        is_exact: true,
        played_line: &played_line,
    };
    of_played(Language::En, &position, played.square().unwrap(), &found)
}

#[test]
fn sentences_about_a_move_compare_it_with_the_best() {
    // Neither h7 nor c8 takes anything from White at a8; only h7 gives h8 as well.
    let blunder = [
        "A blunder: 14 discs worse than c8.",
        "Lets White take the corner h8.",
        "The region g7, h7, g8 and h8 has 4 squares and, filled move by move, ends with White.",
        "The best reply is a8: takes the corner.",
        "c8 instead: threatens to take the corner a8.",
    ];
    assert_eq!(said_of(49, "c8", 14.0, Some("a8")), blunder);
    // The best move does not take a1 from White, either.
    assert!(
        said_of(54, "h2", 10.0, Some("g8"))
            .iter()
            .all(|sentence| !sentence.contains("a1"))
    );
    // The corner is named, though another was taken.
    let instead = said_of(50, "a8", 8.0, Some("c8")).pop();
    assert_eq!(instead.as_deref(), Some("a8 instead: takes the corner."));
    let only = [
        "The only legal move.",
        "Takes the corner.",
        "Ends the game, as neither side has a move.",
    ];
    assert_eq!(said_of(60, "h1", 0.0, None), only);
}

#[test]
fn no_merit_is_a_fault() {
    let plain = |fact: &Fact| {
        matches!(
            fact,
            Fact::Only | Fact::Moves(_) | Fact::Corner | Fact::Passes | Fact::Ends
        )
    };
    for board in boards() {
        for square in board.moves() {
            let all = reasons(board, square);
            for Reason { fact, .. } in &all {
                let kinds = [fact.is_merit(), fact.is_fault(), plain(fact)];
                assert_eq!(kinds.into_iter().filter(|is| *is).count(), 1, "{fact:?}");
            }
            assert!(
                chosen(&all, -1.0, usize::MAX)
                    .iter()
                    .all(|fact| !fact.is_merit())
            );
            assert!(
                chosen(&all, 1.0, usize::MAX)
                    .iter()
                    .all(|fact| !fact.is_fault())
            );
        }
    }
}

#[test]
fn a_corner_that_stays_open_is_named_once() {
    let mut told = Told::default();
    let mut texts = Vec::new();
    for (position, mv) in parse_game(Position::START, BEGINNERS).unwrap().steps() {
        let Some(square) = mv.square() else { continue };
        texts.extend(because(
            Language::En,
            &position,
            square,
            &Found::default(),
            false,
            &mut told,
        ));
    }
    let corners = |text: &&String| {
        text.contains("can still take the corner") || text.contains("oes not take the corner")
    };
    let mut named: Vec<&str> = texts
        .iter()
        .filter(corners)
        .map(|text| text.trim_start_matches("But "))
        .collect();
    named.sort();
    assert!(
        named.len() > 2
            && named
                .windows(2)
                .all(|pair| !pair[0].eq_ignore_ascii_case(pair[1])),
        "{named:?}"
    );
}
