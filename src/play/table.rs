//! The game on the table: its moves, the turns taken back, times, clocks and files.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::board::{Color, Game, IllegalMove, Move, Position, Square};
use crate::notation::Detected;
use crate::notation::example::parse_example_board;
use crate::notation::formats::{Format, GGF, PGN, SGF};
use crate::notation::ggf::{Clock, GgfGame, Ply};
use crate::notation::moves::MoveToken;
use crate::notation::parse_position;
use crate::search;
use crate::util::{file, input_file};

/// The notation that the ending of a file names.
///
/// # Errors
/// When no games are saved in files with that ending.
fn notation_of(path: &Path) -> Result<Format> {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    match ending.to_str() {
        Some("" | "ggf" | "txt") => Ok(GGF),
        Some("pgn") => Ok(PGN),
        Some("sgf") => Ok(SGF),
        _ => bail!("{}: games are saved as .ggf, .pgn or .sgf", path.display()),
    }
}

/// Refuses a file for all games of a session, which are GGF, with the ending of another notation.
pub fn check_output(path: &Path) -> Result<()> {
    ensure!(
        notation_of(path)? == GGF,
        "{}: the games of a session are GGF: name it .ggf; save FILE.pgn writes a game as PGN",
        path.display()
    );
    Ok(())
}

/// Larger files are read game by game.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The game being played.
#[derive(Clone, Debug, Default)]
pub struct Table {
    game: Game,
    turns: Vec<Ply>,
    /// The turns taken back, the earliest last.
    taken: Vec<(Move, Ply)>,
    /// The clock of both sides, if they have one.
    pub clock: Option<Clock>,
    /// The engine's time for a move.
    pub move_time: Option<Duration>,
}

impl Table {
    pub fn game(&self) -> &Game {
        &self.game
    }

    pub fn position(&self) -> Position {
        self.game.position()
    }

    /// The square of the last disc placed, if the last turn was no pass.
    pub fn last(&self) -> Option<Square> {
        self.game.moves().last().and_then(|mv| mv.square())
    }

    /// Plays a legal move. Another move than the one taken back forgets all turns taken back.
    pub fn play(&mut self, mv: Move, turn: Ply) -> Result<(), IllegalMove> {
        self.game.play(mv)?;
        self.turns.push(turn);
        match self.taken.pop() {
            Some((taken, _)) if taken == mv => {}
            _ => self.taken.clear(),
        }
        Ok(())
    }

    /// Takes the last turn back; `false` at the start.
    pub fn take_back(&mut self) -> bool {
        let Some(mv) = self.game.undo() else {
            return false;
        };
        let turn = self.turns.pop().unwrap_or_default();
        self.taken.push((mv, turn));
        true
    }

    /// Plays the turn that was taken back last; `false` without one.
    pub fn play_again(&mut self) -> bool {
        let Some((mv, turn)) = self.taken.pop() else {
            return false;
        };
        self.game.play(mv).expect("it was legal before");
        self.turns.push(turn);
        true
    }

    /// A new game; the clock and the engine's time stay.
    pub fn reset(&mut self, game: Game) {
        self.turns = vec![Ply::default(); game.moves().len()];
        self.game = game;
        self.taken.clear();
    }

    /// Seconds left on a side's clock, never below 0; `None` without a clock.
    pub fn remaining(&self, color: Color) -> Option<f64> {
        Some(self.record().remaining(self.clock?, color))
    }

    /// The time of a search for `side` that begins now.
    pub fn search_clock(&self, side: Color) -> search::Clock {
        match (self.move_time, self.clock) {
            (Some(time), _) => search::Clock::Move(time),
            (None, Some(clock)) => search::Clock::Game {
                remaining: Duration::from_secs_f64(self.remaining(side).unwrap_or_default()),
                increment: Duration::from_secs_f64(clock.increment),
            },
            (None, None) => search::Clock::Unlimited,
        }
    }

    pub fn ggf(&self, names: [String; 2]) -> GgfGame {
        let result = self
            .game
            .final_score(Color::Black)
            .map_or("?".into(), |score| format!("{score:+}.00"));
        let mut ggf = self.record();
        let clock = self.clock.map(|clock| ("TI", clock.to_string()));
        let [black, white] = names;
        for (tag, value) in [
            ("PC", "Emilia".to_owned()),
            ("PB", black),
            ("PW", white),
            ("RE", result),
        ]
        .into_iter()
        .chain(clock)
        {
            ggf = ggf.with_tag(tag, &value);
        }
        ggf
    }

