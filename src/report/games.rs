//! Games on the index and the players' pages: rows that can be sorted and filtered, results, sums.

use std::collections::{BTreeMap, HashMap};

use maud::{Markup, html};

use super::charts;
use super::game::GameReport;
use super::html::{Sort, clean, head, name, stone};
use super::summary::Accuracy;
use crate::analysis::words::mean;
use crate::board::Color;
use crate::notation::How;
use crate::sentences::Language;

/// Rows of a table that show at first where a script runs to show the others: laying out thousands takes a browser long.
const SHOWN: usize = 100;

#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// The place of the game, from 0.
    pub number: usize,
    pub report: &'a GameReport,
    pub color: Color,
}

pub struct Player<'a> {
    pub name: &'a str,
    pub file: String,
    pub games: Vec<Side<'a>>,
}

/// The page of a game, by its place.
pub fn game_file(number: usize) -> String {
    format!("game-{:03}.html", number + 1)
}

/// Wins, draws, losses and unfinished games.
#[derive(Clone, Copy)]
pub struct Results([u32; 4]);

impl Results {
    pub fn of(games: &[Side<'_>]) -> Self {
        let mut counts = [0; 4];
        for side in games {
            counts[match side.report.result().sign_for(side.color) {
                Some(1..) => 0,
                Some(0) => 1,
                Some(_) => 2,
                None => 3,
            }] += 1;
        }
        Self(counts)
    }

    /// The order of results: points per finished game, a draw counting half.
    pub fn key(self) -> String {
        let [wins, draws, losses, _] = self.0.map(f64::from);
        format!(
            "{:.4}",
            (wins + draws / 2.0) / (wins + draws + losses).max(1.0)
        )
    }

    /// `3–1–2`, and the unfinished games if there are any.
    pub fn text(self, language: Language) -> String {
        let [wins, draws, losses, unfinished] = self.0;
        let more = if unfinished == 0 {
            String::new()
        } else {
            format!(" ({unfinished} {})", language.page("unfinished"))
        };
        format!("{wins}\u{2013}{draws}\u{2013}{losses}{more}")
    }
}

/// The losses of a player in these games.
pub fn accuracy<'g>(games: impl IntoIterator<Item = &'g Side<'g>>) -> Accuracy {
    Accuracy::of(games.into_iter().map(|side| (side.report, side.color)))
}

/// The numbers that rows are filtered by: names may hold anything.
pub struct Keys<'a> {
    pub players: HashMap<&'a str, usize>,
    /// In the order of the names.
    pub openings: BTreeMap<&'static str, usize>,
}

impl<'a> Keys<'a> {
    pub fn of(reports: &[GameReport], players: &[Player<'a>]) -> Self {
        let mut openings: BTreeMap<&'static str, usize> = reports
            .iter()
            .filter_map(GameReport::opening)
            .map(|opening| (opening, 0))
            .collect();
        openings
            .values_mut()
            .enumerate()
            .for_each(|(number, key)| *key = number);
        let players = players
            .iter()
            .enumerate()
            .map(|(number, player)| (player.name, number))
            .collect();
        Self { players, openings }
    }
}

/// Games with their players, results, curves and openings, and the discs lost per move.
pub fn games_table<'g>(
    language: Language,
    games: impl IntoIterator<Item = (usize, &'g GameReport)>,
    keys: &Keys<'_>,
) -> Markup {
    let t = |english| language.page(english);
    html! {
        table #games.sortable.games {
            thead {
                tr {
                    (head("#", "num", Sort::Up)) (head(t("Black"), "", Sort::Up)) (head(t("White"), "", Sort::Up))
                    (head(t("Result"), "num", Sort::Down)) th scope="col" { (t("Score")) } (head(t("Opening"), "", Sort::Up))
                    (head(t("Black lost per move"), "num", Sort::Down)) (head(t("White lost per move"), "num", Sort::Down))
                    (head(t("Event"), "", Sort::Up)) (head(t("Date"), "", Sort::Up))
                }
            } "\n"
            tbody {
                @for (place, (number, report)) in games.into_iter().enumerate() {
                    (game_row(number, report, keys, (place >= SHOWN).then_some("later"))) "\n"
                }
            }
        }
    }
}

fn game_row(number: usize, report: &GameReport, keys: &Keys<'_>, class: Option<&str>) -> Markup {
    let record = &report.source.record;
    let result = report.result();
    let file = game_file(number);
    let won = match result.sign_for(Color::Black) {
        Some(1..) => "black",
        Some(0) => "draw",
        Some(_) => "white",
        None => "open",
    };
    let players = [&record.black, &record.white].map(|name| keys.players.get(name.trim()));
    let players: Vec<String> = players
        .into_iter()
        .flatten()
        .map(usize::to_string)
        .collect();
    let opening = report.opening();
    let event = if record.event().is_empty() {
        &record.place
    } else {
        record.event()
    };
    let side = |color: Color, tab: Option<&str>| {
        html! {
            td.name { a href=(file) tabindex=[tab] { (stone(color)) (name(&report.player(color))) } }
        }
    };
    let lost = |color| mean(Accuracy::of([(report, color)]).total().mean());
    html! {
        tr class=[class] data-player=(players.join(" "))
            data-opening={ @if let Some(opening) = opening { (keys.openings[opening]) } } data-result=(won) {
            td.num { (number + 1) }
            (side(Color::Black, None)) (side(Color::White, Some("-1")))
            td.num.result data-key={ @if let Some(score) = result.score() { (score) } } { (result_face(report)) }
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
fn result_face(report: &GameReport) -> Markup {
    let result = report.result();
    let words = clean(&report.result_in_words());
    html! {
        @match result.counts() {
            None => { (words) }
            Some((black, white)) if matches!(result.how, How::Played | How::Stated) => {
                (black) "\u{2013}" (white)
            }
            Some((black, white)) => {
                span title=(words) { (black) "\u{2013}" (white) " (" (result.how.termination().map_or("", |how| report.language.page(how))) ")" }
            }
        }
    }
}
