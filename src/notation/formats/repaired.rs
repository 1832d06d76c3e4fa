//! Reads games with illegal moves by the smallest change that makes them legal.

use super::format::{Detected, Format, Sheet};
use super::ggf::detected;
use super::wthor::read_record;
use crate::board::{Game, Move};
use crate::notation::NamedGame;
use crate::notation::grammar::moves::MoveToken;
use crate::notation::repair::{Repairs, Turn, repairs};
use crate::notation::wthor::{GameRecord, WthorOrigin};

/// A game that was repaired.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// The game by the likeliest repair.
    pub entry: Detected,
    /// The change, and the alternatives.
    pub repairs: Repairs,
}

impl Format {
    /// Reads the one game of a text with illegal moves.
    ///
    /// `None` for a text with another fault or several games, or if no single change repairs the game.
    pub fn repair(self, text: &str) -> Option<Repaired> {
        repaired((self.0.sheet?)(text)?)
    }
}

/// The same of a game of the WTHOR base.
pub fn repair_record(origin: WthorOrigin) -> Option<Repaired> {
    let turns = origin
        .record
        .written()
        .map(|square| Turn::of(square.map(Move::Place)))
        .collect();
    let blank = GameRecord {
        moves: [0; 60],
        ..origin.record
    };
    let entry = read_record(WthorOrigin {
        record: blank,
        ..origin
    })
    .ok()?;
    repaired(Sheet::new(entry, turns))
}

