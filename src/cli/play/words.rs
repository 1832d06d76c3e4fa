//! Proofs and clocks in words, and what a keyboard sends beside them.

use crate::analysis::words::depth_in_words;
use crate::search::{Line, Proof};

/// How well a score is known: `proven`, `depth 12, 73 %`, or `depth 4` where nothing was left out but depth.
pub fn known(line: &Line) -> String {
    match line.proof {
        Proof::Exact => "proven".into(),
        Proof::WinLossDraw => "who wins is proven".into(),
        Proof::None | Proof::AtLeast | Proof::AtMost => {
            depth_in_words(line.depth, line.selectivity.percent())
        }
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

/// What was typed, without what arrow and function keys send to a program that edits no lines.
pub fn typed(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => match rest.next() {
                // A control sequence: to its first letter or `~`.
                Some('[') => while rest.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {},
                Some('O') => drop(rest.next()),
                _ => {}
            },
            '\t' => text.push(' '),
            c if c.is_control() => {}
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Score;
    use crate::search::Selectivity;

    #[test]
    fn keys_that_are_no_letters_leave_no_trace() {
        for (line, left) in [
            ("\u{1b}[Af5", "f5"),
            ("f5\u{1b}[D\u{1b}[1;5C\u{1b}OP", "f5"),
            ("\u{1b}[200~f5d6\u{1b}[201~", "f5d6"),
            ("\u{1b}", ""),
            ("\u{7f}hint\t3", "hint 3"),
        ] {
            assert_eq!(typed(line), left, "{line:?}");
        }
    }

    #[test]
    fn only_what_is_proven_is_sure() {
        let line = |proof, selectivity| Line {
            pv: Vec::new(),
            score: Score::from_discs(2),
            depth: 4,
            selectivity,
            proof,
        };
        assert_eq!(known(&line(Proof::None, Selectivity::Full)), "depth 4");
        assert_eq!(known(&line(Proof::None, Selectivity::P73)), "depth 4, 73 %");
        assert_eq!(known(&line(Proof::Exact, Selectivity::Full)), "proven");
        assert_eq!(known(&line(Proof::WinLossDraw, Selectivity::Full)), "who wins is proven");
    }
}
