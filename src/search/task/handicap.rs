//! How weakly to play, for people.

/// How weakly to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handicap {
    /// Most plies to look ahead, whatever the limits of the search allow.
    pub depth: u8,
    /// Share of the legal moves that are seen, in percent, `0..=100`; one move is always seen.
    pub vision: u8,
    /// Accuracy of the evaluation: no error at 100, a standard deviation of 32 discs at 0.
    pub judgement: u8,
    /// Random seed: which moves are not seen, and which positions are misjudged.
    pub seed: u64,
}

impl Handicap {
    /// Weakness by sight alone, at any depth: `None` for a player that sees all and values it as it is.
    pub fn of_sight(vision: u8, judgement: u8, seed: u64) -> Option<Self> {
        let is_weak = vision < 100 || judgement < 100;
        is_weak.then_some(Self { depth: u8::MAX, vision, judgement, seed })
    }
}
