//! The parts of a game's page that list moves: those that decided it, all mistakes, the whole game; and sums of both sides.

use std::fmt::Write as _;

use super::board;
use super::charts::loss_text;
use super::data::{chance_text, worth};
use super::game::{GameReport, JudgedTurn, Mistake};
use super::games::mean;
use super::html::{escape, lead, name, score, seconds, sorted_by};
use super::summary::{Accuracy, Phase};
use crate::analysis::Grade;
use crate::board::{Color, Move};
use crate::picture::Mark;

/// How many decisive moves a page shows with their boards.
const DECISIVE: usize = 4;
/// The column that a table is ranked by.
const RANKED: &str = " class=\"num\" aria-sort=\"descending\"";
/// Moves of a best line that are printed.
const LINE_LEN: usize = 12;

/// A link to a position: the page's script follows it by `data-ply`.
fn to_board(report: &GameReport, ply: usize, class: &str, face: &str) -> String {
    let anchor = report.anchor(ply);
    format!("<a{class} href=\"#{anchor}\" data-ply=\"{ply}\">{face}</a>")
}

/// `35. e2` with its player's disc.
fn numbered(report: &GameReport, ply: usize) -> String {
    let turn = &report.turns[ply];
    let mv = turn.played.map_or_else(String::new, Move::in_words);
    format!("{}. <i class=\"stone {}\"></i><b>{mv}</b>", report.number(ply), turn.position.side)
}

/// The moves that decided the game, each with a small board.
pub fn decisive(report: &GameReport) -> String {
    let mut found: Vec<Mistake> = report.mistakes().into_iter().filter(Mistake::is_decisive).collect();
    found.truncate(DECISIVE);
    found.sort_by_key(|mistake| mistake.ply);
    if found.is_empty() {
        return String::new();
    }
    let mut text = String::from("<section class=\"card\"><h2>Decisive moves</h2>\n<ol class=\"decisive\">\n");
    for mistake in &found {
        text.push_str(&decisive_item(report, mistake));
    }
    text.push_str("</ol></section>\n");
    text
}

