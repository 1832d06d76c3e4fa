//! The parts of a game's page that list moves: those that decided it, all mistakes, the whole game; and sums of both sides.

use maud::{Markup, html};

use super::board;
use super::data::worth;
use super::game::{GameReport, Mistake, SHOWN_LOSS};
use super::html::{Sort, card, head, name, stone};
use super::summary::{Accuracy, Phase, Slip};
use crate::analysis::Grade;
use crate::analysis::answer::{Line, MoveGames};
use crate::analysis::words::{chance, discs, lead, loss, mean, seconds};
use crate::board::Color;
use crate::picture::Mark;
use crate::sentences::{Language, name as side_name};

/// How many decisive moves a page shows with their boards.
const DECISIVE: usize = 4;
/// Moves of a best line that are printed.
const LINE_LEN: usize = 12;

/// A link to a position: the page's script follows it by `data-ply`.
fn to_board(report: &GameReport, ply: usize, face: &Markup) -> Markup {
    html! { a href={ "#" (report.anchor(ply)) } data-ply=(ply) { (face) } }
}

/// `35. e2` with its player's disc.
fn numbered(report: &GameReport, ply: usize) -> Markup {
    let turn = &report.turns[ply];
    let mv = turn
        .played
        .map_or_else(String::new, |mv| report.language.mv(mv));
    html! { (report.number(ply)) ". " (stone(turn.position.side)) b { (mv) } }
}

/// The moves that decided the game, each with a small board.
pub fn decisive(report: &GameReport) -> Markup {
    let mut found: Vec<Mistake> = report
        .mistakes()
        .into_iter()
        .filter(Mistake::is_decisive)
        .collect();
    found.truncate(DECISIVE);
    found.sort_by(|a, b| b.loss.total_cmp(&a.loss));
    if found.is_empty() {
        return html! {};
    }
    let t = |english| report.language.page(english);
    let list =
        html! { ol.decisive { @for mistake in &found { (decisive_item(report, mistake)) } } };
    card(t("Decisive moves"), t("the costliest first"), &list)
}

fn decisive_item(report: &GameReport, mistake: &Mistake) -> Markup {
    let ply = mistake.ply;
    let turn = &report.turns[ply];
    let language = report.language;
    let marks = [
        (turn.played, Mark::Played),
        (turn.line().first().copied(), Mark::Best),
    ];
    let marks = marks
        .into_iter()
        .filter_map(|(mv, mark)| Some((mv?.square()?, mark)))
        .collect();
    let small = board::small(
        &turn.position,
        marks,
        &language.page_with(
            "The board before move {n}",
            &[("n", (report.number(ply) as u32).into())],
        ),
    );
    let exact = turn.is_loss_exact();
    let turned = match (mistake.outcome, exact) {
        ((1, -1), true) => Some("and turned a win into a loss"),
        ((1, 0), true) => Some("and turned a win into a draw"),
        ((0, -1), true) => Some("and turned a draw into a loss"),
        ((1, -1), false) => Some("and turned a lead into a deficit"),
        ((1, 0), false) => Some("and gave the lead away"),
        ((0, -1), false) => Some("and fell behind"),
        _ => None,
    };
    let after = |line: &Line| lead(language, line.value, turn.position.side, exact);
    let after = turn.played_line().map_or_else(|| "?".into(), after);
    let line = turn.line();
    let t = |english| language.page(english);
    html! {
        li {
            (to_board(report, ply, &small))
            div {
                p {
                    (to_board(report, ply, &numbered(report, ply)))
                    " " (t("lost")) " " b.(Grade::of(mistake.loss).name()) { (loss(language, mistake.loss, exact)) }
                    @if let Some(lost) = mistake.chance.filter(|&lost| lost >= 0.005) {
                        (t(",")) " " (language.page_with("{cost} of the chance to win", &[("cost", chance(lost).into())]))
                    }
                    @if let Some(turned) = turned { " " (t(turned)) } (t("."))
                }
                p.quiet {
                    (worth(language, turn).unwrap_or_default()) " \u{2192} " (after) (t(".")) " " (t("Better:")) " "
                    @for (place, mv) in line.iter().take(LINE_LEN).enumerate() {
                        @if place == 0 { b { (language.mv(*mv)) } } @else { " " (language.mv(*mv)) }
                    }
                    @if line.len() > LINE_LEN { " \u{2026}" }
                }
                p { (turn.why) }
            }
        }
    }
}

