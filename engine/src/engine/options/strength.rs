//! Strength by Elo: a ladder of ever stronger play, measured rung by rung.
//!
//! Each rung met the one below in 400 games of the match runner, such as
//!
//! ```sh
//! emilia match a=emilia:level=1,vision=40,judgement=40 \
//!     b=emilia:level=1,vision=0,judgement=0 --games 400
//! emilia match a=emilia:level=8 b=emilia:level=6 --games 400
//! ```
//!
//! and its Elo is the sum of the differences below it. A player that moves at random has 0, so that these numbers
//! compare our own strengths and are no rating of people. The differences between neighbors are measured, so that
//! they hold between distant rungs only as far as Elo's model does.
//!
//! [`RUNGS`] lists for each rung its points against the rung below and the Elo difference with its 95 % interval; the
//! lowest rung met random moves. Above, `--level` goes on to 60; those rungs cost too much to measure so. The matches were
//! played by commit 44bf0f8.

use std::fmt;
use std::str::FromStr;

use super::Level;
use crate::search::{Handicap, OptionError};

/// A measured strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rung {
    elo: u16,
    level: u8,
    vision: u8,
    judgement: u8,
}

const fn rung(elo: u16, level: u8, vision: u8, judgement: u8) -> Rung {
    Rung {
        elo,
        level,
        vision,
        judgement,
    }
}

/// The ladder, from the weakest: see the head of this file.
const RUNGS: [Rung; 14] = [
    rung(191, 1, 0, 0),       // 75.0 %, +191 [+147, +234]
    rung(383, 1, 40, 40),     // 75.1 %, +192 [+151, +233]
    rung(589, 1, 60, 60),     // 76.6 %, +206 [+160, +252]
    rung(811, 1, 75, 75),     // 78.2 %, +222 [+179, +266]
    rung(1065, 1, 85, 85),    // 81.1 %, +253 [+207, +300]
    rung(1295, 1, 93, 92),    // 79.0 %, +230 [+186, +275]
    rung(1466, 1, 98, 97),    // 72.8 %, +171 [+129, +213]
    rung(1523, 1, 100, 100),  // 58.2 %, +58 [+21, +94]
    rung(1777, 2, 100, 100),  // 81.1 %, +253 [+207, +299]
    rung(2166, 4, 100, 100),  // 90.4 %, +389 [+328, +450]
    rung(2397, 6, 100, 100),  // 79.1 %, +232 [+189, +274]
    rung(2610, 8, 100, 100),  // 77.2 %, +212 [+172, +253]
    rung(2746, 10, 100, 100), // 68.6 %, +136 [+99, +173]
    rung(2834, 12, 100, 100), // 62.5 %, +89 [+56, +121]
];

/// A strength in Elo, within [`Elo::MIN`] and [`Elo::MAX`]; 0 would be a player that moves at random.
///
/// ```
/// use emilia_engine::engine::Elo;
///
/// let strength = Elo::new(300)?.strength();
/// assert!(strength.handicap(1).is_some());
/// assert!(Elo::new(9_000).is_err());
/// # Ok::<(), emilia_engine::search::OptionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Elo(u16);

/// The settings of a strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strength {
    /// How far it looks.
    pub level: Level,
    /// Share of the moves seen, percent.
    pub vision: u8,
    /// How truly positions are valued, percent.
    pub judgement: u8,
}

impl Elo {
    /// The weakest rung.
    pub const MIN: Self = Self(RUNGS[0].elo);
    /// The strongest rung measured; higher levels are stronger still.
    pub const MAX: Self = Self(RUNGS[RUNGS.len() - 1].elo);

    /// This strength.
    ///
    /// # Errors
    /// When it is outside the ladder.
    pub fn new(number: u64) -> Result<Self, OptionError> {
        let low = Self::MIN;
        let high = Self::MAX;
        let elo = u16::try_from(number)
            .map(Self)
            .ok()
            .filter(|elo| (low..=high).contains(elo));
        elo.ok_or_else(|| OptionError::range("elo", number, low.0.into(), high.0.into()))
    }

