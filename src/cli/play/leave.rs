//! The games outlive the session: a file keeps them, and Ctrl-C prints the last one.

use std::io;
use std::path::Path;
use std::time::Instant;

use super::session::Play;
use crate::board::{Color, Position};
use crate::notation::moves::write_moves;
use crate::util::file;

impl Play {
    /// Writes the games of the session to the file that keeps them, the one on the table last.
    pub(super) fn keep(&mut self) -> io::Result<()> {
        let Some(path) = self.setup.output.clone() else { return Ok(()) };
        let names = [Color::Black, Color::White].map(|color| self.name(color));
        let game = format!("{}\n", self.setup.table.ggf([&names[0], &names[1]]));
        let is_empty = self.setup.table.game().moves().is_empty();
        // A game without moves is not kept behind another one.
        let shown = if is_empty && !self.earlier_games.is_empty() { "" } else { &game };
        let written = file::replace(&path, format!("{}{shown}", self.earlier_games).as_bytes());
        self.kept_game = if is_empty { String::new() } else { game };
        match written {
            Ok(()) => Ok(()),
            Err(error) => self.say(format!("The game was not saved: writing {}: {error}", path.display())),
        }
    }

    /// Another game is on the table: the one before stays in the file.
    pub(super) fn keep_earlier(&mut self) {
        self.earlier_games += &std::mem::take(&mut self.kept_game);
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