pub fn mistakes(report: &GameReport) -> Markup {
    let rows: Vec<Row<'_>> = report
        .mistakes()
        .into_iter()
        .map(|mistake| Row {
            report,
            mistake,
            of_game: None,
        })
        .collect();
    if rows.is_empty() {
        return html! {};
    }
    let t = |english| report.language.page(english);
    let note = t("of 2 discs or more, or 5\u{a0}% of the chance to win");
    let parts = html! { (mistake_table(report.language, &rows)) (on_paper(report)) };
    card(t("Mistakes"), note, &parts)
}

/// Sentences about the mistakes in the order of the game, but for those with a board: on a screen, the panel shows them.
fn on_paper(report: &GameReport) -> Markup {
    let mistakes = report.mistakes();
    let others = mistakes.iter().filter(|mistake| !mistake.is_decisive());
    let mut plies: Vec<usize> = others.map(|mistake| mistake.ply).collect();
    plies.sort_unstable();
    html! {
        ol.paper {
            @for ply in plies {
                @let why = &report.turns[ply].why;
                @if !why.is_empty() { li { (numbered(report, ply)) " " (why) } }
            }
        }
    }
}

pub struct Row<'a> {
    pub report: &'a GameReport,
    pub mistake: Mistake,
    /// The file of the game and the kind of the move, on the page of a player.
    pub of_game: Option<(String, Slip)>,
}

