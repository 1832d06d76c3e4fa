//! Clocks, margins, faults and early ends of games.

use super::*;
use crate::board::{Move, Square};
use crate::tournament::players::spec::Spec;

const MS: Duration = Duration::from_millis(1);

/// Plays the first legal square after the next of these times, the last one for the rest; `then` from ply `from` on.
struct Scripted {
    times: Vec<Duration>,
    from: usize,
    then: Result<Option<Move>, Fault>,
    /// It sees Black ahead by 20 discs, from this ply on.
    judges_from: usize,
    seen: Vec<Duration>,
}

fn scripted(ms: &[u32]) -> Scripted {
    let times = ms.iter().map(|&ms| ms * MS).collect();
    Scripted {
        times,
        from: usize::MAX,
        then: Ok(None),
        judges_from: usize::MAX,
        seen: Vec::new(),
    }
}

impl Player for Scripted {
    fn new_game(&mut self, _budget: &Budget) -> Result<(), Fault> {
        Ok(())
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<MoveReply, Fault> {
        let time = self.times[self.seen.len().min(self.times.len() - 1)];
        self.seen.push(request.left[0]);
        let first = request
            .game
            .position()
            .board
            .moves()
            .first()
            .map(Move::Place);
        let plies = request.game.moves().len();
        let mv = if plies >= self.from {
            self.then.clone()?
        } else {
            first
        };
        let lead = match request.side() {
            Color::Black => 20.0,
            Color::White => -20.0,
        };
        let eval = (plies >= self.judges_from).then_some(lead);
        Ok(MoveReply {
            mv,
            note: Note { eval, time },
        })
    }
}

fn rules(time: Clock) -> Rules {
    Rules {
        margin: 100 * MS,
        ..Rules::new(Budget {
            time,
            ..Budget::FREE
        })
    }
}

fn clock(main: u32, increment: u32) -> Clock {
    Clock::Search(crate::search::Clock::Game {
        remaining: main * MS,
        increment: increment * MS,
    })
}

/// A game with these clocks and margins of the sides.
fn with_terms(
    players: [&mut dyn Player; 2],
    terms: [(Clock, Duration); 2],
    rules: &Rules,
) -> GameOutcome {
    let mut terms = terms.into_iter();
    let sides = players.map(|player| {
        let (time, margin) = terms.next().unwrap();
        Side {
            player,
            budget: Budget {
                time,
                ..rules.budget
            },
            margin,
        }
    });
    play(
        &Game::default(),
        sides,
        rules,
        &mut Adjudicator::default(),
        &|| false,
    )
    .unwrap()
}

fn game(rules: Rules, black: &mut Scripted, white: &mut Scripted) -> GameOutcome {
    with_terms(
        [black, white],
        [(rules.budget.time, rules.margin); 2],
        &rules,
    )
}

fn is_late(outcome: &GameOutcome, side: Color) -> bool {
    matches!(&outcome.ending, Ending::Forfeit(loser, Fault::Time { .. }) if *loser == side)
}

#[test]
fn clocks_run_with_increments() {
    let mut black = scripted(&[30]);
    let mut white = scripted(&[10]);
    let record = game(rules(clock(1000, 10)), &mut black, &mut white);
    assert_eq!(black.seen[..3], [1000 * MS, 980 * MS, 960 * MS]);
    assert!(white.seen.iter().all(|&left| left == 1000 * MS));
    assert_eq!(record.ending, Ending::Played);
    assert_eq!(record.game.final_score(Color::Black), Some(record.discs));
    assert_eq!(record.notes.len(), record.game.moves().len());
}

#[test]
fn a_period_begins_again_after_its_moves() {
    let period = |moves, time: u32| Clock::Period {
        moves,
        time: time * MS,
    };
    let mut black = scripted(&[30]);
    let mut white = scripted(&[10]);
    let record = game(rules(period(3, 100)), &mut black, &mut white);
    let seen = [100, 70, 40, 100, 70, 40, 100].map(|left| left * MS);
    assert_eq!(black.seen[..7], seen);
    assert_eq!(white.seen[..4], [100, 90, 80, 100].map(|left| left * MS));
    assert_eq!(record.ending, Ending::Played);
    // The moves of a period are 10 and 50 ms late, then 10, 50 and 50: the margin of 100 ms is that of a period.
    let record = game(
        rules(period(3, 90)),
        &mut scripted(&[50]),
        &mut scripted(&[1]),
    );
    assert_eq!(record.ending, Ending::Played);
    let record = game(
        rules(period(3, 40)),
        &mut scripted(&[50]),
        &mut scripted(&[1]),
    );
    assert!(is_late(&record, Color::Black));
}

#[test]
fn each_side_has_its_own_clock_and_margin() {
    let rules = rules(Clock::per_move(10 * MS));
    let mut black = scripted(&[50]);
    let mut white = scripted(&[50]);
    let short = (clock(500, 0), Duration::ZERO);
    let own = (Clock::per_move(10 * MS), 39 * MS);
    let record = with_terms([&mut black, &mut white], [short, own], &rules);
    // White has 10 ms and 39 more; Black's clock would hold.
    assert!(is_late(&record, Color::White));
    assert_eq!(black.seen, [500 * MS]);
    let mut black = scripted(&[50]);
    let free = (Clock::UNLIMITED, Duration::ZERO);
    assert!(is_late(
        &with_terms([&mut black, &mut white], [short, free], &rules),
        Color::Black
    ));
    // The clock of 500 ms allows ten moves of 50.
    assert_eq!(black.seen.len(), 11);
}

#[test]
fn a_fallen_flag_loses_and_the_margin_forgives() {
    let record = game(
        rules(clock(100, 0)),
        &mut scripted(&[1]),
        &mut scripted(&[60]),
    );
    // The second move is 20 ms late, the third 60 more, the fourth would make it 140.
    assert!(is_late(&record, Color::White));
    assert_eq!(
        (record.discs, record.game.moves().len()),
        (FORFEIT_DISCS, 7)
    );
    for late in [1, 10, 100] {
        for (margin, is_lost) in [(late - 1, true), (late, false), (late + 1, false)] {
            for time in [Clock::per_move(50 * MS), clock(50, 50)] {
                let rules = Rules {
                    margin: margin * MS,
                    ..rules(time)
                };
                // Late once: with a clock for the game each late move uses up some of the margin.
                let record = game(rules, &mut scripted(&[50 + late, 0]), &mut scripted(&[1]));
                let lost = is_late(&record, Color::Black);
                assert_eq!(
                    lost, is_lost,
                    "{late} ms late, a margin of {margin}, {time:?}"
                );
            }
        }
    }
}

#[test]
fn an_illegal_move_loses_with_its_reason_and_resigning_is_no_fault() {
    let corner = Move::Place("a1".parse::<Square>().unwrap());
    for (then, word, is_fault) in [
        (Ok(Some(corner)), "illegal", true),
        (Ok(Some(Move::Pass)), "illegal", true),
        (Err(Fault::Chatter), "chatter", true),
        (Ok(None), RESIGNED, false),
    ] {
        let mut black = Scripted {
            from: 4,
            then,
            ..scripted(&[1])
        };
        let record = game(rules(Clock::UNLIMITED), &mut black, &mut scripted(&[1]));
        assert_eq!(
            (record.ending.word(), record.ending.loser()),
            (word, Some(Color::Black))
        );
        assert_eq!(matches!(record.ending, Ending::Forfeit(..)), is_fault);
        assert_eq!(
            (record.discs, record.game.moves().len()),
            (-FORFEIT_DISCS, 4)
        );
        assert_eq!(record.notes.len(), 4);
    }
}

#[test]
fn a_cancelled_game_and_its_faults_are_no_result() {
    let rules = rules(Clock::UNLIMITED);
    // Cancelled at the first look, after the crash of Black's second move, and never.
    for looks in [0, 3, 4] {
        let mut black = Scripted {
            from: 2,
            then: Err(Fault::Crash("killed".into())),
            ..scripted(&[1])
        };
        let mut white = scripted(&[1]);
        let players: [&mut dyn Player; 2] = [&mut black, &mut white];
        let sides = players.map(|player| Side {
            player,
            budget: rules.budget,
            margin: rules.margin,
        });
        let looked = std::cell::Cell::new(0);
        let is_cancelled = || looked.replace(looked.get() + 1) >= looks;
        let outcome = play(
            &Game::default(),
            sides,
            &rules,
            &mut Adjudicator::default(),
            &is_cancelled,
        );
        assert_eq!(outcome.is_none(), looks < 4, "{looks}: {outcome:?}");
    }
}

#[test]
fn scores_of_both_players_end_a_game_that_is_not_over() {
    let judged = |black_from, white_from| {
        let judge = |judges_from| Scripted {
            judges_from,
            ..scripted(&[1])
        };
        let rules = Rules {
            resign: "20,2".parse().ok(),
            ..rules(Clock::UNLIMITED)
        };
        game(rules, &mut judge(black_from), &mut judge(white_from))
    };
    let whole = judged(0, usize::MAX);
    assert_eq!(whole.ending, Ending::Played, "White gave no score");
    let short = judged(0, 10);
    let plies = short.game.moves().len();
    assert_eq!((&short.ending, short.discs), (&Ending::Adjudicated, 20));
    assert_eq!((plies, short.result().to_ggf().as_str()), (14, "+20.00"));
    // The last two moves of each side agree once the game is over.
    let end = whole.game.moves().len();
    let at_the_end = judged(end - 4, end - 4);
    assert_eq!(at_the_end.ending, Ending::Played);
    assert_eq!(at_the_end.discs, whole.discs);
}

#[test]
fn adjudication_ends_games_with_the_result_of_best_play() {
    let rules = Rules {
        adjudicate: Some(6),
        ..rules(Clock::UNLIMITED)
    };
    let exact: Spec = "emilia:level=2,solve-from=6".parse().unwrap();
    for seed in 0..3 {
        let record = |rules: &Rules| {
            let [mut black, mut white] = [0, 1].map(|_| exact.start(seed, Duration::ZERO).unwrap());
            let terms = [(rules.budget.time, rules.margin); 2];
            with_terms([&mut *black, &mut *white], terms, rules)
        };
        let short = record(&rules);
        let whole = record(&Rules {
            adjudicate: None,
            ..rules
        });
        if short.ending == Ending::Adjudicated {
            assert!(short.game.position().board.empty_count() <= 6);
            assert_eq!(
                short.discs, whole.discs,
                "exact players end where the judge does"
            );
        }
    }
}
