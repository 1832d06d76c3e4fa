//! The page of one game.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::board;
use super::charts::{self, loss_text};
use super::game::{Basis, Decisive, GameReport, JudgedTurn};
use super::html::{self, escape, lead, name, score, seconds};
use super::summary::{Accuracy, Phase};
use crate::analysis::Grade;
use crate::board::stability::stable_discs;
use crate::board::{Color, Move, squares};
use crate::notation::diagram::write_board;
use crate::notation::{How, Outcome};
use crate::search::Known;

const SCRIPT: &str = include_str!("script.js");
/// How many decisive moves a page shows.
const DECISIVE: usize = 4;
/// Moves of a best line that are printed.
const LINE_LEN: usize = 12;

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
    body.push_str(&decisive(report));
    body.push_str(&players(report));
    body.push_str(&charts::times(report));
    body.push_str(&charts::stable(report));
    body.push_str("</div>\n<div class=\"side list\">\n");
    body.push_str(&moves(report));
    body.push_str("</div>\n</div>\n");
    body.push_str(&foot(report, basis));
    let script = format!(
        "<script type=\"application/json\" id=\"game\">{}</script>\n<script>\n{SCRIPT}</script>\n",
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
    facts.extend(report.opening().map(|opening| format!("Opening: {}", escape(opening))));
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

/// The board with its buttons and the panel about the move shown.
fn viewer(report: &GameReport) -> String {
    let end = report.game().position();
    let label = format!("The board after {} moves", report.game().moves().len());
    let mut text = String::from("<section class=\"card viewer\">\n");
    text.push_str(&board::large(&end, &label));
    text.push_str("<div class=\"buttons\">");
    for (id, label, face) in [
        ("first", "Start of the game", "\u{21e4}"),
        ("back", "One move back", "\u{2190}"),
        ("next", "One move on", "\u{2192}"),
        ("last", "End of the game", "\u{21e5}"),
    ] {
        let _ = write!(
            text,
            "<button type=\"button\" id=\"{id}\" aria-label=\"{label}\" title=\"{label}\">{face}</button>"
        );
    }
    text.push_str(
        "<span class=\"checks\"><label class=\"check\"><input type=\"checkbox\" id=\"hints\" checked=\"checked\"/> best move</label>\
         <label class=\"check\"><input type=\"checkbox\" id=\"locks\"/> stable discs</label></span></div>\n\
         <div id=\"panel\" class=\"panel\" aria-live=\"polite\"><p class=\"now\">Final position</p></div>\n\
         <p class=\"keys\">\u{2190} \u{2192} step \u{b7} \u{2191} \u{2193} to the moves that lost discs \u{b7} \
         click the graph, the list, or the moves of a line</p>\n</section>\n",
    );
    text
}

/// The moves that decided the game, each with a small board.
fn decisive(report: &GameReport) -> String {
    let found = report.decisive(DECISIVE);
    if found.is_empty() {
        return String::new();
    }
    let mut text = String::from("<section class=\"card\"><h2>Decisive moves</h2>\n<ol class=\"decisive\">\n");
    for decisive in &found {
        text.push_str(&decisive_item(report, decisive));
    }
    text.push_str("</ol></section>\n");
    text
}

fn decisive_item(report: &GameReport, decisive: &Decisive) -> String {
    let turn = &report.turns[decisive.ply];
    let number = decisive.ply + 1;
    let (Some(played), Some(verdict)) = (turn.played, &turn.verdict) else { return String::new() };
    let best = turn.line().first().copied();
    let mut marks: Vec<board::Mark> = Vec::new();
    marks.extend(played.square().map(|square| (square, "played")));
    marks.extend(best.and_then(Move::square).map(|square| (square, "best")));
    let exact = verdict.exact;
    let turned = match (decisive.outcome, exact) {
        ((1, -1), true) => " and turned a win into a loss",
        ((1, 0), true) => " and turned a win into a draw",
        ((0, -1), true) => " and turned a draw into a loss",
        ((1, -1), false) => " and turned a lead into a deficit",
        ((1, 0), false) => " and gave the lead away",
        ((0, -1), false) => " and fell behind",
        _ => "",
    };
    let chance = match decisive.chance {
        Some(chance) if chance >= 0.005 => format!(", {:.0} % of the chance to win", 100.0 * chance),
        _ => String::new(),
    };
    format!(
        "<li><a href=\"#{number}\" data-ply=\"{number}\">{}</a><div><p><a href=\"#{number}\" data-ply=\"{number}\">\
         {}. <i class=\"stone {}\"></i><b>{played}</b></a> lost <b class=\"{}\">{}</b>{chance}{turned}.</p>\
         <p class=\"quiet\">{} \u{2192} {}. Better: {}</p></div></li>\n",
        board::small(&turn.position, &marks, &format!("Before move {number}")),
        number,
        turn.position.side,
        Grade::of(decisive.loss).name(),
        loss_text(decisive.loss, exact),
        worth(turn).unwrap_or_default(),
        report.turns.get(decisive.ply + 1).and_then(worth).unwrap_or_else(|| "?".into()),
        line_text(turn.line()),
    )
}

/// What a position is worth, in the words of the panel beside the board; `None` where nothing is known.
fn worth(turn: &JudgedTurn) -> Option<String> {
    let position = &turn.position;
    if position.is_over() {
        return Some(lead(Known::Score(f64::from(position.final_score(position.side))), position.side, true));
    }
    let verdict = turn.verdict.as_ref()?;
    Some(lead(verdict.value, position.side, verdict.exact))
}

/// A line in words; a long one is cut.
fn line_text(line: &[Move]) -> String {
    let mut words: Vec<String> = line.iter().take(LINE_LEN).map(|mv| mv.in_words()).collect();
    if let Some(first) = words.first_mut() {
        *first = format!("<b>{first}</b>");
    }
    if line.len() > LINE_LEN {
        words.push("\u{2026}".into());
    }
    words.join(" ")
}

/// How the two sides did, beside each other.
fn players(report: &GameReport) -> String {
    let sides = [Color::Black, Color::White];
    let accuracy = sides.map(|color| Accuracy::of(report, color));
    if accuracy.iter().all(|side| side.total().moves == 0) {
        return String::new();
    }
    let mut text =
        String::from("<section class=\"card\"><h2>Accuracy</h2>\n<table class=\"sums\"><thead><tr><th></th>");
    for color in sides {
        let _ = write!(text, "<th><i class=\"stone {color}\"></i>{}</th>", name(report.source.player(color)));
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    let mut row = |label: &str, values: [String; 2]| {
        let _ = writeln!(text, "<tr><th>{label}</th><td>{}</td><td>{}</td></tr>", values[0], values[1]);
    };
    let mean = |value: Option<f64>| value.map_or("\u{2013}".into(), |value| format!("{value:.2}"));
    row("Discs lost per move", accuracy.map(|side| mean(side.total().mean())));
    for phase in Phase::ALL {
        row(phase.name(), accuracy.map(|side| mean(side.phase(phase).mean())));
    }
    for (label, grade) in [
        ("Slips (2 discs or more)", Grade::Slip),
        ("Mistakes (4 or more)", Grade::Mistake),
        ("Blunders (10 or more)", Grade::Blunder),
    ] {
        row(label, accuracy.map(|side| side.total().count(grade).to_string()));
    }
    let used = sides.map(|color| report.source.time_used(color));
    if used.iter().any(Option::is_some) {
        row("Time used", used.map(|time| time.map_or("\u{2013}".into(), seconds)));
    }
    text.push_str("</tbody></table></section>\n");
    text
}

/// The game as a list: a row per pair of moves.
fn moves(report: &GameReport) -> String {
    if report.game().moves().is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "<section class=\"card\"><h2>Moves <small>discs lost, and what was better</small></h2>\n<table class=\"moves\">\
         <thead><tr><th>#</th><th><i class=\"stone black\"></i>Black</th><th><i class=\"stone white\"></i>White</th>\
         </tr></thead>\n<tbody>\n",
    );
    let mut number = 1;
    let mut cells = String::new();
    for (ply, turn) in report.turns.iter().enumerate().filter(|(_, turn)| turn.played.is_some()) {
        let is_white = turn.position.side == Color::White;
        if is_white && cells.is_empty() {
            cells.push_str("<td></td>");
        }
        cells.push_str(&move_cell(report, ply, turn));
        if is_white {
            let _ = writeln!(text, "<tr><th>{number}</th>{cells}</tr>");
            number += 1;
            cells.clear();
        }
    }
    if !cells.is_empty() {
        let _ = writeln!(text, "<tr><th>{number}</th>{cells}<td></td></tr>");
    }
    text.push_str("</tbody></table></section>\n");
    text
}

fn move_cell(report: &GameReport, ply: usize, turn: &JudgedTurn) -> String {
    let number = ply + 1;
    let Some(played) = turn.played else { return "<td></td>".into() };
    let mut cell =
        format!("<td><a href=\"#{number}\" data-ply=\"{number}\"><b class=\"mv\">{}</b>", played.in_words());
    let exact = turn.is_exact();
    match turn.loss {
        Some(loss) if turn.is_choice() => {
            // What rounds to nothing is no loss to read of.
            let amount = if loss < 0.05 { String::new() } else { score(0.0 - loss, exact) };
            let _ = write!(cell, "<span class=\"loss {}\">{amount}</span>", Grade::of(loss).name());
            let best = turn.line().first().copied();
            if let Some(best) = best.filter(|&best| best != played && Grade::of(loss) > Grade::Good) {
                let _ = write!(cell, "<span class=\"better\">{}</span>", best.in_words());
            }
        }
        _ => {}
    }
    if let Some(Some(time)) = report.source.seconds.get(ply) {
        let _ = write!(cell, "<span class=\"time\">{}</span>", seconds(*time));
    }
    cell.push_str("</a></td>");
    cell
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
        Some(from) => format!(" From move {from} on they are proven."),
        None => String::new(),
    };
    let weights = match basis.weights.is_empty() {
        true => String::new(),
        false => format!(", weights {}", escape(&basis.weights)),
    };
    format!(
        "<footer><p>Scores are discs at the end of the game, as Emilia {} expects them ({}{sure}{weights}); whole \
         numbers are proven, numbers with a decimal are estimates.{proven} A loss is the score of the best move less \
         that of the move played, both searched as deep.</p></footer>\n",
        env!("CARGO_PKG_VERSION"),
        escape(&basis.effort),
    )
}