/// A table of mistakes, ranked by the chance to win that they cost, if known; its heads rank them otherwise.
pub fn mistake_table(language: Language, rows: &[Row<'_>]) -> Markup {
    let t = |english| language.page(english);
    let has_chances = rows.iter().any(|row| row.mistake.chance.is_some());
    let has_games = rows.iter().any(|row| row.of_game.is_some());
    let class = if has_games { "worst" } else { "mistakes" };
    html! {
        table.sortable.(class) {
            thead {
                tr {
                    (head(t("Move"), "", Sort::Up))
                    @if has_chances { (head(t("Win chance"), "num", Sort::Now)) (head(t("Discs"), "num", Sort::Down)) }
                    @else { (head(t("Discs"), "num", Sort::Now)) }
                    th scope="col" { (t("Better")) }
                    @if has_games { (head(t("Kind"), "minor", Sort::Up)) (head(t("Against"), "", Sort::Up)) }
                }
            }
            tbody { @for row in rows { (mistake_row(row, has_chances)) } }
        }
    }
}

fn mistake_row(
    Row {
        report,
        mistake,
        of_game,
    }: &Row<'_>,
    has_chances: bool,
) -> Markup {
    let Mistake {
        ply,
        loss,
        chance: lost,
        ..
    } = *mistake;
    let turn = &report.turns[ply];
    let address = format!("#{}", report.anchor(ply));
    html! {
        tr {
            td class=[of_game.as_ref().map(|_| "name")] data-key=(ply) {
                @match of_game {
                    None => { a.row href=(address) data-ply=(ply) { (numbered(report, ply)) } }
                    Some((file, _)) => { a href={ (file) (address) } { (numbered(report, ply)) } }
                }
            }
            @if has_chances {
                td.num data-key=(format!("{:.4}", lost.unwrap_or(0.0))) {
                    @if let Some(lost) = lost.filter(|&lost| lost >= 0.005) { "\u{2212}" (chance(lost)) }
                }
            }
            td.num.(Grade::of(loss).name()) data-key=(format!("{loss:.4}")) {
                (discs(-loss, turn.is_loss_exact()))
            }
            td { @if let Some(best) = turn.better() { (report.language.mv(best)) } }
            @if let Some((_, kind)) = of_game {
                td.minor { (report.language.page(kind.name())) }
                td { (name(&report.player(turn.position.side.other()))) }
            }
        }
    }
}

/// The losses of both sides in two columns.
pub fn players(report: &GameReport) -> Markup {
    let sides = [Color::Black, Color::White];
    let accuracy = sides.map(|color| Accuracy::of([(report, color)]));
    if accuracy.iter().all(|side| side.total().moves == 0) {
        return html! {};
    }
    let heads = sides.map(|color| html! { (stone(color)) (name(&report.player(color))) });
    let used = sides.map(|color| report.source.time_used(color));
    let time = used.map(|time| time.map_or("\u{2013}".into(), seconds));
    let ratings = sides.map(|color| {
        let evidence = &report.evidence[color as usize];
        let rating = GameReport::estimated_rating(evidence, report.language);
        rating.unwrap_or_else(|| "\u{2013}".to_owned())
    });
    let is_rated = report.evidence.iter().any(|side| side.estimate().is_some());
    let mut more: Vec<(&str, &[String])> = Vec::new();
    if is_rated {
        more.push((report.language.page("Estimated rating"), &ratings));
    }
    if used.iter().any(Option::is_some) {
        more.push((report.language.page("Time used"), &time));
    }
    let rows = ["Discs lost per move", "Slips (2 discs or more)"];
    card(
        report.language.page("Accuracy"),
        "",
        &sums(report.language, &heads, &accuracy, rows, &more),
    )
}

/// Losses per move and mistakes, a column for each side or color; `slips` is empty where they are not counted.
pub fn sums(
    language: Language,
    heads: &[Markup],
    columns: &[Accuracy],
    [all, slips]: [&str; 2],
    more: &[(&str, &[String])],
) -> Markup {
    let mut rows: Vec<(&str, Vec<String>)> = Vec::new();
    let mut row = |label, value: &dyn Fn(&Accuracy) -> String| {
        rows.push((language.page(label), columns.iter().map(value).collect()));
    };
    row(all, &|sum| mean(sum.total().mean()));
    for phase in Phase::ALL {
        row(phase.name(), &|sum| mean(sum.phase(phase).mean()));
    }
    for (label, grade) in [
        (slips, Grade::Slip),
        ("Mistakes (4 or more)", Grade::Mistake),
        ("Blunders (10 or more)", Grade::Blunder),
    ] {
        if !label.is_empty() {
            row(label, &|sum| sum.total().count(grade).to_string());
        }
    }
    rows.extend(more.iter().map(|(label, values)| (*label, values.to_vec())));
    html! {
        table.sums {
            thead { tr { td {} @for head in heads { th scope="col" { (head) } } } }
            tbody {
                @for (label, values) in &rows {
                    tr { th scope="row" { (label) } @for value in values { td { (value) } } }
                }
            }
        }
    }
}

/// The games of the book with the moves of the game, while it is in the book.
pub fn openings(report: &GameReport) -> Markup {
    let rows: Vec<(usize, &MoveGames)> = report
        .turns
        .iter()
        .enumerate()
        .map_while(|(ply, turn)| {
            let book = turn.verdict.as_ref()?.theory.book.as_ref()?;
            let found = book
                .moves
                .iter()
                .find(|found| Some(found.mv) == turn.played)?;
            Some((ply, found))
        })
        .filter(|(_, found)| found.games > 0)
        .collect();
    if rows.is_empty() {
        return html! {};
    }
    let t = |english| report.language.page(english);
    let table = html! {
        table {
            thead {
                tr { @for title in ["Move", "Games", "Won", "Drawn", "Lost", "Points"] { th scope="col" { (t(title)) } } }
            }
            tbody {
                @for (ply, found) in &rows {
                    tr {
                        td { (to_board(report, *ply, &numbered(report, *ply))) }
                        @for number in [found.games, found.won.into(), found.drawn.into(), found.lost.into()] { td.num { (number) } }
                        td.num { @if let Some(percent) = found.percent { (format!("{percent:.1} %")) } }
                    }
                }
            }
        }
    };
    card(t("Opening"), t("games of the book with each move"), &table)
}

/// The game as a list: Black's moves on the left, White's on the right.
pub fn moves(report: &GameReport) -> Markup {
    if report.game().moves().is_empty() {
        return html! {};
    }
    let mut rows: Vec<[Option<usize>; 2]> = Vec::new();
    for (ply, turn) in report
        .turns
        .iter()
        .enumerate()
        .filter(|(_, turn)| turn.played.is_some())
    {
        let side = usize::from(turn.position.side == Color::White);
        match rows.last_mut() {
            Some(row) if side == 1 && row[1].is_none() => row[1] = Some(ply),
            _ => rows.push(if side == 0 {
                [Some(ply), None]
            } else {
                [None, Some(ply)]
            }),
        }
    }
    let table = html! {
        table.moves {
            thead {
                tr { @for color in [Color::Black, Color::White] { th scope="col" { (stone(color)) (side_name(report.language, color)) } } }
            }
            tbody {
                @for row in &rows {
                    tr { @for ply in row { td { @if let Some(ply) = *ply { (move_cell(report, ply)) } } } }
                }
            }
        }
    };
    card(
        report.language.page("Moves"),
        report.language.page("discs lost, and the better move"),
        &table,
    )
}

fn move_cell(report: &GameReport, ply: usize) -> Markup {
    let turn = &report.turns[ply];
    let number = turn.is_choice().then(|| report.number(ply));
    let face = html! {
        span.no { @if let Some(number) = number { (number) } }
        b.mv { (turn.played.map_or_else(String::new, |mv| report.language.mv(mv))) }
        @if let Some(loss) = turn.loss.filter(|_| turn.is_choice()) {
            span.loss.(Grade::of(loss).name()) {
                @if loss >= SHOWN_LOSS { (discs(-loss, turn.is_loss_exact())) }
            }
            @if let Some(best) = turn.better().filter(|_| Grade::of(loss) > Grade::Good) {
                span.better { (report.language.mv(best)) }
            }
        }
        @if let Some(Some(time)) = report.source.seconds.get(ply) { span.time { (seconds(*time)) } }
    };
    to_board(report, ply, &face)
}

#[cfg(test)]
mod tests {
    use super::super::game::tests::report;
    use super::*;
    use crate::board::Move;

    #[test]
    fn the_loss_leads_to_the_score_after_the_move() {
        let game = report("f5d6c3d3c4f4c5b3c2", &[0.0, 3.0, 6.0, 12.0, 11.0]);
        let text = decisive(&game).into_string();
        assert_eq!(text.matches("<li>").count(), 4);
        // Black lost 6 with the third move: from 3 ahead to 3 behind.
        assert!(
            text.contains(
                "lost <b class=\"mistake\">6.0 discs</b> and turned a lead into a deficit"
            ),
            "{text}"
        );
        assert!(
            text.contains("Black +3.0 \u{2192} White +3.0. Better: <b>"),
            "{text}"
        );
        assert!(text.contains("<p>Why 2.</p>"), "{text}");
    }

    #[test]
    fn mistakes_are_ranked_and_can_be_ranked_otherwise() {
        let text =
            mistakes(&report("f5d6c3d3c4f4c5b3c2", &[0.0, 3.0, 6.0, 12.0, 11.0])).into_string();
        let order: Vec<usize> = [3, 4, 2, 1]
            .map(|ply| text.find(&format!("data-key=\"{ply}\"")).unwrap())
            .into();
        assert!(order.is_sorted(), "{text}");
        assert_eq!(text.matches("aria-sort").count(), 1);
        assert_eq!(mistakes(&report("f5d6c3", &[])).into_string(), "");
    }

    #[test]
    fn every_move_has_one_number() {
        let text = moves(&report("f5f6d3g5h5h4f7h6pae7", &[])).into_string();
        for part in [
            "<a href=\"#8\" data-ply=\"7\"><span class=\"no\">8</span><b class=\"mv\">h6</b>",
            "<a href=\"#8-pass\" data-ply=\"8\"><span class=\"no\"></span><b class=\"mv\">pass</b>",
            "<a href=\"#9\" data-ply=\"9\"><span class=\"no\">9</span>",
        ] {
            assert!(text.contains(part), "{text}");
        }
        let french = GameReport {
            language: Language::Fr,
            ..report("f5f6d3g5h5h4f7h6pae7", &[])
        };
        assert!(
            moves(&french)
                .into_string()
                .contains("<b class=\"mv\">passe</b>")
        );
    }

    #[test]
    fn a_game_that_white_begins_has_a_hole_on_blacks_side() {
        let start = crate::board::Position::START.pass();
        let mut game = report("", &[]);
        game.turns[0].position = start;
        game.turns[0].played = Some(Move::Place("d6".parse().unwrap()));
        game.source.record.game = crate::board::Game::new(start);
        game.source
            .record
            .game
            .play_square("d6".parse().unwrap())
            .unwrap();
        assert!(
            moves(&game)
                .into_string()
                .contains("<tr><td></td><td><a href=\"#1\"")
        );
    }
}
