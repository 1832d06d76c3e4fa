//! How bad a move is, by what it loses.

/// How bad a loss is, in discs; below the first step a move counts as good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Less than 2 discs.
    Good,
    /// From 2 discs.
    Slip,
    /// From 4.
    Mistake,
    /// From 10.
    Blunder,
}

impl Grade {
    /// The grade of a loss in discs.
    pub fn of(loss: f64) -> Self {
        let grades = [Self::Blunder, Self::Mistake, Self::Slip];
        grades.into_iter().find(|grade| loss >= grade.least()).unwrap_or(Self::Good)
    }

    /// The least loss in discs of the grade.
    pub fn least(self) -> f64 {
        match self {
            Self::Good => 0.0,
            Self::Slip => 2.0,
            Self::Mistake => 4.0,
            Self::Blunder => 10.0,
        }
    }

    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Slip => "slip",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_have_steps() {
        let names: Vec<_> = [0.0, 1.99, 2.0, 4.0, 9.9, 10.0].map(|loss| Grade::of(loss).name()).into();
        assert_eq!(names, ["good", "good", "slip", "mistake", "mistake", "blunder"]);
    }
}
