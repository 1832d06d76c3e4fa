//! Several games: an index, a page per game and a page per player.

use std::collections::{BTreeMap, HashSet};

use maud::{Markup, html};

use super::game::{Basis, GameReport};
use super::games::{Keys, Player, Results, Side, accuracy, game_file, games_table};
use super::html::{self, Sort, card, clean, head, name};
use super::page::game_page;
use super::player::player_page;
use super::summary::Phase;
use crate::analysis::Grade;
use crate::analysis::words::mean;
use crate::board::Color;
use crate::sentences::Language;

/// More players than these are folded away on the index.
const SHOWN_PLAYERS: usize = 12;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its name: lower-case letters, digits, a dash and `.html`.
    pub file: String,
    pub html: String,
}

/// The pages of a set of games, made one by one; `index.html` comes last, when all that it leads to is there.
pub fn pages<'a>(
    reports: &'a [GameReport],
    basis: &'a Basis,
    title: Option<&'a str>,
) -> impl Iterator<Item = Page> + 'a {
    let players = players(reports);
    let keys = Keys::of(reports, &players);
    let index = Page {
        file: "index.html".into(),
        html: index(reports, &players, &keys, title),
    };
    let of_players: Vec<Page> = players
        .iter()
        .map(|player| Page {
            file: player.file.clone(),
            html: player_page(&keys, player),
        })
        .collect();
    let of_games = reports
        .iter()
        .enumerate()
        .map(move |(number, report)| Page {
            file: game_file(number),
            html: game_page(report, basis, title, Some("index.html"), ""),
        });
    of_games.chain(of_players).chain([index])
}

/// Whether a page of a set of games may have this name.
pub fn is_page_of_site(file: &str) -> bool {
    let base = file.strip_suffix(".html").unwrap_or_default();
    let number = base.strip_prefix("game-").unwrap_or_default();
    let is_game = number.len() >= 3 && number.bytes().all(|digit| digit.is_ascii_digit());
    is_game || base == "index" || base == "player" || base.starts_with("player-")
}

/// All players with a name, in its order.
fn players(reports: &[GameReport]) -> Vec<Player<'_>> {
    let mut games: BTreeMap<&str, Vec<Side<'_>>> = BTreeMap::new();
    for (number, report) in reports.iter().enumerate() {
        let record = &report.source.record;
        for (name, color) in [
            (record.black.trim(), Color::Black),
            (record.white.trim(), Color::White),
        ] {
            if !name.is_empty() {
                games.entry(name).or_default().push(Side {
                    number,
                    report,
                    color,
                });
            }
        }
    }
    let mut taken = HashSet::new();
    let player = |(name, games)| Player {
        name,
        file: player_file(name, &mut taken),
        games,
    };
    games.into_iter().map(player).collect()
}

/// A file name out of a player's, unlike all those `taken`.
fn player_file(name: &str, taken: &mut HashSet<String>) -> String {
    let words = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let mut base = format!(
        "player-{}",
        words.collect::<Vec<_>>().join("-").to_ascii_lowercase()
    );
    base.truncate(60);
    let base = base.trim_end_matches('-');
    let numbered = (2..).map(|number| format!("{base}-{number}.html"));
    let mut files = std::iter::once(format!("{base}.html")).chain(numbered);
    files
        .find(|file| taken.insert(file.clone()))
        .expect("numbers do not end")
}

