//! What the index and the players' pages tell of games: rows that can be sorted and filtered, results, sums.

use std::collections::{BTreeMap, HashMap};

use maud::{Markup, html};

use super::charts;
use super::game::GameReport;
use super::html::{Sort, clean, head, name, stone};
use super::summary::Accuracy;
use crate::analysis::words::mean;
use crate::board::Color;
use crate::notation::{GameResult, How};

/// Rows of a table that show at first where a script runs to show the others: laying out thousands takes a browser long.
const SHOWN: usize = 100;

/// One player's games.
pub struct Player<'a> {
    pub name: &'a str,
    pub file: String,
    /// Number of the game and the player's colour in it.
    pub games: Vec<(usize, Color)>,
}

/// The page of a game, by its place.
pub fn game_file(number: usize) -> String {
    format!("game-{:03}.html", number + 1)
}

/// Wins, draws, losses and unfinished games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Results([u32; 4]);

impl Results {
    /// Counts a game from the side of `color`.
    fn add(&mut self, report: &GameReport, color: Color) {
        self.0[match report.result().sign_for(color) {
            Some(1..) => 0,
            Some(0) => 1,
            Some(_) => 2,
            None => 3,
        }] += 1;
    }

    /// Those of games and sides.
    pub fn of(reports: &[GameReport], games: &[(usize, Color)]) -> Self {
        let mut results = Self::default();
        games.iter().for_each(|&(number, color)| results.add(&reports[number], color));
        results
    }

    /// The order of results: points per finished game, a draw counting half.
    pub fn key(self) -> String {
        let [wins, draws, losses, _] = self.0.map(f64::from);
        format!("{:.4}", (wins + draws / 2.0) / (wins + draws + losses).max(1.0))
    }

    /// `3–1–2`; unfinished games are told if there are any.
    pub fn text(self) -> String {
        let [wins, draws, losses, unfinished] = self.0;
        let more = if unfinished == 0 { String::new() } else { format!(" ({unfinished} unfinished)") };
        format!("{wins}\u{2013}{draws}\u{2013}{losses}{more}")
    }
}

/// Of all games of a player.
pub fn results(reports: &[GameReport], player: &Player<'_>) -> Results {
    Results::of(reports, &player.games)
}

/// How well the player of these games and colours did.
pub fn accuracy<'g>(reports: &[GameReport], games: impl IntoIterator<Item = &'g (usize, Color)>) -> Accuracy {
    let mut sum = Accuracy::default();
    for &(number, color) in games {
        sum.merge(&Accuracy::of(&reports[number], color));
    }
    sum
}

/// What rows are filtered by, as numbers: names may hold anything.
pub struct Keys<'a> {
    /// Each player's.
    pub players: HashMap<&'a str, usize>,
    /// Each opening's, in the order of its name.
    pub openings: BTreeMap<&'static str, usize>,
}

impl<'a> Keys<'a> {
    /// Those of all games.
    pub fn of(reports: &[GameReport], players: &[Player<'a>]) -> Self {
        let mut openings: BTreeMap<&'static str, usize> =
            reports.iter().filter_map(GameReport::opening).map(|opening| (opening, 0)).collect();
        openings.values_mut().enumerate().for_each(|(number, key)| *key = number);
        let players = players.iter().enumerate().map(|(number, player)| (player.name, number)).collect();
        Self { players, openings }
    }
}

/// Games with their players, results, curves and openings, and what each side lost per move.
pub fn games_table(games: Vec<usize>, reports: &[GameReport], keys: &Keys<'_>) -> Markup {
    html! {
        table #games.sortable.games {
            thead {
                tr {
                    (head("#", "num", Sort::Up)) (head("Black", "", Sort::Up)) (head("White", "", Sort::Up))
                    (head("Result", "num", Sort::Down)) th scope="col" { "Score" } (head("Opening", "", Sort::Up))
                    (head("Black lost per move", "num", Sort::Down)) (head("White lost per move", "num", Sort::Down))
                    (head("Event", "", Sort::Up)) (head("Date", "", Sort::Up))
                }
            } "\n"
            tbody {
                @for (place, number) in games.into_iter().enumerate() {
                    (game_row(number, &reports[number], keys, (place >= SHOWN).then_some("later"))) "\n"
                }
            }
        }
    }
}

/// A game in a list.
fn game_row(number: usize, report: &GameReport, keys: &Keys<'_>, class: Option<&str>) -> Markup {
    let (record, result) = (&report.source.record, report.result());
    let file = game_file(number);
    let won = match result.sign_for(Color::Black) {
        Some(1..) => "black",
        Some(0) => "draw",
        Some(_) => "white",
        None => "open",
    };
    let players = [&record.black, &record.white].map(|name| keys.players.get(name.trim()));
    let players: Vec<String> = players.into_iter().flatten().map(usize::to_string).collect();
    let opening = report.opening();
    let event = if record.event().is_empty() { &record.place } else { record.event() };
    let side = |color: Color, tab: Option<&str>| {
        html! {
            td.name { a href=(file) tabindex=[tab] { (stone(color)) (name(report.source.player(color))) } }
        }
    };
    let lost = |color| mean(Accuracy::of(report, color).total().mean());
    html! {
        tr class=[class] data-player=(players.join(" "))
            data-opening={ @if let Some(opening) = opening { (keys.openings[opening]) } } data-result=(won) {
            td.num { (number + 1) }
            (side(Color::Black, None)) (side(Color::White, Some("-1")))
            td.num.result data-key={ @if let Some(score) = result.score() { (score) } } { (result_face(&result)) }
            td.curve { (charts::sparkline(report)) }
            td { (opening.unwrap_or_default()) }
            td.num.lost { (lost(Color::Black)) }
            td.num.lost { (lost(Color::White)) }
            td { (name(event)) }
            td.date { (name(&record.date)) }
        }
    }
}

/// `40–24`, and how a game that was not played to the end ended.
fn result_face(result: &GameResult) -> Markup {
    let words = clean(&result.words());
    html! {
        @match result.counts() {
            None => { (words) }
            Some((black, white)) if matches!(result.how, How::Played | How::Stated) => {
                (black) "\u{2013}" (white)
            }
            Some((black, white)) => {
                span title=(words) { (black) "\u{2013}" (white) " (" (result.how.termination().unwrap_or_default()) ")" }
            }
        }
    }
}
