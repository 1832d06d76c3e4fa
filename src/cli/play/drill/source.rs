//! What cards are made of: games, which are judged, answers of `analyze`, or an opening book.

use std::collections::{HashSet, VecDeque};
use std::io::{BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::deck::{Card, Deck, Mistake};
use crate::analysis::judge::judge;
use crate::board::{Color, Game, Move, Position, Square};
use crate::book::names::name_of;
use crate::book::policy::Policy;
use crate::cli::input::InputArgs;
use crate::cli::output;
use crate::engine::{BookOptions, Level, Opening};
use crate::notation::NamedGame;
use crate::notation::moves::write_moves;
use crate::report::{GameReport, read_answers};
use crate::search::{Clock, Search, Silent, Stop, Task};
use crate::sentences::Language;
use crate::util::input_file;

/// Openings are asked so many moves deep.
const PLIES: usize = 12;
/// So many positions of a book are asked.
const MOST: usize = 300;
/// A book move so many discs below the best is as good.
const AS_GOOD: f64 = 0.5;
/// An opponent's book move so many discs below the best is to be expected.
const EXPECTED: f64 = 2.0;

/// Whose mistakes are asked, from how many discs on.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// A player's name, or a colour; everybody's without.
    pub mine: Option<String>,
    /// Discs that a mistake costs at least.
    pub least: f64,
    /// How deep games are judged.
    pub level: Level,
    /// The language of names of openings.
    pub language: Language,
}

/// Adds the cards of a file to the deck.
///
/// # Errors
/// When it cannot be read, or nobody of that name plays in it.
pub fn add_from(path: &Path, deck: &mut Deck, wanted: &Wanted, search: &mut Search) -> Result<()> {
    let mut head = Vec::new();
    let file = input_file::open(path).with_context(|| format!("reading {}", path.display()))?;
    file.take(4096).read_to_end(&mut head).with_context(|| format!("reading {}", path.display()))?;
    let is_answers = head.trim_ascii_start().starts_with(b"{\"");
    if is_answers {
        return from_answers(path, deck, wanted);
    }
    let options = BookOptions { path: Some(path.to_owned()), policy: Policy::Best, seed: 1 };
    match Opening::open(&options) {
        Ok(opening) => from_book(&opening, deck, wanted),
        Err(_) => from_games(path, deck, wanted, search),
    }
}

impl Wanted {
    /// Whether a side's mistakes are asked for.
    fn is_mine(&self, color: Color, record: &NamedGame) -> bool {
        let name = if color == Color::Black { &record.black } else { &record.white };
        self.mine.as_ref().is_none_or(|mine| {
            mine.eq_ignore_ascii_case(color.title()) || name.trim().eq_ignore_ascii_case(mine.trim())
        })
    }

    fn check(&self, has_any: bool, path: &Path) -> Result<()> {
        let mine = self.mine.as_deref().unwrap_or_default();
        ensure!(
            has_any,
            "{}: no game of {mine}; --mine takes a player's name, black or white",
            path.display()
        );
        Ok(())
    }
}

/// A move of a game with what it lost.
fn card(position: Position, best: Square, played: Square, loss: f64, source: String) -> Card {
    let mistake = Some(Mistake { mv: Move::Place(played), loss });
    Card { mistake, ..Card::new(position, &[best], source) }
}

/// Where a move is from: the players, and the number of the move.
fn source(record: &NamedGame, position: &Position) -> String {
    let number = record.game.start().board.empty_count() - position.board.empty_count() + 1;
    match (record.black.trim(), record.white.trim()) {
        ("", "") => format!("move {number}"),
        (black, white) => format!("{black} - {white}, move {number}"),
    }
}

fn from_answers(path: &Path, deck: &mut Deck, wanted: &Wanted) -> Result<()> {
    let file = input_file::open(path).with_context(|| format!("reading {}", path.display()))?;
    let read = read_answers(BufReader::new(file), wanted.language);
    let (reports, _) = read.with_context(|| path.display().to_string())?;
    let mut has_any = false;
    for report in &reports {
        let GameReport { source: of, turns, .. } = report;
        for turn in turns {
            if !wanted.is_mine(turn.position.side, &of.record) {
                continue;
            }
            has_any = true;
            let best = turn.line().first().and_then(|mv| mv.square());
            let found = (best, turn.played.and_then(Move::square), turn.loss);
            if let (Some(best), Some(played), Some(loss)) = found
                && loss >= wanted.least
            {
                deck.add(card(turn.position, best, played, loss, source(&of.record, &turn.position)));
            }
        }
    }
    wanted.check(has_any, path)
}

fn from_games(path: &Path, deck: &mut Deck, wanted: &Wanted, search: &mut Search) -> Result<()> {
    let mut has_any = false;
    InputArgs::of(path).for_each(|entry| {
        let record = entry.record();
        let mine: Vec<Color> =
            [Color::Black, Color::White].into_iter().filter(|&color| wanted.is_mine(color, record)).collect();
        has_any |= !mine.is_empty();
        let text = format!("{} {} {mine:?} {}", write_moves(record.game.moves()), wanted.least, wanted.level);
        let checksum = format!("{:08x}", crc32fast::hash(text.as_bytes()));
        if mine.is_empty() || record.game.moves().is_empty() || deck.judged.contains(&checksum) {
            return Ok(std::ops::ControlFlow::Continue(()));
        }
        output::message(format_args!("judging {}", entry.place));
        for card in mistakes(&record.game, &mine, wanted, search) {
            deck.add(Card { source: source(record, &card.position), ..card });
        }
        deck.judged.push(checksum);
        // Judging takes long: what is done stays.
        deck.save()?;
        Ok(std::ops::ControlFlow::Continue(()))
    })?;
    wanted.check(has_any, path)
}