/// What the page's script needs of every turn.
fn data(report: &GameReport) -> Value {
    let mut left = report.source.clocks.map(|clock| clock.map(|clock| clock.main));
    let turns: Vec<Value> = report
        .turns
        .iter()
        .enumerate()
        .map(|(ply, turn)| {
            let side = turn.position.side;
            let time = report.source.seconds.get(ply).copied().flatten();
            let remaining = &mut left[usize::from(side == Color::White)];
            if let (Some(remaining), Some(_)) = (remaining.as_mut(), turn.played) {
                let increment =
                    report.source.clocks[usize::from(side == Color::White)].map_or(0.0, |c| c.increment);
                *remaining = (*remaining - time.unwrap_or(0.0) + increment).max(0.0);
            }
            turn_data(turn, time, *remaining)
        })
        .collect();
    json!({ "turns": turns })
}

fn turn_data(turn: &JudgedTurn, time: Option<f64>, left: Option<f64>) -> Value {
    let position = &turn.position;
    let (black, white) = (position.discs(Color::Black), position.discs(Color::White));
    let stable = stable_discs(black, white) | stable_discs(white, black);
    let mut value = json!({
        "board": &write_board(position)[..64],
        "side": position.side.to_string(),
        "stable": squares(stable).map(|square| square.to_string()).collect::<Vec<_>>(),
    });
    if position.is_over() {
        value["result"] = json!(position.final_score(Color::Black));
    }
    if let Some(mv) = turn.played {
        value["move"] = json!(mv.in_words());
    }
    if let Some(verdict) = &turn.verdict {
        value["score"] = json!(html::known(verdict.value, verdict.exact));
        value["worth"] = json!(worth(turn));
        value["line"] = json!(turn.line().iter().copied().map(Move::in_words).collect::<Vec<_>>());
        value["known"] = json!(known(turn));
        if let Some(chance) = verdict.chance() {
            value["chance"] = json!(format!("{:.0} %", 100.0 * chance));
        }
    }
    if let Some(loss) = turn.loss.filter(|_| turn.is_choice()) {
        let exact = turn.is_exact();
        value["grade"] = json!(Grade::of(loss).name());
        if loss >= 0.05 {
            value["loss"] = json!(loss_text(loss, exact));
        }
    }
    if let Some(time) = time {
        value["time"] = json!(seconds(time));
    }
    if let Some(left) = left {
        value["left"] = json!(seconds(left));
    }
    value
}

