//! The page of one game.

use std::fmt::Write as _;

use super::board;
use super::charts;
use super::data::data;
use super::game::{Basis, GameReport};
use super::html::{self, TABLES, escape, name};
use super::lists;
use crate::board::Color;
use crate::notation::{How, Outcome};

const SCRIPT: &str = include_str!("script.js");

/// The page of a game: one file that needs no other. `home` is a link back to the index, if there is one.
///
/// Everything that a game's text says, names above all, is escaped.
pub fn game_page(report: &GameReport, basis: &Basis, title: Option<&str>, home: Option<&str>) -> String {
    let heading = match title {
        Some(title) => title.to_owned(),
        None => {
            format!("{} \u{2013} {}", report.source.player(Color::Black), report.source.player(Color::White))
        }
    };
    let mut body = head(report, title, home);
    body.push_str("<div class=\"columns\">\n<div class=\"side\">\n");
    body.push_str(&viewer(report));
    body.push_str("</div>\n<div class=\"side\">\n");
    body.push_str(&charts::scores(report));
    body.push_str(&charts::chances(report));
    body.push_str(&lists::decisive(report));
    body.push_str(&lists::mistakes(report));
    body.push_str(&lists::players(report));
    body.push_str(&charts::times(report));
    body.push_str(&charts::stable(report));
    body.push_str("</div>\n<div class=\"side list\">\n");
    body.push_str(&lists::moves(report));
    body.push_str("</div>\n</div>\n");
    body.push_str(&foot(report, basis));
    let script = format!(
        "<script type=\"application/json\" id=\"game\">{}</script>\n<script>\n{SCRIPT}</script>\n{TABLES}",
        html::data(&data(report))
    );
    html::page(&heading, &body, &script)
}

/// Names, result, place and date.
fn head(report: &GameReport, title: Option<&str>, home: Option<&str>) -> String {
    let mut text = String::from("<header>\n");
    if let Some(home) = home {
        let _ = writeln!(text, "<p class=\"home\"><a href=\"{}\">\u{2190} all games</a></p>", escape(home));
    }
    if let Some(title) = title {
        let _ = writeln!(text, "<p class=\"title\">{}</p>", name(title));
    }
    let end = report.game().position();
    let result = report.result();
    let on_board =
        || [Color::Black, Color::White].map(|color| end.discs(color).count_ones().to_string()).into();
    let (black, white) = result.counts().unwrap_or_else(on_board);
    let winner = |color: Color| match result.winner() {
        Some(winner) if winner == color => " class=\"winner\"",
        _ => "",
    };
    let _ = writeln!(
        text,
        "<h1><span{}><i class=\"stone black\"></i>{}</span> <span class=\"result\">{black}\u{2013}{white}</span> \
         <span{}>{}<i class=\"stone white\"></i></span></h1>",
        winner(Color::Black),
        name(report.source.player(Color::Black)),
        winner(Color::White),
        name(report.source.player(Color::White)),
    );
    let record = &report.source.record;
    let texts = [record.event(), record.place.as_str(), record.date.as_str()];
    let mut facts: Vec<String> =
        texts.into_iter().filter(|fact| !fact.trim().is_empty()).map(|fact| name(fact.trim())).collect();
    let code = report.language.code();
    let named = |opening| format!("Opening: <span lang=\"{code}\">{}</span>", escape(opening));
    facts.extend(report.opening().map(named));
    facts.extend(report.book_exit().map(|exit| escape(&exit)));
    if result.how != How::Played {
        let lead = if result.outcome == Outcome::Open { "the game is " } else { "" };
        facts.push(escape(&format!("{lead}{}", result.words())));
    }
    if !facts.is_empty() {
        let _ = writeln!(text, "<p class=\"facts\">{}</p>", facts.join(" \u{b7} "));
    }
    text.push_str("</header>\n");
    text
}

