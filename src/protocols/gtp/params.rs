//! The strength of play, set by `emilia-param` in GoGui's form: `[type] name value`, one per line.

use crate::engine::people::Rating;
use crate::engine::{Elo, Level, Strength};
use crate::search::Handicap;
use crate::util::refusal::Refusal;

/// The vision, judgement and seeds of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    vision: u8,
    judgement: u8,
    seed: u64,
    /// The rating of a person, instead of vision and judgement.
    person: Option<u16>,
    /// The seed of that person.
    person_seed: u64,
}

impl Params {
    /// The parameters of the command line. A person whom the client asks for has the seed `person_seed`.
    pub fn new(handicap: Option<Handicap>, person_seed: u64) -> Self {
        let Handicap {
            vision,
            judgement,
            seed,
            person,
            ..
        } = handicap.unwrap_or(Handicap::NONE);
        Self {
            vision,
            judgement,
            seed,
            person: person.map(|person| person.rating),
            person_seed: person.map_or(person_seed, |_| seed),
        }
    }

    pub fn handicap(&self) -> Option<Handicap> {
        let person = self
            .person
            .map(|rating| Handicap::of_person(rating, self.person_seed));
        person.or(Handicap::of_sight(self.vision, self.judgement, self.seed))
    }

    /// All parameters with their values.
    pub fn list(&self, level: Level) -> String {
        let Self {
            vision,
            judgement,
            seed,
            person,
            person_seed,
        } = *self;
        let seed = person.map_or(seed, |_| person_seed);
        // The Elo number with these values, if any.
        let elo = Strength {
            level,
            vision,
            judgement,
        }
        .elo();
        let elo = elo.map_or("-".to_owned(), |elo| elo.to_string());
        let person = person.map_or("-".to_owned(), |rating| rating.to_string());
        format!(
            "[string] level {level}\n[string] elo {elo}\n[string] person {person}\n[string] vision {vision}\n\
             [string] judgement {judgement}\n[string] seed {seed}"
        )
    }

    /// Sets a parameter; returns the new level, if any.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Option<Level>, Refusal> {
        if ["level", "elo", "vision", "judgement"].contains(&name) {
            self.person = None;
        }
        match name {
            "person" if value == "-" => self.person = None,
            "person" => {
                let rating = value.parse::<Rating>().map_err(Refusal::of)?;
                self.person = Some(rating.number());
            }
            "level" => return value.parse().map(Some).map_err(Refusal::of),
            "elo" => {
                let strength = value.parse::<Elo>().map_err(Refusal::of)?.strength();
                (self.vision, self.judgement) = (strength.vision, strength.judgement);
                return Ok(Some(strength.level));
            }
            "vision" => self.vision = percent(name, value)?,
            "judgement" => self.judgement = percent(name, value)?,
            "seed" => {
                self.seed = value.parse().map_err(|_| "seed takes a whole number")?;
                self.person_seed = self.seed;
            }
            _ => {
                return Err(
                    "unknown parameter: level, elo, person, vision, judgement, seed".into(),
                );
            }
        }
        Ok(None)
    }
}

fn percent(name: &str, value: &str) -> Result<u8, Refusal> {
    let percent = value.parse().ok().filter(|percent| *percent <= 100);
    percent.ok_or_else(|| format!("{name} takes a whole number from 0 to 100").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strength_sets_all_of_them() {
        let mut params = Params::new(None, 7);
        assert_eq!(params.handicap(), None);
        assert_eq!(params.set("elo", "1065"), Ok(Level::new(1).ok()));
        assert_eq!(
            params
                .handicap()
                .map(|handicap| (handicap.vision, handicap.judgement)),
            Some((85, 85))
        );
        assert!(
            params
                .list(Level::new(1).unwrap())
                .contains("\n[string] elo 10")
        );
        assert_eq!(params.set("elo", "1777"), Ok(Level::new(2).ok()));
        assert_eq!(params.handicap(), None);
    }

    #[test]
    fn a_person_has_the_seed_of_people() {
        let mut params = Params::new(None, 7);
        let seed = |params: &Params| params.handicap().map(|handicap| handicap.seed);
        params.set("person", "1450").unwrap();
        assert_eq!(seed(&params), Some(7));
        params.set("seed", "3").unwrap();
        assert_eq!(seed(&params), Some(3));
        params.set("vision", "60").unwrap();
        assert_eq!(seed(&params), Some(3));
        let named = Params::new(Some(Handicap::of_person(1450, 5)), 7);
        assert_eq!(seed(&named), Some(5));
    }
}
