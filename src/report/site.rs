//! Several games: an index, a page per game and a page per player.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use super::charts;
use super::game::{Basis, GameReport};
use super::html::{self, discs, escape, name};
use super::page::game_page;
use super::summary::{Accuracy, Phase, Slip};
use crate::analysis::Grade;
use crate::board::{Color, Move, Position, Symmetry};
use crate::notation::How;

/// Moves that name an opening while it has no other name.
const OPENING_PLIES: usize = 6;
/// How many of its worst moves a player's page shows.
const WORST: usize = 12;

/// A file of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its name: lower-case letters, digits, a dash and `.html`.
    pub file: String,
    /// What is in it.
    pub html: String,
}

/// One player's games.
struct Player<'a> {
    name: &'a str,
    file: String,
    /// Number of the game and the player's colour in it.
    games: Vec<(usize, Color)>,
}

/// The pages of a set of games, made one by one; `index.html` comes last, when all that it leads to is there.
pub fn pages<'a>(
    reports: &'a [GameReport],
    basis: &'a Basis,
    title: Option<&'a str>,
) -> impl Iterator<Item = Page> + 'a {
    let players = players(reports);
    let index = Page { file: "index.html".into(), html: index(reports, &players, title) };
    let of_players: Vec<Page> = players
        .iter()
        .map(|player| Page { file: player.file.clone(), html: player_page(reports, player) })
        .collect();
    let of_games = reports.iter().enumerate().map(move |(number, report)| Page {
        file: game_file(number),
        html: game_page(report, basis, title, Some("index.html")),
    });
    of_games.chain(of_players).chain([index])
}

fn game_file(number: usize) -> String {
    format!("game-{:03}.html", number + 1)
}

/// All players with a name, in its order.
fn players(reports: &[GameReport]) -> Vec<Player<'_>> {
    let mut games: BTreeMap<&str, Vec<(usize, Color)>> = BTreeMap::new();
    for (number, report) in reports.iter().enumerate() {
        let record = &report.source.record;
        for (name, color) in [(&record.black, Color::Black), (&record.white, Color::White)] {
            if !name.trim().is_empty() {
                games.entry(name.trim()).or_default().push((number, color));
            }
        }
    }
    let mut taken = HashSet::new();
    games
        .into_iter()
        .map(|(name, games)| Player { name, file: player_file(name, &mut taken), games })
        .collect()
}

/// A file name out of a player's, unlike all those `taken`.
fn player_file(name: &str, taken: &mut HashSet<String>) -> String {
    let words: Vec<String> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let mut base = format!("player-{}", words.join("-"));
    base.truncate(60);
    let base = base.trim_end_matches('-');
    let mut file = format!("{base}.html");
    for number in 2.. {
        if taken.insert(file.clone()) {
            break;
        }
        file = format!("{base}-{number}.html");
    }
    file
}

/// Wins, draws, losses and unfinished games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Results([u32; 4]);

impl Results {
    fn add(&mut self, report: &GameReport, color: Color) {
        self.0[match report.result().sign_for(color) {
            Some(1..) => 0,
            Some(0) => 1,
            Some(_) => 2,
            None => 3,
        }] += 1;
    }

    /// `3–1–2`; unfinished games are told if there are any.
    fn text(self) -> String {
        let [wins, draws, losses, unfinished] = self.0;
        let more = if unfinished == 0 { String::new() } else { format!(" ({unfinished} unfinished)") };
        format!("{wins}\u{2013}{draws}\u{2013}{losses}{more}")
    }
}

fn results(reports: &[GameReport], player: &Player<'_>) -> Results {
    let mut results = Results::default();
    player.games.iter().for_each(|&(number, color)| results.add(&reports[number], color));
    results
}

fn accuracy<'g>(reports: &[GameReport], games: impl IntoIterator<Item = &'g (usize, Color)>) -> Accuracy {
    let mut sum = Accuracy::default();
    for &(number, color) in games {
        sum.merge(&Accuracy::of(&reports[number], color));
    }
    sum
}