/// How well the score of a turn is known: `proven`, `to the end, 98 % sure`, `depth 14, 73 % sure`.
fn known(turn: &JudgedTurn) -> String {
    let Some(verdict) = &turn.verdict else { return String::new() };
    let sure = match verdict.selectivity {
        100.. => String::new(),
        percent => format!(", {percent} % sure"),
    };
    match () {
        () if verdict.exact => "proven".into(),
        () if turn.reaches_end() => format!("to the end{sure}"),
        () => format!("depth {}{sure}", verdict.depth),
    }
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
            ["Decisive moves", "Accuracy", "Time per move", "<th>5</th>", "turned a lead into a deficit"]
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
    fn the_list_and_the_panel_say_the_same_of_a_position() {
        let game = report("f5d6c3d3c4f4c5b3c2", &[0.0, 3.0, 6.0, 12.0, 11.0]);
        let turns = data(&game)["turns"].as_array().unwrap().clone();
        let found = game.decisive(DECISIVE);
        assert_eq!(found.len(), 4);
        for decisive in found {
            let item = decisive_item(&game, &decisive);
            let panel = |ply: usize| turns[ply]["worth"].as_str().unwrap();
            let both = format!("{} \u{2192} {}.", panel(decisive.ply), panel(decisive.ply + 1));
            assert!(item.contains(&both), "{both}: {item}");
        }
        // Black lost 6 with the third move: from 3 ahead to 3 behind, whoever is to move.
        assert_eq!((&turns[2]["worth"], &turns[3]["worth"]), (&json!("Black +3.0"), &json!("White +3.0")));
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
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script>").count(), 2);
    }

    #[test]
    fn games_of_any_shape_have_a_page() {
        for moves in ["", "f5", "e6f4e3f6g5d6e7f5c5"] {
            assert_well_formed(&game_page(&report(moves, &[0.0, 60.0]), &basis(), Some("A title"), None));
        }
        // White begins: the first row has a hole on Black's side.
        let start = crate::board::Position::START.pass();
        let mut game = report("", &[]);
        game.turns[0].position = start;
        game.turns[0].played = Some(Move::Place("d6".parse().unwrap()));
        game.source.record.game = crate::board::Game::new(start);
        game.source.record.game.play_square("d6".parse().unwrap()).unwrap();
        let page = game_page(&game, &basis(), None, None);
        assert!(page.contains("<tr><th>1</th><td></td><td><a href=\"#1\""));
    }

    #[test]
    fn clocks_run_down() {
        let mut game = report("f5d6c3", &[]);
        let clock = crate::notation::ggf::Clock { main: 60.0, increment: 1.0, overtime: None };
        game.source.clocks = [Some(clock), None];
        game.source.seconds = vec![Some(5.0), Some(2.0), Some(70.0)];
        let turns = data(&game)["turns"].clone();
        assert_eq!(turns[0]["left"], "56 s");
        assert_eq!(turns[1]["left"], Value::Null);
        assert_eq!(turns[2]["left"], "0.0 s");
        assert_eq!(html::discs(-0.0), "0.0");
    }
}
