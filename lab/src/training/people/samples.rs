//! Positions of people's games: a part to learn from, a part held out.

use std::sync::Mutex;

use super::games::{Choice, RatedGame};
use crate::board::Color;
use crate::engine::people::inputs::View;
use crate::engine::people::scores::Scorer;
use crate::eval::Evaluator;
use crate::util::rng::Rng;

/// The groups of ratings end below these; the last is open.
pub const GROUPS: [f64; 5] = [1300.0, 1450.0, 1600.0, 1750.0, 1900.0];
/// Every game of this many is held out.
const HELD_GAMES: usize = 5;
/// One player of this many never moves in the fit.
const HELD_PLAYERS: u64 = 8;
/// Most positions of a side of a game.
const PER_SIDE: usize = 7;

/// A position with the move that a person played.
pub struct Sample {
    /// The position as the model sees it.
    pub view: View,
    /// The position and the move.
    pub choice: Choice,
    /// Place of the move in the view.
    pub played: usize,
    /// The mover's rating.
    pub rating: i32,
    /// Group of the rating.
    pub group: usize,
    /// Number of the game.
    pub game: usize,
    /// Whether the player never moves in the fit.
    pub is_new_player: bool,
}

/// The group of a rating.
pub fn group(rating: f64) -> usize {
    GROUPS.partition_point(|&end| end <= rating)
}

/// Whether a game is held out.
pub fn is_held(game: usize) -> bool {
    game.is_multiple_of(HELD_GAMES)
}

fn is_new(player: u16) -> bool {
    Rng::new(u64::from(player))
        .next()
        .is_multiple_of(HELD_PLAYERS)
}

/// A side of a game whose player counts.
#[derive(Clone, Copy)]
pub struct Side {
    /// Number of the game.
    pub game: usize,
    /// The side.
    pub side: Color,
}

/// The sides of the games of one part, in random order.
pub fn sides(games: &[RatedGame], held: bool) -> Vec<Side> {
    let mut sides = Vec::new();
    for (game, rated) in games
        .iter()
        .enumerate()
        .filter(|(game, _)| is_held(*game) == held)
    {
        for (index, side) in [Color::Black, Color::White].into_iter().enumerate() {
            if rated.counts[index] && (held || !is_new(rated.player(side))) {
                sides.push(Side { game, side });
            }
        }
    }
    Rng::new(17).shuffle(&mut sides);
    sides
}

/// What to take of each side.
pub struct Wanted {
    /// Held-out games, or the others.
    pub held: bool,
    /// Positions of each group.
    pub per_group: usize,
    /// First and last number of moves played before.
    pub plies: (u32, u32),
}

/// A choice of positions with two legal moves or more.
pub fn choose(games: &[RatedGame], wanted: &Wanted) -> Vec<(Side, Choice)> {
    let mut rng = Rng::new(23);
    let mut counts = [0; GROUPS.len() + 1];
    let mut chosen = Vec::new();
    for side in sides(games, wanted.held) {
        let game = &games[side.game];
        let group = group(game.ratings[side.side as usize]);
        if counts[group] >= wanted.per_group {
            continue;
        }
        let mut choices = game.choices();
        choices.retain(|choice| {
            let ply = 60 - choice.board.empty_count();
            choice.side == side.side
                && (wanted.plies.0..=wanted.plies.1).contains(&ply)
                && choice.board.moves().len() > 1
        });
        rng.shuffle(&mut choices);
        choices.truncate(PER_SIDE);
        counts[group] += choices.len();
        chosen.extend(choices.into_iter().map(|choice| (side, choice)));
    }
    chosen
}

/// The chosen positions as the model sees them, by `jobs` threads; the order of `chosen` stays.
pub fn view(
    games: &[RatedGame],
    chosen: &[(Side, Choice)],
    evaluator: &Evaluator,
    jobs: usize,
) -> Vec<Sample> {
    let chunks: Vec<&[(Side, Choice)]> = chosen.chunks(512).collect();
    let next = Mutex::new(0..chunks.len());
    let mut parts: Vec<(usize, Vec<Sample>)> = std::thread::scope(|scope| {
        let work = || {
            let mut scorer = Scorer::new(evaluator);
            let mut parts = Vec::new();
            loop {
                let index = next.lock().expect("no thread panics").next();
                let Some(index) = index else { return parts };
                let samples = chunks[index]
                    .iter()
                    .map(|&(side, choice)| sample(games, side, choice, &mut scorer));
                parts.push((index, samples.collect()));
            }
        };
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("no thread panics"))
            .collect()
    });
    parts.sort_by_key(|&(index, _)| index);
    parts.into_iter().flat_map(|(_, samples)| samples).collect()
}

/// A position as the model sees it.
pub fn sample(games: &[RatedGame], side: Side, choice: Choice, scorer: &mut Scorer) -> Sample {
    let game = &games[side.game];
    let rating = game.ratings[side.side as usize];
    let view = View::new(scorer, choice.board, choice.last);
    let played = view
        .moves
        .iter()
        .position(|sight| sight.square == choice.square);
    Sample {
        view,
        choice,
        played: played.expect("games are legal"),
        rating: rating.round() as i32,
        group: group(rating),
        game: side.game,
        is_new_player: is_new(game.player(side.side)),
    }
}