fn mean(value: Option<f64>) -> String {
    value.map_or("\u{2013}".into(), |value| format!("{value:.2}"))
}

/// The page that leads to all others.
fn index(reports: &[GameReport], players: &[Player<'_>], title: Option<&str>) -> String {
    let heading = title.map_or_else(|| format!("{} games", reports.len()), str::to_owned);
    let mut body = format!("<header><h1>{}</h1></header>\n", name(&heading));
    if !players.is_empty() {
        body.push_str(
            "<section class=\"card\"><h2>Players <small>discs lost per move</small></h2><div class=\"wide-table\">\
             <table><thead><tr><th>Player</th><th class=\"num\">Games</th><th class=\"num\">Won\u{2013}drawn\u{2013}lost</th>\
             <th class=\"num\">All</th><th class=\"num\">Opening</th><th class=\"num\">Midgame</th>\
             <th class=\"num\">Endgame</th><th class=\"num\">Blunders</th></tr></thead>\n<tbody>\n",
        );
        for player in players {
            let sum = accuracy(reports, &player.games);
            let phases: String = Phase::ALL
                .iter()
                .map(|&phase| format!("<td class=\"num\">{}</td>", mean(sum.phase(phase).mean())))
                .collect();
            let _ = writeln!(
                body,
                "<tr><td class=\"name\"><a href=\"{}\">{}</a></td><td class=\"num\">{}</td><td class=\"num\">{}</td>\
                 <td class=\"num\"><b>{}</b></td>{phases}<td class=\"num\">{}</td></tr>",
                player.file,
                name(player.name),
                player.games.len(),
                results(reports, player).text(),
                mean(sum.total().mean()),
                sum.total().count(Grade::Blunder),
            );
        }
        body.push_str("</tbody></table></div></section>\n");
    }
    body.push_str("<section class=\"card\"><h2>Games</h2><div class=\"wide-table\">\n<table><tbody>\n");
    for (number, report) in reports.iter().enumerate() {
        body.push_str(&game_row(number, report));
    }
    body.push_str("</tbody></table></div></section>\n");
    html::page(&heading, &body, "")
}

/// A game in a list: players, result, curve, place and date.
fn game_row(number: usize, report: &GameReport) -> String {
    let source = &report.source;
    let result = report.result();
    let result = match result.counts() {
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
    let record = &source.record;
    let event = if record.event().is_empty() { &record.place } else { record.event() };
    let facts = [event, &record.date].map(|fact| name(fact.trim())).join("</td><td>");
    format!(
        "<tr><td class=\"num\">{}</td><td class=\"name\"><a href=\"{}\"><i class=\"stone black\"></i>{} \u{2013} \
         <i class=\"stone white\"></i>{}</a></td><td>{result}</td><td>{}</td><td>{facts}</td></tr>\n",
        number + 1,
        game_file(number),
        name(source.player(Color::Black)),
        name(source.player(Color::White)),
        charts::sparkline(report),
    )
}

/// The page of a player: accuracy by phase and colour, openings, typical and worst losses.
fn player_page(reports: &[GameReport], player: &Player<'_>) -> String {
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
    body.push_str(&typical(reports, player));
    body.push_str(&worst(reports, player));
    body.push_str("<section class=\"card\"><h2>Games</h2><div class=\"wide-table\">\n<table><tbody>\n");
    for &(number, _) in &player.games {
        body.push_str(&game_row(number, &reports[number]));
    }
    body.push_str("</tbody></table></div></section>\n");
    html::page(player.name, &body, "")
}

fn phases(reports: &[GameReport], player: &Player<'_>) -> String {
    let with = |color: Option<Color>| {
        let games = player.games.iter().filter(|(_, side)| color.is_none_or(|color| color == *side));
        accuracy(reports, games)
    };
    let columns = [with(None), with(Some(Color::Black)), with(Some(Color::White))];
    let mut text = String::from(
        "<section class=\"card\"><h2>Accuracy <small>discs lost per move</small></h2>\n<table class=\"sums\"><thead>\
         <tr><th></th><th>All</th><th><i class=\"stone black\"></i>Black</th><th><i class=\"stone white\"></i>White</th>\
         </tr></thead><tbody>\n",
    );
    let mut row = |label: &str, value: &dyn Fn(&Accuracy) -> String| {
        let cells: String = columns.iter().map(|column| format!("<td>{}</td>", value(column))).collect();
        let _ = writeln!(text, "<tr><th>{label}</th>{cells}</tr>");
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
    let mut text = String::from(
        "<section class=\"card\"><h2>Openings</h2><div class=\"wide-table\"><table><thead><tr><th>Opening</th>\
         <th class=\"num\">Games</th><th class=\"num\">Won\u{2013}drawn\u{2013}lost</th>\
         <th class=\"num\">Lost per move, moves 1\u{2013}20</th></tr></thead><tbody>\n",
    );
    for ((opening, is_white), games) in &rows {
        let mut results = Results::default();
        games.iter().for_each(|&(number, color)| results.add(&reports[number], color));
        let _ = writeln!(
            text,
            "<tr><td><i class=\"stone {}\"></i>{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td>\
             <td class=\"num\">{}</td></tr>",
            if *is_white { Color::White } else { Color::Black },
            escape(opening),
            games.len(),
            results.text(),
            mean(accuracy(reports, games).phase(Phase::Opening).mean()),
        );
    }
    text.push_str("</tbody></table></div></section>\n");
    text
}

/// One move of a player that lost discs.
struct Loss {
    game: usize,
    ply: usize,
    discs: f64,
    kind: Slip,
}

/// All moves of the player that lost discs, the dearest first.
fn losses(reports: &[GameReport], player: &Player<'_>) -> Vec<Loss> {
    let mut found = Vec::new();
    for &(game, color) in &player.games {
        for (ply, turn) in reports[game].turns.iter().enumerate().filter(|(_, t)| t.position.side == color) {
            if let (Some(discs), Some(kind)) = (turn.loss, Slip::of(turn))
                && Grade::of(discs) > Grade::Good
            {
                found.push(Loss { game, ply, discs, kind });
            }
        }
    }
    found.sort_by(|a, b| b.discs.partial_cmp(&a.discs).expect("losses are finite"));
    found
}

/// What kinds of moves the discs were lost by.
fn typical(reports: &[GameReport], player: &Player<'_>) -> String {
    let losses = losses(reports, player);
    let all: f64 = losses.iter().map(|loss| loss.discs).sum();
    if losses.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "<section class=\"card\"><h2>Typical losses <small>moves that lost 2 discs or more</small></h2>\
         <div class=\"wide-table\"><table><thead><tr><th>Kind of move</th><th class=\"num\">Moves</th>\
         <th class=\"num\">Discs lost</th><th class=\"num\">Share</th></tr></thead><tbody>\n",
    );
    let mut kinds: Vec<(Slip, usize, f64)> = Slip::ALL
        .into_iter()
        .map(|kind| {
            let of_kind = losses.iter().filter(|loss| loss.kind == kind);
            (kind, of_kind.clone().count(), of_kind.map(|loss| loss.discs).sum())
        })
        .filter(|(_, count, _)| *count > 0)
        .collect();
    kinds.sort_by(|a, b| b.2.partial_cmp(&a.2).expect("losses are finite"));
    for (kind, count, lost) in kinds {
        let _ = writeln!(
            text,
            "<tr><td>{}</td><td class=\"num\">{count}</td><td class=\"num\">{lost:.1}</td><td class=\"num\">{:.0} %</td></tr>",
            kind.name(),
            100.0 * lost / all
        );
    }
    text.push_str("</tbody></table></div></section>\n");
    text
}

/// The dearest moves, each a link to its place in its game.
fn worst(reports: &[GameReport], player: &Player<'_>) -> String {
    let losses = losses(reports, player);
    if losses.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "<section class=\"card\"><h2>Dearest moves</h2><div class=\"wide-table\"><table><thead><tr><th>Move</th>\
         <th class=\"num\">Lost</th><th>Better</th><th>Kind</th><th>Against</th></tr></thead><tbody>\n",
    );
    for loss in losses.iter().take(WORST) {
        let report = &reports[loss.game];
        let turn = &report.turns[loss.ply];
        let best = turn.line().first().map(Move::to_string);
        let played = turn.played.map(|mv| mv.to_string()).unwrap_or_default();
        let _ = writeln!(
            text,
            "<tr><td class=\"name\"><a href=\"{}#{}\"><i class=\"stone {}\"></i>{}. <b>{played}</b></a></td>\
             <td class=\"num {}\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            game_file(loss.game),
            loss.ply + 1,
            turn.position.side,
            loss.ply + 1,
            Grade::of(loss.discs).name(),
            discs(0.0 - loss.discs),
            best.as_deref().map(escape).unwrap_or_default(),
            loss.kind.name(),
            name(report.source.player(turn.position.side.other())),
        );
    }
    text.push_str("</tbody></table></div></section>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::super::game::tests::report;
    use super::super::html::tests::assert_well_formed;
    use super::*;
    use crate::notation::GameResult;

    #[test]
    fn file_names_are_plain_and_all_different() {
        let mut taken = HashSet::new();
        let mut file = |name| player_file(name, &mut taken);
        assert_eq!(file("Ann O'Hara"), "player-ann-o-hara.html");
        assert_eq!(file("ann o hara"), "player-ann-o-hara-2.html");
        assert_eq!(file("../../etc/passwd"), "player-etc-passwd.html");
        assert_eq!(file("\u{7ea2}"), "player.html");
        assert_eq!(file("\u{9ed1}"), "player-2.html");
        assert!(file(&"x".repeat(500)).len() < 80);
    }

    #[test]
    fn openings_are_told_in_one_direction() {
        let of = |moves| first_moves(&report(moves, &[]));
        assert_eq!(of("f5d6c3d3c4f4"), "f5 d6 c3 d3 c4 f4");
        // The same opening, begun on another square.
        assert_eq!(of("e6f4c3c4d3d6"), "f5 d6 c3 d3 c4 f4");
        assert_eq!(of("f5d6"), "");
    }

    #[test]
    fn a_site_has_a_page_for_every_game_and_player() {
        let mut games = vec![
            report("f5d6c3d3c4f4c5b3c2", &[0.0, 3.0, 6.0, 12.0, 11.0]),
            report("e6f4e3f6g5d6e7f5c5", &[0.0, 60.0]),
            report("", &[]),
        ];
        games[2].source.record.black = "<script>alert(1)</script>".into();
        games[2].source.record.white = String::new();
        let basis = Basis::default();
        let all: Vec<Page> = pages(&games, &basis, None).collect();
        let files: Vec<&str> = all.iter().map(|page| page.file.as_str()).collect();
        let expected = [
            "game-001.html",
            "game-002.html",
            "game-003.html",
            "player-script-alert-1-script.html",
            "player-ann.html",
            "player-bo-co.html",
            "index.html",
        ];
        assert_eq!(files, expected);
        for page in &all {
            assert_well_formed(&page.html);
            assert!(!page.html.contains("<script>alert"), "{}", page.file);
        }
        let bo = &all[5].html;
        // White lost 3, 12 and 60; won the first of none, lost one, one is unfinished.
        assert!(bo.contains("won\u{2013}drawn\u{2013}lost 0\u{2013}0\u{2013}1 (1 unfinished)"), "{bo}");
        assert!(bo.contains("href=\"game-002.html#2\""));
        // A game that one side gave up is won and lost.
        games[0].source.record.stated = GameResult::won(Color::White, How::Resigned);
        let all: Vec<Page> = pages(&games, &basis, None).collect();
        assert!(all[5].html.contains("won\u{2013}drawn\u{2013}lost 1\u{2013}0\u{2013}1<"), "{}", all[5].html);
        assert!(all[5].html.contains("0\u{2013}1 (resignation)"));
        assert!(all[0].html.contains("White won by resignation"));
        assert_eq!(all, pages(&games, &basis, None).collect::<Vec<_>>());
    }
}