fn decisive_item(report: &GameReport, mistake: &Mistake) -> String {
    let ply = mistake.ply;
    let turn = &report.turns[ply];
    let Some(played) = turn.played else { return String::new() };
    let best = turn.line().first().copied();
    let marks = [(Some(played), Mark::Played), (best, Mark::Best)];
    let marks = marks.into_iter().filter_map(|(mv, mark)| Some((mv?.square()?, mark))).collect();
    let exact = turn.is_loss_exact();
    let turned = match (mistake.outcome, exact) {
        ((1, -1), true) => " and turned a win into a loss",
        ((1, 0), true) => " and turned a win into a draw",
        ((0, -1), true) => " and turned a draw into a loss",
        ((1, -1), false) => " and turned a lead into a deficit",
        ((1, 0), false) => " and gave the lead away",
        ((0, -1), false) => " and fell behind",
        _ => "",
    };
    let chance = match mistake.chance {
        Some(chance) if chance >= 0.005 => format!(", {} of the chance to win", chance_text(chance)),
        _ => String::new(),
    };
    let side = turn.position.side;
    let after = turn.played_value().map_or_else(|| "?".into(), |value| lead(value, side, exact));
    let small = board::small(&turn.position, marks, &format!("Before move {}", report.number(ply)));
    format!(
        "<li>{}<div><p>{} lost <b class=\"{}\">{}</b>{chance}{turned}.</p><p class=\"quiet\">{} \u{2192} {after}. \
         Better: {}</p><p lang=\"{}\">{}</p></div></li>\n",
        to_board(report, ply, "", &small),
        to_board(report, ply, "", &numbered(report, ply)),
        Grade::of(mistake.loss).name(),
        loss_text(mistake.loss, exact),
        worth(turn).unwrap_or_default(),
        line_text(turn.line()),
        report.language.code(),
        escape(&turn.why),
    )
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

/// All mistakes, ranked by the chance to win that they cost; the heads of the table rank them by discs or as played.
pub fn mistakes(report: &GameReport) -> String {
    let found = report.mistakes();
    if found.is_empty() {
        return String::new();
    }
    let has_chances = found.iter().any(|mistake| mistake.chance.is_some());
    let mut text = format!(
        "<section class=\"card\"><h2>Mistakes <small>of 2 discs or more, or 5 % of the chance to win</small></h2>\n\
         <table class=\"sortable mistakes\"><thead><tr>{}{}<th scope=\"col\">Better</th></tr></thead>\n<tbody>\n",
        sorted_by("Move", "", "up"),
        cost_heads(has_chances),
    );
    for mistake in found {
        let turn = &report.turns[mistake.ply];
        let best = turn.line().first().filter(|&&best| Some(best) != turn.played);
        let _ = writeln!(
            text,
            "<tr><td data-key=\"{}\">{}</td>{}<td>{}</td></tr>",
            mistake.ply,
            to_board(report, mistake.ply, " class=\"row\"", &numbered(report, mistake.ply)),
            costs(&mistake, turn.is_loss_exact(), has_chances),
            best.copied().map_or_else(String::new, Move::in_words),
        );
    }
    text.push_str("</tbody></table></section>\n");
    text
}

/// The heads over what mistakes cost: chances to win, where they are known, by which the table is ranked at first; discs.
pub fn cost_heads(has_chances: bool) -> String {
    let (chance, discs) = match has_chances {
        true => (sorted_by("Win chance", RANKED, "down"), " class=\"num\""),
        false => (String::new(), RANKED),
    };
    chance + &sorted_by("Discs", discs, "down")
}

/// The cells under them.
pub fn costs(mistake: &Mistake, is_exact: bool, has_chances: bool) -> String {
    let Mistake { loss, chance, .. } = *mistake;
    let lost = chance.filter(|&chance| chance >= 0.005);
    let lost = lost.map_or_else(String::new, |chance| format!("\u{2212}{}", chance_text(chance)));
    let mut cells = String::new();
    if has_chances {
        let _ = write!(cells, "<td class=\"num\" data-key=\"{:.4}\">{lost}</td>", chance.unwrap_or(0.0));
    }
    let _ = write!(
        cells,
        "<td class=\"num {}\" data-key=\"{loss:.4}\">{}</td>",
        Grade::of(loss).name(),
        score(0.0 - loss, is_exact)
    );
    cells
}

/// How the two sides did, beside each other.
pub fn players(report: &GameReport) -> String {
    let sides = [Color::Black, Color::White];
    let accuracy = sides.map(|color| Accuracy::of(report, color));
    if accuracy.iter().all(|side| side.total().moves == 0) {
        return String::new();
    }
    let mut text =
        String::from("<section class=\"card\"><h2>Accuracy</h2>\n<table class=\"sums\"><thead><tr><td></td>");
    for color in sides {
        let _ = write!(
            text,
            "<th scope=\"col\"><i class=\"stone {color}\"></i>{}</th>",
            name(report.source.player(color))
        );
    }
    text.push_str("</tr></thead>\n<tbody>\n");
    let mut row = |label: &str, values: [String; 2]| {
        let _ = writeln!(
            text,
            "<tr><th scope=\"row\">{label}</th><td>{}</td><td>{}</td></tr>",
            values[0], values[1]
        );
    };
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

/// The game as a list: Black's moves on the left, White's on the right.
pub fn moves(report: &GameReport) -> String {
    if report.game().moves().is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "<section class=\"card\"><h2>Moves <small>discs lost, and what was better</small></h2>\n<table class=\"moves\">\
         <thead><tr><th scope=\"col\"><i class=\"stone black\"></i>Black</th><th scope=\"col\"><i class=\"stone white\"></i>White</th>\
         </tr></thead>\n<tbody>\n",
    );
    let mut cells = String::new();
    for (ply, turn) in report.turns.iter().enumerate().filter(|(_, turn)| turn.played.is_some()) {
        let is_white = turn.position.side == Color::White;
        if is_white && cells.is_empty() {
            cells.push_str("<td></td>");
        }
        cells.push_str(&move_cell(report, ply, turn));
        if is_white {
            let _ = writeln!(text, "<tr>{cells}</tr>");
            cells.clear();
        }
    }
    if !cells.is_empty() {
        let _ = writeln!(text, "<tr>{cells}<td></td></tr>");
    }
    text.push_str("</tbody></table></section>\n");
    text
}

fn move_cell(report: &GameReport, ply: usize, turn: &JudgedTurn) -> String {
    let Some(played) = turn.played else { return "<td></td>".into() };
    let number = if turn.is_choice() { report.number(ply).to_string() } else { String::new() };
    let mut face = format!("<span class=\"no\">{number}</span><b class=\"mv\">{}</b>", played.in_words());
    match turn.loss {
        Some(loss) if turn.is_choice() => {
            // What rounds to nothing is no loss to read of.
            let amount = if loss < 0.05 { String::new() } else { score(0.0 - loss, turn.is_loss_exact()) };
            let _ = write!(face, "<span class=\"loss {}\">{amount}</span>", Grade::of(loss).name());
            let best = turn.line().first().copied();
            if let Some(best) = best.filter(|&best| best != played && Grade::of(loss) > Grade::Good) {
                let _ = write!(face, "<span class=\"better\">{}</span>", best.in_words());
            }
        }
        _ => {}
    }
    if let Some(Some(time)) = report.source.seconds.get(ply) {
        let _ = write!(face, "<span class=\"time\">{}</span>", seconds(*time));
    }
    format!("<td>{}</td>", to_board(report, ply, "", &face))
}

#[cfg(test)]
mod tests {
    use super::super::game::tests::report;
    use super::*;

    #[test]
    fn what_a_move_led_to_is_what_it_lost() {
        let game = report("f5d6c3d3c4f4c5b3c2", &[0.0, 3.0, 6.0, 12.0, 11.0]);
        let text = decisive(&game);
        assert_eq!(text.matches("<li>").count(), 4);
        // Black lost 6 with the third move: from 3 ahead to 3 behind.
        assert!(
            text.contains("lost <b class=\"mistake\">6.0 discs</b> and turned a lead into a deficit"),
            "{text}"
        );
        assert!(text.contains("Black +3.0 \u{2192} White +3.0. Better: <b>"), "{text}");
        assert!(text.contains("<p lang=\"en\">Why 2.</p>"), "{text}");
    }

    #[test]
    fn mistakes_are_ranked_and_can_be_ranked_otherwise() {
        let text = mistakes(&report("f5d6c3d3c4f4c5b3c2", &[0.0, 3.0, 6.0, 12.0, 11.0]));
        let order: Vec<usize> =
            [3, 4, 2, 1].map(|ply| text.find(&format!("data-key=\"{ply}\"")).unwrap()).into();
        assert!(order.is_sorted(), "{text}");
        assert_eq!(text.matches("aria-sort").count(), 1);
        assert_eq!(mistakes(&report("f5d6c3", &[])), "");
    }

    #[test]
    fn every_move_has_one_number() {
        let text = moves(&report("f5f6d3g5h5h4f7h6pae7", &[]));
        assert!(
            text.contains("<a href=\"#8\" data-ply=\"7\"><span class=\"no\">8</span><b class=\"mv\">h6</b>")
        );
        assert!(text.contains(
            "<a href=\"#8-pass\" data-ply=\"8\"><span class=\"no\"></span><b class=\"mv\">pass</b>"
        ));
        assert!(text.contains("<a href=\"#9\" data-ply=\"9\"><span class=\"no\">9</span>"));
    }

    #[test]
    fn a_game_that_white_begins_has_a_hole_on_blacks_side() {
        let start = crate::board::Position::START.pass();
        let mut game = report("", &[]);
        game.turns[0].position = start;
        game.turns[0].played = Some(Move::Place("d6".parse().unwrap()));
        game.source.record.game = crate::board::Game::new(start);
        game.source.record.game.play_square("d6".parse().unwrap()).unwrap();
        assert!(moves(&game).contains("<tr><td></td><td><a href=\"#1\""));
    }
}
