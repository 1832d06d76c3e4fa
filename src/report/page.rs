//! The page of one game.

use maud::{Markup, PreEscaped, html};

use super::board;
use super::charts;
use super::data::data;
use super::game::{Basis, GameReport};
use super::html::{self, clean, name, stone};
use super::lists;
use crate::board::Color;
use crate::notation::How;
use crate::sentences::Language;

const SCRIPT: &str = include_str!("script.js");
/// The buttons that step through the game: id, label, face.
const STEPS: [(&str, &str, &str); 6] = [
    ("first", "Start of the game", "\u{21e4}"),
    ("back", "One move back", "\u{2190}"),
    ("next", "One move on", "\u{2192}"),
    ("last", "End of the game", "\u{21e5}"),
    ("up", "The mistake before", "\u{2191}"),
    ("down", "The next mistake", "\u{2193}"),
];

/// The page of a game: one file that needs no other. `home` is a link back to the index, if there is one; `engine` is of
/// [`engine_of`](super::engine_of), or empty.
pub fn game_page(
    report: &GameReport,
    basis: &Basis,
    title: Option<&str>,
    home: Option<&str>,
    engine: &str,
) -> String {
    let [black, white] = [Color::Black, Color::White].map(|color| report.player(color));
    let heading = title.map_or_else(|| format!("{black} \u{2013} {white}"), str::to_owned);
    let body = html! {
        (head(report, title, home))
        div.columns {
            div.side { (viewer(report)) }
            div.side {
                (charts::scores(report)) (charts::chances(report)) (lists::decisive(report)) (lists::mistakes(report))
                (lists::players(report)) (lists::openings(report)) (charts::times(report)) (charts::stable(report))
            }
            div.side.list { (lists::moves(report)) }
        }
        (foot(report, basis))
    };
    let script = html! {
        script type="application/json" id="game" { (html::data(&data(report))) } "\n"
        (PreEscaped(engine))
        script { "\n" (PreEscaped(SCRIPT)) } "\n"
    };
    html::page(report.language, &heading, &body, &script)
}

fn head(report: &GameReport, title: Option<&str>, home: Option<&str>) -> Markup {
    let result = report.result();
    let end = report.game().position();
    let on_board = || {
        [Color::Black, Color::White]
            .map(|color| end.discs(color).count_ones().to_string())
            .into()
    };
    let (black, white) = result.counts().unwrap_or_else(on_board);
    let class = |color: Color| (result.winner() == Some(color)).then_some("winner");
    let player = |color: Color| name(&report.player(color));
    let rating = |color: Color| {
        let tag = if color == Color::Black {
            "BlackElo"
        } else {
            "WhiteElo"
        };
        html! { @if let Some(rating) = report.source.record.tags.get(tag) { small.rating { (name(rating)) } } }
    };
    html! {
        header {
            @if let Some(home) = home { p.home { a href=(clean(home)) { "\u{2190} " (report.language.page("all games")) } } }
            @if let Some(title) = title { p.title { (name(title)) } }
            h1 {
                span class=[class(Color::Black)] { (stone(Color::Black)) (player(Color::Black)) (rating(Color::Black)) } " "
                span.result { (black) "\u{2013}" (white) } " "
                span class=[class(Color::White)] { (player(Color::White)) (rating(Color::White)) (stone(Color::White)) }
            }
            (facts(report))
        } "\n"
    }
}

/// Event, place, date, opening, and the end of the game, if known.
fn facts(report: &GameReport) -> Markup {
    let record = &report.source.record;
    let result = report.result();
    let texts = [record.event(), record.place.as_str(), record.date.as_str()];
    let mut facts: Vec<Markup> = texts
        .into_iter()
        .filter(|fact| !fact.trim().is_empty())
        .map(name)
        .collect();
    let opening = |name: &str| report.language.fill("opening", &[("name", name.into())]);
    facts.extend(
        report
            .opening()
            .map(|name| html! { (opening(name).trim_end_matches(['.', '\u{3002}'])) }),
    );
    facts.extend(report.book_exit().map(|exit| html! { (exit) }));
    if result.how != How::Played {
        facts.push(html! { (clean(&report.result_in_words())) });
    }
    html! {
        @if !facts.is_empty() {
            p.facts { @for (place, fact) in facts.iter().enumerate() { @if place > 0 { " \u{b7} " } (fact) } }
        }
    }
}

