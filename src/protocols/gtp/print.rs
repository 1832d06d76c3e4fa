//! Formats answers. Pure; ASCII only.

use std::fmt::Write as _;

use crate::analysis::answer::bounds;
use crate::analysis::words;
use crate::board::diagram::row;
use crate::board::{Color, Move, Position, SquareSet};
use crate::notation::diagram::disc;
use crate::search::{Info, Known, Line, Proof};
use crate::util::refusal::Refusal;

/// `=ID TEXT` or `?ID TEXT` and a blank line, without the last line end.
pub fn answer(id: Option<&str>, result: &Result<String, Refusal>) -> String {
    let (sign, text) = match result {
        Ok(text) => ('=', text.as_str()),
        Err(text) => ('?', text.as_ref()),
    };
    // A blank line ends an answer.
    debug_assert!(!text.contains("\n\n") && !text.ends_with('\n'));
    format!("{sign}{} {text}\n", id.unwrap_or(""))
}

/// `F5` or `pass`.
pub fn vertex(mv: Move) -> String {
    match mv {
        Move::Place(square) => format!("{square:#}"),
        Move::Pass => "pass".into(),
    }
}

/// The result of a game: `B+12`, `W+4` or `0`, with the empties for the winner.
pub fn result(position: &Position) -> String {
    match position.final_score(Color::Black) {
        0 => "0".into(),
        n if n > 0 => format!("B+{n}"),
        n => format!("W+{}", -n),
    }
}

/// The result in words, for GoGui's dialog.
pub fn result_in_words(position: &Position) -> String {
    let count = |color| position.discs(color).count_ones();
    let discs = format!("{}-{}", count(Color::Black), count(Color::White));
    match position.final_score(Color::Black) {
        0 => format!("Draw ({discs})"),
        n if n > 0 => format!("Black wins by {n} ({discs})"),
        n => format!("White wins by {} ({discs})", -n),
    }
}

/// Rows of `X`, `O` and `.`, row 8 first, as GoGui draws them.
pub fn rows(position: &Position) -> String {
    let mark = |square| position.disc_at(square).map_or('.', disc);
    (0..8)
        .rev()
        .map(|rank| row(rank, mark))
        .collect::<Vec<_>>()
        .join("\n")
}

/// `D3 C4`; `pass` without a move; empty at the end of the game.
pub fn legal_moves(position: &Position) -> String {
    match position.board.moves() {
        SquareSet(0) if position.is_over() => String::new(),
        SquareSet(0) => "pass".into(),
        moves => format!("{moves:#}"),
    }
}

/// Stable discs of both sides, as far as a quick look finds them.
pub fn stable_discs(position: &Position) -> String {
    let board = position.board;
    format!(
        "{:#}",
        SquareSet(board.stable_discs() | board.pass().stable_discs())
    )
}

/// The value of a line, for the side that leads: `B+1.50 depth 12@73%`.
pub fn score(line: &Line, side: Color) -> String {
    let units = match side {
        Color::Black => line.bound.discs(),
        Color::White => -line.bound.discs(),
    };
    let value = match () {
        _ if line.proof == Proof::WinLossDraw && units != 0.0 => {
            (if units > 0.0 { "B+" } else { "W+" }).into()
        }
        _ if units > 0.0 => format!("B+{units:.2}"),
        _ if units < 0.0 => format!("W+{:.2}", -units),
        _ => "0".into(),
    };
    format!("{value} {}", reliability(line))
}

fn reliability(line: &Line) -> String {
    match line.proof {
        Proof::Exact => "exact".into(),
        Proof::WinLossDraw => "proven winner".into(),
        Proof::AtLeast => format!("or more for the side to move, depth {}", line.depth),
        Proof::AtMost => format!("or less for the side to move, depth {}", line.depth),
        Proof::None => format!("depth {}", words::depth_of(line)),
    }
}

/// GoGui's `gfx` text with the value of each move on its square, for the side to move.
pub fn best_moves(info: &Info) -> String {
    let mut text = String::from("LABEL");
    for line in &info.lines {
        if let Some(Move::Place(square)) = line.pv.first() {
            let _ = match line.known() {
                Known::Score(discs) => write!(text, " {square:#} {discs:+.1}"),
                known => write!(text, " {square:#} {}", words::score(known, false)),
            };
        }
    }
    text
}

/// A drawing for GoGui, which reads it from stderr while a command runs: the value of each move, the best move in green, and the
/// value of the position below the board.
pub fn drawing(info: &Info, side: Color) -> String {
    let Some(best) = info.lines.first() else {
        return String::new();
    };
    let labels = best_moves(info);
    let value = score(best, side);
    let green = best
        .pv
        .first()
        .map_or_else(String::new, |&mv| format!("COLOR #80ff80 {}\n", vertex(mv)));
    format!("gogui-gfx:\n{labels}\n{green}TEXT {value}\n\n")
}

