//! A player that speaks NBoard through a child process.
//!
//! Each move is `set game`, `ping n` → `pong n`, `go` → `=== move/eval/time`. The ping ends all output about earlier positions
//! before the clock starts.

use std::time::{Duration, Instant};

use super::{Budget, Fault, MoveReply, MoveRequest, Note, Player, SYNC_PATIENCE};
use crate::notation::ggf::GgfGame;
use crate::notation::moves::MoveToken;
use crate::peers::Protocol;
use crate::peers::nboard::parse_reply;
use crate::peers::process::{Process, Silence};

pub struct NBoardPlayer {
    process: Process,
    pings: u32,
    /// The wait for the next pong; longer before its first game.
    patience: Duration,
    name: Option<String>,
}

impl NBoardPlayer {
    /// Takes over a process just started.
    ///
    /// # Errors
    /// When it does not answer the first ping within `patience`.
    pub fn new(process: Process, patience: Duration) -> Result<Self, Fault> {
        process.send("nboard 2");
        let mut player = Self::greeted(process, 0, patience);
        let synced = player.sync();
        synced.map_err(|fault| fault.with_last_words(&player.process))?;
        Ok(player)
    }

    /// Takes over a process that has answered this `ping`.
    pub fn greeted(process: Process, pings: u32, patience: Duration) -> Self {
        Self {
            process,
            pings,
            patience,
            name: None,
        }
    }

    /// Sends the user's commands before its first game.
    pub fn init(&mut self, commands: &[String]) -> Result<(), Fault> {
        commands
            .iter()
            .for_each(|command| self.process.send(command));
        if commands.is_empty() {
            Ok(())
        } else {
            self.sync()
        }
    }

    /// Sends a ping and waits for its pong, which follows all earlier output.
    fn sync(&mut self) -> Result<(), Fault> {
        self.pings += 1;
        let ping = format!("ping {}", self.pings);
        let pong = format!("pong {}", self.pings);
        self.process.send(&ping);
        let Self { process, name, .. } = self;
        let accept = |text: &str| {
            if let Some(own) = text.strip_prefix("set myname ") {
                *name = Some(own.trim().to_owned());
            }
            (text.trim_end() == pong).then_some(())
        };
        let found = process.wait_for(Instant::now() + self.patience, accept);
        found
            .map(drop)
            .map_err(|silence| Fault::of_silence(&silence, &ping))
    }
}

impl Drop for NBoardPlayer {
    fn drop(&mut self) {
        self.process.quit();
    }
}

impl Player for NBoardPlayer {
    fn new_game(&mut self, budget: &Budget) -> Result<(), Fault> {
        if let Some(level) = budget.level {
            self.process.send(&format!("set depth {level}"));
        }
        self.sync()?;
        self.patience = SYNC_PATIENCE;
        Ok(())
    }

    fn choose(&mut self, request: &MoveRequest) -> Result<MoveReply, Fault> {
        self.process
            .send(&format!("set game {}", wire_game(request)));
        self.sync()?;
        let start = Instant::now();
        self.process.send("go");
        let (text, at) = self
            .process
            .wait_for(Instant::now() + request.patience, |text| {
                text.strip_prefix("===").map(str::to_owned)
            })
            .map_err(|silence| Fault::of_silence(&silence, "go"))?;
        let time = at.saturating_duration_since(start);
        // NBoard has no word for it; that of GTP is no move.
        if text.trim().eq_ignore_ascii_case("resign") {
            return Ok(MoveReply {
                mv: None,
                note: Note { eval: None, time },
            });
        }
        let (mv, eval) =
            parse_reply(&text).ok_or_else(|| Fault::Protocol(format!("`==={text}` is no move")))?;
        Ok(MoveReply {
            mv: Some(mv),
            note: Note { eval, time },
        })
    }

    fn remarks(&self, _budget: &Budget) -> Vec<String> {
        self.name
            .iter()
            .map(|name| format!("reports the name {name}"))
            .collect()
    }

    fn tail(&self) -> Vec<String> {
        self.process.tail()
    }
}

/// The game for `set game`, with the times of both sides for the engine's clock.
fn wire_game(request: &MoveRequest) -> String {
    let mut clock = request.budget.time.to_ggf();
    // A time per move counts as used: the clock shows it again at each turn.
    let fixed = request.per_move();
    if let Some(time) = fixed {
        clock.increment = time.as_secs_f64();
        clock.main = clock.increment;
    }
    let mut text = GgfGame::new(request.game.start())
        .with_tag("PC", "match")
        .with_tag("PB", "black")
        .with_tag("PW", "white")
        .with_tag("RE", "?")
        .with_tag("TI", &clock.to_string());
    for (&mv, note) in request.game.moves().iter().zip(request.notes) {
        let seconds = Some(fixed.unwrap_or(note.time).as_secs_f64());
        text.push(MoveToken {
            mv,
            eval: note.eval,
            seconds,
        })
        .expect("the referee judged every move");
    }
    text.to_string()
}

/// Waits for the first line that shows the protocol.
pub fn find_protocol(process: &mut Process, patience: Duration) -> Result<Protocol, Silence> {
    process.send("nboard 2");
    process.send("ping 1");
    let sign = |text: &str| match text.trim_end() {
        "pong 1" => Some(Protocol::NBoard),
        text if text.starts_with(['?', '=']) => Some(Protocol::Gtp),
        _ => None,
    };
    process
        .wait_for(Instant::now() + patience, sign)
        .map(|(protocol, _)| protocol)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Game;
    use crate::tournament::players::Clock;

    #[test]
    fn the_game_carries_clock_and_times() {
        let mut game = Game::default();
        game.play_square("f5".parse().unwrap()).unwrap();
        game.play_square("d6".parse().unwrap()).unwrap();
        let notes = [
            Note {
                eval: Some(-0.5),
                time: Duration::from_millis(7),
            },
            Note {
                eval: None,
                time: Duration::from_secs(2),
            },
        ];
        let time = Clock::parse("5:00+0.5").unwrap();
        let budget = Budget {
            time,
            level: None,
            nodes: None,
        };
        let mut request = MoveRequest {
            game: &game,
            notes: &notes,
            budget: &budget,
            left: [Duration::ZERO; 2],
            period: [0; 2],
            patience: Duration::ZERO,
        };
        let board = "BO[8 ---------------------------O*------*O--------------------------- *]";
        assert_eq!(
            wire_game(&request),
            format!(
                "(;GM[Othello]PC[match]PB[black]PW[white]RE[?]TI[5:00/0.500]TY[8]{board}B[F5/-0.50/0.007]W[D6//2.000];)"
            )
        );
        let budget = Budget {
            time: Clock::per_move(Duration::from_secs(1)),
            ..budget
        };
        request.budget = &budget;
        assert!(wire_game(&request).contains("TI[0:01/0:01]"));
        assert!(wire_game(&request).ends_with("B[F5/-0.50/1.000]W[D6//1.000];)"));
        let budget = Budget {
            time: Clock::parse("4/20").unwrap(),
            ..budget
        };
        request.budget = &budget;
        request.left[0] = Duration::from_secs(9);
        request.period = [3, 4];
        assert!(wire_game(&request).contains("TI[0:03/0:03]"));
    }
}
