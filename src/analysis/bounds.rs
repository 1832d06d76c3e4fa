//! What is proven of a move's score, as GTP and the analysis stream tell it.

use crate::search::{Line, Proof};

/// The least and the greatest score that are not ruled out, in discs for the side to move.
///
/// Final scores are even, the empties being the winner's: a proven win is by 2 at least.
pub fn bounds(line: &Line) -> (f64, f64) {
    let score = line.score.discs();
    match line.proof {
        Proof::Exact => (score, score),
        Proof::WinLossDraw if score > 0.0 => (2.0, 64.0),
        Proof::WinLossDraw if score < 0.0 => (-64.0, -2.0),
        Proof::WinLossDraw => (0.0, 0.0),
        Proof::None | Proof::AtLeast | Proof::AtMost => (-64.0, 64.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Score;
    use crate::search::Selectivity;

    #[test]
    fn bounds_are_what_is_proven() {
        let line = |proof, discs| {
            let (score, selectivity) = (Score::from_discs(discs), Selectivity::Full);
            Line { pv: Vec::new(), score, depth: 9, selectivity, proof }
        };
        for (proof, discs, expected, is_exact) in [
            (Proof::Exact, -6, (-6.0, -6.0), true),
            (Proof::WinLossDraw, 2, (2.0, 64.0), false),
            (Proof::WinLossDraw, -2, (-64.0, -2.0), false),
            (Proof::WinLossDraw, 0, (0.0, 0.0), true),
            (Proof::None, 64, (-64.0, 64.0), false),
        ] {
            let line = line(proof, discs);
            assert_eq!((bounds(&line), line.is_exact()), (expected, is_exact), "{line:?}");
        }
    }
}
