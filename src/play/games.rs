//! The games of a session: another one comes to the table, and a file keeps them all.

use std::io;
use std::path::Path;
use std::time::Instant;

use super::paste::Paste;
use super::state::Play;
use crate::board::{Game, Position};
use crate::notation::moves::write_moves;
use crate::notation::parse_position;
use crate::util::file;
use crate::util::refusal::Refusal;

impl Play {
    /// Continues the game or position of a text.
    pub(super) fn set(&mut self, text: &str, now: Instant) -> io::Result<()> {
        match self.setup.table.set(text) {
            Ok(()) => self.changed(now),
            Err(error) => self.say(format!("{error:#}")),
        }
    }

    /// Continues a pasted text that has no end, if it holds anything.
    pub(super) fn set_unended(&mut self, paste: Paste, now: Instant) -> io::Result<()> {
        let text = paste.end();
        match parse_position(&text) {
            Ok(found) if found.record.game == Game::default() => {
                self.say("The pasted text has no move and no board: the game is unchanged")
            }
            _ => self.set(&text, now),
        }
    }

    /// Shows another game; a side that no person plays waits for `go`.
    pub(super) fn changed(&mut self, now: Instant) -> io::Result<()> {
        self.refused = None;
        self.waits = !self.setup.table.game().moves().is_empty();
        self.turn_begins(now)?;
        self.say_waiting()?;
        self.earlier_games += &std::mem::take(&mut self.kept_game);
        self.keep()
    }

    /// Writes the games of the session to their file, the one on the table last.
    pub(super) fn keep(&mut self) -> io::Result<()> {
        let Some(path) = self.setup.output.clone() else {
            return Ok(());
        };
        self.write_games(&path).or_else(|error| self.say(error))
    }

    /// Writes the file, or returns the message that it cannot be written.
    fn write_games(&mut self, path: &Path) -> Result<(), Refusal> {
        let game = format!("{}\n", self.setup.table.ggf(self.names()));
        let is_empty = self.setup.table.game().moves().is_empty();
        // An empty game is written only where there is no other.
        let shown = if is_empty && !self.earlier_games.is_empty() {
            ""
        } else {
            &game
        };
        let text = format!("{}{shown}", self.earlier_games);
        self.kept_game = if is_empty { String::new() } else { game };
        file::replace(path, text.as_bytes()).map_err(|error| {
            let path = path.display();
            Refusal::from(format!("The game was not saved: writing {path}: {error}"))
        })
    }

    /// Ends the session at Ctrl-C: prints the moves so far and where the games are.
    pub(super) fn interrupt(&mut self, now: Instant) -> io::Result<()> {
        self.is_done = true;
        self.engine.stop();
        if self.setup.is_interactive {
            self.say("")?;
        }
        if let Some(paste) = self.paste.take() {
            self.set_unended(paste, now)?;
        }
        let game = self.setup.table.game();
        let moves = write_moves(game.moves());
        self.say(match moves.as_str() {
            "" => "No moves yet".to_owned(),
            _ if game.start() == Position::START => format!("Moves so far: {moves}"),
            _ => format!("The game so far: {}", self.setup.table.ggf(self.names())),
        })?;
        if let Some(path) = self.setup.output.clone().filter(|_| !moves.is_empty()) {
            let saved = self.write_games(&path);
            let place = saved.map_or_else(
                |error| error,
                |()| format!("The game so far is in {}", path.display()).into(),
            );
            self.say(place)?;
        }
        self.out.flush()
    }
}
