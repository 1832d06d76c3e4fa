//! Scores and clocks in words.

use crate::search::{Line, Proof};

/// How well a score is known: `proven`, or `depth 12, 73 %`.
pub fn known(line: &Line) -> String {
    match line.proof {
        Proof::Exact => "proven".into(),
        Proof::WinLossDraw => "who wins is proven".into(),
        _ => format!("depth {}, {} %", line.depth, line.selectivity.percent()),
    }
}

/// `4:05`, and tenths of the last ten seconds.
pub fn clock_text(seconds: f64) -> String {
    if seconds < 10.0 {
        return format!("0:{seconds:04.1}");
    }
    let whole = seconds as u64;
    format!("{}:{:02}", whole / 60, whole % 60)
}
