//! A game of a match as a line of GGF. The comment holds the rest: `CO[match seed=1 …; game 17; plies 8; end time; …]`.

use std::fmt::Display;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};

use super::referee::{ADJUDICATED, Ending, GameOutcome, PLAYED, RESIGNED};
use crate::board::{Color, Game};
use crate::notation::GameResult;
use crate::notation::ggf::GgfGame;
use crate::notation::moves::{MoveToken, write_moves};
use crate::tournament::players::Clock;

#[derive(Debug)]
pub struct Finished {
    /// Number in the schedule, from 0.
    pub game: usize,
    pub names: [String; 2],
    pub times: [Clock; 2],
    pub opening_plies: usize,
    pub outcome: GameOutcome,
    /// The last lines of traffic with the loser by a fault.
    pub tail: Vec<String>,
}

/// The facts of a game for the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Number in the schedule, from 0.
    pub game: usize,
    pub names: [String; 2],
    /// Black's final disc difference.
    pub discs: i32,
    /// `played`, `adjudicated`, `resigned`, or the word of the fault that lost the game.
    pub end: String,
    /// The side that resigned or lost by a fault.
    pub loser: Option<Color>,
    /// [`game_key`] of its moves.
    pub moves: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LoggedGame {
    pub identity: String,
    pub summary: Summary,
    pub opening: Game,
}

impl Finished {
    pub fn summary(&self) -> Summary {
        let GameOutcome {
            game,
            discs,
            ending,
            ..
        } = &self.outcome;
        Summary {
            game: self.game,
            names: self.names.clone(),
            discs: *discs,
            end: ending.word().to_owned(),
            loser: ending.loser(),
            moves: game_key(game),
        }
    }
}

impl Summary {
    /// Whether it was lost by a defect, see [`crate::tournament::players::Fault::is_defect`].
    pub fn is_defect(&self) -> bool {
        self.fault().is_some() && self.end != "time"
    }

    /// The loser by a fault other than resigning.
    pub fn fault(&self) -> Option<Color> {
        self.loser.filter(|_| self.end != RESIGNED)
    }
}

/// A checksum of the start and moves of a game.
pub fn game_key(game: &Game) -> u32 {
    crc32fast::hash(format!("{:?} {}", game.start(), write_moves(game.moves())).as_bytes())
}

/// A line of the match with this [`super::identity::Identity`].
pub fn write_game(finished: &Finished, identity: impl Display) -> GgfGame {
    let Finished {
        game,
        names,
        times,
        opening_plies,
        outcome,
        ..
    } = finished;
    let mut comment = format!(
        "match {identity}; game {game}; plies {opening_plies}; end {}",
        outcome.ending.word()
    );
    comment.extend(outcome.ending.loser().map(|color| format!(" {color}")));
    if let Ending::Forfeit(_, fault) = &outcome.ending {
        comment += &format!("; {fault}");
    }
    let mut game = GgfGame::new(outcome.game.start())
        .with_tag("PC", "emilia match")
        .with_tag("DT", &utc(SystemTime::now()))
        .with_tag("PB", &names[0])
        .with_tag("PW", &names[1]);
    let clocks = times.map(|time| time.to_ggf().to_string());
    let tags: &[_] = if clocks[0] == clocks[1] {
        &[("TI", 0)]
    } else {
        &[("TB", 0), ("TW", 1)]
    };
    for &(tag, side) in tags {
        game = game.with_tag(tag, &clocks[side]);
    }
    game = game.with_tag("RE", &outcome.result().to_ggf()).with_tag(
        "CO",
        &comment.replace(|c: char| !c.is_ascii() || c == ']', "?"),
    );
    for (i, (&mv, note)) in outcome.game.moves().iter().zip(&outcome.notes).enumerate() {
        // The moves of the opening have no time.
        let seconds = (i >= *opening_plies).then_some(note.time.as_secs_f64());
        game.push(MoveToken {
            mv,
            eval: note.eval,
            seconds,
        })
        .expect("the referee judged every move");
    }
    game
}

/// The time as GGS writes it, `2026.11.20_10:45:00.UTC`.
fn utc(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let days = (seconds / 86_400) as i64;
    let rest = seconds % 86_400;
    // Days to a date by Howard Hinnant's civil_from_days: years that begin in March.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let hour = rest / 3_600;
    let minute = rest / 60 % 60;
    let second = rest % 60;
    format!("{year}.{month:02}.{day:02}_{hour:02}:{minute:02}:{second:02}.UTC")
}