/// The mistakes of these sides in a game.
fn mistakes(game: &Game, mine: &[Color], wanted: &Wanted, search: &mut Search) -> Vec<Card> {
    let mut found = Vec::new();
    for (position, mv) in game.steps() {
        let (Move::Place(played), true) = (mv, mine.contains(&position.side)) else { continue };
        if position.board.moves().count_ones() < 2 {
            continue;
        }
        let task = Task::new(position.board, wanted.level.limits(Clock::Unlimited));
        let judged = judge(search, &task, Some(mv), &Stop::new(), &mut Silent);
        let best = judged.info.lines.first().and_then(|line| line.pv.first()?.square());
        if let (Some(loss), Some(best)) = (judged.loss(), best)
            && loss >= wanted.least
        {
            found.push(card(position, best, played, loss, String::new()));
        }
    }
    found
}

/// The positions of a book that somebody who keeps to its best moves may meet, nearest to the start first.
fn from_book(opening: &Opening, deck: &mut Deck, wanted: &Wanted) -> Result<()> {
    let side = match wanted.mine.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None => None,
        Some("black") => Some(Color::Black),
        Some("white") => Some(Color::White),
        Some(other) => anyhow::bail!("of a book, --mine takes black or white, not {other:?}"),
    };
    let sides =
        [Color::Black, Color::White].into_iter().filter(|color| side.is_none_or(|side| side == *color));
    for own in sides {
        let mut seen = HashSet::new();
        let mut queue = VecDeque::from([(Position::START, 0)]);
        while let Some((position, ply)) = queue.pop_front() {
            if seen.len() >= MOST || ply >= PLIES || !seen.insert(position.board) {
                continue;
            }
            let moves = opening.moves(position.board)?;
            let scored = moves.iter().filter_map(|line| Some((line.pv[0].square()?, line.score?.discs())));
            let scored: Vec<(Square, f64)> = scored.collect();
            let Some(best) = scored.iter().map(|(_, score)| *score).reduce(f64::max) else { continue };
            let within = if position.side == own { AS_GOOD } else { EXPECTED };
            let good = scored.iter().filter(|(_, score)| best - score <= within).map(|(square, _)| *square);
            let good: Vec<Square> = good.collect();
            let followed = if position.side == own { &good[..1] } else { &good[..] };
            for &square in followed {
                if let Ok(next) = position.play(Move::Place(square)) {
                    queue.push_back((next, ply + 1));
                }
            }
            // All four first moves are one.
            if position.side == own && ply > 0 {
                let name = name_of(position.board).map(|name| wanted.language.opening(name));
                deck.add(Card::new(position, &good, name.unwrap_or("book").to_owned()));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator;
    use crate::search::Options;
    use tempfile::TempDir;

    fn wanted(mine: Option<&str>) -> Wanted {
        let level = Level::new(2).unwrap();
        Wanted { mine: mine.map(str::to_owned), least: 4.0, level, language: Language::En }
    }

    fn search() -> Search {
        Search::new(&Options { threads: 1, hash_mib: 1 }, Evaluator::classic().into())
    }

    #[test]
    fn mistakes_of_games_are_cards_and_none_is_judged_twice() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("g.ggf");
        // White lets Black win by a wipe-out in nine moves.
        let game = "(;GM[Othello]PB[Ann]PW[Bob]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]\
                    B[e6]W[f4]B[e3]W[f6]B[g5]W[d6]B[e7]W[f5]B[c5];)";
        std::fs::write(&path, game).unwrap();
        let cards = |mine| {
            let mut deck = Deck::open(&path).unwrap();
            let add = |deck: &mut Deck| add_from(&path, deck, &wanted(mine), &mut search());
            add(&mut deck).map_err(|e| format!("{e:#}"))?;
            let (added, judged) = (deck.cards.len(), deck.judged.clone());
            add(&mut deck).unwrap();
            assert_eq!((deck.cards.len(), &deck.judged), (added, &judged));
            Ok::<_, String>((added, deck.cards))
        };
        let (added, found) = cards(Some("bob")).unwrap();
        assert!(added >= 1 && found.iter().all(|card| card.position.side == Color::White), "{found:?}");
        for card in &found {
            let mistake = card.mistake.unwrap();
            assert!(mistake.loss >= 4.0 && !card.best.contains(&mistake.mv));
            assert!(card.squares().all(|best| card.position.board.play(best).is_some()));
            assert!(card.source.starts_with("Ann - Bob, move "), "{}", card.source);
        }
        assert!(cards(None).unwrap().0 >= added);
        assert!(cards(Some("Eve")).unwrap_err().contains("no game of Eve"));
    }
}
