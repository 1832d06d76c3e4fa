//! The player of a side: a person at the keyboard, the engine, or any player of `match`.

use std::str::FromStr;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread;
use std::time::Duration;

use anyhow::Result;

use crate::board::Game;
use crate::tournament::players::spec::Spec;
use crate::tournament::players::{Budget, Fault, MoveReply, MoveRequest, Note, START_PATIENCE};
use crate::util::os::threads::no_thread;

/// The player of a side.
#[derive(Clone, Debug, PartialEq)]
pub enum Seat {
    Human,
    Engine,
    /// A player of `match`.
    Player(Box<Spec>),
}

impl FromStr for Seat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim().to_ascii_lowercase().as_str() {
            "human" | "me" | "player" => Ok(Self::Human),
            "engine" | "emilia" | "computer" => Ok(Self::Engine),
            "" => {
                Err("a side is played by human, engine or a player such as nboard:COMMAND".into())
            }
            _ => match text.trim().parse() {
                Ok(spec) => Ok(Self::Player(Box::new(spec))),
                Err(error) => Err(format!("{error:#}")),
            },
        }
    }
}

impl Seat {
    /// Refuses a player that cannot play with `budget`.
    pub fn check(&self, budget: Budget) -> Result<()> {
        match self {
            Self::Player(spec) => spec.check(budget, "--move-time, --clock"),
            Self::Human | Self::Engine => Ok(()),
        }
    }
}

struct Question {
    game: Game,
    budget: Budget,
    left: [Duration; 2],
    patience: Duration,
}

/// A player on a thread, which ends the player after this is dropped.
pub struct Opponent {
    questions: Sender<Question>,
    replies: Receiver<Result<MoveReply, Fault>>,
}

impl Opponent {
    /// Starts the player in the background; if it does not start, its first reply is a fault.
    ///
    /// # Errors
    /// When the system starts no thread.
    pub fn start(spec: Spec, seed: u64) -> std::io::Result<Self> {
        let (questions, asked) = mpsc::channel::<Question>();
        let (reply, replies) = mpsc::channel();
        let talk = move || {
            let mut player = None;
            let mut last: Option<Game> = None;
            for question in asked {
                let answer = match &mut player {
                    Some(player) => Ok(player),
                    none => spec
                        .start(seed, START_PATIENCE)
                        .map(|started| none.insert(started)),
                };
                let answer = answer.and_then(|player| {
                    let Question {
                        game,
                        budget,
                        left,
                        patience,
                    } = &question;
                    let goes_on = last.as_ref().is_some_and(|last| {
                        last.start() == game.start() && game.moves().starts_with(last.moves())
                    });
                    if !goes_on {
                        player.new_game(budget)?;
                    }
                    let notes = vec![
                        Note {
                            eval: None,
                            time: Duration::ZERO
                        };
                        game.moves().len()
                    ];
                    player.choose(&MoveRequest {
                        game,
                        notes: &notes,
                        budget,
                        left: *left,
                        patience: *patience,
                    })
                });
                last = Some(question.game);
                // A player with a fault is started again.
                if answer.is_err() {
                    (player, last) = (None, None);
                }
                if reply.send(answer).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new()
            .name("emilia-opponent".into())
            .spawn(talk)
            .map_err(no_thread)?;
        Ok(Self { questions, replies })
    }

    pub fn ask(&self, game: &Game, budget: Budget, left: [Duration; 2], patience: Duration) {
        // If the thread has ended, the reply is a fault.
        let _ = self.questions.send(Question {
            game: game.clone(),
            budget,
            left,
            patience,
        });
    }

    /// Its answer; `None` while it thinks.
    pub fn reply(&self) -> Option<Result<MoveReply, Fault>> {
        match self.replies.try_recv() {
            Ok(reply) => Some(reply),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                Some(Err(Fault::Crash("its thread has ended".into())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::patience::until;

    #[test]
    fn seats_have_the_names_of_match() {
        let seat = |text: &str| text.parse::<Seat>();
        assert_eq!(seat(" ME "), Ok(Seat::Human));
        assert_eq!(seat("engine"), Ok(Seat::Engine));
        let Ok(Seat::Player(spec)) = seat("nboard:./x nboard;level=8") else {
            panic!("a player")
        };
        assert_eq!((spec.name.as_str(), spec.options.level), ("x", Some(8)));
        assert!(seat("").unwrap_err().contains("nboard:COMMAND"));
        assert!(seat("emilia:level=99").unwrap_err().contains("level"));
    }

    #[test]
    fn an_opponent_that_does_not_start_is_a_fault() {
        let opponent = Opponent::start("gtp:no-such-program-here".parse().unwrap(), 1).unwrap();
        let patience = Duration::from_secs(60);
        opponent.ask(&Game::default(), Budget::FREE, [patience; 2], patience);
        let mut found = None;
        until("the opponent's answer", || {
            found = opponent.reply();
            found.is_some()
        });
        assert!(matches!(found, Some(Err(Fault::Start(_)))));
    }
}
