//! How weakly to play, for people.

/// How weakly to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handicap {
    /// Looks at most so many plies ahead, whatever the limits of the search allow.
    pub depth: u8,
    /// Of the legal moves of a position, one is always seen, and so many percent of the others: `0..=100`.
    pub vision: u8,
    /// How truly positions are valued: at 100 as they are, at 0 with an error of 32 discs (standard deviation).
    pub judgement: u8,
    /// Which moves and positions are the unlucky ones.
    pub seed: u64,
}

impl Handicap {
    /// Weakness by sight alone, at any depth: `None` for a player that sees all and values it as it is.
    pub fn of_sight(vision: u8, judgement: u8, seed: u64) -> Option<Self> {
        let is_weak = vision < 100 || judgement < 100;
        is_weak.then_some(Self { depth: u8::MAX, vision, judgement, seed })
    }
}
