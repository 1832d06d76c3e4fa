//! The rows of Edax's tables, which programs read by their columns.

use std::time::Duration;

use crate::board::{Color, Move};
use crate::protocols::squares::variation;
use crate::search::{Info, Known, Line};

/// The line above the rows of a search.
pub const HEADER: &str =
    " depth|score|       time   |  nodes (N)  |   N/s    | principal variation";
/// The line above and below the rows.
pub const RULE: &str =
    "------+-----+--------------+-------------+----------+----------------------";

/// Moves of a variation in a row of 80 columns.
pub const MOVES: usize = 9;

/// `0:00.001`, `1:02:03.004`, `1:00:00:00.000`: minutes, hours and days.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let millis = time.subsec_millis();
    let minutes = seconds / 60 % 60;
    let hours = seconds / 3600 % 24;
    let days = seconds / 86_400;
    let rest = format!("{:02}.{millis:03}", seconds % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}:{rest}"),
        (0, _) => format!("{hours}:{minutes:02}:{rest}"),
        _ => format!("{days}:{hours:02}:{minutes:02}:{rest}"),
    }
}

pub fn whole(discs: f64) -> i32 {
    discs.round() as i32
}

/// The known discs of a line: exactly (blank), at least (`>`) or at most (`<`).
fn score(line: &Line) -> (char, i32) {
    match line.known() {
        Known::Score(discs) => (' ', whole(discs)),
        Known::AtLeast(discs) => ('>', discs.floor() as i32),
        Known::AtMost(discs) => ('<', discs.ceil() as i32),
        // Final scores are even.
        Known::Winner(0) => (' ', 0),
        Known::Winner(1..) => ('>', 2),
        Known::Winner(_) => ('<', -2),
    }
}

/// At most `moves` moves of a line that `side` begins.
fn moves_of(pv: &[Move], side: Color, moves: usize) -> String {
    variation(pv, side, Color::White, "ps")
        .take(moves)
        .collect::<Vec<_>>()
        .join(" ")
}

/// A row: depth, score, time, nodes, speed and at most `moves` moves of the variation, in their columns.
pub fn row(line: &Line, side: Color, info: &Info, moves: usize) -> String {
    let depth = match line.selectivity.percent() {
        100 => format!("   {:2}  ", line.depth),
        percent => format!("{:2}@{percent:2}% ", line.depth),
    };
    let (mark, discs) = score(line);
    let millis = info.time.as_millis();
    let nodes = if info.nodes == 0 {
        String::new()
    } else {
        info.nodes.to_string()
    };
    let speed = match (millis, info.nodes) {
        (0, _) | (_, 0) => String::new(),
        _ => (u128::from(info.nodes) * 1000 / millis).to_string(),
    };
    let width = 3 * moves - 1;
    format!(
        "{depth}{mark}{discs:+03} {:>15} {nodes:>13} {speed:>10} {:<width$}",
        clock(info.time),
        moves_of(&line.pv, side, moves)
    )
}

pub fn book_row(mv: Move, side: Color, discs: f64) -> String {
    format!(
        "{:<53}{:<26}",
        format!("book    {:+02}", whole(discs)),
        moves_of(&[mv], side, 1)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Score;
    use crate::search::{Proof, Selectivity};

    fn line(names: &str, units: i32, selectivity: Selectivity, proof: Proof) -> Line {
        let read = |name: &str| name.parse().map_or(Move::Pass, Move::Place);
        let pv = names.split(' ').map(read).collect();
        Line {
            pv,
            bound: Score::from_units(units),
            depth: 6,
            selectivity,
            proof,
        }
    }

    fn info(nodes: u64, millis: u64) -> Info {
        Info {
            lines: Vec::new(),
            nodes,
            time: Duration::from_millis(millis),
        }
    }

    #[test]
    fn rows_are_like_edax() {
        let row =
            |line: &Line, side, nodes, millis| super::row(line, side, &info(nodes, millis), MOVES);
        let full = |names: &str, units| line(names, units, Selectivity::Full, Proof::None);
        assert_eq!(
            row(&full("d6 c4 f4 f6", 0), Color::White, 2381, 0),
            "    6   +00        0:00.000          2381            D6 c4 F4 f6               "
        );
        assert_eq!(
            row(&full("f6 e6 f4 f3", -128), Color::White, 636, 1),
            "    6   -01        0:00.001           636     636000 F6 e6 F4 f3               "
        );
        let selective = row(
            &line("pass h8", 2300, Selectivity::P73, Proof::None),
            Color::Black,
            5,
            61_001,
        );
        assert_eq!(&selective[..27], " 6@73%  +18        1:01.001");
        assert_eq!((selective.len(), &selective[53..58]), (79, "ps H8"));
    }

    #[test]
    fn a_bound_is_marked() {
        let marked = |units, proof| {
            row(
                &line("a1", units, Selectivity::Full, proof),
                Color::Black,
                &info(1, 1),
                7,
            )[7..11]
                .to_owned()
        };
        assert_eq!(marked(330, Proof::AtLeast), ">+02");
        assert_eq!(marked(-330, Proof::AtMost), "<-02");
        assert_eq!(marked(900, Proof::WinLossDraw), ">+02");
        assert_eq!(marked(-900, Proof::WinLossDraw), "<-02");
        assert_eq!(marked(0, Proof::WinLossDraw), " +00");
        assert_eq!(marked(-60, Proof::None), " +00", "no minus nought");
        assert_eq!(marked(8192, Proof::Exact), " +64");
    }

    #[test]
    fn long_times_have_hours_and_days() {
        let text = |millis| clock(Duration::from_millis(millis));
        assert_eq!(text(1), "0:00.001");
        assert_eq!(text(3_723_004), "1:02:03.004");
        assert_eq!(text(86_400_000), "1:00:00:00.000");
    }

    #[test]
    fn a_row_of_the_book_has_three_words() {
        let text = book_row(Move::Place("d3".parse().unwrap()), Color::Black, 1.2);
        assert_eq!(
            text.split_whitespace().collect::<Vec<_>>(),
            ["book", "+1", "d3"]
        );
        assert_eq!((text.len(), &text[53..55]), (79, "d3"));
    }
}