    /// The settings of this strength: between two rungs by interpolation.
    pub fn strength(self) -> Strength {
        let above = RUNGS
            .partition_point(|rung| rung.elo <= self.0)
            .clamp(1, RUNGS.len() - 1);
        let low = RUNGS[above - 1];
        let high = RUNGS[above];
        let part = u32::from(self.0 - low.elo);
        let whole = u32::from(high.elo - low.elo);
        // Rounded down: a strength between two rungs is never that of the upper one.
        let between = |low: u8, high: u8| low + (u32::from(high - low) * part / whole) as u8;
        Strength {
            level: Level::new(between(low.level, high.level).into()).expect("rungs have levels"),
            vision: between(low.vision, high.vision),
            judgement: between(low.judgement, high.judgement),
        }
    }
}

impl Strength {
    /// The least Elo at which play is just so, if there is one.
    pub fn elo(self) -> Option<Elo> {
        (Elo::MIN.0..=Elo::MAX.0)
            .map(Elo)
            .find(|elo| elo.strength() == self)
    }

    /// The handicap of this strength, if any; `seed` chooses the overlooked moves.
    pub fn handicap(self, seed: u64) -> Option<Handicap> {
        Handicap::of_sight(self.vision, self.judgement, seed)
    }
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Elo {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        let refused = |_| OptionError::range("elo", text, Self::MIN.0.into(), Self::MAX.0.into());
        Self::new(text.parse().map_err(refused)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strength(elo: u16) -> Strength {
        Elo(elo).strength()
    }

    #[test]
    fn rungs_rise_and_are_reached_exactly() {
        for pair in RUNGS.windows(2) {
            assert!(
                pair[0].elo < pair[1].elo && pair[0].level <= pair[1].level,
                "{pair:?}"
            );
            assert!(
                pair[0].vision <= pair[1].vision && pair[0].judgement <= pair[1].judgement,
                "{pair:?}"
            );
            // 55 % of the points are 35 Elo.
            assert!(pair[1].elo - pair[0].elo > 35, "{pair:?}");
        }
        for Rung {
            elo,
            level,
            vision,
            judgement,
        } in RUNGS
        {
            let expected = Strength {
                level: Level::new(level.into()).unwrap(),
                vision,
                judgement,
            };
            assert_eq!(strength(elo), expected);
            assert_eq!(expected.elo(), Some(Elo(elo)));
        }
    }

    #[test]
    fn more_elo_is_never_weaker() {
        for elo in Elo::MIN.0..Elo::MAX.0 {
            let lower = strength(elo);
            let higher = strength(elo + 1);
            assert!(lower.level <= higher.level, "{elo}");
            assert!(
                lower.vision <= higher.vision && lower.judgement <= higher.judgement,
                "{elo}"
            );
        }
        assert_ne!(
            strength(500),
            strength(383),
            "there are strengths between two rungs"
        );
    }

    #[test]
    fn weakness_ends_where_levels_take_over() {
        assert_eq!(strength(1523).handicap(3), None);
        let weak = strength(1065).handicap(3).expect("a rung of weak play");
        assert_eq!((weak.vision, weak.judgement, weak.seed), (85, 85, 3));
    }

    #[test]
    fn strengths_outside_the_ladder_are_refused() {
        assert_eq!("1065".parse(), Ok(Elo(1065)));
        for text in ["0", "190", "99999", "1e3", "", "-200"] {
            assert!(text.parse::<Elo>().is_err(), "{text:?}");
        }
        let message = "9000".parse::<Elo>().unwrap_err().to_string();
        assert_eq!(
            message,
            format!(
                "elo takes a whole number from {} to {}, not 9000",
                Elo::MIN,
                Elo::MAX
            )
        );
    }
}
