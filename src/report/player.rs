//! The page of a player: accuracy by phase and colour, openings, typical and costliest mistakes, games.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::data::chance_text;
use super::game::{GameReport, Mistake};
use super::games::{Keys, Player, Results, accuracy, game_file, games_table, mean, results};
use super::html::{self, TABLES, escape, name, sorted_by};
use super::lists::{cost_heads, costs};
use super::summary::{Accuracy, Phase, Slip};
use crate::analysis::Grade;
use crate::board::{Color, Move, Position, Symmetry};

/// Moves that name an opening while it has no other name.
const OPENING_PLIES: usize = 6;
/// How many of its worst moves a player's page shows.
const WORST: usize = 20;

/// The whole page.
pub fn player_page(reports: &[GameReport], keys: &Keys<'_>, player: &Player<'_>) -> String {
    let games = match player.games.len() {
        1 => "1 game".to_owned(),
        count => format!("{count} games"),
    };
    let mut body = format!(
        "<header><p class=\"home\"><a href=\"index.html\">\u{2190} all games</a></p>\n<h1>{}</h1>\
         <p>{games}, won\u{2013}drawn\u{2013}lost {}</p></header>\n",
        name(player.name),
        results(reports, player).text()
    );
    body.push_str(&phases(reports, player));
    body.push_str(&openings(reports, player));
    let losses = losses(reports, player);
    body.push_str(&typical(&losses));
    body.push_str(&worst(reports, losses));
    body.push_str("<section class=\"card\"><h2>Games</h2>\n");
    body.push_str(&games_table(player.games.iter().map(|(number, _)| *number).collect(), reports, keys));
    body.push_str("</section>\n");
    html::page(player.name, &body, TABLES)
}

fn phases(reports: &[GameReport], player: &Player<'_>) -> String {
    let with = |color: Option<Color>| {
        let games = player.games.iter().filter(|(_, side)| color.is_none_or(|color| color == *side));
        accuracy(reports, games)
    };
    let columns = [with(None), with(Some(Color::Black)), with(Some(Color::White))];
    let mut text = String::from(
        "<section class=\"card\"><h2>Accuracy <small>discs lost per move</small></h2>\n<table class=\"sums\"><thead>\
         <tr><td></td><th scope=\"col\">All</th><th scope=\"col\"><i class=\"stone black\"></i>Black</th>\
         <th scope=\"col\"><i class=\"stone white\"></i>White</th>\
         </tr></thead><tbody>\n",
    );
    let mut row = |label: &str, value: &dyn Fn(&Accuracy) -> String| {
        let cells: String = columns.iter().map(|column| format!("<td>{}</td>", value(column))).collect();
        let _ = writeln!(text, "<tr><th scope=\"row\">{label}</th>{cells}</tr>");
    };
    row("Whole game", &|sum| mean(sum.total().mean()));
    for phase in Phase::ALL {
        row(phase.name(), &|sum| mean(sum.phase(phase).mean()));
    }
    row("Mistakes (4 or more)", &|sum| sum.total().count(Grade::Mistake).to_string());
    row("Blunders (10 or more)", &|sum| sum.total().count(Grade::Blunder).to_string());
    text.push_str("</tbody></table></section>\n");
    text
}

/// The first moves of a game, turned so that it begins with f5; empty for another start or a shorter game.
fn first_moves(report: &GameReport) -> String {
    let game = report.game();
    let moves = &game.moves()[..game.moves().len().min(OPENING_PLIES)];
    let Some(&Move::Place(first)) = moves.first() else { return String::new() };
    let f5 = |square: crate::board::Square| square.to_string() == "f5";
    let keeps_start = |symmetry: &Symmetry| symmetry.apply(Position::START.board) == Position::START.board;
    let found = Symmetry::all().filter(keeps_start).find(|symmetry| f5(symmetry.apply_square(first)));
    let Some(symmetry) = found.filter(|_| game.start() == Position::START && moves.len() == OPENING_PLIES)
    else {
        return String::new();
    };
    let turned = moves.iter().map(|mv| match mv {
        Move::Place(square) => symmetry.apply_square(*square).to_string(),
        Move::Pass => "pass".into(),
    });
    turned.collect::<Vec<_>>().join(" ")
}

/// How often each opening was played, with which results and losses.
fn openings(reports: &[GameReport], player: &Player<'_>) -> String {
    let mut found: BTreeMap<(String, bool), Vec<(usize, Color)>> = BTreeMap::new();
    for &(number, color) in &player.games {
        let report = &reports[number];
        let opening = report.opening().map_or_else(|| first_moves(report), str::to_owned);
        if !opening.is_empty() {
            found.entry((opening, color == Color::White)).or_default().push((number, color));
        }
    }
    if found.is_empty() {
        return String::new();
    }
    let mut rows: Vec<_> = found.into_iter().collect();
    rows.sort_by_key(|(_, games)| std::cmp::Reverse(games.len()));
    let mut text = format!(
        "<section class=\"card\"><h2>Openings</h2><table class=\"sortable\"><thead><tr>{}{}{}{}</tr></thead><tbody>\n",
        sorted_by("Opening", "", "up"),
        sorted_by("Games", " class=\"num\" aria-sort=\"descending\"", "down"),
        sorted_by("Won\u{2013}drawn\u{2013}lost", " class=\"num\"", "down"),
        sorted_by("Lost per move, moves 1\u{2013}20", " class=\"num\"", "up"),
    );
    for ((opening, is_white), games) in &rows {
        let mut results = Results::default();
        games.iter().for_each(|&(number, color)| results.add(&reports[number], color));
        let _ = writeln!(
            text,
            "<tr><td><i class=\"stone {}\"></i>{}</td><td class=\"num\">{}</td><td class=\"num\" data-key=\"{:.4}\">{}</td>\
             <td class=\"num\">{}</td></tr>",
            if *is_white { Color::White } else { Color::Black },
            escape(opening),
            games.len(),
            results.share(),
            results.text(),
            mean(accuracy(reports, games).phase(Phase::Opening).mean()),
        );
    }
    text.push_str("</tbody></table></section>\n");
    text
}