fn repaired(sheet: Sheet) -> Option<Repaired> {
    let Sheet { entry, turns, end } = sheet;
    let start = entry.record.game.start();
    let repairs = repairs(start, &turns, end)?;
    let plies = &repairs.best[0].plies;
    let game =
        Game::from_moves(start, plies.iter().map(|(mv, _)| *mv)).expect("repaired games are legal");
    let entry = match (entry.ggf(), entry.wthor().cloned()) {
        (Some(mut ggf), _) => {
            // The text may omit passes.
            for (mv, turn) in plies
                .iter()
                .filter(|(mv, turn)| *mv != Move::Pass || turn.is_some())
            {
                let written = turn.and_then(|turn| turns[turn].token);
                let token = written.unwrap_or(MoveToken {
                    mv: *mv,
                    eval: None,
                    seconds: None,
                });
                ggf.push(MoveToken { mv: *mv, ..token })
                    .expect("repaired games are legal");
            }
            detected(&ggf)
        }
        (None, Some(origin)) => {
            let moves = GameRecord::from_record(&game.into())?.moves;
            read_record(WthorOrigin {
                record: GameRecord {
                    moves,
                    ..origin.record
                },
                ..origin
            })
            .ok()?
        }
        (None, None) => {
            let stated = entry.record.stated;
            let record = NamedGame {
                game,
                ..entry.record
            }
            .with_stated(stated);
            Detected {
                record,
                origin: None,
                ..entry
            }
        }
    };
    Some(Repaired { entry, repairs })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::board::testing::play_on;
    use crate::board::{Color, Position, Square};
    use crate::notation::formats::{BOARD, GGF, MOVES, PGN, SGF, WTHOR};
    use crate::notation::ggf::GgfGame;
    use crate::notation::moves;
    use crate::notation::repair::Edit;
    use crate::notation::wthor::{Header, Names};
    use crate::util::rng::Rng;

    /// A whole game, the number and square of a move, and a neighbor that makes the rest illegal.
    fn spoiled() -> (NamedGame, usize, Square, Square) {
        let game = play_on(Game::default(), u32::MAX, &mut Rng::new(1));
        assert!(game.is_over());
        let turn = 20;
        let was = game.moves()[turn].square().expect("no pass so early");
        let now = Square::at(was.file(), was.rank() ^ 1);
        assert!(game.positions()[turn].play(Move::Place(now)).is_err());
        let record = NamedGame {
            black: "ann".into(),
            white: "bob".into(),
            ..game.into()
        };
        (record, turn, was, now)
    }

    fn check(repaired: Option<Repaired>, want: &NamedGame, error: Edit) -> Detected {
        let Repaired { entry, repairs } = repaired.expect("one square was misread");
        assert_eq!(repairs.best[0].edit, error);
        assert_eq!(entry.record.game, want.game);
        assert_eq!(entry.record.result(), want.result());
        entry
    }

    #[test]
    fn every_notation_is_repaired_and_keeps_what_it_tells() {
        let (record, turn, was, now) = spoiled();
        let error = Edit::Misread {
            turn,
            was: Some(Move::Place(now)),
            now: was,
        };
        for format in [GGF, SGF, PGN, MOVES] {
            let mut text = format
                .write(&Detected::new(format, record.clone()))
                .unwrap();
            if format == MOVES {
                text = format!("{} {:+}", text.trim(), record.score().unwrap());
            }
            let spelled = |square: Square| {
                if format == GGF {
                    format!("{square:#}")
                } else {
                    square.to_string()
                }
            };
            let (good, bad) = (spelled(was), spelled(now));
            assert!(text.matches(&good).count() == 1 && format.repair(&text).is_none());
            let spoiled = text.replace(&good, &bad);
            assert!(format.parse(&spoiled).is_err());
            let entry = check(format.repair(&spoiled), &record, error);
            let is_named =
                format == MOVES || (entry.record.black == "ann" && entry.record.white == "bob");
            assert!(is_named && entry.format == format, "{entry:?}");
            // A word that is no move.
            let blot = text.replace(&good, &good.replace(|c: char| c.is_ascii_digit(), "9"));
            check(
                format.repair(&blot),
                &record,
                Edit::Misread {
                    turn,
                    was: None,
                    now: was,
                },
            );
        }
    }

    #[test]
    fn values_and_times_of_ggf_stay_at_their_turns() {
        let (record, turn, was, now) = spoiled();
        let mut ggf = GgfGame::new(Position::START);
        for (place, mv) in record.game.moves().iter().enumerate() {
            ggf.push(MoveToken {
                mv: *mv,
                eval: Some(1.5),
                seconds: Some(place as f64),
            })
            .unwrap();
        }
        let text = ggf.with_tag("RE", &record.result().to_ggf()).to_string();
        let text = text.replace(&format!("[{was:#}/"), &format!("[{now:#}/"));
        let error = Edit::Misread {
            turn,
            was: Some(Move::Place(now)),
            now: was,
        };
        let entry = check(GGF.repair(&text), &record, error);
        let plies = entry.ggf().unwrap().plies().to_vec();
        for (place, ply) in plies.iter().enumerate().filter(|(_, ply)| !ply.is_implied) {
            assert_eq!((ply.eval, ply.seconds), (Some(1.5), Some(place as f64)));
        }
        assert_eq!(
            GgfGame::parse(&entry.ggf().unwrap().to_string())
                .unwrap()
                .game(),
            &record.game
        );
    }

    #[test]
    fn games_of_the_base_keep_their_record() {
        let (record, turn, was, now) = spoiled();
        let good = GameRecord {
            black: 3,
            theoretical: 30,
            ..GameRecord::from_record(&record).unwrap()
        };
        let mut bad = good;
        bad.moves[turn] = 10 * (now.rank() + 1) + now.file() + 1;
        let origin = |record| WthorOrigin {
            record,
            header: Header::default(),
            names: Rc::new(Names::default()),
        };
        assert!(read_record(origin(bad)).is_err() && repair_record(origin(good)).is_none());
        let error = Edit::Misread {
            turn,
            was: Some(Move::Place(now)),
            now: was,
        };
        let entry = check(repair_record(origin(bad)), &record, error);
        assert_eq!((entry.format, entry.wthor().unwrap().record), (WTHOR, good));
    }

    #[test]
    fn what_is_no_illegal_game_is_not_repaired() {
        for (format, text) in [
            (MOVES, "f5d6c3"),
            (MOVES, ""),
            (MOVES, "f5 d6 good c3 c3"),
            (MOVES, "f5d6;f5f6"),
            (MOVES, "f5d6kkkk9"),
            (MOVES, "Tiger f5d6c3c3"),
            (GGF, "(;GM[Chess]B[f5]W[f5];)"),
            (GGF, "(;GM[Othello]B[f5]W[f5]"),
            (SGF, "(;FF[4]GM[3];B[f5];W[f5])"),
            (PGN, "[Black \"a\"]\n\n1. f5 f5 * 1. f5 d6 *"),
            (WTHOR, "f5f5"),
            (BOARD, "f5f5"),
        ] {
            assert!(format.repair(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_score_behind_the_moves_chooses_the_repair() {
        let (record, _, was, now) = spoiled();
        let text =
            moves::write_moves(record.game.moves()).replace(&was.to_string(), &now.to_string());
        let end = record.game.position();
        let count = |color| end.discs(color).count_ones();
        for score in [
            format!("{:+}", record.score().unwrap()),
            format!("{}-{}", count(Color::Black), count(Color::White)),
        ] {
            let found = MOVES.repair(&format!("{text} {score}")).unwrap();
            assert_eq!(found.entry.record.game, record.game, "{score}");
        }
    }
}