/// The board with its buttons, the panel about the move shown, and the values of all moves.
fn viewer(report: &GameReport) -> Markup {
    let shown = report.first_mistake().unwrap_or(0);
    let t = |english| report.language.page(english);
    let label = report.language.page_with(
        "The board before move {n}",
        &[("n", (report.number(shown) as u32).into())],
    );
    let button = |id: &str, face: &str| html! { button #(id) type="button" { (face) } };
    html! {
        section.card.viewer #viewer {
            h2.unseen { (t("Board")) }
            (board::large(&report.turns[shown].position, &label))
            div.buttons {
                @for (id, label, face) in STEPS {
                    button #(id) type="button" aria-label=(t(label)) title=(t(label)) { (face) }
                }
            }
            div.checks {
                @for (id, label) in [("values", "values"), ("numbers", "move numbers"), ("locks", "stable discs")] {
                    label.check { input #(id) type="checkbox" checked[id == "values"]; " " (t(label)) }
                }
            }
            div #panel.panel aria-live="polite" {}
            div #choices {}
            div.copies {
                span { (t("Copy")) }
                (button("copy-moves", t("moves"))) (button("copy-ggf", "GGF")) (button("copy-position", t("position")))
                span { (t("Picture")) }
                (button("save-svg", "SVG")) (button("save-png", "PNG"))
                span #said role="status" {}
            }
            p.keys {
                (t("Keys:")) " " kbd { "\u{2190}" } " " kbd { "\u{2192}" } " " (t("step,")) " " kbd { "\u{2191}" } " "
                kbd { "\u{2193}" } " " (t("mistakes,")) " " kbd { "Home" } " " kbd { "End" } " " (t("start and end,")) " "
                kbd { "Esc" } " " (t("out of a line. Play any legal move on the board to see its line."))
            }
        } "\n"
    }
}

/// How the scores came about and how to read them.
fn foot(report: &GameReport, basis: &Basis) -> Markup {
    let language = report.language;
    let selectivity = report
        .turns
        .iter()
        .filter_map(|turn| turn.verdict.as_ref())
        .map(|v| v.line.selectivity)
        .min();
    let sure = selectivity.filter(|&percent| percent < 100);
    let sure = sure.map(|n| language.page_with(", cuts {n}\u{a0}% sure", &[("n", n.into())]));
    let weights = Some(&basis.weights).filter(|weights| !weights.is_empty());
    let weights =
        weights.map(|name| language.page_with(", weights {name}", &[("name", clean(name).into())]));
    let parts = [Some(effort(language, &basis.effort)), sure, weights];
    let how = [
        ("version", env!("CARGO_PKG_VERSION").into()),
        (
            "how",
            parts.into_iter().flatten().collect::<String>().into(),
        ),
    ];
    let proven = match report.proven_from() {
        Some(0) => language.page("All scores are proven.").into(),
        Some(from) => {
            let number = (report.number(from) as u32).into();
            language.page_with("From move {n} on they are proven.", &[("n", number)])
        }
        None => String::new(),
    };
    html! {
        footer {
            p {
                (language.page_with("Scores are discs at the end of the game, as Emilia {version} expects them ({how}); whole numbers are proven, numbers with a decimal are estimates.", &how))
                @if !proven.is_empty() { " " (proven) }
                " " (language.page("Words name the side that is ahead: Black +2. Numbers on squares are for the side to move. A loss is the score of the best move less that of the move played, both searched as deep in the same position."))
            }
        } "\n"
    }
}

/// The budget of the search; its first words are those of options.
fn effort(language: Language, effort: &str) -> String {
    let translate = |text: String, word: &str| text.replace(word, language.page(word));
    ["level", "depth", "per position"]
        .into_iter()
        .fold(clean(effort), translate)
}

#[cfg(test)]
mod tests {
    use super::super::game::tests::report;
    use super::*;

    fn basis() -> Basis {
        Basis {
            effort: "depth 4".into(),
            weights: "<w>".into(),
        }
    }

    #[test]
    fn the_page_is_whole_and_fetches_nothing() {
        let mut game = report("f5d6c3d3c4f4c5b3c2", &[0.0, 3.0, 6.0, 12.0, 11.0]);
        game.source.seconds = vec![Some(1.0); 9];
        let page = game_page(&game, &basis(), None, Some("index.html"), "");
        for part in [
            "Decisive moves",
            "Mistakes",
            "Accuracy",
            "Time per move",
            "turned a lead into a deficit",
        ] {
            assert!(page.contains(part), "{part}");
        }
        let plain = page.replace("url(#", "");
        for outside in [
            "http://",
            "https://",
            "src=",
            "@import",
            "url(",
            "fetch(",
            "XMLHttpRequest",
            "eval(",
        ] {
            assert!(!plain.contains(outside), "{outside}");
        }
        assert_eq!(
            page,
            game_page(&game, &basis(), None, Some("index.html"), "")
        );
    }

    #[test]
    fn hostile_names_stay_text() {
        const EVIL: &str = "</title></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\u{0}\u{202e}";
        let mut game = report("f5d6c3", &[0.0, 3.0]);
        let record = &mut game.source.record;
        record.black = EVIL.into();
        record.white = format!("'{EVIL}");
        record.place = EVIL.into();
        record.date = EVIL.into();
        let basis = Basis {
            effort: EVIL.into(),
            weights: EVIL.into(),
        };
        let page = game_page(&game, &basis, Some(EVIL), Some(EVIL), "");
        assert!(
            !page.contains("<img") && !page.contains("<script>alert") && !page.contains('\u{0}')
        );
        assert_eq!(
            [
                page.matches("<script").count(),
                page.matches("</script>").count()
            ],
            [3, 3]
        );
    }

    #[test]
    fn no_line_ends_before_a_percent_sign() {
        for language in Language::ALL {
            let mut game = report("f5d6c3d3c4f4c5b3c2", &[0.0, 3.0, 6.0, 12.0, 11.0]);
            game.language = language;
            let page = game_page(&game, &basis(), None, None, "").replace("(at % 8)", "");
            assert!(
                page.contains("\u{a0}%") && !page.contains(" %"),
                "{language:?}"
            );
        }
    }

    #[test]
    fn games_of_any_shape_have_a_page() {
        for moves in ["", "f5", "e6f4e3f6g5d6e7f5c5"] {
            let page = game_page(
                &report(moves, &[0.0, 60.0]),
                &basis(),
                Some("A title"),
                None,
                "",
            );
            assert!(page.ends_with("</html>\n"));
        }
    }
}
