//! The game outlives the session: it is kept in a file, and Ctrl-C prints it.

use std::io;
use std::path::Path;
use std::time::Instant;

use super::session::Play;
use crate::board::{Color, Position};
use crate::notation::moves::write_moves;

impl Play {
    /// Writes the game to the file that it is kept in.
    pub(super) fn keep(&mut self) -> io::Result<()> {
        let Some(path) = self.setup.output.clone() else { return Ok(()) };
        match self.save(&path, false, true) {
            Ok(()) => Ok(()),
            Err(error) => self.say(format!("The game was not saved: {error:#}")),
        }
    }

    pub(super) fn save(&self, path: &Path, as_board: bool, replace: bool) -> anyhow::Result<()> {
        let names = [self.name(Color::Black), self.name(Color::White)];
        self.setup.table.save(path, as_board, replace, [&names[0], &names[1]])
    }

    /// Ctrl-C or its like: prints the moves so far and where the game is kept, and ends.
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
        let told = match (moves.as_str(), game.start() == Position::START) {
            ("", _) => "No moves yet".to_owned(),
            (_, true) => format!("Moves so far: {moves}"),
            // The moves do not show their start.
            (_, false) => {
                let names = [Color::Black, Color::White].map(|color| self.name(color));
                format!("The game so far: {}", self.setup.table.ggf([&names[0], &names[1]]))
            }
        };
        self.say(told)?;
        if let Some(path) = self.setup.output.clone().filter(|_| !moves.is_empty()) {
            let saved = self.save(&path, false, true);
            self.say(match saved {
                Ok(()) => format!("The game so far is in {}", path.display()),
                Err(error) => format!("The game was not saved: {error:#}"),
            })?;
        }
        self.out.flush()
    }
}
