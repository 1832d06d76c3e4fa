//! The page of a player: accuracy by phase and color, openings, typical and costliest mistakes, games.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::game::GameReport;
use super::games::{Keys, Player, Results, Side, accuracy, game_file, games_table};
use super::html::{self, Sort, card, head, name, stone};
use super::lists::{Row, mistake_table, sums};
use super::summary::{Phase, Slip};
use crate::analysis::words::{chance, mean};
use crate::board::{Color, Move, Position, Symmetry};
use crate::engine::people::judge::Evidence;
use crate::sentences::{Language, name as side_name};

/// Moves that name an opening while it has no other name.
const OPENING_PLIES: usize = 6;
/// How many of its worst moves a player's page shows.
const WORST: usize = 20;

pub fn player_page(keys: &Keys<'_>, player: &Player<'_>) -> String {
    let count = player.games.len() as u32;
    let language = player
        .games
        .first()
        .map_or(Language::En, |side| side.report.language);
    let t = |english| language.page(english);
    let values = [
        ("n", count.into()),
        ("results", Results::of(&player.games).text(language).into()),
    ];
    let losses = losses(player);
    let games = player.games.iter().map(|side| (side.number, side.report));
    let body = html! {
        header {
            p.home { a href="index.html" { "\u{2190} " (t("all games")) } }
            h1 { (name(player.name)) }
            p {
                (language.page_with("{n} {n|game|games}, won\u{2013}drawn\u{2013}lost {results}", &values))
            }
        } "\n"
        (phases(language, player))
        (openings(language, player))
        (typical(language, &losses))
        (worst(language, losses))
        (card(t("Games"), "", &games_table(language, games, keys)))
    };
    html::page(language, player.name, &body, &html! {})
}

fn phases(language: Language, player: &Player<'_>) -> Markup {
    let columns = [None, Some(Color::Black), Some(Color::White)].map(|color| {
        accuracy(
            player
                .games
                .iter()
                .filter(|side| color.is_none_or(|color| color == side.color)),
        )
    });
    let mut evidence: [Evidence; 3] = Default::default();
    for side in &player.games {
        let own = &side.report.evidence[side.color as usize];
        evidence[0].add_all(own);
        evidence[1 + side.color as usize].add_all(own);
    }
    let ratings = evidence.each_ref().map(|evidence| {
        let rating = GameReport::estimated_rating(evidence, language);
        rating.unwrap_or_else(|| "\u{2013}".to_owned())
    });
    let is_rated = evidence[0].estimate().is_some();
    let more: Vec<(&str, &[String])> = is_rated
        .then_some((language.page("Estimated rating"), &ratings[..]))
        .into_iter()
        .collect();
    let of = |color: Color| html! { (stone(color)) (side_name(language, color)) };
    let heads = [
        html! { (language.page("All")) },
        of(Color::Black),
        of(Color::White),
    ];
    card(
        language.page("Accuracy"),
        language.page("discs lost per move"),
        &sums(language, &heads, &columns, ["Whole game", ""], &more),
    )
}

/// The first moves of a game, turned so that it begins with f5; empty for another start or a shorter game.
fn first_moves(report: &GameReport) -> String {
    let game = report.game();
    let moves = &game.moves()[..game.moves().len().min(OPENING_PLIES)];
    let Some(&Move::Place(first)) = moves.first() else {
        return String::new();
    };
    let f5 = |square: crate::board::Square| square.to_string() == "f5";
    let keeps_start =
        |symmetry: &Symmetry| symmetry.apply(Position::START.board) == Position::START.board;
    let found = Symmetry::all()
        .filter(keeps_start)
        .find(|symmetry| f5(symmetry.apply_square(first)));
    let Some(symmetry) =
        found.filter(|_| game.start() == Position::START && moves.len() == OPENING_PLIES)
    else {
        return String::new();
    };
    let turned = moves.iter().map(|mv| mv.mapped(symmetry).in_words());
    turned.collect::<Vec<_>>().join(" ")
}

