//! Other values for the numbers of one searcher, in builds with the feature `tune`.

use super::params::{CAN_TUNE, TUNABLES, Tunable, VALUES};

/// Values that differ from the built-in ones. Only a build with the feature `tune` can have any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tuning {
    /// Places in [`TUNABLES`] and values.
    changes: Vec<(usize, i32)>,
}

/// The reason to refuse a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TuningError {
    /// There is no such number.
    #[error("no number of the search has the name `{0}`")]
    Unknown(String),
    /// The value is outside the range or between two steps.
    #[error(
        "{name}={1}: expected {low} to {high} in steps of {step}",
        name = .0.name, low = .0.low, high = .0.high, step = .0.step
    )]
    Value(&'static Tunable, i32),
    /// The numbers of this build are constants.
    #[error(
        "the numbers of the search are constants in this build: use one made by `cargo build --release --features emilia-engine/tune`"
    )]
    Constant,
}

impl Tunable {
    /// The number of this name, and its place among all.
    pub fn named(name: &str) -> Result<(usize, &'static Self), TuningError> {
        let found = TUNABLES
            .iter()
            .enumerate()
            .find(|(_, tunable)| tunable.name == name);
        found.ok_or_else(|| TuningError::Unknown(name.to_owned()))
    }
}

impl Tuning {
    /// Whether this build can tune at all.
    pub fn is_possible() -> Result<(), TuningError> {
        if CAN_TUNE {
            Ok(())
        } else {
            Err(TuningError::Constant)
        }
    }

    /// Gives a number another value.
    ///
    /// # Errors
    /// When there is no such number, it does not take the value, or this build cannot tune.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), TuningError> {
        let (place, tunable) = Tunable::named(name)?;
        let Tunable {
            low, high, step, ..
        } = *tunable;
        if !(low..=high).contains(&value) || (value - low) % step != 0 {
            return Err(TuningError::Value(tunable, value));
        }
        Self::is_possible()?;
        self.changes.push((place, value));
        Ok(())
    }

    /// Searches on this thread use these values from now on.
    pub(super) fn apply(&self) {
        if CAN_TUNE {
            VALUES.with(|values| {
                TUNABLES
                    .iter()
                    .zip(values)
                    .for_each(|(tunable, cell)| cell.set(tunable.value));
                self.changes
                    .iter()
                    .for_each(|&(place, value)| values[place].set(value));
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_checked_in_every_build() {
        let mut tuning = Tuning::default();
        let unknown = tuning.set("ORDER_MAGIC", 1).unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "no number of the search has the name `ORDER_MAGIC`"
        );
        for wrong in [-8, 1028, 33] {
            let error = tuning
                .set("ORDER_POTENTIAL", wrong)
                .unwrap_err()
                .to_string();
            assert_eq!(
                error,
                format!("ORDER_POTENTIAL={wrong}: expected 0 to 1024 in steps of 8")
            );
        }
        assert_eq!(tuning, Tuning::default());
        assert_eq!(tuning.set("ORDER_POTENTIAL", 40), Tuning::is_possible());
    }
}
