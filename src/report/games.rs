//! What the index and the players' pages tell of games: rows that can be sorted and filtered, results, sums.

use std::collections::{BTreeMap, HashMap};

use super::charts;
use super::game::GameReport;
use super::html::{escape, name, sorted_by};
use super::summary::Accuracy;
use crate::board::Color;
use crate::notation::How;

/// Rows of a table that show at first where a script runs to show the others: laying out thousands takes a browser long.
const SHOWN: usize = 100;
/// The class of those others.
const LATER: &str = " class=\"later\"";

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
    pub fn add(&mut self, report: &GameReport, color: Color) {
        self.0[match report.result().sign_for(color) {
            Some(1..) => 0,
            Some(0) => 1,
            Some(_) => 2,
            None => 3,
        }] += 1;
    }

    /// Points per finished game, a draw counting half.
    pub fn share(self) -> f64 {
        let [wins, draws, losses, _] = self.0.map(f64::from);
        (wins + draws / 2.0) / (wins + draws + losses).max(1.0)
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
    let mut results = Results::default();
    player.games.iter().for_each(|&(number, color)| results.add(&reports[number], color));
    results
}

/// How well the player of these games and colours did.
pub fn accuracy<'g>(reports: &[GameReport], games: impl IntoIterator<Item = &'g (usize, Color)>) -> Accuracy {
    let mut sum = Accuracy::default();
    for &(number, color) in games {
        sum.merge(&Accuracy::of(&reports[number], color));
    }
    sum
}

/// A mean with two decimals.
pub fn mean(value: Option<f64>) -> String {
    value.map_or("\u{2013}".into(), |value| format!("{value:.2}"))
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
pub fn games_table(games: Vec<usize>, reports: &[GameReport], keys: &Keys<'_>) -> String {
    let mut text = String::from("<table class=\"sortable games\" id=\"games\"><thead><tr>");
    for (label, class, first) in
        [("#", "num", "up"), ("Black", "", "up"), ("White", "", "up"), ("Result", "num", "down")]
    {
        text.push_str(&sorted_by(label, &format!(" class=\"{class}\""), first));
    }
    text.push_str("<th scope=\"col\">Score</th>");
    for (label, class, first) in [
        ("Opening", "", "up"),
        ("Black lost per move", "num", "down"),
        ("White lost per move", "num", "down"),
        ("Event", "", "up"),
        ("Date", "", "up"),
    ] {
        text.push_str(&sorted_by(label, &format!(" class=\"{class}\""), first));
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    for (place, number) in games.into_iter().enumerate() {
        text.push_str(&game_row(number, &reports[number], keys, if place < SHOWN { "" } else { LATER }));
    }
    text.push_str("</tbody></table>\n");
    text
}

/// A game in a list.
fn game_row(number: usize, report: &GameReport, keys: &Keys<'_>, class: &str) -> String {
    let source = &report.source;
    let result = report.result();
    let (file, record) = (game_file(number), &source.record);
    let face = match result.counts() {
        None => escape(&result.words()),
        Some((black, white)) if matches!(result.how, How::Played | How::Stated) => {
            format!("{black}\u{2013}{white}")
        }
        Some((black, white)) => {
            format!(
                "<span title=\"{}\">{black}\u{2013}{white} ({})</span>",
                escape(&result.words()),
                result.how.termination().unwrap_or_default()
            )
        }
    };
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
    let side = |color: Color, more: &str| {
        let player = name(source.player(color));
        format!(
            "<td class=\"name\"><a href=\"{file}\"{more}><i class=\"stone {color}\"></i>{player}</a></td>"
        )
    };
    let lost = |color| mean(Accuracy::of(report, color).total().mean());
    format!(
        "<tr{class} data-player=\"{}\" data-opening=\"{}\" data-result=\"{won}\"><td class=\"num\">{}</td>{}{}\
         <td class=\"num result\" data-key=\"{}\">{face}</td><td class=\"curve\">{}</td><td>{}</td>\
         <td class=\"num lost\">{}</td><td class=\"num lost\">{}</td><td>{}</td><td class=\"date\">{}</td></tr>\n",
        players.join(" "),
        opening.map_or_else(String::new, |opening| keys.openings[opening].to_string()),
        number + 1,
        side(Color::Black, ""),
        side(Color::White, " tabindex=\"-1\""),
        result.score().map_or_else(String::new, |score| score.to_string()),
        charts::sparkline(report),
        opening.map_or_else(String::new, escape),
        lost(Color::Black),
        lost(Color::White),
        name(event.trim()),
        name(record.date.trim()),
    )
}