    /// The moves with their times and scores.
    fn record(&self) -> GgfGame {
        let mut ggf = GgfGame::new(self.game.start());
        for (&mv, turn) in self.game.moves().iter().zip(&self.turns) {
            let token = MoveToken {
                mv,
                eval: turn.eval,
                seconds: turn.seconds,
            };
            ggf.push(token).expect("the moves of a game are legal");
        }
        ggf
    }

    /// Writes the game in the notation of the file's ending; without one as GGF.
    pub fn save(&self, path: &Path, replace: bool, names: [String; 2]) -> Result<()> {
        let notation = notation_of(path)?;
        ensure!(
            replace || path.symlink_metadata().is_err(),
            "{} exists; save! replaces it",
            path.display()
        );
        let mut text = format!("{}\n", self.ggf(names));
        if notation != GGF {
            text = notation.write(&parse_position(&text)?)?;
        }
        file::replace(path, text.as_bytes()).with_context(|| format!("writing {}", path.display()))
    }

    /// Continues the game or position in a file of any notation; on an error nothing changes.
    ///
    /// Several games give the first one and a note. `read_game` reads the first game of a base or a large file.
    pub fn load(
        &mut self,
        path: &Path,
        read_game: fn(&Path) -> Result<(Detected, bool)>,
    ) -> Result<Option<String>> {
        let reading = || format!("reading {}", path.display());
        let file = input_file::open(path).with_context(reading)?;
        if file.metadata().with_context(reading)?.len() <= MAX_FILE_BYTES {
            let bytes = input_file::read_up_to(file, MAX_FILE_BYTES).with_context(reading)?;
            if String::from_utf8(bytes).is_ok_and(|text| self.set(&text).is_ok()) {
                return Ok(None);
            }
        }
        let (first, has_more) = read_game(path)?;
        self.take(first, None);
        Ok(has_more.then(|| format!("{} holds several games: this is the first", path.display())))
    }

    /// Continues the game or position of a text; on an error nothing changes.
    pub fn set(&mut self, text: &str) -> Result<()> {
        let detected = parse_position(text)?;
        let board = parse_example_board(text).ok();
        self.take(
            detected,
            board.map(|(_, seconds)| Duration::from_secs(u64::from(seconds).max(1))),
        );
        Ok(())
    }

    /// Continues a game; `move_time` is the engine's time in a board file.
    fn take(&mut self, detected: Detected, move_time: Option<Duration>) {
        let ggf = detected.ggf();
        self.reset(detected.record.game);
        self.move_time = move_time.or(self.move_time);
        if let Some(ggf) = ggf {
            self.clock = ggf.clock(Color::Black).or(self.clock);
            self.turns = ggf.plies().to_vec();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(moves: &str) -> Table {
        let mut table = Table::default();
        table.set(moves).unwrap();
        table
    }

    #[test]
    fn taken_back_turns_can_be_played_again() {
        let mut table = table("f5d6c3");
        assert!(table.take_back() && table.take_back());
        assert_eq!(table.last(), "f5".parse().ok());
        assert!(table.play_again());
        // A typed move that equals the next redo keeps the later ones.
        assert!(table.take_back());
        table
            .play(Move::Place("d6".parse().unwrap()), Ply::default())
            .unwrap();
        assert!(table.play_again() && !table.play_again());
        assert_eq!(table.game().moves().len(), 3);
        table.take_back();
        table
            .play(Move::Place("c4".parse().unwrap()), Ply::default())
            .unwrap();
        assert!(!table.play_again());
        let mut empty = Table::default();
        assert!(!empty.take_back());
    }

    #[test]
    fn clocks_count_both_sides() {
        let mut table = table("(;GM[Othello]TI[5:00/2]B[f5//10]W[d6//1];)");
        assert_eq!(
            [Color::Black, Color::White].map(|color| table.remaining(color)),
            [Some(292.0), Some(301.0)]
        );
        table.take_back();
        assert_eq!(table.remaining(Color::White), Some(300.0));
        let note = Ply {
            seconds: Some(400.0),
            ..Ply::default()
        };
        table
            .play(Move::Place("d6".parse().unwrap()), note)
            .unwrap();
        assert_eq!(table.remaining(Color::White), Some(0.0));
        assert!(
            table
                .ggf(["a]", "b"].map(str::to_owned))
                .to_string()
                .contains("TI[5:00/0:02]")
        );
    }
}