/// One move of a player that cost something.
struct Loss {
    game: usize,
    mistake: Mistake,
    kind: Slip,
}

/// All such moves of the player, those that cost the greatest chance to win first.
fn losses(reports: &[GameReport], player: &Player<'_>) -> Vec<Loss> {
    let mut found = Vec::new();
    for &(game, color) in &player.games {
        let report = &reports[game];
        for mistake in report.mistakes() {
            let turn = &report.turns[mistake.ply];
            if let Some(kind) = Slip::of(turn).filter(|_| turn.position.side == color) {
                found.push(Loss { game, mistake, kind });
            }
        }
    }
    let weight = |loss: &Loss| (loss.mistake.chance, loss.mistake.loss);
    found.sort_by(|a, b| weight(b).partial_cmp(&weight(a)).expect("losses are finite"));
    found
}

/// What kinds of moves the discs were lost by.
fn typical(losses: &[Loss]) -> String {
    let all: f64 = losses.iter().map(|loss| loss.mistake.loss).sum();
    if losses.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "<section class=\"card\"><h2>Typical losses <small>by mistakes</small></h2>\
         <table><thead><tr><th scope=\"col\">Kind of move</th><th scope=\"col\" class=\"num\">Moves</th>\
         <th scope=\"col\" class=\"num\">Discs lost</th><th scope=\"col\" class=\"num\">Share</th></tr></thead><tbody>\n",
    );
    let mut kinds: Vec<(Slip, usize, f64)> = Slip::ALL
        .into_iter()
        .map(|kind| {
            let of_kind = losses.iter().filter(|loss| loss.kind == kind);
            (kind, of_kind.clone().count(), of_kind.map(|loss| loss.mistake.loss).sum())
        })
        .filter(|(_, count, _)| *count > 0)
        .collect();
    kinds.sort_by(|a, b| b.2.partial_cmp(&a.2).expect("losses are finite"));
    for (kind, count, lost) in kinds {
        let _ = writeln!(
            text,
            "<tr><td>{}</td><td class=\"num\">{count}</td><td class=\"num\">{lost:.1}</td><td class=\"num\">{}</td></tr>",
            kind.name(),
            chance_text(lost / all)
        );
    }
    text.push_str("</tbody></table></section>\n");
    text
}

/// The costliest moves, each a link to its place in its game: the first by chances to win, and the first by discs.
fn worst(reports: &[GameReport], mut losses: Vec<Loss>) -> String {
    if losses.is_empty() {
        return String::new();
    }
    let mut by_discs: Vec<f64> = losses.iter().map(|loss| loss.mistake.loss).collect();
    by_discs.sort_by(|a, b| b.total_cmp(a));
    let least = by_discs[by_discs.len().min(WORST) - 1];
    let mut rank = 0..;
    losses.retain(|loss| rank.next() < Some(WORST) || loss.mistake.loss >= least);
    let has_chances = losses.iter().any(|loss| loss.mistake.chance.is_some());
    let mut text = format!(
        "<section class=\"card\"><h2>Costliest moves</h2><table class=\"sortable worst\"><thead><tr>{}{}\
         <th scope=\"col\">Better</th>{}{}</tr></thead><tbody>\n",
        sorted_by("Move", "", "up"),
        cost_heads(has_chances),
        sorted_by("Kind", " class=\"minor\"", "up"),
        sorted_by("Against", "", "up"),
    );
    for Loss { game, mistake, kind } in losses {
        let report = &reports[game];
        let turn = &report.turns[mistake.ply];
        let best = turn.line().first().map(Move::to_string);
        let played = turn.played.map(|mv| mv.to_string()).unwrap_or_default();
        let number = report.number(mistake.ply);
        let _ = writeln!(
            text,
            "<tr><td class=\"name\" data-key=\"{number}\"><a href=\"{}#{}\"><i class=\"stone {}\"></i>{number}. \
             <b>{played}</b></a></td>{}<td>{}</td><td class=\"minor\">{}</td><td>{}</td></tr>",
            game_file(game),
            report.anchor(mistake.ply),
            turn.position.side,
            costs(&mistake, turn.is_loss_exact(), has_chances),
            best.as_deref().map(escape).unwrap_or_default(),
            kind.name(),
            name(report.source.player(turn.position.side.other())),
        );
    }
    text.push_str("</tbody></table></section>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::super::game::tests::report;
    use super::*;

    #[test]
    fn openings_are_told_in_one_direction() {
        let of = |moves| first_moves(&report(moves, &[]));
        assert_eq!(of("f5d6c3d3c4f4"), "f5 d6 c3 d3 c4 f4");
        // The same opening, begun on another square.
        assert_eq!(of("e6f4c3c4d3d6"), "f5 d6 c3 d3 c4 f4");
        assert_eq!(of("f5d6"), "");
    }
}