fn index(
    reports: &[GameReport],
    players: &[Player<'_>],
    keys: &Keys<'_>,
    title: Option<&str>,
) -> String {
    let language = reports
        .first()
        .map_or(Language::En, |report| report.language);
    let count = || language.page_with("{n} games", &[("n", (reports.len() as u32).into())]);
    let heading = title.map_or_else(count, str::to_owned);
    let games = games_table(language, reports.iter().enumerate(), keys);
    let body = html! {
        header { h1 { (name(&heading)) } } "\n"
        (card(language.page("Games"), "", &html! { (filters(language, players, keys)) (games) }))
        @if !players.is_empty() { (players_table(language, players)) }
    };
    html::page(language, &heading, &body, &html! {})
}

/// The form that searches and filters the games of the index; the script shows it.
fn filters(language: Language, players: &[Player<'_>], keys: &Keys<'_>) -> Markup {
    let t = |english| language.page(english);
    let players = players
        .iter()
        .map(|player| (keys.players[player.name].to_string(), player.name))
        .collect();
    let openings = keys
        .openings
        .iter()
        .map(|(opening, key)| (key.to_string(), *opening))
        .collect();
    let results = [
        ("black", t("Black won")),
        ("white", t("White won")),
        ("draw", t("draw")),
        ("open", t("unfinished")),
    ];
    let results: Vec<(String, &str)> = results.map(|(key, words)| (key.to_owned(), words)).into();
    let selects = [
        (t("Player"), "player", players),
        (t("Opening"), "opening", openings),
        (t("Result"), "result", results),
    ];
    html! {
        form.filters data-table="games" hidden="hidden" {
            label { (t("Search")) " " input type="search" name="search" autocomplete="off"; }
            @for (label, name, options) in &selects {
                label {
                    (label) " "
                    select name=(name) {
                        option value="" { (t("any")) }
                        @for (key, words) in options { option value=(key) { (clean(words)) } }
                    }
                }
            }
            button type="reset" { (t("Clear")) }
            span.quiet role="status" {}
        } "\n"
    }
}

/// All players; many of them are folded away.
fn players_table(language: Language, players: &[Player<'_>]) -> Markup {
    let t = |english| language.page(english);
    html! {
        section.card {
            details open[players.len() <= SHOWN_PLAYERS] {
                summary { h2 { (language.page_with("{n} players", &[("n", (players.len() as u32).into())])) " " small { (t("discs lost per move")) } } }
                table.sortable.players {
                    thead {
                        tr {
                            (head(t("Player"), "", Sort::Up)) (head(t("Games"), "num", Sort::Down))
                            (head(t("Won\u{2013}drawn\u{2013}lost"), "num", Sort::Down)) (head(t("All moves"), "num", Sort::Up))
                            @for label in ["Opening", "Midgame", "Endgame", "Blunders"] {
                                (head(t(label), "num minor", Sort::Up))
                            }
                        }
                    }
                    tbody { @for player in players { (player_row(language, player)) "\n" } }
                }
            }
        } "\n"
    }
}

fn player_row(language: Language, player: &Player<'_>) -> Markup {
    let sum = accuracy(&player.games);
    let results = Results::of(&player.games);
    html! {
        tr {
            td.name { a href=(player.file) { (name(player.name)) } }
            td.num { (player.games.len()) }
            td.num data-key=(results.key()) { (results.text(language)) }
            td.num { b { (mean(sum.total().mean())) } }
            @for phase in Phase::ALL { td.num.minor { (mean(sum.phase(phase).mean())) } }
            td.num.minor { (sum.total().count(Grade::Blunder)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::game::tests::report;
    use super::*;
    use crate::notation::{GameResult, How};

    #[test]
    fn pages_are_whole_in_each_language() {
        for language in [Language::Fr, Language::Ja] {
            let mut games = ["f5d6c3d3c4f4c5b3c2", "e6f4e3f6g5d6e7f5c5"]
                .map(|moves| report(moves, &[0.0, 3.0, 6.0, 12.0]));
            for game in &mut games {
                (game.language, game.source.seconds) = (language, vec![Some(1.0); 9]);
            }
            games[1].source.record.stated = GameResult::won(Color::White, How::Resigned);
            for page in pages(
                &games,
                &Basis {
                    effort: "level 4".into(),
                    weights: "w".into(),
                },
                None,
            ) {
                let shown = page.html.split("<script").next().unwrap();
                for (english, own) in language
                    .page_texts()
                    .into_iter()
                    .filter(|(english, own)| english != own)
                {
                    assert!(
                        !shown.contains(&format!(">{english}<")),
                        "{}: {english}, not {own}",
                        page.file
                    );
                }
            }
        }
    }

    #[test]
    fn file_names_are_plain_and_all_different() {
        let mut taken = HashSet::new();
        let mut file = |name| player_file(name, &mut taken);
        let files = [
            "Ann O'Hara",
            "ann o hara",
            "../../etc/passwd",
            "\u{7ea2}",
            "\u{9ed1}",
        ]
        .map(&mut file);
        assert_eq!(
            files.join(" "),
            "player-ann-o-hara.html player-ann-o-hara-2.html player-etc-passwd.html player.html player-2.html"
        );
        assert!(file(&"x".repeat(500)).len() < 80);
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
        let expected = "game-001.html game-002.html game-003.html player-script-alert-1-script.html \
            player-ann.html player-bo-co.html index.html";
        assert_eq!(files.join(" "), expected);
        for page in &all {
            assert!(page.html.ends_with("</html>\n"), "{}", page.file);
            assert!(!page.html.contains("<script>alert"), "{}", page.file);
        }
        let bo = &all[5].html;
        // White lost 3, 12 and 60; one game is lost and one unfinished.
        assert!(
            bo.contains("won\u{2013}drawn\u{2013}lost 0\u{2013}0\u{2013}1 (1 unfinished)"),
            "{bo}"
        );
        assert!(bo.contains("href=\"game-002.html#2\""));
        // A game that one side gave up is won and lost.
        games[0].source.record.stated = GameResult::won(Color::White, How::Resigned);
        let all: Vec<Page> = pages(&games, &basis, None).collect();
        assert!(
            all[5]
                .html
                .contains("won\u{2013}drawn\u{2013}lost 1\u{2013}0\u{2013}1<"),
            "{}",
            all[5].html
        );
        assert!(all[5].html.contains("0\u{2013}1 (resignation)"));
        assert!(all[0].html.contains("White won by resignation"));
        assert_eq!(all, pages(&games, &basis, None).collect::<Vec<_>>());
    }
}
