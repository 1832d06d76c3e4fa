//! The page of a player: accuracy by phase and colour, openings, typical and costliest mistakes, games.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::game::{GameReport, Mistake};
use super::games::{Keys, Player, Results, accuracy, game_file, games_table, results};
use super::html::{self, Sort, card, head, name, stone};
use super::lists::{cost_heads, costs, sums};
use super::summary::{Phase, Slip};
use crate::analysis::words::{chance, mean};
use crate::board::{Color, Move, Position, Symmetry};

/// Moves that name an opening while it has no other name.
const OPENING_PLIES: usize = 6;
/// How many of its worst moves a player's page shows.
const WORST: usize = 20;

/// The whole page.
pub fn player_page(reports: &[GameReport], keys: &Keys<'_>, player: &Player<'_>) -> String {
    let count = player.games.len();
    let losses = losses(reports, player);
    let games = player.games.iter().map(|(number, _)| *number).collect();
    let body = html! {
        header {
            p.home { a href="index.html" { "\u{2190} all games" } }
            h1 { (name(player.name)) }
            p {
                (count) @if count == 1 { " game" } @else { " games" }
                ", won\u{2013}drawn\u{2013}lost " (results(reports, player).text())
            }
        } "\n"
        (phases(reports, player))
        (openings(reports, player))
        (typical(&losses))
        (worst(reports, losses))
        (card("Games", "", &games_table(games, reports, keys)))
    };
    html::page(player.name, &body, &html! {})
}

fn phases(reports: &[GameReport], player: &Player<'_>) -> Markup {
    let columns = [None, Some(Color::Black), Some(Color::White)].map(|color| {
        let games = player.games.iter().filter(|(_, side)| color.is_none_or(|color| color == *side));
        accuracy(reports, games)
    });
    let of = |color: Color| html! { (stone(color)) (color.title()) };
    let heads = [html! { "All" }, of(Color::Black), of(Color::White)];
    card("Accuracy", "discs lost per move", &sums(&heads, &columns, ["Whole game", ""], None))
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
    let turned = moves.iter().map(|mv| mv.mapped(symmetry).in_words());
    turned.collect::<Vec<_>>().join(" ")
}

/// How often each opening was played, with which results and losses.
fn openings(reports: &[GameReport], player: &Player<'_>) -> Markup {
    let mut found: BTreeMap<(String, bool), Vec<(usize, Color)>> = BTreeMap::new();
    for &(number, color) in &player.games {
        let report = &reports[number];
        let opening = report.opening().map_or_else(|| first_moves(report), str::to_owned);
        if !opening.is_empty() {
            found.entry((opening, color == Color::White)).or_default().push((number, color));
        }
    }
    if found.is_empty() {
        return html! {};
    }
    let mut rows: Vec<_> = found.into_iter().collect();
    rows.sort_by_key(|(_, games)| std::cmp::Reverse(games.len()));
    let table = html! {
        table.sortable {
            thead {
                tr {
                    (head("Opening", "", Sort::Up)) (head("Games", "num", Sort::Now))
                    (head("Won\u{2013}drawn\u{2013}lost", "num", Sort::Down))
                    (head("Lost per move, moves 1\u{2013}20", "num", Sort::Up))
                }
            }
            tbody {
                @for ((opening, is_white), games) in &rows {
                    @let results = Results::of(reports, games);
                    tr {
                        td { (stone(if *is_white { Color::White } else { Color::Black })) (opening) }
                        td.num { (games.len()) }
                        td.num data-key=(results.key()) { (results.text()) }
                        td.num { (mean(accuracy(reports, games).phase(Phase::Opening).mean())) }
                    }
                }
            }
        }
    };
    card("Openings", "", &table)
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
fn typical(losses: &[Loss]) -> Markup {
    let sum = |kind: Option<Slip>| -> f64 {
        let of_kind = losses.iter().filter(|loss| kind.is_none_or(|kind| loss.kind == kind));
        of_kind.map(|loss| loss.mistake.loss).sum()
    };
    let count = |kind| losses.iter().filter(|loss| loss.kind == kind).count();
    let mut kinds = Slip::ALL.map(|kind| (kind, count(kind), sum(Some(kind)))).to_vec();
    kinds.retain(|(_, count, _)| *count > 0);
    kinds.sort_by(|a, b| b.2.total_cmp(&a.2));
    if kinds.is_empty() {
        return html! {};
    }
    let table = html! {
        table {
            thead {
                tr {
                    th scope="col" { "Kind of move" }
                    @for label in ["Moves", "Discs lost", "Share"] { th.num scope="col" { (label) } }
                }
            }
            tbody {
                @for (kind, count, lost) in kinds {
                    tr {
                        td { (kind.name()) }
                        td.num { (count) }
                        td.num { (format!("{lost:.1}")) }
                        td.num { (chance(lost / sum(None))) }
                    }
                }
            }
        }
    };
    card("Typical losses", "by mistakes", &table)
}

/// The costliest moves, each a link to its place in its game: the first by chances to win, and the first by discs.
fn worst(reports: &[GameReport], mut losses: Vec<Loss>) -> Markup {
    if losses.is_empty() {
        return html! {};
    }
    let mut by_discs: Vec<f64> = losses.iter().map(|loss| loss.mistake.loss).collect();
    by_discs.sort_by(|a, b| b.total_cmp(a));
    let least = by_discs[by_discs.len().min(WORST) - 1];
    let mut rank = 0..;
    losses.retain(|loss| rank.next() < Some(WORST) || loss.mistake.loss >= least);
    let has_chances = losses.iter().any(|loss| loss.mistake.chance.is_some());
    let table = html! {
        table.sortable.worst {
            thead {
                tr {
                    (head("Move", "", Sort::Up)) (cost_heads(has_chances)) th scope="col" { "Better" }
                    (head("Kind", "minor", Sort::Up)) (head("Against", "", Sort::Up))
                }
            }
            tbody { @for loss in &losses { (worst_row(&reports[loss.game], loss, has_chances)) } }
        }
    };
    card("Costliest moves", "", &table)
}

fn worst_row(report: &GameReport, Loss { game, mistake, kind }: &Loss, has_chances: bool) -> Markup {
    let turn = &report.turns[mistake.ply];
    let number = report.number(mistake.ply);
    let text = |mv: Option<Move>| mv.map(|mv| mv.to_string()).unwrap_or_default();
    html! {
        tr {
            td.name data-key=(number) {
                a href={ (game_file(*game)) "#" (report.anchor(mistake.ply)) } {
                    (stone(turn.position.side)) (number) ". " b { (text(turn.played)) }
                }
            }
            (costs(mistake, turn.is_loss_exact(), has_chances))
            td { (text(turn.line().first().copied())) }
            td.minor { (kind.name()) }
            td { (name(report.source.player(turn.position.side.other()))) }
        }
    }
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
