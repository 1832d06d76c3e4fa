//! Grades of moves by their losses.

/// The grade of a move, from good to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    Good,
    Slip,
    Mistake,
    Blunder,
}

impl Grade {
    /// The grade of a loss in discs.
    pub fn of(loss: f64) -> Self {
        let grades = [Self::Blunder, Self::Mistake, Self::Slip];
        grades
            .into_iter()
            .find(|grade| loss >= grade.least())
            .unwrap_or(Self::Good)
    }

    /// The least loss in discs of the grade.
    pub fn least(self) -> f64 {
        [0.0, 2.0, 4.0, 10.0][self as usize]
    }

    /// A loss of this grade in whole discs, which are of the grade, too: 3.7 discs are a slip, and 4 would not be.
    pub fn rounded(self, loss: f64) -> u32 {
        let worse = [Self::Slip, Self::Mistake, Self::Blunder]
            .into_iter()
            .find(|grade| *grade > self);
        let most = worse.map_or(f64::MAX, |worse| worse.least() - 1.0);
        loss.round().min(most) as u32
    }

    pub fn name(self) -> &'static str {
        ["good", "slip", "mistake", "blunder"][self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_have_steps() {
        let names: Vec<_> = [0.0, 1.99, 2.0, 4.0, 9.9, 10.0]
            .map(|loss| Grade::of(loss).name())
            .into();
        assert_eq!(
            names,
            ["good", "good", "slip", "mistake", "mistake", "blunder"]
        );
    }

    #[test]
    fn a_rounded_loss_keeps_its_grade() {
        for tenths in 20..400 {
            let loss = f64::from(tenths) / 10.0;
            let rounded = f64::from(Grade::of(loss).rounded(loss));
            assert_eq!(Grade::of(rounded), Grade::of(loss), "{loss}");
            assert!((rounded - loss).abs() < 1.0, "{loss} {rounded}");
        }
        let whole = [2.0, 4.0, 10.0, 64.0].map(|loss| Grade::of(loss).rounded(loss));
        assert_eq!(whole, [2, 4, 10, 64]);
    }
}
