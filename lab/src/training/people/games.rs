//! The games of the WTHOR base with the ratings of their players.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::board::{Board, Color, Move, Square};
use crate::notation::wthor::{GameFile, GameRecord, NameFile, NameKind};
use crate::util::input_file;

/// The rating before the first game.
const FIRST_RATING: f64 = 1500.0;
/// Passes over all games; a pass begins with the ratings at the end of the pass before.
const PASSES: usize = 3;
/// Steps of a rating: in the first pass from the first to the second, over so many games; then the third.
const STEPS: (f64, f64, f64) = (40.0, 8.0, 6.0);
const SETTLED: f64 = 100.0;
/// Games that a player needs.
const ENOUGH_GAMES: u32 = 30;
const LARGEST_NAMES: u64 = 16 << 20;

/// A game with the ratings of Black and White when it was played.
pub struct RatedGame {
    /// The record.
    pub record: GameRecord,
    /// Ratings of Black and White.
    pub ratings: [f64; 2],
    /// Whether these are people of enough games.
    pub counts: [bool; 2],
}

/// A move that a person played.
#[derive(Clone, Copy)]
pub struct Choice {
    /// The position.
    pub board: Board,
    /// The move before, unless it was a pass.
    pub last: Option<Square>,
    /// The move.
    pub square: Square,
    /// The side.
    pub side: Color,
}

impl RatedGame {
    /// Number of a side's player in the base.
    pub fn player(&self, side: Color) -> u16 {
        match side {
            Color::Black => self.record.black,
            Color::White => self.record.white,
        }
    }

    /// All moves; none if the game breaks the rules.
    pub fn choices(&self) -> Vec<Choice> {
        let Ok(game) = self.record.replay() else {
            return Vec::new();
        };
        let mut last = None;
        let mut choices = Vec::with_capacity(60);
        for (position, mv) in game.steps() {
            let square = mv.square();
            if let Move::Place(square) = mv {
                choices.push(Choice {
                    board: position.board,
                    last,
                    square,
                    side: position.side,
                });
            }
            last = square;
        }
        choices
    }
}

/// All games of a folder with `WTH.JOU` and files of games, in the order of their names and places.
pub fn read(folder: &Path) -> Result<Vec<RatedGame>> {
    let names = folder.join("WTH.JOU");
    let bytes = input_file::read(&names, LARGEST_NAMES)
        .with_context(|| format!("reading {}", names.display()))?;
    let players = NameFile::parse(&bytes, NameKind::Players)?.names;
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("wtb"))
        {
            files.push(path);
        }
    }
    files.sort();
    let mut records = Vec::new();
    for file in files {
        let bytes = input_file::read(&file, GameFile::MAX_BYTES)
            .with_context(|| format!("reading {}", file.display()))?;
        records.extend(GameFile::parse(&bytes)?.games);
    }
    ensure!(!records.is_empty(), "{} has no games", folder.display());
    Ok(rate(records, &players))
}

/// Elo's ratings; programs, which have parentheses in their names, are opponents only.
fn rate(records: Vec<GameRecord>, players: &[String]) -> Vec<RatedGame> {
    let count = records
        .iter()
        .map(|game| game.black.max(game.white))
        .max()
        .unwrap_or(0);
    let mut ratings = vec![FIRST_RATING; usize::from(count) + 1];
    let mut games = vec![0u32; ratings.len()];
    let mut rated: Vec<[f64; 2]> = vec![[0.0; 2]; records.len()];
    for pass in 0..PASSES {
        for (record, at) in records.iter().zip(&mut rated) {
            let sides = [record.black, record.white].map(usize::from);
            *at = sides.map(|player| ratings[player]);
            let expected = 1.0 / (1.0 + 10f64.powf((at[1] - at[0]) / 400.0));
            let points = match record.score {
                33.. => 1.0,
                32 => 0.5,
                _ => 0.0,
            };
            for (player, sign) in sides.into_iter().zip([1.0, -1.0]) {
                let step = if pass > 0 {
                    STEPS.2
                } else {
                    let share = (f64::from(games[player]) / SETTLED).min(1.0);
                    STEPS.0 + (STEPS.1 - STEPS.0) * share
                };
                ratings[player] += step * sign * (points - expected);
                games[player] += u32::from(pass == 0);
            }
        }
    }
    let is_person = |player: u16| {
        let name = players.get(usize::from(player)).map_or("?", String::as_str);
        let is_known = !name.contains('(') && !name.bytes().all(|byte| byte == b'?');
        is_known && games[usize::from(player)] >= ENOUGH_GAMES
    };
    records
        .into_iter()
        .zip(rated)
        .map(|(record, ratings)| RatedGame {
            record,
            ratings,
            counts: [record.black, record.white].map(is_person),
        })
        .collect()
}