/// Parses a line of [`write_game`].
///
/// # Errors
/// When it is no game of a match, or its moves give another result.
pub fn read_game(line: &str) -> Result<LoggedGame> {
    let game = GgfGame::parse(line)?;
    let comment = game
        .tag("CO")
        .context("a game without the comment of a match")?;
    let field = |name: &str| {
        comment
            .split("; ")
            .find_map(|part| part.strip_prefix(name)?.strip_prefix(' '))
            .map(str::trim)
    };
    let identity = field("match")
        .context("a game without the comment of a match")?
        .to_owned();
    let number = field("game")
        .and_then(|text| text.parse().ok())
        .context("no game number")?;
    let end = field("end").context("no ending")?;
    let (end, loser) = match end.split_once(' ') {
        Some((fault, "black")) => (fault, Some(Color::Black)),
        Some((fault, "white")) => (fault, Some(Color::White)),
        None if matches!(end, PLAYED | ADJUDICATED) => (end, None),
        _ => bail!("ending `{end}`"),
    };
    let written = game.tag("RE").unwrap_or_default();
    let result = GameResult::of_ggf(written).filter(|result| result.to_ggf() == written);
    let discs = result
        .and_then(GameResult::score)
        .context("no result in discs")?;
    if end == PLAYED {
        let truth = game
            .game()
            .final_score(Color::Black)
            .context("the game is played out, but its moves end early")?;
        ensure!(
            truth == discs,
            "the result is {discs:+}, but the moves give {truth:+}"
        );
    }
    let plies = field("plies")
        .and_then(|text| text.parse().ok())
        .context("no length of its opening")?;
    ensure!(
        plies <= game.game().moves().len(),
        "an opening of {plies} moves in a shorter game"
    );
    let opening = Game::from_moves(
        game.game().start(),
        game.game().moves()[..plies].iter().copied(),
    )?;
    let name = |color| game.player(color).unwrap_or_default().to_owned();
    let summary = Summary {
        game: number,
        names: [name(Color::Black), name(Color::White)],
        discs,
        end: end.to_owned(),
        loser,
        moves: game_key(game.game()),
    };
    Ok(LoggedGame {
        identity,
        summary,
        opening,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::Duration;

    use super::*;
    use crate::tournament::players::Fault;
    use crate::tournament::players::Note;

    fn line(game: usize, moves: &str, ending: Ending) -> GgfGame {
        let names = ["a", "b-2"].map(str::to_owned);
        let times = [Clock::parse("90+0.5").unwrap(); 2];
        let played =
            crate::notation::moves::parse_game(crate::board::Position::START, moves).unwrap();
        let note = Note {
            eval: Some(1.5),
            time: Duration::from_millis(250),
        };
        let notes = vec![note; played.moves().len()];
        let discs = played.final_score(Color::Black).unwrap_or(-64);
        let outcome = GameOutcome {
            game: played,
            notes,
            discs,
            ending,
        };
        write_game(
            &Finished {
                game,
                names,
                times,
                opening_plies: 2,
                outcome,
                tail: Vec::new(),
            },
            "seed=1 depth=2",
        )
    }

    /// Three games: played out, lost by a crash, lost on time.
    pub fn lines() -> Vec<GgfGame> {
        let crash = Fault::Crash("exit status: 3 [core]".to_owned());
        let late = Fault::Time {
            used: Duration::MAX,
            allowed: Duration::ZERO,
        };
        vec![
            line(0, "e6f4e3f6g5d6e7f5c5", Ending::Played),
            line(1, "f5d6c3", Ending::Forfeit(Color::Black, crash)),
            line(2, "f5d6", Ending::Forfeit(Color::Black, late)),
        ]
    }

    #[test]
    fn games_are_read_back() {
        let [played, crash, time] = &lines()[..] else {
            panic!()
        };
        let text = played.to_string();
        assert!(
            text.contains("RE[+64.00]") && text.contains("TI[1:30/0.500]"),
            "{text}"
        );
        assert!(
            text.contains("B[E6/1.50]W[F4/1.50]B[E3/1.50/0.250]"),
            "{text}"
        );
        let record = read_game(&text).unwrap();
        assert_eq!(
            (record.identity.as_str(), record.opening.moves().len()),
            ("seed=1 depth=2", 2)
        );
        let summary = record.summary;
        let names = ["a".to_owned(), "b-2".to_owned()];
        let moves = game_key(played.game());
        let wanted = Summary {
            game: 0,
            names,
            discs: 64,
            end: "played".to_owned(),
            loser: None,
            moves,
        };
        assert_eq!(summary, wanted);
        let summary = read_game(&crash.to_string()).unwrap().summary;
        assert_eq!(
            (summary.end.as_str(), summary.loser),
            ("crash", Some(Color::Black))
        );
        assert!(crash.to_string().contains("RE[-64.00:l]"));
        assert_eq!(read_game(&time.to_string()).unwrap().summary.end, "time");
    }

    #[test]
    fn foreign_and_false_games_are_refused() {
        let text = lines()[0].to_string();
        let forged = text.replace("RE[+64.00]", "RE[+2.00]");
        assert!(
            read_game(&forged)
                .unwrap_err()
                .to_string()
                .contains("but the moves give")
        );
        assert!(
            !read_game(&forged)
                .unwrap_err()
                .to_string()
                .contains("Some(")
        );
        for false_word in ["RE[+65.00:l]", "RE[-0.50:l]", "RE[inf:l]", "RE[:l]"] {
            let forged = lines()[1].to_string().replace("RE[-64.00:l]", false_word);
            assert!(
                read_game(&forged)
                    .unwrap_err()
                    .to_string()
                    .contains("result"),
                "{false_word}"
            );
        }
        for false_word in ["end crash", "end crash red", "end"] {
            let forged = lines()[1]
                .to_string()
                .replace("end crash black", false_word);
            assert!(read_game(&forged).is_err(), "{false_word}");
        }
        assert!(read_game("(;GM[Othello];)").is_err());
    }

    #[test]
    fn dates_are_right() {
        for (seconds, text) in [
            (0, "1970.01.01_00:00:00.UTC"),
            (951_782_400, "2000.02.29_00:00:00.UTC"),
            (1_795_170_301, "2026.11.20_10:25:01.UTC"),
        ] {
            assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }
}