/// The board with its buttons, the panel about the move shown, and the values of all moves.
fn viewer(report: &GameReport) -> String {
    let shown = report.first_mistake().unwrap_or(0);
    let label = format!("The board before move {}", report.number(shown));
    let mut text =
        String::from("<section class=\"card viewer\" id=\"viewer\"><h2 class=\"unseen\">Board</h2>\n");
    text.push_str(&board::large(&report.turns[shown].position, &label));
    text.push_str("<div class=\"buttons\">");
    for (id, label, face) in [
        ("first", "Start of the game", "\u{21e4}"),
        ("back", "One move back", "\u{2190}"),
        ("next", "One move on", "\u{2192}"),
        ("last", "End of the game", "\u{21e5}"),
        ("up", "The mistake before", "\u{2191}"),
        ("down", "The next mistake", "\u{2193}"),
    ] {
        let _ = write!(
            text,
            "<button type=\"button\" id=\"{id}\" aria-label=\"{label}\" title=\"{label}\">{face}</button>"
        );
    }
    text.push_str("</div>\n<div class=\"checks\">");
    for (id, label, checked) in [
        ("values", "values", " checked=\"checked\""),
        ("numbers", "move numbers", ""),
        ("locks", "stable discs", ""),
    ] {
        let _ = write!(
            text,
            "<label class=\"check\"><input type=\"checkbox\" id=\"{id}\"{checked}/> {label}</label>"
        );
    }
    text.push_str(
        "</div>\n<div id=\"panel\" class=\"panel\" aria-live=\"polite\"></div>\n<div id=\"choices\"></div>\n\
         <div class=\"copies\"><span>Copy</span>",
    );
    for (id, face) in [("copy-moves", "moves"), ("copy-ggf", "GGF"), ("copy-position", "position")] {
        let _ = write!(text, "<button type=\"button\" id=\"{id}\">{face}</button>");
    }
    text.push_str(
        "<span>Picture</span><button type=\"button\" id=\"save-svg\">SVG</button>\
         <button type=\"button\" id=\"save-png\">PNG</button><span id=\"said\" role=\"status\"></span></div>\n\
         <p class=\"keys\">Keys: <kbd>\u{2190}</kbd> <kbd>\u{2192}</kbd> step, <kbd>\u{2191}</kbd> <kbd>\u{2193}</kbd> \
         mistakes, <kbd>Home</kbd> <kbd>End</kbd> start and end, <kbd>Esc</kbd> out of a line. Play any legal move on the \
         board to see its line.</p>\n</section>\n",
    );
    text
}

/// How the scores came about and how to read them.
fn foot(report: &GameReport, basis: &Basis) -> String {
    let selectivity =
        report.turns.iter().filter_map(|turn| turn.verdict.as_ref()).map(|v| v.selectivity).min();
    let sure = match selectivity {
        Some(percent) if percent < 100 => format!(", cuts {percent} % sure"),
        _ => String::new(),
    };
    let proven = match report.proven_from() {
        Some(0) => " All scores are proven.".into(),
        Some(from) => format!(" From move {} on they are proven.", report.number(from)),
        None => String::new(),
    };
    let weights = match basis.weights.is_empty() {
        true => String::new(),
        false => format!(", weights {}", escape(&basis.weights)),
    };
    format!(
        "<footer><p>Scores are discs at the end of the game, as Emilia {} expects them ({}{sure}{weights}); whole \
         numbers are proven, numbers with a decimal are estimates.{proven} Words name the side that is ahead: Black +2. \
         Numbers on squares are for the side to move. A loss is the score of the best move less that of the move \
         played, both searched as deep in the same position.</p></footer>\n",
        env!("CARGO_PKG_VERSION"),
        escape(&basis.effort),
    )
}

#[cfg(test)]
mod tests {
    use super::super::game::tests::report;
    use super::super::html::tests::assert_well_formed;
    use super::*;

    fn basis() -> Basis {
        Basis { effort: "depth 4".into(), weights: "<w>".into() }
    }

    #[test]
    fn the_page_is_whole_and_fetches_nothing() {
        let mut game = report("f5d6c3d3c4f4c5b3c2", &[0.0, 3.0, 6.0, 12.0, 11.0]);
        game.source.seconds = vec![Some(1.0); 9];
        let page = game_page(&game, &basis(), None, Some("index.html"));
        assert_well_formed(&page);
        for part in
            ["Decisive moves", "Mistakes", "Accuracy", "Time per move", "turned a lead into a deficit"]
        {
            assert!(page.contains(part), "{part}");
        }
        let plain = page.replace("url(#", "");
        for outside in ["http://", "https://", "src=", "@import", "url(", "fetch(", "XMLHttpRequest", "eval("]
        {
            assert!(!plain.contains(outside), "{outside}");
        }
        assert_eq!(page, game_page(&game, &basis(), None, Some("index.html")));
    }

    #[test]
    fn hostile_names_stay_text() {
        const EVIL: &str =
            "</title></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\u{0}\u{202e}";
        let mut game = report("f5d6c3", &[0.0, 3.0]);
        let record = &mut game.source.record;
        record.black = EVIL.into();
        record.white = format!("'{EVIL}");
        record.place = EVIL.into();
        record.date = EVIL.into();
        let basis = Basis { effort: EVIL.into(), weights: EVIL.into() };
        let page = game_page(&game, &basis, Some(EVIL), Some(EVIL));
        assert_well_formed(&page);
        assert!(!page.contains("<img") && !page.contains("<script>alert"));
        assert_eq!(page.matches("<script").count(), 3);
        assert_eq!(page.matches("</script>").count(), 3);
    }

    #[test]
    fn games_of_any_shape_have_a_page() {
        for moves in ["", "f5", "e6f4e3f6g5d6e7f5c5"] {
            assert_well_formed(&game_page(&report(moves, &[0.0, 60.0]), &basis(), Some("A title"), None));
        }
    }
}
