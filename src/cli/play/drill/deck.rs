//! Cards and when they are asked again, in one file beside what they are made of.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::board::{Move, Position, Square};
use crate::util::{file, input_file};

/// Larger than any deck.
const MAX_BYTES: u64 = 1 << 26;

/// The form of the file.
const VERSION: u32 = 1;
/// No card waits longer than a year.
const LONGEST: u32 = 365;
const SECONDS_A_DAY: u64 = 86_400;

/// A day, counted from 1970.
pub type Day = u32;

/// Today, as the clock of the machine has it (UTC).
pub fn today() -> Day {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Day::try_from(time.as_secs() / SECONDS_A_DAY).unwrap_or(Day::MAX / 2)
}

/// A position to find a move in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The position.
    pub position: Position,
    /// The best moves.
    pub best: Vec<Move>,
    /// What was played in a game, and how many discs it lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mistake: Option<Mistake>,
    /// Where it is from.
    pub source: String,
    /// When it is asked next.
    pub due: Day,
    /// Days that it waits after a right answer.
    pub interval: u32,
    /// Right answers and wrong ones.
    pub answers: [u32; 2],
}

/// A move that lost discs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mistake {
    /// The move.
    #[serde(rename = "move")]
    pub mv: Move,
    /// Discs.
    pub loss: f64,
}

/// All cards of a file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Deck {
    version: u32,
    /// Checksums of the games that were judged, so that none is judged twice.
    pub judged: Vec<String>,
    /// The cards.
    pub cards: Vec<Card>,
    #[serde(skip)]
    path: PathBuf,
}

impl Card {
    /// A new card, due today.
    pub fn new(position: Position, best: &[Square], source: String) -> Self {
        let best = best.iter().map(|&square| Move::Place(square)).collect();
        Self { position, best, mistake: None, source, due: 0, interval: 0, answers: [0; 2] }
    }

    /// The squares of the best moves.
    pub fn squares(&self) -> impl Iterator<Item = Square> + '_ {
        self.best.iter().filter_map(|mv| mv.square())
    }

    /// Takes an answer: after a right one the card waits twice as long as before, after a wrong one it is due tomorrow.
    pub fn answered(&mut self, is_right: bool, today: Day) {
        self.answers[usize::from(!is_right)] += 1;
        self.interval = if is_right { (2 * self.interval).clamp(1, LONGEST) } else { 0 };
        self.due = today + self.interval.max(1);
    }
}

impl Deck {
    /// The deck of this file: `FILE.drill` beside it, or an empty one.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn open(of: &Path) -> Result<Self> {
        let mut name = of.as_os_str().to_owned();
        name.push(".drill");
        let path = PathBuf::from(name);
        let text = match input_file::read_text(&path, MAX_BYTES) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Self { version: VERSION, judged: Vec::new(), cards: Vec::new(), path });
            }
            text => text.with_context(|| format!("reading {}", path.display()))?,
        };
        let deck: Self = serde_json::from_str(&text)
            .with_context(|| format!("{} is no file of drills that this program wrote", path.display()))?;
        let version = deck.version;
        ensure!(version == VERSION, "{}: expected version {VERSION}, found {version}", path.display());
        Ok(Self { path, ..deck })
    }

    /// Adds a card; a position that is there already keeps its answers, and takes the new best moves.
    pub fn add(&mut self, card: Card) -> bool {
        match self.cards.iter_mut().find(|known| known.position == card.position) {
            Some(known) => {
                known.best = card.best;
                known.mistake = card.mistake.or(known.mistake);
                false
            }
            None => {
                self.cards.push(card);
                true
            }
        }
    }

    /// The cards that are due, by their places: the longest overdue first.
    pub fn due(&self, today: Day) -> Vec<usize> {
        let mut due: Vec<usize> = (0..self.cards.len()).filter(|&at| self.cards[at].due <= today).collect();
        due.sort_by_key(|&at| (self.cards[at].due, at));
        due
    }

    /// When the next card is due.
    pub fn next_due(&self) -> Option<Day> {
        self.cards.iter().map(|card| card.due).min()
    }

    /// Writes the file; it is replaced whole.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        file::replace(&self.path, text.as_bytes()).with_context(|| format!("writing {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use tempfile::TempDir;

    fn card() -> Card {
        Card::new(Position::START, &["f5".parse().unwrap()], "a game".into())
    }

    #[test]
    fn right_answers_wait_longer_and_wrong_ones_come_back_tomorrow() {
        let mut card = card();
        let mut waits = Vec::new();
        for day in [100, 101, 103, 107] {
            assert!(card.due <= day);
            card.answered(true, day);
            waits.push(card.interval);
        }
        assert_eq!(waits, [1, 2, 4, 8]);
        card.answered(false, 115);
        assert_eq!((card.due, card.interval, card.answers), (116, 0, [4, 1]));
        card.answered(true, 116);
        assert_eq!(card.due, 117);
        (0..20).for_each(|_| card.answered(true, 117));
        assert_eq!(card.interval, LONGEST);
    }

    #[test]
    fn a_deck_comes_back_as_it_went_and_keeps_answers() {
        let folder = TempDir::new().unwrap();
        let games = folder.path().join("my games.ggf");
        let mut deck = Deck::open(&games).unwrap();
        assert!(deck.add(card()));
        deck.cards[0].mistake = Some(Mistake { mv: Move::Place("d3".parse().unwrap()), loss: 4.5 });
        deck.cards[0].answered(true, 20_000);
        deck.save().unwrap();
        let mut back = Deck::open(&games).unwrap();
        assert_eq!(back.cards, deck.cards);
        assert!(!back.add(card()), "the position is known");
        assert_eq!(back.cards[0].answers, [1, 0]);
        assert_eq!((back.due(20_000), back.due(20_001), back.next_due()), (vec![], vec![0], Some(20_001)));
        fs::write(folder.path().join("x.drill"), "{}").unwrap();
        let error = format!("{:#}", Deck::open(&folder.path().join("x")).unwrap_err());
        assert!(error.contains("no file of drills"), "{error}");
    }
}