/// How often each opening was played, with which results and losses.
fn openings(language: Language, player: &Player<'_>) -> Markup {
    let mut found: BTreeMap<(String, bool), Vec<Side<'_>>> = BTreeMap::new();
    for side in &player.games {
        let opening = side
            .report
            .opening()
            .map_or_else(|| first_moves(side.report), str::to_owned);
        if !opening.is_empty() {
            found
                .entry((opening, side.color == Color::White))
                .or_default()
                .push(*side);
        }
    }
    if found.is_empty() {
        return html! {};
    }
    let mut rows: Vec<_> = found.into_iter().collect();
    rows.sort_by_key(|(_, games)| std::cmp::Reverse(games.len()));
    let t = |english| language.page(english);
    let table = html! {
        table.sortable {
            thead {
                tr {
                    (head(t("Opening"), "", Sort::Up)) (head(t("Games"), "num", Sort::Now))
                    (head(t("Won\u{2013}drawn\u{2013}lost"), "num", Sort::Down))
                    (head(t("Lost per move, moves 1\u{2013}20"), "num", Sort::Up))
                }
            }
            tbody {
                @for ((opening, is_white), games) in &rows {
                    @let results = Results::of(games);
                    tr {
                        td { (stone(if *is_white { Color::White } else { Color::Black })) (opening) }
                        td.num { (games.len()) }
                        td.num data-key=(results.key()) { (results.text(language)) }
                        td.num { (mean(accuracy(games).phase(Phase::Opening).mean())) }
                    }
                }
            }
        }
    };
    card(t("Openings"), "", &table)
}

/// The mistakes of the player, those that cost the greatest chance to win first.
fn losses<'a>(player: &Player<'a>) -> Vec<Row<'a>> {
    let mut found = Vec::new();
    for &Side {
        number,
        report,
        color,
    } in &player.games
    {
        for mistake in report.mistakes() {
            let turn = &report.turns[mistake.ply];
            if let Some(kind) = Slip::of(turn).filter(|_| turn.position.side == color) {
                found.push(Row {
                    report,
                    mistake,
                    of_game: Some((game_file(number), kind)),
                });
            }
        }
    }
    let weight = |row: &Row<'_>| (row.mistake.chance, row.mistake.loss);
    found.sort_by(|a, b| {
        weight(b)
            .partial_cmp(&weight(a))
            .expect("losses are finite")
    });
    found
}

fn typical(language: Language, losses: &[Row<'_>]) -> Markup {
    let total: f64 = losses.iter().map(|row| row.mistake.loss).sum();
    let of_kind = |kind: Slip| {
        let rows = losses.iter().filter(|row| {
            row.of_game
                .as_ref()
                .is_some_and(|(_, other)| *other == kind)
        });
        let losses: Vec<f64> = rows.map(|row| row.mistake.loss).collect();
        (kind, losses.len(), losses.iter().sum::<f64>())
    };
    let mut kinds = Slip::ALL.map(of_kind).to_vec();
    kinds.retain(|(_, count, _)| *count > 0);
    kinds.sort_by(|a, b| b.2.total_cmp(&a.2));
    if kinds.is_empty() {
        return html! {};
    }
    let t = |english| language.page(english);
    let table = html! {
        table {
            thead {
                tr {
                    th scope="col" { (t("Kind of move")) }
                    @for label in ["Moves", "Discs lost", "Share"] { th.num scope="col" { (t(label)) } }
                }
            }
            tbody {
                @for (kind, count, lost) in kinds {
                    tr {
                        td { (t(kind.name())) }
                        td.num { (count) }
                        td.num { (format!("{lost:.1}")) }
                        td.num { (chance(lost / total)) }
                    }
                }
            }
        }
    };
    card(t("Typical losses"), t("by mistakes"), &table)
}

/// The costliest moves: the first by chances to win, and the first by discs.
fn worst(language: Language, mut losses: Vec<Row<'_>>) -> Markup {
    if losses.is_empty() {
        return html! {};
    }
    let mut by_discs: Vec<f64> = losses.iter().map(|row| row.mistake.loss).collect();
    by_discs.sort_by(|a, b| b.total_cmp(a));
    let least = by_discs[by_discs.len().min(WORST) - 1];
    let mut rank = 0..;
    losses.retain(|row| rank.next() < Some(WORST) || row.mistake.loss >= least);
    card(
        language.page("Costliest moves"),
        "",
        &mistake_table(language, &losses),
    )
}

#[cfg(test)]
mod tests {
    use super::super::game::tests::report;
    use super::*;

    #[test]
    fn openings_have_one_direction() {
        let of = |moves| first_moves(&report(moves, &[]));
        assert_eq!(of("f5d6c3d3c4f4"), "f5 d6 c3 d3 c4 f4");
        // The same opening, begun on another square.
        assert_eq!(of("e6f4c3c4d3d6"), "f5 d6 c3 d3 c4 f4");
        assert_eq!(of("f5d6"), "");
    }
}
