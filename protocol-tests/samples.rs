//! Samples: their number, their random numbers, and games.

/// SplitMix64, as in the crate; the tests see the binary only.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

/// A game in GGF with these moves, such as `f5d6`.
pub fn ggf(moves: &str) -> String {
    let turns = moves
        .as_bytes()
        .chunks(2)
        .zip(["B", "W"].into_iter().cycle());
    let turns: String = turns
        .map(|(mv, side)| format!("{side}[{}]", String::from_utf8_lossy(mv)))
        .collect();
    let board = "---------------------------O*------*O---------------------------";
    format!("(;GM[Othello]TY[8]BO[8 {board} *]{turns};)")
}

/// The usual rounds, times `EMILIA_SAMPLES`.
pub fn rounds(usual: u64) -> u64 {
    let factor = std::env::var("EMILIA_SAMPLES")
        .ok()
        .and_then(|text| text.parse().ok());
    usual * factor.unwrap_or(1).max(1)
}
