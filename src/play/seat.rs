//! The player of a side: a person at the keyboard or the engine.

use std::str::FromStr;

/// The player of a side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seat {
    Human,
    Engine,
}

impl FromStr for Seat {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim().to_ascii_lowercase().as_str() {
            "human" | "me" | "player" => Ok(Self::Human),
            "engine" | "emilia" | "computer" => Ok(Self::Engine),
            _ => Err("human or engine plays a side; `emilia match` lets programs play"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_play_in_matches_only() {
        assert_eq!(" ME ".parse(), Ok(Seat::Human));
        assert_eq!("engine".parse(), Ok(Seat::Engine));
        let refused = "nboard:./x nboard".parse::<Seat>();
        assert!(refused.is_err_and(|error| error.contains("match")));
    }
}