/// GoGui's `var` text: the moves of the line, each with its color.
pub fn variation(line: &Line, side: Color) -> String {
    let colors = [side, side.other()].into_iter().cycle();
    let name = |color| if color == Color::Black { 'B' } else { 'W' };
    let moves: Vec<String> = line
        .pv
        .iter()
        .zip(colors)
        .map(|(&mv, color)| format!("{} {}", name(color), vertex(mv)))
        .collect();
    moves.join(" ")
}

/// A report of `emilia-analyze`: `info move …` for every move, best first, on one line.
pub fn analysis(info: &Info, max_moves: usize) -> String {
    let mut text = String::new();
    for (order, line) in info.lines.iter().take(max_moves).enumerate() {
        let Some(&first) = line.pv.first() else {
            continue;
        };
        let (lower, upper) = bounds(line);
        let score = line
            .discs()
            .map_or_else(String::new, |discs| format!(" score {discs:.2}"));
        let pv: Vec<String> = line.pv.iter().map(|&mv| vertex(mv)).collect();
        let _ = write!(
            text,
            "{}info move {}{score} lower {lower:.2} upper {upper:.2} depth {} selectivity {} exact {} nodes {} seconds {:.3} order {order} pv {}",
            if order == 0 { "" } else { " " },
            vertex(first),
            line.depth,
            line.selectivity.percent(),
            line.proof == Proof::Exact,
            info.nodes,
            info.time.as_secs_f64(),
            pv.join(" "),
        );
    }
    text
}

/// The answer to `gogui-analyze_commands`: type, label and command of each.
pub const ANALYZE_COMMANDS: &str = "string/Score/emilia-score\n\
    gfx/Best Moves/emilia-best_moves\n\
    gfx/Live Analysis/emilia-live\n\
    var/Principal Variation/emilia-pv\n\
    plist/Stable Discs/emilia-stable\n\
    param/Strength/emilia-param\n\
    plist/Legal Moves/gogui-rules_legal_moves\n\
    string/Final Score/final_score";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::board::Score;
    use crate::search::Selectivity;

    fn line(moves: &[&str], units: i32) -> Line {
        let place = |name: &&str| match *name {
            "pass" => Move::Pass,
            name => Move::Place(name.parse().unwrap()),
        };
        Line {
            pv: moves.iter().map(place).collect(),
            bound: Score::from_units(units),
            depth: 6,
            selectivity: Selectivity::P73,
            proof: Proof::None,
        }
    }

    #[test]
    fn empties_go_to_the_winner() {
        let position = Position::from_discs(0b111, 0, Color::White);
        assert_eq!(result(&position), "B+64");
        assert_eq!(result_in_words(&position), "Black wins by 64 (3-0)");
        let position = Position::from_discs(0, 0b1, Color::White);
        assert_eq!(result(&position), "W+64");
        assert_eq!(result(&Position::from_discs(1, 2, Color::Black)), "0");
    }

    #[test]
    fn values_name_the_side_that_leads() {
        let full = Line {
            selectivity: Selectivity::Full,
            ..line(&["f5"], 128)
        };
        for (line, side, text) in [
            (line(&["f5"], 192), Color::Black, "B+1.50 depth 6@73%"),
            (line(&["f5"], 192), Color::White, "W+1.50 depth 6@73%"),
            (line(&["f5"], 0), Color::White, "0 depth 6@73%"),
            (full, Color::Black, "B+1.00 depth 6"),
        ] {
            assert_eq!(score(&line, side), text);
        }
    }

    #[test]
    fn gogui_and_analysis_texts() {
        let lines = vec![line(&["f5", "d6"], 64), line(&["pass", "a1"], -64)];
        let info = Info {
            lines,
            nodes: 1000,
            time: Duration::from_millis(1234),
        };
        assert_eq!(best_moves(&info), "LABEL F5 +0.5");
        let shown = "gogui-gfx:\nLABEL F5 +0.5\nCOLOR #80ff80 F5\nTEXT W+0.50 depth 6@73%\n\n";
        assert_eq!(drawing(&info, Color::White), shown);
        assert_eq!(
            drawing(
                &Info {
                    lines: vec![],
                    ..info.clone()
                },
                Color::White
            ),
            ""
        );
        assert_eq!(variation(&info.lines[0], Color::White), "W F5 B D6");
        assert_eq!(variation(&info.lines[1], Color::Black), "B pass W A1");
        let one = "info move F5 score 0.50 lower -64.00 upper 64.00 depth 6 selectivity 73 exact false \
                   nodes 1000 seconds 1.234 order 0 pv F5 D6";
        assert_eq!(analysis(&info, 1), one);
        assert!(analysis(&info, 2).starts_with(&format!("{one} info move pass score -0.50")));
    }
}
